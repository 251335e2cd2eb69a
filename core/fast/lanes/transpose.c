/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes rows of symbols into lanes and back, in blocks of 16 rows and 8 positions. The last
 * block of a row overlaps the one before, so that nothing is read or written beyond the row's end.
 * Rows of fewer than 8 symbols are transposed symbol by symbol. */
#include "fast/lanes/transpose.h"

enum { TRANSPOSE_ROWS = 16, TRANSPOSE_POSITIONS = 8 };

#if defined(__SSE2__)
#include "fast/lanes/transpose_sse2.h"
#else

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            lanes[(position + i) * stride + k] = rows[k][position + i];
        }
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t *const rows[TRANSPOSE_ROWS])
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            rows[k][position + i] = lanes[(position + i) * stride + k];
        }
    }
}

#endif

static void transpose_to_lanes(const uint8_t *const *rows, size_t count, size_t length,
                               size_t stride, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            block[k] = rows[first + k < count ? first + k : count - 1];
        }
        if (length < TRANSPOSE_POSITIONS) {
            for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
                for (size_t p = 0; p < length; p++) {
                    lanes[p * stride + first + k] = block[k][p];
                }
            }
            continue;
        }
        for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
            transpose_block_to_lanes(block, p, stride, lanes + first);
        }
        transpose_block_to_lanes(block, length - TRANSPOSE_POSITIONS, stride, lanes + first);
    }
}

static void transpose_from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                                 uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        if (length < TRANSPOSE_POSITIONS || count - first < TRANSPOSE_ROWS) {
            for (size_t k = first; k < count && k < first + TRANSPOSE_ROWS; k++) {
                for (size_t p = 0; p < length; p++) {
                    rows[k][p] = lanes[p * stride + k];
                }
            }
            continue;
        }
        for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
            transpose_block_from_lanes(lanes + first, stride, p, rows + first);
        }
        transpose_block_from_lanes(lanes + first, stride, length - TRANSPOSE_POSITIONS,
                                   rows + first);
    }
}

const tally_transpose tally_transpose_portable = {transpose_to_lanes, transpose_from_lanes};
