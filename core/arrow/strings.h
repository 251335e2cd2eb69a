/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

#include <stddef.h>

#include "base/barrier.h"

/* An Arrow string or binary array. Row i is values[offset(i) .. offset(i+1)), in `values`.
 *
 * If another thread changes the memory behind the pointers during a call, the call stays within
 * values[offset(0) .. offset(rows)), with the two offsets read once at the beginning. It returns
 * TALLY_ERROR_ARGUMENT after writing some rows, or its results are useless. To compare offset(rows)
 * with the memory of `values`, copy the offsets, compare in the copy, and pass the copy. */
typedef struct tally_strings {
    const void *offsets;  /* rows + 1 of int32_t or int64_t, ascending from 0 or more */
    uint32_t offset_size; /* 4 or 8 bytes */
    uint32_t reserved;
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
    const uint8_t *values;
    uint64_t rows;
} tally_strings;

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Rows first .. first + count - 1. */
static inline tally_strings tally_strings_slice(const tally_strings *strings, uint64_t first,
                                                uint64_t count)
{
    tally_strings slice = *strings;
    slice.offsets = (const uint8_t *)strings->offsets + first * strings->offset_size;
    slice.validity_start += first;
    slice.rows = count;
    return slice;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
    /* The size of every row, if tally_strings_init finds that they have one; else 0. Offsets are
     * then not read again by tally_strings_read. */
    uint64_t each;
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* The same for rows of one size, without their offsets. */
static inline void tally_strings_skip(tally_strings_reader *reader, size_t count)
{
    reader->at += count * reader->each;
    reader->row += count;
}

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    if (reader->each != 0) {
        *start = reader->at + row * reader->each;
        *size = reader->each;
        return 1;
    }
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif
