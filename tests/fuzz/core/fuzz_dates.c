/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates in any notation, beside a reading that counts days year by year; and back. */
#include "fuzz.h"
#include "numbers/dates.h"

/* Where the fields of a notation are; false if it is none. What is found is passed over, as by a
 * reader: of YYYYYY the last two are characters as any other. */
static bool find_fields(const uint8_t *notation, size_t width, size_t at[3])
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
static int32_t model_day(const uint8_t *notation, size_t width, const size_t at[3],
                         const uint8_t *text)
{
    static const size_t sizes[3] = {4, 2, 2};
    int fields[3] = {0};
    for (size_t i = 0; i < width; i++) {
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
        if (!in_field && text[i] != notation[i]) {
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

/* Text of the input that is a date more often than not: bytes of fields become digits. */
static void make_date(const uint8_t *notation, size_t width, const size_t at[3], uint8_t *text)
{
    for (size_t j = 0; j < width && text[0] % 8 != 7; j++) {
        const bool in_year = j >= at[0] && j < at[0] + 4;
        const bool first = j == at[1] || j == at[2], second = j == at[1] + 1 || j == at[2] + 1;
        text[j] = in_year || second ? (uint8_t)('0' + text[j] % 10)
                  : first           ? (uint8_t)('0' + text[j] % 3)
                                    : notation[j];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const notations[] = {"YYYY-MM-DD", "DD.MM.YYYY", "YYYYMMDD",
                                            "MM/DD/YYYY, at noon"};
    fuzz_input input = {data, size};
    const uint32_t choice = fuzz_below(&input, 8);
    const size_t width = choice < 4 ? strlen(notations[choice]) : fuzz_below(&input, 70);
    const uint8_t *notation =
        choice < 4 ? (const uint8_t *)notations[choice] : fuzz_bytes(&input, width);
    tally_dates_compiled compiled;
    size_t at[3] = {0};
    const bool fits = find_fields(notation, width, at);
    CHECK_EQUAL(tally_dates_compile(notation, width, &compiled) != 0, fits);
    while (fits && input.size > 0) {
        uint8_t *text = fuzz_bytes(&input, width), *out = fuzz_buffer(width);
        make_date(notation, width, at, text);
        const int32_t day = tally_dates_parse(&compiled, text);
        CHECK_EQUAL(day, model_day(notation, width, at, text));
        if (day != INT32_MIN) {
            tally_dates_format(&compiled, day, out);
            CHECK_BYTES(out, text, width);
        }
        const int32_t other =
            TALLY_DATES_MIN_DAY +
            (int32_t)fuzz_below(&input, TALLY_DATES_MAX_DAY - TALLY_DATES_MIN_DAY + 1);
        tally_dates_format(&compiled, other, out);
        CHECK_EQUAL(tally_dates_parse(&compiled, out), other);
    }
    return fuzz_end();
}
