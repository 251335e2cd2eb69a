/* SPDX-License-Identifier: Apache-2.0
 *
 * Contradictions in the rules of a policy. */
#ifndef TALLY_POLICY_CHECK_H
#define TALLY_POLICY_CHECK_H

#include "base/writer.h"
#include "tallystick/policy.h"

/* The rules of a policy, in three orders. */
typedef struct tally_check {
    const tally_allocator *allocator;
    const tally_rule *rules;
    size_t count;
    const void **by_column; /* by the columns */
    const void **by_key;    /* by key and namespace, and then by their place */
} tally_check;

/* TALLY_ERROR_MEMORY. Free it with tally_check_free, also after an error. */
tally_status tally_check_init(const tally_allocator *allocator, const tally_rule *rules,
                              size_t count, tally_check *out);
void tally_check_free(tally_check *check);

/* Writes a path without quotes that it does not need. Returns whether it had none (path.c). */
int tally_path_write(tally_policy_text column, tally_writer *writer);

/* Refuses a column whose path has quotes that it does not need: so each path has one spelling, and
 * columns are compared by their texts. `writer` gets the problem; it has the place. */
tally_status tally_check_quotes(tally_policy_text column, tally_writer *writer);

/* The number of rules of a column. */
size_t tally_check_rules_of(const tally_check *check, tally_policy_text column);

/* Write the errors of a tweak that is protected, and of a kept column that has a rule. */
void tally_check_write_tweak(tally_writer *writer, tally_policy_text tweak);
void tally_check_write_kept(tally_writer *writer, tally_policy_text column);

/* Refuses two formats under one key and namespace, but in the namespaces that are allowed. */
tally_status tally_check_mixed(const tally_check *check, const tally_policy_text *allowed,
                               size_t allowed_count, tally_problem *problem);

/* Refuses a key that serves a plain cipher (tweak_hex) and other rules too: the security of a cipher
 * says nothing of two of them under one key, nor of tweaks that other programs choose. */
tally_status tally_check_plain(const tally_check *check, tally_problem *problem);

/* Refuses a rule of FF3-1 whose tweaks can't have 7 bytes in any row. */
tally_status tally_check_tweaks(const tally_check *check, tally_problem *problem);

#endif
