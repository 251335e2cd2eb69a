/* SPDX-License-Identifier: Apache-2.0
 *
 * truncate: the first characters of text, such as postal codes, or the first decimals of numbers,
 * such as coordinates. One-way, without a key. */
#include "base/allocator.h"
#include "formats/counted.h"
#include "formats/plain_number.h"
#include "numbers/digits.h"
#include "unicode/unicode.h"

enum {
    TRUNCATE_CHARACTERS_MOST = 64,
    TRUNCATE_DECIMALS_MOST = 15,
    TRUNCATE_DIGITS_MOST = 77, /* of 256 bits: to cut off so many leaves nothing */
    TRUNCATE_ROWS = TALLY_BLOCK_ROWS
};

typedef struct truncate_format {
    int is_number;
    uint32_t characters, decimals;
    uint8_t replacement[TALLY_UTF8_MAX_BYTES];
    uint32_t replacement_size; /* 0: the rest is dropped */
} truncate_format;

static const tally_option truncate_options[] = {
    {"characters", TALLY_OPTION_INTEGER, 0, NULL, NULL},
    {"decimals", TALLY_OPTION_INTEGER, 0, NULL, NULL},
    {"replacement", TALLY_OPTION_TEXT, 0, NULL, "\"\""},
    TALLY_OPTIONS_END,
};

enum { TRUNCATE_CHARACTERS, TRUNCATE_DECIMALS, TRUNCATE_REPLACEMENT };

/* Writes the first characters and, instead of each other one, the replacement; spaces and hyphens
 * stay. Returns SIZE_MAX if the text is not UTF-8. */
static size_t truncate_characters(const truncate_format *own, const uint8_t *text, uint64_t size,
                                  uint8_t *out)
{
    const uint8_t *at = text, *end = text + size;
    uint8_t *to = out;
    for (uint32_t count = 0; at < end; count++) {
        uint32_t point = at[0];
        const uint32_t bytes = point < 0x80 ? 1 : tally_utf8_decode(at, end, &point);
        if (bytes == 0) {
            return SIZE_MAX;
        }
        if (count < own->characters ||
            (own->replacement_size != 0 && (point == ' ' || point == '-'))) {
            memcpy(to, at, bytes);
            to += bytes;
        } else {
            memcpy(to, own->replacement, own->replacement_size);
            to += own->replacement_size;
        }
        at += bytes;
    }
    return (size_t)(to - out);
}

/* Writes a number with exactly so many decimals; the others are cut off. SIZE_MAX: it is none. */
static size_t truncate_decimals(const truncate_format *own, const uint8_t *text, uint64_t size,
                                uint8_t *out)
{
    tally_plain_number number;
    if (!tally_plain_number_read(text, size, &number)) {
        return SIZE_MAX;
    }
    const uint64_t kept =
        number.fraction_size < own->decimals ? number.fraction_size : own->decimals;
    uint8_t *to = out, other = number.whole_size == 1 ? number.whole[0] ^ '0' : 1;
    for (uint64_t i = 0; i < kept; i++) {
        other |= number.fraction[i] ^ '0';
    }
    if (number.negative && other != 0) { /* zero has no minus */
        *to++ = '-';
    }
    memcpy(to, number.whole, (size_t)number.whole_size);
    to += number.whole_size;
    if (own->decimals != 0) {
        *to++ = '.';
        memcpy(to, number.fraction, (size_t)kept);
        memset(to + kept, '0', (size_t)(own->decimals - kept));
        to += own->decimals;
    }
    return (size_t)(to - out);
}

static tally_status truncate_text(const tally_format *format, tally_run *run,
                                  tally_text_column *column)
{
    const truncate_format *own = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    uint64_t common, *start = run->scratch(run, 0, (TRUNCATE_ROWS + 1) * sizeof *start);
    if (start == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < in->rows; first += TRUNCATE_ROWS) {
        const size_t rows =
            in->rows - first < TRUNCATE_ROWS ? (size_t)(in->rows - first) : TRUNCATE_ROWS;
        if (!tally_strings_read(&reader, rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const uint64_t bytes = start[rows] - start[0];
        const uint64_t most = own->is_number ? bytes + rows * (own->decimals + 1)
                                             : bytes * (1 + own->replacement_size);
        const tally_status status = tally_text_out_reserve(column->out, most);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < rows; i++) {
            const uint8_t *text = in->values + start[i];
            const uint64_t size = start[i + 1] - start[i];
            uint8_t *out = column->out->values + column->out->size;
            size_t written = 0;
            column->status[first + i] = 0;
            if (!tally_row_is_null(in, first + i)) {
                written = own->is_number ? truncate_decimals(own, text, size, out)
                                         : truncate_characters(own, text, size, out);
                if (written == SIZE_MAX) {
                    column->status[first + i] =
                        own->is_number ? TALLY_REASON_NOTATION : TALLY_REASON_FOREIGN;
                    written = (size_t)size;
                    if (size != 0) {
                        memcpy(out, text, written);
                    }
                }
            }
            tally_text_out_end(column->out, written);
        }
    }
    return TALLY_OK;
}

/* Cuts a number towards zero, to the double that is nearest to the decimal. Returns a reason. */
static uint8_t truncate_float(double value, double power, double *out)
{
    const double size = value < 0 ? -value : value, most = 1e15;
    if (!(size >= 0)) {
        return TALLY_REASON_NOTATION; /* no number */
    }
    if (!(size * power < most)) {
        return TALLY_REASON_RANGE;
    }
    int64_t number = (int64_t)(size * power + 0.5);
    if ((double)number / power > size) {
        number--;
    }
    const double cut = (double)number / power;
    *out = value < 0 && number != 0 ? -cut : cut;
    return 0;
}

/* Cuts a decimal of several words, the lowest first, to a multiple of `unit`, towards zero. */
static void truncate_words(uint32_t *limbs, size_t count, uint32_t digits)
{
    const int negative = limbs[count - 1] >> 31 != 0;
    uint64_t carry = 1;
    for (size_t i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    for (uint32_t k = 0; k < digits; k++) {
        uint64_t rest = 0;
        for (size_t i = count; i-- > 0;) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
    }
    for (uint32_t k = 0; k < digits; k++) {
        uint64_t more = 0;
        for (size_t i = 0; i < count; i++) {
            more += (uint64_t)limbs[i] * 10;
            limbs[i] = (uint32_t)more;
            more >>= 32;
        }
    }
    carry = 1;
    for (size_t i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TRUNCATE_LIMB(limbs, i) ((limbs)-1 - (i))
#else
#define TRUNCATE_LIMB(limbs, i) (i)
#endif

static tally_status truncate_fixed(const tally_format *format, tally_run *run,
                                   tally_fixed_column *column)
{
    const truncate_format *own = format->own;
    const uint32_t width = column->type->width;
    const int is_float = column->type->kind == TALLY_ARROW_FLOAT;
    const double power = (double)tally_digits_power(own->decimals);
    const uint32_t beyond = is_float ? 0 : (uint32_t)(column->type->scale - (int32_t)own->decimals);
    const uint32_t digits = beyond < TRUNCATE_DIGITS_MOST ? beyond : TRUNCATE_DIGITS_MOST;
    (void)run;
    for (uint64_t i = 0; i < column->rows; i++) {
        const uint8_t *value = (const uint8_t *)column->values + i * width;
        uint8_t *out = (uint8_t *)column->out + i * width;
        const uint64_t bit = column->validity_start + i;
        column->status[i] = 0;
        if (column->validity != NULL && (column->validity[bit / 8] >> bit % 8 & 1) == 0) {
            memset(out, 0, width);
        } else if (is_float) {
            double number, cut;
            memcpy(&number, value, sizeof number);
            column->status[i] = truncate_float(number, power, &cut);
            memmove(out, column->status[i] == 0 ? (const uint8_t *)&cut : value, width);
        } else {
            uint32_t held[8] = {0}, limbs[8] = {0};
            const size_t count = width < sizeof held ? width / 4 : 8;
            memcpy(held, value, count * 4);
            for (size_t k = 0; k < count; k++) {
                limbs[k] = held[TRUNCATE_LIMB(count, k)];
            }
            truncate_words(limbs, count, digits);
            for (size_t k = 0; k < count; k++) {
                held[TRUNCATE_LIMB(count, k)] = limbs[k];
            }
            memcpy(out, held, count * 4);
        }
    }
    return TALLY_OK;
}

static int truncate_takes(const tally_format *format, const char *type,
                          const tally_arrow_type *read, tally_writer *why)
{
    const truncate_format *own = format->own;
    if (read->kind == TALLY_ARROW_TEXT ||
        (own->is_number && read->kind == TALLY_ARROW_FLOAT && read->width == 8)) {
        return 1;
    }
    if (own->is_number && read->kind == TALLY_ARROW_DECIMAL) {
        if (read->scale >= (int32_t)own->decimals) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " has fewer digits after the point than decimals says");
    }
    return 0;
}

static tally_status truncate_make(tally_format *format, const tally_option_value *values,
                                  tally_problem *problem)
{
    const tally_option_value *characters = &values[TRUNCATE_CHARACTERS],
                             *decimals = &values[TRUNCATE_DECIMALS],
                             *replacement = &values[TRUNCATE_REPLACEMENT];
    truncate_format *own = tally_format_own(format, sizeof *own);
    char identity[64];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->one_way = 1;
    format->keyed = 0;
    if (characters->given == decimals->given) {
        return tally_format_refuse(format, problem, NULL,
                                   "give characters for text such as postal codes, or decimals for "
                                   "numbers such as coordinates");
    }
    if (characters->given &&
        (characters->integer < 1 || characters->integer > TRUNCATE_CHARACTERS_MOST)) {
        return tally_format_refuse(format, problem, "characters", "characters must be 1..64");
    }
    if (decimals->given && (decimals->integer < 0 || decimals->integer > TRUNCATE_DECIMALS_MOST)) {
        return tally_format_refuse(format, problem, "decimals", "decimals must be 0..15");
    }
    if (replacement->size != 0) {
        const uint8_t *text = (const uint8_t *)replacement->text;
        uint32_t point;
        if (decimals->given) {
            return tally_format_refuse(format, problem, "replacement",
                                       "replacement needs characters");
        }
        if (tally_utf8_decode(text, text + replacement->size, &point) != replacement->size) {
            return tally_format_refuse(format, problem, "replacement",
                                       "replacement must be one character, or none");
        }
        memcpy(own->replacement, text, replacement->size);
        own->replacement_size = (uint32_t)replacement->size;
    }
    own->is_number = decimals->given;
    own->characters = (uint32_t)characters->integer;
    own->decimals = (uint32_t)decimals->integer;
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer,
                own->is_number ? "[\"truncate\",\"decimals\"," : "[\"truncate\",\"characters\",");
    tally_write_uint(&writer, own->is_number ? own->decimals : own->characters);
    if (!own->is_number) {
        tally_write_char(&writer, ',');
        tally_write_json(&writer, (const char *)own->replacement, own->replacement_size);
    }
    tally_write_char(&writer, ']');
    format->example[0] = own->is_number ? "52.520008" : "SW1A 1AA";
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t truncate_place_of_fault(const tally_format *format, tally_reason reason,
                                      const uint8_t *value, size_t size)
{
    const truncate_format *own = format->own;
    (void)reason;
    return own->is_number ? tally_plain_number_place(value, size) : SIZE_MAX;
}

const tally_format_about tally_about_truncate = {
    "Text and decimals cut short: postal codes; one-way, without a key.", "{\"characters\":3}"};

const tally_format_class tally_format_truncate = {
    .name = "truncate",
    .options = truncate_options,
    .make = truncate_make,
    .takes = truncate_takes,
    .text = truncate_text,
    .fixed = truncate_fixed,
    .place_of_fault = truncate_place_of_fault,
};
