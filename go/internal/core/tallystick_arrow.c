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

#include <stdint.h>

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
/* ---- core/arrow/strings.c ---- */
/*
 * Arrow's string arrays: checks of the offsets, and reading. */

/* ---- core/arrow/strings.h ---- */
/*
 * Arrow's string arrays (tallystick/arrow.h): offsets of either size, and nulls. */
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

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
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

#define STRINGS_DEFINE_DESCEND(name, type)                                                         \
    static int name(const type *offsets, uint64_t rows)                                            \
    {                                                                                              \
        type descending = 0;                                                                       \
        uint64_t i = 0;                                                                            \
        for (; rows - i >= TALLY_STRINGS_RUN; i += TALLY_STRINGS_RUN) {                            \
            for (size_t j = 0; j < TALLY_STRINGS_RUN; j++) {                                       \
                descending |= offsets[i + j + 1] < offsets[i + j];                                 \
            }                                                                                      \
        }                                                                                          \
        for (; i < rows; i++) {                                                                    \
            descending |= offsets[i + 1] < offsets[i];                                             \
        }                                                                                          \
        return descending != 0;                                                                    \
    }

STRINGS_DEFINE_DESCEND(strings_descend_32, int32_t)
STRINGS_DEFINE_DESCEND(strings_descend_64, int64_t)

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
    /* The first offset is not negative and offsets ascend, so none is negative. */
    return strings->rows == 0 ||
           (strings->offset_size == 4 ? !strings_descend_32(strings->offsets, strings->rows)
                                      : !strings_descend_64(strings->offsets, strings->rows));
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

TALLY_VISIBILITY_POP
