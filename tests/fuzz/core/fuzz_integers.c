/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of integers, beside a reading digit by digit; and back. */
#include "fuzz_strings.h"
#include "numbers/numbers.h"

enum { MOST_ROWS = 40, MOST_SIZE = 24 };

static const int64_t BOUND = INT64_C(1000000000000000000);

/* Whether the bytes are an integer; if so, *out is it. */
static bool model_read(const uint8_t *text, size_t size, int64_t *out)
{
    const bool minus = size > 0 && text[0] == '-';
    const size_t digits = size - minus;
    if (digits < 1 || digits > TALLY_INTEGERS_DIGITS || (text[minus] == '0' && size > 1)) {
        return false;
    }
    *out = 0;
    for (size_t i = minus; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        *out = *out * 10 + (minus ? '0' - text[i] : text[i] - '0');
    }
    return true;
}

static void make_digits(fuzz_strings *column)
{
    for (uint64_t i = 0; i < column->strings.rows; i++) {
        uint8_t *value = column->values + column->start[i];
        const size_t size = (size_t)(column->start[i + 1] - column->start[i]);
        for (size_t j = 0; j < size && value[0] % 8 != 7; j++) {
            value[j] = j == 0 && value[0] % 4 == 3 ? '-' : (uint8_t)('0' + value[j] % 10);
        }
    }
}

static uint64_t text_size(int64_t number)
{
    char text[32];
    return (uint64_t)snprintf(text, sizeof text, "%" PRId64, number);
}

/* Writes numbers in place of those rows that have any, and compares with printf. */
static void check_write(const tally_integers *integers, const fuzz_strings *column,
                        const uint64_t *numbers, const uint8_t *status)
{
    const uint64_t rows = column->strings.rows;
    const size_t offset_size = column->strings.offset_size;
    fuzz_strings made = {.strings = {.offset_size = (uint32_t)offset_size}};
    uint8_t *offsets = fuzz_buffer((size_t)(rows + 1) * offset_size);
    const uint64_t span = (uint64_t)integers->last - (uint64_t)integers->first;
    bool fine = true;
    uint64_t total = 0;
    for (size_t i = 0; i < rows; i++) {
        const bool written = !column->null[i] && status[i] == 0;
        fine &= !written || numbers[i] <= span;
        total += column->null[i]   ? 0
                 : written && fine ? text_size((int64_t)((uint64_t)integers->first + numbers[i]))
                                   : column->start[i + 1] - column->start[i];
    }
    CHECK_EQUAL(tally_integers_lay_out(integers, &column->strings, numbers, status, offsets),
                fine ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fine) {
        return;
    }
    CHECK_EQUAL(fuzz_get_offset(&made, offsets, rows), total);
    uint8_t *out = fuzz_buffer((size_t)total);
    CHECK_EQUAL(tally_integers_write(integers, &column->strings, numbers, status, offsets, out),
                TALLY_OK);
    for (size_t i = 0; i < rows; i++) {
        const uint64_t at = fuzz_get_offset(&made, offsets, i);
        const size_t size = (size_t)(fuzz_get_offset(&made, offsets, i + 1) - at);
        char text[32];
        const uint8_t *wanted = column->values + column->start[i];
        size_t wanted_size = (size_t)(column->start[i + 1] - column->start[i]);
        if (column->null[i]) {
            wanted_size = 0;
        } else if (status[i] == 0) {
            wanted_size = (size_t)snprintf(text, sizeof text, "%" PRId64,
                                           (int64_t)((uint64_t)integers->first + numbers[i]));
            wanted = (const uint8_t *)text;
        }
        CHECK_EQUAL(size, wanted_size);
        if (size == wanted_size) {
            CHECK_BYTES(out + at, wanted, size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_cpu(&input);
    const uint32_t choice = fuzz_below(&input, 4);
    tally_integers integers = {.first = (int64_t)fuzz_number(&input, 8),
                               .last = (int64_t)fuzz_number(&input, 8)};
    if (choice != 0) {
        integers.first %= BOUND;
        integers.last %= BOUND;
    }
    if (choice > 1 && integers.first > integers.last) {
        const int64_t first = integers.last;
        integers.last = integers.first;
        integers.first = first;
    }
    const bool fits =
        integers.first > -BOUND && integers.last < BOUND && integers.first <= integers.last;
    fuzz_strings column;
    const size_t rows = fuzz_below(&input, MOST_ROWS + 1);
    if (!fuzz_take_strings(&input, rows, MOST_SIZE, &column)) {
        return fuzz_end();
    }
    uint64_t *numbers = FUZZ_ARRAY(uint64_t, rows);
    uint8_t *status = fuzz_buffer(rows);
    if (fits && column.fits) {
        make_digits(&column);
    }
    CHECK_EQUAL(tally_integers_read(&integers, &column.strings, numbers, status),
                fits && column.fits ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fits || !column.fits) {
        fuzz_untouched(status, rows);
        return fuzz_end();
    }
    for (size_t i = 0; i < rows; i++) {
        int64_t number = 0;
        const bool is = model_read(column.values + column.start[i],
                                   (size_t)(column.start[i + 1] - column.start[i]), &number);
        const uint8_t wanted = column.null[i] ? TALLY_NUMBER_OK
                               : !is          ? TALLY_NUMBER_NOTATION
                               : number < integers.first || number > integers.last
                                   ? TALLY_NUMBER_RANGE
                                   : TALLY_NUMBER_OK;
        CHECK_EQUAL(status[i], wanted);
        CHECK_EQUAL(numbers[i], wanted == 0 && !column.null[i] ? number - integers.first : 0);
    }
    check_write(&integers, &column, numbers, status);
    for (size_t i = 0; i < rows; i++) { /* any numbers of a caller's, most of them in range */
        const uint64_t span = (uint64_t)integers.last - (uint64_t)integers.first;
        numbers[i] = fuzz_number(&input, 8);
        numbers[i] = numbers[i] % 32 != 31 ? numbers[i] % (span + 1) : numbers[i];
        status[i] = (uint8_t)(fuzz_below(&input, 4) == 0);
    }
    check_write(&integers, &column, numbers, status);
    return fuzz_end();
}
