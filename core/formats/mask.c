/* SPDX-License-Identifier: Apache-2.0
 *
 * mask: text of which only some characters at the ends are left to see; no key is needed. A value
 * that would show more characters than it hides is hidden whole. */
#include <string.h>

#include "base/allocator.h"
#include "formats/format.h"

enum { MASK_MOST = 1024, MASK_PRINTABLE = 0x7F - ' ' };

/* The class of a byte. */
enum { MASK_COUNTED = 1 /* begins a character that is no separator */, MASK_SEPARATOR = 2 };

typedef struct mask_format {
    uint32_t keep_first, keep_last;
    uint32_t width; /* 0: as many characters as are hidden */
    uint8_t character;
    uint8_t kind[256];
} mask_format;

static const tally_option mask_options[] = {
    {"keep_first", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"keep_last", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"character", TALLY_OPTION_TEXT, 0, NULL, "\"*\""},
    {"separators", TALLY_OPTION_TEXT, 0, NULL, "\" -\""},
    {"width", TALLY_OPTION_INTEGER, 0, NULL, NULL},
    TALLY_OPTIONS_END,
};

enum { MASK_KEEP_FIRST, MASK_KEEP_LAST, MASK_CHARACTER, MASK_SEPARATORS, MASK_WIDTH };

/* The characters of a value that are shown: those before `first` and from `last` on. */
typedef struct mask_shown {
    size_t first, last;
} mask_shown;

static mask_shown mask_find_shown(const mask_format *own, const uint8_t *value, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += own->kind[value[i]] & MASK_COUNTED;
    }
    if (count < 2 * (size_t)(own->keep_first + own->keep_last)) {
        return (mask_shown){0, count};
    }
    return (mask_shown){own->keep_first, count - own->keep_last};
}

/* Writes one character for each that is hidden. Bytes that belong to no character are left out.
 * `out` has room for the value; returns its end. */
static uint8_t *mask_in_place(const mask_format *own, const uint8_t *value, size_t size,
                              uint8_t *out)
{
    const mask_shown shown = mask_find_shown(own, value, size);
    size_t place = SIZE_MAX; /* of the character, among those that count */
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = value[i], kind = own->kind[byte];
        place += kind & MASK_COUNTED;
        /* Before the first character, the place is less than 0: no place is. */
        const int is_shown = place < shown.first || (place >= shown.last && place != SIZE_MAX);
        const int hidden = kind != MASK_SEPARATOR && !is_shown;
        *out = hidden ? own->character : byte;
        out += (kind != 0) | !hidden;
    }
    return out;
}

/* Writes own->width characters for all that is hidden, without separators. */
static uint8_t *mask_in_width(const mask_format *own, const uint8_t *value, size_t size,
                              uint8_t *out)
{
    const mask_shown shown = mask_find_shown(own, value, size);
    size_t place = SIZE_MAX;
    uint8_t *last = NULL;
    for (size_t i = 0; i < size; i++) {
        const uint8_t kind = own->kind[value[i]];
        place += kind & MASK_COUNTED;
        if (kind == MASK_SEPARATOR || place == SIZE_MAX) {
            continue;
        }
        if (place >= shown.last && last == NULL) {
            memset(out, own->character, own->width);
            out += own->width;
            last = out;
        }
        if (place < shown.first || place >= shown.last) {
            *out++ = value[i];
        }
    }
    if (last == NULL) {
        memset(out, own->character, own->width);
        out += own->width;
    }
    return out;
}

static uint8_t *mask_write(const mask_format *own, const uint8_t *value, size_t size, uint8_t *out)
{
    return own->width == 0 ? mask_in_place(own, value, size, out)
                           : mask_in_width(own, value, size, out);
}

static tally_status mask_text(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const mask_format *own = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    (void)run;
    if (in->rows != 0 && !tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t i = 0; i < in->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        column->status[i] = TALLY_REASON_NONE;
        if (tally_row_is_null(in, i)) {
            tally_text_out_end(column->out, 0);
            continue;
        }
        const tally_status status = tally_text_out_reserve(column->out, size + own->width);
        if (status != TALLY_OK) {
            return status;
        }
        uint8_t *out = column->out->values + column->out->size;
        if (size + own->width != 0) {
            tally_text_out_end(
                column->out,
                (uint64_t)(mask_write(own, in->values + start, (size_t)size, out) - out));
        } else {
            tally_text_out_end(column->out, 0);
        }
    }
    return TALLY_OK;
}

static tally_status mask_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const mask_format *own = format->own;
    const size_t most = one->size + own->width;
    uint8_t *out = one->out;
    one->reason = TALLY_REASON_NONE;
    if (most > one->capacity) {
        out = run->scratch(run, 0, most);
        if (out == NULL) {
            return TALLY_ERROR_MEMORY;
        }
    }
    one->out_size = most != 0 ? (size_t)(mask_write(own, one->value, one->size, out) - out) : 0;
    if (one->out_size > one->capacity) {
        return TALLY_ERROR_CAPACITY;
    }
    if (out != one->out && one->out_size != 0) {
        memcpy(one->out, out, one->out_size);
    }
    return TALLY_OK;
}

static int mask_is_printable(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return 0;
        }
    }
    return 1;
}

static tally_status mask_check(const tally_format *format, const tally_option_value *values,
                               tally_problem *problem)
{
    const tally_option_value *width = &values[MASK_WIDTH], *character = &values[MASK_CHARACTER],
                             *separators = &values[MASK_SEPARATORS];
    const int64_t first = values[MASK_KEEP_FIRST].integer, last = values[MASK_KEEP_LAST].integer;
    const int first_fits = first >= 0 && first <= MASK_MOST,
              last_fits = last >= 0 && last <= MASK_MOST;
    if (!first_fits || !last_fits) {
        return tally_format_refuse(format, problem, first_fits ? "keep_last" : "keep_first",
                                   "keep_first and keep_last must be 0..1024");
    }
    if (width->given && (width->integer < 1 || width->integer > MASK_MOST)) {
        return tally_format_refuse(format, problem, "width", "width must be 1..1024");
    }
    if (character->size != 1 || !mask_is_printable(character->text, 1)) {
        return tally_format_refuse(format, problem, "character",
                                   "character must be one printable ASCII character");
    }
    if (!mask_is_printable(separators->text, separators->size)) {
        return tally_format_refuse(format, problem, "separators",
                                   "separators must be printable ASCII");
    }
    return TALLY_OK;
}

static tally_status mask_name(tally_format *format, const mask_format *own)
{
    char identity[2 * MASK_PRINTABLE + 64], separators[MASK_PRINTABLE + 1];
    size_t count = 0;
    for (int byte = ' '; byte <= '~'; byte++) {
        if (own->kind[byte] == MASK_SEPARATOR) {
            separators[count++] = (char)byte;
        }
    }
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"mask\",");
    tally_write_uint(&out, own->keep_first);
    tally_write_char(&out, ',');
    tally_write_uint(&out, own->keep_last);
    tally_write_char(&out, ',');
    tally_write_json(&out, (const char *)&own->character, 1);
    tally_write_char(&out, ',');
    tally_write_json(&out, separators, count);
    tally_write_char(&out, ',');
    tally_write_uint(&out, own->width);
    tally_write_char(&out, ']');
    return tally_format_identify(format, identity, out.size);
}

static tally_status mask_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    format->one_way = 1;
    format->keyed = 0;
    format->example[0] = "4111 1111 1111 1111";
    const tally_status status = mask_check(format, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    mask_format *own = tally_format_own(format, sizeof *own);
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_option_value *separators = &values[MASK_SEPARATORS];
    own->keep_first = (uint32_t)values[MASK_KEEP_FIRST].integer;
    own->keep_last = (uint32_t)values[MASK_KEEP_LAST].integer;
    own->width = (uint32_t)values[MASK_WIDTH].integer;
    own->character = (uint8_t)values[MASK_CHARACTER].text[0];
    for (int byte = 0; byte < 256; byte++) {
        own->kind[byte] = (byte & 0xC0) == 0x80 ? 0 : MASK_COUNTED;
    }
    for (size_t i = 0; i < separators->size; i++) {
        own->kind[(uint8_t)separators->text[i]] = MASK_SEPARATOR;
    }
    return mask_name(format, own);
}

const tally_format_about tally_about_mask = {
    "Text hidden but for its ends; one-way, without a key.", NULL};

const tally_format_class tally_format_mask = {
    .name = "mask",
    .options = mask_options,
    .make = mask_make,
    .text = mask_text,
    .one = mask_one,
};
