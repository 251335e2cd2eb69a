/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of tally_fast_encrypt_column or tally_fast_decrypt_column at work. Rows that are laid out
 * alike go on lanes together, byte by byte (column_alike.c); any other is taken apart by itself, and
 * its word joins those of equal length and tweak (column_rows.c). */
#ifndef TALLY_COLUMNS_JOB_H
#define TALLY_COLUMNS_JOB_H

#include "fast/words/cipher.h"
#include "arrow/strings.h"
#include "columns/translate.h"

enum { TALLY_COLUMN_MEMO = 64, TALLY_COLUMN_MAX_DIGITS = 64 };

/* What the rows of a call share. */
typedef struct tally_column_job {
    tally_fast_cipher *cipher;
    const tally_shape *shape;
    int decrypt;
    int marks; /* that a value must have */
    tally_column_report *report;
    const tally_strings_reader *row_tweaks; /* or NULL */
    size_t common_tweak;
    uint8_t tweak[TALLY_COLUMN_MAX_TWEAK];     /* the common one, then a row's tail */
    tally_fast_params memo[TALLY_COLUMN_MEMO]; /* recommended ones by length, once needed */
    int has_tables;
    tally_text_tables tables; /* of the shape, if it has such */

    /* column_alike.c */
    const tally_text *text; /* NULL: no rows are taken together */
    size_t rest;            /* batches that are not to be tried, since others did not fit */
    size_t most_text;       /* bytes of the cipher's text that were used */
    tally_text_layout layout;

    /* column_rows.c */
    int is_short_fast;         /* whether symbols_short.h works here */
    size_t rows, words, tails; /* in use of the cipher's */
    size_t most, most_tails;   /* of its words and tails, ever */
} tally_column_job;

/* Some rows of the column, one after the other. */
typedef struct tally_column_batch {
    uint64_t first;        /* row i of the batch is row first + i of the column */
    size_t count;          /* at most TALLY_FAST_ROWS */
    const uint64_t *start; /* value i lies at start[i] .. start[i+1], both in `source`, */
    uint64_t end;          /* of the last value of the column */
    const uint8_t *source; /* from where it is read until it is copied, */
    uint8_t *values;       /* and here, where it is changed; the two may be one */
    int copied;            /* whether all values have been copied */
    uint64_t common;       /* the size of all rows if they have one, and none is null; else 0 */
    uint8_t *status;       /* of the rows; TALLY_ROW_OK already */
    size_t left;           /* rows that are still to be done, */
    uint16_t *rows;        /* and which */
} tally_column_batch;

static inline uint64_t tally_column_size(const tally_column_batch *batch, size_t row)
{
    return batch->start[row + 1] - batch->start[row];
}

/* Copies the values of `count` rows from `first` on. */
void tally_column_copy(const tally_column_batch *batch, size_t first, size_t count);

/* The recommended parameters, in *spare if they are not remembered. */
const tally_fast_params *tally_column_params(tally_column_job *job, size_t length,
                                             tally_fast_params *spare);

/* Does those rows of a batch that are laid out alike, and leaves the others. */
void tally_column_begin_alike(tally_column_job *job);
void tally_column_run_alike(tally_column_job *job, tally_column_batch *batch);
void tally_column_end_alike(tally_column_job *job);

/* Does the rows that are left. */
void tally_column_begin_rows(tally_column_job *job);
void tally_column_run_rows(tally_column_job *job, tally_column_batch *batch);
void tally_column_end_rows(tally_column_job *job);

#endif
