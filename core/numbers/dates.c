/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text. A notation is compiled once into blocks of eight bytes that are checked at a time;
 * digits and days are arithmetic without tables. To days: H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. From days: C. Neri, L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", Software: Practice and Experience 53 (2023). */
#include "tallystick/numbers.h"

#include <string.h>

#include "arrow/strings.h"

enum {
    DATES_BLOCK = 8,
    DATES_BLOCKS = TALLY_DATES_MAX_WIDTH / DATES_BLOCK,
    DATES_SHIFT = 719468 /* from 0000-03-01 */
};

/* A compiled notation. */
typedef struct dates_compiled {
    size_t width, year, month, day; /* and where the digits begin */
    size_t blocks,
        place[DATES_BLOCKS];      /* the last ends where the notation does; they may overlap */
    uint64_t text[DATES_BLOCKS];  /* the notation, with '0' for its digits */
    uint64_t reach[DATES_BLOCKS]; /* added to a byte's difference from it, carries into the top
                                   * bit if that is too much */
    uint8_t pattern[TALLY_DATES_MAX_WIDTH];
} dates_compiled;

/* Where `count` letters stand that occur only there; -1: they do not. */
static int dates_find(const tally_dates *dates, uint8_t letter, size_t count)
{
    int found = -1;
    for (size_t i = 0; i + count <= dates->width; i++) {
        size_t same = 0;
        while (same < count && dates->notation[i + same] == letter) {
            same++;
        }
        if (same == count) {
            if (found >= 0) {
                return -1;
            }
            found = (int)i;
            i += count - 1; /* matches do not overlap */
        }
    }
    return found;
}

static int dates_compile(const tally_dates *dates, dates_compiled *out)
{
    if (dates->notation == NULL || dates->width < DATES_BLOCK ||
        dates->width > TALLY_DATES_MAX_WIDTH || dates->first < TALLY_DATES_MIN_DAY ||
        dates->last > TALLY_DATES_MAX_DAY || dates->first > dates->last) {
        return 0;
    }
    for (size_t i = 0; i < dates->width; i++) {
        if (dates->notation[i] < ' ' || dates->notation[i] > '~') {
            return 0;
        }
    }
    int year = dates_find(dates, 'Y', 4), month = dates_find(dates, 'M', 2),
        day = dates_find(dates, 'D', 2);
    if (year < 0 || month < 0 || day < 0) {
        return 0;
    }
    out->width = dates->width;
    out->year = (size_t)year;
    out->month = (size_t)month;
    out->day = (size_t)day;
    memcpy(out->pattern, dates->notation, out->width);
    memset(out->pattern + year, '0', 4);
    memset(out->pattern + month, '0', 2);
    memset(out->pattern + day, '0', 2);
    uint8_t reach[TALLY_DATES_MAX_WIDTH];
    memset(reach, 0x7f, sizeof reach); /* any difference is too much, */
    memset(reach + year, 0x76, 4);     /* and here one above 9 */
    memset(reach + month, 0x76, 2);
    memset(reach + day, 0x76, 2);
    out->blocks = (out->width + DATES_BLOCK - 1) / DATES_BLOCK;
    for (size_t i = 0; i < out->blocks; i++) {
        out->place[i] =
            (i + 1) * DATES_BLOCK <= out->width ? i * DATES_BLOCK : out->width - DATES_BLOCK;
        memcpy(&out->text[i], out->pattern + out->place[i], DATES_BLOCK);
        memcpy(&out->reach[i], reach + out->place[i], DATES_BLOCK);
    }
    return 1;
}

/* The top bits of a block's bytes that are not what the notation has there. */
static inline uint64_t dates_differ(const dates_compiled *notation, size_t block,
                                    const uint8_t *text)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t bytes;
    memcpy(&bytes, text + notation->place[block], DATES_BLOCK);
    bytes ^= notation->text[block]; /* of a digit its value, of 0x3a to 0x3f 10 to 15 */
    return (((bytes & low) + notation->reach[block]) | bytes) & ~low;
}

static inline uint32_t dates_two_digits(const uint8_t *text)
{
    return text[0] * 10u + text[1] - '0' * 11u;
}

/* Days since 1970-01-01, or INT32_MIN if the text is no date. */
static inline int32_t dates_parse(const dates_compiled *notation, const uint8_t *text)
{
    uint64_t wrong = dates_differ(notation, 0, text);
    for (size_t i = 1; i < notation->blocks; i++) {
        wrong |= dates_differ(notation, i, text);
    }
    uint32_t y =
        dates_two_digits(text + notation->year) * 100 + dates_two_digits(text + notation->year + 2);
    uint32_t m = dates_two_digits(text + notation->month),
             d = dates_two_digits(text + notation->day);
    /* Masks instead of conditions: no branch depends on the date. */
    uint32_t century = 0 - (uint32_t)(y % 25 == 0), february = 0 - (uint32_t)(m == 2);
    uint32_t leap = (y & (3 | (12 & century))) == 0;
    uint32_t most = ((28 + leap) & february) | ((30 | (m ^ m >> 3)) & ~february);
    uint32_t bad = 0 - (uint32_t)((wrong != 0) | (y == 0) | (m - 1 > 11) | (d == 0) | (d > most));
    /* Years that begin in March; year 0 is the first. */
    uint32_t early = m <= 2;
    y -= early;
    uint32_t day = (153 * (m + 12 * early - 3) + 2) / 5 + d - 1;
    uint32_t days = y * 365 + y / 4 - y / 100 + y / 400 + day - DATES_SHIFT;
    return (int32_t)((days & ~bad) | (UINT32_C(0x80000000) & bad));
}

static inline void dates_write_two(uint32_t number, uint8_t *out)
{
    uint32_t tens = number * 103 >> 10; /* exact below 100 */
    out[0] = (uint8_t)('0' + tens);
    out[1] = (uint8_t)('0' + (number - tens * 10));
}

static inline void dates_format(const dates_compiled *notation, int32_t days, uint8_t *out)
{
    /* Centuries, years of a century and months, each by Neri and Schneider's linear forms. */
    uint32_t quarters = 4 * (uint32_t)(days + DATES_SHIFT) + 3;
    uint32_t century = quarters / 146097;
    uint64_t years = (uint64_t)2939745 * (quarters % 146097 | 3);
    uint32_t of_year = (uint32_t)years / 2939745 / 4;
    uint32_t months = 2141 * of_year + 197913;
    uint32_t late = of_year >= 306; /* January and February are of the next year */
    uint32_t y = 100 * century + (uint32_t)(years >> 32) + late;
    for (size_t i = 0; i < notation->blocks; i++) {
        memcpy(out + notation->place[i], &notation->text[i], DATES_BLOCK);
    }
    uint32_t hundreds = y / 100;
    dates_write_two(hundreds, out + notation->year);
    dates_write_two(y - hundreds * 100, out + notation->year + 2);
    dates_write_two((months >> 16) - 12 * late, out + notation->month);
    dates_write_two((months & 0xffff) / 2141 + 1, out + notation->day);
}

tally_status tally_dates_read(const tally_dates *dates, const tally_strings *column,
                              uint64_t *numbers, uint8_t *row_status)
{
    dates_compiled notation;
    tally_strings_reader reader;
    if (!dates_compile(dates, &notation) || !tally_strings_init(column, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint32_t last = (uint32_t)(dates->last - dates->first);
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size;
        uint8_t status = TALLY_NUMBER_NOTATION;
        uint32_t number = 0;
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (tally_row_is_null(column, i)) {
            status = TALLY_NUMBER_OK;
        } else if (size == notation.width) {
            int32_t days = dates_parse(&notation, column->values + start);
            if (days != INT32_MIN) {
                /* One before the first is far behind the last, modulo 2^32. */
                number = (uint32_t)days - (uint32_t)dates->first;
                status = number <= last ? TALLY_NUMBER_OK : TALLY_NUMBER_RANGE;
                number = number <= last ? number : 0;
            }
        }
        numbers[i] = number;
        row_status[i] = status;
    }
    return TALLY_OK;
}

/* Whether a row can be written. */
static inline int dates_writable(const tally_dates *dates, uint64_t size, uint64_t number)
{
    return size == dates->width && number <= (uint64_t)(dates->last - dates->first);
}

/* Whether all rows to be written can be. */
static int dates_all_writable(const tally_dates *dates, tally_strings_reader reader,
                              const uint64_t *numbers, const uint8_t *row_status)
{
    const tally_strings *column = reader.strings;
    int bad = 0;
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size = 0;
        bad |= !tally_strings_next(&reader, &start, &size);
        bad |= !dates_writable(dates, size, numbers[i]) && row_status[i] == TALLY_NUMBER_OK &&
               !tally_row_is_null(column, i);
    }
    return !bad;
}

tally_status tally_dates_write(const tally_dates *dates, const tally_strings *column,
                               const uint64_t *numbers, const uint8_t *row_status,
                               uint8_t *values_out)
{
    dates_compiled notation;
    tally_strings_reader reader;
    if (!dates_compile(dates, &notation) || !tally_strings_init(column, &reader) ||
        !dates_all_writable(dates, reader, numbers, row_status)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (tally_row_is_null(column, i)) {
            if (size != 0) {
                memset(values_out + start, 0, (size_t)size);
            }
        } else if (row_status[i] == TALLY_NUMBER_OK) {
            if (!dates_writable(dates, size, numbers[i])) { /* another thread has changed it */
                return TALLY_ERROR_ARGUMENT;
            }
            dates_format(&notation, dates->first + (int32_t)numbers[i], values_out + start);
        } else if (size != 0 && values_out != column->values) {
            memcpy(values_out + start, column->values + start, (size_t)size);
        }
    }
    return TALLY_OK;
}
