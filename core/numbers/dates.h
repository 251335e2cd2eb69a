/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text. A notation is compiled once into blocks of eight bytes that are checked at a time;
 * digits and days are arithmetic without tables. To days: H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. From days: C. Neri, L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", Software: Practice and Experience 53 (2023). */
#ifndef TALLY_NUMBERS_DATES_H
#define TALLY_NUMBERS_DATES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TALLY_DATES_MAX_WIDTH = 64,    /* bytes of a notation */
    TALLY_DATES_MIN_DAY = -719162, /* 0001-01-01, in days since 1970-01-01 */
    TALLY_DATES_MAX_DAY = 2932896, /* 9999-12-31 */
    TALLY_DATES_BLOCK = 8,
    TALLY_DATES_BLOCKS = TALLY_DATES_MAX_WIDTH / TALLY_DATES_BLOCK,
    TALLY_DATES_SHIFT = 719468, /* from 0000-03-01 */
    TALLY_DATES_DIGIT = 0x76,   /* reaches: of a place for a digit, */
    TALLY_DATES_LITERAL = 0x7f, /* of one for a character of the pattern, */
    TALLY_DATES_ANY = 0         /* and of one for any in ASCII */
};

/* A compiled notation of dates in the proleptic Gregorian calendar, years 1 to 9999. */
typedef struct tally_dates_compiled {
    size_t width, year, month, day; /* and where the digits begin */
    size_t blocks,
        place[TALLY_DATES_BLOCKS];     /* the last ends where the notation does; they may overlap */
    uint64_t text[TALLY_DATES_BLOCKS]; /* the notation, with '0' for its digits */
    uint64_t
        reach[TALLY_DATES_BLOCKS]; /* added to a byte's difference from it, carries into the top
                                   * bit if that is too much */
} tally_dates_compiled;

/* Compiles a notation: YYYY, MM and DD, once each, with printable ASCII around them, 8 to
 * TALLY_DATES_MAX_WIDTH bytes in all. Returns 0 if it is none. */
int tally_dates_compile(const uint8_t *notation, size_t width, tally_dates_compiled *out);

/* Compiles a pattern of out->width bytes, 8 or more, with out->year, month and day set. `reach` is
 * above, for each byte. */
void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out);

/* The top bits of a block's bytes that do not match the notation. */
static inline uint64_t tally_dates_differ(const tally_dates_compiled *notation, size_t block,
                                          const uint8_t *text)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t bytes;
    memcpy(&bytes, text + notation->place[block], TALLY_DATES_BLOCK);
    bytes ^= notation->text[block]; /* of a digit its value, of 0x3a to 0x3f 10 to 15 */
    return (((bytes & low) + notation->reach[block]) | bytes) & ~low;
}

static inline uint32_t tally_dates_two(const uint8_t *text)
{
    return text[0] * 10u + text[1] - '0' * 11u;
}

/* Days since 1970-01-01 of year y, month m and day d, each below 2^16; INT32_MIN if there is no such
 * day, or `wrong` is not 0. */
static inline int32_t tally_dates_days(uint32_t y, uint32_t m, uint32_t d, uint64_t wrong)
{
    /* Masks instead of conditions: no branch depends on the date. */
    uint32_t century = 0 - (uint32_t)(y % 25 == 0), february = 0 - (uint32_t)(m == 2);
    uint32_t leap = (y & (3 | (12 & century))) == 0;
    uint32_t most = ((28 + leap) & february) | ((30 | (m ^ m >> 3)) & ~february);
    uint32_t bad = 0 - (uint32_t)((wrong != 0) | (y == 0) | (m - 1 > 11) | (d == 0) | (d > most));
    /* Years that begin in March; year 0 is the first. */
    uint32_t early = m <= 2;
    y -= early;
    uint32_t day = (153 * (m + 12 * early - 3) + 2) / 5 + d - 1;
    uint32_t days = y * 365 + y / 4 - y / 100 + y / 400 + day - TALLY_DATES_SHIFT;
    return (int32_t)((days & ~bad) | (UINT32_C(0x80000000) & bad));
}

/* Days since 1970-01-01, or INT32_MIN if the text is no date. */
static inline int32_t tally_dates_parse(const tally_dates_compiled *notation, const uint8_t *text)
{
    uint64_t wrong = tally_dates_differ(notation, 0, text);
    for (size_t i = 1; i < notation->blocks; i++) {
        wrong |= tally_dates_differ(notation, i, text);
    }
    const uint32_t y =
        tally_dates_two(text + notation->year) * 100 + tally_dates_two(text + notation->year + 2);
    return tally_dates_days(y, tally_dates_two(text + notation->month),
                            tally_dates_two(text + notation->day), wrong);
}

/* A day of the calendar. */
typedef struct tally_dates_civil {
    uint32_t year, month, day;
} tally_dates_civil;

static inline tally_dates_civil tally_dates_civil_of(int32_t days)
{
    /* Centuries, years of a century and months, each by Neri and Schneider's linear forms. */
    uint32_t quarters = 4 * (uint32_t)(days + TALLY_DATES_SHIFT) + 3;
    uint32_t century = quarters / 146097;
    uint64_t years = (uint64_t)2939745 * (quarters % 146097 | 3);
    uint32_t of_year = (uint32_t)years / 2939745 / 4;
    uint32_t months = 2141 * of_year + 197913;
    uint32_t late = of_year >= 306; /* January and February are of the next year */
    return (tally_dates_civil){.year = 100 * century + (uint32_t)(years >> 32) + late,
                               .month = (months >> 16) - 12 * late,
                               .day = (months & 0xffff) / 2141 + 1};
}

static inline void tally_dates_write_two(uint32_t number, uint8_t *out)
{
    uint32_t tens = number * 103 >> 10; /* exact below 100 */
    out[0] = (uint8_t)('0' + tens);
    out[1] = (uint8_t)('0' + (number - tens * 10));
}

static inline void tally_dates_format(const tally_dates_compiled *notation, int32_t days,
                                      uint8_t *out)
{
    const tally_dates_civil date = tally_dates_civil_of(days);
    for (size_t i = 0; i < notation->blocks; i++) {
        memcpy(out + notation->place[i], &notation->text[i], TALLY_DATES_BLOCK);
    }
    const uint32_t hundreds = date.year / 100;
    tally_dates_write_two(hundreds, out + notation->year);
    tally_dates_write_two(date.year - hundreds * 100, out + notation->year + 2);
    tally_dates_write_two(date.month, out + notation->month);
    tally_dates_write_two(date.day, out + notation->day);
}

#endif
