/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by the AES-NI instructions of x86-64 (Intel, "Advanced Encryption Standard New Instructions",
 * white paper 323641). */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#define AES(name)  aes_aesni_##name
#define AES_TARGET TALLY_AESNI_TARGET
#define AES_INLINE TALLY_AESNI_INLINE

#define AES_PER  1
#define AES_WIDE 8
#define AES_FEW  0

#define AES_VEC __m128i

#define AES_LOAD       tally_aesni_load
#define AES_STORE      tally_aesni_store
#define AES_LOAD_PART  tally_aesni_load_part
#define AES_STORE_PART tally_aesni_store_part
#define AES_ROUND_KEY  tally_aesni_load
#define AES_XOR        _mm_xor_si128

#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm_xor_si128(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenc_si128(b, k) : _mm_aesdec_si128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenclast_si128(b, k) : _mm_aesdeclast_si128(b, k))

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    return AES_LOAD(messages[0] + at);
}

/* Two 64-bit lanes, the number's lower half first; block i carries into the upper half if i is
 * above until_carry. */
typedef struct AES(counter) {
    struct tally_counter number;
    AES_VEC base, until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = _mm_set_epi64x((long long)c->number.high, (long long)c->number.low);
    c->until_carry = _mm_set1_epi32(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    AES_VEC carry = _mm_cmpgt_epi32(_mm_set_epi32(i, i, 0, 0), c->until_carry);
    return tally_aesni_reverse(_mm_sub_epi64(_mm_add_epi64(c->base, _mm_set_epi64x(0, i)), carry));
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    AES_STORE(tally_aesni_reverse(c->base), counter);
}

#include "aes/instructions_body.h"

TALLY_AESNI_TARGET void tally_aesni_crypt_blocks(const tally_aes_key *key,
                                                 tally_direction direction, const uint8_t *in,
                                                 size_t blocks, uint8_t *out)
{
    aes_aesni_crypt_blocks(key, direction, in, blocks, out);
}

TALLY_AESNI_TARGET void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16],
                                        const uint8_t *in, size_t size, uint8_t *out)
{
    aes_aesni_ctr(key, counter, in, size, out);
}

TALLY_AESNI_TARGET void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes,
                                            const uint8_t *const messages[], size_t blocks,
                                            uint8_t chains[][16])
{
    aes_aesni_cbc_mac(key, lanes, messages, blocks, chains);
}

const struct tally_aes_backend tally_aes_aesni = {
    .backend = {"aes-ni", TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = tally_aesni_crypt_blocks,
    .ctr = tally_aesni_ctr,
    .cbc_mac = tally_aesni_cbc_mac,
};

#else
typedef int tally_aesni_is_for_x86_64; /* a file may not be empty */
#endif
