/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of symbols into lanes and back, in blocks of 16 rows and 8 positions. The last block of a
 * row overlaps the one before, so that nothing is read or written beyond a row's end; rows of fewer
 * than 8 symbols go one symbol at a time. */
#include "fast/transpose.h"

#include "fast/lanes_macros.h"

enum { ROWS = 16, POSITIONS = 8 };

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>

/* Interleaves pairs of registers, of `count`: pair (i, i + count / 2) becomes 2i and 2i + 1. */
#define INTERLEAVE(kind, in, out)                                                                  \
    UNROLL                                                                                         \
    for (int i = 0; i < 4; i++) {                                                                  \
        out[2 * i] = _mm_unpacklo_##kind(in[i], in[i + 4]);                                        \
        out[2 * i + 1] = _mm_unpackhi_##kind(in[i], in[i + 4]);                                    \
    }

static void block_to_lanes(const uint8_t *const rows[ROWS], size_t position, size_t stride,
                           uint8_t *lanes)
{
    __m128i a[8], b[8];
    /* Rows k and k + 8 side by side; three more steps of the perfect shuffle sort rows and
     * positions apart. */
    UNROLL
    for (int i = 0; i < 8; i++) {
        __m128i low = _mm_loadl_epi64((const __m128i *)(rows[i] + position));
        __m128i high = _mm_loadl_epi64((const __m128i *)(rows[i + 8] + position));
        a[i] = _mm_unpacklo_epi8(low, high);
    }
    INTERLEAVE(epi8, a, b)
    INTERLEAVE(epi8, b, a)
    INTERLEAVE(epi8, a, b)
    UNROLL
    for (int i = 0; i < 8; i++) {
        _mm_storeu_si128((__m128i *)(lanes + (position + (size_t)i) * stride), b[i]);
    }
}

static void block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                             uint8_t *const rows[ROWS])
{
    __m128i a[8], b[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
        a[i] = _mm_loadu_si128((const __m128i *)(lanes + (position + (size_t)i) * stride));
    }
    INTERLEAVE(epi8, a, b)
    INTERLEAVE(epi8, b, a)
    INTERLEAVE(epi8, a, b)
    UNROLL
    for (int i = 0; i < 8; i++) {
        _mm_storel_epi64((__m128i *)(rows[2 * i] + position), b[i]);
        _mm_storel_epi64((__m128i *)(rows[2 * i + 1] + position), _mm_srli_si128(b[i], 8));
    }
}

#else

static void block_to_lanes(const uint8_t *const rows[ROWS], size_t position, size_t stride,
                           uint8_t *lanes)
{
    for (size_t i = 0; i < POSITIONS; i++) {
        for (size_t k = 0; k < ROWS; k++) {
            lanes[(position + i) * stride + k] = rows[k][position + i];
        }
    }
}

static void block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                             uint8_t *const rows[ROWS])
{
    for (size_t i = 0; i < POSITIONS; i++) {
        for (size_t k = 0; k < ROWS; k++) {
            rows[k][position + i] = lanes[(position + i) * stride + k];
        }
    }
}

#endif

void tally_to_lanes(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                    uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += ROWS) {
        const uint8_t *block[ROWS];
        for (size_t k = 0; k < ROWS; k++) {
            block[k] = rows[first + k < count ? first + k : count - 1];
        }
        if (length < POSITIONS) {
            for (size_t k = 0; k < ROWS; k++) {
                for (size_t p = 0; p < length; p++) {
                    lanes[p * stride + first + k] = block[k][p];
                }
            }
            continue;
        }
        for (size_t p = 0; p + POSITIONS < length; p += POSITIONS) {
            block_to_lanes(block, p, stride, lanes + first);
        }
        block_to_lanes(block, length - POSITIONS, stride, lanes + first);
    }
}

void tally_from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                      uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += ROWS) {
        if (length < POSITIONS || count - first < ROWS) {
            for (size_t k = first; k < count && k < first + ROWS; k++) {
                for (size_t p = 0; p < length; p++) {
                    rows[k][p] = lanes[p * stride + k];
                }
            }
            continue;
        }
        for (size_t p = 0; p + POSITIONS < length; p += POSITIONS) {
            block_from_lanes(lanes + first, stride, p, rows + first);
        }
        block_from_lanes(lanes + first, stride, length - POSITIONS, rows + first);
    }
}
