/* SPDX-License-Identifier: Apache-2.0
 *
 * S-boxes as shuffles of the identity, several side by side. */
#ifndef TALLY_FAST_SCHEDULE_SHUFFLE_H
#define TALLY_FAST_SCHEDULE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/dispatch.h"

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
