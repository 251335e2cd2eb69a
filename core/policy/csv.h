/* SPDX-License-Identifier: Apache-2.0
 *
 * The CSV dialect of a policy. */
#ifndef TALLY_POLICY_CSV_H
#define TALLY_POLICY_CSV_H

#include "policy/table.h"

/* The dialect of a policy without one. */
void tally_csv_defaults(tally_csv_options *out);

/* Reads the table [csv]. TALLY_ERROR_POLICY. */
tally_status tally_csv_read(const tally_json *table, const tally_table_place *place,
                            tally_csv_options *out, tally_problem *problem);

#endif
