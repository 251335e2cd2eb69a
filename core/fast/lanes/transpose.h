/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tally_transpose {
    /* rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. Lanes from
     * `count` on to the next multiple of 16, or of 64, as the engine has it, but not beyond the
     * stride, receive copies of some row. The stride is that of some groups of the engine. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* The inverse. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
} tally_transpose;

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif
