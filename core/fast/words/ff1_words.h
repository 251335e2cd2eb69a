/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 in the place of FAST: the functions on words, columns and ranges are the same, and what they
 * run is the other cipher. */
#ifndef TALLY_FAST_WORDS_FF1_WORDS_H
#define TALLY_FAST_WORDS_FF1_WORDS_H

#include "fast/words/cipher.h"
#include "ff1/ff1.h"

/* Makes a pool of a radix from 4..256 whose words go through one of the two, which is of that radix
 * and must live as long; the other is NULL. Its ciphers cache no sequences. Under FF3-1 words are
 * decrypted alone. */
void tally_ff1_words_pool(const tally_ff1 *ff1, const tally_ff3_1 *ff3_1, uint32_t radix,
                          tally_fast_pool *out);

/* As the functions of run.h, for a cipher of such a pool; and for words with a tweak each. */
void tally_ff1_words_run(tally_fast_cipher *cipher, const tally_fast_params *params,
                         tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                         uint8_t *const *words, size_t count);
void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count);
size_t tally_ff1_words_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                    tally_direction direction, const uint8_t *tweak,
                                    size_t tweak_size, const uint8_t *words, size_t count,
                                    uint8_t *out);
void tally_ff1_words_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                           tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                           size_t groups);

/* Whether words of one tweak run on lanes as they are, by 64; else _lanes takes them off, so that it is
 * faster not to put them there. */
static inline int tally_ff1_words_like_lanes(const tally_fast_pool *pool, size_t length)
{
    return pool->ff1 != NULL && tally_ff1_takes_lanes(pool->ff1, (uint32_t)length);
}

#endif
