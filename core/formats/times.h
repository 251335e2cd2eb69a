/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates and times of options, in ISO 8601. Proleptic Gregorian calendar, years 1 to 9999. */
#ifndef TALLY_FORMATS_TIMES_H
#define TALLY_FORMATS_TIMES_H

#include "formats/format.h"
#include "numbers/dates.h"

enum { TALLY_TIMES_DATE = 10 /* bytes of YYYY-MM-DD */, TALLY_TIMES_DAY = 86400 };

/* Reads YYYY-MM-DD as days since 1970-01-01; returns 0 if it is no such date. */
int tally_times_read_date(const char *text, size_t size, int32_t *days);

/* Reads a date with a time, YYYY-MM-DDTHH:MM:SS.ffffff or a part of it, as microseconds since
 * 1970-01-01T00:00:00, in UTC if an offset follows. Returns 0 if it is none. */
int tally_times_read(const char *text, size_t size, int64_t *microseconds);

/* Reads a date with a time. The message is that for an option of another
 * type. */
tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem);

/* Refuses a range whose first is not before its last; the place is that option, if only one of them
 * is given. */
tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem);

/* Reads the two options of a range of dates, first and last, which follow each other.
 * Refuses an empty range. */
tally_status tally_times_option_range(const tally_format *format, const tally_option options[2],
                                      const tally_option_value values[2], int32_t *first,
                                      int32_t *last, tally_problem *problem);

/* Reads the notation of dates, YYYY-MM-DD if none is given. `text` receives it, zero-terminated, and
 * `out` what it compiles to. */
tally_status tally_times_option_notation(const tally_format *format,
                                         const tally_option_value *value,
                                         char text[TALLY_DATES_MAX_WIDTH + 1],
                                         tally_dates_compiled *out, tally_problem *problem);

/* The first byte that a date of the notation can't have there, or SIZE_MAX. */
size_t tally_times_place_of_fault(const tally_dates_compiled *notation, const char *text,
                                  const uint8_t *value, size_t size);

/* Whether text is a time as it follows a date: T or a space, HH:MM:SS, maybe a point and 1 to 9
 * digits, and nothing, Z, or an offset from UTC: +hh, +hhmm or +hh:mm, below 15 hours. */
int tally_times_is_clock(const uint8_t *text, uint64_t size);
int tally_times_is_offset(const uint8_t *text, uint64_t size);

/* As tally_times_place_of_fault, where a time may follow a date that is written YYYY-MM-DD. */
size_t tally_times_place(const tally_dates_compiled *notation, const char *text,
                         const uint8_t *value, size_t size);

/* Writes YYYY-MM-DD, without a zero behind it. */
void tally_times_write_date(int32_t days, char *out);

#endif
