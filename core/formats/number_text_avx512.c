/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range as text with AVX-512 VBMI2 and IFMA: a number is one vector, whatever its notation. Its
 * last character is at the last place, so digits and separators are where the notation has them. */
#include "base/arch.h"
#include "formats/number_text.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#define NUMBER_TARGET                                                                              \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma,bmi,bmi2,popcnt")))

/* The number of 24 digits behind eight zeros, below 10^19. */
static inline NUMBER_TARGET uint64_t number_avx512_join(__m256i digits)
{
    const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)),
                  fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(0x00010064)),
                  packed = _mm256_packus_epi32(fours, fours),
                  eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(0x00012710));
    const uint64_t upper = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)),
                   lower = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1));
    return ((upper >> 32) * 100000000 + (uint32_t)lower) * 100000000 + (lower >> 32);
}

NUMBER_TARGET static void number_avx512_read(const tally_counted *counted,
                                             const tally_counted_rows *rows)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    const uint64_t digits = own->places.digits;
    const uint32_t scale = counted->scale;
    const __m512i other = _mm512_loadu_si512(own->places.other),
                  place = _mm512_loadu_si512(own->places.place), zero = _mm512_set1_epi8('0'),
                  nine = _mm512_set1_epi8(9);
    for (size_t i = 0; i < rows->rows; i++) {
        const uint8_t *text = rows->values + rows->start[i],
                      *end = rows->values + rows->start[i + 1];
        const uint64_t minus = text != end && *text == '-', size = (uint64_t)(end - text) - minus;
        rows->ranks[i] = 0;
        if (size - 1 >= 64) {
            rows->status[i] = TALLY_REASON_NOTATION;
            continue;
        }
        const uint64_t in = UINT64_MAX << (64 - size);
        const __m512i bytes =
            _mm512_maskz_loadu_epi8(in, (const void *)((uintptr_t)end - sizeof bytes));
        const __m512i values = _mm512_maskz_sub_epi8(in & digits, bytes, zero);
        const uint64_t count = (uint64_t)_mm_popcnt_u64(in & digits);
        uint64_t wrong = _mm512_mask_cmpneq_epu8_mask(in & ~digits, bytes, other) |
                         _mm512_cmpgt_epu8_mask(values, nine);
        wrong |= ~digits >> (64 - size) & 1; /* the first is a digit */
        wrong |= (uint64_t)(count <= scale);
        wrong |= (uint64_t)(text[minus] == '0' ? count > scale + 1 : count > TALLY_NUMBER_MOST);
        const __m256i found = _mm512_castsi512_si256(_mm512_maskz_permutexvar_epi8(
            UINT64_C(0xffffffff) << TALLY_NUMBER_FIRST, place, values));
        const uint64_t magnitude = number_avx512_join(found);
        wrong |= minus & (uint64_t)(magnitude == 0);
        const uint8_t reason = tally_number_rank(counted, minus, magnitude, &rows->ranks[i]);
        rows->status[i] = wrong != 0 ? TALLY_REASON_NOTATION : reason;
    }
}

/* The eight digits of a number below 10^8 in ASCII, each in a lane. Its product with 2^52 / 10^k has
 * the digits behind the k-th one as a fraction of 52 bits. The sum makes up for constants that are
 * rounded: too much is less than 10^-k then, and nothing is too little. */
static inline NUMBER_TARGET __m512i number_avx512_split(uint64_t number)
{
    const __m512i parts = _mm512_setr_epi64(
        45035996, 450359963, INT64_C(4503599628), INT64_C(45035996274), INT64_C(450359962738),
        INT64_C(4503599627371), INT64_C(45035996273705), INT64_C(450359962737050));
    const __m512i rest = _mm512_madd52lo_epu64(_mm512_set1_epi64(27370496),
                                               _mm512_set1_epi64((int64_t)number), parts);
    return _mm512_madd52hi_epu64(_mm512_set1_epi64('0'), rest, _mm512_set1_epi64(10));
}

static inline NUMBER_TARGET uint64_t number_avx512_write_row(const tally_counted *counted,
                                                             uint64_t rank, uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    const uint64_t minus = rank < counted->negative;
    uint64_t number = rank + counted->first;
    number = minus != 0 ? 0 - number : number;
    const uint64_t upper = number / 100000000, top = upper / 100000000;
    const __m512i low = number_avx512_split(number - upper * 100000000),
                  middle = number_avx512_split(upper - top * 100000000),
                  high = number_avx512_split(top);
    const __m512i digits = _mm512_or_si512(
        low, _mm512_or_si512(_mm512_slli_epi64(middle, 8), _mm512_slli_epi64(high, 16)));
    const __m512i text =
        _mm512_mask_permutexvar_epi8(_mm512_loadu_si512(own->places.other), own->places.digits,
                                     _mm512_loadu_si512(own->places.digit), digits);
    const uint64_t nonzero =
        _mm512_mask_cmpneq_epu8_mask(own->places.digits, text, _mm512_set1_epi8('0'));
    const uint32_t start = (uint32_t)_tzcnt_u64(nonzero | own->places.least);
    const __m512i packed = _mm512_maskz_compress_epi8(UINT64_MAX << start, text);
    out[0] = '-';
    if (counted->most <= sizeof(__m256i)) {
        _mm256_storeu_si256((__m256i *)(void *)(out + minus), _mm512_castsi512_si256(packed));
    } else {
        _mm512_storeu_si512(out + minus, packed);
    }
    return minus + 64 - start;
}

NUMBER_TARGET static void number_avx512_write(const tally_counted *counted,
                                              const tally_counted_rows *rows, const uint8_t *chosen,
                                              uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, number_avx512_write_row);
}

const tally_number_text tally_number_text_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2}, number_avx512_read, number_avx512_write};

#else
typedef int tally_number_text_avx512_is_for_x86_64; /* a file may not be empty */
#endif
