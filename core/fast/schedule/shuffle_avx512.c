/* SPDX-License-Identifier: Apache-2.0
 *
 * Shuffles with AVX-512: targets are drawn 16 at a time. S-boxes of at most 80 entries are shuffled
 * 64 side by side in lanes, with one vector for each entry, and comparisons in place of addresses.
 * Swap k = 1, 2, .. a-1 exchanges entries k and j. The S-box has no k before, so it gets k in place
 * of j, and j at k. Its inverse gets I[k] = I[j] and I[j] = k. The cost of a swap is proportional
 * to k, so larger S-boxes are faster in memory. */
#include "base/arch.h"
#include "fast/schedule/shuffle.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"
#include "fast/lanes/transpose.h"
#include "tallystick/base.h"

#define SHUFFLE_AVX512_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum {
    SHUFFLE_AVX512_LANES = 64,
    SHUFFLE_AVX512_MAX_ENTRIES = 80, /* in lanes */
    SHUFFLE_AVX512_BLOCK = 8
};

/* The product of a word and its bound is a quadword. Byte 4 is the target, and the lower half shows
 * whether the word may be rejected. Words 2i and words 2i + 1 have a vector each. */
static SHUFFLE_AVX512_TARGET int shuffle_avx512_targets(uint32_t radix, const uint32_t *bounds,
                                                        const uint8_t *words, size_t count,
                                                        uint8_t *targets)
{
    const __m512i even =
        _mm512_set4_epi32((int)0x80808080, 0x08090a0b, (int)0x80808080, 0x00010203);
    const __m512i odd = _mm512_set4_epi32((int)0x80808080, 0x0c0d0e0f, (int)0x80808080, 0x04050607);
    const __m512i order = _mm512_castsi128_si512(
        _mm_set_epi8(56, 60, 48, 52, 40, 44, 32, 36, 24, 28, 16, 20, 8, 12, 0, 4));
    const size_t swaps = radix - 1, full = 16 % swaps, last = (count - 16) % swaps;
    __m512i least = _mm512_set1_epi32(-1);
    for (size_t i = 0, at = 0;;) {
        __m512i both = _mm512_loadu_si512(words + 4 * i);
        __m512i first =
            _mm512_mul_epu32(_mm512_shuffle_epi8(both, even), _mm512_loadu_si512(bounds + at));
        __m512i second =
            _mm512_mul_epu32(_mm512_shuffle_epi8(both, odd), _mm512_loadu_si512(bounds + at + 1));
        least = _mm512_min_epu32(least, _mm512_min_epu32(first, second));
        __m512i found = _mm512_mask_mov_epi32(first, 0x5555, _mm512_srli_epi64(second, 32));
        _mm_storeu_si128((__m128i *)(targets + i),
                         _mm512_castsi512_si128(_mm512_permutexvar_epi8(order, found)));
        if (i + 16 == count) {
            break;
        }
        i += 16;
        at = at + full < swaps ? at + full : at + full - swaps;
        if (i + 16 > count) { /* the last 16 overlap the ones before */
            i = count - 16;
            at = last;
        }
    }
    return _mm512_mask_cmplt_epu32_mask(0x5555, least, _mm512_set1_epi32((int)radix)) == 0;
}

/* Makes a block of entries of the S-boxes, from `first` on. The block stays in registers for all
 * swaps that may exchange its entries, and the swaps write to the inverses' later entries. In
 * registers the S-boxes' entries and the targets are counted from `first`. */
static SHUFFLE_AVX512_TARGET void shuffle_avx512_swap_block(uint32_t radix, uint32_t first,
                                                            const __m512i *targets, __m512i *sboxes,
                                                            __m512i *inverses)
{
    __m512i s[SHUFFLE_AVX512_BLOCK], v[SHUFFLE_AVX512_BLOCK];
    const __m512i base = _mm512_set1_epi8((char)first), one = _mm512_set1_epi8(1);
    __m512i k = base, near = _mm512_setzero_si512();
#define SHUFFLE_AVX512_ENTRY(p)                                                                    \
    {                                                                                              \
        __mmask64 here = _mm512_cmpeq_epi8_mask(j, _mm512_set1_epi8((char)(p)));                   \
        fresh = _mm512_mask_mov_epi8(fresh, here, v[p]);                                           \
        v[p] = _mm512_mask_mov_epi8(v[p], here, k);                                                \
        s[p] = _mm512_mask_mov_epi8(s[p], _mm512_cmpeq_epi8_mask(s[p], j), near);                  \
    }
    TALLY_UNROLL(16)
    for (int i = 0; i < SHUFFLE_AVX512_BLOCK; i++) {
        s[i] = v[i] = near;
    }
    TALLY_UNROLL(16)
    for (uint32_t i = 0; i < SHUFFLE_AVX512_BLOCK; i++) {
        if (first + i < radix) {
            __m512i j = _mm512_sub_epi8(targets[first + i], base), fresh = inverses[first + i];
            TALLY_UNROLL(16)
            for (uint32_t p = 0; p < i; p++) {
                SHUFFLE_AVX512_ENTRY(p)
            }
            v[i] = _mm512_mask_mov_epi8(fresh, _mm512_cmpeq_epi8_mask(j, near), k);
            s[i] = j;
            k = _mm512_add_epi8(k, one);
            near = _mm512_add_epi8(near, one);
        }
    }
    for (uint32_t i = first + SHUFFLE_AVX512_BLOCK; i < radix; i++) {
        __m512i j = _mm512_sub_epi8(targets[i], base), fresh = inverses[i];
        TALLY_UNROLL(16)
        for (uint32_t p = 0; p < SHUFFLE_AVX512_BLOCK; p++) {
            SHUFFLE_AVX512_ENTRY(p)
        }
        inverses[i] = fresh;
        k = _mm512_add_epi8(k, one);
        near = _mm512_add_epi8(near, one);
    }
#undef SHUFFLE_AVX512_ENTRY
    TALLY_UNROLL(16)
    for (uint32_t i = 0; i < SHUFFLE_AVX512_BLOCK; i++) {
        if (first + i < radix) {
            sboxes[first + i] = _mm512_add_epi8(s[i], base);
            inverses[first + i] = v[i];
        }
    }
}

static SHUFFLE_AVX512_TARGET void shuffle_avx512_swap(uint32_t radix, const uint8_t *targets,
                                                      size_t stride, uint8_t *sboxes,
                                                      uint8_t *inverses)
{
    if (radix > SHUFFLE_AVX512_MAX_ENTRIES) {
        tally_fast_shuffle_portable.swap(radix, targets, stride, sboxes, inverses);
        return;
    }
    __m512i drawn[SHUFFLE_AVX512_MAX_ENTRIES], sorted[SHUFFLE_AVX512_MAX_ENTRIES],
        forward[SHUFFLE_AVX512_MAX_ENTRIES], backward[SHUFFLE_AVX512_MAX_ENTRIES];
    const uint8_t *from[SHUFFLE_AVX512_LANES];
    uint8_t *to[2][SHUFFLE_AVX512_LANES];
    size_t swaps = radix - 1;
    for (size_t i = 0; i < SHUFFLE_AVX512_LANES; i++) {
        from[i] = targets + i * swaps;
        to[0][i] = sboxes + i * stride;
        to[1][i] = inverses + i * stride;
    }
    tally_transpose_avx512.to_lanes(from, SHUFFLE_AVX512_LANES, swaps, SHUFFLE_AVX512_LANES,
                                    (uint8_t *)drawn);
    sorted[0] = backward[0] = _mm512_setzero_si512();
    for (size_t i = 1; i < radix; i++) {
        sorted[i] = drawn[swaps - i];
        backward[i] = sorted[0];
    }
    for (uint32_t first = 0; first < radix; first += SHUFFLE_AVX512_BLOCK) {
        shuffle_avx512_swap_block(radix, first, sorted, forward, backward);
    }
    tally_transpose_avx512.from_lanes((uint8_t *)forward, SHUFFLE_AVX512_LANES,
                                      SHUFFLE_AVX512_LANES, radix, to[0]);
    tally_transpose_avx512.from_lanes((uint8_t *)backward, SHUFFLE_AVX512_LANES,
                                      SHUFFLE_AVX512_LANES, radix, to[1]);
    tally_wipe(drawn, radix * sizeof(__m512i));
    tally_wipe(sorted, radix * sizeof(__m512i));
    tally_wipe(forward, radix * sizeof(__m512i));
    tally_wipe(backward, radix * sizeof(__m512i));
}

static size_t shuffle_avx512_batch_size(uint32_t radix)
{
    return radix <= SHUFFLE_AVX512_MAX_ENTRIES ? SHUFFLE_AVX512_LANES
                                               : tally_fast_shuffle_portable.batch_size(radix);
}

const tally_fast_shuffle tally_fast_shuffle_avx512 = {
    .backend = {"avx512", TALLY_CPU_AVX512VBMI},
    .batch_size = shuffle_avx512_batch_size,
    .targets = shuffle_avx512_targets,
    .swap = shuffle_avx512_swap,
};

#else
typedef int tally_fast_shuffle_avx512_is_for_x86_64; /* a file may not be empty */
#endif
