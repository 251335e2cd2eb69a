/* SPDX-License-Identifier: Apache-2.0
 *
 * Which words are German numbers, with AVX-512 VBMI: of the words that cycle walking goes through,
 * four in a hundred. So no digit is written here. A word is divided into numbers of two digits, and
 * tables give the bits of both digits. */
#include "base/arch.h"
#include "formats/layouts_lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
/* Without optimization, gcc's intrinsics are macros that convert the sign of their masks. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

#include "base/unroll.h"

#define IDNR_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

/* Powers of the radix, 98^2 and 98^4, and the latter's parts. */
enum { IDNR_SQUARE = 9604, IDNR_FOURTH_HIGH = 9223, IDNR_FOURTH_LOW = 6816 };

/* The bits of two digits, by the number that they are: those of 0 to 7, and of 8 and 9. Equal ones
 * leave none. */
#define IDNR_BITS(tens, ones) ((1u << (tens)) ^ (1u << (ones)))
#define IDNR_TEN(of, tens)                                                                         \
    of(tens, 0), of(tens, 1), of(tens, 2), of(tens, 3), of(tens, 4), of(tens, 5), of(tens, 6),     \
        of(tens, 7), of(tens, 8), of(tens, 9)
#define IDNR_FROM_1(of)                                                                            \
    IDNR_TEN(of, 1), IDNR_TEN(of, 2), IDNR_TEN(of, 3), IDNR_TEN(of, 4), IDNR_TEN(of, 5),           \
        IDNR_TEN(of, 6), IDNR_TEN(of, 7), IDNR_TEN(of, 8), IDNR_TEN(of, 9)
#define IDNR_LOW(tens, ones)   (IDNR_BITS(tens, ones) & 0xff)
#define IDNR_HIGH(tens, ones)  (IDNR_BITS(tens, ones) >> 8)
#define IDNR_FIRST(tens, ones) (IDNR_BITS(tens, ones) >> 8 | 0xfc)

/* The first digit is one more than its number: 1 to 9. Numbers from 90 on lack the upper bits. */
_Alignas(64) static const uint8_t idnr_first[2][128] = {{IDNR_FROM_1(IDNR_LOW)},
                                                        {IDNR_FROM_1(IDNR_FIRST)}},
                                  idnr_other[2][128] = {
                                      {IDNR_TEN(IDNR_LOW, 0), IDNR_FROM_1(IDNR_LOW)},
                                      {IDNR_TEN(IDNR_HIGH, 0), IDNR_FROM_1(IDNR_HIGH)}};

TALLY_INLINE IDNR_TARGET __m512i idnr_avx512_look_up(const uint8_t table[128], __m512i index)
{
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), index, _mm512_load_si512(table + 64));
}

/* Divides numbers below 10^8 by 10^4; returns the rests. As floating-point numbers all are rounded
 * down, which makes the quotient 1 less at most. */
TALLY_INLINE IDNR_TARGET __m512i idnr_avx512_split(__m512i number, __m512i *quotient)
{
    const __m512i by = _mm512_set1_epi32(10000);
    const __m512 exact = _mm512_cvt_roundepi32_ps(number, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512 part = _mm512_mul_round_ps(exact, _mm512_set1_ps(0.0000999999f),
                                            _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512i found = _mm512_cvtt_roundps_epi32(part, _MM_FROUND_NO_EXC);
    const __m512i rest = _mm512_sub_epi32(number, _mm512_madd_epi16(found, by));
    const __mmask16 less = _mm512_cmpge_epu32_mask(rest, by);
    *quotient = _mm512_mask_sub_epi32(found, less, found, _mm512_set1_epi32(-1));
    return _mm512_mask_sub_epi32(rest, less, rest, by);
}

/* Two digits each of 32 words. */
typedef struct idnr_avx512_pairs {
    __m512i of[5];
} idnr_avx512_pairs;

TALLY_INLINE IDNR_TARGET __m512i idnr_avx512_load(const uint8_t *symbols)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i_u *)symbols));
}

/* Four digits become twice two. */
TALLY_INLINE IDNR_TARGET void idnr_avx512_halve(__m512i four, __m512i *high, __m512i *low)
{
    *high = _mm512_srli_epi16(_mm512_mulhi_epu16(four, _mm512_set1_epi16(5243)), 3);
    *low = _mm512_sub_epi16(four, _mm512_mullo_epi16(*high, _mm512_set1_epi16(100)));
}

TALLY_INLINE IDNR_TARGET idnr_avx512_pairs idnr_avx512_divide(const uint8_t *symbols, size_t stride)
{
    const __m512i radix = _mm512_set1_epi16(98), zero = _mm512_setzero_si512();
    const __m512i first = idnr_avx512_load(symbols);
    const __m512i second =
        _mm512_add_epi16(_mm512_mullo_epi16(idnr_avx512_load(symbols + stride), radix),
                         idnr_avx512_load(symbols + 2 * stride));
    const __m512i third =
        _mm512_add_epi16(_mm512_mullo_epi16(idnr_avx512_load(symbols + 3 * stride), radix),
                         idnr_avx512_load(symbols + 4 * stride));
    const __m512i firsts[2] = {_mm512_unpacklo_epi16(first, zero),
                               _mm512_unpackhi_epi16(first, zero)},
                  others[2] = {_mm512_unpacklo_epi16(second, third),
                               _mm512_unpackhi_epi16(second, third)};
    __m512i low[2], high[2];
    TALLY_UNROLL(2)
    for (size_t i = 0; i < 2; i++) { /* the number is high * 10^4 + low */
        const __m512i sum =
            _mm512_add_epi32(_mm512_madd_epi16(others[i], _mm512_set1_epi32(1 << 16 | IDNR_SQUARE)),
                             _mm512_madd_epi16(firsts[i], _mm512_set1_epi32(IDNR_FOURTH_LOW)));
        __m512i more;
        low[i] = idnr_avx512_split(sum, &more);
        high[i] = _mm512_add_epi32(
            _mm512_madd_epi16(firsts[i], _mm512_set1_epi32(IDNR_FOURTH_HIGH)), more);
    }
    const __m512i mask = _mm512_set1_epi32(0xffff);
    const __m512i sixteenth = _mm512_packus_epi32(_mm512_srli_epi32(high[0], 4),
                                                  _mm512_srli_epi32(high[1], 4)),
                  wrapped = _mm512_packus_epi32(_mm512_and_si512(high[0], mask),
                                                _mm512_and_si512(high[1], mask));
    idnr_avx512_pairs pairs; /* of high, below 2^20, by 16 and then by 625 */
    pairs.of[0] =
        _mm512_srli_epi16(_mm512_mulhi_epu16(sixteenth, _mm512_set1_epi16((int16_t)53688)), 9);
    const __m512i four =
        _mm512_sub_epi16(wrapped, _mm512_mullo_epi16(pairs.of[0], _mm512_set1_epi16(10000)));
    idnr_avx512_halve(four, &pairs.of[1], &pairs.of[2]);
    idnr_avx512_halve(_mm512_packus_epi32(low[0], low[1]), &pairs.of[3], &pairs.of[4]);
    return pairs;
}

/* Where eight digits came an odd number of times: of ten, the other two are then one that came
 * twice, or two more of one of the eight. `odd` has a bit for each digit, and all upper bits. */
TALLY_INLINE IDNR_TARGET __mmask32 idnr_avx512_is_value(__m512i odd)
{
    const __m512i all = _mm512_set1_epi16(-1), even = _mm512_xor_si512(odd, all),
                  second = _mm512_and_si512(even, _mm512_add_epi16(even, all)),
                  third = _mm512_and_si512(second, _mm512_add_epi16(second, all));
    return _mm512_test_epi16_mask(second, second) & _mm512_testn_epi16_mask(third, third);
}

static IDNR_TARGET uint64_t idnr_avx512_values(const uint8_t *symbols, size_t stride)
{
    const idnr_avx512_pairs one = idnr_avx512_divide(symbols, stride),
                            two = idnr_avx512_divide(symbols + 32, stride);
    __m512i low, high;
    TALLY_UNROLL(8)
    for (size_t i = 0; i < 5; i++) { /* the order of packs is that of unpacks */
        const __m512i both = _mm512_packus_epi16(one.of[i], two.of[i]);
        if (i == 0) {
            low = idnr_avx512_look_up(idnr_first[0], both);
            high = idnr_avx512_look_up(idnr_first[1], both);
        } else {
            low = _mm512_xor_si512(low, idnr_avx512_look_up(idnr_other[0], both));
            high = _mm512_xor_si512(high, idnr_avx512_look_up(idnr_other[1], both));
        }
    }
    return (uint64_t)idnr_avx512_is_value(_mm512_unpackhi_epi8(low, high)) << 32 |
           idnr_avx512_is_value(_mm512_unpacklo_epi8(low, high));
}

const tally_layout_idnr tally_layout_idnr_avx512 = {{"avx512", TALLY_CPU_AVX512VBMI},
                                                    idnr_avx512_values};

#else
typedef int tally_layouts_idnr_avx512_is_for_x86_64; /* a file may not be empty */
#endif
