/* SPDX-License-Identifier: Apache-2.0
 *
 * The macros that the lanes of SHA-256 and SHA-512 share with AVX2 share; SHA2_WORDS(op) is the
 * intrinsic for their words. */
#include <immintrin.h>

#include "sha2/unroll.h"

#define SHA2_TARGET __attribute__((target("avx2")))

#define SHA2_VEC __m256i

#define SHA2_ADD(x, y) SHA2_WORDS(_mm256_add_)(x, y)
#define SHA2_XOR(x, y) _mm256_xor_si256(x, y)
#define SHA2_AND(x, y) _mm256_and_si256(x, y)
#define SHA2_OR(x, y)  _mm256_or_si256(x, y)
#define SHA2_SHR(x, n) SHA2_WORDS(_mm256_srli_)(x, n)
#define SHA2_ROR(x, n)                                                                             \
    SHA2_XOR(SHA2_WORDS(_mm256_srli_)(x, n),                                                       \
             SHA2_WORDS(_mm256_slli_)(x, (int)(8 * sizeof(SHA2_WORD)) - (n)))
#define SHA2_XOR3(x, y, z) SHA2_XOR(x, SHA2_XOR(y, z))
#define SHA2_CH(x, y, z)   SHA2_XOR(z, SHA2_AND(x, SHA2_XOR(y, z)))
#define SHA2_MAJ(x, y, z)  SHA2_OR(SHA2_AND(x, y), SHA2_AND(z, SHA2_OR(x, y)))
#define SHA2_LOAD(from)    _mm256_load_si256((const __m256i *)(const void *)(from))
#define SHA2_STORE(x, to)  _mm256_store_si256((__m256i *)(void *)(to), x)
#define SHA2_READ(from)    _mm256_loadu_si256((const __m256i *)(const void *)(from))
