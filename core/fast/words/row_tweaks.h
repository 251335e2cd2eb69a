/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each row. Of some thousand rows those of equal tweaks are found
 * by hash; they run in bundles, side by side with those of other tweaks. */
#ifndef TALLY_FAST_WORDS_ROW_TWEAKS_H
#define TALLY_FAST_WORDS_ROW_TWEAKS_H

#include "fast/words/cipher.h"
#include "arrow/strings.h"

enum { TALLY_ROW_TWEAKS_BATCH = TALLY_FAST_ROWS };

/* A call at work. */
typedef struct tally_row_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    int decrypt;
    const tally_strings *tweaks;
    const uint8_t *chosen;       /* or NULL */
    uint64_t first;              /* row i of the batch is row first + i */
    tally_strings_reader reader; /* of the tweaks */
    size_t common;
    uint8_t tweak[TALLY_COLUMN_MAX_TWEAK]; /* the common one, then a row's own */
} tally_row_tweaks;

/* Takes the common tweak. TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or the tweak of a
 * chosen row is null or too long. */
tally_status tally_row_tweaks_open(tally_row_tweaks *job, const uint8_t *tweak, size_t tweak_size);

static inline int tally_row_tweaks_chosen(const tally_row_tweaks *job, uint64_t row)
{
    return job->chosen == NULL || job->chosen[row] != 0;
}

/* Some rows of the batch by tweak: those of bundle b are order[lead[b] .. lead[b + 1]). */
typedef struct tally_row_bundles {
    uint16_t order[TALLY_ROW_TWEAKS_BATCH];
    uint16_t lead[TALLY_ROW_TWEAKS_BATCH + 1];
    size_t bundles;
} tally_row_bundles;

/* Reads the tweaks of the `count` rows of the next batch, and finds the chosen rows that have one in
 * common. TALLY_ERROR_ARGUMENT: the tweaks have changed since they were checked. */
tally_status tally_row_tweaks_bundle(tally_row_tweaks *job, size_t count, tally_row_bundles *out);

/* Encrypts or decrypts in place: word[i] is that of row order[i]. */
void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_bundles *rows,
                          uint8_t *const *word);

#endif
