/* SPDX-License-Identifier: Apache-2.0
 *
 * Working memory of calls on many rows. A call lays its own struct over it:
 * tally_row_tweaks_memory, or tally_column_memory in columns/job.h. Each struct's file asserts that
 * it fits. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

#include "tallystick/fast.h"

enum { TALLY_FAST_WORKSPACE = 14040 * 64 /* bytes */ };

struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
};

#endif
