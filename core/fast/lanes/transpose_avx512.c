/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes with AVX-512 VBMI, in blocks of 64 rows and 16 positions. Each of 16 vectors has 16
 * bytes of four rows. A byte permute makes a doubleword of the four bytes of a position, and then
 * the doublewords are transposed, 16 by 16. The last block of a row overlaps the one before. In
 * rows of fewer than 16 bytes, masks keep accesses within the row. Rows of 16 bytes that lie side by
 * side are loaded and stored four at a time. */
#include "base/arch.h"
#include "fast/lanes/transpose.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define TRANSPOSE_AVX512_TARGET                                                                    \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")))

enum { TRANSPOSE_AVX512_ROWS = 64, TRANSPOSE_AVX512_POSITIONS = 16 };

/* Byte 4p + j of the result is byte 16j + p of the source; from_map is the inverse. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_to_map(void)
{
    const __m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i rows = _mm512_set1_epi32(0x30201000);
    const __m512i ones = _mm512_set1_epi32(0x01010101);
    return _mm512_add_epi8(_mm512_mullo_epi32(count, ones), rows);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_from_map(void)
{
    const __m128i first = _mm_set_epi8(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i rows = _mm512_set_epi32(
        0x03030303, 0x03030303, 0x03030303, 0x03030303, 0x02020202, 0x02020202, 0x02020202,
        0x02020202, 0x01010101, 0x01010101, 0x01010101, 0x01010101, 0, 0, 0, 0);
    return _mm512_add_epi8(_mm512_broadcast_i32x4(first), rows);
}

/* Doubleword d of vector i to doubleword i of vector d. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_doublewords(__m512i a[16])
{
    __m512i b[16];
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    }
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i += 4) {
        a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
        a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
        a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
        a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
    /* Quarters: vector 4i + j has in its quarter q the doublewords 4q + j of vectors 4i..4i+3. */
    TALLY_UNROLL(16)
    for (int j = 0; j < 4; j++) {
        b[j] = _mm512_shuffle_i32x4(a[j], a[4 + j], 0x88);
        b[4 + j] = _mm512_shuffle_i32x4(a[j], a[4 + j], 0xdd);
        b[8 + j] = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], 0x88);
        b[12 + j] = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], 0xdd);
    }
    TALLY_UNROLL(16)
    for (int j = 0; j < 4; j++) {
        a[j] = _mm512_shuffle_i32x4(b[j], b[8 + j], 0x88);
        a[4 + j] = _mm512_shuffle_i32x4(b[4 + j], b[12 + j], 0x88);
        a[8 + j] = _mm512_shuffle_i32x4(b[j], b[8 + j], 0xdd);
        a[12 + j] = _mm512_shuffle_i32x4(b[4 + j], b[12 + j], 0xdd);
    }
}

/* Whether 64 rows of 16 bytes lie side by side. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET int
transpose_avx512_are_packed(const uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    __m512i expected =
        _mm512_add_epi64(_mm512_set1_epi64((long long)(uintptr_t)rows[0]),
                         _mm512_set_epi64(7 * 16, 6 * 16, 5 * 16, 4 * 16, 3 * 16, 2 * 16, 16, 0));
    __mmask8 differ = 0;
    TALLY_UNROLL(16)
    for (int i = 0; i < TRANSPOSE_AVX512_ROWS; i += 8) {
        differ |= _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(rows + i), expected);
        expected = _mm512_add_epi64(expected, _mm512_set1_epi64(8 * 16));
    }
    return differ == 0;
}

/* The block of 64 rows of 16 bytes that lie side by side from `text` on. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_packed_to_lanes(const uint8_t *text, size_t stride, uint8_t *lanes)
{
    const __m512i map = transpose_avx512_to_map();
    __m512i a[16];
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        a[i] = _mm512_permutexvar_epi8(map, _mm512_loadu_si512(text + 64 * i));
    }
    transpose_avx512_doublewords(a);
    TALLY_UNROLL(16)
    for (size_t p = 0; p < 16; p++) {
        _mm512_storeu_si512(lanes + p * stride, a[p]);
    }
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_packed_from_lanes(const uint8_t *lanes, size_t stride, uint8_t *text)
{
    const __m512i map = transpose_avx512_from_map();
    __m512i a[16];
    TALLY_UNROLL(16)
    for (size_t p = 0; p < 16; p++) {
        a[p] = _mm512_loadu_si512(lanes + p * stride);
    }
    transpose_avx512_doublewords(a);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        _mm512_storeu_si512(text + 64 * i, _mm512_permutexvar_epi8(map, a[i]));
    }
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_to_lanes(const uint8_t *const rows[TRANSPOSE_AVX512_ROWS], const int whole,
                                __mmask16 part, size_t position, size_t stride, uint8_t *lanes)
{
    const __m512i map = transpose_avx512_to_map();
    __m512i a[16];
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        __m128i quarter[4];
        TALLY_UNROLL(16)
        for (int j = 0; j < 4; j++) {
            const uint8_t *row = rows[4 * i + j] + position;
            quarter[j] =
                whole ? _mm_loadu_si128((const __m128i *)row) : _mm_maskz_loadu_epi8(part, row);
        }
        __m512i four = _mm512_castsi128_si512(quarter[0]);
        four = _mm512_inserti32x4(four, quarter[1], 1);
        four = _mm512_inserti32x4(four, quarter[2], 2);
        four = _mm512_inserti32x4(four, quarter[3], 3);
        a[i] = _mm512_permutexvar_epi8(map, four);
    }
    transpose_avx512_doublewords(a);
    size_t positions = whole ? TRANSPOSE_AVX512_POSITIONS : (size_t)_mm_popcnt_u32(part);
    TALLY_UNROLL(16)
    for (size_t p = 0; p < TRANSPOSE_AVX512_POSITIONS; p++) {
        if (whole || p < positions) {
            _mm512_storeu_si512(lanes + (position + p) * stride, a[p]);
        }
    }
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_from_lanes(const uint8_t *lanes, size_t stride, const int whole,
                                  __mmask16 part, size_t position,
                                  uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    const __m512i map = transpose_avx512_from_map();
    __m512i a[16];
    size_t positions = whole ? TRANSPOSE_AVX512_POSITIONS : (size_t)_mm_popcnt_u32(part);
    TALLY_UNROLL(16)
    for (size_t p = 0; p < TRANSPOSE_AVX512_POSITIONS; p++) {
        a[p] = whole || p < positions ? _mm512_loadu_si512(lanes + (position + p) * stride)
                                      : _mm512_setzero_si512();
    }
    transpose_avx512_doublewords(a);
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        __m512i four = _mm512_permutexvar_epi8(map, a[i]);
        __m128i quarter[4] = {
            _mm512_castsi512_si128(four),
            _mm512_extracti32x4_epi32(four, 1),
            _mm512_extracti32x4_epi32(four, 2),
            _mm512_extracti32x4_epi32(four, 3),
        };
        TALLY_UNROLL(16)
        for (int j = 0; j < 4; j++) {
            uint8_t *row = rows[4 * i + j] + position;
            if (whole) {
                _mm_storeu_si128((__m128i *)row, quarter[j]);
            } else {
                _mm_mask_storeu_epi8(row, part, quarter[j]);
            }
        }
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_to_lanes(const uint8_t *const *rows,
                                                              size_t count, size_t length,
                                                              size_t stride, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_AVX512_ROWS) {
        const uint8_t *copies[TRANSPOSE_AVX512_ROWS];
        const uint8_t *const *block = rows + first;
        if (count - first < TRANSPOSE_AVX512_ROWS) {
            for (size_t k = 0; k < TRANSPOSE_AVX512_ROWS; k++) {
                copies[k] = rows[first + k < count ? first + k : count - 1];
            }
            block = copies;
        }
        if (length < TRANSPOSE_AVX512_POSITIONS) {
            transpose_avx512_block_to_lanes(block, 0, (__mmask16)((1u << length) - 1), 0, stride,
                                            lanes + first);
            continue;
        }
        if (length == TRANSPOSE_AVX512_POSITIONS && transpose_avx512_are_packed(block)) {
            transpose_avx512_packed_to_lanes(block[0], stride, lanes + first);
            continue;
        }
        for (size_t p = 0; p + TRANSPOSE_AVX512_POSITIONS < length;
             p += TRANSPOSE_AVX512_POSITIONS) {
            transpose_avx512_block_to_lanes(block, 1, 0xffff, p, stride, lanes + first);
        }
        transpose_avx512_block_to_lanes(block, 1, 0xffff, length - TRANSPOSE_AVX512_POSITIONS,
                                        stride, lanes + first);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_from_lanes(const uint8_t *lanes, size_t stride,
                                                                size_t count, size_t length,
                                                                uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_AVX512_ROWS) {
        uint8_t *const *block = rows + first;
        if (count - first < TRANSPOSE_AVX512_ROWS) {
            tally_transpose_portable.from_lanes(lanes + first, stride, count - first, length,
                                                rows + first);
            return;
        }
        if (length < TRANSPOSE_AVX512_POSITIONS) {
            transpose_avx512_block_from_lanes(lanes + first, stride, 0,
                                              (__mmask16)((1u << length) - 1), 0, block);
            continue;
        }
        if (length == TRANSPOSE_AVX512_POSITIONS &&
            transpose_avx512_are_packed((const uint8_t *const *)block)) {
            transpose_avx512_packed_from_lanes(lanes + first, stride, block[0]);
            continue;
        }
        for (size_t p = 0; p + TRANSPOSE_AVX512_POSITIONS < length;
             p += TRANSPOSE_AVX512_POSITIONS) {
            transpose_avx512_block_from_lanes(lanes + first, stride, 1, 0xffff, p, block);
        }
        transpose_avx512_block_from_lanes(lanes + first, stride, 1, 0xffff,
                                          length - TRANSPOSE_AVX512_POSITIONS, block);
    }
}

const tally_transpose tally_transpose_avx512 = {transpose_avx512_to_lanes,
                                                transpose_avx512_from_lanes};

#else
typedef int tally_transpose_avx512_is_for_x86_64; /* a file may not be empty */
#endif
