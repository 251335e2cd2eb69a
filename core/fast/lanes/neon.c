/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with Advanced SIMD (NEON) on AArch64: 16 words a vector. A table look-up takes up to 64
 * entries, and leaves a lane as it was (tbx), or zero (tbl), where the index is beyond them. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_AARCH64)

#include <arm_neon.h>

#include "fast/lanes/chunks.h"

#define TARGET

typedef uint8x16_t vec;

#define ZERO                    vdupq_n_u8(0)
#define ADD(x, y)               vaddq_u8(x, y)
#define SUB(x, y)               vsubq_u8(x, y)
#define MIN(x, y)               vminq_u8(x, y)
#define AND(x, y)               vandq_u8(x, y)
#define SPREAD(byte)            vdupq_n_u8((uint8_t)(byte))
#define ADD_IF_LESS(d, x, y, a) vaddq_u8(d, vandq_u8(vcltq_u8(x, y), a))

static void lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, stride(radix));
    memcpy(out, sbox, radix);
}

INLINE vec look_up_sum(const layout how, table t, vec index)
{
    if (how == CHUNKS1) {
        return vqtbl1q_u8(vld1q_u8(t), index);
    }
    if (how == CHUNKS2) {
        return vqtbl2q_u8(vld1q_u8_x2(t), index);
    }
    vec found = vqtbl4q_u8(vld1q_u8_x4(t), index);
    if (how >= CHUNKS8) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 64), SUB(index, SPREAD(64)));
    }
    if (how >= CHUNKS16) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 128), SUB(index, SPREAD(128)));
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 192), SUB(index, SPREAD(192)));
    }
    return found;
}

INLINE vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    return vld1q_u8(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

#include "fast/lanes/body.h"

static size_t fewest(uint32_t radix)
{
    return radix <= 64 ? 1 : radix <= 128 ? 2 : 4;
}

const tally_fast_lanes tally_fast_lanes_neon = {
    "neon",          TALLY_CPU_NEON,  16,      stride,   fewest,
    lay_out_forward, lay_out_inverse, forward, backward, &tally_transpose_portable};

#endif
