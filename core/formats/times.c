/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates and times of options. */
#include "formats/times.h"

static void times_compile(tally_dates_compiled *out)
{
    (void)tally_dates_compile((const uint8_t *)"YYYY-MM-DD", TALLY_TIMES_DATE, out);
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

static tally_status times_option_date(const tally_option *option, const tally_option_value *value,
                                      int32_t *days, tally_problem *problem)
{
    int64_t microseconds;
    if (tally_times_read_date(value->text, value->size, days)) {
        return TALLY_OK;
    }
    return times_refuse(option, "must be a date, such as 2000-12-31",
                        tally_times_read(value->text, value->size, &microseconds)
                            ? ", not a date with a time"
                            : "; this text is not a date that exists",
                        problem);
}

tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem)
{
    int32_t days;
    const int is_date = tally_times_read_date(value->text, value->size, &days);
    if (!is_date && tally_times_read(value->text, value->size, microseconds)) {
        return TALLY_OK;
    }
    return times_refuse(option, "must be a date with a time, such as 2000-12-31T23:59:59",
                        is_date ? ", not a date" : "; this text is not one that exists", problem);
}

tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem)
{
    const char *place = first->given && last->given ? NULL : first->given ? "first" : "last";
    return tally_format_refuse(format, problem, place, "first must be before last");
}

tally_status tally_times_option_range(const tally_format *format, const tally_option options[2],
                                      const tally_option_value values[2], int32_t *first,
                                      int32_t *last, tally_problem *problem)
{
    tally_status status = times_option_date(&options[0], &values[0], first, problem);
    if (status == TALLY_OK) {
        status = times_option_date(&options[1], &values[1], last, problem);
    }
    return status == TALLY_OK && *first >= *last
               ? tally_times_refuse_range(format, &values[0], &values[1], problem)
               : status;
}

static inline int times_is_below(uint8_t c, uint8_t first, uint8_t count)
{
    return (uint8_t)(c - first) < count;
}

int tally_times_is_offset(const uint8_t *text, uint64_t size)
{
    if (size == 0 || (size == 1 && text[0] == 'Z')) {
        return 1;
    }
    const uint64_t minutes = size == 6 && text[3] == ':' ? 4 : 3;
    if ((text[0] != '+' && text[0] != '-') || (size != 3 && size != minutes + 2) ||
        !(times_is_below(text[1], '0', 1) ? times_is_below(text[2], '0', 10)
                                          : text[1] == '1' && times_is_below(text[2], '0', 5))) {
        return 0;
    }
    return size == 3 ||
           (times_is_below(text[minutes], '0', 6) && times_is_below(text[minutes + 1], '0', 10));
}

/* The bytes of a clock, without its offset: 0 if it is none. */
static size_t times_clock_size(const uint8_t *text, uint64_t size)
{
    size_t digits = 0;
    if (size < 9 || (text[0] != 'T' && text[0] != ' ') || text[3] != ':' || text[6] != ':' ||
        !(times_is_below(text[1], '0', 2) ? times_is_below(text[2], '0', 10)
                                          : text[1] == '2' && times_is_below(text[2], '0', 4)) ||
        !times_is_below(text[4], '0', 6) || !times_is_below(text[5], '0', 10) ||
        !times_is_below(text[7], '0', 6) || !times_is_below(text[8], '0', 10)) {
        return 0;
    }
    if (size == 9 || text[9] != '.') {
        return 9;
    }
    while (digits < 9 && 10 + digits < size && times_is_below(text[10 + digits], '0', 10)) {
        digits++;
    }
    return digits != 0 ? 10 + digits : 0;
}

int tally_times_is_clock(const uint8_t *text, uint64_t size)
{
    const size_t clock = times_clock_size(text, size);
    return clock != 0 && tally_times_is_offset(text + clock, size - clock);
}

/* The first byte that a clock can't have there, or `size`. */
static size_t times_place_in_clock(const uint8_t *text, size_t size)
{
    static const char pattern[] = "T00:00:00";
    size_t i = 0;
    while (i < size && i < 9 &&
           (pattern[i] == '0' ? times_is_below(text[i], '0', 10)
                              : text[i] == (uint8_t)pattern[i] || (i == 0 && text[i] == ' '))) {
        i++;
    }
    if (i < 9 || i == size) {
        return i;
    }
    if (text[i] == '.') {
        i++;
        for (size_t digits = 0; digits < 9 && i < size && times_is_below(text[i], '0', 10);) {
            digits++;
            i++;
        }
    }
    static const char *const offsets[] = {"Z", "+0000", "+00:00"};
    size_t farthest = i;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        size_t at = i;
        for (const char *c = offsets[k]; *c != '\0' && at < size; c++, at++) {
            if (*c == '0' ? !times_is_below(text[at], '0', 10)
                          : text[at] != (uint8_t)*c && (*c != '+' || text[at] != '-')) {
                break;
            }
        }
        farthest = at > farthest ? at : farthest;
    }
    return farthest;
}

/* How often letters stand in a notation, taken from left to right. */
static size_t times_count(const char *text, size_t size, const char *letters)
{
    const size_t width = strlen(letters);
    size_t count = 0;
    for (size_t i = 0; i + width <= size; i++) {
        if (memcmp(text + i, letters, width) == 0) {
            count++;
            i += width - 1;
        }
    }
    return count;
}

/* The fault of a notation, or NULL. */
static const char *times_notation_fault(const char *text, size_t size)
{
    if (times_count(text, size, "YYYY") != 1 || times_count(text, size, "MM") != 1 ||
        times_count(text, size, "DD") != 1) {
        return "the notation must have YYYY, MM and DD once each, as in 'YYYY-MM-DD' or "
               "'DD.MM.YYYY'";
    }
    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return "the notation must be printable ASCII";
        }
    }
    return size > TALLY_DATES_MAX_WIDTH ? "the notation must have at most 64 characters" : NULL;
}

tally_status tally_times_option_notation(const tally_format *format,
                                         const tally_option_value *value,
                                         char text[TALLY_DATES_MAX_WIDTH + 1],
                                         tally_dates_compiled *out, tally_problem *problem)
{
    const char *given = value->given ? value->text : "YYYY-MM-DD";
    const size_t size = value->given ? value->size : TALLY_TIMES_DATE;
    const char *fault = times_notation_fault(given, size);
    if (fault != NULL) {
        return tally_format_refuse(format, problem, "notation", fault);
    }
    memcpy(text, given, size);
    text[size] = '\0';
    (void)tally_dates_compile((const uint8_t *)text, size, out);
    return TALLY_OK;
}

size_t tally_times_place_of_fault(const tally_dates_compiled *notation, const char *text,
                                  const uint8_t *value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int digit =
            i - notation->year < 4 || i - notation->month < 2 || i - notation->day < 2;
        if (i >= notation->width ||
            (digit ? value[i] < '0' || value[i] > '9' : value[i] != (uint8_t)text[i])) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t tally_times_place(const tally_dates_compiled *notation, const char *text,
                         const uint8_t *value, size_t size)
{
    const size_t place = tally_times_place_of_fault(notation, text, value, size);
    if (strcmp(text, "YYYY-MM-DD") != 0 || place != notation->width) {
        return place;
    }
    const size_t all = place + times_place_in_clock(value + place, size - place);
    return all < size ? all : SIZE_MAX;
}
