/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

#include "tallystick/aes.h"

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The chains of the previous pair of messages after each block. A pair with the same first blocks
 * continues from there. For one key; set `blocks` to 0 at first, and wipe it at the end. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                                       /* cached: all but the last one */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE];            /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. `cache` may be NULL. With a
 * cache, the messages have at most TALLY_CMAC_PREFIX_CACHE bytes and differ in their first block
 * alone, and all pairs of the cache have the same difference. The time depends on the number of
 * cached blocks, which are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as in tally_cmac_many, of 16 + size bytes: heads[i],
 * then messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

/* Continues the chains of `count` messages by `blocks` blocks of each; a chain is zero at first. */
void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16]);

/* Ends them: the last `size` bytes of each message, at least one. The chains become tags. */
void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16]);

#endif
