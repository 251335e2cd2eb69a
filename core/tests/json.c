/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of json.h. The text is read whole and cut up in place; every value becomes one entry
 * of a list that holds all values of the file, an array being followed by its items. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { STRING, INTEGER, BOOLEAN, NOTHING, ARRAY };

struct value {
    const char *name; /* NULL for an item of an array */
    const char *text; /* of a string */
    int64_t number;   /* an integer, a boolean, or the number of an array's items */
    enum kind kind;
};

struct json_case {
    const json_file *file;
    size_t first, end; /* a range of values */
};

struct json_file {
    const char *path;
    char *text, *at;
    struct value *values;
    struct json_case *cases;
    size_t value_count, case_count;
};

static _Noreturn void fail(const char *path, const char *name, const char *what)
{
    fprintf(stderr, "%s: %s%s%s\n", path, name, name[0] != '\0' ? ": " : "", what);
    exit(2);
}

static _Noreturn void fail_at(const json_file *file, const char *what)
{
    fprintf(stderr, "%s: byte %ld: %s\n", file->path, (long)(file->at - file->text), what);
    exit(2);
}

/* A list that can take one more item; its capacity doubles when the count is a power of two. */
static void *grow(void *list, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0) {
        return list;
    }
    void *grown = realloc(list, (count == 0 ? 1 : 2 * count) * item_size);
    if (grown == NULL) {
        fail("json", "", "out of memory");
    }
    return grown;
}

/* Passes white space, then `c` if it is next. */
static bool take(json_file *file, char c)
{
    file->at += strspn(file->at, " \t\r\n");
    if (*file->at != c) {
        return false;
    }
    file->at++;
    return true;
}

static void expect(json_file *file, char c)
{
    if (!take(file, c)) {
        char what[] = "'?' expected";
        what[1] = c;
        fail_at(file, what);
    }
}

/* Writes the character of a \u escape as UTF-8. Surrogate pairs are not needed here. */
static char *unescape_unicode(json_file *file, char *out)
{
    char digits[5] = {0};
    unsigned code = 0;
    for (size_t i = 0; i < 4 && file->at[i] != '\0'; i++) {
        digits[i] = file->at[i];
    }
    if (sscanf(digits, "%4x", &code) != 1 || strlen(digits) != 4 || code - 0xd800 < 0x800) {
        fail_at(file, "escape not understood");
    }
    file->at += 4;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

/* Reads a string whose opening quote has been passed, and unescapes it where it stands. */
static const char *read_string(json_file *file)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char *start = file->at, *out = start;
    while (*file->at != '"') {
        char c = *file->at++;
        if (c == '\0') {
            fail_at(file, "string without end");
        }
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        c = *file->at++;
        if (c == 'u') {
            out = unescape_unicode(file, out);
            continue;
        }
        size_t i = 0;
        while (escapes[i] != '\0' && escapes[i] != c) {
            i += 2;
        }
        if (escapes[i] == '\0') {
            fail_at(file, "escape not understood");
        }
        *out++ = escapes[i + 1];
    }
    file->at++;
    *out = '\0';
    return start;
}

static bool take_word(json_file *file, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(file->at, word, size) != 0) {
        return false;
    }
    file->at += size;
    return true;
}

static void read_value(json_file *file, const char *name, bool is_item)
{
    size_t index = file->value_count;
    file->values = grow(file->values, index, sizeof *file->values);
    file->value_count++;
    struct value v = {name, "", 0, NOTHING};
    if (take(file, '"')) {
        v.kind = STRING;
        v.text = read_string(file);
    } else if (!is_item && take(file, '[')) {
        v.kind = ARRAY;
        if (!take(file, ']')) {
            do {
                read_value(file, NULL, true);
                v.number++;
            } while (take(file, ','));
            expect(file, ']');
        }
    } else if (take_word(file, "true")) {
        v.kind = BOOLEAN;
        v.number = 1;
    } else if (take_word(file, "false")) {
        v.kind = BOOLEAN;
    } else if (!take_word(file, "null")) {
        char *end;
        v.kind = INTEGER;
        v.number = strtoll(file->at, &end, 10);
        if (end == file->at || strchr(".eE", *end) != NULL) {
            fail_at(file, "value not understood");
        }
        file->at = end;
    }
    file->values[index] = v;
}

static void read_case(json_file *file)
{
    file->cases = grow(file->cases, file->case_count, sizeof *file->cases);
    struct json_case c = {file, file->value_count, 0};
    expect(file, '{');
    do {
        expect(file, '"');
        const char *name = read_string(file);
        expect(file, ':');
        read_value(file, name, false);
    } while (take(file, ','));
    expect(file, '}');
    c.end = file->value_count;
    file->cases[file->case_count++] = c;
}

static char *read_text(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        fail(path, "", "cannot be read");
    }
    long size = ftell(stream);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    rewind(stream);
    if (text == NULL || fread(text, 1, (size_t)size, stream) != (size_t)size) {
        fail(path, "", "cannot be read");
    }
    fclose(stream);
    text[size] = '\0';
    return text;
}

json_file *json_load(const char *path)
{
    json_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        fail(path, "", "out of memory");
    }
    file->path = path;
    file->text = file->at = read_text(path);
    expect(file, '[');
    do {
        read_case(file);
    } while (take(file, ','));
    expect(file, ']');
    expect(file, '\0');
    return file;
}

void json_free(json_file *file)
{
    free(file->text);
    free(file->values);
    free(file->cases);
    free(file);
}

size_t json_count(const json_file *file)
{
    return file->case_count;
}

const json_case *json_at(const json_file *file, size_t index)
{
    if (index >= file->case_count) {
        fail(file->path, "", "no such case");
    }
    return &file->cases[index];
}

static const struct value *find(const json_case *c, const char *name)
{
    for (size_t i = c->first; i < c->end; i++) {
        const struct value *v = &c->file->values[i];
        if (v->name != NULL && strcmp(v->name, name) == 0) {
            return v;
        }
    }
    return NULL;
}

static const struct value *need(const json_case *c, const char *name, enum kind kind)
{
    const struct value *v = find(c, name);
    if (v == NULL || v->kind != kind) {
        fail(c->file->path, name, v == NULL ? "missing" : "of another type");
    }
    return v;
}

bool json_has(const json_case *c, const char *name)
{
    const struct value *v = find(c, name);
    return v != NULL && v->kind != NOTHING;
}

const char *json_string(const json_case *c, const char *name)
{
    return need(c, name, STRING)->text;
}

int64_t json_int(const json_case *c, const char *name)
{
    return need(c, name, INTEGER)->number;
}

static size_t decode_hex(const json_case *c, const char *name, const char *text, uint8_t *out,
                         size_t capacity)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    size_t size = strlen(text) / 2;
    if (strlen(text) % 2 != 0 || size > capacity) {
        fail(c->file->path, name, "an odd number of digits, or too long");
    }
    for (size_t i = 0; i < size; i++) {
        const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);
        if (high == NULL || low == NULL) {
            fail(c->file->path, name, "not hexadecimal");
        }
        out[i] = (uint8_t)((high - digits) % 16 * 16 + (low - digits) % 16);
    }
    return size;
}

size_t json_hex(const json_case *c, const char *name, uint8_t *out, size_t capacity)
{
    return decode_hex(c, name, json_string(c, name), out, capacity);
}

size_t json_length(const json_case *c, const char *name)
{
    return (size_t)need(c, name, ARRAY)->number;
}

static const struct value *need_item(const json_case *c, const char *name, size_t index,
                                     enum kind kind)
{
    const struct value *array = need(c, name, ARRAY);
    if (index >= (size_t)array->number || array[1 + index].kind != kind) {
        fail(c->file->path, name, "an item is missing or of another type");
    }
    return &array[1 + index];
}

size_t json_bytes(const json_case *c, const char *name, uint8_t *out, size_t capacity)
{
    size_t length = json_length(c, name);
    if (length > capacity) {
        fail(c->file->path, name, "too long");
    }
    for (size_t i = 0; i < length; i++) {
        int64_t number = need_item(c, name, i, INTEGER)->number;
        if (number < 0 || number > 255) {
            fail(c->file->path, name, "an item is not a byte");
        }
        out[i] = (uint8_t)number;
    }
    return length;
}

const char *json_item_string(const json_case *c, const char *name, size_t index)
{
    return need_item(c, name, index, STRING)->text;
}

size_t json_item_hex(const json_case *c, const char *name, size_t index, uint8_t *out,
                     size_t capacity)
{
    return decode_hex(c, name, json_item_string(c, name, index), out, capacity);
}
