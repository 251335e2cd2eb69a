/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text: each row's symbols are gathered into a word, encrypted, and written back to where
 * they came from. */
#include "tallystick/column.h"

#include <string.h>

#include "fast/cipher.h"
#include "fast/luhn.h"

enum { KEEP_BITS = 64, MEMO = 64 };

/* What is the same for all rows of a call. */
typedef struct column_job {
    tally_fast_cipher *cipher;
    const tally_shape *shape;
    int decrypt;
    int marks; /* how many marks a value must have, 0 or 1 */
    uint8_t tweak[TALLY_COLUMN_MAX_TWEAK];
    size_t tweak_size;
    size_t most;                  /* symbols that a row had */
    tally_fast_params memo[MEMO]; /* recommended parameters by length, once they were needed */
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

static int strings_fit(const tally_strings *strings)
{
    return (strings->offset_size == 4 || strings->offset_size == 8) &&
           (strings->rows == 0 || strings->offsets != NULL);
}

static int shape_fits(const tally_shape *shape)
{
    if (shape->min_symbols < TALLY_FAST_MIN_LENGTH || shape->max_symbols > TALLY_FAST_MAX_LENGTH ||
        shape->keep_after_mark > 1 || shape->luhn > TALLY_LUHN_INVALID ||
        (shape->luhn != TALLY_LUHN_NONE && shape->radix != 10)) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (kind > TALLY_BYTE_MARK || ((kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER) &&
                                       shape->symbol[byte] >= shape->radix)) {
            return 0;
        }
    }
    return 1;
}

/* Gathers all symbols of a value, *count of them. The kinds of its bytes are no secret: they are the
 * format that is preserved. */
static tally_row gather(const column_job *job, const uint8_t *value, uint64_t size,
                        uint8_t *symbols, size_t *count)
{
    const tally_shape *shape = job->shape;
    size_t found = 0;
    int marks = 0;
    for (uint64_t i = 0; i < size; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_MARK) {
            marks++;
        } else if (marks != 0 && shape->keep_after_mark) {
            continue;
        } else if (kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER) {
            if (found == TALLY_FAST_MAX_LENGTH) {
                return TALLY_ROW_LONG;
            }
            symbols[found++] = shape->symbol[value[i]];
        } else if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i != 0)) {
            return TALLY_ROW_FOREIGN;
        }
    }
    *count = found;
    return marks == job->marks ? TALLY_ROW_OK : TALLY_ROW_MARK;
}

/* Whether symbol i of `count` is to be encrypted. */
static int is_free(const tally_shape *shape, size_t i, size_t count)
{
    return (i >= KEEP_BITS || (shape->keep >> i & 1) == 0) && i + shape->keep_last < count;
}

/* Writes the word's symbols back, in order, to where the free symbols of the value are. */
static void scatter(const tally_shape *shape, const uint8_t *word, size_t count, uint8_t *value,
                    uint64_t size)
{
    size_t symbol = 0;
    for (uint64_t i = 0; i < size; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_MARK && shape->keep_after_mark) {
            break;
        }
        if (kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER) {
            if (is_free(shape, symbol, count)) {
                value[i] = shape->letter[kind == TALLY_BYTE_UPPER][*word++];
            }
            symbol++;
        }
    }
}

static const tally_fast_params *params_of(column_job *job, size_t length, tally_fast_params *spare)
{
    tally_fast_params *params = length < MEMO ? &job->memo[length] : spare;
    if (length >= MEMO || params->length == 0) {
        tally_fast_recommended(TALLY_FAST, job->shape->radix, (uint32_t)length, params);
    }
    return params;
}

static tally_row run_row(column_job *job, uint8_t *value, uint64_t size)
{
    const tally_shape *shape = job->shape;
    uint8_t *word = job->cipher->word, digits[KEEP_BITS];
    size_t count, length = 0, check = 0;
    tally_row fit = gather(job, value, size, word, &count);
    if (fit != TALLY_ROW_OK) {
        return fit;
    }
    job->most = count > job->most ? count : job->most;
    int luhn = shape->luhn != TALLY_LUHN_NONE, invalid = shape->luhn == TALLY_LUHN_INVALID;
    if (luhn) {
        if (count > KEEP_BITS) {
            return TALLY_ROW_LONG;
        }
        memcpy(digits, word, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_free(shape, i, count)) {
            word[length++] = word[i];
            check = i;
        }
    }
    if (length < shape->min_symbols + (uint32_t)luhn) {
        return TALLY_ROW_SHORT;
    }
    if (length > (size_t)shape->max_symbols + (uint32_t)luhn) {
        return TALLY_ROW_LONG;
    }
    if (luhn) {
        length--;
        uint32_t digit = tally_luhn_digit(digits, count, check);
        if (digits[check] != (digit + (job->decrypt && invalid ? 1 : 0)) % 10) {
            return TALLY_ROW_CHECK;
        }
    }
    tally_fast_params spare;
    tally_fast_run(job->cipher, params_of(job, length, &spare), job->decrypt, job->tweak,
                   job->tweak_size, word, 1);
    if (luhn) {
        for (size_t i = 0, next = 0; i < check; i++) {
            if (is_free(shape, i, count)) {
                digits[i] = word[next++];
            }
        }
        uint32_t digit = tally_luhn_digit(digits, count, check);
        word[length] = (uint8_t)((digit + (!job->decrypt && invalid ? 1 : 0)) % 10);
        tally_wipe(digits, sizeof digits);
    }
    scatter(shape, word, count, value, size);
    return TALLY_ROW_OK;
}

/* Appends the row's tweak to the column's. */
static int set_row_tweak(column_job *job, size_t common, const tally_strings *tweaks, uint64_t row)
{
    uint64_t start = offset_at(tweaks, row), size = offset_at(tweaks, row + 1) - start;
    if (is_null(tweaks, row) || size > sizeof job->tweak - common) {
        return 0;
    }
    if (size != 0) {
        memcpy(job->tweak + common, tweaks->values + start, (size_t)size);
    }
    job->tweak_size = common + (size_t)size;
    return 1;
}

static tally_status run(tally_fast_cipher *cipher, const tally_shape *shape, int decrypt,
                        const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
                        const tally_strings *row_tweaks, uint8_t *values_out, uint8_t *row_status,
                        uint64_t unfit[8])
{
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    if (!shape_fits(shape) || !strings_fit(column) || tweak_size > TALLY_COLUMN_MAX_TWEAK ||
        (row_tweaks != NULL && (!strings_fit(row_tweaks) || row_tweaks->rows != column->rows))) {
        return TALLY_ERROR_ARGUMENT;
    }
    column_job job = {.cipher = cipher, .shape = shape, .decrypt = decrypt};
    for (int byte = 0; byte < 256; byte++) {
        job.marks |= shape->kind[byte] == TALLY_BYTE_MARK;
    }
    job.tweak_size = tweak_size;
    if (tweak_size != 0) {
        memcpy(job.tweak, tweak, tweak_size);
    }
    memset(unfit, 0, 8 * sizeof unfit[0]);
    if (column->rows == 0) {
        return TALLY_OK;
    }
    uint64_t start = offset_at(column, 0), end = offset_at(column, column->rows);
    if (end > start && values_out != column->values) {
        memcpy(values_out + start, column->values + start, (size_t)(end - start));
    }
    uint64_t next = start;
    for (uint64_t row = 0; row < column->rows; row++) {
        start = next;
        next = offset_at(column, row + 1);
        tally_row fit = TALLY_ROW_OK;
        if (!is_null(column, row)) {
            fit = row_tweaks != NULL && !set_row_tweak(&job, tweak_size, row_tweaks, row)
                      ? TALLY_ROW_TWEAK
                      : run_row(&job, values_out + start, next - start);
        }
        row_status[row] = (uint8_t)fit;
        unfit[fit]++;
    }
    tally_wipe(cipher->word, job.most);
    return TALLY_OK;
}

tally_status tally_fast_encrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status, uint64_t unfit[8])
{
    return run(cipher, shape, 0, column, tweak, tweak_size, row_tweaks, values_out, row_status,
               unfit);
}

tally_status tally_fast_decrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status, uint64_t unfit[8])
{
    return run(cipher, shape, 1, column, tweak, tweak_size, row_tweaks, values_out, row_status,
               unfit);
}
