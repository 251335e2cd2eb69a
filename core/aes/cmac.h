/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

#include "tallystick/aes.h"

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The way through the pair of messages before: what the next pair begins with as well is not gone
 * through again. Of one key; begun with blocks = 0, and wiped by whoever owns it. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                            /* that were gone through: all but the last */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE]; /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. With a prefix_cache (else NULL) they
 * differ in their first block alone, as all pairs of that prefix_cache do in the same way, and have at most
 * TALLY_CMAC_PREFIX_CACHE bytes. How many blocks are known already shows in the time: they are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *prefix_cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as tally_cmac_many, of 16 + size bytes: heads[i], then
 * messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

#endif
