/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word. */
#ifndef TALLY_FAST_WORDS_LAYERS_H
#define TALLY_FAST_WORDS_LAYERS_H

#include "base/direction.h"
#include "fast/schedule/pool.h"

/* Applies layers first .. first + count - 1, whose S-boxes are indices[0 .. count), to a word of
 * length l >= 2, or undoes them, from the last to the first. The word does not rotate: symbol i
 * before layer k is word[(i + k) mod l]. After a whole number of rounds it is in order. */
void tally_fast_layers(const tally_fast_pool *pool, const tally_fast_params *params,
                       tally_direction direction, uint64_t first, const uint8_t *indices,
                       size_t count, uint8_t *word);

#endif
