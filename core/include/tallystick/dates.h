/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of dates as text, in Arrow's layout: to numbers of a range, and back where they lie. Dates
 * are of the proleptic Gregorian calendar, years 1 to 9999. */
#ifndef TALLYSTICK_DATES_H
#define TALLYSTICK_DATES_H

#include "tallystick/column.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_DATES_MAX_WIDTH = 64,    /* bytes of a notation */
    TALLY_DATES_MIN_DAY = -719162, /* 0001-01-01, in days since 1970-01-01 */
    TALLY_DATES_MAX_DAY = 2932896  /* 9999-12-31 */
};

/* Why a row is no date of its column; these go on where tally_row ends. */
typedef enum tally_date_row {
    TALLY_DATE_OK = 0,
    TALLY_DATE_NOTATION = 7, /* not written in the notation, or no day of the calendar */
    TALLY_DATE_RANGE = 8     /* before the first or after the last date */
} tally_date_row;

/* How the dates of a column are written, and which there are. */
typedef struct tally_dates {
    const uint8_t *notation; /* YYYY, MM and DD, once each, with printable ASCII around them */
    uint32_t width;          /* its bytes, 8..TALLY_DATES_MAX_WIDTH; so are those of every date */
    int32_t first, last;     /* days since 1970-01-01, TALLY_DATES_MIN_DAY..TALLY_DATES_MAX_DAY */
} tally_dates;

/* Reads a column: numbers[i] becomes the days from `first` to the date of row i, and row_status[i] a
 * tally_date_row. The number of a row that is no such date is 0; so is that of a null row, whose
 * status is OK.
 *
 * TALLY_ERROR_ARGUMENT: a field is outside its range, the notation is none, first is after last, or
 * the column's offsets descend. */
tally_status tally_dates_read(const tally_dates *dates, const tally_strings *column,
                              uint64_t *numbers, uint8_t *row_status);

/* Writes dates over those of a column: row i, if it is not null and row_status[i] is 0, becomes the
 * date numbers[i] days after `first`.
 *
 * values_out[offset(0) .. offset(rows)) receives every byte of the column, changed or not; it may
 * equal column->values (in place). Other rows keep their bytes; those of null rows become zeros.
 *
 * TALLY_ERROR_ARGUMENT: as for tally_dates_read, or a row that is to be written has not the
 * notation's width, or its date is after `last`. */
tally_status tally_dates_write(const tally_dates *dates, const tally_strings *column,
                               const uint64_t *numbers, const uint8_t *row_status,
                               uint8_t *values_out);

#ifdef __cplusplus
}
#endif
#endif
