/* SPDX-License-Identifier: Apache-2.0
 *
 * Words with a tweak for each of them, against one at a time. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "fast/words/cipher.h"
#include "fast/words/row_tweaks.h"
#include "fast/words/workspace.h"
#include "fast_instance.h"
#include "random.h"
#include "tallystick/fast.h"

enum { SLOTS = 8, ROWS = 4200, LENGTH = 33, COMMON = 5, OWN = 6 };

static const uint8_t key[16] = {3, 1, 4, 1}, common[COMMON] = {9, 8, 7, 6, 5};
static uint8_t words[ROWS * LENGTH], tokens[ROWS * LENGTH], expected[ROWS * LENGTH];
static uint8_t values[ROWS * OWN];
static int32_t offsets[ROWS + 1];

static size_t left_behind(const tally_fast_cipher *cipher)
{
    size_t left = 0;
    for (size_t i = 0; i < sizeof cipher->lane_state; i++) {
        left += cipher->lane_state[i] != 0;
    }
    return left;
}

/* Rows of tweaks of which so many are different, some of them empty. */
static tally_strings make_tweaks(size_t rows, uint32_t different)
{
    for (size_t i = 0; i < rows; i++) {
        uint32_t kind = random_below(different);
        size_t size = kind % (OWN + 1);
        offsets[i + 1] = offsets[i] + (int32_t)size;
        for (size_t k = 0; k < size; k++) {
            values[(size_t)offsets[i] + k] = (uint8_t)(kind >> (k % 2 * 8));
        }
    }
    return (tally_strings){.offsets = offsets, .offset_size = 4, .values = values, .rows = rows};
}

static void test_words(uint32_t radix, uint32_t length, size_t rows, uint32_t different)
{
    instance made = instance_make(TALLY_FAST, radix, key, sizeof key, SLOTS);
    tally_fast_params params;
    tally_strings given = make_tweaks(rows, different);
    size_t size = rows * length;
    CHECK_ABOUT("radix %u, length %u, %zu rows, %u tweaks", (unsigned)radix, (unsigned)length, rows,
                (unsigned)different);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, radix, length, &params), TALLY_OK);
    memset(made.cipher->lane_state, 0, sizeof made.cipher->lane_state);
    for (size_t i = 0; i < size; i++) {
        words[i] = (uint8_t)random_below(radix);
    }
    for (size_t i = 0; i < rows; i++) {
        uint8_t tweak[COMMON + OWN];
        size_t own = (size_t)(offsets[i + 1] - offsets[i]);
        memcpy(tweak, common, COMMON);
        memcpy(tweak + COMMON, values + offsets[i], own);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, tweak, COMMON + own,
                                             words + i * length, 1, expected + i * length),
                    TALLY_OK);
    }
    CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_ENCRYPT, &params, common,
                                      COMMON, &given, words, tokens),
                TALLY_OK);
    CHECK_BYTES(tokens, expected, size);
    CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_DECRYPT, &params, common,
                                      COMMON, &given, tokens, tokens),
                TALLY_OK);
    CHECK_BYTES(tokens, words, size);
    CHECK_EQUAL(left_behind(made.cipher), 0);
    instance_dispose(&made);
}

/* Tweaks of which most are different, in sizes that are derived together and one by one, and some
 * that many rows share: so buckets of all sizes run, on groups and on lanes of their own. */
static void test_many_tweaks(uint32_t radix, uint32_t length, size_t common_size)
{
    enum { MANY = 1500, LONGEST = 90, SHARED = 5 };
    static uint8_t tails[MANY * LONGEST];
    instance made = instance_make(TALLY_FAST, radix, key, sizeof key, SLOTS);
    tally_fast_params params;
    const size_t size = MANY * (size_t)length;
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, radix, length, &params), TALLY_OK);
    memset(made.cipher->lane_state, 0, sizeof made.cipher->lane_state);
    for (size_t i = 0; i < MANY; i++) {
        const uint32_t shared = random_below(4 * SHARED);
        const uint32_t kind = shared < SHARED ? shared : SHARED + random_below(MANY);
        const size_t tail = kind % 50 == 0 ? LONGEST : kind % 3 == 0 ? 8 : kind % 20;
        offsets[i + 1] = offsets[i] + (int32_t)tail;
        memset(tails + offsets[i], (int)(kind >> 8), tail);
        tails[offsets[i]] = (uint8_t)kind; /* without a tail, that of the next row */
    }
    for (size_t i = 0; i < size; i++) {
        words[i] = (uint8_t)random_below(radix);
    }
    for (size_t i = 0; i < MANY; i++) {
        uint8_t tweak[COMMON + LONGEST];
        const size_t own = (size_t)(offsets[i + 1] - offsets[i]);
        memcpy(tweak, common, common_size);
        memcpy(tweak + common_size, tails + offsets[i], own);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, tweak, common_size + own,
                                             words + i * length, 1, expected + i * length),
                    TALLY_OK);
    }
    const tally_strings given = {
        .offsets = offsets, .offset_size = 4, .values = tails, .rows = MANY};
    /* Also without lanes that have their own S-boxes, and with sequences one by one. */
    static const uint32_t levels[] = {UINT32_MAX, ~(uint32_t)TALLY_CPU_AVX512VBMI,
                                      ~(uint32_t)TALLY_CPU_VAES};
    uint32_t last = UINT32_MAX;
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        if (tally_cpu_lower(levels[level]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        CHECK_ABOUT("radix %u, length %u, many tweaks, level %zu", (unsigned)radix,
                    (unsigned)length, level);
        CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_ENCRYPT, &params,
                                          common, common_size, &given, words, tokens),
                    TALLY_OK);
        CHECK_BYTES(tokens, expected, size);
        CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_DECRYPT, &params,
                                          common, common_size, &given, tokens, tokens),
                    TALLY_OK);
        CHECK_BYTES(tokens, words, size);
        CHECK_EQUAL(left_behind(made.cipher), 0);
    }
    tally_cpu_lower(UINT32_MAX);
    instance_dispose(&made);
}

static void test_refusals(void)
{
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    instance legacy = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, sizeof key, SLOTS);
    static uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK + 1];
    uint8_t validity = 1;
    tally_fast_params params, other;
    int32_t at[3] = {0, 4, 8};
    uint8_t word[12] = {0}, out[12] = {0xa5};
    tally_strings given = {.offsets = at, .offset_size = 4, .values = tweak, .rows = 2};
    CHECK_ABOUT("refusals");
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, 6, &params), TALLY_OK);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, 6, &other), TALLY_OK);
#define RUN(cipher, params, size)                                                                  \
    tally_fast_words_rows(cipher, made.workspace, TALLY_ENCRYPT, params, tweak, size, &given,      \
                          word, out)
    CHECK_EQUAL(RUN(legacy.cipher, &other, 0), TALLY_ERROR_RADIX);
    CHECK_EQUAL(RUN(made.cipher, &other, 0), TALLY_ERROR_RADIX);
    other = params;
    other.layers++;
    CHECK_EQUAL(RUN(made.cipher, &other, 0), TALLY_ERROR_PARAMS);
    other = params;
    other.length = 1;
    CHECK_EQUAL(RUN(made.cipher, &other, 0), TALLY_ERROR_LENGTH);
    CHECK_EQUAL(RUN(made.cipher, &params, sizeof tweak), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(RUN(made.cipher, &params, TALLY_FAST_MAX_ROW_TWEAK - 3), TALLY_ERROR_ARGUMENT);
    given.validity = &validity;
    CHECK_EQUAL(RUN(made.cipher, &params, 0), TALLY_ERROR_ARGUMENT);
    given.validity = NULL;
    at[1] = 9;
    CHECK_EQUAL(RUN(made.cipher, &params, 0), TALLY_ERROR_ARGUMENT);
    at[1] = 4;
    word[11] = 10;
    CHECK_EQUAL(RUN(made.cipher, &params, 0), TALLY_ERROR_SYMBOL);
    CHECK_EQUAL(out[0], 0xa5);
    word[11] = 9;
    CHECK_EQUAL(RUN(made.cipher, &params, TALLY_FAST_MAX_ROW_TWEAK - 4), TALLY_OK);
    given.rows = 0;
    CHECK_EQUAL(RUN(made.cipher, &params, 0), TALLY_OK);
#undef RUN
    instance_dispose(&made);
    instance_dispose(&legacy);
}

static bool is_zero(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* A cipher that is wiped keeps no sequence and no tweak; a workspace keeps nothing. */
static void test_wipe(void)
{
    enum { LONG = 100 }; /* symbols of a word whose sequence is not cached as a whole */
    static const uint32_t lengths[] = {7, LENGTH, LONG};
    static uint8_t word[LONG];
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    tally_fast_cipher *cipher = made.cipher;
    CHECK_ABOUT("wipe");
    for (size_t i = 0; i < 2 * SLOTS; i++) {
        tally_fast_params params;
        uint8_t tweak[20] = {(uint8_t)i, 1};
        CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, lengths[i % 3], &params), TALLY_OK);
        CHECK((params.layers > TALLY_FAST_CACHE_LAYERS) == (i % 3 == 2));
        CHECK_EQUAL(tally_fast_encrypt_words(cipher, &params, tweak, sizeof tweak, word, 1, word),
                    TALLY_OK);
    }
    CHECK(!is_zero(cipher->entries, SLOTS * sizeof *cipher->entries));
    CHECK(!is_zero(cipher->window, sizeof cipher->window));
    tally_fast_cipher_wipe(cipher);
    CHECK(is_zero(cipher->entries, SLOTS * sizeof *cipher->entries));
    CHECK(is_zero(cipher->window, sizeof cipher->window));
    CHECK(is_zero(cipher->sequences, sizeof cipher->sequences));
    CHECK(is_zero(cipher->lane_state, sizeof cipher->lane_state));
    CHECK(is_zero(&cipher->prefix_cache, sizeof cipher->prefix_cache));
    memset(made.workspace, 0xa5, sizeof *made.workspace);
    tally_fast_workspace_wipe(made.workspace);
    CHECK(is_zero(made.workspace, sizeof *made.workspace));
    instance_dispose(&made);
}

int main(void)
{
    static const uint32_t radices[] = {4, 10, 62, 201, 256}, lengths[] = {2, 7, LENGTH};
    for (size_t i = 0; i < 15; i++) {
        test_words(radices[i % 5], lengths[i % 3], i == 7 ? ROWS : 150, 1 + (uint32_t)(i % 4) * 30);
    }
    test_words(10, 7, 1, 1);
    for (uint32_t radix = 4; radix <= 18; radix++) {
        test_many_tweaks(radix, 2 + (radix * 5) % 16, radix % 3 == 0 ? 0 : COMMON);
    }
    test_many_tweaks(10, 16, COMMON);
    test_many_tweaks(10, LENGTH, 1);
    test_many_tweaks(62, 9, COMMON);
    test_many_tweaks(256, 16, COMMON);
    test_refusals();
    test_wipe();
    return check_end("words with tweaks");
}
