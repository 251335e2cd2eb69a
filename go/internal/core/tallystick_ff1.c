//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/ff1 as one file. Made by
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
/* ---- core/ff1/ff1.c ---- */
/*
 * FF1: what all words of a call share, tweaks, and the batches of words. */

/* ---- core/ff1/ff1.h ---- */
/*
 * FF1 inside the core: the direction as an argument, a tweak for each word, words anywhere in
 * memory. */
#ifndef TALLY_FF1_FF1_H
#define TALLY_FF1_FF1_H

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

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

#endif

/* ---- core/aes/backend.h ---- */
/*
 * An AES back end. A new one is a file that defines a tally_aes_backend, its declaration below, and
 * a row in aes.c. The functions at the end serve back ends that have no faster ones. */
#ifndef TALLY_AES_BACKEND_H
#define TALLY_AES_BACKEND_H

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
 * The last back end of a table needs no CPU feature. */
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

/* The first back end of a table that lacks nothing. Cast the result to the module's struct. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    const uint32_t features = tally_cpu_features();
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

#endif

struct tally_aes_backend {
    tally_backend backend;

    /* Fills round_keys; the key's size has been checked, and out->rounds is set. */
    void (*key_init)(const uint8_t *key, size_t key_size, tally_aes_key *out);

    /* As tally_aes_expand; and the same as key_init from its result, with out->rounds set. */
    void (*expand)(const uint8_t *key, size_t key_size, uint8_t *round_keys);
    void (*key_init_round_keys)(const uint8_t *round_keys, tally_aes_key *out);

    /* As key_init for several keys that follow each other. */
    void (*keys_init)(const uint8_t *keys, size_t key_size, size_t count, tally_aes_key *out);

    /* As tally_aes_encrypt_blocks or tally_aes_decrypt_blocks, and tally_aes_ctr. */
    void (*crypt_blocks)(const tally_aes_key *key, tally_direction direction, const uint8_t *in,
                         size_t blocks, uint8_t *out);
    void (*ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                uint8_t *out);

    /* CBC-MAC of `lanes` messages of `blocks` blocks each, side by side: for every block m of
     * messages[i], chains[i] = E(chains[i] xor m). One message can't fill the CPU, because each
     * block waits for the one before. */
    void (*cbc_mac)(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                    size_t blocks, uint8_t chains[][16]);
};

extern const struct tally_aes_backend tally_aes_vaes_avx512;
extern const struct tally_aes_backend tally_aes_vaes_avx2;
extern const struct tally_aes_backend tally_aes_aesni;
extern const struct tally_aes_backend tally_aes_armv8;
extern const struct tally_aes_backend tally_aes_bitslice_avx512;
extern const struct tally_aes_backend tally_aes_bitslice_avx2;
extern const struct tally_aes_backend tally_aes_bitslice_ssse3;
extern const struct tally_aes_backend tally_aes_bitslice_sse2;
extern const struct tally_aes_backend tally_aes_bitslice_neon;
extern const struct tally_aes_backend tally_aes_bitslice;

/* For back ends that have no faster functions: they need only key_init and crypt_blocks. */
void tally_aes_keys_init_singly(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out);
void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16]);

#endif

/* ---- core/base/align.h ---- */
/*
 * Objects at multiples of 64 bytes, a cache line, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of TALLY_ALIGNMENT in `memory`. */
static inline void *tally_align(void *memory)
{
    const uintptr_t past = (uintptr_t)memory % TALLY_ALIGNMENT;
    return (uint8_t *)memory + (past == 0 ? 0 : TALLY_ALIGNMENT - past);
}

#endif

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

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

/* ---- core/ff1/lanes.h ---- */
/*
 * Words of one length side by side, with a lane of 64 bits for each half. A back end is a file named
 * after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FF1_LANES_H
#define TALLY_FF1_LANES_H

/* ---- core/ff1/plan.h ---- */
/*
 * A cipher of FF1, and what follows from the length of its words. Names in brackets are those of the
 * standard. */
#ifndef TALLY_FF1_PLAN_H
#define TALLY_FF1_PLAN_H

struct tally_ff1_lanes;

struct tally_ff1 {
    tally_aes_key aes;
    const struct tally_ff1_lanes *lanes;
    uint32_t radix;
    tally_ff1_profile profile;
};

enum {
    TALLY_FF1_ROUNDS = 10,
    TALLY_FF1_LANE_BITS = 62 /* radixes that are powers of two have 64 */
};

/* A word's first half has u symbols, and its second half has v, which is u or u + 1. Round i adds to
 * half i % 2, modulo the radix to the power of its symbols, a pseudorandom number (y) which depends
 * on the other half.
 *
 * How a number y of 64 or 96 bits is reduced by products, since division takes a time that may depend
 * on the number. For a power of two, the mask has its bits. */
typedef struct tally_ff1_modulus {
    uint64_t value;        /* radix^m; of powers of two alone it may be 2^64, which is 0 here */
    uint64_t mask;         /* of a power of two: value - 1; else 0 */
    uint64_t inverse;      /* 2^64 / value */
    uint64_t long_inverse; /* 2^96 / value for values above 2^32, else 0 */
} tally_ff1_modulus;

typedef struct tally_ff1_plan {
    const tally_ff1 *cipher;
    uint32_t length;      /* (n) symbols of a word */
    uint32_t half[2];     /* (u, v) symbols of its halves */
    uint32_t symbol_size; /* bytes: 1 or 2 */
    uint32_t number_size; /* (b) bytes of the number of a half, in its last block */
    uint32_t prf_size;    /* (d) bytes of y: a multiple of 4 */
    uint32_t radix_shift; /* x / radix is the upper half of x * inverse, shifted, for x < 2^63 */
    uint64_t radix_inverse;
    int is_short;                 /* numbers fit in lanes of 64 bits */
    tally_ff1_modulus modulus[2]; /* if they do */
} tally_ff1_plan;

/* TALLY_ERROR_FF1_LENGTH: the cipher has no words of this length. */
tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out);

/* The block before a tweak (P). */
void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16]);

/* Behind a tweak come zeros, a byte with the number of the round, and the number of a half, up to
 * the end of a block (Q). The blocks that begin with the last ones are at the end: the blocks of a
 * number. The first may begin with the end of the tweak. */
static inline uint32_t tally_ff1_number_blocks(const tally_ff1_plan *plan)
{
    return plan->number_size / 16 + 1;
}

/* The blocks before these: of the tweak, and perhaps zeros. */
static inline uint64_t tally_ff1_tweak_blocks(const tally_ff1_plan *plan, uint64_t tweak_size)
{
    return (tweak_size + plan->number_size + 16) / 16 - tally_ff1_number_blocks(plan);
}

#endif

enum { TALLY_FF1_ROWS = 64 /* words of a batch, at most */ };

/* Words to encrypt or decrypt, in[i] to out[i], which may be equal. The last block of word i before
 * it is encrypted is that of bases[i * base_step], xored with the round and the number of a half. */
typedef struct tally_ff1_batch {
    const tally_ff1_plan *plan;
    tally_direction direction;
    const uint8_t (*bases)[16];
    size_t base_step; /* 0: all words have one tweak; 1 */
    const uint8_t *const *in;
    uint8_t *const *out;
    size_t count; /* 1..TALLY_FF1_ROWS */
} tally_ff1_batch;

typedef struct tally_ff1_lanes {
    tally_backend backend;
    void (*run)(const tally_ff1_batch *batch); /* a short plan's */
} tally_ff1_lanes;

/* The fastest back end for the CPU features in use. */
const tally_ff1_lanes *tally_ff1_lanes_choose(void);

extern const tally_ff1_lanes tally_ff1_lanes_portable;

#endif

/* ---- core/ff1/limbs.h ---- */
/*
 * Words whose halves do not fit in lanes: numbers in limbs of 32 bits. */
#ifndef TALLY_FF1_LIMBS_H
#define TALLY_FF1_LIMBS_H

enum { TALLY_FF1_LIMBS_WORDS = 16 /* words at once, at most */ };

/* Bytes of memory for words of a plan that is not short, of which `words` are worked on at
 * once: 1..TALLY_FF1_LIMBS_WORDS. */
size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words);

/* What is the same for all words, in memory of tally_ff1_limbs_size bytes, which is aligned to 8. */
typedef struct tally_ff1_limbs {
    const tally_ff1_plan *plan;
    size_t limbs;         /* of a number; y has one more */
    uint32_t *modulus[2]; /* radix^u, radix^v, if the radix is no power of two */
    uint32_t bits[2];     /* of the greatest numbers of the halves */
    uint32_t inverse[2][3];
    uint32_t *scratch;             /* limbs + 2 */
    uint32_t chunk, chunk_symbols; /* radix^chunk_symbols < 2^32 */
    uint32_t chunk_log;            /* 2^chunk_log <= chunk */
    uint64_t chunk_inverse;        /* 2^64 / chunk */
    uint8_t *words;                /* memory of the words */
} tally_ff1_limbs;

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out);

/* Encrypts or decrypts words, at most as many as the memory is for; in[i] may equal out[i]. Base
 * i * base_step is that of word i, as in lanes.h. */
void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count);

#endif

enum { FF1_STACK = 8192 /* bytes for long words; longer ones take memory */ };

size_t tally_ff1_size(void)
{
    return sizeof(tally_ff1) + TALLY_ALIGNMENT - 1;
}

tally_status tally_ff1_init(tally_ff1_profile profile, uint32_t radix, const uint8_t *key,
                            size_t key_size, void *memory, size_t memory_size, tally_ff1 **out)
{
    if (profile != TALLY_FF1 && profile != TALLY_FF1_2016) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX) {
        return TALLY_ERROR_FF1_RADIX;
    }
    if (memory_size < tally_ff1_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_ff1 *cipher = tally_align(memory);
    const tally_status status = tally_aes_key_init(key, key_size, &cipher->aes);
    if (status != TALLY_OK) {
        return status;
    }
    cipher->lanes = tally_ff1_lanes_choose();
    cipher->radix = radix;
    cipher->profile = profile;
    *out = cipher;
    return TALLY_OK;
}

void tally_ff1_wipe(tally_ff1 *cipher)
{
    tally_wipe(cipher, sizeof *cipher);
}

/* The encryption of the first block for one size of tweak, and the blocks of the common part behind
 * it. Words that follow each other mostly have tweaks of one size. */
typedef struct ff1_common {
    uint64_t tweak_size; /* UINT64_MAX: none yet */
    uint64_t blocks;     /* of the common part, at most those before the number's */
    uint8_t chain[1][16];
} ff1_common;

static void ff1_set_common(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks,
                           uint64_t tweak_size, ff1_common *out)
{
    if (out->tweak_size == tweak_size) {
        return;
    }
    const tally_aes_key *aes = &plan->cipher->aes;
    const uint64_t before = tally_ff1_tweak_blocks(plan, tweak_size),
                   whole = tweaks->common_size / 16;
    uint8_t first[16];
    const uint8_t *message = first;
    tally_ff1_first_block(plan, tweak_size, first);
    memset(out->chain, 0, 16);
    aes->backend->cbc_mac(aes, 1, &message, 1, out->chain);
    out->tweak_size = tweak_size;
    out->blocks = before < whole ? before : whole;
    if (out->blocks > 0) {
        aes->backend->cbc_mac(aes, 1, &tweaks->common, (size_t)out->blocks, out->chain);
    }
}

/* Xors bytes at .. at + 15 of a tweak, and zeros behind it, to a block. */
static void ff1_xor_tweak(const tally_ff1_tweaks *tweaks, size_t word, uint64_t at,
                          uint8_t block[16])
{
    const uint64_t common = tweaks->common_size,
                   all = common + (tweaks->rows == NULL ? 0 : tweaks->row_sizes[word]);
    const uint64_t end = at + 16 < all ? at + 16 : all;
    size_t i = 0;
    for (; at < end && at < common; at++) {
        block[i++] ^= tweaks->common[at];
    }
    for (; at < end; at++) {
        block[i++] ^= tweaks->rows[word][at - common];
    }
}

/* The bases of words first .. first + count - 1: their chains before the blocks of a number, xored
 * with the end of the tweak. */
static void ff1_set_bases(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks, size_t first,
                          size_t count, ff1_common *common, uint8_t (*bases)[16])
{
    const tally_aes_key *aes = &plan->cipher->aes;
    uint8_t blocks[TALLY_FF1_ROWS][16];
    uint64_t begun[TALLY_FF1_ROWS], before[TALLY_FF1_ROWS];
    size_t waiting[TALLY_FF1_ROWS], left = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t size =
            tweaks->common_size + (tweaks->rows == NULL ? 0 : tweaks->row_sizes[first + i]);
        ff1_set_common(plan, tweaks, size, common);
        memcpy(bases[i], common->chain, 16);
        begun[i] = common->blocks;
        before[i] = tally_ff1_tweak_blocks(plan, size);
        ff1_xor_tweak(tweaks, first + i, 16 * begun[i], bases[i]);
        if (begun[i] < before[i]) {
            waiting[left++] = i;
        }
    }
    while (left > 0) { /* one block of each tweak that has more */
        size_t next = 0;
        for (size_t k = 0; k < left; k++) {
            memcpy(blocks[k], bases[waiting[k]], 16);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks[0], left, blocks[0]);
        for (size_t k = 0; k < left; k++) {
            const size_t i = waiting[k];
            begun[i]++;
            ff1_xor_tweak(tweaks, first + i, 16 * begun[i], blocks[k]);
            memcpy(bases[i], blocks[k], 16);
            if (begun[i] < before[i]) {
                waiting[next++] = i;
            }
        }
        left = next;
    }
    tally_wipe(blocks, 16 * (count < TALLY_FF1_ROWS ? count : TALLY_FF1_ROWS));
}

static tally_status ff1_check_tweaks(const tally_ff1_tweaks *tweaks, size_t count)
{
    const uint64_t most = UINT32_MAX;
    if (tweaks->common_size > most) {
        return TALLY_ERROR_FF1_TWEAK_SIZE;
    }
    for (size_t i = 0; tweaks->rows != NULL && i < count; i++) {
        if (tweaks->row_sizes[i] > most - tweaks->common_size) {
            return TALLY_ERROR_FF1_TWEAK_SIZE;
        }
    }
    return TALLY_OK;
}

/* Where words come from and go to: pointers, or side by side if those are NULL. */
typedef struct ff1_words {
    uint8_t *const *rows;
    const uint8_t *from;
    uint8_t *to;
    size_t size; /* bytes of a word */
} ff1_words;

/* The words of a plan, by batches. */
static tally_status ff1_run(const tally_ff1_plan *plan, tally_direction direction,
                            const tally_ff1_tweaks *tweaks, const ff1_words *words, size_t count,
                            const tally_allocator *allocator)
{
    const uint8_t *in[TALLY_FF1_ROWS];
    uint8_t *out[TALLY_FF1_ROWS], bases[TALLY_FF1_ROWS][16];
    _Alignas(8) uint8_t stack[FF1_STACK];
    void *memory = stack;
    size_t most = TALLY_FF1_ROWS, size = 0;
    tally_ff1_limbs limbs;
    ff1_common common = {.tweak_size = UINT64_MAX};
    if (!plan->is_short) {
        most = count < TALLY_FF1_LIMBS_WORDS ? count : TALLY_FF1_LIMBS_WORDS;
        while (most > 1 && tally_ff1_limbs_size(plan, most) > sizeof stack) {
            most /= 2;
        }
        size = tally_ff1_limbs_size(plan, most);
        if (size > sizeof stack) {
            memory = tally_allocate(allocator, size);
            if (memory == NULL) {
                return TALLY_ERROR_MEMORY;
            }
        }
        tally_ff1_limbs_init(plan, memory, &limbs);
    }
    const int is_common = tweaks->rows == NULL;
    if (is_common) {
        ff1_set_bases(plan, tweaks, 0, 1, &common, bases);
    }
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < most ? count - first : most;
        for (size_t i = 0; i < some; i++) {
            const size_t at = (first + i) * words->size;
            in[i] = words->rows == NULL ? words->from + at : words->rows[first + i];
            out[i] = words->rows == NULL ? words->to + at : words->rows[first + i];
        }
        if (!is_common) {
            ff1_set_bases(plan, tweaks, first, some, &common, bases);
        }
        if (plan->is_short) {
            const tally_ff1_batch batch = {
                plan, direction, (const uint8_t(*)[16])bases, is_common ? 0 : 1, in, out, some};
            plan->cipher->lanes->run(&batch);
        } else {
            tally_ff1_limbs_run(&limbs, direction, (const uint8_t(*)[16])bases, is_common ? 0 : 1,
                                in, out, some);
        }
    }
    tally_wipe(&common, sizeof common);
    tally_wipe(bases, sizeof bases);
    tally_wipe(memory, size);
    if (memory != stack) {
        tally_release(allocator, memory, size);
    }
    return TALLY_OK;
}

tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                           const tally_ff1_tweaks *tweaks, uint8_t *const *words, size_t count,
                           const tally_allocator *allocator)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    const ff1_words rows = {.rows = words};
    return status != TALLY_OK || count == 0
               ? status
               : ff1_run(&plan, direction, tweaks, &rows, count, allocator);
}

/* Whether all symbols of words are below the radix. */
static int ff1_all_below(const tally_ff1_plan *plan, const uint8_t *symbols, size_t count)
{
    const uint32_t radix = plan->cipher->radix;
    if (plan->symbol_size == 1) {
        return tally_all_below(radix, symbols, count);
    }
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t symbol;
        memcpy(&symbol, symbols + 2 * i, 2);
        outside |= radix - 1 - symbol; /* its top bit */
    }
    return outside >> 31 == 0;
}

tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                             const tally_ff1_tweaks *tweaks, const void *words, size_t count,
                             void *out)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    if (status != TALLY_OK) {
        return status;
    }
    const size_t size = (size_t)length * plan.symbol_size;
    if (count > SIZE_MAX / size) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (count == 0) {
        return TALLY_OK;
    }
    if (!ff1_all_below(&plan, words, count * length)) {
        return TALLY_ERROR_FF1_SYMBOL;
    }
    const ff1_words side_by_side = {.from = words, .to = out, .size = size};
    return ff1_run(&plan, direction, tweaks, &side_by_side, count, NULL);
}

tally_status tally_ff1_encrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_ENCRYPT, length, &tweaks, words, count, out);
}

tally_status tally_ff1_decrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_DECRYPT, length, &tweaks, words, count, out);
}

/* ---- core/ff1/lanes.c ---- */
/*
 * The table of back ends of lanes. */

/* The fastest first. */
static const tally_backend *const ff1_lanes_backends[] = {
    &tally_ff1_lanes_portable.backend,
};

const tally_ff1_lanes *tally_ff1_lanes_choose(void)
{
    return (const tally_ff1_lanes *)tally_dispatch(
        ff1_lanes_backends, sizeof ff1_lanes_backends / sizeof *ff1_lanes_backends);
}

/* ---- core/ff1/limbs.c ---- */
/*
 * See limbs.h. Lengths are public; numbers are not: all of their limbs are always worked on. */

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

#endif

/* ---- core/ff1/multiply.h ---- */
/*
 * Products of 64 bits, and what is taken off or not, without a branch. */
#ifndef TALLY_FF1_MULTIPLY_H
#define TALLY_FF1_MULTIPLY_H

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

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* The upper half of a product. */
static inline uint64_t tally_ff1_high(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 ff1_u128;
    return (uint64_t)((ff1_u128)x * y >> 64);
#else
    const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    const uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1;
    return x1 * y1 + (middle >> 32) + (((uint32_t)middle + other) >> 32);
#endif
}

/* x less a number of at most 2^63, unless x is below it; x is below twice the number. */
static inline uint64_t tally_ff1_less(uint64_t x, uint64_t number)
{
    const uint64_t less = x - number;
    return less + (number & tally_barrier(0 - (less >> 63)));
}

#endif

enum { LIMBS_INVERSE = 3 };

static size_t limbs_count(const tally_ff1_plan *plan)
{
    return plan->prf_size / 4 - 1;
}

/* Blocks of y behind the first. */
static size_t limbs_more(const tally_ff1_plan *plan)
{
    return (plan->prf_size + 15) / 16 - 1;
}

static size_t limbs_even(size_t count)
{
    return (count + 1) / 2 * 2; /* so that what follows is aligned to 8 bytes */
}

/* What the words share: two moduli, and scratch. */
static size_t limbs_shared_size(const tally_ff1_plan *plan)
{
    return 4 * (2 * limbs_even(limbs_count(plan)) + limbs_even(limbs_count(plan) + 2));
}

size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words)
{
    const size_t word = 8 * limbs_even(limbs_count(plan)) + 16 * tally_ff1_number_blocks(plan) +
                        16 * limbs_more(plan) + 16 /* a chain */;
    return limbs_shared_size(plan) + words * word;
}

/* number * factor + carry, for a number of so many limbs; returns what does not fit. */
static uint32_t limbs_grow(uint32_t *number, size_t limbs, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)number[i] * factor;
        number[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* x - y; returns the borrow, 0 or 1. */
static uint32_t limbs_subtract(uint32_t *x, const uint32_t *y, size_t limbs)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < limbs; i++) {
        const uint64_t difference = (uint64_t)x[i] - y[i] - borrow;
        x[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (uint32_t)borrow;
}

/* x + y if the mask has all bits, or x if it has none; returns the carry. */
static uint32_t limbs_add(uint32_t *x, const uint32_t *y, size_t limbs, uint32_t mask)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)x[i] + (y[i] & mask);
        x[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

static uint32_t limbs_mask(uint32_t bit)
{
    return (uint32_t)tally_barrier(0 - (uint64_t)bit);
}

/* x less the modulus, unless x is below it. `over` is limb number `limbs` of x. */
static void limbs_less(uint32_t *x, uint32_t over, const uint32_t *modulus, size_t limbs)
{
    const uint32_t borrow = limbs_subtract(x, modulus, limbs);
    /* Either the limb above takes the borrow, or x was below. */
    limbs_add(x, modulus, limbs, limbs_mask(borrow & (1 - over)));
}

/* radix^symbols, which is no power of two, and of so many bits; 2^(32 (limbs + 1) + 2) divided by
 * it, bit by bit. */
static void limbs_set_modulus(tally_ff1_limbs *limbs, uint32_t which)
{
    const uint32_t radix = limbs->plan->cipher->radix;
    const size_t count = limbs->limbs;
    uint32_t *modulus = limbs->modulus[which], *rest = limbs->scratch, left;
    size_t used = 1;
    memset(modulus, 0, 4 * count);
    modulus[0] = 1;
    for (left = limbs->plan->half[which]; left >= limbs->chunk_symbols;
         left -= limbs->chunk_symbols) {
        const uint32_t carry = limbs_grow(modulus, used, limbs->chunk, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    for (; left > 0; left--) {
        const uint32_t carry = limbs_grow(modulus, used, radix, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    uint32_t bits = 32 * (uint32_t)used;
    while (modulus[used - 1] >> (bits - 1) % 32 == 0) {
        bits--;
    }
    limbs->bits[which] = bits;
    memset(rest, 0, 4 * (count + 2));
    rest[(bits - 1) / 32] = UINT32_C(1) << (bits - 1) % 32; /* below the modulus, times 2 is not */
    uint32_t *inverse = limbs->inverse[which];
    for (uint32_t bit = bits - 1; bit < 32 * (count + 1) + 2; bit++) {
        limbs_grow(rest, count + 2, 2, 0);
        const uint32_t borrow = limbs_subtract(rest, modulus, count);
        const uint32_t over = rest[count];
        rest[count] -= borrow & over;
        const uint32_t below = borrow & (1 - over);
        limbs_add(rest, modulus, count, 0 - below);
        limbs_grow(inverse, LIMBS_INVERSE, 2, 1 - below);
    }
}

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out)
{
    const uint32_t radix = plan->cipher->radix;
    const size_t count = limbs_count(plan);
    *out = (tally_ff1_limbs){.plan = plan, .limbs = count, .chunk = radix, .chunk_symbols = 1};
    out->modulus[0] = memory;
    out->modulus[1] = out->modulus[0] + limbs_even(count);
    out->scratch = out->modulus[1] + limbs_even(count);
    out->words = (uint8_t *)memory + limbs_shared_size(plan);
    while ((uint64_t)out->chunk * radix < UINT64_C(1) << 32) {
        out->chunk *= radix;
        out->chunk_symbols++;
    }
    while (out->chunk >> 1 >> out->chunk_log != 0) {
        out->chunk_log++;
    }
    out->chunk_inverse = UINT64_MAX / out->chunk; /* of a power of two, 1 less */
    if ((radix & (radix - 1)) == 0) {
        uint32_t log = 0;
        while (radix >> log != 1) {
            log++;
        }
        out->bits[0] = log * plan->half[0];
        out->bits[1] = log * plan->half[1];
        out->modulus[0] = NULL;
    } else {
        limbs_set_modulus(out, 0);
        limbs_set_modulus(out, 1);
    }
}

static uint32_t limbs_load_symbol(const tally_ff1_plan *plan, const uint8_t *symbols, size_t i)
{
    uint16_t symbol = 0;
    if (plan->symbol_size == 1) {
        return symbols[i];
    }
    memcpy(&symbol, symbols + 2 * i, 2);
    return symbol;
}

static void limbs_store_symbol(const tally_ff1_plan *plan, uint8_t *symbols, size_t i,
                               uint32_t value)
{
    const uint16_t symbol = (uint16_t)value;
    if (plan->symbol_size == 1) {
        symbols[i] = (uint8_t)value;
    } else {
        memcpy(symbols + 2 * i, &symbol, 2);
    }
}

/* The number of the symbols of a half: chunk by chunk, the most significant one first. */
static void limbs_read(const tally_ff1_limbs *limbs, uint32_t symbols_count, const uint8_t *symbols,
                       uint32_t *number)
{
    const tally_ff1_plan *plan = limbs->plan;
    size_t used = 0, first = symbols_count % limbs->chunk_symbols;
    first = first == 0 ? limbs->chunk_symbols : first;
    memset(number, 0, 4 * limbs->limbs);
    for (size_t i = 0, end = first; i < symbols_count; end += limbs->chunk_symbols) {
        uint32_t chunk = 0;
        for (; i < end; i++) {
            chunk = chunk * plan->cipher->radix + limbs_load_symbol(plan, symbols, i);
        }
        const uint32_t carry = limbs_grow(number, used, limbs->chunk, chunk);
        if (used < limbs->limbs) {
            number[used++] = carry;
        }
    }
}

/* The inverse; the number is lost. */
static void limbs_write(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *number,
                        uint8_t *symbols)
{
    const tally_ff1_plan *plan = limbs->plan;
    const uint32_t radix = plan->cipher->radix;
    size_t left = plan->half[which], bits = limbs->bits[which];
    while (left > 0) {
        uint64_t rest = 0;
        for (size_t i = (bits + 31) / 32; i-- > 0;) {
            const uint64_t part = rest << 32 | number[i];
            uint64_t quotient = tally_ff1_high(part, limbs->chunk_inverse); /* or up to 2 less */
            rest = part - quotient * limbs->chunk;
            for (int again = 0; again < 2; again++) {
                const uint64_t below = (rest - limbs->chunk) >> 63;
                rest -= limbs->chunk & (tally_barrier(below) - 1);
                quotient += 1 - below;
            }
            number[i] = (uint32_t)quotient;
        }
        const size_t end = left > limbs->chunk_symbols ? left - limbs->chunk_symbols : 0;
        while (left > end) {
            const uint64_t quotient =
                tally_ff1_high(rest, plan->radix_inverse) >> plan->radix_shift;
            limbs_store_symbol(plan, symbols, --left, (uint32_t)(rest - quotient * radix));
            rest = quotient;
        }
        bits = bits > limbs->chunk_log ? bits - limbs->chunk_log : 1;
    }
}

/* A limb of y, which is big-endian in the blocks. */
static uint32_t limbs_prf_limb(const tally_ff1_limbs *limbs, const uint8_t chain[16],
                               const uint8_t *more, size_t limb)
{
    const size_t at = limbs->plan->prf_size - 4 * (limb + 1);
    return tally_load_be32(at < 16 ? chain + at : more + at - 16);
}

/* y modulo the modulus; y has one limb more. As many bits of y as the quotient has, and two more,
 * times the inverse give the quotient, or one less. */
static void limbs_reduce(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *y)
{
    const size_t count = limbs->limbs;
    const uint32_t *modulus = limbs->modulus[which], *inverse = limbs->inverse[which];
    const uint32_t bits = limbs->bits[which], from = bits - 2;
    uint32_t top[LIMBS_INVERSE], product[2 * LIMBS_INVERSE + 1] = {0}, quotient[LIMBS_INVERSE];
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = from / 32 + i;
        const uint64_t low = at <= count ? y[at] : 0, high = at + 1 <= count ? y[at + 1] : 0;
        top[i] = (uint32_t)((high << 32 | low) >> from % 32);
    }
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < LIMBS_INVERSE; j++) {
            sum += (uint64_t)top[i] * inverse[j] + product[i + j];
            product[i + j] = (uint32_t)sum;
            sum >>= 32;
        }
        product[i + LIMBS_INVERSE] = (uint32_t)sum;
    }
    const uint32_t shift = 32 * ((uint32_t)count + 1) - bits + 4;
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = shift / 32 + i;
        quotient[i] = (uint32_t)(((uint64_t)product[at + 1] << 32 | product[at]) >> shift % 32);
    }
    for (size_t j = 0; j < LIMBS_INVERSE; j++) { /* y - quotient * modulus */
        uint64_t borrow = 0;
        for (size_t i = 0; i + j <= count; i++) {
            const uint64_t part = (uint64_t)quotient[j] * (i < count ? modulus[i] : 0) + borrow;
            const uint32_t less = (uint32_t)part;
            borrow = (part >> 32) + (((uint64_t)y[i + j] - less) >> 63);
            y[i + j] -= less;
        }
    }
    limbs_less(y, y[count], modulus, count);
    tally_wipe(top, sizeof top);
    tally_wipe(product, sizeof product);
    tally_wipe(quotient, sizeof quotient);
}

/* Drops the bits of a number that its half does not have. */
static void limbs_cut(uint32_t *number, size_t limbs, uint32_t bits)
{
    for (size_t i = bits / 32; i < limbs; i++) {
        number[i] &= i == bits / 32 ? (UINT32_C(1) << bits % 32) - 1 : 0;
    }
}

static void limbs_round(const tally_ff1_limbs *limbs, tally_direction direction, uint32_t which,
                        uint32_t *number, const uint8_t chain[16], const uint8_t *more)
{
    const size_t count = limbs->limbs;
    uint32_t *y = limbs->scratch;
    for (size_t i = 0; i <= count; i++) {
        y[i] = limbs_prf_limb(limbs, chain, more, i);
    }
    if (limbs->modulus[0] == NULL) {
        if (direction == TALLY_ENCRYPT) {
            limbs_add(number, y, count, UINT32_MAX);
        } else {
            limbs_subtract(number, y, count);
        }
        limbs_cut(number, count, limbs->bits[which]);
        return;
    }
    const uint32_t *modulus = limbs->modulus[which];
    limbs_reduce(limbs, which, y);
    if (direction == TALLY_ENCRYPT) {
        const uint32_t carry = limbs_add(number, y, count, UINT32_MAX);
        limbs_less(number, carry, modulus, count);
    } else {
        const uint32_t borrow = limbs_subtract(number, y, count);
        limbs_add(number, modulus, count, limbs_mask(borrow));
    }
}

/* The blocks with the round and a number, which is big-endian and ends them. */
static void limbs_fill(const tally_ff1_limbs *limbs, uint32_t round, const uint32_t *number,
                       uint8_t *message, size_t number_blocks)
{
    const size_t size = limbs->plan->number_size, start = 16 * number_blocks - size;
    message[start - 1] = (uint8_t)round;
    for (size_t i = 0; i < size / 4; i++) {
        tally_store_be32(number[i], message + start + size - 4 * (i + 1));
    }
    for (size_t i = 0; i < size % 4; i++) {
        message[start + i] = (uint8_t)(number[size / 4] >> 8 * (size % 4 - 1 - i));
    }
}

/* The blocks of y behind the first, which is the chain: the encryptions of the chain xored with 1,
 * 2, .. */
static void limbs_fill_more(const uint8_t chain[16], size_t blocks, uint8_t *more)
{
    for (size_t i = 0; i < blocks; i++) {
        memcpy(more + 16 * i, chain, 12);
        tally_store_be32(tally_load_be32(chain + 12) ^ (uint32_t)(i + 1), more + 16 * i + 12);
    }
}

void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count)
{
    const tally_ff1_plan *plan = limbs->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t more = limbs_more(plan), stride = limbs_even(limbs->limbs);
    const size_t number_blocks = tally_ff1_number_blocks(plan);
    const size_t second = (size_t)plan->symbol_size * plan->half[0];
    const uint8_t *messages[TALLY_FF1_LIMBS_WORDS];
    uint32_t *const numbers = (uint32_t *)(void *)limbs->words;
    uint8_t(*const chains)[16] = (uint8_t(*)[16])(void *)(numbers + 2 * stride * count);
    uint8_t *const blocks = chains[count], *const blocks_more = blocks + 16 * number_blocks * count;
    memset(blocks, 0, 16 * number_blocks * count);
    for (size_t i = 0; i < count; i++) {
        messages[i] = blocks + 16 * number_blocks * i;
        limbs_read(limbs, plan->half[0], in[i], numbers + 2 * stride * i);
        limbs_read(limbs, plan->half[1], in[i] + second, numbers + 2 * stride * i + stride);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t which = round % 2;
        for (size_t k = 0; k < count; k++) {
            limbs_fill(limbs, round, numbers + 2 * stride * k + stride * (1 - which),
                       blocks + 16 * number_blocks * k, number_blocks);
            memcpy(chains[k], bases[k * base_step], 16);
        }
        aes->backend->cbc_mac(aes, count, messages, number_blocks, chains);
        for (size_t k = 0; k < count; k++) {
            limbs_fill_more(chains[k], more, blocks_more + 16 * more * k);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks_more, more * count, blocks_more);
        for (size_t k = 0; k < count; k++) {
            limbs_round(limbs, direction, which, numbers + 2 * stride * k + stride * which,
                        chains[k], blocks_more + 16 * more * k);
        }
    }
    for (size_t i = 0; i < count; i++) {
        limbs_write(limbs, 0, numbers + 2 * stride * i, out[i]);
        limbs_write(limbs, 1, numbers + 2 * stride * i + stride, out[i] + second);
    }
}

/* ---- core/ff1/plan.c ---- */
/*
 * See plan.h. Everything here is public: radix, lengths, sizes. */

static int plan_is_power_of_two(uint32_t radix)
{
    return (radix & (radix - 1)) == 0;
}

/* 2^k <= x < 2^(k + 1) */
static uint32_t plan_log(uint64_t x)
{
    uint32_t k = 0;
    while (x >> 1 >> k != 0) {
        k++;
    }
    return k;
}

uint32_t tally_ff1_min_length(tally_ff1_profile profile, uint32_t radix)
{
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX ||
        (profile != TALLY_FF1 && profile != TALLY_FF1_2016)) {
        return 0;
    }
    const uint64_t least = profile == TALLY_FF1 ? 1000000 : 100;
    uint64_t words = (uint64_t)radix * radix;
    uint32_t length = 2;
    for (; words < least; words *= radix) {
        length++;
    }
    return length;
}

/* 2^96 / value for a value above 2^32 that is no power of two: 2^64 / value, then the digits behind. */
static uint64_t plan_long_inverse(uint64_t value)
{
    uint64_t quotient = UINT64_MAX / value, rest = UINT64_MAX % value + 1;
    for (int bit = 0; bit < 32; bit++) { /* value <= 2^62, so that twice the rest fits */
        rest *= 2;
        quotient = 2 * quotient + (rest >= value);
        rest -= rest >= value ? value : 0;
    }
    return quotient;
}

static tally_ff1_modulus plan_modulus(uint32_t radix, uint32_t symbols)
{
    tally_ff1_modulus made = {.value = 1};
    for (uint32_t i = 0; i < symbols; i++) {
        made.value *= radix;
    }
    if (plan_is_power_of_two(radix)) {
        made.mask = made.value - 1;
    } else {
        made.inverse = UINT64_MAX / made.value; /* value is no power of two: as 2^64 / value */
        made.long_inverse = made.value >> 32 != 0 ? plan_long_inverse(made.value) : 0;
    }
    return made;
}

/* The bits of radix^symbols - 1, which is the standard's rounded logarithm. The power is that of a
 * mantissa of 64 bits, whose error is below 2^-44 of it. Of powers up to the 2^15th, that of 37667^592
 * is the nearest to a power of two, and 2^-31 of it away. */
static uint32_t plan_bits(uint32_t radix, uint32_t symbols)
{
    if (plan_is_power_of_two(radix)) {
        return plan_log(radix) * symbols;
    }
    const uint32_t log = plan_log(radix);
    const uint64_t base = (uint64_t)radix << (63 - log);
    uint64_t mantissa = UINT64_C(1) << 63; /* the power is mantissa * 2^(bits - 64) */
    uint32_t bits = 1;
    for (uint32_t bit = UINT32_C(1) << plan_log(symbols); bit != 0; bit /= 2) {
        mantissa = tally_ff1_high(mantissa, mantissa);
        bits += bits - 1;
        const int square = (int)(mantissa >> 63); /* 1: at least 2^127 */
        bits += (uint32_t)square;
        mantissa <<= 1 - square;
        if ((symbols & bit) != 0) {
            mantissa = tally_ff1_high(mantissa, base);
            const int product = (int)(mantissa >> 63);
            bits += log + (uint32_t)product;
            mantissa <<= 1 - product;
        }
    }
    return bits;
}

tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out)
{
    const uint32_t radix = cipher->radix;
    if (length > TALLY_FF1_MAX_LENGTH || length < tally_ff1_min_length(cipher->profile, radix)) {
        return TALLY_ERROR_FF1_LENGTH;
    }
    *out = (tally_ff1_plan){
        .cipher = cipher,
        .length = length,
        .half = {length / 2, length - length / 2},
        .symbol_size = radix <= 256 ? 1 : 2,
    };
    const uint32_t bits = plan_bits(radix, out->half[1]);
    out->is_short = bits <= (plan_is_power_of_two(radix) ? 64 : TALLY_FF1_LANE_BITS);
    const uint32_t log = plan_log(radix - 1) + 1; /* radix <= 2^log */
    out->radix_shift = log - 1;
    /* 2^(63 + log) / radix, rounded up, which is below 2^64. */
    const uint64_t power = UINT64_C(1) << 63, rest = (power % radix) << log;
    out->radix_inverse = (power / radix << log) + (rest + radix - 1) / radix;
    if (out->is_short) {
        out->modulus[0] = plan_modulus(radix, out->half[0]);
        out->modulus[1] = plan_modulus(radix, out->half[1]);
    }
    out->number_size = (bits + 7) / 8;
    out->prf_size = (out->number_size + 3) / 4 * 4 + 4;
    return TALLY_OK;
}

void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16])
{
    out[0] = 1;
    out[1] = 2;
    out[2] = 1;
    out[3] = (uint8_t)(plan->cipher->radix >> 16);
    out[4] = (uint8_t)(plan->cipher->radix >> 8);
    out[5] = (uint8_t)plan->cipher->radix;
    out[6] = TALLY_FF1_ROUNDS;
    out[7] = (uint8_t)plan->half[0];
    tally_store_be32(plan->length, out + 8);
    tally_store_be32((uint32_t)tweak_size, out + 12);
}

/* ---- core/ff1/portable.c ---- */
/*
 * FF1 on lanes in plain C: numbers in scalar registers, and the last blocks of all words in one call
 * of the AES back end, whichever that is. */

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

typedef struct ff1_portable_state {
    uint64_t half[2][TALLY_FF1_ROWS];
    uint8_t blocks[TALLY_FF1_ROWS][16];
} ff1_portable_state;

/* The number of some symbols of one or two bytes. */
TALLY_INLINE uint64_t ff1_portable_number(const uint8_t *symbols, uint32_t count,
                                          const uint32_t symbol_size, uint64_t radix)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t symbol = symbols[symbol_size * i];
        if (symbol_size == 2) {
            memcpy(&symbol, symbols + 2 * i, 2);
        }
        number = number * radix + symbol;
    }
    return number;
}

TALLY_INLINE void ff1_portable_symbols(uint64_t number, uint32_t count, const uint32_t symbol_size,
                                       const tally_ff1_plan *plan, uint8_t *symbols)
{
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t rest = tally_ff1_high(number, plan->radix_inverse) >> plan->radix_shift;
        const uint16_t symbol = (uint16_t)(number - rest * plan->cipher->radix);
        if (symbol_size == 2) {
            memcpy(symbols + 2 * i, &symbol, 2);
        } else {
            symbols[i] = (uint8_t)symbol;
        }
        number = rest;
    }
}

/* The numbers of all words, or the symbols. */
TALLY_INLINE void ff1_portable_read(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                    ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1], radix = plan->cipher->radix;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *word = batch->in[i];
        state->half[0][i] = ff1_portable_number(word, first, symbol_size, radix);
        state->half[1][i] =
            ff1_portable_number(word + symbol_size * first, second, symbol_size, radix);
    }
}

TALLY_INLINE void ff1_portable_write(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                     const ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1];
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *word = batch->out[i];
        ff1_portable_symbols(state->half[0][i], first, symbol_size, plan, word);
        ff1_portable_symbols(state->half[1][i], second, symbol_size, plan,
                             word + symbol_size * first);
    }
}

/* The last blocks with the numbers of one half. */
TALLY_INLINE void ff1_portable_fill(const tally_ff1_batch *batch, uint32_t round,
                                    const uint64_t *numbers, uint8_t (*blocks)[16])
{
    const uint32_t size = batch->plan->number_size;
    const uint64_t high = size == 8 ? round : 0, low = size == 8 ? 0 : (uint64_t)round << 8 * size;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *base = batch->bases[i * batch->base_step];
        tally_store_be64(tally_load_be64(base) ^ high, blocks[i]);
        tally_store_be64(tally_load_be64(base + 8) ^ low ^ numbers[i], blocks[i] + 8);
    }
}

/* y modulo the value, or that plus the value: y is 64 bits. */
TALLY_INLINE uint64_t ff1_portable_reduce(const tally_ff1_modulus *modulus, uint64_t y)
{
    return y - tally_ff1_high(y, modulus->inverse) * modulus->value;
}

/* The same for 64 bits and 32 more behind them. */
TALLY_INLINE uint64_t ff1_portable_reduce_long(const tally_ff1_modulus *modulus, uint64_t high,
                                               uint32_t low)
{
    const uint64_t first = tally_ff1_less(ff1_portable_reduce(modulus, high), modulus->value);
    if (modulus->long_inverse == 0) {
        return ff1_portable_reduce(modulus, first << 32 | low);
    }
    const uint64_t quotient = tally_ff1_high(first, modulus->long_inverse); /* at most 2 less */
    const uint64_t rest = (first << 32 | low) - quotient * modulus->value;
    return tally_ff1_less(rest, 2 * modulus->value);
}

/* Adds y to the numbers of a half, or subtracts it. */
TALLY_INLINE void ff1_portable_add(const tally_ff1_batch *batch, const uint8_t (*blocks)[16],
                                   const tally_ff1_modulus *modulus, uint64_t *numbers)
{
    const int is_long = batch->plan->prf_size == 12;
    const uint64_t value = modulus->value, mask = modulus->mask;
    if (mask != 0) {
        const uint64_t flip = batch->direction == TALLY_ENCRYPT ? 0 : 1;
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t y = tally_load_be64(blocks[i] + (is_long ? 4 : 0));
            numbers[i] = (numbers[i] + ((y ^ (0 - flip)) + flip)) & mask;
        }
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t y = tally_load_be64(blocks[i]);
        y = is_long ? ff1_portable_reduce_long(modulus, y, tally_load_be32(blocks[i] + 8))
                    : ff1_portable_reduce(modulus, y);
        y = tally_ff1_less(y, value);
        y = batch->direction == TALLY_ENCRYPT ? y : value - y;
        numbers[i] = tally_ff1_less(numbers[i] + y, value);
    }
}

static void ff1_portable_run(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    ff1_portable_state state;
    if (plan->symbol_size == 1) {
        ff1_portable_read(batch, 1, &state);
    } else {
        ff1_portable_read(batch, 2, &state);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = batch->direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t half = round % 2;
        ff1_portable_fill(batch, round, state.half[1 - half], state.blocks);
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, state.blocks[0], batch->count,
                                   state.blocks[0]);
        ff1_portable_add(batch, (const uint8_t(*)[16])state.blocks, &plan->modulus[half],
                         state.half[half]);
    }
    if (plan->symbol_size == 1) {
        ff1_portable_write(batch, 1, &state);
    } else {
        ff1_portable_write(batch, 2, &state);
    }
    tally_wipe(state.half[0], 8 * batch->count);
    tally_wipe(state.half[1], 8 * batch->count);
    tally_wipe(state.blocks, 16 * batch->count);
}

const tally_ff1_lanes tally_ff1_lanes_portable = {{"portable", 0}, ff1_portable_run};

TALLY_VISIBILITY_POP
