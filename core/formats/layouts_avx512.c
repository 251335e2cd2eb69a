/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of layouts with AVX-512. */
#include "base/arch.h"
#include "formats/layouts_lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define LAYOUTS(name)  layouts_avx512_##name
#define LAYOUTS_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define LAYOUTS_LANES  32
#define LAYOUTS_HIGH(x, y)                                                                         \
    ((layouts_avx512_vec)_mm512_mulhi_epu16((__m512i)(x), _mm512_set1_epi16((int16_t)(y))))

#define LAYOUTS_BELOW(x, y) ((layouts_avx512_bytes)((x) < (y)))

typedef uint16_t layouts_avx512_vec __attribute__((vector_size(64)));
typedef uint8_t layouts_avx512_bytes __attribute__((vector_size(32)));

TALLY_INLINE LAYOUTS_TARGET layouts_avx512_vec layouts_avx512_widen(layouts_avx512_bytes bytes)
{
    return (layouts_avx512_vec)_mm512_cvtepu8_epi16((__m256i)bytes);
}

TALLY_INLINE LAYOUTS_TARGET layouts_avx512_bytes layouts_avx512_narrow(layouts_avx512_vec wide)
{
    return (layouts_avx512_bytes)_mm512_cvtepi16_epi8((__m512i)wide);
}

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW

const tally_layout_lanes tally_layout_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, layouts_avx512_read, layouts_avx512_write};

#else
typedef int tally_layouts_avx512_is_for_x86_64; /* a file may not be empty */
#endif
