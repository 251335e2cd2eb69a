/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of numbers of a range: many at once, and with a tweak for each, against one at a time. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "fast/words/row_tweaks.h"
#include "fast_instance.h"
#include "random.h"
#include "tallystick/fast.h"

enum { SLOTS = 8, ROWS = 9000, COMMON = 5, MOST_TWEAK = TALLY_FAST_MAX_ROW_TWEAK - COMMON };

static const uint8_t key[16] = {2, 7, 1, 8}, common[COMMON] = {9, 8, 7, 6, 5};
static uint64_t numbers[ROWS], tokens[ROWS], back[ROWS], expected[ROWS];
static uint8_t chosen[ROWS];

/* Of every length, of small, middle and full radices; the first ones walk a lot. */
static const uint64_t sizes[] = {17,
                                 65530,
                                 65537,
                                 73049,
                                 16777216,
                                 16777217,
                                 1000000000,
                                 4294967296,
                                 4294967297,
                                 UINT64_C(1) << 40,
                                 (UINT64_C(1) << 40) + 1,
                                 UINT64_C(1000000000000000),
                                 (UINT64_C(1) << 56) - 1,
                                 (UINT64_C(1) << 56) + 1,
                                 UINT64_C(1) << 63,
                                 0 /* 2^64 */};

static void fill(uint64_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = random_u64();
        numbers[i] = size != 0 ? numbers[i] % size : numbers[i];
    }
    numbers[0] = 0;
    numbers[count - 1] = size - 1;
}

static instance make(uint64_t size)
{
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_range_params(size, &params), TALLY_OK);
    return instance_make(TALLY_FAST, params.radix, key, sizeof key, SLOTS);
}

/* After a call nothing of the numbers is left in the cipher. */
static void check_wiped(const instance *made)
{
    const tally_fast_cipher *cipher = made->cipher;
    const tally_row_tweaks_memory *memory = (const void *)made->workspace->memory;
    size_t left = 0;
    for (size_t i = 0; i < sizeof cipher->lane_state; i++) {
        left += cipher->lane_state[i] != 0;
    }
    for (size_t i = 0; i < sizeof memory->symbols; i++) {
        left += memory->symbols[i] != 0;
    }
    CHECK_EQUAL(left, 0);
}

static void test_many(uint64_t size)
{
    instance made = make(size);
    static const size_t counts[] = {1, 2, 3, 64, 511, 513, 1600};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t count = counts[c];
        fill(size, count);
        for (size_t i = 0; i < count; i++) {
            CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, size, common, COMMON, &numbers[i], 1,
                                                 &expected[i]),
                        TALLY_OK);
        }
        CHECK_EQUAL(
            tally_fast_encrypt_range(made.cipher, size, common, COMMON, numbers, count, tokens),
            TALLY_OK);
        CHECK_BYTES(tokens, expected, count * sizeof *tokens);
        check_wiped(&made);
        CHECK_EQUAL(
            tally_fast_decrypt_range(made.cipher, size, common, COMMON, tokens, count, tokens),
            TALLY_OK);
        CHECK_BYTES(tokens, numbers, count * sizeof *tokens);
        check_wiped(&made);
    }
    instance_dispose(&made);
}

/* Tweaks of `different` kinds, of sizes from 0 to the most; the last ones are of the most. */
typedef struct tweaks {
    tally_strings strings;
    void *offsets;
    uint8_t *values, validity[ROWS / 8 + 2];
} tweaks;

static void tweaks_make(tweaks *made, size_t rows, uint32_t different, uint32_t offset_size)
{
    made->offsets = malloc((rows + 1) * offset_size);
    made->values = malloc(rows * 24 + 4 * MOST_TWEAK);
    size_t at = 3; /* values need not begin with the first row's */
    for (size_t i = 0; i <= rows; i++) {
        int32_t narrow = (int32_t)at;
        int64_t wide = (int64_t)at;
        memcpy((uint8_t *)made->offsets + i * offset_size,
               offset_size == 4 ? (void *)&narrow : (void *)&wide, offset_size);
        uint32_t kind = random_below(different);
        size_t size = i == 17 || i + 2 == rows ? MOST_TWEAK : kind % 23;
        for (size_t k = 0; i < rows && k < size; k++) {
            made->values[at++] = (uint8_t)(kind >> (8 * (k % 3)));
        }
    }
    memset(made->validity, 0xff, sizeof made->validity);
    made->strings = (tally_strings){.offsets = made->offsets,
                                    .offset_size = offset_size,
                                    .validity = made->validity,
                                    .validity_start = 3,
                                    .values = made->values,
                                    .rows = rows};
}

static uint64_t tweak_offset(const tweaks *made, size_t row)
{
    return made->strings.offset_size == 4 ? (uint64_t)((int32_t *)made->offsets)[row]
                                          : (uint64_t)((int64_t *)made->offsets)[row];
}

static void test_rows(uint64_t size, size_t rows, uint32_t different, uint32_t offset_size,
                      int some)
{
    instance made = make(size);
    tweaks given;
    tweaks_make(&given, rows, different, offset_size);
    fill(size, rows);
    for (size_t i = 0; i < rows; i++) {
        chosen[i] = (uint8_t)(!some || random_below(4) != 0);
        uint64_t start = tweak_offset(&given, i), tail = tweak_offset(&given, i + 1) - start;
        uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
        memcpy(tweak, common, COMMON);
        memcpy(tweak + COMMON, given.values + start, (size_t)tail);
        if (chosen[i]) {
            CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, size, tweak, COMMON + (size_t)tail,
                                                 &numbers[i], 1, &expected[i]),
                        TALLY_OK);
        } else {
            /* Not looked at: neither the number nor the tweak. */
            numbers[i] = random_u64();
            expected[i] = numbers[i];
            given.validity[(i + 3) / 8] &= (uint8_t) ~(1u << (i + 3) % 8);
        }
    }
    const uint8_t *which = some ? chosen : NULL;
    CHECK_EQUAL(tally_fast_range_rows(made.cipher, made.workspace, TALLY_ENCRYPT, size, common,
                                      COMMON, &given.strings, which, numbers, tokens),
                TALLY_OK);
    CHECK_BYTES(tokens, expected, rows * sizeof *tokens);
    check_wiped(&made);
    CHECK_EQUAL(tally_fast_range_rows(made.cipher, made.workspace, TALLY_DECRYPT, size, common,
                                      COMMON, &given.strings, which, tokens, back),
                TALLY_OK);
    CHECK_BYTES(back, numbers, rows * sizeof *tokens);
    CHECK_EQUAL(tally_fast_range_rows(made.cipher, made.workspace, TALLY_DECRYPT, size, common,
                                      COMMON, &given.strings, which, tokens, tokens),
                TALLY_OK);
    CHECK_BYTES(tokens, numbers, rows * sizeof *tokens);
    free(given.offsets);
    free(given.values);
    instance_dispose(&made);
}

static void test_refusals(void)
{
    CHECK_ABOUT("refusals");
    uint64_t size = 1000, three[3] = {1, 999, 2}, out[3] = {5, 5, 5};
    uint8_t some[3] = {1, 1, 1};
    instance made = make(size);
    static uint8_t values[TALLY_FAST_MAX_ROW_TWEAK + 8];
    int32_t offsets[4] = {0, 1, MOST_TWEAK + 1, MOST_TWEAK + 2};
    uint8_t validity = 7;
    tally_strings given = {
        .offsets = offsets, .offset_size = 4, .validity = &validity, .values = values, .rows = 3};
#define CALL(cipher, size, common_size)                                                            \
    tally_fast_range_rows(cipher, made.workspace, TALLY_ENCRYPT, size, values, common_size,        \
                          &given, some, three, out)
    CHECK_EQUAL(CALL(made.cipher, size, COMMON + 1), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(CALL(made.cipher, size, sizeof values), TALLY_ERROR_ARGUMENT);
    validity = 3;
    CHECK_EQUAL(CALL(made.cipher, size, COMMON), TALLY_ERROR_ARGUMENT);
    validity = 7;
    three[1] = 1000;
    CHECK_EQUAL(CALL(made.cipher, size, COMMON), TALLY_ERROR_SYMBOL);
    three[1] = 999;
    CHECK_EQUAL(CALL(made.cipher, 1, COMMON), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(CALL(made.cipher, 10000, COMMON), TALLY_ERROR_RADIX);
    offsets[1] = MOST_TWEAK + 2;
    CHECK_EQUAL(CALL(made.cipher, size, COMMON), TALLY_ERROR_ARGUMENT);
    offsets[1] = 1;
    CHECK(out[0] == 5 && out[1] == 5 && out[2] == 5);
    some[1] = 0; /* a tweak there may be too long or null */
    three[1] = 1000;
    validity = 5;
    CHECK_EQUAL(CALL(made.cipher, size, COMMON + 1), TALLY_OK);
    CHECK(out[0] < size && out[1] == 1000 && out[2] < size);
    given.rows = 0;
    CHECK_EQUAL(CALL(made.cipher, size, COMMON), TALLY_OK);
#undef CALL
    instance_dispose(&made);
}

int main(void)
{
    static const uint32_t levels[] = {UINT32_MAX,
                                      TALLY_CPU_SSSE3 | TALLY_CPU_AESNI | TALLY_CPU_AVX2, 0};
    uint32_t last = UINT32_MAX;
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        uint32_t features = tally_cpu_lower(levels[level]);
        if (features == last) {
            continue; /* nothing to take away */
        }
        last = features;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            CHECK_ABOUT("size %" PRIu64 ", CPU features %x", sizes[i], features);
            test_many(sizes[i]);
            test_rows(sizes[i], 700, 40, 4, 0);
        }
        CHECK_ABOUT("rows, CPU features %x", features);
        test_rows(73049, ROWS, 3, 4, 1);
        test_rows(73049, ROWS, 600, 8, 1);
        test_rows(73049, 5000, UINT32_MAX, 8, 0);
        test_rows(1000000000, 3000, UINT32_MAX, 4, 1);
    }
    tally_cpu_lower(UINT32_MAX);
    test_refusals();
    return check_end("range");
}
