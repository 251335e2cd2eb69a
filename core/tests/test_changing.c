/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that change while they are read, as another thread may do it: after offsets were checked,
 * a call must not trust them. Here the call itself changes them, so that it happens each time: what
 * it writes for its first rows lies over the offsets of later ones. */
#include <stdlib.h>

#include "check.h"
#include "columns/columns.h"
#include "fast/words/row_tweaks.h"
#include "fast_instance.h"

enum {
    BATCH = 4096,
    ROWS = 3 * BATCH,
    CHANGED = 2 * BATCH + 1, /* the first offset that is written over */
    FAR = 1 << 30            /* an offset outside of any array here */
};

static const uint8_t key[16] = "changing";
static int64_t arena[2 * ROWS + 2]; /* offsets from its beginning, outputs over some of them */
static uint8_t status[ROWS];
static uint64_t numbers[ROWS];

static void set_offset(uint32_t offset_size, void *offsets, size_t i, int64_t value)
{
    if (offset_size == 4) {
        ((int32_t *)offsets)[i] = (int32_t)value;
    } else {
        ((int64_t *)offsets)[i] = value;
    }
}

/* Offsets of rows of `width` bytes. */
static void lay_out(uint32_t offset_size, size_t rows, size_t width)
{
    for (size_t i = 0; i <= rows; i++) {
        set_offset(offset_size, arena, i, (int64_t)(i * width));
    }
}

/* The last row is longer: a call reads offsets again that are not all as far apart. */
static void lay_out_unlike(uint32_t offset_size, size_t rows, size_t width)
{
    lay_out(offset_size, rows, width);
    set_offset(offset_size, arena, rows, (int64_t)(rows * width + 1));
}

/* Rows as wide as an offset, and a byte more: those of the first batch are offsets, which ascend far outside, and
 * all others are digits. */
static uint8_t *make_values(uint32_t offset_size)
{
    uint8_t *values = malloc((size_t)ROWS * offset_size + 1);
    memset(values, '1', (size_t)ROWS * offset_size + 1);
    for (size_t i = 0; i < BATCH; i++) {
        set_offset(offset_size, values, i, FAR + (int64_t)i * 4);
    }
    return values;
}

static tally_shape digits(void)
{
    tally_shape shape = {.radix = 10, .min_symbols = 2, .max_symbols = 16};
    for (size_t i = 0; i < 10; i++) {
        shape.kind['0' + i] = TALLY_BYTE_SYMBOL;
        shape.symbol['0' + i] = (uint8_t)i;
        shape.letter[0][i] = shape.letter[1][i] = (uint8_t)('0' + i);
    }
    return shape;
}

static uint8_t *over(uint32_t offset_size, size_t row)
{
    return (uint8_t *)arena + row * offset_size;
}

static void test_column(uint32_t offset_size)
{
    CHECK_ABOUT("a column, offsets of %u bytes", (unsigned)offset_size);
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, 8);
    uint8_t *values = make_values(offset_size), *out = malloc((size_t)ROWS * offset_size + 1);
    const tally_shape shape = digits();
    const tally_strings column = {
        .offsets = arena, .offset_size = offset_size, .values = values, .rows = ROWS};
    tally_column_report report;
    lay_out_unlike(offset_size, ROWS, offset_size);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, NULL, out, status, &report),
                TALLY_OK);
    CHECK_EQUAL(report.rows[TALLY_ROW_FOREIGN], BATCH);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, NULL, over(offset_size, CHANGED), status, &report),
                TALLY_ERROR_ARGUMENT);
    lay_out_unlike(offset_size, ROWS, offset_size); /* now statuses of zero: the offsets descend */
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_DECRYPT, &shape, &column, NULL,
                                  0, NULL, out, over(offset_size, CHANGED), &report),
                TALLY_ERROR_ARGUMENT);
    free(values);
    free(out);
    instance_dispose(&made);
}

/* Offsets that are all as far apart are read once, before anything is written. */
static void test_column_of_one_size(uint32_t offset_size)
{
    CHECK_ABOUT("a column of one size, offsets of %u bytes", (unsigned)offset_size);
    const size_t size = (size_t)ROWS * offset_size;
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, 8);
    uint8_t *values = make_values(offset_size), *out = malloc(size);
    const tally_shape shape = digits();
    const tally_strings column = {
        .offsets = arena, .offset_size = offset_size, .values = values, .rows = ROWS};
    tally_column_report report;
    lay_out(offset_size, ROWS, offset_size);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, NULL, out, status, &report),
                TALLY_OK);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, NULL, over(offset_size, CHANGED), status, &report),
                TALLY_OK);
    CHECK_EQUAL(report.rows[TALLY_ROW_FOREIGN], BATCH);
    CHECK_BYTES(over(offset_size, CHANGED), out, size);
    free(values);
    free(out);
    instance_dispose(&made);
}

static void test_column_tweaks(uint32_t offset_size)
{
    CHECK_ABOUT("tweaks of a column, offsets of %u bytes", (unsigned)offset_size);
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, 8);
    uint8_t *values = make_values(offset_size), *tweak = calloc(ROWS + 1, 4);
    int64_t *offsets = malloc((ROWS + 1) * sizeof *offsets);
    const tally_shape shape = digits();
    const tally_strings column = {
        .offsets = offsets, .offset_size = 8, .values = values, .rows = ROWS};
    const tally_strings tweaks = {
        .offsets = arena, .offset_size = offset_size, .values = tweak, .rows = ROWS};
    tally_column_report report;
    for (size_t i = 0; i <= ROWS; i++) {
        offsets[i] = (int64_t)(i * offset_size);
    }
    lay_out_unlike(offset_size, ROWS, 4);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, &tweaks, over(offset_size, CHANGED), status, &report),
                TALLY_OK);
    for (size_t i = BATCH; i < ROWS; i++) {
        CHECK_EQUAL(status[i], i + 1 < CHANGED ? TALLY_ROW_OK : TALLY_ROW_TWEAK);
    }
    free(values);
    free(tweak);
    free(offsets);
    instance_dispose(&made);
}

/* The same where rows are grouped: what changed ends the call, or its row is looked at no more. */
static void test_grouped(uint32_t offset_size, int own_tweaks)
{
    CHECK_ABOUT("rows in groups, offsets of %u bytes, of %s", (unsigned)offset_size,
                own_tweaks ? "tweaks" : "values");
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, 8);
    uint8_t *values = make_values(offset_size), *tweak = calloc(ROWS + 1, 4);
    int64_t *offsets = malloc((ROWS + 1) * sizeof *offsets);
    const size_t capacity = tally_fast_grouping_size(ROWS);
    void *memory = malloc(capacity);
    tally_shape shape = digits();
    shape.keep_last = 1;
    shape.tweak_kept = 1;
    tally_strings column = {.offsets = offsets, .offset_size = 8, .values = values, .rows = ROWS};
    const tally_strings tweaks = {
        .offsets = arena, .offset_size = offset_size, .values = tweak, .rows = ROWS};
    tally_column_report report;
    for (size_t i = 0; i <= ROWS; i++) {
        offsets[i] = (int64_t)(i * offset_size);
    }
    if (own_tweaks) {
        lay_out_unlike(offset_size, ROWS, 4);
    } else {
        lay_out_unlike(offset_size, ROWS, offset_size);
        column.offsets = arena;
        column.offset_size = offset_size;
    }
    tally_fast_workspace_set_grouping(made.workspace, memory, capacity);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, own_tweaks ? &tweaks : NULL, over(offset_size, CHANGED),
                                  status, &report),
                TALLY_ERROR_ARGUMENT);
    free(values);
    free(tweak);
    free(offsets);
    free(memory);
    instance_dispose(&made);
}

/* A row that is null when it is looked at leaves no byte, whatever is said of it later. */
static void test_validity(void)
{
    enum { NULLS = 64, WIDTH = 4 };
    CHECK_ABOUT("validity");
    static const uint8_t zeros[NULLS * WIDTH];
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, 8);
    uint8_t values[NULLS * WIDTH], *out = (uint8_t *)(arena + NULLS + 1);
    const tally_shape shape = digits();
    const tally_strings column = {
        .offsets = arena, .offset_size = 8, .validity = out + 16, .values = values, .rows = NULLS};
    tally_column_report report;
    lay_out(8, NULLS, WIDTH);
    memset(out, 0, sizeof values);
    memset(values, 0xFF, sizeof values);
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &column, NULL,
                                  0, NULL, out, status, &report),
                TALLY_OK);
    CHECK_BYTES(out, zeros, sizeof zeros);
    instance_dispose(&made);
}

static void test_words(void)
{
    CHECK_ABOUT("tweaks of words");
    tally_fast_params params;
    instance made = instance_make(TALLY_FAST, 256, key, sizeof key, 8);
    uint8_t *words = malloc(ROWS * 4), *tweak = calloc(ROWS + 1, 4);
    const tally_strings tweaks = {
        .offsets = arena, .offset_size = 4, .values = tweak, .rows = ROWS};
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 256, 4, &params), TALLY_OK);
    for (size_t i = 0; i < ROWS; i++) {
        set_offset(4, words, i, FAR + (int64_t)i * 2000); /* longer than any tweak may be, too */
    }
    lay_out_unlike(4, ROWS, 4);
    CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_ENCRYPT, &params, NULL, 0,
                                      &tweaks, words, over(4, CHANGED)),
                TALLY_ERROR_ARGUMENT);
    lay_out_unlike(4, ROWS, 4);
    for (size_t i = 0; i < ROWS; i++) { /* within the array, but too long */
        set_offset(4, words, i, i < BATCH ? 4 * (CHANGED - 1) : 4 * ROWS);
    }
    CHECK_EQUAL(tally_fast_words_rows(made.cipher, made.workspace, TALLY_DECRYPT, &params, NULL, 0,
                                      &tweaks, words, over(4, 1)),
                TALLY_ERROR_ARGUMENT);
    free(words);
    free(tweak);
    instance_dispose(&made);
}

static void test_range(void)
{
    CHECK_ABOUT("tweaks of a range");
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_range_params(0, &params), TALLY_OK);
    instance made = instance_make(TALLY_FAST, params.radix, key, sizeof key, 8);
    uint8_t *tweak = calloc(ROWS + 1, 4);
    const tally_strings tweaks = {
        .offsets = arena, .offset_size = 8, .values = tweak, .rows = ROWS};
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = FAR + i * 4;
        status[i] = i >= BATCH; /* chosen: the first batch keeps its numbers */
    }
    lay_out_unlike(8, ROWS, 4);
    CHECK_EQUAL(tally_fast_range_rows(made.cipher, made.workspace, TALLY_ENCRYPT, 0, NULL, 0,
                                      &tweaks, status, numbers,
                                      (uint64_t *)(void *)over(8, CHANGED)),
                TALLY_ERROR_ARGUMENT);
    free(tweak);
    instance_dispose(&made);
}

int main(void)
{
    for (uint32_t offset_size = 4; offset_size <= 8; offset_size += 4) {
        test_column(offset_size);
        test_column_of_one_size(offset_size);
        test_column_tweaks(offset_size);
        test_grouped(offset_size, 0);
        test_grouped(offset_size, 1);
    }
    test_validity();
    test_words();
    test_range();
    return check_end("arrays that change");
}
