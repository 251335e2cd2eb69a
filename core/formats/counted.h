/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats whose values are as many as the numbers 0..size-1: a value's number, its *rank*, is
 * permuted, and the value of that rank is written in its place. A format says how text becomes a
 * rank and a rank text. Blocks of rows, nulls, row tweaks and columns of numbers are the same for
 * all of them. */
#ifndef TALLY_FORMATS_COUNTED_H
#define TALLY_FORMATS_COUNTED_H

#include <string.h>

#include "base/unroll.h"
#include "formats/format.h"

enum {
    TALLY_COUNTED_READABLE = 32, /* bytes that can be read where a row's text begins */
    TALLY_COUNTED_SLACK = 64,    /* bytes that a format may write behind a token */
    TALLY_COUNTED_MOST = 96      /* bytes of a token */
};

typedef struct tally_counted tally_counted;

/* The ranks of a block of rows, with the tweaks of their permutation. */
typedef struct tally_counted_block {
    const tally_strings *row_tweaks; /* one row for each, or NULL */
    const uint8_t *validity;         /* NULL: no row is null */
    uint64_t validity_start;
    size_t rows;
    uint64_t *ranks, *spare; /* spare: as many */
    uint8_t *status, *chosen;
} tally_counted_block;

/* A block of rows of text. */
typedef struct tally_counted_rows {
    const uint8_t *values; /* row i is values[start[i] .. start[i + 1]) */
    const uint64_t *start;
    uint64_t limit; /* bytes of `values` that can be read */
    size_t rows;
    uint64_t *ranks;
    uint8_t *status;
} tally_counted_rows;

struct tally_counted {
    uint64_t size;            /* 0: 2^64 */
    tally_fast_params params; /* of the words that carry the ranks */
    uint32_t most;            /* bytes of a token; 0: tokens are written over their values */
    int has_no_text;          /* the range has numbers of more than 18 digits */

    /* Reads a block: a status for every row, and a rank for those that are valid. */
    void (*read)(const tally_counted *counted, const tally_counted_rows *rows);

    /* Writes a block to `out`, row after row: tokens where chosen[i] is not 0, else the row's
     * bytes, or none if it is null (chosen[i] and status[i] are 0). end[i] is where row i ends. */
    void (*write)(const tally_counted *counted, const tally_counted_rows *rows,
                  const uint8_t *chosen, uint8_t *out, uint64_t *end);

    /* The same if `most` is 0: out[start[i] - start[0]] has the bytes of row i already. */
    void (*overwrite)(const tally_counted *counted, const tally_counted_rows *rows,
                      const uint8_t *chosen, uint8_t *out);

    /* Instead of tally_counted_permute, which it may call; else NULL. */
    tally_status (*permute)(const tally_counted *counted, tally_run *run,
                            const tally_counted_block *block);

    /* In columns of numbers: the number of rank 0, modulo 2^64; how many numbers of the range are
     * negative; digits behind a point. */
    uint64_t first, negative;
    uint32_t scale;
};

/* Sets size and params; also the format's domain and work. */
tally_status tally_counted_init(tally_format *format, tally_counted *counted, uint64_t size);

/* Members of tally_format_class; format->own begins with its tally_counted. TALLY_ERROR_TYPE: the
 * range has no text. */
tally_status tally_counted_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_counted_one(const tally_format *format, tally_run *run, tally_one *one);

/* Columns of numbers. A number of the column is `unit` times one of the range, or it is invalid. */
tally_status tally_counted_fixed(const tally_counted *counted, uint64_t unit, tally_run *run,
                                 tally_fixed_column *column);

/* Permutes the ranks of a block: those of rows of status 0 that are not null. Sets their `chosen`
 * to 1 and that of others to 0; the status of null rows to 0, and that of rows without a usable
 * tweak. */
tally_status tally_counted_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block);

/* Sets `chosen` and `status` as above; returns how many rows are chosen. */
size_t tally_counted_choose(const tally_run *run, const tally_counted_block *block);

/* counted->permute, or tally_counted_permute. */
tally_status tally_counted_run(const tally_counted *counted, tally_run *run,
                               const tally_counted_block *block);

/* A loop over rows for each of a format's functions, into which compilers inline it. The text of a
 * row has TALLY_COUNTED_READABLE bytes that can be read, whatever its size. */
typedef uint8_t tally_counted_read_row(const tally_counted *counted, const uint8_t *text,
                                       uint64_t size, uint64_t *rank);
typedef uint64_t tally_counted_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out);
typedef void tally_counted_overwrite_row(const tally_counted *counted, uint64_t rank, uint8_t *out);

TALLY_INLINE void tally_counted_read_rows(const tally_counted *counted,
                                          const tally_counted_rows *rows,
                                          tally_counted_read_row *read)
{
    uint8_t padded[TALLY_COUNTED_READABLE];
    int is_padded = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const uint64_t start = rows->start[i], size = rows->start[i + 1] - start;
        const uint8_t *text = padded;
        uint64_t rank = 0;
        if (rows->limit - start >= TALLY_COUNTED_READABLE || size >= TALLY_COUNTED_READABLE) {
            text = rows->values + start;
        } else {
            is_padded = 1;
            memset(padded, 0, sizeof padded);
            if (size != 0) {
                memcpy(padded, rows->values + start, (size_t)size);
            }
        }
        rows->status[i] = read(counted, text, size, &rank);
        rows->ranks[i] = rank;
    }
    if (is_padded) {
        tally_wipe(padded, sizeof padded);
    }
}

TALLY_INLINE void tally_counted_write_rows(const tally_counted *counted,
                                           const tally_counted_rows *rows, const uint8_t *chosen,
                                           uint8_t *out, uint64_t *end,
                                           tally_counted_write_row *write)
{
    uint64_t at = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        if (chosen[i] != 0) {
            at += write(counted, rows->ranks[i], out + at);
        } else if (rows->status[i] != 0 && rows->start[i + 1] != rows->start[i]) {
            const uint64_t size = rows->start[i + 1] - rows->start[i];
            memcpy(out + at, rows->values + rows->start[i], (size_t)size);
            at += size;
        }
        end[i] = at;
    }
}

TALLY_INLINE void tally_counted_overwrite_rows(const tally_counted *counted,
                                               const tally_counted_rows *rows,
                                               const uint8_t *chosen, uint8_t *out,
                                               tally_counted_overwrite_row *overwrite)
{
    for (size_t i = 0; i < rows->rows; i++) {
        if (chosen[i] != 0) {
            overwrite(counted, rows->ranks[i], out + (rows->start[i] - rows->start[0]));
        }
    }
}

#endif
