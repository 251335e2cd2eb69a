/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text: every day of the calendar against one that is counted day by day, then text that
 * is no date, then columns of all layouts, and errors. */
#include "check.h"
#include "columns/columns.h"
#include "numbers/numbers.h"
#include "random.h"

_Static_assert((int)TALLY_NUMBER_NOTATION == TALLY_ROW_STATUSES,
               "statuses of numbers continue those of text");

enum { GUARD = 0xa5, BLOCK = 4096, ROWS = 300 };

static tally_dates dates_of(const char *notation, int32_t first, int32_t last)
{
    return (tally_dates){(const uint8_t *)notation, (uint32_t)strlen(notation), first, last};
}

static tally_dates all_of(const char *notation)
{
    return dates_of(notation, TALLY_DATES_MIN_DAY, TALLY_DATES_MAX_DAY);
}

static const char *const notations[] = {
    "YYYY-MM-DD",
    "YYYYMMDD",
    "DD.MM.YYYY",
    "MM/DD/YYYY",
    "on DD, MM of YYYY!",
    "DDYYYYMM",
    "YYYYY.DD MMM",
    "YYYY-MM-DDT00:00:00",
    "~~~~~~~~~~~~~~~~~~~~~~~~DD~~MM~~YYYY~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
};
enum { NOTATIONS = sizeof notations / sizeof *notations };

/* A calendar that goes from day to day. */
typedef struct calendar {
    int year, month, day;
} calendar;

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static void next_day(calendar *c)
{
    if (++c->day > days_of_month(c->year, c->month)) {
        c->day = 1;
        if (++c->month > 12) {
            c->month = 1;
            c->year++;
        }
    }
}

static void spell_number(uint8_t *out, size_t count, int number)
{
    for (size_t i = count; i-- > 0; number /= 10) {
        out[i] = (uint8_t)('0' + number % 10);
    }
}

/* The text of a date, of four, two and two decimal digits wherever the notation has them. */
static void spell(const char *notation, calendar c, uint8_t *out)
{
    size_t width = strlen(notation);
    memcpy(out, notation, width);
    spell_number(out + (strstr(notation, "YYYY") - notation), 4, c.year);
    spell_number(out + (strstr(notation, "MM") - notation), 2, c.month);
    spell_number(out + (strstr(notation, "DD") - notation), 2, c.day);
}

static int digits(const uint8_t *text, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

/* Whether text of the notation's width is a date, by the book. */
static int is_date(const char *notation, const uint8_t *text)
{
    calendar c = {digits(text + (strstr(notation, "YYYY") - notation), 4),
                  digits(text + (strstr(notation, "MM") - notation), 2),
                  digits(text + (strstr(notation, "DD") - notation), 2)};
    if (c.year < 1 || c.month < 1 || c.month > 12 || c.day < 1 ||
        c.day > days_of_month(c.year, c.month)) {
        return 0;
    }
    uint8_t expected[TALLY_DATES_MAX_WIDTH];
    spell(notation, c, expected);
    return memcmp(text, expected, strlen(notation)) == 0;
}

static int read_one(const tally_dates *dates, const uint8_t *text, size_t size, uint64_t *number)
{
    int32_t offsets[2] = {0, (int32_t)size};
    const tally_strings column = {.offsets = offsets, .offset_size = 4, .values = text, .rows = 1};
    uint8_t status = GUARD;
    CHECK_EQUAL(tally_dates_read(dates, &column, number, &status), TALLY_OK);
    return status;
}

static void test_every_day(const char *notation)
{
    CHECK_ABOUT("every day as %s", notation);
    const tally_dates dates = all_of(notation);
    size_t width = dates.width;
    static uint8_t text[BLOCK * TALLY_DATES_MAX_WIDTH], out[BLOCK * TALLY_DATES_MAX_WIDTH];
    static int32_t offsets[BLOCK + 1];
    static uint64_t numbers[BLOCK];
    static uint8_t status[BLOCK];
    calendar c = {1, 1, 1};
    uint64_t days = 0, wrong = 0;
    while (c.year <= 9999) {
        size_t rows = 0;
        for (; rows < BLOCK && c.year <= 9999; rows++, next_day(&c)) {
            spell(notation, c, text + rows * width);
            offsets[rows + 1] = (int32_t)((rows + 1) * width);
        }
        const tally_strings column = {
            .offsets = offsets, .offset_size = 4, .values = text, .rows = rows};
        memset(status, GUARD, rows);
        CHECK_EQUAL(tally_dates_read(&dates, &column, numbers, status), TALLY_OK);
        for (size_t i = 0; i < rows; i++) {
            wrong += status[i] != TALLY_NUMBER_OK || numbers[i] != days + i;
        }
        memset(out, GUARD, rows * width);
        CHECK_EQUAL(tally_dates_write(&dates, &column, numbers, status, out), TALLY_OK);
        wrong += memcmp(out, text, rows * width) != 0;
        days += rows;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(days, TALLY_DATES_MAX_DAY - TALLY_DATES_MIN_DAY + 1);
}

static void test_no_dates(const char *notation)
{
    const tally_dates dates = all_of(notation);
    uint8_t text[TALLY_DATES_MAX_WIDTH + 8];
    uint64_t number;
    static const int years[] = {0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999};
    CHECK_ABOUT("months and days as %s", notation);
    for (size_t y = 0; y < sizeof years / sizeof *years; y++) {
        for (int month = 0; month < 100; month++) {
            for (int day = 0; day < 100; day++) {
                spell(notation, (calendar){years[y], month, day}, text);
                CHECK_EQUAL(read_one(&dates, text, dates.width, &number),
                            is_date(notation, text) ? TALLY_NUMBER_OK : (int)TALLY_NUMBER_NOTATION);
            }
        }
    }
    CHECK_ABOUT("any byte in any place of %s", notation);
    for (size_t place = 0; place < dates.width; place++) {
        for (int byte = 0; byte < 256; byte++) {
            spell(notation, (calendar){1996, 2, 29}, text);
            text[place] = (uint8_t)byte;
            number = 7;
            int fits = is_date(notation, text);
            CHECK_EQUAL(read_one(&dates, text, dates.width, &number),
                        fits ? TALLY_NUMBER_OK : (int)TALLY_NUMBER_NOTATION);
            CHECK(fits || number == 0);
        }
    }
    CHECK_ABOUT("other widths than that of %s", notation);
    memset(text, '1', sizeof text);
    spell(notation, (calendar){1111, 11, 11}, text);
    for (size_t size = 0; size < sizeof text; size++) {
        CHECK_EQUAL(read_one(&dates, text, size, &number),
                    size == dates.width ? TALLY_NUMBER_OK : (int)TALLY_NUMBER_NOTATION);
    }
}

static void test_ends(void)
{
    CHECK_ABOUT("the ends of a range");
    const tally_dates dates = dates_of("YYYY-MM-DD", -1, 1);
    static const struct {
        const char *text;
        int status;
        uint64_t number;
    } cases[] = {{"1969-12-30", TALLY_NUMBER_RANGE, 0}, {"1969-12-31", TALLY_NUMBER_OK, 0},
                 {"1970-01-01", TALLY_NUMBER_OK, 1},    {"1970-01-02", TALLY_NUMBER_OK, 2},
                 {"1970-01-03", TALLY_NUMBER_RANGE, 0}, {"0001-01-01", TALLY_NUMBER_RANGE, 0},
                 {"9999-12-31", TALLY_NUMBER_RANGE, 0}, {"1970-02-30", TALLY_NUMBER_NOTATION, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t number = 99;
        CHECK_EQUAL(read_one(&dates, (const uint8_t *)cases[i].text, 10, &number), cases[i].status);
        CHECK_EQUAL(number, cases[i].number);
    }
}

/* A column of dates, text of other sizes and nulls, with bytes around it; nothing else is
 * touched. */
static void test_columns(const char *notation, uint32_t offset_size, int in_place)
{
    CHECK_ABOUT("columns as %s, offsets of %u bytes, in place %d", notation, offset_size, in_place);
    const tally_dates dates = dates_of(notation, -100000, 100000);
    enum { MOST = (ROWS + 2) * (TALLY_DATES_MAX_WIDTH + 2) };
    static uint8_t values[MOST], out[MOST], expected[MOST];
    int64_t wide[ROWS + 1];
    int32_t narrow[ROWS + 1];
    uint8_t validity[ROWS / 8 + 3], status[ROWS], all_status[ROWS];
    uint64_t numbers[ROWS];
    random_bytes(values, sizeof values);
    random_bytes(validity, sizeof validity);
    uint64_t validity_start = random_below(8), at = 5;
    for (size_t i = 0; i < ROWS; i++) {
        wide[i] = (int64_t)at;
        uint32_t kind = random_below(4);
        if (kind > 0) {
            calendar c = {1900 + (int)random_below(100), 1 + (int)random_below(12),
                          1 + (int)random_below(28)};
            spell(notation, c, values + at);
            at += dates.width;
        } else {
            at += random_below(dates.width + 2);
        }
    }
    wide[ROWS] = (int64_t)at;
    for (size_t i = 0; i <= ROWS; i++) {
        narrow[i] = (int32_t)wide[i];
    }
    const tally_strings column = {.offsets = offset_size == 4 ? (void *)narrow : (void *)wide,
                                  .offset_size = offset_size,
                                  .validity = validity,
                                  .validity_start = validity_start,
                                  .values = values,
                                  .rows = ROWS};
    CHECK_EQUAL(tally_dates_read(&dates, &column, numbers, status), TALLY_OK);
    memset(out, GUARD, sizeof out);
    memcpy(expected, in_place ? values : out, sizeof expected);
    size_t nulls = 0, written = 0, kept = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t start = (size_t)wide[i], size = (size_t)(wide[i + 1] - wide[i]);
        uint64_t bit = validity_start + i;
        all_status[i] = status[i];
        if ((validity[bit / 8] >> bit % 8 & 1) == 0) {
            CHECK(status[i] == TALLY_NUMBER_OK && numbers[i] == 0);
            memset(expected + start, 0, size);
            all_status[i] = (uint8_t)random_below(2);
            nulls++;
        } else if (size == dates.width && is_date(notation, values + start)) {
            CHECK_EQUAL(status[i], TALLY_NUMBER_OK);
            numbers[i] = 100000 - 25567; /* 1900-01-01 */
            spell(notation, (calendar){1900, 1, 1}, expected + start);
            written++;
        } else {
            CHECK_EQUAL(status[i], TALLY_NUMBER_NOTATION);
            memcpy(expected + start, values + start, size);
            kept++;
        }
    }
    CHECK(nulls > 0 && written > 0 && kept > 0);
    uint8_t *target = in_place ? values : out;
    CHECK_EQUAL(tally_dates_write(&dates, &column, numbers, all_status, target), TALLY_OK);
    CHECK_BYTES(target, expected, sizeof expected);
}

static void refused(tally_dates dates, const tally_strings *column)
{
    uint64_t numbers[2] = {3, 3};
    uint8_t status[2] = {0, 0}, out[20], untouched[20];
    memset(out, GUARD, sizeof out);
    memset(untouched, GUARD, sizeof untouched);
    CHECK_EQUAL(tally_dates_write(&dates, column, numbers, status, out), TALLY_ERROR_ARGUMENT);
    CHECK_BYTES(out, untouched, sizeof out);
    memset(status, GUARD, sizeof status);
    CHECK_EQUAL(tally_dates_read(&dates, column, numbers, status), TALLY_ERROR_ARGUMENT);
    CHECK(numbers[0] == 3 && numbers[1] == 3 && status[0] == GUARD && status[1] == GUARD);
}

static void test_refusals(void)
{
    int32_t offsets[3] = {0, 10, 20};
    const uint8_t *text = (const uint8_t *)"2000-01-012000-01-02";
    const tally_strings column = {.offsets = offsets, .offset_size = 4, .values = text, .rows = 2};
    static const char *const bad[] = {
        "",
        "YYYYMMD",
        "YYYY-MM-DD DD",
        "YYYY-MM-DDMM",
        "YYYYYYYYMMDD",
        "YYY-MM-DDD",
        "yyyy-mm-dd",
        "YYYY-MM-\tDD",
        "YYYY-MM-DD\x7f",
        "YYYY-MM-DD\xc3\xa4",
        "YYYYMMMMDD",
        "MM-DD-0000",
        "YYYY-MM-DDxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_ABOUT("notation %s", bad[i]);
        refused(all_of(bad[i]), &column);
    }
    CHECK_ABOUT("fields outside their range");
    const char *good = "YYYY-MM-DD";
    refused((tally_dates){NULL, 10, 0, 10}, &column);
    refused(dates_of(good, 1, 0), &column);
    refused(dates_of(good, TALLY_DATES_MIN_DAY - 1, 0), &column);
    refused(dates_of(good, 0, TALLY_DATES_MAX_DAY + 1), &column);
    tally_strings other = column;
    other.offset_size = 5;
    refused(all_of(good), &other);
    int32_t descending[3] = {10, 0, 20};
    other = column;
    other.offsets = descending;
    refused(all_of(good), &other);

    CHECK_ABOUT("rows that can't be written");
    const tally_dates dates = dates_of(good, 0, 10);
    uint8_t out[20], untouched[20], status[2] = {0, 0};
    uint64_t numbers[2] = {10, 11};
    memset(out, GUARD, sizeof out);
    memset(untouched, GUARD, sizeof untouched);
    CHECK_EQUAL(tally_dates_write(&dates, &column, numbers, status, out), TALLY_ERROR_ARGUMENT);
    int32_t uneven[3] = {0, 10, 19};
    other = column;
    other.offsets = uneven;
    numbers[1] = 10;
    CHECK_EQUAL(tally_dates_write(&dates, &other, numbers, status, out), TALLY_ERROR_ARGUMENT);
    CHECK_BYTES(out, untouched, sizeof out);
    status[1] = TALLY_NUMBER_NOTATION; /* not to be written, so of any width */
    CHECK_EQUAL(tally_dates_write(&dates, &other, numbers, status, out), TALLY_OK);
    CHECK_BYTES(out, "1970-01-112000-01-0", 19);
    CHECK_EQUAL(out[19], GUARD);
    other = column;
    other.rows = 0;
    other.offsets = NULL;
    other.values = NULL;
    CHECK_EQUAL(tally_dates_read(&dates, &other, NULL, NULL), TALLY_OK);
    CHECK_EQUAL(tally_dates_write(&dates, &other, NULL, NULL, NULL), TALLY_OK);
}

int main(void)
{
    for (size_t i = 0; i < NOTATIONS; i++) {
        test_every_day(notations[i]);
        test_no_dates(notations[i]);
        for (uint32_t size = 4; size <= 8; size += 4) {
            test_columns(notations[i], size, 0);
            test_columns(notations[i], size, 1);
        }
    }
    test_ends();
    test_refusals();
    return check_end("dates");
}
