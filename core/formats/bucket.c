/* SPDX-License-Identifier: Apache-2.0
 *
 * bucket: numbers, dates and ages become the range that they are in. One-way, without a key. */
#include "formats/bucket.h"
#include "base/allocator.h"
#include "formats/counted_range.h"
#include "formats/plain_number.h"
#include "numbers/digits.h"

enum { BUCKET_LABEL = 48 /* bytes: two numbers */ };

static const char *const bucket_units[] = {"month", "quarter", "year", NULL};
static const char *const bucket_labels[] = {"range", "low", NULL};

static const tally_option bucket_options[] = {
    {"width", TALLY_OPTION_NUMBER, 0, NULL, NULL},
    {"origin", TALLY_OPTION_NUMBER, 0, NULL, NULL},
    {"top", TALLY_OPTION_NUMBER, 0, NULL, NULL},
    {"edges", TALLY_OPTION_LIST, 0, NULL, NULL},
    {"unit", TALLY_OPTION_CHOICE, 0, bucket_units, NULL},
    {"notation", TALLY_OPTION_TEXT, 0, NULL, NULL},
    {"label", TALLY_OPTION_CHOICE, 0, bucket_labels, "\"range\""},
    TALLY_OPTIONS_END,
};

enum {
    BUCKET_WIDTH,
    BUCKET_ORIGIN,
    BUCKET_TOP,
    BUCKET_EDGE_LIST,
    BUCKET_UNIT,
    BUCKET_NOTATION,
    BUCKET_LABELS
};

static uint64_t bucket_write_number(const tally_bucket *own, int64_t number, uint8_t *out)
{
    uint64_t size = 0, rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) {
        out[size++] = '-';
    }
    const uint64_t power = tally_digits_power(own->scale), whole = rest / power;
    size += tally_digits_write(whole, out + size);
    if (own->scale != 0) {
        out[size++] = '.';
        tally_digits_write_all(rest - whole * power, own->scale, out + size);
        size += own->scale;
    }
    return size;
}

/* 35..39 of whole numbers, 2.5..<5.0 of others, <18, 90+. */
static uint64_t bucket_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const tally_bucket *own = (const tally_bucket *)counted;
    const int64_t bucket = (int64_t)rank;
    int64_t low, next;
    uint64_t size = 0;
    if (!tally_bucket_low(own, bucket, &low)) {
        out[0] = '<';
        return 1 + bucket_write_number(own, own->edge[0], out + 1);
    }
    size = bucket_write_number(own, low, out);
    if (own->is_low) {
        return size;
    }
    if (own->edges != 0 ? bucket + 1 == (int64_t)own->edges : own->has_top && low == own->top) {
        out[size] = '+';
        return size + 1;
    }
    next = own->edges != 0 ? own->edge[bucket + 1] : low + own->width;
    if (own->scale == 0 && next - 1 == low) {
        return size;
    }
    out[size++] = '.';
    out[size++] = '.';
    if (own->scale != 0) {
        out[size++] = '<';
    }
    return size + bucket_write_number(own, own->scale == 0 ? next - 1 : next, out + size);
}

static uint8_t bucket_read_row(const tally_counted *counted, const uint8_t *text, uint64_t size,
                               uint64_t *rank)
{
    const tally_bucket *own = (const tally_bucket *)counted;
    tally_plain_number number;
    uint64_t whole = 0;
    int rest = 0; /* whether digits are left out that are not 0 */
    if (!tally_plain_number_read(text, size, &number) ||
        number.whole_size + own->scale > TALLY_BUCKET_DIGITS) {
        return TALLY_REASON_NOTATION;
    }
    for (uint64_t i = 0; i < number.whole_size; i++) {
        whole = whole * 10 + (uint64_t)(number.whole[i] - '0');
    }
    for (uint64_t i = 0; i < own->scale; i++) {
        whole = whole * 10 + (i < number.fraction_size ? (uint64_t)(number.fraction[i] - '0') : 0);
    }
    for (uint64_t i = own->scale; i < number.fraction_size; i++) {
        rest |= number.fraction[i] != '0';
    }
    const int64_t scaled = number.negative ? -(int64_t)whole - rest : (int64_t)whole;
    int64_t low;
    *rank = (uint64_t)tally_bucket_of(own, scaled);
    return own->is_low && !tally_bucket_low(own, (int64_t)*rank, &low) ? TALLY_REASON_RANGE : 0;
}

static uint8_t bucket_read_date_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    const tally_bucket *own = (const tally_bucket *)counted;
    const uint64_t width = own->notation.width;
    if (size < width ||
        (size > width && (!own->is_iso || !tally_times_is_clock(text + width, size - width)))) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (uint64_t)(int64_t)tally_bucket_first_day(own, days);
    return 0;
}

/* 2024-05, 2024-Q2 or 2024; or the first day, in the notation. */
static uint64_t bucket_write_date_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const tally_bucket *own = (const tally_bucket *)counted;
    const int32_t days = (int32_t)(int64_t)rank;
    if (own->is_low) {
        tally_dates_format(&own->notation, days, out);
        return own->notation.width;
    }
    const tally_dates_civil date = tally_dates_civil_of(days);
    tally_digits_write_all(date.year, 4, out);
    if (own->unit == TALLY_BUCKET_YEAR) {
        return 4;
    }
    out[4] = '-';
    if (own->unit == TALLY_BUCKET_QUARTER) {
        out[5] = 'Q';
        out[6] = (uint8_t)('1' + (date.month - 1) / 3);
    } else {
        tally_dates_write_two(date.month, out + 5);
    }
    return 7;
}

static void bucket_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, bucket_read_row);
}

static void bucket_write(const tally_counted *counted, const tally_counted_rows *rows,
                         const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, bucket_write_row);
}

static void bucket_read_dates(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, bucket_read_date_row);
}

static void bucket_write_dates(const tally_counted *counted, const tally_counted_rows *rows,
                               const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, bucket_write_date_row);
}

/* There is no key, so nothing is permuted. */
static tally_status bucket_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block)
{
    tally_counted_block rows = *block;
    rows.row_tweaks = NULL;
    (void)counted;
    (void)tally_counted_choose(run, &rows);
    return TALLY_OK;
}

/* Reads a number at a scale. */
static int bucket_read_option(const tally_option_value *value, uint32_t scale, int64_t *out)
{
    tally_counted_end end;
    if (tally_counted_end_read(value, scale, &end) != TALLY_COUNTED_END_EXACT || end.beyond ||
        end.magnitude >= (uint64_t)TALLY_BUCKET_BOUND) {
        return 0;
    }
    *out = end.negative ? -(int64_t)end.magnitude : (int64_t)end.magnitude;
    return 1;
}

/* Raises a scale until a number can be written with it; returns 0 if none is enough. */
static int bucket_raise_scale(const tally_option_value *value, uint32_t *scale)
{
    int64_t number;
    while (!bucket_read_option(value, *scale, &number)) {
        if (++*scale > TALLY_BUCKET_SCALE) {
            return 0;
        }
    }
    return 1;
}

static tally_status bucket_refuse_number(const tally_format *format, const char *option,
                                         tally_problem *problem)
{
    tally_writer out;
    tally_format_refusal(format, problem, option, &out);
    tally_write(&out, option);
    tally_write(&out,
                " must be a number of at most 9 digits after the point and 18 in all, in text "
                "such as \"2.5\", or a whole number");
    return TALLY_ERROR_FORMAT;
}

/* An item of an array as an option's value. */
static tally_option_value bucket_item(const tally_json *item)
{
    tally_option_value value = {.given = 1};
    if (item->kind == TALLY_JSON_INTEGER) {
        value.integer = item->integer;
    } else if (item->kind == TALLY_JSON_TEXT || item->kind == TALLY_JSON_BIG) {
        value.text = item->text;
        value.size = item->size;
    } else {
        value.text = ""; /* which is no number */
    }
    return value;
}

static tally_status bucket_make_edges(const tally_format *format, tally_bucket *own,
                                      const tally_json *list, tally_problem *problem)
{
    if (list->count < 1 || list->count > TALLY_BUCKET_EDGES) {
        return tally_format_refuse(format, problem, "edges", "edges must be 1 to 64 numbers");
    }
    for (const tally_json *item = list->first; item != NULL; item = item->next) {
        const tally_option_value value = bucket_item(item);
        if (!bucket_raise_scale(&value, &own->scale)) {
            return bucket_refuse_number(format, "edges", problem);
        }
    }
    for (const tally_json *item = list->first; item != NULL; item = item->next) {
        const tally_option_value value = bucket_item(item);
        if (!bucket_read_option(&value, own->scale, &own->edge[own->edges])) {
            return bucket_refuse_number(format, "edges", problem);
        }
        if (own->edges > 0 && own->edge[own->edges] <= own->edge[own->edges - 1]) {
            return tally_format_refuse(format, problem, "edges", "edges must ascend");
        }
        own->edges++;
    }
    return TALLY_OK;
}

static tally_status bucket_make_width(const tally_format *format, tally_bucket *own,
                                      const tally_option_value *values, tally_problem *problem)
{
    int64_t *const out[] = {&own->width, &own->origin, &own->top};
    for (size_t i = BUCKET_WIDTH; i <= BUCKET_TOP; i++) {
        if (values[i].given && !bucket_raise_scale(&values[i], &own->scale)) {
            return bucket_refuse_number(format, bucket_options[i].name, problem);
        }
    }
    for (size_t i = BUCKET_WIDTH; i <= BUCKET_TOP; i++) {
        if (values[i].given && !bucket_read_option(&values[i], own->scale, out[i])) {
            return bucket_refuse_number(format, bucket_options[i].name, problem);
        }
    }
    own->has_top = values[BUCKET_TOP].given;
    if (own->width <= 0) {
        return tally_format_refuse(format, problem, "width", "width must be above 0");
    }
    if (own->has_top && (own->top - own->origin) % own->width != 0) {
        return tally_format_refuse(format, problem, "top",
                                   "top must be the low end of a range: origin and a multiple of "
                                   "width");
    }
    return TALLY_OK;
}

static tally_status bucket_make_ranges(const tally_format *format, tally_bucket *own,
                                       const tally_option_value *values, tally_problem *problem)
{
    const int width = values[BUCKET_WIDTH].given, edges = values[BUCKET_EDGE_LIST].given,
              unit = values[BUCKET_UNIT].given;
    if (width + edges + unit != 1) {
        return tally_format_refuse(format, problem, NULL,
                                   "give one of width (numbers, ages), edges (numbers) and unit "
                                   "(dates)");
    }
    for (size_t i = BUCKET_ORIGIN; i <= BUCKET_TOP && !width; i++) {
        if (values[i].given) {
            return tally_format_refuse(format, problem, bucket_options[i].name,
                                       i == BUCKET_ORIGIN ? "origin needs width"
                                                          : "top needs width");
        }
    }
    if (!unit && values[BUCKET_NOTATION].given) {
        return tally_format_refuse(format, problem, "notation", "notation needs unit");
    }
    own->unit = unit ? (tally_bucket_unit)values[BUCKET_UNIT].integer : TALLY_BUCKET_NUMBER;
    if (unit) {
        return tally_times_option_notation(format, &values[BUCKET_NOTATION], own->text,
                                           &own->notation, problem);
    }
    return width ? bucket_make_width(format, own, values, problem)
                 : bucket_make_edges(format, own, values[BUCKET_EDGE_LIST].list, problem);
}

static void bucket_write_quoted(const tally_bucket *own, int64_t number, tally_writer *writer)
{
    uint8_t text[BUCKET_LABEL];
    const uint64_t size = bucket_write_number(own, number, text);
    tally_write_json(writer, (const char *)text, (size_t)size);
}

static void bucket_write_identity(const tally_bucket *own, tally_writer *writer)
{
    tally_write(writer, "[\"bucket\",");
    if (own->unit != TALLY_BUCKET_NUMBER) {
        tally_write(writer, "\"unit\",\"");
        tally_write(writer, bucket_units[own->unit]);
        tally_write(writer, "\",");
    } else if (own->edges != 0) {
        tally_write(writer, "\"edges\",[");
        for (uint32_t i = 0; i < own->edges; i++) {
            tally_write(writer, i == 0 ? "" : ",");
            bucket_write_quoted(own, own->edge[i], writer);
        }
        tally_write(writer, "],");
    } else {
        tally_write(writer, "\"width\",");
        bucket_write_quoted(own, own->width, writer);
        tally_write_char(writer, ',');
        bucket_write_quoted(own, own->origin, writer);
        tally_write_char(writer, ',');
        if (own->has_top) {
            bucket_write_quoted(own, own->top, writer);
        } else {
            tally_write(writer, "\"\"");
        }
        tally_write_char(writer, ',');
    }
    tally_write(writer, own->is_low ? "\"low\"]" : "\"range\"]");
}

static tally_status bucket_make(tally_format *format, const tally_option_value *values,
                                tally_problem *problem)
{
    tally_bucket *own = tally_format_own(format, sizeof *own);
    char identity[64 + TALLY_BUCKET_EDGES * 24];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->one_way = 1;
    format->keyed = 0;
    const tally_status status = bucket_make_ranges(format, own, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const int is_date = own->unit != TALLY_BUCKET_NUMBER;
    own->is_low = values[BUCKET_LABELS].integer == 1;
    own->is_iso = strcmp(own->text, "YYYY-MM-DD") == 0;
    own->counted.permute = bucket_permute;
    own->counted.read = is_date ? bucket_read_dates : bucket_read;
    own->counted.write = is_date ? bucket_write_dates : bucket_write;
    own->counted.most = is_date ? TALLY_DATES_MAX_WIDTH : BUCKET_LABEL;
    tally_writer_init(&writer, identity, sizeof identity);
    bucket_write_identity(own, &writer);
    if (is_date) {
        tally_dates_format(&own->notation, 19858, (uint8_t *)own->example); /* 2024-05-15 */
    } else {
        const int64_t value = own->edges != 0 ? own->edge[0] : own->origin;
        own->example[bucket_write_number(own, value, (uint8_t *)own->example)] = '\0';
    }
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t bucket_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size)
{
    const tally_bucket *own = format->own;
    (void)reason;
    return own->unit == TALLY_BUCKET_NUMBER
               ? tally_plain_number_place(value, size)
               : tally_times_place(&own->notation, own->text, value, size);
}

const tally_format_about tally_about_bucket = {
    "Ranges of numbers and dates: ages; one-way, without a key.", "{\"width\":10}"};

const tally_format_class tally_format_bucket = {
    .name = "bucket",
    .options = bucket_options,
    .make = bucket_make,
    .takes = tally_bucket_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = tally_bucket_fixed,
    .place_of_fault = bucket_place_of_fault,
};
