/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by vpshufb: 32 bytes a vector. Products of two vectors are those of portable C. */
#include "base/arch.h"
#include "gf256/gf256.h"

#if defined(TALLY_ARCH_X86_64)
#include "gf256/tail_avx2.h"

#define GF256(name)  gf256_nibbles_avx2_##name
#define VEC          __m256i
#define TARGET       __attribute__((target("avx2")))
#define BYTES        32
#define LOAD(from)   _mm256_loadu_si256((const __m256i *)(from))
#define STORE(to, v) _mm256_storeu_si256((__m256i *)(to), v)
#define SOME_LOAD    tally_gf256_load_tail
#define SOME_STORE   tally_gf256_store_tail
#define TABLE(from)  _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(from)))
#define LOW(v)       _mm256_and_si256(v, _mm256_set1_epi8(0x0F))
#define HIGH(v)      _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F))
#define LOOK_UP      _mm256_shuffle_epi8
#define XOR          _mm256_xor_si256
#define ZERO         _mm256_setzero_si256()

#include "gf256/nibbles_body.h"

const struct tally_gf256_backend tally_gf256_nibbles_avx2 = {
    .backend = {"nibbles-avx2", TALLY_CPU_AVX2},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_avx2_evaluate,
    .combine = gf256_nibbles_avx2_combine};

#endif
