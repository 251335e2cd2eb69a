/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text: every day of the calendar against one that is counted day by day, then text that
 * is no date, and notations that are none. */
#include "check.h"
#include "numbers/dates.h"

/* A notation with the places of year, month and day, which are found once: there are many dates. */
typedef struct layout {
    const char *notation;
    size_t width, year, month, day;
} layout;

static layout lay_out(const char *notation)
{
    return (layout){.notation = notation,
                    .width = strlen(notation),
                    .year = (size_t)(strstr(notation, "YYYY") - notation),
                    .month = (size_t)(strstr(notation, "MM") - notation),
                    .day = (size_t)(strstr(notation, "DD") - notation)};
}

static tally_dates_compiled compile(const char *notation)
{
    tally_dates_compiled made;
    CHECK(tally_dates_compile((const uint8_t *)notation, strlen(notation), &made));
    return made;
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
static void spell(const layout *as, calendar c, uint8_t *out)
{
    memcpy(out, as->notation, as->width);
    spell_number(out + as->year, 4, c.year);
    spell_number(out + as->month, 2, c.month);
    spell_number(out + as->day, 2, c.day);
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
static int is_date(const layout *as, const uint8_t *text)
{
    calendar c = {digits(text + as->year, 4), digits(text + as->month, 2),
                  digits(text + as->day, 2)};
    if (c.year < 1 || c.month < 1 || c.month > 12 || c.day < 1 ||
        c.day > days_of_month(c.year, c.month)) {
        return 0;
    }
    uint8_t expected[TALLY_DATES_MAX_WIDTH];
    spell(as, c, expected);
    return memcmp(text, expected, as->width) == 0;
}

static void test_every_day(const char *notation)
{
    CHECK_ABOUT("every day as %s", notation);
    const tally_dates_compiled compiled = compile(notation);
    const layout as = lay_out(notation);
    uint8_t text[TALLY_DATES_MAX_WIDTH], out[TALLY_DATES_MAX_WIDTH];
    int32_t days = TALLY_DATES_MIN_DAY;
    uint64_t wrong = 0;
    for (calendar c = {1, 1, 1}; c.year <= 9999; next_day(&c), days++) {
        if (c.day == 1) {
            spell(&as, c, text);
        }
        spell_number(text + as.day, 2, c.day); /* the rest is as it was yesterday */
        wrong += tally_dates_parse(&compiled, text) != days;
        tally_dates_format(&compiled, days, out);
        wrong += memcmp(out, text, compiled.width) != 0;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(days, TALLY_DATES_MAX_DAY + 1);
}

static void check_text(const layout *as, const tally_dates_compiled *compiled, const uint8_t *text)
{
    CHECK_EQUAL(tally_dates_parse(compiled, text) != INT32_MIN, is_date(as, text));
}

static void test_no_dates(const char *notation)
{
    const tally_dates_compiled compiled = compile(notation);
    const layout as = lay_out(notation);
    uint8_t text[TALLY_DATES_MAX_WIDTH];
    static const int years[] = {0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999};
    CHECK_ABOUT("months and days as %s", notation);
    for (size_t y = 0; y < sizeof years / sizeof *years; y++) {
        for (int month = 0; month < 100; month++) {
            for (int day = 0; day < 100; day++) {
                spell(&as, (calendar){years[y], month, day}, text);
                check_text(&as, &compiled, text);
            }
        }
    }
    CHECK_ABOUT("any byte in any place of %s", notation);
    for (size_t place = 0; place < compiled.width; place++) {
        for (int byte = 0; byte < 256; byte++) {
            spell(&as, (calendar){1996, 2, 29}, text);
            text[place] = (uint8_t)byte;
            check_text(&as, &compiled, text);
        }
    }
}

static void test_no_notations(void)
{
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
        tally_dates_compiled made;
        CHECK_ABOUT("notation %s", bad[i]);
        CHECK(!tally_dates_compile((const uint8_t *)bad[i], strlen(bad[i]), &made));
    }
}

int main(void)
{
    for (size_t i = 0; i < NOTATIONS; i++) {
        test_every_day(notations[i]);
        test_no_dates(notations[i]);
    }
    test_no_notations();
    return check_end("dates");
}
