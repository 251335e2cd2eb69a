/* SPDX-License-Identifier: Apache-2.0
 *
 * The means and the values of a format's call. A tokenizer's worker makes a run for each call. */
#ifndef TALLY_FORMATS_RUN_H
#define TALLY_FORMATS_RUN_H

#include "arrow/strings.h"
#include "arrow/type.h"
#include "base/direction.h"
#include "fast/words/workspace.h"
#include "tallystick/formats.h"

typedef struct tally_run tally_run;

struct tally_run {
    tally_direction direction;

    /* Part 1 of the tweak; it has room for `tweak_capacity` bytes, so a format may append its part 2
     * for a call, and takes it off again. */
    uint8_t *tweak;
    size_t tweak_size, tweak_capacity;

    /* Part 3: a row for each value, or NULL. Offsets and nulls as of any tally_strings. */
    const tally_strings *row_tweaks;

    uint64_t small; /* a format adds the rows whose domain is smaller than TALLY_SMALL_DOMAIN */

    /* The cipher of a radix; NULL: there is no memory. The workspace; the same. */
    tally_fast_cipher *(*cipher)(tally_run *run, uint32_t radix);
    tally_fast_workspace *(*workspace)(tally_run *run);

    /* Memory of at least `size` bytes, aligned to 64, until the end of the call, when it is wiped;
     * NULL: there is none. `place`, 0..TALLY_SCRATCHES-1, says which: a place has one piece, which
     * grows and is kept between calls, so no call allocates in the end. */
    void *(*scratch)(tally_run *run, unsigned place, size_t size);

    /* The key, for a format with a plain_key. */
    const uint8_t *key;
    size_t key_size;

    /* Derives 32 bytes from the key: HKDF-SHA-256 without salt. */
    tally_status (*derive)(tally_run *run, const char *info, uint8_t out[32]);
};

enum {
    TALLY_SCRATCH_GROUPS = 12, /* for grouping rows, by text_run.c */
    TALLY_SCRATCHES
};
enum { TALLY_BLOCK_ROWS = 4096 /* a good number to work on together */ };

/* Texts that are written one after the other, as Arrow has them. */
typedef struct tally_text_out {
    uint8_t *values;
    uint64_t size, capacity; /* bytes */
    void *offsets;           /* rows + 1, of offset_size; the first is 0 */
    uint32_t offset_size;
    uint64_t row;  /* the next */
    uint64_t most; /* bytes that the offsets can number */
    int (*grow)(struct tally_text_out *out, uint64_t more);
    void *context;
} tally_text_out;

/* Makes room for `more` bytes at out->values + out->size. TALLY_ERROR_MEMORY. */
static inline tally_status tally_text_out_reserve(tally_text_out *out, uint64_t more)
{
    return more <= out->capacity - out->size || out->grow(out, more) ? TALLY_OK
                                                                     : TALLY_ERROR_MEMORY;
}

/* Ends a row of `size` bytes, which were written there. Whoever made `out` looks, after the call,
 * whether its size is more than `most`. */
static inline void tally_text_out_end(tally_text_out *out, uint64_t size)
{
    out->size += size;
    out->row++;
    if (out->offset_size == 4) {
        ((uint32_t *)out->offsets)[out->row] = (uint32_t)out->size;
    } else {
        ((uint64_t *)out->offsets)[out->row] = out->size;
    }
}

/* A column of text. A format writes status[i], a tally_reason, for every row; 0 for null rows. Rows
 * that are not valid keep their bytes; null rows have none, or zeros if the format keeps sizes. */
typedef struct tally_text_column {
    tally_strings in; /* offsets are checked: they ascend, within the values */
    uint8_t *status;
    uint8_t *values;     /* keeps_size: receives the bytes, at the same offsets less the first */
    tally_text_out *out; /* else: receives the rows */
} tally_text_column;

/* A column of values of a fixed size: integers, dates, timestamps, decimals. `values` and `out` are
 * at the first row, and aligned as their type; they may be the same. Rows that are not valid keep
 * their value; null rows become zeros. */
typedef struct tally_fixed_column {
    const tally_arrow_type *type;
    const void *values;
    const uint8_t *validity; /* a bitmap; NULL: no row is null */
    uint64_t validity_start;
    uint64_t rows;
    uint8_t *status;
    void *out;
} tally_fixed_column;

/* One value of text. out[0..capacity) receives the result, *out_size its size; TALLY_ERROR_CAPACITY of
 * tokens.h says that there is too little room. If the reason is not 0, nothing need be written. */
typedef struct tally_one {
    const uint8_t *value;
    size_t size;
    const uint8_t *row_tweak; /* NULL: there is none */
    size_t row_tweak_size;
    uint8_t *out;
    size_t capacity, out_size;
    tally_reason reason;
} tally_one;

#endif
