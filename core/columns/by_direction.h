/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of tallystick/columns.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pair. */
#ifndef TALLY_COLUMNS_BY_DIRECTION_H
#define TALLY_COLUMNS_BY_DIRECTION_H

#include "base/direction.h"
#include "tallystick/columns.h"

TALLY_MUST_CHECK tally_status tally_fast_column(tally_fast_cipher *cipher,
                                                tally_fast_workspace *workspace,
                                                tally_direction direction, const tally_shape *shape,
                                                const tally_strings *column, const uint8_t *tweak,
                                                size_t tweak_size, const tally_strings *row_tweaks,
                                                uint8_t *values_out, uint8_t *row_status,
                                                tally_column_report *report);

/* The same, but values_out[0] receives the column's first byte, which is at offset(0). */
TALLY_MUST_CHECK tally_status tally_fast_column_moved(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    const tally_shape *shape, const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
    const tally_strings *row_tweaks, uint8_t *values_out, uint8_t *row_status,
    tally_column_report *report);

#endif
