/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by VAES on vectors of 256 bits, for CPUs without AVX-512: the AES-NI instructions on two
 * blocks at once. Key schedules, and CBC-MAC of one or two messages, are those of AES-NI. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#include <immintrin.h>

#define TARGET __attribute__((target("aes,vaes,avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { PER = 2, WIDE = 8 };

/* Vectors of one block are the fastest for one or two. */
#define FEW         2
#define encrypt_few tally_aesni_encrypt_blocks
#define decrypt_few tally_aesni_decrypt_blocks
#define ctr_few     tally_aesni_ctr
#define cbc_mac_few tally_aesni_cbc_mac

typedef __m256i vec;

INLINE vec load(const uint8_t *in)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)in);
}

INLINE void store(vec blocks, uint8_t *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out, blocks);
}

INLINE vec load_part(const uint8_t *in, size_t size)
{
    if (size < 16) {
        return _mm256_zextsi128_si256(tally_aesni_load_part(in, size));
    }
    /* The part comes first: what lives across a call is written to the stack, and stays there. */
    __m128i rest = _mm_setzero_si128();
    if (size > 16) {
        rest = tally_aesni_load_part(in + 16, size - 16);
    }
    return _mm256_inserti128_si256(_mm256_zextsi128_si256(tally_aesni_load(in)), rest, 1);
}

INLINE void store_part(vec blocks, size_t size, uint8_t *out)
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

INLINE vec gather(const uint8_t *const messages[], size_t at)
{
    vec first = _mm256_castsi128_si256(tally_aesni_load(messages[0] + at));
    return _mm256_inserti128_si256(first, tally_aesni_load(messages[1] + at), 1);
}

INLINE vec round_key(const uint8_t key[16])
{
    return _mm256_broadcastsi128_si256(tally_aesni_load(key));
}

#define xor_vec                _mm256_xor_si256
#define KEY_OF_MIDDLE          0
#define BEGIN(b, direction, k) _mm256_xor_si256(b, k)
#define MIDDLE(b, direction, k)                                                                    \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenc_epi128(b, k) : _mm256_aesdec_epi128(b, k))
#define END(b, direction, before, k)                                                               \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenclast_epi128(b, k) : _mm256_aesdeclast_epi128(b, k))

/* As in aesni.c, with block 1 from the counter in the upper half. */
typedef struct counting {
    struct tally_counter number;
    vec base, room;
} counting;

INLINE void set_vectors(counting *c)
{
    c->base = _mm256_broadcastsi128_si256(
        _mm_set_epi64x((long long)c->number.high, (long long)c->number.low));
    c->room = _mm256_set1_epi32(tally_counter_room(c->number.low));
}

INLINE counting begin_counting(const uint8_t counter[16])
{
    counting c = {.number = tally_counter_load(counter)};
    set_vectors(&c);
    return c;
}

INLINE vec count(const counting *c, int i)
{
    const vec reverse = _mm256_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f,
                                          0x0001020304050607, 0x08090a0b0c0d0e0f);
    const int j = 2 * i + 1;
    vec carry = _mm256_cmpgt_epi32(_mm256_set_epi32(j, j, 0, 0, 2 * i, 2 * i, 0, 0), c->room);
    vec sum = _mm256_add_epi64(c->base, _mm256_set_epi64x(0, j, 0, 2 * i));
    return _mm256_shuffle_epi8(_mm256_sub_epi64(sum, carry), reverse);
}

INLINE void skip(counting *c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    set_vectors(c);
}

INLINE void end_counting(const counting *c, uint8_t counter[16])
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
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr,
    .cbc_mac = cbc_mac,
};

#else
typedef int tally_aes_vaes_avx2_is_for_x86_64; /* a file may not be empty */
#endif
