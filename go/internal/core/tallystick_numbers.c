//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/numbers as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/numbers/dates.c ---- */
/*
 * Dates as text. A notation is compiled once into blocks of eight bytes that are checked at a time;
 * digits and days are arithmetic without tables. To days: H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. From days: C. Neri, L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", Software: Practice and Experience 53 (2023). */

/* ---- core/arrow/strings.h ---- */
/*
 * Arrow's string arrays (tallystick/arrow.h): offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

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

/* ---- core/numbers/integers.c ---- */
/*
 * Integers as decimal text. Their lengths change, so that a column is laid out before it is
 * written. */

static const int64_t integers_bound = INT64_C(1000000000000000000); /* 10^18 */

static int integers_fits(const tally_integers *integers)
{
    return -integers_bound < integers->first && integers->first <= integers->last &&
           integers->last < integers_bound;
}

/* Reads text of 1 byte or more; `integers_bound` if it is no integer. */
static inline int64_t integers_parse(const uint8_t *text, uint64_t size)
{
    uint64_t minus = text[0] == '-';
    text += minus;
    size -= minus;
    if (size - 1 >= TALLY_INTEGERS_DIGITS || (text[0] == '0' && size + minus > 1)) {
        return integers_bound;
    }
    int64_t number = 0;
    unsigned wrong = 0;
    for (uint64_t i = 0; i < size; i++) {
        unsigned digit = text[i] - (unsigned)'0';
        wrong |= digit > 9;
        number = number * 10 + (int64_t)(digit & 15);
    }
    return wrong ? integers_bound : minus ? -number : number;
}

tally_status tally_integers_read(const tally_integers *integers, const tally_strings *column,
                                 uint64_t *numbers, uint8_t *row_status)
{
    tally_strings_reader reader;
    if (!integers_fits(integers) || !tally_strings_init(column, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t last = (uint64_t)(integers->last - integers->first);
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const int is_null = tally_row_is_null(column, i);
        int64_t value = size != 0 ? integers_parse(column->values + start, size) : integers_bound;
        uint64_t number = (uint64_t)(value - integers->first);
        uint8_t status = number > last ? TALLY_NUMBER_RANGE : TALLY_NUMBER_OK;
        status = value == integers_bound ? TALLY_NUMBER_NOTATION : status;
        numbers[i] = number <= last && !is_null ? number : 0;
        row_status[i] = is_null ? TALLY_NUMBER_OK : status;
    }
    return TALLY_OK;
}

/* The integer of a number. */
static inline int64_t integers_value_of(const tally_integers *integers, uint64_t number)
{
    return integers->first + (int64_t)number;
}

static inline uint64_t integers_magnitude(int64_t value)
{
    return value < 0 ? (uint64_t)-value : (uint64_t)value;
}

static inline uint64_t integers_width_of(int64_t value)
{
    uint64_t width = 1 + (value < 0), power = 10, rest = integers_magnitude(value);
    for (; rest >= 10000; rest /= 10000) {
        width += 4;
    }
    for (; rest >= power; power *= 10) {
        width++;
    }
    return width;
}

static inline void integers_format(int64_t value, uint8_t *out, uint64_t width)
{
    uint64_t rest = integers_magnitude(value), i = width;
    for (; rest >= 100; rest /= 100) {
        uint32_t two = (uint32_t)(rest % 100), tens = two * 103 >> 10; /* exact below 100 */
        out[--i] = (uint8_t)('0' + (two - tens * 10));
        out[--i] = (uint8_t)('0' + tens);
    }
    out[--i] = (uint8_t)('0' + rest % 10);
    if (rest >= 10) {
        out[--i] = (uint8_t)('0' + rest / 10);
    }
    if (value < 0) {
        out[0] = '-';
    }
}

tally_status tally_integers_lay_out(const tally_integers *integers, const tally_strings *column,
                                    const uint64_t *numbers, const uint8_t *row_status,
                                    void *offsets_out)
{
    tally_strings_reader reader;
    if (!integers_fits(integers) || !tally_strings_init(column, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t last = (uint64_t)(integers->last - integers->first);
    for (uint64_t i = 0; i < column->rows; i++) {
        if (numbers[i] > last && row_status[i] == TALLY_NUMBER_OK &&
            !tally_row_is_null(column, i)) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    const int narrow = column->offset_size == 4;
    const uint64_t most = narrow ? INT32_MAX : INT64_MAX;
    uint64_t at = 0;
    for (uint64_t i = 0;; i++) {
        uint64_t start, size;
        if (at > most) {
            return TALLY_ERROR_LENGTH;
        }
        if (narrow) {
            ((int32_t *)offsets_out)[i] = (int32_t)at;
        } else {
            ((int64_t *)offsets_out)[i] = (int64_t)at;
        }
        if (i == column->rows) {
            return TALLY_OK;
        }
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (!tally_row_is_null(column, i)) {
            at += row_status[i] == TALLY_NUMBER_OK
                      ? integers_width_of(integers_value_of(integers, numbers[i]))
                      : size;
        }
    }
}

tally_status tally_integers_write(const tally_integers *integers, const tally_strings *column,
                                  const uint64_t *numbers, const uint8_t *row_status,
                                  const void *offsets, uint8_t *values_out)
{
    const tally_strings laid_out = {
        .offsets = offsets, .offset_size = column->offset_size, .rows = column->rows};
    tally_strings_reader from, to;
    if (!tally_strings_init_ends(column, &from) || !tally_strings_init_ends(&laid_out, &to)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size, given, given_size;
        if (!tally_strings_next(&to, &start, &size) ||
            !tally_strings_next(&from, &given, &given_size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (size == 0) {
            continue; /* null, or empty text that is kept */
        }
        const int is_written = row_status[i] == TALLY_NUMBER_OK;
        const int64_t value = is_written ? integers_value_of(integers, numbers[i]) : 0;
        if (size != (is_written ? integers_width_of(value) : given_size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (is_written) {
            integers_format(value, values_out + start, size);
        } else {
            memcpy(values_out + start, column->values + given, (size_t)size);
        }
    }
    return TALLY_OK;
}

/* ---- core/numbers/mixed.c ---- */
/*
 * Numbers of mixed radix as words of one radix, and back. Numbers are in limbs of 16 bits, those of
 * 64 rows side by side: the loops over rows are what compilers make vectors of. */

/* ---- core/numbers/mixed.h ---- */
/*
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

enum { TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2 /* of 16 bits */ };

/* What follows from the sizes. */
typedef struct tally_mixed_plan {
    uint32_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, limbs;
} tally_mixed_plan;

/* TALLY_ERROR_ARGUMENT, TALLY_ERROR_LENGTH as tally_mixed_params says. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

void tally_mixed_write(const tally_mixed *mixed, const tally_mixed_plan *plan,
                       const uint16_t *digits, size_t count, uint8_t *words);
void tally_mixed_read(const tally_mixed *mixed, const tally_mixed_plan *plan, const uint8_t *words,
                      size_t count, uint16_t *digits, uint8_t *outside);

#endif

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

/* Returns 1 if every byte is below `limit`, 1..256, else 0. Eight bytes at a time. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    /* A byte's lower seven bits plus `to_top` set its top bit if they are at least limit, or limit
     * less 128. */
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

enum {
    MIXED_ROWS = 64,
    MIXED_LIMBS = TALLY_MIXED_LIMBS,
    MIXED_LIMB_BITS = 16,
    MIXED_LIMB_MASK = 0xffff
};

/* Numbers of so many limbs; limb 0 is the least. */
typedef struct mixed_numbers {
    uint32_t limb[MIXED_LIMBS][MIXED_ROWS];
    uint32_t limbs;
} mixed_numbers;

/* number * factor + digit, for a factor of at most 2^16 and digits below it. */
static void mixed_append(mixed_numbers *to, uint32_t factor, const uint32_t digit[MIXED_ROWS])
{
    uint32_t carry[MIXED_ROWS];
    memcpy(carry, digit, sizeof carry);
    for (uint32_t k = 0; k < to->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            uint32_t sum = to->limb[k][i] * factor + carry[i]; /* at most 2^32 - 1 */
            to->limb[k][i] = sum & MIXED_LIMB_MASK;
            carry[i] = sum >> MIXED_LIMB_BITS;
        }
    }
}

/* Divides by 2..2^16; the rests are the digits. By a product, since division takes a time that may
 * depend on the number; it is at most 1 too small. */
static void mixed_split(mixed_numbers *from, uint32_t divisor, uint32_t digit[MIXED_ROWS])
{
    const uint32_t reciprocal = (uint32_t)((UINT64_C(1) << 32) / divisor);
    memset(digit, 0, MIXED_ROWS * sizeof *digit);
    for (uint32_t k = from->limbs; k-- > 0;) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            uint32_t part = digit[i] << MIXED_LIMB_BITS | from->limb[k][i];
            uint32_t quotient = (uint32_t)((uint64_t)part * reciprocal >> 32);
            uint32_t rest = part - quotient * divisor; /* below 2 * divisor */
            uint32_t more = 1 - ((rest - divisor) >> 31);
            from->limb[k][i] = quotient + more;
            digit[i] = rest - (divisor & (0 - more));
        }
    }
}

/* Whether words of that radix and length reach `last`. */
static int mixed_reaches(const uint32_t last[MIXED_LIMBS], uint32_t radix, uint32_t length)
{
    uint32_t rest[MIXED_LIMBS], left = 1;
    memcpy(rest, last, sizeof rest);
    for (uint32_t i = 0; i < length && left != 0; i++) {
        uint32_t carry = 0;
        left = 0;
        for (size_t k = MIXED_LIMBS; k-- > 0;) {
            uint32_t part = carry << MIXED_LIMB_BITS | rest[k];
            rest[k] = part / radix;
            carry = part % radix;
            left |= rest[k];
        }
    }
    return left == 0;
}

tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out)
{
    uint32_t wide = 0; /* whether there are two numbers at all */
    memset(out, 0, sizeof *out);
    if (mixed->positions < 1 || mixed->positions > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t p = 0; p < mixed->positions; p++) {
        if (mixed->sizes[p] < 1 || mixed->sizes[p] > TALLY_MIXED_MAX_SIZE) {
            return TALLY_ERROR_ARGUMENT;
        }
        uint32_t carry = mixed->sizes[p] - 1; /* last * size + size - 1 */
        wide |= carry;
        for (size_t k = 0; k < MIXED_LIMBS; k++) {
            uint32_t sum = out->last[k] * mixed->sizes[p] + carry;
            out->last[k] = sum & MIXED_LIMB_MASK;
            carry = sum >> MIXED_LIMB_BITS;
        }
        if (carry != 0) {
            return TALLY_ERROR_LENGTH;
        }
    }
    if (wide == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    out->length = 2;
    while (!mixed_reaches(out->last, 256, out->length)) {
        out->length++;
    }
    out->radix = 4;
    while (!mixed_reaches(out->last, out->radix, out->length)) {
        out->radix++;
    }
    out->limbs = (out->length + 1) / 2;
    return TALLY_OK;
}

tally_status tally_mixed_params(const tally_mixed *mixed, tally_fast_params *out)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    return status == TALLY_OK ? tally_fast_recommended(TALLY_FAST, plan.radix, plan.length, out)
                              : status;
}

/* Whether every digit is below its size, without a branch on any of them. */
static int mixed_digits_fit(const tally_mixed *mixed, const uint16_t *digits, size_t count)
{
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < mixed->positions; p++) {
            outside |= mixed->sizes[p] - 1 - digits[i * mixed->positions + p];
        }
    }
    return outside >> 31 == 0;
}

static void mixed_clear(mixed_numbers *held, const tally_mixed_plan *plan)
{
    held->limbs = plan->limbs;
    memset(held->limb, 0, plan->limbs * sizeof *held->limb);
}

void tally_mixed_write(const tally_mixed *mixed, const tally_mixed_plan *plan,
                       const uint16_t *digits, size_t count, uint8_t *words)
{
    mixed_numbers held;
    uint32_t digit[MIXED_ROWS] = {0};
    for (size_t first = 0; first < count; first += MIXED_ROWS) {
        size_t rows = count - first < MIXED_ROWS ? count - first : MIXED_ROWS;
        mixed_clear(&held, plan);
        for (size_t p = 0; p < mixed->positions; p++) {
            for (size_t i = 0; i < rows; i++) {
                digit[i] = digits[(first + i) * mixed->positions + p];
            }
            mixed_append(&held, mixed->sizes[p], digit);
        }
        for (size_t s = plan->length; s-- > 0;) {
            mixed_split(&held, plan->radix, digit);
            for (size_t i = 0; i < rows; i++) {
                words[(first + i) * plan->length + s] = (uint8_t)digit[i];
            }
        }
    }
    tally_wipe(&held, sizeof held);
    tally_wipe(digit, sizeof digit);
}

tally_status tally_mixed_to_words(const tally_mixed *mixed, const uint16_t *digits, size_t count,
                                  uint8_t *words)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    if (status != TALLY_OK) {
        return status;
    }
    if (!mixed_digits_fit(mixed, digits, count)) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_mixed_write(mixed, &plan, digits, count, words);
    return TALLY_OK;
}

/* Finds the numbers beyond the last one, and sets them to 0. */
static void mixed_find_outside(mixed_numbers *held, const tally_mixed_plan *plan,
                               uint32_t outside[MIXED_ROWS])
{
    memset(outside, 0, MIXED_ROWS * sizeof *outside);
    for (uint32_t k = 0; k < plan->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) { /* the borrow of last - number */
            outside[i] = (plan->last[k] - held->limb[k][i] - outside[i]) >> 31;
        }
    }
    for (uint32_t k = 0; k < plan->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            held->limb[k][i] &= outside[i] - 1;
        }
    }
}

void tally_mixed_read(const tally_mixed *mixed, const tally_mixed_plan *plan, const uint8_t *words,
                      size_t count, uint16_t *digits, uint8_t *outside)
{
    mixed_numbers held;
    uint32_t digit[MIXED_ROWS] = {0};
    for (size_t first = 0; first < count; first += MIXED_ROWS) {
        size_t rows = count - first < MIXED_ROWS ? count - first : MIXED_ROWS;
        mixed_clear(&held, plan);
        for (size_t s = 0; s < plan->length; s++) {
            for (size_t i = 0; i < rows; i++) {
                digit[i] = words[(first + i) * plan->length + s];
            }
            mixed_append(&held, plan->radix, digit);
        }
        mixed_find_outside(&held, plan, digit);
        for (size_t i = 0; i < rows; i++) {
            outside[first + i] = (uint8_t)digit[i];
        }
        for (size_t p = mixed->positions; p-- > 0;) {
            if (mixed->sizes[p] == 1) {
                memset(digit, 0, sizeof digit);
            } else {
                mixed_split(&held, mixed->sizes[p], digit);
            }
            for (size_t i = 0; i < rows; i++) {
                digits[(first + i) * mixed->positions + p] = (uint16_t)digit[i];
            }
        }
    }
    tally_wipe(&held, sizeof held);
    tally_wipe(digit, sizeof digit);
}

tally_status tally_mixed_from_words(const tally_mixed *mixed, const uint8_t *words, size_t count,
                                    uint16_t *digits, uint8_t *outside)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_all_below(plan.radix, words, count * plan.length)) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_mixed_read(mixed, &plan, words, count, digits, outside);
    return TALLY_OK;
}

TALLY_VISIBILITY_POP
