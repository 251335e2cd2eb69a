//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/tokens as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stdatomic.h>
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
/* ---- core/tokens/array.c ---- */
/*
 * Whole arrays of the Arrow C data interface. */

/* ---- core/tokens/array.h ---- */
/*
 * One array, for tables and streams. */
#ifndef TALLY_TOKENS_ARRAY_H
#define TALLY_TOKENS_ARRAY_H

/* ---- core/tokens/column.h ---- */
/*
 * Columns of a call: what a format gets, and the array that comes of it. */
#ifndef TALLY_TOKENS_COLUMN_H
#define TALLY_TOKENS_COLUMN_H

/* ---- core/arrow/array.h ---- */
/*
 * Arrays of the Arrow C data interface, which may lie. What their structures say is checked once,
 * and copied where another thread could change it between the check and its use. How large a buffer
 * is no structure says, but for those of text views: lengths and offsets are taken at their word. */
#ifndef TALLY_ARROW_ARRAY_H
#define TALLY_ARROW_ARRAY_H

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

/* An array with the number of buffers and children that its type has, and a length and an offset
 * whose sum times 64 fits in memory's addresses. */
typedef struct tally_array {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    tally_arrow_type type; /* of a dictionary's indices, if there is one */
    uint64_t rows, offset;
    uint64_t whole; /* offset and rows as it came, if it was narrowed since */
    int64_t nulls;  /* as the array says: -1 if it does not */
    const uint8_t *validity;
    const void *const *buffers;
    uint64_t buffer_count;
    uint64_t child_count;
} tally_array;

/* Opens an array. On failure returns 0, and *why says what is damaged. */
int tally_array_open(const struct ArrowSchema *schema, const struct ArrowArray *array,
                     tally_array *out, const char **why);

/* Opens the dictionary or a child (below child_count) of an open array. */
int tally_array_open_dictionary(const tally_array *array, tally_array *out, const char **why);
int tally_array_open_child(const tally_array *array, uint64_t child, tally_array *out,
                           const char **why);

/* Copies the bits of the rows, from the first on, to a bitmap of (rows + 7) / 8 bytes, and counts
 * those that are 0. Bits behind the last row become 0. Returns 0 if the number is not what the
 * array says. An array without a bitmap has no zeros. */
int tally_array_validity(const tally_array *array, uint8_t *out, uint64_t *nulls, const char **why);

/* Copies the offsets of rows first..first+rows (rows + 1 of them, of `size` bytes each), less the
 * first, which *start receives. Returns 0 if one is negative or below the one before. `out` is
 * aligned to its integers; `offsets` need not be, and may be NULL if there are no rows. */
int tally_offsets_copy(const void *offsets, uint32_t size, uint64_t first, uint64_t rows, void *out,
                       uint64_t *start, const char **why);

/* Whether text of an open array that ends at `end`, an offset, does so within the text of the array
 * as it came: the offsets of a part may lead beyond its last one. */
int tally_array_has_text(const tally_array *array, uint64_t end, const char **why);

/* A text view: its bytes are in `inlined`, if there are at most 12, or in a buffer. */
typedef struct tally_text_view {
    int32_t size;
    union {
        uint8_t inlined[12];
        struct {
            uint8_t prefix[4];
            int32_t buffer, offset;
        } in;
    } at;
} tally_text_view;

enum { TALLY_VIEW_INLINED = 12 };

/* The bytes of a view of an open array; NULL if it is damaged. `view` must be a copy. */
const uint8_t *tally_array_view(const tally_array *array, const tally_text_view *view);

#endif

/* ---- core/tokens/worker.h ---- */
/*
 * What the parts of a worker share. */
#ifndef TALLY_TOKENS_WORKER_H
#define TALLY_TOKENS_WORKER_H

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

/* ---- core/formats/format.h ---- */
/*
 * What every format is inside. A format is one C file with one constant tally_format_class, which
 * registry.c lists. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

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

/* ---- core/formats/options.h ---- */
/*
 * The options of a format, read from its description. Each format has a table of its options; what
 * is not in it, of another type or outside its choices is refused here, once for all formats. */
#ifndef TALLY_FORMATS_OPTIONS_H
#define TALLY_FORMATS_OPTIONS_H

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

enum {
    TOKENS_KEY_SIZE = 32, /* at most */
    TOKENS_CIPHERS = 32,  /* of a worker, at most: one for each radix */
    TOKENS_SEQUENCES = 64 /* that a cipher caches */
};

struct tally_tokenizer {
    tally_allocator allocator;
    const tally_format *format;
    uint8_t key[TOKENS_KEY_SIZE];
    size_t key_size; /* 0: there is none */
    tally_on_invalid on_invalid;
    uint32_t head_size[2]; /* of a tweak's part 1: of columns, and of rows with a tweak each */
    uint8_t *head[2];      /* in the memory behind the tokenizer */
    size_t memory_size;
};

/* The worker's own pieces of memory, behind those of the run. */
typedef enum tokens_place {
    TOKENS_STATUS = TALLY_SCRATCHES, /* of the values */
    TOKENS_OFFSETS,                  /* of text that comes in */
    TOKENS_VALUES,                   /* of text that was gathered */
    TOKENS_VALIDITY,
    TOKENS_INDICES, /* of a dictionary's rows, or of runs */
    TOKENS_USES,    /* of a dictionary's entries, or of runs */
    TOKENS_TWEAK_OFFSETS,
    TOKENS_TWEAK_VALUES,
    TOKENS_TWEAK_VALIDITY,
    TOKENS_TWEAK_INDICES,
    TOKENS_REPEATED,        /* the same, where a row's tweak is that of several values */
    TOKENS_DECODED_OFFSETS, /* of tweaks from a dictionary */
    TOKENS_DECODED_VALUES,
    TOKENS_DECODED_VALIDITY,
    TOKENS_TAKEN_OFFSETS, /* of text that was decoded */
    TOKENS_TAKEN_VALUES,
    TOKENS_TABLE,  /* of hashes */
    TOKENS_MAP,    /* of rows to distinct values */
    TOKENS_FIRSTS, /* rows of distinct values */
    TOKENS_ONE,    /* the result of one value */
    TOKENS_PLACES
} tokens_place;

typedef struct tokens_piece {
    uint8_t *memory; /* aligned */
    void *block;     /* as it was allocated */
    size_t room, block_size;
    size_t used; /* bytes that this call may have written: they are wiped at its end */
} tokens_piece;

/* A pool and a cipher of one radix, in one piece of memory. */
typedef struct tokens_cipher {
    uint32_t radix; /* 0: none yet */
    uint64_t last_use;
    tally_fast_cipher *cipher;
    void *memory;
    size_t memory_size, pool_size;
} tokens_cipher;

struct tally_worker {
    tally_run run; /* the first member: the run's functions get it */
    const tally_tokenizer *tokenizer;
    uint8_t *tweak[2]; /* the tokenizer's heads, with room behind them */
    tokens_piece pieces[TOKENS_PLACES];
    uint64_t used; /* bit i: piece i is to be wiped */
    uint64_t clock;
    tokens_cipher ciphers[TOKENS_CIPHERS];
    uint8_t cipher_of[TALLY_FAST_MAX_RADIX + 1]; /* where that of a radix is, from 1; 0: nowhere */
    void *workspace_memory;
    tally_fast_workspace *workspace;
    uint64_t hash_seed[2];
    int has_seed;
    char purpose[32]; /* of `derived`, which was derived last; empty: nothing was */
    uint8_t derived[32];
    size_t memory_size;
};

/* Begins a call: the run's direction and tweak, without rows' own tweaks. TALLY_ERROR_ONE_WAY. */
tally_status tally_tokens_begin(tally_worker *worker, tally_direction direction,
                                const tally_strings *row_tweaks);

/* Ends it: wipes what the pieces held. */
void tally_tokens_end(tally_worker *worker);

/* A piece of at least `size` bytes; NULL: there is no memory. What it held is lost if it grows. */
void *tally_tokens_scratch(tally_worker *worker, unsigned place, uint64_t size);

/* The same for `count` items of `size` bytes. */
static inline void *tokens_scratch_many(tally_worker *worker, unsigned place, uint64_t count,
                                        uint64_t size)
{
    return count > UINT64_MAX / 2 / size ? NULL : tally_tokens_scratch(worker, place, count * size);
}

#endif

/* The memory of a result: the private data of its array. */
enum { TOKENS_BLOCKS = 3, TOKENS_BUFFERS = 4, TOKENS_CHILDREN = 2 };

typedef struct tokens_owned {
    tally_allocator allocator;
    struct {
        void *memory;
        size_t size;
        size_t values; /* bytes at its begin that may hold values */
    } blocks[TOKENS_BLOCKS];
    int in_clear; /* the values are wiped when the array is released */
    const void *buffers[TOKENS_BUFFERS];
    struct ArrowArray *children[TOKENS_CHILDREN];
    struct ArrowArray nodes[TOKENS_CHILDREN], dictionary;
} tokens_owned;

/* A flat column: text with offsets from 0, or values of a fixed size. Nobody else can change its
 * offsets and its bitmap. */
typedef struct tokens_column {
    tally_arrow_type type;
    uint64_t rows, nulls;
    const uint8_t *validity; /* from bit 0; NULL: no row is null */
    const void *offsets;     /* of text, type.width bytes each */
    const uint8_t *values;
    uint64_t size; /* bytes of text */
} tokens_column;

/* The same, as it comes out. Memory of its own, but not yet an array. */
typedef struct tokens_result {
    tally_arrow_type type;
    uint64_t rows, nulls;
    uint8_t *validity; /* always there */
    void *offsets;
    uint8_t *values;
    uint64_t size;
    tokens_owned *owned;
} tokens_result;

/* What the parts of a call share. */
typedef struct tokens_call {
    tally_worker *worker;
    const tally_strings *row_tweaks;
    const uint8_t *mask; /* a bitmap; NULL: none. A row of 0 is null: its parent is null */
    tally_counts counts; /* of this call */
    uint8_t *reasons;    /* receives those of the rows, and nothing is settled; NULL: it is */
    int in_clear;        /* results hold values, not tokens alone */
    tally_invalid *invalid;
    tally_problem *problem;
} tokens_call;

static inline int tokens_is_text(const tally_arrow_type *type)
{
    return type->kind == TALLY_ARROW_TEXT || (type->kind == TALLY_ARROW_BINARY && !type->fixed);
}

static inline int tokens_is_valid(const uint8_t *validity, uint64_t row)
{
    return validity == NULL || (validity[row / 8] >> (row % 8) & 1) != 0;
}

/* An offset of text. */
static inline uint64_t tokens_offset(const void *offsets, uint32_t width, uint64_t row)
{
    return width == 4 ? ((const uint32_t *)offsets)[row] : ((const uint64_t *)offsets)[row];
}

static inline void tokens_set_offset(void *offsets, uint32_t width, uint64_t row, uint64_t value)
{
    if (width == 4) {
        ((uint32_t *)offsets)[row] = (uint32_t)value;
    } else {
        ((uint64_t *)offsets)[row] = value;
    }
}

/* Copies a text. Short ones are copied from both ends, which takes no call. */
static inline void tokens_copy(uint8_t *out, const uint8_t *in, uint64_t size)
{
    if (size >= 8 && size <= 16) {
        memcpy(out, in, 8);
        memcpy(out + size - 8, in + size - 8, 8);
    } else if (size > 16 && size <= 32) {
        memcpy(out, in, 16);
        memcpy(out + size - 16, in + size - 16, 16);
    } else if (size > 0) {
        memcpy(out, in, (size_t)size);
    }
}

/* Writes a problem; returns `status`. */
tally_status tally_tokens_problem(tokens_call *call, tally_status status, const char *place,
                                  const char *text, const char *more);

/* The same for an Arrow structure that is damaged: "its values are missing". */
tally_status tally_tokens_damaged(tokens_call *call, const char *place, const char *why);

/* result.c: memory of results. */

/* Begins a result: bitmap, and offsets or values of a fixed size. TALLY_ERROR_MEMORY. */
tally_status tally_tokens_result_new(tokens_call *call, const tally_arrow_type *type, uint64_t rows,
                                     tokens_result *out);

/* Gives it a block of memory, aligned, to be released with it; NULL: there is none. */
void *tally_tokens_owned_block(tokens_owned *owned, unsigned block, uint64_t size);

/* Wipes and releases a result that did not become an array. NULL is allowed. */
void tally_tokens_owned_free(tokens_owned *owned);

/* Makes the array of a result: of text or values of a fixed size, or of text views. */
void tally_tokens_export(tokens_result *result, struct ArrowArray *out);
tally_status tally_tokens_export_views(tokens_call *call, tokens_result *result,
                                       struct ArrowArray *out);

/* Makes an array from what owned->buffers, ->children and ->dictionary already hold. */
void tally_tokens_export_owned(tokens_owned *owned, uint64_t rows, uint64_t nulls, int64_t buffers,
                               int64_t children, struct ArrowArray *out);

/* flat.c: columns through a format. */

/* Where the offsets of a column that comes in are to be written: those of the result, where the
 * format keeps sizes. */
void *tally_tokens_offsets_room(tokens_call *call, tokens_result *result);

/* Makes rows null that the call's mask has as 0; *nulls counts them too. */
void tally_tokens_mask(const tokens_call *call, uint8_t *validity, uint64_t rows, uint64_t *nulls);

/* Reads an array of text, with its offsets copied to `offsets`, of the same width. */
tally_status tally_tokens_open_text(tokens_call *call, const tally_array *array, const char *place,
                                    void *offsets, tokens_column *out);

/* Reads an array that is flat, or of views. Begins its result. */
tally_status tally_tokens_open_flat(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result);

/* Runs a column. (*status_out)[i] is the reason of row i. */
tally_status tally_tokens_run(tokens_call *call, const tokens_column *column, tokens_result *result,
                              uint8_t **status_out);

/* For how many rows of the array a row of a column stands, and the first. NULL: row i alone. */
typedef struct tokens_use {
    uint64_t count, first;
} tokens_use;

/* Does with invalid rows what on_invalid says, and counts. A row of the column that stands for no
 * row of the array becomes null if it is invalid. Afterwards status[i] says whether row i became
 * null. TALLY_ERROR_INVALID. */
tally_status tally_tokens_settle(tokens_call *call, const tokens_column *column, uint8_t *status,
                                 const tokens_use *uses, tokens_result *result);

/* Makes rows null: those whose status is not 0. Nothing stays of their values. */
void tally_tokens_make_null(tokens_result *result, const uint8_t *status);

/* Whether a type is text, views or values of a fixed size. */
int tally_tokens_is_flat(const tally_arrow_type *type);

/* take.c */

/* Row i becomes row index[i] of a column; TOKENS_NO_ROW: null. Text is gathered in pieces of the
 * worker, and values of a fixed size in the result, which it begins. */
#define TOKENS_NO_ROW UINT32_MAX
tally_status tally_tokens_take(tokens_call *call, const tokens_column *column,
                               const uint32_t *index, uint64_t rows, tokens_column *out,
                               tokens_result *result);

/* The distinct values of a result, in a result of `type`, which has memory of its own; (*map)[i] is
 * the number of row i's value, or TOKENS_NO_ROW for a null. */
tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const tally_arrow_type *type, uint32_t **map,
                                   tokens_result *out);

/* encoded.c: dictionaries and run ends. */
tally_status tally_tokens_dictionary(tokens_call *call, const tally_array *array, const char *place,
                                     struct ArrowArray *out);
tally_status tally_tokens_runs(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out);

/* Reads the indices of a dictionary's rows, each below `entries`; null rows have TOKENS_NO_ROW.
 * *nulls is their number. */
tally_status tally_tokens_indices(tokens_call *call, const tally_array *array, uint64_t entries,
                                  const char *place, unsigned piece, uint32_t **out,
                                  uint64_t *nulls);

/* tweaks.c: the rows' own tweaks as text. Row i has the tweak of the array's row repeat[i]; NULL:
 * its row i. Rows of the array are null that the mask has as 0; NULL: none. */
tally_status tally_tokens_tweaks(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                 const uint32_t *repeat, uint64_t rows, tally_strings *out);

/* views.c */

/* Gathers text views: their offsets, of 4 bytes or 8, and values, in pieces of the worker. If
 * `result` is not NULL, it begins it, and writes the offsets to tally_tokens_offsets_room. */
tally_status tally_tokens_gather_views(tokens_call *call, const tally_array *array,
                                       const char *place, unsigned offsets_piece,
                                       unsigned values_piece, tokens_result *result,
                                       tokens_column *out);

#endif

/* What is done with an open array. */
typedef struct tokens_job {
    tally_worker *worker;
    tally_direction direction;
    const tally_array *values;
    const uint8_t *mask;       /* a bitmap of the values' rows: 0 makes a null; NULL: none */
    const tally_array *tweaks; /* NULL: there are none */
    const uint8_t *tweak_mask; /* the same of their rows */
    const uint32_t *repeat;    /* row i has the tweak of row repeat[i]; NULL: that of row i */
    const char *place;         /* where problems say that they are */
    uint8_t *reasons;          /* receives those of the rows, and nothing is settled; NULL: it is */
} tokens_job;

/* As tally_protect_array. Counts are added. */
tally_status tally_tokens_array(const tokens_job *job, struct ArrowArray *out, tally_counts *counts,
                                tally_invalid *invalid, tally_problem *problem);

void tally_tokens_add_counts(tally_counts *to, const tally_counts *from);

/* As tally_protect_table. */
tally_status tally_tokens_table(tally_direction direction, tally_field *fields, size_t count,
                                const struct ArrowSchema *type, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem);

#endif

/* The type that is asked of a format: that of the values, as text without views. */
static const char *array_values_type(const struct ArrowSchema *schema)
{
    for (int depth = 0; depth < 2; depth++) {
        if (schema->dictionary != NULL) {
            schema = schema->dictionary;
        } else if (schema->format != NULL && strcmp(schema->format, "+r") == 0 &&
                   schema->n_children == 2 && schema->children != NULL &&
                   schema->children[1] != NULL) {
            schema = schema->children[1];
        }
    }
    if (schema->format == NULL) {
        return "";
    }
    return strcmp(schema->format, "vu") == 0   ? "u"
           : strcmp(schema->format, "vz") == 0 ? "z"
                                               : schema->format;
}

static tally_status array_flat(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out)
{
    tokens_column column;
    tokens_result result;
    uint8_t *reasons;
    tally_status status = tally_tokens_open_flat(call, array, place, &column, &result);
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &column, &result, &reasons);
    }
    if (status == TALLY_OK) {
        call->counts.nulls += column.nulls;
        status = tally_tokens_settle(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        if (tokens_is_text(&array->type) || !tokens_is_text(&column.type)) {
            tally_tokens_export(&result, out);
        } else {
            status = tally_tokens_export_views(call, &result, out);
        }
    }
    tally_tokens_owned_free(result.owned);
    return status;
}

/* An array of the type null: nothing is to be done. */
static tally_status array_of_nulls(tokens_call *call, const tally_array *array,
                                   struct ArrowArray *out)
{
    tally_arrow_type none;
    tokens_result result;
    (void)tally_arrow_type_read("n", &none);
    const tally_status status = tally_tokens_result_new(call, &none, 0, &result);
    if (status == TALLY_OK) {
        tally_tokens_export_owned(result.owned, array->rows, array->rows, 0, 0, out);
        call->counts.nulls += array->rows;
    }
    return status;
}

static tally_status array_run(tokens_call *call, const tokens_job *job, tally_strings *row_tweaks,
                              struct ArrowArray *out)
{
    const tally_array *array = job->values;
    tally_status status = tally_tokens_begin(call->worker, job->direction, NULL);
    if (status != TALLY_OK) {
        return status;
    }
    if (array->type.kind == TALLY_ARROW_NULL) {
        return array_of_nulls(call, array, out);
    }
    status = tally_format_takes(call->worker->tokenizer->format, array_values_type(array->schema),
                                call->problem);
    if (status == TALLY_OK && job->tweaks != NULL) {
        status = tally_tokens_tweaks(call, job->tweaks, job->tweak_mask, job->repeat, array->rows,
                                     row_tweaks);
        call->row_tweaks = row_tweaks;
        if (status == TALLY_OK) {
            status = tally_tokens_begin(call->worker, job->direction, row_tweaks);
        }
    }
    if (status != TALLY_OK) {
        return status;
    }
    const int is_encoded =
        array->array->dictionary != NULL || array->type.kind == TALLY_ARROW_RUN_ENDS;
    if (job->reasons != NULL && is_encoded) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (array->array->dictionary != NULL) {
        return tally_tokens_dictionary(call, array, job->place, out);
    }
    if (array->type.kind == TALLY_ARROW_RUN_ENDS) {
        return tally_tokens_runs(call, array, job->place, out);
    }
    if (!tally_tokens_is_flat(&array->type)) {
        return TALLY_ERROR_ARGUMENT; /* what tally_format_takes refuses */
    }
    return array_flat(call, array, job->place, out);
}

void tally_tokens_add_counts(tally_counts *to, const tally_counts *from)
{
    to->rows += from->rows;
    to->nulls += from->nulls;
    to->small += from->small;
    for (size_t i = 0; i < sizeof to->invalid / sizeof *to->invalid; i++) {
        to->invalid[i] += from->invalid[i];
    }
}

tally_status tally_tokens_array(const tokens_job *job, struct ArrowArray *out, tally_counts *counts,
                                tally_invalid *invalid, tally_problem *problem)
{
    tokens_call call = {.worker = job->worker,
                        .mask = job->mask,
                        .reasons = job->reasons,
                        .in_clear = job->direction == TALLY_DECRYPT,
                        .invalid = invalid,
                        .problem = problem};
    tally_strings row_tweaks;
    struct ArrowArray made;
    memset(&made, 0, sizeof made);
    memset(out, 0, sizeof *out);
    if (job->reasons != NULL && job->values->rows > 0) {
        memset(job->reasons, 0, (size_t)job->values->rows);
    }
    const tally_status status = array_run(&call, job, &row_tweaks, &made);
    tally_tokens_end(job->worker);
    if (status == TALLY_OK) {
        call.counts.rows = job->values->rows;
        if (counts != NULL) {
            tally_tokens_add_counts(counts, &call.counts);
        }
        *out = made;
    }
    return status;
}

/* Opens both arrays, and runs them. */
static tally_status array_call(tally_worker *worker, tally_direction direction,
                               const struct ArrowSchema *type, const struct ArrowArray *values,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_invalid *invalid,
                               tally_problem *problem)
{
    tokens_call call = {.problem = problem};
    tally_array opened, opened_tweaks;
    const char *why;
    memset(out, 0, sizeof *out);
    if (!tally_array_open(type, values, &opened, &why)) {
        return tally_tokens_damaged(&call, "values", why);
    }
    if (tweaks != NULL && !tally_array_open(tweak_type, tweaks, &opened_tweaks, &why)) {
        return tally_tokens_damaged(&call, "tweaks", why);
    }
    const tokens_job job = {.worker = worker,
                            .direction = direction,
                            .values = &opened,
                            .tweaks = tweaks == NULL ? NULL : &opened_tweaks,
                            .place = "values",
                            .reasons = reasons};
    return tally_tokens_array(&job, out, counts, invalid, problem);
}

tally_status tally_protect_array(tally_worker *worker, const struct ArrowSchema *type,
                                 const struct ArrowArray *values,
                                 const struct ArrowSchema *tweak_type,
                                 const struct ArrowArray *tweaks, struct ArrowArray *out,
                                 tally_counts *counts, tally_invalid *invalid,
                                 tally_problem *problem)
{
    return array_call(worker, TALLY_ENCRYPT, type, values, tweak_type, tweaks, out, NULL, counts,
                      invalid, problem);
}

tally_status tally_reveal_array(tally_worker *worker, const struct ArrowSchema *type,
                                const struct ArrowArray *tokens,
                                const struct ArrowSchema *tweak_type,
                                const struct ArrowArray *tweaks, struct ArrowArray *out,
                                tally_counts *counts, tally_invalid *invalid,
                                tally_problem *problem)
{
    return array_call(worker, TALLY_DECRYPT, type, tokens, tweak_type, tweaks, out, NULL, counts,
                      invalid, problem);
}

tally_status tally_transform_rows(tally_worker *worker, int reveal, const struct ArrowSchema *type,
                                  const struct ArrowArray *values,
                                  const struct ArrowSchema *tweak_type,
                                  const struct ArrowArray *tweaks, struct ArrowArray *out,
                                  uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    uint8_t none; /* of no rows */
    return array_call(worker, reveal ? TALLY_DECRYPT : TALLY_ENCRYPT, type, values, tweak_type,
                      tweaks, out, reasons != NULL ? reasons : &none, counts, NULL, problem);
}

/* ---- core/tokens/encoded.c ---- */
/*
 * Dictionaries and run ends. Without tweaks of the rows' own, each value is protected once. With
 * them, equal values have unlike tokens: the rows are decoded, protected and encoded again. */

/* Makes the array of a result in the type that the schema says: text may have come from views. */
static tally_status encoded_export(tokens_call *call, const tally_arrow_type *type,
                                   tokens_result *result, struct ArrowArray *out)
{
    if (type->kind == TALLY_ARROW_TEXT_VIEW || type->kind == TALLY_ARROW_BINARY_VIEW) {
        return tally_tokens_export_views(call, result, out);
    }
    tally_tokens_export(result, out);
    return TALLY_OK;
}

/* The type that distinct values are held in until they are exported. */
static tally_arrow_type encoded_storage(const tally_arrow_type *type, const tokens_result *result)
{
    return type->kind == TALLY_ARROW_TEXT_VIEW || type->kind == TALLY_ARROW_BINARY_VIEW
               ? result->type
               : *type;
}

/* The largest number of entries that indices of a type can number. */
static uint64_t encoded_most(const tally_arrow_type *type)
{
    const unsigned bits = 8 * type->width - type->is_signed;
    return bits >= 32 ? TOKENS_NO_ROW : (uint64_t)1 << bits;
}

/* Writes the indices of rows, and makes the array with its dictionary. */
static tally_status encoded_export_indices(tokens_call *call, const tally_array *array,
                                           const uint32_t *index, const uint32_t *map,
                                           struct ArrowArray *dictionary, struct ArrowArray *out)
{
    tokens_result result;
    const uint32_t width = array->type.width;
    tally_status status = tally_tokens_result_new(call, &array->type, array->rows, &result);
    if (status != TALLY_OK) {
        return status;
    }
    memset(result.validity, 0, (size_t)(array->rows / 8 + 1));
    for (uint64_t i = 0; i < array->rows; i++) {
        uint32_t entry = index == NULL ? (uint32_t)i : index[i];
        if (map != NULL && entry != TOKENS_NO_ROW) {
            entry = map[entry];
        }
        const int valid = entry != TOKENS_NO_ROW;
        result.validity[i / 8] |= (uint8_t)((unsigned)valid << i % 8);
        result.nulls += !valid;
        const uint64_t wide = valid ? entry : 0;
        uint8_t *to = result.values + i * width;
        if (width == 1) {
            *to = (uint8_t)wide;
        } else if (width == 2) {
            *(uint16_t *)(void *)to = (uint16_t)wide;
        } else if (width == 4) {
            *(uint32_t *)(void *)to = (uint32_t)wide;
        } else {
            *(uint64_t *)(void *)to = wide;
        }
    }
    result.owned->dictionary = *dictionary;
    dictionary->release = NULL;
    tally_tokens_export(&result, out);
    return TALLY_OK;
}

/* Counts the rows of each entry; returns the number of rows that are null. */
static uint64_t encoded_count(const uint32_t *index, uint64_t rows, const tokens_column *entries,
                              tokens_use *uses)
{
    uint64_t nulls = 0;
    memset(uses, 0, (size_t)entries->rows * sizeof *uses);
    for (uint64_t i = 0; i < rows; i++) {
        if (index[i] == TOKENS_NO_ROW) {
            nulls++;
            continue;
        }
        tokens_use *use = &uses[index[i]];
        use->first = use->count == 0 ? i : use->first;
        use->count++;
    }
    for (uint64_t i = 0; entries->validity != NULL && i < entries->rows; i++) {
        nulls += tokens_is_valid(entries->validity, i) ? 0 : uses[i].count;
    }
    return nulls;
}

static int encoded_any(const uint8_t *status, uint64_t rows)
{
    uint8_t any = 0;
    for (uint64_t i = 0; i < rows; i++) {
        any |= status[i];
    }
    return any != 0;
}

/* A dictionary whose entries are protected, once each. */
static tally_status encoded_entries(tokens_call *call, const tally_array *array,
                                    const tally_array *dictionary, const tokens_column *entries,
                                    tokens_result *result, const uint32_t *index,
                                    struct ArrowArray *out)
{
    uint8_t *reasons;
    tokens_use *uses =
        tokens_scratch_many(call->worker, TOKENS_USES, entries->rows + 1, sizeof *uses);
    if (uses == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = tally_tokens_run(call, entries, result, &reasons);
    if (status != TALLY_OK) {
        return status;
    }
    call->counts.nulls += encoded_count(index, array->rows, entries, uses);
    const int invalid = encoded_any(reasons, entries->rows);
    status = tally_tokens_settle(call, entries, reasons, uses, result);
    if (status != TALLY_OK) {
        return status;
    }
    struct ArrowArray values;
    memset(&values, 0, sizeof values);
    uint32_t *map = NULL;
    if (invalid || call->worker->tokenizer->format->one_way) {
        /* Some libraries refuse dictionaries that have nulls or equal entries. */
        const tally_arrow_type storage = encoded_storage(&dictionary->type, result);
        tokens_result distinct = {.owned = NULL};
        status = tally_tokens_distinct(call, result, &storage, &map, &distinct);
        if (status == TALLY_OK) {
            status = encoded_export(call, &dictionary->type, &distinct, &values);
        }
        tally_tokens_owned_free(distinct.owned);
    } else {
        status = encoded_export(call, &dictionary->type, result, &values);
    }
    if (status == TALLY_OK) {
        status = encoded_export_indices(call, array, index, map, &values, out);
    }
    if (values.release != NULL) {
        values.release(&values);
    }
    return status;
}

/* A dictionary whose rows have tweaks of their own. */
static tally_status encoded_rows(tokens_call *call, const tally_array *array,
                                 const tally_array *dictionary, const tokens_column *entries,
                                 const uint32_t *index, struct ArrowArray *out)
{
    tokens_column column;
    tokens_result result = {.owned = NULL}, distinct = {.owned = NULL};
    struct ArrowArray values;
    uint8_t *reasons;
    uint32_t *map;
    memset(&values, 0, sizeof values);
    tally_status status = tally_tokens_take(call, entries, index, array->rows, &column, &result);
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &column, &result, &reasons);
    }
    if (status == TALLY_OK) {
        call->counts.nulls += column.nulls;
        status = tally_tokens_settle(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        const tally_arrow_type storage = encoded_storage(&dictionary->type, &result);
        status = tally_tokens_distinct(call, &result, &storage, &map, &distinct);
    }
    if (status == TALLY_OK && distinct.rows > encoded_most(&array->type)) {
        status =
            tally_tokens_problem(call, TALLY_ERROR_ROOM, "values",
                                 "the dictionary's indices can't number all tokens; decode the "
                                 "dictionary column first",
                                 "");
    }
    if (status == TALLY_OK) {
        status = encoded_export(call, &dictionary->type, &distinct, &values);
    }
    if (status == TALLY_OK) {
        status = encoded_export_indices(call, array, NULL, map, &values, out);
    }
    if (values.release != NULL) {
        values.release(&values);
    }
    tally_tokens_owned_free(distinct.owned);
    tally_tokens_owned_free(result.owned);
    return status;
}

/* Opens the values of a dictionary or of runs, which must be flat. */
static tally_status encoded_open(tokens_call *call, const tally_array *array, const char *place,
                                 tokens_column *out, tokens_result *result)
{
    if (array->array->dictionary != NULL || !tally_tokens_is_flat(&array->type)) {
        return tally_tokens_problem(
            call, TALLY_ERROR_TYPE, place,
            "dictionaries and run ends of such values are not supported; decode "
            "the column first",
            "");
    }
    /* Not entries are masked, but rows. */
    const uint8_t *const mask = call->mask;
    call->mask = NULL;
    const tally_status status = tally_tokens_open_flat(call, array, place, out, result);
    call->mask = mask;
    return status;
}

tally_status tally_tokens_dictionary(tokens_call *call, const tally_array *array, const char *place,
                                     struct ArrowArray *out)
{
    tally_array dictionary;
    tokens_column entries = {.rows = 0};
    tokens_result result = {.owned = NULL};
    uint32_t *index = NULL;
    uint64_t nulls;
    const char *why;
    if (!tally_array_open_dictionary(array, &dictionary, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    tally_status status = encoded_open(call, &dictionary, place, &entries, &result);
    if (status == TALLY_OK) {
        status =
            tally_tokens_indices(call, array, entries.rows, place, TOKENS_INDICES, &index, &nulls);
    }
    if (status == TALLY_OK) {
        status = call->row_tweaks == NULL
                     ? encoded_entries(call, array, &dictionary, &entries, &result, index, out)
                     : encoded_rows(call, array, &dictionary, &entries, index, out);
    }
    tally_tokens_owned_free(result.owned);
    return status;
}

/* The end of a run. */
static uint64_t encoded_run_end(const tally_array *ends, uint64_t run)
{
    const uint8_t *at = (const uint8_t *)ends->buffers[1] + (ends->offset + run) * ends->type.width;
    union {
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } held;
    memcpy(&held, at, ends->type.width);
    return ends->type.width == 2   ? (uint64_t)held.i16
           : ends->type.width == 4 ? (uint64_t)held.i32
                                   : (uint64_t)held.i64;
}

/* Reads the runs that the rows of an array touch: *first is the first of them, and uses[i] the rows
 * of run *first + i. */
static tally_status encoded_uses(tokens_call *call, const tally_array *array,
                                 const tally_array *ends, const char *place, uint64_t *first,
                                 uint64_t *runs, tokens_use **out)
{
    const uint64_t end = array->offset + array->rows;
    tokens_use *uses = tokens_scratch_many(call->worker, TOKENS_USES, ends->rows + 1, sizeof *uses);
    if (uses == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t before = 0, count = 0, run = 0;
    *first = 0;
    for (; run < ends->rows && before < end && array->rows > 0; run++) {
        const uint64_t own = tally_barrier(encoded_run_end(ends, run));
        if (own <= before || own > INT64_MAX) {
            return tally_tokens_damaged(call, place, "its run ends do not ascend");
        }
        if (own > array->offset) {
            const uint64_t start = before < array->offset ? array->offset : before;
            *first = count == 0 ? run : *first;
            uses[count].first = start - array->offset;
            uses[count].count = (own < end ? own : end) - start;
            count++;
        }
        before = own;
    }
    if (array->rows > 0 && before < end) {
        return tally_tokens_damaged(call, place, "its runs end before its last row");
    }
    *runs = count;
    *out = uses;
    return TALLY_OK;
}

/* Makes the array of runs; `uses` has the rows of each. */
static tally_status encoded_export_runs(tokens_call *call, const tally_array *array,
                                        const tally_array *ends, const tokens_use *uses,
                                        uint64_t runs, struct ArrowArray *values,
                                        struct ArrowArray *out)
{
    tokens_result parent, result;
    tally_arrow_type none;
    (void)tally_arrow_type_read("n", &none);
    tally_status status = tally_tokens_result_new(call, &ends->type, runs, &result);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < runs; i++) {
        const uint64_t end = uses == NULL ? i + 1 : uses[i].first + uses[i].count;
        uint8_t *to = result.values + i * ends->type.width;
        if (ends->type.width == 2) {
            *(int16_t *)(void *)to = (int16_t)end;
        } else if (ends->type.width == 4) {
            *(int32_t *)(void *)to = (int32_t)end;
        } else {
            *(int64_t *)(void *)to = (int64_t)end;
        }
    }
    status = tally_tokens_result_new(call, &none, 0, &parent);
    if (status != TALLY_OK) {
        tally_tokens_owned_free(result.owned);
        return status;
    }
    tally_tokens_export(&result, &parent.owned->nodes[0]);
    parent.owned->nodes[1] = *values;
    values->release = NULL;
    tally_tokens_export_owned(parent.owned, array->rows, 0, 0, 2, out);
    return TALLY_OK;
}

/* Runs whose rows have tweaks of their own, or are null for what they lie in: each row becomes a
 * run. */
static tally_status encoded_run_rows(tokens_call *call, const tally_array *array,
                                     const tokens_column *runs, const tokens_use *uses,
                                     tokens_column *column, tokens_result *result)
{
    uint32_t *index =
        tokens_scratch_many(call->worker, TOKENS_INDICES, array->rows + 1, sizeof *index);
    if (index == NULL || uses == NULL || runs->rows >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t i = 0, row = 0; i < runs->rows; i++) {
        for (uint64_t left = uses[i].count; left > 0; left--, row++) {
            index[row] = tokens_is_valid(call->mask, row) ? (uint32_t)i : TOKENS_NO_ROW;
        }
    }
    return tally_tokens_take(call, runs, index, array->rows, column, result);
}

tally_status tally_tokens_runs(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out)
{
    tally_array ends, values;
    const char *why;
    uint64_t first = 0, count = 0;
    tokens_use *uses = NULL;
    if (!tally_array_open_child(array, 0, &ends, &why) ||
        !tally_array_open_child(array, 1, &values, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    if (ends.type.kind != TALLY_ARROW_INTEGER || !ends.type.is_signed || ends.type.width < 2 ||
        ends.array->dictionary != NULL || ends.nulls > 0 || ends.rows > values.rows ||
        (ends.rows > 0 && ends.buffers[1] == NULL)) {
        return tally_tokens_damaged(call, place,
                                    "its run ends are not one integer for each of its values");
    }
    tally_status status = encoded_uses(call, array, &ends, place, &first, &count, &uses);
    if (status != TALLY_OK) {
        return status;
    }
    /* The runs that are touched alone; how many of them are null the array does not say. */
    values.offset += first;
    values.rows = count;
    values.nulls = -1;
    tokens_column runs = {.rows = 0}, column = {.rows = 0};
    tokens_result result = {.owned = NULL}, rows = {.owned = NULL};
    uint8_t *reasons = NULL;
    struct ArrowArray made;
    memset(&made, 0, sizeof made);
    status = encoded_open(call, &values, place, &runs, &result);
    if (status == TALLY_OK && (call->row_tweaks != NULL || call->mask != NULL)) {
        status = encoded_run_rows(call, array, &runs, uses, &column, &rows);
        tally_tokens_owned_free(result.owned);
        result = rows;
        runs = column;
        uses = NULL;
        count = array->rows;
    }
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &runs, &result, &reasons);
    }
    if (status == TALLY_OK) {
        for (uint64_t i = 0; i < runs.rows; i++) {
            call->counts.nulls += tokens_is_valid(runs.validity, i) ? 0
                                  : uses == NULL                    ? 1
                                                                    : uses[i].count;
        }
        status = tally_tokens_settle(call, &runs, reasons, uses, &result);
    }
    if (status == TALLY_OK) {
        status = encoded_export(call, &values.type, &result, &made);
    }
    if (status == TALLY_OK) {
        status = encoded_export_runs(call, array, &ends, uses, count, &made, out);
    }
    if (made.release != NULL) {
        made.release(&made);
    }
    tally_tokens_owned_free(result.owned);
    return status;
}

/* ---- core/tokens/flat.c ---- */
/*
 * Flat columns through a format: text with offsets, and values of a fixed size. */

tally_status tally_tokens_problem(tokens_call *call, tally_status status, const char *place,
                                  const char *text, const char *more)
{
    tally_writer writer;
    tally_writer_problem(&writer, call->problem);
    tally_write(&writer, text);
    tally_write(&writer, more);
    tally_writer_init(&writer, call->problem->place, sizeof call->problem->place);
    tally_write(&writer, place);
    return status;
}

tally_status tally_tokens_damaged(tokens_call *call, const char *place, const char *why)
{
    return tally_tokens_problem(call, TALLY_ERROR_ARRAY, place, "a damaged Arrow array: ", why);
}

int tally_tokens_is_flat(const tally_arrow_type *type)
{
    switch (type->kind) {
    case TALLY_ARROW_TEXT:
    case TALLY_ARROW_BINARY:
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
    case TALLY_ARROW_INTEGER:
    case TALLY_ARROW_FLOAT:
    case TALLY_ARROW_DECIMAL:
    case TALLY_ARROW_DATE:
    case TALLY_ARROW_TIMESTAMP:
        return 1;
    default:
        return 0;
    }
}

void *tally_tokens_offsets_room(tokens_call *call, tokens_result *result)
{
    return call->worker->tokenizer->format->keeps_size
               ? result->offsets
               : tokens_scratch_many(call->worker, TOKENS_OFFSETS, result->rows + 1,
                                     result->type.width);
}

tally_status tally_tokens_open_text(tokens_call *call, const tally_array *array, const char *place,
                                    void *offsets, tokens_column *out)
{
    static const uint8_t nothing[1];
    const uint32_t width = array->type.width;
    const char *why;
    uint64_t start;
    if (!tally_offsets_copy(array->buffers[1], width, array->offset, array->rows, offsets, &start,
                            &why) ||
        !tally_array_has_text(array, start + tokens_offset(offsets, width, array->rows), &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    out->type = array->type;
    out->offsets = offsets;
    out->size = tokens_offset(offsets, width, array->rows);
    if (out->size > 0 && array->buffers[2] == NULL) {
        return tally_tokens_damaged(call, place, "its values are missing");
    }
    out->values = array->buffers[2] == NULL ? nothing : (const uint8_t *)array->buffers[2] + start;
    return TALLY_OK;
}

static tally_status flat_open_text(tokens_call *call, const tally_array *array, const char *place,
                                   tokens_column *out, tokens_result *result)
{
    const tally_status status = tally_tokens_result_new(call, &array->type, array->rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    void *offsets = tally_tokens_offsets_room(call, result);
    return offsets == NULL ? TALLY_ERROR_MEMORY
                           : tally_tokens_open_text(call, array, place, offsets, out);
}

/* Copies values of a fixed size: so they are aligned, and nobody else changes them. */
static tally_status flat_open_fixed(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result)
{
    const uint32_t width = array->type.width;
    tally_status status = tally_tokens_result_new(call, &array->type, array->rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    if (array->rows > SIZE_MAX / 2 / (width == 0 ? 1 : width)) {
        return TALLY_ERROR_MEMORY;
    }
    const uint8_t *values = array->buffers[1];
    if (array->rows > 0 && width > 0) {
        if (values == NULL) {
            return tally_tokens_damaged(call, place, "its values are missing");
        }
        memcpy(result->values, values + array->offset * width, (size_t)(array->rows * width));
    }
    out->type = array->type;
    out->values = result->values;
    return TALLY_OK;
}

void tally_tokens_mask(const tokens_call *call, uint8_t *validity, uint64_t rows, uint64_t *nulls)
{
    if (call->mask == NULL) {
        return;
    }
    *nulls = 0;
    for (uint64_t i = 0; i < rows; i += 8) {
        unsigned byte = validity[i / 8] &= call->mask[i / 8];
        for (*nulls += rows - i < 8 ? rows - i : 8; byte != 0; byte &= byte - 1) {
            --*nulls;
        }
    }
}

tally_status tally_tokens_open_flat(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result)
{
    memset(out, 0, sizeof *out);
    memset(result, 0, sizeof *result);
    const tally_arrow_kind kind = array->type.kind;
    tally_status status;
    if (kind == TALLY_ARROW_TEXT_VIEW || kind == TALLY_ARROW_BINARY_VIEW) {
        status = tally_tokens_gather_views(call, array, place, TOKENS_OFFSETS, TOKENS_VALUES,
                                           result, out);
    } else if (tokens_is_text(&array->type)) {
        status = flat_open_text(call, array, place, out, result);
    } else {
        status = flat_open_fixed(call, array, place, out, result);
    }
    if (status != TALLY_OK) {
        return status;
    }
    out->rows = array->rows;
    const char *why;
    if (!tally_array_validity(array, result->validity, &result->nulls, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    tally_tokens_mask(call, result->validity, result->rows, &result->nulls);
    out->nulls = result->nulls;
    out->validity = result->nulls > 0 ? result->validity : NULL;
    return TALLY_OK;
}

/* Makes room for more bytes of text. */
static int flat_grow(tally_text_out *out, uint64_t more)
{
    tokens_result *result = out->context;
    tokens_owned *owned = result->owned;
    const uint64_t wanted = out->size + more;
    if (wanted < more || wanted > INT64_MAX / 4) {
        return 0;
    }
    const uint64_t room = wanted + wanted / 2;
    void *old = owned->blocks[1].memory;
    const size_t old_size = owned->blocks[1].size;
    uint8_t *grown = tally_tokens_owned_block(owned, 1, room);
    if (grown == NULL) {
        return 0;
    }
    memcpy(grown, out->values, (size_t)out->size);
    tally_release_wiped(&owned->allocator, old, old_size);
    out->values = grown;
    out->room = room;
    return 1;
}

static tally_status flat_run_text(tokens_call *call, const tokens_column *column,
                                  tokens_result *result, uint8_t *status_out)
{
    const tally_format *format = call->worker->tokenizer->format;
    const uint32_t width = column->type.width;
    tally_text_column text = {.in = {.offsets = column->offsets,
                                     .offset_size = width,
                                     .validity = column->validity,
                                     .values = column->values,
                                     .rows = column->rows},
                              .status = status_out};
    const uint64_t room =
        column->size + (format->keeps_size ? 0 : column->size / 4 + 8 * column->rows);
    result->values = tally_tokens_owned_block(result->owned, 1, room);
    if (result->values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (format->keeps_size) {
        text.values = result->values;
        result->size = column->size;
        return format->of->text(format, &call->worker->run, &text);
    }
    tally_text_out out = {.values = result->values,
                          .room = room,
                          .offsets = result->offsets,
                          .offset_size = width,
                          .most = width == 4 ? INT32_MAX : INT64_MAX,
                          .grow = flat_grow,
                          .context = result};
    tokens_set_offset(out.offsets, width, 0, 0);
    text.out = &out;
    const tally_status status = format->of->text(format, &call->worker->run, &text);
    result->values = out.values;
    result->size = out.size;
    if (status == TALLY_OK && out.size > out.most) {
        return tally_tokens_problem(
            call, TALLY_ERROR_ROOM, "values",
            "the tokens have more than 2147483647 bytes, which one array of this "
            "type can't hold; cast the column to large_string",
            "");
    }
    return status;
}

tally_status tally_tokens_run(tokens_call *call, const tokens_column *column, tokens_result *result,
                              uint8_t **status_out)
{
    tally_worker *worker = call->worker;
    const tally_format *format = worker->tokenizer->format;
    uint8_t *reasons = tally_tokens_scratch(worker, TOKENS_STATUS, column->rows + 8);
    if (reasons == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    *status_out = reasons;
    worker->run.row_tweaks = call->row_tweaks;
    memset(reasons + column->rows, 0, 8);
    if (tokens_is_text(&column->type)) {
        return flat_run_text(call, column, result, reasons);
    }
    if (format->of->fixed == NULL) {
        return TALLY_ERROR_ARGUMENT; /* what tally_format_takes refuses */
    }
    tally_fixed_column fixed = {.type = &column->type,
                                .values = column->values,
                                .validity = column->validity,
                                .rows = column->rows,
                                .status = reasons,
                                .out = result->values};
    return format->of->fixed(format, &worker->run, &fixed);
}

/* The first row from `row` on whose status is not 0. There are eight zeros behind the last. */
static uint64_t flat_next_invalid(const uint8_t *status, uint64_t row, uint64_t rows)
{
    while (row < rows) {
        uint64_t eight;
        memcpy(&eight, status + row, 8);
        if (eight == 0) {
            row += 8;
            continue;
        }
        while (status[row] == 0) {
            row++;
        }
        return row < rows ? row : rows;
    }
    return rows;
}

void tally_tokens_make_null(tokens_result *result, const uint8_t *status)
{
    const uint64_t rows = result->rows;
    const uint32_t width = result->type.width;
    uint64_t at = 0, to = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const int gone = status[i] != 0;
        if (gone && tokens_is_valid(result->validity, i)) {
            result->validity[i / 8] &= (uint8_t) ~(1U << i % 8);
            result->nulls++;
        }
        if (!tokens_is_text(&result->type)) {
            if (gone) {
                memset(result->values + i * width, 0, width);
            }
            continue;
        }
        const uint64_t end = tokens_offset(result->offsets, width, i + 1);
        if (!gone) {
            if (to != at) {
                memmove(result->values + to, result->values + at, (size_t)(end - at));
            }
            to += end - at;
        }
        tokens_set_offset(result->offsets, width, i + 1, to);
        at = end;
    }
    if (tokens_is_text(&result->type)) {
        tally_wipe(result->values + to, (size_t)(result->size - to));
        result->size = to;
    }
}

/* The rows of a small domain, where each row of the column stands for some of the array. */
static void flat_count_small(tokens_call *call, const tokens_column *column, const uint8_t *status,
                             const tokens_use *uses)
{
    const tally_format *format = call->worker->tokenizer->format;
    const uint64_t small = call->worker->run.small;
    if (uses == NULL || small == 0) {
        call->counts.small += small;
        return;
    }
    uint64_t valid = 0, all = 0;
    for (uint64_t i = 0; i < column->rows; i++) {
        const int counts = tokens_is_valid(column->validity, i) && status[i] == 0;
        valid += (uint64_t)counts;
        all += counts ? uses[i].count : 0;
    }
    if (small == valid || !tokens_is_text(&column->type)) {
        call->counts.small += all;
        return;
    }
    const uint32_t width = column->type.width;
    for (uint64_t i = 0; i < column->rows; i++) {
        if (tokens_is_valid(column->validity, i) && status[i] == 0) {
            const uint64_t start = tokens_offset(column->offsets, width, i);
            const uint64_t end = tokens_offset(column->offsets, width, i + 1);
            tally_domain domain;
            tally_format_domain_of(format, column->values + start, (size_t)(end - start), &domain);
            call->counts.small += domain.size < TALLY_SMALL_DOMAIN ? uses[i].count : 0;
        }
    }
}

static tally_status flat_first_invalid(tokens_call *call, const tokens_column *column,
                                       const uint8_t *status, const tokens_use *uses)
{
    const uint64_t none = column->rows;
    uint64_t at = none, row = UINT64_MAX;
    for (uint64_t i = flat_next_invalid(status, 0, none); i < none;
         i = flat_next_invalid(status, i + 1, none)) {
        const uint64_t first = uses == NULL ? i : uses[i].first;
        if (first < row && (uses == NULL || uses[i].count > 0)) {
            at = i;
            row = first;
        }
        if (uses == NULL) {
            break;
        }
    }
    if (at == none) {
        return TALLY_OK;
    }
    tally_invalid *invalid = call->invalid;
    memset(invalid, 0, sizeof *invalid);
    invalid->row = row;
    invalid->fault.reason = (tally_reason)status[at];
    if (tokens_is_text(&column->type)) {
        const uint64_t start = tokens_offset(column->offsets, column->type.width, at);
        const uint64_t end = tokens_offset(column->offsets, column->type.width, at + 1);
        tally_format_explain(call->worker->tokenizer->format, column->values + start,
                             (size_t)(end - start), (tally_reason)status[at], &invalid->fault);
    }
    return TALLY_ERROR_INVALID;
}

tally_status tally_tokens_settle(tokens_call *call, const tokens_column *column, uint8_t *status,
                                 const tokens_use *uses, tokens_result *result)
{
    const uint64_t rows = column->rows;
    const tally_on_invalid on_invalid = call->worker->tokenizer->on_invalid;
    flat_count_small(call, column, status, uses);
    uint64_t row = flat_next_invalid(status, 0, rows);
    if (row < rows && (call->reasons != NULL || on_invalid == TALLY_INVALID_KEEP)) {
        result->owned->in_clear = call->in_clear = 1;
    }
    if (call->reasons != NULL) {
        memcpy(call->reasons, status, (size_t)rows);
        return TALLY_OK;
    }
    if (row == rows) {
        return TALLY_OK;
    }
    if (on_invalid == TALLY_INVALID_ERROR) {
        const tally_status refused = flat_first_invalid(call, column, status, uses);
        if (refused != TALLY_OK) {
            return refused;
        }
    }
    for (; row < rows; row = flat_next_invalid(status, row + 1, rows)) {
        call->counts.invalid[status[row] % 16] += uses == NULL ? 1 : uses[row].count;
        if (on_invalid == TALLY_INVALID_KEEP && (uses == NULL || uses[row].count > 0)) {
            status[row] = 0;
        }
    }
    if (on_invalid != TALLY_INVALID_KEEP || uses != NULL) {
        tally_tokens_make_null(result, status);
    }
    return TALLY_OK;
}

/* ---- core/tokens/result.c ---- */
/*
 * Memory of results, and the arrays that they become. */

/* ---- core/base/align.h ---- */
/*
 * Objects at multiples of 64 bytes, a cache line, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of TALLY_ALIGNMENT in `memory`. */
static inline void *tally_align(void *memory)
{
    const uintptr_t past = (uintptr_t)memory % TALLY_ALIGNMENT;
    return (uint8_t *)memory + (past == 0 ? 0 : TALLY_ALIGNMENT - past);
}

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

/* Behind a text formats may have written more, before it was shorter. */
enum { RESULT_SLACK = 64 };

static uint64_t result_bitmap_size(uint64_t rows)
{
    return (rows / 8 + TALLY_ALIGNMENT) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

void *tally_tokens_owned_block(tokens_owned *owned, unsigned block, uint64_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t whole = (size_t)size + TALLY_ALIGNMENT + 16; /* of which result_view reads some */
    void *memory = tally_allocate(&owned->allocator, whole);
    if (memory == NULL) {
        return NULL;
    }
    owned->blocks[block].memory = memory;
    owned->blocks[block].size = owned->blocks[block].values = whole;
    return tally_align(memory);
}

/* Of memory that nobody wrote to nothing is wiped, so the system need not give it. */
static void result_values_end(tokens_owned *owned, unsigned block, const uint8_t *end)
{
    if (owned->blocks[block].memory != NULL) {
        const size_t size = (size_t)(end - (const uint8_t *)owned->blocks[block].memory);
        const size_t most = owned->blocks[block].size;
        owned->blocks[block].values = most - size > RESULT_SLACK ? size + RESULT_SLACK : most;
    }
}

static void result_release_memory(tokens_owned *owned, int wipe)
{
    const tally_allocator allocator = owned->allocator;
    for (unsigned i = 0; i < TOKENS_BLOCKS; i++) {
        if (owned->blocks[i].memory != NULL && wipe) {
            tally_wipe(owned->blocks[i].memory, owned->blocks[i].values);
        }
        tally_release(&allocator, owned->blocks[i].memory, owned->blocks[i].size);
    }
    tally_release(&allocator, owned, sizeof *owned);
}

/* The callback of arrays. Children and dictionaries of a result have none of their own, so this
 * recursion is at most two deep. */
static void result_release(struct ArrowArray *array)
{
    tokens_owned *owned = array->private_data;
    for (unsigned i = 0; i < TOKENS_CHILDREN; i++) {
        if (owned->nodes[i].release != NULL) {
            owned->nodes[i].release(&owned->nodes[i]);
        }
    }
    if (owned->dictionary.release != NULL) {
        owned->dictionary.release(&owned->dictionary);
    }
    array->release = NULL;
    result_release_memory(owned, owned->in_clear);
}

void tally_tokens_owned_free(tokens_owned *owned)
{
    if (owned == NULL) {
        return;
    }
    for (unsigned i = 0; i < TOKENS_CHILDREN; i++) {
        if (owned->nodes[i].release != NULL) {
            owned->nodes[i].release(&owned->nodes[i]);
        }
    }
    if (owned->dictionary.release != NULL) {
        owned->dictionary.release(&owned->dictionary);
    }
    result_release_memory(owned, 1);
}

tally_status tally_tokens_result_new(tokens_call *call, const tally_arrow_type *type, uint64_t rows,
                                     tokens_result *out)
{
    const tally_allocator *allocator = &call->worker->tokenizer->allocator;
    memset(out, 0, sizeof *out);
    tokens_owned *owned = tally_allocate(allocator, sizeof *owned);
    if (owned == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(owned, 0, sizeof *owned);
    owned->allocator = *allocator;
    owned->in_clear = call->in_clear;
    const uint64_t bitmap = result_bitmap_size(rows);
    const uint64_t items = rows + (tokens_is_text(type) ? 1 : 0);
    uint8_t *memory = type->width != 0 && items > SIZE_MAX / 4 / type->width
                          ? NULL
                          : tally_tokens_owned_block(owned, 0, bitmap + items * type->width);
    if (memory == NULL) {
        tally_tokens_owned_free(owned);
        return TALLY_ERROR_MEMORY;
    }
    out->type = *type;
    out->rows = rows;
    out->validity = memory;
    if (tokens_is_text(type)) {
        out->offsets = memory + bitmap;
    } else {
        out->values = memory + bitmap;
    }
    out->owned = owned;
    return TALLY_OK;
}

void tally_tokens_export_owned(tokens_owned *owned, uint64_t rows, uint64_t nulls, int64_t buffers,
                               int64_t children, struct ArrowArray *out)
{
    memset(out, 0, sizeof *out);
    out->length = (int64_t)rows;
    out->null_count = (int64_t)nulls;
    out->n_buffers = buffers;
    out->buffers = owned->buffers;
    out->n_children = children;
    for (int64_t i = 0; i < children; i++) {
        owned->children[i] = &owned->nodes[i];
    }
    out->children = children > 0 ? owned->children : NULL;
    out->dictionary = owned->dictionary.release != NULL ? &owned->dictionary : NULL;
    out->release = result_release;
    out->private_data = owned;
}

/* Bitmap and offsets hold no values, and the text ends before its memory does. */
static void result_text_ends(const tokens_result *result)
{
    result->owned->blocks[0].values = 0;
    result_values_end(result->owned, 1, result->values + result->size);
}

void tally_tokens_export(tokens_result *result, struct ArrowArray *out)
{
    tokens_owned *owned = result->owned;
    const int is_text = tokens_is_text(&result->type);
    if (is_text) {
        result_text_ends(result);
    }
    owned->buffers[0] = result->nulls > 0 ? result->validity : NULL;
    owned->buffers[1] = is_text ? result->offsets : result->values;
    owned->buffers[2] = result->values;
    tally_tokens_export_owned(owned, result->rows, result->nulls, is_text ? 3 : 2, 0, out);
    result->owned = NULL;
}

/* Writes the view of `size` bytes at values[at]; behind the last values there are 16 bytes more. */
static void result_view(const uint8_t *values, uint64_t at, uint32_t size, uint8_t *out)
{
    const uint32_t offset = (uint32_t)at, first = 0;
    memcpy(out, &size, 4);
    if (size > TALLY_VIEW_INLINED) {
        memcpy(out + 4, values + at, 4);
        memcpy(out + 8, &first, 4);
        memcpy(out + 12, &offset, 4);
        return;
    }
    /* Bytes beyond the text are zeros. */
    uint64_t low = tally_load_le64(values + at);
    uint32_t high = tally_load_le32(values + at + 8);
    low &= size >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
    high &= size == 12 ? UINT32_MAX : size <= 8 ? 0 : ((uint32_t)1 << 8 * (size - 8)) - 1;
    tally_store_le64(low, out + 4);
    tally_store_le32(high, out + 12);
}

tally_status tally_tokens_export_views(tokens_call *call, tokens_result *result,
                                       struct ArrowArray *out)
{
    tokens_owned *owned = result->owned;
    const uint64_t rows = result->rows;
    if (result->size > INT32_MAX) {
        return tally_tokens_problem(
            call, TALLY_ERROR_ROOM, "values",
            "the tokens have more than 2147483647 bytes, which one array of text "
            "views can't hold; pass fewer rows at a time",
            "");
    }
    uint8_t *block = tally_tokens_owned_block(owned, 2, 16 * rows + 8);
    if (block == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const uint32_t width = result->type.width;
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t end = tokens_offset(result->offsets, width, i + 1);
        const uint64_t own = tokens_is_valid(result->validity, i) ? end - at : 0;
        result_view(result->values, at, (uint32_t)own, block + 16 * i);
        at = end;
    }
    const int64_t size = (int64_t)result->size;
    result_text_ends(result);
    memcpy(block + 16 * rows, &size, sizeof size);
    owned->buffers[0] = result->nulls > 0 ? result->validity : NULL;
    owned->buffers[1] = block;
    owned->buffers[2] = result->values;
    owned->buffers[3] = block + 16 * rows;
    tally_tokens_export_owned(owned, rows, result->nulls, 4, 0, out);
    result->owned = NULL;
    return TALLY_OK;
}

/* ---- core/tokens/stream.c ---- */
/*
 * Streams of tables: each is protected when it is asked for. */

/* What the interface's functions return: errno's numbers, the same everywhere. */
enum { STREAM_NO_MEMORY = 12, STREAM_INVALID = 22 };

enum { STREAM_MESSAGE = 1200 };

typedef struct stream_wrap {
    tally_allocator allocator;
    tally_direction direction;
    tally_field *fields;
    size_t count;
    struct ArrowArrayStream source;
    struct ArrowSchema type;
    uint64_t rows; /* of the tables so far */
    tally_status status;
    tally_table_fault fault;
    tally_problem problem;
    char message[STREAM_MESSAGE]; /* empty: the source's is the last one */
} stream_wrap;

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_wrap *wrap = stream->private_data;
    wrap->message[0] = '\0';
    return wrap->source.get_schema(&wrap->source, out);
}

/* Says what went wrong, with the row of the stream, and nothing of the value. */
static void stream_explain(stream_wrap *wrap)
{
    tally_writer writer;
    tally_writer_init(&writer, wrap->message, sizeof wrap->message);
    if (wrap->problem.place[0] != '\0') {
        tally_write(&writer, wrap->problem.place);
        tally_write(&writer, ": ");
    }
    if (wrap->status == TALLY_ERROR_INVALID) {
        tally_write(&writer, "row ");
        tally_write_uint(&writer, wrap->fault.invalid.row);
        tally_write(&writer, ": ");
        tally_write(&writer, tally_reason_text(wrap->fault.invalid.fault.reason));
    } else {
        tally_write(&writer, wrap->problem.text[0] != '\0' ? wrap->problem.text
                                                           : tally_status_text(wrap->status));
    }
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_wrap *wrap = stream->private_data;
    struct ArrowArray table;
    memset(out, 0, sizeof *out);
    memset(&table, 0, sizeof table);
    memset(&wrap->problem, 0, sizeof wrap->problem);
    wrap->message[0] = '\0';
    wrap->status = TALLY_OK;
    const int failed = wrap->source.get_next(&wrap->source, &table);
    if (failed != 0 || table.release == NULL) {
        return failed;
    }
    const uint64_t rows = (uint64_t)table.length;
    wrap->status = tally_tokens_table(wrap->direction, wrap->fields, wrap->count, &wrap->type,
                                      &table, out, &wrap->fault, &wrap->problem);
    if (wrap->status == TALLY_OK) {
        wrap->rows += rows;
        return 0;
    }
    wrap->fault.invalid.row += wrap->rows;
    table.release(&table);
    stream_explain(wrap);
    return wrap->status == TALLY_ERROR_MEMORY ? STREAM_NO_MEMORY : STREAM_INVALID;
}

static const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
    stream_wrap *wrap = stream->private_data;
    return wrap->message[0] != '\0' ? wrap->message : wrap->source.get_last_error(&wrap->source);
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stream_wrap *wrap = stream->private_data;
    const tally_allocator allocator = wrap->allocator;
    if (wrap->type.release != NULL) {
        wrap->type.release(&wrap->type);
    }
    if (wrap->source.release != NULL) {
        wrap->source.release(&wrap->source);
    }
    tally_release(&allocator, wrap, sizeof *wrap);
    stream->release = NULL;
}

static tally_status stream_new(tally_direction direction, tally_field *fields, size_t count,
                               struct ArrowArrayStream *source, struct ArrowArrayStream *out,
                               tally_problem *problem)
{
    memset(out, 0, sizeof *out);
    if (count == 0 || fields[0].worker == NULL || source->release == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_allocator *allocator = &fields[0].worker->tokenizer->allocator;
    stream_wrap *wrap = tally_allocate(allocator, sizeof *wrap);
    if (wrap == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(wrap, 0, sizeof *wrap);
    wrap->allocator = *allocator;
    wrap->direction = direction;
    wrap->fields = fields;
    wrap->count = count;
    if (source->get_schema(source, &wrap->type) != 0) {
        tally_writer writer;
        const char *text = source->get_last_error(source);
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text == NULL ? "the stream gives no schema" : text);
        tally_release(allocator, wrap, sizeof *wrap);
        return TALLY_ERROR_ARRAY;
    }
    wrap->source = *source;
    source->release = NULL;
    out->get_schema = stream_get_schema;
    out->get_next = stream_get_next;
    out->get_last_error = stream_get_last_error;
    out->release = stream_release;
    out->private_data = wrap;
    return TALLY_OK;
}

tally_status tally_protect_stream(tally_field *fields, size_t count,
                                  struct ArrowArrayStream *source, struct ArrowArrayStream *out,
                                  tally_problem *problem)
{
    return stream_new(TALLY_ENCRYPT, fields, count, source, out, problem);
}

tally_status tally_reveal_stream(tally_field *fields, size_t count, struct ArrowArrayStream *source,
                                 struct ArrowArrayStream *out, tally_problem *problem)
{
    return stream_new(TALLY_DECRYPT, fields, count, source, out, problem);
}

tally_status tally_stream_status(const struct ArrowArrayStream *stream, tally_table_fault *fault,
                                 tally_problem *problem)
{
    if (stream->release != stream_release) {
        return TALLY_ERROR_ARGUMENT;
    }
    const stream_wrap *wrap = stream->private_data;
    *fault = wrap->fault;
    *problem = wrap->problem;
    return wrap->status;
}

/* ---- core/tokens/table.c ---- */
/*
 * Tables: columns of a struct, and columns inside structs, lists and maps. Columns that are not
 * touched are not copied: they share the memory that the table came with. */

static const char table_short[] = "a child is shorter than its parent";

/* The table that a call got, until the last array that shares its memory is released. */
typedef struct table_holder {
    tally_allocator allocator;
    atomic_size_t users;
    struct ArrowArray original; /* released: the call has not ended */
} table_holder;

static void table_holder_leave(table_holder *holder)
{
    if (atomic_fetch_sub_explicit(&holder->users, 1, memory_order_acq_rel) == 1) {
        const tally_allocator allocator = holder->allocator;
        if (holder->original.release != NULL) {
            holder->original.release(&holder->original);
        }
        tally_release(&allocator, holder, sizeof *holder);
    }
}

static void table_holder_join(table_holder *holder)
{
    atomic_fetch_add_explicit(&holder->users, 1, memory_order_relaxed);
}

static void table_release_shared(struct ArrowArray *array)
{
    array->release = NULL;
    table_holder_leave(array->private_data);
}

/* An array above one that was protected: its bitmap and offsets are its own. */
typedef struct table_node {
    table_holder *holder;
    size_t size;        /* with the children that follow, and pointers to them */
    void *memory;       /* of bitmap and offsets */
    size_t memory_size; /* 0: there is none */
    const void *buffers[2];
} table_node;

/* As deep as paths go, which is bounded. */
static void table_release_node(struct ArrowArray *array)
{
    table_node *node = array->private_data;
    table_holder *holder = node->holder;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL) {
            child->release(child);
        }
    }
    array->release = NULL;
    if (node->memory_size > 0) {
        tally_release(&holder->allocator, node->memory, node->memory_size);
    }
    tally_release(&holder->allocator, node, node->size);
    table_holder_leave(holder);
}

/* A list that was entered on the way down. */
typedef struct table_level {
    uint64_t parents, rows;
    uint64_t first;      /* the first row in the child */
    const void *offsets; /* of the lists' items, from 0 on; NULL: each list has as many */
    uint32_t width;
    uint64_t each;
} table_level;

/* Memory of a call. */
typedef struct table_piece {
    struct table_piece *next;
    size_t size;
} table_piece;

enum { TABLE_DEPTH = 32 };

typedef struct table_walk {
    tally_field *fields;
    size_t count;
    tally_direction direction;
    const tally_array *root;
    table_holder *holder;
    table_piece *pieces;
    table_level levels[TABLE_DEPTH];
    uint32_t level_count;
    uint32_t path[TABLE_DEPTH]; /* to where the walk is */
    uint32_t depth;
    tally_counts *counts; /* of each field */
    tally_table_fault *fault;
    tally_problem *problem;
} table_walk;

/* Says what is wrong at a column, whose path is written as names. */
static tally_status table_problem(table_walk *walk, tally_status status, const char *text,
                                  const char *more)
{
    tokens_call call = {.problem = walk->problem};
    return tally_tokens_problem(&call, status, "", text, more);
}

static tally_status table_damaged(table_walk *walk, const char *why)
{
    tokens_call call = {.problem = walk->problem};
    return tally_tokens_damaged(&call, "", why);
}

/* Writes where a column is, as tally_path_find of policy.h reads it, as far as the structures go
 * together: one of them may be at fault. */
static void table_write_place(const struct ArrowSchema *type, const struct ArrowArray *array,
                              const uint32_t *path, uint32_t depth, tally_writer *out)
{
    int in_map = 0;
    for (uint32_t i = 0; i < depth; i++) {
        const char *format = type->format == NULL ? "" : type->format;
        const int is_map = strcmp(format, "+m") == 0;
        if (type->n_children != array->n_children || path[i] >= (uint64_t)type->n_children ||
            type->children == NULL || array->children == NULL || type->children[path[i]] == NULL ||
            array->children[path[i]] == NULL) {
            return;
        }
        type = type->children[path[i]];
        array = array->children[path[i]];
        if (is_map || in_map) {
            tally_write(out, in_map ? "{}" : "");
        } else if (strcmp(format, "+s") != 0) {
            tally_write(out, "[]");
        } else if (type->name != NULL) {
            tally_write(out, i > 0 ? "." : "");
            tally_write(out, type->name);
        }
        in_map = is_map;
    }
}

static void *table_allocate(table_walk *walk, uint64_t count, uint64_t size)
{
    const size_t head = TALLY_ALIGNMENT;
    if (count > (SIZE_MAX / 2 - head) / size) {
        return NULL;
    }
    const size_t whole = head + (size_t)(count * size);
    table_piece *piece = tally_allocate(&walk->holder->allocator, whole);
    if (piece == NULL) {
        return NULL;
    }
    piece->next = walk->pieces;
    piece->size = whole;
    walk->pieces = piece;
    return (uint8_t *)piece + head;
}

static void table_release_pieces(table_walk *walk)
{
    while (walk->pieces != NULL) {
        table_piece *piece = walk->pieces;
        walk->pieces = piece->next;
        tally_release(&walk->holder->allocator, piece, piece->size);
    }
}

/* Whether a field lies at or below the walk's place, or its own child `child`. */
static int table_is_below(const table_walk *walk, const tally_field *field, const uint32_t *child)
{
    if (field->depth < walk->depth + (child != NULL) ||
        memcmp(field->path, walk->path, walk->depth * sizeof *walk->path) != 0) {
        return 0;
    }
    return child == NULL || field->path[walk->depth] == *child;
}

/* The array as it came, from a row on. */
static void table_share(table_walk *walk, const struct ArrowArray *from, uint64_t offset,
                        uint64_t rows, struct ArrowArray *out)
{
    const int whole = offset == 0 && (uint64_t)from->length == rows;
    *out = *from;
    out->offset += (int64_t)offset;
    out->length = (int64_t)rows;
    if (!whole && from->null_count != 0) {
        /* All rows of an array of the type null are, which has no buffers. */
        out->null_count = from->null_count == from->length ? (int64_t)rows : -1;
    }
    out->release = table_release_shared;
    out->private_data = walk->holder;
    table_holder_join(walk->holder);
}

/* Begins an array with children, and `size` bytes for its bitmap and offsets. */
static table_node *table_node_new(table_walk *walk, uint64_t children, uint64_t size,
                                  struct ArrowArray *out)
{
    const size_t each = sizeof(struct ArrowArray) + sizeof(struct ArrowArray *);
    if (children > SIZE_MAX / 2 / each || size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t whole = sizeof(table_node) + (size_t)children * each;
    table_node *node = tally_allocate(&walk->holder->allocator, whole);
    if (node == NULL) {
        return NULL;
    }
    memset(node, 0, whole);
    node->size = whole;
    node->holder = walk->holder;
    if (size > 0) {
        node->memory_size = (size_t)size + TALLY_ALIGNMENT;
        node->memory = tally_allocate(&walk->holder->allocator, node->memory_size);
        if (node->memory == NULL) {
            tally_release(&walk->holder->allocator, node, whole);
            return NULL;
        }
    }
    struct ArrowArray *nodes = (struct ArrowArray *)(void *)(node + 1);
    struct ArrowArray **pointers = (struct ArrowArray **)(void *)(nodes + children);
    for (uint64_t i = 0; i < children; i++) {
        pointers[i] = &nodes[i];
    }
    memset(out, 0, sizeof *out);
    out->buffers = node->buffers;
    out->n_children = (int64_t)children;
    out->children = pointers;
    out->private_data = node;
    out->release = table_release_node;
    table_holder_join(walk->holder);
    return node;
}

static uint64_t table_bitmap_size(uint64_t rows)
{
    return (rows / 8 + TALLY_ALIGNMENT) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

/* The row of a list's item. */
static uint64_t table_parent(const table_level *level, uint64_t row)
{
    if (level->offsets == NULL) {
        return level->each == 0 ? 0 : row / level->each;
    }
    uint64_t low = 0, high = level->parents;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (tokens_offset(level->offsets, level->width, middle) <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Which row of a level's parents each item belongs to. */
static void table_write_parents(const table_level *level, uint32_t *out)
{
    uint64_t row = 0;
    for (uint64_t i = 0; i < level->parents; i++) {
        const uint64_t end = level->offsets == NULL
                                 ? (i + 1) * level->each
                                 : tokens_offset(level->offsets, level->width, i + 1);
        for (; row < end; row++) {
            out[row] = (uint32_t)i;
        }
    }
}

/* Narrows a child to the rows that its parent has. Returns 0 if it is too short. */
static int table_narrow(tally_array *child, uint64_t first, uint64_t rows)
{
    if (first > child->rows || rows > child->rows - first) {
        return 0;
    }
    if ((first > 0 || rows < child->rows) && child->nulls > 0) {
        child->nulls = -1;
    }
    child->offset += first;
    child->rows = rows;
    return 1;
}

/* The bitmap of an array's rows: of those that are valid, and lie in valid ones. *own receives the
 * array's bitmap alone, for the result; NULL if it has no nulls. */
static tally_status table_validity(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   uint8_t *memory, const uint8_t **own, uint64_t *nulls,
                                   const uint8_t **out)
{
    const char *why;
    if (!tally_array_validity(array, memory, nulls, &why)) {
        return table_damaged(walk, why);
    }
    *own = *nulls > 0 ? memory : NULL;
    *out = *nulls > 0 ? memory : mask;
    if (*nulls > 0 && mask != NULL) {
        const uint64_t size = array->rows / 8 + 1;
        uint8_t *both = table_allocate(walk, size, 1);
        if (both == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        for (uint64_t i = 0; i < (array->rows + 7) / 8; i++) {
            both[i] = memory[i] & mask[i];
        }
        *out = both;
    }
    return TALLY_OK;
}

/* The bitmap of a list's items: those of null lists are null. */
static tally_status table_mask_items(table_walk *walk, const table_level *level,
                                     const uint8_t *mask, const uint8_t **out)
{
    *out = NULL;
    if (mask == NULL) {
        return TALLY_OK;
    }
    uint8_t *items = table_allocate(walk, level->rows / 8 + 1, 1);
    if (items == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(items, 0, (size_t)(level->rows / 8 + 1));
    uint64_t row = 0;
    for (uint64_t i = 0; i < level->parents; i++) {
        const unsigned valid = (unsigned)tokens_is_valid(mask, i);
        const uint64_t end = level->offsets == NULL
                                 ? (i + 1) * level->each
                                 : tokens_offset(level->offsets, level->width, i + 1);
        for (; row < end; row++) {
            items[row / 8] |= (uint8_t)(valid << row % 8);
        }
    }
    *out = items;
    return TALLY_OK;
}

/* What is under a null is null, in the tweak column too: its bytes need not survive a file. */
static tally_status table_mask_tweaks(table_walk *walk, const tally_array *array,
                                      const uint8_t **mask)
{
    const uint8_t *own;
    uint64_t nulls;
    if (array->validity == NULL) {
        return TALLY_OK;
    }
    uint8_t *memory = table_allocate(walk, array->rows / 8 + 1, 1);
    return memory == NULL ? TALLY_ERROR_MEMORY
                          : table_validity(walk, array, *mask, memory, &own, &nulls, mask);
}

/* Opens the array with a field's tweaks, and says how many lists it lies in. */
static tally_status table_open_tweaks(table_walk *walk, const tally_field *field, tally_array *out,
                                      const uint8_t **mask, uint32_t *level)
{
    const char *why;
    *out = *walk->root;
    *level = 0;
    *mask = NULL;
    for (uint32_t i = 0; i < field->tweak_depth; i++) {
        const tally_array parent = *out;
        const tally_arrow_kind kind = parent.type.kind;
        const uint32_t child = field->tweak[i];
        uint64_t first = parent.offset, rows = parent.rows;
        if (child >= parent.child_count || parent.array->dictionary != NULL) {
            return table_problem(walk, TALLY_ERROR_ARGUMENT, "there is no such tweak column", "");
        }
        if (kind == TALLY_ARROW_LIST || kind == TALLY_ARROW_MAP) {
            if (i >= field->depth || *level >= walk->level_count ||
                memcmp(field->tweak, field->path, (i + 1) * sizeof *field->path) != 0) {
                return table_problem(walk, TALLY_ERROR_TWEAKS,
                                     "the tweak column is in a list in which the values are not",
                                     "");
            }
            first = walk->levels[*level].first;
            rows = walk->levels[*level].rows;
        } else if (kind != TALLY_ARROW_STRUCT) {
            return table_problem(walk, TALLY_ERROR_TWEAKS,
                                 "tweak columns in arrays of this type are not supported", "");
        }
        tally_status status = table_mask_tweaks(walk, &parent, mask);
        if (status == TALLY_OK && kind != TALLY_ARROW_STRUCT) {
            status = table_mask_items(walk, &walk->levels[(*level)++], *mask, mask);
        }
        if (status != TALLY_OK) {
            return status;
        }
        if (!tally_array_open_child(&parent, child, out, &why)) {
            return table_damaged(walk, why);
        }
        if (!table_narrow(out, first, rows)) {
            return table_damaged(walk, table_short);
        }
    }
    return TALLY_OK;
}

/* For each value the row of its tweak, where that lies above some of the lists; NULL: the same. */
static tally_status table_repeat(table_walk *walk, uint32_t level, uint64_t rows,
                                 const uint32_t **out)
{
    *out = NULL;
    if (level == walk->level_count) {
        return TALLY_OK;
    }
    uint32_t *repeat = table_allocate(walk, rows + 1, sizeof *repeat);
    if (repeat == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint32_t at = walk->level_count - 1;
    if (walk->levels[at].parents >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    table_write_parents(&walk->levels[at], repeat);
    while (at-- > level) {
        const table_level *above = &walk->levels[at];
        uint32_t *parents = table_allocate(walk, above->rows + 1, sizeof *parents);
        if (parents == NULL || above->parents >= TOKENS_NO_ROW) {
            return TALLY_ERROR_MEMORY;
        }
        table_write_parents(above, parents);
        for (uint64_t i = 0; i < rows; i++) {
            repeat[i] = parents[repeat[i]];
        }
    }
    *out = repeat;
    return TALLY_OK;
}

/* A column that is protected. */
static tally_status table_leaf(table_walk *walk, tally_field *field, const tally_array *values,
                               const uint8_t *mask, struct ArrowArray *out)
{
    tally_array tweaks;
    uint32_t level = 0;
    tokens_job job = {.worker = field->worker,
                      .direction = walk->direction,
                      .values = values,
                      .mask = mask,
                      .place = ""};
    if (field->tweak_depth > 0) {
        tally_status status = table_open_tweaks(walk, field, &tweaks, &job.tweak_mask, &level);
        if (status == TALLY_OK) {
            status = table_repeat(walk, level, values->rows, &job.repeat);
        }
        if (status != TALLY_OK) {
            return status;
        }
        job.tweaks = &tweaks;
    }
    const tally_status status = tally_tokens_array(&job, out, &walk->counts[field - walk->fields],
                                                   &walk->fault->invalid, walk->problem);
    if (status == TALLY_ERROR_INVALID) {
        uint64_t row = walk->fault->invalid.row;
        for (uint32_t i = walk->level_count; i-- > 0;) {
            row = table_parent(&walk->levels[i], row);
        }
        walk->fault->invalid.row = row;
    }
    return status;
}

static tally_status table_node_run(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   struct ArrowArray *out);

/* A child of the walk's array: the field that lies there, or what lies deeper, or nothing. */
static tally_status table_child(table_walk *walk, const tally_array *array, uint32_t child,
                                uint64_t first, uint64_t rows, const uint8_t *mask,
                                struct ArrowArray *out)
{
    tally_field *field = NULL;
    size_t below = 0;
    for (size_t i = 0; i < walk->count; i++) {
        if (table_is_below(walk, &walk->fields[i], &child)) {
            /* That which ends here, if one does. */
            field =
                field == NULL || walk->fields[i].depth < field->depth ? &walk->fields[i] : field;
            below++;
        }
    }
    if (below == 0) {
        const struct ArrowArray *own = array->array->children[child];
        if (own == NULL || own->release == NULL || own->offset < 0 || own->length < 0) {
            return table_damaged(walk, "a child is missing");
        }
        if (first > (uint64_t)own->length || rows > (uint64_t)own->length - first) {
            return table_damaged(walk, table_short);
        }
        table_share(walk, own, first, rows, out);
        return TALLY_OK;
    }
    const size_t number = (size_t)(field - walk->fields);
    const char *why;
    tally_array opened;
    walk->fault->field = number;
    if (!tally_array_open_child(array, child, &opened, &why)) {
        return table_damaged(walk, why);
    }
    if (!table_narrow(&opened, first, rows)) {
        return table_damaged(walk, table_short);
    }
    if (field->depth == walk->depth + 1) {
        return below == 1 ? table_leaf(walk, field, &opened, mask, out)
                          : table_problem(walk, TALLY_ERROR_ARGUMENT,
                                          "a column lies in one that is protected too", "");
    }
    walk->path[walk->depth++] = child;
    const tally_status status = table_node_run(walk, &opened, mask, out);
    walk->depth--;
    return status;
}

/* Reads the offsets of lists, or their size, into a level. */
static tally_status table_enter(table_walk *walk, const tally_array *array, uint8_t *memory,
                                table_level *level)
{
    const char *why;
    memset(level, 0, sizeof *level);
    level->parents = array->rows;
    level->width = array->type.width;
    if (array->type.fixed) {
        level->each = array->type.width;
        if (level->each != 0 && array->rows + array->offset > UINT64_MAX / 2 / level->each) {
            return table_damaged(walk, table_short);
        }
        level->rows = level->each * array->rows;
        level->first = level->each * array->offset;
        return TALLY_OK;
    }
    if (!tally_offsets_copy(array->buffers[1], array->type.width, array->offset, array->rows,
                            memory, &level->first, &why)) {
        return table_damaged(walk, why);
    }
    level->offsets = memory;
    level->rows = tokens_offset(memory, level->width, array->rows);
    return TALLY_OK;
}

static tally_status table_list(table_walk *walk, const tally_array *array, const uint8_t *mask,
                               table_node *node, struct ArrowArray *out)
{
    uint8_t *memory = tally_align(node->memory);
    uint8_t *offsets = memory + table_bitmap_size(array->rows);
    const uint8_t *own = NULL, *valid = NULL, *items = NULL;
    uint64_t nulls = 0;
    if (walk->level_count == TABLE_DEPTH) {
        return TALLY_ERROR_ARGUMENT;
    }
    table_level *level = &walk->levels[walk->level_count];
    tally_status status = table_validity(walk, array, mask, memory, &own, &nulls, &valid);
    if (status == TALLY_OK) {
        status = table_enter(walk, array, offsets, level);
    }
    if (status == TALLY_OK) {
        status = table_mask_items(walk, level, valid, &items);
    }
    if (status != TALLY_OK) {
        return status;
    }
    node->buffers[0] = own;
    node->buffers[1] = offsets;
    out->n_buffers = array->type.fixed ? 1 : 2;
    out->null_count = (int64_t)nulls;
    walk->level_count++;
    status = table_child(walk, array, 0, level->first, level->rows, items, out->children[0]);
    walk->level_count--;
    return status;
}

static tally_status table_struct(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                 table_node *node, struct ArrowArray *out)
{
    const uint8_t *own = NULL, *valid = NULL;
    uint64_t nulls = 0;
    tally_status status =
        table_validity(walk, array, mask, tally_align(node->memory), &own, &nulls, &valid);
    if (status != TALLY_OK) {
        return status;
    }
    node->buffers[0] = own;
    out->n_buffers = 1;
    out->null_count = (int64_t)nulls;
    for (uint32_t i = 0; i < array->child_count; i++) {
        status = table_child(walk, array, i, array->offset, array->rows, valid, out->children[i]);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status table_node_run(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   struct ArrowArray *out)
{
    const tally_arrow_kind kind = array->type.kind;
    const int is_list = kind == TALLY_ARROW_LIST || kind == TALLY_ARROW_MAP;
    if ((!is_list && kind != TALLY_ARROW_STRUCT) || array->array->dictionary != NULL) {
        char name[96];
        (void)tally_arrow_type_name(array->schema->format, name, sizeof name);
        return table_problem(walk, TALLY_ERROR_TYPE,
                             "a column inside another is protected in structs, lists and maps, not "
                             "in one of type ",
                             name);
    }
    for (size_t i = 0; i < walk->count; i++) {
        if (table_is_below(walk, &walk->fields[i], NULL) &&
            walk->fields[i].path[walk->depth] >= array->child_count) {
            walk->fault->field = i;
            return table_problem(walk, TALLY_ERROR_ARGUMENT, "there is no such column", "");
        }
    }
    uint64_t size = table_bitmap_size(array->rows);
    if (is_list && !array->type.fixed) {
        size += (array->rows + 1) * array->type.width;
    }
    table_node *node = table_node_new(walk, array->child_count, size, out);
    if (node == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    out->length = (int64_t)array->rows;
    const tally_status status = is_list ? table_list(walk, array, mask, node, out)
                                        : table_struct(walk, array, mask, node, out);
    if (status != TALLY_OK) {
        out->release(out);
    }
    return status;
}

static int table_fields_fit(const tally_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].depth > TABLE_DEPTH || fields[i].tweak_depth > TABLE_DEPTH ||
            fields[i].worker == NULL ||
            (fields[i].depth == 0 && (count > 1 || fields[i].tweak_depth > 0))) {
            return 0;
        }
    }
    return 1;
}

/* A column by itself. */
static tally_status table_alone(tally_direction direction, tally_field *field,
                                const tally_array *root, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem)
{
    const tokens_job job = {
        .worker = field->worker, .direction = direction, .values = root, .place = ""};
    const tally_status status =
        tally_tokens_array(&job, out, &field->counts, &fault->invalid, problem);
    if (status == TALLY_OK) {
        table->release(table);
        table->release = NULL;
    }
    return status;
}

tally_status tally_tokens_table(tally_direction direction, tally_field *fields, size_t count,
                                const struct ArrowSchema *type, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem)
{
    tally_array root;
    const char *why;
    struct ArrowArray made;
    tokens_call call = {.problem = problem};
    memset(out, 0, sizeof *out);
    memset(fault, 0, sizeof *fault);
    if (!table_fields_fit(fields, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_array_open(type, table, &root, &why)) {
        return tally_tokens_damaged(&call, "", why);
    }
    if (count == 0) {
        *out = *table;
        table->release = NULL;
        return TALLY_OK;
    }
    if (fields[0].depth == 0) {
        return table_alone(direction, &fields[0], &root, table, out, fault, problem);
    }
    const tally_allocator *allocator = &fields[0].worker->tokenizer->allocator;
    table_walk walk = {.fields = fields,
                       .count = count,
                       .direction = direction,
                       .root = &root,
                       .fault = fault,
                       .problem = problem};
    walk.holder = tally_allocate(allocator, sizeof *walk.holder);
    if (walk.holder == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(walk.holder, 0, sizeof *walk.holder);
    walk.holder->allocator = *allocator;
    atomic_init(&walk.holder->users, 1);
    tally_status status = TALLY_ERROR_MEMORY;
    walk.counts = table_allocate(&walk, count, sizeof *walk.counts);
    if (walk.counts != NULL) {
        memset(walk.counts, 0, count * sizeof *walk.counts);
        status = table_node_run(&walk, &root, NULL, &made);
    }
    for (size_t i = 0; status == TALLY_OK && i < count; i++) {
        tally_tokens_add_counts(&fields[i].counts, &walk.counts[i]);
    }
    table_release_pieces(&walk);
    if (status == TALLY_OK) {
        walk.holder->original = *table;
        table->release = NULL;
        *out = made;
    } else {
        const tally_field *field = &fields[fault->field];
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        table_write_place(type, table, field->path, field->depth, &place);
    }
    table_holder_leave(walk.holder);
    return status;
}

tally_status tally_protect_table(tally_field *fields, size_t count, const struct ArrowSchema *type,
                                 struct ArrowArray *table, struct ArrowArray *out,
                                 tally_table_fault *fault, tally_problem *problem)
{
    return tally_tokens_table(TALLY_ENCRYPT, fields, count, type, table, out, fault, problem);
}

tally_status tally_reveal_table(tally_field *fields, size_t count, const struct ArrowSchema *type,
                                struct ArrowArray *table, struct ArrowArray *out,
                                tally_table_fault *fault, tally_problem *problem)
{
    return tally_tokens_table(TALLY_DECRYPT, fields, count, type, table, out, fault, problem);
}

/* ---- core/tokens/take.c ---- */
/*
 * Dictionaries as indices: which rows they mean, and the distinct values of a column. */

/* ---- core/base/siphash.h ---- */
/*
 * SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, with one
 * round for eight bytes and three at the end): for hash tables of values that an attacker chose. */
#ifndef TALLY_BASE_SIPHASH_H
#define TALLY_BASE_SIPHASH_H

static inline uint64_t tally_siphash_rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline void tally_siphash_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = tally_siphash_rotate(v[1], 13) ^ v[0];
    v[3] = tally_siphash_rotate(v[3], 16) ^ v[2];
    v[0] = tally_siphash_rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = tally_siphash_rotate(v[1], 17) ^ v[2];
    v[3] = tally_siphash_rotate(v[3], 21) ^ v[0];
    v[2] = tally_siphash_rotate(v[2], 32);
}

/* The hash of bytes under a secret key. */
static inline uint64_t tally_siphash(const uint64_t key[2], const uint8_t *bytes, uint64_t size)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                     key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    uint64_t last = size << 56;
    for (; size >= 8; bytes += 8, size -= 8) {
        const uint64_t word = tally_load_le64(bytes);
        v[3] ^= word;
        tally_siphash_round(v);
        v[0] ^= word;
    }
    for (unsigned i = 0; i < size; i++) {
        last |= (uint64_t)bytes[i] << 8 * i;
    }
    v[3] ^= last;
    tally_siphash_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) {
        tally_siphash_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif

/* Reads the indices of one type. Returns 0 if one of a valid row is not below `entries`. */
#define TAKE_DEFINE_INDICES(name, type)                                                            \
    static int name(const uint8_t *in, uint64_t rows, const uint8_t *validity, uint64_t entries,   \
                    uint32_t *out)                                                                 \
    {                                                                                              \
        int inside = 1;                                                                            \
        for (uint64_t i = 0; i < rows; i++) {                                                      \
            type index;                                                                            \
            memcpy(&index, in + i * sizeof index, sizeof index);                                   \
            const uint64_t wide = tally_barrier((uint64_t)index);                                  \
            if (!tokens_is_valid(validity, i)) {                                                   \
                out[i] = TOKENS_NO_ROW;                                                            \
            } else {                                                                               \
                inside &= wide < entries;                                                          \
                out[i] = (uint32_t)wide;                                                           \
            }                                                                                      \
        }                                                                                          \
        return inside;                                                                             \
    }

TAKE_DEFINE_INDICES(take_indices_8, uint8_t)
TAKE_DEFINE_INDICES(take_indices_16, uint16_t)
TAKE_DEFINE_INDICES(take_indices_32, uint32_t)
TAKE_DEFINE_INDICES(take_indices_64, uint64_t)

tally_status tally_tokens_indices(tokens_call *call, const tally_array *array, uint64_t entries,
                                  const char *place, unsigned piece, uint32_t **out,
                                  uint64_t *nulls)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = array->rows;
    const uint32_t width = array->type.width;
    const char *why;
    uint32_t *index = tokens_scratch_many(worker, piece, rows + 1, sizeof *index);
    uint8_t *validity = tally_tokens_scratch(worker, TOKENS_VALIDITY, rows / 8 + 1);
    if (index == NULL || validity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    *out = index;
    if (!tally_array_validity(array, validity, nulls, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    if (piece == TOKENS_INDICES) { /* not of tweaks */
        tally_tokens_mask(call, validity, rows, nulls);
    }
    if (rows > 0 && array->buffers[1] == NULL) {
        return tally_tokens_damaged(call, place, "its indices are missing");
    }
    /* A negative index is a large one without its sign: more than a signed type can number. */
    const uint64_t signed_most = (uint64_t)1 << (8 * width - 1);
    if (array->type.is_signed && entries > signed_most) {
        entries = signed_most;
    }
    if (entries > TOKENS_NO_ROW) {
        entries = TOKENS_NO_ROW;
    }
    const uint8_t *in = array->buffers[1];
    if (rows > 0) {
        in += array->offset * width;
    }
    int inside;
    switch (width) {
    case 1:
        inside = take_indices_8(in, rows, validity, entries, index);
        break;
    case 2:
        inside = take_indices_16(in, rows, validity, entries, index);
        break;
    case 4:
        inside = take_indices_32(in, rows, validity, entries, index);
        break;
    default:
        inside = take_indices_64(in, rows, validity, entries, index);
    }
    return inside ? TALLY_OK
                  : tally_tokens_damaged(call, place, "an index is not one of its dictionary");
}

tally_status tally_tokens_take(tokens_call *call, const tokens_column *column,
                               const uint32_t *index, uint64_t rows, tokens_column *out,
                               tokens_result *result)
{
    tally_worker *worker = call->worker;
    const uint32_t width = column->type.width;
    const int is_text = tokens_is_text(&column->type);
    tally_arrow_type type = column->type;
    uint64_t size = 0;
    for (uint64_t i = 0; is_text && i < rows; i++) {
        if (index[i] != TOKENS_NO_ROW) {
            size += tokens_offset(column->offsets, width, (uint64_t)index[i] + 1) -
                    tokens_offset(column->offsets, width, index[i]);
            if (size > INT64_MAX) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    if (is_text && size > INT32_MAX / 2) {
        type.width = 8; /* tokens may be longer; the dictionary's type is looked at after */
    }
    const tally_status status = tally_tokens_result_new(call, &type, rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    memset(out, 0, sizeof *out);
    out->type = type;
    out->rows = rows;
    out->size = size;
    void *offsets = is_text
                        ? tokens_scratch_many(worker, TOKENS_TAKEN_OFFSETS, rows + 1, type.width)
                        : result->values;
    uint8_t *values =
        is_text ? tally_tokens_scratch(worker, TOKENS_TAKEN_VALUES, size) : result->values;
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(result->validity, 0, (size_t)(rows / 8 + 1));
    uint64_t at = 0;
    if (is_text) {
        tokens_set_offset(offsets, type.width, 0, 0);
    }
    for (uint64_t i = 0; i < rows; i++) {
        const uint32_t from = index[i];
        const int valid = from != TOKENS_NO_ROW && tokens_is_valid(column->validity, from);
        result->validity[i / 8] |= (uint8_t)((unsigned)valid << i % 8);
        result->nulls += !valid;
        if (!is_text) {
            if (valid) {
                memcpy(values + i * width, column->values + (uint64_t)from * width, width);
            } else {
                memset(values + i * width, 0, width);
            }
            continue;
        }
        if (valid) {
            const uint64_t start = tokens_offset(column->offsets, width, from);
            const uint64_t own = tokens_offset(column->offsets, width, (uint64_t)from + 1) - start;
            tokens_copy(values + at, column->values + start, own);
            at += own;
        }
        tokens_set_offset(offsets, type.width, i + 1, at);
    }
    out->size = at;
    out->offsets = is_text ? offsets : NULL;
    out->values = values;
    out->nulls = result->nulls;
    out->validity = result->nulls > 0 ? result->validity : NULL;
    if (is_text && worker->tokenizer->format->keeps_size) {
        memcpy(result->offsets, offsets, (size_t)((rows + 1) * type.width));
    }
    return TALLY_OK;
}

/* The key of hashes, so that nobody can choose values that collide. Without entropy it is derived;
 * then only formats with a key have a secret one. */
static tally_status take_seed(tally_worker *worker)
{
    uint8_t seed[32] = {0};
    if (worker->has_seed) {
        return TALLY_OK;
    }
    tally_status status = tally_entropy(seed, sizeof worker->hash_seed);
    if (status != TALLY_OK) {
        status = worker->run.derive(&worker->run, "tallystick distinct values 1", seed);
    }
    memcpy(worker->hash_seed, seed, sizeof worker->hash_seed);
    worker->has_seed = status == TALLY_OK;
    tally_wipe(seed, sizeof seed);
    return status;
}

static const uint8_t *take_value(const tokens_result *result, uint64_t row, uint64_t *size)
{
    const uint32_t width = result->type.width;
    if (!tokens_is_text(&result->type)) {
        *size = width;
        return result->values + row * width;
    }
    const uint64_t start = tokens_offset(result->offsets, width, row);
    *size = tokens_offset(result->offsets, width, row + 1) - start;
    return result->values + start;
}

tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const tally_arrow_type *type, uint32_t **map_out,
                                   tokens_result *out)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = result->rows;
    uint64_t slots = 16, count = 0, size = 0;
    if (rows >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    while (slots < 2 * rows) {
        slots *= 2;
    }
    uint32_t *map = tokens_scratch_many(worker, TOKENS_MAP, rows + 1, sizeof *map);
    uint32_t *firsts = tokens_scratch_many(worker, TOKENS_FIRSTS, rows + 1, sizeof *firsts);
    uint32_t *table = tokens_scratch_many(worker, TOKENS_TABLE, slots, sizeof *table);
    if (map == NULL || firsts == NULL || table == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status seeded = take_seed(worker);
    if (seeded != TALLY_OK) {
        return seeded;
    }
    memset(table, 0, (size_t)slots * sizeof *table); /* a value's number from 1; 0: free */
    for (uint64_t i = 0; i < rows; i++) {
        if (!tokens_is_valid(result->validity, i)) {
            map[i] = TOKENS_NO_ROW;
            continue;
        }
        uint64_t own, other;
        const uint8_t *value = take_value(result, i, &own);
        uint64_t slot = tally_siphash(worker->hash_seed, value, own) & (slots - 1);
        for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
            const uint8_t *held = take_value(result, firsts[table[slot] - 1], &other);
            if (own == other && (own == 0 || memcmp(value, held, (size_t)own) == 0)) {
                break;
            }
        }
        if (table[slot] == 0) {
            firsts[count++] = (uint32_t)i;
            table[slot] = (uint32_t)count;
            size += own;
        }
        map[i] = table[slot] - 1;
    }
    *map_out = map;
    if (tokens_is_text(type) && type->width == 4 && size > INT32_MAX) {
        return tally_tokens_problem(
            call, TALLY_ERROR_ROOM, "values.dictionary",
            "the tokens have more than 2147483647 bytes, which a dictionary of this "
            "type can't hold; decode the column to large_string",
            "");
    }
    const tally_status status = tally_tokens_result_new(call, type, count, out);
    if (status != TALLY_OK) {
        return status;
    }
    memset(out->validity, 0xff, (size_t)(count / 8 + 1));
    if (tokens_is_text(type)) {
        out->values = tally_tokens_owned_block(out->owned, 1, size);
        if (out->values == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        tokens_set_offset(out->offsets, type->width, 0, 0);
    }
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t own;
        const uint8_t *value = take_value(result, firsts[i], &own);
        if (own > 0) {
            memcpy(out->values + at, value, (size_t)own);
        }
        at += own;
        if (tokens_is_text(type)) {
            tokens_set_offset(out->offsets, type->width, i + 1, at);
        }
    }
    out->size = at;
    return TALLY_OK;
}

/* ---- core/tokens/tokenizer.c ---- */
/*
 * Tokenizers: a format with a key and a namespace. */

static const char tokenizer_purpose[] = "tallystick 1";
static const char *const tokenizer_kinds[2] = {"column", "rows"};

/* Appends a part of encode() behind its size. */
static uint8_t *tokenizer_part(uint8_t *out, const char *part, size_t size)
{
    tally_store_be32((uint32_t)size, out);
    memcpy(out + 4, part, size);
    return out + 4 + size;
}

static void tokenizer_head(uint8_t *out, const char *name_space, size_t name_space_size,
                           const char *identity, size_t identity_size, const char *kind)
{
    tally_store_be32(4, out);
    out = tokenizer_part(out + 4, tokenizer_purpose, sizeof tokenizer_purpose - 1);
    out = tokenizer_part(out, name_space, name_space_size);
    out = tokenizer_part(out, identity, identity_size);
    (void)tokenizer_part(out, kind, strlen(kind));
}

static int tokenizer_is_utf8(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        if (point >= 0xd800 && point <= 0xdfff) { /* 0xdc00 and more: no character */
            return 0;
        }
    }
    return 1;
}

/* Says what is wrong; place is the argument at fault. */
static tally_status tokenizer_refuse(tally_problem *problem, const char *place, const char *text,
                                     tally_status status)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    tally_write(&writer, text);
    tally_writer_init(&writer, problem->place, sizeof problem->place);
    tally_write(&writer, place);
    return status;
}

static tally_status tokenizer_check(const tally_format *format, const uint8_t *key, size_t key_size,
                                    const char *name_space, size_t name_space_size,
                                    tally_on_invalid on_invalid, tally_problem *problem)
{
    if (on_invalid != TALLY_INVALID_ERROR && on_invalid != TALLY_INVALID_NULL &&
        on_invalid != TALLY_INVALID_KEEP) {
        return tokenizer_refuse(problem, "on_invalid",
                                "on_invalid must be 'error', 'null' or 'keep'",
                                TALLY_ERROR_ARGUMENT);
    }
    if (key == NULL && format->keyed) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "format ");
        tally_write_repr(&writer, format->of->name, strlen(format->of->name));
        tally_write(&writer, " needs a key");
        return TALLY_ERROR_KEY_SIZE;
    }
    if (key != NULL && key_size != 16 && key_size != 24 && key_size != 32) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "a key has 16, 24 or 32 bytes, not ");
        tally_write_uint(&writer, key_size);
        return TALLY_ERROR_KEY_SIZE;
    }
    if ((name_space_size == 0 && format->keyed) || name_space_size > TALLY_MAX_NAMESPACE) {
        return tokenizer_refuse(problem, "namespace",
                                "a namespace must have 1 to 256 bytes in UTF-8",
                                TALLY_ERROR_NAMESPACE);
    }
    if (!tokenizer_is_utf8(name_space, name_space_size)) {
        return tokenizer_refuse(problem, "namespace",
                                "a namespace must be text that UTF-8 can encode",
                                TALLY_ERROR_NAMESPACE);
    }
    if (on_invalid == TALLY_INVALID_KEEP && format->forbids_keep) {
        return tokenizer_refuse(
            problem, "on_invalid",
            "on_invalid 'keep' can't go with luhn 'invalid': a value kept because its check digit "
            "is wrong could be taken for a token; use 'error' or 'null'",
            TALLY_ERROR_ARGUMENT);
    }
    return TALLY_OK;
}

tally_status tally_tokenizer_new(const tally_allocator *allocator, const tally_format *format,
                                 const uint8_t *key, size_t key_size, const char *name_space,
                                 size_t name_space_size, tally_on_invalid on_invalid,
                                 tally_tokenizer **out, tally_problem *problem)
{
    *out = NULL;
    const tally_status status =
        tokenizer_check(format, key, key_size, name_space, name_space_size, on_invalid, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const size_t identity_size = strlen(format->identity);
    size_t head_size[2], memory_size = sizeof(tally_tokenizer);
    for (int rows = 0; rows < 2; rows++) {
        head_size[rows] = 4 + 4 + sizeof tokenizer_purpose - 1 + 4 + name_space_size + 4 +
                          identity_size + 4 + strlen(tokenizer_kinds[rows]);
        memory_size += head_size[rows];
    }
    tally_tokenizer *tokenizer = tally_allocate(allocator, memory_size);
    if (tokenizer == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(tokenizer, 0, sizeof *tokenizer);
    if (allocator != NULL) {
        tokenizer->allocator = *allocator;
    }
    tokenizer->format = format;
    tokenizer->on_invalid = on_invalid;
    tokenizer->memory_size = memory_size;
    if (key != NULL) {
        memcpy(tokenizer->key, key, key_size);
        tokenizer->key_size = key_size;
    }
    uint8_t *head = (uint8_t *)(tokenizer + 1);
    for (int rows = 0; rows < 2; rows++) {
        tokenizer->head[rows] = head;
        tokenizer->head_size[rows] = (uint32_t)head_size[rows];
        tokenizer_head(head, name_space, name_space_size, format->identity, identity_size,
                       tokenizer_kinds[rows]);
        head += head_size[rows];
    }
    *out = tokenizer;
    return TALLY_OK;
}

void tally_tokenizer_free(tally_tokenizer *tokenizer)
{
    if (tokenizer != NULL) {
        const tally_allocator allocator = tokenizer->allocator;
        tally_release_wiped(&allocator, tokenizer, tokenizer->memory_size);
    }
}

void tally_tokenizer_fingerprint(const tally_tokenizer *tokenizer, uint8_t out[TALLY_FINGERPRINT])
{
    static const char purpose[] = "tallystick key fingerprint 1";
    memset(out, 0, TALLY_FINGERPRINT);
    if (tokenizer->key_size == 0) {
        return;
    }
    uint8_t derived[32];
    if (tally_hkdf_sha256(NULL, 0, tokenizer->key, tokenizer->key_size, (const uint8_t *)purpose,
                          sizeof purpose - 1, derived, sizeof derived) == TALLY_OK) {
        tally_hmac_sha256_tag(derived, sizeof derived, NULL, 0, out);
    }
    tally_wipe(derived, sizeof derived);
}

size_t tally_tokenizer_head(const tally_tokenizer *tokenizer, int rows, uint8_t *out, size_t room)
{
    const size_t size = tokenizer->head_size[rows != 0];
    if (room > 0) {
        memcpy(out, tokenizer->head[rows != 0], size < room ? size : room);
    }
    return size;
}

/* ---- core/tokens/tweaks.c ---- */
/*
 * The rows' own tweaks, as text: integers are written in decimal, and dictionaries decoded. */

static const char tweaks_place[] = "tweaks";

enum { TWEAKS_DIGITS = 20 /* of an integer, with its minus, at most */ };

static tally_status tweaks_refuse(tokens_call *call, const char *format)
{
    char name[128];
    (void)tally_arrow_type_name(format, name, sizeof name);
    return tally_tokens_problem(call, TALLY_ERROR_TWEAKS, tweaks_place,
                                "tweaks must be text, binary or integers, not ", name);
}

/* An integer of any width at an address of any alignment. */
static uint64_t tweaks_integer(const uint8_t *at, const tally_arrow_type *type)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } held;
    memcpy(&held, at, type->width);
    switch (type->width) {
    case 1:
        return type->is_signed ? (uint64_t)(int8_t)held.u8 : held.u8;
    case 2:
        return type->is_signed ? (uint64_t)(int16_t)held.u16 : held.u16;
    case 4:
        return type->is_signed ? (uint64_t)(int32_t)held.u32 : held.u32;
    default:
        return held.u64;
    }
}

static uint8_t *tweaks_write_integer(uint64_t value, int is_signed, uint8_t *out)
{
    uint8_t digits[TWEAKS_DIGITS];
    size_t count = 0;
    if (is_signed && (int64_t)value < 0) {
        *out++ = '-';
        value = 0 - value;
    }
    do {
        digits[count++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *out++ = digits[--count];
    }
    return out;
}

static tally_status tweaks_of_integers(tokens_call *call, const tally_array *array,
                                       tokens_column *out)
{
    const uint64_t rows = array->rows;
    const uint8_t *in = array->buffers[1];
    uint64_t *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, rows + 1, sizeof *offsets);
    uint8_t *values =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_VALUES, rows + 1, TWEAKS_DIGITS);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (rows > 0 && in == NULL) {
        return tally_tokens_damaged(call, tweaks_place, "its values are missing");
    }
    uint8_t *at = values;
    offsets[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint8_t *value = in + (array->offset + i) * array->type.width;
        at = tweaks_write_integer(tweaks_integer(value, &array->type), array->type.is_signed, at);
        offsets[i + 1] = (uint64_t)(at - values);
    }
    (void)tally_arrow_type_read("Z", &out->type);
    out->offsets = offsets;
    out->values = values;
    return TALLY_OK;
}

static tally_status tweaks_of_fixed(tokens_call *call, const tally_array *array, tokens_column *out)
{
    const uint64_t rows = array->rows, width = array->type.width;
    const uint8_t *in = array->buffers[1];
    uint64_t *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, rows + 1, sizeof *offsets);
    if (offsets == NULL || array->rows + array->offset > SIZE_MAX / 2 / (width + 1)) {
        return TALLY_ERROR_MEMORY;
    }
    if (rows > 0 && width > 0 && in == NULL) {
        return tally_tokens_damaged(call, tweaks_place, "its values are missing");
    }
    for (uint64_t i = 0; i <= rows; i++) {
        offsets[i] = i * width;
    }
    static const uint8_t nothing[1];
    (void)tally_arrow_type_read("Z", &out->type);
    out->offsets = offsets;
    out->values = in == NULL ? nothing : in + array->offset * width;
    return TALLY_OK;
}

static tally_status tweaks_of_text(tokens_call *call, const tally_array *array, tokens_column *out)
{
    void *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, array->rows + 1, array->type.width);
    return offsets == NULL ? TALLY_ERROR_MEMORY
                           : tally_tokens_open_text(call, array, tweaks_place, offsets, out);
}

/* Reads an array that is no dictionary. */
static tally_status tweaks_flat(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                tokens_column *out)
{
    uint8_t *validity =
        tally_tokens_scratch(call->worker, TOKENS_TWEAK_VALIDITY, array->rows / 8 + 1);
    if (validity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(out, 0, sizeof *out);
    tally_status status;
    switch (array->type.kind) {
    case TALLY_ARROW_INTEGER:
        status = tweaks_of_integers(call, array, out);
        break;
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
        status = tally_tokens_gather_views(call, array, tweaks_place, TOKENS_TWEAK_OFFSETS,
                                           TOKENS_TWEAK_VALUES, NULL, out);
        break;
    case TALLY_ARROW_TEXT:
        status = tweaks_of_text(call, array, out);
        break;
    case TALLY_ARROW_BINARY:
        status = array->type.fixed ? tweaks_of_fixed(call, array, out)
                                   : tweaks_of_text(call, array, out);
        break;
    default:
        status = tweaks_refuse(call, array->schema->format);
    }
    if (status != TALLY_OK) {
        return status;
    }
    const char *why;
    if (!tally_array_validity(array, validity, &out->nulls, &why)) {
        return tally_tokens_damaged(call, tweaks_place, why);
    }
    for (uint64_t i = 0; mask != NULL && i < (array->rows + 7) / 8; i++) {
        validity[i] &= mask[i];
    }
    out->rows = array->rows;
    out->validity = out->nulls > 0 || mask != NULL ? validity : NULL;
    return TALLY_OK;
}

/* Whether a row has a tweak. */
static int tweaks_has(const tokens_column *entries, uint32_t index)
{
    return index != TOKENS_NO_ROW && tokens_is_valid(entries->validity, index);
}

/* Row i becomes row index[i]. */
static tally_status tweaks_take(tokens_call *call, const tokens_column *entries,
                                const uint32_t *index, uint64_t rows, tokens_column *out)
{
    tally_worker *worker = call->worker;
    const uint32_t width = entries->type.width;
    uint64_t size = 0;
    if (entries->offsets == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < rows; i++) {
        if (tweaks_has(entries, index[i])) {
            size += tokens_offset(entries->offsets, width, (uint64_t)index[i] + 1) -
                    tokens_offset(entries->offsets, width, index[i]);
            if (size > INT64_MAX) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    uint8_t *validity = tally_tokens_scratch(worker, TOKENS_DECODED_VALIDITY, rows / 8 + 1);
    uint64_t *offsets =
        tokens_scratch_many(worker, TOKENS_DECODED_OFFSETS, rows + 1, sizeof *offsets);
    uint8_t *values = tally_tokens_scratch(worker, TOKENS_DECODED_VALUES, size);
    if (validity == NULL || offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(validity, 0, (size_t)(rows / 8 + 1));
    uint64_t at = 0;
    offsets[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (tweaks_has(entries, index[i])) {
            const uint64_t start = tokens_offset(entries->offsets, width, index[i]);
            const uint64_t own =
                tokens_offset(entries->offsets, width, (uint64_t)index[i] + 1) - start;
            tokens_copy(values + at, entries->values + start, own);
            at += own;
            validity[i / 8] |= (uint8_t)(1U << i % 8);
        }
        offsets[i + 1] = at;
    }
    memset(out, 0, sizeof *out);
    (void)tally_arrow_type_read("Z", &out->type);
    out->rows = rows;
    out->validity = validity;
    out->offsets = offsets;
    out->values = values;
    return TALLY_OK;
}

/* The entries of a dictionary, and which of them each row has. */
static tally_status tweaks_dictionary(tokens_call *call, const tally_array *array,
                                      const uint8_t *mask, const uint32_t *repeat, uint64_t rows,
                                      tokens_column *entries, const uint32_t **out)
{
    tally_array dictionary;
    const char *why;
    uint32_t *index;
    uint64_t nulls;
    if (!tally_array_open_dictionary(array, &dictionary, &why)) {
        return tally_tokens_damaged(call, tweaks_place, why);
    }
    if (dictionary.array->dictionary != NULL) {
        return tweaks_refuse(call, dictionary.schema->format);
    }
    tally_status status = tweaks_flat(call, &dictionary, NULL, entries);
    if (status == TALLY_OK) {
        status = tally_tokens_indices(call, array, entries->rows, tweaks_place,
                                      TOKENS_TWEAK_INDICES, &index, &nulls);
    }
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; mask != NULL && i < array->rows; i++) {
        index[i] = tokens_is_valid(mask, i) ? index[i] : TOKENS_NO_ROW;
    }
    *out = index;
    if (repeat != NULL) {
        uint32_t *repeated =
            tokens_scratch_many(call->worker, TOKENS_REPEATED, rows + 1, sizeof *repeated);
        if (repeated == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        for (uint64_t i = 0; i < rows; i++) {
            repeated[i] = index[repeat[i]];
        }
        *out = repeated;
    }
    return TALLY_OK;
}

tally_status tally_tokens_tweaks(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                 const uint32_t *repeat, uint64_t rows, tally_strings *out)
{
    tokens_column entries = {.rows = 0}, column = {.rows = 0};
    const uint32_t *index = repeat;
    if (repeat == NULL && array->rows != rows) {
        return tally_tokens_problem(call, TALLY_ERROR_TWEAKS, tweaks_place,
                                    "tweaks must be an Arrow array with one tweak for each value",
                                    "");
    }
    tally_status status = array->array->dictionary != NULL
                              ? tweaks_dictionary(call, array, mask, repeat, rows, &entries, &index)
                              : tweaks_flat(call, array, mask, &entries);
    if (status == TALLY_OK && index != NULL) {
        status = tweaks_take(call, &entries, index, rows, &column);
    } else {
        column = entries;
    }
    if (status == TALLY_OK) {
        memset(out, 0, sizeof *out);
        out->offsets = column.offsets;
        out->offset_size = column.type.width;
        out->validity = column.validity;
        out->values = column.values;
        out->rows = rows;
    }
    return status;
}

/* ---- core/tokens/value.c ---- */
/*
 * One value: by the format's own function for one, or as a column of one row. */

/* Where the result of a column of one row goes: to the caller's memory as long as it has room, then
 * to a piece of the worker's, so that the size is known. */
typedef struct value_room {
    tally_worker *worker;
    uint8_t *own;
} value_room;

static int value_grow(tally_text_out *out, uint64_t more)
{
    value_room *room = out->context;
    const uint64_t wanted = out->size + more;
    uint8_t *grown;
    if (room->own == NULL) {
        grown = tally_tokens_scratch(room->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL && out->size > 0) {
            memcpy(grown, out->values, (size_t)out->size);
        }
    } else {
        /* A piece that grows forgets, so its content waits in another. */
        uint8_t *other = tally_tokens_scratch(room->worker, TOKENS_VALUES, out->size + 1);
        if (other == NULL) {
            return 0;
        }
        memcpy(other, out->values, (size_t)out->size);
        grown = tally_tokens_scratch(room->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL) {
            memcpy(grown, other, (size_t)out->size);
        }
    }
    if (grown == NULL) {
        return 0;
    }
    room->own = out->values = grown;
    out->room = 2 * wanted;
    return 1;
}

static tally_status value_column(tally_worker *worker, const tally_strings *row_tweak,
                                 tally_one *one)
{
    const tally_format *format = worker->tokenizer->format;
    uint32_t offsets[2] = {0, (uint32_t)one->size}, out_offsets[2] = {0, 0};
    uint8_t status = 0, spare[1];
    value_room room = {worker, NULL};
    tally_text_out out = {.values = one->room > 0 ? one->out : spare,
                          .room = one->room,
                          .offsets = out_offsets,
                          .offset_size = 4,
                          .most = INT32_MAX,
                          .grow = value_grow,
                          .context = &room};
    tally_text_column column = {.in = {.offsets = offsets,
                                       .offset_size = 4,
                                       .values = one->size > 0 ? one->value : spare,
                                       .rows = 1},
                                .status = &status};
    spare[0] = 0;
    if (format->keeps_size) {
        column.values = one->room >= one->size        ? out.values
                        : value_grow(&out, one->size) ? out.values
                                                      : NULL;
        if (column.values == NULL) {
            return TALLY_ERROR_MEMORY;
        }
    } else {
        column.out = &out;
    }
    worker->run.row_tweaks = row_tweak;
    const tally_status result = format->of->text(format, &worker->run, &column);
    if (result != TALLY_OK) {
        return result;
    }
    one->reason = (tally_reason)status;
    one->out_size = format->keeps_size ? one->size : (size_t)out.size;
    if (status == 0 && room.own != NULL) {
        if (one->out_size > one->room) {
            return TALLY_ERROR_ROOM;
        }
        memcpy(one->out, out.values, one->out_size);
    }
    return TALLY_OK;
}

static tally_status value_run(tally_worker *worker, tally_direction direction, const uint8_t *value,
                              size_t size, const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                              size_t room, size_t *out_size, tally_fault *fault)
{
    const tally_format *format = worker->tokenizer->format;
    if (size > TALLY_MAX_VALUE || tweak_size > TALLY_MAX_VALUE) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint32_t tweak_offsets[2] = {0, (uint32_t)tweak_size};
    const tally_strings row_tweak = {
        .offsets = tweak_offsets, .offset_size = 4, .values = tweak, .rows = 1};
    const tally_strings *rows = tweak == NULL ? NULL : &row_tweak;
    tally_one one = {.value = value,
                     .size = size,
                     .row_tweak = tweak,
                     .row_tweak_size = tweak_size,
                     .out = out,
                     .room = room};
    tally_status status = tally_tokens_begin(worker, direction, rows);
    if (status == TALLY_OK) {
        status = format->of->one != NULL ? format->of->one(format, &worker->run, &one)
                                         : value_column(worker, rows, &one);
    }
    if ((status == TALLY_OK || status == TALLY_ERROR_ROOM) && one.reason != TALLY_REASON_NONE) {
        /* It stays as it is. */
        one.out_size = size;
        status = size <= room ? TALLY_OK : TALLY_ERROR_ROOM;
        if (status == TALLY_OK && size > 0) {
            memcpy(out, value, size);
        }
    }
    tally_tokens_end(worker);
    if (status == TALLY_OK || status == TALLY_ERROR_ROOM) {
        *out_size = one.out_size;
    }
    if (status == TALLY_OK) {
        memset(fault, 0, sizeof *fault);
        if (one.reason != TALLY_REASON_NONE) {
            tally_format_explain(format, value, size, one.reason, fault);
        }
    }
    return status;
}

tally_status tally_protect_value(tally_worker *worker, const uint8_t *value, size_t size,
                                 const uint8_t *tweak, size_t tweak_size, uint8_t *out, size_t room,
                                 size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_ENCRYPT, value, size, tweak, tweak_size, out, room, out_size,
                     fault);
}

tally_status tally_reveal_value(tally_worker *worker, const uint8_t *token, size_t size,
                                const uint8_t *tweak, size_t tweak_size, uint8_t *out, size_t room,
                                size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_DECRYPT, token, size, tweak, tweak_size, out, room, out_size,
                     fault);
}

static tally_status value_fixed(tally_worker *worker, tally_direction direction, const char *type,
                                const void *value, const uint8_t *tweak, size_t tweak_size,
                                void *out, tally_fault *fault, tally_problem *problem)
{
    const tally_format *format = worker->tokenizer->format;
    union {
        uint64_t align[4];
        uint8_t bytes[32];
    } held;
    tally_arrow_type read;
    if (tweak_size > TALLY_MAX_VALUE) {
        return TALLY_ERROR_ARGUMENT;
    }
    (void)tally_arrow_type_read(type, &read);
    tally_status status = tally_format_takes_read(format, type, &read, problem);
    if (status != TALLY_OK) {
        return status;
    }
    /* Of the types that formats take, all but text and binary have values of a fixed size. */
    if (format->of->fixed == NULL || read.kind == TALLY_ARROW_TEXT ||
        read.kind == TALLY_ARROW_BINARY || read.width == 0 || read.width > sizeof held.bytes) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint32_t tweak_offsets[2] = {0, (uint32_t)tweak_size};
    const tally_strings row_tweak = {
        .offsets = tweak_offsets, .offset_size = 4, .values = tweak, .rows = 1};
    status = tally_tokens_begin(worker, direction, tweak == NULL ? NULL : &row_tweak);
    uint8_t reason = 0;
    memcpy(held.bytes, value, read.width);
    if (status == TALLY_OK) {
        tally_fixed_column column = {
            .type = &read, .values = &held, .rows = 1, .status = &reason, .out = &held};
        status = format->of->fixed(format, &worker->run, &column);
    }
    tally_tokens_end(worker);
    if (status == TALLY_OK) {
        memcpy(out, reason == 0 ? (const void *)held.bytes : value, read.width);
        memset(fault, 0, sizeof *fault);
        fault->reason = (tally_reason)reason;
    }
    tally_wipe(&held, sizeof held);
    return status;
}

tally_status tally_protect_fixed(tally_worker *worker, const char *type, const void *value,
                                 const uint8_t *tweak, size_t tweak_size, void *out,
                                 tally_fault *fault, tally_problem *problem)
{
    return value_fixed(worker, TALLY_ENCRYPT, type, value, tweak, tweak_size, out, fault, problem);
}

tally_status tally_reveal_fixed(tally_worker *worker, const char *type, const void *token,
                                const uint8_t *tweak, size_t tweak_size, void *out,
                                tally_fault *fault, tally_problem *problem)
{
    return value_fixed(worker, TALLY_DECRYPT, type, token, tweak, tweak_size, out, fault, problem);
}

/* ---- core/tokens/views.c ---- */
/*
 * Text views, gathered into text with offsets. */

#define VIEWS_OUTSIDE "a view is outside its buffer"

/* Sums up the bytes of all views that are valid, as long as nobody changes them. Returns 0 if one is
 * damaged: before memory is taken for what it says. */
static int views_size(const tally_array *array, uint64_t *size)
{
    const uint8_t *views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    *size = 0;
    for (uint64_t i = 0; i < array->rows; i++) {
        tally_text_view view;
        memcpy(&view, views + 16 * i, sizeof view);
        if (!tokens_is_valid(array->validity, array->offset + i)) {
            continue;
        }
        if (view.size < 0 ||
            (view.size > TALLY_VIEW_INLINED && tally_array_view(array, &view) == NULL)) {
            return 0;
        }
        *size += (uint64_t)view.size;
    }
    return 1;
}

/* Gathers texts, with their offsets from 0 on. `values` has room for `size` bytes, and for a short
 * text more. Returns 0 if a view is damaged, or was changed. */
static int views_gather(const tally_array *array, void *offsets, uint32_t width, uint8_t *values,
                        uint64_t size, uint64_t *end)
{
    const uint8_t *views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    uint64_t at = 0;
    tokens_set_offset(offsets, width, 0, 0);
    for (uint64_t i = 0; i < array->rows; i++) {
        tally_text_view view;
        memcpy(&view, views + 16 * i, sizeof view);
        TALLY_MEMORY_BARRIER();
        if (tokens_is_valid(array->validity, array->offset + i)) {
            if (view.size < 0 || (uint64_t)view.size > size - at) {
                return 0;
            }
            if (view.size <= TALLY_VIEW_INLINED) {
                memcpy(values + at, view.at.inlined, TALLY_VIEW_INLINED);
            } else {
                const uint8_t *bytes = tally_array_view(array, &view);
                if (bytes == NULL) {
                    return 0;
                }
                tokens_copy(values + at, bytes, (uint64_t)view.size);
            }
            at += (uint64_t)view.size;
        }
        tokens_set_offset(offsets, width, i + 1, at);
    }
    *end = at;
    return 1;
}

tally_status tally_tokens_gather_views(tokens_call *call, const tally_array *array,
                                       const char *place, unsigned offsets_piece,
                                       unsigned values_piece, tokens_result *result,
                                       tokens_column *out)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = array->rows;
    if (rows > 0 && array->buffers[1] == NULL) {
        return tally_tokens_damaged(call, place, "its views are missing");
    }
    uint64_t size = 0;
    if (rows > 0 && !views_size(array, &size)) {
        return tally_tokens_damaged(call, place, VIEWS_OUTSIDE);
    }
    memset(out, 0, sizeof *out);
    const int is_text = array->type.kind == TALLY_ARROW_TEXT_VIEW;
    (void)tally_arrow_type_read(
        is_text ? (size > INT32_MAX ? "U" : "u") : (size > INT32_MAX ? "Z" : "z"), &out->type);
    const uint32_t width = out->type.width;
    void *offsets;
    if (result != NULL) {
        const tally_status status = tally_tokens_result_new(call, &out->type, rows, result);
        if (status != TALLY_OK) {
            return status;
        }
        offsets = tally_tokens_offsets_room(call, result);
    } else {
        offsets = tokens_scratch_many(worker, offsets_piece, rows + 1, width);
    }
    uint8_t *values = tally_tokens_scratch(worker, values_piece, size + TALLY_VIEW_INLINED);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t at = 0;
    tokens_set_offset(offsets, width, 0, 0);
    if (rows > 0 && !views_gather(array, offsets, width, values, size, &at)) {
        return tally_tokens_damaged(call, place, VIEWS_OUTSIDE);
    }
    out->rows = rows;
    out->offsets = offsets;
    out->values = values;
    out->size = at;
    return TALLY_OK;
}

/* ---- core/tokens/worker.c ---- */
/*
 * Workers: the ciphers and the memory of a tokenizer in one thread, made when they are needed. */

enum {
    WORKER_TWEAK_ROOM = 4096, /* for part 2 of a tweak */
    WORKER_KEPT = 1 << 26     /* bytes: a larger piece is released at the end of a call */
};

static tally_worker *worker_of(tally_run *run)
{
    return (tally_worker *)run;
}

static void worker_release_cipher(tally_worker *worker, tokens_cipher *cipher)
{
    if (cipher->memory != NULL) {
        tally_fast_cipher_wipe(cipher->cipher);
        tally_wipe(cipher->memory, cipher->pool_size);
        tally_release(&worker->tokenizer->allocator, cipher->memory, cipher->memory_size);
        worker->cipher_of[cipher->radix] = 0;
        cipher->memory = NULL;
        cipher->radix = 0;
    }
}

/* Makes a pool with a cipher in one piece of memory. */
static int worker_make_cipher(tally_worker *worker, uint32_t radix, tokens_cipher *out)
{
    const tally_tokenizer *tokenizer = worker->tokenizer;
    const size_t pool_size = tally_fast_pool_size(radix);
    const size_t cipher_size = tally_fast_cipher_size(TOKENS_SEQUENCES);
    if (pool_size == 0 || tokenizer->key_size == 0) {
        return 0;
    }
    uint8_t *memory = tally_allocate(&tokenizer->allocator, pool_size + cipher_size);
    if (memory == NULL) {
        return 0;
    }
    tally_fast_pool *pool;
    if (tally_fast_pool_init(TALLY_FAST, radix, tokenizer->key, tokenizer->key_size, memory,
                             pool_size, &pool) != TALLY_OK ||
        tally_fast_cipher_init(pool, TOKENS_SEQUENCES, memory + pool_size, cipher_size,
                               &out->cipher) != TALLY_OK) {
        tally_release_wiped(&tokenizer->allocator, memory, pool_size + cipher_size);
        return 0;
    }
    out->memory = memory;
    out->memory_size = pool_size + cipher_size;
    out->pool_size = pool_size;
    out->radix = radix;
    return 1;
}

/* The cipher of a radix; a new one takes the place of the least recently used one. */
static tally_fast_cipher *worker_cipher(tally_run *run, uint32_t radix)
{
    tally_worker *worker = worker_of(run);
    if (radix > TALLY_FAST_MAX_RADIX) {
        return NULL;
    }
    unsigned place = worker->cipher_of[radix];
    if (place == 0) {
        unsigned oldest = 0;
        for (unsigned i = 1; i < TOKENS_CIPHERS; i++) {
            if (worker->ciphers[i].last_use < worker->ciphers[oldest].last_use) {
                oldest = i;
            }
        }
        worker_release_cipher(worker, &worker->ciphers[oldest]);
        worker->ciphers[oldest].last_use = 0;
        if (!worker_make_cipher(worker, radix, &worker->ciphers[oldest])) {
            return NULL;
        }
        place = oldest + 1;
        worker->cipher_of[radix] = (uint8_t)place;
    }
    worker->ciphers[place - 1].last_use = ++worker->clock;
    return worker->ciphers[place - 1].cipher;
}

static tally_fast_workspace *worker_workspace(tally_run *run)
{
    tally_worker *worker = worker_of(run);
    if (worker->workspace == NULL) {
        const size_t size = tally_fast_workspace_size();
        void *memory = tally_allocate(&worker->tokenizer->allocator, size);
        if (memory == NULL ||
            tally_fast_workspace_init(memory, size, &worker->workspace) != TALLY_OK) {
            tally_release(&worker->tokenizer->allocator, memory, size);
            return NULL;
        }
        worker->workspace_memory = memory;
    }
    return worker->workspace;
}

static void worker_release_piece(tally_worker *worker, tokens_piece *piece)
{
    if (piece->used > 0) {
        tally_wipe(piece->memory, piece->used);
    }
    tally_release(&worker->tokenizer->allocator, piece->block, piece->block_size);
    memset(piece, 0, sizeof *piece);
}

void *tally_tokens_scratch(tally_worker *worker, unsigned place, uint64_t size)
{
    tokens_piece *piece = &worker->pieces[place];
    if (size > SIZE_MAX / 2 - 4096) {
        return NULL;
    }
    if (piece->room < size || piece->memory == NULL) {
        const size_t room = ((size_t)size + (size_t)size / 4 + 4095) / 64 * 64;
        worker_release_piece(worker, piece);
        piece->block = tally_allocate(&worker->tokenizer->allocator, room + TALLY_ALIGNMENT - 1);
        if (piece->block == NULL) {
            return NULL;
        }
        piece->block_size = room + TALLY_ALIGNMENT - 1;
        piece->memory = tally_align(piece->block);
        piece->room = room;
    }
    if (piece->used < size) {
        piece->used = (size_t)size;
    }
    worker->used |= (uint64_t)1 << place;
    return piece->memory;
}

static void *worker_scratch(tally_run *run, unsigned place, size_t size)
{
    return place < TALLY_SCRATCHES ? tally_tokens_scratch(worker_of(run), place, size) : NULL;
}

/* Formats derive the same bytes for each call, so the last ones are kept. */
static tally_status worker_derive(tally_run *run, const char *info, uint8_t out[32])
{
    tally_worker *worker = worker_of(run);
    const tally_tokenizer *tokenizer = worker->tokenizer;
    const size_t size = strlen(info);
    if (size == 0 || strcmp(worker->purpose, info) != 0) {
        const tally_status status = tally_hkdf_sha256(NULL, 0, tokenizer->key, tokenizer->key_size,
                                                      (const uint8_t *)info, size, out, 32);
        if (status == TALLY_OK && size < sizeof worker->purpose) {
            memcpy(worker->purpose, info, size + 1);
            memcpy(worker->derived, out, 32);
        }
        return status;
    }
    memcpy(out, worker->derived, 32);
    return TALLY_OK;
}

tally_status tally_worker_new(const tally_tokenizer *tokenizer, tally_worker **out)
{
    *out = NULL;
    size_t size = sizeof(tally_worker);
    for (int rows = 0; rows < 2; rows++) {
        size += tokenizer->head_size[rows] + WORKER_TWEAK_ROOM;
    }
    tally_worker *worker = tally_allocate(&tokenizer->allocator, size);
    if (worker == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(worker, 0, sizeof *worker);
    worker->tokenizer = tokenizer;
    worker->memory_size = size;
    uint8_t *tweak = (uint8_t *)(worker + 1);
    for (int rows = 0; rows < 2; rows++) {
        worker->tweak[rows] = tweak;
        memcpy(tweak, tokenizer->head[rows], tokenizer->head_size[rows]);
        tweak += tokenizer->head_size[rows] + WORKER_TWEAK_ROOM;
    }
    worker->run.cipher = worker_cipher;
    worker->run.workspace = worker_workspace;
    worker->run.scratch = worker_scratch;
    worker->run.derive = worker_derive;
    *out = worker;
    return TALLY_OK;
}

void tally_worker_free(tally_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    const tally_allocator allocator = worker->tokenizer->allocator;
    for (unsigned i = 0; i < TOKENS_CIPHERS; i++) {
        worker_release_cipher(worker, &worker->ciphers[i]);
    }
    for (unsigned i = 0; i < TOKENS_PLACES; i++) {
        worker_release_piece(worker, &worker->pieces[i]);
    }
    if (worker->workspace != NULL) {
        tally_fast_workspace_wipe(worker->workspace);
        tally_release(&allocator, worker->workspace_memory, tally_fast_workspace_size());
    }
    tally_release_wiped(&allocator, worker, worker->memory_size);
}

tally_status tally_tokens_begin(tally_worker *worker, tally_direction direction,
                                const tally_strings *row_tweaks)
{
    const int rows = row_tweaks != NULL;
    tally_run *run = &worker->run;
    if (direction == TALLY_DECRYPT && worker->tokenizer->format->one_way) {
        return TALLY_ERROR_ONE_WAY;
    }
    run->direction = direction;
    run->tweak = worker->tweak[rows];
    run->tweak_size = worker->tokenizer->head_size[rows];
    run->tweak_room = run->tweak_size + WORKER_TWEAK_ROOM;
    run->row_tweaks = row_tweaks;
    run->small = 0;
    return TALLY_OK;
}

void tally_tokens_end(tally_worker *worker)
{
    const uint64_t used = worker->used;
    for (unsigned place = 0; place < TOKENS_PLACES && used >> place != 0; place++) {
        tokens_piece *piece = &worker->pieces[place];
        if ((used >> place & 1) == 0) {
            continue;
        }
        if (piece->room > WORKER_KEPT) {
            worker_release_piece(worker, piece);
        } else {
            tally_wipe(piece->memory, piece->used);
            piece->used = 0;
        }
    }
    worker->used = 0;
    worker->run.row_tweaks = NULL;
}

TALLY_VISIBILITY_POP
