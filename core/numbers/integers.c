/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers as decimal text. Their lengths change, so that a column is laid out before it is
 * written. */
#include <string.h>

#include "arrow/strings.h"
#include "numbers/numbers.h"

static const int64_t integers_bound = INT64_C(1000000000000000000); /* 10^18 */

static int integers_fits(const tally_integers *integers)
{
    return -integers_bound < integers->first && integers->first <= integers->last &&
           integers->last < integers_bound;
}

/* Reads text of 1 byte or more; `integers_bound` if it is no integer. */
static inline int64_t integers_parse(const uint8_t *text, uint64_t size)
{
    uint64_t minus = text[0] == '-';
    text += minus;
    size -= minus;
    if (size - 1 >= TALLY_INTEGERS_DIGITS || (text[0] == '0' && size + minus > 1)) {
        return integers_bound;
    }
    int64_t number = 0;
    unsigned wrong = 0;
    for (uint64_t i = 0; i < size; i++) {
        unsigned digit = text[i] - (unsigned)'0';
        wrong |= digit > 9;
        number = number * 10 + (int64_t)(digit & 15);
    }
    return wrong ? integers_bound : minus ? -number : number;
}

tally_status tally_integers_read(const tally_integers *integers, const tally_strings *column,
                                 uint64_t *numbers, uint8_t *row_status)
{
    tally_strings_reader reader;
    if (!integers_fits(integers) || !tally_strings_init(column, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t last = (uint64_t)(integers->last - integers->first);
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const int is_null = tally_row_is_null(column, i);
        int64_t value = size != 0 ? integers_parse(column->values + start, size) : integers_bound;
        uint64_t number = (uint64_t)(value - integers->first);
        uint8_t status = number > last ? TALLY_NUMBER_RANGE : TALLY_NUMBER_OK;
        status = value == integers_bound ? TALLY_NUMBER_NOTATION : status;
        numbers[i] = number <= last && !is_null ? number : 0;
        row_status[i] = is_null ? TALLY_NUMBER_OK : status;
    }
    return TALLY_OK;
}

/* The integer of a number. */
static inline int64_t integers_value_of(const tally_integers *integers, uint64_t number)
{
    return integers->first + (int64_t)number;
}

static inline uint64_t integers_magnitude(int64_t value)
{
    return value < 0 ? (uint64_t)-value : (uint64_t)value;
}

static inline uint64_t integers_width_of(int64_t value)
{
    uint64_t width = 1 + (value < 0), power = 10, rest = integers_magnitude(value);
    for (; rest >= 10000; rest /= 10000) {
        width += 4;
    }
    for (; rest >= power; power *= 10) {
        width++;
    }
    return width;
}

static inline void integers_format(int64_t value, uint8_t *out, uint64_t width)
{
    uint64_t rest = integers_magnitude(value), i = width;
    for (; rest >= 100; rest /= 100) {
        uint32_t two = (uint32_t)(rest % 100), tens = two * 103 >> 10; /* exact below 100 */
        out[--i] = (uint8_t)('0' + (two - tens * 10));
        out[--i] = (uint8_t)('0' + tens);
    }
    out[--i] = (uint8_t)('0' + rest % 10);
    if (rest >= 10) {
        out[--i] = (uint8_t)('0' + rest / 10);
    }
    if (value < 0) {
        out[0] = '-';
    }
}

tally_status tally_integers_lay_out(const tally_integers *integers, const tally_strings *column,
                                    const uint64_t *numbers, const uint8_t *row_status,
                                    void *offsets_out)
{
    tally_strings_reader reader;
    if (!integers_fits(integers) || !tally_strings_init(column, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t last = (uint64_t)(integers->last - integers->first);
    for (uint64_t i = 0; i < column->rows; i++) {
        if (numbers[i] > last && row_status[i] == TALLY_NUMBER_OK &&
            !tally_row_is_null(column, i)) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    const int narrow = column->offset_size == 4;
    const uint64_t most = narrow ? INT32_MAX : INT64_MAX;
    uint64_t at = 0;
    for (uint64_t i = 0;; i++) {
        uint64_t start, size;
        if (at > most) {
            return TALLY_ERROR_LENGTH;
        }
        if (narrow) {
            ((int32_t *)offsets_out)[i] = (int32_t)at;
        } else {
            ((int64_t *)offsets_out)[i] = (int64_t)at;
        }
        if (i == column->rows) {
            return TALLY_OK;
        }
        if (!tally_strings_next(&reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (!tally_row_is_null(column, i)) {
            at += row_status[i] == TALLY_NUMBER_OK
                      ? integers_width_of(integers_value_of(integers, numbers[i]))
                      : size;
        }
    }
}

tally_status tally_integers_write(const tally_integers *integers, const tally_strings *column,
                                  const uint64_t *numbers, const uint8_t *row_status,
                                  const void *offsets, uint8_t *values_out)
{
    const tally_strings laid_out = {
        .offsets = offsets, .offset_size = column->offset_size, .rows = column->rows};
    tally_strings_reader from, to;
    if (!tally_strings_init_ends(column, &from) || !tally_strings_init_ends(&laid_out, &to)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t i = 0; i < column->rows; i++) {
        uint64_t start, size, given, given_size;
        if (!tally_strings_next(&to, &start, &size) ||
            !tally_strings_next(&from, &given, &given_size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (size == 0) {
            continue; /* null, or empty text that is kept */
        }
        const int is_written = row_status[i] == TALLY_NUMBER_OK;
        const int64_t value = is_written ? integers_value_of(integers, numbers[i]) : 0;
        if (size != (is_written ? integers_width_of(value) : given_size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (is_written) {
            integers_format(value, values_out + start, size);
        } else {
            memcpy(values_out + start, column->values + given, (size_t)size);
        }
    }
    return TALLY_OK;
}
