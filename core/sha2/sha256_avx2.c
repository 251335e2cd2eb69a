/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 of eight messages side by side with AVX2, for CPUs without instructions for it. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha256_avx2_##name
#include "sha2/rounds_256.h"

#define SHA2_LANES     8
#define SHA2_WORDS(op) op##epi32
#define SHA2_SPREAD(x) _mm256_set1_epi32((int)(x))
#include "sha2/vectors_avx2.h"

/* Row k of 8 x 8 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_half)(const uint8_t *const data[], size_t offset,
                                             SHA2_VEC w[8])
{
    const SHA2_VEC big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    SHA2_VEC t[8];
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k++) {
        w[k] = _mm256_shuffle_epi8(SHA2_READ(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 2) {
        t[k] = _mm256_unpacklo_epi32(w[k], w[k + 1]);
        t[k + 1] = _mm256_unpackhi_epi32(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 4) {
        w[k] = _mm256_unpacklo_epi64(t[k], t[k + 2]);
        w[k + 1] = _mm256_unpackhi_epi64(t[k], t[k + 2]);
        w[k + 2] = _mm256_unpacklo_epi64(t[k + 1], t[k + 3]);
        w[k + 3] = _mm256_unpackhi_epi64(t[k + 1], t[k + 3]);
    }
    /* Now half q of w[4r + c] is column 4q + c of rows 4r..4r+3. */
    SHA2_UNROLL
    for (size_t c = 0; c < 4; c++) {
        SHA2_VEC low = _mm256_permute2x128_si256(w[c], w[4 + c], 0x20);
        w[4 + c] = _mm256_permute2x128_si256(w[c], w[4 + c], 0x31);
        w[c] = low;
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2(load_half)(data, offset, w);
    SHA2(load_half)(data, offset + 32, w + 8);
}

#include "sha2/rounds_body.h"

const struct tally_sha256_backend tally_sha256_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, 8, 1220, sha256_avx2_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha256_avx2_is_for_x86_64; /* a file may not be empty */
#endif
