/* SPDX-License-Identifier: Apache-2.0
 *
 * The exceptions that docs/explanation/side-channels.md names, at work: FAST from the key on, on
 * words, columns and numbers, with everything secret that can be. Memcheck must report them, and
 * nothing but the functions that tests/constant_time.py lists. */
#include "base/cpu.h"
#include "secret.h"

#include "columns/columns.h"
#include "columns/translate.h"
#include "fast/schedule/pool.h"
#include "fast/words/ff1_words.h"
#include "fast/words/row_tweaks.h"
#include "numbers/dates.h"

enum { LENGTH = 9, SLOTS = 8, COUNT = 300, WIDTH = 19 };

typedef struct instance {
    uint8_t *pool_memory, *cipher_memory, *workspace_memory, *ff1_memory;
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
    tally_fast_workspace *workspace;
} instance;

static void expect_ok(tally_status status, const char *what)
{
    if (status != TALLY_OK) {
        fail(what);
    }
}

/* Takes memory of so many bytes for a pool, and for FF1. */
static instance begin(size_t pool_size, size_t ff1_size)
{
    const instance made = {.pool_memory = calloc(1, pool_size),
                           .cipher_memory = calloc(1, tally_fast_cipher_size(SLOTS)),
                           .workspace_memory = calloc(1, tally_fast_workspace_size()),
                           .ff1_memory = calloc(1, ff1_size + 1)};
    if (made.pool_memory == NULL || made.cipher_memory == NULL || made.workspace_memory == NULL ||
        made.ff1_memory == NULL) {
        fail("no memory");
    }
    return made;
}

/* Sets up what works with the pool. */
static void complete(instance *made)
{
    expect_ok(tally_fast_cipher_init(made->pool, SLOTS, made->cipher_memory,
                                     tally_fast_cipher_size(SLOTS), &made->cipher),
              "no cipher");
    expect_ok(tally_fast_workspace_init(made->workspace_memory, tally_fast_workspace_size(),
                                        &made->workspace),
              "no workspace");
}

/* By a secret key. Tables are filled with numbers that the shuffle counts, which memcheck does not
 * take for secret where they lie at secret places, so they are marked. */
static instance make(tally_fast_profile profile, uint32_t radix)
{
    uint8_t key[16] = {1};
    const size_t size = tally_fast_pool_size(radix);
    instance made = begin(size, 0);
    make_secret(key, sizeof key);
    expect_ok(
        tally_fast_pool_init(profile, radix, key, sizeof key, made.pool_memory, size, &made.pool),
        "no pool");
    uint8_t *tables = (uint8_t *)(made.pool + 1);
    make_secret(tables, size - (size_t)(tables - made.pool_memory));
    complete(&made);
    return made;
}

static void dispose(instance *made)
{
    free(made->pool_memory);
    free(made->cipher_memory);
    free(made->workspace_memory);
    free(made->ff1_memory);
}

/* The same with FF1 in the place of FAST, which has no tables. */
static instance make_ff1(uint32_t radix)
{
    uint8_t key[16] = {1};
    instance made = begin(sizeof(tally_fast_pool), tally_ff1_size());
    tally_ff1 *ff1;
    make_secret(key, sizeof key);
    expect_ok(
        tally_ff1_init(TALLY_FF1, radix, key, sizeof key, made.ff1_memory, tally_ff1_size(), &ff1),
        "no FF1");
    made.pool = (tally_fast_pool *)(void *)made.pool_memory;
    tally_ff1_words_pool(ff1, NULL, radix, made.pool);
    complete(&made);
    return made;
}

/* Words under one tweak, and under one for each. */
static void words(const instance *at, tally_fast_params params, size_t count)
{
    static uint8_t text[COUNT * LENGTH], out[COUNT * LENGTH];
    const uint8_t tweak[] = "tweak";
    static int32_t offsets[COUNT + 1];
    size_t size = count * params.length;
    for (size_t i = 0; i <= count; i++) {
        offsets[i] = (int32_t)(i / 3); /* every third tweak has a byte, the others none */
    }
    static const uint8_t bytes[COUNT] = {1, 2, 3};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 4, .values = bytes, .rows = count};
    memset(text, 3, sizeof text);
    make_secret(text, sizeof text);
    expect_ok(tally_fast_encrypt_words(at->cipher, &params, tweak, 5, text, count, out),
              "no encryption of words");
    expect_secret(out, size);
    expect_ok(tally_fast_decrypt_words(at->cipher, &params, tweak, 5, text, count, out),
              "no decryption of words");
    expect_secret(out, size);
    if (at->pool->profile != TALLY_FAST) {
        return;
    }
    expect_ok(tally_fast_words_rows(at->cipher, at->workspace, TALLY_ENCRYPT, &params, tweak, 5,
                                    &tweaks, text, out),
              "no encryption of words with tweaks of their own");
    expect_secret(out, size);
    expect_ok(tally_fast_words_rows(at->cipher, at->workspace, TALLY_DECRYPT, &params, tweak, 5,
                                    &tweaks, text, out),
              "no decryption of words with tweaks of their own");
    expect_secret(out, size);
}

static void check_words(void)
{
    static const uint32_t radices[] = {10, 43, 62, 200, 256};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        instance at = make(TALLY_FAST, radices[i]);
        tally_fast_params params;
        expect_ok(tally_fast_recommended(TALLY_FAST, radices[i], LENGTH, &params), "no params");
        for (size_t count = 1; count <= COUNT; count = 3 * count + 1) {
            words(&at, params, count);
        }
        dispose(&at);
    }
    instance legacy = make(TALLY_FAST_BYTES_LEGACY, 256);
    for (uint32_t length = 1; length <= 4; length++) {
        tally_fast_params params;
        expect_ok(tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, length, &params),
                  "no params");
        words(&legacy, params, 3);
    }
    dispose(&legacy);
}

/* Card numbers whose last digits stay in clear, and so are no secret. Alike, or of many layouts. */
static void column(const instance *at, const char *model, int alike, uint8_t luhn,
                   uint32_t keep_last, int own_tweaks)
{
    const size_t width = strlen(model);
    static uint8_t values[COUNT * WIDTH], status[COUNT];
    static const uint8_t values_of_tweaks[COUNT * WIDTH] = {1, 2, 3};
    static int32_t offsets[COUNT + 1];
    tally_shape shape = {.radix = 10,
                         .min_symbols = 6,
                         .max_symbols = 64,
                         .keep_last = keep_last,
                         .tweak_kept = 1,
                         .luhn = luhn};
    const tally_strings column = {
        .offsets = offsets, .offset_size = 4, .values = values, .rows = COUNT};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 4, .values = values_of_tweaks, .rows = COUNT};
    tally_column_report report;
    shape.kind['-'] = TALLY_BYTE_KEPT;
    for (uint8_t digit = 0; digit < 10; digit++) {
        uint8_t byte = (uint8_t)('0' + digit);
        shape.kind[byte] = TALLY_BYTE_SYMBOL;
        shape.symbol[byte] = digit;
        shape.letter[0][digit] = byte;
    }
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        for (size_t i = 0; i < COUNT; i++) {
            uint8_t *row = values + i * width;
            offsets[i + 1] = (int32_t)((i + 1) * width);
            memcpy(row, model, width);
            if (!alike && i % 5 != 0) {
                row[i % 4 + 5] = '-';
            }
            make_secret(row, width - keep_last);
        }
        expect_ok(tally_fast_column(at->cipher, at->workspace, (tally_direction)decrypt, &shape,
                                    &column, NULL, 0, own_tweaks ? &tweaks : NULL, values, status,
                                    &report),
                  "no column");
    }
    (void)VALGRIND_MAKE_MEM_DEFINED(&report, sizeof report);
    if (report.rows[TALLY_ROW_OK] == 0) {
        fail("no row of a column fits");
    }
    /* On lanes; else letters come from a table that is public. */
    if (alike && keep_last == 0 && tally_translate_choose(at->pool->lanes) != NULL) {
        expect_secret(values + width, 4);
    }
}

static void check_columns(void)
{
    static const char spaced[] = "4111-1111-1111-1111";
    instance at = make(TALLY_FAST, 10), ff1 = make_ff1(10);
    for (int alike = 0; alike < 2; alike++) {
        column(&at, spaced, alike, TALLY_LUHN_NONE, 0, 0);
        column(&at, spaced, alike, TALLY_LUHN_NONE, 4, 0);
        column(&at, spaced, alike, TALLY_LUHN_VALID, 0, 0);
        for (int own_tweaks = 0; own_tweaks < 2; own_tweaks++) {
            column(&ff1, spaced, alike, TALLY_LUHN_NONE, 4, own_tweaks);
            column(&ff1, spaced, alike, TALLY_LUHN_VALID, 0, own_tweaks);
            column(&ff1, "4111111111111111", alike, TALLY_LUHN_NONE, 0, own_tweaks);
            column(&ff1, "4111111111111111", 1, TALLY_LUHN_NONE, 4, own_tweaks);
        }
    }
    dispose(&at);
    dispose(&ff1);
}

/* Days of a hundred years or so, read and written. */
static void check_numbers(void)
{
    enum { DAY = 10, DAYS = 100 };
    static uint8_t text[DAYS * DAY];
    static uint64_t numbers[DAYS];
    tally_dates_compiled notation;
    tally_fast_params params;
    expect_ok(tally_fast_range_params(40000, &params), "no range");
    if (!tally_dates_compile((const uint8_t *)"YYYY-MM-DD", DAY, &notation)) {
        fail("no notation");
    }
    instance at = make(TALLY_FAST, params.radix);
    for (size_t i = 0; i < DAYS; i++) {
        memcpy(text + i * DAY, "2001-02-03", DAY);
        make_secret(text + i * DAY, DAY);
        numbers[i] = (uint64_t)tally_dates_parse(&notation, text + i * DAY);
    }
    expect_ok(tally_fast_encrypt_range(at.cipher, 40000, NULL, 0, numbers, DAYS, numbers),
              "no range encrypted");
    expect_ok(tally_fast_decrypt_range(at.cipher, 40000, NULL, 0, numbers, 1, numbers),
              "no range decrypted");
    for (size_t i = 0; i < DAYS; i++) {
        tally_dates_format(&notation, (int32_t)numbers[i], text + i * DAY);
    }
    dispose(&at);
}

static void check(void)
{
    static const uint32_t levels[] = {UINT32_MAX, 0}; /* valgrind shows it AVX2 */
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        check_words();
        check_columns();
        check_numbers();
        printf("checked: FAST with the lanes %s\n", tally_fast_lanes_choose()->backend.name);
    }
}
