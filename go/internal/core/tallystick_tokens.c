//go:build cgo

#define TALLY_AES_MINIMAL
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-tree-pre", "no-code-hoisting")
#pragma GCC optimize("no-predictive-commoning", "no-thread-jumps")
#endif
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: arrow, json, keyring, library, policy, sharing, tokens, unicode. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

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
/* ---- core/arrow/array.c ---- */
/*
 * See array.h. */

/* ---- core/arrow/array.h ---- */
/*
 * Arrays of the Arrow C data interface, which may lie. Their structures are checked once,
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

/* Text, or binary of any size, with offsets. */
static inline int tally_arrow_is_text(const tally_arrow_type *type)
{
    return type->kind == TALLY_ARROW_TEXT || (type->kind == TALLY_ARROW_BINARY && !type->fixed);
}

/* Views of text or binary. */
static inline int tally_arrow_is_view(const tally_arrow_type *type)
{
    return type->kind == TALLY_ARROW_TEXT_VIEW || type->kind == TALLY_ARROW_BINARY_VIEW;
}

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

/* Opens an array. On failure returns 0, and *why names the damage. */
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

/* Hides an address, so that it is computed as it is written. */
static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

enum { ARRAY_RUN = 32 /* offsets at a time, as in strings.h */ };

/* How many buffers an array of a type has. Views have more. */
static uint64_t array_buffers(tally_arrow_kind kind, const tally_arrow_type *type)
{
    switch (kind) {
    case TALLY_ARROW_NULL:
    case TALLY_ARROW_RUN_ENDS:
        return 0;
    case TALLY_ARROW_STRUCT:
        return 1;
    case TALLY_ARROW_TEXT:
        return 3;
    case TALLY_ARROW_BINARY:
        return type->fixed ? 2 : 3;
    case TALLY_ARROW_LIST:
        return type->fixed ? 1 : 2;
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
    case TALLY_ARROW_LIST_VIEW:
        return 3;
    default:
        return 2;
    }
}

/* How many children an array of a type has; UINT64_MAX: any number. */
static uint64_t array_children(tally_arrow_kind kind)
{
    switch (kind) {
    case TALLY_ARROW_LIST:
    case TALLY_ARROW_LIST_VIEW:
    case TALLY_ARROW_MAP:
        return 1;
    case TALLY_ARROW_RUN_ENDS:
        return 2;
    case TALLY_ARROW_STRUCT:
    case TALLY_ARROW_OTHER:
        return UINT64_MAX;
    default:
        return 0;
    }
}

static const char *array_check(const tally_array *array)
{
    const tally_arrow_kind kind = array->type.kind;
    const int is_view = tally_arrow_is_view(&array->type);
    const uint64_t buffers = array_buffers(kind, &array->type);
    const uint64_t children = array_children(kind);
    const uint64_t most = (SIZE_MAX < INT64_MAX ? SIZE_MAX : INT64_MAX) / 64;
    if (array->rows > most || array->offset > most - array->rows) {
        return "its length or its offset is negative or too large";
    }
    if (array->nulls < -1 || (array->nulls > 0 && (uint64_t)array->nulls > array->rows)) {
        return "its number of nulls is not one of its length";
    }
    if (kind == TALLY_ARROW_RUN_ENDS && array->nulls > 0) {
        return "it has nulls, but run ends have no bitmap of them";
    }
    if (kind != TALLY_ARROW_OTHER &&
        (is_view                    ? array->buffer_count < buffers
         : kind == TALLY_ARROW_NULL ? array->buffer_count > 1 /* older libraries have one */
                                    : array->buffer_count != buffers)) {
        return "it has another number of buffers than its type";
    }
    if (array->buffer_count > most || array->child_count > most) {
        return "its number of buffers or children is negative or too large";
    }
    if (array->buffer_count > 0 && array->buffers == NULL) {
        return "its buffers are missing";
    }
    if (array->child_count > 0 &&
        (array->array->children == NULL || array->schema->children == NULL)) {
        return "its children are missing";
    }
    if ((children != UINT64_MAX && array->child_count != children) ||
        array->schema->n_children != array->array->n_children) {
        return "it has another number of children than its type";
    }
    if ((array->schema->dictionary == NULL) != (array->array->dictionary == NULL) ||
        (array->array->dictionary != NULL && kind != TALLY_ARROW_INTEGER)) {
        return "its dictionary is missing, or its indices are no integers";
    }
    return NULL;
}

int tally_array_open(const struct ArrowSchema *schema, const struct ArrowArray *array,
                     tally_array *out, const char **why)
{
    *why = "it is released or missing";
    if (schema == NULL || array == NULL || schema->release == NULL || array->release == NULL ||
        schema->format == NULL) {
        return 0;
    }
    memset(out, 0, sizeof *out);
    out->schema = schema;
    out->array = array;
    *why = "its type is unknown";
    if (!tally_arrow_type_read(schema->format, &out->type)) {
        return 0;
    }
    /* A negative number becomes one that is too large. */
    out->rows = tally_barrier((uint64_t)array->length);
    out->offset = tally_barrier((uint64_t)array->offset);
    out->nulls = (int64_t)tally_barrier((uint64_t)array->null_count);
    out->buffer_count = tally_barrier((uint64_t)array->n_buffers);
    out->child_count = tally_barrier((uint64_t)array->n_children);
    out->buffers = array->buffers;
    *why = array_check(out);
    if (*why != NULL) {
        return 0;
    }
    out->whole = out->offset + out->rows;
    const tally_arrow_kind kind = out->type.kind;
    if (kind != TALLY_ARROW_OTHER && kind != TALLY_ARROW_NULL && kind != TALLY_ARROW_RUN_ENDS) {
        out->validity = out->buffers[0];
        if (out->nulls > 0 && out->validity == NULL) {
            *why = "it has nulls, but no bitmap of them";
            return 0;
        }
        if (out->nulls == 0 && out->rows == 0) {
            out->validity = NULL;
        }
    }
    return 1;
}

int tally_array_open_dictionary(const tally_array *array, tally_array *out, const char **why)
{
    return tally_array_open(array->schema->dictionary, array->array->dictionary, out, why);
}

int tally_array_open_child(const tally_array *array, uint64_t child, tally_array *out,
                           const char **why)
{
    return tally_array_open(array->schema->children[child], array->array->children[child], out,
                            why);
}

int tally_array_validity(const tally_array *array, uint8_t *out, uint64_t *nulls, const char **why)
{
    const uint64_t rows = array->rows;
    const size_t size = (size_t)(rows / 8 + (rows % 8 != 0));
    if (array->validity == NULL) {
        memset(out, 0xff, size);
    } else {
        const uint8_t *in = array->validity + array->offset / 8;
        const unsigned shift = (unsigned)(array->offset % 8);
        const size_t bytes = (size_t)((shift + rows + 7) / 8); /* that hold a bit of a row */
        if (shift == 0) {
            memcpy(out, in, size);
        } else {
            for (size_t i = 0; i < size; i++) {
                const unsigned next = i + 1 < bytes ? in[i + 1] : 0;
                out[i] = (uint8_t)((in[i] | next << 8) >> shift);
            }
        }
    }
    if (rows % 8 != 0) {
        out[size - 1] &= (uint8_t)((1U << rows % 8) - 1);
    }
    TALLY_MEMORY_BARRIER();
    uint64_t ones = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, out + i, 8);
        word -= word >> 1 & 0x5555555555555555U;
        word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
        ones += ((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU) * 0x0101010101010101U >> 56;
    }
    for (; i < size; i++) {
        for (unsigned byte = out[i]; byte != 0; byte &= byte - 1) {
            ones++;
        }
    }
    *nulls = rows - ones;
    *why = "it has another number of nulls than it says";
    return array->nulls < 0 || (uint64_t)array->nulls == *nulls;
}

/* Returns a number whose top bit is set if an offset is negative or below the one before. */
#define ARRAY_DEFINE_COPY(name, type)                                                              \
    static type name(const uint8_t *in, uint64_t count, type start, type *restrict out)            \
    {                                                                                              \
        const size_t size = sizeof(type);                                                          \
        type wrong = 0;                                                                            \
        uint64_t i = 1;                                                                            \
        for (; i + ARRAY_RUN <= count; i += ARRAY_RUN) {                                           \
            type block[ARRAY_RUN];                                                                 \
            memcpy(block, in + i * size, sizeof block);                                            \
            TALLY_MEMORY_BARRIER();                                                                \
            for (size_t j = 0; j < ARRAY_RUN; j++) {                                               \
                out[i + j] = (type)(block[j] - start);                                             \
                wrong |= block[j];                                                                 \
            }                                                                                      \
            TALLY_MEMORY_BARRIER();                                                                \
            for (size_t j = 0; j < ARRAY_RUN; j++) {                                               \
                wrong |= (type)(out[i + j] - out[i + j - 1]);                                      \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            type one;                                                                              \
            memcpy(&one, in + i * size, size);                                                     \
            one = (type)tally_barrier(one);                                                        \
            out[i] = (type)(one - start);                                                          \
            wrong |= one | (type)(out[i] - out[i - 1]);                                            \
        }                                                                                          \
        return wrong;                                                                              \
    }

ARRAY_DEFINE_COPY(array_copy_32, uint32_t)
ARRAY_DEFINE_COPY(array_copy_64, uint64_t)

int tally_offsets_copy(const void *offsets, uint32_t size, uint64_t first, uint64_t rows, void *out,
                       uint64_t *start, const char **why)
{
    memset(out, 0, size);
    *start = 0;
    if (rows == 0) {
        return 1;
    }
    *why = "its offsets are missing";
    if (offsets == NULL) {
        return 0;
    }
    const uint8_t *in = (const uint8_t *)offsets + first * size;
    *why = "its offsets decrease";
    if (size == 4) {
        uint32_t begin;
        memcpy(&begin, in, 4);
        begin = (uint32_t)tally_barrier(begin);
        *start = begin;
        return ((array_copy_32(in, rows + 1, begin, out) | begin) >> 31) == 0;
    }
    uint64_t begin;
    memcpy(&begin, in, 8);
    begin = tally_barrier(begin);
    *start = begin;
    return ((array_copy_64(in, rows + 1, begin, out) | begin) >> 63) == 0 &&
           (SIZE_MAX > UINT32_MAX || ((uint64_t *)out)[rows] + begin <= SIZE_MAX);
}

int tally_array_has_text(const tally_array *array, uint64_t end, const char **why)
{
    const uint32_t width = array->type.width;
    if (array->rows == 0 || array->offset + array->rows == array->whole) {
        return 1;
    }
    const uint8_t *at = (const uint8_t *)array->buffers[1] + array->whole * width;
    uint64_t last = 0;
    if (width == 4) {
        int32_t last_32;
        memcpy(&last_32, at, sizeof last_32);
        last = last_32 < 0 ? 0 : (uint64_t)last_32;
    } else {
        int64_t last_64;
        memcpy(&last_64, at, sizeof last_64);
        last = last_64 < 0 ? 0 : (uint64_t)last_64;
    }
    *why = "its offsets decrease";
    return end <= last;
}

const uint8_t *tally_array_view(const tally_array *array, const tally_text_view *view)
{
    if (view->size < 0) {
        return NULL;
    }
    if (view->size <= TALLY_VIEW_INLINED) {
        return view->at.inlined;
    }
    /* Between the views and the last buffer, which has the sizes of the others. */
    const uint64_t buffers = array->buffer_count - 3;
    if (view->at.in.buffer < 0 || (uint64_t)view->at.in.buffer >= buffers ||
        view->at.in.offset < 0) {
        return NULL;
    }
    const uint8_t *sizes = array->buffers[array->buffer_count - 1];
    const uint8_t *bytes = array->buffers[2 + view->at.in.buffer];
    int64_t size;
    if (sizes == NULL || bytes == NULL) {
        return NULL;
    }
    memcpy(&size, sizes + 8 * (size_t)view->at.in.buffer, 8);
    if (size < (int64_t)view->at.in.offset + view->size) {
        return NULL;
    }
    return bytes + view->at.in.offset;
}

/* ---- core/arrow/strings.c ---- */
/*
 * Arrow's string arrays: checks of the offsets, and reading. */

/* ---- core/arrow/strings.h ---- */
/*
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

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
    if (reader->each != 0) {
        *start = reader->at + row * reader->each;
        *size = reader->each;
        return 1;
    }
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

/* Offsets are read at so many places by turns, each a part of the array: a core fetches more lines
 * at once from several places. */
enum { STRINGS_PLACES = 4 };

/* Offsets of each place, a multiple of TALLY_STRINGS_RUN; the rest follows the last place. */
static uint64_t strings_part(uint64_t rows)
{
    return rows / (STRINGS_PLACES * TALLY_STRINGS_RUN) * TALLY_STRINGS_RUN;
}

/* Prefetches offsets that follow soon: the machine's own prefetch comes too late. */
static inline void strings_prefetch(const void *offsets, size_t size)
{
    enum { STRINGS_AHEAD = 2048, STRINGS_LINE = 64 };
#if defined(__GNUC__)
    for (size_t at = 0; at < TALLY_STRINGS_RUN * size; at += STRINGS_LINE) {
        __builtin_prefetch((const uint8_t *)offsets + STRINGS_AHEAD + at);
    }
#else
    (void)offsets, (void)size;
#endif
}

/* Defines a function that returns whether `wrong` is 0 for all rows: an expression of a row's two
 * offsets and of `size`, numbers of this type. */
#define STRINGS_DEFINE_CHECK(name, type, wrong)                                                    \
    static int name(const type *offsets, uint64_t rows, type size)                                 \
    {                                                                                              \
        const uint64_t part = strings_part(rows);                                                  \
        type found = 0;                                                                            \
        (void)size;                                                                                \
        for (uint64_t i = 0; i < part && found == 0; i += TALLY_STRINGS_RUN) {                     \
            for (size_t place = 0; place < STRINGS_PLACES; place++) {                              \
                const type *run = offsets + place * part + i;                                      \
                strings_prefetch(run, sizeof(type));                                               \
                for (size_t j = 0; j < TALLY_STRINGS_RUN; j++) {                                   \
                    const type start = run[j], end = run[j + 1];                                   \
                    found |= (wrong);                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        for (uint64_t i = STRINGS_PLACES * part; i < rows && found == 0; i++) {                    \
            const type start = offsets[i], end = offsets[i + 1];                                   \
            found |= (wrong);                                                                      \
        }                                                                                          \
        return found == 0;                                                                         \
    }

STRINGS_DEFINE_CHECK(strings_ascend_32, int32_t, end < start)
STRINGS_DEFINE_CHECK(strings_ascend_64, int64_t, end < start)
STRINGS_DEFINE_CHECK(strings_are_alike_32, uint32_t, (end - start) ^ size)
STRINGS_DEFINE_CHECK(strings_are_alike_64, uint64_t, (end - start) ^ size)

int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out)
{
    *out = (tally_strings_reader){.strings = strings};
    if (strings->offset_size != 4 && strings->offset_size != 8) {
        return 0;
    }
    if (strings->rows == 0) {
        return 1;
    }
    if (strings->offsets == NULL) {
        return 0;
    }
    out->at = tally_offset_once(strings, 0);
    out->end = tally_offset_once(strings, strings->rows);
    return out->at <= out->end && out->end <= INT64_MAX;
}

int tally_strings_init(const tally_strings *strings, tally_strings_reader *out)
{
    if (!tally_strings_init_ends(strings, out)) {
        return 0;
    }
    const uint64_t rows = strings->rows, size = out->end - out->at;
    if (rows == 0) {
        return 1;
    }
    const uint64_t each = size / rows;
    if (size % rows == 0 &&
        (strings->offset_size == 4 ? strings_are_alike_32(strings->offsets, rows, (uint32_t)each)
                                   : strings_are_alike_64(strings->offsets, rows, each))) {
        out->each = each;
        return 1;
    }
    /* The first offset is not negative and offsets ascend, so none is negative. */
    return strings->offset_size == 4 ? strings_ascend_32(strings->offsets, rows, 0)
                                     : strings_ascend_64(strings->offsets, rows, 0);
}

/* Copies offsets; returns a number whose top bit is set if one of them is negative or below the one
 * before. Checks the copy of each run: nothing is read twice. */
#define STRINGS_DEFINE_COPY(name, type)                                                            \
    static uint64_t name(const type *from, size_t count, uint64_t *restrict to, uint64_t *common)  \
    {                                                                                              \
        uint64_t wrong = 0, differ = 0, size = 0;                                                  \
        size_t i = 0;                                                                              \
        for (; i + TALLY_STRINGS_RUN <= count; i += TALLY_STRINGS_RUN) {                           \
            for (size_t j = 0; j < TALLY_STRINGS_RUN; j++) {                                       \
                to[i + j + 1] = (uint64_t)from[i + j];                                             \
            }                                                                                      \
            TALLY_MEMORY_BARRIER();                                                                \
            size = i == 0 ? to[1] - to[0] : size;                                                  \
            for (size_t j = 0; j < TALLY_STRINGS_RUN; j++) {                                       \
                const uint64_t own = to[i + j + 1] - to[i + j];                                    \
                wrong |= to[i + j + 1] | own;                                                      \
                differ |= own ^ size;                                                              \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            to[i + 1] = tally_barrier((uint64_t)from[i]);                                          \
            const uint64_t own = to[i + 1] - to[i];                                                \
            size = i == 0 ? own : size;                                                            \
            wrong |= to[i + 1] | own;                                                              \
            differ |= own ^ size;                                                                  \
        }                                                                                          \
        *common = differ == 0 ? size : 0;                                                          \
        return wrong;                                                                              \
    }

STRINGS_DEFINE_COPY(strings_copy_32, int32_t)
STRINGS_DEFINE_COPY(strings_copy_64, int64_t)

int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common)
{
    const tally_strings *strings = reader->strings;
    const uint64_t first = reader->row + 1;
    start[0] = reader->at;
    if (reader->each != 0) {
        tally_strings_skip(reader, count);
        for (size_t i = 0; i < count; i++) {
            start[i + 1] = start[i] + reader->each;
        }
        *common = reader->each;
        return 1;
    }
    const uint64_t wrong =
        strings->offset_size == 4
            ? strings_copy_32((const int32_t *)strings->offsets + first, count, start, common)
            : strings_copy_64((const int64_t *)strings->offsets + first, count, start, common);
    if (wrong > INT64_MAX || start[count] > reader->end) {
        return 0;
    }
    reader->at = start[count];
    reader->row += count;
    return 1;
}

/* ---- core/arrow/type.c ---- */
/*
 * The types of Arrow's columns, from the format strings of its C data interface. */

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
    size_t needed;   /* the size without the limit: the text is cut if needed > size */
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

/* The type of a value, in the words of TOML: "text", "true or false", "a date", "a table". */
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

/* The character of an escape, after its backslash. */
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

/* ---- core/keyring/document.c ---- */
/*
 * See document.h. A text is accepted only if writing what was read gives the same bytes. That one
 * rule refuses other spacing or order, and loose base64; and it puts the MAC last. */

/* ---- core/keyring/document.h ---- */
/*
 * The text of a ring's file: strict JSON with one spelling for each content. */
#ifndef TALLY_KEYRING_DOCUMENT_H
#define TALLY_KEYRING_DOCUMENT_H

enum {
    TALLY_KEYRING_NONCE = 12,
    TALLY_KEYRING_EXPANSION = TALLY_KEYRING_NONCE + 16, /* bytes that wrapping adds: also a tag */
    TALLY_KEYRING_TAIL = 64 + 4 /* bytes after the authenticated part: the MAC's digits, the end */
};

typedef struct tally_keyring_entry {
    tally_key_id id;
    uint32_t size, rights;
    const char *created;
    uint8_t wrapped[TALLY_KEYRING_EXPANSION + TALLY_DATA_KEY_SIZE_MAX]; /* nonce, key, tag */
} tally_keyring_entry;

/* The content of a file; texts are those of `json`. Nothing of it is authenticated. */
typedef struct tally_keyring_document {
    tally_json_document json;
    uint8_t id[16];
    const char *id_text; /* in hexadecimal */
    uint32_t revision;   /* 0: of format 1 */
    tally_root roots[TALLY_ROOTS_MAX];
    size_t root_count;
    const tally_json *holders; /* the first, or NULL */
    const tally_json *signers; /* the first, or NULL */
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

/* ---- core/keyring/key_id.h ---- */
/*
 * Names and versions of data keys, for use inside the core. */
#ifndef TALLY_KEYRING_KEY_ID_H
#define TALLY_KEYRING_KEY_ID_H

/* 1 to 64 of a-z, 0-9, '_', '.' and '-', of which the first is a letter or digit. */
int tally_key_name_is_valid(const char *name, size_t size);

int tally_key_id_equal(const tally_key_id *a, const tally_key_id *b);

/* Writes the reference: people:1. */
void tally_write_key_id(tally_writer *writer, const tally_key_id *id);

#endif

enum { DOCUMENT_HOLDER_MAX = 64 /* characters */, DOCUMENT_ALL = 3 /* rights */ };

/* A reader: the first thing that is wrong ends it. */
typedef struct document_reader {
    const tally_allocator *allocator;
    tally_keyring_document *out;
    size_t root;               /* it reads roots[root - 1], or the field root; 0: none */
    size_t entry;              /* it reads keys[entry - 1]; 0: none */
    const char *wrong;         /* the fault, of... */
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

/* Whether an object has these members and no others. `field` is the name of the object. */
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

/* The bytes that a text in base64 stands for, if it is one. */
static size_t document_base64_size(const tally_json *node)
{
    size_t size = node->size / 4 * 3;
    for (size_t i = node->size; i > 0 && node->size - i < 2 && node->text[i - 1] == '='; i--) {
        size -= size > 0;
    }
    return size;
}

/* Base64 of exactly `size` bytes: padded, and with zeros in the bits that are not used. `out` may
 * be NULL. */
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
        for (size_t i = 0; i < bytes && out != NULL; i++) {
            out[group * 3 + i] = (uint8_t)(bits >> (16 - 8 * i));
        }
    }
    return valid || document_refuse(reader, "wrapped", "must be base64 with padding");
}

static int document_read_holders(document_reader *reader, const tally_json *object,
                                 const tally_root *root)
{
    const tally_json *const holders = tally_json_member(object, "holders");
    if (holders->kind != TALLY_JSON_ARRAY) {
        return document_refuse(reader, "holders", "must be an array");
    }
    if (holders->count != root->count) {
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

/* The rights of a key: "protect reveal", "protect" or "reveal". */
static int document_rights(document_reader *reader, const tally_json *object, uint32_t *out)
{
    const tally_json *const node = document_text(reader, object, "rights");
    *out = node == NULL                            ? 0
           : tally_json_is(node, "protect reveal") ? DOCUMENT_ALL
           : tally_json_is(node, "protect")        ? TALLY_MAY_PROTECT
           : tally_json_is(node, "reveal")         ? TALLY_MAY_REVEAL
                                                   : 0;
    return *out != 0 ||
           document_refuse(reader, "rights", "must be 'protect reveal', 'protect' or 'reveal'");
}

/* The name of a wrapping key: a scheme of a-z, 0-9 and '-', a colon, and printable characters. */
static int document_read_by(document_reader *reader, const tally_json *object, tally_root *root)
{
    const tally_json *const by = document_text(reader, object, "by");
    size_t scheme = 0;
    int valid = by != NULL && by->size <= TALLY_ROOT_NAME_SIZE_MAX;
    while (valid && (document_base64_digit(by->text[scheme]) >= 26 || by->text[scheme] == '-') &&
           by->text[scheme] != '+' && by->text[scheme] != '/') {
        scheme++;
    }
    valid = valid && scheme > 0 && by->text[scheme] == ':' && by->size > scheme + 1;
    for (size_t at = 0; valid && at < by->size;) {
        valid = tally_is_shown(tally_utf8_next(by->text, by->size, &at));
    }
    root->by = valid ? by->text : NULL;
    return valid || document_refuse(reader, "by",
                                    "must be the name of a wrapping key, with its scheme before "
                                    "a colon");
}

static int document_read_wrapped(document_reader *reader, const tally_json *object,
                                 tally_root *root)
{
    const tally_json *const wrapped = document_text(reader, object, "wrapped");
    if (!document_read_by(reader, object, root) ||
        !document_rights(reader, object, &root->rights) || wrapped == NULL) {
        return 0;
    }
    const size_t size = document_base64_size(wrapped);
    if (size < 1 || size > TALLY_ROOT_WRAPPED_SIZE_MAX) {
        return document_refuse(reader, "wrapped", "must have 1 to 4096 bytes, in base64");
    }
    root->wrapped = wrapped->text;
    return document_base64(reader, wrapped, NULL, size);
}

/* Reads `reader->out->roots[reader->root - 1]`. */
static int document_read_root(document_reader *reader, const tally_json *node)
{
    static const char *const key_fields[] = {"kind"};
    static const char *const scrypt_fields[] = {"kind", "salt", "n", "r", "p"};
    static const char *const shares_fields[] = {"kind", "set", "threshold", "count", "holders"};
    static const char *const wrapped_fields[] = {"kind", "by", "rights", "wrapped"};
    const tally_json *const kind = tally_json_member(node, "kind");
    tally_root *const root = &reader->out->roots[reader->root - 1];
    memset(root, 0, sizeof *root);
    root->rights = DOCUMENT_ALL;
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
               document_read_holders(reader, node, root);
    }
    if (kind != NULL && reader->out->revision > 0 && tally_json_is(kind, "wrapped")) {
        root->kind = TALLY_ROOT_WRAPPED;
        return document_has_fields(reader, node, NULL, wrapped_fields, 4) &&
               document_read_wrapped(reader, node, root);
    }
    return document_refuse(reader, NULL, "must be an object of a known kind");
}

/* Each record leads to the same root key, so there is one of each kind but of wrapped ones. */
static int document_is_root_twice(const tally_keyring_document *document)
{
    const tally_root *const last = &document->roots[document->root_count - 1];
    for (const tally_root *other = document->roots; other < last; other++) {
        if (other->kind == last->kind &&
            (last->kind != TALLY_ROOT_WRAPPED || strcmp(other->by, last->by) == 0)) {
            return 1;
        }
    }
    return 0;
}

static int document_read_roots(document_reader *reader, const tally_json *object)
{
    tally_keyring_document *const out = reader->out;
    const tally_json *const roots = tally_json_member(object, "roots");
    if (out->revision == 0) {
        reader->root = 1;
        out->root_count = 1;
        if (!document_read_root(reader, tally_json_member(object, "root"))) {
            return 0; /* reader->root stays for the message, here and below */
        }
        reader->root = 0;
        return 1;
    }
    if (roots->kind != TALLY_JSON_ARRAY || roots->count < 1 || roots->count > TALLY_ROOTS_MAX) {
        return document_refuse(reader, "roots", "must be an array of 1 to 16 records");
    }
    for (const tally_json *node = roots->first; node != NULL; node = node->next) {
        reader->root = ++out->root_count;
        if (!document_read_root(reader, node)) {
            return 0;
        }
        if (document_is_root_twice(out)) {
            return document_refuse(reader, NULL, "a kind, or a wrapping key, is listed twice");
        }
    }
    reader->root = 0;
    return 1;
}

static int document_read_signers(document_reader *reader, const tally_json *object)
{
    const tally_json *const signers = tally_json_member(object, "signers");
    if (signers->kind != TALLY_JSON_ARRAY || signers->count > TALLY_SIGNERS_MAX) {
        return document_refuse(reader, "signers", "must be an array of at most 16 public keys");
    }
    for (const tally_json *signer = signers->first; signer != NULL; signer = signer->next) {
        int valid = signer->kind == TALLY_JSON_TEXT && signer->size == 64;
        for (size_t i = 0; valid && i < 64; i++) {
            valid = document_hex_digit(signer->text[i]) >= 0;
        }
        for (const tally_json *other = signers->first; valid && other != signer;
             other = other->next) {
            valid = !tally_json_is(other, signer->text);
        }
        if (!valid) {
            return document_refuse(reader, "signers",
                                   "must be different public keys of 64 hexadecimal digits");
        }
    }
    reader->out->signers = signers->first;
    return 1;
}

static int document_read_entry(document_reader *reader, const tally_json *node,
                               tally_keyring_entry *out)
{
    static const char *const fields[] = {"name", "version", "created", "size", "wrapped", "rights"};
    const int has_rights = reader->out->revision > 0;
    if (!document_has_fields(reader, node, NULL, fields, has_rights ? 6 : 5)) {
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
    out->rights = DOCUMENT_ALL;
    if (has_rights && !document_rights(reader, node, &out->rights)) {
        return 0;
    }
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
    static const char *const fields[2][10] = {
        {"format", "version", "ring", "created", "root", "check", "keys", "mac"},
        {"format", "version", "ring", "created", "revision", "roots", "check", "signers", "keys",
         "mac"}};
    tally_keyring_document *const out = reader->out;
    const int newer = tally_json_member(root, "version")->integer == 2;
    if (!document_has_fields(reader, root, NULL, fields[newer], newer ? 10 : 8) ||
        !document_hex(reader, root, "ring", out->id, 16) || document_time(reader, root) == NULL ||
        (newer && (!document_number(reader, root, "revision", 1, UINT32_MAX, &out->revision) ||
                   !document_read_signers(reader, root))) ||
        !document_read_roots(reader, root) ||
        !document_hex(reader, root, "check", out->check, 16) ||
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

/* Six spaces of indentation or fewer. */
static const char *document_indent(size_t spaces)
{
    return &"      "[6 - spaces];
}

/* Writes an array of texts, which is the member `name` of an object. */
static void document_write_texts(tally_writer *writer, const char *name, const tally_json *first,
                                 size_t indent)
{
    tally_write(writer, ",\n");
    tally_write(writer, document_indent(indent));
    tally_write_json(writer, name, strlen(name));
    tally_write(writer, first == NULL ? ": []" : ": [");
    for (const tally_json *text = first; text != NULL; text = text->next) {
        tally_write(writer, text == first ? "\n  " : ",\n  ");
        tally_write(writer, document_indent(indent));
        tally_write_json(writer, text->text, text->size);
    }
    if (first != NULL) {
        tally_write(writer, "\n");
        tally_write(writer, document_indent(indent));
        tally_write(writer, "]");
    }
}

/* Writes a record of a root key; its fields are so much indented. */
static void document_write_root(tally_writer *writer, const tally_keyring_document *document,
                                size_t index, const tally_json *node, size_t indent)
{
    static const char *const fields[][4] = {{NULL},
                                            {"salt", "n", "r", "p"},
                                            {"set", "threshold", "count", NULL},
                                            {"by", "rights", "wrapped", NULL}};
    const tally_root_kind kind = document->roots[index].kind;
    document_write_field(writer, node, "kind", document_indent(indent), "{\n");
    for (size_t i = 0; i < 4 && fields[kind][i] != NULL; i++) {
        document_write_field(writer, node, fields[kind][i], document_indent(indent), ",\n");
    }
    if (kind == TALLY_ROOT_SHARES) {
        document_write_texts(writer, "holders", document->holders, indent);
    }
    tally_write(writer, "\n");
    tally_write(writer, document_indent(indent - 2));
    tally_write(writer, "}");
}

static void document_write_roots(tally_writer *writer, const tally_keyring_document *document)
{
    const tally_json *const object = document->json.root;
    if (document->revision == 0) {
        tally_write(writer, ",\n  \"root\": ");
        document_write_root(writer, document, 0, tally_json_member(object, "root"), 4);
        return;
    }
    document_write_field(writer, object, "revision", "  ", ",\n");
    tally_write(writer, ",\n  \"roots\": [");
    const tally_json *node = tally_json_member(object, "roots")->first;
    for (size_t i = 0; node != NULL; i++, node = node->next) {
        tally_write(writer, i == 0 ? "\n    " : ",\n    ");
        document_write_root(writer, document, i, node, 6);
    }
    tally_write(writer, "\n  ]");
}

/* Writes a document in its one spelling, as Python's json with an indent of two. */
static void document_write(tally_writer *writer, const tally_keyring_document *document)
{
    static const char *const heads[] = {"format", "version", "ring", "created"};
    static const char *const entries[] = {"name", "version", "created",
                                          "size", "wrapped", "rights"};
    const tally_json *const object = document->json.root;
    const tally_json *const keys = tally_json_member(object, "keys");
    for (size_t i = 0; i < 4; i++) {
        document_write_field(writer, object, heads[i], "  ", i == 0 ? "{\n" : ",\n");
    }
    document_write_roots(writer, document);
    document_write_field(writer, object, "check", "  ", ",\n");
    if (document->revision > 0) {
        document_write_texts(writer, "signers", document->signers, 2);
    }
    tally_write(writer, ",\n  \"keys\": [");
    for (const tally_json *key = keys->first; key != NULL; key = key->next) {
        tally_write(writer, key == keys->first ? "\n    {\n" : ",\n    {\n");
        for (size_t i = 0; i < (document->revision > 0 ? 6U : 5U); i++) {
            document_write_field(writer, key, entries[i], "      ", i == 0 ? "" : ",\n");
        }
        tally_write(writer, "\n    }");
    }
    tally_write(writer, keys->first == NULL ? "]" : "\n  ]");
    document_write_field(writer, object, "mac", "  ", ",\n");
    tally_write(writer, "\n}\n");
}

/* Whether this is the document's one spelling. TALLY_ERROR_MEMORY. */
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
    } else if (version->integer != 1 && version->integer != 2) {
        tally_write(problem, "key ring format ");
        tally_write_int(problem, version->integer);
        tally_write(problem,
                    ", and this Tallystick reads formats 1 and 2; use the Tallystick that wrote "
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

/* Writes the fault and its place: "keys[0].size must be 16, 24 or 32". */
static tally_status document_invalid(tally_writer *problem, const document_reader *reader,
                                     const char *json)
{
    const int inside = reader->root > 0 || reader->entry > 0;
    tally_write(problem, "not a valid key ring: ");
    if (reader->root > 0 && reader->out->revision == 0) {
        tally_write(problem, "root");
    } else if (reader->root > 0) {
        tally_write(problem, "roots[");
        tally_write_uint(problem, reader->root - 1);
        tally_write(problem, "]");
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
 * Names and versions of data keys. */

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

/* Up to eight bytes as a number that differs for different bytes of one size. memcpy of a size that
 * is not constant is a call, which takes longer. */
static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last; /* which overlap */
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
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
    const int right = tally_equal(mac, ring->document.mac, 32);
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
    const int right = tally_equal(derived, ring->document.check, 16);
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
    if (!tally_equal(ring->document.check, open->document.check, sizeof ring->document.check)) {
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
    *out = ring->document.roots[0];
}

int tally_keyring_root_at(const tally_keyring *ring, size_t index, tally_root *out)
{
    if (index >= ring->document.root_count) {
        return 0;
    }
    *out = ring->document.roots[index];
    return 1;
}

uint32_t tally_keyring_revision(const tally_keyring *ring)
{
    return ring->document.revision;
}

static const char *ring_text_at(const tally_json *first, size_t index)
{
    for (; first != NULL && index > 0; index--) {
        first = first->next;
    }
    return first == NULL ? NULL : first->text;
}

const char *tally_keyring_signer(const tally_keyring *ring, size_t index)
{
    return ring_text_at(ring->document.signers, index);
}

const char *tally_keyring_holder(const tally_keyring *ring, size_t index)
{
    return ring_text_at(ring->document.holders, index);
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
    out->rights = entry->rights;
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

/* ---- core/library/status.c ---- */
/*
 * A sentence for each status of every module. */

const char *tally_status_text(tally_status status)
{
    switch (status) {
    case TALLY_OK:
        return "success";
    case TALLY_ERROR_ARGUMENT:
        return "an argument is outside its documented range";
    case TALLY_ERROR_ENTROPY:
        return "the operating system gave no entropy";
    case TALLY_ERROR_MEMORY:
        return "there is not enough memory";
    case TALLY_ERROR_PROBLEM:
        return "refused; the description of the problem says why";
    case TALLY_ERROR_KEY_SIZE:
        return "a key must have 16, 24 or 32 bytes";
    case TALLY_ERROR_TAG:
        return "the tag is not that of the message under this key";
    case TALLY_ERROR_RADIX:
        return "the radix is not from 4 to 256, or not that of the cipher or its profile";
    case TALLY_ERROR_LENGTH:
        return "the length is outside its range";
    case TALLY_ERROR_PARAMS:
        return "these layers and branch distances do not make a FAST cipher";
    case TALLY_ERROR_SYMBOL:
        return "a symbol is not below the radix, or a number is outside its range; symbols are "
               "numbers from 0, not characters";
    case TALLY_ERROR_SHARES_FEW:
        return "fewer good shares of one set than its threshold";
    case TALLY_ERROR_SHARES_SETS:
        return "more than one set has enough shares";
    case TALLY_ERROR_SHARES_FALSE:
        return "the shares were not made from one secret";
    case TALLY_ERROR_FORMAT:
        return "the description makes no format; its problem says why";
    case TALLY_ERROR_TYPE:
        return "the format does not take columns of this type";
    case TALLY_ERROR_ONE_WAY:
        return "tokens of this format can't be revealed";
    case TALLY_ERROR_READ_ONLY:
        return "cipher ff3-1 reveals tokens and makes none";
    case TALLY_ERROR_NAMESPACE:
        return "a namespace must have 1 to 256 bytes of UTF-8";
    case TALLY_ERROR_INVALID:
        return "a value is invalid for its format";
    case TALLY_ERROR_ARRAY:
        return "an Arrow structure is damaged";
    case TALLY_ERROR_CAPACITY:
        return "there is too little room for the result";
    case TALLY_ERROR_TWEAKS:
        return "the tweaks do not fit the values";
    case TALLY_ERROR_PROTECT_ONLY:
        return "the key may only protect: the key ring gives it no right to reveal";
    case TALLY_ERROR_REVEAL_ONLY:
        return "the key may only reveal: the key ring gives it no right to protect";
    case TALLY_ERROR_KEYRING:
        return "not a key ring, or a damaged or edited one";
    case TALLY_ERROR_ROOT_KEY:
        return "the root key is not that of the key ring";
    case TALLY_ERROR_NO_KEY:
        return "the key ring has no such key";
    case TALLY_ERROR_REFERENCE:
        return "a key reference has the form name:version, for example people:1";
    case TALLY_ERROR_POLICY:
        return "this is no policy; its problem says why";
    case TALLY_ERROR_FF1_RADIX:
        return "a radix of FF1 must be from 2 to 65536";
    case TALLY_ERROR_FF1_LENGTH:
        return "the length is outside the range for this radix";
    case TALLY_ERROR_FF1_SYMBOL:
        return "a symbol is not below the radix; symbols are numbers from 0, not characters";
    case TALLY_ERROR_FF1_TWEAK_SIZE:
        return "a tweak of FF1 has at most 4294967295 bytes, and one of FF3-1 has 7 or 8";
    case TALLY_ERROR_TEXT_CHECK_BITS:
        return "the check of a token in text has 40 to 128 bits, in steps of 8";
    case TALLY_ERROR_TEXT_KIND:
        return "a kind has 1 to 32 of a-z, 0-9 and '_', begins with a letter and does not end in "
               "tly";
    case TALLY_ERROR_TEXT_VALUE:
        return "a value in text has 1 to 4096 bytes";
    case TALLY_ERROR_TEXT_KEYS:
        return "a restorer has 1 to 16 keys with one number of check bits";
    default:
        return "unknown status";
    }
}

/* ---- core/library/version.c ---- */
/*
 * The version of the library: that of python/tallystick/__init__.py, to which a test compares
 * it. */

const char *tally_version(void)
{
    return "0.1.0";
}

/* ---- core/policy/check.c ---- */
/*
 * See check.h. Rules are sorted first, so that a policy of many columns is checked in time. */

/* ---- core/policy/check.h ---- */
/*
 * Contradictions in the rules of a policy. */
#ifndef TALLY_POLICY_CHECK_H
#define TALLY_POLICY_CHECK_H

/* The rules of a policy, in three orders. */
typedef struct tally_check {
    const tally_allocator *allocator;
    const tally_rule *rules;
    size_t count;
    const void **by_column; /* by the columns */
    const void **by_key;    /* by key and namespace, and then by their place */
} tally_check;

/* TALLY_ERROR_MEMORY. Free it with tally_check_free, also after an error. */
tally_status tally_check_init(const tally_allocator *allocator, const tally_rule *rules,
                              size_t count, tally_check *out);
void tally_check_free(tally_check *check);

/* Writes a path without quotes that it does not need. Returns whether it had none (path.c). */
int tally_path_write(tally_policy_text column, tally_writer *writer);

/* Refuses a column whose path has quotes that it does not need: so each path has one spelling, and
 * columns are compared by their texts. `writer` gets the problem; it has the place. */
tally_status tally_check_quotes(tally_policy_text column, tally_writer *writer);

/* The number of rules of a column. */
size_t tally_check_rules_of(const tally_check *check, tally_policy_text column);

/* Write the errors of a tweak that is protected, and of a kept column that has a rule. */
void tally_check_write_tweak(tally_writer *writer, tally_policy_text tweak);
void tally_check_write_kept(tally_writer *writer, tally_policy_text column);

/* Refuses two formats under one key and namespace, but in the namespaces that are allowed. */
tally_status tally_check_mixed(const tally_check *check, const tally_policy_text *allowed,
                               size_t allowed_count, tally_problem *problem);

/* Refuses a key that serves a plain cipher (tweak_hex) and other rules too: the security of a cipher
 * says nothing of two of them under one key, nor of tweaks that other programs choose. */
tally_status tally_check_plain(const tally_check *check, tally_problem *problem);

/* Refuses a rule of FF3-1 whose tweaks can't have 7 bytes in any row. */
tally_status tally_check_tweaks(const tally_check *check, tally_problem *problem);

#endif

/* ---- core/formats/format.h ---- */
/*
 * The inside of every format. A format is one C file with two constants, tally_format_NAME and
 * tally_about_NAME; registry.c lists the names. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

/* ---- core/formats/ciphers.h ---- */
/*
 * The cipher of a format: FAST, or FF1 where the standard is needed. Every format that has words or
 * numbers takes the options `cipher` and `tweak_hex`. */
#ifndef TALLY_FORMATS_CIPHERS_H
#define TALLY_FORMATS_CIPHERS_H

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
    const char *name;           /* NULL after the last one */
    uint8_t kind;               /* a tally_option_kind */
    uint8_t required;           /* 1: it can't be left out */
    const char *const *choices; /* ending with NULL */
    const char *usual;          /* the default, as JSON without escapes; NULL: there is none */
} tally_option;

/* Ends a table. */
#define TALLY_OPTIONS_END                                                                          \
    {                                                                                              \
        NULL, TALLY_OPTION_TEXT, 0, NULL, NULL                                                     \
    }

enum { TALLY_OPTIONS = 16 /* of a format, at most */ };

/* A description's value of an option, valid as long as the description's JSON; or the default. */
typedef struct tally_option_value {
    int given;              /* 0: the description has none */
    int64_t integer;        /* INTEGER, BOOLEAN, WHOLE, the index of a CHOICE, an integral NUMBER */
    const char *text;       /* TEXT, NUMBER, DATE, DATETIME; NULL for an integral NUMBER */
    size_t size;            /* of the text */
    const tally_json *list; /* LIST: the array */
} tally_option_value;

/* Options that several formats have, at most. */
enum { TALLY_SHARED_OPTIONS = 2 };

/* Reads a value of an option. Returns 0 with the problem if it is of another type or choice. */
int tally_option_take(const tally_option *option, const tally_json *value, tally_option_value *out,
                      tally_problem *problem);

/* The default of an option; without one, zeros. */
tally_option_value tally_option_usual(const tally_option *option);

/* The first option that is given and differs from its default, if it has one; NULL: none does. */
const char *tally_options_changed(const tally_option *options, const tally_option_value *values);

/* Reads the members of an object (or nothing, if it is NULL) by a format's table, and by one that
 * formats share; "type" is passed over. values[i] is of options[i], and shared_values[i] of
 * shared[i]; what is not given has its default. Returns 0 with the problem if it can't. */
int tally_options_read(const tally_option *options, const tally_option *shared,
                       const tally_json *object, tally_option_value *values,
                       tally_option_value *shared_values, tally_problem *problem);

#endif

typedef enum tally_cipher {
    TALLY_CIPHER_FAST = 0,
    TALLY_CIPHER_FF1,      /* domains of 1,000,000 values and more */
    TALLY_CIPHER_FF1_2016, /* of 100 and more, with allow_tiny_domain */
    TALLY_CIPHER_FF3_1     /* tokens are revealed, and never made */
} tally_cipher;

enum {
    TALLY_FF1_DOMAIN = 1000000, /* values, by Revision 1 of SP 800-38G */
    TALLY_FF1_2016_DOMAIN = 100,
    TALLY_PLAIN_TWEAK = 256
};

typedef struct tally_cipher_choice {
    tally_cipher cipher;
    /* 1: the plain cipher, as other programs have it. The key is the data key itself, and the tweak
     * is `tweak`, then the row's own, and nothing else. */
    int is_plain;
    size_t tweak_size;
    uint8_t tweak[TALLY_PLAIN_TWEAK];
} tally_cipher_choice;

/* The two options, which end with an empty one. */
extern const tally_option tally_cipher_options[];

/* Reads the values of the options. Returns 0 with the problem if they make no choice. */
int tally_cipher_read(const tally_option_value *values, tally_cipher_choice *out,
                      tally_problem *problem);

/* The cipher that makes the tokens: both profiles of FF1 make the same. */
static inline tally_cipher tally_cipher_algorithm(tally_cipher cipher)
{
    return cipher == TALLY_CIPHER_FF1_2016 ? TALLY_CIPHER_FF1 : cipher;
}

/* Its name in descriptions, such as "ff1". */
const char *tally_cipher_name(tally_cipher cipher);

#endif

/* ---- core/formats/run.h ---- */
/*
 * The means and the values of a format's call. A tokenizer's worker makes a run for each call. */
#ifndef TALLY_FORMATS_RUN_H
#define TALLY_FORMATS_RUN_H

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
 * lays its own struct over it, such as tally_row_tweaks_memory. Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024,   /* bytes of a row's whole tweak */
    TALLY_FAST_GROUPED = 1 << 20       /* rows that are grouped by tweak together, at most */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
    void *grouping; /* memory for grouping rows, or NULL */
    size_t grouping_size;
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Bytes of memory with which a call groups so many rows by tweak: eight for each, and some. 0: rows are
 * too few to gain. */
size_t tally_fast_grouping_size(uint64_t rows);

/* Sets memory, of any alignment, in which the following calls on columns group rows of equal tweaks.
 * They run faster, with the same results. NULL unsets it. Calls leave the order of tweaks in this
 * memory. That order is not secret. */
void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif

typedef struct tally_run tally_run;

struct tally_run {
    tally_direction direction;

    /* Part 1 of the tweak; it has room for `tweak_capacity` bytes, so a format may append its part 2
     * for a call, and takes it off again. */
    uint8_t *tweak;
    size_t tweak_size, tweak_capacity;

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

    /* The key, for a format with a plain_key. */
    const uint8_t *key;
    size_t key_size;

    /* Derives 32 bytes from the key: HKDF-SHA-256 without salt. */
    tally_status (*derive)(tally_run *run, const char *info, uint8_t out[32]);
};

enum {
    TALLY_SCRATCH_GROUPS = 12, /* for grouping rows, by text_run.c */
    TALLY_SCRATCHES
};
enum { TALLY_BLOCK_ROWS = 4096 /* a good number to work on together */ };

/* Texts that are written one after the other, as Arrow has them. */
typedef struct tally_text_out {
    uint8_t *values;
    uint64_t size, capacity; /* bytes */
    void *offsets;           /* rows + 1, of offset_size; the first is 0 */
    uint32_t offset_size;
    uint64_t row;  /* the next */
    uint64_t most; /* bytes that the offsets can number */
    int (*grow)(struct tally_text_out *out, uint64_t more);
    void *context;
} tally_text_out;

/* Makes room for `more` bytes at out->values + out->size. TALLY_ERROR_MEMORY. */
static inline tally_status tally_text_out_reserve(tally_text_out *out, uint64_t more)
{
    return more <= out->capacity - out->size || out->grow(out, more) ? TALLY_OK
                                                                     : TALLY_ERROR_MEMORY;
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

/* One value of text. out[0..capacity) receives the result, *out_size its size; TALLY_ERROR_CAPACITY of
 * tokens.h says that there is too little room. If the reason is not 0, nothing need be written. */
typedef struct tally_one {
    const uint8_t *value;
    size_t size;
    const uint8_t *row_tweak; /* NULL: there is none */
    size_t row_tweak_size;
    uint8_t *out;
    size_t capacity, out_size;
    tally_reason reason;
} tally_one;

#endif

enum { TALLY_EXAMPLES = 9, TALLY_FORMATS_MOST = 64 };

typedef struct tally_format_class tally_format_class;

/* The input that a class gives a cipher. It decides which ciphers the class takes. */
typedef enum tally_format_words {
    TALLY_WORDS_NONE = 0, /* nothing */
    TALLY_WORDS_ANY,      /* words or numbers */
    TALLY_WORDS_IN_PLACE  /* a value's own symbols: a plain cipher is possible */
} tally_format_words;

struct tally_format {
    const tally_format_class *of;
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    tally_cipher_choice cipher;
    int one_way, keyed, may_be_formula;
    int allow_tiny_domain;
    int keeps_size;   /* a token has its value's bytes in number, at the same place of the column */
    int forbids_keep; /* on_invalid = "keep" can't go with it: a token may be no valid value */
    uint32_t plain_key; /* not 0: the key is that of another standard, and serves nothing else */
    uint32_t key_size;  /* bytes that the key must have; 0: 16, 24 or 32 */
    int is_random;      /* equal values have unlike tokens */
    int needs_tweak;    /* values without a tweak of their row are invalid */
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
    tally_format_words words;

    /* Fills a format in that is zero but for `of`, `allocator` and keyed = 1: own, smallest,
     * examples, and the identity last; the cipher is chosen. Messages have the format's name before them. Returns
     * TALLY_ERROR_FORMAT with the problem, or TALLY_ERROR_MEMORY; the format is freed after. */
    tally_status (*make)(tally_format *format, const tally_option_value *values,
                         tally_problem *problem);

    /* Releases what `own`, which is not NULL but may be half made, points to; NULL: nothing. */
    void (*destroy)(tally_format *format);

    /* Says whether a type is taken; if not, writes why after "format 'x'". NULL: text alone. */
    int (*takes)(const tally_format *format, const char *type, const tally_arrow_type *read,
                 tally_writer *why);

    /* Says whether a key of the right size is taken; if not, writes why after "format 'x': ". NULL:
     * each is. */
    int (*takes_key)(const tally_format *format, const uint8_t *key, tally_writer *why);

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

/* What a format is, for programs that offer formats to choose from. Those that do not leave it out. */
typedef struct tally_format_about {
    const char *about;  /* what it is for, in a sentence of one line */
    const char *sample; /* the options that it needs, as JSON; NULL: none */
} tally_format_about;

/* The classes, ending with NULL, and what is said about each. */
extern const tally_format_class *const tally_format_classes[];
extern const tally_format_about *const tally_format_abouts[];

/* Makes a format from a description that is read already; see tally_format_new. A problem's place
 * is relative to the description: "keep_last", or empty. */
TALLY_MUST_CHECK tally_status tally_format_from_json(const tally_allocator *allocator,
                                                     const tally_json *description,
                                                     tally_format **out, tally_problem *problem);

/* Whether the format of a description encrypts words, and so takes a cipher; 0 if it has no name of
 * a format. */
int tally_format_takes_cipher(const tally_json *description);

/* As tally_format_from_json, with values of the options of tally_cipher_options that stand outside the description;
 * NULL: one does not. */
TALLY_MUST_CHECK tally_status
tally_format_with_cipher(const tally_allocator *allocator, const tally_json *description,
                         const tally_json *const given[TALLY_SHARED_OPTIONS], tally_format **out,
                         tally_problem *problem);

/* For memory that lives as long as the format: NULL stands for malloc and free. */
const tally_allocator *tally_format_allocator(const tally_format *format);

/* Makes format->own: `size` bytes of zeros, which are released with the format. NULL: there is no
 * memory. */
void *tally_format_own(tally_format *format, size_t size);

/* Sets the identity: `size` bytes, within that of the cipher if it is not FAST.
 * TALLY_ERROR_MEMORY. */
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

/* Writes that a format can't be used for a type, and which types it takes. */
void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out);

/* The values that the smallest domain must have: with FAST TALLY_SMALLEST_DOMAIN, or what
 * allow_tiny_domain allows; else the cipher's bound. */
uint64_t tally_format_least_domain(const tally_format *format);

/* Refuses a domain that is smaller than that. */
tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem);

/* A domain of `size` values, or of radix^length. */
tally_domain tally_domain_of_size(uint64_t size);
tally_domain tally_domain_of_words(uint32_t radix, uint64_t length);

/* The layers of FAST for a word; a quarter more for cycle walking. */
uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks);

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

tally_status tally_check_quotes(tally_policy_text column, tally_writer *writer)
{
    char none[1];
    tally_writer nowhere;
    tally_writer_init(&nowhere, none, sizeof none);
    if (tally_path_write(column, &nowhere)) {
        return TALLY_OK;
    }
    tally_write(writer, "the path ");
    tally_write_repr(writer, column.text, column.size);
    tally_write(writer, " has quotes that it does not need; write ");
    (void)tally_path_write(column, writer);
    return TALLY_ERROR_POLICY;
}

/* The fault of a column's own name. */
static tally_status check_columns(const tally_check *check, tally_problem *problem)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = check->by_column[i];
        if (i > 0 && check_compare_columns(check->by_column[i - 1], rule) == 0) {
            tally_write(&writer, "column ");
            tally_write_repr(&writer, rule->column.text, rule->column.size);
            tally_write(&writer, " has ");
            tally_write_uint(&writer, tally_check_rules_of(check, rule->column));
            tally_write(&writer, " rules");
            return TALLY_ERROR_POLICY;
        }
        if (tally_check_quotes(rule->column, &writer) != TALLY_OK ||
            (rule->tweak.text != NULL && tally_check_quotes(rule->tweak, &writer) != TALLY_OK)) {
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
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

static int check_shares_key(const tally_rule *one, const tally_rule *other)
{
    return one->key.version != 0 && strcmp(one->key.name, other->key.name) == 0 &&
           one->key.version == other->key.version;
}

tally_status tally_check_plain(const tally_check *check, tally_problem *problem)
{
    for (size_t i = 1; i < check->count; i++) {
        const tally_rule *const one = check->by_key[i - 1], *const other = check->by_key[i];
        const uint32_t algorithm = tally_format_algorithm(one->format);
        if (!check_shares_key(one, other) || algorithm == tally_format_algorithm(other->format)) {
            continue;
        }
        const tally_rule *const plain = algorithm != 0 ? one : other;
        const tally_rule *const second = plain == one ? other : one;
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "key ");
        tally_write_key_id(&writer, &plain->key);
        tally_write(&writer, plain->format->plain_key != 0
                                 ? " serves format 'ipcrypt' in column "
                                 : " serves a plain cipher (tweak_hex) in column ");
        tally_write_repr(&writer, plain->column.text, plain->column.size);
        tally_write(&writer, ", and something else in column ");
        tally_write_repr(&writer, second->column.text, second->column.size);
        tally_write(&writer, "; give one of them another key");
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

tally_status tally_check_tweaks(const tally_check *check, tally_problem *problem)
{
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = &check->rules[i];
        const tally_cipher_choice *const choice = &rule->format->cipher;
        const int is_whole = choice->tweak_size == TALLY_FF3_1_TWEAK;
        if (choice->cipher != TALLY_CIPHER_FF3_1 || is_whole == (rule->tweak.text == NULL)) {
            continue;
        }
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "column ");
        tally_write_repr(&writer, rule->column.text, rule->column.size);
        tally_write(&writer, is_whole ? ": its tweak_hex is a whole tweak of ff3-1, which has 7 "
                                        "bytes; remove tweak, or give fewer digits"
                                      : ": a tweak of ff3-1 has 7 bytes; give tweak_hex 14 digits, "
                                        "or name the column that has the rest (tweak)");
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

/* Columns of rules that are also tweaks, or kept. */
static tally_status check_others(const tally_check *check, const tally_policy_text *keep,
                                 size_t keep_count, tally_problem *problem)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = &check->rules[i];
        if (rule->tweak.text != NULL && tally_check_rules_of(check, rule->tweak) > 0) {
            tally_write(&writer, "tweak of column ");
            tally_write_repr(&writer, rule->column.text, rule->column.size);
            tally_write(&writer, ": ");
            tally_check_write_tweak(&writer, rule->tweak);
            return TALLY_ERROR_POLICY;
        }
    }
    for (size_t i = 0; i < keep_count; i++) {
        if (tally_check_quotes(keep[i], &writer) != TALLY_OK) {
            return TALLY_ERROR_POLICY;
        }
        if (tally_check_rules_of(check, keep[i]) > 0) {
            tally_write(&writer, "keep: ");
            tally_check_write_kept(&writer, keep[i]);
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

tally_status tally_rules_check(const tally_allocator *allocator, const tally_rule *rules,
                               size_t count, const tally_policy_text *keep, size_t keep_count,
                               const tally_policy_text *mixed_formats, size_t mixed_count,
                               tally_problem *problem)
{
    tally_check check;
    tally_status status = tally_check_init(allocator, rules, count, &check);
    if (status == TALLY_OK) {
        status = check_columns(&check, problem);
    }
    if (status == TALLY_OK) {
        status = check_others(&check, keep, keep_count, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_mixed(&check, mixed_formats, mixed_count, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_plain(&check, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_tweaks(&check, problem);
    }
    tally_check_free(&check);
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

typedef enum tally_table_kind {
    TALLY_TABLE_TABLE,
    TALLY_TABLE_TEXT,
    TALLY_TABLE_BOOLEAN,
    TALLY_TABLE_TEXTS,      /* an array of texts */
    TALLY_TABLE_FULL_TEXTS, /* the same, none of which is empty */
    TALLY_TABLE_CHOICE,     /* a text, one of `choices` */
    TALLY_TABLE_ONE,        /* the number 1 */
    TALLY_TABLE_INTEGER,
    TALLY_TABLE_FORMAT /* a text or a table */
} tally_table_kind;

typedef struct tally_table_field {
    const char *name; /* NULL ends the fields */
    tally_table_kind kind;
    const char *expected; /* the text after "must be" */
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

/* Writes the fault there; returns TALLY_ERROR_POLICY. */
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

/* Makes a dialect of the values that are given. Returns its fault, or NULL. */
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

/* ---- core/policy/open.c ---- */
/*
 * A rule with its key, by the rights and signatures that a key ring demands. */

/* The rights of a key; a key that the ring lacks has none. */
static uint32_t open_rights(const tally_keyring *ring, const tally_key_id *id)
{
    tally_key_info info;
    for (size_t i = 0; tally_keyring_at(ring, i, &info); i++) {
        if (info.id.version == id->version && strcmp(info.id.name, id->name) == 0) {
            return info.rights;
        }
    }
    return 0;
}

tally_status tally_rule_open(const tally_allocator *allocator, const tally_rule *rule,
                             const tally_keyring *ring, uint32_t rights, tally_tokenizer **out,
                             tally_problem *problem)
{
    tally_tokenizer *made = NULL;
    uint8_t *key = NULL;
    size_t size = 0;
    tally_status status = TALLY_OK;
    *out = NULL;
    if (tally_keyring_signer(ring, 0) != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "the key ring demands signed policies, which this Tallystick can't "
                             "verify; use a newer one");
        return TALLY_ERROR_KEYRING;
    }
    if (rule->key.version != 0) {
        rights &= open_rights(ring, &rule->key);
        key = tally_allocate(allocator, TALLY_DATA_KEY_SIZE_MAX); /* keys may need locked memory */
        if (key == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        status = tally_keyring_key(ring, &rule->key, key, &size, problem);
    }
    if (status == TALLY_OK) {
        const tally_policy_text name = rule->name_space;
        status =
            tally_tokenizer_new(allocator, rule->format, key, size, name.size == 0 ? "" : name.text,
                                name.size, rule->on_invalid, &made, problem);
    }
    tally_release_wiped(allocator, key, TALLY_DATA_KEY_SIZE_MAX);
    if (status == TALLY_OK) {
        tally_tokenizer_limit(made, rights);
        *out = made;
    }
    return status;
}

/* ---- core/policy/path.c ---- */
/*
 * Paths of columns: contact.email, emails[], attributes{}. They are read where they stand, so they
 * need no memory. */

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
        /* A name alone is as it is: its quotes are a part of it. */
        return path_read_name(text, size, at, out) && !(first && out->quoted && *at == size);
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

int tally_path_write(tally_policy_text column, tally_writer *writer)
{
    const size_t start = writer->needed;
    size_t at = 0;
    do {
        path_step step;
        if (at > 0 && at < column.size && column.text[at] == '.') {
            tally_write_char(writer, '.');
        }
        if (!path_read(column.text, column.size, &at, &step)) {
            return 1; /* then it can only be a name */
        }
        if (step.kind == TALLY_STEP_FIELD) {
            path_write_name(writer, &step);
        } else {
            tally_write(writer, step.kind == TALLY_STEP_ITEMS ? "[]" : "{}");
        }
    } while (at < column.size);
    return writer->needed - start == column.size; /* quotes were left out, or nothing */
}

tally_step tally_path_step(const char *column, size_t size, size_t *at, char *out, size_t capacity,
                           size_t *name_size)
{
    path_step step;
    tally_writer writer;
    tally_writer_init(&writer, out, capacity);
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
 * A policy from JSON: its rules, and the keys above them. */

struct tally_policy {
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int has_csv;
    tally_json_document json; /* all texts are its */
    tally_rule *rules;
    tally_format **formats;                  /* those of the rules; equal ones are made once */
    struct policy_description *descriptions; /* theirs */
    const tally_json *cipher;                /* of all formats that have no other, or NULL */
    size_t count, capacity, format_count;
    tally_policy_text *keep, *mixed;
    size_t keep_count, mixed_count;
    tally_unlisted unlisted;
    tally_csv_options csv;
};

/* The source of a format: its description, and the options of its cipher beside it. */
typedef struct policy_description {
    const tally_json *format, *cipher[TALLY_SHARED_OPTIONS];
} policy_description;

enum { POLICY_REMEMBERED = 256 /* formats that are compared with a new one */ };

enum {
    POLICY_COLUMNS,
    POLICY_VERSION,
    POLICY_CSV,
    POLICY_UNLISTED,
    POLICY_KEEP,
    POLICY_MIXED,
    POLICY_CIPHER
};

static const char *const policy_ciphers[] = {"fast", "ff1", "ff1-2016", NULL};
static const char *const policy_unlisted[] = {"keep", "error", NULL};

static const tally_table_field policy_top[] = {
    {"columns", TALLY_TABLE_TABLE, "a table", 1, NULL},
    {"version", TALLY_TABLE_ONE, "1", 0, NULL},
    {"csv", TALLY_TABLE_TABLE, "a table", 0, NULL},
    {"unlisted", TALLY_TABLE_CHOICE, "'keep' or 'error'", 0, policy_unlisted},
    {"keep", TALLY_TABLE_TEXTS, "an array of column names", 0, NULL},
    {"mixed_formats", TALLY_TABLE_TEXTS, "an array of namespaces", 0, NULL},
    {"cipher", TALLY_TABLE_CHOICE, "'fast', 'ff1' or 'ff1-2016'", 0, policy_ciphers},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

enum {
    COLUMN_FORMAT,
    COLUMN_KEY,
    COLUMN_NAMESPACE,
    COLUMN_TWEAK,
    COLUMN_ON_INVALID,
    COLUMN_CIPHER, /* and the next ones: in the order of tally_cipher_options */
    COLUMN_TWEAK_HEX
};

#define POLICY_KEY_WORDS       "a data key with its version, such as \"people:1\""
#define POLICY_NAMESPACE_WORDS "text that names the values, such as \"person id\""
#define POLICY_EXAMPLE         "{ format = \"digits\", key = \"people:1\", namespace = \"person id\" }"

static const char *const policy_column_ciphers[] = {"fast", "ff1", "ff1-2016", "ff3-1", NULL};
static const char *const policy_on_invalid[] = {"error", "null", "keep", NULL};

static const tally_table_field policy_column[] = {
    {"format", TALLY_TABLE_FORMAT, "a format's name, such as \"digits\", or a table with its type",
     1, NULL},
    {"key", TALLY_TABLE_TEXT, POLICY_KEY_WORDS, 0, NULL},
    {"namespace", TALLY_TABLE_TEXT, POLICY_NAMESPACE_WORDS, 0, NULL},
    {"tweak", TALLY_TABLE_TEXT, "a column's name", 0, NULL},
    {"on_invalid", TALLY_TABLE_CHOICE, "'error', 'null' or 'keep'", 0, policy_on_invalid},
    {"cipher", TALLY_TABLE_CHOICE, "'fast', 'ff1', 'ff1-2016' or 'ff3-1'", 0,
     policy_column_ciphers},
    {"tweak_hex", TALLY_TABLE_TEXT, "text of hexadecimal digits", 0, NULL},
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

/* Whether two values are equal, written alike, or both NULL. JSON's depth bounds the recursion. */
static int policy_is_equal(const tally_json *one, const tally_json *other)
{
    if (one == other || one == NULL || other == NULL) {
        return one == other;
    }
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

static int policy_is_described(const policy_description *one, const policy_description *other)
{
    int equal = policy_is_equal(one->format, other->format);
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS && equal; i++) {
        const tally_json *const a = one->cipher[i], *const b = other->cipher[i];
        /* The texts are compared, not the keys: one may stand for the whole policy. */
        equal = a == b || (a != NULL && b != NULL && a->size == b->size &&
                           memcmp(a->text, b->text, a->size) == 0);
    }
    return equal;
}

/* One of the last formats, if it has this description: some take megabytes. */
static tally_format *policy_made(const tally_policy *policy, const policy_description *description)
{
    const size_t last = policy->format_count;
    for (size_t i = last; i > 0 && last - i < POLICY_REMEMBERED; i--) {
        if (policy_is_described(&policy->descriptions[i - 1], description)) {
            return policy->formats[i - 1];
        }
    }
    return NULL;
}

/* Writes the problem of a format at its place: below the rule's key `format`, or at the option of
 * the cipher beside it. */
static void policy_format_problem(const policy_description *description,
                                  const tally_table_place *place, const tally_problem *inner,
                                  tally_problem *problem)
{
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS; i++) {
        const char *const option = tally_cipher_options[i].name;
        if (description->cipher[i] != NULL && strcmp(inner->place, option) == 0) {
            const tally_table_place at = tally_table_at(place, option);
            (void)tally_table_wrong(&at, problem, inner->text);
            return;
        }
    }
    const tally_table_place at = tally_table_at(place, "format");
    (void)tally_table_wrong(&at, problem, inner->text);
    if (inner->place[0] != '\0') {
        tally_writer writer;
        const size_t size = strlen(problem->place);
        tally_writer_init(&writer, problem->place + size, sizeof problem->place - size);
        tally_write_char(&writer, '.');
        tally_write(&writer, inner->place);
    }
}

/* The cipher beside a rule's format: its own, or the policy's if the format takes one and names no
 * other. */
static const tally_json *policy_cipher_of(const tally_policy *policy,
                                          const tally_json *const *values)
{
    const tally_json *const own = values[COLUMN_CIPHER], *const format = values[COLUMN_FORMAT];
    return own != NULL                                   ? own
           : tally_json_member(format, "cipher") != NULL ? NULL
           : tally_format_takes_cipher(format)           ? policy->cipher
                                                         : NULL;
}

/* Makes the format of a rule. */
static tally_status policy_format(tally_policy *policy, const tally_json *const *values,
                                  const tally_table_place *place, const tally_format **out,
                                  tally_problem *problem)
{
    tally_problem inner;
    const policy_description description = {
        values[COLUMN_FORMAT], {policy_cipher_of(policy, values), values[COLUMN_TWEAK_HEX]}};
    tally_format *made = policy_made(policy, &description);
    if (made != NULL) {
        *out = made;
        return TALLY_OK;
    }
    const tally_status status = tally_format_with_cipher(
        policy_allocator(policy), description.format, description.cipher, &made, &inner);
    if (status == TALLY_OK) {
        policy->formats[policy->format_count] = made;
        policy->descriptions[policy->format_count++] = description;
        *out = made;
        return TALLY_OK;
    }
    if (status == TALLY_ERROR_MEMORY) {
        return status;
    }
    policy_format_problem(&description, place, &inner, problem);
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

/* The keys that a rule with a data key must have. */
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
            "'keep' can't go with this format, whose tokens are no valid values: a value kept as "
            "invalid could be taken for a token; use 'error' or 'null'");
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

/* Refuses quotes that a path does not need. */
static tally_status policy_check_quotes(tally_policy_text column, const tally_table_place *place,
                                        tally_problem *problem)
{
    tally_writer writer;
    tally_table_problem(place, problem, &writer);
    return tally_check_quotes(column, &writer);
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
    status = policy_format(policy, values, &place, &rule->format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    policy->count++;
    rule->column = (tally_policy_text){column->key, column->key_size};
    status = policy_check_quotes(rule->column, &place, problem);
    if (status == TALLY_OK && tweak != NULL) {
        const tally_table_place at = tally_table_at(&place, "tweak");
        status = policy_check_quotes(policy_text(tweak), &at, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    rule->name_space = (tally_policy_text){"", 0};
    rule->on_invalid =
        (tally_on_invalid)policy_choice(values[COLUMN_ON_INVALID], policy_on_invalid);
    return tally_format_is_keyed(rule->format)
               ? policy_read_keyed(values, &place, rule, problem)
               : policy_check_keyless(rule->format, values, &place, problem);
}

/* Contradictions, with the keys at fault. */
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
        const tally_status status = policy_check_quotes(policy->keep[i], &at, problem);
        if (status != TALLY_OK) {
            return status;
        }
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
        policy->cipher = values[POLICY_CIPHER];
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
    if (status == TALLY_OK) {
        status = tally_check_plain(&check, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_tweaks(&check, problem);
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
    tally_release(allocator, policy->descriptions, policy->capacity * sizeof *policy->descriptions);
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
 * with n = 1 and its cutoff of 0.6, for names whose ASCII letters are all in lower case. */
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

/* Says what a name may have meant: "; did you mean 'mask'?" */
void tally_write_meant(tally_writer *writer, const char *name, size_t size);

/* Says what a misspelt name may have meant, of some choices. Returns 0, and says nothing, if
 * no choice is near. The choices are zero-terminated. */
int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count);

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

static int table_is_texts(const tally_json *value, size_t least)
{
    const tally_json *item = value->first;
    while (item != NULL && item->kind == TALLY_JSON_TEXT && item->size >= least) {
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
        return table_is_texts(value, 0);
    case TALLY_TABLE_FULL_TEXTS:
        return table_is_texts(value, 1);
    case TALLY_TABLE_CHOICE:
        return table_is_choice(field, value);
    case TALLY_TABLE_ONE:
        return value->kind == TALLY_JSON_INTEGER && value->integer == 1;
    case TALLY_TABLE_INTEGER:
        return value->kind == TALLY_JSON_INTEGER || value->kind == TALLY_JSON_BIG;
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
    const int is_list =
        value != NULL && value->kind == TALLY_JSON_ARRAY && field->kind == TALLY_TABLE_FULL_TEXTS;
    if (value != NULL && !is_list) {
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

/* ---- core/sharing/dispersal.c ---- */
/*
 * Dispersal: its keys, and the encoder. dispersal_decode.c has the decoder. */

/* ---- core/sharing/dispersal.h ---- */
/*
 * The records of a dispersed file, for both directions. A record is
 *
 *     size of the stripe's data, its top bit set in the last (4) | part | tag (16)
 */
#ifndef TALLY_SHARING_DISPERSAL_H
#define TALLY_SHARING_DISPERSAL_H

/* ---- core/sharing/shares.h ---- */
/*
 * Authentic shares for use inside the core. */
#ifndef TALLY_SHARING_SHARES_H
#define TALLY_SHARING_SHARES_H

/* ---- core/sharing/share_format.h ---- */
/*
 * The bytes of an authentic share, as docs/reference/share-format.md has them:
 *
 *     header | label | name of the set (16) | path (16 for each level of the tree) | values
 *
 * where values are those of the polynomials of 16 bytes of randomness, then of the secret. */
#ifndef TALLY_SHARING_SHARE_FORMAT_H
#define TALLY_SHARING_SHARE_FORMAT_H

enum {
    TALLY_SHARE_HEADER = 14,
    TALLY_SHARE_HASH = 16,   /* bytes of a truncated SHA-256 */
    TALLY_SHARE_SALT = 16,   /* bytes of randomness that are shared before the secret */
    TALLY_SHARE_LEAVES = 256 /* leaves of the tree, 2^8 */
};

/* A hash tree over the shares of a set. Node 1 is the root, and nodes 2 i and 2 i + 1 are the
 * children of node i. The last 2^depth nodes are the leaves; leaves without a share are zeros. */
typedef struct tally_share_tree {
    size_t depth;
    uint8_t nodes[2 * TALLY_SHARE_LEAVES][TALLY_SHARE_HASH];
} tally_share_tree;

/* Reads a share, without comparing it with its set's name. 0: it is malformed. */
int tally_share_parse(const uint8_t *share, size_t size, tally_share *out);

/* Whether two shares have the same set, parameters and label. */
int tally_share_same_set(const tally_share *a, const tally_share *b);

int tally_shares_params_valid(const tally_shares_params *params);

/* The offsets of the path and of the values in a share. */
size_t tally_share_path_offset(const tally_shares_params *params);
size_t tally_share_values_offset(const tally_shares_params *params);

/* Writes a header. Index 0 gives the header that is hashed. */
void tally_share_write_header(const tally_shares_params *params, uint32_t index,
                              uint8_t out[TALLY_SHARE_HEADER]);

/* The key of the coefficients: a hash of parameters, label, salt and secret. */
void tally_shares_coins(const tally_shares_params *params, const uint8_t salt[TALLY_SHARE_SALT],
                        const uint8_t *secret, uint8_t key[32]);

/* Compute the leaf of share `index`: init, tally_sha256_update with all its values, final. */
void tally_share_leaf_init(uint32_t index, tally_sha256 *hash);
void tally_share_leaf_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH]);

/* Begins a tree. The caller then writes each leaf to its place, tally_share_tree_leaf. */
void tally_share_tree_init(tally_share_tree *tree, uint32_t count);
uint8_t *tally_share_tree_leaf(tally_share_tree *tree, uint32_t index);

/* Computes the nodes above the leaves, and the set's name. */
void tally_share_tree_final(tally_share_tree *tree, const tally_shares_params *params,
                            uint8_t set[TALLY_SHARES_SET]);

/* The path of a leaf: the siblings of the nodes from the leaf to the root, in this order. */
void tally_share_tree_path(const tally_share_tree *tree, uint32_t index, uint8_t *out);

/* The set's name that follows from a leaf and its path. */
void tally_share_set_from_path(const tally_shares_params *params, uint32_t index,
                               const uint8_t leaf[TALLY_SHARE_HASH], const uint8_t *path,
                               uint8_t set[TALLY_SHARES_SET]);

#endif

/* tally_shares_split with the caller's salt: a random one (dispersal), or a fixed one (test
 * vectors). The parameters must be valid. */
void tally_shares_split_salted(const tally_shares_params *params, const uint8_t *secret,
                               const uint8_t salt[TALLY_SHARE_SALT], uint8_t *const shares[]);

#endif

enum {
    TALLY_RECORD_HEADER = 4,
    TALLY_RECORD_TAG = 16,
    TALLY_RECORD_BATCH = 64 /* tags that are computed side by side, at most */
};

#define TALLY_RECORD_LAST (UINT32_C(1) << 31)

struct tally_dispersal {
    uint32_t threshold, count;
    tally_aes_key cipher;
    tally_cmac_key mac;
    uint8_t from[256],
        to[256];      /* the shares that the matrix computes from, and those it computes */
    size_t outputs;   /* rows of the matrix in use, of `threshold` bytes each */
    uint8_t matrix[]; /* count - threshold rows */
};

/* tally_dispersal_init with the caller's entropy, for test vectors. */
TALLY_MUST_CHECK tally_status tally_dispersal_init_with_entropy(
    const tally_shares_params *params, const uint8_t entropy[32],
    const uint8_t salt[TALLY_SHARE_SALT], const uint8_t *hedge, size_t hedge_size, void *memory,
    size_t memory_size, tally_dispersal **out, uint8_t *const key_shares[]);

/* The size of a part of a stripe with `size` bytes of data: a multiple of 16. */
static inline size_t tally_record_part(const tally_dispersal *dispersal, size_t size)
{
    const size_t blocks = (size_t)dispersal->threshold * 16;
    return (size + blocks - 1) / blocks * 16;
}

/* Computes the matrix that leads from the parts of `threshold` shares to those of `outputs` others,
 * unless it is the current one. */
void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs);

/* The first block that a tag authenticates: the stripe, the record's header, the share. */
void tally_record_first_block(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER],
                              uint8_t index, uint8_t out[16]);

/* Encrypts or decrypts a part, which begins at byte `at` of its stripe, a multiple of 16. */
void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out);

#endif

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

/* ---- core/aes/key.h ---- */
/*
 * Keys of a constant size, for use inside the core: these functions cannot fail. */
#ifndef TALLY_AES_KEY_H
#define TALLY_AES_KEY_H

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out);
void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out);
void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out);

#endif

static const uint8_t dispersal_key_tag[16] = "tallystick file";
static const uint8_t dispersal_keys_info[16] = "tallystick keys";

void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs)
{
    if (dispersal->outputs == outputs && memcmp(dispersal->to, to, outputs) == 0 &&
        memcmp(dispersal->from, from, dispersal->threshold) == 0) {
        return;
    }
    memcpy(dispersal->from, from, dispersal->threshold);
    memcpy(dispersal->to, to, outputs);
    dispersal->outputs = outputs;
    (void)!tally_reed_solomon_matrix(from, dispersal->threshold, to, outputs, dispersal->matrix);
}

/* The matrix of an encoder: from the first `threshold` parts, which are the data, to all others. A
 * decoder may have left another one. */
static void dispersal_encoder_matrix(tally_dispersal *dispersal)
{
    const size_t threshold = dispersal->threshold;
    uint8_t shares[256];
    for (size_t i = 0; i < dispersal->count; i++) {
        shares[i] = (uint8_t)(i + 1);
    }
    if (dispersal->count > threshold) {
        tally_record_matrix(dispersal, shares, shares + threshold, dispersal->count - threshold);
    }
}

static int dispersal_params_valid(const tally_shares_params *params)
{
    return tally_shares_params_valid(params) && params->kind == TALLY_SHARES_FILE &&
           params->secret_size == TALLY_DISPERSAL_KEY;
}

size_t tally_dispersal_size(const tally_shares_params *params)
{
    if (!dispersal_params_valid(params)) {
        return 0;
    }
    return sizeof(tally_dispersal) + _Alignof(tally_dispersal) - 1 +
           (size_t)params->threshold * (params->count - params->threshold);
}

/* Checks the arguments of an initialization. Returns the dispersal's place in `memory`, or NULL. */
static tally_dispersal *dispersal_place(const tally_shares_params *params, void *memory,
                                        size_t memory_size)
{
    if (!dispersal_params_valid(params) || memory == NULL ||
        memory_size < tally_dispersal_size(params)) {
        return NULL;
    }
    const size_t past = (uintptr_t)memory % _Alignof(tally_dispersal);
    return (void *)((uint8_t *)memory + (past == 0 ? 0 : _Alignof(tally_dispersal) - past));
}

/* Derives the keys of a file, and prepares for encoding. */
static void dispersal_set_up(const tally_shares_params *params, const uint8_t set[TALLY_SHARES_SET],
                             const uint8_t key[TALLY_DISPERSAL_KEY], tally_dispersal *out)
{
    uint8_t keys[64];
    const tally_status status =
        tally_hkdf_sha256(set, TALLY_SHARES_SET, key, TALLY_DISPERSAL_KEY, dispersal_keys_info,
                          sizeof dispersal_keys_info, keys, sizeof keys);
    (void)status; /* it fails for more bytes only */
    memset(out, 0, sizeof *out);
    out->threshold = params->threshold;
    out->count = params->count;
    tally_aes_key_init_256(keys, &out->cipher);
    tally_cmac_key_init_256(keys + 32, &out->mac);
    tally_wipe(keys, sizeof keys);
    dispersal_encoder_matrix(out);
}

tally_status tally_dispersal_init_with_entropy(const tally_shares_params *params,
                                               const uint8_t entropy[32],
                                               const uint8_t salt[TALLY_SHARE_SALT],
                                               const uint8_t *hedge, size_t hedge_size,
                                               void *memory, size_t memory_size,
                                               tally_dispersal **out, uint8_t *const key_shares[])
{
    uint8_t key[TALLY_DISPERSAL_KEY];
    tally_sha256 hash;
    tally_dispersal *dispersal = dispersal_place(params, memory, memory_size);
    if (dispersal == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, dispersal_key_tag, sizeof dispersal_key_tag);
    tally_sha256_update(&hash, entropy, 32);
    tally_sha256_update(&hash, hedge, hedge_size);
    tally_sha256_final(&hash, key);
    tally_shares_split_salted(params, key, salt, key_shares);
    dispersal_set_up(params, key_shares[0] + tally_share_path_offset(params) - TALLY_SHARES_SET,
                     key, dispersal);
    tally_wipe(key, sizeof key);
    *out = dispersal;
    return TALLY_OK;
}

tally_status tally_dispersal_init(const tally_shares_params *params, const uint8_t *hedge,
                                  size_t hedge_size, void *memory, size_t memory_size,
                                  tally_dispersal **out, uint8_t *const key_shares[])
{
    uint8_t random[32 + TALLY_SHARE_SALT];
    tally_status status = tally_entropy(random, sizeof random);
    if (status == TALLY_OK) {
        status = tally_dispersal_init_with_entropy(params, random, random + 32, hedge, hedge_size,
                                                   memory, memory_size, out, key_shares);
        tally_wipe(random, sizeof random);
    }
    return status;
}

tally_status tally_dispersal_init_with_key(const tally_share *share,
                                           const uint8_t key[TALLY_DISPERSAL_KEY], void *memory,
                                           size_t memory_size, tally_dispersal **out)
{
    tally_dispersal *dispersal = dispersal_place(&share->params, memory, memory_size);
    if (dispersal == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    dispersal_set_up(&share->params, share->set, key, dispersal);
    *out = dispersal;
    return TALLY_OK;
}

void tally_dispersal_wipe(tally_dispersal *dispersal)
{
    tally_wipe(dispersal, sizeof *dispersal); /* the matrix is public */
}

size_t tally_dispersal_share_count(const tally_dispersal *dispersal)
{
    return dispersal->count;
}

size_t tally_dispersal_stripe_size(const tally_dispersal *dispersal)
{
    return (size_t)dispersal->threshold * TALLY_DISPERSAL_PART;
}

size_t tally_dispersal_records_size(const tally_dispersal *dispersal, size_t size, int is_last)
{
    const size_t stripe = tally_dispersal_stripe_size(dispersal);
    size_t whole = size / stripe, left = size % stripe, bytes = whole * TALLY_DISPERSAL_RECORD;
    if (left != 0 || (is_last && size == 0)) {
        bytes += TALLY_RECORD_HEADER + tally_record_part(dispersal, left) + TALLY_RECORD_TAG;
    }
    return bytes;
}

void tally_record_first_block(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER],
                              uint8_t index, uint8_t out[16])
{
    memset(out, 0, 16);
    tally_store_be64(stripe, out);
    memcpy(out + 8, header, TALLY_RECORD_HEADER);
    out[12] = index;
}

void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out)
{
    uint8_t counter[16];
    tally_store_be64(stripe, counter);
    tally_store_be64(at / 16, counter + 8);
    tally_aes_ctr(&dispersal->cipher, counter, in, size, out);
}

/* Encrypts the parts of one stripe, and computes the parts of the other shares. */
static void dispersal_encode_stripe(const tally_dispersal *dispersal, uint64_t stripe,
                                    const uint8_t *data, size_t size, size_t part,
                                    uint8_t *const parts[])
{
    const size_t threshold = dispersal->threshold;
    const uint8_t *in[128 * 2];
    if (part == 0) { /* an empty file, whose data may be NULL */
        return;
    }
    for (size_t i = 0; i < threshold; i++) {
        const size_t at = i * part, some = at >= size ? 0 : size - at < part ? size - at : part;
        if (some < part) { /* the end of the last part is filled with zeros */
            memset(parts[i] + some, 0, part - some);
            if (some != 0) {
                memcpy(parts[i], data + at, some);
            }
            tally_record_crypt(dispersal, stripe, at, parts[i], part, parts[i]);
        } else {
            tally_record_crypt(dispersal, stripe, at, data + at, part, parts[i]);
        }
        in[i] = parts[i];
    }
    if (dispersal->count > threshold) {
        tally_reed_solomon_apply(dispersal->matrix, in, threshold, dispersal->count - threshold,
                                 part, parts + threshold);
    }
}

/* Records without a tag so far. Their tags are computed side by side, so their parts have one
 * size. */
typedef struct dispersal_tag_batch {
    size_t count, part;
    uint8_t first_blocks[TALLY_RECORD_BATCH][16];
    uint8_t *parts[TALLY_RECORD_BATCH];
} dispersal_tag_batch;

static void dispersal_write_tags(const tally_dispersal *dispersal, dispersal_tag_batch *batch)
{
    uint8_t tags[TALLY_RECORD_BATCH][16];
    const uint8_t *parts[TALLY_RECORD_BATCH];
    for (size_t i = 0; i < batch->count; i++) {
        parts[i] = batch->parts[i];
    }
    tally_cmac_with_heads(&dispersal->mac, (const uint8_t(*)[16])batch->first_blocks, parts,
                          batch->part, batch->count, tags);
    for (size_t i = 0; i < batch->count; i++) {
        memcpy(batch->parts[i] + batch->part, tags[i], TALLY_RECORD_TAG);
    }
    batch->count = 0;
}

tally_status tally_dispersal_encode(tally_dispersal *dispersal, uint64_t stripe,
                                    const uint8_t *data, size_t size, int is_last,
                                    uint8_t *const records[])
{
    const size_t most = tally_dispersal_stripe_size(dispersal);
    dispersal_tag_batch batch = {.count = 0};
    if (!is_last && (size == 0 || size % most != 0)) {
        return TALLY_ERROR_ARGUMENT;
    }
    dispersal_encoder_matrix(dispersal);
    for (size_t done = 0, at = 0; done < size || (is_last && at == 0); stripe++) {
        const size_t some = size - done < most ? size - done : most;
        const size_t part = tally_record_part(dispersal, some);
        const int ends = is_last && done + some == size;
        uint8_t *parts[256], header[TALLY_RECORD_HEADER];
        tally_store_be32((uint32_t)some | (ends ? TALLY_RECORD_LAST : 0), header);
        for (size_t i = 0; i < dispersal->count; i++) {
            memcpy(records[i] + at, header, sizeof header);
            parts[i] = records[i] + at + sizeof header;
        }
        dispersal_encode_stripe(dispersal, stripe, some == 0 ? NULL : data + done, some, part,
                                parts);
        if (part != batch.part) {
            dispersal_write_tags(dispersal, &batch);
            batch.part = part;
        }
        for (size_t i = 0; i < dispersal->count; i++) {
            if (batch.count == TALLY_RECORD_BATCH) {
                dispersal_write_tags(dispersal, &batch);
            }
            batch.parts[batch.count] = parts[i];
            tally_record_first_block(stripe, header, (uint8_t)(i + 1),
                                     batch.first_blocks[batch.count++]);
        }
        done += some;
        at += sizeof header + part + TALLY_RECORD_TAG;
    }
    dispersal_write_tags(dispersal, &batch);
    return TALLY_OK;
}

/* ---- core/sharing/dispersal_decode.c ---- */
/*
 * Dispersal: the decoder. */

enum { DISPERSAL_DECODE_RECORDS = 255 /* that are verified together; one stripe has no more */ };

/* The records of some stripes. Entry k * count + i is the record of stripe k in share
 * indices[i]. */
typedef struct dispersal_decode_window {
    tally_dispersal *dispersal;
    uint64_t stripe;
    const uint8_t *indices;
    size_t count;
    const uint8_t *records[DISPERSAL_DECODE_RECORDS]; /* NULL: the share has no whole one */
    uint32_t headers[DISPERSAL_DECODE_RECORDS];
    uint8_t good[DISPERSAL_DECODE_RECORDS];
} dispersal_decode_window;

/* Finds the record of a stripe in a share: a full one, or the last one, which may be shorter. What
 * follows the last one, such as a newline of an editor, does no harm: its tag says that it is the
 * last. Returns NULL if there is none. */
static const uint8_t *dispersal_decode_find(const tally_dispersal *dispersal, size_t place,
                                            const uint8_t *records, size_t size, uint32_t *header)
{
    const size_t most = tally_dispersal_stripe_size(dispersal);
    const size_t at = place * TALLY_DISPERSAL_RECORD;
    if (at > size || size - at < TALLY_RECORD_HEADER + TALLY_RECORD_TAG) {
        return NULL;
    }
    *header = tally_load_be32(records + at);
    const size_t data = *header & ~TALLY_RECORD_LAST;
    const size_t part = tally_record_part(dispersal, data);
    const size_t whole = TALLY_RECORD_HEADER + part + TALLY_RECORD_TAG;
    if (data > most || whole > size - at || ((*header & TALLY_RECORD_LAST) == 0 && data != most)) {
        return NULL;
    }
    return records + at;
}

/* Compares in constant time. */
static int dispersal_decode_equal(const uint8_t a[TALLY_RECORD_TAG],
                                  const uint8_t b[TALLY_RECORD_TAG])
{
    uint8_t differ = 0;
    for (size_t i = 0; i < TALLY_RECORD_TAG; i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Records to be verified. Their tags are computed side by side, so their parts have one size. */
typedef struct dispersal_decode_batch {
    size_t count, part, entries[TALLY_RECORD_BATCH];
    uint8_t first_blocks[TALLY_RECORD_BATCH][16];
    const uint8_t *parts[TALLY_RECORD_BATCH];
} dispersal_decode_batch;

static void dispersal_decode_verify_batch(dispersal_decode_window *window,
                                          dispersal_decode_batch *batch)
{
    uint8_t tags[TALLY_RECORD_BATCH][16];
    tally_cmac_with_heads(&window->dispersal->mac, (const uint8_t(*)[16])batch->first_blocks,
                          batch->parts, batch->part, batch->count, tags);
    for (size_t k = 0; k < batch->count; k++) {
        window->good[batch->entries[k]] =
            (uint8_t)dispersal_decode_equal(tags[k], batch->parts[k] + batch->part);
    }
    tally_wipe(tags, sizeof tags);
    batch->count = 0;
}

static void dispersal_decode_verify(dispersal_decode_window *window, size_t entries)
{
    dispersal_decode_batch batch = {.count = 0};
    memset(window->good, 0, sizeof window->good);
    for (size_t k = 0; k < entries; k++) {
        if (window->records[k] == NULL) {
            continue;
        }
        const size_t part =
            tally_record_part(window->dispersal, window->headers[k] & ~TALLY_RECORD_LAST);
        if (batch.count == TALLY_RECORD_BATCH || part != batch.part) {
            dispersal_decode_verify_batch(window, &batch);
            batch.part = part;
        }
        tally_record_first_block(window->stripe + k / window->count, window->records[k],
                                 window->indices[k % window->count],
                                 batch.first_blocks[batch.count]);
        batch.parts[batch.count] = window->records[k] + TALLY_RECORD_HEADER;
        batch.entries[batch.count++] = k;
    }
    dispersal_decode_verify_batch(window, &batch);
}

/* Decrypts stripe k of a window from `threshold` authentic parts. Missing parts of the data are
 * computed first. Returns the size of the stripe's data. */
static size_t dispersal_decode_stripe(const dispersal_decode_window *window, size_t k, uint8_t *out)
{
    tally_dispersal *dispersal = window->dispersal;
    const size_t threshold = dispersal->threshold;
    const uint8_t *of_share[256] = {NULL}, *in[DISPERSAL_DECODE_RECORDS];
    uint8_t from[DISPERSAL_DECODE_RECORDS], to[DISPERSAL_DECODE_RECORDS],
        *made[DISPERSAL_DECODE_RECORDS], last[TALLY_DISPERSAL_PART];
    uint32_t header = 0;
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (window->good[k * window->count + i]) {
            header = window->headers[k * window->count + i];
            of_share[window->indices[i]] =
                window->records[k * window->count + i] + TALLY_RECORD_HEADER;
        }
    }
    const size_t size = header & ~TALLY_RECORD_LAST, part = tally_record_part(dispersal, size);
    for (size_t share = 1; share <= dispersal->count; share++) {
        const size_t at = (share - 1) * part;
        if (of_share[share] != NULL && inputs < threshold) {
            from[inputs] = (uint8_t)share;
            in[inputs++] = of_share[share];
        } else if (share <= threshold && at < size) {
            to[outputs] = (uint8_t)share;
            made[outputs++] = size - at < part ? last : out + at;
        }
    }
    if (outputs != 0) {
        tally_record_matrix(dispersal, from, to, outputs);
        tally_reed_solomon_apply(dispersal->matrix, in, threshold, outputs, part, made);
    }
    for (size_t i = 0; i < outputs; i++) {
        of_share[to[i]] = made[i];
    }
    for (size_t at = 0, share = 1; at < size; at += part, share++) {
        const size_t some = size - at < part ? size - at : part;
        tally_record_crypt(dispersal, window->stripe + k, at, of_share[share], some, out + at);
    }
    return size;
}

/* Counts the authentic records of stripe k. Records whose header differs from the first one do not
 * count, and are no longer good. */
static size_t dispersal_decode_count(dispersal_decode_window *window, size_t k, uint32_t *header)
{
    size_t good = 0;
    for (size_t i = 0; i < window->count; i++) {
        const size_t entry = k * window->count + i;
        *header = window->good[entry] && good == 0 ? window->headers[entry] : *header;
        window->good[entry] &= window->headers[entry] == *header;
        good += window->good[entry];
    }
    return good;
}

static int dispersal_decode_indices_valid(const tally_dispersal *dispersal, const uint8_t *indices,
                                          size_t count)
{
    uint8_t used[256] = {1};
    for (size_t i = 0; i < count; i++) {
        if (i == DISPERSAL_DECODE_RECORDS || indices[i] > dispersal->count ||
            used[indices[i]]++ != 0) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                    const uint8_t *indices, const uint8_t *const records[],
                                    const size_t sizes[], size_t count, uint8_t *out,
                                    uint64_t *damaged, tally_dispersal_found *found)
{
    dispersal_decode_window window = {.dispersal = dispersal, .indices = indices, .count = count};
    if (!dispersal_decode_indices_valid(dispersal, indices, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    const size_t together =
        count == 0 || count > TALLY_RECORD_BATCH ? 1 : TALLY_RECORD_BATCH / count;
    while (found->stripes < stripes && !found->is_last) {
        const size_t first = found->stripes, left = stripes - first;
        const size_t places = left < together ? left : together;
        window.stripe = stripe + first;
        for (size_t k = 0; k < places * count; k++) {
            window.headers[k] = 0;
            window.records[k] =
                dispersal_decode_find(dispersal, first + k / count, records[k % count],
                                      sizes[k % count], &window.headers[k]);
        }
        dispersal_decode_verify(&window, places * count);
        for (size_t k = 0; k < places && !found->is_last; k++) {
            uint32_t header = 0;
            if (dispersal_decode_count(&window, k, &header) < dispersal->threshold) {
                for (size_t i = 0; i < count; i++) {
                    found->missing[indices[i] / 8] |=
                        (uint8_t)(!window.good[k * count + i] << indices[i] % 8);
                }
                return TALLY_ERROR_SHARES_FEW;
            }
            for (size_t i = 0; i < count; i++) {
                damaged[i] += !window.good[k * count + i];
            }
            found->size += dispersal_decode_stripe(&window, k, out + found->size);
            found->is_last = (header & TALLY_RECORD_LAST) != 0;
            found->stripes++;
        }
    }
    return TALLY_OK;
}

/* ---- core/sharing/reed_solomon.c ---- */
/*
 * Reed-Solomon by interpolation: a row of a matrix is Lagrange's weights for one point. */

/* ---- core/gf256/gf256.h ---- */
/*
 * Vectors over GF(2^8). Addition is exclusive or. No function has a branch or an address that
 * depends on a byte of data. Constants (coordinates, weights, matrices) are public. */
#ifndef TALLY_GF256_GF256_H
#define TALLY_GF256_GF256_H

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
 * The last back end of a table needs no CPU feature. It may be NULL, where a module has other code for
 * every CPU. */
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

/* The first back end of a table that needs no CPU features but these, or else the last one. Cast the
 * result to the module's struct. */
static inline const tally_backend *tally_dispatch_within(const tally_backend *const table[],
                                                         size_t count, uint32_t features)
{
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

/* The first back end of a table that lacks nothing. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    return tally_dispatch_within(table, count, tally_cpu_features());
}

#endif

enum { TALLY_GF256_POINTS = 255 /* points of a polynomial at most: all elements but zero */ };

/* The functions of a back end. To add one, define this struct in a new file, declare it below, and
 * add a row to the table in gf256.c. Outputs begin at out[j] + offset and overlap no input. */
struct tally_gf256_backend {
    tally_backend backend;

    /* out[i] = a[i] * b[i], i < size. `out` may equal `a` or `b`. */
    void (*multiply)(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                     uint8_t *out);

    /* Evaluates `size` polynomials of `terms` (at least 2) coefficients at `count` points:
     * out[j][offset + b] = constants[b] + sum over i from 1 of
     * coefficients[(i - 1) * stride + b] * x[j]^i. */
    void (*evaluate)(tally_gf256_field field, const uint8_t *constants, const uint8_t *coefficients,
                     size_t stride, size_t terms, const uint8_t *x, size_t count, size_t size,
                     uint8_t *const out[], size_t offset);

    /* Linear combinations of the inputs: out[j][offset + b] = sum over i < inputs of
     * matrix[j * inputs + i] * in[i][offset + b], for j < outputs and b < size. */
    void (*combine)(tally_gf256_field field, const uint8_t *matrix, const uint8_t *const in[],
                    size_t inputs, size_t outputs, size_t offset, size_t size,
                    uint8_t *const out[]);
};

extern const struct tally_gf256_backend tally_gf256_gfni_avx512;
extern const struct tally_gf256_backend tally_gf256_gfni_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_neon;
extern const struct tally_gf256_backend tally_gf256_portable;

/* multiply of the portable back end, for back ends that have no faster one. */
void tally_gf256_multiply(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                          uint8_t *out);

/* The best back end for the features in use. */
const struct tally_gf256_backend *tally_gf256(void);

/* The weights of Lagrange interpolation: the polynomial through (x[i], y[i]), i < count, has the
 * value sum of weights[i] * y[i] at `target`. The x[i] are distinct, and none equals `target`. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights);

/* Copies the lowest bit of each byte to all bits of that byte. It does not multiply: on some CPUs
 * the time of a multiplication depends on its operands. */
static inline uint64_t tally_gf256_spread(uint64_t eight)
{
    eight &= UINT64_C(0x0101010101010101);
    return (eight << 8) - eight;
}

/* Each of eight bytes times 2. */
static inline uint64_t tally_gf256_double(tally_gf256_field field, uint64_t eight)
{
    const uint64_t reduction = ((unsigned)field & 0xFF) * UINT64_C(0x0101010101010101);
    return (eight << 1 & UINT64_C(0xFEFEFEFEFEFEFEFE)) ^
           (tally_gf256_spread(eight >> 7) & reduction);
}

/* The products of a constant with 1, 2, 4, ..., 128. */
static inline void tally_gf256_multiples(tally_gf256_field field, uint8_t constant,
                                         uint8_t multiples[8])
{
    uint64_t power = constant;
    for (size_t bit = 0; bit < 8; bit++, power = tally_gf256_double(field, power)) {
        multiples[bit] = (uint8_t)power;
    }
}

#endif

enum {
    REED_SOLOMON_CHUNK = 1 << 18 /* bytes of inputs that the L2 cache holds for all outputs */
};

tally_status tally_reed_solomon_matrix(const uint8_t *from, size_t inputs, const uint8_t *to,
                                       size_t outputs, uint8_t *matrix)
{
    uint8_t used[256] = {1};
    if (inputs < 1 || inputs > TALLY_GF256_POINTS || outputs < 1 || outputs > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < inputs + outputs; i++) {
        if (used[i < inputs ? from[i] : to[i - inputs]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    for (size_t j = 0; j < outputs; j++) {
        tally_gf256_weights(TALLY_GF256_AES, from, inputs, to[j], matrix + j * inputs);
    }
    return TALLY_OK;
}

void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[], size_t inputs,
                              size_t outputs, size_t size, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t most = (REED_SOLOMON_CHUNK / inputs + 63) / 64 * 64;
    for (size_t done = 0; done < size; done += most) {
        gf->combine(TALLY_GF256_AES, matrix, in, inputs, outputs, done,
                    size - done < most ? size - done : most, out);
    }
}

/* ---- core/sharing/shamir.c ---- */
/*
 * Shamir's secret sharing, raw: Vault's layout. */

/* ---- core/sharing/shamir.h ---- */
/*
 * Shamir's secret sharing for use inside the core: polynomials whose coefficients are a stream. */
#ifndef TALLY_SHARING_SHAMIR_H
#define TALLY_SHARING_SHAMIR_H

/* Evaluates `size` polynomials of degree threshold - 1 at x[0..count): out[j][b] is f_b(x[j]).
 * f_b(0) is secret[b]. The coefficient of x^i is byte first + b of the counter mode stream of `key`
 * that begins with counter i * 2^64. `first` is a multiple of 16. */
void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[]);

#endif

enum {
    SHAMIR_KEY = 32,
    SHAMIR_STREAM = 16384, /* bytes of coefficients that are computed at a time */
    SHAMIR_CHUNK = 4096,   /* bytes of the secret at a time, at most: the L1 cache holds them */
    SHAMIR_PREFETCH_STEP = 512,  /* bytes of a stream between two prefetches */
    SHAMIR_PREFETCH_OUTPUTS = 8, /* more outputs are not prefetched */
    SHAMIR_DRAW = 64             /* random bytes for coordinates, at a time */
};

/* Computes `size` bytes of the stream of one coefficient, from byte `first` on. Meanwhile it
 * prefetches the lines of the outputs that the evaluation will write: AES keeps the CPU busy and
 * the evaluation waits for memory. */
static void shamir_stream(const tally_aes_key *key, uint64_t coefficient, size_t first, size_t size,
                          uint8_t *stream, uint8_t *const out[], size_t outputs, size_t at)
{
    uint8_t counter[16];
    tally_store_be64(coefficient, counter);
    tally_store_be64(first / 16, counter + 8);
    for (size_t done = 0, some; done < size; done += some) {
        some = size - done < SHAMIR_PREFETCH_STEP ? size - done : SHAMIR_PREFETCH_STEP;
        tally_aes_ctr(key, counter, NULL, some, stream + done);
#if defined(__GNUC__)
        for (size_t j = 0; j < outputs; j++) {
            for (size_t line = 0; line < some; line += 64) {
                __builtin_prefetch(out[j] + at + done + line, 1);
            }
        }
#else
        (void)out;
        (void)outputs;
        (void)at;
#endif
    }
}

void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t prefetched = size > SHAMIR_CHUNK && count <= SHAMIR_PREFETCH_OUTPUTS ? count : 0;
    uint8_t stream[SHAMIR_STREAM];
    size_t stride = SHAMIR_STREAM / (threshold - 1) / 64 * 64, used = 0;
    stride = stride < SHAMIR_CHUNK ? stride : SHAMIR_CHUNK;
    for (size_t done = 0; done < size; done += used) {
        used = size - done < stride ? size - done : stride;
        for (size_t i = 1; i < threshold; i++) {
            shamir_stream(key, i, first + done, used, stream + (i - 1) * stride, out,
                          i == 1 ? prefetched : 0, done);
        }
        gf->evaluate(field, secret + done, stream, stride, threshold, x, count, used, out, done);
    }
    tally_wipe(stream, size < stride ? (threshold - 2) * stride + size : sizeof stream);
}

/* Distinct coordinates: the first `count` numbers of a random permutation of 1..255 (Durstenfeld's
 * shuffle). To choose among n numbers, bytes from the largest multiple of n on are rejected, so
 * that no number is likelier. Coordinates are public. */
static void shamir_draw_coordinates(const tally_aes_key *key, size_t count, uint8_t *x)
{
    uint8_t left[TALLY_GF256_POINTS], drawn[SHAMIR_DRAW], counter[16] = {0};
    size_t next = SHAMIR_DRAW;
    for (size_t i = 0; i < TALLY_GF256_POINTS; i++) {
        left[i] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < count;) {
        const unsigned choices = (unsigned)(TALLY_GF256_POINTS - i);
        if (next == SHAMIR_DRAW) {
            tally_aes_ctr(key, counter, NULL, SHAMIR_DRAW, drawn);
            next = 0;
        }
        const unsigned byte = drawn[next++];
        if (byte < 256 - 256 % choices) {
            const size_t at = i + byte % choices;
            x[i] = left[at];
            left[at] = left[i];
            i++;
        }
    }
}

static int shamir_field_valid(tally_gf256_field field)
{
    return field == TALLY_GF256_AES || field == TALLY_GF256_RS;
}

tally_status tally_shamir_split(tally_gf256_field field, const uint8_t *secret, size_t size,
                                size_t threshold, size_t count, uint8_t *const shares[])
{
    uint8_t bytes[SHAMIR_KEY], x[TALLY_GF256_POINTS];
    tally_aes_key key;
    if (!shamir_field_valid(field) || size == 0 || threshold < 2 || threshold > count ||
        count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = tally_entropy(bytes, sizeof bytes);
    if (status != TALLY_OK) {
        return status;
    }
    tally_aes_key_init_256(bytes, &key);
    shamir_draw_coordinates(&key, count, x);
    tally_shamir_evaluate(field, &key, secret, 0, size, threshold, x, count, shares);
    for (size_t j = 0; j < count; j++) {
        shares[j][size] = x[j];
    }
    tally_wipe(bytes, sizeof bytes);
    tally_wipe(&key, sizeof key);
    return TALLY_OK;
}

tally_status tally_shamir_recover(tally_gf256_field field, const uint8_t *const shares[],
                                  size_t count, size_t share_size, uint8_t *secret)
{
    uint8_t x[TALLY_GF256_POINTS], weights[TALLY_GF256_POINTS], used[256] = {0};
    if (!shamir_field_valid(field) || share_size < 2 || count < 2 || count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    used[0] = 1;
    for (size_t i = 0; i < count; i++) {
        x[i] = shares[i][share_size - 1];
        if (used[x[i]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    tally_gf256_weights(field, x, count, 0, weights);
    tally_gf256()->combine(field, weights, shares, count, 1, 0, share_size - 1, &secret);
    return TALLY_OK;
}

/* ---- core/sharing/share_format.c ---- */
/*
 * The bytes of an authentic share, and its hashes. The first 16 bytes of each hash's input separate
 * the kinds of hashes. */

enum { SHARE_FORMAT_TAG = 16, SHARE_FORMAT_VERSION = 1 };

static const uint8_t share_format_magic[4] = {'T', 'S', 'S', 'H'};
static const uint8_t share_format_coins_tag[SHARE_FORMAT_TAG] = "tallystick coin";
static const uint8_t share_format_leaf_tag[SHARE_FORMAT_TAG] = "tallystick leaf";
static const uint8_t share_format_node_tag[SHARE_FORMAT_TAG] = "tallystick node";
static const uint8_t share_format_set_tag[SHARE_FORMAT_TAG] = "tallystick set";

static size_t share_format_depth(uint32_t count)
{
    size_t depth = 0;
    while ((UINT32_C(1) << depth) < count) {
        depth++;
    }
    return depth;
}

int tally_shares_params_valid(const tally_shares_params *params)
{
    return params->kind <= TALLY_SHARES_FILE && params->threshold >= 2 &&
           params->threshold <= params->count && params->count <= 255 && params->secret_size >= 1 &&
           params->secret_size <= TALLY_SHARES_MAX_SECRET &&
           params->label_size <= TALLY_SHARES_MAX_LABEL;
}

size_t tally_share_path_offset(const tally_shares_params *params)
{
    return TALLY_SHARE_HEADER + params->label_size + TALLY_SHARES_SET;
}

size_t tally_share_values_offset(const tally_shares_params *params)
{
    return tally_share_path_offset(params) + TALLY_SHARE_HASH * share_format_depth(params->count);
}

size_t tally_shares_size(const tally_shares_params *params)
{
    if (!tally_shares_params_valid(params)) {
        return 0;
    }
    return tally_share_values_offset(params) + TALLY_SHARE_SALT + params->secret_size;
}

void tally_share_write_header(const tally_shares_params *params, uint32_t index,
                              uint8_t out[TALLY_SHARE_HEADER])
{
    memcpy(out, share_format_magic, sizeof share_format_magic);
    out[4] = SHARE_FORMAT_VERSION;
    out[5] = (uint8_t)params->kind;
    out[6] = (uint8_t)params->threshold;
    out[7] = (uint8_t)params->count;
    out[8] = (uint8_t)index;
    out[9] = (uint8_t)params->label_size;
    tally_store_be32(params->secret_size, out + 10);
}

/* Begins a hash over the parameters of a set. */
static void share_format_hash_init(const uint8_t tag[SHARE_FORMAT_TAG],
                                   const tally_shares_params *params, tally_sha256 *hash)
{
    uint8_t header[TALLY_SHARE_HEADER];
    tally_share_write_header(params, 0, header);
    tally_sha256_init(hash);
    tally_sha256_update(hash, tag, SHARE_FORMAT_TAG);
    tally_sha256_update(hash, header, sizeof header);
    tally_sha256_update(hash, params->label, params->label_size);
}

static void share_format_hash_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    uint8_t digest[32];
    tally_sha256_final(hash, digest);
    memcpy(out, digest, TALLY_SHARE_HASH);
}

void tally_shares_coins(const tally_shares_params *params, const uint8_t salt[TALLY_SHARE_SALT],
                        const uint8_t *secret, uint8_t key[32])
{
    tally_sha256 hash;
    share_format_hash_init(share_format_coins_tag, params, &hash);
    tally_sha256_update(&hash, salt, TALLY_SHARE_SALT);
    tally_sha256_update(&hash, secret, params->secret_size);
    tally_sha256_final(&hash, key);
}

void tally_share_leaf_init(uint32_t index, tally_sha256 *hash)
{
    const uint8_t number = (uint8_t)index;
    tally_sha256_init(hash);
    tally_sha256_update(hash, share_format_leaf_tag, SHARE_FORMAT_TAG);
    tally_sha256_update(hash, &number, 1);
}

void tally_share_leaf_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    share_format_hash_final(hash, out);
}

static void share_format_node(const uint8_t left[TALLY_SHARE_HASH],
                              const uint8_t right[TALLY_SHARE_HASH], uint8_t out[TALLY_SHARE_HASH])
{
    tally_sha256 hash;
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, share_format_node_tag, SHARE_FORMAT_TAG);
    tally_sha256_update(&hash, left, TALLY_SHARE_HASH);
    tally_sha256_update(&hash, right, TALLY_SHARE_HASH);
    share_format_hash_final(&hash, out);
}

static void share_format_set(const tally_shares_params *params, const uint8_t top[TALLY_SHARE_HASH],
                             uint8_t set[TALLY_SHARES_SET])
{
    tally_sha256 hash;
    share_format_hash_init(share_format_set_tag, params, &hash);
    tally_sha256_update(&hash, top, TALLY_SHARE_HASH);
    share_format_hash_final(&hash, set);
}

void tally_share_tree_init(tally_share_tree *tree, uint32_t count)
{
    memset(tree, 0, sizeof *tree);
    tree->depth = share_format_depth(count);
}

uint8_t *tally_share_tree_leaf(tally_share_tree *tree, uint32_t index)
{
    return tree->nodes[((size_t)1 << tree->depth) + index - 1];
}

void tally_share_tree_final(tally_share_tree *tree, const tally_shares_params *params,
                            uint8_t set[TALLY_SHARES_SET])
{
    for (size_t node = (size_t)1 << tree->depth; node-- > 1;) {
        share_format_node(tree->nodes[2 * node], tree->nodes[2 * node + 1], tree->nodes[node]);
    }
    share_format_set(params, tree->nodes[1], set);
}

void tally_share_tree_path(const tally_share_tree *tree, uint32_t index, uint8_t *out)
{
    size_t node = ((size_t)1 << tree->depth) + index - 1;
    for (; node > 1; node /= 2, out += TALLY_SHARE_HASH) {
        memcpy(out, tree->nodes[node ^ 1], TALLY_SHARE_HASH);
    }
}

void tally_share_set_from_path(const tally_shares_params *params, uint32_t index,
                               const uint8_t leaf[TALLY_SHARE_HASH], const uint8_t *path,
                               uint8_t set[TALLY_SHARES_SET])
{
    uint8_t node[TALLY_SHARE_HASH];
    memcpy(node, leaf, sizeof node);
    for (size_t level = 0; level < share_format_depth(params->count);
         level++, path += TALLY_SHARE_HASH) {
        if (((index - 1) >> level & 1) == 0) {
            share_format_node(node, path, node);
        } else {
            share_format_node(path, node, node);
        }
    }
    share_format_set(params, node, set);
}

int tally_share_parse(const uint8_t *share, size_t size, tally_share *out)
{
    if (size < TALLY_SHARE_HEADER ||
        memcmp(share, share_format_magic, sizeof share_format_magic) != 0 ||
        share[4] != SHARE_FORMAT_VERSION) {
        return 0;
    }
    out->params = (tally_shares_params){.kind = share[5],
                                        .threshold = share[6],
                                        .count = share[7],
                                        .label_size = share[9],
                                        .secret_size = tally_load_be32(share + 10),
                                        .label = share + TALLY_SHARE_HEADER};
    out->index = share[8];
    out->size = (uint32_t)tally_shares_size(&out->params);
    if (out->size == 0 || out->index < 1 || out->index > out->params.count || size < out->size ||
        (size > out->size && out->params.kind != TALLY_SHARES_FILE)) {
        return 0;
    }
    memcpy(out->set, share + tally_share_path_offset(&out->params) - TALLY_SHARES_SET,
           TALLY_SHARES_SET);
    return 1;
}

int tally_share_same_set(const tally_share *a, const tally_share *b)
{
    uint8_t headers[2][TALLY_SHARE_HEADER];
    tally_share_write_header(&a->params, 0, headers[0]);
    tally_share_write_header(&b->params, 0, headers[1]);
    return memcmp(a->set, b->set, TALLY_SHARES_SET) == 0 &&
           memcmp(headers[0], headers[1], TALLY_SHARE_HEADER) == 0 &&
           memcmp(a->params.label, b->params.label, a->params.label_size) == 0;
}

tally_share_verdict tally_shares_read(const uint8_t *share, size_t size, tally_share *out)
{
    uint8_t leaf[TALLY_SHARE_HASH], set[TALLY_SHARES_SET];
    tally_sha256 hash;
    if (!tally_share_parse(share, size, out)) {
        memset(out, 0, sizeof *out);
        return TALLY_SHARE_MALFORMED;
    }
    const size_t values = tally_share_values_offset(&out->params);
    tally_share_leaf_init(out->index, &hash);
    tally_sha256_update(&hash, share + values, out->size - values);
    tally_share_leaf_final(&hash, leaf);
    tally_share_set_from_path(&out->params, out->index, leaf,
                              share + tally_share_path_offset(&out->params), set);
    return memcmp(set, out->set, sizeof set) == 0 ? TALLY_SHARE_GOOD : TALLY_SHARE_DAMAGED;
}

/* ---- core/sharing/shares.c ---- */
/*
 * Authentic shares: splitting, and recovery from the good ones among any. */

/* Recovery computes all shares of a set again, a block at a time. */
enum {
    SHARES_BLOCK_COUNT = 16, /* shares of a block */
    SHARES_BLOCK_SIZE = 256  /* bytes of each share */
};

/* Inputs that determine all values of a set. */
typedef struct shares_inputs {
    const tally_shares_params *params;
    tally_aes_key key;
    const uint8_t *salt, *secret;
} shares_inputs;

static void shares_inputs_init(const tally_shares_params *params, const uint8_t *salt,
                               const uint8_t *secret, shares_inputs *inputs)
{
    uint8_t key[32];
    tally_shares_coins(params, salt, secret, key);
    tally_aes_key_init_256(key, &inputs->key);
    inputs->params = params;
    inputs->salt = salt;
    inputs->secret = secret;
    tally_wipe(key, sizeof key);
}

/* Values first..first + size of the shares x[0..count). They are values of the salt or of the
 * secret, not of both: if `first` is 0, `size` is TALLY_SHARE_SALT. */
static void shares_evaluate(const shares_inputs *inputs, size_t first, size_t size,
                            const uint8_t *x, size_t count, uint8_t *const out[])
{
    const uint8_t *secret =
        first < TALLY_SHARE_SALT ? inputs->salt : inputs->secret + first - TALLY_SHARE_SALT;
    tally_shamir_evaluate(TALLY_GF256_AES, &inputs->key, secret, first, size,
                          inputs->params->threshold, x, count, out);
}

void tally_shares_split_salted(const tally_shares_params *params, const uint8_t *secret,
                               const uint8_t salt[TALLY_SHARE_SALT], uint8_t *const shares[])
{
    const size_t path = tally_share_path_offset(params), at = tally_share_values_offset(params);
    uint8_t x[TALLY_GF256_POINTS], *values[TALLY_GF256_POINTS], set[TALLY_SHARES_SET];
    tally_share_tree tree;
    tally_sha256 hash;
    shares_inputs inputs;
    for (uint32_t i = 0; i < params->count; i++) {
        x[i] = (uint8_t)(i + 1);
        values[i] = shares[i] + at;
    }
    shares_inputs_init(params, salt, secret, &inputs);
    shares_evaluate(&inputs, 0, TALLY_SHARE_SALT, x, params->count, values);
    for (uint32_t i = 0; i < params->count; i++) {
        values[i] += TALLY_SHARE_SALT;
    }
    shares_evaluate(&inputs, TALLY_SHARE_SALT, params->secret_size, x, params->count, values);
    tally_wipe(&inputs, sizeof inputs);
    tally_share_tree_init(&tree, params->count);
    for (uint32_t i = 0; i < params->count; i++) {
        tally_share_leaf_init(x[i], &hash);
        tally_sha256_update(&hash, shares[i] + at, TALLY_SHARE_SALT + params->secret_size);
        tally_share_leaf_final(&hash, tally_share_tree_leaf(&tree, x[i]));
    }
    tally_share_tree_final(&tree, params, set);
    for (uint32_t i = 0; i < params->count; i++) {
        tally_share_write_header(params, x[i], shares[i]);
        if (params->label_size != 0) {
            memcpy(shares[i] + TALLY_SHARE_HEADER, params->label, params->label_size);
        }
        memcpy(shares[i] + path - sizeof set, set, sizeof set);
        tally_share_tree_path(&tree, x[i], shares[i] + path);
    }
}

tally_status tally_shares_split(const tally_shares_params *params, const uint8_t *secret,
                                uint8_t *const shares[])
{
    uint8_t salt[TALLY_SHARE_SALT];
    if (!tally_shares_params_valid(params)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status = tally_entropy(salt, sizeof salt);
    if (status == TALLY_OK) {
        tally_shares_split_salted(params, secret, salt, shares);
        tally_wipe(salt, sizeof salt);
    }
    return status;
}

/* The name of the set that a split of these inputs gives. */
static void shares_compute_set(const shares_inputs *inputs, uint8_t set[TALLY_SHARES_SET])
{
    const tally_shares_params *params = inputs->params;
    const size_t size = TALLY_SHARE_SALT + params->secret_size;
    uint8_t made[SHARES_BLOCK_COUNT][SHARES_BLOCK_SIZE], x[SHARES_BLOCK_COUNT],
        *out[SHARES_BLOCK_COUNT];
    tally_sha256 hashes[SHARES_BLOCK_COUNT];
    tally_share_tree tree;
    tally_share_tree_init(&tree, params->count);
    for (uint32_t first = 1; first <= params->count; first += SHARES_BLOCK_COUNT) {
        const uint32_t left = params->count - first + 1;
        const size_t count = left < SHARES_BLOCK_COUNT ? left : SHARES_BLOCK_COUNT;
        for (size_t j = 0; j < count; j++) {
            x[j] = (uint8_t)(first + j);
            tally_share_leaf_init(x[j], &hashes[j]);
        }
        for (size_t at = 0, some; at < size; at += some) {
            some = at == 0                         ? TALLY_SHARE_SALT
                   : size - at < SHARES_BLOCK_SIZE ? size - at
                                                   : SHARES_BLOCK_SIZE;
            for (size_t j = 0; j < count; j++) {
                out[j] = made[j];
            }
            shares_evaluate(inputs, at, some, x, count, out);
            for (size_t j = 0; j < count; j++) {
                tally_sha256_update(&hashes[j], made[j], some);
            }
        }
        for (size_t j = 0; j < count; j++) {
            tally_share_leaf_final(&hashes[j], tally_share_tree_leaf(&tree, x[j]));
        }
    }
    tally_wipe(made, sizeof made);
    tally_share_tree_final(&tree, params, set);
}

/* The indices of a set that occurred so far. A counter would overflow: a share may be given more
 * than 255 times. */
typedef struct shares_indices {
    uint8_t seen[256];
} shares_indices;

/* Whether an index occurs for the first time. */
static int shares_is_first(shares_indices *all, uint32_t index)
{
    const int first = all->seen[index] == 0;
    all->seen[index] = 1;
    return first;
}

/* Chooses the set with enough good shares, or else with most of them. Writes `found`. */
static void shares_choose_set(const uint8_t *const shares[], const size_t sizes[], size_t count,
                              const tally_share_verdict *verdicts, tally_shares_found *found)
{
    for (size_t i = 0; i < count; i++) {
        tally_share one, other;
        shares_indices used = {{0}};
        uint32_t good = 0;
        int is_new = 1;
        if (verdicts[i] != TALLY_SHARE_GOOD) {
            continue;
        }
        (void)tally_share_parse(shares[i], sizes[i], &one);
        for (size_t k = 0; k < count && is_new; k++) {
            if (verdicts[k] == TALLY_SHARE_GOOD && tally_share_parse(shares[k], sizes[k], &other) &&
                tally_share_same_set(&one, &other)) {
                is_new = k >= i;
                good += (uint32_t)shares_is_first(&used, other.index);
            }
        }
        if (!is_new) {
            continue;
        }
        const uint32_t enough = good >= one.params.threshold;
        if (found->first.size == 0 || (enough && found->sets == 0) ||
            (enough == (found->sets > 0) && good > found->good)) {
            found->first = one;
            found->good = good;
        }
        found->sets += enough;
    }
}

/* Recovers secret and salt from `threshold` shares. Then the set that they give must be that of
 * `any`: otherwise the dealer did not follow the scheme. */
static tally_status shares_recover(const tally_share *any, const uint8_t *x,
                                   const uint8_t *values[], uint8_t *secret)
{
    const tally_shares_params *params = &any->params;
    const struct tally_gf256_backend *gf = tally_gf256();
    uint8_t weights[TALLY_GF256_POINTS], salt[TALLY_SHARE_SALT], *out = salt;
    uint8_t set[TALLY_SHARES_SET];
    shares_inputs inputs;
    tally_gf256_weights(TALLY_GF256_AES, x, params->threshold, 0, weights);
    gf->combine(TALLY_GF256_AES, weights, values, params->threshold, 1, 0, TALLY_SHARE_SALT, &out);
    for (uint32_t i = 0; i < params->threshold; i++) {
        values[i] += TALLY_SHARE_SALT;
    }
    gf->combine(TALLY_GF256_AES, weights, values, params->threshold, 1, 0, params->secret_size,
                &secret);
    shares_inputs_init(params, salt, secret, &inputs);
    shares_compute_set(&inputs, set);
    tally_wipe(&inputs, sizeof inputs);
    tally_wipe(salt, sizeof salt);
    if (memcmp(set, any->set, sizeof set) != 0) {
        tally_wipe(secret, params->secret_size);
        return TALLY_ERROR_SHARES_FALSE;
    }
    return TALLY_OK;
}

tally_status tally_shares_recover(const uint8_t *const shares[], const size_t sizes[], size_t count,
                                  const uint8_t *set, tally_share_verdict *verdicts,
                                  tally_shares_found *found, uint8_t *secret,
                                  size_t secret_capacity)
{
    uint8_t checked[TALLY_SHARES_MAX_SECRET], x[TALLY_GF256_POINTS];
    shares_indices used = {{0}};
    const uint8_t *values[TALLY_GF256_POINTS];
    size_t chosen = 0;
    tally_share one;
    if (count > TALLY_SHARES_MAX_GIVEN) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        verdicts[i] = tally_shares_read(shares[i], sizes[i], &one);
        if (verdicts[i] == TALLY_SHARE_GOOD && set != NULL &&
            memcmp(set, one.set, TALLY_SHARES_SET) != 0) {
            verdicts[i] = TALLY_SHARE_FOREIGN;
        }
    }
    shares_choose_set(shares, sizes, count, verdicts, found);
    const tally_shares_params *params = &found->first.params;
    for (size_t i = 0; i < count; i++) {
        if (verdicts[i] != TALLY_SHARE_GOOD || !tally_share_parse(shares[i], sizes[i], &one)) {
            continue;
        }
        if (!tally_share_same_set(&one, &found->first)) {
            verdicts[i] = TALLY_SHARE_FOREIGN;
        } else if (!shares_is_first(&used, one.index)) {
            verdicts[i] = TALLY_SHARE_REPEATED;
        } else if (chosen < params->threshold) {
            x[chosen] = (uint8_t)one.index;
            values[chosen++] = shares[i] + tally_share_values_offset(params);
        }
    }
    if (found->sets != 1) {
        return found->sets == 0 ? TALLY_ERROR_SHARES_FEW : TALLY_ERROR_SHARES_SETS;
    }
    if (secret != NULL && secret_capacity < params->secret_size) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status =
        shares_recover(&found->first, x, values, secret != NULL ? secret : checked);
    if (secret == NULL) {
        tally_wipe(checked, params->secret_size);
    }
    return status;
}

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
 * Columns of a call: the input of a format, and the array that it makes. */
#ifndef TALLY_TOKENS_COLUMN_H
#define TALLY_TOKENS_COLUMN_H

/* ---- core/tokens/worker.h ---- */
/*
 * The common state of a worker's parts. */
#ifndef TALLY_TOKENS_WORKER_H
#define TALLY_TOKENS_WORKER_H

enum {
    TOKENS_KEY_SIZE = 32, /* at most */
    TOKENS_CIPHERS = 32,  /* of a worker, at most: one for each radix */
    TOKENS_SEQUENCES = 64 /* that a cipher caches */
};

struct tally_tokenizer {
    tally_allocator allocator;
    const tally_format *format;
    uint8_t key[TOKENS_KEY_SIZE];
    size_t key_size;                     /* 0: there is none */
    uint8_t cipher_key[TOKENS_KEY_SIZE]; /* of the same size: the cipher's */
    tally_on_invalid on_invalid;
    uint32_t rights; /* TALLY_MAY_PROTECT, TALLY_MAY_REVEAL */
    /* Of columns, and of rows with a tweak each: encode() of what tokens depend on, in the memory
     * behind the tokenizer, with zeros up to the end of an AES block. */
    uint32_t described_size[2]; /* without the zeros */
    const uint8_t *described[2];
    uint32_t head_size[2]; /* of part 1 of a tweak: that, or a plain cipher's own */
    const uint8_t *head[2];
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
    TOKENS_ORDER,   /* of a dictionary's entries, by their first rows */
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
    size_t capacity, block_size;
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

/* Begins a call: the run's direction and tweak, without rows' own tweaks. TALLY_ERROR_ONE_WAY,
 * TALLY_ERROR_READ_ONLY, TALLY_ERROR_PROTECT_ONLY, TALLY_ERROR_REVEAL_ONLY. */
tally_status tally_tokens_begin(tally_worker *worker, tally_direction direction,
                                const tally_strings *row_tweaks);

/* Ends it: wipes the pieces. */
void tally_tokens_end(tally_worker *worker);

/* A piece of at least `size` bytes; NULL: there is no memory. Its content is lost if it grows. */
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

/* The common state of a call's parts. */
typedef struct tokens_call {
    tally_worker *worker;
    const tally_strings *row_tweaks;
    const uint8_t *mask; /* a bitmap; NULL: none. A row of 0 is null: its parent is null */
    tally_counts counts; /* of this call */
    uint8_t *reasons;    /* receives those of the rows, and on_invalid is left out; or NULL */
    int in_clear;        /* results hold values, not tokens alone */
    tally_invalid *invalid;
    tally_problem *problem;
} tokens_call;

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
void *tally_tokens_offsets_capacity(tokens_call *call, tokens_result *result);

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

/* Handles invalid rows as on_invalid says, and counts. A row of the column that stands for no
 * row of the array becomes null if it is invalid. Afterwards status[i] says whether row i became
 * null. TALLY_ERROR_INVALID. */
tally_status tally_tokens_apply_on_invalid(tokens_call *call, const tokens_column *column,
                                           uint8_t *status, const tokens_use *uses,
                                           tokens_result *result);

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

/* The values of `count` rows of a result, those of `order` or, if it is NULL, the first ones, in a
 * result of `type`, which has memory of its own; equal values once, if it merges them. (*map)[i] is
 * the number of row i's value, or TOKENS_NO_ROW for a null; of other rows it is not set. */
tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const uint32_t *order, uint64_t count, int merges,
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
 * `result` is not NULL, it begins it, and writes the offsets to tally_tokens_offsets_capacity. */
tally_status tally_tokens_gather_views(tokens_call *call, const tally_array *array,
                                       const char *place, unsigned offsets_piece,
                                       unsigned values_piece, tokens_result *result,
                                       tokens_column *out);

#endif

/* The operations on an open array. */
typedef struct tokens_job {
    tally_worker *worker;
    tally_direction direction;
    const tally_array *values;
    const uint8_t *mask;       /* a bitmap of the values' rows: 0 makes a null; NULL: none */
    const tally_array *tweaks; /* NULL: there are none */
    const uint8_t *tweak_mask; /* the same of their rows */
    const uint32_t *repeat;    /* row i has the tweak of row repeat[i]; NULL: that of row i */
    const char *place;         /* where problems say that they are */
    uint8_t *reasons;          /* receives those of the rows, and on_invalid is left out; or NULL */
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

/* The type that is asked of a format: that of the values. */
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
    return schema->format != NULL ? schema->format : "";
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
        status = tally_tokens_apply_on_invalid(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        if (tally_arrow_is_text(&array->type) || !tally_arrow_is_text(&column.type)) {
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

/* reasons[i] is written where there are rows alone. */
static tally_status array_rows(tally_worker *worker, tally_direction direction,
                               const struct ArrowSchema *type, const struct ArrowArray *values,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    uint8_t none;
    return array_call(worker, direction, type, values, tweak_type, tweaks, out,
                      reasons != NULL ? reasons : &none, counts, NULL, problem);
}

tally_status tally_protect_rows(tally_worker *worker, const struct ArrowSchema *type,
                                const struct ArrowArray *values,
                                const struct ArrowSchema *tweak_type,
                                const struct ArrowArray *tweaks, struct ArrowArray *out,
                                uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    return array_rows(worker, TALLY_ENCRYPT, type, values, tweak_type, tweaks, out, reasons, counts,
                      problem);
}

tally_status tally_reveal_rows(tally_worker *worker, const struct ArrowSchema *type,
                               const struct ArrowArray *tokens,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    return array_rows(worker, TALLY_DECRYPT, type, tokens, tweak_type, tweaks, out, reasons, counts,
                      problem);
}

/* ---- core/tokens/check.c ---- */
/*
 * Whether a value is valid: it is protected under a key that is public, and the token is thrown
 * away, so that no rule stands twice. */

static tally_status check_value(const tally_format *format, tally_worker *worker,
                                const uint8_t *value, size_t size, tally_fault *fault)
{
    static const uint8_t tweak[1];
    const char *const cipher = tally_format_cipher(format);
    const int reads_alone = cipher != NULL && strcmp(cipher, "ff3-1") == 0;
    size_t capacity = 0, wanted = 2 * size + 64;
    uint8_t *out = NULL;
    tally_status status = TALLY_ERROR_CAPACITY;
    while (status == TALLY_ERROR_CAPACITY) {
        tally_release_wiped(NULL, out, capacity);
        capacity = wanted;
        out = tally_allocate(NULL, capacity);
        if (out == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        status = (reads_alone ? tally_reveal_value : tally_protect_value)(
            worker, value, size, tally_format_needs_tweak(format) ? tweak : NULL, 0, out, capacity,
            &wanted, fault);
    }
    tally_release_wiped(NULL, out, capacity);
    return status;
}

tally_status tally_format_check(const tally_format *format, const uint8_t *value, size_t size,
                                tally_fault *fault)
{
    uint8_t key[32];
    tally_problem problem;
    tally_tokenizer *tokenizer;
    tally_worker *worker;
    const size_t key_size = tally_format_key_size(format);
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)i;
    }
    memset(fault, 0, sizeof *fault);
    tally_status status = tally_format_takes(format, "u", &problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_tokenizer_new(NULL, format, tally_format_is_keyed(format) ? key : NULL,
                                 key_size != 0 ? key_size : 16, "check", 5, TALLY_INVALID_ERROR,
                                 &tokenizer, &problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_worker_new(tokenizer, &worker);
    if (status == TALLY_OK) {
        status = check_value(format, worker, value, size, fault);
        tally_worker_free(worker);
    }
    tally_tokenizer_free(tokenizer);
    return status;
}

/* ---- core/tokens/encoded.c ---- */
/*
 * Dictionaries and run ends. Without tweaks of the rows' own, each value is protected once. With
 * them, or under a random format, equal values have unlike tokens: the rows are decoded, protected
 * and encoded again. */

static int tokens_call_is_random(const tokens_call *call)
{
    const tally_worker *worker = call->worker;
    return worker->run.direction == TALLY_ENCRYPT && worker->tokenizer->format->is_random;
}

/* Makes the array of a result in the type that the schema says: text may have come from views. */
static tally_status encoded_export(tokens_call *call, const tally_arrow_type *type,
                                   tokens_result *result, struct ArrowArray *out)
{
    if (tally_arrow_is_view(type)) {
        return tally_tokens_export_views(call, result, out);
    }
    tally_tokens_export(result, out);
    return TALLY_OK;
}

/* The type that distinct values are held in until they are exported. */
static tally_arrow_type encoded_storage(const tally_arrow_type *type, const tokens_result *result)
{
    return tally_arrow_is_view(type) ? result->type : *type;
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

/* Counts the rows of each entry, and lists the entries that have rows by their first ones; returns
 * the number of rows that are null. */
static uint64_t encoded_count(const uint32_t *index, uint64_t rows, const tokens_column *entries,
                              tokens_use *uses, uint32_t *order, uint64_t *listed)
{
    uint64_t nulls = 0;
    *listed = 0;
    memset(uses, 0, (size_t)entries->rows * sizeof *uses);
    for (uint64_t i = 0; i < rows; i++) {
        if (index[i] == TOKENS_NO_ROW) {
            nulls++;
            continue;
        }
        tokens_use *use = &uses[index[i]];
        if (use->count++ == 0) {
            use->first = i;
            order[(*listed)++] = index[i];
        }
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

/* A dictionary whose entries are protected, once each. Tokens come in the order of the rows, and
 * those that no row uses are left out: entries may be in the order of their values, which their
 * tokens must not show. */
static tally_status encoded_entries(tokens_call *call, const tally_array *array,
                                    const tally_array *dictionary, const tokens_column *entries,
                                    tokens_result *result, const uint32_t *index,
                                    struct ArrowArray *out)
{
    uint8_t *reasons;
    uint64_t listed;
    tokens_use *uses =
        tokens_scratch_many(call->worker, TOKENS_USES, entries->rows + 1, sizeof *uses);
    uint32_t *order =
        tokens_scratch_many(call->worker, TOKENS_ORDER, entries->rows + 1, sizeof *order);
    if (uses == NULL || order == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = tally_tokens_run(call, entries, result, &reasons);
    if (status != TALLY_OK) {
        return status;
    }
    call->counts.nulls += encoded_count(index, array->rows, entries, uses, order, &listed);
    const int invalid = encoded_any(reasons, entries->rows);
    status = tally_tokens_apply_on_invalid(call, entries, reasons, uses, result);
    if (status != TALLY_OK) {
        return status;
    }
    struct ArrowArray values;
    memset(&values, 0, sizeof values);
    uint32_t *map = NULL;
    if (invalid || call->worker->run.direction == TALLY_ENCRYPT) {
        /* Some libraries refuse dictionaries that have nulls or equal entries. */
        const int merges = invalid || call->worker->tokenizer->format->one_way;
        const tally_arrow_type storage = encoded_storage(&dictionary->type, result);
        tokens_result distinct = {.owned = NULL};
        status =
            tally_tokens_distinct(call, result, order, listed, merges, &storage, &map, &distinct);
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
        status = tally_tokens_apply_on_invalid(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        const tally_arrow_type storage = encoded_storage(&dictionary->type, &result);
        status =
            tally_tokens_distinct(call, &result, NULL, result.rows, 1, &storage, &map, &distinct);
    }
    if (status == TALLY_OK && distinct.rows > encoded_most(&array->type)) {
        status =
            tally_tokens_problem(call, TALLY_ERROR_CAPACITY, "values",
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
        status = call->row_tweaks == NULL && !tokens_call_is_random(call)
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
    for (uint64_t last = before; run < ends->rows; run++) { /* beyond the last row */
        const uint64_t own = encoded_run_end(ends, run);
        if (own <= last || own > INT64_MAX) {
            return tally_tokens_damaged(call, place, "its run ends do not ascend");
        }
        last = own;
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
    if (status == TALLY_OK &&
        (call->row_tweaks != NULL || call->mask != NULL || tokens_call_is_random(call))) {
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
        status = tally_tokens_apply_on_invalid(call, &runs, reasons, uses, &result);
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

void *tally_tokens_offsets_capacity(tokens_call *call, tokens_result *result)
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
    void *offsets = tally_tokens_offsets_capacity(call, result);
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
    tally_status status;
    if (tally_arrow_is_view(&array->type)) {
        status = tally_tokens_gather_views(call, array, place, TOKENS_OFFSETS, TOKENS_VALUES,
                                           result, out);
    } else if (tally_arrow_is_text(&array->type)) {
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
    const uint64_t capacity = wanted + wanted / 2;
    void *old = owned->blocks[1].memory;
    const size_t old_size = owned->blocks[1].size;
    uint8_t *grown = tally_tokens_owned_block(owned, 1, capacity);
    if (grown == NULL) {
        return 0;
    }
    memcpy(grown, out->values, (size_t)out->size);
    tally_release_wiped(&owned->allocator, old, old_size);
    out->values = grown;
    out->capacity = capacity;
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
    const uint64_t capacity =
        column->size + (format->keeps_size ? 0 : column->size / 4 + 8 * column->rows);
    result->values = tally_tokens_owned_block(result->owned, 1, capacity);
    if (result->values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (format->keeps_size) {
        text.values = result->values;
        result->size = column->size;
        return format->of->text(format, &call->worker->run, &text);
    }
    tally_text_out out = {.values = result->values,
                          .capacity = capacity,
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
            call, TALLY_ERROR_CAPACITY, "values",
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
    if (tally_arrow_is_text(&column->type)) {
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
        if (!tally_arrow_is_text(&result->type)) {
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
    if (tally_arrow_is_text(&result->type)) {
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
    if (small == valid || !tally_arrow_is_text(&column->type)) {
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
    if (tally_arrow_is_text(&column->type)) {
        const uint64_t start = tokens_offset(column->offsets, column->type.width, at);
        const uint64_t end = tokens_offset(column->offsets, column->type.width, at + 1);
        tally_format_explain(call->worker->tokenizer->format, column->values + start,
                             (size_t)(end - start), (tally_reason)status[at], &invalid->fault);
    }
    return TALLY_ERROR_INVALID;
}

tally_status tally_tokens_apply_on_invalid(tokens_call *call, const tokens_column *column,
                                           uint8_t *status, const tokens_use *uses,
                                           tokens_result *result)
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
 * Objects at multiples of 64 bytes, a cache line, or of less, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of `alignment` in `memory`. */
static inline void *tally_align_to(uintptr_t alignment, void *memory)
{
    const uintptr_t past = (uintptr_t)memory % alignment;
    return (uint8_t *)memory + (past == 0 ? 0 : alignment - past);
}

static inline void *tally_align(void *memory)
{
    return tally_align_to(TALLY_ALIGNMENT, memory);
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
    const uint64_t items = rows + (tally_arrow_is_text(type) ? 1 : 0);
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
    if (tally_arrow_is_text(type)) {
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
    const int is_text = tally_arrow_is_text(&result->type);
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
            call, TALLY_ERROR_CAPACITY, "values",
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
    const int is_text = tally_arrow_is_text(&column->type);
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
    if (!tally_arrow_is_text(&result->type)) {
        *size = width;
        return result->values + row * width;
    }
    const uint64_t start = tokens_offset(result->offsets, width, row);
    *size = tokens_offset(result->offsets, width, row + 1) - start;
    return result->values + start;
}

/* Where a table has the number of a row's value, from 1, or is free for it: 0. `firsts` has the rows
 * of the values. */
static uint32_t *take_slot(const tally_worker *worker, const tokens_result *result, uint64_t row,
                           uint32_t *table, uint64_t slots, const uint32_t *firsts)
{
    uint64_t own, other;
    const uint8_t *value = take_value(result, row, &own);
    uint64_t slot = tally_siphash(worker->hash_seed, value, own) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
        const uint8_t *held = take_value(result, firsts[table[slot] - 1], &other);
        if (own == other && (own == 0 || memcmp(value, held, (size_t)own) == 0)) {
            break;
        }
    }
    return &table[slot];
}

tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const uint32_t *order, uint64_t listed, int merges,
                                   const tally_arrow_type *type, uint32_t **map_out,
                                   tokens_result *out)
{
    tally_worker *worker = call->worker;
    uint64_t slots = 16, count = 0, size = 0;
    if (result->rows >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    while (merges && slots < 2 * listed) {
        slots *= 2;
    }
    uint32_t *map = tokens_scratch_many(worker, TOKENS_MAP, result->rows + 1, sizeof *map);
    uint32_t *firsts = tokens_scratch_many(worker, TOKENS_FIRSTS, listed + 1, sizeof *firsts);
    uint32_t *table = tokens_scratch_many(worker, TOKENS_TABLE, slots, sizeof *table);
    if (map == NULL || firsts == NULL || table == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status seeded = take_seed(worker);
    if (seeded != TALLY_OK) {
        return seeded;
    }
    memset(table, 0, (size_t)slots * sizeof *table); /* a value's number from 1; 0: free */
    for (uint64_t k = 0; k < listed; k++) {
        const uint64_t i = order == NULL ? k : order[k];
        if (!tokens_is_valid(result->validity, i)) {
            map[i] = TOKENS_NO_ROW;
            continue;
        }
        uint32_t fresh = 0,
                 *slot = merges ? take_slot(worker, result, i, table, slots, firsts) : &fresh;
        if (*slot == 0) {
            uint64_t own;
            (void)take_value(result, i, &own);
            firsts[count++] = (uint32_t)i;
            *slot = (uint32_t)count;
            size += own;
        }
        map[i] = *slot - 1;
    }
    *map_out = map;
    if (tally_arrow_is_text(type) && type->width == 4 && size > INT32_MAX) {
        return tally_tokens_problem(
            call, TALLY_ERROR_CAPACITY, "values.dictionary",
            "the tokens have more than 2147483647 bytes, which a dictionary of this "
            "type can't hold; decode the column to large_string",
            "");
    }
    const tally_status status = tally_tokens_result_new(call, type, count, out);
    if (status != TALLY_OK) {
        return status;
    }
    memset(out->validity, 0xff, (size_t)(count / 8 + 1));
    if (tally_arrow_is_text(type)) {
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
        if (tally_arrow_is_text(type)) {
            tokens_set_offset(out->offsets, type->width, i + 1, at);
        }
    }
    out->size = at;
    return TALLY_OK;
}

/* ---- core/tokens/tokenizer.c ---- */
/*
 * Tokenizers: a format with a key and a namespace. */

static const char tokenizer_purpose[] = "tallystick 1", tokenizer_ff1[] = "tallystick ff1";

enum { TOKENIZER_BLOCK = 16 /* bytes of an AES block */ };

static const char *const tokenizer_kinds[2] = {"column", "rows"};

/* Appends a part of encode() behind its size. */
static uint8_t *tokenizer_part(uint8_t *out, const char *part, size_t size)
{
    tally_store_be32((uint32_t)size, out);
    memcpy(out + 4, part, size);
    return out + 4 + size;
}

static size_t tokenizer_described_size(const tally_format *format, size_t name_space_size,
                                       const char *kind)
{
    return 4 + 4 + sizeof tokenizer_purpose - 1 + 4 + name_space_size + 4 +
           strlen(format->identity) + 4 + strlen(kind);
}

static void tokenizer_describe(uint8_t *out, const tally_format *format, const char *name_space,
                               size_t name_space_size, const char *kind)
{
    tally_store_be32(4, out);
    out = tokenizer_part(out + 4, tokenizer_purpose, sizeof tokenizer_purpose - 1);
    out = tokenizer_part(out, name_space, name_space_size);
    out = tokenizer_part(out, format->identity, strlen(format->identity));
    (void)tokenizer_part(out, kind, strlen(kind));
}

static size_t tokenizer_in_blocks(size_t size)
{
    return (size + TOKENIZER_BLOCK - 1) / TOKENIZER_BLOCK * TOKENIZER_BLOCK;
}

/* Sets part 1 of a tweak. That of FF1 ends with an AES block, so that what a row adds to it is alone
 * in the next one. */
static void tokenizer_set_head(tally_tokenizer *tokenizer, int rows)
{
    const tally_cipher_choice *choice = &tokenizer->format->cipher;
    const uint32_t size = tokenizer->described_size[rows];
    if (choice->is_plain) {
        tokenizer->head[rows] = choice->tweak;
        tokenizer->head_size[rows] = (uint32_t)choice->tweak_size;
        return;
    }
    tokenizer->head[rows] = tokenizer->described[rows];
    tokenizer->head_size[rows] =
        choice->cipher == TALLY_CIPHER_FAST ? size : (uint32_t)tokenizer_in_blocks(size);
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

/* Writes the error; place is the argument at fault. */
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

static void tokenizer_write_format(tally_writer *writer, const tally_format *format)
{
    tally_write(writer, "format ");
    tally_write_repr(writer, format->of->name, strlen(format->of->name));
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
        tokenizer_write_format(&writer, format);
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
    if (key != NULL && format->key_size != 0 && key_size != format->key_size) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tokenizer_write_format(&writer, format);
        tally_write(&writer, " needs a key of ");
        tally_write_uint(&writer, format->key_size);
        tally_write(&writer, " bytes in this mode, not ");
        tally_write_uint(&writer, key_size);
        return TALLY_ERROR_KEY_SIZE;
    }
    if (key != NULL && format->of->takes_key != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tokenizer_write_format(&writer, format);
        tally_write(&writer, ": ");
        if (!format->of->takes_key(format, key, &writer)) {
            return TALLY_ERROR_ARGUMENT;
        }
        problem->text[0] = '\0';
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
        return tokenizer_refuse(problem, "on_invalid",
                                "on_invalid 'keep' can't go with this format, whose tokens are no "
                                "valid values: a value "
                                "kept as invalid could be taken for a token; use 'error' or 'null'",
                                TALLY_ERROR_ARGUMENT);
    }
    return TALLY_OK;
}

/* A key serves one cipher: that of FF1 is derived, unless the plain cipher is asked for. */
static void tokenizer_cipher_key(tally_tokenizer *tokenizer)
{
    const tally_cipher_choice *choice = &tokenizer->format->cipher;
    memcpy(tokenizer->cipher_key, tokenizer->key, tokenizer->key_size);
    if (choice->cipher != TALLY_CIPHER_FAST && !choice->is_plain) {
        const tally_status status = tally_hkdf_sha256(
            NULL, 0, tokenizer->key, tokenizer->key_size, (const uint8_t *)tokenizer_ff1,
            sizeof tokenizer_ff1 - 1, tokenizer->cipher_key, tokenizer->key_size);
        (void)status; /* the sizes are valid */
    }
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
    size_t described_size[2], memory_size = sizeof(tally_tokenizer);
    for (int rows = 0; rows < 2; rows++) {
        described_size[rows] =
            tokenizer_described_size(format, name_space_size, tokenizer_kinds[rows]);
        memory_size += tokenizer_in_blocks(described_size[rows]);
    }
    tally_tokenizer *tokenizer = tally_allocate(allocator, memory_size);
    if (tokenizer == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(tokenizer, 0, memory_size);
    if (allocator != NULL) {
        tokenizer->allocator = *allocator;
    }
    tokenizer->format = format;
    tokenizer->on_invalid = on_invalid;
    tokenizer->rights = TALLY_MAY_PROTECT | TALLY_MAY_REVEAL;
    tokenizer->memory_size = memory_size;
    if (key != NULL) {
        memcpy(tokenizer->key, key, key_size);
        tokenizer->key_size = key_size;
        tokenizer_cipher_key(tokenizer);
    }
    uint8_t *at = (uint8_t *)(tokenizer + 1);
    for (int rows = 0; rows < 2; rows++) {
        tokenizer->described[rows] = at;
        tokenizer->described_size[rows] = (uint32_t)described_size[rows];
        tokenizer_describe(at, format, name_space, name_space_size, tokenizer_kinds[rows]);
        tokenizer_set_head(tokenizer, rows);
        at += tokenizer_in_blocks(described_size[rows]);
    }
    *out = tokenizer;
    return TALLY_OK;
}

void tally_tokenizer_limit(tally_tokenizer *tokenizer, uint32_t rights)
{
    tokenizer->rights &= rights;
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

size_t tally_tokenizer_head(const tally_tokenizer *tokenizer, int rows, uint8_t *out,
                            size_t capacity)
{
    const size_t size = tokenizer->described_size[rows != 0];
    if (capacity > 0) {
        memcpy(out, tokenizer->described[rows != 0], size < capacity ? size : capacity);
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
typedef struct value_memory {
    tally_worker *worker;
    uint8_t *own;
} value_memory;

static int value_grow(tally_text_out *out, uint64_t more)
{
    value_memory *memory = out->context;
    const uint64_t wanted = out->size + more;
    uint8_t *grown;
    if (memory->own == NULL) {
        grown = tally_tokens_scratch(memory->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL && out->size > 0) {
            memcpy(grown, out->values, (size_t)out->size);
        }
    } else {
        /* A piece that grows forgets, so its content waits in another. */
        uint8_t *other = tally_tokens_scratch(memory->worker, TOKENS_VALUES, out->size + 1);
        if (other == NULL) {
            return 0;
        }
        memcpy(other, out->values, (size_t)out->size);
        grown = tally_tokens_scratch(memory->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL) {
            memcpy(grown, other, (size_t)out->size);
        }
    }
    if (grown == NULL) {
        return 0;
    }
    memory->own = out->values = grown;
    out->capacity = 2 * wanted;
    return 1;
}

static tally_status value_column(tally_worker *worker, const tally_strings *row_tweak,
                                 tally_one *one)
{
    const tally_format *format = worker->tokenizer->format;
    uint32_t offsets[2] = {0, (uint32_t)one->size}, out_offsets[2] = {0, 0};
    uint8_t status = 0, spare[1];
    value_memory memory = {worker, NULL};
    tally_text_out out = {.values = one->capacity > 0 ? one->out : spare,
                          .capacity = one->capacity,
                          .offsets = out_offsets,
                          .offset_size = 4,
                          .most = INT32_MAX,
                          .grow = value_grow,
                          .context = &memory};
    tally_text_column column = {.in = {.offsets = offsets,
                                       .offset_size = 4,
                                       .values = one->size > 0 ? one->value : spare,
                                       .rows = 1},
                                .status = &status};
    spare[0] = 0;
    if (format->keeps_size) {
        column.values = one->capacity >= one->size    ? out.values
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
    if (status == 0 && memory.own != NULL) {
        if (one->out_size > one->capacity) {
            return TALLY_ERROR_CAPACITY;
        }
        memcpy(one->out, out.values, one->out_size);
    }
    return TALLY_OK;
}

static tally_status value_run(tally_worker *worker, tally_direction direction, const uint8_t *value,
                              size_t size, const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                              size_t capacity, size_t *out_size, tally_fault *fault)
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
                     .capacity = capacity};
    tally_status status = tally_tokens_begin(worker, direction, rows);
    if (status == TALLY_OK) {
        status = format->of->one != NULL ? format->of->one(format, &worker->run, &one)
                                         : value_column(worker, rows, &one);
    }
    if ((status == TALLY_OK || status == TALLY_ERROR_CAPACITY) && one.reason != TALLY_REASON_NONE) {
        /* It stays as it is. */
        one.out_size = size;
        status = size <= capacity ? TALLY_OK : TALLY_ERROR_CAPACITY;
        if (status == TALLY_OK && size > 0) {
            memcpy(out, value, size);
        }
    }
    tally_tokens_end(worker);
    if (status == TALLY_OK || status == TALLY_ERROR_CAPACITY) {
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
                                 const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                                 size_t capacity, size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_ENCRYPT, value, size, tweak, tweak_size, out, capacity, out_size,
                     fault);
}

tally_status tally_reveal_value(tally_worker *worker, const uint8_t *token, size_t size,
                                const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                                size_t capacity, size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_DECRYPT, token, size, tweak, tweak_size, out, capacity, out_size,
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
#define VIEWS_PREFIX  "a view begins otherwise than its text"

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
 * text more. Returns 0 and *why if a view is damaged, or was changed. */
static int views_gather(const tally_array *array, void *offsets, uint32_t width, uint8_t *values,
                        uint64_t size, uint64_t *end, const char **why)
{
    const uint8_t *views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    uint64_t at = 0;
    *why = VIEWS_OUTSIDE;
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
                if (memcmp(values + at, view.at.in.prefix, sizeof view.at.in.prefix) != 0) {
                    *why = VIEWS_PREFIX;
                    return 0;
                }
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
        offsets = tally_tokens_offsets_capacity(call, result);
    } else {
        offsets = tokens_scratch_many(worker, offsets_piece, rows + 1, width);
    }
    uint8_t *values = tally_tokens_scratch(worker, values_piece, size + TALLY_VIEW_INLINED);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t at = 0;
    const char *why;
    tokens_set_offset(offsets, width, 0, 0);
    if (rows > 0 && !views_gather(array, offsets, width, values, size, &at, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    out->rows = rows;
    out->offsets = offsets;
    out->values = values;
    out->size = at;
    return TALLY_OK;
}

/* ---- core/tokens/whole.c ---- */
/*
 * What the structures of an array say, of all that lies in it: a program may look at them before it
 * hands them to a library that takes them at their word. */

enum {
    WHOLE_DEPTH = 64,     /* as deep as Arrow's own libraries go */
    WHOLE_MOST = 1 << 20, /* structures: children may be shared, or lead back to their parents */
};

static const char *const whole_deep = "it is too deep or has too many children";

/* Whether a type is sound, and all types in it. */
static int whole_type(const struct ArrowSchema *type, int depth, uint32_t *left, const char **why)
{
    tally_arrow_type read;
    *why = whole_deep;
    if (depth == WHOLE_DEPTH || (*left)-- == 0) {
        *left = 0;
        return 0;
    }
    *why = "its type is released or missing";
    if (type == NULL || type->release == NULL || type->format == NULL) {
        return 0;
    }
    *why = "its type is unknown";
    if (!tally_arrow_type_read(type->format, &read)) {
        return 0;
    }
    *why = "its children are missing";
    if (type->n_children < 0 || (type->n_children > 0 && type->children == NULL)) {
        return 0;
    }
    for (int64_t i = 0; i < type->n_children; i++) {
        if (!whole_type(type->children[i], depth + 1, left, why)) {
            return 0;
        }
    }
    return type->dictionary == NULL || whole_type(type->dictionary, depth + 1, left, why);
}

/* The last offset of an array; UINT64_MAX if it is negative. */
static uint64_t whole_end(const tally_array *array)
{
    const uint8_t *at = (const uint8_t *)array->buffers[1] + array->whole * array->type.width;
    int32_t narrow;
    int64_t wide;
    if (array->type.width == 4) {
        memcpy(&narrow, at, sizeof narrow);
        wide = narrow;
    } else {
        memcpy(&wide, at, sizeof wide);
    }
    return wide < 0 ? UINT64_MAX : (uint64_t)wide;
}

/* The number of buffers of a type, the first of which may be missing if there is a bitmap. */
static uint64_t whole_buffers(const tally_array *array)
{
    if (array->type.kind != TALLY_ARROW_OTHER) {
        return array->buffer_count;
    }
    const int is_dense = strncmp(array->schema->format, "+ud", 3) == 0;
    return array->type.width > 0 || is_dense ? 2 : 1;
}

/* Whether the buffers of views are there: the last one has the sizes of the others. */
static int whole_views(const tally_array *array)
{
    const uint8_t *sizes = array->buffers[array->buffer_count - 1];
    for (uint64_t i = 0; i + 3 < array->buffer_count; i++) {
        int64_t size;
        if (sizes == NULL) {
            return 0;
        }
        memcpy(&size, sizes + 8 * i, sizeof size);
        if (size < 0 || (size > 0 && array->buffers[2 + i] == NULL)) {
            return 0;
        }
    }
    return array->buffers[1] != NULL;
}

/* Whether all buffers that an array of rows needs are there. */
static int whole_has_buffers(const tally_array *array)
{
    const tally_arrow_type *const type = &array->type;
    const uint64_t count = whole_buffers(array);
    if (array->buffer_count != count) {
        return 0;
    }
    switch (type->kind) {
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
        return whole_views(array);
    case TALLY_ARROW_TEXT:
    case TALLY_ARROW_BINARY:
        if (type->fixed) {
            return type->width == 0 || array->buffers[1] != NULL;
        }
        return array->buffers[1] != NULL && (array->buffers[2] != NULL || whole_end(array) == 0);
    case TALLY_ARROW_LIST_VIEW:
        return array->buffers[1] != NULL && array->buffers[2] != NULL;
    case TALLY_ARROW_OTHER: /* unions have no bitmap */
        return (type->width > 0 || array->buffers[0] != NULL) &&
               (count == 1 || array->buffers[1] != NULL);
    default:
        return count < 2 || array->buffers[1] != NULL;
    }
}

/* The rows that each child must have at least; UINT64_MAX: an offset is negative. */
static uint64_t whole_rows_of_children(const tally_array *array)
{
    const tally_arrow_type *const type = &array->type;
    if (type->kind == TALLY_ARROW_STRUCT || strncmp(array->schema->format, "+us", 3) == 0) {
        return array->whole;
    }
    if (type->kind == TALLY_ARROW_LIST && type->fixed) {
        return array->whole > UINT32_MAX ? UINT64_MAX : array->whole * type->width;
    }
    const int has_offsets = type->kind == TALLY_ARROW_LIST || type->kind == TALLY_ARROW_MAP;
    return has_offsets && array->whole > 0 ? whole_end(array) : 0;
}

/* Whether an array is sound, and all arrays in it. */
static int whole_array(const struct ArrowSchema *type, const struct ArrowArray *values, int depth,
                       uint32_t *left, const char **why)
{
    tally_array array, child;
    *why = whole_deep;
    if (depth == WHOLE_DEPTH || (*left)-- == 0) {
        *left = 0;
        return 0;
    }
    if (!tally_array_open(type, values, &array, why)) {
        return 0;
    }
    *why = "its buffers are missing";
    if (array.whole > 0 && !whole_has_buffers(&array)) {
        return 0;
    }
    const uint64_t rows = whole_rows_of_children(&array);
    for (uint64_t i = 0; i < array.child_count; i++) {
        if (!whole_array(type->children[i], values->children[i], depth + 1, left, why)) {
            return 0;
        }
        if (!tally_array_open_child(&array, i, &child, why)) {
            return 0;
        }
        *why = "a child is shorter than its parent";
        if (child.rows < rows) {
            return 0;
        }
    }
    return type->dictionary == NULL ||
           whole_array(type->dictionary, values->dictionary, depth + 1, left, why);
}

tally_status tally_array_check(const struct ArrowSchema *type, const struct ArrowArray *values,
                               tally_problem *problem)
{
    tokens_call call = {.problem = problem};
    const char *why;
    uint32_t left = WHOLE_MOST;
    int sound = whole_type(type, 0, &left, &why);
    if (sound && values != NULL) {
        left = WHOLE_MOST;
        sound = whole_array(type, values, 0, &left, &why);
    }
    return sound ? TALLY_OK : tally_tokens_damaged(&call, "", why);
}

/* ---- core/tokens/worker.c ---- */
/*
 * Workers: the ciphers and the memory of a tokenizer in one thread, made when they are needed. */

/* ---- core/fast/words/ff1_words.h ---- */
/*
 * FF1 in the place of FAST: the functions on words, columns and ranges are the same, and what they
 * run is the other cipher. */
#ifndef TALLY_FAST_WORDS_FF1_WORDS_H
#define TALLY_FAST_WORDS_FF1_WORDS_H

/* ---- core/fast/words/cipher.h ---- */
/*
 * A cipher: a pool, a cache of sequences, and the lanes that words lie on. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

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

/* Whether all symbols of words in lanes are below a limit; words_to_lanes returns it. */
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

/* Memory to prefetch while layers run, which leave the memory bus idle. */
typedef struct tally_fast_prefetch {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_prefetch;

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
    const tally_fast_prefetch *next; /* or NULL */
    size_t each;                     /* bytes of it to prefetch in a round */
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

/* The last back end of the table, for fewer words than min_words of the fastest. */
const tally_fast_lanes *tally_fast_lanes_for_few(void);

/* The most bytes that the tables of a pool take with any back end; a multiple of 64. */
size_t tally_fast_lanes_size(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_simd128, tally_fast_lanes_portable;

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
    /* If one of these is not NULL, words of the pool's radix go through it instead, and there are no
     * tables (words/ff1_words.h). Tweaks of FF3-1 have TALLY_FF3_1_TWEAK bytes in whole. */
    const tally_ff1 *ff1;
    const tally_ff3_1 *ff3_1;
};

/* Whether words go through FAST. */
static inline int tally_fast_pool_is_fast(const tally_fast_pool *pool)
{
    return pool->ff1 == NULL && pool->ff3_1 == NULL;
}

/* Whether whole tweaks may have so many bytes. */
static inline int tally_fast_pool_takes_tweak(const tally_fast_pool *pool, size_t size)
{
    return pool->ff3_1 == NULL || size == TALLY_FF3_1_TWEAK;
}

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
    tally_status status; /* TALLY_ERROR_MEMORY: words of FF1 were not run, for want of memory */
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

/* Returns the status, which becomes TALLY_OK. Whoever runs long words looks at the end of a call. */
static inline tally_status tally_fast_cipher_take_status(tally_fast_cipher *cipher)
{
    const tally_status status = cipher->status;
    cipher->status = TALLY_OK;
    return status;
}

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

/* ---- core/ff1/ff1.h ---- */
/*
 * FF1 inside the core: the direction as an argument, a tweak for each word, words anywhere in
 * memory. */
#ifndef TALLY_FF1_FF1_H
#define TALLY_FF1_FF1_H

/* The tweak of word i is the `common_size` bytes of `common`, then the row_sizes[i] bytes at rows[i].
 * If `rows` is NULL, all words have the common tweak alone. A pointer may be NULL if its size is 0.
 *
 * What depends on the common part is computed once in a call. A word with a tweak of its own costs
 * one more encryption of a block only if the tweak does not fit into the last block beside a number
 * of half the symbols: 11 bytes do at 16 digits. */
typedef struct tally_ff1_tweaks {
    const uint8_t *common;
    size_t common_size;
    const uint8_t *const *rows;
    const size_t *row_sizes;
} tally_ff1_tweaks;

/* As tally_ff1_encrypt_words and tally_ff1_decrypt_words. If the tweaks have rows, one for each
 * word. */
TALLY_MUST_CHECK tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction,
                                              uint32_t length, const tally_ff1_tweaks *tweaks,
                                              const void *words, size_t count, void *out);

/* The same in place on words[0 .. count), which lie anywhere and have any alignment. Symbols must be
 * below the radix: this function does not check that. For an error no word was changed. Memory for
 * long words comes from the allocator, or from malloc if that is NULL.
 * TALLY_ERROR_FF1_LENGTH, TALLY_ERROR_FF1_TWEAK_SIZE, TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction,
                                            uint32_t length, const tally_ff1_tweaks *tweaks,
                                            uint8_t *const *words, size_t count,
                                            const tally_allocator *allocator);

/* Whether words of so many symbols can run on lanes of bytes, as they are. */
int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length);

/* Runs them, if they can: `count` words, a multiple of 64, of one tweak. Symbol p of word k is
 * lanes[p * stride + k]; if it is not below the radix, the word becomes anything. Returns 0, with
 * nothing changed, if they can't, or the tweak is too long. */
int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count);

#endif

/* Makes a pool of a radix from 4..256 whose words go through one of the two, which is of that radix
 * and must live as long; the other is NULL. Its ciphers cache no sequences. Under FF3-1 words are
 * decrypted alone. */
void tally_ff1_words_pool(const tally_ff1 *ff1, const tally_ff3_1 *ff3_1, uint32_t radix,
                          tally_fast_pool *out);

/* As the functions of run.h, for a cipher of such a pool; and for words with a tweak each. */
void tally_ff1_words_run(tally_fast_cipher *cipher, const tally_fast_params *params,
                         tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                         uint8_t *const *words, size_t count);
void tally_ff1_words_tweaks(tally_fast_cipher *cipher, const tally_fast_params *params,
                            tally_direction direction, const tally_ff1_tweaks *tweaks,
                            uint8_t *const *words, size_t count);
size_t tally_ff1_words_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                    tally_direction direction, const uint8_t *tweak,
                                    size_t tweak_size, const uint8_t *words, size_t count,
                                    uint8_t *out);
void tally_ff1_words_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                           tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                           size_t groups);

/* Whether words of one tweak run on lanes as they are, by 64; else _lanes takes them off, so that it is
 * faster not to put them there. */
static inline int tally_ff1_words_like_lanes(const tally_fast_pool *pool, size_t length)
{
    return pool->ff1 != NULL && tally_ff1_takes_lanes(pool->ff1, (uint32_t)length);
}

#endif

enum {
    WORKER_TWEAK_CAPACITY = 4096, /* for part 2 of a tweak */
    WORKER_KEPT = 1 << 26         /* bytes: a larger piece is released at the end of a call */
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

/* Makes FF1 or FF3-1, and the pool that stands for it. */
static tally_status worker_make_ff1(const tally_tokenizer *tokenizer, uint32_t radix, void *memory,
                                    size_t size, tally_fast_pool **out)
{
    const tally_cipher cipher = tokenizer->format->cipher.cipher;
    const uint8_t *key = tokenizer->cipher_key;
    const size_t key_size = tokenizer->key_size;
    *out = tally_align(memory);
    uint8_t *const behind = (uint8_t *)(*out + 1);
    const size_t left = size - (size_t)(behind - (uint8_t *)memory);
    tally_ff1 *ff1 = NULL;
    tally_ff3_1 *ff3_1 = NULL;
    const tally_status status =
        cipher == TALLY_CIPHER_FF3_1
            ? tally_ff3_1_init(radix, key, key_size, behind, left, &ff3_1)
            : tally_ff1_init(cipher == TALLY_CIPHER_FF1_2016 ? TALLY_FF1_2016 : TALLY_FF1, radix,
                             key, key_size, behind, left, &ff1);
    if (status == TALLY_OK) {
        tally_ff1_words_pool(ff1, ff3_1, radix, *out);
    }
    return status;
}

/* Bytes for these. */
static size_t worker_ff1_size(tally_cipher cipher)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_pool) +
           (cipher == TALLY_CIPHER_FF3_1 ? tally_ff3_1_size() : tally_ff1_size());
}

/* Makes a pool with a cipher in one piece of memory. */
static int worker_make_cipher(tally_worker *worker, uint32_t radix, tokens_cipher *out)
{
    const tally_tokenizer *tokenizer = worker->tokenizer;
    const tally_cipher kind = tokenizer->format->cipher.cipher;
    const int fast = kind == TALLY_CIPHER_FAST;
    const size_t pool_size = fast ? tally_fast_pool_size(radix) : worker_ff1_size(kind);
    const size_t capacity = fast ? TOKENS_SEQUENCES : 1;
    const size_t cipher_size = tally_fast_cipher_size(capacity);
    if (pool_size == 0 || tokenizer->key_size == 0) {
        return 0;
    }
    uint8_t *memory = tally_allocate(&tokenizer->allocator, pool_size + cipher_size);
    if (memory == NULL) {
        return 0;
    }
    tally_fast_pool *pool;
    const tally_status made =
        fast ? tally_fast_pool_init(TALLY_FAST, radix, tokenizer->cipher_key, tokenizer->key_size,
                                    memory, pool_size, &pool)
             : worker_make_ff1(tokenizer, radix, memory, pool_size, &pool);
    if (made != TALLY_OK || tally_fast_cipher_init(pool, capacity, memory + pool_size, cipher_size,
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
    if (piece->capacity < size || piece->memory == NULL) {
        const size_t capacity = ((size_t)size + (size_t)size / 4 + 4095) / 64 * 64;
        worker_release_piece(worker, piece);
        piece->block =
            tally_allocate(&worker->tokenizer->allocator, capacity + TALLY_ALIGNMENT - 1);
        if (piece->block == NULL) {
            return NULL;
        }
        piece->block_size = capacity + TALLY_ALIGNMENT - 1;
        piece->memory = tally_align(piece->block);
        piece->capacity = capacity;
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
        size += tokenizer->head_size[rows] + WORKER_TWEAK_CAPACITY;
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
        tweak += tokenizer->head_size[rows] + WORKER_TWEAK_CAPACITY;
    }
    worker->run.cipher = worker_cipher;
    worker->run.workspace = worker_workspace;
    worker->run.scratch = worker_scratch;
    worker->run.derive = worker_derive;
    worker->run.key = tokenizer->key;
    worker->run.key_size = tokenizer->key_size;
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
    if (rows && !worker->tokenizer->format->keyed) { /* the result depends on the value alone */
        return TALLY_ERROR_TWEAKS;
    }
    if (direction == TALLY_ENCRYPT &&
        worker->tokenizer->format->cipher.cipher == TALLY_CIPHER_FF3_1) {
        return TALLY_ERROR_READ_ONLY;
    }
    const uint32_t rights = worker->tokenizer->rights;
    if (direction == TALLY_DECRYPT && (rights & TALLY_MAY_REVEAL) == 0) {
        return TALLY_ERROR_PROTECT_ONLY;
    }
    if (direction == TALLY_ENCRYPT && (rights & TALLY_MAY_PROTECT) == 0) {
        return TALLY_ERROR_REVEAL_ONLY;
    }
    run->direction = direction;
    run->tweak = worker->tweak[rows];
    run->tweak_size = worker->tokenizer->head_size[rows];
    run->tweak_capacity = run->tweak_size + WORKER_TWEAK_CAPACITY;
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
        if (piece->capacity > WORKER_KEPT) {
            worker_release_piece(worker, piece);
        } else {
            tally_wipe(piece->memory, piece->used);
            piece->used = 0;
        }
    }
    worker->used = 0;
    worker->run.row_tweaks = NULL;
}

/* ---- core/unicode/nfc.c ---- */
/*
 * Whether text is in NFC, without normalizing it (UAX #15). Text is not in NFC at a character c if
 *
 *  - c never occurs in NFC; or
 *  - c is a mark behind one of a higher combining class; or
 *  - c is no mark, and makes one character with the one directly before it; or
 *  - c is a mark, none of its class stands between it and the last character s that is no mark, and
 *    c makes one character with the part of s that canonical order has before c. If s is composed of
 *    a letter and marks, those of a class above c's come after c: e with acute, then a dot below, is
 *    e with dot below, then the acute.
 *
 * Marks between s and c that stay do not matter: they have lower classes than c, so they block
 * nothing. */

/* ---- core/unicode/properties.h ---- */
/*
 * Properties of code points, looked up in the tables. */
#ifndef TALLY_UNICODE_PROPERTIES_H
#define TALLY_UNICODE_PROPERTIES_H

/* ---- core/unicode/tables.h ---- */
/*
 * Tables of the Unicode character database, in tables.c. */
#ifndef TALLY_UNICODE_TABLES_H
#define TALLY_UNICODE_TABLES_H

/* Runs of code points that have the same property, ascending, the first from 0. An item is the first
 * code point, times 2^11, and the property. */
enum { TALLY_UNICODE_PROPERTY_BITS = 11 };

typedef struct tally_unicode_runs {
    const uint32_t *runs;
    size_t count;
} tally_unicode_runs;

/* A property of normalization is a combining class, and bits. */
enum {
    TALLY_UNICODE_CLASS = 0xFF,
    TALLY_UNICODE_SECOND = 0x100, /* with some character before it, it becomes one character */
    TALLY_UNICODE_NEVER = 0x200   /* never occurs in NFC */
};

extern const tally_unicode_runs tally_unicode_categories; /* each a tally_character */
extern const tally_unicode_runs tally_unicode_normal;

/* Two characters that NFC makes one of, without syllables of Hangul: the first times 2^42, the
 * second times 2^21, the one. Ascending. */
extern const uint64_t tally_unicode_pairs[];
extern const size_t tally_unicode_pair_count;

/* The places in tally_unicode_pairs in the order of the one. */
extern const uint16_t tally_unicode_compositions[];

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

/* The property of a code point; those beyond U+10FFFF have that of the last. */
uint32_t tally_unicode_property(const tally_unicode_runs *table, uint32_t point);

#endif

enum {
    NFC_PLAIN = 0x300, /* all before it are no marks, and compose with nothing before them */
    NFC_HANGUL = 0xAC00,
    NFC_HANGUL_LEADS = 19,
    NFC_HANGUL_VOWELS = 21,
    NFC_HANGUL_TAILS = 28,
    NFC_LEADS = 0x1100,
    NFC_VOWELS = 0x1161,
    NFC_TAILS = 0x11A7, /* the first stands for none */
    NFC_POINT_BITS = 21
};

#define NFC_NONE       0xFFFFFFFFu /* no character */
#define NFC_POINT_MASK (((uint64_t)1 << NFC_POINT_BITS) - 1)

/* Whether two characters make one. */
static bool nfc_compose(uint32_t first, uint32_t second)
{
    if (first - NFC_LEADS < NFC_HANGUL_LEADS && second - NFC_VOWELS < NFC_HANGUL_VOWELS) {
        return true;
    }
    uint32_t syllable = first - NFC_HANGUL;
    if (syllable < NFC_HANGUL_LEADS * NFC_HANGUL_VOWELS * NFC_HANGUL_TAILS &&
        syllable % NFC_HANGUL_TAILS == 0 && second - NFC_TAILS - 1 < NFC_HANGUL_TAILS - 1) {
        return true;
    }
    uint64_t sought = (uint64_t)first << NFC_POINT_BITS | second;
    size_t low = 0, high = tally_unicode_pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tally_unicode_pairs[middle] >> NFC_POINT_BITS < sought) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tally_unicode_pair_count && tally_unicode_pairs[low] >> NFC_POINT_BITS == sought;
}

/* The place of a character's decomposition in the pairs, or their count if it has none. */
static size_t nfc_pair_of(uint32_t whole)
{
    size_t low = 0, high = tally_unicode_pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((tally_unicode_pairs[tally_unicode_compositions[middle]] & NFC_POINT_MASK) < whole) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == tally_unicode_pair_count) {
        return low;
    }
    size_t place = tally_unicode_compositions[low];
    return (tally_unicode_pairs[place] & NFC_POINT_MASK) == whole ? place
                                                                  : tally_unicode_pair_count;
}

/* The part of a character that canonical order has before a mark of class `mark`. */
static uint32_t nfc_part_before(uint32_t starter, uint32_t mark)
{
    for (;;) { /* ends: the first of a pair has fewer parts */
        size_t place = nfc_pair_of(starter);
        if (place == tally_unicode_pair_count) {
            return starter;
        }
        uint64_t pair = tally_unicode_pairs[place];
        if (tally_combining_class((uint32_t)(pair >> NFC_POINT_BITS & NFC_POINT_MASK)) <= mark) {
            return starter;
        }
        starter = (uint32_t)(pair >> 2 * NFC_POINT_BITS);
    }
}

bool tally_is_nfc(const uint8_t *text, size_t size, size_t *place)
{
    uint32_t starter = NFC_NONE; /* the last character that is no mark */
    uint32_t mark = 0;           /* the class of the mark directly before; 0: it is none */
    size_t at = 0;
    while (at < size) {
        uint32_t point = text[at], width = 1;
        if (point >= 0x80) {
            width = tally_utf8_decode(text + at, text + size, &point);
            if (width == 0) {
                width = 1;
                point = NFC_NONE;
            }
        }
        if (point < NFC_PLAIN || point == NFC_NONE) {
            starter = point;
            mark = 0;
            at += width;
            continue;
        }
        uint32_t property = tally_unicode_property(&tally_unicode_normal, point);
        uint32_t order = property & TALLY_UNICODE_CLASS;
        bool composes = false;
        if ((property & TALLY_UNICODE_SECOND) != 0 && starter != NFC_NONE) {
            if (order == 0) {
                composes = mark == 0 && nfc_compose(starter, point);
            } else if (mark != order) {
                composes = nfc_compose(nfc_part_before(starter, order), point);
            }
        }
        if ((property & TALLY_UNICODE_NEVER) != 0 || (order != 0 && order < mark) || composes) {
            break;
        }
        if (order == 0) {
            starter = point;
        }
        mark = order;
        at += width;
    }
    if (place != NULL) {
        *place = at;
    }
    return at == size;
}

/* ---- core/unicode/properties.c ---- */
/* SPDX-License-Identifier: Apache-2.0 */

uint32_t tally_unicode_property(const tally_unicode_runs *table, uint32_t point)
{
    size_t low = 0, high = table->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (table->runs[middle] >> TALLY_UNICODE_PROPERTY_BITS <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return table->runs[low] & ((1u << TALLY_UNICODE_PROPERTY_BITS) - 1);
}

uint8_t tally_combining_class(uint32_t point)
{
    if (point < 0x300) {
        return 0;
    }
    return (uint8_t)(tally_unicode_property(&tally_unicode_normal, point) & TALLY_UNICODE_CLASS);
}

tally_character tally_character_class(uint32_t point)
{
    return (tally_character)tally_unicode_property(&tally_unicode_categories, point);
}

/* ---- core/unicode/tables.c ---- */
/*
 * Written by tools/unicode_tables.py from Unicode 14.0.0; changes made by hand are lost. */

static const uint32_t unicode_categories[] = {
    0x00000003,0x00010002,0x00010804,0x00018001,0x0001d004,0x00020800,0x0002d804,0x00030800,
    0x0003d804,0x0003f803,0x00050002,0x00050804,0x00055000,0x00055804,0x0005a800,0x0005b004,
    0x0005d000,0x0005d804,0x00060000,0x0006b804,0x0006c000,0x0007b804,0x0007c000,0x00161004,
    0x00163000,0x00169004,0x00170000,0x00172804,0x00176000,0x00176804,0x00177000,0x00177804,
    0x001b8000,0x001ba804,0x001bb000,0x001bc004,0x001bd000,0x001bf004,0x001bf800,0x001c0004,
    0x001c3000,0x001c3804,0x001c4000,0x001c5804,0x001c6000,0x001c6804,0x001c7000,0x001d1004,
    0x001d1800,0x001fb004,0x001fb800,0x00241004,0x00245000,0x00298004,0x00298800,0x002ab804,
    0x002ac800,0x002ad004,0x002b0000,0x002c4804,0x002e8000,0x002f5804,0x002f7800,0x002f9804,
    0x00310000,0x00325804,0x00330001,0x00335004,0x00337000,0x00338004,0x00338800,0x0036a004,
    0x0036a800,0x0036b004,0x00372800,0x00373804,0x00377000,0x00378001,0x0037d000,0x0037e804,
    0x0037f800,0x00380004,0x00388000,0x00388804,0x00389000,0x00398004,0x003a6800,0x003d3004,
    0x003d8800,0x003d9004,0x003e0001,0x003e5000,0x003f5804,0x003fa000,0x003fb004,0x003fd000,
    0x003fd804,0x00400000,0x0040b004,0x0040d000,0x0040d804,0x00412000,0x00412804,0x00414000,
    0x00414804,0x00420000,0x0042c804,0x00430000,0x00435804,0x00438000,0x00444004,0x00444800,
    0x00447804,0x00450000,0x00465004,0x00482000,0x0049d004,0x0049e800,0x0049f004,0x004a8000,
    0x004a8804,0x004ac000,0x004b1004,0x004b3001,0x004b8004,0x004b8800,0x004c0804,0x004c2800,
    0x004c6804,0x004c7800,0x004c8804,0x004c9800,0x004d4804,0x004d5000,0x004d8804,0x004d9000,
    0x004d9804,0x004db000,0x004dd004,0x004de800,0x004df004,0x004e7000,0x004e7804,0x004ee000,
    0x004ef004,0x004ef800,0x004f1004,0x004f3001,0x004f8000,0x004f9004,0x004fe000,0x004fe804,
    0x00502800,0x00505804,0x00507800,0x00508804,0x00509800,0x00514804,0x00515000,0x00518804,
    0x00519000,0x0051a004,0x0051a800,0x0051b804,0x0051c000,0x0051d004,0x0052c800,0x0052e804,
    0x0052f000,0x0052f804,0x00533001,0x00538004,0x00539000,0x0053a804,0x00542800,0x00547004,
    0x00547800,0x00549004,0x00549800,0x00554804,0x00555000,0x00558804,0x00559000,0x0055a004,
    0x0055a800,0x0055d004,0x0055e800,0x0055f004,0x00568000,0x00568804,0x00570000,0x00571004,
    0x00573001,0x00578004,0x0057c800,0x0057d004,0x00582800,0x00586804,0x00587800,0x00588804,
    0x00589800,0x00594804,0x00595000,0x00598804,0x00599000,0x0059a004,0x0059a800,0x0059d004,
    0x0059e800,0x0059f004,0x005ae000,0x005af004,0x005af800,0x005b1004,0x005b3001,0x005b8004,
    0x005b8800,0x005b9004,0x005c1800,0x005c2004,0x005c2800,0x005c5804,0x005c7000,0x005c8804,
    0x005c9000,0x005cb004,0x005cc800,0x005cd804,0x005ce000,0x005ce804,0x005cf000,0x005d0004,
    0x005d1800,0x005d2804,0x005d4000,0x005d5804,0x005d7000,0x005dd004,0x005e8000,0x005e8804,
    0x005f3001,0x005f8004,0x00602800,0x00606804,0x00607000,0x00608804,0x00609000,0x00614804,
    0x00615000,0x0061d004,0x0061e800,0x0061f004,0x0062c000,0x0062d804,0x0062e800,0x0062f004,
    0x00630000,0x00631004,0x00633001,0x00638004,0x00640000,0x00640804,0x00642800,0x00646804,
    0x00647000,0x00648804,0x00649000,0x00654804,0x00655000,0x0065a004,0x0065a800,0x0065d004,
    0x0065e800,0x0065f004,0x0066e800,0x0066f804,0x00670000,0x00671004,0x00673001,0x00678004,
    0x00678800,0x00679804,0x00682000,0x00686804,0x00687000,0x00688804,0x00689000,0x0069d804,
    0x0069e800,0x0069f004,0x006a7000,0x006a7804,0x006aa000,0x006ab804,0x006af800,0x006b1004,
    0x006b3001,0x006b8004,0x006bd000,0x006c0004,0x006c2800,0x006cb804,0x006cd000,0x006d9004,
    0x006d9800,0x006de004,0x006de800,0x006df004,0x006e0000,0x006e3804,0x006f3001,0x006f8004,
    0x00700800,0x00718804,0x00719000,0x0071a004,0x00720000,0x00723804,0x00728001,0x0072d004,
    0x00740800,0x00741804,0x00742000,0x00742804,0x00743000,0x00745804,0x00746000,0x00752004,
    0x00752800,0x00753004,0x00753800,0x00758804,0x00759000,0x0075a004,0x0075e800,0x0075f004,
    0x00760000,0x00762804,0x00763000,0x00763804,0x00768001,0x0076d004,0x0076e000,0x00770004,
    0x00780000,0x00780804,0x00790001,0x00795004,0x007a0000,0x007a4004,0x007a4800,0x007b6804,
    0x007c4000,0x007c6804,0x00800000,0x00815804,0x0081f800,0x00820001,0x00825004,0x00828000,
    0x0082b004,0x0082d000,0x0082f004,0x00830800,0x00831004,0x00832800,0x00833804,0x00837000,
    0x00838804,0x0083a800,0x00841004,0x00847000,0x00847804,0x00848001,0x0084d004,0x00850000,
    0x00863004,0x00863800,0x00864004,0x00866800,0x00867004,0x00868000,0x0087d804,0x0087e000,
    0x00924804,0x00925000,0x00927004,0x00928000,0x0092b804,0x0092c000,0x0092c804,0x0092d000,
    0x0092f004,0x00930000,0x00944804,0x00945000,0x00947004,0x00948000,0x00958804,0x00959000,
    0x0095b004,0x0095c000,0x0095f804,0x00960000,0x00960804,0x00961000,0x00963004,0x00964000,
    0x0096b804,0x0096c000,0x00988804,0x00989000,0x0098b004,0x0098c000,0x009ad804,0x009c0000,
    0x009c8004,0x009d0000,0x009fb004,0x009fc000,0x009ff004,0x00a00800,0x00b36804,0x00b37800,
    0x00b40002,0x00b40800,0x00b4d804,0x00b50000,0x00b75804,0x00b78800,0x00b7c804,0x00b80000,
    0x00b89004,0x00b8f800,0x00b99004,0x00ba0000,0x00ba9004,0x00bb0000,0x00bb6804,0x00bb7000,
    0x00bb8804,0x00bc0000,0x00bda004,0x00beb800,0x00bec004,0x00bee000,0x00bee804,0x00bf0001,
    0x00bf5004,0x00c08001,0x00c0d004,0x00c10000,0x00c3c804,0x00c40000,0x00c42804,0x00c43800,
    0x00c54804,0x00c55000,0x00c55804,0x00c58000,0x00c7b004,0x00c80000,0x00c8f804,0x00ca3001,
    0x00ca8000,0x00cb7004,0x00cb8000,0x00cba804,0x00cc0000,0x00cd6004,0x00cd8000,0x00ce5004,
    0x00ce8001,0x00ced004,0x00d00000,0x00d0b804,0x00d10000,0x00d2a804,0x00d40001,0x00d45004,
    0x00d48001,0x00d4d004,0x00d53800,0x00d54004,0x00d82800,0x00d9a004,0x00da2800,0x00da6804,
    0x00da8001,0x00dad004,0x00dc1800,0x00dd0804,0x00dd7000,0x00dd8001,0x00ddd000,0x00df3004,
    0x00e00000,0x00e12004,0x00e20001,0x00e25004,0x00e26800,0x00e28001,0x00e2d000,0x00e3f004,
    0x00e40000,0x00e44804,0x00e48000,0x00e5d804,0x00e5e800,0x00e60004,0x00e74800,0x00e76804,
    0x00e77000,0x00e7a004,0x00e7a800,0x00e7b804,0x00e7d000,0x00e7d804,0x00e80000,0x00ee0004,
    0x00f00000,0x00f8b004,0x00f8c000,0x00f8f004,0x00f90000,0x00fa3004,0x00fa4000,0x00fa7004,
    0x00fa8000,0x00fac004,0x00fac800,0x00fad004,0x00fad800,0x00fae004,0x00fae800,0x00faf004,
    0x00faf800,0x00fbf004,0x00fc0000,0x00fda804,0x00fdb000,0x00fde804,0x00fdf000,0x00fdf804,
    0x00fe1000,0x00fe2804,0x00fe3000,0x00fe6804,0x00fe8000,0x00fea004,0x00feb000,0x00fee004,
    0x00ff0000,0x00ff6804,0x00ff9000,0x00ffa804,0x00ffb000,0x00ffe804,0x01000002,0x01005804,
    0x01014002,0x01015004,0x01017802,0x01018004,0x0102f802,0x01030004,0x01038800,0x01039004,
    0x0103f800,0x01040004,0x01048000,0x0104e804,0x01081000,0x01081804,0x01083800,0x01084004,
    0x01085000,0x0108a004,0x0108a800,0x0108b004,0x0108c800,0x0108f004,0x01092000,0x01092804,
    0x01093000,0x01093804,0x01094000,0x01094804,0x01095000,0x01097004,0x01097800,0x0109d004,
    0x0109e000,0x010a0004,0x010a2800,0x010a5004,0x010a7000,0x010a7804,0x010c1800,0x010c2804,
    0x01600000,0x01672804,0x01675800,0x01677804,0x01679000,0x0167a004,0x01680000,0x01693004,
    0x01693800,0x01694004,0x01696800,0x01697004,0x01698000,0x016b4004,0x016b7800,0x016b8004,
    0x016c0000,0x016cb804,0x016d0000,0x016d3804,0x016d4000,0x016d7804,0x016d8000,0x016db804,
    0x016dc000,0x016df804,0x016e0000,0x016e3804,0x016e4000,0x016e7804,0x016e8000,0x016eb804,
    0x016ec000,0x016ef804,0x01717800,0x01718004,0x01800002,0x01800804,0x01802800,0x01803804,
    0x01818800,0x0181b004,0x0181d800,0x0181e804,0x01820800,0x0184b804,0x0184e800,0x01850004,
    0x01850800,0x0187d804,0x0187e000,0x01880004,0x01882800,0x01898004,0x01898800,0x018c7804,
    0x018d0000,0x018e0004,0x018f8000,0x01900004,0x01a00000,0x026e0004,0x02700000,0x05246804,
    0x05268000,0x0527f004,0x05280000,0x05306804,0x05308000,0x05310001,0x05315000,0x05316004,
    0x05320000,0x05337804,0x0533f800,0x0534f004,0x05350000,0x05373004,0x0538b800,0x05390004,
    0x05391000,0x053c4804,0x053c5800,0x053e5804,0x053e8000,0x053e9004,0x053e9800,0x053ea004,
    0x053ea800,0x053ed004,0x053f9000,0x05401004,0x05401800,0x05403004,0x05403800,0x05405804,
    0x05406000,0x05411804,0x05420000,0x0543a004,0x05441000,0x0545a004,0x05468001,0x0546d004,
    0x05479000,0x0547c004,0x0547d800,0x0547e004,0x0547e800,0x0547f804,0x05480001,0x05485000,
    0x05493004,0x05498000,0x054a3804,0x054b0000,0x054be804,0x054c2000,0x054d9804,0x054e7800,
    0x054e8001,0x054ed004,0x054f0000,0x054f2804,0x054f3000,0x054f8001,0x054fd000,0x054ff804,
    0x05500000,0x05514804,0x05520000,0x05521804,0x05522000,0x05526004,0x05528001,0x0552d004,
    0x05530000,0x0553b804,0x0553d000,0x0553d804,0x0553f000,0x05558004,0x05558800,0x05559004,
    0x0555a800,0x0555b804,0x0555c800,0x0555f004,0x05560000,0x05560804,0x05561000,0x05561804,
    0x0556d800,0x0556f004,0x05570000,0x05575804,0x05579000,0x0557a804,0x05580800,0x05583804,
    0x05584800,0x05587804,0x05588800,0x0558b804,0x05590000,0x05593804,0x05594000,0x05597804,
    0x05598000,0x055ad804,0x055ae000,0x055b5004,0x055b8000,0x055f1804,0x055f8001,0x055fd004,
    0x05600000,0x06bd2004,0x06bd8000,0x06be3804,0x06be5800,0x06bfe004,0x07c80000,0x07d37004,
    0x07d38000,0x07d6d004,0x07d80000,0x07d83804,0x07d89800,0x07d8c004,0x07d8e800,0x07d8f004,
    0x07d8f800,0x07d94804,0x07d95000,0x07d9b804,0x07d9c000,0x07d9e804,0x07d9f000,0x07d9f804,
    0x07da0000,0x07da1004,0x07da1800,0x07da2804,0x07da3000,0x07dd9004,0x07de9800,0x07e9f004,
    0x07ea8000,0x07ec8004,0x07ec9000,0x07ee4004,0x07ef8000,0x07efe004,0x07f38000,0x07f3a804,
    0x07f3b000,0x07f7e804,0x07f88001,0x07f8d004,0x07f90800,0x07f9d804,0x07fa0800,0x07fad804,
    0x07fb3000,0x07fdf804,0x07fe1000,0x07fe4004,0x07fe5000,0x07fe8004,0x07fe9000,0x07fec004,
    0x07fed000,0x07fee804,0x08000000,0x08006004,0x08006800,0x08013804,0x08014000,0x0801d804,
    0x0801e000,0x0801f004,0x0801f800,0x08027004,0x08028000,0x0802f004,0x08040000,0x0807d804,
    0x08140000,0x0814e804,0x08150000,0x08168804,0x08180000,0x08190004,0x08196800,0x081a0804,
    0x081a1000,0x081a5004,0x081a8000,0x081bb004,0x081c0000,0x081cf004,0x081d0000,0x081e2004,
    0x081e4000,0x081e8004,0x08200000,0x0824f004,0x08250001,0x08255004,0x08258000,0x0826a004,
    0x0826c000,0x0827e004,0x08280000,0x08294004,0x08298000,0x082b2004,0x082b8000,0x082bd804,
    0x082be000,0x082c5804,0x082c6000,0x082c9804,0x082ca000,0x082cb004,0x082cb800,0x082d1004,
    0x082d1800,0x082d9004,0x082d9800,0x082dd004,0x082dd800,0x082de804,0x08300000,0x0839b804,
    0x083a0000,0x083ab004,0x083b0000,0x083b4004,0x083c0000,0x083c3004,0x083c3800,0x083d8804,
    0x083d9000,0x083dd804,0x08400000,0x08403004,0x08404000,0x08404804,0x08405000,0x0841b004,
    0x0841b800,0x0841c804,0x0841e000,0x0841e804,0x0841f800,0x0842b004,0x08430000,0x0843b804,
    0x08440000,0x0844f804,0x08470000,0x08479804,0x0847a000,0x0847b004,0x08480000,0x0848b004,
    0x08490000,0x0849d004,0x084c0000,0x084dc004,0x084df000,0x084e0004,0x08500000,0x08500804,
    0x08508000,0x0850a004,0x0850a800,0x0850c004,0x0850c800,0x0851b004,0x08530000,0x0853e804,
    0x08540000,0x0854e804,0x08560000,0x08564004,0x08564800,0x08572804,0x08580000,0x0859b004,
    0x085a0000,0x085ab004,0x085b0000,0x085b9804,0x085c0000,0x085c9004,0x08600000,0x08624804,
    0x08640000,0x08659804,0x08660000,0x08679804,0x08680000,0x08692004,0x08698001,0x0869d004,
    0x08740000,0x08755004,0x08758000,0x08759004,0x08780000,0x0878e804,0x08793800,0x08794004,
    0x08798000,0x087a3004,0x087b8000,0x087c1004,0x087d8000,0x087e2804,0x087f0000,0x087fb804,
    0x08801800,0x0881c004,0x08833001,0x08838004,0x08838800,0x08839804,0x0883a800,0x0883b004,
    0x08841800,0x08858004,0x08868000,0x08874804,0x08878001,0x0887d004,0x08881800,0x08893804,
    0x0889b001,0x088a0004,0x088a2000,0x088a2804,0x088a3800,0x088a4004,0x088a8000,0x088b9804,
    0x088bb000,0x088bb804,0x088c1800,0x088d9804,0x088e0800,0x088e2804,0x088e8001,0x088ed000,
    0x088ed804,0x088ee000,0x088ee804,0x08900000,0x08909004,0x08909800,0x08916004,0x08940000,
    0x08943804,0x08944000,0x08944804,0x08945000,0x08947004,0x08947800,0x0894f004,0x0894f800,
    0x08954804,0x08958000,0x0896f804,0x08978001,0x0897d004,0x08982800,0x08986804,0x08987800,
    0x08988804,0x08989800,0x08994804,0x08995000,0x08998804,0x08999000,0x0899a004,0x0899a800,
    0x0899d004,0x0899e800,0x0899f004,0x089a8000,0x089a8804,0x089ae800,0x089b1004,0x08a00000,
    0x08a1a804,0x08a23800,0x08a25804,0x08a28001,0x08a2d004,0x08a2f800,0x08a31004,0x08a40000,
    0x08a58004,0x08a62000,0x08a63004,0x08a63800,0x08a64004,0x08a68001,0x08a6d004,0x08ac0000,
    0x08ad7804,0x08aec000,0x08aee004,0x08b00000,0x08b18004,0x08b22000,0x08b22804,0x08b28001,
    0x08b2d004,0x08b40000,0x08b55804,0x08b5c000,0x08b5c804,0x08b60001,0x08b65004,0x08b80000,
    0x08b8d804,0x08b98001,0x08b9d004,0x08ba0000,0x08ba3804,0x08c00000,0x08c16004,0x08c50000,
    0x08c70001,0x08c75004,0x08c7f800,0x08c83804,0x08c84800,0x08c85004,0x08c86000,0x08c8a004,
    0x08c8a800,0x08c8b804,0x08c8c000,0x08c98004,0x08c9f800,0x08ca0004,0x08ca0800,0x08ca1004,
    0x08ca8001,0x08cad004,0x08cd0000,0x08cd4004,0x08cd5000,0x08ce8804,0x08cf0800,0x08cf1004,
    0x08cf1800,0x08cf2004,0x08d00000,0x08d00804,0x08d05800,0x08d19804,0x08d1d000,0x08d1d804,
    0x08d28000,0x08d28804,0x08d2e000,0x08d45004,0x08d4e800,0x08d4f004,0x08d58000,0x08d7c804,
    0x08e00000,0x08e04804,0x08e05000,0x08e17804,0x08e20000,0x08e20804,0x08e28001,0x08e2d004,
    0x08e39000,0x08e48004,0x08e80000,0x08e83804,0x08e84000,0x08e85004,0x08e85800,0x08e98804,
    0x08ea3000,0x08ea3804,0x08ea8001,0x08ead004,0x08eb0000,0x08eb3004,0x08eb3800,0x08eb4804,
    0x08eb5000,0x08ec5004,0x08ecc000,0x08ecc804,0x08ed0001,0x08ed5004,0x08f70000,0x08f79804,
    0x08fd8000,0x08fd8804,0x09000000,0x091cd004,0x09240000,0x092a2004,0x097c8000,0x097f8804,
    0x09800000,0x09a17804,0x0a200000,0x0a323804,0x0b400000,0x0b51c804,0x0b520000,0x0b52f804,
    0x0b530001,0x0b535004,0x0b538000,0x0b55f804,0x0b560001,0x0b565004,0x0b568000,0x0b577004,
    0x0b580000,0x0b598004,0x0b5a0000,0x0b5a2004,0x0b5a8001,0x0b5ad004,0x0b5b1800,0x0b5bc004,
    0x0b5be800,0x0b5c8004,0x0b720000,0x0b740004,0x0b780000,0x0b7a5804,0x0b7a8000,0x0b7a8804,
    0x0b7c9800,0x0b7d0004,0x0b7f0000,0x0b7f1004,0x0b7f1800,0x0b7f2004,0x0b800000,0x0c3fc004,
    0x0c400000,0x0c66b004,0x0c680000,0x0c684804,0x0d7f8000,0x0d7fa004,0x0d7fa800,0x0d7fe004,
    0x0d7fe800,0x0d7ff804,0x0d800000,0x0d891804,0x0d8a8000,0x0d8a9804,0x0d8b2000,0x0d8b4004,
    0x0d8b8000,0x0d97e004,0x0de00000,0x0de35804,0x0de38000,0x0de3e804,0x0de40000,0x0de44804,
    0x0de48000,0x0de4d004,0x0ea00000,0x0ea2a804,0x0ea2b000,0x0ea4e804,0x0ea4f000,0x0ea50004,
    0x0ea51000,0x0ea51804,0x0ea52800,0x0ea53804,0x0ea54800,0x0ea56804,0x0ea57000,0x0ea5d004,
    0x0ea5d800,0x0ea5e004,0x0ea5e800,0x0ea62004,0x0ea62800,0x0ea83004,0x0ea83800,0x0ea85804,
    0x0ea86800,0x0ea8a804,0x0ea8b000,0x0ea8e804,0x0ea8f000,0x0ea9d004,0x0ea9d800,0x0ea9f804,
    0x0eaa0000,0x0eaa2804,0x0eaa3000,0x0eaa3804,0x0eaa5000,0x0eaa8804,0x0eaa9000,0x0eb53004,
    0x0eb54000,0x0eb60804,0x0eb61000,0x0eb6d804,0x0eb6e000,0x0eb7d804,0x0eb7e000,0x0eb8a804,
    0x0eb8b000,0x0eb9a804,0x0eb9b000,0x0eba7804,0x0eba8000,0x0ebb7804,0x0ebb8000,0x0ebc4804,
    0x0ebc5000,0x0ebd4804,0x0ebd5000,0x0ebe1804,0x0ebe2000,0x0ebe6004,0x0ebe7001,0x0ec00004,
    0x0ef80000,0x0ef8f804,0x0f080000,0x0f096804,0x0f09b800,0x0f09f004,0x0f0a0001,0x0f0a5004,
    0x0f0a7000,0x0f0a7804,0x0f148000,0x0f157004,0x0f160000,0x0f176004,0x0f178001,0x0f17d004,
    0x0f3f0000,0x0f3f3804,0x0f3f4000,0x0f3f6004,0x0f3f6800,0x0f3f7804,0x0f3f8000,0x0f3ff804,
    0x0f400000,0x0f462804,0x0f480000,0x0f4a2004,0x0f4a5800,0x0f4a6004,0x0f4a8001,0x0f4ad004,
    0x0f700000,0x0f702004,0x0f702800,0x0f710004,0x0f710800,0x0f711804,0x0f712000,0x0f712804,
    0x0f713800,0x0f714004,0x0f714800,0x0f719804,0x0f71a000,0x0f71c004,0x0f71c800,0x0f71d004,
    0x0f71d800,0x0f71e004,0x0f721000,0x0f721804,0x0f723800,0x0f724004,0x0f724800,0x0f725004,
    0x0f725800,0x0f726004,0x0f726800,0x0f728004,0x0f728800,0x0f729804,0x0f72a000,0x0f72a804,
    0x0f72b800,0x0f72c004,0x0f72c800,0x0f72d004,0x0f72d800,0x0f72e004,0x0f72e800,0x0f72f004,
    0x0f72f800,0x0f730004,0x0f730800,0x0f731804,0x0f732000,0x0f732804,0x0f733800,0x0f735804,
    0x0f736000,0x0f739804,0x0f73a000,0x0f73c004,0x0f73c800,0x0f73e804,0x0f73f000,0x0f73f804,
    0x0f740000,0x0f745004,0x0f745800,0x0f74e004,0x0f750800,0x0f752004,0x0f752800,0x0f755004,
    0x0f755800,0x0f75e004,0x0fdf8001,0x0fdfd004,0x10000000,0x15370004,0x15380000,0x15b9c804,
    0x15ba0000,0x15c0f004,0x15c10000,0x16751004,0x16758000,0x175f0804,0x17c00000,0x17d0f004,
    0x18000000,0x189a5804,
};
const tally_unicode_runs tally_unicode_categories = {
    unicode_categories, sizeof unicode_categories / sizeof *unicode_categories};

static const uint32_t unicode_normal[] = {
    0x00000000,0x001801e6,0x001828e6,0x001831e6,0x001868e6,0x001879e6,0x001880e6,0x001889e6,
    0x001890e6,0x001899e6,0x0018a8e8,0x0018b0dc,0x0018d0e8,0x0018d9d8,0x0018e0dc,0x001908ca,
    0x001919dc,0x001939ca,0x001948dc,0x001969dc,0x001978dc,0x001981dc,0x001990dc,0x0019a001,
    0x0019c101,0x0019c8dc,0x0019e8e6,0x001a02e6,0x001a11e6,0x001a1ae6,0x001a29f0,0x001a30e6,
    0x001a38dc,0x001a50e6,0x001a68dc,0x001a7800,0x001a80e6,0x001a98dc,0x001ab8e6,0x001ac0e8,
    0x001ac8dc,0x001ad8e6,0x001ae0e9,0x001ae8ea,0x001af8e9,0x001b00ea,0x001b10e9,0x001b18e6,
    0x001b8000,0x001ba200,0x001ba800,0x001bf200,0x001bf800,0x001c3a00,0x001c4000,0x002418e6,
    0x00244000,0x002c88dc,0x002c90e6,0x002cb0dc,0x002cb8e6,0x002cd0de,0x002cd8dc,0x002ce0e6,
    0x002d10dc,0x002d40e6,0x002d50dc,0x002d58e6,0x002d68de,0x002d70e4,0x002d78e6,0x002d800a,
    0x002d880b,0x002d900c,0x002d980d,0x002da00e,0x002da80f,0x002db010,0x002db811,0x002dc012,
    0x002dc813,0x002dd814,0x002de015,0x002de816,0x002df000,0x002df817,0x002e0000,0x002e0818,
    0x002e1019,0x002e1800,0x002e20e6,0x002e28dc,0x002e3000,0x002e3812,0x002e4000,0x003080e6,
    0x0030c01e,0x0030c81f,0x0030d020,0x0030d800,0x0032581b,0x0032601c,0x0032681d,0x0032701e,
    0x0032781f,0x00328020,0x00328821,0x00329022,0x003299e6,0x0032a9dc,0x0032b0dc,0x0032b8e6,
    0x0032e0dc,0x0032e8e6,0x0032f8dc,0x00330000,0x00338023,0x00338800,0x0036b0e6,0x0036e800,
    0x0036f8e6,0x003718dc,0x003720e6,0x00372800,0x003738e6,0x00374800,0x003750dc,0x003758e6,
    0x003768dc,0x00377000,0x00388824,0x00389000,0x003980e6,0x003988dc,0x003990e6,0x0039a0dc,
    0x0039a8e6,0x0039b8dc,0x0039d0e6,0x0039d8dc,0x0039e8e6,0x0039f0dc,0x0039f8e6,0x003a10dc,
    0x003a18e6,0x003a20dc,0x003a28e6,0x003a30dc,0x003a38e6,0x003a40dc,0x003a48e6,0x003a5800,
    0x003f58e6,0x003f90dc,0x003f98e6,0x003fa000,0x003fe8dc,0x003ff000,0x0040b0e6,0x0040d000,
    0x0040d8e6,0x00412000,0x004128e6,0x00414000,0x004148e6,0x00417000,0x0042c8dc,0x0042e000,
    0x0044c0e6,0x0044c8dc,0x0044e0e6,0x00450000,0x004650e6,0x004678dc,0x0046a0e6,0x00471000,
    0x004718dc,0x004720e6,0x004730dc,0x004738e6,0x004748dc,0x004750e6,0x004768dc,0x0047801b,
    0x0047881c,0x0047901d,0x004798e6,0x0047b0dc,0x0047b8e6,0x0047c8dc,0x0047d8e6,0x00480000,
    0x0049e107,0x0049e800,0x004a6809,0x004a7000,0x004a88e6,0x004a90dc,0x004a98e6,0x004aa800,
    0x004ac200,0x004b0000,0x004de007,0x004de800,0x004df100,0x004df800,0x004e6809,0x004e7000,
    0x004eb900,0x004ec000,0x004ee200,0x004ef000,0x004efa00,0x004f0000,0x004ff0e6,0x004ff800,
    0x00519a00,0x0051a000,0x0051b200,0x0051b800,0x0051e007,0x0051e800,0x00526809,0x00527000,
    0x0052ca00,0x0052e000,0x0052f200,0x0052f800,0x0055e007,0x0055e800,0x00566809,0x00567000,
    0x0059e007,0x0059e800,0x0059f100,0x0059f800,0x005a6809,0x005a7000,0x005ab100,0x005ac000,
    0x005ae200,0x005af000,0x005df100,0x005df800,0x005e6809,0x005e7000,0x005eb900,0x005ec000,
    0x0061e007,0x0061e800,0x00626809,0x00627000,0x0062a854,0x0062b15b,0x0062b800,0x0065e007,
    0x0065e800,0x00661100,0x00661800,0x00666809,0x00667000,0x0066a900,0x0066b800,0x0069d809,
    0x0069e800,0x0069f100,0x0069f800,0x006a6809,0x006a7000,0x006ab900,0x006ac000,0x006e5109,
    0x006e5800,0x006e7900,0x006e8000,0x006ef900,0x006f0000,0x0071c067,0x0071d009,0x0071d800,
    0x0072406b,0x00726000,0x0075c076,0x0075d009,0x0075d800,0x0076407a,0x00766000,0x0078c0dc,
    0x0078d000,0x0079a8dc,0x0079b000,0x0079b8dc,0x0079c000,0x0079c8d8,0x0079d000,0x007a1a00,
    0x007a2000,0x007a6a00,0x007a7000,0x007a9200,0x007a9800,0x007aba00,0x007ac000,0x007ae200,
    0x007ae800,0x007b4a00,0x007b5000,0x007b8881,0x007b9082,0x007b9a00,0x007ba084,0x007baa00,
    0x007bb800,0x007bc200,0x007bc800,0x007bd082,0x007bf000,0x007c0082,0x007c0a00,0x007c10e6,
    0x007c2009,0x007c2800,0x007c30e6,0x007c4000,0x007c9a00,0x007ca000,0x007cea00,0x007cf000,
    0x007d1200,0x007d1800,0x007d3a00,0x007d4000,0x007d6200,0x007d6800,0x007dca00,0x007dd000,
    0x007e30dc,0x007e3800,0x00817100,0x00817800,0x0081b807,0x0081c000,0x0081c809,0x0081d800,
    0x008468dc,0x00847000,0x008b0900,0x008bb000,0x008d4100,0x008e1800,0x009ae8e6,0x009b0000,
    0x00b8a009,0x00b8b000,0x00b9a009,0x00b9a800,0x00be9009,0x00be9800,0x00bee8e6,0x00bef000,
    0x00c548e4,0x00c55000,0x00c9c8de,0x00c9d0e6,0x00c9d8dc,0x00c9e000,0x00d0b8e6,0x00d0c0dc,
    0x00d0c800,0x00d30009,0x00d30800,0x00d3a8e6,0x00d3e800,0x00d3f8dc,0x00d40000,0x00d580e6,
    0x00d5a8dc,0x00d5d8e6,0x00d5e8dc,0x00d5f000,0x00d5f8dc,0x00d608e6,0x00d618dc,0x00d628e6,
    0x00d650dc,0x00d658e6,0x00d67800,0x00d9a007,0x00d9a900,0x00d9b000,0x00da2009,0x00da2800,
    0x00db58e6,0x00db60dc,0x00db68e6,0x00dba000,0x00dd5009,0x00dd6000,0x00df3007,0x00df3800,
    0x00df9009,0x00dfa000,0x00e1b807,0x00e1c000,0x00e680e6,0x00e69800,0x00e6a001,0x00e6a8dc,
    0x00e6d0e6,0x00e6e0dc,0x00e700e6,0x00e70800,0x00e71001,0x00e74800,0x00e768dc,0x00e77000,
    0x00e7a0e6,0x00e7a800,0x00e7c0e6,0x00e7d000,0x00ee00e6,0x00ee10dc,0x00ee18e6,0x00ee50dc,
    0x00ee58e6,0x00ee68ea,0x00ee70d6,0x00ee78dc,0x00ee80ca,0x00ee88e6,0x00efb0e8,0x00efb8e4,
    0x00efc8dc,0x00efd0da,0x00efd8e6,0x00efe0e9,0x00efe8dc,0x00eff0e6,0x00eff8dc,0x00f00000,
    0x00fb8a00,0x00fb9000,0x00fb9a00,0x00fba000,0x00fbaa00,0x00fbb000,0x00fbba00,0x00fbc000,
    0x00fbca00,0x00fbd000,0x00fbda00,0x00fbe000,0x00fbea00,0x00fbf000,0x00fdda00,0x00fde000,
    0x00fdf200,0x00fdf800,0x00fe4a00,0x00fe5000,0x00fe5a00,0x00fe6000,0x00fe9a00,0x00fea000,
    0x00feda00,0x00fee000,0x00ff1a00,0x00ff2000,0x00ff5a00,0x00ff6000,0x00ff7200,0x00ff8000,
    0x00ffca00,0x00ffd000,0x00ffda00,0x00ffe000,0x00ffea00,0x00fff000,0x01000200,0x01001000,
    0x010680e6,0x01069001,0x0106a0e6,0x0106c001,0x0106d8e6,0x0106e800,0x010708e6,0x01071000,
    0x01072801,0x010738e6,0x010740dc,0x010748e6,0x01075001,0x010760dc,0x010780e6,0x01078800,
    0x01093200,0x01093800,0x01095200,0x01096000,0x01194a00,0x01195800,0x0156e200,0x0156e800,
    0x016778e6,0x01679000,0x016bf809,0x016c0000,0x016f00e6,0x01700000,0x018150da,0x018158e4,
    0x018160e8,0x018168de,0x018170e0,0x01818000,0x0184c908,0x0184d800,0x053378e6,0x05338000,
    0x0533a0e6,0x0533f000,0x0534f0e6,0x05350000,0x053780e6,0x05379000,0x05403009,0x05403800,
    0x05416009,0x05416800,0x05462009,0x05462800,0x054700e6,0x05479000,0x054958dc,0x05497000,
    0x054a9809,0x054aa000,0x054d9807,0x054da000,0x054e0009,0x054e0800,0x055580e6,0x05558800,
    0x055590e6,0x0555a0dc,0x0555a800,0x0555b8e6,0x0555c800,0x0555f0e6,0x05560000,0x055608e6,
    0x05561000,0x0557b009,0x0557b800,0x055f6809,0x055f7000,0x07c80200,0x07d07000,0x07d08200,
    0x07d08800,0x07d09200,0x07d09800,0x07d0aa00,0x07d0f800,0x07d10200,0x07d10800,0x07d11200,
    0x07d11800,0x07d12a00,0x07d13800,0x07d15200,0x07d37000,0x07d38200,0x07d6d000,0x07d8ea00,
    0x07d8f01a,0x07d8fa00,0x07d90000,0x07d95200,0x07d9b800,0x07d9c200,0x07d9e800,0x07d9f200,
    0x07d9f800,0x07da0200,0x07da1000,0x07da1a00,0x07da2800,0x07da3200,0x07da7800,0x07f100e6,
    0x07f138dc,0x07f170e6,0x07f18000,0x080fe8dc,0x080ff000,0x081700dc,0x08170800,0x081bb0e6,
    0x081bd800,0x085068dc,0x08507000,0x085078e6,0x08508000,0x0851c0e6,0x0851c801,0x0851d0dc,
    0x0851d800,0x0851f809,0x08520000,0x085728e6,0x085730dc,0x08573800,0x086920e6,0x08694000,
    0x087558e6,0x08756800,0x087a30dc,0x087a40e6,0x087a58dc,0x087a60e6,0x087a68dc,0x087a8800,
    0x087c10e6,0x087c18dc,0x087c20e6,0x087c28dc,0x087c3000,0x08823009,0x08823800,0x08838009,
    0x08838800,0x0883f809,0x08840000,0x0885c809,0x0885d107,0x0885d800,0x088800e6,0x08881800,
    0x08893900,0x08894000,0x08899809,0x0889a800,0x088b9807,0x088ba000,0x088e0009,0x088e0800,
    0x088e5007,0x088e5800,0x0891a809,0x0891b007,0x0891b800,0x08974807,0x08975009,0x08975800,
    0x0899d807,0x0899e800,0x0899f100,0x0899f800,0x089a6809,0x089a7000,0x089ab900,0x089ac000,
    0x089b30e6,0x089b6800,0x089b80e6,0x089ba800,0x08a21009,0x08a21800,0x08a23007,0x08a23800,
    0x08a2f0e6,0x08a2f800,0x08a58100,0x08a58800,0x08a5d100,0x08a5d800,0x08a5e900,0x08a5f000,
    0x08a61009,0x08a61807,0x08a62000,0x08ad7900,0x08ad8000,0x08adf809,0x08ae0007,0x08ae0800,
    0x08b1f809,0x08b20000,0x08b5b009,0x08b5b807,0x08b5c000,0x08b95809,0x08b96000,0x08c1c809,
    0x08c1d007,0x08c1d800,0x08c98100,0x08c98800,0x08c9e809,0x08c9f800,0x08ca1807,0x08ca2000,
    0x08cf0009,0x08cf0800,0x08d1a009,0x08d1a800,0x08d23809,0x08d24000,0x08d4c809,0x08d4d000,
    0x08e1f809,0x08e20000,0x08ea1007,0x08ea1800,0x08ea2009,0x08ea3000,0x08ecb809,0x08ecc000,
    0x0b578001,0x0b57a800,0x0b5980e6,0x0b59b800,0x0b7f8006,0x0b7f9000,0x0de4f001,0x0de4f800,
    0x0e8af200,0x0e8b28d8,0x0e8b3801,0x0e8b5000,0x0e8b68e2,0x0e8b70d8,0x0e8b9800,0x0e8bd8dc,
    0x0e8c1800,0x0e8c28e6,0x0e8c50dc,0x0e8c6000,0x0e8d50e6,0x0e8d7000,0x0e8dda00,0x0e8e0800,
    0x0e9210e6,0x0e922800,0x0f0000e6,0x0f003800,0x0f0040e6,0x0f00c800,0x0f00d8e6,0x0f011000,
    0x0f0118e6,0x0f012800,0x0f0130e6,0x0f015800,0x0f0980e6,0x0f09b800,0x0f1570e6,0x0f157800,
    0x0f1760e6,0x0f178000,0x0f4680dc,0x0f46b800,0x0f4a20e6,0x0f4a5007,0x0f4a5800,0x17c00200,
    0x17d0f000,
};
const tally_unicode_runs tally_unicode_normal = {
    unicode_normal, sizeof unicode_normal / sizeof *unicode_normal};

const uint64_t tally_unicode_pairs[] = {
    0x0000f0006700226e,0x0000f40067002260,0x0000f8006700226f,0x00010400600000c0,0x00010400602000c1,
    0x00010400604000c2,0x00010400606000c3,0x0001040060800100,0x0001040060c00102,0x0001040060e00226,
    0x00010400610000c4,0x0001040061201ea2,0x00010400614000c5,0x00010400618001cd,0x0001040061e00200,
    0x0001040062200202,0x0001040064601ea0,0x0001040064a01e00,0x0001040065000104,0x0001080060e01e02,
    0x0001080064601e04,0x0001080066201e06,0x00010c0060200106,0x00010c0060400108,0x00010c0060e0010a,
    0x00010c006180010c,0x00010c0064e000c7,0x0001100060e01e0a,0x000110006180010e,0x0001100064601e0c,
    0x0001100064e01e10,0x0001100065a01e12,0x0001100066201e0e,0x00011400600000c8,0x00011400602000c9,
    0x00011400604000ca,0x0001140060601ebc,0x0001140060800112,0x0001140060c00114,0x0001140060e00116,
    0x00011400610000cb,0x0001140061201eba,0x000114006180011a,0x0001140061e00204,0x0001140062200206,
    0x0001140064601eb8,0x0001140064e00228,0x0001140065000118,0x0001140065a01e18,0x0001140066001e1a,
    0x0001180060e01e1e,0x00011c00602001f4,0x00011c006040011c,0x00011c0060801e20,0x00011c0060c0011e,
    0x00011c0060e00120,0x00011c00618001e6,0x00011c0064e00122,0x0001200060400124,0x0001200060e01e22,
    0x0001200061001e26,0x000120006180021e,0x0001200064601e24,0x0001200064e01e28,0x0001200065c01e2a,
    0x00012400600000cc,0x00012400602000cd,0x00012400604000ce,0x0001240060600128,0x000124006080012a,
    0x0001240060c0012c,0x0001240060e00130,0x00012400610000cf,0x0001240061201ec8,0x00012400618001cf,
    0x0001240061e00208,0x000124006220020a,0x0001240064601eca,0x000124006500012e,0x0001240066001e2c,
    0x0001280060400134,0x00012c0060201e30,0x00012c00618001e8,0x00012c0064601e32,0x00012c0064e00136,
    0x00012c0066201e34,0x0001300060200139,0x000130006180013d,0x0001300064601e36,0x0001300064e0013b,
    0x0001300065a01e3c,0x0001300066201e3a,0x0001340060201e3e,0x0001340060e01e40,0x0001340064601e42,
    0x00013800600001f8,0x0001380060200143,0x00013800606000d1,0x0001380060e01e44,0x0001380061800147,
    0x0001380064601e46,0x0001380064e00145,0x0001380065a01e4a,0x0001380066201e48,0x00013c00600000d2,
    0x00013c00602000d3,0x00013c00604000d4,0x00013c00606000d5,0x00013c006080014c,0x00013c0060c0014e,
    0x00013c0060e0022e,0x00013c00610000d6,0x00013c0061201ece,0x00013c0061600150,0x00013c00618001d1,
    0x00013c0061e0020c,0x00013c006220020e,0x00013c00636001a0,0x00013c0064601ecc,0x00013c00650001ea,
    0x0001400060201e54,0x0001400060e01e56,0x0001480060200154,0x0001480060e01e58,0x0001480061800158,
    0x0001480061e00210,0x0001480062200212,0x0001480064601e5a,0x0001480064e00156,0x0001480066201e5e,
    0x00014c006020015a,0x00014c006040015c,0x00014c0060e01e60,0x00014c0061800160,0x00014c0064601e62,
    0x00014c0064c00218,0x00014c0064e0015e,0x0001500060e01e6a,0x0001500061800164,0x0001500064601e6c,
    0x0001500064c0021a,0x0001500064e00162,0x0001500065a01e70,0x0001500066201e6e,0x00015400600000d9,
    0x00015400602000da,0x00015400604000db,0x0001540060600168,0x000154006080016a,0x0001540060c0016c,
    0x00015400610000dc,0x0001540061201ee6,0x000154006140016e,0x0001540061600170,0x00015400618001d3,
    0x0001540061e00214,0x0001540062200216,0x00015400636001af,0x0001540064601ee4,0x0001540064801e72,
    0x0001540065000172,0x0001540065a01e76,0x0001540066001e74,0x0001580060601e7c,0x0001580064601e7e,
    0x00015c0060001e80,0x00015c0060201e82,0x00015c0060400174,0x00015c0060e01e86,0x00015c0061001e84,
    0x00015c0064601e88,0x0001600060e01e8a,0x0001600061001e8c,0x0001640060001ef2,0x00016400602000dd,
    0x0001640060400176,0x0001640060601ef8,0x0001640060800232,0x0001640060e01e8e,0x0001640061000178,
    0x0001640061201ef6,0x0001640064601ef4,0x0001680060200179,0x0001680060401e90,0x0001680060e0017b,
    0x000168006180017d,0x0001680064601e92,0x0001680066201e94,0x00018400600000e0,0x00018400602000e1,
    0x00018400604000e2,0x00018400606000e3,0x0001840060800101,0x0001840060c00103,0x0001840060e00227,
    0x00018400610000e4,0x0001840061201ea3,0x00018400614000e5,0x00018400618001ce,0x0001840061e00201,
    0x0001840062200203,0x0001840064601ea1,0x0001840064a01e01,0x0001840065000105,0x0001880060e01e03,
    0x0001880064601e05,0x0001880066201e07,0x00018c0060200107,0x00018c0060400109,0x00018c0060e0010b,
    0x00018c006180010d,0x00018c0064e000e7,0x0001900060e01e0b,0x000190006180010f,0x0001900064601e0d,
    0x0001900064e01e11,0x0001900065a01e13,0x0001900066201e0f,0x00019400600000e8,0x00019400602000e9,
    0x00019400604000ea,0x0001940060601ebd,0x0001940060800113,0x0001940060c00115,0x0001940060e00117,
    0x00019400610000eb,0x0001940061201ebb,0x000194006180011b,0x0001940061e00205,0x0001940062200207,
    0x0001940064601eb9,0x0001940064e00229,0x0001940065000119,0x0001940065a01e19,0x0001940066001e1b,
    0x0001980060e01e1f,0x00019c00602001f5,0x00019c006040011d,0x00019c0060801e21,0x00019c0060c0011f,
    0x00019c0060e00121,0x00019c00618001e7,0x00019c0064e00123,0x0001a00060400125,0x0001a00060e01e23,
    0x0001a00061001e27,0x0001a0006180021f,0x0001a00064601e25,0x0001a00064e01e29,0x0001a00065c01e2b,
    0x0001a00066201e96,0x0001a400600000ec,0x0001a400602000ed,0x0001a400604000ee,0x0001a40060600129,
    0x0001a4006080012b,0x0001a40060c0012d,0x0001a400610000ef,0x0001a40061201ec9,0x0001a400618001d0,
    0x0001a40061e00209,0x0001a4006220020b,0x0001a40064601ecb,0x0001a4006500012f,0x0001a40066001e2d,
    0x0001a80060400135,0x0001a800618001f0,0x0001ac0060201e31,0x0001ac00618001e9,0x0001ac0064601e33,
    0x0001ac0064e00137,0x0001ac0066201e35,0x0001b0006020013a,0x0001b0006180013e,0x0001b00064601e37,
    0x0001b00064e0013c,0x0001b00065a01e3d,0x0001b00066201e3b,0x0001b40060201e3f,0x0001b40060e01e41,
    0x0001b40064601e43,0x0001b800600001f9,0x0001b80060200144,0x0001b800606000f1,0x0001b80060e01e45,
    0x0001b80061800148,0x0001b80064601e47,0x0001b80064e00146,0x0001b80065a01e4b,0x0001b80066201e49,
    0x0001bc00600000f2,0x0001bc00602000f3,0x0001bc00604000f4,0x0001bc00606000f5,0x0001bc006080014d,
    0x0001bc0060c0014f,0x0001bc0060e0022f,0x0001bc00610000f6,0x0001bc0061201ecf,0x0001bc0061600151,
    0x0001bc00618001d2,0x0001bc0061e0020d,0x0001bc006220020f,0x0001bc00636001a1,0x0001bc0064601ecd,
    0x0001bc00650001eb,0x0001c00060201e55,0x0001c00060e01e57,0x0001c80060200155,0x0001c80060e01e59,
    0x0001c80061800159,0x0001c80061e00211,0x0001c80062200213,0x0001c80064601e5b,0x0001c80064e00157,
    0x0001c80066201e5f,0x0001cc006020015b,0x0001cc006040015d,0x0001cc0060e01e61,0x0001cc0061800161,
    0x0001cc0064601e63,0x0001cc0064c00219,0x0001cc0064e0015f,0x0001d00060e01e6b,0x0001d00061001e97,
    0x0001d00061800165,0x0001d00064601e6d,0x0001d00064c0021b,0x0001d00064e00163,0x0001d00065a01e71,
    0x0001d00066201e6f,0x0001d400600000f9,0x0001d400602000fa,0x0001d400604000fb,0x0001d40060600169,
    0x0001d4006080016b,0x0001d40060c0016d,0x0001d400610000fc,0x0001d40061201ee7,0x0001d4006140016f,
    0x0001d40061600171,0x0001d400618001d4,0x0001d40061e00215,0x0001d40062200217,0x0001d400636001b0,
    0x0001d40064601ee5,0x0001d40064801e73,0x0001d40065000173,0x0001d40065a01e77,0x0001d40066001e75,
    0x0001d80060601e7d,0x0001d80064601e7f,0x0001dc0060001e81,0x0001dc0060201e83,0x0001dc0060400175,
    0x0001dc0060e01e87,0x0001dc0061001e85,0x0001dc0061401e98,0x0001dc0064601e89,0x0001e00060e01e8b,
    0x0001e00061001e8d,0x0001e40060001ef3,0x0001e400602000fd,0x0001e40060400177,0x0001e40060601ef9,
    0x0001e40060800233,0x0001e40060e01e8f,0x0001e400610000ff,0x0001e40061201ef7,0x0001e40061401e99,
    0x0001e40064601ef5,0x0001e8006020017a,0x0001e80060401e91,0x0001e80060e0017c,0x0001e8006180017e,
    0x0001e80064601e93,0x0001e80066201e95,0x0002a00060001fed,0x0002a00060200385,0x0002a00068401fc1,
    0x0003080060001ea6,0x0003080060201ea4,0x0003080060601eaa,0x0003080061201ea8,0x00031000608001de,
    0x00031400602001fa,0x00031800602001fc,0x00031800608001e2,0x00031c0060201e08,0x0003280060001ec0,
    0x0003280060201ebe,0x0003280060601ec4,0x0003280061201ec2,0x00033c0060201e2e,0x0003500060001ed2,
    0x0003500060201ed0,0x0003500060601ed6,0x0003500061201ed4,0x0003540060201e4c,0x000354006080022c,
    0x0003540061001e4e,0x000358006080022a,0x00036000602001fe,0x00037000600001db,0x00037000602001d7,
    0x00037000608001d5,0x00037000618001d9,0x0003880060001ea7,0x0003880060201ea5,0x0003880060601eab,
    0x0003880061201ea9,0x00039000608001df,0x00039400602001fb,0x00039800602001fd,0x00039800608001e3,
    0x00039c0060201e09,0x0003a80060001ec1,0x0003a80060201ebf,0x0003a80060601ec5,0x0003a80061201ec3,
    0x0003bc0060201e2f,0x0003d00060001ed3,0x0003d00060201ed1,0x0003d00060601ed7,0x0003d00061201ed5,
    0x0003d40060201e4d,0x0003d4006080022d,0x0003d40061001e4f,0x0003d8006080022b,0x0003e000602001ff,
    0x0003f000600001dc,0x0003f000602001d8,0x0003f000608001d6,0x0003f000618001da,0x0004080060001eb0,
    0x0004080060201eae,0x0004080060601eb4,0x0004080061201eb2,0x00040c0060001eb1,0x00040c0060201eaf,
    0x00040c0060601eb5,0x00040c0061201eb3,0x0004480060001e14,0x0004480060201e16,0x00044c0060001e15,
    0x00044c0060201e17,0x0005300060001e50,0x0005300060201e52,0x0005340060001e51,0x0005340060201e53,
    0x0005680060e01e64,0x00056c0060e01e65,0x0005800060e01e66,0x0005840060e01e67,0x0005a00060201e78,
    0x0005a40060201e79,0x0005a80061001e7a,0x0005ac0061001e7b,0x0005fc0060e01e9b,0x0006800060001edc,
    0x0006800060201eda,0x0006800060601ee0,0x0006800061201ede,0x0006800064601ee2,0x0006840060001edd,
    0x0006840060201edb,0x0006840060601ee1,0x0006840061201edf,0x0006840064601ee3,0x0006bc0060001eea,
    0x0006bc0060201ee8,0x0006bc0060601eee,0x0006bc0061201eec,0x0006bc0064601ef0,0x0006c00060001eeb,
    0x0006c00060201ee9,0x0006c00060601eef,0x0006c00061201eed,0x0006c00064601ef1,0x0006dc00618001ee,
    0x0007a800608001ec,0x0007ac00608001ed,0x00089800608001e0,0x00089c00608001e1,0x0008a00060c01e1c,
    0x0008a40060c01e1d,0x0008b80060800230,0x0008bc0060800231,0x000a4800618001ef,0x000e440060001fba,
    0x000e440060200386,0x000e440060801fb9,0x000e440060c01fb8,0x000e440062601f08,0x000e440062801f09,
    0x000e440068a01fbc,0x000e540060001fc8,0x000e540060200388,0x000e540062601f18,0x000e540062801f19,
    0x000e5c0060001fca,0x000e5c0060200389,0x000e5c0062601f28,0x000e5c0062801f29,0x000e5c0068a01fcc,
    0x000e640060001fda,0x000e64006020038a,0x000e640060801fd9,0x000e640060c01fd8,0x000e6400610003aa,
    0x000e640062601f38,0x000e640062801f39,0x000e7c0060001ff8,0x000e7c006020038c,0x000e7c0062601f48,
    0x000e7c0062801f49,0x000e840062801fec,0x000e940060001fea,0x000e94006020038e,0x000e940060801fe9,
    0x000e940060c01fe8,0x000e9400610003ab,0x000e940062801f59,0x000ea40060001ffa,0x000ea4006020038f,
    0x000ea40062601f68,0x000ea40062801f69,0x000ea40068a01ffc,0x000eb00068a01fb4,0x000eb80068a01fc4,
    0x000ec40060001f70,0x000ec400602003ac,0x000ec40060801fb1,0x000ec40060c01fb0,0x000ec40062601f00,
    0x000ec40062801f01,0x000ec40068401fb6,0x000ec40068a01fb3,0x000ed40060001f72,0x000ed400602003ad,
    0x000ed40062601f10,0x000ed40062801f11,0x000edc0060001f74,0x000edc00602003ae,0x000edc0062601f20,
    0x000edc0062801f21,0x000edc0068401fc6,0x000edc0068a01fc3,0x000ee40060001f76,0x000ee400602003af,
    0x000ee40060801fd1,0x000ee40060c01fd0,0x000ee400610003ca,0x000ee40062601f30,0x000ee40062801f31,
    0x000ee40068401fd6,0x000efc0060001f78,0x000efc00602003cc,0x000efc0062601f40,0x000efc0062801f41,
    0x000f040062601fe4,0x000f040062801fe5,0x000f140060001f7a,0x000f1400602003cd,0x000f140060801fe1,
    0x000f140060c01fe0,0x000f1400610003cb,0x000f140062601f50,0x000f140062801f51,0x000f140068401fe6,
    0x000f240060001f7c,0x000f2400602003ce,0x000f240062601f60,0x000f240062801f61,0x000f240068401ff6,
    0x000f240068a01ff3,0x000f280060001fd2,0x000f280060200390,0x000f280068401fd7,0x000f2c0060001fe2,
    0x000f2c00602003b0,0x000f2c0068401fe7,0x000f380068a01ff4,0x000f4800602003d3,0x000f4800610003d4,
    0x0010180061000407,0x0010400060c004d0,0x00104000610004d2,0x00104c0060200403,0x0010540060000400,
    0x0010540060c004d6,0x0010540061000401,0x0010580060c004c1,0x00105800610004dc,0x00105c00610004de,
    0x001060006000040d,0x00106000608004e2,0x0010600060c00419,0x00106000610004e4,0x001068006020040c,
    0x00107800610004e6,0x00108c00608004ee,0x00108c0060c0040e,0x00108c00610004f0,0x00108c00616004f2,
    0x00109c00610004f4,0x0010ac00610004f8,0x0010b400610004ec,0x0010c00060c004d1,0x0010c000610004d3,
    0x0010cc0060200453,0x0010d40060000450,0x0010d40060c004d7,0x0010d40061000451,0x0010d80060c004c2,
    0x0010d800610004dd,0x0010dc00610004df,0x0010e0006000045d,0x0010e000608004e3,0x0010e00060c00439,
    0x0010e000610004e5,0x0010e8006020045c,0x0010f800610004e7,0x00110c00608004ef,0x00110c0060c0045e,
    0x00110c00610004f1,0x00110c00616004f3,0x00111c00610004f5,0x00112c00610004f9,0x00113400610004ed,
    0x0011580061000457,0x0011d00061e00476,0x0011d40061e00477,0x00136000610004da,0x00136400610004db,
    0x0013a000610004ea,0x0013a400610004eb,0x00189c00ca600622,0x00189c00ca800623,0x00189c00caa00625,
    0x00192000ca800624,0x00192800ca800626,0x001b0400ca8006c2,0x001b4800ca8006d3,0x001b5400ca8006c0,
    0x0024a00127800929,0x0024c00127800931,0x0024cc0127800934,0x00271c0137c009cb,0x00271c013ae009cc,
    0x002d1c0167c00b4b,0x002d1c016ac00b48,0x002d1c016ae00b4c,0x002e48017ae00b94,0x002f180177c00bca,
    0x002f18017ae00bcc,0x002f1c0177c00bcb,0x003118018ac00c48,0x0032fc019aa00cc0,0x0033180198400cca,
    0x003318019aa00cc7,0x003318019ac00cc8,0x003328019aa00ccb,0x00351801a7c00d4a,0x00351801aae00d4c,
    0x00351c01a7c00d4b,0x00376401b9400dda,0x00376401b9e00ddc,0x00376401bbe00dde,0x00377001b9400ddd,
    0x0040940205c01026,0x006c140366a01b06,0x006c1c0366a01b08,0x006c240366a01b0a,0x006c2c0366a01b0c,
    0x006c340366a01b0e,0x006c440366a01b12,0x006ce80366a01b3b,0x006cf00366a01b3d,0x006cf80366a01b40,
    0x006cfc0366a01b41,0x006d080366a01b43,0x0078d80060801e38,0x0078dc0060801e39,0x0079680060801e5c,
    0x00796c0060801e5d,0x0079880060e01e68,0x00798c0060e01e69,0x007a800060401eac,0x007a800060c01eb6,
    0x007a840060401ead,0x007a840060c01eb7,0x007ae00060401ec6,0x007ae40060401ec7,0x007b300060401ed8,
    0x007b340060401ed9,0x007c000060001f02,0x007c000060201f04,0x007c000068401f06,0x007c000068a01f80,
    0x007c040060001f03,0x007c040060201f05,0x007c040068401f07,0x007c040068a01f81,0x007c080068a01f82,
    0x007c0c0068a01f83,0x007c100068a01f84,0x007c140068a01f85,0x007c180068a01f86,0x007c1c0068a01f87,
    0x007c200060001f0a,0x007c200060201f0c,0x007c200068401f0e,0x007c200068a01f88,0x007c240060001f0b,
    0x007c240060201f0d,0x007c240068401f0f,0x007c240068a01f89,0x007c280068a01f8a,0x007c2c0068a01f8b,
    0x007c300068a01f8c,0x007c340068a01f8d,0x007c380068a01f8e,0x007c3c0068a01f8f,0x007c400060001f12,
    0x007c400060201f14,0x007c440060001f13,0x007c440060201f15,0x007c600060001f1a,0x007c600060201f1c,
    0x007c640060001f1b,0x007c640060201f1d,0x007c800060001f22,0x007c800060201f24,0x007c800068401f26,
    0x007c800068a01f90,0x007c840060001f23,0x007c840060201f25,0x007c840068401f27,0x007c840068a01f91,
    0x007c880068a01f92,0x007c8c0068a01f93,0x007c900068a01f94,0x007c940068a01f95,0x007c980068a01f96,
    0x007c9c0068a01f97,0x007ca00060001f2a,0x007ca00060201f2c,0x007ca00068401f2e,0x007ca00068a01f98,
    0x007ca40060001f2b,0x007ca40060201f2d,0x007ca40068401f2f,0x007ca40068a01f99,0x007ca80068a01f9a,
    0x007cac0068a01f9b,0x007cb00068a01f9c,0x007cb40068a01f9d,0x007cb80068a01f9e,0x007cbc0068a01f9f,
    0x007cc00060001f32,0x007cc00060201f34,0x007cc00068401f36,0x007cc40060001f33,0x007cc40060201f35,
    0x007cc40068401f37,0x007ce00060001f3a,0x007ce00060201f3c,0x007ce00068401f3e,0x007ce40060001f3b,
    0x007ce40060201f3d,0x007ce40068401f3f,0x007d000060001f42,0x007d000060201f44,0x007d040060001f43,
    0x007d040060201f45,0x007d200060001f4a,0x007d200060201f4c,0x007d240060001f4b,0x007d240060201f4d,
    0x007d400060001f52,0x007d400060201f54,0x007d400068401f56,0x007d440060001f53,0x007d440060201f55,
    0x007d440068401f57,0x007d640060001f5b,0x007d640060201f5d,0x007d640068401f5f,0x007d800060001f62,
    0x007d800060201f64,0x007d800068401f66,0x007d800068a01fa0,0x007d840060001f63,0x007d840060201f65,
    0x007d840068401f67,0x007d840068a01fa1,0x007d880068a01fa2,0x007d8c0068a01fa3,0x007d900068a01fa4,
    0x007d940068a01fa5,0x007d980068a01fa6,0x007d9c0068a01fa7,0x007da00060001f6a,0x007da00060201f6c,
    0x007da00068401f6e,0x007da00068a01fa8,0x007da40060001f6b,0x007da40060201f6d,0x007da40068401f6f,
    0x007da40068a01fa9,0x007da80068a01faa,0x007dac0068a01fab,0x007db00068a01fac,0x007db40068a01fad,
    0x007db80068a01fae,0x007dbc0068a01faf,0x007dc00068a01fb2,0x007dd00068a01fc2,0x007df00068a01ff2,
    0x007ed80068a01fb7,0x007efc0060001fcd,0x007efc0060201fce,0x007efc0068401fcf,0x007f180068a01fc7,
    0x007fd80068a01ff7,0x007ff80060001fdd,0x007ff80060201fde,0x007ff80068401fdf,0x008640006700219a,
    0x008648006700219b,0x00865000670021ae,0x00874000670021cd,0x00874800670021cf,0x00875000670021ce,
    0x00880c0067002204,0x0088200067002209,0x00882c006700220c,0x00888c0067002224,0x0088940067002226,
    0x0088f00067002241,0x00890c0067002244,0x0089140067002247,0x0089200067002249,0x008934006700226d,
    0x0089840067002262,0x0089900067002270,0x0089940067002271,0x0089c80067002274,0x0089cc0067002275,
    0x0089d80067002278,0x0089dc0067002279,0x0089e80067002280,0x0089ec0067002281,0x0089f000670022e0,
    0x0089f400670022e1,0x008a080067002284,0x008a0c0067002285,0x008a180067002288,0x008a1c0067002289,
    0x008a4400670022e2,0x008a4800670022e3,0x008a8800670022ac,0x008aa000670022ad,0x008aa400670022ae,
    0x008aac00670022af,0x008ac800670022ea,0x008acc00670022eb,0x008ad000670022ec,0x008ad400670022ed,
    0x00c1180613203094,0x00c12c061320304c,0x00c134061320304e,0x00c13c0613203050,0x00c1440613203052,
    0x00c14c0613203054,0x00c1540613203056,0x00c15c0613203058,0x00c164061320305a,0x00c16c061320305c,
    0x00c174061320305e,0x00c17c0613203060,0x00c1840613203062,0x00c1900613203065,0x00c1980613203067,
    0x00c1a00613203069,0x00c1bc0613203070,0x00c1bc0613403071,0x00c1c80613203073,0x00c1c80613403074,
    0x00c1d40613203076,0x00c1d40613403077,0x00c1e00613203079,0x00c1e0061340307a,0x00c1ec061320307c,
    0x00c1ec061340307d,0x00c274061320309e,0x00c29806132030f4,0x00c2ac06132030ac,0x00c2b406132030ae,
    0x00c2bc06132030b0,0x00c2c406132030b2,0x00c2cc06132030b4,0x00c2d406132030b6,0x00c2dc06132030b8,
    0x00c2e406132030ba,0x00c2ec06132030bc,0x00c2f406132030be,0x00c2fc06132030c0,0x00c30406132030c2,
    0x00c31006132030c5,0x00c31806132030c7,0x00c32006132030c9,0x00c33c06132030d0,0x00c33c06134030d1,
    0x00c34806132030d3,0x00c34806134030d4,0x00c35406132030d6,0x00c35406134030d7,0x00c36006132030d9,
    0x00c36006134030da,0x00c36c06132030dc,0x00c36c06134030dd,0x00c3bc06132030f7,0x00c3c006132030f8,
    0x00c3c406132030f9,0x00c3c806132030fa,0x00c3f406132030fe,0x044264221741109a,0x04426c221741109c,
    0x04429422174110ab,0x0444c42224e1112e,0x0444c82224e1112f,0x044d1c2267c1134b,0x044d1c226ae1134c,
    0x0452e422960114bc,0x0452e422974114bb,0x0452e42297a114be,0x0456e022b5e115ba,0x0456e422b5e115bb,
    0x0464d42326011938,
};
const size_t tally_unicode_pair_count = 941;

const uint16_t tally_unicode_compositions[] = {
    0x003,0x004,0x005,0x006,0x00a,0x00c,0x01a,0x021,0x022,0x023,0x028,0x041,0x042,0x043,0x048,0x061,
    0x068,0x069,0x06a,0x06b,0x06f,0x090,0x091,0x092,0x096,0x0ae,0x0bc,0x0bd,0x0be,0x0bf,0x0c3,0x0c5,
    0x0d3,0x0da,0x0db,0x0dc,0x0e1,0x0fb,0x0fc,0x0fd,0x101,0x11b,0x122,0x123,0x124,0x125,0x129,0x14b,
    0x14c,0x14d,0x151,0x16a,0x16f,0x007,0x0c0,0x008,0x0c1,0x012,0x0cb,0x016,0x0cf,0x017,0x0d0,0x018,
    0x0d1,0x019,0x0d2,0x01c,0x0d5,0x025,0x0de,0x026,0x0df,0x027,0x0e0,0x02f,0x0e8,0x02a,0x0e3,0x034,
    0x0ed,0x036,0x0ef,0x037,0x0f0,0x039,0x0f2,0x03a,0x0f3,0x044,0x0fe,0x045,0x0ff,0x046,0x100,0x04e,
    0x107,0x047,0x050,0x109,0x054,0x10e,0x056,0x110,0x059,0x113,0x057,0x111,0x060,0x11a,0x065,0x11f,
    0x063,0x11d,0x06c,0x126,0x06d,0x127,0x071,0x12b,0x07a,0x134,0x080,0x13a,0x07c,0x136,0x082,0x13c,
    0x083,0x13d,0x088,0x142,0x085,0x13f,0x08d,0x148,0x08a,0x145,0x093,0x14e,0x094,0x14f,0x095,0x150,
    0x098,0x153,0x099,0x154,0x0a0,0x15b,0x0a7,0x162,0x0af,0x16b,0x0b3,0x0b6,0x173,0x0b8,0x175,0x0b9,
    0x176,0x075,0x12f,0x09d,0x158,0x00d,0x0c6,0x04a,0x103,0x072,0x12c,0x09a,0x155,0x195,0x1b0,0x194,
    0x1af,0x196,0x1b1,0x193,0x1ae,0x180,0x19b,0x1e2,0x1e3,0x183,0x19e,0x038,0x0f1,0x052,0x10c,0x077,
    0x131,0x1e0,0x1e1,0x1df,0x1e8,0x10a,0x033,0x0ec,0x05f,0x119,0x181,0x19c,0x182,0x19d,0x192,0x1ad,
    0x00e,0x0c7,0x00f,0x0c8,0x02b,0x0e4,0x02c,0x0e5,0x04b,0x104,0x04c,0x105,0x073,0x12d,0x074,0x12e,
    0x07d,0x137,0x07e,0x138,0x09b,0x156,0x09c,0x157,0x087,0x141,0x08c,0x147,0x03d,0x0f6,0x009,0x0c2,
    0x02e,0x0e7,0x191,0x1ac,0x18f,0x1aa,0x06e,0x128,0x1e6,0x1e7,0x0b1,0x16d,0x17a,0x1ea,0x1f1,0x1f5,
    0x1fa,0x201,0x206,0x20c,0x241,0x1fd,0x209,0x213,0x21b,0x21f,0x225,0x244,0x228,0x236,0x22d,0x233,
    0x23b,0x247,0x248,0x24d,0x24f,0x24c,0x249,0x257,0x253,0x25a,0x255,0x26b,0x263,0x265,0x262,0x276,
    0x26d,0x269,0x270,0x277,0x278,0x250,0x266,0x24a,0x260,0x24b,0x261,0x24e,0x264,0x279,0x27a,0x251,
    0x267,0x252,0x268,0x254,0x26a,0x256,0x26c,0x258,0x26e,0x27b,0x27c,0x25f,0x275,0x259,0x26f,0x25b,
    0x271,0x25c,0x272,0x25d,0x273,0x25e,0x274,0x27d,0x27e,0x280,0x27f,0x281,0x284,0x282,0x283,0x285,
    0x286,0x287,0x288,0x289,0x28b,0x28a,0x28c,0x28d,0x28e,0x290,0x28f,0x291,0x292,0x294,0x295,0x293,
    0x296,0x297,0x299,0x298,0x29a,0x29b,0x29d,0x29c,0x29e,0x29f,0x2a0,0x2a1,0x2a2,0x2a3,0x2a4,0x2a5,
    0x2a6,0x2a7,0x2a8,0x2a9,0x011,0x0ca,0x013,0x0cc,0x014,0x0cd,0x015,0x0ce,0x184,0x19f,0x01b,0x0d4,
    0x01d,0x0d6,0x020,0x0d9,0x01e,0x0d7,0x01f,0x0d8,0x1ba,0x1bc,0x1bb,0x1bd,0x030,0x0e9,0x031,0x0ea,
    0x1e4,0x1e5,0x032,0x0eb,0x035,0x0ee,0x03b,0x0f4,0x03e,0x0f7,0x03c,0x0f5,0x03f,0x0f8,0x040,0x0f9,
    0x04f,0x108,0x189,0x1a4,0x051,0x10b,0x053,0x10d,0x055,0x10f,0x058,0x112,0x2aa,0x2ab,0x05b,0x115,
    0x05a,0x114,0x05c,0x116,0x05d,0x117,0x05e,0x118,0x062,0x11c,0x064,0x11e,0x067,0x121,0x066,0x120,
    0x18e,0x1a9,0x190,0x1ab,0x1be,0x1c0,0x1bf,0x1c1,0x078,0x132,0x079,0x133,0x07b,0x135,0x07f,0x139,
    0x2ac,0x2ad,0x081,0x13b,0x084,0x13e,0x086,0x140,0x1c2,0x1c3,0x1c4,0x1c5,0x2ae,0x2af,0x089,0x143,
    0x08b,0x146,0x08f,0x14a,0x08e,0x149,0x09f,0x15a,0x0a2,0x15d,0x0a1,0x15c,0x1c6,0x1c7,0x1c8,0x1c9,
    0x0a3,0x15e,0x0a4,0x15f,0x0a5,0x160,0x0a6,0x161,0x0a9,0x164,0x0a8,0x163,0x0aa,0x166,0x0ab,0x167,
    0x0ac,0x168,0x0b2,0x16e,0x0b7,0x174,0x0ba,0x177,0x0bb,0x178,0x0fa,0x144,0x165,0x171,0x1ca,0x010,
    0x0c9,0x00b,0x0c4,0x17d,0x198,0x17c,0x197,0x17f,0x19a,0x17e,0x199,0x2b0,0x2b2,0x1b3,0x1b7,0x1b2,
    0x1b6,0x1b5,0x1b9,0x1b4,0x1b8,0x2b1,0x2b3,0x02d,0x0e6,0x029,0x0e2,0x024,0x0dd,0x186,0x1a1,0x185,
    0x1a0,0x188,0x1a3,0x187,0x1a2,0x2b4,0x2b5,0x049,0x102,0x04d,0x106,0x076,0x130,0x070,0x12a,0x18b,
    0x1a6,0x18a,0x1a5,0x18d,0x1a8,0x18c,0x1a7,0x2b6,0x2b7,0x1cc,0x1d1,0x1cb,0x1d0,0x1ce,0x1d3,0x1cd,
    0x1d2,0x1cf,0x1d4,0x09e,0x159,0x097,0x152,0x1d6,0x1db,0x1d5,0x1da,0x1d8,0x1dd,0x1d7,0x1dc,0x1d9,
    0x1de,0x0ad,0x169,0x0b5,0x172,0x0b4,0x170,0x0b0,0x16c,0x216,0x217,0x2b8,0x2bc,0x2b9,0x2bd,0x2ba,
    0x2be,0x1ed,0x1ee,0x2c6,0x2ca,0x2c7,0x2cb,0x2c8,0x2cc,0x21c,0x21d,0x2d4,0x2d6,0x2d5,0x2d7,0x1f2,
    0x1f3,0x2d8,0x2da,0x2d9,0x2db,0x220,0x221,0x2dc,0x2e0,0x2dd,0x2e1,0x2de,0x2e2,0x1f6,0x1f7,0x2ea,
    0x2ee,0x2eb,0x2ef,0x2ec,0x2f0,0x229,0x22a,0x2f8,0x2fb,0x2f9,0x2fc,0x2fa,0x2fd,0x1fe,0x1ff,0x2fe,
    0x301,0x2ff,0x302,0x300,0x303,0x22e,0x22f,0x304,0x306,0x305,0x307,0x202,0x203,0x308,0x30a,0x309,
    0x30b,0x237,0x238,0x30c,0x30f,0x30d,0x310,0x30e,0x311,0x20a,0x312,0x313,0x314,0x23c,0x23d,0x315,
    0x319,0x316,0x31a,0x317,0x31b,0x20d,0x20e,0x323,0x327,0x324,0x328,0x325,0x329,0x212,0x21a,0x21e,
    0x224,0x22c,0x232,0x23a,0x2bb,0x2bf,0x2c0,0x2c1,0x2c2,0x2c3,0x2c4,0x2c5,0x2c9,0x2cd,0x2ce,0x2cf,
    0x2d0,0x2d1,0x2d2,0x2d3,0x2df,0x2e3,0x2e4,0x2e5,0x2e6,0x2e7,0x2e8,0x2e9,0x2ed,0x2f1,0x2f2,0x2f3,
    0x2f4,0x2f5,0x2f6,0x2f7,0x318,0x31c,0x31d,0x31e,0x31f,0x320,0x321,0x322,0x326,0x32a,0x32b,0x32c,
    0x32d,0x32e,0x32f,0x330,0x215,0x214,0x331,0x219,0x210,0x218,0x334,0x1ec,0x1eb,0x1e9,0x1ef,0x17b,
    0x332,0x223,0x211,0x222,0x338,0x1f0,0x1f4,0x1f8,0x335,0x336,0x337,0x227,0x226,0x240,0x22b,0x242,
    0x1fc,0x1fb,0x1f9,0x33a,0x33b,0x33c,0x235,0x234,0x243,0x230,0x231,0x239,0x245,0x208,0x207,0x205,
    0x204,0x179,0x333,0x23f,0x246,0x23e,0x339,0x200,0x20b,0x20f,0x33d,0x33e,0x33f,0x340,0x342,0x341,
    0x343,0x344,0x345,0x346,0x347,0x348,0x349,0x34a,0x34b,0x001,0x34d,0x34c,0x000,0x002,0x34e,0x34f,
    0x350,0x351,0x352,0x353,0x354,0x355,0x358,0x359,0x35a,0x35b,0x35e,0x35f,0x360,0x361,0x356,0x357,
    0x35c,0x35d,0x362,0x363,0x364,0x365,0x367,0x368,0x369,0x36a,0x36b,0x36c,0x36d,0x36e,0x36f,0x370,
    0x371,0x372,0x373,0x374,0x375,0x376,0x377,0x378,0x379,0x37a,0x37b,0x37c,0x37d,0x37e,0x37f,0x366,
    0x380,0x382,0x383,0x384,0x385,0x386,0x387,0x388,0x389,0x38a,0x38b,0x38c,0x38d,0x38e,0x38f,0x390,
    0x391,0x392,0x393,0x394,0x395,0x396,0x397,0x398,0x399,0x39a,0x381,0x39b,0x39c,0x39d,0x39e,0x39f,
    0x3a0,0x3a1,0x3a2,0x3a3,0x3a4,0x3a5,0x3a6,0x3a8,0x3a7,0x3a9,0x3aa,0x3ab,0x3ac,
};

TALLY_VISIBILITY_POP
