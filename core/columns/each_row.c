/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows one by one: the symbols of each are gathered into a word, words of equal length and tweak
 * are encrypted together, and each is written back to where it came from. */
#include <string.h>

#include "base/bytes.h"
#include "fast/words/many_tweaks.h"
#include "columns/job.h"
#include "columns/luhn.h"
#include "fast/words/run.h"
#include "columns/symbols.h"

/* Adds to a row's tail; 0 if it makes the tweak too long. */
static int append_tail(tally_column_job *job, tally_fast_row *row, const uint8_t *bytes,
                       uint64_t size)
{
    if (size > sizeof job->tweak - job->common_tweak - row->tail_size) {
        return 0;
    }
    if (size != 0) {
        memcpy(job->cipher->tails + job->tails + row->tail_size, bytes, (size_t)size);
        row->tail_size += (uint32_t)size;
        /* To be wiped at the end, whether the row fits or not. */
        size_t end = job->tails + row->tail_size;
        job->most_tails = end > job->most_tails ? end : job->most_tails;
    }
    return 1;
}

/* What of a row's tweak is its own: what stays in clear, behind its size, then the row's tweak. */
static int make_tail(tally_column_job *job, tally_fast_row *row, const uint8_t *kept,
                     size_t kept_size, uint64_t number)
{
    row->tail = job->cipher->tails + job->tails;
    row->tail_size = 0;
    if (job->shape->tweak_kept) {
        uint64_t after = row->size - row->after;
        uint8_t size[4];
        tally_store_be32((uint32_t)(kept_size + after), size);
        if (!append_tail(job, row, size, sizeof size) || !append_tail(job, row, kept, kept_size) ||
            !append_tail(job, row, after != 0 ? row->value + row->after : NULL, after)) {
            return 0;
        }
    }
    const tally_strings_reader *tweaks = job->row_tweaks;
    if (tweaks != NULL) {
        uint64_t start, size;
        if (tally_row_is_null(tweaks->strings, number) ||
            !tally_strings_row(tweaks, number, &start, &size)) {
            return 0;
        }
        return append_tail(job, row, size != 0 ? tweaks->strings->values + start : NULL, size);
    }
    return 1;
}

/* Whether a word of row->length symbols is neither too short nor too long, less the check digit. */
static tally_row check_length(const tally_column_job *job, tally_fast_row *row)
{
    /* The last free digit follows from the others; it is no part of the word. */
    size_t luhn = job->shape->luhn != TALLY_LUHN_NONE;
    if (row->length < luhn + job->shape->min_symbols) {
        return TALLY_ROW_SHORT;
    }
    row->length -= (uint32_t)luhn;
    return row->length > job->shape->max_symbols ? TALLY_ROW_LONG : TALLY_ROW_OK;
}

/* All symbols of a row with a check digit. */
static void gather_digits(const tally_column_job *job, const tally_fast_row *row, uint8_t *out)
{
    size_t count;
    uint64_t after;
    if (row->is_short) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size, row->where.symbols, out);
    } else {
        tally_symbols_gather(job->shape, job->marks, row->value, row->size, out, &count, &after);
    }
}

/* The check digit that the word and the kept digits of a row ask for, with what is added to it. */
static uint8_t check_digit(const tally_column_job *job, const tally_fast_row *row,
                           const uint8_t *all, int of_token)
{
    uint8_t digits[TALLY_COLUMN_MAX_DIGITS];
    size_t next = 0;
    for (size_t i = 0; i < row->count; i++) {
        int free = tally_symbol_is_free(job->shape, i, row->count) && i != row->check;
        digits[i] = free ? row->word[next++] : all[i];
    }
    /* A token made invalid has one more than the digit that would be right. */
    int more = of_token && job->shape->luhn == TALLY_LUHN_INVALID;
    uint8_t digit = (uint8_t)((tally_luhn_digit(digits, row->count, row->check) + more) % 10);
    tally_wipe(digits, row->count);
    return digit;
}

static tally_row check_value(const tally_column_job *job, tally_fast_row *row)
{
    uint8_t all[TALLY_COLUMN_MAX_DIGITS];
    for (size_t i = 0; i < row->count; i++) {
        row->check = tally_symbol_is_free(job->shape, i, row->count) ? (uint32_t)i : row->check;
    }
    gather_digits(job, row, all);
    int holds = all[row->check] == check_digit(job, row, all, job->decrypt);
    tally_wipe(all, row->count);
    return holds ? TALLY_ROW_OK : TALLY_ROW_CHECK;
}

/* Gathers the word of a short value. */
static tally_row gather_short(tally_column_job *job, tally_fast_row *row, uint64_t number)
{
    tally_row fit = tally_short_gather(job->shape, &job->tables, row->value, (size_t)row->size,
                                       row->word, &row->where);
    if (fit != TALLY_ROW_OK) {
        return fit;
    }
    row->after = row->where.after;
    row->count = row->where.count;
    row->length = row->where.length;
    size_t kept_size = row->count - row->length;
    uint8_t kept[TALLY_SHORT];
    if (job->shape->tweak_kept && kept_size != 0) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size,
                             row->where.symbols & ~row->where.free, kept);
    }
    return make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

/* Gathers the word of a value of any size. */
static tally_row gather_long(tally_column_job *job, tally_fast_row *row, uint64_t number)
{
    const tally_shape *shape = job->shape;
    size_t count;
    tally_row fit = tally_symbols_gather(shape, job->marks, row->value, row->size, row->word,
                                         &count, &row->after);
    row->count = (uint32_t)count;
    if (fit != TALLY_ROW_OK) {
        return fit;
    }
    uint8_t kept[TALLY_COLUMN_MAX_TWEAK];
    size_t kept_size = 0;
    row->length = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (tally_symbol_is_free(shape, i, row->count)) {
            row->word[row->length++] = row->word[i];
        } else if (kept_size < sizeof kept) { /* more make the tweak too long in any case */
            kept[kept_size++] = row->word[i];
        }
    }
    return make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

static tally_row prepare(tally_column_job *job, tally_fast_row *row, uint64_t number)
{
    row->count = 0;
    row->is_short = job->is_short_fast && row->size <= TALLY_SHORT;
    tally_row fit = row->is_short ? gather_short(job, row, number) : gather_long(job, row, number);
    size_t end = (size_t)(row->word - job->cipher->words) + row->count;
    job->most = end > job->most ? end : job->most;
    if (fit != TALLY_ROW_OK) {
        return fit;
    }
    int luhn = job->shape->luhn != TALLY_LUHN_NONE;
    if (luhn && row->count > TALLY_COLUMN_MAX_DIGITS) {
        return TALLY_ROW_LONG;
    }
    fit = check_length(job, row);
    return fit == TALLY_ROW_OK && luhn ? check_value(job, row) : fit;
}

/* Writes a row's encrypted word back. */
static void finish(const tally_column_job *job, const tally_fast_row *row)
{
    if (job->shape->luhn != TALLY_LUHN_NONE) {
        uint8_t all[TALLY_COLUMN_MAX_DIGITS];
        gather_digits(job, row, all);
        row->word[row->length] = check_digit(job, row, all, !job->decrypt);
        tally_wipe(all, row->count);
    }
    if (row->is_short) {
        tally_short_scatter(&job->tables, row->word, &row->where, row->value);
    } else {
        tally_symbols_scatter(job->shape, row->word, row->count, row->after, row->value);
    }
}

/* No rows are at hand. */
static void begin_rows(tally_column_job *job)
{
    tally_fast_finder_clear(&job->cipher->finder);
    job->rows = 0;
    job->words = 0;
    job->tails = 0;
}

/* Completes job->tweak for the rows of a bundle; returns its size. */
static size_t write_tweak(tally_column_job *job, const tally_fast_bundle *bundle)
{
    if (bundle->tail_size != 0) {
        memcpy(job->tweak + job->common_tweak, bundle->tail, bundle->tail_size);
    }
    return job->common_tweak + bundle->tail_size;
}

/* Encrypts the words of some bundles of one length, which lie one bundle behind the other. */
static void run_length(tally_column_job *job, const uint16_t *sorted, size_t count,
                       uint8_t *const *words, size_t rows)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_bundle *first = &cipher->finder.bundles[sorted[0]];
    tally_fast_params spare;
    const tally_fast_params *params = tally_column_params(job, first->length, &spare);
    if (count == 1) {
        tally_fast_run_rows(cipher, params, job->decrypt, job->tweak, write_tweak(job, first),
                            words, first->rows);
        return;
    }
    tally_fast_bundles bundles;
    tally_fast_bundles_begin(cipher, params, job->decrypt, count, rows, &bundles);
    for (size_t i = 0; i < count; i++) {
        const tally_fast_bundle *bundle = &cipher->finder.bundles[sorted[i]];
        size_t size = write_tweak(job, bundle);
        tally_fast_bundles_add(&bundles, job->tweak, size, words, bundle->rows);
        words += bundle->rows;
    }
    tally_fast_bundles_end(&bundles);
}

/* Encrypts all rows at hand, those of equal length and tweak together. */
static void run_rows(tally_column_job *job)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_finder *finder = &cipher->finder;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS];
    tally_fast_finder_sort(finder, sorted, next);
    for (size_t i = 0; i < job->rows; i++) {
        cipher->bundled[next[cipher->rows[i].bundle]++] = cipher->rows[i].word;
    }
    uint8_t *const *words = cipher->bundled;
    for (size_t start = 0, stop = 0; start < finder->count; start = stop) {
        size_t length = finder->bundles[sorted[start]].length, rows = 0;
        for (; stop < finder->count && finder->bundles[sorted[stop]].length == length; stop++) {
            rows += finder->bundles[sorted[stop]].rows;
        }
        run_length(job, sorted + start, stop - start, words, rows);
        words += rows;
    }
    for (size_t i = 0; i < job->rows; i++) {
        finish(job, &cipher->rows[i]);
    }
    begin_rows(job);
}

/* Takes a row in, or says why it does not fit. */
static tally_row add_row(tally_column_job *job, uint8_t *value, uint64_t size, uint64_t number)
{
    uint64_t room = size < TALLY_FAST_MAX_LENGTH ? size : TALLY_FAST_MAX_LENGTH;
    if (job->rows == TALLY_FAST_ROWS || job->words + room > TALLY_FAST_MAX_LENGTH ||
        job->tails + TALLY_COLUMN_MAX_TWEAK > TALLY_FAST_TAILS) {
        run_rows(job);
    }
    tally_fast_row *row = &job->cipher->rows[job->rows];
    row->value = value;
    row->size = size;
    row->word = job->cipher->words + job->words;
    tally_row fit = prepare(job, row, number);
    if (fit == TALLY_ROW_OK) {
        row->bundle =
            tally_fast_finder_add(&job->cipher->finder, row->tail, row->tail_size, row->length);
        job->rows++;
        job->words += row->count;
        job->tails += row->tail_size;
        job->report->small += row->length < job->shape->small_symbols;
    }
    return fit;
}

void tally_column_begin_rows(tally_column_job *job)
{
    begin_rows(job);
    job->is_short_fast = job->has_tables && tally_short_available();
}

void tally_column_run_rows(tally_column_job *job, tally_column_batch *batch)
{
    if (batch->left == 0) {
        return;
    }
    if (!batch->copied) {
        tally_column_copy(batch, 0, batch->count);
    }
    for (size_t i = 0; i < batch->left; i++) {
        size_t row = batch->rows[i];
        uint64_t size = tally_column_size(batch, row);
        /* An empty value lies nowhere if the column has no bytes; then any address will do. */
        uint8_t *value = size != 0 ? batch->values + batch->start[row] : job->cipher->words;
        batch->status[row] = (uint8_t)add_row(job, value, size, batch->first + row);
    }
    run_rows(job);
}

void tally_column_end_rows(tally_column_job *job)
{
    tally_wipe(job->cipher->words, job->most);
    tally_wipe(job->cipher->tails, job->most_tails);
}
