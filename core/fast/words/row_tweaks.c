/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each row: the tweaks, and the bundles of equal ones. */
#include "fast/words/row_tweaks.h"

#include <string.h>

#include "fast/words/many_tweaks.h"

enum { NO_BUNDLE = TALLY_ROW_TWEAKS_BATCH };

/* The tweak of a row of the batch. */
static inline const uint8_t *own_tweak(const tally_row_tweaks *job, size_t row, size_t *size)
{
    const uint64_t *start = job->cipher->starts;
    *size = (size_t)(start[row + 1] - start[row]);
    return *size != 0 ? job->tweaks->values + start[row] : NULL;
}

tally_status tally_row_tweaks_open(tally_row_tweaks *job, const uint8_t *tweak, size_t tweak_size)
{
    if (!tally_strings_open(job->tweaks, &job->reader) || tweak_size > sizeof job->tweak) {
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

/* Completes the tweak of a row of the batch; returns its size. */
static size_t whole_tweak(tally_row_tweaks *job, size_t row)
{
    size_t size;
    const uint8_t *own = own_tweak(job, row, &size);
    if (size != 0) {
        memcpy(job->tweak + job->common, own, size);
    }
    return job->common + size;
}

tally_status tally_row_tweaks_bundle(tally_row_tweaks *job, size_t count, tally_row_bundles *out)
{
    tally_fast_finder *finder = &job->cipher->finder;
    uint16_t bundles[TALLY_ROW_TWEAKS_BATCH], sorted[TALLY_ROW_TWEAKS_BATCH],
        next[TALLY_ROW_TWEAKS_BATCH];
    uint64_t common;
    if (!tally_strings_read(&job->reader, count, job->cipher->starts, &common)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_finder_clear(finder);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const uint8_t *own = own_tweak(job, i, &size);
        bundles[i] = NO_BUNDLE;
        if (tally_row_tweaks_chosen(job, job->first + i)) {
            if (size > sizeof job->tweak - job->common) {
                return TALLY_ERROR_ARGUMENT;
            }
            bundles[i] = tally_fast_finder_add(finder, own, size, 0);
        }
    }
    /* All lengths being equal, sorted they are as they were. */
    tally_fast_finder_sort(finder, sorted, next);
    memcpy(out->lead, next, finder->count * sizeof *next);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (bundles[i] != NO_BUNDLE) {
            out->order[next[bundles[i]]++] = (uint16_t)i;
            found++;
        }
    }
    out->bundles = finder->count;
    out->lead[out->bundles] = (uint16_t)found;
    return TALLY_OK;
}

void tally_row_tweaks_run(tally_row_tweaks *job, const tally_row_bundles *rows,
                          uint8_t *const *word)
{
    tally_fast_bundles bundles;
    tally_fast_bundles_begin(job->cipher, job->params, job->decrypt, rows->bundles,
                             rows->lead[rows->bundles], &bundles);
    for (size_t b = 0; b < rows->bundles; b++) {
        size_t start = rows->lead[b], size = whole_tweak(job, rows->order[start]);
        tally_fast_bundles_add(&bundles, job->tweak, size, word + start, rows->lead[b + 1] - start);
    }
    tally_fast_bundles_end(&bundles);
}
