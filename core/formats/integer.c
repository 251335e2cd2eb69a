/* SPDX-License-Identifier: Apache-2.0
 *
 * integer: the integers of a range, in an integer column or as text. */
#include "base/allocator.h"
#include "formats/number_text.h"

static const tally_option integer_options[] = {
    {"min", TALLY_OPTION_WHOLE, 1, NULL, NULL},
    {"max", TALLY_OPTION_WHOLE, 1, NULL, NULL},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL, "\"\""},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { INTEGER_MIN, INTEGER_MAX, INTEGER_GROUPING, INTEGER_TINY };

static tally_status integer_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    tally_number_format *own = tally_format_own(format, sizeof *own);
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = (int)values[INTEGER_TINY].integer;
    for (size_t i = INTEGER_MIN; i <= INTEGER_MAX; i++) {
        tally_counted_end *end = i == INTEGER_MIN ? &own->range.first : &own->range.last;
        (void)tally_counted_end_read(&values[i], 0, end);
    }
    tally_status status = tally_counted_range_init(format, &own->counted, &own->range);
    if (status != TALLY_OK) {
        return tally_format_refuse(format, problem, NULL,
                                   "min must be below max, both within -2**63 .. 2**64-1; the "
                                   "range has at most 2**64 integers");
    }
    status = tally_grouping_init(format, &values[INTEGER_GROUPING], NULL, &own->grouping, problem);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    tally_number_text_init(format, own, 0);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"integer\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write(&writer, "]");
    return tally_format_identify(format, writer.text, writer.size);
}

static int integer_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const tally_number_format *own = format->own;
    char name[96];
    if (read->kind == TALLY_ARROW_TEXT) {
        if (!own->counted.has_no_text) {
            return 1;
        }
        tally_write(why, "in text, an integer has at most 18 digits, but ");
        tally_counted_end_write(&own->range.first, why);
        tally_write(why, "..");
        tally_counted_end_write(&own->range.last, why);
        tally_write(why, " has more; narrow min and max, or convert the column");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        return tally_counted_takes_float(&own->range, why);
    } else if (read->kind == TALLY_ARROW_INTEGER) {
        const uint64_t half = UINT64_C(1) << (8 * read->width - 1);
        const uint64_t positive = read->is_signed ? half - 1 : half - 1 + half;
        const uint64_t negative = read->is_signed ? half : 0;
        if (tally_counted_range_within(&own->range, negative, positive)) {
            return 1;
        }
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the range ");
        tally_counted_end_write(&own->range.first, why);
        tally_write(why, "..");
        tally_counted_end_write(&own->range.last, why);
        tally_write(why, "; narrow min and max");
    } else {
        tally_format_refuse_type(format, type, read, why);
    }
    return 0;
}

static tally_status integer_fixed(const tally_format *format, tally_run *run,
                                  tally_fixed_column *column)
{
    return tally_counted_fixed(format->own, 1, run, column);
}

static size_t integer_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const tally_number_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, 0, value, size);
}

const tally_format_about tally_about_integer = {"Integers of a range.",
                                                "{\"min\":0,\"max\":999999999}"};

const tally_format_class tally_format_integer = {
    .name = "integer",
    .options = integer_options,
    .words = TALLY_WORDS_ANY,
    .make = integer_make,
    .takes = integer_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = integer_fixed,
    .place_of_fault = integer_place_of_fault,
};
