/* SPDX-License-Identifier: Apache-2.0
 *
 * What the profile "bytes-legacy" has of its own. */
#ifndef TALLY_FAST_LEGACY_H
#define TALLY_FAST_LEGACY_H

#include "fast/pool.h"

/* Fills the plain S-boxes of the first go-fast: sboxes[256][256]. */
void tally_fast_legacy_sboxes(const tally_cmac_key *cmac, uint8_t *sboxes);

/* Layers of a one-byte value: each is one look-up. */
void tally_fast_legacy_byte(const tally_fast_pool *pool, int decrypt, const uint8_t *indices,
                            size_t count, uint8_t *word);

/* A two-byte value: eight rounds that know no sequence. */
void tally_fast_legacy_pair(const tally_fast_pool *pool, int decrypt, const uint8_t *tweak,
                            size_t tweak_size, uint8_t word[2]);

#endif
