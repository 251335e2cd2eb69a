/* SPDX-License-Identifier: Apache-2.0
 *
 * The permutation of a range of numbers. */
#ifndef TALLY_FAST_WORDS_RANGE_H
#define TALLY_FAST_WORDS_RANGE_H

#include "base/barrier.h"
#include "fast/words/cipher.h"

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
