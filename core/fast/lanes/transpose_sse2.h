/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of 16 rows and 8 positions with SSE2, which every 64-bit x86 has. Three perfect shuffles
 * of eight registers transpose a block. Only transpose.c includes this file. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_SSE2_H
#define TALLY_FAST_LANES_TRANSPOSE_SSE2_H

#include <emmintrin.h>

#include "base/unroll.h"

/* Interleaves eight registers: of registers i and i + 4 it makes 2i and 2i + 1. */
#define TRANSPOSE_INTERLEAVE(kind, in, out)                                                        \
    TALLY_UNROLL(16)                                                                               \
    for (int i = 0; i < 4; i++) {                                                                  \
        out[2 * i] = _mm_unpacklo_##kind(in[i], in[i + 4]);                                        \
        out[2 * i + 1] = _mm_unpackhi_##kind(in[i], in[i + 4]);                                    \
    }

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    const __m128i zeros = _mm_set1_epi8((char)zero);
    __m128i a[8], b[8];
    /* Rows k and k + 8 side by side. */
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        __m128i low = _mm_loadl_epi64((const __m128i *)(rows[i] + position));
        __m128i high = _mm_loadl_epi64((const __m128i *)(rows[i + 8] + position));
        a[i] = _mm_unpacklo_epi8(low, high);
    }
    TRANSPOSE_INTERLEAVE(epi8, a, b)
    TRANSPOSE_INTERLEAVE(epi8, b, a)
    TRANSPOSE_INTERLEAVE(epi8, a, b)
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        _mm_storeu_si128((__m128i *)(lanes + (position + (size_t)i) * stride),
                         _mm_sub_epi8(b[i], zeros));
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    const __m128i zeros = _mm_set1_epi8((char)zero);
    __m128i a[8], b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = _mm_loadu_si128((const __m128i *)(lanes + (position + (size_t)i) * stride));
    }
    TRANSPOSE_INTERLEAVE(epi8, a, b)
    TRANSPOSE_INTERLEAVE(epi8, b, a)
    TRANSPOSE_INTERLEAVE(epi8, a, b)
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        b[i] = _mm_add_epi8(b[i], zeros);
        _mm_storel_epi64((__m128i *)(rows[2 * i] + position), b[i]);
        _mm_storel_epi64((__m128i *)(rows[2 * i + 1] + position), _mm_srli_si128(b[i], 8));
    }
}

#endif
