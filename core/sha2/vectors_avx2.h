/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lanes of SHA-256 and of SHA-512 with AVX2 share; WORDS(op) is the intrinsic for their
 * words. */
#include <immintrin.h>

#include "sha2/unroll.h"

#define TARGET __attribute__((target("avx2")))

typedef __m256i vec;

#define ADD(x, y) WORDS(_mm256_add_)(x, y)
#define XOR(x, y) _mm256_xor_si256(x, y)
#define AND(x, y) _mm256_and_si256(x, y)
#define OR(x, y)  _mm256_or_si256(x, y)
#define SHR(x, n) WORDS(_mm256_srli_)(x, n)
#define ROR(x, n)                                                                                  \
    XOR(WORDS(_mm256_srli_)(x, n), WORDS(_mm256_slli_)(x, (int)(8 * sizeof(word)) - (n)))
#define XOR3(x, y, z) XOR(x, XOR(y, z))
#define CH(x, y, z)   XOR(z, AND(x, XOR(y, z)))
#define MAJ(x, y, z)  OR(AND(x, y), AND(z, OR(x, y)))
#define LOAD(from)    _mm256_load_si256((const __m256i *)(const void *)(from))
#define STORE(x, to)  _mm256_store_si256((__m256i *)(void *)(to), x)
#define READ(from)    _mm256_loadu_si256((const __m256i *)(const void *)(from))
