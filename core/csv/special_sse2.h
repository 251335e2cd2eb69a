/* SPDX-License-Identifier: Apache-2.0
 *
 * Special bytes with SSE2, which every 64-bit x86 has. Included by special.h alone. */

#include <emmintrin.h>

static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    const __m128i delimiter = _mm_set1_epi64x((int64_t)s->delimiter);
    const __m128i quote = _mm_set1_epi64x((int64_t)s->quote);
    const __m128i carriage_return = _mm_set1_epi64x((int64_t)s->carriage_return);
    const __m128i line_feed = _mm_set1_epi64x((int64_t)s->line_feed);
    tally_csv_masks masks = {0, 0};
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i lines =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, carriage_return), _mm_cmpeq_epi8(bytes, line_feed));
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), lines);
        masks.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)) << i;
        masks.ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(ends) << i;
    }
    return masks;
}
