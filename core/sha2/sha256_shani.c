/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by the SHA extensions of x86-64 (Intel, "Intel SHA Extensions", 2013). Their chaining
 * value is two registers, the words a, b, e, f and c, d, g, h from the highest down. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#include <immintrin.h>

#define SHA2(name) sha256_shani_##name
#include "sha2/unroll.h"

#define SHA2_TARGET __attribute__((target("sha,ssse3")))

#define SHA2_VEC __m128i
typedef struct SHA2(chain) {
    SHA2_VEC first, second; /* abef and cdgh */
} SHA2(chain);

#define SHA2_ADD(x, y) _mm_add_epi32(x, y)
#define SHA2_FOUR_CONSTANTS(i)                                                                     \
    _mm_load_si128((const __m128i *)(const void *)(tally_sha256_constants + (i)))

/* Two words of x below two of y, which `which` picks as _MM_SHUFFLE does. */
#define SHA2_PICK(x, y, which)                                                                     \
    _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(x), _mm_castsi128_ps(y), which))
#define SHA2_UPPER _MM_SHUFFLE(2, 3, 2, 3)
#define SHA2_LOWER _MM_SHUFFLE(0, 1, 0, 1)

SHA2_INLINE SHA2_TARGET SHA2(chain) SHA2(load_chain)(const uint32_t words[8])
{
    SHA2_VEC low = _mm_loadu_si128((const __m128i *)(const void *)words);
    SHA2_VEC high = _mm_loadu_si128((const __m128i *)(const void *)(words + 4));
    return (SHA2(chain)){SHA2_PICK(high, low, SHA2_LOWER), SHA2_PICK(high, low, SHA2_UPPER)};
}

SHA2_INLINE SHA2_TARGET void SHA2(store_chain)(SHA2(chain) x, uint32_t words[8])
{
    _mm_storeu_si128((__m128i *)(void *)words, SHA2_PICK(x.first, x.second, SHA2_UPPER));
    _mm_storeu_si128((__m128i *)(void *)(words + 4), SHA2_PICK(x.first, x.second, SHA2_LOWER));
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    const SHA2_VEC big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)from), big_endian);
}

SHA2_INLINE SHA2_TARGET void SHA2(four_rounds)(SHA2(chain) * x, SHA2_VEC m)
{
    x->second = _mm_sha256rnds2_epu32(x->second, x->first, m);
    x->first = _mm_sha256rnds2_epu32(x->first, x->second, _mm_shuffle_epi32(m, 0x0e));
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(next_words)(SHA2_VEC w0, SHA2_VEC w4, SHA2_VEC w8,
                                                  SHA2_VEC w12)
{
    SHA2_VEC sum = SHA2_ADD(_mm_sha256msg1_epu32(w0, w4), _mm_alignr_epi8(w12, w8, 4));
    return _mm_sha256msg2_epu32(sum, w12);
}

#include "sha2/fours_body.h"

const struct tally_sha256_backend tally_sha256_shani = {
    {"sha-ni", TALLY_CPU_SHANI | TALLY_CPU_SSSE3}, 1, 132, sha256_shani_compress};
const struct tally_sha256_backend tally_sha256_shani_2 = {
    {"sha-ni-2", TALLY_CPU_SHANI | TALLY_CPU_SSSE3}, 2, 190, sha256_shani_compress_2};

#include "sha2/undef.h"

#else
typedef int tally_sha256_shani_is_for_x86_64; /* a file may not be empty */
#endif
