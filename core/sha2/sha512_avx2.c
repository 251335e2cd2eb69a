/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 of four messages side by side with AVX2. */
#include "base/arch.h"
#include "sha2/engine.h"

#if defined(TALLY_ARCH_X86_64)
#include "sha2/rounds_512.h"

#define LANES     4
#define WORDS(op) op##epi64
#define SPREAD(x) _mm256_set1_epi64x((long long)(x))
#include "sha2/vectors_avx2.h"

/* Row k of 4 x 4 words is message k's; vector i gets column i. */
INLINE TARGET void load_quarter(const uint8_t *const data[], size_t offset, vec w[4])
{
    const vec big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
    vec t[4];
    UNROLL
    for (size_t k = 0; k < 4; k++) {
        w[k] = _mm256_shuffle_epi8(READ(data[k] + offset), big_endian);
    }
    UNROLL
    for (size_t k = 0; k < 4; k += 2) {
        t[k] = _mm256_unpacklo_epi64(w[k], w[k + 1]);
        t[k + 1] = _mm256_unpackhi_epi64(w[k], w[k + 1]);
    }
    UNROLL
    for (size_t c = 0; c < 2; c++) {
        w[c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x20);
        w[2 + c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x31);
    }
}

INLINE TARGET void load_block(const uint8_t *const data[], size_t offset, vec w[16])
{
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        load_quarter(data, offset + 32 * i, w + 4 * i);
    }
}

#include "sha2/rounds_body.h"

const struct tally_sha512_engine tally_sha512_avx2 = {"avx2", TALLY_CPU_AVX2, LANES, 1530,
                                                      compress};

#else
typedef int tally_sha512_avx2_is_for_x86_64; /* a file may not be empty */
#endif
