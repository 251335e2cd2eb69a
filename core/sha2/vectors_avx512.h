/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lanes of SHA-256 and of SHA-512 with AVX-512 share; WORDS(op) is the intrinsic for their
 * words. */
#include <immintrin.h>

#include "sha2/unroll.h"

#define TARGET __attribute__((target("avx512f,avx512bw")))

typedef __m512i vec;

#define ADD(x, y)     WORDS(_mm512_add_)(x, y)
#define ROR(x, n)     WORDS(_mm512_ror_)(x, n)
#define SHR(x, n)     WORDS(_mm512_srli_)(x, n)
#define XOR3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define CH(x, y, z)   _mm512_ternarylogic_epi64(x, y, z, 0xca)
#define MAJ(x, y, z)  _mm512_ternarylogic_epi64(x, y, z, 0xe8)
#define LOAD(from)    _mm512_load_si512(from)
#define STORE(x, to)  _mm512_store_si512(to, x)
