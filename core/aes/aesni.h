/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the files on AES-NI and VAES share. For x86-64 alone. */
#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

#include "aes/backend.h"

#include <string.h>
#include <tmmintrin.h>
#include <wmmintrin.h>

#define TALLY_AESNI_TARGET __attribute__((target("aes,ssse3")))
#define TALLY_AESNI_INLINE static inline __attribute__((always_inline)) TALLY_AESNI_TARGET

TALLY_AESNI_INLINE __m128i tally_aesni_load(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

TALLY_AESNI_INLINE void tally_aesni_store(__m128i block, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)(void *)out, block);
}

/* A part of a block, of 1 to 15 bytes. */
TALLY_AESNI_INLINE __m128i tally_aesni_load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    __m128i block = tally_aesni_load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

TALLY_AESNI_INLINE void tally_aesni_store_part(__m128i block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    tally_aesni_store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

/* Between a big-endian number of 128 bits in memory and one whose lower half comes first. */
TALLY_AESNI_INLINE __m128i tally_aesni_reverse(__m128i block)
{
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/* As in tally_aes_backend. */
void tally_aesni_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_aesni_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_aesni_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                              const uint8_t *in, size_t blocks, uint8_t *out);
void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                     uint8_t *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif
