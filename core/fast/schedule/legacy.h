/* SPDX-License-Identifier: Apache-2.0
 *
 * What the profile "bytes-legacy" has of its own. */
#ifndef TALLY_FAST_SCHEDULE_LEGACY_H
#define TALLY_FAST_SCHEDULE_LEGACY_H

#include "fast/schedule/pool.h"
#include "fast/schedule/shuffle.h"
#include "fast/schedule/stream.h"

/* The stream of the pool of the first go-fast, in which each S-box has a place of its own. */
void tally_fast_legacy_open(const tally_cmac_key *cmac, tally_fast_stream *out);

/* The targets of S-boxes `first` and those after it, a batch. */
void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_batch *out);

/* Layers of a one-byte value: each is one look-up. */
void tally_fast_legacy_byte(const tally_fast_pool *pool, int decrypt, const uint8_t *indices,
                            size_t count, uint8_t *word);

/* A two-byte value: eight rounds that know no sequence. */
void tally_fast_legacy_pair(const tally_fast_pool *pool, int decrypt, const uint8_t *tweak,
                            size_t tweak_size, uint8_t word[2]);

#endif
