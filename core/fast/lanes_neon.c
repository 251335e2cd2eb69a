/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with Advanced SIMD (NEON) on AArch64: 16 words a vector. A table look-up takes up to 64
 * entries, and leaves a lane as it was (tbx), or zero (tbl), where the index is beyond them. */
#include "fast/lanes.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <string.h>

#include "fast/lanes_macros.h"

#define TARGET

/* The entries of a table. WHOLE: all 256, so that indices wrap around by themselves. */
typedef enum layout { PLAIN16, PLAIN32, PLAIN64, PLAIN128, PLAIN256, WHOLE } layout;

#define FOR_LAYOUTS(do)                                                                            \
    do                                                                                             \
    (PLAIN16) do(PLAIN32) do(PLAIN64) do(PLAIN128) do(PLAIN256) do(WHOLE)

typedef uint8x16_t vec;
typedef const uint8_t *table;

#define ZERO                    vdupq_n_u8(0)
#define ADD(x, y)               vaddq_u8(x, y)
#define SUB(x, y)               vsubq_u8(x, y)
#define MIN(x, y)               vminq_u8(x, y)
#define SPREAD(byte)            vdupq_n_u8((uint8_t)(byte))
#define ADD_IF_LESS(d, x, y, a) vaddq_u8(d, vandq_u8(vcltq_u8(x, y), a))

static layout layout_of(uint32_t radix)
{
    return radix <= 16    ? PLAIN16
           : radix <= 32  ? PLAIN32
           : radix <= 64  ? PLAIN64
           : radix <= 128 ? PLAIN128
           : radix < 256  ? PLAIN256
                          : WHOLE;
}

static size_t stride(uint32_t radix)
{
    return radix <= 64 ? 64 : radix <= 128 ? 128 : 256;
}

static void lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, stride(radix));
    memcpy(out, sbox, radix);
}

static void lay_out_forward(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        lay_out_one(radix, sboxes + k * step, tables + k * stride(radix));
    }
}

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

INLINE vec look_up_sum(const layout how, table t, vec index)
{
    if (how == PLAIN16) {
        return vqtbl1q_u8(vld1q_u8(t), index);
    }
    if (how == PLAIN32) {
        return vqtbl2q_u8(vld1q_u8_x2(t), index);
    }
    vec found = vqtbl4q_u8(vld1q_u8_x4(t), index);
    if (how >= PLAIN128) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 64), SUB(index, SPREAD(64)));
    }
    if (how >= PLAIN256) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 128), SUB(index, SPREAD(128)));
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 192), SUB(index, SPREAD(192)));
    }
    return found;
}

#define look_up_difference look_up_sum

INLINE reduction index_reduction(const layout how)
{
    return how == WHOLE ? NONE : how == PLAIN256 ? COMPARED : LESSER;
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

#define SETTLE(how, x, settling) vandq_u8(x, settling)

INLINE vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    return vld1q_u8(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

#define NEAR(how) 0

#include "fast/lanes_body.h"

const tally_fast_lanes tally_fast_lanes_neon = {"neon",
                                                0,
                                                16,
                                                stride,
                                                lay_out_forward,
                                                lay_out_inverse,
                                                forward,
                                                backward,
                                                &tally_transpose_portable,
                                                NULL};

#endif
