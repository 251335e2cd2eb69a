/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of dates as text. */
#include "numbers/dates.h"

#include "arrow/strings.h"

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

void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out)
{
    out->blocks = (out->width + TALLY_DATES_BLOCK - 1) / TALLY_DATES_BLOCK;
    for (size_t i = 0; i < out->blocks; i++) {
        out->place[i] = (i + 1) * TALLY_DATES_BLOCK <= out->width ? i * TALLY_DATES_BLOCK
                                                                  : out->width - TALLY_DATES_BLOCK;
        memcpy(&out->text[i], pattern + out->place[i], TALLY_DATES_BLOCK);
        memcpy(&out->reach[i], reach + out->place[i], TALLY_DATES_BLOCK);
    }
}

int tally_dates_compile(const tally_dates *dates, tally_dates_compiled *out)
{
    if (dates->notation == NULL || dates->width < TALLY_DATES_BLOCK ||
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
    uint8_t pattern[TALLY_DATES_MAX_WIDTH], reach[TALLY_DATES_MAX_WIDTH];
    memcpy(pattern, dates->notation, out->width);
    memset(reach, TALLY_DATES_LITERAL, sizeof reach);
    const int place[] = {year, month, day}, count[] = {4, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        memset(pattern + place[i], '0', (size_t)count[i]);
        memset(reach + place[i], TALLY_DATES_DIGIT, (size_t)count[i]);
    }
    tally_dates_compile_pattern(pattern, reach, out);
    return 1;
}

tally_status tally_dates_read(const tally_dates *dates, const tally_strings *column,
                              uint64_t *numbers, uint8_t *row_status)
{
    tally_dates_compiled notation;
    tally_strings_reader reader;
    if (!tally_dates_compile(dates, &notation) || !tally_strings_init(column, &reader)) {
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
            int32_t days = tally_dates_parse(&notation, column->values + start);
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
    tally_dates_compiled notation;
    tally_strings_reader reader;
    if (!tally_dates_compile(dates, &notation) || !tally_strings_init(column, &reader) ||
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
            tally_dates_format(&notation, dates->first + (int32_t)numbers[i], values_out + start);
        } else if (size != 0 && values_out != column->values) {
            memcpy(values_out + start, column->values + start, (size_t)size);
        }
    }
    return TALLY_OK;
}
