/* SPDX-License-Identifier: Apache-2.0
 *
 * Shuffles with AVX-512. Targets are 16 at once. S-boxes of few entries are shuffled 64 side by side
 * in lanes, one vector an entry, by comparisons instead of addresses: with swaps k = 1, 2, .. a-1 of
 * entries k and j, the S-box, in which k was not met yet, has k where it had j, and j at k; its
 * inverse I becomes I[k] = I[j], I[j] = k. Each swap thus costs as much as k has entries below it,
 * and it is the number of entries that decides which way is faster. */
#include "base/arch.h"
#include "fast/schedule/shuffle.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "fast/lanes/macros.h"
#include "fast/lanes/transpose.h"
#include "tallystick/base.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum { LANES = 64, MOST = 80 /* entries in lanes */, BLOCK = 8 };

typedef __m512i vec;

/* Byte 4 of a quadword that is a word times its bound is the target, the lower half is what tells
 * that the word may have to be drawn again. Words 2i, then words 2i + 1. */
static TARGET int targets_of(uint32_t radix, const uint32_t *bounds, const uint8_t *words,
                             size_t count, uint8_t *targets)
{
    const vec even = _mm512_set4_epi32((int)0x80808080, 0x08090a0b, (int)0x80808080, 0x00010203);
    const vec odd = _mm512_set4_epi32((int)0x80808080, 0x0c0d0e0f, (int)0x80808080, 0x04050607);
    const vec order = _mm512_castsi128_si512(
        _mm_set_epi8(56, 60, 48, 52, 40, 44, 32, 36, 24, 28, 16, 20, 8, 12, 0, 4));
    const size_t swaps = radix - 1, full = 16 % swaps, last = (count - 16) % swaps;
    vec least = _mm512_set1_epi32(-1);
    for (size_t i = 0, at = 0;;) {
        vec both = _mm512_loadu_si512(words + 4 * i);
        vec first =
            _mm512_mul_epu32(_mm512_shuffle_epi8(both, even), _mm512_loadu_si512(bounds + at));
        vec second =
            _mm512_mul_epu32(_mm512_shuffle_epi8(both, odd), _mm512_loadu_si512(bounds + at + 1));
        least = _mm512_min_epu32(least, _mm512_min_epu32(first, second));
        vec found = _mm512_mask_mov_epi32(first, 0x5555, _mm512_srli_epi64(second, 32));
        _mm_storeu_si128((__m128i *)(targets + i),
                         _mm512_castsi512_si128(_mm512_permutexvar_epi8(order, found)));
        if (i + 16 == count) {
            break;
        }
        i += 16;
        at = at + full < swaps ? at + full : at + full - swaps;
        if (i + 16 > count) { /* the last ones overlap */
            i = count - 16;
            at = last;
        }
    }
    return _mm512_mask_cmplt_epu32_mask(0x5555, least, _mm512_set1_epi32((int)radix)) == 0;
}

/* Entries first..first+BLOCK-1 of S-boxes and inverses stay in registers through all swaps that
 * concern them, in which each takes what it adds to the inverses' later entries. S-boxes' entries
 * and targets count from `first`. */
static TARGET void swap_block(uint32_t radix, uint32_t first, const vec *targets, vec *sboxes,
                              vec *inverses)
{
    vec s[BLOCK], v[BLOCK];
    const vec base = _mm512_set1_epi8((char)first), one = _mm512_set1_epi8(1);
    vec k = base, near = _mm512_setzero_si512();
#define ENTRY(p)                                                                                   \
    {                                                                                              \
        __mmask64 here = _mm512_cmpeq_epi8_mask(j, _mm512_set1_epi8((char)(p)));                   \
        fresh = _mm512_mask_mov_epi8(fresh, here, v[p]);                                           \
        v[p] = _mm512_mask_mov_epi8(v[p], here, k);                                                \
        s[p] = _mm512_mask_mov_epi8(s[p], _mm512_cmpeq_epi8_mask(s[p], j), near);                  \
    }
    UNROLL
    for (int i = 0; i < BLOCK; i++) {
        s[i] = v[i] = near;
    }
    UNROLL
    for (uint32_t i = 0; i < BLOCK; i++) {
        if (first + i < radix) {
            vec j = _mm512_sub_epi8(targets[first + i], base), fresh = inverses[first + i];
            UNROLL
            for (uint32_t p = 0; p < i; p++) {
                ENTRY(p)
            }
            v[i] = _mm512_mask_mov_epi8(fresh, _mm512_cmpeq_epi8_mask(j, near), k);
            s[i] = j;
            k = _mm512_add_epi8(k, one);
            near = _mm512_add_epi8(near, one);
        }
    }
    for (uint32_t i = first + BLOCK; i < radix; i++) {
        vec j = _mm512_sub_epi8(targets[i], base), fresh = inverses[i];
        UNROLL
        for (uint32_t p = 0; p < BLOCK; p++) {
            ENTRY(p)
        }
        inverses[i] = fresh;
        k = _mm512_add_epi8(k, one);
        near = _mm512_add_epi8(near, one);
    }
#undef ENTRY
    UNROLL
    for (uint32_t i = 0; i < BLOCK; i++) {
        if (first + i < radix) {
            sboxes[first + i] = _mm512_add_epi8(s[i], base);
            inverses[first + i] = v[i];
        }
    }
}

static TARGET void swap(uint32_t radix, const uint8_t *targets, size_t stride, uint8_t *sboxes,
                        uint8_t *inverses)
{
    if (radix > MOST) {
        tally_fast_shuffle_portable.swap(radix, targets, stride, sboxes, inverses);
        return;
    }
    vec drawn[MOST], sorted[MOST], forward[MOST], backward[MOST];
    const uint8_t *from[LANES];
    uint8_t *to[2][LANES];
    size_t swaps = radix - 1;
    for (size_t i = 0; i < LANES; i++) {
        from[i] = targets + i * swaps;
        to[0][i] = sboxes + i * stride;
        to[1][i] = inverses + i * stride;
    }
    tally_transpose_avx512.to_lanes(from, LANES, swaps, LANES, (uint8_t *)drawn);
    sorted[0] = backward[0] = _mm512_setzero_si512();
    for (size_t i = 1; i < radix; i++) {
        sorted[i] = drawn[swaps - i];
        backward[i] = sorted[0];
    }
    for (uint32_t first = 0; first < radix; first += BLOCK) {
        swap_block(radix, first, sorted, forward, backward);
    }
    tally_transpose_avx512.from_lanes((uint8_t *)forward, LANES, LANES, radix, to[0]);
    tally_transpose_avx512.from_lanes((uint8_t *)backward, LANES, LANES, radix, to[1]);
    tally_wipe(drawn, radix * sizeof(vec));
    tally_wipe(sorted, radix * sizeof(vec));
    tally_wipe(forward, radix * sizeof(vec));
    tally_wipe(backward, radix * sizeof(vec));
}

static size_t together(uint32_t radix)
{
    return radix <= MOST ? LANES : tally_fast_shuffle_portable.together(radix);
}

const tally_fast_shuffle tally_fast_shuffle_avx512 = {"avx512", TALLY_CPU_AVX512VBMI, together,
                                                      targets_of, swap};

#else
typedef int tally_fast_shuffle_avx512_is_for_x86_64; /* a file may not be empty */
#endif
