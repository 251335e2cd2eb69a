/* SPDX-License-Identifier: Apache-2.0 */
#include "toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that grow. After memory ran out they stay as they are. */
typedef struct toml_bytes {
    char *data;
    size_t size, capacity;
    int failed;
} toml_bytes;

typedef enum toml_kind { TOML_TABLE, TOML_ARRAY, TOML_TABLES, TOML_SCALAR } toml_kind;

/* A value, in the list of its parent. */
typedef struct toml_node {
    struct toml_node *next, *parent, *first, *last;
    struct toml_node *older; /* the node before it in its bucket, or in the list of all */
    struct toml_node *made;
    char *text; /* of the key, and then of a scalar as JSON */
    size_t key_size, json_size;
    toml_kind kind;
    size_t section; /* the last one in which a dotted key went through it, from 1; 0: none */
    int declared;   /* by a header of its own */
    int frozen;     /* an inline table or array: nothing is added later */
} toml_node;

enum { TOML_BUCKETS = 1 << 14 };

typedef struct toml_reader {
    const char *at, *end;
    size_t line, section;
    toml_node *root, *table, *all;
    toml_node **buckets;
    toml_bytes key, value; /* scratch */
    const char *wrong;     /* NULL: nothing is */
    int no_memory;
} toml_reader;

static void toml_put(toml_bytes *bytes, const char *text, size_t size)
{
    if (bytes->capacity - bytes->size < size) {
        const size_t capacity = 2 * bytes->capacity + size + 64;
        char *const data = bytes->failed ? NULL : realloc(bytes->data, capacity);
        if (data == NULL) {
            bytes->failed = 1;
            return;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    if (size != 0) memcpy(bytes->data + bytes->size, text, size);
    bytes->size += size;
}

static void toml_put_text(toml_bytes *bytes, const char *text)
{
    toml_put(bytes, text, strlen(text));
}

static void toml_put_byte(toml_bytes *bytes, char byte)
{
    toml_put(bytes, &byte, 1);
}

/* Writes a text as JSON. */
static void toml_put_json(toml_bytes *bytes, const char *text, size_t size)
{
    toml_put_byte(bytes, '"');
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)text[i];
        char escaped[8];
        if (byte == '"' || byte == '\\') {
            toml_put_byte(bytes, '\\');
            toml_put_byte(bytes, (char)byte);
        } else if (byte < 0x20) {
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)byte);
            toml_put_text(bytes, escaped);
        } else {
            toml_put_byte(bytes, (char)byte);
        }
    }
    toml_put_byte(bytes, '"');
}

/* Says what is wrong, unless something was before. Returns 0. */
static int toml_fail(toml_reader *reader, const char *wrong)
{
    if (reader->wrong == NULL) reader->wrong = wrong;
    return 0;
}

static int toml_out_of_memory(toml_reader *reader)
{
    reader->no_memory = 1;
    return toml_fail(reader, "there is not enough memory");
}

static int toml_peek(const toml_reader *reader)
{
    return reader->at < reader->end ? (unsigned char)*reader->at : -1;
}

/* Skips a text if it comes next. */
static int toml_skip(toml_reader *reader, const char *text)
{
    const size_t size = strlen(text);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, text, size) != 0) return 0;
    reader->at += size;
    return 1;
}

static int toml_skip_newline(toml_reader *reader)
{
    if (!toml_skip(reader, "\n") && !toml_skip(reader, "\r\n")) return 0;
    reader->line++;
    return 1;
}

static void toml_skip_blanks(toml_reader *reader)
{
    while (toml_peek(reader) == ' ' || toml_peek(reader) == '\t') {
        reader->at++;
    }
}

/* Whether text may not have a byte as it is. */
static int toml_is_control(int byte)
{
    return (byte >= 0 && byte < 0x20 && byte != '\t') || byte == 0x7f;
}

/* Skips blanks, and a comment up to its line's end. */
static int toml_skip_comment(toml_reader *reader)
{
    toml_skip_blanks(reader);
    if (toml_peek(reader) != '#') return 1;
    while (reader->at < reader->end && *reader->at != '\n') {
        if (*reader->at == '\r' && reader->end - reader->at > 1 && reader->at[1] == '\n') break;
        if (toml_is_control(toml_peek(reader))) {
            return toml_fail(reader, "a comment has a control character");
        }
        reader->at++;
    }
    return 1;
}

/* Skips blanks, comments and line ends. */
static int toml_skip_lines(toml_reader *reader)
{
    do {
        if (!toml_skip_comment(reader)) return 0;
    } while (toml_skip_newline(reader));
    return 1;
}

static toml_node **toml_bucket(toml_reader *reader, const toml_node *parent, const char *key,
                               size_t size)
{
    uint64_t hash = (uint64_t)(uintptr_t)parent;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)key[i]) * UINT64_C(0x100000001b3);
    }
    return &reader->buckets[(hash ^ (hash >> 29)) % TOML_BUCKETS];
}

/* The child of a table by its key, or NULL. */
static toml_node *toml_find(toml_reader *reader, const toml_node *parent, const char *key,
                            size_t size)
{
    toml_node *node = *toml_bucket(reader, parent, key, size);
    while (node != NULL && (node->parent != parent || node->key_size != size ||
                            memcmp(node->text, key, size) != 0)) {
        node = node->older;
    }
    return node;
}

/* Adds a child. `key` is NULL for an item of an array. Returns NULL if memory ran out. */
static toml_node *toml_add(toml_reader *reader, toml_node *parent, toml_kind kind, const char *key,
                           size_t size, const toml_bytes *json)
{
    const size_t json_size = json == NULL ? 0 : json->size;
    toml_node *const node = calloc(1, sizeof *node);
    char *const text = malloc(size + json_size + 1);
    if (node == NULL || text == NULL) {
        free(node);
        free(text);
        toml_out_of_memory(reader);
        return NULL;
    }
    if (size != 0) memcpy(text, key, size);
    if (json_size != 0) memcpy(text + size, json->data, json_size);
    node->text = text;
    node->key_size = size;
    node->json_size = json_size;
    node->kind = kind;
    node->parent = parent;
    node->made = reader->all;
    reader->all = node;
    if (parent == NULL) return node;
    if (key != NULL) {
        toml_node **const bucket = toml_bucket(reader, parent, key, size);
        node->older = *bucket;
        *bucket = node;
    }
    if (parent->last == NULL) {
        parent->first = node;
    } else {
        parent->last->next = node;
    }
    parent->last = node;
    return node;
}

/* Reads `digits` hexadecimal digits of a character, and writes it in UTF-8. */
static int toml_read_code(toml_reader *reader, size_t digits, toml_bytes *out)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++, reader->at++) {
        const int c = toml_peek(reader);
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        } else {
            return toml_fail(reader, "an escape has too few hexadecimal digits");
        }
        code = code << 4 | digit;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return toml_fail(reader, "an escape is no character");
    }
    if (code < 0x80) {
        toml_put_byte(out, (char)code);
        return 1;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    toml_put_byte(out, (char)((0xff00 >> (more + 1) & 0xff) | code >> (6 * more)));
    for (int i = more - 1; i >= 0; i--) {
        toml_put_byte(out, (char)(0x80 | (code >> (6 * i) & 0x3f)));
    }
    return 1;
}

/* Reads what follows a backslash. */
static int toml_read_escape(toml_reader *reader, int is_long, toml_bytes *out)
{
    static const char names[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
    const int c = toml_peek(reader);
    const char *const found = c > 0 ? strchr(names, c) : NULL;
    if (found != NULL) {
        reader->at++;
        toml_put_byte(out, meant[found - names]);
        return 1;
    }
    if (c == 'u' || c == 'U') {
        reader->at++;
        return toml_read_code(reader, c == 'u' ? 4 : 8, out);
    }
    if (is_long) {
        toml_skip_blanks(reader);
        if (toml_skip_newline(reader)) {
            do {
                toml_skip_blanks(reader);
            } while (toml_skip_newline(reader));
            return 1;
        }
    }
    return toml_fail(reader, "a backslash begins no escape");
}

/* Reads a string, at its first quote. `lines`: it may be one of several lines. */
static int toml_read_string(toml_reader *reader, int lines, toml_bytes *out)
{
    const char quote = *reader->at;
    const char three[] = {quote, quote, quote, '\0'};
    const int is_long = lines && toml_skip(reader, three);
    out->size = 0;
    if (is_long) {
        toml_skip_newline(reader);
    } else {
        reader->at++;
    }
    for (;;) {
        const int c = toml_peek(reader);
        if (c < 0) return toml_fail(reader, "a string has no end");
        if (is_long && toml_skip(reader, three)) {
            /* The string's last characters may be quotes: two at most. */
            for (int i = 0; i < 2 && toml_peek(reader) == quote; i++, reader->at++) {
                toml_put_byte(out, quote);
            }
            return 1;
        }
        if (!is_long && c == quote) {
            reader->at++;
            return 1;
        }
        if (is_long && toml_skip_newline(reader)) {
            toml_put_byte(out, '\n');
            continue;
        }
        if (toml_is_control(c)) return toml_fail(reader, "a string has a control character");
        reader->at++;
        if (c == '\\' && quote == '"') {
            if (!toml_read_escape(reader, is_long, out)) return 0;
        } else {
            toml_put_byte(out, (char)c);
        }
    }
}

static int toml_is_bare(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* Reads one part of a key into `key`, and the blanks behind it. */
static int toml_read_key(toml_reader *reader)
{
    toml_skip_blanks(reader);
    reader->key.size = 0;
    if (toml_peek(reader) == '"' || toml_peek(reader) == '\'') {
        if (!toml_read_string(reader, 0, &reader->key)) return 0;
    } else {
        const char *const begin = reader->at;
        while (toml_is_bare(toml_peek(reader))) {
            reader->at++;
        }
        if (reader->at == begin) return toml_fail(reader, "a key is missing");
        toml_put(&reader->key, begin, (size_t)(reader->at - begin));
    }
    if (reader->key.failed) return toml_out_of_memory(reader);
    toml_skip_blanks(reader);
    return 1;
}

static int toml_number_of(const char *text, size_t count, int *out)
{
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        *out = 10 * *out + text[i] - '0';
    }
    return 1;
}

/* Whether a text of `size` bytes begins with a date, YYYY-MM-DD. */
static int toml_is_date(const char *text, size_t size)
{
    int year, month, day;
    return size >= 10 && text[4] == '-' && text[7] == '-' && toml_number_of(text, 4, &year) &&
           toml_number_of(text + 5, 2, &month) && toml_number_of(text + 8, 2, &day);
}

static int toml_check_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!toml_number_of(text, 4, &year) || !toml_number_of(text + 5, 2, &month) ||
        !toml_number_of(text + 8, 2, &day)) {
        return 0;
    }
    if (year < 1 || month < 1 || month > 12 || day < 1) return 0;
    const int leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + leap;
}

/* Writes a time, HH:MM:SS with parts of a second and an offset, as JSON has it. */
static int toml_put_time(toml_bytes *out, const char *text, size_t size, int may_have_offset)
{
    int hour, minute, second;
    if (size < 8 || text[2] != ':' || text[5] != ':' || !toml_number_of(text, 2, &hour) ||
        !toml_number_of(text + 3, 2, &minute) || !toml_number_of(text + 6, 2, &second) ||
        hour > 23 || minute > 59 || second > 59) {
        return 0;
    }
    toml_put(out, text, 8);
    size_t at = 8;
    if (at < size && text[at] == '.') {
        char digits[] = "000000";
        size_t count = 0;
        for (at++; at < size && text[at] >= '0' && text[at] <= '9'; at++, count++) {
            if (count < 6) digits[count] = text[at];
        }
        if (count == 0) return 0;
        if (strcmp(digits, "000000") != 0) {
            toml_put_byte(out, '.');
            toml_put_text(out, digits);
        }
    }
    if (at == size) return 1;
    if (!may_have_offset) return 0;
    if (size - at == 1 && (text[at] == 'Z' || text[at] == 'z')) {
        toml_put_text(out, "+00:00");
        return 1;
    }
    if (size - at != 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':' ||
        !toml_number_of(text + at + 1, 2, &hour) || !toml_number_of(text + at + 4, 2, &minute) ||
        hour > 23 || minute > 59) {
        return 0;
    }
    const int is_utc = hour == 0 && minute == 0;
    toml_put(out, is_utc ? "+00:00" : text + at, 6);
    return 1;
}

/* Writes a number's digits of a base without their underscores. Returns where they end. */
static size_t toml_put_digits(toml_bytes *out, const char *text, size_t size, size_t at)
{
    const size_t begin = at;
    while (at < size) {
        if (text[at] >= '0' && text[at] <= '9') {
            toml_put_byte(out, text[at]);
        } else if (text[at] != '_' || at == begin || text[at - 1] == '_' || at + 1 == size ||
                   text[at + 1] < '0' || text[at + 1] > '9') {
            break;
        }
        at++;
    }
    return at;
}

/* Writes 0x.., 0o.. or 0b.. in decimal. */
static int toml_put_based(toml_bytes *out, const char *text, size_t size)
{
    const unsigned base = text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : 2;
    uint64_t number = 0;
    char decimal[24];
    int after_digit = 0;
    for (size_t i = 2; i < size; i++) {
        const char c = text[i];
        unsigned digit = 99;
        if (c >= '0' && c <= '9') digit = (unsigned)(c - '0');
        if (c >= 'a' && c <= 'f') digit = (unsigned)(c - 'a') + 10;
        if (c >= 'A' && c <= 'F') digit = (unsigned)(c - 'A') + 10;
        if (c == '_' && after_digit) {
            after_digit = 0;
            continue;
        }
        if (digit >= base || number > ((uint64_t)INT64_MAX - digit) / base) return 0;
        number = number * base + digit;
        after_digit = 1;
    }
    (void)snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)number);
    toml_put_text(out, decimal);
    return after_digit;
}

/* Writes an integer or float as JSON. */
static int toml_put_number(toml_bytes *out, const char *text, size_t size)
{
    if (size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'o' || text[1] == 'b')) {
        return toml_put_based(out, text, size);
    }
    const int is_negative = text[0] == '-';
    size_t at = is_negative || text[0] == '+';
    if (size - at == 3 && (memcmp(text + at, "inf", 3) == 0 || memcmp(text + at, "nan", 3) == 0)) {
        toml_put_text(out, "{\"$float\":\"");
        if (is_negative && text[at] == 'i') toml_put_byte(out, '-');
        toml_put(out, text + at, 3);
        toml_put_text(out, "\"}");
        return 1;
    }
    if (is_negative && size > 1 && !(size == 2 && text[1] == '0')) toml_put_byte(out, '-');
    size_t begin = at;
    at = toml_put_digits(out, text, size, at);
    if (at == begin || (text[begin] == '0' && at - begin > 1)) return 0;
    if (at < size && text[at] == '.') {
        toml_put_byte(out, '.');
        begin = ++at;
        at = toml_put_digits(out, text, size, at);
        if (at == begin) return 0;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        toml_put_byte(out, 'e');
        at++;
        if (at < size && (text[at] == '+' || text[at] == '-')) toml_put_byte(out, text[at++]);
        begin = at;
        at = toml_put_digits(out, text, size, at);
        if (at == begin) return 0;
    }
    return at == size;
}

/* Reads a boolean, number, date or time into `value`, as JSON. */
static int toml_read_plain(toml_reader *reader)
{
    const char *const text = reader->at;
    toml_bytes *const out = &reader->value;
    out->size = 0;
    while (toml_is_bare(toml_peek(reader)) || toml_peek(reader) == '+' ||
           toml_peek(reader) == '.' || toml_peek(reader) == ':') {
        reader->at++;
    }
    size_t size = (size_t)(reader->at - text);
    if (size == 10 && toml_is_date(text, size) && reader->end - reader->at > 3 && text[10] == ' ' &&
        text[11] >= '0' && text[11] <= '9' && text[13] == ':') {
        reader->at++;
        while (toml_is_bare(toml_peek(reader)) || toml_peek(reader) == '+' ||
               toml_peek(reader) == '.' || toml_peek(reader) == ':') {
            reader->at++;
        }
        size = (size_t)(reader->at - text);
    }
    int good;
    if (size == 0) return toml_fail(reader, "a value is missing");
    if ((size == 4 && memcmp(text, "true", 4) == 0) ||
        (size == 5 && memcmp(text, "false", 5) == 0)) {
        toml_put(out, text, size);
        good = 1;
    } else if (toml_is_date(text, size)) {
        const char c = (char)(size > 10 ? text[10] : 'T');
        good = toml_check_date(text) && (c == 'T' || c == 't' || c == ' ');
        toml_put_text(out, size == 10 ? "{\"$date\":\"" : "{\"$datetime\":\"");
        toml_put(out, text, 10);
        if (size > 10) {
            toml_put_byte(out, 'T');
            good = good && toml_put_time(out, text + 11, size - 11, 1);
        }
        toml_put_text(out, "\"}");
    } else if (size > 2 && text[2] == ':') {
        toml_put_text(out, "{\"$time\":\"");
        good = toml_put_time(out, text, size, 0);
        toml_put_text(out, "\"}");
    } else {
        good = toml_put_number(out, text, size);
    }
    if (out->failed) return toml_out_of_memory(reader);
    return good ? 1 : toml_fail(reader, "a value is none: text needs quotes");
}

static int toml_read_value(toml_reader *reader, toml_node *parent, const char *key, size_t size);

/* Reads `key = value` into a table. In an inline table there are no sections. */
static int toml_read_pair(toml_reader *reader, toml_node *table, int is_inline)
{
    if (!toml_read_key(reader)) return 0;
    while (toml_skip(reader, ".")) {
        toml_node *next = toml_find(reader, table, reader->key.data, reader->key.size);
        if (next == NULL) {
            next = toml_add(reader, table, TOML_TABLE, reader->key.data, reader->key.size, NULL);
            if (next == NULL) return 0;
        } else if (next->kind != TOML_TABLE || next->frozen ||
                   (!is_inline &&
                    (next->declared || (next->section != 0 && next->section != reader->section)))) {
            return toml_fail(reader, "a dotted key adds to what is complete");
        }
        next->section = reader->section;
        table = next;
        if (!toml_read_key(reader)) return 0;
    }
    if (!toml_skip(reader, "=")) return toml_fail(reader, "a key has no = behind it");
    toml_skip_blanks(reader);
    if (toml_find(reader, table, reader->key.data, reader->key.size) != NULL) {
        return toml_fail(reader, "a key is there twice");
    }
    /* Values have keys too, and read over this one. */
    const size_t size = reader->key.size;
    char *const key = malloc(size + 1);
    if (key == NULL) return toml_out_of_memory(reader);
    if (size != 0) memcpy(key, reader->key.data, size);
    const int good = toml_read_value(reader, table, key, size);
    free(key);
    return good;
}

static int toml_read_array(toml_reader *reader, toml_node *array)
{
    for (;;) {
        if (!toml_skip_lines(reader)) return 0;
        if (toml_skip(reader, "]")) return 1;
        if (!toml_read_value(reader, array, NULL, 0) || !toml_skip_lines(reader)) return 0;
        if (toml_skip(reader, "]")) return 1;
        if (!toml_skip(reader, ",")) return toml_fail(reader, "an array has no , or ]");
    }
}

static int toml_read_inline(toml_reader *reader, toml_node *table)
{
    toml_skip_blanks(reader);
    if (toml_skip(reader, "}")) return 1;
    for (;;) {
        if (!toml_read_pair(reader, table, 1)) return 0;
        toml_skip_blanks(reader);
        if (toml_skip(reader, "}")) return 1;
        if (!toml_skip(reader, ",")) {
            return toml_fail(reader, "an inline table has no , or } in its line");
        }
    }
}

/* Reads a value as a child. Depth is bounded: tally_policy_check_text went before. */
static int toml_read_value(toml_reader *reader, toml_node *parent, const char *key, size_t size)
{
    const int c = toml_peek(reader);
    if (c == '[' || c == '{') {
        toml_node *const node =
            toml_add(reader, parent, c == '[' ? TOML_ARRAY : TOML_TABLE, key, size, NULL);
        if (node == NULL) return 0;
        reader->at++;
        const int good = c == '[' ? toml_read_array(reader, node) : toml_read_inline(reader, node);
        node->frozen = 1;
        return good;
    }
    if (c == '"' || c == '\'') {
        toml_bytes text = {0};
        const int good = toml_read_string(reader, 1, &text);
        reader->value.size = 0;
        if (good) toml_put_json(&reader->value, text.data, text.size);
        const int failed = text.failed || reader->value.failed;
        free(text.data);
        if (!good) return 0;
        if (failed) return toml_out_of_memory(reader);
    } else if (!toml_read_plain(reader)) {
        return 0;
    }
    return toml_add(reader, parent, TOML_SCALAR, key, size, &reader->value) != NULL;
}

/* Reads [a.b] or [[a.b]], behind its first bracket or brackets. */
static int toml_read_header(toml_reader *reader, int is_array)
{
    toml_node *table = reader->root;
    reader->section++;
    for (;;) {
        if (!toml_read_key(reader)) return 0;
        const char *const key = reader->key.data;
        const size_t size = reader->key.size;
        toml_node *next = toml_find(reader, table, key, size);
        const int is_last = toml_peek(reader) != '.';
        if (next != NULL && (next->frozen || next->kind == TOML_SCALAR)) {
            return toml_fail(reader, "a table has the name of a value");
        }
        if (is_last && is_array) {
            if (next == NULL) next = toml_add(reader, table, TOML_TABLES, key, size, NULL);
            if (next == NULL) return 0;
            if (next->kind != TOML_TABLES) return toml_fail(reader, "a table is there twice");
            next = toml_add(reader, next, TOML_TABLE, NULL, 0, NULL);
            if (next == NULL) return 0;
        } else {
            if (next == NULL) next = toml_add(reader, table, TOML_TABLE, key, size, NULL);
            if (next == NULL) return 0;
            if (is_last && (next->kind != TOML_TABLE || next->declared || next->section != 0)) {
                return toml_fail(reader, "a table is there twice");
            }
            if (next->kind == TOML_TABLES) next = next->last;
        }
        table = next;
        if (is_last) break;
        reader->at++;
    }
    if (!toml_skip(reader, is_array ? "]]" : "]")) {
        return toml_fail(reader, "a table's name has no end");
    }
    table->declared = 1;
    reader->table = table;
    return 1;
}

static int toml_read(toml_reader *reader)
{
    for (;;) {
        if (!toml_skip_lines(reader)) return 0;
        if (reader->at == reader->end) return 1;
        if (toml_skip(reader, "[[")) {
            if (!toml_read_header(reader, 1)) return 0;
        } else if (toml_skip(reader, "[")) {
            if (!toml_read_header(reader, 0)) return 0;
        } else if (!toml_read_pair(reader, reader->table, 0)) {
            return 0;
        }
        if (!toml_skip_comment(reader)) return 0;
        if (reader->at != reader->end && !toml_skip_newline(reader)) {
            return toml_fail(reader, "more stands behind a value or table");
        }
    }
}

static void toml_write(const toml_node *node, toml_bytes *out)
{
    if (node->kind == TOML_SCALAR) {
        toml_put(out, node->text + node->key_size, node->json_size);
        return;
    }
    const int is_table = node->kind == TOML_TABLE;
    toml_put_byte(out, is_table ? '{' : '[');
    for (const toml_node *child = node->first; child != NULL; child = child->next) {
        if (child != node->first) toml_put_byte(out, ',');
        if (is_table) {
            toml_put_json(out, child->text, child->key_size);
            toml_put_byte(out, ':');
        }
        toml_write(child, out);
    }
    toml_put_byte(out, is_table ? '}' : ']');
}

const char *tally_utf8_end(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *const end = at + size;
    while (at < end) {
        const unsigned char lead = *at;
        const int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || end - at <= more) {
            return (const char *)at;
        }
        for (int i = 1; i <= more; i++) {
            if (at[i] < (i == 1 ? low : 0x80) || at[i] > (i == 1 ? high : 0xbf)) {
                return (const char *)at;
            }
        }
        at += more + 1;
    }
    return NULL;
}

tally_status tally_toml_to_json(const char *toml, size_t size, char **out, size_t *out_size,
                                tally_problem *problem)
{
    const tally_status checked = tally_policy_check_text(toml, size, problem);
    if (checked != TALLY_OK) return checked;
    if (size >= 3 && memcmp(toml, "\xef\xbb\xbf", 3) == 0) {
        toml += 3;
        size -= 3;
    }
    toml_reader reader = {.at = toml, .end = toml + size, .line = 1, .section = 1};
    toml_bytes json = {0};
    const char *const bad = tally_utf8_end(toml, size);
    reader.buckets = calloc(TOML_BUCKETS, sizeof *reader.buckets);
    reader.root = reader.buckets == NULL ? NULL : toml_add(&reader, NULL, TOML_TABLE, "", 0, NULL);
    reader.table = reader.root;
    if (reader.root == NULL) {
        toml_out_of_memory(&reader);
    } else if (bad != NULL) {
        for (const char *c = toml; c < bad; c++) {
            reader.line += *c == '\n';
        }
        toml_fail(&reader, "is not UTF-8; save it as UTF-8");
    } else if (toml_read(&reader)) {
        toml_write(reader.root, &json);
        if (json.failed) toml_out_of_memory(&reader);
    }
    while (reader.all != NULL) {
        toml_node *const node = reader.all;
        reader.all = node->made;
        free(node->text);
        free(node);
    }
    free(reader.buckets);
    free(reader.key.data);
    free(reader.value.data);
    if (reader.wrong == NULL) {
        *out = json.data;
        *out_size = json.size;
        return TALLY_OK;
    }
    free(json.data);
    (void)snprintf(problem->place, sizeof problem->place, "line %zu", reader.line);
    (void)snprintf(problem->text, sizeof problem->text, "%s", reader.wrong);
    return reader.no_memory ? TALLY_ERROR_MEMORY : TALLY_ERROR_POLICY;
}
