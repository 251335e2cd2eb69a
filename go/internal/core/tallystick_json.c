//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/json as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/json/json.c ---- */
/*
 * See json.h. A first look at the text counts values, so that the tree and all its strings fit one
 * allocation. Open arrays and objects are on a stack of fixed size. */

/* ---- core/json/json.h ---- */
/*
 * JSON that a binding hands over, as a tree: RFC 8259 and nothing else, without a key that is there
 * twice. It is nested at most TALLY_JSON_DEPTH deep, and has TALLY_JSON_VALUES_MAX values at most, each
 * of which takes 73 bytes of memory.
 *
 * Values of TOML that JSON has not come as a table with one key: {"$date": "2000-12-31"},
 * {"$datetime": "2000-12-31T23:59:59"}, {"$time": "23:59:59"}, {"$float": "nan"}. */
#ifndef TALLY_JSON_JSON_H
#define TALLY_JSON_JSON_H

enum {
    TALLY_JSON_DEPTH = 64,          /* arrays and objects that lie in each other */
    TALLY_JSON_SIZE_MAX = 1 << 24,  /* bytes */
    TALLY_JSON_VALUES_MAX = 1 << 19 /* no policy and no key ring of 1 MiB has more */
};

typedef enum tally_json_kind {
    TALLY_JSON_NULL,
    TALLY_JSON_FALSE,
    TALLY_JSON_TRUE,
    TALLY_JSON_INTEGER,  /* within int64_t */
    TALLY_JSON_BIG,      /* a whole number beyond it */
    TALLY_JSON_FRACTION, /* a number with a fraction or exponent */
    TALLY_JSON_TEXT,
    TALLY_JSON_ARRAY,
    TALLY_JSON_OBJECT
} tally_json_kind;

typedef struct tally_json tally_json;
struct tally_json {
    tally_json_kind kind;
    uint32_t count;   /* items or members */
    const char *key;  /* of a member, decoded and zero-terminated; else NULL */
    size_t key_size;  /* without the zero; the key itself may have zeros */
    const char *text; /* a text, decoded; a number, as it was written; zero-terminated, else NULL */
    size_t size;      /* without the zero */
    int64_t integer;  /* of TALLY_JSON_INTEGER */
    const tally_json *first; /* item or member, in the order of the text, or NULL */
    const tally_json *next;  /* of the same array or object, or NULL */
};

typedef struct tally_json_document {
    const tally_json *root;
    const tally_allocator *allocator;
    void *memory;
    size_t size;
} tally_json_document;

/* Reads JSON in UTF-8, which need not be zero-terminated, into one allocation. The allocator must
 * live as long as the document.
 *
 * TALLY_ERROR_MEMORY; TALLY_ERROR_PROBLEM: it is not such JSON, and the problem names the byte.
 * `problem` may be NULL. */
TALLY_MUST_CHECK tally_status tally_json_parse(const tally_allocator *allocator, const char *text,
                                               size_t size, tally_json_document *out,
                                               tally_problem *problem);

/* Wipes and releases a document. One that was never read must be zeroed. */
void tally_json_free(tally_json_document *document);

/* The member of an object that has this name, or NULL. Any node but an object has none. */
const tally_json *tally_json_member(const tally_json *node, const char *name);

/* Whether a text, or a key, is equal to a zero-terminated one. */
int tally_json_is(const tally_json *node, const char *text);
int tally_json_key_is(const tally_json *node, const char *key);

/* The text of a value of TOML that JSON has not, such as "$date"; else NULL. */
const tally_json *tally_json_tagged(const tally_json *node, const char *tag);

/* What a value is, in the words of TOML: "text", "true or false", "a date", "a table". */
const char *tally_json_kind_text(const tally_json *node);

#endif

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

/* ---- core/base/sort.h ---- */
/*
 * Sorting of pointers in place, in a time that no order of them makes long. Equal ones may change
 * places. */
#ifndef TALLY_BASE_SORT_H
#define TALLY_BASE_SORT_H

/* As strcmp: below 0 if a comes before b, 0 if they are equal. */
typedef int tally_compare(const void *a, const void *b);

void tally_sort(const void **items, size_t count, tally_compare *compare);

/* The first of sorted items that does not come before `wanted`; `count` if there is none. */
size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare);

#endif

/* ---- core/base/writer.h ---- */
/*
 * Text into a buffer of fixed size: messages, identities, JSON. It is always zero-terminated. Text
 * that does not fit is cut at the end of a character, and the rest is counted alone. */
#ifndef TALLY_BASE_WRITER_H
#define TALLY_BASE_WRITER_H

/* ---- core/base/utf8.h ---- */
/*
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

enum { TALLY_UTF8_MAX_BYTES = 4 /* of a character */ };

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8. */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Decodes the character at text[*at], and moves *at behind it. A byte that does not begin valid
 * UTF-8 gives 0xdc00 plus the byte, and moves by one. *at < size. */
static inline uint32_t tally_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t point = 0xdc00U + bytes[*at];
    const uint32_t width = tally_utf8_decode(bytes + *at, bytes + size, &point);
    *at += width != 0 ? width : 1;
    return point;
}

#endif

typedef struct tally_writer {
    char *text;
    size_t capacity; /* with the zero, at least 1 */
    size_t size;     /* written, without the zero */
    size_t needed;   /* what the size would be without the limit: cut if needed > size */
} tally_writer;

/* Begins an empty text in a buffer of `capacity` bytes, at least 1. */
void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity);

/* Begins the text of a problem. Its place becomes empty. */
void tally_writer_problem(tally_writer *writer, tally_problem *problem);

void tally_write(tally_writer *writer, const char *text); /* zero-terminated */
void tally_write_bytes(tally_writer *writer, const char *text, size_t size);
void tally_write_char(tally_writer *writer, char c);
void tally_write_int(tally_writer *writer, int64_t value);
void tally_write_uint(tally_writer *writer, uint64_t value);

/* UTF-8 in quotes, as Python's repr writes a str: 'a', "it's", 'line\n'. Characters that many
 * terminals do not show are escaped; which code points are unassigned is not known here. */
void tally_write_repr(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of JSON in ASCII, as json.dumps(ensure_ascii=True) writes it. */
void tally_write_json(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of TOML. */
void tally_write_toml(tally_writer *writer, const char *text, size_t size);

/* A key as TOML writes it: bare, or in double quotes. */
void tally_write_key(tally_writer *writer, const char *key, size_t size);

/* Appends a key to a dotted path: the path's first key has no dot before it. */
void tally_write_path(tally_writer *writer, const char *key, size_t size);

/* Whether a character is shown: no control, no space but that of ASCII, nothing invisible, no
 * private use. As str.isprintable, but for code points that are not assigned. */
int tally_is_shown(uint32_t c);

#endif

typedef struct json_parser {
    const char *text;
    size_t size, at;
    const char *wrong; /* why parsing ended, or NULL */
    size_t wrong_at;
    tally_json *nodes;   /* the next free one */
    char *strings;       /* the next free byte */
    const void **sorted; /* room for as many as there are nodes */
    tally_json *open[TALLY_JSON_DEPTH];
    tally_json *last[TALLY_JSON_DEPTH]; /* the last item of each open one, or NULL */
    size_t depth;
} json_parser;

/* Each value begins the text, or follows one of these outside of strings. Counting ends where reading
 * will at the latest, so that brackets and commas alone take little memory, and where there are too
 * many. */
static size_t json_count_values(const char *text, size_t size)
{
    size_t count = 1, depth = 0;
    int quoted = 0;
    char before = '\0'; /* the last one that is no space */
    for (size_t i = 0; i < size && count <= TALLY_JSON_VALUES_MAX; i++) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        if (c == '[' || c == '{') {
            count++;
            if (++depth > TALLY_JSON_DEPTH) {
                break;
            }
        } else if (c == ',') {
            count++;
            if (before == ',' || before == '[' || before == '{') {
                break;
            }
        } else if ((c == ']' || c == '}') && depth-- == 0) {
            break;
        }
        quoted = c == '"';
        before = c;
    }
    return count;
}

static int json_refuse(json_parser *parser, size_t at, const char *wrong)
{
    if (parser->wrong == NULL) {
        parser->wrong = wrong;
        parser->wrong_at = at;
    }
    return 0;
}

static int json_peek(const json_parser *parser)
{
    return parser->at < parser->size ? (uint8_t)parser->text[parser->at] : -1;
}

static void json_skip_space(json_parser *parser)
{
    int c = json_peek(parser);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        parser->at++;
        c = json_peek(parser);
    }
}

static int json_take(json_parser *parser, char wanted)
{
    if (json_peek(parser) != (uint8_t)wanted) {
        return 0;
    }
    parser->at++;
    return 1;
}

/* Four hexadecimal digits; -1 if they are not. */
static int32_t json_hex4(json_parser *parser)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const int c = json_peek(parser), lower = c | 0x20;
        if (c >= '0' && c <= '9') {
            value = value * 16 + (c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            value = value * 16 + (lower - 'a' + 10);
        } else {
            return -1;
        }
        parser->at++;
    }
    return value;
}

/* Appends a character to the string that is being made. Its escape took at least as many bytes. */
static void json_append(json_parser *parser, uint32_t c)
{
    parser->strings += tally_utf8_encode(c, (uint8_t *)parser->strings);
}

/* What follows a backslash. */
static int json_read_escape(json_parser *parser)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const size_t start = parser->at - 1;
    const int c = json_peek(parser);
    const char *name = c > 0 ? strchr(names, c) : NULL;
    if (name != NULL) {
        parser->at++;
        json_append(parser, (uint8_t)meant[name - names]);
        return 1;
    }
    if (!json_take(parser, 'u')) {
        return json_refuse(parser, start, "this escape is not one of JSON's");
    }
    const int32_t high = json_hex4(parser);
    if (high < 0) {
        return json_refuse(parser, start, "\\u needs four hexadecimal digits");
    }
    if (high < 0xd800 || high > 0xdfff) {
        json_append(parser, (uint32_t)high);
        return 1;
    }
    if (high < 0xdc00 && json_take(parser, '\\') && json_take(parser, 'u')) {
        const int32_t low = json_hex4(parser);
        if (low >= 0xdc00 && low <= 0xdfff) {
            json_append(parser,
                        0x10000 + (((uint32_t)high & 0x3ff) << 10) + ((uint32_t)low & 0x3ff));
            return 1;
        }
    }
    return json_refuse(parser, start, "half of a surrogate pair stands alone");
}

/* A string, at its first quote. */
static int json_read_string(json_parser *parser, const char **text, size_t *size)
{
    const size_t start = parser->at;
    char *const out = parser->strings;
    if (!json_take(parser, '"')) {
        return json_refuse(parser, start, "a string in double quotes must stand here");
    }
    while (!json_take(parser, '"')) {
        const int c = json_peek(parser);
        if (c < 0) {
            return json_refuse(parser, start, "this string has no end");
        }
        if (c < 0x20) {
            return json_refuse(parser, parser->at, "a control character must be escaped");
        }
        if (c == '\\') {
            parser->at++;
            if (!json_read_escape(parser)) {
                return 0;
            }
        } else if (c < 0x80) {
            parser->at++;
            *parser->strings++ = (char)c;
        } else {
            const size_t before = parser->at;
            const uint32_t point = tally_utf8_next(parser->text, parser->size, &parser->at);
            if (point >= 0xd800 && point < 0xe000) {
                return json_refuse(parser, before, "this is not UTF-8");
            }
            json_append(parser, point);
        }
    }
    *text = out;
    *size = (size_t)(parser->strings - out);
    *parser->strings++ = '\0';
    return 1;
}

static size_t json_read_digits(json_parser *parser)
{
    const size_t start = parser->at;
    while (json_peek(parser) >= '0' && json_peek(parser) <= '9') {
        parser->at++;
    }
    return parser->at - start;
}

/* The value of a whole number; 0 if it is not within int64_t. */
static int json_int64(const char *digits, int64_t *out)
{
    const int negative = digits[0] == '-';
    const uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative;
    uint64_t value = 0;
    for (const char *c = digits + negative; *c != '\0'; c++) {
        const uint64_t digit = (uint64_t)(*c - '0');
        if (value > (limit - digit) / 10) {
            return 0;
        }
        value = value * 10 + digit;
    }
    *out = !negative || value == 0 ? (int64_t)value : -(int64_t)(value - 1) - 1;
    return 1;
}

static int json_read_number(json_parser *parser, tally_json *node)
{
    const size_t start = parser->at;
    int whole = 1;
    json_take(parser, '-');
    const size_t first = parser->at, digits = json_read_digits(parser);
    if (digits == 0) {
        return json_refuse(parser, start, "a value must stand here");
    }
    if (digits > 1 && parser->text[first] == '0') {
        return json_refuse(parser, start, "a number must not begin with 0");
    }
    if (json_take(parser, '.')) {
        whole = 0;
        if (json_read_digits(parser) == 0) {
            return json_refuse(parser, start, "digits must follow the point of a number");
        }
    }
    if (json_take(parser, 'e') || json_take(parser, 'E')) {
        whole = 0;
        if (!json_take(parser, '+')) {
            json_take(parser, '-');
        }
        if (json_read_digits(parser) == 0) {
            return json_refuse(parser, start, "digits must follow the exponent of a number");
        }
    }
    node->size = parser->at - start;
    memcpy(parser->strings, parser->text + start, node->size);
    parser->strings[node->size] = '\0';
    node->text = parser->strings;
    parser->strings += node->size + 1;
    node->kind = !whole                                   ? TALLY_JSON_FRACTION
                 : json_int64(node->text, &node->integer) ? TALLY_JSON_INTEGER
                                                          : TALLY_JSON_BIG;
    return 1;
}

static int json_read_word(json_parser *parser, tally_json *node)
{
    static const char *const words[] = {"null", "false", "true"}; /* in the order of the kinds */
    for (int i = 0; i < 3; i++) {
        const size_t size = strlen(words[i]);
        if (parser->size - parser->at >= size &&
            memcmp(parser->text + parser->at, words[i], size) == 0) {
            parser->at += size;
            node->kind = (tally_json_kind)i;
            return 1;
        }
    }
    return json_read_number(parser, node);
}

/* Orders members by their keys. */
static int json_compare(const void *one, const void *other)
{
    const tally_json *const a = one, *const b = other;
    const size_t common = a->key_size < b->key_size ? a->key_size : b->key_size;
    const int order = common == 0 ? 0 : memcmp(a->key, b->key, common);
    return order != 0 ? order : (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

/* Whether a key is there twice. Sorts, so that an object of a million members costs little.
 * `sorted` has room for all members. */
static int json_has_twice(const tally_json *object, const void **sorted)
{
    size_t count = 0;
    for (const tally_json *member = object->first; member != NULL; member = member->next) {
        sorted[count++] = member;
    }
    tally_sort(sorted, count, json_compare);
    for (size_t i = 1; i < count; i++) {
        if (json_compare(sorted[i - 1], sorted[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Puts a new value behind the last one of the innermost open array or object. */
static tally_json *json_add(json_parser *parser)
{
    tally_json *const node = parser->nodes++;
    memset(node, 0, sizeof *node);
    if (parser->depth > 0) {
        tally_json *const parent = parser->open[parser->depth - 1];
        tally_json **const last = &parser->last[parser->depth - 1];
        if (*last == NULL) {
            parent->first = node;
        } else {
            (*last)->next = node;
        }
        *last = node;
        parent->count++;
    }
    return node;
}

/* Reads the start of a value, with its key if it is a member: a whole value, or a bracket. */
static int json_read_value(json_parser *parser)
{
    tally_json *const node = json_add(parser);
    json_skip_space(parser);
    if (parser->depth > 0 && parser->open[parser->depth - 1]->kind == TALLY_JSON_OBJECT) {
        if (!json_read_string(parser, &node->key, &node->key_size)) {
            return 0;
        }
        json_skip_space(parser);
        if (!json_take(parser, ':')) {
            return json_refuse(parser, parser->at, "a colon must stand here");
        }
        json_skip_space(parser);
    }
    const int c = json_peek(parser);
    if (c == '"') {
        node->kind = TALLY_JSON_TEXT;
        return json_read_string(parser, &node->text, &node->size);
    }
    if (c != '[' && c != '{') {
        return json_read_word(parser, node);
    }
    if (parser->depth == TALLY_JSON_DEPTH) {
        return json_refuse(parser, parser->at, "it is nested too deep");
    }
    node->kind = c == '[' ? TALLY_JSON_ARRAY : TALLY_JSON_OBJECT;
    parser->open[parser->depth] = node;
    parser->last[parser->depth++] = NULL;
    parser->at++;
    return 1;
}

/* Reads the brackets that end arrays and objects here. */
static int json_read_ends(json_parser *parser)
{
    for (json_skip_space(parser); parser->depth > 0; json_skip_space(parser)) {
        const tally_json *const inner = parser->open[parser->depth - 1];
        const size_t end = parser->at;
        if (!json_take(parser, inner->kind == TALLY_JSON_ARRAY ? ']' : '}')) {
            return 1;
        }
        if (inner->kind == TALLY_JSON_OBJECT && json_has_twice(inner, parser->sorted)) {
            return json_refuse(parser, end, "the object that ends here has a key twice");
        }
        parser->depth--;
    }
    return 1;
}

/* Whether the array or object that has just begun has a first item or member. */
static int json_goes_inside(json_parser *parser)
{
    const tally_json *const node = parser->nodes - 1;
    if (parser->depth == 0 || parser->open[parser->depth - 1] != node) {
        return 0;
    }
    json_skip_space(parser);
    return json_peek(parser) != (node->kind == TALLY_JSON_ARRAY ? ']' : '}');
}

static int json_read(json_parser *parser)
{
    do {
        do {
            if (!json_read_value(parser)) {
                return 0;
            }
        } while (json_goes_inside(parser));
        if (!json_read_ends(parser)) {
            return 0;
        }
    } while (parser->depth > 0 && json_take(parser, ','));
    if (parser->depth > 0) {
        return json_refuse(parser, parser->at,
                           "a comma, or the end of the array or object, must stand here");
    }
    return parser->at == parser->size ||
           json_refuse(parser, parser->at, "nothing may follow the value");
}

static tally_status json_too_large(tally_problem *problem, size_t most, const char *of_what)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "this JSON is too large: at most ");
        tally_write_uint(&writer, most);
        tally_write(&writer, of_what);
    }
    return TALLY_ERROR_PROBLEM;
}

static tally_status json_problem(tally_problem *problem, const char *wrong, size_t at)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "this is not JSON: ");
        tally_write(&writer, wrong);
        tally_write(&writer, " (byte ");
        tally_write_uint(&writer, at);
        tally_write(&writer, ")");
    }
    return TALLY_ERROR_PROBLEM;
}

tally_status tally_json_parse(const tally_allocator *allocator, const char *text, size_t size,
                              tally_json_document *out, tally_problem *problem)
{
    if (size > TALLY_JSON_SIZE_MAX) {
        return json_too_large(problem, TALLY_JSON_SIZE_MAX, " bytes are allowed");
    }
    const size_t values = json_count_values(text, size);
    if (values > TALLY_JSON_VALUES_MAX) {
        return json_too_large(problem, TALLY_JSON_VALUES_MAX, " values are allowed");
    }
    const size_t for_each = sizeof(tally_json) + sizeof(void *) + 1;
    tally_json_document made = {NULL, allocator, NULL, values * for_each + size};
    made.memory = tally_allocate(allocator, made.size);
    if (made.memory == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_json *const nodes = made.memory;
    const void **const sorted = (const void **)(void *)(nodes + values);
    json_parser parser = {.text = text, .size = size, .nodes = nodes, .sorted = sorted};
    parser.strings = (char *)(void *)(sorted + values);
    if (!json_read(&parser)) {
        tally_json_free(&made);
        return json_problem(problem, parser.wrong, parser.wrong_at);
    }
    made.root = nodes;
    *out = made;
    return TALLY_OK;
}

void tally_json_free(tally_json_document *document)
{
    tally_release_wiped(document->allocator, document->memory, document->size);
    document->root = NULL;
    document->memory = NULL;
    document->size = 0;
}

static int json_equal(const char *text, size_t size, const char *wanted)
{
    return text != NULL && strlen(wanted) == size && memcmp(text, wanted, size) == 0;
}

int tally_json_is(const tally_json *node, const char *text)
{
    return node->kind == TALLY_JSON_TEXT && json_equal(node->text, node->size, text);
}

int tally_json_key_is(const tally_json *node, const char *key)
{
    return json_equal(node->key, node->key_size, key);
}

const tally_json *tally_json_member(const tally_json *node, const char *name)
{
    if (node->kind == TALLY_JSON_OBJECT) {
        for (const tally_json *member = node->first; member != NULL; member = member->next) {
            if (tally_json_key_is(member, name)) {
                return member;
            }
        }
    }
    return NULL;
}

const tally_json *tally_json_tagged(const tally_json *node, const char *tag)
{
    return node->kind == TALLY_JSON_OBJECT && node->count == 1 &&
                   node->first->kind == TALLY_JSON_TEXT && tally_json_key_is(node->first, tag)
               ? node->first
               : NULL;
}

const char *tally_json_kind_text(const tally_json *node)
{
    switch (node->kind) {
    case TALLY_JSON_NULL:
        return "nothing";
    case TALLY_JSON_FALSE:
    case TALLY_JSON_TRUE:
        return "true or false";
    case TALLY_JSON_INTEGER:
    case TALLY_JSON_BIG:
        return "a whole number";
    case TALLY_JSON_FRACTION:
        return "a number with a fraction or exponent";
    case TALLY_JSON_TEXT:
        return "text";
    case TALLY_JSON_ARRAY:
        return "an array";
    default:
        return tally_json_tagged(node, "$date") != NULL       ? "a date"
               : tally_json_tagged(node, "$datetime") != NULL ? "a date with a time"
               : tally_json_tagged(node, "$time") != NULL     ? "a time"
               : tally_json_tagged(node, "$float") != NULL ? "a number with a fraction or exponent"
                                                           : "a table";
    }
}

TALLY_VISIBILITY_POP
