/* SPDX-License-Identifier: Apache-2.0
 *
 * Buckets: the range that a number is in, and the month, quarter or year of a day. */
#ifndef TALLY_FORMATS_BUCKET_H
#define TALLY_FORMATS_BUCKET_H

#include "formats/counted.h"
#include "formats/times.h"

enum {
    TALLY_BUCKET_EDGES = 64,
    TALLY_BUCKET_SCALE = 9,  /* digits after the point of options, at most */
    TALLY_BUCKET_DIGITS = 18 /* of a number times 10^scale */
};

/* Numbers are below 10^18. */
#define TALLY_BUCKET_BOUND INT64_C(1000000000000000000)

typedef enum tally_bucket_unit {
    TALLY_BUCKET_MONTH,
    TALLY_BUCKET_QUARTER,
    TALLY_BUCKET_YEAR,
    TALLY_BUCKET_NUMBER
} tally_bucket_unit;

/* format->own. */
typedef struct tally_bucket {
    tally_counted counted; /* ranks: of numbers a bucket's, modulo 2^64; of dates its first day */
    tally_bucket_unit unit;
    int is_low; /* text is a range's low end */
    uint32_t scale;
    int64_t width, origin, top;
    int has_top;
    uint32_t edges; /* in number; 0: ranges have `width` */
    int64_t edge[TALLY_BUCKET_EDGES];
    tally_dates_compiled notation;
    int is_iso;
    char text[TALLY_DATES_MAX_WIDTH + 1];
    char example[TALLY_DATES_MAX_WIDTH + 1];
} tally_bucket;

static inline int64_t tally_bucket_floor(int64_t number, int64_t divisor)
{
    const int64_t quotient = number / divisor;
    return quotient - (number % divisor < 0);
}

/* The bucket of a number. */
static inline int64_t tally_bucket_of(const tally_bucket *own, int64_t number)
{
    if (own->edges == 0) {
        number = own->has_top && number > own->top ? own->top : number;
        return tally_bucket_floor(number - own->origin, own->width);
    }
    int64_t bucket = -1;
    for (uint32_t i = 0; i < own->edges; i++) {
        bucket += number >= own->edge[i];
    }
    return bucket;
}

/* The low end of a bucket; returns 0 if it has none. */
static inline int tally_bucket_low(const tally_bucket *own, int64_t bucket, int64_t *low)
{
    if (own->edges != 0) {
        *low = bucket >= 0 ? own->edge[bucket] : 0;
        return bucket >= 0;
    }
    *low = bucket * own->width + own->origin;
    return 1;
}

/* The first day of a day's month, quarter or year. */
static inline int32_t tally_bucket_first_day(const tally_bucket *own, int32_t days)
{
    const tally_dates_civil date = tally_dates_civil_of(days);
    const uint32_t month = own->unit == TALLY_BUCKET_MONTH     ? date.month
                           : own->unit == TALLY_BUCKET_QUARTER ? (date.month - 1) / 3 * 3 + 1
                                                               : 1;
    return tally_dates_days(date.year, month, 1, 0);
}

/* Members of the class, for columns of numbers and dates. */
tally_status tally_bucket_fixed(const tally_format *format, tally_run *run,
                                tally_fixed_column *column);
int tally_bucket_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                       tally_writer *why);

#endif
