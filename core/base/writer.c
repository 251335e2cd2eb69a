/* SPDX-License-Identifier: Apache-2.0
 *
 * See writer.h. */
#include "base/writer.h"

#include <string.h>

void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity)
{
    writer->text = buffer;
    writer->capacity = capacity;
    writer->size = 0;
    writer->needed = 0;
    buffer[0] = '\0';
}

void tally_writer_problem(tally_writer *writer, tally_problem *problem)
{
    problem->place[0] = '\0';
    tally_writer_init(writer, problem->text, sizeof problem->text);
}

void tally_write_bytes(tally_writer *writer, const char *text, size_t size)
{
    size_t fits = writer->capacity - 1 - writer->size;
    if (writer->needed > writer->size) { /* cut already: more text would leave a gap */
        fits = 0;
    }
    writer->needed += size;
    if (size > fits) {
        size = fits;
        while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) {
            size--; /* not within a character */
        }
    }
    if (size > 0) {
        memcpy(writer->text + writer->size, text, size);
        writer->size += size;
        writer->text[writer->size] = '\0';
    }
}

void tally_write(tally_writer *writer, const char *text)
{
    tally_write_bytes(writer, text, strlen(text));
}

void tally_write_char(tally_writer *writer, char c)
{
    tally_write_bytes(writer, &c, 1);
}

void tally_write_uint(tally_writer *writer, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    tally_write_bytes(writer, digits + at, sizeof digits - at);
}

void tally_write_int(tally_writer *writer, int64_t value)
{
    if (value < 0) {
        tally_write_char(writer, '-');
    }
    tally_write_uint(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void writer_hex(tally_writer *writer, uint32_t value, int digits)
{
    char text[8];
    for (int i = 0; i < digits; i++) {
        text[i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
    }
    tally_write_bytes(writer, text, (size_t)digits);
}

int tally_is_shown(uint32_t c)
{
    static const uint32_t hidden[][2] = {
        {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},        {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},      {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},    {0x2000, 0x200f},
        {0x2028, 0x202f},   {0x205f, 0x206f},   {0x3000, 0x3000},    {0xd800, 0xf8ff},
        {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},    {0x110bd, 0x110bd},
        {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a},
        {0x1fffe, 0x1ffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && c >= hidden[i][0]; i++) {
        if (c <= hidden[i][1]) {
            return 0;
        }
    }
    return 1;
}

void tally_write_repr(tally_writer *writer, const char *text, size_t size)
{
    const int single = size > 0 && memchr(text, '\'', size) != NULL;
    const char quote = single && memchr(text, '"', size) == NULL ? '"' : '\'';
    tally_write_char(writer, quote);
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        if (c == (uint8_t)quote || c == '\\') {
            tally_write_char(writer, '\\');
            tally_write_char(writer, (char)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            tally_write(writer, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (tally_is_shown(c)) {
            tally_write_bytes(writer, text + start, at - start);
        } else {
            tally_write(writer, c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U");
            writer_hex(writer, c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
        }
    }
    tally_write_char(writer, quote);
}

static void writer_unit(tally_writer *writer, uint32_t unit)
{
    tally_write(writer, "\\u");
    writer_hex(writer, unit, 4);
}

/* A string of JSON. If `ascii` is 0, other characters stay too. */
static void writer_string(tally_writer *writer, const char *text, size_t size, int ascii)
{
    static const char named[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    tally_write_char(writer, '"');
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        const char *name = c > 0 && c < 0x80 ? strchr(named, (int)c) : NULL;
        if (name != NULL) {
            tally_write_char(writer, '\\');
            tally_write_char(writer, names[name - named]);
        } else if ((c >= 0x20 && c < 0x7f) || (c >= 0x80 && !ascii)) {
            tally_write_bytes(writer, text + start, at - start);
        } else if (c < 0x10000) {
            writer_unit(writer, c);
        } else {
            writer_unit(writer, 0xd800 + ((c - 0x10000) >> 10));
            writer_unit(writer, 0xdc00 + (c & 0x3ff));
        }
    }
    tally_write_char(writer, '"');
}

void tally_write_json(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 1);
}

void tally_write_toml(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 0);
}

void tally_write_key(tally_writer *writer, const char *key, size_t size)
{
    int bare = size > 0, shown = 1;
    for (size_t at = 0; at < size;) {
        const uint32_t c = tally_utf8_next(key, size, &at);
        const uint32_t lower = c | 0x20;
        bare &= (lower >= 'a' && lower <= 'z' && c < 0x80) || (c >= '0' && c <= '9') || c == '_' ||
                c == '-';
        shown &= tally_is_shown(c);
    }
    if (bare) {
        tally_write_bytes(writer, key, size);
    } else {
        writer_string(writer, key, size, !shown);
    }
}

void tally_write_path(tally_writer *writer, const char *key, size_t size)
{
    if (writer->needed > 0) {
        tally_write_char(writer, '.');
    }
    tally_write_key(writer, key, size);
}
