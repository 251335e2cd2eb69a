/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each row: the tweaks, and the buckets of equal ones. */
#include "fast/words/row_tweaks.h"

#include <string.h>

#include "fast/words/many_tweaks.h"

enum { ROW_TWEAKS_NONE = TALLY_ROW_TWEAKS_BATCH /* in no bucket */ };

_Static_assert(sizeof(tally_row_tweaks_memory) <= TALLY_FAST_WORKSPACE, "a workspace holds it");

/* The tweak of a row of the batch. */
static inline const uint8_t *row_tweaks_own(const tally_row_tweaks *job, size_t row, size_t *size)
{
    const uint64_t *start = job->memory->starts;
    *size = (size_t)(start[row + 1] - start[row]);
    return *size != 0 ? job->tweaks->values + start[row] : NULL;
}

tally_status tally_row_tweaks_init(tally_row_tweaks *job, tally_fast_workspace *workspace,
                                   const uint8_t *tweak, size_t tweak_size)
{
    job->memory = (tally_row_tweaks_memory *)(void *)workspace->memory;
    if (!tally_strings_init(job->tweaks, &job->reader) || tweak_size > sizeof job->tweak) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_strings_reader all = job->reader;
    for (uint64_t i = 0; i < job->tweaks->rows; i++) {
        uint64_t start, size;
        if (!tally_strings_next(&all, &start, &size) ||
            (tally_row_tweaks_chosen(job, i) &&
             (tally_row_is_null(job->tweaks, i) || size > sizeof job->tweak - tweak_size))) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    if (tweak_size != 0) {
        memcpy(job->tweak, tweak, tweak_size);
    }
    job->common = tweak_size;
    return TALLY_OK;
}

tally_status tally_row_tweaks_sort(tally_row_tweaks *job, size_t count, tally_row_buckets *out)
{
    tally_fast_buckets *buckets = &job->memory->buckets;
    uint16_t bucket[TALLY_ROW_TWEAKS_BATCH], sorted[TALLY_ROW_TWEAKS_BATCH],
        next[TALLY_ROW_TWEAKS_BATCH];
    uint64_t common;
    if (!tally_strings_read(&job->reader, count, job->memory->starts, &common)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_buckets_clear(buckets);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const uint8_t *own = row_tweaks_own(job, i, &size);
        bucket[i] = ROW_TWEAKS_NONE;
        if (tally_row_tweaks_chosen(job, job->first + i)) {
            if (size > sizeof job->tweak - job->common) {
                return TALLY_ERROR_ARGUMENT;
            }
            bucket[i] = tally_fast_buckets_add(buckets, own, size, 0);
        }
    }
    /* All lengths are equal, so this keeps the order of the buckets. */
    tally_fast_buckets_sort(buckets, sorted, next);
    memcpy(out->start, next, buckets->count * sizeof *next);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (bucket[i] != ROW_TWEAKS_NONE) {
            out->order[next[bucket[i]]++] = (uint16_t)i;
            found++;
        }
    }
    out->count = buckets->count;
    out->start[out->count] = (uint16_t)found;
    return TALLY_OK;
}

void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_buckets *rows,
                          uint8_t *const *words)
{
    tally_fast_many_tweaks run;
    tally_fast_many_tweaks_init(job->cipher, job->params, job->direction, job->tweak, job->common,
                                rows->count, rows->start[rows->count], &run);
    for (size_t b = 0; b < rows->count; b++) {
        size_t start = rows->start[b], size;
        const uint8_t *own = row_tweaks_own(job, rows->order[start], &size);
        tally_fast_many_tweaks_add(&run, own, size, words + start, rows->start[b + 1] - start);
    }
    tally_fast_many_tweaks_final(&run);
}
