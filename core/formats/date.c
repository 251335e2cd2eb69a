/* SPDX-License-Identifier: Apache-2.0
 *
 * date: the calendar dates of a range, in a date column or as text in one notation. */
#include "base/allocator.h"
#include "formats/counted.h"
#include "formats/times.h"
#include "numbers/dates.h"

typedef struct date_format {
    tally_counted counted;
    tally_dates_compiled notation;
    int32_t first;
    char text[TALLY_DATES_MAX_WIDTH + 1]; /* the notation */
    char example[TALLY_DATES_MAX_WIDTH + 1];
} date_format;

static const tally_option date_options[] = {
    {"first", TALLY_OPTION_DATE, 0, NULL, "\"1900-01-01\""},
    {"last", TALLY_OPTION_DATE, 0, NULL, "\"2099-12-31\""},
    {"notation", TALLY_OPTION_TEXT, 0, NULL, "\"YYYY-MM-DD\""},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { DATE_FIRST, DATE_LAST, DATE_NOTATION, DATE_TINY };

enum { DATE_MILLISECONDS = 86400000 };

static inline uint8_t date_read_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    const date_format *own = (const date_format *)counted;
    if (size != own->notation.width) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    /* One before the first is far behind the last, modulo 2^32. */
    *rank = (uint32_t)days - (uint32_t)own->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

static inline void date_overwrite_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const date_format *own = (const date_format *)counted;
    tally_dates_format(&own->notation, own->first + (int32_t)rank, out);
}

static void date_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, date_read_row);
}

static void date_overwrite(const tally_counted *counted, const tally_counted_rows *rows,
                           const uint8_t *chosen, uint8_t *out)
{
    tally_counted_overwrite_rows(counted, rows, chosen, out, date_overwrite_row);
}

static tally_status date_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    date_format *own = tally_format_own(format, sizeof *own);
    int32_t first, last;
    char identity[64];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->allow_tiny_domain = (int)values[DATE_TINY].integer;
    tally_status status = tally_times_option_range(format, &date_options[DATE_FIRST],
                                                   &values[DATE_FIRST], &first, &last, problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_times_option_notation(format, &values[DATE_NOTATION], own->text, &own->notation,
                                         problem);
    if (status != TALLY_OK) {
        return status;
    }
    own->first = first;
    own->counted.read = date_read;
    own->counted.overwrite = date_overwrite;
    own->counted.first = (uint64_t)(int64_t)first;
    status = tally_counted_init(format, &own->counted, (uint64_t)(last - first) + 1);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    char ends[2][TALLY_TIMES_DATE];
    tally_times_write_date(first, ends[0]);
    tally_times_write_date(last, ends[1]);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"date\",\"");
    tally_write_bytes(&writer, ends[0], TALLY_TIMES_DATE);
    tally_write(&writer, "\",\"");
    tally_write_bytes(&writer, ends[1], TALLY_TIMES_DATE);
    tally_write(&writer, "\"]");
    /* Of two days in the middle the earlier one. */
    tally_dates_format(&own->notation, first + (last - first) / 2, (uint8_t *)own->example);
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

static int date_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                      tally_writer *why)
{
    (void)format;
    (void)type;
    (void)why; /* the usual words */
    return read->kind == TALLY_ARROW_TEXT || read->kind == TALLY_ARROW_DATE;
}

static tally_status date_fixed(const tally_format *format, tally_run *run,
                               tally_fixed_column *column)
{
    const uint64_t unit = column->type->width == 8 ? DATE_MILLISECONDS : 1;
    return tally_counted_fixed(format->own, unit, run, column);
}

static size_t date_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    const date_format *own = format->own;
    (void)reason;
    return tally_times_place_of_fault(&own->notation, own->text, value, size);
}

const tally_format_about tally_about_date = {"Calendar dates of a range.", NULL};

const tally_format_class tally_format_date = {
    .name = "date",
    .options = date_options,
    .words = TALLY_WORDS_ANY,
    .make = date_make,
    .takes = date_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = date_fixed,
    .place_of_fault = date_place_of_fault,
};
