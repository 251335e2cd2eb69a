/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of layouts with AVX-512. */
#include "base/arch.h"
#include "formats/layouts_lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
/* Without optimization, gcc's intrinsics are macros that convert the sign of their masks. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
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

#define LAYOUTS_OWN_PHONE

#if defined(__clang__)
#define LAYOUTS_ANY_LANES __attribute__((no_sanitize("memory")))
#else
#define LAYOUTS_ANY_LANES
#endif

/* Sixteen numbers are followed at once through the nodes of their plan. Lanes behind the last row
 * hold anything: their digits are bounded as well, and their results are not read. */
LAYOUTS_TARGET LAYOUTS_ANY_LANES static void layouts_avx512_check_phone(const tally_layout *layout,
                                                                        const uint8_t *text,
                                                                        size_t row,
                                                                        tally_layout_checks *out)
{
    const __m512i zero = _mm512_set1_epi32('0'), most = _mm512_set1_epi32(9);
    for (size_t i = row; i < row + LAYOUTS_LANES; i += 16) {
        __m512i node = _mm512_set1_epi32(layout->root);
        __mmask16 zeros = UINT16_MAX; /* none begins with 00, behind which a calling code comes */
        for (size_t p = 0; p < TALLY_PHONE_DEPTH; p++) {
            const uint8_t *from = text + p * TALLY_LAYOUT_ROWS + i;
            const __m512i c = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)from));
            const __m512i digit = _mm512_min_epu32(_mm512_sub_epi32(c, zero), most);
            if (p < 2) {
                zeros &= _mm512_cmpeq_epi32_mask(c, zero);
            }
            node = _mm512_i32gather_epi32(_mm512_add_epi32(node, digit), tally_phone_nodes, 2);
            node = _mm512_and_si512(node, _mm512_set1_epi32(0xffff));
        }
        const __mmask16 inside = _mm512_test_epi32_mask(node, node),
                        wanted = layout->in_plan != 0 ? UINT16_MAX : 0;
        _mm_storeu_si128((__m128i_u *)(out->invalid + i),
                         _mm_maskz_set1_epi8((__mmask16)((inside ^ wanted) | zeros), 1));
    }
}

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW
#undef LAYOUTS_OWN_PHONE

const tally_layout_lanes tally_layout_avx512 = {{"avx512", TALLY_CPU_AVX512},
                                                layouts_avx512_read,
                                                layouts_avx512_exclude,
                                                layouts_avx512_write};

#define LAYOUTS_AVX512_PACK                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")))

LAYOUTS_AVX512_PACK static void layouts_avx512_pack(uint64_t chosen, const uint8_t *from,
                                                    uint8_t *to)
{
    const __m512i packed =
        _mm512_maskz_compress_epi8(chosen, _mm512_maskz_loadu_epi8(chosen, from));
    const int count = __builtin_popcountll(chosen);
    _mm512_mask_storeu_epi8(to, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1, packed);
}

LAYOUTS_AVX512_PACK static void layouts_avx512_pack_rows(uint64_t chosen, const uint16_t *from,
                                                         uint16_t *to)
{
    const __mmask32 low = (__mmask32)chosen, high = (__mmask32)(chosen >> 32);
    const __m512i one = _mm512_maskz_compress_epi16(low, _mm512_maskz_loadu_epi16(low, from)),
                  two =
                      _mm512_maskz_compress_epi16(high, _mm512_maskz_loadu_epi16(high, from + 32));
    const int first = __builtin_popcount(low), second = __builtin_popcount(high);
    _mm512_mask_storeu_epi16(to, (__mmask32)((UINT64_C(1) << first) - 1), one);
    _mm512_mask_storeu_epi16(to + first, (__mmask32)((UINT64_C(1) << second) - 1), two);
}

const tally_layout_packing tally_layout_packing_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2}, layouts_avx512_pack, layouts_avx512_pack_rows};

#else
typedef int tally_layouts_avx512_is_for_x86_64; /* a file may not be empty */
#endif
