/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of Arrow's columns, from the format strings of its C data interface. */
#include "arrow/type.h"

#include <string.h>

#include "base/writer.h"

/* Types whose format string is one letter. */
typedef struct arrow_letter {
    char letter;
    uint8_t kind, width, is_signed;
    const char *name;
} arrow_letter;

static const arrow_letter arrow_letters[] = {
    {'n', TALLY_ARROW_NULL, 0, 0, "null"},           {'b', TALLY_ARROW_BOOLEAN, 0, 0, "bool"},
    {'c', TALLY_ARROW_INTEGER, 1, 1, "int8"},        {'C', TALLY_ARROW_INTEGER, 1, 0, "uint8"},
    {'s', TALLY_ARROW_INTEGER, 2, 1, "int16"},       {'S', TALLY_ARROW_INTEGER, 2, 0, "uint16"},
    {'i', TALLY_ARROW_INTEGER, 4, 1, "int32"},       {'I', TALLY_ARROW_INTEGER, 4, 0, "uint32"},
    {'l', TALLY_ARROW_INTEGER, 8, 1, "int64"},       {'L', TALLY_ARROW_INTEGER, 8, 0, "uint64"},
    {'e', TALLY_ARROW_FLOAT, 2, 1, "halffloat"},     {'f', TALLY_ARROW_FLOAT, 4, 1, "float"},
    {'g', TALLY_ARROW_FLOAT, 8, 1, "double"},        {'u', TALLY_ARROW_TEXT, 4, 0, "string"},
    {'U', TALLY_ARROW_TEXT, 8, 0, "large_string"},   {'z', TALLY_ARROW_BINARY, 4, 0, "binary"},
    {'Z', TALLY_ARROW_BINARY, 8, 0, "large_binary"},
};

/* Types that have a string of their own. */
typedef struct arrow_word {
    const char *format;
    uint8_t kind, width;
    const char *name;
} arrow_word;

static const arrow_word arrow_words[] = {
    {"vu", TALLY_ARROW_TEXT_VIEW, 16, "string_view"},
    {"vz", TALLY_ARROW_BINARY_VIEW, 16, "binary_view"},
    {"tdD", TALLY_ARROW_DATE, 4, "date32[day]"},
    {"tdm", TALLY_ARROW_DATE, 8, "date64[ms]"},
    {"tts", TALLY_ARROW_OTHER, 4, "time32[s]"},
    {"ttm", TALLY_ARROW_OTHER, 4, "time32[ms]"},
    {"ttu", TALLY_ARROW_OTHER, 8, "time64[us]"},
    {"ttn", TALLY_ARROW_OTHER, 8, "time64[ns]"},
    {"tDs", TALLY_ARROW_OTHER, 8, "duration[s]"},
    {"tDm", TALLY_ARROW_OTHER, 8, "duration[ms]"},
    {"tDu", TALLY_ARROW_OTHER, 8, "duration[us]"},
    {"tDn", TALLY_ARROW_OTHER, 8, "duration[ns]"},
    {"tiM", TALLY_ARROW_OTHER, 4, "month_interval"},
    {"tiD", TALLY_ARROW_OTHER, 8, "day_time_interval"},
    {"tin", TALLY_ARROW_OTHER, 16, "month_day_nano_interval"},
    {"+s", TALLY_ARROW_STRUCT, 0, "struct"},
    {"+l", TALLY_ARROW_LIST, 4, "list"},
    {"+L", TALLY_ARROW_LIST, 8, "large_list"},
    {"+vl", TALLY_ARROW_LIST_VIEW, 4, "list_view"},
    {"+vL", TALLY_ARROW_LIST_VIEW, 8, "large_list_view"},
    {"+m", TALLY_ARROW_MAP, 4, "map"},
    {"+r", TALLY_ARROW_RUN_ENDS, 0, "run_end_encoded"},
};

/* Reads a number of at most nine digits, after a minus if one is allowed. Returns what follows it;
 * NULL if there is none. */
static const char *arrow_number(const char *text, int minus, int32_t *out)
{
    int32_t value = 0;
    const int negative = minus && *text == '-';
    text += negative;
    int digits = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (++digits > 9) {
            return NULL;
        }
        value = value * 10 + (*text - '0');
    }
    *out = negative ? -value : value;
    return digits > 0 ? text : NULL;
}

/* "10,2" or "10,2,256": precision, scale and bits. */
static int arrow_type_decimal(const char *text, tally_arrow_type *out)
{
    int32_t bits = 128;
    text = arrow_number(text, 0, &out->precision);
    if (text == NULL || *text != ',') {
        return 0;
    }
    text = arrow_number(text + 1, 1, &out->scale);
    if (text != NULL && *text == ',') {
        text = arrow_number(text + 1, 0, &bits);
    }
    if (text == NULL || *text != '\0' || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) {
        return 0;
    }
    out->width = (uint32_t)bits / 8;
    out->is_signed = 1;
    return 1;
}

static int arrow_type_timestamp(const char *text, tally_arrow_type *out)
{
    out->per_second = *text == 's'   ? 1
                      : *text == 'm' ? 1000
                      : *text == 'u' ? 1000000
                      : *text == 'n' ? 1000000000
                                     : 0;
    if (out->per_second == 0 || text[1] != ':') {
        return 0;
    }
    out->width = 8;
    out->is_signed = 1;
    out->timezone = text + 2;
    return 1;
}

/* "16": the size of each value. */
static int arrow_type_size(const char *text, tally_arrow_type *out)
{
    int32_t size;
    text = arrow_number(text, 0, &size);
    if (text == NULL || *text != '\0') {
        return 0;
    }
    out->width = (uint32_t)size;
    out->fixed = 1;
    return 1;
}

/* Types that have parameters, by the beginnings of their strings. */
typedef struct arrow_prefix {
    const char *prefix;
    tally_arrow_kind kind;
    int (*read)(const char *text, tally_arrow_type *out);
} arrow_prefix;

static const arrow_prefix arrow_prefixes[] = {
    {"d:", TALLY_ARROW_DECIMAL, arrow_type_decimal},
    {"ts", TALLY_ARROW_TIMESTAMP, arrow_type_timestamp},
    {"w:", TALLY_ARROW_BINARY, arrow_type_size},
    {"+w:", TALLY_ARROW_LIST, arrow_type_size},
};

static int arrow_begins(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; text++, prefix++) {
        if (*text != *prefix) {
            return 0;
        }
    }
    return 1;
}

static const arrow_letter *arrow_letter_of(const char *format)
{
    for (size_t i = 0; i < sizeof arrow_letters / sizeof *arrow_letters; i++) {
        if (format[0] == arrow_letters[i].letter && format[1] == '\0') {
            return &arrow_letters[i];
        }
    }
    return NULL;
}

static const arrow_word *arrow_word_of(const char *format)
{
    for (size_t i = 0; i < sizeof arrow_words / sizeof *arrow_words; i++) {
        if (strcmp(format, arrow_words[i].format) == 0) {
            return &arrow_words[i];
        }
    }
    return NULL;
}

int tally_arrow_type_read(const char *format, tally_arrow_type *out)
{
    const tally_arrow_type none = {.kind = TALLY_ARROW_OTHER, .timezone = ""};
    *out = none;
    const arrow_letter *letter = format[0] == '\0' ? NULL : arrow_letter_of(format);
    if (letter != NULL) {
        out->kind = (tally_arrow_kind)letter->kind;
        out->width = letter->width;
        out->is_signed = letter->is_signed;
        return 1;
    }
    const arrow_word *word = arrow_word_of(format);
    if (word != NULL) {
        out->kind = (tally_arrow_kind)word->kind;
        out->width = word->width;
        out->is_signed = word->kind == TALLY_ARROW_DATE;
        return 1;
    }
    for (size_t i = 0; i < sizeof arrow_prefixes / sizeof *arrow_prefixes; i++) {
        const arrow_prefix *prefix = &arrow_prefixes[i];
        if (arrow_begins(format, prefix->prefix)) {
            if (!prefix->read(format + strlen(prefix->prefix), out)) {
                *out = none;
                return 0;
            }
            out->kind = prefix->kind;
            return 1;
        }
    }
    /* A union, "+ud:0,1" or "+us:0,1", is a type, too. */
    return arrow_begins(format, "+ud:") || arrow_begins(format, "+us:");
}

static void arrow_name_decimal(tally_writer *writer, const tally_arrow_type *type)
{
    tally_write(writer, "decimal");
    tally_write_uint(writer, 8 * (uint64_t)type->width);
    tally_write(writer, "(");
    tally_write_int(writer, type->precision);
    tally_write(writer, ", ");
    tally_write_int(writer, type->scale);
    tally_write(writer, ")");
}

static void arrow_name_timestamp(tally_writer *writer, const tally_arrow_type *type)
{
    tally_write(writer, type->per_second == 1         ? "timestamp[s"
                        : type->per_second == 1000    ? "timestamp[ms"
                        : type->per_second == 1000000 ? "timestamp[us"
                                                      : "timestamp[ns");
    if (type->timezone[0] != '\0') {
        tally_write(writer, ", tz=");
        tally_write(writer, type->timezone);
    }
    tally_write(writer, "]");
}

size_t tally_arrow_type_name(const char *format, char *out, size_t size)
{
    char nowhere[1];
    tally_writer writer;
    tally_writer_init(&writer, size == 0 ? nowhere : out, size == 0 ? 1 : size);
    tally_arrow_type type;
    const int known = tally_arrow_type_read(format, &type);
    const arrow_letter *letter = format[0] == '\0' ? NULL : arrow_letter_of(format);
    const arrow_word *word = arrow_word_of(format);
    if (letter != NULL || word != NULL) {
        tally_write(&writer, letter != NULL ? letter->name : word->name);
    } else if (!known) {
        tally_write(&writer, "unknown type");
    } else if (type.kind == TALLY_ARROW_DECIMAL) {
        arrow_name_decimal(&writer, &type);
    } else if (type.kind == TALLY_ARROW_TIMESTAMP) {
        arrow_name_timestamp(&writer, &type);
    } else if (type.fixed) {
        tally_write(&writer,
                    type.kind == TALLY_ARROW_BINARY ? "fixed_size_binary[" : "fixed_size_list[");
        tally_write_uint(&writer, type.width);
        tally_write(&writer, "]");
    } else {
        tally_write(&writer, format[2] == 'd' ? "dense_union" : "sparse_union");
    }
    return writer.needed;
}
