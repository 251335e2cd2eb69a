/* SPDX-License-Identifier: Apache-2.0
 *
 * Every fourth byte with SSE2, which every 64-bit x86 has. Only sequence.c includes this file. */
#ifndef TALLY_FAST_SCHEDULE_SEQUENCE_SSE2_H
#define TALLY_FAST_SCHEDULE_SEQUENCE_SSE2_H

#include <emmintrin.h>

/* Copies `count` bytes: 0, 4, 8 and so on. */
static void sequence_every_fourth(const uint8_t *words, size_t count, uint8_t *out)
{
    const __m128i low = _mm_set1_epi32(0xff);
    for (; count >= 16; count -= 16, words += 64, out += 16) {
        const __m128i *in = (const __m128i *)words;
        __m128i a = _mm_and_si128(_mm_loadu_si128(in), low);
        __m128i b = _mm_and_si128(_mm_loadu_si128(in + 1), low);
        __m128i c = _mm_and_si128(_mm_loadu_si128(in + 2), low);
        __m128i d = _mm_and_si128(_mm_loadu_si128(in + 3), low);
        __m128i four = _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_storeu_si128((__m128i *)out, four);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = words[4 * i];
    }
}

#endif
