/* SPDX-License-Identifier: Apache-2.0
 *
 * The common state of a worker's parts. */
#ifndef TALLY_TOKENS_WORKER_H
#define TALLY_TOKENS_WORKER_H

#include "base/allocator.h"
#include "formats/format.h"
#include "tallystick/tokens.h"

enum {
    TOKENS_KEY_SIZE = 32, /* at most */
    TOKENS_CIPHERS = 32,  /* of a worker, at most: one for each radix */
    TOKENS_SEQUENCES = 64 /* that a cipher caches */
};

struct tally_tokenizer {
    tally_allocator allocator;
    const tally_format *format;
    uint8_t key[TOKENS_KEY_SIZE];
    size_t key_size;                     /* 0: there is none */
    uint8_t cipher_key[TOKENS_KEY_SIZE]; /* of the same size: the cipher's */
    tally_on_invalid on_invalid;
    uint32_t rights; /* TALLY_MAY_PROTECT, TALLY_MAY_REVEAL */
    /* Of columns, and of rows with a tweak each: encode() of what tokens depend on, in the memory
     * behind the tokenizer, with zeros up to the end of an AES block. */
    uint32_t described_size[2]; /* without the zeros */
    const uint8_t *described[2];
    uint32_t head_size[2]; /* of part 1 of a tweak: that, or a plain cipher's own */
    const uint8_t *head[2];
    size_t memory_size;
};

/* The worker's own pieces of memory, behind those of the run. */
typedef enum tokens_place {
    TOKENS_STATUS = TALLY_SCRATCHES, /* of the values */
    TOKENS_OFFSETS,                  /* of text that comes in */
    TOKENS_VALUES,                   /* of text that was gathered */
    TOKENS_VALIDITY,
    TOKENS_INDICES, /* of a dictionary's rows, or of runs */
    TOKENS_USES,    /* of a dictionary's entries, or of runs */
    TOKENS_ORDER,   /* of a dictionary's entries, by their first rows */
    TOKENS_TWEAK_OFFSETS,
    TOKENS_TWEAK_VALUES,
    TOKENS_TWEAK_VALIDITY,
    TOKENS_TWEAK_INDICES,
    TOKENS_REPEATED,        /* the same, where a row's tweak is that of several values */
    TOKENS_DECODED_OFFSETS, /* of tweaks from a dictionary */
    TOKENS_DECODED_VALUES,
    TOKENS_DECODED_VALIDITY,
    TOKENS_TAKEN_OFFSETS, /* of text that was decoded */
    TOKENS_TAKEN_VALUES,
    TOKENS_TABLE,  /* of hashes */
    TOKENS_MAP,    /* of rows to distinct values */
    TOKENS_FIRSTS, /* rows of distinct values */
    TOKENS_ONE,    /* the result of one value */
    TOKENS_PLACES
} tokens_place;

typedef struct tokens_piece {
    uint8_t *memory; /* aligned */
    void *block;     /* as it was allocated */
    size_t capacity, block_size;
    size_t used; /* bytes that this call may have written: they are wiped at its end */
} tokens_piece;

/* A pool and a cipher of one radix, in one piece of memory. */
typedef struct tokens_cipher {
    uint32_t radix; /* 0: none yet */
    uint64_t last_use;
    tally_fast_cipher *cipher;
    void *memory;
    size_t memory_size, pool_size;
} tokens_cipher;

struct tally_worker {
    tally_run run; /* the first member: the run's functions get it */
    const tally_tokenizer *tokenizer;
    uint8_t *tweak[2]; /* the tokenizer's heads, with room behind them */
    tokens_piece pieces[TOKENS_PLACES];
    uint64_t used; /* bit i: piece i is to be wiped */
    uint64_t clock;
    tokens_cipher ciphers[TOKENS_CIPHERS];
    uint8_t cipher_of[TALLY_FAST_MAX_RADIX + 1]; /* where that of a radix is, from 1; 0: nowhere */
    void *workspace_memory;
    tally_fast_workspace *workspace;
    uint64_t hash_seed[2];
    int has_seed;
    char purpose[32]; /* of `derived`, which was derived last; empty: nothing was */
    uint8_t derived[32];
    size_t memory_size;
};

/* Begins a call: the run's direction and tweak, without rows' own tweaks. TALLY_ERROR_ONE_WAY,
 * TALLY_ERROR_READ_ONLY, TALLY_ERROR_PROTECT_ONLY, TALLY_ERROR_REVEAL_ONLY. */
tally_status tally_tokens_begin(tally_worker *worker, tally_direction direction,
                                const tally_strings *row_tweaks);

/* Ends it: wipes the pieces. */
void tally_tokens_end(tally_worker *worker);

/* A piece of at least `size` bytes; NULL: there is no memory. Its content is lost if it grows. */
void *tally_tokens_scratch(tally_worker *worker, unsigned place, uint64_t size);

/* The same for `count` items of `size` bytes. */
static inline void *tokens_scratch_many(tally_worker *worker, unsigned place, uint64_t count,
                                        uint64_t size)
{
    return count > UINT64_MAX / 2 / size ? NULL : tally_tokens_scratch(worker, place, count * size);
}

#endif
