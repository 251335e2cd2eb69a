/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix with AVX-512 IFMA, whose products have 104 bits: limbs of 35 bits, each in
 * a lane of 64. */
#include "base/arch.h"
#include "numbers/mixed.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"

#define MIXED(name)     mixed_ifma_##name
#define MIXED_TARGET    __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma")))
#define MIXED_LIMB_BITS TALLY_MIXED_WIDE
#define MIXED_EACH(c)   TALLY_UNROLL(4) for (size_t c = 0; c < 4; c++)

#include "numbers/mixed_halves_avx512_body.h"

/* Vector c has rows c, 4 + c, 8 + c, .., so that halves become packs by shifts alone. */
typedef struct mixed_ifma_pack {
    __m512i of[4];
} mixed_ifma_pack;

typedef struct mixed_ifma_numbers {
    mixed_ifma_pack limb[256 / TALLY_MIXED_WIDE + 1];
} mixed_ifma_numbers;

TALLY_INLINE MIXED_TARGET mixed_ifma_halves mixed_ifma_narrow(const mixed_ifma_pack *from)
{
    const __m512i low = _mm512_or_si512(from->of[0], _mm512_slli_epi64(from->of[1], 16)),
                  high = _mm512_or_si512(_mm512_slli_epi64(from->of[2], 32),
                                         _mm512_slli_epi64(from->of[3], 48));
    return (mixed_ifma_halves)_mm512_or_si512(low, high);
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_widen(mixed_ifma_halves from)
{
    const __m512i all = (__m512i)from, mask = _mm512_set1_epi64(0xffff);
    const mixed_ifma_pack wide = {
        {_mm512_and_si512(all, mask), _mm512_and_si512(_mm512_srli_epi64(all, 16), mask),
         _mm512_and_si512(_mm512_srli_epi64(all, 32), mask), _mm512_srli_epi64(all, 48)}};
    return wide;
}

/* As in mixed_limbs_body.h. */
TALLY_INLINE MIXED_TARGET void mixed_ifma_append(mixed_ifma_numbers *to, uint32_t factor,
                                                 mixed_ifma_pack digit, size_t before, size_t after)
{
    const __m512i by = _mm512_set1_epi64(factor),
                  mask = _mm512_set1_epi64((INT64_C(1) << TALLY_MIXED_WIDE) - 1);
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            const __m512i sum = _mm512_madd52lo_epu64(digit.of[c], to->limb[k].of[c], by);
            to->limb[k].of[c] = _mm512_and_si512(sum, mask);
            digit.of[c] = _mm512_srli_epi64(sum, TALLY_MIXED_WIDE);
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

/* A divisor in each lane. */
typedef struct mixed_ifma_divisor {
    __m512i number, inverse, shift;
} mixed_ifma_divisor;

/* Divides one limb behind a rest; returns the next rest. */
TALLY_INLINE MIXED_TARGET __m512i mixed_ifma_divide(__m512i *limb, __m512i rest,
                                                    const mixed_ifma_divisor *by)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i part = _mm512_or_si512(_mm512_slli_epi64(rest, TALLY_MIXED_WIDE), *limb);
    *limb = _mm512_srlv_epi64(_mm512_madd52hi_epu64(zero, part, by->inverse), by->shift);
    return _mm512_sub_epi64(part, _mm512_madd52lo_epu64(zero, *limb, by->number));
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_split(mixed_ifma_numbers *from,
                                                           const tally_mixed_run *run, size_t limbs)
{
    const mixed_ifma_divisor by = {_mm512_set1_epi64(run->size),
                                   _mm512_set1_epi64((int64_t)run->inverse),
                                   _mm512_set1_epi64(run->shift)};
    const __m512i zero = _mm512_setzero_si512();
    mixed_ifma_pack rest = {{zero, zero, zero, zero}};
    for (mixed_ifma_pack *limb = from->limb + limbs; limb-- > from->limb;) {
        rest.of[0] = mixed_ifma_divide(&limb->of[0], rest.of[0], &by);
        rest.of[1] = mixed_ifma_divide(&limb->of[1], rest.of[1], &by);
        rest.of[2] = mixed_ifma_divide(&limb->of[2], rest.of[2], &by);
        rest.of[3] = mixed_ifma_divide(&limb->of[3], rest.of[3], &by);
    }
    return rest;
}

/* A wide limb of the greatest number. */
TALLY_INLINE uint64_t mixed_ifma_last(const tally_mixed_plan *plan, size_t limb)
{
    const size_t first = limb * TALLY_MIXED_WIDE / 16;
    uint64_t bits = 0;
    for (size_t k = first; k < first + 4 && k < TALLY_MIXED_LIMBS; k++) {
        bits |= (uint64_t)plan->last[k] << 16 * (k - first);
    }
    return bits >> limb * TALLY_MIXED_WIDE % 16 & ((UINT64_C(1) << TALLY_MIXED_WIDE) - 1);
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_find_outside(mixed_ifma_numbers *held,
                                                                  const tally_mixed_plan *plan,
                                                                  size_t limbs)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    mixed_ifma_pack borrow = {{zero, zero, zero, zero}}; /* of last - number */
    for (size_t k = 0; k < limbs; k++) {
        const __m512i last = _mm512_set1_epi64((int64_t)mixed_ifma_last(plan, k));
        MIXED_EACH(c)
        {
            const __m512i left = _mm512_sub_epi64(last, held->limb[k].of[c]);
            borrow.of[c] = _mm512_srli_epi64(_mm512_sub_epi64(left, borrow.of[c]), 63);
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            const __m512i mask = _mm512_sub_epi64(borrow.of[c], one);
            held->limb[k].of[c] = _mm512_and_si512(held->limb[k].of[c], mask);
        }
    }
    return borrow;
}

#include "numbers/mixed_body.h"

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_LIMB_BITS
#undef MIXED_HALF_HIGH
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_EACH

const tally_mixed_lanes tally_mixed_ifma = {
    {"avx512ifma", TALLY_CPU_AVX512VBMI2}, mixed_ifma_write, mixed_ifma_read};

#else
typedef int tally_mixed_ifma_is_for_x86_64; /* a file may not be empty */
#endif
