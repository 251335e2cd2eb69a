/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with AVX2: 32 words a vector. A byte shuffle looks 16 entries up by the low four bits of an
 * index and gives zero where its high bit is set. So an S-box is cut into chunks of 16 entries,
 * each but the first stored xor the one before; 16 is taken from the index before each, and the xor
 * of the look-ups that were not past the index is the one wanted. */
#include "base/arch.h"
#include "fast/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "fast/lanes_macros.h"

#define TARGET __attribute__((target("avx2")))

/* The chunks of a table; with 16 of them an index has eight bits, and its upper half has the last
 * eight. WHOLE: all 256 entries, so that indices wrap around by themselves. */
typedef enum layout { CHUNKS1, CHUNKS2, CHUNKS4, CHUNKS8, CHUNKS16, WHOLE } layout;

#define FOR_LAYOUTS(do)                                                                            \
    do                                                                                             \
    (CHUNKS1) do(CHUNKS2) do(CHUNKS4) do(CHUNKS8) do(CHUNKS16) do(WHOLE)

typedef __m256i vec;
typedef const uint8_t *table;

#define ZERO         _mm256_setzero_si256()
#define ADD(x, y)    _mm256_add_epi8(x, y)
#define SUB(x, y)    _mm256_sub_epi8(x, y)
#define MIN(x, y)    _mm256_min_epu8(x, y)
#define SPREAD(byte) _mm256_set1_epi8((char)(byte))
#define ADD_IF_LESS(d, x, y, a)                                                                    \
    _mm256_add_epi8(d, _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x), a))

static layout layout_of(uint32_t radix)
{
    return radix <= 16    ? CHUNKS1
           : radix <= 32  ? CHUNKS2
           : radix <= 64  ? CHUNKS4
           : radix <= 128 ? CHUNKS8
           : radix < 256  ? CHUNKS16
                          : WHOLE;
}

INLINE size_t chunks(const layout how)
{
    return how == WHOLE ? 16 : (size_t)1 << how;
}

static size_t stride(uint32_t radix)
{
    size_t bytes = 16 * chunks(layout_of(radix));
    return bytes < 64 ? 64 : bytes;
}

static void lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, stride(radix));
    memcpy(out, sbox, radix);
    for (size_t i = 16 * chunks(layout_of(radix)); i-- > 16;) {
        /* Each half of 16 chunks begins anew. */
        out[i] = (uint8_t)(out[i] ^ (i / 16 == 8 ? 0 : out[i - 16]));
    }
}

static void lay_out_forward(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        lay_out_one(radix, sboxes + k * step, tables + k * stride(radix));
    }
}

static void lay_out_inverse(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    lay_out_forward(radix, sboxes, step, tables);
    memset(tables + TALLY_FAST_POOL_SIZE * stride(radix), (int)(radix - 1), 64);
}

INLINE table load_table(const layout how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
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

INLINE TARGET vec look_up_sum(const layout how, table t, vec index)
{
    if (how < CHUNKS16) {
        return look_up_chunks(t, chunks(how), index);
    }
    return _mm256_xor_si256(look_up_chunks(t, 8, index),
                            look_up_chunks(t + 128, 8, _mm256_xor_si256(index, SPREAD(128))));
}

#define look_up_difference look_up_sum

INLINE reduction index_reduction(const layout how)
{
    return how == WHOLE ? NONE : how == CHUNKS16 ? COMPARED : LESSER;
}

#define result_reduction index_reduction

INLINE int strays(const layout how)
{
    return how == WHOLE;
}

INLINE size_t plain_rounds(const layout how, uint32_t radix)
{
    (void)radix;
    return how == WHOLE ? SIZE_MAX : 0;
}

#define SETTLE(how, x, settling) _mm256_and_si256(x, settling)

INLINE TARGET vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    return _mm256_load_si256((const vec *)(job->tables + TALLY_FAST_POOL_SIZE * job->stride));
}

#define NEAR(how) 0

#include "fast/lanes_body.h"

const tally_fast_lanes tally_fast_lanes_avx2 = {
    "avx2",          TALLY_CPU_AVX2,  32,
    stride,          lay_out_forward, lay_out_inverse,
    forward,         backward,        &tally_transpose_portable,
    &tally_text_avx2};

#endif
