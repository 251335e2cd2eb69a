/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal: the decimal numbers of a range, with so many digits after the point, as text or in a
 * column of decimals. */
#include "base/allocator.h"
#include "formats/counted_range.h"
#include "numbers/digits.h"

enum { DECIMAL_MAX_SCALE = 18 };

typedef struct decimal_format {
    tally_counted counted;
    tally_counted_range range;
    tally_grouping grouping;
    uint64_t power; /* 10^scale */
    char example[2][TALLY_COUNTED_MOST];
} decimal_format;

static const tally_option decimal_options[] = {
    {"min", TALLY_OPTION_NUMBER, 1, NULL},
    {"max", TALLY_OPTION_NUMBER, 1, NULL},
    {"scale", TALLY_OPTION_INTEGER, 1, NULL},
    {"decimal_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { DECIMAL_MIN, DECIMAL_MAX, DECIMAL_SCALE, DECIMAL_POINT, DECIMAL_GROUPING, DECIMAL_TINY };

TALLY_INLINE uint8_t decimal_parse(const decimal_format *own, uint8_t point, const uint8_t *text,
                                   uint64_t size, uint64_t *rank)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = text[0] == '-';
    const uint64_t whole = size - minus - (scale != 0 ? scale + 1 : 0);
    uint64_t wrong = 0;
    if (whole - 1 >= TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION; /* also if there is less than the fraction */
    }
    if (text[minus] == '0' ? whole > 1 : whole + scale > TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION;
    }
    uint64_t number = tally_digits_read(text + minus, whole, &wrong);
    if (scale != 0) {
        const uint8_t *fraction = text + minus + whole;
        wrong |= fraction[0] ^ point;
        number = number * own->power + tally_digits_read(fraction + 1, scale, &wrong);
    }
    if (wrong != 0 || (minus != 0 && number == 0)) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (minus != 0 ? 0 - number : number) - own->counted.first;
    return *rank > own->counted.size - 1 ? TALLY_REASON_RANGE : 0;
}

TALLY_INLINE uint64_t decimal_print(const decimal_format *own, uint8_t point, uint64_t rank,
                                    uint8_t *out)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = rank < own->counted.negative;
    uint64_t number = rank + own->counted.first;
    number = minus != 0 ? 0 - number : number;
    out[0] = '-';
    if (scale == 0) {
        return minus + tally_digits_write(number, out + minus);
    }
    const uint64_t whole = number / own->power;
    const uint64_t size = minus + tally_digits_write(whole, out + minus);
    out[size] = point;
    tally_digits_write_all(number - whole * own->power, scale, out + size + 1);
    return size + 1 + scale;
}

static inline uint8_t decimal_read_row(const tally_counted *counted, const uint8_t *text,
                                       uint64_t size, uint64_t *rank)
{
    const decimal_format *own = (const decimal_format *)counted;
    return decimal_parse(own, own->grouping.point, text, size, rank);
}

static inline uint64_t decimal_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const decimal_format *own = (const decimal_format *)counted;
    return decimal_print(own, own->grouping.point, rank, out);
}

static void decimal_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, decimal_read_row);
}

static void decimal_write(const tally_counted *counted, const tally_counted_rows *rows,
                          const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, decimal_write_row);
}

/* Digits in groups: text is rewritten, so that both notations have one reader and one writer. */
static inline uint8_t decimal_read_grouped_row(const tally_counted *counted, const uint8_t *text,
                                               uint64_t size, uint64_t *rank)
{
    const decimal_format *own = (const decimal_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t plain_size =
        tally_grouping_remove(&own->grouping, text, size, counted->scale, plain);
    const uint8_t status = decimal_parse(own, '.', plain, plain_size, rank);
    tally_wipe(plain, sizeof plain);
    return status;
}

static inline uint64_t decimal_write_grouped_row(const tally_counted *counted, uint64_t rank,
                                                 uint8_t *out)
{
    const decimal_format *own = (const decimal_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t size = decimal_print(own, '.', rank, plain);
    const uint64_t written =
        tally_grouping_insert(&own->grouping, plain, size, counted->scale, out);
    tally_wipe(plain, sizeof plain);
    return written;
}

static void decimal_read_grouped(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, decimal_read_grouped_row);
}

static void decimal_write_grouped(const tally_counted *counted, const tally_counted_rows *rows,
                                  const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, decimal_write_grouped_row);
}

/* Reads both ends. */
static tally_status decimal_read_range(const tally_format *format, const tally_option_value *values,
                                       uint32_t scale, tally_counted_range *range,
                                       tally_problem *problem)
{
    tally_counted_end_kind kind[2];
    for (size_t i = DECIMAL_MIN; i <= DECIMAL_MAX; i++) {
        kind[i] = tally_counted_end_read(&values[i], scale,
                                         i == DECIMAL_MIN ? &range->first : &range->last);
        if (kind[i] == TALLY_COUNTED_END_NONE) {
            tally_writer out;
            tally_format_refusal(format, problem, NULL, &out);
            tally_write(&out, decimal_options[i].name);
            tally_write(&out, " must be a number in text, such as \"0.00\", or a whole number");
            return TALLY_ERROR_FORMAT;
        }
    }
    return kind[0] == TALLY_COUNTED_END_EXACT && kind[1] == TALLY_COUNTED_END_EXACT
               ? TALLY_OK
               : TALLY_ERROR_ARGUMENT;
}

static tally_status decimal_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    decimal_format *own = tally_format_own(format, sizeof *own);
    const int64_t scale = values[DECIMAL_SCALE].integer;
    const uint32_t digits = scale < 0 || scale > DECIMAL_MAX_SCALE ? 0 : (uint32_t)scale;
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = (int)values[DECIMAL_TINY].integer;
    tally_status status = decimal_read_range(format, values, digits, &own->range, problem);
    if (status == TALLY_ERROR_FORMAT) {
        return status;
    }
    if (digits != scale) {
        return tally_format_refuse(format, problem, NULL, "scale must be 0..18");
    }
    if (status != TALLY_OK) {
        tally_format_refusal(format, problem, NULL, &writer);
        tally_write(&writer, "min and max must be numbers with at most ");
        tally_write_uint(&writer, digits);
        tally_write(&writer, " digits after the point (scale)");
        return TALLY_ERROR_FORMAT;
    }
    if (tally_counted_range_init(format, &own->counted, &own->range) != TALLY_OK) {
        return tally_format_refuse(format, problem, NULL,
                                   "min must be below max, both times 10**scale within -2**63 .. "
                                   "2**64-1; the range has at most 2**64 numbers");
    }
    status = tally_format_check_domain(format, problem);
    if (status == TALLY_OK) {
        status = tally_grouping_init(format, &values[DECIMAL_GROUPING], &values[DECIMAL_POINT],
                                     &own->grouping, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    own->counted.scale = digits;
    own->power = tally_digits_power(digits);
    own->counted.has_no_text =
        !tally_counted_range_fits(&own->range, tally_digits_power(TALLY_DIGITS_MOST));
    own->counted.read = own->grouping.size != 0 ? decimal_read_grouped : decimal_read;
    own->counted.write = own->grouping.size != 0 ? decimal_write_grouped : decimal_write;
    /* 20 digits of 2^64, even if text has fewer. */
    own->counted.most = 3 + 20 + own->grouping.size * (TALLY_DIGITS_MOST / 3);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"decimal\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write_char(&writer, ',');
    tally_write_uint(&writer, digits);
    tally_write_char(&writer, ']');
    for (size_t i = 0; i < 2; i++) {
        tally_counted_end_example(i == 0 ? &own->range.first : &own->range.last, digits,
                                  &own->grouping, own->example[i]);
        format->example[i] = own->example[i];
    }
    return tally_format_identify(format, writer.text, writer.size);
}

static int decimal_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const decimal_format *own = format->own;
    const uint32_t scale = own->counted.scale;
    if (read->kind == TALLY_ARROW_TEXT) {
        if (!own->counted.has_no_text) {
            return 1;
        }
        tally_write(why, "in text, a decimal has at most 18 digits, but the range has more; narrow "
                         "min and max, or convert the column");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        return tally_counted_takes_float(&own->range, why);
    } else if (read->kind == TALLY_ARROW_DECIMAL) {
        if (read->scale == (int32_t)scale &&
            (read->precision > 19 || /* which 2^64 - 1 does not reach */
             tally_counted_range_fits(&own->range,
                                      tally_digits_power((uint32_t)read->precision)))) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the range of format 'decimal' at scale ");
        tally_write_uint(why, scale);
        tally_write(why, "; cast the column, or change scale, min and max");
    } else {
        tally_format_refuse_type(format, type, read, why);
    }
    return 0;
}

static tally_status decimal_fixed(const tally_format *format, tally_run *run,
                                  tally_fixed_column *column)
{
    return tally_counted_fixed(format->own, 1, run, column);
}

static size_t decimal_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const decimal_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, own->counted.scale, value, size);
}

const tally_format_class tally_format_decimal = {
    .name = "decimal",
    .options = decimal_options,
    .make = decimal_make,
    .takes = decimal_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = decimal_fixed,
    .place_of_fault = decimal_place_of_fault,
};
