/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix with AVX-512. */
#include "base/arch.h"
#include "numbers/mixed.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define MIXED(name)      mixed_avx512_##name
#define MIXED_TARGET     __attribute__((target("avx512f,avx512bw,avx512vl")))
#define MIXED_LANES      16
#define MIXED_CHAINS     2
#define MIXED_HIGH(x, y) ((mixed_avx512_vec)mixed_avx512_high((__m512i)(x), y))

typedef uint32_t mixed_avx512_vec __attribute__((vector_size(64)));

TALLY_INLINE MIXED_TARGET mixed_avx512_vec mixed_avx512_load(const uint8_t *from)
{
    return (mixed_avx512_vec)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_avx512_store(uint8_t *to, mixed_avx512_vec value)
{
    _mm_storeu_si128((__m128i_u *)to, _mm512_cvtepi32_epi8((__m512i)value));
}

TALLY_INLINE MIXED_TARGET mixed_avx512_vec mixed_avx512_load_digit(const uint16_t *from)
{
    return (mixed_avx512_vec)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_avx512_store_digit(uint16_t *to, mixed_avx512_vec value)
{
    _mm256_storeu_si256((__m256i_u *)to, _mm512_cvtepi32_epi16((__m512i)value));
}

TALLY_INLINE MIXED_TARGET __m512i mixed_avx512_high(__m512i x, uint32_t y)
{
    const __m512i by = _mm512_set1_epi64((int64_t)y);
    const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, by), 32),
                  odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), by);
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}

#include "numbers/mixed_body.h"

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_LANES
#undef MIXED_CHAINS
#undef MIXED_HIGH

const tally_mixed_lanes tally_mixed_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, mixed_avx512_write, mixed_avx512_read};

#else
typedef int tally_mixed_avx512_is_for_x86_64; /* a file may not be empty */
#endif
