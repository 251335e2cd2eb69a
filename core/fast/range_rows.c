/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range with a tweak for each row. Of some thousand rows those of equal tweaks are found
 * by hash; they walk in bundles, side by side with those of other tweaks. */
#include <string.h>

#include "fast/bundles.h"
#include "fast/column_job.h"
#include "fast/range.h"

enum { BATCH = TALLY_FAST_ROWS };

_Static_assert(BATCH *TALLY_RANGE_LENGTH <= TALLY_FAST_MAX_LENGTH, "a batch's words fit");

/* A call at work. */
typedef struct rows_job {
    tally_range range;
    const tally_strings *tweaks;
    const uint8_t *chosen; /* or NULL */
    const uint64_t *numbers;
    uint64_t *out;
    uint64_t first; /* row i of the batch is row first + i */
    size_t common;
    uint8_t tweak[TALLY_COLUMN_MAX_TWEAK]; /* the common one, then a row's own */
} rows_job;

static inline int is_chosen(const rows_job *job, uint64_t row)
{
    return job->chosen == NULL || job->chosen[row] != 0;
}

/* A row's own tweak. */
static inline const uint8_t *own_tweak(const tally_strings *tweaks, uint64_t row, size_t *size)
{
    uint64_t start = tally_offset_at(tweaks, row);
    *size = (size_t)(tally_offset_at(tweaks, row + 1) - start);
    return *size != 0 ? tweaks->values + start : NULL;
}

/* Completes the tweak of a row of the batch; returns its size. */
static size_t whole_tweak(rows_job *job, size_t row)
{
    size_t size;
    const uint8_t *own = own_tweak(job->tweaks, job->first + row, &size);
    if (size != 0) {
        memcpy(job->tweak + job->common, own, size);
    }
    return job->common + size;
}

/* Some rows of the batch by tweak: those of bundle b are order[lead[b] .. lead[b + 1]). */
typedef struct bundled {
    uint16_t order[BATCH];
    uint16_t lead[BATCH + 1];
    size_t bundles;
} bundled;

/* Finds the chosen rows that have a tweak in common. */
static void bundle(const rows_job *job, size_t count, bundled *out)
{
    tally_fast_finder *finder = &job->range.cipher->finder;
    uint16_t bundles[BATCH], sorted[BATCH], next[BATCH];
    tally_fast_finder_clear(finder);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        if (is_chosen(job, job->first + i)) {
            const uint8_t *own = own_tweak(job->tweaks, job->first + i, &size);
            bundles[i] = tally_fast_finder_add(finder, own, size, 0);
        }
    }
    /* All lengths being equal, sorted they are as they were. */
    tally_fast_finder_sort(finder, sorted, next);
    memcpy(out->lead, next, finder->count * sizeof *next);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_chosen(job, job->first + i)) {
            out->order[next[bundles[i]]++] = (uint16_t)i;
            found++;
        }
    }
    out->bundles = finder->count;
    out->lead[out->bundles] = (uint16_t)found;
}

/* Encrypts all words once: word[i] is that of row order[i]. */
static void run_bundles(rows_job *job, const bundled *rows, uint8_t *const *word)
{
    tally_fast_cipher *cipher = job->range.cipher;
    tally_fast_bundles bundles;
    tally_fast_bundles_begin(cipher, &job->range.params, job->range.decrypt, rows->bundles,
                             rows->lead[rows->bundles], &bundles);
    for (size_t b = 0; b < rows->bundles; b++) {
        size_t start = rows->lead[b], size = whole_tweak(job, rows->order[start]);
        tally_fast_bundles_add(&bundles, job->tweak, size, word + start, rows->lead[b + 1] - start);
    }
    tally_fast_bundles_end(&bundles);
}

/* Writes the numbers that are of the range again; only the others stay in the bundles. */
static void settle(const rows_job *job, bundled *rows, uint8_t **word)
{
    size_t left = 0, bundles = 0, end = 0;
    for (size_t b = 0; b < rows->bundles; b++) {
        size_t start = end, before = left;
        end = rows->lead[b + 1];
        for (size_t i = start; i < end; i++) {
            uint64_t number = tally_range_read(&job->range, word[i], 1);
            if (number <= job->range.last) {
                job->out[job->first + rows->order[i]] = number;
            } else {
                rows->order[left] = rows->order[i];
                word[left++] = word[i];
            }
        }
        if (left > before) {
            rows->lead[bundles++] = (uint16_t)before;
        }
    }
    rows->lead[bundles] = (uint16_t)left;
    rows->bundles = bundles;
}

static void run_batch(rows_job *job, size_t count)
{
    tally_fast_cipher *cipher = job->range.cipher;
    bundled rows;
    bundle(job, count, &rows);
    size_t length = job->range.params.length, found = rows.lead[rows.bundles];
    for (size_t i = 0; i < count; i++) {
        job->out[job->first + i] = job->numbers[job->first + i];
    }
    for (size_t i = 0; i < found; i++) {
        cipher->bundled[i] = cipher->words + i * length;
        tally_range_write(&job->range, job->out[job->first + rows.order[i]], cipher->bundled[i], 1);
    }
    while (rows.bundles > 0) {
        run_bundles(job, &rows, cipher->bundled);
        settle(job, &rows, cipher->bundled);
    }
    tally_wipe(cipher->words, found * length);
}

/* Whether every chosen row has a number of the range and a tweak. */
static tally_status check_rows(const rows_job *job)
{
    for (uint64_t i = 0; i < job->tweaks->rows; i++) {
        if (!is_chosen(job, i)) {
            continue;
        }
        size_t size;
        own_tweak(job->tweaks, i, &size);
        if (tally_row_is_null(job->tweaks, i) || size > sizeof job->tweak - job->common) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (job->numbers[i] > job->range.last) {
            return TALLY_ERROR_SYMBOL;
        }
    }
    return TALLY_OK;
}

static tally_status run(tally_fast_cipher *cipher, uint64_t size, int decrypt, const uint8_t *tweak,
                        size_t tweak_size, const tally_strings *row_tweaks, const uint8_t *chosen,
                        const uint64_t *numbers, uint64_t *out)
{
    rows_job job = {.tweaks = row_tweaks,
                    .chosen = chosen,
                    .numbers = numbers,
                    .out = out,
                    .common = tweak_size};
    tally_status status = tally_range_open(cipher, size, decrypt, &job.range);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_strings_fit(row_tweaks) || tweak_size > sizeof job.tweak) {
        return TALLY_ERROR_ARGUMENT;
    }
    status = check_rows(&job);
    if (status != TALLY_OK) {
        return status;
    }
    if (tweak_size != 0) {
        memcpy(job.tweak, tweak, tweak_size);
    }
    for (; job.first < row_tweaks->rows; job.first += BATCH) {
        uint64_t left = row_tweaks->rows - job.first;
        run_batch(&job, left < BATCH ? (size_t)left : BATCH);
    }
    return TALLY_OK;
}

tally_status tally_fast_encrypt_range_rows(tally_fast_cipher *cipher, uint64_t size,
                                           const uint8_t *tweak, size_t tweak_size,
                                           const tally_strings *row_tweaks, const uint8_t *chosen,
                                           const uint64_t *numbers, uint64_t *out)
{
    return run(cipher, size, 0, tweak, tweak_size, row_tweaks, chosen, numbers, out);
}

tally_status tally_fast_decrypt_range_rows(tally_fast_cipher *cipher, uint64_t size,
                                           const uint8_t *tweak, size_t tweak_size,
                                           const tally_strings *row_tweaks, const uint8_t *chosen,
                                           const uint64_t *numbers, uint64_t *out)
{
    return run(cipher, size, 1, tweak, tweak_size, row_tweaks, chosen, numbers, out);
}
