/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrow's string arrays: checks of the offsets, and reading. */
#include "arrow/strings.h"

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
