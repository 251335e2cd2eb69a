/* SPDX-License-Identifier: Apache-2.0
 *
 * CBC-MAC over any back end's encrypt_blocks: the lanes' chains are the blocks of one call. */
#include "aes/backend.h"

void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16])
{
    for (size_t block = 0; block < blocks; block++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            for (size_t i = 0; i < 16; i++) {
                chains[lane][i] ^= messages[lane][16 * block + i];
            }
        }
        key->backend->encrypt_blocks(key, chains[0], lanes, chains[0]);
    }
}
