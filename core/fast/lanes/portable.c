/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes without vectors: a group is one word, and the groups of a ring are words side by side, so
 * that the look-ups of one hide the latency of the others'. The tables are those of the one-word
 * code, in memory, at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/lanes/lanes.h"
#include "fast/lanes/macros.h"

#define TARGET

/* What a table holds: S at every sum and difference; S alone; and all 256 entries, so that indices
 * wrap around by themselves. LARGE: sums exceed a byte. */
typedef enum layout { EXPANDED, PLAIN, LARGE, WHOLE } layout;

#define FOR_LAYOUTS(do)                                                                            \
    do                                                                                             \
    (EXPANDED) do(PLAIN) do(LARGE) do(WHOLE)

typedef uint8_t vec;
typedef const uint8_t *table;

#define ZERO         0
#define ADD(x, y)    ((uint8_t)((x) + (y)))
#define SUB(x, y)    ((uint8_t)((x) - (y)))
#define MIN(x, y)    lesser(x, y)
#define SPREAD(byte) ((uint8_t)(byte))
/* By the sign of a difference: of a comparison clang makes a branch. */
#define ADD_IF_LESS(d, x, y, a) ((uint8_t)((d) + ((a) & (0 - (((uint32_t)(x) - (y)) >> 31)))))

INLINE uint8_t lesser(uint8_t x, uint8_t y)
{
    return x < y ? x : y;
}

static layout layout_of(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED ? EXPANDED
           : radix <= 128                   ? PLAIN
           : radix < 256                    ? LARGE
                                            : WHOLE;
}

INLINE table load_table(const layout how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

INLINE vec look_up_sum(const layout how, table t, vec index)
{
    (void)how;
    return t[index];
}

INLINE vec look_up_difference(const layout how, table t, vec index)
{
    return how == EXPANDED ? t[(int8_t)index] : t[index];
}

INLINE reduction index_reduction(const layout how)
{
    return how == PLAIN ? LESSER : how == LARGE ? COMPARED : NONE;
}

INLINE reduction result_reduction(const layout how)
{
    return how == WHOLE ? NONE : how == LARGE ? COMPARED : LESSER;
}

INLINE int strays(const layout how)
{
    (void)how;
    return 0;
}

INLINE size_t plain_rounds(const layout how, uint32_t radix)
{
    (void)how;
    (void)radix;
    return 0;
}

#define SETTLE(how, x, settling) ((void)(settling), (x))
#define NEAR(how)                0

INLINE vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    (void)job;
    return 0;
}

#include "fast/lanes/body.h"

/* None of its own. */
static size_t stride(uint32_t radix)
{
    (void)radix;
    return 0;
}

/* A group is one word, so blocks of words have nothing to gain. */
static void to_lanes(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes)
{
    for (size_t k = 0; k < stride; k++) {
        const uint8_t *row = rows[k < count ? k : count - 1];
        for (size_t p = 0; p < length; p++) {
            lanes[p * stride + k] = row[p];
        }
    }
}

static void from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < length; p++) {
            rows[k][p] = lanes[p * stride + k];
        }
    }
}

static size_t fewest(uint32_t radix)
{
    (void)radix;
    return 1;
}

static const tally_transpose transpose = {to_lanes, from_lanes};

const tally_fast_lanes tally_fast_lanes_portable = {
    "portable", 0, 1, stride, fewest, NULL, NULL, forward, backward, &transpose};
