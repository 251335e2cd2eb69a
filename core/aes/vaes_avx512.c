/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by VAES with AVX-512: the AES-NI instructions on four blocks at once. Key schedules, and
 * CBC-MAC of one or two messages, which have nothing to do side by side, are those of AES-NI. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"

#include <immintrin.h>

#define TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { PER = 4, WIDE = 16 };

/* Vectors of one block are the fastest for one or two. */
#define FEW         2
#define encrypt_few tally_aesni_encrypt_blocks
#define decrypt_few tally_aesni_decrypt_blocks
#define ctr_few     tally_aesni_ctr
#define cbc_mac_few tally_aesni_cbc_mac

typedef __m512i vec;

#define load(in)       _mm512_loadu_si512((const void *)(in))
#define store(b, to)   _mm512_storeu_si512((void *)(to), b)
#define round_key(key) _mm512_broadcast_i32x4(tally_aesni_load(key))
#define xor_vec        _mm512_xor_si512

/* Whole blocks need no masks, which take longer to load with, and what was stored by one can't be
 * loaded again before it is in the cache. */
INLINE vec load_part(const uint8_t *in, size_t size)
{
    if (size % 16 != 0) {
        return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (uint32_t)size), in);
    }
    if (size == 16) {
        return _mm512_zextsi128_si512(tally_aesni_load(in));
    }
    vec two = _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)in));
    return size == 32 ? two : _mm512_inserti32x4(two, tally_aesni_load(in + 32), 2);
}

INLINE void store_part(vec blocks, size_t size, uint8_t *out)
{
    if (size % 16 != 0) {
        _mm512_mask_storeu_epi8(out, _bzhi_u64(UINT64_MAX, (uint32_t)size), blocks);
        return;
    }
    if (size == 16) {
        tally_aesni_store(_mm512_castsi512_si128(blocks), out);
        return;
    }
    _mm256_storeu_si256((void *)out, _mm512_castsi512_si256(blocks));
    if (size == 48) {
        tally_aesni_store(_mm512_extracti32x4_epi32(blocks, 2), out + 32);
    }
}

INLINE vec gather(const uint8_t *const messages[], size_t at)
{
    vec v = _mm512_castsi128_si512(tally_aesni_load(messages[0] + at));
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[1] + at), 1);
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[2] + at), 2);
    return _mm512_inserti32x4(v, tally_aesni_load(messages[3] + at), 3);
}

#define KEY_OF_MIDDLE          0
#define BEGIN(b, direction, k) _mm512_xor_si512(b, k)
#define MIDDLE(b, direction, k)                                                                    \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenc_epi128(b, k) : _mm512_aesdec_epi128(b, k))
#define END(b, direction, before, k)                                                               \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenclast_epi128(b, k) : _mm512_aesdeclast_epi128(b, k))

/* The number four times, its lower half first, and in all lanes what can be added to that half
 * without a carry; block i carries if i is more. */
typedef struct counting {
    vec base, room;
} counting;

enum { LOWER = 0x55, UPPER = 0xaa };

INLINE counting count_from(vec base)
{
    return (counting){
        base, _mm512_xor_si512(_mm512_shuffle_epi32(base, _MM_PERM_BABA), _mm512_set1_epi64(-1))};
}

INLINE counting begin_counting(const uint8_t counter[16])
{
    return count_from(_mm512_broadcast_i32x4(tally_aesni_reverse(tally_aesni_load(counter))));
}

INLINE vec add(const counting *c, vec blocks)
{
    vec sum = _mm512_mask_add_epi64(c->base, LOWER, c->base, blocks);
    __mmask8 carries = _mm512_mask_cmpgt_epu64_mask(UPPER, blocks, c->room);
    return _mm512_mask_sub_epi64(sum, carries, sum, _mm512_set1_epi64(-1));
}

INLINE vec count(const counting *c, int i)
{
    const vec reverse =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
    vec blocks = _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                  _mm512_set1_epi64(4 * (long long)i));
    return _mm512_shuffle_epi8(add(c, blocks), reverse);
}

INLINE void skip(counting *c, uint64_t blocks)
{
    *c = count_from(add(c, _mm512_set1_epi64((long long)blocks)));
}

INLINE void end_counting(const counting *c, uint8_t counter[16])
{
    tally_aesni_store(tally_aesni_reverse(_mm512_castsi512_si128(c->base)), counter);
}

#include "aes/instructions_body.h"

const struct tally_aes_backend tally_aes_vaes_avx512 = {
    .backend = {"vaes-avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512 | TALLY_CPU_BMI2 | TALLY_CPU_AVX2 |
                                   TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
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
typedef int tally_aes_vaes_avx512_is_for_x86_64; /* a file may not be empty */
#endif
