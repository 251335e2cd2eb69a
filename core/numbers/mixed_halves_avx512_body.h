/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes of 16 bits with AVX-512, for mixed_body.h: 32 rows, and their symbols in memory.
 *
 * The file that includes this defines MIXED(name) and MIXED_TARGET, and undefines in the end what
 * is defined here. */

#define MIXED_ROWS 32
#define MIXED_HALF_HIGH(x, y)                                                                      \
    ((MIXED(halves))_mm512_mulhi_epu16((__m512i)(x), _mm512_set1_epi16((int16_t)(y))))
#define MIXED_CONVERT(type, from) (from)
#define MIXED_HALF(x)             ((uint16_t)(x))

typedef uint16_t MIXED(halves) __attribute__((vector_size(64)));
typedef MIXED(halves) MIXED(stored);

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load)(const uint8_t *from)
{
    return (MIXED(halves))_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i_u *)from));
}

TALLY_INLINE MIXED_TARGET void MIXED(store)(uint8_t *to, MIXED(halves) value)
{
    _mm256_storeu_si256((__m256i_u *)to, _mm512_cvtepi16_epi8((__m512i)value));
}
