//go:build cgo

#define TALLY_AES_MINIMAL
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: fast/schedule, fast/words. Made by
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
/* ---- core/fast/schedule/derive.c ---- */
/*
 * Key derivation of FAST: derive(key, input) of docs/reference/fast.md. */

/* ---- core/fast/schedule/derive.h ---- */
/*
 * Key derivation of FAST: derive(key, input) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_DERIVE_H
#define TALLY_FAST_SCHEDULE_DERIVE_H

/* ---- core/aes/cmac.h ---- */
/*
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The chains of the previous pair of messages after each block. A pair with the same first blocks
 * continues from there. For one key; set `blocks` to 0 at first, and wipe it at the end. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                                       /* cached: all but the last one */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE];            /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. `cache` may be NULL. With a
 * cache, the messages have at most TALLY_CMAC_PREFIX_CACHE bytes and differ in their first block
 * alone, and all pairs of the cache have the same difference. The time depends on the number of
 * cached blocks, which are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as in tally_cmac_many, of 16 + size bytes: heads[i],
 * then messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

/* Continues the chains of `count` messages by `blocks` blocks of each; a chain is zero at first. */
void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16]);

/* Ends them: the last `size` bytes of each message, at least one. The chains become tags. */
void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16]);

#endif

/* ---- core/fast/schedule/encoding.h ---- */
/*
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_ENCODING_H
#define TALLY_FAST_SCHEDULE_ENCODING_H

/* An injective encoding: the number of parts, then the length and the bytes of each part. Before it
 * are four zero bytes for the counter of tally_fast_derive, so that one buffer has the whole
 * message. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

/* Encodes the input for the pool of a radix. */
void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out);

/* Encodes the input for a sequence, without the bytes of the tweak, which follow. */
void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out);

#endif

/* derive(K, X): X is the encoding and then the bytes of its last part (NULL if there are none).
 * `prefix_cache` is that of earlier calls, or NULL. */
void tally_fast_derive(const tally_cmac_key *cmac, const tally_fast_encoding *head,
                       const uint8_t *last, size_t last_size, tally_cmac_prefix_cache *prefix_cache,
                       uint8_t out[32]);

#endif

void tally_fast_derive(const tally_cmac_key *cmac, const tally_fast_encoding *head,
                       const uint8_t *last, size_t last_size, tally_cmac_prefix_cache *prefix_cache,
                       uint8_t out[32])
{
    uint8_t messages[2][TALLY_CMAC_PREFIX_CACHE];
    size_t size = head->size;
    memcpy(messages[0], head->bytes, size);
    if (last_size <= sizeof messages[0] - size) {
        if (last_size != 0) {
            memcpy(messages[0] + size, last, last_size);
            size += last_size;
        }
        memcpy(messages[1], messages[0], size);
        messages[1][3] = 1;
        tally_cmac_pair(cmac, messages[0], messages[1], size, prefix_cache, out, out + 16);
        return;
    }
    for (uint8_t half = 0; half < 2; half++) {
        tally_cmac_state state;
        messages[0][3] = half;
        tally_cmac_init(&state, cmac);
        tally_cmac_update(&state, messages[0], size);
        tally_cmac_update(&state, last, last_size);
        tally_cmac_final(&state, out + 16 * half);
    }
}

/* ---- core/fast/schedule/encoding.c ---- */
/*
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

/* Up to eight bytes as a number that differs for different bytes of one size. memcpy of a size that
 * is not constant is a call, which takes longer. */
static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last; /* which overlap */
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
}

#endif

#define ENCODING_TEXT(text) text, sizeof(text) - 1

static void encoding_init(uint32_t parts, tally_fast_encoding *out)
{
    tally_store_be32(0, out->bytes);
    tally_store_be32(parts, out->bytes + 4);
    out->size = 8;
}

static void encoding_add_size(size_t size, tally_fast_encoding *out)
{
    tally_store_be32((uint32_t)size, out->bytes + out->size);
    out->size += 4;
}

static void encoding_add_text(const char *text, size_t size, tally_fast_encoding *out)
{
    encoding_add_size(size, out);
    memcpy(out->bytes + out->size, text, size);
    out->size += (uint32_t)size;
}

static void encoding_add_number(uint32_t number, tally_fast_encoding *out)
{
    encoding_add_size(4, out);
    tally_store_be32(number, out->bytes + out->size);
    out->size += 4;
}

void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out)
{
    encoding_init(4, out);
    encoding_add_text(ENCODING_TEXT("instance1"), out);
    encoding_add_number(radix, out);
    encoding_add_number(TALLY_FAST_POOL_SIZE, out);
    encoding_add_text(ENCODING_TEXT("FPE Pool"), out);
}

void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out)
{
    encoding_init(11, out);
    encoding_add_text(ENCODING_TEXT("instance1"), out);
    encoding_add_number(params->radix, out);
    encoding_add_number(TALLY_FAST_POOL_SIZE, out);
    encoding_add_text(ENCODING_TEXT("instance2"), out);
    encoding_add_number(params->length, out);
    encoding_add_number(params->layers, out);
    encoding_add_number(params->w, out);
    encoding_add_number(params->w_prime, out);
    encoding_add_text(ENCODING_TEXT("FPE SEQ"), out);
    encoding_add_text(ENCODING_TEXT("tweak"), out);
    encoding_add_size(tweak_size, out);
}

/* ---- core/fast/schedule/legacy.c ---- */
/*
 * The parts of the profile "bytes-legacy" that differ: the pool of the first go-fast, and values of
 * one and two bytes. These are weak by design, and exist to read old data. */

/* ---- core/fast/schedule/legacy.h ---- */
/*
 * The parts of the profile "bytes-legacy" that differ. */
#ifndef TALLY_FAST_SCHEDULE_LEGACY_H
#define TALLY_FAST_SCHEDULE_LEGACY_H

/* ---- core/fast/schedule/pool.h ---- */
/*
 * A pool: 256 S-boxes and their inverses, in tables for the one-word code and in tables for lanes.
 *
 * A layer looks S up at sums and differences of symbols. Up to radix TALLY_FAST_MAX_EXPANDED the
 * table of an S-box holds S at each of them. Then dependent look-ups need no reduction modulo a
 * between them, and the pool still fits the first-level cache. */
#ifndef TALLY_FAST_SCHEDULE_POOL_H
#define TALLY_FAST_SCHEDULE_POOL_H

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

struct tally_fast_pool {
    tally_cmac_key cmac; /* of the master key */
    tally_fast_profile profile;
    uint32_t radix;
    uint32_t stride;               /* bytes from one S-box's one-word table to the next */
    const uint8_t *tables[2];      /* by direction: entry 0 of S-box 0, and of its inverse. If they
                                    * are expanded, a-1 entries come before that of an S-box, and
                                    * its inverse has 2a-1 entries */
    const tally_fast_lanes *lanes; /* the back end of lanes */
    size_t lane_stride;            /* the same for the back end's tables, */
    const uint8_t *lane_tables[2]; /* which may be the one-word tables */
    /* If one of these is not NULL, words of the pool's radix go through it instead, and there are no
     * tables (words/ff1_words.h). Tweaks of FF3-1 have TALLY_FF3_1_TWEAK bytes in whole. */
    const tally_ff1 *ff1;
    const tally_ff3_1 *ff3_1;
};

/* Whether words go through FAST. */
static inline int tally_fast_pool_is_fast(const tally_fast_pool *pool)
{
    return pool->ff1 == NULL && pool->ff3_1 == NULL;
}

/* Whether whole tweaks may have so many bytes. */
static inline int tally_fast_pool_takes_tweak(const tally_fast_pool *pool, size_t size)
{
    return pool->ff3_1 == NULL || size == TALLY_FF3_1_TWEAK;
}

#endif

/* ---- core/fast/schedule/shuffle.h ---- */
/*
 * S-boxes as shuffles of the identity, several side by side. */
#ifndef TALLY_FAST_SCHEDULE_SHUFFLE_H
#define TALLY_FAST_SCHEDULE_SHUFFLE_H

enum {
    TALLY_FAST_SHUFFLE_MAX_BATCH = 64,   /* S-boxes of a batch, at most */
    TALLY_FAST_SHUFFLE_MAX_BYTES = 5120, /* bytes of the S-boxes of a batch, at most */
    TALLY_FAST_SHUFFLE_WORDS = 2048      /* words that are read at once, at most */
};

/* S-boxes that are shuffled side by side. An S-box has a target for each entry i = a-1 down to 1:
 * the entry to swap with entry i. The targets of a batch lie without gaps. */
typedef struct tally_fast_shuffle_batch {
    uint32_t bounds[256 + 32]; /* of the draws of an S-box: a, a-1 and so on to 2, repeated */
    uint8_t targets[TALLY_FAST_SHUFFLE_MAX_BYTES];
    uint8_t sboxes[TALLY_FAST_SHUFFLE_MAX_BYTES];
    uint8_t inverses[TALLY_FAST_SHUFFLE_MAX_BYTES];
} tally_fast_shuffle_batch;

/* A back end is a file named after its instruction set; shuffle.c has the table of them. */
typedef struct tally_fast_shuffle {
    tally_backend backend;
    /* The S-boxes of a batch: at most TALLY_FAST_SHUFFLE_MAX_BATCH, a divisor of the pool's. If
     * each takes whole 16 bytes, they fit into TALLY_FAST_SHUFFLE_MAX_BYTES. */
    size_t (*batch_size)(uint32_t radix);
    /* Makes a target of each of `count` words: those of whole S-boxes, and at least 16. Returns 0
     * if the method may reject a word (one in 2^24): then the targets are invalid. */
    int (*targets)(uint32_t radix, const uint32_t *bounds, const uint8_t *words, size_t count,
                   uint8_t *targets);
    /* Makes the S-boxes of a batch and their inverses. An S-box begins `stride` bytes after the one
     * before; stride is the radix rounded up to a multiple of 16. */
    void (*swap)(uint32_t radix, const uint8_t *targets, size_t stride, uint8_t *sboxes,
                 uint8_t *inverses);
} tally_fast_shuffle;

extern const tally_fast_shuffle tally_fast_shuffle_portable, tally_fast_shuffle_avx2,
    tally_fast_shuffle_avx512;

/* The fastest back end for the CPU features in use. */
const tally_fast_shuffle *tally_fast_shuffle_choose(void);

/* Reads `size` bytes, a multiple of 16, from block `first` on; a block has 16 bytes. */
typedef void tally_fast_shuffle_read(const void *source, uint64_t first, size_t size, uint8_t *out);

/* A buffered reader of words: 32 bits, big-endian. */
typedef struct tally_fast_shuffle_words {
    tally_fast_shuffle_read *read;
    const void *source;
    uint64_t block;   /* of the source, to be read next */
    size_t next, end; /* the unused part of `bytes` */
    uint8_t bytes[4 * TALLY_FAST_SHUFFLE_WORDS + 16];
} tally_fast_shuffle_words;

/* Begins with block 0 of the source. The caller wipes the reader. */
void tally_fast_shuffle_words_init(tally_fast_shuffle_read *read, const void *source,
                                   tally_fast_shuffle_words *out);

/* Prepares a batch for S-boxes of a radix. The caller wipes it. */
void tally_fast_shuffle_batch_init(uint32_t radix, tally_fast_shuffle_batch *out);

/* Draws the targets of `count` S-boxes. The reader reads no more words than these and `more`
 * further S-boxes need, if none is rejected. */
void tally_fast_shuffle_draw(const tally_fast_shuffle *shuffle, uint32_t radix, size_t count,
                             size_t more, tally_fast_shuffle_words *words,
                             tally_fast_shuffle_batch *batch);

#endif

/* ---- core/fast/schedule/stream.h ---- */
/*
 * The AES-128 counter streams that pools and sequences are drawn from. */
#ifndef TALLY_FAST_SCHEDULE_STREAM_H
#define TALLY_FAST_SCHEDULE_STREAM_H

typedef struct tally_fast_stream {
    tally_aes_key aes;
    uint8_t iv[16];
} tally_fast_stream;

/* `derived` is an AES-128 key and then an IV. */
void tally_fast_stream_init(const uint8_t derived[32], tally_fast_stream *out);

/* Reads `size` bytes of the stream, from block `first` on. Block i is the encryption of iv + i. */
void tally_fast_stream_read(const tally_fast_stream *stream, uint64_t first, size_t size,
                            uint8_t *out);

#endif

/* Derives the stream of the pool of the first go-fast, in which each S-box has a fixed position. */
void tally_fast_legacy_stream_init(const tally_cmac_key *cmac, tally_fast_stream *out);

/* Draws the targets of a batch of S-boxes, from `first` on. */
void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_shuffle_batch *out);

/* Runs the layers of a one-byte value: each is one look-up. */
void tally_fast_legacy_byte(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *indices, size_t count, uint8_t *word);

/* Encrypts or decrypts a two-byte value: eight rounds without a sequence. */
void tally_fast_legacy_pair(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *tweak, size_t tweak_size, uint8_t word[2]);

#endif

void tally_fast_legacy_stream_init(const tally_cmac_key *cmac, tally_fast_stream *out)
{
    static const uint8_t input[14] = "FPE-Pool\1\0\1\0\1";
    uint8_t derived[32];
    tally_cmac(cmac, input, 12, derived);
    tally_cmac(cmac, input, 13, derived + 16);
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_shuffle_batch *out)
{
    uint8_t words[4 * 255];
    for (uint32_t k = 0; k < shuffle->batch_size(256); k++) {
        /* The last four bytes of the IV are u32(k << 16). */
        stream->iv[12] = (uint8_t)((first + k) >> 8);
        stream->iv[13] = (uint8_t)(first + k);
        stream->iv[14] = 0;
        stream->iv[15] = 0;
        tally_fast_stream_read(stream, 0, sizeof words, words);
        /* No word is rejected. */
        shuffle->targets(256, out->bounds, words, 255, out->targets + k * (size_t)255);
    }
    tally_wipe(words, sizeof words);
}

static uint8_t legacy_look_up(const tally_fast_pool *pool, tally_direction direction, uint32_t sbox,
                              uint8_t x)
{
    return pool->tables[direction][(size_t)(sbox % 256) * pool->stride + x];
}

void tally_fast_legacy_byte(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *indices, size_t count, uint8_t *word)
{
    uint8_t x = *word;
    for (size_t i = 0; i < count; i++) {
        size_t layer = direction == TALLY_DECRYPT ? count - 1 - i : i;
        x = legacy_look_up(pool, direction, indices[layer], x);
    }
    *word = x;
}

void tally_fast_legacy_pair(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *tweak, size_t tweak_size, uint8_t word[2])
{
    uint8_t tag[16] = {0};
    if (tweak_size != 0) {
        tally_cmac(&pool->cmac, tweak, tweak_size, tag);
    }
    uint8_t a = word[0], b = word[1];
    for (uint32_t round = 0; round < 8; round++) {
        if (direction == TALLY_DECRYPT) {
            uint32_t sbox = tag[0] + 37 * (7 - round);
            uint8_t sum = b;
            b = legacy_look_up(pool, direction, sbox, a);
            a = legacy_look_up(pool, direction, sbox, (uint8_t)(sum - a));
        } else {
            uint32_t sbox = tag[0] + 37 * round;
            uint8_t first = legacy_look_up(pool, direction, sbox, a);
            a = legacy_look_up(pool, direction, sbox, b);
            b = (uint8_t)(first + a);
        }
    }
    word[0] = a;
    word[1] = b;
    tally_wipe(tag, sizeof tag);
}

/* ---- core/fast/schedule/many_sequences.c ---- */
/*
 * Sequences of many tweaks: the CMACs of all keys and IVs side by side, then the streams. Messages
 * begin alike, so the chains of the first blocks are computed once. */

/* ---- core/fast/schedule/many_sequences.h ---- */
/*
 * Sequences of many tweaks side by side, under one set of parameters. */
#ifndef TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H
#define TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H

enum { TALLY_MANY_SEQUENCES = 64 };

/* A back end expands AES-128 keys and encrypts counters under all of them together. */
typedef struct tally_many_sequences_backend {
    tally_backend backend;
    /* Reads the streams of keys and IVs as tally_fast_stream_init takes them: the index of layer i
     * of sequence k becomes out[i * 64 + k], for whole fours of layers. `out` is aligned to 64. */
    void (*read)(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers, uint8_t *out);
} tally_many_sequences_backend;

extern const tally_many_sequences_backend tally_many_sequences_avx512;

/* The back end for the CPU features in use; NULL: there is none, and sequences are derived one by
 * one. */
const tally_many_sequences_backend *tally_many_sequences_choose(void);

/* A row's own part of a tweak. */
typedef struct tally_tweak_tail {
    const uint8_t *bytes; /* NULL if there are none */
    size_t size;
} tally_tweak_tail;

/* The common part of a call's tweaks. */
typedef struct tally_many_sequences {
    const tally_cmac_key *cmac;
    const tally_many_sequences_backend *backend;
    const tally_fast_params *params;
    const uint8_t *common; /* the first part of every tweak */
    size_t common_size;
    /* The chains after the first blocks of messages with a tail of this size: those of both halves
     * of a derived key. */
    size_t tail_size, blocks; /* no blocks: there are none yet */
    uint8_t chains[2][16];
} tally_many_sequences;

/* Prepares. The parameters and the common part must last; pools of the legacy profile and tweaks of
 * more than 2^31 bytes are not allowed. The caller wipes `out`. */
void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size,
                               tally_many_sequences *out);

/* Derives the sequences of 1..TALLY_MANY_SEQUENCES tweaks, to out[i * 64 + k] for layer i, for whole
 * fours of layers. The columns beyond `count` receive copies of the first. */
void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out);

#endif

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

enum { MANY_REST = 80 /* bytes after the first blocks; a message with more is done by itself */ };

const tally_many_sequences_backend *tally_many_sequences_choose(void)
{
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_many_sequences_avx512.backend) == 0) {
        return &tally_many_sequences_avx512;
    }
#endif
    return NULL;
}

void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size, tally_many_sequences *out)
{
    memset(out, 0, sizeof *out);
    out->cmac = &pool->cmac;
    out->backend = backend;
    out->params = params;
    out->common = common;
    out->common_size = common_size;
}

/* The bytes of a message before the tail: block by block, as far as they fit. */
typedef struct many_message {
    tally_fast_encoding head;
    size_t size, blocks; /* of all; blocks before the last one that are without tail */
} many_message;

static many_message many_message_of(const tally_many_sequences *job, size_t tail_size)
{
    many_message m;
    tally_fast_encode_sequence(job->params, job->common_size + tail_size, &m.head);
    const size_t shared = m.head.size + job->common_size;
    m.size = shared + tail_size;
    m.blocks = (tail_size != 0 ? shared : shared - 1) / 16;
    return m;
}

/* Copies bytes of the text before the tail. */
static void many_copy_shared(const tally_many_sequences *job, const many_message *m, size_t at,
                             size_t size, uint8_t *out)
{
    const size_t head = m->head.size;
    if (at < head) {
        const size_t part = head - at < size ? head - at : size;
        memcpy(out, m->head.bytes + at, part);
        out += part;
        at += part;
        size -= part;
    }
    if (size != 0) {
        memcpy(out, job->common + (at - head), size);
    }
}

/* Computes the chains of the first blocks of messages with a tail of this size. */
static void many_start(tally_many_sequences *job, const many_message *m, size_t tail_size)
{
    memset(job->chains, 0, sizeof job->chains);
    for (size_t i = 0; i < m->blocks; i++) {
        uint8_t block[2][16];
        many_copy_shared(job, m, 16 * i, 16, block[0]);
        memcpy(block[1], block[0], 16);
        if (i == 0) {
            block[1][3] = 1;
        }
        const uint8_t *const blocks[2] = {block[0], block[1]};
        tally_cmac_chain(job->cmac, 2, blocks, 1, job->chains);
    }
    job->tail_size = tail_size;
    job->blocks = m->blocks;
}

/* Derives the keys and IVs of all tails of one size, from number `first` on. */
static void many_derive_size(tally_many_sequences *job, const tally_tweak_tail *tails, size_t first,
                             size_t count, uint8_t derived[][32])
{
    const size_t size = tails[first].size;
    const many_message m = many_message_of(job, size);
    const size_t before = m.size - size - 16 * m.blocks, rest = before + size;
    uint8_t bytes[TALLY_MANY_SEQUENCES][MANY_REST], start[16];
    uint8_t tags[2 * TALLY_MANY_SEQUENCES][16];
    const uint8_t *messages[2 * TALLY_MANY_SEQUENCES];
    uint8_t of[TALLY_MANY_SEQUENCES];
    size_t found = 0;
    if (job->blocks == 0 || job->tail_size != size) {
        many_start(job, &m, size);
    }
    many_copy_shared(job, &m, 16 * m.blocks, before, start);
    for (size_t i = first; i < count; i++) {
        if (tails[i].size == size) {
            memcpy(bytes[found], start, before);
            if (size != 0) {
                memcpy(bytes[found] + before, tails[i].bytes, size);
            }
            messages[2 * found] = messages[2 * found + 1] = bytes[found];
            memcpy(tags[2 * found], job->chains, 32);
            of[found++] = (uint8_t)i;
        }
    }
    tally_cmac_continue(job->cmac, messages, rest, 2 * found, tags);
    for (size_t i = 0; i < found; i++) {
        memcpy(derived[of[i]], tags[2 * i], 32);
    }
    tally_wipe(tags, 32 * found);
}

/* The same for one tail of any size. */
static void many_derive_long(const tally_many_sequences *job, const tally_tweak_tail *tail,
                             uint8_t derived[32])
{
    const many_message m = many_message_of(job, tail->size);
    tally_cmac_state state;
    for (uint8_t half = 0; half < 2; half++) {
        tally_fast_encoding head = m.head;
        head.bytes[3] = half;
        tally_cmac_init(&state, job->cmac);
        tally_cmac_update(&state, head.bytes, head.size);
        tally_cmac_update(&state, job->common, job->common_size);
        tally_cmac_update(&state, tail->bytes, tail->size);
        tally_cmac_final(&state, derived + 16 * half);
    }
}

void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out)
{
    uint8_t derived[TALLY_MANY_SEQUENCES][32];
    uint64_t done = 0;
    for (size_t first = 0; first < count; first++) {
        if ((done >> first & 1) != 0) {
            continue;
        }
        if (tails[first].size > MANY_REST - 16) {
            many_derive_long(job, &tails[first], derived[first]);
            continue;
        }
        many_derive_size(job, tails, first, count, derived);
        for (size_t i = first; i < count; i++) {
            done |= (uint64_t)(tails[i].size == tails[first].size) << i;
        }
    }
    for (size_t i = count; i < TALLY_MANY_SEQUENCES; i++) {
        memcpy(derived[i], derived[0], sizeof derived[0]);
    }
    for (size_t i = 0; i < TALLY_MANY_SEQUENCES; i++) {
        derived[i][30] = derived[i][31] = 0;
    }
    job->backend->read(derived, job->params->layers, out);
    tally_wipe(derived, sizeof derived);
}

/* ---- core/fast/schedule/many_sequences_avx512.c ---- */
/*
 * Sequences of many tweaks with VAES and AVX-512. A vector has a block of each of four sequences,
 * and round keys are vectors too: each sequence has its own. */

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

#define MANY_TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl")))
#define MANY_INLINE TALLY_INLINE MANY_TARGET

enum {
    MANY_VECTORS = TALLY_MANY_SEQUENCES / 4, /* vector v has sequences v, 16 + v, 32 + v, 48 + v */
    MANY_ROUNDS = 10
};

/* The keys of all rounds, of all vectors; those of round 0 are xored with the IVs. */
typedef struct many_keys {
    __m512i round[MANY_VECTORS][MANY_ROUNDS + 1];
} many_keys;

MANY_INLINE __m512i many_gather(uint8_t (*derived)[32], size_t v, size_t at)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(derived[v] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[16 + v] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[32 + v] + at)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[48 + v] + at)), 3);
}

/* The last round of AES on four equal columns is SubBytes and the addition of a key: the rows of
 * such a state do not change when they are shifted. */
MANY_INLINE __m512i many_next_key(__m512i key, uint8_t constant)
{
    const __m512i rotated = _mm512_set1_epi32(0x0c0f0e0d);
    const __m512i more =
        _mm512_aesenclast_epi128(_mm512_shuffle_epi8(key, rotated), _mm512_set1_epi32(constant));
    key = _mm512_xor_si512(key, _mm512_bslli_epi128(key, 4));
    key = _mm512_xor_si512(key, _mm512_bslli_epi128(key, 8));
    return _mm512_xor_si512(key, more);
}

static MANY_TARGET void many_expand(uint8_t (*derived)[32], many_keys *out)
{
    static const uint8_t constants[MANY_ROUNDS] = {1, 2, 4, 8, 16, 32, 64, 128, 27, 54};
    for (size_t first = 0; first < MANY_VECTORS; first += 8) {
        __m512i key[8];
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 8; i++) {
            key[i] = many_gather(derived, first + i, 0);
            out->round[first + i][0] =
                _mm512_xor_si512(key[i], many_gather(derived, first + i, 16));
        }
        for (size_t round = 1; round <= MANY_ROUNDS; round++) {
            TALLY_UNROLL(16)
            for (size_t i = 0; i < 8; i++) {
                key[i] = many_next_key(key[i], constants[round - 1]);
                out->round[first + i][round] = key[i];
            }
        }
    }
}

/* The first bytes of four words of each of 16 sequences: byte j of a dword is that of vector
 * first + j. */
MANY_INLINE __m512i many_encrypt_four(const many_keys *keys, size_t first, __m512i counter)
{
    __m512i b[4];
    TALLY_UNROLL(16)
    for (size_t j = 0; j < 4; j++) {
        b[j] = _mm512_xor_si512(counter, keys->round[first + j][0]);
    }
    TALLY_UNROLL(16)
    for (size_t round = 1; round < MANY_ROUNDS; round++) {
        TALLY_UNROLL(16)
        for (size_t j = 0; j < 4; j++) {
            b[j] = _mm512_aesenc_epi128(b[j], keys->round[first + j][round]);
        }
    }
    TALLY_UNROLL(16)
    for (size_t j = 0; j < 4; j++) {
        b[j] = _mm512_aesenclast_epi128(b[j], keys->round[first + j][MANY_ROUNDS]);
    }
    /* Where the mask has a bit, the first operand's is taken. */
    const __m512i low = _mm512_set1_epi16(0xff), half = _mm512_set1_epi32(0xffff);
    const __m512i one = _mm512_ternarylogic_epi32(low, b[0], _mm512_bslli_epi128(b[1], 1), 0xca);
    const __m512i two = _mm512_ternarylogic_epi32(low, b[2], _mm512_bslli_epi128(b[3], 1), 0xca);
    return _mm512_ternarylogic_epi32(half, one, _mm512_bslli_epi128(two, 2), 0xca);
}

static MANY_TARGET void many_read(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers,
                                  uint8_t *out)
{
    many_keys keys;
    many_expand(derived, &keys);
    for (uint32_t i = 1; 4 * (i - 1) < layers; i++, out += 4 * TALLY_MANY_SEQUENCES) {
        /* The last two bytes of a counter, from the IV's zeros on. */
        const uint32_t number = (i & 255) << 24 | (i >> 8 & 255) << 16;
        const __m512i counter = _mm512_broadcast_i32x4(_mm_set_epi32((int)number, 0, 0, 0));
        __m512i x[4];
        TALLY_UNROLL(16)
        for (size_t j = 0; j < 4; j++) {
            x[j] = many_encrypt_four(&keys, 4 * j, counter);
        }
        /* Dword d of a block is layer d: four of a sequence's vectors lie side by side. */
        const __m512i a = _mm512_unpacklo_epi32(x[0], x[1]), b = _mm512_unpacklo_epi32(x[2], x[3]),
                      c = _mm512_unpackhi_epi32(x[0], x[1]), d = _mm512_unpackhi_epi32(x[2], x[3]);
        _mm512_store_si512(out, _mm512_unpacklo_epi64(a, b));
        _mm512_store_si512(out + 64, _mm512_unpackhi_epi64(a, b));
        _mm512_store_si512(out + 128, _mm512_unpacklo_epi64(c, d));
        _mm512_store_si512(out + 192, _mm512_unpackhi_epi64(c, d));
    }
    tally_wipe(&keys, sizeof keys);
}

const tally_many_sequences_backend tally_many_sequences_avx512 = {
    .backend = {"avx512", TALLY_CPU_VAES | TALLY_CPU_AESNI | TALLY_CPU_AVX512},
    .read = many_read,
};

#else
typedef int tally_many_sequences_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/fast/schedule/params.c ---- */
/*
 * FAST's recommended parameters: layers by table 1 of the paper (128-bit security), interpolated
 * linearly in the length and in the radix's logarithm. Integer arithmetic alone, because a result
 * that is rounded up must not depend on a machine's floating point. */

/* ---- core/fast/schedule/params.h ---- */
/*
 * Checks of parameters. */
#ifndef TALLY_FAST_SCHEDULE_PARAMS_H
#define TALLY_FAST_SCHEDULE_PARAMS_H

/* Returns TALLY_OK if the profile allows `params`; else the status for the caller. */
tally_status tally_fast_check_params(tally_fast_profile profile, const tally_fast_params *params);

#endif

enum { PARAMS_COLUMNS = 15, PARAMS_ROWS = 16, PARAMS_FRACTION_BITS = 40 };

static const uint8_t params_column_length[PARAMS_COLUMNS] = {2,  3,  4,  5,  6,  7,  8,  9,
                                                             10, 12, 16, 32, 50, 64, 100};

static const uint16_t params_row_radix[PARAMS_ROWS] = {4,  5,  6,  7,  8,  9,   10,  11,
                                                       12, 13, 14, 15, 16, 100, 128, 256};

static const uint8_t params_rounds[PARAMS_ROWS][PARAMS_COLUMNS] = {
    {165, 135, 117, 105, 96, 89, 83, 78, 74, 68, 59, 52, 52, 53, 57},
    {131, 107, 93, 83, 76, 70, 66, 62, 59, 54, 48, 46, 47, 48, 53},
    {113, 92, 80, 72, 65, 61, 57, 54, 51, 46, 44, 43, 44, 46, 52},
    {102, 83, 72, 64, 59, 55, 51, 48, 46, 43, 41, 41, 43, 45, 50},
    {94, 76, 66, 59, 54, 50, 47, 44, 42, 41, 39, 39, 42, 44, 50},
    {88, 72, 62, 56, 51, 47, 44, 42, 40, 39, 38, 38, 41, 43, 49},
    {83, 68, 59, 53, 48, 45, 42, 39, 39, 38, 37, 37, 40, 43, 49},
    {79, 65, 56, 50, 46, 43, 40, 38, 38, 37, 36, 37, 40, 42, 48},
    {76, 62, 54, 48, 44, 41, 38, 37, 37, 36, 35, 36, 39, 42, 48},
    {73, 60, 52, 47, 43, 39, 37, 36, 36, 35, 34, 36, 39, 41, 48},
    {71, 58, 50, 45, 41, 38, 36, 36, 35, 34, 34, 35, 39, 41, 47},
    {69, 57, 49, 44, 40, 37, 36, 35, 34, 34, 33, 35, 38, 41, 47},
    {67, 55, 48, 43, 39, 36, 35, 34, 34, 33, 33, 35, 38, 41, 47},
    {40, 33, 28, 27, 26, 26, 25, 25, 25, 26, 26, 30, 34, 37, 44},
    {38, 31, 27, 26, 25, 25, 25, 25, 25, 25, 26, 30, 34, 37, 44},
    {33, 27, 25, 24, 23, 23, 23, 23, 23, 24, 25, 29, 33, 37, 44},
};

typedef struct params_wide {
    uint64_t high, low;
} params_wide;

static params_wide params_multiply(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carry = (uint32_t)middle + a0 * b1;
    params_wide product = {a1 * b1 + (middle >> 32) + (carry >> 32), a * b};
    return product;
}

/* log2(x) for 4 <= x <= 256 with 40 bits after the point: a bit for each squaring of x's
 * mantissa. */
static uint64_t params_log2(uint32_t x)
{
    uint64_t whole = 0, fraction = 0;
    while (x >> whole > 1) {
        whole++;
    }
    uint64_t mantissa = (uint64_t)x << (63 - whole);
    for (int bit = 0; bit < PARAMS_FRACTION_BITS; bit++) {
        params_wide square = params_multiply(mantissa, mantissa);
        uint64_t two = square.high >> 63;
        mantissa = two != 0 ? square.high : square.high << 1 | square.low >> 63;
        fraction = fraction << 1 | two;
    }
    return whole << PARAMS_FRACTION_BITS | fraction;
}

/* part / whole for part <= whole < 2^63, with 40 bits after the point. */
static int64_t params_fraction(uint64_t part, uint64_t whole)
{
    int64_t fraction = 0;
    for (int bit = 0; bit <= PARAMS_FRACTION_BITS; bit++) {
        int64_t one = part >= whole;
        fraction = fraction << 1 | one;
        part = (part - (one ? whole : 0)) << 1;
    }
    return fraction;
}

static uint32_t params_ceil_sqrt(uint32_t x)
{
    uint32_t root = 0;
    while (root * root < x) {
        root++;
    }
    return root;
}

/* The least r with 10 r 2^40 >= value sqrt(length), for the lengths beyond the table. */
static uint32_t params_scaled_rounds(uint64_t value, uint32_t length)
{
    params_wide square = params_multiply(value, value);
    /* bound = square * length; below 2^110 */
    params_wide low = params_multiply(square.low, length);
    params_wide bound = {square.high * length + low.high, low.low};
    uint32_t least = 0, most = 1 << 12;
    while (least < most) {
        uint32_t r = (least + most) / 2;
        uint64_t reached = (uint64_t)100 * r * r << (2 * PARAMS_FRACTION_BITS - 64);
        if (reached > bound.high || (reached == bound.high && bound.low == 0)) {
            most = r;
        } else {
            least = r + 1;
        }
    }
    return least;
}

static uint32_t params_recommended_rounds(uint32_t radix, uint32_t length)
{
    unsigned row = 0, column = 0;
    while (row + 1 < PARAMS_ROWS - 1 && radix >= params_row_radix[row + 1]) {
        row++;
    }
    while (column + 1 < PARAMS_COLUMNS - 1 && length >= params_column_length[column + 1]) {
        column++;
    }
    const uint8_t *above = params_rounds[row], *below = params_rounds[row + 1];
    uint32_t first = params_column_length[column], last = params_column_length[column + 1];
    uint32_t reach = length < last ? length : last;

    /* Both rows at this length, times `last - first`; then between the rows, with 40 more bits. */
    int64_t before = last - reach, after = reach - first;
    int64_t high = above[column] * before + above[column + 1] * after;
    int64_t low = below[column] * before + below[column + 1] * after;
    uint64_t from = params_log2(params_row_radix[row]), to = params_log2(params_row_radix[row + 1]);
    int64_t share = params_fraction(params_log2(radix) - from, to - from);
    int64_t value = (high << PARAMS_FRACTION_BITS) + share * (low - high);

    if (length > last) {
        return params_scaled_rounds((uint64_t)value / (last - first), length);
    }
    int64_t unit = (int64_t)(last - first) << PARAMS_FRACTION_BITS;
    return (uint32_t)((value + unit - 1) / unit);
}

/* The layers of the first go-fast: ceil(2 max(256 / 8 l, 128 / 5.541 sqrt(l))), at least 64 and at
 * least 4 l if l > 32, rounded up to whole rounds. The second term is greater for every
 * l >= 2. */
static uint32_t params_legacy_layers(uint32_t length)
{
    if (length <= 1) {
        return 64 * length;
    }
    uint64_t r = 0;
    while (r * r * length * 5541 * 5541 < (uint64_t)256000 * 256000) {
        r++;
    }
    uint64_t layers = r * length, floor = length > 32 ? 4 * (uint64_t)length : 64;
    if (layers < floor) {
        layers = floor;
    }
    return (uint32_t)((layers + length - 1) / length * length);
}

tally_status tally_fast_recommended(tally_fast_profile profile, uint32_t radix, uint32_t length,
                                    tally_fast_params *out)
{
    int legacy = profile == TALLY_FAST_BYTES_LEGACY;
    if (!legacy && profile != TALLY_FAST) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX || (legacy && radix != 256)) {
        return TALLY_ERROR_RADIX;
    }
    if (legacy ? length > TALLY_FAST_LEGACY_MAX_LENGTH
               : length < TALLY_FAST_MIN_LENGTH || length > TALLY_FAST_MAX_LENGTH) {
        return TALLY_ERROR_LENGTH;
    }
    uint32_t root = params_ceil_sqrt(length), spare = length > 2 ? length - 2 : 0;
    uint32_t w = root < spare ? root : spare;
    uint32_t w_prime = w > 1 ? w - 1 : 1;
    if (!legacy && w_prime > length - w - 1) {
        w_prime = length - w - 1;
    }
    out->radix = radix;
    out->length = length;
    out->layers =
        legacy ? params_legacy_layers(length) : params_recommended_rounds(radix, length) * length;
    out->w = w;
    out->w_prime = w_prime;
    return TALLY_OK;
}

tally_status tally_fast_check_params(tally_fast_profile profile, const tally_fast_params *params)
{
    if (profile == TALLY_FAST_BYTES_LEGACY) {
        tally_fast_params only;
        tally_status status = tally_fast_recommended(profile, params->radix, params->length, &only);
        if (status != TALLY_OK) {
            return status;
        }
        return params->layers == only.layers && params->w == only.w &&
                       params->w_prime == only.w_prime
                   ? TALLY_OK
                   : TALLY_ERROR_PARAMS;
    }
    uint32_t length = params->length;
    if (params->radix < TALLY_FAST_MIN_RADIX || params->radix > TALLY_FAST_MAX_RADIX) {
        return TALLY_ERROR_RADIX;
    }
    if (length < TALLY_FAST_MIN_LENGTH || length > TALLY_FAST_MAX_LENGTH) {
        return TALLY_ERROR_LENGTH;
    }
    if (params->layers < length || params->layers % length != 0 || params->w > length - 2 ||
        params->w_prime < 1 || params->w_prime > length - 1) {
        return TALLY_ERROR_PARAMS;
    }
    return TALLY_OK;
}

/* ---- core/fast/schedule/pool.c ---- */
/*
 * The first part of FAST's key schedule: pools (paper, section 4; bytes: docs/reference/fast.md).
 * Most shuffles read and write at secret indices: see docs/explanation/side-channels.md. */

/* ---- core/base/align.h ---- */
/*
 * Objects at multiples of 64 bytes, a cache line, or of less, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of `alignment` in `memory`. */
static inline void *tally_align_to(uintptr_t alignment, void *memory)
{
    const uintptr_t past = (uintptr_t)memory % alignment;
    return (uint8_t *)memory + (past == 0 ? 0 : alignment - past);
}

static inline void *tally_align(void *memory)
{
    return tally_align_to(TALLY_ALIGNMENT, memory);
}

#endif

/* Block 0 of the stream is not used. */
static void pool_read_stream(const void *stream, uint64_t first, size_t size, uint8_t *out)
{
    tally_fast_stream_read(stream, first + 1, size, out);
}

static void pool_stream_init(const tally_cmac_key *cmac, uint32_t radix, tally_fast_stream *out)
{
    uint8_t derived[32];
    tally_fast_encoding head;
    tally_fast_encode_pool(radix, &head);
    tally_fast_derive(cmac, &head, NULL, 0, NULL, derived);
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

static int pool_is_expanded(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED;
}

/* Bytes of the table of an S-box; its inverse needs no more. */
static size_t pool_stride(uint32_t radix)
{
    size_t entries = pool_is_expanded(radix) ? 3 * (size_t)radix - 2 : radix;
    return (entries + 15) / 16 * 16;
}

/* The bytes before the tables, which are aligned too. */
static size_t pool_header_size(void)
{
    return (sizeof(tally_fast_pool) + TALLY_ALIGNMENT - 1) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

/* With bytes at the end for copies that overrun. */
static size_t pool_tables_size(uint32_t radix)
{
    return pool_stride(radix) * TALLY_FAST_POOL_SIZE + TALLY_ALIGNMENT;
}

/* All bytes of a pool. */
static size_t pool_whole_size(uint32_t radix)
{
    return pool_header_size() + 2 * pool_tables_size(radix) + tally_fast_lanes_size(radix);
}

size_t tally_fast_pool_size(uint32_t radix)
{
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX) {
        return 0;
    }
    return TALLY_ALIGNMENT - 1 + pool_whole_size(radix);
}

static inline void pool_copy(const uint8_t *from, const size_t blocks, uint8_t *to)
{
    uint8_t bytes[48];
    memcpy(bytes, from, 16 * blocks);
    memcpy(to, bytes, 16 * blocks);
}

/* Copies S-boxes and their inverses, of `blocks` times 16 bytes each, into their expanded tables. A
 * copy overruns by at most 16 bytes, which the next copy overwrites. */
static inline void pool_expand_blocks(uint32_t radix, const size_t blocks, size_t count,
                                      const tally_fast_shuffle_batch *batch, size_t stride,
                                      uint8_t *forward, uint8_t *inverse)
{
    const uint8_t *sbox = batch->sboxes, *inverse_sbox = batch->inverses;
    for (size_t k = 0; k < count; k++) {
        pool_copy(sbox + 1, blocks, forward - (radix - 1));
        pool_copy(sbox, blocks, forward);
        pool_copy(sbox, blocks, forward + radix);
        pool_copy(inverse_sbox, blocks, inverse);
        pool_copy(inverse_sbox, blocks, inverse + radix);
        sbox += 16 * blocks;
        inverse_sbox += 16 * blocks;
        forward += stride;
        inverse += stride;
    }
}

static void pool_expand(uint32_t radix, size_t count, const tally_fast_shuffle_batch *batch,
                        size_t stride, uint8_t *forward, uint8_t *inverse)
{
    if (radix <= 16) {
        pool_expand_blocks(radix, 1, count, batch, stride, forward, inverse);
    } else if (radix <= 32) {
        pool_expand_blocks(radix, 2, count, batch, stride, forward, inverse);
    } else {
        pool_expand_blocks(radix, 3, count, batch, stride, forward, inverse);
    }
}

/* Draws all S-boxes, and makes their one-word tables. */
static void pool_fill(const tally_fast_pool *pool, uint8_t *forward, uint8_t *inverse)
{
    int legacy = pool->profile == TALLY_FAST_BYTES_LEGACY;
    uint32_t radix = pool->radix;
    size_t stride = pool->stride, plain = (radix + 15) / 16 * 16;
    const tally_fast_shuffle *shuffle = tally_fast_shuffle_choose();
    size_t batch_size = shuffle->batch_size(radix);
    tally_fast_stream stream;
    tally_fast_shuffle_words words;
    tally_fast_shuffle_batch batch;
    tally_fast_shuffle_batch_init(radix, &batch);
    if (legacy) {
        tally_fast_legacy_stream_init(&pool->cmac, &stream);
    } else {
        pool_stream_init(&pool->cmac, radix, &stream);
        tally_fast_shuffle_words_init(pool_read_stream, &stream, &words);
    }
    for (uint32_t k = 0; k < TALLY_FAST_POOL_SIZE; k += (uint32_t)batch_size) {
        if (legacy) {
            tally_fast_legacy_draw(shuffle, &stream, k, &batch);
        } else {
            tally_fast_shuffle_draw(shuffle, radix, batch_size,
                                    TALLY_FAST_POOL_SIZE - k - batch_size, &words, &batch);
        }
        if (!pool_is_expanded(radix)) { /* a shuffled S-box is its table */
            shuffle->swap(radix, batch.targets, stride, forward + k * stride, inverse + k * stride);
            continue;
        }
        shuffle->swap(radix, batch.targets, plain, batch.sboxes, batch.inverses);
        pool_expand(radix, batch_size, &batch, stride, forward + k * stride, inverse + k * stride);
    }
    tally_wipe(&stream, sizeof stream);
    tally_wipe(words.bytes, sizeof words.bytes);
    tally_wipe(batch.targets, batch_size * radix);
    tally_wipe(batch.sboxes, batch_size * plain);
    tally_wipe(batch.inverses, batch_size * plain);
}

tally_status tally_fast_pool_init(tally_fast_profile profile, uint32_t radix, const uint8_t *key,
                                  size_t key_size, void *memory, size_t memory_size,
                                  tally_fast_pool **out)
{
    int legacy = profile == TALLY_FAST_BYTES_LEGACY;
    if (!legacy && profile != TALLY_FAST) {
        return TALLY_ERROR_ARGUMENT;
    }
    size_t needed = tally_fast_pool_size(radix);
    if (needed == 0 || (legacy && radix != 256)) {
        return TALLY_ERROR_RADIX;
    }
    if (memory == NULL || memory_size < needed) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_pool *pool = tally_align(memory);
    tally_status status = tally_cmac_key_init(key, key_size, &pool->cmac);
    if (status != TALLY_OK) {
        return status;
    }
    uint8_t *tables = (uint8_t *)pool + pool_header_size();
    size_t before = pool_is_expanded(radix) ? radix - 1 : 0, stride = pool_stride(radix);
    uint8_t *forward = tables + before;
    uint8_t *inverse = tables + pool_tables_size(radix);
    pool->profile = profile;
    pool->ff1 = NULL;
    pool->ff3_1 = NULL;
    pool->radix = radix;
    pool->stride = (uint32_t)stride;
    pool->tables[TALLY_ENCRYPT] = forward;
    pool->tables[TALLY_DECRYPT] = inverse;
    const tally_fast_lanes *lanes = tally_fast_lanes_choose();
    size_t lane_stride = lanes->stride(radix);
    uint8_t *lane_forward = inverse + pool_tables_size(radix);
    uint8_t *lane_inverse = lane_forward + TALLY_FAST_POOL_SIZE * lane_stride;
    pool->lanes = lanes;
    pool->lane_stride = lane_stride != 0 ? lane_stride : stride;
    pool->lane_tables[TALLY_ENCRYPT] = lane_stride != 0 ? lane_forward : forward;
    pool->lane_tables[TALLY_DECRYPT] = lane_stride != 0 ? lane_inverse : inverse;

    pool_fill(pool, forward, inverse);
    if (lane_stride != 0) {
        lanes->lay_out(TALLY_ENCRYPT, radix, forward, stride, lane_forward);
        lanes->lay_out(TALLY_DECRYPT, radix, inverse, stride, lane_inverse);
    }
    *out = pool;
    return TALLY_OK;
}

void tally_fast_pool_wipe(tally_fast_pool *pool)
{
    tally_wipe(pool, pool_whole_size(pool->radix));
}

/* ---- core/fast/schedule/sequence.c ---- */
/*
 * The second part of FAST's key schedule: sequences (paper, section 4; bytes:
 * docs/reference/fast.md). A pool has 256 S-boxes, so uniform(256) is the first byte of a word, and
 * rejects none: any part of a sequence can be computed by itself. */

/* ---- core/fast/schedule/sequence.h ---- */
/*
 * Sequences: which S-box of the pool each layer uses, for one set of parameters and one tweak. */
#ifndef TALLY_FAST_SCHEDULE_SEQUENCE_H
#define TALLY_FAST_SCHEDULE_SEQUENCE_H

/* Derives the stream of a sequence; `prefix_cache` is that of earlier sequences, or NULL. */
void tally_fast_sequence_init(const tally_fast_pool *pool, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size,
                              tally_cmac_prefix_cache *prefix_cache, tally_fast_stream *out);

/* Reads the S-box indices of layers first .. first + count - 1; `first` is a multiple of 16. */
void tally_fast_sequence_read(tally_fast_profile profile, const tally_fast_stream *stream,
                              uint64_t first, size_t count, uint8_t *out);

#endif

#if defined(__SSE2__)

/* ---- core/fast/schedule/sequence_sse2.h ---- */
/*
 * Every fourth byte with SSE2, which every 64-bit x86 has. Only sequence.c includes this file. */
#ifndef TALLY_FAST_SCHEDULE_SEQUENCE_SSE2_H
#define TALLY_FAST_SCHEDULE_SEQUENCE_SSE2_H

TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP

/* Copies `count` bytes: 0, 4, 8 and so on. */
static void sequence_every_fourth(const uint8_t *words, size_t count, uint8_t *out)
{
    const __m128i low = _mm_set1_epi32(0xff);
    for (; count >= 16; count -= 16, words += 64, out += 16) {
        const __m128i *in = (const __m128i *)words;
        __m128i a = _mm_and_si128(_mm_loadu_si128(in), low);
        __m128i b = _mm_and_si128(_mm_loadu_si128(in + 1), low);
        __m128i c = _mm_and_si128(_mm_loadu_si128(in + 2), low);
        __m128i d = _mm_and_si128(_mm_loadu_si128(in + 3), low);
        __m128i four = _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_storeu_si128((__m128i *)out, four);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = words[4 * i];
    }
}

#endif

#else
/* Copies `count` bytes: 0, 4, 8 and so on. */
static void sequence_every_fourth(const uint8_t *words, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = words[4 * i];
    }
}
#endif

static void sequence_derive_legacy(const tally_fast_pool *pool, const tally_fast_params *params,
                                   const uint8_t *tweak, size_t tweak_size, uint8_t derived[32])
{
    uint32_t length = params->length, layers = params->layers;
    uint8_t head[17] = "FPE-SEQ\1\0\1";
    head[11] = (uint8_t)(length >> 8);
    head[12] = (uint8_t)length;
    head[13] = (uint8_t)(layers >> 8);
    head[14] = (uint8_t)layers;
    head[15] = (uint8_t)params->w;
    head[16] = (uint8_t)params->w_prime;
    static const uint8_t one[1] = {1};
    tally_cmac_state state;
    tally_cmac_init(&state, &pool->cmac);
    tally_cmac_update(&state, head, sizeof head);
    tally_cmac_update(&state, tweak, tweak_size);
    tally_cmac_final(&state, derived);
    tally_cmac_init(&state, &pool->cmac);
    tally_cmac_update(&state, head, sizeof head);
    tally_cmac_update(&state, tweak, tweak_size);
    tally_cmac_update(&state, one, sizeof one);
    tally_cmac_final(&state, derived + 16);
}

void tally_fast_sequence_init(const tally_fast_pool *pool, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size,
                              tally_cmac_prefix_cache *prefix_cache, tally_fast_stream *out)
{
    uint8_t derived[32];
    if (pool->profile == TALLY_FAST_BYTES_LEGACY) {
        sequence_derive_legacy(pool, params, tweak, tweak_size, derived);
    } else {
        tally_fast_encoding head;
        tally_fast_encode_sequence(params, tweak_size, &head);
        tally_fast_derive(&pool->cmac, &head, tweak, tweak_size, prefix_cache, derived);
    }
    derived[30] = 0;
    derived[31] = 0;
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

void tally_fast_sequence_read(tally_fast_profile profile, const tally_fast_stream *stream,
                              uint64_t first, size_t count, uint8_t *out)
{
    if (profile == TALLY_FAST_BYTES_LEGACY) {
        tally_fast_stream_read(stream, first / 16, count, out);
        return;
    }
    uint8_t words[4 * 512];
    size_t used = 0;
    for (size_t done = 0; done < count; done += 512) {
        size_t part = count - done < 512 ? count - done : 512;
        used = part > used ? part : used;
        tally_fast_stream_read(stream, (first + done) / 4 + 1, 4 * part, words);
        sequence_every_fourth(words, part, out + done);
    }
    tally_wipe(words, 4 * used);
}

/* ---- core/fast/schedule/shuffle.c ---- */
/*
 * Fisher-Yates shuffles, whose targets are drawn by Lemire's method (docs/reference/fast.md). The
 * swaps read and write at secret indices: see docs/explanation/side-channels.md. */

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides an address, so that it is computed as it is written. */
static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

enum { SHUFFLE_BATCH = 8 };

#if defined(__GNUC__) && !defined(__clang__)
#define SHUFFLE_UNROLL _Pragma("GCC unroll 8")
#else
#define SHUFFLE_UNROLL
#endif

void tally_fast_shuffle_words_init(tally_fast_shuffle_read *read, const void *source,
                                   tally_fast_shuffle_words *out)
{
    out->read = read;
    out->source = source;
    out->block = 0;
    out->next = out->end = 0;
}

/* Returns the next `count` words, at most TALLY_FAST_SHUFFLE_WORDS. If it must read, it reads
 * `wanted` words or as many as the buffer takes. */
static const uint8_t *shuffle_peek(tally_fast_shuffle_words *words, size_t count, size_t wanted)
{
    size_t left = words->end - words->next;
    if (left < 4 * count) {
        memmove(words->bytes, words->bytes + words->next, left);
        size_t size = (4 * wanted - left + 15) / 16 * 16;
        size_t capacity = (sizeof words->bytes - left) / 16 * 16;
        size = size < capacity ? size : capacity;
        words->read(words->source, words->block, size, words->bytes + left);
        words->block += size / 16;
        words->next = 0;
        words->end = left + size;
    }
    return words->bytes + words->next;
}

void tally_fast_shuffle_batch_init(uint32_t radix, tally_fast_shuffle_batch *out)
{
    uint32_t bound = radix;
    for (size_t i = 0; i < radix + 31; i++) {
        out->bounds[i] = bound;
        bound = bound == 2 ? radix : bound - 1;
    }
}

/* Returns 0..bound-1 without bias. A rejected word is not used for anything. */
static uint8_t shuffle_uniform(tally_fast_shuffle_words *words, uint32_t bound)
{
    for (;;) {
        uint64_t product = (uint64_t)tally_load_be32(shuffle_peek(words, 1, 1)) * bound;
        uint32_t low = (uint32_t)product;
        words->next += 4;
        if (low >= bound || low >= (0 - bound) % bound) {
            return (uint8_t)(product >> 32);
        }
    }
}

/* Draws targets one by one: any word may be rejected. */
static void shuffle_draw_one_by_one(uint32_t radix, size_t count, tally_fast_shuffle_words *words,
                                    uint8_t *targets)
{
    for (size_t k = 0; k < count; k++) {
        for (uint32_t bound = radix; bound > 1; bound--) {
            *targets++ = shuffle_uniform(words, bound);
        }
    }
}

void tally_fast_shuffle_draw(const tally_fast_shuffle *shuffle, uint32_t radix, size_t count,
                             size_t more, tally_fast_shuffle_words *words,
                             tally_fast_shuffle_batch *batch)
{
    size_t swaps = radix - 1, most = TALLY_FAST_SHUFFLE_WORDS / swaps;
    uint8_t *targets = batch->targets;
    for (size_t left = count; left > 0;) {
        size_t part = left < most ? left : most, draws = part * swaps;
        const uint8_t *next = shuffle_peek(words, draws, (left + more) * swaps);
        if (shuffle->targets(radix, batch->bounds, next, draws, targets)) {
            words->next += 4 * draws;
        } else {
            shuffle_draw_one_by_one(radix, part, words, targets);
        }
        left -= part;
        targets += draws;
    }
}

static size_t shuffle_batch_size(uint32_t radix)
{
    (void)radix;
    return SHUFFLE_BATCH;
}

static int shuffle_targets(uint32_t radix, const uint32_t *bounds, const uint8_t *words,
                           size_t count, uint8_t *targets)
{
    (void)bounds;
    uint32_t least = UINT32_MAX;
    for (size_t left = count; left > 0; left -= radix - 1) {
        uint32_t bound = radix;
        for (; bound > 2; bound -= 2, words += 8, targets += 2) {
            uint64_t both = tally_load_be64(words);
            uint64_t first = (both >> 32) * bound, second = (both & UINT32_MAX) * (bound - 1);
            least = (uint32_t)first < least ? (uint32_t)first : least;
            least = (uint32_t)second < least ? (uint32_t)second : least;
            targets[0] = (uint8_t)(first >> 32);
            targets[1] = (uint8_t)(second >> 32);
        }
        if (bound == 2) {
            *targets++ = words[0] >> 7; /* 2^32 is a multiple of 2: never rejected */
            words += 4;
        }
    }
    return least >= radix;
}

static inline void shuffle_swap_one(uint64_t j, uint32_t i, uint32_t n, uint8_t *inverse)
{
    uint8_t *here = inverse + i, *other = inverse + j;
    here[n] = *other;
    *other = (uint8_t)(i + n);
}

/* Does swaps i to i + 7, whose targets lie in reverse. The barriers make compilers take two targets
 * with each shift, and keep the eight sums out of registers, which are too few. */
static inline void shuffle_swap_eight(const uint8_t *targets, uint32_t i, uint8_t *inverse)
{
    uint64_t eight = tally_load_be64(targets);
    i = (uint32_t)tally_barrier(i);
    SHUFFLE_UNROLL
    for (uint32_t n = 0; n < 8; n += 2) {
        shuffle_swap_one(eight & 255, i, n, inverse);
        shuffle_swap_one(eight >> 8 & 255, i, n + 1, inverse);
        eight = tally_barrier(eight >> 16);
    }
}

/* Does swaps 1, 2, .. a-1 on the inverses: I[i] = I[j], I[j] = i. No entry has to be written
 * before. Swaps of one S-box wait for each other's stores, so those of eight S-boxes are
 * interleaved. An S-box is then the inverse of its inverse. */
static void shuffle_swap(uint32_t radix, const uint8_t *targets, size_t stride, uint8_t *sboxes,
                         uint8_t *inverses)
{
    const size_t swaps = radix - 1;
    for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
        inverses[k * stride] = 0;
    }
    uint32_t i = 1;
    for (; i + 8 <= radix; i += 8) {
        for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
            shuffle_swap_eight(targets + (k + 1) * swaps - i - 7, i, inverses + k * stride);
        }
    }
    for (; i < radix; i++) {
        for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
            shuffle_swap_one(targets[(k + 1) * swaps - i], i, 0, inverses + k * stride);
        }
    }
    for (size_t k = 0; k < SHUFFLE_BATCH; k++, sboxes += stride, inverses += stride) {
        for (i = 0; i + 8 <= radix; i += 8) {
            uint64_t eight = tally_load_be64(inverses + i);
            SHUFFLE_UNROLL
            for (uint32_t n = 8; n > 0; n -= 2) {
                sboxes[eight & 255] = (uint8_t)(i + n - 1);
                sboxes[eight >> 8 & 255] = (uint8_t)(i + n - 2);
                eight = tally_barrier(eight >> 16);
            }
        }
        for (; i < radix; i++) {
            sboxes[inverses[i]] = (uint8_t)i;
        }
    }
}

const tally_fast_shuffle tally_fast_shuffle_portable = {
    .backend = {"portable", 0},
    .batch_size = shuffle_batch_size,
    .targets = shuffle_targets,
    .swap = shuffle_swap,
};

/* The fastest first. */
static const tally_backend *const shuffle_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_fast_shuffle_avx512.backend,
    &tally_fast_shuffle_avx2.backend,
#endif
    &tally_fast_shuffle_portable.backend,
};

const tally_fast_shuffle *tally_fast_shuffle_choose(void)
{
    return (const tally_fast_shuffle *)tally_dispatch(
        shuffle_backends, sizeof shuffle_backends / sizeof *shuffle_backends);
}

/* ---- core/fast/schedule/shuffle_avx2.c ---- */
/*
 * Shuffles with AVX2: targets are drawn 8 at a time, and swaps are the portable ones. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

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

/* ---- core/fast/schedule/shuffle_avx512.c ---- */
/*
 * Shuffles with AVX-512: targets are drawn 16 at a time. S-boxes of at most 80 entries are shuffled
 * 64 side by side in lanes, with one vector for each entry, and comparisons in place of addresses.
 * Swap k = 1, 2, .. a-1 exchanges entries k and j. The S-box has no k before, so it gets k in place
 * of j, and j at k. Its inverse gets I[k] = I[j] and I[j] = k. The cost of a swap is proportional
 * to k, so larger S-boxes are faster in memory. */

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

/* ---- core/fast/schedule/stream.c ---- */
/*
 * The AES-128 counter streams that pools and sequences are drawn from. */

/* ---- core/aes/key.h ---- */
/*
 * Keys of a constant size, for use inside the core: these functions cannot fail. */
#ifndef TALLY_AES_KEY_H
#define TALLY_AES_KEY_H

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out);
void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out);
void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out);

#endif

void tally_fast_stream_init(const uint8_t derived[32], tally_fast_stream *out)
{
    tally_aes_key_init_128(derived, &out->aes);
    memcpy(out->iv, derived + 16, 16);
}

void tally_fast_stream_read(const tally_fast_stream *stream, uint64_t first, size_t size,
                            uint8_t *out)
{
    uint8_t counter[16];
    uint64_t carry = first;
    for (int i = 15; i >= 0; i--) {
        carry += stream->iv[i];
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
    tally_aes_ctr(&stream->aes, counter, NULL, size, out);
    tally_wipe(counter, sizeof counter);
}

/* ---- core/fast/words/buckets.c ---- */
/*
 * A hash table with linear probing. Tweaks are no secrets. */

/* ---- core/fast/words/buckets.h ---- */
/*
 * Buckets: the rows of a batch by length and tweak, found by a hash table. */
#ifndef TALLY_FAST_WORDS_BUCKETS_H
#define TALLY_FAST_WORDS_BUCKETS_H

enum { TALLY_FAST_ROWS = 4096 /* rows of a batch */ };

/* Rows of equal length and tweak. */
typedef struct tally_fast_bucket {
    const uint8_t *tail; /* the row's own part of the tweak, where the first row has it */
    uint32_t tail_size;
    uint32_t length; /* of the words */
    size_t rows;     /* their number */
} tally_fast_bucket;

typedef struct tally_fast_buckets {
    size_t count;
    tally_fast_bucket bucket[TALLY_FAST_ROWS];
    uint16_t places[2 * TALLY_FAST_ROWS]; /* by hash: the number of a bucket plus one, or 0 */
} tally_fast_buckets;

/* Removes all buckets. */
void tally_fast_buckets_clear(tally_fast_buckets *buckets);

/* Adds a row; returns the number of its bucket. The tail must stay where it is. At most
 * TALLY_FAST_ROWS rows. */
uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length);

/* Sorts the buckets by length (modulo 256, so that few lengths mix): sorted[0 .. count). If rows
 * are sorted like their buckets, those of bucket b begin at next[b]. */
void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next);

#endif

enum { BUCKETS_PLACES = 2 * TALLY_FAST_ROWS };

void tally_fast_buckets_clear(tally_fast_buckets *buckets)
{
    buckets->count = 0;
    memset(buckets->places, 0, sizeof buckets->places);
}

/* At most eight bytes as a number, which has no equal of the same size. */
static inline uint64_t buckets_few(const uint8_t *bytes, size_t size)
{
    uint32_t first, last;
    if (size >= 4) { /* they may overlap */
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + size - 4, 4);
        return (uint64_t)last << 32 | first;
    }
    return size == 0 ? 0
                     : (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 8 | bytes[size - 1];
}

static inline int buckets_are_equal(const uint8_t *x, const uint8_t *y, size_t size)
{
    return size <= 8 ? buckets_few(x, size) == buckets_few(y, size) : memcmp(x, y, size) == 0;
}

/* Eight bytes at a time, the last eight perhaps overlapping those before. */
static size_t buckets_hash(const uint8_t *tail, size_t size, size_t length)
{
    if (size == 0) {
        return length;
    }
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (length + ((uint64_t)size << 32)) * factor, eight = 0;
    if (size < 8) {
        eight = buckets_few(tail, size);
    } else {
        for (size_t i = 0; i + 8 < size; i += 8) {
            memcpy(&eight, tail + i, 8);
            hash = (hash ^ eight) * factor;
            hash ^= hash >> 32;
        }
        memcpy(&eight, tail + size - 8, 8);
    }
    hash ^= eight;
    hash = (hash ^ hash >> 32) * factor; /* every byte reaches the bits that are returned */
    return (size_t)(hash >> 32);
}

uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length)
{
    size_t place = buckets_hash(tail, tail_size, length) % BUCKETS_PLACES;
    for (; buckets->places[place] != 0; place = (place + 1) % BUCKETS_PLACES) {
        tally_fast_bucket *bucket = &buckets->bucket[buckets->places[place] - 1];
        if (bucket->length == length && bucket->tail_size == tail_size &&
            buckets_are_equal(bucket->tail, tail, tail_size)) {
            bucket->rows++;
            return (uint16_t)(buckets->places[place] - 1);
        }
    }
    buckets->bucket[buckets->count] =
        (tally_fast_bucket){tail, (uint32_t)tail_size, (uint32_t)length, 1};
    buckets->places[place] = (uint16_t)++buckets->count;
    return (uint16_t)(buckets->count - 1);
}

void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next)
{
    enum { BUCKETS_CLASSES = 256 };
    size_t end[BUCKETS_CLASSES + 1] = {0}, row = 0;
    for (size_t i = 0; i < buckets->count; i++) {
        end[buckets->bucket[i].length % BUCKETS_CLASSES + 1]++;
    }
    for (size_t i = 0; i < BUCKETS_CLASSES; i++) {
        end[i + 1] += end[i];
    }
    for (size_t i = 0; i < buckets->count; i++) {
        sorted[end[buckets->bucket[i].length % BUCKETS_CLASSES]++] = (uint16_t)i;
    }
    for (size_t i = 0; i < buckets->count; i++) {
        next[sorted[i]] = (uint16_t)row;
        row += buckets->bucket[sorted[i]].rows;
    }
}

/* ---- core/fast/words/cipher.c ---- */
/*
 * A cipher's memory, and its cache of sequences. */

/* ---- core/fast/words/cipher.h ---- */
/*
 * A cipher: a pool, a cache of sequences, and the lanes that words lie on. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

enum {
    TALLY_FAST_CACHE_TWEAK = 256,   /* bytes; a sequence of a longer tweak is not cached */
    TALLY_FAST_CACHE_LENGTH = 64,   /* recommended parameters of shorter words are cached */
    TALLY_FAST_LANE_STATE = 1 << 17 /* bytes; longer words run one by one */
};

/* A search of the cache reads the tags alone, which lie side by side. */
typedef struct tally_fast_cache_tag {
    uint64_t used; /* the cipher's clock at the last use; 0: the entry is free */
    uint64_t hash; /* of params and tweak */
} tally_fast_cache_tag;

/* A cached sequence. */
typedef struct tally_fast_cache_entry {
    tally_fast_params params;
    uint32_t tweak_size;
    uint8_t tweak[TALLY_FAST_CACHE_TWEAK];
    uint8_t indices[TALLY_FAST_CACHE_LAYERS];
} tally_fast_cache_entry;

struct tally_fast_cipher {
    const tally_fast_pool *pool;
    tally_status status; /* TALLY_ERROR_MEMORY: words of FF1 were not run, for want of memory */
    uint64_t clock;
    size_t capacity; /* entries of the cache */
    tally_fast_cache_tag *tags;
    tally_fast_cache_entry *entries;
    tally_fast_params recommended[TALLY_FAST_CACHE_LENGTH]; /* by length; a length of 0: not yet */
    tally_cmac_prefix_cache prefix_cache;                   /* of sequences that are not cached */
    uint8_t window[15 + TALLY_FAST_CACHE_LAYERS]; /* of a sequence too long for the cache */
    uint8_t sequences[TALLY_FAST_GROUPS][TALLY_FAST_CACHE_LAYERS]; /* one for each group */
    _Alignas(64) uint8_t lane_state[TALLY_FAST_LANE_STATE];
};

/* Returns the status, which becomes TALLY_OK. Whoever runs long words looks at the end of a call. */
static inline tally_status tally_fast_cipher_take_status(tally_fast_cipher *cipher)
{
    const tally_status status = cipher->status;
    cipher->status = TALLY_OK;
    return status;
}

/* The recommended parameters of words of a valid length; in *spare if they are not cached. */
const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare);

/* The sequence of params with at most TALLY_FAST_CACHE_LAYERS layers and a tweak of at most
 * TALLY_FAST_CACHE_TWEAK bytes. If it is not cached, it replaces the least recently used entry. The
 * result is valid until the next call. */
const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size);

/* Writes the sequence of params with at most TALLY_FAST_CACHE_LAYERS layers. With use_cache it
 * comes from the cache. Without, or if the tweak is too long for the cache, it is derived by means
 * of cipher->prefix_cache, which the caller wipes at the end. */
void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out);

#endif

enum { CIPHER_MAX_CAPACITY = 4096 };

size_t tally_fast_cipher_size(size_t capacity)
{
    if (capacity < 1 || capacity > CIPHER_MAX_CAPACITY) {
        return 0;
    }
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_cipher) +
           capacity * (sizeof(tally_fast_cache_tag) + sizeof(tally_fast_cache_entry));
}

tally_status tally_fast_cipher_init(const tally_fast_pool *pool, size_t capacity, void *memory,
                                    size_t memory_size, tally_fast_cipher **out)
{
    size_t needed = tally_fast_cipher_size(capacity);
    if (needed == 0 || memory == NULL || memory_size < needed) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_cipher *cipher = tally_align(memory);
    cipher->pool = pool;
    cipher->status = TALLY_OK;
    cipher->clock = 0;
    cipher->prefix_cache.blocks = 0;
    cipher->capacity = capacity;
    cipher->tags = (tally_fast_cache_tag *)(cipher + 1);
    cipher->entries = (tally_fast_cache_entry *)(cipher->tags + capacity);
    memset(cipher->tags, 0, capacity * sizeof *cipher->tags);
    memset(cipher->recommended, 0, sizeof cipher->recommended);
    memset(cipher->sequences, 0, sizeof cipher->sequences); /* idle groups are run too */
    *out = cipher;
    return TALLY_OK;
}

void tally_fast_cipher_wipe(tally_fast_cipher *cipher)
{
    for (size_t i = 0; i < cipher->capacity; i++) {
        if (cipher->tags[i].used != 0) {
            tally_wipe(&cipher->entries[i], sizeof cipher->entries[i]);
        }
    }
    tally_wipe(cipher->window, sizeof cipher->window);
}

const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare)
{
    const int cached = length < TALLY_FAST_CACHE_LENGTH;
    tally_fast_params *params = cached ? &cipher->recommended[length] : spare;
    if (!cached || params->length == 0) {
        const tally_status status = tally_fast_recommended(
            cipher->pool->profile, cipher->pool->radix, (uint32_t)length, params);
        (void)status; /* the length is valid */
    }
    return params;
}

/* FNV-1a over words of eight bytes. Entries of equal hashes are compared in full. */
static uint64_t cipher_hash(const tally_fast_params *params, const uint8_t *tweak, size_t size)
{
    const uint64_t prime = 0x100000001b3;
    uint64_t hash = 0xcbf29ce484222325;
    hash = (hash ^ ((uint64_t)params->length << 32 | params->layers)) * prime;
    hash = (hash ^ ((uint64_t)params->w << 32 | params->w_prime)) * prime;
    for (; size >= 8; tweak += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, tweak, 8);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 29;
    }
    uint64_t word = size;
    for (size_t i = 0; i < size; i++) {
        word = word << 8 | tweak[i];
    }
    return (hash ^ word) * prime;
}

const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size)
{
    uint64_t hash = cipher_hash(params, tweak, tweak_size);
    size_t oldest = 0;
    cipher->clock++;
    for (size_t i = 0; i < cipher->capacity; i++) {
        const tally_fast_cache_tag *tag = &cipher->tags[i];
        const tally_fast_cache_entry *entry = &cipher->entries[i];
        if (tag->used != 0 && tag->hash == hash && entry->tweak_size == tweak_size &&
            memcmp(&entry->params, params, sizeof *params) == 0 &&
            (tweak_size == 0 || memcmp(entry->tweak, tweak, tweak_size) == 0)) {
            cipher->tags[i].used = cipher->clock;
            return entry->indices;
        }
        if (tag->used < cipher->tags[oldest].used) {
            oldest = i;
        }
    }
    tally_fast_cache_entry *entry = &cipher->entries[oldest];
    cipher->tags[oldest].used = cipher->clock;
    cipher->tags[oldest].hash = hash;
    tally_fast_stream stream;
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, NULL, &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, entry->indices);
    tally_wipe(&stream, sizeof stream);
    entry->params = *params;
    entry->tweak_size = (uint32_t)tweak_size;
    if (tweak_size != 0) {
        memcpy(entry->tweak, tweak, tweak_size);
    }
    return entry->indices;
}

void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out)
{
    if (use_cache && tweak_size <= TALLY_FAST_CACHE_TWEAK) {
        memcpy(out, tally_fast_cached_sequence(cipher, params, tweak, tweak_size), params->layers);
        return;
    }
    tally_fast_stream stream;
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, &cipher->prefix_cache,
                             &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, out);
    tally_wipe(&stream, sizeof stream);
}

/* ---- core/fast/words/ff1_words.c ---- */
/*
 * See ff1_words.h. */

/* ---- core/fast/words/ff1_words.h ---- */
/*
 * FF1 in the place of FAST: the functions on words, columns and ranges are the same, and what they
 * run is the other cipher. */
#ifndef TALLY_FAST_WORDS_FF1_WORDS_H
#define TALLY_FAST_WORDS_FF1_WORDS_H

/* ---- core/ff1/ff1.h ---- */
/*
 * FF1 inside the core: the direction as an argument, a tweak for each word, words anywhere in
 * memory. */
#ifndef TALLY_FF1_FF1_H
#define TALLY_FF1_FF1_H

/* The tweak of word i is the `common_size` bytes of `common`, then the row_sizes[i] bytes at rows[i].
 * If `rows` is NULL, all words have the common tweak alone. A pointer may be NULL if its size is 0.
 *
 * What depends on the common part is computed once in a call. A word with a tweak of its own costs
 * one more encryption of a block only if the tweak does not fit into the last block beside a number
 * of half the symbols: 11 bytes do at 16 digits. */
typedef struct tally_ff1_tweaks {
    const uint8_t *common;
    size_t common_size;
    const uint8_t *const *rows;
    const size_t *row_sizes;
} tally_ff1_tweaks;

/* As tally_ff1_encrypt_words and tally_ff1_decrypt_words. If the tweaks have rows, one for each
 * word. */
TALLY_MUST_CHECK tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction,
                                              uint32_t length, const tally_ff1_tweaks *tweaks,
                                              const void *words, size_t count, void *out);

/* The same in place on words[0 .. count), which lie anywhere and have any alignment. Symbols must be
 * below the radix: this function does not check that. For an error no word was changed. Memory for
 * long words comes from the allocator, or from malloc if that is NULL.
 * TALLY_ERROR_FF1_LENGTH, TALLY_ERROR_FF1_TWEAK_SIZE, TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction,
                                            uint32_t length, const tally_ff1_tweaks *tweaks,
                                            uint8_t *const *words, size_t count,
                                            const tally_allocator *allocator);

/* Whether words of so many symbols can run on lanes of bytes, as they are. */
int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length);

/* Runs them, if they can: `count` words, a multiple of 64, of one tweak. Symbol p of word k is
 * lanes[p * stride + k]; if it is not below the radix, the word becomes anything. Returns 0, with
 * nothing changed, if they can't, or the tweak is too long. */
int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count);

#endif

/* Makes a pool of a radix from 4..256 whose words go through one of the two, which is of that radix
 * and must live as long; the other is NULL. Its ciphers cache no sequences. Under FF3-1 words are
 * decrypted alone. */
void tally_ff1_words_pool(const tally_ff1 *ff1, const tally_ff3_1 *ff3_1, uint32_t radix,
                          tally_fast_pool *out);

/* As the functions of run.h, for a cipher of such a pool; and for words with a tweak each. */
void tally_ff1_words_run(tally_fast_cipher *cipher, const tally_fast_params *params,
                         tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                         uint8_t *const *words, size_t count);
void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count);
size_t tally_ff1_words_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                    tally_direction direction, const uint8_t *tweak,
                                    size_t tweak_size, const uint8_t *words, size_t count,
                                    uint8_t *out);
void tally_ff1_words_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                           tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                           size_t groups);

/* Whether words of one tweak run on lanes as they are, by 64; else _lanes takes them off, so that it is
 * faster not to put them there. */
static inline int tally_ff1_words_like_lanes(const tally_fast_pool *pool, size_t length)
{
    return pool->ff1 != NULL && tally_ff1_takes_lanes(pool->ff1, (uint32_t)length);
}

#endif

/* ---- core/ff1/ff3_1.h ---- */
/*
 * Decryption by FF3-1 inside the core, as ff1.h has it for FF1. If the tweaks have rows, each row is
 * a whole tweak of 7 or 8 bytes, and there is no common part. */
#ifndef TALLY_FF1_FF3_1_H
#define TALLY_FF1_FF3_1_H

TALLY_MUST_CHECK tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                                                const tally_ff1_tweaks *tweaks, const void *words,
                                                size_t count, void *out);

/* In place, on words anywhere, whose symbols are below the radix. */
TALLY_MUST_CHECK tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                                              const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                              size_t count);

#endif

enum {
    FF1_WORDS_BLOCK = 64, /* words that come from lanes together: a block of every transpose */
    FF1_WORDS_BYTES = FF1_WORDS_BLOCK * 64 /* of them */
};

void tally_ff1_words_pool(const tally_ff1 *ff1, const tally_ff3_1 *ff3_1, uint32_t radix,
                          tally_fast_pool *out)
{
    memset(out, 0, sizeof *out);
    out->profile = TALLY_FAST;
    out->radix = radix;
    out->lanes = tally_fast_lanes_choose();
    out->ff1 = ff1;
    out->ff3_1 = ff3_1;
}

/* Notes the first error: a lack of memory for long words. */
static void ff1_words_note(tally_fast_cipher *cipher, tally_status status)
{
    if (status != TALLY_OK && cipher->status == TALLY_OK) {
        cipher->status = status;
    }
}

/* FF3-1 takes a tweak as a whole. Its size was checked by whoever took its parts. */
static tally_status ff1_words_decrypt_ff3_1(const tally_ff3_1 *cipher, uint32_t length,
                                            const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                            size_t count)
{
    const size_t common = tweaks->common_size;
    tally_status status = TALLY_OK;
    if (tweaks->rows == NULL || common == 0) {
        return tally_ff3_1_run(cipher, length, tweaks, words, count);
    }
    for (size_t first = 0, some; first < count && status == TALLY_OK; first += some) {
        uint8_t joined[FF1_WORDS_BLOCK][TALLY_FF3_1_TWEAK];
        const uint8_t *rows[FF1_WORDS_BLOCK];
        size_t sizes[FF1_WORDS_BLOCK];
        some = count - first < FF1_WORDS_BLOCK ? count - first : FF1_WORDS_BLOCK;
        for (size_t i = 0; i < some; i++) {
            const size_t own = tweaks->row_sizes[first + i];
            memcpy(joined[i], tweaks->common, common);
            if (own != 0) {
                memcpy(joined[i] + common, tweaks->rows[first + i], own);
            }
            rows[i] = joined[i];
            sizes[i] = common + own;
        }
        const tally_ff1_tweaks whole = {.rows = rows, .row_sizes = sizes};
        status = tally_ff3_1_run(cipher, length, &whole, words + first, some);
    }
    return status;
}

void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    ff1_words_note(
        cipher,
        pool->ff3_1 != NULL
            ? ff1_words_decrypt_ff3_1(pool->ff3_1, params->length, tweaks, words, count)
            : tally_ff1_run(pool->ff1, direction, params->length, tweaks, words, count, NULL));
}

/* Words side by side, under one tweak. */
static tally_status ff1_words_side_by_side(const tally_fast_pool *pool, tally_direction direction,
                                           size_t length, const uint8_t *tweak, size_t tweak_size,
                                           const uint8_t *words, size_t count, uint8_t *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return pool->ff3_1 != NULL ? tally_ff3_1_decrypt_words(pool->ff3_1, (uint32_t)length, tweak,
                                                           tweak_size, words, count, out)
                               : tally_ff1_words(pool->ff1, direction, (uint32_t)length, &tweaks,
                                                 words, count, out);
}

void tally_ff1_words_run(tally_fast_cipher *cipher, const tally_fast_params *params,
                         tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                         uint8_t *const *words, size_t count)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    tally_ff1_words_tweaks(cipher, params, direction, &tweaks, words, count);
}

size_t tally_ff1_words_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                    tally_direction direction, const uint8_t *tweak,
                                    size_t tweak_size, const uint8_t *words, size_t count,
                                    uint8_t *out)
{
    const tally_status status = ff1_words_side_by_side(cipher->pool, direction, params->length,
                                                       tweak, tweak_size, words, count, out);
    if (status == TALLY_ERROR_FF1_SYMBOL) {
        return 0;
    }
    ff1_words_note(cipher, status);
    return count;
}

void tally_ff1_words_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                           tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                           size_t groups)
{
    const tally_fast_lanes *lanes = cipher->pool->lanes;
    const tally_transpose *transpose = lanes->transpose;
    const size_t length = params->length, stride = groups * lanes->width;
    uint8_t words[FF1_WORDS_BYTES];
    if (cipher->pool->ff1 != NULL && stride % FF1_WORDS_BLOCK == 0 &&
        tally_ff1_run_lanes(cipher->pool->ff1, direction, (uint32_t)length, tweak, tweak_size,
                            cipher->lane_state, stride, stride)) {
        return;
    }
    for (size_t first = 0; first < stride; first += FF1_WORDS_BLOCK) {
        const size_t left = stride - first, count = left < FF1_WORDS_BLOCK ? left : FF1_WORDS_BLOCK;
        uint8_t *const state = cipher->lane_state + first;
        transpose->words_from_lanes(state, stride, count, length, 0, words);
        /* Idle lanes have anything, of which only the symbols below the radix count. */
        for (size_t i = 0; i < count * length; i++) {
            words[i] &= (uint8_t)(0 - (words[i] < params->radix));
        }
        ff1_words_note(cipher, ff1_words_side_by_side(cipher->pool, direction, length, tweak,
                                                      tweak_size, words, count, words));
        (void)transpose->words_to_lanes(words, count, length, stride, 0, 256, state);
    }
    tally_wipe(words, sizeof words);
}

/* ---- core/fast/words/groups.c ---- */
/*
 * Rows by hashes of their tweaks. Tweaks are no secrets. */

/* ---- core/fast/words/groups.h ---- */
/*
 * Groups: a counting sort of many rows by a hash of their tweaks, so that rows of equal tweaks come
 * together. Rows of a group may have several tweaks: callers tell them apart. So hashes that
 * collide, by chance or on purpose, cost no more than rows in their first order. */
#ifndef TALLY_FAST_WORDS_GROUPS_H
#define TALLY_FAST_WORDS_GROUPS_H

enum {
    TALLY_GROUPS_BITS = 12,      /* of a group's number, at most */
    TALLY_GROUPS_MOST = 1 << 20, /* rows: a row's number and 12 bits of its hash are 32 */
    TALLY_GROUPS_NONE = 1 << TALLY_GROUPS_BITS /* the number of a row that is in no group */
};

typedef struct tally_groups {
    size_t capacity;                 /* rows */
    size_t rows;                     /* so far */
    unsigned bits;                   /* of the number of a group */
    uint32_t *order;                 /* the rows, group by group: see tally_groups_row */
    uint32_t *hash;                  /* of each row: 24 bits, the upper ones its group's number */
    uint32_t end[TALLY_GROUPS_NONE]; /* where each group ends in `order`; until then, its rows */
} tally_groups;

/* Bytes of memory for so many rows; 0: too few to gain. */
size_t tally_groups_size(size_t rows);

/* Sets groups up in memory of any alignment, which may be less or more than the rows need. Returns
 * NULL if it is not enough for more rows than a batch. */
tally_groups *tally_groups_init(void *memory, size_t size, uint64_t rows);

/* Begins again, with `rows` rows to come. */
void tally_groups_clear(tally_groups *groups, size_t rows);

/* Adds a row with its hash; or one that is in no group. At most groups->capacity. */
static inline void tally_groups_add(tally_groups *groups, uint64_t hash)
{
    groups->hash[groups->rows++] = (uint32_t)(hash >> 2 * (32 - TALLY_GROUPS_BITS));
    groups->end[hash >> (64 - groups->bits)]++;
}

static inline void tally_groups_skip(tally_groups *groups)
{
    groups->hash[groups->rows++] = UINT32_MAX;
}

/* Row number i in the order of groups. */
static inline uint32_t tally_groups_row(const tally_groups *groups, size_t i)
{
    return groups->order[i] & (TALLY_GROUPS_MOST - 1);
}

/* Sorts: groups->order lists the rows that are in a group. Those of group g end before end[g]; in a
 * group that is not large, rows of equal hashes lie together. */
void tally_groups_sort(tally_groups *groups);

/* Whether many rows seem to have the hash of another; if few do, _undo lists rows as they came, in
 * one group: that is faster to go through. */
int tally_groups_gain(const tally_groups *groups);
void tally_groups_undo(tally_groups *groups);

/* A hash of bytes: every byte reaches the upper bits. `hash` is that of bytes before, or 0. */
uint64_t tally_groups_hash(uint64_t hash, const uint8_t *bytes, size_t size);

/* The same for eight bytes. */
static inline uint64_t tally_groups_hash_eight(uint64_t hash, uint64_t eight)
{
    hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Its upper bits are the number of a group. */
static inline uint64_t tally_groups_hash_end(uint64_t hash)
{
    return hash * UINT64_C(0xd6e8feb86659fd93);
}

#endif

enum {
    GROUPS_ROW = 2 * sizeof(uint32_t),
    GROUPS_SAMPLE = 8192, /* rows that tell whether many hashes are equal */
    GROUPS_SORTED = 4096, /* rows of a group that is sorted, at most */
    GROUPS_ROWS = 256     /* of a group, where there are so many: few beside those of a batch */
};

size_t tally_groups_size(size_t rows)
{
    return rows <= TALLY_FAST_ROWS ? 0
                                   : TALLY_ALIGNMENT - 1 + sizeof(tally_groups) + rows * GROUPS_ROW;
}

tally_groups *tally_groups_init(void *memory, size_t size, uint64_t rows)
{
    if (memory == NULL || rows <= TALLY_FAST_ROWS ||
        size < tally_groups_size(TALLY_FAST_ROWS + 1)) {
        return NULL;
    }
    const size_t capacity = (size - (TALLY_ALIGNMENT - 1) - sizeof(tally_groups)) / GROUPS_ROW;
    tally_groups *groups = tally_align(memory);
    groups->capacity = rows < capacity ? (size_t)rows : capacity;
    if (groups->capacity > TALLY_GROUPS_MOST) {
        groups->capacity = TALLY_GROUPS_MOST;
    }
    groups->order = (uint32_t *)(groups + 1);
    groups->hash = groups->order + groups->capacity;
    return groups;
}

void tally_groups_clear(tally_groups *groups, size_t rows)
{
    unsigned bits = 1;
    while (bits < TALLY_GROUPS_BITS && rows >> bits > GROUPS_ROWS) {
        bits++;
    }
    groups->rows = 0;
    groups->bits = bits;
    memset(groups->end, 0, sizeof groups->end);
}

/* Sorts the rows of a group by the next bits of their hashes. */
static void groups_sort_one(uint32_t *order, size_t count)
{
    enum { CLASSES = 256, SHIFT = 24 };
    uint32_t sorted[GROUPS_SORTED];
    uint16_t end[CLASSES + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        end[(order[i] >> SHIFT) + 1]++;
    }
    for (size_t i = 0; i < CLASSES; i++) {
        end[i + 1] = (uint16_t)(end[i + 1] + end[i]);
    }
    for (size_t i = 0; i < count; i++) {
        sorted[end[order[i] >> SHIFT]++] = order[i];
    }
    memcpy(order, sorted, count * sizeof *order);
}

void tally_groups_sort(tally_groups *groups)
{
    const unsigned shift = 2 * TALLY_GROUPS_BITS - groups->bits;
    uint32_t before = 0;
    for (size_t i = 0; i < TALLY_GROUPS_NONE; i++) {
        const uint32_t rows = groups->end[i];
        groups->end[i] = before;
        before += rows;
    }
    for (size_t i = 0; i < groups->rows; i++) {
        const uint32_t hash = groups->hash[i];
        if (hash != UINT32_MAX) {
            groups->order[groups->end[hash >> shift]++] = hash << 20 | (uint32_t)i;
        }
    }
    for (size_t i = 0, start = 0; i < TALLY_GROUPS_NONE; start = groups->end[i++]) {
        const size_t rows = groups->end[i] - start;
        if (rows > 1 && rows <= GROUPS_SORTED) {
            groups_sort_one(groups->order + start, rows);
        }
    }
}

int tally_groups_gain(const tally_groups *groups)
{
    const size_t count = groups->end[TALLY_GROUPS_NONE - 1],
                 some = count < GROUPS_SAMPLE ? count : GROUPS_SAMPLE;
    size_t equal = 0;
    for (size_t i = 1; i < some; i++) {
        equal += groups->order[i] >> 20 == groups->order[i - 1] >> 20;
    }
    return 4 * equal >= some;
}

void tally_groups_undo(tally_groups *groups)
{
    uint32_t count = 0;
    for (size_t i = 0; i < groups->rows; i++) {
        groups->order[count] = (uint32_t)i;
        count += groups->hash[i] != UINT32_MAX;
    }
    for (size_t i = 0; i < TALLY_GROUPS_NONE; i++) {
        groups->end[i] = count;
    }
}

uint64_t tally_groups_hash(uint64_t hash, const uint8_t *bytes, size_t size)
{
    for (; size > 8; bytes += 8, size -= 8) {
        hash = tally_groups_hash_eight(hash, tally_load_few(bytes, 8));
    }
    return tally_groups_hash_eight(hash, tally_load_few(bytes, size) ^ (uint64_t)size << 56);
}

/* ---- core/fast/words/layers.c ---- */
/*
 * The layers of FAST on one word (paper, section 4). A layer takes away the first symbol and
 * appends one, so symbols form a line: symbol i before layer k is number i + k of the line. Short
 * words are worked on as such a line. Longer ones are circular buffers: number n is at n mod l,
 * where the new symbol replaces the one that its layer took.
 *
 * The speed is limited by the chain from a new symbol to the one w' layers later that needs it:
 * two dependent look-ups. (Backwards it is one look-up, w layers later.) So these symbols stay in
 * registers where words are up to 25 symbols long, all else of an address is computed before they
 * come, and the reduction modulo the radix is of one of three kinds.
 *
 * S-boxes are looked up at secret indices: docs/explanation/side-channels.md has the details. */

/* ---- core/fast/words/layers.h ---- */
/*
 * The layers of FAST on one word. */
#ifndef TALLY_FAST_WORDS_LAYERS_H
#define TALLY_FAST_WORDS_LAYERS_H

/* Applies layers first .. first + count - 1, whose S-boxes are indices[0 .. count), to a word of
 * length l >= 2, or undoes them, from the last to the first. The word does not rotate: symbol i
 * before layer k is word[(i + k) mod l]. After a whole number of rounds it is in order. */
void tally_fast_layers(const tally_fast_pool *pool, const tally_fast_params *params,
                       tally_direction direction, uint64_t first, const uint8_t *indices,
                       size_t count, uint8_t *word);

#endif

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

enum {
    LAYERS_SHORT = 64, /* symbols of a word that is worked on as a line, at most */
    LAYERS_PART = 720, /* layers at a time */
    LAYERS_NEAR = 5    /* symbols that stay in registers, at most */
};

/* How indices are reduced: by tables that hold every sum and difference (LAYERS_EXPANDED), by a
 * masked subtraction (LAYERS_MASKED), or by a byte's own overflow at radix 256 (LAYERS_WRAPPED). */
typedef enum layers_reduction { LAYERS_EXPANDED, LAYERS_MASKED, LAYERS_WRAPPED } layers_reduction;

typedef struct layers_word {
    const uint8_t *table;
    size_t stride;
    ptrdiff_t radix;
    uint32_t length, w, w_prime;
} layers_word;

TALLY_INLINE ptrdiff_t layers_wrap_negative(ptrdiff_t x, ptrdiff_t radix)
{
    return x + (radix & (x >> (8 * sizeof x - 1)));
}

/* S[(base + x) mod a]. `x` comes late: the address it is added to is computed before. */
TALLY_INLINE ptrdiff_t layers_look_up_sum(const uint8_t *sbox, ptrdiff_t base, ptrdiff_t x,
                                          ptrdiff_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return tally_barrier_address(sbox + base)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(base + x)];
    }
    return sbox[layers_wrap_negative(base - radix + x, radix)];
}

/* S[(x - minus) mod a]. Again `x` comes late. */
TALLY_INLINE ptrdiff_t layers_look_up_difference(const uint8_t *sbox, ptrdiff_t minus, ptrdiff_t x,
                                                 ptrdiff_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return tally_barrier_address(sbox - minus)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(x - minus)];
    }
    return sbox[layers_wrap_negative(x - minus, radix)];
}

/* What a layer subtracts if w is 0. */
static const uint8_t layers_nothing[LAYERS_PART] = {0};

/* Where the symbols of some layers are, in the order of the layers. */
typedef struct layers_places {
    uint8_t *taken, *made;
    const uint8_t *at_w, *at_w_prime; /* number w of the word, and the one made w' layers before */
} layers_places;

/* The symbol that a layer makes; `far` is the one made w' layers before, `minus` symbol w. */
TALLY_INLINE ptrdiff_t layers_make(const layers_word *run, uint8_t index, ptrdiff_t taken,
                                   ptrdiff_t far, ptrdiff_t minus, layers_reduction kind)
{
    const uint8_t *sbox = run->table + index * run->stride;
    const ptrdiff_t sum = layers_look_up_sum(sbox, taken, far, run->radix, kind);
    return layers_look_up_difference(sbox, minus, sum, run->radix, kind);
}

/* The symbol that a layer took; `far` and `minus` are those that it was made of. */
TALLY_INLINE ptrdiff_t layers_restore(const layers_word *run, uint8_t index, ptrdiff_t made,
                                      ptrdiff_t far, ptrdiff_t minus, layers_reduction kind)
{
    const uint8_t *sbox = run->table + index * run->stride;
    const ptrdiff_t sum = layers_look_up_sum(sbox, sbox[made], minus, run->radix, kind) - far;
    return kind == LAYERS_WRAPPED ? (uint8_t)sum : layers_wrap_negative(sum, run->radix);
}

TALLY_INLINE void layers_forward(const layers_word *run, const uint8_t *indices, size_t first,
                                 size_t count, const layers_places *places, layers_reduction kind)
{
    const uint8_t *const taken = places->taken, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime;
    for (size_t i = first; i < count; i++) {
        places->made[i] =
            (uint8_t)layers_make(run, indices[i], taken[i], at_w_prime[i], at_w[i], kind);
    }
}

/* Layers in groups of w', a constant here; returns the number of layers done. The symbols that the
 * next group needs stay in registers. */
TALLY_INLINE size_t layers_forward_by(uint32_t w_prime, const layers_word *run,
                                      const uint8_t *indices, size_t count,
                                      const layers_places *places, layers_reduction kind)
{
    const uint8_t *const taken = places->taken, *const at_w = places->at_w;
    uint8_t *const made = places->made;
    ptrdiff_t last[LAYERS_NEAR];
    size_t i = 0;
    TALLY_UNROLL(LAYERS_NEAR)
    for (size_t k = 0; k < w_prime; k++) {
        last[k] = places->at_w_prime[k];
    }
    for (; count - i >= w_prime; i += w_prime) {
        TALLY_UNROLL(LAYERS_NEAR)
        for (size_t k = 0; k < w_prime; k++) {
            last[k] = layers_make(run, indices[i + k], taken[i + k], last[k], at_w[i + k], kind);
            made[i + k] = (uint8_t)last[k];
        }
    }
    return i;
}

TALLY_INLINE void layers_backward(const layers_word *run, const uint8_t *indices, size_t count,
                                  const layers_places *places, layers_reduction kind)
{
    const uint8_t *const made = places->made, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime;
    for (size_t left = count; left > 0; left--) {
        const size_t i = left - 1;
        places->taken[i] =
            (uint8_t)layers_restore(run, indices[i], made[i], at_w_prime[i], at_w[i], kind);
    }
}

/* Layers in groups of w, a constant here, from the last one on; returns the number of layers left.
 * The symbols that the next group needs stay in registers. */
TALLY_INLINE size_t layers_backward_by(uint32_t w, const layers_word *run, const uint8_t *indices,
                                       size_t count, const layers_places *places,
                                       layers_reduction kind)
{
    const uint8_t *const made = places->made, *const at_w_prime = places->at_w_prime;
    uint8_t *const taken = places->taken;
    ptrdiff_t last[LAYERS_NEAR];
    size_t left = count;
    if (count < w) {
        return count;
    }
    TALLY_UNROLL(LAYERS_NEAR)
    for (size_t k = 0; k < w; k++) {
        last[k] = places->at_w[count - 1 - k];
    }
    for (; left >= w; left -= w) {
        TALLY_UNROLL(LAYERS_NEAR)
        for (size_t k = 0; k < w; k++) {
            const size_t i = left - 1 - k;
            last[k] = layers_restore(run, indices[i], made[i], at_w_prime[i], last[k], kind);
            taken[i] = (uint8_t)last[k];
        }
    }
    return left;
}

/* Other w and w' than those of words of up to 25 symbols leave all layers to the general loop. */
TALLY_INLINE void layers_run_kind(const layers_word *run, tally_direction direction,
                                  const uint8_t *indices, size_t count, const layers_places *places,
                                  layers_reduction kind, int is_line)
{
    if (direction == TALLY_ENCRYPT) {
        const uint32_t w_prime = is_line ? run->w_prime : 0;
        const size_t done = w_prime == 1   ? layers_forward_by(1, run, indices, count, places, kind)
                            : w_prime == 2 ? layers_forward_by(2, run, indices, count, places, kind)
                            : w_prime == 3 ? layers_forward_by(3, run, indices, count, places, kind)
                            : w_prime == 4 ? layers_forward_by(4, run, indices, count, places, kind)
                                           : 0;
        layers_forward(run, indices, done, count, places, kind);
    } else {
        const uint32_t w = is_line ? run->w : 0;
        const size_t left = w == 1   ? layers_backward_by(1, run, indices, count, places, kind)
                            : w == 2 ? layers_backward_by(2, run, indices, count, places, kind)
                            : w == 3 ? layers_backward_by(3, run, indices, count, places, kind)
                            : w == 4 ? layers_backward_by(4, run, indices, count, places, kind)
                            : w == 5 ? layers_backward_by(5, run, indices, count, places, kind)
                                     : count;
        layers_backward(run, indices, left, places, kind);
    }
}

TALLY_INLINE void layers_run(const layers_word *given, tally_direction direction,
                             const uint8_t *indices, size_t count, const layers_places *places,
                             int is_line)
{
    const layers_word run = *given; /* which no symbol that is written can change */
    if (run.radix <= TALLY_FAST_MAX_EXPANDED) {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_EXPANDED, is_line);
    } else if (run.radix != 256) {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_MASKED, is_line);
    } else {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_WRAPPED, is_line);
    }
}

/* Copies a word that begins at a place of its circular buffer to a line, and back. */
static void layers_unroll(const uint8_t *word, uint32_t length, uint32_t place, uint8_t *line)
{
    memcpy(line, word + place, length - place);
    if (place != 0) {
        memcpy(line + (length - place), word, place);
    }
}

static void layers_roll(const uint8_t *line, uint32_t length, uint32_t place, uint8_t *word)
{
    memcpy(word + place, line, length - place);
    if (place != 0) {
        memcpy(word, line + (length - place), place);
    }
}

/* Layers of a short word, at most LAYERS_PART. */
static void layers_run_line(const layers_word *run, tally_direction direction, uint64_t first,
                            const uint8_t *indices, size_t count, uint8_t *word)
{
    uint8_t line[LAYERS_SHORT + LAYERS_PART];
    const uint32_t length = run->length, before = (uint32_t)(first % length),
                   after = (uint32_t)((first + count) % length);
    const layers_places places = {line, line + length, run->w != 0 ? line + run->w : layers_nothing,
                                  line + length - run->w_prime};
    if (direction == TALLY_DECRYPT) {
        layers_unroll(word, length, after, line + count);
    } else {
        layers_unroll(word, length, before, line);
    }
    layers_run(run, direction, indices, count, &places, 1);
    if (direction == TALLY_DECRYPT) {
        layers_roll(line, length, before, word);
    } else {
        layers_roll(line + count, length, after, word);
    }
    tally_wipe(line, length + count);
}

/* The place `distance` <= length behind another one in a circular buffer. */
TALLY_INLINE uint32_t layers_behind(uint32_t place, uint32_t distance, uint32_t length)
{
    return place < length - distance ? place + distance : place - (length - distance);
}

TALLY_INLINE uint32_t layers_most(const uint32_t places[3])
{
    const uint32_t most = places[0] > places[1] ? places[0] : places[1];
    return most > places[2] ? most : places[2];
}

TALLY_INLINE uint32_t layers_least(const uint32_t places[3])
{
    const uint32_t least = places[0] < places[1] ? places[0] : places[1];
    return least < places[2] ? least : places[2];
}

/* Layers of a longer word: as many at a time as reach neither end of the buffer. */
static void layers_run_circular(const layers_word *run, tally_direction direction, uint64_t first,
                                const uint8_t *indices, size_t count, uint8_t *word)
{
    const uint32_t length = run->length;
    const int back = direction == TALLY_DECRYPT;
    uint32_t place = (uint32_t)((back ? first + count : first) % length);
    for (size_t left = count; left > 0;) {
        /* Of the layer that is the next one; when decrypting, of the one behind it. */
        uint32_t at[3] = {place, layers_behind(place, run->w, length),
                          layers_behind(place, length - run->w_prime, length)};
        for (size_t i = 0; i < 3; i++) {
            at[i] = back && at[i] == 0 ? length : at[i];
        }
        const uint32_t room = back ? layers_least(at) : length - layers_most(at),
                       most = room < LAYERS_PART ? room : LAYERS_PART,
                       part = left < most ? (uint32_t)left : most, step = back ? part : 0;
        const layers_places places = {word + (at[0] - step), word + (at[0] - step),
                                      run->w != 0 ? word + (at[1] - step) : layers_nothing,
                                      word + (at[2] - step)};
        layers_run(run, direction, indices + (back ? left - part : count - left), part, &places, 0);
        left -= part;
        place = back ? at[0] - part : layers_behind(place, part, length);
    }
}

void tally_fast_layers(const tally_fast_pool *pool, const tally_fast_params *params,
                       tally_direction direction, uint64_t first, const uint8_t *indices,
                       size_t count, uint8_t *word)
{
    const layers_word run = {pool->tables[direction], pool->stride, (ptrdiff_t)pool->radix,
                             params->length,          params->w,    params->w_prime};
    if (run.length > LAYERS_SHORT) {
        layers_run_circular(&run, direction, first, indices, count, word);
        return;
    }
    for (size_t left = count; left > 0;) {
        const size_t part = left < LAYERS_PART ? left : LAYERS_PART,
                     at = direction == TALLY_DECRYPT ? left - part : count - left;
        layers_run_line(&run, direction, first + at, indices + at, part, word);
        left -= part;
    }
}

/* ---- core/fast/words/many_tweaks.c ---- */
/*
 * Words of one length under many tweaks: groups of lanes with a sequence each, or lanes with a
 * sequence each. */

/* ---- core/fast/words/many_tweaks.h ---- */
/*
 * Words of one length under many tweaks, bucket by bucket. Buckets of many words have groups of
 * lanes of their own, so that different sequences run side by side; buckets of few words have lanes
 * of their own, if there is a back end with an S-box for each lane. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

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

enum {
    TALLY_MANY_TWEAKS_WAITING = 512, /* buckets that wait to be run, at most */
    TALLY_MANY_TWEAKS_FF1 = 256      /* words of FF1 that wait, at most */
};

/* The words of a bucket: at most 2^16. */
typedef struct tally_fast_waiting {
    tally_tweak_tail tail;
    uint8_t *const *words;
    size_t count;
} tally_fast_waiting;

typedef struct tally_fast_many_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_fast_lanes *lanes;
    int use_cache;               /* whether sequences are cached: those of few tweaks are */
    const tally_own_sboxes *own; /* NULL: there is no such back end, or it would not gain */
    int has_own_tables;
    tally_many_sequences sequences; /* without a back end: one by one */
    size_t state_used;              /* of the cipher's lane_state */
    size_t taken, most;             /* groups that wait for run, and the most that ever did */
    struct {
        uint8_t *const *words;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
    uint8_t *tweak; /* the common part; behind it a bucket's tail is written */
    size_t common;
    struct {
        size_t count;
        uint8_t *words[TALLY_MANY_TWEAKS_FF1];
        const uint8_t *tails[TALLY_MANY_TWEAKS_FF1];
        size_t tail_sizes[TALLY_MANY_TWEAKS_FF1];
    } ff1; /* of FF1 alone */
    size_t waiting;
    tally_fast_waiting bucket[TALLY_MANY_TWEAKS_WAITING];
    _Alignas(64) uint8_t own_tables[TALLY_OWN_SBOXES_TABLES];
} tally_fast_many_tweaks;

/* Begins a run of `buckets` buckets with `words` words in all. Each tweak is tweak[0 .. common) and
 * then the tail of its bucket, for which there is room behind it. */
void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out);

/* Encrypts or decrypts the `count` words of a bucket in place, now or in a later call. `tail` and
 * `words` must last until tally_fast_many_tweaks_final. */
void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count);

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job);

#endif

/* ---- core/fast/words/run.h ---- */
/*
 * Words through all their layers, in place: in rows anywhere, or on lanes in the cipher's
 * lane_state. */
#ifndef TALLY_FAST_WORDS_RUN_H
#define TALLY_FAST_WORDS_RUN_H

/* The back end for so many words: the pool's, or the portable one if they are too few. */
const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words);

/* The groups of lanes for `count` words of a length: as few as hold them, and no more than fit into
 * lane_state. */
size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count);

/* Encrypts or decrypts words[0 .. count) in place; params are of the pool, symbols below its
 * radix. */
void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count);

/* The same for words side by side, from `words` to `out`, which may be equal; not for words of two
 * bytes of the legacy profile. Returns how many words were done: all, or those before a batch in
 * which a symbol is not below the radix. Of that batch and those behind it nothing is written. */
size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out);

/* The same for words in the cipher's lane_state, at most as many as the groups have lanes. `next`
 * may be NULL. */
void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next);

/* The same on a back end of tally_fast_lanes_for, under cipher->sequences[g] for group g of
 * TALLY_FAST_GROUPS, or under the first one for a single group. */
void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups);

#endif

enum {
    MANY_TWEAKS_FEW_WORDS = 8,    /* fewer are put on lanes symbol by symbol */
    MANY_TWEAKS_FEW_GROUPS = 2,   /* so many are faster one after the other */
    MANY_TWEAKS_OWN_RUN = 3,      /* a bucket of so many groups runs by itself */
    MANY_TWEAKS_FEW_BUCKETS = 32, /* the sequences of fewer are faster one by one */
    /* Lanes with an S-box each take the time of so many groups with a sequence each. */
    MANY_TWEAKS_OWN_COST = 7
};

/* Sequences that are derived together lie in lane_state behind the symbols of all groups: layer by
 * layer, and then one by one. These are bytes of the symbols, and of the sequences each time. */
static size_t many_tweaks_symbols(const tally_fast_params *params)
{
    return (size_t)params->length * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES;
}

static size_t many_tweaks_matrix(const tally_fast_params *params)
{
    return ((size_t)params->layers + 3) / 4 * 4 * TALLY_MANY_SEQUENCES;
}

void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out)
{
    out->cipher = cipher;
    out->params = params;
    out->direction = direction;
    out->tweak = tweak;
    out->common = common;
    out->use_cache = 2 * buckets <= cipher->capacity;
    out->own = NULL;
    out->has_own_tables = 0;
    out->state_used = 0;
    out->taken = 0;
    out->most = 0;
    out->waiting = 0;
    out->ff1.count = 0;
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        return;
    }
    out->lanes = tally_fast_lanes_for(cipher->pool, words / buckets);
    const tally_many_sequences_backend *backend = NULL;
    /* Like its lanes, a pool keeps to the CPU features that it was made with. */
    const int wide = (cipher->pool->lanes->backend.needs & TALLY_CPU_AVX512VBMI) != 0;
    if (wide && !out->use_cache && buckets >= MANY_TWEAKS_FEW_BUCKETS &&
        params->layers <= TALLY_FAST_CACHE_LAYERS &&
        many_tweaks_symbols(params) + 2 * many_tweaks_matrix(params) <= TALLY_FAST_LANE_STATE) {
        backend = tally_many_sequences_choose();
    }
    tally_many_sequences_init(backend, cipher->pool, params, tweak, common, &out->sequences);
    if (backend != NULL) {
        out->own = tally_own_sboxes_choose(params->radix);
    }
}

static void many_tweaks_to_lanes(const tally_fast_many_tweaks *job, size_t g, size_t groups,
                                 uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = job->lanes;
    uint8_t *const *words = job->group[g].words;
    size_t count = job->group[g].count, length = job->params->length,
           stride = groups * lanes->width;
    if (count >= MANY_TWEAKS_FEW_WORDS) {
        lanes->transpose->to_lanes((const uint8_t *const *)words, count, length, stride,
                                   lane_state);
        return;
    }
    /* Lanes without a word are run too: their bytes may not be symbols. */
    for (size_t p = 0; p < length; p++) {
        uint8_t *lane = lane_state + p * stride;
        memset(lane, 0, lanes->width);
        for (size_t k = 0; k < count; k++) {
            lane[k] = words[k][p];
        }
    }
}

static void many_tweaks_from_lanes(const tally_fast_many_tweaks *job, size_t g, size_t groups,
                                   const uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = job->lanes;
    size_t stride = groups * lanes->width;
    lanes->transpose->from_lanes(lane_state, stride, job->group[g].count, job->params->length,
                                 job->group[g].words);
}

/* Runs group by group. */
static void many_tweaks_run_apart(const tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    for (size_t g = 0; g < job->taken; g++) {
        if (g != 0) {
            memcpy(cipher->sequences[0], cipher->sequences[g], job->params->layers);
        }
        many_tweaks_to_lanes(job, g, 1, cipher->lane_state);
        tally_fast_run_groups(cipher, job->lanes, job->params, job->direction, 1);
        many_tweaks_from_lanes(job, g, 1, cipher->lane_state);
    }
}

/* Runs all groups side by side; idle ones repeat the first. */
static void many_tweaks_run_together(const tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    size_t lanes = job->lanes->width;
    for (size_t g = 0; g < TALLY_FAST_GROUPS; g++) {
        many_tweaks_to_lanes(job, g < job->taken ? g : 0, TALLY_FAST_GROUPS,
                             cipher->lane_state + g * lanes);
    }
    tally_fast_run_groups(cipher, job->lanes, job->params, job->direction, TALLY_FAST_GROUPS);
    for (size_t g = 0; g < job->taken; g++) {
        many_tweaks_from_lanes(job, g, TALLY_FAST_GROUPS, cipher->lane_state + g * lanes);
    }
}

static void many_tweaks_use_state(tally_fast_many_tweaks *job, size_t size)
{
    job->state_used = size > job->state_used ? size : job->state_used;
}

static void many_tweaks_run_groups(tally_fast_many_tweaks *job)
{
    const int few = job->taken <= MANY_TWEAKS_FEW_GROUPS;
    if (few) {
        many_tweaks_run_apart(job);
    } else {
        many_tweaks_run_together(job);
    }
    if (job->taken > 0) {
        many_tweaks_use_state(job, job->params->length * job->lanes->width *
                                       (few ? 1 : TALLY_FAST_GROUPS));
    }
    job->most = job->taken > job->most ? job->taken : job->most;
    job->taken = 0;
}

/* Adds the words of a bucket to the groups: `sequence` is theirs. */
static void many_tweaks_group(tally_fast_many_tweaks *job, const uint8_t *sequence,
                              uint8_t *const *words, size_t count)
{
    tally_fast_cipher *cipher = job->cipher;
    const size_t width = job->lanes->width;
    while (count > 0) {
        size_t part = count < width ? count : width;
        if (sequence != cipher->sequences[job->taken]) {
            memcpy(cipher->sequences[job->taken], sequence, job->params->layers);
            sequence = cipher->sequences[job->taken];
        }
        job->group[job->taken].words = words;
        job->group[job->taken].count = part;
        words += part;
        count -= part;
        if (++job->taken == TALLY_FAST_GROUPS) {
            many_tweaks_run_groups(job);
        }
    }
}

/* Completes the tweak of a bucket; returns its size. */
static size_t many_tweaks_whole(const tally_fast_many_tweaks *job, const tally_tweak_tail *tail)
{
    if (tail->size != 0) {
        memcpy(job->tweak + job->common, tail->bytes, tail->size);
    }
    return job->common + tail->size;
}

/* A bucket by itself, or with a sequence that is derived by itself. */
static void many_tweaks_one(tally_fast_many_tweaks *job, const tally_fast_waiting *bucket)
{
    tally_fast_cipher *cipher = job->cipher;
    const size_t width = job->lanes->width, size = many_tweaks_whole(job, &bucket->tail);
    if (job->params->layers > TALLY_FAST_CACHE_LAYERS ||
        bucket->count >= MANY_TWEAKS_OWN_RUN * width ||
        job->params->length * width * TALLY_FAST_GROUPS > TALLY_FAST_LANE_STATE) {
        tally_fast_run_words(cipher, job->params, job->direction, job->tweak, size, bucket->words,
                             bucket->count);
        return;
    }
    uint8_t *sequence = cipher->sequences[job->taken];
    tally_fast_sequence(cipher, job->params, job->tweak, size, job->use_cache, sequence);
    many_tweaks_group(job, sequence, bucket->words, bucket->count);
}

/* Sorts the buckets that wait by their words, most first. */
static void many_tweaks_sort(tally_fast_many_tweaks *job, uint16_t *sorted)
{
    enum { MOST = MANY_TWEAKS_OWN_RUN * TALLY_FAST_MAX_LANES };
    uint16_t end[MOST + 2] = {0};
    for (size_t i = 0; i < job->waiting; i++) {
        end[MOST + 1 - job->bucket[i].count]++;
    }
    for (size_t i = 0; i <= MOST; i++) {
        end[i + 1] = (uint16_t)(end[i + 1] + end[i]);
    }
    for (size_t i = 0; i < job->waiting; i++) {
        sorted[end[MOST - job->bucket[i].count]++] = (uint16_t)i;
    }
}

/* Buckets on lanes: word i of each bucket in pass i. The first bucket has most words. */
static void many_tweaks_run_own(tally_fast_many_tweaks *job, const uint16_t *sorted, size_t count,
                                const uint8_t *indices)
{
    const tally_fast_params *params = job->params;
    const tally_transpose *transpose = job->cipher->pool->lanes->transpose;
    const tally_fast_pool *pool = job->cipher->pool;
    if (!job->has_own_tables) {
        tally_own_sboxes_lay_out(pool->radix, pool->tables[job->direction], pool->stride,
                                 job->own_tables);
        job->has_own_tables = 1;
    }
    const tally_own_sboxes_job run = {.tables = job->own_tables,
                                      .radix = pool->radix,
                                      .length = params->length,
                                      .w = params->w,
                                      .w_prime = params->w_prime,
                                      .indices = indices,
                                      .count = params->layers,
                                      .state = job->cipher->lane_state};
    const size_t most = job->bucket[sorted[0]].count;
    for (size_t pass = 0; pass < most; pass++) {
        uint8_t *words[TALLY_OWN_SBOXES_LANES];
        size_t taken = 0;
        while (taken < count && job->bucket[sorted[taken]].count > pass) {
            words[taken] = job->bucket[sorted[taken]].words[pass];
            taken++;
        }
        if (taken < TALLY_OWN_SBOXES_LANES) { /* bytes left there may not be symbols */
            memset(run.state, 0, params->length * TALLY_OWN_SBOXES_LANES);
        }
        transpose->to_lanes((const uint8_t *const *)words, taken, params->length,
                            TALLY_OWN_SBOXES_LANES, run.state);
        job->own->run(job->direction, &run);
        transpose->from_lanes(run.state, TALLY_OWN_SBOXES_LANES, taken, params->length, words);
    }
}

/* Runs up to TALLY_MANY_SEQUENCES buckets whose sequences are derived together. */
static void many_tweaks_run_some(tally_fast_many_tweaks *job, const uint16_t *sorted, size_t count)
{
    const size_t layers = job->params->layers, width = job->lanes->width;
    const size_t symbols = many_tweaks_symbols(job->params),
                 matrix = many_tweaks_matrix(job->params);
    uint8_t *indices = job->cipher->lane_state + symbols;
    tally_tweak_tail tails[TALLY_MANY_SEQUENCES];
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        tails[i] = job->bucket[sorted[i]].tail;
        groups += (job->bucket[sorted[i]].count + width - 1) / width;
    }
    tally_many_sequences_derive(&job->sequences, tails, count, indices);
    many_tweaks_use_state(job, symbols + matrix);
    if (job->own != NULL && MANY_TWEAKS_OWN_COST * job->bucket[sorted[0]].count <= groups) {
        many_tweaks_run_own(job, sorted, count, indices);
        return;
    }
    uint8_t *rows[TALLY_MANY_SEQUENCES];
    for (size_t i = 0; i < count; i++) {
        rows[i] = indices + matrix + i * layers;
    }
    job->cipher->pool->lanes->transpose->from_lanes(indices, TALLY_MANY_SEQUENCES, count, layers,
                                                    rows);
    many_tweaks_use_state(job, symbols + 2 * matrix);
    for (size_t i = 0; i < count; i++) {
        const tally_fast_waiting *bucket = &job->bucket[sorted[i]];
        many_tweaks_group(job, rows[i], bucket->words, bucket->count);
    }
}

static void many_tweaks_run_waiting(tally_fast_many_tweaks *job)
{
    uint16_t sorted[TALLY_MANY_TWEAKS_WAITING];
    if (job->waiting < MANY_TWEAKS_FEW_BUCKETS) {
        for (size_t i = 0; i < job->waiting; i++) {
            many_tweaks_one(job, &job->bucket[i]);
        }
        job->waiting = 0;
        return;
    }
    many_tweaks_sort(job, sorted);
    for (size_t first = 0; first < job->waiting; first += TALLY_MANY_SEQUENCES) {
        const size_t left = job->waiting - first;
        many_tweaks_run_some(job, sorted + first,
                             left < TALLY_MANY_SEQUENCES ? left : TALLY_MANY_SEQUENCES);
    }
    job->waiting = 0;
}

static void many_tweaks_run_ff1(tally_fast_many_tweaks *job)
{
    const tally_ff1_tweaks tweaks = {job->tweak, job->common, job->ff1.tails, job->ff1.tail_sizes};
    tally_ff1_words_tweaks(job->cipher, job->params, job->direction, &tweaks, job->ff1.words,
                           job->ff1.count);
    job->ff1.count = 0;
}

/* FF1 gains nothing from words of equal tweaks: they wait one by one. */
static void many_tweaks_add_ff1(tally_fast_many_tweaks *job, const tally_fast_waiting *bucket)
{
    for (size_t i = 0; i < bucket->count; i++) {
        const size_t place = job->ff1.count++;
        job->ff1.words[place] = bucket->words[i];
        job->ff1.tails[place] = bucket->tail.bytes;
        job->ff1.tail_sizes[place] = bucket->tail.size;
        if (job->ff1.count == TALLY_MANY_TWEAKS_FF1) {
            many_tweaks_run_ff1(job);
        }
    }
}

void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count)
{
    const tally_fast_waiting bucket = {{tail, tail_size}, words, count};
    if (!tally_fast_pool_is_fast(job->cipher->pool)) {
        many_tweaks_add_ff1(job, &bucket);
        return;
    }
    if (job->sequences.backend == NULL || count >= MANY_TWEAKS_OWN_RUN * job->lanes->width) {
        many_tweaks_one(job, &bucket);
        return;
    }
    job->bucket[job->waiting++] = bucket;
    if (job->waiting == TALLY_MANY_TWEAKS_WAITING) {
        many_tweaks_run_waiting(job);
    }
}

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        many_tweaks_run_ff1(job);
        return;
    }
    many_tweaks_run_waiting(job);
    many_tweaks_run_groups(job);
    if (cipher->prefix_cache.blocks != 0) {
        tally_wipe(&cipher->prefix_cache, sizeof cipher->prefix_cache); /* to no blocks */
    }
    for (size_t g = 0; g < job->most; g++) {
        tally_wipe(cipher->sequences[g], job->params->layers);
    }
    tally_wipe(cipher->lane_state, job->state_used);
    tally_wipe(&job->sequences, sizeof job->sequences);
    if (job->has_own_tables) {
        tally_wipe(job->own_tables, sizeof job->own_tables);
    }
}

/* ---- core/fast/words/range.c ---- */
/*
 * A permutation of the numbers 0..size-1: FAST on their digits, walked until it lands among them
 * (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002, cycle walking). The
 * number of steps depends on the secret; docs/explanation/side-channels.md says more. */

/* ---- core/fast/words/range.h ---- */
/*
 * The permutation of a range of numbers. */
#ifndef TALLY_FAST_WORDS_RANGE_H
#define TALLY_FAST_WORDS_RANGE_H

enum { TALLY_RANGE_LENGTH = 8 /* symbols of a number, at most; then radix^length <= 2^64 */ };

typedef struct tally_range {
    tally_fast_cipher *cipher;
    tally_fast_params params;
    uint64_t last; /* of the range's numbers */
    uint64_t half; /* radix^4, where the length is more than that */
    uint64_t reciprocal;
    tally_direction direction;
} tally_range;

/* TALLY_ERROR_ARGUMENT, TALLY_ERROR_RADIX as tally_fast_encrypt_range says. */
tally_status tally_range_init(tally_fast_cipher *cipher, uint64_t size, tally_direction direction,
                              tally_range *out);

/* A number as a word, most significant symbol first, and back; symbol i is word[i * stride]. */
void tally_range_write(const tally_range *range, uint64_t number, uint8_t *word, size_t stride);
uint64_t tally_range_read(const tally_range *range, const uint8_t *word, size_t stride);

/* A number of the caller's, read once. If another thread has changed it since it was checked, and
 * it is outside the range, the result is 0. */
static inline uint64_t tally_range_load(const tally_range *range, const uint64_t *number)
{
    const uint64_t taken = tally_barrier(*number);
    return taken <= range->last ? taken : 0;
}

/* Walks numbers under one tweak: numbers[0 .. count), or those of the `rows` listed, if that is not
 * NULL. Each result goes to the same place of `out`, which may equal `numbers`. */
void tally_range_walk(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                      const uint64_t *numbers, const uint16_t *rows, size_t count, uint64_t *out);

#endif

/* ---- core/fast/words/by_direction.h ---- */
/*
 * The functions of tallystick/fast.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pairs. */
#ifndef TALLY_FAST_WORDS_BY_DIRECTION_H
#define TALLY_FAST_WORDS_BY_DIRECTION_H

TALLY_MUST_CHECK tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                                               const tally_fast_params *params,
                                               const uint8_t *tweak, size_t tweak_size,
                                               const uint8_t *words, size_t count, uint8_t *out);

TALLY_MUST_CHECK tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction,
                                               uint64_t size, const uint8_t *tweak,
                                               size_t tweak_size, const uint64_t *numbers,
                                               size_t count, uint64_t *out);

/* The same with the parameters of tally_fast_range_params for this size, which take as long to find
 * as a number to encrypt. */
TALLY_MUST_CHECK tally_status tally_fast_range_by(tally_fast_cipher *cipher,
                                                  tally_direction direction,
                                                  const tally_fast_params *params, uint64_t size,
                                                  const uint8_t *tweak, size_t tweak_size,
                                                  const uint64_t *numbers, size_t count,
                                                  uint64_t *out);

#endif

/* Whether radix^length numbers, below 2^64, go beyond `last`. */
static int range_reaches(uint32_t radix, uint32_t length, uint64_t last)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < length; i++) {
        power *= radix;
    }
    return power > last;
}

tally_status tally_fast_range_params(uint64_t size, tally_fast_params *out)
{
    if (size == 1) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t last = size - 1; /* the greatest number to be written */
    uint32_t length = TALLY_FAST_MIN_LENGTH;
    while (length < TALLY_RANGE_LENGTH && last >> 8 * length != 0) {
        length++;
    }
    uint32_t least = TALLY_FAST_MIN_RADIX, most = TALLY_FAST_MAX_RADIX; /* the last one reaches */
    while (least < most) {
        const uint32_t middle = (least + most) / 2;
        if (range_reaches(middle, length, last)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return tally_fast_recommended(TALLY_FAST, least, length, out);
}

static tally_status range_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                               uint64_t size, tally_direction direction, tally_range *out)
{
    const uint64_t radix = params->radix;
    out->params = *params;
    if (cipher->pool->radix != radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    out->cipher = cipher;
    out->last = size - 1;
    out->half = radix * radix * radix * radix;
    out->reciprocal = (UINT64_C(1) << 32) / radix + 1;
    out->direction = direction;
    return TALLY_OK;
}

tally_status tally_range_init(tally_fast_cipher *cipher, uint64_t size, tally_direction direction,
                              tally_range *out)
{
    tally_fast_params params;
    tally_status status = tally_fast_range_params(size, &params);
    return status == TALLY_OK ? range_init(cipher, &params, size, direction, out) : status;
}

/* What numbers are divided by; copied, since symbols that are stored may be anywhere for all that a
 * compiler knows. */
typedef struct range_divisors {
    uint32_t radix, square;
    uint64_t half, reciprocal;
} range_divisors;

/* Two symbols of a number below radix^2 <= 2^16, where the product with the reciprocal is off by less
 * than 1 / radix. */
static inline void range_write_two(range_divisors by, uint32_t number, uint8_t *word, size_t stride)
{
    const uint32_t upper = (uint32_t)(number * by.reciprocal >> 32);
    word[0] = (uint8_t)upper;
    word[stride] = (uint8_t)(number - upper * by.radix);
}

/* The last 1..4 symbols of a number below radix^length <= 2^32. */
static inline void range_write_half(range_divisors by, uint32_t number, size_t length,
                                    uint8_t *word, size_t stride)
{
    if (length == 4) {
        const uint32_t upper = number / by.square;
        range_write_two(by, upper, word, stride);
        range_write_two(by, number - upper * by.square, word + 2 * stride, stride);
    } else if (length == 3) { /* below 2^24, where the product is exact too */
        const uint32_t upper = (uint32_t)(number * by.reciprocal >> 32);
        word[2 * stride] = (uint8_t)(number - upper * by.radix);
        range_write_two(by, upper, word, stride);
    } else if (length == 2) {
        range_write_two(by, number, word, stride);
    } else {
        word[0] = (uint8_t)number;
    }
}

static inline void range_write(const tally_range *range, uint64_t number, uint8_t *word,
                               size_t stride)
{
    const size_t length = range->params.length;
    const uint32_t radix = range->params.radix;
    const range_divisors by = {radix, radix * radix, range->half, range->reciprocal};
    if (length > 4) {
        const uint64_t high = number / by.half;
        range_write_half(by, (uint32_t)high, length - 4, word, stride);
        range_write_half(by, (uint32_t)(number - high * by.half), 4, word + (length - 4) * stride,
                         stride);
    } else {
        range_write_half(by, (uint32_t)number, length, word, stride);
    }
}

void tally_range_write(const tally_range *range, uint64_t number, uint8_t *word, size_t stride)
{
    range_write(range, number, word, stride);
}

uint64_t tally_range_read(const tally_range *range, const uint8_t *word, size_t stride)
{
    uint64_t number = 0;
    for (size_t i = 0; i < range->params.length; i++) {
        number = number * range->params.radix + word[i * stride];
    }
    return number;
}

enum {
    RANGE_BATCH = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES,
    RANGE_FEWEST = 3 /* fewer are faster one by one */
};

/* Encrypts some numbers once, as words side by side. */
static void range_step_words(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                             uint64_t *numbers, size_t count)
{
    uint8_t words[RANGE_BATCH * TALLY_RANGE_LENGTH];
    uint8_t *rows[RANGE_BATCH];
    for (size_t i = 0; i < count; i++) {
        rows[i] = words + i * range->params.length;
        tally_range_write(range, numbers[i], rows[i], 1);
    }
    tally_fast_run_words(range->cipher, &range->params, range->direction, tweak, tweak_size, rows,
                         count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = tally_range_read(range, rows[i], 1);
    }
    tally_wipe(words, count * range->params.length);
}

/* Encrypts some numbers once, written straight to lanes; returns the bytes of lane_state in use. */
static size_t range_step_lanes(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                               uint64_t *numbers, size_t count)
{
    tally_fast_cipher *cipher = range->cipher;
    const tally_fast_lanes *lanes = cipher->pool->lanes;
    size_t length = range->params.length, groups = tally_fast_groups(lanes, length, count);
    size_t width = groups * lanes->width;
    for (size_t i = 0; i < count; i++) {
        range_write(range, numbers[i], cipher->lane_state + i, width);
    }
    for (size_t i = 0; i < length && count < width; i++) {
        memset(cipher->lane_state + i * width + count, 0, width - count);
    }
    tally_fast_run_lanes(cipher, &range->params, range->direction, tweak, tweak_size, groups, NULL);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = tally_range_read(range, cipher->lane_state + i, width);
    }
    return length * width;
}

void tally_range_walk(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                      const uint64_t *numbers, const uint16_t *rows, size_t count, uint64_t *out)
{
    const tally_fast_lanes *lanes = range->cipher->pool->lanes;
    size_t capacity = TALLY_FAST_GROUPS * lanes->width;
    uint64_t walking[RANGE_BATCH]; /* not below the size yet; new ones take free places */
    size_t place[RANGE_BATCH], left = 0, most = 0, used = 0;
    for (size_t next = 0; left > 0 || next < count;) {
        for (; left < capacity && next < count; next++, left++) {
            place[left] = rows != NULL ? rows[next] : next;
            walking[left] = tally_range_load(range, &numbers[place[left]]);
        }
        most = left > most ? left : most;
        if (left < RANGE_FEWEST) {
            range_step_words(range, tweak, tweak_size, walking, left);
        } else {
            size_t bytes = range_step_lanes(range, tweak, tweak_size, walking, left);
            used = bytes > used ? bytes : used;
        }
        size_t outside = 0;
        for (size_t i = 0; i < left; i++) {
            if (walking[i] <= range->last) {
                out[place[i]] = walking[i];
            } else {
                walking[outside] = walking[i];
                place[outside++] = place[i];
            }
        }
        left = outside;
    }
    tally_wipe(walking, most * sizeof *walking);
    tally_wipe(range->cipher->lane_state, used);
}

tally_status tally_fast_range_by(tally_fast_cipher *cipher, tally_direction direction,
                                 const tally_fast_params *params, uint64_t size,
                                 const uint8_t *tweak, size_t tweak_size, const uint64_t *numbers,
                                 size_t count, uint64_t *out)
{
    tally_range range;
    tally_status status = range_init(cipher, params, size, direction, &range);
    if (status != TALLY_OK) {
        return status;
    }
    int outside = 0;
    for (size_t i = 0; i < count; i++) {
        outside |= numbers[i] > range.last;
    }
    if (outside) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_range_walk(&range, tweak, tweak_size, numbers, NULL, count, out);
    return TALLY_OK;
}

tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction, uint64_t size,
                              const uint8_t *tweak, size_t tweak_size, const uint64_t *numbers,
                              size_t count, uint64_t *out)
{
    tally_fast_params params;
    const tally_status status = tally_fast_range_params(size, &params);
    return status == TALLY_OK ? tally_fast_range_by(cipher, direction, &params, size, tweak,
                                                    tweak_size, numbers, count, out)
                              : status;
}

tally_status tally_fast_encrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return tally_fast_range(cipher, TALLY_ENCRYPT, size, tweak, tweak_size, numbers, count, out);
}

tally_status tally_fast_decrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return tally_fast_range(cipher, TALLY_DECRYPT, size, tweak, tweak_size, numbers, count, out);
}

/* ---- core/fast/words/range_rows.c ---- */
/*
 * Numbers of a range with a tweak for each row. */

/* ---- core/fast/words/row_tweaks.h ---- */
/*
 * Words of one length with a tweak for each row. The rows of a batch are sorted into buckets of
 * equal tweaks; buckets run side by side. */
#ifndef TALLY_FAST_WORDS_ROW_TWEAKS_H
#define TALLY_FAST_WORDS_ROW_TWEAKS_H

/* ---- core/arrow/strings.h ---- */
/*
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

/* An Arrow string or binary array. Row i is values[offset(i) .. offset(i+1)), in `values`.
 *
 * If another thread changes the memory behind the pointers during a call, the call stays within
 * values[offset(0) .. offset(rows)), with the two offsets read once at the beginning. It returns
 * TALLY_ERROR_ARGUMENT after writing some rows, or its results are useless. To compare offset(rows)
 * with the memory of `values`, copy the offsets, compare in the copy, and pass the copy. */
typedef struct tally_strings {
    const void *offsets;  /* rows + 1 of int32_t or int64_t, ascending from 0 or more */
    uint32_t offset_size; /* 4 or 8 bytes */
    uint32_t reserved;
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
    const uint8_t *values;
    uint64_t rows;
} tally_strings;

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Rows first .. first + count - 1. */
static inline tally_strings tally_strings_slice(const tally_strings *strings, uint64_t first,
                                                uint64_t count)
{
    tally_strings slice = *strings;
    slice.offsets = (const uint8_t *)strings->offsets + first * strings->offset_size;
    slice.validity_start += first;
    slice.rows = count;
    return slice;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
    /* The size of every row, if tally_strings_init finds that they have one; else 0. Offsets are
     * then not read again by tally_strings_read. */
    uint64_t each;
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* The same for rows of one size, without their offsets. */
static inline void tally_strings_skip(tally_strings_reader *reader, size_t count)
{
    reader->at += count * reader->each;
    reader->row += count;
}

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    if (reader->each != 0) {
        *start = reader->at + row * reader->each;
        *size = reader->each;
        return 1;
    }
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

/* ---- core/fast/words/workspace.h ---- */
/*
 * Memory that calls on columns of text, and on words or numbers with row tweaks, work in. It depends
 * on no key or radix, so one workspace serves any number of ciphers, for one call at a time. A call
 * lays its own struct over it, such as tally_row_tweaks_memory. Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024,   /* bytes of a row's whole tweak */
    TALLY_FAST_GROUPED = 1 << 20       /* rows that are grouped by tweak together, at most */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
    void *grouping; /* memory for grouping rows, or NULL */
    size_t grouping_size;
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Bytes of memory with which a call groups so many rows by tweak: eight for each, and some. 0: rows are
 * too few to gain. */
size_t tally_fast_grouping_size(uint64_t rows);

/* Sets memory, of any alignment, in which the following calls on columns group rows of equal tweaks.
 * They run faster, with the same results. NULL unsets it. Calls leave the order of tweaks in this
 * memory. That order is not secret. */
void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif

/* Encrypts or decrypts words of params->length symbols, side by side in memory, each under its own
 * tweak. The tweak of word i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row
 * a word. `out` may equal `words`; other overlaps are not allowed.
 *
 * TALLY_ERROR_RADIX: params are not of the pool's radix, or the pool is of the legacy profile.
 * TALLY_ERROR_LENGTH, TALLY_ERROR_PARAMS, TALLY_ERROR_SYMBOL: as for tally_fast_encrypt_words.
 * TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or a tweak is null or, in whole, of more
 * than TALLY_FAST_MAX_ROW_TWEAK bytes, or the words do not fit in the address space. */
TALLY_MUST_CHECK tally_status tally_fast_words_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    const tally_fast_params *params, const uint8_t *tweak, size_t tweak_size,
    const tally_strings *row_tweaks, const uint8_t *words, uint8_t *out);

/* Permutes a column of numbers as tally_fast_encrypt_range does, each under its own tweak. The
 * tweak of row i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row a number.
 * Rows with a chosen[i] of 0 keep their number; `chosen` may be NULL if there are none. `out` may
 * equal `numbers`.
 *
 * TALLY_ERROR_RADIX: as for tally_fast_encrypt_range. TALLY_ERROR_SYMBOL: the number of a chosen
 * row is not below size. TALLY_ERROR_ARGUMENT: size is 1, offsets of the tweaks descend, or the
 * tweak of a chosen row is null or, in whole, of more than TALLY_FAST_MAX_ROW_TWEAK bytes. */
TALLY_MUST_CHECK tally_status tally_fast_range_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    uint64_t size, const uint8_t *tweak, size_t tweak_size, const tally_strings *row_tweaks,
    const uint8_t *chosen, const uint64_t *numbers, uint64_t *out);

enum { TALLY_ROW_TWEAKS_BATCH = TALLY_FAST_ROWS };

/* Its part of a workspace. */
typedef struct tally_row_tweaks_memory {
    uint64_t starts[TALLY_ROW_TWEAKS_BATCH + 1]; /* of the batch's tweaks */
    tally_fast_buckets buckets;
    uint8_t *words[TALLY_ROW_TWEAKS_BATCH];                       /* bucket by bucket */
    uint8_t symbols[TALLY_ROW_TWEAKS_BATCH * TALLY_RANGE_LENGTH]; /* of the words of a range */
} tally_row_tweaks_memory;

/* A call. */
typedef struct tally_row_tweaks {
    tally_fast_cipher *cipher;
    tally_row_tweaks_memory *memory;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_strings *tweaks;
    const uint8_t *chosen;       /* or NULL */
    uint64_t first;              /* row i of the batch is row first + i */
    tally_strings_reader reader; /* of the tweaks */
    size_t common;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK]; /* the common part, then a row's own */
} tally_row_tweaks;

/* Takes the common tweak. TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or the tweak of a
 * chosen row is null or too long. */
tally_status tally_row_tweaks_init(tally_row_tweaks *job, tally_fast_workspace *workspace,
                                   const uint8_t *tweak, size_t tweak_size);

static inline int tally_row_tweaks_chosen(const tally_row_tweaks *job, uint64_t row)
{
    return job->chosen == NULL || job->chosen[row] != 0;
}

/* Rows of a batch by tweak: those of bucket b are order[start[b] .. start[b + 1]). */
typedef struct tally_row_buckets {
    uint16_t order[TALLY_ROW_TWEAKS_BATCH];
    uint16_t start[TALLY_ROW_TWEAKS_BATCH + 1];
    size_t count;
} tally_row_buckets;

/* Reads the tweaks of the `count` rows of the next batch, and sorts the chosen rows into buckets.
 * TALLY_ERROR_ARGUMENT: the tweaks have changed since they were checked. */
tally_status tally_row_tweaks_sort(tally_row_tweaks *job, size_t count, tally_row_buckets *out);

/* Encrypts or decrypts in place: words[i] is that of row order[i]. */
void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_buckets *rows,
                          uint8_t *const *words);

#endif

enum { RANGE_ROWS_BATCH = TALLY_ROW_TWEAKS_BATCH };

/* A call. */
typedef struct range_rows_job {
    tally_range range;
    tally_row_tweaks tweaks;
    const uint64_t *numbers;
    uint64_t *out;
} range_rows_job;

/* Stores the numbers that are below the range's size again, and leaves the others in their
 * buckets. */
static void range_rows_store(const range_rows_job *job, tally_row_buckets *rows)
{
    uint8_t **words = job->tweaks.memory->words;
    size_t left = 0, buckets = 0, end = 0;
    for (size_t b = 0; b < rows->count; b++) {
        size_t start = end, before = left;
        end = rows->start[b + 1];
        for (size_t i = start; i < end; i++) {
            uint64_t number = tally_range_read(&job->range, words[i], 1);
            if (number <= job->range.last) {
                job->out[job->tweaks.first + rows->order[i]] = number;
            } else {
                rows->order[left] = rows->order[i];
                words[left++] = words[i];
            }
        }
        if (left > before) {
            rows->start[buckets++] = (uint16_t)before;
        }
    }
    rows->start[buckets] = (uint16_t)left;
    rows->count = buckets;
}

static tally_status range_rows_run_batch(range_rows_job *job, size_t count)
{
    tally_row_tweaks_memory *memory = job->tweaks.memory;
    uint64_t first = job->tweaks.first;
    tally_row_buckets rows;
    const tally_status status = tally_row_tweaks_sort(&job->tweaks, count, &rows);
    if (status != TALLY_OK) {
        return status;
    }
    size_t length = job->range.params.length, found = rows.start[rows.count];
    for (size_t i = 0; i < count; i++) {
        job->out[first + i] = job->numbers[first + i];
    }
    for (size_t i = 0; i < found; i++) {
        memory->words[i] = memory->symbols + i * length;
        const uint64_t number = tally_range_load(&job->range, &job->out[first + rows.order[i]]);
        tally_range_write(&job->range, number, memory->words[i], 1);
    }
    while (rows.count > 0) {
        tally_row_tweaks_run(&job->tweaks, &rows, memory->words);
        range_rows_store(job, &rows);
    }
    tally_wipe(memory->symbols, found * length);
    return TALLY_OK;
}

tally_status tally_fast_range_rows(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                                   tally_direction direction, uint64_t size, const uint8_t *tweak,
                                   size_t tweak_size, const tally_strings *row_tweaks,
                                   const uint8_t *chosen, const uint64_t *numbers, uint64_t *out)
{
    range_rows_job job = {.numbers = numbers, .out = out};
    tally_status status = tally_range_init(cipher, size, direction, &job.range);
    if (status != TALLY_OK) {
        return status;
    }
    job.tweaks = (tally_row_tweaks){.cipher = cipher,
                                    .params = &job.range.params,
                                    .direction = direction,
                                    .tweaks = row_tweaks,
                                    .chosen = chosen};
    status = tally_row_tweaks_init(&job.tweaks, workspace, tweak, tweak_size);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < row_tweaks->rows; i++) {
        if (tally_row_tweaks_chosen(&job.tweaks, i) && numbers[i] > job.range.last) {
            return TALLY_ERROR_SYMBOL;
        }
    }
    for (; job.tweaks.first < row_tweaks->rows && status == TALLY_OK;
         job.tweaks.first += RANGE_ROWS_BATCH) {
        uint64_t left = row_tweaks->rows - job.tweaks.first;
        status =
            range_rows_run_batch(&job, left < RANGE_ROWS_BATCH ? (size_t)left : RANGE_ROWS_BATCH);
    }
    return status;
}

/* ---- core/fast/words/row_tweaks.c ---- */
/*
 * Words of one length with a tweak for each row: the tweaks, and the buckets of equal ones. */

enum { ROW_TWEAKS_NONE = TALLY_ROW_TWEAKS_BATCH /* in no bucket */ };

_Static_assert(sizeof(tally_row_tweaks_memory) <= TALLY_FAST_WORKSPACE, "a workspace holds it");

/* The tweak of a row of the batch. */
static inline const uint8_t *row_tweaks_own(const tally_row_tweaks *job, size_t row, size_t *size)
{
    const uint64_t *start = job->memory->starts;
    *size = (size_t)(start[row + 1] - start[row]);
    return *size != 0 ? job->tweaks->values + start[row] : NULL;
}

tally_status tally_row_tweaks_init(tally_row_tweaks *job, tally_fast_workspace *workspace,
                                   const uint8_t *tweak, size_t tweak_size)
{
    job->memory = (tally_row_tweaks_memory *)(void *)workspace->memory;
    if (!tally_strings_init(job->tweaks, &job->reader) || tweak_size > sizeof job->tweak) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_strings_reader all = job->reader;
    for (uint64_t i = 0; i < job->tweaks->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&all, &start, &size) ||
            (tally_row_tweaks_chosen(job, i) &&
             (tally_row_is_null(job->tweaks, i) || size > sizeof job->tweak - tweak_size))) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    if (tweak_size != 0) {
        memcpy(job->tweak, tweak, tweak_size);
    }
    job->common = tweak_size;
    return TALLY_OK;
}

tally_status tally_row_tweaks_sort(tally_row_tweaks *job, size_t count, tally_row_buckets *out)
{
    tally_fast_buckets *buckets = &job->memory->buckets;
    uint16_t bucket[TALLY_ROW_TWEAKS_BATCH], sorted[TALLY_ROW_TWEAKS_BATCH],
        next[TALLY_ROW_TWEAKS_BATCH];
    uint64_t common;
    if (!tally_strings_read(&job->reader, count, job->memory->starts, &common)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_buckets_clear(buckets);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const uint8_t *own = row_tweaks_own(job, i, &size);
        bucket[i] = ROW_TWEAKS_NONE;
        if (tally_row_tweaks_chosen(job, job->first + i)) {
            if (size > sizeof job->tweak - job->common) {
                return TALLY_ERROR_ARGUMENT;
            }
            bucket[i] = tally_fast_buckets_add(buckets, own, size, 0);
        }
    }
    /* All lengths are equal, so this keeps the order of the buckets. */
    tally_fast_buckets_sort(buckets, sorted, next);
    memcpy(out->start, next, buckets->count * sizeof *next);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (bucket[i] != ROW_TWEAKS_NONE) {
            out->order[next[bucket[i]]++] = (uint16_t)i;
            found++;
        }
    }
    out->count = buckets->count;
    out->start[out->count] = (uint16_t)found;
    return TALLY_OK;
}

void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_buckets *rows,
                          uint8_t *const *words)
{
    tally_fast_many_tweaks run;
    tally_fast_many_tweaks_init(job->cipher, job->params, job->direction, job->tweak, job->common,
                                rows->count, rows->start[rows->count], &run);
    for (size_t b = 0; b < rows->count; b++) {
        size_t start = rows->start[b], size;
        const uint8_t *own = row_tweaks_own(job, rows->order[start], &size);
        tally_fast_many_tweaks_add(&run, own, size, words + start, rows->start[b + 1] - start);
    }
    tally_fast_many_tweaks_final(&run);
}

/* ---- core/fast/words/run.c ---- */
/*
 * Words through all their layers: on lanes where that is faster, else one by one. A sequence that
 * is too long for the cache is derived window by window. */

enum {
    RUN_LINE = 64,         /* bytes of a cache line */
    RUN_PREFETCHED = 1024, /* bytes; to prefetch fewer takes longer than to wait for them */
    RUN_BLOCK = 16,        /* lanes: no transpose leaves fewer idle ones as they were */
    RUN_LONG = 1 << 16,    /* words whose batches begin at cache lines; fewer gain nothing */
    RUN_LIST = 512         /* words that run one by one under a window of the sequence */
};

/* A sequence: cached, or read from a stream window by window. */
typedef struct run_sequence {
    const uint8_t *indices; /* of all layers; NULL: read the stream */
    tally_fast_stream stream;
    uint64_t window; /* layers of a window */
} run_sequence;

static void run_sequence_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size, run_sequence *out)
{
    out->indices = NULL;
    if (params->layers <= TALLY_FAST_CACHE_LAYERS && tweak_size <= TALLY_FAST_CACHE_TWEAK) {
        out->indices = tally_fast_cached_sequence(cipher, params, tweak, tweak_size);
        out->window = params->layers;
        return;
    }
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, NULL, &out->stream);
    out->window = TALLY_FAST_CACHE_LAYERS;
}

/* Words to run. */
typedef struct run_job {
    const tally_fast_pool *pool;
    const tally_fast_params *params;
    tally_direction direction;
    uint8_t *const *words; /* one by one, if lane_state is NULL */
    size_t count;
    const tally_fast_lanes *lanes;
    uint8_t *lane_state;
    size_t groups;
    int per_group; /* whether groups have their own sequences */
} run_job;

static void run_layers(const run_job *job, uint64_t first, const uint8_t *indices, size_t layers,
                       const tally_fast_prefetch *next)
{
    const tally_fast_pool *pool = job->pool;
    if (job->lane_state != NULL) {
        /* A back end that is not the pool's is the portable one. */
        int own = job->lanes == pool->lanes;
        tally_fast_lane_job lane_job = {
            .tables = (own ? pool->lane_tables : pool->tables)[job->direction],
            .stride = own ? pool->lane_stride : pool->stride,
            .radix = pool->radix,
            .length = job->params->length,
            .w = job->params->w,
            .w_prime = job->params->w_prime,
            .indices = indices,
            .per_group = job->per_group,
            .count = layers,
            .groups = job->groups,
            .state = job->lane_state,
        };
        if (next != NULL) {
            const size_t lines = (next->size + RUN_LINE - 1) / RUN_LINE,
                         rounds = layers / job->params->length;
            lane_job.next = next;
            lane_job.each = (lines + rounds - 1) / rounds * RUN_LINE;
        }
        job->lanes->run(job->direction, &lane_job);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->params->length == 1) {
            tally_fast_legacy_byte(pool, job->direction, indices, layers, job->words[i]);
        } else {
            tally_fast_layers(pool, job->params, job->direction, first, indices, layers,
                              job->words[i]);
        }
    }
}

/* All layers. */
static void run_all_layers(tally_fast_cipher *cipher, const run_sequence *sequence,
                           const run_job *job, const tally_fast_prefetch *next)
{
    /* On lanes, only whole rounds. */
    uint64_t window = sequence->window;
    if (job->lane_state != NULL) {
        window -= window % job->params->length;
    }
    uint64_t windows = (job->params->layers + window - 1) / window;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t first = (job->direction == TALLY_DECRYPT ? windows - 1 - i : i) * window;
        uint64_t left = job->params->layers - first;
        size_t layers = (size_t)(left < window ? left : window);
        const uint8_t *indices = sequence->indices;
        if (indices == NULL) {
            uint64_t before = first % 16; /* a sequence is read from a multiple of 16 */
            tally_fast_sequence_read(job->pool->profile, &sequence->stream, first - before,
                                     (size_t)before + layers, cipher->window);
            indices = cipher->window + before;
        }
        run_layers(job, first, indices, layers, i == 0 ? next : NULL);
    }
}

const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words)
{
    return words >= pool->lanes->min_words(pool->radix) ? pool->lanes : tally_fast_lanes_for_few();
}

size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count)
{
    size_t groups = TALLY_FAST_GROUPS;
    while (groups > 1 && (count <= groups / 2 * lanes->width ||
                          length * groups * lanes->width > TALLY_FAST_LANE_STATE)) {
        groups /= 2;
    }
    return groups;
}

void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next)
{
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        tally_ff1_words_lanes(cipher, params, direction, tweak, tweak_size, groups);
        return;
    }
    run_sequence sequence;
    run_sequence_init(cipher, params, tweak, tweak_size, &sequence);
    const run_job job = {.pool = cipher->pool,
                         .params = params,
                         .direction = direction,
                         .lanes = cipher->pool->lanes,
                         .lane_state = cipher->lane_state,
                         .groups = groups};
    run_all_layers(cipher, &sequence, &job, next);
    if (sequence.indices == NULL) {
        tally_wipe(&sequence.stream, sizeof sequence.stream);
    }
}

void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups)
{
    const run_job job = {.pool = cipher->pool,
                         .params = params,
                         .direction = direction,
                         .lanes = lanes,
                         .lane_state = cipher->lane_state,
                         .groups = groups,
                         .per_group = groups > 1};
    run_layers(&job, 0, cipher->sequences[0], params->layers, NULL);
}

/* Words to run: a list of them, in place, or words side by side. */
typedef struct run_rows {
    uint8_t *const *list; /* NULL: they are side by side */
    const uint8_t *from;
    uint8_t *to; /* may equal `from` */
} run_rows;

/* The words to leave out of a batch so that the next one begins at a cache line, if transposes load
 * and store whole lines, of four words. A line that is not in the cache costs more if it is accessed
 * in two parts. */
static size_t run_left_out(const tally_fast_lanes *lanes, const uint8_t *to, size_t length,
                           size_t count)
{
    const int by_lines = lanes->width == RUN_LINE && 4 * length == RUN_LINE;
    return by_lines && count >= RUN_LONG ? (uintptr_t)to % RUN_LINE / length : 0;
}

/* Runs as many of `count` words from number `first` on as fit into lane_state, on lanes; returns
 * their number, or 0 if a symbol is not below the radix. */
static size_t run_on_lanes(tally_fast_cipher *cipher, const run_sequence *sequence, run_job *job,
                           const run_rows *rows, size_t first, size_t count)
{
    const tally_fast_lanes *lanes = tally_fast_lanes_for(job->pool, count);
    const tally_transpose *transpose = lanes->transpose;
    const size_t length = job->params->length;
    size_t most = count;
    if (lanes->width == 1 && count == 5) {
        most = 4; /* without vectors an idle group costs as much as a full one */
    }
    const size_t groups = tally_fast_groups(lanes, length, most), capacity = groups * lanes->width;
    size_t taken = most < capacity ? most : capacity;
    if (rows->list == NULL) {
        taken -= run_left_out(lanes, rows->to + first * length, length, count);
    }
    job->lanes = lanes;
    job->lane_state = cipher->lane_state;
    job->groups = groups;
    if (capacity - taken >= RUN_BLOCK) {
        /* Bytes left there may not be symbols. */
        memset(job->lane_state, 0, capacity * length);
    }
    if (rows->list != NULL) {
        transpose->to_lanes((const uint8_t *const *)rows->list + first, taken, length, capacity,
                            job->lane_state);
        run_all_layers(cipher, sequence, job, NULL);
        transpose->from_lanes(job->lane_state, capacity, taken, length, rows->list + first);
        return taken;
    }
    const uint8_t *from = rows->from + first * length;
    uint8_t *to = rows->to + first * length;
    if (!transpose->words_to_lanes(from, taken, length, capacity, 0, job->params->radix,
                                   job->lane_state)) {
        return 0;
    }
    const size_t size = taken * length, left = (count - taken) * length;
    const tally_fast_prefetch next = {from + size, to + size, left < size ? left : size};
    run_all_layers(cipher, sequence, job, next.size >= RUN_PREFETCHED ? &next : NULL);
    transpose->words_from_lanes(job->lane_state, capacity, taken, length, 0, to);
    return taken;
}

/* The same for words that run one by one. */
static size_t run_one_by_one(tally_fast_cipher *cipher, const run_sequence *sequence, run_job *job,
                             const run_rows *rows, size_t first, size_t count)
{
    uint8_t *list[RUN_LIST];
    const uint32_t radix = job->params->radix;
    const size_t length = job->params->length;
    job->lane_state = NULL;
    if (rows->list != NULL) {
        job->words = rows->list + first;
        job->count = count;
    } else {
        job->count = count < RUN_LIST ? count : RUN_LIST;
        const uint8_t *from = rows->from + first * length;
        uint8_t *to = rows->to + first * length;
        if (!tally_all_below(radix, from, job->count * length)) {
            return 0;
        }
        if (from != to) {
            memcpy(to, from, job->count * length);
            if (!tally_all_below(radix, to, job->count * length)) {
                return 0; /* another thread has changed them since they were checked */
            }
        }
        for (size_t i = 0; i < job->count; i++) {
            list[i] = to + i * length;
        }
        job->words = list;
    }
    run_all_layers(cipher, sequence, job, NULL);
    job->words = NULL; /* the list ends here */
    return job->count;
}

/* Returns the number of words that were done. */
static size_t run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                        tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                        const run_rows *rows, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    const tally_fast_lanes *lanes = pool->lanes;
    const size_t length = params->length;
    const size_t fewest = pool->radix > 128 ? 3 : 2; /* fewer are faster one by one */
    const int fit = length > 1 && length <= TALLY_FAST_CACHE_LAYERS &&
                    length * lanes->width <= TALLY_FAST_LANE_STATE;
    run_sequence sequence;
    run_sequence_init(cipher, params, tweak, tweak_size, &sequence);
    run_job job = {.pool = pool, .params = params, .direction = direction};
    size_t done = 0, taken = 1;
    while (done < count && taken != 0) {
        taken = fit && count - done >= fewest
                    ? run_on_lanes(cipher, &sequence, &job, rows, done, count - done)
                    : run_one_by_one(cipher, &sequence, &job, rows, done, count - done);
        done += taken;
    }
    if (sequence.indices == NULL) {
        tally_wipe(&sequence.stream, sizeof sequence.stream);
    }
    if (fit && count >= fewest) {
        size_t used = length * tally_fast_groups(lanes, length, count) * lanes->width;
        tally_wipe(cipher->lane_state, used);
    }
    return done;
}

void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    if (params->length == 0 || count == 0) {
        return;
    }
    if (!tally_fast_pool_is_fast(pool)) {
        tally_ff1_words_run(cipher, params, direction, tweak, tweak_size, words, count);
        return;
    }
    if (pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            tally_fast_legacy_pair(pool, direction, tweak, tweak_size, words[i]);
        }
        return;
    }
    const run_rows rows = {.list = words};
    (void)run_words(cipher, params, direction, tweak, tweak_size, &rows, count);
}

size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out)
{
    const run_rows rows = {.from = words, .to = out};
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        return tally_ff1_words_side_by_side(cipher, params, direction, tweak, tweak_size, words,
                                            count, out);
    }
    return run_words(cipher, params, direction, tweak, tweak_size, &rows, count);
}

/* ---- core/fast/words/words.c ---- */
/*
 * Words of one length, laid out one after the other. */

tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                              const tally_fast_params *params, const uint8_t *tweak,
                              size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out)
{
    if (params->radix != cipher->pool->radix) {
        return TALLY_ERROR_RADIX;
    }
    tally_status status = tally_fast_check_params(cipher->pool->profile, params);
    if (status != TALLY_OK) {
        return status;
    }
    if (params->length != 0 && count > SIZE_MAX / params->length) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (count == 0 || params->length == 0) {
        return TALLY_OK; /* legacy profile: empty words, and perhaps no memory for them */
    }
    if (cipher->pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            uint8_t *word = out + 2 * i;
            memmove(word, words + 2 * i, 2);
            tally_fast_run_words(cipher, params, direction, tweak, tweak_size, &word, 1);
        }
        return TALLY_OK;
    }
    if (out != words && !tally_all_below(params->radix, words, count * params->length)) {
        return TALLY_ERROR_SYMBOL;
    }
    const size_t done = tally_fast_run_side_by_side(cipher, params, direction, tweak, tweak_size,
                                                    words, count, out);
    if (done == count) {
        return TALLY_OK;
    }
    if (out == words) { /* checked batch by batch: restore the batches before */
        const tally_direction back = direction == TALLY_ENCRYPT ? TALLY_DECRYPT : TALLY_ENCRYPT;
        tally_fast_run_side_by_side(cipher, params, back, tweak, tweak_size, out, done, out);
    }
    return TALLY_ERROR_SYMBOL;
}

tally_status tally_fast_encrypt_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                                      const uint8_t *tweak, size_t tweak_size, const uint8_t *words,
                                      size_t count, uint8_t *out)
{
    return tally_fast_words(cipher, TALLY_ENCRYPT, params, tweak, tweak_size, words, count, out);
}

tally_status tally_fast_decrypt_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                                      const uint8_t *tweak, size_t tweak_size, const uint8_t *words,
                                      size_t count, uint8_t *out)
{
    return tally_fast_words(cipher, TALLY_DECRYPT, params, tweak, tweak_size, words, count, out);
}

/* ---- core/fast/words/words_rows.c ---- */
/*
 * Words of one length with a tweak for each of them. */

tally_status tally_fast_words_rows(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                                   tally_direction direction, const tally_fast_params *params,
                                   const uint8_t *tweak, size_t tweak_size,
                                   const tally_strings *row_tweaks, const uint8_t *words,
                                   uint8_t *out)
{
    tally_row_tweaks job = {
        .cipher = cipher, .params = params, .direction = direction, .tweaks = row_tweaks};
    if (params->radix != cipher->pool->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    tally_status status = tally_fast_check_params(TALLY_FAST, params);
    if (status == TALLY_OK) {
        status = tally_row_tweaks_init(&job, workspace, tweak, tweak_size);
    }
    if (status != TALLY_OK) {
        return status;
    }
    uint64_t count = row_tweaks->rows;
    size_t length = params->length;
    if (count > SIZE_MAX / length) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_all_below(params->radix, words, (size_t)count * length)) {
        return TALLY_ERROR_SYMBOL;
    }
    if (out != words && count != 0) {
        memcpy(out, words, (size_t)count * length);
        if (!tally_all_below(params->radix, out, (size_t)count * length)) {
            return TALLY_ERROR_SYMBOL; /* another thread has changed them since they were checked */
        }
    }
    for (; job.first < count; job.first += TALLY_ROW_TWEAKS_BATCH) {
        uint64_t left = count - job.first;
        size_t batch = left < TALLY_ROW_TWEAKS_BATCH ? (size_t)left : TALLY_ROW_TWEAKS_BATCH;
        tally_row_buckets rows;
        status = tally_row_tweaks_sort(&job, batch, &rows);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < batch; i++) {
            job.memory->words[i] = out + ((size_t)job.first + rows.order[i]) * length;
        }
        tally_row_tweaks_run(&job, &rows, job.memory->words);
    }
    return TALLY_OK;
}

/* ---- core/fast/words/workspace.c ---- */
/*
 * The life of a workspace. */

size_t tally_fast_workspace_size(void)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_workspace);
}

tally_status tally_fast_workspace_init(void *memory, size_t memory_size, tally_fast_workspace **out)
{
    if (memory == NULL || memory_size < tally_fast_workspace_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    *out = tally_align(memory);
    (*out)->grouping = NULL;
    (*out)->grouping_size = 0;
    return TALLY_OK;
}

size_t tally_fast_grouping_size(uint64_t rows)
{
    return tally_groups_size(rows < TALLY_FAST_GROUPED ? (size_t)rows : TALLY_FAST_GROUPED);
}

void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size)
{
    workspace->grouping = memory;
    workspace->grouping_size = size;
}

void tally_fast_workspace_wipe(tally_fast_workspace *workspace)
{
    tally_wipe(workspace, sizeof *workspace);
}

TALLY_VISIBILITY_POP
