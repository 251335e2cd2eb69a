/* SPDX-License-Identifier: Apache-2.0
 *
 * A call on a column. Rows of the same layout go on lanes together, byte by byte (same_layout.c).
 * The symbols of every other row are gathered into a word, and words of equal length and tweak run
 * together (each_row.c). */
#ifndef TALLY_COLUMNS_JOB_H
#define TALLY_COLUMNS_JOB_H

#include "arrow/strings.h"
#include "columns/short.h"
#include "columns/translate.h"
#include "fast/words/buckets.h"
#include "fast/words/cipher.h"
#include "fast/words/groups.h"

enum {
    TALLY_COLUMN_TEXT = TALLY_TRANSLATE_WIDTH * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES,
    TALLY_COLUMN_TAILS = 1 << 17 /* bytes */
};

/* A row of each_row.c. */
typedef struct tally_column_row {
    uint8_t *value;
    uint64_t size;
    uint64_t after;      /* the first byte after a delimiter */
    uint8_t *word;       /* the symbols to encrypt */
    const uint8_t *tail; /* the row's own part of its tweak */
    uint32_t tail_size;
    uint32_t count;    /* all symbols of the value */
    uint32_t length;   /* of the word */
    uint32_t check;    /* which symbol is the check digit, if there is one */
    uint16_t bucket;   /* of the rows with the same length and tail */
    uint16_t is_short; /* 1: of at most 64 bytes, and `where` has the places of its symbols */
    tally_short_value where;
} tally_column_row;

/* A column's part of a workspace. */
typedef struct tally_column_memory {
    _Alignas(64) uint8_t text[TALLY_COLUMN_TEXT]; /* bytes of values on lanes */
    _Alignas(64) uint8_t bad[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint64_t starts[TALLY_FAST_ROWS + 1];        /* of the batch's values */
    uint16_t pending[2 * TALLY_FAST_ROWS];       /* rows of the batch: as they come, then by size */
    tally_fast_buckets buckets;                  /* of each_row.c, as what follows */
    uint8_t *words[TALLY_FAST_ROWS];             /* bucket by bucket */
    uint8_t symbols[TALLY_FAST_MAX_LENGTH + 64]; /* of the words */
    uint8_t tails[TALLY_COLUMN_TAILS];
    tally_column_row rows[TALLY_FAST_ROWS];
} tally_column_memory;

/* The state of a call. */
typedef struct tally_column_job {
    tally_fast_cipher *cipher;
    tally_column_memory *memory;
    const tally_shape *shape;
    tally_direction direction;
    int delimiters; /* of a value: 0 or 1 */
    tally_column_report *report;
    const tally_strings_reader *row_tweaks; /* or NULL */
    size_t common_tweak;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK]; /* the common part, then a row's tail */
    int has_tables;
    tally_translate_tables tables; /* of the shape, if it has such */

    /* same_layout.c */
    const tally_translate *translate; /* NULL: every row is left to each_row.c */
    size_t skipped;   /* batches left to each_row.c, since others had few such rows */
    size_t most_text; /* bytes of memory->text in use, at most */
    tally_translate_layout layout;
    size_t length; /* of words of this layout; 0: there is none */
    size_t kept;   /* its symbols that stay */
    int on_lanes;  /* whether words run on lanes; those of FF1 with a tweak each do not */
    size_t unlike; /* batches whose rows are listed at once, since others were not of one layout */

    /* grouped.c: by the size of a value, the bytes of its first symbols that stay; 0: not known */
    uint64_t places[TALLY_TRANSLATE_WIDTH + 1];

    /* each_row.c */
    int has_short;                   /* whether short.h works on this CPU */
    size_t rows, symbols, tails;     /* in use of the memory's */
    size_t most_symbols, most_tails; /* the same, at most */
} tally_column_job;

/* Rows of a column side by side. */
typedef struct tally_column_batch {
    uint64_t first;        /* row i of the batch is row first + i of the column */
    size_t count;          /* at most TALLY_FAST_ROWS */
    uint64_t moved;        /* what is taken off the column's offsets: */
    uint64_t begin;        /* of value 0 */
    uint64_t *start;       /* value i is at start[i] .. start[i + 1], both in source and values */
    uint64_t end;          /* of the column's last value */
    const uint8_t *source; /* the column's values; read until they are copied */
    uint8_t *values;       /* changed here; may equal `source` */
    int copied;            /* whether all values have been copied */
    uint64_t common;       /* the size of all rows if they have one, and none is null; else 0 */
    uint8_t *status;       /* of the rows; TALLY_ROW_OK until a row is found invalid */
    size_t done;           /* rows at the beginning that need no list: all that follows is for
                            * the other ones */
    size_t pending;        /* the number of rows to do, */
    uint16_t *rows;        /* and the rows */
} tally_column_batch;

static inline uint64_t tally_column_size(const tally_column_batch *batch, size_t row)
{
    return batch->start[row + 1] - batch->start[row];
}

/* Copies the values of `count` rows from `first` on. */
void tally_column_copy(const tally_column_batch *batch, size_t first, size_t count);

/* Runs the rows of a batch that have the same layout; the others stay pending. Of a batch whose rows
 * have one size and are not listed yet, _run_packed runs rows from the first on, as long as they
 * have one layout; returns how many. */
void tally_same_layout_init(tally_column_job *job);
size_t tally_same_layout_run_packed(tally_column_job *job, const tally_column_batch *batch);
void tally_same_layout_run(tally_column_job *job, tally_column_batch *batch);
void tally_same_layout_wipe(tally_column_job *job);

/* Sets job->layout to that of a value, and job->length to the length of its word; 0: it is
 * invalid. */
void tally_same_layout_of(tally_column_job *job, const uint8_t *value, size_t width);

/* What translates rows on lanes. */
tally_translate_job tally_same_layout_text(tally_column_job *job, size_t width, size_t lanes);

/* Marks a byte of memory->symbols or ->tails, and all before it, as one to be wiped. */
static inline void tally_column_used(size_t end, size_t *most)
{
    *most = end > *most ? end : *most;
}

/* Counts the values that are bad. */
size_t tally_same_layout_count_bad(const uint8_t *bad, size_t count);

/* Adds a row, whose value is at `value` and changed there, now or in a later call: that of
 * tally_each_row_flush at the latest. Returns why the row is invalid. */
tally_row tally_each_row_add(tally_column_job *job, uint8_t *value, uint64_t size, uint64_t number);
void tally_each_row_flush(tally_column_job *job);

/* Whether rows have tweaks of their own, by which they can be grouped. */
int tally_grouped_applies(const tally_column_job *job);

/* Runs all rows of a column, of which none was read, and counts none in the report. Returns 0 if
 * another thread has changed offsets since they were checked. */
int tally_grouped_run(tally_column_job *job, tally_groups *groups, tally_strings_reader *reader,
                      tally_column_batch *batch, uint8_t *row_status);

/* Runs all pending rows. */
void tally_each_row_init(tally_column_job *job);
void tally_each_row_run(tally_column_job *job, tally_column_batch *batch);
void tally_each_row_wipe(tally_column_job *job);

#endif
