/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix: against numbers of the C library where 64 bits hold them, against long
 * multiplication beyond, and errors. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "mixed_words.h"
#include "random.h"

enum { COUNT = 150, BYTES = 40 };

static uint16_t digits[COUNT * TALLY_MIXED_MAX_POSITIONS], back[sizeof digits / 2];
static uint8_t words[COUNT * TALLY_MIXED_MAX_LENGTH], outside[COUNT];

/* number * factor + digit, in bytes, the least first. */
static void grow(uint8_t number[BYTES], uint32_t factor, uint32_t digit)
{
    uint64_t carry = digit;
    for (size_t i = 0; i < BYTES; i++) {
        carry += (uint64_t)number[i] * factor;
        number[i] = (uint8_t)carry;
        carry >>= 8;
    }
    CHECK_EQUAL(carry, 0);
}

static int compare(const uint8_t a[BYTES], const uint8_t b[BYTES])
{
    for (size_t i = BYTES; i-- > 0;) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static void number_of_digits(const tally_mixed *mixed, const uint16_t *from, uint8_t out[BYTES])
{
    memset(out, 0, BYTES);
    for (size_t p = 0; p < mixed->positions; p++) {
        grow(out, mixed->sizes[p], from[p]);
    }
}

static void number_of_word(const tally_mixed_plan *plan, const uint8_t *word, uint8_t out[BYTES])
{
    memset(out, 0, BYTES);
    for (size_t s = 0; s < plan->length; s++) {
        grow(out, plan->radix, word[s]);
    }
}

/* radix^length, and the product of the sizes, as numbers. */
static void power(uint32_t radix, uint32_t length, uint8_t out[BYTES])
{
    memset(out, 0, BYTES);
    out[0] = 1;
    for (uint32_t i = 0; i < length; i++) {
        grow(out, radix, 0);
    }
}

static void product(const tally_mixed *mixed, uint8_t out[BYTES])
{
    memset(out, 0, BYTES);
    out[0] = 1;
    for (size_t p = 0; p < mixed->positions; p++) {
        grow(out, mixed->sizes[p], 0);
    }
}

static void check_rule(const tally_mixed *mixed, const tally_mixed_plan *plan)
{
    uint8_t size[BYTES], reached[BYTES];
    product(mixed, size);
    power(plan->radix, plan->length, reached);
    CHECK(compare(reached, size) >= 0);
    if (plan->radix > 4) {
        power(plan->radix - 1, plan->length, reached);
        CHECK(compare(reached, size) < 0);
    }
    if (plan->length > 2) {
        power(256, plan->length - 1, reached);
        CHECK(compare(reached, size) < 0);
    }
}

static void check_sizes(const uint32_t *sizes, uint32_t positions, size_t count)
{
    const tally_mixed mixed = {sizes, positions};
    tally_mixed_plan plan;
    CHECK_ABOUT("%u positions, the first of %u, %zu rows", (unsigned)positions, (unsigned)sizes[0],
                count);
    CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), TALLY_OK);
    check_rule(&mixed, &plan);
    for (size_t i = 0; i < count; i++) { /* the first number, the last, and others */
        for (size_t p = 0; p < positions; p++) {
            digits[i * positions + p] = (uint16_t)(i == 0   ? 0
                                                   : i == 1 ? sizes[p] - 1
                                                            : random_below(sizes[p]));
        }
    }
    mixed_to_words(&plan, digits, count, words);
    uint8_t size[BYTES], given[BYTES], made[BYTES];
    product(&mixed, size);
    for (size_t i = 0; i < count; i++) {
        number_of_digits(&mixed, digits + i * positions, given);
        number_of_word(&plan, words + i * plan.length, made);
        CHECK_BYTES(made, given, BYTES);
    }
    memset(back, 0xa5, sizeof back);
    memset(outside, 0xa5, sizeof outside);
    mixed_from_words(&plan, words, count, back, outside);
    CHECK_BYTES(back, digits, count * positions * 2);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(outside[i], 0);
    }
    /* Any words, the greatest among them: `outside` is set, or the number is read. */
    for (size_t i = 0; i < count * plan.length; i++) {
        words[i] = (uint8_t)(i < plan.length ? plan.radix - 1 : random_below(plan.radix));
    }
    mixed_from_words(&plan, words, count, back, outside);
    for (size_t i = 0; i < count; i++) {
        number_of_word(&plan, words + i * plan.length, given);
        CHECK_EQUAL(outside[i], compare(given, size) >= 0);
        if (outside[i]) {
            memset(given, 0, BYTES);
        }
        number_of_digits(&mixed, back + i * positions, made);
        CHECK_BYTES(made, given, BYTES);
        for (size_t p = 0; p < positions; p++) {
            CHECK(back[i * positions + p] < sizes[p]);
        }
    }
}

static void test_sizes(void)
{
    static const uint32_t iban[] = {26, 26, 26, 26, 10, 10, 10, 10, 10,
                                    10, 10, 10, 10, 10, 10, 10, 10, 10};
    static const uint32_t plate[] = {26, 26, 10, 10, 10, 26}, pair[] = {2}, wide[] = {65536},
                          ones[] = {1, 100, 1, 1, 3, 1}, sixteen[] = {4, 4}, more[] = {4, 5};
    static const uint32_t whole[] = {65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536,
                                     65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536};
    check_sizes(iban, 18, COUNT);
    check_sizes(plate, 6, COUNT);
    check_sizes(pair, 1, 2);
    check_sizes(wide, 1, COUNT);
    check_sizes(ones, 6, 64);
    check_sizes(sixteen, 2, 65);
    check_sizes(more, 2, 1);
    for (uint32_t positions = 1; positions <= 16; positions++) {
        check_sizes(whole, positions, COUNT);
    }
    for (int i = 0; i < random_cases(300); i++) {
        uint32_t sizes[TALLY_MIXED_MAX_POSITIONS];
        double bits = 0;
        uint32_t positions = 0, most = random_below(4) ? 40 : 65536;
        while (positions < TALLY_MIXED_MAX_POSITIONS && bits < 230) {
            uint32_t size = 1 + random_below(most), rest = size;
            sizes[positions++] = size;
            for (bits += 1; rest > 1; rest /= 2) {
                bits += 1;
            }
            if (random_below(20) == 0) {
                break;
            }
        }
        sizes[0] = sizes[0] == 1 ? 2 : sizes[0];
        check_sizes(sizes, positions, 1 + random_below(COUNT));
    }
}

/* Both rules are one. */
static void test_ranges(void)
{
    for (int i = 0; i < 2000; i++) {
        uint32_t sizes[4];
        uint64_t size = 1;
        for (size_t p = 0; p < 4; p++) {
            sizes[p] = 2 + random_below(p < 2 ? 300 : 20000);
            size *= sizes[p];
        }
        const tally_mixed mixed = {sizes, 4};
        tally_mixed_plan plan;
        tally_fast_params range;
        CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), TALLY_OK);
        CHECK_EQUAL(tally_fast_range_params(size, &range), TALLY_OK);
        CHECK_EQUAL(plan.radix, range.radix);
        CHECK_EQUAL(plan.length, range.length);
    }
}

static void test_refusals(void)
{
    uint32_t sizes[TALLY_MIXED_MAX_POSITIONS + 1];
    for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++) {
        sizes[p] = 10;
    }
    tally_mixed mixed = {sizes, 5};
    tally_mixed_plan plan;
    CHECK_ABOUT("refusals");
    const struct {
        uint32_t positions, at, size;
        tally_status status;
    } wrong[] = {{0, 0, 10, TALLY_ERROR_ARGUMENT}, {65, 0, 10, TALLY_ERROR_ARGUMENT},
                 {5, 4, 0, TALLY_ERROR_ARGUMENT},  {5, 0, 65537, TALLY_ERROR_ARGUMENT},
                 {1, 0, 1, TALLY_ERROR_ARGUMENT},  {5, 2, UINT32_MAX, TALLY_ERROR_ARGUMENT},
                 {64, 0, 65536, TALLY_OK},         {64, 63, 65536, TALLY_OK}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tally_status status = wrong[i].status;
        sizes[wrong[i].at] = wrong[i].size;
        mixed.positions = wrong[i].positions;
        CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), status);
        sizes[wrong[i].at] = 10;
    }
    for (size_t p = 0; p < 64; p++) {
        sizes[p] = 16;
    }
    mixed.positions = 64;
    CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), TALLY_OK); /* 2^256 */
    sizes[7] = 17;
    CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), TALLY_ERROR_LENGTH);
}

/* On each back end that the CPU has. */
static void test_backends(void)
{
    static const uint32_t allowed[] = {0, TALLY_CPU_AVX2, TALLY_CPU_AVX2 | TALLY_CPU_AVX512,
                                       UINT32_MAX};
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        if (tally_cpu_lower(allowed[i]) == last) {
            continue; /* nothing that the one before lacked */
        }
        last = tally_cpu_features();
        test_sizes();
    }
}

int main(void)
{
    test_backends();
    test_ranges();
    test_refusals();
    return check_end("mixed radix");
}
