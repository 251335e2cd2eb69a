/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by GFNI with AVX-512: 64 bytes a vector, and masks for fewer. */
#include "base/arch.h"
#include "gf256/gf256.h"

#if defined(TALLY_ARCH_X86_64)
#include <immintrin.h>

#define GF256(name)                    gf256_gfni_avx512_##name
#define GF256_VEC                      __m512i
#define GF256_TARGET                   __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))
#define GF256_BYTES                    64
#define GF256_LOAD(from)               _mm512_loadu_si512((const void *)(from))
#define GF256_STORE(to, v)             _mm512_storeu_si512((void *)(to), v)
#define GF256_SOME(count)              ((__mmask64)(~UINT64_C(0) >> (64 - (count))))
#define GF256_SOME_LOAD(from, count)   _mm512_maskz_loadu_epi8(GF256_SOME(count), from)
#define GF256_SOME_STORE(to, count, v) _mm512_mask_storeu_epi8(to, GF256_SOME(count), v)
#define GF256_XOR                      _mm512_xor_si512
#define GF256_XOR3(a, b, c)            _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define GF256_AFFINE(v, matrix)        _mm512_gf2p8affine_epi64_epi8(v, matrix, 0)
#define GF256_BROADCAST(matrix)                                                                    \
    gf256_gfni_avx512_in_register(_mm512_set1_epi64((long long)(matrix)))
#define GF256_ZERO    _mm512_setzero_si512()
#define GF256_PRODUCT _mm512_gf2p8mul_epi8

/* Clang before 20 scales the displacement wrongly where the instruction broadcasts its matrix from
 * memory itself (llvm/llvm-project pull request 120340), so the matrix is loaded beforehand. */
__attribute__((always_inline)) GF256_TARGET static inline GF256_VEC
gf256_gfni_avx512_in_register(GF256_VEC v)
{
#if defined(__clang__)
    __asm__("" : "+v"(v));
#endif
    return v;
}

#include "gf256/affine_body.h"

#undef GF256_SOME

const struct tally_gf256_backend tally_gf256_gfni_avx512 = {
    .backend = {"gfni-avx512",
                TALLY_CPU_GFNI | TALLY_CPU_AVX512VBMI}, /* which has AVX512F, BW and VL */
    .multiply = gf256_gfni_avx512_multiply,
    .evaluate = gf256_gfni_avx512_evaluate,
    .combine = gf256_gfni_avx512_combine};

#endif
