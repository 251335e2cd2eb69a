/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences: which S-box of the pool each layer uses, for one set of parameters and one tweak. */
#ifndef TALLY_FAST_SCHEDULE_SEQUENCE_H
#define TALLY_FAST_SCHEDULE_SEQUENCE_H

#include "aes/cmac.h"
#include "fast/schedule/pool.h"
#include "fast/schedule/stream.h"

/* Derives the stream of a sequence; `prefix_cache` is that of earlier sequences, or NULL. */
void tally_fast_sequence_init(const tally_fast_pool *pool, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size,
                              tally_cmac_prefix_cache *prefix_cache, tally_fast_stream *out);

/* Reads the S-box indices of layers first .. first + count - 1; `first` is a multiple of 16. */
void tally_fast_sequence_read(tally_fast_profile profile, const tally_fast_stream *stream,
                              uint64_t first, size_t count, uint8_t *out);

#endif
