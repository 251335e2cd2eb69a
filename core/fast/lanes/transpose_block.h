/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of 16 rows and 8 positions in vectors of 16 bytes: three perfect shuffles of eight vectors
 * transpose a block. A file named after an instruction set defines the type transpose_vec and these
 * macros, and includes this one:
 *
 *   TRANSPOSE_LOAD(p), TRANSPOSE_STORE(p, v)   16 bytes
 *   TRANSPOSE_LOAD_HALF(p)                     8 bytes, as the lower half
 *   TRANSPOSE_STORE_LOW(p, v), TRANSPOSE_STORE_HIGH(p, v)
 *                                              a half
 *   TRANSPOSE_LOWS(x, y), TRANSPOSE_HIGHS(x, y)
 *                                              the lower or upper halves, byte by byte in turn
 *   TRANSPOSE_SPREAD(byte), TRANSPOSE_ADD(x, y), TRANSPOSE_SUB(x, y)
 *
 * Only transpose.c includes these files. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_BLOCK_H
#define TALLY_FAST_LANES_TRANSPOSE_BLOCK_H

#include "base/unroll.h"

/* Interleaves eight vectors: of vectors i and i + 4 it makes 2i and 2i + 1. */
TALLY_INLINE void transpose_interleave(const transpose_vec in[8], transpose_vec out[8])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        out[2 * i] = TRANSPOSE_LOWS(in[i], in[i + 4]);
        out[2 * i + 1] = TRANSPOSE_HIGHS(in[i], in[i + 4]);
    }
}

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    /* Rows k and k + 8 side by side. */
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOWS(TRANSPOSE_LOAD_HALF(rows[i] + position),
                              TRANSPOSE_LOAD_HALF(rows[i + 8] + position));
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        TRANSPOSE_STORE(lanes + (position + (size_t)i) * stride, TRANSPOSE_SUB(b[i], zeros));
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOAD(lanes + (position + (size_t)i) * stride);
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        b[i] = TRANSPOSE_ADD(b[i], zeros);
        TRANSPOSE_STORE_LOW(rows[2 * i] + position, b[i]);
        TRANSPOSE_STORE_HIGH(rows[2 * i + 1] + position, b[i]);
    }
}

#endif
