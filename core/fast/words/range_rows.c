/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range with a tweak for each row. */
#include "fast/words/range.h"
#include "fast/words/row_tweaks.h"

enum { BATCH = TALLY_ROW_TWEAKS_BATCH };

_Static_assert(BATCH *TALLY_RANGE_LENGTH <= TALLY_FAST_MAX_LENGTH, "a batch's words fit");

/* A call at work. */
typedef struct rows_job {
    tally_range range;
    tally_row_tweaks tweaks;
    const uint64_t *numbers;
    uint64_t *out;
} rows_job;

/* Writes the numbers that are of the range again; only the others stay in the bundles. */
static void settle(const rows_job *job, tally_row_bundles *rows, uint8_t **word)
{
    size_t left = 0, bundles = 0, end = 0;
    for (size_t b = 0; b < rows->bundles; b++) {
        size_t start = end, before = left;
        end = rows->lead[b + 1];
        for (size_t i = start; i < end; i++) {
            uint64_t number = tally_range_read(&job->range, word[i], 1);
            if (number <= job->range.last) {
                job->out[job->tweaks.first + rows->order[i]] = number;
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

static tally_status run_batch(rows_job *job, size_t count)
{
    tally_fast_cipher *cipher = job->range.cipher;
    uint64_t first = job->tweaks.first;
    tally_row_bundles rows;
    const tally_status status = tally_row_tweaks_bundle(&job->tweaks, count, &rows);
    if (status != TALLY_OK) {
        return status;
    }
    size_t length = job->range.params.length, found = rows.lead[rows.bundles];
    for (size_t i = 0; i < count; i++) {
        job->out[first + i] = job->numbers[first + i];
    }
    for (size_t i = 0; i < found; i++) {
        cipher->bundled[i] = cipher->words + i * length;
        const uint64_t number = tally_range_take(&job->range, &job->out[first + rows.order[i]]);
        tally_range_write(&job->range, number, cipher->bundled[i], 1);
    }
    while (rows.bundles > 0) {
        tally_row_tweaks_run(&job->tweaks, &rows, cipher->bundled);
        settle(job, &rows, cipher->bundled);
    }
    tally_wipe(cipher->words, found * length);
    return TALLY_OK;
}

static tally_status run(tally_fast_cipher *cipher, uint64_t size, int decrypt, const uint8_t *tweak,
                        size_t tweak_size, const tally_strings *row_tweaks, const uint8_t *chosen,
                        const uint64_t *numbers, uint64_t *out)
{
    rows_job job = {.numbers = numbers, .out = out};
    tally_status status = tally_range_open(cipher, size, decrypt, &job.range);
    if (status != TALLY_OK) {
        return status;
    }
    job.tweaks = (tally_row_tweaks){.cipher = cipher,
                                    .params = &job.range.params,
                                    .decrypt = decrypt,
                                    .tweaks = row_tweaks,
                                    .chosen = chosen};
    status = tally_row_tweaks_open(&job.tweaks, tweak, tweak_size);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < row_tweaks->rows; i++) {
        if (tally_row_tweaks_chosen(&job.tweaks, i) && numbers[i] > job.range.last) {
            return TALLY_ERROR_SYMBOL;
        }
    }
    for (; job.tweaks.first < row_tweaks->rows && status == TALLY_OK; job.tweaks.first += BATCH) {
        uint64_t left = row_tweaks->rows - job.tweaks.first;
        status = run_batch(&job, left < BATCH ? (size_t)left : BATCH);
    }
    return status;
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
