/* SPDX-License-Identifier: Apache-2.0
 *
 * IPv6 addresses as text with AVX-512 VBMI2: an address is one vector. Its digits are compressed
 * out, and expanded to where they are in an address of full length. */
#include "base/arch.h"
#include "formats/ipv6_text.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#define IPV6_TARGET                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

/* The zero groups of 32 digits. */
static inline IPV6_TARGET uint32_t ipv6_avx512_zero_groups(uint32_t nonzero)
{
    uint32_t any = nonzero | nonzero >> 1;
    any |= any >> 2;
    return _pext_u32(~any, UINT32_C(0x11111111));
}

static IPV6_TARGET int ipv6_avx512_read(const uint8_t *text, uint64_t size,
                                        uint8_t digits[TALLY_IPV6_DIGITS])
{
    if (size < 2 || size > TALLY_IPV6_TEXT) {
        return 0;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, text);
    const uint64_t colons = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(':'));
    const uint64_t hex =
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(9)) |
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('a')), _mm512_set1_epi8(5));
    const uint64_t zero = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('0'));
    const uint64_t first = hex & ~(hex << 1), last = hex & ~(hex >> 1); /* of a group */
    const uint64_t pairs = colons & colons >> 1;
    const uint64_t single = colons & ~(pairs | pairs << 1);
    const uint32_t groups = (uint32_t)_mm_popcnt_u64(first);
    /* Only `::` may stand at an end; four digits at most, without leading zeros. */
    uint64_t wrong = (colons | hex) ^ in;
    wrong |= single & (1 | UINT64_C(1) << (size - 1));
    wrong |= hex & hex >> 1 & hex >> 2 & hex >> 3 & hex >> 4;
    wrong |= first & zero & hex >> 1;
    wrong |= pairs & (pairs - 1);
    wrong |= (uint64_t)(pairs == 0 ? groups != 8 : groups > 6);
    if (wrong != 0) {
        return 0;
    }
    /* Which digits of groups that lie side by side are given. */
    const uint64_t two = last & hex << 1, three = two & hex << 2, four = three & hex << 3;
    const uint32_t ends = (uint32_t)_bzhi_u64(UINT32_C(0x88888888), 4 * groups);
    const uint32_t given = ends | _pdep_u32((uint32_t)_pext_u64(two, last), ends >> 1) |
                           _pdep_u32((uint32_t)_pext_u64(three, last), ends >> 2) |
                           _pdep_u32((uint32_t)_pext_u64(four, last), ends >> 3);
    /* Groups behind `::` are the last ones. */
    const uint32_t before = pairs == 0 ? groups : (uint32_t)_mm_popcnt_u64(last & (pairs - 1));
    const uint64_t low = _bzhi_u64(given, 4 * before);
    const uint32_t place = (uint32_t)(low | (given ^ low) << 4 * (8 - groups));
    const __m256i held = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(hex, bytes));
    const __m256i zeros = _mm256_set1_epi8('0');
    const __m256i found = _mm256_mask_expand_epi8(zeros, place, held);
    _mm256_storeu_si256((__m256i *)(void *)digits, found);
    const tally_ipv6_gap gap =
        tally_ipv6_gap_of(ipv6_avx512_zero_groups(_mm256_cmpneq_epi8_mask(found, zeros)));
    return pairs == 0 ? gap.count == 0 : gap.first == before && gap.count == 8 - groups;
}

static IPV6_TARGET size_t ipv6_avx512_write(const uint8_t digits[TALLY_IPV6_DIGITS],
                                            uint8_t out[TALLY_IPV6_CAPACITY])
{
    /* Four digits and a colon, eight times. */
    static const uint8_t places[64] = {
        0,  1,  2,  3,  32, 4,  5,  6,  7,  32, 8,  9,  10, 11, 32, 12, 13, 14, 15, 32,
        16, 17, 18, 19, 32, 20, 21, 22, 23, 32, 24, 25, 26, 27, 32, 28, 29, 30, 31,
    };
    const __m256i held = _mm256_loadu_si256((const __m256i *)(const void *)digits);
    const uint32_t nonzero = _mm256_cmpneq_epi8_mask(held, _mm256_set1_epi8('0'));
    const uint64_t written = _pdep_u64(tally_ipv6_written(nonzero), UINT64_C(0x7bdef7bdef));
    const uint64_t left =
        tally_ipv6_left(written, tally_ipv6_gap_of(ipv6_avx512_zero_groups(nonzero)));
    const __m512i whole = _mm512_inserti64x4(_mm512_set1_epi8(':'), held, 0);
    const __m512i text = _mm512_permutexvar_epi8(_mm512_loadu_si512(places), whole);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(left, text));
    return (size_t)_mm_popcnt_u64(left);
}

const tally_ipv6_text tally_ipv6_text_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2 | TALLY_CPU_BMI2}, ipv6_avx512_read, ipv6_avx512_write};

#else
typedef int tally_ipv6_text_avx512_is_for_x86_64; /* a file may not be empty */
#endif
