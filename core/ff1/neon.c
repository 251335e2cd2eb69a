/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes with NEON and AArch64's AES instructions: two numbers are in a vector, and one block. */
#include "base/arch.h"
#include "ff1/lanes.h"

#if defined(TALLY_ARCH_AARCH64)

#include <arm_neon.h>
#include <string.h>

#include "base/unroll.h"
#include "fast/lanes/transpose.h"
#include "ff1/chunks.h"

#define FF1(name) ff1_neon_##name
#if defined(__clang__)
#define FF1_TARGET __attribute__((target("aes")))
#else
#define FF1_TARGET __attribute__((target("+crypto")))
#endif
#define FF1_INLINE      TALLY_INLINE FF1_TARGET
#define FF1_PER         2
#define FF1_VECTORS     4
#define FF1_FEW         12
#define FF1_BITS        60
#define FF1_SMALL_BITS  29
#define FF1_FIRST_KEY   0
#define FF1_TRANSPOSE   tally_transpose_portable
#define FF1_ELSE        tally_ff1_lanes_portable
#define FF1_LEFT(x, n)  vshlq_n_u64(x, n)
#define FF1_RIGHT(x, n) vshrq_n_u64(x, n)

typedef uint64x2_t ff1_neon_vec;
typedef uint16x8_t ff1_neon_vec16;
typedef int64x2_t ff1_neon_shift;

FF1_INLINE uint64x2_t ff1_neon_load(const void *from)
{
    return vreinterpretq_u64_u8(vld1q_u8(from));
}

FF1_INLINE void ff1_neon_store(void *to, uint64x2_t x)
{
    vst1q_u8(to, vreinterpretq_u8_u64(x));
}

FF1_INLINE uint64x2_t ff1_neon_each(uint64_t x)
{
    return vdupq_n_u64(x);
}

FF1_INLINE int64x2_t ff1_neon_shift_by(uint32_t count)
{
    return vdupq_n_s64(count);
}

FF1_INLINE uint64x2_t ff1_neon_or(uint64x2_t x, uint64x2_t y)
{
    return vorrq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_and(uint64x2_t x, uint64x2_t y)
{
    return vandq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_plus(uint64x2_t x, uint64x2_t y)
{
    return vaddq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_minus(uint64x2_t x, uint64x2_t y)
{
    return vsubq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_xor(uint64x2_t x, uint64x2_t y, uint64x2_t z)
{
    return veorq_u64(veorq_u64(x, y), z);
}

FF1_INLINE uint64x2_t ff1_neon_left(uint64x2_t x, int64x2_t count)
{
    return vshlq_u64(x, count);
}

FF1_INLINE uint64x2_t ff1_neon_right(uint64x2_t x, int64x2_t count)
{
    return vshlq_u64(x, vnegq_s64(count));
}

FF1_INLINE uint64x2_t ff1_neon_times(uint64x2_t x, uint64x2_t y)
{
    return vmull_u32(vmovn_u64(x), vmovn_u64(y));
}

FF1_INLINE uint64x2_t ff1_neon_least32(uint64x2_t x, uint64x2_t y)
{
    const uint32x4_t a = vreinterpretq_u32_u64(x), b = vreinterpretq_u32_u64(y);
    return vreinterpretq_u64_u32(vminq_u32(a, b));
}

FF1_INLINE uint64x2_t ff1_neon_choose(uint64x2_t x, uint64x2_t y)
{
    return vbslq_u64(vcltzq_s64(vreinterpretq_s64_u64(x)), y, x);
}

FF1_INLINE uint16x8_t ff1_neon_load16(const uint16_t *from)
{
    return vld1q_u16(from);
}

FF1_INLINE void ff1_neon_store16(uint16_t *to, uint16x8_t x)
{
    vst1q_u16(to, x);
}

FF1_INLINE uint16x8_t ff1_neon_each16(uint32_t x)
{
    return vdupq_n_u16((uint16_t)x);
}

FF1_INLINE uint16x8_t ff1_neon_add16(uint16x8_t x, uint16x8_t y)
{
    return vaddq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_sub16(uint16x8_t x, uint16x8_t y)
{
    return vsubq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_product16(uint16x8_t x, uint16x8_t y)
{
    return vmulq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_high16(uint16x8_t x, uint16x8_t y)
{
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
    return vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
}

FF1_INLINE uint16x8_t ff1_neon_right16(uint16x8_t x, int64x2_t count)
{
    return vshlq_u16(x, vdupq_n_s16((int16_t)-vgetq_lane_s64(count, 0)));
}

FF1_INLINE uint16x8_t ff1_neon_load_symbols(const uint8_t *from, uint32_t last)
{
    return vmovl_u8(vmin_u8(vld1_u8(from), vdup_n_u8((uint8_t)last)));
}

FF1_INLINE void ff1_neon_store_symbols(uint8_t *to, uint16x8_t x)
{
    vst1_u8(to, vmovn_u16(x));
}

FF1_INLINE uint64x2_t ff1_neon_load_chunks(const uint16_t *from)
{
    return vcombine_u64(vcreate_u64(from[0]), vcreate_u64(from[1]));
}

FF1_INLINE void ff1_neon_store_chunks(uint16_t *to, uint64x2_t x)
{
    to[0] = (uint16_t)vgetq_lane_u64(x, 0);
    to[1] = (uint16_t)vgetq_lane_u64(x, 1);
}

FF1_INLINE uint64x2_t ff1_neon_block(const uint8_t *bytes)
{
    return ff1_neon_load(bytes);
}

FF1_INLINE uint64x2_t ff1_neon_deal_even(uint64x2_t x, uint64x2_t y)
{
    (void)y;
    return x;
}

FF1_INLINE uint64x2_t ff1_neon_deal_odd(uint64x2_t x, uint64x2_t y)
{
    (void)x;
    return y;
}

FF1_INLINE uint64x2_t ff1_neon_reverse(uint64x2_t x)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(x)));
}

FF1_INLINE uint64x2_t ff1_neon_even(uint64x2_t x)
{
    return vzip1q_u64(vdupq_n_u64(0), ff1_neon_reverse(x));
}

FF1_INLINE uint64x2_t ff1_neon_odd(uint64x2_t x)
{
    return vcopyq_laneq_u64(ff1_neon_reverse(x), 0, vdupq_n_u64(0), 0);
}

FF1_INLINE uint64x2_t ff1_neon_first(uint64x2_t x, uint64x2_t y)
{
    return ff1_neon_reverse(vzip1q_u64(x, y));
}

FF1_INLINE uint64x2_t ff1_neon_next(uint64x2_t x, uint64x2_t y)
{
    return vshrq_n_u64(ff1_neon_reverse(vzip2q_u64(x, y)), 32);
}

/* A round begins with its key; MixColumns is an instruction of its own. */
FF1_INLINE void ff1_neon_encrypt(const tally_aes_key *aes, uint64x2_t *vectors)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    const uint32_t rounds = aes->rounds;
    uint8x16_t b[2 * FF1_VECTORS];
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        b[i] = vreinterpretq_u8_u64(vectors[i]);
    }
    for (uint32_t r = 0; r + 1 < rounds; r++) {
        const uint8x16_t key = vld1q_u8(keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 2 * FF1_VECTORS; i++) {
            b[i] = vaesmcq_u8(vaeseq_u8(b[i], key));
        }
    }
    const uint8x16_t before = vld1q_u8(keys[rounds - 1]), last = vld1q_u8(keys[rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        vectors[i] = vreinterpretq_u64_u8(veorq_u8(vaeseq_u8(b[i], before), last));
    }
}

#include "ff1/products_body.h"

#include "ff1/lanes_body.h"

const tally_ff1_lanes tally_ff1_lanes_neon = {
    {"neon", TALLY_CPU_NEON | TALLY_CPU_ARM_AES}, ff1_neon_run, ff1_neon_takes_lanes};

#else
typedef int tally_ff1_neon_is_for_aarch64; /* a file may not be empty */
#endif
