//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/formats as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stdatomic.h>
#include <stdbool.h>
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
/* ---- core/formats/bucket.c ---- */
/*
 * bucket: numbers, dates and ages become the range that they are in. One-way, without a key. */

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

/* ---- core/formats/counted_range.h ---- */
/*
 * The ends of a range of numbers, as options give them, and the notation of numbers in text: digits
 * in groups, and a point or a comma. */
#ifndef TALLY_FORMATS_COUNTED_RANGE_H
#define TALLY_FORMATS_COUNTED_RANGE_H

/* ---- core/formats/counted.h ---- */
/*
 * Formats whose values are as many as the numbers 0..size-1: a value's number, its *rank*, is
 * permuted, and the value of that rank is written in its place. A format says how text becomes a
 * rank and a rank text. Blocks of rows, nulls, row tweaks and columns of numbers are the same for
 * all of them. */
#ifndef TALLY_FORMATS_COUNTED_H
#define TALLY_FORMATS_COUNTED_H

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

/* ---- core/formats/format.h ---- */
/*
 * What every format is inside. A format is one C file with one constant tally_format_class, which
 * registry.c lists. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

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
    TALLY_COUNTED_READABLE = 32, /* bytes that can be read where a row's text begins */
    TALLY_COUNTED_SLACK = 64,    /* bytes that a format may write behind a token */
    TALLY_COUNTED_MOST = 96      /* bytes of a token */
};

typedef struct tally_counted tally_counted;

/* The ranks of a block of rows, and what their permutation depends on. */
typedef struct tally_counted_block {
    const tally_strings *row_tweaks; /* one row for each, or NULL */
    const uint8_t *validity;         /* NULL: no row is null */
    uint64_t validity_start;
    size_t rows;
    uint64_t *ranks, *spare; /* spare: as many */
    uint8_t *status, *chosen;
} tally_counted_block;

/* A block of rows of text. */
typedef struct tally_counted_rows {
    const uint8_t *values; /* row i is values[start[i] .. start[i + 1]) */
    const uint64_t *start;
    uint64_t limit; /* bytes of `values` that can be read */
    size_t rows;
    uint64_t *ranks;
    uint8_t *status;
} tally_counted_rows;

struct tally_counted {
    uint64_t size;            /* 0: 2^64 */
    tally_fast_params params; /* of the words that carry the ranks */
    uint32_t most;            /* bytes of a token; 0: tokens are written over their values */
    int has_no_text;          /* the range has numbers of more than 18 digits */

    /* Reads a block: a status for every row, and a rank for those that are valid. */
    void (*read)(const tally_counted *counted, const tally_counted_rows *rows);

    /* Writes a block to `out`, row after row: tokens where chosen[i] is not 0, else the row's
     * bytes, or none if it is null (chosen[i] and status[i] are 0). end[i] is where row i ends. */
    void (*write)(const tally_counted *counted, const tally_counted_rows *rows,
                  const uint8_t *chosen, uint8_t *out, uint64_t *end);

    /* The same if `most` is 0: out[start[i] - start[0]] has the bytes of row i already. */
    void (*overwrite)(const tally_counted *counted, const tally_counted_rows *rows,
                      const uint8_t *chosen, uint8_t *out);

    /* Instead of tally_counted_permute, which it may call; else NULL. */
    tally_status (*permute)(const tally_counted *counted, tally_run *run,
                            const tally_counted_block *block);

    /* In columns of numbers: the number of rank 0, modulo 2^64; how many numbers of the range are
     * negative; digits behind a point. */
    uint64_t first, negative;
    uint32_t scale;
};

/* Sets size and params; also the format's domain and work. */
tally_status tally_counted_init(tally_format *format, tally_counted *counted, uint64_t size);

/* Members of tally_format_class; format->own begins with its tally_counted. TALLY_ERROR_TYPE: the
 * range has no text. */
tally_status tally_counted_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_counted_one(const tally_format *format, tally_run *run, tally_one *one);

/* Columns of numbers. A number of the column is `unit` times one of the range, or it is invalid. */
tally_status tally_counted_fixed(const tally_counted *counted, uint64_t unit, tally_run *run,
                                 tally_fixed_column *column);

/* Permutes the ranks of a block: those of rows of status 0 that are not null. Sets their `chosen`
 * to 1 and that of others to 0; the status of null rows to 0, and that of rows without a usable
 * tweak. */
tally_status tally_counted_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block);

/* Sets `chosen` and `status` as above; returns how many rows are chosen. */
size_t tally_counted_choose(const tally_run *run, const tally_counted_block *block);

/* counted->permute, or tally_counted_permute. */
tally_status tally_counted_run(const tally_counted *counted, tally_run *run,
                               const tally_counted_block *block);

/* A loop over rows for each of a format's functions, into which compilers inline it. The text of a
 * row has TALLY_COUNTED_READABLE bytes that can be read, whatever its size. */
typedef uint8_t tally_counted_read_row(const tally_counted *counted, const uint8_t *text,
                                       uint64_t size, uint64_t *rank);
typedef uint64_t tally_counted_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out);
typedef void tally_counted_overwrite_row(const tally_counted *counted, uint64_t rank, uint8_t *out);

TALLY_INLINE void tally_counted_read_rows(const tally_counted *counted,
                                          const tally_counted_rows *rows,
                                          tally_counted_read_row *read)
{
    uint8_t padded[TALLY_COUNTED_READABLE];
    int is_padded = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const uint64_t start = rows->start[i], size = rows->start[i + 1] - start;
        const uint8_t *text = padded;
        uint64_t rank = 0;
        if (rows->limit - start >= TALLY_COUNTED_READABLE || size >= TALLY_COUNTED_READABLE) {
            text = rows->values + start;
        } else {
            is_padded = 1;
            memset(padded, 0, sizeof padded);
            if (size != 0) {
                memcpy(padded, rows->values + start, (size_t)size);
            }
        }
        rows->status[i] = read(counted, text, size, &rank);
        rows->ranks[i] = rank;
    }
    if (is_padded) {
        tally_wipe(padded, sizeof padded);
    }
}

TALLY_INLINE void tally_counted_write_rows(const tally_counted *counted,
                                           const tally_counted_rows *rows, const uint8_t *chosen,
                                           uint8_t *out, uint64_t *end,
                                           tally_counted_write_row *write)
{
    uint64_t at = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        if (chosen[i] != 0) {
            at += write(counted, rows->ranks[i], out + at);
        } else if (rows->status[i] != 0 && rows->start[i + 1] != rows->start[i]) {
            const uint64_t size = rows->start[i + 1] - rows->start[i];
            memcpy(out + at, rows->values + rows->start[i], (size_t)size);
            at += size;
        }
        end[i] = at;
    }
}

TALLY_INLINE void tally_counted_overwrite_rows(const tally_counted *counted,
                                               const tally_counted_rows *rows,
                                               const uint8_t *chosen, uint8_t *out,
                                               tally_counted_overwrite_row *overwrite)
{
    for (size_t i = 0; i < rows->rows; i++) {
        if (chosen[i] != 0) {
            overwrite(counted, rows->ranks[i], out + (rows->start[i] - rows->start[0]));
        }
    }
}

#endif

/* An end times 10^scale: -magnitude or magnitude. */
typedef struct tally_counted_end {
    uint64_t magnitude;
    uint8_t negative; /* then the magnitude is not 0 */
    uint8_t beyond;   /* the magnitude is 2^64 or more */
} tally_counted_end;

typedef struct tally_counted_range {
    tally_counted_end first, last;
} tally_counted_range;

typedef enum tally_counted_end_kind {
    TALLY_COUNTED_END_NONE,  /* no number */
    TALLY_COUNTED_END_EXACT, /* a number with at most `scale` digits after the point */
    TALLY_COUNTED_END_FINE,  /* it has more of them, or it is infinite */
    TALLY_COUNTED_END_LARGE  /* its size, without the scale, is 2^65 or more; `beyond` is set */
} tally_counted_end_kind;

/* Reads an end: an integer, or text such as "-12.50" or "1e3". */
tally_counted_end_kind tally_counted_end_read(const tally_option_value *value, uint32_t scale,
                                              tally_counted_end *out);

/* Completes counted->size, radix, first and negative, and the format's domain.
 * TALLY_ERROR_ARGUMENT: the first is not below the last, or outside -2^63 .. 2^64-1, or there are
 * more than 2^64 numbers. */
tally_status tally_counted_range_init(tally_format *format, tally_counted *counted,
                                      const tally_counted_range *range);

/* Whether all numbers are below `bound` in size; whether they are -negative..positive. */
int tally_counted_range_fits(const tally_counted_range *range, uint64_t bound);
int tally_counted_range_within(const tally_counted_range *range, uint64_t negative,
                               uint64_t positive);

/* Whether float64 can have the range's numbers: at most 15 digits. If not, writes why. */
int tally_counted_takes_float(const tally_counted_range *range, tally_writer *why);

/* Writes an end as an integer, or both with a comma between them. */
void tally_counted_end_write(const tally_counted_end *end, tally_writer *writer);
void tally_counted_range_write(const tally_counted_range *range, tally_writer *writer);

/* How numbers are written. */
typedef struct tally_grouping {
    uint8_t separator[4];
    uint32_t size; /* its bytes; 0: digits are not grouped */
    uint8_t point;
} tally_grouping;

enum { TALLY_GROUPING_PLAIN = 64 /* bytes of memory for a number without groups */ };

/* Reads the options; `point` may be NULL: a format of whole numbers has none. */
tally_status tally_grouping_init(const tally_format *format, const tally_option_value *separator,
                                 const tally_option_value *point, tally_grouping *out,
                                 tally_problem *problem);

/* Takes groups out of text and replaces its point by "."; returns its size in `plain`, or 0 if
 * groups are not of three digits each, or it has more than TALLY_DIGITS_MOST digits. Whether the
 * rest is a number is for the reader of plain text to say. `plain` has TALLY_GROUPING_PLAIN bytes,
 * all of which are set. */
uint64_t tally_grouping_remove(const tally_grouping *grouping, const uint8_t *text, uint64_t size,
                               uint32_t scale, uint8_t *plain);

/* The other way; returns the size. */
uint64_t tally_grouping_insert(const tally_grouping *grouping, const uint8_t *plain, uint64_t size,
                               uint32_t scale, uint8_t *out);

/* The first byte that a number can't have where it is, or SIZE_MAX. */
size_t tally_grouping_place_of_fault(const tally_grouping *grouping, uint32_t scale,
                                     const uint8_t *value, size_t size);

/* Writes an end as text in the notation, zero-terminated: at most TALLY_COUNTED_MOST bytes. */
void tally_counted_end_example(const tally_counted_end *end, uint32_t scale,
                               const tally_grouping *grouping, char *out);

#endif

/* ---- core/formats/plain_number.h ---- */
/*
 * Decimal numbers in text with any digits after the point, for formats that make them coarser. */
#ifndef TALLY_FORMATS_PLAIN_NUMBER_H
#define TALLY_FORMATS_PLAIN_NUMBER_H

enum { TALLY_PLAIN_NUMBER_MOST = 64 /* bytes of text */ };

/* The parts of a number; both are digits. */
typedef struct tally_plain_number {
    const uint8_t *whole, *fraction;
    uint64_t whole_size, fraction_size;
    int negative;
} tally_plain_number;

/* How many digits there are at the beginning. */
static inline uint64_t tally_plain_digits(const uint8_t *text, uint64_t size)
{
    uint64_t count = 0;
    while (count < size && (uint8_t)(text[count] - '0') < 10) {
        count++;
    }
    return count;
}

/* Reads an optional minus, an integer without leading zeros, and maybe a point with digits behind.
 * Returns 0 if the text is something else, or longer than TALLY_PLAIN_NUMBER_MOST. */
static inline int tally_plain_number_read(const uint8_t *text, uint64_t size,
                                          tally_plain_number *out)
{
    if (size == 0 || size > TALLY_PLAIN_NUMBER_MOST) {
        return 0;
    }
    out->negative = text[0] == '-';
    text += out->negative;
    size -= (uint64_t)out->negative;
    out->whole = text;
    out->whole_size = tally_plain_digits(text, size);
    out->fraction = text + out->whole_size;
    out->fraction_size = 0;
    if (out->whole_size == 0 || (text[0] == '0' && out->whole_size > 1)) {
        return 0;
    }
    if (out->whole_size == size) {
        return 1;
    }
    out->fraction++;
    out->fraction_size = size - out->whole_size - 1;
    return text[out->whole_size] == '.' && out->fraction_size != 0 &&
           tally_plain_digits(out->fraction, out->fraction_size) == out->fraction_size;
}

/* The first byte that such a number can't have there, or SIZE_MAX. */
static inline size_t tally_plain_number_place(const uint8_t *text, size_t size)
{
    int point = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.' && !point) {
            point = 1;
        } else if ((uint8_t)(text[i] - '0') > 9 && !(text[i] == '-' && i == 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}

#endif

/* ---- core/formats/times.h ---- */
/*
 * Dates and times of options, in ISO 8601. Proleptic Gregorian calendar, years 1 to 9999. */
#ifndef TALLY_FORMATS_TIMES_H
#define TALLY_FORMATS_TIMES_H

/* ---- core/numbers/dates.h ---- */
/*
 * Dates as text. A notation is compiled once into blocks of eight bytes that are checked at a time;
 * digits and days are arithmetic without tables. To days: H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. From days: C. Neri, L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", Software: Practice and Experience 53 (2023). */
#ifndef TALLY_NUMBERS_DATES_H
#define TALLY_NUMBERS_DATES_H

enum {
    TALLY_DATES_MAX_WIDTH = 64,    /* bytes of a notation */
    TALLY_DATES_MIN_DAY = -719162, /* 0001-01-01, in days since 1970-01-01 */
    TALLY_DATES_MAX_DAY = 2932896, /* 9999-12-31 */
    TALLY_DATES_BLOCK = 8,
    TALLY_DATES_BLOCKS = TALLY_DATES_MAX_WIDTH / TALLY_DATES_BLOCK,
    TALLY_DATES_SHIFT = 719468, /* from 0000-03-01 */
    TALLY_DATES_DIGIT = 0x76,   /* reaches: of a place for a digit, */
    TALLY_DATES_LITERAL = 0x7f, /* of one for a character of the pattern, */
    TALLY_DATES_ANY = 0         /* and of one for any in ASCII */
};

/* A compiled notation of dates in the proleptic Gregorian calendar, years 1 to 9999. */
typedef struct tally_dates_compiled {
    size_t width, year, month, day; /* and where the digits begin */
    size_t blocks,
        place[TALLY_DATES_BLOCKS];     /* the last ends where the notation does; they may overlap */
    uint64_t text[TALLY_DATES_BLOCKS]; /* the notation, with '0' for its digits */
    uint64_t
        reach[TALLY_DATES_BLOCKS]; /* added to a byte's difference from it, carries into the top
                                   * bit if that is too much */
} tally_dates_compiled;

/* Compiles a notation: YYYY, MM and DD, once each, with printable ASCII around them, 8 to
 * TALLY_DATES_MAX_WIDTH bytes in all. Returns 0 if it is none. */
int tally_dates_compile(const uint8_t *notation, size_t width, tally_dates_compiled *out);

/* Compiles a pattern of out->width bytes, 8 or more, with out->year, month and day set. `reach` is
 * above, for each byte. */
void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out);

/* The top bits of a block's bytes that are not what the notation has there. */
static inline uint64_t tally_dates_differ(const tally_dates_compiled *notation, size_t block,
                                          const uint8_t *text)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t bytes;
    memcpy(&bytes, text + notation->place[block], TALLY_DATES_BLOCK);
    bytes ^= notation->text[block]; /* of a digit its value, of 0x3a to 0x3f 10 to 15 */
    return (((bytes & low) + notation->reach[block]) | bytes) & ~low;
}

static inline uint32_t tally_dates_two(const uint8_t *text)
{
    return text[0] * 10u + text[1] - '0' * 11u;
}

/* Days since 1970-01-01 of year y, month m and day d, each below 2^16; INT32_MIN if there is no such
 * day, or `wrong` is not 0. */
static inline int32_t tally_dates_days(uint32_t y, uint32_t m, uint32_t d, uint64_t wrong)
{
    /* Masks instead of conditions: no branch depends on the date. */
    uint32_t century = 0 - (uint32_t)(y % 25 == 0), february = 0 - (uint32_t)(m == 2);
    uint32_t leap = (y & (3 | (12 & century))) == 0;
    uint32_t most = ((28 + leap) & february) | ((30 | (m ^ m >> 3)) & ~february);
    uint32_t bad = 0 - (uint32_t)((wrong != 0) | (y == 0) | (m - 1 > 11) | (d == 0) | (d > most));
    /* Years that begin in March; year 0 is the first. */
    uint32_t early = m <= 2;
    y -= early;
    uint32_t day = (153 * (m + 12 * early - 3) + 2) / 5 + d - 1;
    uint32_t days = y * 365 + y / 4 - y / 100 + y / 400 + day - TALLY_DATES_SHIFT;
    return (int32_t)((days & ~bad) | (UINT32_C(0x80000000) & bad));
}

/* Days since 1970-01-01, or INT32_MIN if the text is no date. */
static inline int32_t tally_dates_parse(const tally_dates_compiled *notation, const uint8_t *text)
{
    uint64_t wrong = tally_dates_differ(notation, 0, text);
    for (size_t i = 1; i < notation->blocks; i++) {
        wrong |= tally_dates_differ(notation, i, text);
    }
    const uint32_t y =
        tally_dates_two(text + notation->year) * 100 + tally_dates_two(text + notation->year + 2);
    return tally_dates_days(y, tally_dates_two(text + notation->month),
                            tally_dates_two(text + notation->day), wrong);
}

/* A day of the calendar. */
typedef struct tally_dates_civil {
    uint32_t year, month, day;
} tally_dates_civil;

static inline tally_dates_civil tally_dates_civil_of(int32_t days)
{
    /* Centuries, years of a century and months, each by Neri and Schneider's linear forms. */
    uint32_t quarters = 4 * (uint32_t)(days + TALLY_DATES_SHIFT) + 3;
    uint32_t century = quarters / 146097;
    uint64_t years = (uint64_t)2939745 * (quarters % 146097 | 3);
    uint32_t of_year = (uint32_t)years / 2939745 / 4;
    uint32_t months = 2141 * of_year + 197913;
    uint32_t late = of_year >= 306; /* January and February are of the next year */
    return (tally_dates_civil){.year = 100 * century + (uint32_t)(years >> 32) + late,
                               .month = (months >> 16) - 12 * late,
                               .day = (months & 0xffff) / 2141 + 1};
}

static inline void tally_dates_write_two(uint32_t number, uint8_t *out)
{
    uint32_t tens = number * 103 >> 10; /* exact below 100 */
    out[0] = (uint8_t)('0' + tens);
    out[1] = (uint8_t)('0' + (number - tens * 10));
}

static inline void tally_dates_format(const tally_dates_compiled *notation, int32_t days,
                                      uint8_t *out)
{
    const tally_dates_civil date = tally_dates_civil_of(days);
    for (size_t i = 0; i < notation->blocks; i++) {
        memcpy(out + notation->place[i], &notation->text[i], TALLY_DATES_BLOCK);
    }
    const uint32_t hundreds = date.year / 100;
    tally_dates_write_two(hundreds, out + notation->year);
    tally_dates_write_two(date.year - hundreds * 100, out + notation->year + 2);
    tally_dates_write_two(date.month, out + notation->month);
    tally_dates_write_two(date.day, out + notation->day);
}

#endif

enum { TALLY_TIMES_DATE = 10 /* bytes of YYYY-MM-DD */, TALLY_TIMES_DAY = 86400 };

/* Reads YYYY-MM-DD as days since 1970-01-01; returns 0 if it is no such date. */
int tally_times_read_date(const char *text, size_t size, int32_t *days);

/* Reads a date with a time, YYYY-MM-DDTHH:MM:SS.ffffff or a part of it, as microseconds since
 * 1970-01-01T00:00:00, in UTC if an offset follows. Returns 0 if it is none. */
int tally_times_read(const char *text, size_t size, int64_t *microseconds);

/* Reads a date with a time, if the option is given. The message is that for an option of another
 * type. */
tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem);

/* Refuses a range whose first is not before its last; the place is that option, if only one of them
 * is given. */
tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem);

/* Reads the two options of a range of dates, first and last, which follow each other; one that is
 * not given leaves its end as it is. Refuses an empty range. */
tally_status tally_times_option_range(const tally_format *format, const tally_option options[2],
                                      const tally_option_value values[2], int32_t *first,
                                      int32_t *last, tally_problem *problem);

/* Reads the notation of dates, YYYY-MM-DD if none is given. `text` receives it, zero-terminated, and
 * `out` what it compiles to. */
tally_status tally_times_option_notation(const tally_format *format,
                                         const tally_option_value *value,
                                         char text[TALLY_DATES_MAX_WIDTH + 1],
                                         tally_dates_compiled *out, tally_problem *problem);

/* The first byte that a date of the notation can't have there, or SIZE_MAX. */
size_t tally_times_place_of_fault(const tally_dates_compiled *notation, const char *text,
                                  const uint8_t *value, size_t size);

/* Whether text is a time as it follows a date: T or a space, HH:MM:SS, maybe a point and 1 to 9
 * digits, and nothing, Z, or an offset from UTC: +hh, +hhmm or +hh:mm, below 15 hours. */
int tally_times_is_clock(const uint8_t *text, uint64_t size);
int tally_times_is_offset(const uint8_t *text, uint64_t size);

/* As tally_times_place_of_fault, where a time may follow a date that is written YYYY-MM-DD. */
size_t tally_times_place(const tally_dates_compiled *notation, const char *text,
                         const uint8_t *value, size_t size);

/* Writes YYYY-MM-DD, without a zero behind it. */
void tally_times_write_date(int32_t days, char *out);

#endif

/* ---- core/numbers/digits.h ---- */
/*
 * Decimal digits, eight at a time in a register: text to numbers and back. The bytes of a register
 * are in the order of text, the first one lowest. */
#ifndef TALLY_NUMBERS_DIGITS_H
#define TALLY_NUMBERS_DIGITS_H

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

enum {
    TALLY_DIGITS_MOST = 18, /* of a number in text: below 10^18 */
    TALLY_DIGITS_SLACK = 8  /* bytes that functions may read or write behind the text */
};

#define TALLY_DIGITS_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* 10^n, n 0..19. */
static inline uint64_t tally_digits_power(uint32_t n)
{
    uint64_t power = 1;
    for (; n > 0; n--) {
        power *= 10;
    }
    return power;
}

/* The number of eight digits, given as their values. */
static inline uint64_t tally_digits_join(uint64_t digits)
{
    const uint64_t pairs = digits * 10 + (digits >> 8), mask = UINT64_C(0x000000ff000000ff);
    return ((pairs & mask) * UINT64_C(0x000f424000000064) +
            (pairs >> 16 & mask) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* The eight digits of a number below 10^8, as their values. */
static inline uint64_t tally_digits_split(uint32_t number)
{
    const uint32_t upper = number / 10000;
    uint64_t fours = upper | (uint64_t)(number - upper * 10000) << 32;
    uint64_t tops = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f); /* / 100, below 10^4 */
    uint64_t twos = tops | (fours - tops * 100) << 16;
    tops = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* / 10, below 100 */
    return tops | (twos - tops * 10) << 8;
}

/* Eight bytes of text as the values of digits. Where they are none, *wrong gets bits. */
static inline uint64_t tally_digits_load(const uint8_t *text, uint64_t *wrong)
{
    const uint64_t digits = tally_load_le64(text) ^ TALLY_DIGITS_BYTES('0');
    *wrong |= (((digits & TALLY_DIGITS_BYTES(0x7f)) + TALLY_DIGITS_BYTES(0x76)) | digits) &
              TALLY_DIGITS_BYTES(0x80);
    return digits;
}

/* Reads 1..8 digits. Eight bytes can be read, whatever those behind the digits are. */
static inline uint64_t tally_digits_read_eight(const uint8_t *text, uint64_t size, uint64_t *wrong)
{
    const uint32_t past = (uint32_t)(8 - size) * 8;
    uint64_t bad = 0;
    const uint64_t digits = tally_digits_load(text, &bad);
    *wrong |= bad << past;
    return tally_digits_join(digits << past);
}

/* Reads 1..24 digits, modulo 2^64. TALLY_DIGITS_SLACK bytes behind them can be read. */
static inline uint64_t tally_digits_read(const uint8_t *text, uint64_t size, uint64_t *wrong)
{
    if (size <= 8) {
        return tally_digits_read_eight(text, size, wrong);
    }
    const uint64_t low = tally_digits_join(tally_digits_load(text + size - 8, wrong));
    if (size <= 16) {
        return tally_digits_read_eight(text, size - 8, wrong) * 100000000 + low;
    }
    const uint64_t middle = tally_digits_join(tally_digits_load(text + size - 16, wrong));
    const uint64_t high = tally_digits_read_eight(text, size - 16, wrong);
    return (high * 100000000 + middle) * 100000000 + low;
}

/* How many of the first digits are 0, 0..7 (the last one counts as another). */
static inline uint32_t tally_digits_zeros(uint64_t digits)
{
    digits |= UINT64_C(1) << 56;
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(digits) / 8;
#else
    uint32_t zeros = 0;
    for (; (digits & 0xff) == 0; digits >>= 8) {
        zeros++;
    }
    return zeros;
#endif
}

static inline void tally_digits_store(uint64_t digits, uint8_t *out)
{
    tally_store_le64(digits | TALLY_DIGITS_BYTES('0'), out);
}

/* Writes a number below 10^8 without leading zeros, over eight bytes; returns its size. */
static inline uint64_t tally_digits_write_eight(uint32_t number, uint8_t *out)
{
    const uint64_t digits = tally_digits_split(number);
    const uint32_t zeros = tally_digits_zeros(digits);
    tally_digits_store(digits >> zeros * 8, out);
    return 8 - zeros;
}

/* Writes a number below 10^24 without leading zeros, and maybe TALLY_DIGITS_SLACK bytes behind;
 * returns its size. */
static inline uint64_t tally_digits_write(uint64_t number, uint8_t *out)
{
    uint64_t size;
    if (number < 100000000) {
        return tally_digits_write_eight((uint32_t)number, out);
    }
    uint64_t upper = number / 100000000;
    const uint32_t low = (uint32_t)(number - upper * 100000000);
    if (upper < 100000000) {
        size = tally_digits_write_eight((uint32_t)upper, out);
    } else {
        const uint64_t top = upper / 100000000;
        size = tally_digits_write_eight((uint32_t)top, out);
        tally_digits_store(tally_digits_split((uint32_t)(upper - top * 100000000)), out + size);
        size += 8;
    }
    tally_digits_store(tally_digits_split(low), out + size);
    return size + 8;
}

/* Writes a number as exactly `size` digits, 1..24. */
static inline void tally_digits_write_all(uint64_t number, uint32_t size, uint8_t *out)
{
    for (; size > 8; size -= 8) {
        const uint64_t upper = number / 100000000;
        tally_digits_store(tally_digits_split((uint32_t)(number - upper * 100000000)),
                           out + size - 8);
        number = upper;
    }
    uint64_t digits =
        (tally_digits_split((uint32_t)number) | TALLY_DIGITS_BYTES('0')) >> (8 - size) * 8;
    for (uint32_t i = 0; i < size; i++, digits >>= 8) { /* what is behind is written already */
        out[i] = (uint8_t)digits;
    }
}

#endif

enum {
    BUCKET_EDGES = 64,
    BUCKET_SCALE = 9,   /* digits after the point of options, at most */
    BUCKET_DIGITS = 18, /* of a number times 10^scale */
    BUCKET_LABEL = 48   /* bytes: two numbers */
};

typedef enum bucket_unit { BUCKET_MONTH, BUCKET_QUARTER, BUCKET_YEAR, BUCKET_NUMBER } bucket_unit;

static const char *const bucket_units[] = {"month", "quarter", "year", NULL};
static const char *const bucket_labels[] = {"range", "low", NULL};

typedef struct bucket_format {
    tally_counted counted; /* ranks: of numbers a bucket's, modulo 2^64; of dates its first day */
    bucket_unit unit;
    int is_low; /* text is a range's low end */
    uint32_t scale;
    int64_t width, origin, top;
    int has_top;
    uint32_t edges; /* in number; 0: ranges have `width` */
    int64_t edge[BUCKET_EDGES];
    tally_dates_compiled notation;
    int is_iso;
    char text[TALLY_DATES_MAX_WIDTH + 1];
    char example[TALLY_DATES_MAX_WIDTH + 1];
} bucket_format;

static const tally_option bucket_options[] = {
    {"width", TALLY_OPTION_NUMBER, 0, NULL},
    {"origin", TALLY_OPTION_NUMBER, 0, NULL},
    {"top", TALLY_OPTION_NUMBER, 0, NULL},
    {"edges", TALLY_OPTION_LIST, 0, NULL},
    {"unit", TALLY_OPTION_CHOICE, 0, bucket_units},
    {"notation", TALLY_OPTION_TEXT, 0, NULL},
    {"label", TALLY_OPTION_CHOICE, 0, bucket_labels},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum {
    BUCKET_WIDTH,
    BUCKET_ORIGIN,
    BUCKET_TOP,
    BUCKET_EDGE_LIST,
    BUCKET_UNIT,
    BUCKET_NOTATION,
    BUCKET_LABELS
};

static inline int64_t bucket_floor(int64_t number, int64_t divisor)
{
    const int64_t quotient = number / divisor;
    return quotient - (number % divisor < 0);
}

/* The bucket of a number. */
static inline int64_t bucket_of(const bucket_format *own, int64_t number)
{
    if (own->edges == 0) {
        number = own->has_top && number > own->top ? own->top : number;
        return bucket_floor(number - own->origin, own->width);
    }
    int64_t bucket = -1;
    for (uint32_t i = 0; i < own->edges; i++) {
        bucket += number >= own->edge[i];
    }
    return bucket;
}

/* The low end of a bucket; returns 0 if it has none. */
static inline int bucket_low(const bucket_format *own, int64_t bucket, int64_t *low)
{
    if (own->edges != 0) {
        *low = bucket >= 0 ? own->edge[bucket] : 0;
        return bucket >= 0;
    }
    *low = bucket * own->width + own->origin;
    return 1;
}

static uint64_t bucket_write_number(const bucket_format *own, int64_t number, uint8_t *out)
{
    uint64_t size = 0, rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) {
        out[size++] = '-';
    }
    const uint64_t power = tally_digits_power(own->scale), whole = rest / power;
    size += tally_digits_write(whole, out + size);
    if (own->scale != 0) {
        out[size++] = '.';
        tally_digits_write_all(rest - whole * power, own->scale, out + size);
        size += own->scale;
    }
    return size;
}

/* 35..39 of whole numbers, 2.5..<5.0 of others, <18, 90+. */
static uint64_t bucket_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const bucket_format *own = (const bucket_format *)counted;
    const int64_t bucket = (int64_t)rank;
    int64_t low, next;
    uint64_t size = 0;
    if (!bucket_low(own, bucket, &low)) {
        out[0] = '<';
        return 1 + bucket_write_number(own, own->edge[0], out + 1);
    }
    size = bucket_write_number(own, low, out);
    if (own->is_low) {
        return size;
    }
    if (own->edges != 0 ? bucket + 1 == (int64_t)own->edges : own->has_top && low == own->top) {
        out[size] = '+';
        return size + 1;
    }
    next = own->edges != 0 ? own->edge[bucket + 1] : low + own->width;
    if (own->scale == 0 && next - 1 == low) {
        return size;
    }
    out[size++] = '.';
    out[size++] = '.';
    if (own->scale != 0) {
        out[size++] = '<';
    }
    return size + bucket_write_number(own, own->scale == 0 ? next - 1 : next, out + size);
}

static uint8_t bucket_read_row(const tally_counted *counted, const uint8_t *text, uint64_t size,
                               uint64_t *rank)
{
    const bucket_format *own = (const bucket_format *)counted;
    tally_plain_number number;
    uint64_t whole = 0;
    int rest = 0; /* whether digits are left out that are not 0 */
    if (!tally_plain_number_read(text, size, &number) ||
        number.whole_size + own->scale > BUCKET_DIGITS) {
        return TALLY_REASON_NOTATION;
    }
    for (uint64_t i = 0; i < number.whole_size; i++) {
        whole = whole * 10 + (uint64_t)(number.whole[i] - '0');
    }
    for (uint64_t i = 0; i < own->scale; i++) {
        whole = whole * 10 + (i < number.fraction_size ? (uint64_t)(number.fraction[i] - '0') : 0);
    }
    for (uint64_t i = own->scale; i < number.fraction_size; i++) {
        rest |= number.fraction[i] != '0';
    }
    const int64_t scaled = number.negative ? -(int64_t)whole - rest : (int64_t)whole;
    int64_t low;
    *rank = (uint64_t)bucket_of(own, scaled);
    return own->is_low && !bucket_low(own, (int64_t)*rank, &low) ? TALLY_REASON_RANGE : 0;
}

/* The first day of a day's month, quarter or year. */
static inline int32_t bucket_first_day(const bucket_format *own, int32_t days)
{
    const tally_dates_civil date = tally_dates_civil_of(days);
    const uint32_t month = own->unit == BUCKET_MONTH     ? date.month
                           : own->unit == BUCKET_QUARTER ? (date.month - 1) / 3 * 3 + 1
                                                         : 1;
    return tally_dates_days(date.year, month, 1, 0);
}

static uint8_t bucket_read_date_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    const bucket_format *own = (const bucket_format *)counted;
    const uint64_t width = own->notation.width;
    if (size < width ||
        (size > width && (!own->is_iso || !tally_times_is_clock(text + width, size - width)))) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (uint64_t)(int64_t)bucket_first_day(own, days);
    return 0;
}

/* 2024-05, 2024-Q2 or 2024; or the first day, in the notation. */
static uint64_t bucket_write_date_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const bucket_format *own = (const bucket_format *)counted;
    const int32_t days = (int32_t)(int64_t)rank;
    if (own->is_low) {
        tally_dates_format(&own->notation, days, out);
        return own->notation.width;
    }
    const tally_dates_civil date = tally_dates_civil_of(days);
    tally_digits_write_all(date.year, 4, out);
    if (own->unit == BUCKET_YEAR) {
        return 4;
    }
    out[4] = '-';
    if (own->unit == BUCKET_QUARTER) {
        out[5] = 'Q';
        out[6] = (uint8_t)('1' + (date.month - 1) / 3);
    } else {
        tally_dates_write_two(date.month, out + 5);
    }
    return 7;
}

static void bucket_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, bucket_read_row);
}

static void bucket_write(const tally_counted *counted, const tally_counted_rows *rows,
                         const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, bucket_write_row);
}

static void bucket_read_dates(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, bucket_read_date_row);
}

static void bucket_write_dates(const tally_counted *counted, const tally_counted_rows *rows,
                               const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, bucket_write_date_row);
}

/* There is no key, so nothing is permuted. */
static tally_status bucket_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block)
{
    tally_counted_block rows = *block;
    rows.row_tweaks = NULL;
    (void)counted;
    (void)tally_counted_choose(run, &rows);
    return TALLY_OK;
}

/* Columns of numbers. */

/* A number as it is in a column, with so many digits after the point, and the other way. They
 * return a reason. Numbers of 10^18 or more are outside the range. */
static const int64_t bucket_bound = INT64_C(1000000000000000000);

static uint8_t bucket_load(const tally_arrow_type *type, const uint8_t *value, int64_t *out)
{
    int64_t words[4] = {0};
    int32_t four;
    int16_t two;
    uint8_t one;
    uint32_t count = 1;
    memcpy(words, value, type->width);
    switch (type->width) {
    case 1:
        memcpy(&one, value, 1);
        *out = type->is_signed ? (int8_t)one : one;
        break;
    case 2:
        memcpy(&two, value, 2);
        *out = type->is_signed ? two : (uint16_t)two;
        break;
    case 4:
        memcpy(&four, value, 4);
        *out =
            type->kind == TALLY_ARROW_INTEGER && !type->is_signed ? (int64_t)(uint32_t)four : four;
        break;
    default:
        count = type->width / 8;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        *out = words[count - 1];
#else
        *out = words[0];
#endif
        break;
    }
    int beyond = type->kind == TALLY_ARROW_INTEGER && !type->is_signed && *out < 0;
    for (uint32_t i = 0; count > 1 && i < count; i++) { /* all words but the lowest are its sign */
        beyond |= words[i] != *out && words[i] != (*out < 0 ? -1 : 0);
    }
    return beyond || *out <= -bucket_bound || *out >= bucket_bound ? TALLY_REASON_RANGE : 0;
}

static uint8_t bucket_store(const tally_arrow_type *type, int64_t number, uint8_t *out)
{
    const uint32_t bits = 8 * type->width < 63 ? 8 * type->width : 63;
    int64_t words[4];
    if (type->kind == TALLY_ARROW_INTEGER && bits < 63) {
        const int64_t low = type->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
        if (number < low || number >= low + (INT64_C(1) << bits)) {
            return TALLY_REASON_RANGE;
        }
    } else if (type->kind == TALLY_ARROW_INTEGER && !type->is_signed && number < 0) {
        return TALLY_REASON_RANGE;
    } else if (type->kind == TALLY_ARROW_DECIMAL && type->precision <= BUCKET_DIGITS) {
        const int64_t power = (int64_t)tally_digits_power((uint32_t)type->precision);
        if (number <= -power || number >= power) {
            return TALLY_REASON_RANGE;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        words[i] = number < 0 ? -1 : 0;
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    words[type->width > 8 ? type->width / 8 - 1 : 0] =
        type->width < 8 ? (int64_t)((uint64_t)number << (64 - 8 * type->width)) : number;
#else
    words[0] = number;
#endif
    memcpy(out, words, type->width);
    return 0;
}

/* The low end of a number's range. */
static uint8_t bucket_replace_number(const bucket_format *own, const tally_arrow_type *type,
                                     const uint8_t *value, uint8_t *out)
{
    int64_t number, low, factor = 1;
    uint8_t reason = bucket_load(type, value, &number);
    if (reason != 0) {
        return reason;
    }
    if (type->kind == TALLY_ARROW_DECIMAL) {
        factor = (int64_t)tally_digits_power((uint32_t)(type->scale - (int32_t)own->scale));
    }
    if (!bucket_low(own, bucket_of(own, bucket_floor(number, factor)), &low) ||
        low > INT64_MAX / factor || low < INT64_MIN / factor) {
        return TALLY_REASON_RANGE;
    }
    return bucket_store(type, low * factor, out);
}

static uint8_t bucket_replace_float(const bucket_format *own, const uint8_t *value, uint8_t *out)
{
    const double power = (double)tally_digits_power(own->scale), most = 1e15;
    double number;
    memcpy(&number, value, sizeof number);
    const double scaled = number * power;
    if (!(scaled > -most && scaled < most)) {
        return number == number ? TALLY_REASON_RANGE : TALLY_REASON_NOTATION;
    }
    int64_t whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5), low;
    whole -= (double)whole / power > number; /* the decimal that is nearest to it, or below */
    if (!bucket_low(own, bucket_of(own, whole), &low)) {
        return TALLY_REASON_RANGE;
    }
    number = (double)low / power;
    memcpy(out, &number, sizeof number);
    return 0;
}

/* The beginning of a month, quarter or year; of timestamps in UTC. */
static uint8_t bucket_replace_date(const bucket_format *own, const tally_arrow_type *type,
                                   const uint8_t *value, uint8_t *out)
{
    int64_t number, per_day = 1;
    int32_t days;
    if (type->width == 4) {
        memcpy(&days, value, sizeof days);
        number = days;
    } else {
        memcpy(&number, value, sizeof number);
        per_day =
            TALLY_TIMES_DAY * (type->kind == TALLY_ARROW_DATE ? 1000 : (int64_t)type->per_second);
    }
    number = bucket_floor(number, per_day);
    if (number < TALLY_DATES_MIN_DAY || number > TALLY_DATES_MAX_DAY) {
        return TALLY_REASON_RANGE;
    }
    days = bucket_first_day(own, (int32_t)number);
    if (type->width == 4) {
        memcpy(out, &days, sizeof days);
        return 0;
    }
    if (days > INT64_MAX / per_day || days < INT64_MIN / per_day) {
        return TALLY_REASON_RANGE;
    }
    number = days * per_day;
    memcpy(out, &number, sizeof number);
    return 0;
}

static tally_status bucket_fixed(const tally_format *format, tally_run *run,
                                 tally_fixed_column *column)
{
    const bucket_format *own = format->own;
    const tally_arrow_type *type = column->type;
    (void)run;
    for (uint64_t i = 0; i < column->rows; i++) {
        const uint8_t *value = (const uint8_t *)column->values + i * type->width;
        uint8_t *out = (uint8_t *)column->out + i * type->width, reason = 0;
        const uint64_t bit = column->validity_start + i;
        if (column->validity != NULL && (column->validity[bit / 8] >> bit % 8 & 1) == 0) {
            memset(out, 0, type->width);
        } else {
            reason = own->unit != BUCKET_NUMBER ? bucket_replace_date(own, type, value, out)
                     : type->kind == TALLY_ARROW_FLOAT
                         ? bucket_replace_float(own, value, out)
                         : bucket_replace_number(own, type, value, out);
            if (reason != 0 && out != value) {
                memcpy(out, value, type->width);
            }
        }
        column->status[i] = reason;
    }
    return TALLY_OK;
}

static int bucket_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                        tally_writer *why)
{
    const bucket_format *own = format->own;
    const int is_date = own->unit != BUCKET_NUMBER;
    if (read->kind == TALLY_ARROW_TEXT ||
        (is_date && (read->kind == TALLY_ARROW_DATE || read->kind == TALLY_ARROW_TIMESTAMP)) ||
        (!is_date && read->kind == TALLY_ARROW_FLOAT && read->width == 8)) {
        return 1;
    }
    if (!is_date && (read->kind == TALLY_ARROW_INTEGER || read->kind == TALLY_ARROW_DECIMAL)) {
        const int32_t more =
            (read->kind == TALLY_ARROW_DECIMAL ? read->scale : 0) - (int32_t)own->scale;
        if (more >= 0 && more <= BUCKET_DIGITS) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the ends of ranges with ");
        tally_write_uint(why, own->scale);
        tally_write(why, " digits after the point; cast the column, or change width, origin or "
                         "edges");
    }
    return 0;
}

/* Options. */

/* Reads a number at a scale. */
static int bucket_read_option(const tally_option_value *value, uint32_t scale, int64_t *out)
{
    tally_counted_end end;
    if (tally_counted_end_read(value, scale, &end) != TALLY_COUNTED_END_EXACT || end.beyond ||
        end.magnitude >= (uint64_t)bucket_bound) {
        return 0;
    }
    *out = end.negative ? -(int64_t)end.magnitude : (int64_t)end.magnitude;
    return 1;
}

/* Raises a scale until a number can be written with it; returns 0 if none is enough. */
static int bucket_raise_scale(const tally_option_value *value, uint32_t *scale)
{
    int64_t number;
    while (!bucket_read_option(value, *scale, &number)) {
        if (++*scale > BUCKET_SCALE) {
            return 0;
        }
    }
    return 1;
}

static tally_status bucket_refuse_number(const tally_format *format, const char *option,
                                         tally_problem *problem)
{
    tally_writer out;
    tally_format_refusal(format, problem, option, &out);
    tally_write(&out, option);
    tally_write(&out,
                " must be a number of at most 9 digits after the point and 18 in all, in text "
                "such as \"2.5\", or a whole number");
    return TALLY_ERROR_FORMAT;
}

/* An item of an array as an option's value. */
static tally_option_value bucket_item(const tally_json *item)
{
    tally_option_value value = {.given = 1};
    if (item->kind == TALLY_JSON_INTEGER) {
        value.integer = item->integer;
    } else if (item->kind == TALLY_JSON_TEXT || item->kind == TALLY_JSON_BIG) {
        value.text = item->text;
        value.size = item->size;
    } else {
        value.text = ""; /* which is no number */
    }
    return value;
}

static tally_status bucket_make_edges(const tally_format *format, bucket_format *own,
                                      const tally_json *list, tally_problem *problem)
{
    if (list->count < 1 || list->count > BUCKET_EDGES) {
        return tally_format_refuse(format, problem, "edges", "edges must be 1 to 64 numbers");
    }
    for (const tally_json *item = list->first; item != NULL; item = item->next) {
        const tally_option_value value = bucket_item(item);
        if (!bucket_raise_scale(&value, &own->scale)) {
            return bucket_refuse_number(format, "edges", problem);
        }
    }
    for (const tally_json *item = list->first; item != NULL; item = item->next) {
        const tally_option_value value = bucket_item(item);
        if (!bucket_read_option(&value, own->scale, &own->edge[own->edges])) {
            return bucket_refuse_number(format, "edges", problem);
        }
        if (own->edges > 0 && own->edge[own->edges] <= own->edge[own->edges - 1]) {
            return tally_format_refuse(format, problem, "edges", "edges must ascend");
        }
        own->edges++;
    }
    return TALLY_OK;
}

static tally_status bucket_make_width(const tally_format *format, bucket_format *own,
                                      const tally_option_value *values, tally_problem *problem)
{
    int64_t *const out[] = {&own->width, &own->origin, &own->top};
    for (size_t i = BUCKET_WIDTH; i <= BUCKET_TOP; i++) {
        if (values[i].given && !bucket_raise_scale(&values[i], &own->scale)) {
            return bucket_refuse_number(format, bucket_options[i].name, problem);
        }
    }
    for (size_t i = BUCKET_WIDTH; i <= BUCKET_TOP; i++) {
        if (values[i].given && !bucket_read_option(&values[i], own->scale, out[i])) {
            return bucket_refuse_number(format, bucket_options[i].name, problem);
        }
    }
    own->has_top = values[BUCKET_TOP].given;
    if (own->width <= 0) {
        return tally_format_refuse(format, problem, "width", "width must be above 0");
    }
    if (own->has_top && (own->top - own->origin) % own->width != 0) {
        return tally_format_refuse(format, problem, "top",
                                   "top must be the low end of a range: origin and a multiple of "
                                   "width");
    }
    return TALLY_OK;
}

static tally_status bucket_make_ranges(const tally_format *format, bucket_format *own,
                                       const tally_option_value *values, tally_problem *problem)
{
    const int width = values[BUCKET_WIDTH].given, edges = values[BUCKET_EDGE_LIST].given,
              unit = values[BUCKET_UNIT].given;
    if (width + edges + unit != 1) {
        return tally_format_refuse(format, problem, NULL,
                                   "give one of width (numbers, ages), edges (numbers) and unit "
                                   "(dates)");
    }
    for (size_t i = BUCKET_ORIGIN; i <= BUCKET_TOP && !width; i++) {
        if (values[i].given) {
            return tally_format_refuse(format, problem, bucket_options[i].name,
                                       i == BUCKET_ORIGIN ? "origin needs width"
                                                          : "top needs width");
        }
    }
    if (!unit && values[BUCKET_NOTATION].given) {
        return tally_format_refuse(format, problem, "notation", "notation needs unit");
    }
    own->unit = unit ? (bucket_unit)values[BUCKET_UNIT].integer : BUCKET_NUMBER;
    if (unit) {
        return tally_times_option_notation(format, &values[BUCKET_NOTATION], own->text,
                                           &own->notation, problem);
    }
    return width ? bucket_make_width(format, own, values, problem)
                 : bucket_make_edges(format, own, values[BUCKET_EDGE_LIST].list, problem);
}

static void bucket_write_quoted(const bucket_format *own, int64_t number, tally_writer *writer)
{
    uint8_t text[BUCKET_LABEL];
    const uint64_t size = bucket_write_number(own, number, text);
    tally_write_json(writer, (const char *)text, (size_t)size);
}

static void bucket_write_identity(const bucket_format *own, tally_writer *writer)
{
    tally_write(writer, "[\"bucket\",");
    if (own->unit != BUCKET_NUMBER) {
        tally_write(writer, "\"unit\",\"");
        tally_write(writer, bucket_units[own->unit]);
        tally_write(writer, "\",");
    } else if (own->edges != 0) {
        tally_write(writer, "\"edges\",[");
        for (uint32_t i = 0; i < own->edges; i++) {
            tally_write(writer, i == 0 ? "" : ",");
            bucket_write_quoted(own, own->edge[i], writer);
        }
        tally_write(writer, "],");
    } else {
        tally_write(writer, "\"width\",");
        bucket_write_quoted(own, own->width, writer);
        tally_write_char(writer, ',');
        bucket_write_quoted(own, own->origin, writer);
        tally_write_char(writer, ',');
        if (own->has_top) {
            bucket_write_quoted(own, own->top, writer);
        } else {
            tally_write(writer, "\"\"");
        }
        tally_write_char(writer, ',');
    }
    tally_write(writer, own->is_low ? "\"low\"]" : "\"range\"]");
}

static tally_status bucket_make(tally_format *format, const tally_option_value *values,
                                tally_problem *problem)
{
    bucket_format *own = tally_format_own(format, sizeof *own);
    char identity[64 + BUCKET_EDGES * 24];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->one_way = 1;
    format->keyed = 0;
    const tally_status status = bucket_make_ranges(format, own, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const int is_date = own->unit != BUCKET_NUMBER;
    own->is_low = values[BUCKET_LABELS].given && values[BUCKET_LABELS].integer == 1;
    own->is_iso = strcmp(own->text, "YYYY-MM-DD") == 0;
    own->counted.permute = bucket_permute;
    own->counted.read = is_date ? bucket_read_dates : bucket_read;
    own->counted.write = is_date ? bucket_write_dates : bucket_write;
    own->counted.most = is_date ? TALLY_DATES_MAX_WIDTH : BUCKET_LABEL;
    tally_writer_init(&writer, identity, sizeof identity);
    bucket_write_identity(own, &writer);
    if (is_date) {
        tally_dates_format(&own->notation, 19858, (uint8_t *)own->example); /* 2024-05-15 */
    } else {
        const int64_t value = own->edges != 0 ? own->edge[0] : own->origin;
        own->example[bucket_write_number(own, value, (uint8_t *)own->example)] = '\0';
    }
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t bucket_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size)
{
    const bucket_format *own = format->own;
    (void)reason;
    return own->unit == BUCKET_NUMBER ? tally_plain_number_place(value, size)
                                      : tally_times_place(&own->notation, own->text, value, size);
}

const tally_format_class tally_format_bucket = {
    .name = "bucket",
    .options = bucket_options,
    .make = bucket_make,
    .takes = bucket_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = bucket_fixed,
    .place_of_fault = bucket_place_of_fault,
};

/* ---- core/formats/counted.c ---- */
/*
 * Formats of ranks: blocks of text, one value, and the permutation. */

/* ---- core/fast/words/by_direction.h ---- */
/*
 * The functions of tallystick/fast.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pairs. */
#ifndef TALLY_FAST_WORDS_BY_DIRECTION_H
#define TALLY_FAST_WORDS_BY_DIRECTION_H

TALLY_MUST_CHECK tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                                               const tally_fast_params *params,
                                               const uint8_t *tweak, size_t tweak_size,
                                               const uint8_t *words, size_t count, uint8_t *out);

TALLY_MUST_CHECK tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction,
                                               uint64_t size, const uint8_t *tweak,
                                               size_t tweak_size, const uint64_t *numbers,
                                               size_t count, uint64_t *out);

/* The same with the parameters of tally_fast_range_params for this size, which take as long to find
 * as a number to encrypt. */
TALLY_MUST_CHECK tally_status tally_fast_range_by(tally_fast_cipher *cipher,
                                                  tally_direction direction,
                                                  const tally_fast_params *params, uint64_t size,
                                                  const uint8_t *tweak, size_t tweak_size,
                                                  const uint64_t *numbers, size_t count,
                                                  uint64_t *out);

#endif

/* ---- core/fast/words/row_tweaks.h ---- */
/*
 * Words of one length with a tweak for each row. The rows of a batch are sorted into buckets of
 * equal tweaks; buckets run side by side. */
#ifndef TALLY_FAST_WORDS_ROW_TWEAKS_H
#define TALLY_FAST_WORDS_ROW_TWEAKS_H

/* ---- core/fast/words/buckets.h ---- */
/*
 * Buckets: the rows of a batch by length and tweak, found by a hash table. */
#ifndef TALLY_FAST_WORDS_BUCKETS_H
#define TALLY_FAST_WORDS_BUCKETS_H

enum { TALLY_FAST_ROWS = 4096 /* rows of a batch */ };

/* Rows of equal length and tweak. */
typedef struct tally_fast_bucket {
    const uint8_t *tail; /* the row's own part of the tweak, where the first row has it */
    uint32_t tail_size;
    uint32_t length; /* of the words */
    size_t rows;     /* their number */
} tally_fast_bucket;

typedef struct tally_fast_buckets {
    size_t count;
    tally_fast_bucket bucket[TALLY_FAST_ROWS];
    uint16_t places[2 * TALLY_FAST_ROWS]; /* by hash: the number of a bucket plus one, or 0 */
} tally_fast_buckets;

/* Removes all buckets. */
void tally_fast_buckets_clear(tally_fast_buckets *buckets);

/* Adds a row; returns the number of its bucket. The tail must stay where it is. At most
 * TALLY_FAST_ROWS rows. */
uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length);

/* Sorts the buckets by length (modulo 256, so that few lengths mix): sorted[0 .. count). If rows
 * are sorted like their buckets, those of bucket b begin at next[b]. */
void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next);

#endif

/* ---- core/fast/words/cipher.h ---- */
/*
 * A cipher: a pool, a cache of sequences, and the lanes that words lie on. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

/* ---- core/aes/cmac.h ---- */
/*
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The chains of the previous pair of messages after each block. A pair with the same first blocks
 * continues from there. For one key; set `blocks` to 0 at first, and wipe it at the end. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                                       /* cached: all but the last one */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE];            /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. `cache` may be NULL. With a
 * cache, the messages have at most TALLY_CMAC_PREFIX_CACHE bytes and differ in their first block
 * alone, and all pairs of the cache have the same difference. The time depends on the number of
 * cached blocks, which are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as in tally_cmac_many, of 16 + size bytes: heads[i],
 * then messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

/* Continues the chains of `count` messages by `blocks` blocks of each; a chain is zero at first. */
void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16]);

/* Ends them: the last `size` bytes of each message, at least one. The chains become tags. */
void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16]);

#endif

/* ---- core/fast/schedule/pool.h ---- */
/*
 * A pool: 256 S-boxes and their inverses, in tables for the one-word code and in tables for lanes.
 *
 * A layer looks S up at sums and differences of symbols. Up to radix TALLY_FAST_MAX_EXPANDED the
 * table of an S-box holds S at each of them. Then dependent look-ups need no reduction modulo a
 * between them, and the pool still fits the first-level cache. */
#ifndef TALLY_FAST_SCHEDULE_POOL_H
#define TALLY_FAST_SCHEDULE_POOL_H

/* ---- core/fast/lanes/lanes.h ---- */
/*
 * Lanes: the layers of many words at once. Words that share key, radix, length and tweak meet the
 * same S-box in the same layer. So word k lies in lane k of a vector, with one vector for each
 * position, and a layer is additions and byte permutes in registers. No address depends on a
 * symbol.
 *
 * A back end is a file named after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FAST_LANES_LANES_H
#define TALLY_FAST_LANES_LANES_H

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that lacks nothing. Cast the result to the module's struct. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    const uint32_t features = tally_cpu_features();
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

#endif

/* ---- core/fast/lanes/transpose.h ---- */
/*
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

enum { TALLY_BELOW_RUN = 32 /* words of eight bytes: a fixed number is vectorized at -O2 */ };

/* Words in which a byte is at least `limit`, 1..256, have a top bit set. A byte's lower seven bits
 * plus `to_top` set it if they are at least limit, or limit less 128. */
static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

/* Returns 1 if every byte is below `limit`, 1..256, else 0. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
    /* The same for words that lie side by side, whose symbol 0 is the byte `zero`, so that symbols
     * are on the lanes. Which lane of a block has which of its words is the same in both functions;
     * in a block that is not full, word k is on lane k. Returns 0 if a symbol is not below `limit`,
     * 1..256. */
    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

/* Whether all symbols of words in lanes are below a limit: what words_to_lanes returns. */
static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* Up to this radix the one-word table of an S-box S holds S at every index from -(a-1) to 2a-2. The
 * portable lanes use these tables. */
enum { TALLY_FAST_MAX_EXPANDED = 43 };

enum {
    TALLY_FAST_MAX_LANES = 64,      /* words of a group, at most */
    TALLY_FAST_CACHE_LAYERS = 2048, /* layers of a sequence that is stored as a whole, at most */
    TALLY_FAST_GROUPS = 8           /* groups that run together, at most: each hides the latency
                                     * of the others */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_fast_lane_job {
    const uint8_t *tables; /* the back end's, for S-boxes (encryption) or inverses (decryption) */
    size_t stride;         /* bytes from one S-box's table to the next */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-boxes of `count` layers */
    int per_group;          /* 1: each of TALLY_FAST_GROUPS groups has its own sequence. It lies
                             * TALLY_FAST_CACHE_LAYERS bytes after the one of the group before */
    size_t count;           /* a multiple of length */
    size_t groups;          /* 1, 2, 4 or TALLY_FAST_GROUPS */
    uint8_t *state;         /* the symbol of word k of group g at position p is
                             * state[(p * groups + g) * width + k]; aligned to 64 bytes */
} tally_fast_lane_job;

typedef struct tally_fast_lanes {
    tally_backend backend;
    size_t width; /* words of a group: the lanes of a vector */
    /* Bytes of an S-box's table: a multiple of 64, at most 256. 0: the back end works on the
     * one-word tables, and its lay_out is NULL. */
    size_t (*stride)(uint32_t radix);
    /* The fewest words for which a group is not slower than the one-word code. */
    size_t (*min_words)(uint32_t radix);
    /* Makes the tables of all S-boxes for encryption, or of all inverses for decryption. The
     * one-word entries are `radix` bytes for each, `step` bytes apart. 64 bytes follow the tables
     * for decryption: they reduce a difference (body.h). */
    void (*lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes, size_t step,
                    uint8_t *tables);
    void (*run)(tally_direction direction, const tally_fast_lane_job *job);
    const tally_transpose *transpose;
} tally_fast_lanes;

/* The fastest back end for the CPU features in use. */
const tally_fast_lanes *tally_fast_lanes_choose(void);

/* The most bytes that the tables of a pool take with any back end; a multiple of 64. */
size_t tally_fast_lanes_size(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_portable;

#endif

struct tally_fast_pool {
    tally_cmac_key cmac; /* of the master key */
    tally_fast_profile profile;
    uint32_t radix;
    uint32_t stride;               /* bytes from one S-box's one-word table to the next */
    const uint8_t *tables[2];      /* by direction: entry 0 of S-box 0, and of its inverse. If they
                                    * are expanded, a-1 entries come before that of an S-box, and
                                    * its inverse has 2a-1 entries */
    const tally_fast_lanes *lanes; /* the back end of lanes */
    size_t lane_stride;            /* the same for the back end's tables, */
    const uint8_t *lane_tables[2]; /* which may be the one-word tables */
};

#endif

enum {
    TALLY_FAST_CACHE_TWEAK = 256,   /* bytes; a sequence of a longer tweak is not cached */
    TALLY_FAST_CACHE_LENGTH = 64,   /* recommended parameters of shorter words are cached */
    TALLY_FAST_LANE_STATE = 1 << 17 /* bytes; longer words run one by one */
};

/* A search of the cache reads the tags alone, which lie side by side. */
typedef struct tally_fast_cache_tag {
    uint64_t used; /* the cipher's clock at the last use; 0: the entry is free */
    uint64_t hash; /* of params and tweak */
} tally_fast_cache_tag;

/* A cached sequence. */
typedef struct tally_fast_cache_entry {
    tally_fast_params params;
    uint32_t tweak_size;
    uint8_t tweak[TALLY_FAST_CACHE_TWEAK];
    uint8_t indices[TALLY_FAST_CACHE_LAYERS];
} tally_fast_cache_entry;

struct tally_fast_cipher {
    const tally_fast_pool *pool;
    uint64_t clock;
    size_t capacity; /* entries of the cache */
    tally_fast_cache_tag *tags;
    tally_fast_cache_entry *entries;
    tally_fast_params recommended[TALLY_FAST_CACHE_LENGTH]; /* by length; a length of 0: not yet */
    tally_cmac_prefix_cache prefix_cache;                   /* of sequences that are not cached */
    uint8_t window[15 + TALLY_FAST_CACHE_LAYERS]; /* of a sequence too long for the cache */
    uint8_t sequences[TALLY_FAST_GROUPS][TALLY_FAST_CACHE_LAYERS]; /* one for each group */
    _Alignas(64) uint8_t lane_state[TALLY_FAST_LANE_STATE];
};

/* The recommended parameters of words of a valid length; in *spare if they are not cached. */
const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare);

/* The sequence of params with at most TALLY_FAST_CACHE_LAYERS layers and a tweak of at most
 * TALLY_FAST_CACHE_TWEAK bytes. If it is not cached, it replaces the least recently used entry. The
 * result is valid until the next call. */
const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size);

/* Writes the sequence of params with at most TALLY_FAST_CACHE_LAYERS layers. With use_cache it
 * comes from the cache. Without, or if the tweak is too long for the cache, it is derived by means
 * of cipher->prefix_cache, which the caller wipes at the end. */
void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out);

#endif

/* ---- core/fast/words/range.h ---- */
/*
 * The permutation of a range of numbers. */
#ifndef TALLY_FAST_WORDS_RANGE_H
#define TALLY_FAST_WORDS_RANGE_H

enum { TALLY_RANGE_LENGTH = 8 /* symbols of a number, at most; then radix^length <= 2^64 */ };

typedef struct tally_range {
    tally_fast_cipher *cipher;
    tally_fast_params params;
    uint64_t last; /* of the range's numbers */
    uint64_t half; /* radix^4, where the length is more than that */
    uint64_t reciprocal;
    tally_direction direction;
} tally_range;

/* TALLY_ERROR_ARGUMENT, TALLY_ERROR_RADIX as tally_fast_encrypt_range says. */
tally_status tally_range_init(tally_fast_cipher *cipher, uint64_t size, tally_direction direction,
                              tally_range *out);

/* A number as a word, most significant symbol first, and back; symbol i is word[i * stride]. */
void tally_range_write(const tally_range *range, uint64_t number, uint8_t *word, size_t stride);
uint64_t tally_range_read(const tally_range *range, const uint8_t *word, size_t stride);

/* A number of the caller's, read once. If another thread has changed it since it was checked, and
 * it is outside the range, the result is 0. */
static inline uint64_t tally_range_load(const tally_range *range, const uint64_t *number)
{
    const uint64_t taken = tally_barrier(*number);
    return taken <= range->last ? taken : 0;
}

/* Walks numbers under one tweak: numbers[0 .. count), or those of the `rows` listed, if that is not
 * NULL. Each result goes to the same place of `out`, which may equal `numbers`. */
void tally_range_walk(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                      const uint64_t *numbers, const uint16_t *rows, size_t count, uint64_t *out);

#endif

/* Encrypts or decrypts words of params->length symbols, side by side in memory, each under its own
 * tweak. The tweak of word i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row
 * a word. `out` may equal `words`; other overlaps are not allowed.
 *
 * TALLY_ERROR_RADIX: params are not of the pool's radix, or the pool is of the legacy profile.
 * TALLY_ERROR_LENGTH, TALLY_ERROR_PARAMS, TALLY_ERROR_SYMBOL: as for tally_fast_encrypt_words.
 * TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or a tweak is null or, in whole, of more
 * than TALLY_FAST_MAX_ROW_TWEAK bytes, or the words do not fit in the address space. */
TALLY_MUST_CHECK tally_status tally_fast_words_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    const tally_fast_params *params, const uint8_t *tweak, size_t tweak_size,
    const tally_strings *row_tweaks, const uint8_t *words, uint8_t *out);

/* Permutes a column of numbers as tally_fast_encrypt_range does, each under its own tweak. The
 * tweak of row i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row a number.
 * Rows with a chosen[i] of 0 keep their number; `chosen` may be NULL if there are none. `out` may
 * equal `numbers`.
 *
 * TALLY_ERROR_RADIX: as for tally_fast_encrypt_range. TALLY_ERROR_SYMBOL: the number of a chosen
 * row is not below size. TALLY_ERROR_ARGUMENT: size is 1, offsets of the tweaks descend, or the
 * tweak of a chosen row is null or, in whole, of more than TALLY_FAST_MAX_ROW_TWEAK bytes. */
TALLY_MUST_CHECK tally_status tally_fast_range_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    uint64_t size, const uint8_t *tweak, size_t tweak_size, const tally_strings *row_tweaks,
    const uint8_t *chosen, const uint64_t *numbers, uint64_t *out);

enum { TALLY_ROW_TWEAKS_BATCH = TALLY_FAST_ROWS };

/* Its part of a workspace. */
typedef struct tally_row_tweaks_memory {
    uint64_t starts[TALLY_ROW_TWEAKS_BATCH + 1]; /* of the batch's tweaks */
    tally_fast_buckets buckets;
    uint8_t *words[TALLY_ROW_TWEAKS_BATCH];                       /* bucket by bucket */
    uint8_t symbols[TALLY_ROW_TWEAKS_BATCH * TALLY_RANGE_LENGTH]; /* of the words of a range */
} tally_row_tweaks_memory;

/* A call. */
typedef struct tally_row_tweaks {
    tally_fast_cipher *cipher;
    tally_row_tweaks_memory *memory;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_strings *tweaks;
    const uint8_t *chosen;       /* or NULL */
    uint64_t first;              /* row i of the batch is row first + i */
    tally_strings_reader reader; /* of the tweaks */
    size_t common;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK]; /* the common part, then a row's own */
} tally_row_tweaks;

/* Takes the common tweak. TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or the tweak of a
 * chosen row is null or too long. */
tally_status tally_row_tweaks_init(tally_row_tweaks *job, tally_fast_workspace *workspace,
                                   const uint8_t *tweak, size_t tweak_size);

static inline int tally_row_tweaks_chosen(const tally_row_tweaks *job, uint64_t row)
{
    return job->chosen == NULL || job->chosen[row] != 0;
}

/* Rows of a batch by tweak: those of bucket b are order[start[b] .. start[b + 1]). */
typedef struct tally_row_buckets {
    uint16_t order[TALLY_ROW_TWEAKS_BATCH];
    uint16_t start[TALLY_ROW_TWEAKS_BATCH + 1];
    size_t count;
} tally_row_buckets;

/* Reads the tweaks of the `count` rows of the next batch, and sorts the chosen rows into buckets.
 * TALLY_ERROR_ARGUMENT: the tweaks have changed since they were checked. */
tally_status tally_row_tweaks_sort(tally_row_tweaks *job, size_t count, tally_row_buckets *out);

/* Encrypts or decrypts in place: words[i] is that of row order[i]. */
void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_buckets *rows,
                          uint8_t *const *words);

#endif

enum { COUNTED_ROWS = TALLY_BLOCK_ROWS };

tally_status tally_counted_init(tally_format *format, tally_counted *counted, uint64_t size)
{
    const tally_status status = tally_fast_range_params(size, &counted->params);
    if (status != TALLY_OK) {
        return status;
    }
    counted->size = size;
    format->work = tally_format_layers(counted->params.radix, counted->params.length, 1);
    format->smallest = tally_domain_of_size(size != 0 ? size : UINT64_MAX);
    return TALLY_OK;
}

static inline int counted_is_null(const tally_counted_block *block, size_t row)
{
    const uint64_t bit = block->validity_start + row;
    return block->validity != NULL && (block->validity[bit / 8] >> bit % 8 & 1) == 0;
}

/* Whether a row's tweak is null or too long. */
static int counted_loses_tweak(const tally_strings *tweaks, size_t row, uint64_t room)
{
    const uint64_t start = tally_offset_once(tweaks, row), end = tally_offset_once(tweaks, row + 1);
    return tally_row_is_null(tweaks, row) || end - start > room;
}

/* Permutes ranks under one tweak: all, or chosen ones. */
static tally_status counted_permute_column(const tally_counted *counted, tally_run *run,
                                           const tally_counted_block *block, size_t count)
{
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    uint64_t *ranks = block->ranks;
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (count < block->rows) {
        ranks = block->spare;
        for (size_t i = 0, k = 0; k < count; i++) {
            ranks[k] = block->ranks[i];
            k += block->chosen[i];
        }
    }
    const tally_status status =
        tally_fast_range_by(cipher, run->direction, &counted->params, counted->size, run->tweak,
                            run->tweak_size, ranks, count, ranks);
    if (count < block->rows) {
        for (size_t i = 0, k = 0; k < count; i++) {
            if (block->chosen[i] != 0) {
                block->ranks[i] = ranks[k++];
            }
        }
    }
    return status;
}

/* One rank under a tweak of its own: what rows need to be sorted by tweak takes longer. */
static tally_status counted_permute_one(const tally_counted *counted, tally_run *run,
                                        const tally_counted_block *block)
{
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
    const uint64_t start = tally_offset_once(block->row_tweaks, 0);
    const uint64_t size = tally_offset_once(block->row_tweaks, 1) - start;
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (size > sizeof tweak - run->tweak_size) { /* another thread has changed it */
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(tweak, run->tweak, run->tweak_size);
    if (size != 0) {
        memcpy(tweak + run->tweak_size, block->row_tweaks->values + start, (size_t)size);
    }
    return tally_fast_range_by(cipher, run->direction, &counted->params, counted->size, tweak,
                               run->tweak_size + (size_t)size, block->ranks, 1, block->ranks);
}

size_t tally_counted_choose(const tally_run *run, const tally_counted_block *block)
{
    const tally_strings *tweaks = block->row_tweaks;
    size_t count = 0;
    if (tweaks != NULL) {
        const uint64_t room = run->tweak_size < TALLY_FAST_MAX_ROW_TWEAK
                                  ? TALLY_FAST_MAX_ROW_TWEAK - run->tweak_size
                                  : 0;
        for (size_t i = 0; i < block->rows; i++) {
            if (block->status[i] == 0 && counted_loses_tweak(tweaks, i, room)) {
                block->status[i] = TALLY_REASON_TWEAK;
            }
        }
    }
    for (size_t i = 0; i < block->rows; i++) {
        const int is_null = counted_is_null(block, i);
        block->chosen[i] = (uint8_t)(block->status[i] == 0 && !is_null);
        block->status[i] = is_null ? 0 : block->status[i];
        count += block->chosen[i];
    }
    return count;
}

tally_status tally_counted_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block)
{
    const tally_strings *tweaks = block->row_tweaks;
    const size_t count = tally_counted_choose(run, block);
    if (counted->size != 0 && counted->size < TALLY_SMALL_DOMAIN) {
        run->small += count;
    }
    if (count == 0) {
        return TALLY_OK;
    }
    if (tweaks == NULL) {
        return counted_permute_column(counted, run, block, count);
    }
    if (block->rows == 1) {
        return counted_permute_one(counted, run, block);
    }
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    tally_fast_workspace *workspace = run->workspace(run);
    if (cipher == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    return tally_fast_range_rows(cipher, workspace, run->direction, counted->size, run->tweak,
                                 run->tweak_size, tweaks, block->chosen, block->ranks,
                                 block->ranks);
}

tally_status tally_counted_run(const tally_counted *counted, tally_run *run,
                               const tally_counted_block *block)
{
    return counted->permute != NULL ? counted->permute(counted, run, block)
                                    : tally_counted_permute(counted, run, block);
}

/* What a call works in. */
typedef struct counted_scratch {
    uint64_t start[COUNTED_ROWS + 1], end[COUNTED_ROWS], ranks[COUNTED_ROWS], spare[COUNTED_ROWS];
    uint8_t chosen[COUNTED_ROWS];
} counted_scratch;

/* Writes a block of tokens that have sizes of their own. */
static tally_status counted_append(const tally_counted *counted, const tally_counted_rows *rows,
                                   const uint8_t *chosen, uint64_t *end, tally_text_out *out)
{
    const uint64_t most = (uint64_t)rows->rows * counted->most + TALLY_COUNTED_SLACK +
                          (rows->start[rows->rows] - rows->start[0]);
    const tally_status status = tally_text_out_reserve(out, most);
    if (status != TALLY_OK) {
        return status;
    }
    counted->write(counted, rows, chosen, out->values + out->size, end);
    uint64_t at = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        tally_text_out_end(out, end[i] - at);
        at = end[i];
    }
    return TALLY_OK;
}

/* Writes a block of tokens over their values. */
static void counted_replace(const tally_counted *counted, const tally_counted_rows *rows,
                            const uint8_t *chosen, int has_nulls, uint8_t *out)
{
    const uint64_t first = rows->start[0], size = rows->start[rows->rows] - first;
    if (size != 0 && out != rows->values + first) {
        memcpy(out, rows->values + first, (size_t)size);
    }
    for (size_t i = 0; has_nulls && i < rows->rows; i++) {
        if (chosen[i] == 0 && rows->status[i] == 0 && rows->start[i + 1] != rows->start[i]) {
            memset(out + (rows->start[i] - first), 0,
                   (size_t)(rows->start[i + 1] - rows->start[i]));
        }
    }
    counted->overwrite(counted, rows, chosen, out);
}

tally_status tally_counted_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    const tally_counted *counted = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    if (counted->has_no_text) {
        return TALLY_ERROR_TYPE;
    }
    counted_scratch *scratch = run->scratch(run, 0, sizeof *scratch);
    if (scratch == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t first = reader.at;
    for (uint64_t at = 0; at < in->rows; at += COUNTED_ROWS) {
        const size_t count = in->rows - at < COUNTED_ROWS ? (size_t)(in->rows - at) : COUNTED_ROWS;
        uint64_t common;
        if (!tally_strings_read(&reader, count, scratch->start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const tally_counted_rows rows = {.values = in->values,
                                         .start = scratch->start,
                                         .limit = reader.end,
                                         .rows = count,
                                         .ranks = scratch->ranks,
                                         .status = column->status + at};
        tally_strings tweaks;
        tally_counted_block block = {.validity = in->validity,
                                     .validity_start = in->validity_start + at,
                                     .rows = count,
                                     .ranks = scratch->ranks,
                                     .spare = scratch->spare,
                                     .status = rows.status,
                                     .chosen = scratch->chosen};
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, at, count);
            block.row_tweaks = &tweaks;
        }
        counted->read(counted, &rows);
        tally_status status = tally_counted_run(counted, run, &block);
        if (status == TALLY_OK && counted->most != 0) {
            status = counted_append(counted, &rows, scratch->chosen, scratch->end, column->out);
        } else if (status == TALLY_OK) {
            counted_replace(counted, &rows, scratch->chosen, in->validity != NULL,
                            column->values + (scratch->start[0] - first));
        }
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

tally_status tally_counted_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_counted *counted = format->own;
    const uint64_t start[2] = {0, one->size};
    uint8_t token[TALLY_COUNTED_MOST + TALLY_COUNTED_SLACK], status = 0, chosen = 1;
    uint64_t rank = 0, spare = 0, end = one->size;
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_counted_rows rows = {.values = one->value,
                                     .start = start,
                                     .limit = one->size,
                                     .rows = 1,
                                     .ranks = &rank,
                                     .status = &status};
    const tally_counted_block block = {.row_tweaks = one->row_tweak != NULL ? &tweaks : NULL,
                                       .rows = 1,
                                       .ranks = &rank,
                                       .spare = &spare,
                                       .status = &status,
                                       .chosen = &chosen};
    if (counted->has_no_text) {
        return TALLY_ERROR_TYPE;
    }
    counted->read(counted, &rows);
    tally_status result = tally_counted_run(counted, run, &block);
    one->reason = (tally_reason)status;
    if (result == TALLY_OK && status == 0) {
        if (counted->most != 0) {
            counted->write(counted, &rows, &chosen, token, &end);
        }
        one->out_size = (size_t)end;
        if (end > one->room) {
            result = TALLY_ERROR_ROOM;
        } else if (counted->most != 0) {
            memcpy(one->out, token, (size_t)end);
        } else {
            memcpy(one->out, one->value, one->size);
            counted->overwrite(counted, &rows, &chosen, one->out);
        }
    }
    tally_wipe(token, sizeof token);
    tally_wipe(&rank, sizeof rank);
    return result;
}

/* ---- core/formats/counted_fixed.c ---- */
/*
 * Formats of ranks in columns of numbers: integers, dates, timestamps, decimals and, where decimal
 * numbers stand in them exactly, floating point. */

enum { COUNTED_FIXED_ROWS = TALLY_BLOCK_ROWS };

/* Where in a number of several words the lowest one is. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COUNTED_WORD(words, i) ((words)-1 - (i))
#else
#define COUNTED_WORD(words, i) (i)
#endif

/* Reads numbers, modulo 2^64. */
#define COUNTED_LOAD(type, wide)                                                                   \
    for (size_t i = 0; i < rows; i++) {                                                            \
        numbers[i] = (uint64_t)(wide)((const type *)values)[i];                                    \
    }

static void counted_load(const tally_arrow_type *type, const void *values, size_t rows,
                         uint64_t *numbers)
{
    const int is_signed = type->kind != TALLY_ARROW_INTEGER || type->is_signed;
    if (type->width == 1 && is_signed) {
        COUNTED_LOAD(int8_t, int64_t)
    } else if (type->width == 1) {
        COUNTED_LOAD(uint8_t, uint64_t)
    } else if (type->width == 2 && is_signed) {
        COUNTED_LOAD(int16_t, int64_t)
    } else if (type->width == 2) {
        COUNTED_LOAD(uint16_t, uint64_t)
    } else if (type->width == 4 && is_signed) {
        COUNTED_LOAD(int32_t, int64_t)
    } else if (type->width == 4) {
        COUNTED_LOAD(uint32_t, uint64_t)
    } else if (type->width == 8) {
        COUNTED_LOAD(uint64_t, uint64_t)
    } else {
        const size_t words = type->width / 8;
        for (size_t i = 0; i < rows; i++) {
            numbers[i] = ((const uint64_t *)values)[i * words + COUNTED_WORD(words, 0)];
        }
    }
}

/* Writes numbers over the chosen rows; nulls become zeros, and others stay. */
#define COUNTED_STORE(type)                                                                        \
    for (size_t i = 0; i < rows; i++) {                                                            \
        const type kept = status[i] != 0 ? ((const type *)values)[i] : 0;                          \
        ((type *)out)[i] = chosen[i] != 0 ? (type)numbers[i] : kept;                               \
    }

static void counted_store(const tally_counted *counted, uint32_t width, const void *values,
                          size_t rows, const uint64_t *numbers, const uint8_t *status,
                          const uint8_t *chosen, void *out)
{
    if (width == 1) {
        COUNTED_STORE(uint8_t)
    } else if (width == 2) {
        COUNTED_STORE(uint16_t)
    } else if (width == 4) {
        COUNTED_STORE(uint32_t)
    } else if (width == 8) {
        COUNTED_STORE(uint64_t)
    } else {
        const size_t words = width / 8;
        for (size_t i = 0; i < rows; i++) {
            /* The range decides the sign: ranks below the number of negative ones have it. */
            const uint64_t sign = 0 - (uint64_t)(numbers[i] - counted->first < counted->negative);
            for (size_t k = 0; k < words; k++) {
                const size_t at = i * words + COUNTED_WORD(words, k);
                const uint64_t kept = status[i] != 0 ? ((const uint64_t *)values)[at] : 0;
                ((uint64_t *)out)[at] = chosen[i] == 0 ? kept : k == 0 ? numbers[i] : sign;
            }
        }
    }
}

/* Divides by the unit, downwards. Numbers between the range's own are invalid. */
#define COUNTED_DIVIDE(unit)                                                                       \
    for (size_t i = 0; i < rows; i++) {                                                            \
        const int64_t number = (int64_t)numbers[i], quotient = number / (unit);                    \
        status[i] = number != quotient * (unit) ? TALLY_REASON_NOTATION : status[i];               \
        numbers[i] = (uint64_t)quotient;                                                           \
    }

static void counted_divide(uint64_t unit, uint64_t *numbers, uint8_t *status, size_t rows)
{
    /* Constants, so that compilers multiply. */
    if (unit == 1000) {
        COUNTED_DIVIDE(1000)
    } else if (unit == 1000000) {
        COUNTED_DIVIDE(1000000)
    } else if (unit == 86400000) {
        COUNTED_DIVIDE(86400000)
    } else if (unit != 1) {
        COUNTED_DIVIDE((int64_t)unit)
    }
}

/* Reads floating point: each must be the nearest to a decimal number of `scale` digits, of which
 * there is one at most below 10^15. Zero has no minus. */
static void counted_load_floats(const uint64_t *values, size_t rows, uint32_t scale,
                                uint64_t *numbers, uint8_t *status)
{
    const double power = (double)tally_digits_power(scale), most = 1e15;
    for (size_t i = 0; i < rows; i++) {
        double value, back;
        uint64_t bits;
        memcpy(&value, &values[i], sizeof value);
        value *= power;
        int64_t number = 0;
        if (value > -most && value < most) { /* else it is too large, or no number */
            number = (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
        }
        back = (double)number / power;
        memcpy(&bits, &back, sizeof bits);
        status[i] = bits != values[i] ? TALLY_REASON_NOTATION : 0;
        numbers[i] = (uint64_t)number;
    }
}

/* The other way; the numbers are replaced by the floats' bits. */
static void counted_make_floats(size_t rows, uint32_t scale, const uint8_t *chosen,
                                uint64_t *numbers)
{
    const double power = (double)tally_digits_power(scale);
    for (size_t i = 0; i < rows; i++) {
        const double value = (double)(chosen[i] != 0 ? (int64_t)numbers[i] : 0) / power;
        memcpy(&numbers[i], &value, sizeof value);
    }
}

/* Finds numbers outside the range: by their rank, and by the words above the lowest. */
static void counted_check_range(const tally_counted *counted, const tally_arrow_type *type,
                                const void *values, size_t rows, uint64_t *ranks, uint8_t *status)
{
    const uint64_t last = counted->size - 1, first = counted->first;
    for (size_t i = 0; i < rows; i++) {
        ranks[i] -= first;
        status[i] = status[i] == 0 && ranks[i] > last ? TALLY_REASON_RANGE : status[i];
    }
    if (type->kind == TALLY_ARROW_DECIMAL && type->width > 8) {
        const size_t words = type->width / 8;
        for (size_t i = 0; i < rows; i++) {
            const uint64_t sign = 0 - (uint64_t)(ranks[i] < counted->negative);
            uint64_t differ = 0;
            for (size_t k = 1; k < words; k++) {
                differ |= ((const uint64_t *)values)[i * words + COUNTED_WORD(words, k)] ^ sign;
            }
            status[i] = differ != 0 ? TALLY_REASON_RANGE : status[i];
        }
    }
}

tally_status tally_counted_fixed(const tally_counted *counted, uint64_t unit, tally_run *run,
                                 tally_fixed_column *column)
{
    const tally_arrow_type *type = column->type;
    const int is_float = type->kind == TALLY_ARROW_FLOAT;
    const size_t most =
        column->rows < COUNTED_FIXED_ROWS ? (size_t)column->rows : COUNTED_FIXED_ROWS;
    /* Two ranks a row, and a byte. It is wiped after, so one value has little of it. */
    uint64_t *ranks = run->scratch(run, 0, most * (2 * sizeof *ranks + 1));
    if (ranks == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t at = 0; at < column->rows; at += COUNTED_FIXED_ROWS) {
        const size_t rows = column->rows - at < COUNTED_FIXED_ROWS ? (size_t)(column->rows - at)
                                                                   : COUNTED_FIXED_ROWS;
        const void *values = (const uint8_t *)column->values + at * type->width;
        void *out = (uint8_t *)column->out + at * type->width;
        tally_strings tweaks;
        tally_counted_block block = {.validity = column->validity,
                                     .validity_start = column->validity_start + at,
                                     .rows = rows,
                                     .ranks = ranks,
                                     .spare = ranks + most,
                                     .status = column->status + at,
                                     .chosen = (uint8_t *)(ranks + 2 * most)};
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, at, rows);
            block.row_tweaks = &tweaks;
        }
        memset(block.status, 0, rows);
        if (is_float) {
            counted_load_floats(values, rows, counted->scale, ranks, block.status);
        } else {
            counted_load(type, values, rows, ranks);
            counted_divide(unit, ranks, block.status, rows);
        }
        counted_check_range(counted, type, values, rows, ranks, block.status);
        const tally_status status = tally_counted_run(counted, run, &block);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < rows; i++) {
            ranks[i] += counted->first;
        }
        if (is_float) {
            counted_make_floats(rows, counted->scale, block.chosen, ranks);
        } else if (unit != 1) {
            for (size_t i = 0; i < rows; i++) {
                ranks[i] *= unit;
            }
        }
        counted_store(counted, type->width, values, rows, ranks, block.status, block.chosen, out);
    }
    return TALLY_OK;
}

/* ---- core/formats/counted_range.c ---- */
/*
 * Ranges of numbers and their notation. */

/* A number of 128 bits; limb 0 is the lowest. */
typedef struct counted_wide {
    uint32_t limb[4];
    int overflow;
} counted_wide;

static void counted_wide_append(counted_wide *number, uint32_t digit)
{
    uint64_t carry = digit;
    for (size_t i = 0; i < 4; i++) {
        carry += (uint64_t)number->limb[i] * 10;
        number->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    number->overflow |= carry != 0;
}

/* Multiplies by a power of ten. */
static void counted_wide_raise(counted_wide *number, int64_t power)
{
    for (int64_t i = 0; i < power && i < 64; i++) {
        counted_wide_append(number, 0);
    }
}

static int counted_wide_is_zero(const counted_wide *number)
{
    return (number->limb[0] | number->limb[1] | number->limb[2] | number->limb[3]) == 0 &&
           !number->overflow;
}

/* Whether a number is at least 2^65 * 10^scale. */
static int counted_wide_is_large(const counted_wide *number, uint32_t scale)
{
    counted_wide bound = {{0, 0, 2, 0}, 0};
    counted_wide_raise(&bound, scale);
    for (size_t i = 4; i-- > 0;) {
        if (number->overflow || number->limb[i] != bound.limb[i]) {
            return number->overflow || number->limb[i] > bound.limb[i];
        }
    }
    return 1;
}

static int counted_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether text is a word, in either case. */
static int counted_is_word(const char *text, size_t size, const char *word)
{
    size_t i = 0;
    for (; i < size && word[i] != '\0'; i++) {
        if ((text[i] | 0x20) != word[i]) {
            return 0;
        }
    }
    return i == size && word[i] == '\0';
}

/* Reads the exponent behind e; returns 0 if it is none. */
static int counted_read_exponent(const char *text, size_t size, int64_t *out)
{
    size_t i = size > 0 && (text[0] == '-' || text[0] == '+');
    int64_t number = 0;
    if (i == size) {
        return 0;
    }
    for (size_t k = i; k < size; k++) {
        if (text[k] < '0' || text[k] > '9') {
            return 0;
        }
        number = number < 100000 ? number * 10 + (text[k] - '0') : number;
    }
    *out += i != 0 && text[0] == '-' ? -number : number;
    return 1;
}

/* Reads digits, at most one point, and an exponent: number * 10^*power. */
static int counted_read_number(const char *text, size_t size, counted_wide *number, int64_t *power)
{
    int64_t zeros = 0, digits = 0;
    int point = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            digits++;
            *power -= point;
            zeros++;
            if (text[i] != '0') { /* zeros at the end are no part of it */
                counted_wide_raise(number, zeros - 1);
                counted_wide_append(number, (uint32_t)(text[i] - '0'));
                zeros = 0;
            } else if (counted_wide_is_zero(number)) {
                zeros = 0;
            }
        } else if (text[i] == '.' && !point) {
            point = 1;
        } else if ((text[i] == 'e' || text[i] == 'E') && digits != 0) {
            *power += zeros;
            return counted_read_exponent(text + i + 1, size - i - 1, power);
        } else if (text[i] != '_') {
            return 0;
        }
    }
    *power += zeros;
    return digits != 0;
}

tally_counted_end_kind tally_counted_end_read(const tally_option_value *value, uint32_t scale,
                                              tally_counted_end *out)
{
    counted_wide number = {{0, 0, 0, 0}, 0};
    int64_t power = 0;
    int negative = 0;
    *out = (tally_counted_end){0, 0, 0};
    if (value->text == NULL) {
        const uint64_t size =
            value->integer < 0 ? 0 - (uint64_t)value->integer : (uint64_t)value->integer;
        negative = value->integer < 0;
        number.limb[0] = (uint32_t)size;
        number.limb[1] = (uint32_t)(size >> 32);
    } else {
        const char *text = value->text;
        size_t size = value->size;
        for (; size > 0 && counted_is_space(text[0]); size--) {
            text++;
        }
        for (; size > 0 && counted_is_space(text[size - 1]);) {
            size--;
        }
        if (size > 0 && (text[0] == '-' || text[0] == '+')) {
            negative = text[0] == '-';
            text++;
            size--;
        }
        if (counted_is_word(text, size, "inf") || counted_is_word(text, size, "infinity") ||
            counted_is_word(text, size, "nan") || counted_is_word(text, size, "snan")) {
            return TALLY_COUNTED_END_FINE;
        }
        if (!counted_read_number(text, size, &number, &power)) {
            return TALLY_COUNTED_END_NONE;
        }
    }
    if (counted_wide_is_zero(&number)) {
        return TALLY_COUNTED_END_EXACT;
    }
    power += scale;
    if (power < 0) {
        return TALLY_COUNTED_END_FINE;
    }
    counted_wide_raise(&number, power);
    out->negative = (uint8_t)negative;
    out->magnitude = number.limb[0] | (uint64_t)number.limb[1] << 32;
    out->beyond = number.overflow || (number.limb[2] | number.limb[3]) != 0;
    return counted_wide_is_large(&number, scale) ? TALLY_COUNTED_END_LARGE
                                                 : TALLY_COUNTED_END_EXACT;
}

tally_status tally_counted_range_init(tally_format *format, tally_counted *counted,
                                      const tally_counted_range *range)
{
    const tally_counted_end *first = &range->first, *last = &range->last;
    const uint64_t half = UINT64_C(1) << 63;
    const uint64_t a = first->negative ? 0 - first->magnitude : first->magnitude;
    const uint64_t b = last->negative ? 0 - last->magnitude : last->magnitude;
    const int ascends = first->negative != last->negative ? first->negative
                        : first->negative                 ? first->magnitude > last->magnitude
                                                          : first->magnitude < last->magnitude;
    if (first->beyond || last->beyond || !ascends || (first->negative && first->magnitude > half) ||
        (first->negative && !last->negative && first->magnitude > UINT64_MAX - last->magnitude)) {
        return TALLY_ERROR_ARGUMENT;
    }
    counted->first = a;
    counted->negative = first->negative ? first->magnitude : 0;
    return tally_counted_init(format, counted, b - a + 1);
}

int tally_counted_range_fits(const tally_counted_range *range, uint64_t bound)
{
    return tally_counted_range_within(range, bound - 1, bound - 1);
}

int tally_counted_range_within(const tally_counted_range *range, uint64_t negative,
                               uint64_t positive)
{
    return (!range->first.negative || range->first.magnitude <= negative) &&
           (range->last.negative || range->last.magnitude <= positive);
}

int tally_counted_takes_float(const tally_counted_range *range, tally_writer *why)
{
    if (tally_counted_range_fits(range, UINT64_C(1000000000000000))) {
        return 1;
    }
    tally_write(why, "type double holds 15 decimal digits, but the range has more; narrow min and "
                     "max, or convert the column to text, integers or decimals");
    return 0;
}

void tally_counted_end_write(const tally_counted_end *end, tally_writer *writer)
{
    if (end->negative) {
        tally_write_char(writer, '-');
    }
    tally_write_uint(writer, end->magnitude);
}

void tally_counted_range_write(const tally_counted_range *range, tally_writer *writer)
{
    tally_counted_end_write(&range->first, writer);
    tally_write_char(writer, ',');
    tally_counted_end_write(&range->last, writer);
}

/* No-break space, narrow no-break space, thin space, right single quotation mark. */
static const char *const counted_separators[] = {
    ".", ",", " ", "'", "_", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", NULL};

tally_status tally_grouping_init(const tally_format *format, const tally_option_value *separator,
                                 const tally_option_value *point, tally_grouping *out,
                                 tally_problem *problem)
{
    *out = (tally_grouping){.point = '.'};
    if (point != NULL && point->given) {
        if (point->size != 1 || (point->text[0] != '.' && point->text[0] != ',')) {
            return tally_format_refuse(format, problem, "decimal_separator",
                                       "decimal_separator must be \".\" or \",\"");
        }
        out->point = (uint8_t)point->text[0];
    }
    if (!separator->given || separator->size == 0) {
        return TALLY_OK;
    }
    for (size_t i = 0; counted_separators[i] != NULL; i++) {
        const size_t size = strlen(counted_separators[i]);
        if (separator->size == size && memcmp(separator->text, counted_separators[i], size) == 0) {
            out->size = (uint32_t)size;
            memcpy(out->separator, counted_separators[i], size);
        }
    }
    if (out->size == 0) {
        return tally_format_refuse(format, problem, "grouping_separator",
                                   "grouping_separator must be \".\", \",\", \"'\", \"_\", an "
                                   "apostrophe (U+2019) or a space (U+0020, U+00A0, U+2009 or "
                                   "U+202F)");
    }
    if (point != NULL && out->size == 1 && out->separator[0] == out->point) {
        return tally_format_refuse(format, problem, "grouping_separator",
                                   "grouping_separator and decimal_separator must differ");
    }
    return TALLY_OK;
}

uint64_t tally_grouping_remove(const tally_grouping *grouping, const uint8_t *text, uint64_t size,
                               uint32_t scale, uint8_t *plain)
{
    const uint64_t minus = size > 0 && text[0] == '-', fraction = scale != 0 ? scale + 1 : 0;
    const uint64_t step = 3 + grouping->size;
    memset(plain, 0, TALLY_GROUPING_PLAIN);
    if (size <= minus + fraction || size > TALLY_GROUPING_PLAIN) {
        return 0;
    }
    const uint64_t whole = size - minus - fraction;
    const uint64_t groups = grouping->size != 0 ? (whole - 1) / step : 0;
    uint64_t digits = whole - groups * step; /* of the first group */
    if ((grouping->size != 0 && digits > 3) ||
        digits + 3 * groups + scale > TALLY_DIGITS_MOST + 1 ||
        (fraction != 0 && text[minus + whole] != grouping->point)) {
        return 0;
    }
    uint64_t at = minus + digits, out = at;
    memcpy(plain, text, (size_t)at);
    for (uint64_t i = 0; i < groups; i++, at += step, out += 3) {
        if (memcmp(text + at, grouping->separator, grouping->size) != 0) {
            return 0;
        }
        memcpy(plain + out, text + at + grouping->size, 3);
    }
    if (fraction != 0) {
        plain[out] = '.';
        memcpy(plain + out + 1, text + at + 1, scale);
    }
    return out + fraction;
}

uint64_t tally_grouping_insert(const tally_grouping *grouping, const uint8_t *plain, uint64_t size,
                               uint32_t scale, uint8_t *out)
{
    const uint64_t minus = plain[0] == '-', fraction = scale != 0 ? scale + 1 : 0;
    const uint64_t whole = size - minus - fraction;
    const uint64_t groups = grouping->size != 0 ? (whole - 1) / 3 : 0;
    uint64_t from = size - fraction - groups * 3, at = from;
    memcpy(out, plain, (size_t)from);
    for (uint64_t i = 0; i < groups; i++, from += 3) {
        memcpy(out + at, grouping->separator, grouping->size);
        memcpy(out + at + grouping->size, plain + from, 3);
        at += 3 + grouping->size;
    }
    if (fraction != 0) {
        out[at] = grouping->point;
        memcpy(out + at + 1, plain + from + 1, scale);
    }
    return at + fraction;
}

size_t tally_grouping_place_of_fault(const tally_grouping *grouping, uint32_t scale,
                                     const uint8_t *value, size_t size)
{
    int point = scale == 0;
    for (size_t i = 0; i < size; i++) {
        if (value[i] == grouping->point && !point) {
            point = 1;
        } else if (grouping->size != 0 && size - i >= grouping->size && i > 0 &&
                   (scale == 0 || !point) &&
                   memcmp(value + i, grouping->separator, grouping->size) == 0) {
            i += grouping->size - 1;
        } else if ((value[i] < '0' || value[i] > '9') && !(value[i] == '-' && i == 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}

void tally_counted_end_example(const tally_counted_end *end, uint32_t scale,
                               const tally_grouping *grouping, char *out)
{
    uint8_t digits[48], plain[48];
    uint64_t size = tally_digits_write(end->magnitude, digits), at = 0;
    if (end->negative) {
        plain[at++] = '-';
    }
    for (; size <= scale; size++) { /* a zero before the point at least */
        memmove(digits + 1, digits, (size_t)size);
        digits[0] = '0';
    }
    memcpy(plain + at, digits, (size_t)(size - scale));
    at += size - scale;
    if (scale != 0) {
        plain[at++] = '.';
        memcpy(plain + at, digits + (size - scale), scale);
        at += scale;
    }
    out[tally_grouping_insert(grouping, plain, at, scale, (uint8_t *)out)] = '\0';
}

/* ---- core/formats/date.c ---- */
/*
 * date: the calendar dates of a range, in a date column or as text in one notation. */

typedef struct date_format {
    tally_counted counted;
    tally_dates_compiled notation;
    int32_t first;
    char text[TALLY_DATES_MAX_WIDTH + 1]; /* the notation */
    char example[TALLY_DATES_MAX_WIDTH + 1];
} date_format;

static const tally_option date_options[] = {
    {"first", TALLY_OPTION_DATE, 0, NULL},    {"last", TALLY_OPTION_DATE, 0, NULL},
    {"notation", TALLY_OPTION_TEXT, 0, NULL}, {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { DATE_FIRST, DATE_LAST, DATE_NOTATION, DATE_TINY };

enum {
    DATE_USUAL_FIRST = -25567, /* 1900-01-01 */
    DATE_USUAL_LAST = 47481,   /* 2099-12-31 */
    DATE_MILLISECONDS = 86400000
};

static inline uint8_t date_read_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    const date_format *own = (const date_format *)counted;
    if (size != own->notation.width) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    /* One before the first is far behind the last, modulo 2^32. */
    *rank = (uint32_t)days - (uint32_t)own->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

static inline void date_overwrite_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const date_format *own = (const date_format *)counted;
    tally_dates_format(&own->notation, own->first + (int32_t)rank, out);
}

static void date_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, date_read_row);
}

static void date_overwrite(const tally_counted *counted, const tally_counted_rows *rows,
                           const uint8_t *chosen, uint8_t *out)
{
    tally_counted_overwrite_rows(counted, rows, chosen, out, date_overwrite_row);
}

static tally_status date_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    date_format *own = tally_format_own(format, sizeof *own);
    int32_t first = DATE_USUAL_FIRST, last = DATE_USUAL_LAST;
    char identity[64];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->allow_tiny_domain = (int)values[DATE_TINY].integer;
    tally_status status = tally_times_option_range(format, &date_options[DATE_FIRST],
                                                   &values[DATE_FIRST], &first, &last, problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_times_option_notation(format, &values[DATE_NOTATION], own->text, &own->notation,
                                         problem);
    if (status != TALLY_OK) {
        return status;
    }
    own->first = first;
    own->counted.read = date_read;
    own->counted.overwrite = date_overwrite;
    own->counted.first = (uint64_t)(int64_t)first;
    status = tally_counted_init(format, &own->counted, (uint64_t)(last - first) + 1);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    char ends[2][TALLY_TIMES_DATE];
    tally_times_write_date(first, ends[0]);
    tally_times_write_date(last, ends[1]);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"date\",\"");
    tally_write_bytes(&writer, ends[0], TALLY_TIMES_DATE);
    tally_write(&writer, "\",\"");
    tally_write_bytes(&writer, ends[1], TALLY_TIMES_DATE);
    tally_write(&writer, "\"]");
    /* Of two days in the middle the earlier one. */
    tally_dates_format(&own->notation, first + (last - first) / 2, (uint8_t *)own->example);
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

static int date_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                      tally_writer *why)
{
    (void)format;
    (void)type;
    (void)why; /* the usual words */
    return read->kind == TALLY_ARROW_TEXT || read->kind == TALLY_ARROW_DATE;
}

static tally_status date_fixed(const tally_format *format, tally_run *run,
                               tally_fixed_column *column)
{
    const uint64_t unit = column->type->width == 8 ? DATE_MILLISECONDS : 1;
    return tally_counted_fixed(format->own, unit, run, column);
}

static size_t date_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    const date_format *own = format->own;
    (void)reason;
    return tally_times_place_of_fault(&own->notation, own->text, value, size);
}

const tally_format_class tally_format_date = {
    .name = "date",
    .options = date_options,
    .make = date_make,
    .takes = date_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = date_fixed,
    .place_of_fault = date_place_of_fault,
};

/* ---- core/formats/date_shift.c ---- */
/*
 * date_shift: all dates of an entity, which the row's tweak names, move by one secret number of
 * days, so that intervals stay. As text, in a date column or in a timestamp column. */

enum {
    DATE_SHIFT_MOST = 36500, /* days */
    DATE_SHIFT_USUAL = 365,
    DATE_SHIFT_FIRST = -25567, /* 1900-01-01 */
    DATE_SHIFT_LAST = 47481    /* 2099-12-31 */
};

typedef struct date_shift_format {
    tally_counted counted; /* rank 0 is the first token */
    tally_dates_compiled notation;
    int32_t first, last; /* values */
    int32_t days;
    int64_t per_day; /* ranks in a day */
    int is_iso;      /* a time may follow */
    char text[TALLY_DATES_MAX_WIDTH + 1];
    char example[TALLY_DATES_MAX_WIDTH + 1];
} date_shift_format;

static const tally_option date_shift_options[] = {
    {"days", TALLY_OPTION_INTEGER, 0, NULL},
    {"first", TALLY_OPTION_DATE, 0, NULL},
    {"last", TALLY_OPTION_DATE, 0, NULL},
    {"notation", TALLY_OPTION_TEXT, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { DATE_SHIFT_DAYS, DATE_SHIFT_FROM, DATE_SHIFT_TO, DATE_SHIFT_NOTATION, DATE_SHIFT_TINY };

static inline uint8_t date_shift_read_row(const tally_counted *counted, const uint8_t *text,
                                          uint64_t size, uint64_t *rank)
{
    const date_shift_format *own = (const date_shift_format *)counted;
    const uint64_t width = own->notation.width;
    if (size < width ||
        (size > width && (!own->is_iso || !tally_times_is_clock(text + width, size - width)))) {
        return TALLY_REASON_NOTATION;
    }
    const int32_t days = tally_dates_parse(&own->notation, text);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    *rank = (uint64_t)(int64_t)days - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

static inline void date_shift_overwrite_row(const tally_counted *counted, uint64_t rank,
                                            uint8_t *out)
{
    const date_shift_format *own = (const date_shift_format *)counted;
    tally_dates_format(&own->notation, (int32_t)(int64_t)(rank + counted->first), out);
}

static void date_shift_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, date_shift_read_row);
}

static void date_shift_overwrite(const tally_counted *counted, const tally_counted_rows *rows,
                                 const uint8_t *chosen, uint8_t *out)
{
    tally_counted_overwrite_rows(counted, rows, chosen, out, date_shift_overwrite_row);
}

/* The days to move by, of -days..days without 0, from a tag: its first 64 bits times 2 * days. */
static inline int64_t date_shift_of(const uint8_t tag[32], int32_t days)
{
    const uint64_t number = tally_load_be64(tag), count = 2 * (uint64_t)days;
    const uint64_t low = (number & UINT32_MAX) * count >> 32;
    const int64_t index = (int64_t)(((number >> 32) * count + low) >> 32);
    return index < days ? index - days : index - days + 1;
}

/* Whether a rank is one of a value from `first` to `last`. */
static inline int date_shift_is_value(const date_shift_format *own, uint64_t rank)
{
    const uint64_t margin = (uint64_t)(own->days * own->per_day);
    return rank - margin < own->counted.size - 2 * margin;
}

static void date_shift_check(const date_shift_format *own, const tally_counted_block *block)
{
    for (size_t i = 0; i < block->rows; i++) {
        if (block->status[i] == 0 && !date_shift_is_value(own, block->ranks[i])) {
            block->status[i] = TALLY_REASON_RANGE;
        }
    }
}

/* Moves a block. Tokens whose value would not be from `first` to `last` are invalid. */
static void date_shift_move(const date_shift_format *own, tally_direction direction,
                            const tally_counted_block *block, const uint8_t (*tags)[32])
{
    for (size_t i = 0; i < block->rows; i++) {
        if (block->chosen[i] != 0) {
            const uint64_t days = (uint64_t)(date_shift_of(tags[i], own->days) * own->per_day);
            if (direction == TALLY_ENCRYPT) {
                block->ranks[i] += days;
            } else if (date_shift_is_value(own, block->ranks[i] - days)) {
                block->ranks[i] -= days;
            } else {
                block->status[i] = TALLY_REASON_RANGE;
                block->chosen[i] = 0;
            }
        }
    }
}

static tally_status date_shift_permute(const tally_counted *counted, tally_run *run,
                                       const tally_counted_block *block)
{
    static const char purpose[] = "tallystick date shift 1";
    const date_shift_format *own = (const date_shift_format *)counted;
    const size_t rows = block->rows;
    tally_strings_reader reader;
    tally_hmac_sha256 context;
    uint8_t key[32];
    uint64_t common;
    if (run->direction == TALLY_ENCRYPT) {
        date_shift_check(own, block);
    }
    if (block->row_tweaks == NULL) { /* no entity is named */
        for (size_t i = 0; i < rows; i++) {
            block->status[i] = block->status[i] == 0 ? TALLY_REASON_TWEAK : block->status[i];
        }
    }
    const size_t count = tally_counted_choose(run, block);
    run->small += count; /* days of so few that anyone could try all */
    if (count == 0) {
        return TALLY_OK;
    }
    uint64_t *start = run->scratch(run, 1, (rows + 1) * sizeof *start);
    uint8_t(*tags)[32] = run->scratch(run, 2, rows * sizeof *tags);
    if (start == NULL || tags == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(block->row_tweaks, &reader) ||
        !tally_strings_read(&reader, rows, start, &common)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status = run->derive(run, purpose, key);
    if (status == TALLY_OK) {
        tally_hmac_sha256_init(&context, key, sizeof key);
        tally_hmac_sha256_update(&context, run->tweak, run->tweak_size);
        tally_hmac_sha256_rows(&context, block->row_tweaks->values, start, rows, tags);
        date_shift_move(own, run->direction, block, (const uint8_t(*)[32])tags);
        tally_hmac_sha256_wipe(&context);
    }
    tally_wipe(key, sizeof key);
    return status;
}

static tally_status date_shift_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem)
{
    const int64_t days =
        values[DATE_SHIFT_DAYS].given ? values[DATE_SHIFT_DAYS].integer : DATE_SHIFT_USUAL;
    date_shift_format *own = tally_format_own(format, sizeof *own);
    char identity[48];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->needs_tweak = 1;
    format->allow_tiny_domain = (int)values[DATE_SHIFT_TINY].integer;
    own->first = DATE_SHIFT_FIRST;
    own->last = DATE_SHIFT_LAST;
    if (days < 1 || days > DATE_SHIFT_MOST) {
        return tally_format_refuse(format, problem, "days", "days must be 1..36500");
    }
    own->days = (int32_t)days;
    own->per_day = 1;
    tally_status status =
        tally_times_option_range(format, &date_shift_options[DATE_SHIFT_FROM],
                                 &values[DATE_SHIFT_FROM], &own->first, &own->last, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (own->first - own->days < TALLY_DATES_MIN_DAY ||
        own->last + own->days > TALLY_DATES_MAX_DAY) {
        return tally_format_refuse(format, problem, NULL,
                                   "dates from first to last must stay within 0001-01-01 .. "
                                   "9999-12-31 when they move by days");
    }
    status = tally_times_option_notation(format, &values[DATE_SHIFT_NOTATION], own->text,
                                         &own->notation, problem);
    if (status != TALLY_OK) {
        return status;
    }
    own->is_iso = strcmp(own->text, "YYYY-MM-DD") == 0;
    own->counted.read = date_shift_read;
    own->counted.overwrite = date_shift_overwrite;
    own->counted.permute = date_shift_permute;
    own->counted.first = (uint64_t)((int64_t)own->first - days);
    own->counted.size = (uint64_t)(own->last - own->first + 1 + 2 * days);
    format->smallest = tally_domain_of_size(2 * (uint64_t)days);
    format->work = 300; /* a tag takes as long */
    status = tally_format_check_domain(format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"date_shift\",");
    tally_write_int(&writer, days);
    tally_write_char(&writer, ']');
    tally_dates_format(&own->notation, own->first + (own->last - own->first) / 2,
                       (uint8_t *)own->example);
    format->example[0] = own->example;
    return tally_format_identify(format, writer.text, writer.size);
}

/* A format for timestamps of so many units in a second; returns 0 if 64 bits can't hold them. */
static int date_shift_for_units(const date_shift_format *own, uint64_t per_second,
                                date_shift_format *out)
{
    const int64_t per_day = (int64_t)per_second * TALLY_TIMES_DAY, most = INT64_MAX / per_day;
    *out = *own;
    if (-most > own->first - own->days || own->last + own->days + 1 > most) {
        return 0;
    }
    out->per_day = per_day;
    out->counted.first = (uint64_t)((own->first - own->days) * per_day);
    out->counted.size = own->counted.size * (uint64_t)per_day;
    return 1;
}

static int date_shift_takes(const tally_format *format, const char *type,
                            const tally_arrow_type *read, tally_writer *why)
{
    date_shift_format units;
    char name[128];
    if (read->kind == TALLY_ARROW_TEXT || read->kind == TALLY_ARROW_DATE) {
        return 1;
    }
    if (read->kind == TALLY_ARROW_TIMESTAMP) {
        if (date_shift_for_units(format->own, read->per_second, &units)) {
            return 1;
        }
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold dates from first to last that move by days; narrow first "
                         "and last");
    }
    return 0;
}

static tally_status date_shift_fixed(const tally_format *format, tally_run *run,
                                     tally_fixed_column *column)
{
    const date_shift_format *own = format->own;
    date_shift_format units;
    if (column->type->kind != TALLY_ARROW_TIMESTAMP) {
        const uint64_t unit = column->type->width == 8 ? TALLY_TIMES_DAY * 1000 : 1;
        return tally_counted_fixed(&own->counted, unit, run, column);
    }
    return date_shift_for_units(own, column->type->per_second, &units)
               ? tally_counted_fixed(&units.counted, 1, run, column)
               : TALLY_ERROR_ARGUMENT;
}

static size_t date_shift_place_of_fault(const tally_format *format, tally_reason reason,
                                        const uint8_t *value, size_t size)
{
    const date_shift_format *own = format->own;
    (void)reason;
    return tally_times_place(&own->notation, own->text, value, size);
}

const tally_format_class tally_format_date_shift = {
    .name = "date_shift",
    .options = date_shift_options,
    .make = date_shift_make,
    .takes = date_shift_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = date_shift_fixed,
    .place_of_fault = date_shift_place_of_fault,
};

/* ---- core/formats/decimal.c ---- */
/*
 * decimal: the decimal numbers of a range, with so many digits after the point, as text or in a
 * column of decimals. */

/* ---- core/formats/number_text.h ---- */
/*
 * The numbers of a range as text, with so many digits after the point: what the formats integer and
 * decimal share. */
#ifndef TALLY_FORMATS_NUMBER_TEXT_H
#define TALLY_FORMATS_NUMBER_TEXT_H

/* The longest number, with its last character at the last place: what the text of each number is
 * the end of. Digits have numbers up to 31, that of the last one. */
typedef struct tally_number_places {
    uint64_t digits;   /* bit p: place p has a digit, */
    uint8_t other[64]; /* or this character */
    uint64_t least;    /* the place of the digit before the point, as a bit */
    uint8_t place[64]; /* by digit, from TALLY_NUMBER_FIRST on */
    uint8_t digit[64]; /* by place: a digit's byte, where those that are k behind multiples of eight
                        * are in word k, and the later ones first */
} tally_number_places;

enum {
    TALLY_NUMBER_DIGITS = 24, /* of the longest one; no number of text has as many */
    TALLY_NUMBER_FIRST = 32 - TALLY_NUMBER_DIGITS,
    TALLY_NUMBER_MOST = 18 /* digits of text, or one more if it begins with 0 */
};

/* format->own of integer and decimal. */
typedef struct tally_number_format {
    tally_counted counted;
    tally_counted_range range;
    tally_grouping grouping;
    tally_number_places places;
    uint64_t power; /* 10^scale */
    char example[2][TALLY_COUNTED_MOST];
} tally_number_format;

typedef struct tally_number_text {
    tally_backend backend;
    /* As tally_counted.read and write. */
    void (*read)(const tally_counted *counted, const tally_counted_rows *rows);
    void (*write)(const tally_counted *counted, const tally_counted_rows *rows,
                  const uint8_t *chosen, uint8_t *out, uint64_t *end);
} tally_number_text;

extern const tally_number_text tally_number_text_avx512, tally_number_text_portable;

/* Completes `own`, which has its range and grouping, and the format's examples. */
void tally_number_text_init(tally_format *format, tally_number_format *own, uint32_t scale);

/* The reason for a number that is read: -magnitude or magnitude. Sets its rank. */
static inline uint8_t tally_number_rank(const tally_counted *counted, uint64_t minus,
                                        uint64_t magnitude, uint64_t *rank)
{
    *rank = (minus != 0 ? 0 - magnitude : magnitude) - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

#endif

enum { DECIMAL_MAX_SCALE = 18 };

static const tally_option decimal_options[] = {
    {"min", TALLY_OPTION_NUMBER, 1, NULL},
    {"max", TALLY_OPTION_NUMBER, 1, NULL},
    {"scale", TALLY_OPTION_INTEGER, 1, NULL},
    {"decimal_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { DECIMAL_MIN, DECIMAL_MAX, DECIMAL_SCALE, DECIMAL_POINT, DECIMAL_GROUPING, DECIMAL_TINY };

/* Reads both ends. */
static tally_status decimal_read_range(const tally_format *format, const tally_option_value *values,
                                       uint32_t scale, tally_counted_range *range,
                                       tally_problem *problem)
{
    tally_counted_end_kind kind[2];
    for (size_t i = DECIMAL_MIN; i <= DECIMAL_MAX; i++) {
        kind[i] = tally_counted_end_read(&values[i], scale,
                                         i == DECIMAL_MIN ? &range->first : &range->last);
        if (kind[i] == TALLY_COUNTED_END_NONE) {
            tally_writer out;
            tally_format_refusal(format, problem, NULL, &out);
            tally_write(&out, decimal_options[i].name);
            tally_write(&out, " must be a number in text, such as \"0.00\", or a whole number");
            return TALLY_ERROR_FORMAT;
        }
    }
    return kind[0] == TALLY_COUNTED_END_EXACT && kind[1] == TALLY_COUNTED_END_EXACT
               ? TALLY_OK
               : TALLY_ERROR_ARGUMENT;
}

static tally_status decimal_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    tally_number_format *own = tally_format_own(format, sizeof *own);
    const int64_t scale = values[DECIMAL_SCALE].integer;
    const uint32_t digits = scale < 0 || scale > DECIMAL_MAX_SCALE ? 0 : (uint32_t)scale;
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = (int)values[DECIMAL_TINY].integer;
    tally_status status = decimal_read_range(format, values, digits, &own->range, problem);
    if (status == TALLY_ERROR_FORMAT) {
        return status;
    }
    if (digits != scale) {
        return tally_format_refuse(format, problem, NULL, "scale must be 0..18");
    }
    if (status != TALLY_OK) {
        tally_format_refusal(format, problem, NULL, &writer);
        tally_write(&writer, "min and max must be numbers with at most ");
        tally_write_uint(&writer, digits);
        tally_write(&writer, " digits after the point (scale)");
        return TALLY_ERROR_FORMAT;
    }
    if (tally_counted_range_init(format, &own->counted, &own->range) != TALLY_OK) {
        return tally_format_refuse(format, problem, NULL,
                                   "min must be below max, both times 10**scale within -2**63 .. "
                                   "2**64-1; the range has at most 2**64 numbers");
    }
    status = tally_format_check_domain(format, problem);
    if (status == TALLY_OK) {
        status = tally_grouping_init(format, &values[DECIMAL_GROUPING], &values[DECIMAL_POINT],
                                     &own->grouping, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    tally_number_text_init(format, own, digits);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"decimal\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write_char(&writer, ',');
    tally_write_uint(&writer, digits);
    tally_write_char(&writer, ']');
    return tally_format_identify(format, writer.text, writer.size);
}

static int decimal_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const tally_number_format *own = format->own;
    const uint32_t scale = own->counted.scale;
    if (read->kind == TALLY_ARROW_TEXT) {
        if (!own->counted.has_no_text) {
            return 1;
        }
        tally_write(why, "in text, a decimal has at most 18 digits, but the range has more; narrow "
                         "min and max, or convert the column");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        return tally_counted_takes_float(&own->range, why);
    } else if (read->kind == TALLY_ARROW_DECIMAL) {
        if (read->scale == (int32_t)scale &&
            (read->precision > 19 || /* which 2^64 - 1 does not reach */
             tally_counted_range_fits(&own->range,
                                      tally_digits_power((uint32_t)read->precision)))) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the range of format 'decimal' at scale ");
        tally_write_uint(why, scale);
        tally_write(why, "; cast the column, or change scale, min and max");
    } else {
        tally_format_refuse_type(format, type, read, why);
    }
    return 0;
}

static tally_status decimal_fixed(const tally_format *format, tally_run *run,
                                  tally_fixed_column *column)
{
    return tally_counted_fixed(format->own, 1, run, column);
}

static size_t decimal_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const tally_number_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, own->counted.scale, value, size);
}

const tally_format_class tally_format_decimal = {
    .name = "decimal",
    .options = decimal_options,
    .make = decimal_make,
    .takes = decimal_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = decimal_fixed,
    .place_of_fault = decimal_place_of_fault,
};

/* ---- core/formats/email.c ---- */
/*
 * email: addresses as text. With `at`, a token is the whole address as the local part of an address
 * at a reserved domain: its @ is written =, and that domain follows. */

/* ---- core/formats/text.h ---- */
/*
 * Formats of text over an alphabet: symbols are replaced in place, everything else stays.
 * text_presets.c has the ready ones; email.c and ipv6.c use the same machinery. */
#ifndef TALLY_FORMATS_TEXT_H
#define TALLY_FORMATS_TEXT_H

/* ---- core/columns/one_value.h ---- */
/*
 * One value in place: the result of a column with one row, without its set-up. */
#ifndef TALLY_COLUMNS_ONE_VALUE_H
#define TALLY_COLUMNS_ONE_VALUE_H

/* ---- core/columns/columns.h ---- */
/*
 * Columns of text in Arrow's layout, protected in place. FAST replaces the bytes that are symbols
 * of an alphabet. All other bytes (separators, kept symbols) and all offsets stay. */
#ifndef TALLY_COLUMNS_COLUMNS_H
#define TALLY_COLUMNS_COLUMNS_H

/* The class of a byte in a value. */
typedef enum tally_byte_kind {
    TALLY_BYTE_FOREIGN = 0, /* not allowed: the row is invalid */
    TALLY_BYTE_SYMBOL,      /* stands for symbol[byte]; its token is written with letter[0] */
    TALLY_BYTE_UPPER,       /* the same, its token written with letter[1] */
    TALLY_BYTE_KEPT,        /* a separator: stays in its place */
    TALLY_BYTE_LEADING,     /* stays, and is allowed only as the first byte of a value */
    TALLY_BYTE_DELIMITER    /* stays, and must occur exactly once */
} tally_byte_kind;

/* The last free digit of a value follows from the others by the Luhn formula (ISO/IEC 7812-1). */
typedef enum tally_luhn {
    TALLY_LUHN_NONE = 0,
    TALLY_LUHN_VALID,  /* a value and its token both have a valid check digit */
    TALLY_LUHN_INVALID /* a value has a valid one; that digit of its token is one more (mod 10) */
} tally_luhn;

/* How a value becomes a word: its symbols in order, without the kept ones. */
typedef struct tally_shape {
    uint32_t radix;         /* 4..256, the cipher's */
    uint8_t kind[256];      /* a tally_byte_kind for each byte */
    uint8_t symbol[256];    /* the symbol of a byte, below radix */
    uint8_t letter[2][256]; /* the byte of a symbol */
    uint32_t min_symbols;   /* of the encrypted word, at least 2 */
    uint32_t max_symbols; /* of the encrypted word, at most 2^16 (so are all symbols of a value) */
    uint32_t small_symbols; /* rows with fewer symbols than this to encrypt are counted as small */
    uint32_t keep_last;     /* the last symbols stay in clear */
    uint64_t keep;          /* bit i: symbol i (of the first 64) stays in clear */
    uint8_t keep_after_delimiter; /* 1: every byte after the delimiter stays, of whatever kind */
    uint8_t tweak_kept;           /* 1: what stays in clear becomes part of the row's tweak */
    uint8_t luhn;                 /* a tally_luhn; radix 10, and symbols are digits in order */
} tally_shape;

/* Why a row is invalid for its shape; the numbers are those of tally_reason. */
typedef enum tally_row {
    TALLY_ROW_OK = 0,
    TALLY_ROW_SHORT,     /* fewer than min_symbols to encrypt */
    TALLY_ROW_LONG,      /* more than max_symbols, or than 64 symbols in all with a check digit */
    TALLY_ROW_FOREIGN,   /* a byte that is neither symbol nor separator, or is misplaced */
    TALLY_ROW_DELIMITER, /* the delimiter is missing or repeated */
    TALLY_ROW_CHECK,     /* the check digit is wrong for the shape */
    TALLY_ROW_TWEAK      /* its tweak is null, or of more than TALLY_FAST_MAX_ROW_TWEAK bytes */
} tally_row;

enum { TALLY_ROW_STATUSES = 7 };

/* Counts of a column's rows. */
typedef struct tally_column_report {
    uint64_t rows[TALLY_ROW_STATUSES]; /* the rows of each tally_row; null rows count as OK */
    uint64_t small;                    /* rows OK of fewer than small_symbols symbols */
} tally_column_report;

/* Encrypts or decrypts a column. The tweak of row i is the concatenation of:
 *
 *  - `tweak`;
 *  - if shape->tweak_kept: the row's kept symbols (one byte each) and its bytes after the
 *    delimiter, with their number before them (4 bytes, big-endian);
 *  - if `row_tweaks` is not NULL: its row i. It must have as many rows as the column.
 *
 * `values_out` receives every byte of the column, changed or not, from the one at offset(0) on; in
 * place, it equals column->values + offset(0). Invalid rows keep their bytes. The bytes of null rows,
 * which may be anything, become zeros. row_status receives a tally_row for each row.
 *
 * TALLY_ERROR_RADIX: shape and cipher differ, or the cipher is of the legacy profile.
 * TALLY_ERROR_ARGUMENT: a field of the shape or column is outside its range,
 * offsets descend, or `tweak` alone has more than TALLY_FAST_MAX_ROW_TWEAK bytes. */
TALLY_MUST_CHECK tally_status tally_fast_column(tally_fast_cipher *cipher,
                                                tally_fast_workspace *workspace,
                                                tally_direction direction, const tally_shape *shape,
                                                const tally_strings *column, const uint8_t *tweak,
                                                size_t tweak_size, const tally_strings *row_tweaks,
                                                uint8_t *values_out, uint8_t *row_status,
                                                tally_column_report *report);

#endif

/* ---- core/columns/short.h ---- */
/*
 * The symbols of values of at most 64 bytes, a whole value in one vector. */
#ifndef TALLY_COLUMNS_SHORT_H
#define TALLY_COLUMNS_SHORT_H

/* ---- core/columns/translate.h ---- */
/*
 * Values of one layout on lanes: as many bytes each, and at every position a byte of the same kind.
 * Byte p of value k is lane k of vector p. Byte permutes translate bytes to symbols and back, for
 * many values at once. No address depends on a byte.
 *
 * A back end is a file named after its instruction set; translate.c has the table of them. */
#ifndef TALLY_COLUMNS_TRANSLATE_H
#define TALLY_COLUMNS_TRANSLATE_H

/* A shape as tables of 128 entries, for ASCII. */
typedef struct tally_translate_tables {
    _Alignas(64) uint8_t code[128]; /* the symbol of a byte; else 128 and its kind */
    uint8_t upper[128];             /* 128 for a byte of kind UPPER */
    uint8_t letter[2][128];
    int delimiters, has_upper;
    int is_run;   /* 1: the symbols are letter[0][0] and the bytes that follow it, in order */
    uint8_t last; /* symbol */
} tally_translate_tables;

/* Makes the tables; 0 if the shape has more than ASCII or radix 128. */
int tally_translate_tables_init(const tally_shape *shape, tally_translate_tables *out);

enum { TALLY_TRANSLATE_WIDTH = 64 /* bytes of a value, at most */ };

/* The role of a position. */
typedef enum tally_translate_role {
    TALLY_TRANSLATE_OTHER, /* no symbol: every value has `code` there */
    TALLY_TRANSLATE_KEPT,  /* a symbol that stays */
    TALLY_TRANSLATE_FREE,  /* a symbol of the word */
    TALLY_TRANSLATE_CHECK  /* the check digit */
} tally_translate_role;

typedef struct tally_translate_layout {
    size_t width; /* bytes of a value */
    uint8_t role[TALLY_TRANSLATE_WIDTH];
    uint8_t upper[TALLY_TRANSLATE_WIDTH];   /* 128: a symbol of kind UPPER; else 0 */
    uint8_t code[TALLY_TRANSLATE_WIDTH];    /* of a position that is no symbol */
    uint8_t doubled[TALLY_TRANSLATE_WIDTH]; /* 1: a digit that the Luhn formula doubles */
    int luhn;                               /* 1: there is a check digit */
    /* The check digit for each sum of the other digits modulo 10: the one that a value must have,
     * and the one that is written. */
    _Alignas(64) uint8_t read_digit[128], write_digit[128];
} tally_translate_layout;

/* A batch of values. */
typedef struct tally_translate_job {
    const tally_translate_tables *tables;
    const tally_translate_layout *layout;
    size_t lanes;     /* values; a multiple of the vector's bytes */
    uint8_t *text;    /* text[p * lanes + k] is byte p of value k; aligned to 64, as the others */
    uint8_t *symbols; /* symbols[i * lanes + k] is symbol i of word k */
    uint8_t *bad;     /* the top bit of bad[k] is set if value k differs from the layout, or has a
                       * foreign byte or a wrong check digit */
    int any_bad;      /* for write; 0: no value is bad, whatever `bad` has for lanes without one */
} tally_translate_job;

typedef struct tally_translate {
    tally_backend backend;
    /* Writes symbols and bad. The symbols of a bad value are anything. */
    void (*read)(const tally_translate_job *job);
    /* Writes the symbols into the text of the values that are not bad. */
    void (*write)(const tally_translate_job *job);
} tally_translate;

extern const tally_translate tally_translate_avx512, tally_translate_avx2, tally_translate_neon;

/* The fastest translation that needs no CPU feature beyond those of the lanes; NULL if there is
 * none. So it depends on the pool alone, not on the CPU features in use. */
const tally_translate *tally_translate_choose(const tally_fast_lanes *lanes);

#endif

enum { TALLY_SHORT = 64 /* bytes of a value, at most; a word's memory must have as many */ };

/* Where in a value the symbols are: a bit a byte. */
typedef struct tally_short_value {
    uint64_t symbols, free, upper;
    uint32_t count;  /* of symbols */
    uint32_t after;  /* where the bytes after the delimiter begin */
    uint32_t length; /* of free symbols (not beside count: loading both at once would stall) */
} tally_short_value;

/* Whether this CPU has these functions. */
int tally_short_available(void);

/* Gathers the free symbols of a value into `word`, and says where all are. The only errors are
 * TALLY_ROW_FOREIGN and TALLY_ROW_DELIMITER. */
tally_row tally_short_gather(const tally_shape *shape, const tally_translate_tables *tables,
                             const uint8_t *value, size_t size, uint8_t *word,
                             tally_short_value *out);

/* Writes the symbols of the bytes that `mask` names, in order, to `out`, of at least 64 bytes. */
void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value, size_t size,
                          uint64_t mask, uint8_t *out);

/* Writes the word to where its symbols came from. */
void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                         const tally_short_value *where, uint8_t *value);

#endif

enum { TALLY_ONE_VALUE = TALLY_SHORT /* bytes of a value, at most */ };

/* A shape that was checked, with its tables. It has no secret, and any number of threads may use
 * it. */
typedef struct tally_one_value_format {
    tally_translate_tables tables;
    tally_shape shape;
    int delimiters; /* of a value: 0 or 1 */
    int has_short;  /* whether short.h works with this shape on this CPU */
} tally_one_value_format;

/* Bytes of memory for a format. */
size_t tally_one_value_format_size(void);

/* Sets a format up in `memory`, of any alignment. TALLY_ERROR_ARGUMENT: a field of the shape is
 * outside its range, or memory too small. */
TALLY_MUST_CHECK tally_status tally_one_value_format_init(const tally_shape *shape, void *memory,
                                                          size_t memory_size,
                                                          tally_one_value_format **out);

/* Encrypts or decrypts a value of at most TALLY_ONE_VALUE bytes in place. The tweak is made as
 * tally_fast_column makes it; with no row tweak, row_tweak_size is 0. An invalid value
 * stays as it is, and *row says why. TALLY_ERROR_RADIX, TALLY_ERROR_ARGUMENT: as for
 * tally_fast_column, or the value is longer. */
TALLY_MUST_CHECK tally_status tally_one_value(tally_fast_cipher *cipher,
                                              const tally_one_value_format *format,
                                              tally_direction direction, const uint8_t *tweak,
                                              size_t tweak_size, const uint8_t *row_tweak,
                                              size_t row_tweak_size, uint8_t *value, size_t size,
                                              tally_row *row);

#endif

enum {
    TALLY_TEXT_KEEP = 64, /* keep_first and keep_positions are of so many symbols */
    TALLY_TEXT_MAX_SYMBOLS = 1 << 16,
    TALLY_TEXT_USUAL_SYMBOLS = 1024, /* the default of max_length: work is of order length^1.5 */
    TALLY_TEXT_IDENTITY = 1024       /* bytes, at most */
};

/* Characters in UTF-8. */
typedef struct tally_text_characters {
    const char *text;
    size_t size;
} tally_text_characters;

/* What a text format is made from; docs/reference/formats has the meaning of each. */
typedef struct tally_text_settings {
    tally_text_characters alphabet, separators, leading, delimiter;
    int fold_case, keep_after_delimiter, kept_as_tweak;
    int64_t keep_first, keep_last, min_length, max_length;
    uint64_t keep_positions; /* bit i: position i */
    tally_luhn luhn;
} tally_text_settings;

/* A text format as a part of a format; it has the shape, and no secret. */
typedef struct tally_text {
    tally_one_value_format *one;
    void *memory;     /* of `one` */
    char example[96]; /* of a format that has none of its own */
} tally_text;

/* Checks the settings, and makes what works by them; `identity` receives its identity, as JSON.
 * Messages name the format, whose allow_tiny_domain counts. Release it with tally_text_final. */
tally_status tally_text_init(const tally_format *format, const tally_text_settings *settings,
                             char identity[TALLY_TEXT_IDENTITY], tally_text *out,
                             tally_problem *problem);
void tally_text_final(const tally_format *format, tally_text *text);

/* Makes a whole format with the functions of TALLY_TEXT_FUNCTIONS. */
tally_status tally_text_make(tally_format *format, const tally_text_settings *settings,
                             tally_problem *problem);

/* The domain of the shortest valid value, and that of a value. */
tally_domain tally_text_smallest(const tally_text *text);
tally_domain tally_text_domain(const tally_text *text, const uint8_t *value, size_t size);

/* The byte of a value at fault, or SIZE_MAX. A byte `mark` stands for the delimiter, if it is not
 * 0. */
size_t tally_text_place(const tally_text *text, tally_reason reason, const uint8_t *value,
                        size_t size, uint8_t mark);

/* Runs a column. values[0] receives its first byte; `values` may be where that is (in place). */
tally_status tally_text_run(const tally_text *text, tally_run *run, const tally_strings *column,
                            const tally_strings *row_tweaks, uint8_t *values, uint8_t *status);

/* The same for a shape. */
tally_status tally_text_run_shape(const tally_shape *shape, tally_run *run,
                                  const tally_strings *column, const tally_strings *row_tweaks,
                                  uint8_t *values, uint8_t *status);

/* Runs a value in place, with the row's tweak of `one`. */
tally_status tally_text_run_value(const tally_text *text, tally_run *run, const tally_one *one,
                                  uint8_t *value, size_t size, tally_reason *reason);

/* The functions of a class whose formats tally_text_make makes. */
void tally_text_destroy(tally_format *format);
tally_status tally_text_column_of(const tally_format *format, tally_run *run,
                                  tally_text_column *column);
tally_status tally_text_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_text_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                          tally_domain *out);
uint64_t tally_text_work(const tally_format *format, size_t size);
size_t tally_text_place_of_fault(const tally_format *format, tally_reason reason,
                                 const uint8_t *value, size_t size);

/* Makes a preset, by the format's name; options are found by name. */
tally_status tally_text_preset_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem);

/* Refuses options of a preset that differ from their defaults, since they can't go with `option`. */
tally_status tally_text_preset_refuse_changed(const tally_format *format,
                                              const tally_option_value *values, const char *option,
                                              tally_problem *problem);

/* The options that presets share, which end a table. */
#define TALLY_TEXT_COMMON                                                                                \
    {"separators", TALLY_OPTION_TEXT, 0, NULL}, {"keep_first", TALLY_OPTION_WHOLE, 0, NULL},       \
        {"keep_last", TALLY_OPTION_WHOLE, 0, NULL},                                                \
        {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL},                                          \
        {"min_length", TALLY_OPTION_WHOLE, 0, NULL}, {"max_length", TALLY_OPTION_WHOLE, 0, NULL},  \
        {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},                                      \
    {                                                                                              \
        NULL, TALLY_OPTION_TEXT, 0, NULL                                                           \
    }

#define TALLY_TEXT_FUNCTIONS                                                                       \
    .destroy = tally_text_destroy, .text = tally_text_column_of, .one = tally_text_one,            \
    .domain_of = tally_text_domain_of, .work = tally_text_work,                                    \
    .place_of_fault = tally_text_place_of_fault

#endif

enum {
    EMAIL_MARK = '=',         /* stands for the @ of the value, so no value may have it */
    EMAIL_DOMAIN = 253,       /* bytes of a domain, at most */
    EMAIL_LABEL = 63,         /* of a label */
    EMAIL_SLACK = 32,         /* bytes that a copy may read and write beyond its end */
    EMAIL_SCRATCH_VALUES = 0, /* addresses of a block, */
    EMAIL_SCRATCH_OFFSETS,    /* their offsets, */
    EMAIL_SCRATCH_VALIDITY    /* and which rows have one */
};

typedef struct email_format {
    tally_text text;                             /* first: the functions of text get it */
    size_t end_size;                             /* 0: tokens have no domain of their own */
    uint8_t end[EMAIL_DOMAIN + 1 + EMAIL_SLACK]; /* @ and the domain */
} email_format;

static const char *const email_parts[] = {"local", "all", NULL};
static const char *const email_cases[] = {"lower", "mixed", NULL};

enum { EMAIL_PART, EMAIL_CASE, EMAIL_AT, EMAIL_KEPT, EMAIL_TINY };

static const tally_option email_options[] = {
    {"part", TALLY_OPTION_CHOICE, 0, email_parts},
    {"case", TALLY_OPTION_CHOICE, 0, email_cases},
    {"at", TALLY_OPTION_TEXT, 0, NULL},
    {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

static int email_is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static int email_is_domain(const char *domain, size_t size)
{
    size_t start = 0;
    if (size == 0 || size > EMAIL_DOMAIN) {
        return 0;
    }
    for (size_t i = 0; i <= size; i++) {
        if (i < size && domain[i] != '.') {
            if (!email_is_alphanumeric(domain[i]) && domain[i] != '-') {
                return 0;
            }
            continue;
        }
        if (i == start || i - start > EMAIL_LABEL || domain[start] == '-' || domain[i - 1] == '-') {
            return 0;
        }
        start = i + 1;
    }
    return 1;
}

static int email_ends(const char *domain, size_t size, const char *end)
{
    const size_t own = strlen(end);
    return size >= own && memcmp(domain + size - own, end, own) == 0;
}

/* Whether a domain belongs to nobody (RFC 2606, RFC 6761): one in .invalid, .example or .test, or
 * example.com, .net or .org, or one below them. */
static int email_is_reserved(const char *domain, size_t size)
{
    static const char *const tops[] = {".invalid", ".example", ".test"};
    static const char *const names[] = {".example.com", ".example.net", ".example.org"};
    for (size_t i = 0; i < 3; i++) {
        if ((email_ends(domain, size, tops[i]) && size > strlen(tops[i])) ||
            email_ends(domain, size, names[i]) ||
            (size + 1 == strlen(names[i]) && memcmp(domain, names[i] + 1, size) == 0)) {
            return 1;
        }
    }
    return 0;
}

static void email_destroy(tally_format *format)
{
    tally_text_final(format, format->own);
}

/* The identity of tokens at a domain: that of text behind the name and the domain. */
static tally_status email_identify(tally_format *format, const char *at, size_t size,
                                   const char *text)
{
    char identity[TALLY_TEXT_IDENTITY + EMAIL_DOMAIN + 16];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"email\",");
    tally_write_json(&out, at, size);
    tally_write_char(&out, ',');
    tally_write(&out, text + 1);
    return tally_format_identify(format, identity, out.size);
}

static tally_status email_make(tally_format *format, const tally_option_value *values,
                               tally_problem *problem)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char separators[] = ".!#$%&'*+/?^_`{|}~-=";
    const tally_option_value *at = &values[EMAIL_AT];
    const int all = values[EMAIL_PART].integer == 1, mixed = values[EMAIL_CASE].integer == 1;
    if (at->given && !all) {
        return tally_format_refuse(format, problem, "at", "at needs part = 'all'");
    }
    if (at->given &&
        !(email_is_domain(at->text, at->size) && email_is_reserved(at->text, at->size))) {
        return tally_format_refuse(
            format, problem, "at",
            "at must be a reserved domain in lower case, such as 'tokens.invalid': in .invalid, "
            ".example or .test, or example.com, example.net or example.org");
    }
    email_format *email = tally_format_own(format, sizeof *email);
    if (email == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = values[EMAIL_TINY].integer != 0;
    const tally_text_settings settings = {
        .alphabet = {digits, mixed ? 62 : 36},
        .separators = {separators, sizeof separators - 1 - (at->given != 0)},
        .delimiter = {"@", 1},
        .keep_after_delimiter = !all,
        .kept_as_tweak = !values[EMAIL_KEPT].given || values[EMAIL_KEPT].integer != 0,
        .max_length = TALLY_TEXT_USUAL_SYMBOLS,
    };
    char identity[TALLY_TEXT_IDENTITY];
    const tally_status status = tally_text_init(format, &settings, identity, &email->text, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (at->given) {
        email->end_size = at->size + 1;
        email->end[0] = '@';
        memcpy(email->end + 1, at->text, at->size);
    }
    format->smallest = tally_text_smallest(&email->text);
    format->keeps_size = !at->given;
    format->example[0] = "jane.doe+news@example.org";
    return at->given ? email_identify(format, at->text, at->size, identity)
                     : tally_format_identify(format, identity, strlen(identity));
}

static void email_replace(uint8_t *bytes, uint64_t size, uint8_t from, uint8_t to)
{
    uint64_t i = 0;
    for (; size - i >= EMAIL_SLACK; i += EMAIL_SLACK) { /* a fixed number, for vectors */
        for (uint64_t k = 0; k < EMAIL_SLACK; k++) {
            bytes[i + k] = bytes[i + k] == from ? to : bytes[i + k];
        }
    }
    for (; i < size; i++) {
        bytes[i] = bytes[i] == from ? to : bytes[i];
    }
}

/* Copies text; both have EMAIL_SLACK bytes more. */
static inline void email_copy(uint8_t *to, const uint8_t *from, size_t size)
{
    memcpy(to, from, EMAIL_SLACK);
    if (size > EMAIL_SLACK) {
        memcpy(to + EMAIL_SLACK, from + EMAIL_SLACK, size - EMAIL_SLACK);
    }
}

static int email_has_end(const email_format *email, const uint8_t *value, size_t size)
{
    return size >= email->end_size &&
           memcmp(value + size - email->end_size, email->end, email->end_size) == 0;
}

/* Rows of a column that are worked on together. */
typedef struct email_block {
    const email_format *email;
    tally_strings rows;    /* of the column */
    const uint64_t *start; /* row i is at start[i] .. start[i + 1] of its values */
    const tally_strings *row_tweaks;
    uint8_t *status;
    tally_text_out *out;
} email_block;

/* Ends a row whose text is at `from`, with `end_size` bytes behind it. */
static inline void email_put(tally_text_out *out, const uint8_t *from, size_t size,
                             const uint8_t *end, size_t end_size)
{
    uint8_t *to = out->values + out->size;
    email_copy(to, from, size);
    if (end_size != 0) {
        email_copy(to + size, end, end_size);
    }
    tally_text_out_end(out, size + end_size);
}

/* Writes the rows of a block: those from `done`, where row i is at place[i] .. place[i + 1], and
 * those that stay as they were. */
static tally_status email_write(const email_block *block, const uint8_t *done,
                                const uint64_t *place, const uint8_t *end, size_t end_size)
{
    const uint64_t rows = block->rows.rows, first = block->start[0], *start = block->start;
    const uint64_t most = start[rows] - first + rows * end_size + 2 * EMAIL_SLACK;
    if (tally_text_out_reserve(block->out, most) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    tally_text_out out = *block->out; /* one that no byte written can be a part of */
    for (uint64_t i = 0; i < rows; i++) {
        if (tally_row_is_null(&block->rows, i)) {
            tally_text_out_end(&out, 0);
        } else if (block->status[i] == 0) {
            email_put(&out, done + (place[i] - place[0]), (size_t)(place[i + 1] - place[i]), end,
                      end_size);
        } else {
            const size_t size = (size_t)(start[i + 1] - start[i]);
            if (size != 0) {
                memcpy(out.values + out.size, block->rows.values + start[i], size);
            }
            tally_text_out_end(&out, size);
        }
    }
    *block->out = out;
    return TALLY_OK;
}

static tally_status email_protect_block(tally_run *run, const email_block *block)
{
    const email_format *email = block->email;
    const uint64_t size = block->start[block->rows.rows] - block->start[0];
    uint8_t *done = run->scratch(run, EMAIL_SCRATCH_VALUES, (size_t)size + EMAIL_SLACK);
    if (done == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status =
        tally_text_run(&email->text, run, &block->rows, block->row_tweaks, done, block->status);
    if (status != TALLY_OK) {
        return status;
    }
    email_replace(done, size, '@', EMAIL_MARK);
    return email_write(block, done, block->start, email->end, email->end_size);
}

static tally_status email_reveal_block(tally_run *run, const email_block *block)
{
    const email_format *email = block->email;
    const uint64_t rows = block->rows.rows, *start = block->start;
    const uint64_t size = start[rows] - start[0];
    uint8_t *local = run->scratch(run, EMAIL_SCRATCH_VALUES, (size_t)size + 2 * EMAIL_SLACK);
    uint64_t *place = run->scratch(run, EMAIL_SCRATCH_OFFSETS, (size_t)(rows + 1) * 8);
    uint8_t *valid = run->scratch(run, EMAIL_SCRATCH_VALIDITY, (size_t)rows / 8 + 1);
    if (local == NULL || place == NULL || valid == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(valid, 0, (size_t)rows / 8 + 1);
    place[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint8_t *value = block->rows.values + start[i];
        const size_t whole = (size_t)(start[i + 1] - start[i]);
        place[i + 1] = place[i];
        if (tally_row_is_null(&block->rows, i) || !email_has_end(email, value, whole)) {
            continue;
        }
        const size_t own = whole - email->end_size;
        if (start[rows] - start[i] >= EMAIL_SLACK) {
            email_copy(local + place[i], value, own);
        } else {
            memcpy(local + place[i], value, own);
        }
        place[i + 1] += own;
        valid[i / 8] |= (uint8_t)(1 << (i % 8));
    }
    email_replace(local, place[rows], EMAIL_MARK, '@');
    const tally_strings column = {
        .offsets = place, .offset_size = 8, .validity = valid, .values = local, .rows = rows};
    const tally_status status =
        tally_text_run(&email->text, run, &column, block->row_tweaks, local, block->status);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < rows; i++) {
        if ((valid[i / 8] >> (i % 8) & 1) == 0 && !tally_row_is_null(&block->rows, i)) {
            block->status[i] = TALLY_REASON_NOTATION;
        }
    }
    return email_write(block, local, place, NULL, 0);
}

static tally_status email_text(const tally_format *format, tally_run *run,
                               tally_text_column *column)
{
    const email_format *email = format->own;
    if (email->end_size == 0) {
        return tally_text_column_of(format, run, column);
    }
    uint64_t start[TALLY_BLOCK_ROWS + 1], common;
    tally_strings_reader reader;
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < column->in.rows; first += TALLY_BLOCK_ROWS) {
        const uint64_t left = column->in.rows - first,
                       rows = left < TALLY_BLOCK_ROWS ? left : TALLY_BLOCK_ROWS;
        tally_strings tweaks;
        if (!tally_strings_read(&reader, (size_t)rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, first, rows);
        }
        const email_block block = {
            .email = email,
            .rows = tally_strings_slice(&column->in, first, rows),
            .start = start,
            .row_tweaks = run->row_tweaks != NULL ? &tweaks : NULL,
            .status = column->status + first,
            .out = column->out,
        };
        const tally_status status = run->direction == TALLY_ENCRYPT
                                        ? email_protect_block(run, &block)
                                        : email_reveal_block(run, &block);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status email_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const email_format *email = format->own;
    if (email->end_size == 0) {
        return tally_text_one(format, run, one);
    }
    const int protects = run->direction == TALLY_ENCRYPT;
    size_t size = one->size;
    if (!protects) {
        if (!email_has_end(email, one->value, size)) {
            one->reason = TALLY_REASON_NOTATION;
            return TALLY_OK;
        }
        size -= email->end_size;
    }
    one->out_size = protects ? size + email->end_size : size;
    if (one->out_size > one->room) {
        return TALLY_ERROR_ROOM;
    }
    if (size != 0) {
        memcpy(one->out, one->value, size);
    }
    if (!protects) {
        email_replace(one->out, size, EMAIL_MARK, '@');
    }
    const tally_status status =
        tally_text_run_value(&email->text, run, one, one->out, size, &one->reason);
    if (protects && status == TALLY_OK) {
        email_replace(one->out, size, '@', EMAIL_MARK);
        memcpy(one->out + size, email->end, email->end_size);
    }
    return status;
}

static size_t email_place_of_fault(const tally_format *format, tally_reason reason,
                                   const uint8_t *value, size_t size)
{
    const email_format *email = format->own;
    const int is_token = email->end_size != 0 && email_has_end(email, value, size);
    return tally_text_place(&email->text, reason, value, is_token ? size - email->end_size : size,
                            is_token ? EMAIL_MARK : 0);
}

const tally_format_class tally_format_email = {
    .name = "email",
    .options = email_options,
    .make = email_make,
    .destroy = email_destroy,
    .text = email_text,
    .one = email_one,
    .domain_of = tally_text_domain_of,
    .work = tally_text_work,
    .place_of_fault = email_place_of_fault,
};

/* ---- core/formats/format.c ---- */
/*
 * Formats from their descriptions, and what all of them have. */

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

/* ---- core/unicode/unicode.h ---- */
/*
 * Text as code points: Unicode normal form C, and the class of a character in messages. The
 * tables are of the Unicode version that tables.c names. Code points that this version does not
 * assign are of the class "other", and stay as they are in NFC. */
#ifndef TALLY_UNICODE_UNICODE_H
#define TALLY_UNICODE_UNICODE_H

enum { TALLY_UNICODE_LAST = 0x10FFFF };

/* Whether text is in Unicode normal form C. If it is not, *place is the byte where the character
 * begins with which it ceases to be: the text before that character is in NFC, with it no longer.
 * If it is, *place is `size`. `place` may be NULL. Each byte that is not part of UTF-8 counts as a
 * character that NFC leaves as it is. Takes memory and time for each character that do not grow
 * with the text. */
bool tally_is_nfc(const uint8_t *text, size_t size, size_t *place);

/* The canonical combining class of a code point: 0 unless it is a combining mark. */
uint8_t tally_combining_class(uint32_t point);

/* The class of a code point, as messages name it. */
tally_character tally_character_class(uint32_t point);

#endif

const char *tally_reason_text(tally_reason reason)
{
    static const char *const texts[TALLY_REASONS] = {
        [TALLY_REASON_NONE] = "it is valid",
        [TALLY_REASON_SHORT] = "it has too few symbols to encrypt",
        [TALLY_REASON_LONG] = "it has more symbols than the format allows (max_length)",
        [TALLY_REASON_FOREIGN] = "it has a character that the format does not allow there",
        [TALLY_REASON_DELIMITER] = "its delimiter is missing or repeated",
        [TALLY_REASON_CHECK] = "its check digit is wrong",
        [TALLY_REASON_TWEAK] = "its tweak is null or too long",
        [TALLY_REASON_NOTATION] = "it is not written in the format's notation",
        [TALLY_REASON_RANGE] = "it is outside the format's range",
        [TALLY_REASON_NORMAL] = "it is not in Unicode normal form NFC",
    };
    return (unsigned)reason < TALLY_REASONS ? texts[reason] : "it is invalid";
}

static size_t format_count(void)
{
    size_t count = 0;
    while (tally_format_classes[count] != NULL) {
        count++;
    }
    return count;
}

const char *tally_format_name_at(size_t index)
{
    return index < format_count() ? tally_format_classes[index]->name : NULL;
}

const tally_allocator *tally_format_allocator(const tally_format *format)
{
    return format->has_allocator ? &format->allocator : NULL;
}

void *tally_format_own(tally_format *format, size_t size)
{
    format->own = tally_allocate(tally_format_allocator(format), size);
    if (format->own != NULL) {
        memset(format->own, 0, size);
        format->own_size = size;
    }
    return format->own;
}

tally_status tally_format_identify(tally_format *format, const char *identity, size_t size)
{
    format->identity = tally_allocate(tally_format_allocator(format), size + 1);
    if (format->identity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memcpy(format->identity, identity, size);
    format->identity[size] = '\0';
    return TALLY_OK;
}

void tally_format_refusal(const tally_format *format, tally_problem *problem, const char *option,
                          tally_writer *out)
{
    tally_writer_problem(out, problem);
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    if (option != NULL) {
        tally_write(&place, option);
    }
    tally_write(out, format->of->name);
    tally_write(out, ": ");
}

tally_status tally_format_refuse(const tally_format *format, tally_problem *problem,
                                 const char *option, const char *text)
{
    tally_writer out;
    tally_format_refusal(format, problem, option, &out);
    tally_write(&out, text);
    return TALLY_ERROR_FORMAT;
}

tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem)
{
    const tally_domain *smallest = &format->smallest;
    if (!smallest->known || smallest->size >= TALLY_SMALLEST_DOMAIN || format->allow_tiny_domain) {
        return TALLY_OK;
    }
    tally_writer out;
    tally_format_refusal(format, problem, NULL, &out);
    tally_write(&out, "the smallest domain has only ");
    tally_write_uint(&out, smallest->size);
    tally_write(&out, " values, so anyone who can protect values can compute all its tokens; widen "
                      "the format, or set allow_tiny_domain = true");
    return TALLY_ERROR_FORMAT;
}

tally_domain tally_domain_of_words(uint32_t radix, uint64_t length)
{
    tally_domain domain = {.size = 1, .known = 1};
    for (uint64_t i = 0; i < length; i++) {
        if (domain.size > UINT64_MAX / radix) {
            domain.size = UINT64_MAX;
            break;
        }
        domain.size *= radix;
    }
    return domain;
}

tally_domain tally_domain_of_size(uint64_t size)
{
    return (tally_domain){.size = size, .known = 1};
}

uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks)
{
    tally_fast_params params;
    if (length > TALLY_FAST_MAX_LENGTH) {
        length = TALLY_FAST_MAX_LENGTH;
    }
    if (length < TALLY_FAST_MIN_LENGTH) {
        length = TALLY_FAST_MIN_LENGTH;
    }
    if (tally_fast_recommended(TALLY_FAST, radix, (uint32_t)length, &params) != TALLY_OK) {
        return 0;
    }
    return walks ? (uint64_t)params.layers * 5 / 4 : params.layers;
}

/* The place in messages of an option that was not read yet. */
static tally_status format_unknown(const char *name, size_t size, tally_problem *problem)
{
    const char *names[TALLY_FORMATS_MOST];
    const size_t count = format_count();
    for (size_t i = 0; i < count; i++) {
        names[i] = tally_format_classes[i]->name;
    }
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, "there is no format ");
    tally_write_repr(&out, name, size);
    tally_write_instead(&out, name, size, names, count);
    return TALLY_ERROR_FORMAT;
}

static tally_status format_nameless(tally_problem *problem)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, "must be the name of a format: ");
    for (size_t i = 0; tally_format_classes[i] != NULL; i++) {
        tally_write(&out, i == 0 ? "" : ", ");
        tally_write(&out, tally_format_classes[i]->name);
    }
    return TALLY_ERROR_FORMAT;
}

static const tally_format_class *format_class(const char *name, size_t size)
{
    for (size_t i = 0; tally_format_classes[i] != NULL; i++) {
        const char *known = tally_format_classes[i]->name;
        if (strlen(known) == size && memcmp(known, name, size) == 0) {
            return tally_format_classes[i];
        }
    }
    return NULL;
}

static tally_status format_make(const tally_allocator *allocator, const tally_format_class *of,
                                const tally_option_value *values, tally_format **out,
                                tally_problem *problem)
{
    tally_format *format = tally_allocate(allocator, sizeof *format);
    if (format == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(format, 0, sizeof *format);
    format->of = of;
    if (allocator != NULL) {
        format->allocator = *allocator;
        format->has_allocator = 1;
    }
    format->keyed = 1;
    const tally_status status = of->make(format, values, problem);
    if (status != TALLY_OK) {
        tally_format_free(format);
        return status;
    }
    *out = format;
    return TALLY_OK;
}

/* A refusal names an option that was given: the only one, or else none if it was not. */
static void format_blame_given(const tally_json *options, tally_problem *problem)
{
    const tally_json *only = NULL;
    size_t given = 0;
    for (const tally_json *one = options != NULL ? options->first : NULL; one != NULL;
         one = one->next) {
        if (tally_json_key_is(one, problem->place)) {
            return;
        }
        if (!tally_json_key_is(one, "type")) {
            only = one;
            given++;
        }
    }
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    if (given == 1) {
        tally_write_path(&place, only->key, only->key_size);
    }
}

/* Names the one option without which there would be a format, if there is one. */
static void format_blame(const tally_allocator *allocator, const tally_format_class *of,
                         const tally_json *object, tally_option_value *values,
                         tally_problem *problem)
{
    const char *blamed = NULL;
    tally_problem other;
    for (size_t i = 0; of->options[i].name != NULL; i++) {
        if (!values[i].given || of->options[i].required) {
            continue;
        }
        const tally_option_value given = values[i];
        tally_format *format;
        values[i] = (tally_option_value){0};
        if (format_make(allocator, of, values, &format, &other) == TALLY_OK) {
            tally_format_free(format);
            if (blamed != NULL) {
                blamed = NULL;
                break;
            }
            blamed = of->options[i].name;
        }
        values[i] = given;
    }
    if (blamed != NULL) {
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, blamed);
    } else {
        format_blame_given(object, problem);
    }
}

tally_status tally_format_from_json(const tally_allocator *allocator, const tally_json *description,
                                    tally_format **out, tally_problem *problem)
{
    *out = NULL;
    const tally_json *name = description, *options = NULL;
    if (description->kind == TALLY_JSON_OBJECT) {
        options = description;
        name = tally_json_member(description, "type");
    }
    if (name == NULL || name->kind != TALLY_JSON_TEXT) {
        const tally_status status = format_nameless(problem);
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, options != NULL ? "type" : "");
        return status;
    }
    const tally_format_class *of = format_class(name->text, name->size);
    if (of == NULL) {
        const tally_status status = format_unknown(name->text, name->size, problem);
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, options != NULL ? "type" : "");
        return status;
    }
    tally_option_value values[TALLY_OPTIONS] = {{0}};
    if (!tally_options_read(of->options, options, values, problem)) {
        return TALLY_ERROR_FORMAT;
    }
    const tally_status status = format_make(allocator, of, values, out, problem);
    if (status == TALLY_ERROR_FORMAT) {
        format_blame(allocator, of, options, values, problem);
    }
    return status;
}

tally_status tally_format_new(const tally_allocator *allocator, const char *description,
                              size_t size, tally_format **out, tally_problem *problem)
{
    *out = NULL;
    tally_json_document document;
    tally_status status = tally_json_parse(allocator, description, size, &document, problem);
    if (status != TALLY_OK) {
        return status == TALLY_ERROR_MEMORY ? status : TALLY_ERROR_FORMAT;
    }
    status = tally_format_from_json(allocator, document.root, out, problem);
    tally_json_free(&document);
    return status;
}

void tally_format_free(tally_format *format)
{
    if (format == NULL) {
        return;
    }
    const tally_allocator allocator = format->allocator;
    const int has_allocator = format->has_allocator;
    if (format->own != NULL && format->of->destroy != NULL) {
        format->of->destroy(format);
    }
    if (format->own_size != 0) {
        tally_release(tally_format_allocator(format), format->own, format->own_size);
    }
    if (format->identity != NULL) {
        tally_release(tally_format_allocator(format), format->identity,
                      strlen(format->identity) + 1);
    }
    tally_release(has_allocator ? &allocator : NULL, format, sizeof *format);
}

const char *tally_format_name(const tally_format *format)
{
    return format->of->name;
}

const char *tally_format_identity(const tally_format *format)
{
    return format->identity;
}

int tally_format_is_one_way(const tally_format *format)
{
    return format->one_way;
}

int tally_format_is_keyed(const tally_format *format)
{
    return format->keyed;
}

int tally_format_may_be_formula(const tally_format *format)
{
    return format->may_be_formula;
}

int tally_format_needs_tweak(const tally_format *format)
{
    return format->needs_tweak;
}

int tally_format_forbids_keep(const tally_format *format)
{
    return format->forbids_keep;
}

uint64_t tally_format_work(const tally_format *format, size_t size)
{
    return format->of->work != NULL ? format->of->work(format, size) : format->work;
}

const char *tally_format_example(const tally_format *format, size_t index)
{
    return index < TALLY_EXAMPLES ? format->example[index] : NULL;
}

void tally_format_smallest_domain(const tally_format *format, tally_domain *out)
{
    *out = format->smallest;
}

void tally_format_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                            tally_domain *out)
{
    if (format->of->domain_of != NULL) {
        format->of->domain_of(format, value, size, out);
    } else {
        *out = format->smallest;
    }
}

tally_status tally_format_takes_read(const tally_format *format, const char *type,
                                     const tally_arrow_type *read, tally_problem *problem)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    if (format->of->takes != NULL) {
        if (format->of->takes(format, type, read, &out)) {
            return TALLY_OK;
        }
    } else if (read->kind == TALLY_ARROW_TEXT) {
        return TALLY_OK;
    }
    if (out.size == 0) {
        tally_format_refuse_type(format, type, read, &out);
    }
    return TALLY_ERROR_TYPE;
}

tally_status tally_format_takes(const tally_format *format, const char *type,
                                tally_problem *problem)
{
    tally_arrow_type read;
    (void)tally_arrow_type_read(type, &read);
    return tally_format_takes_read(format, type, &read, problem);
}

void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out)
{
    char name[96];
    tally_arrow_type_name(type, name, sizeof name);
    tally_write(out, "format ");
    tally_write_repr(out, format->of->name, strlen(format->of->name));
    tally_write(out, " can't be used for a column of type ");
    tally_write(out, name);
    if (format->one_way) {
        tally_write(out, "; convert it to text");
    } else if (read->kind == TALLY_ARROW_INTEGER) {
        tally_write(out, "; use the format 'integer', or convert the column to text");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        tally_write(out, "; use the format 'decimal' or 'integer', or convert the column to text");
    } else if (read->kind == TALLY_ARROW_FLOAT) {
        tally_write(out, "; no format takes this type: convert the column to text, integers or "
                         "decimals");
    }
}

/* The reasons for which a character may be at fault: that for a check digit if it is none. */
static int format_may_place(tally_reason reason)
{
    return reason == TALLY_REASON_FOREIGN || reason == TALLY_REASON_DELIMITER ||
           reason == TALLY_REASON_CHECK || reason == TALLY_REASON_NOTATION ||
           reason == TALLY_REASON_NORMAL;
}

void tally_format_explain(const tally_format *format, const uint8_t *value, size_t size,
                          tally_reason reason, tally_fault *out)
{
    *out = (tally_fault){.reason = reason};
    if (!format_may_place(reason)) {
        return;
    }
    size_t place = SIZE_MAX;
    if (format->of->place_of_fault != NULL) {
        place = format->of->place_of_fault(format, reason, value, size);
    }
    const char *text = (const char *)value;
    uint64_t position = 0;
    for (size_t at = 0; at < size;) {
        const size_t begin = at;
        const uint32_t point = tally_utf8_next(text, size, &at);
        position++;
        /* A byte that is not UTF-8 is at fault where the format found nothing else. */
        const int broken = point >= 0xdc80 && point <= 0xdcff && at == begin + 1;
        if (place == SIZE_MAX ? broken : place < at) {
            out->position = position;
            out->character = broken ? TALLY_CHARACTER_OTHER : tally_character_class(point);
            return;
        }
    }
}

/* ---- core/formats/iban.c ---- */
/*
 * The format "iban" (ISO 13616): the account changes, the country stays, the check digits are
 * right. Check digits inside the account part, which some countries have, are encrypted like its
 * other digits. */

/* ---- core/formats/layouts_lanes.h ---- */
/*
 * Blocks of values of one layout: characters become digits, digits become characters. A block has
 * the character of place p of row i at text[p * TALLY_LAYOUT_ROWS + i]. */
#ifndef TALLY_FORMATS_LAYOUTS_LANES_H
#define TALLY_FORMATS_LAYOUTS_LANES_H

/* ---- core/formats/layouts.h ---- */
/*
 * Layouts: how values of one width are made of characters that stay, fields that change and check
 * characters (docs/reference/tokens.md, "Layouts"). A format has one or more of them. A value has
 * at most one, and its token has the same.
 *
 * Rows are worked on in blocks of 64 with the characters of a place side by side. */
#ifndef TALLY_FORMATS_LAYOUTS_H
#define TALLY_FORMATS_LAYOUTS_H

/* ---- core/numbers/mixed.h ---- */
/*
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

enum {
    TALLY_MIXED_MAX_POSITIONS = 64,
    TALLY_MIXED_MAX_SIZE = 65536,
    TALLY_MIXED_MAX_LENGTH = 32,                    /* symbols of a word, at most */
    TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2, /* of 16 bits */
    TALLY_MIXED_WIDE = 35,                          /* bits of a wide limb */
    TALLY_MIXED_RUNS = 31, /* at most: two neighbours multiply to more than 2^16 */
    TALLY_MIXED_ROWS = 64  /* rows of a block, side by side */
};

/* Numbers of mixed radix: position i holds a digit below sizes[i], most significant first. They
 * represent 0 .. N - 1, where N, the product of the sizes, is 2..2^256. */
typedef struct tally_mixed {
    const uint32_t *sizes; /* 1..TALLY_MIXED_MAX_SIZE each */
    uint32_t positions;    /* 1..TALLY_MIXED_MAX_POSITIONS */
} tally_mixed;

/* How numbers of 16 bits are divided by one of 2..2^16, by products: the upper half h of x *
 * inverse, or of 16 bits more, (x - h) / 2 + h, shifted. */
typedef struct tally_mixed_divisor {
    uint16_t inverse;
    uint8_t shift, is_longer; /* whether the inverse has 17 bits, of which the first is not there */
} tally_mixed_divisor;

/* Neighbouring positions whose sizes multiply to at most 2^16: one digit of the long arithmetic. The
 * quotient of 35 bits behind a rest: the bits from 52 on of x * inverse, shifted. */
typedef struct tally_mixed_run {
    uint64_t inverse;
    uint32_t size;
    uint8_t shift;
    uint8_t top; /* the highest bit of what its positions and those before it can hold */
    uint8_t first, positions;
} tally_mixed_run;

/* What follows from the sizes. Formats have many of them, so it is small. Words that carry the
 * numbers have the least length from 2 on with 256^length >= N, then the least radix from 4 on with
 * radix^length >= N: the rule of tally_fast_range_params for any N. */
typedef struct tally_mixed_plan {
    uint16_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, pairs;    /* symbols are worked on two by two */
    uint32_t positions, sizes[TALLY_MIXED_MAX_POSITIONS];
    uint32_t runs;
    tally_mixed_divisor by_size[TALLY_MIXED_MAX_POSITIONS], by_radix;
    tally_mixed_run run[TALLY_MIXED_RUNS], pair; /* of symbols, of which the size is used */
    uint8_t reach[TALLY_MIXED_LIMBS]; /* the highest bit of what the symbols of pairs 0..i can be */
} tally_mixed_plan;

/* The digits of a block: those of a position side by side. */
typedef uint16_t tally_mixed_digits[TALLY_MIXED_MAX_POSITIONS][TALLY_MIXED_ROWS];

typedef struct tally_mixed_lanes {
    tally_backend backend;
    /* The numbers of `rows` rows, 1..TALLY_MIXED_ROWS, become words: symbol s of row i goes to
     * symbols[s * stride + i]. All rows up to TALLY_MIXED_ROWS may be read and written. */
    void (*write)(const tally_mixed_plan *plan, tally_mixed_digits digits, size_t rows,
                  uint8_t *symbols, size_t stride);
    /* The inverse. outside[i] is 1 if word i is no number of the plan, and its digits are 0. */
    void (*read)(const tally_mixed_plan *plan, const uint8_t *symbols, size_t stride, size_t rows,
                 tally_mixed_digits digits, uint8_t outside[TALLY_MIXED_ROWS]);
} tally_mixed_lanes;

/* TALLY_ERROR_ARGUMENT: a field is outside its range, or N is 1. TALLY_ERROR_LENGTH: N is above
 * 2^256. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

/* The fastest back end for the CPU features in use. */
const tally_mixed_lanes *tally_mixed_lanes_choose(void);

extern const tally_mixed_lanes tally_mixed_ifma, tally_mixed_avx512, tally_mixed_avx2,
    tally_mixed_portable;

#endif

enum {
    TALLY_LAYOUTS = 256,      /* of a pattern, at most */
    TALLY_LAYOUT_WIDTH = 256, /* characters of a value, at most */
    TALLY_LAYOUT_CHECKS = 2,
    TALLY_LAYOUT_ROWS = TALLY_MIXED_ROWS,
    TALLY_LAYOUT_RANGES = 48, /* of a set of printable characters, at most */
    TALLY_LAYOUT_PLANS = 64,
    TALLY_LIST_WIDTH = 8,
    TALLY_LIST_TAIL = 3 /* characters at the end of a list's texts, at most */
};

/* Characters first .. first + count - 1, which have the digits from `base` on. */
typedef struct tally_layout_range {
    uint8_t first, count, base;
} tally_layout_range;

/* A set of printable ASCII characters, as bits. */
typedef struct tally_characters {
    uint64_t bits[2];
} tally_characters;

/* The texts of a field of several characters, in the order of their bytes. A text is a head, which
 * has a number, and a tail of at most three characters, which the head's set of tails has. */
typedef struct tally_list {
    uint8_t code[TALLY_LIST_WIDTH][256]; /* the number of a character among those of its place;
                                          * 0xff: none */
    uint16_t codes[TALLY_LIST_WIDTH];
    uint32_t head;       /* characters of a head */
    uint32_t heads;      /* how many */
    uint32_t tails;      /* combinations of characters of a tail */
    uint16_t *head_of;   /* by a head's codes: its number plus one, or 0 */
    uint32_t *first;     /* of heads + 1: the digit of a head's first text */
    uint8_t *head_text;  /* TALLY_LIST_WIDTH bytes a head */
    uint8_t *set_of;     /* the set of a head's tails */
    uint16_t *offset_of; /* by set and a tail's codes: its place in the set plus one, or 0 */
    uint8_t *tail_text;  /* by set and place: TALLY_LIST_TAIL bytes */
    uint16_t *head_at;   /* by digit / 16: the head of digit - digit % 16 */
} tally_list;

/* Some of the numbers 000 to 999. */
typedef struct tally_prefixes {
    uint16_t digit[1000]; /* of a number; 0xffff: it is none of them */
    uint16_t number[];
} tally_prefixes;

/* What may stand in a field. */
typedef struct tally_choices {
    const struct tally_choices *before; /* made before them */
    uint32_t size;                      /* how many, at most 65535 */
    uint32_t width;                     /* characters of each */
    uint32_t ranges;
    tally_layout_range range[TALLY_LAYOUT_RANGES]; /* if the width is 1 */
    tally_characters characters[TALLY_LIST_WIDTH]; /* by place */
    tally_list *list;                              /* if the width is more, */
    tally_prefixes *prefixes;                      /* or instead, for three digits */
} tally_choices;

/* One part of a layout: a literal (the character), choices, or a check character (neither). */
typedef struct tally_layout_part {
    const tally_choices *choices;
    uint8_t literal;
} tally_layout_part;

typedef struct tally_layout_field {
    const tally_choices *choices;
    uint32_t place;
} tally_layout_field;

typedef struct tally_layout_literal {
    uint8_t place, character;
} tally_layout_literal;

typedef struct tally_layout {
    uint32_t width;
    uint32_t literals, fields, checks, symbols;
    const tally_layout_literal *literal;
    const tally_layout_field *field; /* the first weighs most */
    const uint8_t *symbol;           /* the places of all characters of fields */
    uint8_t check[TALLY_LAYOUT_CHECKS];
    uint32_t check_rule; /* a tally_check_rule */
    uint16_t root;       /* TALLY_CHECK_PHONE: of its plan */
    uint16_t in_plan;    /* whether numbers are those of the plan, or those that can be assigned */
    uint32_t kept_size;  /* what of a value is part of its tweak */
    uint8_t kept[32];
    uint64_t size; /* how many values; UINT64_MAX: that many or more */
    const tally_mixed_plan *plan;
    tally_fast_params params;
} tally_layout;

/* Values of one width: which of their layouts it is, which some places decide. */
typedef struct tally_layouts_width {
    uint32_t count; /* layouts */
    uint32_t words; /* of 64 bits that have a bit for each layout */
    uint32_t places;
    const uint16_t *layout;
    const uint8_t *place;
    const uint64_t *possible; /* [places][128][words]: the layouts that allow a character there */
} tally_layouts_width;

/* Memory that is released in one. */
typedef struct tally_arena {
    const tally_allocator *allocator;
    size_t piece; /* bytes that it takes at once; 0: 16 kB */
    struct tally_arena_piece *last;
} tally_arena;

/* `size` zeroed bytes, aligned for any object; NULL: there is no memory. */
void *tally_arena_allocate(tally_arena *arena, size_t size);
void tally_arena_release(tally_arena *arena);

typedef struct tally_layouts {
    tally_arena arena;
    const tally_choices *last;                            /* of one character each */
    const tally_choices *prefixes[TALLY_LAYOUT_PLANS];    /* by a hash */
    struct tally_layouts_plan *plans[TALLY_LAYOUT_PLANS]; /* by a hash of their sizes */
    uint32_t most, count, most_kept;
    tally_layout *layout;                               /* of `most` */
    tally_layouts_width *width[TALLY_LAYOUT_WIDTH + 1]; /* NULL: no value has it */
} tally_layouts;

/* Begins an empty set of at most `most` layouts; NULL: there is no memory. Release it with
 * tally_layouts_free. */
tally_layouts *tally_layouts_new(const tally_allocator *allocator, uint32_t most);
void tally_layouts_free(tally_layouts *layouts);

/* Choices of one character each; equal ones are made once. NULL: there is no memory. */
const tally_choices *tally_layouts_choose(tally_layouts *layouts, tally_characters characters);

/* Choices of texts of one width of 2..8, given in the order of their bytes: text i is the low
 * `width` bytes of texts[i], most significant first. Tails have `tail` characters. NULL: there is
 * no memory, or the texts have too many heads or sets of tails. */
const tally_choices *tally_layouts_list(tally_layouts *layouts, const uint64_t *texts, size_t count,
                                        uint32_t width, uint32_t tail);

/* Choices of three digits: the numbers whose `chosen` is not 0. Equal ones are made once. NULL: there
 * is no memory. */
const tally_choices *tally_layouts_prefixes(tally_layouts *layouts, const uint8_t chosen[1000]);

/* Appends a layout of parts, whose width is at most TALLY_LAYOUT_WIDTH and which has at most
 * TALLY_MIXED_MAX_POSITIONS fields. TALLY_ERROR_MEMORY; TALLY_ERROR_LENGTH: it has no field, too
 * many, or more than 2^256 values. */
tally_status tally_layouts_add(tally_layouts *layouts, const tally_layout_part *parts, size_t count,
                               uint32_t check_rule, const uint8_t *kept, size_t kept_size);

/* Finds two layouts of which a value could be: returns 1 and their numbers, the first pair. */
int tally_layouts_overlap(const tally_layouts *layouts, uint32_t *first, uint32_t *second);

/* Makes what finds a value's layout. TALLY_ERROR_MEMORY. */
tally_status tally_layouts_final(tally_layouts *layouts);

/* Sets the smallest domain and the work of a format with these layouts. */
void tally_layouts_describe(const tally_layouts *layouts, tally_format *format);

/* The functions of a class whose format->own is a tally_layouts. */
tally_status tally_layouts_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_layouts_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_layouts_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                             tally_domain *out);
size_t tally_layouts_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size);
void tally_layouts_destroy(tally_format *format);

static inline int tally_characters_have(const tally_characters *set, uint32_t character)
{
    return character < 128 && (set->bits[character / 64] >> (character % 64) & 1) != 0;
}

static inline void tally_characters_add(tally_characters *set, uint32_t character)
{
    set->bits[character / 64] |= UINT64_C(1) << (character % 64);
}

#endif

/* ---- core/formats/phone_plans.h ---- */
/*
 * Which national numbers there are behind each calling code. */
#ifndef TALLY_FORMATS_PHONE_PLANS_H
#define TALLY_FORMATS_PHONE_PLANS_H

enum {
    TALLY_PHONE_PLANS = 559,
    TALLY_PHONE_REGIONS = 245,
    TALLY_PHONE_DEPTH = 6,  /* digits that say what a number is, at most */
    TALLY_PHONE_DIGITS = 15 /* of a number with its calling code, at most */
};

/* Whether a number is one of its plan: its first digits lead from the plan's root through rows of
 * ten to the row at 10 (it is) or at 0, from which no digit leads away. */
extern const uint16_t tally_phone_nodes[];

/* Returns 1 or 0 for the number whose digits, as characters, are `stride` bytes apart; there are
 * TALLY_PHONE_DEPTH characters. Those that are no digits give any result. */
static inline uint16_t tally_phone_in_plan(uint16_t root, const uint8_t *text, size_t stride)
{
    uint32_t node = root;
    TALLY_UNROLL(6)
    for (size_t i = 0; i < TALLY_PHONE_DEPTH; i++) { /* without a branch on a digit */
        const uint32_t digit = (uint32_t)(text[i * stride] - '0') & 15;
        node = tally_phone_nodes[node + (digit < 10 ? digit : 9)];
    }
    return node != 0;
}

/* The national numbers of one size behind one calling code. Those that are of the plan and those
 * that are not are two classes: class 0 is of the plan, class 1 is not. */
typedef struct tally_phone_plan {
    uint16_t code;
    uint8_t size; /* digits */
    uint8_t zero; /* whether numbers may begin with one 0; else none does, and none with 00 here */
    uint16_t root;
    uint64_t numbers[2];
} tally_phone_plan;

extern const tally_phone_plan tally_phone_plans[TALLY_PHONE_PLANS];

/* A region, by its letters of ISO 3166: its calling code, and what comes before national numbers
 * within it. */
typedef struct tally_phone_region {
    char name[3], trunk[4];
    uint16_t code;
} tally_phone_region;

extern const tally_phone_region tally_phone_regions[TALLY_PHONE_REGIONS];

#endif

/* How check characters follow from the rest, and which values there are. */
typedef enum tally_check_rule {
    TALLY_CHECK_NONE = 0,
    TALLY_CHECK_IBAN,
    TALLY_CHECK_AU_TFN,
    TALLY_CHECK_BR_CNPJ,
    TALLY_CHECK_BR_CPF,
    TALLY_CHECK_LUHN,
    TALLY_CHECK_CH_SSN,
    TALLY_CHECK_DE_IDNR,
    TALLY_CHECK_ES_DNI,
    TALLY_CHECK_ES_NIE,
    TALLY_CHECK_FI_HETU,
    TALLY_CHECK_FR_NIR,
    TALLY_CHECK_GB_NHS,
    TALLY_CHECK_HR_OIB,
    TALLY_CHECK_IN_AADHAAR,
    TALLY_CHECK_IT_CODICEFISCALE,
    TALLY_CHECK_NL_BSN,
    TALLY_CHECK_PL_PESEL,
    TALLY_CHECK_SE_PERSONNUMMER,
    TALLY_CHECK_TR_TCKIMLIK,
    TALLY_CHECK_SSN,  /* no characters: whether the number can be assigned */
    TALLY_CHECK_PHONE /* no characters: whether the number is in the plan, or is not */
} tally_check_rule;

/* The check characters of a block. */
typedef struct tally_layout_checks {
    uint8_t character[TALLY_LAYOUT_CHECKS][TALLY_LAYOUT_ROWS];
    uint8_t invalid[TALLY_LAYOUT_ROWS]; /* not 0: there is no such value */
} tally_layout_checks;

typedef struct tally_layout_lanes {
    tally_backend backend;
    /* Reads `rows` values, 1..TALLY_LAYOUT_ROWS, all of which have the layout's width. status[i]
     * becomes 0, TALLY_REASON_NOTATION or TALLY_REASON_CHECK. All digits fit. Places of all rows up
     * to TALLY_LAYOUT_ROWS may be read and written. */
    void (*read)(const tally_layout *layout, uint8_t *text, size_t rows, tally_mixed_digits digits,
                 uint8_t status[TALLY_LAYOUT_ROWS]);
    /* Finds the rows that a rule of which few numbers are values excludes by their digits. Other
     * rules have none. */
    void (*exclude)(const tally_layout *layout, tally_mixed_digits digits, size_t rows,
                    uint8_t excluded[TALLY_LAYOUT_ROWS]);
    /* Writes values with those digits. invalid[i] becomes 1 if there is none. */
    void (*write)(const tally_layout *layout, tally_mixed_digits digits, size_t rows, uint8_t *text,
                  uint8_t invalid[TALLY_LAYOUT_ROWS]);
} tally_layout_lanes;

extern const tally_layout_lanes tally_layout_avx512, tally_layout_avx2, tally_layout_portable;

/* For one value, on every CPU; other rows of a block are not touched. It needs gcc or clang. */
extern const tally_layout_lanes tally_layout_one;

const tally_layout_lanes *tally_layout_lanes_choose(void);

/* Copies the bytes, and the numbers, of up to TALLY_LAYOUT_ROWS rows whose bit is set side by side.
 * What comes from the same array must not come before it. */
typedef void tally_layout_pack(uint64_t chosen, const uint8_t *from, uint8_t *to);
typedef void tally_layout_pack_rows(uint64_t chosen, const uint16_t *from, uint16_t *to);

typedef struct tally_layout_packing {
    tally_backend backend;
    tally_layout_pack *pack;
    tally_layout_pack_rows *pack_rows;
} tally_layout_packing;

extern const tally_layout_packing tally_layout_packing_avx512;

/* The digit of the text of some characters that stands at text[0], text[TALLY_LAYOUT_ROWS], ...;
 * 0xffff: it is none of the choices. */
uint32_t tally_choices_read(const tally_choices *choices, const uint8_t *text);
void tally_choices_write(const tally_choices *choices, uint32_t digit, uint8_t *text);

#endif

enum { IBAN_ACCOUNT = 30 /* characters, at most */, IBAN_GROUP = 4 };

/* How each country makes the account part (BBAN) of its IBANs, from SWIFT's IBAN registry, version
 * 101: n digits, a letters A-Z, c letters or digits, each behind how many there are. Tokens of a
 * country depend on its line. Countries may be added; a line is not changed, or the country's
 * tokens could not be revealed any more. */
static const struct {
    char country[3], structure[10];
} iban_structures[] = {
    {"AD", "8n12c"},    {"AE", "19n"},      {"AL", "8n16c"},    {"AT", "16n"},
    {"AZ", "4a20c"},    {"BA", "16n"},      {"BE", "12n"},      {"BG", "4a6n8c"},
    {"BH", "4a14c"},    {"BI", "23n"},      {"BR", "23n1a1c"},  {"BY", "4c4n16c"},
    {"CH", "5n12c"},    {"CR", "18n"},      {"CY", "8n16c"},    {"CZ", "20n"},
    {"DE", "18n"},      {"DJ", "23n"},      {"DK", "14n"},      {"DO", "4c20n"},
    {"EE", "16n"},      {"EG", "25n"},      {"ES", "20n"},      {"FI", "14n"},
    {"FK", "2a12n"},    {"FO", "14n"},      {"FR", "10n11c2n"}, {"GB", "4a14n"},
    {"GE", "2a16n"},    {"GI", "4a15c"},    {"GL", "14n"},      {"GR", "7n16c"},
    {"GT", "24c"},      {"HN", "4a20n"},    {"HR", "17n"},      {"HU", "24n"},
    {"IE", "4a14n"},    {"IL", "19n"},      {"IQ", "4a15n"},    {"IS", "22n"},
    {"IT", "1a10n12c"}, {"JO", "4a4n18c"},  {"KW", "4a22c"},    {"KZ", "3n13c"},
    {"LB", "4n20c"},    {"LC", "4a24c"},    {"LI", "5n12c"},    {"LT", "16n"},
    {"LU", "3n13c"},    {"LV", "4a13c"},    {"LY", "21n"},      {"MC", "10n11c2n"},
    {"MD", "20c"},      {"ME", "18n"},      {"MK", "3n10c2n"},  {"MN", "16n"},
    {"MR", "23n"},      {"MT", "4a5n18c"},  {"MU", "4a19n3a"},  {"NI", "4a20n"},
    {"NL", "4a10n"},    {"NO", "11n"},      {"OM", "3n16c"},    {"PK", "4a16c"},
    {"PL", "24n"},      {"PS", "4a21c"},    {"PT", "21n"},      {"QA", "4a21c"},
    {"RO", "4a16c"},    {"RS", "18n"},      {"RU", "14n15c"},   {"SA", "2n18c"},
    {"SC", "4a20n3a"},  {"SD", "14n"},      {"SE", "20n"},      {"SI", "15n"},
    {"SK", "20n"},      {"SM", "1a10n12c"}, {"SO", "19n"},      {"ST", "21n"},
    {"SV", "4a20n"},    {"TL", "19n"},      {"TN", "20n"},      {"TR", "6n16c"},
    {"UA", "6n19c"},    {"VA", "18n"},      {"VG", "4a16n"},    {"XK", "16n"},
    {"YE", "4a4n18c"},
};

static const tally_option iban_options[] = {{NULL, TALLY_OPTION_TEXT, 0, NULL}};

/* What the letter of a structure stands for; NULL: there is no memory. */
static const tally_choices *iban_choices(tally_layouts *layouts, char kind)
{
    tally_characters characters = {{0, 0}};
    if (kind != 'a') {
        characters.bits[0] = UINT64_C(0x3ff) << '0';
    }
    if (kind != 'n') {
        characters.bits[1] = UINT64_C(0x3ffffff) << ('A' - 64);
    }
    return tally_layouts_choose(layouts, characters);
}

/* The parts of an IBAN without spaces; returns how many, or 0 without memory. */
static size_t iban_parts(tally_layouts *layouts, const char *country, const char *structure,
                         tally_layout_part parts[4 + IBAN_ACCOUNT])
{
    size_t count = 4;
    memset(parts, 0, (4 + IBAN_ACCOUNT) * sizeof *parts);
    parts[0].literal = (uint8_t)country[0];
    parts[1].literal = (uint8_t)country[1];
    for (size_t number = 0; *structure != '\0'; structure++) {
        if (*structure >= '0' && *structure <= '9') {
            number = number * 10 + (size_t)(*structure - '0');
            continue;
        }
        const tally_choices *choices = iban_choices(layouts, *structure);
        if (choices == NULL) {
            return 0;
        }
        for (; number > 0; number--) {
            parts[count++].choices = choices;
        }
    }
    return count;
}

static tally_status iban_add(tally_layouts *layouts, const char *country,
                             const tally_layout_part *parts, size_t count, int spaced)
{
    tally_layout_part written[(4 + IBAN_ACCOUNT) * 5 / 4 + 1];
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        if (spaced && i > 0 && i % IBAN_GROUP == 0) {
            written[width++] = (tally_layout_part){.literal = ' '};
        }
        written[width++] = parts[i];
    }
    return tally_layouts_add(layouts, written, width, TALLY_CHECK_IBAN, (const uint8_t *)country,
                             2);
}

static tally_status iban_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    (void)values, (void)problem;
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof iban_structures / sizeof *iban_structures; i++) {
        tally_layout_part parts[4 + IBAN_ACCOUNT];
        const char *country = iban_structures[i].country;
        size_t count = iban_parts(layouts, country, iban_structures[i].structure, parts);
        for (int spaced = 0; spaced < 2; spaced++) {
            if (count == 0 || iban_add(layouts, country, parts, count, spaced) != TALLY_OK) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    tally_layouts_describe(layouts, format);
    format->example[0] = "DE89 3704 0044 0532 0130 00"; /* the registry's own */
    format->example[1] = "GB29NWBK60161331926819";
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, "[\"iban\"]", 8) : final;
}

const tally_format_class tally_format_iban = {
    .name = "iban",
    .options = iban_options,
    .make = iban_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};

/* ---- core/formats/integer.c ---- */
/*
 * integer: the integers of a range, in an integer column or as text. */

static const tally_option integer_options[] = {
    {"min", TALLY_OPTION_WHOLE, 1, NULL},
    {"max", TALLY_OPTION_WHOLE, 1, NULL},
    {"grouping_separator", TALLY_OPTION_TEXT, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { INTEGER_MIN, INTEGER_MAX, INTEGER_GROUPING, INTEGER_TINY };

static tally_status integer_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    tally_number_format *own = tally_format_own(format, sizeof *own);
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = (int)values[INTEGER_TINY].integer;
    for (size_t i = INTEGER_MIN; i <= INTEGER_MAX; i++) {
        tally_counted_end *end = i == INTEGER_MIN ? &own->range.first : &own->range.last;
        (void)tally_counted_end_read(&values[i], 0, end);
    }
    tally_status status = tally_counted_range_init(format, &own->counted, &own->range);
    if (status != TALLY_OK) {
        return tally_format_refuse(format, problem, NULL,
                                   "min must be below max, both within -2**63 .. 2**64-1; the "
                                   "range has at most 2**64 integers");
    }
    status = tally_grouping_init(format, &values[INTEGER_GROUPING], NULL, &own->grouping, problem);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    tally_number_text_init(format, own, 0);
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"integer\",");
    tally_counted_range_write(&own->range, &writer);
    tally_write(&writer, "]");
    return tally_format_identify(format, writer.text, writer.size);
}

static int integer_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                         tally_writer *why)
{
    const tally_number_format *own = format->own;
    char name[96];
    if (read->kind == TALLY_ARROW_TEXT) {
        if (!own->counted.has_no_text) {
            return 1;
        }
        tally_write(why, "in text, an integer has at most 18 digits, but ");
        tally_counted_end_write(&own->range.first, why);
        tally_write(why, "..");
        tally_counted_end_write(&own->range.last, why);
        tally_write(why, " has more; narrow min and max, or convert the column");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        return tally_counted_takes_float(&own->range, why);
    } else if (read->kind == TALLY_ARROW_INTEGER) {
        const uint64_t half = UINT64_C(1) << (8 * read->width - 1);
        const uint64_t positive = read->is_signed ? half - 1 : half - 1 + half;
        const uint64_t negative = read->is_signed ? half : 0;
        if (tally_counted_range_within(&own->range, negative, positive)) {
            return 1;
        }
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the range ");
        tally_counted_end_write(&own->range.first, why);
        tally_write(why, "..");
        tally_counted_end_write(&own->range.last, why);
        tally_write(why, "; narrow min and max");
    } else {
        tally_format_refuse_type(format, type, read, why);
    }
    return 0;
}

static tally_status integer_fixed(const tally_format *format, tally_run *run,
                                  tally_fixed_column *column)
{
    return tally_counted_fixed(format->own, 1, run, column);
}

static size_t integer_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const tally_number_format *own = format->own;
    (void)reason;
    return tally_grouping_place_of_fault(&own->grouping, 0, value, size);
}

const tally_format_class tally_format_integer = {
    .name = "integer",
    .options = integer_options,
    .make = integer_make,
    .takes = integer_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = integer_fixed,
    .place_of_fault = integer_place_of_fault,
};

/* ---- core/formats/ipv4.c ---- */
/*
 * ipv4: addresses as four decimal numbers without leading zeros; the network stays in clear, and is
 * part of the tweak. */

enum { IPV4_BITS = 32, IPV4_MOST = 15, IPV4_TWEAK = 4 /* bytes of a network */ };

typedef struct ipv4_format {
    tally_counted counted;
    uint32_t prefix;
    uint32_t hosts;     /* a mask of the bits after the prefix */
    uint8_t width[256]; /* of an octet and the point behind it */
    uint8_t text[256][4];
} ipv4_format;

static const tally_option ipv4_options[] = {
    {"prefix", TALLY_OPTION_INTEGER, 0, NULL},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { IPV4_PREFIX, IPV4_TINY };

/* The points of eight bytes, as bits 0..7. */
static inline uint32_t ipv4_points(uint64_t text)
{
    const uint64_t low = TALLY_DIGITS_BYTES(0x7f), other = text ^ TALLY_DIGITS_BYTES('.');
    const uint64_t points = ~(((other & low) + low) | other) & ~low;
    return (uint32_t)((points >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* The number of the first bit that is set; there is one. */
static inline uint32_t ipv4_first_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t i = 0;
    for (; (bits & 1) == 0; bits >>= 1) {
        i++;
    }
    return i;
#endif
}

/* Reads an octet of 1..3 digits, of which the first is not 0 unless it is the only one. */
static inline uint32_t ipv4_octet(const uint8_t *text, uint32_t size, uint32_t *wrong)
{
    const uint32_t digits = (tally_load_le32(text) ^ UINT32_C(0x30303030)) << (4 - size) * 8;
    /* Bytes: 0, hundreds, tens, units. */
    const uint32_t number =
        (digits >> 8 & 0xff) * 100 + (digits >> 16 & 0xff) * 10 + (digits >> 24);
    *wrong |=
        (((digits & UINT32_C(0x7f7f7f7f)) + UINT32_C(0x76767676)) | digits) & UINT32_C(0x80808080);
    *wrong |= (uint32_t)(number > 255) | (uint32_t)(size > 1 && text[0] == '0');
    return number;
}

static inline uint8_t ipv4_read_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    (void)counted;
    if (size > IPV4_MOST) {
        return TALLY_REASON_NOTATION;
    }
    uint32_t points = ipv4_points(tally_load_le64(text)) | ipv4_points(tally_load_le64(text + 8))
                                                               << 8;
    points = (points & ((UINT32_C(1) << size) - 1)) | UINT32_C(1) << size;
    uint32_t start = 0, address = 0, wrong = 0;
    for (size_t i = 0; i < 4; i++) {
        if (points == 0) {
            return TALLY_REASON_NOTATION;
        }
        const uint32_t end = ipv4_first_bit(points), width = end - start;
        points &= points - 1;
        if (width - 1 > 2) {
            return TALLY_REASON_NOTATION;
        }
        address = address << 8 | ipv4_octet(text + start, width, &wrong);
        start = end + 1;
    }
    *rank = address;
    return wrong != 0 || points != 0 ? TALLY_REASON_NOTATION : 0;
}

static inline uint64_t ipv4_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const ipv4_format *own = (const ipv4_format *)counted;
    uint64_t at = 0;
    for (uint32_t shift = IPV4_BITS; shift > 0;) {
        shift -= 8;
        const size_t octet = rank >> shift & 0xff;
        memcpy(out + at, own->text[octet], 4);
        at += own->width[octet];
    }
    return at - 1;
}

static void ipv4_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, ipv4_read_row);
}

static void ipv4_write(const tally_counted *counted, const tally_counted_rows *rows,
                       const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, ipv4_write_row);
}

/* Lays out the tweaks of rows: the network, then the row's own tweak, if there is one. Returns
 * TALLY_ERROR_ARGUMENT if another thread has changed those. */
static tally_status ipv4_lay_out(const ipv4_format *own, const tally_counted_block *block,
                                 uint64_t own_bytes, uint64_t *offsets, uint8_t *values)
{
    const tally_strings *tweaks = block->row_tweaks;
    const uint64_t room = own_bytes + (uint64_t)block->rows * IPV4_TWEAK;
    uint64_t at = 0;
    for (size_t i = 0; i < block->rows; i++) {
        offsets[i] = at;
        tally_store_be32((uint32_t)block->ranks[i] & ~own->hosts, values + at);
        at += IPV4_TWEAK;
        if (tweaks != NULL && !tally_row_is_null(tweaks, i)) {
            const uint64_t start = tally_offset_once(tweaks, i);
            const uint64_t size = tally_offset_once(tweaks, i + 1) - start;
            if (size > room - at - (block->rows - 1 - i) * IPV4_TWEAK) {
                return TALLY_ERROR_ARGUMENT;
            }
            if (size != 0) {
                memcpy(values + at, tweaks->values + start, (size_t)size);
            }
            at += size;
        }
    }
    offsets[block->rows] = at;
    return TALLY_OK;
}

/* Permutes the hosts of networks. */
static tally_status ipv4_permute(const tally_counted *counted, tally_run *run,
                                 const tally_counted_block *block)
{
    const ipv4_format *own = (const ipv4_format *)counted;
    const tally_strings *tweaks = block->row_tweaks;
    const size_t rows = block->rows;
    uint64_t own_bytes = 0;
    if (tweaks != NULL) {
        own_bytes = tally_offset_once(tweaks, rows) - tally_offset_once(tweaks, 0);
        if (own_bytes > (uint64_t)SIZE_MAX / 2) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    uint32_t *networks = run->scratch(run, 1, rows * sizeof *networks);
    uint64_t *offsets = run->scratch(run, 2, (rows + 1) * sizeof *offsets);
    uint8_t *values = run->scratch(run, 3, (size_t)own_bytes + rows * IPV4_TWEAK);
    if (networks == NULL || offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = ipv4_lay_out(own, block, own_bytes, offsets, values);
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < rows; i++) {
        networks[i] = (uint32_t)block->ranks[i] & ~own->hosts;
        block->ranks[i] &= own->hosts;
    }
    const tally_strings all = {.offsets = offsets,
                               .offset_size = 8,
                               .validity = tweaks != NULL ? tweaks->validity : NULL,
                               .validity_start = tweaks != NULL ? tweaks->validity_start : 0,
                               .values = values,
                               .rows = rows};
    tally_counted_block behind = *block;
    behind.row_tweaks = &all;
    status = tally_counted_permute(counted, run, &behind);
    for (size_t i = 0; i < rows; i++) {
        block->ranks[i] |= networks[i];
    }
    return status;
}

static tally_status ipv4_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    const int64_t prefix = values[IPV4_PREFIX].integer;
    ipv4_format *own = tally_format_own(format, sizeof *own);
    char identity[32];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (prefix < 0 || prefix >= IPV4_BITS) {
        return tally_format_refuse(format, problem, "prefix",
                                   "prefix (the bits that stay) must be 0..31");
    }
    format->allow_tiny_domain = (int)values[IPV4_TINY].integer;
    own->prefix = (uint32_t)prefix;
    own->hosts = UINT32_MAX >> prefix;
    own->counted.most = IPV4_MOST;
    own->counted.read = ipv4_read;
    own->counted.write = ipv4_write;
    own->counted.permute = prefix != 0 ? ipv4_permute : NULL;
    tally_status status = tally_counted_init(format, &own->counted, (uint64_t)own->hosts + 1);
    if (status == TALLY_OK && tally_format_check_domain(format, problem) != TALLY_OK) {
        memcpy(problem->place, "prefix", sizeof "prefix");
        status = TALLY_ERROR_FORMAT;
    }
    if (status != TALLY_OK) {
        return status;
    }
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t width = i < 10 ? 1 : i < 100 ? 2 : 3;
        memset(own->text[i], '.', 4);
        tally_digits_write_all(i, width, own->text[i]);
        own->width[i] = (uint8_t)(width + 1);
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"ipv4\",");
    tally_write_uint(&writer, own->prefix);
    tally_write_char(&writer, ']');
    format->example[0] = "198.51.100.7"; /* RFC 5737 */
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t ipv4_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    (void)format;
    (void)reason;
    for (size_t i = 0; i < size; i++) {
        if ((value[i] < '0' || value[i] > '9') && value[i] != '.') {
            return i;
        }
    }
    return SIZE_MAX;
}

const tally_format_class tally_format_ipv4 = {
    .name = "ipv4",
    .options = ipv4_options,
    .make = ipv4_make,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .place_of_fault = ipv4_place_of_fault,
};

/* ---- core/formats/ipv6.c ---- */
/*
 * ipv6: the text of an address's 32 hexadecimal digits, of which those of the network stay in clear
 * and are part of the tweak, written shorter. */

/* ---- core/formats/ipv6_text.h ---- */
/*
 * IPv6 addresses as section 4 of RFC 5952 writes them, and their 32 hexadecimal digits. An address
 * has one notation: lower case, no leading zeros, `::` for the first of the longest runs of two or
 * more zero groups, no dotted part, no zone. */
#ifndef TALLY_FORMATS_IPV6_TEXT_H
#define TALLY_FORMATS_IPV6_TEXT_H

enum {
    TALLY_IPV6_DIGITS = 32,
    TALLY_IPV6_TEXT = 39, /* bytes of an address, at most */
    TALLY_IPV6_ROOM = 64  /* bytes that `write` may write */
};

typedef struct tally_ipv6_text {
    tally_backend backend;
    /* Reads an address of any size; returns 0 if it is none, or is written in another way. Then
     * the digits are anything. */
    int (*read)(const uint8_t *text, uint64_t size, uint8_t digits[TALLY_IPV6_DIGITS]);
    /* Writes an address; returns its size. */
    size_t (*write)(const uint8_t digits[TALLY_IPV6_DIGITS], uint8_t out[TALLY_IPV6_ROOM]);
} tally_ipv6_text;

extern const tally_ipv6_text tally_ipv6_text_avx512, tally_ipv6_text_portable;

/* The fastest that this CPU has. */
const tally_ipv6_text *tally_ipv6_text_choose(void);

/* The run of zero groups that is written `::`: groups first .. first + count - 1, or a count of 0.
 * Bit g of `zeros`: group g is zero. */
typedef struct tally_ipv6_gap {
    uint32_t first, count;
} tally_ipv6_gap;

static inline tally_ipv6_gap tally_ipv6_gap_of(uint32_t zeros)
{
    /* Bit g: a run of two, four or eight begins at group g, or one of so many as were found. */
    const uint32_t two = zeros & zeros >> 1, four = two & two >> 2, eight = four & four >> 4;
    const uint32_t runs[3] = {four, two, zeros};
    uint32_t found = 0xff;
    tally_ipv6_gap gap = {0, 0};
    TALLY_UNROLL(3)
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t longer = found & runs[i] >> gap.count;
        found = longer != 0 ? longer : found;
        gap.count += longer != 0 ? 4U >> i : 0;
    }
    gap.count += eight;
    gap.count = gap.count > 1 ? gap.count : 0;
#if defined(__GNUC__)
    gap.first = (uint32_t)__builtin_ctz(found);
#else
    for (uint32_t g = 8; g-- > 0;) { /* the first one */
        gap.first = (found >> g & 1) != 0 ? g : gap.first;
    }
#endif
    return gap;
}

/* The digits that are written in groups that are: bit d of `nonzero` says that digit d is not 0. */
static inline uint32_t tally_ipv6_written(uint32_t nonzero)
{
    uint32_t digits = nonzero; /* from the first of each group that is not 0 on, and its last */
    digits |= digits << 1 & UINT32_C(0xeeeeeeee);
    digits |= digits << 2 & UINT32_C(0xcccccccc);
    return digits | UINT32_C(0x88888888);
}

/* Which of the 39 characters of an address of full length, such as
 * 0000:0000:0000:0000:0000:0000:0000:0000, are left. Of `digits` those that are written are set, at
 * their places among the characters. */
static inline uint64_t tally_ipv6_left(uint64_t digits, tally_ipv6_gap gap)
{
    uint64_t left = digits | (UINT64_C(0x4210842108) << 1 & ((UINT64_C(1) << TALLY_IPV6_TEXT) - 1));
    if (gap.count != 0) { /* all of the run but the colon behind it, and one where none is before */
        uint64_t gone = ((UINT64_C(1) << (5 * gap.count - 1)) - 1) << 5 * gap.first;
        gone &= gap.first == 0 ? ~(UINT64_C(1) << 4) : UINT64_MAX;
        gone &= gap.first + gap.count == 8 ? ~(UINT64_C(1) << 34) : UINT64_MAX;
        left &= ~gone;
    }
    return left;
}

#endif

enum {
    IPV6_MOST_PREFIX = 120,
    IPV6_SCRATCH_DIGITS = 0, /* of the addresses of a block, */
    IPV6_SCRATCH_OFFSETS,    /* theirs, */
    IPV6_SCRATCH_VALIDITY,   /* and which rows have one */
    IPV6_SCRATCH_HOSTS       /* the digits behind those of the network */
};

typedef struct ipv6_format {
    tally_text digits;
    tally_shape host; /* of the digits that do not stay */
    uint32_t network; /* digits that stay */
    const tally_ipv6_text *text;
} ipv6_format;

static const tally_option ipv6_options[] = {
    {"prefix", TALLY_OPTION_WHOLE, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

static void ipv6_destroy(tally_format *format)
{
    tally_text_final(format, &((ipv6_format *)format->own)->digits);
}

static tally_status ipv6_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    const int64_t prefix = values[0].integer;
    if (values[0].text != NULL || prefix < 0 || prefix > IPV6_MOST_PREFIX || prefix % 4 != 0) {
        return tally_format_refuse(
            format, problem, "prefix",
            "prefix (the bits that stay) must be 0..120 and a multiple of 4");
    }
    ipv6_format *ipv6 = tally_format_own(format, sizeof *ipv6);
    if (ipv6 == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_text_settings settings = {
        .alphabet = {"0123456789abcdef", 16},
        .kept_as_tweak = 1,
        .keep_first = prefix / 4,
        .min_length = TALLY_IPV6_DIGITS,
        .max_length = TALLY_IPV6_DIGITS,
    };
    char identity[TALLY_TEXT_IDENTITY];
    const tally_status status =
        tally_text_init(format, &settings, identity, &ipv6->digits, problem);
    if (status != TALLY_OK) {
        return status;
    }
    ipv6->text = tally_ipv6_text_choose();
    ipv6->network = (uint32_t)prefix / 4;
    ipv6->host = ipv6->digits.one->shape;
    ipv6->host.keep = 0;
    ipv6->host.tweak_kept = 0;
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"ipv6\",");
    tally_write_int(&out, prefix);
    tally_write_char(&out, ']');
    format->smallest = tally_text_smallest(&ipv6->digits);
    format->work = tally_format_layers(16, (uint64_t)(TALLY_IPV6_DIGITS - prefix / 4), 0);
    format->example[0] = "2001:db8::7";
    return tally_format_identify(format, identity, out.size);
}

/* Rows of a column that are worked on together. */
typedef struct ipv6_block {
    const ipv6_format *ipv6;
    tally_strings rows;
    const uint64_t *start; /* row i is at start[i] .. start[i + 1] of its values */
    uint64_t *offset;      /* of digits */
    uint8_t *digits, *hosts, *valid;
} ipv6_block;

/* Takes memory for as many rows. */
static tally_status ipv6_begin(const ipv6_format *ipv6, tally_run *run, size_t rows,
                               ipv6_block *block)
{
    block->ipv6 = ipv6;
    block->digits = run->scratch(run, IPV6_SCRATCH_DIGITS, (rows + 1) * TALLY_IPV6_DIGITS);
    block->hosts = run->scratch(run, IPV6_SCRATCH_HOSTS, (rows + 1) * TALLY_IPV6_DIGITS);
    block->valid = run->scratch(run, IPV6_SCRATCH_VALIDITY, rows / 8 + 1);
    block->offset = run->scratch(run, IPV6_SCRATCH_OFFSETS, (rows + 1) * sizeof *block->offset);
    return block->digits != NULL && block->hosts != NULL && block->valid != NULL &&
                   block->offset != NULL
               ? TALLY_OK
               : TALLY_ERROR_MEMORY;
}

/* Reads the addresses of a block; returns whether every row has one. */
static int ipv6_read_block(const ipv6_block *block)
{
    int all = 1;
    memset(block->valid, 0, (size_t)block->rows.rows / 8 + 1);
    for (uint64_t i = 0; i < block->rows.rows; i++) {
        const uint64_t at = block->start[i], size = block->start[i + 1] - at;
        const int found = !tally_row_is_null(&block->rows, i) && size != 0 &&
                          block->ipv6->text->read(block->rows.values + at, size,
                                                  block->digits + TALLY_IPV6_DIGITS * i);
        all &= found;
        block->valid[i / 8] |= (uint8_t)(found << (i % 8));
    }
    return all;
}

static tally_status ipv6_write_block(const ipv6_block *block, uint8_t *status,
                                     tally_text_out *written)
{
    const uint64_t rows = block->rows.rows, *start = block->start;
    if (tally_text_out_reserve(written, start[rows] - start[0] + TALLY_IPV6_TEXT * rows +
                                            TALLY_IPV6_ROOM) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    tally_text_out out = *written; /* one that no byte written can be a part of */
    for (uint64_t i = 0; i < rows; i++) {
        uint8_t *to = out.values + out.size;
        const uint64_t size = start[i + 1] - start[i];
        if (tally_row_is_null(&block->rows, i)) {
            tally_text_out_end(&out, 0);
            continue;
        }
        if ((block->valid[i / 8] >> (i % 8) & 1) == 0) {
            status[i] = TALLY_REASON_NOTATION;
        }
        if (status[i] == 0) {
            tally_text_out_end(&out,
                               block->ipv6->text->write(block->digits + TALLY_IPV6_DIGITS * i, to));
        } else {
            if (size != 0) {
                memcpy(to, block->rows.values + start[i], (size_t)size);
            }
            tally_text_out_end(&out, size);
        }
    }
    *written = out;
    return TALLY_OK;
}

/* The digits of the network of all addresses of a block; NULL: there are several. */
static const uint8_t *ipv6_network(const ipv6_block *block, int all)
{
    const size_t network = block->ipv6->network;
    uint8_t bytes[TALLY_IPV6_DIGITS] = {0};
    uint64_t mask[4], wanted[4];
    size_t first = 0;
    while (first < block->rows.rows && (block->valid[first / 8] >> (first % 8) & 1) == 0) {
        first++;
    }
    memset(bytes, 0xff, network);
    for (size_t k = 0; k < 4; k++) {
        mask[k] = tally_load_le64(bytes + 8 * k);
        wanted[k] = tally_load_le64(block->digits + TALLY_IPV6_DIGITS * first + 8 * k) & mask[k];
    }
    for (size_t i = first; i < block->rows.rows; i++) {
        const uint8_t *digits = block->digits + TALLY_IPV6_DIGITS * i;
        uint64_t differs = 0;
        for (size_t k = 0; k < 4; k++) {
            differs |= (tally_load_le64(digits + 8 * k) & mask[k]) ^ wanted[k];
        }
        if ((all || (block->valid[i / 8] >> (i % 8) & 1) != 0) && differs != 0) {
            return NULL;
        }
    }
    return block->digits + TALLY_IPV6_DIGITS * first;
}

/* Encrypts the hosts of one network: its digits complete the tweak of all rows, so these need not
 * be looked at one by one. */
static tally_status ipv6_run_hosts(const ipv6_block *block, tally_run *run, tally_strings *digits,
                                   const uint8_t *network, uint8_t *status)
{
    const ipv6_format *ipv6 = block->ipv6;
    const size_t kept = ipv6->network, width = TALLY_IPV6_DIGITS - kept, size = run->tweak_size;
    uint8_t prefix[TALLY_IPV6_DIGITS] = {0};
    memcpy(prefix, network, kept);
    tally_store_be32((uint32_t)kept, run->tweak + size);
    for (size_t d = 0; d < kept; d++) {
        run->tweak[size + 4 + d] = ipv6->host.symbol[prefix[d]];
    }
    for (size_t i = 0; i < block->rows.rows; i++) { /* what is too much is written over */
        memcpy(block->hosts + width * i, block->digits + TALLY_IPV6_DIGITS * i + kept,
               TALLY_IPV6_DIGITS);
    }
    for (size_t i = 0; i <= block->rows.rows; i++) {
        block->offset[i] = width * i;
    }
    digits->values = block->hosts;
    run->tweak_size += 4 + kept;
    const tally_status result =
        tally_text_run_shape(&ipv6->host, run, digits, NULL, block->hosts, status);
    run->tweak_size = size;
    for (size_t i = 0; i < block->rows.rows; i++) {
        uint8_t *to = block->digits + TALLY_IPV6_DIGITS * i;
        memcpy(to, prefix, sizeof prefix);
        memcpy(to + kept, block->hosts + width * i, TALLY_IPV6_DIGITS);
    }
    return result;
}

/* Encrypts the addresses of a block. */
static tally_status ipv6_run_block(const ipv6_block *block, tally_run *run, int all,
                                   const tally_strings *row_tweaks, uint8_t *status)
{
    const size_t more = 4 + block->ipv6->network, size = run->tweak_size;
    const uint8_t *network = NULL;
    tally_strings digits = {.offsets = block->offset,
                            .offset_size = 8,
                            .validity = all ? NULL : block->valid,
                            .values = block->digits,
                            .rows = block->rows.rows};
    if (more > 4 && row_tweaks == NULL && run->tweak_room >= size + more &&
        size + more <= TALLY_FAST_MAX_ROW_TWEAK) {
        network = ipv6_network(block, all);
    }
    if (network != NULL) {
        return ipv6_run_hosts(block, run, &digits, network, status);
    }
    for (size_t i = 0; i <= block->rows.rows; i++) {
        block->offset[i] = TALLY_IPV6_DIGITS * i;
    }
    return tally_text_run(&block->ipv6->digits, run, &digits, row_tweaks, block->digits, status);
}

static tally_status ipv6_text(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const size_t most =
        column->in.rows < TALLY_BLOCK_ROWS ? (size_t)column->in.rows : TALLY_BLOCK_ROWS;
    uint64_t start[TALLY_BLOCK_ROWS + 1], common;
    tally_strings_reader reader;
    ipv6_block block = {.start = start};
    tally_status status = ipv6_begin(format->own, run, most, &block);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < column->in.rows; first += TALLY_BLOCK_ROWS) {
        const uint64_t left = column->in.rows - first,
                       rows = left < TALLY_BLOCK_ROWS ? left : TALLY_BLOCK_ROWS;
        uint8_t *row_status = column->status + first;
        tally_strings tweaks;
        if (!tally_strings_read(&reader, (size_t)rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, first, rows);
        }
        block.rows = tally_strings_slice(&column->in, first, rows);
        const int all = ipv6_read_block(&block);
        status =
            ipv6_run_block(&block, run, all, run->row_tweaks != NULL ? &tweaks : NULL, row_status);
        if (status == TALLY_OK) {
            status = ipv6_write_block(&block, row_status, column->out);
        }
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status ipv6_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const ipv6_format *ipv6 = format->own;
    uint8_t digits[TALLY_IPV6_DIGITS], text[TALLY_IPV6_ROOM];
    if (one->size == 0 || !ipv6->text->read(one->value, one->size, digits)) {
        one->reason = TALLY_REASON_NOTATION;
        return TALLY_OK;
    }
    tally_status status =
        tally_text_run_value(&ipv6->digits, run, one, digits, sizeof digits, &one->reason);
    if (status == TALLY_OK && one->reason == TALLY_REASON_NONE) {
        one->out_size = ipv6->text->write(digits, text);
        if (one->out_size <= one->room) {
            memcpy(one->out, text, one->out_size);
        } else {
            status = TALLY_ERROR_ROOM;
        }
    }
    tally_wipe(digits, sizeof digits);
    tally_wipe(text, sizeof text);
    return status;
}

static size_t ipv6_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    const ipv6_format *ipv6 = format->own;
    const uint8_t *kind = ipv6->digits.one->shape.kind;
    (void)reason;
    for (size_t i = 0; i < size; i++) {
        if (kind[value[i]] != TALLY_BYTE_SYMBOL && value[i] != ':') {
            return i;
        }
    }
    return SIZE_MAX;
}

const tally_format_class tally_format_ipv6 = {
    .name = "ipv6",
    .options = ipv6_options,
    .make = ipv6_make,
    .destroy = ipv6_destroy,
    .text = ipv6_text,
    .one = ipv6_one,
    .place_of_fault = ipv6_place_of_fault,
};

/* ---- core/formats/ipv6_text.c ---- */
/*
 * IPv6 addresses as text, for any CPU, and the choice of a back end. */

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

#endif

static int ipv6_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') <= 9 || (uint8_t)(c - 'a') <= 5;
}

/* The zero groups among digits. */
static uint32_t ipv6_zero_groups(const uint8_t digits[TALLY_IPV6_DIGITS])
{
    uint32_t zeros = 0;
    for (uint32_t g = 0; g < 8; g++) {
        zeros |= (uint32_t)(memcmp(digits + 4 * g, "0000", 4) == 0) << g;
    }
    return zeros;
}

static int ipv6_read(const uint8_t *text, uint64_t size, uint8_t digits[TALLY_IPV6_DIGITS])
{
    uint32_t groups = 0, before = 8, empty = 0; /* `before`: groups before the empty piece */
    uint64_t at = 0;
    if (size < 2 || size > TALLY_IPV6_TEXT) {
        return 0;
    }
    memset(digits, '0', TALLY_IPV6_DIGITS);
    while (at < size) {
        uint64_t end = at;
        while (end < size && ipv6_is_digit(text[end])) {
            end++;
        }
        const size_t width = (size_t)(end - at);
        if (width > 4 || groups == 8 || (width > 1 && text[at] == '0')) {
            return 0;
        }
        if (width != 0) {
            memcpy(digits + 4 * groups + 4 - width, text + at, width);
            groups++;
        } else if (at != 0 || end + 1 >= size || text[end] != ':' || text[end + 1] != ':') {
            return 0; /* only `::` at the beginning has no digits before it */
        }
        at = end;
        if (at == size) {
            break;
        }
        if (text[at++] != ':') {
            return 0;
        }
        if (at < size && text[at] == ':') {
            before = groups;
            empty++;
            at++;
        } else if (at == size) {
            return 0;
        }
    }
    if (empty > 1 || (empty == 1) != (groups < 8)) {
        return 0;
    }
    const uint32_t after = groups - (empty != 0 ? before : groups);
    memmove(digits + TALLY_IPV6_DIGITS - 4 * after, digits + 4 * (groups - after), 4 * after);
    if (empty != 0) {
        memset(digits + 4 * before, '0', 4 * (8 - groups));
    }
    const tally_ipv6_gap gap = tally_ipv6_gap_of(ipv6_zero_groups(digits));
    return empty != 0 ? gap.first == before && gap.count == 8 - groups : gap.count == 0;
}

static size_t ipv6_write(const uint8_t digits[TALLY_IPV6_DIGITS], uint8_t out[TALLY_IPV6_ROOM])
{
    uint32_t nonzero = 0;
    for (uint32_t d = 0; d < TALLY_IPV6_DIGITS; d++) {
        nonzero |= (uint32_t)(digits[d] != '0') << d;
    }
    const uint32_t written = tally_ipv6_written(nonzero);
    uint64_t left = 0;
    for (uint32_t g = 0; g < 8; g++) {
        left |= (uint64_t)(written >> 4 * g & 15) << 5 * g;
    }
    left = tally_ipv6_left(left, tally_ipv6_gap_of(ipv6_zero_groups(digits)));
    size_t size = 0;
    for (uint32_t g = 0; g < 8; g++, left >>= 5) {
        for (uint32_t d = 0; d < 4; d++) {
            out[size] = digits[4 * g + d];
            size += left >> d & 1;
        }
        out[size] = ':';
        size += left >> 4 & 1;
    }
    return size;
}

const tally_ipv6_text tally_ipv6_text_portable = {{"portable", 0}, ipv6_read, ipv6_write};

static const tally_backend *const ipv6_text_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_ipv6_text_avx512.backend,
#endif
    &tally_ipv6_text_portable.backend,
};

const tally_ipv6_text *tally_ipv6_text_choose(void)
{
    return (const tally_ipv6_text *)tally_dispatch(
        ipv6_text_backends, sizeof ipv6_text_backends / sizeof *ipv6_text_backends);
}

/* ---- core/formats/ipv6_text_avx512.c ---- */
/*
 * IPv6 addresses as text with AVX-512 VBMI2: an address is one vector. Its digits are compressed
 * out, and expanded to where they are in an address of full length. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define IPV6_TARGET                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

/* The zero groups of 32 digits. */
static inline IPV6_TARGET uint32_t ipv6_avx512_zero_groups(uint32_t nonzero)
{
    uint32_t any = nonzero | nonzero >> 1;
    any |= any >> 2;
    return _pext_u32(~any, UINT32_C(0x11111111));
}

static IPV6_TARGET int ipv6_avx512_read(const uint8_t *text, uint64_t size,
                                        uint8_t digits[TALLY_IPV6_DIGITS])
{
    if (size < 2 || size > TALLY_IPV6_TEXT) {
        return 0;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, text);
    const uint64_t colons = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(':'));
    const uint64_t hex =
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(9)) |
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('a')), _mm512_set1_epi8(5));
    const uint64_t zero = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('0'));
    const uint64_t first = hex & ~(hex << 1), last = hex & ~(hex >> 1); /* of a group */
    const uint64_t pairs = colons & colons >> 1;
    const uint64_t single = colons & ~(pairs | pairs << 1);
    const uint32_t groups = (uint32_t)_mm_popcnt_u64(first);
    /* Only `::` may stand at an end; four digits at most, without leading zeros. */
    uint64_t wrong = (colons | hex) ^ in;
    wrong |= single & (1 | UINT64_C(1) << (size - 1));
    wrong |= hex & hex >> 1 & hex >> 2 & hex >> 3 & hex >> 4;
    wrong |= first & zero & hex >> 1;
    wrong |= pairs & (pairs - 1);
    wrong |= (uint64_t)(pairs == 0 ? groups != 8 : groups > 6);
    if (wrong != 0) {
        return 0;
    }
    /* Which digits of groups that lie side by side are given. */
    const uint64_t two = last & hex << 1, three = two & hex << 2, four = three & hex << 3;
    const uint32_t ends = (uint32_t)_bzhi_u64(UINT32_C(0x88888888), 4 * groups);
    const uint32_t given = ends | _pdep_u32((uint32_t)_pext_u64(two, last), ends >> 1) |
                           _pdep_u32((uint32_t)_pext_u64(three, last), ends >> 2) |
                           _pdep_u32((uint32_t)_pext_u64(four, last), ends >> 3);
    /* Groups behind `::` are the last ones. */
    const uint32_t before = pairs == 0 ? groups : (uint32_t)_mm_popcnt_u64(last & (pairs - 1));
    const uint64_t low = _bzhi_u64(given, 4 * before);
    const uint32_t place = (uint32_t)(low | (given ^ low) << 4 * (8 - groups));
    const __m256i held = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(hex, bytes));
    const __m256i zeros = _mm256_set1_epi8('0');
    const __m256i found = _mm256_mask_expand_epi8(zeros, place, held);
    _mm256_storeu_si256((__m256i *)(void *)digits, found);
    const tally_ipv6_gap gap =
        tally_ipv6_gap_of(ipv6_avx512_zero_groups(_mm256_cmpneq_epi8_mask(found, zeros)));
    return pairs == 0 ? gap.count == 0 : gap.first == before && gap.count == 8 - groups;
}

static IPV6_TARGET size_t ipv6_avx512_write(const uint8_t digits[TALLY_IPV6_DIGITS],
                                            uint8_t out[TALLY_IPV6_ROOM])
{
    /* Four digits and a colon, eight times. */
    static const uint8_t places[64] = {
        0,  1,  2,  3,  32, 4,  5,  6,  7,  32, 8,  9,  10, 11, 32, 12, 13, 14, 15, 32,
        16, 17, 18, 19, 32, 20, 21, 22, 23, 32, 24, 25, 26, 27, 32, 28, 29, 30, 31,
    };
    const __m256i held = _mm256_loadu_si256((const __m256i *)(const void *)digits);
    const uint32_t nonzero = _mm256_cmpneq_epi8_mask(held, _mm256_set1_epi8('0'));
    const uint64_t written = _pdep_u64(tally_ipv6_written(nonzero), UINT64_C(0x7bdef7bdef));
    const uint64_t left =
        tally_ipv6_left(written, tally_ipv6_gap_of(ipv6_avx512_zero_groups(nonzero)));
    const __m512i whole = _mm512_inserti64x4(_mm512_set1_epi8(':'), held, 0);
    const __m512i text = _mm512_permutexvar_epi8(_mm512_loadu_si512(places), whole);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(left, text));
    return (size_t)_mm_popcnt_u64(left);
}

const tally_ipv6_text tally_ipv6_text_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2 | TALLY_CPU_BMI2}, ipv6_avx512_read, ipv6_avx512_write};

#else
typedef int tally_ipv6_text_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/formats/layouts.c ---- */
/*
 * Layouts as a format makes them, and which of them a value has. */

enum { LAYOUTS_PIECE = 1 << 14, LAYOUTS_ALIGNMENT = 16, LAYOUTS_CHARACTERS = 128 };

typedef struct tally_arena_piece {
    struct tally_arena_piece *before;
    size_t size, used; /* with this header */
} tally_arena_piece;

void *tally_arena_allocate(tally_arena *arena, size_t size)
{
    const size_t header =
        (sizeof(tally_arena_piece) + LAYOUTS_ALIGNMENT - 1) / LAYOUTS_ALIGNMENT * LAYOUTS_ALIGNMENT;
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + LAYOUTS_ALIGNMENT - 1) / LAYOUTS_ALIGNMENT * LAYOUTS_ALIGNMENT;
    tally_arena_piece *piece = arena->last;
    if (piece == NULL || piece->size - piece->used < size) {
        const size_t usual = arena->piece != 0 ? arena->piece : LAYOUTS_PIECE;
        size_t whole = header + size > usual ? header + size : usual;
        piece = tally_allocate(arena->allocator, whole);
        if (piece == NULL) {
            return NULL;
        }
        piece->before = arena->last;
        piece->size = whole;
        piece->used = header;
        arena->last = piece;
    }
    void *memory = (uint8_t *)piece + piece->used;
    piece->used += size;
    memset(memory, 0, size);
    return memory;
}

void tally_arena_release(tally_arena *arena)
{
    while (arena->last != NULL) {
        tally_arena_piece *piece = arena->last;
        arena->last = piece->before;
        tally_release(arena->allocator, piece, piece->size);
    }
}

tally_layouts *tally_layouts_new(const tally_allocator *allocator, uint32_t most)
{
    tally_layouts *layouts = tally_allocate(allocator, sizeof *layouts);
    if (layouts != NULL) {
        memset(layouts, 0, sizeof *layouts);
        layouts->arena.allocator = allocator;
        layouts->most = most;
        layouts->layout = tally_arena_allocate(&layouts->arena, most * sizeof *layouts->layout);
        if (layouts->layout == NULL) {
            tally_layouts_free(layouts);
            return NULL;
        }
    }
    return layouts;
}

void tally_layouts_free(tally_layouts *layouts)
{
    if (layouts != NULL) {
        tally_arena_release(&layouts->arena);
        tally_release(layouts->arena.allocator, layouts, sizeof *layouts);
    }
}

const tally_choices *tally_layouts_choose(tally_layouts *layouts, tally_characters characters)
{
    const tally_choices *made = layouts->last;
    while (made != NULL && memcmp(&made->characters[0], &characters, sizeof characters) != 0) {
        made = made->before;
    }
    if (made != NULL) {
        return made;
    }
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    if (choices == NULL) {
        return NULL;
    }
    choices->before = layouts->last;
    layouts->last = choices;
    choices->width = 1;
    choices->characters[0] = characters;
    for (uint32_t c = 0; c < LAYOUTS_CHARACTERS; c++) {
        if (!tally_characters_have(&characters, c)) {
            continue;
        }
        if (c == 0 || !tally_characters_have(&characters, c - 1)) {
            tally_layout_range *range = &choices->range[choices->ranges++];
            range->first = (uint8_t)c;
            range->base = (uint8_t)choices->size;
        }
        choices->range[choices->ranges - 1].count++;
        choices->size++;
    }
    return choices;
}

/* A plan that layouts share. */
typedef struct tally_layouts_plan {
    struct tally_layouts_plan *before; /* made before it */
    tally_mixed_plan plan;
} tally_layouts_plan;

/* Finds the plan of those sizes among those of its hash; *place: where to look, or to add one. */
static tally_layouts_plan *layouts_plan_of(tally_layouts *layouts, const uint32_t *sizes,
                                           uint32_t fields, tally_layouts_plan ***place)
{
    uint32_t hash = fields;
    for (uint32_t i = 0; i < fields; i++) {
        hash = hash * 31 + sizes[i];
    }
    *place = &layouts->plans[hash % TALLY_LAYOUT_PLANS];
    tally_layouts_plan *made = **place;
    while (made != NULL && (made->plan.positions != fields ||
                            memcmp(made->plan.sizes, sizes, fields * sizeof *sizes) != 0)) {
        made = made->before;
    }
    return made;
}

/* Finds or makes the plan of a layout's fields. */
static tally_status layouts_plan(tally_layouts *layouts, tally_layout *layout)
{
    uint32_t sizes[TALLY_MIXED_MAX_POSITIONS] = {0};
    uint64_t size = 1;
    for (uint32_t i = 0; i < layout->fields; i++) {
        const uint32_t field = layout->field[i].choices->size;
        sizes[i] = field;
        size = size > UINT64_MAX / field ? UINT64_MAX : size * field;
    }
    layout->size = size;
    tally_layouts_plan **place, *made = layouts_plan_of(layouts, sizes, layout->fields, &place);
    if (made == NULL) {
        made = tally_arena_allocate(&layouts->arena, sizeof *made);
        if (made == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        const tally_mixed mixed = {sizes, layout->fields};
        if (tally_mixed_make_plan(&mixed, &made->plan) != TALLY_OK) {
            return TALLY_ERROR_LENGTH;
        }
        made->before = *place;
        *place = made;
    }
    const tally_mixed_plan *plan = layout->plan = &made->plan;
    return tally_fast_recommended(TALLY_FAST, plan->radix, plan->length, &layout->params);
}

tally_status tally_layouts_add(tally_layouts *layouts, const tally_layout_part *parts, size_t count,
                               uint32_t check_rule, const uint8_t *kept, size_t kept_size)
{
    tally_layout *layout = &layouts->layout[layouts->count];
    uint32_t literals = 0, fields = 0, symbols = 0;
    for (size_t i = 0; i < count; i++) {
        literals += parts[i].choices == NULL && parts[i].literal != 0;
        fields += parts[i].choices != NULL;
        symbols += parts[i].choices != NULL ? parts[i].choices->width : 0;
    }
    if (layouts->count == layouts->most || fields == 0 || fields > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_LENGTH;
    }
    tally_layout_literal *literal =
        tally_arena_allocate(&layouts->arena, literals * sizeof *literal);
    tally_layout_field *field = tally_arena_allocate(&layouts->arena, fields * sizeof *field);
    uint8_t *symbol = tally_arena_allocate(&layouts->arena, symbols);
    if (literal == NULL || field == NULL || symbol == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(layout, 0, sizeof *layout);
    layout->literal = literal;
    layout->field = field;
    layout->symbol = symbol;
    for (size_t i = 0; i < count; i++) {
        const tally_choices *choices = parts[i].choices;
        uint32_t place = layout->width, width = choices == NULL ? 1 : choices->width;
        if (place + width > TALLY_LAYOUT_WIDTH) {
            return TALLY_ERROR_LENGTH;
        }
        layout->width += width;
        if (choices != NULL) {
            field[layout->fields].choices = choices;
            field[layout->fields++].place = place;
            for (uint32_t k = 0; k < width; k++) {
                symbol[layout->symbols++] = (uint8_t)(place + k);
            }
        } else if (parts[i].literal != 0) {
            literal[layout->literals].place = (uint8_t)place;
            literal[layout->literals++].character = parts[i].literal;
        } else if (layout->checks < TALLY_LAYOUT_CHECKS) {
            layout->check[layout->checks++] = (uint8_t)place;
        }
    }
    layout->check_rule = check_rule;
    layout->kept_size = (uint32_t)kept_size;
    if (kept_size != 0) {
        memcpy(layout->kept, kept, kept_size);
    }
    tally_status status = layouts_plan(layouts, layout);
    if (status != TALLY_OK) {
        return status;
    }
    layouts->most_kept =
        layout->kept_size > layouts->most_kept ? layout->kept_size : layouts->most_kept;
    layouts->count++;
    return TALLY_OK;
}

/* What may stand at each place. With `widened`, characters of fields of several characters stand
 * for their whole class: which of them is at fault would tell what the others are. */
static void layouts_characters(const tally_layout *layout, int widened,
                               tally_characters out[TALLY_LAYOUT_WIDTH])
{
    const tally_characters digits = {{UINT64_C(0x3ff) << '0', 0}},
                           letters = {{0, UINT64_C(0x3ffffff) << ('A' - 64)}};
    for (uint32_t place = 0; place < layout->width; place++) {
        out[place].bits[0] = digits.bits[0];
        out[place].bits[1] = letters.bits[1];
    }
    for (uint32_t i = 0; i < layout->literals; i++) {
        memset(&out[layout->literal[i].place], 0, sizeof *out);
        tally_characters_add(&out[layout->literal[i].place], layout->literal[i].character);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_choices *choices = layout->field[i].choices;
        for (uint32_t k = 0; k < choices->width; k++) {
            tally_characters *to = &out[layout->field[i].place + k];
            *to = choices->characters[k];
            if (widened && choices->width > 1) {
                to->bits[0] |= (to->bits[0] & digits.bits[0]) != 0 ? digits.bits[0] : 0;
                to->bits[1] |= (to->bits[1] & letters.bits[1]) != 0 ? letters.bits[1] : 0;
            }
        }
    }
}

/* A place where no character is of both layouts; their width if there is none. */
static uint32_t layouts_difference(const tally_layout *one, const tally_characters *of_one,
                                   const tally_characters *of_two)
{
    uint32_t place = 0;
    while (place < one->width && ((of_one[place].bits[0] & of_two[place].bits[0]) |
                                  (of_one[place].bits[1] & of_two[place].bits[1])) != 0) {
        place++;
    }
    return place;
}

int tally_layouts_overlap(const tally_layouts *layouts, uint32_t *first, uint32_t *second)
{
    tally_characters one[TALLY_LAYOUT_WIDTH], two[TALLY_LAYOUT_WIDTH];
    for (uint32_t i = 0; i < layouts->count; i++) {
        layouts_characters(&layouts->layout[i], 0, one);
        for (uint32_t k = 0; k < i; k++) {
            if (layouts->layout[k].width != layouts->layout[i].width) {
                continue;
            }
            layouts_characters(&layouts->layout[k], 0, two);
            if (layouts_difference(&layouts->layout[i], one, two) == layouts->layout[i].width) {
                *first = k;
                *second = i;
                return 1;
            }
        }
    }
    return 0;
}

/* Chooses places that tell the layouts of a width apart, and notes what each character says. */
static tally_status layouts_make_width(tally_layouts *layouts, tally_layouts_width *made,
                                       const uint16_t *chosen)
{
    const uint32_t width = layouts->layout[chosen[0]].width;
    const size_t sets = (size_t)made->count * TALLY_LAYOUT_WIDTH;
    tally_characters *all = tally_allocate_many(layouts->arena.allocator, sets, sizeof *all);
    if (all == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint8_t places[TALLY_LAYOUT_WIDTH] = {0};
    uint32_t taken[TALLY_LAYOUT_WIDTH] = {0};
    for (uint32_t i = 0; i < made->count; i++) {
        const tally_characters *one = all + (size_t)i * TALLY_LAYOUT_WIDTH;
        layouts_characters(&layouts->layout[chosen[i]], 0, all + (size_t)i * TALLY_LAYOUT_WIDTH);
        for (uint32_t k = 0; k < i; k++) {
            const tally_characters *two = all + (size_t)k * TALLY_LAYOUT_WIDTH;
            uint32_t apart = 0;
            for (uint32_t p = 0; p < made->places && !apart; p++) {
                apart = ((one[places[p]].bits[0] & two[places[p]].bits[0]) |
                         (one[places[p]].bits[1] & two[places[p]].bits[1])) == 0;
            }
            uint32_t place =
                apart ? width : layouts_difference(&layouts->layout[chosen[i]], one, two);
            if (place < width && !taken[place]) {
                taken[place] = 1;
                places[made->places++] = (uint8_t)place;
            }
        }
    }
    const size_t step = (size_t)LAYOUTS_CHARACTERS * made->words;
    uint8_t *place = tally_arena_allocate(&layouts->arena, made->places);
    uint64_t *possible =
        tally_arena_allocate(&layouts->arena, made->places * step * sizeof *possible);
    if (place != NULL && possible != NULL) {
        memcpy(place, places, made->places);
        for (uint32_t i = 0; i < made->count; i++) {
            for (uint32_t p = 0; p < made->places; p++) {
                for (uint32_t c = 0; c < LAYOUTS_CHARACTERS; c++) {
                    if (tally_characters_have(&all[(size_t)i * TALLY_LAYOUT_WIDTH + places[p]],
                                              c)) {
                        possible[p * step + c * made->words + i / 64] |= UINT64_C(1) << (i % 64);
                    }
                }
            }
        }
        made->place = place;
        made->possible = possible;
    }
    tally_release(layouts->arena.allocator, all, sets * sizeof *all);
    return made->possible != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
}

tally_status tally_layouts_final(tally_layouts *layouts)
{
    for (uint32_t width = 1; width <= TALLY_LAYOUT_WIDTH; width++) {
        uint16_t chosen[TALLY_LAYOUTS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < layouts->count; i++) {
            if (layouts->layout[i].width == width) {
                chosen[count++] = (uint16_t)i;
            }
        }
        if (count == 0) {
            continue;
        }
        tally_layouts_width *made = tally_arena_allocate(&layouts->arena, sizeof *made);
        uint16_t *layout = tally_arena_allocate(&layouts->arena, count * sizeof *layout);
        if (made == NULL || layout == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        memcpy(layout, chosen, count * sizeof *layout);
        made->count = count;
        made->words = (count + 63) / 64;
        made->layout = layout;
        layouts->width[width] = made;
        tally_status status = count == 1 ? TALLY_OK : layouts_make_width(layouts, made, chosen);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

void tally_layouts_describe(const tally_layouts *layouts, tally_format *format)
{
    uint64_t size = UINT64_MAX;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        const uint64_t work = tally_format_layers(layout->params.radix, layout->params.length, 1);
        size = layout->size < size ? layout->size : size;
        format->work = work > format->work ? work : format->work;
    }
    format->smallest = tally_domain_of_size(size);
}

void tally_layouts_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                             tally_domain *out)
{
    const tally_layouts *layouts = format->own;
    uint64_t smallest = UINT64_MAX;
    int found = 0;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        uint32_t alike = layout->width == size;
        for (uint32_t k = 0; alike && k < layout->literals; k++) {
            alike = value[layout->literal[k].place] == layout->literal[k].character;
        }
        if (alike) {
            found = 1;
            smallest = layout->size < smallest ? layout->size : smallest;
        }
    }
    *out = found ? tally_domain_of_size(smallest) : format->smallest;
}

size_t tally_layouts_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size)
{
    const tally_layouts *layouts = format->own;
    size_t farthest = 0;
    (void)reason;
    for (uint32_t i = 0; i < layouts->count; i++) {
        tally_characters places[TALLY_LAYOUT_WIDTH];
        size_t place = 0;
        layouts_characters(&layouts->layout[i], 1, places);
        while (place < size && place < layouts->layout[i].width &&
               tally_characters_have(&places[place], value[place])) {
            place++;
        }
        farthest = place > farthest ? place : farthest;
    }
    return farthest < size ? farthest : SIZE_MAX;
}

void tally_layouts_destroy(tally_format *format)
{
    tally_layouts_free(format->own);
    format->own = NULL;
}

/* ---- core/formats/layouts_avx2.c ---- */
/*
 * Values of layouts with AVX2. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define LAYOUTS(name)  layouts_avx2_##name
#define LAYOUTS_TARGET __attribute__((target("avx2")))
#define LAYOUTS_LANES  16
#define LAYOUTS_HIGH(x, y)                                                                         \
    ((layouts_avx2_vec)_mm256_mulhi_epu16((__m256i)(x), _mm256_set1_epi16((int16_t)(y))))

#define LAYOUTS_BELOW(x, y) ((layouts_avx2_bytes)((x) < (y)))

typedef uint16_t layouts_avx2_vec __attribute__((vector_size(32)));
typedef uint8_t layouts_avx2_bytes __attribute__((vector_size(16)));

TALLY_INLINE LAYOUTS_TARGET layouts_avx2_vec layouts_avx2_widen(layouts_avx2_bytes bytes)
{
    return (layouts_avx2_vec)_mm256_cvtepu8_epi16((__m128i)bytes);
}

TALLY_INLINE LAYOUTS_TARGET layouts_avx2_bytes layouts_avx2_narrow(layouts_avx2_vec wide)
{
    const __m256i low = (__m256i)(wide & 0xff);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, low), 8);
    return (layouts_avx2_bytes)_mm256_castsi256_si128(bytes);
}

/* ---- core/formats/layouts_body.h ---- */
/*
 * Blocks of values of one layout, for one instruction set: the rows side by side in vectors.
 * Single characters are compared with ranges, so no address depends on them. Fields of several
 * characters are looked up in tables.
 *
 * The file that includes this defines LAYOUTS(name), LAYOUTS_TARGET, LAYOUTS_LANES, the lanes of
 * 16 bits in a vector; the types LAYOUTS(vec) of those and LAYOUTS(bytes) of as many bytes; the
 * functions LAYOUTS(widen) and LAYOUTS(narrow) from one to the other, LAYOUTS_BELOW(x, y), which
 * compares bytes, and LAYOUTS_HIGH(x, y), the upper half of the product of each lane and a number. */

/* ---- core/formats/layouts_checks_body.h ---- */
/*
 * Check characters of IBANs and national identifiers, for one instruction set: rows side by side, a
 * lane of 16 bits each. Characters that are not of the layout give any result, and no harm.
 *
 * layouts_body.h includes this. */

/* x modulo 5..97, for x below 2^15: the quotient is the upper half of a product, shifted. */
#define LAYOUTS_SHIFT(m) ((m) > 64 ? 6 : (m) > 32 ? 5 : (m) > 16 ? 4 : (m) > 8 ? 3 : 2)
#define LAYOUTS_REST(x, m)                                                                         \
    ((x) -                                                                                         \
     (LAYOUTS_HIGH(x, (uint16_t)((0x10000U << LAYOUTS_SHIFT(m)) / (m) + 1)) >> LAYOUTS_SHIFT(m)) * \
         (uint16_t)(m))

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(load)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return LAYOUTS(widen)(bytes);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store)(uint8_t *to, LAYOUTS(vec) value)
{
    LAYOUTS(bytes) bytes = LAYOUTS(narrow)(value);
    memcpy(to, &bytes, sizeof bytes);
}

/* Character i of a value's fields. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(symbol)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(load)(text + (size_t)layout->symbol[i] * TALLY_LAYOUT_ROWS + row);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(digit)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(symbol)(layout, text, i, row) - '0';
}

/* All bits where x is below y, else none; for numbers below 2^15. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(below)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    return 0 - ((x - y) >> 15);
}

/* All bits where x is 0. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(zero)(LAYOUTS(vec) x)
{
    return 0 - ((~x & (x - 1)) >> 15);
}

/* The sum of the first digits, each times a weight. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(weigh)(const tally_layout *layout, const uint8_t *text, size_t row,
                   const uint8_t *weights, size_t count)
{
    LAYOUTS(vec) sum = LAYOUTS(digit)(layout, text, 0, row) * (uint16_t)weights[0];
    for (size_t i = 1; i < count; i++) {
        sum += LAYOUTS(digit)(layout, text, i, row) * (uint16_t)weights[i];
    }
    return sum;
}

/* All bits where every digit is 0. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(zeros)(const tally_layout *layout, const uint8_t *text, size_t row)
{
    LAYOUTS(vec) any = LAYOUTS(digit)(layout, text, 0, row);
    for (size_t i = 1; i < layout->symbols; i++) {
        any |= LAYOUTS(digit)(layout, text, i, row);
    }
    return LAYOUTS(zero)(any);
}

/* (10 - x) modulo 10. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(to_ten)(LAYOUTS(vec) x)
{
    LAYOUTS(vec) rest = 10 - LAYOUTS_REST(x, 10);
    return LAYOUTS_REST(rest, 10);
}

/* A number below 100 as two digits. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(two_digits)(tally_layout_checks *out, size_t row,
                                                     LAYOUTS(vec) number)
{
    LAYOUTS(vec) tens = number * 205 >> 11;
    LAYOUTS(store)(out->character[0] + row, tens + '0');
    LAYOUTS(store)(out->character[1] + row, number - tens * 10 + '0');
}

/* The number of a digit or letter, 0..35; *letter: all bits where it is a letter, of two digits. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(iban_number)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row,
                         LAYOUTS(vec) * letter)
{
    LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
    *letter = 0 - (('9' - c) >> 15);
    return c - '0' - (*letter & 7);
}

/* Two characters at a time, since each step waits for the one before. */
LAYOUTS_TARGET static void LAYOUTS(check_iban)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, one, two;
    size_t i = layout->symbols % 2;
    if (i != 0) {
        rest = LAYOUTS(iban_number)(layout, text, 0, row, &one);
    }
    for (; i < layout->symbols; i += 2) {
        LAYOUTS(vec)
        first = LAYOUTS(iban_number)(layout, text, i, row, &one),
        second = LAYOUTS(iban_number)(layout, text, i + 1, row, &two);
        LAYOUTS(vec) by = 10 - (two & 7); /* 10, or 100 modulo 97 */
        /* 100, 1000 and 10000 are 3, 30 and 9 modulo 97. */
        LAYOUTS(vec) both = 3 + ((one ^ two) & 27) + (one & two & 6);
        rest = rest * both + (first * by + second); /* at most 96 * 30 + 35 * 11 */
        rest = LAYOUTS_REST(rest, 97);
    }
    for (i = 0; i < 2; i++) {
        rest = rest * 100 + (uint16_t)(layout->literal[i].character - 'A' + 10);
        rest = LAYOUTS_REST(rest, 97);
    }
    rest = rest * 100;
    LAYOUTS(two_digits)(out, row, 98 - LAYOUTS_REST(rest, 97));
}

/* The rest modulo 11 of a weighted sum, if it is a digit. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_eleven)(LAYOUTS(vec) rest, size_t row,
                                                       tally_layout_checks *out)
{
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(below)(rest & 0, rest - 9) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_au_tfn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 4, 3, 7, 5, 8, 6, 9};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(check_eleven)(LAYOUTS_REST(sum, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_gb_nhs)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = 11 - LAYOUTS_REST(sum, 11);
    LAYOUTS(check_eleven)(LAYOUTS_REST(rest, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_nl_bsn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(vec) invalid = LAYOUTS(below)(rest & 0, rest - 9) | LAYOUTS(zeros)(layout, text, row);
    LAYOUTS(store)(out->invalid + row, invalid & 1);
}

/* Brazil's digit: 11 less the rest modulo 11, and 0 instead of 10 and 11. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(brazil)(LAYOUTS(vec) sum)
{
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    return (11 - rest) & ~LAYOUTS(below)(rest, (rest & 0) + 2);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_brazil)(const tally_layout *layout,
                                                       const uint8_t *text, size_t row,
                                                       const uint8_t *first, const uint8_t *second,
                                                       size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) one = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, first, count));
    LAYOUTS(vec) two = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, second, count) + one * 2);
    LAYOUTS(store)(out->character[0] + row, one + '0');
    LAYOUTS(store)(out->character[1] + row, two + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zeros)(layout, text, row) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cnpj)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cpf)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {11, 10, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

/* Luhn's digit for the last `count` digits. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_luhn_of)(const tally_layout *layout,
                                                        const uint8_t *text, size_t row,
                                                        size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 1; i <= count; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, layout->symbols - i, row);
        sum += digit;
        if (i % 2 == 1) { /* doubled, less 9 above 9 */
            sum += digit - (LAYOUTS(below)((digit & 0) + 4, digit) & 9);
        }
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_luhn)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, layout->symbols, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_se)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, 9, out); /* without the century */
}

LAYOUTS_TARGET static void LAYOUTS(check_ch_ssn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    sum += 7 * 1 + 5 * 3 + 6 * 1;
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

/* ISO 7064, mod 11,10, of ten digits. */
LAYOUTS_TARGET static void LAYOUTS(check_hr_oib)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) check = (LAYOUTS(load)(text) & 0) + 5, twice;
    for (size_t i = 0; i < 10; i++) {
        twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
        check = LAYOUTS_REST(twice, 11) + LAYOUTS(digit)(layout, text, i, row);
        check = LAYOUTS_REST(check, 10);
    }
    twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
    check = 11 - LAYOUTS_REST(twice, 11);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(check, 10) + '0');
}

/* The digits that came so often, as bits. */
typedef struct LAYOUTS(counts) {
    LAYOUTS(vec) once, twice, thrice, more;
} LAYOUTS(counts);

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(count)(LAYOUTS(counts) * to, LAYOUTS(vec) digit)
{
    LAYOUTS(vec) bit = ((digit & 0) + 1) << (digit & 15);
    to->more |= to->thrice & bit;
    to->thrice |= to->twice & bit;
    to->twice |= to->once & bit;
    to->once |= bit;
}

/* All bits where exactly one digit came more than once, and at most three times. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(one_repeated)(const LAYOUTS(counts) * counts)
{
    return LAYOUTS(zero)(counts->more) & LAYOUTS(zero)(counts->twice & (counts->twice - 1)) &
           ~LAYOUTS(zero)(counts->twice);
}

LAYOUTS_TARGET static void LAYOUTS(check_de_idnr)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) none = LAYOUTS(load)(text) & 0;
    LAYOUTS(counts) counts = {none, none, none, none};
    for (size_t i = 0; i < 10; i++) {
        LAYOUTS(count)(&counts, LAYOUTS(digit)(layout, text, i, row));
    }
    LAYOUTS(check_hr_oib)(layout, text, row, out);
    LAYOUTS(store)(out->invalid + row, ~LAYOUTS(one_repeated)(&counts) & 1);
}

/* Of the German number, of which four in a hundred are values. */
LAYOUTS_TARGET static void LAYOUTS(exclude)(const tally_layout *layout, tally_mixed_digits digits,
                                            size_t rows, uint8_t excluded[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(vec) digit, none;
        memcpy(&digit, digits[0] + row, sizeof digit);
        none = digit & 0;
        LAYOUTS(counts) counts = {none, none, none, none};
        LAYOUTS(count)(&counts, digit + 1); /* it is 1 to 9 */
        for (size_t p = 1; p < layout->fields; p++) {
            memcpy(&digit, digits[p] + row, sizeof digit);
            LAYOUTS(count)(&counts, digit);
        }
        LAYOUTS(store)(excluded + row, ~LAYOUTS(one_repeated)(&counts) & 1);
    }
}

/* The character of a text that has a rest's number. Rests of characters that are no digits may be
 * anything. */
LAYOUTS_TARGET static void LAYOUTS(check_by_text)(LAYOUTS(vec) rest, const char text[33],
                                                  size_t row, tally_layout_checks *out)
{
    uint8_t *to = out->character[0] + row;
    LAYOUTS(store)(to, rest & 31);
    for (size_t i = 0; i < LAYOUTS_LANES; i++) {
        to[i] = (uint8_t)text[to[i]];
    }
}

/* The digits first .. end - 1, appended to a rest modulo m. */
#define LAYOUTS_NUMBER(rest, first, end, m)                                                        \
    for (size_t i_ = (first); i_ < (end); i_++) {                                                  \
        rest = rest * 10 + LAYOUTS(digit)(layout, text, i_, row);                                  \
        rest = LAYOUTS_REST(rest, m);                                                              \
    }

static const char LAYOUTS(spanish)[33] = "TRWAGMYFPDXBNJZSQVHLCKE         ";

LAYOUTS_TARGET static void LAYOUTS(check_es_dni)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_es_nie)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(symbol)(layout, text, 0, row) - 'X';
    LAYOUTS_NUMBER(rest, 1, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fi_hetu)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 6, 31) /* not the century */
    LAYOUTS_NUMBER(rest, 7, 10, 31)
    LAYOUTS(check_by_text)(rest, "0123456789ABCDEFHJKLMNPRSTUVWXY ", row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fr_nir)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, last = LAYOUTS(symbol)(layout, text, 6, row);
    LAYOUTS(vec) corsica = 0 - (('9' - last) >> 15), department;
    LAYOUTS_NUMBER(rest, 0, 5, 97)
    /* 2A counts as 19, and 2B as 18. */
    department = (LAYOUTS(digit)(layout, text, 5, row) * 10 + (last - '0')) & ~corsica;
    department |= (19 + 'A' - last) & corsica;
    rest = rest * 100 + department;
    rest = LAYOUTS_REST(rest, 97);
    LAYOUTS_NUMBER(rest, 7, 13, 97)
    LAYOUTS(two_digits)(out, row, 97 - rest);
}

/* The product in the group of Verhoeff's scheme, the symmetries of a pentagon: 5..9 are
 * reflections. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(pentagon)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    LAYOUTS(vec)
    four = (x & 0) + 4, turned = LAYOUTS(below)(four, x), turns = LAYOUTS(below)(four, y);
    LAYOUTS(vec) from = x - (turned & 5), by = y - (turns & 5);
    LAYOUTS(vec) sum = from + ((by & ~turned) | ((5 - by) & turned));
    return LAYOUTS_REST(sum, 5) + ((turned ^ turns) & 5);
}

LAYOUTS_TARGET static void LAYOUTS(check_in_aadhaar)(const tally_layout *layout,
                                                     const uint8_t *text, size_t row,
                                                     tally_layout_checks *out)
{
    /* Of each power of the permutation: four bits for each of 0..3, of 4..7, and of 8 and 9. */
    static const uint16_t powers[8][3] = {{0x3210, 0x7654, 0x98}, {0x6751, 0x0382, 0x49},
                                          {0x3085, 0x1697, 0x24}, {0x6198, 0x5340, 0x72},
                                          {0x3549, 0x8621, 0x07}, {0x6824, 0x9375, 0x10},
                                          {0x3972, 0x4608, 0x51}, {0x6407, 0x2319, 0x85}};
    LAYOUTS(vec) check = LAYOUTS(load)(text) & 0, differs = check;
    for (size_t i = 1; i <= 11; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, 11 - i, row);
        LAYOUTS(vec) third = (check & 0) + 3, seventh = third + 4, place = (digit & 3) * 4;
        LAYOUTS(vec) middle = LAYOUTS(below)(third, digit), end = LAYOUTS(below)(seventh, digit);
        const uint16_t *power = powers[i % 8];
        LAYOUTS(vec) from = (power[0] & ~middle) | (power[1] & middle & ~end) | (power[2] & end);
        check = LAYOUTS(pentagon)(check, from >> place & 15);
    }
    LAYOUTS(vec) turned = LAYOUTS(below)((check & 0) + 4, check), back = 5 - check;
    check = (check & turned) | (LAYOUTS_REST(back, 5) & ~turned);
    LAYOUTS(store)(out->character[0] + row, check + '0');
    for (size_t i = 1; i < 6; i++) {
        differs |=
            LAYOUTS(symbol)(layout, text, i, row) ^ LAYOUTS(symbol)(layout, text, 11 - i, row);
    }
    differs |= LAYOUTS(symbol)(layout, text, 0, row) ^ (check + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zero)(differs) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_it)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t odd[32] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    const uint8_t *year = text + (size_t)layout->symbol[6] * TALLY_LAYOUT_ROWS + row;
    uint8_t number[LAYOUTS_LANES];
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 0; i < 15; i++) {
        LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
        LAYOUTS(vec) letter = 0 - (('9' - c) >> 15);
        LAYOUTS(vec) value = (c - '0' - (letter & ('A' - '0'))) & 31;
        if (i % 2 == 0) {
            LAYOUTS(store)(number, value);
            for (size_t k = 0; k < LAYOUTS_LANES; k++) {
                number[k] = odd[number[k]];
            }
            value = LAYOUTS(load)(number);
        }
        sum += value;
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(sum, 26) + 'A');
    /* A 29th of February, B29 or B69, of another year than a leap year. */
    LAYOUTS(vec) years = (LAYOUTS(load)(year) - '0') * 10 + LAYOUTS(digit)(layout, text, 7, row);
    LAYOUTS(vec) tens = LAYOUTS(symbol)(layout, text, 9, row);
    LAYOUTS(vec)
    leap_day = LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 8, row) ^ 'B') &
               LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 10, row) ^ '9') &
               (LAYOUTS(zero)(tens ^ '2') | LAYOUTS(zero)(tens ^ '6'));
    LAYOUTS(store)(out->invalid + row, leap_day & ~LAYOUTS(zero)(years & 3) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_pl_pesel)(const tally_layout *layout, const uint8_t *text,
                                                   size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_tr)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3},
                         ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    LAYOUTS(vec)
    first = LAYOUTS(to_ten)(LAYOUTS(weigh)(layout, text, row, weights, sizeof weights));
    LAYOUTS(vec) second = LAYOUTS(weigh)(layout, text, row, ones, sizeof ones) + first;
    LAYOUTS(store)(out->character[0] + row, first + '0');
    LAYOUTS(store)(out->character[1] + row, LAYOUTS_REST(second, 10) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_ssn)(const tally_layout *layout, const uint8_t *text,
                                              size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec)
    part[3] = {LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0};
    for (size_t i = 0; i < 9; i++) {
        LAYOUTS(vec) *number = &part[i < 3 ? 0 : i < 5 ? 1 : 2];
        *number = *number * 10 + LAYOUTS(digit)(layout, text, i, row);
    }
    /* Never assigned are the areas 000, 666 and 900 to 999, the group 00 and the serial 0000. */
    LAYOUTS(vec) most = (part[0] & 0) + 899;
    LAYOUTS(vec)
    never = LAYOUTS(zero)(part[0]) | LAYOUTS(zero)(part[0] ^ 666) | LAYOUTS(below)(most, part[0]) |
            LAYOUTS(zero)(part[1]) | LAYOUTS(zero)(part[2]);
    LAYOUTS(store)(out->invalid + row, (layout->in_plan != 0 ? never : ~never) & 1);
}

#if !defined(LAYOUTS_OWN_PHONE)
LAYOUTS_TARGET static void LAYOUTS(check_phone)(const tally_layout *layout, const uint8_t *text,
                                                size_t row, tally_layout_checks *out)
{
    for (size_t i = row; i < row + LAYOUTS_LANES; i++) {
        /* None begins with 00, behind which a calling code comes. */
        out->invalid[i] =
            tally_phone_in_plan(layout->root, text + i, TALLY_LAYOUT_ROWS) != layout->in_plan ||
            (text[i] == '0' && text[i + TALLY_LAYOUT_ROWS] == '0');
    }
}
#endif

typedef void LAYOUTS(check)(const tally_layout *layout, const uint8_t *text, size_t row,
                            tally_layout_checks *out);

/* By rule. */
static LAYOUTS(check) *const LAYOUTS(rules)[] = {
    [TALLY_CHECK_IBAN] = LAYOUTS(check_iban),
    [TALLY_CHECK_AU_TFN] = LAYOUTS(check_au_tfn),
    [TALLY_CHECK_BR_CNPJ] = LAYOUTS(check_br_cnpj),
    [TALLY_CHECK_BR_CPF] = LAYOUTS(check_br_cpf),
    [TALLY_CHECK_LUHN] = LAYOUTS(check_luhn),
    [TALLY_CHECK_CH_SSN] = LAYOUTS(check_ch_ssn),
    [TALLY_CHECK_DE_IDNR] = LAYOUTS(check_de_idnr),
    [TALLY_CHECK_ES_DNI] = LAYOUTS(check_es_dni),
    [TALLY_CHECK_ES_NIE] = LAYOUTS(check_es_nie),
    [TALLY_CHECK_FI_HETU] = LAYOUTS(check_fi_hetu),
    [TALLY_CHECK_FR_NIR] = LAYOUTS(check_fr_nir),
    [TALLY_CHECK_GB_NHS] = LAYOUTS(check_gb_nhs),
    [TALLY_CHECK_HR_OIB] = LAYOUTS(check_hr_oib),
    [TALLY_CHECK_IN_AADHAAR] = LAYOUTS(check_in_aadhaar),
    [TALLY_CHECK_IT_CODICEFISCALE] = LAYOUTS(check_it),
    [TALLY_CHECK_NL_BSN] = LAYOUTS(check_nl_bsn),
    [TALLY_CHECK_PL_PESEL] = LAYOUTS(check_pl_pesel),
    [TALLY_CHECK_SE_PERSONNUMMER] = LAYOUTS(check_se),
    [TALLY_CHECK_TR_TCKIMLIK] = LAYOUTS(check_tr),
    [TALLY_CHECK_SSN] = LAYOUTS(check_ssn),
    [TALLY_CHECK_PHONE] = LAYOUTS(check_phone),
};

/* The check characters of a block. */
LAYOUTS_TARGET static void LAYOUTS(make_checks)(const tally_layout *layout, const uint8_t *text,
                                                size_t rows, tally_layout_checks *out)
{
    memset(out->invalid, 0, sizeof out->invalid);
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(rules)[layout->check_rule](layout, text, row, out);
    }
}

#undef LAYOUTS_REST
#undef LAYOUTS_SHIFT
#undef LAYOUTS_NUMBER

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes) LAYOUTS(load_bytes)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store_bytes)(uint8_t *to, LAYOUTS(bytes) bytes)
{
    memcpy(to, &bytes, sizeof bytes);
}

/* Reads a field of one character; returns zeros where it is one of its choices. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(read_field)(const tally_choices *choices, LAYOUTS(bytes) c, uint16_t *to)
{
    LAYOUTS(bytes) digit = c ^ c, within = digit;
    for (uint32_t r = 0; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r];
        LAYOUTS(bytes) from = c - range->first, inside = LAYOUTS_BELOW(from, range->count);
        digit |= inside & (LAYOUTS(bytes))(from + range->base);
        within |= inside;
    }
    LAYOUTS(vec) wide = LAYOUTS(widen)(digit);
    memcpy(to, &wide, sizeof wide);
    return (LAYOUTS(bytes)) ~within;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(write_field)(const tally_choices *choices, const uint16_t *from)
{
    LAYOUTS(vec) wide;
    memcpy(&wide, from, sizeof wide);
    LAYOUTS(bytes)
    digit = LAYOUTS(narrow)(wide), c = digit + choices->range[0].first;
    for (uint32_t r = 1; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r], *before = range - 1;
        /* What the characters between both ranges add. */
        uint8_t gap = (uint8_t)(range->first - before->first - before->count);
        c += (LAYOUTS(bytes)) ~LAYOUTS_BELOW(digit, range->base) & gap;
    }
    return c;
}

LAYOUTS_TARGET static void LAYOUTS(read)(const tally_layout *layout, uint8_t *text, size_t rows,
                                         tally_mixed_digits digits,
                                         uint8_t status[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
        LAYOUTS(bytes) differs = LAYOUTS(load_bytes)(text + row);
        differs ^= differs;
        for (uint32_t i = 0; i < layout->literals; i++) {
            const tally_layout_literal *literal = &layout->literal[i];
            differs |=
                LAYOUTS(load_bytes)(text + (size_t)literal->place * TALLY_LAYOUT_ROWS + row) ^
                literal->character;
        }
        for (uint32_t i = 0; i < layout->fields; i++) {
            const tally_layout_field *field = &layout->field[i];
            if (field->choices->width == 1) {
                differs |= LAYOUTS(read_field)(
                    field->choices,
                    LAYOUTS(load_bytes)(text + (size_t)field->place * TALLY_LAYOUT_ROWS + row),
                    digits[i] + row);
            }
        }
        LAYOUTS(store_bytes)(status + row, differs);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        if (field->choices->width > 1) {
            const uint8_t *from = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
            for (size_t row = 0; row < rows; row++) {
                uint32_t digit = tally_choices_read(field->choices, from + row);
                digits[i][row] = digit == 0xffff ? 0 : (uint16_t)digit;
                status[row] |= digit == 0xffff;
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] != 0 ? TALLY_REASON_NOTATION : 0;
    }
    if (layout->check_rule == TALLY_CHECK_NONE || layout->check_rule == TALLY_CHECK_PHONE) {
        return; /* a number's layout follows from its plan */
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        const uint8_t *found = text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS;
        for (size_t row = 0; row < rows; row++) {
            checks.invalid[row] |= found[row] ^ checks.character[k][row];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] =
            status[row] == 0 && checks.invalid[row] != 0 ? TALLY_REASON_CHECK : status[row];
    }
    tally_wipe(&checks, sizeof checks);
}

LAYOUTS_TARGET static void LAYOUTS(write)(const tally_layout *layout, tally_mixed_digits digits,
                                          size_t rows, uint8_t *text,
                                          uint8_t invalid[TALLY_LAYOUT_ROWS])
{
    for (uint32_t i = 0; i < layout->literals; i++) {
        const tally_layout_literal *literal = &layout->literal[i];
        memset(text + (size_t)literal->place * TALLY_LAYOUT_ROWS, literal->character,
               TALLY_LAYOUT_ROWS);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        uint8_t *to = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
        if (field->choices->width == 1) {
            for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
                LAYOUTS(store_bytes)
                (to + row, LAYOUTS(write_field)(field->choices, digits[i] + row));
            }
            continue;
        }
        for (size_t row = 0; row < rows; row++) {
            tally_choices_write(field->choices, digits[i][row], to + row);
        }
    }
    if (layout->check_rule == TALLY_CHECK_NONE) {
        memset(invalid, 0, TALLY_LAYOUT_ROWS);
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        memcpy(text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS, checks.character[k],
               TALLY_LAYOUT_ROWS);
    }
    memcpy(invalid, checks.invalid, TALLY_LAYOUT_ROWS);
    tally_wipe(&checks, sizeof checks);
}

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW

const tally_layout_lanes tally_layout_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, layouts_avx2_read, layouts_avx2_exclude, layouts_avx2_write};

#else
typedef int tally_layouts_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/formats/layouts_avx512.c ---- */
/*
 * Values of layouts with AVX-512. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#if defined(__GNUC__) && !defined(__clang__)
/* Without optimization, gcc's intrinsics are macros that convert the sign of their masks. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define LAYOUTS(name)  layouts_avx512_##name
#define LAYOUTS_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define LAYOUTS_LANES  32
#define LAYOUTS_HIGH(x, y)                                                                         \
    ((layouts_avx512_vec)_mm512_mulhi_epu16((__m512i)(x), _mm512_set1_epi16((int16_t)(y))))

#define LAYOUTS_BELOW(x, y) ((layouts_avx512_bytes)((x) < (y)))

typedef uint16_t layouts_avx512_vec __attribute__((vector_size(64)));
typedef uint8_t layouts_avx512_bytes __attribute__((vector_size(32)));

TALLY_INLINE LAYOUTS_TARGET layouts_avx512_vec layouts_avx512_widen(layouts_avx512_bytes bytes)
{
    return (layouts_avx512_vec)_mm512_cvtepu8_epi16((__m256i)bytes);
}

TALLY_INLINE LAYOUTS_TARGET layouts_avx512_bytes layouts_avx512_narrow(layouts_avx512_vec wide)
{
    return (layouts_avx512_bytes)_mm512_cvtepi16_epi8((__m512i)wide);
}

#define LAYOUTS_OWN_PHONE

#if defined(__clang__)
#define LAYOUTS_ANY_LANES __attribute__((no_sanitize("memory")))
#else
#define LAYOUTS_ANY_LANES
#endif

/* Sixteen numbers are followed at once through the nodes of their plan. Lanes behind the last row
 * hold anything: their digits are bounded as well, and nobody reads what comes of them. */
LAYOUTS_TARGET LAYOUTS_ANY_LANES static void layouts_avx512_check_phone(const tally_layout *layout,
                                                                        const uint8_t *text,
                                                                        size_t row,
                                                                        tally_layout_checks *out)
{
    const __m512i zero = _mm512_set1_epi32('0'), most = _mm512_set1_epi32(9);
    for (size_t i = row; i < row + LAYOUTS_LANES; i += 16) {
        __m512i node = _mm512_set1_epi32(layout->root);
        __mmask16 zeros = UINT16_MAX; /* none begins with 00, behind which a calling code comes */
        for (size_t p = 0; p < TALLY_PHONE_DEPTH; p++) {
            const uint8_t *from = text + p * TALLY_LAYOUT_ROWS + i;
            const __m512i c = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)from));
            const __m512i digit = _mm512_min_epu32(_mm512_sub_epi32(c, zero), most);
            if (p < 2) {
                zeros &= _mm512_cmpeq_epi32_mask(c, zero);
            }
            node = _mm512_i32gather_epi32(_mm512_add_epi32(node, digit), tally_phone_nodes, 2);
            node = _mm512_and_si512(node, _mm512_set1_epi32(0xffff));
        }
        const __mmask16 inside = _mm512_test_epi32_mask(node, node),
                        wanted = layout->in_plan != 0 ? UINT16_MAX : 0;
        _mm_storeu_si128((__m128i_u *)(out->invalid + i),
                         _mm_maskz_set1_epi8((__mmask16)((inside ^ wanted) | zeros), 1));
    }
}

/* ---- core/formats/layouts_body.h, again ---- */

/* ---- core/formats/layouts_checks_body.h, again ---- */

#define LAYOUTS_SHIFT(m) ((m) > 64 ? 6 : (m) > 32 ? 5 : (m) > 16 ? 4 : (m) > 8 ? 3 : 2)
#define LAYOUTS_REST(x, m)                                                                         \
    ((x) -                                                                                         \
     (LAYOUTS_HIGH(x, (uint16_t)((0x10000U << LAYOUTS_SHIFT(m)) / (m) + 1)) >> LAYOUTS_SHIFT(m)) * \
         (uint16_t)(m))

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(load)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return LAYOUTS(widen)(bytes);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store)(uint8_t *to, LAYOUTS(vec) value)
{
    LAYOUTS(bytes) bytes = LAYOUTS(narrow)(value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(symbol)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(load)(text + (size_t)layout->symbol[i] * TALLY_LAYOUT_ROWS + row);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(digit)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(symbol)(layout, text, i, row) - '0';
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(below)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    return 0 - ((x - y) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(zero)(LAYOUTS(vec) x)
{
    return 0 - ((~x & (x - 1)) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(weigh)(const tally_layout *layout, const uint8_t *text, size_t row,
                   const uint8_t *weights, size_t count)
{
    LAYOUTS(vec) sum = LAYOUTS(digit)(layout, text, 0, row) * (uint16_t)weights[0];
    for (size_t i = 1; i < count; i++) {
        sum += LAYOUTS(digit)(layout, text, i, row) * (uint16_t)weights[i];
    }
    return sum;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(zeros)(const tally_layout *layout, const uint8_t *text, size_t row)
{
    LAYOUTS(vec) any = LAYOUTS(digit)(layout, text, 0, row);
    for (size_t i = 1; i < layout->symbols; i++) {
        any |= LAYOUTS(digit)(layout, text, i, row);
    }
    return LAYOUTS(zero)(any);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(to_ten)(LAYOUTS(vec) x)
{
    LAYOUTS(vec) rest = 10 - LAYOUTS_REST(x, 10);
    return LAYOUTS_REST(rest, 10);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(two_digits)(tally_layout_checks *out, size_t row,
                                                     LAYOUTS(vec) number)
{
    LAYOUTS(vec) tens = number * 205 >> 11;
    LAYOUTS(store)(out->character[0] + row, tens + '0');
    LAYOUTS(store)(out->character[1] + row, number - tens * 10 + '0');
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(iban_number)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row,
                         LAYOUTS(vec) * letter)
{
    LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
    *letter = 0 - (('9' - c) >> 15);
    return c - '0' - (*letter & 7);
}

LAYOUTS_TARGET static void LAYOUTS(check_iban)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, one, two;
    size_t i = layout->symbols % 2;
    if (i != 0) {
        rest = LAYOUTS(iban_number)(layout, text, 0, row, &one);
    }
    for (; i < layout->symbols; i += 2) {
        LAYOUTS(vec)
        first = LAYOUTS(iban_number)(layout, text, i, row, &one),
        second = LAYOUTS(iban_number)(layout, text, i + 1, row, &two);
        LAYOUTS(vec) by = 10 - (two & 7);

        LAYOUTS(vec) both = 3 + ((one ^ two) & 27) + (one & two & 6);
        rest = rest * both + (first * by + second);
        rest = LAYOUTS_REST(rest, 97);
    }
    for (i = 0; i < 2; i++) {
        rest = rest * 100 + (uint16_t)(layout->literal[i].character - 'A' + 10);
        rest = LAYOUTS_REST(rest, 97);
    }
    rest = rest * 100;
    LAYOUTS(two_digits)(out, row, 98 - LAYOUTS_REST(rest, 97));
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_eleven)(LAYOUTS(vec) rest, size_t row,
                                                       tally_layout_checks *out)
{
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(below)(rest & 0, rest - 9) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_au_tfn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 4, 3, 7, 5, 8, 6, 9};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(check_eleven)(LAYOUTS_REST(sum, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_gb_nhs)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = 11 - LAYOUTS_REST(sum, 11);
    LAYOUTS(check_eleven)(LAYOUTS_REST(rest, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_nl_bsn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(vec) invalid = LAYOUTS(below)(rest & 0, rest - 9) | LAYOUTS(zeros)(layout, text, row);
    LAYOUTS(store)(out->invalid + row, invalid & 1);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(brazil)(LAYOUTS(vec) sum)
{
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    return (11 - rest) & ~LAYOUTS(below)(rest, (rest & 0) + 2);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_brazil)(const tally_layout *layout,
                                                       const uint8_t *text, size_t row,
                                                       const uint8_t *first, const uint8_t *second,
                                                       size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) one = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, first, count));
    LAYOUTS(vec) two = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, second, count) + one * 2);
    LAYOUTS(store)(out->character[0] + row, one + '0');
    LAYOUTS(store)(out->character[1] + row, two + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zeros)(layout, text, row) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cnpj)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cpf)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {11, 10, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_luhn_of)(const tally_layout *layout,
                                                        const uint8_t *text, size_t row,
                                                        size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 1; i <= count; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, layout->symbols - i, row);
        sum += digit;
        if (i % 2 == 1) {
            sum += digit - (LAYOUTS(below)((digit & 0) + 4, digit) & 9);
        }
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_luhn)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, layout->symbols, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_se)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, 9, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_ch_ssn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    sum += 7 * 1 + 5 * 3 + 6 * 1;
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_hr_oib)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) check = (LAYOUTS(load)(text) & 0) + 5, twice;
    for (size_t i = 0; i < 10; i++) {
        twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
        check = LAYOUTS_REST(twice, 11) + LAYOUTS(digit)(layout, text, i, row);
        check = LAYOUTS_REST(check, 10);
    }
    twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
    check = 11 - LAYOUTS_REST(twice, 11);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(check, 10) + '0');
}

typedef struct LAYOUTS(counts) {
    LAYOUTS(vec) once, twice, thrice, more;
} LAYOUTS(counts);

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(count)(LAYOUTS(counts) * to, LAYOUTS(vec) digit)
{
    LAYOUTS(vec) bit = ((digit & 0) + 1) << (digit & 15);
    to->more |= to->thrice & bit;
    to->thrice |= to->twice & bit;
    to->twice |= to->once & bit;
    to->once |= bit;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(one_repeated)(const LAYOUTS(counts) * counts)
{
    return LAYOUTS(zero)(counts->more) & LAYOUTS(zero)(counts->twice & (counts->twice - 1)) &
           ~LAYOUTS(zero)(counts->twice);
}

LAYOUTS_TARGET static void LAYOUTS(check_de_idnr)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) none = LAYOUTS(load)(text) & 0;
    LAYOUTS(counts) counts = {none, none, none, none};
    for (size_t i = 0; i < 10; i++) {
        LAYOUTS(count)(&counts, LAYOUTS(digit)(layout, text, i, row));
    }
    LAYOUTS(check_hr_oib)(layout, text, row, out);
    LAYOUTS(store)(out->invalid + row, ~LAYOUTS(one_repeated)(&counts) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(exclude)(const tally_layout *layout, tally_mixed_digits digits,
                                            size_t rows, uint8_t excluded[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(vec) digit, none;
        memcpy(&digit, digits[0] + row, sizeof digit);
        none = digit & 0;
        LAYOUTS(counts) counts = {none, none, none, none};
        LAYOUTS(count)(&counts, digit + 1);
        for (size_t p = 1; p < layout->fields; p++) {
            memcpy(&digit, digits[p] + row, sizeof digit);
            LAYOUTS(count)(&counts, digit);
        }
        LAYOUTS(store)(excluded + row, ~LAYOUTS(one_repeated)(&counts) & 1);
    }
}

LAYOUTS_TARGET static void LAYOUTS(check_by_text)(LAYOUTS(vec) rest, const char text[33],
                                                  size_t row, tally_layout_checks *out)
{
    uint8_t *to = out->character[0] + row;
    LAYOUTS(store)(to, rest & 31);
    for (size_t i = 0; i < LAYOUTS_LANES; i++) {
        to[i] = (uint8_t)text[to[i]];
    }
}

#define LAYOUTS_NUMBER(rest, first, end, m)                                                        \
    for (size_t i_ = (first); i_ < (end); i_++) {                                                  \
        rest = rest * 10 + LAYOUTS(digit)(layout, text, i_, row);                                  \
        rest = LAYOUTS_REST(rest, m);                                                              \
    }

static const char LAYOUTS(spanish)[33] = "TRWAGMYFPDXBNJZSQVHLCKE         ";

LAYOUTS_TARGET static void LAYOUTS(check_es_dni)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_es_nie)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(symbol)(layout, text, 0, row) - 'X';
    LAYOUTS_NUMBER(rest, 1, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fi_hetu)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 6, 31)
    LAYOUTS_NUMBER(rest, 7, 10, 31)
    LAYOUTS(check_by_text)(rest, "0123456789ABCDEFHJKLMNPRSTUVWXY ", row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fr_nir)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, last = LAYOUTS(symbol)(layout, text, 6, row);
    LAYOUTS(vec) corsica = 0 - (('9' - last) >> 15), department;
    LAYOUTS_NUMBER(rest, 0, 5, 97)

    department = (LAYOUTS(digit)(layout, text, 5, row) * 10 + (last - '0')) & ~corsica;
    department |= (19 + 'A' - last) & corsica;
    rest = rest * 100 + department;
    rest = LAYOUTS_REST(rest, 97);
    LAYOUTS_NUMBER(rest, 7, 13, 97)
    LAYOUTS(two_digits)(out, row, 97 - rest);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(pentagon)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    LAYOUTS(vec)
    four = (x & 0) + 4, turned = LAYOUTS(below)(four, x), turns = LAYOUTS(below)(four, y);
    LAYOUTS(vec) from = x - (turned & 5), by = y - (turns & 5);
    LAYOUTS(vec) sum = from + ((by & ~turned) | ((5 - by) & turned));
    return LAYOUTS_REST(sum, 5) + ((turned ^ turns) & 5);
}

LAYOUTS_TARGET static void LAYOUTS(check_in_aadhaar)(const tally_layout *layout,
                                                     const uint8_t *text, size_t row,
                                                     tally_layout_checks *out)
{

    static const uint16_t powers[8][3] = {{0x3210, 0x7654, 0x98}, {0x6751, 0x0382, 0x49},
                                          {0x3085, 0x1697, 0x24}, {0x6198, 0x5340, 0x72},
                                          {0x3549, 0x8621, 0x07}, {0x6824, 0x9375, 0x10},
                                          {0x3972, 0x4608, 0x51}, {0x6407, 0x2319, 0x85}};
    LAYOUTS(vec) check = LAYOUTS(load)(text) & 0, differs = check;
    for (size_t i = 1; i <= 11; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, 11 - i, row);
        LAYOUTS(vec) third = (check & 0) + 3, seventh = third + 4, place = (digit & 3) * 4;
        LAYOUTS(vec) middle = LAYOUTS(below)(third, digit), end = LAYOUTS(below)(seventh, digit);
        const uint16_t *power = powers[i % 8];
        LAYOUTS(vec) from = (power[0] & ~middle) | (power[1] & middle & ~end) | (power[2] & end);
        check = LAYOUTS(pentagon)(check, from >> place & 15);
    }
    LAYOUTS(vec) turned = LAYOUTS(below)((check & 0) + 4, check), back = 5 - check;
    check = (check & turned) | (LAYOUTS_REST(back, 5) & ~turned);
    LAYOUTS(store)(out->character[0] + row, check + '0');
    for (size_t i = 1; i < 6; i++) {
        differs |=
            LAYOUTS(symbol)(layout, text, i, row) ^ LAYOUTS(symbol)(layout, text, 11 - i, row);
    }
    differs |= LAYOUTS(symbol)(layout, text, 0, row) ^ (check + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zero)(differs) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_it)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t odd[32] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    const uint8_t *year = text + (size_t)layout->symbol[6] * TALLY_LAYOUT_ROWS + row;
    uint8_t number[LAYOUTS_LANES];
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 0; i < 15; i++) {
        LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
        LAYOUTS(vec) letter = 0 - (('9' - c) >> 15);
        LAYOUTS(vec) value = (c - '0' - (letter & ('A' - '0'))) & 31;
        if (i % 2 == 0) {
            LAYOUTS(store)(number, value);
            for (size_t k = 0; k < LAYOUTS_LANES; k++) {
                number[k] = odd[number[k]];
            }
            value = LAYOUTS(load)(number);
        }
        sum += value;
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(sum, 26) + 'A');

    LAYOUTS(vec) years = (LAYOUTS(load)(year) - '0') * 10 + LAYOUTS(digit)(layout, text, 7, row);
    LAYOUTS(vec) tens = LAYOUTS(symbol)(layout, text, 9, row);
    LAYOUTS(vec)
    leap_day = LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 8, row) ^ 'B') &
               LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 10, row) ^ '9') &
               (LAYOUTS(zero)(tens ^ '2') | LAYOUTS(zero)(tens ^ '6'));
    LAYOUTS(store)(out->invalid + row, leap_day & ~LAYOUTS(zero)(years & 3) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_pl_pesel)(const tally_layout *layout, const uint8_t *text,
                                                   size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_tr)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3},
                         ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    LAYOUTS(vec)
    first = LAYOUTS(to_ten)(LAYOUTS(weigh)(layout, text, row, weights, sizeof weights));
    LAYOUTS(vec) second = LAYOUTS(weigh)(layout, text, row, ones, sizeof ones) + first;
    LAYOUTS(store)(out->character[0] + row, first + '0');
    LAYOUTS(store)(out->character[1] + row, LAYOUTS_REST(second, 10) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_ssn)(const tally_layout *layout, const uint8_t *text,
                                              size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec)
    part[3] = {LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0};
    for (size_t i = 0; i < 9; i++) {
        LAYOUTS(vec) *number = &part[i < 3 ? 0 : i < 5 ? 1 : 2];
        *number = *number * 10 + LAYOUTS(digit)(layout, text, i, row);
    }

    LAYOUTS(vec) most = (part[0] & 0) + 899;
    LAYOUTS(vec)
    never = LAYOUTS(zero)(part[0]) | LAYOUTS(zero)(part[0] ^ 666) | LAYOUTS(below)(most, part[0]) |
            LAYOUTS(zero)(part[1]) | LAYOUTS(zero)(part[2]);
    LAYOUTS(store)(out->invalid + row, (layout->in_plan != 0 ? never : ~never) & 1);
}

#if !defined(LAYOUTS_OWN_PHONE)
LAYOUTS_TARGET static void LAYOUTS(check_phone)(const tally_layout *layout, const uint8_t *text,
                                                size_t row, tally_layout_checks *out)
{
    for (size_t i = row; i < row + LAYOUTS_LANES; i++) {

        out->invalid[i] =
            tally_phone_in_plan(layout->root, text + i, TALLY_LAYOUT_ROWS) != layout->in_plan ||
            (text[i] == '0' && text[i + TALLY_LAYOUT_ROWS] == '0');
    }
}
#endif

typedef void LAYOUTS(check)(const tally_layout *layout, const uint8_t *text, size_t row,
                            tally_layout_checks *out);

static LAYOUTS(check) *const LAYOUTS(rules)[] = {
    [TALLY_CHECK_IBAN] = LAYOUTS(check_iban),
    [TALLY_CHECK_AU_TFN] = LAYOUTS(check_au_tfn),
    [TALLY_CHECK_BR_CNPJ] = LAYOUTS(check_br_cnpj),
    [TALLY_CHECK_BR_CPF] = LAYOUTS(check_br_cpf),
    [TALLY_CHECK_LUHN] = LAYOUTS(check_luhn),
    [TALLY_CHECK_CH_SSN] = LAYOUTS(check_ch_ssn),
    [TALLY_CHECK_DE_IDNR] = LAYOUTS(check_de_idnr),
    [TALLY_CHECK_ES_DNI] = LAYOUTS(check_es_dni),
    [TALLY_CHECK_ES_NIE] = LAYOUTS(check_es_nie),
    [TALLY_CHECK_FI_HETU] = LAYOUTS(check_fi_hetu),
    [TALLY_CHECK_FR_NIR] = LAYOUTS(check_fr_nir),
    [TALLY_CHECK_GB_NHS] = LAYOUTS(check_gb_nhs),
    [TALLY_CHECK_HR_OIB] = LAYOUTS(check_hr_oib),
    [TALLY_CHECK_IN_AADHAAR] = LAYOUTS(check_in_aadhaar),
    [TALLY_CHECK_IT_CODICEFISCALE] = LAYOUTS(check_it),
    [TALLY_CHECK_NL_BSN] = LAYOUTS(check_nl_bsn),
    [TALLY_CHECK_PL_PESEL] = LAYOUTS(check_pl_pesel),
    [TALLY_CHECK_SE_PERSONNUMMER] = LAYOUTS(check_se),
    [TALLY_CHECK_TR_TCKIMLIK] = LAYOUTS(check_tr),
    [TALLY_CHECK_SSN] = LAYOUTS(check_ssn),
    [TALLY_CHECK_PHONE] = LAYOUTS(check_phone),
};

LAYOUTS_TARGET static void LAYOUTS(make_checks)(const tally_layout *layout, const uint8_t *text,
                                                size_t rows, tally_layout_checks *out)
{
    memset(out->invalid, 0, sizeof out->invalid);
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(rules)[layout->check_rule](layout, text, row, out);
    }
}

#undef LAYOUTS_REST
#undef LAYOUTS_SHIFT
#undef LAYOUTS_NUMBER

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes) LAYOUTS(load_bytes)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store_bytes)(uint8_t *to, LAYOUTS(bytes) bytes)
{
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(read_field)(const tally_choices *choices, LAYOUTS(bytes) c, uint16_t *to)
{
    LAYOUTS(bytes) digit = c ^ c, within = digit;
    for (uint32_t r = 0; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r];
        LAYOUTS(bytes) from = c - range->first, inside = LAYOUTS_BELOW(from, range->count);
        digit |= inside & (LAYOUTS(bytes))(from + range->base);
        within |= inside;
    }
    LAYOUTS(vec) wide = LAYOUTS(widen)(digit);
    memcpy(to, &wide, sizeof wide);
    return (LAYOUTS(bytes)) ~within;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(write_field)(const tally_choices *choices, const uint16_t *from)
{
    LAYOUTS(vec) wide;
    memcpy(&wide, from, sizeof wide);
    LAYOUTS(bytes)
    digit = LAYOUTS(narrow)(wide), c = digit + choices->range[0].first;
    for (uint32_t r = 1; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r], *before = range - 1;

        uint8_t gap = (uint8_t)(range->first - before->first - before->count);
        c += (LAYOUTS(bytes)) ~LAYOUTS_BELOW(digit, range->base) & gap;
    }
    return c;
}

LAYOUTS_TARGET static void LAYOUTS(read)(const tally_layout *layout, uint8_t *text, size_t rows,
                                         tally_mixed_digits digits,
                                         uint8_t status[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
        LAYOUTS(bytes) differs = LAYOUTS(load_bytes)(text + row);
        differs ^= differs;
        for (uint32_t i = 0; i < layout->literals; i++) {
            const tally_layout_literal *literal = &layout->literal[i];
            differs |=
                LAYOUTS(load_bytes)(text + (size_t)literal->place * TALLY_LAYOUT_ROWS + row) ^
                literal->character;
        }
        for (uint32_t i = 0; i < layout->fields; i++) {
            const tally_layout_field *field = &layout->field[i];
            if (field->choices->width == 1) {
                differs |= LAYOUTS(read_field)(
                    field->choices,
                    LAYOUTS(load_bytes)(text + (size_t)field->place * TALLY_LAYOUT_ROWS + row),
                    digits[i] + row);
            }
        }
        LAYOUTS(store_bytes)(status + row, differs);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        if (field->choices->width > 1) {
            const uint8_t *from = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
            for (size_t row = 0; row < rows; row++) {
                uint32_t digit = tally_choices_read(field->choices, from + row);
                digits[i][row] = digit == 0xffff ? 0 : (uint16_t)digit;
                status[row] |= digit == 0xffff;
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] != 0 ? TALLY_REASON_NOTATION : 0;
    }
    if (layout->check_rule == TALLY_CHECK_NONE || layout->check_rule == TALLY_CHECK_PHONE) {
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        const uint8_t *found = text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS;
        for (size_t row = 0; row < rows; row++) {
            checks.invalid[row] |= found[row] ^ checks.character[k][row];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] =
            status[row] == 0 && checks.invalid[row] != 0 ? TALLY_REASON_CHECK : status[row];
    }
    tally_wipe(&checks, sizeof checks);
}

LAYOUTS_TARGET static void LAYOUTS(write)(const tally_layout *layout, tally_mixed_digits digits,
                                          size_t rows, uint8_t *text,
                                          uint8_t invalid[TALLY_LAYOUT_ROWS])
{
    for (uint32_t i = 0; i < layout->literals; i++) {
        const tally_layout_literal *literal = &layout->literal[i];
        memset(text + (size_t)literal->place * TALLY_LAYOUT_ROWS, literal->character,
               TALLY_LAYOUT_ROWS);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        uint8_t *to = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
        if (field->choices->width == 1) {
            for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
                LAYOUTS(store_bytes)
                (to + row, LAYOUTS(write_field)(field->choices, digits[i] + row));
            }
            continue;
        }
        for (size_t row = 0; row < rows; row++) {
            tally_choices_write(field->choices, digits[i][row], to + row);
        }
    }
    if (layout->check_rule == TALLY_CHECK_NONE) {
        memset(invalid, 0, TALLY_LAYOUT_ROWS);
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        memcpy(text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS, checks.character[k],
               TALLY_LAYOUT_ROWS);
    }
    memcpy(invalid, checks.invalid, TALLY_LAYOUT_ROWS);
    tally_wipe(&checks, sizeof checks);
}

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW
#undef LAYOUTS_OWN_PHONE

const tally_layout_lanes tally_layout_avx512 = {{"avx512", TALLY_CPU_AVX512},
                                                layouts_avx512_read,
                                                layouts_avx512_exclude,
                                                layouts_avx512_write};

#define LAYOUTS_AVX512_PACK                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")))

LAYOUTS_AVX512_PACK static void layouts_avx512_pack(uint64_t chosen, const uint8_t *from,
                                                    uint8_t *to)
{
    const __m512i packed =
        _mm512_maskz_compress_epi8(chosen, _mm512_maskz_loadu_epi8(chosen, from));
    const int count = __builtin_popcountll(chosen);
    _mm512_mask_storeu_epi8(to, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1, packed);
}

LAYOUTS_AVX512_PACK static void layouts_avx512_pack_rows(uint64_t chosen, const uint16_t *from,
                                                         uint16_t *to)
{
    const __mmask32 low = (__mmask32)chosen, high = (__mmask32)(chosen >> 32);
    const __m512i one = _mm512_maskz_compress_epi16(low, _mm512_maskz_loadu_epi16(low, from)),
                  two =
                      _mm512_maskz_compress_epi16(high, _mm512_maskz_loadu_epi16(high, from + 32));
    const int first = __builtin_popcount(low), second = __builtin_popcount(high);
    _mm512_mask_storeu_epi16(to, (__mmask32)((UINT64_C(1) << first) - 1), one);
    _mm512_mask_storeu_epi16(to + first, (__mmask32)((UINT64_C(1) << second) - 1), two);
}

const tally_layout_packing tally_layout_packing_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2}, layouts_avx512_pack, layouts_avx512_pack_rows};

#else
typedef int tally_layouts_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/formats/layouts_list.c ---- */
/*
 * Fields of several characters: dates, months, departments. Tables of some kilobytes stand for the
 * list of all texts. */

enum { LIST_STEP = 16, LIST_SETS = 255 };

static uint8_t list_character(uint64_t text, uint32_t width, uint32_t place)
{
    return (uint8_t)(text >> (8 * (width - 1 - place)));
}

/* Numbers the characters of each place, in their order. */
static void list_make_codes(tally_choices *to, const uint64_t *texts, size_t count)
{
    tally_list *list = to->list;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < to->width; p++) {
            tally_characters_add(&to->characters[p], list_character(texts[i], to->width, p));
        }
    }
    memset(list->code, 0xff, sizeof list->code);
    for (uint32_t p = 0; p < to->width; p++) {
        for (uint32_t c = 0; c < 128; c++) {
            if (tally_characters_have(&to->characters[p], c)) {
                list->code[p][c] = (uint8_t)list->codes[p]++;
            }
        }
    }
}

/* The number that the codes of characters first .. end - 1 make. */
static uint32_t list_number(const tally_list *list, uint64_t text, uint32_t width, uint32_t first,
                            uint32_t end)
{
    uint32_t number = 0;
    for (uint32_t p = first; p < end; p++) {
        number = number * list->codes[p] + list->code[p][list_character(text, width, p)];
    }
    return number;
}

static uint32_t list_numbers(const tally_list *list, uint32_t first, uint32_t end)
{
    uint32_t count = 1;
    for (uint32_t p = first; p < end; p++) {
        count *= list->codes[p];
    }
    return count;
}

/* Where the texts end that have the head of text i. */
static size_t list_head_end(const uint64_t *texts, size_t count, size_t i, uint32_t tail)
{
    size_t end = i;
    while (end < count && texts[end] >> (8 * tail) == texts[i] >> (8 * tail)) {
        end++;
    }
    return end;
}

/* What a list is made with. */
typedef struct list_job {
    const uint64_t *texts;
    size_t count;
    uint32_t width, tail;
    tally_list *list;
    uint32_t sets;
    struct {
        uint32_t first, size; /* the texts of its first head */
    } set[LIST_SETS];
} list_job;

/* The set of tails of the texts first .. first + size - 1, a new one if need be; LIST_SETS: there
 * are too many. */
static uint32_t list_set(list_job *job, uint32_t first, uint32_t size)
{
    const uint64_t mask = (UINT64_C(1) << (8 * job->tail)) - 1;
    for (uint32_t s = 0; s < job->sets; s++) {
        uint32_t i = 0;
        while (job->set[s].size == size && i < size &&
               ((job->texts[first + i] ^ job->texts[job->set[s].first + i]) & mask) == 0) {
            i++;
        }
        if (i == size) {
            return s;
        }
    }
    if (job->sets < LIST_SETS) {
        job->set[job->sets].first = first;
        job->set[job->sets].size = size;
        return job->sets++;
    }
    return LIST_SETS;
}

static int list_make_heads(list_job *job)
{
    tally_list *list = job->list;
    uint32_t head = 0;
    for (size_t i = 0, end; i < job->count; i = end, head++) {
        end = list_head_end(job->texts, job->count, i, job->tail);
        uint32_t set = list_set(job, (uint32_t)i, (uint32_t)(end - i));
        if (set == LIST_SETS) {
            return 0;
        }
        list->first[head] = (uint32_t)i;
        list->set_of[head] = (uint8_t)set;
        list->head_of[list_number(list, job->texts[i], job->width, 0, list->head)] =
            (uint16_t)(head + 1);
        for (uint32_t p = 0; p < list->head; p++) {
            list->head_text[head * TALLY_LIST_WIDTH + p] =
                list_character(job->texts[i], job->width, p);
        }
        for (size_t digit = (i + LIST_STEP - 1) / LIST_STEP * LIST_STEP; digit < end;
             digit += LIST_STEP) {
            list->head_at[digit / LIST_STEP] = (uint16_t)head;
        }
    }
    list->first[head] = (uint32_t)job->count;
    return 1;
}

static void list_make_tails(const list_job *job)
{
    tally_list *list = job->list;
    for (uint32_t s = 0; s < job->sets; s++) {
        for (uint32_t i = 0; i < job->set[s].size; i++) {
            uint64_t text = job->texts[job->set[s].first + i];
            uint32_t number = list_number(list, text, job->width, list->head, job->width);
            list->offset_of[s * list->tails + number] = (uint16_t)(i + 1);
            for (uint32_t p = 0; p < job->tail; p++) {
                list->tail_text[(s * list->tails + i) * TALLY_LIST_TAIL + p] =
                    list_character(text, job->width, list->head + p);
            }
        }
    }
}

static uint32_t list_count_heads(const list_job *job)
{
    uint32_t heads = 0;
    for (size_t i = 0; i < job->count; heads++) {
        i = list_head_end(job->texts, job->count, i, job->tail);
    }
    return heads;
}

/* Counts the sets of tails, or returns LIST_SETS. */
static uint32_t list_count_sets(list_job *job)
{
    for (size_t i = 0, end; i < job->count; i = end) {
        end = list_head_end(job->texts, job->count, i, job->tail);
        if (list_set(job, (uint32_t)i, (uint32_t)(end - i)) == LIST_SETS) {
            return LIST_SETS;
        }
    }
    return job->sets;
}

static int list_allocate(tally_arena *arena, tally_list *list, uint32_t sets, size_t count)
{
    list->head_of =
        tally_arena_allocate(arena, list_numbers(list, 0, list->head) * sizeof(uint16_t));
    list->first = tally_arena_allocate(arena, (list->heads + 1) * sizeof(uint32_t));
    list->head_text = tally_arena_allocate(arena, (size_t)list->heads * TALLY_LIST_WIDTH);
    list->set_of = tally_arena_allocate(arena, list->heads);
    list->offset_of = tally_arena_allocate(arena, (size_t)sets * list->tails * sizeof(uint16_t));
    list->tail_text = tally_arena_allocate(arena, (size_t)sets * list->tails * TALLY_LIST_TAIL);
    list->head_at = tally_arena_allocate(arena, (count / LIST_STEP + 1) * sizeof(uint16_t));
    return list->head_of != NULL && list->first != NULL && list->head_text != NULL &&
           list->set_of != NULL && list->offset_of != NULL && list->tail_text != NULL &&
           list->head_at != NULL;
}

const tally_choices *tally_layouts_list(tally_layouts *layouts, const uint64_t *texts, size_t count,
                                        uint32_t width, uint32_t tail)
{
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    tally_list *list = tally_arena_allocate(&layouts->arena, sizeof *list);
    list_job job = {.texts = texts, .count = count, .width = width, .tail = tail, .list = list};
    if (choices == NULL || list == NULL) {
        return NULL;
    }
    choices->size = (uint32_t)count;
    choices->width = width;
    choices->list = list;
    list->head = width - tail;
    list_make_codes(choices, texts, count);
    list->heads = list_count_heads(&job);
    list->tails = list_numbers(list, list->head, width);
    uint32_t sets = list_count_sets(&job);
    if (list->heads > UINT16_MAX - 1 || sets == LIST_SETS ||
        !list_allocate(&layouts->arena, list, sets, count) || !list_make_heads(&job)) {
        return NULL;
    }
    list_make_tails(&job);
    return choices;
}

static uint32_t list_read(const tally_list *list, uint32_t width, const uint8_t *text)
{
    uint32_t head = 0, tail = 0, foreign = 0;
    for (uint32_t p = 0; p < list->head; p++) {
        uint32_t code = list->code[p][text[p * TALLY_LAYOUT_ROWS]];
        foreign |= code;
        head = head * list->codes[p] + code;
    }
    for (uint32_t p = list->head; p < width; p++) {
        uint32_t code = list->code[p][text[p * TALLY_LAYOUT_ROWS]];
        foreign |= code;
        tail = tail * list->codes[p] + code;
    }
    if (foreign >= 128) {
        return 0xffff;
    }
    uint32_t number = list->head_of[head];
    if (number == 0) {
        return 0xffff;
    }
    uint32_t offset = list->offset_of[list->set_of[number - 1] * list->tails + tail];
    return offset == 0 ? 0xffff : list->first[number - 1] + offset - 1;
}

static void list_write(const tally_list *list, uint32_t width, uint32_t digit, uint8_t *text)
{
    uint32_t head = list->head_at[digit / LIST_STEP];
    while (list->first[head + 1] <= digit) {
        head++;
    }
    const uint8_t *head_text = list->head_text + (size_t)head * TALLY_LIST_WIDTH;
    const uint8_t *tail_text =
        list->tail_text +
        ((size_t)list->set_of[head] * list->tails + digit - list->first[head]) * TALLY_LIST_TAIL;
    for (uint32_t p = 0; p < list->head; p++) {
        text[p * TALLY_LAYOUT_ROWS] = head_text[p];
    }
    for (uint32_t p = list->head; p < width; p++) {
        text[p * TALLY_LAYOUT_ROWS] = tail_text[p - list->head];
    }
}

const tally_choices *tally_layouts_prefixes(tally_layouts *layouts, const uint8_t chosen[1000])
{
    uint16_t digit[1000], size = 0;
    for (size_t number = 0; number < 1000; number++) {
        const uint16_t is = chosen[number] != 0; /* without a branch: it would be foreseen badly */
        digit[number] = (uint16_t)(size | (is - 1));
        size = (uint16_t)(size + is);
    }
    const uint32_t hash = size + digit[250] * 3U + digit[500] * 5U + digit[750] * 7U;
    const tally_choices **place = &layouts->prefixes[hash % TALLY_LAYOUT_PLANS], *made = *place;
    while (made != NULL &&
           (made->size != size || memcmp(made->prefixes->digit, digit, sizeof digit) != 0)) {
        made = made->before;
    }
    if (made != NULL) {
        return made;
    }
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    tally_prefixes *prefixes =
        tally_arena_allocate(&layouts->arena, sizeof *prefixes + size * sizeof *prefixes->number);
    if (choices == NULL || prefixes == NULL) {
        return NULL;
    }
    choices->before = *place;
    choices->width = 3;
    choices->size = size;
    choices->prefixes = prefixes;
    *place = choices;
    memcpy(prefixes->digit, digit, sizeof digit);
    for (uint16_t number = 0; number < 1000; number++) {
        if (digit[number] != 0xffff) {
            prefixes->number[digit[number]] = number;
        }
    }
    return choices;
}

static uint32_t list_read_prefix(const tally_prefixes *prefixes, const uint8_t *text)
{
    const uint32_t one = text[0] - (uint32_t)'0', two = text[TALLY_LAYOUT_ROWS] - (uint32_t)'0',
                   three = text[2 * TALLY_LAYOUT_ROWS] - (uint32_t)'0';
    return one > 9 || two > 9 || three > 9 ? 0xffff : prefixes->digit[one * 100 + two * 10 + three];
}

static void list_write_prefix(const tally_prefixes *prefixes, uint32_t digit, uint8_t *text)
{
    const uint32_t number = prefixes->number[digit];
    text[0] = (uint8_t)('0' + number / 100);
    text[TALLY_LAYOUT_ROWS] = (uint8_t)('0' + number / 10 % 10);
    text[2 * TALLY_LAYOUT_ROWS] = (uint8_t)('0' + number % 10);
}

uint32_t tally_choices_read(const tally_choices *choices, const uint8_t *text)
{
    return choices->list != NULL ? list_read(choices->list, choices->width, text)
                                 : list_read_prefix(choices->prefixes, text);
}

void tally_choices_write(const tally_choices *choices, uint32_t digit, uint8_t *text)
{
    if (choices->list != NULL) {
        list_write(choices->list, choices->width, digit, text);
    } else {
        list_write_prefix(choices->prefixes, digit, text);
    }
}

/* ---- core/formats/layouts_one.c ---- */
/*
 * One value of a layout. Vectors have one lane, which compilers keep in ordinary registers: more
 * lanes would be worked on for nothing. */

#if defined(__GNUC__)

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define LAYOUTS(name) layouts_one_##name
#define LAYOUTS_TARGET
#define LAYOUTS_LANES       1
#define LAYOUTS_BELOW(x, y) ((layouts_one_bytes)((x) < (y)))
#define LAYOUTS_HIGH(x, y)  layouts_one_high(x, y)

typedef uint16_t layouts_one_vec __attribute__((vector_size(2)));
typedef uint8_t layouts_one_bytes __attribute__((vector_size(1)));

TALLY_INLINE layouts_one_vec layouts_one_widen(layouts_one_bytes bytes)
{
    return (layouts_one_vec){bytes[0]};
}

TALLY_INLINE layouts_one_bytes layouts_one_narrow(layouts_one_vec wide)
{
    return (layouts_one_bytes){(uint8_t)wide[0]};
}

TALLY_INLINE layouts_one_vec layouts_one_high(layouts_one_vec x, uint32_t y)
{
    return (layouts_one_vec){(uint16_t)(x[0] * y >> 16)};
}

/* ---- core/formats/layouts_body.h, again ---- */

/* ---- core/formats/layouts_checks_body.h, again ---- */

#define LAYOUTS_SHIFT(m) ((m) > 64 ? 6 : (m) > 32 ? 5 : (m) > 16 ? 4 : (m) > 8 ? 3 : 2)
#define LAYOUTS_REST(x, m)                                                                         \
    ((x) -                                                                                         \
     (LAYOUTS_HIGH(x, (uint16_t)((0x10000U << LAYOUTS_SHIFT(m)) / (m) + 1)) >> LAYOUTS_SHIFT(m)) * \
         (uint16_t)(m))

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(load)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return LAYOUTS(widen)(bytes);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store)(uint8_t *to, LAYOUTS(vec) value)
{
    LAYOUTS(bytes) bytes = LAYOUTS(narrow)(value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(symbol)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(load)(text + (size_t)layout->symbol[i] * TALLY_LAYOUT_ROWS + row);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(digit)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(symbol)(layout, text, i, row) - '0';
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(below)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    return 0 - ((x - y) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(zero)(LAYOUTS(vec) x)
{
    return 0 - ((~x & (x - 1)) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(weigh)(const tally_layout *layout, const uint8_t *text, size_t row,
                   const uint8_t *weights, size_t count)
{
    LAYOUTS(vec) sum = LAYOUTS(digit)(layout, text, 0, row) * (uint16_t)weights[0];
    for (size_t i = 1; i < count; i++) {
        sum += LAYOUTS(digit)(layout, text, i, row) * (uint16_t)weights[i];
    }
    return sum;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(zeros)(const tally_layout *layout, const uint8_t *text, size_t row)
{
    LAYOUTS(vec) any = LAYOUTS(digit)(layout, text, 0, row);
    for (size_t i = 1; i < layout->symbols; i++) {
        any |= LAYOUTS(digit)(layout, text, i, row);
    }
    return LAYOUTS(zero)(any);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(to_ten)(LAYOUTS(vec) x)
{
    LAYOUTS(vec) rest = 10 - LAYOUTS_REST(x, 10);
    return LAYOUTS_REST(rest, 10);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(two_digits)(tally_layout_checks *out, size_t row,
                                                     LAYOUTS(vec) number)
{
    LAYOUTS(vec) tens = number * 205 >> 11;
    LAYOUTS(store)(out->character[0] + row, tens + '0');
    LAYOUTS(store)(out->character[1] + row, number - tens * 10 + '0');
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(iban_number)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row,
                         LAYOUTS(vec) * letter)
{
    LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
    *letter = 0 - (('9' - c) >> 15);
    return c - '0' - (*letter & 7);
}

LAYOUTS_TARGET static void LAYOUTS(check_iban)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, one, two;
    size_t i = layout->symbols % 2;
    if (i != 0) {
        rest = LAYOUTS(iban_number)(layout, text, 0, row, &one);
    }
    for (; i < layout->symbols; i += 2) {
        LAYOUTS(vec)
        first = LAYOUTS(iban_number)(layout, text, i, row, &one),
        second = LAYOUTS(iban_number)(layout, text, i + 1, row, &two);
        LAYOUTS(vec) by = 10 - (two & 7);

        LAYOUTS(vec) both = 3 + ((one ^ two) & 27) + (one & two & 6);
        rest = rest * both + (first * by + second);
        rest = LAYOUTS_REST(rest, 97);
    }
    for (i = 0; i < 2; i++) {
        rest = rest * 100 + (uint16_t)(layout->literal[i].character - 'A' + 10);
        rest = LAYOUTS_REST(rest, 97);
    }
    rest = rest * 100;
    LAYOUTS(two_digits)(out, row, 98 - LAYOUTS_REST(rest, 97));
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_eleven)(LAYOUTS(vec) rest, size_t row,
                                                       tally_layout_checks *out)
{
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(below)(rest & 0, rest - 9) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_au_tfn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 4, 3, 7, 5, 8, 6, 9};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(check_eleven)(LAYOUTS_REST(sum, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_gb_nhs)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = 11 - LAYOUTS_REST(sum, 11);
    LAYOUTS(check_eleven)(LAYOUTS_REST(rest, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_nl_bsn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(vec) invalid = LAYOUTS(below)(rest & 0, rest - 9) | LAYOUTS(zeros)(layout, text, row);
    LAYOUTS(store)(out->invalid + row, invalid & 1);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(brazil)(LAYOUTS(vec) sum)
{
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    return (11 - rest) & ~LAYOUTS(below)(rest, (rest & 0) + 2);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_brazil)(const tally_layout *layout,
                                                       const uint8_t *text, size_t row,
                                                       const uint8_t *first, const uint8_t *second,
                                                       size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) one = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, first, count));
    LAYOUTS(vec) two = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, second, count) + one * 2);
    LAYOUTS(store)(out->character[0] + row, one + '0');
    LAYOUTS(store)(out->character[1] + row, two + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zeros)(layout, text, row) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cnpj)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cpf)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {11, 10, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_luhn_of)(const tally_layout *layout,
                                                        const uint8_t *text, size_t row,
                                                        size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 1; i <= count; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, layout->symbols - i, row);
        sum += digit;
        if (i % 2 == 1) {
            sum += digit - (LAYOUTS(below)((digit & 0) + 4, digit) & 9);
        }
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_luhn)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, layout->symbols, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_se)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, 9, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_ch_ssn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    sum += 7 * 1 + 5 * 3 + 6 * 1;
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_hr_oib)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) check = (LAYOUTS(load)(text) & 0) + 5, twice;
    for (size_t i = 0; i < 10; i++) {
        twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
        check = LAYOUTS_REST(twice, 11) + LAYOUTS(digit)(layout, text, i, row);
        check = LAYOUTS_REST(check, 10);
    }
    twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
    check = 11 - LAYOUTS_REST(twice, 11);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(check, 10) + '0');
}

typedef struct LAYOUTS(counts) {
    LAYOUTS(vec) once, twice, thrice, more;
} LAYOUTS(counts);

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(count)(LAYOUTS(counts) * to, LAYOUTS(vec) digit)
{
    LAYOUTS(vec) bit = ((digit & 0) + 1) << (digit & 15);
    to->more |= to->thrice & bit;
    to->thrice |= to->twice & bit;
    to->twice |= to->once & bit;
    to->once |= bit;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(one_repeated)(const LAYOUTS(counts) * counts)
{
    return LAYOUTS(zero)(counts->more) & LAYOUTS(zero)(counts->twice & (counts->twice - 1)) &
           ~LAYOUTS(zero)(counts->twice);
}

LAYOUTS_TARGET static void LAYOUTS(check_de_idnr)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) none = LAYOUTS(load)(text) & 0;
    LAYOUTS(counts) counts = {none, none, none, none};
    for (size_t i = 0; i < 10; i++) {
        LAYOUTS(count)(&counts, LAYOUTS(digit)(layout, text, i, row));
    }
    LAYOUTS(check_hr_oib)(layout, text, row, out);
    LAYOUTS(store)(out->invalid + row, ~LAYOUTS(one_repeated)(&counts) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(exclude)(const tally_layout *layout, tally_mixed_digits digits,
                                            size_t rows, uint8_t excluded[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(vec) digit, none;
        memcpy(&digit, digits[0] + row, sizeof digit);
        none = digit & 0;
        LAYOUTS(counts) counts = {none, none, none, none};
        LAYOUTS(count)(&counts, digit + 1);
        for (size_t p = 1; p < layout->fields; p++) {
            memcpy(&digit, digits[p] + row, sizeof digit);
            LAYOUTS(count)(&counts, digit);
        }
        LAYOUTS(store)(excluded + row, ~LAYOUTS(one_repeated)(&counts) & 1);
    }
}

LAYOUTS_TARGET static void LAYOUTS(check_by_text)(LAYOUTS(vec) rest, const char text[33],
                                                  size_t row, tally_layout_checks *out)
{
    uint8_t *to = out->character[0] + row;
    LAYOUTS(store)(to, rest & 31);
    for (size_t i = 0; i < LAYOUTS_LANES; i++) {
        to[i] = (uint8_t)text[to[i]];
    }
}

#define LAYOUTS_NUMBER(rest, first, end, m)                                                        \
    for (size_t i_ = (first); i_ < (end); i_++) {                                                  \
        rest = rest * 10 + LAYOUTS(digit)(layout, text, i_, row);                                  \
        rest = LAYOUTS_REST(rest, m);                                                              \
    }

static const char LAYOUTS(spanish)[33] = "TRWAGMYFPDXBNJZSQVHLCKE         ";

LAYOUTS_TARGET static void LAYOUTS(check_es_dni)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_es_nie)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(symbol)(layout, text, 0, row) - 'X';
    LAYOUTS_NUMBER(rest, 1, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fi_hetu)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 6, 31)
    LAYOUTS_NUMBER(rest, 7, 10, 31)
    LAYOUTS(check_by_text)(rest, "0123456789ABCDEFHJKLMNPRSTUVWXY ", row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fr_nir)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, last = LAYOUTS(symbol)(layout, text, 6, row);
    LAYOUTS(vec) corsica = 0 - (('9' - last) >> 15), department;
    LAYOUTS_NUMBER(rest, 0, 5, 97)

    department = (LAYOUTS(digit)(layout, text, 5, row) * 10 + (last - '0')) & ~corsica;
    department |= (19 + 'A' - last) & corsica;
    rest = rest * 100 + department;
    rest = LAYOUTS_REST(rest, 97);
    LAYOUTS_NUMBER(rest, 7, 13, 97)
    LAYOUTS(two_digits)(out, row, 97 - rest);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(pentagon)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    LAYOUTS(vec)
    four = (x & 0) + 4, turned = LAYOUTS(below)(four, x), turns = LAYOUTS(below)(four, y);
    LAYOUTS(vec) from = x - (turned & 5), by = y - (turns & 5);
    LAYOUTS(vec) sum = from + ((by & ~turned) | ((5 - by) & turned));
    return LAYOUTS_REST(sum, 5) + ((turned ^ turns) & 5);
}

LAYOUTS_TARGET static void LAYOUTS(check_in_aadhaar)(const tally_layout *layout,
                                                     const uint8_t *text, size_t row,
                                                     tally_layout_checks *out)
{

    static const uint16_t powers[8][3] = {{0x3210, 0x7654, 0x98}, {0x6751, 0x0382, 0x49},
                                          {0x3085, 0x1697, 0x24}, {0x6198, 0x5340, 0x72},
                                          {0x3549, 0x8621, 0x07}, {0x6824, 0x9375, 0x10},
                                          {0x3972, 0x4608, 0x51}, {0x6407, 0x2319, 0x85}};
    LAYOUTS(vec) check = LAYOUTS(load)(text) & 0, differs = check;
    for (size_t i = 1; i <= 11; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, 11 - i, row);
        LAYOUTS(vec) third = (check & 0) + 3, seventh = third + 4, place = (digit & 3) * 4;
        LAYOUTS(vec) middle = LAYOUTS(below)(third, digit), end = LAYOUTS(below)(seventh, digit);
        const uint16_t *power = powers[i % 8];
        LAYOUTS(vec) from = (power[0] & ~middle) | (power[1] & middle & ~end) | (power[2] & end);
        check = LAYOUTS(pentagon)(check, from >> place & 15);
    }
    LAYOUTS(vec) turned = LAYOUTS(below)((check & 0) + 4, check), back = 5 - check;
    check = (check & turned) | (LAYOUTS_REST(back, 5) & ~turned);
    LAYOUTS(store)(out->character[0] + row, check + '0');
    for (size_t i = 1; i < 6; i++) {
        differs |=
            LAYOUTS(symbol)(layout, text, i, row) ^ LAYOUTS(symbol)(layout, text, 11 - i, row);
    }
    differs |= LAYOUTS(symbol)(layout, text, 0, row) ^ (check + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zero)(differs) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_it)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t odd[32] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    const uint8_t *year = text + (size_t)layout->symbol[6] * TALLY_LAYOUT_ROWS + row;
    uint8_t number[LAYOUTS_LANES];
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 0; i < 15; i++) {
        LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
        LAYOUTS(vec) letter = 0 - (('9' - c) >> 15);
        LAYOUTS(vec) value = (c - '0' - (letter & ('A' - '0'))) & 31;
        if (i % 2 == 0) {
            LAYOUTS(store)(number, value);
            for (size_t k = 0; k < LAYOUTS_LANES; k++) {
                number[k] = odd[number[k]];
            }
            value = LAYOUTS(load)(number);
        }
        sum += value;
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(sum, 26) + 'A');

    LAYOUTS(vec) years = (LAYOUTS(load)(year) - '0') * 10 + LAYOUTS(digit)(layout, text, 7, row);
    LAYOUTS(vec) tens = LAYOUTS(symbol)(layout, text, 9, row);
    LAYOUTS(vec)
    leap_day = LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 8, row) ^ 'B') &
               LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 10, row) ^ '9') &
               (LAYOUTS(zero)(tens ^ '2') | LAYOUTS(zero)(tens ^ '6'));
    LAYOUTS(store)(out->invalid + row, leap_day & ~LAYOUTS(zero)(years & 3) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_pl_pesel)(const tally_layout *layout, const uint8_t *text,
                                                   size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_tr)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3},
                         ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    LAYOUTS(vec)
    first = LAYOUTS(to_ten)(LAYOUTS(weigh)(layout, text, row, weights, sizeof weights));
    LAYOUTS(vec) second = LAYOUTS(weigh)(layout, text, row, ones, sizeof ones) + first;
    LAYOUTS(store)(out->character[0] + row, first + '0');
    LAYOUTS(store)(out->character[1] + row, LAYOUTS_REST(second, 10) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_ssn)(const tally_layout *layout, const uint8_t *text,
                                              size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec)
    part[3] = {LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0};
    for (size_t i = 0; i < 9; i++) {
        LAYOUTS(vec) *number = &part[i < 3 ? 0 : i < 5 ? 1 : 2];
        *number = *number * 10 + LAYOUTS(digit)(layout, text, i, row);
    }

    LAYOUTS(vec) most = (part[0] & 0) + 899;
    LAYOUTS(vec)
    never = LAYOUTS(zero)(part[0]) | LAYOUTS(zero)(part[0] ^ 666) | LAYOUTS(below)(most, part[0]) |
            LAYOUTS(zero)(part[1]) | LAYOUTS(zero)(part[2]);
    LAYOUTS(store)(out->invalid + row, (layout->in_plan != 0 ? never : ~never) & 1);
}

#if !defined(LAYOUTS_OWN_PHONE)
LAYOUTS_TARGET static void LAYOUTS(check_phone)(const tally_layout *layout, const uint8_t *text,
                                                size_t row, tally_layout_checks *out)
{
    for (size_t i = row; i < row + LAYOUTS_LANES; i++) {

        out->invalid[i] =
            tally_phone_in_plan(layout->root, text + i, TALLY_LAYOUT_ROWS) != layout->in_plan ||
            (text[i] == '0' && text[i + TALLY_LAYOUT_ROWS] == '0');
    }
}
#endif

typedef void LAYOUTS(check)(const tally_layout *layout, const uint8_t *text, size_t row,
                            tally_layout_checks *out);

static LAYOUTS(check) *const LAYOUTS(rules)[] = {
    [TALLY_CHECK_IBAN] = LAYOUTS(check_iban),
    [TALLY_CHECK_AU_TFN] = LAYOUTS(check_au_tfn),
    [TALLY_CHECK_BR_CNPJ] = LAYOUTS(check_br_cnpj),
    [TALLY_CHECK_BR_CPF] = LAYOUTS(check_br_cpf),
    [TALLY_CHECK_LUHN] = LAYOUTS(check_luhn),
    [TALLY_CHECK_CH_SSN] = LAYOUTS(check_ch_ssn),
    [TALLY_CHECK_DE_IDNR] = LAYOUTS(check_de_idnr),
    [TALLY_CHECK_ES_DNI] = LAYOUTS(check_es_dni),
    [TALLY_CHECK_ES_NIE] = LAYOUTS(check_es_nie),
    [TALLY_CHECK_FI_HETU] = LAYOUTS(check_fi_hetu),
    [TALLY_CHECK_FR_NIR] = LAYOUTS(check_fr_nir),
    [TALLY_CHECK_GB_NHS] = LAYOUTS(check_gb_nhs),
    [TALLY_CHECK_HR_OIB] = LAYOUTS(check_hr_oib),
    [TALLY_CHECK_IN_AADHAAR] = LAYOUTS(check_in_aadhaar),
    [TALLY_CHECK_IT_CODICEFISCALE] = LAYOUTS(check_it),
    [TALLY_CHECK_NL_BSN] = LAYOUTS(check_nl_bsn),
    [TALLY_CHECK_PL_PESEL] = LAYOUTS(check_pl_pesel),
    [TALLY_CHECK_SE_PERSONNUMMER] = LAYOUTS(check_se),
    [TALLY_CHECK_TR_TCKIMLIK] = LAYOUTS(check_tr),
    [TALLY_CHECK_SSN] = LAYOUTS(check_ssn),
    [TALLY_CHECK_PHONE] = LAYOUTS(check_phone),
};

LAYOUTS_TARGET static void LAYOUTS(make_checks)(const tally_layout *layout, const uint8_t *text,
                                                size_t rows, tally_layout_checks *out)
{
    memset(out->invalid, 0, sizeof out->invalid);
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(rules)[layout->check_rule](layout, text, row, out);
    }
}

#undef LAYOUTS_REST
#undef LAYOUTS_SHIFT
#undef LAYOUTS_NUMBER

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes) LAYOUTS(load_bytes)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store_bytes)(uint8_t *to, LAYOUTS(bytes) bytes)
{
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(read_field)(const tally_choices *choices, LAYOUTS(bytes) c, uint16_t *to)
{
    LAYOUTS(bytes) digit = c ^ c, within = digit;
    for (uint32_t r = 0; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r];
        LAYOUTS(bytes) from = c - range->first, inside = LAYOUTS_BELOW(from, range->count);
        digit |= inside & (LAYOUTS(bytes))(from + range->base);
        within |= inside;
    }
    LAYOUTS(vec) wide = LAYOUTS(widen)(digit);
    memcpy(to, &wide, sizeof wide);
    return (LAYOUTS(bytes)) ~within;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(write_field)(const tally_choices *choices, const uint16_t *from)
{
    LAYOUTS(vec) wide;
    memcpy(&wide, from, sizeof wide);
    LAYOUTS(bytes)
    digit = LAYOUTS(narrow)(wide), c = digit + choices->range[0].first;
    for (uint32_t r = 1; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r], *before = range - 1;

        uint8_t gap = (uint8_t)(range->first - before->first - before->count);
        c += (LAYOUTS(bytes)) ~LAYOUTS_BELOW(digit, range->base) & gap;
    }
    return c;
}

LAYOUTS_TARGET static void LAYOUTS(read)(const tally_layout *layout, uint8_t *text, size_t rows,
                                         tally_mixed_digits digits,
                                         uint8_t status[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
        LAYOUTS(bytes) differs = LAYOUTS(load_bytes)(text + row);
        differs ^= differs;
        for (uint32_t i = 0; i < layout->literals; i++) {
            const tally_layout_literal *literal = &layout->literal[i];
            differs |=
                LAYOUTS(load_bytes)(text + (size_t)literal->place * TALLY_LAYOUT_ROWS + row) ^
                literal->character;
        }
        for (uint32_t i = 0; i < layout->fields; i++) {
            const tally_layout_field *field = &layout->field[i];
            if (field->choices->width == 1) {
                differs |= LAYOUTS(read_field)(
                    field->choices,
                    LAYOUTS(load_bytes)(text + (size_t)field->place * TALLY_LAYOUT_ROWS + row),
                    digits[i] + row);
            }
        }
        LAYOUTS(store_bytes)(status + row, differs);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        if (field->choices->width > 1) {
            const uint8_t *from = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
            for (size_t row = 0; row < rows; row++) {
                uint32_t digit = tally_choices_read(field->choices, from + row);
                digits[i][row] = digit == 0xffff ? 0 : (uint16_t)digit;
                status[row] |= digit == 0xffff;
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] != 0 ? TALLY_REASON_NOTATION : 0;
    }
    if (layout->check_rule == TALLY_CHECK_NONE || layout->check_rule == TALLY_CHECK_PHONE) {
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        const uint8_t *found = text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS;
        for (size_t row = 0; row < rows; row++) {
            checks.invalid[row] |= found[row] ^ checks.character[k][row];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] =
            status[row] == 0 && checks.invalid[row] != 0 ? TALLY_REASON_CHECK : status[row];
    }
    tally_wipe(&checks, sizeof checks);
}

LAYOUTS_TARGET static void LAYOUTS(write)(const tally_layout *layout, tally_mixed_digits digits,
                                          size_t rows, uint8_t *text,
                                          uint8_t invalid[TALLY_LAYOUT_ROWS])
{
    for (uint32_t i = 0; i < layout->literals; i++) {
        const tally_layout_literal *literal = &layout->literal[i];
        memset(text + (size_t)literal->place * TALLY_LAYOUT_ROWS, literal->character,
               TALLY_LAYOUT_ROWS);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        uint8_t *to = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
        if (field->choices->width == 1) {
            for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
                LAYOUTS(store_bytes)
                (to + row, LAYOUTS(write_field)(field->choices, digits[i] + row));
            }
            continue;
        }
        for (size_t row = 0; row < rows; row++) {
            tally_choices_write(field->choices, digits[i][row], to + row);
        }
    }
    if (layout->check_rule == TALLY_CHECK_NONE) {
        memset(invalid, 0, TALLY_LAYOUT_ROWS);
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        memcpy(text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS, checks.character[k],
               TALLY_LAYOUT_ROWS);
    }
    memcpy(invalid, checks.invalid, TALLY_LAYOUT_ROWS);
    tally_wipe(&checks, sizeof checks);
}

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_BELOW
#undef LAYOUTS_HIGH

const tally_layout_lanes tally_layout_one = {
    {"one", 0}, layouts_one_read, layouts_one_exclude, layouts_one_write};

#else
typedef int tally_layouts_one_needs_vectors_of_the_compiler; /* a file may not be empty */
#endif

/* ---- core/formats/layouts_portable.c ---- */
/*
 * Values of layouts with what every machine has, and the choice of a back end. */

#define LAYOUTS(name) layouts_portable_##name
#define LAYOUTS_TARGET
#if defined(__GNUC__)
#define LAYOUTS_LANES 8
typedef uint16_t layouts_portable_vec __attribute__((vector_size(16)));
typedef uint32_t layouts_portable_wide __attribute__((vector_size(32)));
typedef uint8_t layouts_portable_bytes __attribute__((vector_size(8)));
#define LAYOUTS_CONVERT(type, from) __builtin_convertvector(from, type)
#define LAYOUTS_BELOW(x, y)         ((layouts_portable_bytes)((x) < (y)))
#else
#define LAYOUTS_LANES               1
typedef uint16_t layouts_portable_vec;
typedef uint32_t layouts_portable_wide;
typedef uint8_t layouts_portable_bytes;
#define LAYOUTS_CONVERT(type, from) ((type)(from))
#define LAYOUTS_BELOW(x, y)         ((uint8_t)(0 - ((x) < (y))))
#endif
#define LAYOUTS_HIGH(x, y)                                                                         \
    LAYOUTS_CONVERT(layouts_portable_vec,                                                          \
                    LAYOUTS_CONVERT(layouts_portable_wide, x) * (uint32_t)(y) >> 16)

TALLY_INLINE layouts_portable_vec layouts_portable_widen(layouts_portable_bytes bytes)
{
    return LAYOUTS_CONVERT(layouts_portable_vec, bytes);
}

TALLY_INLINE layouts_portable_bytes layouts_portable_narrow(layouts_portable_vec wide)
{
    return LAYOUTS_CONVERT(layouts_portable_bytes, wide);
}

/* ---- core/formats/layouts_body.h, again ---- */

/* ---- core/formats/layouts_checks_body.h, again ---- */

#define LAYOUTS_SHIFT(m) ((m) > 64 ? 6 : (m) > 32 ? 5 : (m) > 16 ? 4 : (m) > 8 ? 3 : 2)
#define LAYOUTS_REST(x, m)                                                                         \
    ((x) -                                                                                         \
     (LAYOUTS_HIGH(x, (uint16_t)((0x10000U << LAYOUTS_SHIFT(m)) / (m) + 1)) >> LAYOUTS_SHIFT(m)) * \
         (uint16_t)(m))

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(load)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return LAYOUTS(widen)(bytes);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store)(uint8_t *to, LAYOUTS(vec) value)
{
    LAYOUTS(bytes) bytes = LAYOUTS(narrow)(value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(symbol)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(load)(text + (size_t)layout->symbol[i] * TALLY_LAYOUT_ROWS + row);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(digit)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(symbol)(layout, text, i, row) - '0';
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(below)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    return 0 - ((x - y) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(zero)(LAYOUTS(vec) x)
{
    return 0 - ((~x & (x - 1)) >> 15);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(weigh)(const tally_layout *layout, const uint8_t *text, size_t row,
                   const uint8_t *weights, size_t count)
{
    LAYOUTS(vec) sum = LAYOUTS(digit)(layout, text, 0, row) * (uint16_t)weights[0];
    for (size_t i = 1; i < count; i++) {
        sum += LAYOUTS(digit)(layout, text, i, row) * (uint16_t)weights[i];
    }
    return sum;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(zeros)(const tally_layout *layout, const uint8_t *text, size_t row)
{
    LAYOUTS(vec) any = LAYOUTS(digit)(layout, text, 0, row);
    for (size_t i = 1; i < layout->symbols; i++) {
        any |= LAYOUTS(digit)(layout, text, i, row);
    }
    return LAYOUTS(zero)(any);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(to_ten)(LAYOUTS(vec) x)
{
    LAYOUTS(vec) rest = 10 - LAYOUTS_REST(x, 10);
    return LAYOUTS_REST(rest, 10);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(two_digits)(tally_layout_checks *out, size_t row,
                                                     LAYOUTS(vec) number)
{
    LAYOUTS(vec) tens = number * 205 >> 11;
    LAYOUTS(store)(out->character[0] + row, tens + '0');
    LAYOUTS(store)(out->character[1] + row, number - tens * 10 + '0');
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(iban_number)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row,
                         LAYOUTS(vec) * letter)
{
    LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
    *letter = 0 - (('9' - c) >> 15);
    return c - '0' - (*letter & 7);
}

LAYOUTS_TARGET static void LAYOUTS(check_iban)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, one, two;
    size_t i = layout->symbols % 2;
    if (i != 0) {
        rest = LAYOUTS(iban_number)(layout, text, 0, row, &one);
    }
    for (; i < layout->symbols; i += 2) {
        LAYOUTS(vec)
        first = LAYOUTS(iban_number)(layout, text, i, row, &one),
        second = LAYOUTS(iban_number)(layout, text, i + 1, row, &two);
        LAYOUTS(vec) by = 10 - (two & 7);

        LAYOUTS(vec) both = 3 + ((one ^ two) & 27) + (one & two & 6);
        rest = rest * both + (first * by + second);
        rest = LAYOUTS_REST(rest, 97);
    }
    for (i = 0; i < 2; i++) {
        rest = rest * 100 + (uint16_t)(layout->literal[i].character - 'A' + 10);
        rest = LAYOUTS_REST(rest, 97);
    }
    rest = rest * 100;
    LAYOUTS(two_digits)(out, row, 98 - LAYOUTS_REST(rest, 97));
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_eleven)(LAYOUTS(vec) rest, size_t row,
                                                       tally_layout_checks *out)
{
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(below)(rest & 0, rest - 9) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_au_tfn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 4, 3, 7, 5, 8, 6, 9};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(check_eleven)(LAYOUTS_REST(sum, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_gb_nhs)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = 11 - LAYOUTS_REST(sum, 11);
    LAYOUTS(check_eleven)(LAYOUTS_REST(rest, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_nl_bsn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(vec) invalid = LAYOUTS(below)(rest & 0, rest - 9) | LAYOUTS(zeros)(layout, text, row);
    LAYOUTS(store)(out->invalid + row, invalid & 1);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(brazil)(LAYOUTS(vec) sum)
{
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    return (11 - rest) & ~LAYOUTS(below)(rest, (rest & 0) + 2);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_brazil)(const tally_layout *layout,
                                                       const uint8_t *text, size_t row,
                                                       const uint8_t *first, const uint8_t *second,
                                                       size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) one = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, first, count));
    LAYOUTS(vec) two = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, second, count) + one * 2);
    LAYOUTS(store)(out->character[0] + row, one + '0');
    LAYOUTS(store)(out->character[1] + row, two + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zeros)(layout, text, row) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cnpj)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cpf)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {11, 10, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_luhn_of)(const tally_layout *layout,
                                                        const uint8_t *text, size_t row,
                                                        size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 1; i <= count; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, layout->symbols - i, row);
        sum += digit;
        if (i % 2 == 1) {
            sum += digit - (LAYOUTS(below)((digit & 0) + 4, digit) & 9);
        }
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_luhn)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, layout->symbols, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_se)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, 9, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_ch_ssn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    sum += 7 * 1 + 5 * 3 + 6 * 1;
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_hr_oib)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) check = (LAYOUTS(load)(text) & 0) + 5, twice;
    for (size_t i = 0; i < 10; i++) {
        twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
        check = LAYOUTS_REST(twice, 11) + LAYOUTS(digit)(layout, text, i, row);
        check = LAYOUTS_REST(check, 10);
    }
    twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
    check = 11 - LAYOUTS_REST(twice, 11);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(check, 10) + '0');
}

typedef struct LAYOUTS(counts) {
    LAYOUTS(vec) once, twice, thrice, more;
} LAYOUTS(counts);

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(count)(LAYOUTS(counts) * to, LAYOUTS(vec) digit)
{
    LAYOUTS(vec) bit = ((digit & 0) + 1) << (digit & 15);
    to->more |= to->thrice & bit;
    to->thrice |= to->twice & bit;
    to->twice |= to->once & bit;
    to->once |= bit;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(one_repeated)(const LAYOUTS(counts) * counts)
{
    return LAYOUTS(zero)(counts->more) & LAYOUTS(zero)(counts->twice & (counts->twice - 1)) &
           ~LAYOUTS(zero)(counts->twice);
}

LAYOUTS_TARGET static void LAYOUTS(check_de_idnr)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) none = LAYOUTS(load)(text) & 0;
    LAYOUTS(counts) counts = {none, none, none, none};
    for (size_t i = 0; i < 10; i++) {
        LAYOUTS(count)(&counts, LAYOUTS(digit)(layout, text, i, row));
    }
    LAYOUTS(check_hr_oib)(layout, text, row, out);
    LAYOUTS(store)(out->invalid + row, ~LAYOUTS(one_repeated)(&counts) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(exclude)(const tally_layout *layout, tally_mixed_digits digits,
                                            size_t rows, uint8_t excluded[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(vec) digit, none;
        memcpy(&digit, digits[0] + row, sizeof digit);
        none = digit & 0;
        LAYOUTS(counts) counts = {none, none, none, none};
        LAYOUTS(count)(&counts, digit + 1);
        for (size_t p = 1; p < layout->fields; p++) {
            memcpy(&digit, digits[p] + row, sizeof digit);
            LAYOUTS(count)(&counts, digit);
        }
        LAYOUTS(store)(excluded + row, ~LAYOUTS(one_repeated)(&counts) & 1);
    }
}

LAYOUTS_TARGET static void LAYOUTS(check_by_text)(LAYOUTS(vec) rest, const char text[33],
                                                  size_t row, tally_layout_checks *out)
{
    uint8_t *to = out->character[0] + row;
    LAYOUTS(store)(to, rest & 31);
    for (size_t i = 0; i < LAYOUTS_LANES; i++) {
        to[i] = (uint8_t)text[to[i]];
    }
}

#define LAYOUTS_NUMBER(rest, first, end, m)                                                        \
    for (size_t i_ = (first); i_ < (end); i_++) {                                                  \
        rest = rest * 10 + LAYOUTS(digit)(layout, text, i_, row);                                  \
        rest = LAYOUTS_REST(rest, m);                                                              \
    }

static const char LAYOUTS(spanish)[33] = "TRWAGMYFPDXBNJZSQVHLCKE         ";

LAYOUTS_TARGET static void LAYOUTS(check_es_dni)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_es_nie)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(symbol)(layout, text, 0, row) - 'X';
    LAYOUTS_NUMBER(rest, 1, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fi_hetu)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 6, 31)
    LAYOUTS_NUMBER(rest, 7, 10, 31)
    LAYOUTS(check_by_text)(rest, "0123456789ABCDEFHJKLMNPRSTUVWXY ", row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fr_nir)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, last = LAYOUTS(symbol)(layout, text, 6, row);
    LAYOUTS(vec) corsica = 0 - (('9' - last) >> 15), department;
    LAYOUTS_NUMBER(rest, 0, 5, 97)

    department = (LAYOUTS(digit)(layout, text, 5, row) * 10 + (last - '0')) & ~corsica;
    department |= (19 + 'A' - last) & corsica;
    rest = rest * 100 + department;
    rest = LAYOUTS_REST(rest, 97);
    LAYOUTS_NUMBER(rest, 7, 13, 97)
    LAYOUTS(two_digits)(out, row, 97 - rest);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(pentagon)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    LAYOUTS(vec)
    four = (x & 0) + 4, turned = LAYOUTS(below)(four, x), turns = LAYOUTS(below)(four, y);
    LAYOUTS(vec) from = x - (turned & 5), by = y - (turns & 5);
    LAYOUTS(vec) sum = from + ((by & ~turned) | ((5 - by) & turned));
    return LAYOUTS_REST(sum, 5) + ((turned ^ turns) & 5);
}

LAYOUTS_TARGET static void LAYOUTS(check_in_aadhaar)(const tally_layout *layout,
                                                     const uint8_t *text, size_t row,
                                                     tally_layout_checks *out)
{

    static const uint16_t powers[8][3] = {{0x3210, 0x7654, 0x98}, {0x6751, 0x0382, 0x49},
                                          {0x3085, 0x1697, 0x24}, {0x6198, 0x5340, 0x72},
                                          {0x3549, 0x8621, 0x07}, {0x6824, 0x9375, 0x10},
                                          {0x3972, 0x4608, 0x51}, {0x6407, 0x2319, 0x85}};
    LAYOUTS(vec) check = LAYOUTS(load)(text) & 0, differs = check;
    for (size_t i = 1; i <= 11; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, 11 - i, row);
        LAYOUTS(vec) third = (check & 0) + 3, seventh = third + 4, place = (digit & 3) * 4;
        LAYOUTS(vec) middle = LAYOUTS(below)(third, digit), end = LAYOUTS(below)(seventh, digit);
        const uint16_t *power = powers[i % 8];
        LAYOUTS(vec) from = (power[0] & ~middle) | (power[1] & middle & ~end) | (power[2] & end);
        check = LAYOUTS(pentagon)(check, from >> place & 15);
    }
    LAYOUTS(vec) turned = LAYOUTS(below)((check & 0) + 4, check), back = 5 - check;
    check = (check & turned) | (LAYOUTS_REST(back, 5) & ~turned);
    LAYOUTS(store)(out->character[0] + row, check + '0');
    for (size_t i = 1; i < 6; i++) {
        differs |=
            LAYOUTS(symbol)(layout, text, i, row) ^ LAYOUTS(symbol)(layout, text, 11 - i, row);
    }
    differs |= LAYOUTS(symbol)(layout, text, 0, row) ^ (check + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zero)(differs) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_it)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t odd[32] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    const uint8_t *year = text + (size_t)layout->symbol[6] * TALLY_LAYOUT_ROWS + row;
    uint8_t number[LAYOUTS_LANES];
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 0; i < 15; i++) {
        LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
        LAYOUTS(vec) letter = 0 - (('9' - c) >> 15);
        LAYOUTS(vec) value = (c - '0' - (letter & ('A' - '0'))) & 31;
        if (i % 2 == 0) {
            LAYOUTS(store)(number, value);
            for (size_t k = 0; k < LAYOUTS_LANES; k++) {
                number[k] = odd[number[k]];
            }
            value = LAYOUTS(load)(number);
        }
        sum += value;
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(sum, 26) + 'A');

    LAYOUTS(vec) years = (LAYOUTS(load)(year) - '0') * 10 + LAYOUTS(digit)(layout, text, 7, row);
    LAYOUTS(vec) tens = LAYOUTS(symbol)(layout, text, 9, row);
    LAYOUTS(vec)
    leap_day = LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 8, row) ^ 'B') &
               LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 10, row) ^ '9') &
               (LAYOUTS(zero)(tens ^ '2') | LAYOUTS(zero)(tens ^ '6'));
    LAYOUTS(store)(out->invalid + row, leap_day & ~LAYOUTS(zero)(years & 3) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_pl_pesel)(const tally_layout *layout, const uint8_t *text,
                                                   size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_tr)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3},
                         ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    LAYOUTS(vec)
    first = LAYOUTS(to_ten)(LAYOUTS(weigh)(layout, text, row, weights, sizeof weights));
    LAYOUTS(vec) second = LAYOUTS(weigh)(layout, text, row, ones, sizeof ones) + first;
    LAYOUTS(store)(out->character[0] + row, first + '0');
    LAYOUTS(store)(out->character[1] + row, LAYOUTS_REST(second, 10) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_ssn)(const tally_layout *layout, const uint8_t *text,
                                              size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec)
    part[3] = {LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0};
    for (size_t i = 0; i < 9; i++) {
        LAYOUTS(vec) *number = &part[i < 3 ? 0 : i < 5 ? 1 : 2];
        *number = *number * 10 + LAYOUTS(digit)(layout, text, i, row);
    }

    LAYOUTS(vec) most = (part[0] & 0) + 899;
    LAYOUTS(vec)
    never = LAYOUTS(zero)(part[0]) | LAYOUTS(zero)(part[0] ^ 666) | LAYOUTS(below)(most, part[0]) |
            LAYOUTS(zero)(part[1]) | LAYOUTS(zero)(part[2]);
    LAYOUTS(store)(out->invalid + row, (layout->in_plan != 0 ? never : ~never) & 1);
}

#if !defined(LAYOUTS_OWN_PHONE)
LAYOUTS_TARGET static void LAYOUTS(check_phone)(const tally_layout *layout, const uint8_t *text,
                                                size_t row, tally_layout_checks *out)
{
    for (size_t i = row; i < row + LAYOUTS_LANES; i++) {

        out->invalid[i] =
            tally_phone_in_plan(layout->root, text + i, TALLY_LAYOUT_ROWS) != layout->in_plan ||
            (text[i] == '0' && text[i + TALLY_LAYOUT_ROWS] == '0');
    }
}
#endif

typedef void LAYOUTS(check)(const tally_layout *layout, const uint8_t *text, size_t row,
                            tally_layout_checks *out);

static LAYOUTS(check) *const LAYOUTS(rules)[] = {
    [TALLY_CHECK_IBAN] = LAYOUTS(check_iban),
    [TALLY_CHECK_AU_TFN] = LAYOUTS(check_au_tfn),
    [TALLY_CHECK_BR_CNPJ] = LAYOUTS(check_br_cnpj),
    [TALLY_CHECK_BR_CPF] = LAYOUTS(check_br_cpf),
    [TALLY_CHECK_LUHN] = LAYOUTS(check_luhn),
    [TALLY_CHECK_CH_SSN] = LAYOUTS(check_ch_ssn),
    [TALLY_CHECK_DE_IDNR] = LAYOUTS(check_de_idnr),
    [TALLY_CHECK_ES_DNI] = LAYOUTS(check_es_dni),
    [TALLY_CHECK_ES_NIE] = LAYOUTS(check_es_nie),
    [TALLY_CHECK_FI_HETU] = LAYOUTS(check_fi_hetu),
    [TALLY_CHECK_FR_NIR] = LAYOUTS(check_fr_nir),
    [TALLY_CHECK_GB_NHS] = LAYOUTS(check_gb_nhs),
    [TALLY_CHECK_HR_OIB] = LAYOUTS(check_hr_oib),
    [TALLY_CHECK_IN_AADHAAR] = LAYOUTS(check_in_aadhaar),
    [TALLY_CHECK_IT_CODICEFISCALE] = LAYOUTS(check_it),
    [TALLY_CHECK_NL_BSN] = LAYOUTS(check_nl_bsn),
    [TALLY_CHECK_PL_PESEL] = LAYOUTS(check_pl_pesel),
    [TALLY_CHECK_SE_PERSONNUMMER] = LAYOUTS(check_se),
    [TALLY_CHECK_TR_TCKIMLIK] = LAYOUTS(check_tr),
    [TALLY_CHECK_SSN] = LAYOUTS(check_ssn),
    [TALLY_CHECK_PHONE] = LAYOUTS(check_phone),
};

LAYOUTS_TARGET static void LAYOUTS(make_checks)(const tally_layout *layout, const uint8_t *text,
                                                size_t rows, tally_layout_checks *out)
{
    memset(out->invalid, 0, sizeof out->invalid);
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(rules)[layout->check_rule](layout, text, row, out);
    }
}

#undef LAYOUTS_REST
#undef LAYOUTS_SHIFT
#undef LAYOUTS_NUMBER

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes) LAYOUTS(load_bytes)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store_bytes)(uint8_t *to, LAYOUTS(bytes) bytes)
{
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(read_field)(const tally_choices *choices, LAYOUTS(bytes) c, uint16_t *to)
{
    LAYOUTS(bytes) digit = c ^ c, within = digit;
    for (uint32_t r = 0; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r];
        LAYOUTS(bytes) from = c - range->first, inside = LAYOUTS_BELOW(from, range->count);
        digit |= inside & (LAYOUTS(bytes))(from + range->base);
        within |= inside;
    }
    LAYOUTS(vec) wide = LAYOUTS(widen)(digit);
    memcpy(to, &wide, sizeof wide);
    return (LAYOUTS(bytes)) ~within;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(write_field)(const tally_choices *choices, const uint16_t *from)
{
    LAYOUTS(vec) wide;
    memcpy(&wide, from, sizeof wide);
    LAYOUTS(bytes)
    digit = LAYOUTS(narrow)(wide), c = digit + choices->range[0].first;
    for (uint32_t r = 1; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r], *before = range - 1;

        uint8_t gap = (uint8_t)(range->first - before->first - before->count);
        c += (LAYOUTS(bytes)) ~LAYOUTS_BELOW(digit, range->base) & gap;
    }
    return c;
}

LAYOUTS_TARGET static void LAYOUTS(read)(const tally_layout *layout, uint8_t *text, size_t rows,
                                         tally_mixed_digits digits,
                                         uint8_t status[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
        LAYOUTS(bytes) differs = LAYOUTS(load_bytes)(text + row);
        differs ^= differs;
        for (uint32_t i = 0; i < layout->literals; i++) {
            const tally_layout_literal *literal = &layout->literal[i];
            differs |=
                LAYOUTS(load_bytes)(text + (size_t)literal->place * TALLY_LAYOUT_ROWS + row) ^
                literal->character;
        }
        for (uint32_t i = 0; i < layout->fields; i++) {
            const tally_layout_field *field = &layout->field[i];
            if (field->choices->width == 1) {
                differs |= LAYOUTS(read_field)(
                    field->choices,
                    LAYOUTS(load_bytes)(text + (size_t)field->place * TALLY_LAYOUT_ROWS + row),
                    digits[i] + row);
            }
        }
        LAYOUTS(store_bytes)(status + row, differs);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        if (field->choices->width > 1) {
            const uint8_t *from = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
            for (size_t row = 0; row < rows; row++) {
                uint32_t digit = tally_choices_read(field->choices, from + row);
                digits[i][row] = digit == 0xffff ? 0 : (uint16_t)digit;
                status[row] |= digit == 0xffff;
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] != 0 ? TALLY_REASON_NOTATION : 0;
    }
    if (layout->check_rule == TALLY_CHECK_NONE || layout->check_rule == TALLY_CHECK_PHONE) {
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        const uint8_t *found = text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS;
        for (size_t row = 0; row < rows; row++) {
            checks.invalid[row] |= found[row] ^ checks.character[k][row];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] =
            status[row] == 0 && checks.invalid[row] != 0 ? TALLY_REASON_CHECK : status[row];
    }
    tally_wipe(&checks, sizeof checks);
}

LAYOUTS_TARGET static void LAYOUTS(write)(const tally_layout *layout, tally_mixed_digits digits,
                                          size_t rows, uint8_t *text,
                                          uint8_t invalid[TALLY_LAYOUT_ROWS])
{
    for (uint32_t i = 0; i < layout->literals; i++) {
        const tally_layout_literal *literal = &layout->literal[i];
        memset(text + (size_t)literal->place * TALLY_LAYOUT_ROWS, literal->character,
               TALLY_LAYOUT_ROWS);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        uint8_t *to = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
        if (field->choices->width == 1) {
            for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
                LAYOUTS(store_bytes)
                (to + row, LAYOUTS(write_field)(field->choices, digits[i] + row));
            }
            continue;
        }
        for (size_t row = 0; row < rows; row++) {
            tally_choices_write(field->choices, digits[i][row], to + row);
        }
    }
    if (layout->check_rule == TALLY_CHECK_NONE) {
        memset(invalid, 0, TALLY_LAYOUT_ROWS);
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        memcpy(text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS, checks.character[k],
               TALLY_LAYOUT_ROWS);
    }
    memcpy(invalid, checks.invalid, TALLY_LAYOUT_ROWS);
    tally_wipe(&checks, sizeof checks);
}

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW
#undef LAYOUTS_CONVERT

const tally_layout_lanes tally_layout_portable = {
    {"portable", 0}, layouts_portable_read, layouts_portable_exclude, layouts_portable_write};

/* The fastest first. */
static const tally_backend *const layouts_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_layout_avx512.backend,
    &tally_layout_avx2.backend,
#endif
    &tally_layout_portable.backend,
};

const tally_layout_lanes *tally_layout_lanes_choose(void)
{
    return (const tally_layout_lanes *)tally_dispatch(
        layouts_backends, sizeof layouts_backends / sizeof *layouts_backends);
}

/* ---- core/formats/layouts_run.c ---- */
/*
 * Columns of values with layouts. The rows of a block are grouped by layout. The words of a layout
 * are encrypted side by side; those that are no value of the format stay for the next turn, with
 * new ones (cycle walking). */

/* ---- core/fast/words/run.h ---- */
/*
 * Words through all their layers, in place: in rows anywhere, or on lanes in the cipher's
 * lane_state. */
#ifndef TALLY_FAST_WORDS_RUN_H
#define TALLY_FAST_WORDS_RUN_H

/* The back end for so many words: the pool's, or the portable one if they are too few. */
const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words);

/* The groups of lanes for `count` words of a length: as few as hold them, and no more than fit into
 * lane_state. */
size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count);

/* Memory to prefetch while layers run, which leave the memory bus idle. */
typedef struct tally_fast_prefetch {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_prefetch;

/* Encrypts or decrypts words[0 .. count) in place; params are of the pool, symbols below its
 * radix. */
void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count);

/* The same for words side by side, from `words` to `out`, which may be equal; not for words of two
 * bytes of the legacy profile. Returns how many words were done: all, or those before a batch in
 * which a symbol is not below the radix. Of that batch and those behind it nothing is written. */
size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out);

/* The same for words in the cipher's lane_state, at most as many as the groups have lanes. `next`
 * may be NULL. */
void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next);

/* The same on a back end of tally_fast_lanes_for, under cipher->sequences[g] for group g of
 * TALLY_FAST_GROUPS, or under the first one for a single group. */
void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups);

#endif

/* ---- core/formats/layouts_run.h ---- */
/*
 * Rows that are grouped by layout already, for formats that find the layout themselves. */
#ifndef TALLY_FORMATS_LAYOUTS_RUN_H
#define TALLY_FORMATS_LAYOUTS_RUN_H

enum {
    TALLY_LAYOUTS_BLOCK = 32768, /* rows that are grouped together */
    TALLY_LAYOUTS_NONE = 0xffff
};

/* The scratches that a job takes. Others are the format's. */
enum {
    TALLY_LAYOUTS_SCRATCH_GROUPS = 0,
    TALLY_LAYOUTS_SCRATCH_WORK,
    TALLY_LAYOUTS_SCRATCH_SYMBOLS,
    TALLY_LAYOUTS_SCRATCH_WORDS,
    TALLY_LAYOUTS_SCRATCH_TWEAKS,
    TALLY_LAYOUTS_SCRATCHES
};

/* A block of TALLY_LAYOUT_ROWS values on their way. */
typedef struct tally_layouts_block {
    _Alignas(64) uint8_t text[TALLY_LAYOUT_WIDTH * TALLY_LAYOUT_ROWS];
    _Alignas(64) tally_mixed_digits digits;
    _Alignas(64) uint8_t status[TALLY_LAYOUT_ROWS];
    uint8_t outside[TALLY_LAYOUT_ROWS];
    uint8_t spare[TALLY_LAYOUT_WIDTH]; /* where rows go that are not done */
} tally_layouts_block;

/* Values that are collected until there are enough of them to write. */
typedef struct tally_layouts_few {
    _Alignas(64) tally_mixed_digits digits;
    uint8_t *to[TALLY_LAYOUT_ROWS]; /* where they go */
    size_t rows;
} tally_layouts_few;

/* The rows of a block of the column, by layout. */
typedef struct tally_layouts_groups {
    uint64_t *start;
    uint16_t *layout; /* TALLY_LAYOUTS_NONE: no layout */
    uint16_t *order;
    uint32_t *first; /* of layouts + 1 */
    uint32_t *at;    /* of layouts */
} tally_layouts_groups;

/* A call. */
typedef struct tally_layouts_job {
    tally_run *run;
    const tally_layouts *layouts;
    /* The layout of a number, which has rows, or NULL: there is no memory. NULL: that of `layouts`. */
    const tally_layout *(*layout_at)(const void *context, size_t number);
    const void *context;
    const tally_layout *layout; /* at work */
    const tally_mixed_lanes *mixed;
    const tally_layout_lanes *lanes;
    const tally_transpose *transpose;
    const tally_layout_packing *packing; /* NULL: without vectors */
    tally_fast_cipher *cipher;
    tally_layouts_block *block;
    tally_layouts_few *few;
    uint8_t *symbols; /* symbol s of word i at symbols[s * stride + i] */
    size_t stride;
    uint16_t *row; /* of the words in flight */
    size_t lane_state_used;
    /* Row tweaks. */
    tally_strings_reader tweaks;
    uint64_t first_row; /* of the block */
    size_t room;        /* bytes of a row's own tweak, at most */
    /* Values. */
    const tally_text_column *column;
    tally_layouts_groups *groups;
    uint64_t begin; /* of the column */
} tally_layouts_job;

/* Takes memory for `rows` rows. Before it, job->run, layouts and column are set; after it,
 * job->begin. TALLY_ERROR_MEMORY; TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or there is
 * no room for the tweak. */
tally_status tally_layouts_begin(tally_layouts_job *job, tally_layouts_groups *groups,
                                 uint64_t rows);

/* Whether the row's own tweak is null or too long; *broken: its offsets have changed. */
int tally_layouts_lacks_tweak(const tally_layouts_job *job, uint64_t row, int *broken);

/* Sorts the `count` rows of a block, of which groups->layout[i] is set, by layout, and runs them.
 * Row i of the block is at groups->start[i] of job->column's values, and the result goes to
 * start[i] - begin of its other values. */
tally_status tally_layouts_run_block(tally_layouts_job *job, size_t count);

/* Runs one value, which is in one piece and has the width of the layout: `out` receives the result.
 * Sets one->reason. */
tally_status tally_layouts_run_one(const tally_layouts *layouts, const tally_layout *layout,
                                   tally_run *run, tally_one *one, const uint8_t *value,
                                   uint8_t *out);

/* Bytes of a row's own tweak, at most. */
size_t tally_layouts_room(const tally_run *run, const tally_layouts *layouts);

#endif

enum {
    LAYOUTS_WORDS = 1024,      /* words in flight */
    LAYOUTS_WORDS_ROWS = 4096, /* with row tweaks, of which equal ones are sought */
    LAYOUTS_FEWEST = 16,       /* fewer words are not worth lanes of their own */
};

static void layouts_choose(tally_layouts_job *job)
{
    job->mixed = tally_mixed_lanes_choose();
    job->lanes = tally_layout_lanes_choose();
    job->transpose = tally_fast_lanes_choose()->transpose;
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_layout_packing_avx512.backend) == 0) {
        job->packing = &tally_layout_packing_avx512;
    }
#endif
}

/* Rows of text come side by side. */
static void layouts_gather(const tally_layouts_job *job, const uint8_t *const *rows, size_t count)
{
    const size_t width = job->layout->width;
    if (count > 1) {
        job->transpose->to_lanes(rows, count, width, TALLY_LAYOUT_ROWS, job->block->text);
        return;
    }
    for (size_t p = 0; p < width; p++) {
        job->block->text[p * TALLY_LAYOUT_ROWS] = rows[0][p];
    }
}

static void layouts_scatter(const tally_layouts_job *job, uint8_t *const *rows, size_t count)
{
    const size_t width = job->layout->width;
    if (count > 1) {
        job->transpose->from_lanes(job->block->text, TALLY_LAYOUT_ROWS, count, width, rows);
        return;
    }
    for (size_t p = 0; p < width; p++) {
        rows[0][p] = job->block->text[p * TALLY_LAYOUT_ROWS];
    }
}

/* Reads up to TALLY_LAYOUT_ROWS rows of the layout, and appends the words of valid ones; returns
 * how many those are. */
static size_t layouts_take(tally_layouts_job *job, const uint16_t *rows, size_t count, size_t at)
{
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    const uint8_t *from[TALLY_LAYOUT_ROWS];
    for (size_t i = 0; i < count; i++) {
        from[i] = job->column->in.values + job->groups->start[rows[i]];
    }
    layouts_gather(job, from, count);
    job->lanes->read(layout, block->text, count, block->digits, block->status);
    job->mixed->write(layout->plan, block->digits, count, job->symbols + at, job->stride);
    uint8_t *status = job->column->status + job->first_row;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        status[rows[i]] = block->status[i];
        job->row[at + taken] = rows[i];
        taken += block->status[i] == 0;
    }
    if (taken < count) {
        for (size_t s = 0; s < layout->plan->length; s++) {
            uint8_t *symbol = job->symbols + s * job->stride + at;
            for (size_t i = 0, to = 0; i < count; i++) {
                symbol[to] = symbol[i];
                to += block->status[i] == 0;
            }
        }
    }
    return taken;
}

/* Words one behind the other, and back. */
static void layouts_to_words(const tally_layouts_job *job, size_t first, size_t count,
                             uint8_t *words)
{
    const size_t length = job->layout->plan->length;
    for (size_t s = 0; s < length; s++) {
        const uint8_t *symbol = job->symbols + s * job->stride + first;
        for (size_t i = 0; i < count; i++) {
            words[i * length + s] = symbol[i];
        }
    }
}

static void layouts_from_words(const tally_layouts_job *job, size_t first, size_t count,
                               const uint8_t *words)
{
    const size_t length = job->layout->plan->length;
    for (size_t s = 0; s < length; s++) {
        uint8_t *symbol = job->symbols + s * job->stride + first;
        for (size_t i = 0; i < count; i++) {
            symbol[i] = words[i * length + s];
        }
    }
}

/* Encrypts or decrypts all words in flight under one tweak. */
static tally_status layouts_words(tally_layouts_job *job, size_t count)
{
    tally_run *run = job->run;
    const tally_fast_params *params = &job->layout->params;
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const size_t length = params->length, fewest = lanes->min_words(params->radix);
    size_t first = 0;
    while (lanes->width >= LAYOUTS_FEWEST && count - first >= LAYOUTS_FEWEST &&
           count - first >= fewest) {
        const size_t groups = tally_fast_groups(lanes, length, count - first);
        const size_t room = groups * lanes->width,
                     part = count - first < room ? count - first : room;
        uint8_t *state = job->cipher->lane_state;
        for (size_t s = 0; s < length; s++) {
            memcpy(state + s * room, job->symbols + s * job->stride + first, part);
            memset(state + s * room + part, 0, room - part);
        }
        tally_fast_run_lanes(job->cipher, params, run->direction, run->tweak, run->tweak_size,
                             groups, NULL);
        for (size_t s = 0; s < length; s++) {
            memcpy(job->symbols + s * job->stride + first, state + s * room, part);
        }
        job->lane_state_used =
            length * room > job->lane_state_used ? length * room : job->lane_state_used;
        first += part;
    }
    while (first < count) {
        uint8_t words[64 * TALLY_MIXED_MAX_LENGTH];
        const size_t part = count - first < 64 ? count - first : 64;
        layouts_to_words(job, first, part, words);
        tally_status status = tally_fast_words(job->cipher, run->direction, params, run->tweak,
                                               run->tweak_size, words, part, words);
        if (status != TALLY_OK) {
            return status;
        }
        layouts_from_words(job, first, part, words);
        tally_wipe(words, part * length);
        first += part;
    }
    return TALLY_OK;
}

/* The same with a tweak for each row. */
static tally_status layouts_words_rows(tally_layouts_job *job, size_t count)
{
    tally_run *run = job->run;
    const tally_strings *tweaks = run->row_tweaks;
    uint8_t *words = run->scratch(run, TALLY_LAYOUTS_SCRATCH_WORDS,
                                  LAYOUTS_WORDS_ROWS * (TALLY_MIXED_MAX_LENGTH + sizeof(uint64_t)) +
                                      sizeof(uint64_t));
    tally_fast_workspace *workspace = run->workspace(run);
    if (words == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t *offsets = (uint64_t *)(void *)words;
    words += (LAYOUTS_WORDS_ROWS + 1) * sizeof(uint64_t);
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start, own;
        if (!tally_strings_row(&job->tweaks, job->first_row + job->row[i], &start, &own) ||
            own > job->room) {
            return TALLY_ERROR_ARGUMENT; /* changed since it was checked */
        }
        offsets[i] = size;
        size += own;
    }
    offsets[count] = size;
    uint8_t *values = run->scratch(run, TALLY_LAYOUTS_SCRATCH_TWEAKS, (size_t)size + 1);
    if (values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t start, own;
        if (!tally_strings_row(&job->tweaks, job->first_row + job->row[i], &start, &own) ||
            own != offsets[i + 1] - offsets[i]) {
            return TALLY_ERROR_ARGUMENT;
        }
        memcpy(values + offsets[i], tweaks->values + start, (size_t)own);
    }
    const tally_strings given = {
        .offsets = offsets, .offset_size = 8, .values = values, .rows = count};
    layouts_to_words(job, 0, count, words);
    tally_status status =
        tally_fast_words_rows(job->cipher, workspace, run->direction, &job->layout->params,
                              run->tweak, run->tweak_size, &given, words, words);
    if (status == TALLY_OK) {
        layouts_from_words(job, 0, count, words);
    }
    return status;
}

/* The place of the lowest bit that is set. */
static uint32_t layouts_lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    while ((bits >> place & 1) == 0) {
        place++;
    }
    return place;
#endif
}

static uint32_t layouts_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Moves the words from `first` on whose bit is set to those from `left` on. */
static void layouts_keep(const tally_layouts_job *job, uint64_t chosen, size_t first, size_t count,
                         size_t left)
{
    const size_t length = job->layout->plan->length;
    for (size_t s = 0; s <= length; s++) {
        uint8_t *symbol = job->symbols + s * job->stride;
        size_t to = left;
        if (s == length && job->packing != NULL) {
            job->packing->pack_rows(chosen, job->row + first, job->row + left);
        } else if (job->packing != NULL) {
            job->packing->pack(chosen, symbol + first, symbol + left);
        } else {
            for (size_t i = first; i < first + count; i++) {
                if (s == length) {
                    job->row[to] = job->row[i];
                } else {
                    symbol[to] = symbol[i];
                }
                to += chosen >> (i - first) & 1;
            }
        }
    }
}

/* Writes the values that a rule with few of them has collected. */
static void layouts_give_few(const tally_layouts_job *job)
{
    tally_layouts_block *block = job->block;
    tally_layouts_few *few = job->few;
    if (few->rows > 0) {
        job->lanes->write(job->layout, few->digits, few->rows, block->text, block->status);
        layouts_scatter(job, few->to, few->rows);
        few->rows = 0;
    }
}

/* Collects the digits of a value, row i of the block. */
static void layouts_collect(const tally_layouts_job *job, size_t i, uint8_t *to)
{
    tally_layouts_few *few = job->few;
    for (size_t p = 0; p < job->layout->fields; p++) {
        few->digits[p][few->rows] = job->block->digits[p][i];
    }
    few->to[few->rows++] = to;
    if (few->rows == TALLY_LAYOUT_ROWS) {
        layouts_give_few(job);
    }
}

/* Whether few words are values, so that only these are written. */
static int layouts_is_sparse(const tally_layout *layout)
{
    return layout->check_rule == TALLY_CHECK_DE_IDNR;
}

/* A bit for each of `count` rows of the block that is no value. */
static uint64_t layouts_again(const tally_layouts_block *block, size_t count)
{
    uint64_t again = 0;
    for (size_t i = 0; i < TALLY_LAYOUT_ROWS; i += 8) {
        const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f),
                       bad =
                           tally_load_le64(block->outside + i) | tally_load_le64(block->status + i),
                       tops = (((bad & low) + low) | bad) & ~low;
        again |= ((tops >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return count == TALLY_LAYOUT_ROWS ? again : again & ((UINT64_C(1) << count) - 1);
}

/* Writes the words of up to TALLY_LAYOUT_ROWS rows that are values; the others become the words in
 * flight from `left` on. Returns how many are left in all. */
static size_t layouts_give(tally_layouts_job *job, size_t first, size_t count, size_t left)
{
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    const int sparse = layouts_is_sparse(layout);
    const uint64_t *start = job->groups->start;
    job->mixed->read(layout->plan, job->symbols + first, job->stride, count, block->digits,
                     block->outside);
    if (sparse) {
        job->lanes->exclude(layout, block->digits, count, block->status);
    } else {
        job->lanes->write(layout, block->digits, count, block->text, block->status);
    }
    const uint64_t again = layouts_again(block, count);
    if (sparse) {
        const uint64_t all = UINT64_MAX >> (TALLY_LAYOUT_ROWS - count);
        for (uint64_t done = all & ~again; done != 0; done &= done - 1) {
            const uint32_t i = layouts_lowest(done);
            layouts_collect(job, i,
                            job->column->values + (start[job->row[first + i]] - job->begin));
        }
    } else {
        uint8_t *to[TALLY_LAYOUT_ROWS];
        for (size_t i = 0; i < count; i++) {
            to[i] = job->column->values + (start[job->row[first + i]] - job->begin);
        }
        for (uint64_t bad = again; bad != 0; bad &= bad - 1) {
            to[layouts_lowest(bad)] = block->spare;
        }
        layouts_scatter(job, to, count);
    }
    if (again != 0) {
        layouts_keep(job, again, first, count, left);
    }
    return left + layouts_count(again);
}

/* The rows of one layout. */
static tally_status layouts_layout(tally_layouts_job *job, const uint16_t *rows, size_t count)
{
    tally_run *run = job->run;
    const tally_layout *layout = job->layout;
    const size_t most = job->stride - TALLY_LAYOUT_ROWS;
    const size_t head = run->tweak_size;
    tally_status status = TALLY_OK;
    job->cipher = run->cipher(run, layout->params.radix);
    if (job->cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_store_be32(layout->kept_size, run->tweak + head);
    memcpy(run->tweak + head + 4, layout->kept, layout->kept_size);
    run->tweak_size += 4 + layout->kept_size;
    for (size_t next = 0, left = 0; (next < count || left > 0) && status == TALLY_OK;) {
        size_t flying = left;
        while (next < count && most - flying >= TALLY_LAYOUT_ROWS) {
            size_t part = count - next < TALLY_LAYOUT_ROWS ? count - next : TALLY_LAYOUT_ROWS;
            size_t taken = layouts_take(job, rows + next, part, flying);
            run->small += layout->size < TALLY_SMALL_DOMAIN ? taken : 0;
            flying += taken;
            next += part;
        }
        for (size_t s = 0; s < layout->plan->length; s++) { /* lanes of no word are words, too */
            memset(job->symbols + s * job->stride + flying, 0, TALLY_LAYOUT_ROWS);
        }
        status =
            run->row_tweaks != NULL ? layouts_words_rows(job, flying) : layouts_words(job, flying);
        left = 0;
        for (size_t first = 0; first < flying && status == TALLY_OK; first += TALLY_LAYOUT_ROWS) {
            size_t part = flying - first < TALLY_LAYOUT_ROWS ? flying - first : TALLY_LAYOUT_ROWS;
            left = layouts_give(job, first, part, left);
        }
    }
    layouts_give_few(job);
    run->tweak_size = head;
    return status;
}

/* The layout that a value may have, by its width and some of its characters. */
static uint32_t layouts_find(const tally_layouts *layouts, const uint8_t *value, uint64_t size)
{
    const tally_layouts_width *width = size <= TALLY_LAYOUT_WIDTH ? layouts->width[size] : NULL;
    if (width == NULL) {
        return TALLY_LAYOUTS_NONE;
    }
    if (width->count == 1) {
        return width->layout[0];
    }
    for (uint32_t w = 0; w < width->words; w++) {
        const uint64_t *possible = width->possible + w;
        uint64_t found = UINT64_MAX;
        for (uint32_t p = 0; p < width->places; p++, possible += (size_t)128 * width->words) {
            uint32_t c = value[width->place[p]];
            found &= c < 128 ? possible[(size_t)c * width->words] : 0;
        }
        if (found != 0) { /* one bit: the places tell all layouts apart */
            return width->layout[w * 64 + layouts_lowest(found)];
        }
    }
    return TALLY_LAYOUTS_NONE;
}

int tally_layouts_lacks_tweak(const tally_layouts_job *job, uint64_t row, int *broken)
{
    uint64_t start, own;
    *broken = !tally_strings_row(&job->tweaks, row, &start, &own);
    return own > job->room || tally_row_is_null(job->run->row_tweaks, row);
}

/* Says of each row of a block which layout it may have. */
static tally_status layouts_group(tally_layouts_job *job, tally_strings_reader *reader,
                                  size_t count)
{
    const tally_text_column *column = job->column;
    const tally_layouts_groups *groups = job->groups;
    const uint64_t end = tally_offset_once(&column->in, job->first_row + count);
    if (end < reader->at || end > reader->end) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (end > reader->at && column->values != column->in.values + job->begin) {
        /* Block by block, so that it is in the cache then. */
        memcpy(column->values + (reader->at - job->begin), column->in.values + reader->at,
               (size_t)(end - reader->at));
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = job->first_row + i;
        uint8_t *status = &column->status[row];
        uint64_t size;
        int broken = 0;
        groups->layout[i] = TALLY_LAYOUTS_NONE;
        *status = TALLY_REASON_NOTATION;
        if (!tally_strings_next(reader, &groups->start[i], &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (tally_row_is_null(&column->in, row)) {
            memset(column->values + (groups->start[i] - job->begin), 0, (size_t)size);
            *status = 0;
        } else if (job->tweaks.strings != NULL && tally_layouts_lacks_tweak(job, row, &broken)) {
            *status = TALLY_REASON_TWEAK;
        } else {
            groups->layout[i] =
                (uint16_t)layouts_find(job->layouts, column->in.values + groups->start[i], size);
        }
        if (broken) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    return TALLY_OK;
}

tally_status tally_layouts_run_block(tally_layouts_job *job, size_t count)
{
    tally_layouts_groups *groups = job->groups;
    const size_t layouts = job->layouts->count;
    uint32_t first = 0;
    memset(groups->at, 0, layouts * sizeof *groups->at);
    for (size_t i = 0; i < count; i++) {
        if (groups->layout[i] != TALLY_LAYOUTS_NONE) {
            groups->at[groups->layout[i]]++;
        }
    }
    for (size_t k = 0; k < layouts; k++) {
        const uint32_t rows = groups->at[k];
        groups->at[k] = groups->first[k] = first;
        first += rows;
    }
    groups->first[layouts] = first;
    for (size_t i = 0; i < count; i++) {
        if (groups->layout[i] != TALLY_LAYOUTS_NONE) {
            groups->order[groups->at[groups->layout[i]]++] = (uint16_t)i;
        }
    }
    tally_status status = TALLY_OK;
    for (size_t k = 0; k < layouts && status == TALLY_OK; k++) {
        if (groups->first[k + 1] > groups->first[k]) {
            job->layout =
                job->layout_at != NULL ? job->layout_at(job->context, k) : &job->layouts->layout[k];
            status = job->layout == NULL ? TALLY_ERROR_MEMORY
                                         : layouts_layout(job, groups->order + groups->first[k],
                                                          groups->first[k + 1] - groups->first[k]);
            if (job->cipher != NULL) {
                tally_wipe(job->cipher->lane_state, job->lane_state_used);
                job->lane_state_used = 0;
            }
        }
    }
    return status;
}

size_t tally_layouts_room(const tally_run *run, const tally_layouts *layouts)
{
    const size_t common = run->tweak_size + 4 + layouts->most_kept;
    return common < TALLY_FAST_MAX_ROW_TWEAK ? TALLY_FAST_MAX_ROW_TWEAK - common : 0;
}

tally_status tally_layouts_begin(tally_layouts_job *job, tally_layouts_groups *groups,
                                 uint64_t rows)
{
    tally_run *run = job->run;
    const size_t most = run->row_tweaks != NULL ? LAYOUTS_WORDS_ROWS : LAYOUTS_WORDS,
                 words = rows < most ? ((size_t)rows + TALLY_LAYOUT_ROWS - 1) / TALLY_LAYOUT_ROWS *
                                           TALLY_LAYOUT_ROWS
                                     : most,
                 layouts = job->layouts->count,
                 block = rows < TALLY_LAYOUTS_BLOCK ? (size_t)rows : TALLY_LAYOUTS_BLOCK;
    if ((run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &job->tweaks)) ||
        run->tweak_room < run->tweak_size + 4 + job->layouts->most_kept) {
        return TALLY_ERROR_ARGUMENT;
    }
    job->room = tally_layouts_room(run, job->layouts);
    job->stride = words + TALLY_LAYOUT_ROWS;
    groups->start = run->scratch(
        run, TALLY_LAYOUTS_SCRATCH_GROUPS,
        block * (sizeof *groups->start + sizeof *groups->layout + sizeof *groups->order) +
            (2 * layouts + 1) * sizeof *groups->first);
    job->block =
        run->scratch(run, TALLY_LAYOUTS_SCRATCH_WORK, sizeof *job->block + sizeof *job->few);
    job->symbols = run->scratch(run, TALLY_LAYOUTS_SCRATCH_SYMBOLS,
                                job->stride * (TALLY_MIXED_MAX_LENGTH + sizeof *job->row));
    if (groups->start == NULL || job->block == NULL || job->symbols == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    job->row = (uint16_t *)(void *)(job->symbols + job->stride * TALLY_MIXED_MAX_LENGTH);
    groups->first = (uint32_t *)(void *)(groups->start + block);
    groups->at = groups->first + layouts + 1;
    groups->layout = (uint16_t *)(void *)(groups->at + layouts);
    groups->order = groups->layout + block;
    job->groups = groups;
    layouts_choose(job);
    job->few = (tally_layouts_few *)(void *)(job->block + 1);
    memset(job->few, 0, sizeof *job->few);
    memset(job->block, 0, sizeof *job->block); /* lanes without a row are worked on, too */
    return TALLY_OK;
}

tally_status tally_layouts_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    tally_strings_reader reader;
    tally_layouts_groups groups;
    tally_layouts_job job = {.run = run, .layouts = format->own, .column = column};
    const uint64_t rows = column->in.rows;
    if (rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    job.begin = reader.at;
    tally_status status = tally_layouts_begin(&job, &groups, rows);
    for (; job.first_row < rows && status == TALLY_OK; job.first_row += TALLY_LAYOUTS_BLOCK) {
        const uint64_t rest = rows - job.first_row;
        const size_t count = rest < TALLY_LAYOUTS_BLOCK ? (size_t)rest : TALLY_LAYOUTS_BLOCK;
        status = layouts_group(&job, &reader, count);
        if (status == TALLY_OK) {
            status = tally_layouts_run_block(&job, count);
        }
    }
    return status;
}

tally_status tally_layouts_run_one(const tally_layouts *layouts, const tally_layout *layout,
                                   tally_run *run, tally_one *one, const uint8_t *value,
                                   uint8_t *out)
{
    tally_layouts_block block;
    uint8_t symbols[TALLY_LAYOUT_ROWS * TALLY_MIXED_MAX_LENGTH];
    uint8_t word[TALLY_MIXED_MAX_LENGTH], tweak[TALLY_FAST_MAX_ROW_TWEAK];
    tally_layouts_job job = {.run = run,
                             .layouts = layouts,
                             .layout = layout,
                             .block = &block,
                             .symbols = symbols,
                             .stride = TALLY_LAYOUT_ROWS};
    const size_t length = layout->plan->length, width = layout->width;
    const int sparse = layouts_is_sparse(layout);
    layouts_choose(&job);
#if defined(__GNUC__)
    job.lanes = &tally_layout_one;
#endif
    memset(block.text, 0, width * TALLY_LAYOUT_ROWS); /* lanes without a row are worked on, too */
    memset(block.digits, 0, layout->fields * sizeof *block.digits);
    memset(symbols, 0, length * TALLY_LAYOUT_ROWS);
    layouts_gather(&job, &value, 1);
    job.lanes->read(layout, block.text, 1, block.digits, block.status);
    one->reason = (tally_reason)block.status[0];
    tally_status status = TALLY_OK;
    if (one->reason == TALLY_REASON_NONE) {
        run->small += layout->size < TALLY_SMALL_DOMAIN;
        job.cipher = run->cipher(run, layout->params.radix);
        job.mixed->write(layout->plan, block.digits, 1, symbols, TALLY_LAYOUT_ROWS);
        for (size_t s = 0; s < length; s++) {
            word[s] = symbols[s * TALLY_LAYOUT_ROWS];
        }
        size_t size = run->tweak_size;
        memcpy(tweak, run->tweak, size);
        tally_store_be32(layout->kept_size, tweak + size);
        memcpy(tweak + size + 4, layout->kept, layout->kept_size);
        size += 4 + layout->kept_size;
        if (one->row_tweak_size != 0) {
            memcpy(tweak + size, one->row_tweak, one->row_tweak_size);
            size += one->row_tweak_size;
        }
        status = job.cipher == NULL ? TALLY_ERROR_MEMORY : TALLY_OK;
        block.outside[0] = 1;
        while (status == TALLY_OK && (block.outside[0] | block.status[0]) != 0) {
            status = tally_fast_words(job.cipher, run->direction, &layout->params, tweak, size,
                                      word, 1, word);
            for (size_t s = 0; s < length; s++) {
                symbols[s * TALLY_LAYOUT_ROWS] = word[s];
            }
            job.mixed->read(layout->plan, symbols, TALLY_LAYOUT_ROWS, 1, block.digits,
                            block.outside);
            if (sparse) {
                job.lanes->exclude(layout, block.digits, 1, block.status);
            } else {
                job.lanes->write(layout, block.digits, 1, block.text, block.status);
            }
        }
        if (sparse && status == TALLY_OK) {
            job.lanes->write(layout, block.digits, 1, block.text, block.status);
        }
        layouts_scatter(&job, &out, 1);
        tally_wipe(tweak, size);
        tally_wipe(word, sizeof word);
        tally_wipe(symbols, length * TALLY_LAYOUT_ROWS);
        tally_wipe(block.digits, layout->fields * sizeof *block.digits);
    }
    tally_wipe(block.text, width * TALLY_LAYOUT_ROWS);
    return status;
}

tally_status tally_layouts_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_layouts *layouts = format->own;
    const uint32_t found = layouts_find(layouts, one->value, one->size);
    one->reason = TALLY_REASON_NOTATION;
    one->out_size = one->size;
    if (one->row_tweak_size > tally_layouts_room(run, layouts)) {
        one->reason = TALLY_REASON_TWEAK;
        return TALLY_OK;
    }
    if (found == TALLY_LAYOUTS_NONE) {
        return TALLY_OK;
    }
    if (one->room < one->size) {
        return TALLY_ERROR_ROOM;
    }
    return tally_layouts_run_one(layouts, &layouts->layout[found], run, one, one->value, one->out);
}

/* ---- core/formats/mask.c ---- */
/*
 * mask: text of which only some characters at the ends are left to see; no key is needed. A value
 * that would show more characters than it hides is hidden whole. */

enum { MASK_MOST = 1024, MASK_PRINTABLE = 0x7F - ' ' };

/* What a byte is. */
enum { MASK_COUNTED = 1 /* begins a character that is no separator */, MASK_SEPARATOR = 2 };

typedef struct mask_format {
    uint32_t keep_first, keep_last;
    uint32_t width; /* 0: as many characters as are hidden */
    uint8_t character;
    uint8_t kind[256];
} mask_format;

static const tally_option mask_options[] = {
    {"keep_first", TALLY_OPTION_INTEGER, 0, NULL}, {"keep_last", TALLY_OPTION_INTEGER, 0, NULL},
    {"character", TALLY_OPTION_TEXT, 0, NULL},     {"separators", TALLY_OPTION_TEXT, 0, NULL},
    {"width", TALLY_OPTION_INTEGER, 0, NULL},      {NULL, TALLY_OPTION_TEXT, 0, NULL},
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
    if (run->row_tweaks != NULL) { /* the result depends on the value alone */
        return TALLY_ERROR_TWEAKS;
    }
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
    if (one->row_tweak != NULL) {
        return TALLY_ERROR_TWEAKS;
    }
    one->reason = TALLY_REASON_NONE;
    if (most > one->room) {
        out = run->scratch(run, 0, most);
        if (out == NULL) {
            return TALLY_ERROR_MEMORY;
        }
    }
    one->out_size = most != 0 ? (size_t)(mask_write(own, one->value, one->size, out) - out) : 0;
    if (one->out_size > one->room) {
        return TALLY_ERROR_ROOM;
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
    if (character->given && (character->size != 1 || !mask_is_printable(character->text, 1))) {
        return tally_format_refuse(format, problem, "character",
                                   "character must be one printable ASCII character");
    }
    if (separators->given && !mask_is_printable(separators->text, separators->size)) {
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
    const char *separator = separators->given ? separators->text : " -";
    const size_t count = separators->given ? separators->size : 2;
    own->keep_first = (uint32_t)values[MASK_KEEP_FIRST].integer;
    own->keep_last = (uint32_t)values[MASK_KEEP_LAST].integer;
    own->width = (uint32_t)values[MASK_WIDTH].integer;
    own->character = values[MASK_CHARACTER].given ? (uint8_t)values[MASK_CHARACTER].text[0] : '*';
    for (int byte = 0; byte < 256; byte++) {
        own->kind[byte] = (byte & 0xC0) == 0x80 ? 0 : MASK_COUNTED;
    }
    for (size_t i = 0; i < count; i++) {
        own->kind[(uint8_t)separator[i]] = MASK_SEPARATOR;
    }
    return mask_name(format, own);
}

const tally_format_class tally_format_mask = {
    .name = "mask",
    .options = mask_options,
    .make = mask_make,
    .text = mask_text,
    .one = mask_one,
};

/* ---- core/formats/national.c ---- */
/*
 * The format "national_id": identifiers of one country, with their check characters. What is
 * described never changes: tokens depend on it. It is at most what python-stdnum finds valid. */

/* ---- core/formats/pattern.h ---- */
/*
 * The language of patterns: docs/reference/formats/pattern.md. */
#ifndef TALLY_FORMATS_PATTERN_H
#define TALLY_FORMATS_PATTERN_H

enum { TALLY_PATTERN = 256 /* characters of a pattern, at most */ };

/* What a pattern may name in a format of our own: {name} is a field, # a check character. */
typedef struct tally_pattern_names {
    uint32_t check_rule; /* a tally_check_rule */
    /* The field of a name; NULL: there is no memory. */
    const tally_choices *(*choices)(tally_layouts *layouts, const char *name, size_t size,
                                    void *context);
    void *context;
} tally_pattern_names;

/* Adds the layouts of a pattern: one for each choice of optional parts, the longest first. Without
 * names, what the fields may hold is part of the tweak. TALLY_ERROR_FORMAT with the problem;
 * TALLY_ERROR_MEMORY. */
tally_status tally_pattern_add(const tally_format *format, tally_layouts *layouts,
                               const char *pattern, size_t size, const tally_pattern_names *names,
                               tally_problem *problem);

#endif

enum { NATIONAL_PATTERNS = 3 };

/* A kind. In its patterns {name} is a field of national_fields, # a check character. */
typedef struct national_kind {
    const char *name, *sample;
    tally_check_rule rule;
    const char *pattern[NATIONAL_PATTERNS];
} national_kind;

static const national_kind national_kinds[] = {
    {"au.tfn", "123 456 782", TALLY_CHECK_AU_TFN, {"999( )999( )99#"}},
    {"br.cnpj", "16.727.230/0001-97", TALLY_CHECK_BR_CNPJ, {"99(.)999(.)999(/)9999(-)##"}},
    {"br.cpf", "390.533.447-05", TALLY_CHECK_BR_CPF, {"999(.)999(.)999(-)##"}},
    {"ca.sin", "123-456-782", TALLY_CHECK_LUHN, {"[1-79]99(-)999(-)99#", "[1-79]99 999 99#"}},
    {"ch.ssn", "756.9217.0769.85", TALLY_CHECK_CH_SSN, {"756(.)9999(.)9999(.)9#"}},
    {"de.idnr", "36 574 261 809", TALLY_CHECK_DE_IDNR, {"[1-9]9( )999( )999( )99#"}},
    {"es.dni", "54362315-K", TALLY_CHECK_ES_DNI, {"99999999(-)#"}},
    {"es.nie", "X-2482300W", TALLY_CHECK_ES_NIE, {"[XYZ](-)9999999(-)#"}},
    {"fi.hetu", "131052-308T", TALLY_CHECK_FI_HETU, {"{hetu date}{002-899}#"}},
    {"fr.nir",
     "2 95 10 99 126 111 93",
     TALLY_CHECK_FR_NIR,
     {"[12]( )99( ){month}( ){french department}( )999( )999( )##"}},
    {"gb.nhs", "943 476 5870", TALLY_CHECK_GB_NHS, {"999( )999( )999#"}},
    {"hr.oib", "33392005961", TALLY_CHECK_HR_OIB, {"9999999999#"}},
    {"in_.aadhaar", "2341 2341 2346", TALLY_CHECK_IN_AADHAAR, {"[2-9]999( )9999( )999#"}},
    {"it.codicefiscale",
     "RCCMNL83S18D969H",
     TALLY_CHECK_IT_CODICEFISCALE,
     {"AAAAAA99{italian day}A999#"}},
    {"nl.bsn", "1112.22.333", TALLY_CHECK_NL_BSN, {"9999(.)99(.)99#"}},
    {"pl.pesel", "44051401359", TALLY_CHECK_PL_PESEL, {"{pesel date}9999#"}},
    {"se.personnummer",
     "880320-0016",
     TALLY_CHECK_SE_PERSONNUMMER,
     {"{yymmdd}(-)999#", "{yymmdd of 1900}+999#", "{yyyymmdd}(-)999#"}},
    {"tr.tckimlik", "17291716060", TALLY_CHECK_TR_TCKIMLIK, {"[1-9]99999999##"}},
    {"za.idnr", "750330 5044 08 9", TALLY_CHECK_LUHN, {"{yymmdd}( )9999( )[01]9( )#"}},
};

enum { NATIONAL_KINDS = sizeof national_kinds / sizeof *national_kinds };

/* Texts of a field, in the order of their bytes; counted alone if `text` is NULL. */
typedef struct national_texts {
    uint64_t *text;
    size_t count;
} national_texts;

static void national_append(national_texts *to, uint64_t text)
{
    if (to->text != NULL) {
        to->text[to->count] = text;
    }
    to->count++;
}

/* `digits` decimal digits behind a text. */
static uint64_t national_number(uint64_t before, uint32_t number, uint32_t digits)
{
    for (uint32_t divisor = digits == 2   ? 10
                            : digits == 3 ? 100
                                          : 1000;
         divisor > 0; divisor /= 10) {
        before = before << 8 | (uint64_t)('0' + number / divisor % 10);
    }
    return before;
}

static uint32_t national_days(uint32_t year, uint32_t month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const uint32_t leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 ? leap : 0);
}

/* Days of the years first .. last, the year of so many digits. */
static void national_dates(national_texts *to, uint32_t first, uint32_t last, uint32_t digits)
{
    for (uint32_t year = first; year <= last; year++) {
        for (uint32_t month = 1; month <= 12; month++) {
            for (uint32_t day = 1; day <= national_days(year, month); day++) {
                uint64_t text = national_number(0, digits == 2 ? year % 100 : year, digits);
                national_append(to, national_number(national_number(text, month, 2), day, 2));
            }
        }
    }
}

static void national_short(national_texts *to) /* a hundred years, of which 00 is a leap year */
{
    national_dates(to, 2000, 2099, 2);
}

static void national_long(national_texts *to)
{
    national_dates(to, 1900, 2059, 4);
}

static void national_last_century(national_texts *to)
{
    national_dates(to, 1900, 1999, 2);
}

/* In this century, the month plus 20. */
static void national_pesel(national_texts *to)
{
    for (uint32_t year = 0; year < 100; year++) {
        for (uint32_t month = 1; month <= (year < 60 ? 24U : 12U); month++) {
            const uint32_t later = month > 12, number = month - later * 12;
            for (uint32_t day = 1; day <= national_days(1900 + later * 100 + year, number); day++) {
                uint64_t text = national_number(0, year, 2);
                text = national_number(text, number + later * 20, 2);
                national_append(to, national_number(text, day, 2));
            }
        }
    }
}

/* Day, month, year and century. */
static void national_hetu(national_texts *to)
{
    for (uint32_t day = 1; day <= 31; day++) {
        for (uint32_t month = 1; month <= 12; month++) {
            for (uint32_t year = 0; year < 100; year++) {
                uint64_t text = national_number(national_number(0, day, 2), month, 2);
                text = national_number(text, year, 2) << 8;
                if (day <= national_days(1900 + year, month)) {
                    national_append(to, text | '-');
                }
                if (year < 60 && day <= national_days(2000 + year, month)) {
                    national_append(to, text | 'A');
                }
            }
        }
    }
}

static void national_month(national_texts *to)
{
    for (uint32_t month = 1; month <= 12; month++) {
        national_append(to, national_number(0, month, 2));
    }
}

static void national_department(national_texts *to)
{
    for (uint32_t number = 0; number < 100; number++) {
        national_append(to, national_number(0, number, 2));
        if (number == 29) { /* Corsica */
            national_append(to, (uint64_t)'2' << 8 | 'A');
            national_append(to, (uint64_t)'2' << 8 | 'B');
        }
    }
}

/* Month and day of a leap year, the day plus 40 for women. */
static void national_italian(national_texts *to)
{
    static const char months[] = "ABCDEHLMPRST";
    for (uint32_t month = 1; month <= 12; month++) {
        const uint32_t days = national_days(2000, month);
        for (uint32_t day = 1; day <= 2 * days; day++) {
            national_append(to, national_number((uint64_t)months[month - 1],
                                                day <= days ? day : day - days + 40, 2));
        }
    }
}

static void national_individual(national_texts *to)
{
    for (uint32_t number = 2; number < 900; number++) {
        national_append(to, national_number(0, number, 3));
    }
}

/* Fields of several characters, by name. */
static const struct {
    const char *name;
    void (*write)(national_texts *to);
    uint32_t width, tail;
} national_fields[] = {
    {"yymmdd", national_short, 6, 2},
    {"yyyymmdd", national_long, 8, 2},
    {"yymmdd of 1900", national_last_century, 6, 2},
    {"pesel date", national_pesel, 6, 2},
    {"hetu date", national_hetu, 7, 3},
    {"month", national_month, 2, 2},
    {"french department", national_department, 2, 2},
    {"italian day", national_italian, 3, 2},
    {"002-899", national_individual, 3, 2},
};

enum { NATIONAL_NAMES = sizeof national_fields / sizeof *national_fields };

/* Makes a field when it is first needed; `context` is the table of those made. */
static const tally_choices *national_choices(tally_layouts *layouts, const char *name, size_t size,
                                             void *context)
{
    const tally_choices **made = context;
    size_t i = 0;
    while (i < NATIONAL_NAMES && (strlen(national_fields[i].name) != size ||
                                  memcmp(national_fields[i].name, name, size) != 0)) {
        i++;
    }
    if (i == NATIONAL_NAMES || made[i] != NULL) {
        return i == NATIONAL_NAMES ? NULL : made[i];
    }
    national_texts texts = {NULL, 0};
    national_fields[i].write(&texts);
    const size_t bytes = texts.count * sizeof *texts.text;
    texts.text = tally_allocate(layouts->arena.allocator, bytes);
    if (texts.text == NULL) {
        return NULL;
    }
    texts.count = 0;
    national_fields[i].write(&texts);
    made[i] = tally_layouts_list(layouts, texts.text, texts.count, national_fields[i].width,
                                 national_fields[i].tail);
    tally_release(layouts->arena.allocator, texts.text, bytes);
    return made[i];
}

static const tally_option national_options[] = {
    {"kind", TALLY_OPTION_TEXT, 1, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

static tally_status national_refuse(const tally_format *format, tally_problem *problem)
{
    tally_writer out;
    tally_format_refusal(format, problem, "kind", &out);
    tally_write(&out, "kind must be one of ");
    for (size_t i = 0; i < NATIONAL_KINDS; i++) {
        tally_write(&out, i == 0 ? "" : ", ");
        tally_write(&out, national_kinds[i].name);
    }
    return TALLY_ERROR_FORMAT;
}

static tally_status national_make(tally_format *format, const tally_option_value *values,
                                  tally_problem *problem)
{
    const tally_choices *made[NATIONAL_NAMES] = {NULL};
    const national_kind *kind = NULL;
    for (size_t i = 0; i < NATIONAL_KINDS; i++) {
        if (strlen(national_kinds[i].name) == values->size &&
            memcmp(national_kinds[i].name, values->text, values->size) == 0) {
            kind = &national_kinds[i];
        }
    }
    if (kind == NULL) {
        return national_refuse(format, problem);
    }
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_pattern_names names = {kind->rule, national_choices, made};
    for (size_t i = 0; i < NATIONAL_PATTERNS && kind->pattern[i] != NULL; i++) {
        tally_status status = tally_pattern_add(format, layouts, kind->pattern[i],
                                                strlen(kind->pattern[i]), &names, problem);
        if (status != TALLY_OK) {
            return status;
        }
    }
    char identity[64];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"national_id\",\"");
    tally_write(&out, kind->name);
    tally_write(&out, "\"]");
    tally_layouts_describe(layouts, format);
    format->example[0] = kind->sample;
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, identity, out.size) : final;
}

const tally_format_class tally_format_national_id = {
    .name = "national_id",
    .options = national_options,
    .make = national_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};

/* ---- core/formats/number_text.c ---- */
/*
 * Numbers of a range as text, for any CPU, and the choice of a back end. */

_Static_assert((int)TALLY_NUMBER_MOST == (int)TALLY_DIGITS_MOST, "the same");

TALLY_INLINE uint8_t number_parse(const tally_number_format *own, uint8_t point,
                                  const uint8_t *text, uint64_t size, uint64_t *rank)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = text[0] == '-';
    const uint64_t whole = size - minus - (scale != 0 ? scale + 1 : 0);
    uint64_t wrong = 0;
    if (whole - 1 >= TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION; /* also if there is less than the fraction */
    }
    if (text[minus] == '0' ? whole > 1 : whole + scale > TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION;
    }
    uint64_t number = tally_digits_read(text + minus, whole, &wrong);
    if (scale != 0) {
        const uint8_t *fraction = text + minus + whole;
        wrong |= fraction[0] ^ point;
        number = number * own->power + tally_digits_read(fraction + 1, scale, &wrong);
    }
    if (wrong != 0 || (minus != 0 && number == 0)) {
        return TALLY_REASON_NOTATION;
    }
    return tally_number_rank(&own->counted, minus, number, rank);
}

TALLY_INLINE uint64_t number_print(const tally_number_format *own, uint8_t point, uint64_t rank,
                                   uint8_t *out)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = rank < own->counted.negative;
    uint64_t number = rank + own->counted.first;
    number = minus != 0 ? 0 - number : number;
    out[0] = '-';
    if (scale == 0) {
        return minus + tally_digits_write(number, out + minus);
    }
    const uint64_t whole = number / own->power;
    const uint64_t size = minus + tally_digits_write(whole, out + minus);
    out[size] = point;
    tally_digits_write_all(number - whole * own->power, scale, out + size + 1);
    return size + 1 + scale;
}

static inline uint8_t number_read_row(const tally_counted *counted, const uint8_t *text,
                                      uint64_t size, uint64_t *rank)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    return number_parse(own, own->grouping.point, text, size, rank);
}

static inline uint64_t number_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    return number_print(own, own->grouping.point, rank, out);
}

/* Digits in groups: text is rewritten, so that both notations have one reader and one writer. */
static inline uint8_t number_read_grouped_row(const tally_counted *counted, const uint8_t *text,
                                              uint64_t size, uint64_t *rank)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t plain_size =
        tally_grouping_remove(&own->grouping, text, size, counted->scale, plain);
    const uint8_t status = number_parse(own, '.', plain, plain_size, rank);
    tally_wipe(plain, sizeof plain);
    return status;
}

static inline uint64_t number_write_grouped_row(const tally_counted *counted, uint64_t rank,
                                                uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t size = number_print(own, '.', rank, plain);
    const uint64_t written =
        tally_grouping_insert(&own->grouping, plain, size, counted->scale, out);
    tally_wipe(plain, sizeof plain);
    return written;
}

static void number_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    if (((const tally_number_format *)counted)->grouping.size != 0) {
        tally_counted_read_rows(counted, rows, number_read_grouped_row);
    } else {
        tally_counted_read_rows(counted, rows, number_read_row);
    }
}

static void number_write(const tally_counted *counted, const tally_counted_rows *rows,
                         const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    if (((const tally_number_format *)counted)->grouping.size != 0) {
        tally_counted_write_rows(counted, rows, chosen, out, end, number_write_grouped_row);
    } else {
        tally_counted_write_rows(counted, rows, chosen, out, end, number_write_row);
    }
}

const tally_number_text tally_number_text_portable = {{"portable", 0}, number_read, number_write};

static const tally_backend *const number_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_number_text_avx512.backend,
#endif
    &tally_number_text_portable.backend,
};

/* Finds the places of the longest number, from its end. */
static void number_find_places(const tally_grouping *grouping, uint32_t scale,
                               tally_number_places *out)
{
    size_t place = 64;
    for (uint32_t i = 0; i < TALLY_NUMBER_DIGITS; i++) {
        if (i == scale && scale != 0) {
            out->other[--place] = grouping->point;
        } else if (i > scale && (i - scale) % 3 == 0) {
            place -= grouping->size;
            memcpy(out->other + place, grouping->separator, grouping->size);
        }
        place--;
        out->digits |= UINT64_C(1) << place;
        out->digit[place] = (uint8_t)((31 - i) % 8 * 8 + i / 8);
        out->least |= (uint64_t)(i == scale) << place;
        out->place[31 - i] = (uint8_t)place;
    }
}

void tally_number_text_init(tally_format *format, tally_number_format *own, uint32_t scale)
{
    const tally_number_text *text = (const tally_number_text *)tally_dispatch(
        number_backends, sizeof number_backends / sizeof *number_backends);
    number_find_places(&own->grouping, scale, &own->places);
    own->power = tally_digits_power(scale);
    own->counted.scale = scale;
    own->counted.has_no_text =
        !tally_counted_range_fits(&own->range, tally_digits_power(TALLY_DIGITS_MOST));
    own->counted.read = text->read;
    own->counted.write = text->write;
    /* 20 digits of 2^64, even if text has fewer. */
    own->counted.most = 3 + 20 + own->grouping.size * (TALLY_DIGITS_MOST / 3);
    for (size_t i = 0; i < 2; i++) {
        tally_counted_end_example(i == 0 ? &own->range.first : &own->range.last, scale,
                                  &own->grouping, own->example[i]);
        format->example[i] = own->example[i];
    }
}

/* ---- core/formats/number_text_avx512.c ---- */
/*
 * Numbers of a range as text with AVX-512 VBMI2 and IFMA: a number is one vector, whatever its notation. Its
 * last character is at the last place, so digits and separators are where the notation has them. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define NUMBER_TARGET                                                                              \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma,bmi,bmi2,popcnt")))

/* The number of 24 digits behind eight zeros, below 10^19. */
static inline NUMBER_TARGET uint64_t number_avx512_join(__m256i digits)
{
    const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)),
                  fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(0x00010064)),
                  packed = _mm256_packus_epi32(fours, fours),
                  eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(0x00012710));
    const uint64_t upper = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)),
                   lower = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1));
    return ((upper >> 32) * 100000000 + (uint32_t)lower) * 100000000 + (lower >> 32);
}

NUMBER_TARGET static void number_avx512_read(const tally_counted *counted,
                                             const tally_counted_rows *rows)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    const uint64_t digits = own->places.digits;
    const uint32_t scale = counted->scale;
    const __m512i other = _mm512_loadu_si512(own->places.other),
                  place = _mm512_loadu_si512(own->places.place), zero = _mm512_set1_epi8('0'),
                  nine = _mm512_set1_epi8(9);
    for (size_t i = 0; i < rows->rows; i++) {
        const uint8_t *text = rows->values + rows->start[i],
                      *end = rows->values + rows->start[i + 1];
        const uint64_t minus = text != end && *text == '-', size = (uint64_t)(end - text) - minus;
        rows->ranks[i] = 0;
        if (size - 1 >= 64) {
            rows->status[i] = TALLY_REASON_NOTATION;
            continue;
        }
        const uint64_t in = UINT64_MAX << (64 - size);
        const __m512i bytes =
            _mm512_maskz_loadu_epi8(in, (const void *)((uintptr_t)end - sizeof bytes));
        const __m512i values = _mm512_maskz_sub_epi8(in & digits, bytes, zero);
        const uint64_t count = (uint64_t)_mm_popcnt_u64(in & digits);
        uint64_t wrong = _mm512_mask_cmpneq_epu8_mask(in & ~digits, bytes, other) |
                         _mm512_cmpgt_epu8_mask(values, nine);
        wrong |= ~digits >> (64 - size) & 1; /* the first is a digit */
        wrong |= (uint64_t)(count <= scale);
        wrong |= (uint64_t)(text[minus] == '0' ? count > scale + 1 : count > TALLY_NUMBER_MOST);
        const __m256i found = _mm512_castsi512_si256(_mm512_maskz_permutexvar_epi8(
            UINT64_C(0xffffffff) << TALLY_NUMBER_FIRST, place, values));
        const uint64_t magnitude = number_avx512_join(found);
        wrong |= minus & (uint64_t)(magnitude == 0);
        const uint8_t reason = tally_number_rank(counted, minus, magnitude, &rows->ranks[i]);
        rows->status[i] = wrong != 0 ? TALLY_REASON_NOTATION : reason;
    }
}

/* The eight digits of a number below 10^8 in ASCII, each in a lane. Its product with 2^52 / 10^k has
 * the digits behind the k-th one as a fraction of 52 bits. The sum makes up for constants that are
 * rounded: too much is less than 10^-k then, and nothing is too little. */
static inline NUMBER_TARGET __m512i number_avx512_split(uint64_t number)
{
    const __m512i parts = _mm512_setr_epi64(
        45035996, 450359963, INT64_C(4503599628), INT64_C(45035996274), INT64_C(450359962738),
        INT64_C(4503599627371), INT64_C(45035996273705), INT64_C(450359962737050));
    const __m512i rest = _mm512_madd52lo_epu64(_mm512_set1_epi64(27370496),
                                               _mm512_set1_epi64((int64_t)number), parts);
    return _mm512_madd52hi_epu64(_mm512_set1_epi64('0'), rest, _mm512_set1_epi64(10));
}

static inline NUMBER_TARGET uint64_t number_avx512_write_row(const tally_counted *counted,
                                                             uint64_t rank, uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    const uint64_t minus = rank < counted->negative;
    uint64_t number = rank + counted->first;
    number = minus != 0 ? 0 - number : number;
    const uint64_t upper = number / 100000000, top = upper / 100000000;
    const __m512i low = number_avx512_split(number - upper * 100000000),
                  middle = number_avx512_split(upper - top * 100000000),
                  high = number_avx512_split(top);
    const __m512i digits = _mm512_or_si512(
        low, _mm512_or_si512(_mm512_slli_epi64(middle, 8), _mm512_slli_epi64(high, 16)));
    const __m512i text =
        _mm512_mask_permutexvar_epi8(_mm512_loadu_si512(own->places.other), own->places.digits,
                                     _mm512_loadu_si512(own->places.digit), digits);
    const uint64_t nonzero =
        _mm512_mask_cmpneq_epu8_mask(own->places.digits, text, _mm512_set1_epi8('0'));
    const uint32_t start = (uint32_t)_tzcnt_u64(nonzero | own->places.least);
    const __m512i packed = _mm512_maskz_compress_epi8(UINT64_MAX << start, text);
    out[0] = '-';
    if (counted->most <= sizeof(__m256i)) {
        _mm256_storeu_si256((__m256i *)(void *)(out + minus), _mm512_castsi512_si256(packed));
    } else {
        _mm512_storeu_si512(out + minus, packed);
    }
    return minus + 64 - start;
}

NUMBER_TARGET static void number_avx512_write(const tally_counted *counted,
                                              const tally_counted_rows *rows, const uint8_t *chosen,
                                              uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, number_avx512_write_row);
}

const tally_number_text tally_number_text_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI2}, number_avx512_read, number_avx512_write};

#else
typedef int tally_number_text_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/formats/options.c ---- */
/*
 * Options by their tables: presence, types and choices, with the messages of a policy. */

static size_t options_count(const tally_option *options)
{
    size_t count = 0;
    while (options[count].name != NULL) {
        count++;
    }
    return count;
}

/* Begins a problem at an option. */
static void options_problem(const char *name, size_t size, tally_problem *problem,
                            tally_writer *out)
{
    tally_writer_problem(out, problem);
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    tally_write_path(&place, name, size);
}

static void options_expected(const tally_option *option, tally_writer *out)
{
    static const char *const texts[] = {
        [TALLY_OPTION_TEXT] = "text",
        [TALLY_OPTION_INTEGER] = "a whole number",
        [TALLY_OPTION_BOOLEAN] = "true or false",
        [TALLY_OPTION_LIST] = "an array",
        [TALLY_OPTION_NUMBER] = "text or a whole number",
        [TALLY_OPTION_WHOLE] = "a whole number",
        [TALLY_OPTION_DATE] = "a date, such as 2000-12-31",
        [TALLY_OPTION_DATETIME] = "a date with a time, such as 2000-12-31T23:59:59",
    };
    if (option->kind != TALLY_OPTION_CHOICE) {
        tally_write(out, texts[option->kind]);
        return;
    }
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        tally_write(out, i == 0 ? "" : option->choices[i + 1] != NULL ? ", " : " or ");
        tally_write_repr(out, option->choices[i], strlen(option->choices[i]));
    }
}

static void options_found(const tally_option *option, const tally_json *value, tally_writer *out)
{
    if (option->kind == TALLY_OPTION_CHOICE && value->kind == TALLY_JSON_TEXT) {
        tally_write_repr(out, value->text, value->size);
    } else if (option->kind == TALLY_OPTION_CHOICE &&
               (value->kind == TALLY_JSON_INTEGER || value->kind == TALLY_JSON_BIG)) {
        tally_write_bytes(out, value->text, value->size);
    } else {
        tally_write(out, tally_json_kind_text(value));
    }
}

static int options_take_text(const tally_json *value, tally_option_value *out)
{
    if (value == NULL || value->kind != TALLY_JSON_TEXT) {
        return 0;
    }
    out->text = value->text;
    out->size = value->size;
    return 1;
}

static int options_take_choice(const tally_option *option, const tally_json *value,
                               tally_option_value *out)
{
    if (value->kind != TALLY_JSON_TEXT) {
        return 0;
    }
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (tally_json_is(value, option->choices[i])) {
            out->integer = (int64_t)i;
            return options_take_text(value, out);
        }
    }
    return 0;
}

/* Returns 0 if the value is of another type. */
static int options_take(const tally_option *option, const tally_json *value,
                        tally_option_value *out)
{
    out->given = 1;
    switch (option->kind) {
    case TALLY_OPTION_TEXT:
        return options_take_text(value, out);
    case TALLY_OPTION_NUMBER:
    case TALLY_OPTION_WHOLE:
        if (value->kind == TALLY_JSON_BIG) {
            out->text = value->text;
            out->size = value->size;
            return 1;
        }
        if (option->kind == TALLY_OPTION_NUMBER && options_take_text(value, out)) {
            return 1;
        }
        out->integer = value->integer;
        return value->kind == TALLY_JSON_INTEGER;
    case TALLY_OPTION_INTEGER:
        out->integer = value->integer;
        return value->kind == TALLY_JSON_INTEGER;
    case TALLY_OPTION_BOOLEAN:
        out->integer = value->kind == TALLY_JSON_TRUE;
        return value->kind == TALLY_JSON_TRUE || value->kind == TALLY_JSON_FALSE;
    case TALLY_OPTION_CHOICE:
        return options_take_choice(option, value, out);
    case TALLY_OPTION_LIST:
        out->list = value;
        return value->kind == TALLY_JSON_ARRAY;
    case TALLY_OPTION_DATE:
        return options_take_text(value, out) ||
               options_take_text(tally_json_tagged(value, "$date"), out);
    case TALLY_OPTION_DATETIME:
        return options_take_text(value, out) ||
               options_take_text(tally_json_tagged(value, "$datetime"), out);
    }
    return 0;
}

static int options_unknown(const tally_option *options, const tally_json *member,
                           tally_problem *problem)
{
    const char *names[TALLY_OPTIONS];
    const size_t count = options_count(options);
    for (size_t i = 0; i < count; i++) {
        names[i] = options[i].name;
    }
    tally_writer out;
    options_problem(member->key, member->key_size, problem, &out);
    tally_write(&out, "there is no such key");
    tally_write_instead(&out, member->key, member->key_size, names, count);
    return 0;
}

int tally_options_read(const tally_option *options, const tally_json *object,
                       tally_option_value *values, tally_problem *problem)
{
    const size_t count = options_count(options);
    memset(values, 0, TALLY_OPTIONS * sizeof *values);
    const tally_json *member = object != NULL ? object->first : NULL;
    for (; member != NULL; member = member->next) {
        size_t i = 0;
        if (tally_json_key_is(member, "type")) {
            continue;
        }
        while (i < count && !tally_json_key_is(member, options[i].name)) {
            i++;
        }
        if (i == count) {
            return options_unknown(options, member, problem);
        }
        if (!options_take(&options[i], member, &values[i])) {
            tally_writer out;
            options_problem(member->key, member->key_size, problem, &out);
            tally_write(&out, "must be ");
            options_expected(&options[i], &out);
            tally_write(&out, ", not ");
            options_found(&options[i], member, &out);
            return 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].required && !values[i].given) {
            tally_writer out;
            options_problem(options[i].name, strlen(options[i].name), problem, &out);
            tally_write(&out, "is missing; it must be ");
            options_expected(&options[i], &out);
            return 0;
        }
    }
    return 1;
}

/* ---- core/formats/pattern.c ---- */
/*
 * The format "pattern": codes of some letters and digits, each in its place. */

enum { PATTERN_PATTERN, PATTERN_TINY };

static const tally_option pattern_options[] = {
    [PATTERN_PATTERN] = {"pattern", TALLY_OPTION_TEXT, 1, NULL},
    [PATTERN_TINY] = {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

/* The character with a number among choices. */
static char pattern_character(const tally_choices *choices, uint32_t number)
{
    uint32_t r = 0;
    while (number >= choices->range[r].count) {
        number -= choices->range[r++].count;
    }
    return (char)(choices->range[r].first + number);
}

/* A value with all optional parts; NULL: there is no memory. */
static char *pattern_example(tally_layouts *layouts)
{
    const tally_layout *longest = &layouts->layout[0];
    for (uint32_t i = 1; i < layouts->count; i++) {
        longest = layouts->layout[i].width > longest->width ? &layouts->layout[i] : longest;
    }
    char *example = tally_arena_allocate(&layouts->arena, longest->width + 1);
    if (example == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < longest->literals; i++) {
        example[longest->literal[i].place] = (char)longest->literal[i].character;
    }
    for (uint32_t i = 0; i < longest->fields; i++) {
        const tally_choices *choices = longest->field[i].choices;
        example[longest->field[i].place] = pattern_character(choices, (i * 7 + 3) % choices->size);
    }
    return example;
}

static tally_status pattern_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    const tally_option_value *pattern = &values[PATTERN_PATTERN];
    format->allow_tiny_domain = (int)values[PATTERN_TINY].integer;
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status =
        tally_pattern_add(format, layouts, pattern->text, pattern->size, NULL, problem);
    if (status != TALLY_OK) {
        return status;
    }
    tally_layouts_describe(layouts, format);
    status = tally_format_check_domain(format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    format->example[0] = pattern_example(layouts);
    if (format->example[0] == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    status = tally_layouts_final(layouts);
    return status == TALLY_OK ? tally_format_identify(format, "[\"pattern\"]", 11) : status;
}

const tally_format_class tally_format_pattern = {
    .name = "pattern",
    .options = pattern_options,
    .make = pattern_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};

/* ---- core/formats/pattern_parse.c ---- */
/*
 * Patterns become layouts. A pattern is read into items; a group of optional items stands before
 * what is in it. Then each choice of optional groups is laid out. */

/* A part, or a group that may be missing. */
typedef struct pattern_item {
    tally_layout_part part;
    uint16_t end;     /* of a group: the item behind it; else 0 */
    uint32_t choices; /* 1; of a group: its own, and that it is missing */
} pattern_item;

typedef struct pattern_parser {
    const tally_format *format;
    tally_layouts *layouts;
    const tally_pattern_names *names;
    tally_problem *problem;
    const char *at, *end;
    pattern_item item[TALLY_PATTERN];
    uint32_t items;
    uint32_t choices;                      /* of the whole pattern */
    tally_layout_part part[TALLY_PATTERN]; /* of one layout */
    uint32_t parts;
} pattern_parser;

static tally_status pattern_wrong(const pattern_parser *parser, const char *text)
{
    return tally_format_refuse(parser->format, parser->problem, "pattern", text);
}

/* The characters that a letter stands for; none for others. */
static tally_characters pattern_class(char letter)
{
    const uint64_t digits = UINT64_C(0x3ff) << '0', upper = UINT64_C(0x3ffffff) << ('A' - 64),
                   lower = UINT64_C(0x3ffffff) << ('a' - 64);
    switch (letter) {
    case 'A':
        return (tally_characters){{0, upper}};
    case 'a':
        return (tally_characters){{0, lower}};
    case '9':
        return (tally_characters){{digits, 0}};
    case 'X':
        return (tally_characters){{digits, upper}};
    default:
        return (tally_characters){{0, 0}};
    }
}

static tally_status pattern_add_choices(pattern_parser *parser, const tally_choices *choices)
{
    if (choices == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    parser->item[parser->items++] = (pattern_item){.part = {.choices = choices}, .choices = 1};
    return TALLY_OK;
}

static void pattern_add_literal(pattern_parser *parser, uint8_t literal)
{
    parser->item[parser->items++] = (pattern_item){.part = {.literal = literal}, .choices = 1};
}

/* The next character; 0: there is none. */
static char pattern_next(pattern_parser *parser)
{
    char next = '\0';
    if (parser->at < parser->end) {
        next = *parser->at++;
    }
    return next;
}

/* Adds the characters of a set that were read; a '-' at either end is an ordinary character. */
static tally_status pattern_add_set(pattern_parser *parser, const char *characters,
                                    const uint8_t *ordinary, size_t count)
{
    tally_characters found = {{0, 0}};
    uint32_t members = 0;
    for (size_t i = 0; i < count; i++) {
        const char first = characters[i];
        char last = first;
        if (i + 2 < count && characters[i + 1] == '-' && !ordinary[i + 1]) {
            last = characters[i + 2];
            i += 2;
        }
        if ((uint8_t)last < (uint8_t)first) {
            tally_writer out;
            tally_format_refusal(parser->format, parser->problem, "pattern", &out);
            tally_write(&out, "in a set, the range '");
            tally_write_char(&out, first);
            tally_write_char(&out, '-');
            tally_write_char(&out, last);
            tally_write(&out, "' must begin with the lower character");
            return TALLY_ERROR_FORMAT;
        }
        for (uint32_t c = (uint8_t)first; c <= (uint8_t)last; c++) {
            if (tally_characters_have(&found, c)) {
                return pattern_wrong(parser, "a set has a character twice");
            }
            tally_characters_add(&found, c);
            members++;
        }
    }
    if (members == 0) {
        return pattern_wrong(parser, "a set is empty; write '\\[' for the character '['");
    }
    if (members == 1) {
        pattern_add_literal(parser, (uint8_t)characters[0]);
        return TALLY_OK;
    }
    return pattern_add_choices(parser, tally_layouts_choose(parser->layouts, found));
}

static tally_status pattern_read_set(pattern_parser *parser)
{
    char characters[TALLY_PATTERN];
    uint8_t ordinary[TALLY_PATTERN];
    size_t count = 0;
    for (char one; (one = pattern_next(parser)) != ']'; count++) {
        if (one == '\0') {
            return pattern_wrong(parser, "a '[' is never closed");
        }
        ordinary[count] = one == '\\';
        if (one == '\\') {
            one = pattern_next(parser);
            if (one == '\0') {
                return pattern_wrong(parser, "no character follows the last '\\'");
            }
        }
        characters[count] = one;
    }
    return pattern_add_set(parser, characters, ordinary, count);
}

static tally_status pattern_read_name(pattern_parser *parser)
{
    const char *name = parser->at;
    while (pattern_next(parser) != '}') {
        if (parser->at == parser->end) {
            return pattern_wrong(parser, "a '{' is never closed");
        }
    }
    return pattern_add_choices(parser, parser->names->choices(parser->layouts, name,
                                                              (size_t)(parser->at - name) - 1,
                                                              parser->names->context));
}

static tally_status pattern_read_part(pattern_parser *parser, char one)
{
    if (one == '\\') {
        one = pattern_next(parser);
        if (one == '\0') {
            return pattern_wrong(parser, "no character follows the last '\\'");
        }
        pattern_add_literal(parser, (uint8_t)one);
        return TALLY_OK;
    }
    if (one == '[') {
        return pattern_read_set(parser);
    }
    if (one == ']') {
        return pattern_wrong(parser, "a ']' has no '[' before it; write '\\]' for the character");
    }
    if (parser->names != NULL && one == '#') {
        pattern_add_literal(parser, 0);
        return TALLY_OK;
    }
    if (parser->names != NULL && one == '{') {
        return pattern_read_name(parser);
    }
    const tally_characters class = pattern_class(one);
    if ((class.bits[0] | class.bits[1]) != 0) {
        return pattern_add_choices(parser, tally_layouts_choose(parser->layouts, class));
    }
    pattern_add_literal(parser, (uint8_t)one);
    return TALLY_OK;
}

/* Reads all items; counts the choices of optional groups as they come. */
static tally_status pattern_read(pattern_parser *parser)
{
    uint16_t open[TALLY_PATTERN];        /* groups that are not closed */
    uint32_t choices[TALLY_PATTERN + 1]; /* of the pattern and in each of those, so far */
    uint32_t depth = 0;
    choices[0] = 1;
    for (char one; (one = pattern_next(parser)) != '\0';) {
        if (one == '(') {
            open[depth++] = (uint16_t)parser->items;
            choices[depth] = 1;
            parser->item[parser->items++] = (pattern_item){.choices = 1};
        } else if (one == ')') {
            if (depth == 0) {
                return pattern_wrong(parser,
                                     "a ')' has no '(' before it; write '\\)' for the character");
            }
            pattern_item *group = &parser->item[open[--depth]];
            group->end = (uint16_t)parser->items;
            group->choices = choices[depth + 1] + 1;
            choices[depth] *= group->choices;
            if (choices[depth] > TALLY_LAYOUTS) {
                tally_writer out;
                tally_format_refusal(parser->format, parser->problem, "pattern", &out);
                tally_write(&out, "optional parts make more than ");
                tally_write_uint(&out, TALLY_LAYOUTS);
                tally_write(&out, " layouts; use fewer of them");
                return TALLY_ERROR_FORMAT;
            }
        } else {
            tally_status status = pattern_read_part(parser, one);
            if (status != TALLY_OK) {
                return status;
            }
        }
    }
    parser->choices = choices[0];
    return depth == 0
               ? TALLY_OK
               : pattern_wrong(parser, "a '(' is never closed; write '\\(' for the character");
}

/* Lays out the items first .. end - 1, by a number of their `choices`; the last group's choice
 * weighs least. Groups lie in each other at most TALLY_PATTERN / 2 deep. */
static void pattern_lay_out(pattern_parser *parser, uint32_t first, uint32_t end, uint32_t choices,
                            uint32_t number)
{
    for (uint32_t i = first; i < end;) {
        const pattern_item *item = &parser->item[i];
        if (item->end == 0) {
            parser->part[parser->parts++] = item->part;
            i++;
            continue;
        }
        choices /= item->choices;
        if (number / choices < item->choices - 1) {
            pattern_lay_out(parser, i + 1, item->end, item->choices - 1, number / choices);
        }
        number %= choices;
        i = item->end;
    }
}

static void pattern_write_characters(const tally_choices *choices, tally_writer *out)
{
    for (uint32_t c = 0; c < 128; c++) {
        if (tally_characters_have(&choices->characters[0], c)) {
            tally_write_char(out, (char)c);
        }
    }
}

/* Writes what messages call a layout, in quotes. */
static void pattern_write_notation(const tally_layout_part *parts, size_t count, tally_writer *out)
{
    static const char classes[] = "Aa9X";
    char text[TALLY_PATTERN * 44];
    tally_writer notation;
    tally_writer_init(&notation, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        const tally_choices *choices = parts[i].choices;
        char named = '\0';
        if (choices == NULL) {
            const uint8_t literal = parts[i].literal;
            tally_write_char(&notation, (char)(literal == 0 ? '#' : literal));
            continue;
        }
        for (size_t k = 0; classes[k] != '\0'; k++) {
            const tally_characters class = pattern_class(classes[k]);
            if (memcmp(&class, &choices->characters[0], sizeof class) == 0) {
                named = classes[k];
            }
        }
        if (named != '\0') {
            tally_write_char(&notation, named);
        } else if (choices->size > 40 || choices->width > 1) {
            tally_write(&notation, "[...]");
        } else {
            tally_write_char(&notation, '[');
            pattern_write_characters(choices, &notation);
            tally_write_char(&notation, ']');
        }
    }
    tally_write_repr(out, text, notation.size);
}

/* A digest of the fields, so that values of other fields have unrelated tokens. */
static void pattern_digest(const pattern_parser *parser, uint8_t out[32])
{
    tally_sha256 hash;
    tally_sha256_init(&hash);
    for (size_t i = 0; i < parser->parts; i++) {
        const tally_choices *choices = parser->part[i].choices;
        if (choices != NULL) {
            char text[128];
            uint8_t size[4];
            tally_writer characters;
            tally_writer_init(&characters, text, sizeof text);
            pattern_write_characters(choices, &characters);
            tally_store_be32((uint32_t)characters.size, size);
            tally_sha256_update(&hash, size, sizeof size);
            tally_sha256_update(&hash, (const uint8_t *)text, characters.size);
        }
    }
    tally_sha256_final(&hash, out);
}

static void pattern_choose(pattern_parser *parser, uint32_t number)
{
    parser->parts = 0;
    pattern_lay_out(parser, 0, parser->items, parser->choices, number);
}

static tally_status pattern_refuse_layout(pattern_parser *parser)
{
    uint32_t fields = 0;
    tally_writer out;
    for (size_t i = 0; i < parser->parts; i++) {
        fields += parser->part[i].choices != NULL;
    }
    tally_format_refusal(parser->format, parser->problem, "pattern", &out);
    pattern_write_notation(parser->part, parser->parts, &out);
    if (fields == 0) {
        tally_write(&out, " has nothing to encrypt");
    } else {
        tally_write(&out, " is too long; at most ");
        tally_write_uint(&out, TALLY_MIXED_MAX_POSITIONS);
        tally_write(&out, " characters may change, with at most 2**256 values");
    }
    return TALLY_ERROR_FORMAT;
}

static tally_status pattern_refuse_overlap(pattern_parser *parser, uint32_t first, uint32_t second)
{
    tally_writer out;
    tally_format_refusal(parser->format, parser->problem, "pattern", &out);
    tally_write(&out, "a value may match both ");
    pattern_choose(parser, first);
    pattern_write_notation(parser->part, parser->parts, &out);
    tally_write(&out, " and ");
    pattern_choose(parser, second);
    pattern_write_notation(parser->part, parser->parts, &out);
    tally_write(&out, ", so its token could not be revealed; make a set smaller, or nest optional "
                      "parts, as in 'A(A(A))'");
    return TALLY_ERROR_FORMAT;
}

tally_status tally_pattern_add(const tally_format *format, tally_layouts *layouts,
                               const char *pattern, size_t size, const tally_pattern_names *names,
                               tally_problem *problem)
{
    pattern_parser parser = {.format = format,
                             .layouts = layouts,
                             .names = names,
                             .problem = problem,
                             .at = pattern,
                             .end = pattern + size};
    int printable = size > 0 && size <= TALLY_PATTERN;
    for (size_t i = 0; i < size && printable; i++) {
        printable = pattern[i] >= ' ' && pattern[i] <= '~';
    }
    if (!printable) {
        return pattern_wrong(&parser, "a pattern must be 1 to 256 printable ASCII characters");
    }
    tally_status status = pattern_read(&parser);
    const uint32_t before = layouts->count;
    for (uint32_t i = 0; status == TALLY_OK && i < parser.choices; i++) {
        uint8_t kept[32];
        pattern_choose(&parser, i);
        if (names == NULL) {
            pattern_digest(&parser, kept);
        }
        status = tally_layouts_add(layouts, parser.part, parser.parts,
                                   names == NULL ? 0 : names->check_rule, kept,
                                   names == NULL ? sizeof kept : 0);
        if (status == TALLY_ERROR_LENGTH) {
            return pattern_refuse_layout(&parser);
        }
    }
    uint32_t first, second;
    if (status == TALLY_OK && before == 0 && tally_layouts_overlap(layouts, &first, &second)) {
        return pattern_refuse_overlap(&parser, first, second);
    }
    return status;
}

/* ---- core/formats/phone.c ---- */
/*
 * The format "phone". Without a country, plain digits with separators. With one, numbers keep their
 * calling code, and a right length behind it: the national digits change among those of the same
 * plan (phone_plans.h). Separators, prefixes and extensions stay. */

/* ---- core/formats/phone.h ---- */
/*
 * The digits of phone numbers in texts. */
#ifndef TALLY_FORMATS_PHONE_H
#define TALLY_FORMATS_PHONE_H

enum {
    TALLY_PHONE_LAYOUTS = 2 * TALLY_PHONE_PLANS, /* one for each class of a plan */
    TALLY_PHONE_WORK = 195,                      /* layers of FAST of any of them, at most */
    TALLY_PHONE_SLOT = 16,                       /* bytes of a number's national digits */
    TALLY_PHONE_MOST = 18 /* digits of a text before its extension: 00 or 011, too */
};

/* The digits of a text. */
typedef struct tally_phone_text {
    uint8_t digit[64]; /* as characters, zeros behind them */
    uint32_t digits;
    uint32_t international; /* whether it begins with + */
    uint32_t zero;          /* the first digit that is written "(0)"; TALLY_PHONE_MOST: none is */
    uint64_t places;        /* of the digits, as bits; 0: they are not known */
} tally_phone_text;

/* With vectors. Texts that are short and have no extension are read at once. */
typedef struct tally_phone_vectors {
    tally_backend backend;
    /* Returns 0 if the text is another one. */
    int (*read)(const uint8_t *text, size_t size, tally_phone_text *out);
    /* The places of `size` digits from digit `skip` on. */
    uint64_t (*choose)(uint64_t places, uint32_t skip, uint32_t size);
    void (*write)(uint64_t places, const uint8_t digits[TALLY_PHONE_SLOT], uint8_t *text);
} tally_phone_vectors;

extern const tally_phone_vectors tally_phone_avx512;

/* The layout of class number % 2 of plan number / 2, which stays with the format; NULL: the class is
 * empty, or there is no memory. */
const tally_layout *tally_phone_layout(const tally_format *format, size_t number);

#endif

enum {
    PHONE_CODES = 1000,
    PHONE_SIZES = TALLY_PHONE_DIGITS + 1,
    PHONE_EXTENSION = 7, /* digits of an extension */
    PHONE_PIECE = 6144,  /* bytes that a layout takes, at most */
    PHONE_NONE = TALLY_LAYOUTS_NONE
};

/* The scratches of a run. */
enum { PHONE_SCRATCH_ROWS = TALLY_LAYOUTS_SCRATCHES, PHONE_SCRATCH_SLOTS };

/* A layout, with the memory that it is in. */
typedef struct phone_layout {
    tally_arena arena;
    const tally_layout *layout;
} phone_layout;

typedef struct phone {
    tally_layouts layouts;                   /* how many, and the tweak's part: none is in it */
    const tally_phone_region *region;        /* NULL: no number is without its calling code */
    uint16_t plan[PHONE_CODES][PHONE_SIZES]; /* by calling code and digits: its place plus one */
    _Atomic(phone_layout *) made[TALLY_PHONE_LAYOUTS]; /* when a number first needs it */
} phone;

/* A number in a text: its national digits are those from digit `skip` on. */
typedef struct phone_found {
    uint8_t digit[TALLY_PHONE_SLOT]; /* as characters */
    uint16_t layout;                 /* PHONE_NONE: it is no number */
    uint8_t skip, size;
    uint64_t places; /* of the national digits in the text, as bits; 0: they are not known */
} phone_found;

static int phone_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static int phone_is_separator(uint8_t c)
{
    return c == ' ' || c == '-' || c == '(' || c == ')' || c == '.' || c == '/';
}

/* Passes over a word in letters of either case. */
static size_t phone_skip_word(const uint8_t *text, size_t size, size_t at, const char *word)
{
    size_t i = 0;
    while (word[i] != '\0' && at + i < size && (text[at + i] | 0x20) == (uint8_t)word[i]) {
        i++;
    }
    return word[i] == '\0' ? at + i : at;
}

/* Whether the rest of a text is an extension: "ext. 12", "x12", "#12", ";ext=12". */
static int phone_is_extension(const uint8_t *text, size_t size, size_t at)
{
    size_t digits = 0;
    at += text[at] == ';';
    size_t end = phone_skip_word(text, size, at, "ext");
    end = end == at ? phone_skip_word(text, size, at, "x") : end;
    end += end == at && end < size && text[end] == '#';
    if (end == at) {
        return 0;
    }
    while (end < size &&
           (text[end] == '.' || text[end] == ':' || text[end] == '=' || text[end] == ' ')) {
        end++;
    }
    for (; end < size && phone_is_digit(text[end]); end++) {
        digits++;
    }
    return end == size && digits >= 1 && digits <= PHONE_EXTENSION;
}

/* Reads a text; returns its size, or where a character is that no number has there. */
static size_t phone_read(const uint8_t *text, size_t size, tally_phone_text *out)
{
    out->digits = out->international = 0;
    out->places = 0;
    out->zero = TALLY_PHONE_MOST;
    memset(out->digit, 0, sizeof out->digit);
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = text[i];
        if (phone_is_digit(c)) {
            if (out->digits == TALLY_PHONE_MOST) {
                return i;
            }
            if (c == '0' && i > 0 && text[i - 1] == '(' && i + 1 < size && text[i + 1] == ')' &&
                out->zero == TALLY_PHONE_MOST) {
                out->zero = out->digits;
            }
            out->digit[out->digits++] = c;
        } else if (c == '+' && out->digits == 0 && !out->international) {
            out->international = 1;
        } else if (!phone_is_separator(c)) {
            return out->digits > 0 && phone_is_extension(text, size, i) ? size : i;
        }
    }
    return size;
}

/* The calling code at digit `at`; 0: there is none. *end: where it ends. */
static uint32_t phone_code(const phone *own, const tally_phone_text *text, uint32_t at,
                           uint32_t *end)
{
    uint32_t code = 0;
    for (uint32_t i = at; i < at + 3 && i < text->digits; i++) {
        code = code * 10 + (uint32_t)(text->digit[i] - '0');
        if (code == 0) {
            return 0;
        }
        if (own->plan[code][0] != 0) { /* no code begins with another one */
            *end = i + 1;
            return code;
        }
    }
    return 0;
}

/* The plan of the digits from `skip` on, plus one; 0: there is none. */
static uint32_t phone_plan(const phone *own, const tally_phone_text *text, uint32_t code,
                           uint32_t skip)
{
    const uint32_t size = text->digits - skip;
    return size > 0 && size < PHONE_SIZES ? own->plan[code][size] : 0;
}

/* Finds the plan and the first national digit of a text; returns the plan plus one, or 0. */
static uint32_t phone_resolve(const phone *own, const tally_phone_text *text, uint32_t *skip)
{
    const tally_phone_region *region = own->region;
    uint32_t begin = TALLY_PHONE_MOST;
    if (text->international) {
        begin = 0;
    } else if (text->digits > 2 && text->digit[0] == '0' && text->digit[1] == '0') {
        begin = 2;
    } else if (region != NULL && region->code == 1 && text->digits > 3 &&
               memcmp(text->digit, "011", 3) == 0) {
        begin = 3;
    }
    if (begin < TALLY_PHONE_MOST) {
        const uint32_t code = phone_code(own, text, begin, skip);
        if (code == 0) {
            return 0;
        }
        if (text->zero == *skip && *skip + 1 < text->digits) {
            /* "+49 (0)30": what stands before national numbers. */
            const uint32_t plan = phone_plan(own, text, code, *skip + 1);
            if (plan != 0 && !tally_phone_plans[plan - 1].zero) {
                ++*skip;
                return plan;
            }
        }
        return phone_plan(own, text, code, *skip);
    }
    if (region == NULL) {
        return 0;
    }
    const uint32_t trunk = (uint32_t)strlen(region->trunk);
    if (trunk > 0 && text->digits > trunk && memcmp(text->digit, region->trunk, trunk) == 0 &&
        phone_plan(own, text, region->code, trunk) != 0) {
        *skip = trunk;
        return phone_plan(own, text, region->code, trunk);
    }
    *skip = 0;
    return phone_plan(own, text, region->code, 0);
}

/* Finds the number of a text that was read. */
static void phone_find(const phone *own, const tally_phone_text *text, phone_found *out)
{
    uint32_t skip = 0;
    const uint32_t found = phone_resolve(own, text, &skip);
    out->layout = PHONE_NONE;
    if (found == 0) {
        return;
    }
    const tally_phone_plan *plan = &tally_phone_plans[found - 1];
    const uint8_t *digit = text->digit + skip;
    if (digit[0] == '0' && (!plan->zero || digit[1] == '0')) {
        return;
    }
    memcpy(out->digit, digit, TALLY_PHONE_SLOT);
    out->places = text->places;
    out->skip = (uint8_t)skip;
    out->size = plan->size;
    const uint32_t class = !tally_phone_in_plan(plan->root, digit, 1);
    out->layout = plan->numbers[class] == 0 ? PHONE_NONE : (uint16_t)((found - 1) * 2 + class);
}

/* The three digits with which the numbers of a class of a plan begin. */
static const tally_choices *phone_prefixes(tally_layouts *layouts, const tally_phone_plan *plan,
                                           uint32_t class)
{
    uint8_t chosen[1000] = {0};
    const uint16_t wanted = class == 0 ? 10 : 0;
    for (uint32_t tens = plan->zero ? 1 : 10; tens < 100; tens++) {
        const uint16_t first = tally_phone_nodes[plan->root + tens / 10],
                       *row = tally_phone_nodes + tally_phone_nodes[first + tens % 10];
        for (uint32_t digit = 0; digit < 10; digit++) {
            /* Behind a node that is neither, there are numbers of both classes. */
            chosen[tens * 10 + digit] = (row[digit] > 10) | (row[digit] == wanted);
        }
    }
    return tally_layouts_prefixes(layouts, chosen);
}

/* Makes the layout of a class of a plan. */
static tally_status phone_make_layout(tally_layouts *layouts, const tally_phone_plan *plan,
                                      uint32_t class)
{
    tally_layout_part parts[TALLY_PHONE_DIGITS] = {{NULL, 0}};
    uint8_t code[3];
    uint32_t digits = 0;
    const tally_choices *digit =
        tally_layouts_choose(layouts, (tally_characters){{UINT64_C(0x3ff) << '0', 0}});
    parts[0].choices = phone_prefixes(layouts, plan, class);
    if (digit == NULL || parts[0].choices == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint32_t i = 3; i < plan->size; i++) {
        parts[i - 2].choices = digit;
    }
    for (uint32_t divisor = 100; divisor > 0; divisor /= 10) {
        if (plan->code >= divisor) {
            code[digits++] = (uint8_t)('0' + plan->code / divisor % 10);
        }
    }
    const tally_status status =
        tally_layouts_add(layouts, parts, plan->size - 2U, TALLY_CHECK_PHONE, code, digits);
    layouts->layout->root = plan->root;
    layouts->layout->in_plan = (uint16_t)(1 - class);
    layouts->layout->size = plan->numbers[class];
    return status;
}

/* The layout of a class of a plan, by its number. It is made when it is first needed: those of all
 * countries take megabytes and milliseconds. Threads that need it at once may each make it, and the
 * first one stays: no thread waits for another. NULL: there is no memory. */
static const tally_layout *phone_layout_at(const void *context, size_t number)
{
    phone *own = (phone *)(uintptr_t)context; /* whose `made` alone changes */
    phone_layout *made = atomic_load_explicit(&own->made[number], memory_order_acquire);
    if (made != NULL) {
        return made->layout;
    }
    const tally_phone_plan *plan = &tally_phone_plans[number / 2];
    tally_layouts layouts = {.arena = {own->layouts.arena.allocator, PHONE_PIECE, NULL}, .most = 1};
    made = tally_arena_allocate(&layouts.arena, sizeof *made);
    layouts.layout = tally_arena_allocate(&layouts.arena, sizeof *layouts.layout);
    if (made == NULL || layouts.layout == NULL ||
        phone_make_layout(&layouts, plan, number % 2) != TALLY_OK) {
        tally_arena_release(&layouts.arena);
        return NULL;
    }
    *made = (phone_layout){layouts.arena, layouts.layout};
    phone_layout *before = NULL;
    if (!atomic_compare_exchange_strong_explicit(&own->made[number], &before, made,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        tally_arena_release(&layouts.arena);
        return before->layout;
    }
    return made->layout;
}

const tally_layout *tally_phone_layout(const tally_format *format, size_t number)
{
    return tally_phone_plans[number / 2].numbers[number % 2] == 0
               ? NULL
               : phone_layout_at(format->own, number);
}

static const tally_phone_vectors *phone_vectors(void)
{
#if defined(TALLY_ARCH_X86_64)
    return tally_backend_lacks(&tally_phone_avx512.backend) == 0 ? &tally_phone_avx512 : NULL;
#else
    return NULL;
#endif
}

/* Replaces the national digits of a text. */
static void phone_write(const phone_found *found, const uint8_t *digits, uint8_t *text)
{
    for (uint32_t seen = 0, end = (uint32_t)found->skip + found->size; seen < end; text++) {
        if (phone_is_digit(*text)) {
            *text = seen < found->skip ? *text : digits[seen - found->skip];
            seen++;
        }
    }
}

/* The rows of a block of the column. */
typedef struct phone_rows {
    uint64_t *start;
    phone_found *found;
    uint8_t *digits, *made; /* national digits of each row before and after */
} phone_rows;

static tally_status phone_group(const phone *own, tally_layouts_job *job,
                                const tally_text_column *column, tally_strings_reader *reader,
                                size_t count, const phone_rows *rows)
{
    const uint64_t begin = tally_offset_once(&column->in, 0), from = reader->at,
                   end = tally_offset_once(&column->in, job->first_row + count);
    if (end < from || end > reader->end || begin > from) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint8_t *values = column->values + (from - begin);
    const tally_phone_vectors *vectors = phone_vectors();
    if (end > from && values != column->in.values + from) {
        memcpy(values, column->in.values + from, (size_t)(end - from));
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = job->first_row + i;
        uint8_t *status = &column->status[row];
        phone_found *found = &rows->found[i];
        uint64_t start, size;
        int broken = 0;
        found->layout = PHONE_NONE;
        *status = 0;
        if (!tally_strings_next(reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        rows->start[i] = start - from;
        if (tally_row_is_null(&column->in, row)) {
            memset(values + rows->start[i], 0, (size_t)size);
        } else if (job->run->row_tweaks != NULL && tally_layouts_lacks_tweak(job, row, &broken)) {
            *status = TALLY_REASON_TWEAK;
        } else {
            tally_phone_text text;
            const uint8_t *value = values + rows->start[i];
            if ((vectors == NULL || !vectors->read(value, (size_t)size, &text)) &&
                phone_read(value, (size_t)size, &text) != size) {
                *status = TALLY_REASON_FOREIGN;
            } else {
                phone_find(own, &text, found);
                *status = found->layout == PHONE_NONE ? TALLY_REASON_NOTATION : 0;
                memcpy(rows->digits + i * TALLY_PHONE_SLOT, found->digit, TALLY_PHONE_SLOT);
                if (found->layout != PHONE_NONE && found->places != 0) {
                    found->places = vectors->choose(found->places, found->skip, found->size);
                }
            }
        }
        job->groups->layout[i] = found->layout;
        job->groups->start[i] = i * TALLY_PHONE_SLOT;
        if (broken) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    return TALLY_OK;
}

static tally_status phone_run(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const phone *own = format->own;
    const uint64_t rows = column->in.rows;
    const size_t most = rows < TALLY_LAYOUTS_BLOCK ? (size_t)rows : TALLY_LAYOUTS_BLOCK;
    tally_strings_reader reader;
    tally_layouts_groups groups;
    if (rows == 0) {
        return TALLY_OK;
    }
    phone_rows block = {
        .start = run->scratch(run, PHONE_SCRATCH_ROWS,
                              most * (sizeof *block.start + sizeof *block.found)),
        .digits = run->scratch(run, PHONE_SCRATCH_SLOTS, 2 * most * TALLY_PHONE_SLOT),
    };
    if (block.start == NULL || block.digits == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    block.found = (phone_found *)(void *)(block.start + most);
    block.made = block.digits + most * TALLY_PHONE_SLOT;
    const tally_text_column digits = {.in = {.values = block.digits, .rows = rows},
                                      .status = column->status,
                                      .values = block.made};
    tally_layouts_job job = {.run = run,
                             .layouts = &own->layouts,
                             .layout_at = phone_layout_at,
                             .context = own,
                             .column = &digits};
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t begin = reader.at;
    const tally_phone_vectors *vectors = phone_vectors();
    tally_status status = tally_layouts_begin(&job, &groups, rows);
    for (; job.first_row < rows && status == TALLY_OK; job.first_row += TALLY_LAYOUTS_BLOCK) {
        const uint64_t rest = rows - job.first_row;
        const size_t count = rest < TALLY_LAYOUTS_BLOCK ? (size_t)rest : TALLY_LAYOUTS_BLOCK;
        uint8_t *values = column->values + (reader.at - begin);
        status = phone_group(own, &job, column, &reader, count, &block);
        if (status == TALLY_OK) {
            status = tally_layouts_run_block(&job, count);
        }
        for (size_t i = 0; i < count && status == TALLY_OK; i++) {
            if (block.found[i].layout == PHONE_NONE) {
                continue;
            }
            if (block.found[i].places != 0) {
                vectors->write(block.found[i].places, block.made + i * TALLY_PHONE_SLOT,
                               values + block.start[i]);
            } else {
                phone_write(&block.found[i], block.made + i * TALLY_PHONE_SLOT,
                            values + block.start[i]);
            }
        }
    }
    return status;
}

static tally_status phone_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const phone *own = format->own;
    tally_phone_text text;
    phone_found found;
    uint8_t made[TALLY_PHONE_SLOT];
    tally_status status = TALLY_OK;
    one->out_size = one->size;
    one->reason = TALLY_REASON_TWEAK;
    if (one->row_tweak_size > tally_layouts_room(run, &own->layouts)) {
        return TALLY_OK;
    }
    one->reason = TALLY_REASON_FOREIGN;
    if (phone_read(one->value, one->size, &text) != one->size) {
        return TALLY_OK;
    }
    one->reason = TALLY_REASON_NOTATION;
    phone_find(own, &text, &found);
    if (found.layout != PHONE_NONE) {
        if (one->room < one->size) {
            return TALLY_ERROR_ROOM;
        }
        const tally_layout *layout = phone_layout_at(own, found.layout);
        status = layout == NULL
                     ? TALLY_ERROR_MEMORY
                     : tally_layouts_run_one(&own->layouts, layout, run, one, found.digit, made);
        if (status == TALLY_OK) {
            memcpy(one->out, one->value, one->size);
            phone_write(&found, made, one->out);
        }
        tally_wipe(made, sizeof made);
        tally_wipe(&found, sizeof found);
    }
    tally_wipe(&text, sizeof text);
    return status;
}

static void phone_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                            tally_domain *out)
{
    const phone *own = format->own;
    tally_phone_text text;
    phone_found found = {.layout = PHONE_NONE};
    if (phone_read(value, size, &text) == size) {
        phone_find(own, &text, &found);
    }
    *out =
        found.layout == PHONE_NONE
            ? format->smallest
            : tally_domain_of_size(tally_phone_plans[found.layout / 2].numbers[found.layout % 2]);
}

static size_t phone_place_of_fault(const tally_format *format, tally_reason reason,
                                   const uint8_t *value, size_t size)
{
    tally_phone_text text;
    (void)format, (void)reason;
    const size_t place = phone_read(value, size, &text);
    return place < size ? place : SIZE_MAX;
}

static void phone_destroy(tally_format *format)
{
    phone *own = format->own;
    for (size_t i = 0; i < TALLY_PHONE_LAYOUTS; i++) {
        phone_layout *made = atomic_load_explicit(&own->made[i], memory_order_relaxed);
        if (made != NULL) {
            tally_arena arena = made->arena; /* which has it inside */
            tally_arena_release(&arena);
        }
    }
}

static const tally_format_class phone_planned;

static tally_status phone_make_planned(tally_format *format, const tally_phone_region *region)
{
    phone *own = tally_format_own(format, sizeof *own);
    format->of = &phone_planned;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    own->region = region;
    own->layouts.arena.allocator = tally_format_allocator(format);
    own->layouts.count = TALLY_PHONE_LAYOUTS;
    own->layouts.most_kept = 3; /* digits of a calling code */
    uint64_t smallest = UINT64_MAX;
    for (uint32_t i = 0; i < TALLY_PHONE_PLANS; i++) {
        const tally_phone_plan *plan = &tally_phone_plans[i];
        own->plan[plan->code][0] = 1; /* there is such a code */
        own->plan[plan->code][plan->size] = (uint16_t)(i + 1);
        for (uint32_t class = 0; class < 2; class ++) {
            const uint64_t numbers = plan->numbers[class];
            smallest = numbers != 0 && numbers < smallest ? numbers : smallest;
        }
    }
    char identity[32];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"phone\",\"");
    tally_write(&out, region != NULL ? region->name : "any");
    tally_write(&out, "\"]");
    format->keeps_size = 1;
    format->example[0] = "+1 (202) 555-0143";
    format->example[1] = "+49 30/901820";
    format->smallest = tally_domain_of_size(smallest);
    format->work = TALLY_PHONE_WORK;
    return tally_format_identify(format, identity, out.size);
}

static const tally_option phone_options[] = {{"country", TALLY_OPTION_TEXT, 0, NULL},
                                             TALLY_TEXT_COMMON};

static tally_status phone_make(tally_format *format, const tally_option_value *values,
                               tally_problem *problem)
{
    const tally_option_value *country = &values[0];
    if (!country->given) {
        return tally_text_preset_make(format, values, problem);
    }
    const tally_status status =
        tally_text_preset_refuse_changed(format, values, "country", problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (country->size == 3 && memcmp(country->text, "any", 3) == 0) {
        return phone_make_planned(format, NULL);
    }
    for (size_t i = 0; i < TALLY_PHONE_REGIONS; i++) {
        if (country->size == 2 && memcmp(country->text, tally_phone_regions[i].name, 2) == 0) {
            return phone_make_planned(format, &tally_phone_regions[i]);
        }
    }
    return tally_format_refuse(format, problem, "country",
                               "country must be 'any' or the two letters of a country, such as "
                               "'DE' or 'US'");
}

static const tally_format_class phone_planned = {
    .name = "phone",
    .options = phone_options,
    .destroy = phone_destroy,
    .text = phone_run,
    .one = phone_one,
    .domain_of = phone_domain_of,
    .place_of_fault = phone_place_of_fault,
};

const tally_format_class tally_format_phone = {
    .name = "phone", .options = phone_options, .make = phone_make, TALLY_TEXT_FUNCTIONS};

/* ---- core/formats/phone_avx512.c ---- */
/*
 * The digits of phone numbers with AVX-512 VBMI2, which compresses and expands bytes. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define PHONE_AVX512_TARGET                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")))

PHONE_AVX512_TARGET static __mmask64 phone_avx512_equal(__m512i text, char character)
{
    return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(character));
}

PHONE_AVX512_TARGET static int phone_avx512_read(const uint8_t *text, size_t size,
                                                 tally_phone_text *out)
{
    if (size == 0 || size > 64) {
        return 0;
    }
    const __mmask64 within = UINT64_MAX >> (64 - size);
    const __m512i v = _mm512_maskz_loadu_epi8(within, text);
    const __mmask64 digits =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    const __mmask64 plus = phone_avx512_equal(v, '+'), open = phone_avx512_equal(v, '('),
                    close = phone_avx512_equal(v, ')');
    const __mmask64 separators = phone_avx512_equal(v, ' ') | phone_avx512_equal(v, '-') |
                                 phone_avx512_equal(v, '.') | phone_avx512_equal(v, '/') | open |
                                 close;
    const uint32_t count = (uint32_t)__builtin_popcountll(digits);
    if ((digits | separators | plus) != within || count > TALLY_PHONE_MOST ||
        (plus & (plus - 1)) != 0 || (plus != 0 && (digits & (plus - 1)) != 0)) {
        return 0;
    }
    const __mmask64 zeros = phone_avx512_equal(v, '0') & open << 1 & close >> 1;
    const __m512i packed = _mm512_maskz_compress_epi8(digits, v);
    _mm512_storeu_si512(out->digit, packed); /* whole: what is loaded next comes from it */
    out->digits = count;
    out->international = plus != 0;
    out->zero = zeros == 0 ? TALLY_PHONE_MOST
                           : (uint32_t)__builtin_popcountll(digits & ((zeros & (0 - zeros)) - 1));
    out->places = digits;
    return 1;
}

PHONE_AVX512_TARGET static uint64_t phone_avx512_choose(uint64_t places, uint32_t skip,
                                                        uint32_t size)
{
    return _pdep_u64(((UINT64_C(1) << size) - 1) << skip, places);
}

PHONE_AVX512_TARGET static void
phone_avx512_write(uint64_t places, const uint8_t digits[TALLY_PHONE_SLOT], uint8_t *text)
{
    const uint32_t count = (uint32_t)_mm_popcnt_u64(places);
    const __m512i v = _mm512_zextsi128_si512(
        _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(UINT16_MAX, count), digits));
    _mm512_mask_storeu_epi8(text, places, _mm512_maskz_expand_epi8(places, v));
}

const tally_phone_vectors tally_phone_avx512 = {{"avx512", TALLY_CPU_AVX512VBMI2 | TALLY_CPU_BMI2},
                                                phone_avx512_read,
                                                phone_avx512_choose,
                                                phone_avx512_write};

#else
typedef int tally_phone_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/formats/phone_plans.c ---- */
/*
 * National numbers behind each calling code, from the metadata of libphonenumber (Apache-2.0):
 * written by tools/phone_plans.py. Tokens depend on these tables. */

const uint16_t tally_phone_nodes[31970] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 20, 20, 20, 20, 20, 20, 20, 20, 20,
    20, 0, 20, 20, 20, 20, 20, 20, 20, 20,
    20, 0, 0, 20, 20, 20, 20, 20, 20, 20,
    0, 20, 0, 0, 20, 20, 20, 0, 0, 20,
    0, 0, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 70, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 10, 0, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 10, 10, 10, 10, 10, 0, 0,
    10, 10, 10, 10, 10, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 10, 10, 0, 0,
    90, 0, 100, 100, 110, 10, 100, 120, 130, 140,
    0, 10, 10, 10, 0, 10, 10, 10, 10, 10,
    0, 10, 10, 10, 10, 10, 10, 10, 10, 0,
    0, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 100, 100, 160, 170, 170, 10, 180, 0,
    0, 0, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 10, 0, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 10, 0, 0,
    200, 0, 210, 220, 230, 240, 70, 250, 0, 0,
    0, 10, 10, 10, 10, 10, 0, 0, 0, 0,
    10, 10, 0, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 10, 0, 0, 0,
    10, 0, 0, 0, 0, 0, 10, 0, 0, 0,
    10, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 10, 10, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 10, 10,
    270, 200, 280, 290, 300, 310, 0, 320, 330, 340,
    0, 0, 0, 0, 0, 0, 0, 0, 10, 0,
    200, 0, 250, 360, 0, 0, 0, 0, 360, 0,
    10, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 10,
    100, 380, 10, 130, 0, 0, 0, 0, 390, 390,
    0, 0, 80, 150, 190, 260, 350, 370, 400, 0,
    10, 10, 10, 10, 10, 10, 0, 10, 10, 10,
    0, 0, 330, 10, 420, 10, 10, 130, 10, 200,
    10, 10, 10, 10, 10, 10, 10, 10, 0, 0,
    0, 10, 0, 0, 0, 20, 440, 0, 0, 0,
    10, 0, 10, 0, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 10, 0, 10, 10, 10, 10,
    0, 460, 10, 10, 470, 10, 250, 0, 0, 0,
    10, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 490, 10, 10, 230, 0, 500, 0, 0,
    0, 0, 0, 0, 0, 10, 10, 10, 0, 0,
    0, 0, 10, 360, 0, 0, 0, 0, 0, 520,
    10, 10, 0, 0, 0, 0, 10, 10, 0, 0,
    0, 0, 0, 10, 0, 0, 0, 10, 0, 0,
    0, 20, 10, 540, 0, 550, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 0, 0, 570, 0,
    0, 340, 0, 0, 0, 0, 570, 290, 0, 0,
    0, 0, 430, 450, 480, 510, 530, 560, 580, 590,
    20, 0, 410, 0, 0, 0, 600, 0, 20, 20,
    20, 20, 20, 20, 20, 0, 20, 20, 0, 0,
    0, 0, 0, 70, 0, 0, 0, 0, 0, 200,
    0, 10, 10, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 640, 320, 0, 330,
    0, 0, 0, 0, 0, 0, 10, 10, 10, 10,
    0, 10, 10, 10, 10, 0, 0, 0, 0, 0,
    0, 0, 0, 660, 0, 0, 0, 0, 670, 0,
    0, 0, 0, 0, 10, 0, 0, 0, 0, 10,
    0, 0, 690, 0, 0, 0, 0, 200, 0, 0,
    0, 0, 630, 0, 650, 680, 0, 700, 0, 0,
    0, 0, 0, 0, 0, 0, 10, 0, 0, 10,
    10, 10, 10, 10, 10, 0, 0, 0, 10, 0,
    10, 10, 0, 0, 10, 0, 0, 0, 0, 0,
    720, 0, 0, 0, 0, 0, 730, 0, 740, 0,
    10, 10, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 760, 0, 0, 0,
    0, 0, 0, 10, 10, 10, 10, 10, 10, 10,
    10, 0, 10, 0, 10, 0, 10, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 0, 10, 10,
    0, 780, 10, 790, 0, 0, 230, 800, 10, 0,
    0, 0, 0, 0, 750, 770, 0, 810, 0, 0,
    20, 0, 20, 20, 710, 0, 0, 20, 820, 20,
    20, 0, 20, 20, 20, 0, 20, 0, 0, 20,
    0, 0, 390, 0, 70, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 10, 0, 0, 0, 0, 0,
    860, 0, 0, 0, 440, 0, 360, 0, 0, 870,
    10, 10, 10, 10, 10, 10, 10, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 10, 0, 0, 10,
    0, 0, 200, 0, 890, 0, 360, 0, 0, 900,
    0, 0, 0, 0, 440, 0, 360, 0, 0, 720,
    0, 0, 0, 0, 0, 0, 0, 230, 0, 0,
    0, 0, 0, 0, 10, 10, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 200, 940, 0, 0, 0,
    0, 0, 850, 880, 910, 920, 0, 930, 950, 0,
    0, 20, 0, 20, 960, 0, 0, 0, 0, 20,
    30, 40, 50, 60, 610, 620, 830, 840, 970, 0,
    20, 20, 0, 20, 20, 20, 20, 20, 0, 20,
    20, 20, 20, 0, 20, 0, 20, 20, 0, 20,
    10, 0, 0, 0, 0, 0, 10, 10, 10, 0,
    10, 310, 1010, 0, 690, 0, 0, 250, 0, 0,
    0, 0, 0, 200, 230, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 1040, 0, 230, 0, 0, 870, 390, 0,
    0, 870, 0, 0, 0, 70, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 10, 0, 0, 0,
    10, 0, 10, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 1070, 0, 1040, 0, 0, 250, 0, 1080,
    0, 0, 10, 10, 10, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 0, 10, 0, 10, 0, 0,
    0, 1100, 1110, 0, 0, 0, 0, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 230, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 360,
    0, 0, 1020, 1030, 1050, 1060, 1090, 1120, 1130, 1140,
    0, 0, 200, 1040, 230, 0, 290, 0, 0, 0,
    0, 0, 100, 570, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 10, 0, 0, 0,
    0, 1180, 130, 0, 230, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 10, 10, 0, 10,
    0, 320, 1200, 0, 660, 310, 0, 290, 0, 0,
    10, 0, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 570, 360, 1220, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 10, 10, 10, 0, 10,
    0, 0, 0, 310, 1240, 0, 660, 250, 0, 0,
    310, 210, 1070, 0, 340, 0, 0, 0, 360, 0,
    0, 0, 0, 0, 10, 0, 10, 10, 0, 10,
    10, 0, 0, 0, 0, 0, 10, 10, 10, 10,
    10, 0, 0, 10, 0, 10, 10, 10, 10, 10,
    0, 1270, 20, 1280, 1290, 0, 0, 290, 0, 310,
    0, 0, 1160, 1170, 1190, 1210, 1230, 1250, 1260, 1300,
    1150, 20, 0, 20, 0, 1310, 20, 20, 0, 0,
    20, 20, 20, 20, 20, 0, 0, 0, 0, 0,
    20, 20, 0, 20, 20, 20, 0, 20, 20, 20,
    20, 0, 20, 0, 0, 20, 20, 0, 0, 0,
    30, 40, 990, 1000, 1320, 1330, 1340, 0, 1350, 0,
    0, 0, 0, 20, 20, 20, 0, 0, 20, 0,
    20, 20, 20, 0, 20, 20, 0, 20, 20, 0,
    10, 10, 10, 10, 10, 0, 310, 0, 390, 10,
    0, 0, 10, 10, 10, 1390, 10, 10, 10, 90,
    20, 1400, 20, 20, 0, 20, 0, 20, 20, 0,
    20, 0, 0, 0, 0, 0, 0, 0, 20, 0,
    0, 0, 0, 20, 20, 0, 0, 0, 20, 20,
    0, 0, 0, 760, 0, 0, 390, 0, 0, 0,
    0, 0, 340, 0, 0, 0, 0, 0, 290, 0,
    10, 0, 0, 0, 10, 10, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 0, 0, 0, 0, 10,
    20, 1460, 1470, 1480, 1490, 1480, 360, 570, 0, 310,
    0, 0, 0, 10, 10, 10, 10, 10, 10, 0,
    0, 0, 490, 1510, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 10, 0, 10, 0,
    0, 0, 0, 1530, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 360, 0, 0, 230, 0,
    310, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    180, 0, 0, 360, 0, 0, 0, 0, 0, 0,
    0, 0, 1440, 1450, 1500, 1520, 1540, 1550, 1560, 1570,
    20, 0, 20, 1580, 20, 20, 0, 0, 20, 20,
    20, 0, 0, 0, 20, 0, 0, 0, 0, 0,
    30, 40, 1370, 1380, 1410, 1420, 1430, 1590, 1600, 0,
    20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
    10, 10, 10, 10, 10, 0, 10, 10, 10, 10,
    10, 380, 460, 10, 10, 1630, 0, 0, 0, 0,
    10, 380, 1470, 0, 390, 10, 10, 10, 10, 10,
    0, 0, 10, 10, 10, 1640, 10, 10, 10, 1650,
    20, 20, 20, 20, 1660, 20, 20, 20, 20, 20,
    20, 20, 20, 20, 20, 0, 0, 0, 0, 20,
    20, 20, 0, 0, 20, 0, 0, 0, 20, 0,
    0, 20, 0, 0, 0, 0, 0, 20, 0, 20,
    0, 20, 20, 20, 20, 0, 20, 20, 0, 0,
    20, 20, 20, 20, 20, 20, 0, 20, 0, 20,
    20, 20, 20, 0, 20, 20, 20, 20, 20, 0,
    1620, 40, 1670, 1680, 1690, 1700, 1710, 1720, 1730, 0,
    20, 0, 20, 20, 0, 0, 20, 0, 20, 20,
    20, 20, 0, 20, 0, 0, 20, 0, 0, 20,
    0, 10, 10, 10, 10, 10, 10, 10, 0, 10,
    0, 0, 0, 640, 1770, 0, 290, 0, 0, 0,
    0, 0, 0, 500, 500, 0, 0, 0, 0, 0,
    0, 760, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 310, 290, 0, 0, 0,
    0, 0, 1780, 10, 1790, 0, 0, 1800, 0, 1810,
    20, 20, 0, 0, 0, 20, 20, 20, 0, 1820,
    20, 20, 0, 0, 0, 0, 20, 20, 20, 20,
    0, 10, 10, 10, 10, 10, 10, 0, 0, 0,
    0, 0, 0, 0, 390, 0, 0, 0, 0, 1850,
    0, 860, 0, 0, 0, 0, 0, 0, 0, 1850,
    0, 0, 0, 1860, 1870, 0, 0, 0, 0, 0,
    20, 20, 20, 0, 1880, 0, 0, 20, 0, 20,
    0, 0, 0, 0, 10, 10, 10, 10, 10, 0,
    0, 0, 0, 120, 0, 290, 0, 0, 1900, 0,
    0, 10, 10, 10, 0, 0, 0, 0, 10, 0,
    0, 0, 1920, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 10, 0, 0, 0, 10, 0,
    0, 0, 0, 570, 0, 0, 0, 0, 1940, 0,
    0, 0, 0, 200, 0, 70, 0, 0, 360, 0,
    0, 0, 0, 0, 0, 0, 230, 310, 200, 0,
    0, 0, 0, 10, 0, 10, 0, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 1980, 0,
    0, 0, 0, 360, 360, 360, 360, 360, 360, 360,
    0, 0, 0, 0, 0, 0, 0, 0, 390, 0,
    0, 0, 1910, 1930, 1950, 1960, 1970, 1990, 2000, 2010,
    0, 0, 0, 10, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 10, 10, 0, 0, 0, 0, 10,
    0, 0, 10, 0, 0, 0, 10, 0, 0, 0,
    310, 0, 0, 2030, 2040, 70, 2050, 0, 0, 0,
    310, 0, 0, 0, 0, 290, 0, 100, 380, 0,
    0, 0, 10, 10, 10, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 70, 2080, 0, 360, 0,
    0, 0, 10, 10, 10, 10, 0, 10, 10, 0,
    0, 0, 10, 0, 10, 10, 10, 10, 10, 10,
    0, 0, 10, 10, 0, 10, 10, 10, 10, 10,
    0, 0, 0, 2100, 2110, 870, 0, 360, 2120, 0,
    0, 0, 0, 0, 0, 0, 0, 10, 10, 10,
    250, 0, 540, 210, 250, 0, 0, 250, 2140, 250,
    0, 0, 0, 0, 10, 0, 0, 10, 10, 0,
    0, 0, 360, 360, 360, 360, 2160, 360, 360, 360,
    0, 0, 10, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 0, 10, 0, 10,
    0, 10, 10, 0, 0, 0, 0, 10, 0, 10,
    0, 10, 0, 0, 0, 0, 10, 10, 10, 10,
    0, 0, 2180, 0, 0, 0, 2190, 2200, 2140, 2210,
    0, 0, 10, 2060, 2070, 2090, 2130, 2150, 2170, 2220,
    2020, 2230, 20, 0, 0, 0, 0, 0, 20, 0,
    0, 0, 10, 0, 10, 0, 10, 0, 10, 0,
    0, 0, 10, 0, 10, 0, 10, 0, 0, 0,
    0, 0, 0, 0, 360, 2250, 0, 2260, 0, 0,
    0, 10, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 200, 570, 230, 70, 0, 250, 360, 2280,
    0, 10, 0, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2300, 0, 0, 0, 310, 200, 0,
    0, 0, 2270, 0, 0, 0, 2290, 2310, 0, 0,
    20, 20, 20, 20, 2320, 0, 20, 0, 0, 20,
    1620, 40, 1750, 1760, 1830, 1840, 1890, 2240, 2330, 0,
    0, 0, 20, 20, 20, 20, 20, 20, 20, 20,
    0, 0, 10, 10, 10, 10, 10, 10, 10, 0,
    10, 0, 0, 10, 10, 0, 10, 10, 0, 10,
    10, 0, 0, 0, 0, 10, 10, 0, 0, 0,
    0, 90, 10, 0, 2360, 2370, 0, 0, 10, 2380,
    0, 0, 0, 0, 0, 2390, 0, 0, 0, 0,
    20, 2400, 0, 0, 20, 20, 20, 20, 20, 0,
    20, 20, 20, 0, 20, 0, 0, 20, 20, 0,
    20, 0, 20, 20, 0, 0, 0, 20, 20, 0,
    0, 0, 0, 0, 10, 10, 10, 10, 0, 0,
    0, 0, 0, 230, 0, 0, 0, 0, 2440, 0,
    0, 0, 0, 310, 0, 10, 10, 0, 110, 0,
    0, 340, 310, 0, 0, 0, 0, 760, 230, 0,
    0, 0, 0, 360, 0, 0, 0, 0, 0, 0,
    0, 20, 10, 860, 0, 360, 0, 0, 0, 0,
    0, 200, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2450, 1130, 2460, 2470, 2480, 2490, 2500, 0,
    0, 0, 0, 20, 20, 0, 0, 20, 2510, 0,
    0, 0, 70, 70, 70, 70, 1070, 520, 70, 70,
    0, 520, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 0, 0, 10, 10, 10, 10, 10,
    0, 0, 490, 0, 2550, 0, 0, 0, 0, 0,
    130, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 170, 0, 0, 0, 0, 0, 0, 0, 0,
    1850, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2530, 2540, 2560, 2570, 2580, 2590, 0, 0,
    20, 0, 20, 20, 0, 20, 0, 2600, 0, 20,
    20, 20, 20, 20, 20, 20, 0, 0, 20, 20,
    0, 0, 0, 0, 0, 0, 290, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 660, 10, 890, 0,
    10, 10, 10, 10, 10, 10, 0, 0, 10, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 0,
    0, 0, 0, 2650, 0, 2660, 0, 0, 10, 2660,
    0, 760, 660, 130, 0, 70, 0, 760, 0, 570,
    0, 0, 310, 0, 0, 0, 0, 0, 230, 0,
    0, 0, 2630, 2640, 2670, 2680, 2480, 2690, 0, 0,
    20, 20, 20, 0, 2700, 20, 20, 20, 0, 0,
    30, 2350, 2410, 2420, 2430, 2520, 2610, 2620, 2710, 0,
    0, 230, 10, 10, 10, 10, 10, 10, 10, 10,
    2730, 20, 20, 20, 20, 20, 20, 20, 20, 10,
    20, 20, 0, 0, 0, 20, 20, 0, 20, 10,
    20, 20, 20, 20, 0, 20, 0, 0, 20, 20,
    20, 0, 0, 20, 20, 20, 0, 20, 20, 10,
    20, 0, 0, 0, 20, 20, 20, 20, 20, 20,
    180, 1480, 10, 10, 760, 10, 10, 10, 10, 10,
    0, 0, 0, 890, 0, 0, 10, 10, 10, 10,
    2140, 380, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 10, 10, 0, 10, 0, 0, 0, 0, 0,
    310, 0, 2820, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2790, 10, 2800, 0, 2810, 10, 2830, 0,
    0, 0, 390, 290, 0, 0, 0, 0, 0, 0,
    200, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 0, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 2870, 310, 340, 0,
    0, 0, 0, 0, 0, 0, 10, 10, 10, 0,
    0, 0, 0, 0, 0, 2890, 520, 0, 0, 0,
    10, 0, 10, 10, 10, 10, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 2910, 0, 0, 0,
    0, 0, 2850, 2860, 2880, 2900, 290, 2920, 0, 0,
    20, 0, 20, 20, 20, 20, 20, 20, 2840, 2930,
    0, 10, 10, 10, 0, 10, 0, 10, 0, 10,
    10, 0, 10, 10, 0, 10, 10, 10, 10, 10,
    10, 0, 0, 0, 0, 0, 0, 0, 10, 10,
    10, 0, 0, 0, 10, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 10, 10, 10, 10,
    2950, 2960, 10, 10, 2970, 300, 20, 2550, 2980, 2990,
    10, 0, 10, 10, 0, 0, 0, 10, 10, 10,
    100, 3010, 10, 10, 10, 10, 10, 10, 10, 380,
    0, 0, 10, 10, 10, 10, 3000, 10, 10, 3020,
    20, 0, 20, 20, 0, 0, 3030, 20, 20, 20,
    0, 0, 0, 0, 0, 0, 0, 0, 20, 0,
    2740, 40, 2750, 2760, 2770, 2780, 2940, 3040, 3050, 0,
    20, 0, 0, 0, 0, 20, 0, 0, 20, 20,
    20, 20, 0, 0, 20, 0, 20, 20, 20, 20,
    20, 20, 20, 20, 0, 20, 0, 20, 20, 20,
    0, 20, 20, 0, 20, 0, 20, 0, 0, 20,
    20, 0, 0, 1100, 20, 20, 20, 0, 0, 20,
    1620, 40, 3070, 3080, 3090, 3100, 0, 2760, 3110, 0,
    0, 0, 980, 1360, 1610, 1740, 2340, 2720, 3060, 3120,
    0, 10, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 10, 10, 10, 0, 10,
    0, 10, 10, 10, 10, 10, 0, 0, 10, 0,
    10, 10, 0, 0, 10, 10, 0, 0, 0, 0,
    3140, 0, 0, 290, 3150, 500, 70, 0, 3160, 3170,
    0, 10, 0, 10, 0, 10, 10, 0, 0, 0,
    0, 10, 0, 10, 10, 0, 10, 10, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 10, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 0, 10, 10,
    180, 3190, 3200, 0, 0, 0, 0, 270, 3210, 3220,
    10, 10, 10, 0, 0, 10, 10, 10, 10, 0,
    0, 0, 10, 10, 860, 390, 570, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 0, 10,
    0, 0, 10, 10, 3260, 390, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 390, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 10, 10, 10, 10, 10,
    0, 0, 10, 3260, 3290, 390, 0, 0, 0, 0,
    10, 10, 0, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 10, 3310, 10, 100, 0, 0, 0, 250,
    0, 0, 10, 100, 440, 390, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 2280, 180, 0, 0, 0,
    0, 0, 10, 240, 1470, 390, 0, 10, 0, 0,
    3250, 3270, 3280, 3300, 3320, 3330, 3340, 200, 3350, 0,
    0, 0, 0, 10, 10, 0, 10, 0, 0, 10,
    0, 0, 10, 10, 470, 3370, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 0, 10, 10, 0, 10,
    0, 10, 10, 0, 0, 0, 10, 10, 0, 10,
    0, 0, 10, 3390, 290, 3400, 0, 0, 0, 0,
    0, 10, 0, 10, 0, 0, 0, 0, 0, 10,
    0, 0, 10, 10, 10, 3420, 0, 0, 0, 0,
    0, 0, 10, 160, 0, 390, 0, 0, 0, 0,
    0, 0, 10, 10, 2660, 390, 180, 0, 0, 0,
    0, 0, 10, 100, 130, 390, 0, 0, 0, 0,
    0, 0, 10, 0, 0, 0, 0, 10, 0, 10,
    0, 0, 10, 10, 310, 3470, 0, 10, 0, 10,
    0, 0, 10, 10, 860, 390, 0, 0, 0, 0,
    0, 10, 10, 0, 10, 10, 0, 10, 10, 0,
    0, 0, 10, 3500, 0, 390, 0, 0, 0, 0,
    0, 3380, 3410, 3430, 3440, 3450, 3460, 3480, 3490, 3510,
    0, 10, 0, 0, 0, 10, 10, 10, 10, 0,
    3240, 3360, 3520, 0, 250, 180, 130, 3530, 70, 0,
    10, 0, 0, 10, 10, 0, 0, 0, 10, 10,
    0, 10, 0, 10, 10, 10, 10, 0, 0, 0,
    0, 10, 0, 0, 0, 10, 10, 10, 0, 0,
    10, 10, 10, 10, 0, 10, 10, 10, 0, 10,
    0, 10, 10, 10, 0, 0, 0, 10, 10, 10,
    3550, 170, 490, 3560, 2660, 3570, 3580, 3590, 0, 0,
    0, 0, 0, 3180, 3230, 0, 0, 3540, 3600, 10,
    360, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 3620, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 3630, 0,
    0, 70, 0, 10, 0, 250, 0, 0, 0, 0,
    0, 0, 0, 1040, 0, 10, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 10, 10, 10, 0,
    10, 0, 0, 0, 0, 10, 0, 10, 0, 0,
    0, 0, 10, 0, 10, 10, 10, 0, 10, 10,
    0, 0, 10, 10, 0, 10, 10, 10, 0, 0,
    0, 3660, 10, 0, 3670, 3680, 3690, 0, 2250, 3700,
    10, 10, 10, 0, 0, 10, 0, 0, 0, 0,
    0, 3720, 0, 0, 0, 0, 0, 0, 1560, 1560,
    0, 0, 0, 0, 0, 0, 0, 0, 670, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 3140,
    0, 0, 0, 1560, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 3760, 0, 0, 0, 0, 0, 0,
    0, 0, 310, 0, 0, 0, 0, 0, 0, 0,
    3780, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 3790, 0, 0, 0, 0, 0, 0,
    3770, 10, 10, 10, 3800, 0, 0, 10, 10, 0,
    0, 10, 10, 10, 10, 10, 10, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 0, 310, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 3830, 0,
    3840, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    760, 10, 3850, 10, 10, 0, 10, 10, 10, 0,
    0, 3750, 3810, 3820, 10, 3860, 10, 10, 440, 760,
    0, 0, 0, 0, 0, 0, 180, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 3880, 0,
    0, 0, 240, 170, 3210, 670, 170, 270, 100, 100,
    0, 10, 10, 10, 10, 10, 0, 10, 0, 0,
    0, 10, 10, 0, 10, 10, 10, 0, 0, 0,
    0, 10, 3910, 500, 2300, 500, 0, 3210, 3920, 1770,
    0, 10, 0, 10, 10, 10, 0, 0, 0, 0,
    0, 10, 10, 10, 10, 10, 0, 10, 10, 0,
    0, 10, 170, 670, 3940, 0, 3950, 0, 0, 270,
    0, 10, 670, 270, 2820, 1850, 0, 0, 0, 670,
    0, 10, 10, 0, 10, 10, 0, 0, 0, 0,
    0, 10, 0, 10, 10, 10, 10, 10, 10, 10,
    0, 10, 0, 0, 10, 0, 0, 0, 0, 0,
    0, 10, 1850, 3980, 3210, 3990, 1850, 4000, 270, 1850,
    0, 10, 0, 10, 0, 10, 0, 0, 0, 0,
    0, 10, 10, 0, 0, 10, 10, 10, 0, 0,
    0, 10, 270, 1850, 3210, 3910, 4020, 0, 0, 4030,
    0, 10, 270, 670, 670, 0, 0, 0, 0, 3910,
    0, 10, 3900, 3930, 3960, 3970, 4010, 4040, 4050, 0,
    0, 0, 0, 0, 0, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 4070, 10,
    10, 10, 0, 0, 0, 0, 10, 0, 0, 0,
    4090, 200, 70, 0, 0, 310, 0, 70, 0, 0,
    2280, 0, 0, 0, 10, 0, 0, 0, 0, 0,
    0, 0, 4060, 0, 0, 0, 4080, 310, 4100, 4110,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 0,
    70, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 4140, 0, 0, 0, 0, 0,
    0, 4150, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 0, 10, 0, 0, 10,
    4170, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 4180,
    0, 10, 0, 10, 10, 10, 0, 10, 10, 0,
    0, 10, 10, 0, 10, 10, 10, 10, 10, 0,
    0, 0, 10, 0, 10, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 0, 10, 10, 0, 0,
    10, 4200, 0, 10, 0, 10, 4210, 4220, 4230, 0,
    0, 0, 10, 10, 10, 0, 10, 10, 10, 10,
    0, 10, 10, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 0, 0, 10, 0, 10,
    10, 0, 4250, 10, 10, 4260, 10, 0, 0, 4270,
    10, 1510, 490, 10, 170, 10, 10, 0, 10, 0,
    0, 10, 10, 10, 0, 0, 10, 0, 10, 0,
    0, 0, 0, 0, 0, 10, 0, 0, 10, 0,
    0, 0, 10, 10, 0, 10, 0, 10, 0, 10,
    10, 4300, 0, 10, 0, 10, 10, 4310, 3530, 4320,
    0, 10, 10, 10, 10, 10, 0, 10, 10, 10,
    0, 10, 0, 10, 10, 10, 10, 10, 10, 0,
    0, 10, 10, 0, 0, 0, 10, 0, 0, 0,
    10, 10, 10, 10, 0, 10, 0, 10, 10, 0,
    10, 100, 4340, 10, 4350, 10, 4360, 4370, 10, 100,
    0, 10, 10, 10, 10, 10, 10, 0, 10, 0,
    310, 0, 0, 0, 10, 10, 0, 10, 10, 0,
    4170, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 4240, 4280, 4290, 4330, 4380, 4390, 10, 4400, 4410,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 3830,
    10, 10, 10, 10, 10, 10, 10, 0, 0, 10,
    10, 10, 0, 10, 10, 10, 0, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 0, 10, 0, 0,
    10, 0, 0, 0, 10, 10, 10, 10, 0, 0,
    10, 0, 0, 0, 10, 10, 10, 0, 0, 10,
    10, 0, 0, 0, 0, 10, 0, 10, 0, 10,
    0, 0, 4460, 4470, 230, 0, 4480, 4490, 0, 0,
    0, 0, 0, 0, 0, 10, 0, 10, 10, 0,
    10, 10, 0, 0, 10, 10, 10, 10, 10, 0,
    0, 0, 10, 0, 0, 10, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 0, 0, 0, 0,
    4510, 4520, 4530, 3530, 360, 4540, 310, 1280, 0, 10,
    4500, 10, 0, 0, 0, 0, 0, 0, 4550, 0,
    100, 0, 10, 10, 10, 10, 10, 10, 10, 0,
    4570, 10, 10, 10, 10, 10, 10, 10, 0, 10,
    10, 0, 10, 10, 10, 0, 0, 0, 0, 0,
    0, 4440, 2360, 2360, 1040, 10, 4450, 4560, 4580, 4590,
    0, 0, 0, 0, 1480, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 0, 0, 10, 10,
    10, 10, 10, 2660, 10, 10, 10, 10, 10, 4620,
    10, 0, 10, 0, 10, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 4640, 10, 10, 0, 10, 10,
    0, 10, 10, 10, 100, 10, 4630, 780, 4650, 10,
    10, 0, 0, 10, 0, 0, 10, 10, 0, 0,
    4670, 10, 2660, 10, 100, 10, 10, 100, 2660, 0,
    760, 10, 2660, 10, 100, 10, 10, 100, 2660, 0,
    0, 0, 0, 0, 1560, 180, 10, 730, 4680, 4690,
    0, 0, 10, 10, 10, 10, 10, 10, 0, 10,
    0, 0, 10, 10, 0, 0, 10, 0, 10, 10,
    10, 0, 10, 10, 10, 10, 0, 10, 10, 10,
    0, 10, 20, 140, 460, 4710, 4720, 20, 4730, 4440,
    10, 10, 0, 0, 0, 0, 0, 0, 10, 0,
    2180, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 4760, 0,
    0, 0, 490, 4750, 0, 310, 4770, 310, 0, 0,
    0, 0, 10, 10, 10, 10, 0, 10, 0, 0,
    10, 10, 270, 180, 670, 10, 3190, 270, 4790, 10,
    0, 0, 10, 10, 10, 10, 0, 0, 0, 10,
    10, 10, 670, 3140, 1850, 10, 4810, 3210, 1850, 10,
    0, 0, 10, 0, 10, 10, 0, 0, 0, 0,
    10, 10, 100, 100, 4830, 10, 270, 670, 180, 10,
    0, 0, 0, 0, 10, 10, 10, 0, 0, 0,
    10, 10, 270, 1180, 1770, 10, 4850, 3950, 1510, 10,
    0, 0, 10, 10, 10, 0, 10, 0, 0, 0,
    0, 10, 0, 10, 0, 10, 10, 0, 0, 10,
    0, 10, 10, 10, 10, 10, 0, 0, 0, 10,
    10, 10, 3140, 3210, 4870, 10, 4880, 3560, 4890, 10,
    0, 0, 0, 10, 10, 10, 0, 10, 10, 0,
    0, 10, 10, 10, 0, 10, 10, 0, 0, 0,
    10, 10, 4910, 4920, 0, 10, 270, 270, 270, 10,
    10, 10, 270, 270, 3140, 10, 170, 1850, 270, 10,
    0, 4800, 10, 4820, 4840, 4860, 10, 4900, 4930, 4940,
    0, 10, 0, 0, 0, 0, 0, 10, 0, 0,
    0, 0, 10, 2980, 130, 130, 0, 0, 0, 0,
    570, 0, 0, 0, 4960, 0, 0, 0, 0, 4970,
    4950, 0, 0, 0, 0, 0, 0, 0, 4980, 0,
    4950, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4610,
    4950, 0, 0, 0, 0, 0, 0, 0, 5010, 0,
    10, 10, 4910, 4920, 0, 10, 270, 3160, 270, 10,
    0, 4800, 10, 4820, 4840, 4860, 10, 4900, 5030, 4940,
    0, 0, 0, 10, 10, 0, 10, 0, 0, 0,
    0, 0, 0, 0, 230, 0, 5050, 0, 0, 390,
    10, 0, 0, 0, 0, 0, 0, 0, 10, 0,
    310, 0, 0, 0, 5070, 0, 0, 0, 0, 390,
    5040, 5060, 0, 20, 0, 0, 0, 0, 5080, 0,
    0, 0, 0, 0, 0, 0, 0, 360, 0, 0,
    0, 0, 0, 360, 0, 1480, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 5110,
    4950, 5100, 0, 100, 570, 70, 0, 0, 5120, 0,
    4950, 0, 0, 2360, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 180, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 5150, 0,
    5160, 0, 0, 2360, 0, 0, 0, 0, 0, 0,
    390, 390, 390, 390, 390, 390, 390, 390, 390, 390,
    0, 390, 0, 5180, 5180, 5180, 5180, 0, 0, 0,
    0, 0, 5190, 180, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 10, 10, 10, 10, 10, 0, 0,
    10, 10, 310, 10, 10, 10, 10, 10, 10, 10,
    10, 0, 0, 10, 10, 10, 10, 10, 10, 0,
    10, 10, 10, 10, 0, 0, 0, 0, 0, 10,
    5220, 860, 10, 10, 10, 10, 10, 10, 5230, 5240,
    10, 10, 0, 0, 0, 10, 0, 10, 10, 0,
    5260, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 0, 0, 10, 0, 0, 0,
    5280, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 3560, 5210, 0, 0, 0, 5250, 5270, 5290,
    0, 10, 10, 0, 10, 0, 10, 10, 0, 0,
    0, 10, 0, 10, 10, 0, 0, 0, 0, 0,
    0, 10, 10, 0, 0, 10, 10, 0, 10, 0,
    0, 10, 10, 0, 0, 0, 0, 0, 10, 10,
    10, 0, 10, 0, 10, 0, 0, 0, 10, 0,
    0, 10, 10, 10, 5350, 10, 10, 10, 10, 10,
    310, 10, 0, 0, 5350, 0, 0, 360, 0, 0,
    4090, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 5310, 670, 5320, 5330, 5340, 5360, 5370, 5380,
    0, 0, 0, 0, 0, 0, 310, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 5400, 0,
    100, 250, 0, 0, 0, 0, 0, 10, 0, 10,
    0, 20, 0, 0, 0, 5420, 0, 0, 0, 0,
    0, 290, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 570, 0, 0, 0,
    0, 0, 10, 0, 0, 0, 0, 10, 0, 0,
    100, 5460, 0, 0, 0, 0, 0, 10, 0, 10,
    0, 0, 0, 0, 0, 0, 200, 0, 0, 0,
    0, 0, 0, 200, 0, 0, 0, 0, 0, 0,
    0, 20, 0, 5440, 5450, 5470, 5480, 5490, 0, 0,
    0, 0, 0, 0, 10, 0, 10, 10, 0, 0,
    0, 0, 10, 10, 0, 10, 0, 10, 0, 0,
    0, 10, 10, 10, 10, 0, 10, 10, 10, 0,
    0, 10, 10, 0, 10, 10, 10, 10, 0, 0,
    0, 10, 0, 0, 10, 10, 0, 0, 10, 0,
    0, 5510, 4350, 0, 0, 5520, 5530, 170, 5540, 5550,
    0, 0, 10, 10, 0, 10, 10, 0, 10, 0,
    0, 10, 0, 10, 0, 0, 0, 10, 10, 0,
    0, 0, 0, 10, 10, 10, 10, 0, 10, 0,
    0, 170, 0, 5570, 520, 5580, 1920, 0, 5590, 0,
    0, 0, 0, 0, 0, 380, 0, 0, 0, 0,
    0, 10, 0, 10, 0, 0, 10, 0, 10, 0,
    0, 0, 10, 0, 10, 10, 0, 10, 0, 0,
    0, 0, 170, 5610, 0, 0, 570, 5620, 5630, 0,
    0, 0, 0, 10, 0, 10, 0, 10, 0, 0,
    0, 10, 0, 0, 10, 0, 0, 10, 0, 0,
    0, 10, 10, 0, 0, 10, 0, 10, 10, 0,
    100, 5460, 170, 5650, 5660, 5670, 550, 10, 0, 10,
    0, 10, 10, 10, 10, 0, 0, 10, 0, 0,
    0, 0, 0, 10, 10, 10, 0, 0, 0, 0,
    0, 10, 0, 10, 0, 10, 10, 10, 5700, 0,
    0, 570, 5690, 0, 5710, 10, 10, 10, 10, 10,
    0, 10, 0, 10, 10, 0, 0, 10, 10, 0,
    0, 10, 0, 0, 0, 0, 10, 10, 10, 0,
    0, 0, 170, 4530, 5730, 1530, 5740, 1850, 0, 210,
    0, 20, 5560, 5600, 5640, 5680, 5720, 5750, 0, 0,
    0, 0, 360, 0, 0, 0, 0, 0, 0, 0,
    0, 20, 5560, 5600, 5640, 5680, 5720, 5750, 5770, 0,
    0, 0, 2660, 4530, 5730, 1530, 5740, 1850, 310, 210,
    0, 0, 10, 10, 10, 10, 10, 0, 10, 0,
    310, 310, 4750, 0, 0, 0, 5800, 0, 0, 5800,
    10, 10, 0, 0, 0, 0, 0, 0, 0, 10,
    490, 0, 0, 5820, 0, 0, 0, 0, 0, 0,
    0, 20, 5560, 5600, 5640, 5680, 5720, 5790, 5810, 5830,
    0, 0, 0, 0, 0, 0, 670, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 20, 0, 0,
    0, 0, 0, 0, 5850, 0, 0, 0, 5860, 0,
    0, 0, 0, 0, 0, 1770, 0, 0, 0, 0,
    0, 0, 0, 0, 5880, 0, 0, 0, 0, 0,
    0, 0, 10, 170, 0, 0, 1850, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 5900, 0, 0, 0,
    0, 0, 130, 2080, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 0, 0, 10, 10, 10,
    0, 0, 2360, 0, 0, 0, 0, 5930, 5700, 0,
    0, 0, 0, 0, 0, 0, 0, 5920, 5940, 0,
    5870, 0, 0, 0, 0, 5890, 0, 5910, 0, 5950,
    0, 0, 0, 0, 0, 0, 0, 0, 2080, 0,
    0, 0, 0, 0, 0, 0, 0, 1040, 0, 0,
    0, 0, 0, 5970, 5980, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1460, 0, 0,
    10, 10, 0, 0, 0, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 6010, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 6000, 0, 6020, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 5990, 0, 6030, 0,
    0, 0, 0, 0, 3210, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 6050, 0, 0, 0, 0, 0,
    0, 0, 1040, 0, 0, 0, 0, 0, 10, 0,
    6070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 310, 0, 4790, 170, 2360, 0, 0,
    0, 0, 0, 0, 310, 0, 0, 0, 0, 0,
    6090, 6100, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 200, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 500, 0, 0,
    6120, 0, 0, 0, 0, 0, 0, 0, 6130, 0,
    6060, 0, 6080, 0, 0, 0, 6110, 0, 6140, 0,
    0, 0, 0, 4710, 0, 0, 10, 0, 0, 0,
    0, 0, 0, 0, 6160, 0, 0, 290, 0, 0,
    0, 0, 0, 0, 0, 0, 1280, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 290, 0,
    0, 0, 6180, 0, 0, 0, 6190, 0, 0, 0,
    0, 0, 6170, 0, 0, 0, 6200, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 10, 10, 0, 10,
    0, 0, 0, 0, 10, 0, 0, 6220, 0, 0,
    0, 0, 0, 0, 0, 0, 6230, 0, 0, 0,
    0, 0, 0, 0, 0, 520, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 6250,
    0, 0, 0, 0, 0, 870, 0, 0, 0, 0,
    0, 0, 230, 0, 0, 0, 180, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 6280, 0, 0,
    0, 0, 0, 0, 0, 5070, 320, 230, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 6300,
    0, 0, 0, 0, 0, 130, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 6320, 0, 5980, 0, 0,
    6240, 0, 6260, 6270, 6290, 6310, 0, 0, 0, 6330,
    0, 0, 0, 0, 0, 0, 3990, 440, 0, 0,
    0, 0, 0, 0, 0, 0, 6350, 0, 0, 0,
    0, 0, 0, 0, 200, 0, 0, 0, 0, 0,
    0, 0, 860, 200, 200, 200, 200, 290, 200, 0,
    6380, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 360, 0,
    0, 0, 6360, 0, 6370, 6390, 6400, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1070, 0, 0,
    0, 0, 10, 10, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 2080, 0, 0, 6430, 0,
    0, 0, 0, 0, 0, 0, 0, 6440, 0, 0,
    0, 0, 10, 10, 10, 10, 0, 0, 10, 0,
    0, 0, 0, 6460, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 6470, 0, 0, 0, 0, 0,
    0, 0, 6420, 6450, 0, 0, 0, 0, 6480, 0,
    0, 0, 0, 0, 0, 0, 170, 0, 70, 0,
    6500, 0, 0, 0, 0, 200, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 570, 0,
    0, 0, 0, 0, 0, 6520, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 170, 0, 0, 0,
    0, 0, 490, 0, 0, 0, 0, 0, 180, 0,
    0, 0, 0, 0, 0, 0, 6540, 0, 0, 6550,
    0, 0, 570, 670, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 6570, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 3880, 0, 0, 0, 0,
    6510, 0, 0, 6530, 6560, 0, 6580, 0, 0, 6590,
    0, 0, 5960, 6040, 6150, 6210, 6340, 6410, 6490, 6600,
    0, 6610, 0, 0, 0, 0, 0, 0, 1560, 0,
    0, 0, 0, 1470, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 0, 6630, 10, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 2140,
    10, 10, 10, 10, 10, 10, 6650, 310, 0, 0,
    10, 10, 10, 0, 0, 0, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 490, 0, 0, 0, 0,
    0, 0, 0, 6640, 6660, 6670, 6680, 1490, 1490, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 860, 0,
    0, 0, 0, 10, 10, 10, 10, 10, 0, 10,
    460, 6700, 780, 6710, 3220, 380, 5930, 3310, 380, 10,
    10, 0, 10, 10, 10, 10, 0, 10, 0, 10,
    10, 2660, 380, 6730, 1630, 380, 1630, 3150, 1630, 2100,
    10, 0, 0, 10, 10, 10, 10, 10, 10, 10,
    10, 0, 10, 10, 10, 10, 10, 0, 0, 10,
    0, 0, 10, 0, 0, 10, 10, 10, 10, 10,
    10, 6770, 10, 10, 10, 10, 0, 10, 10, 10,
    6750, 10, 4730, 10, 6760, 2660, 3260, 10, 6780, 3260,
    10, 10, 10, 0, 10, 10, 10, 10, 10, 0,
    10, 10, 0, 0, 6800, 10, 10, 0, 10, 10,
    10, 10, 10, 10, 10, 0, 10, 0, 10, 0,
    160, 10, 460, 6810, 380, 6750, 10, 3290, 6820, 420,
    10, 0, 0, 10, 10, 0, 10, 0, 10, 10,
    0, 0, 0, 0, 0, 10, 10, 10, 10, 0,
    10, 10, 10, 10, 6850, 10, 10, 0, 10, 10,
    0, 10, 10, 10, 10, 0, 10, 10, 0, 0,
    10, 10, 10, 0, 10, 10, 0, 10, 10, 0,
    6840, 10, 6860, 3310, 6870, 4440, 3990, 2660, 3310, 6880,
    10, 0, 10, 0, 10, 0, 10, 10, 10, 10,
    10, 0, 10, 10, 0, 0, 10, 10, 10, 0,
    6900, 0, 10, 6910, 6750, 1630, 3310, 3290, 460, 380,
    0, 0, 0, 10, 0, 10, 10, 10, 10, 10,
    10, 0, 10, 10, 10, 10, 0, 10, 10, 0,
    10, 10, 10, 10, 10, 10, 0, 10, 10, 0,
    0, 10, 10, 0, 10, 10, 10, 10, 10, 10,
    0, 0, 10, 10, 10, 10, 10, 0, 0, 10,
    10, 0, 10, 0, 0, 10, 10, 0, 0, 10,
    6930, 0, 4340, 6940, 6950, 6960, 6970, 10, 380, 6980,
    10, 0, 10, 10, 10, 10, 0, 0, 10, 10,
    10, 0, 10, 10, 10, 10, 10, 0, 10, 10,
    10, 10, 10, 10, 10, 10, 0, 10, 0, 10,
    0, 0, 10, 10, 10, 0, 0, 10, 10, 10,
    7000, 10, 7010, 4340, 20, 7020, 7030, 6880, 10, 4790,
    0, 6690, 6720, 6740, 6790, 6830, 6890, 6920, 6990, 7040,
    10, 10, 0, 10, 10, 0, 0, 10, 10, 0,
    10, 10, 0, 0, 0, 0, 0, 0, 10, 10,
    10, 10, 0, 0, 0, 0, 0, 10, 0, 0,
    7060, 0, 0, 7070, 7080, 0, 0, 0, 1630, 760,
    10, 0, 0, 10, 10, 0, 0, 10, 0, 0,
    10, 10, 10, 0, 0, 0, 0, 0, 10, 0,
    10, 10, 10, 10, 10, 300, 10, 0, 10, 10,
    0, 0, 0, 10, 7120, 10, 10, 0, 0, 0,
    10, 10, 0, 10, 10, 0, 230, 10, 0, 0,
    10, 10, 10, 10, 0, 200, 10, 0, 0, 10,
    7110, 0, 7130, 230, 7140, 690, 7150, 250, 4000, 3420,
    10, 10, 10, 10, 10, 10, 7160, 10, 10, 10,
    5070, 0, 0, 0, 2080, 0, 0, 860, 0, 0,
    10, 10, 0, 0, 0, 0, 0, 0, 1490, 0,
    0, 7050, 7090, 7100, 0, 1070, 0, 7170, 7180, 7190,
    100, 100, 100, 100, 100, 100, 10, 10, 10, 100,
    100, 100, 100, 100, 100, 100, 100, 0, 100, 100,
    100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
    100, 100, 100, 100, 100, 100, 100, 10, 10, 100,
    10, 100, 100, 0, 0, 0, 100, 100, 100, 100,
    10, 100, 100, 100, 100, 0, 10, 100, 100, 100,
    0, 0, 7210, 7220, 7230, 7230, 7240, 7230, 7250, 7260,
    0, 10, 0, 10, 0, 0, 10, 0, 0, 0,
    0, 0, 0, 10, 0, 10, 10, 0, 0, 0,
    10, 0, 0, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 170,
    0, 0, 0, 0, 170, 0, 0, 0, 0, 0,
    10, 0, 0, 7310, 7320, 0, 0, 0, 0, 4890,
    0, 7280, 5280, 7290, 790, 0, 7300, 0, 10, 7330,
    10, 10, 10, 10, 0, 10, 0, 0, 0, 0,
    0, 10, 7350, 10, 130, 2550, 10, 3560, 10, 10,
    10, 10, 0, 10, 0, 0, 10, 10, 10, 0,
    10, 10, 0, 10, 0, 0, 0, 0, 10, 0,
    10, 10, 440, 10, 7370, 7380, 10, 4750, 490, 4460,
    130, 10, 3720, 10, 2380, 10, 10, 760, 860, 1080,
    10, 10, 0, 10, 10, 10, 10, 10, 10, 0,
    10, 10, 0, 10, 0, 10, 0, 0, 0, 0,
    0, 10, 0, 0, 10, 10, 10, 10, 0, 10,
    10, 10, 10, 0, 10, 0, 10, 10, 10, 10,
    10, 10, 0, 0, 0, 10, 10, 0, 0, 0,
    10, 7410, 10, 7420, 10, 7430, 10, 7440, 7450, 800,
    10, 10, 10, 10, 10, 10, 10, 0, 10, 0,
    10, 0, 0, 10, 10, 10, 0, 0, 0, 0,
    890, 1470, 7470, 130, 10, 1470, 7480, 280, 3260, 490,
    10, 0, 10, 10, 10, 10, 0, 10, 0, 0,
    10, 10, 10, 10, 0, 0, 0, 10, 0, 0,
    10, 0, 10, 0, 10, 0, 0, 10, 0, 0,
    10, 10, 10, 10, 0, 10, 10, 0, 0, 0,
    10, 500, 130, 10, 7500, 7510, 860, 760, 7520, 7530,
    10, 0, 10, 10, 10, 10, 0, 0, 0, 170,
    10, 10, 10, 10, 170, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 0, 10, 10, 10, 10, 0,
    10, 7470, 10, 7550, 7560, 130, 490, 7570, 490, 0,
    0, 7360, 7390, 7400, 7460, 7490, 7540, 0, 10, 7580,
    170, 10, 7350, 10, 130, 2550, 10, 3560, 10, 10,
    10, 500, 130, 10, 6730, 7510, 860, 760, 7520, 7530,
    10, 0, 10, 10, 380, 170, 10, 440, 10, 10,
    0, 7600, 7390, 7400, 7460, 7490, 7610, 7620, 10, 7580,
    170, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    7640, 0, 0, 7310, 7320, 0, 0, 0, 0, 4890,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 7650,
    0, 0, 0, 0, 0, 4830, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 5590, 0, 0,
    0, 0, 7670, 0, 0, 0, 7680, 0, 0, 0,
    2120, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 10, 0, 10, 10, 0,
    10, 10, 0, 0, 0, 10, 10, 10, 10, 0,
    0, 10, 10, 10, 0, 10, 10, 10, 0, 0,
    2660, 0, 10, 10, 0, 10, 0, 0, 0, 0,
    490, 7740, 1220, 0, 0, 1470, 0, 0, 310, 0,
    0, 0, 670, 7710, 7720, 7730, 240, 10, 7750, 10,
    0, 0, 0, 0, 0, 0, 230, 0, 0, 0,
    0, 390, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 7780, 7780, 7780, 7780, 7780, 7780, 7780, 0,
    0, 0, 7780, 7780, 7780, 7780, 7780, 0, 0, 7780,
    10, 0, 7780, 7780, 7780, 0, 0, 0, 0, 0,
    0, 7780, 7780, 7780, 7780, 0, 7780, 0, 7780, 0,
    0, 0, 7780, 0, 7780, 7780, 7780, 0, 7780, 7780,
    0, 7780, 7780, 7780, 10, 7780, 0, 7780, 7780, 0,
    0, 7780, 0, 0, 7780, 7780, 7780, 7780, 0, 0,
    0, 7780, 7780, 7780, 7780, 7780, 7780, 7780, 0, 7780,
    0, 7780, 0, 0, 7780, 7780, 0, 0, 0, 0,
    0, 7790, 7800, 7810, 7820, 7830, 7840, 7850, 7860, 7870,
    10, 10, 0, 10, 10, 10, 0, 0, 0, 0,
    0, 7890, 10, 100, 0, 0, 0, 0, 0, 0,
    0, 7900, 10, 10, 10, 10, 10, 0, 0, 10,
    0, 0, 10, 10, 10, 0, 0, 0, 0, 10,
    740, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 10, 0, 0, 10, 10, 0, 0, 0, 0,
    0, 2360, 7910, 7920, 170, 10, 10, 10, 7930, 7940,
    0, 0, 0, 0, 10, 0, 0, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 7960, 0, 0, 0,
    0, 7970, 0, 310, 310, 0, 390, 0, 390, 0,
    3220, 10, 10, 10, 2660, 10, 10, 3210, 440, 10,
    10, 0, 0, 10, 3260, 10, 10, 3210, 170, 10,
    10, 380, 10, 10, 10, 890, 2660, 3260, 10, 440,
    2360, 10, 10, 2660, 10, 10, 10, 440, 2660, 440,
    380, 10, 10, 10, 2660, 10, 100, 2660, 10, 10,
    10, 10, 0, 10, 10, 10, 10, 10, 0, 0,
    2360, 100, 440, 10, 2660, 2660, 2660, 440, 1470, 8040,
    10, 10, 10, 0, 10, 10, 10, 0, 0, 0,
    20, 3260, 10, 1630, 890, 3310, 170, 2660, 8060, 10,
    660, 10, 10, 10, 10, 440, 2660, 4230, 440, 440,
    0, 7970, 7990, 8000, 8010, 8020, 8030, 8050, 8070, 8080,
    0, 0, 0, 360, 0, 0, 7960, 0, 0, 0,
    10, 10, 10, 100, 100, 10, 2660, 10, 0, 0,
    10, 380, 10, 10, 10, 890, 2660, 3260, 10, 8110,
    0, 8100, 7990, 8000, 8120, 8020, 8030, 8050, 8070, 8080,
    0, 0, 0, 0, 0, 0, 7960, 0, 490, 0,
    10, 10, 10, 3220, 170, 10, 170, 3210, 0, 0,
    10, 380, 10, 10, 10, 890, 2660, 3260, 10, 8150,
    0, 8140, 7990, 8000, 8160, 8020, 8030, 8050, 8070, 8080,
    10, 0, 200, 10, 3260, 10, 10, 3210, 170, 10,
    0, 8140, 7990, 8180, 8160, 8020, 8030, 8050, 8070, 8080,
    0, 0, 0, 0, 0, 0, 0, 100, 0, 0,
    10, 0, 10, 10, 10, 0, 0, 0, 10, 10,
    0, 0, 0, 8200, 0, 0, 8210, 10, 490, 0,
    380, 3260, 10, 1630, 890, 3310, 170, 2660, 8060, 10,
    4020, 0, 0, 0, 0, 0, 10, 10, 10, 10,
    8240, 10, 10, 10, 10, 440, 2660, 4230, 440, 440,
    0, 8220, 7990, 8000, 8160, 8020, 8030, 8050, 8230, 8250,
    0, 310, 0, 570, 0, 0, 0, 0, 0, 0,
    0, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 8270, 8280, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 8290, 8210, 10, 10, 0,
    10, 0, 10, 10, 3260, 10, 10, 3210, 170, 10,
    10, 0, 10, 10, 10, 10, 10, 10, 10, 0,
    8320, 100, 440, 10, 2660, 2660, 2660, 440, 1470, 8040,
    390, 0, 0, 0, 0, 0, 10, 10, 10, 10,
    8340, 10, 10, 10, 10, 440, 2660, 4230, 440, 440,
    0, 8300, 7990, 8310, 8160, 8020, 8030, 8330, 8230, 8350,
    0, 570, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 70, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 390,
    8370, 0, 8380, 8390, 10, 0, 0, 0, 10, 10,
    0, 0, 0, 570, 0, 0, 0, 0, 0, 0,
    8370, 8370, 8380, 8380, 8380, 8370, 8410, 8390, 8390, 8410,
    0, 0, 0, 0, 0, 0, 8400, 8420, 490, 0,
    0, 8430, 7990, 8310, 8160, 8020, 8030, 8050, 8230, 8080,
    8380, 8380, 8380, 8380, 8380, 8380, 8380, 8380, 8380, 8380,
    8390, 8390, 8390, 8390, 8390, 8390, 8390, 8390, 8390, 8390,
    8410, 8410, 8410, 8410, 8410, 8410, 8410, 8410, 8410, 8410,
    1560, 8370, 8450, 1560, 1560, 1560, 1560, 8460, 1560, 8470,
    0, 0, 0, 0, 0, 8480, 8400, 8420, 490, 0,
    0, 10, 2300, 180, 170, 10, 170, 0, 0, 0,
    10, 380, 10, 10, 10, 890, 2660, 3260, 10, 8500,
    0, 8490, 7990, 8310, 8510, 8020, 8030, 8050, 8230, 8080,
    0, 10, 10, 2660, 2660, 0, 0, 0, 0, 0,
    0, 2660, 10, 10, 2660, 0, 10, 0, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 10, 250, 0,
    0, 0, 0, 0, 0, 0, 0, 570, 0, 0,
    0, 8560, 10, 2660, 10, 70, 10, 0, 0, 0,
    10, 10, 10, 0, 10, 10, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 10, 0, 10, 10,
    8590, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1280, 660, 390, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 10, 0, 0, 10,
    8620, 0, 0, 0, 0, 310, 310, 0, 0, 0,
    8580, 8600, 10, 10, 10, 0, 8610, 8630, 0, 0,
    0, 10, 0, 0, 8530, 8540, 8550, 8570, 8640, 0,
    0, 10, 10, 10, 0, 10, 10, 10, 10, 0,
    490, 0, 10, 8660, 3990, 0, 0, 3220, 3950, 5510,
    310, 1770, 100, 10, 100, 100, 0, 170, 100, 270,
    0, 0, 10, 10, 10, 10, 10, 0, 10, 10,
    0, 4340, 100, 170, 10, 10, 100, 100, 160, 8690,
    310, 0, 0, 0, 0, 10, 10, 0, 360, 1770,
    0, 10, 10, 10, 0, 0, 10, 10, 10, 10,
    0, 5800, 100, 100, 100, 8720, 420, 3210, 320, 1900,
    0, 100, 10, 100, 100, 3990, 100, 10, 3820, 4960,
    0, 10, 0, 10, 10, 10, 10, 0, 10, 10,
    0, 10, 10, 0, 10, 0, 10, 10, 10, 10,
    10, 10, 10, 10, 0, 0, 0, 10, 10, 0,
    0, 10, 10, 0, 10, 0, 0, 10, 0, 10,
    310, 10, 8750, 1850, 3920, 0, 8760, 8770, 360, 8780,
    0, 0, 0, 10, 10, 0, 10, 10, 10, 10,
    0, 0, 10, 10, 10, 0, 10, 10, 10, 0,
    0, 10, 0, 10, 10, 0, 0, 0, 10, 0,
    310, 8800, 670, 8810, 0, 8820, 10, 3140, 170, 10,
    0, 0, 8670, 8680, 8700, 8710, 8730, 8740, 8790, 8830,
    0, 0, 0, 1040, 340, 0, 0, 0, 0, 0,
    0, 10, 10, 0, 0, 10, 0, 10, 10, 10,
    0, 0, 670, 1040, 8860, 0, 0, 10, 0, 0,
    0, 0, 10, 10, 10, 0, 0, 0, 0, 0,
    0, 0, 670, 500, 160, 10, 8880, 10, 0, 0,
    10, 0, 10, 0, 0, 10, 0, 10, 0, 0,
    8900, 0, 0, 0, 0, 0, 0, 360, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 8910, 0,
    0, 2660, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 4850, 0, 10, 10, 0, 0, 0, 0,
    0, 230, 0, 4850, 4850, 210, 4850, 4850, 0, 210,
    0, 0, 0, 10, 10, 10, 10, 0, 0, 0,
    0, 4850, 230, 230, 210, 4850, 4850, 0, 0, 0,
    0, 0, 210, 0, 4850, 4850, 0, 8960, 0, 0,
    0, 230, 1180, 0, 230, 230, 4850, 4850, 4850, 0,
    0, 230, 230, 230, 230, 0, 0, 0, 0, 0,
    0, 1180, 0, 230, 140, 230, 230, 0, 0, 0,
    0, 4850, 230, 0, 0, 0, 230, 230, 0, 0,
    8940, 1180, 8950, 8960, 8970, 8980, 8990, 9000, 9010, 9020,
    0, 0, 140, 0, 10, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 4850, 0, 230, 4850, 0, 0,
    1180, 0, 0, 140, 8960, 4850, 210, 0, 0, 0,
    0, 230, 0, 230, 230, 230, 230, 230, 230, 0,
    0, 0, 4850, 230, 210, 4850, 8960, 0, 0, 0,
    0, 0, 4850, 230, 230, 4850, 230, 230, 230, 0,
    0, 0, 8960, 230, 230, 230, 4850, 0, 0, 0,
    9040, 9050, 9060, 9070, 9080, 9090, 230, 210, 0, 9100,
    0, 0, 0, 210, 4850, 210, 0, 140, 4850, 0,
    0, 0, 0, 0, 0, 0, 0, 9120, 0, 230,
    0, 0, 140, 0, 230, 4850, 230, 0, 0, 0,
    0, 0, 0, 10, 10, 10, 10, 230, 230, 0,
    0, 230, 0, 0, 0, 230, 230, 2360, 230, 0,
    230, 2360, 9140, 210, 9150, 9160, 210, 0, 0, 0,
    210, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 8960, 210, 230, 0, 0, 0, 0, 0, 0,
    140, 230, 210, 8960, 230, 230, 210, 230, 230, 230,
    0, 230, 4850, 230, 210, 230, 230, 0, 0, 0,
    230, 0, 1180, 0, 10, 10, 210, 0, 230, 0,
    0, 0, 230, 230, 2360, 0, 0, 0, 0, 0,
    0, 0, 230, 230, 8960, 0, 2360, 0, 0, 0,
    0, 0, 210, 0, 10, 10, 10, 0, 0, 0,
    0, 0, 230, 1180, 10, 10, 0, 0, 0, 0,
    9190, 4850, 9200, 9210, 9220, 9230, 9240, 9250, 9260, 8960,
    0, 0, 9030, 9110, 9130, 0, 9170, 0, 9180, 9270,
    0, 0, 0, 0, 0, 0, 0, 210, 0, 1180,
    0, 0, 4850, 0, 0, 4850, 0, 4850, 4850, 0,
    0, 0, 9290, 0, 0, 0, 230, 0, 9300, 0,
    4850, 4850, 4850, 0, 4850, 4850, 4850, 4850, 4850, 4850,
    0, 0, 0, 10, 10, 10, 10, 4850, 4850, 0,
    0, 0, 8960, 0, 4850, 4850, 140, 4850, 0, 0,
    0, 0, 0, 0, 10, 10, 10, 0, 4850, 0,
    4850, 0, 1180, 4850, 8960, 4850, 4850, 4850, 4850, 4850,
    0, 1180, 4850, 0, 0, 0, 1180, 0, 0, 0,
    0, 0, 2360, 4850, 10, 0, 0, 2360, 0, 140,
    0, 4850, 140, 4850, 0, 0, 4850, 4850, 4850, 0,
    9320, 2360, 4850, 9330, 9340, 9350, 9360, 9370, 9380, 9390,
    0, 4850, 4850, 0, 4850, 8960, 0, 0, 0, 0,
    0, 0, 4850, 4850, 10, 10, 10, 8960, 0, 0,
    0, 140, 4850, 1180, 8960, 0, 4850, 8960, 4850, 4850,
    0, 0, 4850, 4850, 1180, 0, 0, 0, 0, 0,
    0, 8960, 4850, 4850, 4850, 4850, 4850, 0, 0, 0,
    0, 0, 4850, 4850, 10, 10, 10, 0, 0, 0,
    0, 20, 9410, 9420, 9430, 0, 9440, 9450, 9460, 0,
    0, 0, 210, 0, 230, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 0, 10, 0, 0, 0,
    0, 9490, 0, 0, 0, 9490, 4850, 0, 1180, 0,
    0, 4850, 0, 0, 0, 4850, 0, 0, 0, 0,
    0, 4850, 0, 0, 4850, 8960, 0, 0, 0, 0,
    0, 4850, 0, 4850, 0, 0, 0, 0, 0, 0,
    0, 1180, 0, 0, 4850, 2360, 4850, 1180, 4850, 0,
    0, 0, 8960, 4850, 4850, 4850, 0, 2360, 0, 0,
    0, 9490, 4850, 0, 0, 0, 4850, 0, 0, 0,
    210, 9500, 9510, 9520, 9530, 9540, 210, 9550, 9560, 210,
    0, 9490, 0, 0, 0, 8960, 4850, 4850, 0, 0,
    0, 0, 4850, 0, 10, 10, 10, 4850, 4850, 0,
    0, 9490, 0, 4850, 4850, 4850, 9490, 0, 0, 0,
    0, 4850, 4850, 4850, 0, 2360, 0, 4850, 4850, 9490,
    0, 0, 10, 10, 10, 10, 10, 4850, 2360, 0,
    0, 0, 0, 10, 10, 10, 10, 4850, 10, 0,
    0, 9490, 9490, 0, 4850, 0, 0, 0, 0, 0,
    210, 140, 9580, 9590, 9600, 9330, 9610, 9620, 9630, 9640,
    0, 0, 0, 9310, 9400, 9470, 9480, 9570, 9650, 0,
    10, 0, 0, 0, 10, 10, 0, 10, 0, 10,
    9670, 0, 0, 0, 0, 0, 0, 4540, 0, 0,
    310, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 8930, 9280, 9660, 0, 0, 9680, 0, 9690, 0,
    0, 8930, 9280, 9660, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 9710,
    10, 0, 310, 0, 0, 0, 0, 0, 0, 0,
    9730, 0, 0, 3830, 0, 0, 0, 0, 7770, 0,
    0, 0, 0, 1560, 9740, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1560, 0, 0, 1560, 1560,
    0, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 4790,
    0, 4790, 4790, 0, 4790, 0, 0, 4790, 4790, 0,
    7300, 4790, 4790, 4790, 4790, 4790, 0, 4790, 4790, 0,
    310, 4790, 0, 4790, 4790, 4790, 0, 0, 0, 0,
    0, 4790, 0, 4790, 4790, 4790, 0, 4790, 0, 4790,
    310, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 4790,
    0, 9770, 9780, 9790, 9770, 9800, 9770, 9810, 9820, 9820,
    0, 390, 390, 390, 390, 390, 390, 390, 390, 390,
    0, 390, 390, 0, 390, 0, 0, 390, 390, 0,
    0, 390, 390, 390, 390, 390, 0, 390, 390, 0,
    0, 390, 0, 390, 390, 390, 0, 0, 0, 0,
    0, 390, 0, 390, 390, 390, 0, 390, 0, 390,
    0, 9840, 9850, 9860, 9840, 9870, 9840, 9880, 9840, 9840,
    0, 0, 890, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 200, 0, 9900, 0,
    0, 5400, 0, 0, 0, 0, 0, 0, 0, 9910,
    0, 0, 10, 10, 10, 310, 1560, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 9940, 0, 0, 0,
    0, 0, 0, 0, 9950, 0, 0, 0, 0, 0,
    0, 9920, 10, 9930, 0, 0, 9960, 0, 0, 0,
    310, 10, 0, 10, 10, 10, 0, 10, 0, 0,
    0, 10, 10, 10, 0, 10, 0, 0, 0, 0,
    760, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10000, 10, 10, 10, 10, 10, 100, 10, 10,
    0, 0, 9970, 2080, 270, 7710, 9980, 9990, 10, 10010,
    0, 0, 0, 0, 0, 0, 1560, 0, 0, 0,
    0, 0, 3760, 0, 0, 0, 0, 0, 0, 0,
    0, 10040, 0, 0, 0, 0, 1560, 0, 0, 0,
    0, 0, 0, 0, 290, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 100, 0, 0, 0, 0, 0,
    310, 0, 0, 10, 0, 0, 0, 0, 0, 0,
    1470, 10, 10070, 10080, 0, 490, 0, 310, 0, 0,
    10, 10, 10, 10, 10, 1470, 0, 0, 0, 0,
    10100, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 10110, 20, 0, 20, 20, 20, 20, 100, 0,
    10120, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    180, 0, 0, 0, 3620, 0, 0, 0, 0, 0,
    0, 0, 0, 10090, 0, 0, 10130, 0, 0, 10140,
    490, 0, 0, 0, 330, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 10160,
    0, 10170, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 0, 10, 10, 10,
    0, 200, 0, 10190, 10, 100, 10, 10, 100, 1850,
    0, 0, 10, 0, 10, 10, 10, 10, 10, 0,
    310, 10210, 2260, 0, 0, 0, 0, 0, 0, 0,
    490, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10200, 0, 10220, 10230, 1560, 0, 1560, 10230,
    10, 10, 10, 10, 10, 10, 10, 490, 10, 10,
    0, 10, 10, 10, 0, 10, 10, 0, 10, 10,
    0, 0, 10250, 10, 10, 10, 10, 10, 10260, 10,
    10, 10, 10, 10, 10, 10, 0, 0, 10, 10,
    10, 10, 10, 10, 10, 0, 0, 0, 10, 10,
    0, 0, 10280, 10, 10, 10290, 10, 100, 10, 1040,
    0, 10, 0, 10, 0, 10, 0, 10, 10, 10,
    0, 0, 20, 10310, 10, 890, 10, 3290, 70, 7720,
    10, 0, 0, 10, 10, 10, 10, 0, 10, 0,
    0, 0, 10, 10330, 2660, 10, 1480, 10, 3290, 10,
    0, 0, 10, 10, 10, 10, 0, 0, 10, 10,
    0, 0, 2360, 2080, 2360, 140, 10350, 2100, 20, 20,
    1110, 570, 10, 2660, 2660, 10, 10, 10, 2660, 2660,
    0, 0, 0, 0, 10270, 10300, 10320, 10340, 10360, 10370,
    10, 10, 0, 0, 0, 0, 10, 10, 10, 10,
    0, 0, 10, 10, 890, 10, 10, 10390, 10, 2660,
    0, 0, 10, 10, 1560, 10, 10, 10, 10, 10,
    10, 0, 0, 0, 0, 0, 10, 130, 0, 0,
    10, 10, 130, 0, 0, 0, 0, 130, 0, 0,
    0, 1040, 10, 10, 10420, 2140, 10, 10390, 10430, 2660,
    10400, 0, 10, 100, 10410, 5150, 10, 100, 10440, 10,
    10, 10, 10, 10, 0, 0, 10, 10, 10, 10,
    10, 10, 10, 10, 0, 0, 10, 0, 10, 0,
    10, 10, 10, 0, 0, 0, 0, 10, 10, 0,
    0, 0, 10460, 10470, 10480, 6800, 4230, 8760, 10, 4460,
    0, 10450, 0, 10490, 0, 0, 0, 0, 0, 0,
    1480, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    10, 0, 10, 10, 10, 10, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 3260, 4590, 0, 10520, 0,
    0, 0, 0, 0, 0, 0, 10, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 10540, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 10550, 0,
    0, 10, 10, 10, 10, 10, 10510, 10530, 10560, 0,
    10, 10, 0, 0, 0, 10, 0, 0, 10, 10,
    4260, 10, 180, 490, 10580, 740, 90, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 130, 0, 10590, 0,
    0, 0, 0, 9900, 0, 0, 0, 360, 0, 0,
    0, 0, 0, 0, 10600, 0, 10610, 0, 0, 10,
    310, 0, 0, 0, 0, 10060, 0, 0, 0, 0,
    0, 10570, 0, 1560, 0, 10620, 1560, 1560, 10630, 10,
    0, 10640, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 5450, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 0, 570, 0, 0, 0,
    0, 10670, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 570, 0, 2860, 0,
    0, 10690, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 6320, 0, 0, 0, 0, 0,
    0, 0, 0, 10710, 0, 0, 570, 0, 0, 0,
    0, 10720, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 10, 10, 0, 0, 10, 0,
    0, 0, 0, 0, 10, 10, 0, 0, 10, 0,
    0, 10740, 10750, 10750, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10760, 0, 180, 0, 0,
    0, 0, 0, 0, 10770, 0, 570, 0, 0, 0,
    10, 310, 10, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 0, 10, 0, 10, 10, 10, 10, 10,
    10, 10, 10, 2660, 10790, 10800, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 0, 10, 10, 310,
    10, 10, 10, 10, 10820, 10, 100, 3290, 10, 10,
    10, 0, 0, 0, 10, 0, 0, 10, 10, 10,
    10, 0, 10, 10, 10, 10, 10, 10, 10, 490,
    10, 10, 10, 10, 10, 860, 130, 10, 10, 10,
    10, 10, 10, 10, 10840, 110, 10, 10850, 10, 10860,
    10, 10, 2660, 10, 10, 10, 0, 10, 10, 10,
    0, 10, 0, 10, 0, 10, 0, 10, 0, 10,
    3260, 10890, 100, 10, 10, 10, 10, 340, 10890, 130,
    10, 10, 10900, 10, 10, 0, 0, 0, 0, 0,
    0, 10910, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10920, 2660, 10, 10, 10,
    0, 10780, 10810, 10830, 10870, 0, 0, 10880, 10930, 0,
    10, 10, 10, 0, 0, 0, 10, 0, 0, 0,
    10950, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 1560, 0, 0, 0, 0, 1560, 10960,
    0, 10970, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 3760, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1560, 0, 0, 0, 0,
    0, 230, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 11010, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 11000, 11020, 180, 0, 0, 180, 0, 0, 0,
    0, 11000, 10, 670, 0, 670, 2660, 1850, 10, 170,
    0, 10, 10, 10, 0, 10, 10, 0, 10, 0,
    10, 10, 10, 10, 10, 0, 10, 0, 0, 10,
    0, 10, 170, 4390, 500, 170, 11050, 11060, 10, 0,
    0, 10, 10, 10, 10, 10, 0, 0, 10, 10,
    10, 10, 0, 10, 10, 0, 0, 10, 10, 10,
    10, 10, 10, 10, 0, 0, 10, 10, 10, 0,
    10, 10, 10, 0, 10, 10, 10, 0, 10, 0,
    0, 10, 10, 10, 0, 0, 0, 10, 10, 0,
    11080, 11090, 11100, 11110, 570, 11120, 270, 5320, 3980, 0,
    0, 0, 10, 0, 0, 10, 10, 10, 10, 0,
    0, 10, 10, 10, 0, 10, 0, 0, 10, 10,
    0, 10, 10, 10, 10, 0, 10, 0, 0, 0,
    0, 160, 11140, 6960, 11150, 11160, 170, 0, 0, 0,
    0, 10, 10, 3820, 1850, 10, 0, 0, 0, 0,
    200, 100, 100, 10, 170, 100, 10, 10460, 0, 0,
    10, 10, 10, 10, 10, 0, 0, 10, 0, 10,
    0, 10, 10, 0, 0, 10, 10, 10, 10, 0,
    0, 0, 10, 10, 0, 0, 10, 10, 0, 10,
    0, 10, 0, 0, 0, 10, 0, 0, 0, 10,
    10, 10, 0, 10, 10, 0, 10, 0, 0, 0,
    3140, 7410, 11200, 0, 0, 11210, 11220, 11230, 11240, 0,
    0, 0, 11040, 11070, 11130, 11170, 11180, 11190, 1560, 11250,
    0, 0, 0, 0, 0, 0, 0, 250, 0, 0,
    0, 10, 10, 670, 10, 670, 2660, 1850, 10, 170,
    310, 10, 10, 10, 0, 10, 10, 10, 10, 10,
    0, 11270, 11280, 11070, 11130, 11170, 11180, 11190, 11290, 11250,
    10, 0, 0, 0, 10, 0, 0, 180, 0, 10,
    11310, 10, 10, 10, 0, 10, 10, 10, 10, 10,
    0, 11270, 11280, 11070, 11130, 11170, 11180, 11190, 11320, 11250,
    570, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 11340, 0,
    0, 11350, 0, 0, 0, 0, 0, 0, 0, 0,
    11360, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 670, 0, 670, 2660, 1850, 10, 170,
    0, 0, 170, 4390, 500, 170, 11050, 11060, 10, 0,
    0, 390, 10, 3820, 1850, 10, 0, 0, 0, 0,
    11370, 11270, 11380, 11390, 11130, 11170, 11400, 11190, 160, 11250,
    11370, 0, 0, 0, 0, 0, 0, 0, 160, 0,
    0, 11350, 0, 0, 0, 0, 0, 11350, 0, 0,
    11430, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    11440, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 11270, 11380, 11390, 11130, 11170, 11400, 11190, 160, 11250,
    0, 0, 0, 0, 0, 0, 0, 0, 160, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 6370, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 11480, 0,
    0, 0, 10, 0, 10, 10, 0, 10, 10, 0,
    0, 0, 1510, 5800, 20, 1180, 6460, 11500, 2360, 0,
    0, 0, 200, 0, 0, 0, 0, 0, 0, 0,
    0, 550, 0, 0, 0, 0, 0, 0, 11520, 6850,
    0, 10, 0, 10, 0, 10, 10, 10, 10, 10,
    1480, 110, 10, 10, 20, 10, 10, 10, 11540, 100,
    0, 0, 0, 0, 0, 0, 0, 0, 11530, 11550,
    0, 4130, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 10, 10, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 10, 0, 10, 0, 10,
    0, 2210, 200, 10, 11580, 940, 2120, 11590, 0, 310,
    0, 0, 0, 0, 0, 0, 0, 0, 11600, 0,
    5070, 0, 0, 310, 0, 0, 290, 250, 360, 0,
    11620, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 11630, 0, 0, 11600, 0,
    0, 10, 0, 0, 310, 0, 10, 70, 0, 0,
    10, 2210, 200, 10, 11580, 940, 2120, 11590, 0, 310,
    0, 0, 11650, 4710, 20, 0, 2120, 1100, 11660, 380,
    0, 0, 6670, 0, 0, 3620, 0, 310, 11660, 310,
    0, 10, 0, 10, 10, 10, 0, 10, 10, 10,
    10, 10, 10, 0, 0, 0, 0, 10, 10, 10,
    0, 11690, 11700, 0, 0, 3620, 0, 0, 11660, 310,
    0, 0, 0, 3140, 0, 0, 10, 0, 10, 2660,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 1560,
    1560, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 11730, 0, 0, 0, 0, 0, 11740, 0, 0,
    10, 0, 0, 0, 0, 0, 10, 0, 10, 10,
    0, 11760, 10, 20, 2080, 1180, 0, 120, 0, 0,
    0, 2660, 2440, 1850, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 11780, 10, 0,
    0, 230, 0, 0, 0, 0, 11790, 0, 10, 10,
    0, 11730, 0, 0, 0, 0, 0, 0, 0, 0,
    11570, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    11820, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 490, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 11840, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 11850, 0, 0,
    11860, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    11870, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 70, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 11890, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 11900, 0, 0,
    11910, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 10, 10, 10, 10, 0,
    10, 0, 0, 10, 10, 10, 10, 0, 0, 0,
    0, 11930, 11940, 780, 1180, 2360, 140, 20, 2360, 100,
    0, 0, 10, 10, 10, 10, 8320, 10, 10, 4810,
    0, 0, 10, 10, 10, 10, 100, 8320, 10, 10,
    0, 0, 10, 2990, 380, 10, 10, 10, 10, 10,
    0, 0, 10, 20, 1480, 100, 10, 10, 6750, 10,
    0, 0, 10, 10, 10, 10, 100, 100, 10, 10,
    11920, 11950, 20, 100, 11960, 11970, 10, 11980, 11990, 12000,
    0, 0, 0, 0, 0, 0, 0, 5100, 10, 0,
    0, 0, 3980, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 12030, 0,
    0, 0, 0, 250, 0, 0, 290, 12020, 12040, 0,
    12050, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    100, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12060, 0, 310, 0, 0, 12070, 12070, 12070, 310, 12070,
    0, 0, 0, 250, 0, 0, 290, 360, 0, 0,
    12090, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12100, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 11950, 20, 100, 11960, 11970, 10, 11980, 11990, 12000,
    0, 0, 310, 0, 0, 12070, 12070, 12070, 310, 12070,
    0, 180, 180, 180, 0, 0, 0, 0, 0, 0,
    0, 180, 180, 180, 180, 0, 0, 0, 0, 0,
    0, 180, 180, 180, 180, 180, 0, 0, 0, 0,
    0, 0, 0, 12140, 12150, 12160, 12150, 0, 0, 0,
    0, 0, 200, 570, 230, 0, 290, 250, 360, 390,
    10, 10, 0, 0, 0, 0, 10, 0, 10, 0,
    310, 0, 0, 0, 230, 0, 12190, 310, 360, 0,
    310, 0, 0, 570, 0, 70, 0, 250, 0, 390,
    0, 0, 0, 0, 0, 12180, 12200, 0, 12210, 0,
    0, 12220, 100, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 2300, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 12240, 0, 0, 10, 10, 10, 10, 10,
    10, 100, 100, 100, 0, 0, 0, 0, 0, 0,
    0, 100, 100, 100, 100, 0, 0, 0, 0, 0,
    0, 100, 100, 100, 100, 100, 0, 0, 0, 0,
    20, 100, 100, 100, 100, 0, 0, 0, 0, 0,
    0, 12250, 100, 12260, 12270, 12280, 12290, 0, 310, 0,
    0, 100, 100, 100, 0, 0, 0, 0, 0, 0,
    10, 100, 100, 100, 100, 100, 0, 0, 0, 0,
    0, 12250, 0, 12310, 12270, 12320, 12270, 310, 0, 0,
    0, 0, 0, 3620, 0, 0, 0, 0, 0, 0,
    12340, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12350, 0, 0, 0, 0, 310, 0, 0, 0, 0,
    360, 0, 0, 0, 0, 0, 360, 0, 0, 0,
    0, 0, 0, 12370, 0, 0, 0, 1140, 0, 0,
    12380, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12390, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1140, 0, 0,
    12410, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12420, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 310, 0, 0, 0, 0,
    0, 8390, 0, 0, 0, 0, 390, 8390, 0, 0,
    2300, 0, 360, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 12460, 0, 0, 0, 0, 0, 1560, 1560,
    0, 12470, 0, 0, 0, 0, 390, 0, 0, 0,
    0, 860, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 12490, 0, 310, 0, 310, 0, 1560, 1560,
    0, 0, 10, 10, 0, 0, 0, 0, 10, 0,
    0, 10, 12510, 0, 0, 390, 10, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 200, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 10, 10, 660,
    0, 12500, 0, 10, 0, 12520, 12530, 1280, 12540, 10,
    10, 10, 10, 10, 10, 0, 10, 10, 0, 10,
    780, 800, 2550, 20, 2360, 6960, 5240, 440, 20, 12560,
    0, 11730, 12570, 0, 0, 0, 0, 0, 0, 0,
    310, 0, 570, 0, 0, 0, 0, 0, 0, 0,
    0, 12590, 0, 0, 0, 0, 0, 0, 0, 1070,
    12600, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12600, 12600, 12600, 12600, 12600, 12600, 0, 12600, 12600, 12600,
    0, 12610, 12620, 0, 0, 0, 0, 0, 0, 0,
    0, 310, 0, 0, 0, 0, 0, 0, 0, 1070,
    12640, 0, 0, 0, 0, 0, 5070, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1070,
    12660, 12660, 12660, 12660, 12660, 12660, 0, 12660, 12660, 12660,
    0, 1560, 0, 0, 0, 0, 0, 0, 0, 1070,
    12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680,
    0, 0, 0, 0, 0, 12680, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 12680,
    12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 0, 12680,
    0, 12680, 12680, 12680, 12680, 12680, 12680, 0, 12680, 0,
    0, 12690, 0, 12700, 12710, 12690, 0, 12720, 0, 12730,
    0, 12680, 12680, 0, 0, 12680, 12680, 12680, 12680, 12680,
    0, 12680, 0, 0, 0, 0, 0, 12680, 0, 12680,
    0, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680,
    0, 0, 0, 0, 12680, 0, 0, 12680, 12680, 12680,
    0, 0, 12680, 12680, 0, 0, 0, 0, 0, 0,
    0, 12750, 12760, 12770, 0, 12770, 12780, 12690, 12790, 0,
    0, 0, 0, 12680, 0, 0, 0, 12680, 0, 0,
    0, 0, 0, 12680, 0, 0, 12680, 0, 0, 0,
    0, 12680, 12680, 12680, 12680, 0, 12680, 0, 0, 0,
    12680, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 12690, 12810, 12690, 12820, 12690, 12830, 12690, 12840, 12770,
    0, 12680, 12680, 12680, 0, 12680, 0, 0, 0, 0,
    12680, 0, 12680, 12680, 0, 0, 0, 0, 12680, 0,
    0, 12680, 12680, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 12860, 0, 0, 12870, 0, 0, 12880,
    0, 12680, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 12680, 0, 12680, 0, 0, 0, 12680, 0,
    12680, 12680, 0, 0, 12680, 12680, 12680, 12680, 12680, 12680,
    0, 0, 0, 12680, 12680, 12680, 12680, 0, 0, 0,
    12680, 0, 12680, 12680, 0, 0, 12680, 0, 12680, 12680,
    12900, 12690, 12910, 12920, 12930, 12690, 12940, 12690, 0, 12690,
    0, 0, 12680, 12680, 0, 0, 12680, 12680, 12680, 0,
    0, 0, 0, 0, 0, 12680, 12680, 12680, 0, 0,
    0, 12680, 0, 0, 12680, 12680, 12680, 12680, 12680, 12680,
    0, 0, 0, 12680, 0, 0, 12680, 12680, 12680, 0,
    0, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 0,
    0, 12960, 12970, 12690, 0, 12980, 0, 12690, 12990, 13000,
    0, 12680, 12680, 12680, 0, 0, 12680, 0, 12680, 12680,
    0, 12680, 12680, 12680, 12680, 12680, 12680, 12680, 0, 12680,
    0, 12680, 0, 12680, 0, 0, 0, 0, 0, 0,
    0, 12680, 12680, 12680, 12680, 12680, 0, 0, 0, 0,
    13020, 13030, 0, 12690, 13040, 13050, 0, 12690, 0, 12690,
    0, 12650, 12670, 12740, 12800, 12850, 12890, 12950, 13010, 13060,
    12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660,
    0, 0, 0, 0, 0, 12660, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 12660,
    12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 0, 12660,
    0, 12660, 12660, 12660, 12660, 12660, 12660, 0, 12660, 0,
    0, 13080, 0, 13090, 13100, 13080, 0, 13110, 0, 13120,
    0, 12660, 12660, 0, 0, 12660, 12660, 12660, 12660, 12660,
    0, 12660, 0, 0, 0, 0, 0, 12660, 0, 12660,
    0, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660,
    0, 0, 0, 0, 12660, 0, 0, 12660, 12660, 12660,
    0, 0, 12660, 12660, 0, 0, 0, 0, 0, 0,
    0, 13140, 13150, 13160, 0, 13160, 13170, 13080, 13180, 0,
    0, 0, 0, 12660, 0, 0, 0, 12660, 0, 0,
    0, 0, 0, 12660, 0, 0, 12660, 0, 0, 0,
    0, 12660, 12660, 12660, 12660, 0, 12660, 0, 0, 0,
    12660, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 13080, 13200, 13080, 13210, 13080, 13220, 13080, 13230, 13160,
    0, 12660, 12660, 12660, 0, 12660, 0, 0, 0, 0,
    12660, 0, 12660, 12660, 0, 0, 0, 0, 12660, 0,
    0, 12660, 12660, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 13250, 0, 0, 13260, 0, 0, 13270,
    0, 12660, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 12660, 0, 12660, 0, 0, 0, 12660, 0,
    12660, 12660, 0, 0, 12660, 12660, 12660, 12660, 12660, 12660,
    0, 0, 0, 12660, 12660, 12660, 12660, 0, 0, 0,
    12660, 0, 12660, 12660, 0, 0, 12660, 0, 12660, 12660,
    13290, 13080, 13300, 13310, 13320, 13080, 13330, 13080, 0, 13080,
    0, 0, 12660, 12660, 0, 0, 12660, 12660, 12660, 0,
    0, 0, 0, 0, 0, 12660, 12660, 12660, 0, 0,
    0, 12660, 0, 0, 12660, 12660, 12660, 12660, 12660, 12660,
    0, 0, 0, 12660, 0, 0, 12660, 12660, 12660, 0,
    0, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 0,
    0, 13350, 13360, 13080, 0, 13370, 0, 13080, 13380, 13390,
    0, 12660, 12660, 12660, 0, 0, 12660, 0, 12660, 12660,
    0, 12660, 12660, 12660, 12660, 12660, 12660, 12660, 0, 12660,
    0, 12660, 0, 12660, 0, 0, 0, 0, 0, 0,
    0, 12660, 12660, 12660, 12660, 12660, 0, 0, 0, 0,
    13410, 13420, 0, 13080, 13430, 13440, 0, 13080, 0, 13080,
    0, 0, 0, 13130, 13190, 13240, 13280, 13340, 13400, 13450,
    10, 100, 10, 10, 10, 10, 0, 10, 10, 10,
    10, 0, 10, 10, 10, 10, 10, 0, 0, 0,
    0, 380, 0, 70, 390, 10, 0, 13480, 0, 4390,
    0, 10, 0, 0, 0, 0, 0, 10, 0, 10,
    0, 0, 0, 0, 10, 0, 0, 10, 10, 10,
    310, 6770, 13500, 780, 0, 20, 13510, 10, 1040, 0,
    0, 0, 0, 10, 0, 0, 10, 0, 0, 0,
    10, 0, 10, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 0, 6750, 13530, 380, 11160, 13540, 310, 4250,
    10, 0, 10, 10, 0, 0, 0, 0, 10, 0,
    0, 0, 0, 9990, 0, 0, 13560, 0, 0, 3140,
    0, 0, 10, 0, 10, 0, 0, 0, 10, 0,
    10, 10, 10, 10, 10, 0, 10, 0, 10, 10,
    0, 0, 10, 10, 0, 0, 10, 0, 10, 0,
    180, 10, 13580, 1460, 8960, 13590, 13600, 10, 0, 380,
    0, 0, 10, 10, 0, 0, 10, 10, 10, 0,
    0, 10, 0, 0, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 10, 0, 0, 10, 10, 10, 0,
    310, 13620, 520, 10, 0, 13630, 0, 380, 13640, 3210,
    0, 10, 10, 10, 0, 0, 10, 0, 10, 10,
    13660, 1770, 0, 10, 2300, 1470, 0, 10, 0, 10,
    0, 310, 13470, 13490, 13520, 13550, 13570, 13610, 13650, 13670,
    0, 310, 10, 0, 0, 10, 10, 10, 0, 0,
    1470, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 13700, 10, 10, 10, 10, 0,
    0, 0, 0, 10, 1110, 3290, 13690, 13710, 10, 3290,
    0, 180, 0, 0, 0, 0, 0, 13500, 0, 0,
    0, 180, 0, 9990, 0, 180, 0, 0, 0, 0,
    0, 10, 0, 10, 10, 10, 10, 10, 0, 10,
    0, 10, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 10, 550, 3140, 0, 180, 0, 13750, 0, 13760,
    0, 0, 0, 0, 10, 10, 0, 10, 0, 0,
    0, 0, 0, 180, 0, 13780, 1220, 0, 0, 180,
    0, 0, 0, 0, 0, 180, 0, 180, 0, 360,
    0, 13720, 0, 13730, 13740, 13770, 0, 13790, 13800, 12440,
    4130, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 13820, 11570, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 230, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 13840, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 0, 0, 10, 0, 10, 0,
    0, 2050, 2250, 13860, 13860, 13860, 2260, 2260, 2250, 0,
    0, 0, 10, 0, 0, 0, 0, 0, 10, 0,
    10, 0, 10, 0, 10, 0, 10, 0, 10, 0,
    0, 13880, 2250, 13880, 2250, 2250, 2250, 13890, 13890, 200,
    0, 2260, 2250, 2250, 2050, 2250, 2260, 2250, 2250, 0,
    10, 0, 10, 0, 0, 0, 10, 0, 0, 0,
    0, 180, 0, 0, 0, 0, 0, 0, 0, 0,
    13930, 0, 0, 0, 0, 0, 180, 0, 0, 0,
    0, 13940, 10, 0, 10, 0, 0, 0, 0, 0,
    0, 0, 2080, 0, 0, 0, 0, 0, 0, 0,
    0, 3140, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 13970, 0, 3880, 0, 0, 0, 0, 0,
    0, 0, 13980, 0, 10, 0, 10, 0, 0, 0,
    10, 13920, 230, 10, 10, 10, 13950, 4830, 13960, 13990,
    310, 180, 0, 0, 0, 310, 0, 0, 360, 360,
    0, 0, 13870, 13900, 13910, 14000, 0, 0, 14010, 1560,
    140, 140, 140, 140, 140, 140, 140, 140, 140, 140,
    140, 140, 140, 14030, 140, 14030, 14030, 14030, 14030, 140,
    140, 140, 140, 14030, 14030, 140, 14030, 14030, 14030, 14030,
    10, 140, 14030, 14030, 140, 140, 14030, 14030, 14030, 14030,
    14030, 140, 14030, 14030, 140, 14030, 14030, 14030, 14030, 14030,
    440, 140, 14030, 14030, 140, 14030, 14030, 14030, 14030, 14030,
    4220, 140, 140, 14030, 14030, 140, 14030, 140, 14030, 14030,
    2910, 140, 14030, 140, 140, 14030, 140, 14030, 14030, 14030,
    0, 140, 14040, 14050, 14060, 14070, 14080, 14090, 14100, 14070,
    0, 14030, 140, 14030, 14030, 140, 14030, 140, 14030, 14030,
    140, 140, 14030, 140, 14030, 14030, 14030, 14030, 14030, 0,
    140, 140, 14030, 14030, 14030, 14030, 14030, 14030, 14030, 0,
    140, 140, 14030, 140, 0, 14030, 14030, 140, 14030, 14030,
    140, 140, 14030, 14030, 14030, 140, 14030, 14030, 140, 14030,
    0, 0, 10, 10, 10, 10, 10, 10, 0, 70,
    140, 140, 140, 140, 140, 140, 140, 14170, 140, 140,
    0, 14180, 0, 14030, 14030, 14030, 14030, 14030, 140, 14030,
    0, 10, 0, 10, 10, 0, 10, 0, 10, 0,
    14200, 140, 14030, 14030, 14030, 140, 140, 14030, 140, 14030,
    10, 140, 14030, 14030, 140, 14030, 14030, 14030, 14030, 14030,
    4710, 14120, 4710, 14130, 14140, 14150, 14160, 14190, 14210, 14220,
    0, 14030, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 14030, 0, 14030,
    0, 14030, 14030, 10, 14030, 14030, 140, 0, 0, 0,
    140, 140, 10, 10, 10, 10, 10, 10, 140, 140,
    0, 140, 14270, 140, 0, 14030, 14030, 14030, 14030, 0,
    0, 14030, 14030, 140, 140, 14030, 14030, 0, 14030, 14030,
    140, 140, 14030, 14030, 140, 14030, 14030, 14030, 140, 140,
    140, 14030, 140, 140, 140, 14030, 140, 14030, 14030, 14030,
    10, 140, 14030, 14030, 14030, 140, 14030, 14030, 14030, 140,
    14240, 14250, 14260, 140, 14280, 14290, 14300, 14310, 14320, 0,
    0, 14030, 0, 140, 14030, 14030, 140, 14030, 14030, 0,
    4220, 140, 140, 140, 140, 14030, 14030, 140, 14030, 14030,
    0, 140, 14030, 14030, 14030, 140, 14030, 14030, 0, 0,
    0, 140, 140, 0, 14030, 14030, 14030, 14030, 0, 0,
    140, 140, 140, 14030, 0, 14030, 140, 140, 140, 140,
    140, 140, 2360, 14030, 140, 140, 140, 140, 140, 140,
    140, 140, 14030, 140, 140, 140, 14030, 140, 14030, 14030,
    140, 140, 14030, 14030, 140, 140, 140, 140, 14030, 14030,
    140, 14340, 14350, 14360, 140, 14370, 14380, 14390, 14400, 14410,
    140, 14030, 140, 0, 14030, 140, 14030, 14030, 14030, 14030,
    0, 14030, 140, 0, 14030, 14030, 14030, 14030, 14030, 0,
    0, 14030, 140, 14030, 14030, 140, 14030, 0, 0, 0,
    0, 14030, 140, 0, 14030, 14030, 14030, 0, 140, 14030,
    0, 140, 3210, 0, 14030, 0, 14030, 0, 0, 0,
    0, 14030, 140, 0, 14030, 140, 14030, 14030, 14030, 14030,
    0, 140, 14030, 14030, 14030, 0, 0, 0, 0, 0,
    0, 140, 14030, 14030, 14030, 14030, 14030, 14030, 14030, 0,
    0, 140, 14030, 0, 14030, 140, 14030, 0, 0, 0,
    0, 14430, 14440, 14450, 14460, 14470, 14480, 14490, 14500, 14510,
    0, 14110, 14230, 14330, 14420, 14520, 10, 10, 10, 10,
    310, 0, 0, 0, 0, 0, 310, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 14540, 0,
    0, 14550, 0, 0, 0, 0, 0, 0, 0, 0,
    13820, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    7300, 0, 0, 0, 0, 0, 3140, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 14580, 0,
    14570, 14590, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 14590, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 20, 20, 0, 20, 0, 0, 20, 0,
    0, 0, 20, 20, 20, 0, 0, 0, 0, 0,
    0, 0, 20, 20, 20, 20, 20, 20, 20, 0,
    0, 0, 20, 14620, 14630, 20, 0, 0, 0, 14640,
    0, 0, 0, 20, 20, 0, 0, 20, 0, 20,
    20, 20, 0, 0, 20, 14660, 20, 20, 20, 20,
    0, 0, 20, 20, 20, 0, 20, 20, 0, 0,
    0, 20, 20, 20, 14680, 20, 20, 20, 0, 0,
    0, 0, 0, 0, 20, 0, 20, 0, 20, 0,
    14700, 20, 20, 20, 20, 20, 20, 20, 20, 0,
    0, 0, 20, 20, 0, 0, 20, 0, 0, 0,
    0, 20, 14720, 0, 20, 0, 0, 0, 0, 0,
    0, 0, 20, 20, 20, 20, 20, 0, 20, 20,
    0, 0, 20, 20, 0, 20, 0, 20, 20, 0,
    0, 0, 0, 20, 20, 0, 0, 20, 20, 0,
    0, 0, 20, 20, 0, 20, 20, 0, 0, 0,
    0, 20, 14740, 14750, 14760, 14770, 20, 0, 0, 0,
    0, 0, 20, 0, 0, 0, 0, 20, 20, 20,
    0, 0, 20, 20, 20, 20, 20, 0, 0, 0,
    0, 0, 0, 20, 0, 20, 20, 0, 0, 20,
    0, 0, 20, 0, 0, 20, 20, 20, 20, 0,
    0, 20, 14640, 14790, 14800, 0, 14810, 0, 0, 14820,
    0, 11520, 14650, 0, 14670, 14690, 14710, 14730, 14780, 14830,
    0, 20, 20, 14620, 14630, 20, 0, 0, 0, 14640,
    10, 10, 10, 3260, 10, 70, 230, 10, 0, 0,
    20, 20, 20, 0, 20, 14660, 20, 20, 20, 20,
    0, 20, 20, 20, 14680, 20, 20, 20, 4360, 0,
    0, 0, 14850, 14860, 14870, 14880, 14710, 14730, 14780, 14830,
    0, 13930, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 14900, 14900, 0, 0, 14900, 0, 0, 0, 0,
    14900, 14900, 14900, 0, 14900, 0, 14900, 14900, 14900, 14900,
    0, 14900, 14900, 14900, 0, 14900, 14900, 14900, 0, 0,
    0, 14900, 14900, 14900, 14900, 14900, 14900, 14900, 14900, 0,
    0, 14900, 0, 0, 14900, 0, 0, 0, 0, 0,
    310, 14900, 0, 0, 0, 0, 14900, 0, 0, 0,
    0, 14900, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 14910, 0, 14920, 14930, 14940, 14950, 14960, 14970,
    0, 0, 14900, 14900, 0, 14900, 0, 0, 14900, 0,
    0, 0, 14900, 14900, 14900, 0, 0, 0, 0, 0,
    0, 0, 14900, 14900, 14900, 14900, 14900, 14900, 14900, 0,
    0, 0, 0, 14990, 15000, 0, 0, 0, 0, 15010,
    0, 0, 0, 14900, 14900, 0, 0, 14900, 0, 14900,
    0, 0, 0, 0, 0, 15030, 0, 0, 0, 0,
    0, 0, 14900, 14900, 14900, 0, 14900, 14900, 0, 0,
    0, 0, 0, 0, 15050, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 14900, 0, 14900, 0, 14900, 0,
    15070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 14900, 14900, 0, 0, 14900, 0, 0, 0,
    0, 0, 15090, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 14900, 14900, 14900, 14900, 14900, 0, 14900, 14900,
    0, 0, 14900, 14900, 0, 14900, 0, 14900, 14900, 0,
    0, 0, 0, 14900, 14900, 0, 0, 14900, 14900, 0,
    0, 0, 14900, 14900, 0, 14900, 14900, 0, 0, 0,
    0, 0, 15110, 15120, 15130, 15140, 0, 0, 0, 0,
    0, 0, 14900, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 14900, 0, 0, 0, 0, 14900, 14900, 14900,
    0, 0, 14900, 14900, 14900, 14900, 14900, 0, 0, 0,
    0, 0, 0, 14900, 0, 14900, 14900, 0, 0, 14900,
    0, 0, 14900, 14900, 14900, 14900, 14900, 14900, 0, 0,
    0, 0, 15160, 15170, 15180, 0, 15190, 0, 0, 15200,
    0, 0, 15020, 0, 15040, 15060, 15080, 15100, 15150, 15210,
    20, 20, 20, 20, 20, 20, 20, 20, 20, 0,
    20, 20, 20, 20, 20, 20, 0, 0, 0, 0,
    0, 0, 15230, 1330, 1330, 15230, 15240, 10, 0, 0,
    0, 4790, 20, 0, 0, 0, 0, 0, 0, 8560,
    0, 4790, 0, 4790, 4790, 4790, 4790, 4790, 0, 0,
    0, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 4790, 0,
    0, 4790, 0, 0, 0, 4790, 0, 4790, 0, 0,
    0, 4790, 4790, 0, 4790, 4790, 0, 4790, 0, 0,
    200, 0, 0, 4790, 0, 4790, 4790, 4790, 0, 0,
    10, 10, 10, 0, 130, 10, 10, 10, 10, 0,
    0, 10, 200, 0, 0, 0, 0, 0, 0, 4830,
    0, 15260, 15270, 15280, 15290, 15300, 15310, 15320, 3140, 15330,
    0, 290, 20, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 10, 490, 0, 0,
    0, 0, 10210, 140, 1180, 5700, 1180, 0, 0, 0,
    0, 0, 10, 0, 10, 10, 10, 10, 0, 0,
    0, 0, 2360, 5800, 10210, 1040, 8880, 2360, 15380, 140,
    0, 0, 10, 10, 0, 10, 10, 0, 0, 0,
    0, 0, 10, 0, 10, 10, 10, 0, 0, 0,
    1040, 15400, 1180, 15410, 1180, 8880, 2360, 3700, 4830, 4220,
    10210, 140, 200, 8880, 10210, 140, 0, 0, 0, 0,
    0, 8690, 2360, 4220, 15380, 4830, 1040, 0, 0, 0,
    0, 15360, 70, 0, 15370, 15390, 15420, 15430, 15440, 0,
    0, 0, 0, 570, 0, 10, 10, 0, 0, 0,
    0, 0, 2180, 0, 0, 0, 0, 760, 570, 0,
    0, 200, 10, 15460, 15470, 0, 0, 8960, 10, 890,
    310, 0, 0, 0, 0, 0, 0, 0, 870, 0,
    10, 0, 200, 0, 0, 0, 0, 760, 570, 0,
    0, 0, 15490, 0, 15500, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 290, 0, 0, 0, 0,
    0, 0, 0, 15520, 0, 200, 0, 0, 0, 0,
    0, 0, 180, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 200, 0, 15540, 0, 0, 0, 0, 0,
    0, 0, 11940, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 0, 0, 360, 0,
    0, 3780, 0, 0, 15560, 200, 0, 15570, 0, 3780,
    0, 3780, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 8280, 0, 0, 0, 0, 0,
    0, 0, 10, 3780, 0, 0, 0, 0, 0, 0,
    0, 15600, 15610, 200, 0, 200, 230, 0, 0, 0,
    0, 0, 130, 0, 0, 890, 10, 0, 10, 2970,
    0, 15480, 15510, 0, 15530, 15550, 15580, 15590, 15620, 15630,
    0, 0, 0, 0, 0, 180, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 280, 0,
    0, 0, 10, 0, 15660, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 310, 570, 0,
    0, 0, 310, 0, 15680, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 3830, 0, 0, 0, 0, 0,
    0, 0, 15670, 15690, 3780, 15700, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 90, 0, 0,
    0, 0, 10, 0, 15720, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 12530, 0, 0, 0, 0, 0,
    0, 0, 6190, 0, 3830, 0, 0, 0, 0, 0,
    0, 0, 310, 0, 6520, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 490, 0,
    0, 0, 310, 0, 15770, 0, 0, 0, 0, 0,
    0, 0, 310, 0, 15720, 0, 0, 0, 0, 0,
    0, 0, 310, 0, 3830, 0, 0, 0, 0, 0,
    0, 0, 15730, 15740, 15750, 11520, 15760, 15780, 15790, 15800,
    0, 0, 230, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2980, 0, 12530, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 310, 310, 0, 0,
    10, 10, 0, 0, 10, 10, 0, 0, 0, 10,
    0, 0, 0, 10, 15840, 0, 0, 0, 15850, 0,
    6400, 15820, 15740, 15800, 15830, 200, 200, 15860, 0, 0,
    0, 0, 70, 0, 3830, 0, 0, 0, 0, 0,
    0, 0, 2860, 0, 3830, 0, 0, 0, 0, 290,
    15700, 15690, 0, 0, 15880, 15890, 0, 0, 0, 0,
    0, 0, 10, 0, 11840, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 310,
    0, 0, 10, 0, 15920, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 3830, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 420, 10, 10, 10, 10, 10,
    0, 0, 10, 0, 15950, 180, 0, 0, 0, 0,
    0, 15910, 15930, 15940, 0, 15960, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 0, 10, 0, 0, 0,
    0, 10, 0, 10, 0, 0, 0, 10, 360, 10,
    0, 0, 0, 15980, 15990, 0, 180, 570, 0, 180,
    0, 0, 15650, 0, 15710, 15810, 15870, 15900, 15970, 16000,
    90, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 16020, 0,
    16030, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    16040, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 10, 0, 10, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 310, 10, 10, 10, 10, 10,
    0, 0, 1070, 230, 16060, 0, 10, 16070, 340, 1900,
    0, 0, 0, 0, 0, 0, 0, 0, 16050, 16080,
    0, 10, 10, 0, 0, 0, 10, 0, 10, 10,
    0, 16100, 0, 16100, 0, 0, 0, 16100, 0, 0,
    0, 16100, 0, 16100, 16100, 16100, 16100, 0, 16100, 0,
    0, 16100, 0, 0, 16100, 16100, 0, 0, 16100, 0,
    0, 16100, 0, 0, 16100, 16100, 0, 0, 0, 0,
    0, 16100, 0, 0, 16100, 0, 16100, 0, 16100, 0,
    0, 16100, 0, 0, 0, 0, 16100, 0, 0, 0,
    0, 16100, 0, 0, 16100, 0, 16100, 16100, 0, 0,
    0, 16100, 0, 16100, 16100, 0, 16100, 16100, 0, 0,
    0, 16110, 16120, 16130, 16140, 16150, 16160, 16170, 16180, 0,
    0, 0, 10, 0, 0, 0, 0, 0, 10, 10,
    0, 16200, 0, 16200, 0, 0, 0, 16200, 0, 0,
    0, 16200, 0, 16200, 16200, 16200, 16200, 0, 16200, 0,
    0, 16200, 0, 0, 16200, 16200, 0, 0, 16200, 0,
    0, 16200, 0, 0, 16200, 16200, 0, 0, 0, 0,
    0, 16200, 0, 0, 16200, 0, 16200, 0, 16200, 0,
    0, 16200, 0, 0, 0, 0, 16200, 0, 0, 0,
    0, 16200, 0, 0, 16200, 0, 16200, 16200, 0, 0,
    0, 16200, 0, 16200, 16200, 0, 16200, 16200, 0, 0,
    0, 16210, 16220, 16230, 16240, 16250, 16260, 16270, 16280, 0,
    0, 10, 0, 10, 0, 0, 0, 10, 0, 0,
    0, 10, 0, 10, 10, 10, 10, 0, 10, 0,
    0, 10, 0, 0, 10, 0, 10, 0, 10, 0,
    0, 10, 0, 0, 0, 0, 10, 0, 0, 0,
    0, 10, 0, 0, 10, 0, 10, 10, 0, 0,
    1220, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    16350, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    310, 15540, 310, 0, 0, 0, 310, 0, 310, 310,
    0, 13930, 0, 0, 310, 0, 0, 0, 0, 0,
    16360, 200, 16370, 10000, 16380, 0, 0, 0, 0, 0,
    0, 310, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 10, 10, 760, 0, 0, 0, 0, 360, 0,
    10, 10, 10, 10, 0, 10, 390, 250, 2140, 10,
    10, 10, 10, 10, 10, 16400, 10, 0, 16410, 16420,
    1470, 10, 860, 10, 16390, 0, 0, 0, 0, 16430,
    0, 16300, 16310, 5550, 7940, 16320, 16330, 16340, 3200, 16440,
    0, 16200, 0, 0, 0, 0, 0, 0, 0, 8860,
    10, 0, 10, 10, 10, 0, 10, 10, 10, 0,
    10, 10, 10, 3950, 16470, 10, 10, 10, 2960, 10,
    10, 10, 0, 0, 10, 10, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 380, 8320, 10, 16490, 780,
    0, 0, 0, 0, 760, 0, 0, 0, 0, 570,
    0, 0, 16510, 0, 0, 0, 0, 0, 0, 0,
    0, 360, 16480, 16500, 3390, 7300, 0, 0, 0, 16520,
    10, 10, 2660, 490, 0, 1470, 10, 10, 10, 0,
    0, 0, 0, 0, 0, 16530, 10, 16540, 1220, 0,
    10, 10, 0, 10, 10, 10, 10, 0, 10, 10,
    0, 10, 10, 10, 16560, 0, 0, 0, 0, 0,
    10, 10, 10, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 16580, 10, 130, 0, 0, 0,
    10, 180, 180, 180, 180, 180, 180, 0, 180, 180,
    16600, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 7780, 0, 1040, 0,
    0, 0, 0, 0, 0, 16590, 10, 2140, 16610, 16620,
    10, 10, 10, 0, 0, 0, 130, 0, 0, 180,
    0, 310, 1560, 0, 0, 0, 0, 0, 0, 0,
    8280, 16650, 8280, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 10, 16640, 2660, 10, 0, 10, 16660, 10,
    0, 10, 10, 0, 10, 10, 0, 10, 0, 10,
    1070, 10, 10, 10, 10, 10, 10, 16680, 2820, 0,
    0, 10, 15400, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 10, 0, 10, 0, 0,
    0, 10, 16710, 0, 0, 8880, 0, 10, 2820, 0,
    0, 10, 10, 10, 10, 0, 10, 0, 0, 10,
    0, 10, 16730, 10, 10, 3940, 0, 10, 670, 0,
    0, 10, 10, 10, 10, 4790, 0, 10, 270, 10,
    0, 10, 13750, 10, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 0, 10, 2820, 0, 0, 230, 0,
    0, 0, 16690, 16700, 16720, 16740, 16750, 16760, 16770, 1850,
    10, 0, 10, 0, 10, 0, 10, 10, 0, 10,
    0, 16790, 0, 0, 0, 0, 10, 10, 10, 10,
    10, 10, 10, 10, 16800, 10, 0, 0, 0, 0,
    0, 0, 0, 10, 440, 0, 10, 0, 0, 0,
    10, 0, 0, 10, 0, 10, 0, 0, 0, 0,
    0, 2980, 16830, 4310, 360, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 16820, 320, 16840, 10, 10,
    0, 0, 10, 10, 16810, 16850, 10, 10, 10, 10,
    0, 0, 10, 10, 13630, 0, 0, 10, 10, 10,
    0, 0, 0, 10, 440, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 16880, 10, 10, 0, 0,
    10, 10, 10, 10, 0, 0, 0, 0, 10, 10,
    0, 0, 0, 0, 16870, 16890, 0, 0, 16900, 0,
    0, 0, 0, 0, 16910, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 10, 0, 16930, 0, 0, 10, 0, 0,
    0, 0, 0, 220, 0, 0, 1530, 16940, 0, 390,
    0, 0, 0, 0, 16920, 0, 0, 0, 16950, 0,
    10, 0, 10, 340, 0, 0, 10, 0, 0, 10,
    10, 10, 180, 0, 0, 10, 10, 10, 10, 310,
    0, 0, 0, 0, 10, 0, 10, 0, 10, 10,
    310, 13890, 0, 0, 0, 0, 0, 0, 16990, 0,
    0, 0, 0, 16970, 0, 0, 0, 16980, 17000, 570,
    10, 10, 10, 10, 10, 5070, 10, 10, 10, 10,
    0, 0, 17020, 10, 10, 0, 0, 0, 1560, 0,
    180, 0, 10, 0, 0, 0, 0, 10, 0, 0,
    0, 0, 320, 0, 10, 10, 10, 10, 10, 10,
    17040, 17050, 0, 0, 0, 0, 0, 0, 0, 0,
    130, 0, 0, 0, 3820, 0, 0, 0, 0, 0,
    10, 0, 10, 10, 10, 10, 0, 0, 0, 10,
    0, 0, 17060, 0, 17070, 860, 10, 10, 17080, 10,
    0, 10, 0, 0, 0, 0, 0, 0, 10, 10,
    0, 10, 0, 0, 10, 0, 0, 10, 10, 0,
    0, 0, 230, 3140, 7730, 2300, 17100, 180, 180, 17110,
    17120, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 17130, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 7530, 11520, 0, 0,
    0, 10, 0, 0, 0, 10, 0, 10, 0, 0,
    1040, 5520, 4830, 210, 5700, 0, 0, 0, 0, 0,
    290, 720, 250, 250, 250, 250, 250, 0, 0, 0,
    0, 0, 17170, 17180, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 0, 0, 10, 0, 17190, 0, 0,
    17160, 0, 17200, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 390, 1040, 520, 0, 0, 10390,
    0, 0, 0, 0, 0, 10, 10, 0, 0, 10,
    10, 10, 0, 0, 0, 0, 0, 10, 0, 10,
    0, 0, 0, 0, 17230, 4850, 520, 17240, 0, 0,
    0, 0, 0, 10, 10, 310, 6850, 0, 0, 0,
    17220, 0, 0, 0, 17250, 17260, 0, 0, 0, 0,
    3210, 0, 17270, 0, 4850, 2660, 10, 10, 0, 0,
    0, 10, 0, 0, 10, 10, 0, 10, 10, 0,
    0, 0, 310, 170, 3940, 4000, 17290, 3950, 0, 0,
    0, 10, 0, 0, 10, 10, 10, 0, 10, 0,
    0, 10, 0, 0, 0, 0, 10, 0, 0, 10,
    0, 0, 0, 0, 7940, 4000, 17310, 17320, 360, 0,
    17300, 17330, 0, 10, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 10, 0, 10, 10, 0, 0,
    340, 0, 17340, 0, 0, 0, 0, 17350, 10, 10,
    0, 0, 140, 1040, 210, 70, 320, 250, 0, 0,
    0, 0, 17370, 0, 0, 0, 0, 16900, 0, 10460,
    0, 0, 10, 0, 10, 10, 10, 0, 0, 10,
    0, 17390, 0, 0, 0, 0, 0, 0, 0, 0,
    17400, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 10, 0, 10, 10, 10, 0,
    10, 0, 310, 0, 0, 0, 0, 0, 0, 10,
    10, 10, 6800, 10, 0, 10, 10, 180, 10, 310,
    760, 230, 0, 640, 0, 0, 0, 0, 0, 0,
    0, 0, 17420, 17430, 17440, 0, 10, 0, 17450, 0,
    0, 10, 10, 10, 0, 0, 0, 0, 10, 10,
    0, 0, 17470, 10, 10, 10, 10, 100, 10, 10,
    10, 10, 10, 10, 10, 10, 10, 3530, 10, 10,
    0, 0, 1480, 0, 17480, 10, 0, 10, 17490, 2660,
    440, 0, 0, 280, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 17500, 0, 17510, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 2860, 0,
    0, 0, 0, 0, 320, 10, 10, 0, 0, 0,
    200, 0, 0, 10, 10, 0, 0, 0, 0, 0,
    10, 0, 17550, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 17560, 0, 0, 0, 0, 0, 0,
    0, 0, 6100, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 490, 10, 0, 0,
    0, 0, 3780, 17570, 17580, 8380, 0, 17590, 360, 0,
    0, 0, 14630, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 17610, 1470, 0, 0, 290, 10, 5070, 1220,
    10, 0, 0, 10, 10, 320, 10, 10, 10, 10,
    0, 0, 10, 10, 0, 0, 310, 10, 10, 10,
    10, 1470, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 890, 0, 0, 0, 0, 10, 17650, 0,
    10, 10, 10, 10, 10, 440, 0, 0, 0, 0,
    0, 0, 1470, 0, 0, 0, 0, 10, 17670, 0,
    10, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 860, 0, 0, 0, 0, 10, 17690, 0,
    0, 0, 3310, 490, 0, 0, 0, 10, 310, 0,
    0, 0, 440, 0, 0, 0, 0, 10, 310, 0,
    0, 0, 890, 0, 0, 0, 0, 10, 310, 0,
    0, 0, 760, 0, 0, 0, 0, 10, 310, 0,
    0, 0, 310, 0, 0, 0, 0, 10, 310, 0,
    17640, 17660, 17680, 17700, 17710, 17720, 17730, 17730, 17740, 17750,
    10, 0, 0, 10, 10, 10, 10, 10, 0, 100,
    0, 0, 17630, 17760, 0, 17770, 0, 0, 1560, 0,
    10, 0, 10, 0, 10, 10, 10, 0, 10, 10,
    0, 10, 10, 3310, 170, 10, 17790, 1770, 20, 10,
    17800, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 490,
    10, 17820, 0, 0, 0, 0, 0, 0, 0, 0,
    100, 890, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 17810, 0, 0, 0, 0, 760, 17830, 17840,
    0, 0, 0, 0, 0, 0, 0, 1560, 1560, 0,
    0, 0, 0, 310, 0, 1470, 340, 310, 310, 310,
    0, 0, 17870, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 17880, 490, 0, 0, 10, 250, 520, 10,
    0, 0, 0, 0, 0, 0, 0, 290, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 17900, 0, 0,
    0, 0, 3140, 0, 0, 0, 180, 2910, 17910, 0,
    0, 0, 200, 570, 1040, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 760, 10, 10, 10, 10, 10,
    0, 0, 17930, 0, 0, 0, 17940, 0, 360, 0,
    0, 10, 10, 0, 0, 10, 10, 0, 0, 0,
    0, 0, 3210, 2660, 3140, 17960, 10, 500, 270, 0,
    0, 0, 17970, 8960, 7290, 3590, 0, 0, 1560, 10,
    10510, 0, 0, 0, 0, 0, 0, 0, 10, 10,
    0, 0, 200, 0, 0, 0, 0, 0, 0, 17990,
    9490, 9490, 9490, 9490, 9490, 9490, 9490, 9490, 9490, 9490,
    2140, 2140, 2140, 2140, 2140, 2140, 2140, 2140, 2140, 2140,
    18010, 18010, 18010, 18020, 18010, 18010, 18010, 18010, 18010, 18010,
    18020, 18020, 18020, 18020, 18020, 18020, 18020, 18020, 18020, 18020,
    0, 0, 0, 18030, 0, 18040, 0, 0, 0, 0,
    7230, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 11520, 18050, 0, 70, 0, 0, 18060, 18060,
    130, 310, 10, 0, 0, 10, 10, 0, 0, 0,
    3210, 180, 0, 0, 0, 0, 18080, 5510, 0, 0,
    10, 1470, 0, 0, 0, 0, 660, 10, 10, 10,
    0, 0, 0, 0, 310, 6850, 18100, 0, 0, 0,
    0, 10, 18110, 0, 10, 10, 10, 0, 0, 0,
    0, 0, 11080, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 18130, 0, 0, 0, 0, 0, 0, 0,
    18120, 0, 18140, 0, 0, 0, 0, 0, 10000, 0,
    0, 10, 10, 10, 10, 10, 10, 0, 360, 0,
    0, 0, 17900, 0, 0, 0, 0, 0, 0, 0,
    0, 200, 0, 0, 0, 0, 0, 0, 3260, 10390,
    0, 0, 0, 0, 0, 8560, 0, 0, 0, 0,
    6770, 6770, 10, 6770, 6770, 10, 10, 10, 10, 10,
    18200, 18200, 18200, 18200, 18200, 18200, 18200, 18200, 18200, 18200,
    0, 0, 18210, 0, 0, 0, 0, 0, 0, 1770,
    0, 0, 0, 0, 570, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 17230, 250, 0, 0,
    0, 0, 0, 0, 18230, 0, 0, 0, 0, 18240,
    0, 0, 0, 330, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 0, 10, 10, 0, 0,
    100, 10, 0, 0, 0, 10, 0, 0, 10, 10,
    5070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    18290, 0, 0, 0, 0, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 0, 180, 0, 0,
    0, 0, 11210, 0, 4870, 0, 230, 0, 18300, 18310,
    0, 0, 0, 10, 0, 10, 10, 10, 0, 0,
    10, 10, 10, 0, 0, 10, 0, 0, 18330, 0,
    10, 10, 10, 10, 0, 10, 10, 0, 0, 10,
    0, 18340, 0, 0, 0, 0, 0, 0, 0, 18350,
    290, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 0, 0, 10, 10, 10,
    0, 0, 5570, 0, 0, 0, 0, 18380, 1560, 1560,
    0, 1850, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 100, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 440, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 16340, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 4390, 0, 0, 0,
    0, 18410, 18420, 570, 18430, 0, 18440, 0, 0, 0,
    0, 3920, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2360, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 4000, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 0, 10, 10, 0, 10,
    0, 0, 0, 0, 0, 0, 18490, 0, 0, 0,
    0, 10, 10, 0, 10, 10, 10, 10, 0, 10,
    0, 0, 0, 0, 0, 0, 0, 18510, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 310, 0,
    0, 18460, 0, 18470, 18430, 18480, 18500, 18520, 18530, 0,
    0, 0, 18450, 0, 0, 18540, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 0, 10, 10, 10, 0,
    0, 18560, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 10, 0, 10, 0, 10, 10,
    0, 0, 0, 18580, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 2980, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 890, 0, 0, 0, 0,
    10, 10, 0, 0, 10, 0, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 18620, 0, 0, 0,
    0, 18570, 9900, 18590, 18600, 18610, 18630, 0, 0, 0,
    0, 0, 0, 0, 2660, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 4440, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 860, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 270, 0, 0,
    0, 0, 0, 0, 18650, 18660, 18670, 18680, 0, 0,
    0, 0, 0, 18640, 18690, 0, 0, 0, 0, 0,
    10, 10, 10, 0, 10, 10, 10, 10, 0, 0,
    0, 0, 18710, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 270, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 10, 10, 10, 10, 0, 0, 10,
    0, 0, 0, 0, 18740, 0, 0, 0, 0, 0,
    0, 10, 0, 0, 10, 10, 10, 0, 10, 10,
    0, 0, 0, 0, 0, 18760, 0, 0, 0, 0,
    0, 7780, 18720, 18730, 18750, 18770, 5400, 0, 3740, 0,
    0, 0, 100, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 5210, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 3560, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 3220, 0, 0, 0, 0,
    0, 18410, 18790, 18800, 18810, 18820, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 18780, 18830, 0, 0,
    0, 0, 250, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 4540, 0, 0, 0, 0,
    0, 10, 0, 0, 10, 10, 10, 10, 10, 0,
    0, 0, 0, 0, 0, 0, 18870, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 18870, 0, 0,
    0, 0, 18850, 0, 0, 18860, 18880, 18890, 0, 0,
    0, 10, 0, 0, 10, 0, 0, 0, 0, 10,
    0, 18910, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 10, 10, 10, 10, 0, 10,
    0, 0, 18930, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 7470, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 7410, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 270, 0, 0, 0,
    0, 18920, 18940, 18950, 18960, 12440, 18970, 250, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 18900, 18980, 0,
    10, 2660, 3150, 10, 0, 0, 0, 250, 290, 390,
    0, 18400, 18550, 18700, 18840, 18990, 0, 19000, 490, 10,
    0, 10, 0, 10, 10, 0, 0, 0, 4260, 0,
    0, 10, 10, 18560, 440, 4070, 0, 0, 0, 0,
    230, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 70, 230, 0, 0, 0, 10, 10, 0, 19040,
    0, 0, 0, 9940, 340, 0, 10, 3290, 5070, 310,
    0, 2080, 0, 0, 0, 0, 0, 210, 0, 0,
    0, 0, 19070, 0, 0, 0, 0, 250, 0, 0,
    10, 10, 0, 0, 10, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 4830, 1770, 19090, 0, 0, 0,
    0, 0, 310, 0, 16060, 1770, 16490, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 10, 10, 10, 10,
    2660, 10, 740, 19120, 890, 0, 0, 0, 10, 0,
    8320, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    19140, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    380, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    19160, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 19130, 310, 0, 890, 10, 110, 10, 19150, 19170,
    0, 0, 0, 0, 0, 0, 0, 0, 19150, 0,
    5070, 0, 0, 0, 310, 0, 490, 0, 0, 0,
    0, 0, 2360, 0, 180, 0, 3290, 10, 19200, 310,
    0, 0, 0, 0, 1220, 10, 10, 10, 10, 10,
    320, 10, 10, 10, 10, 0, 0, 0, 0, 0,
    10000, 10, 0, 2570, 0, 10, 10, 10, 10, 10,
    10, 10, 19220, 19230, 0, 130, 19240, 10, 0, 0,
    19250, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 10, 0, 10, 10, 310, 0,
    10, 10, 10, 0, 310, 0, 10, 10, 0, 0,
    10, 10, 19270, 19280, 10, 10, 10, 10, 10, 10280,
    500, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    19300, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 19260, 10, 10, 0, 0, 19290, 19310, 19300,
    0, 10, 10, 0, 0, 10, 10, 10, 10, 10,
    0, 0, 2180, 180, 0, 0, 100, 19330, 0, 0,
    0, 10, 0, 10, 10, 760, 10, 3140, 3140, 570,
    0, 0, 19350, 0, 0, 0, 0, 0, 0, 0,
    310, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 19370, 0,
    0, 0, 2580, 0, 0, 6850, 570, 1480, 1560, 6850,
    0, 0, 0, 0, 10, 0, 0, 10, 0, 0,
    0, 0, 0, 10, 10, 0, 10, 10, 0, 0,
    0, 0, 2180, 10, 0, 10, 10, 0, 0, 0,
    0, 0, 10, 0, 19400, 19410, 3470, 19420, 13860, 5630,
    19430, 0, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 19440, 20, 0, 0, 0, 0, 0, 0,
    10, 890, 0, 0, 0, 0, 0, 0, 0, 0,
    4230, 70, 0, 0, 0, 130, 10, 310, 310, 0,
    0, 0, 10, 19460, 0, 0, 0, 0, 340, 19470,
    0, 0, 0, 0, 0, 0, 19480, 0, 0, 0,
    10, 0, 0, 0, 10, 10, 10, 10, 0, 10,
    3260, 5820, 10, 1220, 310, 19120, 10, 10, 0, 19500,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 19510,
    890, 860, 760, 5240, 10, 1470, 890, 7510, 2660, 11200,
    0, 0, 10, 19530, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 19520, 0, 0, 0, 0, 0, 19540,
    0, 0, 860, 520, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 19560,
    19570, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 0, 0, 10, 10, 10,
    10, 5820, 7450, 0, 0, 0, 0, 0, 230, 19590,
    0, 0, 0, 0, 0, 0, 0, 0, 490, 860,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 19610,
    0, 0, 0, 0, 0, 0, 0, 0, 490, 890,
    0, 0, 0, 0, 0, 0, 0, 19630, 0, 0,
    0, 0, 10, 0, 0, 0, 0, 10, 10, 0,
    0, 0, 19650, 7510, 0, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 19660, 0, 0, 0,
    0, 0, 0, 19620, 19640, 0, 0, 19670, 0, 0,
    0, 0, 19490, 0, 0, 0, 19550, 19580, 19600, 19680,
    10, 10, 310, 0, 0, 0, 0, 0, 2660, 0,
    19700, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 19710, 0,
    0, 0, 740, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 7300, 0, 0, 0, 0, 0, 0, 0,
    19730, 0, 0, 0, 200, 3780, 3780, 19740, 0, 10,
    0, 0, 570, 0, 0, 0, 0, 0, 0, 0,
    0, 19760, 0, 0, 0, 0, 0, 0, 0, 200,
    0, 0, 0, 0, 200, 80, 0, 0, 0, 0,
    0, 0, 280, 0, 0, 0, 0, 0, 0, 0,
    0, 15540, 0, 0, 0, 19790, 15540, 15540, 15540, 0,
    0, 10, 10, 100, 0, 180, 0, 10, 10, 490,
    0, 5770, 0, 5770, 5770, 19760, 0, 0, 0, 5770,
    0, 0, 19750, 19770, 0, 19780, 19800, 19810, 19820, 0,
    0, 0, 0, 10, 0, 0, 10, 0, 10, 0,
    0, 3140, 200, 310, 230, 70, 0, 250, 19840, 0,
    0, 0, 0, 0, 0, 0, 19850, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 19860, 0,
    10, 10, 0, 10, 0, 0, 0, 10, 10, 0,
    0, 250, 140, 19880, 130, 0, 390, 740, 0, 0,
    0, 250, 0, 0, 0, 18560, 390, 310, 0, 0,
    0, 250, 10, 230, 0, 0, 16200, 490, 180, 0,
    10, 10, 10, 0, 0, 0, 0, 10, 0, 0,
    10, 10, 290, 0, 0, 0, 10, 0, 0, 0,
    10, 10, 10, 10, 0, 10, 0, 10, 0, 0,
    0, 250, 19920, 0, 19930, 19940, 390, 490, 0, 0,
    0, 250, 380, 0, 0, 0, 390, 490, 0, 0,
    0, 250, 1070, 360, 200, 0, 390, 490, 0, 0,
    0, 250, 6970, 280, 0, 0, 340, 490, 0, 0,
    0, 19890, 19900, 19910, 19950, 19960, 19970, 19980, 0, 0,
    0, 0, 0, 0, 0, 0, 19990, 0, 6190, 0,
    0, 0, 0, 0, 0, 230, 0, 0, 0, 0,
    10, 0, 10, 10, 0, 0, 0, 10, 0, 0,
    0, 0, 20020, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 250, 0, 180, 4530, 0, 0, 0, 0,
    0, 0, 13620, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 290, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 8880, 310, 0, 0, 0, 0, 0, 0,
    10, 4590, 20010, 20030, 20040, 20050, 20060, 20070, 0, 0,
    180, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 0, 20090, 0, 0,
    0, 0, 0, 0, 0, 0, 20080, 0, 20100, 0,
    0, 20, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 13930, 3140, 180, 0, 0, 0, 250, 340, 340,
    17960, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    20140, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 0, 10, 10, 0, 20150, 0,
    0, 490, 0, 180, 10, 760, 10, 520, 390, 10,
    0, 10, 270, 0, 70, 10, 10, 10, 1470, 10,
    0, 0, 0, 310, 200, 180, 10, 10, 310, 10,
    10, 0, 0, 10, 10, 0, 0, 0, 0, 0,
    490, 1040, 20200, 10, 10, 490, 490, 10, 10, 10,
    490, 0, 10, 310, 310, 10, 7300, 0, 10, 0,
    0, 0, 20170, 20180, 20190, 20210, 20220, 0, 0, 310,
    3990, 3290, 10, 2660, 0, 0, 0, 0, 0, 0,
    10, 20240, 440, 10, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 10, 10, 10, 10, 10, 20250,
    0, 0, 0, 0, 0, 0, 0, 20260, 0, 0,
    4130, 0, 0, 0, 0, 0, 0, 0, 1560, 0,
    4130, 0, 2080, 2080, 0, 0, 0, 19120, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1560,
    0, 0, 0, 10, 10, 0, 0, 2440, 10, 0,
    0, 0, 10, 0, 0, 10, 10, 0, 0, 10,
    0, 10, 0, 0, 10, 0, 10, 0, 0, 0,
    0, 5330, 310, 0, 310, 70, 20330, 500, 0, 0,
    0, 20340, 0, 0, 0, 0, 0, 10, 10, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 10, 310,
    180, 0, 10, 0, 0, 0, 10, 0, 100, 10,
    310, 0, 200, 310, 760, 0, 10, 0, 0, 10,
    10, 0, 0, 0, 0, 0, 0, 10, 0, 0,
    0, 0, 0, 10, 10, 0, 0, 20390, 0, 0,
    310, 0, 0, 0, 0, 0, 210, 0, 0, 1900,
    0, 0, 20360, 0, 0, 20370, 20380, 20400, 1560, 20410,
    0, 0, 10, 0, 0, 10, 0, 10, 10, 10,
    20430, 10, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 3570, 4030, 3570, 3570, 3570, 0, 0, 0, 10,
    20450, 10, 0, 0, 0, 0, 10, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 15980, 100, 20440, 20460,
    0, 390, 10, 100, 10, 10, 100, 310, 10, 10,
    10, 0, 10, 490, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 2110, 0, 0, 10000,
    20490, 20500, 2080, 0, 0, 0, 0, 0, 0, 0,
    10, 130, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 20520, 0, 0, 0, 0,
    0, 10, 20530, 0, 10, 0, 10, 10, 10, 0,
    0, 490, 0, 0, 0, 0, 10, 0, 0, 0,
    20550, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 20510, 0, 0, 20540, 20560, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 570,
    0, 0, 0, 0, 0, 0, 20580, 0, 0, 0,
    0, 10, 10, 3220, 4890, 100, 10260, 100, 3820, 17960,
    10, 0, 0, 10, 10, 0, 0, 0, 0, 10,
    10, 0, 0, 20610, 390, 0, 0, 0, 0, 10,
    0, 0, 20620, 10, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 0, 0, 0, 10, 10, 20630,
    10, 0, 0, 20200, 10, 0, 0, 0, 0, 10,
    0, 0, 20650, 10, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 20660,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 20630,
    310, 0, 0, 0, 0, 0, 0, 0, 360, 390,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 20690,
    20640, 0, 11520, 20670, 1530, 20670, 20680, 0, 20700, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 290,
    0, 0, 0, 15770, 0, 20720, 0, 10, 4960, 0,
    0, 0, 10, 10, 10, 0, 0, 10, 0, 0,
    0, 10, 10, 10, 0, 0, 0, 10, 0, 0,
    3910, 20740, 20750, 0, 0, 0, 0, 0, 0, 0,
    20730, 0, 0, 0, 0, 0, 20760, 0, 0, 0,
    0, 10, 0, 0, 0, 10, 0, 10, 0, 10,
    10, 0, 10, 0, 0, 0, 0, 0, 10, 20780,
    0, 0, 0, 0, 13590, 0, 0, 0, 0, 0,
    20790, 0, 0, 0, 0, 0, 0, 0, 20800, 0,
    0, 10, 10, 10, 18530, 0, 10, 0, 0, 0,
    0, 20590, 20600, 310, 0, 0, 20710, 20770, 20810, 20820,
    0, 0, 10, 10, 10, 10, 0, 10, 0, 10,
    0, 0, 380, 10, 10, 10, 0, 10, 3310, 20840,
    8690, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    20, 10, 0, 10, 10, 10, 10, 10, 10, 10,
    340, 0, 10, 10, 10, 10, 0, 10, 0, 10,
    0, 0, 20860, 10, 10, 10, 0, 10, 20870, 20880,
    3220, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    10580, 0, 10, 10, 10, 10, 0, 10, 0, 10,
    0, 0, 20900, 10, 10, 10, 0, 10, 3310, 20910,
    0, 10, 0, 0, 0, 0, 0, 0, 10, 0,
    0, 10, 0, 0, 0, 10, 10, 0, 10, 0,
    0, 10, 10, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 20930, 0, 0, 20940, 20930, 17100, 180, 20950,
    0, 0, 20860, 10, 10, 10, 20960, 10, 20870, 20880,
    0, 0, 20, 10, 10, 10, 0, 10, 20870, 20880,
    0, 0, 2110, 0, 250, 360, 18380, 0, 0, 6930,
    4220, 0, 0, 0, 0, 10, 0, 0, 0, 0,
    210, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 180, 0, 21000, 21010, 180, 0, 0, 180,
    310, 10, 0, 0, 10, 0, 10, 0, 0, 0,
    0, 360, 200, 10, 0, 10, 10, 10, 10, 10,
    0, 10, 2300, 0, 16730, 11220, 4850, 21030, 21040, 2980,
    0, 2360, 310, 310, 310, 310, 310, 310, 310, 2970,
    310, 0, 0, 0, 0, 310, 0, 0, 0, 310,
    0, 0, 0, 0, 0, 21060, 0, 0, 21070, 0,
    0, 0, 0, 70, 0, 70, 70, 70, 10, 70,
    0, 21080, 0, 0, 360, 0, 0, 0, 21090, 0,
    10, 10, 10, 0, 10, 10, 10, 0, 0, 10,
    10, 10, 10, 0, 10, 10, 0, 0, 10, 10,
    10, 10, 10, 0, 10, 10, 10, 10, 0, 10,
    0, 21110, 440, 2660, 21120, 7470, 10, 2660, 11100, 21130,
    10, 0, 10, 0, 0, 10, 0, 10, 10, 0,
    10, 0, 0, 10, 10, 10, 10, 10, 0, 0,
    10, 10, 10, 0, 0, 10, 0, 10, 10, 0,
    70, 10, 21150, 7020, 21160, 10, 10, 21170, 3290, 16560,
    10, 0, 10, 0, 0, 0, 10, 10, 10, 10,
    10, 10, 0, 0, 10, 0, 10, 10, 0, 10,
    10, 10, 0, 0, 0, 10, 0, 0, 0, 10,
    0, 170, 890, 21190, 21200, 21210, 4440, 310, 1280, 10,
    0, 0, 0, 0, 0, 3680, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 0, 0, 0, 10,
    10, 0, 21240, 10, 10, 10, 10, 20950, 13560, 10,
    10, 10, 0, 0, 0, 10, 10, 10, 0, 10,
    0, 10, 0, 10, 0, 10, 10, 10, 0, 10,
    0, 0, 10, 0, 0, 10, 10, 10, 0, 10,
    10, 10, 10, 10, 0, 10, 10, 10, 0, 0,
    10, 1200, 21260, 21270, 4030, 21280, 0, 20750, 21290, 0,
    0, 0, 0, 0, 10, 0, 0, 0, 10, 0,
    21300, 0, 0, 0, 0, 21310, 0, 0, 0, 0,
    0, 0, 0, 0, 21140, 21180, 21220, 21230, 21250, 21320,
    0, 0, 0, 0, 0, 0, 0, 0, 4620, 0,
    0, 0, 0, 21340, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 100, 0,
    21360, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    12070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 21370, 21380,
    0, 1620, 20, 20, 20, 20, 1620, 1620, 1620, 1620,
    0, 310, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 760, 0, 0, 0, 0,
    21420, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 20, 20, 21410, 21430, 10, 20, 20, 20,
    20, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    21450, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 21400, 21400, 21440, 21400, 0, 21460, 21400, 0,
    0, 0, 0, 0, 0, 0, 0, 20, 20, 10,
    0, 0, 0, 0, 0, 0, 21480, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 0, 0, 0, 10,
    0, 10, 0, 670, 0, 0, 21500, 0, 0, 10,
    21510, 10, 10, 10, 0, 10, 310, 10, 0, 0,
    0, 0, 0, 0, 0, 12440, 0, 0, 0, 0,
    0, 0, 0, 250, 570, 0, 0, 0, 0, 0,
    21540, 10, 0, 0, 0, 0, 10, 310, 0, 12190,
    270, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    21560, 21560, 21560, 21560, 21560, 21560, 21560, 21560, 21560, 21560,
    21550, 21570, 21570, 0, 0, 0, 0, 0, 0, 0,
    0, 250, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 21590, 8280, 0, 0, 0, 0, 10, 0, 10,
    200, 0, 0, 10, 10, 0, 10, 10, 0, 0,
    21610, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    21620, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 320,
    0, 500, 0, 0, 0, 0, 0, 0, 390, 250,
    0, 0, 10, 0, 0, 0, 21640, 0, 21650, 10,
    0, 0, 21520, 21530, 0, 21580, 0, 21600, 21630, 21660,
    310, 0, 0, 0, 0, 0, 0, 10, 0, 0,
    1220, 310, 0, 0, 10, 10, 10, 10, 0, 10,
    0, 0, 1180, 0, 0, 310, 0, 21680, 310, 21690,
    4810, 10, 10, 10, 10, 10, 10, 10, 10, 0,
    310, 10, 10, 10, 10, 10, 10, 10, 10, 0,
    0, 7310, 21710, 170, 0, 170, 170, 0, 170, 21720,
    10, 0, 0, 170, 170, 170, 170, 170, 170, 170,
    0, 0, 0, 0, 0, 6750, 0, 0, 0, 0,
    0, 21740, 10, 10, 2660, 2660, 170, 21750, 170, 21720,
    0, 21740, 10, 10, 2660, 2660, 170, 21750, 21720, 21720,
    760, 10, 10, 10, 10, 10, 10, 10, 10, 0,
    10, 10, 10, 10, 10, 10, 0, 0, 0, 390,
    21790, 0, 0, 0, 0, 6750, 0, 0, 0, 0,
    0, 21740, 10, 10, 2660, 2660, 21780, 21800, 21720, 21720,
    21790, 10, 0, 0, 0, 6750, 0, 0, 0, 0,
    0, 21740, 10, 10, 2660, 2660, 21780, 21820, 21720, 21720,
    3950, 0, 0, 10, 0, 6750, 0, 0, 0, 0,
    0, 310, 1220, 1220, 2660, 310, 18370, 21840, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 21560, 0, 0,
    0, 10, 10, 1850, 10, 10, 10, 10, 0, 0,
    0, 0, 10, 10, 21870, 100, 10, 10, 1850, 3210,
    310, 10, 10, 10, 10, 10, 10, 0, 0, 0,
    0, 0, 10, 10, 3210, 100, 10, 10, 21890, 440,
    0, 0, 0, 0, 0, 0, 0, 0, 10, 720,
    0, 0, 0, 0, 0, 0, 0, 0, 2140, 21910,
    10, 0, 0, 0, 0, 10, 10, 10, 0, 0,
    21930, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    7110, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    5240, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 17110, 3920, 200, 10, 21940, 21950, 21960,
    0, 0, 10, 0, 0, 0, 10, 0, 490, 310,
    0, 0, 10, 10, 0, 10, 0, 0, 10, 10,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 70,
    10, 10, 10, 10, 10, 0, 0, 10, 10, 0,
    0, 0, 0, 0, 130, 11080, 0, 0, 0, 0,
    10, 22000, 10, 0, 0, 22010, 22020, 0, 0, 0,
    21450, 0, 0, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 0, 21990, 1510, 22030, 10, 100, 22040, 1560,
    310, 10, 0, 0, 0, 0, 0, 10, 10, 0,
    22060, 0, 0, 10, 10, 10, 10, 10, 10, 10,
    1180, 10, 0, 0, 0, 0, 0, 0, 0, 0,
    22070, 22080, 10, 10, 10, 10, 10, 10, 0, 10,
    310, 0, 0, 0, 10, 0, 0, 0, 0, 0,
    22100, 10, 10, 10, 10, 10, 10, 10, 0, 0,
    22110, 10, 10, 1480, 10, 10, 10, 10, 15360, 10,
    20090, 22090, 22120, 10, 10, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 310, 10, 0, 10000, 22130, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 11740, 0,
    0, 0, 10, 0, 0, 10, 0, 10, 0, 0,
    0, 0, 0, 570, 0, 22160, 200, 0, 0, 0,
    10, 0, 0, 10, 0, 0, 0, 0, 10, 0,
    22180, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2380, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 100, 10, 0, 22170, 10, 2210, 22190, 22200,
    0, 0, 4870, 170, 6970, 140, 100, 0, 3210, 0,
    0, 200, 200, 10, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 10, 10, 0, 0, 10, 0, 10,
    0, 0, 330, 1480, 380, 1630, 10, 10, 10, 760,
    22250, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    130, 0, 0, 0, 0, 0, 0, 0, 10, 0,
    4090, 10, 0, 10, 10, 10, 10, 10, 10, 10,
    0, 3720, 22220, 22230, 22240, 70, 22260, 250, 22270, 22280,
    0, 270, 10, 0, 10, 0, 8880, 0, 0, 3210,
    0, 0, 10, 10, 3210, 10, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 22300, 22310, 10, 0, 0,
    0, 0, 10, 3290, 10, 100, 10, 0, 0, 0,
    0, 0, 10, 10, 2660, 10, 0, 0, 0, 0,
    10, 0, 10, 10, 10, 10, 10, 10, 0, 10,
    10, 0, 10, 0, 10, 10, 10, 10, 0, 0,
    0, 0, 10, 22350, 22360, 21160, 10, 0, 0, 0,
    0, 22330, 22340, 22370, 390, 1200, 0, 0, 0, 100,
    0, 22320, 22380, 570, 230, 0, 0, 0, 1560, 0,
    280, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 22400, 2860,
    0, 0, 0, 0, 0, 0, 0, 0, 3780, 0,
    0, 16030, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 15920, 0, 0, 0,
    0, 0, 0, 0, 10, 100, 10, 0, 0, 0,
    310, 0, 0, 0, 0, 0, 0, 310, 0, 0,
    10, 0, 10, 10, 10, 0, 0, 10, 10, 10,
    0, 0, 0, 10, 22450, 0, 0, 0, 22460, 22470,
    0, 10, 0, 0, 0, 10, 0, 0, 10, 0,
    0, 10, 0, 0, 0, 0, 0, 10, 10, 0,
    0, 0, 0, 0, 0, 22490, 16330, 22500, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 6010, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 22520,
    0, 0, 0, 0, 22530, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 22540, 0, 0, 0, 0,
    22550, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 0, 10, 0, 10, 0, 310,
    0, 10, 10, 10, 10, 10, 0, 10, 0, 10,
    7640, 0, 0, 0, 0, 0, 0, 0, 0, 22580,
    6430, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    22600, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 0, 100, 4350, 440, 100, 22570, 22590, 22610,
    7640, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    22600, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 22630, 22640,
    10, 0, 0, 0, 0, 0, 10, 0, 10, 0,
    10, 10, 0, 0, 0, 0, 10, 0, 0, 10,
    22670, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 22660, 1560, 22680,
    20, 100, 20, 20, 20, 20, 20, 20, 20, 20,
    20, 0, 10, 10, 10, 10, 10, 10, 10, 10,
    20, 20, 20, 22710, 20, 20, 20, 20, 22710, 22710,
    20, 20, 20, 20, 20, 20, 20, 20, 20, 22710,
    0, 22700, 22720, 22730, 0, 0, 0, 22660, 1560, 22680,
    0, 22700, 22720, 22730, 0, 0, 800, 22660, 1560, 22680,
    0, 22700, 22720, 22730, 0, 0, 10, 22660, 1560, 22680,
    0, 22700, 22720, 22730, 0, 0, 250, 22660, 1560, 22680,
    0, 22700, 22720, 22730, 0, 0, 0, 300, 1560, 0,
    2360, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    140, 140, 140, 15380, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 0, 10, 0, 10, 10, 0, 0,
    18270, 22810, 0, 0, 0, 0, 0, 0, 0, 0,
    22810, 15380, 18270, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 4640, 0, 0, 3720, 10, 10, 10,
    0, 10, 10, 10, 10, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 0, 0, 0, 100, 22850, 0,
    21170, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 20940, 22500, 0, 0, 0, 0,
    0, 0, 22790, 22800, 22820, 22830, 22840, 22860, 22870, 22880,
    390, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 22900, 0,
    0, 0, 340, 340, 780, 0, 0, 0, 1560, 1560,
    0, 0, 0, 0, 0, 0, 0, 0, 310, 310,
    0, 0, 22930, 20360, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 490, 0, 310, 0,
    10, 10, 10, 0, 10, 10, 0, 0, 0, 10,
    0, 10, 860, 270, 22470, 500, 22960, 4830, 310, 360,
    10, 10, 0, 0, 230, 70, 0, 250, 0, 1200,
    10, 0, 0, 0, 0, 22980, 10, 10, 0, 10,
    100, 10, 10, 0, 0, 10, 0, 22990, 10, 10,
    0, 0, 860, 270, 22470, 500, 200, 0, 310, 23000,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 500,
    0, 0, 0, 0, 0, 0, 0, 0, 23020, 0,
    10, 0, 0, 0, 0, 0, 0, 0, 0, 500,
    0, 0, 0, 0, 0, 0, 0, 0, 23040, 310,
    0, 10, 0, 0, 0, 1070, 490, 10, 10, 0,
    0, 0, 0, 0, 10, 23060, 0, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 10, 10, 10280, 0,
    10, 10, 10, 0, 10, 0, 0, 0, 10, 10,
    10, 0, 19590, 0, 0, 0, 0, 0, 23090, 0,
    0, 0, 0, 10, 0, 0, 0, 0, 10, 10,
    10, 23080, 23100, 23110, 0, 0, 0, 0, 0, 500,
    0, 2360, 2360, 2660, 2660, 100, 23070, 2660, 23120, 310,
    0, 0, 0, 0, 10, 10, 0, 10, 0, 10,
    0, 0, 10, 10, 10, 0, 10, 0, 10, 10,
    0, 0, 10, 0, 10, 10, 0, 10, 10, 10,
    20, 23140, 2110, 2110, 23150, 20, 20, 20, 23160, 20,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 20840,
    0, 0, 10, 10, 10, 0, 10, 10, 0, 10,
    7920, 20, 23190, 20, 16990, 4710, 23190, 6970, 23190, 23150,
    10, 10, 310, 310, 10, 310, 10, 0, 0, 0,
    0, 0, 1470, 23210, 0, 310, 310, 0, 0, 0,
    23220, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 23170, 23180, 23200, 4920, 23230, 7110, 790,
    0, 0, 0, 10, 310, 0, 0, 0, 0, 0,
    23250, 0, 0, 0, 230, 0, 0, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 23260, 0, 0, 0,
    10, 10, 310, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 6950, 23280, 3830, 200, 0,
    0, 0, 10, 10, 230, 10, 10, 1560, 10, 0,
    0, 5590, 5800, 5800, 23300, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 10, 10, 10, 1560, 10, 0,
    0, 0, 10, 0, 6100, 10, 10, 1560, 10, 0,
    0, 0, 10, 0, 6100, 10, 10, 10, 10, 0,
    0, 0, 10, 0, 10, 10, 10, 1560, 10, 0,
    0, 0, 0, 0, 10, 10, 10, 0, 10, 0,
    0, 0, 5800, 23320, 5590, 23330, 23340, 23350, 23360, 0,
    0, 10, 10, 10, 10, 8380, 490, 10, 10, 0,
    10, 10, 0, 0, 250, 10, 0, 10, 10, 0,
    0, 0, 10, 0, 0, 0, 310, 23390, 0, 0,
    11270, 11270, 10, 10, 10, 490, 0, 16930, 0, 11270,
    10, 10, 10, 23380, 23400, 10, 10, 10, 10, 23410,
    0, 0, 23290, 23310, 23370, 10, 0, 23420, 10, 0,
    10, 10, 10, 10, 10, 10, 310, 0, 0, 0,
    23440, 390, 10, 10, 0, 0, 0, 10, 0, 10,
    310, 10, 0, 10, 10, 0, 0, 0, 0, 0,
    10, 0, 10, 10, 10, 0, 10, 0, 0, 0,
    8590, 310, 0, 0, 0, 10, 10, 23470, 0, 0,
    0, 0, 10, 8860, 2210, 3990, 7640, 23450, 23460, 23480,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 13530,
    0, 320, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 5440, 5440, 5440, 5440, 5440, 5440, 5440, 5440, 0,
    0, 0, 23510, 23520, 23520, 23520, 0, 0, 0, 0,
    0, 23510, 23510, 23510, 23510, 23510, 23510, 23510, 23510, 0,
    15920, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 5440, 23540, 23540, 23540, 0, 0, 0, 23550,
    0, 270, 10, 0, 0, 0, 0, 0, 0, 0,
    23570, 0, 0, 0, 0, 130, 0, 0, 0, 890,
    310, 390, 0, 0, 0, 10, 10, 10, 10, 10,
    10, 0, 0, 10, 10, 10, 0, 10, 10, 10,
    10, 110, 0, 0, 23600, 10, 10, 10, 10, 0,
    0, 0, 20, 170, 170, 170, 23580, 0, 23590, 23610,
    180, 5460, 4640, 10, 0, 0, 6940, 0, 0, 300,
    10, 10, 0, 10, 0, 10, 10, 10, 0, 0,
    10, 0, 0, 0, 10, 0, 0, 0, 10, 0,
    10, 0, 10, 0, 0, 0, 10, 0, 0, 10,
    0, 0, 310, 570, 310, 0, 0, 23640, 23650, 23660,
    0, 0, 0, 10, 200, 290, 0, 10, 10, 10,
    0, 0, 13880, 0, 0, 0, 0, 0, 0, 0,
    23690, 0, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 360, 0, 0, 0, 0, 0, 250, 0,
    23710, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    23700, 0, 0, 0, 0, 0, 0, 23720, 0, 0,
    0, 0, 10, 0, 0, 10, 0, 0, 10, 0,
    0, 0, 23740, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 570, 4000, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 7280, 0, 0, 0,
    23750, 23760, 0, 0, 0, 0, 23770, 0, 0, 0,
    23780, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 23630, 23670, 0, 0, 0, 23680, 23730, 23790,
    10, 490, 10, 2140, 10, 10, 10, 90, 10, 0,
    0, 0, 0, 0, 200, 290, 0, 10, 10, 0,
    0, 0, 0, 0, 0, 0, 0, 23820, 0, 0,
    0, 0, 0, 0, 1480, 10, 23810, 0, 0, 23830,
    4140, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 23840, 0, 23850, 0,
    10, 0, 10, 290, 0, 0, 310, 0, 310, 0,
    10, 0, 10, 0, 0, 0, 310, 0, 310, 0,
    10, 0, 10, 200, 0, 0, 310, 0, 310, 0,
    0, 0, 23870, 23880, 23880, 23880, 21290, 23890, 23880, 0,
    0, 0, 20, 10, 10, 10, 20, 20, 2570, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 490, 10,
    0, 23920, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 10230, 1560,
    0, 0, 100, 0, 0, 10, 10, 10, 0, 0,
    0, 0, 10, 0, 10, 10, 0, 0, 10, 0,
    10, 10, 0, 10, 0, 10, 10, 0, 10, 10,
    10, 10, 0, 10, 10, 0, 10, 10, 10, 10,
    21240, 100, 10, 10, 8320, 1110, 23960, 23970, 23980, 760,
    0, 0, 0, 10, 10, 10, 0, 0, 0, 10,
    4510, 0, 24000, 3990, 7470, 11150, 0, 0, 310, 0,
    0, 0, 10, 10, 0, 10, 0, 10, 10, 10,
    10, 0, 0, 10, 10, 10, 0, 0, 10, 0,
    10, 10, 0, 0, 10, 10, 10, 0, 0, 10,
    24020, 1850, 0, 0, 24030, 10, 24040, 2980, 310, 0,
    10, 0, 0, 0, 0, 0, 10, 10, 0, 0,
    10, 0, 0, 0, 10, 0, 0, 10, 0, 0,
    10, 250, 24060, 24070, 8770, 10, 10, 2660, 2660, 490,
    1200, 0, 490, 0, 0, 0, 470, 380, 20200, 180,
    10, 10, 10, 10, 0, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 390, 24100, 4340,
    0, 0, 23990, 0, 24010, 24050, 24080, 24090, 24110, 0,
    0, 0, 24120, 10, 0, 0, 0, 10, 10, 10,
    2860, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 24140, 0,
    0, 0, 0, 0, 0, 440, 0, 10, 10, 0,
    0, 0, 310, 16830, 11580, 4540, 0, 250, 100, 21500,
    0, 4130, 10, 0, 0, 24160, 24170, 6850, 10, 0,
    860, 310, 0, 0, 0, 0, 0, 0, 0, 0,
    24190, 10, 10, 0, 10, 10, 10, 10, 0, 0,
    10, 1560, 0, 0, 0, 0, 0, 10, 0, 0,
    10230, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 24220, 0, 0, 0, 0,
    0, 0, 24200, 23850, 10, 24210, 24230, 860, 780, 0,
    21500, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1560, 24250,
    10, 10, 0, 0, 10, 0, 0, 10, 0, 10,
    10, 10, 0, 10, 0, 0, 0, 10, 0, 0,
    10, 10, 0, 0, 0, 10, 0, 0, 10, 0,
    0, 0, 10, 10, 0, 10, 0, 0, 10, 0,
    0, 10, 0, 10, 0, 0, 0, 0, 10, 10,
    10, 24270, 550, 24280, 5660, 4540, 24290, 540, 24300, 24310,
    10, 10, 1470, 570, 10, 1470, 22660, 10, 10, 10,
    310, 0, 0, 7020, 10, 0, 0, 420, 0, 0,
    10, 10, 440, 0, 0, 310, 310, 390, 0, 0,
    10, 10, 10, 0, 0, 0, 10, 10, 10, 0,
    1220, 0, 24360, 7300, 2980, 19120, 7450, 110, 2990, 310,
    10, 10, 10, 0, 10, 10, 10, 0, 10, 10,
    0, 0, 10, 10, 0, 0, 0, 10, 10, 0,
    1220, 490, 16200, 10, 24380, 3170, 310, 24390, 13920, 0,
    10, 10, 10, 10, 0, 10, 10, 10, 10, 0,
    10, 0, 0, 10, 0, 0, 10, 10, 10, 10,
    10, 0, 0, 0, 10, 10, 0, 10, 10, 10,
    19120, 24410, 24420, 1240, 310, 24430, 19120, 1460, 8660, 10,
    0, 24320, 10, 24330, 24340, 24350, 0, 24370, 24400, 24440,
    0, 0, 0, 0, 0, 0, 10, 0, 1560, 0,
    0, 0, 0, 0, 1470, 890, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 24470, 0,
    24480, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 24490, 16580, 0,
    0, 0, 10, 0, 0, 270, 0, 0, 180, 18910,
    0, 0, 0, 0, 0, 10, 10, 0, 10, 0,
    10, 10, 10, 10, 0, 10, 0, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 130, 130, 24530, 10,
    0, 0, 24510, 10, 10, 24520, 0, 0, 10, 24540,
    10, 0, 0, 0, 0, 0, 0, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 800, 24560, 10, 10,
    24570, 0, 0, 0, 0, 0, 0, 0, 250, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 24580,
    0, 0, 20, 1470, 0, 0, 0, 0, 0, 0,
    10, 24600, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 24610,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 2570,
    24630, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 520,
    0, 0, 0, 0, 0, 0, 0, 18610, 0, 0,
    0, 0, 0, 0, 0, 0, 4750, 0, 0, 0,
    0, 0, 0, 24650, 24660, 0, 0, 24670, 0, 0,
    0, 0, 0, 0, 0, 24590, 24620, 24640, 16580, 24680,
    0, 180, 10, 0, 0, 10, 0, 0, 10, 320,
    0, 200, 10, 0, 0, 0, 0, 0, 0, 870,
    0, 0, 870, 390, 0, 0, 200, 0, 0, 0,
    0, 0, 10, 0, 0, 24700, 24710, 0, 24720, 0,
    0, 0, 0, 0, 0, 0, 10, 0, 4220, 0,
    0, 0, 70, 0, 200, 22160, 0, 0, 290, 4530,
    0, 0, 10, 8880, 13580, 4220, 1180, 10, 0, 0,
    0, 0, 0, 10, 24740, 0, 0, 0, 24750, 24760,
    0, 180, 10, 0, 10, 0, 10, 200, 10, 10,
    0, 0, 0, 0, 10, 0, 24780, 0, 0, 0,
    0, 0, 24730, 24770, 24790, 20390, 10, 10, 0, 0,
    0, 20390, 0, 0, 0, 0, 0, 0, 0, 0,
    24810, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    24820, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 24830, 0,
    0, 660, 3290, 670, 0, 780, 10, 3260, 390, 0,
    0, 0, 6770, 10, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 0, 10, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 24870, 1070, 0, 0, 0, 0,
    890, 7450, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 4460, 540, 0,
    310, 0, 0, 0, 0, 0, 13880, 0, 360, 390,
    3620, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 24850, 24860, 24880, 24890, 10, 24900, 24910, 24920,
    0, 0, 10, 10, 10, 10, 10, 10, 15920, 0,
    0, 0, 24940, 24940, 24940, 24940, 24940, 24940, 0, 0,
    10, 10, 10, 10, 760, 0, 10, 10, 10, 10,
    0, 0, 0, 16580, 0, 340, 24960, 340, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 24970,
    0, 17860, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 1470, 10, 10, 10, 660, 860, 0, 310, 10,
    0, 0, 0, 0, 25000, 0, 0, 0, 360, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25010,
    10, 10, 10, 2660, 10, 0, 0, 0, 0, 10,
    0, 0, 0, 0, 25030, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25040,
    0, 0, 0, 860, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25060,
    25070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 890, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 25090, 0, 0,
    0, 0, 0, 20720, 25100, 0, 0, 290, 0, 0,
    0, 0, 0, 0, 0, 25020, 25050, 25080, 16580, 25110,
    0, 0, 0, 310, 0, 0, 310, 310, 310, 310,
    10, 0, 10, 0, 0, 0, 0, 0, 10, 10,
    0, 0, 10, 0, 10, 0, 10, 10, 10, 0,
    0, 0, 0, 25140, 25150, 0, 490, 860, 15980, 310,
    10, 10, 23360, 0, 10, 10, 10, 13760, 10, 270,
    0, 10, 0, 0, 0, 0, 10, 10, 0, 0,
    10, 360, 10, 25180, 5520, 180, 10, 10, 10, 10,
    10, 10, 10, 3140, 10, 2300, 10, 10, 10, 5690,
    10, 10, 10, 10, 10, 4590, 0, 0, 0, 0,
    10, 10, 0, 500, 230, 0, 0, 170, 0, 0,
    10, 10, 10, 10, 130, 10, 3950, 70, 2660, 0,
    10, 10, 10, 10, 0, 360, 10, 0, 0, 0,
    0, 0, 25170, 25190, 25200, 25210, 25220, 25230, 25240, 310,
    2570, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 0, 360, 10, 25260, 0, 0,
    310, 10, 10, 10, 10, 10, 10, 10, 180, 0,
    10, 0, 0, 0, 0, 180, 640, 1850, 25280, 270,
    0, 0, 25170, 25190, 25200, 25210, 25220, 25230, 25270, 25290,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4130,
    10, 4540, 2140, 10, 10, 10, 10, 10, 5240, 1460,
    0, 0, 0, 0, 0, 0, 25320, 0, 390, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25330,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 12490,
    25350, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 860, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25370,
    0, 0, 0, 0, 0, 0, 320, 0, 0, 0,
    0, 0, 0, 25380, 11270, 0, 0, 25390, 0, 0,
    0, 0, 0, 0, 0, 25340, 21640, 25360, 16580, 25400,
    0, 0, 500, 440, 10, 2360, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 5070, 1770, 10, 490,
    230, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    25440, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    25450, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    4540, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2660, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    25450, 0, 0, 0, 4140, 0, 0, 0, 25470, 25480,
    0, 0, 310, 0, 0, 0, 0, 0, 250, 250,
    0, 0, 0, 0, 0, 0, 0, 3830, 0, 25500,
    25450, 25510, 10, 0, 140, 0, 0, 0, 0, 100,
    0, 0, 0, 0, 4140, 0, 0, 0, 25470, 25480,
    0, 25510, 10, 0, 140, 0, 0, 0, 0, 100,
    0, 0, 0, 0, 0, 0, 0, 0, 2660, 17290,
    0, 25550, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 10, 310, 0, 0,
    0, 25570, 0, 0, 0, 0, 0, 0, 0, 0,
    490, 4510, 4540, 0, 0, 310, 0, 20390, 10, 2380,
    0, 0, 0, 25560, 25580, 0, 10000, 25590, 0, 0,
    0, 0, 0, 1470, 4000, 0, 10, 0, 0, 0,
    10, 10, 10, 490, 10, 10, 10, 10, 0, 0,
    0, 0, 740, 380, 2990, 0, 5650, 250, 2140, 0,
    0, 0, 0, 2030, 10, 0, 10, 490, 4070, 0,
    0, 0, 0, 0, 25610, 25620, 1480, 25630, 25640, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 25650,
    0, 0, 270, 100, 670, 0, 0, 310, 310, 310,
    0, 0, 0, 0, 0, 0, 0, 2360, 0, 0,
    290, 250, 360, 390, 10, 0, 0, 0, 0, 0,
    10, 10, 10, 0, 0, 10, 0, 0, 10, 0,
    0, 25690, 0, 25700, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 780, 0, 0, 0, 0,
    0, 0, 11520, 0, 13840, 25720, 2630, 11270, 10, 8390,
    10, 10, 0, 0, 0, 10, 10, 0, 10, 0,
    440, 0, 0, 0, 0, 0, 0, 25740, 0, 0,
    0, 0, 0, 0, 100, 0, 0, 0, 0, 0,
    10, 0, 10, 10, 10, 0, 10, 10, 10, 10,
    0, 0, 0, 0, 0, 25770, 0, 0, 0, 0,
    0, 18530, 25750, 760, 22160, 870, 25760, 0, 25780, 330,
    0, 0, 0, 0, 0, 0, 0, 10, 3160, 0,
    0, 0, 10, 2660, 130, 310, 1220, 21110, 4540, 0,
    0, 0, 0, 0, 1470, 10, 0, 0, 0, 0,
    0, 10, 0, 0, 0, 10, 10, 10, 10, 10,
    10, 0, 0, 90, 0, 0, 0, 0, 25830, 10,
    4130, 0, 0, 0, 0, 25820, 25840, 10, 470, 8390,
    0, 780, 10, 10, 7110, 860, 7510, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 340, 100, 2990, 10,
    10, 0, 0, 10, 10, 10, 10, 10, 2660, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 2990, 0,
    0, 20930, 0, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 380, 25880, 25890, 0, 0, 0, 25900, 0,
    10, 490, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 0, 440, 10, 25920,
    570, 0, 10, 0, 0, 10, 10, 10, 0, 0,
    0, 0, 10, 890, 70, 25740, 25940, 10, 6750, 10,
    0, 0, 0, 0, 0, 70, 0, 250, 0, 0,
    0, 0, 0, 0, 70, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 1470, 0, 360, 0,
    0, 0, 0, 70, 230, 0, 0, 0, 250, 0,
    0, 0, 90, 310, 310, 230, 310, 390, 310, 310,
    0, 0, 0, 570, 250, 0, 0, 10, 310, 0,
    0, 0, 230, 1470, 0, 70, 0, 290, 10, 0,
    0, 0, 25960, 25970, 25980, 25990, 26000, 26010, 26020, 1560,
    0, 0, 0, 0, 310, 0, 0, 200, 1080, 1040,
    0, 0, 0, 0, 0, 0, 0, 0, 13700, 0,
    0, 0, 10, 5210, 270, 10, 0, 10, 10, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 21360, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 26070, 0,
    0, 0, 10, 10, 10, 10, 100, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 310, 0, 1560, 0,
    0, 0, 0, 0, 0, 0, 0, 8660, 120, 0,
    0, 0, 10, 100, 10, 310, 0, 0, 1470, 0,
    0, 180, 310, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 26130, 0, 0, 0, 0, 0, 0, 0,
    490, 26140, 0, 0, 0, 0, 0, 0, 0, 0,
    26150, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 3140, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 1070, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 340, 0, 0, 0, 0, 0, 0, 0,
    26170, 26180, 26190, 1560, 1560, 1560, 0, 0, 0, 0,
    0, 0, 24220, 10, 0, 26200, 0, 0, 0, 0,
    0, 0, 0, 26160, 0, 0, 26210, 10, 0, 0,
    12440, 0, 6750, 890, 3210, 10, 0, 10, 10, 10,
    0, 0, 380, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 10, 10, 0, 10, 10,
    26250, 0, 0, 0, 0, 0, 0, 0, 0, 26250,
    0, 0, 0, 0, 26260, 0, 0, 0, 2140, 0,
    0, 0, 8880, 10, 10, 0, 0, 8880, 0, 0,
    320, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    26290, 0, 3620, 22900, 0, 0, 0, 0, 0, 0,
    0, 26300, 12070, 12070, 0, 12070, 2860, 12070, 25440, 4140,
    0, 0, 0, 26310, 0, 0, 0, 0, 3780, 140,
    0, 0, 0, 70, 250, 0, 0, 0, 0, 0,
    0, 0, 390, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 10, 10, 10, 10, 0,
    0, 0, 0, 0, 0, 26350, 0, 0, 0, 0,
    0, 0, 360, 0, 70, 0, 0, 0, 0, 0,
    0, 0, 70, 70, 0, 0, 0, 0, 0, 0,
    0, 0, 26330, 26340, 26360, 26370, 26380, 0, 0, 0,
    310, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    0, 0, 10, 2280, 11230, 550, 4960, 2030, 70, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 9990,
    0, 26420, 0, 0, 0, 0, 0, 0, 0, 0,
    11340, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 26440,
    0, 10, 3310, 10, 10, 10, 10, 10, 10, 10,
    100, 10, 24070, 0, 0, 10, 10, 10, 390, 0,
    0, 0, 0, 0, 2660, 10, 1470, 10, 0, 10,
    26470, 110, 0, 0, 7440, 110, 110, 21110, 26480, 110,
    0, 0, 0, 0, 0, 0, 860, 0, 0, 8960,
    0, 0, 0, 0, 8960, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 420, 10, 890, 10, 10, 10,
    10, 10, 10, 10, 730, 10, 1470, 0, 0, 0,
    26500, 0, 26510, 0, 10, 0, 26520, 26530, 0, 0,
    10, 10, 10, 10, 10, 120, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 1900, 10, 10, 10, 10,
    10, 10, 10, 890, 10, 0, 10, 10, 10, 10,
    100, 20, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 1630, 26550, 26560, 1630, 1630, 13590, 26570, 26580, 10,
    0, 10, 10, 10, 10, 10, 0, 170, 2660, 10,
    10, 10, 10, 10, 0, 0, 10, 10, 0, 10,
    730, 26610, 0, 280, 0, 0, 390, 0, 0, 5280,
    0, 0, 10, 0, 0, 0, 0, 10, 10, 10,
    10, 20930, 10, 10, 0, 0, 0, 26630, 10, 10,
    10, 10, 10, 10, 0, 0, 10, 0, 0, 10,
    10, 10, 10, 10, 0, 0, 0, 26650, 10, 24020,
    0, 10, 0, 0, 0, 1470, 0, 10, 10, 0,
    0, 0, 10, 10, 0, 0, 10, 10, 10, 10,
    440, 0, 26680, 10, 0, 10, 0, 0, 0, 0,
    0, 0, 10, 0, 0, 0, 0, 10, 2140, 0,
    0, 0, 10, 10, 0, 0, 10, 100, 10, 10,
    10, 10, 10, 0, 10, 0, 10, 10, 10, 0,
    10, 0, 10, 0, 0, 10, 26720, 10460, 12510, 0,
    26600, 26620, 26640, 26660, 250, 26670, 26690, 26700, 26710, 26730,
    10, 10, 10, 10, 0, 0, 10, 130, 0, 0,
    10, 0, 1220, 10, 10, 0, 0, 310, 0, 0,
    10, 10, 10, 10, 760, 0, 0, 0, 3290, 10,
    0, 12560, 26750, 26760, 26770, 0, 0, 0, 0, 0,
    570, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 390,
    26790, 380, 10, 10, 10, 10, 10, 10, 26800, 0,
    0, 0, 26460, 26490, 26540, 26590, 10, 26740, 26780, 26810,
    110, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    26830, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 26840,
    1470, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 1480, 130, 10, 10, 10, 10, 10, 130,
    0, 0, 10, 10, 0, 10, 26860, 0, 26870, 0,
    0, 180, 10, 10, 10, 10, 0, 10, 10, 10,
    0, 0, 3050, 0, 0, 0, 26880, 0, 26890, 0,
    0, 0, 10, 10, 8880, 0, 10, 10, 10, 10,
    0, 0, 0, 26910, 26680, 26680, 26680, 0, 0, 0,
    0, 0, 26680, 26680, 26680, 26680, 26680, 0, 0, 0,
    0, 0, 26680, 26680, 26680, 0, 0, 0, 0, 0,
    0, 0, 26680, 26680, 26680, 26680, 0, 0, 0, 0,
    10, 10, 26680, 26680, 26680, 26680, 10, 10, 10, 10,
    10, 0, 26680, 26680, 26680, 26680, 0, 10, 10, 10,
    0, 10, 26920, 26930, 26940, 26950, 26960, 26970, 18930, 420,
    0, 0, 0, 0, 24520, 10, 10, 0, 10, 0,
    0, 0, 0, 0, 24520, 10, 10, 0, 0, 0,
    0, 0, 0, 26990, 27000, 27000, 27000, 0, 0, 0,
    0, 10, 27000, 27000, 27000, 27000, 27000, 0, 10, 0,
    0, 0, 27000, 27000, 27000, 0, 0, 0, 0, 0,
    0, 0, 27000, 27000, 27000, 27000, 0, 0, 0, 0,
    0, 10, 27000, 27000, 27000, 27000, 10, 0, 0, 0,
    0, 13880, 27010, 27020, 27030, 27040, 27040, 27050, 360, 320,
    0, 10, 5820, 0, 0, 0, 0, 0, 0, 0,
    27070, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    27080, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 1220, 0, 0, 0, 0, 0, 0, 0,
    27100, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    27110, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 27090, 27120,
    0, 27130, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2300, 4000, 180, 4000, 4000, 4000, 16320, 0,
    0, 0, 0, 310, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 10, 0, 10, 330, 10,
    27170, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 27180, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 10, 10, 2890, 0, 0,
    0, 0, 0, 0, 210, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 27210, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 27220, 0, 0,
    0, 0, 0, 180, 0, 180, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 5480, 0, 5490, 180, 27240,
    0, 0, 0, 1070, 0, 0, 0, 0, 0, 0,
    0, 0, 19400, 0, 0, 0, 0, 0, 0, 0,
    27260, 0, 15820, 0, 27270, 26340, 0, 0, 19760, 0,
    0, 0, 4530, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 0, 0, 0, 10, 0,
    0, 0, 0, 0, 0, 27300, 0, 0, 0, 0,
    18850, 0, 27290, 0, 19760, 80, 27310, 0, 0, 0,
    0, 10, 11520, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 250, 0, 0, 0, 0,
    0, 0, 27340, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 0, 0, 10, 10, 0, 0, 0,
    0, 0, 0, 0, 0, 5700, 3140, 27360, 390, 0,
    0, 27370, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 660, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 27390, 0, 0, 0, 0, 0, 0,
    6960, 10, 0, 27400, 3140, 200, 200, 200, 0, 0,
    200, 10, 200, 0, 200, 0, 0, 0, 180, 0,
    0, 0, 0, 27280, 27320, 27330, 27350, 27380, 27410, 27420,
    10, 10, 10, 0, 0, 0, 10, 10, 0, 0,
    10, 10, 10, 0, 0, 0, 0, 0, 10, 10,
    10, 10, 0, 0, 0, 0, 0, 10, 10, 0,
    0, 27440, 27450, 16580, 490, 500, 280, 27460, 0, 180,
    4260, 1850, 6010, 3820, 180, 0, 9990, 270, 170, 890,
    10, 10, 0, 10, 0, 0, 10, 10, 10, 10,
    760, 130, 24520, 8960, 0, 520, 27490, 440, 16490, 0,
    0, 0, 0, 0, 0, 0, 0, 27470, 27480, 27500,
    0, 0, 380, 1180, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 10, 10, 10, 180, 0,
    0, 10, 270, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 1180, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 200, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 230, 0, 0, 0, 0, 0, 0, 0,
    27520, 27530, 27540, 27550, 27560, 180, 180, 180, 27570, 0,
    0, 0, 1220, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 2360, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 380, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 570, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 360, 10, 10, 10, 0, 10, 0, 0,
    0, 10, 5510, 0, 0, 27630, 0, 0, 10, 0,
    0, 10, 0, 0, 0, 570, 0, 0, 10, 0,
    27590, 10, 27600, 27610, 20930, 27620, 27640, 180, 20930, 27650,
    0, 10, 290, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 180, 180, 180, 27670, 20930, 180, 180, 180,
    27570, 0, 360, 180, 180, 180, 20930, 0, 180, 180,
    0, 0, 360, 360, 360, 360, 360, 360, 360, 360,
    0, 10, 27700, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 0, 0, 0, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 27720, 70, 390, 0,
    0, 27730, 0, 0, 0, 0, 0, 0, 0, 0,
    200, 0, 0, 180, 180, 27710, 3140, 27740, 180, 180,
    0, 0, 0, 3140, 0, 180, 180, 180, 0, 0,
    0, 0, 180, 0, 180, 0, 0, 0, 0, 0,
    0, 0, 27510, 27580, 27660, 27680, 27690, 27750, 27760, 27770,
    0, 0, 1940, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 520, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 220, 0, 0, 0, 0, 0, 0, 0,
    27790, 27800, 27810, 15820, 27290, 0, 0, 0, 11520, 0,
    0, 0, 320, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 26680, 200, 0, 0, 0, 0, 0, 0,
    0, 0, 4870, 0, 0, 4530, 0, 0, 0, 0,
    0, 0, 8960, 0, 0, 520, 200, 0, 0, 0,
    0, 0, 570, 0, 0, 230, 0, 0, 0, 0,
    0, 0, 2080, 0, 0, 570, 0, 0, 0, 0,
    8410, 0, 27830, 27840, 27850, 0, 27860, 0, 27870, 27880,
    0, 0, 3550, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 5630, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 1240, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 9490, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 570, 0, 0, 0, 0,
    27900, 0, 27910, 27920, 27930, 20060, 27940, 15820, 20060, 0,
    0, 0, 870, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2080, 0, 0, 5700, 0, 0, 0, 0,
    0, 0, 0, 10, 10, 0, 0, 10, 10, 0,
    0, 0, 27980, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 200, 0, 0, 220, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 28000, 0, 0, 0,
    0, 0, 1180, 0, 0, 0, 0, 0, 0, 0,
    27960, 0, 27970, 27990, 27960, 27270, 28010, 13960, 13960, 28020,
    0, 0, 0, 0, 0, 290, 0, 0, 10, 0,
    0, 0, 0, 0, 0, 28040, 0, 360, 28040, 28040,
    0, 10, 28050, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 70, 10, 0,
    0, 0, 0, 0, 0, 360, 28070, 0, 0, 0,
    0, 0, 28080, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 15520, 0, 0, 15520, 15520, 0, 15520, 15520,
    0, 0, 28100, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 4220, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 360, 0, 360, 0, 0, 0, 0,
    0, 0, 28130, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 930, 0, 0, 0, 0, 0, 0,
    0, 0, 28150, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 28060, 0, 28090, 28110, 0, 28120, 28140, 28160,
    0, 0, 0, 0, 0, 0, 0, 10, 180, 0,
    360, 0, 360, 360, 360, 15520, 360, 360, 0, 28040,
    0, 0, 15520, 0, 0, 0, 0, 0, 0, 0,
    0, 28180, 28190, 28200, 0, 0, 0, 0, 0, 0,
    0, 0, 28210, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 15520, 15520, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 28230, 0, 0, 0, 0, 0, 0,
    0, 0, 28040, 8560, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 28250, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 15520, 15520, 0, 0, 15520, 15520,
    0, 0, 28270, 0, 0, 0, 0, 0, 0, 0,
    28240, 0, 28260, 0, 0, 28280, 0, 0, 0, 0,
    0, 0, 210, 27820, 27890, 27950, 28030, 28170, 28220, 28290,
    0, 0, 0, 0, 0, 0, 0, 380, 380, 0,
    0, 0, 0, 180, 380, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 10, 0, 380, 0, 0, 0,
    7300, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    3820, 11200, 19650, 3990, 5930, 230, 720, 330, 360, 0,
    0, 0, 0, 0, 0, 0, 28350, 0, 0, 0,
    0, 3990, 1040, 28310, 28320, 0, 28330, 0, 28340, 28360,
    100, 10, 10, 10, 0, 0, 10, 10, 10, 10,
    0, 290, 0, 6370, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 10, 0, 0, 0, 0, 0, 10,
    10, 10, 0, 10, 0, 10, 10, 0, 10, 0,
    10, 0, 0, 0, 10, 10, 0, 0, 0, 10,
    7100, 28400, 16830, 28400, 28410, 0, 28420, 300, 3530, 11760,
    0, 0, 0, 28430, 0, 0, 10, 0, 0, 0,
    0, 28440, 0, 0, 390, 0, 0, 0, 0, 340,
    0, 0, 10, 250, 0, 0, 0, 0, 0, 0,
    0, 290, 0, 28460, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 0, 1110, 10, 0, 0, 0, 0,
    0, 10, 760, 0, 0, 0, 0, 0, 0, 0,
    0, 300, 570, 28480, 3530, 28490, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1110, 0,
    0, 0, 0, 0, 28510, 0, 0, 0, 0, 0,
    0, 290, 0, 28520, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 70, 0,
    0, 0, 0, 0, 0, 0, 10, 10, 0, 10,
    0, 290, 28540, 28550, 0, 310, 0, 0, 0, 0,
    310, 310, 310, 310, 310, 310, 310, 310, 0, 310,
    0, 0, 310, 0, 310, 310, 310, 0, 310, 310,
    310, 0, 310, 310, 310, 310, 310, 0, 310, 310,
    310, 310, 310, 310, 310, 0, 0, 0, 0, 0,
    0, 0, 310, 0, 310, 310, 310, 310, 310, 310,
    0, 28610, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 28570, 28580, 28590, 28600, 28620, 0, 0, 0, 0,
    310, 0, 310, 0, 310, 310, 310, 310, 310, 310,
    0, 28640, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 28570, 28580, 28590, 28600, 28650, 0, 0, 0, 0,
    0, 310, 310, 0, 310, 310, 310, 0, 310, 310,
    0, 28570, 28670, 28590, 28600, 28620, 0, 0, 0, 0,
    310, 0, 310, 0, 310, 310, 310, 0, 310, 310,
    310, 0, 310, 310, 310, 310, 310, 12070, 310, 310,
    310, 310, 310, 310, 310, 310, 310, 310, 310, 310,
    0, 28710, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 28570, 28690, 28700, 28600, 28720, 0, 0, 0, 0,
    0, 0, 2860, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 10, 10, 0, 10, 10, 0, 10, 10,
    1530, 0, 310, 4230, 310, 2550, 28750, 0, 0, 310,
    10, 0, 0, 0, 28760, 0, 0, 0, 0, 0,
    10, 130, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 28770, 28780, 10, 1490, 16580, 1470, 0, 0,
    100, 0, 10, 10, 10, 0, 0, 0, 10, 0,
    10, 0, 0, 0, 0, 0, 0, 100, 10, 10,
    28800, 1080, 28810, 130, 0, 0, 0, 10, 10, 490,
    1070, 200, 230, 0, 1220, 0, 0, 0, 0, 0,
    10, 10, 10, 10, 28830, 10, 10, 10, 0, 10,
    10, 10, 10, 0, 0, 0, 10, 0, 0, 10,
    0, 0, 0, 10, 28850, 310, 290, 310, 310, 0,
    0, 0, 0, 0, 0, 0, 2110, 0, 0, 0,
    310, 0, 28860, 28870, 28830, 0, 0, 10, 10, 10,
    0, 0, 28790, 20, 28820, 2360, 28840, 100, 28880, 0,
    3310, 0, 10, 10, 10, 10, 10, 10, 10, 0,
    1800, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    28910, 0, 10, 10, 10, 0, 0, 0, 10, 0,
    1070, 200, 0, 0, 390, 0, 0, 0, 0, 0,
    28920, 1080, 10, 10, 28930, 0, 0, 0, 0, 10,
    1630, 0, 0, 0, 0, 490, 0, 0, 0, 0,
    10, 10, 0, 0, 28830, 0, 0, 0, 0, 0,
    3260, 0, 0, 0, 28830, 0, 0, 0, 0, 310,
    0, 0, 28900, 3830, 28940, 28950, 28960, 0, 28970, 10,
    10, 10, 10, 440, 0, 0, 10, 10, 1470, 10,
    28990, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 29000, 0, 0, 0, 0, 0, 0, 0, 0,
    29010, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 29020, 0, 0,
    100, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    130, 0, 0, 21240, 0, 0, 0, 0, 0, 0,
    490, 0, 0, 0, 0, 310, 9490, 0, 0, 0,
    10, 0, 10, 0, 10, 0, 10, 0, 10, 10,
    10, 0, 10, 0, 10, 10, 10, 0, 10, 0,
    0, 0, 0, 0, 0, 29070, 29080, 13890, 29070, 0,
    0, 0, 0, 29050, 29060, 0, 29090, 10, 0, 10,
    0, 0, 10, 10, 10, 10, 200, 10, 890, 1460,
    0, 10, 0, 10, 10, 10, 10, 29110, 380, 10,
    0, 10, 0, 0, 10, 10, 10, 100, 100, 10,
    10, 10, 0, 0, 0, 0, 3310, 0, 2140, 130,
    0, 0, 29130, 0, 0, 0, 0, 29140, 490, 490,
    0, 0, 3290, 6950, 15380, 6800, 1080, 1080, 1080, 860,
    10, 10, 0, 0, 10, 10, 10, 10, 0, 0,
    1770, 310, 29170, 800, 5820, 4370, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 29160, 29180, 0, 0,
    3820, 7730, 22360, 10, 860, 1080, 1080, 1080, 0, 0,
    0, 0, 29200, 0, 0, 0, 0, 0, 0, 0,
    860, 1080, 21240, 1080, 390, 3290, 13760, 210, 1850, 10460,
    0, 0, 0, 29220, 0, 0, 0, 0, 0, 0,
    310, 0, 200, 0, 0, 310, 0, 0, 0, 0,
    310, 0, 0, 570, 0, 0, 0, 0, 0, 0,
    10, 0, 10, 0, 0, 10, 10, 0, 10, 10,
    3720, 140, 8620, 24560, 29260, 0, 10280, 10, 24560, 760,
    0, 10, 10, 10, 0, 0, 0, 10, 0, 10,
    10, 0, 10, 10, 0, 0, 0, 0, 0, 10,
    2380, 2380, 20200, 420, 22500, 4440, 3290, 29280, 7470, 29290,
    0, 0, 29240, 29250, 29270, 29300, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 0, 0, 10, 10, 0,
    490, 0, 0, 0, 0, 0, 0, 0, 0, 10,
    1560, 0, 310, 0, 0, 0, 0, 29320, 0, 29330,
    10, 310, 0, 0, 0, 10, 0, 29340, 10, 0,
    0, 0, 29190, 29210, 0, 29230, 29310, 0, 29350, 10,
    0, 0, 0, 0, 0, 0, 290, 250, 0, 0,
    10, 180, 10, 0, 29370, 0, 0, 2550, 2550, 10,
    0, 0, 0, 0, 18850, 0, 0, 29380, 0, 0,
    0, 15400, 270, 230, 5320, 500, 0, 0, 0, 0,
    10, 0, 0, 10, 10, 10, 10, 0, 10, 10,
    0, 17110, 180, 2300, 0, 310, 0, 0, 0, 29410,
    10, 0, 10, 10, 0, 0, 10, 10, 0, 0,
    0, 10, 3940, 29430, 1080, 7300, 13920, 0, 0, 0,
    0, 0, 3940, 29430, 1080, 7300, 13920, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 780, 0, 0,
    0, 360, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 10, 10, 230, 10, 10, 10, 10, 10,
    20200, 0, 10, 10, 10, 500, 10, 3210, 0, 0,
    0, 0, 10, 10, 29480, 29490, 0, 0, 0, 0,
    0, 0, 200, 0, 0, 4530, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 4310, 0,
    10, 440, 29510, 0, 0, 10, 1070, 25960, 29520, 8390,
    310, 180, 0, 0, 0, 0, 16330, 0, 0, 0,
    0, 0, 200, 0, 0, 0, 200, 0, 0, 0,
    0, 0, 0, 570, 0, 0, 570, 0, 0, 0,
    0, 0, 0, 0, 230, 0, 230, 0, 0, 0,
    3310, 0, 0, 0, 0, 0, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 360, 0, 360, 0,
    10, 0, 0, 10, 0, 0, 0, 0, 0, 10,
    10, 0, 0, 29600, 0, 0, 10, 0, 0, 10,
    2370, 29540, 29550, 29560, 29570, 2870, 10, 29580, 29590, 29610,
    310, 490, 0, 0, 0, 0, 0, 0, 0, 390,
    310, 0, 10, 0, 0, 0, 0, 0, 0, 0,
    310, 0, 0, 7300, 0, 0, 0, 0, 0, 0,
    310, 0, 0, 0, 0, 10, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 10, 0, 10, 10, 10,
    10, 29630, 29640, 29650, 10, 29660, 10, 10, 29670, 10,
    0, 0, 29500, 0, 180, 29530, 29620, 0, 0, 29680,
    0, 10, 10210, 26350, 5590, 0, 2080, 3700, 0, 0,
    0, 0, 4540, 0, 0, 0, 0, 0, 0, 0,
    0, 29700, 0, 0, 0, 3310, 0, 0, 0, 29710,
    0, 0, 0, 10, 10, 10, 0, 0, 10, 0,
    0, 0, 10, 0, 10, 10, 10, 0, 440, 0,
    0, 5800, 5800, 24300, 6460, 1180, 29730, 29740, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 19880, 0, 0,
    0, 0, 0, 0, 0, 4140, 0, 0, 0, 0,
    3680, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    29780, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 29770, 1850, 0, 0, 0, 0, 6960, 29790, 10,
    250, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    29810, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 29820, 0,
    0, 0, 7030, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 210, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 10, 10, 10, 0, 10, 0,
    0, 0, 29860, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 10, 10, 0, 0, 10,
    0, 0, 29880, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 29840, 0, 29850, 0, 0, 0, 29870, 29890,
    0, 0, 0, 0, 0, 720, 0, 0, 0, 0,
    0, 0, 2360, 2360, 2360, 0, 2360, 2360, 1560, 2360,
    10, 0, 10, 10, 10, 10, 10, 0, 10, 0,
    4530, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    29940, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    25470, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    16020, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 1560, 29930, 29950, 29960, 1560, 29970,
    0, 0, 8380, 0, 0, 0, 0, 0, 0, 0,
    0, 29990, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 2500, 0, 0, 0, 0, 0, 0, 0,
    0, 30010, 10, 10, 10, 0, 0, 0, 10, 10,
    130, 310, 0, 10, 10, 10, 2870, 0, 0, 0,
    10, 10, 10, 0, 0, 10, 10, 27450, 10, 10,
    760, 0, 0, 0, 0, 0, 760, 10, 10, 10,
    180, 0, 10, 860, 30030, 30040, 2890, 27440, 30050, 100,
    380, 380, 380, 10, 20, 30060, 10, 0, 120, 20,
    0, 0, 10, 10, 0, 0, 0, 0, 10230, 0,
    10, 10, 10, 10, 0, 10, 0, 0, 10, 0,
    10, 0, 0, 0, 0, 10, 0, 0, 30090, 0,
    0, 0, 10, 10, 0, 0, 0, 10, 30100, 0,
    0, 0, 10, 570, 0, 70, 0, 250, 180, 0,
    0, 360, 30080, 30110, 250, 0, 23740, 10, 30120, 20,
    0, 0, 0, 0, 0, 30070, 0, 30130, 0, 0,
    5820, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    760, 390, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 0, 1560, 0, 0, 8390, 0, 1560, 30150, 30160,
    0, 30170, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 2300, 0, 0, 0, 0,
    0, 30190, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 3190, 0, 0, 7450, 10, 0, 0,
    310, 0, 0, 570, 0, 0, 16330, 0, 0, 0,
    0, 0, 0, 0, 180, 0, 0, 0, 0, 0,
    10, 0, 0, 10, 230, 70, 10, 10, 360, 10,
    0, 0, 0, 0, 0, 0, 720, 0, 0, 720,
    0, 16330, 0, 30220, 30230, 1560, 30240, 0, 0, 30250,
    0, 180, 0, 0, 0, 0, 0, 360, 0, 0,
    10, 30270, 0, 0, 0, 0, 0, 10, 0, 0,
    10, 0, 10, 10, 10, 0, 10, 10, 0, 10,
    0, 30210, 0, 10, 0, 0, 30260, 30280, 30290, 2660,
    0, 0, 7280, 0, 0, 0, 0, 0, 1560, 0,
    11520, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 30320, 0, 10, 0, 0, 0, 0, 8390,
    0, 0, 0, 10, 30330, 10, 10, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 10230, 0,
    30350, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    30360, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 10, 0, 0, 10, 0, 0, 0,
    0, 0, 8960, 520, 520, 30380, 4870, 2260, 8880, 0,
    0, 320, 0, 0, 0, 0, 0, 250, 250, 0,
    0, 10, 500, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 500, 0, 0, 0, 10, 0, 0, 0,
    10, 0, 0, 10, 0, 10, 10, 0, 10, 0,
    10, 10, 10, 10, 10, 10, 0, 29320, 310, 0,
    30440, 10, 10, 0, 0, 10, 10, 10, 10, 10,
    10, 10, 0, 10, 0, 10, 10, 490, 10, 10,
    10, 10, 28400, 10, 10, 10, 10, 10, 10, 10,
    0, 30410, 30420, 0, 0, 30430, 4170, 30450, 30460, 30470,
    0, 10, 10, 10, 10, 0, 10, 0, 10, 10,
    0, 0, 20750, 2360, 5800, 30490, 0, 0, 0, 0,
    0, 30500, 30500, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2360, 5800, 30490, 0, 0, 0, 0,
    0, 30520, 30520, 0, 0, 0, 0, 0, 0, 0,
    0, 1180, 0, 1180, 1180, 1180, 1180, 1180, 0, 1180,
    0, 1180, 0, 1180, 0, 1180, 1180, 1180, 1180, 0,
    0, 1180, 0, 0, 1180, 0, 1180, 1180, 1180, 1180,
    0, 1180, 0, 1180, 0, 1180, 1180, 1180, 0, 0,
    0, 1180, 0, 1180, 1180, 1180, 1180, 1180, 1180, 1180,
    0, 1180, 0, 0, 0, 1180, 1180, 1180, 1180, 1180,
    0, 1180, 1180, 1180, 1180, 0, 1180, 1180, 1180, 1180,
    0, 1180, 1180, 1180, 1180, 1180, 1180, 1180, 0, 13480,
    0, 890, 30540, 30550, 30560, 30570, 30580, 30590, 30600, 30610,
    310, 0, 0, 0, 0, 0, 860, 8060, 11110, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 30630,
    20090, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 30650, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 30660, 0, 1560, 0,
    0, 30670, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 10, 0, 10, 0, 10, 0, 0, 0, 10,
    10, 5700, 4830, 10, 15380, 4530, 0, 200, 10, 0,
    10, 20930, 0, 0, 30290, 0, 0, 230, 250, 0,
    10, 100, 0, 0, 0, 0, 0, 10, 10, 10,
    10, 11700, 19920, 30700, 30710, 4540, 290, 6010, 30720, 10,
    100, 11700, 19920, 30700, 30710, 4540, 290, 6010, 30720, 10,
    0, 0, 10, 100, 0, 0, 0, 0, 0, 0,
    0, 0, 200, 0, 24410, 0, 0, 0, 0, 0,
    0, 0, 200, 0, 6750, 0, 0, 0, 0, 0,
    0, 0, 200, 20950, 10, 0, 13760, 0, 0, 0,
    10, 10, 0, 0, 10, 10, 10, 0, 10, 10,
    0, 0, 200, 0, 0, 2140, 30790, 0, 0, 0,
    0, 30750, 30760, 30770, 30780, 30800, 10, 3140, 0, 0,
    0, 0, 10, 0, 5770, 0, 0, 0, 0, 0,
    0, 0, 3260, 10, 5770, 0, 0, 0, 0, 0,
    0, 0, 10, 7110, 0, 0, 0, 0, 0, 0,
    200, 30820, 30830, 570, 200, 200, 30840, 0, 0, 0,
    0, 0, 0, 0, 10, 4640, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 30860, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 30870, 0, 0, 0,
    10, 0, 0, 0, 10, 0, 10, 0, 0, 0,
    0, 0, 1560, 0, 0, 0, 0, 0, 0, 0,
    30900, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    30910, 0, 0, 0, 0, 0, 0, 0, 0, 10,
    0, 13540, 30850, 30880, 30890, 16930, 310, 20390, 360, 30920,
    0, 0, 10, 0, 6960, 10, 10, 130, 0, 0,
    0, 10, 140, 1770, 2360, 0, 0, 6430, 0, 3210,
    130, 10, 10, 0, 0, 0, 0, 0, 0, 130,
    130, 0, 0, 0, 0, 0, 0, 10, 0, 0,
    10, 30960, 90, 890, 2980, 4540, 0, 30970, 360, 1220,
    0, 0, 90, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1480, 0, 0, 0, 0,
    6320, 0, 0, 0, 0, 31000, 0, 0, 0, 0,
    30980, 10, 30990, 0, 10, 31010, 0, 250, 6400, 0,
    2570, 2570, 0, 0, 0, 0, 0, 0, 0, 0,
    10, 10, 0, 0, 0, 0, 0, 130, 0, 0,
    10, 10, 0, 130, 0, 0, 0, 0, 0, 0,
    10, 130, 10, 10, 10, 10, 10, 0, 0, 0,
    10, 10, 10, 10, 10, 10, 10, 1480, 0, 0,
    31040, 10, 10, 31050, 10, 31060, 0, 31070, 0, 0,
    0, 0, 0, 0, 0, 31000, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1480, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 31100, 0, 0,
    31030, 31080, 0, 0, 10, 31090, 0, 31110, 0, 0,
    2570, 0, 2570, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 130, 0, 0, 200, 0, 0, 10, 0,
    0, 0, 130, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 31140, 0, 0, 31150, 0, 0, 0, 0,
    31130, 0, 31160, 0, 0, 8380, 0, 0, 0, 0,
    2570, 0, 0, 2570, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 130, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 31190, 0, 31190, 0, 0, 0, 0,
    31180, 0, 0, 31200, 0, 8380, 0, 0, 0, 0,
    2570, 0, 0, 0, 2570, 0, 0, 0, 0, 0,
    0, 130, 0, 0, 10, 0, 0, 0, 0, 0,
    10, 31230, 10, 10, 10, 10, 10, 10, 10, 10,
    31220, 0, 0, 0, 31240, 8380, 0, 0, 0, 0,
    310, 0, 31150, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 230, 70, 0, 0, 0, 0,
    10, 10, 31260, 8410, 31270, 10, 0, 10, 10, 10,
    0, 0, 0, 0, 0, 10, 0, 2140, 490, 0,
    310, 0, 0, 0, 0, 70, 0, 31290, 0, 0,
    10, 10, 200, 0, 10, 31300, 0, 10, 10, 10,
    10, 10, 130, 0, 0, 0, 0, 0, 10, 0,
    0, 0, 0, 0, 0, 70, 0, 0, 340, 0,
    0, 0, 0, 0, 0, 70, 0, 0, 360, 0,
    31320, 0, 0, 0, 0, 31330, 0, 0, 31340, 0,
    2570, 0, 0, 0, 0, 0, 0, 0, 0, 310,
    31360, 10, 10, 10, 0, 10, 10, 10, 10, 10,
    31020, 31120, 31170, 31210, 31250, 31280, 340, 31310, 31350, 31370,
    320, 0, 0, 0, 0, 0, 0, 0, 0, 310,
    0, 0, 0, 30940, 30950, 31380, 0, 31390, 1560, 0,
    7350, 0, 10, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 10, 100, 250, 10, 10, 0, 0, 0,
    0, 0, 200, 11200, 0, 0, 440, 0, 0, 0,
    0, 0, 200, 0, 0, 660, 10, 0, 0, 0,
    0, 0, 200, 2440, 0, 390, 10, 0, 0, 0,
    0, 0, 200, 0, 0, 18330, 10, 0, 0, 0,
    0, 0, 0, 0, 10, 0, 10, 0, 10, 0,
    0, 0, 200, 31470, 100, 390, 10, 10, 0, 0,
    0, 0, 200, 0, 170, 0, 10, 0, 0, 0,
    0, 31420, 31430, 0, 31440, 31450, 31460, 31480, 0, 31490,
    1220, 200, 8880, 0, 0, 0, 0, 0, 0, 0,
    10, 0, 0, 0, 0, 70, 0, 10, 0, 0,
    310, 0, 0, 0, 0, 0, 0, 0, 5070, 0,
    0, 200, 0, 0, 0, 0, 0, 0, 0, 19120,
    0, 0, 31410, 31500, 0, 18710, 31510, 31520, 31530, 31540,
    0, 0, 10, 0, 0, 0, 0, 0, 0, 360,
    0, 10, 10, 0, 10, 130, 0, 0, 0, 0,
    0, 1040, 0, 0, 10, 0, 0, 0, 0, 0,
    7080, 7080, 0, 0, 10, 70, 0, 0, 0, 1480,
    0, 0, 31560, 31570, 670, 4370, 31580, 31590, 0, 0,
    10, 10, 0, 10, 0, 0, 0, 10, 0, 10,
    0, 180, 10, 0, 0, 0, 0, 0, 0, 31610,
    0, 10, 10, 130, 0, 0, 10, 0, 0, 0,
    0, 180, 31620, 420, 180, 31630, 0, 10, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 490,
    0, 0, 10, 0, 0, 0, 0, 0, 0, 2050,
    0, 31650, 31660, 21160, 0, 460, 0, 10, 0, 0,
    10, 0, 0, 0, 0, 10, 0, 0, 10, 10,
    0, 0, 0, 0, 0, 0, 0, 3140, 31680, 0,
    10, 0, 0, 20390, 0, 0, 10, 0, 0, 10,
    10, 0, 0, 0, 0, 0, 0, 10, 0, 10,
    10, 0, 0, 0, 0, 0, 0, 31710, 0, 0,
    0, 0, 10, 10, 0, 31690, 0, 31700, 0, 31720,
    0, 31600, 31640, 0, 0, 31670, 10, 31730, 0, 10,
    0, 0, 10, 0, 0, 0, 0, 0, 0, 70,
    0, 10, 1480, 10, 10, 10, 890, 10, 10, 10,
    10, 4960, 5460, 550, 230, 3680, 290, 0, 360, 0,
    0, 0, 31750, 31760, 2950, 5660, 0, 31770, 0, 0,
    0, 10, 0, 10, 0, 10, 0, 10, 10, 0,
    130, 10, 10, 10, 10, 10, 0, 10, 0, 10,
    10, 10, 10, 10, 17350, 10, 320, 10, 29320, 10,
    0, 0, 10, 31790, 7730, 31800, 180, 31810, 0, 4850,
    0, 130, 0, 0, 0, 0, 0, 0, 10, 1480,
    0, 0, 0, 0, 0, 0, 0, 2870, 10, 10,
    0, 0, 10, 22580, 0, 31830, 0, 3260, 0, 31840,
    10, 0, 10, 0, 230, 0, 0, 0, 0, 230,
    0, 10, 0, 0, 10, 10, 0, 10, 0, 0,
    5260, 7080, 250, 250, 24070, 10, 10, 10, 330, 31710,
    0, 2500, 31860, 20940, 0, 100, 31870, 31880, 0, 0,
    0, 0, 130, 0, 0, 0, 0, 10, 0, 0,
    0, 0, 10, 0, 0, 10, 0, 10, 0, 10,
    0, 0, 19120, 550, 10, 0, 310, 31910, 250, 20390,
    0, 0, 200, 31900, 0, 100, 0, 31920, 0, 0,
    10, 10, 31780, 31820, 31850, 31890, 10, 10, 10, 31930,
    0, 0, 310, 570, 0, 4540, 31740, 31940, 29320, 420,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

const tally_phone_plan tally_phone_plans[TALLY_PHONE_PLANS] = {
    {1, 10, 0, 3130, {3621250000, 5378750000}},
    {7, 10, 0, 3610, {2259400000, 6740600000}},
    {7, 14, 0, 3640, {10000000000, 89990000000000}},
    {20, 8, 0, 3650, {12000000, 78000000}},
    {20, 9, 0, 3710, {342000000, 558000000}},
    {20, 10, 0, 3730, {420000000, 8580000000}},
    {27, 5, 0, 3740, {4000, 86000}},
    {27, 6, 0, 3740, {40000, 860000}},
    {27, 7, 0, 3740, {400000, 8600000}},
    {27, 8, 0, 3740, {4000000, 86000000}},
    {27, 9, 0, 3870, {685003000, 214997000}},
    {27, 10, 0, 3890, {10000000, 8990000000}},
    {30, 10, 0, 4120, {827000000, 8173000000}},
    {30, 11, 0, 4130, {100000000, 89900000000}},
    {30, 12, 0, 4130, {1000000000, 899000000000}},
    {31, 5, 0, 100, {90000, 0}},
    {31, 6, 0, 100, {900000, 0}},
    {31, 7, 0, 4190, {40000, 8960000}},
    {31, 8, 0, 4190, {400000, 89600000}},
    {31, 9, 0, 4420, {535000000, 365000000}},
    {31, 10, 0, 4190, {40000000, 8960000000}},
    {31, 11, 0, 4430, {100000000, 89900000000}},
    {32, 8, 0, 4600, {56370000, 33630000}},
    {32, 9, 0, 4610, {50000000, 850000000}},
    {33, 9, 0, 4660, {835000000, 65000000}},
    {34, 9, 0, 4700, {330000000, 570000000}},
    {36, 8, 0, 4740, {68000000, 22000000}},
    {36, 9, 0, 4780, {70200000, 829800000}},
    {39, 6, 1, 4990, {73600, 916400}},
    {39, 7, 1, 5000, {684000, 9216000}},
    {39, 8, 1, 5020, {6890000, 92110000}},
    {39, 9, 1, 5090, {157500000, 832500000}},
    {39, 10, 1, 5130, {1800000000, 8100000000}},
    {39, 11, 1, 5140, {13840000000, 85160000000}},
    {39, 12, 1, 5170, {70100000000, 919900000000}},
    {40, 6, 0, 5200, {15000, 885000}},
    {40, 9, 0, 5300, {204100000, 695900000}},
    {41, 9, 0, 5390, {323000000, 577000000}},
    {41, 12, 0, 5410, {1000000000, 899000000000}},
    {43, 4, 0, 100, {9000, 0}},
    {43, 5, 0, 5430, {11000, 79000}},
    {43, 6, 0, 5500, {115000, 785000}},
    {43, 7, 0, 5760, {3082000, 5918000}},
    {43, 8, 0, 5780, {30920000, 59080000}},
    {43, 9, 0, 5840, {332200000, 567800000}},
    {43, 10, 0, 5840, {3322000000, 5678000000}},
    {43, 11, 0, 5840, {33220000000, 56780000000}},
    {43, 12, 0, 5840, {332200000000, 567800000000}},
    {43, 13, 0, 5840, {3322000000000, 5678000000000}},
    {44, 7, 0, 100, {9000000, 0}},
    {44, 9, 0, 6620, {1335000, 898665000}},
    {44, 10, 0, 7200, {2814610000, 6185390000}},
    {45, 8, 0, 7270, {68300000, 21700000}},
    {46, 6, 0, 3780, {10000, 890000}},
    {46, 7, 0, 7340, {2776000, 6224000}},
    {46, 8, 0, 7590, {55460000, 34540000}},
    {46, 9, 0, 7630, {648600000, 251400000}},
    {46, 10, 0, 7660, {84000000, 8916000000}},
    {46, 12, 0, 7690, {8000000000, 892000000000}},
    {47, 5, 1, 7700, {7000, 92000}},
    {47, 8, 1, 7760, {51490000, 47510000}},
    {48, 6, 0, 7770, {10000, 890000}},
    {48, 7, 0, 7880, {250000, 8750000}},
    {48, 8, 0, 7770, {1000000, 89000000}},
    {48, 9, 0, 7950, {675400000, 224600000}},
    {48, 10, 0, 4130, {10000000, 8990000000}},
    {49, 4, 0, 100, {9000, 0}},
    {49, 5, 0, 7980, {4300, 85700}},
    {49, 6, 0, 8090, {699000, 201000}},
    {49, 7, 0, 8130, {6997000, 2003000}},
    {49, 8, 0, 8170, {70010000, 19990000}},
    {49, 9, 0, 8190, {701100000, 198900000}},
    {49, 10, 0, 8260, {7153000000, 1847000000}},
    {49, 11, 0, 8360, {74123000000, 15877000000}},
    {49, 12, 0, 8440, {711230000000, 188770000000}},
    {49, 13, 0, 8520, {7081300000000, 1918700000000}},
    {51, 8, 0, 8650, {33420000, 56580000}},
    {51, 9, 0, 390, {100000000, 800000000}},
    {52, 10, 0, 8840, {4560000000, 4440000000}},
    {53, 6, 0, 8850, {40000, 860000}},
    {53, 7, 0, 8870, {2200000, 6800000}},
    {53, 8, 0, 8890, {38000000, 52000000}},
    {53, 10, 0, 8920, {50000000, 8950000000}},
    {54, 10, 0, 9700, {364800000, 8635200000}},
    {54, 11, 0, 9720, {374800000, 89625200000}},
    {55, 8, 0, 9750, {230000, 89770000}},
    {55, 9, 0, 9760, {3000000, 897000000}},
    {55, 10, 0, 9830, {3400000000, 5600000000}},
    {55, 11, 0, 9890, {6700000000, 83300000000}},
    {56, 9, 0, 10020, {433457000, 466543000}},
    {56, 10, 0, 10030, {10000000, 8990000000}},
    {56, 11, 0, 10050, {101000000, 89899000000}},
    {57, 8, 0, 10060, {1000000, 89000000}},
    {57, 10, 0, 10150, {319560000, 8680440000}},
    {57, 11, 0, 10180, {50000000, 89950000000}},
    {58, 10, 0, 10240, {760000000, 8240000000}},
    {60, 8, 0, 10380, {39920000, 50080000}},
    {60, 9, 0, 10500, {125860000, 774140000}},
    {60, 10, 0, 10650, {181460000, 8818540000}},
    {61, 5, 0, 100, {90000, 0}},
    {61, 6, 0, 10680, {11000, 889000}},
    {61, 7, 0, 10700, {11000, 8989000}},
    {61, 8, 0, 10730, {105000, 89895000}},
    {61, 9, 0, 10940, {413975000, 486025000}},
    {61, 10, 0, 10980, {6000000, 8994000000}},
    {61, 12, 0, 10990, {100000000, 899900000000}},
    {62, 7, 0, 11030, {202000, 8798000}},
    {62, 8, 0, 11260, {34001000, 55999000}},
    {62, 9, 0, 11300, {441000000, 459000000}},
    {62, 10, 0, 11330, {4431000000, 4569000000}},
    {62, 11, 0, 11460, {39100000000, 50900000000}},
    {62, 12, 0, 11470, {80000000000, 820000000000}},
    {62, 13, 0, 100, {9000000000000, 0}},
    {63, 6, 0, 200, {100000, 800000}},
    {63, 8, 0, 11490, {10000, 89990000}},
    {63, 9, 0, 11510, {420000000, 480000000}},
    {63, 10, 0, 11560, {941000000, 8059000000}},
    {63, 11, 0, 11570, {10000000, 89990000000}},
    {63, 12, 0, 11570, {100000000, 899900000000}},
    {63, 13, 0, 11570, {1000000000, 8999000000000}},
    {64, 5, 0, 11610, {3700, 86300}},
    {64, 6, 0, 11610, {37000, 863000}},
    {64, 7, 0, 11640, {376000, 8624000}},
    {64, 8, 0, 11670, {44900000, 45100000}},
    {64, 9, 0, 11680, {138000000, 762000000}},
    {64, 10, 0, 11710, {1880000000, 7120000000}},
    {65, 8, 0, 11720, {31000000, 59000000}},
    {65, 10, 0, 4130, {10000000, 8990000000}},
    {65, 11, 0, 11750, {30000000, 89970000000}},
    {66, 8, 0, 11770, {36000000, 54000000}},
    {66, 9, 0, 11800, {291900000, 608100000}},
    {66, 10, 0, 11810, {2000000, 8998000000}},
    {66, 13, 0, 100, {9000000000000, 0}},
    {81, 8, 0, 100, {90000000, 0}},
    {81, 9, 0, 12120, {703000000, 197000000}},
    {81, 10, 0, 12130, {560000000, 8440000000}},
    {81, 11, 0, 100, {90000000000, 0}},
    {81, 12, 0, 100, {900000000000, 0}},
    {81, 13, 0, 100, {9000000000000, 0}},
    {82, 5, 0, 12170, {1600, 88400}},
    {82, 6, 0, 12170, {16000, 884000}},
    {82, 8, 0, 12230, {9200000, 80800000}},
    {82, 9, 0, 12300, {341200000, 558800000}},
    {82, 10, 0, 12330, {2432000000, 6568000000}},
    {82, 11, 0, 12440, {1000000000, 89000000000}},
    {82, 12, 0, 100, {900000000000, 0}},
    {82, 13, 0, 100, {9000000000000, 0}},
    {84, 7, 0, 12450, {120000, 8880000}},
    {84, 8, 0, 12480, {1050000, 88950000}},
    {84, 9, 0, 12550, {381600000, 518400000}},
    {84, 10, 0, 12580, {762000000, 8238000000}},
    {86, 7, 0, 12630, {22000, 8978000}},
    {86, 8, 0, 13070, {1063100, 88936900}},
    {86, 9, 0, 13460, {6220000, 893780000}},
    {86, 10, 0, 13680, {3730000000, 5270000000}},
    {86, 11, 0, 13810, {9716000000, 80284000000}},
    {86, 12, 0, 13830, {20000000, 899980000000}},
    {90, 7, 0, 13850, {10000, 8990000}},
    {90, 10, 0, 14020, {1414140000, 7585860000}},
    {90, 12, 0, 4130, {1000000000, 899000000000}},
    {90, 13, 0, 4130, {10000000000, 8990000000000}},
    {91, 8, 0, 11570, {10000, 89990000}},
    {91, 9, 0, 11570, {100000, 899900000}},
    {91, 10, 0, 14530, {6404410000, 2595590000}},
    {91, 11, 0, 14560, {20000000, 89980000000}},
    {91, 12, 0, 11570, {100000000, 899900000000}},
    {91, 13, 0, 14610, {4000000000, 8996000000000}},
    {92, 8, 0, 11730, {200000, 89800000}},
    {92, 9, 0, 14840, {284200000, 615800000}},
    {92, 10, 0, 14890, {3632000000, 5368000000}},
    {92, 11, 0, 14980, {130000000, 89870000000}},
    {92, 12, 0, 15220, {69000000, 899931000000}},
    {93, 9, 0, 15250, {372000000, 528000000}},
    {94, 9, 0, 15340, {253100000, 646900000}},
    {95, 6, 0, 15350, {90000, 810000}},
    {95, 7, 0, 15450, {2230000, 6770000}},
    {95, 8, 0, 15640, {9262000, 80738000}},
    {95, 9, 0, 16010, {25410000, 874590000}},
    {95, 10, 0, 16090, {291020000, 8708980000}},
    {98, 4, 0, 100, {9000, 0}},
    {98, 5, 0, 100, {90000, 0}},
    {98, 6, 0, 16190, {155000, 745000}},
    {98, 7, 0, 16290, {930000, 8070000}},
    {98, 10, 0, 16450, {3471940000, 5528060000}},
    {211, 9, 0, 16460, {90000000, 810000000}},
    {212, 9, 0, 16550, {212440000, 687560000}},
    {213, 8, 0, 16570, {38000000, 52000000}},
    {213, 9, 0, 16630, {152900000, 747100000}},
    {216, 8, 0, 16670, {53631000, 36369000}},
    {218, 9, 0, 16780, {361000000, 539000000}},
    {220, 7, 0, 16860, {7302000, 1698000}},
    {220, 9, 0, 16960, {8688000, 891312000}},
    {221, 9, 0, 17010, {124000000, 776000000}},
    {222, 8, 0, 17030, {29300000, 60700000}},
    {223, 8, 0, 17090, {42030000, 47970000}},
    {224, 8, 0, 17140, {1200000, 88800000}},
    {224, 9, 0, 17150, {61000000, 839000000}},
    {225, 10, 1, 17210, {502200000, 9397800000}},
    {226, 8, 1, 17280, {39500000, 59500000}},
    {227, 8, 1, 17360, {27410000, 71590000}},
    {228, 8, 0, 17380, {15400000, 74600000}},
    {229, 10, 1, 17410, {50000000, 9850000000}},
    {230, 7, 0, 17460, {2680000, 6320000}},
    {230, 8, 0, 17520, {6190000, 83810000}},
    {230, 10, 0, 17530, {10000000, 8990000000}},
    {231, 7, 0, 17540, {2200000, 6800000}},
    {231, 8, 0, 200, {10000000, 80000000}},
    {231, 9, 0, 17600, {25310000, 874690000}},
    {232, 8, 0, 17620, {22240000, 67760000}},
    {233, 8, 0, 4130, {100000, 89900000}},
    {233, 9, 0, 17780, {162950000, 737050000}},
    {234, 10, 0, 17850, {732000000, 8268000000}},
    {234, 11, 0, 17860, {200000000, 89800000000}},
    {234, 12, 0, 17860, {2000000000, 898000000000}},
    {235, 8, 0, 17890, {26120000, 63880000}},
    {236, 8, 0, 17920, {10010000, 79990000}},
    {237, 8, 0, 6400, {1000000, 89000000}},
    {237, 9, 0, 17950, {77000000, 823000000}},
    {238, 7, 0, 17980, {2710000, 6290000}},
    {239, 7, 0, 18000, {395000, 8605000}},
    {240, 9, 0, 18070, {34100000, 865900000}},
    {241, 7, 1, 140, {6000000, 3900000}},
    {241, 8, 1, 18090, {14600000, 84400000}},
    {242, 9, 1, 18150, {44700000, 945300000}},
    {243, 7, 0, 18160, {6100000, 2900000}},
    {243, 8, 0, 18170, {100000, 89900000}},
    {243, 9, 0, 18180, {160000000, 740000000}},
    {243, 10, 0, 18190, {10000000, 8990000000}},
    {244, 9, 0, 18220, {164000000, 736000000}},
    {245, 7, 0, 6100, {100000, 8900000}},
    {245, 9, 0, 18250, {15000000, 885000000}},
    {246, 7, 0, 18260, {200000, 8800000}},
    {247, 5, 1, 18270, {50000, 49000}},
    {247, 6, 1, 18280, {490000, 500000}},
    {248, 7, 0, 18320, {1312000, 7688000}},
    {249, 9, 0, 18360, {114000000, 786000000}},
    {250, 8, 1, 18370, {1000000, 98000000}},
    {250, 9, 1, 18390, {102000000, 888000000}},
    {251, 9, 0, 19010, {167570000, 732430000}},
    {252, 6, 0, 19020, {330000, 570000}},
    {252, 7, 0, 19030, {4000000, 5000000}},
    {252, 8, 0, 19050, {30100000, 59900000}},
    {252, 9, 0, 19060, {260000000, 640000000}},
    {253, 8, 0, 19080, {1600000, 88400000}},
    {254, 7, 0, 19100, {1800000, 7200000}},
    {254, 8, 0, 19110, {21000000, 69000000}},
    {254, 9, 0, 19180, {416700000, 483300000}},
    {254, 10, 0, 19190, {8000000, 8992000000}},
    {255, 9, 0, 19210, {285000000, 615000000}},
    {256, 9, 0, 19320, {296548000, 603452000}},
    {257, 8, 0, 19340, {19000000, 71000000}},
    {258, 8, 0, 19360, {4800000, 85200000}},
    {258, 9, 0, 19380, {81000000, 819000000}},
    {260, 9, 0, 19390, {149000000, 751000000}},
    {261, 9, 0, 19450, {92920000, 807080000}},
    {262, 9, 0, 19690, {29220000, 870780000}},
    {263, 7, 0, 19720, {30000, 8970000}},
    {263, 9, 0, 19830, {67100000, 832900000}},
    {263, 10, 0, 19870, {10000000, 8990000000}},
    {264, 8, 0, 20000, {1121000, 88879000}},
    {264, 9, 0, 20110, {76000000, 824000000}},
    {265, 7, 0, 20120, {800000, 8200000}},
    {265, 9, 0, 20130, {81000000, 819000000}},
    {266, 8, 0, 20160, {30040000, 59960000}},
    {267, 7, 1, 20230, {2430000, 7470000}},
    {267, 8, 1, 20270, {8316000, 90684000}},
    {267, 10, 1, 20280, {11000000, 9889000000}},
    {268, 8, 1, 20290, {14010000, 84990000}},
    {268, 9, 1, 20300, {1000000, 989000000}},
    {269, 7, 0, 20310, {3400000, 5600000}},
    {290, 4, 0, 360, {1000, 8000}},
    {290, 5, 0, 20320, {40000, 50000}},
    {291, 7, 0, 20350, {2140000, 6860000}},
    {297, 7, 0, 20420, {1080000, 7920000}},
    {298, 6, 0, 20470, {588100, 311900}},
    {299, 6, 0, 20480, {700000, 200000}},
    {350, 8, 0, 20570, {5828000, 84172000}},
    {351, 9, 0, 20830, {133676000, 766324000}},
    {352, 4, 0, 20850, {6400, 2600}},
    {352, 5, 0, 20890, {63700, 26300}},
    {352, 6, 0, 20890, {637000, 263000}},
    {352, 7, 0, 20890, {6370000, 2630000}},
    {352, 8, 0, 20920, {64300000, 25700000}},
    {352, 9, 0, 20970, {652000000, 248000000}},
    {352, 10, 0, 20890, {6370000000, 2630000000}},
    {352, 11, 0, 20980, {63000000000, 27000000000}},
    {353, 7, 0, 20990, {2000000, 7000000}},
    {353, 8, 0, 21020, {15400000, 74600000}},
    {353, 9, 0, 21050, {373000000, 527000000}},
    {353, 10, 0, 21100, {270000000, 8730000000}},
    {354, 7, 0, 21330, {3247000, 5753000}},
    {354, 9, 0, 21350, {3000000, 897000000}},
    {355, 6, 0, 21390, {1800, 898200}},
    {355, 7, 0, 4130, {10000, 8990000}},
    {355, 8, 0, 21470, {35493000, 54507000}},
    {355, 9, 0, 21490, {26000000, 874000000}},
    {356, 8, 0, 21670, {9863000, 80137000}},
    {357, 8, 0, 21700, {13400000, 76600000}},
    {358, 5, 0, 21730, {49400, 40600}},
    {358, 6, 0, 21760, {695000, 205000}},
    {358, 7, 0, 21770, {6960000, 2040000}},
    {358, 8, 0, 21810, {70510000, 19490000}},
    {358, 9, 0, 21830, {715100000, 184900000}},
    {358, 10, 0, 21850, {1760000000, 7240000000}},
    {358, 11, 0, 21860, {500000000, 89500000000}},
    {358, 12, 0, 21860, {5000000000, 895000000000}},
    {359, 6, 0, 200, {100000, 800000}},
    {359, 7, 0, 21880, {6860000, 2140000}},
    {359, 8, 0, 21900, {70100000, 19900000}},
    {359, 9, 0, 21920, {42000000, 858000000}},
    {359, 12, 0, 100, {900000000000, 0}},
    {370, 8, 0, 21970, {21400000, 68600000}},
    {371, 8, 0, 21980, {23000000, 67000000}},
    {372, 7, 0, 22050, {3491000, 5509000}},
    {372, 8, 0, 22140, {15971200, 74028800}},
    {372, 10, 0, 22150, {1000000, 8999000000}},
    {373, 8, 0, 22210, {35100000, 54900000}},
    {374, 8, 0, 22290, {26580000, 63420000}},
    {375, 6, 0, 4130, {1000, 899000}},
    {375, 7, 0, 4130, {10000, 8990000}},
    {375, 8, 0, 4130, {100000, 89900000}},
    {375, 9, 0, 22390, {64900000, 835100000}},
    {375, 10, 0, 22410, {50000000, 8950000000}},
    {375, 11, 0, 22420, {100000000, 89900000000}},
    {376, 6, 0, 11540, {700000, 200000}},
    {376, 8, 0, 22430, {20000, 89980000}},
    {376, 9, 0, 22440, {1000000, 899000000}},
    {377, 8, 0, 22480, {20100000, 69900000}},
    {377, 9, 0, 320, {200000000, 700000000}},
    {378, 8, 1, 22510, {8000000, 91000000}},
    {378, 10, 1, 22560, {160000, 9899840000}},
    {380, 9, 0, 22620, {479100000, 420900000}},
    {380, 10, 0, 22650, {11000000, 8989000000}},
    {381, 6, 0, 22690, {35000, 865000}},
    {381, 7, 0, 22740, {2792000, 6208000}},
    {381, 8, 0, 22750, {36920000, 53080000}},
    {381, 9, 0, 22760, {379200000, 520800000}},
    {381, 10, 0, 22770, {2892000000, 6108000000}},
    {381, 11, 0, 22780, {26520000000, 63480000000}},
    {381, 12, 0, 22780, {265200000000, 634800000000}},
    {382, 8, 0, 22890, {12700000, 77300000}},
    {382, 9, 0, 22910, {1000000, 899000000}},
    {383, 8, 0, 22920, {11200000, 78800000}},
    {383, 9, 0, 22940, {13000000, 887000000}},
    {383, 10, 0, 2480, {100000000, 8900000000}},
    {383, 11, 0, 2480, {1000000000, 89000000000}},
    {383, 12, 0, 2480, {10000000000, 890000000000}},
    {385, 7, 0, 22950, {300000, 8700000}},
    {385, 8, 0, 22970, {40000000, 50000000}},
    {385, 9, 0, 23010, {273270000, 626730000}},
    {386, 5, 0, 100, {90000, 0}},
    {386, 6, 0, 23050, {23000, 877000}},
    {386, 7, 0, 23050, {230000, 8770000}},
    {386, 8, 0, 23130, {56450000, 33550000}},
    {387, 8, 0, 23240, {26823000, 63177000}},
    {387, 9, 0, 23270, {12100000, 887900000}},
    {389, 8, 0, 23430, {38971000, 51029000}},
    {420, 9, 0, 23490, {407100000, 492900000}},
    {420, 10, 0, 20720, {100000000, 8900000000}},
    {420, 11, 0, 23500, {2000000000, 88000000000}},
    {420, 12, 0, 20720, {10000000000, 890000000000}},
    {421, 6, 0, 23530, {4400, 895600}},
    {421, 7, 0, 23560, {59000, 8941000}},
    {421, 9, 0, 23620, {451500000, 448500000}},
    {423, 7, 0, 23800, {841300, 8158700}},
    {423, 9, 0, 23860, {22020000, 877980000}},
    {500, 5, 0, 140, {60000, 30000}},
    {501, 7, 1, 23900, {2040000, 7860000}},
    {501, 11, 1, 13820, {10000000, 98990000000}},
    {502, 8, 0, 23910, {54500000, 35500000}},
    {502, 11, 0, 23930, {1200000000, 88800000000}},
    {503, 7, 0, 23940, {30000, 8970000}},
    {503, 8, 0, 23950, {39000000, 51000000}},
    {503, 11, 0, 11730, {200000000, 89800000000}},
    {504, 8, 0, 24130, {42380000, 47620000}},
    {504, 11, 0, 24150, {10000000, 89990000000}},
    {505, 8, 0, 24180, {29010000, 60990000}},
    {506, 8, 0, 24240, {34072000, 55928000}},
    {506, 10, 0, 24260, {40000000, 8960000000}},
    {507, 7, 0, 24450, {4140000, 4860000}},
    {507, 8, 0, 24460, {10100000, 79900000}},
    {507, 10, 0, 4130, {10000000, 8990000000}},
    {507, 11, 0, 100, {90000000000, 0}},
    {508, 6, 0, 20, {800000, 100000}},
    {508, 9, 0, 24500, {40130000, 859870000}},
    {509, 8, 0, 24550, {37600000, 52400000}},
    {590, 9, 0, 24690, {42890000, 857110000}},
    {591, 8, 0, 24800, {26550000, 63450000}},
    {591, 9, 0, 24840, {20000, 899980000}},
    {592, 7, 0, 24930, {2631000, 6369000}},
    {593, 8, 0, 24950, {36060000, 53940000}},
    {593, 9, 0, 24980, {36300000, 863700000}},
    {593, 10, 0, 24990, {2000000, 8998000000}},
    {593, 11, 0, 11570, {10000000, 89990000000}},
    {594, 9, 0, 25120, {42550000, 857450000}},
    {595, 6, 0, 25130, {50000, 850000}},
    {595, 7, 0, 25160, {2100000, 6900000}},
    {595, 8, 0, 25250, {43800000, 46200000}},
    {595, 9, 0, 25300, {460250000, 439750000}},
    {595, 10, 0, 25310, {1000000, 8999000000}},
    {595, 11, 0, 25310, {10000000, 89990000000}},
    {596, 9, 0, 25410, {43250000, 856750000}},
    {597, 6, 0, 25420, {280000, 620000}},
    {597, 7, 0, 25430, {2200000, 6800000}},
    {598, 4, 0, 100, {9000, 0}},
    {598, 5, 0, 15540, {1000, 89000}},
    {598, 6, 0, 100, {900000, 0}},
    {598, 7, 0, 25530, {120000, 8880000}},
    {598, 8, 0, 25540, {25040000, 64960000}},
    {598, 9, 0, 100, {900000000, 0}},
    {598, 10, 0, 100, {9000000000, 0}},
    {598, 11, 0, 100, {90000000000, 0}},
    {598, 12, 0, 100, {900000000000, 0}},
    {599, 7, 0, 25600, {285000, 8715000}},
    {599, 8, 0, 25660, {1930000, 88070000}},
    {670, 7, 0, 25670, {2100000, 6900000}},
    {670, 8, 0, 25680, {7000000, 83000000}},
    {672, 6, 0, 25710, {64000, 836000}},
    {673, 7, 0, 2100, {6000000, 3000000}},
    {674, 7, 0, 25730, {1120000, 7880000}},
    {675, 7, 0, 25790, {1310000, 7690000}},
    {675, 8, 0, 25800, {16000000, 74000000}},
    {676, 5, 1, 25810, {36000, 63000}},
    {676, 7, 1, 25850, {1951000, 7949000}},
    {677, 5, 0, 25860, {40000, 50000}},
    {677, 7, 0, 25870, {2700000, 6300000}},
    {678, 5, 0, 25910, {17700, 72300}},
    {678, 7, 0, 25930, {2920000, 6080000}},
    {679, 7, 1, 25950, {5510000, 4390000}},
    {679, 11, 1, 13820, {10000000, 98990000000}},
    {680, 7, 0, 26030, {650000, 8350000}},
    {681, 6, 0, 26040, {70000, 830000}},
    {681, 9, 0, 26050, {6000000, 894000000}},
    {682, 5, 0, 26060, {51000, 39000}},
    {683, 4, 0, 2440, {4000, 5000}},
    {683, 7, 0, 26080, {9000, 8991000}},
    {685, 5, 0, 26090, {49000, 41000}},
    {685, 6, 0, 26100, {11000, 889000}},
    {685, 7, 0, 26110, {1200000, 7800000}},
    {685, 10, 0, 2010, {100000000, 8900000000}},
    {686, 5, 0, 26120, {36000, 54000}},
    {686, 8, 0, 26220, {11031200, 78968800}},
    {687, 6, 1, 26230, {621000, 369000}},
    {688, 5, 0, 26240, {9000, 81000}},
    {688, 6, 0, 15920, {10000, 890000}},
    {688, 7, 0, 11840, {200000, 8800000}},
    {689, 6, 0, 13840, {10000, 890000}},
    {689, 8, 0, 26270, {4000000, 86000000}},
    {689, 9, 0, 26050, {6000000, 894000000}},
    {690, 4, 0, 26280, {2600, 6400}},
    {690, 5, 0, 26280, {26000, 64000}},
    {690, 6, 0, 26280, {260000, 640000}},
    {690, 7, 0, 26280, {2600000, 6400000}},
    {691, 7, 0, 26320, {649400, 8350600}},
    {692, 7, 0, 26390, {120000, 8880000}},
    {800, 8, 0, 100, {90000000, 0}},
    {808, 8, 0, 100, {90000000, 0}},
    {850, 8, 0, 26410, {22000000, 68000000}},
    {850, 10, 0, 26430, {40000000, 8960000000}},
    {852, 5, 0, 100, {90000, 0}},
    {852, 6, 0, 100, {900000, 0}},
    {852, 7, 0, 26450, {1000, 8999000}},
    {852, 8, 0, 26820, {50400000, 39600000}},
    {852, 9, 0, 4130, {1000000, 899000000}},
    {852, 11, 0, 26850, {90000000, 89910000000}},
    {853, 7, 1, 13820, {1000, 9899000}},
    {853, 8, 1, 26900, {12710000, 86290000}},
    {855, 8, 0, 26980, {51430000, 38570000}},
    {855, 9, 0, 27060, {146200000, 753800000}},
    {855, 10, 0, 27140, {250000, 8999750000}},
    {856, 8, 0, 27150, {15000000, 75000000}},
    {856, 9, 0, 27160, {10000000, 890000000}},
    {856, 10, 0, 27190, {52000000, 8948000000}},
    {870, 9, 0, 27200, {430000000, 470000000}},
    {870, 12, 0, 27230, {200000000, 899800000000}},
    {878, 12, 0, 8280, {10000000000, 890000000000}},
    {880, 6, 0, 27250, {14000, 886000}},
    {880, 7, 0, 27430, {495400, 8504600}},
    {880, 8, 0, 27780, {8225000, 81775000}},
    {880, 9, 0, 28300, {30821000, 869179000}},
    {880, 10, 0, 28370, {1529000000, 7471000000}},
    {881, 9, 1, 28380, {790000000, 200000000}},
    {881, 10, 1, 290, {1000000000, 8900000000}},
    {882, 7, 0, 28390, {110000, 8890000}},
    {882, 8, 0, 28450, {4360000, 85640000}},
    {882, 9, 0, 28470, {21000000, 879000000}},
    {882, 10, 0, 28500, {1150000000, 7850000000}},
    {882, 11, 0, 28530, {1020000000, 88980000000}},
    {882, 12, 0, 28560, {51000000000, 849000000000}},
    {883, 8, 0, 28630, {2870000, 87130000}},
    {883, 9, 0, 28660, {28800000, 871200000}},
    {883, 10, 0, 28680, {297000000, 8703000000}},
    {883, 11, 0, 28630, {2870000000, 87130000000}},
    {883, 12, 0, 28730, {30900000000, 869100000000}},
    {886, 7, 0, 28740, {10000, 8990000}},
    {886, 8, 0, 28890, {42337000, 47663000}},
    {886, 9, 0, 28980, {260503000, 639497000}},
    {886, 10, 0, 3830, {100000000, 8900000000}},
    {886, 11, 0, 29030, {7400000, 89992600000}},
    {888, 11, 1, 29040, {99000000000, 0}},
    {960, 7, 0, 29100, {2400000, 6600000}},
    {960, 10, 0, 11730, {20000000, 8980000000}},
    {961, 7, 0, 29120, {7550000, 1450000}},
    {961, 8, 0, 29150, {14500000, 75500000}},
    {962, 8, 0, 29360, {15883000, 74117000}},
    {962, 9, 0, 29390, {48200000, 851800000}},
    {963, 8, 0, 29400, {16000000, 74000000}},
    {963, 9, 0, 29420, {150000000, 750000000}},
    {964, 8, 0, 29440, {27000000, 63000000}},
    {964, 9, 0, 29450, {170000000, 730000000}},
    {964, 10, 0, 29460, {700000000, 8300000000}},
    {965, 7, 0, 29470, {100000, 8900000}},
    {965, 8, 0, 29690, {16250000, 73750000}},
    {966, 9, 0, 29720, {127000000, 773000000}},
    {966, 10, 0, 4130, {10000000, 8990000000}},
    {967, 7, 0, 29750, {3480000, 5520000}},
    {967, 8, 0, 21590, {1000000, 89000000}},
    {967, 9, 0, 29760, {50000000, 850000000}},
    {968, 7, 0, 11000, {10000, 8990000}},
    {968, 8, 0, 29800, {24040000, 65960000}},
    {968, 9, 0, 29830, {100000, 899900000}},
    {970, 8, 0, 29900, {1800000, 88200000}},
    {970, 9, 0, 29910, {20000000, 880000000}},
    {970, 10, 0, 24990, {2000000, 8998000000}},
    {971, 5, 0, 100, {90000, 0}},
    {971, 6, 0, 4130, {1000, 899000}},
    {971, 7, 0, 4130, {10000, 8990000}},
    {971, 8, 0, 29920, {42100000, 47900000}},
    {971, 9, 0, 29980, {72600000, 827400000}},
    {971, 10, 0, 4130, {10000000, 8990000000}},
    {971, 11, 0, 4130, {100000000, 89900000000}},
    {971, 12, 0, 4130, {1000000000, 899000000000}},
    {972, 7, 0, 30000, {1000, 8999000}},
    {972, 8, 0, 30020, {50010000, 39990000}},
    {972, 9, 0, 30140, {102420000, 797580000}},
    {972, 10, 0, 30180, {20000000, 8980000000}},
    {972, 11, 0, 30200, {200000000, 89800000000}},
    {972, 12, 0, 30200, {2000000000, 898000000000}},
    {973, 8, 0, 30300, {30650000, 59350000}},
    {974, 7, 0, 30310, {310000, 8690000}},
    {974, 8, 0, 30340, {43011000, 46989000}},
    {974, 9, 0, 4130, {1000000, 899000000}},
    {974, 11, 0, 100, {90000000000, 0}},
    {975, 7, 0, 30390, {2300000, 6700000}},
    {975, 8, 0, 30400, {4000000, 86000000}},
    {976, 8, 0, 30480, {35840000, 54160000}},
    {976, 9, 0, 30510, {48000000, 852000000}},
    {976, 10, 0, 30530, {400000000, 8600000000}},
    {977, 8, 0, 30620, {34100000, 55900000}},
    {977, 10, 0, 30640, {180000000, 8820000000}},
    {977, 11, 0, 30680, {10100000, 89989900000}},
    {979, 9, 0, 30690, {400000000, 500000000}},
    {992, 9, 1, 30740, {494000000, 496000000}},
    {993, 8, 0, 30810, {18400000, 71600000}},
    {994, 9, 0, 30930, {148451000, 751549000}},
    {995, 9, 0, 31400, {115556000, 784444000}},
    {996, 9, 0, 31550, {137500000, 762500000}},
    {996, 10, 0, 4130, {10000000, 8990000000}},
    {998, 9, 0, 31950, {252540000, 647460000}},
};

const tally_phone_region tally_phone_regions[TALLY_PHONE_REGIONS] = {
    {"AC", "", 247},
    {"AD", "", 376},
    {"AE", "0", 971},
    {"AF", "0", 93},
    {"AG", "1", 1},
    {"AI", "1", 1},
    {"AL", "0", 355},
    {"AM", "0", 374},
    {"AO", "", 244},
    {"AR", "0", 54},
    {"AS", "1", 1},
    {"AT", "0", 43},
    {"AU", "0", 61},
    {"AW", "", 297},
    {"AX", "0", 358},
    {"AZ", "0", 994},
    {"BA", "0", 387},
    {"BB", "1", 1},
    {"BD", "0", 880},
    {"BE", "0", 32},
    {"BF", "", 226},
    {"BG", "0", 359},
    {"BH", "", 973},
    {"BI", "", 257},
    {"BJ", "", 229},
    {"BL", "0", 590},
    {"BM", "1", 1},
    {"BN", "", 673},
    {"BO", "0", 591},
    {"BQ", "", 599},
    {"BR", "0", 55},
    {"BS", "1", 1},
    {"BT", "", 975},
    {"BW", "", 267},
    {"BY", "", 375},
    {"BZ", "", 501},
    {"CA", "1", 1},
    {"CC", "0", 61},
    {"CD", "0", 243},
    {"CF", "", 236},
    {"CG", "", 242},
    {"CH", "0", 41},
    {"CI", "", 225},
    {"CK", "", 682},
    {"CL", "", 56},
    {"CM", "", 237},
    {"CN", "0", 86},
    {"CO", "0", 57},
    {"CR", "", 506},
    {"CU", "0", 53},
    {"CV", "", 238},
    {"CW", "", 599},
    {"CX", "0", 61},
    {"CY", "", 357},
    {"CZ", "", 420},
    {"DE", "0", 49},
    {"DJ", "", 253},
    {"DK", "", 45},
    {"DM", "1", 1},
    {"DO", "1", 1},
    {"DZ", "0", 213},
    {"EC", "0", 593},
    {"EE", "", 372},
    {"EG", "0", 20},
    {"EH", "0", 212},
    {"ER", "0", 291},
    {"ES", "", 34},
    {"ET", "0", 251},
    {"FI", "0", 358},
    {"FJ", "", 679},
    {"FK", "", 500},
    {"FM", "", 691},
    {"FO", "", 298},
    {"FR", "0", 33},
    {"GA", "", 241},
    {"GB", "0", 44},
    {"GD", "1", 1},
    {"GE", "0", 995},
    {"GF", "0", 594},
    {"GG", "0", 44},
    {"GH", "0", 233},
    {"GI", "", 350},
    {"GL", "", 299},
    {"GM", "", 220},
    {"GN", "", 224},
    {"GP", "0", 590},
    {"GQ", "", 240},
    {"GR", "", 30},
    {"GT", "", 502},
    {"GU", "1", 1},
    {"GW", "", 245},
    {"GY", "", 592},
    {"HK", "", 852},
    {"HN", "", 504},
    {"HR", "0", 385},
    {"HT", "", 509},
    {"HU", "06", 36},
    {"ID", "0", 62},
    {"IE", "0", 353},
    {"IL", "0", 972},
    {"IM", "0", 44},
    {"IN", "0", 91},
    {"IO", "", 246},
    {"IQ", "0", 964},
    {"IR", "0", 98},
    {"IS", "", 354},
    {"IT", "", 39},
    {"JE", "0", 44},
    {"JM", "1", 1},
    {"JO", "0", 962},
    {"JP", "0", 81},
    {"KE", "0", 254},
    {"KG", "0", 996},
    {"KH", "0", 855},
    {"KI", "0", 686},
    {"KM", "", 269},
    {"KN", "1", 1},
    {"KP", "0", 850},
    {"KR", "0", 82},
    {"KW", "", 965},
    {"KY", "1", 1},
    {"KZ", "8", 7},
    {"LA", "0", 856},
    {"LB", "0", 961},
    {"LC", "1", 1},
    {"LI", "0", 423},
    {"LK", "0", 94},
    {"LR", "0", 231},
    {"LS", "", 266},
    {"LT", "0", 370},
    {"LU", "", 352},
    {"LV", "", 371},
    {"LY", "0", 218},
    {"MA", "0", 212},
    {"MC", "0", 377},
    {"MD", "0", 373},
    {"ME", "0", 382},
    {"MF", "0", 590},
    {"MG", "0", 261},
    {"MH", "1", 692},
    {"MK", "0", 389},
    {"ML", "", 223},
    {"MM", "0", 95},
    {"MN", "0", 976},
    {"MO", "", 853},
    {"MP", "1", 1},
    {"MQ", "0", 596},
    {"MR", "", 222},
    {"MS", "1", 1},
    {"MT", "", 356},
    {"MU", "", 230},
    {"MV", "", 960},
    {"MW", "0", 265},
    {"MX", "", 52},
    {"MY", "0", 60},
    {"MZ", "", 258},
    {"NA", "0", 264},
    {"NC", "", 687},
    {"NE", "", 227},
    {"NF", "", 672},
    {"NG", "0", 234},
    {"NI", "", 505},
    {"NL", "0", 31},
    {"NO", "", 47},
    {"NP", "0", 977},
    {"NR", "", 674},
    {"NU", "", 683},
    {"NZ", "0", 64},
    {"OM", "", 968},
    {"PA", "", 507},
    {"PE", "0", 51},
    {"PF", "", 689},
    {"PG", "", 675},
    {"PH", "0", 63},
    {"PK", "0", 92},
    {"PL", "", 48},
    {"PM", "0", 508},
    {"PR", "1", 1},
    {"PS", "0", 970},
    {"PT", "", 351},
    {"PW", "", 680},
    {"PY", "0", 595},
    {"QA", "", 974},
    {"RE", "0", 262},
    {"RO", "0", 40},
    {"RS", "0", 381},
    {"RU", "8", 7},
    {"RW", "", 250},
    {"SA", "0", 966},
    {"SB", "", 677},
    {"SC", "", 248},
    {"SD", "0", 249},
    {"SE", "0", 46},
    {"SG", "", 65},
    {"SH", "", 290},
    {"SI", "0", 386},
    {"SJ", "", 47},
    {"SK", "0", 421},
    {"SL", "0", 232},
    {"SM", "", 378},
    {"SN", "", 221},
    {"SO", "0", 252},
    {"SR", "", 597},
    {"SS", "0", 211},
    {"ST", "", 239},
    {"SV", "", 503},
    {"SX", "1", 1},
    {"SY", "0", 963},
    {"SZ", "", 268},
    {"TA", "", 290},
    {"TC", "1", 1},
    {"TD", "", 235},
    {"TG", "", 228},
    {"TH", "0", 66},
    {"TJ", "", 992},
    {"TK", "", 690},
    {"TL", "", 670},
    {"TM", "8", 993},
    {"TN", "", 216},
    {"TO", "", 676},
    {"TR", "0", 90},
    {"TT", "1", 1},
    {"TV", "", 688},
    {"TW", "0", 886},
    {"TZ", "0", 255},
    {"UA", "0", 380},
    {"UG", "0", 256},
    {"US", "1", 1},
    {"UY", "0", 598},
    {"UZ", "", 998},
    {"VA", "", 39},
    {"VC", "1", 1},
    {"VE", "0", 58},
    {"VG", "1", 1},
    {"VI", "1", 1},
    {"VN", "0", 84},
    {"VU", "", 678},
    {"WF", "", 681},
    {"WS", "", 685},
    {"XK", "0", 383},
    {"YE", "0", 967},
    {"YT", "0", 262},
    {"ZA", "0", 27},
    {"ZM", "0", 260},
    {"ZW", "0", 263},
};

/* ---- core/formats/pseudonym.c ---- */
/*
 * pseudonym: text replaced by the beginning of HMAC-SHA-256, for good. Equal values have equal
 * pseudonyms. Whoever has the key can still try values and compare. */

enum {
    PSEUDONYM_ROWS = 1024, /* that are hashed together */
    PSEUDONYM_LENGTH = 26, /* if nothing else is given: 130 bits of base32 */
    PSEUDONYM_LEAST_BITS = 64
};

static const char pseudonym_purpose[] = "tallystick pseudonym 1";

typedef struct pseudonym_notation {
    const char *symbols;
    uint32_t bits; /* of a character */
} pseudonym_notation;

static const char *const pseudonym_names[] = {"hex", "base32", "base64url", NULL};

static const pseudonym_notation pseudonym_notations[] = {
    {"0123456789abcdef", 4},
    {"abcdefghijklmnopqrstuvwxyz234567", 5},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6},
};

enum { PSEUDONYM_BASE32 = 1 };

typedef struct pseudonym_format {
    const char *symbols;
    uint32_t bits, length;
} pseudonym_format;

static const tally_option pseudonym_options[] = {
    {"notation", TALLY_OPTION_CHOICE, 0, pseudonym_names},
    {"length", TALLY_OPTION_INTEGER, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { PSEUDONYM_NOTATION, PSEUDONYM_LENGTH_OPTION };

static int pseudonym_allows(uint32_t bits, int64_t length)
{
    const int64_t least = (PSEUDONYM_LEAST_BITS + bits - 1) / bits;
    return length >= least && length <= 8 * TALLY_SHA256_SIZE / bits;
}

static tally_status pseudonym_make(tally_format *format, const tally_option_value *values,
                                   tally_problem *problem)
{
    const tally_option_value *notation = &values[PSEUDONYM_NOTATION];
    const tally_option_value *length = &values[PSEUDONYM_LENGTH_OPTION];
    const size_t chosen = notation->given ? (size_t)notation->integer : PSEUDONYM_BASE32;
    const uint32_t bits = pseudonym_notations[chosen].bits;
    const int64_t characters = length->given ? length->integer : PSEUDONYM_LENGTH;
    tally_writer writer;
    if (!pseudonym_allows(bits, characters)) {
        /* Where the length would do in the notation that is the default, either is at fault. */
        const int either = notation->given &&
                           pseudonym_allows(pseudonym_notations[PSEUDONYM_BASE32].bits, characters);
        tally_format_refusal(format, problem, either ? NULL : "length", &writer);
        tally_write(&writer, "length must be ");
        tally_write_uint(&writer, (PSEUDONYM_LEAST_BITS + bits - 1) / bits);
        tally_write(&writer, "..");
        tally_write_uint(&writer, 8 * TALLY_SHA256_SIZE / bits);
        tally_write(&writer, " in ");
        tally_write(&writer, pseudonym_names[chosen]);
        return TALLY_ERROR_FORMAT;
    }
    pseudonym_format *own = tally_format_own(format, sizeof *own);
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    own->symbols = pseudonym_notations[chosen].symbols;
    own->bits = bits;
    own->length = (uint32_t)characters;
    format->one_way = 1;
    format->may_be_formula = own->bits == 6;
    format->example[0] = "Anne O'Neill";
    char identity[64];
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"pseudonym\",\"");
    tally_write(&writer, pseudonym_names[chosen]);
    tally_write(&writer, "\",");
    tally_write_uint(&writer, own->length);
    tally_write(&writer, "]");
    return tally_format_identify(format, writer.text, writer.size);
}

/* Eight digits of five bits or four, most significant first, as characters: those up to `letters` are
 * `first` and more, and those from there on `second` and more. A byte has one digit. */
static uint64_t pseudonym_characters(uint64_t digits, uint8_t letters, uint8_t first,
                                     uint8_t second)
{
    const uint64_t each = 0x0101010101010101;
    const uint64_t above = (digits + (uint64_t)(32 - letters) * each) >> 5 & each;
    return digits + first * each + above * (uint64_t)(second - letters - first);
}

/* Eight characters of base32, from 40 bits, or of hex, from 32. */
static uint64_t pseudonym_eight(const uint8_t *tag, uint32_t bits)
{
    uint64_t x = tally_load_be64(tag);
    if (bits == 5) {
        x >>= 24;
        x = (x & 0xfffff00000) << 12 | (x & 0xfffff);
        x = (x & 0x000ffc00000ffc00) << 6 | (x & 0x000003ff000003ff);
        x = (x & 0x03e003e003e003e0) << 3 | (x & 0x001f001f001f001f);
        return pseudonym_characters(x, 26, 'a', '2');
    }
    x >>= 32;
    x = (x & 0xffff0000) << 16 | (x & 0xffff);
    x = (x & 0x0000ff000000ff00) << 8 | (x & 0x000000ff000000ff);
    x = (x & 0x00f000f000f000f0) << 4 | (x & 0x000f000f000f000f);
    return pseudonym_characters(x, 10, '0', 'a');
}

/* Writes the first bits of a tag as characters. The tag has eight bytes more, of any value. */
static void pseudonym_write(const pseudonym_format *own, const uint8_t *tag, uint8_t *out)
{
    const uint32_t length = own->length, bits = own->bits;
    if (bits != 6) {
        uint32_t i = 0;
        for (; i + 8 <= length; i += 8, tag += bits) {
            tally_store_be64(pseudonym_eight(tag, bits), out + i);
        }
        if (i < length) {
            uint8_t last[8];
            tally_store_be64(pseudonym_eight(tag, bits), last);
            for (uint32_t j = 0; i < length; i++, j++) {
                out[i] = last[j];
            }
        }
        return;
    }
    uint32_t bit = 0;
    for (uint32_t i = 0; i < length; i++, bit += bits) {
        const uint32_t two = (uint32_t)tag[bit / 8] << 8 | tag[bit / 8 + 1];
        out[i] = (uint8_t)own->symbols[two >> (16 - bits - bit % 8) & ((1U << bits) - 1)];
    }
}

/* A context that has received part 1 of the tweak. */
static tally_status pseudonym_begin(tally_run *run, tally_hmac_sha256 *out)
{
    uint8_t derived[TALLY_SHA256_SIZE];
    const tally_status status = run->derive(run, pseudonym_purpose, derived);
    if (status == TALLY_OK) {
        tally_hmac_sha256_init(out, derived, sizeof derived);
        tally_hmac_sha256_update(out, run->tweak, run->tweak_size);
    }
    tally_wipe(derived, sizeof derived);
    return status;
}

/* Bytes that a row's own tweak may have. */
static uint64_t pseudonym_room(const tally_run *run)
{
    return run->tweak_size < TALLY_FAST_MAX_ROW_TWEAK ? TALLY_FAST_MAX_ROW_TWEAK - run->tweak_size
                                                      : 0;
}

/* Rows that are worked on together, in memory for as many as there are. */
typedef struct pseudonym_block {
    uint64_t *starts; /* of values, and the end of the last */
    uint64_t *tweaks;
    uint64_t *messages;
    uint8_t (*tags)[TALLY_SHA256_SIZE]; /* with eight bytes behind: pseudonym_write reads on */
} pseudonym_block;

static int pseudonym_block_init(tally_run *run, uint64_t rows, pseudonym_block *out)
{
    const size_t most = rows < PSEUDONYM_ROWS ? (size_t)rows : PSEUDONYM_ROWS;
    uint64_t *memory =
        run->scratch(run, 0, 3 * (most + 1) * sizeof *memory + most * TALLY_SHA256_SIZE + 8);
    if (memory == NULL) {
        return 0;
    }
    out->starts = memory;
    out->tweaks = memory + most + 1;
    out->messages = memory + 2 * (most + 1);
    out->tags = (uint8_t(*)[TALLY_SHA256_SIZE])(memory + 3 * (most + 1));
    return 1;
}

/* Puts the messages of rows together: the tweak behind its size, and the value. A row without a
 * tweak gets none, and its status. */
static const uint8_t *pseudonym_gather(tally_run *run, const tally_text_column *column,
                                       const pseudonym_block *block, uint64_t row, size_t rows)
{
    const uint64_t room = pseudonym_room(run);
    const uint64_t size = block->starts[rows] - block->starts[0] +
                          (block->tweaks[rows] - block->tweaks[0]) + 4 * (uint64_t)rows;
    uint8_t *messages = size <= SIZE_MAX ? run->scratch(run, 1, (size_t)size) : NULL;
    if (messages == NULL) {
        return NULL;
    }
    uint64_t at = 0;
    block->messages[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t tweak_size = block->tweaks[i + 1] - block->tweaks[i];
        const uint64_t own = block->starts[i + 1] - block->starts[i];
        if (tally_row_is_null(run->row_tweaks, row + i) || tweak_size > room) {
            column->status[row + i] = TALLY_REASON_TWEAK;
        } else if (!tally_row_is_null(&column->in, row + i)) {
            tally_store_be32((uint32_t)tweak_size, messages + at);
            memcpy(messages + at + 4, run->row_tweaks->values + block->tweaks[i],
                   (size_t)tweak_size);
            memcpy(messages + at + 4 + tweak_size, column->in.values + block->starts[i],
                   (size_t)own);
            at += 4 + tweak_size + own;
        }
        block->messages[i + 1] = at;
    }
    return messages;
}

static tally_status pseudonym_write_rows(const pseudonym_format *own,
                                         const tally_text_column *column,
                                         const pseudonym_block *block, uint64_t row, size_t rows)
{
    tally_text_out *out = column->out;
    for (size_t i = 0; i < rows; i++) {
        if (tally_row_is_null(&column->in, row + i)) {
            column->status[row + i] = 0;
            tally_text_out_end(out, 0);
            continue;
        }
        const uint64_t start = block->starts[i], size = block->starts[i + 1] - start;
        const int kept = column->status[row + i] != 0;
        if (tally_text_out_reserve(out, kept ? size : own->length) != TALLY_OK) {
            return TALLY_ERROR_MEMORY;
        }
        uint8_t *to = out->values + out->size;
        if (kept) {
            memcpy(to, column->in.values + start, (size_t)size);
        } else {
            pseudonym_write(own, block->tags[i], to);
        }
        tally_text_out_end(out, kept ? size : own->length);
    }
    return TALLY_OK;
}

static tally_status pseudonym_run(const pseudonym_format *own, tally_run *run,
                                  const tally_hmac_sha256 *context, tally_text_column *column,
                                  const pseudonym_block *block)
{
    tally_strings_reader reader, tweaks;
    uint64_t common;
    if (!tally_strings_init_ends(&column->in, &reader) ||
        (run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t row = 0; row < column->in.rows;) {
        const uint64_t left = column->in.rows - row;
        const size_t rows = left < PSEUDONYM_ROWS ? (size_t)left : PSEUDONYM_ROWS;
        if (!tally_strings_read(&reader, rows, block->starts, &common) ||
            (run->row_tweaks != NULL &&
             !tally_strings_read(&tweaks, rows, block->tweaks, &common))) {
            return TALLY_ERROR_ARGUMENT;
        }
        memset(column->status + row, 0, rows);
        const uint8_t *messages = column->in.values;
        const uint64_t *offsets = block->starts;
        if (run->row_tweaks != NULL) {
            messages = pseudonym_gather(run, column, block, row, rows);
            offsets = block->messages;
            if (messages == NULL) {
                return TALLY_ERROR_MEMORY;
            }
        }
        tally_hmac_sha256_rows(context, messages, offsets, rows, block->tags);
        const tally_status status = pseudonym_write_rows(own, column, block, row, rows);
        if (status != TALLY_OK) {
            return status;
        }
        row += rows;
    }
    return TALLY_OK;
}

static tally_status pseudonym_text(const tally_format *format, tally_run *run,
                                   tally_text_column *column)
{
    tally_hmac_sha256 context;
    pseudonym_block block;
    if (!pseudonym_block_init(run, column->in.rows, &block)) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = pseudonym_begin(run, &context);
    if (status == TALLY_OK) {
        status = pseudonym_run(format->own, run, &context, column, &block);
    }
    tally_hmac_sha256_wipe(&context);
    return status;
}

static tally_status pseudonym_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const pseudonym_format *own = format->own;
    uint8_t tag[TALLY_SHA256_SIZE + 8] = {0};
    if (run->row_tweaks != NULL && one->row_tweak_size > pseudonym_room(run)) {
        one->reason = TALLY_REASON_TWEAK;
        return TALLY_OK;
    }
    one->out_size = own->length;
    if (one->room < own->length) {
        return TALLY_ERROR_ROOM;
    }
    tally_hmac_sha256 context;
    const tally_status status = pseudonym_begin(run, &context);
    if (status != TALLY_OK) {
        return status;
    }
    if (run->row_tweaks != NULL) {
        uint8_t size[4];
        tally_store_be32((uint32_t)one->row_tweak_size, size);
        tally_hmac_sha256_update(&context, size, sizeof size);
        tally_hmac_sha256_update(&context, one->row_tweak, one->row_tweak_size);
    }
    tally_hmac_sha256_update(&context, one->value, one->size);
    tally_hmac_sha256_final(&context, tag);
    pseudonym_write(own, tag, one->out);
    tally_wipe(tag, sizeof tag);
    return TALLY_OK;
}

const tally_format_class tally_format_pseudonym = {
    .name = "pseudonym",
    .options = pseudonym_options,
    .make = pseudonym_make,
    .text = pseudonym_text,
    .one = pseudonym_one,
};

/* ---- core/formats/registry.c ---- */
/*
 * All formats, in the order of the documentation: a new one is a file, and a line here. */

#define REGISTRY_FORMATS(X)                                                                        \
    X(digits)                                                                                      \
    X(hex)                                                                                         \
    X(letters)                                                                                     \
    X(alphanumeric)                                                                                \
    X(base64url)                                                                                   \
    X(ascii)                                                                                       \
    X(alphabet)                                                                                    \
    X(card)                                                                                        \
    X(ssn)                                                                                         \
    X(phone)                                                                                       \
    X(email)                                                                                       \
    X(uuid)                                                                                        \
    X(date)                                                                                        \
    X(date_shift)                                                                                  \
    X(integer)                                                                                     \
    X(pattern)                                                                                     \
    X(iban)                                                                                        \
    X(national_id)                                                                                 \
    X(unicode)                                                                                     \
    X(decimal)                                                                                     \
    X(timestamp)                                                                                   \
    X(imei)                                                                                        \
    X(ipv4)                                                                                        \
    X(ipv6)                                                                                        \
    X(mask)                                                                                        \
    X(pseudonym)                                                                                   \
    X(bucket)                                                                                      \
    X(truncate)

#define REGISTRY_DECLARE(name) extern const tally_format_class tally_format_##name;
#define REGISTRY_LIST(name)    &tally_format_##name,

REGISTRY_FORMATS(REGISTRY_DECLARE)

const tally_format_class *const tally_format_classes[] = {REGISTRY_FORMATS(REGISTRY_LIST) NULL};

/* ---- core/formats/ssn.c ---- */
/*
 * The format "ssn". Without "assignable", plain digits with separators. With it, values and tokens
 * are numbers that can be assigned, or numbers that never are. */

enum { SSN_ASSIGNABLE = 898 * 99 * 9999, SSN_NUMBERS = 1000000000 };

static const tally_option ssn_options[] = {{"assignable", TALLY_OPTION_BOOLEAN, 0, NULL},
                                           TALLY_TEXT_COMMON};

static const tally_format_class ssn_layouts;

static tally_status ssn_make_layouts(tally_format *format, int assignable, tally_problem *problem)
{
    static const char *const notations[] = {"999(-)99(-)9999", "999 99 9999"};
    const tally_pattern_names names = {TALLY_CHECK_SSN, NULL, NULL};
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    format->of = &ssn_layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        const tally_status status =
            tally_pattern_add(format, layouts, notations[i], strlen(notations[i]), &names, problem);
        if (status != TALLY_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < layouts->count; i++) {
        layouts->layout[i].in_plan = (uint16_t)assignable;
        layouts->layout[i].size = assignable ? SSN_ASSIGNABLE : SSN_NUMBERS - SSN_ASSIGNABLE;
    }
    const char *identity = assignable ? "[\"ssn\",true]" : "[\"ssn\",false]";
    format->keeps_size = 1;
    format->example[0] = assignable ? "078-05-1120" : "987-65-4321";
    format->example[1] = assignable ? "078051120" : "987654321";
    tally_layouts_describe(layouts, format);
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, identity, strlen(identity)) : final;
}

static tally_status ssn_make(tally_format *format, const tally_option_value *values,
                             tally_problem *problem)
{
    if (!values[0].given) {
        return tally_text_preset_make(format, values, problem);
    }
    const tally_status status =
        tally_text_preset_refuse_changed(format, values, "assignable", problem);
    if (status != TALLY_OK) {
        return status;
    }
    return ssn_make_layouts(format, values[0].integer != 0, problem);
}

static const tally_format_class ssn_layouts = {
    .name = "ssn",
    .options = ssn_options,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};

const tally_format_class tally_format_ssn = {
    .name = "ssn", .options = ssn_options, .make = ssn_make, TALLY_TEXT_FUNCTIONS};

/* ---- core/formats/text.c ---- */
/*
 * The settings of text: what is allowed, the identity, and the shape that the core runs. */

enum { TEXT_SYMBOLS_LEAST = 4, TEXT_SYMBOLS_MOST = 95 };

/* How many characters there are; TEXT_SYMBOLS_MOST + 1 for more. With `distinct`, whether they
 * differ. */
static size_t text_count(tally_text_characters of, int *distinct)
{
    uint32_t found[TEXT_SYMBOLS_MOST];
    size_t count = 0;
    *distinct = 1;
    for (size_t at = 0; at < of.size;) {
        const uint32_t point = tally_utf8_next(of.text, of.size, &at);
        if (count == TEXT_SYMBOLS_MOST) {
            return count + 1;
        }
        for (size_t i = 0; i < count; i++) {
            *distinct &= found[i] != point;
        }
        found[count++] = point;
    }
    return count;
}

static int text_is_printable(tally_text_characters of)
{
    for (size_t i = 0; i < of.size; i++) {
        if (of.text[i] < ' ' || of.text[i] > '~') {
            return 0;
        }
    }
    return 1;
}

static int text_is_lower(tally_text_characters of)
{
    for (size_t i = 0; i < of.size; i++) {
        if (of.text[i] < 'a' || of.text[i] > 'z') {
            return 0;
        }
    }
    return of.size > 0;
}

static uint8_t text_upper(char lower)
{
    return (uint8_t)(lower - 'a' + 'A');
}

/* Counts the characters of a group in counts of all bytes. Returns 0 at the first that was there. */
static int text_once(tally_text_characters of, int upper, uint8_t seen[256])
{
    for (size_t i = 0; i < of.size; i++) {
        const uint8_t byte = upper ? text_upper(of.text[i]) : (uint8_t)of.text[i];
        if (seen[byte]) {
            return 0;
        }
        seen[byte] = 1;
    }
    return 1;
}

static tally_status text_check_characters(const tally_format *format, const tally_text_settings *s,
                                          tally_problem *problem)
{
    int distinct, any;
    const size_t count = text_count(s->alphabet, &distinct);
    if (count < TEXT_SYMBOLS_LEAST || count > TEXT_SYMBOLS_MOST || !distinct) {
        return tally_format_refuse(format, problem, "alphabet",
                                   "the alphabet must have 4..95 distinct characters");
    }
    if (s->fold_case && !text_is_lower(s->alphabet)) {
        return tally_format_refuse(format, problem, "fold_case",
                                   "to keep case, use an alphabet of lower-case letters only, "
                                   "because a digit can't show the case of its letter");
    }
    if (text_count(s->delimiter, &any) > 1) {
        return tally_format_refuse(format, problem, "delimiter",
                                   "the delimiter must be one character");
    }
    if (!text_is_printable(s->alphabet) || !text_is_printable(s->separators) ||
        !text_is_printable(s->leading) || !text_is_printable(s->delimiter)) {
        return tally_format_refuse(
            format, problem, text_is_printable(s->alphabet) ? "separators" : "alphabet",
            "alphabet, separators, leading and delimiter must be printable ASCII");
    }
    uint8_t seen[256] = {0};
    if (!text_once(s->alphabet, 0, seen) || (s->fold_case && !text_once(s->alphabet, 1, seen)) ||
        !text_once(s->separators, 0, seen) || !text_once(s->leading, 0, seen) ||
        !text_once(s->delimiter, 0, seen)) {
        return tally_format_refuse(format, problem, "separators",
                                   "a character is given twice; give it once, as a symbol, a "
                                   "separator, leading or the delimiter");
    }
    return TALLY_OK;
}

static int text_keeps(const tally_text_settings *s)
{
    return s->keep_first != 0 || s->keep_last != 0 || s->keep_positions != 0 ||
           s->keep_after_delimiter;
}

static uint64_t text_keep_mask(const tally_text_settings *s)
{
    const uint64_t first =
        s->keep_first == TALLY_TEXT_KEEP ? UINT64_MAX : (UINT64_C(1) << s->keep_first) - 1;
    return first | s->keep_positions;
}

/* The symbols of a value of so many that are encrypted freely; below 0 if it lacks some. */
static int64_t text_word_length(uint64_t keep, int64_t keep_last, tally_luhn luhn, int64_t symbols)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < symbols && i < TALLY_TEXT_KEEP; i++) {
        kept += (keep >> i & 1) != 0 && keep_last < symbols - i;
    }
    return symbols - kept - (symbols < keep_last ? symbols : keep_last) - (luhn != TALLY_LUHN_NONE);
}

/* The least length from 2 on of which there are so many words. */
static uint32_t text_length_for(uint64_t radix, uint64_t values)
{
    uint32_t length = 2;
    for (uint64_t words = radix * radix; words < values; words *= radix) {
        length++;
    }
    return length;
}

static tally_status text_check_numbers(const tally_format *format, const tally_text_settings *s,
                                       tally_problem *problem)
{
    if (s->keep_first < 0 || s->keep_last < 0 || s->keep_first > TALLY_TEXT_KEEP) {
        return tally_format_refuse(format, problem, NULL,
                                   "keep_first must be 0..64, and keep_last 0 or more");
    }
    int64_t last = 0;
    for (int i = 0; i < TALLY_TEXT_KEEP; i++) {
        last = (s->keep_positions >> i & 1) != 0 ? i : last;
    }
    if (s->keep_positions != 0 &&
        (s->keep_last > TALLY_TEXT_MAX_SYMBOLS || last + s->keep_last + 2 > s->min_length)) {
        /* Else the number of symbols that are kept would depend on the value, and the length of its
         * word would not tell which are. */
        return tally_format_refuse(format, problem, "keep_positions",
                                   "min_length must be so large that keep_positions and keep_last "
                                   "are different symbols of every value");
    }
    if (s->luhn != TALLY_LUHN_NONE &&
        (s->alphabet.size != 10 || memcmp(s->alphabet.text, "0123456789", 10) != 0)) {
        return tally_format_refuse(format, problem, "luhn",
                                   "a Luhn check digit needs the alphabet 0123456789");
    }
    if (s->min_length < 0 || s->min_length > s->max_length ||
        s->max_length > TALLY_TEXT_MAX_SYMBOLS) {
        return tally_format_refuse(format, problem, NULL,
                                   "lengths must be 0 <= min_length <= max_length <= 65536; the "
                                   "default of max_length is 1024");
    }
    return TALLY_OK;
}

/* Sets the lengths of words. */
static tally_status text_check_words(const tally_format *format, const tally_text_settings *s,
                                     tally_shape *shape, tally_problem *problem)
{
    const uint32_t radix = (uint32_t)s->alphabet.size;
    const uint64_t keep = text_keep_mask(s);
    int64_t least = 2;
    if (!format->allow_tiny_domain) {
        least = text_length_for(radix, TALLY_SMALLEST_DOMAIN);
    }
    const int64_t shortest = text_word_length(keep, s->keep_last, s->luhn, s->min_length);
    const int64_t longest = text_word_length(keep, s->keep_last, s->luhn, s->max_length);
    least = shortest > least ? shortest : least;
    if (longest < least) {
        tally_writer out;
        tally_format_refusal(format, problem, NULL, &out);
        tally_write(&out, "a value of ");
        tally_write_int(&out, s->max_length);
        tally_write(&out, " symbols has fewer than ");
        tally_write_int(&out, least);
        tally_write(&out, " to encrypt; keep fewer in clear, or allow longer values");
        return TALLY_ERROR_FORMAT;
    }
    shape->radix = radix;
    shape->min_symbols = (uint32_t)least;
    shape->max_symbols = (uint32_t)longest;
    shape->small_symbols = text_length_for(radix, TALLY_SMALL_DOMAIN);
    shape->keep = keep;
    shape->keep_last = (uint32_t)s->keep_last;
    return TALLY_OK;
}

static void text_set_kind(tally_shape *shape, tally_text_characters of, tally_byte_kind kind)
{
    for (size_t i = 0; i < of.size; i++) {
        const uint8_t byte =
            kind == TALLY_BYTE_UPPER ? text_upper(of.text[i]) : (uint8_t)of.text[i];
        shape->kind[byte] = (uint8_t)kind;
        if (kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER) {
            shape->symbol[byte] = (uint8_t)i;
            shape->letter[kind == TALLY_BYTE_UPPER][i] = byte;
        }
    }
}

static void text_shape(const tally_text_settings *s, tally_shape *shape)
{
    text_set_kind(shape, s->separators, TALLY_BYTE_KEPT);
    text_set_kind(shape, s->leading, TALLY_BYTE_LEADING);
    text_set_kind(shape, s->delimiter, TALLY_BYTE_DELIMITER);
    text_set_kind(shape, s->alphabet, TALLY_BYTE_SYMBOL);
    if (s->fold_case) {
        text_set_kind(shape, s->alphabet, TALLY_BYTE_UPPER);
    }
    shape->keep_after_delimiter = s->keep_after_delimiter != 0;
    shape->tweak_kept = s->kept_as_tweak && text_keeps(s);
    shape->luhn = (uint8_t)s->luhn;
}

static void text_write_boolean(tally_writer *out, int value)
{
    tally_write(out, value ? ",true" : ",false");
}

static void text_identity(const tally_text_settings *s, char identity[TALLY_TEXT_IDENTITY])
{
    static const char *const luhn[] = {"none", "valid", "invalid"};
    tally_writer out;
    tally_writer_init(&out, identity, TALLY_TEXT_IDENTITY);
    tally_write(&out, "[\"text\",");
    tally_write_json(&out, s->alphabet.text, s->alphabet.size);
    text_write_boolean(&out, s->fold_case);
    text_write_boolean(&out, s->keep_after_delimiter);
    tally_write_char(&out, ',');
    tally_write_int(&out, s->keep_first);
    tally_write_char(&out, ',');
    tally_write_int(&out, s->keep_last);
    tally_write(&out, ",[");
    for (int i = 0, listed = 0; i < TALLY_TEXT_KEEP; i++) {
        if ((s->keep_positions >> i & 1) != 0) {
            tally_write(&out, listed++ != 0 ? "," : "");
            tally_write_int(&out, i);
        }
    }
    tally_write_char(&out, ']');
    text_write_boolean(&out, s->kept_as_tweak && text_keeps(s));
    tally_write(&out, ",\"");
    tally_write(&out, luhn[s->luhn]);
    tally_write(&out, "\"]");
}

tally_status tally_text_init(const tally_format *format, const tally_text_settings *settings,
                             char identity[TALLY_TEXT_IDENTITY], tally_text *out,
                             tally_problem *problem)
{
    memset(out, 0, sizeof *out);
    tally_shape shape = {0};
    tally_status status = text_check_characters(format, settings, problem);
    if (status == TALLY_OK) {
        status = text_check_numbers(format, settings, problem);
    }
    if (status == TALLY_OK) {
        status = text_check_words(format, settings, &shape, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    text_shape(settings, &shape);
    const size_t size = tally_one_value_format_size();
    out->memory = tally_allocate(tally_format_allocator(format), size);
    if (out->memory == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    text_identity(settings, identity);
    return tally_one_value_format_init(&shape, out->memory, size, &out->one);
}

void tally_text_final(const tally_format *format, tally_text *text)
{
    tally_release(tally_format_allocator(format), text->memory, tally_one_value_format_size());
    text->memory = NULL;
}

static int text_may_be_formula(const tally_text_settings *s)
{
    int found = 0;
    for (size_t i = 0; i < s->alphabet.size; i++) {
        const char c = s->alphabet.text[i];
        found |= c == '=' || c == '+' || c == '-' || c == '@';
    }
    return found && s->keep_first == 0;
}

tally_status tally_text_make(tally_format *format, const tally_text_settings *settings,
                             tally_problem *problem)
{
    char identity[TALLY_TEXT_IDENTITY];
    tally_text *text = tally_format_own(format, sizeof *text);
    if (text == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status = tally_text_init(format, settings, identity, text, problem);
    if (status != TALLY_OK) {
        return status;
    }
    format->smallest = tally_text_smallest(text);
    format->may_be_formula = text_may_be_formula(settings);
    format->keeps_size = 1;
    format->forbids_keep = settings->luhn == TALLY_LUHN_INVALID;
    return tally_format_identify(format, identity, strlen(identity));
}

void tally_text_destroy(tally_format *format)
{
    tally_text_final(format, format->own);
}

tally_domain tally_text_smallest(const tally_text *text)
{
    const tally_shape *shape = &text->one->shape;
    return tally_domain_of_words(shape->radix, shape->min_symbols);
}

tally_domain tally_text_domain(const tally_text *text, const uint8_t *value, size_t size)
{
    const tally_shape *shape = &text->one->shape;
    int64_t symbols = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_DELIMITER && shape->keep_after_delimiter) {
            break;
        }
        symbols += kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
    }
    const int64_t length =
        text_word_length(shape->keep, shape->keep_last, (tally_luhn)shape->luhn, symbols);
    return tally_domain_of_words(shape->radix, length > 0 ? (uint64_t)length : 0);
}

size_t tally_text_place(const tally_text *text, tally_reason reason, const uint8_t *value,
                        size_t size, uint8_t mark)
{
    const tally_shape *shape = &text->one->shape;
    int delimiters = 0;
    for (size_t i = 0; i < size; i++) {
        const int marked = mark != 0 && value[i] == mark;
        const uint8_t kind = marked ? TALLY_BYTE_DELIMITER : shape->kind[value[i]];
        if (reason == TALLY_REASON_DELIMITER) { /* the second one, if it is not missing */
            delimiters += kind == TALLY_BYTE_DELIMITER;
            if (delimiters == 2) {
                return i;
            }
        } else if (kind == TALLY_BYTE_DELIMITER && shape->keep_after_delimiter) {
            return SIZE_MAX;
        } else if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i != 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- core/formats/text_presets.c ---- */
/*
 * Ready formats of text: a new one is a row of the table, a line at the end and two in
 * registry.c. */

#define TEXT_DIGITS "0123456789"
#define TEXT_LOWER  "abcdefghijklmnopqrstuvwxyz"
#define TEXT_UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define TEXT_ASCII  " !\"#$%&'()*+,-./" TEXT_DIGITS ":;<=>?@" TEXT_UPPER "[\\]^_`" TEXT_LOWER "{|}~"

typedef struct text_preset {
    const char *name;
    const char *alphabet; /* NULL: it is an option */
    const char *separators, *leading;
    uint64_t keep_positions;
    int64_t min_length, max_length; /* 0: the usual one */
    const char *example[TALLY_EXAMPLES];
    const char *lower, *upper; /* the example where case is lower or upper; NULL: the first */
    char usual_case;           /* the first letter of the option's default: keep, lower, mixed */
    tally_luhn usual_luhn;
} text_preset;

static const text_preset text_presets[] = {
    {.name = "digits",
     .alphabet = TEXT_DIGITS,
     .separators = " -",
     .example = {"5304218", "53-042 18"}},
    {.name = "hex",
     .alphabet = TEXT_DIGITS "abcdef",
     .example = {"abcdef09"},
     .upper = "ABCDEF09",
     .usual_case = 'l'},
    {.name = "letters",
     .alphabet = TEXT_LOWER,
     .separators = " -.'",
     .example = {"Anne O'Neill"},
     .lower = "anne o'neill",
     .upper = "ANNE O'NEILL",
     .usual_case = 'k'},
    {.name = "alphanumeric",
     .alphabet = TEXT_DIGITS TEXT_LOWER,
     .separators = " -",
     .example = {"Unit 9B"},
     .lower = "unit 9b",
     .upper = "AB12 CDE",
     .usual_case = 'm'},
    {.name = "base64url",
     .alphabet = TEXT_UPPER TEXT_LOWER TEXT_DIGITS "-_",
     .separators = "=",
     .example = {"dGFsbHk_c3RpY2s="}},
    {.name = "ascii", .alphabet = TEXT_ASCII, .example = {"Hello, world!"}},
    {.name = "alphabet"},
    {.name = "card",
     .alphabet = TEXT_DIGITS,
     .separators = " -",
     .min_length = 12,
     .max_length = 19,
     .example = {"4111 1111 1111 1111", "378282246310005"},
     .usual_luhn = TALLY_LUHN_VALID},
    {.name = "ssn",
     .alphabet = TEXT_DIGITS,
     .separators = "- ",
     .min_length = 9,
     .max_length = 9,
     .example = {"078-05-1120", "078051120"}},
    {.name = "phone",
     .alphabet = TEXT_DIGITS,
     .separators = " -()./",
     .leading = "+",
     .min_length = 6,
     .max_length = 15,
     .example = {"+1 (202) 555-0143", "030/901820"}},
    {.name = "uuid",
     .alphabet = TEXT_DIGITS "abcdef",
     .separators = "-",
     .keep_positions = UINT64_C(1) << 12 | UINT64_C(1) << 16, /* version and variant */
     .min_length = 32,
     .max_length = 32,
     .example = {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
     .upper = "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6",
     .usual_case = 'l'},
    {.name = "imei",
     .alphabet = TEXT_DIGITS,
     .separators = " -/",
     .min_length = 15,
     .max_length = 15,
     .example = {"49-015420-323751-8", "490154203237518"},
     .usual_luhn = TALLY_LUHN_VALID},
};

/* An option by its name; one that a preset does not have is not given. */
static tally_option_value text_option(const tally_format *format, const tally_option_value *values,
                                      const char *name)
{
    const tally_option *options = format->of->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return values[i];
        }
    }
    return (tally_option_value){0};
}

/* A whole number beyond 64 bits becomes the nearest one within, which is refused as well. */
static void text_option_integer(tally_option_value option, int64_t *out)
{
    if (option.given) {
        *out = option.text == NULL ? option.integer : option.text[0] == '-' ? INT64_MIN : INT64_MAX;
    }
}

static void text_option_characters(tally_option_value option, tally_text_characters *out)
{
    if (option.given) {
        *out = (tally_text_characters){option.text, option.size};
    }
}

static tally_text_characters text_characters(const char *text)
{
    return (tally_text_characters){text, text != NULL ? strlen(text) : 0};
}

/* Reads the options that presets share. */
static void text_read_common(tally_format *format, const tally_option_value *values,
                             tally_text_settings *settings)
{
    const tally_option_value kept = text_option(format, values, "kept_as_tweak");
    settings->kept_as_tweak = !kept.given || kept.integer != 0;
    format->allow_tiny_domain = text_option(format, values, "allow_tiny_domain").integer != 0;
    text_option_characters(text_option(format, values, "separators"), &settings->separators);
    text_option_integer(text_option(format, values, "keep_first"), &settings->keep_first);
    text_option_integer(text_option(format, values, "keep_last"), &settings->keep_last);
    text_option_integer(text_option(format, values, "min_length"), &settings->min_length);
    text_option_integer(text_option(format, values, "max_length"), &settings->max_length);
}

/* Writes an alphabet with letters in lower case as `which` has them: upper, lower, both (mixed), or
 * either, in its place (keep). */
static void text_in_case(char which, tally_text_settings *settings, char room[128])
{
    tally_text_characters *alphabet = &settings->alphabet;
    if (which == 'k') {
        settings->fold_case = 1;
    } else if (which == 'u') {
        for (size_t i = 0; i < alphabet->size; i++) {
            const char c = alphabet->text[i];
            room[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        alphabet->text = room;
    } else if (which == 'm') {
        memcpy(room, alphabet->text, alphabet->size);
        for (size_t i = 0; i < 26; i++) {
            room[alphabet->size + i] = (char)('A' + i);
        }
        *alphabet = (tally_text_characters){room, alphabet->size + 26};
    }
}

static const text_preset *text_preset_of(const tally_format *format)
{
    const text_preset *preset = text_presets;
    while (strcmp(preset->name, format->of->name) != 0) {
        preset++;
    }
    return preset;
}

/* The beginning of the alphabet, where there is no ready example. */
static void text_make_example(tally_format *format, const tally_text_settings *settings)
{
    tally_text *text = format->own;
    size_t size = settings->min_length > 6 ? (size_t)settings->min_length : 6;
    size = size < settings->alphabet.size ? size : settings->alphabet.size;
    memcpy(text->example, settings->alphabet.text, size);
    text->example[size] = '\0';
    format->example[0] = text->example;
}

/* The first option that is given and differs from its default; NULL: there is none. */
static const char *text_preset_changed(const tally_format *format, const tally_option_value *values)
{
    const text_preset *preset = text_preset_of(format);
    tally_text_settings given = {.separators = text_characters(preset->separators),
                                 .min_length = preset->min_length,
                                 .max_length = preset->max_length};
    tally_format other = *format;
    text_read_common(&other, values, &given);
    return given.separators.size != strlen(preset->separators) ||
                   memcmp(given.separators.text, preset->separators, given.separators.size) != 0
               ? "separators"
           : given.keep_first != 0                  ? "keep_first"
           : given.keep_last != 0                   ? "keep_last"
           : !given.kept_as_tweak                   ? "kept_as_tweak"
           : given.min_length != preset->min_length ? "min_length"
           : given.max_length != preset->max_length ? "max_length"
                                                    : NULL;
}

tally_status tally_text_preset_refuse_changed(const tally_format *format,
                                              const tally_option_value *values, const char *option,
                                              tally_problem *problem)
{
    const char *changed = text_preset_changed(format, values);
    if (changed == NULL) {
        return TALLY_OK;
    }
    tally_writer out;
    tally_format_refusal(format, problem, changed, &out);
    tally_write(&out, changed);
    tally_write(&out, " can't go with ");
    tally_write(&out, option);
    return TALLY_ERROR_FORMAT;
}

tally_status tally_text_preset_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem)
{
    const text_preset *preset = text_preset_of(format);
    const tally_option_value given_case = text_option(format, values, "case"),
                             given_luhn = text_option(format, values, "luhn");
    const char which = *(given_case.given ? given_case.text : &preset->usual_case);
    char room[128];
    tally_text_settings settings = {
        .alphabet = text_characters(preset->alphabet),
        .separators = text_characters(preset->separators),
        .leading = text_characters(preset->leading),
        .keep_positions = preset->keep_positions,
        .min_length = preset->min_length,
        .max_length = preset->max_length != 0 ? preset->max_length : TALLY_TEXT_USUAL_SYMBOLS,
        .luhn = given_luhn.given ? (tally_luhn)given_luhn.integer : preset->usual_luhn,
    };
    text_read_common(format, values, &settings);
    text_option_characters(text_option(format, values, "alphabet"), &settings.alphabet);
    text_in_case(which, &settings, room);
    const tally_status status = tally_text_make(format, &settings, problem);
    if (status != TALLY_OK) {
        return status;
    }
    memcpy(format->example, preset->example, sizeof preset->example);
    if (which == 'l' && preset->lower != NULL) {
        format->example[0] = preset->lower;
    } else if (which == 'u' && preset->upper != NULL) {
        format->example[0] = preset->upper;
    } else if (format->example[0] == NULL) {
        text_make_example(format, &settings);
    }
    return TALLY_OK;
}

static const char *const text_keep_lower_upper_mixed[] = {"keep", "lower", "upper", "mixed", NULL};
static const char *const text_lower_upper_mixed[] = {"lower", "upper", "mixed", NULL};
static const char *const text_lower_upper[] = {"lower", "upper", NULL};
static const char *const text_luhn_choices[] = {"none", "valid", "invalid", NULL};

static const tally_option text_common[] = {TALLY_TEXT_COMMON};
static const tally_option text_hex_options[] = {{"case", TALLY_OPTION_CHOICE, 0, text_lower_upper},
                                                TALLY_TEXT_COMMON};
static const tally_option text_letters_options[] = {
    {"case", TALLY_OPTION_CHOICE, 0, text_keep_lower_upper_mixed}, TALLY_TEXT_COMMON};
static const tally_option text_alphanumeric_options[] = {
    {"case", TALLY_OPTION_CHOICE, 0, text_lower_upper_mixed}, TALLY_TEXT_COMMON};
static const tally_option text_alphabet_options[] = {{"alphabet", TALLY_OPTION_TEXT, 1, NULL},
                                                     TALLY_TEXT_COMMON};
static const tally_option text_luhn_options[] = {
    {"luhn", TALLY_OPTION_CHOICE, 0, text_luhn_choices}, TALLY_TEXT_COMMON};
static const tally_option text_uuid_options[] = {{"case", TALLY_OPTION_CHOICE, 0, text_lower_upper},
                                                 {NULL, TALLY_OPTION_TEXT, 0, NULL}};

#define TEXT_PRESET(name_, options_)                                                               \
    const tally_format_class tally_format_##name_ = {                                              \
        .name = #name_, .options = options_, .make = tally_text_preset_make, TALLY_TEXT_FUNCTIONS}

TEXT_PRESET(digits, text_common);
TEXT_PRESET(hex, text_hex_options);
TEXT_PRESET(letters, text_letters_options);
TEXT_PRESET(alphanumeric, text_alphanumeric_options);
TEXT_PRESET(base64url, text_common);
TEXT_PRESET(ascii, text_common);
TEXT_PRESET(alphabet, text_alphabet_options);
TEXT_PRESET(card, text_luhn_options);
TEXT_PRESET(uuid, text_uuid_options);
TEXT_PRESET(imei, text_luhn_options);

/* ---- core/formats/text_run.c ---- */
/*
 * Text through FAST: columns and single values, and the functions of a class. */

tally_status tally_text_run(const tally_text *text, tally_run *run, const tally_strings *column,
                            const tally_strings *row_tweaks, uint8_t *values, uint8_t *status)
{
    return tally_text_run_shape(&text->one->shape, run, column, row_tweaks, values, status);
}

tally_status tally_text_run_shape(const tally_shape *shape, tally_run *run,
                                  const tally_strings *column, const tally_strings *row_tweaks,
                                  uint8_t *values, uint8_t *status)
{
    if (column->rows == 0) {
        return TALLY_OK;
    }
    tally_fast_cipher *cipher = run->cipher(run, shape->radix);
    tally_fast_workspace *workspace = run->workspace(run);
    if (cipher == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_column_report report;
    const tally_status result =
        tally_fast_column(cipher, workspace, run->direction, shape, column, run->tweak,
                          run->tweak_size, row_tweaks, values, status, &report);
    if (result == TALLY_OK) {
        run->small += report.small;
    }
    return result;
}

tally_status tally_text_run_value(const tally_text *text, tally_run *run, const tally_one *one,
                                  uint8_t *value, size_t size, tally_reason *reason)
{
    if (size <= TALLY_ONE_VALUE) {
        tally_fast_cipher *cipher = run->cipher(run, text->one->shape.radix);
        tally_row row;
        if (cipher == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        const tally_status status =
            tally_one_value(cipher, text->one, run->direction, run->tweak, run->tweak_size,
                            one->row_tweak, one->row_tweak_size, value, size, &row);
        *reason = (tally_reason)row;
        return status;
    }
    const int64_t offsets[2] = {0, (int64_t)size}, tweaks[2] = {0, (int64_t)one->row_tweak_size};
    const tally_strings column = {.offsets = offsets, .offset_size = 8, .values = value, .rows = 1};
    const tally_strings tweak = {
        .offsets = tweaks, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    uint8_t row = 0;
    const tally_status status =
        tally_text_run(text, run, &column, one->row_tweak != NULL ? &tweak : NULL, value, &row);
    *reason = (tally_reason)row;
    return status;
}

tally_status tally_text_column_of(const tally_format *format, tally_run *run,
                                  tally_text_column *column)
{
    return tally_text_run(format->own, run, &column->in, run->row_tweaks, column->values,
                          column->status);
}

tally_status tally_text_one(const tally_format *format, tally_run *run, tally_one *one)
{
    one->out_size = one->size;
    if (one->size > one->room) {
        return TALLY_ERROR_ROOM;
    }
    if (one->size != 0) {
        memcpy(one->out, one->value, one->size);
    }
    return tally_text_run_value(format->own, run, one, one->out, one->size, &one->reason);
}

void tally_text_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                          tally_domain *out)
{
    *out = tally_text_domain(format->own, value, size);
}

uint64_t tally_text_work(const tally_format *format, size_t size)
{
    const tally_text *text = format->own;
    const tally_shape *shape = &text->one->shape;
    return tally_format_layers(shape->radix, size < shape->max_symbols ? size : shape->max_symbols,
                               0);
}

size_t tally_text_place_of_fault(const tally_format *format, tally_reason reason,
                                 const uint8_t *value, size_t size)
{
    return tally_text_place(format->own, reason, value, size, 0);
}

/* ---- core/formats/times.c ---- */
/*
 * Dates and times of options. */

static void times_compile(tally_dates_compiled *out)
{
    (void)tally_dates_compile((const uint8_t *)"YYYY-MM-DD", TALLY_TIMES_DATE, out);
}

int tally_times_read_date(const char *text, size_t size, int32_t *days)
{
    tally_dates_compiled iso;
    times_compile(&iso);
    if (size != TALLY_TIMES_DATE) {
        return 0;
    }
    *days = tally_dates_parse(&iso, (const uint8_t *)text);
    return *days != INT32_MIN;
}

void tally_times_write_date(int32_t days, char *out)
{
    tally_dates_compiled iso;
    times_compile(&iso);
    tally_dates_format(&iso, days, (uint8_t *)out);
}

/* The text that is left to read. */
typedef struct times_text {
    const char *text;
    size_t size;
} times_text;

static int times_is_next(times_text *left, char c)
{
    if (left->size == 0 || left->text[0] != c) {
        return 0;
    }
    left->text++;
    left->size--;
    return 1;
}

/* Reads two digits, 0..most. */
static int times_two(times_text *left, int64_t most, int64_t *out)
{
    if (left->size < 2 || left->text[0] < '0' || left->text[0] > '9' || left->text[1] < '0' ||
        left->text[1] > '9') {
        return 0;
    }
    *out = (left->text[0] - '0') * 10 + (left->text[1] - '0');
    left->text += 2;
    left->size -= 2;
    return *out <= most;
}

/* Reads ":MM:SS.ffffff", of which each part may be missing, as microseconds. */
static int times_read_clock(times_text *left, int64_t *out)
{
    int64_t hours, minutes = 0, seconds = 0, fraction = 0;
    if (!times_two(left, 23, &hours) || !times_is_next(left, ':') ||
        !times_two(left, 59, &minutes)) {
        return 0;
    }
    if (times_is_next(left, ':')) {
        if (!times_two(left, 59, &seconds)) {
            return 0;
        }
        if (times_is_next(left, '.')) {
            const size_t before = left->size;
            int64_t worth = 100000;
            for (; left->size > 0 && left->text[0] >= '0' && left->text[0] <= '9'; worth /= 10) {
                fraction += (left->text[0] - '0') * worth;
                left->text++;
                left->size--;
            }
            if (left->size == before) {
                return 0;
            }
        }
    }
    *out = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
    return 1;
}

/* Reads nothing, Z, or an offset from UTC in hours and minutes, as microseconds. */
static int times_read_offset(times_text *left, int64_t *out)
{
    *out = 0;
    if (left->size == 0 || ((left->text[0] == 'Z' || left->text[0] == 'z') && left->size == 1)) {
        return 1;
    }
    const int minus = left->text[0] == '-';
    int64_t hours, minutes = 0;
    if ((!minus && left->text[0] != '+') || !times_is_next(left, left->text[0]) ||
        !times_two(left, 23, &hours)) {
        return 0;
    }
    if (left->size > 0) {
        (void)times_is_next(left, ':');
        if (!times_two(left, 59, &minutes)) {
            return 0;
        }
    }
    *out = (hours * 60 + minutes) * 60000000 * (minus ? -1 : 1);
    return left->size == 0;
}

int tally_times_read(const char *text, size_t size, int64_t *microseconds)
{
    int32_t days;
    int64_t clock = 0, offset = 0;
    if (size < TALLY_TIMES_DATE || !tally_times_read_date(text, TALLY_TIMES_DATE, &days)) {
        return 0;
    }
    times_text left = {text + TALLY_TIMES_DATE, size - TALLY_TIMES_DATE};
    if (left.size != 0) {
        if (!times_is_next(&left, 'T') && !times_is_next(&left, ' ') &&
            !times_is_next(&left, 't')) {
            return 0;
        }
        if (!times_read_clock(&left, &clock) || !times_read_offset(&left, &offset)) {
            return 0;
        }
    }
    *microseconds = (int64_t)days * TALLY_TIMES_DAY * 1000000 + clock - offset;
    return *microseconds >= (int64_t)TALLY_DATES_MIN_DAY * TALLY_TIMES_DAY * 1000000 &&
           *microseconds < (int64_t)(TALLY_DATES_MAX_DAY + 1) * TALLY_TIMES_DAY * 1000000;
}

static tally_status times_refuse(const tally_option *option, const char *text, const char *found,
                                 tally_problem *problem)
{
    tally_writer out, place;
    tally_writer_problem(&out, problem);
    tally_writer_init(&place, problem->place, sizeof problem->place);
    tally_write(&place, option->name);
    tally_write(&out, text);
    tally_write(&out, found);
    return TALLY_ERROR_FORMAT;
}

static tally_status times_option_date(const tally_option *option, const tally_option_value *value,
                                      int32_t *days, tally_problem *problem)
{
    int64_t microseconds;
    if (!value->given || tally_times_read_date(value->text, value->size, days)) {
        return TALLY_OK;
    }
    return times_refuse(
        option, "must be a date, such as 2000-12-31, not ",
        tally_times_read(value->text, value->size, &microseconds) ? "a date with a time" : "text",
        problem);
}

tally_status tally_times_option(const tally_option *option, const tally_option_value *value,
                                int64_t *microseconds, tally_problem *problem)
{
    int32_t days;
    const int is_date = value->given && tally_times_read_date(value->text, value->size, &days);
    if (!value->given || (!is_date && tally_times_read(value->text, value->size, microseconds))) {
        return TALLY_OK;
    }
    return times_refuse(option, "must be a date with a time, such as 2000-12-31T23:59:59, not ",
                        is_date ? "a date" : "text", problem);
}

tally_status tally_times_refuse_range(const tally_format *format, const tally_option_value *first,
                                      const tally_option_value *last, tally_problem *problem)
{
    const char *place = first->given && last->given ? NULL : first->given ? "first" : "last";
    return tally_format_refuse(format, problem, place, "first must be before last");
}

tally_status tally_times_option_range(const tally_format *format, const tally_option options[2],
                                      const tally_option_value values[2], int32_t *first,
                                      int32_t *last, tally_problem *problem)
{
    tally_status status = times_option_date(&options[0], &values[0], first, problem);
    if (status == TALLY_OK) {
        status = times_option_date(&options[1], &values[1], last, problem);
    }
    return status == TALLY_OK && *first >= *last
               ? tally_times_refuse_range(format, &values[0], &values[1], problem)
               : status;
}

static inline int times_is_below(uint8_t c, uint8_t first, uint8_t count)
{
    return (uint8_t)(c - first) < count;
}

int tally_times_is_offset(const uint8_t *text, uint64_t size)
{
    if (size == 0 || (size == 1 && text[0] == 'Z')) {
        return 1;
    }
    const uint64_t minutes = size == 6 && text[3] == ':' ? 4 : 3;
    if ((text[0] != '+' && text[0] != '-') || (size != 3 && size != minutes + 2) ||
        !(times_is_below(text[1], '0', 1) ? times_is_below(text[2], '0', 10)
                                          : text[1] == '1' && times_is_below(text[2], '0', 5))) {
        return 0;
    }
    return size == 3 ||
           (times_is_below(text[minutes], '0', 6) && times_is_below(text[minutes + 1], '0', 10));
}

/* The bytes of a clock, without its offset: 0 if it is none. */
static size_t times_clock_size(const uint8_t *text, uint64_t size)
{
    size_t digits = 0;
    if (size < 9 || (text[0] != 'T' && text[0] != ' ') || text[3] != ':' || text[6] != ':' ||
        !(times_is_below(text[1], '0', 2) ? times_is_below(text[2], '0', 10)
                                          : text[1] == '2' && times_is_below(text[2], '0', 4)) ||
        !times_is_below(text[4], '0', 6) || !times_is_below(text[5], '0', 10) ||
        !times_is_below(text[7], '0', 6) || !times_is_below(text[8], '0', 10)) {
        return 0;
    }
    if (size == 9 || text[9] != '.') {
        return 9;
    }
    while (digits < 9 && 10 + digits < size && times_is_below(text[10 + digits], '0', 10)) {
        digits++;
    }
    return digits != 0 ? 10 + digits : 0;
}

int tally_times_is_clock(const uint8_t *text, uint64_t size)
{
    const size_t clock = times_clock_size(text, size);
    return clock != 0 && tally_times_is_offset(text + clock, size - clock);
}

/* The first byte that a clock can't have there, or `size`. */
static size_t times_place_in_clock(const uint8_t *text, size_t size)
{
    static const char pattern[] = "T00:00:00";
    size_t i = 0;
    while (i < size && i < 9 &&
           (pattern[i] == '0' ? times_is_below(text[i], '0', 10)
                              : text[i] == (uint8_t)pattern[i] || (i == 0 && text[i] == ' '))) {
        i++;
    }
    if (i < 9 || i == size) {
        return i;
    }
    if (text[i] == '.') {
        i++;
        for (size_t digits = 0; digits < 9 && i < size && times_is_below(text[i], '0', 10);) {
            digits++;
            i++;
        }
    }
    static const char *const offsets[] = {"Z", "+0000", "+00:00"};
    size_t farthest = i;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        size_t at = i;
        for (const char *c = offsets[k]; *c != '\0' && at < size; c++, at++) {
            if (*c == '0' ? !times_is_below(text[at], '0', 10)
                          : text[at] != (uint8_t)*c && (*c != '+' || text[at] != '-')) {
                break;
            }
        }
        farthest = at > farthest ? at : farthest;
    }
    return farthest;
}

/* How often letters stand in a notation, taken from left to right. */
static size_t times_count(const char *text, size_t size, const char *letters)
{
    const size_t width = strlen(letters);
    size_t count = 0;
    for (size_t i = 0; i + width <= size; i++) {
        if (memcmp(text + i, letters, width) == 0) {
            count++;
            i += width - 1;
        }
    }
    return count;
}

/* What is wrong with a notation, or NULL. */
static const char *times_notation_fault(const char *text, size_t size)
{
    if (times_count(text, size, "YYYY") != 1 || times_count(text, size, "MM") != 1 ||
        times_count(text, size, "DD") != 1) {
        return "the notation must have YYYY, MM and DD once each, as in 'YYYY-MM-DD' or "
               "'DD.MM.YYYY'";
    }
    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return "the notation must be printable ASCII";
        }
    }
    return size > TALLY_DATES_MAX_WIDTH ? "the notation must have at most 64 characters" : NULL;
}

tally_status tally_times_option_notation(const tally_format *format,
                                         const tally_option_value *value,
                                         char text[TALLY_DATES_MAX_WIDTH + 1],
                                         tally_dates_compiled *out, tally_problem *problem)
{
    const char *given = value->given ? value->text : "YYYY-MM-DD";
    const size_t size = value->given ? value->size : TALLY_TIMES_DATE;
    const char *fault = times_notation_fault(given, size);
    if (fault != NULL) {
        return tally_format_refuse(format, problem, "notation", fault);
    }
    memcpy(text, given, size);
    text[size] = '\0';
    (void)tally_dates_compile((const uint8_t *)text, size, out);
    return TALLY_OK;
}

size_t tally_times_place_of_fault(const tally_dates_compiled *notation, const char *text,
                                  const uint8_t *value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int digit =
            i - notation->year < 4 || i - notation->month < 2 || i - notation->day < 2;
        if (i >= notation->width ||
            (digit ? value[i] < '0' || value[i] > '9' : value[i] != (uint8_t)text[i])) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t tally_times_place(const tally_dates_compiled *notation, const char *text,
                         const uint8_t *value, size_t size)
{
    const size_t place = tally_times_place_of_fault(notation, text, value, size);
    if (strcmp(text, "YYYY-MM-DD") != 0 || place != notation->width) {
        return place;
    }
    const size_t all = place + times_place_in_clock(value + place, size - place);
    return all < size ? all : SIZE_MAX;
}

/* ---- core/formats/timestamp.c ---- */
/*
 * timestamp: the points in time of a range, at a resolution, as text or in a timestamp column. */

enum { TIMESTAMP_SECONDS_WIDTH = 19 };

static const char timestamp_pattern[] = "0000-00-00T00:00:00.000000";

typedef struct timestamp_format {
    tally_counted counted;
    uint32_t width; /* of date and time */
    int64_t first;  /* in units since 1970-01-01T00:00:00 */
    int64_t last;
    uint32_t per_second, digits; /* units in a second; digits of its fraction */
    char example[2][32];
} timestamp_format;

static const char *const timestamp_resolutions[] = {"s", "ms", "us", NULL};

static const tally_option timestamp_options[] = {
    {"first", TALLY_OPTION_DATETIME, 0, NULL},
    {"last", TALLY_OPTION_DATETIME, 0, NULL},
    {"resolution", TALLY_OPTION_CHOICE, 0, timestamp_resolutions},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { TIMESTAMP_FIRST, TIMESTAMP_LAST, TIMESTAMP_RESOLUTION, TIMESTAMP_TINY };

/* A character at a place of eight bytes; the first place is the lowest byte. */
#define TIMESTAMP_AT(place, character) ((uint64_t)(character) << 8 * (place))

enum { TIMESTAMP_LITERAL = 0x7f - 0x76 /* what may be added to a literal less than to a digit */ };

/* Eight bytes as the values of their digits. Where they differ from a pattern of '0' and literals,
 * *wrong gets bits. */
static inline uint64_t timestamp_load(const uint8_t *text, uint64_t pattern, uint64_t literals,
                                      uint64_t ignored, uint64_t *wrong)
{
    const uint64_t bytes = (tally_load_le64(text) ^ pattern) & ~ignored;
    const uint64_t reach = TALLY_DIGITS_BYTES(0x76) + literals * TIMESTAMP_LITERAL;
    *wrong |= (((bytes & TALLY_DIGITS_BYTES(0x7f)) + reach) | bytes) & TALLY_DIGITS_BYTES(0x80);
    return bytes;
}

#define TIMESTAMP_DATE                                                                             \
    (TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(4, '-' ^ '0') ^ TIMESTAMP_AT(7, '-' ^ '0'))
#define TIMESTAMP_CLOCK                                                                            \
    (TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(2, ':' ^ '0') ^ TIMESTAMP_AT(5, ':' ^ '0'))

/* Two digits of eight, once neighbours are joined. */
static inline uint32_t timestamp_two(uint64_t pairs, uint32_t place)
{
    return (uint32_t)(pairs >> 8 * place & 0xff);
}

/* Reading and writing have the number of a fraction's digits as a constant. */
TALLY_INLINE uint8_t timestamp_read_digits(const tally_counted *counted, uint32_t digits,
                                           const uint8_t *text, uint64_t size, uint64_t *rank)
{
    const uint64_t width = TIMESTAMP_SECONDS_WIDTH + (digits != 0 ? digits + 1 : 0);
    const int64_t per_second = digits == 6 ? 1000000 : digits == 3 ? 1000 : 1;
    uint64_t wrong = 0;
    if (size < width || !tally_times_is_offset(text + width, size - width)) {
        return TALLY_REASON_NOTATION;
    }
    /* YYYY-MM-, DD and what follows, HH:MM:SS. */
    uint64_t date =
        timestamp_load(text, TIMESTAMP_DATE, TIMESTAMP_AT(4, 1) | TIMESTAMP_AT(7, 1), 0, &wrong);
    uint64_t clock = timestamp_load(text + 11, TIMESTAMP_CLOCK,
                                    TIMESTAMP_AT(2, 1) | TIMESTAMP_AT(5, 1), 0, &wrong);
    const uint64_t day =
        timestamp_load(text + 8, TALLY_DIGITS_BYTES('0'), 0, UINT64_C(0xffffffffffff0000), &wrong);
    date = date * 10 + (date >> 8);
    clock = clock * 10 + (clock >> 8);
    const uint32_t hours = timestamp_two(clock, 0), minutes = timestamp_two(clock, 3),
                   seconds = timestamp_two(clock, 6);
    wrong |= (uint64_t)(hours > 23) | (uint64_t)(minutes > 59) | (uint64_t)(seconds > 59) |
             (uint64_t)((text[10] != 'T') & (text[10] != ' '));
    uint64_t fraction = 0;
    if (digits == 6) { /* behind the last digit of the seconds and the point */
        fraction = tally_digits_join(
            timestamp_load(text + 18, TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(1, '.' ^ '0'),
                           TIMESTAMP_AT(1, 1), 0xff, &wrong));
    } else if (digits == 3) {
        fraction = tally_digits_join(
            timestamp_load(text + 15, TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(4, '.' ^ '0'),
                           TIMESTAMP_AT(4, 1), UINT32_MAX, &wrong));
    }
    const int32_t days =
        tally_dates_days(timestamp_two(date, 0) * 100 + timestamp_two(date, 2),
                         timestamp_two(date, 5), (uint32_t)((day & 0xff) * 10 + (day >> 8)), wrong);
    if (days == INT32_MIN) {
        return TALLY_REASON_NOTATION;
    }
    const int64_t number = (int64_t)days * TALLY_TIMES_DAY + (hours * 60 + minutes) * 60 + seconds;
    /* One before the first is far behind the last, modulo 2^64. */
    *rank = (uint64_t)(number * per_second) + fraction - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

/* Writes over date and time, and leaves what is between and behind them. */
TALLY_INLINE void timestamp_overwrite_digits(const tally_counted *counted, uint32_t digits,
                                             uint64_t rank, uint8_t *out)
{
    const uint64_t per_second = digits == 6 ? 1000000 : digits == 3 ? 1000 : 1;
    /* From the beginning of year 0, so that it is not negative. */
    const uint64_t era = (uint64_t)TALLY_DATES_SHIFT * TALLY_TIMES_DAY;
    uint64_t number = rank + counted->first + era * per_second, fraction = 0;
    if (digits == 6) {
        fraction = number % 1000000;
        number /= 1000000;
    } else if (digits == 3) {
        fraction = number % 1000;
        number /= 1000;
    }
    const uint32_t days = (uint32_t)(number / TALLY_TIMES_DAY);
    const uint32_t clock = (uint32_t)(number - (uint64_t)days * TALLY_TIMES_DAY);
    const uint32_t minutes = clock / 60, hours = minutes / 60;
    const tally_dates_civil date = tally_dates_civil_of((int32_t)(days - TALLY_DATES_SHIFT));
    /* Digits with zeros where the pattern's literals are. */
    tally_store_le64(tally_digits_split(date.year * 10000 + date.month * 10) ^ TIMESTAMP_DATE, out);
    tally_dates_write_two(date.day, out + 8);
    const uint64_t seconds = tally_digits_split(hours * 1000000 + (minutes - hours * 60) * 1000 +
                                                (clock - minutes * 60));
    tally_store_le64(seconds ^ TIMESTAMP_CLOCK, out + 11);
    if (digits == 6) {
        const uint64_t all = tally_digits_split((uint32_t)fraction) | seconds >> 56;
        tally_store_le64(all ^ TALLY_DIGITS_BYTES('0') ^ TIMESTAMP_AT(1, '.' ^ '0'), out + 18);
    } else if (digits == 3) {
        tally_store_le32((uint32_t)(tally_digits_split((uint32_t)fraction) >> 32) ^
                             UINT32_C(0x30303030) ^ ('.' ^ '0'),
                         out + 19);
    }
}

#define TIMESTAMP_DEFINE(digits)                                                                   \
    static inline uint8_t timestamp_read_row_##digits(                                             \
        const tally_counted *counted, const uint8_t *text, uint64_t size, uint64_t *rank)          \
    {                                                                                              \
        return timestamp_read_digits(counted, digits, text, size, rank);                           \
    }                                                                                              \
    static inline void timestamp_overwrite_row_##digits(const tally_counted *counted,              \
                                                        uint64_t rank, uint8_t *out)               \
    {                                                                                              \
        timestamp_overwrite_digits(counted, digits, rank, out);                                    \
    }                                                                                              \
    static void timestamp_read_##digits(const tally_counted *counted,                              \
                                        const tally_counted_rows *rows)                            \
    {                                                                                              \
        tally_counted_read_rows(counted, rows, timestamp_read_row_##digits);                       \
    }                                                                                              \
    static void timestamp_overwrite_##digits(const tally_counted *counted,                         \
                                             const tally_counted_rows *rows,                       \
                                             const uint8_t *chosen, uint8_t *out)                  \
    {                                                                                              \
        tally_counted_overwrite_rows(counted, rows, chosen, out,                                   \
                                     timestamp_overwrite_row_##digits);                            \
    }

TIMESTAMP_DEFINE(0)
TIMESTAMP_DEFINE(3)
TIMESTAMP_DEFINE(6)

/* Reads an end of the range, in units. */
static tally_status timestamp_read_end(const tally_format *format, const tally_option_value *values,
                                       size_t option, int64_t *out, tally_problem *problem)
{
    const timestamp_format *own = format->own;
    const int64_t unit = 1000000 / own->per_second;
    const char *name = timestamp_options[option].name;
    int64_t microseconds = *out * 1000000;
    tally_writer writer;
    const tally_status status =
        tally_times_option(&timestamp_options[option], &values[option], &microseconds, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (microseconds % unit != 0) {
        tally_format_refusal(format, problem, name, &writer);
        tally_write(&writer, name);
        tally_write(&writer, " is finer than the resolution '");
        tally_write(&writer, own->digits == 3 ? "ms" : "s");
        tally_write(&writer, "'; round it");
        return TALLY_ERROR_FORMAT;
    }
    *out = microseconds / unit;
    return TALLY_OK;
}

/* Writes a point in the middle of the range, rounded down to the resolution. */
static void timestamp_make_examples(tally_format *format, timestamp_format *own)
{
    /* Python rounds half a microsecond to an even one, and cuts the rest. */
    const uint64_t range = (uint64_t)(own->last - own->first) * (1000000 / own->per_second);
    const uint64_t half = range / 2 + (range % 4 == 3);
    const uint64_t rank = half / (1000000 / own->per_second);
    uint8_t *text = (uint8_t *)own->example[1];
    text[10] = 'T';
    timestamp_overwrite_digits(&own->counted, own->digits, rank, text);
    text[own->width] = 'Z';
    memcpy(own->example[0], text, own->width);
    own->example[0][10] = ' ';
    format->example[0] = own->example[0];
    format->example[1] = own->example[1];
}

static tally_status timestamp_make(tally_format *format, const tally_option_value *values,
                                   tally_problem *problem)
{
    timestamp_format *own = tally_format_own(format, sizeof *own);
    const size_t resolution = (size_t)values[TIMESTAMP_RESOLUTION].integer;
    char identity[96];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->keeps_size = 1;
    format->allow_tiny_domain = (int)values[TIMESTAMP_TINY].integer;
    own->digits = (uint32_t)resolution * 3;
    own->per_second = (uint32_t)tally_digits_power(own->digits);
    own->first = 0;
    own->last = INT64_C(3155759999); /* 2069-12-31T23:59:59 */
    tally_status status = timestamp_read_end(format, values, TIMESTAMP_FIRST, &own->first, problem);
    if (status == TALLY_OK) {
        status = timestamp_read_end(format, values, TIMESTAMP_LAST, &own->last, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    if (own->first >= own->last) {
        return tally_times_refuse_range(format, &values[TIMESTAMP_FIRST], &values[TIMESTAMP_LAST],
                                        problem);
    }
    own->width = TIMESTAMP_SECONDS_WIDTH + (own->digits != 0 ? own->digits + 1 : 0);
    own->counted.read = own->digits == 6   ? timestamp_read_6
                        : own->digits == 3 ? timestamp_read_3
                                           : timestamp_read_0;
    own->counted.overwrite = own->digits == 6   ? timestamp_overwrite_6
                             : own->digits == 3 ? timestamp_overwrite_3
                                                : timestamp_overwrite_0;
    own->counted.first = (uint64_t)own->first;
    status = tally_counted_init(format, &own->counted, (uint64_t)(own->last - own->first) + 1);
    if (status == TALLY_OK) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"timestamp\",");
    tally_write_int(&writer, own->first);
    tally_write_char(&writer, ',');
    tally_write_int(&writer, own->last);
    tally_write(&writer, ",\"");
    tally_write(&writer, timestamp_resolutions[resolution]);
    tally_write(&writer, "\"]");
    timestamp_make_examples(format, own);
    return tally_format_identify(format, writer.text, writer.size);
}

static int timestamp_takes(const tally_format *format, const char *type,
                           const tally_arrow_type *read, tally_writer *why)
{
    const timestamp_format *own = format->own;
    char name[128];
    if (read->kind == TALLY_ARROW_TEXT) {
        return 1;
    }
    if (read->kind != TALLY_ARROW_TIMESTAMP) {
        return 0;
    }
    if (read->per_second >= own->per_second) {
        const int64_t most = INT64_MAX / (int64_t)(read->per_second / own->per_second);
        if (own->first >= -most && own->first <= most && own->last >= -most && own->last <= most) {
            return 1;
        }
    }
    (void)tally_arrow_type_name(type, name, sizeof name);
    tally_write(why, "type ");
    tally_write(why, name);
    tally_write(why, " can't hold the range at resolution '");
    tally_write(why, timestamp_resolutions[own->digits / 3]);
    tally_write(why, "'; change resolution, first or last");
    return 0;
}

static tally_status timestamp_fixed(const tally_format *format, tally_run *run,
                                    tally_fixed_column *column)
{
    const timestamp_format *own = format->own;
    return tally_counted_fixed(&own->counted, column->type->per_second / own->per_second, run,
                               column);
}

static int timestamp_may_stand(char place, uint8_t c)
{
    switch (place) {
    case '0':
        return c >= '0' && c <= '9';
    case 'T':
        return c == 'T' || c == ' ';
    case '+':
        return c == '+' || c == '-';
    default:
        return c == (uint8_t)place;
    }
}

static size_t timestamp_place_of_fault(const tally_format *format, tally_reason reason,
                                       const uint8_t *value, size_t size)
{
    static const char *const offsets[] = {"", "Z", "+00", "+0000", "+00:00"};
    const timestamp_format *own = format->own;
    const size_t width = own->width;
    size_t farthest = 0;
    (void)reason;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        const size_t all = width + strlen(offsets[k]), most = size < all ? size : all;
        size_t i = 0;
        for (; i < most; i++) {
            const char *place = i < width ? &timestamp_pattern[i] : &offsets[k][i - width];
            if (!timestamp_may_stand(*place, value[i])) {
                break;
            }
        }
        farthest = i > farthest ? i : farthest;
    }
    return farthest < size ? farthest : SIZE_MAX;
}

const tally_format_class tally_format_timestamp = {
    .name = "timestamp",
    .options = timestamp_options,
    .make = timestamp_make,
    .takes = timestamp_takes,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .fixed = timestamp_fixed,
    .place_of_fault = timestamp_place_of_fault,
};

/* ---- core/formats/truncate.c ---- */
/*
 * truncate: the first characters of text, such as postal codes, or the first decimals of numbers,
 * such as coordinates. One-way, without a key. */

enum {
    TRUNCATE_CHARACTERS_MOST = 64,
    TRUNCATE_DECIMALS_MOST = 15,
    TRUNCATE_DIGITS_MOST = 77, /* of 256 bits: to cut off so many leaves nothing */
    TRUNCATE_ROWS = TALLY_BLOCK_ROWS
};

typedef struct truncate_format {
    int is_number;
    uint32_t characters, decimals;
    uint8_t replacement[TALLY_UTF8_MAX_BYTES];
    uint32_t replacement_size; /* 0: the rest is dropped */
} truncate_format;

static const tally_option truncate_options[] = {
    {"characters", TALLY_OPTION_INTEGER, 0, NULL},
    {"decimals", TALLY_OPTION_INTEGER, 0, NULL},
    {"replacement", TALLY_OPTION_TEXT, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum { TRUNCATE_CHARACTERS, TRUNCATE_DECIMALS, TRUNCATE_REPLACEMENT };

/* Writes the first characters and, instead of each other one, the replacement; spaces and hyphens
 * stay. Returns SIZE_MAX if the text is not UTF-8. */
static size_t truncate_characters(const truncate_format *own, const uint8_t *text, uint64_t size,
                                  uint8_t *out)
{
    const uint8_t *at = text, *end = text + size;
    uint8_t *to = out;
    for (uint32_t count = 0; at < end; count++) {
        uint32_t point = at[0];
        const uint32_t bytes = point < 0x80 ? 1 : tally_utf8_decode(at, end, &point);
        if (bytes == 0) {
            return SIZE_MAX;
        }
        if (count < own->characters ||
            (own->replacement_size != 0 && (point == ' ' || point == '-'))) {
            memcpy(to, at, bytes);
            to += bytes;
        } else {
            memcpy(to, own->replacement, own->replacement_size);
            to += own->replacement_size;
        }
        at += bytes;
    }
    return (size_t)(to - out);
}

/* Writes a number with exactly so many decimals; the others are cut off. SIZE_MAX: it is none. */
static size_t truncate_decimals(const truncate_format *own, const uint8_t *text, uint64_t size,
                                uint8_t *out)
{
    tally_plain_number number;
    if (!tally_plain_number_read(text, size, &number)) {
        return SIZE_MAX;
    }
    const uint64_t kept =
        number.fraction_size < own->decimals ? number.fraction_size : own->decimals;
    uint8_t *to = out, other = number.whole_size == 1 ? number.whole[0] ^ '0' : 1;
    for (uint64_t i = 0; i < kept; i++) {
        other |= number.fraction[i] ^ '0';
    }
    if (number.negative && other != 0) { /* zero has no minus */
        *to++ = '-';
    }
    memcpy(to, number.whole, (size_t)number.whole_size);
    to += number.whole_size;
    if (own->decimals != 0) {
        *to++ = '.';
        memcpy(to, number.fraction, (size_t)kept);
        memset(to + kept, '0', (size_t)(own->decimals - kept));
        to += own->decimals;
    }
    return (size_t)(to - out);
}

static tally_status truncate_text(const tally_format *format, tally_run *run,
                                  tally_text_column *column)
{
    const truncate_format *own = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    uint64_t common, *start = run->scratch(run, 0, (TRUNCATE_ROWS + 1) * sizeof *start);
    if (start == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < in->rows; first += TRUNCATE_ROWS) {
        const size_t rows =
            in->rows - first < TRUNCATE_ROWS ? (size_t)(in->rows - first) : TRUNCATE_ROWS;
        if (!tally_strings_read(&reader, rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const uint64_t bytes = start[rows] - start[0];
        const uint64_t most = own->is_number ? bytes + rows * (own->decimals + 1)
                                             : bytes * (1 + own->replacement_size);
        const tally_status status = tally_text_out_reserve(column->out, most);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < rows; i++) {
            const uint8_t *text = in->values + start[i];
            const uint64_t size = start[i + 1] - start[i];
            uint8_t *out = column->out->values + column->out->size;
            size_t written = 0;
            column->status[first + i] = 0;
            if (!tally_row_is_null(in, first + i)) {
                written = own->is_number ? truncate_decimals(own, text, size, out)
                                         : truncate_characters(own, text, size, out);
                if (written == SIZE_MAX) {
                    column->status[first + i] =
                        own->is_number ? TALLY_REASON_NOTATION : TALLY_REASON_FOREIGN;
                    written = (size_t)size;
                    if (size != 0) {
                        memcpy(out, text, written);
                    }
                }
            }
            tally_text_out_end(column->out, written);
        }
    }
    return TALLY_OK;
}

/* Cuts a number towards zero, to the double that is nearest to the decimal. Returns a reason. */
static uint8_t truncate_float(double value, double power, double *out)
{
    const double size = value < 0 ? -value : value, most = 1e15;
    if (!(size >= 0)) {
        return TALLY_REASON_NOTATION; /* no number */
    }
    if (!(size * power < most)) {
        return TALLY_REASON_RANGE;
    }
    int64_t number = (int64_t)(size * power + 0.5);
    if ((double)number / power > size) {
        number--;
    }
    const double cut = (double)number / power;
    *out = value < 0 && number != 0 ? -cut : cut;
    return 0;
}

/* Cuts a decimal of several words, the lowest first, to a multiple of `unit`, towards zero. */
static void truncate_words(uint32_t *limbs, size_t count, uint32_t digits)
{
    const int negative = limbs[count - 1] >> 31 != 0;
    uint64_t carry = 1;
    for (size_t i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    for (uint32_t k = 0; k < digits; k++) {
        uint64_t rest = 0;
        for (size_t i = count; i-- > 0;) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
    }
    for (uint32_t k = 0; k < digits; k++) {
        uint64_t more = 0;
        for (size_t i = 0; i < count; i++) {
            more += (uint64_t)limbs[i] * 10;
            limbs[i] = (uint32_t)more;
            more >>= 32;
        }
    }
    carry = 1;
    for (size_t i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TRUNCATE_LIMB(limbs, i) ((limbs)-1 - (i))
#else
#define TRUNCATE_LIMB(limbs, i) (i)
#endif

static tally_status truncate_fixed(const tally_format *format, tally_run *run,
                                   tally_fixed_column *column)
{
    const truncate_format *own = format->own;
    const uint32_t width = column->type->width;
    const int is_float = column->type->kind == TALLY_ARROW_FLOAT;
    const double power = (double)tally_digits_power(own->decimals);
    const uint32_t beyond = is_float ? 0 : (uint32_t)(column->type->scale - (int32_t)own->decimals);
    const uint32_t digits = beyond < TRUNCATE_DIGITS_MOST ? beyond : TRUNCATE_DIGITS_MOST;
    (void)run;
    for (uint64_t i = 0; i < column->rows; i++) {
        const uint8_t *value = (const uint8_t *)column->values + i * width;
        uint8_t *out = (uint8_t *)column->out + i * width;
        const uint64_t bit = column->validity_start + i;
        column->status[i] = 0;
        if (column->validity != NULL && (column->validity[bit / 8] >> bit % 8 & 1) == 0) {
            memset(out, 0, width);
        } else if (is_float) {
            double number, cut;
            memcpy(&number, value, sizeof number);
            column->status[i] = truncate_float(number, power, &cut);
            memmove(out, column->status[i] == 0 ? (const uint8_t *)&cut : value, width);
        } else {
            uint32_t held[8] = {0}, limbs[8] = {0};
            const size_t count = width < sizeof held ? width / 4 : 8;
            memcpy(held, value, count * 4);
            for (size_t k = 0; k < count; k++) {
                limbs[k] = held[TRUNCATE_LIMB(count, k)];
            }
            truncate_words(limbs, count, digits);
            for (size_t k = 0; k < count; k++) {
                held[TRUNCATE_LIMB(count, k)] = limbs[k];
            }
            memcpy(out, held, count * 4);
        }
    }
    return TALLY_OK;
}

static int truncate_takes(const tally_format *format, const char *type,
                          const tally_arrow_type *read, tally_writer *why)
{
    const truncate_format *own = format->own;
    if (read->kind == TALLY_ARROW_TEXT ||
        (own->is_number && read->kind == TALLY_ARROW_FLOAT && read->width == 8)) {
        return 1;
    }
    if (own->is_number && read->kind == TALLY_ARROW_DECIMAL) {
        if (read->scale >= (int32_t)own->decimals) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " has fewer digits after the point than decimals says");
    }
    return 0;
}

static tally_status truncate_make(tally_format *format, const tally_option_value *values,
                                  tally_problem *problem)
{
    const tally_option_value *characters = &values[TRUNCATE_CHARACTERS],
                             *decimals = &values[TRUNCATE_DECIMALS],
                             *replacement = &values[TRUNCATE_REPLACEMENT];
    truncate_format *own = tally_format_own(format, sizeof *own);
    char identity[64];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->one_way = 1;
    format->keyed = 0;
    if (characters->given == decimals->given) {
        return tally_format_refuse(format, problem, NULL,
                                   "give characters for text such as postal codes, or decimals for "
                                   "numbers such as coordinates");
    }
    if (characters->given &&
        (characters->integer < 1 || characters->integer > TRUNCATE_CHARACTERS_MOST)) {
        return tally_format_refuse(format, problem, "characters", "characters must be 1..64");
    }
    if (decimals->given && (decimals->integer < 0 || decimals->integer > TRUNCATE_DECIMALS_MOST)) {
        return tally_format_refuse(format, problem, "decimals", "decimals must be 0..15");
    }
    if (replacement->given && replacement->size != 0) {
        const uint8_t *text = (const uint8_t *)replacement->text;
        uint32_t point;
        if (decimals->given) {
            return tally_format_refuse(format, problem, "replacement",
                                       "replacement needs characters");
        }
        if (tally_utf8_decode(text, text + replacement->size, &point) != replacement->size) {
            return tally_format_refuse(format, problem, "replacement",
                                       "replacement must be one character, or none");
        }
        memcpy(own->replacement, text, replacement->size);
        own->replacement_size = (uint32_t)replacement->size;
    }
    own->is_number = decimals->given;
    own->characters = (uint32_t)characters->integer;
    own->decimals = (uint32_t)decimals->integer;
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer,
                own->is_number ? "[\"truncate\",\"decimals\"," : "[\"truncate\",\"characters\",");
    tally_write_uint(&writer, own->is_number ? own->decimals : own->characters);
    if (!own->is_number) {
        tally_write_char(&writer, ',');
        tally_write_json(&writer, (const char *)own->replacement, own->replacement_size);
    }
    tally_write_char(&writer, ']');
    format->example[0] = own->is_number ? "52.520008" : "SW1A 1AA";
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t truncate_place_of_fault(const tally_format *format, tally_reason reason,
                                      const uint8_t *value, size_t size)
{
    const truncate_format *own = format->own;
    (void)reason;
    return own->is_number ? tally_plain_number_place(value, size) : SIZE_MAX;
}

const tally_format_class tally_format_truncate = {
    .name = "truncate",
    .options = truncate_options,
    .make = truncate_make,
    .takes = truncate_takes,
    .text = truncate_text,
    .fixed = truncate_fixed,
    .place_of_fault = truncate_place_of_fault,
};

/* ---- core/formats/unicode.c ---- */
/*
 * unicode: text in one script, or of several. Letters are encrypted; signs and separators stay in
 * their places. */

/* ---- core/formats/unicode_repertoires.h ---- */
/*
 * Repertoires: the letters of Latin that names of one language have, so that tokens look like them.
 * As with scripts, what is here never changes. */
#ifndef TALLY_FORMATS_UNICODE_REPERTOIRES_H
#define TALLY_FORMATS_UNICODE_REPERTOIRES_H

/* ---- core/formats/unicode_scripts.h ---- */
/*
 * The letters of each script that text is encrypted over: data, which tokens depend on.
 *
 * What is here never changes, whatever Unicode version a machine has: a letter's place in its list
 * is its symbol. Letters beyond these would be another list, under another name. */
#ifndef TALLY_FORMATS_UNICODE_SCRIPTS_H
#define TALLY_FORMATS_UNICODE_SCRIPTS_H

/* Code points first..last, which are of the Basic Multilingual Plane. */
typedef struct tally_unicode_span {
    uint16_t first, last;
} tally_unicode_span;

typedef struct tally_unicode_spans {
    const tally_unicode_span *span;
    size_t count;
} tally_unicode_spans;

/* Combining marks, and their canonical combining class, by which NFC orders them. */
typedef struct tally_unicode_mark {
    tally_unicode_span span;
    uint8_t order;
} tally_unicode_mark;

/* A character that stands in NFC for a letter and the mark `nukta`. */
typedef struct tally_unicode_composition {
    uint16_t whole, letter;
} tally_unicode_composition;

enum {
    TALLY_UNICODE_COMPOSED = 3,
    TALLY_UNICODE_NUKTA = 0x093C,
    TALLY_UNICODE_NUKTA_ORDER = 7 /* its class */
};

/* A script. Text is in NFC, and so is what replaces it: no sign makes one character of a letter and
 * itself, but for `composed`. */
typedef struct tally_script {
    const char *name;
    const char *sample; /* a name */
    tally_unicode_spans
        lower; /* the letters in the order of their symbols, those of one form too */
    tally_unicode_spans upper; /* the other form of each; a place keeps its form */
    tally_unicode_span direct; /* more letters, side by side and of one form: Japanese alone */
    tally_unicode_spans signs; /* signs and vowels that stay, of combining class 0 */
    const tally_unicode_mark *marks; /* that stay */
    size_t mark_count;
    uint16_t medial, final; /* a letter of `lower`, and how it is written at the end of a word; 0 */
    const tally_unicode_composition *composed; /* TALLY_UNICODE_COMPOSED of them, or NULL */
} tally_script;

enum { TALLY_SCRIPTS = 9, TALLY_SCRIPT_LATIN = 0, TALLY_SCRIPT_KANA = 6, TALLY_SCRIPT_CJK = 8 };

extern const tally_script tally_scripts[TALLY_SCRIPTS];

/* Japanese: the letters of `kana`, and those of `cjk` as direct ones. */
extern const tally_script tally_script_japanese;

/* What stays in its place in text of every script, unless a format says otherwise: UTF-8. */
extern const char tally_script_separators[];

#endif

typedef struct tally_repertoire {
    const char *name;
    tally_script script;
} tally_repertoire;

enum { TALLY_REPERTOIRES = 21 };

extern const tally_repertoire tally_repertoires[TALLY_REPERTOIRES];

#endif

/* ---- core/formats/unicode_text.h ---- */
/*
 * Text of scripts: a format's options, and its columns. */
#ifndef TALLY_FORMATS_UNICODE_TEXT_H
#define TALLY_FORMATS_UNICODE_TEXT_H

/* ---- core/formats/unicode_letters.h ---- */
/*
 * The letters of one script as tables: what each character is, and which one a symbol is written
 * with. */
#ifndef TALLY_FORMATS_UNICODE_LETTERS_H
#define TALLY_FORMATS_UNICODE_LETTERS_H

/* The code of a character. Smaller codes than TALLY_UNICODE_MARK are letters: symbol times forms,
 * plus the form; one more is the letter with a form at the end of a word, in that form. */
enum {
    TALLY_UNICODE_KANJI = 0x1000, /* the code of Japanese's first ideograph */
    TALLY_UNICODE_MARK = 0xFF00,  /* plus the combining class, which is below 0xF0 */
    TALLY_UNICODE_WHOLE = 0xFFF0, /* plus the place of a character in script->composed */
    TALLY_UNICODE_NONE = 0xFFFD,  /* no character has it */
    TALLY_UNICODE_KEPT = 0xFFFE,
    TALLY_UNICODE_FOREIGN = 0xFFFF
};

enum {
    TALLY_UNICODE_PAGE_BITS = 6,
    TALLY_UNICODE_PAGES = 0x10000 >> TALLY_UNICODE_PAGE_BITS,
    TALLY_UNICODE_SHORT_PAGES = 256, /* up to U+3FFF: all that have letters of one symbol */
    TALLY_UNICODE_PAGE = 1 << TALLY_UNICODE_PAGE_BITS /* codes of a page */
};

/* UTF-8 of a letter: its bytes, the first in the lowest 8 bits, and their number in the highest. */
typedef uint32_t tally_unicode_bytes;

enum { TALLY_UNICODE_WIDTH_SHIFT = 24 };

typedef struct tally_unicode_letters {
    const tally_script *script;
    uint32_t size;   /* the number of letters */
    uint32_t digits; /* symbols of a letter: 1, or 2 where 256 are not enough */
    uint32_t radix;  /* of the cipher: as many as letters, or the least whose square is */
    uint32_t shift;  /* a code divided by the number of forms: 0 or 1 */
    tally_unicode_bytes final_bytes; /* of that form */
    uint16_t medial, final; /* codes of the letter with a final form; else TALLY_UNICODE_NONE */
    /* Letters that are side by side and have one form: their codes are in no page. They are all
     * letters, if those are of two symbols; or the ideographs of Japanese. */
    uint16_t direct, direct_code;           /* the first, and its code */
    uint32_t direct_size;                   /* or 0 */
    uint16_t bases[TALLY_UNICODE_COMPOSED]; /* codes of script->composed's letters */

    uint16_t ascii[128];
    uint8_t short_ascii[128]; /* for vectors: those codes, less their upper byte */
    uint8_t short_page_of[TALLY_UNICODE_SHORT_PAGES]; /* and the first pages */
    uint16_t page_of[TALLY_UNICODE_PAGES]; /* of a code point's upper bits; page 0 is foreign */
    uint16_t (*pages)[TALLY_UNICODE_PAGE];
    tally_unicode_bytes *bytes; /* of each code in pages; NULL if all letters are direct */
    size_t page_count;
} tally_unicode_letters;

/* Makes the tables of a script with some separators, in memory of the allocator.
 * TALLY_ERROR_MEMORY: there is too little; then release what there is. */
TALLY_MUST_CHECK tally_status tally_unicode_letters_init(const tally_allocator *allocator,
                                                         const tally_script *script,
                                                         const uint16_t *separators,
                                                         size_t separator_count,
                                                         tally_unicode_letters *out);

/* Releases the tables; none may have been made. */
void tally_unicode_letters_free(const tally_allocator *allocator, tally_unicode_letters *letters);

/* The number of letters in spans. */
uint32_t tally_unicode_count(tally_unicode_spans spans);

/* The code of a character. */
static inline uint16_t tally_unicode_code(const tally_unicode_letters *letters, uint32_t point)
{
    if (point - letters->direct < letters->direct_size) {
        return (uint16_t)(point - letters->direct + letters->direct_code);
    }
    if (point > 0xFFFF) {
        return TALLY_UNICODE_FOREIGN;
    }
    const uint16_t page = letters->page_of[point >> TALLY_UNICODE_PAGE_BITS];
    return letters->pages[page][point & (TALLY_UNICODE_PAGE - 1)];
}

/* Whether a code is that of a letter, or of a character that stands for one with a mark. */
static inline int tally_unicode_is_letter(uint32_t code)
{
    return code < TALLY_UNICODE_MARK ||
           (code >= TALLY_UNICODE_WHOLE && code < TALLY_UNICODE_WHOLE + TALLY_UNICODE_COMPOSED);
}

/* Whether a code is that of a combining mark. */
static inline int tally_unicode_is_mark(uint32_t code)
{
    return code > TALLY_UNICODE_MARK && code < TALLY_UNICODE_WHOLE;
}

#endif

/* A script of a format. */
typedef struct tally_unicode_part {
    tally_unicode_letters letters;
    uint32_t least, most;   /* symbols of a word */
    uint32_t small_symbols; /* of fewer, a word has a small domain */
} tally_unicode_part;

typedef struct tally_unicode_format {
    uint32_t keep_first, keep_last; /* letters */
    int tweak_kept;
    int any;                           /* each value is of the part that has its first letter */
    int japanese;                      /* kanji and kana are mixed */
    uint32_t min_letters, max_letters; /* of Japanese */
    uint32_t count;                    /* parts, at most TALLY_SCRIPTS */
    tally_unicode_part *parts;
    uint8_t part_of[TALLY_UNICODE_PAGES]; /* the first part with letters in a page */
} tally_unicode_format;

tally_status tally_unicode_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_unicode_one(const tally_format *format, tally_run *run, tally_one *one);

/* Fills part_of, after the parts are made. */
void tally_unicode_find_parts(tally_unicode_format *own);

/* The part of a value: the first if no part has a letter of it. */
uint32_t tally_unicode_part_of(const tally_unicode_format *own, const uint8_t *value, size_t size);

/* The same for Japanese. */
enum { TALLY_JAPANESE_KANJI = 20992, TALLY_JAPANESE_KANA = 86, TALLY_JAPANESE_LETTERS = 39 };

tally_status tally_unicode_japanese_text(const tally_format *format, tally_run *run,
                                         tally_text_column *column);
tally_status tally_unicode_japanese_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_unicode_japanese_domain(const tally_unicode_format *own, const uint8_t *value,
                                   size_t size, tally_domain *out);

#endif

enum {
    UNICODE_MAX_LETTERS = 1 << 16,
    UNICODE_USUAL_LETTERS = 1024, /* at most, unless a format says otherwise: work is of order
                                   * length^1.5 */
    UNICODE_MAX_PAIRS = 256, /* letters at most, where two symbols stand for each: longer values
                                   * would walk too long */
    UNICODE_MAX_KEPT = 32,
    UNICODE_MAX_SEPARATORS = 256
};

static const char *const unicode_scripts[] = {"any",    "latin",  "greek",      "cyrillic",
                                              "arabic", "hebrew", "devanagari", "kana",
                                              "hangul", "cjk",    "japanese",   NULL};

/* In the order of tally_repertoires. */
static const char *const unicode_repertoires[] = {
    "english",   "latin-1", "croatian",   "czech",     "danish",    "dutch",
    "finnish",   "french",  "german",     "hungarian", "icelandic", "italian",
    "norwegian", "polish",  "portuguese", "romanian",  "slovak",    "spanish",
    "swedish",   "turkish", "vietnamese", NULL};

_Static_assert(sizeof unicode_repertoires / sizeof *unicode_repertoires == TALLY_REPERTOIRES + 1,
               "all of them");

static const tally_option unicode_options[] = {
    {"script", TALLY_OPTION_CHOICE, 0, unicode_scripts},
    {"repertoire", TALLY_OPTION_CHOICE, 0, unicode_repertoires},
    {"separators", TALLY_OPTION_TEXT, 0, NULL},
    {"keep_first", TALLY_OPTION_INTEGER, 0, NULL},
    {"keep_last", TALLY_OPTION_INTEGER, 0, NULL},
    {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL},
    {"min_length", TALLY_OPTION_INTEGER, 0, NULL},
    {"max_length", TALLY_OPTION_INTEGER, 0, NULL},
    {NULL, TALLY_OPTION_TEXT, 0, NULL},
};

enum {
    UNICODE_SCRIPT,
    UNICODE_REPERTOIRE,
    UNICODE_SEPARATORS,
    UNICODE_KEEP_FIRST,
    UNICODE_KEEP_LAST,
    UNICODE_KEPT_AS_TWEAK,
    UNICODE_MIN_LENGTH,
    UNICODE_MAX_LENGTH
};

/* What options say, read. */
typedef struct unicode_wanted {
    int64_t keep_first, keep_last, min_length, max_length;
    uint16_t separators[UNICODE_MAX_SEPARATORS];
    size_t separator_count;
} unicode_wanted;

/* The scripts that options choose. */
typedef struct unicode_choice {
    const char *name;       /* for the identity */
    const char *repertoire; /* or NULL */
    const tally_script *scripts;
    uint32_t count;
} unicode_choice;

static tally_status unicode_check_numbers(const tally_format *format, const unicode_wanted *wanted,
                                          tally_problem *problem)
{
    const int first = wanted->keep_first >= 0 && wanted->keep_first <= UNICODE_MAX_KEPT,
              last = wanted->keep_last >= 0 && wanted->keep_last <= UNICODE_MAX_KEPT;
    if (!first || !last) {
        return tally_format_refuse(format, problem, first ? "keep_last" : "keep_first",
                                   "keep_first and keep_last must be 0..32");
    }
    if (wanted->min_length < 0 || wanted->max_length < wanted->min_length ||
        wanted->max_length > UNICODE_MAX_LETTERS) {
        return tally_format_refuse(format, problem,
                                   wanted->min_length < 0 ? "min_length" : "max_length",
                                   "lengths must be 0 <= min_length <= max_length <= 65536");
    }
    return TALLY_OK;
}

/* Whether a script has a letter or sign, and so no such separator. */
static int unicode_spans_have(tally_unicode_spans spans, uint32_t point)
{
    for (size_t i = 0; i < spans.count; i++) {
        if (point >= spans.span[i].first && point <= spans.span[i].last) {
            return 1;
        }
    }
    return 0;
}

static int unicode_script_has(const tally_script *script, uint32_t point)
{
    int found =
        unicode_spans_have(script->lower, point) || unicode_spans_have(script->upper, point) ||
        unicode_spans_have(script->signs, point) || (script->final != 0 && point == script->final);
    for (size_t i = 0; i < script->mark_count; i++) {
        found |= unicode_spans_have((tally_unicode_spans){&script->marks[i].span, 1}, point);
    }
    return found;
}

static tally_status unicode_refuse_separator(const tally_format *format, const tally_script *script,
                                             tally_problem *problem)
{
    tally_writer out;
    tally_format_refusal(format, problem, "separators", &out);
    tally_write(&out, "a separator must not be a letter or sign of the script ");
    tally_write(&out, script->name);
    return TALLY_ERROR_FORMAT;
}

static tally_status unicode_read_separators(const tally_format *format, const char *text,
                                            size_t size, const tally_script *scripts,
                                            uint32_t count, unicode_wanted *wanted,
                                            tally_problem *problem)
{
    /* All are read once to see whether one is given twice, before each is looked at. */
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        for (size_t again = at; again < size;) {
            if (tally_utf8_next(text, size, &again) == point) {
                return tally_format_refuse(format, problem, "separators",
                                           "a separator is given twice");
            }
        }
    }
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        if (point > 0xFFFF || (point >= 0xD800 && point < 0xE000) ||
            tally_combining_class(point) != 0) {
            return tally_format_refuse(format, problem, "separators",
                                       "separators must be characters of the Basic Multilingual "
                                       "Plane, without combining marks");
        }
        for (uint32_t i = 0; i < count; i++) {
            if (unicode_script_has(&scripts[i], point)) {
                return unicode_refuse_separator(format, &scripts[i], problem);
            }
        }
        if (wanted->separator_count == UNICODE_MAX_SEPARATORS) {
            return tally_format_refuse(format, problem, "separators",
                                       "there must be at most 256 separators");
        }
        wanted->separators[wanted->separator_count++] = (uint16_t)point;
    }
    return TALLY_OK;
}

/* The letters of the shortest and the longest word. */
static int64_t unicode_least(const unicode_wanted *wanted, uint32_t digits)
{
    const int64_t least = 3 - (int64_t)digits,
                  own = wanted->min_length - wanted->keep_first - wanted->keep_last;
    return own > least ? own : least;
}

static int64_t unicode_most(const unicode_wanted *wanted, uint32_t digits)
{
    const int64_t limit = digits == 1 ? UNICODE_MAX_LETTERS : UNICODE_MAX_PAIRS,
                  most = wanted->max_length < limit ? wanted->max_length : limit;
    return most - wanted->keep_first - wanted->keep_last;
}

/* Sets the limits of Japanese, of which one kanji is enough. */
static tally_status unicode_limit_japanese(tally_format *format, const unicode_wanted *wanted,
                                           tally_problem *problem)
{
    tally_unicode_format *own = format->own;
    const int64_t keeps = wanted->keep_first + wanted->keep_last;
    own->min_letters = (uint32_t)wanted->min_length;
    own->max_letters = (uint32_t)wanted->max_length;
    if (wanted->max_length <= keeps) {
        return tally_format_refuse(
            format, problem, "max_length",
            "a value has no letter to encrypt; keep fewer in clear, or allow "
            "longer values");
    }
    if (wanted->min_length - keeps > TALLY_JAPANESE_LETTERS) {
        return tally_format_refuse(format, problem, "min_length",
                                   "at most 39 letters of Japanese are encrypted; keep more in "
                                   "clear, or allow shorter values");
    }
    const int64_t least = wanted->min_length - keeps;
    format->smallest = tally_domain_of_words(TALLY_JAPANESE_KANA, least > 2 ? (uint64_t)least : 2);
    return TALLY_OK;
}

static tally_status unicode_make_part(tally_format *format, const unicode_wanted *wanted,
                                      const tally_script *script, tally_unicode_part *part,
                                      tally_problem *problem)
{
    const tally_status status =
        tally_unicode_letters_init(tally_format_allocator(format), script, wanted->separators,
                                   wanted->separator_count, &part->letters);
    if (status != TALLY_OK) {
        return status;
    }
    if (script == &tally_script_japanese) {
        return unicode_limit_japanese(format, wanted, problem);
    }
    const uint32_t digits = part->letters.digits;
    const int64_t least = unicode_least(wanted, digits), most = unicode_most(wanted, digits);
    if (most < least) {
        tally_writer out;
        const int by_least = wanted->min_length - wanted->keep_first - wanted->keep_last == least;
        tally_format_refusal(format, problem, by_least ? "min_length" : "max_length", &out);
        tally_write(&out, "a value of ");
        tally_write_int(&out, wanted->max_length);
        tally_write(&out, " letters has fewer than ");
        tally_write_int(&out, least);
        tally_write(&out, " to encrypt; keep fewer in clear, or allow longer values");
        return TALLY_ERROR_FORMAT;
    }
    part->least = (uint32_t)least * digits;
    part->most = (uint32_t)most * digits;
    uint32_t small = 1;
    while (tally_domain_of_words(part->letters.size, small).size < TALLY_SMALL_DOMAIN) {
        small++;
    }
    part->small_symbols = small * digits;
    const tally_domain domain = tally_domain_of_words(part->letters.size, (uint64_t)least);
    if (!format->smallest.known || domain.size < format->smallest.size) {
        format->smallest = domain;
    }
    return TALLY_OK;
}

static tally_status unicode_name(tally_format *format, const tally_unicode_format *own,
                                 const unicode_choice *choice)
{
    char identity[128];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"unicode\",");
    tally_write_uint(&out, own->keep_first);
    tally_write_char(&out, ',');
    tally_write_uint(&out, own->keep_last);
    tally_write(&out, own->tweak_kept ? ",true,\"" : ",false,\"");
    tally_write(&out, choice->name);
    if (choice->repertoire != NULL) {
        tally_write(&out, "\",\"");
        tally_write(&out, choice->repertoire);
    }
    tally_write(&out, "\"]");
    return tally_format_identify(format, identity, out.size);
}

/* The scripts that a description asks for. */
static tally_status unicode_choose(const tally_format *format, const tally_option_value *values,
                                   unicode_choice *out, tally_problem *problem)
{
    const size_t chosen = (size_t)values[UNICODE_SCRIPT].integer; /* not given: "any", the first */
    out->name = unicode_scripts[chosen];
    out->scripts =
        chosen == 0 || chosen > TALLY_SCRIPTS ? tally_scripts : &tally_scripts[chosen - 1];
    out->count = chosen == 0 ? TALLY_SCRIPTS : 1;
    out->repertoire = NULL;
    if (chosen > TALLY_SCRIPTS) {
        out->scripts = &tally_script_japanese;
    }
    if (values[UNICODE_REPERTOIRE].given) {
        const tally_repertoire *repertoire = &tally_repertoires[values[UNICODE_REPERTOIRE].integer];
        if (values[UNICODE_SCRIPT].given && out->scripts != &tally_scripts[TALLY_SCRIPT_LATIN]) {
            return tally_format_refuse(format, problem, "repertoire",
                                       "repertoire needs script = 'latin'");
        }
        out->name = tally_scripts[TALLY_SCRIPT_LATIN].name;
        out->scripts = &repertoire->script;
        out->count = 1;
        out->repertoire = repertoire->name;
    }
    return TALLY_OK;
}

/* Reads the options that are numbers and texts. */
static tally_status unicode_read_wanted(const tally_format *format,
                                        const tally_option_value *values,
                                        const unicode_choice *choice, unicode_wanted *out,
                                        tally_problem *problem)
{
    const tally_option_value *separators = &values[UNICODE_SEPARATORS],
                             *most = &values[UNICODE_MAX_LENGTH];
    out->keep_first = values[UNICODE_KEEP_FIRST].integer;
    out->keep_last = values[UNICODE_KEEP_LAST].integer;
    out->min_length = values[UNICODE_MIN_LENGTH].integer;
    out->max_length = most->given ? most->integer : UNICODE_USUAL_LETTERS;
    out->separator_count = 0;
    const tally_status status = unicode_check_numbers(format, out, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const char *text = separators->given ? separators->text : tally_script_separators;
    const size_t size = separators->given ? separators->size : strlen(text);
    return unicode_read_separators(format, text, size, choice->scripts, choice->count, out,
                                   problem);
}

static tally_status unicode_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    const tally_allocator *allocator = tally_format_allocator(format);
    tally_unicode_format *own = tally_format_own(format, sizeof *own);
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    unicode_choice choice;
    unicode_wanted wanted;
    tally_status status = unicode_choose(format, values, &choice, problem);
    if (status == TALLY_OK) {
        status = unicode_read_wanted(format, values, &choice, &wanted, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    own->keep_first = (uint32_t)wanted.keep_first;
    own->keep_last = (uint32_t)wanted.keep_last;
    const int kept_as_tweak =
        !values[UNICODE_KEPT_AS_TWEAK].given || values[UNICODE_KEPT_AS_TWEAK].integer != 0;
    own->tweak_kept = kept_as_tweak && own->keep_first + own->keep_last != 0;
    own->any = choice.count > 1;
    own->japanese = choice.scripts == &tally_script_japanese;
    own->parts = tally_allocate_many(allocator, choice.count, sizeof *own->parts);
    if (own->parts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(own->parts, 0, choice.count * sizeof *own->parts);
    own->count = choice.count;
    for (uint32_t i = 0; i < own->count && status == TALLY_OK; i++) {
        status = unicode_make_part(format, &wanted, &choice.scripts[i], &own->parts[i], problem);
        format->example[i] = choice.scripts[i].sample;
    }
    if (status == TALLY_OK) {
        tally_unicode_find_parts(own);
        status = tally_format_check_domain(format, problem);
    }
    return status == TALLY_OK ? unicode_name(format, own, &choice) : status;
}

static void unicode_destroy(tally_format *format)
{
    const tally_allocator *allocator = tally_format_allocator(format);
    tally_unicode_format *own = format->own;
    for (uint32_t i = 0; i < own->count; i++) {
        tally_unicode_letters_free(allocator, &own->parts[i].letters);
    }
    tally_release(allocator, own->parts, own->count * sizeof *own->parts);
}

/* The words of as many letters, in the script that has the most of them. */
static void unicode_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                              tally_domain *out)
{
    const tally_unicode_format *own = format->own;
    const uint64_t keeps = own->keep_first + own->keep_last;
    if (own->japanese) {
        tally_unicode_japanese_domain(own, value, size, out);
        return;
    }
    *out = tally_domain_of_size(1);
    for (uint32_t i = 0; i < own->count; i++) {
        const tally_unicode_letters *letters = &own->parts[i].letters;
        uint64_t count = 0;
        for (size_t at = 0; at < size;) {
            const uint32_t point = tally_utf8_next((const char *)value, size, &at);
            count += tally_unicode_code(letters, point) < TALLY_UNICODE_MARK;
        }
        if (count > keeps) {
            const tally_domain domain = tally_domain_of_words(letters->size, count - keeps);
            *out = domain.size > out->size ? domain : *out;
        }
    }
}

static tally_status unicode_text(const tally_format *format, tally_run *run,
                                 tally_text_column *column)
{
    const tally_unicode_format *own = format->own;
    return own->japanese ? tally_unicode_japanese_text(format, run, column)
                         : tally_unicode_text(format, run, column);
}

static tally_status unicode_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_unicode_format *own = format->own;
    return own->japanese ? tally_unicode_japanese_one(format, run, one)
                         : tally_unicode_one(format, run, one);
}

static uint64_t unicode_work(const tally_format *format, size_t size)
{
    const tally_unicode_format *own = format->own;
    uint64_t most = 0;
    if (own->japanese) { /* two symbols of 8 bits hold a letter */
        const uint64_t symbols = size / 3 * 2;
        return tally_format_layers(
            256, symbols < TALLY_MIXED_MAX_LENGTH ? symbols : TALLY_MIXED_MAX_LENGTH, 1);
    }
    for (uint32_t i = 0; i < own->count; i++) {
        const tally_unicode_part *part = &own->parts[i];
        const uint32_t digits = part->letters.digits;
        const uint64_t symbols = digits == 1 ? size : (uint64_t)size / 3 * 2,
                       length = symbols < part->most ? symbols : part->most,
                       layers = tally_format_layers(part->letters.radix, length, 0) * digits;
        most = layers > most ? layers : most;
    }
    return most;
}

static size_t unicode_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const tally_unicode_format *own = format->own;
    if (reason == TALLY_REASON_NORMAL) {
        size_t place;
        return tally_is_nfc(value, size, &place) ? SIZE_MAX : place;
    }
    if (reason == TALLY_REASON_NOTATION) { /* the form of one letter: its place would tell it */
        return SIZE_MAX;
    }
    const tally_unicode_letters *letters = &own->parts[0].letters;
    if (own->any) {
        letters = &own->parts[tally_unicode_part_of(own, value, size)].letters;
    }
    for (size_t at = 0; at < size;) {
        const size_t begin = at;
        const uint32_t point = tally_utf8_next((const char *)value, size, &at);
        const int broken = point >= 0xD800 && point < 0xE000;
        if (broken || tally_unicode_code(letters, point) == TALLY_UNICODE_FOREIGN) {
            return begin;
        }
    }
    return SIZE_MAX;
}

const tally_format_class tally_format_unicode = {
    .name = "unicode",
    .options = unicode_options,
    .make = unicode_make,
    .destroy = unicode_destroy,
    .text = unicode_text,
    .one = unicode_one,
    .domain_of = unicode_domain_of,
    .work = unicode_work,
    .place_of_fault = unicode_place_of_fault,
};

/* ---- core/formats/unicode_avx512.c ---- */
/*
 * Short text of scripts with AVX-512 VBMI2: 32 characters at a time are read, each in 16 bits, and
 * sixteen are written, each in 32 bits. */

/* ---- core/formats/unicode_short.h ---- */
/*
 * Text of scripts in values of at most 64 bytes, a whole value in one vector. Letters are of one
 * symbol each. */
#ifndef TALLY_FORMATS_UNICODE_SHORT_H
#define TALLY_FORMATS_UNICODE_SHORT_H

enum {
    TALLY_UNICODE_SHORT = 64 /* bytes of a value, at most, and more bytes of room behind all */
};

/* Whether this CPU has these functions. */
int tally_unicode_short_available(void);

/* Reads a value: the codes of its characters, the symbols of its letters, and how many there are of
 * both. Returns 0 if the value is invalid, or if its marks have to be looked at one by one. Both
 * outputs need room for TALLY_UNICODE_SHORT items, and more are written than there are. */
int tally_unicode_short_read(const tally_unicode_letters *letters, const uint8_t *value,
                             size_t size, uint16_t *codes, uint8_t *symbols, size_t *chars,
                             size_t *count);

/* Writes the value with other symbols; returns its end. At most TALLY_UNICODE_SHORT bytes more are
 * written, and read of the symbols. */
uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters, const uint8_t *value,
                                   size_t size, const uint16_t *codes, const uint8_t *symbols,
                                   uint8_t *out);

#endif

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#if defined(__GNUC__) && !defined(__clang__)
/* Without optimization, gcc's intrinsics are macros that convert the sign of their masks. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

#define UNICODE_AVX512_TARGET                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

enum { UNICODE_AVX512_LANES = 16, UNICODE_AVX512_READ = 32 };

int tally_unicode_short_available(void)
{
    return (tally_cpu_features() & TALLY_CPU_AVX512VBMI2) != 0;
}

/* 0 .. 63. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_places(void)
{
    return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46,
                           45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28,
                           27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                           9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* Where the characters of a value begin, and where they end. */
typedef struct unicode_avx512_value {
    __m512i bytes;
    _Alignas(64) uint8_t start[64], end[64];
    size_t chars;
} unicode_avx512_value;

/* Returns 0 if the value begins within a character. `size` is 1..64. */
static inline UNICODE_AVX512_TARGET int unicode_avx512_load(const uint8_t *text, size_t size,
                                                            unicode_avx512_value *out)
{
    const __m512i places = unicode_avx512_places();
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, text);
    const uint64_t behind = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64)),
                   lead = in & ~behind;
    const uint64_t chars = (uint64_t)_mm_popcnt_u64(lead);
    const __m512i start = _mm512_maskz_compress_epi8(lead, places);
    /* The first place is 0, so the ends are the places but for that, then the size. */
    const __m512i end =
        _mm512_mask_mov_epi8(_mm512_maskz_compress_epi8(lead & (lead - 1), places),
                             UINT64_C(1) << ((chars - 1) & 63), _mm512_set1_epi8((char)size));
    out->bytes = bytes;
    _mm512_store_si512(out->start, start);
    _mm512_store_si512(out->end, end);
    out->chars = (size_t)chars;
    return (lead & 1) != 0;
}

/* Characters first .. first + 15: their UTF-8, least byte first, and their widths. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_take(const unicode_avx512_value *value,
                                                                size_t first, __m512i *widths)
{
    const __m512i replicate = _mm512_set1_epi32(0x03020100);
    const __m512i start =
        _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(value->start + first)));
    const __m512i end =
        _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(value->end + first)));
    const __m512i twice = _mm512_or_si512(start, _mm512_slli_epi32(start, 8));
    const __m512i places =
        _mm512_add_epi8(_mm512_or_si512(twice, _mm512_slli_epi32(twice, 16)), replicate);
    const __m512i width = _mm512_sub_epi32(end, start);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i own = _mm512_sub_epi32(_mm512_sllv_epi32(one, _mm512_slli_epi32(width, 3)), one);
    *widths = width;
    return _mm512_and_si512(_mm512_permutexvar_epi8(places, value->bytes), own);
}

/* A value's characters side by side: their first, second and third bytes, where they have them. */
typedef struct unicode_avx512_characters {
    __m512i first, second, third;
    uint64_t twos, threes; /* characters of so many bytes */
    size_t count;
} unicode_avx512_characters;

/* Returns 0 if the value is not UTF-8, or has characters of four bytes. `size` is 1..64. */
static inline UNICODE_AVX512_TARGET int unicode_avx512_split(uint64_t in, __m512i bytes,
                                                             unicode_avx512_characters *out)
{
    const uint64_t twos = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(-0x3E)),
                                                 _mm512_set1_epi8(0x1E)),
                   threes = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(-0x20)),
                                                   _mm512_set1_epi8(0x10)),
                   behind = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-0x40));
    const uint64_t lead = in & ~behind, more = twos | threes,
                   others = (uint64_t)_mm512_movepi8_mask(bytes) & ~(more | behind);
    const uint64_t cut = more >> 63 | threes >> 62; /* what goes on behind 64 bytes */
    const __m512i one = _mm512_set1_epi8(1), next = _mm512_add_epi8(unicode_avx512_places(), one);
    out->first = _mm512_maskz_compress_epi8(lead, bytes);
    out->second = _mm512_maskz_compress_epi8(lead, _mm512_permutexvar_epi8(next, bytes));
    out->third = _mm512_maskz_compress_epi8(
        lead, _mm512_permutexvar_epi8(_mm512_add_epi8(next, one), bytes));
    out->twos = _pext_u64(twos, lead);
    out->threes = _pext_u64(threes, lead);
    out->count = (size_t)_mm_popcnt_u64(lead);
    /* Those below U+0800 have no three bytes. */
    const uint64_t least =
        _mm512_mask_cmpeq_epi8_mask(out->threes, out->first, _mm512_set1_epi8(-0x20));
    const uint64_t less = _mm512_mask_cmplt_epu8_mask(least, out->second, _mm512_set1_epi8(-0x60));
    return (others | cut | less | (behind ^ (more << 1 | threes << 2))) == 0;
}

/* 32 bytes of a vector, each in 16 bits. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_half(__m512i bytes, size_t first)
{
    return _mm512_cvtepu8_epi16(first == 0 ? _mm512_castsi512_si256(bytes)
                                           : _mm512_extracti64x4_epi64(bytes, 1));
}

/* The code points of characters first .. first + 31, in 16 bits each. */
static inline UNICODE_AVX512_TARGET __m512i
unicode_avx512_points(const unicode_avx512_characters *all, size_t first)
{
    const __m512i low = _mm512_set1_epi16(0x3F), one = unicode_avx512_half(all->first, first);
    const __m512i two = _mm512_and_si512(unicode_avx512_half(all->second, first), low),
                  three = _mm512_and_si512(unicode_avx512_half(all->third, first), low);
    const __m512i of_two =
        _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi16(one, 6), _mm512_set1_epi16(0x7C0)), two);
    const __m512i of_three = _mm512_or_si512(
        _mm512_or_si512(_mm512_slli_epi16(one, 12), _mm512_slli_epi16(two, 6)), three);
    return _mm512_mask_mov_epi16(
        _mm512_mask_mov_epi16(one, (__mmask32)(all->twos >> first), of_two),
        (__mmask32)(all->threes >> first), of_three);
}

/* Looks bytes of 16 bits up, which are below 128. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_look_up(const uint8_t *table,
                                                                   __m512i index)
{
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), index,
                                    _mm512_loadu_si512(table + 64));
}

/* Gathers the table's entries of `scale` bytes for the first `count` of 16 lanes; eight take half the
 * time. */
#define UNICODE_AVX512_GATHER(count, active, index, table, scale)                                  \
    ((count) > 8 ? _mm512_mask_i32gather_epi32(index, active, index, table, scale)                 \
                 : _mm512_zextsi256_si512(_mm256_mmask_i32gather_epi32(                            \
                       _mm512_castsi512_si256(index), (__mmask8)(active),                          \
                       _mm512_castsi512_si256(index), (const int *)(const void *)(table), scale)))

/* The codes of `count` characters of 32, at least one. A character of a page that vectors do not
 * know gets another code: that of a foreign one. */
static inline UNICODE_AVX512_TARGET __m512i
unicode_avx512_codes(const tally_unicode_letters *letters, size_t count, __m512i points)
{
    const __m512i upper = _mm512_srli_epi16(points, TALLY_UNICODE_PAGE_BITS);
    const __mmask32 is_later = _mm512_cmpge_epu16_mask(upper, _mm512_set1_epi16(128)),
                    is_known = _mm512_cmplt_epu16_mask(
                        upper, _mm512_set1_epi16(TALLY_UNICODE_SHORT_PAGES));
    const __m512i page = _mm512_maskz_mov_epi16(
        is_known,
        _mm512_mask_mov_epi16(unicode_avx512_look_up(letters->short_page_of, upper), is_later,
                              unicode_avx512_look_up(letters->short_page_of + 128, upper)));
    /* The upper byte of a page is anything: what is left of it is masked. */
    const __m512i place =
        _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi16(page, TALLY_UNICODE_PAGE_BITS),
                                         _mm512_set1_epi16(0x3FC0)),
                        _mm512_and_si512(points, _mm512_set1_epi16(TALLY_UNICODE_PAGE - 1)));
    const uint32_t active = _bzhi_u32(UINT32_MAX, (uint32_t)count);
    const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(place));
    const __m512i first = UNICODE_AVX512_GATHER(count, (__mmask16)active, low, letters->pages, 2);
    __m256i second = _mm256_setzero_si256();
    if (count > 16) {
        const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(place, 1));
        second = _mm512_cvtepi32_epi16(
            UNICODE_AVX512_GATHER(count - 16, (__mmask16)(active >> 16), high, letters->pages, 2));
    }
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(first)), second, 1);
}

/* The letters that have a letter before them and none behind. */
static inline uint64_t unicode_avx512_ends(uint64_t letters)
{
    return letters & letters << 1 & ~(letters >> 1);
}

/* Reads a value of ASCII alone. No letter below U+0080 has a final form. */
static inline UNICODE_AVX512_TARGET int
unicode_avx512_read_ascii(const tally_unicode_letters *letters, __m512i bytes, uint64_t in,
                          uint16_t *codes, uint8_t *symbols, size_t *count)
{
    const __m512i code = _mm512_permutex2var_epi8(_mm512_loadu_si512(letters->short_ascii), bytes,
                                                  _mm512_loadu_si512(letters->short_ascii + 64));
    const uint64_t others =
        _mm512_mask_cmpge_epu8_mask(in, code, _mm512_set1_epi8((char)(TALLY_UNICODE_KEPT & 0xFF)));
    const uint64_t foreign = _mm512_mask_cmpeq_epi8_mask(
        in, code, _mm512_set1_epi8((char)(TALLY_UNICODE_FOREIGN & 0xFF)));
    const uint64_t is_letter = in & ~others;
    const __m512i upper = _mm512_set1_epi16((short)-0x100);
    const __m512i first = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(code)),
                  second = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(code, 1));
    _mm512_storeu_si512(
        codes, _mm512_mask_blend_epi16((__mmask32)others, first, _mm512_or_si512(first, upper)));
    _mm512_storeu_si512(codes + 32, _mm512_mask_blend_epi16((__mmask32)(others >> 32), second,
                                                            _mm512_or_si512(second, upper)));
    const __m512i half = _mm512_and_si512(_mm512_srli_epi16(code, 1), _mm512_set1_epi8(0x7F));
    const __m512i symbol = letters->shift != 0 ? half : code;
    _mm512_storeu_si512(symbols, _mm512_maskz_compress_epi8(is_letter, symbol));
    *count = (size_t)_mm_popcnt_u64(is_letter);
    return foreign == 0;
}

UNICODE_AVX512_TARGET int tally_unicode_short_read(const tally_unicode_letters *letters,
                                                   const uint8_t *value, size_t size,
                                                   uint16_t *codes, uint8_t *symbols, size_t *chars,
                                                   size_t *count)
{
    unicode_avx512_characters text;
    if (size == 0) {
        *chars = *count = 0;
        return 1;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, value);
    if (_mm512_movepi8_mask(bytes) == 0) {
        *chars = size;
        return unicode_avx512_read_ascii(letters, bytes, in, codes, symbols, count);
    }
    if (!unicode_avx512_split(in, bytes, &text)) {
        return 0;
    }
    const __m512i mark = _mm512_set1_epi16((short)TALLY_UNICODE_MARK),
                  kept = _mm512_set1_epi16((short)TALLY_UNICODE_KEPT),
                  nukta =
                      _mm512_set1_epi16((short)(TALLY_UNICODE_MARK + TALLY_UNICODE_NUKTA_ORDER)),
                  whole = _mm512_set1_epi16((short)TALLY_UNICODE_WHOLE),
                  medial = _mm512_set1_epi16((short)letters->medial),
                  final = _mm512_set1_epi16((short)letters->final);
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    const int has_nukta = letters->script->composed != NULL;
    uint64_t all_letters = 0, marks = 0, medials = 0, finals = 0;
    uint8_t *symbol = symbols;
    for (size_t i = 0; i < text.count; i += UNICODE_AVX512_READ) {
        const size_t left = text.count - i;
        const __mmask32 active = _bzhi_u32(UINT32_MAX, (uint32_t)left);
        const __m512i code = unicode_avx512_codes(letters, left, unicode_avx512_points(&text, i));
        _mm512_storeu_si512(codes + i, code);
        const __mmask32 is_letter = _mm512_mask_cmplt_epu16_mask(active, code, mark),
                        is_mark = _mm512_mask_cmplt_epu16_mask(active & ~is_letter, code, whole),
                        is_kept = _mm512_mask_cmpeq_epi16_mask(active, code, kept);
        if ((is_letter | is_mark | is_kept) != active ||
            (has_nukta && _mm512_mask_cmpeq_epi16_mask(active, code, nukta) != 0)) {
            return 0;
        }
        const __mmask32 is_final = _mm512_mask_cmpeq_epi16_mask(active, code, final);
        all_letters |= (uint64_t)is_letter << i;
        marks |= (uint64_t)is_mark << i;
        medials |= (uint64_t)_mm512_mask_cmpeq_epi16_mask(active, code, medial) << i;
        finals |= (uint64_t)is_final << i;
        const __m512i number =
            _mm512_srl_epi16(_mm512_mask_mov_epi16(code, is_final, medial), shift);
        _mm256_storeu_si256((__m256i *)(void *)symbol,
                            _mm256_maskz_compress_epi8(is_letter, _mm512_cvtepi16_epi8(number)));
        symbol += _mm_popcnt_u32(is_letter);
    }
    *chars = text.count;
    *count = (size_t)(symbol - symbols);
    /* Marks side by side may be in another order than NFC's. */
    const uint64_t ends = unicode_avx512_ends(all_letters);
    return (marks & marks << 1) == 0 && (medials & ends) == 0 && (finals & ~ends) == 0;
}

UNICODE_AVX512_TARGET uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters,
                                                         const uint8_t *value, size_t size,
                                                         const uint16_t *codes,
                                                         const uint8_t *symbols, uint8_t *out)
{
    unicode_avx512_value text;
    if (size == 0) {
        return out;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const int is_ascii = _mm512_movepi8_mask(_mm512_maskz_loadu_epi8(in, value)) == 0;
    text.chars = size;
    if (!is_ascii) {
        (void)unicode_avx512_load(value, size, &text);
    }
    const __m512i mark = _mm512_set1_epi32(TALLY_UNICODE_MARK),
                  forms = _mm512_set1_epi32((1 << letters->shift) - 1),
                  order = _mm512_set1_epi32(0x03020100);
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    const int has_final = letters->final != TALLY_UNICODE_NONE;
    uint64_t ends = 0;
    if (has_final) {
        uint64_t all = 0;
        for (size_t i = 0; i < text.chars; i += UNICODE_AVX512_LANES) {
            const __m512i code = _mm512_cvtepu16_epi32(
                _mm256_loadu_si256((const __m256i *)(const void *)(codes + i)));
            all |= (uint64_t)_mm512_cmplt_epu32_mask(code, mark) << i;
        }
        ends = unicode_avx512_ends(all & _bzhi_u64(UINT64_MAX, (uint32_t)text.chars));
    }
    for (size_t i = 0; i < text.chars; i += UNICODE_AVX512_LANES) {
        const __mmask16 active = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)(text.chars - i));
        __m512i raw, widths = _mm512_set1_epi32(1);
        if (is_ascii) {
            raw = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(active, value + i));
        } else {
            raw = unicode_avx512_take(&text, i, &widths);
        }
        const __m512i code =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(codes + i)));
        const __mmask16 is_letter = _mm512_mask_cmplt_epu32_mask(active, code, mark);
        const __m512i symbol = _mm512_cvtepu8_epi32(_mm_maskz_expand_epi8(
            is_letter, _mm_loadu_si128((const __m128i *)(const void *)symbols)));
        symbols += _mm_popcnt_u32(is_letter);
        const __m512i written =
            _mm512_or_si512(_mm512_sll_epi32(symbol, shift), _mm512_and_si512(code, forms));
        const __m512i found =
            UNICODE_AVX512_GATHER(text.chars - i, is_letter, written, letters->bytes, 4);
        __m512i bytes = _mm512_mask_mov_epi32(raw, is_letter, found);
        if (has_final) {
            const __mmask16 end = _mm512_mask_cmpeq_epi32_mask(
                is_letter & (__mmask16)(ends >> i), written, _mm512_set1_epi32(letters->medial));
            bytes = _mm512_mask_mov_epi32(bytes, end, _mm512_set1_epi32((int)letters->final_bytes));
        }
        const __m512i width = _mm512_mask_mov_epi32(
            widths, is_letter, _mm512_srli_epi32(bytes, TALLY_UNICODE_WIDTH_SHIFT));
        const __m512i twice = _mm512_or_si512(width, _mm512_slli_epi32(width, 8));
        const uint64_t used =
            _mm512_cmplt_epu8_mask(order, _mm512_or_si512(twice, _mm512_slli_epi32(twice, 16)));
        const uint64_t own = _pdep_u64(active, UINT64_C(0x1111111111111111)) * 15 & used;
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(own, bytes));
        out += _mm_popcnt_u64(own);
    }
    return out;
}

#else

int tally_unicode_short_available(void)
{
    return 0;
}

int tally_unicode_short_read(const tally_unicode_letters *letters, const uint8_t *value,
                             size_t size, uint16_t *codes, uint8_t *symbols, size_t *chars,
                             size_t *count)
{
    (void)letters, (void)value, (void)size, (void)codes, (void)symbols, (void)chars, (void)count;
    return 0;
}

uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters, const uint8_t *value,
                                   size_t size, const uint16_t *codes, const uint8_t *symbols,
                                   uint8_t *out)
{
    (void)letters, (void)value, (void)size, (void)codes, (void)symbols;
    return out;
}

#endif

/* ---- core/formats/unicode_japanese.c ---- */
/*
 * Japanese names, which mix kanji, hiragana and katakana. A place keeps its kind, and all letters of
 * a value are one number of mixed radix: a word for each kind would give values with the same kanji
 * tokens with the same kanji, and could not encrypt a single kana. The kinds are part of the tweak,
 * so numbers of values that mix them otherwise have nothing to do with each other. */

enum {
    JAPANESE_KANJI_MOST = 17, /* in numbers up to 2^256 */
    JAPANESE_BLOCK = 1 << 16, /* bytes of a block of more than one row */
    JAPANESE_ROWS = 1024,     /* of a block */
    JAPANESE_NO_WORD = 0xFFFF,
    JAPANESE_KEPT_BYTES = 3, /* of a kept letter, in the tweak */
    JAPANESE_LETTER = 3,     /* bytes of a letter in UTF-8 */
    JAPANESE_SMALL_KANA = 3  /* so many have a small domain, and one kanji */
};

/* The kana that a number has room for, by the number of kanji. */
static const uint8_t japanese_kana_most[JAPANESE_KANJI_MOST + 1] = {
    39, 37, 35, 33, 30, 28, 26, 24, 21, 19, 17, 15, 13, 10, 8, 6, 4, 1};

/* How a letter is written in the tweak. */
enum { JAPANESE_KANJI, JAPANESE_KANA, JAPANESE_KEPT_KANJI, JAPANESE_KEPT_KANA };

typedef struct japanese_row {
    uint64_t start; /* in the column's values */
    uint64_t size;
    uint16_t *digits; /* of the letters that are encrypted */
    const uint8_t *tail;
    size_t letters; /* all of them */
    uint32_t tail_size;
    uint16_t bucket;
    uint8_t free; /* letters that are encrypted */
    uint8_t is_null, is_small;
} japanese_row;

typedef struct japanese_job {
    const tally_unicode_format *own;
    tally_run *run;
    const uint8_t *values;
    const tally_strings_reader *tweaks; /* or NULL */
    uint64_t first;                     /* the block's first row */
    uint8_t *status;                    /* of the block's rows */
    size_t count;
    japanese_row *rows;
    uint16_t *digits;
    uint8_t *tails, *tails_end;
    const tally_mixed_lanes *lanes;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
} japanese_job;

static int japanese_is_kanji(uint32_t code)
{
    return code >= TALLY_UNICODE_KANJI;
}

/* The character of three bytes of UTF-8. */
static inline uint32_t japanese_point(const uint8_t *at)
{
    return (at[0] & 0x0FU) << 12 | (at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
}

/* Reads the codes of a value's letters; `codes` has room for one a byte, and one more. */
static tally_reason japanese_read(const tally_unicode_format *own, const uint8_t *value,
                                  size_t size, uint16_t *codes, size_t *letters)
{
    const uint8_t *at = value, *const end = value + size;
    size_t count = 0;
    int foreign = 0;
    while (at < end) {
        uint32_t point;
        if (end - at >= JAPANESE_LETTER && *at > 0xE0 && *at < 0xED && (at[1] & 0xC0) == 0x80 &&
            (at[2] & 0xC0) == 0x80) { /* as all letters have it */
            point = japanese_point(at);
            at += JAPANESE_LETTER;
        } else {
            const uint32_t width = tally_utf8_decode(at, end, &point);
            if (width == 0) {
                return TALLY_REASON_FOREIGN;
            }
            at += width;
        }
        const uint32_t code = tally_unicode_code(&own->parts->letters, point);
        codes[count] = (uint16_t)code;
        count += code < TALLY_UNICODE_MARK;
        foreign |= code == TALLY_UNICODE_FOREIGN;
    }
    *letters = count;
    return !foreign                          ? TALLY_REASON_NONE
           : tally_is_nfc(value, size, NULL) ? TALLY_REASON_FOREIGN
                                             : TALLY_REASON_NORMAL;
}

/* Writes kept letters for the tweak; returns their end. */
static uint8_t *japanese_tail_kept(const tally_unicode_format *own, const uint16_t *codes,
                                   size_t count, uint8_t *out)
{
    for (size_t i = 0; own->tweak_kept && i < count; i++) {
        const int kanji = japanese_is_kanji(codes[i]);
        const uint32_t symbol = kanji ? codes[i] - (uint32_t)TALLY_UNICODE_KANJI : codes[i] >> 1;
        *out++ = kanji ? JAPANESE_KEPT_KANJI : JAPANESE_KEPT_KANA;
        *out++ = (uint8_t)(symbol >> 8);
        *out++ = (uint8_t)symbol;
    }
    return out;
}

/* Turns the codes of a row into the digits of its number, and writes their kinds as its part of the
 * tweak. Returns why it is invalid: there are too few or too many letters. */
static tally_reason japanese_make_digits(japanese_job *job, japanese_row *row)
{
    const tally_unicode_format *own = job->own;
    const size_t keeps = own->keep_first + own->keep_last;
    if (row->letters < own->min_letters || row->letters <= keeps) {
        return TALLY_REASON_SHORT;
    }
    if (row->letters > own->max_letters || row->letters - keeps > japanese_kana_most[0]) {
        return TALLY_REASON_LONG;
    }
    const size_t letters = row->letters - keeps;
    const uint16_t *codes = row->digits + own->keep_first;
    uint8_t *kind = japanese_tail_kept(own, row->digits, own->keep_first, job->tails + 4);
    size_t kanji = 0;
    for (size_t i = 0; i < letters; i++) { /* what it writes over was read */
        const uint32_t code = codes[i];
        const int is_kanji = japanese_is_kanji(code);
        kind[i] = is_kanji ? JAPANESE_KANJI : JAPANESE_KANA;
        row->digits[i] = (uint16_t)(is_kanji ? code - TALLY_UNICODE_KANJI : code >> 1);
        kanji += (size_t)is_kanji;
    }
    if (kanji == 0 && letters < 2) {
        return TALLY_REASON_SHORT;
    }
    if (kanji > JAPANESE_KANJI_MOST || letters - kanji > japanese_kana_most[kanji]) {
        return TALLY_REASON_LONG;
    }
    const uint8_t *end = japanese_tail_kept(own, codes + letters, own->keep_last, kind + letters);
    row->free = (uint8_t)letters;
    row->is_small = kanji == 0 ? letters <= JAPANESE_SMALL_KANA : (kanji == 1 && letters == 1);
    row->tail = job->tails;
    row->tail_size = (uint32_t)(end - job->tails);
    tally_store_be32(row->tail_size - 4, job->tails);
    return TALLY_REASON_NONE;
}

/* Appends the row's tweak to its part. Returns 0 if that is null or too long. */
static int japanese_take_tweak(const japanese_job *job, japanese_row *row, size_t index)
{
    const size_t used = job->run->tweak_size + row->tail_size;
    uint8_t *tail = job->tails + row->tail_size;
    if (job->tweaks != NULL && used <= TALLY_FAST_MAX_ROW_TWEAK) {
        const uint64_t number = job->first + index;
        uint64_t start, size;
        if (tally_row_is_null(job->tweaks->strings, number) ||
            !tally_strings_row(job->tweaks, number, &start, &size) ||
            size > TALLY_FAST_MAX_ROW_TWEAK - used || size > (uint64_t)(job->tails_end - tail)) {
            return 0;
        }
        if (size != 0) {
            memcpy(tail, job->tweaks->strings->values + start, (size_t)size);
        }
        row->tail_size += (uint32_t)size;
    }
    return used <= TALLY_FAST_MAX_ROW_TWEAK;
}

static tally_reason japanese_read_row(japanese_job *job, size_t index)
{
    japanese_row *row = &job->rows[index];
    row->digits = job->digits;
    tally_reason reason = japanese_read(job->own, job->values + row->start, (size_t)row->size,
                                        row->digits, &row->letters);
    if (reason == TALLY_REASON_NONE) {
        reason = japanese_make_digits(job, row);
    }
    if (reason == TALLY_REASON_NONE && !japanese_take_tweak(job, row, index)) {
        reason = TALLY_REASON_TWEAK;
    }
    if (reason == TALLY_REASON_NONE) {
        job->run->small += row->is_small;
        job->digits += row->free;
        job->tails += row->tail_size;
    }
    return reason;
}

/* The sizes of a row's digits. */
static void japanese_sizes(const japanese_row *row, uint32_t *sizes)
{
    size_t count = 0;
    for (const uint8_t *at = row->tail + 4; count < row->free; at++) {
        if (*at >= JAPANESE_KEPT_KANJI) {
            at += JAPANESE_KEPT_BYTES - 1;
        } else {
            sizes[count++] = *at == JAPANESE_KANJI ? TALLY_JAPANESE_KANJI : TALLY_JAPANESE_KANA;
        }
    }
}

/* Rows whose tweaks are equal, and their words. */
typedef struct japanese_words {
    const tally_mixed_lanes *lanes;
    tally_mixed_plan plan;
    japanese_row **rows;
    size_t count;
    uint8_t *words;
    uint8_t symbols[TALLY_MIXED_MAX_LENGTH * TALLY_MIXED_ROWS];
    tally_mixed_digits digits;
} japanese_words;

static size_t japanese_part(const japanese_words *all, size_t first)
{
    const size_t left = all->count - first;
    return left < TALLY_MIXED_ROWS ? left : TALLY_MIXED_ROWS;
}

/* Writes the numbers of all rows as words. */
static void japanese_to_words(japanese_words *all)
{
    const size_t length = all->plan.length;
    for (size_t first = 0; first < all->count; first += TALLY_MIXED_ROWS) {
        const size_t part = japanese_part(all, first);
        for (size_t i = 0; i < part; i++) {
            for (size_t p = 0; p < all->plan.positions; p++) {
                all->digits[p][i] = all->rows[first + i]->digits[p];
            }
        }
        all->lanes->write(&all->plan, all->digits, part, all->symbols, TALLY_MIXED_ROWS);
        for (size_t i = 0; i < part; i++) {
            for (size_t s = 0; s < length; s++) {
                all->words[(first + i) * length + s] = all->symbols[s * TALLY_MIXED_ROWS + i];
            }
        }
    }
}

/* Reads words as numbers again, and keeps the rows and words that are none. */
static void japanese_from_words(japanese_words *all)
{
    const size_t length = all->plan.length;
    size_t kept = 0;
    for (size_t first = 0; first < all->count; first += TALLY_MIXED_ROWS) {
        const size_t part = japanese_part(all, first);
        uint8_t outside[TALLY_MIXED_ROWS];
        for (size_t i = 0; i < part; i++) {
            for (size_t s = 0; s < length; s++) {
                all->symbols[s * TALLY_MIXED_ROWS + i] = all->words[(first + i) * length + s];
            }
        }
        all->lanes->read(&all->plan, all->symbols, TALLY_MIXED_ROWS, part, all->digits, outside);
        for (size_t i = 0; i < part; i++) {
            japanese_row *row = all->rows[first + i];
            if (outside[i] != 0) {
                memmove(all->words + kept * length, all->words + (first + i) * length, length);
                all->rows[kept++] = row;
                continue;
            }
            for (size_t p = 0; p < all->plan.positions; p++) {
                row->digits[p] = all->digits[p][i];
            }
        }
    }
    all->count = kept;
}

/* Encrypts rows whose tweaks are equal, until each is a number again (cycle walking). The order of
 * `rows` is lost. */
static tally_status japanese_run_rows(japanese_job *job, japanese_row **rows, size_t count)
{
    tally_run *run = job->run;
    uint32_t sizes[TALLY_MIXED_MAX_POSITIONS];
    const tally_mixed mixed = {.sizes = sizes, .positions = rows[0]->free};
    japanese_words *all = run->scratch(run, 6, sizeof *all);
    if (all == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    japanese_sizes(rows[0], sizes);
    tally_status status = tally_mixed_make_plan(&mixed, &all->plan);
    if (status != TALLY_OK) {
        return status;
    }
    all->lanes = job->lanes;
    all->rows = rows;
    all->count = count;
    all->words = run->scratch(run, 7, count * all->plan.length);
    tally_fast_cipher *cipher = run->cipher(run, all->plan.radix);
    if (cipher == NULL || all->words == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memcpy(job->tweak, run->tweak, run->tweak_size);
    memcpy(job->tweak + run->tweak_size, rows[0]->tail, rows[0]->tail_size);
    const size_t tweak_size = run->tweak_size + rows[0]->tail_size;
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(cipher, all->plan.length, &spare);
    japanese_to_words(all);
    while (all->count != 0 && status == TALLY_OK) {
        status = tally_fast_words(cipher, run->direction, params, job->tweak, tweak_size,
                                  all->words, all->count, all->words);
        japanese_from_words(all);
    }
    return status;
}

/* Writes a valid row, whose letters have the places and sizes that they had. */
static void japanese_write(const japanese_job *job, const japanese_row *row, uint8_t *out)
{
    const tally_unicode_letters *letters = &job->own->parts->letters;
    const uint8_t *value = job->values + row->start;
    size_t place = 0 - (size_t)job->own->keep_first; /* beyond row->free, if the letter is kept */
    memcpy(out, value, (size_t)row->size);
    for (size_t at = 0; at < row->size;) {
        if (value[at] < 0xE0) {
            at += value[at] < 0x80 ? 1 : 2;
            continue;
        }
        const uint32_t code = tally_unicode_code(letters, japanese_point(value + at));
        if (code < TALLY_UNICODE_MARK && place++ < row->free) {
            const uint32_t digit = row->digits[place - 1];
            if (japanese_is_kanji(code)) {
                (void)tally_utf8_encode(letters->direct + digit, out + at);
            } else {
                const uint32_t bytes = letters->bytes[digit << 1 | (code & 1)];
                out[at] = (uint8_t)bytes;
                out[at + 1] = (uint8_t)(bytes >> 8);
                out[at + 2] = (uint8_t)(bytes >> 16);
            }
        }
        at += JAPANESE_LETTER;
    }
}

/* Memory for the text of `count` rows with `size` bytes in all. */
static tally_status japanese_take_text(japanese_job *job, size_t count, uint64_t size)
{
    const size_t letters =
        (size_t)(job->own->keep_first + job->own->keep_last) * JAPANESE_KEPT_BYTES +
        japanese_kana_most[0];
    size_t tails = count * (4 + letters) + 64;
    if (size > SIZE_MAX / 8) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; job->tweaks != NULL && i < count; i++) {
        uint64_t start, tweak = 0;
        if (tally_strings_row(job->tweaks, job->first + i, &start, &tweak)) {
            tails += tweak < TALLY_FAST_MAX_ROW_TWEAK ? (size_t)tweak : TALLY_FAST_MAX_ROW_TWEAK;
        }
    }
    /* Codes of foreign characters are written, too, over each other. */
    job->digits = job->run->scratch(job->run, 1, ((size_t)size + 1) * sizeof *job->digits);
    job->tails = job->run->scratch(job->run, 2, tails);
    job->tails_end = job->tails + tails;
    return job->digits != NULL && job->tails != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
}

/* Encrypts the rows of a block, those of equal tweaks together. */
static tally_status japanese_do_block(japanese_job *job)
{
    tally_fast_buckets *buckets = job->run->scratch(job->run, 3, sizeof *buckets);
    japanese_row **sorted = job->run->scratch(job->run, 4, job->count * sizeof *sorted);
    size_t next[JAPANESE_ROWS], at = 0;
    if (buckets == NULL || sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_fast_buckets_clear(buckets);
    for (size_t i = 0; i < job->count; i++) {
        japanese_row *row = &job->rows[i];
        const tally_reason reason = row->is_null ? TALLY_REASON_NONE : japanese_read_row(job, i);
        job->status[i] = (uint8_t)reason;
        row->bucket = JAPANESE_NO_WORD;
        if (!row->is_null && reason == TALLY_REASON_NONE) {
            row->bucket = tally_fast_buckets_add(buckets, row->tail, row->tail_size, row->free);
        }
    }
    for (size_t i = 0; i < buckets->count; i++) {
        next[i] = at;
        at += buckets->bucket[i].rows;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->rows[i].bucket != JAPANESE_NO_WORD) {
            sorted[next[job->rows[i].bucket]++] = &job->rows[i];
        }
    }
    for (size_t i = 0; i < buckets->count; i++) {
        const size_t rows = buckets->bucket[i].rows;
        const tally_status status = japanese_run_rows(job, sorted + next[i] - rows, rows);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status japanese_write_block(const japanese_job *job, tally_text_out *out,
                                         uint64_t size)
{
    const tally_status status =
        tally_text_out_reserve(out, size); /* all letters have three bytes */
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < job->count; i++) {
        const japanese_row *row = &job->rows[i];
        uint8_t *start = out->values + out->size;
        const uint64_t written = row->is_null ? 0 : row->size;
        if (row->bucket != JAPANESE_NO_WORD) {
            japanese_write(job, row, start);
        } else if (written != 0) {
            memcpy(start, job->values + row->start, (size_t)written);
        }
        tally_text_out_end(out, written);
    }
    return TALLY_OK;
}

/* Takes the rows of the next block: as many as fit, and one at least. Returns the bytes of all;
 * UINT64_MAX: another thread has changed the offsets. */
static uint64_t japanese_take_rows(japanese_job *job, tally_strings_reader *in)
{
    uint64_t bytes = 0;
    for (job->count = 0; job->count < JAPANESE_ROWS && in->row < in->strings->rows; job->count++) {
        japanese_row *row = &job->rows[job->count];
        if (job->count != 0 && bytes > JAPANESE_BLOCK) {
            break;
        }
        row->is_null = (uint8_t)tally_row_is_null(in->strings, in->row);
        if (!tally_strings_next(in, &row->start, &row->size)) {
            return UINT64_MAX;
        }
        bytes += row->size;
    }
    return bytes;
}

tally_status tally_unicode_japanese_text(const tally_format *format, tally_run *run,
                                         tally_text_column *column)
{
    tally_strings_reader in, tweaks;
    japanese_job job;
    job.own = format->own;
    job.run = run;
    job.values = column->in.values;
    job.tweaks = run->row_tweaks != NULL ? &tweaks : NULL;
    job.first = 0;
    job.lanes = tally_mixed_lanes_choose();
    job.rows = run->scratch(run, 0, JAPANESE_ROWS * sizeof *job.rows);
    if (column->in.rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &in) ||
        (job.tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = job.rows != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
    while (status == TALLY_OK && job.first < column->in.rows) {
        const uint64_t bytes = japanese_take_rows(&job, &in);
        if (bytes == UINT64_MAX) {
            status = TALLY_ERROR_ARGUMENT;
            break;
        }
        job.status = column->status + job.first;
        status = japanese_take_text(&job, job.count, bytes);
        if (status == TALLY_OK) {
            status = japanese_do_block(&job);
        }
        if (status == TALLY_OK) {
            status = japanese_write_block(&job, column->out, bytes);
        }
        job.first += job.count;
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

tally_status tally_unicode_japanese_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_strings_reader reader = {.strings = &tweaks, .end = one->row_tweak_size};
    japanese_row row = {.size = one->size}, *rows = &row;
    japanese_job job;
    job.own = format->own;
    job.run = run;
    job.values = one->value;
    job.tweaks = one->row_tweak != NULL ? &reader : NULL;
    job.first = 0;
    job.lanes = tally_mixed_lanes_choose();
    job.rows = rows;
    tally_status status = japanese_take_text(&job, 1, one->size);
    if (status != TALLY_OK) {
        return status;
    }
    one->reason = japanese_read_row(&job, 0);
    if (one->reason != TALLY_REASON_NONE) {
        return TALLY_OK;
    }
    status = japanese_run_rows(&job, &rows, 1);
    one->out_size = one->size;
    if (status == TALLY_OK && one->size > one->room) {
        status = TALLY_ERROR_ROOM;
    }
    if (status == TALLY_OK) {
        japanese_write(&job, &row, one->out);
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

void tally_unicode_japanese_domain(const tally_unicode_format *own, const uint8_t *value,
                                   size_t size, tally_domain *out)
{
    const size_t keeps = own->keep_first + own->keep_last;
    size_t letters = 0, letter = 0;
    *out = (tally_domain){.size = 1, .known = 1};
    for (int counts = 1; counts >= 0; counts--) {
        for (size_t at = 0; at < size;) {
            const uint32_t code = tally_unicode_code(
                &own->parts->letters, tally_utf8_next((const char *)value, size, &at));
            if (code >= TALLY_UNICODE_MARK) {
                continue;
            }
            if (counts) {
                letters++;
                continue;
            }
            if (letters > keeps && letter >= own->keep_first && letter < letters - own->keep_last) {
                const uint64_t kind =
                    japanese_is_kanji(code) ? TALLY_JAPANESE_KANJI : TALLY_JAPANESE_KANA;
                out->size = out->size > UINT64_MAX / kind ? UINT64_MAX : out->size * kind;
            }
            letter++;
        }
    }
}

/* ---- core/formats/unicode_letters.c ---- */
/* SPDX-License-Identifier: Apache-2.0 */

enum { LETTERS_LEAST_RADIX = 16 /* of letters of two symbols */ };

uint32_t tally_unicode_count(tally_unicode_spans spans)
{
    uint32_t count = 0;
    for (size_t i = 0; i < spans.count; i++) {
        count += (uint32_t)(spans.span[i].last - spans.span[i].first) + 1;
    }
    return count;
}

static uint32_t letters_page(uint32_t point)
{
    return point >> TALLY_UNICODE_PAGE_BITS;
}

static void letters_want(tally_unicode_letters *letters, uint32_t point)
{
    letters->page_of[letters_page(point)] = 1;
}

static void letters_want_spans(tally_unicode_letters *letters, tally_unicode_spans spans)
{
    for (size_t i = 0; i < spans.count; i++) {
        for (uint32_t page = letters_page(spans.span[i].first);
             page <= letters_page(spans.span[i].last); page++) {
            letters->page_of[page] = 1;
        }
    }
}

static void letters_set(tally_unicode_letters *letters, uint32_t point, uint32_t code)
{
    letters->pages[letters->page_of[letters_page(point)]][point & (TALLY_UNICODE_PAGE - 1)] =
        (uint16_t)code;
}

static void letters_set_span(tally_unicode_letters *letters, tally_unicode_span span, uint32_t code)
{
    for (uint32_t point = span.first; point <= span.last; point++) {
        letters_set(letters, point, code);
    }
}

/* Numbers the pages that are wanted. */
static size_t letters_number_pages(tally_unicode_letters *letters, const uint16_t *separators,
                                   size_t count)
{
    const tally_script *script = letters->script;
    letters->page_of[0] = letters->page_of[1] = 1; /* ASCII */
    if (letters->digits == 1) {
        letters_want_spans(letters, script->lower);
        letters_want_spans(letters, script->upper);
    }
    letters_want_spans(letters, script->signs);
    for (size_t i = 0; i < script->mark_count; i++) {
        letters_want_spans(letters, (tally_unicode_spans){&script->marks[i].span, 1});
    }
    for (size_t i = 0; script->composed != NULL && i < TALLY_UNICODE_COMPOSED; i++) {
        letters_want(letters, script->composed[i].whole);
    }
    letters_want(letters, script->final);
    for (size_t i = 0; i < count; i++) {
        letters_want(letters, separators[i]);
    }
    size_t pages = 1;
    for (size_t i = 0; i < TALLY_UNICODE_PAGES; i++) {
        if (letters->page_of[i] != 0) {
            letters->page_of[i] = (uint16_t)pages++;
        }
    }
    return pages + 1; /* vectors read a code more than there is */
}

static tally_unicode_bytes letters_bytes(uint32_t point)
{
    uint8_t text[TALLY_UTF8_MAX_BYTES] = {0};
    const uint32_t width = tally_utf8_encode(point, text);
    return (uint32_t)text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 |
           width << TALLY_UNICODE_WIDTH_SHIFT;
}

static void letters_fill_form(tally_unicode_letters *letters, tally_unicode_spans spans,
                              uint32_t form)
{
    uint32_t symbol = 0;
    for (size_t i = 0; i < spans.count; i++) {
        for (uint32_t point = spans.span[i].first; point <= spans.span[i].last; point++) {
            const uint32_t code = (symbol++ << letters->shift) + form;
            letters_set(letters, point, code);
            letters->bytes[code] = letters_bytes(point);
        }
    }
}

static void letters_fill(tally_unicode_letters *letters, const uint16_t *separators, size_t count)
{
    const tally_script *script = letters->script;
    for (size_t page = 0; page < letters->page_count; page++) {
        for (size_t i = 0; i < TALLY_UNICODE_PAGE; i++) {
            letters->pages[page][i] = TALLY_UNICODE_FOREIGN;
        }
    }
    if (letters->digits == 1) {
        letters_fill_form(letters, script->lower, 0);
        letters_fill_form(letters, script->upper, 1);
    }
    for (size_t i = 0; i < script->signs.count; i++) {
        letters_set_span(letters, script->signs.span[i], TALLY_UNICODE_KEPT);
    }
    for (size_t i = 0; i < count; i++) {
        letters_set(letters, separators[i], TALLY_UNICODE_KEPT);
    }
    for (size_t i = 0; i < script->mark_count; i++) {
        letters_set_span(letters, script->marks[i].span,
                         (uint32_t)(TALLY_UNICODE_MARK + script->marks[i].order));
    }
    for (uint32_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
        letters->bases[i] = TALLY_UNICODE_NONE;
        if (script->composed != NULL) {
            letters->bases[i] = tally_unicode_code(letters, script->composed[i].letter);
            letters_set(letters, script->composed[i].whole, TALLY_UNICODE_WHOLE + i);
        }
    }
    letters->medial = letters->final = TALLY_UNICODE_NONE;
    if (script->final != 0) {
        letters->medial = tally_unicode_code(letters, script->medial);
        letters->final = (uint16_t)(letters->size << letters->shift);
        letters_set(letters, script->final, letters->final);
        letters->final_bytes = letters_bytes(script->final);
    }
    for (size_t i = 0; i < TALLY_UNICODE_SHORT_PAGES; i++) {
        letters->short_page_of[i] = (uint8_t)letters->page_of[i];
    }
    for (uint32_t point = 0; point < 128; point++) {
        letters->ascii[point] = tally_unicode_code(letters, point);
        letters->short_ascii[point] = (uint8_t)letters->ascii[point];
    }
}

tally_status tally_unicode_letters_init(const tally_allocator *allocator,
                                        const tally_script *script, const uint16_t *separators,
                                        size_t separator_count, tally_unicode_letters *out)
{
    memset(out, 0, sizeof *out);
    out->script = script;
    out->size = tally_unicode_count(script->lower);
    out->shift = script->upper.count != 0;
    out->digits = 1;
    out->radix = out->size;
    if (out->size > 256) {
        out->digits = 2;
        out->radix = LETTERS_LEAST_RADIX;
        while (out->radix * out->radix < out->size) {
            out->radix++;
        }
    }
    tally_unicode_span direct = script->direct;
    if (out->digits == 2) {
        direct = script->lower.span[0];
    }
    if (direct.first != 0) {
        out->direct = direct.first;
        out->direct_size = (uint32_t)(direct.last - direct.first) + 1;
        out->direct_code = out->digits == 2 ? 0 : TALLY_UNICODE_KANJI;
    }
    out->page_count = letters_number_pages(out, separators, separator_count);
    out->pages = tally_allocate_many(allocator, out->page_count, sizeof *out->pages);
    if (out->digits == 1) {
        out->bytes =
            tally_allocate_many(allocator, (size_t)out->size << out->shift, sizeof *out->bytes);
    }
    if (out->pages == NULL || (out->digits == 1 && out->bytes == NULL)) {
        return TALLY_ERROR_MEMORY;
    }
    letters_fill(out, separators, separator_count);
    return TALLY_OK;
}

void tally_unicode_letters_free(const tally_allocator *allocator, tally_unicode_letters *letters)
{
    tally_release(allocator, letters->pages, letters->page_count * sizeof *letters->pages);
    tally_release(allocator, letters->bytes,
                  ((size_t)letters->size << letters->shift) * sizeof *letters->bytes);
}

/* ---- core/formats/unicode_repertoires.c ---- */
/* SPDX-License-Identifier: Apache-2.0 */

/* Each list is a to z, then its other letters in the order of their code points. The other form of a
 * letter is that of the script `latin`. */

static const tally_unicode_span repertoires_english[] = {{0x0061, 0x007a}};
static const tally_unicode_span repertoires_english_upper[] = {{0x0041, 0x005a}};

/* The characters of ISO 8859-1. Two have no upper case there: they are each other's other form. */
static const tally_unicode_span repertoires_latin_1[] = {
    {0x0061, 0x007a}, {0x00df, 0x00f6}, {0x00f8, 0x00fe}};
static const tally_unicode_span repertoires_latin_1_upper[] = {
    {0x0041, 0x005a}, {0x00ff, 0x00ff}, {0x00c0, 0x00d6}, {0x00d8, 0x00de}};

static const tally_unicode_span repertoires_croatian[] = {{0x0061, 0x007a}, {0x0107, 0x0107},
                                                          {0x010d, 0x010d}, {0x0111, 0x0111},
                                                          {0x0161, 0x0161}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_croatian_upper[] = {{0x0041, 0x005a}, {0x0106, 0x0106},
                                                                {0x010c, 0x010c}, {0x0110, 0x0110},
                                                                {0x0160, 0x0160}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_czech[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f3, 0x00f3}, {0x00fa, 0x00fa}, {0x00fd, 0x00fd}, {0x010d, 0x010d},
    {0x010f, 0x010f}, {0x011b, 0x011b}, {0x0148, 0x0148}, {0x0159, 0x0159},
    {0x0161, 0x0161}, {0x0165, 0x0165}, {0x016f, 0x016f}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_czech_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d3, 0x00d3}, {0x00da, 0x00da}, {0x00dd, 0x00dd}, {0x010c, 0x010c},
    {0x010e, 0x010e}, {0x011a, 0x011a}, {0x0147, 0x0147}, {0x0158, 0x0158},
    {0x0160, 0x0160}, {0x0164, 0x0164}, {0x016e, 0x016e}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_danish[] = {
    {0x0061, 0x007a}, {0x00e5, 0x00e6}, {0x00e9, 0x00e9}, {0x00f8, 0x00f8}};
static const tally_unicode_span repertoires_danish_upper[] = {
    {0x0041, 0x005a}, {0x00c5, 0x00c6}, {0x00c9, 0x00c9}, {0x00d8, 0x00d8}};

static const tally_unicode_span repertoires_dutch[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e4, 0x00e4}, {0x00e8, 0x00e9},
    {0x00eb, 0x00eb}, {0x00ed, 0x00ed}, {0x00ef, 0x00ef}, {0x00f3, 0x00f3},
    {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_dutch_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c4, 0x00c4}, {0x00c8, 0x00c9},
    {0x00cb, 0x00cb}, {0x00cd, 0x00cd}, {0x00cf, 0x00cf}, {0x00d3, 0x00d3},
    {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_finnish[] = {
    {0x0061, 0x007a}, {0x00e4, 0x00e5}, {0x00f6, 0x00f6}, {0x0161, 0x0161}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_finnish_upper[] = {
    {0x0041, 0x005a}, {0x00c4, 0x00c5}, {0x00d6, 0x00d6}, {0x0160, 0x0160}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_french[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e0}, {0x00e2, 0x00e2}, {0x00e6, 0x00eb}, {0x00ee, 0x00ef},
    {0x00f4, 0x00f4}, {0x00f9, 0x00f9}, {0x00fb, 0x00fc}, {0x00ff, 0x00ff}, {0x0153, 0x0153}};
static const tally_unicode_span repertoires_french_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c0}, {0x00c2, 0x00c2}, {0x00c6, 0x00cb}, {0x00ce, 0x00cf},
    {0x00d4, 0x00d4}, {0x00d9, 0x00d9}, {0x00db, 0x00dc}, {0x0178, 0x0178}, {0x0152, 0x0152}};

static const tally_unicode_span repertoires_german[] = {
    {0x0061, 0x007a}, {0x00df, 0x00df}, {0x00e4, 0x00e4}, {0x00f6, 0x00f6}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_german_upper[] = {
    {0x0041, 0x005a}, {0x1e9e, 0x1e9e}, {0x00c4, 0x00c4}, {0x00d6, 0x00d6}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_hungarian[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed}, {0x00f3, 0x00f3},
    {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}, {0x0151, 0x0151}, {0x0171, 0x0171}};
static const tally_unicode_span repertoires_hungarian_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd}, {0x00d3, 0x00d3},
    {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dc, 0x00dc}, {0x0150, 0x0150}, {0x0170, 0x0170}};

static const tally_unicode_span repertoires_icelandic[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e6, 0x00e6}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f0, 0x00f0}, {0x00f3, 0x00f3}, {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fd, 0x00fe}};
static const tally_unicode_span repertoires_icelandic_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c6, 0x00c6}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d0, 0x00d0}, {0x00d3, 0x00d3}, {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dd, 0x00de}};

static const tally_unicode_span repertoires_italian[] = {{0x0061, 0x007a}, {0x00e0, 0x00e0},
                                                         {0x00e8, 0x00e9}, {0x00ec, 0x00ee},
                                                         {0x00f2, 0x00f3}, {0x00f9, 0x00fa}};
static const tally_unicode_span repertoires_italian_upper[] = {{0x0041, 0x005a}, {0x00c0, 0x00c0},
                                                               {0x00c8, 0x00c9}, {0x00cc, 0x00ce},
                                                               {0x00d2, 0x00d3}, {0x00d9, 0x00da}};

static const tally_unicode_span repertoires_norwegian[] = {
    {0x0061, 0x007a}, {0x00e5, 0x00e6}, {0x00e8, 0x00ea}, {0x00f2, 0x00f4}, {0x00f8, 0x00f8}};
static const tally_unicode_span repertoires_norwegian_upper[] = {
    {0x0041, 0x005a}, {0x00c5, 0x00c6}, {0x00c8, 0x00ca}, {0x00d2, 0x00d4}, {0x00d8, 0x00d8}};

static const tally_unicode_span repertoires_polish[] = {
    {0x0061, 0x007a}, {0x00f3, 0x00f3}, {0x0105, 0x0105}, {0x0107, 0x0107}, {0x0119, 0x0119},
    {0x0142, 0x0142}, {0x0144, 0x0144}, {0x015b, 0x015b}, {0x017a, 0x017a}, {0x017c, 0x017c}};
static const tally_unicode_span repertoires_polish_upper[] = {
    {0x0041, 0x005a}, {0x00d3, 0x00d3}, {0x0104, 0x0104}, {0x0106, 0x0106}, {0x0118, 0x0118},
    {0x0141, 0x0141}, {0x0143, 0x0143}, {0x015a, 0x015a}, {0x0179, 0x0179}, {0x017b, 0x017b}};

static const tally_unicode_span repertoires_portuguese[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e3}, {0x00e7, 0x00e7}, {0x00e9, 0x00ea},
    {0x00ed, 0x00ed}, {0x00f3, 0x00f5}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_portuguese_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c3}, {0x00c7, 0x00c7}, {0x00c9, 0x00ca},
    {0x00cd, 0x00cd}, {0x00d3, 0x00d5}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_romanian[] = {{0x0061, 0x007a}, {0x00e2, 0x00e2},
                                                          {0x00ee, 0x00ee}, {0x0103, 0x0103},
                                                          {0x0219, 0x0219}, {0x021b, 0x021b}};
static const tally_unicode_span repertoires_romanian_upper[] = {{0x0041, 0x005a}, {0x00c2, 0x00c2},
                                                                {0x00ce, 0x00ce}, {0x0102, 0x0102},
                                                                {0x0218, 0x0218}, {0x021a, 0x021a}};

static const tally_unicode_span repertoires_slovak[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e4, 0x00e4}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f3, 0x00f4}, {0x00fa, 0x00fa}, {0x00fd, 0x00fd}, {0x010d, 0x010d}, {0x010f, 0x010f},
    {0x013a, 0x013a}, {0x013e, 0x013e}, {0x0148, 0x0148}, {0x0155, 0x0155}, {0x0161, 0x0161},
    {0x0165, 0x0165}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_slovak_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c4, 0x00c4}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d3, 0x00d4}, {0x00da, 0x00da}, {0x00dd, 0x00dd}, {0x010c, 0x010c}, {0x010e, 0x010e},
    {0x0139, 0x0139}, {0x013d, 0x013d}, {0x0147, 0x0147}, {0x0154, 0x0154}, {0x0160, 0x0160},
    {0x0164, 0x0164}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_spanish[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f1, 0x00f1}, {0x00f3, 0x00f3}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_spanish_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d1, 0x00d1}, {0x00d3, 0x00d3}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_swedish[] = {
    {0x0061, 0x007a}, {0x00e4, 0x00e5}, {0x00e9, 0x00e9}, {0x00f6, 0x00f6}};
static const tally_unicode_span repertoires_swedish_upper[] = {
    {0x0041, 0x005a}, {0x00c4, 0x00c5}, {0x00c9, 0x00c9}, {0x00d6, 0x00d6}};

static const tally_unicode_span repertoires_turkish[] = {
    {0x0061, 0x007a}, {0x00e7, 0x00e7}, {0x00f6, 0x00f6}, {0x00fc, 0x00fc},
    {0x011f, 0x011f}, {0x0131, 0x0131}, {0x015f, 0x015f}};
static const tally_unicode_span repertoires_turkish_upper[] = {
    {0x0041, 0x005a}, {0x00c7, 0x00c7}, {0x00d6, 0x00d6}, {0x00dc, 0x00dc},
    {0x011e, 0x011e}, {0x0130, 0x0130}, {0x015e, 0x015e}};

static const tally_unicode_span repertoires_vietnamese[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e3}, {0x00e8, 0x00ea}, {0x00ec, 0x00ed}, {0x00f2, 0x00f5},
    {0x00f9, 0x00fa}, {0x00fd, 0x00fd}, {0x0103, 0x0103}, {0x0111, 0x0111}, {0x0129, 0x0129},
    {0x0169, 0x0169}, {0x01a1, 0x01a1}, {0x01b0, 0x01b0}, {0x1ea1, 0x1ea1}, {0x1ea3, 0x1ea3},
    {0x1ea5, 0x1ea5}, {0x1ea7, 0x1ea7}, {0x1ea9, 0x1ea9}, {0x1eab, 0x1eab}, {0x1ead, 0x1ead},
    {0x1eaf, 0x1eaf}, {0x1eb1, 0x1eb1}, {0x1eb3, 0x1eb3}, {0x1eb5, 0x1eb5}, {0x1eb7, 0x1eb7},
    {0x1eb9, 0x1eb9}, {0x1ebb, 0x1ebb}, {0x1ebd, 0x1ebd}, {0x1ebf, 0x1ebf}, {0x1ec1, 0x1ec1},
    {0x1ec3, 0x1ec3}, {0x1ec5, 0x1ec5}, {0x1ec7, 0x1ec7}, {0x1ec9, 0x1ec9}, {0x1ecb, 0x1ecb},
    {0x1ecd, 0x1ecd}, {0x1ecf, 0x1ecf}, {0x1ed1, 0x1ed1}, {0x1ed3, 0x1ed3}, {0x1ed5, 0x1ed5},
    {0x1ed7, 0x1ed7}, {0x1ed9, 0x1ed9}, {0x1edb, 0x1edb}, {0x1edd, 0x1edd}, {0x1edf, 0x1edf},
    {0x1ee1, 0x1ee1}, {0x1ee3, 0x1ee3}, {0x1ee5, 0x1ee5}, {0x1ee7, 0x1ee7}, {0x1ee9, 0x1ee9},
    {0x1eeb, 0x1eeb}, {0x1eed, 0x1eed}, {0x1eef, 0x1eef}, {0x1ef1, 0x1ef1}, {0x1ef3, 0x1ef3},
    {0x1ef5, 0x1ef5}, {0x1ef7, 0x1ef7}, {0x1ef9, 0x1ef9}};
static const tally_unicode_span repertoires_vietnamese_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c3}, {0x00c8, 0x00ca}, {0x00cc, 0x00cd}, {0x00d2, 0x00d5},
    {0x00d9, 0x00da}, {0x00dd, 0x00dd}, {0x0102, 0x0102}, {0x0110, 0x0110}, {0x0128, 0x0128},
    {0x0168, 0x0168}, {0x01a0, 0x01a0}, {0x01af, 0x01af}, {0x1ea0, 0x1ea0}, {0x1ea2, 0x1ea2},
    {0x1ea4, 0x1ea4}, {0x1ea6, 0x1ea6}, {0x1ea8, 0x1ea8}, {0x1eaa, 0x1eaa}, {0x1eac, 0x1eac},
    {0x1eae, 0x1eae}, {0x1eb0, 0x1eb0}, {0x1eb2, 0x1eb2}, {0x1eb4, 0x1eb4}, {0x1eb6, 0x1eb6},
    {0x1eb8, 0x1eb8}, {0x1eba, 0x1eba}, {0x1ebc, 0x1ebc}, {0x1ebe, 0x1ebe}, {0x1ec0, 0x1ec0},
    {0x1ec2, 0x1ec2}, {0x1ec4, 0x1ec4}, {0x1ec6, 0x1ec6}, {0x1ec8, 0x1ec8}, {0x1eca, 0x1eca},
    {0x1ecc, 0x1ecc}, {0x1ece, 0x1ece}, {0x1ed0, 0x1ed0}, {0x1ed2, 0x1ed2}, {0x1ed4, 0x1ed4},
    {0x1ed6, 0x1ed6}, {0x1ed8, 0x1ed8}, {0x1eda, 0x1eda}, {0x1edc, 0x1edc}, {0x1ede, 0x1ede},
    {0x1ee0, 0x1ee0}, {0x1ee2, 0x1ee2}, {0x1ee4, 0x1ee4}, {0x1ee6, 0x1ee6}, {0x1ee8, 0x1ee8},
    {0x1eea, 0x1eea}, {0x1eec, 0x1eec}, {0x1eee, 0x1eee}, {0x1ef0, 0x1ef0}, {0x1ef2, 0x1ef2},
    {0x1ef4, 0x1ef4}, {0x1ef6, 0x1ef6}, {0x1ef8, 0x1ef8}};

#define REPERTOIRES_LIST(spans)                                                                    \
    {                                                                                              \
        (spans), sizeof(spans) / sizeof *(spans)                                                   \
    }

const tally_repertoire tally_repertoires[TALLY_REPERTOIRES] = {
    {"english",
     {.name = "latin",
      .sample = "\x41\x6e\x6e\x65\x20\x4f\x27\x4e\x65\x69\x6c\x6c",
      .lower = REPERTOIRES_LIST(repertoires_english),
      .upper = REPERTOIRES_LIST(repertoires_english_upper)}},
    {"latin-1",
     {.name = "latin",
      .sample = "\x5a\x6f\xc3\xab\x20\xc3\x85\x6e\x67\x73\x74\x72\xc3\xb6\x6d\x2d\x4d\x75\xc3\xb1"
                "\x6f\x7a",
      .lower = REPERTOIRES_LIST(repertoires_latin_1),
      .upper = REPERTOIRES_LIST(repertoires_latin_1_upper)}},
    {"croatian",
     {.name = "latin",
      .sample = "\xc5\xbd\x65\x6c\x6a\x6b\x6f\x20\xc4\x90\x75\x72\x69\xc4\x87",
      .lower = REPERTOIRES_LIST(repertoires_croatian),
      .upper = REPERTOIRES_LIST(repertoires_croatian_upper)}},
    {"czech",
     {.name = "latin",
      .sample = "\x4a\x69\xc5\x99\xc3\xad\x20\x44\x76\x6f\xc5\x99\xc3\xa1\x6b",
      .lower = REPERTOIRES_LIST(repertoires_czech),
      .upper = REPERTOIRES_LIST(repertoires_czech_upper)}},
    {"danish",
     {.name = "latin",
      .sample = "\x53\xc3\xb8\x72\x65\x6e\x20\x4b\x6a\xc3\xa6\x72",
      .lower = REPERTOIRES_LIST(repertoires_danish),
      .upper = REPERTOIRES_LIST(repertoires_danish_upper)}},
    {"dutch",
     {.name = "latin",
      .sample = "\x44\x61\x6e\x69\xc3\xab\x6c\x20\x64\x65\x20\x47\x72\x6f\x6f\x74",
      .lower = REPERTOIRES_LIST(repertoires_dutch),
      .upper = REPERTOIRES_LIST(repertoires_dutch_upper)}},
    {"finnish",
     {.name = "latin",
      .sample = "\x56\xc3\xa4\x69\x6e\xc3\xb6\x20\x4d\xc3\xa4\x6b\x65\x6c\xc3\xa4",
      .lower = REPERTOIRES_LIST(repertoires_finnish),
      .upper = REPERTOIRES_LIST(repertoires_finnish_upper)}},
    {"french",
     {.name = "latin",
      .sample = "\x46\x72\x61\x6e\xc3\xa7\x6f\x69\x73\x20\x4c\x65\x66\xc3\xa8\x76\x72\x65",
      .lower = REPERTOIRES_LIST(repertoires_french),
      .upper = REPERTOIRES_LIST(repertoires_french_upper)}},
    {"german",
     {.name = "latin",
      .sample = "\x4a\xc3\xbc\x72\x67\x65\x6e\x20\x57\x65\x69\xc3\x9f",
      .lower = REPERTOIRES_LIST(repertoires_german),
      .upper = REPERTOIRES_LIST(repertoires_german_upper)}},
    {"hungarian",
     {.name = "latin",
      .sample = "\x47\x79\xc5\x91\x7a\xc5\x91\x20\x53\x7a\xc5\xb1\x63\x73",
      .lower = REPERTOIRES_LIST(repertoires_hungarian),
      .upper = REPERTOIRES_LIST(repertoires_hungarian_upper)}},
    {"icelandic",
     {.name = "latin",
      .sample = "\xc3\x9e\xc3\xb3\x72\xc3\xb0\x75\x72\x20\xc3\x86\x67\x69\x73\x73\x6f\x6e",
      .lower = REPERTOIRES_LIST(repertoires_icelandic),
      .upper = REPERTOIRES_LIST(repertoires_icelandic_upper)}},
    {"italian",
     {.name = "latin",
      .sample = "\x4e\x69\x63\x63\x6f\x6c\xc3\xb2\x20\x5a\x61\x6e\xc3\xa8",
      .lower = REPERTOIRES_LIST(repertoires_italian),
      .upper = REPERTOIRES_LIST(repertoires_italian_upper)}},
    {"norwegian",
     {.name = "latin",
      .sample = "\x42\x6a\xc3\xb8\x72\x6e\x20\xc3\x98\x64\x65\x67\xc3\xa5\x72\x64",
      .lower = REPERTOIRES_LIST(repertoires_norwegian),
      .upper = REPERTOIRES_LIST(repertoires_norwegian_upper)}},
    {"polish",
     {.name = "latin",
      .sample = "\xc5\x81\x75\x6b\x61\x73\x7a\x20\xc5\xbb\xc3\xb3\xc5\x82\xc4\x87",
      .lower = REPERTOIRES_LIST(repertoires_polish),
      .upper = REPERTOIRES_LIST(repertoires_polish_upper)}},
    {"portuguese",
     {.name = "latin",
      .sample = "\x4a\x6f\xc3\xa3\x6f\x20\x47\x6f\x6e\xc3\xa7\x61\x6c\x76\x65\x73",
      .lower = REPERTOIRES_LIST(repertoires_portuguese),
      .upper = REPERTOIRES_LIST(repertoires_portuguese_upper)}},
    {"romanian",
     {.name = "latin",
      .sample = "\xc8\x98\x74\x65\x66\x61\x6e\x20\xc8\x9a\xc4\x83\x72\x61\x6e",
      .lower = REPERTOIRES_LIST(repertoires_romanian),
      .upper = REPERTOIRES_LIST(repertoires_romanian_upper)}},
    {"slovak",
     {.name = "latin",
      .sample = "\xc4\xbd\x75\x62\x69\x63\x61\x20\x4b\x6f\x76\xc3\xa1\xc4\x8d\x6f\x76\xc3\xa1",
      .lower = REPERTOIRES_LIST(repertoires_slovak),
      .upper = REPERTOIRES_LIST(repertoires_slovak_upper)}},
    {"spanish",
     {.name = "latin",
      .sample = "\x4a\x6f\x73\xc3\xa9\x20\x4d\x75\xc3\xb1\x6f\x7a",
      .lower = REPERTOIRES_LIST(repertoires_spanish),
      .upper = REPERTOIRES_LIST(repertoires_spanish_upper)}},
    {"swedish",
     {.name = "latin",
      .sample = "\xc3\x85\x73\x61\x20\xc3\x96\x62\x65\x72\x67",
      .lower = REPERTOIRES_LIST(repertoires_swedish),
      .upper = REPERTOIRES_LIST(repertoires_swedish_upper)}},
    {"turkish",
     {.name = "latin",
      .sample = "\x41\x79\xc5\x9f\x65\x20\x4b\xc4\xb1\x6c\xc4\xb1\xc3\xa7",
      .lower = REPERTOIRES_LIST(repertoires_turkish),
      .upper = REPERTOIRES_LIST(repertoires_turkish_upper)}},
    {"vietnamese",
     {.name = "latin",
      .sample = "\x4e\x67\x75\x79\xe1\xbb\x85\x6e\x20\x54\x68\xe1\xbb\x8b\x20\x48\xc6\xb0\xc6\xa1"
                "\x6e\x67",
      .lower = REPERTOIRES_LIST(repertoires_vietnamese),
      .upper = REPERTOIRES_LIST(repertoires_vietnamese_upper)}},
};

#undef REPERTOIRES_LIST

/* ---- core/formats/unicode_scripts.c ---- */
/* SPDX-License-Identifier: Apache-2.0 */

/* Basic Latin, Latin-1 and Latin Extended-A (without what has no other case: U+0138, U+0149,
 * U+017F; U+00DF and U+0131 have U+1E9E and U+0130), then Romanian, Azerbaijani, Welsh and Vietnamese
 * letters. */
static const tally_unicode_span scripts_latin[] = {
    {0x0061, 0x007a}, {0x00df, 0x00f6}, {0x00f8, 0x00ff}, {0x0101, 0x0101}, {0x0103, 0x0103},
    {0x0105, 0x0105}, {0x0107, 0x0107}, {0x0109, 0x0109}, {0x010b, 0x010b}, {0x010d, 0x010d},
    {0x010f, 0x010f}, {0x0111, 0x0111}, {0x0113, 0x0113}, {0x0115, 0x0115}, {0x0117, 0x0117},
    {0x0119, 0x0119}, {0x011b, 0x011b}, {0x011d, 0x011d}, {0x011f, 0x011f}, {0x0121, 0x0121},
    {0x0123, 0x0123}, {0x0125, 0x0125}, {0x0127, 0x0127}, {0x0129, 0x0129}, {0x012b, 0x012b},
    {0x012d, 0x012d}, {0x012f, 0x012f}, {0x0131, 0x0131}, {0x0133, 0x0133}, {0x0135, 0x0135},
    {0x0137, 0x0137}, {0x013a, 0x013a}, {0x013c, 0x013c}, {0x013e, 0x013e}, {0x0140, 0x0140},
    {0x0142, 0x0142}, {0x0144, 0x0144}, {0x0146, 0x0146}, {0x0148, 0x0148}, {0x014b, 0x014b},
    {0x014d, 0x014d}, {0x014f, 0x014f}, {0x0151, 0x0151}, {0x0153, 0x0153}, {0x0155, 0x0155},
    {0x0157, 0x0157}, {0x0159, 0x0159}, {0x015b, 0x015b}, {0x015d, 0x015d}, {0x015f, 0x015f},
    {0x0161, 0x0161}, {0x0163, 0x0163}, {0x0165, 0x0165}, {0x0167, 0x0167}, {0x0169, 0x0169},
    {0x016b, 0x016b}, {0x016d, 0x016d}, {0x016f, 0x016f}, {0x0171, 0x0171}, {0x0173, 0x0173},
    {0x0175, 0x0175}, {0x0177, 0x0177}, {0x017a, 0x017a}, {0x017c, 0x017c}, {0x017e, 0x017e},
    {0x0219, 0x0219}, {0x021b, 0x021b}, {0x0259, 0x0259}, {0x1e81, 0x1e81}, {0x1e83, 0x1e83},
    {0x1e85, 0x1e85}, {0x01a1, 0x01a1}, {0x01b0, 0x01b0}, {0x1ea1, 0x1ea1}, {0x1ea3, 0x1ea3},
    {0x1ea5, 0x1ea5}, {0x1ea7, 0x1ea7}, {0x1ea9, 0x1ea9}, {0x1eab, 0x1eab}, {0x1ead, 0x1ead},
    {0x1eaf, 0x1eaf}, {0x1eb1, 0x1eb1}, {0x1eb3, 0x1eb3}, {0x1eb5, 0x1eb5}, {0x1eb7, 0x1eb7},
    {0x1eb9, 0x1eb9}, {0x1ebb, 0x1ebb}, {0x1ebd, 0x1ebd}, {0x1ebf, 0x1ebf}, {0x1ec1, 0x1ec1},
    {0x1ec3, 0x1ec3}, {0x1ec5, 0x1ec5}, {0x1ec7, 0x1ec7}, {0x1ec9, 0x1ec9}, {0x1ecb, 0x1ecb},
    {0x1ecd, 0x1ecd}, {0x1ecf, 0x1ecf}, {0x1ed1, 0x1ed1}, {0x1ed3, 0x1ed3}, {0x1ed5, 0x1ed5},
    {0x1ed7, 0x1ed7}, {0x1ed9, 0x1ed9}, {0x1edb, 0x1edb}, {0x1edd, 0x1edd}, {0x1edf, 0x1edf},
    {0x1ee1, 0x1ee1}, {0x1ee3, 0x1ee3}, {0x1ee5, 0x1ee5}, {0x1ee7, 0x1ee7}, {0x1ee9, 0x1ee9},
    {0x1eeb, 0x1eeb}, {0x1eed, 0x1eed}, {0x1eef, 0x1eef}, {0x1ef1, 0x1ef1}, {0x1ef3, 0x1ef3},
    {0x1ef5, 0x1ef5}, {0x1ef7, 0x1ef7}, {0x1ef9, 0x1ef9},
};
static const tally_unicode_span scripts_latin_upper[] = {
    {0x0041, 0x005a}, {0x1e9e, 0x1e9e}, {0x00c0, 0x00d6}, {0x00d8, 0x00de}, {0x0178, 0x0178},
    {0x0100, 0x0100}, {0x0102, 0x0102}, {0x0104, 0x0104}, {0x0106, 0x0106}, {0x0108, 0x0108},
    {0x010a, 0x010a}, {0x010c, 0x010c}, {0x010e, 0x010e}, {0x0110, 0x0110}, {0x0112, 0x0112},
    {0x0114, 0x0114}, {0x0116, 0x0116}, {0x0118, 0x0118}, {0x011a, 0x011a}, {0x011c, 0x011c},
    {0x011e, 0x011e}, {0x0120, 0x0120}, {0x0122, 0x0122}, {0x0124, 0x0124}, {0x0126, 0x0126},
    {0x0128, 0x0128}, {0x012a, 0x012a}, {0x012c, 0x012c}, {0x012e, 0x012e}, {0x0130, 0x0130},
    {0x0132, 0x0132}, {0x0134, 0x0134}, {0x0136, 0x0136}, {0x0139, 0x0139}, {0x013b, 0x013b},
    {0x013d, 0x013d}, {0x013f, 0x013f}, {0x0141, 0x0141}, {0x0143, 0x0143}, {0x0145, 0x0145},
    {0x0147, 0x0147}, {0x014a, 0x014a}, {0x014c, 0x014c}, {0x014e, 0x014e}, {0x0150, 0x0150},
    {0x0152, 0x0152}, {0x0154, 0x0154}, {0x0156, 0x0156}, {0x0158, 0x0158}, {0x015a, 0x015a},
    {0x015c, 0x015c}, {0x015e, 0x015e}, {0x0160, 0x0160}, {0x0162, 0x0162}, {0x0164, 0x0164},
    {0x0166, 0x0166}, {0x0168, 0x0168}, {0x016a, 0x016a}, {0x016c, 0x016c}, {0x016e, 0x016e},
    {0x0170, 0x0170}, {0x0172, 0x0172}, {0x0174, 0x0174}, {0x0176, 0x0176}, {0x0179, 0x0179},
    {0x017b, 0x017b}, {0x017d, 0x017d}, {0x0218, 0x0218}, {0x021a, 0x021a}, {0x018f, 0x018f},
    {0x1e80, 0x1e80}, {0x1e82, 0x1e82}, {0x1e84, 0x1e84}, {0x01a0, 0x01a0}, {0x01af, 0x01af},
    {0x1ea0, 0x1ea0}, {0x1ea2, 0x1ea2}, {0x1ea4, 0x1ea4}, {0x1ea6, 0x1ea6}, {0x1ea8, 0x1ea8},
    {0x1eaa, 0x1eaa}, {0x1eac, 0x1eac}, {0x1eae, 0x1eae}, {0x1eb0, 0x1eb0}, {0x1eb2, 0x1eb2},
    {0x1eb4, 0x1eb4}, {0x1eb6, 0x1eb6}, {0x1eb8, 0x1eb8}, {0x1eba, 0x1eba}, {0x1ebc, 0x1ebc},
    {0x1ebe, 0x1ebe}, {0x1ec0, 0x1ec0}, {0x1ec2, 0x1ec2}, {0x1ec4, 0x1ec4}, {0x1ec6, 0x1ec6},
    {0x1ec8, 0x1ec8}, {0x1eca, 0x1eca}, {0x1ecc, 0x1ecc}, {0x1ece, 0x1ece}, {0x1ed0, 0x1ed0},
    {0x1ed2, 0x1ed2}, {0x1ed4, 0x1ed4}, {0x1ed6, 0x1ed6}, {0x1ed8, 0x1ed8}, {0x1eda, 0x1eda},
    {0x1edc, 0x1edc}, {0x1ede, 0x1ede}, {0x1ee0, 0x1ee0}, {0x1ee2, 0x1ee2}, {0x1ee4, 0x1ee4},
    {0x1ee6, 0x1ee6}, {0x1ee8, 0x1ee8}, {0x1eea, 0x1eea}, {0x1eec, 0x1eec}, {0x1eee, 0x1eee},
    {0x1ef0, 0x1ef0}, {0x1ef2, 0x1ef2}, {0x1ef4, 0x1ef4}, {0x1ef6, 0x1ef6}, {0x1ef8, 0x1ef8},
};

/* Monotonic Greek. U+0390 and U+03B0 have no upper case of one character: they are each other's other
 * form. */
static const tally_unicode_span scripts_greek[] = {
    {0x03b1, 0x03c1}, {0x03c3, 0x03c9}, {0x03ac, 0x03af},
    {0x03cc, 0x03ce}, {0x03ca, 0x03cb}, {0x0390, 0x0390},
};
static const tally_unicode_span scripts_greek_upper[] = {
    {0x0391, 0x03a1}, {0x03a3, 0x03a9}, {0x0386, 0x0386}, {0x0388, 0x038a},
    {0x038c, 0x038c}, {0x038e, 0x038f}, {0x03aa, 0x03ab}, {0x03b0, 0x03b0},
};

/* Slavic languages, then letters of Ukrainian, Kazakh, Kyrgyz, Tatar, Tajik, Mongolian and others. */
static const tally_unicode_span scripts_cyrillic[] = {
    {0x0430, 0x045f}, {0x0491, 0x0491}, {0x0493, 0x0493}, {0x0497, 0x0497}, {0x049b, 0x049b},
    {0x04a3, 0x04a3}, {0x04af, 0x04af}, {0x04b1, 0x04b1}, {0x04b3, 0x04b3}, {0x04b7, 0x04b7},
    {0x04bb, 0x04bb}, {0x04d9, 0x04d9}, {0x04e3, 0x04e3}, {0x04e9, 0x04e9}, {0x04ef, 0x04ef},
};
static const tally_unicode_span scripts_cyrillic_upper[] = {
    {0x0410, 0x042f}, {0x0400, 0x040f}, {0x0490, 0x0490}, {0x0492, 0x0492},
    {0x0496, 0x0496}, {0x049a, 0x049a}, {0x04a2, 0x04a2}, {0x04ae, 0x04ae},
    {0x04b0, 0x04b0}, {0x04b2, 0x04b2}, {0x04b6, 0x04b6}, {0x04ba, 0x04ba},
    {0x04d8, 0x04d8}, {0x04e2, 0x04e2}, {0x04e8, 0x04e8}, {0x04ee, 0x04ee},
};

/* Arabic, then letters of Persian, Urdu, Kurdish and Pashto. */
static const tally_unicode_span scripts_arabic[] = {
    {0x0621, 0x063a}, {0x0641, 0x064a}, {0x067e, 0x067e}, {0x0686, 0x0686}, {0x0698, 0x0698},
    {0x06a9, 0x06a9}, {0x06af, 0x06af}, {0x06cc, 0x06cc}, {0x0679, 0x0679}, {0x0688, 0x0688},
    {0x0691, 0x0691}, {0x06ba, 0x06ba}, {0x06be, 0x06be}, {0x06c1, 0x06c2}, {0x06c0, 0x06c0},
    {0x06d2, 0x06d3}, {0x0695, 0x0695}, {0x06a4, 0x06a4}, {0x06b5, 0x06b5}, {0x06c6, 0x06c6},
    {0x06ce, 0x06ce}, {0x06d5, 0x06d5}, {0x067c, 0x067c}, {0x0681, 0x0681}, {0x0685, 0x0685},
    {0x0689, 0x0689}, {0x0693, 0x0693}, {0x0696, 0x0696}, {0x069a, 0x069a}, {0x06bc, 0x06bc},
    {0x06d0, 0x06d0}, {0x06cd, 0x06cd}, {0x06ab, 0x06ab},
};
static const tally_unicode_span scripts_arabic_signs[] = {
    {0x0640, 0x0640},
    {0x200c, 0x200c},
};
static const tally_unicode_mark scripts_arabic_marks[] = {
    {{0x064b, 0x064b}, 27}, {{0x064c, 0x064c}, 28}, {{0x064d, 0x064d}, 29},
    {{0x064e, 0x064e}, 30}, {{0x064f, 0x064f}, 31}, {{0x0650, 0x0650}, 32},
    {{0x0651, 0x0651}, 33}, {{0x0652, 0x0652}, 34}, {{0x0670, 0x0670}, 35},
};

/* The 22 letters and the five final forms, each a letter of its own: loan words end otherwise. */
static const tally_unicode_span scripts_hebrew[] = {
    {0x05d0, 0x05ea},
};
static const tally_unicode_span scripts_hebrew_signs[] = {
    {0x05be, 0x05be},
    {0x05f3, 0x05f4},
};
static const tally_unicode_mark scripts_hebrew_marks[] = {
    {{0x05b0, 0x05b0}, 10}, {{0x05b1, 0x05b1}, 11}, {{0x05b2, 0x05b2}, 12}, {{0x05b3, 0x05b3}, 13},
    {{0x05b4, 0x05b4}, 14}, {{0x05b5, 0x05b5}, 15}, {{0x05b6, 0x05b6}, 16}, {{0x05b7, 0x05b7}, 17},
    {{0x05b8, 0x05b8}, 18}, {{0x05c7, 0x05c7}, 18}, {{0x05b9, 0x05ba}, 19}, {{0x05bb, 0x05bb}, 20},
    {{0x05bc, 0x05bc}, 21}, {{0x05bd, 0x05bd}, 22}, {{0x05bf, 0x05bf}, 23}, {{0x05c1, 0x05c1}, 24},
    {{0x05c2, 0x05c2}, 25},
};

/* Consonants. All vowels stay, as signs and as letters: no sign may follow a vowel's letter, so one
 * in a consonant's place would be no text. NFC has a character for three letters with nukta. */
static const tally_unicode_span scripts_devanagari[] = {
    {0x0915, 0x0928},
    {0x092a, 0x0930},
    {0x0932, 0x0933},
    {0x0935, 0x0939},
};
static const tally_unicode_span scripts_devanagari_signs[] = {
    {0x0900, 0x0914}, {0x093a, 0x093b}, {0x093d, 0x094c}, {0x094e, 0x0950},
    {0x0955, 0x0957}, {0x0960, 0x0963}, {0x0970, 0x0977}, {0x200c, 0x200d},
};
static const tally_unicode_mark scripts_devanagari_marks[] = {
    {{0x093c, 0x093c}, 7},
    {{0x094d, 0x094d}, 9},
};

/* Hiragana, and katakana as their other form. The marks of length and repetition stay. */
static const tally_unicode_span scripts_kana[] = {
    {0x3041, 0x3096},
};
static const tally_unicode_span scripts_kana_upper[] = {
    {0x30a1, 0x30f6},
};
static const tally_unicode_span scripts_kana_signs[] = {
    {0x30fc, 0x30fc},
    {0x309d, 0x309e},
    {0x30fd, 0x30fe},
};

/* All syllables. */
static const tally_unicode_span scripts_hangul[] = {
    {0xac00, 0xd7a3},
};

/* The unified ideographs of the first block. The mark of repetition stays. */
static const tally_unicode_span scripts_cjk[] = {
    {0x4e00, 0x9fff},
};
static const tally_unicode_span scripts_cjk_signs[] = {
    {0x3005, 0x3005},
};
static const tally_unicode_composition scripts_devanagari_composed[TALLY_UNICODE_COMPOSED] = {
    {0x0929, 0x0928}, {0x0931, 0x0930}, {0x0934, 0x0933}};

#define SCRIPTS_LIST(spans)                                                                        \
    {                                                                                              \
        (spans), sizeof(spans) / sizeof *(spans)                                                   \
    }

const tally_script tally_scripts[TALLY_SCRIPTS] = {
    {.name = "latin",
     .sample = "\x5a\x6f\xc3\xab\x20\xc3\x85\x6e\x67\x73\x74\x72\xc3\xb6\x6d\x2d\x4b\xc4\xb1\x6c"
               "\xc4\xb1\xc3\xa7",
     .lower = SCRIPTS_LIST(scripts_latin),
     .upper = SCRIPTS_LIST(scripts_latin_upper)},
    {.name = "greek",
     .sample = "\xce\x93\xce\xb9\xce\xac\xce\xbd\xce\xbd\xce\xb7\xcf\x82\x20\xce\xa0\xce\xb1\xcf"
               "\x80\xce\xb1\xce\xb4\xcf\x8c\xcf\x80\xce\xbf\xcf\x85\xce\xbb\xce\xbf\xcf\x82",
     .lower = SCRIPTS_LIST(scripts_greek),
     .upper = SCRIPTS_LIST(scripts_greek_upper),
     .medial = 0x03c3,
     .final = 0x03c2},
    {.name = "cyrillic",
     .sample = "\xd0\x90\xd0\xbd\xd0\xbd\xd0\xb0\x20\xd0\x9a\xd0\xbe\xd0\xb2\xd0\xb0\xd0\xbb\xd1"
               "\x8c\xd1\x87\xd1\x83\xd0\xba",
     .lower = SCRIPTS_LIST(scripts_cyrillic),
     .upper = SCRIPTS_LIST(scripts_cyrillic_upper)},
    {.name = "arabic",
     .sample = "\xd9\x85\xd8\xad\xd9\x85\xd8\xaf\x20\xd8\xa7\xd9\x84\xd9\x87\xd8\xa7\xd8\xb4\xd9"
               "\x85\xd9\x8a",
     .lower = SCRIPTS_LIST(scripts_arabic),
     .signs = SCRIPTS_LIST(scripts_arabic_signs),
     .marks = scripts_arabic_marks,
     .mark_count = sizeof scripts_arabic_marks / sizeof *scripts_arabic_marks},
    {.name = "hebrew",
     .sample = "\xd7\xa9\xd7\xa8\xd7\x94\x20\xd7\x9b\xd7\x94\xd7\x9f",
     .lower = SCRIPTS_LIST(scripts_hebrew),
     .signs = SCRIPTS_LIST(scripts_hebrew_signs),
     .marks = scripts_hebrew_marks,
     .mark_count = sizeof scripts_hebrew_marks / sizeof *scripts_hebrew_marks},
    {.name = "devanagari",
     .sample = "\xe0\xa4\xaa\xe0\xa5\x8d\xe0\xa4\xb0\xe0\xa4\xbf\xe0\xa4\xaf\xe0\xa4\xbe\x20\xe0"
               "\xa4\xb6\xe0\xa4\xb0\xe0\xa5\x8d\xe0\xa4\xae\xe0\xa4\xbe",
     .lower = SCRIPTS_LIST(scripts_devanagari),
     .signs = SCRIPTS_LIST(scripts_devanagari_signs),
     .marks = scripts_devanagari_marks,
     .mark_count = sizeof scripts_devanagari_marks / sizeof *scripts_devanagari_marks,
     .composed = scripts_devanagari_composed},
    {.name = "kana",
     .sample = "\xe3\x81\x95\xe3\x81\xa8\xe3\x81\x86\x20\xe3\x83\x8f\xe3\x83\x8a\xe3\x82\xb3",
     .lower = SCRIPTS_LIST(scripts_kana),
     .upper = SCRIPTS_LIST(scripts_kana_upper),
     .signs = SCRIPTS_LIST(scripts_kana_signs)},
    {.name = "hangul",
     .sample = "\xea\xb9\x80\xeb\xaf\xbc\xec\xa4\x80",
     .lower = SCRIPTS_LIST(scripts_hangul)},
    {.name = "cjk",
     .sample = "\xe7\x8e\x8b\xe5\xb0\x8f\xe6\x98\x8e",
     .lower = SCRIPTS_LIST(scripts_cjk),
     .signs = SCRIPTS_LIST(scripts_cjk_signs)},
};

static const tally_unicode_span scripts_japanese_signs[] = {
    {0x3005, 0x3005}, {0x309d, 0x309e}, {0x30fc, 0x30fe}};

const tally_script tally_script_japanese = {
    .name = "japanese",
    .sample = "\xe6\xb8\xa1\xe8\xbe\xba \xe3\x81\x95\xe3\x81\x8f\xe3\x82\x89",
    .lower = SCRIPTS_LIST(scripts_kana),
    .upper = SCRIPTS_LIST(scripts_kana_upper),
    .direct = {0x4e00, 0x9fff},
    .signs = SCRIPTS_LIST(scripts_japanese_signs)};

#undef SCRIPTS_LIST

const char tally_script_separators[] = " -'."
                                       "\xc2\xa0\xc2\xb7\xca\xbb\xca\xbc\xe2\x80\x90\xe2\x80\x91"
                                       "\xe2\x80\x98\xe2\x80\x99\xe3\x80\x80\xe3\x83\xbb";

/* ---- core/formats/unicode_text.c ---- */
/*
 * Text of scripts, block by block: the letters of each row become a word, the words of equal length
 * and tweak are encrypted together, and rows are written with the letters of their new words. */

/* ---- core/fast/words/many_tweaks.h ---- */
/*
 * Words of one length under many tweaks, bucket by bucket. Buckets of many words have groups of
 * lanes of their own, so that different sequences run side by side; buckets of few words have lanes
 * of their own, if there is a back end with an S-box for each lane. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

/* ---- core/fast/lanes/own_sboxes.h ---- */
/*
 * Layers on lanes with an S-box for each lane, for words that have their own sequences. A layer
 * looks up the whole S-box of every lane by its number, and then an entry of each, all in
 * registers: no address depends on a symbol or on the number of an S-box. Lanes of lanes.h share an
 * S-box, which takes a sixth of the time for as many lanes. */
#ifndef TALLY_FAST_LANES_OWN_SBOXES_H
#define TALLY_FAST_LANES_OWN_SBOXES_H

enum {
    TALLY_OWN_SBOXES_LANES = 64,
    TALLY_OWN_SBOXES_RADIX = 16, /* at most: two entries share a byte */
    TALLY_OWN_SBOXES_TABLES = TALLY_OWN_SBOXES_RADIX / 2 * TALLY_FAST_POOL_SIZE /* bytes */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_own_sboxes_job {
    const uint8_t *tables; /* by tally_own_sboxes_lay_out; as all that follows, aligned to 64 */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-box of word k in layer i is indices[i * 64 + k] */
    size_t count;           /* layers */
    uint8_t *state;         /* the symbol of word k at position p is state[p * 64 + k] */
} tally_own_sboxes_job;

typedef struct tally_own_sboxes {
    tally_backend backend;
    void (*run)(tally_direction direction, const tally_own_sboxes_job *job);
} tally_own_sboxes;

/* The back end for the CPU features in use and a radix; NULL: there is none. */
const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix);

/* Writes the tables of a pool's S-boxes, whose one-word tables have `radix` entries each, `stride`
 * bytes apart: entries 2i and 2i + 1 of S-box k are the halves of out[i * TALLY_FAST_POOL_SIZE +
 * k], the lower one first. */
void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out);

extern const tally_own_sboxes tally_own_sboxes_avx512;

#endif

/* ---- core/fast/schedule/many_sequences.h ---- */
/*
 * Sequences of many tweaks side by side, under one set of parameters. */
#ifndef TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H
#define TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H

/* ---- core/fast/schedule/encoding.h ---- */
/*
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_ENCODING_H
#define TALLY_FAST_SCHEDULE_ENCODING_H

/* An injective encoding: the number of parts, then the length and the bytes of each part. Before it
 * are four zero bytes for the counter of tally_fast_derive, so that one buffer has the whole
 * message. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

/* Encodes the input for the pool of a radix. */
void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out);

/* Encodes the input for a sequence, without the bytes of the tweak, which follow. */
void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out);

#endif

enum { TALLY_MANY_SEQUENCES = 64 };

/* A back end expands AES-128 keys and encrypts counters under all of them together. */
typedef struct tally_many_sequences_backend {
    tally_backend backend;
    /* Reads the streams of keys and IVs as tally_fast_stream_init takes them: the index of layer i
     * of sequence k becomes out[i * 64 + k], for whole fours of layers. `out` is aligned to 64. */
    void (*read)(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers, uint8_t *out);
} tally_many_sequences_backend;

extern const tally_many_sequences_backend tally_many_sequences_avx512;

/* The back end for the CPU features in use; NULL: there is none, and sequences are derived one by
 * one. */
const tally_many_sequences_backend *tally_many_sequences_choose(void);

/* A row's own part of a tweak. */
typedef struct tally_tweak_tail {
    const uint8_t *bytes; /* NULL if there are none */
    size_t size;
} tally_tweak_tail;

/* What the tweaks of a call share. */
typedef struct tally_many_sequences {
    const tally_cmac_key *cmac;
    const tally_many_sequences_backend *backend;
    const tally_fast_params *params;
    const uint8_t *common; /* the first part of every tweak */
    size_t common_size;
    /* The chains after the first blocks of messages with a tail of this size: those of both halves
     * of a derived key. */
    size_t tail_size, blocks; /* no blocks: there are none yet */
    uint8_t chains[2][16];
} tally_many_sequences;

/* Prepares. The parameters and the common part must last; pools of the legacy profile and tweaks of
 * more than 2^31 bytes are not allowed. The caller wipes `out`. */
void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size,
                               tally_many_sequences *out);

/* Derives the sequences of 1..TALLY_MANY_SEQUENCES tweaks, to out[i * 64 + k] for layer i, for whole
 * fours of layers. The columns beyond `count` receive copies of the first. */
void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out);

#endif

enum { TALLY_MANY_TWEAKS_WAITING = 512 /* buckets that wait to be run, at most */ };

/* The words of a bucket: at most 2^16. */
typedef struct tally_fast_waiting {
    tally_tweak_tail tail;
    uint8_t *const *words;
    size_t count;
} tally_fast_waiting;

typedef struct tally_fast_many_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_fast_lanes *lanes;
    int use_cache;               /* whether sequences are cached: those of few tweaks are */
    const tally_own_sboxes *own; /* NULL: there is no such back end, or it would not gain */
    int has_own_tables;
    tally_many_sequences sequences; /* without a back end: one by one */
    size_t state_used;              /* of the cipher's lane_state */
    size_t taken, most;             /* groups that wait for run, and the most that ever did */
    struct {
        uint8_t *const *words;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
    uint8_t *tweak; /* the common part; behind it a bucket's tail is written */
    size_t common;
    size_t waiting;
    tally_fast_waiting bucket[TALLY_MANY_TWEAKS_WAITING];
    _Alignas(64) uint8_t own_tables[TALLY_OWN_SBOXES_TABLES];
} tally_fast_many_tweaks;

/* Begins a run of `buckets` buckets with `words` words in all. Each tweak is tweak[0 .. common) and
 * then the tail of its bucket, for which there is room behind it. */
void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out);

/* Encrypts or decrypts the `count` words of a bucket in place, now or in a later call. `tail` and
 * `words` must last until tally_fast_many_tweaks_final. */
void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count);

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job);

#endif

/* ---- core/formats/unicode_value.h ---- */
/*
 * The characters of one value of a script as symbols, and back. */
#ifndef TALLY_FORMATS_UNICODE_VALUE_H
#define TALLY_FORMATS_UNICODE_VALUE_H

/* A value that was read. Its symbols may be replaced by others before it is written. */
typedef struct tally_unicode_value {
    uint8_t *symbols; /* of all its letters */
    uint16_t *codes;  /* of its characters */
    size_t chars, letters;
    int is_short; /* whether unicode_short.h read it */
} tally_unicode_value;

/* Reads a value into out->symbols and out->codes, which have room for `size` items, and for
 * TALLY_UNICODE_SHORT more if `has_short`: whether unicode_short.h works on this CPU. Returns why
 * the value is invalid. */
tally_reason tally_unicode_read(const tally_unicode_letters *letters, const uint8_t *value,
                                size_t size, int has_short, tally_unicode_value *out);

/* Writes a value that was read from there, with the symbols that it has now; returns its end. At
 * most TALLY_UNICODE_SHORT bytes more are written. */
uint8_t *tally_unicode_write(const tally_unicode_letters *letters, const tally_unicode_value *text,
                             const uint8_t *value, size_t size, uint8_t *out);

#endif

enum {
    TEXT_BLOCK = 1 << 17, /* bytes of a block of more than one row */
    TEXT_WIDEST = 3,      /* bytes of a letter */
    TEXT_NO_WORD = 0xFFFF,
    TEXT_NO_PART = 0xFF
};

/* A row of a block. */
typedef struct letters_row {
    uint64_t start; /* in the column's values */
    uint64_t size;
    tally_unicode_value text;
    const uint8_t *tail; /* its own part of the tweak */
    uint32_t tail_size;
    uint16_t bucket;
    uint8_t part, is_null;
} letters_row;

/* A call. */
typedef struct letters_job {
    const tally_unicode_format *own;
    tally_run *run;
    const uint8_t *values;
    const tally_strings_reader *tweaks; /* or NULL */
    uint64_t first;                     /* the block's first row */
    uint8_t *status;                    /* of the block's rows */
    size_t count;
    letters_row *rows;
    uint16_t *order;                  /* of the rows: those of a part follow each other */
    size_t begins[TALLY_SCRIPTS + 1]; /* of each part in it */
    uint8_t *symbols;
    uint16_t *codes;
    uint8_t *tails, *tails_end;
    uint8_t **words;
    tally_fast_buckets *buckets;
    int has_short; /* whether unicode_short.h works on this CPU */
    size_t common; /* bytes of tweak that all rows of a part have */
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
} letters_job;

/* Whether a page has letters. */
static int letters_in_page(const tally_unicode_letters *letters, uint32_t page)
{
    const uint32_t first = page << TALLY_UNICODE_PAGE_BITS;
    if (letters->page_of[page] == 0 && (first > (uint32_t)letters->direct + letters->direct_size ||
                                        first + TALLY_UNICODE_PAGE <= letters->direct)) {
        return 0;
    }
    for (uint32_t i = 0; i < TALLY_UNICODE_PAGE; i++) {
        if (tally_unicode_is_letter(tally_unicode_code(letters, first + i))) {
            return 1;
        }
    }
    return 0;
}

void tally_unicode_find_parts(tally_unicode_format *own)
{
    memset(own->part_of, TEXT_NO_PART, sizeof own->part_of);
    for (uint32_t i = own->count; i-- > 0;) {
        for (uint32_t page = 0; page < TALLY_UNICODE_PAGES; page++) {
            if (letters_in_page(&own->parts[i].letters, page)) {
                own->part_of[page] = (uint8_t)i;
            }
        }
    }
}

/* The part that has a letter; TEXT_NO_PART: none. */
static uint32_t letters_part_of(const tally_unicode_format *own, uint32_t point)
{
    uint32_t part = point <= 0xFFFF ? own->part_of[point >> TALLY_UNICODE_PAGE_BITS] : TEXT_NO_PART;
    for (; part < own->count; part++) { /* nearly always the first one */
        if (tally_unicode_is_letter(tally_unicode_code(&own->parts[part].letters, point))) {
            return part;
        }
    }
    return TEXT_NO_PART;
}

uint32_t tally_unicode_part_of(const tally_unicode_format *own, const uint8_t *value, size_t size)
{
    const uint8_t *end = value + size;
    for (const uint8_t *at = value; at < end;) {
        uint32_t point, width = tally_utf8_decode(at, end, &point);
        if (width == 0) {
            return 0;
        }
        const uint32_t part = letters_part_of(own, point);
        if (part != TEXT_NO_PART) {
            return part;
        }
        at += width;
    }
    return 0;
}

/* Makes a row's own part of its tweak. Returns 0 if that is null or too long. */
static int letters_make_tail(letters_job *job, letters_row *row, size_t index, uint32_t digits)
{
    const tally_unicode_format *own = job->own;
    uint8_t *tail = job->tails;
    if (own->tweak_kept) {
        const size_t symbols = row->text.letters * digits;
        size_t front = own->keep_first * digits, back = own->keep_last * digits;
        front = front < symbols ? front : symbols;
        back = back < symbols - front ? back : symbols - front;
        tally_store_be32((uint32_t)(front + back), tail);
        memcpy(tail + 4, row->text.symbols, front);
        memcpy(tail + 4 + front, row->text.symbols + symbols - back, back);
        tail += 4 + front + back;
    }
    if (job->tweaks != NULL) {
        const uint64_t number = job->first + index;
        const size_t used = job->common + (size_t)(tail - job->tails);
        uint64_t start, size;
        if (tally_row_is_null(job->tweaks->strings, number) ||
            !tally_strings_row(job->tweaks, number, &start, &size) ||
            used > TALLY_FAST_MAX_ROW_TWEAK || size > TALLY_FAST_MAX_ROW_TWEAK - used ||
            size > (uint64_t)(job->tails_end - tail)) {
            return 0;
        }
        if (size != 0) {
            memcpy(tail, job->tweaks->strings->values + start, (size_t)size);
        }
        tail += size;
    }
    row->tail_size = (uint32_t)(tail - job->tails);
    job->tails = tail;
    return job->common + row->tail_size <= TALLY_FAST_MAX_ROW_TWEAK;
}

/* The symbols of a row that are encrypted. */
static uint8_t *letters_word(const letters_job *job, const letters_row *row, uint32_t digits)
{
    return row->text.symbols + job->own->keep_first * digits;
}

static size_t letters_word_length(const letters_job *job, const letters_row *row, uint32_t digits)
{
    return (row->text.letters - job->own->keep_first - job->own->keep_last) * digits;
}

/* Reads a row. Returns why it is invalid; 0: it is valid. */
static tally_reason letters_read_row(letters_job *job, const tally_unicode_part *part, size_t index)
{
    const tally_unicode_letters *letters = &part->letters;
    letters_row *row = &job->rows[index];
    const uint8_t *value = job->values + row->start;
    row->text.symbols = job->symbols;
    row->text.codes = job->codes;
    row->tail = job->tails;
    row->tail_size = 0;
    const tally_reason reason =
        tally_unicode_read(letters, value, (size_t)row->size, job->has_short, &row->text);
    if (reason != TALLY_REASON_NONE) {
        return reason;
    }
    const size_t keeps = (size_t)(job->own->keep_first + job->own->keep_last) * letters->digits,
                 all = row->text.letters * letters->digits;
    if (all > TALLY_FAST_MAX_LENGTH) {
        return TALLY_REASON_LONG;
    }
    if ((job->own->tweak_kept || job->tweaks != NULL) &&
        !letters_make_tail(job, row, index, letters->digits)) {
        return TALLY_REASON_TWEAK;
    }
    return all < keeps + part->least  ? TALLY_REASON_SHORT
           : all - keeps > part->most ? TALLY_REASON_LONG
                                      : TALLY_REASON_NONE;
}

/* Reads the rows of a part, and sorts their words into buckets. Returns the number of words. */
static size_t letters_read_rows(letters_job *job, uint32_t number)
{
    const tally_unicode_part *part = &job->own->parts[number];
    const uint32_t digits = part->letters.digits;
    size_t words = 0;
    tally_fast_buckets_clear(job->buckets);
    for (size_t place = job->begins[number]; place < job->begins[number + 1]; place++) {
        const size_t i = job->order[place];
        letters_row *row = &job->rows[i];
        row->bucket = TEXT_NO_WORD;
        const tally_reason reason =
            row->is_null ? TALLY_REASON_NONE : letters_read_row(job, part, i);
        job->status[i] = (uint8_t)reason;
        if (row->is_null || reason != TALLY_REASON_NONE) {
            continue;
        }
        const size_t length = letters_word_length(job, row, digits);
        row->bucket = tally_fast_buckets_add(job->buckets, row->tail, row->tail_size, length);
        job->run->small += length < part->small_symbols;
        job->symbols += row->text.letters * digits;
        job->codes += row->text.chars;
        words++;
    }
    return words;
}

/* Whether two symbols of a word stand for no letter. */
static int letters_is_outside(const tally_unicode_letters *letters, const uint8_t *word,
                              size_t length)
{
    uint32_t outside = 0;
    for (size_t i = 0; i < length; i += 2) {
        outside |= letters->size - 1 - (word[i] * letters->radix + word[i + 1]);
    }
    return outside >> 31 != 0;
}

/* Encrypts the words of buckets of one length: those of bucket sorted[i] are counts[i], and follow
 * each other in `words`, `stride[i]` apart. */
static void letters_run_length(letters_job *job, tally_fast_cipher *cipher, const uint16_t *sorted,
                               const size_t *starts, const size_t *counts, size_t count)
{
    const tally_fast_bucket *buckets = job->buckets->bucket;
    tally_fast_params spare;
    const tally_fast_params *params =
        tally_fast_cipher_params(cipher, buckets[sorted[0]].length, &spare);
    size_t words = 0, filled = 0;
    for (size_t i = 0; i < count; i++) {
        words += counts[i];
        filled += counts[i] != 0;
    }
    if (filled == 0) {
        return;
    }
    tally_fast_many_tweaks many;
    if (filled > 1) {
        tally_fast_many_tweaks_init(cipher, params, job->run->direction, job->tweak, job->common,
                                    filled, words, &many);
    }
    for (size_t i = 0; i < count; i++) {
        const tally_fast_bucket *bucket = &buckets[sorted[i]];
        if (counts[i] == 0) {
            continue;
        }
        if (filled > 1) {
            tally_fast_many_tweaks_add(&many, bucket->tail, bucket->tail_size,
                                       job->words + starts[i], counts[i]);
            continue;
        }
        if (bucket->tail_size != 0) {
            memcpy(job->tweak + job->common, bucket->tail, bucket->tail_size);
        }
        tally_fast_run_words(cipher, params, job->run->direction, job->tweak,
                             job->common + bucket->tail_size, job->words + starts[i], counts[i]);
    }
    if (filled > 1) {
        tally_fast_many_tweaks_final(&many);
    }
}

/* Keeps the words of a bucket that are to be encrypted again. */
static size_t letters_keep_outside(const tally_unicode_letters *letters, uint8_t **words,
                                   size_t count, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t *word = words[i];
        words[kept] = word;
        kept += (size_t)letters_is_outside(letters, word, length);
    }
    return kept;
}

/* Encrypts the words of a part that were read. */
static tally_status letters_run_part(letters_job *job, uint32_t number)
{
    const tally_unicode_letters *letters = &job->own->parts[number].letters;
    tally_fast_cipher *cipher = job->run->cipher(job->run, letters->radix);
    size_t *starts = job->run->scratch(job->run, 6, 2 * TALLY_FAST_ROWS * sizeof *starts);
    if (cipher == NULL || starts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    size_t *counts = starts + TALLY_FAST_ROWS;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS];
    const size_t count = job->buckets->count;
    tally_fast_buckets_sort(job->buckets, sorted, next);
    for (size_t i = 0; i < count; i++) {
        starts[i] = next[sorted[i]];
        counts[i] = job->buckets->bucket[sorted[i]].rows;
    }
    for (size_t place = job->begins[number]; place < job->begins[number + 1]; place++) {
        const letters_row *row = &job->rows[job->order[place]];
        if (row->bucket != TEXT_NO_WORD) {
            job->words[next[row->bucket]++] = letters_word(job, row, letters->digits);
        }
    }
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        const size_t length = job->buckets->bucket[sorted[begin]].length;
        while (end < count && job->buckets->bucket[sorted[end]].length == length) {
            end++;
        }
        for (size_t left = 1; left != 0;) {
            letters_run_length(job, cipher, sorted + begin, starts + begin, counts + begin,
                               end - begin);
            left = 0;
            for (size_t i = begin; letters->digits == 2 && i < end; i++) {
                counts[i] =
                    letters_keep_outside(letters, job->words + starts[i], counts[i], length);
                left += counts[i];
            }
        }
    }
    return TALLY_OK;
}

/* Takes the tweak that all rows of a part have. */
static tally_status letters_begin_part(letters_job *job, uint32_t number)
{
    const tally_run *run = job->run;
    const char *name = job->own->parts[number].letters.script->name;
    const size_t size = job->own->any ? strlen(name) : 0, more = job->own->any ? 4 + size : 0;
    job->common = run->tweak_size + more;
    if (job->common > sizeof job->tweak) {
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(job->tweak, run->tweak, run->tweak_size);
    if (job->own->any) {
        tally_store_be32((uint32_t)size, job->tweak + run->tweak_size);
        memcpy(job->tweak + run->tweak_size + 4, name, size);
    }
    return TALLY_OK;
}

/* Reads and encrypts the rows of a part. */
static tally_status letters_do_part(letters_job *job, uint32_t number)
{
    const tally_status status = letters_begin_part(job, number);
    if (status != TALLY_OK) {
        return status;
    }
    return letters_read_rows(job, number) != 0 ? letters_run_part(job, number) : TALLY_OK;
}

/* Writes a valid row; returns its end. */
static uint8_t *letters_write(const letters_job *job, const letters_row *row, uint8_t *out)
{
    return tally_unicode_write(&job->own->parts[row->part].letters, &row->text,
                               job->values + row->start, (size_t)row->size, out);
}

/* Bytes that a block's rows take at most: a letter may be written with more than it was. */
static uint64_t letters_most(uint64_t size)
{
    return TEXT_WIDEST * size + TALLY_UNICODE_SHORT;
}

/* Memory for the text of `count` rows with `size` bytes in all. */
static tally_status letters_take_text(letters_job *job, size_t count, uint64_t size)
{
    tally_run *run = job->run;
    size_t tails = 64;
    if (size > SIZE_MAX / 8) {
        return TALLY_ERROR_MEMORY;
    }
    if (job->own->tweak_kept) {
        tails += count * (4 + 2 * (size_t)(job->own->keep_first + job->own->keep_last));
    }
    if (job->tweaks != NULL) {
        for (size_t i = 0; i < count; i++) {
            uint64_t start, tweak = 0;
            if (tally_strings_row(job->tweaks, job->first + i, &start, &tweak)) {
                tails +=
                    tweak < TALLY_FAST_MAX_ROW_TWEAK ? (size_t)tweak : TALLY_FAST_MAX_ROW_TWEAK;
            }
        }
    }
    job->symbols = run->scratch(run, 1, (size_t)size + 2 * TALLY_UNICODE_SHORT);
    job->codes = run->scratch(run, 2, ((size_t)size + TALLY_UNICODE_SHORT) * sizeof *job->codes);
    job->tails = run->scratch(run, 3, tails);
    job->tails_end = job->tails + tails;
    return job->symbols != NULL && job->codes != NULL && job->tails != NULL ? TALLY_OK
                                                                            : TALLY_ERROR_MEMORY;
}

/* Memory for the rows of a block, of which at most so many are left. */
static tally_status letters_take_rows(letters_job *job, uint64_t rows)
{
    tally_run *run = job->run;
    const size_t count = rows < TALLY_FAST_ROWS ? (size_t)rows : TALLY_FAST_ROWS;
    job->rows = run->scratch(run, 0, count * sizeof *job->rows);
    job->words = run->scratch(run, 4, count * sizeof *job->words);
    job->order = run->scratch(run, 8, count * sizeof *job->order);
    job->buckets = run->scratch(run, 5, sizeof *job->buckets);
    return job->rows != NULL && job->words != NULL && job->order != NULL && job->buckets != NULL
               ? TALLY_OK
               : TALLY_ERROR_MEMORY;
}

/* Finds the parts of a block's rows, and sorts these by them. */
static void letters_sort(letters_job *job)
{
    size_t next[TALLY_SCRIPTS] = {0};
    memset(job->begins, 0, sizeof job->begins);
    for (size_t i = 0; i < job->count; i++) {
        letters_row *row = &job->rows[i];
        row->part = 0;
        if (job->own->any && !row->is_null) {
            row->part = (uint8_t)tally_unicode_part_of(job->own, job->values + row->start,
                                                       (size_t)row->size);
        }
        job->begins[row->part + 1]++;
    }
    for (size_t i = 0; i < TALLY_SCRIPTS; i++) {
        next[i] = job->begins[i];
        job->begins[i + 1] += job->begins[i];
    }
    for (size_t i = 0; i < job->count; i++) {
        job->order[next[job->rows[i].part]++] = (uint16_t)i;
    }
}

/* Encrypts the rows of a block. */
static tally_status letters_do_block(letters_job *job)
{
    letters_sort(job);
    for (uint32_t i = 0; i < job->own->count; i++) {
        if (job->begins[i] != job->begins[i + 1]) {
            const tally_status status = letters_do_part(job, i);
            if (status != TALLY_OK) {
                return status;
            }
        }
    }
    return TALLY_OK;
}

static tally_status letters_write_block(const letters_job *job, tally_text_out *out, uint64_t size)
{
    const tally_status status = tally_text_out_reserve(out, letters_most(size));
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < job->count; i++) {
        const letters_row *row = &job->rows[i];
        uint8_t *start = out->values + out->size;
        uint64_t written = row->is_null ? 0 : row->size;
        if (row->bucket != TEXT_NO_WORD) {
            written = (uint64_t)(letters_write(job, row, start) - start);
        } else if (written != 0) {
            memcpy(start, job->values + row->start, (size_t)written);
        }
        tally_text_out_end(out, written);
    }
    return TALLY_OK;
}

/* Takes the rows of the next block: as many as fit, and one at least. Returns the bytes of all;
 * UINT64_MAX: another thread has changed the offsets. */
static uint64_t letters_next_rows(letters_job *job, tally_strings_reader *in)
{
    uint64_t bytes = 0;
    size_t count = 0;
    for (; count < TALLY_FAST_ROWS && in->row < in->strings->rows && bytes <= TEXT_BLOCK; count++) {
        letters_row *row = &job->rows[count];
        row->is_null = (uint8_t)tally_row_is_null(in->strings, in->row);
        if (!tally_strings_next(in, &row->start, &row->size)) {
            return UINT64_MAX;
        }
        bytes += row->size;
    }
    job->count = count;
    return bytes;
}

/* Runs the next block. */
static tally_status letters_run_block(letters_job *job, tally_strings_reader *in,
                                      tally_text_column *column)
{
    tally_status status = letters_take_rows(job, in->strings->rows - job->first);
    if (status != TALLY_OK) {
        return status;
    }
    const uint64_t bytes = letters_next_rows(job, in);
    if (bytes == UINT64_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    status = letters_take_text(job, job->count, bytes);
    if (status != TALLY_OK) {
        return status;
    }
    job->status = column->status + job->first;
    status = letters_do_block(job);
    job->first += job->count;
    return status == TALLY_OK ? letters_write_block(job, column->out, bytes) : status;
}

tally_status tally_unicode_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    tally_strings_reader in, tweaks;
    letters_job job = {.own = format->own,
                       .run = run,
                       .values = column->in.values,
                       .has_short = tally_unicode_short_available()};
    if (column->in.rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &in) ||
        (run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    job.tweaks = run->row_tweaks != NULL ? &tweaks : NULL;
    tally_status status = TALLY_OK;
    while (status == TALLY_OK && job.first < column->in.rows) {
        status = letters_run_block(&job, &in, column);
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

/* Encrypts the word of the only row. */
static tally_status letters_run_one(letters_job *job, const tally_unicode_part *part)
{
    const tally_unicode_letters *letters = &part->letters;
    const letters_row *row = job->rows;
    tally_fast_cipher *cipher = job->run->cipher(job->run, letters->radix);
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint8_t *word = letters_word(job, row, letters->digits);
    const size_t length = letters_word_length(job, row, letters->digits);
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(cipher, length, &spare);
    if (row->tail_size != 0) {
        memcpy(job->tweak + job->common, row->tail, row->tail_size);
    }
    do {
        tally_fast_run_words(cipher, params, job->run->direction, job->tweak,
                             job->common + row->tail_size, &word, 1);
    } while (letters->digits == 2 && letters_is_outside(letters, word, length));
    job->run->small += length < part->small_symbols;
    return TALLY_OK;
}

/* Writes the only row. */
static tally_status letters_write_one(const letters_job *job, tally_one *one)
{
    const uint64_t most = letters_most(one->size);
    uint8_t *out = one->out;
    if (most > one->room) {
        out = job->run->scratch(job->run, 7, (size_t)most);
    }
    if (out == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    one->out_size = (size_t)(letters_write(job, job->rows, out) - out);
    if (one->out_size > one->room) {
        return TALLY_ERROR_ROOM;
    }
    if (out != one->out) {
        memcpy(one->out, out, one->out_size);
    }
    return TALLY_OK;
}

tally_status tally_unicode_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_unicode_format *own = format->own;
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_strings_reader reader = {.strings = &tweaks, .end = one->row_tweak_size};
    letters_row row = {.size = one->size};
    letters_job job;
    job.own = own;
    job.run = run;
    job.values = one->value;
    job.has_short = tally_unicode_short_available();
    job.tweaks = one->row_tweak != NULL ? &reader : NULL;
    job.first = 0;
    job.rows = &row;
    const uint32_t number = own->any ? tally_unicode_part_of(own, one->value, one->size) : 0;
    row.part = (uint8_t)number;
    tally_status status = letters_take_text(&job, 1, one->size);
    if (status == TALLY_OK) {
        status = letters_begin_part(&job, number);
    }
    if (status != TALLY_OK) {
        return status;
    }
    one->reason = letters_read_row(&job, &own->parts[number], 0);
    if (one->reason == TALLY_REASON_NONE) {
        status = letters_run_one(&job, &own->parts[number]);
        if (status == TALLY_OK) {
            status = letters_write_one(&job, one);
        }
    }
    tally_wipe(job.tweak, job.common + row.tail_size);
    return status;
}

/* ---- core/formats/unicode_value.c ---- */
/*
 * The characters of one value of a script as symbols, and back. */

enum { UNICODE_VALUE_ODD = 0xFF /* a value that is looked at closer */ };

static uint32_t unicode_value_width(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Whether text is UTF-8. */
static int unicode_value_is_utf8(const uint8_t *at, const uint8_t *end)
{
    uint32_t point;
    while (at < end) {
        const uint32_t width = tally_utf8_decode(at, end, &point);
        if (width == 0) {
            return 0;
        }
        at += width;
    }
    return 1;
}

/* Why a value is invalid that has more than letters and separators; 0: it is valid. */
static tally_reason unicode_value_reason(const tally_unicode_letters *letters, const uint8_t *value,
                                         size_t size)
{
    const uint8_t *end = value + size;
    uint32_t before = TALLY_UNICODE_KEPT;
    int is_first = 1, apart = 0, foreign = 0, notation = 0, order = 0;
    if (!unicode_value_is_utf8(value, end)) {
        return TALLY_REASON_FOREIGN;
    }
    for (const uint8_t *at = value; at < end;) {
        uint32_t point = 0, next = 0;
        at += tally_utf8_decode(at, end, &point);
        const uint32_t code = tally_unicode_code(letters, point);
        foreign |= code == TALLY_UNICODE_FOREIGN;
        if (tally_unicode_is_mark(code)) {
            order |= tally_unicode_is_mark(before) && code < before;
            for (size_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
                apart |= point == TALLY_UNICODE_NUKTA && before == letters->bases[i];
            }
        }
        if (code == letters->medial || code == letters->final) {
            const int behind = at < end && tally_utf8_decode(at, end, &next) != 0 &&
                               tally_unicode_is_letter(tally_unicode_code(letters, next));
            const int ends = !is_first && tally_unicode_is_letter(before) && !behind;
            notation |= ends != (code == letters->final);
        }
        before = code;
        is_first = 0;
    }
    if (apart || (foreign && !tally_is_nfc(value, size, NULL))) {
        return TALLY_REASON_NORMAL;
    }
    return foreign    ? TALLY_REASON_FOREIGN
           : notation ? TALLY_REASON_NOTATION
           : order    ? TALLY_REASON_NORMAL
                      : TALLY_REASON_NONE;
}

/* Whether letter i of a value's characters is at the end of a word. */
static inline int unicode_value_ends(const uint16_t *codes, size_t chars, size_t i)
{
    return i > 0 && codes[i - 1] < TALLY_UNICODE_MARK &&
           (i + 1 == chars || codes[i + 1] >= TALLY_UNICODE_MARK);
}

/* Whether the letter with a final form is written as its places say. */
static int unicode_value_finals_fit(const tally_unicode_letters *letters, const uint16_t *codes,
                                    size_t chars)
{
    int wrong = 0;
    for (size_t i = 0; i < chars; i++) {
        if (codes[i] == letters->medial || codes[i] == letters->final) {
            wrong |= unicode_value_ends(codes, chars, i) != (codes[i] == letters->final);
        }
    }
    return !wrong;
}

/* Reads the characters of a value. Returns UNICODE_VALUE_ODD where one is neither letter nor separator nor
 * a sign without combining class, or a mark that may not stand there. */
static inline int unicode_value_read(const tally_unicode_letters *letters, const uint8_t *value,
                                     size_t size, tally_unicode_value *text)
{
    const uint8_t *at = value, *const end = value + size;
    uint16_t *code_at = text->codes;
    uint8_t *symbol = text->symbols;
    const uint32_t radix = letters->radix, shift = letters->shift;
    const int pairs = letters->digits == 2;
    uint32_t before = TALLY_UNICODE_KEPT;
    while (at < end) {
        uint32_t code;
        if (*at < 0x80) {
            code = letters->ascii[*at++];
        } else {
            uint32_t point;
            const uint32_t width = tally_utf8_decode(at, end, &point);
            if (width == 0) {
                return UNICODE_VALUE_ODD;
            }
            at += width;
            code = tally_unicode_code(letters, point);
        }
        *code_at++ = (uint16_t)code;
        if (code < TALLY_UNICODE_MARK) {
            if (pairs) {
                symbol[0] = (uint8_t)(code / radix);
                symbol[1] = (uint8_t)(code % radix);
                symbol += 2;
            } else {
                *symbol++ = (uint8_t)((code == letters->final ? letters->medial : code) >> shift);
            }
        } else if (code != TALLY_UNICODE_KEPT) {
            if (code == TALLY_UNICODE_FOREIGN) {
                return UNICODE_VALUE_ODD;
            }
            if (code >= TALLY_UNICODE_WHOLE) {
                *symbol++ = (uint8_t)(letters->bases[code - TALLY_UNICODE_WHOLE] >> shift);
            } else if (tally_unicode_is_mark(before) && code < before) {
                return UNICODE_VALUE_ODD;
            } else {
                for (size_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
                    if (before == letters->bases[i]) {
                        return UNICODE_VALUE_ODD; /* perhaps a nukta that NFC does not leave apart */
                    }
                }
            }
        }
        before = code;
    }
    text->chars = (size_t)(code_at - text->codes);
    text->letters = (size_t)(symbol - text->symbols) >> pairs;
    return letters->final != TALLY_UNICODE_NONE &&
                   !unicode_value_finals_fit(letters, text->codes, text->chars)
               ? UNICODE_VALUE_ODD
               : 0;
}

/* Reads a value that unicode_value_read found odd, if it is valid. */
static tally_reason unicode_value_read_marked(const tally_unicode_letters *letters,
                                              const uint8_t *value, size_t size,
                                              tally_unicode_value *text)
{
    const tally_reason reason = unicode_value_reason(letters, value, size);
    if (reason != TALLY_REASON_NONE) {
        return reason;
    }
    text->chars = text->letters = 0;
    for (const uint8_t *at = value, *const end = value + size; at < end;) {
        uint32_t point = 0;
        at += tally_utf8_decode(at, end, &point);
        const uint32_t code = tally_unicode_code(letters, point);
        text->codes[text->chars++] = (uint16_t)code;
        if (code >= TALLY_UNICODE_WHOLE && code < TALLY_UNICODE_WHOLE + TALLY_UNICODE_COMPOSED) {
            text->symbols[text->letters++] =
                (uint8_t)(letters->bases[code - TALLY_UNICODE_WHOLE] >> letters->shift);
        } else if (code < TALLY_UNICODE_MARK) { /* no script of two symbols has marks */
            text->symbols[text->letters++] =
                (uint8_t)((code == letters->final ? letters->medial : code) >> letters->shift);
        }
    }
    return TALLY_REASON_NONE;
}

/* Writes a value with letters and separators alone. */
static uint8_t *unicode_value_write_plain(const tally_unicode_letters *letters,
                                          const tally_unicode_value *text, const uint8_t *value,
                                          uint8_t *out)
{
    const uint8_t *symbol = text->symbols;
    const uint32_t shift = letters->shift, forms = (1u << shift) - 1;
    for (size_t i = 0; i < text->chars; i++) {
        const uint32_t code = text->codes[i], width = unicode_value_width(*value);
        if (code < TALLY_UNICODE_MARK) {
            const uint32_t bytes = letters->bytes[((uint32_t)*symbol++ << shift) | (code & forms)];
            tally_store_le32(bytes, out);
            out += bytes >> TALLY_UNICODE_WIDTH_SHIFT;
        } else {
            memcpy(out, value, width);
            out += width;
        }
        value += width;
    }
    return out;
}

/* Writes a value of letters that are side by side, of two symbols each. */
static uint8_t *unicode_value_write_pairs(const tally_unicode_letters *letters,
                                          const tally_unicode_value *text, const uint8_t *value,
                                          uint8_t *out)
{
    const uint8_t *symbol = text->symbols;
    for (size_t i = 0; i < text->chars; i++) {
        const uint32_t code = text->codes[i], width = unicode_value_width(*value);
        if (code < TALLY_UNICODE_MARK) {
            out += tally_utf8_encode(letters->direct + symbol[0] * letters->radix + symbol[1], out);
            symbol += 2;
        } else {
            memcpy(out, value, width);
            out += width;
        }
        value += width;
    }
    return out;
}

/* Writes a value of a script with final forms, or with characters that NFC composes. */
static uint8_t *unicode_value_write_special(const tally_unicode_letters *letters,
                                            const tally_unicode_value *text, const uint8_t *value,
                                            uint8_t *out)
{
    static const uint8_t nukta[3] = {0xE0, 0xA4, 0xBC};
    const uint8_t *symbol = text->symbols;
    const uint32_t shift = letters->shift, forms = (1u << shift) - 1;
    for (size_t i = 0; i < text->chars; i++) {
        const uint32_t code = text->codes[i], width = unicode_value_width(*value);
        const uint8_t *at = value;
        value += width;
        if (!tally_unicode_is_letter(code)) {
            memcpy(out, at, width);
            out += width;
            continue;
        }
        const int whole = code >= TALLY_UNICODE_WHOLE;
        const uint32_t form = whole || code == letters->final ? 0 : code & forms;
        const uint32_t written = ((uint32_t)*symbol++ << shift) | form;
        if (written == letters->medial && unicode_value_ends(text->codes, text->chars, i)) {
            out += tally_utf8_encode(letters->script->final, out);
            continue;
        }
        const int behind =
            i + 1 < text->chars && width == sizeof nukta && memcmp(value, nukta, sizeof nukta) == 0;
        size_t base = TALLY_UNICODE_COMPOSED;
        for (size_t j = 0; j < TALLY_UNICODE_COMPOSED; j++) {
            base = letters->bases[j] == written ? j : base;
        }
        if (base < TALLY_UNICODE_COMPOSED && (whole || behind)) {
            out += tally_utf8_encode(letters->script->composed[base].whole, out);
            if (!whole) {
                value += sizeof nukta;
                i++;
            }
            continue;
        }
        tally_store_le32(letters->bytes[written], out);
        out += letters->bytes[written] >> TALLY_UNICODE_WIDTH_SHIFT;
        if (whole) {
            memcpy(out, nukta, sizeof nukta);
            out += sizeof nukta;
        }
    }
    return out;
}

tally_reason tally_unicode_read(const tally_unicode_letters *letters, const uint8_t *value,
                                size_t size, int has_short, tally_unicode_value *out)
{
    out->is_short = has_short && size <= TALLY_UNICODE_SHORT && letters->digits == 1 &&
                    tally_unicode_short_read(letters, value, size, out->codes, out->symbols,
                                             &out->chars, &out->letters);
    const int reason = out->is_short ? 0 : unicode_value_read(letters, value, size, out);
    return reason == UNICODE_VALUE_ODD ? unicode_value_read_marked(letters, value, size, out)
                                       : (tally_reason)reason;
}

uint8_t *tally_unicode_write(const tally_unicode_letters *letters, const tally_unicode_value *text,
                             const uint8_t *value, size_t size, uint8_t *out)
{
    if (text->is_short) {
        return tally_unicode_short_write(letters, value, size, text->codes, text->symbols, out);
    }
    if (letters->digits == 2) {
        return unicode_value_write_pairs(letters, text, value, out);
    }
    if (letters->script->final != 0 || letters->script->composed != NULL) {
        return unicode_value_write_special(letters, text, value, out);
    }
    return unicode_value_write_plain(letters, text, value, out);
}

TALLY_VISIBILITY_POP
