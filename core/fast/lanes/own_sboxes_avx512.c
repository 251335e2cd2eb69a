/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with an S-box each, with AVX-512 VBMI. A byte permute looks up 64 lanes among 64 S-boxes,
 * so four make a vector of two entries of all lanes' S-boxes. An entry is then chosen by the bits of
 * the index. */
#include "base/arch.h"
#include "fast/lanes/own_sboxes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define OWN_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define OWN_INLINE TALLY_INLINE OWN_TARGET

enum { OWN_MAX_PAIRS = TALLY_OWN_SBOXES_RADIX / 2 };

/* The entries of all lanes' S-boxes, two in a byte. */
typedef struct own_entries {
    __m512i pair[OWN_MAX_PAIRS];
} own_entries;

OWN_INLINE own_entries own_look_up(const uint8_t *tables, const size_t pairs, __m512i index)
{
    own_entries s;
    /* The quarter of the pool by the two upper bits; a permute reads the six others. */
    const __mmask64 upper = _mm512_movepi8_mask(index),
                    lower = _mm512_movepi8_mask(_mm512_add_epi8(index, index));
    const __mmask64 second = _kandn_mask64(upper, lower), third = _kandn_mask64(lower, upper),
                    fourth = _kand_mask64(upper, lower);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < pairs; i++) {
        const __m512i *table = (const __m512i *)(const void *)(tables + TALLY_FAST_POOL_SIZE * i);
        __m512i x = _mm512_permutexvar_epi8(index, table[0]);
        x = _mm512_mask_permutexvar_epi8(x, second, index, table[1]);
        x = _mm512_mask_permutexvar_epi8(x, third, index, table[2]);
        s.pair[i] = _mm512_mask_permutexvar_epi8(x, fourth, index, table[3]);
    }
    return s;
}

/* Entry i of each lane's S-box. */
OWN_INLINE __m512i own_entry(const own_entries *s, const size_t pairs, __m512i i)
{
    const __mmask64 odd = _mm512_test_epi8_mask(i, _mm512_set1_epi8(1)),
                    two = _mm512_test_epi8_mask(i, _mm512_set1_epi8(2)),
                    four = _mm512_test_epi8_mask(i, _mm512_set1_epi8(4));
    __m512i x[4];
    TALLY_UNROLL(16)
    for (size_t k = 0; 2 * k < pairs; k++) {
        x[k] = 2 * k + 1 < pairs ? _mm512_mask_mov_epi8(s->pair[2 * k], two, s->pair[2 * k + 1])
                                 : s->pair[2 * k];
    }
    __m512i found = pairs > 2 ? _mm512_mask_mov_epi8(x[0], four, x[1]) : x[0];
    if (pairs > 4) {
        const __mmask64 eight = _mm512_movepi8_mask(_mm512_slli_epi16(i, 4));
        const __m512i high = pairs > 6 ? _mm512_mask_mov_epi8(x[2], four, x[3]) : x[2];
        found = _mm512_mask_mov_epi8(found, eight, high);
    }
    found = _mm512_mask_mov_epi8(found, odd, _mm512_srli_epi16(found, 4));
    return _mm512_and_si512(found, _mm512_set1_epi8(15));
}

OWN_INLINE __m512i own_add(__m512i x, __m512i y, __m512i radix)
{
    const __m512i sum = _mm512_add_epi8(x, y);
    return _mm512_min_epu8(sum, _mm512_sub_epi8(sum, radix));
}

OWN_INLINE __m512i own_subtract(__m512i x, __m512i y, __m512i radix)
{
    const __m512i difference = _mm512_sub_epi8(x, y);
    return _mm512_min_epu8(difference, _mm512_add_epi8(difference, radix));
}

/* A layer replaces the symbol at p; it reads those at p, p + w and p - w', modulo the length. */
OWN_INLINE void own_encrypt(const tally_own_sboxes_job *job, const size_t pairs)
{
    const __m512i radix = _mm512_set1_epi8((char)job->radix);
    const __m512i *index = (const __m512i *)(const void *)job->indices;
    const __m512i *const stop = index + job->count;
    __m512i *const state = (__m512i *)(void *)job->state;
    const size_t length = job->length;
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    for (; index != stop; index++) {
        const own_entries s = own_look_up(job->tables, pairs, *index);
        const __m512i t = own_entry(&s, pairs, own_add(state[p], state[p_minus], radix));
        const __m512i less = job->w != 0 ? state[p_plus] : _mm512_setzero_si512();
        state[p] = own_entry(&s, pairs, own_subtract(t, less, radix));
        p = p + 1 == length ? 0 : p + 1;
        p_plus = p_plus + 1 == length ? 0 : p_plus + 1;
        p_minus = p_minus + 1 == length ? 0 : p_minus + 1;
    }
}

OWN_INLINE void own_decrypt(const tally_own_sboxes_job *job, const size_t pairs)
{
    const __m512i radix = _mm512_set1_epi8((char)job->radix);
    const __m512i *const first = (const __m512i *)(const void *)job->indices;
    const __m512i *index = first + job->count;
    __m512i *const state = (__m512i *)(void *)job->state;
    const size_t length = job->length;
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    while (index != first) {
        p = (p == 0 ? length : p) - 1;
        p_plus = (p_plus == 0 ? length : p_plus) - 1;
        p_minus = (p_minus == 0 ? length : p_minus) - 1;
        const own_entries s = own_look_up(job->tables, pairs, *--index);
        const __m512i more = job->w != 0 ? state[p_plus] : _mm512_setzero_si512();
        const __m512i t = own_add(own_entry(&s, pairs, state[p]), more, radix);
        state[p] = own_subtract(own_entry(&s, pairs, t), state[p_minus], radix);
    }
}

#define OWN_RUN(pairs)                                                                             \
    static OWN_TARGET void own_run_##pairs(tally_direction direction,                              \
                                           const tally_own_sboxes_job *job)                        \
    {                                                                                              \
        if (direction == TALLY_DECRYPT) {                                                          \
            own_decrypt(job, pairs);                                                               \
        } else {                                                                                   \
            own_encrypt(job, pairs);                                                               \
        }                                                                                          \
    }

OWN_RUN(2)
OWN_RUN(3)
OWN_RUN(4)
OWN_RUN(5)
OWN_RUN(6)
OWN_RUN(7)
OWN_RUN(8)

static void own_run(tally_direction direction, const tally_own_sboxes_job *job)
{
    static void (*const runs[])(tally_direction, const tally_own_sboxes_job *) = {
        own_run_2, own_run_3, own_run_4, own_run_5, own_run_6, own_run_7, own_run_8};
    runs[(job->radix + 1) / 2 - 2](direction, job);
}

const tally_own_sboxes tally_own_sboxes_avx512 = {
    .backend = {"avx512", TALLY_CPU_AVX512VBMI},
    .run = own_run,
};

#else
typedef int tally_own_sboxes_avx512_is_for_x86_64; /* a file may not be empty */
#endif
