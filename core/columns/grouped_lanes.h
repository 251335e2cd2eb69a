/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the same layout that follow each other with equal tweaks, on lanes: each group of lanes
 * has rows of one tweak. */
#ifndef TALLY_COLUMNS_GROUPED_LANES_H
#define TALLY_COLUMNS_GROUPED_LANES_H

#include "columns/job.h"

enum { TALLY_GROUPED_LANES = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES };

/* A row that is to be run. */
typedef struct tally_grouped_row {
    uint8_t *value;
    uint64_t size;
    const uint8_t *own; /* if rows have tweaks, its own; NULL: it has none that is allowed */
    uint32_t own_size;
    uint32_t number; /* from `first` of tally_grouped_lanes on */
} tally_grouped_row;

typedef struct tally_grouped_lanes {
    const tally_translate *translate; /* NULL: no row can be run on lanes */
    uint64_t first;                   /* row of those that are grouped together */
    size_t width;                     /* bytes of the rows that are; 0: not known yet */
    size_t taken, missed;             /* rows of this width, and others, since it was chosen */
    uint64_t kept;                    /* positions of symbols that stay and are in the tweak */
    size_t windows;                   /* of eight bytes with such positions; of each: */
    uint8_t window[TALLY_TRANSLATE_WIDTH / 8];       /* the first position, */
    uint64_t window_mask[TALLY_TRANSLATE_WIDTH / 8]; /* and its bytes that stay */
    /* Rows on lanes: group g has lanes g * (lanes of a group) and so on. A lane without a row has
     * no value, and bytes that are never read. */
    size_t groups;
    size_t runs; /* of equal tweaks; that of each group: */
    size_t run[TALLY_FAST_GROUPS];
    tally_grouped_row rows[TALLY_GROUPED_LANES];
    uint8_t spare[TALLY_TRANSLATE_WIDTH];
} tally_grouped_lanes;

void tally_grouped_lanes_init(const tally_column_job *job, tally_grouped_lanes *out);

/* Finds the own tweak of row `number` of the column; rows have tweaks. */
void tally_grouped_find_own(const tally_column_job *job, uint64_t number, tally_grouped_row *row);

/* Runs a row apart from the others. */
void tally_grouped_run_apart(tally_column_job *job, const tally_grouped_lanes *lanes,
                             const tally_grouped_row *row, uint8_t *row_status);

/* How many of `count` rows, from the first on, have its tweak and can be put on lanes; 0: none. */
size_t tally_grouped_lanes_alike(tally_column_job *job, tally_grouped_lanes *lanes,
                                 const tally_grouped_row *rows, size_t count);

/* Takes rows that are alike, which run now or in a later call: that of tally_grouped_lanes_flush at
 * the latest. Rows that turn out to be invalid, or laid out in another way, run apart. Returns how
 * many it took: fewer than `count`, at least one, if most of those that ran were such, so that the
 * layout is given up. */
size_t tally_grouped_lanes_add(tally_column_job *job, tally_grouped_lanes *lanes,
                               const tally_grouped_row *rows, size_t count, uint8_t *row_status);
void tally_grouped_lanes_flush(tally_column_job *job, tally_grouped_lanes *lanes,
                               uint8_t *row_status);

/* Wipes the cipher's memory of rows on lanes; tally_same_layout_wipe wipes the rest. */
void tally_grouped_lanes_wipe(tally_column_job *job, const tally_grouped_lanes *lanes);

#endif
