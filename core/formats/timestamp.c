/* SPDX-License-Identifier: Apache-2.0
 *
 * timestamp: the points in time of a range, at a resolution, as text or in a timestamp column. */
#include "base/allocator.h"
#include "formats/counted.h"
#include "formats/times.h"
#include "numbers/dates.h"
#include "numbers/digits.h"

enum { TIMESTAMP_SECONDS_WIDTH = 19 };

static const char timestamp_pattern[] = "0000-00-00T00:00:00.000000";

typedef struct timestamp_format {
    tally_counted counted;
    uint32_t width; /* of date and time */
    int64_t first;  /* in units since 1970-01-01T00:00:00 */
    int64_t last;
    uint32_t per_second, digits; /* units in a second; digits of its fraction */
    char example[2][32];
} timestamp_format;

static const char *const timestamp_resolutions[] = {"s", "ms", "us", NULL};

static const tally_option timestamp_options[] = {
    {"first", TALLY_OPTION_DATETIME, 0, NULL, "\"1970-01-01T00:00:00\""},
    {"last", TALLY_OPTION_DATETIME, 0, NULL, "\"2069-12-31T23:59:59\""},
    {"resolution", TALLY_OPTION_CHOICE, 0, timestamp_resolutions, "\"s\""},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { TIMESTAMP_FIRST, TIMESTAMP_LAST, TIMESTAMP_RESOLUTION, TIMESTAMP_TINY };

/* A character at a place of eight bytes; the first place is the lowest byte. */
#define TIMESTAMP_AT(place, character) ((uint64_t)(character) << 8 * (place))

enum { TIMESTAMP_LITERAL = 0x7f - 0x76 /* a literal leaves so much less for a sum than a digit */ };

/* Eight bytes as the values of their digits. Where they differ from a pattern of '0' and literals,
 * *wrong gets bits. */
static inline uint64_t timestamp_load(const uint8_t *text, uint64_t pattern, uint64_t literals,
                                      uint64_t ignored, uint64_t *wrong)
{
    const uint64_t bytes = (tally_load_le64(text) ^ pattern) & ~ignored;
    const uint64_t reach = TALLY_DIGITS_BYTES(0x76) + literals * TIMESTAMP_LITERAL;
    *wrong |= (((bytes & TALLY_DIGITS_BYTES(0x7f)) + reach) | bytes) & TALLY_DIGITS_BYTES(0x80);
    return bytes;
}

#define TIMESTAMP_DATE                                                                             \
    (TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(4, '-' ^ '0') ^ TIMESTAMP_AT(7, '-' ^ '0'))
#define TIMESTAMP_CLOCK                                                                            \
    (TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(2, ':' ^ '0') ^ TIMESTAMP_AT(5, ':' ^ '0'))

/* Two digits of eight, once neighbours are joined. */
static inline uint32_t timestamp_two(uint64_t pairs, uint32_t place)
{
    return (uint32_t)(pairs >> 8 * place & 0xff);
}

/* Reading and writing have the number of a fraction's digits as a constant. */
TALLY_INLINE uint8_t timestamp_read_digits(const tally_counted *counted, uint32_t digits,
                                           const uint8_t *text, uint64_t size, uint64_t *rank)
{
    const uint64_t width = TIMESTAMP_SECONDS_WIDTH + (digits != 0 ? digits + 1 : 0);
    const int64_t per_second = digits == 6 ? 1000000 : digits == 3 ? 1000 : 1;
    uint64_t wrong = 0;
    if (size < width || !tally_times_is_offset(text + width, size - width)) {
        return TALLY_REASON_NOTATION;
    }
    /* YYYY-MM-, DD with the next characters, HH:MM:SS. */
    uint64_t date =
        timestamp_load(text, TIMESTAMP_DATE, TIMESTAMP_AT(4, 1) | TIMESTAMP_AT(7, 1), 0, &wrong);
    uint64_t clock = timestamp_load(text + 11, TIMESTAMP_CLOCK,
                                    TIMESTAMP_AT(2, 1) | TIMESTAMP_AT(5, 1), 0, &wrong);
    const uint64_t day =
        timestamp_load(text + 8, TALLY_DIGITS_BYTES('0'), 0, UINT64_C(0xffffffffffff0000), &wrong);
    date = date * 10 + (date >> 8);
    clock = clock * 10 + (clock >> 8);
    const uint32_t hours = timestamp_two(clock, 0), minutes = timestamp_two(clock, 3),
                   seconds = timestamp_two(clock, 6);
    wrong |= (uint64_t)(hours > 23) | (uint64_t)(minutes > 59) | (uint64_t)(seconds > 59) |
             (uint64_t)((text[10] != 'T') & (text[10] != ' '));
    uint64_t fraction = 0;
    if (digits == 6) { /* behind the last digit of the seconds and the point */
        fraction = tally_digits_join(
            timestamp_load(text + 18, TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(1, '.' ^ '0'),
                           TIMESTAMP_AT(1, 1), 0xff, &wrong));
    } else if (digits == 3) {
        fraction = tally_digits_join(
            timestamp_load(text + 15, TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(4, '.' ^ '0'),
                           TIMESTAMP_AT(4, 1), UINT32_MAX, &wrong));
    }
    const int32_t days =
        tally_dates_days(timestamp_two(date, 0) * 100 + timestamp_two(date, 2),
                         timestamp_two(date, 5), (uint32_t)((day & 0xff) * 10 + (day >> 8)), wrong);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    const int64_t number = (int64_t)days * TALLY_TIMES_DAY + (hours * 60 + minutes) * 60 + seconds;
    /* One before the first is far behind the last, modulo 2^64. */
    *rank = (uint64_t)(number * per_second) + fraction - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

/* Overwrites date and time, and leaves the bytes between and behind them. */
TALLY_INLINE void timestamp_overwrite_digits(const tally_counted *counted, uint32_t digits,
                                             uint64_t rank, uint8_t *out)
{
    const uint64_t per_second = digits == 6 ? 1000000 : digits == 3 ? 1000 : 1;
    /* From the beginning of year 0, so that it is not negative. */
    const uint64_t era = (uint64_t)TALLY_DATES_SHIFT * TALLY_TIMES_DAY;
    uint64_t number = rank + counted->first + era * per_second, fraction = 0;
    if (digits == 6) {
        fraction = number % 1000000;
        number /= 1000000;
    } else if (digits == 3) {
        fraction = number % 1000;
        number /= 1000;
    }
    const uint32_t days = (uint32_t)(number / TALLY_TIMES_DAY);
    const uint32_t clock = (uint32_t)(number - (uint64_t)days * TALLY_TIMES_DAY);
    const uint32_t minutes = clock / 60, hours = minutes / 60;
    const tally_dates_civil date = tally_dates_civil_of((int32_t)(days - TALLY_DATES_SHIFT));
    /* Digits with zeros where the pattern's literals are. */
    tally_store_le64(tally_digits_split(date.year * 10000 + date.month * 10) ^ TIMESTAMP_DATE, out);
    tally_dates_write_two(date.day, out + 8);
    const uint64_t seconds = tally_digits_split(hours * 1000000 + (minutes - hours * 60) * 1000 +
                                                (clock - minutes * 60));
    tally_store_le64(seconds ^ TIMESTAMP_CLOCK, out + 11);
    if (digits == 6) {
        const uint64_t all = tally_digits_split((uint32_t)fraction) | seconds >> 56;
        tally_store_le64(all ^ TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(1, '.' ^ '0'), out + 18);
    } else if (digits == 3) {
        tally_store_le32((uint32_t)(tally_digits_split((uint32_t)fraction) >> 32) ^
                             UINT32_C(0x30303030) ^ ('.' ^ '0'),
                         out + 19);
    }
}

#define TIMESTAMP_DEFINE(digits)                                                                   \
    static inline uint8_t timestamp_read_row_##digits(                                             \
        const tally_counted *counted, const uint8_t *text, uint64_t size, uint64_t *rank)          \
    {                                                                                              \
        return timestamp_read_digits(counted, digits, text, size, rank);                           \
    }                                                                                              \
    static inline void timestamp_overwrite_row_##digits(const tally_counted *counted,              \
                                                        uint64_t rank, uint8_t *out)               \
    {                                                                                              \
        timestamp_overwrite_digits(counted, digits, rank, out);                                    \
    }                                                                                              \
    static void timestamp_read_##digits(const tally_counted *counted,                              \
                                        const tally_counted_rows *rows)                            \
    {                                                                                              \
        tally_counted_read_rows(counted, rows, timestamp_read_row_##digits);                       \
    }                                                                                              \
    static void timestamp_overwrite_##digits(const tally_counted *counted,                         \
                                             const tally_counted_rows *rows,                       \
                                             const uint8_t *chosen, uint8_t *out)                  \
    {                                                                                              \
        tally_counted_overwrite_rows(counted, rows, chosen, out,                                   \
                                     timestamp_overwrite_row_##digits);                            \
    }

TIMESTAMP_DEFINE(0)
TIMESTAMP_DEFINE(3)
TIMESTAMP_DEFINE(6)

/* Reads an end of the range, in units. */
static tally_status timestamp_read_end(const tally_format *format, const tally_option_value *values,
                                       size_t option, int64_t *out, tally_problem *problem)
{
    const timestamp_format *own = format->own;
    const int64_t unit = 1000000 / own->per_second;
    const char *name = timestamp_options[option].name;
    int64_t microseconds;
    tally_writer writer;
    const tally_status status =
        tally_times_option(&timestamp_options[option], &values[option], &microseconds, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (microseconds % unit != 0) {
        tally_format_refusal(format, problem, name, &writer);
        tally_write(&writer, name);
        tally_write(&writer, " is finer than the resolution '");
        tally_write(&writer, own->digits == 3 ? "ms" : "s");
        tally_write(&writer, "'; round it");
        return TALLY_ERROR_FORMAT;
    }
    *out = microseconds / unit;
    return TALLY_OK;
}

/* Writes a point in the middle of the range, rounded down to the resolution. */
static void timestamp_make_examples(tally_format *format, timestamp_format *own)
{
    /* Python rounds half a microsecond to an even one, and cuts the rest. */
    const uint64_t range = (uint64_t)(own->last - own->first) * (1000000 / own->per_second);
    const uint64_t half = range / 2 + (range % 4 == 3);
    const uint64_t rank = half / (1000000 / own->per_second);
    uint8_t *text = (uint8_t *)own->example[1];
    text[10] = 'T';
    timestamp_overwrite_digits(&own->counted, own->digits, rank, text);
    text[own->width] = 'Z';
    memcpy(own->example[0], text, own->width);
    own->example[0][10] = ' ';
    format->example[0] = own->example[0];
    format->example[1] = own->example[1];
}

static tally_status timestamp_make(tally_format *format, const tally_option_value *values,
                                   tally_problem *problem)
{
    timestamp_format *own = tally_format_own(format, sizeof *own);
    const size_t resolution = (size_t)values[TIMESTAMP_RESOLUTION].integer;
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->allow_tiny_domain = (int)values[TIMESTAMP_TINY].integer;
    own->digits = (uint32_t)resolution * 3;
    own->per_second = (uint32_t)tally_digits_power(own->digits);
    tally_status status = timestamp_read_end(format, values, TIMESTAMP_FIRST, &own->first, problem);
    if (status == TALLY_OK) {
        status = timestamp_read_end(format, values, TIMESTAMP_LAST, &own->last, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    if (own->first >= own->last) {
        return tally_times_refuse_range(format, &values[TIMESTAMP_FIRST], &values[TIMESTAMP_LAST],
                                        problem);
    }
    own->width = TIMESTAMP_SECONDS_WIDTH + (own->digits != 0 ? own->digits + 1 : 0);
    own->counted.read = own->digits == 6   ? timestamp_read_6
                        : own->digits == 3 ? timestamp_read_3
                                           : timestamp_read_0;
    own->counted.overwrite = own->digits == 6   ? timestamp_overwrite_6
                             : own->digits == 3 ? timestamp_overwrite_3
                                                : timestamp_overwrite_0;
    own->counted.first = (uint64_t)own->first;
    status = tally_counted_init(format, &own->counted, (uint64_t)(own->last - own->first) + 1);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"timestamp\",");
    tally_write_int(&writer, own->first);
    tally_write_char(&writer, ',');
    tally_write_int(&writer, own->last);
    tally_write(&writer, ",\"");
    tally_write(&writer, timestamp_resolutions[resolution]);
    tally_write(&writer, "\"]");
    timestamp_make_examples(format, own);
    return tally_format_identify(format, writer.text, writer.size);
}

static int timestamp_takes(const tally_format *format, const char *type,
                           const tally_arrow_type *read, tally_writer *why)
{
    const timestamp_format *own = format->own;
    char name[128];
    if (read->kind == TALLY_ARROW_TEXT) {
        return 1;
    }
    if (read->kind != TALLY_ARROW_TIMESTAMP) {
        return 0;
    }
    if (read->per_second >= own->per_second) {
        const int64_t most = INT64_MAX / (int64_t)(read->per_second / own->per_second);
        if (own->first >= -most && own->first <= most && own->last >= -most && own->last <= most) {
            return 1;
        }
    }
    (void)tally_arrow_type_name(type, name, sizeof name);
    tally_write(why, "type ");
    tally_write(why, name);
    tally_write(why, " can't hold the range at resolution '");
    tally_write(why, timestamp_resolutions[own->digits / 3]);
    tally_write(why, "'; change resolution, first or last");
    return 0;
}

static tally_status timestamp_fixed(const tally_format *format, tally_run *run,
                                    tally_fixed_column *column)
{
    const timestamp_format *own = format->own;
    return tally_counted_fixed(&own->counted, column->type->per_second / own->per_second, run,
                               column);
}

static int timestamp_may_stand(char place, uint8_t c)
{
    switch (place) {
    case '0':
        return c >= '0' && c <= '9';
    case 'T':
        return c == 'T' || c == ' ';
    case '+':
        return c == '+' || c == '-';
    default:
        return c == (uint8_t)place;
    }
}

static size_t timestamp_place_of_fault(const tally_format *format, tally_reason reason,
                                       const uint8_t *value, size_t size)
{
    static const char *const offsets[] = {"", "Z", "+00", "+0000", "+00:00"};
    const timestamp_format *own = format->own;
    const size_t width = own->width;
    size_t farthest = 0;
    (void)reason;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        const size_t all = width + strlen(offsets[k]), most = size < all ? size : all;
        size_t i = 0;
        for (; i < most; i++) {
            const char *place = i < width ? &timestamp_pattern[i] : &offsets[k][i - width];
            if (!timestamp_may_stand(*place, value[i])) {
                break;
            }
        }
        farthest = i > farthest ? i : farthest;
    }
    return farthest < size ? farthest : SIZE_MAX;
}

const tally_format_about tally_about_timestamp = {"Points in time of a range.", NULL};

const tally_format_class tally_format_timestamp = {
    .name = "timestamp",
    .options = timestamp_options,
    .words = TALLY_WORDS_ANY,
    .make = timestamp_make,
    .takes = timestamp_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = timestamp_fixed,
    .place_of_fault = timestamp_place_of_fault,
};
