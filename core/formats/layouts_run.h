/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that are grouped by layout already, for formats that find the layout themselves. */
#ifndef TALLY_FORMATS_LAYOUTS_RUN_H
#define TALLY_FORMATS_LAYOUTS_RUN_H

#include "fast/lanes/lanes.h"
#include "formats/layouts_lanes.h"

enum {
    TALLY_LAYOUTS_BLOCK = 32768, /* rows that are grouped together */
    TALLY_LAYOUTS_NONE = 0xffff
};

/* The scratches that a job takes. Others are the format's. */
enum {
    TALLY_LAYOUTS_SCRATCH_GROUPS = 0,
    TALLY_LAYOUTS_SCRATCH_WORK,
    TALLY_LAYOUTS_SCRATCH_SYMBOLS,
    TALLY_LAYOUTS_SCRATCH_WORDS,
    TALLY_LAYOUTS_SCRATCH_TWEAKS,
    TALLY_LAYOUTS_SCRATCHES
};

/* A block of TALLY_LAYOUT_ROWS values on their way. */
typedef struct tally_layouts_block {
    _Alignas(64) uint8_t text[TALLY_LAYOUT_WIDTH * TALLY_LAYOUT_ROWS];
    _Alignas(64) tally_mixed_digits digits;
    _Alignas(64) uint8_t status[TALLY_LAYOUT_ROWS];
    uint8_t outside[TALLY_LAYOUT_ROWS];
    uint8_t spare[TALLY_LAYOUT_WIDTH]; /* where rows go that are not done */
} tally_layouts_block;

/* Words of values that are collected until there are enough of them to write. */
typedef struct tally_layouts_few {
    _Alignas(64) uint8_t symbols[TALLY_MIXED_MAX_LENGTH][2 * TALLY_LAYOUT_ROWS];
    uint8_t *to[2 * TALLY_LAYOUT_ROWS]; /* where they go */
    size_t rows;
} tally_layouts_few;

/* The rows of a block of the column, by layout. */
typedef struct tally_layouts_groups {
    uint64_t *start;
    uint16_t *layout; /* TALLY_LAYOUTS_NONE: no layout */
    uint16_t *order;
    uint32_t *first; /* of layouts + 1 */
    uint32_t *at;    /* of layouts */
} tally_layouts_groups;

/* A call. */
typedef struct tally_layouts_job {
    tally_run *run;
    const tally_layouts *layouts;
    /* The layout of a number, which has rows, or NULL: there is no memory. NULL: that of `layouts`. */
    const tally_layout *(*layout_at)(const void *context, size_t number);
    const void *context;
    const tally_layout *layout; /* at work */
    const tally_mixed_lanes *mixed;
    const tally_layout_lanes *lanes;
    const tally_transpose *transpose;
    const tally_layout_packing *packing; /* NULL: without vectors */
    const tally_layout_idnr *idnr;       /* the same */
    tally_fast_cipher *cipher;
    tally_layouts_block *block;
    tally_layouts_few *few;
    uint8_t *symbols; /* symbol s of word i at symbols[s * stride + i] */
    size_t stride;
    uint16_t *row; /* of the words in flight */
    size_t lane_state_used;
    /* Row tweaks. */
    tally_strings_reader tweaks;
    uint64_t first_row; /* of the block */
    size_t capacity;    /* bytes of a row's own tweak, at most */
    /* Values. */
    const tally_text_column *column;
    tally_layouts_groups *groups;
    uint64_t begin; /* of the column */
} tally_layouts_job;

/* Takes memory for `rows` rows. Before it, job->run, layouts and column are set; after it,
 * job->begin. TALLY_ERROR_MEMORY; TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or there is
 * no room for the tweak. */
tally_status tally_layouts_begin(tally_layouts_job *job, tally_layouts_groups *groups,
                                 uint64_t rows);

/* Whether the row's own tweak is null or too long; *broken: its offsets have changed. */
int tally_layouts_lacks_tweak(const tally_layouts_job *job, uint64_t row, int *broken);

/* Sorts the `count` rows of a block, of which groups->layout[i] is set, by layout, and runs them.
 * Row i of the block is at groups->start[i] of job->column's values, and the result goes to
 * start[i] - begin of its other values. */
tally_status tally_layouts_run_block(tally_layouts_job *job, size_t count);

/* Runs one value, which is in one piece and has the width of the layout: `out` receives the result.
 * Sets one->reason. */
tally_status tally_layouts_run_one(const tally_layout *layout, tally_run *run, tally_one *one,
                                   const uint8_t *text, uint8_t *out);

/* The layout that a value may have, by its width and some of its characters, or
 * TALLY_LAYOUTS_NONE. */
uint32_t tally_layouts_find(const tally_layouts *layouts, const uint8_t *value, uint64_t size);

/* Bytes of a row's own tweak, at most. */
size_t tally_layouts_capacity(const tally_run *run, const tally_layouts *layouts);

#endif
