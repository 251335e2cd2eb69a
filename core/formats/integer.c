/* SPDX-License-Identifier: Apache-2.0
 *
 * integer: the integers of a range, in an integer column or as text. */
#include "base/allocator.h"
#include "formats/counted_range.h"
#include "numbers/digits.h"

typedef struct integer_format {
    tally_counted counted;
    tally_counted_range range;
    tally_grouping grouping;
    char example[2][TALLY_COUNTED_MOST];
} integer_format;

static const tally_option integer_options[] = {
    {"min", TALLY_OPTION_WHOLE, 1, NULL},
    {"max", TALLY_OPTION_WHOLE, 1, NULL},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { INTEGER_MIN, INTEGER_MAX, INTEGER_GROUPING, INTEGER_TINY };

static inline uint8_t integer_read_row(const tally_counted *counted, const uint8_t *text,
                                       uint64_t size, uint64_t *rank)
{
    const uint64_t minus = text[0] == '-', digits = size - minus;
    uint64_t wrong = 0;
    if (digits - 1 >= TALLY_DIGITS_MOST || (text[minus] == '0' && size > 1)) {
        return TALLY_REASON_NOTATION;
    }
    const uint64_t number = tally_digits_read(text + minus, digits, &wrong);
    if (wrong != 0) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (minus != 0 ? 0 - number : number) - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

static inline uint64_t integer_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const uint64_t number = rank + counted->first, minus = rank < counted->negative;
    out[0] = '-';
    return minus + tally_digits_write(minus != 0 ? 0 - number : number, out + minus);
}

static void integer_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, integer_read_row);
}

static void integer_write(const tally_counted *counted, const tally_counted_rows *rows,
                          const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, integer_write_row);
}

/* Digits in groups: text is rewritten, so that both notations have one reader and one writer. */
static inline uint8_t integer_read_grouped_row(const tally_counted *counted, const uint8_t *text,
                                               uint64_t size, uint64_t *rank)
{
    const integer_format *own = (const integer_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t plain_size = tally_grouping_remove(&own->grouping, text, size, 0, plain);
    const uint8_t status = integer_read_row(counted, plain, plain_size, rank);
    tally_wipe(plain, sizeof plain);
    return status;
}

static inline uint64_t integer_write_grouped_row(const tally_counted *counted, uint64_t rank,
                                                 uint8_t *out)
{
    const integer_format *own = (const integer_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t size = integer_write_row(counted, rank, plain);
    const uint64_t written = tally_grouping_insert(&own->grouping, plain, size, 0, out);
    tally_wipe(plain, sizeof plain);
    return written;
}

static void integer_read_grouped(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, integer_read_grouped_row);
}

static void integer_write_grouped(const tally_counted *counted, const tally_counted_rows *rows,
                                  const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, integer_write_grouped_row);
}

static tally_status integer_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    integer_format *own = tally_format_own(format, sizeof *own);
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
    own->counted.has_no_text =
        !tally_counted_range_fits(&own->range, tally_digits_power(TALLY_DIGITS_MOST));
    own->counted.read = own->grouping.size != 0 ? integer_read_grouped : integer_read;
    own->counted.write = own->grouping.size != 0 ? integer_write_grouped : integer_write;
    /* 20 digits of 2^64, even if text has fewer. */
    own->counted.most = 1 + 20 + own->grouping.size * (TALLY_DIGITS_MOST / 3);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"integer\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write(&writer, "]");
    for (size_t i = 0; i < 2; i++) {
        tally_counted_end_example(i == 0 ? &own->range.first : &own->range.last, 0, &own->grouping,
                                  own->example[i]);
        format->example[i] = own->example[i];
    }
    return tally_format_identify(format, writer.text, writer.size);
}

static int integer_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const integer_format *own = format->own;
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
    const integer_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, 0, value, size);
}

const tally_format_class tally_format_integer = {
    .name = "integer",
    .options = integer_options,
    .make = integer_make,
    .takes = integer_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = integer_fixed,
    .place_of_fault = integer_place_of_fault,
};
