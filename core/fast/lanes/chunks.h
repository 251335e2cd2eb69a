/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables in chunks of 16 entries, for AVX2 and NEON, which look up 16 or 64 entries at a time.
 * body.h describes the functions. A back end includes this file after the macros LANES and
 * LANES_TARGET and the type LANES(vec), and then defines
 *
 *   LANES(lay_out_one)(radix, sbox, out)   fills the LANES(stride)(radix) bytes of a table
 *   LANES(look_up_sum)(how, table, index)
 *
 * Only decryption with all 256 entries is lazy. */
#include <string.h>

/* The chunks of a table. WHOLE: all 256 entries; indices are reduced modulo 256 by overflow. */
typedef enum LANES(layout) {
    LANES(CHUNKS1),
    LANES(CHUNKS2),
    LANES(CHUNKS4),
    LANES(CHUNKS8),
    LANES(CHUNKS16),
    LANES(WHOLE)
} LANES(layout);

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (CHUNKS1) do(CHUNKS2) do(CHUNKS4) do(CHUNKS8) do(CHUNKS16) do(WHOLE)

/* A table stays in memory: it has too many chunks for registers, or loads are as cheap. */
typedef const uint8_t *LANES(table);

static LANES(layout) LANES(layout_of)(uint32_t radix)
{
    return radix <= 16    ? LANES(CHUNKS1)
           : radix <= 32  ? LANES(CHUNKS2)
           : radix <= 64  ? LANES(CHUNKS4)
           : radix <= 128 ? LANES(CHUNKS8)
           : radix < 256  ? LANES(CHUNKS16)
                          : LANES(WHOLE);
}

TALLY_INLINE size_t LANES(chunks)(const LANES(layout) how)
{
    return how == LANES(WHOLE) ? 16 : (size_t)1 << how;
}

static size_t LANES(stride)(uint32_t radix)
{
    size_t bytes = 16 * LANES(chunks)(LANES(layout_of)(radix));
    return bytes < 64 ? 64 : bytes;
}

static void LANES(lay_out_one)(uint32_t radix, const uint8_t *sbox, uint8_t *out);

static void LANES(lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes,
                           size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        LANES(lay_out_one)(radix, sboxes + k * step, tables + k * LANES(stride)(radix));
    }
    if (direction == TALLY_DECRYPT) { /* for load_reducer: a mask, where decryption is lazy */
        memset(tables + TALLY_FAST_POOL_SIZE * LANES(stride)(radix), (int)(radix - 1), 64);
    }
}

TALLY_INLINE LANES(table) LANES(load_table)(const LANES(layout) how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_sum)(const LANES(layout) how, LANES(table) t, LANES(vec) index);

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_difference)(const LANES(layout) how, LANES(table) t, LANES(vec) index)
{
    return LANES(look_up_sum)(how, t, index);
}

TALLY_INLINE lanes_reduction LANES(index_reduction)(const LANES(layout) how)
{
    return how == LANES(WHOLE)      ? LANES_REDUCE_NONE
           : how == LANES(CHUNKS16) ? LANES_REDUCE_COMPARE
                                    : LANES_REDUCE_MIN;
}

TALLY_INLINE lanes_reduction LANES(result_reduction)(const LANES(layout) how)
{
    return LANES(index_reduction)(how);
}

TALLY_INLINE int LANES(is_lazy)(const LANES(layout) how)
{
    return how == LANES(WHOLE);
}

TALLY_INLINE size_t LANES(lazy_rounds)(const LANES(layout) how, uint32_t radix)
{
    (void)radix;
    return how == LANES(WHOLE) ? SIZE_MAX : 0;
}

#define LANES_REDUCE_LAZY(how, x, reducer) LANES_AND(x, reducer)
#define LANES_HAS_RECENT(how)              0
