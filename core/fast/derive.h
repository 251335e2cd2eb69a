/* SPDX-License-Identifier: Apache-2.0
 *
 * Key derivation of FAST: encode(parts) and derive(key, input) of docs/fast.md. */
#ifndef TALLY_FAST_DERIVE_H
#define TALLY_FAST_DERIVE_H

#include "aes/cmac.h"

/* An injective encoding: the number of parts, then each part behind its length. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

void tally_fast_encode_begin(uint32_t parts, tally_fast_encoding *out);
void tally_fast_encode_text(const char *text, tally_fast_encoding *out);
void tally_fast_encode_number(uint32_t number, tally_fast_encoding *out);
/* The length of a last part; its bytes go to tally_fast_derive. */
void tally_fast_encode_last(size_t size, tally_fast_encoding *out);

/* derive(K, X), where X is the encoding followed by the bytes of its last part (NULL if 0). `trail`
 * is of the calls before, or NULL. */
void tally_fast_derive(const tally_cmac_key *cmac, const tally_fast_encoding *head,
                       const uint8_t *last, size_t last_size, tally_cmac_trail *trail,
                       uint8_t out[32]);

#endif
