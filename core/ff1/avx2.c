/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes with AVX2 and AES-NI: four numbers are in a vector, and the blocks of two are
 * encrypted one by one. */
#include "base/arch.h"
#include "ff1/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"
#include "fast/lanes/transpose.h"
#include "ff1/chunks.h"

#define FF1(name)       ff1_avx2_##name
#define FF1_TARGET      __attribute__((target("avx2,aes")))
#define FF1_INLINE      TALLY_INLINE FF1_TARGET
#define FF1_PER         4
#define FF1_VECTORS     2
#define FF1_FEW         13
#define FF1_BITS        60
#define FF1_SMALL_BITS  29
#define FF1_FIRST_KEY   1
#define FF1_TRANSPOSE   tally_transpose_portable
#define FF1_ELSE        tally_ff1_lanes_portable
#define FF1_LEFT(x, n)  _mm256_slli_epi64(x, n)
#define FF1_RIGHT(x, n) _mm256_srli_epi64(x, n)

typedef __m256i ff1_avx2_vec, ff1_avx2_vec16, ff1_avx2_shift;

FF1_INLINE __m256i ff1_avx2_load(const void *from)
{
    return _mm256_loadu_si256(from);
}

FF1_INLINE void ff1_avx2_store(void *to, __m256i x)
{
    _mm256_storeu_si256(to, x);
}

FF1_INLINE __m256i ff1_avx2_load16(const uint16_t *from)
{
    return ff1_avx2_load(from);
}

FF1_INLINE void ff1_avx2_store16(uint16_t *to, __m256i x)
{
    ff1_avx2_store(to, x);
}

FF1_INLINE __m256i ff1_avx2_each(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

FF1_INLINE __m256i ff1_avx2_shift_by(uint32_t count)
{
    return ff1_avx2_each(count);
}

FF1_INLINE __m256i ff1_avx2_or(__m256i x, __m256i y)
{
    return _mm256_or_si256(x, y);
}

FF1_INLINE __m256i ff1_avx2_and(__m256i x, __m256i y)
{
    return _mm256_and_si256(x, y);
}

FF1_INLINE __m256i ff1_avx2_plus(__m256i x, __m256i y)
{
    return _mm256_add_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_minus(__m256i x, __m256i y)
{
    return _mm256_sub_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_times(__m256i x, __m256i y)
{
    return _mm256_mul_epu32(x, y);
}

FF1_INLINE __m256i ff1_avx2_least32(__m256i x, __m256i y)
{
    return _mm256_min_epu32(x, y);
}

FF1_INLINE __m256i ff1_avx2_left(__m256i x, __m256i y)
{
    return _mm256_sllv_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_right(__m256i x, __m256i y)
{
    return _mm256_srlv_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_add16(__m256i x, __m256i y)
{
    return _mm256_add_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_sub16(__m256i x, __m256i y)
{
    return _mm256_sub_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_product16(__m256i x, __m256i y)
{
    return _mm256_mullo_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_high16(__m256i x, __m256i y)
{
    return _mm256_mulhi_epu16(x, y);
}

FF1_INLINE __m256i ff1_avx2_xor(__m256i x, __m256i y, __m256i z)
{
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}

FF1_INLINE __m256i ff1_avx2_choose(__m256i x, __m256i y)
{
    const __m256d bits = _mm256_castsi256_pd(x);
    return _mm256_castpd_si256(_mm256_blendv_pd(bits, _mm256_castsi256_pd(y), bits));
}

FF1_INLINE __m256i ff1_avx2_each16(uint32_t x)
{
    return _mm256_set1_epi16((int16_t)x);
}

FF1_INLINE __m256i ff1_avx2_right16(__m256i x, __m256i count)
{
    return _mm256_srl_epi16(x, _mm256_castsi256_si128(count));
}

FF1_INLINE __m256i ff1_avx2_load_symbols(const uint8_t *from, uint32_t last)
{
    return _mm256_cvtepu8_epi16(
        _mm_min_epu8(_mm_loadu_si128((const void *)from), _mm_set1_epi8((char)last)));
}

FF1_INLINE void ff1_avx2_store_symbols(uint8_t *to, __m256i x)
{
    _mm_storeu_si128((void *)to,
                     _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

FF1_INLINE __m256i ff1_avx2_load_chunks(const uint16_t *from)
{
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)from));
}

FF1_INLINE void ff1_avx2_store_chunks(uint16_t *to, __m256i x)
{
    /* Of the lower half to the first 32 bits, and of the upper half to the next. */
    const __m256i ends =
        _mm256_set_epi64x(-1, 0x09080100ffffffff, -1, (long long)0xffffffff09080100);
    const __m256i parts = _mm256_shuffle_epi8(x, ends);
    _mm_storel_epi64((void *)to, _mm_or_si128(_mm256_castsi256_si128(parts),
                                              _mm256_extracti128_si256(parts, 1)));
}

FF1_INLINE __m256i ff1_avx2_block(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)bytes));
}

FF1_INLINE __m256i ff1_avx2_deal_even(__m256i x, __m256i y)
{
    return _mm256_permute2x128_si256(x, y, 0x20);
}

FF1_INLINE __m256i ff1_avx2_deal_odd(__m256i x, __m256i y)
{
    return _mm256_permute2x128_si256(x, y, 0x31);
}

/* Bytes of each block by their places in it; 0x80: zero. */
FF1_INLINE __m256i ff1_avx2_shuffle(__m256i x, uint64_t high, uint64_t low)
{
    return _mm256_shuffle_epi8(
        x, _mm256_broadcastsi128_si256(_mm_set_epi64x((long long)high, (long long)low)));
}

FF1_INLINE __m256i ff1_avx2_even(__m256i x)
{
    return ff1_avx2_shuffle(x, 0x0001020304050607, 0x8080808080808080);
}

FF1_INLINE __m256i ff1_avx2_odd(__m256i x)
{
    return ff1_avx2_shuffle(x, 0x08090a0b0c0d0e0f, 0x8080808080808080);
}

FF1_INLINE __m256i ff1_avx2_first(__m256i x, __m256i y)
{
    return ff1_avx2_shuffle(_mm256_unpacklo_epi64(x, y), 0x08090a0b0c0d0e0f, 0x0001020304050607);
}

FF1_INLINE __m256i ff1_avx2_next(__m256i x, __m256i y)
{
    return ff1_avx2_shuffle(_mm256_unpackhi_epi64(x, y), 0x8080808008090a0b, 0x8080808000010203);
}

/* Some rounds of AES on all blocks, which stay in registers. */
FF1_INLINE void ff1_avx2_some_rounds(const uint8_t (*keys)[16], const int first, const int after,
                                     __m128i *b)
{
    TALLY_UNROLL(16)
    for (int r = first; r < after; r++) {
        const __m128i key = _mm_loadu_si128((const void *)keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 8; i++) {
            b[i] = _mm_aesenc_si128(b[i], key);
        }
    }
}

FF1_INLINE void ff1_avx2_encrypt(const tally_aes_key *aes, __m256i *vectors)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    __m128i b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm256_castsi256_si128(vectors[i]);
        b[2 * i + 1] = _mm256_extracti128_si256(vectors[i], 1);
    }
    ff1_avx2_some_rounds(keys, 1, 10, b);
    if (aes->rounds > 10) {
        ff1_avx2_some_rounds(keys, 10, 12, b);
    }
    if (aes->rounds > 12) {
        ff1_avx2_some_rounds(keys, 12, 14, b);
    }
    const __m128i last = _mm_loadu_si128((const void *)keys[aes->rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        vectors[i] = _mm256_setr_m128i(_mm_aesenclast_si128(b[2 * i], last),
                                       _mm_aesenclast_si128(b[2 * i + 1], last));
    }
}

#include "ff1/products_body.h"

#include "ff1/lanes_body.h"

const tally_ff1_lanes tally_ff1_lanes_avx2 = {
    {"avx2", TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3 | TALLY_CPU_SSE2},
    ff1_avx2_run,
    ff1_avx2_takes_lanes};

#else
typedef int tally_ff1_avx2_is_for_x86_64; /* a file may not be empty */
#endif
