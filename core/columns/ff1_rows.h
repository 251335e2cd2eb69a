/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the same layout through FF1. Their words run side by side, each with a tweak of its own:
 * the symbols that stay, then the bytes of row_tweaks. */
#ifndef TALLY_COLUMNS_FF1_ROWS_H
#define TALLY_COLUMNS_FF1_ROWS_H

#include "columns/job.h"
#include "fast/words/ff1_words.h"

enum { TALLY_FF1_ROWS_MOST = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES };

/* Rows that run together. */
typedef struct tally_ff1_rows {
    size_t stride, count; /* lanes, and how many of them have a row */
    tally_ff1_tweaks tweaks;
    const uint8_t *tails[TALLY_FF1_ROWS_MOST];
    size_t sizes[TALLY_FF1_ROWS_MOST];
} tally_ff1_rows;

/* Takes the tweaks of rows whose symbols are on lanes, row k on lane k: row k is number
 * first + rows[k] of the column, or first + k if `rows` is NULL. A row without a valid tweak becomes a bad one. */
void tally_ff1_rows_init(tally_column_job *job, uint64_t first, const uint16_t *rows, size_t stride,
                         size_t count, tally_ff1_rows *out);

/* Runs their words, which come from lanes and go back. The symbols of bad rows are anything. */
void tally_ff1_rows_run(tally_column_job *job, tally_ff1_rows *rows, int any_bad);

/* Whether values of job->layout have nothing but symbols whose letters follow each other, and those
 * of the word lie together, as those that stay do. */
int tally_ff1_rows_are_plain(const tally_column_job *job);

/* Runs such values, side by side, from `from` to `to`, which may be equal; they are the rows from
 * number `first` of the column on. Returns 0, with nothing written, if a byte is no symbol or a row
 * has no valid tweak. */
int tally_ff1_rows_run_plain(tally_column_job *job, uint64_t first, const uint8_t *from,
                             size_t count, uint8_t *to);

#endif
