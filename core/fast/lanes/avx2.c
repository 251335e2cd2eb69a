/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with AVX2: 32 words a vector. A byte shuffle looks 16 entries up by the low four bits of an
 * index and gives zero where its high bit is set. So an S-box is cut into chunks of 16 entries,
 * each but the first stored xor the one before; 16 is taken from the index before each, and the xor
 * of the look-ups that were not past the index is the one wanted. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "fast/lanes/chunks.h"

#define TARGET __attribute__((target("avx2")))

typedef __m256i vec;

#define ZERO         _mm256_setzero_si256()
#define ADD(x, y)    _mm256_add_epi8(x, y)
#define SUB(x, y)    _mm256_sub_epi8(x, y)
#define MIN(x, y)    _mm256_min_epu8(x, y)
#define AND(x, y)    _mm256_and_si256(x, y)
#define SPREAD(byte) _mm256_set1_epi8((char)(byte))
#define ADD_IF_LESS(d, x, y, a)                                                                    \
    _mm256_add_epi8(d, _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x), a))

/* Sixteen bytes at once, the last first: each is stored xor the one before as that was. */
static void lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, stride(radix));
    memcpy(out, sbox, radix);
    __m128i *chunk = (__m128i *)out;
    for (size_t i = chunks(layout_of(radix)); i-- > 1;) {
        if (i != 8) { /* each half of 16 chunks begins anew */
            _mm_store_si128(chunk + i, _mm_xor_si128(chunk[i], chunk[i - 1]));
        }
    }
}

/* Entries of `count` chunks, for indices below 16 count; zero for those of 128 or more. */
INLINE TARGET vec look_up_chunks(const uint8_t *bytes, const size_t count, vec index)
{
    vec found = ZERO;
    UNROLL
    for (size_t i = 0; i < count; i++) {
        vec chunk = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(bytes + 16 * i)));
        found = _mm256_xor_si256(found, _mm256_shuffle_epi8(chunk, index));
        /* Saturating, so that an index that is past stays so. */
        index = _mm256_subs_epi8(index, SPREAD(16));
    }
    return found;
}

/* With 16 chunks an index has eight bits, and its upper half has the last eight. */
INLINE TARGET vec look_up_sum(const layout how, table t, vec index)
{
    if (how < CHUNKS16) {
        return look_up_chunks(t, chunks(how), index);
    }
    return _mm256_xor_si256(look_up_chunks(t, 8, index),
                            look_up_chunks(t + 128, 8, _mm256_xor_si256(index, SPREAD(128))));
}

INLINE TARGET vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    return _mm256_load_si256((const vec *)(job->tables + TALLY_FAST_POOL_SIZE * job->stride));
}

#include "fast/lanes/body.h"

static size_t fewest(uint32_t radix)
{
    return radix <= 32 ? 1 : radix <= 64 ? 2 : radix <= 128 ? 3 : 8;
}

const tally_fast_lanes tally_fast_lanes_avx2 = {
    "avx2",          TALLY_CPU_AVX2,  32,      stride,   fewest,
    lay_out_forward, lay_out_inverse, forward, backward, &tally_transpose_portable};

#endif
