/* SPDX-License-Identifier: Apache-2.0
 *
 * S-boxes as shuffles of the identity, several side by side. */
#ifndef TALLY_FAST_SCHEDULE_SHUFFLE_H
#define TALLY_FAST_SCHEDULE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

enum {
    TALLY_FAST_TOGETHER = 64, /* S-boxes that are shuffled side by side, at most */
    TALLY_FAST_DRAWS = 2048,  /* words read ahead */
    TALLY_FAST_BATCH = 5120   /* bytes of the S-boxes of a batch, at most */
};

/* S-boxes in the making: their targets without gaps, one for each entry i = a-1 down to 1, which it
 * is swapped with. */
typedef struct tally_fast_batch {
    uint32_t bounds[256 + 32]; /* of the draws of an S-box: a, a-1 and so on to 2, then anew */
    uint8_t targets[TALLY_FAST_BATCH];
    uint8_t sboxes[TALLY_FAST_BATCH];
    uint8_t inverses[TALLY_FAST_BATCH];
} tally_fast_batch;

/* How batches are shuffled: a file named after its instruction set. */
typedef struct tally_fast_shuffle {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
    /* How many S-boxes a batch has: at most TALLY_FAST_TOGETHER, a divisor of the pool's. In
     * whole 16 bytes each they fit into TALLY_FAST_BATCH. */
    size_t (*together)(uint32_t radix);
    /* Targets of `count` words, those of whole S-boxes and at least 16; one word each. Returns 0 if
     * a word may have to be drawn again, as one in 2^24 may: the targets are of no use then. */
    int (*targets)(uint32_t radix, const uint32_t *bounds, const uint8_t *words, size_t count,
                   uint8_t *targets);
    /* The S-boxes of a batch and their inverses, from their targets. An S-box begins `stride` bytes
     * behind the one before; stride is radix rounded up to a multiple of 16. */
    void (*swap)(uint32_t radix, const uint8_t *targets, size_t stride, uint8_t *sboxes,
                 uint8_t *inverses);
} tally_fast_shuffle;

extern const tally_fast_shuffle tally_fast_shuffle_portable, tally_fast_shuffle_avx2,
    tally_fast_shuffle_avx512;

/* The fastest for the CPU features in use. */
const tally_fast_shuffle *tally_fast_choose_shuffle(void);

/* Reads blocks of 16 bytes, from `first` on; size is a multiple of 16. */
typedef void tally_fast_read(const void *source, uint64_t first, size_t size, uint8_t *out);

/* Words of 32 bits, big-endian, read ahead. */
typedef struct tally_fast_words {
    tally_fast_read *read;
    const void *source;
    uint64_t block;                           /* to be read next */
    size_t next, end;                         /* of the bytes that are read and not used */
    uint8_t bytes[4 * TALLY_FAST_DRAWS + 16]; /* whole blocks behind what is left */
} tally_fast_words;

/* The words of `source` from block 0 on. The caller wipes them. */
void tally_fast_words_open(tally_fast_read *read, const void *source, tally_fast_words *out);

/* Readies a batch for S-boxes of a radix. The caller wipes it. */
void tally_fast_batch_open(uint32_t radix, tally_fast_batch *out);

/* Draws the targets of the `count` S-boxes of a batch, after which those of `more` others will be
 * drawn. */
void tally_fast_draw(const tally_fast_shuffle *shuffle, uint32_t radix, size_t count, size_t more,
                     tally_fast_words *words, tally_fast_batch *batch);

#endif
