/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with AVX2: 32 words a vector. VPSHUFB looks up 16 entries by the low four bits of an index,
 * and returns zero if the index is negative. So a table is cut into chunks of 16 entries, and each
 * chunk but the first is stored XORed with the one before. A look-up goes through all chunks, and
 * subtracts 16 from the index between them: the XOR of what it reads up to the index's chunk is the
 * entry, and the chunks after it read as zero. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"
#include "fast/lanes/reduction.h"

#define LANES(name)  lanes_avx2_##name
#define LANES_TARGET __attribute__((target("avx2")))

typedef __m256i lanes_avx2_vec;

#include "fast/lanes/chunks.h"

#define LANES_ZERO            _mm256_setzero_si256()
#define LANES_ADD(x, y)       _mm256_add_epi8(x, y)
#define LANES_SUB(x, y)       _mm256_sub_epi8(x, y)
#define LANES_MIN(x, y)       _mm256_min_epu8(x, y)
#define LANES_AND(x, y)       _mm256_and_si256(x, y)
#define LANES_BROADCAST(byte) _mm256_set1_epi8((char)(byte))
#define LANES_ADD_IF_LESS(d, x, y, a)                                                              \
    _mm256_add_epi8(d, _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x), a))

/* XORs chunks from the last to the first, so that each meets the plain chunk before it. */
static void lanes_avx2_lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, lanes_avx2_stride(radix));
    memcpy(out, sbox, radix);
    __m128i *chunk = (__m128i *)out;
    for (size_t i = lanes_avx2_chunks(lanes_avx2_layout_of(radix)); i-- > 1;) {
        if (i != 8) { /* of 16 chunks, each half has its own first one */
            _mm_store_si128(chunk + i, _mm_xor_si128(chunk[i], chunk[i - 1]));
        }
    }
}

/* Entries of `count` chunks for indices below 16 count; zero for indices of 128 or more. */
TALLY_INLINE LANES_TARGET lanes_avx2_vec lanes_avx2_look_up_chunks(const uint8_t *bytes,
                                                                   const size_t count,
                                                                   lanes_avx2_vec index)
{
    lanes_avx2_vec found = LANES_ZERO;
    TALLY_UNROLL(16)
    for (size_t i = 0; i < count; i++) {
        __m128i chunk = _mm_load_si128((const __m128i *)(bytes + 16 * i));
        found =
            _mm256_xor_si256(found, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(chunk), index));
        /* Saturating, so that a negative index stays negative. */
        index = _mm256_subs_epi8(index, LANES_BROADCAST(16));
    }
    return found;
}

/* With 16 chunks an index has eight bits, and those with the high bit set mean the upper half. */
TALLY_INLINE LANES_TARGET lanes_avx2_vec lanes_avx2_look_up_sum(const lanes_avx2_layout how,
                                                                lanes_avx2_table t,
                                                                lanes_avx2_vec index)
{
    if (how < lanes_avx2_CHUNKS16) {
        return lanes_avx2_look_up_chunks(t, lanes_avx2_chunks(how), index);
    }
    lanes_avx2_vec upper = _mm256_xor_si256(index, LANES_BROADCAST(128));
    return _mm256_xor_si256(lanes_avx2_look_up_chunks(t, 8, index),
                            lanes_avx2_look_up_chunks(t + 128, 8, upper));
}

TALLY_INLINE LANES_TARGET lanes_avx2_vec lanes_avx2_load_reducer(const lanes_avx2_layout how,
                                                                 const tally_fast_lane_job *job)
{
    (void)how;
    return _mm256_load_si256(
        (const lanes_avx2_vec *)(job->tables + TALLY_FAST_POOL_SIZE * job->stride));
}

/* Look-ups in many chunks are long enough to hide the loop over pairs of groups. If all groups
 * are unrolled, it is no faster, and this file takes half as long again to compile. */
#define LANES_TOGETHER(how, groups) ((how) >= lanes_avx2_CHUNKS8 && (groups) > 2 ? 2 : (groups))

#include "fast/lanes/body.h"

static size_t lanes_avx2_min_words(uint32_t radix)
{
    return radix <= 32 ? 1 : radix <= 64 ? 2 : radix <= 128 ? 3 : 8;
}

const tally_fast_lanes tally_fast_lanes_avx2 = {
    .backend = {"avx2", TALLY_CPU_AVX2},
    .width = 32,
    .stride = lanes_avx2_stride,
    .min_words = lanes_avx2_min_words,
    .lay_out = lanes_avx2_lay_out,
    .run = lanes_avx2_run,
    .transpose = &tally_transpose_portable,
};

#include "fast/lanes/undef.h"

#endif
