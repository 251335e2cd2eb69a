/* SPDX-License-Identifier: Apache-2.0
 *
 * The first bytes of a vector with AVX2, which has no masks for bytes: by way of the stack, where
 * nothing stays, since they may be secret. */
#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "tallystick/base.h"

#define TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TAIL_INLINE

#endif
