//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/arrow as one file. Made by
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
/* ---- core/arrow/array.c ---- */
/*
 * See array.h. */

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
    const int is_view = kind == TALLY_ARROW_TEXT_VIEW || kind == TALLY_ARROW_BINARY_VIEW;
    const uint64_t buffers = array_buffers(kind, &array->type);
    const uint64_t children = array_children(kind);
    const uint64_t most = (SIZE_MAX < INT64_MAX ? SIZE_MAX : INT64_MAX) / 64;
    if (array->rows > most || array->offset > most - array->rows) {
        return "its length or its offset is negative or too large";
    }
    if (array->nulls < -1 || (array->nulls > 0 && (uint64_t)array->nulls > array->rows)) {
        return "its number of nulls is not one of its length";
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

/* Returns what has its top bit set if an offset is negative or below the one before. */
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

/* Prefetches offsets that follow soon: what the machine prefetches by itself comes too late. */
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

/* Types that have parameters, by what their strings begin with. */
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

TALLY_VISIBILITY_POP
