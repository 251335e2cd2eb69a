/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text, batch by batch: one pass over the values. */
#include "columns/columns.h"

#include <string.h>

#include "columns/job.h"
#include "columns/symbols.h"

_Static_assert(sizeof(tally_column_memory) <= TALLY_FAST_WORKSPACE, "a workspace holds it");

void tally_column_copy(const tally_column_batch *batch, size_t first, size_t count)
{
    uint64_t start = batch->start[first], end = batch->start[first + count];
    if (end > start && batch->values != batch->source) {
        memcpy(batch->values + start, batch->source + start, (size_t)(end - start));
    }
}

/* Lists the rows of a batch from number batch->done on. */
static void columns_list_rows(tally_column_batch *batch)
{
    for (size_t i = batch->done; i < batch->count; i++) {
        batch->rows[i - batch->done] = (uint16_t)i;
    }
    batch->pending = batch->count - batch->done;
}

/* Reads where the rows of a batch are. Returns 0 if another thread has changed the offsets since
 * they were checked. */
static int columns_read_rows(tally_strings_reader *reader, tally_column_batch *batch)
{
    if (!tally_strings_read(reader, batch->count, batch->start, &batch->common)) {
        return 0;
    }
    for (size_t i = 0; batch->moved != 0 && i <= batch->count; i++) {
        batch->start[i] -= batch->moved;
    }
    return 1;
}

/* Lists the rows of a batch that are not null, and zeroes null ones. Returns whether there are null
 * rows. */
static int columns_drop_null_rows(const tally_strings *column, tally_column_batch *batch)
{
    batch->pending = 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->rows[batch->pending] = (uint16_t)i;
        batch->pending += !tally_row_is_null(column, batch->first + i);
    }
    if (batch->pending == batch->count) {
        return 0;
    }
    batch->common = 0;
    tally_column_copy(batch, 0, batch->count);
    batch->copied = 1;
    for (size_t i = 0, next = 0; i < batch->count; i++) { /* null rows are not in the list */
        if (next < batch->pending && batch->rows[next] == i) {
            next++;
        } else if (tally_column_size(batch, i) != 0) {
            memset(batch->values + batch->start[i], 0, (size_t)tally_column_size(batch, i));
        }
    }
    return 1;
}

static void columns_count_statuses(const uint8_t *status, size_t left, tally_column_report *report)
{
    for (; left >= 8; left -= 8, status += 8) {
        uint64_t eight;
        memcpy(&eight, status, 8);
        if (eight != 0) {
            break;
        }
        report->rows[TALLY_ROW_OK] += 8;
    }
    for (; left > 0; left--) {
        report->rows[*status++]++;
    }
}

/* The rows of a column's next batch. Rows of 16 bytes are moved four at a time. So in a long column
 * the first batch leaves out a few of them if the next one then begins at a cache line: see
 * fast/words/run.c. */
static size_t columns_batch_rows(const tally_column_batch *batch, uint64_t left, uint64_t each)
{
    enum { COLUMNS_LINE = 64, COLUMNS_LONG = 16 * TALLY_FAST_ROWS };
    const size_t rows = left < TALLY_FAST_ROWS ? (size_t)left : TALLY_FAST_ROWS;
    if (batch->first != 0 || left < COLUMNS_LONG || 4 * each != COLUMNS_LINE) {
        return rows;
    }
    return rows - (size_t)((uintptr_t)batch->values % COLUMNS_LINE / each);
}

/* Runs a batch. Returns 0 if another thread has changed the offsets since they were checked. */
static int columns_run_batch(tally_column_job *job, tally_strings_reader *reader,
                             tally_column_batch *batch)
{
    tally_strings_reader before = *reader;
    const int listed = reader->each == 0 || reader->strings->validity != NULL;
    batch->begin = reader->at - batch->moved;
    batch->common = reader->each;
    batch->copied = 0;
    batch->done = 0;
    memset(batch->status, TALLY_ROW_OK, batch->count);
    if (!listed) {
        tally_strings_skip(reader, batch->count);
    } else if (!columns_read_rows(reader, batch)) {
        return 0;
    }
    if (reader->strings->validity == NULL || !columns_drop_null_rows(reader->strings, batch)) {
        batch->done = tally_same_layout_run_packed(job, batch);
        if (batch->done == batch->count) {
            job->report->rows[TALLY_ROW_OK] += batch->count;
            return 1;
        }
        columns_list_rows(batch);
    }
    if (!listed && !columns_read_rows(&before, batch)) {
        return 0;
    }
    tally_same_layout_run(job, batch);
    tally_each_row_run(job, batch);
    columns_count_statuses(batch->status, batch->count, job->report);
    return 1;
}

tally_status tally_fast_column(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                               tally_direction direction, const tally_shape *shape,
                               const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
                               const tally_strings *row_tweaks, uint8_t *values_out,
                               uint8_t *row_status, tally_column_report *report)
{
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    tally_strings_reader reader, tweaks = {0};
    if (!tally_shape_fits(shape) || !tally_strings_init(column, &reader) ||
        tweak_size > TALLY_FAST_MAX_ROW_TWEAK ||
        (row_tweaks != NULL &&
         (row_tweaks->rows != column->rows || !tally_strings_init(row_tweaks, &tweaks)))) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(report, 0, sizeof *report);
    if (column->rows == 0) {
        return TALLY_OK;
    }
    tally_column_memory *memory = (tally_column_memory *)(void *)workspace->memory;
    tally_column_job job = {.cipher = cipher,
                            .memory = memory,
                            .shape = shape,
                            .direction = direction,
                            .delimiters = tally_shape_delimiters(shape),
                            .report = report,
                            .row_tweaks = row_tweaks != NULL ? &tweaks : NULL,
                            .common_tweak = tweak_size};
    if (tweak_size != 0) {
        memcpy(job.tweak, tweak, tweak_size);
    }
    job.has_tables = tally_translate_tables_init(shape, &job.tables);
    tally_same_layout_init(&job);
    tally_each_row_init(&job);
    tally_column_batch batch = {.end = reader.end,
                                .start = memory->starts,
                                .source = column->values,
                                .values = values_out,
                                .rows = memory->pending};
    if (reader.at != 0) {
        batch.moved = reader.at;
        batch.end -= reader.at;
        batch.source += reader.at;
    }
    tally_groups *groups =
        tally_grouped_applies(&job)
            ? tally_groups_init(workspace->grouping, workspace->grouping_size, column->rows)
            : NULL;
    tally_status status = TALLY_OK;
    if (groups != NULL) {
        if (tally_grouped_run(&job, groups, &reader, &batch, row_status)) {
            columns_count_statuses(row_status, (size_t)column->rows, report);
        } else {
            status = TALLY_ERROR_ARGUMENT;
        }
    }
    for (; batch.first < column->rows && status == TALLY_OK; batch.first += batch.count) {
        batch.count = columns_batch_rows(&batch, column->rows - batch.first, reader.each);
        batch.status = row_status + batch.first;
        if (!columns_run_batch(&job, &reader, &batch)) {
            status = TALLY_ERROR_ARGUMENT;
        }
    }
    tally_same_layout_wipe(&job);
    tally_each_row_wipe(&job);
    const tally_status run = tally_fast_cipher_take_status(cipher);
    return status != TALLY_OK ? status : run;
}
