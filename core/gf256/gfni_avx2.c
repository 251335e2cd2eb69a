/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by GFNI with AVX2: 32 bytes a vector. */
#include "base/arch.h"
#include "gf256/gf256.h"

#if defined(TALLY_ARCH_X86_64)
#include "gf256/tail_avx2.h"

#define GF256(name)             gf256_gfni_avx2_##name
#define GF256_VEC               __m256i
#define GF256_TARGET            __attribute__((target("gfni,avx2")))
#define GF256_BYTES             32
#define GF256_LOAD(from)        _mm256_loadu_si256((const __m256i *)(from))
#define GF256_STORE(to, v)      _mm256_storeu_si256((__m256i *)(to), v)
#define GF256_SOME_LOAD         tally_gf256_load_tail
#define GF256_SOME_STORE        tally_gf256_store_tail
#define GF256_XOR               _mm256_xor_si256
#define GF256_XOR3(a, b, c)     _mm256_xor_si256(a, _mm256_xor_si256(b, c))
#define GF256_AFFINE(v, matrix) _mm256_gf2p8affine_epi64_epi8(v, matrix, 0)
#define GF256_BROADCAST(matrix) _mm256_set1_epi64x((long long)(matrix))
#define GF256_ZERO              _mm256_setzero_si256()
#define GF256_PRODUCT           _mm256_gf2p8mul_epi8

#include "gf256/affine_body.h"

const struct tally_gf256_backend tally_gf256_gfni_avx2 = {
    .backend = {"gfni-avx2", TALLY_CPU_GFNI | TALLY_CPU_AVX2},
    .multiply = gf256_gfni_avx2_multiply,
    .evaluate = gf256_gfni_avx2_evaluate,
    .combine = gf256_gfni_avx2_combine};

#endif
