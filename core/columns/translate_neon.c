/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with Advanced SIMD (NEON) on AArch64: two look-ups in 64 entries each, of which the
 * second leaves a lane as it was where the index is not its own. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_AARCH64)

#include <arm_neon.h>

#include "fast/lanes/macros.h"

#define TARGET

typedef uint8x16_t vec;
typedef struct table {
    uint8x16x4_t low, high;
} table;

#define ZERO         vdupq_n_u8(0)
#define SPREAD(byte) vdupq_n_u8((uint8_t)(byte))
#define LOAD(p)      vld1q_u8(p)
#define STORE(p, v)  vst1q_u8(p, v)
#define ADD(x, y)    vaddq_u8(x, y)
#define SUB(x, y)    vsubq_u8(x, y)
#define MIN(x, y)    vminq_u8(x, y)
#define AND(x, y)    vandq_u8(x, y)
#define OR(x, y)     vorrq_u8(x, y)
#define XOR(x, y)    veorq_u8(x, y)
/* As signed numbers, bytes with the top bit are below zero. */
#define CHOOSE(by, x, y) vbslq_u8(vcltzq_s8(vreinterpretq_s8_u8(by)), y, x)

INLINE table load_table(const uint8_t bytes[128])
{
    table t = {vld1q_u8_x4(bytes), vld1q_u8_x4(bytes + 64)};
    return t;
}

INLINE vec look_up(table t, vec index)
{
    return vqtbx4q_u8(vqtbl4q_u8(t.low, index), t.high, SUB(index, SPREAD(64)));
}

#include "columns/translate_body.h"

const tally_translate tally_translate_neon = {{"neon", TALLY_CPU_NEON}, read, write};

#else
typedef int tally_translate_neon_is_for_aarch64; /* a file may not be empty */
#endif
