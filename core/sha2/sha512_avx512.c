/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 of eight messages side by side with AVX-512, which rotates words and has any function of
 * three operands in one instruction. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_avx512_##name
#include "sha2/rounds_512.h"

#define SHA2_LANES     8
#define SHA2_WORDS(op) op##epi64
#define SHA2_SPREAD(x) _mm512_set1_epi64((long long)(x))
#include "sha2/vectors_avx512.h"

/* Row k of 8 x 8 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_half)(const uint8_t *const data[], size_t offset,
                                             SHA2_VEC w[8])
{
    const SHA2_VEC big_endian = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    SHA2_VEC t[8];
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k++) {
        w[k] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 2) {
        t[k] = _mm512_unpacklo_epi64(w[k], w[k + 1]);
        t[k + 1] = _mm512_unpackhi_epi64(w[k], w[k + 1]);
    }
    /* Now quarter q of t[2r + c] is column 2q + c of rows 2r and 2r+1. */
    SHA2_UNROLL
    for (size_t c = 0; c < 2; c++) {
        SHA2_VEC even0 = _mm512_shuffle_i64x2(t[c], t[2 + c], 0x88);
        SHA2_VEC odd0 = _mm512_shuffle_i64x2(t[c], t[2 + c], 0xdd);
        SHA2_VEC even1 = _mm512_shuffle_i64x2(t[4 + c], t[6 + c], 0x88);
        SHA2_VEC odd1 = _mm512_shuffle_i64x2(t[4 + c], t[6 + c], 0xdd);
        w[c] = _mm512_shuffle_i64x2(even0, even1, 0x88);
        w[2 + c] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
        w[4 + c] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
        w[6 + c] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2(load_half)(data, offset, w);
    SHA2(load_half)(data, offset + 64, w + 8);
}

#include "sha2/rounds_body.h"

const struct tally_sha512_backend tally_sha512_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, 8, 1150, sha512_avx512_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha512_avx512_is_for_x86_64; /* a file may not be empty */
#endif
