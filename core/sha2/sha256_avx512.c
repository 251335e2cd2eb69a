/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 of sixteen messages side by side with AVX-512, which rotates words and has any function
 * of three operands in one instruction. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha256_avx512_##name
#include "sha2/rounds_256.h"

#define SHA2_LANES     16
#define SHA2_WORDS(op) op##epi32
#define SHA2_SPREAD(x) _mm512_set1_epi32((int)(x))
#include "sha2/vectors_avx512.h"

/* Row k of the 16 x 16 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    const SHA2_VEC big_endian = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    SHA2_VEC t[16];
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k++) {
        w[k] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k += 2) {
        t[k] = _mm512_unpacklo_epi32(w[k], w[k + 1]);
        t[k + 1] = _mm512_unpackhi_epi32(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k += 4) {
        w[k] = _mm512_unpacklo_epi64(t[k], t[k + 2]);
        w[k + 1] = _mm512_unpackhi_epi64(t[k], t[k + 2]);
        w[k + 2] = _mm512_unpacklo_epi64(t[k + 1], t[k + 3]);
        w[k + 3] = _mm512_unpackhi_epi64(t[k + 1], t[k + 3]);
    }
    /* Now quarter q of w[4r + c] is column 4q + c of rows 4r..4r+3. */
    SHA2_UNROLL
    for (size_t c = 0; c < 4; c++) {
        SHA2_VEC even0 = _mm512_shuffle_i32x4(w[c], w[4 + c], 0x88);
        SHA2_VEC odd0 = _mm512_shuffle_i32x4(w[c], w[4 + c], 0xdd);
        SHA2_VEC even1 = _mm512_shuffle_i32x4(w[8 + c], w[12 + c], 0x88);
        SHA2_VEC odd1 = _mm512_shuffle_i32x4(w[8 + c], w[12 + c], 0xdd);
        w[c] = _mm512_shuffle_i32x4(even0, even1, 0x88);
        w[4 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0x88);
        w[8 + c] = _mm512_shuffle_i32x4(even0, even1, 0xdd);
        w[12 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0xdd);
    }
}

#include "sha2/rounds_body.h"

const struct tally_sha256_backend tally_sha256_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, 16, 950, sha256_avx512_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha256_avx512_is_for_x86_64; /* a file may not be empty */
#endif
