/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes without vectors: a group is one word, and several groups run side by side, so that the
 * look-ups of one hide the latency of the others. The tables are the one-word code's, in memory,
 * and the indices are secret: see docs/explanation/side-channels.md. */
#include "base/unroll.h"
#include "fast/lanes/lanes.h"
#include "fast/lanes/reduction.h"

#define LANES(name) lanes_portable_##name
#define LANES_TARGET

/* Tables of S at every sum and difference; of S alone; of S alone where sums exceed a byte; and of
 * all 256 entries, where indices are reduced by overflow. */
typedef enum lanes_portable_layout {
    lanes_portable_EXPANDED,
    lanes_portable_PLAIN,
    lanes_portable_LARGE,
    lanes_portable_WHOLE
} lanes_portable_layout;

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (EXPANDED) do(PLAIN) do(LARGE) do(WHOLE)

typedef uint8_t lanes_portable_vec;
typedef const uint8_t *lanes_portable_table;

#define LANES_ZERO            0
#define LANES_ADD(x, y)       ((uint8_t)((x) + (y)))
#define LANES_SUB(x, y)       ((uint8_t)((x) - (y)))
#define LANES_MIN(x, y)       lanes_portable_min(x, y)
#define LANES_BROADCAST(byte) ((uint8_t)(byte))
/* By the sign of the difference: clang would compile a comparison to a branch. */
#define LANES_ADD_IF_LESS(d, x, y, a) ((uint8_t)((d) + ((a) & (0 - (((uint32_t)(x) - (y)) >> 31)))))

TALLY_INLINE uint8_t lanes_portable_min(uint8_t x, uint8_t y)
{
    return x < y ? x : y;
}

static lanes_portable_layout lanes_portable_layout_of(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED ? lanes_portable_EXPANDED
           : radix <= 128                   ? lanes_portable_PLAIN
           : radix < 256                    ? lanes_portable_LARGE
                                            : lanes_portable_WHOLE;
}

TALLY_INLINE lanes_portable_table lanes_portable_load_table(const lanes_portable_layout how,
                                                            const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

TALLY_INLINE lanes_portable_vec lanes_portable_look_up_sum(const lanes_portable_layout how,
                                                           lanes_portable_table t,
                                                           lanes_portable_vec index)
{
    (void)how;
    return t[index];
}

TALLY_INLINE lanes_portable_vec lanes_portable_look_up_difference(const lanes_portable_layout how,
                                                                  lanes_portable_table t,
                                                                  lanes_portable_vec index)
{
    return how == lanes_portable_EXPANDED ? t[(int8_t)index] : t[index];
}

TALLY_INLINE lanes_reduction lanes_portable_index_reduction(const lanes_portable_layout how)
{
    return how == lanes_portable_PLAIN   ? LANES_REDUCE_MIN
           : how == lanes_portable_LARGE ? LANES_REDUCE_COMPARE
                                         : LANES_REDUCE_NONE;
}

TALLY_INLINE lanes_reduction lanes_portable_result_reduction(const lanes_portable_layout how)
{
    return how == lanes_portable_WHOLE   ? LANES_REDUCE_NONE
           : how == lanes_portable_LARGE ? LANES_REDUCE_COMPARE
                                         : LANES_REDUCE_MIN;
}

TALLY_INLINE int lanes_portable_is_lazy(const lanes_portable_layout how)
{
    (void)how;
    return 0;
}

TALLY_INLINE size_t lanes_portable_lazy_rounds(const lanes_portable_layout how, uint32_t radix)
{
    (void)how;
    (void)radix;
    return 0;
}

#define LANES_REDUCE_LAZY(how, x, reducer) ((void)(reducer), (x))
#define LANES_HAS_RECENT(how)              0

TALLY_INLINE lanes_portable_vec lanes_portable_load_reducer(const lanes_portable_layout how,
                                                            const tally_fast_lane_job *job)
{
    (void)how;
    (void)job;
    return 0;
}

#include "fast/lanes/body.h"

/* No tables of its own. */
static size_t lanes_portable_stride(uint32_t radix)
{
    (void)radix;
    return 0;
}

/* A group is one word, so a transpose in blocks would gain nothing. */
static void lanes_portable_to_lanes(const uint8_t *const *rows, size_t count, size_t length,
                                    size_t stride, uint8_t *lanes)
{
    for (size_t k = 0; k < stride; k++) {
        const uint8_t *row = rows[k < count ? k : count - 1];
        for (size_t p = 0; p < length; p++) {
            lanes[p * stride + k] = row[p];
        }
    }
}

static void lanes_portable_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                      size_t length, uint8_t *const *rows)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < length; p++) {
            rows[k][p] = lanes[p * stride + k];
        }
    }
}

static int lanes_portable_words_to_lanes(const uint8_t *words, size_t count, size_t length,
                                         size_t stride, uint8_t zero, uint32_t limit,
                                         uint8_t *lanes)
{
    for (size_t k = 0; k < stride; k++) {
        const uint8_t *word = words + (k < count ? k : count - 1) * length;
        for (size_t p = 0; p < length; p++) {
            lanes[p * stride + k] = (uint8_t)(word[p] - zero);
        }
    }
    return tally_all_below(limit, lanes, stride * length);
}

static void lanes_portable_words_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                            size_t length, uint8_t zero, uint8_t *words)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < length; p++) {
            words[k * length + p] = (uint8_t)(lanes[p * stride + k] + zero);
        }
    }
}

static const tally_transpose lanes_portable_transpose = {
    lanes_portable_to_lanes, lanes_portable_from_lanes, lanes_portable_words_to_lanes,
    lanes_portable_words_from_lanes};

static size_t lanes_portable_min_words(uint32_t radix)
{
    (void)radix;
    return 1;
}

const tally_fast_lanes tally_fast_lanes_portable = {
    .backend = {"portable", 0},
    .width = 1,
    .stride = lanes_portable_stride,
    .min_words = lanes_portable_min_words,
    .lay_out = NULL,
    .run = lanes_portable_run,
    .transpose = &lanes_portable_transpose,
};

#include "fast/lanes/undef.h"
