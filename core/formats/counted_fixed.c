/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of ranks in columns of numbers: integers, dates, timestamps, decimals and, where decimal
 * numbers stand in them exactly, floating point. */
#include "formats/counted.h"
#include "numbers/digits.h"

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
