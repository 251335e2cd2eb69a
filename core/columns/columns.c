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

/* Begins a batch: lists its rows, and zeroes null ones. Returns 0 if another thread has changed the
 * offsets since they were checked. */
static int columns_batch_init(tally_strings_reader *reader, uint64_t *start,
                              tally_column_batch *batch)
{
    const tally_strings *column = reader->strings;
    if (!tally_strings_read(reader, batch->count, start, &batch->common)) {
        return 0;
    }
    for (size_t i = 0; batch->moved != 0 && i <= batch->count; i++) {
        start[i] -= batch->moved;
    }
    batch->start = start;
    batch->copied = 0;
    memset(batch->status, TALLY_ROW_OK, batch->count);
    batch->pending = 0;
    if (column->validity == NULL) {
        for (size_t i = 0; i < batch->count; i += TALLY_STRINGS_RUN) { /* may write past the last */
            for (size_t j = 0; j < TALLY_STRINGS_RUN; j++) {
                batch->rows[i + j] = (uint16_t)(i + j);
            }
        }
        batch->pending = batch->count;
        return 1;
    }
    for (size_t i = 0; i < batch->count; i++) {
        batch->rows[batch->pending] = (uint16_t)i;
        batch->pending += !tally_row_is_null(column, batch->first + i);
    }
    if (batch->pending == batch->count) {
        return 1;
    }
    batch->common = 0;
    tally_column_copy(batch, 0, batch->count);
    batch->copied = 1;
    for (size_t i = 0, next = 0; i < batch->count; i++) { /* null rows are not in the list */
        if (next < batch->pending && batch->rows[next] == i) {
            next++;
        } else if (tally_column_size(batch, i) != 0) {
            memset(batch->values + start[i], 0, (size_t)tally_column_size(batch, i));
        }
    }
    return 1;
}

static void columns_count_statuses(const tally_column_batch *batch, tally_column_report *report)
{
    const uint8_t *status = batch->status;
    size_t left = batch->count;
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
    tally_column_batch batch = {
        .end = reader.end, .source = column->values, .values = values_out, .rows = memory->pending};
    if (reader.at != 0) {
        batch.moved = reader.at;
        batch.end -= reader.at;
        batch.source += reader.at;
    }
    tally_status status = TALLY_OK;
    for (; batch.first < column->rows; batch.first += batch.count) {
        uint64_t rows = column->rows - batch.first;
        batch.count = rows < TALLY_FAST_ROWS ? (size_t)rows : TALLY_FAST_ROWS;
        batch.status = row_status + batch.first;
        if (!columns_batch_init(&reader, memory->starts, &batch)) {
            status = TALLY_ERROR_ARGUMENT;
            break;
        }
        tally_same_layout_run(&job, &batch);
        tally_each_row_run(&job, &batch);
        columns_count_statuses(&batch, report);
    }
    tally_same_layout_wipe(&job);
    tally_each_row_wipe(&job);
    return status;
}
