/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of layouts with AVX2. */
#include "base/arch.h"
#include "formats/layouts_lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define LAYOUTS(name)  layouts_avx2_##name
#define LAYOUTS_TARGET __attribute__((target("avx2")))
#define LAYOUTS_LANES  16
#define LAYOUTS_HIGH(x, y)                                                                         \
    ((layouts_avx2_vec)_mm256_mulhi_epu16((__m256i)(x), _mm256_set1_epi16((int16_t)(y))))

#define LAYOUTS_BELOW(x, y) ((layouts_avx2_bytes)((x) < (y)))

typedef uint16_t layouts_avx2_vec __attribute__((vector_size(32)));
typedef uint8_t layouts_avx2_bytes __attribute__((vector_size(16)));

TALLY_INLINE LAYOUTS_TARGET layouts_avx2_vec layouts_avx2_widen(layouts_avx2_bytes bytes)
{
    return (layouts_avx2_vec)_mm256_cvtepu8_epi16((__m128i)bytes);
}

TALLY_INLINE LAYOUTS_TARGET layouts_avx2_bytes layouts_avx2_narrow(layouts_avx2_vec wide)
{
    const __m256i low = (__m256i)(wide & 0xff);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, low), 8);
    return (layouts_avx2_bytes)_mm256_castsi256_si128(bytes);
}

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW

const tally_layout_lanes tally_layout_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, layouts_avx2_read, layouts_avx2_exclude, layouts_avx2_write};

#else
typedef int tally_layouts_avx2_is_for_x86_64; /* a file may not be empty */
#endif
