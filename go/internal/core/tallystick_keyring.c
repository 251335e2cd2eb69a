//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/keyring as one file. Made by
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
/* ---- core/keyring/document.c ---- */
/*
 * See document.h. A text is accepted only if writing what was read gives the same bytes. That one
 * rule refuses other spacing or order, and loose base64; and it puts the MAC last. */

/* ---- core/keyring/document.h ---- */
/*
 * The text of a ring's file: strict JSON with one spelling for each content. */
#ifndef TALLY_KEYRING_DOCUMENT_H
#define TALLY_KEYRING_DOCUMENT_H

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

enum {
    TALLY_KEYRING_NONCE = 12,
    TALLY_KEYRING_EXPANSION = TALLY_KEYRING_NONCE + 16, /* bytes that wrapping adds: also a tag */
    TALLY_KEYRING_TAIL = 64 + 4 /* bytes after the authenticated part: the MAC's digits, the end */
};

typedef struct tally_keyring_entry {
    tally_key_id id;
    uint32_t size;
    const char *created;
    uint8_t wrapped[TALLY_KEYRING_EXPANSION + TALLY_DATA_KEY_SIZE_MAX]; /* nonce, key, tag */
} tally_keyring_entry;

/* What a file says; texts are those of `json`. Nothing of it is authenticated. */
typedef struct tally_keyring_document {
    tally_json_document json;
    uint8_t id[16];
    const char *id_text; /* in hexadecimal */
    tally_root root;
    const tally_json *holders; /* the first, or NULL */
    uint8_t check[16], mac[32];
    tally_keyring_entry *entries;
    size_t count, capacity;
} tally_keyring_document;

/* Reads a file; it is strict, and nothing is authenticated. The rest as tally_keyring_read. */
TALLY_MUST_CHECK tally_status tally_keyring_decode(const tally_allocator *allocator,
                                                   const char *text, size_t size,
                                                   tally_keyring_document *out,
                                                   tally_problem *problem);

void tally_keyring_document_free(const tally_allocator *allocator,
                                 tally_keyring_document *document);

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

/* ---- core/keyring/key_id.h ---- */
/*
 * What a data key is called, for use inside the core. */
#ifndef TALLY_KEYRING_KEY_ID_H
#define TALLY_KEYRING_KEY_ID_H

/* 1 to 64 of a-z, 0-9, '_', '.' and '-', of which the first is a letter or digit. */
int tally_key_name_is_valid(const char *name, size_t size);

int tally_key_id_equal(const tally_key_id *a, const tally_key_id *b);

/* Writes the reference: people:1. */
void tally_write_key_id(tally_writer *writer, const tally_key_id *id);

#endif

enum { DOCUMENT_HOLDER_MAX = 64 /* characters */ };

/* A reader: the first thing that is wrong ends it. */
typedef struct document_reader {
    const tally_allocator *allocator;
    tally_keyring_document *out;
    int in_root;               /* it reads the field root */
    size_t entry;              /* it reads keys[entry - 1]; 0: none */
    const char *wrong;         /* what is wrong with... */
    const char *field;         /* ...this one of those, or NULL */
    const tally_json *unknown; /* a field that does not belong there, or NULL */
} document_reader;

static int document_refuse(document_reader *reader, const char *field, const char *wrong)
{
    if (reader->wrong == NULL) {
        reader->wrong = wrong;
        reader->field = field;
    }
    return 0;
}

/* Whether an object has these members and no others. `field` is what it is in. */
static int document_has_fields(document_reader *reader, const tally_json *object, const char *field,
                               const char *const *names, size_t count)
{
    if (object == NULL || object->kind != TALLY_JSON_OBJECT) {
        return document_refuse(reader, field, "must be an object");
    }
    for (const tally_json *member = object->first; member != NULL; member = member->next) {
        size_t i = 0;
        while (i < count && !tally_json_key_is(member, names[i])) {
            i++;
        }
        if (i == count) {
            reader->unknown = member;
            return document_refuse(reader, field, "there is no such field: ");
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (tally_json_member(object, names[i]) == NULL) {
            return document_refuse(reader, names[i], "is missing");
        }
    }
    return 1;
}

static const tally_json *document_text(document_reader *reader, const tally_json *object,
                                       const char *field)
{
    const tally_json *const node = tally_json_member(object, field);
    if (node != NULL && node->kind == TALLY_JSON_TEXT && strlen(node->text) == node->size) {
        return node;
    }
    document_refuse(reader, field, "must be text");
    return NULL;
}

static int document_number(document_reader *reader, const tally_json *object, const char *field,
                           int64_t least, int64_t most, uint32_t *out)
{
    const tally_json *const node = tally_json_member(object, field);
    if (node == NULL || node->kind != TALLY_JSON_INTEGER || node->integer < least ||
        node->integer > most) {
        return document_refuse(reader, field, "must be a whole number within its range");
    }
    *out = (uint32_t)node->integer;
    return 1;
}

static int document_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int document_hex(document_reader *reader, const tally_json *object, const char *field,
                        uint8_t *out, size_t size)
{
    const tally_json *const node = document_text(reader, object, field);
    int valid = node != NULL && node->size == 2 * size;
    for (size_t i = 0; i < size && valid; i++) {
        const int high = document_hex_digit(node->text[2 * i]);
        const int low = document_hex_digit(node->text[2 * i + 1]);
        valid = high >= 0 && low >= 0;
        out[i] = (uint8_t)(valid ? high * 16 + low : 0);
    }
    return valid ||
           document_refuse(reader, field, "must be hexadecimal digits, as many as belong there");
}

static uint32_t document_digits(const char *text, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    return value;
}

/* A time in UTC to the second: 2026-01-02T03:04:05Z. */
static const char *document_time(document_reader *reader, const tally_json *object)
{
    static const char pattern[] = "0000-00-00T00:00:00Z";
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const tally_json *const node = document_text(reader, object, "created");
    int valid = node != NULL && node->size == sizeof pattern - 1;
    for (size_t i = 0; i < sizeof pattern - 1 && valid; i++) {
        valid = pattern[i] == '0' ? node->text[i] >= '0' && node->text[i] <= '9'
                                  : node->text[i] == pattern[i];
    }
    if (valid) {
        const char *const text = node->text;
        const uint32_t year = document_digits(text, 4), month = document_digits(text + 5, 2);
        const uint32_t day = document_digits(text + 8, 2);
        const uint32_t leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        valid = year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
                day <= days[month - 1] + (month == 2 ? leap : 0) &&
                document_digits(text + 11, 2) < 24 && document_digits(text + 14, 2) < 60 &&
                document_digits(text + 17, 2) < 60;
    }
    if (!valid) {
        document_refuse(reader, "created", "must be a time in UTC (Z), to the second");
        return NULL;
    }
    return node->text;
}

static int document_base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Base64 of exactly `size` bytes: padded, and with zeros in the bits that are not used. */
static int document_base64(document_reader *reader, const tally_json *node, uint8_t *out,
                           size_t size)
{
    if (node != NULL && node->size % 4 == 0 && node->size != (size + 2) / 3 * 4) {
        return document_refuse(reader, NULL, "the length of a wrapped key does not match its size");
    }
    int valid = node != NULL && node->size % 4 == 0;
    for (size_t group = 0; group * 3 < size && valid; group++) {
        const size_t bytes = size - group * 3 < 3 ? size - group * 3 : 3;
        uint32_t bits = 0;
        for (size_t i = 0; i < 4 && valid; i++) {
            const char c = node->text[group * 4 + i];
            const int digit = document_base64_digit(c);
            valid = i <= bytes ? digit >= 0 : c == '=';
            bits = bits << 6 | (uint32_t)(i <= bytes && valid ? digit : 0);
        }
        valid &= (bits & (0xffffffU >> (8 * bytes))) == 0;
        for (size_t i = 0; i < bytes; i++) {
            out[group * 3 + i] = (uint8_t)(bits >> (16 - 8 * i));
        }
    }
    return valid || document_refuse(reader, "wrapped", "must be base64 with padding");
}

static int document_read_holders(document_reader *reader, const tally_json *root)
{
    const tally_json *const holders = tally_json_member(root, "holders");
    if (holders->kind != TALLY_JSON_ARRAY) {
        return document_refuse(reader, "holders", "must be an array");
    }
    if (holders->count != reader->out->root.count) {
        return document_refuse(reader, NULL, "there must be a holder for each share");
    }
    for (const tally_json *holder = holders->first; holder != NULL; holder = holder->next) {
        size_t characters = 0;
        int valid = holder->kind == TALLY_JSON_TEXT && holder->size > 0;
        for (size_t at = 0; valid && at < holder->size; characters++) {
            valid = tally_is_shown(tally_utf8_next(holder->text, holder->size, &at));
        }
        if (!valid || characters > DOCUMENT_HOLDER_MAX || holder->text[0] == ' ' ||
            holder->text[holder->size - 1] == ' ') {
            return document_refuse(reader, NULL,
                                   "a holder is 1 to 64 printable characters, without spaces at "
                                   "its ends");
        }
        for (const tally_json *other = holders->first; other != holder; other = other->next) {
            if (tally_json_is(other, holder->text)) {
                return document_refuse(reader, NULL, "a holder is listed twice");
            }
        }
    }
    reader->out->holders = holders->first;
    return 1;
}

static int document_read_root_of_kind(document_reader *reader, const tally_json *object)
{
    static const char *const key_fields[] = {"kind"};
    static const char *const scrypt_fields[] = {"kind", "salt", "n", "r", "p"};
    static const char *const shares_fields[] = {"kind", "set", "threshold", "count", "holders"};
    const tally_json *const node = tally_json_member(object, "root");
    const tally_json *const kind = tally_json_member(node, "kind");
    tally_root *const root = &reader->out->root;
    if (kind != NULL && tally_json_is(kind, "key")) {
        root->kind = TALLY_ROOT_KEY;
        return document_has_fields(reader, node, NULL, key_fields, 1);
    }
    if (kind != NULL && tally_json_is(kind, "scrypt")) {
        root->kind = TALLY_ROOT_SCRYPT;
        return document_has_fields(reader, node, NULL, scrypt_fields, 5) &&
               document_hex(reader, node, "salt", root->salt, 16) &&
               document_number(reader, node, "n", 1 << 14, 1 << 18, &root->n) &&
               ((root->n & (root->n - 1)) == 0 ||
                document_refuse(reader, NULL, "scrypt's n must be a power of two")) &&
               document_number(reader, node, "r", 8, 8, &root->r) &&
               document_number(reader, node, "p", 1, 4, &root->p);
    }
    if (kind != NULL && tally_json_is(kind, "shares")) {
        root->kind = TALLY_ROOT_SHARES;
        return document_has_fields(reader, node, NULL, shares_fields, 5) &&
               document_hex(reader, node, "set", root->set, 16) &&
               document_number(reader, node, "threshold", 2, 255, &root->threshold) &&
               document_number(reader, node, "count", 2, 255, &root->count) &&
               (root->threshold <= root->count ||
                document_refuse(reader, NULL, "the threshold is above the number of shares")) &&
               document_read_holders(reader, node);
    }
    return document_refuse(reader, NULL, "must be an object of a known kind");
}

static int document_read_root(document_reader *reader, const tally_json *object)
{
    reader->in_root = 1;
    const int valid = document_read_root_of_kind(reader, object);
    reader->in_root = !valid; /* it stays for the message */
    return valid;
}

static int document_read_entry(document_reader *reader, const tally_json *node,
                               tally_keyring_entry *out)
{
    static const char *const fields[] = {"name", "version", "created", "size", "wrapped"};
    if (!document_has_fields(reader, node, NULL, fields, 5)) {
        return 0;
    }
    const tally_json *const name = document_text(reader, node, "name");
    if (name == NULL || !tally_key_name_is_valid(name->text, name->size)) {
        return document_refuse(reader, "name",
                               "must be 1 to 64 of a-z, 0-9, '_', '.' and '-', and start with a "
                               "letter or digit");
    }
    memset(out, 0, sizeof *out);
    memcpy(out->id.name, name->text, name->size);
    out->created = document_time(reader, node);
    return out->created != NULL &&
           document_number(reader, node, "version", 1, UINT32_MAX, &out->id.version) &&
           document_number(reader, node, "size", 16, 32, &out->size) &&
           (out->size % 8 == 0 || document_refuse(reader, "size", "must be 16, 24 or 32")) &&
           document_base64(reader, document_text(reader, node, "wrapped"), out->wrapped,
                           out->size + TALLY_KEYRING_EXPANSION);
}

/* A file has about 4000 keys, so it is enough to compare each with each. */
static int document_is_twice(const tally_keyring_document *document)
{
    const tally_keyring_entry *const last = &document->entries[document->count - 1];
    for (const tally_keyring_entry *other = document->entries; other < last; other++) {
        if (tally_key_id_equal(&other->id, &last->id)) {
            return 1;
        }
    }
    return 0;
}

static int document_read(document_reader *reader, const tally_json *root)
{
    static const char *const fields[] = {"format", "version", "ring", "created",
                                         "root",   "check",   "keys", "mac"};
    tally_keyring_document *const out = reader->out;
    if (!document_has_fields(reader, root, NULL, fields, 8) ||
        !document_hex(reader, root, "ring", out->id, 16) || document_time(reader, root) == NULL ||
        !document_read_root(reader, root) || !document_hex(reader, root, "check", out->check, 16) ||
        !document_hex(reader, root, "mac", out->mac, 32)) {
        return 0;
    }
    out->id_text = tally_json_member(root, "ring")->text;
    const tally_json *const keys = tally_json_member(root, "keys");
    if (keys->kind != TALLY_JSON_ARRAY) {
        return document_refuse(reader, "keys", "must be an array");
    }
    if (keys->count > 0) {
        out->capacity = keys->count;
        out->entries = tally_allocate_many(reader->allocator, keys->count, sizeof *out->entries);
        if (out->entries == NULL) {
            return 0;
        }
    }
    for (const tally_json *key = keys->first; key != NULL; key = key->next) {
        reader->entry = out->count + 1;
        if (!document_read_entry(reader, key, &out->entries[out->count])) {
            return 0;
        }
        out->count++;
        if (document_is_twice(out)) {
            return document_refuse(reader, NULL, "a name and version are listed twice");
        }
    }
    return 1;
}

static void document_write_field(tally_writer *writer, const tally_json *object, const char *name,
                                 const char *indent, const char *before)
{
    const tally_json *const node = tally_json_member(object, name);
    tally_write(writer, before);
    tally_write(writer, indent);
    tally_write_json(writer, name, strlen(name));
    tally_write(writer, ": ");
    if (node->kind == TALLY_JSON_TEXT) {
        tally_write_json(writer, node->text, node->size);
    } else {
        tally_write_int(writer, node->integer);
    }
}

/* Writes what was read in its one spelling, as Python's json with an indent of two. */
static void document_write(tally_writer *writer, const tally_keyring_document *document)
{
    static const char *const heads[] = {"format", "version", "ring", "created"};
    static const char *const roots[][4] = {
        {NULL}, {"salt", "n", "r", "p"}, {"set", "threshold", "count", NULL}};
    static const char *const entries[] = {"name", "version", "created", "size", "wrapped"};
    const tally_json *const object = document->json.root;
    const tally_json *const root = tally_json_member(object, "root");
    const tally_json *const keys = tally_json_member(object, "keys");
    for (size_t i = 0; i < 4; i++) {
        document_write_field(writer, object, heads[i], "  ", i == 0 ? "{\n" : ",\n");
    }
    tally_write(writer, ",\n  \"root\": ");
    document_write_field(writer, root, "kind", "    ", "{\n");
    for (size_t i = 0; i < 4 && roots[document->root.kind][i] != NULL; i++) {
        document_write_field(writer, root, roots[document->root.kind][i], "    ", ",\n");
    }
    if (document->holders != NULL) {
        tally_write(writer, ",\n    \"holders\": [");
        for (const tally_json *holder = document->holders; holder != NULL; holder = holder->next) {
            tally_write(writer, holder == document->holders ? "\n      " : ",\n      ");
            tally_write_json(writer, holder->text, holder->size);
        }
        tally_write(writer, "\n    ]");
    }
    tally_write(writer, "\n  }");
    document_write_field(writer, object, "check", "  ", ",\n");
    tally_write(writer, ",\n  \"keys\": [");
    for (const tally_json *key = keys->first; key != NULL; key = key->next) {
        tally_write(writer, key == keys->first ? "\n    {\n" : ",\n    {\n");
        for (size_t i = 0; i < 5; i++) {
            document_write_field(writer, key, entries[i], "      ", i == 0 ? "" : ",\n");
        }
        tally_write(writer, "\n    }");
    }
    tally_write(writer, keys->first == NULL ? "]" : "\n  ]");
    document_write_field(writer, object, "mac", "  ", ",\n");
    tally_write(writer, "\n}\n");
}

/* Whether this is the one spelling of what was read. TALLY_ERROR_MEMORY. */
static tally_status document_check_spelling(const tally_allocator *allocator, const char *text,
                                            size_t size, const tally_keyring_document *document,
                                            tally_writer *problem)
{
    char *const written = tally_allocate(allocator, size + 1);
    tally_writer writer;
    if (written == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_writer_init(&writer, written, size + 1);
    document_write(&writer, document);
    const int equal = writer.needed == size && memcmp(written, text, size) == 0;
    tally_release(allocator, written, size + 1);
    if (!equal) {
        tally_write(
            problem,
            "the file was edited or reformatted: Tallystick writes another text "
            "(a field occurs twice, or spacing or order differ); restore the file from a backup");
    }
    return equal ? TALLY_OK : TALLY_ERROR_KEYRING;
}

/* Looks at as much as any version of the format has, to name a newer one. */
static tally_status document_check_head(const tally_json *root, tally_writer *problem)
{
    const tally_json *const format = tally_json_member(root, "format");
    const tally_json *const version = tally_json_member(root, "version");
    if (format == NULL || version == NULL || format->kind != TALLY_JSON_TEXT ||
        version->kind != TALLY_JSON_INTEGER) {
        tally_write(problem, "not a valid key ring: it has no format and version; restore the file "
                             "from a backup");
    } else if (!tally_json_is(format, "tallystick-keyring")) {
        tally_write(problem, "not a Tallystick key ring; check the path");
    } else if (version->integer != 1) {
        tally_write(problem, "key ring format ");
        tally_write_int(problem, version->integer);
        tally_write(problem, ", and this Tallystick reads format 1; use the Tallystick that wrote "
                             "it, or a newer one");
    } else {
        return TALLY_OK;
    }
    return TALLY_ERROR_KEYRING;
}

static int document_begins_object(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
        at++;
    }
    return at < size && text[at] == '{';
}

/* Says what is wrong and where: "keys[0].size must be 16, 24 or 32". */
static tally_status document_invalid(tally_writer *problem, const document_reader *reader,
                                     const char *json)
{
    const int inside = reader->in_root || reader->entry > 0;
    tally_write(problem, "not a valid key ring: ");
    if (reader->in_root) {
        tally_write(problem, "root");
    } else if (reader->entry > 0) {
        tally_write(problem, "keys[");
        tally_write_uint(problem, reader->entry - 1);
        tally_write(problem, "]");
    }
    if (reader->field != NULL) {
        tally_write(problem, inside ? "." : "");
        tally_write(problem, reader->field);
    }
    tally_write(problem, reader->field != NULL ? " " : inside ? ": " : "");
    tally_write(problem, json != NULL ? json : reader->wrong);
    if (reader->unknown != NULL) {
        tally_write_repr(problem, reader->unknown->key, reader->unknown->key_size);
    }
    tally_write(problem, "; restore the file from a backup");
    return TALLY_ERROR_KEYRING;
}

static tally_status document_decode(const tally_allocator *allocator, const char *text, size_t size,
                                    tally_keyring_document *out, tally_writer *problem)
{
    document_reader reader = {.allocator = allocator, .out = out};
    tally_problem json;
    if (size > TALLY_KEYRING_SIZE_MAX) {
        tally_write(problem, "not a key ring: it is larger than 1 MiB; check the path");
        return TALLY_ERROR_KEYRING;
    }
    if (!document_begins_object(text, size)) {
        tally_write(problem, "not a key ring; check the path");
        return TALLY_ERROR_KEYRING;
    }
    tally_status status = tally_json_parse(allocator, text, size, &out->json, &json);
    if (status != TALLY_OK) {
        return status == TALLY_ERROR_MEMORY ? status
                                            : document_invalid(problem, &reader, json.text);
    }
    status = document_check_head(out->json.root, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (!document_read(&reader, out->json.root)) {
        return reader.wrong == NULL ? TALLY_ERROR_MEMORY : document_invalid(problem, &reader, NULL);
    }
    return document_check_spelling(allocator, text, size, out, problem);
}

tally_status tally_keyring_decode(const tally_allocator *allocator, const char *text, size_t size,
                                  tally_keyring_document *out, tally_problem *problem)
{
    tally_keyring_document made;
    tally_problem ignored;
    tally_writer writer;
    memset(&made, 0, sizeof made);
    tally_writer_problem(&writer, problem == NULL ? &ignored : problem);
    const tally_status status = document_decode(allocator, text, size, &made, &writer);
    if (status == TALLY_OK) {
        *out = made;
    } else {
        tally_keyring_document_free(allocator, &made);
    }
    return status;
}

void tally_keyring_document_free(const tally_allocator *allocator, tally_keyring_document *document)
{
    tally_release(allocator, document->entries, document->capacity * sizeof *document->entries);
    document->entries = NULL;
    document->json.allocator = allocator;
    tally_json_free(&document->json);
}

/* ---- core/keyring/key_id.c ---- */
/*
 * What a data key is called. */

static int key_id_is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

int tally_key_name_is_valid(const char *name, size_t size)
{
    if (size < 1 || size > TALLY_KEY_NAME_SIZE_MAX || !key_id_is_alphanumeric(name[0])) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        const char c = name[i];
        if (!key_id_is_alphanumeric(c) && c != '_' && c != '.' && c != '-') {
            return 0;
        }
    }
    return 1;
}

static tally_status key_id_refuse(tally_problem *problem, const char *text)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text);
    }
    return TALLY_ERROR_REFERENCE;
}

tally_status tally_key_id_init(const char *name, size_t size, uint64_t version, tally_key_id *out,
                               tally_problem *problem)
{
    if (!tally_key_name_is_valid(name, size)) {
        return key_id_refuse(problem, "a key's name is 1 to 64 of a-z, 0-9, '_', '.' and '-', and "
                                      "starts with a letter or digit");
    }
    if (version < 1 || version > UINT32_MAX) {
        return key_id_refuse(problem, "a key's version is from 1 to 4294967295");
    }
    memset(out, 0, sizeof *out);
    memcpy(out->name, name, size);
    out->version = (uint32_t)version;
    return TALLY_OK;
}

tally_status tally_key_id_parse(const char *reference, size_t size, tally_key_id *out,
                                tally_problem *problem)
{
    const char *const colon = size == 0 ? NULL : memchr(reference, ':', size);
    const size_t name_size = colon == NULL ? 0 : (size_t)(colon - reference);
    const size_t digits = colon == NULL ? 0 : size - name_size - 1;
    uint64_t version = 0;
    int numeric = digits >= 1 && digits <= 10 && colon[1] != '0';
    for (size_t i = 1; i <= digits && numeric; i++) {
        numeric = colon[i] >= '0' && colon[i] <= '9';
        version = version * 10 + (uint64_t)(colon[i] - '0');
    }
    if (!numeric) {
        return key_id_refuse(problem,
                             "a key reference has the form name:version, for example people:1");
    }
    return tally_key_id_init(reference, name_size, version, out, problem);
}

int tally_key_id_equal(const tally_key_id *a, const tally_key_id *b)
{
    return a->version == b->version && strcmp(a->name, b->name) == 0;
}

void tally_write_key_id(tally_writer *writer, const tally_key_id *id)
{
    tally_write(writer, id->name);
    tally_write_char(writer, ':');
    tally_write_uint(writer, id->version);
}

/* ---- core/keyring/ring.c ---- */
/*
 * A ring: read, unlocked by its root key, and asked for keys. Of the root key only the subkeys stay. */

/* ---- core/aes/gcm.h ---- */
/*
 * AES in Galois/counter mode (SP 800-38D) with nonces of 12 bytes, for short messages such as
 * wrapped keys: multiplication takes a bit at a time, without a table, so that no branch and no
 * address depends on key or data. */
#ifndef TALLY_AES_GCM_H
#define TALLY_AES_GCM_H

enum { TALLY_GCM_NONCE = 12, TALLY_GCM_TAG = 16 };

/* Encrypts `size` bytes (NULL if 0) and authenticates them with `associated` (NULL if its size is
 * 0). A nonce must not be used twice with a key. `out` may equal `in`; other overlaps are not
 * allowed. `size` is below 2^36 - 32 bytes. */
void tally_gcm_seal(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *in, size_t size, uint8_t *out,
                    uint8_t tag[16]);

/* Verifies and decrypts. Returns 1, or 0 if the tag is wrong: then `out` is not written. */
TALLY_MUST_CHECK int tally_gcm_open(const tally_aes_key *key, const uint8_t nonce[12],
                                    const uint8_t *associated, size_t associated_size,
                                    const uint8_t *in, size_t size, const uint8_t tag[16],
                                    uint8_t *out);

#endif

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

struct tally_keyring {
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int unlocked;
    tally_keyring_document document;
    uint8_t *body; /* what the MAC authenticates, until it has */
    size_t body_size;
    uint8_t authentication[32];
    tally_aes_key wrapping;
};

static const tally_allocator *ring_allocator(const tally_keyring *ring)
{
    return ring->has_allocator ? &ring->allocator : NULL;
}

static void ring_release_body(tally_keyring *ring)
{
    tally_release(ring_allocator(ring), ring->body, ring->body_size);
    ring->body = NULL;
}

tally_status tally_keyring_read(const tally_allocator *allocator, const uint8_t *file, size_t size,
                                tally_keyring **out, tally_problem *problem)
{
    tally_keyring *const ring = tally_allocate(allocator, sizeof *ring);
    *out = NULL;
    if (ring == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(ring, 0, sizeof *ring);
    if (allocator != NULL) {
        ring->allocator = *allocator;
        ring->has_allocator = 1;
    }
    tally_status status = tally_keyring_decode(ring_allocator(ring), (const char *)file, size,
                                               &ring->document, problem);
    if (status == TALLY_OK) {
        ring->body_size = size - TALLY_KEYRING_TAIL;
        ring->body = tally_allocate(ring_allocator(ring), ring->body_size);
        if (ring->body == NULL) {
            tally_keyring_free(ring);
            return TALLY_ERROR_MEMORY;
        }
        memcpy(ring->body, file, ring->body_size);
        *out = ring;
    } else {
        tally_release(allocator, ring, sizeof *ring);
    }
    return status;
}

void tally_keyring_free(tally_keyring *ring)
{
    if (ring != NULL) {
        const tally_allocator allocator = ring->allocator;
        const int has_allocator = ring->has_allocator;
        ring_release_body(ring);
        tally_keyring_document_free(ring_allocator(ring), &ring->document);
        tally_release_wiped(has_allocator ? &allocator : NULL, ring, sizeof *ring);
    }
}

static void ring_derive(const tally_keyring *ring, const uint8_t *root_key, const char *info,
                        uint8_t *out, size_t size)
{
    /* The size is far below the most, so this can't fail. */
    if (tally_hkdf_sha256(ring->document.id, sizeof ring->document.id, root_key,
                          TALLY_ROOT_KEY_SIZE, (const uint8_t *)info, strlen(info), out,
                          size) != TALLY_OK) {
        memset(out, 0, size);
    }
}

/* Compares in constant time. */
static int ring_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

static tally_status ring_refuse(tally_problem *problem, tally_status status, const char *text)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text);
    }
    return status;
}

/* Verifies the file by the subkey for that, which stays if it is right. */
static tally_status ring_verify(tally_keyring *ring, tally_problem *problem)
{
    uint8_t mac[32];
    tally_hmac_sha256_tag(ring->authentication, 32, ring->body, ring->body_size, mac);
    const int right = ring_equal(mac, ring->document.mac, 32);
    tally_wipe(mac, sizeof mac);
    if (!right) {
        tally_wipe(ring->authentication, sizeof ring->authentication);
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "damaged or edited: the root key is right, but the file was changed "
                           "after Tallystick wrote it; restore it from a backup");
    }
    ring_release_body(ring);
    return TALLY_OK;
}

tally_status tally_keyring_unlock(tally_keyring *ring, const uint8_t root_key[TALLY_ROOT_KEY_SIZE],
                                  tally_problem *problem)
{
    uint8_t derived[32];
    if (ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is unlocked already");
    }
    ring_derive(ring, root_key, "tallystick keyring 1 check", derived, 16);
    const int right = ring_equal(derived, ring->document.check, 16);
    tally_wipe(derived, sizeof derived);
    if (!right) {
        return ring_refuse(problem, TALLY_ERROR_ROOT_KEY,
                           "the root key does not belong to this key ring; give the right one; if "
                           "it is the right one, the head of the file is damaged: restore the file "
                           "from a backup");
    }
    ring_derive(ring, root_key, "tallystick keyring 1 authentication", ring->authentication, 32);
    tally_status status = ring_verify(ring, problem);
    if (status == TALLY_OK) {
        ring_derive(ring, root_key, "tallystick keyring 1 wrapping", derived, 32);
        status = tally_aes_key_init(derived, 32, &ring->wrapping);
        tally_wipe(derived, sizeof derived);
        ring->unlocked = status == TALLY_OK;
    }
    return status;
}

tally_status tally_keyring_unlock_like(tally_keyring *ring, const tally_keyring *open,
                                       tally_problem *problem)
{
    if (ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is unlocked already");
    }
    if (!open->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is locked; unlock it");
    }
    if (memcmp(ring->document.id, open->document.id, sizeof ring->document.id) != 0) {
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "another key ring has replaced it; open it again");
    }
    if (!ring_equal(ring->document.check, open->document.check, sizeof ring->document.check)) {
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "its root key was replaced; open it again with the new root key");
    }
    memcpy(ring->authentication, open->authentication, sizeof ring->authentication);
    const tally_status status = ring_verify(ring, problem);
    if (status == TALLY_OK) {
        ring->wrapping = open->wrapping;
        ring->unlocked = 1;
    }
    return status;
}

const char *tally_keyring_id(const tally_keyring *ring)
{
    return ring->document.id_text;
}

void tally_keyring_root(const tally_keyring *ring, tally_root *out)
{
    *out = ring->document.root;
}

const char *tally_keyring_holder(const tally_keyring *ring, size_t index)
{
    const tally_json *holder = ring->document.holders;
    for (; holder != NULL && index > 0; index--) {
        holder = holder->next;
    }
    return holder == NULL ? NULL : holder->text;
}

size_t tally_keyring_count(const tally_keyring *ring)
{
    return ring->document.count;
}

int tally_keyring_at(const tally_keyring *ring, size_t index, tally_key_info *out)
{
    if (index >= ring->document.count) {
        return 0;
    }
    const tally_keyring_entry *const entry = &ring->document.entries[index];
    memset(out, 0, sizeof *out);
    out->id = entry->id;
    out->size = entry->size;
    memcpy(out->created, entry->created, strlen(entry->created)); /* 20 bytes */
    return 1;
}

enum { RING_SHOWN = 5 };

/* Says which newest versions of a name there are, in ascending order. */
static void ring_write_held(const tally_keyring *ring, const char *name, tally_writer *writer)
{
    tally_key_id held[RING_SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < ring->document.count; i++) {
        const tally_key_id *const id = &ring->document.entries[i].id;
        if (strcmp(id->name, name) != 0 || (count == RING_SHOWN && id->version < held[0].version)) {
            continue;
        }
        if (count == RING_SHOWN) {
            memmove(held, held + 1, (RING_SHOWN - 1) * sizeof *held);
            count--;
        }
        size_t at = count++;
        for (; at > 0 && held[at - 1].version > id->version; at--) {
            held[at] = held[at - 1];
        }
        held[at] = *id;
    }
    tally_write(writer,
                count == 0 ? "; no key has this name; add one" : "; the newest of this name: ");
    for (size_t i = 0; i < count; i++) {
        tally_write(writer, i == 0 ? "" : ", ");
        tally_write_key_id(writer, &held[i]);
    }
}

/* Unwraps; what belongs to a key is all that it is wrapped for. */
static int ring_unwrap(const tally_keyring *ring, const tally_keyring_entry *entry, uint8_t *out)
{
    uint8_t associated[16 + 4 + 2 + TALLY_KEY_NAME_SIZE_MAX];
    const size_t name_size = strlen(entry->id.name);
    const uint8_t *const sealed = entry->wrapped + TALLY_KEYRING_NONCE;
    memcpy(associated, ring->document.id, 16);
    tally_store_be32(entry->id.version, associated + 16);
    associated[20] = 0;
    associated[21] = (uint8_t)entry->size;
    memcpy(associated + 22, entry->id.name, name_size);
    return tally_gcm_open(&ring->wrapping, entry->wrapped, associated, 22 + name_size, sealed,
                          entry->size, sealed + entry->size, out);
}

tally_status tally_keyring_key(const tally_keyring *ring, const tally_key_id *id,
                               uint8_t out[TALLY_DATA_KEY_SIZE_MAX], size_t *size,
                               tally_problem *problem)
{
    tally_problem ignored;
    tally_writer writer;
    if (!ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is locked; unlock it");
    }
    tally_writer_problem(&writer, problem == NULL ? &ignored : problem);
    for (size_t i = 0; i < ring->document.count; i++) {
        const tally_keyring_entry *const entry = &ring->document.entries[i];
        if (!tally_key_id_equal(&entry->id, id)) {
            continue;
        }
        if (!ring_unwrap(ring, entry, out)) {
            tally_write(&writer, "key ");
            tally_write_key_id(&writer, id);
            tally_write(&writer, " is wrapped for another name, version, size or key ring; restore "
                                 "the file from a backup");
            return TALLY_ERROR_KEYRING;
        }
        *size = entry->size;
        return TALLY_OK;
    }
    tally_write(&writer, "no key ");
    tally_write_key_id(&writer, id);
    ring_write_held(ring, id->name, &writer);
    return TALLY_ERROR_NO_KEY;
}

TALLY_VISIBILITY_POP
