/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of a policy: which keys a table has, what each must be, and where it is. */
#ifndef TALLY_POLICY_TABLE_H
#define TALLY_POLICY_TABLE_H

#include "base/writer.h"
#include "tallystick/policy.h"
#include "json/json.h"

typedef enum tally_table_kind {
    TALLY_TABLE_TABLE,
    TALLY_TABLE_TEXT,
    TALLY_TABLE_BOOLEAN,
    TALLY_TABLE_TEXTS,      /* an array of texts */
    TALLY_TABLE_FULL_TEXTS, /* the same, none of which is empty */
    TALLY_TABLE_CHOICE,     /* a text, one of `choices` */
    TALLY_TABLE_ONE,        /* the number 1 */
    TALLY_TABLE_INTEGER,
    TALLY_TABLE_FORMAT /* a text or a table */
} tally_table_kind;

typedef struct tally_table_field {
    const char *name; /* NULL ends the fields */
    tally_table_kind kind;
    const char *expected; /* the text after "must be" */
    int required;
    const char *const *choices; /* ending with NULL */
} tally_table_field;

enum { TALLY_TABLE_FIELDS = 8 /* of a table, at most */ };

/* Where a table is: the keys that lead to it. NULL stands for the whole policy. */
typedef struct tally_table_place {
    const struct tally_table_place *above;
    const char *key;
    size_t size;
} tally_table_place;

/* The place of a key in a table. */
tally_table_place tally_table_at(const tally_table_place *above, const char *key);

/* Begins the text of a problem there. */
void tally_table_problem(const tally_table_place *place, tally_problem *problem,
                         tally_writer *text);

/* Writes the fault there; returns TALLY_ERROR_POLICY. */
tally_status tally_table_wrong(const tally_table_place *place, tally_problem *problem,
                               const char *text);

/* Reads a table: values[i] is that of fields[i], or NULL. `example` is what such a table may be, or
 * NULL. TALLY_ERROR_POLICY: it is no table, has a key that it can't have, lacks one, or has a value
 * of another type. */
tally_status tally_table_read(const tally_table_field *fields, const tally_json *table,
                              const tally_table_place *place, const char *example,
                              const tally_json **values, tally_problem *problem);

#endif
