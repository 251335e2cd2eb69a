/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores the first bytes of a vector. AVX2 has no byte masks, so they go through a buffer
 * on the stack. They may be secret, so the buffer is wiped. */
#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "tallystick/base.h"

#define TALLY_GF256_TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TALLY_GF256_TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TALLY_GF256_TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TALLY_GF256_TAIL_INLINE

#endif
