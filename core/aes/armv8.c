/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by the cryptographic extension of AArch64 (Arm ARM, FEAT_AES). Its rounds begin with the key,
 * and MixColumns is an instruction of its own, which CPUs join with the one before. */
#include "aes/backend.h"
#include "base/arch.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#include "aes/counter.h"

#include <string.h>

#if defined(__clang__)
#define TARGET __attribute__((target("aes")))
#else
#define TARGET __attribute__((target("+crypto")))
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { PER = 1, WIDE = 8 };
#define FEW 0

typedef uint8x16_t vec;

#define load          vld1q_u8
#define store(b, out) vst1q_u8(out, b)
#define round_key     vld1q_u8
#define xor_vec       veorq_u8

INLINE vec load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    vec block = load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

INLINE void store_part(vec block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

INLINE vec gather(const uint8_t *const messages[], size_t at)
{
    return load(messages[0] + at);
}

#define KEY_OF_MIDDLE          -1
#define BEGIN(b, direction, k) (b)
#define MIDDLE(b, direction, k)                                                                    \
    ((direction) == TALLY_ENCRYPT ? vaesmcq_u8(vaeseq_u8(b, k)) : vaesimcq_u8(vaesdq_u8(b, k)))
#define END(b, direction, before, last)                                                            \
    veorq_u8((direction) == TALLY_ENCRYPT ? vaeseq_u8(b, before) : vaesdq_u8(b, before), last)

/* Two 64-bit lanes, the number's lower half first; block i carries into the other one if i is more
 * than the room. */
typedef struct counting {
    struct tally_counter number;
    uint64x2_t base;
    int64x2_t room;
} counting;

INLINE void set_vectors(counting *c)
{
    c->base = vcombine_u64(vcreate_u64(c->number.low), vcreate_u64(c->number.high));
    c->room = vdupq_n_s64(tally_counter_room(c->number.low));
}

INLINE counting begin_counting(const uint8_t counter[16])
{
    counting c = {.number = tally_counter_load(counter)};
    set_vectors(&c);
    return c;
}

INLINE vec count(const counting *c, int i)
{
    const uint64_t blocks = (uint64_t)i;
    uint64x2_t in_lower = vcombine_u64(vcreate_u64(blocks), vcreate_u64(0));
    int64x2_t in_upper = vcombine_s64(vcreate_s64(0), vcreate_s64(blocks));
    uint64x2_t sum = vsubq_u64(vaddq_u64(c->base, in_lower), vcgtq_s64(in_upper, c->room));
    vec bytes = vrev64q_u8(vreinterpretq_u8_u64(sum));
    return vextq_u8(bytes, bytes, 8);
}

INLINE void skip(counting *c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    set_vectors(c);
}

INLINE void end_counting(const counting *c, uint8_t counter[16])
{
    tally_counter_store(c->number, counter);
}

#include "aes/instructions_body.h"

/* ShiftRows does nothing to four equal columns. */
INLINE uint32_t sub_word(uint32_t word)
{
    vec x = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0));
    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

#define EXPAND INLINE
#include "aes/key_schedule_body.h"

TARGET static void expand_key(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    expand(key, key_size / 4, key_size + 28, round_keys);
}

TARGET static void set_decryption(tally_aes_key *out)
{
    uint8_t(*encryption)[16] = out->round_keys.bytes[TALLY_ENCRYPT];
    uint8_t(*decryption)[16] = out->round_keys.bytes[TALLY_DECRYPT];
    const size_t rounds = out->rounds;
    store(load(encryption[rounds]), decryption[0]);
    for (size_t i = 1; i < rounds; i++) {
        store(vaesimcq_u8(load(encryption[rounds - i])), decryption[i]);
    }
    store(load(encryption[0]), decryption[rounds]);
}

TARGET static void set_round_keys(const uint8_t *round_keys, tally_aes_key *out)
{
    memcpy(out->round_keys.bytes[TALLY_ENCRYPT], round_keys, 16 * ((size_t)out->rounds + 1));
    set_decryption(out);
}

TARGET static void set_key(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    expand_key(key, key_size, out->round_keys.bytes[TALLY_ENCRYPT][0]);
    set_decryption(out);
}

const struct tally_aes_backend tally_aes_armv8 = {
    .backend = {"armv8", TALLY_CPU_ARM_AES},
    .key_init = set_key,
    .expand = expand_key,
    .key_init_round_keys = set_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr,
    .cbc_mac = cbc_mac,
};

#else
typedef int tally_aes_armv8_is_for_aarch64; /* a file may not be empty */
#endif
