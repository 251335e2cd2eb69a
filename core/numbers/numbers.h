/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of dates and of integers as text, in Arrow's layout, become numbers of a range, which
 * tally_fast_encrypt_range permutes, and become text again. Numbers of mixed radix become words. */
#ifndef TALLY_NUMBERS_NUMBERS_H
#define TALLY_NUMBERS_NUMBERS_H

#include "arrow/strings.h"
#include "tallystick/fast.h"

/* Why a row is not a number of its range. The values continue those of tally_row. */
typedef enum tally_number_row {
    TALLY_NUMBER_OK = 0,
    TALLY_NUMBER_NOTATION = 7, /* wrong notation, or not a day of the calendar */
    TALLY_NUMBER_RANGE = 8     /* before the first or after the last of the range */
} tally_number_row;

enum {
    TALLY_DATES_MAX_WIDTH = 64,    /* bytes of a notation */
    TALLY_DATES_MIN_DAY = -719162, /* 0001-01-01, in days since 1970-01-01 */
    TALLY_DATES_MAX_DAY = 2932896  /* 9999-12-31 */
};

/* The notation and range of a column's dates: proleptic Gregorian calendar, years 1 to 9999. This
 * struct, tally_integers and tally_mixed never change. */
typedef struct tally_dates {
    const uint8_t *notation; /* YYYY, MM and DD, once each, with printable ASCII around them */
    uint32_t width;          /* its bytes, 8..TALLY_DATES_MAX_WIDTH; so are those of every date */
    int32_t first, last;     /* days since 1970-01-01, TALLY_DATES_MIN_DAY..TALLY_DATES_MAX_DAY */
} tally_dates;

/* Reads a column: numbers[i] becomes the days from `first` to the date of row i, and row_status[i]
 * a tally_number_row. The number of an invalid row is 0. The number of a null row is 0, and its
 * status is OK.
 *
 * TALLY_ERROR_ARGUMENT: a field is outside its range, the notation is invalid, first is after
 * last, or the column's offsets descend. */
TALLY_MUST_CHECK tally_status tally_dates_read(const tally_dates *dates,
                                               const tally_strings *column, uint64_t *numbers,
                                               uint8_t *row_status);

/* Writes dates over those of a column. If row i is not null and row_status[i] is 0, it becomes the
 * date numbers[i] days after `first`.
 *
 * values_out[offset(0) .. offset(rows)) receives every byte of the column, changed or not; it may
 * equal column->values (in place). Other rows keep their bytes. The bytes of null rows become
 * zeros.
 *
 * TALLY_ERROR_ARGUMENT: as for tally_dates_read, or a row to write has another width than the
 * notation, or its date is after `last`. */
TALLY_MUST_CHECK tally_status tally_dates_write(const tally_dates *dates,
                                                const tally_strings *column,
                                                const uint64_t *numbers, const uint8_t *row_status,
                                                uint8_t *values_out);

enum { TALLY_INTEGERS_DIGITS = 18 };

/* The integers of a column, first..last, both between -10^18 and 10^18 (exclusive). As text they
 * are 0, or at most 18 digits of which the first is not 0, after an optional minus. */
typedef struct tally_integers {
    int64_t first, last;
} tally_integers;

/* Reads a column: numbers[i] becomes the integer of row i less `first`, and row_status[i] a
 * tally_number_row. The number of an invalid row is 0. The number of a null row is 0, and its
 * status is OK.
 *
 * TALLY_ERROR_ARGUMENT: the range is empty or out of bounds, or the column's offsets descend. */
TALLY_MUST_CHECK tally_status tally_integers_read(const tally_integers *integers,
                                                  const tally_strings *column, uint64_t *numbers,
                                                  uint8_t *row_status);

/* Lays a column out in which row i, if it is not null and row_status[i] is 0, is the integer first
 * + numbers[i]. Other rows keep their bytes; null rows have none. offsets_out receives rows + 1
 * offsets, of the column's offset_size, from 0 on.
 *
 * TALLY_ERROR_ARGUMENT: as for tally_integers_read, or a number is beyond `last`.
 * TALLY_ERROR_LENGTH: the values have too many bytes for offsets of that size. Some offsets may be
 * written already. */
TALLY_MUST_CHECK tally_status tally_integers_lay_out(const tally_integers *integers,
                                                     const tally_strings *column,
                                                     const uint64_t *numbers,
                                                     const uint8_t *row_status, void *offsets_out);

/* Writes that column: values_out receives as many bytes as the last of `offsets` says. The other
 * arguments and `offsets` must be those of tally_integers_lay_out. Does not work in place.
 *
 * TALLY_ERROR_ARGUMENT: the arguments differ from those of the layout. Some bytes may be written
 * already. */
TALLY_MUST_CHECK tally_status tally_integers_write(const tally_integers *integers,
                                                   const tally_strings *column,
                                                   const uint64_t *numbers,
                                                   const uint8_t *row_status, const void *offsets,
                                                   uint8_t *values_out);

enum {
    TALLY_MIXED_MAX_POSITIONS = 64,
    TALLY_MIXED_MAX_SIZE = 65536,
    TALLY_MIXED_MAX_LENGTH = 32 /* symbols of a word, at most */
};

/* Numbers of mixed radix: position i holds a digit below sizes[i], most significant first. They
 * represent 0 .. N - 1, where N, the product of the sizes, is 2..2^256. */
typedef struct tally_mixed {
    const uint32_t *sizes; /* 1..TALLY_MIXED_MAX_SIZE each */
    uint32_t positions;    /* 1..TALLY_MIXED_MAX_POSITIONS */
} tally_mixed;

/* The parameters of FAST whose words carry these numbers: the least length from 2 on with
 * 256^length >= N, then the least radix from 4 on with radix^length >= N. That is the rule of
 * tally_fast_range_params for any N.
 *
 * TALLY_ERROR_ARGUMENT: a field is outside its range, or N is 1. TALLY_ERROR_LENGTH: N is above
 * 2^256. */
TALLY_MUST_CHECK tally_status tally_mixed_params(const tally_mixed *mixed, tally_fast_params *out);

/* Writes numbers as words, most significant symbol first. `digits` has count rows of `positions`
 * digits; `words` receives count words of params->length symbols. The time does not depend on the
 * digits.
 *
 * Errors as for tally_mixed_params; TALLY_ERROR_SYMBOL: a digit is not below its size. */
TALLY_MUST_CHECK tally_status tally_mixed_to_words(const tally_mixed *mixed, const uint16_t *digits,
                                                   size_t count, uint8_t *words);

/* The inverse. outside[i] becomes 1 if word i is not a number below N, and its digits become 0;
 * else it becomes 0. The time does not depend on the words.
 *
 * Errors as for tally_mixed_params; TALLY_ERROR_SYMBOL: a symbol is not below the radix. */
TALLY_MUST_CHECK tally_status tally_mixed_from_words(const tally_mixed *mixed, const uint8_t *words,
                                                     size_t count, uint16_t *digits,
                                                     uint8_t *outside);

#endif
