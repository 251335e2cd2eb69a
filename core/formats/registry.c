/* SPDX-License-Identifier: Apache-2.0
 *
 * All formats, in the order of the documentation: a new one is a file, and two lines here. */
#include "formats/format.h"

extern const tally_format_class tally_format_date;
extern const tally_format_class tally_format_decimal;
extern const tally_format_class tally_format_integer;
extern const tally_format_class tally_format_ipv4;
extern const tally_format_class tally_format_timestamp;
extern const tally_format_class tally_format_iban;
extern const tally_format_class tally_format_national_id;
extern const tally_format_class tally_format_pattern;

const tally_format_class *const tally_format_classes[] = {
    &tally_format_date,      &tally_format_integer,     &tally_format_decimal,
    &tally_format_timestamp, &tally_format_ipv4,        &tally_format_pattern,
    &tally_format_iban,      &tally_format_national_id, NULL,
};
