/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each row. The rows of a batch are sorted into buckets of
 * equal tweaks; buckets run side by side. */
#ifndef TALLY_FAST_WORDS_ROW_TWEAKS_H
#define TALLY_FAST_WORDS_ROW_TWEAKS_H

#include "arrow/strings.h"
#include "fast/words/buckets.h"
#include "fast/words/cipher.h"
#include "fast/words/range.h"
#include "fast/words/workspace.h"

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
