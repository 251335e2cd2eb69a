/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of a constant size, for use inside the core: these functions cannot fail. */
#ifndef TALLY_AES_KEY_H
#define TALLY_AES_KEY_H

#include "tallystick/aes.h"

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out);
void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out);
void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out);

#endif
