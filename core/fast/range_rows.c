/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range with a tweak for each row. Of some thousand rows those of equal tweaks are found
 * by hash and walk together; the others have sequences of their own. */
#include <string.h>

#include "fast/column_job.h"
#include "fast/range.h"

enum { BATCH = 4096, BUCKETS = 4096, AT_ONCE = 512 };

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

static uint32_t hash_of(const rows_job *job, size_t row)
{
    size_t size;
    const uint8_t *own = own_tweak(job->tweaks, job->first + row, &size);
    uint64_t hash = size + UINT64_C(0xcbf29ce484222325), word = 0;
    for (; size >= 8; own += 8, size -= 8) {
        memcpy(&word, own, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    word = 0;
    for (size_t i = 0; i < size; i++) {
        word = word << 8 | own[i];
    }
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static int alike(const rows_job *job, size_t a, size_t b)
{
    size_t size_a, size_b;
    const uint8_t *own_a = own_tweak(job->tweaks, job->first + a, &size_a),
                  *own_b = own_tweak(job->tweaks, job->first + b, &size_b);
    return size_a == size_b && (size_a == 0 || memcmp(own_a, own_b, size_a) == 0);
}

/* Encrypts words once, each under the tweak of its row: the one place where rows with sequences of
 * their own are run. */
static void run_each(rows_job *job, const uint16_t *rows, uint8_t *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = whole_tweak(job, rows[i]);
        tally_fast_run_rows(job->range.cipher, &job->range.params, job->range.decrypt, job->tweak,
                            size, &words[i], 1);
    }
}

/* Walks rows of which no two have a tweak in common, at most AT_ONCE. */
static void walk_lone(rows_job *job, const uint16_t *rows, size_t count)
{
    uint8_t words[AT_ONCE * TALLY_RANGE_LENGTH];
    uint8_t *word[AT_ONCE]; /* of the numbers still on their way */
    uint16_t walking[AT_ONCE];
    size_t length = job->range.params.length, used = count * length;
    for (size_t i = 0; i < count; i++) {
        walking[i] = rows[i];
        word[i] = words + i * length;
        tally_range_write(&job->range, job->numbers[job->first + rows[i]], word[i], 1);
    }
    while (count > 0) {
        run_each(job, walking, word, count);
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t number = tally_range_read(&job->range, word[i], 1);
            if (number <= job->range.last) {
                job->out[job->first + walking[i]] = number;
            } else {
                walking[left] = walking[i];
                word[left++] = word[i];
            }
        }
        count = left;
    }
    tally_wipe(words, used);
}

static void run_batch(rows_job *job, size_t count)
{
    /* Chains of rows by hash, each in order; a row's link is its number plus one. */
    uint32_t hash[BATCH];
    uint16_t first[BUCKETS] = {0}, next[BATCH], group[BATCH], lone[BATCH];
    size_t lones = 0;
    for (size_t i = count; i-- > 0;) {
        if (is_chosen(job, job->first + i)) {
            hash[i] = hash_of(job, i);
            next[i] = first[hash[i] % BUCKETS];
            first[hash[i] % BUCKETS] = (uint16_t)(i + 1);
        } else {
            job->out[job->first + i] = job->numbers[job->first + i];
        }
    }
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        while (first[bucket] != 0) {
            size_t lead = first[bucket] - 1u, found = 0;
            uint16_t *link = &first[bucket];
            while (*link != 0) {
                size_t i = *link - 1u;
                if (hash[i] == hash[lead] && alike(job, i, lead)) {
                    group[found++] = (uint16_t)i;
                    *link = next[i];
                } else {
                    link = &next[i];
                }
            }
            if (found == 1) {
                lone[lones++] = (uint16_t)lead;
            } else {
                size_t size = whole_tweak(job, lead);
                tally_range_walk(&job->range, job->tweak, size, job->numbers + job->first, group,
                                 found, job->out + job->first);
            }
        }
    }
    for (size_t done = 0; done < lones; done += AT_ONCE) {
        walk_lone(job, lone + done, lones - done < AT_ONCE ? lones - done : AT_ONCE);
    }
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
