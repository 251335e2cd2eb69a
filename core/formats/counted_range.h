/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of a range of numbers, as options give them, and the notation of numbers in text: digits
 * in groups, and a point or a comma. */
#ifndef TALLY_FORMATS_COUNTED_RANGE_H
#define TALLY_FORMATS_COUNTED_RANGE_H

#include "formats/counted.h"

/* An end times 10^scale: -magnitude or magnitude. */
typedef struct tally_counted_end {
    uint64_t magnitude;
    uint8_t negative; /* then the magnitude is not 0 */
    uint8_t beyond;   /* the magnitude is 2^64 or more */
} tally_counted_end;

typedef struct tally_counted_range {
    tally_counted_end first, last;
} tally_counted_range;

typedef enum tally_counted_end_kind {
    TALLY_COUNTED_END_NONE,  /* no number */
    TALLY_COUNTED_END_EXACT, /* a number with at most `scale` digits after the point */
    TALLY_COUNTED_END_FINE   /* it has more of them, or it is infinite */
} tally_counted_end_kind;

/* Reads an end: an integer, or text such as "-12.50" or "1e3". */
tally_counted_end_kind tally_counted_end_read(const tally_option_value *value, uint32_t scale,
                                              tally_counted_end *out);

/* Completes counted->size, radix, first and negative, and the format's domain.
 * TALLY_ERROR_ARGUMENT: the first is not below the last, or outside -2^63 .. 2^64-1, or there are
 * more than 2^64 numbers. */
tally_status tally_counted_range_init(tally_format *format, tally_counted *counted,
                                      const tally_counted_range *range);

/* Whether all numbers are below `bound` in size; whether they are -negative..positive. */
int tally_counted_range_fits(const tally_counted_range *range, uint64_t bound);
int tally_counted_range_within(const tally_counted_range *range, uint64_t negative,
                               uint64_t positive);

/* Whether float64 can have the range's numbers: at most 15 digits. If not, writes why. */
int tally_counted_takes_float(const tally_counted_range *range, tally_writer *why);

/* Writes an end as an integer, or both with a comma between them. */
void tally_counted_end_write(const tally_counted_end *end, tally_writer *writer);
void tally_counted_range_write(const tally_counted_range *range, tally_writer *writer);

/* How numbers are written. */
typedef struct tally_grouping {
    uint8_t separator[4];
    uint32_t size; /* its bytes; 0: digits are not grouped */
    uint8_t point;
} tally_grouping;

enum { TALLY_GROUPING_PLAIN = 64 /* bytes of memory for a number without groups */ };

/* Reads the options; `point` may be NULL: a format of whole numbers has none. */
tally_status tally_grouping_init(const tally_format *format, const tally_option_value *separator,
                                 const tally_option_value *point, tally_grouping *out,
                                 tally_problem *problem);

/* Takes groups out of text and replaces its point by "."; returns its size in `plain`, or 0 if
 * groups are not of three digits each, or it has more than TALLY_DIGITS_MOST digits. Whether the
 * rest is a number is for the reader of plain text to say. `plain` has TALLY_GROUPING_PLAIN bytes,
 * all of which are set. */
uint64_t tally_grouping_remove(const tally_grouping *grouping, const uint8_t *text, uint64_t size,
                               uint32_t scale, uint8_t *plain);

/* The other way; returns the size. */
uint64_t tally_grouping_insert(const tally_grouping *grouping, const uint8_t *plain, uint64_t size,
                               uint32_t scale, uint8_t *out);

/* The first byte that a number can't have where it is, or SIZE_MAX. */
size_t tally_grouping_place_of_fault(const tally_grouping *grouping, uint32_t scale,
                                     const uint8_t *value, size_t size);

/* Writes an end as text in the notation, zero-terminated: at most TALLY_COUNTED_MOST bytes. */
void tally_counted_end_example(const tally_counted_end *end, uint32_t scale,
                               const tally_grouping *grouping, char *out);

#endif
