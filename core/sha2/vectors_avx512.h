/* SPDX-License-Identifier: Apache-2.0
 *
 * The macros that the lanes of SHA-256 and SHA-512 share with AVX-512 share; SHA2_WORDS(op) is the
 * intrinsic for their words. */
#include <immintrin.h>

#include "sha2/unroll.h"

#define SHA2_TARGET __attribute__((target("avx512f,avx512bw")))

#define SHA2_VEC __m512i

#define SHA2_ADD(x, y)     SHA2_WORDS(_mm512_add_)(x, y)
#define SHA2_ROR(x, n)     SHA2_WORDS(_mm512_ror_)(x, n)
#define SHA2_SHR(x, n)     SHA2_WORDS(_mm512_srli_)(x, n)
#define SHA2_XOR3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define SHA2_CH(x, y, z)   _mm512_ternarylogic_epi64(x, y, z, 0xca)
#define SHA2_MAJ(x, y, z)  _mm512_ternarylogic_epi64(x, y, z, 0xe8)
#define SHA2_LOAD(from)    _mm512_load_si512(from)
#define SHA2_STORE(x, to)  _mm512_store_si512(to, x)
