/* SPDX-License-Identifier: Apache-2.0
 *
 * Many rows at once: what plans (batch_plan.c) and runs (batch.c) share. */
#ifndef TALLY_POSTGRES_BATCH_H
#define TALLY_POSTGRES_BATCH_H

#include "tally_postgres.h"

#include "nodes/extensible.h"

/* The name of the node, which EXPLAIN prints. */
#define TALLY_PG_BATCH "Tallystick"

/* Types that have columns of the core. */
typedef enum tally_pg_kind {
    TALLY_PG_TEXT,
    TALLY_PG_INT2,
    TALLY_PG_INT4,
    TALLY_PG_INT8,
    TALLY_PG_DATE,
    TALLY_PG_TIMESTAMP,
    TALLY_PG_TIMESTAMPTZ
} tally_pg_kind;

/* A node's custom_private has two lists. Of each call: function, kind, whether it reveals, column
 * below, column of the tweak or -1, and the rule as a Const. Of each column above: the column below,
 * or -1 - call. */
extern const CustomScanMethods tally_pg_batch_methods;

#endif
