/* SPDX-License-Identifier: Apache-2.0
 *
 * One array, for tables and streams. */
#ifndef TALLY_TOKENS_ARRAY_H
#define TALLY_TOKENS_ARRAY_H

#include "tokens/column.h"

/* The operations on an open array. */
typedef struct tokens_job {
    tally_worker *worker;
    tally_direction direction;
    const tally_array *values;
    const uint8_t *mask;       /* a bitmap of the values' rows: 0 makes a null; NULL: none */
    const tally_array *tweaks; /* NULL: there are none */
    const uint8_t *tweak_mask; /* the same of their rows */
    const uint32_t *repeat;    /* row i has the tweak of row repeat[i]; NULL: that of row i */
    const char *place;         /* where problems say that they are */
    uint8_t *reasons;          /* receives those of the rows, and on_invalid is left out; or NULL */
} tokens_job;

/* As tally_protect_array. Counts are added. */
tally_status tally_tokens_array(const tokens_job *job, struct ArrowArray *out, tally_counts *counts,
                                tally_invalid *invalid, tally_problem *problem);

void tally_tokens_add_counts(tally_counts *to, const tally_counts *from);

/* As tally_protect_table. */
tally_status tally_tokens_table(tally_direction direction, tally_field *fields, size_t count,
                                const struct ArrowSchema *type, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem);

#endif
