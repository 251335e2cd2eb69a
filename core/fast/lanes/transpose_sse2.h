/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a transpose with SSE2, which every 64-bit x86 has. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_SSE2_H
#define TALLY_FAST_LANES_TRANSPOSE_SSE2_H

#include <emmintrin.h>

typedef __m128i transpose_vec;

#define TRANSPOSE_LOAD(p)          _mm_loadu_si128((const __m128i *)(p))
#define TRANSPOSE_LOAD_HALF(p)     _mm_loadl_epi64((const __m128i *)(p))
#define TRANSPOSE_STORE(p, v)      _mm_storeu_si128((__m128i *)(p), v)
#define TRANSPOSE_STORE_LOW(p, v)  _mm_storel_epi64((__m128i *)(p), v)
#define TRANSPOSE_STORE_HIGH(p, v) _mm_storel_epi64((__m128i *)(p), _mm_srli_si128(v, 8))
#define TRANSPOSE_LOWS(x, y)       _mm_unpacklo_epi8(x, y)
#define TRANSPOSE_HIGHS(x, y)      _mm_unpackhi_epi8(x, y)
#define TRANSPOSE_SPREAD(byte)     _mm_set1_epi8((char)(byte))
#define TRANSPOSE_ADD(x, y)        _mm_add_epi8(x, y)
#define TRANSPOSE_SUB(x, y)        _mm_sub_epi8(x, y)

#include "fast/lanes/transpose_block.h"

#endif
