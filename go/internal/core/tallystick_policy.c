//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/policy as one file. Made by
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
/* ---- core/policy/check.c ---- */
/*
 * See check.h. Rules are sorted first, so that a policy of many columns is checked in time. */

/* ---- core/policy/check.h ---- */
/*
 * What contradicts itself in the rules of a policy. */
#ifndef TALLY_POLICY_CHECK_H
#define TALLY_POLICY_CHECK_H

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

/* The rules of a policy, in three orders. */
typedef struct tally_check {
    const tally_allocator *allocator;
    const tally_rule *rules;
    size_t count;
    const void **by_column; /* and then by their place among the rules */
    const void **by_key;    /* by key and namespace, and then by their place */
} tally_check;

/* TALLY_ERROR_MEMORY. Free it with tally_check_free, also after an error. */
tally_status tally_check_init(const tally_allocator *allocator, const tally_rule *rules,
                              size_t count, tally_check *out);
void tally_check_free(tally_check *check);

/* The number of rules of a column. */
size_t tally_check_rules_of(const tally_check *check, tally_policy_text column);

/* Write what is wrong with a tweak that is protected, and with a kept column that has a rule. */
void tally_check_write_tweak(tally_writer *writer, tally_policy_text tweak);
void tally_check_write_kept(tally_writer *writer, tally_policy_text column);

/* Refuses two formats under one key and namespace, but in the namespaces that are allowed. */
tally_status tally_check_mixed(const tally_check *check, const tally_policy_text *allowed,
                               size_t allowed_count, tally_problem *problem);

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

static int check_compare_texts(tally_policy_text a, tally_policy_text b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common == 0 ? 0 : memcmp(a.text, b.text, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Rules are of one array, so their addresses are in the order of the policy. */
static int check_compare_places(const void *one, const void *other)
{
    const tally_rule *const a = one, *const b = other;
    return (a > b) - (a < b);
}

static int check_compare_columns(const void *one, const void *other)
{
    const tally_rule *const a = one, *const b = other;
    return check_compare_texts(a->column, b->column);
}

static int check_compare_keys(const tally_rule *a, const tally_rule *b)
{
    const int order = strcmp(a->key.name, b->key.name);
    const int newer = (a->key.version > b->key.version) - (a->key.version < b->key.version);
    return order != 0   ? order
           : newer != 0 ? newer
                        : check_compare_texts(a->name_space, b->name_space);
}

static int check_compare_keys_places(const void *one, const void *other)
{
    const int order = check_compare_keys(one, other);
    return order != 0 ? order : check_compare_places(one, other);
}

tally_status tally_check_init(const tally_allocator *allocator, const tally_rule *rules,
                              size_t count, tally_check *out)
{
    *out = (tally_check){allocator, rules, count, NULL, NULL};
    out->by_column = tally_allocate_many(allocator, count, sizeof *out->by_column);
    out->by_key = tally_allocate_many(allocator, count, sizeof *out->by_key);
    if (out->by_column == NULL || out->by_key == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        out->by_column[i] = out->by_key[i] = &rules[i];
    }
    tally_sort(out->by_column, count, check_compare_columns);
    tally_sort(out->by_key, count, check_compare_keys_places);
    return TALLY_OK;
}

void tally_check_free(tally_check *check)
{
    tally_release(check->allocator, check->by_column, check->count * sizeof *check->by_column);
    tally_release(check->allocator, check->by_key, check->count * sizeof *check->by_key);
    check->by_column = check->by_key = NULL;
}

size_t tally_check_rules_of(const tally_check *check, tally_policy_text column)
{
    const tally_rule wanted = {.column = column};
    const size_t first =
        tally_sorted_place(check->by_column, check->count, &wanted, check_compare_columns);
    size_t end = first;
    while (end < check->count && check_compare_columns(check->by_column[end], &wanted) == 0) {
        end++;
    }
    return end - first;
}

void tally_check_write_tweak(tally_writer *writer, tally_policy_text tweak)
{
    tally_write(writer, "column ");
    tally_write_repr(writer, tweak.text, tweak.size);
    tally_write(writer, " is protected too, so its values would not be available to reveal this "
                        "column; use a column that is not protected");
}

void tally_check_write_kept(tally_writer *writer, tally_policy_text column)
{
    tally_write(writer, "column ");
    tally_write_repr(writer, column.text, column.size);
    tally_write(writer, " has a rule in [columns] too; remove one of the two");
}

static void check_write_mixed(tally_writer *writer, const tally_rule *first,
                              const tally_rule *other)
{
    tally_write(writer, "columns ");
    tally_write_repr(writer, first->column.text, first->column.size);
    tally_write(writer, " and ");
    tally_write_repr(writer, other->column.text, other->column.size);
    tally_write(writer, " have two formats under key ");
    tally_write_key_id(writer, &other->key);
    tally_write(writer, " in namespace ");
    tally_write_repr(writer, other->name_space.text, other->name_space.size);
    tally_write(writer, ", so equal values get different tokens and no longer join; give both "
                        "columns one format, or one of them another namespace, or allow it with "
                        "mixed_formats = [");
    tally_write_toml(writer, other->name_space.text, other->name_space.size);
    tally_write(writer, "]");
}

static int check_compare_text_pointers(const void *a, const void *b)
{
    return check_compare_texts(*(const tally_policy_text *)a, *(const tally_policy_text *)b);
}

/* Texts that are looked up. */
typedef struct check_set {
    const void **sorted;
    size_t count;
} check_set;

static tally_status check_set_init(const tally_allocator *allocator, const tally_policy_text *texts,
                                   size_t count, check_set *out)
{
    out->count = count;
    out->sorted = tally_allocate_many(allocator, count, sizeof *out->sorted);
    if (out->sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        out->sorted[i] = &texts[i];
    }
    tally_sort(out->sorted, count, check_compare_text_pointers);
    return TALLY_OK;
}

static void check_set_free(const tally_allocator *allocator, check_set *set)
{
    tally_release(allocator, set->sorted, set->count * sizeof *set->sorted);
}

static int check_set_has(const check_set *set, tally_policy_text text)
{
    const size_t place =
        tally_sorted_place(set->sorted, set->count, &text, check_compare_text_pointers);
    return place < set->count && check_compare_text_pointers(set->sorted[place], &text) == 0;
}

tally_status tally_check_mixed(const tally_check *check, const tally_policy_text *allowed,
                               size_t allowed_count, tally_problem *problem)
{
    const tally_rule *first = NULL, *wrong = NULL, *wrong_first = NULL;
    check_set allowed_set;
    int counts = 0;
    if (check_set_init(check->allocator, allowed, allowed_count, &allowed_set) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = check->by_key[i];
        if (first == NULL || check_compare_keys(first, rule) != 0) {
            first = rule;
            counts = rule->key.version != 0 && !check_set_has(&allowed_set, rule->name_space);
        } else if (counts && (wrong == NULL || rule < wrong) &&
                   strcmp(tally_format_identity(first->format),
                          tally_format_identity(rule->format)) != 0) {
            wrong = rule;
            wrong_first = first;
        }
    }
    check_set_free(check->allocator, &allowed_set);
    if (wrong == NULL) {
        return TALLY_OK;
    }
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    check_write_mixed(&writer, wrong_first, wrong);
    return TALLY_ERROR_POLICY;
}

/* The first rule that contradicts another, or what is kept; returns 0 with what is wrong. */
static int check_rule(const tally_check *check, const tally_rule *rule, const check_set *keep,
                      tally_writer *writer)
{
    const size_t count = tally_check_rules_of(check, rule->column);
    if (count > 1) {
        tally_write(writer, "column ");
        tally_write_repr(writer, rule->column.text, rule->column.size);
        tally_write(writer, " has ");
        tally_write_uint(writer, count);
        tally_write(writer, " rules");
        return 0;
    }
    if (rule->tweak.text != NULL && tally_check_rules_of(check, rule->tweak) > 0) {
        tally_write(writer, "tweak of column ");
        tally_write_repr(writer, rule->column.text, rule->column.size);
        tally_write(writer, ": ");
        tally_check_write_tweak(writer, rule->tweak);
        return 0;
    }
    if (check_set_has(keep, rule->column)) {
        tally_write(writer, "keep: ");
        tally_check_write_kept(writer, rule->column);
        return 0;
    }
    return 1;
}

tally_status tally_rules_check(const tally_allocator *allocator, const tally_rule *rules,
                               size_t count, const tally_policy_text *keep, size_t keep_count,
                               const tally_policy_text *mixed_formats, size_t mixed_count,
                               tally_problem *problem)
{
    tally_check check;
    check_set kept;
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    if (check_set_init(allocator, keep, keep_count, &kept) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = tally_check_init(allocator, rules, count, &check);
    for (size_t i = 0; i < count && status == TALLY_OK; i++) {
        if (!check_rule(&check, &rules[i], &kept, &writer)) {
            status = TALLY_ERROR_POLICY;
        }
    }
    if (status == TALLY_OK) {
        status = tally_check_mixed(&check, mixed_formats, mixed_count, problem);
    }
    tally_check_free(&check);
    check_set_free(allocator, &kept);
    return status;
}

/* ---- core/policy/csv.c ---- */
/*
 * See csv.h. */

/* ---- core/policy/csv.h ---- */
/*
 * The CSV dialect of a policy. */
#ifndef TALLY_POLICY_CSV_H
#define TALLY_POLICY_CSV_H

/* ---- core/policy/table.h ---- */
/*
 * Tables of a policy: which keys a table has, what each must be, and where it is. */
#ifndef TALLY_POLICY_TABLE_H
#define TALLY_POLICY_TABLE_H

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

typedef enum tally_table_kind {
    TALLY_TABLE_TABLE,
    TALLY_TABLE_TEXT,
    TALLY_TABLE_BOOLEAN,
    TALLY_TABLE_TEXTS,  /* an array of texts */
    TALLY_TABLE_CHOICE, /* a text, one of `choices`, which a message repeats */
    TALLY_TABLE_QUIET,  /* the same, which no message repeats */
    TALLY_TABLE_ONE,    /* the number 1 */
    TALLY_TABLE_FORMAT  /* a text or a table */
} tally_table_kind;

typedef struct tally_table_field {
    const char *name; /* NULL ends the fields */
    tally_table_kind kind;
    const char *expected; /* what follows "must be" */
    int required;
    const char *const *choices; /* ending with NULL */
} tally_table_field;

enum { TALLY_TABLE_FIELDS = 8 /* of a table, at most */ };

/* Where a table is: the keys that lead to it. NULL stands for the whole policy. */
typedef struct tally_table_place {
    const struct tally_table_place *above;
    const char *key;
    size_t size;
} tally_table_place;

/* The place of a key in a table. */
tally_table_place tally_table_at(const tally_table_place *above, const char *key);

/* Begins the text of a problem there. */
void tally_table_problem(const tally_table_place *place, tally_problem *problem,
                         tally_writer *text);

/* Says what is wrong there; returns TALLY_ERROR_POLICY. */
tally_status tally_table_wrong(const tally_table_place *place, tally_problem *problem,
                               const char *text);

/* Reads a table: values[i] is that of fields[i], or NULL. `example` is what such a table may be, or
 * NULL. TALLY_ERROR_POLICY: it is no table, has a key that it can't have, lacks one, or has a value
 * of another type. */
tally_status tally_table_read(const tally_table_field *fields, const tally_json *table,
                              const tally_table_place *place, const char *example,
                              const tally_json **values, tally_problem *problem);

#endif

/* The dialect of a policy without one. */
void tally_csv_defaults(tally_csv_options *out);

/* Reads the table [csv]. TALLY_ERROR_POLICY. */
tally_status tally_csv_read(const tally_json *table, const tally_table_place *place,
                            tally_csv_options *out, tally_problem *problem);

#endif

enum { CSV_DELIMITER, CSV_QUOTE, CSV_SKIP, CSV_HEADER, CSV_ENCODING, CSV_FIELDS };

static const tally_table_field csv_fields[] = {
    {"delimiter", TALLY_TABLE_TEXT, "text", 0, NULL},
    {"quote", TALLY_TABLE_TEXT, "text", 0, NULL},
    {"skip_initial_space", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {"header", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {"encoding", TALLY_TABLE_TEXT, "text", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

void tally_csv_defaults(tally_csv_options *out)
{
    memset(out, 0, sizeof *out);
    out->quote = '"';
    out->header = 1;
}

/* Reads one ASCII character that ends no line; returns 0 if it is not. */
static int csv_character(const tally_json *value, char *out)
{
    *out = value->text[0];
    return value->size == 1 && *out != '\0' && *out != '\r' && *out != '\n' && (uint8_t)*out < 0x80;
}

/* Makes a dialect of the values that are given. Returns what is wrong with it, or NULL. */
static const char *csv_make(const tally_json *const values[CSV_FIELDS], tally_csv_options *out)
{
    tally_csv_defaults(out);
    if (values[CSV_DELIMITER] != NULL && !csv_character(values[CSV_DELIMITER], &out->delimiter)) {
        return "the CSV delimiter must be one ASCII character, but not a line end";
    }
    if (values[CSV_QUOTE] != NULL && values[CSV_QUOTE]->size == 0) {
        out->quote = '\0';
    } else if (values[CSV_QUOTE] != NULL && !csv_character(values[CSV_QUOTE], &out->quote)) {
        return "the CSV quote must be one ASCII character, but not a line end";
    }
    if (values[CSV_SKIP] != NULL) {
        out->skip_initial_space = values[CSV_SKIP]->kind == TALLY_JSON_TRUE;
    }
    if (values[CSV_HEADER] != NULL) {
        out->header = values[CSV_HEADER]->kind == TALLY_JSON_TRUE;
    }
    if (values[CSV_ENCODING] != NULL) {
        out->encoding = (tally_policy_text){values[CSV_ENCODING]->text, values[CSV_ENCODING]->size};
    }
    if ((out->delimiter == '\0' ? ',' : out->delimiter) == out->quote) {
        return "the CSV delimiter and quote must be different characters";
    }
    if (out->skip_initial_space && (out->delimiter == ' ' || out->quote == ' ')) {
        return "a space can't be skipped and be the CSV delimiter or quote";
    }
    return NULL;
}

/* The first key that is wrong whatever the others say; NULL: none is. */
static const tally_json *csv_blamed(const tally_json *table)
{
    for (const tally_json *member = table->first; member != NULL; member = member->next) {
        const tally_json *alone[CSV_FIELDS] = {NULL};
        tally_csv_options made;
        for (size_t i = 0; i < CSV_FIELDS; i++) {
            if (tally_json_key_is(member, csv_fields[i].name)) {
                alone[i] = member;
            }
        }
        if (csv_make(alone, &made) != NULL) {
            return member;
        }
    }
    return NULL;
}

tally_status tally_csv_read(const tally_json *table, const tally_table_place *place,
                            tally_csv_options *out, tally_problem *problem)
{
    const tally_json *values[CSV_FIELDS];
    const tally_status status = tally_table_read(csv_fields, table, place, NULL, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const char *const wrong = csv_make(values, out);
    if (wrong == NULL) {
        return TALLY_OK;
    }
    const tally_json *const blamed = csv_blamed(table);
    if (blamed == NULL) {
        return tally_table_wrong(place, problem, wrong);
    }
    const tally_table_place at = {place, blamed->key, blamed->key_size};
    return tally_table_wrong(&at, problem, wrong);
}

/* ---- core/policy/path.c ---- */
/*
 * Paths of columns: contact.email, emails[], attributes{}. They are read where they stand, so they
 * need no memory. */

/* ---- core/arrow/type.h ---- */
/*
 * The types of Arrow's columns, from the format strings of its C data interface. */
#ifndef TALLY_ARROW_TYPE_H
#define TALLY_ARROW_TYPE_H

typedef enum tally_arrow_kind {
    TALLY_ARROW_OTHER = 0, /* a type that no format takes */
    TALLY_ARROW_NULL,      /* "n" */
    TALLY_ARROW_TEXT,      /* "u", "U" */
    TALLY_ARROW_BINARY,    /* "z", "Z", "w:16" */
    TALLY_ARROW_TEXT_VIEW, /* "vu" */
    TALLY_ARROW_BINARY_VIEW,
    TALLY_ARROW_BOOLEAN,
    TALLY_ARROW_INTEGER,   /* "c".."L" */
    TALLY_ARROW_FLOAT,     /* "e", "f", "g" */
    TALLY_ARROW_DECIMAL,   /* "d:10,2", "d:10,2,256" */
    TALLY_ARROW_DATE,      /* "tdD": days, "tdm": milliseconds */
    TALLY_ARROW_TIMESTAMP, /* "tsu:Europe/Berlin" */
    TALLY_ARROW_STRUCT,    /* "+s" */
    TALLY_ARROW_LIST,      /* "+l", "+L", "+w:3" */
    TALLY_ARROW_LIST_VIEW, /* "+vl", "+vL" */
    TALLY_ARROW_MAP,       /* "+m" */
    TALLY_ARROW_RUN_ENDS   /* "+r" */
} tally_arrow_kind;

typedef struct tally_arrow_type {
    tally_arrow_kind kind;
    uint32_t width; /* bytes of a value; of an offset, where values have none; of a list's size */
    uint8_t is_signed; /* integers */
    uint8_t fixed;     /* binary or list of a fixed size, which is `width` */
    int32_t precision; /* decimals */
    int32_t scale;
    uint64_t per_second;  /* timestamps: units in a second */
    const char *timezone; /* within the format string; "" without one */
} tally_arrow_type;

/* Reads a format string; returns 0 if it is none (then the kind is TALLY_ARROW_OTHER). */
int tally_arrow_type_read(const char *format, tally_arrow_type *out);

/* Writes a type as people know it from pyarrow: "string", "decimal128(10, 2)", "timestamp[s]".
 * Returns the name's size, and writes as much of it as there is room for, with a zero behind it. */
size_t tally_arrow_type_name(const char *format, char *out, size_t size);

#endif

typedef struct path_step {
    tally_step kind;
    const char *name; /* of a field; with its escapes, if it was quoted */
    size_t size;
    int quoted;
} path_step;

static int path_is_special(char c)
{
    return c == '.' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"';
}

/* Reads a name at *at, and moves behind it. Returns 0 if there is none. */
static int path_read_name(const char *text, size_t size, size_t *at, path_step *out)
{
    const size_t start = *at;
    out->kind = TALLY_STEP_FIELD;
    out->quoted = start < size && text[start] == '"';
    if (!out->quoted) {
        while (*at < size && !path_is_special(text[*at])) {
            ++*at;
        }
        out->name = text + start;
        out->size = *at - start;
        return out->size > 0;
    }
    for (++*at; *at < size && text[*at] != '"'; ++*at) {
        if (text[*at] == '\\' && (++*at == size || (text[*at] != '"' && text[*at] != '\\'))) {
            return 0;
        }
    }
    if (*at == size) {
        return 0;
    }
    out->name = text + start + 1;
    out->size = (*at)++ - start - 1;
    return 1;
}

/* Reads the step at *at, and moves behind it. Returns 0 if there is none. */
static int path_read(const char *text, size_t size, size_t *at, path_step *out)
{
    const int first = *at == 0;
    if (!first && size - *at >= 2 && memcmp(text + *at, "[]", 2) == 0) {
        out->kind = TALLY_STEP_ITEMS;
    } else if (!first && size - *at >= 2 && memcmp(text + *at, "{}", 2) == 0) {
        out->kind = TALLY_STEP_VALUES;
    } else {
        if (!first && text[(*at)++] != '.') {
            return 0;
        }
        return path_read_name(text, size, at, out);
    }
    *at += 2;
    return 1;
}

/* Whether a field is called so. */
static int path_is_called(const path_step *step, const char *name)
{
    const size_t size = strlen(name);
    size_t at = 0;
    for (size_t i = 0; i < step->size; i++) {
        i += step->quoted && step->name[i] == '\\';
        if (at == size || name[at++] != step->name[i]) {
            return 0;
        }
    }
    return at == size;
}

static void path_write_name(tally_writer *writer, const path_step *step)
{
    int bare = step->size > 0;
    for (size_t i = 0; i < step->size; i++) {
        bare &= !path_is_special(step->name[i]) && step->name[i] != '\\';
    }
    if (!step->quoted || bare) {
        tally_write_bytes(writer, step->name, step->size);
    } else {
        tally_write_char(writer, '"');
        tally_write_bytes(writer, step->name, step->size);
        tally_write_char(writer, '"');
    }
}

size_t tally_path_canonical(const char *column, size_t size, char *out, size_t room)
{
    char none[1];
    tally_writer writer;
    size_t at = 0;
    tally_writer_init(&writer, room == 0 ? none : out, room == 0 ? 1 : room);
    do {
        path_step step;
        if (at > 0 && at < size && column[at] == '.') {
            tally_write_char(&writer, '.');
        }
        if (!path_read(column, size, &at, &step)) {
            return 0;
        }
        if (step.kind == TALLY_STEP_FIELD) {
            path_write_name(&writer, &step);
        } else {
            tally_write(&writer, step.kind == TALLY_STEP_ITEMS ? "[]" : "{}");
        }
    } while (at < size);
    return writer.needed;
}

tally_step tally_path_step(const char *column, size_t size, size_t *at, char *out, size_t room,
                           size_t *name_size)
{
    path_step step;
    tally_writer writer;
    tally_writer_init(&writer, out, room);
    *name_size = 0;
    if (*at >= size || !path_read(column, size, at, &step)) {
        return TALLY_STEP_NONE;
    }
    for (size_t i = 0; step.kind == TALLY_STEP_FIELD && i < step.size; i++) {
        i += step.quoted && step.name[i] == '\\';
        tally_write_char(&writer, step.name[i]);
    }
    *name_size = writer.needed;
    return step.kind;
}

/* The child of a type that is called so: its index, -1 if there is none, -2 if there are several. */
static int64_t path_child(const struct ArrowSchema *type, const path_step *step)
{
    int64_t found = -1;
    for (int64_t i = 0; i < type->n_children; i++) {
        const struct ArrowSchema *const child = type->children[i];
        if (child != NULL && path_is_called(step, child->name == NULL ? "" : child->name)) {
            if (found >= 0) {
                return -2;
            }
            found = i;
        }
    }
    return found;
}

/* Goes one step down. Returns 1, or 0 if there is no such child, or -1 if there are several. */
static int path_descend(const struct ArrowSchema **type, const path_step *step, tally_path *out)
{
    tally_arrow_type read;
    tally_arrow_type_read((*type)->format == NULL ? "" : (*type)->format, &read);
    const int is_list = read.kind == TALLY_ARROW_LIST || read.kind == TALLY_ARROW_LIST_VIEW;
    const int is_map = read.kind == TALLY_ARROW_MAP;
    int64_t child = 0;
    if (out->depth + 2 > TALLY_PATH_DEPTH || (*type)->children == NULL) {
        return 0;
    }
    if (step->kind == TALLY_STEP_FIELD) {
        child = read.kind == TALLY_ARROW_STRUCT ? path_child(*type, step) : -1;
        if (child < 0) {
            return child == -2 ? -1 : 0;
        }
    } else if ((step->kind == TALLY_STEP_ITEMS ? !is_list : !is_map) || (*type)->n_children != 1) {
        return 0;
    }
    out->child[out->depth++] = (uint32_t)child;
    *type = (*type)->children[child];
    if (*type == NULL) {
        return 0;
    }
    if (step->kind == TALLY_STEP_VALUES) { /* the entries of a map are structs of key and value */
        if ((*type)->n_children != 2 || (*type)->children == NULL || (*type)->children[1] == NULL) {
            return 0;
        }
        out->child[out->depth++] = 1;
        *type = (*type)->children[1];
    }
    return 1;
}

int tally_path_find(const struct ArrowSchema *table, const char *column, size_t size,
                    tally_path *out)
{
    const path_step whole = {TALLY_STEP_FIELD, column, size, 0};
    const struct ArrowSchema *type = table;
    size_t at = 0;
    int found;
    out->depth = 0;
    found = path_descend(&type, &whole, out);
    if (found != 0) {
        return found;
    }
    do {
        path_step step;
        if (!path_read(column, size, &at, &step)) {
            return 0;
        }
        found = path_descend(&type, &step, out);
    } while (found == 1 && at < size);
    return found;
}

/* ---- core/policy/policy.c ---- */
/*
 * A policy from JSON: its rules, and what stands above them. */

/* ---- core/formats/format.h ---- */
/*
 * What every format is inside. A format is one C file with one constant tally_format_class, which
 * registry.c lists. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

/* ---- core/formats/options.h ---- */
/*
 * The options of a format, read from its description. Each format has a table of its options; what
 * is not in it, of another type or outside its choices is refused here, once for all formats. */
#ifndef TALLY_FORMATS_OPTIONS_H
#define TALLY_FORMATS_OPTIONS_H

typedef enum tally_option_kind {
    TALLY_OPTION_TEXT,
    TALLY_OPTION_INTEGER,
    TALLY_OPTION_BOOLEAN,
    TALLY_OPTION_CHOICE,  /* a text, one of `choices` */
    TALLY_OPTION_LIST,    /* an array; the format reads its items */
    TALLY_OPTION_NUMBER,  /* an integer or a text: the ends of decimals */
    TALLY_OPTION_WHOLE,   /* an integer of any size; its text, if it is beyond int64_t */
    TALLY_OPTION_DATE,    /* a date, or text in ISO 8601 */
    TALLY_OPTION_DATETIME /* a date with a time, or text in ISO 8601 */
} tally_option_kind;

typedef struct tally_option {
    const char *name; /* NULL ends a table */
    tally_option_kind kind;
    int required;
    const char *const *choices; /* ending with NULL */
} tally_option;

enum { TALLY_OPTIONS = 16 /* of a format, at most */ };

/* What a description gives for an option; valid as long as the description's JSON. */
typedef struct tally_option_value {
    int given;
    int64_t integer;        /* INTEGER, BOOLEAN, WHOLE, the index of a CHOICE, an integral NUMBER */
    const char *text;       /* TEXT, NUMBER, DATE, DATETIME; NULL for an integral NUMBER */
    size_t size;            /* of the text */
    const tally_json *list; /* LIST: the array */
} tally_option_value;

/* Reads the members of an object (or nothing, if it is NULL) by a table; "type" is passed over.
 * values[i] is of options[i]. Returns 0 with the problem if it can't. */
int tally_options_read(const tally_option *options, const tally_json *object,
                       tally_option_value *values, tally_problem *problem);

#endif

/* ---- core/formats/run.h ---- */
/*
 * What a format is given to work with, and on. A tokenizer's worker makes a run for each call. */
#ifndef TALLY_FORMATS_RUN_H
#define TALLY_FORMATS_RUN_H

/* ---- core/arrow/strings.h ---- */
/*
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

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

/* An Arrow string or binary array. Row i is values[offset(i) .. offset(i+1)), in `values`.
 *
 * If another thread changes the memory behind the pointers during a call, the call stays within
 * values[offset(0) .. offset(rows)), with the two offsets read once at the beginning. It returns
 * TALLY_ERROR_ARGUMENT after writing some rows, or its results are useless. To compare offset(rows)
 * with the memory of `values`, copy the offsets, compare in the copy, and pass the copy. */
typedef struct tally_strings {
    const void *offsets;  /* rows + 1 of int32_t or int64_t, ascending from 0 or more */
    uint32_t offset_size; /* 4 or 8 bytes */
    uint32_t reserved;
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
    const uint8_t *values;
    uint64_t rows;
} tally_strings;

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Rows first .. first + count - 1. */
static inline tally_strings tally_strings_slice(const tally_strings *strings, uint64_t first,
                                                uint64_t count)
{
    tally_strings slice = *strings;
    slice.offsets = (const uint8_t *)strings->offsets + first * strings->offset_size;
    slice.validity_start += first;
    slice.rows = count;
    return slice;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
    /* The size of every row, if tally_strings_init finds that they have one; else 0. Offsets are
     * then not read again by tally_strings_read. */
    uint64_t each;
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* The same for rows of one size, without their offsets. */
static inline void tally_strings_skip(tally_strings_reader *reader, size_t count)
{
    reader->at += count * reader->each;
    reader->row += count;
}

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

/* ---- core/fast/words/workspace.h ---- */
/*
 * Memory that calls on columns of text, and on words or numbers with row tweaks, work in. It depends
 * on no key or radix, so one workspace serves any number of ciphers, for one call at a time. A call
 * lays its own struct over it: tally_row_tweaks_memory, or tally_column_memory in columns/job.h.
 * Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024    /* bytes of a row's whole tweak */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif

typedef struct tally_run tally_run;

struct tally_run {
    tally_direction direction;

    /* Part 1 of the tweak; it has room for `tweak_room` bytes, so a format may append its part 2
     * for a call, and takes it off again. */
    uint8_t *tweak;
    size_t tweak_size, tweak_room;

    /* Part 3: a row for each value, or NULL. Offsets and nulls as of any tally_strings. */
    const tally_strings *row_tweaks;

    uint64_t small; /* a format adds the rows whose domain is smaller than TALLY_SMALL_DOMAIN */

    /* The cipher of a radix; NULL: there is no memory. The workspace; the same. */
    tally_fast_cipher *(*cipher)(tally_run *run, uint32_t radix);
    tally_fast_workspace *(*workspace)(tally_run *run);

    /* Memory of at least `size` bytes, aligned to 64, until the end of the call, when it is wiped;
     * NULL: there is none. `place`, 0..TALLY_SCRATCHES-1, says which: a place has one piece, which
     * grows and is kept between calls, so no call allocates in the end. */
    void *(*scratch)(tally_run *run, unsigned place, size_t size);

    /* Derives 32 bytes from the key: HKDF-SHA-256 without salt. */
    tally_status (*derive)(tally_run *run, const char *info, uint8_t out[32]);
};

enum { TALLY_SCRATCHES = 12, TALLY_BLOCK_ROWS = 4096 /* a good number to work on together */ };

/* Texts that are written one after the other, as Arrow has them. */
typedef struct tally_text_out {
    uint8_t *values;
    uint64_t size, room; /* bytes */
    void *offsets;       /* rows + 1, of offset_size; the first is 0 */
    uint32_t offset_size;
    uint64_t row;  /* the next */
    uint64_t most; /* bytes that the offsets can number */
    int (*grow)(struct tally_text_out *out, uint64_t more);
    void *context;
} tally_text_out;

/* Makes room for `more` bytes at out->values + out->size. TALLY_ERROR_MEMORY. */
static inline tally_status tally_text_out_reserve(tally_text_out *out, uint64_t more)
{
    return more <= out->room - out->size || out->grow(out, more) ? TALLY_OK : TALLY_ERROR_MEMORY;
}

/* Ends a row of `size` bytes, which were written there. Whoever made `out` looks, after the call,
 * whether its size is more than `most`. */
static inline void tally_text_out_end(tally_text_out *out, uint64_t size)
{
    out->size += size;
    out->row++;
    if (out->offset_size == 4) {
        ((uint32_t *)out->offsets)[out->row] = (uint32_t)out->size;
    } else {
        ((uint64_t *)out->offsets)[out->row] = out->size;
    }
}

/* A column of text. A format writes status[i], a tally_reason, for every row; 0 for null rows. Rows
 * that are not valid keep their bytes; null rows have none, or zeros if the format keeps sizes. */
typedef struct tally_text_column {
    tally_strings in; /* offsets are checked: they ascend, within the values */
    uint8_t *status;
    uint8_t *values;     /* keeps_size: receives the bytes, at the same offsets less the first */
    tally_text_out *out; /* else: receives the rows */
} tally_text_column;

/* A column of values of a fixed size: integers, dates, timestamps, decimals. `values` and `out` are
 * at the first row, and aligned as their type; they may be the same. Rows that are not valid keep
 * their value; null rows become zeros. */
typedef struct tally_fixed_column {
    const tally_arrow_type *type;
    const void *values;
    const uint8_t *validity; /* a bitmap; NULL: no row is null */
    uint64_t validity_start;
    uint64_t rows;
    uint8_t *status;
    void *out;
} tally_fixed_column;

/* One value of text. out[0..room) receives the result, *out_size its size; TALLY_ERROR_ROOM of
 * tokens.h says that there is too little room. If the reason is not 0, nothing need be written. */
typedef struct tally_one {
    const uint8_t *value;
    size_t size;
    const uint8_t *row_tweak; /* NULL: there is none */
    size_t row_tweak_size;
    uint8_t *out;
    size_t room, out_size;
    tally_reason reason;
} tally_one;

#endif

enum { TALLY_EXAMPLES = 9, TALLY_FORMATS_MOST = 64 };

typedef struct tally_format_class tally_format_class;

struct tally_format {
    const tally_format_class *of;
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int one_way, keyed, may_be_formula;
    int allow_tiny_domain;
    int keeps_size;   /* a token has its value's bytes in number, at the same place of the column */
    int forbids_keep; /* on_invalid = "keep" can't go with it (luhn = "invalid") */
    int needs_tweak;  /* values without a tweak of their row are invalid */
    tally_domain smallest;
    uint64_t work;  /* layers of FAST for a value, whatever its size; 0: a keyless format */
    char *identity; /* JSON */
    const char *example[TALLY_EXAMPLES + 1]; /* ending with NULL */
    void *own;                               /* the class's; tally_format_own makes it, */
    size_t own_size;                         /* of this size. 0: `destroy` releases it */
};

struct tally_format_class {
    const char *name;
    const tally_option *options;

    /* Fills a format in that is zero but for `of`, `allocator` and keyed = 1: own, smallest,
     * examples, and the identity last. Messages have the format's name before them. Returns
     * TALLY_ERROR_FORMAT with the problem, or TALLY_ERROR_MEMORY; the format is freed after. */
    tally_status (*make)(tally_format *format, const tally_option_value *values,
                         tally_problem *problem);

    /* Releases what `own`, which is not NULL but may be half made, points to; NULL: nothing. */
    void (*destroy)(tally_format *format);

    /* Says whether a type is taken; if not, writes why after "format 'x'". NULL: text alone. */
    int (*takes)(const tally_format *format, const char *type, const tally_arrow_type *read,
                 tally_writer *why);

    /* Runs a column of text. See run.h. */
    tally_status (*text)(const tally_format *format, tally_run *run, tally_text_column *column);

    /* Runs one value of text, where that is faster than a column of one row; else NULL. */
    tally_status (*one)(const tally_format *format, tally_run *run, tally_one *one);

    /* Runs a column of a type with values of a fixed size; NULL: none is taken. */
    tally_status (*fixed)(const tally_format *format, tally_run *run, tally_fixed_column *column);

    /* The domain of a value; NULL: the smallest. */
    void (*domain_of)(const tally_format *format, const uint8_t *value, size_t size,
                      tally_domain *out);

    /* The layers of FAST that the values of `size` bytes need, at most; NULL: format->work. */
    uint64_t (*work)(const tally_format *format, size_t size);

    /* The byte of the character at fault, or SIZE_MAX if none is; NULL: none ever is. */
    size_t (*place_of_fault)(const tally_format *format, tally_reason reason, const uint8_t *value,
                             size_t size);
};

/* The classes, ending with NULL. */
extern const tally_format_class *const tally_format_classes[];

/* Makes a format from a description that is read already; see tally_format_new. A problem's place
 * is relative to the description: "keep_last", or empty. */
TALLY_MUST_CHECK tally_status tally_format_from_json(const tally_allocator *allocator,
                                                     const tally_json *description,
                                                     tally_format **out, tally_problem *problem);

/* For memory that lives as long as the format: NULL stands for malloc and free. */
const tally_allocator *tally_format_allocator(const tally_format *format);

/* Makes format->own: `size` bytes of zeros, which are released with the format. NULL: there is no
 * memory. */
void *tally_format_own(tally_format *format, size_t size);

/* Sets the identity, a copy of `size` bytes. TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_format_identify(tally_format *format, const char *identity,
                                                    size_t size);

/* Writes the refusal of a format, "name: ...", with the option at fault; returns
 * TALLY_ERROR_FORMAT. The writer version is for messages with numbers. */
tally_status tally_format_refuse(const tally_format *format, tally_problem *problem,
                                 const char *option, const char *text);
void tally_format_refusal(const tally_format *format, tally_problem *problem, const char *option,
                          tally_writer *out);

/* As tally_format_takes, for a type that was read already. */
TALLY_MUST_CHECK tally_status tally_format_takes_read(const tally_format *format, const char *type,
                                                      const tally_arrow_type *read,
                                                      tally_problem *problem);

/* Writes that a format can't be used for a type, and what could. */
void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out);

/* Refuses a domain that is too small, unless allow_tiny_domain allows it. */
tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem);

/* A domain of `size` values, or of radix^length. */
tally_domain tally_domain_of_size(uint64_t size);
tally_domain tally_domain_of_words(uint32_t radix, uint64_t length);

/* The layers of FAST for a word; a quarter more for cycle walking. */
uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks);

#endif

struct tally_policy {
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int has_csv;
    tally_json_document json; /* all texts are its */
    tally_rule *rules;
    tally_format **formats;          /* those of the rules; equal ones are made once */
    const tally_json **descriptions; /* theirs */
    size_t count, capacity, format_count;
    tally_policy_text *keep, *mixed;
    size_t keep_count, mixed_count;
    tally_unlisted unlisted;
    tally_csv_options csv;
};

enum { POLICY_REMEMBERED = 256 /* formats that are compared with a new one */ };

enum { POLICY_COLUMNS, POLICY_VERSION, POLICY_CSV, POLICY_UNLISTED, POLICY_KEEP, POLICY_MIXED };

static const char *const policy_unlisted[] = {"keep", "error", NULL};

static const tally_table_field policy_top[] = {
    {"columns", TALLY_TABLE_TABLE, "a table", 1, NULL},
    {"version", TALLY_TABLE_ONE, "1", 0, NULL},
    {"csv", TALLY_TABLE_TABLE, "a table", 0, NULL},
    {"unlisted", TALLY_TABLE_QUIET, "'keep' or 'error'", 0, policy_unlisted},
    {"keep", TALLY_TABLE_TEXTS, "an array of column names", 0, NULL},
    {"mixed_formats", TALLY_TABLE_TEXTS, "an array of namespaces", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

enum { COLUMN_FORMAT, COLUMN_KEY, COLUMN_NAMESPACE, COLUMN_TWEAK, COLUMN_ON_INVALID };

#define POLICY_KEY_WORDS       "a data key with its version, such as \"people:1\""
#define POLICY_NAMESPACE_WORDS "text that names the values, such as \"person id\""
#define POLICY_EXAMPLE         "{ format = \"digits\", key = \"people:1\", namespace = \"person id\" }"

static const char *const policy_on_invalid[] = {"error", "null", "keep", NULL};

static const tally_table_field policy_column[] = {
    {"format", TALLY_TABLE_FORMAT, "a format's name, such as \"digits\", or a table with its type",
     1, NULL},
    {"key", TALLY_TABLE_TEXT, POLICY_KEY_WORDS, 0, NULL},
    {"namespace", TALLY_TABLE_TEXT, POLICY_NAMESPACE_WORDS, 0, NULL},
    {"tweak", TALLY_TABLE_TEXT, "a column's name", 0, NULL},
    {"on_invalid", TALLY_TABLE_CHOICE, "'error', 'null' or 'keep'", 0, policy_on_invalid},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

static const tally_allocator *policy_allocator(const tally_policy *policy)
{
    return policy->has_allocator ? &policy->allocator : NULL;
}

static tally_policy_text policy_text(const tally_json *value)
{
    return value == NULL ? (tally_policy_text){NULL, 0}
                         : (tally_policy_text){value->text, value->size};
}

/* The place of a choice in its list; 0 if nothing is given. */
static int policy_choice(const tally_json *value, const char *const *choices)
{
    int i = 0;
    while (value != NULL && choices[i + 1] != NULL && !tally_json_is(value, choices[i])) {
        i++;
    }
    return i;
}

static tally_status policy_texts(tally_policy *policy, const tally_json *array,
                                 tally_policy_text **out, size_t *count)
{
    if (array == NULL || array->count == 0) {
        return TALLY_OK;
    }
    *out = tally_allocate_many(policy_allocator(policy), array->count, sizeof **out);
    if (*out == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (const tally_json *item = array->first; item != NULL; item = item->next) {
        (*out)[(*count)++] = policy_text(item);
    }
    return TALLY_OK;
}

/* Whether two values are equal, written alike. JSON's depth bounds the recursion. */
static int policy_is_equal(const tally_json *one, const tally_json *other)
{
    if (one->kind != other->kind || one->count != other->count || one->size != other->size ||
        one->integer != other->integer || one->key_size != other->key_size ||
        (one->size > 0 && memcmp(one->text, other->text, one->size) != 0) ||
        (one->key_size > 0 && memcmp(one->key, other->key, one->key_size) != 0)) {
        return 0;
    }
    const tally_json *a = one->first, *b = other->first;
    while (a != NULL && b != NULL && policy_is_equal(a, b)) {
        a = a->next;
        b = b->next;
    }
    return a == NULL && b == NULL;
}

/* One of the last formats, if it has this description: some take megabytes. */
static tally_format *policy_made(const tally_policy *policy, const tally_json *description)
{
    const size_t last = policy->format_count;
    for (size_t i = last; i > 0 && last - i < POLICY_REMEMBERED; i--) {
        if (policy_is_equal(policy->descriptions[i - 1], description)) {
            return policy->formats[i - 1];
        }
    }
    return NULL;
}

/* Makes the format of a rule. The problem of a format has a place below that of the rule's key. */
static tally_status policy_format(tally_policy *policy, const tally_json *description,
                                  const tally_table_place *place, const tally_format **out,
                                  tally_problem *problem)
{
    tally_problem inner;
    const tally_table_place at = tally_table_at(place, "format");
    tally_format *made = policy_made(policy, description);
    if (made != NULL) {
        *out = made;
        return TALLY_OK;
    }
    const tally_status status =
        tally_format_from_json(policy_allocator(policy), description, &made, &inner);
    if (status == TALLY_OK) {
        policy->formats[policy->format_count] = made;
        policy->descriptions[policy->format_count++] = description;
        *out = made;
    }
    if (status == TALLY_OK || status == TALLY_ERROR_MEMORY) {
        return status;
    }
    tally_writer writer;
    tally_table_wrong(&at, problem, inner.text);
    if (inner.place[0] != '\0') {
        const size_t size = strlen(problem->place);
        tally_writer_init(&writer, problem->place + size, sizeof problem->place - size);
        tally_write_char(&writer, '.');
        tally_write(&writer, inner.place);
    }
    return TALLY_ERROR_POLICY;
}

/* A rule of a format that has no key has neither namespace nor tweak. */
static tally_status policy_check_keyless(const tally_format *format,
                                         const tally_json *const *values,
                                         const tally_table_place *place, tally_problem *problem)
{
    for (int i = COLUMN_KEY; i <= COLUMN_TWEAK; i++) {
        if (values[i] != NULL) {
            const char *const name = tally_format_name(format), *const option =
                                                                    policy_column[i].name;
            const tally_table_place at = tally_table_at(place, option);
            tally_writer writer;
            tally_table_problem(&at, problem, &writer);
            tally_write(&writer, "format ");
            tally_write_repr(&writer, name, strlen(name));
            tally_write(&writer, " takes no ");
            tally_write(&writer, option);
            tally_write(&writer, "; remove it");
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

/* What a rule with a key must have. */
static tally_status policy_read_keyed(const tally_json *const *values,
                                      const tally_table_place *place, tally_rule *rule,
                                      tally_problem *problem)
{
    const tally_table_place key = tally_table_at(place, "key");
    const tally_table_place name_space = tally_table_at(place, "namespace");
    const tally_table_place on_invalid = tally_table_at(place, "on_invalid");
    tally_problem reference;
    if (values[COLUMN_KEY] == NULL) {
        return tally_table_wrong(&key, problem, "is missing; it must be " POLICY_KEY_WORDS);
    }
    if (values[COLUMN_NAMESPACE] == NULL) {
        return tally_table_wrong(&name_space, problem,
                                 "is missing; it must be " POLICY_NAMESPACE_WORDS);
    }
    if (values[COLUMN_NAMESPACE]->size == 0) {
        return tally_table_wrong(&name_space, problem, "must not be empty; name the values");
    }
    if (tally_key_id_parse(values[COLUMN_KEY]->text, values[COLUMN_KEY]->size, &rule->key,
                           &reference) != TALLY_OK) {
        return tally_table_wrong(&key, problem, reference.text);
    }
    if (rule->on_invalid == TALLY_INVALID_KEEP && tally_format_forbids_keep(rule->format)) {
        return tally_table_wrong(
            &on_invalid, problem,
            "'keep' can't go with luhn = \"invalid\": a value kept because its "
            "check digit is wrong could be taken for a token; use 'error' or "
            "'null'");
    }
    rule->name_space = policy_text(values[COLUMN_NAMESPACE]);
    rule->tweak = policy_text(values[COLUMN_TWEAK]);
    if (values[COLUMN_TWEAK] == NULL && tally_format_needs_tweak(rule->format)) {
        const tally_table_place tweak = tally_table_at(place, "tweak");
        return tally_table_wrong(&tweak, problem,
                                 "is missing; it must be a column's name: this format needs to "
                                 "know which values belong together");
    }
    return TALLY_OK;
}

/* Appends the rule of a column. */
static tally_status policy_read_rule(tally_policy *policy, const tally_json *column,
                                     const tally_table_place *columns, tally_problem *problem)
{
    const tally_table_place place = {columns, column->key, column->key_size};
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_rule *const rule = &policy->rules[policy->count];
    memset(rule, 0, sizeof *rule);
    tally_status status =
        tally_table_read(policy_column, column, &place, POLICY_EXAMPLE, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const tally_json *const tweak = values[COLUMN_TWEAK];
    if (tweak != NULL && tweak->size == column->key_size &&
        memcmp(tweak->text, column->key, tweak->size) == 0) {
        const tally_table_place at = tally_table_at(&place, "tweak");
        return tally_table_wrong(&at, problem,
                                 "a column can't be its own tweak; name another column");
    }
    status = policy_format(policy, values[COLUMN_FORMAT], &place, &rule->format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    policy->count++;
    rule->column = (tally_policy_text){column->key, column->key_size};
    rule->name_space = (tally_policy_text){"", 0};
    rule->on_invalid =
        (tally_on_invalid)policy_choice(values[COLUMN_ON_INVALID], policy_on_invalid);
    return tally_format_is_keyed(rule->format)
               ? policy_read_keyed(values, &place, rule, problem)
               : policy_check_keyless(rule->format, values, &place, problem);
}

/* What contradicts itself, with the keys at fault. */
static tally_status policy_check_rules(const tally_policy *policy, const tally_check *check,
                                       const tally_table_place *columns, tally_problem *problem)
{
    tally_writer writer;
    for (size_t i = 0; i < policy->count; i++) {
        const tally_rule *const rule = &policy->rules[i];
        const tally_table_place column = {columns, rule->column.text, rule->column.size};
        const tally_table_place at = tally_table_at(&column, "tweak");
        if (rule->tweak.text != NULL && tally_check_rules_of(check, rule->tweak) > 0) {
            tally_table_problem(&at, problem, &writer);
            tally_check_write_tweak(&writer, rule->tweak);
            return TALLY_ERROR_POLICY;
        }
    }
    for (size_t i = 0; i < policy->keep_count; i++) {
        const tally_table_place at = tally_table_at(NULL, "keep");
        if (tally_check_rules_of(check, policy->keep[i]) > 0) {
            tally_table_problem(&at, problem, &writer);
            tally_check_write_kept(&writer, policy->keep[i]);
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

static tally_status policy_read_rules(tally_policy *policy, const tally_json *columns,
                                      tally_problem *problem)
{
    const tally_table_place place = tally_table_at(NULL, "columns");
    tally_status status = TALLY_OK;
    if (columns->count == 0) {
        return tally_table_wrong(&place, problem, "no column is protected; name at least one");
    }
    policy->capacity = columns->count;
    policy->rules =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->rules);
    policy->formats =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->formats);
    policy->descriptions =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->descriptions);
    if (policy->rules == NULL || policy->formats == NULL || policy->descriptions == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_json *column = columns->first;
    for (; column != NULL && status == TALLY_OK; column = column->next) {
        status = policy_read_rule(policy, column, &place, problem);
    }
    return status;
}

/* The whole policy. The order of the checks says which of several mistakes is named. */
static tally_status policy_read(tally_policy *policy, tally_problem *problem)
{
    const tally_table_place columns = tally_table_at(NULL, "columns");
    const tally_table_place csv = tally_table_at(NULL, "csv");
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_check check = {0};
    tally_status status =
        tally_table_read(policy_top, policy->json.root, NULL, NULL, values, problem);
    if (status == TALLY_OK) {
        status = policy_read_rules(policy, values[POLICY_COLUMNS], problem);
    }
    if (status == TALLY_OK) {
        status = policy_texts(policy, values[POLICY_KEEP], &policy->keep, &policy->keep_count);
    }
    if (status == TALLY_OK) {
        status = policy_texts(policy, values[POLICY_MIXED], &policy->mixed, &policy->mixed_count);
    }
    if (status != TALLY_OK) {
        return status;
    }
    policy->unlisted =
        values[POLICY_UNLISTED] == NULL
            ? TALLY_UNLISTED_UNSAID
            : (tally_unlisted)(1 + policy_choice(values[POLICY_UNLISTED], policy_unlisted));
    status = tally_check_init(policy_allocator(policy), policy->rules, policy->count, &check);
    if (status == TALLY_OK) {
        status = policy_check_rules(policy, &check, &columns, problem);
    }
    if (status == TALLY_OK && values[POLICY_CSV] != NULL) {
        policy->has_csv = 1;
        status = tally_csv_read(values[POLICY_CSV], &csv, &policy->csv, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_mixed(&check, policy->mixed, policy->mixed_count, problem);
    }
    tally_check_free(&check);
    return status;
}

tally_status tally_policy_new(const tally_allocator *allocator, const char *json, size_t size,
                              tally_policy **out, tally_problem *problem)
{
    tally_policy *const policy = tally_allocate(allocator, sizeof *policy);
    *out = NULL;
    if (policy == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(policy, 0, sizeof *policy);
    if (allocator != NULL) {
        policy->allocator = *allocator;
        policy->has_allocator = 1;
    }
    tally_csv_defaults(&policy->csv);
    tally_status status =
        tally_json_parse(policy_allocator(policy), json, size, &policy->json, problem);
    status = status == TALLY_OK              ? policy_read(policy, problem)
             : status == TALLY_ERROR_PROBLEM ? TALLY_ERROR_POLICY
                                             : status;
    if (status == TALLY_OK) {
        *out = policy;
    } else {
        tally_policy_free(policy);
    }
    return status;
}

void tally_policy_free(tally_policy *policy)
{
    if (policy == NULL) {
        return;
    }
    const tally_allocator copy = policy->allocator;
    const tally_allocator *const allocator = policy->has_allocator ? &copy : NULL;
    for (size_t i = 0; i < policy->format_count; i++) {
        tally_format_free(policy->formats[i]);
    }
    tally_release(allocator, policy->rules, policy->capacity * sizeof *policy->rules);
    tally_release(allocator, policy->formats, policy->capacity * sizeof *policy->formats);
    tally_release(allocator, (void *)policy->descriptions,
                  policy->capacity * sizeof *policy->descriptions);
    tally_release(allocator, policy->keep, policy->keep_count * sizeof *policy->keep);
    tally_release(allocator, policy->mixed, policy->mixed_count * sizeof *policy->mixed);
    tally_json_free(&policy->json);
    tally_release(allocator, policy, sizeof *policy);
}

const tally_rule *tally_policy_rule(const tally_policy *policy, size_t index)
{
    return index < policy->count ? &policy->rules[index] : NULL;
}

tally_unlisted tally_policy_unlisted(const tally_policy *policy)
{
    return policy->unlisted;
}

tally_policy_text tally_policy_keep(const tally_policy *policy, size_t index)
{
    return index < policy->keep_count ? policy->keep[index] : (tally_policy_text){NULL, 0};
}

tally_policy_text tally_policy_mixed_format(const tally_policy *policy, size_t index)
{
    return index < policy->mixed_count ? policy->mixed[index] : (tally_policy_text){NULL, 0};
}

int tally_policy_csv(const tally_policy *policy, tally_csv_options *out)
{
    *out = policy->csv;
    return policy->has_csv;
}

/* ---- core/policy/table.c ---- */
/*
 * See table.h. Messages speak of TOML: text, table, whole number. */

/* ---- core/base/nearest.h ---- */
/*
 * The name that a misspelt one may have meant: the answers of Python's difflib.get_close_matches
 * with n = 1 and its cutoff of 0.6. */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

enum { TALLY_NEAREST_CHARACTERS = 128 }; /* longer names are never near, nor have near ones */

/* The choices are offered one after the other. */
typedef struct tally_nearest {
    uint32_t name[TALLY_NEAREST_CHARACTERS];
    size_t characters; /* of the name; 0 for one that is too long */
    const char *best;  /* the nearest choice until now, or NULL */
    size_t best_size;
    uint32_t matches, total; /* its ratio is 2 * matches / total */
} tally_nearest;

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size);
void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size);

/* Says what a misspelt name may have meant, or what there is: "; did you mean 'mask'?" or
 * "; there are: card, mask". The choices are zero-terminated. */
void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count);

#endif

tally_table_place tally_table_at(const tally_table_place *above, const char *key)
{
    return (tally_table_place){above, key, strlen(key)};
}

void tally_table_problem(const tally_table_place *place, tally_problem *problem, tally_writer *text)
{
    const tally_table_place *keys[4];
    size_t count = 0;
    tally_writer path;
    for (; place != NULL && count < 4; place = place->above) {
        keys[count++] = place;
    }
    tally_writer_problem(text, problem);
    tally_writer_init(&path, problem->place, sizeof problem->place);
    while (count-- > 0) {
        tally_write_path(&path, keys[count]->key, keys[count]->size);
    }
}

tally_status tally_table_wrong(const tally_table_place *place, tally_problem *problem,
                               const char *text)
{
    tally_writer writer;
    tally_table_problem(place, problem, &writer);
    tally_write(&writer, text);
    return TALLY_ERROR_POLICY;
}

/* The name that a key has now; NULL: it never had another. */
static const char *table_renamed(const tally_json *member)
{
    return tally_json_key_is(member, "unfit")    ? "on_invalid"
           : tally_json_key_is(member, "domain") ? "namespace"
                                                 : NULL;
}

static size_t table_index(const tally_table_field *fields, const char *name)
{
    size_t i = 0;
    while (fields[i].name != NULL && (name == NULL || strcmp(fields[i].name, name) != 0)) {
        i++;
    }
    return i;
}

static int table_is_texts(const tally_json *value)
{
    const tally_json *item = value->first;
    while (item != NULL && item->kind == TALLY_JSON_TEXT) {
        item = item->next;
    }
    return value->kind == TALLY_JSON_ARRAY && item == NULL;
}

static int table_is_table(const tally_json *value)
{
    return value->kind == TALLY_JSON_OBJECT && strcmp(tally_json_kind_text(value), "a table") == 0;
}

static int table_is_choice(const tally_table_field *field, const tally_json *value)
{
    size_t i = 0;
    while (field->choices[i] != NULL && !tally_json_is(value, field->choices[i])) {
        i++;
    }
    return field->choices[i] != NULL;
}

static int table_fits(const tally_table_field *field, const tally_json *value)
{
    switch (field->kind) {
    case TALLY_TABLE_TABLE:
        return table_is_table(value);
    case TALLY_TABLE_TEXT:
        return value->kind == TALLY_JSON_TEXT;
    case TALLY_TABLE_BOOLEAN:
        return value->kind == TALLY_JSON_TRUE || value->kind == TALLY_JSON_FALSE;
    case TALLY_TABLE_TEXTS:
        return table_is_texts(value);
    case TALLY_TABLE_CHOICE:
    case TALLY_TABLE_QUIET:
        return table_is_choice(field, value);
    case TALLY_TABLE_ONE:
        return value->kind == TALLY_JSON_INTEGER && value->integer == 1;
    default:
        return value->kind == TALLY_JSON_TEXT || table_is_table(value);
    }
}

static void table_write_found(const tally_table_field *field, const tally_json *value,
                              tally_writer *writer)
{
    const int shown = field->kind == TALLY_TABLE_CHOICE || field->kind == TALLY_TABLE_ONE;
    if (shown && value->kind == TALLY_JSON_TEXT) {
        tally_write_repr(writer, value->text, value->size);
    } else if (shown && value->kind == TALLY_JSON_INTEGER) {
        tally_write_int(writer, value->integer);
    } else if (shown && value->kind == TALLY_JSON_BIG) {
        tally_write_bytes(writer, value->text, value->size);
    } else {
        tally_write(writer, tally_json_kind_text(value));
    }
}

static tally_status table_check_key(const tally_table_field *fields, const tally_json *member,
                                    const tally_table_place *place, tally_problem *problem)
{
    const tally_table_place at = {place, member->key, member->key_size};
    const char *const renamed = table_renamed(member);
    const char *names[TALLY_TABLE_FIELDS];
    size_t count = 0;
    tally_writer writer;
    if (renamed != NULL && fields[table_index(fields, renamed)].name != NULL) {
        tally_table_problem(&at, problem, &writer);
        tally_write(&writer, "this key is called '");
        tally_write(&writer, renamed);
        tally_write(&writer, "' now; rename it");
        return TALLY_ERROR_POLICY;
    }
    for (; fields[count].name != NULL; count++) {
        if (tally_json_key_is(member, fields[count].name)) {
            return TALLY_OK;
        }
        names[count] = fields[count].name;
    }
    tally_table_problem(&at, problem, &writer);
    tally_write(&writer, "there is no such key");
    tally_write_instead(&writer, member->key, member->key_size, names, count);
    return TALLY_ERROR_POLICY;
}

static tally_status table_check_value(const tally_table_field *field, const tally_json *value,
                                      const tally_table_place *place, tally_problem *problem)
{
    const tally_table_place at = tally_table_at(place, field->name);
    tally_writer writer;
    if (value == NULL ? !field->required : table_fits(field, value)) {
        return TALLY_OK;
    }
    tally_table_problem(&at, problem, &writer);
    tally_write(&writer, value == NULL ? "is missing; it must be " : "must be ");
    tally_write(&writer, field->expected);
    if (value != NULL) {
        tally_write(&writer, ", not ");
        table_write_found(field, value, &writer);
    }
    return TALLY_ERROR_POLICY;
}

tally_status tally_table_read(const tally_table_field *fields, const tally_json *table,
                              const tally_table_place *place, const char *example,
                              const tally_json **values, tally_problem *problem)
{
    tally_status status = TALLY_OK;
    if (!table_is_table(table)) {
        tally_writer writer;
        tally_table_problem(place, problem, &writer);
        tally_write(&writer, "must be a table");
        tally_write(&writer, example == NULL ? "" : ", such as ");
        tally_write(&writer, example == NULL ? "" : example);
        tally_write(&writer, ", not ");
        tally_write(&writer, tally_json_kind_text(table));
        return TALLY_ERROR_POLICY;
    }
    const tally_json *member = table->first;
    for (; member != NULL && status == TALLY_OK; member = member->next) {
        status = table_check_key(fields, member, place, problem);
    }
    for (size_t i = 0; fields[i].name != NULL && status == TALLY_OK; i++) {
        values[i] = tally_json_member(table, fields[i].name);
        status = table_check_value(&fields[i], values[i], place, problem);
    }
    return status;
}

/* ---- core/policy/toml.c ---- */
/*
 * The text of a policy before a library of TOML reads it: its size, and how deep it is nested. */

enum { TOML_DEPTH = 16 /* four levels have a meaning */ };

/* Where the line of a text ends, from `at` on. */
static size_t toml_line_end(const char *text, size_t size, size_t at)
{
    const char *const end = memchr(text + at, '\n', size - at);
    return end == NULL ? size : (size_t)(end - text);
}

/* How many times `c` stands at a place, up to `most`. */
static size_t toml_repeated(const char *text, size_t size, size_t at, char c, size_t most)
{
    size_t count = 0;
    while (count < most && at + count < size && text[at + count] == c) {
        count++;
    }
    return count;
}

/* Where the string ends that begins at `at`; without an end, where a parser would stop. */
static size_t toml_string_end(const char *text, size_t size, size_t at)
{
    const char quote = text[at];
    const size_t width = toml_repeated(text, size, at, quote, 3) == 3 ? 3 : 1;
    for (at += width; at < size; at++) {
        if (toml_repeated(text, size, at, quote, width) == width) {
            at += width;
            /* The string's last characters may be quotes. */
            return width == 1 ? at : at + toml_repeated(text, size, at, quote, 2);
        }
        if (text[at] == '\\' && quote == '"') {
            at++;
        } else if (text[at] == '\n' && width == 1) {
            return at;
        }
    }
    return size;
}

/* Whether tables and lists lie in each other too deep, by brackets or by the dots of one key. */
static int toml_is_deep(const char *text, size_t size)
{
    size_t brackets = 0, dots = 0, at = 0;
    while (at < size && brackets <= TOML_DEPTH && dots < TOML_DEPTH) {
        switch (text[at]) {
        case '#':
            at = toml_line_end(text, size, at);
            continue;
        case '"':
        case '\'':
            at = toml_string_end(text, size, at);
            continue;
        case '[':
        case '{':
            brackets++;
            dots = 0;
            break;
        case ']':
        case '}':
            brackets -= brackets > 0;
            dots = 0;
            break;
        case '.':
            dots++;
            break;
        case '\n':
        case '=':
        case ',':
            dots = 0;
            break;
        default:
            break;
        }
        at++;
    }
    return brackets > TOML_DEPTH || dots >= TOML_DEPTH;
}

tally_status tally_policy_check_text(const char *toml, size_t size, tally_problem *problem)
{
    tally_writer text;
    const int is_large = size > TALLY_POLICY_SIZE_MAX;
    tally_writer_problem(&text, problem);
    if (!is_large && !toml_is_deep(toml, size)) {
        return TALLY_OK;
    }
    tally_write(&text, is_large ? "too large; the limit for a policy is "
                                : "nested too deep; the limit is ");
    tally_write_uint(&text, is_large ? TALLY_POLICY_SIZE_MAX : TOML_DEPTH);
    tally_write(&text, is_large ? " bytes" : " levels of tables or lists");
    return TALLY_ERROR_POLICY;
}

TALLY_VISIBILITY_POP
