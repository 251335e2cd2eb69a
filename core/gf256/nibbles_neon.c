/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by tbl of AArch64: 16 bytes a vector. Products of two vectors are those of portable C. */
#include "base/arch.h"
#include "gf256/gf256.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>
#include <string.h>

#define GF256(name) gf256_nibbles_neon_##name
#define GF256_VEC   uint8x16_t
#define GF256_TARGET
#define GF256_BYTES      16
#define GF256_LOAD       vld1q_u8
#define GF256_STORE      vst1q_u8
#define GF256_SOME_LOAD  gf256_nibbles_neon_load_tail
#define GF256_SOME_STORE gf256_nibbles_neon_store_tail
#define GF256_TABLE      vld1q_u8
#define GF256_LOW(v)     vandq_u8(v, vdupq_n_u8(0x0F))
#define GF256_HIGH(v)    vshrq_n_u8(v, 4)
#define GF256_LOOK_UP    vqtbl1q_u8
#define GF256_XOR        veorq_u8
#define GF256_ZERO       vdupq_n_u8(0)

/* The first bytes of a vector go through a buffer on the stack, which is wiped. */
static inline GF256_VEC gf256_nibbles_neon_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[GF256_BYTES] = {0};
    memcpy(bytes, from, count);
    GF256_VEC v = vld1q_u8(bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

static inline void gf256_nibbles_neon_store_tail(uint8_t *to, size_t count, GF256_VEC v)
{
    uint8_t bytes[GF256_BYTES];
    vst1q_u8(bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#include "gf256/nibbles_body.h"

const struct tally_gf256_backend tally_gf256_nibbles_neon = {
    .backend = {"nibbles-neon", TALLY_CPU_NEON},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_neon_evaluate,
    .combine = gf256_nibbles_neon_combine};

#endif
