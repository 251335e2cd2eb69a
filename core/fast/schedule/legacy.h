/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the profile "bytes-legacy" that differ. */
#ifndef TALLY_FAST_SCHEDULE_LEGACY_H
#define TALLY_FAST_SCHEDULE_LEGACY_H

#include "fast/schedule/pool.h"
#include "fast/schedule/shuffle.h"
#include "fast/schedule/stream.h"

/* Derives the stream of the pool of the first go-fast, in which each S-box has a fixed position. */
void tally_fast_legacy_stream_init(const tally_cmac_key *cmac, tally_fast_stream *out);

/* Draws the targets of a batch of S-boxes, from `first` on. */
void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_shuffle_batch *out);

/* Runs the layers of a one-byte value: each is one look-up. */
void tally_fast_legacy_byte(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *indices, size_t count, uint8_t *word);

/* Encrypts or decrypts a two-byte value: eight rounds without a sequence. */
void tally_fast_legacy_pair(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *tweak, size_t tweak_size, uint8_t word[2]);

#endif
