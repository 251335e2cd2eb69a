/* SPDX-License-Identifier: Apache-2.0
 *
 * Text views, gathered into text with offsets. */
#include <string.h>

#include "base/barrier.h"
#include "tokens/column.h"

/* Whether view i of a block is to be looked at: a null's may be anything. */
static int views_valid(const tally_array *array, uint64_t row)
{
    return tokens_is_valid(array->validity, array->offset + row);
}

tally_status tokens_gather_views(tokens_call *call, const tally_array *array, const char *place,
                                 unsigned offsets_piece, unsigned values_piece,
                                 tokens_result *result, tokens_column *out)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = array->rows;
    const uint8_t *views = array->buffers[1];
    if (rows > 0 && views == NULL) {
        return tokens_problem(call, TALLY_ERROR_ARRAY, place,
                              "a damaged Arrow array: its views are missing", "");
    }
    /* Sizes are summed up first. They may change until they are read again. */
    uint64_t size = 0;
    for (uint64_t i = 0; i < rows; i++) {
        int32_t own;
        memcpy(&own, views + 16 * (array->offset + i), 4);
        size += own > 0 && views_valid(array, i) ? (uint64_t)own : 0;
    }
    memset(out, 0, sizeof *out);
    const int is_text = array->type.kind == TALLY_ARROW_TEXT_VIEW;
    (void)tally_arrow_type_read(
        is_text ? (size > INT32_MAX ? "U" : "u") : (size > INT32_MAX ? "Z" : "z"), &out->type);
    const uint32_t width = out->type.width;
    void *offsets;
    if (result != NULL) {
        const tally_status status = tokens_result_new(call, &out->type, rows, result);
        if (status != TALLY_OK) {
            return status;
        }
        offsets = tokens_offsets_room(call, result);
    } else {
        offsets = tokens_scratch_many(worker, offsets_piece, rows + 1, width);
    }
    uint8_t *values = tokens_scratch(worker, values_piece, size);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t at = 0;
    tokens_set_offset(offsets, width, 0, 0);
    for (uint64_t i = 0; i < rows; i++) {
        tally_text_view view;
        memcpy(&view, views + 16 * (array->offset + i), sizeof view);
        TALLY_MEMORY_BARRIER();
        if (views_valid(array, i)) {
            const uint8_t *bytes = tally_array_view(array, &view);
            if (bytes == NULL || (uint64_t)view.size > size - at) {
                return tokens_problem(call, TALLY_ERROR_ARRAY, place,
                                      "a damaged Arrow array: a view is outside its buffer", "");
            }
            memcpy(values + at, bytes, (size_t)view.size);
            at += (uint64_t)view.size;
        }
        tokens_set_offset(offsets, width, i + 1, at);
    }
    out->rows = rows;
    out->offsets = offsets;
    out->values = values;
    out->size = at;
    return TALLY_OK;
}
