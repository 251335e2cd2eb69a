/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of symbols into lanes and back, in blocks of 16 rows and 8 positions. The last block of a
 * row overlaps the one before, so that nothing is read or written beyond a row's end; rows of fewer
 * than 8 symbols go one symbol at a time. */
#include "fast/lanes/transpose.h"

#include "fast/lanes/macros.h"

enum { ROWS = 16, POSITIONS = 8 };

#if defined(__SSE2__)
#include "fast/lanes/transpose_sse2.h"
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

static void to_lanes(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
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

static void from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
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

const tally_transpose tally_transpose_portable = {to_lanes, from_lanes};
