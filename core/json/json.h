/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON that a binding hands over, as a tree: RFC 8259 and nothing else, without a key that is there
 * twice. It is nested at most TALLY_JSON_DEPTH deep, and has TALLY_JSON_VALUES_MAX values at most, each
 * of which takes 73 bytes of memory.
 *
 * Values of TOML that JSON has not come as a table with one key: {"$date": "2000-12-31"},
 * {"$datetime": "2000-12-31T23:59:59"}, {"$time": "23:59:59"}, {"$float": "nan"}. */
#ifndef TALLY_JSON_JSON_H
#define TALLY_JSON_JSON_H

#include "tallystick/base.h"

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

/* The type of a value, in the words of TOML: "text", "true or false", "a date", "a table". */
const char *tally_json_kind_text(const tally_json *node);

#endif
