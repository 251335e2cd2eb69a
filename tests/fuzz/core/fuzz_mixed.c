/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words, beside long multiplication; words that are no number are
 * reported. */
#include "fuzz.h"
#include "tests/mixed_words.h"

enum { MOST_COUNT = 24, LIMBS = 64 + 4 };

/* number = number * factor + more, in limbs of 16 bits, the least significant first. */
static void multiply_add(uint32_t number[LIMBS], uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint64_t)number[i] * factor;
        number[i] = (uint32_t)(carry & 0xFFFF);
        carry >>= 16;
    }
}

/* -1, 0 or 1 as a is below, equal to or above b. */
static int compare(const uint32_t a[LIMBS], const uint32_t b[LIMBS])
{
    for (size_t i = LIMBS; i-- > 0;) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static void from_word(uint32_t radix, uint32_t length, const uint8_t *word, uint32_t out[LIMBS])
{
    memset(out, 0, LIMBS * sizeof *out);
    for (uint32_t i = 0; i < length; i++) {
        multiply_add(out, radix, word[i]);
    }
}

static void from_digits(const tally_mixed *mixed, const uint16_t *digits, uint32_t out[LIMBS])
{
    memset(out, 0, LIMBS * sizeof *out);
    for (uint32_t i = 0; i < mixed->positions; i++) {
        multiply_add(out, mixed->sizes[i], digits[i]);
    }
}

static void power(uint32_t radix, uint32_t length, uint32_t out[LIMBS])
{
    memset(out, 0, LIMBS * sizeof *out);
    out[0] = 1;
    for (uint32_t i = 0; i < length; i++) {
        multiply_add(out, radix, 0);
    }
}

/* The radix and length that a range of N = `all` must get. */
static void check_plan(const uint32_t all[LIMBS], const tally_mixed_plan *plan)
{
    uint32_t numbers[LIMBS];
    power(256, plan->length, numbers);
    CHECK(compare(numbers, all) >= 0 && plan->length >= 2);
    power(256, plan->length - 1, numbers);
    CHECK(plan->length == 2 || compare(numbers, all) < 0);
    power(plan->radix, plan->length, numbers);
    CHECK(compare(numbers, all) >= 0 && plan->radix >= 4 && plan->radix <= 256);
    power(plan->radix - 1, plan->length, numbers);
    CHECK(plan->radix == 4 || compare(numbers, all) < 0);
}

static void check_numbers(fuzz_input *input, const tally_mixed *mixed, const uint32_t all[LIMBS],
                          const tally_mixed_plan *plan)
{
    const size_t count = fuzz_below(input, MOST_COUNT + 1), positions = mixed->positions;
    const size_t length = plan->length;
    uint16_t *digits = FUZZ_ARRAY(uint16_t, count * positions);
    uint8_t *words = fuzz_buffer(count * length);
    uint32_t number[LIMBS], other[LIMBS];
    for (size_t i = 0; i < count * positions; i++) {
        digits[i] = (uint16_t)((uint32_t)fuzz_number(input, 2) % mixed->sizes[i % positions]);
    }
    mixed_to_words(plan, digits, count, words);
    for (size_t i = 0; i < count; i++) {
        from_digits(mixed, digits + i * positions, number);
        from_word(plan->radix, plan->length, words + i * length, other);
        CHECK(compare(number, other) == 0);
    }
    uint8_t *given = fuzz_bytes(input, count * length), *outside = fuzz_buffer(count);
    uint16_t *back = FUZZ_ARRAY(uint16_t, count * positions);
    for (size_t i = 0; i < count * length; i++) {
        given[i] = (uint8_t)(given[i] % plan->radix);
    }
    mixed_from_words(plan, given, count, back, outside);
    for (size_t i = 0; i < count; i++) {
        from_word(plan->radix, plan->length, given + i * length, number);
        CHECK_EQUAL(outside[i], compare(number, all) >= 0);
        from_digits(mixed, back + i * positions, other);
        if (outside[i] != 0) {
            memset(number, 0, sizeof number);
        }
        CHECK(compare(number, other) == 0);
        for (size_t k = 0; k < positions; k++) {
            CHECK(back[i * positions + k] < mixed->sizes[k]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_cpu(&input);
    const uint32_t kind = fuzz_below(&input, 8), positions = fuzz_below(&input, 66);
    uint32_t *sizes = FUZZ_ARRAY(uint32_t, positions), all[LIMBS] = {1}, most[LIMBS];
    bool fits = positions >= 1 && positions <= TALLY_MIXED_MAX_POSITIONS;
    for (uint32_t i = 0; i < positions; i++) {
        const uint32_t given = (uint32_t)fuzz_number(&input, kind < 4 ? 1 : kind < 7 ? 2 : 3);
        sizes[i] = kind < 7 ? given + 1 : given;
        fits &= sizes[i] >= 1 && sizes[i] <= TALLY_MIXED_MAX_SIZE;
        if (fits) {
            multiply_add(all, sizes[i], 0);
        }
    }
    const tally_mixed mixed = {.sizes = sizes, .positions = positions};
    uint32_t one[LIMBS] = {1};
    power(256, 32, most);
    const tally_status expected = !fits || compare(all, one) == 0 ? TALLY_ERROR_ARGUMENT
                                  : compare(all, most) > 0        ? TALLY_ERROR_LENGTH
                                                                  : TALLY_OK;
    tally_mixed_plan plan;
    CHECK_EQUAL(tally_mixed_make_plan(&mixed, &plan), expected);
    if (expected == TALLY_OK) {
        check_plan(all, &plan);
        check_numbers(&input, &mixed, all, &plan);
    }
    return fuzz_end();
}
