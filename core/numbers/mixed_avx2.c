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
#define MIXED_HIGH(x, y) ((mixed_avx2_vec)mixed_avx2_high((__m256i)(x), y))

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
#undef MIXED_HIGH

const tally_mixed_lanes tally_mixed_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, mixed_avx2_write, mixed_avx2_read};

#else
typedef int tally_mixed_avx2_is_for_x86_64; /* a file may not be empty */
#endif
