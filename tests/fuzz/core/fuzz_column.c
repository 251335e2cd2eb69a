/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text under any shape and any mix of back ends, beside the slow model of one row
 * (core/tests/column_model.h), both ways; and shapes and columns that are none. */
#include "fast/words/buckets.h"
#include "fuzz_fast.h"
#include "fuzz_strings.h"
#include "tests/column_model.h"

enum {
    FEW_ROWS = 24,
    MANY_ROWS = 700,
    GROUPED_ROWS = TALLY_FAST_ROWS + 1,
    FEW_BYTES = 80,
    LONGEST = TALLY_FAST_MAX_LENGTH + 2
};

static void take_letters(tally_shape *shape, tally_byte_kind kind, uint8_t first)
{
    for (uint32_t symbol = 0; symbol < shape->radix; symbol++) {
        const uint8_t byte = (uint8_t)(first + symbol);
        shape->kind[byte] = (uint8_t)kind;
        shape->symbol[byte] = (uint8_t)symbol;
        shape->letter[kind == TALLY_BYTE_UPPER ? 1 : 0][symbol] = byte;
    }
}

/* A shape as people have them. *proper: no two bytes stand for one symbol. */
static tally_shape take_shape(fuzz_input *input, bool *proper)
{
    static const char *const others = "-./ :+#@"; /* in most alphabets none is a symbol */
    tally_shape shape;
    memset(&shape, 0, sizeof shape);
    const uint32_t choice = fuzz_below(input, 8);
    shape.radix = choice < 2 ? 10 : choice == 2 ? 26 : 4 + fuzz_below(input, 253);
    take_letters(&shape, TALLY_BYTE_SYMBOL, choice < 2 ? '0' : choice == 2 ? 'a' : '!');
    if (choice == 2) {
        take_letters(&shape, TALLY_BYTE_UPPER, 'A');
    }
    for (const char *c = others; *c != '\0'; c++) {
        if (shape.kind[(uint8_t)*c] == TALLY_BYTE_FOREIGN) {
            shape.kind[(uint8_t)*c] =
                *c == '+'   ? TALLY_BYTE_LEADING
                : *c == '#' ? TALLY_BYTE_FOREIGN
                : *c == '@' ? (choice & 1) != 0 ? TALLY_BYTE_DELIMITER : TALLY_BYTE_FOREIGN
                            : TALLY_BYTE_KEPT;
        }
    }
    const uint32_t flags = fuzz_below(input, 256);
    shape.luhn = (uint8_t)(choice == 0 ? flags % 3 : 0);
    shape.min_symbols = 2 + (flags >> 2) % 4;
    shape.max_symbols = (flags & 16) != 0 ? 65536 : 40;
    shape.small_symbols = (flags & 32) != 0 ? 6 : 0;
    shape.keep_after_delimiter = (flags & 64) != 0;
    shape.tweak_kept = (flags & 128) != 0;
    const uint32_t kept = fuzz_below(input, 4);
    shape.keep = kept == 1 ? fuzz_number(input, 1) : kept == 2 ? fuzz_number(input, 8) : 0;
    shape.keep_last = kept == 3 ? fuzz_below(input, 8) : 0;
    *proper = true;
    for (uint32_t edits = fuzz_below(input, 8) == 0 ? fuzz_below(input, 8) : 0; edits > 0;
         edits--) {
        /* Not the symbols and letters of a check digit, which are a contract. */
        const size_t at = shape.luhn != 0 ? offsetof(tally_shape, kind) + fuzz_below(input, 256)
                                          : fuzz_below(input, sizeof shape);
        ((uint8_t *)&shape)[at] = (uint8_t)fuzz_number(input, 1);
        *proper = false;
    }
    return shape;
}

static bool shape_fits(const tally_shape *shape)
{
    bool fits = shape->min_symbols >= 2 && shape->max_symbols <= 65536 &&
                shape->keep_after_delimiter <= 1 && shape->tweak_kept <= 1 && shape->luhn <= 2 &&
                (shape->luhn == 0 || shape->radix == 10);
    for (int byte = 0; byte < 256; byte++) {
        fits &= shape->kind[byte] <= TALLY_BYTE_DELIMITER;
        fits &= !model_is_symbol(shape, (uint8_t)byte) || shape->symbol[byte] < shape->radix;
    }
    return fits;
}

/* What a call is about, but for the column. */
typedef struct about {
    const instance *fast, *slow;
    const tally_shape *shape;
    const uint8_t *tweak;
    size_t tweak_size;
    const fuzz_strings *tails; /* or NULL */
} about;

/* Changes a column's values, in place or not, and compares all that comes of it with the model. */
static void check_column(const about *call, bool decrypt, bool in_place, fuzz_strings *column,
                         uint8_t *status)
{
    const uint64_t rows = column->strings.rows;
    uint8_t *expected = fuzz_buffer(column->size), *out = fuzz_buffer(column->size);
    tally_column_report report, counts = {{0}, 0};
    uint32_t *misfits = FUZZ_ARRAY(uint32_t, rows);
    if (in_place) {
        memcpy(expected, column->values, column->size);
        memcpy(out, column->values, column->size);
    }
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t at = column->start[i];
        const size_t size = (size_t)(column->start[i + 1] - at);
        static const uint8_t none[1];
        const uint8_t *tail = none;
        size_t tail_size = 0, length = 0;
        misfits[i] = 0;
        if (call->tails != NULL) {
            const fuzz_strings *tails = call->tails;
            tail = tails->null[i] ? NULL : tails->values + tails->start[i];
            tail_size = (size_t)(tails->start[i + 1] - tails->start[i]);
        }
        if (column->null[i]) {
            memset(expected + at, 0, size);
            continue;
        }
        memcpy(expected + at, column->values + at, size);
        misfits[i] = model_row(call->slow->cipher, call->shape, decrypt, expected + at, size,
                               call->tweak, call->tweak_size, tail, tail_size, &length);
        counts.small += misfits[i] == 0 && length < call->shape->small_symbols;
    }
    tally_strings strings = column->strings;
    strings.values = in_place ? out : column->values;
    CHECK_EQUAL(tally_fast_column(call->fast->cipher, call->fast->workspace,
                                  (tally_direction)decrypt, call->shape, &strings, call->tweak,
                                  call->tweak_size,
                                  call->tails == NULL ? NULL : &call->tails->strings,
                                  out + (rows != 0 ? column->start[0] : 0), status, &report),
                TALLY_OK);
    CHECK_BYTES(out, expected, column->size);
    for (uint64_t i = 0; i < rows; i++) {
        CHECK(misfits[i] == 0 ? status[i] == TALLY_ROW_OK
                              : status[i] < TALLY_ROW_STATUSES && (misfits[i] >> status[i] & 1));
        counts.rows[status[i] % TALLY_ROW_STATUSES]++;
    }
    CHECK_BYTES(&report, &counts, sizeof report);
    column->strings.values = column->values = out;
}

/* Both ways; where a shape is proper, back to what it was. */
static void check_both(fuzz_input *input, const about *call, bool proper, fuzz_strings *column)
{
    const uint8_t *plain = column->values;
    const size_t rows = (size_t)column->strings.rows;
    uint8_t *status[2] = {fuzz_buffer(rows), fuzz_buffer(rows)};
    check_column(call, false, fuzz_below(input, 2) == 0, column, status[0]);
    check_column(call, true, fuzz_below(input, 2) == 0, column, status[1]);
    for (size_t i = 0; i < rows && proper; i++) {
        const uint64_t at = column->start[i];
        if (status[0][i] == TALLY_ROW_OK && !column->null[i]) {
            CHECK_EQUAL(status[1][i], TALLY_ROW_OK);
            CHECK_BYTES(column->values + at, plain + at, (size_t)(column->start[i + 1] - at));
        }
    }
}

static void check_refused(const about *call, const fuzz_strings *column)
{
    tally_column_report report;
    memset(&report, FUZZ_GUARD, sizeof report);
    const size_t rows = (size_t)column->strings.rows;
    uint8_t *out = fuzz_buffer(column->size), *status = fuzz_buffer(rows);
    const tally_status refused =
        tally_fast_column(call->fast->cipher, call->fast->workspace, TALLY_ENCRYPT, call->shape,
                          &column->strings, call->tweak, call->tweak_size,
                          call->tails == NULL ? NULL : &call->tails->strings, out, status, &report);
    CHECK(refused == TALLY_ERROR_ARGUMENT || refused == TALLY_ERROR_RADIX);
    fuzz_untouched(out, column->size);
    fuzz_untouched(status, rows);
    fuzz_untouched(&report, sizeof report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    bool proper = true;
    const uint32_t features = fuzz_level(&input);
    tally_shape shape = take_shape(&input, &proper);
    const uint32_t radix = shape.radix < 4 || shape.radix > 256 ? 10 : shape.radix;
    const uint32_t kind = fuzz_below(&input, 256);
    /* One value of as many symbols as there may be, or more. Most stay in clear: to encrypt all
     * takes half a minute here, and is for core/tests/test_column.c. */
    const bool is_long = kind == 255;
    if (is_long) {
        shape.keep_last = TALLY_FAST_MAX_LENGTH - fuzz_below(&input, 256);
    }
    /* So many that they run in groups of equal tweaks. */
    const bool is_grouped = kind == 64 || kind == 88;
    const uint64_t rows = is_long           ? 1
                          : is_grouped      ? GROUPED_ROWS + fuzz_below(&input, 16)
                          : (kind & 1) != 0 ? fuzz_below(&input, MANY_ROWS)
                                            : fuzz_below(&input, FEW_ROWS);
    const size_t tweak_size = (kind & 6) == 6 ? fuzz_below(&input, 1200) : fuzz_below(&input, 16);
    const uint8_t *tweak = fuzz_bytes(&input, tweak_size);
    fuzz_strings column, tails = {.fits = true};
    const bool by_rows = (kind & 24) == 24;
    if (!fuzz_take_strings(&input, rows, is_long ? LONGEST : FEW_BYTES, &column) ||
        (by_rows && !fuzz_take_strings(&input, rows, (kind & 32) != 0 ? 1100 : 10, &tails))) {
        return fuzz_end();
    }
    instance fast = fuzz_instance(TALLY_FAST, radix, features);
    instance slow = fuzz_instance(TALLY_FAST, radix, 0);
    if (is_grouped) {
        const size_t grouping = tally_fast_grouping_size(rows);
        tally_fast_workspace_set_grouping(fast.workspace, fuzz_buffer(grouping), grouping);
    }
    about call = {.fast = &fast,
                  .slow = &slow,
                  .shape = &shape,
                  .tweak = tweak,
                  .tweak_size = tweak_size,
                  .tails = by_rows ? &tails : NULL};
    if (shape_fits(&shape) && shape.radix == radix && tweak_size <= TALLY_FAST_MAX_ROW_TWEAK &&
        column.fits && tails.fits) {
        check_both(&input, &call, proper, &column);
    } else {
        check_refused(&call, &column);
    }
    tally_fast_workspace_set_grouping(fast.workspace, NULL, 0);
    return fuzz_end();
}
