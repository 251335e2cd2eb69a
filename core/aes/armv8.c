/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by the cryptographic extension of AArch64 (Arm ARM, FEAT_AES). A round begins with the key.
 * MixColumns is a separate instruction, which CPUs fuse with the previous one. */
#include "aes/backend.h"
#include "base/arch.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#include "aes/counter.h"

#include <string.h>

#define AES(name) aes_armv8_##name
#if defined(__clang__)
#define AES_TARGET __attribute__((target("aes")))
#else
#define AES_TARGET __attribute__((target("+crypto")))
#endif
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  1
#define AES_WIDE 8
#define AES_FEW  0

#define AES_VEC uint8x16_t

#define AES_LOAD          vld1q_u8
#define AES_STORE(b, out) vst1q_u8(out, b)
#define AES_ROUND_KEY     vld1q_u8
#define AES_LOAD_PART     AES(load_part)
#define AES_STORE_PART    AES(store_part)
#define AES_XOR           veorq_u8

AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    AES_VEC block = AES_LOAD(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

AES_INLINE void AES(store_part)(AES_VEC block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    AES_STORE(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    return AES_LOAD(messages[0] + at);
}

#define AES_KEY_OF_MIDDLE          -1
#define AES_BEGIN(b, direction, k) (b)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? vaesmcq_u8(vaeseq_u8(b, k)) : vaesimcq_u8(vaesdq_u8(b, k)))
#define AES_END(b, direction, before, last)                                                        \
    veorq_u8((direction) == TALLY_ENCRYPT ? vaeseq_u8(b, before) : vaesdq_u8(b, before), last)

/* Two 64-bit lanes, the number's lower half first; block i carries into the upper half if i is
 * above until_carry. */
typedef struct AES(counter) {
    struct tally_counter number;
    uint64x2_t base;
    int64x2_t until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = vcombine_u64(vcreate_u64(c->number.low), vcreate_u64(c->number.high));
    c->until_carry = vdupq_n_s64(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const uint64_t blocks = (uint64_t)i;
    uint64x2_t in_lower = vcombine_u64(vcreate_u64(blocks), vcreate_u64(0));
    int64x2_t in_upper = vcombine_s64(vcreate_s64(0), vcreate_s64(blocks));
    uint64x2_t sum = vsubq_u64(vaddq_u64(c->base, in_lower), vcgtq_s64(in_upper, c->until_carry));
    AES_VEC bytes = vrev64q_u8(vreinterpretq_u8_u64(sum));
    return vextq_u8(bytes, bytes, 8);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    tally_counter_store(c->number, counter);
}

/* ShiftRows does nothing to four equal columns. */
AES_INLINE uint32_t AES(sub_word)(uint32_t word)
{
    AES_VEC x = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0));
    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

#define AES_EXPAND   AES_INLINE void AES(expand)
#define AES_SUB_WORD AES(sub_word)
#include "aes/key_schedule_body.h"

AES_TARGET static void AES(expand_key)(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    AES(expand)(key, key_size / 4, key_size + 28, round_keys);
}

AES_TARGET static void AES(set_decryption)(tally_aes_key *out)
{
    uint8_t(*encryption)[16] = out->round_keys.bytes[TALLY_ENCRYPT];
    uint8_t(*decryption)[16] = out->round_keys.bytes[TALLY_DECRYPT];
    const size_t rounds = out->rounds;
    AES_STORE(AES_LOAD(encryption[rounds]), decryption[0]);
    for (size_t i = 1; i < rounds; i++) {
        AES_STORE(vaesimcq_u8(AES_LOAD(encryption[rounds - i])), decryption[i]);
    }
    AES_STORE(AES_LOAD(encryption[0]), decryption[rounds]);
}

AES_TARGET static void AES(key_init_round_keys)(const uint8_t *round_keys, tally_aes_key *out)
{
    memcpy(out->round_keys.bytes[TALLY_ENCRYPT], round_keys, 16 * ((size_t)out->rounds + 1));
    AES(set_decryption)(out);
}

AES_TARGET static void AES(key_init)(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    AES(expand_key)(key, key_size, out->round_keys.bytes[TALLY_ENCRYPT][0]);
    AES(set_decryption)(out);
}

#include "aes/instructions_body.h"

const struct tally_aes_backend tally_aes_armv8 = {
    .backend = {"armv8", TALLY_CPU_ARM_AES},
    .key_init = aes_armv8_key_init,
    .expand = aes_armv8_expand_key,
    .key_init_round_keys = aes_armv8_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = aes_armv8_crypt_blocks,
    .ctr = aes_armv8_ctr,
    .cbc_mac = aes_armv8_cbc_mac,
};

#else
typedef int tally_aes_armv8_is_for_aarch64; /* a file may not be empty */
#endif
