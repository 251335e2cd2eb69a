/* SPDX-License-Identifier: Apache-2.0
 *
 * See ff1_words.h. */
#include "fast/words/ff1_words.h"

#include <string.h>

enum {
    FF1_WORDS_BLOCK = 64, /* words that come from lanes together: a block of every transpose */
    FF1_WORDS_BYTES = FF1_WORDS_BLOCK * 64 /* of them */
};

void tally_ff1_words_pool(const tally_ff1 *ff1, const tally_ff3_1 *ff3_1, uint32_t radix,
                          tally_fast_pool *out)
{
    memset(out, 0, sizeof *out);
    out->profile = TALLY_FAST;
    out->radix = radix;
    out->lanes = tally_fast_lanes_choose();
    out->ff1 = ff1;
    out->ff3_1 = ff3_1;
}

/* What can fail is to get memory for long words. */
static void ff1_words_note(tally_fast_cipher *cipher, tally_status status)
{
    if (status != TALLY_OK && cipher->status == TALLY_OK) {
        cipher->status = status;
    }
}

/* The tweak of FF3-1 for a word. Its size was checked by whoever took it. */
static void ff1_words_tweak(const tally_ff1_tweaks *tweaks, size_t word,
                            uint8_t out[TALLY_FF3_1_TWEAK])
{
    memset(out, 0, TALLY_FF3_1_TWEAK);
    if (tweaks->common_size != 0) {
        memcpy(out, tweaks->common, tweaks->common_size);
    }
    if (tweaks->rows != NULL && tweaks->row_sizes[word] != 0) {
        memcpy(out + tweaks->common_size, tweaks->rows[word], tweaks->row_sizes[word]);
    }
}

/* FF3-1 is for reading alone, so it takes words one by one. */
static tally_status ff1_words_decrypt_ff3_1(const tally_ff3_1 *cipher, size_t length,
                                            const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                            size_t count)
{
    tally_status status = TALLY_OK;
    for (size_t i = 0; i < count && status == TALLY_OK; i++) {
        uint8_t tweak[TALLY_FF3_1_TWEAK];
        ff1_words_tweak(tweaks, i, tweak);
        status = tally_ff3_1_decrypt_words(cipher, (uint32_t)length, tweak, sizeof tweak, words[i],
                                           1, words[i]);
    }
    return status;
}

void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    ff1_words_note(
        cipher,
        pool->ff3_1 != NULL
            ? ff1_words_decrypt_ff3_1(pool->ff3_1, params->length, tweaks, words, count)
            : tally_ff1_run(pool->ff1, direction, params->length, tweaks, words, count, NULL));
}

/* Words side by side, under one tweak. */
static tally_status ff1_words_side_by_side(const tally_fast_pool *pool, tally_direction direction,
                                           size_t length, const uint8_t *tweak, size_t tweak_size,
                                           const uint8_t *words, size_t count, uint8_t *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return pool->ff3_1 != NULL ? tally_ff3_1_decrypt_words(pool->ff3_1, (uint32_t)length, tweak,
                                                           tweak_size, words, count, out)
                               : tally_ff1_words(pool->ff1, direction, (uint32_t)length, &tweaks,
                                                 words, count, out);
}

void tally_ff1_words_run(tally_fast_cipher *cipher, const tally_fast_params *params,
                         tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                         uint8_t *const *words, size_t count)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    tally_ff1_words_tweaks(cipher, params, direction, &tweaks, words, count);
}

size_t tally_ff1_words_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                    tally_direction direction, const uint8_t *tweak,
                                    size_t tweak_size, const uint8_t *words, size_t count,
                                    uint8_t *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    const tally_status status =
        tally_ff1_words(cipher->pool->ff1, direction, params->length, &tweaks, words, count, out);
    if (status == TALLY_ERROR_FF1_SYMBOL) {
        return 0;
    }
    ff1_words_note(cipher, status);
    return count;
}

void tally_ff1_words_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                           tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                           size_t groups)
{
    const tally_fast_lanes *lanes = cipher->pool->lanes;
    const tally_transpose *transpose = lanes->transpose;
    const size_t length = params->length, stride = groups * lanes->width;
    uint8_t words[FF1_WORDS_BYTES];
    for (size_t first = 0; first < stride; first += FF1_WORDS_BLOCK) {
        const size_t left = stride - first, count = left < FF1_WORDS_BLOCK ? left : FF1_WORDS_BLOCK;
        uint8_t *const state = cipher->lane_state + first;
        transpose->words_from_lanes(state, stride, count, length, 0, words);
        /* Idle lanes have anything, of which only the symbols below the radix count. */
        for (size_t i = 0; i < count * length; i++) {
            words[i] &= (uint8_t)(0 - (words[i] < params->radix));
        }
        ff1_words_note(cipher, ff1_words_side_by_side(cipher->pool, direction, length, tweak,
                                                      tweak_size, words, count, words));
        (void)transpose->words_to_lanes(words, count, length, stride, 0, 256, state);
    }
    tally_wipe(words, sizeof words);
}
