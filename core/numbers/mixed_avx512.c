/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix with AVX-512. */
#include "base/arch.h"
#include "numbers/mixed.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define MIXED(name)       mixed_avx512_##name
#define MIXED_TARGET      __attribute__((target("avx512f,avx512bw,avx512vl")))
#define MIXED_CHAINS      2
#define MIXED_HIGH(x, y)  ((mixed_avx512_vec)mixed_avx512_high((__m512i)(x), y))
#define MIXED_BELOW(x, y) ((mixed_avx512_vec)((x) < (y)))

#include "numbers/mixed_halves_avx512_body.h"

typedef uint32_t mixed_avx512_vec __attribute__((vector_size(64)));
typedef struct mixed_avx512_pack {
    mixed_avx512_vec of[MIXED_CHAINS];
} mixed_avx512_pack;

TALLY_INLINE MIXED_TARGET mixed_avx512_halves mixed_avx512_narrow(const mixed_avx512_pack *from)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i packed = _mm512_packus_epi32((__m512i)from->of[0], (__m512i)from->of[1]);
    return (mixed_avx512_halves)_mm512_permutexvar_epi64(order, packed);
}

TALLY_INLINE MIXED_TARGET mixed_avx512_pack mixed_avx512_widen(mixed_avx512_halves from)
{
    const __m256i low = _mm512_castsi512_si256((__m512i)from),
                  high = _mm512_extracti64x4_epi64((__m512i)from, 1);
    const mixed_avx512_pack wide = {{(mixed_avx512_vec)_mm512_cvtepu16_epi32(low),
                                     (mixed_avx512_vec)_mm512_cvtepu16_epi32(high)}};
    return wide;
}

TALLY_INLINE MIXED_TARGET __m512i mixed_avx512_high(__m512i x, uint32_t y)
{
    const __m512i by = _mm512_set1_epi64((int64_t)y);
    const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, by), 32),
                  odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), by);
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
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

const tally_mixed_lanes tally_mixed_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, mixed_avx512_write, mixed_avx512_read};

#else
typedef int tally_mixed_avx512_is_for_x86_64; /* a file may not be empty */
#endif
