/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text: known answers, then random columns against a slow model of one row, then limits
 * and errors. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "column_model.h"
#include "columns/columns.h"
#include "columns/job.h"
#include "columns/luhn.h"
#include "columns/one_value.h"
#include "fast/words/workspace.h"
#include "fast_instance.h"
#include "json.h"
#include "random.h"

enum { SLOTS = 8, ALONE_SLOTS = 256, GUARD = 0xa5, MAX_ROWS = 1200, MAX_BYTES = 1 << 18 };

/* Arrow strings with their memory; each row's place again as plain numbers. */
typedef struct column {
    tally_strings strings;
    void *offsets;
    uint8_t *validity, *values;
    size_t rows, size; /* of `values`, with what lies before and after the column */
    size_t start[MAX_ROWS + 1];
    bool null[MAX_ROWS];
} column;

static const uint8_t key[32] = {3, 1, 4, 1, 5, 9, 2, 6};

static bool by_ff1; /* FF1 in the place of FAST */

static instance make_caching(uint32_t radix, uint32_t slots)
{
    return by_ff1 ? instance_make_ff1(radix, key, 16, slots)
                  : instance_make(TALLY_FAST, radix, key, 16, slots);
}

static instance make(uint32_t radix)
{
    return make_caching(radix, SLOTS);
}

/* A column of rows that lie one after the other in `bytes`, with `before` random bytes before the
 * first and `behind` after the last; `nulls` of 8 rows are null (0: there is no bitmap). */
static column column_make(size_t rows, const size_t *sizes, const uint8_t *bytes,
                          uint32_t offset_size, size_t before, size_t behind, unsigned nulls)
{
    column made = {.rows = rows, .offsets = malloc((rows + 1) * offset_size)};
    made.start[0] = before;
    for (size_t i = 0; i < rows; i++) {
        made.start[i + 1] = made.start[i] + sizes[i];
    }
    for (size_t i = 0; i <= rows; i++) {
        int32_t narrow = (int32_t)made.start[i];
        int64_t wide = (int64_t)made.start[i];
        memcpy((uint8_t *)made.offsets + i * offset_size,
               offset_size == 4 ? (void *)&narrow : (void *)&wide, offset_size);
    }
    made.size = made.start[rows] + behind;
    made.values = malloc(made.size + 1);
    random_bytes(made.values, made.size);
    memcpy(made.values + before, bytes, made.start[rows] - before);
    size_t validity_start = random_below(20);
    if (nulls != 0) {
        size_t bits = validity_start + rows;
        made.validity = malloc(bits / 8 + 1);
        random_bytes(made.validity, bits / 8 + 1);
        for (size_t i = 0; i < rows; i++) {
            size_t bit = validity_start + i;
            uint8_t mask = (uint8_t)(1u << bit % 8);
            made.null[i] = random_below(8) < nulls;
            made.validity[bit / 8] = (uint8_t)(made.null[i] ? made.validity[bit / 8] & ~mask
                                                            : made.validity[bit / 8] | mask);
        }
    }
    made.strings = (tally_strings){.offsets = made.offsets,
                                   .offset_size = offset_size,
                                   .validity = made.validity,
                                   .validity_start = validity_start,
                                   .values = made.values,
                                   .rows = rows};
    return made;
}

static void column_dispose(column *made)
{
    free(made->offsets);
    free(made->validity);
    free(made->values);
}

/* A column of one row. */
static column column_of(const uint8_t *value, size_t size)
{
    return column_make(1, &size, value, 4, 0, 0, 0);
}

/* What the random columns have met, so that a status that never came up is noticed. */
static struct {
    size_t only[TALLY_ROW_STATUSES]; /* rows whose status could be no other */
    size_t null, long_words, round_trips, alike, values;
} seen;

static bool is_zero(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Between calls a cipher holds nothing of words, and only cached sequences. */
static void check_wiped(const instance *made)
{
    const tally_fast_cipher *cipher = made->cipher;
    const tally_column_memory *memory = (const void *)made->workspace->memory;
    CHECK(is_zero(cipher->lane_state, sizeof cipher->lane_state));
    CHECK(is_zero(memory->text, sizeof memory->text));
    CHECK(is_zero(memory->bad, sizeof memory->bad));
    CHECK(is_zero(memory->symbols, sizeof memory->symbols));
    CHECK(is_zero(memory->tails, sizeof memory->tails));
    CHECK(is_zero(cipher->sequences, sizeof cipher->sequences));
    CHECK(is_zero(&cipher->prefix_cache, sizeof cipher->prefix_cache));
}

/* Runs the values of a column that are short enough by themselves, and compares them with the
 * column's results. */
static void check_values(const instance *made, bool decrypt, const tally_shape *shape,
                         const column *in, const uint8_t *tweak, size_t tweak_size,
                         const column *row_tweaks, const uint8_t *out, const uint8_t *status)
{
    void *memory = malloc(tally_one_value_format_size());
    tally_one_value_format *format;
    CHECK_EQUAL(tally_one_value_format_init(shape, memory, tally_one_value_format_size(), &format),
                TALLY_OK);
    for (size_t i = 0; i < in->rows; i++) {
        const size_t start = in->start[i], size = in->start[i + 1] - start;
        if (in->null[i] || size > TALLY_ONE_VALUE || (row_tweaks != NULL && row_tweaks->null[i])) {
            continue;
        }
        uint8_t *value = malloc(size + 1); /* exactly, so that sanitizers see what lies beyond */
        const uint8_t *own = NULL;
        size_t own_size = 0;
        if (row_tweaks != NULL) {
            own = row_tweaks->values + row_tweaks->start[i];
            own_size = row_tweaks->start[i + 1] - row_tweaks->start[i];
        }
        tally_row row = (tally_row)GUARD;
        memcpy(value, in->values + start, size);
        value[size] = GUARD;
        CHECK_EQUAL(tally_one_value(made->cipher, format, (tally_direction)decrypt, tweak,
                                    tweak_size, own, own_size, value, size, &row),
                    TALLY_OK);
        CHECK_EQUAL(row, status[i]);
        CHECK_BYTES(value, out + start, size);
        CHECK_EQUAL(value[size], GUARD);
        free(value);
        seen.values++;
    }
    free(memory);
}

/* What the model makes of a column: its bytes, the errors of each row, and the report. */
typedef struct modelled {
    uint8_t *bytes; /* as many as the column has */
    uint32_t misfits[MAX_ROWS];
    tally_column_report report;
} modelled;

static modelled model_column(const instance *slow, bool decrypt, const tally_shape *shape,
                             const column *in, const uint8_t *tweak, size_t tweak_size,
                             const column *row_tweaks)
{
    modelled made = {.bytes = malloc(in->size + 1)};
    memcpy(made.bytes, in->values, in->size);
    for (size_t i = 0; i < in->rows; i++) {
        static const uint8_t none[1] = {0};
        size_t length = 0;
        const uint8_t *row_tweak = none;
        size_t row_tweak_size = 0;
        if (in->null[i]) { /* whatever lies under a null is not to be passed on */
            memset(made.bytes + in->start[i], 0, in->start[i + 1] - in->start[i]);
            seen.null++;
            continue;
        }
        if (row_tweaks != NULL) {
            row_tweak = row_tweaks->null[i] ? NULL : row_tweaks->values + row_tweaks->start[i];
            row_tweak_size = row_tweaks->start[i + 1] - row_tweaks->start[i];
        }
        const uint32_t misfits = model_row(slow->cipher, shape, decrypt, made.bytes + in->start[i],
                                           in->start[i + 1] - in->start[i], tweak, tweak_size,
                                           row_tweak, row_tweak_size, &length);
        made.misfits[i] = misfits;
        made.report.small += misfits == 0 && length < shape->small_symbols;
        seen.long_words += misfits == 0 && length > 1000;
    }
    return made;
}

/* Runs a column into `out`, of column->size bytes, and compares everything with the model. */
static void check_run(const instance *fast, bool decrypt, const tally_shape *shape,
                      const column *in, const uint8_t *tweak, size_t tweak_size,
                      const column *row_tweaks, const modelled *expected, bool in_place,
                      uint8_t *out, uint8_t *status)
{
    const size_t begin = in->start[0], end = in->start[in->rows];
    tally_column_report report, expected_report = expected->report;
    uint8_t *around = malloc(in->size + 1); /* what stays as it is */
    if (in_place) {
        memcpy(out, in->values, in->size);
    } else {
        random_bytes(out, in->size);
    }
    memcpy(around, out, in->size);

    tally_strings strings = in->strings;
    strings.values = in_place ? out : in->values;
    memset(&report, GUARD, sizeof report);
    memset(status, GUARD, in->rows + 1);
    CHECK_EQUAL(tally_fast_column(fast->cipher, fast->workspace, (tally_direction)decrypt, shape,
                                  &strings, tweak, tweak_size,
                                  row_tweaks == NULL ? NULL : &row_tweaks->strings, out + begin,
                                  status, &report),
                TALLY_OK);
    CHECK_BYTES(out, around, begin);
    CHECK_BYTES(out + begin, expected->bytes + begin, end - begin);
    CHECK_BYTES(out + end, around + end, in->size - end);
    CHECK_EQUAL(status[in->rows], GUARD);
    if (random_below(16) == 0) {
        check_wiped(fast);
    }
    for (size_t i = 0; i < in->rows; i++) {
        const uint32_t misfits = expected->misfits[i];
        bool known = status[i] < TALLY_ROW_STATUSES;
        CHECK(known);
        if (misfits == 0) {
            CHECK_EQUAL(status[i], TALLY_ROW_OK);
        } else {
            CHECK(known && (misfits & 1u << status[i]) != 0);
        }
        if (known) {
            expected_report.rows[status[i]]++;
            seen.only[status[i]] += misfits == 0 ? !in->null[i] : misfits == 1u << status[i];
        }
    }
    CHECK_BYTES(&report, &expected_report, sizeof report);
    free(around);
}

/* Runs a column out of place into `apart` and in place into `out`, and its values by themselves.
 * The model, which takes most of the time, computes the results of all three once. */
static void check_column(const instance *fast, const instance *slow, bool decrypt,
                         const tally_shape *shape, const column *in, const uint8_t *tweak,
                         size_t tweak_size, const column *row_tweaks, uint8_t *apart, uint8_t *out,
                         uint8_t *status)
{
    modelled expected = model_column(slow, decrypt, shape, in, tweak, tweak_size, row_tweaks);
    check_run(fast, decrypt, shape, in, tweak, tweak_size, row_tweaks, &expected, false, apart,
              status);
    check_run(fast, decrypt, shape, in, tweak, tweak_size, row_tweaks, &expected, true, out,
              status);
    check_values(fast, decrypt, shape, in, tweak, tweak_size, row_tweaks, out, status);
    free(expected.bytes);
}

/* A random byte of one of the kinds in the mask; any byte if there is none. */
static uint8_t random_byte(const tally_shape *shape, unsigned kinds)
{
    uint8_t first = (uint8_t)random_below(256);
    for (unsigned i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)(first + i);
        if ((kinds >> shape->kind[byte] & 1) != 0) {
            return byte;
        }
    }
    return first;
}

static tally_shape random_shape(void)
{
    static const uint32_t radices[] = {4, 10, 16, 26, 36, 62, 64, 94, 128, 200, 255, 256};
    tally_shape shape;
    uint8_t bytes[256];
    random_bytes(&shape, sizeof shape);
    shape.luhn = (uint8_t)(random_below(3) == 0 ? 1 + random_below(2) : 0);
    shape.radix = shape.luhn != 0 ? 10 : radices[random_below(sizeof radices / sizeof *radices)];
    shape.min_symbols = (shape.radix < 10 && by_ff1 ? 4 : 2) + random_below(5);
    shape.max_symbols = random_below(2) == 0 ? 65536 : 6 + random_below(60);
    shape.small_symbols = random_below(16);
    shape.keep = 0;
    if (random_below(2) == 0) { /* few bits, and low ones rather than high ones */
        shape.keep = random_u64() & random_u64() & random_u64();
        shape.keep >>= random_below(2) == 0 ? 56 : 0;
    }
    shape.keep_last = random_below(2) == 0 ? random_below(6) : 0;
    shape.keep_last = random_below(50) == 0 ? UINT32_MAX : shape.keep_last;
    shape.keep_after_delimiter = random_below(2) == 0;
    shape.tweak_kept = random_below(2) == 0;

    /* All bytes, or ASCII alone, for which there is code of its own. */
    bool ascii = shape.radix <= 94 && random_below(3) != 0;
    size_t mixed = ascii ? 128 : 256;
    for (size_t i = 0; i < 256; i++) { /* a permutation */
        size_t j = i < mixed ? random_below(i + 1) : i;
        bytes[i] = bytes[j];
        bytes[j] = (uint8_t)i;
    }
    if (ascii && random_below(3) == 0) { /* in order, as digits are */
        const size_t start = random_below(129 - shape.radix);
        for (size_t i = 0; i < mixed; i++) {
            bytes[i] = (uint8_t)((start + i) % mixed);
        }
    }
    bool both = (!ascii || shape.radix <= 60) && shape.radix <= 100 && random_below(2) == 0;
    unsigned first = !both && random_below(4) == 0 ? 1 : 0;
    bool delimited = random_below(3) == 0;
    size_t used = 0;
    for (unsigned upper = first; upper <= (both ? 1 : first); upper++) {
        for (uint32_t symbol = 0; symbol < shape.radix; symbol++) {
            uint8_t byte = bytes[used++];
            shape.kind[byte] = upper != 0 ? TALLY_BYTE_UPPER : TALLY_BYTE_SYMBOL;
            shape.symbol[byte] = (uint8_t)symbol;
            shape.letter[upper][symbol] = byte;
        }
    }
    while (used < mixed) {
        static const uint8_t kinds[4] = {TALLY_BYTE_FOREIGN, TALLY_BYTE_KEPT, TALLY_BYTE_LEADING,
                                         TALLY_BYTE_DELIMITER};
        shape.kind[bytes[used++]] = kinds[random_below(delimited ? 4 : 3)];
    }
    while (used < 256) {
        shape.kind[bytes[used++]] = TALLY_BYTE_FOREIGN;
    }
    return shape;
}

/* Gives a value its check digit, if it is to have one. */
static void write_check_digit(const tally_shape *shape, uint8_t *value, size_t size)
{
    model_parts parts = model_split(shape, value, size);
    if (shape->luhn != TALLY_LUHN_NONE && parts.opened > 0) {
        model_write(shape, model_check_digit(shape, &parts, value),
                    &value[parts.open[parts.opened - 1]]);
    }
    model_release(&parts);
}

/* A value that fits a shape more often than not. */
static size_t random_value(const tally_shape *shape, bool may_be_long, uint8_t *out)
{
    static const size_t bounds[8] = {1, 8, 16, 16, 24, 40, 100, 100};
    const unsigned symbols = 1u << TALLY_BYTE_SYMBOL | 1u << TALLY_BYTE_UPPER;
    size_t bound = bounds[random_below(8)];
    if (may_be_long && shape->luhn == TALLY_LUHN_NONE && random_below(30) == 0) {
        bound = 4000;
    }
    size_t size = random_below(bound), delimiter = random_below(size + 1);
    bool delimited = false;
    for (int byte = 0; byte < 256; byte++) {
        delimited |= shape->kind[byte] == TALLY_BYTE_DELIMITER;
    }
    delimited &= random_below(12) != 0;
    for (size_t i = 0; i < size; i++) {
        unsigned kinds = random_below(6) == 0 ? 1u << TALLY_BYTE_KEPT : symbols;
        if (i == 0 && random_below(4) == 0) {
            kinds = 1u << TALLY_BYTE_LEADING;
        }
        if (delimited && i > delimiter && shape->keep_after_delimiter != 0) {
            kinds = UINT32_MAX - (1u << TALLY_BYTE_DELIMITER);
        }
        out[i] =
            random_byte(shape, delimited && i == delimiter ? 1u << TALLY_BYTE_DELIMITER : kinds);
    }
    if (size > 0 && random_below(8) == 0) {
        out[random_below(size)] = (uint8_t)random_below(256);
    }
    if (random_below(8) != 0) {
        write_check_digit(shape, out, size);
    }
    return size;
}

/* A value laid out as another; one in `flaws` has a flaw, or none (0). */
static void random_alike(const tally_shape *shape, const uint8_t *model, size_t size,
                         uint32_t flaws, uint8_t *out)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = random_byte(shape, 1u << shape->kind[model[i]]);
    }
    if (size > 0 && flaws != 0 && random_below(flaws) == 0) {
        out[random_below(size)] = (uint8_t)random_below(256);
    }
    if (flaws == 0 || random_below(flaws) != 0) {
        write_check_digit(shape, out, size);
    }
}

/* Rows of two layouts, often of one size, and others between, or all of one. */
static size_t random_alike_rows(const tally_shape *shape, size_t *sizes, uint8_t *bytes)
{
    static const size_t counts[] = {15,  16,  17,  40,  64,  65,  128,     200,
                                    300, 400, 512, 513, 700, 900, MAX_ROWS};
    size_t rows = counts[random_below(sizeof counts / sizeof *counts)], total = 0, size[2];
    uint8_t models[2][100];
    size[0] = random_value(shape, false, models[0]);
    size[1] = random_value(shape, false, models[1]);
    for (int tries = 0; tries < 20 && size[1] != size[0]; tries++) {
        size[1] = random_value(shape, false, models[1]);
    }
    static const uint32_t rates[] = {0, 20, 20, 400};
    const uint32_t flaws = rates[random_below(4)];
    size_t second = random_below(2) * random_below(12), others = random_below(2);
    for (size_t i = 0; i < rows; i++) {
        size_t which = random_below(20) < second;
        if (others != 0 && random_below(30) == 0) {
            sizes[i] = random_value(shape, false, bytes + total);
        } else {
            random_alike(shape, models[which], size[which], flaws, bytes + total);
            sizes[i] = size[which];
        }
        total += sizes[i];
    }
    seen.alike += rows;
    return rows;
}

/* A column with the rest of its layout chosen at random. */
static column random_column(size_t rows, const size_t *sizes, const uint8_t *bytes, unsigned nulls)
{
    uint32_t offset_size = random_below(2) == 0 ? 4 : 8;
    size_t before = random_below(30), behind = random_below(2) * 9;
    return column_make(rows, sizes, bytes, offset_size, before, behind, nulls);
}

static size_t random_row_tweak(uint8_t *out)
{
    static const size_t bounds[4] = {1, 20, 300, 1100};
    size_t size = random_below(bounds[random_below(4)]);
    random_bytes(out, size);
    return size;
}

/* A random column under a random shape, out of place, in place, and back. The ciphers of a radix,
 * one for columns and one for the model, go on to the next column with the sequences they keep. */
static void check_random_column(instance ciphers[257][2], uint8_t *bytes)
{
    tally_shape shape = random_shape();
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK], status[2][MAX_ROWS + 1];
    size_t tweak_size = random_below(random_below(20) == 0 ? sizeof tweak + 1 : 40);
    size_t rows = random_below(41), sizes[MAX_ROWS], total = 0;
    bool alike = random_below(4) == 0;
    random_bytes(tweak, tweak_size);
    for (size_t i = 0; i < rows && !alike; i++) {
        sizes[i] = random_value(&shape, true, bytes + total);
        total += sizes[i];
    }
    if (alike) {
        rows = random_alike_rows(&shape, sizes, bytes);
    }
    column plain = random_column(rows, sizes, bytes, (unsigned)random_below(3));
    bool tweaked = random_below(alike && !by_ff1 ? 8 : 2) == 0;
    column row_tweaks = {.rows = 0};
    if (tweaked) {
        total = 0;
        for (size_t i = 0; i < rows; i++) {
            sizes[i] = random_row_tweak(bytes + total);
            total += sizes[i];
        }
        row_tweaks = random_column(rows, sizes, bytes, (unsigned)random_below(2));
    }
    const column *row = tweaked ? &row_tweaks : NULL;
    instance *fast = &ciphers[shape.radix][0], *slow = &ciphers[shape.radix][1];
    if (fast->cipher == NULL) {
        *fast = make(shape.radix);
        *slow = make(shape.radix);
    }
    uint8_t *apart = malloc(plain.size + 1), *back = malloc(plain.size + 1);
    column token = plain;
    token.values = malloc(plain.size + 1);
    check_column(fast, slow, false, &shape, &plain, tweak, tweak_size, row, apart, token.values,
                 status[0]);
    token.strings.values = token.values;
    check_column(fast, slow, true, &shape, &token, tweak, tweak_size, row, apart, back, status[1]);
    for (size_t i = 0; i < rows; i++) {
        if (status[0][i] == TALLY_ROW_OK && !plain.null[i]) {
            CHECK_EQUAL(status[1][i], TALLY_ROW_OK);
            CHECK_BYTES(back + plain.start[i], plain.values + plain.start[i],
                        plain.start[i + 1] - plain.start[i]);
            seen.round_trips++;
        }
    }
    free(apart);
    free(back);
    free(token.values);
    column_dispose(&plain);
    column_dispose(&row_tweaks);
}

static void check_random_columns(int columns)
{
    static instance ciphers[257][2];
    uint8_t *bytes = malloc(MAX_BYTES);
    for (int i = 0; i < columns; i++) {
        CHECK_ABOUT("random column %d, CPU features %x", i, tally_cpu_features());
        check_random_column(ciphers, bytes);
    }
    free(bytes);
    for (size_t radix = 0; radix < 257; radix++) {
        instance_dispose(&ciphers[radix][0]);
        instance_dispose(&ciphers[radix][1]);
        memset(ciphers[radix], 0, sizeof ciphers[radix]);
    }
}

/* With all that this CPU has, then with less and less. */
static void test_random_columns(void)
{
    static const uint32_t taken[] = {0, TALLY_CPU_AVX512VBMI2, TALLY_CPU_AVX512VBMI,
                                     TALLY_CPU_AVX2 | TALLY_CPU_NEON};
    uint32_t left = UINT32_MAX, last = UINT32_MAX;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        left &= ~taken[i];
        if (tally_cpu_lower(left) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        check_random_columns(random_cases(i == 0 ? 600 : 300));
    }
    tally_cpu_lower(UINT32_MAX);
    CHECK_ABOUT("what the random columns met");
    for (int status = 0; status < TALLY_ROW_STATUSES; status++) {
        CHECK(seen.only[status] > (uint64_t)random_cases(100));
    }
    CHECK(seen.null > 100);
    CHECK(seen.long_words > (size_t)random_cases(25));
    CHECK(seen.round_trips > 1000);
    CHECK(seen.alike > 10000);
    CHECK(seen.values > 10000);
}

/* Digits with "-" kept, "+" leading, "@" the delimiter or foreign, and all else foreign. */
static tally_shape digits_shape(bool delimited)
{
    tally_shape shape = {.radix = 10, .min_symbols = 2, .max_symbols = 65536};
    for (int digit = 0; digit < 10; digit++) {
        shape.kind['0' + digit] = TALLY_BYTE_SYMBOL;
        shape.symbol['0' + digit] = (uint8_t)digit;
        shape.letter[0][digit] = (uint8_t)('0' + digit);
    }
    shape.kind['-'] = TALLY_BYTE_KEPT;
    shape.kind['+'] = TALLY_BYTE_LEADING;
    shape.kind['@'] = delimited ? TALLY_BYTE_DELIMITER : TALLY_BYTE_FOREIGN;
    return shape;
}

/* One value in place; returns its status. */
static tally_row run_value(const instance *made, bool decrypt, const tally_shape *shape,
                           uint8_t *value, size_t size, const uint8_t *tweak, size_t tweak_size,
                           const column *row_tweaks)
{
    uint8_t status = GUARD;
    tally_column_report report;
    column in = column_of(value, size);
    CHECK_EQUAL(tally_fast_column(made->cipher, made->workspace, (tally_direction)decrypt, shape,
                                  &in.strings, tweak, tweak_size,
                                  row_tweaks == NULL ? NULL : &row_tweaks->strings, in.values,
                                  &status, &report),
                TALLY_OK);
    memcpy(value, in.values, size);
    column_dispose(&in);
    return (tally_row)status;
}

/* More rows than a batch has, all of one size: each is what it is by itself. */
static void check_many_rows(const char *model, int luhn)
{
    enum { ROWS = TALLY_FAST_ROWS + 1000, WIDTH = 19 };
    static const size_t places[] = {ROWS, 0, 700, TALLY_FAST_ROWS + 100, ROWS - 1};
    static uint8_t plain[ROWS * WIDTH], tokens[ROWS * WIDTH], out[ROWS * WIDTH], status[ROWS];
    static int32_t offsets[ROWS + 1];
    const size_t width = strlen(model);
    instance made = make(10);
    tally_shape shape = digits_shape(false);
    shape.luhn = (uint8_t)luhn;
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t *value = plain + i * width;
        offsets[i + 1] = (int32_t)((i + 1) * width);
        for (size_t p = 0; p < width; p++) {
            value[p] = (uint8_t)(model[p] == '-' ? '-' : '0' + random_below(10));
        }
        write_check_digit(&shape, value, width);
        memcpy(tokens + i * width, value, width);
        CHECK_EQUAL(run_value(&made, false, &shape, tokens + i * width, width, key, 5, NULL),
                    TALLY_ROW_OK);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const tally_strings strings = {
            .offsets = offsets, .offset_size = 4, .values = out, .rows = ROWS};
        const size_t bad = places[i];
        uint8_t kept[WIDTH];
        tally_column_report report;
        CHECK_ABOUT("many rows like %s, and a bad one at %zu", model, bad);
        memcpy(out, plain, sizeof out);
        if (bad < ROWS) {
            memcpy(kept, tokens + bad * width, width);
            out[bad * width + 3] = 'x';
            memcpy(tokens + bad * width, out + bad * width, width);
        }
        CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &strings,
                                      key, 5, NULL, out, status, &report),
                    TALLY_OK);
        CHECK_BYTES(out, tokens, ROWS * width);
        CHECK_EQUAL(report.rows[TALLY_ROW_OK], ROWS - (bad < ROWS));
        if (bad < ROWS) {
            CHECK_EQUAL(status[bad], TALLY_ROW_FOREIGN);
            memcpy(tokens + bad * width, kept, width);
        }
    }
    instance_dispose(&made);
}

static void test_many_rows(void)
{
    static const uint32_t levels[] = {UINT32_MAX, TALLY_CPU_AVX2, 0};
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (tally_cpu_lower(levels[i]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        check_many_rows("0000000000000000", TALLY_LUHN_NONE);
        check_many_rows("0000000000000000", TALLY_LUHN_VALID);
        check_many_rows("0000-0000-0000-0000", TALLY_LUHN_NONE);
        check_many_rows("000-00-0000", TALLY_LUHN_VALID);
    }
    tally_cpu_lower(UINT32_MAX);
}

/* Rows of which a symbol stays, which is their tweak, and behind them rows of which none does. */
static void test_none_kept_behind_some(void)
{
    enum { ROWS = 1400, SOME = 600, WIDTH = 16 };
    static uint8_t out[ROWS * WIDTH], expected[ROWS * WIDTH], status[ROWS];
    static int32_t offsets[ROWS + 1];
    const tally_strings strings = {
        .offsets = offsets, .offset_size = 4, .values = out, .rows = ROWS};
    tally_column_report report;
    instance made = make(10);
    tally_shape shape = digits_shape(false);
    shape.keep = 1 << 10;
    shape.tweak_kept = 1;
    CHECK_ABOUT("rows of which none stays behind those of which some do");
    for (size_t i = 0; i < ROWS; i++) {
        const char *model = i < SOME ? "0000000000000000" : "0000000--------0";
        uint8_t *value = out + i * WIDTH;
        offsets[i + 1] = (int32_t)((i + 1) * WIDTH);
        for (size_t p = 0; p < WIDTH; p++) {
            value[p] = (uint8_t)(model[p] == '-' ? '-' : '0' + random_below(10));
        }
        memcpy(expected + i * WIDTH, value, WIDTH);
        CHECK_EQUAL(run_value(&made, false, &shape, expected + i * WIDTH, WIDTH, key, 5, NULL),
                    TALLY_ROW_OK);
    }
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &strings, key,
                                  5, NULL, out, status, &report),
                TALLY_OK);
    CHECK_BYTES(out, expected, sizeof out);
    instance_dispose(&made);
}

/* A long column, at places in a cache line: each row is what it is in a short one. */
static void test_long_columns(void)
{
    enum { ROWS = 16 * TALLY_FAST_ROWS + 700, PART = 4000, WIDTH = 16 };
    static const size_t places[] = {0, 16, 48, 5};
    static _Alignas(64) uint8_t whole[64 + ROWS * WIDTH], parts[ROWS * WIDTH], status[ROWS];
    static int32_t offsets[ROWS + 1];
    const tally_shape shape = digits_shape(false);
    instance made = make(10);
    for (size_t i = 0; i <= ROWS; i++) {
        offsets[i] = (int32_t)(i * WIDTH);
    }
    for (size_t k = 0; k < sizeof parts; k++) {
        parts[k] = (uint8_t)('0' + random_below(10));
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const tally_direction direction = i % 2 == 0 ? TALLY_ENCRYPT : TALLY_DECRYPT;
        uint8_t *values = whole + places[i];
        const tally_strings all = {
            .offsets = offsets, .offset_size = 4, .values = values, .rows = ROWS};
        tally_column_report report;
        CHECK_ABOUT("%d rows at byte %zu of a line", ROWS, places[i]);
        memcpy(values, parts, sizeof parts);
        CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, direction, &shape, &all, key, 5,
                                      NULL, values, status, &report),
                    TALLY_OK);
        CHECK_EQUAL(report.rows[TALLY_ROW_OK], ROWS);
        for (size_t first = 0; first < ROWS; first += PART) {
            const size_t left = ROWS - first, count = left < PART ? left : PART;
            uint8_t *part = parts + first * WIDTH;
            const tally_strings some = {
                .offsets = offsets, .offset_size = 4, .values = part, .rows = count};
            CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, direction, &shape, &some,
                                          key, 5, NULL, part, status, &report),
                        TALLY_OK);
        }
        CHECK_BYTES(values, parts, sizeof parts);
    }
    instance_dispose(&made);
}

enum { GROUPED_ROWS = 4 * TALLY_FAST_ROWS + 2100, GROUPED_BEFORE = 5, GROUPED_VALUE = 40 };

static size_t grouped_rows;

/* Rows of which many have the same tweaks, and neither lie together. */
static struct {
    int32_t offsets[GROUPED_ROWS + 1], tweak_offsets[GROUPED_ROWS + 1];
    uint8_t validity[GROUPED_ROWS / 8 + 1], tweaks[GROUPED_ROWS * 12];
    uint8_t values[GROUPED_BEFORE + GROUPED_ROWS * GROUPED_VALUE];
    uint8_t expected[GROUPED_BEFORE + GROUPED_ROWS * GROUPED_VALUE];
    uint8_t out[GROUPED_BEFORE + GROUPED_ROWS * GROUPED_VALUE];
    uint8_t status[GROUPED_ROWS], expected_status[GROUPED_ROWS];
} grouped;

/* Fills rows: digits, now and then with a separator, a foreign byte or a null; a delimiter and a
 * word after it, if `delimited`. `equal`: all rows have the same size. */
static void make_grouped(const tally_shape *shape, bool delimited, bool equal)
{
    memset(grouped.validity, 0xff, sizeof grouped.validity);
    grouped.offsets[0] = GROUPED_BEFORE;
    for (size_t i = 0; i < grouped_rows; i++) {
        uint8_t *value = grouped.values + grouped.offsets[i], *at = value;
        const size_t digits = equal ? 12 : 8 + random_below(6);
        const uint32_t kind = random_below(60), tail = random_below(3) == 0 ? (uint32_t)i : kind;
        for (size_t k = 0; k < digits; k++) {
            *at++ =
                (uint8_t)('0' + (k < 2 || k + 2 >= digits ? kind / (k + 1) : random_u64()) % 10);
            if (!equal && random_below(10) == 0) {
                *at++ = '-';
            }
        }
        write_check_digit(shape, value, (size_t)(at - value));
        if (random_below(40) == 0) {
            value[random_below((uint32_t)(at - value))] = 'x';
        }
        if (delimited && random_below(50) != 0) {
            *at++ = '@';
            memset(at, 'a' + (int)(kind % 20), equal ? 6 : kind % 7);
            at += equal ? 6 : kind % 7;
        } else if (delimited && equal) {
            memset(at, '7', 7);
            at += 7;
        }
        if (random_below(20) == 0) {
            grouped.validity[i / 8] &= (uint8_t) ~(1u << i % 8);
        }
        grouped.offsets[i + 1] = (int32_t)(at - grouped.values);
        const size_t own = equal ? 8 : tail % 12;
        grouped.tweak_offsets[i + 1] = grouped.tweak_offsets[i] + (int32_t)own;
        memset(grouped.tweaks + grouped.tweak_offsets[i], (int)tail, own);
    }
}

static bool grouped_is_null(size_t row)
{
    return (grouped.validity[row / 8] >> row % 8 & 1) == 0;
}

/* Runs the rows in groups, with memory for so many of them at a time, in place or not. */
static void check_grouped_call(const instance *made, const tally_shape *shape, bool decrypt,
                               bool own_tweaks, size_t rows, bool in_place, const uint8_t *values,
                               const tally_column_report *expected_report)
{
    const size_t begin = GROUPED_BEFORE, size = (size_t)grouped.offsets[grouped_rows] - begin,
                 capacity = tally_fast_grouping_size(rows);
    const tally_strings tweaks = {.offsets = grouped.tweak_offsets,
                                  .offset_size = 4,
                                  .values = grouped.tweaks,
                                  .rows = grouped_rows};
    uint8_t *memory = malloc(capacity + 1);
    tally_column_report report;
    CHECK(capacity != 0);
    memory[capacity] = GUARD;
    memset(grouped.out, GUARD, sizeof grouped.out);
    if (in_place) {
        memcpy(grouped.out + begin, values + begin, size);
    }
    const tally_strings strings = {.offsets = grouped.offsets,
                                   .offset_size = 4,
                                   .validity = grouped.validity,
                                   .values = in_place ? grouped.out : values,
                                   .rows = grouped_rows};
    tally_fast_workspace_set_grouping(made->workspace, memory, capacity);
    CHECK_EQUAL(tally_fast_column(made->cipher, made->workspace, (tally_direction)decrypt, shape,
                                  &strings, key, 5, own_tweaks ? &tweaks : NULL,
                                  grouped.out + begin, grouped.status, &report),
                TALLY_OK);
    tally_fast_workspace_set_grouping(made->workspace, NULL, 0);
    CHECK_BYTES(grouped.out + begin, grouped.expected + begin, size);
    CHECK_BYTES(grouped.status, grouped.expected_status, grouped_rows);
    CHECK_BYTES(&report, expected_report, sizeof report);
    CHECK_EQUAL(memory[capacity], GUARD);
    CHECK_EQUAL(grouped.out[begin + size], GUARD);
    check_wiped(made);
    free(memory);
}

/* Rows in groups are what each row is by itself. Returns how many are valid. */
static uint64_t check_grouped(const tally_shape *shape, bool decrypt, bool own_tweaks)
{
    instance made = make(10), alone = make_caching(10, ALONE_SLOTS);
    tally_column_report report = {{0}, 0};
    memset(made.cipher->lane_state, 0, sizeof made.cipher->lane_state);
    memcpy(grouped.expected, grouped.values, sizeof grouped.values);
    for (size_t i = 0; i < grouped_rows; i++) {
        const size_t start = (size_t)grouped.offsets[i],
                     size = (size_t)grouped.offsets[i + 1] - start;
        const int32_t ends[2] = {0, (int32_t)size},
                      own[2] = {0, grouped.tweak_offsets[i + 1] - grouped.tweak_offsets[i]};
        const tally_strings value = {.offsets = ends,
                                     .offset_size = 4,
                                     .values = grouped.expected + start,
                                     .rows = 1},
                            tweak = {.offsets = own,
                                     .offset_size = 4,
                                     .values = grouped.tweaks + grouped.tweak_offsets[i],
                                     .rows = 1};
        tally_column_report one;
        grouped.expected_status[i] = TALLY_ROW_OK;
        if (grouped_is_null(i)) {
            memset(grouped.expected + start, 0, size);
            report.rows[TALLY_ROW_OK]++;
            continue;
        }
        CHECK_EQUAL(tally_fast_column(alone.cipher, alone.workspace, (tally_direction)decrypt,
                                      shape, &value, key, 5, own_tweaks ? &tweak : NULL,
                                      grouped.expected + start, &grouped.expected_status[i], &one),
                    TALLY_OK);
        report.rows[grouped.expected_status[i]]++;
        report.small += one.small;
    }
    check_grouped_call(&made, shape, decrypt, own_tweaks, grouped_rows, false, grouped.values,
                       &report);
    check_grouped_call(&made, shape, decrypt, own_tweaks, TALLY_FAST_ROWS + 1, true, grouped.values,
                       &report);
    instance_dispose(&alone);
    instance_dispose(&made);
    return report.rows[TALLY_ROW_OK];
}

static void test_grouped(void)
{
    static const uint32_t levels[] = {UINT32_MAX, ~(uint32_t)TALLY_CPU_AVX512VBMI2, TALLY_CPU_AVX2,
                                      0};
    CHECK_EQUAL(tally_fast_grouping_size(TALLY_FAST_ROWS), 0);
    CHECK_EQUAL(tally_fast_grouping_size(UINT64_MAX), tally_fast_grouping_size(TALLY_FAST_GROUPED));
    /* Steps of 5 have each kind of shape too. */
    for (unsigned i = 0; i < 24; i += random_is_emulated() ? 5 : 1) {
        const bool delimited = i % 3 == 1, own = i % 2 == 0;
        tally_shape shape = digits_shape(delimited);
        shape.small_symbols = 7;
        shape.tweak_kept = i % 6 != 0;
        shape.keep = i % 4 == 0 ? 3 : i % 4 == 1 ? 5 : i % 4 == 2 ? 0x44 : 0;
        shape.keep_last = i % 5 != 4 ? 2 : 0;
        shape.keep_after_delimiter = delimited;
        shape.luhn = (uint8_t)(delimited ? TALLY_LUHN_NONE : i % 7 % 3);
        /* Few tweaks are grouped among 2^14 rows. */
        grouped_rows = i % 12 == 3 ? GROUPED_ROWS : 2 * TALLY_FAST_ROWS + 2100;
        CHECK_ABOUT("rows in groups, case %u", i);
        tally_cpu_lower(levels[i / 6]);
        make_grouped(&shape, delimited, i % 9 < 3);
        CHECK(check_grouped(&shape, i % 8 == 3, own) > grouped_rows / 2);
    }
    tally_cpu_lower(UINT32_MAX);
}

/* Rows of one tweak and one size, of which few have a valid value: no layout is worth lanes. */
static void test_grouped_invalid(void)
{
    tally_shape shape = digits_shape(false);
    shape.tweak_kept = 1;
    shape.keep = 3;
    grouped_rows = 2 * TALLY_FAST_ROWS + 2100;
    make_grouped(&shape, false, true);
    for (size_t i = 0; i < grouped_rows; i++) {
        uint8_t *value = grouped.values + grouped.offsets[i];
        memset(value, '1', 2);
        value[5] = i % 512 == 0 ? '5' : 'x';
    }
    CHECK(check_grouped(&shape, false, false) > 0);
}

/* The word vectors again, each word a value whose bytes are its symbols. */
static void test_word_vectors(void)
{
    json_file *file = json_load(TALLY_VECTORS "/fast_words.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        CHECK_ABOUT("fast_words case %zu", i);
        uint8_t case_key[32], tweak[256], plain[256], expected[256], value[256];
        size_t key_size = json_hex(c, "key", case_key, sizeof case_key);
        size_t tweak_size = json_hex(c, "tweak", tweak, sizeof tweak);
        size_t size = json_bytes(c, "plaintext", plain, sizeof plain);
        json_bytes(c, "ciphertext", expected, sizeof expected);
        tally_shape shape = {
            .radix = (uint32_t)json_int(c, "radix"), .min_symbols = 2, .max_symbols = 65536};
        for (uint32_t symbol = 0; symbol < shape.radix; symbol++) {
            shape.kind[symbol] = TALLY_BYTE_SYMBOL;
            shape.symbol[symbol] = shape.letter[0][symbol] = (uint8_t)symbol;
        }
        instance made = instance_make(TALLY_FAST, shape.radix, case_key, key_size, SLOTS);
        memcpy(value, plain, size);
        CHECK_EQUAL(run_value(&made, false, &shape, value, size, tweak, tweak_size, NULL),
                    TALLY_ROW_OK);
        CHECK_BYTES(value, expected, size);
        CHECK_EQUAL(run_value(&made, true, &shape, value, size, tweak, tweak_size, NULL),
                    TALLY_ROW_OK);
        CHECK_BYTES(value, plain, size);
        instance_dispose(&made);
    }
    json_free(file);
}

/* Published numbers: card networks' test numbers, and the example of the formula's descriptions. */
static void test_luhn_digit(void)
{
    static const char *const numbers[] = {
        "4111111111111111", "4012888888881881", "5555555555554444", "5105105105105100",
        "378282246310005",  "371449635398431",  "6011111111111117", "6011000990139424",
        "3530111333300000", "30569309025904",   "38520000023237",   "79927398713"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK_ABOUT("Luhn, %s", numbers[i]);
        uint8_t digits[16];
        size_t count = strlen(numbers[i]);
        for (size_t place = 0; place < count; place++) {
            digits[place] = (uint8_t)(numbers[i][place] - '0');
        }
        for (size_t place = 0; place < count; place++) {
            uint8_t right = digits[place];
            digits[place] = (uint8_t)(place % 10); /* any digit: it does not count */
            CHECK_EQUAL(tally_luhn_digit(digits, count, place), right);
            digits[place] = right;
        }
    }
}

/* Rows whose status is plain to see. */
static void test_statuses(void)
{
    static const struct {
        const char *value;
        tally_row plain, delimited; /* without and with a delimiter in the shape */
        tally_row kept;             /* with keep_after_delimiter too */
    } cases[] = {
        {"", TALLY_ROW_SHORT, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"@", TALLY_ROW_FOREIGN, TALLY_ROW_SHORT, TALLY_ROW_SHORT},
        {"+12-345", TALLY_ROW_OK, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"+123@4", TALLY_ROW_FOREIGN, TALLY_ROW_OK, TALLY_ROW_OK},
        {"12@345", TALLY_ROW_FOREIGN, TALLY_ROW_OK, TALLY_ROW_SHORT},
        {"1234@+x", TALLY_ROW_FOREIGN, TALLY_ROW_FOREIGN, TALLY_ROW_OK},
        {"1234@5@", TALLY_ROW_FOREIGN, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"1234@@", TALLY_ROW_FOREIGN, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"12+34", TALLY_ROW_FOREIGN, TALLY_ROW_FOREIGN, TALLY_ROW_FOREIGN},
        {"x123@", TALLY_ROW_FOREIGN, TALLY_ROW_FOREIGN, TALLY_ROW_FOREIGN},
        {"+--", TALLY_ROW_SHORT, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"12", TALLY_ROW_SHORT, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"123", TALLY_ROW_OK, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"1234567", TALLY_ROW_LONG, TALLY_ROW_DELIMITER, TALLY_ROW_DELIMITER},
        {"1234567@", TALLY_ROW_FOREIGN, TALLY_ROW_LONG, TALLY_ROW_LONG},
        {"123@4567", TALLY_ROW_FOREIGN, TALLY_ROW_LONG, TALLY_ROW_OK},
    };
    instance made = make(10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int way = 0; way < 3; way++) {
            tally_shape shape = digits_shape(way > 0);
            shape.keep_after_delimiter = way == 2;
            shape.min_symbols = 3;
            shape.max_symbols = 6;
            const tally_row expected[3] = {cases[i].plain, cases[i].delimited, cases[i].kept};
            uint8_t value[16] = {0};
            size_t size = strlen(cases[i].value);
            memcpy(value, cases[i].value, size);
            CHECK_ABOUT("\"%s\", way %d", cases[i].value, way);
            tally_row fit = run_value(&made, way == 1, &shape, value, size, NULL, 0, NULL);
            /* A value without its delimiter may also be called short or long. */
            CHECK(fit == expected[way] || (expected[way] == TALLY_ROW_DELIMITER &&
                                           (fit == TALLY_ROW_SHORT || fit == TALLY_ROW_LONG)));
            if (fit != TALLY_ROW_OK) {
                CHECK_BYTES(value, cases[i].value, size);
            }
        }
    }
    instance_dispose(&made);
}

/* The tweak's bytes, written out by hand. */
static void test_tweak_bytes(void)
{
    CHECK_ABOUT("the tweak of a row");
    static const uint8_t expected_tweak[] = {'T', 'w', 0,   0,   0,   7,    1, 2,
                                             9,   'a', '1', '-', 'b', 0xff, 0};
    uint8_t value[] = "+12-345-678-9@a1-b", word[6] = {3, 4, 5, 6, 7, 8};
    static const uint8_t row_bytes[2] = {0xff, 0};
    instance made = make(10);
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, 6, &params), TALLY_OK);
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, expected_tweak,
                                         sizeof expected_tweak, word, 1, word),
                TALLY_OK);
    tally_shape shape = digits_shape(true);
    shape.keep = 3;
    shape.keep_last = 1;
    shape.keep_after_delimiter = 1;
    shape.tweak_kept = 1;
    column row_tweaks = column_of(row_bytes, sizeof row_bytes);
    CHECK_EQUAL(run_value(&made, false, &shape, value, sizeof value - 1, (const uint8_t *)"Tw", 2,
                          &row_tweaks),
                TALLY_ROW_OK);
    uint8_t expected[] = "+12-345-678-9@a1-b";
    for (size_t i = 0; i < 3; i++) {
        expected[4 + i] = (uint8_t)('0' + word[i]);
        expected[8 + i] = (uint8_t)('0' + word[3 + i]);
    }
    CHECK_BYTES(value, expected, sizeof expected);
    column_dispose(&row_tweaks);
    instance_dispose(&made);
}

/* A row's tweak as long as is allowed, and one byte longer, wherever that byte comes from. */
static void test_longest_tweak(void)
{
    static const uint8_t bytes[TALLY_FAST_MAX_ROW_TWEAK + 1] = {7};
    instance made = make(10);
    for (size_t more = 0; more < 2; more++) {
        for (size_t common = 0; common <= 1018; common += 509) {
            /* common, 4 bytes of length, 2 kept symbols, the row's */
            CHECK_ABOUT("tweak of %zu bytes, %zu common", TALLY_FAST_MAX_ROW_TWEAK + more, common);
            tally_row expected = more == 0 ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
            tally_shape shape = digits_shape(false);
            shape.keep = 3;
            shape.tweak_kept = 1;
            uint8_t value[] = "123456";
            column row_tweaks = column_of(bytes, 1018 - common + more);
            CHECK_EQUAL(run_value(&made, false, &shape, value, 6, bytes, common, &row_tweaks),
                        expected);
            CHECK_EQUAL(memcmp(value, "123456", 6) == 0, more);
            column_dispose(&row_tweaks);
        }
        CHECK_ABOUT("tweak of %zu bytes with kept ones", TALLY_FAST_MAX_ROW_TWEAK + more);
        tally_shape shape = digits_shape(true);
        shape.keep_after_delimiter = 1;
        shape.tweak_kept = 1;
        uint8_t value[1030] = "123456@";
        CHECK_EQUAL(run_value(&made, false, &shape, value, 7 + 1000 + more, bytes, 20, NULL),
                    more == 0 ? TALLY_ROW_OK : TALLY_ROW_TWEAK);
        CHECK_EQUAL(memcmp(value, "123456", 6) == 0, more);
    }
    tally_shape shape = digits_shape(false);
    uint8_t value[] = "123456";
    CHECK_ABOUT("tweak of %d bytes, all common", TALLY_FAST_MAX_ROW_TWEAK);
    CHECK_EQUAL(run_value(&made, false, &shape, value, 6, bytes, TALLY_FAST_MAX_ROW_TWEAK, NULL),
                TALLY_ROW_OK);
    instance_dispose(&made);
}

/* Values at the limits of symbols: of a word, of all, and with a check digit. */
static void test_longest_values(void)
{
    static const struct {
        size_t symbols;
        uint64_t keep;
        uint32_t keep_last, max_symbols;
        uint8_t luhn;
        tally_row expected;
    } cases[] = {
        {65536, 0, 0, 65536, TALLY_LUHN_NONE, TALLY_ROW_OK},
        {65537, 0, 0, 65536, TALLY_LUHN_NONE, TALLY_ROW_LONG},
        {65536, 0, 0, 65535, TALLY_LUHN_NONE, TALLY_ROW_LONG},
        {1001, 1, 0, 1000, TALLY_LUHN_NONE, TALLY_ROW_OK},
        {65536, 1, 65533, 2, TALLY_LUHN_NONE, TALLY_ROW_OK},
        {65537, 1, 65533, 65536, TALLY_LUHN_NONE, TALLY_ROW_LONG},
        {65536, 1, 65534, 65536, TALLY_LUHN_NONE, TALLY_ROW_SHORT},
        {65536, 0, UINT32_MAX, 65536, TALLY_LUHN_NONE, TALLY_ROW_SHORT},
        {66, UINT64_MAX, 0, 2, TALLY_LUHN_NONE, TALLY_ROW_OK},
        {66, UINT64_MAX, 1, 2, TALLY_LUHN_NONE, TALLY_ROW_SHORT},
        {64, 0, 0, 63, TALLY_LUHN_VALID, TALLY_ROW_OK},
        {64, 0, 0, 62, TALLY_LUHN_VALID, TALLY_ROW_LONG},
        {65, 0, 0, 65536, TALLY_LUHN_VALID, TALLY_ROW_LONG},
        {65, 0, 40, 65536, TALLY_LUHN_INVALID, TALLY_ROW_LONG},
        {64, 0, 61, 2, TALLY_LUHN_INVALID, TALLY_ROW_OK},
        {64, 0, 62, 2, TALLY_LUHN_INVALID, TALLY_ROW_SHORT},
        {64, 0, 64, 2, TALLY_LUHN_INVALID, TALLY_ROW_SHORT},
    };
    instance made = make(10);
    uint8_t *value = malloc(65537), *plain = malloc(65537);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (i == 0 && random_is_emulated()) {
            continue; /* it takes a minute; test_fast.c has words as long */
        }
        CHECK_ABOUT("limit %zu, %zu symbols", i, cases[i].symbols);
        size_t size = cases[i].symbols;
        tally_shape shape = digits_shape(false);
        shape.keep = cases[i].keep;
        shape.keep_last = cases[i].keep_last;
        shape.max_symbols = cases[i].max_symbols;
        shape.luhn = cases[i].luhn;
        memset(plain, '0', size); /* its check digit is 0 */
        memcpy(value, plain, size);
        CHECK_EQUAL(run_value(&made, false, &shape, value, size, NULL, 0, NULL), cases[i].expected);
        CHECK_EQUAL(memcmp(value, plain, size) != 0, cases[i].expected == TALLY_ROW_OK);
        if (cases[i].expected == TALLY_ROW_OK) {
            CHECK_EQUAL(run_value(&made, true, &shape, value, size, NULL, 0, NULL), TALLY_ROW_OK);
        }
        CHECK_BYTES(value, plain, size);
    }
    free(value);
    free(plain);
    instance_dispose(&made);
}

/* Columns without a byte, whose value buffers Arrow allows to be absent. */
static void test_empty(void)
{
    CHECK_ABOUT("empty columns");
    static const int32_t zeros[4] = {0};
    static const uint8_t invalid[1] = {0};
    instance made = make(10);
    tally_shape shape = digits_shape(false);
    tally_strings none = {.offset_size = 8}, empty = {zeros, 4, 0, NULL, 0, NULL, 3};
    tally_strings nulls = {zeros, 4, 0, invalid, 2, NULL, 3};
    tally_column_report report, zero = {{0}, 0};
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        uint8_t status[3] = {GUARD, GUARD, GUARD};
        shape.tweak_kept = decrypt != 0;
        memset(&report, GUARD, sizeof report);
        CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, (tally_direction)decrypt, &shape,
                                      &none, NULL, 0, &none, NULL, NULL, &report),
                    TALLY_OK);
        CHECK_BYTES(&report, &zero, sizeof report);
        CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, (tally_direction)decrypt, &shape,
                                      &empty, NULL, 0, &empty, NULL, status, &report),
                    TALLY_OK);
        CHECK_EQUAL(report.rows[TALLY_ROW_SHORT], 3);
        CHECK_EQUAL(status[2], TALLY_ROW_SHORT);
        CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, (tally_direction)decrypt, &shape,
                                      &nulls, NULL, 0, &nulls, NULL, status, &report),
                    TALLY_OK);
        CHECK_EQUAL(report.rows[TALLY_ROW_OK], 3);
        CHECK_EQUAL(report.small, 0);
        CHECK_EQUAL(status[0], TALLY_ROW_OK);
    }
    /* Row tweaks that are all empty are no tweaks. */
    uint8_t value[] = "123456", other[] = "123456";
    tally_strings one = {zeros, 4, 0, NULL, 0, NULL, 1};
    column in = {.strings = one};
    CHECK_EQUAL(run_value(&made, false, &shape, value, 6, NULL, 0, &in), TALLY_ROW_OK);
    CHECK_EQUAL(run_value(&made, false, &shape, other, 6, NULL, 0, NULL), TALLY_ROW_OK);
    CHECK_BYTES(value, other, 6);
    instance_dispose(&made);
}

/* A call that must be refused, in both directions, out of place and in place. */
static void check_refused(const instance *made, const tally_shape *shape,
                          const tally_strings *strings, size_t tweak_size,
                          const tally_strings *row_tweaks, tally_status expected)
{
    static const uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK + 1] = {0};
    uint8_t guard[sizeof(tally_column_report)], out[8], status[2];
    tally_column_report report;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        memset(guard, GUARD, sizeof guard);
        memset(&report, GUARD, sizeof report);
        memset(out, GUARD, sizeof out);
        memset(status, GUARD, sizeof status);
        CHECK_EQUAL(tally_fast_column(made->cipher, made->workspace, (tally_direction)decrypt,
                                      shape, strings, tweak, tweak_size, row_tweaks, out, status,
                                      &report),
                    expected);
        CHECK_BYTES(out, guard, sizeof out);
        CHECK_BYTES(status, guard, sizeof status);
        CHECK_BYTES(&report, guard, sizeof report);
    }
}

/* Nothing is left of a row that was gathered and then did not fit, be it the last one. */
static void test_wiping(void)
{
    CHECK_ABOUT("wiping");
    static const int32_t offsets[3] = {0, 8, 13};
    static const uint8_t symbols[5] = {9, 8, 7, 6, 5};
    uint8_t values[13] = "1234567898765";
    uint8_t status[2];
    const tally_strings rows = {offsets, 4, 0, NULL, 0, values, 2};
    tally_shape shape = digits_shape(false);
    shape.min_symbols = 6;
    instance made = make(10);
    size_t left = 0;
    const tally_column_memory *memory = (const void *)made.workspace->memory;
    tally_column_report report;
    CHECK_EQUAL(tally_fast_column(made.cipher, made.workspace, TALLY_ENCRYPT, &shape, &rows, NULL,
                                  0, NULL, values, status, &report),
                TALLY_OK);
    CHECK_EQUAL(status[1], TALLY_ROW_SHORT);
    const uint8_t *words = memory->symbols;
    for (size_t i = 0; i + sizeof symbols <= sizeof memory->symbols; i++) {
        left += memcmp(words + i, symbols, sizeof symbols) == 0;
    }
    CHECK_EQUAL(left, 0);
    instance_dispose(&made);
}

/* Rows of one size, and all but two of one size, wherever these two are. */
static void test_rows_of_one_size(void)
{
    enum { ROWS = 300, SIZE = 3 };
    int32_t small[ROWS + 1];
    int64_t large[ROWS + 1];
    for (size_t i = 0; i <= ROWS; i++) {
        large[i] = (INT64_C(1) << 32) + (small[i] = (int32_t)(SIZE * i));
    }
    const tally_strings columns[] = {{small, 4, 0, NULL, 0, NULL, ROWS},
                                     {large, 8, 0, NULL, 0, NULL, ROWS}};
    for (size_t k = 0; k < 2; k++) {
        tally_strings_reader reader;
        CHECK(tally_strings_init(&columns[k], &reader));
        CHECK_EQUAL(reader.each, SIZE);
    }
    for (size_t i = 1; i < ROWS; i++) {
        CHECK_ABOUT("the end of row %zu is moved", i - 1);
        small[i]++;
        large[i]++;
        for (size_t k = 0; k < 2; k++) {
            tally_strings_reader reader;
            CHECK(tally_strings_init(&columns[k], &reader));
            CHECK_EQUAL(reader.each, 0);
        }
        small[i]--;
        large[i]--;
    }
}

/* One offset that is less than the one before, at each place of a column. */
static void test_descending_offsets(void)
{
    enum { ROWS = 300 };
    CHECK_ABOUT("one offset that descends");
    const tally_shape shape = digits_shape(true);
    instance ten = make(10);
    int32_t small[ROWS + 1];
    int64_t large[ROWS + 1];
    for (size_t i = 0; i <= ROWS; i++) {
        large[i] = (INT64_C(1) << 32) + (small[i] = (int32_t)(i / 2));
    }
    const tally_strings columns[] = {{small, 4, 0, NULL, 0, NULL, ROWS},
                                     {large, 8, 0, NULL, 0, NULL, ROWS}};
    for (size_t i = 0; i <= ROWS; i++) {
        const int32_t one = small[i];
        const int64_t other = large[i];
        small[i] = i == 0 ? -1 : small[i - 1] - 1;
        large[i] = i == 0 ? INT64_MIN : large[i - 1] - (INT64_C(1) << 32);
        for (size_t k = 0; k < 2; k++) {
            check_refused(&ten, &shape, &columns[k], 0, NULL, TALLY_ERROR_ARGUMENT);
        }
        small[i] = one;
        large[i] = other;
    }
    instance_dispose(&ten);
}

static void test_refusals(void)
{
    static const int32_t offsets[3] = {0, 4, 8};
    static const uint8_t digits[8] = "12345678";
    const tally_strings good = {offsets, 4, 0, NULL, 0, digits, 2};
    const tally_shape fits = digits_shape(true);
    instance ten = make(10), sixteen = make(16);
    instance legacy = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, 16, SLOTS);
    tally_shape shape;

/* A shape with one field changed. */
#define REFUSED(made, status, ...)                                                                 \
    (CHECK_ABOUT("%s", #__VA_ARGS__), shape = fits, __VA_ARGS__,                                   \
     check_refused(&(made), &shape, &good, 0, NULL, (status)))

    REFUSED(ten, TALLY_ERROR_RADIX, shape.radix = 11);
    REFUSED(ten, TALLY_ERROR_RADIX, shape.radix = 9);
    REFUSED(ten, TALLY_ERROR_RADIX, shape.radix = 0);
    REFUSED(ten, TALLY_ERROR_RADIX, shape.radix = 257);
    REFUSED(legacy, TALLY_ERROR_RADIX, shape.radix = 256);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.min_symbols = 0);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.min_symbols = 1);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.max_symbols = 65537);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.max_symbols = UINT32_MAX);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.keep_after_delimiter = 2);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.tweak_kept = 2);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.luhn = TALLY_LUHN_INVALID + 1);
    REFUSED(sixteen, TALLY_ERROR_ARGUMENT, shape.radix = 16, shape.luhn = TALLY_LUHN_VALID);
    REFUSED(sixteen, TALLY_ERROR_ARGUMENT, shape.radix = 16, shape.luhn = TALLY_LUHN_INVALID);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.kind[0] = TALLY_BYTE_DELIMITER + 1);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.kind[255] = 255);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.symbol['0'] = 10);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.kind[9] = TALLY_BYTE_UPPER, shape.symbol[9] = 10);
    REFUSED(ten, TALLY_ERROR_ARGUMENT, shape.kind[0] = TALLY_BYTE_SYMBOL, shape.symbol[0] = 255);
#undef REFUSED

    static const uint32_t offset_sizes[] = {0, 1, 2, 5, 16, UINT32_MAX};
    for (size_t i = 0; i < sizeof offset_sizes / sizeof *offset_sizes; i++) {
        CHECK_ABOUT("offsets of %u bytes", (unsigned)offset_sizes[i]);
        tally_strings strings = good;
        strings.offset_size = offset_sizes[i];
        check_refused(&ten, &fits, &strings, 0, NULL, TALLY_ERROR_ARGUMENT);
        check_refused(&ten, &fits, &good, 0, &strings, TALLY_ERROR_ARGUMENT);
    }
    CHECK_ABOUT("no offsets");
    tally_strings strings = good;
    strings.offsets = NULL;
    check_refused(&ten, &fits, &strings, 0, NULL, TALLY_ERROR_ARGUMENT);
    check_refused(&ten, &fits, &good, 0, &strings, TALLY_ERROR_ARGUMENT);
    static const int32_t wrong[][3] = {{0, 8, 4}, {4, 0, 8}, {-4, 0, 4}, {0, 4, -8}, {-8, -4, -4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_ABOUT("offsets that descend or are negative, %zu", i);
        strings = good;
        strings.offsets = wrong[i];
        check_refused(&ten, &fits, &strings, 0, NULL, TALLY_ERROR_ARGUMENT);
        check_refused(&ten, &fits, &good, 0, &strings, TALLY_ERROR_ARGUMENT);
    }
    CHECK_ABOUT("row tweaks of another number");
    strings = good;
    for (strings.rows = 0; strings.rows < 2; strings.rows++) {
        check_refused(&ten, &fits, &good, 0, &strings, TALLY_ERROR_ARGUMENT);
        check_refused(&ten, &fits, &strings, 0, &good, TALLY_ERROR_ARGUMENT);
    }
    CHECK_ABOUT("common tweak too long for any row");
    check_refused(&ten, &fits, &good, TALLY_FAST_MAX_ROW_TWEAK + 1, NULL, TALLY_ERROR_ARGUMENT);
    instance_dispose(&ten);
    instance_dispose(&sixteen);
    instance_dispose(&legacy);
}

/* One value by itself is refused where a column is, and stays as it is. */
static void test_value_refusals(void)
{
    static const uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK + 1] = {0};
    uint8_t value[TALLY_ONE_VALUE + 1], as_it_was[TALLY_ONE_VALUE + 1];
    const size_t size = tally_one_value_format_size();
    void *memory = malloc(size);
    tally_one_value_format *format = NULL;
    tally_shape shape = digits_shape(false);
    tally_row row = (tally_row)GUARD;
    instance ten = make(10), sixteen = make(16);
    instance legacy = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, 16, SLOTS);
    CHECK_ABOUT("one value that is refused");
    CHECK_EQUAL(tally_one_value_format_init(&shape, memory, size - 1, &format),
                TALLY_ERROR_ARGUMENT);
    shape.tweak_kept = 2;
    CHECK_EQUAL(tally_one_value_format_init(&shape, memory, size, &format), TALLY_ERROR_ARGUMENT);
    shape = digits_shape(false);
    CHECK_EQUAL(tally_one_value_format_init(&shape, memory, size, &format), TALLY_OK);
    memset(value, '7', sizeof value);
    memcpy(as_it_was, value, sizeof value);
    for (int i = 0; i < 2; i++) {
        const tally_direction direction = (tally_direction)i;
#define RUN(made, common, own, bytes)                                                              \
    tally_one_value((made).cipher, format, direction, tweak, common, tweak, own, value, bytes, &row)
        CHECK_EQUAL(RUN(sixteen, 0, 0, 8), TALLY_ERROR_RADIX);
        CHECK_EQUAL(RUN(legacy, 0, 0, 8), TALLY_ERROR_RADIX);
        CHECK_EQUAL(RUN(ten, 0, 0, sizeof value), TALLY_ERROR_ARGUMENT);
        CHECK_EQUAL(RUN(ten, sizeof tweak, 0, 8), TALLY_ERROR_ARGUMENT);
        CHECK_EQUAL(row, GUARD);
        CHECK_EQUAL(RUN(ten, TALLY_FAST_MAX_ROW_TWEAK, 1, 8), TALLY_OK);
        CHECK_EQUAL(row, TALLY_ROW_TWEAK);
        CHECK_EQUAL(RUN(ten, 0, sizeof tweak, 8), TALLY_OK);
        CHECK_EQUAL(row, TALLY_ROW_TWEAK);
        CHECK_EQUAL(RUN(ten, 0, 0, 1), TALLY_OK);
        CHECK_EQUAL(row, TALLY_ROW_SHORT);
        CHECK_BYTES(value, as_it_was, sizeof value);
        row = (tally_row)GUARD;
#undef RUN
    }
    free(memory);
    instance_dispose(&ten);
    instance_dispose(&sixteen);
    instance_dispose(&legacy);
}

int main(int argc, char **argv)
{
    test_word_vectors();
    if (check_vectors_only(argc, argv)) {
        return check_end("column");
    }
    test_many_rows();
    test_none_kept_behind_some();
    test_long_columns();
    test_grouped();
    test_grouped_invalid();
    test_luhn_digit();
    test_tweak_bytes();
    test_statuses();
    test_random_columns();
    tally_cpu_lower(0); /* once more without lanes, and symbol by symbol */
    test_word_vectors();
    tally_cpu_lower(UINT32_MAX);
    test_longest_tweak();
    test_longest_values();
    test_empty();
    test_wiping();
    test_rows_of_one_size();
    test_descending_offsets();
    test_refusals();
    test_value_refusals();
    by_ff1 = true;
    memset(&seen, 0, sizeof seen);
    test_many_rows();
    test_none_kept_behind_some();
    test_long_columns();
    test_grouped();
    test_grouped_invalid();
    test_random_columns();
    test_longest_values();
    test_wiping();
    test_rows_of_one_size();
    return check_end("column");
}
