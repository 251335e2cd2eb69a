/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes with AVX-512 VBMI, in blocks of 64 rows and 16 positions. Each of 16 vectors has 16
 * bytes of four rows, one in each quarter, and the bytes of all quarters are transposed at once,
 * 16 by 16. The last block of a row overlaps the one before. In rows of fewer than 16 bytes, masks
 * keep accesses within the row. Short rows that lie side by side are loaded and stored four at a
 * time. */
#include "base/arch.h"
#include "fast/lanes/transpose.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define TRANSPOSE_AVX512_TARGET                                                                    \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")))

enum {
    TRANSPOSE_AVX512_ROWS = 64,
    TRANSPOSE_AVX512_POSITIONS = 16,
    TRANSPOSE_AVX512_FEW = 16 /* rows of a block that are left to the code without AVX-512 */
};

/* Rotates the eight bits of a byte's address, the number of its vector and that of its place in the
 * quarter, by one. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_interleave(const __m512i in[16],
                                                                      __m512i out[16])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        out[2 * i] = _mm512_unpacklo_epi8(in[i], in[i + 8]);
        out[2 * i + 1] = _mm512_unpackhi_epi8(in[i], in[i + 8]);
    }
}

/* In each quarter, byte b of vector i to byte i of vector b. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_quarters(__m512i a[16])
{
    __m512i b[16];
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
}

/* Loads vectors i and i + 8 of 16 and interleaves their bytes: first those with even numbers, then
 * those with odd ones. Masked loads from one byte away do that, because only one port of the CPU
 * shuffles bytes. They access no byte outside both vectors. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_load_pair(const uint8_t *low, const uint8_t *high, __m512i out[2])
{
    const __mmask64 odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    out[0] = _mm512_mask_loadu_epi8(_mm512_loadu_si512(low), odd, high - 1);
    out[1] = _mm512_mask_loadu_epi8(_mm512_loadu_si512(high), ~odd, low + 1);
}

/* The rest of transpose_avx512_quarters, for pairs that were loaded like this. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_pairs(__m512i a[16])
{
    __m512i b[16];
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
    transpose_avx512_interleave(a, b);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        a[i] = b[i / 2 + i % 2 * 8];
    }
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET __m128i transpose_avx512_load(const uint8_t *row,
                                                                   const int whole, __mmask16 part)
{
    return whole ? _mm_loadu_si128((const __m128i *)row) : _mm_maskz_loadu_epi8(part, row);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_store(uint8_t *row, const int whole,
                                                                 __mmask16 part, __m128i bytes)
{
    if (whole) {
        _mm_storeu_si128((__m128i *)row, bytes);
    } else {
        _mm_mask_storeu_epi8(row, part, bytes);
    }
}

/* Where the positions of a block are in lanes. Those that there are not repeat the last: stores go
 * from the last to the first, so that it overwrites what was stored for them. Branches instead would
 * take longer. */
typedef struct transpose_avx512_places {
    size_t at[TRANSPOSE_AVX512_POSITIONS];
} transpose_avx512_places;

static transpose_avx512_places transpose_avx512_places_of(size_t length, size_t stride)
{
    transpose_avx512_places places;
    for (size_t p = 0; p < TRANSPOSE_AVX512_POSITIONS; p++) {
        places.at[p] = (p < length ? p : length - 1) * stride;
    }
    return places;
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_load_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                            __m512i a[16])
{
    TALLY_UNROLL(16)
    for (size_t p = 0; p < 8; p++) {
        transpose_avx512_load_pair(lanes + places->at[p], lanes + places->at[p + 8], a + 2 * p);
    }
    transpose_avx512_pairs(a);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_store_lanes(const __m512i a[16], const transpose_avx512_places *places,
                             uint8_t *lanes)
{
    TALLY_UNROLL(16)
    for (size_t p = TRANSPOSE_AVX512_POSITIONS; p-- > 0;) {
        _mm512_storeu_si512(lanes + places->at[p], a[p]);
    }
}

/* Quarter q of vector i is of row 16q + i. `zero` is taken off all bytes; *most receives the
 * greatest ones then. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_to_lanes(const uint8_t *const rows[TRANSPOSE_AVX512_ROWS], const int whole,
                                __mmask16 part, size_t position,
                                const transpose_avx512_places *places, __m512i zero, uint8_t *lanes,
                                __m512i *most)
{
    __m512i a[16];
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        __m512i four =
            _mm512_castsi128_si512(transpose_avx512_load(rows[i] + position, whole, part));
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[16 + i] + position, whole, part),
                                  1);
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[32 + i] + position, whole, part),
                                  2);
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[48 + i] + position, whole, part),
                                  3);
        a[i] = _mm512_sub_epi8(four, zero);
        *most = _mm512_max_epu8(*most, a[i]);
    }
    transpose_avx512_quarters(a);
    transpose_avx512_store_lanes(a, places, lanes);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                  const int whole, __mmask16 part, size_t position, __m512i zero,
                                  uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    __m512i a[16];
    transpose_avx512_load_lanes(lanes, places, a);
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        a[i] = _mm512_add_epi8(a[i], zero);
        transpose_avx512_store(rows[i] + position, whole, part, _mm512_castsi512_si128(a[i]));
        transpose_avx512_store(rows[16 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 1));
        transpose_avx512_store(rows[32 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 2));
        transpose_avx512_store(rows[48 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 3));
    }
}

/* 64 rows, wherever they are. Returns the greatest bytes. */
static TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_rows_to_lanes(
    const uint8_t *const rows[TRANSPOSE_AVX512_ROWS], size_t length,
    const transpose_avx512_places *places, size_t stride, uint8_t zero, uint8_t *lanes)
{
    __m512i most = _mm512_setzero_si512();
    if (length < TRANSPOSE_AVX512_POSITIONS) {
        const __mmask16 part = (__mmask16)((1u << length) - 1);
        const __m128i zeros = _mm_maskz_set1_epi8(part, (char)zero);
        transpose_avx512_block_to_lanes(rows, 0, part, 0, places, _mm512_broadcast_i32x4(zeros),
                                        lanes, &most);
        return most;
    }
    for (size_t p = 0; p < length; p += TRANSPOSE_AVX512_POSITIONS) {
        const size_t last = length - TRANSPOSE_AVX512_POSITIONS, at = p < last ? p : last;
        transpose_avx512_block_to_lanes(rows, 1, 0xffff, at, places, _mm512_set1_epi8((char)zero),
                                        lanes + at * stride, &most);
    }
    return most;
}

/* `zero` is added to all bytes. */
static TRANSPOSE_AVX512_TARGET void
transpose_avx512_rows_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                 size_t stride, size_t length, uint8_t zero,
                                 uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    if (length < TRANSPOSE_AVX512_POSITIONS) {
        transpose_avx512_block_from_lanes(lanes, places, 0, (__mmask16)((1u << length) - 1), 0,
                                          zeros, rows);
        return;
    }
    for (size_t p = 0; p < length; p += TRANSPOSE_AVX512_POSITIONS) {
        const size_t last = length - TRANSPOSE_AVX512_POSITIONS, at = p < last ? p : last;
        transpose_avx512_block_from_lanes(lanes + at * stride, places, 1, 0xffff, at, zeros, rows);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_to_lanes(const uint8_t *const *rows,
                                                              size_t count, size_t length,
                                                              size_t stride, uint8_t *lanes)
{
    if (count > TRANSPOSE_AVX512_FEW) {
        const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
        while (count > TRANSPOSE_AVX512_FEW) {
            const uint8_t *copies[TRANSPOSE_AVX512_ROWS];
            const uint8_t *const *block = rows;
            const size_t part = count < TRANSPOSE_AVX512_ROWS ? count : TRANSPOSE_AVX512_ROWS;
            if (part < TRANSPOSE_AVX512_ROWS) {
                for (size_t k = 0; k < TRANSPOSE_AVX512_ROWS; k++) {
                    copies[k] = rows[k < part ? k : part - 1];
                }
                block = copies;
            }
            (void)transpose_avx512_rows_to_lanes(block, length, &places, stride, 0, lanes);
            rows += part;
            lanes += part;
            count -= part;
        }
    }
    if (count > 0) {
        tally_transpose_portable.to_lanes(rows, count, length, stride, lanes);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_from_lanes(const uint8_t *lanes, size_t stride,
                                                                size_t count, size_t length,
                                                                uint8_t *const *rows)
{
    if (count >= TRANSPOSE_AVX512_ROWS) {
        const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
        for (; count >= TRANSPOSE_AVX512_ROWS; count -= TRANSPOSE_AVX512_ROWS) {
            transpose_avx512_rows_from_lanes(lanes, &places, stride, length, 0, rows);
            rows += TRANSPOSE_AVX512_ROWS;
            lanes += TRANSPOSE_AVX512_ROWS;
        }
    }
    if (count > 0) {
        tally_transpose_portable.from_lanes(lanes, stride, count, length, rows);
    }
}

/* Where 64 words side by side are. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_list(const uint8_t *words, size_t length,
                      const uint8_t *rows[TRANSPOSE_AVX512_ROWS])
{
    const long long size = (long long)length;
    const __m512i eight = _mm512_set1_epi64(8 * size);
    __m512i at = _mm512_add_epi64(
        _mm512_set1_epi64((long long)(uintptr_t)words),
        _mm512_set_epi64(7 * size, 6 * size, 5 * size, 4 * size, 3 * size, 2 * size, size, 0));
    TALLY_UNROLL(16)
    for (size_t k = 0; k < TRANSPOSE_AVX512_ROWS; k += 8) {
        _mm512_storeu_si512(rows + k, at);
        at = _mm512_add_epi64(at, eight);
    }
}

/* Between four words side by side and a quarter for each. */
typedef struct transpose_avx512_maps {
    __mmask64 all; /* bytes of four words */
    __m512i to, from;
} transpose_avx512_maps;

TALLY_INLINE TRANSPOSE_AVX512_TARGET transpose_avx512_maps transpose_avx512_maps_of(size_t length)
{
    const __m512i fours = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i count = _mm512_add_epi8(_mm512_mullo_epi32(fours, _mm512_set1_epi32(0x04040404)),
                                          _mm512_set1_epi32(0x03020100));
    const __m512i gap = _mm512_set1_epi8((char)(TRANSPOSE_AVX512_POSITIONS - length));
    transpose_avx512_maps maps = {UINT64_MAX >> (64 - 4 * length), count, count};
    for (size_t q = 1; q < 4; q++) { /* symbol p of word q: from q length + p to 16 q + p */
        const __m512i wide = _mm512_set1_epi8((char)(q * TRANSPOSE_AVX512_POSITIONS));
        const __m512i dense = _mm512_set1_epi8((char)(q * length));
        maps.to = _mm512_mask_sub_epi8(maps.to, _mm512_cmpge_epu8_mask(count, wide), maps.to, gap);
        maps.from =
            _mm512_mask_add_epi8(maps.from, _mm512_cmpge_epu8_mask(count, dense), maps.from, gap);
    }
    return maps;
}

/* 64 words of up to 16 symbols. Quarter q of vector i is of word 4i + q, and so is lane 16q + i. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_short_to_lanes(
    const uint8_t *words, const size_t length, const transpose_avx512_maps *maps,
    const transpose_avx512_places *places, __m512i zero, uint8_t *lanes, __m512i most)
{
    __m512i a[16];
    if (length == TRANSPOSE_AVX512_POSITIONS) {
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 8; i++) {
            transpose_avx512_load_pair(words + 64 * i, words + 64 * (i + 8), a + 2 * i);
        }
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 16; i++) {
            a[i] = _mm512_sub_epi8(a[i], zero);
            most = _mm512_max_epu8(most, a[i]);
        }
        transpose_avx512_pairs(a);
    } else {
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 16; i++) {
            const __m512i four = _mm512_maskz_sub_epi8(
                maps->all, _mm512_maskz_loadu_epi8(maps->all, words + 4 * length * i), zero);
            most = _mm512_max_epu8(most, four);
            a[i] = _mm512_permutexvar_epi8(maps->to, four);
        }
        transpose_avx512_quarters(a);
    }
    transpose_avx512_store_lanes(a, places, lanes);
    return most;
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_short_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                  const size_t length, const transpose_avx512_maps *maps,
                                  __m512i zero, uint8_t *words)
{
    __m512i a[16];
    transpose_avx512_load_lanes(lanes, places, a);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        a[i] = _mm512_add_epi8(a[i], zero);
        if (length == TRANSPOSE_AVX512_POSITIONS) {
            _mm512_storeu_si512(words + 64 * i, a[i]);
        } else {
            _mm512_mask_storeu_epi8(words + 4 * length * i, maps->all,
                                    _mm512_permutexvar_epi8(maps->from, a[i]));
        }
    }
}

/* Blocks of words, of which the last one is not full if there are more than few words. */
static TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_blocks_to_lanes(const uint8_t *words,
                                                                        size_t count, size_t length,
                                                                        size_t stride, uint8_t zero,
                                                                        uint8_t *lanes)
{
    enum { ROWS = TRANSPOSE_AVX512_ROWS, POSITIONS = TRANSPOSE_AVX512_POSITIONS };
    const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    __m512i most = _mm512_setzero_si512();
    size_t first = 0;
    if (length == POSITIONS) {
        for (; count - first >= ROWS; first += ROWS) {
            most = transpose_avx512_short_to_lanes(words + first * POSITIONS, POSITIONS, NULL,
                                                   &places, zeros, lanes + first, most);
        }
    } else if (length < POSITIONS) {
        const transpose_avx512_maps maps = transpose_avx512_maps_of(length);
        for (; count - first >= ROWS; first += ROWS) {
            most = transpose_avx512_short_to_lanes(words + first * length, length, &maps, &places,
                                                   zeros, lanes + first, most);
        }
    }
    for (; first < count; first += ROWS) {
        const uint8_t *rows[ROWS];
        transpose_avx512_list(words + first * length, length, rows);
        for (size_t k = count - first; k < ROWS; k++) {
            rows[k] = words + (count - 1) * length;
        }
        const __m512i own =
            transpose_avx512_rows_to_lanes(rows, length, &places, stride, zero, lanes + first);
        most = _mm512_max_epu8(most, own);
    }
    return most;
}

static TRANSPOSE_AVX512_TARGET int transpose_avx512_words_to_lanes(const uint8_t *words,
                                                                   size_t count, size_t length,
                                                                   size_t stride, uint8_t zero,
                                                                   uint32_t limit, uint8_t *lanes)
{
    const size_t rest = count % TRANSPOSE_AVX512_ROWS,
                 few = rest <= TRANSPOSE_AVX512_FEW ? rest : 0, whole = count - few;
    int below = 1;
    if (whole > 0) {
        const __m512i most =
            transpose_avx512_blocks_to_lanes(words, whole, length, stride, zero, lanes);
        below = limit > 255 || _mm512_cmpge_epu8_mask(most, _mm512_set1_epi8((char)limit)) == 0;
    }
    if (few > 0) {
        below &= tally_transpose_portable.words_to_lanes(words + whole * length, few, length,
                                                         stride, zero, limit, lanes + whole);
    }
    return below;
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_blocks_from_lanes(const uint8_t *lanes,
                                                                       size_t stride, size_t count,
                                                                       size_t length, uint8_t zero,
                                                                       uint8_t *words)
{
    enum { ROWS = TRANSPOSE_AVX512_ROWS, POSITIONS = TRANSPOSE_AVX512_POSITIONS };
    const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    size_t first = 0;
    if (length == POSITIONS) {
        for (; first < count; first += ROWS) {
            transpose_avx512_short_from_lanes(lanes + first, &places, POSITIONS, NULL, zeros,
                                              words + first * POSITIONS);
        }
    } else if (length < POSITIONS) {
        const transpose_avx512_maps maps = transpose_avx512_maps_of(length);
        for (; first < count; first += ROWS) {
            transpose_avx512_short_from_lanes(lanes + first, &places, length, &maps, zeros,
                                              words + first * length);
        }
    }
    for (; first < count; first += ROWS) {
        const uint8_t *rows[ROWS];
        transpose_avx512_list(words + first * length, length, rows);
        transpose_avx512_rows_from_lanes(lanes + first, &places, stride, length, zero,
                                         (uint8_t *const *)rows);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_words_from_lanes(const uint8_t *lanes,
                                                                      size_t stride, size_t count,
                                                                      size_t length, uint8_t zero,
                                                                      uint8_t *words)
{
    const size_t rest = count % TRANSPOSE_AVX512_ROWS, whole = count - rest;
    if (whole > 0) {
        transpose_avx512_blocks_from_lanes(lanes, stride, whole, length, zero, words);
    }
    if (rest > 0) {
        tally_transpose_portable.words_from_lanes(lanes + whole, stride, rest, length, zero,
                                                  words + whole * length);
    }
}

const tally_transpose tally_transpose_avx512 = {
    transpose_avx512_to_lanes, transpose_avx512_from_lanes, transpose_avx512_words_to_lanes,
    transpose_avx512_words_from_lanes};

#else
typedef int tally_transpose_avx512_is_for_x86_64; /* a file may not be empty */
#endif
