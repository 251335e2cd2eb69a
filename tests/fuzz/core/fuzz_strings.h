/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrow strings out of an input, laid out in every way that a caller may, and some that he may
 * not. */
#ifndef TALLY_FUZZ_STRINGS_H
#define TALLY_FUZZ_STRINGS_H

#include "columns/columns.h"
#include "fuzz.h"

typedef struct fuzz_strings {
    tally_strings strings;
    size_t size;     /* of all values, with what lies before and after the column */
    uint64_t *start; /* rows + 1 */
    bool *null;
    uint8_t *values;
    bool fits; /* the offsets ascend */
} fuzz_strings;

static inline void fuzz_put_offset(const fuzz_strings *made, void *offsets, uint64_t i,
                                   uint64_t offset)
{
    const size_t size = made->strings.offset_size == 4 ? 4 : 8;
    const uint32_t narrow = (uint32_t)offset;
    memcpy((uint8_t *)offsets + i * size, size == 4 ? (const void *)&narrow : (const void *)&offset,
           size);
}

static inline uint64_t fuzz_get_offset(const fuzz_strings *made, const void *offsets, uint64_t i)
{
    return made->strings.offset_size == 4 ? (uint64_t)((const int32_t *)offsets)[i]
                                          : (uint64_t)((const int64_t *)offsets)[i];
}

/* Spoils one offset, or their size. False if the column then claims bytes that it has not, of which
 * no function can know. */
static inline bool fuzz_spoil(fuzz_input *input, fuzz_strings *made, void *offsets)
{
    const uint64_t rows = made->strings.rows;
    if (fuzz_below(input, 4) == 0) {
        made->fits = false;
        made->strings.offset_size = (uint32_t)fuzz_number(input, 4);
        return made->strings.offset_size != 4 && made->strings.offset_size != 8;
    }
    fuzz_put_offset(made, offsets, fuzz_below(input, rows + 1), fuzz_number(input, 8));
    made->fits = rows == 0 || fuzz_get_offset(made, offsets, 0) <= INT64_MAX;
    for (uint64_t i = 0; i < rows && made->fits; i++) {
        made->fits = (int64_t)fuzz_get_offset(made, offsets, i) <=
                     (int64_t)fuzz_get_offset(made, offsets, i + 1);
    }
    for (uint64_t i = 0; i <= rows; i++) {
        made->start[i] = fuzz_get_offset(made, offsets, i);
    }
    return !made->fits || rows == 0 || made->start[rows] <= made->size;
}

/* Takes a column of `rows` rows of at most `most` bytes each. Rows of one size repeat a few bytes
 * of the input, so that a small one makes many. False: it must not be given to anyone. */
static inline bool fuzz_take_strings(fuzz_input *input, uint64_t rows, uint32_t most,
                                     fuzz_strings *out)
{
    const uint32_t layout = fuzz_below(input, 256);
    const bool nulls = (layout & 4) != 0;
    const uint64_t before = (layout & 8) != 0 ? fuzz_below(input, 32) : 0;
    const bool longest = most > 1 << 12 && fuzz_below(input, 2) == 0;
    const bool alike = (layout & 1) != 0 || longest;
    const uint32_t common = longest ? most - fuzz_below(input, 4)
                            : alike ? fuzz_below(input, (uint64_t)most + 1)
                                    : 0;
    memset(out, 0, sizeof *out);
    out->fits = true;
    out->strings.rows = rows;
    out->strings.offset_size = (layout & 2) != 0 ? 4 : 8;
    out->start = FUZZ_ARRAY(uint64_t, rows + 1);
    out->null = FUZZ_ARRAY(bool, rows);
    void *offsets = fuzz_buffer((size_t)(rows + 1) * out->strings.offset_size);
    out->start[0] = before;
    for (uint64_t i = 0; i <= rows; i++) {
        if (i > 0) {
            const uint32_t size = alike ? common : fuzz_below(input, (uint64_t)most + 1);
            out->start[i] = out->start[i - 1] + size;
            out->null[i - 1] = false;
        }
        fuzz_put_offset(out, offsets, i, out->start[i]);
    }
    out->strings.offsets = rows == 0 && (layout & 16) != 0 ? NULL : offsets;
    if (nulls) {
        out->strings.validity_start = fuzz_below(input, 32);
        const size_t bits = (size_t)(out->strings.validity_start + rows);
        const uint8_t *validity = fuzz_bytes(input, (bits + 7) / 8);
        out->strings.validity = validity;
        for (uint64_t i = 0; i < rows; i++) {
            const uint64_t bit = out->strings.validity_start + i;
            out->null[i] = (validity[bit / 8] >> bit % 8 & 1) == 0;
        }
    }
    out->size = (size_t)out->start[rows] + ((layout & 32) != 0 ? 9 : 0);
    const uint32_t taken = alike ? 1 + fuzz_below(input, 256) : UINT32_MAX;
    out->values = fuzz_bytes(input, out->size < taken ? out->size : taken);
    if (taken < out->size) {
        const uint8_t *some = out->values;
        out->values = fuzz_buffer(out->size);
        for (size_t i = 0; i < out->size; i++) {
            out->values[i] = some[i % taken];
        }
    }
    out->strings.values = out->values;
    return (layout & 192) != 192 || out->strings.offsets == NULL || fuzz_spoil(input, out, offsets);
}

#endif
