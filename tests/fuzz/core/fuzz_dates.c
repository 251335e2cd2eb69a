/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of dates in any notation, beside a reading that counts days year by year; and back. */
#include "fuzz_strings.h"
#include "numbers/numbers.h"

enum { MOST_ROWS = 40 };

/* Where the fields of a notation are; false if it is none. What is found is passed over, as by a
 * reader: of YYYYYY the last two are characters as any other. */
static bool find_fields(const uint8_t *notation, uint32_t width, size_t at[3])
{
    static const char *const fields[3] = {"YYYY", "MM", "DD"};
    if (width < 8 || width > TALLY_DATES_MAX_WIDTH) {
        return false;
    }
    char text[TALLY_DATES_MAX_WIDTH + 1] = {0};
    for (size_t i = 0; i < width; i++) {
        if (notation[i] < 0x20 || notation[i] > 0x7e) {
            return false;
        }
        text[i] = (char)notation[i];
    }
    for (size_t k = 0; k < 3; k++) {
        const char *found = strstr(text, fields[k]);
        if (found == NULL || strstr(found + strlen(fields[k]), fields[k]) != NULL) {
            return false;
        }
        at[k] = (size_t)(found - text);
    }
    return true;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970-01-01, or INT32_MIN if these bytes are no date. */
static int32_t model_day(const tally_dates *dates, const size_t at[3], const uint8_t *text,
                         size_t size)
{
    static const size_t sizes[3] = {4, 2, 2};
    int fields[3] = {0};
    if (size != dates->width) {
        return INT32_MIN;
    }
    for (size_t i = 0; i < size; i++) {
        bool in_field = false;
        for (size_t k = 0; k < 3; k++) {
            if (i >= at[k] && i < at[k] + sizes[k]) {
                in_field = true;
                if (text[i] < '0' || text[i] > '9') {
                    return INT32_MIN;
                }
                fields[k] = fields[k] * 10 + text[i] - '0';
            }
        }
        if (!in_field && text[i] != dates->notation[i]) {
            return INT32_MIN;
        }
    }
    if (fields[0] < 1 || fields[1] < 1 || fields[1] > 12 || fields[2] < 1 ||
        fields[2] > month_days(fields[0], fields[1])) {
        return INT32_MIN;
    }
    int32_t day = TALLY_DATES_MIN_DAY + fields[2] - 1;
    for (int year = 1; year < fields[0]; year++) {
        day += is_leap(year) ? 366 : 365;
    }
    for (int month = 1; month < fields[1]; month++) {
        day += month_days(fields[0], month);
    }
    return day;
}

/* A column of text that is a date more often than not: bytes of fields become digits. */
static void make_dates(const tally_dates *dates, const size_t at[3], fuzz_strings *column)
{
    for (uint64_t i = 0; i < column->strings.rows; i++) {
        uint8_t *value = column->values + column->start[i];
        if (column->start[i + 1] - column->start[i] != dates->width || value[0] % 8 == 7) {
            continue;
        }
        for (size_t j = 0; j < dates->width; j++) {
            const bool in_year = j >= at[0] && j < at[0] + 4;
            const bool first = j == at[1] || j == at[2], second = j == at[1] + 1 || j == at[2] + 1;
            value[j] = in_year || second ? (uint8_t)('0' + value[j] % 10)
                       : first           ? (uint8_t)('0' + value[j] % 3)
                                         : dates->notation[j];
        }
    }
}

static void check_dates(const tally_dates *dates, const size_t at[3], fuzz_strings *column)
{
    const size_t rows = (size_t)column->strings.rows;
    uint64_t *numbers = FUZZ_ARRAY(uint64_t, rows);
    uint8_t *status = fuzz_buffer(rows), *expected = fuzz_buffer(column->size);
    CHECK_EQUAL(tally_dates_read(dates, &column->strings, numbers, status), TALLY_OK);
    for (size_t i = 0; i < rows; i++) {
        const size_t from = (size_t)column->start[i], size = (size_t)column->start[i + 1] - from;
        const int32_t day = model_day(dates, at, column->values + from, size);
        const uint8_t wanted = column->null[i]                           ? TALLY_NUMBER_OK
                               : day == INT32_MIN                        ? TALLY_NUMBER_NOTATION
                               : day < dates->first || day > dates->last ? TALLY_NUMBER_RANGE
                                                                         : TALLY_NUMBER_OK;
        CHECK_EQUAL(status[i], wanted);
        CHECK_EQUAL(numbers[i],
                    wanted == TALLY_NUMBER_OK && !column->null[i] ? day - dates->first : 0);
        if (column->null[i] && size > 0) {
            memset(expected + from, 0, size);
        } else if (size > 0) {
            memcpy(expected + from, column->values + from, size);
        }
    }
    uint8_t *out = fuzz_buffer(column->size);
    CHECK_EQUAL(tally_dates_write(dates, &column->strings, numbers, status, out), TALLY_OK);
    CHECK_BYTES(out, expected, column->size);
}

/* Any numbers and statuses of a caller's: written if each has its place and its day, else refused;
 * and what was written reads the same. */
static void check_write(fuzz_input *input, const tally_dates *dates, fuzz_strings *column)
{
    const size_t rows = (size_t)column->strings.rows;
    uint64_t *numbers = FUZZ_ARRAY(uint64_t, rows), *back = FUZZ_ARRAY(uint64_t, rows);
    uint8_t *status = fuzz_buffer(rows), *again = fuzz_buffer(rows),
            *out = fuzz_buffer(column->size);
    bool fine = true;
    for (size_t i = 0; i < rows; i++) {
        const uint32_t span = (uint32_t)(dates->last - dates->first);
        numbers[i] = fuzz_number(input, 3);
        numbers[i] = (numbers[i] & 7) != 0 ? numbers[i] % ((uint64_t)span + 1) : numbers[i] << 40;
        status[i] = (uint8_t)(column->start[i + 1] - column->start[i] != dates->width &&
                              numbers[i] % 32 != 5);
        if (!column->null[i] && status[i] == 0) {
            fine &= numbers[i] <= span && column->start[i + 1] - column->start[i] == dates->width;
        }
    }
    CHECK_EQUAL(tally_dates_write(dates, &column->strings, numbers, status, out),
                fine ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fine) {
        fuzz_untouched(out, column->size);
        return;
    }
    tally_strings written = column->strings;
    written.values = out;
    CHECK_EQUAL(tally_dates_read(dates, &written, back, again), TALLY_OK);
    for (size_t i = 0; i < rows; i++) {
        if (!column->null[i] && status[i] == 0) {
            CHECK_EQUAL(again[i], TALLY_NUMBER_OK);
            CHECK_EQUAL(back[i], numbers[i]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const notations[] = {"YYYY-MM-DD", "DD.MM.YYYY", "YYYYMMDD",
                                            "MM/DD/YYYY, at noon"};
    fuzz_input input = {data, size};
    fuzz_cpu(&input);
    const uint32_t choice = fuzz_below(&input, 8);
    tally_dates dates;
    if (choice < 4) {
        dates.notation = (const uint8_t *)notations[choice];
        dates.width = (uint32_t)strlen(notations[choice]);
    } else {
        dates.width = fuzz_below(&input, 70);
        dates.notation = fuzz_bytes(&input, dates.width);
    }
    dates.first = (choice & 1) != 0 ? TALLY_DATES_MIN_DAY + (int32_t)fuzz_below(&input, 4000000)
                                    : TALLY_DATES_MIN_DAY - (int32_t)(choice == 6);
    dates.last = (choice & 2) != 0 ? dates.first + (int32_t)fuzz_number(&input, 3) - 16
                                   : TALLY_DATES_MAX_DAY + (int32_t)(choice == 5);
    size_t at[3] = {0};
    const bool notation = find_fields(dates.notation, dates.width, at);
    const bool fits = notation && dates.first >= TALLY_DATES_MIN_DAY &&
                      dates.last <= TALLY_DATES_MAX_DAY && dates.first <= dates.last;
    fuzz_strings column;
    const size_t rows = fuzz_below(&input, MOST_ROWS + 1);
    if (!fuzz_take_strings(&input, rows, 70, &column)) {
        return fuzz_end();
    }
    if (!fits || !column.fits) {
        uint64_t *numbers = FUZZ_ARRAY(uint64_t, rows);
        uint8_t *status = fuzz_buffer(rows);
        CHECK_EQUAL(tally_dates_read(&dates, &column.strings, numbers, status),
                    TALLY_ERROR_ARGUMENT);
        fuzz_untouched(status, rows);
        return fuzz_end();
    }
    make_dates(&dates, at, &column);
    check_dates(&dates, at, &column);
    check_write(&input, &dates, &column);
    return fuzz_end();
}
