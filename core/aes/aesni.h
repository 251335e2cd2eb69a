/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files on AES-NI share. Included only where TALLY_ARCH_X86_64 is defined. */
#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

#include "aes/backend.h"

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

/* As in the table of a back end. */
void tally_aesni_set_key(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif
