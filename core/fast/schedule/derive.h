/* SPDX-License-Identifier: Apache-2.0
 *
 * Key derivation of FAST: derive(key, input) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_DERIVE_H
#define TALLY_FAST_SCHEDULE_DERIVE_H

#include "aes/cmac.h"
#include "fast/schedule/encoding.h"

/* derive(K, X): X is the encoding and then the bytes of its last part (NULL if there are none).
 * `prefix_cache` is that of earlier calls, or NULL. */
void tally_fast_derive(const tally_cmac_key *cmac, const tally_fast_encoding *head,
                       const uint8_t *last, size_t last_size, tally_cmac_prefix_cache *prefix_cache,
                       uint8_t out[32]);

#endif
