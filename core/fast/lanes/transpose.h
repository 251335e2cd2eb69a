/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/below.h"

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
    /* The same for words that lie side by side, whose symbol 0 is the byte `zero`, so that symbols
     * are on the lanes. Which lane of a block has which of its words is the same in both functions;
     * in a block that is not full, word k is on lane k. Returns 0 if a symbol is not below `limit`,
     * 1..256. */
    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

/* Whether all symbols of words in lanes are below a limit; words_to_lanes returns it. */
static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif
