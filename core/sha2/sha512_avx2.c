/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 of four messages side by side with AVX2. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_avx2_##name
#include "sha2/rounds_512.h"

#define SHA2_LANES     4
#define SHA2_WORDS(op) op##epi64
#define SHA2_SPREAD(x) _mm256_set1_epi64x((long long)(x))
#include "sha2/vectors_avx2.h"

/* Row k of 4 x 4 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_quarter)(const uint8_t *const data[], size_t offset,
                                                SHA2_VEC w[4])
{
    const SHA2_VEC big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
    SHA2_VEC t[4];
    SHA2_UNROLL
    for (size_t k = 0; k < 4; k++) {
        w[k] = _mm256_shuffle_epi8(SHA2_READ(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 4; k += 2) {
        t[k] = _mm256_unpacklo_epi64(w[k], w[k + 1]);
        t[k + 1] = _mm256_unpackhi_epi64(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t c = 0; c < 2; c++) {
        w[c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x20);
        w[2 + c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x31);
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2_UNROLL
    for (size_t i = 0; i < 4; i++) {
        SHA2(load_quarter)(data, offset + 32 * i, w + 4 * i);
    }
}

#include "sha2/rounds_body.h"

const struct tally_sha512_backend tally_sha512_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, 4, 1530, sha512_avx2_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha512_avx2_is_for_x86_64; /* a file may not be empty */
#endif
