/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows whose tweaks differ, in groups over many more rows than a batch has. Nothing but what stays
 * in clear, and rows' own tweaks, decides on a row's group: so neither does a secret. */
#include <string.h>

#include "base/bits.h"
#include "base/unroll.h"
#include "columns/grouped_lanes.h"
#include "columns/symbols.h"

enum {
    GROUPED_TWEAKS = 256, /* that there can be: few */
    GROUPED_NEAR = 16384, /* rows among which those are grouped */
    GROUPED_SOME = 512,   /* rows of a group that are looked at together */
    GROUPED_BLOCK = 4096, /* rows that are copied and hashed together: they are in the cache */
    GROUPED_REACH = 15,   /* bytes from the first that is prefetched to the second, */
    GROUPED_LINE = 64,    /* if that is in another cache line */
    GROUPED_AHEAD = 24    /* a row's value is prefetched so many rows before, its offset twice */
};

static inline int grouped_is_symbol(const tally_column_job *job, uint8_t byte)
{
    const uint8_t kind = job->shape->kind[byte];
    return kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
}

/* The first symbols, if they stay in clear. */
static uint64_t grouped_hash_first(const tally_column_job *job, const uint8_t *value, size_t size)
{
    uint64_t hash = 0, eight = 0, kept = job->shape->keep;
    size_t found = 0;
    for (size_t i = 0; i < size && (kept & 1) != 0; i++) {
        if (grouped_is_symbol(job, value[i])) {
            kept >>= 1;
            eight = eight << 8 | job->shape->symbol[value[i]];
            if (++found % 8 == 0) {
                hash = tally_groups_hash_eight(hash, eight);
            }
        }
    }
    return tally_groups_hash_eight(hash, eight);
}

/* The bytes where symbols of `keep` are in a value, if the value is of this size and has a layout of
 * those that a column has most: that of the first value of its size. Other values are hashed by any
 * bytes, so their groups are no good, and their tokens the same. */
static uint64_t grouped_hash_places(tally_column_job *job, const uint8_t *value, size_t size)
{
    uint64_t kept = job->shape->keep, eight = 0, hash = 0;
    if (size > TALLY_TRANSLATE_WIDTH) {
        return 0;
    }
    uint64_t places = job->places[size];
    for (size_t i = 0; places == 0 && i < size; i++) {
        if (grouped_is_symbol(job, value[i])) {
            job->places[size] |= (kept & 1) << i;
            kept >>= 1;
        }
    }
    places = job->places[size];
    for (size_t i = 1; places != 0; places &= places - 1, i++) {
        eight = eight << 8 | value[tally_bits_lowest(places)];
        if (i % 8 == 0) {
            hash = tally_groups_hash_eight(hash, eight);
        }
    }
    return tally_groups_hash_eight(hash, eight ^ (uint64_t)size << 56);
}

/* The last ones. */
static uint64_t grouped_hash_last(const tally_column_job *job, uint64_t hash, const uint8_t *value,
                                  size_t size)
{
    uint64_t eight = 0;
    size_t found = 0;
    for (size_t i = size; i > 0 && found < job->shape->keep_last; i--) {
        if (grouped_is_symbol(job, value[i - 1])) {
            eight = eight << 8 | job->shape->symbol[value[i - 1]];
            if (++found % 8 == 0) {
                hash = tally_groups_hash_eight(hash, eight);
            }
        }
    }
    return tally_groups_hash_eight(hash, eight);
}

/* The hash of what stays in clear of a value. */
static uint64_t grouped_hash_kept(tally_column_job *job, const uint8_t *value, size_t size)
{
    const tally_shape *shape = job->shape;
    uint64_t hash = 0;
    size_t end = size;
    if (shape->keep_after_delimiter) {
        while (end > 0 && shape->kind[value[end - 1]] != TALLY_BYTE_DELIMITER) {
            end--;
        }
        if (end < size) {
            hash = tally_groups_hash(hash, value + end, size - end);
        }
    }
    if ((shape->keep & (shape->keep + 1)) != 0) {
        hash ^= grouped_hash_places(job, value, size);
    } else if (shape->keep != 0) {
        hash ^= grouped_hash_first(job, value, end);
    }
    return shape->keep_last != 0 ? grouped_hash_last(job, hash, value, end) : hash;
}

int tally_grouped_applies(const tally_column_job *job)
{
    const tally_shape *shape = job->shape;
    if (!tally_fast_pool_is_fast(job->cipher->pool)) {
        return 0; /* which gains nothing from rows of equal tweaks */
    }
    return job->row_tweaks != NULL ||
           (shape->tweak_kept &&
            (shape->keep != 0 || shape->keep_last != 0 || shape->keep_after_delimiter));
}

/* Hashes a row. Returns 0 if the offsets of the tweaks have changed. */
static int grouped_add(tally_column_job *job, tally_groups *groups, const uint8_t *value,
                       size_t size, uint64_t number)
{
    const tally_strings_reader *tweaks = job->row_tweaks;
    uint64_t hash = job->shape->tweak_kept ? grouped_hash_kept(job, value, size) : 0;
    if (tweaks != NULL) {
        uint64_t start, own;
        if (!tally_strings_row(tweaks, number, &start, &own)) {
            return 0;
        }
        if (own != 0) {
            hash = tally_groups_hash(hash, tweaks->strings->values + start, (size_t)own);
        }
    }
    tally_groups_add(groups, tally_groups_hash_end(hash));
    return 1;
}

/* Copies the rows of a block to where they are changed, zeroes null ones, and hashes the others.
 * Returns 0 if offsets have changed. */
static int grouped_take_block(tally_column_job *job, tally_strings_reader *reader,
                              tally_column_batch *batch, tally_groups *groups)
{
    const tally_strings *column = reader->strings;
    uint64_t common;
    if (!tally_strings_read(reader, batch->count, batch->start, &common)) {
        return 0;
    }
    for (size_t i = 0; batch->moved != 0 && i <= batch->count; i++) {
        batch->start[i] -= batch->moved;
    }
    tally_column_copy(batch, 0, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        const size_t size = (size_t)tally_column_size(batch, i);
        uint8_t *value = size != 0 ? batch->values + batch->start[i] : job->memory->symbols;
        if (tally_row_is_null(column, batch->first + i)) {
            memset(value, 0, size);
            tally_groups_skip(groups);
        } else if (!grouped_add(job, groups, value, size, batch->first + i)) {
            return 0;
        }
    }
    return 1;
}

/* Prefetches the offset of a row, and later its first byte, of values that lie `moved` bytes before
 * their offsets. */
TALLY_INLINE void grouped_prefetch_offset(const tally_strings_reader *reader, uint64_t number)
{
#if defined(__GNUC__)
    if (reader->each == 0) {
        const tally_strings *strings = reader->strings;
        __builtin_prefetch((const uint8_t *)strings->offsets + number * strings->offset_size);
    }
#else
    (void)reader, (void)number;
#endif
}

TALLY_INLINE void grouped_prefetch_value(const tally_strings_reader *reader, const uint8_t *values,
                                         uint64_t moved, uint64_t number)
{
#if defined(__GNUC__)
    const uint64_t start = reader->each != 0 ? reader->at + number * reader->each
                                             : tally_offset_once(reader->strings, number);
    if (start >= reader->at && start < reader->end) {
        const uint8_t *value = values + (start - moved);
        __builtin_prefetch(value, 1);
        if ((uintptr_t)value % GROUPED_LINE + GROUPED_REACH >= GROUPED_LINE) {
            __builtin_prefetch(value + GROUPED_REACH, 1);
        }
    }
#else
    (void)reader, (void)values, (void)moved, (void)number;
#endif
}

TALLY_INLINE void grouped_prefetch_row(const tally_column_job *job, const tally_strings_reader *all,
                                       const tally_column_batch *batch, const tally_groups *groups,
                                       size_t i)
{
    const tally_strings_reader *tweaks = job->row_tweaks;
    const uint64_t soon = batch->first + tally_groups_row(groups, i + GROUPED_AHEAD),
                   later = batch->first + tally_groups_row(groups, i + 2 * GROUPED_AHEAD);
    grouped_prefetch_offset(all, later);
    grouped_prefetch_value(all, batch->values, batch->moved, soon);
    if (tweaks != NULL) {
        grouped_prefetch_offset(tweaks, later);
        grouped_prefetch_value(tweaks, tweaks->strings->values, 0, soon);
    }
}

/* Finds the rows that come next in the order of groups, as many as `most`, and prefetches later ones.
 * Returns 0 if offsets have changed. */
static int grouped_next_rows(const tally_column_job *job, const tally_strings_reader *all,
                             const tally_column_batch *batch, const tally_groups *groups, size_t i,
                             size_t most, tally_grouped_row *out)
{
    const size_t count = groups->end[TALLY_GROUPS_NONE - 1];
    for (const size_t end = i + most; i < end; i++, out++) {
        uint64_t start;
        if (i + 2 * GROUPED_AHEAD < count) {
            grouped_prefetch_row(job, all, batch, groups, i);
        }
        out->number = tally_groups_row(groups, i);
        const uint64_t number = batch->first + out->number;
        if (!tally_strings_row(all, number, &start, &out->size)) {
            return 0;
        }
        out->value = out->size != 0 ? batch->values + (start - batch->moved) : job->memory->symbols;
        if (job->row_tweaks != NULL) {
            tally_grouped_find_own(job, number, out);
        }
    }
    return 1;
}

/* Runs rows of a group: those with equal tweaks on lanes, the others one by one. */
static void grouped_run_some(tally_column_job *job, tally_grouped_lanes *lanes,
                             const tally_grouped_row *rows, size_t count, uint8_t *row_status)
{
    for (size_t i = 0; i < count;) {
        const size_t alike = tally_grouped_lanes_alike(job, lanes, rows + i, count - i);
        if (alike != 0) {
            i += tally_grouped_lanes_add(job, lanes, rows + i, alike, row_status);
        } else {
            tally_grouped_run_apart(job, lanes, &rows[i], row_status);
            i++;
        }
    }
}

/* Runs the rows in the order of their groups. A group that fits runs as a whole. */
static int grouped_run_rows(tally_column_job *job, tally_grouped_lanes *lanes,
                            const tally_strings_reader *all, const tally_column_batch *batch,
                            const tally_groups *groups, uint8_t *row_status)
{
    tally_grouped_row rows[GROUPED_SOME];
    lanes->first = batch->first;
    for (size_t group = 0, i = 0; group < TALLY_GROUPS_NONE; group++) {
        const size_t end = groups->end[group];
        if (job->rows + (end - i) > TALLY_FAST_ROWS) {
            tally_each_row_flush(job);
        }
        while (i < end) {
            const size_t some = end - i < GROUPED_SOME ? end - i : GROUPED_SOME;
            if (!grouped_next_rows(job, all, batch, groups, i, some, rows)) {
                return 0;
            }
            grouped_run_some(job, lanes, rows, some, row_status);
            i += some;
        }
    }
    tally_grouped_lanes_flush(job, lanes, row_status);
    tally_each_row_flush(job);
    return 1;
}

/* How many rows are grouped together. Few tweaks meet among few rows, which stay in the cache. */
static size_t grouped_most(const tally_column_job *job, const tally_groups *groups)
{
    const tally_shape *shape = job->shape;
    const uint64_t kept = tally_bits_count(shape->keep) + (uint64_t)shape->keep_last;
    uint32_t tweaks = 1;
    if (job->row_tweaks != NULL || shape->keep_after_delimiter || groups->capacity < GROUPED_NEAR) {
        return groups->capacity;
    }
    for (uint64_t i = 0; i < kept && tweaks <= GROUPED_TWEAKS; i++) {
        tweaks *= shape->radix;
    }
    return tweaks <= GROUPED_TWEAKS ? GROUPED_NEAR : groups->capacity;
}

/* Runs the next rows of the column, as many as can be grouped. Returns 0 if offsets have changed. */
static int grouped_run_next(tally_column_job *job, tally_grouped_lanes *lanes, tally_groups *groups,
                            tally_strings_reader *reader, const tally_strings_reader *all,
                            tally_column_batch *batch, uint8_t *row_status)
{
    const uint64_t first = batch->first, left = reader->strings->rows - first;
    const size_t most = grouped_most(job, groups), rows = left < most ? (size_t)left : most;
    tally_groups_clear(groups, rows);
    memset(row_status + first, TALLY_ROW_OK, rows);
    for (size_t done = 0; done < rows; done += batch->count) {
        batch->first = first + done;
        batch->count = rows - done < GROUPED_BLOCK ? rows - done : GROUPED_BLOCK;
        if (!grouped_take_block(job, reader, batch, groups)) {
            return 0;
        }
    }
    tally_groups_sort(groups);
    if (!tally_groups_gain(groups)) {
        tally_groups_undo(groups);
    }
    batch->first = first;
    batch->count = rows;
    return grouped_run_rows(job, lanes, all, batch, groups, row_status);
}

int tally_grouped_run(tally_column_job *job, tally_groups *groups, tally_strings_reader *reader,
                      tally_column_batch *batch, uint8_t *row_status)
{
    const tally_strings_reader all = *reader;
    const uint64_t rows = reader->strings->rows;
    tally_grouped_lanes lanes;
    int done = 1;
    tally_grouped_lanes_init(job, &lanes);
    for (; batch->first < rows && done; batch->first += batch->count) {
        done = grouped_run_next(job, &lanes, groups, reader, &all, batch, row_status);
    }
    tally_grouped_lanes_wipe(job, &lanes);
    return done;
}
