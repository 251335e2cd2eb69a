/* SPDX-License-Identifier: Apache-2.0
 *
 * date_shift: all dates of an entity, which the row's tweak names, move by one secret number of
 * days, so that intervals stay. As text, in a date column or in a timestamp column. */
#include "base/allocator.h"
#include "base/bytes.h"
#include "formats/counted.h"
#include "formats/times.h"
#include "numbers/dates.h"
#include "tallystick/sha2.h"

enum {
    DATE_SHIFT_MOST = 36500 /* days */
};

typedef struct date_shift_format {
    tally_counted counted; /* rank 0 is the first token */
    tally_dates_compiled notation;
    int32_t first, last; /* values */
    int32_t days;
    int64_t per_day; /* ranks in a day */
    int is_iso;      /* a time may follow */
    char text[TALLY_DATES_MAX_WIDTH + 1];
    char example[TALLY_DATES_MAX_WIDTH + 1];
} date_shift_format;

static const tally_option date_shift_options[] = {
    {"days", TALLY_OPTION_INTEGER, 0, NULL, "365"},
    {"first", TALLY_OPTION_DATE, 0, NULL, "\"1900-01-01\""},
    {"last", TALLY_OPTION_DATE, 0, NULL, "\"2099-12-31\""},
    {"notation", TALLY_OPTION_TEXT, 0, NULL, "\"YYYY-MM-DD\""},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { DATE_SHIFT_DAYS, DATE_SHIFT_FROM, DATE_SHIFT_TO, DATE_SHIFT_NOTATION, DATE_SHIFT_TINY };

static inline uint8_t date_shift_read_row(const tally_counted *counted, const uint8_t *text,
                                          uint64_t size, uint64_t *rank)
{
    const date_shift_format *own = (const date_shift_format *)counted;
    const uint64_t width = own->notation.width;
    if (size < width ||
        (size > width && (!own->is_iso || !tally_times_is_clock(text + width, size - width)))) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (uint64_t)(int64_t)days - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

static inline void date_shift_overwrite_row(const tally_counted *counted, uint64_t rank,
                                            uint8_t *out)
{
    const date_shift_format *own = (const date_shift_format *)counted;
    tally_dates_format(&own->notation, (int32_t)(int64_t)(rank + counted->first), out);
}

static void date_shift_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, date_shift_read_row);
}

static void date_shift_overwrite(const tally_counted *counted, const tally_counted_rows *rows,
                                 const uint8_t *chosen, uint8_t *out)
{
    tally_counted_overwrite_rows(counted, rows, chosen, out, date_shift_overwrite_row);
}

/* The days to move by, of -days..days without 0, from a tag: its first 64 bits times 2 * days. */
static inline int64_t date_shift_of(const uint8_t tag[32], int32_t days)
{
    const uint64_t number = tally_load_be64(tag), count = 2 * (uint64_t)days;
    const uint64_t low = (number & UINT32_MAX) * count >> 32;
    const int64_t index = (int64_t)(((number >> 32) * count + low) >> 32);
    return index - days + (index >= days); /* a condition would be a branch at -O0 */
}

/* Whether a rank is one of a value from `first` to `last`. */
static inline int date_shift_is_value(const date_shift_format *own, uint64_t rank)
{
    const uint64_t margin = (uint64_t)(own->days * own->per_day);
    return rank - margin < own->counted.size - 2 * margin;
}

static void date_shift_check(const date_shift_format *own, const tally_counted_block *block)
{
    for (size_t i = 0; i < block->rows; i++) {
        if (block->status[i] == 0 && !date_shift_is_value(own, block->ranks[i])) {
            block->status[i] = TALLY_REASON_RANGE;
        }
    }
}

/* Moves a block. Tokens whose value would not be from `first` to `last` are invalid. */
static void date_shift_move(const date_shift_format *own, tally_direction direction,
                            const tally_counted_block *block, const uint8_t (*tags)[32])
{
    for (size_t i = 0; i < block->rows; i++) {
        if (block->chosen[i] != 0) {
            const uint64_t days = (uint64_t)(date_shift_of(tags[i], own->days) * own->per_day);
            if (direction == TALLY_ENCRYPT) {
                block->ranks[i] += days;
            } else if (date_shift_is_value(own, block->ranks[i] - days)) {
                block->ranks[i] -= days;
            } else {
                block->status[i] = TALLY_REASON_RANGE;
                block->chosen[i] = 0;
            }
        }
    }
}

static tally_status date_shift_permute(const tally_counted *counted, tally_run *run,
                                       const tally_counted_block *block)
{
    static const char purpose[] = "tallystick date shift 1";
    const date_shift_format *own = (const date_shift_format *)counted;
    const size_t rows = block->rows;
    tally_strings_reader reader;
    tally_hmac_sha256 context;
    uint8_t key[32];
    uint64_t common;
    if (run->direction == TALLY_ENCRYPT) {
        date_shift_check(own, block);
    }
    if (block->row_tweaks == NULL) { /* no entity is named */
        for (size_t i = 0; i < rows; i++) {
            block->status[i] = block->status[i] == 0 ? TALLY_REASON_TWEAK : block->status[i];
        }
    }
    const size_t count = tally_counted_choose(run, block);
    run->small += count; /* days of so few that anyone could try all */
    if (count == 0) {
        return TALLY_OK;
    }
    uint64_t *start = run->scratch(run, 1, (rows + 1) * sizeof *start);
    uint8_t(*tags)[32] = run->scratch(run, 2, rows * sizeof *tags);
    if (start == NULL || tags == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(block->row_tweaks, &reader) ||
        !tally_strings_read(&reader, rows, start, &common)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status = run->derive(run, purpose, key);
    if (status == TALLY_OK) {
        tally_hmac_sha256_init(&context, key, sizeof key);
        tally_hmac_sha256_update(&context, run->tweak, run->tweak_size);
        tally_hmac_sha256_rows(&context, block->row_tweaks->values, start, rows, tags);
        date_shift_move(own, run->direction, block, (const uint8_t(*)[32])tags);
        tally_hmac_sha256_wipe(&context);
    }
    tally_wipe(key, sizeof key);
    return status;
}

static tally_status date_shift_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem)
{
    const int64_t days = values[DATE_SHIFT_DAYS].integer;
    date_shift_format *own = tally_format_own(format, sizeof *own);
    char identity[48];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->needs_tweak = 1;
    format->allow_tiny_domain = (int)values[DATE_SHIFT_TINY].integer;
    if (days < 1 || days > DATE_SHIFT_MOST) {
        return tally_format_refuse(format, problem, "days", "days must be 1..36500");
    }
    own->days = (int32_t)days;
    own->per_day = 1;
    tally_status status =
        tally_times_option_range(format, &date_shift_options[DATE_SHIFT_FROM],
                                 &values[DATE_SHIFT_FROM], &own->first, &own->last, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (own->first - own->days < TALLY_DATES_MIN_DAY ||
        own->last + own->days > TALLY_DATES_MAX_DAY) {
        return tally_format_refuse(format, problem, NULL,
                                   "dates from first to last must stay within 0001-01-01 .. "
                                   "9999-12-31 when they move by days");
    }
    status = tally_times_option_notation(format, &values[DATE_SHIFT_NOTATION], own->text,
                                         &own->notation, problem);
    if (status != TALLY_OK) {
        return status;
    }
    own->is_iso = strcmp(own->text, "YYYY-MM-DD") == 0;
    own->counted.read = date_shift_read;
    own->counted.overwrite = date_shift_overwrite;
    own->counted.permute = date_shift_permute;
    own->counted.first = (uint64_t)((int64_t)own->first - days);
    own->counted.size = (uint64_t)(own->last - own->first + 1 + 2 * days);
    format->smallest = tally_domain_of_size(2 * (uint64_t)days);
    format->work = 300; /* a tag takes as long */
    status = tally_format_check_domain(format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"date_shift\",");
    tally_write_int(&writer, days);
    tally_write_char(&writer, ']');
    tally_dates_format(&own->notation, own->first + (own->last - own->first) / 2,
                       (uint8_t *)own->example);
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

/* A format for timestamps of so many units in a second; returns 0 if 64 bits can't hold them. */
static int date_shift_for_units(const date_shift_format *own, uint64_t per_second,
                                date_shift_format *out)
{
    const int64_t per_day = (int64_t)per_second * TALLY_TIMES_DAY, most = INT64_MAX / per_day;
    *out = *own;
    if (-most > own->first - own->days || own->last + own->days + 1 > most) {
        return 0;
    }
    out->per_day = per_day;
    out->counted.first = (uint64_t)((own->first - own->days) * per_day);
    out->counted.size = own->counted.size * (uint64_t)per_day;
    return 1;
}

static int date_shift_takes(const tally_format *format, const char *type,
                            const tally_arrow_type *read, tally_writer *why)
{
    date_shift_format units;
    char name[128];
    if (read->kind == TALLY_ARROW_TEXT || read->kind == TALLY_ARROW_DATE) {
        return 1;
    }
    if (read->kind == TALLY_ARROW_TIMESTAMP) {
        if (date_shift_for_units(format->own, read->per_second, &units)) {
            return 1;
        }
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold dates from first to last that move by days; narrow first "
                         "and last");
    }
    return 0;
}

static tally_status date_shift_fixed(const tally_format *format, tally_run *run,
                                     tally_fixed_column *column)
{
    const date_shift_format *own = format->own;
    date_shift_format units;
    if (column->type->kind != TALLY_ARROW_TIMESTAMP) {
        const uint64_t unit = column->type->width == 8 ? TALLY_TIMES_DAY * 1000 : 1;
        return tally_counted_fixed(&own->counted, unit, run, column);
    }
    return date_shift_for_units(own, column->type->per_second, &units)
               ? tally_counted_fixed(&units.counted, 1, run, column)
               : TALLY_ERROR_ARGUMENT;
}

static size_t date_shift_place_of_fault(const tally_format *format, tally_reason reason,
                                        const uint8_t *value, size_t size)
{
    const date_shift_format *own = format->own;
    (void)reason;
    return tally_times_place(&own->notation, own->text, value, size);
}

const tally_format_about tally_about_date_shift = {"Dates moved by days, the same for each tweak.",
                                                   NULL};

const tally_format_class tally_format_date_shift = {
    .name = "date_shift",
    .options = date_shift_options,
    .make = date_shift_make,
    .takes = date_shift_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = date_shift_fixed,
    .place_of_fault = date_shift_place_of_fault,
};
