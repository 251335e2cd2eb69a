/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes with AVX-512, VAES and IFMA, whose products have 104 bits. Eight numbers are in a
 * vector, and four blocks. */
#include "base/arch.h"
#include "ff1/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"
#include "fast/lanes/transpose.h"
#include "ff1/chunks.h"

#define FF1(name)      ff1_avx512_##name
#define FF1_TARGET     __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma,vaes,aes")))
#define FF1_INLINE     TALLY_INLINE FF1_TARGET
#define FF1_PER        8
#define FF1_VECTORS    4
#define FF1_FEW        12
#define FF1_BITS       50
#define FF1_SMALL_BITS 12
#define FF1_FIRST_KEY  1
#define FF1_TRANSPOSE  tally_transpose_avx512
#define FF1_ELSE       tally_ff1_lanes_avx2

typedef __m512i ff1_avx512_vec, ff1_avx512_vec16;
typedef __m128i ff1_avx512_shift;

/* A modulus as vectors need it. */
typedef struct ff1_avx512_modulus {
    uint64_t value, mask, inverse; /* as in plan.h; of a small one, those of a multiple */
    uint64_t next_value;           /* of a small one: the modulus itself */
    uint64_t next_inverse; /* of a small one: 2^52 / value; of a long one: 2^(34 + k) / value */
    uint32_t shift;        /* of a long one: 50 - k, where value < 2^k */
} ff1_avx512_modulus;

FF1_INLINE __m512i ff1_avx512_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

FF1_INLINE void ff1_avx512_store(void *to, __m512i x)
{
    _mm512_storeu_si512(to, x);
}

FF1_INLINE __m512i ff1_avx512_each(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

FF1_INLINE __m128i ff1_avx512_shift_by(uint32_t count)
{
    return _mm_cvtsi32_si128((int)count);
}

FF1_INLINE __m512i ff1_avx512_or(__m512i x, __m512i y)
{
    return _mm512_or_si512(x, y);
}

FF1_INLINE __m512i ff1_avx512_and(__m512i x, __m512i y)
{
    return _mm512_and_si512(x, y);
}

FF1_INLINE __m512i ff1_avx512_left(__m512i x, __m128i y)
{
    return _mm512_sll_epi64(x, y);
}

FF1_INLINE __m512i ff1_avx512_right(__m512i x, __m128i y)
{
    return _mm512_srl_epi64(x, y);
}

FF1_INLINE __m512i ff1_avx512_xor(__m512i x, __m512i y, __m512i z)
{
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}

FF1_INLINE __m512i ff1_avx512_load16(const uint16_t *from)
{
    return ff1_avx512_load(from);
}

FF1_INLINE void ff1_avx512_store16(uint16_t *to, __m512i x)
{
    ff1_avx512_store(to, x);
}

FF1_INLINE __m512i ff1_avx512_each16(uint32_t x)
{
    return _mm512_set1_epi16((int16_t)x);
}

FF1_INLINE __m512i ff1_avx512_add16(__m512i x, __m512i y)
{
    return _mm512_add_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_sub16(__m512i x, __m512i y)
{
    return _mm512_sub_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_product16(__m512i x, __m512i y)
{
    return _mm512_mullo_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_high16(__m512i x, __m512i y)
{
    return _mm512_mulhi_epu16(x, y);
}

FF1_INLINE __m512i ff1_avx512_right16(__m512i x, __m128i y)
{
    return _mm512_srl_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_load_symbols(const uint8_t *from, uint32_t last)
{
    const __m256i lasts = _mm256_set1_epi8((char)last);
    return _mm512_cvtepu8_epi16(_mm256_min_epu8(_mm256_loadu_si256((const void *)from), lasts));
}

FF1_INLINE void ff1_avx512_store_symbols(uint8_t *to, __m512i x)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi16_epi8(x));
}

FF1_INLINE __m512i ff1_avx512_load_chunks(const uint16_t *from)
{
    return _mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)from));
}

FF1_INLINE void ff1_avx512_store_chunks(uint16_t *to, __m512i x)
{
    _mm_storeu_si128((void *)to, _mm512_cvtepi64_epi16(x));
}

FF1_INLINE __m512i ff1_avx512_append(const tally_ff1_chunks *by, __m512i x, __m512i chunk)
{
    return _mm512_madd52lo_epu64(chunk, x, ff1_avx512_each(by->base));
}

/* x * 4 * inverse / 2^(52 + bits), for an inverse of 52 bits and x below 2^50. */
FF1_INLINE __m512i ff1_avx512_quotient(const tally_ff1_chunks *by, __m512i x)
{
    const __m512i inverse = ff1_avx512_each((by->inverse >> 13) + 1);
    const __m512i high =
        _mm512_madd52hi_epu64(_mm512_setzero_si512(), _mm512_slli_epi64(x, 2), inverse);
    return _mm512_srl_epi64(high, ff1_avx512_shift_by(by->bits));
}

FF1_INLINE __m512i ff1_avx512_remainder(const tally_ff1_chunks *by, __m512i x, __m512i quotient)
{
    return _mm512_madd52lo_epu64(x, quotient, ff1_avx512_each((UINT64_C(1) << 52) - by->base));
}

FF1_INLINE __m512i ff1_avx512_block(const uint8_t *bytes)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)bytes));
}

FF1_INLINE __m512i ff1_avx512_deal_even(__m512i x, __m512i y)
{
    return _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), y);
}

FF1_INLINE __m512i ff1_avx512_deal_odd(__m512i x, __m512i y)
{
    return _mm512_permutex2var_epi64(x, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), y);
}

/* Bytes of each block by their places in it; 0x80: zero. */
FF1_INLINE __m512i ff1_avx512_shuffle(__m512i x, uint64_t high, uint64_t low)
{
    return _mm512_shuffle_epi8(
        x, _mm512_broadcast_i32x4(_mm_set_epi64x((long long)high, (long long)low)));
}

FF1_INLINE __m512i ff1_avx512_even(__m512i x)
{
    return ff1_avx512_shuffle(x, 0x0001020304050607, 0x8080808080808080);
}

FF1_INLINE __m512i ff1_avx512_odd(__m512i x)
{
    return ff1_avx512_shuffle(x, 0x08090a0b0c0d0e0f, 0x8080808080808080);
}

FF1_INLINE __m512i ff1_avx512_first(__m512i x, __m512i y)
{
    return ff1_avx512_shuffle(_mm512_unpacklo_epi64(x, y), 0x08090a0b0c0d0e0f, 0x0001020304050607);
}

FF1_INLINE __m512i ff1_avx512_next(__m512i x, __m512i y)
{
    return ff1_avx512_shuffle(_mm512_unpackhi_epi64(x, y), 0x8080808008090a0b, 0x8080808000010203);
}

FF1_INLINE void ff1_avx512_encrypt(const tally_aes_key *aes, __m512i *b)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    const uint32_t rounds = aes->rounds;
    for (uint32_t r = 1; r < rounds; r++) {
        const __m512i key = ff1_avx512_block(keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 2 * FF1_VECTORS; i++) {
            b[i] = _mm512_aesenc_epi128(b[i], key);
        }
    }
    const __m512i last = ff1_avx512_block(keys[rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        b[i] = _mm512_aesenclast_epi128(b[i], last);
    }
}

static ff1_avx512_modulus ff1_avx512_set_modulus(const tally_ff1_plan *plan, tally_ff1_kind kind,
                                                 uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    ff1_avx512_modulus made = {
        .value = modulus->value, .mask = modulus->mask, .inverse = modulus->inverse};
    if (kind == TALLY_FF1_SMALL) {
        made.next_value = modulus->value;
        made.next_inverse = (UINT64_C(1) << 52) / modulus->value;
        made.value = modulus->value << 12;
        made.inverse = modulus->inverse >> 12;
    } else if (kind == TALLY_FF1_LONG) {
        const uint32_t bits = tally_ff1_log(modulus->value) + 1;
        made.shift = FF1_BITS - bits;
        made.next_inverse = modulus->long_inverse >> (62 - bits);
    }
    return made;
}

/* x less some moduli, unless it is below; x is below twice that. */
FF1_INLINE __m512i ff1_avx512_less(__m512i x, __m512i moduli)
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, moduli));
}

/* Adds y, of 64 bits and perhaps 32 more, to numbers, or subtracts it. Quotients are too small by 2 at
 * most, so that rests are below three times the modulus. */
FF1_INLINE __m512i ff1_avx512_add(const tally_ff1_kind kind, const tally_direction direction,
                                  const ff1_avx512_modulus *modulus, __m512i number, __m512i high,
                                  __m512i low)
{
    const __m512i zero = _mm512_setzero_si512(), mask52 = ff1_avx512_each((UINT64_C(1) << 52) - 1);
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        const __m512i y =
            kind == TALLY_FF1_POWER ? high : _mm512_or_si512(_mm512_slli_epi64(high, 32), low);
        return _mm512_and_si512(direction == TALLY_ENCRYPT ? _mm512_add_epi64(number, y)
                                                           : _mm512_sub_epi64(number, y),
                                ff1_avx512_each(modulus->mask));
    }
    const __m512i minus = ff1_avx512_each((UINT64_C(1) << 52) - modulus->value);
    __m512i quotient =
        _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12), ff1_avx512_each(modulus->inverse));
    __m512i rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    uint64_t value = modulus->value;
    if (kind == TALLY_FF1_SMALL) {
        value = modulus->next_value;
        quotient = _mm512_madd52hi_epu64(zero, rest, ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_madd52lo_epu64(rest, quotient, ff1_avx512_each((UINT64_C(1) << 52) - value));
        rest = _mm512_and_si512(rest, mask52);
    }
    const __m512i once = ff1_avx512_each(value), twice = ff1_avx512_each(2 * value);
    if (kind == TALLY_FF1_LONG_LOW) {
        rest = ff1_avx512_less(ff1_avx512_less(rest, twice), once);
        high = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12),
                                         ff1_avx512_each(modulus->inverse));
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    }
    if (kind == TALLY_FF1_LONG) {
        const __m128i shift = _mm_cvtsi32_si128((int)modulus->shift);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_sll_epi64(rest, shift),
                                         ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(rest, quotient, minus), mask52);
    }
    const __m512i sum =
        direction == TALLY_ENCRYPT
            ? _mm512_add_epi64(number, rest)
            : _mm512_sub_epi64(_mm512_add_epi64(number, ff1_avx512_each(3 * value)), rest);
    return ff1_avx512_less(ff1_avx512_less(sum, twice), once);
}

#include "ff1/lanes_body.h"

const tally_ff1_lanes tally_ff1_lanes_avx512 = {
    {"avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2 | TALLY_CPU_AVX512 |
                   TALLY_CPU_BMI2 | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    ff1_avx512_run,
    ff1_avx512_takes_lanes};

#else
typedef int tally_ff1_avx512_is_for_x86_64; /* a file may not be empty */
#endif
