/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates and times of options. */
#include "formats/times.h"

#include "numbers/dates.h"

static void times_compile(tally_dates_compiled *out)
{
    const tally_dates all = {(const uint8_t *)"YYYY-MM-DD", TALLY_TIMES_DATE, TALLY_DATES_MIN_DAY,
                             TALLY_DATES_MAX_DAY};
    (void)tally_dates_compile(&all, out);
}

int tally_times_read_date(const char *text, size_t size, int32_t *days)
{
    tally_dates_compiled iso;
    times_compile(&iso);
    if (size != TALLY_TIMES_DATE) {
        return 0;
    }
    *days = tally_dates_parse(&iso, (const uint8_t *)text);
    return *days != INT32_MIN;
}

void tally_times_write_date(int32_t days, char *out)
{
    tally_dates_compiled iso;
    times_compile(&iso);
    tally_dates_format(&iso, days, (uint8_t *)out);
}

/* The text that is left to read. */
typedef struct times_text {
    const char *text;
    size_t size;
} times_text;

static int times_is_next(times_text *left, char c)
{
    if (left->size == 0 || left->text[0] != c) {
        return 0;
    }
    left->text++;
    left->size--;
    return 1;
}

/* Reads two digits, 0..most. */
static int times_two(times_text *left, int64_t most, int64_t *out)
{
    if (left->size < 2 || left->text[0] < '0' || left->text[0] > '9' || left->text[1] < '0' ||
        left->text[1] > '9') {
        return 0;
    }
    *out = (left->text[0] - '0') * 10 + (left->text[1] - '0');
    left->text += 2;
    left->size -= 2;
    return *out <= most;
}

/* Reads ":MM:SS.ffffff", of which each part may be missing, as microseconds. */
static int times_read_clock(times_text *left, int64_t *out)
{
    int64_t hours, minutes = 0, seconds = 0, fraction = 0;
    if (!times_two(left, 23, &hours) || !times_is_next(left, ':') ||
        !times_two(left, 59, &minutes)) {
        return 0;
    }
    if (times_is_next(left, ':')) {
        if (!times_two(left, 59, &seconds)) {
            return 0;
        }
        if (times_is_next(left, '.')) {
            const size_t before = left->size;
            int64_t worth = 100000;
            for (; left->size > 0 && left->text[0] >= '0' && left->text[0] <= '9'; worth /= 10) {
                fraction += (left->text[0] - '0') * worth;
                left->text++;
                left->size--;
            }
            if (left->size == before) {
                return 0;
            }
        }
    }
    *out = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
    return 1;
}

/* Reads nothing, Z, or an offset from UTC in hours and minutes, as microseconds. */
static int times_read_offset(times_text *left, int64_t *out)
{
    *out = 0;
    if (left->size == 0 || ((left->text[0] == 'Z' || left->text[0] == 'z') && left->size == 1)) {
        return 1;
    }
    const int minus = left->text[0] == '-';
    int64_t hours, minutes = 0;
    if ((!minus && left->text[0] != '+') || !times_is_next(left, left->text[0]) ||
        !times_two(left, 23, &hours)) {
        return 0;
    }
    if (left->size > 0) {
        (void)times_is_next(left, ':');
        if (!times_two(left, 59, &minutes)) {
            return 0;
        }
    }
    *out = (hours * 60 + minutes) * 60000000 * (minus ? -1 : 1);
    return left->size == 0;
}

int tally_times_read(const char *text, size_t size, int64_t *microseconds)
{
    int32_t days;
    int64_t clock = 0, offset = 0;
    if (size < TALLY_TIMES_DATE || !tally_times_read_date(text, TALLY_TIMES_DATE, &days)) {
        return 0;
    }
    times_text left = {text + TALLY_TIMES_DATE, size - TALLY_TIMES_DATE};
    if (left.size != 0) {
        if (!times_is_next(&left, 'T') && !times_is_next(&left, ' ') &&
            !times_is_next(&left, 't')) {
            return 0;
        }
        if (!times_read_clock(&left, &clock) || !times_read_offset(&left, &offset)) {
            return 0;
        }
    }
    *microseconds = (int64_t)days * TALLY_TIMES_DAY * 1000000 + clock - offset;
    return *microseconds >= (int64_t)TALLY_DATES_MIN_DAY * TALLY_TIMES_DAY * 1000000 &&
           *microseconds < (int64_t)(TALLY_DATES_MAX_DAY + 1) * TALLY_TIMES_DAY * 1000000;
}

static tally_status times_refuse(const tally_option *option, const char *text, const char *found,
                                 tally_problem *problem)
{
    tally_writer out, place;
    tally_writer_problem(&out, problem);
    tally_writer_init(&place, problem->place, sizeof problem->place);
    tally_write(&place, option->name);
    tally_write(&out, text);
    tally_write(&out, found);
    return TALLY_ERROR_FORMAT;
}

tally_status tally_times_option_date(const tally_option *option, const tally_option_value *value,
                                     int32_t *days, tally_problem *problem)
{
    int64_t microseconds;
    if (!value->given || tally_times_read_date(value->text, value->size, days)) {
        return TALLY_OK;
    }
    return times_refuse(
        option, "must be a date, such as 2000-12-31, not ",
        tally_times_read(value->text, value->size, &microseconds) ? "a date with a time" : "text",
        problem);
}

tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem)
{
    int32_t days;
    const int is_date = value->given && tally_times_read_date(value->text, value->size, &days);
    if (!value->given || (!is_date && tally_times_read(value->text, value->size, microseconds))) {
        return TALLY_OK;
    }
    return times_refuse(option, "must be a date with a time, such as 2000-12-31T23:59:59, not ",
                        is_date ? "a date" : "text", problem);
}

tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem)
{
    const char *place = first->given && last->given ? NULL : first->given ? "first" : "last";
    return tally_format_refuse(format, problem, place, "first must be before last");
}
