/* SPDX-License-Identifier: Apache-2.0
 *
 * The language of patterns: docs/reference/formats/pattern.md. */
#ifndef TALLY_FORMATS_PATTERN_H
#define TALLY_FORMATS_PATTERN_H

#include "formats/layouts.h"

enum { TALLY_PATTERN = 256 /* characters of a pattern, at most */ };

/* Names in a pattern of our own formats: {name} is a field, # a check character. */
typedef struct tally_pattern_names {
    uint32_t check_rule; /* a tally_check_rule */
    /* The field of a name; NULL: there is no memory. */
    const tally_choices *(*choices)(tally_layouts *layouts, const char *name, size_t size,
                                    void *context);
    void *context;
} tally_pattern_names;

/* Adds the layouts of a pattern: one for each choice of optional parts, the longest first. Without
 * names, what the fields may hold is part of the tweak. TALLY_ERROR_FORMAT with the problem;
 * TALLY_ERROR_MEMORY. */
tally_status tally_pattern_add(const tally_format *format, tally_layouts *layouts,
                               const char *pattern, size_t size, const tally_pattern_names *names,
                               tally_problem *problem);

#endif
