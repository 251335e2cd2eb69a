/* SPDX-License-Identifier: Apache-2.0
 *
 * One array, for tables and streams. */
#ifndef TALLY_TOKENS_ARRAY_H
#define TALLY_TOKENS_ARRAY_H

#include "tokens/column.h"

/* As tally_protect_array. `place` is where problems say that they are. Counts are added. */
tally_status tokens_array(tally_worker *worker, tally_direction direction,
                          const struct ArrowSchema *type, const struct ArrowArray *values,
                          const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks,
                          const char *place, struct ArrowArray *out, tally_counts *counts,
                          tally_invalid *invalid, tally_problem *problem);

#endif
