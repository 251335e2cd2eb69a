/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables in chunks of 16 entries, for engines that look 16 up at a time; lanes_body.h says what each
 * name is for. The file that includes this has defined
 *
 *   lay_out_one(radix, sbox, out)  fills the stride(radix) bytes of a table
 *
 * after its declaration here. Only backwards with all 256 entries do differences stray. */
#ifndef TALLY_FAST_LANES_CHUNKS_H
#define TALLY_FAST_LANES_CHUNKS_H

#include <string.h>

#include "fast/lanes/lanes.h"
#include "fast/lanes/macros.h"

/* The chunks of a table. WHOLE: all 256 entries, so that indices wrap around by themselves. */
typedef enum layout { CHUNKS1, CHUNKS2, CHUNKS4, CHUNKS8, CHUNKS16, WHOLE } layout;

#define FOR_LAYOUTS(do)                                                                            \
    do                                                                                             \
    (CHUNKS1) do(CHUNKS2) do(CHUNKS4) do(CHUNKS8) do(CHUNKS16) do(WHOLE)

/* An S-box is left in memory: its chunks are too many for registers, or are loaded as cheaply. */
typedef const uint8_t *table;

static layout layout_of(uint32_t radix)
{
    return radix <= 16    ? CHUNKS1
           : radix <= 32  ? CHUNKS2
           : radix <= 64  ? CHUNKS4
           : radix <= 128 ? CHUNKS8
           : radix < 256  ? CHUNKS16
                          : WHOLE;
}

INLINE size_t chunks(const layout how)
{
    return how == WHOLE ? 16 : (size_t)1 << how;
}

static size_t stride(uint32_t radix)
{
    size_t bytes = 16 * chunks(layout_of(radix));
    return bytes < 64 ? 64 : bytes;
}

static void lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out);

static void lay_out_forward(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        lay_out_one(radix, sboxes + k * step, tables + k * stride(radix));
    }
}

/* Behind the inverses: what brings a strayed difference back. */
static void lay_out_inverse(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    lay_out_forward(radix, sboxes, step, tables);
    memset(tables + TALLY_FAST_POOL_SIZE * stride(radix), (int)(radix - 1), 64);
}

INLINE table load_table(const layout how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

#define look_up_difference look_up_sum

INLINE reduction index_reduction(const layout how)
{
    return how == WHOLE ? NONE : how == CHUNKS16 ? COMPARED : LESSER;
}

#define result_reduction index_reduction

INLINE int strays(const layout how)
{
    return how == WHOLE;
}

INLINE size_t plain_rounds(const layout how, uint32_t radix)
{
    (void)radix;
    return how == WHOLE ? SIZE_MAX : 0;
}

#define SETTLE(how, x, settling) AND(x, settling)
#define NEAR(how)                0

#endif
