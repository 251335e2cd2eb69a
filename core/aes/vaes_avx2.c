/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by VAES on vectors of 256 bits, for CPUs without AVX-512: the AES-NI instructions on two
 * blocks at once. Key schedules, and CBC-MAC of one or two messages, are those of AES-NI. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#include <immintrin.h>

#define AES(name)  aes_vaes_avx2_##name
#define AES_TARGET __attribute__((target("aes,vaes,avx2")))
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  2
#define AES_WIDE 8

/* Vectors of one block are the fastest for one or two. */
#define AES_FEW         2
#define AES_FEW_BLOCKS  tally_aesni_crypt_blocks
#define AES_FEW_CTR     tally_aesni_ctr
#define AES_FEW_CBC_MAC tally_aesni_cbc_mac

#define AES_VEC __m256i

AES_INLINE AES_VEC AES(load)(const uint8_t *in)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)in);
}

AES_INLINE void AES(store)(AES_VEC blocks, uint8_t *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out, blocks);
}

AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    if (size < 16) {
        return _mm256_zextsi128_si256(tally_aesni_load_part(in, size));
    }
    /* The part is loaded first: values that live across a call are copied to the stack, unwiped. */
    __m128i rest = _mm_setzero_si128();
    if (size > 16) {
        rest = tally_aesni_load_part(in + 16, size - 16);
    }
    return _mm256_inserti128_si256(_mm256_zextsi128_si256(tally_aesni_load(in)), rest, 1);
}

AES_INLINE void AES(store_part)(AES_VEC blocks, size_t size, uint8_t *out)
{
    if (size < 16) {
        tally_aesni_store_part(_mm256_castsi256_si128(blocks), size, out);
        return;
    }
    tally_aesni_store(_mm256_castsi256_si128(blocks), out);
    if (size > 16) {
        tally_aesni_store_part(_mm256_extracti128_si256(blocks, 1), size - 16, out + 16);
    }
}

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    AES_VEC first = _mm256_castsi128_si256(tally_aesni_load(messages[0] + at));
    return _mm256_inserti128_si256(first, tally_aesni_load(messages[1] + at), 1);
}

AES_INLINE AES_VEC AES(round_key)(const uint8_t key[16])
{
    return _mm256_broadcastsi128_si256(tally_aesni_load(key));
}

#define AES_LOAD                   AES(load)
#define AES_STORE                  AES(store)
#define AES_LOAD_PART              AES(load_part)
#define AES_STORE_PART             AES(store_part)
#define AES_ROUND_KEY              AES(round_key)
#define AES_XOR                    _mm256_xor_si256
#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm256_xor_si256(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenc_epi128(b, k) : _mm256_aesdec_epi128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenclast_epi128(b, k) : _mm256_aesdeclast_epi128(b, k))

/* As in aesni.c, with block 1 from the counter in the upper half. */
typedef struct AES(counter) {
    struct tally_counter number;
    AES_VEC base, until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = _mm256_broadcastsi128_si256(
        _mm_set_epi64x((long long)c->number.high, (long long)c->number.low));
    c->until_carry = _mm256_set1_epi32(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const AES_VEC reverse = _mm256_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f,
                                              0x0001020304050607, 0x08090a0b0c0d0e0f);
    const int j = 2 * i + 1;
    AES_VEC carry =
        _mm256_cmpgt_epi32(_mm256_set_epi32(j, j, 0, 0, 2 * i, 2 * i, 0, 0), c->until_carry);
    AES_VEC sum = _mm256_add_epi64(c->base, _mm256_set_epi64x(0, j, 0, 2 * i));
    return _mm256_shuffle_epi8(_mm256_sub_epi64(sum, carry), reverse);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    tally_aesni_store(tally_aesni_reverse(_mm256_castsi256_si128(c->base)), counter);
}

#include "aes/instructions_body.h"

const struct tally_aes_backend tally_aes_vaes_avx2 = {
    .backend = {"vaes-avx2", TALLY_CPU_VAES | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = aes_vaes_avx2_crypt_blocks,
    .ctr = aes_vaes_avx2_ctr,
    .cbc_mac = aes_vaes_avx2_cbc_mac,
};

#else
typedef int tally_aes_vaes_avx2_is_for_x86_64; /* a file may not be empty */
#endif
