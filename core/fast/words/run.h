/* SPDX-License-Identifier: Apache-2.0
 *
 * Words through all their layers, in place: in rows anywhere, or on lanes in the cipher's
 * lane_state. */
#ifndef TALLY_FAST_WORDS_RUN_H
#define TALLY_FAST_WORDS_RUN_H

#include "fast/words/cipher.h"

/* The back end for so many words: the pool's, or the portable one if they are too few. */
const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words);

/* The groups of lanes for `count` words of a length: as few as hold them, and no more than fit into
 * lane_state. */
size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count);

/* Encrypts or decrypts words[0 .. count) in place; params are of the pool, symbols below its
 * radix. */
void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count);

/* The same for words side by side, from `words` to `out`, which may be equal; not for words of two
 * bytes of the legacy profile. Returns how many words were done: all, or those before a batch in
 * which a symbol is not below the radix. Of that batch and those behind it nothing is written. */
size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out);

/* The same for words in the cipher's lane_state, at most as many as the groups have lanes. `next`
 * may be NULL. */
void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next);

/* The same on a back end of tally_fast_lanes_for, under cipher->sequences[g] for group g of
 * TALLY_FAST_GROUPS, or under the first one for a single group. */
void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups);

#endif
