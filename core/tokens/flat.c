/* SPDX-License-Identifier: Apache-2.0
 *
 * Flat columns through a format: text with offsets, and values of a fixed size. */
#include <string.h>

#include "base/writer.h"
#include "tokens/column.h"

tally_status tally_tokens_problem(tokens_call *call, tally_status status, const char *place,
                                  const char *text, const char *more)
{
    tally_writer writer;
    tally_writer_problem(&writer, call->problem);
    tally_write(&writer, text);
    tally_write(&writer, more);
    tally_writer_init(&writer, call->problem->place, sizeof call->problem->place);
    tally_write(&writer, place);
    return status;
}

tally_status tally_tokens_damaged(tokens_call *call, const char *place, const char *why)
{
    return tally_tokens_problem(call, TALLY_ERROR_ARRAY, place, "a damaged Arrow array: ", why);
}

int tally_tokens_is_flat(const tally_arrow_type *type)
{
    switch (type->kind) {
    case TALLY_ARROW_TEXT:
    case TALLY_ARROW_BINARY:
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
    case TALLY_ARROW_INTEGER:
    case TALLY_ARROW_FLOAT:
    case TALLY_ARROW_DECIMAL:
    case TALLY_ARROW_DATE:
    case TALLY_ARROW_TIMESTAMP:
        return 1;
    default:
        return 0;
    }
}

void *tally_tokens_offsets_capacity(tokens_call *call, tokens_result *result)
{
    return call->worker->tokenizer->format->keeps_size
               ? result->offsets
               : tokens_scratch_many(call->worker, TOKENS_OFFSETS, result->rows + 1,
                                     result->type.width);
}

tally_status tally_tokens_open_text(tokens_call *call, const tally_array *array, const char *place,
                                    void *offsets, tokens_column *out)
{
    static const uint8_t nothing[1];
    const uint32_t width = array->type.width;
    const char *why;
    uint64_t start;
    if (!tally_offsets_copy(array->buffers[1], width, array->offset, array->rows, offsets, &start,
                            &why) ||
        !tally_array_has_text(array, start + tokens_offset(offsets, width, array->rows), &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    out->type = array->type;
    out->offsets = offsets;
    out->size = tokens_offset(offsets, width, array->rows);
    if (out->size > 0 && array->buffers[2] == NULL) {
        return tally_tokens_damaged(call, place, "its values are missing");
    }
    out->values = array->buffers[2] == NULL ? nothing : (const uint8_t *)array->buffers[2] + start;
    return TALLY_OK;
}

static tally_status flat_open_text(tokens_call *call, const tally_array *array, const char *place,
                                   tokens_column *out, tokens_result *result)
{
    const tally_status status = tally_tokens_result_new(call, &array->type, array->rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    void *offsets = tally_tokens_offsets_capacity(call, result);
    return offsets == NULL ? TALLY_ERROR_MEMORY
                           : tally_tokens_open_text(call, array, place, offsets, out);
}

/* Copies values of a fixed size: so they are aligned, and nobody else changes them. */
static tally_status flat_open_fixed(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result)
{
    const uint32_t width = array->type.width;
    tally_status status = tally_tokens_result_new(call, &array->type, array->rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    if (array->rows > SIZE_MAX / 2 / (width == 0 ? 1 : width)) {
        return TALLY_ERROR_MEMORY;
    }
    const uint8_t *values = array->buffers[1];
    if (array->rows > 0 && width > 0) {
        if (values == NULL) {
            return tally_tokens_damaged(call, place, "its values are missing");
        }
        memcpy(result->values, values + array->offset * width, (size_t)(array->rows * width));
    }
    out->type = array->type;
    out->values = result->values;
    return TALLY_OK;
}

void tally_tokens_mask(const tokens_call *call, uint8_t *validity, uint64_t rows, uint64_t *nulls)
{
    if (call->mask == NULL) {
        return;
    }
    *nulls = 0;
    for (uint64_t i = 0; i < rows; i += 8) {
        unsigned byte = validity[i / 8] &= call->mask[i / 8];
        for (*nulls += rows - i < 8 ? rows - i : 8; byte != 0; byte &= byte - 1) {
            --*nulls;
        }
    }
}

tally_status tally_tokens_open_flat(tokens_call *call, const tally_array *array, const char *place,
                                    tokens_column *out, tokens_result *result)
{
    memset(out, 0, sizeof *out);
    memset(result, 0, sizeof *result);
    tally_status status;
    if (tally_arrow_is_view(&array->type)) {
        status = tally_tokens_gather_views(call, array, place, TOKENS_OFFSETS, TOKENS_VALUES,
                                           result, out);
    } else if (tally_arrow_is_text(&array->type)) {
        status = flat_open_text(call, array, place, out, result);
    } else {
        status = flat_open_fixed(call, array, place, out, result);
    }
    if (status != TALLY_OK) {
        return status;
    }
    out->rows = array->rows;
    const char *why;
    if (!tally_array_validity(array, result->validity, &result->nulls, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    tally_tokens_mask(call, result->validity, result->rows, &result->nulls);
    out->nulls = result->nulls;
    out->validity = result->nulls > 0 ? result->validity : NULL;
    return TALLY_OK;
}

/* Makes room for more bytes of text. */
static int flat_grow(tally_text_out *out, uint64_t more)
{
    tokens_result *result = out->context;
    tokens_owned *owned = result->owned;
    const uint64_t wanted = out->size + more;
    if (wanted < more || wanted > INT64_MAX / 4) {
        return 0;
    }
    const uint64_t capacity = wanted + wanted / 2;
    void *old = owned->blocks[1].memory;
    const size_t old_size = owned->blocks[1].size;
    uint8_t *grown = tally_tokens_owned_block(owned, 1, capacity);
    if (grown == NULL) {
        return 0;
    }
    memcpy(grown, out->values, (size_t)out->size);
    tally_release_wiped(&owned->allocator, old, old_size);
    out->values = grown;
    out->capacity = capacity;
    return 1;
}

static tally_status flat_run_text(tokens_call *call, const tokens_column *column,
                                  tokens_result *result, uint8_t *status_out)
{
    const tally_format *format = call->worker->tokenizer->format;
    const uint32_t width = column->type.width;
    tally_text_column text = {.in = {.offsets = column->offsets,
                                     .offset_size = width,
                                     .validity = column->validity,
                                     .values = column->values,
                                     .rows = column->rows},
                              .status = status_out};
    const uint64_t capacity =
        column->size + (format->keeps_size ? 0 : column->size / 4 + 8 * column->rows);
    result->values = tally_tokens_owned_block(result->owned, 1, capacity);
    if (result->values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (format->keeps_size) {
        text.values = result->values;
        result->size = column->size;
        return format->of->text(format, &call->worker->run, &text);
    }
    tally_text_out out = {.values = result->values,
                          .capacity = capacity,
                          .offsets = result->offsets,
                          .offset_size = width,
                          .most = width == 4 ? INT32_MAX : INT64_MAX,
                          .grow = flat_grow,
                          .context = result};
    tokens_set_offset(out.offsets, width, 0, 0);
    text.out = &out;
    const tally_status status = format->of->text(format, &call->worker->run, &text);
    result->values = out.values;
    result->size = out.size;
    if (status == TALLY_OK && out.size > out.most) {
        return tally_tokens_problem(
            call, TALLY_ERROR_CAPACITY, "values",
            "the tokens have more than 2147483647 bytes, which one array of this "
            "type can't hold; cast the column to large_string",
            "");
    }
    return status;
}

tally_status tally_tokens_run(tokens_call *call, const tokens_column *column, tokens_result *result,
                              uint8_t **status_out)
{
    tally_worker *worker = call->worker;
    const tally_format *format = worker->tokenizer->format;
    uint8_t *reasons = tally_tokens_scratch(worker, TOKENS_STATUS, column->rows + 8);
    if (reasons == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    *status_out = reasons;
    worker->run.row_tweaks = call->row_tweaks;
    memset(reasons + column->rows, 0, 8);
    if (tally_arrow_is_text(&column->type)) {
        return flat_run_text(call, column, result, reasons);
    }
    if (format->of->fixed == NULL) {
        return TALLY_ERROR_ARGUMENT; /* what tally_format_takes refuses */
    }
    tally_fixed_column fixed = {.type = &column->type,
                                .values = column->values,
                                .validity = column->validity,
                                .rows = column->rows,
                                .status = reasons,
                                .out = result->values};
    return format->of->fixed(format, &worker->run, &fixed);
}

/* The first row from `row` on whose status is not 0. There are eight zeros behind the last. */
static uint64_t flat_next_invalid(const uint8_t *status, uint64_t row, uint64_t rows)
{
    while (row < rows) {
        uint64_t eight;
        memcpy(&eight, status + row, 8);
        if (eight == 0) {
            row += 8;
            continue;
        }
        while (status[row] == 0) {
            row++;
        }
        return row < rows ? row : rows;
    }
    return rows;
}

void tally_tokens_make_null(tokens_result *result, const uint8_t *status)
{
    const uint64_t rows = result->rows;
    const uint32_t width = result->type.width;
    uint64_t at = 0, to = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const int gone = status[i] != 0;
        if (gone && tokens_is_valid(result->validity, i)) {
            result->validity[i / 8] &= (uint8_t) ~(1U << i % 8);
            result->nulls++;
        }
        if (!tally_arrow_is_text(&result->type)) {
            if (gone) {
                memset(result->values + i * width, 0, width);
            }
            continue;
        }
        const uint64_t end = tokens_offset(result->offsets, width, i + 1);
        if (!gone) {
            if (to != at) {
                memmove(result->values + to, result->values + at, (size_t)(end - at));
            }
            to += end - at;
        }
        tokens_set_offset(result->offsets, width, i + 1, to);
        at = end;
    }
    if (tally_arrow_is_text(&result->type)) {
        tally_wipe(result->values + to, (size_t)(result->size - to));
        result->size = to;
    }
}

/* The rows of a small domain, where each row of the column stands for some of the array. */
static void flat_count_small(tokens_call *call, const tokens_column *column, const uint8_t *status,
                             const tokens_use *uses)
{
    const tally_format *format = call->worker->tokenizer->format;
    const uint64_t small = call->worker->run.small;
    if (uses == NULL || small == 0) {
        call->counts.small += small;
        return;
    }
    uint64_t valid = 0, all = 0;
    for (uint64_t i = 0; i < column->rows; i++) {
        const int counts = tokens_is_valid(column->validity, i) && status[i] == 0;
        valid += (uint64_t)counts;
        all += counts ? uses[i].count : 0;
    }
    if (small == valid || !tally_arrow_is_text(&column->type)) {
        call->counts.small += all;
        return;
    }
    const uint32_t width = column->type.width;
    for (uint64_t i = 0; i < column->rows; i++) {
        if (tokens_is_valid(column->validity, i) && status[i] == 0) {
            const uint64_t start = tokens_offset(column->offsets, width, i);
            const uint64_t end = tokens_offset(column->offsets, width, i + 1);
            tally_domain domain;
            tally_format_domain_of(format, column->values + start, (size_t)(end - start), &domain);
            call->counts.small += domain.size < TALLY_SMALL_DOMAIN ? uses[i].count : 0;
        }
    }
}

static tally_status flat_first_invalid(tokens_call *call, const tokens_column *column,
                                       const uint8_t *status, const tokens_use *uses)
{
    const uint64_t none = column->rows;
    uint64_t at = none, row = UINT64_MAX;
    for (uint64_t i = flat_next_invalid(status, 0, none); i < none;
         i = flat_next_invalid(status, i + 1, none)) {
        const uint64_t first = uses == NULL ? i : uses[i].first;
        if (first < row && (uses == NULL || uses[i].count > 0)) {
            at = i;
            row = first;
        }
        if (uses == NULL) {
            break;
        }
    }
    if (at == none) {
        return TALLY_OK;
    }
    tally_invalid *invalid = call->invalid;
    memset(invalid, 0, sizeof *invalid);
    invalid->row = row;
    invalid->fault.reason = (tally_reason)status[at];
    if (tally_arrow_is_text(&column->type)) {
        const uint64_t start = tokens_offset(column->offsets, column->type.width, at);
        const uint64_t end = tokens_offset(column->offsets, column->type.width, at + 1);
        tally_format_explain(call->worker->tokenizer->format, column->values + start,
                             (size_t)(end - start), (tally_reason)status[at], &invalid->fault);
    }
    return TALLY_ERROR_INVALID;
}

tally_status tally_tokens_apply_on_invalid(tokens_call *call, const tokens_column *column,
                                           uint8_t *status, const tokens_use *uses,
                                           tokens_result *result)
{
    const uint64_t rows = column->rows;
    const tally_on_invalid on_invalid = call->worker->tokenizer->on_invalid;
    flat_count_small(call, column, status, uses);
    uint64_t row = flat_next_invalid(status, 0, rows);
    if (row < rows && (call->reasons != NULL || on_invalid == TALLY_INVALID_KEEP)) {
        result->owned->in_clear = call->in_clear = 1;
    }
    if (call->reasons != NULL) {
        memcpy(call->reasons, status, (size_t)rows);
        return TALLY_OK;
    }
    if (row == rows) {
        return TALLY_OK;
    }
    if (on_invalid == TALLY_INVALID_ERROR) {
        const tally_status refused = flat_first_invalid(call, column, status, uses);
        if (refused != TALLY_OK) {
            return refused;
        }
    }
    for (; row < rows; row = flat_next_invalid(status, row + 1, rows)) {
        call->counts.invalid[status[row] % 16] += uses == NULL ? 1 : uses[row].count;
        if (on_invalid == TALLY_INVALID_KEEP && (uses == NULL || uses[row].count > 0)) {
            status[row] = 0;
        }
    }
    if (on_invalid != TALLY_INVALID_KEEP || uses != NULL) {
        tally_tokens_make_null(result, status);
    }
    return TALLY_OK;
}
