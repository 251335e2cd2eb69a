/* SPDX-License-Identifier: Apache-2.0
 *
 * Text views, gathered into text with offsets. */
#include <string.h>

#include "base/barrier.h"
#include "tokens/column.h"

#define VIEWS_OUTSIDE "a view is outside its buffer"
#define VIEWS_PREFIX  "a view begins otherwise than its text"

/* Sums up the bytes of all views that are valid, as long as nobody changes them. Returns 0 if one is
 * damaged: before memory is taken for what it says. */
static int views_size(const tally_array *array, uint64_t *size)
{
    const uint8_t *views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    *size = 0;
    for (uint64_t i = 0; i < array->rows; i++) {
        tally_text_view view;
        memcpy(&view, views + 16 * i, sizeof view);
        if (!tokens_is_valid(array->validity, array->offset + i)) {
            continue;
        }
        if (view.size < 0 ||
            (view.size > TALLY_VIEW_INLINED && tally_array_view(array, &view) == NULL)) {
            return 0;
        }
        *size += (uint64_t)view.size;
    }
    return 1;
}

/* Gathers texts, with their offsets from 0 on. `values` has room for `size` bytes, and for a short
 * text more. Returns 0 and *why if a view is damaged, or was changed. */
static int views_gather(const tally_array *array, void *offsets, uint32_t width, uint8_t *values,
                        uint64_t size, uint64_t *end, const char **why)
{
    const uint8_t *views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    uint64_t at = 0;
    *why = VIEWS_OUTSIDE;
    tokens_set_offset(offsets, width, 0, 0);
    for (uint64_t i = 0; i < array->rows; i++) {
        tally_text_view view;
        memcpy(&view, views + 16 * i, sizeof view);
        TALLY_MEMORY_BARRIER();
        if (tokens_is_valid(array->validity, array->offset + i)) {
            if (view.size < 0 || (uint64_t)view.size > size - at) {
                return 0;
            }
            if (view.size <= TALLY_VIEW_INLINED) {
                memcpy(values + at, view.at.inlined, TALLY_VIEW_INLINED);
            } else {
                const uint8_t *bytes = tally_array_view(array, &view);
                if (bytes == NULL) {
                    return 0;
                }
                tokens_copy(values + at, bytes, (uint64_t)view.size);
                if (memcmp(values + at, view.at.in.prefix, sizeof view.at.in.prefix) != 0) {
                    *why = VIEWS_PREFIX;
                    return 0;
                }
            }
            at += (uint64_t)view.size;
        }
        tokens_set_offset(offsets, width, i + 1, at);
    }
    *end = at;
    return 1;
}

tally_status tally_tokens_gather_views(tokens_call *call, const tally_array *array,
                                       const char *place, unsigned offsets_piece,
                                       unsigned values_piece, tokens_result *result,
                                       tokens_column *out)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = array->rows;
    if (rows > 0 && array->buffers[1] == NULL) {
        return tally_tokens_damaged(call, place, "its views are missing");
    }
    uint64_t size = 0;
    if (rows > 0 && !views_size(array, &size)) {
        return tally_tokens_damaged(call, place, VIEWS_OUTSIDE);
    }
    memset(out, 0, sizeof *out);
    const int is_text = array->type.kind == TALLY_ARROW_TEXT_VIEW;
    (void)tally_arrow_type_read(
        is_text ? (size > INT32_MAX ? "U" : "u") : (size > INT32_MAX ? "Z" : "z"), &out->type);
    const uint32_t width = out->type.width;
    void *offsets;
    if (result != NULL) {
        const tally_status status = tally_tokens_result_new(call, &out->type, rows, result);
        if (status != TALLY_OK) {
            return status;
        }
        offsets = tally_tokens_offsets_capacity(call, result);
    } else {
        offsets = tokens_scratch_many(worker, offsets_piece, rows + 1, width);
    }
    uint8_t *values = tally_tokens_scratch(worker, values_piece, size + TALLY_VIEW_INLINED);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t at = 0;
    const char *why;
    tokens_set_offset(offsets, width, 0, 0);
    if (rows > 0 && !views_gather(array, offsets, width, values, size, &at, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    out->rows = rows;
    out->offsets = offsets;
    out->values = values;
    out->size = at;
    return TALLY_OK;
}
