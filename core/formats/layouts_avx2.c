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

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH

const tally_layout_lanes tally_layout_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, layouts_avx2_read, layouts_avx2_write};

#else
typedef int tally_layouts_avx2_is_for_x86_64; /* a file may not be empty */
#endif
