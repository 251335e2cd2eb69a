/* SPDX-License-Identifier: Apache-2.0
 *
 * See ff1_words.h. */
#include "fast/words/ff1_words.h"

#include <string.h>

enum {
    FF1_WORDS_BLOCK = 64, /* words that come from lanes together: a block of every transpose */
    FF1_WORDS_BYTES = FF1_WORDS_BLOCK * 64 /* of them */
};

void tally_ff1_words_pool(const tally_ff1 *ff1, uint32_t radix, tally_fast_pool *out)
{
    memset(out, 0, sizeof *out);
    out->profile = TALLY_FAST;
    out->radix = radix;
    out->lanes = tally_fast_lanes_choose();
    out->ff1 = ff1;
}

/* What can fail is to get memory for long words. */
static void ff1_words_note(tally_fast_cipher *cipher, tally_status status)
{
    if (status != TALLY_OK && cipher->status == TALLY_OK) {
        cipher->status = status;
    }
}

void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count)
{
    ff1_words_note(cipher, tally_ff1_run(cipher->pool->ff1, direction, params->length, tweaks,
                                         words, count, NULL));
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
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    uint8_t words[FF1_WORDS_BYTES];
    for (size_t first = 0; first < stride; first += FF1_WORDS_BLOCK) {
        const size_t left = stride - first, count = left < FF1_WORDS_BLOCK ? left : FF1_WORDS_BLOCK;
        uint8_t *const state = cipher->lane_state + first;
        transpose->words_from_lanes(state, stride, count, length, 0, words);
        /* Idle lanes have anything, of which only the symbols below the radix count. */
        for (size_t i = 0; i < count * length; i++) {
            words[i] &= (uint8_t)(0 - (words[i] < params->radix));
        }
        ff1_words_note(cipher, tally_ff1_words(cipher->pool->ff1, direction, (uint32_t)length,
                                               &tweaks, words, count, words));
        (void)transpose->words_to_lanes(words, count, length, stride, 0, 256, state);
    }
    tally_wipe(words, sizeof words);
}
