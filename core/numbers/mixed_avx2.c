/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix with AVX2. */
#include "base/arch.h"
#include "numbers/mixed.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define MIXED(name)      mixed_avx2_##name
#define MIXED_TARGET     __attribute__((target("avx2")))
#define MIXED_LANES      8
#define MIXED_CHAINS     2
#define MIXED_HIGH(x, y) ((mixed_avx2_vec)mixed_avx2_high((__m256i)(x), y))

typedef uint32_t mixed_avx2_vec __attribute__((vector_size(32)));

TALLY_INLINE MIXED_TARGET mixed_avx2_vec mixed_avx2_load(const uint8_t *from)
{
    return (mixed_avx2_vec)_mm256_cvtepu8_epi32(_mm_loadu_si64(from));
}

TALLY_INLINE MIXED_TARGET mixed_avx2_vec mixed_avx2_load_digit(const uint16_t *from)
{
    return (mixed_avx2_vec)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)from));
}

TALLY_INLINE MIXED_TARGET __m128i mixed_avx2_narrow(mixed_avx2_vec value)
{
    const __m256i halves = _mm256_packus_epi32((__m256i)value, (__m256i)value);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 8));
}

TALLY_INLINE MIXED_TARGET void mixed_avx2_store_digit(uint16_t *to, mixed_avx2_vec value)
{
    _mm_storeu_si128((__m128i_u *)to, mixed_avx2_narrow(value));
}

TALLY_INLINE MIXED_TARGET void mixed_avx2_store(uint8_t *to, mixed_avx2_vec value)
{
    const __m128i halves = mixed_avx2_narrow(value);
    _mm_storeu_si64(to, _mm_packus_epi16(halves, halves));
}

TALLY_INLINE MIXED_TARGET __m256i mixed_avx2_high(__m256i x, uint32_t y)
{
    const __m256i by = _mm256_set1_epi64x((int64_t)y);
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, by), 32),
                  odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), by);
    return _mm256_blend_epi32(even, odd, 0xaa);
}

#include "numbers/mixed_body.h"

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_LANES
#undef MIXED_CHAINS
#undef MIXED_HIGH

const tally_mixed_lanes tally_mixed_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, mixed_avx2_write, mixed_avx2_read};

#else
typedef int tally_mixed_avx2_is_for_x86_64; /* a file may not be empty */
#endif
