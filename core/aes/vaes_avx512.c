/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by VAES with AVX-512: the AES-NI instructions on four blocks at once. Key schedules, and
 * CBC-MAC of one or two messages, are those of AES-NI. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"

#include <immintrin.h>

#define AES(name)  aes_vaes_avx512_##name
#define AES_TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl,bmi2")))
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  4
#define AES_WIDE 16

/* Vectors of one block are the fastest for one or two. */
#define AES_FEW         2
#define AES_FEW_BLOCKS  tally_aesni_crypt_blocks
#define AES_FEW_CTR     tally_aesni_ctr
#define AES_FEW_CBC_MAC tally_aesni_cbc_mac

#define AES_VEC __m512i

#define AES_LOAD(in)       _mm512_loadu_si512((const void *)(in))
#define AES_STORE(b, to)   _mm512_storeu_si512((void *)(to), b)
#define AES_ROUND_KEY(key) _mm512_broadcast_i32x4(tally_aesni_load(key))
#define AES_LOAD_PART      AES(load_part)
#define AES_STORE_PART     AES(store_part)
#define AES_XOR            _mm512_xor_si512

/* Whole blocks do without masks: a masked load takes longer, and a load after a masked store waits
 * until the store is in the cache. */
AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    if (size % 16 != 0) {
        return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (uint32_t)size), in);
    }
    if (size == 16) {
        return _mm512_zextsi128_si512(tally_aesni_load(in));
    }
    AES_VEC two = _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)in));
    return size == 32 ? two : _mm512_inserti32x4(two, tally_aesni_load(in + 32), 2);
}

AES_INLINE void AES(store_part)(AES_VEC blocks, size_t size, uint8_t *out)
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

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    AES_VEC v = _mm512_castsi128_si512(tally_aesni_load(messages[0] + at));
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[1] + at), 1);
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[2] + at), 2);
    return _mm512_inserti32x4(v, tally_aesni_load(messages[3] + at), 3);
}

#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm512_xor_si512(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenc_epi128(b, k) : _mm512_aesdec_epi128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenclast_epi128(b, k) : _mm512_aesdeclast_epi128(b, k))

/* The number four times, its lower half first, and in all lanes the greatest number that can be
 * added to that half without a carry. */
typedef struct AES(counter) {
    AES_VEC base, until_carry;
} AES(counter);

enum { AES_VAES_AVX512_LOWER = 0x55, AES_VAES_AVX512_UPPER = 0xaa };

AES_INLINE AES(counter) AES(counter_from)(AES_VEC base)
{
    return (AES(counter)){
        base, _mm512_xor_si512(_mm512_shuffle_epi32(base, _MM_PERM_BABA), _mm512_set1_epi64(-1))};
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    return AES(counter_from)(
        _mm512_broadcast_i32x4(tally_aesni_reverse(tally_aesni_load(counter))));
}

AES_INLINE AES_VEC AES(counter_add)(const AES(counter) * c, AES_VEC blocks)
{
    AES_VEC sum = _mm512_mask_add_epi64(c->base, AES_VAES_AVX512_LOWER, c->base, blocks);
    __mmask8 carries = _mm512_mask_cmpgt_epu64_mask(AES_VAES_AVX512_UPPER, blocks, c->until_carry);
    return _mm512_mask_sub_epi64(sum, carries, sum, _mm512_set1_epi64(-1));
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const AES_VEC reverse =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
    AES_VEC blocks = _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                      _mm512_set1_epi64(4 * (long long)i));
    return _mm512_shuffle_epi8(AES(counter_add)(c, blocks), reverse);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    *c = AES(counter_from)(AES(counter_add)(c, _mm512_set1_epi64((long long)blocks)));
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
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
    .crypt_blocks = aes_vaes_avx512_crypt_blocks,
    .ctr = aes_vaes_avx512_ctr,
    .cbc_mac = aes_vaes_avx512_cbc_mac,
};

#else
typedef int tally_aes_vaes_avx512_is_for_x86_64; /* a file may not be empty */
#endif
