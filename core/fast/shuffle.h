/* SPDX-License-Identifier: Apache-2.0
 *
 * S-boxes as shuffles of the identity, several side by side. Reads and writes at secret indices:
 * see "Not constant time" in docs/security.md. */
#ifndef TALLY_FAST_SHUFFLE_H
#define TALLY_FAST_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TALLY_FAST_TOGETHER = 8, TALLY_FAST_DRAWS = 2048 };

/* S-boxes of up to 256 entries in the making. Their swaps depend on each other only within an
 * S-box, so that those of one are the time in which another's pass through memory. */
typedef struct tally_fast_batch {
    uint8_t targets[TALLY_FAST_TOGETHER][256]; /* entry i is swapped with, i = a-1 down to 1 */
    uint8_t sboxes[TALLY_FAST_TOGETHER][256];
    uint8_t inverses[TALLY_FAST_TOGETHER][256];
} tally_fast_batch;

/* Reads blocks of 16 bytes, from `first` on; size is a multiple of 16. */
typedef void tally_fast_read(const void *source, uint64_t first, size_t size, uint8_t *out);

/* Words of 32 bits, big-endian, read ahead. */
typedef struct tally_fast_words {
    tally_fast_read *read;
    const void *source;
    uint64_t block;   /* to be read next */
    size_t next, end; /* of the bytes that are read and not used */
    uint8_t bytes[4 * TALLY_FAST_DRAWS];
} tally_fast_words;

/* The words of `source` from block 0 on. The caller wipes them. */
void tally_fast_words_open(tally_fast_read *read, const void *source, tally_fast_words *out);

/* Targets of an S-box from radix - 1 words, one each. Returns 0 if a word may have to be drawn
 * again, as one in 2^24 may: the targets are of no use then. */
int tally_fast_targets(uint32_t radix, const uint8_t *words, uint8_t *targets);

/* Draws the targets of a batch, after which `batches` - 1 others will be drawn. */
void tally_fast_draw(uint32_t radix, size_t batches, tally_fast_words *words,
                     tally_fast_batch *batch);

/* The S-boxes and their inverses, from their targets. */
void tally_fast_swap(uint32_t radix, tally_fast_batch *batch);

/* Copies few bytes, 16 at a time: reads and writes up to 15 more than `size`. */
static inline void tally_fast_copy16(const uint8_t *from, size_t size, uint8_t *to)
{
    for (size_t i = 0; i < size; i += 16) {
        memcpy(to + i, from + i, 16);
    }
}

#endif
