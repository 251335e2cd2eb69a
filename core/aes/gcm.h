/* SPDX-License-Identifier: Apache-2.0
 *
 * AES in Galois/counter mode (SP 800-38D) with nonces of 12 bytes, for short messages such as
 * wrapped keys: multiplication takes a bit at a time, without a table, so that no branch and no
 * address depends on key or data. */
#ifndef TALLY_AES_GCM_H
#define TALLY_AES_GCM_H

#include "tallystick/aes.h"

enum { TALLY_GCM_NONCE = 12, TALLY_GCM_TAG = 16 };

/* Encrypts `size` bytes (NULL if 0) and authenticates them with `associated` (NULL if its size is
 * 0). A nonce must not be used twice with a key. `out` may equal `in`; other overlaps are not
 * allowed. `size` is below 2^36 - 32 bytes. */
void tally_gcm_seal(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *in, size_t size, uint8_t *out,
                    uint8_t tag[16]);

/* Verifies and decrypts. Returns 1, or 0 if the tag is wrong: then `out` is not written. */
TALLY_MUST_CHECK int tally_gcm_open(const tally_aes_key *key, const uint8_t nonce[12],
                                    const uint8_t *associated, size_t associated_size,
                                    const uint8_t *in, size_t size, const uint8_t tag[16],
                                    uint8_t *out);

#endif
