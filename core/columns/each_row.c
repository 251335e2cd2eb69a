/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows one by one: the symbols of each are gathered into a word, words of equal length and tweak
 * are encrypted together, and each is written back to where it came from. */
#include <string.h>

#include "base/bits.h"
#include "base/bytes.h"
#include "columns/job.h"
#include "columns/symbols.h"
#include "fast/words/ff1_words.h"
#include "fast/words/many_tweaks.h"
#include "fast/words/run.h"

enum { EACH_ROW_FF1 = 512 /* words that run together */ };

/* Appends to a row's tail; 0: the tweak would be too long. */
static int each_row_append_tail(tally_column_job *job, tally_column_row *row, const uint8_t *bytes,
                                uint64_t size)
{
    if (size > sizeof job->tweak - job->common_tweak - row->tail_size) {
        return 0;
    }
    if (size != 0) {
        memcpy(job->memory->tails + job->tails + row->tail_size, bytes, (size_t)size);
        row->tail_size += (uint32_t)size;
        /* To be wiped at the end, even if the row is invalid. */
        size_t end = job->tails + row->tail_size;
        job->most_tails = end > job->most_tails ? end : job->most_tails;
    }
    return 1;
}

/* Appends the row of row_tweaks. Returns 0 if it is null, or the tweak too long. */
static int each_row_append_row_tweak(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const tally_strings_reader *tweaks = job->row_tweaks;
    uint64_t start, size;
    if (tweaks == NULL) {
        return 1;
    }
    if (tally_row_is_null(tweaks->strings, number) ||
        !tally_strings_row(tweaks, number, &start, &size)) {
        return 0;
    }
    return each_row_append_tail(job, row, size != 0 ? tweaks->strings->values + start : NULL, size);
}

/* Makes a row's own part of its tweak: the size of what stays in clear, the kept symbols, the bytes
 * after the delimiter, then the bytes of row_tweaks. Returns 0 if the tweak is null or too long. */
static int each_row_make_tail(tally_column_job *job, tally_column_row *row, const uint8_t *kept,
                              size_t kept_size, uint64_t number)
{
    row->tail = job->memory->tails + job->tails;
    row->tail_size = 0;
    if (job->shape->tweak_kept) {
        uint64_t after = row->size - row->after;
        uint8_t size[4];
        tally_store_be32((uint32_t)(kept_size + after), size);
        if (!each_row_append_tail(job, row, size, sizeof size) ||
            !each_row_append_tail(job, row, kept, kept_size) ||
            !each_row_append_tail(job, row, after != 0 ? row->value + row->after : NULL, after)) {
            return 0;
        }
    }
    return each_row_append_row_tweak(job, row, number);
}

/* The same for a short value without bytes after a delimiter: the kept symbols are written where
 * they belong. */
static int each_row_make_short_tail(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const uint32_t kept = row->count - row->length;
    row->tail = job->memory->tails + job->tails;
    row->tail_size = 0;
    if (job->shape->tweak_kept) {
        if (job->common_tweak + 4 + kept > sizeof job->tweak) {
            return 0;
        }
        uint8_t *tail = job->memory->tails + job->tails; /* has room for a whole vector */
        tally_store_be32(kept, tail);
        if (kept != 0) {
            tally_short_compress(&job->tables, row->value, (size_t)row->size,
                                 row->where.symbols & ~row->where.free, tail + 4);
        }
        row->tail_size = 4 + kept;
        const size_t end = job->tails + row->tail_size;
        job->most_tails = end > job->most_tails ? end : job->most_tails;
    }
    return each_row_append_row_tweak(job, row, number);
}

/* All symbols of a row with a check digit, as they are in the value. */
static void each_row_gather_digits(const tally_column_job *job, const tally_column_row *row,
                                   uint8_t *out)
{
    size_t count;
    uint64_t after;
    if (row->is_short) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size, row->where.symbols, out);
    } else {
        tally_symbols_gather(job->shape, job->delimiters, row->value, row->size, out, &count,
                             &after);
    }
}

/* Which symbol of a short value is the last free one. */
static uint32_t each_row_last_free(const tally_short_value *where)
{
    uint64_t below = where->free >> 1;
    for (unsigned i = 1; i < 64; i *= 2) {
        below |= below >> i;
    }
    below &= where->symbols;
    return tally_bits_count(below);
}

/* Checks the check digit of a row. */
static tally_row each_row_check_value(const tally_column_job *job, tally_column_row *row)
{
    uint8_t all[TALLY_COLUMN_MAX_DIGITS];
    row->check = row->is_short ? each_row_last_free(&row->where)
                               : (uint32_t)tally_symbols_check_place(job->shape, row->count);
    each_row_gather_digits(job, row, all);
    const int holds =
        all[row->check] == tally_symbols_check_digit_of(job->shape, all, row->count, row->check,
                                                        job->direction == TALLY_DECRYPT);
    tally_wipe(all, row->count);
    return holds ? TALLY_ROW_OK : TALLY_ROW_CHECK;
}

/* Gathers the word of a short value. */
static tally_row each_row_gather_short(tally_column_job *job, tally_column_row *row,
                                       uint64_t number)
{
    tally_row status = tally_short_gather(job->shape, &job->tables, row->value, (size_t)row->size,
                                          row->word, &row->where);
    if (status != TALLY_ROW_OK) {
        return status;
    }
    row->after = row->where.after;
    row->count = row->where.count;
    row->length = row->where.length;
    if (row->after == row->size) {
        return each_row_make_short_tail(job, row, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
    }
    const size_t kept_size = row->count - row->length;
    uint8_t kept[TALLY_SHORT];
    if (job->shape->tweak_kept && kept_size != 0) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size,
                             row->where.symbols & ~row->where.free, kept);
    }
    return each_row_make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

/* Gathers the word of a value of any size. */
static tally_row each_row_gather_long(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const tally_shape *shape = job->shape;
    size_t count;
    tally_row status = tally_symbols_gather(shape, job->delimiters, row->value, row->size,
                                            row->word, &count, &row->after);
    row->count = (uint32_t)count;
    if (status != TALLY_ROW_OK) {
        return status;
    }
    uint8_t kept[TALLY_FAST_MAX_ROW_TWEAK];
    size_t kept_size = 0;
    row->length = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (tally_symbol_is_free(shape, i, row->count)) {
            row->word[row->length++] = row->word[i];
        } else if (kept_size < sizeof kept) { /* more make the tweak too long in any case */
            kept[kept_size++] = row->word[i];
        }
    }
    return each_row_make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

/* Gathers the word of a row and checks it. */
static tally_row each_row_prepare(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    row->count = 0;
    row->is_short = job->has_short && row->size <= TALLY_SHORT;
    tally_row status = row->is_short ? each_row_gather_short(job, row, number)
                                     : each_row_gather_long(job, row, number);
    size_t end = (size_t)(row->word - job->memory->symbols) + row->count;
    job->most_symbols = end > job->most_symbols ? end : job->most_symbols;
    if (status != TALLY_ROW_OK) {
        return status;
    }
    int luhn = job->shape->luhn != TALLY_LUHN_NONE;
    if (luhn && row->count > TALLY_COLUMN_MAX_DIGITS) {
        return TALLY_ROW_LONG;
    }
    if (!tally_fast_pool_takes_tweak(job->cipher->pool, job->common_tweak + row->tail_size)) {
        return TALLY_ROW_TWEAK;
    }
    size_t length = row->length;
    status = tally_symbols_word_length(job->shape, &length);
    row->length = (uint32_t)length;
    return status == TALLY_ROW_OK && luhn ? each_row_check_value(job, row) : status;
}

/* Writes a row's encrypted word back into the value. */
static void each_row_store(const tally_column_job *job, const tally_column_row *row)
{
    if (job->shape->luhn != TALLY_LUHN_NONE) {
        row->word[row->length] = 0; /* until the check digit is known */
    }
    if (row->is_short) {
        tally_short_scatter(&job->tables, row->word, &row->where, row->value);
    } else {
        tally_symbols_scatter(job->shape, row->word, row->count, row->after, row->value);
    }
}

/* Writes the check digit of a row into the value, whose other digits are there. */
static void each_row_store_check(const tally_column_job *job, const tally_column_row *row)
{
    uint8_t all[TALLY_COLUMN_MAX_DIGITS];
    each_row_gather_digits(job, row, all);
    row->word[row->length] = tally_symbols_check_digit_of(job->shape, all, row->count, row->check,
                                                          job->direction == TALLY_ENCRYPT);
    tally_wipe(all, row->count);
    if (row->is_short) {
        tally_short_scatter(&job->tables, row->word, &row->where, row->value);
    } else {
        tally_symbols_scatter(job->shape, row->word, row->count, row->after, row->value);
    }
}

static void each_row_clear(tally_column_job *job)
{
    tally_fast_buckets_clear(&job->memory->buckets);
    job->rows = 0;
    job->symbols = 0;
    job->tails = 0;
}

/* Completes job->tweak for the rows of a bucket; returns its size. */
static size_t each_row_tweak(tally_column_job *job, const tally_fast_bucket *bucket)
{
    if (bucket->tail_size != 0) {
        memcpy(job->tweak + job->common_tweak, bucket->tail, bucket->tail_size);
    }
    return job->common_tweak + bucket->tail_size;
}

/* Encrypts the words of buckets of one length, which are side by side in `words`. */
static void each_row_run_length(tally_column_job *job, const uint16_t *sorted, size_t count,
                                uint8_t *const *words, size_t rows)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_bucket *first = &job->memory->buckets.bucket[sorted[0]];
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, first->length, &spare);
    if (count == 1) {
        tally_fast_run_words(cipher, params, job->direction, job->tweak, each_row_tweak(job, first),
                             words, first->rows);
        return;
    }
    tally_fast_many_tweaks run;
    tally_fast_many_tweaks_init(cipher, params, job->direction, job->tweak, job->common_tweak,
                                count, rows, &run);
    for (size_t i = 0; i < count; i++) {
        const tally_fast_bucket *bucket = &job->memory->buckets.bucket[sorted[i]];
        tally_fast_many_tweaks_add(&run, bucket->tail, bucket->tail_size, words, bucket->rows);
        words += bucket->rows;
    }
    tally_fast_many_tweaks_final(&run);
}

/* The rows of FF1 by length alone, each with the tail of its own. */
static void each_row_run_ff1(tally_column_job *job)
{
    tally_column_memory *memory = job->memory;
    const tally_fast_buckets *buckets = &memory->buckets;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS], order[TALLY_FAST_ROWS];
    const uint8_t *tails[EACH_ROW_FF1];
    size_t sizes[EACH_ROW_FF1];
    const int own = job->shape->tweak_kept != 0 || job->row_tweaks != NULL;
    const tally_ff1_tweaks tweaks = {job->tweak, job->common_tweak, own ? tails : NULL, sizes};
    for (size_t i = 0; i < job->rows; i++) {
        memory->rows[i].bucket =
            tally_fast_buckets_add(&memory->buckets, NULL, 0, memory->rows[i].length);
    }
    tally_fast_buckets_sort(buckets, sorted, next);
    for (size_t i = 0; i < job->rows; i++) {
        order[next[memory->rows[i].bucket]++] = (uint16_t)i;
    }
    for (size_t b = 0, at = 0; b < buckets->count; b++) {
        const tally_fast_bucket *bucket = &buckets->bucket[sorted[b]];
        tally_fast_params spare;
        const tally_fast_params *params =
            tally_fast_cipher_params(job->cipher, bucket->length, &spare);
        for (size_t left = bucket->rows, some; left > 0; left -= some, at += some) {
            some = left < EACH_ROW_FF1 ? left : EACH_ROW_FF1;
            for (size_t i = 0; i < some; i++) {
                const tally_column_row *row = &memory->rows[order[at + i]];
                memory->words[i] = row->word;
                tails[i] = row->tail;
                sizes[i] = row->tail_size;
            }
            tally_ff1_words_tweaks(job->cipher, params, job->direction, &tweaks, memory->words,
                                   some);
        }
    }
}

/* The rows of FAST by length and tweak. */
static void each_row_run_fast(tally_column_job *job)
{
    tally_column_memory *memory = job->memory;
    const tally_fast_buckets *buckets = &memory->buckets;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS];
    for (size_t i = 0; i < job->rows; i++) { /* not row by row: what was just written comes late */
        tally_column_row *row = &memory->rows[i];
        row->bucket =
            tally_fast_buckets_add(&memory->buckets, row->tail, row->tail_size, row->length);
    }
    tally_fast_buckets_sort(buckets, sorted, next);
    for (size_t i = 0; i < job->rows; i++) {
        memory->words[next[memory->rows[i].bucket]++] = memory->rows[i].word;
    }
    uint8_t *const *words = memory->words;
    for (size_t start = 0, stop = 0; start < buckets->count; start = stop) {
        size_t length = buckets->bucket[sorted[start]].length, rows = 0;
        for (; stop < buckets->count && buckets->bucket[sorted[stop]].length == length; stop++) {
            rows += buckets->bucket[sorted[stop]].rows;
        }
        each_row_run_length(job, sorted + start, stop - start, words, rows);
        words += rows;
    }
}

void tally_each_row_flush(tally_column_job *job)
{
    const tally_column_memory *memory = job->memory;
    if (!tally_fast_pool_is_fast(job->cipher->pool)) {
        each_row_run_ff1(job);
    } else {
        each_row_run_fast(job);
    }
    for (size_t i = 0; i < job->rows; i++) {
        each_row_store(job, &memory->rows[i]);
    }
    if (job->shape->luhn != TALLY_LUHN_NONE) { /* later: what was just written comes late */
        for (size_t i = 0; i < job->rows; i++) {
            each_row_store_check(job, &memory->rows[i]);
        }
    }
    each_row_clear(job);
}

tally_row tally_each_row_add(tally_column_job *job, uint8_t *value, uint64_t size, uint64_t number)
{
    uint64_t most = size < TALLY_FAST_MAX_LENGTH ? size : TALLY_FAST_MAX_LENGTH;
    if (job->rows == TALLY_FAST_ROWS || job->symbols + most > TALLY_FAST_MAX_LENGTH ||
        job->tails + TALLY_FAST_MAX_ROW_TWEAK > TALLY_COLUMN_TAILS) {
        tally_each_row_flush(job);
    }
    tally_column_row *row = &job->memory->rows[job->rows];
    row->value = value;
    row->size = size;
    row->word = job->memory->symbols + job->symbols;
    tally_row status = each_row_prepare(job, row, number);
    if (status == TALLY_ROW_OK) {
        job->rows++;
        job->symbols += row->count;
        job->tails += row->tail_size;
        job->report->small += row->length < job->shape->small_symbols;
    }
    return status;
}

void tally_each_row_init(tally_column_job *job)
{
    each_row_clear(job);
    job->has_short = job->has_tables && tally_short_available();
}

void tally_each_row_run(tally_column_job *job, tally_column_batch *batch)
{
    if (batch->pending == 0) {
        return;
    }
    if (!batch->copied) {
        tally_column_copy(batch, batch->done, batch->count - batch->done);
    }
    for (size_t i = 0; i < batch->pending; i++) {
        size_t row = batch->rows[i];
        uint64_t size = tally_column_size(batch, row);
        /* A column without bytes may have no memory for them; an empty value may have any
         * address. */
        uint8_t *value = size != 0 ? batch->values + batch->start[row] : job->memory->symbols;
        batch->status[row] = (uint8_t)tally_each_row_add(job, value, size, batch->first + row);
    }
    tally_each_row_flush(job);
}

void tally_each_row_wipe(tally_column_job *job)
{
    tally_wipe(job->memory->symbols, job->most_symbols);
    tally_wipe(job->memory->tails, job->most_tails);
}
