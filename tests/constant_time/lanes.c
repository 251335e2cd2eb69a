/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of FAST on lanes: S-boxes and words are secret; the sequence of S-boxes is too, but
 * as addresses of whole tables it is the exception that docs/explanation/side-channels.md names. Of
 * text the bytes are secret; its layout is the format that is preserved. Valgrind knows no AVX-512,
 * so the AVX-512 code is checked by reading alone: it has no load by a symbol. */
#include "secret.h"

#include "columns/translate.h"
#include "fast/lanes/lanes.h"
#include "fast/schedule/pool.h"

enum { LENGTH = 17, WORDS = 64, LAYERS = 3 * LENGTH };

static void check_radix(uint32_t radix)
{
    uint8_t key[16] = {1}, indices[LAYERS], words[WORDS * LENGTH];
    uint8_t *rows[WORDS];
    size_t size = tally_fast_pool_size(radix);
    void *memory = malloc(size);
    tally_fast_pool *pool;
    if (memory == NULL ||
        tally_fast_pool_init(TALLY_FAST, radix, key, sizeof key, memory, size, &pool) != TALLY_OK) {
        fail("no pool");
    }
    const tally_fast_lanes *lanes = pool->lanes;
    if (lanes->stride(radix) == 0) {
        fail("no back end to check: this one looks S-boxes up in memory");
    }
    for (size_t i = 0; i < LAYERS; i++) {
        indices[i] = (uint8_t)(i * 37);
    }
    memset(words, 1, sizeof words);
    make_secret(words, sizeof words);
    size_t stride = lanes->stride(radix), tables = TALLY_FAST_POOL_SIZE * stride;
    make_secret((uint8_t *)(uintptr_t)pool->lane_tables[TALLY_ENCRYPT], tables);
    make_secret((uint8_t *)(uintptr_t)pool->lane_tables[TALLY_DECRYPT], tables);
    for (size_t k = 0; k < WORDS; k++) {
        rows[k] = words + k * LENGTH;
    }
    size_t width = TALLY_FAST_GROUPS * lanes->width;
    uint8_t *state = aligned_alloc(64, LENGTH * width);
    if (state == NULL) {
        fail("no memory");
    }
    lanes->transpose->to_lanes((const uint8_t *const *)rows, WORDS, LENGTH, width, state);
    tally_fast_lane_job job = {.tables = pool->lane_tables[TALLY_ENCRYPT],
                               .stride = stride,
                               .radix = radix,
                               .length = LENGTH,
                               .w = 5,
                               .w_prime = 4,
                               .indices = indices,
                               .count = LAYERS,
                               .groups = TALLY_FAST_GROUPS,
                               .state = state};
    lanes->run(TALLY_ENCRYPT, &job);
    job.tables = pool->lane_tables[TALLY_DECRYPT];
    lanes->run(TALLY_DECRYPT, &job);
    lanes->transpose->from_lanes(state, width, WORDS, LENGTH, rows);
    expect_secret(words, sizeof words);
    const uint8_t below = (uint8_t)(0 - lanes->transpose->words_to_lanes(words, WORDS, LENGTH,
                                                                         width, 0, radix, state));
    if (radix < 256) { /* else every byte is a symbol */
        expect_secret(&below, 1);
    }
    lanes->transpose->words_from_lanes(state, width, WORDS, LENGTH, 0, words);
    expect_secret(words, sizeof words);
    free(state);
    free(memory);
}

/* Card numbers: digits to symbols and back, with separators, kept digits and a check digit. */
static void check_text(void)
{
    enum { WIDTH = 6, VALUES = 64 };
    tally_shape shape = {.radix = 10};
    tally_translate_tables tables;
    tally_translate_layout layout = {
        .width = WIDTH,
        .role = {TALLY_TRANSLATE_KEPT, TALLY_TRANSLATE_FREE, TALLY_TRANSLATE_OTHER,
                 TALLY_TRANSLATE_FREE, TALLY_TRANSLATE_FREE, TALLY_TRANSLATE_CHECK},
        .code = {0, 0, 128 | TALLY_BYTE_KEPT, 0, 0, 0},
        .doubled = {0, 1, 0, 0, 1, 0},
        .luhn = 1,
    };
    for (uint8_t digit = 0; digit < 10; digit++) {
        uint8_t byte = (uint8_t)('0' + digit);
        shape.kind[byte] = TALLY_BYTE_SYMBOL;
        shape.symbol[byte] = digit;
        shape.letter[0][digit] = byte;
    }
    const tally_translate *translate = tally_translate_choose(tally_fast_lanes_choose());
    if (translate == NULL || !tally_translate_tables_init(&shape, &tables)) {
        fail("no translation to check");
    }
    static _Alignas(64) uint8_t text[WIDTH * VALUES], symbols[WIDTH * VALUES], bad[VALUES];
    memset(text, '1', sizeof text);
    make_secret(text, sizeof text);
    const tally_translate_job job = {&tables, &layout, VALUES, text, symbols, NULL, bad, 1};
    translate->read(&job);
    expect_secret(symbols, VALUES);
    translate->write(&job);
    expect_secret(text + VALUES, VALUES);
}

static void check(void)
{
    check_text();
    static const uint32_t radices[] = {4, 10, 16, 26, 32, 36, 62, 64, 95, 128, 200, 256};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        check_radix(radices[i]);
    }
    printf("checked: lanes\n");
}
