/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
} tally_transpose;

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif
