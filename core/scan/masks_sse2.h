/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes of bytes with SSE2, which every 64-bit x86 has. Included by masks.h alone. */

#include <emmintrin.h>

/* The bytes first .. first + count - 1, as all ones. */
static inline __m128i scan_range(__m128i bytes, char first, char count)
{
    const __m128i moved =
        _mm_add_epi8(bytes, _mm_set1_epi8((char)(-128 - first))); /* first becomes the least */
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(-128 + count)));
}

static inline uint64_t scan_bits(__m128i bytes)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
}

static inline scan_masks scan_find(const uint8_t *p)
{
    scan_masks masks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 64; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        const __m128i digit = scan_range(bytes, '0', 10),
                      plain = _mm_or_si128(digit, scan_range(lower, 'a', 26)),
                      under = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')),
                      plus = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+')),
                      slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')),
                      hyphen = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-'));
        const __m128i named = _mm_or_si128(plain, under);
        masks.word |= scan_bits(named) << i;
        masks.under |= scan_bits(under) << i;
        masks.digit |= scan_bits(digit) << i;
        masks.base64 |=
            scan_bits(_mm_or_si128(_mm_or_si128(named, plus), _mm_or_si128(slash, hyphen))) << i;
        masks.at |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('@'))) << i;
        masks.colon |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':'))) << i;
        masks.plus |= scan_bits(plus) << i;
        masks.hyphen |= scan_bits(hyphen) << i;
        masks.dot |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))) << i;
        masks.wide |= scan_bits(_mm_and_si128(bytes, _mm_slli_epi16(bytes, 1))) << i; /* 11...... */
    }
    return masks;
}
