/* SPDX-License-Identifier: Apache-2.0
 *
 * The digits of phone numbers with AVX-512 VBMI2, which compresses and expands bytes. */
#include "formats/phone.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#define PHONE_AVX512_TARGET                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")))

PHONE_AVX512_TARGET static __mmask64 phone_avx512_equal(__m512i text, char character)
{
    return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(character));
}

PHONE_AVX512_TARGET static int phone_avx512_read(const uint8_t *text, size_t size,
                                                 tally_phone_text *out)
{
    if (size == 0 || size > 64) {
        return 0;
    }
    const __mmask64 within = UINT64_MAX >> (64 - size);
    const __m512i v = _mm512_maskz_loadu_epi8(within, text);
    const __mmask64 digits =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    const __mmask64 plus = phone_avx512_equal(v, '+'), open = phone_avx512_equal(v, '('),
                    close = phone_avx512_equal(v, ')');
    const __mmask64 separators = phone_avx512_equal(v, ' ') | phone_avx512_equal(v, '-') |
                                 phone_avx512_equal(v, '.') | phone_avx512_equal(v, '/') | open |
                                 close;
    const uint32_t count = (uint32_t)__builtin_popcountll(digits);
    if ((digits | separators | plus) != within || count > TALLY_PHONE_MOST ||
        (plus & (plus - 1)) != 0 || (plus != 0 && (digits & (plus - 1)) != 0)) {
        return 0;
    }
    const __mmask64 zeros = phone_avx512_equal(v, '0') & open << 1 & close >> 1;
    const __m512i packed = _mm512_maskz_compress_epi8(digits, v);
    _mm512_storeu_si512(out->digit, packed); /* whole: the next load reads all of it */
    out->digits = count;
    out->international = plus != 0;
    out->zero = zeros == 0 ? TALLY_PHONE_MOST
                           : (uint32_t)__builtin_popcountll(digits & ((zeros & (0 - zeros)) - 1));
    out->places = digits;
    return 1;
}

PHONE_AVX512_TARGET static uint64_t phone_avx512_choose(uint64_t places, uint32_t skip,
                                                        uint32_t size)
{
    return _pdep_u64(((UINT64_C(1) << size) - 1) << skip, places);
}

PHONE_AVX512_TARGET static void
phone_avx512_write(uint64_t places, const uint8_t digits[TALLY_PHONE_SLOT], uint8_t *text)
{
    const uint32_t count = (uint32_t)_mm_popcnt_u64(places);
    const __m512i v = _mm512_zextsi128_si512(
        _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(UINT16_MAX, count), digits));
    _mm512_mask_storeu_epi8(text, places, _mm512_maskz_expand_epi8(places, v));
}

const tally_phone_vectors tally_phone_avx512 = {{"avx512", TALLY_CPU_AVX512VBMI2 | TALLY_CPU_BMI2},
                                                phone_avx512_read,
                                                phone_avx512_choose,
                                                phone_avx512_write};

#else
typedef int tally_phone_avx512_is_for_x86_64; /* a file may not be empty */
#endif
