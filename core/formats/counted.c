/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of ranks: blocks of text, one value, and the permutation. */
#include "formats/counted.h"

#include "fast/words/by_direction.h"
#include "fast/words/row_tweaks.h"

enum { COUNTED_ROWS = TALLY_BLOCK_ROWS };

tally_status tally_counted_init(tally_format *format, tally_counted *counted, uint64_t size)
{
    const tally_status status = tally_fast_range_params(size, &counted->params);
    if (status != TALLY_OK) {
        return status;
    }
    counted->size = size;
    format->work = tally_format_layers(counted->params.radix, counted->params.length, 1);
    format->smallest = tally_domain_of_size(size != 0 ? size : UINT64_MAX);
    return TALLY_OK;
}

static inline int counted_is_null(const tally_counted_block *block, size_t row)
{
    const uint64_t bit = block->validity_start + row;
    return block->validity != NULL && (block->validity[bit / 8] >> bit % 8 & 1) == 0;
}

/* Whether a row's tweak is null or too long. */
static int counted_loses_tweak(const tally_strings *tweaks, size_t row, uint64_t capacity)
{
    const uint64_t start = tally_offset_once(tweaks, row), end = tally_offset_once(tweaks, row + 1);
    return tally_row_is_null(tweaks, row) || end - start > capacity;
}

/* Permutes ranks under one tweak: all, or chosen ones. */
static tally_status counted_permute_column(const tally_counted *counted, tally_run *run,
                                           const tally_counted_block *block, size_t count)
{
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    uint64_t *ranks = block->ranks;
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (count < block->rows) {
        ranks = block->spare;
        for (size_t i = 0, k = 0; k < count; i++) {
            ranks[k] = block->ranks[i];
            k += block->chosen[i];
        }
    }
    const tally_status status =
        tally_fast_range_by(cipher, run->direction, &counted->params, counted->size, run->tweak,
                            run->tweak_size, ranks, count, ranks);
    if (count < block->rows) {
        for (size_t i = 0, k = 0; k < count; i++) {
            if (block->chosen[i] != 0) {
                block->ranks[i] = ranks[k++];
            }
        }
    }
    return status;
}

/* One rank under a tweak of its own: sorting by tweak, as for rows, would take longer. */
static tally_status counted_permute_one(const tally_counted *counted, tally_run *run,
                                        const tally_counted_block *block)
{
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
    const uint64_t start = tally_offset_once(block->row_tweaks, 0);
    const uint64_t size = tally_offset_once(block->row_tweaks, 1) - start;
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (size > sizeof tweak - run->tweak_size) { /* another thread has changed it */
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(tweak, run->tweak, run->tweak_size);
    if (size != 0) {
        memcpy(tweak + run->tweak_size, block->row_tweaks->values + start, (size_t)size);
    }
    return tally_fast_range_by(cipher, run->direction, &counted->params, counted->size, tweak,
                               run->tweak_size + (size_t)size, block->ranks, 1, block->ranks);
}

size_t tally_counted_choose(const tally_run *run, const tally_counted_block *block)
{
    const tally_strings *tweaks = block->row_tweaks;
    size_t count = 0;
    if (tweaks != NULL) {
        const uint64_t capacity = run->tweak_size < TALLY_FAST_MAX_ROW_TWEAK
                                      ? TALLY_FAST_MAX_ROW_TWEAK - run->tweak_size
                                      : 0;
        for (size_t i = 0; i < block->rows; i++) {
            if (block->status[i] == 0 && counted_loses_tweak(tweaks, i, capacity)) {
                block->status[i] = TALLY_REASON_TWEAK;
            }
        }
    }
    for (size_t i = 0; i < block->rows; i++) {
        const int is_null = counted_is_null(block, i);
        block->chosen[i] = (uint8_t)(block->status[i] == 0 && !is_null);
        block->status[i] = is_null ? 0 : block->status[i];
        count += block->chosen[i];
    }
    return count;
}

tally_status tally_counted_permute(const tally_counted *counted, tally_run *run,
                                   const tally_counted_block *block)
{
    const tally_strings *tweaks = block->row_tweaks;
    const size_t count = tally_counted_choose(run, block);
    if (counted->size != 0 && counted->size < TALLY_SMALL_DOMAIN) {
        run->small += count;
    }
    if (count == 0) {
        return TALLY_OK;
    }
    if (tweaks == NULL) {
        return counted_permute_column(counted, run, block, count);
    }
    if (block->rows == 1) {
        return counted_permute_one(counted, run, block);
    }
    tally_fast_cipher *cipher = run->cipher(run, counted->params.radix);
    tally_fast_workspace *workspace = run->workspace(run);
    if (cipher == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    return tally_fast_range_rows(cipher, workspace, run->direction, counted->size, run->tweak,
                                 run->tweak_size, tweaks, block->chosen, block->ranks,
                                 block->ranks);
}

tally_status tally_counted_run(const tally_counted *counted, tally_run *run,
                               const tally_counted_block *block)
{
    return counted->permute != NULL ? counted->permute(counted, run, block)
                                    : tally_counted_permute(counted, run, block);
}

/* The memory of a call. */
typedef struct counted_scratch {
    uint64_t start[COUNTED_ROWS + 1], end[COUNTED_ROWS], ranks[COUNTED_ROWS], spare[COUNTED_ROWS];
    uint8_t chosen[COUNTED_ROWS];
} counted_scratch;

/* Writes a block of tokens that have sizes of their own. */
static tally_status counted_append(const tally_counted *counted, const tally_counted_rows *rows,
                                   const uint8_t *chosen, uint64_t *end, tally_text_out *out)
{
    const uint64_t most = (uint64_t)rows->rows * counted->most + TALLY_COUNTED_SLACK +
                          (rows->start[rows->rows] - rows->start[0]);
    const tally_status status = tally_text_out_reserve(out, most);
    if (status != TALLY_OK) {
        return status;
    }
    counted->write(counted, rows, chosen, out->values + out->size, end);
    uint64_t at = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        tally_text_out_end(out, end[i] - at);
        at = end[i];
    }
    return TALLY_OK;
}

/* Writes a block of tokens over their values. */
static void counted_replace(const tally_counted *counted, const tally_counted_rows *rows,
                            const uint8_t *chosen, int has_nulls, uint8_t *out)
{
    const uint64_t first = rows->start[0], size = rows->start[rows->rows] - first;
    if (size != 0 && out != rows->values + first) {
        memcpy(out, rows->values + first, (size_t)size);
    }
    for (size_t i = 0; has_nulls && i < rows->rows; i++) {
        if (chosen[i] == 0 && rows->status[i] == 0 && rows->start[i + 1] != rows->start[i]) {
            memset(out + (rows->start[i] - first), 0,
                   (size_t)(rows->start[i + 1] - rows->start[i]));
        }
    }
    counted->overwrite(counted, rows, chosen, out);
}

tally_status tally_counted_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    const tally_counted *counted = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    if (counted->has_no_text) {
        return TALLY_ERROR_TYPE;
    }
    counted_scratch *scratch = run->scratch(run, 0, sizeof *scratch);
    if (scratch == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (!tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t first = reader.at;
    for (uint64_t at = 0; at < in->rows; at += COUNTED_ROWS) {
        const size_t count = in->rows - at < COUNTED_ROWS ? (size_t)(in->rows - at) : COUNTED_ROWS;
        uint64_t common;
        if (!tally_strings_read(&reader, count, scratch->start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        const tally_counted_rows rows = {.values = in->values,
                                         .start = scratch->start,
                                         .limit = reader.end,
                                         .rows = count,
                                         .ranks = scratch->ranks,
                                         .status = column->status + at};
        tally_strings tweaks;
        tally_counted_block block = {.validity = in->validity,
                                     .validity_start = in->validity_start + at,
                                     .rows = count,
                                     .ranks = scratch->ranks,
                                     .spare = scratch->spare,
                                     .status = rows.status,
                                     .chosen = scratch->chosen};
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, at, count);
            block.row_tweaks = &tweaks;
        }
        counted->read(counted, &rows);
        tally_status status = tally_counted_run(counted, run, &block);
        if (status == TALLY_OK && counted->most != 0) {
            status = counted_append(counted, &rows, scratch->chosen, scratch->end, column->out);
        } else if (status == TALLY_OK) {
            counted_replace(counted, &rows, scratch->chosen, in->validity != NULL,
                            column->values + (scratch->start[0] - first));
        }
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

tally_status tally_counted_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_counted *counted = format->own;
    const uint64_t start[2] = {0, one->size};
    uint8_t token[TALLY_COUNTED_MOST + TALLY_COUNTED_SLACK], status = 0, chosen = 1;
    uint64_t rank = 0, spare = 0, end = one->size;
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_counted_rows rows = {.values = one->value,
                                     .start = start,
                                     .limit = one->size,
                                     .rows = 1,
                                     .ranks = &rank,
                                     .status = &status};
    const tally_counted_block block = {.row_tweaks = one->row_tweak != NULL ? &tweaks : NULL,
                                       .rows = 1,
                                       .ranks = &rank,
                                       .spare = &spare,
                                       .status = &status,
                                       .chosen = &chosen};
    if (counted->has_no_text) {
        return TALLY_ERROR_TYPE;
    }
    counted->read(counted, &rows);
    tally_status result = tally_counted_run(counted, run, &block);
    one->reason = (tally_reason)status;
    if (result == TALLY_OK && status == 0) {
        if (counted->most != 0) {
            counted->write(counted, &rows, &chosen, token, &end);
        }
        one->out_size = (size_t)end;
        if (end > one->capacity) {
            result = TALLY_ERROR_CAPACITY;
        } else if (counted->most != 0) {
            memcpy(one->out, token, (size_t)end);
        } else {
            memcpy(one->out, one->value, one->size);
            counted->overwrite(counted, &rows, &chosen, one->out);
        }
    }
    tally_wipe(token, sizeof token);
    tally_wipe(&rank, sizeof rank);
    return result;
}
