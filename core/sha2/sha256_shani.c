/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by the SHA extensions of x86-64 (Intel, "Intel SHA Extensions", 2013). Their chaining
 * value is two registers, the words a, b, e, f and c, d, g, h from the highest down. */
#include "base/arch.h"
#include "sha2/engine.h"

#if defined(TALLY_ARCH_X86_64)
#include <immintrin.h>

#include "sha2/unroll.h"

#define TARGET __attribute__((target("sha,ssse3")))

typedef __m128i vec;
typedef struct chain {
    vec first, second; /* abef and cdgh */
} chain;

#define ADD(x, y)    _mm_add_epi32(x, y)
#define CONSTANTS(i) _mm_load_si128((const __m128i *)(const void *)(tally_sha256_constants + (i)))

/* Two words of x below two of y, which `which` picks as _MM_SHUFFLE does. */
#define PICK(x, y, which)                                                                          \
    _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(x), _mm_castsi128_ps(y), which))
#define UPPER _MM_SHUFFLE(2, 3, 2, 3)
#define LOWER _MM_SHUFFLE(0, 1, 0, 1)

INLINE TARGET chain load_chain(const uint32_t words[8])
{
    vec low = _mm_loadu_si128((const __m128i *)(const void *)words);
    vec high = _mm_loadu_si128((const __m128i *)(const void *)(words + 4));
    return (chain){PICK(high, low, LOWER), PICK(high, low, UPPER)};
}

INLINE TARGET void store_chain(chain x, uint32_t words[8])
{
    _mm_storeu_si128((__m128i *)(void *)words, PICK(x.first, x.second, UPPER));
    _mm_storeu_si128((__m128i *)(void *)(words + 4), PICK(x.first, x.second, LOWER));
}

INLINE TARGET vec read_words(const uint8_t *from)
{
    const vec big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)from), big_endian);
}

INLINE TARGET void four_rounds(chain *x, vec m)
{
    x->second = _mm_sha256rnds2_epu32(x->second, x->first, m);
    x->first = _mm_sha256rnds2_epu32(x->first, x->second, _mm_shuffle_epi32(m, 0x0e));
}

INLINE TARGET vec next_words(vec w0, vec w4, vec w8, vec w12)
{
    vec sum = ADD(_mm_sha256msg1_epu32(w0, w4), _mm_alignr_epi8(w12, w8, 4));
    return _mm_sha256msg2_epu32(sum, w12);
}

#include "sha2/fours_body.h"

const struct tally_sha256_engine tally_sha256_shani = {"sha-ni", TALLY_CPU_SHANI | TALLY_CPU_SSSE3,
                                                       1, 132, compress};
const struct tally_sha256_engine tally_sha256_shani_2 = {
    "sha-ni-2", TALLY_CPU_SHANI | TALLY_CPU_SSSE3, 2, 190, compress_2};

#else
typedef int tally_sha256_shani_is_for_x86_64; /* a file may not be empty */
#endif
