/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the bit-sliced back ends share: the key schedule, and the functions on 64-bit
 * words, which process few blocks for all of them. */
#ifndef TALLY_AES_BITSLICE_H
#define TALLY_AES_BITSLICE_H

#include "aes/backend.h"
#include "base/arch.h"

void tally_bitslice_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_bitslice_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_bitslice_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_bitslice_keys_init(const uint8_t *keys, size_t key_size, size_t count,
                              tally_aes_key *out);
void tally_bitslice_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                                 const uint8_t *in, size_t blocks, uint8_t *out);
void tally_bitslice_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                        size_t size, uint8_t *out);

#if defined(TALLY_ARCH_X86_64)
enum { TALLY_BITSLICE_ROWS = 32 /* blocks of a group of bitslice_rows_sse2.c */ };

void tally_bitslice_rows_encrypt(const tally_aes_key *key, const uint8_t *in, size_t groups,
                                 uint8_t *out);
void tally_bitslice_rows_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                             size_t groups, uint8_t *out);
#endif

#endif
