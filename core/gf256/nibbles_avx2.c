/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by vpshufb: 32 bytes a vector. Products of two vectors are those of portable C. */
#include "base/arch.h"
#include "gf256/gf256.h"

#if defined(TALLY_ARCH_X86_64)
#include "gf256/tail_avx2.h"

#define GF256(name)        gf256_nibbles_avx2_##name
#define GF256_VEC          __m256i
#define GF256_TARGET       __attribute__((target("avx2")))
#define GF256_BYTES        32
#define GF256_LOAD(from)   _mm256_loadu_si256((const __m256i *)(from))
#define GF256_STORE(to, v) _mm256_storeu_si256((__m256i *)(to), v)
#define GF256_SOME_LOAD    tally_gf256_load_tail
#define GF256_SOME_STORE   tally_gf256_store_tail
#define GF256_TABLE(from)  _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(from)))
#define GF256_LOW(v)       _mm256_and_si256(v, _mm256_set1_epi8(0x0F))
#define GF256_HIGH(v)      _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F))
#define GF256_LOOK_UP      _mm256_shuffle_epi8
#define GF256_XOR          _mm256_xor_si256
#define GF256_ZERO         _mm256_setzero_si256()

#include "gf256/nibbles_body.h"

const struct tally_gf256_backend tally_gf256_nibbles_avx2 = {
    .backend = {"nibbles-avx2", TALLY_CPU_AVX2},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_avx2_evaluate,
    .combine = gf256_nibbles_avx2_combine};

#endif
