//go:build cgo

#define TALLY_AES_MINIMAL
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-tree-pre", "no-code-hoisting")
#pragma GCC optimize("no-predictive-commoning", "no-thread-jumps")
#endif
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: fast/lanes. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/fast/lanes/avx2.c ---- */
/*
 * Lanes with AVX2: 32 words a vector. VPSHUFB looks up 16 entries by the low four bits of an index,
 * and returns zero if the index is negative. So a table is cut into chunks of 16 entries, and each
 * chunk but the first is stored XORed with the one before. A look-up goes through all chunks, and
 * subtracts 16 from the index between them: the XOR of what it reads up to the index's chunk is the
 * entry, and the chunks after it read as zero. */

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

/* A module of WebAssembly has SIMD128 as a whole or not at all: there is nothing to detect. */
#if defined(__wasm_simd128__)
#define TALLY_ARCH_WASM_SIMD128 1
#endif

#endif

/* ---- core/fast/lanes/lanes.h ---- */
/*
 * Lanes: the layers of many words at once. Words that share key, radix, length and tweak meet the
 * same S-box in the same layer. So word k lies in lane k of a vector, with one vector for each
 * position, and a layer is additions and byte permutes in registers. No address depends on a
 * symbol.
 *
 * A back end is a file named after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FAST_LANES_LANES_H
#define TALLY_FAST_LANES_LANES_H

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. It may be NULL, where a module has other code for
 * every CPU. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that needs no CPU features but these, or else the last one. Cast the
 * result to the module's struct. */
static inline const tally_backend *tally_dispatch_within(const tally_backend *const table[],
                                                         size_t count, uint32_t features)
{
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

/* The first back end of a table that lacks nothing. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    return tally_dispatch_within(table, count, tally_cpu_features());
}

#endif

/* ---- core/fast/lanes/transpose.h ---- */
/*
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

enum { TALLY_BELOW_RUN = 32 /* words of eight bytes: a fixed number is vectorized at -O2 */ };

/* Words in which a byte is at least `limit`, 1..256, have a top bit set. A byte's lower seven bits
 * plus `to_top` set it if they are at least limit, or limit less 128. */
static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

/* Returns 1 if every byte is below `limit`, 1..256, else 0. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
    /* The same for words that lie side by side, whose symbol 0 is the byte `zero`, so that symbols
     * are on the lanes. Which lane of a block has which of its words is the same in both functions;
     * in a block that is not full, word k is on lane k. Returns 0 if a symbol is not below `limit`,
     * 1..256. */
    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

/* Whether all symbols of words in lanes are below a limit; words_to_lanes returns it. */
static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* Up to this radix the one-word table of an S-box S holds S at every index from -(a-1) to 2a-2. The
 * portable lanes use these tables. */
enum { TALLY_FAST_MAX_EXPANDED = 43 };

enum {
    TALLY_FAST_MAX_LANES = 64,      /* words of a group, at most */
    TALLY_FAST_CACHE_LAYERS = 2048, /* layers of a sequence that is stored as a whole, at most */
    TALLY_FAST_GROUPS = 8           /* groups that run together, at most: each hides the latency
                                     * of the others */
};

/* Memory to prefetch while layers run, which leave the memory bus idle. */
typedef struct tally_fast_prefetch {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_prefetch;

/* Layers to run: a whole number of rounds. */
typedef struct tally_fast_lane_job {
    const uint8_t *tables; /* the back end's, for S-boxes (encryption) or inverses (decryption) */
    size_t stride;         /* bytes from one S-box's table to the next */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-boxes of `count` layers */
    int per_group;          /* 1: each of TALLY_FAST_GROUPS groups has its own sequence. It lies
                             * TALLY_FAST_CACHE_LAYERS bytes after the one of the group before */
    size_t count;           /* a multiple of length */
    size_t groups;          /* 1, 2, 4 or TALLY_FAST_GROUPS */
    uint8_t *state;         /* the symbol of word k of group g at position p is
                             * state[(p * groups + g) * width + k]; aligned to 64 bytes */
    const tally_fast_prefetch *next; /* or NULL */
    size_t each;                     /* bytes of it to prefetch in a round */
} tally_fast_lane_job;

typedef struct tally_fast_lanes {
    tally_backend backend;
    size_t width; /* words of a group: the lanes of a vector */
    /* Bytes of an S-box's table: a multiple of 64, at most 256. 0: the back end works on the
     * one-word tables, and its lay_out is NULL. */
    size_t (*stride)(uint32_t radix);
    /* The fewest words for which a group is not slower than the one-word code. */
    size_t (*min_words)(uint32_t radix);
    /* Makes the tables of all S-boxes for encryption, or of all inverses for decryption. The
     * one-word entries are `radix` bytes for each, `step` bytes apart. 64 bytes follow the tables
     * for decryption: they reduce a difference (body.h). */
    void (*lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes, size_t step,
                    uint8_t *tables);
    void (*run)(tally_direction direction, const tally_fast_lane_job *job);
    const tally_transpose *transpose;
} tally_fast_lanes;

/* The fastest back end for the CPU features in use. */
const tally_fast_lanes *tally_fast_lanes_choose(void);

/* The last back end of the table, for fewer words than min_words of the fastest. */
const tally_fast_lanes *tally_fast_lanes_for_few(void);

/* The most bytes that the tables of a pool take with any back end; a multiple of 64. */
size_t tally_fast_lanes_size(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_simd128, tally_fast_lanes_portable;

#endif

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

/* ---- core/fast/lanes/reduction.h ---- */
/*
 * How an index is reduced modulo the radix a before a look-up. */
#ifndef TALLY_FAST_LANES_REDUCTION_H
#define TALLY_FAST_LANES_REDUCTION_H

typedef enum lanes_reduction {
    LANES_REDUCE_NONE, /* the table has an entry for every sum or difference, or a is 256 */
    LANES_REDUCE_MIN,  /* the smaller one of x and x - a (or x + a), as bytes; up to radix 128 */
    LANES_REDUCE_COMPARE
} lanes_reduction;

#endif

#define LANES(name)  lanes_avx2_##name
#define LANES_TARGET __attribute__((target("avx2")))

typedef __m256i lanes_avx2_vec;

/* ---- core/fast/lanes/chunks.h ---- */
/*
 * Tables in chunks of 16 entries, for AVX2 and NEON, which look up 16 or 64 entries at a time.
 * body.h describes the functions. A back end includes this file after the macros LANES and
 * LANES_TARGET and the type LANES(vec), and then defines
 *
 *   LANES(lay_out_one)(radix, sbox, out)   fills the LANES(stride)(radix) bytes of a table
 *   LANES(look_up_sum)(how, table, index)
 *
 * Only decryption with all 256 entries is lazy. */
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

/* The chunks of a table. WHOLE: all 256 entries; indices are reduced modulo 256 by overflow. */
typedef enum LANES(layout) {
    LANES(CHUNKS1),
    LANES(CHUNKS2),
    LANES(CHUNKS4),
    LANES(CHUNKS8),
    LANES(CHUNKS16),
    LANES(WHOLE)
} LANES(layout);

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (CHUNKS1) do(CHUNKS2) do(CHUNKS4) do(CHUNKS8) do(CHUNKS16) do(WHOLE)

/* A table stays in memory: it has too many chunks for registers, or loads are as cheap. */
typedef const uint8_t *LANES(table);

static LANES(layout) LANES(layout_of)(uint32_t radix)
{
    return radix <= 16    ? LANES(CHUNKS1)
           : radix <= 32  ? LANES(CHUNKS2)
           : radix <= 64  ? LANES(CHUNKS4)
           : radix <= 128 ? LANES(CHUNKS8)
           : radix < 256  ? LANES(CHUNKS16)
                          : LANES(WHOLE);
}

TALLY_INLINE size_t LANES(chunks)(const LANES(layout) how)
{
    return how == LANES(WHOLE) ? 16 : (size_t)1 << how;
}

static size_t LANES(stride)(uint32_t radix)
{
    size_t bytes = 16 * LANES(chunks)(LANES(layout_of)(radix));
    return bytes < 64 ? 64 : bytes;
}

static void LANES(lay_out_one)(uint32_t radix, const uint8_t *sbox, uint8_t *out);

static void LANES(lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes,
                           size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        LANES(lay_out_one)(radix, sboxes + k * step, tables + k * LANES(stride)(radix));
    }
    if (direction == TALLY_DECRYPT) { /* for load_reducer: a mask, where decryption is lazy */
        memset(tables + TALLY_FAST_POOL_SIZE * LANES(stride)(radix), (int)(radix - 1), 64);
    }
}

TALLY_INLINE LANES(table) LANES(load_table)(const LANES(layout) how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_sum)(const LANES(layout) how, LANES(table) t, LANES(vec) index);

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_difference)(const LANES(layout) how, LANES(table) t, LANES(vec) index)
{
    return LANES(look_up_sum)(how, t, index);
}

TALLY_INLINE lanes_reduction LANES(index_reduction)(const LANES(layout) how)
{
    return how == LANES(WHOLE)      ? LANES_REDUCE_NONE
           : how == LANES(CHUNKS16) ? LANES_REDUCE_COMPARE
                                    : LANES_REDUCE_MIN;
}

TALLY_INLINE lanes_reduction LANES(result_reduction)(const LANES(layout) how)
{
    return LANES(index_reduction)(how);
}

TALLY_INLINE int LANES(is_lazy)(const LANES(layout) how)
{
    return how == LANES(WHOLE);
}

TALLY_INLINE size_t LANES(lazy_rounds)(const LANES(layout) how, uint32_t radix)
{
    (void)radix;
    return how == LANES(WHOLE) ? SIZE_MAX : 0;
}

#define LANES_REDUCE_LAZY(how, x, reducer) LANES_AND(x, reducer)
#define LANES_HAS_RECENT(how)              0

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

/* ---- core/fast/lanes/body.h ---- */
/*
 * The layers on lanes, for any instruction set. A back end includes this file once. Before, it
 * defines these macros:
 *
 *   LANES(name)                       the name with the back end's prefix
 *   LANES_TARGET                      the function attribute of its instruction set
 *   LANES_LAYOUTS(do)                 do(name) for each value of LANES(layout)
 *   LANES_ZERO, LANES_BROADCAST(byte) vectors: zero, and a byte in every lane
 *   LANES_ADD(x, y), LANES_SUB(x, y), LANES_MIN(x, y)
 *                                     lane by lane, on unsigned bytes
 *   LANES_ADD_IF_LESS(d, x, y, a)     d, plus a in the lanes where x < y
 *   LANES_REDUCE_LAZY(how, x, reducer)
 *                                     reduces an unreduced difference by load_reducer's vector
 *   LANES_HAS_RECENT(how)             whether recent symbols stay in registers (see below)
 *   LANES_TOGETHER(how, groups)       how many groups are unrolled in a layer; if it is not defined,
 *                                     all
 *
 * and these types and functions, all named by LANES():
 *
 *   vec, table                        a vector of bytes; an S-box in registers, or where it lies
 *   layout                            the layouts of a table, an enum; `how` is one of them
 *   layout_of(radix)
 *   load_table(how, bytes)
 *   look_up_sum(how, table, index), look_up_difference(how, table, index)
 *   index_reduction(how), result_reduction(how)
 *   is_lazy(how)                      whether decryption may leave differences unreduced
 *   lazy_rounds(how, radix)           in so many rounds in a row; SIZE_MAX: in any number
 *   load_reducer(how, job)
 *
 * Every function here is inlined with a constant layout and a constant number of groups. */

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(add_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    if (reduction == LANES_REDUCE_COMPARE) { /* sums exceed a byte */
        LANES(vec) less = LANES_SUB(radix, y);
        return LANES_ADD_IF_LESS(LANES_SUB(x, less), x, less, radix);
    }
    LANES(vec) sum = LANES_ADD(x, y);
    return reduction == LANES_REDUCE_NONE ? sum : LANES_MIN(sum, LANES_SUB(sum, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    LANES(vec) difference = LANES_SUB(x, y);
    if (reduction == LANES_REDUCE_COMPARE) {
        return LANES_ADD_IF_LESS(difference, x, y, radix);
    }
    return reduction == LANES_REDUCE_NONE ? difference
                                          : LANES_MIN(difference, LANES_ADD(difference, radix));
}

/* (x - y) mod a, where x is a table's entry and y a symbol that may be unreduced. */
TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_result)(LANES(layout) how, LANES(vec) x, LANES(vec) y, LANES(vec) radix,
                      LANES(vec) reducer)
{
    if (!LANES(is_lazy)(how)) {
        return LANES(sub_mod)(LANES(result_reduction)(how), x, y, radix);
    }
    return LANES_REDUCE_LAZY(how, LANES_SUB(x, y), reducer);
}

#if !defined(LANES_TOGETHER)
#define LANES_TOGETHER(how, groups) (groups)
#endif

/* Prefetches a round's part of the memory that comes next: all of it at once would make a core wait. */
TALLY_INLINE void LANES(prefetch)(const tally_fast_lane_job *job, size_t round)
{
#if defined(__GNUC__)
    const tally_fast_prefetch *const next = job->next;
    if (next == NULL) {
        return;
    }
    const size_t first = round * job->each, left = first < next->size ? next->size - first : 0,
                 end = first + (left < job->each ? left : job->each);
    for (size_t at = first; at < end; at += 64) {
        if (next->read != next->written) {
            __builtin_prefetch(next->read + at);
        }
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)job, (void)round;
#endif
}

/* A layer replaces the symbol at one position, p. It reads the symbols at p, p + w and p - w', all
 * modulo the length. The three positions advance together, in runs that end where one wraps. */
TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t done = 0, round = 0; done < job->count;) {
        size_t run = length - p;
        if (p == 0) {
            LANES(prefetch)(job, round++);
        }
        run = length - p_plus < run ? length - p_plus : run;
        run = length - p_minus < run ? length - p_minus : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) sum = LANES(add_mod)(reduction, x[g], y[g], radix);
                    LANES(vec) t = LANES(look_up_sum)(how, s, sum);
                    LANES(vec) less = subtracts ? xw[g] : LANES_ZERO;
                    LANES(vec) difference = LANES(sub_mod)(reduction, t, less, radix);
                    x[g] = LANES(look_up_difference)(how, s, difference);
                }
            }
        }
        done += run;
        p = p + run == length ? 0 : p + run;
        p_plus = p_plus + run == length ? 0 : p_plus + run;
        p_minus = p_minus + run == length ? 0 : p_minus + run;
    }
}

/* A layer reads a symbol that was stored w' layers before (encryption) or w layers before
 * (decryption). A load soon after its store is slow. So if the distance is small, the symbols of so
 * many recent layers stay in registers, in a circular buffer: layer j modulo the distance owns
 * recent[j]. The layers of a buffer are a macro, because a loop would keep the buffer in memory. */
enum { LANES(MAX_DISTANCE) = 5 };

#define LANES_EACH_RECENT(LAYER)                                                                   \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

TALLY_INLINE LANES_TARGET void
LANES(encrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state, *x = state;
    LANES(vec) *const end = state + job->length * groups;
    const LANES(vec) *xw = state + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (distance - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) sum = LANES(add_mod)(reduction, x[g], recent[j][g], radix);                 \
            LANES(vec) t = LANES(look_up_sum)(how, s, sum);                                        \
            LANES(vec) difference = LANES(sub_mod)(reduction, t, xw[g], radix);                    \
            recent[j][g] = LANES(look_up_difference)(how, s, difference);                          \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? state : xw + groups;                                             \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds_recent)(const tally_fast_lane_job *job,
                                                            const LANES(layout) how,
                                                            const int per_group,
                                                            const size_t distance)
{
    for (size_t done = 0, round = 0; done < job->count; done += job->length) {
        LANES(prefetch)(job, round++);
        LANES(encrypt_round_recent)(job, how, per_group, distance, job->indices + done);
    }
}

/* One round of decryption. If `reduced` is 0, its results are congruent to the symbols modulo a,
 * but lie outside 0..a-1; the tables have entries for them. */
TALLY_INLINE LANES_TARGET void LANES(decrypt_round)(const tally_fast_lane_job *job,
                                                    const LANES(layout) how, const size_t groups,
                                                    const int per_group, const uint8_t *indices,
                                                    const LANES(vec) reducer, const int reduced)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = length - 1, p_plus = job->w != 0 ? job->w - 1 : length - 1;
    size_t p_minus = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = p_plus + 1 < run ? p_plus + 1 : run;
        run = p_minus + 1 < run ? p_minus + 1 : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) more = adds ? xw[g] : LANES_ZERO;
                    LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);
                    LANES(vec)
                    first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, more, radix));
                    x[g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)
                                   : LANES_SUB(first, y[g]);
                }
            }
        }
        p -= run;
        p_plus = p_plus + 1 == run ? length - 1 : p_plus - run;
        p_minus = p_minus + 1 == run ? length - 1 : p_minus - run;
    }
}

TALLY_INLINE LANES_TARGET void
LANES(decrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *indices,
                            const LANES(vec) reducer, const int reduced)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state;
    LANES(vec) *const last = state + (job->length - 1) * groups, *x = last;
    const LANES(vec) *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (state + (distance - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);                                       \
            LANES(vec)                                                                             \
            first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, recent[j][g], radix)); \
            recent[j][g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)           \
                                   : LANES_SUB(first, y[g]);                                       \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == state ? last : y - groups;                                                        \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

/* `distance`: of recent symbols in registers; 0: none are. */
TALLY_INLINE LANES_TARGET void LANES(decrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group, const size_t distance)
{
    /* A lazy round widens the range of its results, and more so where a result depends on another
     * one of this round. lazy_rounds allows for chains of two: the longest ones if 2 w' <= l. */
    const size_t lazy = 2 * job->w_prime <= job->length ? LANES(lazy_rounds)(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const LANES(vec) reducer = LANES(load_reducer)(how, job);
    for (size_t unreduced = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int reduced = round == 0 || unreduced == lazy;
        LANES(prefetch)(job, round);
        if (distance == 0) {
            reduced ? LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 1)
                    : LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 0);
        } else {
            reduced
                ? LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 1)
                : LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 0);
        }
        unreduced = reduced ? 0 : unreduced + 1;
    }
}

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(encrypt_rounds_recent)(job, how, per_group, distance);                               \
        return;

TALLY_INLINE LANES_TARGET void LANES(encrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            LANES_CASE(2)
            LANES_CASE(3)
            LANES_CASE(4)
        }
    }
    LANES(encrypt_rounds)(job, how, groups, per_group);
}
#undef LANES_CASE

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(decrypt_rounds)(job, how, groups, per_group, distance);                              \
        return;

TALLY_INLINE LANES_TARGET void LANES(decrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            LANES_CASE(3)
            LANES_CASE(4)
            LANES_CASE(5)
        }
    }
    LANES(decrypt_rounds)(job, how, groups, per_group, 0);
}
#undef LANES_CASE
#undef LANES_EACH_RECENT

/* One kernel for each direction and layout. */
#define LANES_BY_GROUPS(run, how)                                                                  \
    switch (job->groups) {                                                                         \
    case 1:                                                                                        \
        run(job, how, 1, 0);                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        run(job, how, 2, 0);                                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        run(job, how, 4, 0);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        job->per_group ? run(job, how, TALLY_FAST_GROUPS, 1)                                       \
                       : run(job, how, TALLY_FAST_GROUPS, 0);                                      \
    }
#define LANES_KERNELS(how)                                                                         \
    static LANES_TARGET void LANES(encrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(encrypt_groups), LANES(how))                                         \
    }                                                                                              \
    static LANES_TARGET void LANES(decrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(decrypt_groups), LANES(how))                                         \
    }
LANES_LAYOUTS(LANES_KERNELS)
#undef LANES_KERNELS
#undef LANES_BY_GROUPS

typedef void LANES(kernel)(const tally_fast_lane_job *job);

#define LANES_ENCRYPT(how) [LANES(how)] = LANES(encrypt_##how),
#define LANES_DECRYPT(how) [LANES(how)] = LANES(decrypt_##how),

static void LANES(run)(tally_direction direction, const tally_fast_lane_job *job)
{
    static LANES(kernel) *const encrypt[] = {LANES_LAYOUTS(LANES_ENCRYPT)};
    static LANES(kernel) *const decrypt[] = {LANES_LAYOUTS(LANES_DECRYPT)};
    const LANES(layout) how = LANES(layout_of)(job->radix);
    (direction == TALLY_DECRYPT ? decrypt : encrypt)[how](job);
}

#undef LANES_ENCRYPT
#undef LANES_DECRYPT

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

/* ---- core/fast/lanes/undef.h ---- */
/*
 * The end of a back end of lanes: undefines the macros of its file, so that another back end may
 * follow in the same unit. It may be included any number of times. */
#undef LANES
#undef LANES_TARGET
#undef LANES_LAYOUTS
#undef LANES_ZERO
#undef LANES_ADD
#undef LANES_SUB
#undef LANES_MIN
#undef LANES_AND
#undef LANES_BROADCAST
#undef LANES_ADD_IF_LESS
#undef LANES_REDUCE_LAZY
#undef LANES_HAS_RECENT
#undef LANES_TOGETHER

#endif

/* ---- core/fast/lanes/avx512.c ---- */
/*
 * Lanes with AVX-512 VBMI: 64 words a vector. One byte permute (VPERMB) looks up 64 lanes in 64
 * entries, and reads the low six bits of an index. With two sources (VPERMI2B) it has 128 entries,
 * and reads seven bits. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

/* ---- core/fast/lanes/reduction.h, again ---- */

#ifndef TALLY_FAST_LANES_REDUCTION_H
#define TALLY_FAST_LANES_REDUCTION_H

typedef enum lanes_reduction {
    LANES_REDUCE_NONE,
    LANES_REDUCE_MIN,
    LANES_REDUCE_COMPARE
} lanes_reduction;

#endif

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

/* ---- core/fast/lanes/body.h, again ---- */

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(add_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    if (reduction == LANES_REDUCE_COMPARE) {
        LANES(vec) less = LANES_SUB(radix, y);
        return LANES_ADD_IF_LESS(LANES_SUB(x, less), x, less, radix);
    }
    LANES(vec) sum = LANES_ADD(x, y);
    return reduction == LANES_REDUCE_NONE ? sum : LANES_MIN(sum, LANES_SUB(sum, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    LANES(vec) difference = LANES_SUB(x, y);
    if (reduction == LANES_REDUCE_COMPARE) {
        return LANES_ADD_IF_LESS(difference, x, y, radix);
    }
    return reduction == LANES_REDUCE_NONE ? difference
                                          : LANES_MIN(difference, LANES_ADD(difference, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_result)(LANES(layout) how, LANES(vec) x, LANES(vec) y, LANES(vec) radix,
                      LANES(vec) reducer)
{
    if (!LANES(is_lazy)(how)) {
        return LANES(sub_mod)(LANES(result_reduction)(how), x, y, radix);
    }
    return LANES_REDUCE_LAZY(how, LANES_SUB(x, y), reducer);
}

#if !defined(LANES_TOGETHER)
#define LANES_TOGETHER(how, groups) (groups)
#endif

TALLY_INLINE void LANES(prefetch)(const tally_fast_lane_job *job, size_t round)
{
#if defined(__GNUC__)
    const tally_fast_prefetch *const next = job->next;
    if (next == NULL) {
        return;
    }
    const size_t first = round * job->each, left = first < next->size ? next->size - first : 0,
                 end = first + (left < job->each ? left : job->each);
    for (size_t at = first; at < end; at += 64) {
        if (next->read != next->written) {
            __builtin_prefetch(next->read + at);
        }
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)job, (void)round;
#endif
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t done = 0, round = 0; done < job->count;) {
        size_t run = length - p;
        if (p == 0) {
            LANES(prefetch)(job, round++);
        }
        run = length - p_plus < run ? length - p_plus : run;
        run = length - p_minus < run ? length - p_minus : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) sum = LANES(add_mod)(reduction, x[g], y[g], radix);
                    LANES(vec) t = LANES(look_up_sum)(how, s, sum);
                    LANES(vec) less = subtracts ? xw[g] : LANES_ZERO;
                    LANES(vec) difference = LANES(sub_mod)(reduction, t, less, radix);
                    x[g] = LANES(look_up_difference)(how, s, difference);
                }
            }
        }
        done += run;
        p = p + run == length ? 0 : p + run;
        p_plus = p_plus + run == length ? 0 : p_plus + run;
        p_minus = p_minus + run == length ? 0 : p_minus + run;
    }
}

enum { LANES(MAX_DISTANCE) = 5 };

#define LANES_EACH_RECENT(LAYER)                                                                   \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

TALLY_INLINE LANES_TARGET void
LANES(encrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state, *x = state;
    LANES(vec) *const end = state + job->length * groups;
    const LANES(vec) *xw = state + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (distance - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) sum = LANES(add_mod)(reduction, x[g], recent[j][g], radix);                 \
            LANES(vec) t = LANES(look_up_sum)(how, s, sum);                                        \
            LANES(vec) difference = LANES(sub_mod)(reduction, t, xw[g], radix);                    \
            recent[j][g] = LANES(look_up_difference)(how, s, difference);                          \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? state : xw + groups;                                             \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds_recent)(const tally_fast_lane_job *job,
                                                            const LANES(layout) how,
                                                            const int per_group,
                                                            const size_t distance)
{
    for (size_t done = 0, round = 0; done < job->count; done += job->length) {
        LANES(prefetch)(job, round++);
        LANES(encrypt_round_recent)(job, how, per_group, distance, job->indices + done);
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_round)(const tally_fast_lane_job *job,
                                                    const LANES(layout) how, const size_t groups,
                                                    const int per_group, const uint8_t *indices,
                                                    const LANES(vec) reducer, const int reduced)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = length - 1, p_plus = job->w != 0 ? job->w - 1 : length - 1;
    size_t p_minus = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = p_plus + 1 < run ? p_plus + 1 : run;
        run = p_minus + 1 < run ? p_minus + 1 : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) more = adds ? xw[g] : LANES_ZERO;
                    LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);
                    LANES(vec)
                    first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, more, radix));
                    x[g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)
                                   : LANES_SUB(first, y[g]);
                }
            }
        }
        p -= run;
        p_plus = p_plus + 1 == run ? length - 1 : p_plus - run;
        p_minus = p_minus + 1 == run ? length - 1 : p_minus - run;
    }
}

TALLY_INLINE LANES_TARGET void
LANES(decrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *indices,
                            const LANES(vec) reducer, const int reduced)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state;
    LANES(vec) *const last = state + (job->length - 1) * groups, *x = last;
    const LANES(vec) *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (state + (distance - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);                                       \
            LANES(vec)                                                                             \
            first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, recent[j][g], radix)); \
            recent[j][g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)           \
                                   : LANES_SUB(first, y[g]);                                       \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == state ? last : y - groups;                                                        \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group, const size_t distance)
{

    const size_t lazy = 2 * job->w_prime <= job->length ? LANES(lazy_rounds)(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const LANES(vec) reducer = LANES(load_reducer)(how, job);
    for (size_t unreduced = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int reduced = round == 0 || unreduced == lazy;
        LANES(prefetch)(job, round);
        if (distance == 0) {
            reduced ? LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 1)
                    : LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 0);
        } else {
            reduced
                ? LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 1)
                : LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 0);
        }
        unreduced = reduced ? 0 : unreduced + 1;
    }
}

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(encrypt_rounds_recent)(job, how, per_group, distance);                               \
        return;

TALLY_INLINE LANES_TARGET void LANES(encrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            LANES_CASE(2)
            LANES_CASE(3)
            LANES_CASE(4)
        }
    }
    LANES(encrypt_rounds)(job, how, groups, per_group);
}
#undef LANES_CASE

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(decrypt_rounds)(job, how, groups, per_group, distance);                              \
        return;

TALLY_INLINE LANES_TARGET void LANES(decrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            LANES_CASE(3)
            LANES_CASE(4)
            LANES_CASE(5)
        }
    }
    LANES(decrypt_rounds)(job, how, groups, per_group, 0);
}
#undef LANES_CASE
#undef LANES_EACH_RECENT

#define LANES_BY_GROUPS(run, how)                                                                  \
    switch (job->groups) {                                                                         \
    case 1:                                                                                        \
        run(job, how, 1, 0);                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        run(job, how, 2, 0);                                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        run(job, how, 4, 0);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        job->per_group ? run(job, how, TALLY_FAST_GROUPS, 1)                                       \
                       : run(job, how, TALLY_FAST_GROUPS, 0);                                      \
    }
#define LANES_KERNELS(how)                                                                         \
    static LANES_TARGET void LANES(encrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(encrypt_groups), LANES(how))                                         \
    }                                                                                              \
    static LANES_TARGET void LANES(decrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(decrypt_groups), LANES(how))                                         \
    }
LANES_LAYOUTS(LANES_KERNELS)
#undef LANES_KERNELS
#undef LANES_BY_GROUPS

typedef void LANES(kernel)(const tally_fast_lane_job *job);

#define LANES_ENCRYPT(how) [LANES(how)] = LANES(encrypt_##how),
#define LANES_DECRYPT(how) [LANES(how)] = LANES(decrypt_##how),

static void LANES(run)(tally_direction direction, const tally_fast_lane_job *job)
{
    static LANES(kernel) *const encrypt[] = {LANES_LAYOUTS(LANES_ENCRYPT)};
    static LANES(kernel) *const decrypt[] = {LANES_LAYOUTS(LANES_DECRYPT)};
    const LANES(layout) how = LANES(layout_of)(job->radix);
    (direction == TALLY_DECRYPT ? decrypt : encrypt)[how](job);
}

#undef LANES_ENCRYPT
#undef LANES_DECRYPT

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

/* ---- core/fast/lanes/undef.h, again ---- */

#undef LANES
#undef LANES_TARGET
#undef LANES_LAYOUTS
#undef LANES_ZERO
#undef LANES_ADD
#undef LANES_SUB
#undef LANES_MIN
#undef LANES_AND
#undef LANES_BROADCAST
#undef LANES_ADD_IF_LESS
#undef LANES_REDUCE_LAZY
#undef LANES_HAS_RECENT
#undef LANES_TOGETHER

#endif

/* ---- core/fast/lanes/lanes.c ---- */
/*
 * The table of back ends of lanes. */

/* The fastest first. */
static const tally_backend *const lanes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_fast_lanes_avx512.backend, &tally_fast_lanes_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_fast_lanes_neon.backend,
#endif
#if defined(TALLY_ARCH_WASM_SIMD128)
    &tally_fast_lanes_simd128.backend, /* always there, so no portable code is loaded beside it */
#else
    &tally_fast_lanes_portable.backend,
#endif
};

enum { LANES_BACKENDS = sizeof lanes_backends / sizeof *lanes_backends };

const tally_fast_lanes *tally_fast_lanes_choose(void)
{
    return (const tally_fast_lanes *)tally_dispatch(lanes_backends, LANES_BACKENDS);
}

const tally_fast_lanes *tally_fast_lanes_for_few(void)
{
    return (const tally_fast_lanes *)lanes_backends[LANES_BACKENDS - 1];
}

size_t tally_fast_lanes_size(uint32_t radix)
{
    size_t stride = 0;
    for (size_t i = 0; i < LANES_BACKENDS; i++) {
        size_t own = ((const tally_fast_lanes *)lanes_backends[i])->stride(radix);
        stride = own > stride ? own : stride;
    }
    /* The tables for encryption and for decryption, and the 64 bytes after the latter. */
    return stride == 0 ? 0 : 2 * TALLY_FAST_POOL_SIZE * stride + 64;
}

/* ---- core/fast/lanes/neon.c ---- */
/*
 * Lanes with Advanced SIMD (NEON) on AArch64: 16 words a vector. A table look-up takes up to 64
 * entries. For an index beyond them TBL returns zero, and TBX keeps the lane. */

#if defined(TALLY_ARCH_AARCH64)

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

/* ---- core/fast/lanes/reduction.h, again ---- */

#ifndef TALLY_FAST_LANES_REDUCTION_H
#define TALLY_FAST_LANES_REDUCTION_H

typedef enum lanes_reduction {
    LANES_REDUCE_NONE,
    LANES_REDUCE_MIN,
    LANES_REDUCE_COMPARE
} lanes_reduction;

#endif

#define LANES(name) lanes_neon_##name
#define LANES_TARGET

typedef uint8x16_t lanes_neon_vec;

/* ---- core/fast/lanes/chunks.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

typedef enum LANES(layout) {
    LANES(CHUNKS1),
    LANES(CHUNKS2),
    LANES(CHUNKS4),
    LANES(CHUNKS8),
    LANES(CHUNKS16),
    LANES(WHOLE)
} LANES(layout);

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (CHUNKS1) do(CHUNKS2) do(CHUNKS4) do(CHUNKS8) do(CHUNKS16) do(WHOLE)

typedef const uint8_t *LANES(table);

static LANES(layout) LANES(layout_of)(uint32_t radix)
{
    return radix <= 16    ? LANES(CHUNKS1)
           : radix <= 32  ? LANES(CHUNKS2)
           : radix <= 64  ? LANES(CHUNKS4)
           : radix <= 128 ? LANES(CHUNKS8)
           : radix < 256  ? LANES(CHUNKS16)
                          : LANES(WHOLE);
}

TALLY_INLINE size_t LANES(chunks)(const LANES(layout) how)
{
    return how == LANES(WHOLE) ? 16 : (size_t)1 << how;
}

static size_t LANES(stride)(uint32_t radix)
{
    size_t bytes = 16 * LANES(chunks)(LANES(layout_of)(radix));
    return bytes < 64 ? 64 : bytes;
}

static void LANES(lay_out_one)(uint32_t radix, const uint8_t *sbox, uint8_t *out);

static void LANES(lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes,
                           size_t step, uint8_t *tables)
{
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        LANES(lay_out_one)(radix, sboxes + k * step, tables + k * LANES(stride)(radix));
    }
    if (direction == TALLY_DECRYPT) {
        memset(tables + TALLY_FAST_POOL_SIZE * LANES(stride)(radix), (int)(radix - 1), 64);
    }
}

TALLY_INLINE LANES(table) LANES(load_table)(const LANES(layout) how, const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_sum)(const LANES(layout) how, LANES(table) t, LANES(vec) index);

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(look_up_difference)(const LANES(layout) how, LANES(table) t, LANES(vec) index)
{
    return LANES(look_up_sum)(how, t, index);
}

TALLY_INLINE lanes_reduction LANES(index_reduction)(const LANES(layout) how)
{
    return how == LANES(WHOLE)      ? LANES_REDUCE_NONE
           : how == LANES(CHUNKS16) ? LANES_REDUCE_COMPARE
                                    : LANES_REDUCE_MIN;
}

TALLY_INLINE lanes_reduction LANES(result_reduction)(const LANES(layout) how)
{
    return LANES(index_reduction)(how);
}

TALLY_INLINE int LANES(is_lazy)(const LANES(layout) how)
{
    return how == LANES(WHOLE);
}

TALLY_INLINE size_t LANES(lazy_rounds)(const LANES(layout) how, uint32_t radix)
{
    (void)radix;
    return how == LANES(WHOLE) ? SIZE_MAX : 0;
}

#define LANES_REDUCE_LAZY(how, x, reducer) LANES_AND(x, reducer)
#define LANES_HAS_RECENT(how)              0

#define LANES_ZERO                    vdupq_n_u8(0)
#define LANES_ADD(x, y)               vaddq_u8(x, y)
#define LANES_SUB(x, y)               vsubq_u8(x, y)
#define LANES_MIN(x, y)               vminq_u8(x, y)
#define LANES_AND(x, y)               vandq_u8(x, y)
#define LANES_BROADCAST(byte)         vdupq_n_u8((uint8_t)(byte))
#define LANES_ADD_IF_LESS(d, x, y, a) vaddq_u8(d, vandq_u8(vcltq_u8(x, y), a))

static void lanes_neon_lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, lanes_neon_stride(radix));
    memcpy(out, sbox, radix);
}

TALLY_INLINE lanes_neon_vec lanes_neon_look_up_sum(const lanes_neon_layout how, lanes_neon_table t,
                                                   lanes_neon_vec index)
{
    if (how == lanes_neon_CHUNKS1) {
        return vqtbl1q_u8(vld1q_u8(t), index);
    }
    if (how == lanes_neon_CHUNKS2) {
        return vqtbl2q_u8(vld1q_u8_x2(t), index);
    }
    lanes_neon_vec found = vqtbl4q_u8(vld1q_u8_x4(t), index);
    if (how >= lanes_neon_CHUNKS8) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 64), LANES_SUB(index, LANES_BROADCAST(64)));
    }
    if (how >= lanes_neon_CHUNKS16) {
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 128), LANES_SUB(index, LANES_BROADCAST(128)));
        found = vqtbx4q_u8(found, vld1q_u8_x4(t + 192), LANES_SUB(index, LANES_BROADCAST(192)));
    }
    return found;
}

TALLY_INLINE lanes_neon_vec lanes_neon_load_reducer(const lanes_neon_layout how,
                                                    const tally_fast_lane_job *job)
{
    (void)how;
    return vld1q_u8(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

/* ---- core/fast/lanes/body.h, again ---- */

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(add_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    if (reduction == LANES_REDUCE_COMPARE) {
        LANES(vec) less = LANES_SUB(radix, y);
        return LANES_ADD_IF_LESS(LANES_SUB(x, less), x, less, radix);
    }
    LANES(vec) sum = LANES_ADD(x, y);
    return reduction == LANES_REDUCE_NONE ? sum : LANES_MIN(sum, LANES_SUB(sum, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    LANES(vec) difference = LANES_SUB(x, y);
    if (reduction == LANES_REDUCE_COMPARE) {
        return LANES_ADD_IF_LESS(difference, x, y, radix);
    }
    return reduction == LANES_REDUCE_NONE ? difference
                                          : LANES_MIN(difference, LANES_ADD(difference, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_result)(LANES(layout) how, LANES(vec) x, LANES(vec) y, LANES(vec) radix,
                      LANES(vec) reducer)
{
    if (!LANES(is_lazy)(how)) {
        return LANES(sub_mod)(LANES(result_reduction)(how), x, y, radix);
    }
    return LANES_REDUCE_LAZY(how, LANES_SUB(x, y), reducer);
}

#if !defined(LANES_TOGETHER)
#define LANES_TOGETHER(how, groups) (groups)
#endif

TALLY_INLINE void LANES(prefetch)(const tally_fast_lane_job *job, size_t round)
{
#if defined(__GNUC__)
    const tally_fast_prefetch *const next = job->next;
    if (next == NULL) {
        return;
    }
    const size_t first = round * job->each, left = first < next->size ? next->size - first : 0,
                 end = first + (left < job->each ? left : job->each);
    for (size_t at = first; at < end; at += 64) {
        if (next->read != next->written) {
            __builtin_prefetch(next->read + at);
        }
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)job, (void)round;
#endif
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t done = 0, round = 0; done < job->count;) {
        size_t run = length - p;
        if (p == 0) {
            LANES(prefetch)(job, round++);
        }
        run = length - p_plus < run ? length - p_plus : run;
        run = length - p_minus < run ? length - p_minus : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) sum = LANES(add_mod)(reduction, x[g], y[g], radix);
                    LANES(vec) t = LANES(look_up_sum)(how, s, sum);
                    LANES(vec) less = subtracts ? xw[g] : LANES_ZERO;
                    LANES(vec) difference = LANES(sub_mod)(reduction, t, less, radix);
                    x[g] = LANES(look_up_difference)(how, s, difference);
                }
            }
        }
        done += run;
        p = p + run == length ? 0 : p + run;
        p_plus = p_plus + run == length ? 0 : p_plus + run;
        p_minus = p_minus + run == length ? 0 : p_minus + run;
    }
}

enum { LANES(MAX_DISTANCE) = 5 };

#define LANES_EACH_RECENT(LAYER)                                                                   \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

TALLY_INLINE LANES_TARGET void
LANES(encrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state, *x = state;
    LANES(vec) *const end = state + job->length * groups;
    const LANES(vec) *xw = state + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (distance - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) sum = LANES(add_mod)(reduction, x[g], recent[j][g], radix);                 \
            LANES(vec) t = LANES(look_up_sum)(how, s, sum);                                        \
            LANES(vec) difference = LANES(sub_mod)(reduction, t, xw[g], radix);                    \
            recent[j][g] = LANES(look_up_difference)(how, s, difference);                          \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? state : xw + groups;                                             \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds_recent)(const tally_fast_lane_job *job,
                                                            const LANES(layout) how,
                                                            const int per_group,
                                                            const size_t distance)
{
    for (size_t done = 0, round = 0; done < job->count; done += job->length) {
        LANES(prefetch)(job, round++);
        LANES(encrypt_round_recent)(job, how, per_group, distance, job->indices + done);
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_round)(const tally_fast_lane_job *job,
                                                    const LANES(layout) how, const size_t groups,
                                                    const int per_group, const uint8_t *indices,
                                                    const LANES(vec) reducer, const int reduced)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = length - 1, p_plus = job->w != 0 ? job->w - 1 : length - 1;
    size_t p_minus = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = p_plus + 1 < run ? p_plus + 1 : run;
        run = p_minus + 1 < run ? p_minus + 1 : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) more = adds ? xw[g] : LANES_ZERO;
                    LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);
                    LANES(vec)
                    first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, more, radix));
                    x[g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)
                                   : LANES_SUB(first, y[g]);
                }
            }
        }
        p -= run;
        p_plus = p_plus + 1 == run ? length - 1 : p_plus - run;
        p_minus = p_minus + 1 == run ? length - 1 : p_minus - run;
    }
}

TALLY_INLINE LANES_TARGET void
LANES(decrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *indices,
                            const LANES(vec) reducer, const int reduced)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state;
    LANES(vec) *const last = state + (job->length - 1) * groups, *x = last;
    const LANES(vec) *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (state + (distance - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);                                       \
            LANES(vec)                                                                             \
            first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, recent[j][g], radix)); \
            recent[j][g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)           \
                                   : LANES_SUB(first, y[g]);                                       \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == state ? last : y - groups;                                                        \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group, const size_t distance)
{

    const size_t lazy = 2 * job->w_prime <= job->length ? LANES(lazy_rounds)(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const LANES(vec) reducer = LANES(load_reducer)(how, job);
    for (size_t unreduced = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int reduced = round == 0 || unreduced == lazy;
        LANES(prefetch)(job, round);
        if (distance == 0) {
            reduced ? LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 1)
                    : LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 0);
        } else {
            reduced
                ? LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 1)
                : LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 0);
        }
        unreduced = reduced ? 0 : unreduced + 1;
    }
}

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(encrypt_rounds_recent)(job, how, per_group, distance);                               \
        return;

TALLY_INLINE LANES_TARGET void LANES(encrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            LANES_CASE(2)
            LANES_CASE(3)
            LANES_CASE(4)
        }
    }
    LANES(encrypt_rounds)(job, how, groups, per_group);
}
#undef LANES_CASE

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(decrypt_rounds)(job, how, groups, per_group, distance);                              \
        return;

TALLY_INLINE LANES_TARGET void LANES(decrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            LANES_CASE(3)
            LANES_CASE(4)
            LANES_CASE(5)
        }
    }
    LANES(decrypt_rounds)(job, how, groups, per_group, 0);
}
#undef LANES_CASE
#undef LANES_EACH_RECENT

#define LANES_BY_GROUPS(run, how)                                                                  \
    switch (job->groups) {                                                                         \
    case 1:                                                                                        \
        run(job, how, 1, 0);                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        run(job, how, 2, 0);                                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        run(job, how, 4, 0);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        job->per_group ? run(job, how, TALLY_FAST_GROUPS, 1)                                       \
                       : run(job, how, TALLY_FAST_GROUPS, 0);                                      \
    }
#define LANES_KERNELS(how)                                                                         \
    static LANES_TARGET void LANES(encrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(encrypt_groups), LANES(how))                                         \
    }                                                                                              \
    static LANES_TARGET void LANES(decrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(decrypt_groups), LANES(how))                                         \
    }
LANES_LAYOUTS(LANES_KERNELS)
#undef LANES_KERNELS
#undef LANES_BY_GROUPS

typedef void LANES(kernel)(const tally_fast_lane_job *job);

#define LANES_ENCRYPT(how) [LANES(how)] = LANES(encrypt_##how),
#define LANES_DECRYPT(how) [LANES(how)] = LANES(decrypt_##how),

static void LANES(run)(tally_direction direction, const tally_fast_lane_job *job)
{
    static LANES(kernel) *const encrypt[] = {LANES_LAYOUTS(LANES_ENCRYPT)};
    static LANES(kernel) *const decrypt[] = {LANES_LAYOUTS(LANES_DECRYPT)};
    const LANES(layout) how = LANES(layout_of)(job->radix);
    (direction == TALLY_DECRYPT ? decrypt : encrypt)[how](job);
}

#undef LANES_ENCRYPT
#undef LANES_DECRYPT

static size_t lanes_neon_min_words(uint32_t radix)
{
    return radix <= 64 ? 1 : radix <= 128 ? 2 : 4;
}

const tally_fast_lanes tally_fast_lanes_neon = {
    .backend = {"neon", TALLY_CPU_NEON},
    .width = 16,
    .stride = lanes_neon_stride,
    .min_words = lanes_neon_min_words,
    .lay_out = lanes_neon_lay_out,
    .run = lanes_neon_run,
    .transpose = &tally_transpose_portable,
};

/* ---- core/fast/lanes/undef.h, again ---- */

#undef LANES
#undef LANES_TARGET
#undef LANES_LAYOUTS
#undef LANES_ZERO
#undef LANES_ADD
#undef LANES_SUB
#undef LANES_MIN
#undef LANES_AND
#undef LANES_BROADCAST
#undef LANES_ADD_IF_LESS
#undef LANES_REDUCE_LAZY
#undef LANES_HAS_RECENT
#undef LANES_TOGETHER

#endif

/* ---- core/fast/lanes/own_sboxes.c ---- */
/*
 * The choice of a back end of lanes with an S-box each, and their tables. */

/* ---- core/fast/lanes/own_sboxes.h ---- */
/*
 * Layers on lanes with an S-box for each lane, for words that have their own sequences. A layer
 * looks up the whole S-box of every lane by its number, and then an entry of each, all in
 * registers: no address depends on a symbol or on the number of an S-box. Lanes of lanes.h share an
 * S-box, which takes a sixth of the time for as many lanes. */
#ifndef TALLY_FAST_LANES_OWN_SBOXES_H
#define TALLY_FAST_LANES_OWN_SBOXES_H

enum {
    TALLY_OWN_SBOXES_LANES = 64,
    TALLY_OWN_SBOXES_RADIX = 16, /* at most: two entries share a byte */
    TALLY_OWN_SBOXES_TABLES = TALLY_OWN_SBOXES_RADIX / 2 * TALLY_FAST_POOL_SIZE /* bytes */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_own_sboxes_job {
    const uint8_t *tables; /* by tally_own_sboxes_lay_out; as all that follows, aligned to 64 */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-box of word k in layer i is indices[i * 64 + k] */
    size_t count;           /* layers */
    uint8_t *state;         /* the symbol of word k at position p is state[p * 64 + k] */
} tally_own_sboxes_job;

typedef struct tally_own_sboxes {
    tally_backend backend;
    void (*run)(tally_direction direction, const tally_own_sboxes_job *job);
} tally_own_sboxes;

/* The back end for the CPU features in use and a radix; NULL: there is none. */
const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix);

/* Writes the tables of a pool's S-boxes, whose one-word tables have `radix` entries each, `stride`
 * bytes apart: entries 2i and 2i + 1 of S-box k are the halves of out[i * TALLY_FAST_POOL_SIZE +
 * k], the lower one first. */
void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out);

extern const tally_own_sboxes tally_own_sboxes_avx512;

#endif

const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix)
{
#if defined(TALLY_ARCH_X86_64)
    if (radix <= TALLY_OWN_SBOXES_RADIX &&
        tally_backend_lacks(&tally_own_sboxes_avx512.backend) == 0) {
        return &tally_own_sboxes_avx512;
    }
#else
    (void)radix;
#endif
    return NULL;
}

void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out)
{
    for (uint32_t entry = 0; entry < radix; entry += 2, out += TALLY_FAST_POOL_SIZE) {
        const int both = entry + 1 < radix;
        for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
            const uint8_t *sbox = sboxes + k * stride + entry;
            out[k] = (uint8_t)(sbox[0] | (both ? sbox[1] << 4 : 0));
        }
    }
}

/* ---- core/fast/lanes/own_sboxes_avx512.c ---- */
/*
 * Lanes with an S-box each, with AVX-512 VBMI. A byte permute looks up 64 lanes among 64 S-boxes,
 * so four make a vector of two entries of all lanes' S-boxes. An entry is then chosen by the bits of
 * the index. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

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

/* ---- core/fast/lanes/portable.c ---- */
/*
 * Lanes without vectors: a group is one word, and several groups run side by side, so that the
 * look-ups of one hide the latency of the others. The tables are the one-word code's, in memory,
 * and the indices are secret: see docs/explanation/side-channels.md. */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

/* ---- core/fast/lanes/reduction.h, again ---- */

#ifndef TALLY_FAST_LANES_REDUCTION_H
#define TALLY_FAST_LANES_REDUCTION_H

typedef enum lanes_reduction {
    LANES_REDUCE_NONE,
    LANES_REDUCE_MIN,
    LANES_REDUCE_COMPARE
} lanes_reduction;

#endif

#define LANES(name) lanes_portable_##name
#define LANES_TARGET

/* Tables of S at every sum and difference; of S alone; of S alone where sums exceed a byte; and of
 * all 256 entries, where indices are reduced by overflow. */
typedef enum lanes_portable_layout {
    lanes_portable_EXPANDED,
    lanes_portable_PLAIN,
    lanes_portable_LARGE,
    lanes_portable_WHOLE
} lanes_portable_layout;

#define LANES_LAYOUTS(do)                                                                          \
    do                                                                                             \
    (EXPANDED) do(PLAIN) do(LARGE) do(WHOLE)

typedef uint8_t lanes_portable_vec;
typedef const uint8_t *lanes_portable_table;

#define LANES_ZERO            0
#define LANES_ADD(x, y)       ((uint8_t)((x) + (y)))
#define LANES_SUB(x, y)       ((uint8_t)((x) - (y)))
#define LANES_MIN(x, y)       lanes_portable_min(x, y)
#define LANES_BROADCAST(byte) ((uint8_t)(byte))
/* By the sign of the difference: clang would compile a comparison to a branch. */
#define LANES_ADD_IF_LESS(d, x, y, a) ((uint8_t)((d) + ((a) & (0 - (((uint32_t)(x) - (y)) >> 31)))))

TALLY_INLINE uint8_t lanes_portable_min(uint8_t x, uint8_t y)
{
    return x < y ? x : y;
}

static lanes_portable_layout lanes_portable_layout_of(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED ? lanes_portable_EXPANDED
           : radix <= 128                   ? lanes_portable_PLAIN
           : radix < 256                    ? lanes_portable_LARGE
                                            : lanes_portable_WHOLE;
}

TALLY_INLINE lanes_portable_table lanes_portable_load_table(const lanes_portable_layout how,
                                                            const uint8_t *bytes)
{
    (void)how;
    return bytes;
}

TALLY_INLINE lanes_portable_vec lanes_portable_look_up_sum(const lanes_portable_layout how,
                                                           lanes_portable_table t,
                                                           lanes_portable_vec index)
{
    (void)how;
    return t[index];
}

TALLY_INLINE lanes_portable_vec lanes_portable_look_up_difference(const lanes_portable_layout how,
                                                                  lanes_portable_table t,
                                                                  lanes_portable_vec index)
{
    return how == lanes_portable_EXPANDED ? t[(int8_t)index] : t[index];
}

TALLY_INLINE lanes_reduction lanes_portable_index_reduction(const lanes_portable_layout how)
{
    return how == lanes_portable_PLAIN   ? LANES_REDUCE_MIN
           : how == lanes_portable_LARGE ? LANES_REDUCE_COMPARE
                                         : LANES_REDUCE_NONE;
}

TALLY_INLINE lanes_reduction lanes_portable_result_reduction(const lanes_portable_layout how)
{
    return how == lanes_portable_WHOLE   ? LANES_REDUCE_NONE
           : how == lanes_portable_LARGE ? LANES_REDUCE_COMPARE
                                         : LANES_REDUCE_MIN;
}

TALLY_INLINE int lanes_portable_is_lazy(const lanes_portable_layout how)
{
    (void)how;
    return 0;
}

TALLY_INLINE size_t lanes_portable_lazy_rounds(const lanes_portable_layout how, uint32_t radix)
{
    (void)how;
    (void)radix;
    return 0;
}

#define LANES_REDUCE_LAZY(how, x, reducer) ((void)(reducer), (x))
#define LANES_HAS_RECENT(how)              0

TALLY_INLINE lanes_portable_vec lanes_portable_load_reducer(const lanes_portable_layout how,
                                                            const tally_fast_lane_job *job)
{
    (void)how;
    (void)job;
    return 0;
}

/* ---- core/fast/lanes/body.h, again ---- */

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(add_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    if (reduction == LANES_REDUCE_COMPARE) {
        LANES(vec) less = LANES_SUB(radix, y);
        return LANES_ADD_IF_LESS(LANES_SUB(x, less), x, less, radix);
    }
    LANES(vec) sum = LANES_ADD(x, y);
    return reduction == LANES_REDUCE_NONE ? sum : LANES_MIN(sum, LANES_SUB(sum, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    LANES(vec) difference = LANES_SUB(x, y);
    if (reduction == LANES_REDUCE_COMPARE) {
        return LANES_ADD_IF_LESS(difference, x, y, radix);
    }
    return reduction == LANES_REDUCE_NONE ? difference
                                          : LANES_MIN(difference, LANES_ADD(difference, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_result)(LANES(layout) how, LANES(vec) x, LANES(vec) y, LANES(vec) radix,
                      LANES(vec) reducer)
{
    if (!LANES(is_lazy)(how)) {
        return LANES(sub_mod)(LANES(result_reduction)(how), x, y, radix);
    }
    return LANES_REDUCE_LAZY(how, LANES_SUB(x, y), reducer);
}

#if !defined(LANES_TOGETHER)
#define LANES_TOGETHER(how, groups) (groups)
#endif

TALLY_INLINE void LANES(prefetch)(const tally_fast_lane_job *job, size_t round)
{
#if defined(__GNUC__)
    const tally_fast_prefetch *const next = job->next;
    if (next == NULL) {
        return;
    }
    const size_t first = round * job->each, left = first < next->size ? next->size - first : 0,
                 end = first + (left < job->each ? left : job->each);
    for (size_t at = first; at < end; at += 64) {
        if (next->read != next->written) {
            __builtin_prefetch(next->read + at);
        }
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)job, (void)round;
#endif
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t done = 0, round = 0; done < job->count;) {
        size_t run = length - p;
        if (p == 0) {
            LANES(prefetch)(job, round++);
        }
        run = length - p_plus < run ? length - p_plus : run;
        run = length - p_minus < run ? length - p_minus : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) sum = LANES(add_mod)(reduction, x[g], y[g], radix);
                    LANES(vec) t = LANES(look_up_sum)(how, s, sum);
                    LANES(vec) less = subtracts ? xw[g] : LANES_ZERO;
                    LANES(vec) difference = LANES(sub_mod)(reduction, t, less, radix);
                    x[g] = LANES(look_up_difference)(how, s, difference);
                }
            }
        }
        done += run;
        p = p + run == length ? 0 : p + run;
        p_plus = p_plus + run == length ? 0 : p_plus + run;
        p_minus = p_minus + run == length ? 0 : p_minus + run;
    }
}

enum { LANES(MAX_DISTANCE) = 5 };

#define LANES_EACH_RECENT(LAYER)                                                                   \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

TALLY_INLINE LANES_TARGET void
LANES(encrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state, *x = state;
    LANES(vec) *const end = state + job->length * groups;
    const LANES(vec) *xw = state + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (distance - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) sum = LANES(add_mod)(reduction, x[g], recent[j][g], radix);                 \
            LANES(vec) t = LANES(look_up_sum)(how, s, sum);                                        \
            LANES(vec) difference = LANES(sub_mod)(reduction, t, xw[g], radix);                    \
            recent[j][g] = LANES(look_up_difference)(how, s, difference);                          \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? state : xw + groups;                                             \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds_recent)(const tally_fast_lane_job *job,
                                                            const LANES(layout) how,
                                                            const int per_group,
                                                            const size_t distance)
{
    for (size_t done = 0, round = 0; done < job->count; done += job->length) {
        LANES(prefetch)(job, round++);
        LANES(encrypt_round_recent)(job, how, per_group, distance, job->indices + done);
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_round)(const tally_fast_lane_job *job,
                                                    const LANES(layout) how, const size_t groups,
                                                    const int per_group, const uint8_t *indices,
                                                    const LANES(vec) reducer, const int reduced)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = length - 1, p_plus = job->w != 0 ? job->w - 1 : length - 1;
    size_t p_minus = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = p_plus + 1 < run ? p_plus + 1 : run;
        run = p_minus + 1 < run ? p_minus + 1 : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) more = adds ? xw[g] : LANES_ZERO;
                    LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);
                    LANES(vec)
                    first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, more, radix));
                    x[g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)
                                   : LANES_SUB(first, y[g]);
                }
            }
        }
        p -= run;
        p_plus = p_plus + 1 == run ? length - 1 : p_plus - run;
        p_minus = p_minus + 1 == run ? length - 1 : p_minus - run;
    }
}

TALLY_INLINE LANES_TARGET void
LANES(decrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *indices,
                            const LANES(vec) reducer, const int reduced)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state;
    LANES(vec) *const last = state + (job->length - 1) * groups, *x = last;
    const LANES(vec) *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (state + (distance - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);                                       \
            LANES(vec)                                                                             \
            first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, recent[j][g], radix)); \
            recent[j][g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)           \
                                   : LANES_SUB(first, y[g]);                                       \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == state ? last : y - groups;                                                        \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(decrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group, const size_t distance)
{

    const size_t lazy = 2 * job->w_prime <= job->length ? LANES(lazy_rounds)(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const LANES(vec) reducer = LANES(load_reducer)(how, job);
    for (size_t unreduced = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int reduced = round == 0 || unreduced == lazy;
        LANES(prefetch)(job, round);
        if (distance == 0) {
            reduced ? LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 1)
                    : LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 0);
        } else {
            reduced
                ? LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 1)
                : LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 0);
        }
        unreduced = reduced ? 0 : unreduced + 1;
    }
}

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(encrypt_rounds_recent)(job, how, per_group, distance);                               \
        return;

TALLY_INLINE LANES_TARGET void LANES(encrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            LANES_CASE(2)
            LANES_CASE(3)
            LANES_CASE(4)
        }
    }
    LANES(encrypt_rounds)(job, how, groups, per_group);
}
#undef LANES_CASE

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(decrypt_rounds)(job, how, groups, per_group, distance);                              \
        return;

TALLY_INLINE LANES_TARGET void LANES(decrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            LANES_CASE(3)
            LANES_CASE(4)
            LANES_CASE(5)
        }
    }
    LANES(decrypt_rounds)(job, how, groups, per_group, 0);
}
#undef LANES_CASE
#undef LANES_EACH_RECENT

#define LANES_BY_GROUPS(run, how)                                                                  \
    switch (job->groups) {                                                                         \
    case 1:                                                                                        \
        run(job, how, 1, 0);                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        run(job, how, 2, 0);                                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        run(job, how, 4, 0);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        job->per_group ? run(job, how, TALLY_FAST_GROUPS, 1)                                       \
                       : run(job, how, TALLY_FAST_GROUPS, 0);                                      \
    }
#define LANES_KERNELS(how)                                                                         \
    static LANES_TARGET void LANES(encrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(encrypt_groups), LANES(how))                                         \
    }                                                                                              \
    static LANES_TARGET void LANES(decrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(decrypt_groups), LANES(how))                                         \
    }
LANES_LAYOUTS(LANES_KERNELS)
#undef LANES_KERNELS
#undef LANES_BY_GROUPS

typedef void LANES(kernel)(const tally_fast_lane_job *job);

#define LANES_ENCRYPT(how) [LANES(how)] = LANES(encrypt_##how),
#define LANES_DECRYPT(how) [LANES(how)] = LANES(decrypt_##how),

static void LANES(run)(tally_direction direction, const tally_fast_lane_job *job)
{
    static LANES(kernel) *const encrypt[] = {LANES_LAYOUTS(LANES_ENCRYPT)};
    static LANES(kernel) *const decrypt[] = {LANES_LAYOUTS(LANES_DECRYPT)};
    const LANES(layout) how = LANES(layout_of)(job->radix);
    (direction == TALLY_DECRYPT ? decrypt : encrypt)[how](job);
}

#undef LANES_ENCRYPT
#undef LANES_DECRYPT

/* No tables of its own. */
static size_t lanes_portable_stride(uint32_t radix)
{
    (void)radix;
    return 0;
}

/* A group is one word, so a transpose in blocks would gain nothing. */
static void lanes_portable_to_lanes(const uint8_t *const *rows, size_t count, size_t length,
                                    size_t stride, uint8_t *lanes)
{
    for (size_t k = 0; k < stride; k++) {
        const uint8_t *row = rows[k < count ? k : count - 1];
        for (size_t p = 0; p < length; p++) {
            lanes[p * stride + k] = row[p];
        }
    }
}

static void lanes_portable_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                      size_t length, uint8_t *const *rows)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < length; p++) {
            rows[k][p] = lanes[p * stride + k];
        }
    }
}

static int lanes_portable_words_to_lanes(const uint8_t *words, size_t count, size_t length,
                                         size_t stride, uint8_t zero, uint32_t limit,
                                         uint8_t *lanes)
{
    for (size_t k = 0; k < stride; k++) {
        const uint8_t *word = words + (k < count ? k : count - 1) * length;
        for (size_t p = 0; p < length; p++) {
            lanes[p * stride + k] = (uint8_t)(word[p] - zero);
        }
    }
    return tally_all_below(limit, lanes, stride * length);
}

static void lanes_portable_words_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                            size_t length, uint8_t zero, uint8_t *words)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < length; p++) {
            words[k * length + p] = (uint8_t)(lanes[p * stride + k] + zero);
        }
    }
}

static const tally_transpose lanes_portable_transpose = {
    lanes_portable_to_lanes, lanes_portable_from_lanes, lanes_portable_words_to_lanes,
    lanes_portable_words_from_lanes};

static size_t lanes_portable_min_words(uint32_t radix)
{
    (void)radix;
    return 1;
}

const tally_fast_lanes tally_fast_lanes_portable = {
    .backend = {"portable", 0},
    .width = 1,
    .stride = lanes_portable_stride,
    .min_words = lanes_portable_min_words,
    .lay_out = NULL,
    .run = lanes_portable_run,
    .transpose = &lanes_portable_transpose,
};

/* ---- core/fast/lanes/undef.h, again ---- */

#undef LANES
#undef LANES_TARGET
#undef LANES_LAYOUTS
#undef LANES_ZERO
#undef LANES_ADD
#undef LANES_SUB
#undef LANES_MIN
#undef LANES_AND
#undef LANES_BROADCAST
#undef LANES_ADD_IF_LESS
#undef LANES_REDUCE_LAZY
#undef LANES_HAS_RECENT
#undef LANES_TOGETHER

/* ---- core/fast/lanes/transpose.c ---- */
/*
 * Transposes rows of symbols into lanes and back, in blocks of 16 rows and 8 positions. The last
 * block of a row overlaps the one before, so that nothing is read or written beyond the row's end.
 * Rows of fewer than 8 symbols are transposed symbol by symbol. */

enum { TRANSPOSE_ROWS = 16, TRANSPOSE_POSITIONS = 8 };

#if defined(__SSE2__)

/* ---- core/fast/lanes/transpose_sse2.h ---- */
/*
 * Blocks of a transpose with SSE2, which every 64-bit x86 has. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_SSE2_H
#define TALLY_FAST_LANES_TRANSPOSE_SSE2_H

TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP

typedef __m128i transpose_vec;

#define TRANSPOSE_LOAD(p)          _mm_loadu_si128((const __m128i *)(p))
#define TRANSPOSE_LOAD_HALF(p)     _mm_loadl_epi64((const __m128i *)(p))
#define TRANSPOSE_STORE(p, v)      _mm_storeu_si128((__m128i *)(p), v)
#define TRANSPOSE_STORE_LOW(p, v)  _mm_storel_epi64((__m128i *)(p), v)
#define TRANSPOSE_STORE_HIGH(p, v) _mm_storel_epi64((__m128i *)(p), _mm_srli_si128(v, 8))
#define TRANSPOSE_LOWS(x, y)       _mm_unpacklo_epi8(x, y)
#define TRANSPOSE_HIGHS(x, y)      _mm_unpackhi_epi8(x, y)
#define TRANSPOSE_SPREAD(byte)     _mm_set1_epi8((char)(byte))
#define TRANSPOSE_ADD(x, y)        _mm_add_epi8(x, y)
#define TRANSPOSE_SUB(x, y)        _mm_sub_epi8(x, y)

/* ---- core/fast/lanes/transpose_block.h ---- */
/*
 * Blocks of 16 rows and 8 positions in vectors of 16 bytes: three perfect shuffles of eight vectors
 * transpose a block. A file named after an instruction set defines the type transpose_vec and these
 * macros, and includes this one:
 *
 *   TRANSPOSE_LOAD(p), TRANSPOSE_STORE(p, v)   16 bytes
 *   TRANSPOSE_LOAD_HALF(p)                     8 bytes, as the lower half
 *   TRANSPOSE_STORE_LOW(p, v), TRANSPOSE_STORE_HIGH(p, v)
 *                                              a half
 *   TRANSPOSE_LOWS(x, y), TRANSPOSE_HIGHS(x, y)
 *                                              the lower or upper halves, byte by byte in turn
 *   TRANSPOSE_SPREAD(byte), TRANSPOSE_ADD(x, y), TRANSPOSE_SUB(x, y)
 *
 * Only transpose.c includes these files. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_BLOCK_H
#define TALLY_FAST_LANES_TRANSPOSE_BLOCK_H

/* Interleaves eight vectors: of vectors i and i + 4 it makes 2i and 2i + 1. */
TALLY_INLINE void transpose_interleave(const transpose_vec in[8], transpose_vec out[8])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        out[2 * i] = TRANSPOSE_LOWS(in[i], in[i + 4]);
        out[2 * i + 1] = TRANSPOSE_HIGHS(in[i], in[i + 4]);
    }
}

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    /* Rows k and k + 8 side by side. */
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOWS(TRANSPOSE_LOAD_HALF(rows[i] + position),
                              TRANSPOSE_LOAD_HALF(rows[i + 8] + position));
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        TRANSPOSE_STORE(lanes + (position + (size_t)i) * stride, TRANSPOSE_SUB(b[i], zeros));
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOAD(lanes + (position + (size_t)i) * stride);
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        b[i] = TRANSPOSE_ADD(b[i], zeros);
        TRANSPOSE_STORE_LOW(rows[2 * i] + position, b[i]);
        TRANSPOSE_STORE_HIGH(rows[2 * i + 1] + position, b[i]);
    }
}

#endif

#endif

#elif defined(TALLY_ARCH_AARCH64)

/* ---- core/fast/lanes/transpose_neon.h ---- */
/*
 * Blocks of a transpose with Advanced SIMD (NEON), which every AArch64 has. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_NEON_H
#define TALLY_FAST_LANES_TRANSPOSE_NEON_H

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

typedef uint8x16_t transpose_vec;

#define TRANSPOSE_LOAD(p)          vld1q_u8(p)
#define TRANSPOSE_LOAD_HALF(p)     vcombine_u8(vld1_u8(p), vdup_n_u8(0))
#define TRANSPOSE_STORE(p, v)      vst1q_u8(p, v)
#define TRANSPOSE_STORE_LOW(p, v)  vst1_u8(p, vget_low_u8(v))
#define TRANSPOSE_STORE_HIGH(p, v) vst1_u8(p, vget_high_u8(v))
#define TRANSPOSE_LOWS(x, y)       vzip1q_u8(x, y)
#define TRANSPOSE_HIGHS(x, y)      vzip2q_u8(x, y)
#define TRANSPOSE_SPREAD(byte)     vdupq_n_u8(byte)
#define TRANSPOSE_ADD(x, y)        vaddq_u8(x, y)
#define TRANSPOSE_SUB(x, y)        vsubq_u8(x, y)

/* ---- core/fast/lanes/transpose_block.h, again ---- */

#ifndef TALLY_FAST_LANES_TRANSPOSE_BLOCK_H
#define TALLY_FAST_LANES_TRANSPOSE_BLOCK_H

TALLY_INLINE void transpose_interleave(const transpose_vec in[8], transpose_vec out[8])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        out[2 * i] = TRANSPOSE_LOWS(in[i], in[i + 4]);
        out[2 * i + 1] = TRANSPOSE_HIGHS(in[i], in[i + 4]);
    }
}

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];

    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOWS(TRANSPOSE_LOAD_HALF(rows[i] + position),
                              TRANSPOSE_LOAD_HALF(rows[i + 8] + position));
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        TRANSPOSE_STORE(lanes + (position + (size_t)i) * stride, TRANSPOSE_SUB(b[i], zeros));
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOAD(lanes + (position + (size_t)i) * stride);
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        b[i] = TRANSPOSE_ADD(b[i], zeros);
        TRANSPOSE_STORE_LOW(rows[2 * i] + position, b[i]);
        TRANSPOSE_STORE_HIGH(rows[2 * i + 1] + position, b[i]);
    }
}

#endif

#endif

#elif defined(TALLY_ARCH_WASM_SIMD128)

/* ---- core/fast/lanes/transpose_simd128.h ---- */
/*
 * Blocks of a transpose with SIMD128 of WebAssembly. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_SIMD128_H
#define TALLY_FAST_LANES_TRANSPOSE_SIMD128_H

TALLY_VISIBILITY_DEFAULT
#include <wasm_simd128.h>
TALLY_VISIBILITY_POP

typedef v128_t transpose_vec;

#define TRANSPOSE_LOAD(p)          wasm_v128_load(p)
#define TRANSPOSE_LOAD_HALF(p)     wasm_v128_load64_zero(p)
#define TRANSPOSE_STORE(p, v)      wasm_v128_store(p, v)
#define TRANSPOSE_STORE_LOW(p, v)  wasm_v128_store64_lane(p, v, 0)
#define TRANSPOSE_STORE_HIGH(p, v) wasm_v128_store64_lane(p, v, 1)
#define TRANSPOSE_LOWS(x, y)                                                                       \
    wasm_i8x16_shuffle(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TRANSPOSE_HIGHS(x, y)                                                                      \
    wasm_i8x16_shuffle(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TRANSPOSE_SPREAD(byte) wasm_u8x16_splat(byte)
#define TRANSPOSE_ADD(x, y)    wasm_i8x16_add(x, y)
#define TRANSPOSE_SUB(x, y)    wasm_i8x16_sub(x, y)

/* ---- core/fast/lanes/transpose_block.h, again ---- */

#ifndef TALLY_FAST_LANES_TRANSPOSE_BLOCK_H
#define TALLY_FAST_LANES_TRANSPOSE_BLOCK_H

TALLY_INLINE void transpose_interleave(const transpose_vec in[8], transpose_vec out[8])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        out[2 * i] = TRANSPOSE_LOWS(in[i], in[i + 4]);
        out[2 * i + 1] = TRANSPOSE_HIGHS(in[i], in[i + 4]);
    }
}

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];

    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOWS(TRANSPOSE_LOAD_HALF(rows[i] + position),
                              TRANSPOSE_LOAD_HALF(rows[i + 8] + position));
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        TRANSPOSE_STORE(lanes + (position + (size_t)i) * stride, TRANSPOSE_SUB(b[i], zeros));
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    const transpose_vec zeros = TRANSPOSE_SPREAD(zero);
    transpose_vec a[8], b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        a[i] = TRANSPOSE_LOAD(lanes + (position + (size_t)i) * stride);
    }
    transpose_interleave(a, b);
    transpose_interleave(b, a);
    transpose_interleave(a, b);
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        b[i] = TRANSPOSE_ADD(b[i], zeros);
        TRANSPOSE_STORE_LOW(rows[2 * i] + position, b[i]);
        TRANSPOSE_STORE_HIGH(rows[2 * i + 1] + position, b[i]);
    }
}

#endif

#endif

#else

static void transpose_block_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t position,
                                     size_t stride, uint8_t zero, uint8_t *lanes)
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            lanes[(position + i) * stride + k] = (uint8_t)(rows[k][position + i] - zero);
        }
    }
}

static void transpose_block_from_lanes(const uint8_t *lanes, size_t stride, size_t position,
                                       uint8_t zero, uint8_t *const rows[TRANSPOSE_ROWS])
{
    for (size_t i = 0; i < TRANSPOSE_POSITIONS; i++) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            rows[k][position + i] = (uint8_t)(lanes[(position + i) * stride + k] + zero);
        }
    }
}

#endif

/* Up to 16 rows; the rest of the list has copies. `zero` is taken off all bytes. */
static void transpose_rows_to_lanes(const uint8_t *const rows[TRANSPOSE_ROWS], size_t length,
                                    size_t stride, uint8_t zero, uint8_t *lanes)
{
    if (length < TRANSPOSE_POSITIONS) {
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            for (size_t p = 0; p < length; p++) {
                lanes[p * stride + k] = (uint8_t)(rows[k][p] - zero);
            }
        }
        return;
    }
    for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
        transpose_block_to_lanes(rows, p, stride, zero, lanes);
    }
    transpose_block_to_lanes(rows, length - TRANSPOSE_POSITIONS, stride, zero, lanes);
}

/* `zero` is added to all bytes. */
static void transpose_rows_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                      size_t length, uint8_t zero,
                                      uint8_t *const rows[TRANSPOSE_ROWS])
{
    if (length < TRANSPOSE_POSITIONS || count < TRANSPOSE_ROWS) {
        for (size_t k = 0; k < count; k++) {
            for (size_t p = 0; p < length; p++) {
                rows[k][p] = (uint8_t)(lanes[p * stride + k] + zero);
            }
        }
        return;
    }
    for (size_t p = 0; p + TRANSPOSE_POSITIONS < length; p += TRANSPOSE_POSITIONS) {
        transpose_block_from_lanes(lanes, stride, p, zero, rows);
    }
    transpose_block_from_lanes(lanes, stride, length - TRANSPOSE_POSITIONS, zero, rows);
}

static void transpose_to_lanes(const uint8_t *const *rows, size_t count, size_t length,
                               size_t stride, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            block[k] = rows[first + k < count ? first + k : count - 1];
        }
        transpose_rows_to_lanes(block, length, stride, 0, lanes + first);
    }
}

static void transpose_from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                                 uint8_t *const *rows)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const size_t left = count - first;
        transpose_rows_from_lanes(lanes + first, stride,
                                  left < TRANSPOSE_ROWS ? left : TRANSPOSE_ROWS, length, 0,
                                  rows + first);
    }
}

static int transpose_words_to_lanes(const uint8_t *words, size_t count, size_t length,
                                    size_t stride, uint8_t zero, uint32_t limit, uint8_t *lanes)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < TRANSPOSE_ROWS; k++) {
            block[k] = words + (first + k < count ? first + k : count - 1) * length;
        }
        transpose_rows_to_lanes(block, length, stride, zero, lanes + first);
    }
    return tally_lanes_below(limit, lanes, stride, count, length);
}

static void transpose_words_from_lanes(const uint8_t *lanes, size_t stride, size_t count,
                                       size_t length, uint8_t zero, uint8_t *words)
{
    for (size_t first = 0; first < count; first += TRANSPOSE_ROWS) {
        const size_t left = count - first, part = left < TRANSPOSE_ROWS ? left : TRANSPOSE_ROWS;
        uint8_t *block[TRANSPOSE_ROWS];
        for (size_t k = 0; k < part; k++) {
            block[k] = words + (first + k) * length;
        }
        transpose_rows_from_lanes(lanes + first, stride, part, length, zero, block);
    }
}

const tally_transpose tally_transpose_portable = {
    transpose_to_lanes, transpose_from_lanes, transpose_words_to_lanes, transpose_words_from_lanes};

/* ---- core/fast/lanes/transpose_avx512.c ---- */
/*
 * Transposes with AVX-512 VBMI, in blocks of 64 rows and 16 positions. Each of 16 vectors has 16
 * bytes of four rows, one in each quarter, and the bytes of all quarters are transposed at once,
 * 16 by 16. The last block of a row overlaps the one before. In rows of fewer than 16 bytes, masks
 * keep accesses within the row. Short rows that lie side by side are loaded and stored four at a
 * time. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define TRANSPOSE_AVX512_TARGET                                                                    \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")))

enum {
    TRANSPOSE_AVX512_ROWS = 64,
    TRANSPOSE_AVX512_POSITIONS = 16,
    TRANSPOSE_AVX512_FEW = 16 /* rows of a block that are left to the code without AVX-512 */
};

/* Rotates the eight bits of a byte's address, the number of its vector and that of its place in the
 * quarter, by one. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_interleave(const __m512i in[16],
                                                                      __m512i out[16])
{
    TALLY_UNROLL(16)
    for (int i = 0; i < 8; i++) {
        out[2 * i] = _mm512_unpacklo_epi8(in[i], in[i + 8]);
        out[2 * i + 1] = _mm512_unpackhi_epi8(in[i], in[i + 8]);
    }
}

/* In each quarter, byte b of vector i to byte i of vector b. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_quarters(__m512i a[16])
{
    __m512i b[16];
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
}

/* Loads vectors i and i + 8 of 16 and interleaves their bytes: first those with even numbers, then
 * those with odd ones. Masked loads from one byte away do that, because only one port of the CPU
 * shuffles bytes. They access no byte outside both vectors. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_load_pair(const uint8_t *low, const uint8_t *high, __m512i out[2])
{
    const __mmask64 odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    out[0] = _mm512_mask_loadu_epi8(_mm512_loadu_si512(low), odd, high - 1);
    out[1] = _mm512_mask_loadu_epi8(_mm512_loadu_si512(high), ~odd, low + 1);
}

/* The rest of transpose_avx512_quarters, for pairs that were loaded like this. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_pairs(__m512i a[16])
{
    __m512i b[16];
    transpose_avx512_interleave(a, b);
    transpose_avx512_interleave(b, a);
    transpose_avx512_interleave(a, b);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        a[i] = b[i / 2 + i % 2 * 8];
    }
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET __m128i transpose_avx512_load(const uint8_t *row,
                                                                   const int whole, __mmask16 part)
{
    return whole ? _mm_loadu_si128((const __m128i *)row) : _mm_maskz_loadu_epi8(part, row);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void transpose_avx512_store(uint8_t *row, const int whole,
                                                                 __mmask16 part, __m128i bytes)
{
    if (whole) {
        _mm_storeu_si128((__m128i *)row, bytes);
    } else {
        _mm_mask_storeu_epi8(row, part, bytes);
    }
}

/* Where the positions of a block are in lanes. Those that there are not repeat the last: stores go
 * from the last to the first, so that it overwrites what was stored for them. Branches instead would
 * take longer. */
typedef struct transpose_avx512_places {
    size_t at[TRANSPOSE_AVX512_POSITIONS];
} transpose_avx512_places;

static transpose_avx512_places transpose_avx512_places_of(size_t length, size_t stride)
{
    transpose_avx512_places places;
    for (size_t p = 0; p < TRANSPOSE_AVX512_POSITIONS; p++) {
        places.at[p] = (p < length ? p : length - 1) * stride;
    }
    return places;
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_load_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                            __m512i a[16])
{
    TALLY_UNROLL(16)
    for (size_t p = 0; p < 8; p++) {
        transpose_avx512_load_pair(lanes + places->at[p], lanes + places->at[p + 8], a + 2 * p);
    }
    transpose_avx512_pairs(a);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_store_lanes(const __m512i a[16], const transpose_avx512_places *places,
                             uint8_t *lanes)
{
    TALLY_UNROLL(16)
    for (size_t p = TRANSPOSE_AVX512_POSITIONS; p-- > 0;) {
        _mm512_storeu_si512(lanes + places->at[p], a[p]);
    }
}

/* Quarter q of vector i is of row 16q + i. `zero` is taken off all bytes; *most receives the
 * greatest ones then. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_to_lanes(const uint8_t *const rows[TRANSPOSE_AVX512_ROWS], const int whole,
                                __mmask16 part, size_t position,
                                const transpose_avx512_places *places, __m512i zero, uint8_t *lanes,
                                __m512i *most)
{
    __m512i a[16];
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        __m512i four =
            _mm512_castsi128_si512(transpose_avx512_load(rows[i] + position, whole, part));
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[16 + i] + position, whole, part),
                                  1);
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[32 + i] + position, whole, part),
                                  2);
        four = _mm512_inserti32x4(four, transpose_avx512_load(rows[48 + i] + position, whole, part),
                                  3);
        a[i] = _mm512_sub_epi8(four, zero);
        *most = _mm512_max_epu8(*most, a[i]);
    }
    transpose_avx512_quarters(a);
    transpose_avx512_store_lanes(a, places, lanes);
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_block_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                  const int whole, __mmask16 part, size_t position, __m512i zero,
                                  uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    __m512i a[16];
    transpose_avx512_load_lanes(lanes, places, a);
    TALLY_UNROLL(16)
    for (int i = 0; i < 16; i++) {
        a[i] = _mm512_add_epi8(a[i], zero);
        transpose_avx512_store(rows[i] + position, whole, part, _mm512_castsi512_si128(a[i]));
        transpose_avx512_store(rows[16 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 1));
        transpose_avx512_store(rows[32 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 2));
        transpose_avx512_store(rows[48 + i] + position, whole, part,
                               _mm512_extracti32x4_epi32(a[i], 3));
    }
}

/* 64 rows, wherever they are. Returns the greatest bytes. */
static TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_rows_to_lanes(
    const uint8_t *const rows[TRANSPOSE_AVX512_ROWS], size_t length,
    const transpose_avx512_places *places, size_t stride, uint8_t zero, uint8_t *lanes)
{
    __m512i most = _mm512_setzero_si512();
    if (length < TRANSPOSE_AVX512_POSITIONS) {
        const __mmask16 part = (__mmask16)((1u << length) - 1);
        const __m128i zeros = _mm_maskz_set1_epi8(part, (char)zero);
        transpose_avx512_block_to_lanes(rows, 0, part, 0, places, _mm512_broadcast_i32x4(zeros),
                                        lanes, &most);
        return most;
    }
    for (size_t p = 0; p < length; p += TRANSPOSE_AVX512_POSITIONS) {
        const size_t last = length - TRANSPOSE_AVX512_POSITIONS, at = p < last ? p : last;
        transpose_avx512_block_to_lanes(rows, 1, 0xffff, at, places, _mm512_set1_epi8((char)zero),
                                        lanes + at * stride, &most);
    }
    return most;
}

/* `zero` is added to all bytes. */
static TRANSPOSE_AVX512_TARGET void
transpose_avx512_rows_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                 size_t stride, size_t length, uint8_t zero,
                                 uint8_t *const rows[TRANSPOSE_AVX512_ROWS])
{
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    if (length < TRANSPOSE_AVX512_POSITIONS) {
        transpose_avx512_block_from_lanes(lanes, places, 0, (__mmask16)((1u << length) - 1), 0,
                                          zeros, rows);
        return;
    }
    for (size_t p = 0; p < length; p += TRANSPOSE_AVX512_POSITIONS) {
        const size_t last = length - TRANSPOSE_AVX512_POSITIONS, at = p < last ? p : last;
        transpose_avx512_block_from_lanes(lanes + at * stride, places, 1, 0xffff, at, zeros, rows);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_to_lanes(const uint8_t *const *rows,
                                                              size_t count, size_t length,
                                                              size_t stride, uint8_t *lanes)
{
    if (count > TRANSPOSE_AVX512_FEW) {
        const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
        while (count > TRANSPOSE_AVX512_FEW) {
            const uint8_t *copies[TRANSPOSE_AVX512_ROWS];
            const uint8_t *const *block = rows;
            const size_t part = count < TRANSPOSE_AVX512_ROWS ? count : TRANSPOSE_AVX512_ROWS;
            if (part < TRANSPOSE_AVX512_ROWS) {
                for (size_t k = 0; k < TRANSPOSE_AVX512_ROWS; k++) {
                    copies[k] = rows[k < part ? k : part - 1];
                }
                block = copies;
            }
            (void)transpose_avx512_rows_to_lanes(block, length, &places, stride, 0, lanes);
            rows += part;
            lanes += part;
            count -= part;
        }
    }
    if (count > 0) {
        tally_transpose_portable.to_lanes(rows, count, length, stride, lanes);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_from_lanes(const uint8_t *lanes, size_t stride,
                                                                size_t count, size_t length,
                                                                uint8_t *const *rows)
{
    if (count >= TRANSPOSE_AVX512_ROWS) {
        const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
        for (; count >= TRANSPOSE_AVX512_ROWS; count -= TRANSPOSE_AVX512_ROWS) {
            transpose_avx512_rows_from_lanes(lanes, &places, stride, length, 0, rows);
            rows += TRANSPOSE_AVX512_ROWS;
            lanes += TRANSPOSE_AVX512_ROWS;
        }
    }
    if (count > 0) {
        tally_transpose_portable.from_lanes(lanes, stride, count, length, rows);
    }
}

/* Where 64 words side by side are. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_list(const uint8_t *words, size_t length,
                      const uint8_t *rows[TRANSPOSE_AVX512_ROWS])
{
    const long long size = (long long)length;
    const __m512i eight = _mm512_set1_epi64(8 * size);
    __m512i at = _mm512_add_epi64(
        _mm512_set1_epi64((long long)(uintptr_t)words),
        _mm512_set_epi64(7 * size, 6 * size, 5 * size, 4 * size, 3 * size, 2 * size, size, 0));
    TALLY_UNROLL(16)
    for (size_t k = 0; k < TRANSPOSE_AVX512_ROWS; k += 8) {
        _mm512_storeu_si512(rows + k, at);
        at = _mm512_add_epi64(at, eight);
    }
}

/* Between four words side by side and a quarter for each. */
typedef struct transpose_avx512_maps {
    __mmask64 all; /* bytes of four words */
    __m512i to, from;
} transpose_avx512_maps;

TALLY_INLINE TRANSPOSE_AVX512_TARGET transpose_avx512_maps transpose_avx512_maps_of(size_t length)
{
    const __m512i fours = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i count = _mm512_add_epi8(_mm512_mullo_epi32(fours, _mm512_set1_epi32(0x04040404)),
                                          _mm512_set1_epi32(0x03020100));
    const __m512i gap = _mm512_set1_epi8((char)(TRANSPOSE_AVX512_POSITIONS - length));
    transpose_avx512_maps maps = {UINT64_MAX >> (64 - 4 * length), count, count};
    for (size_t q = 1; q < 4; q++) { /* symbol p of word q: from q length + p to 16 q + p */
        const __m512i wide = _mm512_set1_epi8((char)(q * TRANSPOSE_AVX512_POSITIONS));
        const __m512i dense = _mm512_set1_epi8((char)(q * length));
        maps.to = _mm512_mask_sub_epi8(maps.to, _mm512_cmpge_epu8_mask(count, wide), maps.to, gap);
        maps.from =
            _mm512_mask_add_epi8(maps.from, _mm512_cmpge_epu8_mask(count, dense), maps.from, gap);
    }
    return maps;
}

/* 64 words of up to 16 symbols. Quarter q of vector i is of word 4i + q, and so is lane 16q + i. */
TALLY_INLINE TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_short_to_lanes(
    const uint8_t *words, const size_t length, const transpose_avx512_maps *maps,
    const transpose_avx512_places *places, __m512i zero, uint8_t *lanes, __m512i most)
{
    __m512i a[16];
    if (length == TRANSPOSE_AVX512_POSITIONS) {
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 8; i++) {
            transpose_avx512_load_pair(words + 64 * i, words + 64 * (i + 8), a + 2 * i);
        }
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 16; i++) {
            a[i] = _mm512_sub_epi8(a[i], zero);
            most = _mm512_max_epu8(most, a[i]);
        }
        transpose_avx512_pairs(a);
    } else {
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 16; i++) {
            const __m512i four = _mm512_maskz_sub_epi8(
                maps->all, _mm512_maskz_loadu_epi8(maps->all, words + 4 * length * i), zero);
            most = _mm512_max_epu8(most, four);
            a[i] = _mm512_permutexvar_epi8(maps->to, four);
        }
        transpose_avx512_quarters(a);
    }
    transpose_avx512_store_lanes(a, places, lanes);
    return most;
}

TALLY_INLINE TRANSPOSE_AVX512_TARGET void
transpose_avx512_short_from_lanes(const uint8_t *lanes, const transpose_avx512_places *places,
                                  const size_t length, const transpose_avx512_maps *maps,
                                  __m512i zero, uint8_t *words)
{
    __m512i a[16];
    transpose_avx512_load_lanes(lanes, places, a);
    TALLY_UNROLL(16)
    for (size_t i = 0; i < 16; i++) {
        a[i] = _mm512_add_epi8(a[i], zero);
        if (length == TRANSPOSE_AVX512_POSITIONS) {
            _mm512_storeu_si512(words + 64 * i, a[i]);
        } else {
            _mm512_mask_storeu_epi8(words + 4 * length * i, maps->all,
                                    _mm512_permutexvar_epi8(maps->from, a[i]));
        }
    }
}

/* Blocks of words, of which the last one is not full if there are more than few words. */
static TRANSPOSE_AVX512_TARGET __m512i transpose_avx512_blocks_to_lanes(const uint8_t *words,
                                                                        size_t count, size_t length,
                                                                        size_t stride, uint8_t zero,
                                                                        uint8_t *lanes)
{
    enum { ROWS = TRANSPOSE_AVX512_ROWS, POSITIONS = TRANSPOSE_AVX512_POSITIONS };
    const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    __m512i most = _mm512_setzero_si512();
    size_t first = 0;
    if (length == POSITIONS) {
        for (; count - first >= ROWS; first += ROWS) {
            most = transpose_avx512_short_to_lanes(words + first * POSITIONS, POSITIONS, NULL,
                                                   &places, zeros, lanes + first, most);
        }
    } else if (length < POSITIONS) {
        const transpose_avx512_maps maps = transpose_avx512_maps_of(length);
        for (; count - first >= ROWS; first += ROWS) {
            most = transpose_avx512_short_to_lanes(words + first * length, length, &maps, &places,
                                                   zeros, lanes + first, most);
        }
    }
    for (; first < count; first += ROWS) {
        const uint8_t *rows[ROWS];
        transpose_avx512_list(words + first * length, length, rows);
        for (size_t k = count - first; k < ROWS; k++) {
            rows[k] = words + (count - 1) * length;
        }
        const __m512i own =
            transpose_avx512_rows_to_lanes(rows, length, &places, stride, zero, lanes + first);
        most = _mm512_max_epu8(most, own);
    }
    return most;
}

static TRANSPOSE_AVX512_TARGET int transpose_avx512_words_to_lanes(const uint8_t *words,
                                                                   size_t count, size_t length,
                                                                   size_t stride, uint8_t zero,
                                                                   uint32_t limit, uint8_t *lanes)
{
    const size_t rest = count % TRANSPOSE_AVX512_ROWS,
                 few = rest <= TRANSPOSE_AVX512_FEW ? rest : 0, whole = count - few;
    int below = 1;
    if (whole > 0) {
        const __m512i most =
            transpose_avx512_blocks_to_lanes(words, whole, length, stride, zero, lanes);
        below = limit > 255 || _mm512_cmpge_epu8_mask(most, _mm512_set1_epi8((char)limit)) == 0;
    }
    if (few > 0) {
        below &= tally_transpose_portable.words_to_lanes(words + whole * length, few, length,
                                                         stride, zero, limit, lanes + whole);
    }
    return below;
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_blocks_from_lanes(const uint8_t *lanes,
                                                                       size_t stride, size_t count,
                                                                       size_t length, uint8_t zero,
                                                                       uint8_t *words)
{
    enum { ROWS = TRANSPOSE_AVX512_ROWS, POSITIONS = TRANSPOSE_AVX512_POSITIONS };
    const transpose_avx512_places places = transpose_avx512_places_of(length, stride);
    const __m512i zeros = _mm512_set1_epi8((char)zero);
    size_t first = 0;
    if (length == POSITIONS) {
        for (; first < count; first += ROWS) {
            transpose_avx512_short_from_lanes(lanes + first, &places, POSITIONS, NULL, zeros,
                                              words + first * POSITIONS);
        }
    } else if (length < POSITIONS) {
        const transpose_avx512_maps maps = transpose_avx512_maps_of(length);
        for (; first < count; first += ROWS) {
            transpose_avx512_short_from_lanes(lanes + first, &places, length, &maps, zeros,
                                              words + first * length);
        }
    }
    for (; first < count; first += ROWS) {
        const uint8_t *rows[ROWS];
        transpose_avx512_list(words + first * length, length, rows);
        transpose_avx512_rows_from_lanes(lanes + first, &places, stride, length, zero,
                                         (uint8_t *const *)rows);
    }
}

static TRANSPOSE_AVX512_TARGET void transpose_avx512_words_from_lanes(const uint8_t *lanes,
                                                                      size_t stride, size_t count,
                                                                      size_t length, uint8_t zero,
                                                                      uint8_t *words)
{
    const size_t rest = count % TRANSPOSE_AVX512_ROWS, whole = count - rest;
    if (whole > 0) {
        transpose_avx512_blocks_from_lanes(lanes, stride, whole, length, zero, words);
    }
    if (rest > 0) {
        tally_transpose_portable.words_from_lanes(lanes + whole, stride, rest, length, zero,
                                                  words + whole * length);
    }
}

const tally_transpose tally_transpose_avx512 = {
    transpose_avx512_to_lanes, transpose_avx512_from_lanes, transpose_avx512_words_to_lanes,
    transpose_avx512_words_from_lanes};

#else
typedef int tally_transpose_avx512_is_for_x86_64; /* a file may not be empty */
#endif

TALLY_VISIBILITY_POP
