/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text: each row's symbols are gathered into a word, encrypted, and written back to where
 * they came from. */
#include "tallystick/column.h"

#include <string.h>

#include "base/bytes.h"
#include "fast/cipher.h"
#include "fast/luhn.h"
#include "fast/symbols.h"

enum { MAX_DIGITS = 64, MEMO = 64 };

/* What the rows of a call share. */
typedef struct column_job {
    tally_fast_cipher *cipher;
    const tally_shape *shape;
    int decrypt;
    int marks;
    tally_column_report *report;
    size_t most; /* symbols that a row had */
    size_t common_tweak, tweak_size;
    uint8_t tweak[TALLY_COLUMN_MAX_TWEAK]; /* the common one, then the row's own */
    uint8_t digits[MAX_DIGITS];            /* of a value with a check digit */
    tally_fast_params memo[MEMO];          /* recommended ones by length, once they were needed */
} column_job;

static uint64_t offset_at(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return (uint64_t)((const int32_t *)strings->offsets)[i];
    }
    return (uint64_t)((const int64_t *)strings->offsets)[i];
}

static int is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Whether the rows lie one after the other, as Arrow has it; a row that did not could lie anywhere. */
static int strings_fit(const tally_strings *strings)
{
    if (strings->offset_size != 4 && strings->offset_size != 8) {
        return 0;
    }
    if (strings->rows == 0) {
        return 1;
    }
    if (strings->offsets == NULL || offset_at(strings, strings->rows) > INT64_MAX) {
        return 0;
    }
    int descending = 0;
    for (uint64_t i = 0; i < strings->rows; i++) {
        descending |= offset_at(strings, i + 1) < offset_at(strings, i);
    }
    return !descending;
}

static const tally_fast_params *params_of(column_job *job, size_t length, tally_fast_params *spare)
{
    tally_fast_params *params = length < MEMO ? &job->memo[length] : spare;
    if (length >= MEMO || params->length == 0) {
        tally_fast_recommended(TALLY_FAST, job->shape->radix, (uint32_t)length, params);
    }
    return params;
}

/* Appends to the row's tweak; 0 if there is no room. */
static int append_tweak(column_job *job, const uint8_t *bytes, uint64_t size)
{
    if (size > sizeof job->tweak - job->tweak_size) {
        return 0;
    }
    if (size != 0) {
        memcpy(job->tweak + job->tweak_size, bytes, (size_t)size);
    }
    job->tweak_size += (size_t)size;
    return 1;
}

/* Appends what stays in clear: its size, the kept symbols, the bytes after the mark. */
static int append_kept(column_job *job, const uint8_t *symbols, size_t count, const uint8_t *after,
                       uint64_t after_size)
{
    uint8_t placeholder[4] = {0};
    size_t start = job->tweak_size;
    if (!append_tweak(job, placeholder, 4)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (!tally_symbol_is_free(job->shape, i, count) && !append_tweak(job, symbols + i, 1)) {
            return 0;
        }
    }
    if (!append_tweak(job, after, after_size)) {
        return 0;
    }
    tally_store_be32((uint32_t)(job->tweak_size - start - 4), job->tweak + start);
    return 1;
}

static int append_row_tweak(column_job *job, const tally_strings *tweaks, uint64_t row)
{
    if (is_null(tweaks, row)) {
        return 0;
    }
    uint64_t start = offset_at(tweaks, row), size = offset_at(tweaks, row + 1) - start;
    return size == 0 || append_tweak(job, tweaks->values + start, size);
}

static tally_row run_row(column_job *job, uint8_t *value, uint64_t size,
                         const tally_strings *row_tweaks, uint64_t row)
{
    const tally_shape *shape = job->shape;
    uint8_t *word = job->cipher->word, *digits = job->digits;
    size_t count = 0, length = 0, check = 0;
    uint64_t after;
    tally_row fit = tally_symbols_gather(shape, job->marks, value, size, word, &count, &after);
    job->most = count > job->most ? count : job->most;
    if (fit != TALLY_ROW_OK) {
        return fit;
    }
    int luhn = shape->luhn != TALLY_LUHN_NONE;
    if (luhn && count > MAX_DIGITS) {
        return TALLY_ROW_LONG;
    }
    job->tweak_size = job->common_tweak;
    if ((shape->tweak_kept && !append_kept(job, word, count, value + after, size - after)) ||
        (row_tweaks != NULL && !append_row_tweak(job, row_tweaks, row))) {
        return TALLY_ROW_TWEAK;
    }
    if (luhn) {
        memcpy(digits, word, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (tally_symbol_is_free(shape, i, count)) {
            word[length++] = word[i];
            check = i;
        }
    }
    /* The last free digit follows from the others; it is no part of the word. */
    if (length < (size_t)luhn + shape->min_symbols) {
        return TALLY_ROW_SHORT;
    }
    length -= (size_t)luhn;
    if (length > shape->max_symbols) {
        return TALLY_ROW_LONG;
    }
    /* A token made invalid has one more than the digit that would be right. */
    uint32_t invalid = shape->luhn == TALLY_LUHN_INVALID;
    uint32_t off_in = job->decrypt ? invalid : 0, off_out = invalid - off_in;
    if (luhn && digits[check] != (tally_luhn_digit(digits, count, check) + off_in) % 10) {
        return TALLY_ROW_CHECK;
    }
    tally_fast_params spare;
    tally_fast_run(job->cipher, params_of(job, length, &spare), job->decrypt, job->tweak,
                   job->tweak_size, word, 1);
    if (luhn) {
        for (size_t i = 0, next = 0; i < check; i++) {
            if (tally_symbol_is_free(shape, i, count)) {
                digits[i] = word[next++];
            }
        }
        word[length] = (uint8_t)((tally_luhn_digit(digits, count, check) + off_out) % 10);
    }
    tally_symbols_scatter(shape, word, count, after, value);
    job->report->small += length < shape->small_symbols;
    return TALLY_ROW_OK;
}

static tally_status run(tally_fast_cipher *cipher, const tally_shape *shape, int decrypt,
                        const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
                        const tally_strings *row_tweaks, uint8_t *values_out, uint8_t *row_status,
                        tally_column_report *report)
{
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    if (!tally_shape_fits(shape) || !strings_fit(column) || tweak_size > TALLY_COLUMN_MAX_TWEAK ||
        (row_tweaks != NULL && (!strings_fit(row_tweaks) || row_tweaks->rows != column->rows))) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(report, 0, sizeof *report);
    if (column->rows == 0) {
        return TALLY_OK;
    }
    column_job job = {.cipher = cipher,
                      .shape = shape,
                      .decrypt = decrypt,
                      .marks = tally_shape_marks(shape),
                      .report = report};
    append_tweak(&job, tweak, tweak_size);
    job.common_tweak = job.tweak_size;

    uint64_t start = offset_at(column, 0), end = offset_at(column, column->rows);
    if (end > start && values_out != column->values) {
        memcpy(values_out + start, column->values + start, (size_t)(end - start));
    }
    for (uint64_t row = 0; row < column->rows; row++) {
        tally_row fit = TALLY_ROW_OK;
        start = offset_at(column, row);
        /* An empty value lies nowhere if the column has no bytes; then any address will do. */
        uint64_t size = offset_at(column, row + 1) - start;
        uint8_t *value = size != 0 ? values_out + start : cipher->word;
        if (is_null(column, row)) {
            memset(value, 0, (size_t)size);
        } else {
            fit = run_row(&job, value, size, row_tweaks, row);
        }
        row_status[row] = (uint8_t)fit;
        report->rows[fit]++;
    }
    tally_wipe(cipher->word, job.most);
    tally_wipe(job.digits, sizeof job.digits);
    return TALLY_OK;
}

tally_status tally_fast_encrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status,
                                       tally_column_report *report)
{
    return run(cipher, shape, 0, column, tweak, tweak_size, row_tweaks, values_out, row_status,
               report);
}

tally_status tally_fast_decrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status,
                                       tally_column_report *report)
{
    return run(cipher, shape, 1, column, tweak, tweak_size, row_tweaks, values_out, row_status,
               report);
}
