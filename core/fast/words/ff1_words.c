/* SPDX-License-Identifier: Apache-2.0
 *
 * See ff1_words.h. */
#include "fast/words/ff1_words.h"

#include <string.h>

#include "ff1/ff3_1.h"

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

/* Notes the first error: a lack of memory for long words. */
static void ff1_words_note(tally_fast_cipher *cipher, tally_status status)
{
    if (status != TALLY_OK && cipher->status == TALLY_OK) {
        cipher->status = status;
    }
}

/* FF3-1 takes a tweak as a whole. Its size was checked by whoever took its parts. */
static tally_status ff1_words_decrypt_ff3_1(const tally_ff3_1 *cipher, uint32_t length,
                                            const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                            size_t count)
{
    const size_t common = tweaks->common_size;
    tally_status status = TALLY_OK;
    if (tweaks->rows == NULL || common == 0) {
        return tally_ff3_1_run(cipher, length, tweaks, words, count);
    }
    for (size_t first = 0, some; first < count && status == TALLY_OK; first += some) {
        uint8_t joined[FF1_WORDS_BLOCK][TALLY_FF3_1_TWEAK];
        const uint8_t *rows[FF1_WORDS_BLOCK];
        size_t sizes[FF1_WORDS_BLOCK];
        some = count - first < FF1_WORDS_BLOCK ? count - first : FF1_WORDS_BLOCK;
        for (size_t i = 0; i < some; i++) {
            const size_t own = tweaks->row_sizes[first + i];
            memcpy(joined[i], tweaks->common, common);
            if (own != 0) {
                memcpy(joined[i] + common, tweaks->rows[first + i], own);
            }
            rows[i] = joined[i];
            sizes[i] = common + own;
        }
        const tally_ff1_tweaks whole = {.rows = rows, .row_sizes = sizes};
        status = tally_ff3_1_run(cipher, length, &whole, words + first, some);
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
    const tally_status status = ff1_words_side_by_side(cipher->pool, direction, params->length,
                                                       tweak, tweak_size, words, count, out);
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
    if (cipher->pool->ff1 != NULL && stride % FF1_WORDS_BLOCK == 0 &&
        tally_ff1_run_lanes(cipher->pool->ff1, direction, (uint32_t)length, tweak, tweak_size,
                            cipher->lane_state, stride, stride)) {
        return;
    }
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
