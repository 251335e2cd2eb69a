/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range with a tweak for each row. */
#include "fast/words/range.h"
#include "fast/words/row_tweaks.h"

enum { RANGE_ROWS_BATCH = TALLY_ROW_TWEAKS_BATCH };

/* A call. */
typedef struct range_rows_job {
    tally_range range;
    tally_row_tweaks tweaks;
    const uint64_t *numbers;
    uint64_t *out;
} range_rows_job;

/* Stores the numbers that are below the range's size again, and leaves the others in their
 * buckets. */
static void range_rows_store(const range_rows_job *job, tally_row_buckets *rows)
{
    uint8_t **words = job->tweaks.memory->words;
    size_t left = 0, buckets = 0, end = 0;
    for (size_t b = 0; b < rows->count; b++) {
        size_t start = end, before = left;
        end = rows->start[b + 1];
        for (size_t i = start; i < end; i++) {
            uint64_t number = tally_range_read(&job->range, words[i], 1);
            if (number <= job->range.last) {
                job->out[job->tweaks.first + rows->order[i]] = number;
            } else {
                rows->order[left] = rows->order[i];
                words[left++] = words[i];
            }
        }
        if (left > before) {
            rows->start[buckets++] = (uint16_t)before;
        }
    }
    rows->start[buckets] = (uint16_t)left;
    rows->count = buckets;
}

static tally_status range_rows_run_batch(range_rows_job *job, size_t count)
{
    tally_row_tweaks_memory *memory = job->tweaks.memory;
    uint64_t first = job->tweaks.first;
    tally_row_buckets rows;
    const tally_status status = tally_row_tweaks_sort(&job->tweaks, count, &rows);
    if (status != TALLY_OK) {
        return status;
    }
    size_t length = job->range.params.length, found = rows.start[rows.count];
    for (size_t i = 0; i < count; i++) {
        job->out[first + i] = job->numbers[first + i];
    }
    for (size_t i = 0; i < found; i++) {
        memory->words[i] = memory->symbols + i * length;
        const uint64_t number = tally_range_load(&job->range, &job->out[first + rows.order[i]]);
        tally_range_write(&job->range, number, memory->words[i], 1);
    }
    while (rows.count > 0) {
        tally_row_tweaks_run(&job->tweaks, &rows, memory->words);
        range_rows_store(job, &rows);
    }
    tally_wipe(memory->symbols, found * length);
    return TALLY_OK;
}

tally_status tally_fast_range_rows(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                                   tally_direction direction, uint64_t size, const uint8_t *tweak,
                                   size_t tweak_size, const tally_strings *row_tweaks,
                                   const uint8_t *chosen, const uint64_t *numbers, uint64_t *out)
{
    range_rows_job job = {.numbers = numbers, .out = out};
    tally_status status = tally_range_init(cipher, size, direction, &job.range);
    if (status != TALLY_OK) {
        return status;
    }
    job.tweaks = (tally_row_tweaks){.cipher = cipher,
                                    .params = &job.range.params,
                                    .direction = direction,
                                    .tweaks = row_tweaks,
                                    .chosen = chosen};
    status = tally_row_tweaks_init(&job.tweaks, workspace, tweak, tweak_size);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < row_tweaks->rows; i++) {
        if (tally_row_tweaks_chosen(&job.tweaks, i) && numbers[i] > job.range.last) {
            return TALLY_ERROR_SYMBOL;
        }
    }
    for (; job.tweaks.first < row_tweaks->rows && status == TALLY_OK;
         job.tweaks.first += RANGE_ROWS_BATCH) {
        uint64_t left = row_tweaks->rows - job.tweaks.first;
        status =
            range_rows_run_batch(&job, left < RANGE_ROWS_BATCH ? (size_t)left : RANGE_ROWS_BATCH);
    }
    return status;
}
