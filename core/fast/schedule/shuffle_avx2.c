/* SPDX-License-Identifier: Apache-2.0
 *
 * Shuffles with AVX2: targets are drawn 8 at a time, and swaps are the portable ones. */
#include "base/arch.h"
#include "fast/schedule/shuffle.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "tallystick/base.h"

#define SHUFFLE_AVX2_TARGET __attribute__((target("avx2")))

/* The product of a word and its bound is a quadword. Byte 4 is the target, and the lower half shows
 * whether the word may be rejected. Words 0, 2, 4, 6 and words 1, 3, 5, 7 have a vector each. */
static SHUFFLE_AVX2_TARGET int shuffle_avx2_targets(uint32_t radix, const uint32_t *bounds,
                                                    const uint8_t *words, size_t count,
                                                    uint8_t *targets)
{
    const __m256i even =
        _mm256_set_epi32(-1, 0x08090a0b, -1, 0x00010203, -1, 0x08090a0b, -1, 0x00010203);
    const __m256i odd =
        _mm256_set_epi32(-1, 0x0c0d0e0f, -1, 0x04050607, -1, 0x0c0d0e0f, -1, 0x04050607);
    const __m256i order = _mm256_set1_epi32(0x080c0004);
    const size_t swaps = radix - 1, full = 8 % swaps, last = (count - 8) % swaps;
    __m256i least = _mm256_set1_epi32(-1);
    for (size_t i = 0, at = 0;;) {
        __m256i both = _mm256_loadu_si256((const __m256i *)(words + 4 * i));
        __m256i first = _mm256_mul_epu32(_mm256_shuffle_epi8(both, even),
                                         _mm256_loadu_si256((const __m256i *)(bounds + at)));
        __m256i second = _mm256_mul_epu32(_mm256_shuffle_epi8(both, odd),
                                          _mm256_loadu_si256((const __m256i *)(bounds + at + 1)));
        least = _mm256_min_epu32(least, _mm256_min_epu32(first, second));
        __m256i found = _mm256_blend_epi32(first, _mm256_srli_epi64(second, 32), 0x55);
        found = _mm256_shuffle_epi8(found, order);
        __m128i eight =
            _mm_unpacklo_epi32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
        _mm_storel_epi64((__m128i *)(targets + i), eight);
        if (i + 8 == count) {
            break;
        }
        i += 8;
        at = at + full < swaps ? at + full : at + full - swaps;
        if (i + 8 > count) { /* the last eight overlap the ones before */
            i = count - 8;
            at = last;
        }
    }
    uint32_t lower[8], rejected = 0;
    _mm256_storeu_si256((__m256i *)lower, least);
    for (size_t i = 0; i < 8; i += 2) {
        rejected |= lower[i] < radix;
    }
    return !rejected;
}

static size_t shuffle_avx2_batch_size(uint32_t radix)
{
    return tally_fast_shuffle_portable.batch_size(radix);
}

static void shuffle_avx2_swap(uint32_t radix, const uint8_t *targets, size_t stride,
                              uint8_t *sboxes, uint8_t *inverses)
{
    tally_fast_shuffle_portable.swap(radix, targets, stride, sboxes, inverses);
}

const tally_fast_shuffle tally_fast_shuffle_avx2 = {
    .backend = {"avx2", TALLY_CPU_AVX2},
    .batch_size = shuffle_avx2_batch_size,
    .targets = shuffle_avx2_targets,
    .swap = shuffle_avx2_swap,
};

#else
typedef int tally_fast_shuffle_avx2_is_for_x86_64; /* a file may not be empty */
#endif
