/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with AVX-512 VBMI: 64 words a vector. One byte permute (VPERMB) looks up 64 lanes in 64
 * entries, and reads the low six bits of an index. With two sources (VPERMI2B) it has 128 entries,
 * and reads seven bits. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"
#include "fast/lanes/reduction.h"

#define LANES(name)  lanes_avx512_##name
#define LANES_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* The content of a table:
 *
 *   WRAPPED              S at every sum and every difference, modulo 64 (3a - 2 <= 64)
 *   SPLIT                S at every sum, and at every difference in another 64 bytes (2a - 1 <= 64)
 *   PLAIN64, 128, 256    S, in so many bytes
 *   WHOLE64, 128, 256    the same for a radix of this size: indices are reduced by the permute */
typedef enum lanes_avx512_layout {
    lanes_avx512_WRAPPED,
    lanes_avx512_SPLIT,
    lanes_avx512_PLAIN64,
    lanes_avx512_WHOLE64,
    lanes_avx512_PLAIN128,
    lanes_avx512_WHOLE128,
    lanes_avx512_PLAIN256,
    lanes_avx512_WHOLE256
} lanes_avx512_layout;

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (WRAPPED) do(SPLIT) do(PLAIN64) do(WHOLE64) do(PLAIN128) do(WHOLE128) do(PLAIN256) do(WHOLE256)

typedef __m512i lanes_avx512_vec;
typedef struct lanes_avx512_table {
    lanes_avx512_vec part[4];
} lanes_avx512_table;

#define LANES_ZERO                    _mm512_setzero_si512()
#define LANES_ADD(x, y)               _mm512_add_epi8(x, y)
#define LANES_SUB(x, y)               _mm512_sub_epi8(x, y)
#define LANES_MIN(x, y)               _mm512_min_epu8(x, y)
#define LANES_BROADCAST(byte)         _mm512_set1_epi8((char)(byte))
#define LANES_ADD_IF_LESS(d, x, y, a) _mm512_mask_add_epi8(d, _mm512_cmplt_epu8_mask(x, y), d, a)

static lanes_avx512_layout lanes_avx512_layout_of(uint32_t radix)
{
    return radix <= 22    ? lanes_avx512_WRAPPED
           : radix <= 32  ? lanes_avx512_SPLIT
           : radix < 64   ? lanes_avx512_PLAIN64
           : radix == 64  ? lanes_avx512_WHOLE64
           : radix < 128  ? lanes_avx512_PLAIN128
           : radix == 128 ? lanes_avx512_WHOLE128
           : radix < 256  ? lanes_avx512_PLAIN256
                          : lanes_avx512_WHOLE256;
}

static size_t lanes_avx512_stride(uint32_t radix)
{
    static const size_t strides[] = {64, 128, 64, 64, 128, 128, 256, 256};
    return strides[lanes_avx512_layout_of(radix)];
}

TALLY_INLINE int lanes_avx512_is_lazy(const lanes_avx512_layout how)
{
    return how == lanes_avx512_WRAPPED || how == lanes_avx512_WHOLE64 ||
           how == lanes_avx512_WHOLE128 || how == lanes_avx512_WHOLE256;
}

/* A lazy round widens the range of differences by a - 1 on either side. A table of 64 entries has
 * those of two lazy rounds up to radix 11, and of one up to radix 16. */
TALLY_INLINE size_t lanes_avx512_lazy_rounds(const lanes_avx512_layout how, uint32_t radix)
{
    if (how == lanes_avx512_WHOLE64 || how == lanes_avx512_WHOLE128 ||
        how == lanes_avx512_WHOLE256) {
        return SIZE_MAX;
    }
    return how != lanes_avx512_WRAPPED ? 0 : radix <= 11 ? 2 : radix <= 16 ? 1 : 0;
}

/* The residues modulo a of 64 indices: the last ones stand for -below (a-1) to -1, modulo 64. */
static void lanes_avx512_residues(uint32_t below, uint32_t radix, uint8_t out[64])
{
    const uint32_t negative = below * (radix - 1);
    for (uint32_t i = 0; i < 64; i++) {
        /* i - 64 is negative: 64 a makes it positive. */
        out[i] = (uint8_t)((i < 64 - negative ? i : i + 64 * radix - 64) % radix);
    }
}

/* Makes tables of 64 bytes: byte i is entry map[i] of a one-word S-box, of at most 64 entries. */
static LANES_TARGET void lanes_avx512_map(uint32_t radix, const uint8_t *sboxes, size_t step,
                                          const uint8_t map[64], size_t table_stride,
                                          uint8_t *tables)
{
    const lanes_avx512_vec entries = _mm512_loadu_si512(map);
    const __mmask64 own = UINT64_MAX >> (64 - radix);
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++, sboxes += step, tables += table_stride) {
        lanes_avx512_vec plain = _mm512_maskz_loadu_epi8(own, sboxes);
        _mm512_store_si512(tables, _mm512_permutexvar_epi8(entries, plain));
    }
}

/* Copies S-boxes into tables of whole vectors, and fills the rest of the tables with zeros. */
static LANES_TARGET void lanes_avx512_copy(uint32_t radix, const uint8_t *sboxes, size_t step,
                                           uint8_t *tables)
{
    const size_t own = lanes_avx512_stride(radix);
    for (size_t i = 0; i < own; i += 64) {
        const __mmask64 part = i + 64 <= radix ? UINT64_MAX
                               : i < radix     ? UINT64_MAX >> (i + 64 - radix)
                                               : 0;
        for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
            lanes_avx512_vec entries = _mm512_maskz_loadu_epi8(part, sboxes + k * step + i);
            _mm512_store_si512(tables + k * own + i, entries);
        }
    }
}

static void lanes_avx512_lay_out(tally_direction direction, uint32_t radix, const uint8_t *sboxes,
                                 size_t step, uint8_t *tables)
{
    const lanes_avx512_layout how = lanes_avx512_layout_of(radix);
    const size_t stride = lanes_avx512_stride(radix);
    const uint32_t lazy = (uint32_t)lanes_avx512_lazy_rounds(how, radix);
    uint8_t map[64];
    if (how == lanes_avx512_WRAPPED || how == lanes_avx512_SPLIT) {
        /* Encryption looks up differences of reduced symbols, decryption the results of lazy
         * rounds; in SPLIT these tables are for sums alone. */
        uint32_t below = direction == TALLY_ENCRYPT ? 1 : lazy;
        lanes_avx512_residues(how == lanes_avx512_SPLIT ? 0 : below, radix, map);
        lanes_avx512_map(radix, sboxes, step, map, stride, tables);
    } else {
        lanes_avx512_copy(radix, sboxes, step, tables);
    }
    if (direction == TALLY_ENCRYPT) {
        if (how == lanes_avx512_SPLIT) {
            lanes_avx512_residues(1, radix, map);
            lanes_avx512_map(radix, sboxes, step, map, stride, tables + 64);
        }
        return;
    }
    uint8_t *reducer = tables + TALLY_FAST_POOL_SIZE * stride;
    if (how == lanes_avx512_WRAPPED) {
        lanes_avx512_residues(1 + lazy, radix, reducer);
    } else {
        memset(reducer, (int)(radix - 1), 64);
    }
}

TALLY_INLINE LANES_TARGET lanes_avx512_table lanes_avx512_load_table(const lanes_avx512_layout how,
                                                                     const uint8_t *bytes)
{
    lanes_avx512_table t = {{_mm512_load_si512(bytes)}};
    if (how == lanes_avx512_SPLIT || how >= lanes_avx512_PLAIN128) {
        t.part[1] = _mm512_load_si512(bytes + 64);
    }
    if (how >= lanes_avx512_PLAIN256) {
        t.part[2] = _mm512_load_si512(bytes + 128);
        t.part[3] = _mm512_load_si512(bytes + 192);
    }
    return t;
}

TALLY_INLINE LANES_TARGET lanes_avx512_vec lanes_avx512_look_up_sum(const lanes_avx512_layout how,
                                                                    const lanes_avx512_table t,
                                                                    lanes_avx512_vec index)
{
    if (how <= lanes_avx512_WHOLE64) {
        return _mm512_permutexvar_epi8(index, t.part[0]);
    }
    lanes_avx512_vec low = _mm512_permutex2var_epi8(t.part[0], index, t.part[1]);
    if (how <= lanes_avx512_WHOLE128) {
        return low;
    }
    lanes_avx512_vec high = _mm512_permutex2var_epi8(t.part[2], index, t.part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

TALLY_INLINE LANES_TARGET lanes_avx512_vec lanes_avx512_look_up_difference(
    const lanes_avx512_layout how, const lanes_avx512_table t, lanes_avx512_vec index)
{
    return how == lanes_avx512_SPLIT ? _mm512_permutexvar_epi8(index, t.part[1])
                                     : lanes_avx512_look_up_sum(how, t, index);
}

TALLY_INLINE lanes_reduction lanes_avx512_index_reduction(const lanes_avx512_layout how)
{
    return how == lanes_avx512_PLAIN64 || how == lanes_avx512_PLAIN128 ? LANES_REDUCE_MIN
           : how == lanes_avx512_PLAIN256                              ? LANES_REDUCE_COMPARE
                                                                       : LANES_REDUCE_NONE;
}

TALLY_INLINE lanes_reduction lanes_avx512_result_reduction(const lanes_avx512_layout how)
{
    return how == lanes_avx512_PLAIN256 ? LANES_REDUCE_COMPARE : LANES_REDUCE_MIN;
}

/* The reducer is a table of residues, or the mask a - 1. */
#define LANES_REDUCE_LAZY(how, x, reducer)                                                         \
    ((how) == lanes_avx512_WRAPPED ? _mm512_permutexvar_epi8(x, reducer)                           \
                                   : _mm512_and_si512(x, reducer))

TALLY_INLINE LANES_TARGET lanes_avx512_vec lanes_avx512_load_reducer(const lanes_avx512_layout how,
                                                                     const tally_fast_lane_job *job)
{
    (void)how;
    return _mm512_load_si512(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

/* The other layouts are limited by their look-ups, and would gain nothing. */
#define LANES_HAS_RECENT(how) ((how) <= lanes_avx512_PLAIN64)

#include "fast/lanes/body.h"

static size_t lanes_avx512_min_words(uint32_t radix)
{
    return radix > 128 ? 2 : 1;
}

const tally_fast_lanes tally_fast_lanes_avx512 = {
    .backend = {"avx512", TALLY_CPU_AVX512VBMI},
    .width = 64,
    .stride = lanes_avx512_stride,
    .min_words = lanes_avx512_min_words,
    .lay_out = lanes_avx512_lay_out,
    .run = lanes_avx512_run,
    .transpose = &tally_transpose_avx512,
};

#include "fast/lanes/undef.h"

#endif
