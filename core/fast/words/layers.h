/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word. */
#ifndef TALLY_FAST_WORDS_LAYERS_H
#define TALLY_FAST_WORDS_LAYERS_H

#include "fast/schedule/pool.h"

/* Applies layers first .. first + count - 1, whose S-boxes are indices[0 .. count), to a word of
 * length l >= 2. The word does not rotate: symbol i before layer k is word[(i + k) mod l]. After a
 * whole number of rounds it is in order. */
void tally_fast_layers_forward(const tally_fast_pool *pool, const tally_fast_params *params,
                               uint64_t first, const uint8_t *indices, size_t count, uint8_t *word);

/* Undoes the same layers, from the last to the first. */
void tally_fast_layers_backward(const tally_fast_pool *pool, const tally_fast_params *params,
                                uint64_t first, const uint8_t *indices, size_t count,
                                uint8_t *word);

#endif
