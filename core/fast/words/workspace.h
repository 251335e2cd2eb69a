/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that calls on columns of text, and on words or numbers with row tweaks, work in. It depends
 * on no key or radix, so one workspace serves any number of ciphers, for one call at a time. A call
 * lays its own struct over it, such as tally_row_tweaks_memory. Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

#include "tallystick/fast.h"

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024,   /* bytes of a row's whole tweak */
    TALLY_FAST_GROUPED = 1 << 20       /* rows that are grouped by tweak together, at most */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
    void *grouping; /* memory for grouping rows, or NULL */
    size_t grouping_size;
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Bytes of memory with which a call groups so many rows by tweak: eight for each, and some. 0: rows are
 * too few to gain. */
size_t tally_fast_grouping_size(uint64_t rows);

/* Sets memory, of any alignment, in which the following calls on columns group rows of equal tweaks.
 * They run faster, with the same results. NULL unsets it. Calls leave the order of tweaks in this
 * memory. That order is not secret. */
void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif
