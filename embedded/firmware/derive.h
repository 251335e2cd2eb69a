/* SPDX-License-Identifier: Apache-2.0
 *
 * derive(K, X) of docs/reference/fast.md, that is CMAC (RFC 4493), on shares: key, chains, subkeys
 * and results are never put together. */
#ifndef TALLY_FIRMWARE_DERIVE_H
#define TALLY_FIRMWARE_DERIVE_H

#include "fast/schedule/encoding.h"
#include "tallystick/masked_aes.h"

/* Two blocks, given by two shares: the halves of the derived bytes, an AES-128 key and an IV. */
typedef struct shared_blocks {
    uint32_t share[2][8];
} shared_blocks;

/* X is the encoding followed by the bytes of the tweak (NULL if 0). The key has words of 32 bits.
 * Errors are those of the source; then `out` is zeroed. */
tally_status derive_shares(const tally_masked_key *key, const tally_mask_source *source,
                           const tally_fast_encoding *head, const uint8_t *tweak, size_t tweak_size,
                           shared_blocks *out);

#endif
