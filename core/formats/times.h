/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates and times of options, in ISO 8601. Proleptic Gregorian calendar, years 1 to 9999. */
#ifndef TALLY_FORMATS_TIMES_H
#define TALLY_FORMATS_TIMES_H

#include "formats/format.h"

enum { TALLY_TIMES_DATE = 10 /* bytes of YYYY-MM-DD */, TALLY_TIMES_DAY = 86400 };

/* Reads YYYY-MM-DD as days since 1970-01-01; returns 0 if it is no such date. */
int tally_times_read_date(const char *text, size_t size, int32_t *days);

/* Reads a date with a time, YYYY-MM-DDTHH:MM:SS.ffffff or a part of it, as microseconds since
 * 1970-01-01T00:00:00, in UTC if an offset follows. Returns 0 if it is none. */
int tally_times_read(const char *text, size_t size, int64_t *microseconds);

/* Reads an option, if it is given: a date, or a date with a time. The message is that for an option
 * of another type. */
tally_status tally_times_option_date(const tally_option *option, const tally_option_value *value,
                                     int32_t *days, tally_problem *problem);
tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem);

/* Refuses a range whose first is not before its last; the place is that option, if only one of them
 * is given. */
tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem);

/* Writes YYYY-MM-DD, without a zero behind it. */
void tally_times_write_date(int32_t days, char *out);

#endif
