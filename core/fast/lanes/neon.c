/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with Advanced SIMD (NEON) on AArch64: 16 words a vector. A table look-up takes up to 64
 * entries. For an index beyond them TBL returns zero, and TBX keeps the lane. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_AARCH64)

#include <arm_neon.h>

#include "base/unroll.h"
#include "fast/lanes/reduction.h"

#define LANES(name) lanes_neon_##name
#define LANES_TARGET

typedef uint8x16_t lanes_neon_vec;

#include "fast/lanes/chunks.h"

#define LANES_ZERO                    vdupq_n_u8(0)
#define LANES_ADD(x, y)               vaddq_u8(x, y)
#define LANES_SUB(x, y)               vsubq_u8(x, y)
#define LANES_MIN(x, y)               vminq_u8(x, y)
#define LANES_AND(x, y)               vandq_u8(x, y)
#define LANES_BROADCAST(byte)         vdupq_n_u8((uint8_t)(byte))
#define LANES_ADD_IF_LESS(d, x, y, a) vaddq_u8(d, vandq_u8(vcltq_u8(x, y), a))

static void lanes_neon_lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, lanes_neon_stride(radix));
    memcpy(out, sbox, radix);
}

TALLY_INLINE lanes_neon_vec lanes_neon_look_up_sum(const lanes_neon_layout how, lanes_neon_table t,
                                                   lanes_neon_vec index)
{
    if (how == lanes_neon_CHUNKS1) {
        return vqtbl1q_u8(vld1q_u8(t), index);
    }
    if (how == lanes_neon_CHUNKS2) {
        return vqtbl2q_u8(vld1q_u8_x2(t), index);
    }
    lanes_neon_vec found = vqtbl4q_u8(vld1q_u8_x4(t), index);
    if (how >= lanes_neon_CHUNKS8) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 64), LANES_SUB(index, LANES_BROADCAST(64)));
    }
    if (how >= lanes_neon_CHUNKS16) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 128), LANES_SUB(index, LANES_BROADCAST(128)));
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 192), LANES_SUB(index, LANES_BROADCAST(192)));
    }
    return found;
}

TALLY_INLINE lanes_neon_vec lanes_neon_load_reducer(const lanes_neon_layout how,
                                                    const tally_fast_lane_job *job)
{
    (void)how;
    return vld1q_u8(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

#include "fast/lanes/body.h"

static size_t lanes_neon_min_words(uint32_t radix)
{
    return radix <= 64 ? 1 : radix <= 128 ? 2 : 4;
}

const tally_fast_lanes tally_fast_lanes_neon = {
    .backend = {"neon", TALLY_CPU_NEON},
    .width = 16,
    .stride = lanes_neon_stride,
    .min_words = lanes_neon_min_words,
    .lay_out = lanes_neon_lay_out,
    .run = lanes_neon_run,
    .transpose = &tally_transpose_portable,
};

#include "fast/lanes/undef.h"

#endif
