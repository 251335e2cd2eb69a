/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of 64 rows and 16 positions with AVX-512 VBMI: 16 vectors of four rows each; a byte permute
 * brings the four bytes of a position together, and then doublewords are transposed, 16 by 16. The
 * last block of a row overlaps the one before; of a row of fewer than 16 bytes no more is read or
 * written. */
#include "base/arch.h"
#include "fast/lanes/transpose.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "fast/lanes/macros.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum { ROWS = 64, POSITIONS = 16, QUAD = 4 };

typedef __m512i vec;

/* Byte 4p + j of the result is byte 16j + p of the source, and back. */
INLINE TARGET vec spread_map(void)
{
    const vec count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const vec rows = _mm512_set1_epi32(0x30201000);
    const vec ones = _mm512_set1_epi32(0x01010101);
    return _mm512_add_epi8(_mm512_mullo_epi32(count, ones), rows);
}

INLINE TARGET vec collect_map(void)
{
    const __m128i first = _mm_set_epi8(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0);
    const vec rows = _mm512_set_epi32(0x03030303, 0x03030303, 0x03030303, 0x03030303, 0x02020202,
                                      0x02020202, 0x02020202, 0x02020202, 0x01010101, 0x01010101,
                                      0x01010101, 0x01010101, 0, 0, 0, 0);
    return _mm512_add_epi8(_mm512_broadcast_i32x4(first), rows);
}

/* Doubleword d of vector i to doubleword i of vector d. */
INLINE TARGET void transpose_doublewords(vec a[16])
{
    vec b[16];
    UNROLL
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 16; i += 4) {
        a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
        a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
        a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
        a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
    /* Quarters: vector 4i + j has in its quarter q the doublewords 4q + j of vectors 4i..4i+3. */
    UNROLL
    for (int j = 0; j < 4; j++) {
        b[j] = _mm512_shuffle_i32x4(a[j], a[4 + j], 0x88);
        b[4 + j] = _mm512_shuffle_i32x4(a[j], a[4 + j], 0xdd);
        b[8 + j] = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], 0x88);
        b[12 + j] = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], 0xdd);
    }
    UNROLL
    for (int j = 0; j < 4; j++) {
        a[j] = _mm512_shuffle_i32x4(b[j], b[8 + j], 0x88);
        a[4 + j] = _mm512_shuffle_i32x4(b[4 + j], b[12 + j], 0x88);
        a[8 + j] = _mm512_shuffle_i32x4(b[j], b[8 + j], 0xdd);
        a[12 + j] = _mm512_shuffle_i32x4(b[4 + j], b[12 + j], 0xdd);
    }
}

INLINE TARGET void block_to_lanes(const uint8_t *const rows[ROWS], const int whole, __mmask16 part,
                                  size_t position, size_t stride, uint8_t *lanes)
{
    const vec map = spread_map();
    vec a[16];
    UNROLL
    for (int i = 0; i < 16; i++) {
        __m128i quarter[QUAD];
        UNROLL
        for (int j = 0; j < QUAD; j++) {
            const uint8_t *row = rows[QUAD * i + j] + position;
            quarter[j] =
                whole ? _mm_loadu_si128((const __m128i *)row) : _mm_maskz_loadu_epi8(part, row);
        }
        vec four = _mm512_castsi128_si512(quarter[0]);
        four = _mm512_inserti32x4(four, quarter[1], 1);
        four = _mm512_inserti32x4(four, quarter[2], 2);
        four = _mm512_inserti32x4(four, quarter[3], 3);
        a[i] = _mm512_permutexvar_epi8(map, four);
    }
    transpose_doublewords(a);
    size_t positions = whole ? POSITIONS : (size_t)_mm_popcnt_u32(part);
    UNROLL
    for (size_t p = 0; p < POSITIONS; p++) {
        if (whole || p < positions) {
            _mm512_storeu_si512(lanes + (position + p) * stride, a[p]);
        }
    }
}

INLINE TARGET void block_from_lanes(const uint8_t *lanes, size_t stride, const int whole,
                                    __mmask16 part, size_t position, uint8_t *const rows[ROWS])
{
    const vec map = collect_map();
    vec a[16];
    size_t positions = whole ? POSITIONS : (size_t)_mm_popcnt_u32(part);
    UNROLL
    for (size_t p = 0; p < POSITIONS; p++) {
        a[p] = whole || p < positions ? _mm512_loadu_si512(lanes + (position + p) * stride)
                                      : _mm512_setzero_si512();
    }
    transpose_doublewords(a);
    UNROLL
    for (int i = 0; i < 16; i++) {
        vec four = _mm512_permutexvar_epi8(map, a[i]);
        __m128i quarter[QUAD] = {
            _mm512_castsi512_si128(four),
            _mm512_extracti32x4_epi32(four, 1),
            _mm512_extracti32x4_epi32(four, 2),
            _mm512_extracti32x4_epi32(four, 3),
        };
        UNROLL
        for (int j = 0; j < QUAD; j++) {
            uint8_t *row = rows[QUAD * i + j] + position;
            if (whole) {
                _mm_storeu_si128((__m128i *)row, quarter[j]);
            } else {
                _mm_mask_storeu_epi8(row, part, quarter[j]);
            }
        }
    }
}

static TARGET void to_lanes(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                            uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += ROWS) {
        const uint8_t *copies[ROWS];
        const uint8_t *const *block = rows + first;
        if (count - first < ROWS) {
            for (size_t k = 0; k < ROWS; k++) {
                copies[k] = rows[first + k < count ? first + k : count - 1];
            }
            block = copies;
        }
        if (length < POSITIONS) {
            block_to_lanes(block, 0, (__mmask16)((1u << length) - 1), 0, stride, lanes + first);
            continue;
        }
        for (size_t p = 0; p + POSITIONS < length; p += POSITIONS) {
            block_to_lanes(block, 1, 0xffff, p, stride, lanes + first);
        }
        block_to_lanes(block, 1, 0xffff, length - POSITIONS, stride, lanes + first);
    }
}

static TARGET void from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                              uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += ROWS) {
        uint8_t *const *block = rows + first;
        if (count - first < ROWS) {
            tally_transpose_portable.from_lanes(lanes + first, stride, count - first, length,
                                                rows + first);
            return;
        }
        if (length < POSITIONS) {
            block_from_lanes(lanes + first, stride, 0, (__mmask16)((1u << length) - 1), 0, block);
            continue;
        }
        for (size_t p = 0; p + POSITIONS < length; p += POSITIONS) {
            block_from_lanes(lanes + first, stride, 1, 0xffff, p, block);
        }
        block_from_lanes(lanes + first, stride, 1, 0xffff, length - POSITIONS, block);
    }
}

const tally_transpose tally_transpose_avx512 = {to_lanes, from_lanes};

#else
typedef int tally_transpose_avx512_is_for_x86_64; /* a file may not be empty */
#endif
