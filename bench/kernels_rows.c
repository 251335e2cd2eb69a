/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in memory: words in place, one word a call, and a column of text, in place too. */
#include <stdlib.h>
#include <string.h>

#include "columns/columns.h"
#include "kernels.h"

static const uint8_t tweak[TWEAK_SIZE] = "kernels";

static void run_words(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                      uint8_t *words, uint64_t count)
{
    must(decrypt
             ? tally_fast_decrypt_words(cipher, params, tweak, sizeof tweak, words, count, words)
             : tally_fast_encrypt_words(cipher, params, tweak, sizeof tweak, words, count, words));
}

void work_words(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                uint64_t count)
{
    run_words(x->cipher, params, decrypt, data->words, count);
}

void work_one_word(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                   uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        run_words(x->single, params, decrypt, data->words + i * params->length, 1);
    }
}

/* A shape in which every symbol has one letter, and no other byte is allowed. */
static tally_shape shape_of(const rows *data)
{
    tally_shape shape = {
        .radix = data->radix, .min_symbols = 2, .max_symbols = MAX_LENGTH, .small_symbols = 2};
    for (uint32_t symbol = 0; symbol < data->radix; symbol++) {
        uint8_t letter = (uint8_t)(data->base + symbol);
        shape.kind[letter] = TALLY_BYTE_SYMBOL;
        shape.symbol[letter] = (uint8_t)symbol;
        shape.letter[0][symbol] = shape.letter[1][symbol] = letter;
    }
    return shape;
}

static void run_shape(instance *x, const rows *data, int decrypt, const tally_shape *shape,
                      const tally_strings *row_tweaks, uint64_t count, uint8_t *text)
{
    tally_strings column = {
        .offsets = data->offsets, .offset_size = 4, .values = text, .rows = count};
    tally_column_report report;
    must(tally_fast_column(x->cipher, x->workspace, (tally_direction)(decrypt != 0), shape, &column,
                           tweak, sizeof tweak, row_tweaks, text, data->status, &report));
    if (report.rows[TALLY_ROW_OK] != count) {
        fail("a row of a column does not fit");
    }
}

static void run_column(instance *x, const rows *data, int decrypt, const tally_strings *row_tweaks,
                       uint64_t count, uint8_t *text)
{
    const tally_shape shape = shape_of(data);
    run_shape(x, data, decrypt, &shape, row_tweaks, count, text);
}

void work_column(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                 uint64_t count)
{
    (void)params;
    run_column(x, data, decrypt, NULL, count, data->text);
}

void work_tweaks(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                 uint64_t count)
{
    (void)params;
    tally_strings row_tweaks = {
        .offsets = data->tweak_offsets, .offset_size = 4, .values = data->tweaks, .rows = count};
    if (count > data->tweak_count) {
        fail("too few tweaks");
    }
    run_column(x, data, decrypt, &row_tweaks, count, data->text);
}

void work_kept(instance *x, rows *data, const tally_fast_params *params, int decrypt,
               uint64_t count)
{
    (void)params;
    tally_shape shape = shape_of(data);
    shape.keep_last = 4;
    shape.tweak_kept = 1;
    run_shape(x, data, decrypt, &shape, NULL, count, data->text);
}

void check_words(instance *x, const rows *data, const tally_fast_params *params)
{
    const size_t length = params->length, size = CHECKED * length;
    uint8_t *many = allocate(size), *one = allocate(size);
    memcpy(many, data->words, size);
    memcpy(one, data->words, size);
    run_words(x->cipher, params, 0, many, CHECKED);
    for (size_t k = 0; k < CHECKED; k++) {
        run_words(x->single, params, 0, one + k * length, 1);
    }
    if (memcmp(many, one, size) != 0 || memcmp(many, data->words, size) == 0) {
        fail("many words together are not what each is by itself");
    }
    run_words(x->cipher, params, 1, many, CHECKED);
    if (memcmp(many, data->words, size) != 0) {
        fail("decryption of words does not undo encryption");
    }
    free(many);
    free(one);
}

/* Rows with and without tweaks of their own, beside words one by one under the same tweak. */
void check_column(instance *x, const rows *data, const tally_fast_params *params)
{
    const size_t length = params->length, size = CHECKED * length;
    uint8_t *text = allocate(size), *word = allocate(length);
    uint8_t whole[2 * TWEAK_SIZE];
    tally_strings row_tweaks = {
        .offsets = data->tweak_offsets, .offset_size = 4, .values = data->tweaks, .rows = CHECKED};
    memcpy(whole, tweak, TWEAK_SIZE);
    for (int own = 0; own < 2; own++) {
        const tally_strings *tweaks = own ? &row_tweaks : NULL;
        memcpy(text, data->text, size);
        run_column(x, data, 0, tweaks, CHECKED, text);
        for (size_t k = 0; k < CHECKED; k++) {
            memcpy(word, data->words + k * length, length);
            memcpy(whole + TWEAK_SIZE, data->tweaks + k * TWEAK_SIZE, TWEAK_SIZE);
            must(tally_fast_encrypt_words(x->single, params, whole,
                                          own ? 2 * TWEAK_SIZE : TWEAK_SIZE, word, 1, word));
            for (size_t p = 0; p < length; p++) {
                if (text[k * length + p] != (uint8_t)(data->base + word[p])) {
                    fail("a column's rows are not what each word is by itself");
                }
            }
        }
        run_column(x, data, 1, tweaks, CHECKED, text);
        if (memcmp(text, data->text, size) != 0) {
            fail("decryption of a column does not undo encryption");
        }
    }
    free(text);
    free(word);
}
