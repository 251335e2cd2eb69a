/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of code points, looked up in the tables. */
#ifndef TALLY_UNICODE_PROPERTIES_H
#define TALLY_UNICODE_PROPERTIES_H

#include "unicode/tables.h"
#include "unicode/unicode.h"

/* The property of a code point; those beyond U+10FFFF have that of the last. */
uint32_t tally_unicode_property(const tally_unicode_runs *table, uint32_t point);

#endif
