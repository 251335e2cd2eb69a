/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML 1.0 as JSON, in the form that tally_policy_new takes. */
#ifndef TALLY_TOML_H
#define TALLY_TOML_H

#include "tallystick/policy.h"

/* Reads a policy's TOML: UTF-8, with or without a byte order mark. *out receives JSON in memory that
 * the caller frees. TALLY_ERROR_POLICY: it is no TOML; problem->place is the line, such as "line 3".
 * TALLY_ERROR_MEMORY. */
tally_status tally_toml_to_json(const char *toml, size_t size, char **out, size_t *out_size,
                                tally_problem *problem);

/* Where a text stops to be UTF-8; NULL: it is all. */
const char *tally_utf8_end(const char *text, size_t size);

#endif
