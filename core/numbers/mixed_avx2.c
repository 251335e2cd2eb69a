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
#define MIXED_ROWS       16
#define MIXED_CHAINS     2
#define MIXED_HIGH(x, y) ((mixed_avx2_vec)mixed_avx2_high((__m256i)(x), y))
#define MIXED_HALF_HIGH(x, y)                                                                      \
    ((mixed_avx2_halves)_mm256_mulhi_epu16((__m256i)(x), _mm256_set1_epi16((int16_t)(y))))
#define MIXED_BELOW(x, y)         ((mixed_avx2_vec)((x) < (y)))
#define MIXED_CONVERT(type, from) (from)
#define MIXED_HALF(x)             ((uint16_t)(x))

typedef uint16_t mixed_avx2_halves __attribute__((vector_size(32)));
typedef mixed_avx2_halves mixed_avx2_stored;
typedef uint32_t mixed_avx2_vec __attribute__((vector_size(32)));
typedef struct mixed_avx2_pack {
    mixed_avx2_vec of[MIXED_CHAINS];
} mixed_avx2_pack;

TALLY_INLINE MIXED_TARGET mixed_avx2_halves mixed_avx2_load(const uint8_t *from)
{
    return (mixed_avx2_halves)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_avx2_store(uint8_t *to, mixed_avx2_halves value)
{
    const __m256i bytes = _mm256_packus_epi16((__m256i)value, (__m256i)value);
    _mm_storeu_si128((__m128i_u *)to, _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 8)));
}

TALLY_INLINE MIXED_TARGET mixed_avx2_halves mixed_avx2_narrow(const mixed_avx2_pack *from)
{
    const __m256i packed = _mm256_packus_epi32((__m256i)from->of[0], (__m256i)from->of[1]);
    return (mixed_avx2_halves)_mm256_permute4x64_epi64(packed, 0xd8);
}

TALLY_INLINE MIXED_TARGET mixed_avx2_pack mixed_avx2_widen(mixed_avx2_halves from)
{
    const __m128i low = _mm256_castsi256_si128((__m256i)from),
                  high = _mm256_extracti128_si256((__m256i)from, 1);
    const mixed_avx2_pack wide = {
        {(mixed_avx2_vec)_mm256_cvtepu16_epi32(low), (mixed_avx2_vec)_mm256_cvtepu16_epi32(high)}};
    return wide;
}

TALLY_INLINE MIXED_TARGET __m256i mixed_avx2_high(__m256i x, uint32_t y)
{
    const __m256i by = _mm256_set1_epi64x((int64_t)y);
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, by), 32),
                  odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), by);
    return _mm256_blend_epi32(even, odd, 0xaa);
}

#include "numbers/mixed_limbs_body.h"

#include "numbers/mixed_body.h"

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_CHAINS
#undef MIXED_HIGH
#undef MIXED_HALF_HIGH
#undef MIXED_BELOW
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_LIMB_BITS

const tally_mixed_lanes tally_mixed_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, mixed_avx2_write, mixed_avx2_read};

#else
typedef int tally_mixed_avx2_is_for_x86_64; /* a file may not be empty */
#endif
