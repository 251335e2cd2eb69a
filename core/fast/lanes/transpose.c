/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes rows of symbols into lanes and back, in blocks of 16 rows and 8 positions. The last
 * block of a row overlaps the one before, so that nothing is read or written beyond the row's end.
 * Rows of fewer than 8 symbols are transposed symbol by symbol. */
#include "fast/lanes/transpose.h"

#include "base/arch.h"

enum { TRANSPOSE_ROWS = 16, TRANSPOSE_POSITIONS = 8 };

#if defined(__SSE2__)
#include "fast/lanes/transpose_sse2.h"
#elif defined(TALLY_ARCH_AARCH64)
#include "fast/lanes/transpose_neon.h"
#elif defined(TALLY_ARCH_WASM_SIMD128)
#include "fast/lanes/transpose_simd128.h"
#else

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            lanes[(position + i) * stride + k] = (uint8_t)(rows[k][position + i] - zero);
        }
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            rows[k][position + i] = (uint8_t)(lanes[(position + i) * stride + k] + zero);
        }
    }
}

#endif

/* Up to 16 rows; the rest of the list has copies. `zero` is taken off all bytes. */
static void transpose_rows_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t length,
                                    size_t stride, uint8_t zero, uint8_t *lanes)
{
    if (length < TRANSPOSE_POSITIONS) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            for (size_t p = 0; p < length; p++) {
                lanes[p * stride + k] = (uint8_t)(rows[k][p] - zero);
            }
        }
        return;
    }
    for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
        transpose_block_to_lanes(rows, p, stride, zero, lanes);
    }
    transpose_block_to_lanes(rows, length - TRANSPOSE_POSITIONS, stride, zero, lanes);
}

/* `zero` is added to all bytes. */
static void transpose_rows_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                      size_t length, uint8_t zero,
                                      uint8_t *const rows[TRANSPOSE_ROWS])
{
    if (length < TRANSPOSE_POSITIONS || count < TRANSPOSE_ROWS) {
        for (size_t k = 0; k < count; k++) {
            for (size_t p = 0; p < length; p++) {
                rows[k][p] = (uint8_t)(lanes[p * stride + k] + zero);
            }
        }
        return;
    }
    for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
        transpose_block_from_lanes(lanes, stride, p, zero, rows);
    }
    transpose_block_from_lanes(lanes, stride, length - TRANSPOSE_POSITIONS, zero, rows);
}

static void transpose_to_lanes(const uint8_t *const *rows, size_t count, size_t length,
                               size_t stride, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            block[k] = rows[first + k < count ? first + k : count - 1];
        }
        transpose_rows_to_lanes(block, length, stride, 0, lanes + first);
    }
}

static void transpose_from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                                 uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const size_t left = count - first;
        transpose_rows_from_lanes(lanes + first, stride,
                                  left < TRANSPOSE_ROWS ? left : TRANSPOSE_ROWS, length, 0,
                                  rows + first);
    }
}

static int transpose_words_to_lanes(const uint8_t *words, size_t count, size_t length,
                                    size_t stride, uint8_t zero, uint32_t limit, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            block[k] = words + (first + k < count ? first + k : count - 1) * length;
        }
        transpose_rows_to_lanes(block, length, stride, zero, lanes + first);
    }
    return tally_lanes_below(limit, lanes, stride, count, length);
}

static void transpose_words_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                       size_t length, uint8_t zero, uint8_t *words)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const size_t left = count - first, part = left < TRANSPOSE_ROWS ? left : TRANSPOSE_ROWS;
        uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < part; k++) {
            block[k] = words + (first + k) * length;
        }
        transpose_rows_from_lanes(lanes + first, stride, part, length, zero, block);
    }
}

const tally_transpose tally_transpose_portable = {
    transpose_to_lanes, transpose_from_lanes, transpose_words_to_lanes, transpose_words_from_lanes};
