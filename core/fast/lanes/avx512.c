/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with AVX-512 VBMI: 64 words a vector. One byte permute looks 64 lanes up in 64 entries and
 * reads only the low six bits of an index; with two sources it does 128 entries and seven bits. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "fast/lanes/macros.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* What a table holds: S at every sum and difference modulo 64 (3a - 2 <= 64); S at every sum, and
 * at every difference in another 64 bytes (2a - 1 <= 64); or S alone, in 64, 128 or 256 entries,
 * where WHOLE ones are full, so that indices wrap around by themselves. */
typedef enum layout {
    WRAPPED,
    SPLIT,
    PLAIN64,
    WHOLE64,
    PLAIN128,
    WHOLE128,
    PLAIN256,
    WHOLE256
} layout;

#define FOR_LAYOUTS(do)                                                                            \
    do                                                                                             \
    (WRAPPED) do(SPLIT) do(PLAIN64) do(WHOLE64) do(PLAIN128) do(WHOLE128) do(PLAIN256) do(WHOLE256)

typedef __m512i vec;
typedef struct table {
    vec part[4];
} table;

#define ZERO                    _mm512_setzero_si512()
#define ADD(x, y)               _mm512_add_epi8(x, y)
#define SUB(x, y)               _mm512_sub_epi8(x, y)
#define MIN(x, y)               _mm512_min_epu8(x, y)
#define SPREAD(byte)            _mm512_set1_epi8((char)(byte))
#define ADD_IF_LESS(d, x, y, a) _mm512_mask_add_epi8(d, _mm512_cmplt_epu8_mask(x, y), d, a)

static layout layout_of(uint32_t radix)
{
    return radix <= 22    ? WRAPPED
           : radix <= 32  ? SPLIT
           : radix < 64   ? PLAIN64
           : radix == 64  ? WHOLE64
           : radix < 128  ? PLAIN128
           : radix == 128 ? WHOLE128
           : radix < 256  ? PLAIN256
                          : WHOLE256;
}

static size_t stride(uint32_t radix)
{
    static const size_t strides[] = {64, 128, 64, 64, 128, 128, 256, 256};
    return strides[layout_of(radix)];
}

/* Rounds backwards in which differences are not brought back below a, so that each strays by
 * another a - 1 to either side; 64 entries take two of them up to radix 11, one up to 16. */
INLINE size_t plain_rounds(const layout how, uint32_t radix)
{
    if (how == WHOLE64 || how == WHOLE128 || how == WHOLE256) {
        return SIZE_MAX;
    }
    return how != WRAPPED ? 0 : radix <= 11 ? 2 : radix <= 16 ? 1 : 0;
}

/* The residue modulo a of what byte i means in 64 entries that begin at -below (a-1). */
static uint32_t residue(uint32_t i, uint32_t below, uint32_t radix)
{
    uint32_t least = below * (radix - 1);
    /* radix * 64 is a multiple of a that makes every number positive. */
    return (i < 64 - least ? i : i + 64 * radix - 64) % radix;
}

/* Which entry of a plain S-box each of 64 entries is that begin at -below (a-1). */
static void residues(uint32_t below, uint32_t radix, uint8_t out[64])
{
    for (uint32_t i = 0; i < 64; i++) {
        out[i] = (uint8_t)residue(i, below, radix);
    }
}

/* Fills tables of 64 bytes with the mapped entries of plain S-boxes of at most 64. */
static TARGET void pick(uint32_t radix, const uint8_t *sboxes, size_t step, const uint8_t map[64],
                        size_t table_stride, uint8_t *tables)
{
    const vec entries = _mm512_loadu_si512(map);
    const __mmask64 own = UINT64_MAX >> (64 - radix);
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++, sboxes += step, tables += table_stride) {
        vec plain = _mm512_maskz_loadu_epi8(own, sboxes);
        _mm512_store_si512(tables, _mm512_permutexvar_epi8(entries, plain));
    }
}

/* Copies plain S-boxes into tables of whole vectors; what is left of them is zero. */
static TARGET void copy(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    const size_t own = stride(radix);
    for (size_t i = 0; i < own; i += 64) {
        const __mmask64 part = i + 64 <= radix ? UINT64_MAX
                               : i < radix     ? UINT64_MAX >> (i + 64 - radix)
                                               : 0;
        for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
            vec entries = _mm512_maskz_loadu_epi8(part, sboxes + k * step + i);
            _mm512_store_si512(tables + k * own + i, entries);
        }
    }
}

static void lay_out_forward(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    layout how = layout_of(radix);
    uint8_t sums[64], differences[64];
    if (how == WRAPPED || how == SPLIT) {
        residues(how == SPLIT ? 0 : 1, radix, sums);
        pick(radix, sboxes, step, sums, stride(radix), tables);
    } else {
        copy(radix, sboxes, step, tables);
    }
    if (how == SPLIT) {
        residues(1, radix, differences);
        pick(radix, sboxes, step, differences, stride(radix), tables + 64);
    }
}

static void lay_out_inverse(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables)
{
    layout how = layout_of(radix);
    uint32_t below = (uint32_t)plain_rounds(how, radix);
    uint8_t *behind = tables + TALLY_FAST_POOL_SIZE * stride(radix);
    uint8_t map[64];
    if (how == WRAPPED || how == SPLIT) {
        residues(how == WRAPPED ? below : 0, radix, map);
        pick(radix, sboxes, step, map, stride(radix), tables);
    } else {
        copy(radix, sboxes, step, tables);
    }
    /* Behind them: what brings a strayed difference back. */
    if (how == WRAPPED) {
        residues(1 + below, radix, behind);
    } else {
        memset(behind, (int)(radix - 1), 64);
    }
}

INLINE TARGET table load_table(const layout how, const uint8_t *bytes)
{
    table t = {{_mm512_load_si512(bytes)}};
    if (how == SPLIT || how >= PLAIN128) {
        t.part[1] = _mm512_load_si512(bytes + 64);
    }
    if (how >= PLAIN256) {
        t.part[2] = _mm512_load_si512(bytes + 128);
        t.part[3] = _mm512_load_si512(bytes + 192);
    }
    return t;
}

INLINE TARGET vec look_up_sum(const layout how, const table t, vec index)
{
    if (how <= WHOLE64) {
        return _mm512_permutexvar_epi8(index, t.part[0]);
    }
    vec low = _mm512_permutex2var_epi8(t.part[0], index, t.part[1]);
    if (how <= WHOLE128) {
        return low;
    }
    vec high = _mm512_permutex2var_epi8(t.part[2], index, t.part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

INLINE TARGET vec look_up_difference(const layout how, const table t, vec index)
{
    return how == SPLIT ? _mm512_permutexvar_epi8(index, t.part[1]) : look_up_sum(how, t, index);
}

INLINE reduction index_reduction(const layout how)
{
    return how == PLAIN64 || how == PLAIN128 ? LESSER : how == PLAIN256 ? COMPARED : NONE;
}

INLINE reduction result_reduction(const layout how)
{
    return how == PLAIN256 ? COMPARED : LESSER;
}

/* Whether rounds backwards may leave differences as they are, to be settled later. */
INLINE int strays(const layout how)
{
    return how == WRAPPED || how == WHOLE64 || how == WHOLE128 || how == WHOLE256;
}

#define SETTLE(how, x, settling)                                                                   \
    ((how) == WRAPPED ? _mm512_permutexvar_epi8(x, settling) : _mm512_and_si512(x, settling))

INLINE TARGET vec settling_of(const layout how, const tally_fast_lane_job *job)
{
    (void)how;
    return _mm512_load_si512(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

/* Where it pays: the others are limited by their look-ups. */
#define NEAR(how) ((how) <= PLAIN64)

#include "fast/lanes/body.h"

static size_t fewest(uint32_t radix)
{
    return radix > 128 ? 2 : 1;
}

const tally_fast_lanes tally_fast_lanes_avx512 = {
    "avx512",        TALLY_CPU_AVX512VBMI, 64,      stride,   fewest,
    lay_out_forward, lay_out_inverse,      forward, backward, &tally_transpose_avx512};

#endif
