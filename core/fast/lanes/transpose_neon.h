/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a transpose with Advanced SIMD (NEON), which every AArch64 has. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_NEON_H
#define TALLY_FAST_LANES_TRANSPOSE_NEON_H

#include <arm_neon.h>

typedef uint8x16_t transpose_vec;

#define TRANSPOSE_LOAD(p)          vld1q_u8(p)
#define TRANSPOSE_LOAD_HALF(p)     vcombine_u8(vld1_u8(p), vdup_n_u8(0))
#define TRANSPOSE_STORE(p, v)      vst1q_u8(p, v)
#define TRANSPOSE_STORE_LOW(p, v)  vst1_u8(p, vget_low_u8(v))
#define TRANSPOSE_STORE_HIGH(p, v) vst1_u8(p, vget_high_u8(v))
#define TRANSPOSE_LOWS(x, y)       vzip1q_u8(x, y)
#define TRANSPOSE_HIGHS(x, y)      vzip2q_u8(x, y)
#define TRANSPOSE_SPREAD(byte)     vdupq_n_u8(byte)
#define TRANSPOSE_ADD(x, y)        vaddq_u8(x, y)
#define TRANSPOSE_SUB(x, y)        vsubq_u8(x, y)

#include "fast/lanes/transpose_block.h"

#endif
