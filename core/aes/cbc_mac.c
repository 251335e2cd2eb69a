/* SPDX-License-Identifier: Apache-2.0
 *
 * Key schedules one by one, and CBC-MAC over any back end's crypt_blocks: the lanes' chains are
 * the blocks of one call. */
#include "aes/backend.h"

#include <string.h>

void tally_aes_keys_init_singly(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i].backend->key_init(keys + key_size * i, key_size, &out[i]);
    }
}

void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16])
{
    for (size_t block = 0; block < blocks; block++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            uint64_t chain[2], message[2];
            memcpy(chain, chains[lane], 16);
            memcpy(message, messages[lane] + 16 * block, 16);
            chain[0] ^= message[0];
            chain[1] ^= message[1];
            memcpy(chains[lane], chain, 16);
        }
        key->backend->crypt_blocks(key, TALLY_ENCRYPT, chains[0], lanes, chains[0]);
    }
}
