/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal: the decimal numbers of a range, with so many digits after the point, as text or in a
 * column of decimals. */
#include "base/allocator.h"
#include "formats/number_text.h"
#include "numbers/digits.h"

enum { DECIMAL_MAX_SCALE = 18 };

static const tally_option decimal_options[] = {
    {"min", TALLY_OPTION_NUMBER, 1, NULL, NULL},
    {"max", TALLY_OPTION_NUMBER, 1, NULL, NULL},
    {"scale", TALLY_OPTION_INTEGER, 1, NULL, NULL},
    {"decimal_separator", TALLY_OPTION_TEXT, 0, NULL, "\".\""},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL, "\"\""},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { DECIMAL_MIN, DECIMAL_MAX, DECIMAL_SCALE, DECIMAL_POINT, DECIMAL_GROUPING, DECIMAL_TINY };

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
    /* A number that is too large is refused with the range. */
    return kind[0] == TALLY_COUNTED_END_FINE || kind[1] == TALLY_COUNTED_END_FINE
               ? TALLY_ERROR_ARGUMENT
               : TALLY_OK;
}

static tally_status decimal_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    tally_number_format *own = tally_format_own(format, sizeof *own);
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
    tally_number_text_init(format, own, digits);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"decimal\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write_char(&writer, ',');
    tally_write_uint(&writer, digits);
    tally_write_char(&writer, ']');
    return tally_format_identify(format, writer.text, writer.size);
}

static int decimal_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const tally_number_format *own = format->own;
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
    const tally_number_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, own->counted.scale, value, size);
}

const tally_format_about tally_about_decimal = {"Decimal numbers of a range.",
                                                "{\"min\":0,\"max\":999999,\"scale\":2}"};

const tally_format_class tally_format_decimal = {
    .name = "decimal",
    .options = decimal_options,
    .words = TALLY_WORDS_ANY,
    .make = decimal_make,
    .takes = decimal_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = decimal_fixed,
    .place_of_fault = decimal_place_of_fault,
};
