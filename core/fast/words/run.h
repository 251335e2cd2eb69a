/* SPDX-License-Identifier: Apache-2.0
 *
 * Words through all their layers, in place: wherever they lie, or on lanes in the cipher's ring. */
#ifndef TALLY_FAST_WORDS_RUN_H
#define TALLY_FAST_WORDS_RUN_H

#include "fast/words/cipher.h"

/* The engine for groups of so many words: the pool's, or the portable one if they are too few. */
const tally_fast_lanes *tally_fast_engine_for(const tally_fast_pool *pool, size_t words);

/* The groups of lanes for `count` words of a length: as few as hold them, or as the ring has room
 * for. */
size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count);

/* Encrypts or decrypts words in place, wherever they lie; params are of the pool, symbols below its
 * radix. */
void tally_fast_run_rows(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                         const uint8_t *tweak, size_t tweak_size, uint8_t *const *rows,
                         size_t count);

/* Memory that is worked on next: layers leave the way to it idle. */
typedef struct tally_fast_ahead {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_ahead;

/* The same for words in the cipher's ring, as many as its groups have lanes or fewer. Meanwhile what
 * lies ahead, if that is not NULL, is brought near. */
void tally_fast_run_ring(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                         const uint8_t *tweak, size_t tweak_size, size_t groups,
                         const tally_fast_ahead *ahead);

/* The same on an engine of tally_fast_engine_for, under cipher->sequences[g] for group g of
 * TALLY_FAST_GROUPS, or under the first one for a single group. */
void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *engine,
                           const tally_fast_params *params, int decrypt, size_t groups);

#endif
