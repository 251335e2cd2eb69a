/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of a call: the input of a format, and the array that it makes. */
#ifndef TALLY_TOKENS_COLUMN_H
#define TALLY_TOKENS_COLUMN_H

#include <string.h>

#include "arrow/array.h"
#include "tokens/worker.h"

/* The memory of a result: the private data of its array. */
enum { TOKENS_BLOCKS = 3, TOKENS_BUFFERS = 4, TOKENS_CHILDREN = 2 };

typedef struct tokens_owned {
    tally_allocator allocator;
    struct {
        void *memory;
        size_t size;
        size_t values; /* bytes at its begin that may hold values */
    } blocks[TOKENS_BLOCKS];
    int in_clear; /* the values are wiped when the array is released */
    const void *buffers[TOKENS_BUFFERS];
    struct ArrowArray *children[TOKENS_CHILDREN];
    struct ArrowArray nodes[TOKENS_CHILDREN], dictionary;
} tokens_owned;

/* A flat column: text with offsets from 0, or values of a fixed size. Nobody else can change its
 * offsets and its bitmap. */
typedef struct tokens_column {
    tally_arrow_type type;
    uint64_t rows, nulls;
    const uint8_t *validity; /* from bit 0; NULL: no row is null */
    const void *offsets;     /* of text, type.width bytes each */
    const uint8_t *values;
    uint64_t size; /* bytes of text */
} tokens_column;

/* The same, as it comes out. Memory of its own, but not yet an array. */
typedef struct tokens_result {
    tally_arrow_type type;
    uint64_t rows, nulls;
    uint8_t *validity; /* always there */
    void *offsets;
    uint8_t *values;
    uint64_t size;
    tokens_owned *owned;
} tokens_result;

/* The common state of a call's parts. */
typedef struct tokens_call {
    tally_worker *worker;
    const tally_strings *row_tweaks;
    const uint8_t *mask; /* a bitmap; NULL: none. A row of 0 is null: its parent is null */
    tally_counts counts; /* of this call */
    uint8_t *reasons;    /* receives those of the rows, and on_invalid is left out; or NULL */
    int in_clear;        /* results hold values, not tokens alone */
    tally_invalid *invalid;
    tally_problem *problem;
} tokens_call;

static inline int tokens_is_valid(const uint8_t *validity, uint64_t row)
{
    return validity == NULL || (validity[row / 8] >> (row % 8) & 1) != 0;
}

/* An offset of text. */
static inline uint64_t tokens_offset(const void *offsets, uint32_t width, uint64_t row)
{
    return width == 4 ? ((const uint32_t *)offsets)[row] : ((const uint64_t *)offsets)[row];
}

static inline void tokens_set_offset(void *offsets, uint32_t width, uint64_t row, uint64_t value)
{
    if (width == 4) {
        ((uint32_t *)offsets)[row] = (uint32_t)value;
    } else {
        ((uint64_t *)offsets)[row] = value;
    }
}

/* Copies a text. Short ones are copied from both ends, which takes no call. */
static inline void tokens_copy(uint8_t *out, const uint8_t *in, uint64_t size)
{
    if (size >= 8 && size <= 16) {
        memcpy(out, in, 8);
        memcpy(out + size - 8, in + size - 8, 8);
    } else if (size > 16 && size <= 32) {
        memcpy(out, in, 16);
        memcpy(out + size - 16, in + size - 16, 16);
    } else if (size > 0) {
        memcpy(out, in, (size_t)size);
    }
}

/* Writes a problem; returns `status`. */
tally_status tally_tokens_problem(tokens_call *call, tally_status status, const char *place,
                                  const char *text, const char *more);

/* The same for an Arrow structure that is damaged: "its values are missing". */
tally_status tally_tokens_damaged(tokens_call *call, const char *place, const char *why);

/* result.c: memory of results. */

/* Begins a result: bitmap, and offsets or values of a fixed size. TALLY_ERROR_MEMORY. */
tally_status tally_tokens_result_new(tokens_call *call, const tally_arrow_type *type, uint64_t rows,
                                     tokens_result *out);

/* Gives it a block of memory, aligned, to be released with it; NULL: there is none. */
void *tally_tokens_owned_block(tokens_owned *owned, unsigned block, uint64_t size);

/* Wipes and releases a result that did not become an array. NULL is allowed. */
void tally_tokens_owned_free(tokens_owned *owned);

/* Makes the array of a result: of text or values of a fixed size, or of text views. */
void tally_tokens_export(tokens_result *result, struct ArrowArray *out);
tally_status tally_tokens_export_views(tokens_call *call, tokens_result *result,
                                       struct ArrowArray *out);

/* Makes an array from what owned->buffers, ->children and ->dictionary already hold. */
void tally_tokens_export_owned(tokens_owned *owned, uint64_t rows, uint64_t nulls, int64_t buffers,
                               int64_t children, struct ArrowArray *out);

/* flat.c: columns through a format. */

/* Where the offsets of a column that comes in are to be written: those of the result, where the
 * format keeps sizes. */
void *tally_tokens_offsets_capacity(tokens_call *call, tokens_result *result);

/* Makes rows null that the call's mask has as 0; *nulls counts them too. */
void tally_tokens_mask(const tokens_call *call, uint8_t *validity, uint64_t rows, uint64_t *nulls);

/* Reads an array of text, with its offsets copied to `offsets`, of the same width. */
tally_status tally_tokens_open_text(tokens_call *call, const tally_array *array, const char *place,
                                    void *offsets, tokens_column *out);

/* Reads an array that is flat, or of views. Begins its result. */
tally_status tally_tokens_open_flat(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result);

/* Runs a column. (*status_out)[i] is the reason of row i. */
tally_status tally_tokens_run(tokens_call *call, const tokens_column *column, tokens_result *result,
                              uint8_t **status_out);

/* For how many rows of the array a row of a column stands, and the first. NULL: row i alone. */
typedef struct tokens_use {
    uint64_t count, first;
} tokens_use;

/* Handles invalid rows as on_invalid says, and counts. A row of the column that stands for no
 * row of the array becomes null if it is invalid. Afterwards status[i] says whether row i became
 * null. TALLY_ERROR_INVALID. */
tally_status tally_tokens_apply_on_invalid(tokens_call *call, const tokens_column *column,
                                           uint8_t *status, const tokens_use *uses,
                                           tokens_result *result);

/* Makes rows null: those whose status is not 0. Nothing stays of their values. */
void tally_tokens_make_null(tokens_result *result, const uint8_t *status);

/* Whether a type is text, views or values of a fixed size. */
int tally_tokens_is_flat(const tally_arrow_type *type);

/* take.c */

/* Row i becomes row index[i] of a column; TOKENS_NO_ROW: null. Text is gathered in pieces of the
 * worker, and values of a fixed size in the result, which it begins. */
#define TOKENS_NO_ROW UINT32_MAX
tally_status tally_tokens_take(tokens_call *call, const tokens_column *column,
                               const uint32_t *index, uint64_t rows, tokens_column *out,
                               tokens_result *result);

/* The values of `count` rows of a result, those of `order` or, if it is NULL, the first ones, in a
 * result of `type`, which has memory of its own; equal values once, if it merges them. (*map)[i] is
 * the number of row i's value, or TOKENS_NO_ROW for a null; of other rows it is not set. */
tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const uint32_t *order, uint64_t count, int merges,
                                   const tally_arrow_type *type, uint32_t **map,
                                   tokens_result *out);

/* encoded.c: dictionaries and run ends. */
tally_status tally_tokens_dictionary(tokens_call *call, const tally_array *array, const char *place,
                                     struct ArrowArray *out);
tally_status tally_tokens_runs(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out);

/* Reads the indices of a dictionary's rows, each below `entries`; null rows have TOKENS_NO_ROW.
 * *nulls is their number. */
tally_status tally_tokens_indices(tokens_call *call, const tally_array *array, uint64_t entries,
                                  const char *place, unsigned piece, uint32_t **out,
                                  uint64_t *nulls);

/* tweaks.c: the rows' own tweaks as text. Row i has the tweak of the array's row repeat[i]; NULL:
 * its row i. Rows of the array are null that the mask has as 0; NULL: none. */
tally_status tally_tokens_tweaks(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                 const uint32_t *repeat, uint64_t rows, tally_strings *out);

/* views.c */

/* Gathers text views: their offsets, of 4 bytes or 8, and values, in pieces of the worker. If
 * `result` is not NULL, it begins it, and writes the offsets to tally_tokens_offsets_capacity. */
tally_status tally_tokens_gather_views(tokens_call *call, const tally_array *array,
                                       const char *place, unsigned offsets_piece,
                                       unsigned values_piece, tokens_result *result,
                                       tokens_column *out);

#endif
