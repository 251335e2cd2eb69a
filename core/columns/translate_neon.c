/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with Advanced SIMD (NEON) on AArch64: two look-ups in 64 entries each, of which the
 * second leaves a lane as it was where the index is not its own. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_AARCH64)

#include <arm_neon.h>

#include "base/unroll.h"

#define TRANSLATE(name) translate_neon_##name
#define TRANSLATE_TARGET

typedef uint8x16_t translate_neon_vec;
typedef struct translate_neon_table {
    uint8x16x4_t low, high;
} translate_neon_table;

#define TRANSLATE_ZERO         vdupq_n_u8(0)
#define TRANSLATE_SPREAD(byte) vdupq_n_u8((uint8_t)(byte))
#define TRANSLATE_LOAD(p)      vld1q_u8(p)
#define TRANSLATE_STORE(p, v)  vst1q_u8(p, v)
#define TRANSLATE_ADD(x, y)    vaddq_u8(x, y)
#define TRANSLATE_SUB(x, y)    vsubq_u8(x, y)
#define TRANSLATE_MIN(x, y)    vminq_u8(x, y)
#define TRANSLATE_MAX(x, y)    vmaxq_u8(x, y)
#define TRANSLATE_AND(x, y)    vandq_u8(x, y)
#define TRANSLATE_OR(x, y)     vorrq_u8(x, y)
#define TRANSLATE_XOR(x, y)    veorq_u8(x, y)
/* As signed numbers, bytes with the top bit are below zero. */
#define TRANSLATE_CHOOSE(by, x, y) vbslq_u8(vcltzq_s8(vreinterpretq_s8_u8(by)), y, x)

TALLY_INLINE translate_neon_table translate_neon_load_table(const uint8_t bytes[128])
{
    translate_neon_table t = {vld1q_u8_x4(bytes), vld1q_u8_x4(bytes + 64)};
    return t;
}

TALLY_INLINE translate_neon_vec translate_neon_look_up(translate_neon_table t,
                                                       translate_neon_vec index)
{
    return vqtbx4q_u8(vqtbl4q_u8(t.low, index), t.high, TRANSLATE_SUB(index, TRANSLATE_SPREAD(64)));
}

#include "columns/translate_body.h"

const tally_translate tally_translate_neon = {
    {"neon", TALLY_CPU_NEON}, translate_neon_read, translate_neon_write};

#else
typedef int tally_translate_neon_is_for_aarch64; /* a file may not be empty */
#endif
