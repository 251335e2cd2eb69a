/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of results, and the arrays that they become. */
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "tokens/column.h"

/* Behind a text formats may have written more, before it was shorter. */
enum { RESULT_SLACK = 64 };

static uint64_t result_bitmap_size(uint64_t rows)
{
    return (rows / 8 + TALLY_ALIGNMENT) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

void *tally_tokens_owned_block(tokens_owned *owned, unsigned block, uint64_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t whole = (size_t)size + TALLY_ALIGNMENT + 16; /* of which result_view reads some */
    void *memory = tally_allocate(&owned->allocator, whole);
    if (memory == NULL) {
        return NULL;
    }
    owned->blocks[block].memory = memory;
    owned->blocks[block].size = owned->blocks[block].values = whole;
    return tally_align(memory);
}

/* Of memory that nobody wrote to nothing is wiped, so the system need not give it. */
static void result_values_end(tokens_owned *owned, unsigned block, const uint8_t *end)
{
    if (owned->blocks[block].memory != NULL) {
        const size_t size = (size_t)(end - (const uint8_t *)owned->blocks[block].memory);
        const size_t most = owned->blocks[block].size;
        owned->blocks[block].values = most - size > RESULT_SLACK ? size + RESULT_SLACK : most;
    }
}

static void result_release_memory(tokens_owned *owned, int wipe)
{
    const tally_allocator allocator = owned->allocator;
    for (unsigned i = 0; i < TOKENS_BLOCKS; i++) {
        if (owned->blocks[i].memory != NULL && wipe) {
            tally_wipe(owned->blocks[i].memory, owned->blocks[i].values);
        }
        tally_release(&allocator, owned->blocks[i].memory, owned->blocks[i].size);
    }
    tally_release(&allocator, owned, sizeof *owned);
}

/* The callback of arrays. Children and dictionaries of a result have none of their own, so this
 * recursion is at most two deep. */
static void result_release(struct ArrowArray *array)
{
    tokens_owned *owned = array->private_data;
    for (unsigned i = 0; i < TOKENS_CHILDREN; i++) {
        if (owned->nodes[i].release != NULL) {
            owned->nodes[i].release(&owned->nodes[i]);
        }
    }
    if (owned->dictionary.release != NULL) {
        owned->dictionary.release(&owned->dictionary);
    }
    array->release = NULL;
    result_release_memory(owned, owned->in_clear);
}

void tally_tokens_owned_free(tokens_owned *owned)
{
    if (owned == NULL) {
        return;
    }
    for (unsigned i = 0; i < TOKENS_CHILDREN; i++) {
        if (owned->nodes[i].release != NULL) {
            owned->nodes[i].release(&owned->nodes[i]);
        }
    }
    if (owned->dictionary.release != NULL) {
        owned->dictionary.release(&owned->dictionary);
    }
    result_release_memory(owned, 1);
}

tally_status tally_tokens_result_new(tokens_call *call, const tally_arrow_type *type, uint64_t rows,
                                     tokens_result *out)
{
    const tally_allocator *allocator = &call->worker->tokenizer->allocator;
    memset(out, 0, sizeof *out);
    tokens_owned *owned = tally_allocate(allocator, sizeof *owned);
    if (owned == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(owned, 0, sizeof *owned);
    owned->allocator = *allocator;
    owned->in_clear = call->in_clear;
    const uint64_t bitmap = result_bitmap_size(rows);
    const uint64_t items = rows + (tally_arrow_is_text(type) ? 1 : 0);
    uint8_t *memory = type->width != 0 && items > SIZE_MAX / 4 / type->width
                          ? NULL
                          : tally_tokens_owned_block(owned, 0, bitmap + items * type->width);
    if (memory == NULL) {
        tally_tokens_owned_free(owned);
        return TALLY_ERROR_MEMORY;
    }
    out->type = *type;
    out->rows = rows;
    out->validity = memory;
    if (tally_arrow_is_text(type)) {
        out->offsets = memory + bitmap;
    } else {
        out->values = memory + bitmap;
    }
    out->owned = owned;
    return TALLY_OK;
}

void tally_tokens_export_owned(tokens_owned *owned, uint64_t rows, uint64_t nulls, int64_t buffers,
                               int64_t children, struct ArrowArray *out)
{
    memset(out, 0, sizeof *out);
    out->length = (int64_t)rows;
    out->null_count = (int64_t)nulls;
    out->n_buffers = buffers;
    out->buffers = owned->buffers;
    out->n_children = children;
    for (int64_t i = 0; i < children; i++) {
        owned->children[i] = &owned->nodes[i];
    }
    out->children = children > 0 ? owned->children : NULL;
    out->dictionary = owned->dictionary.release != NULL ? &owned->dictionary : NULL;
    out->release = result_release;
    out->private_data = owned;
}

/* Bitmap and offsets hold no values, and the text ends before its memory does. */
static void result_text_ends(const tokens_result *result)
{
    result->owned->blocks[0].values = 0;
    result_values_end(result->owned, 1, result->values + result->size);
}

void tally_tokens_export(tokens_result *result, struct ArrowArray *out)
{
    tokens_owned *owned = result->owned;
    const int is_text = tally_arrow_is_text(&result->type);
    if (is_text) {
        result_text_ends(result);
    }
    owned->buffers[0] = result->nulls > 0 ? result->validity : NULL;
    owned->buffers[1] = is_text ? result->offsets : result->values;
    owned->buffers[2] = result->values;
    tally_tokens_export_owned(owned, result->rows, result->nulls, is_text ? 3 : 2, 0, out);
    result->owned = NULL;
}

/* Writes the view of `size` bytes at values[at]; behind the last values there are 16 bytes more. */
static void result_view(const uint8_t *values, uint64_t at, uint32_t size, uint8_t *out)
{
    const uint32_t offset = (uint32_t)at, first = 0;
    memcpy(out, &size, 4);
    if (size > TALLY_VIEW_INLINED) {
        memcpy(out + 4, values + at, 4);
        memcpy(out + 8, &first, 4);
        memcpy(out + 12, &offset, 4);
        return;
    }
    /* Bytes beyond the text are zeros. */
    uint64_t low = tally_load_le64(values + at);
    uint32_t high = tally_load_le32(values + at + 8);
    low &= size >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
    high &= size == 12 ? UINT32_MAX : size <= 8 ? 0 : ((uint32_t)1 << 8 * (size - 8)) - 1;
    tally_store_le64(low, out + 4);
    tally_store_le32(high, out + 12);
}

tally_status tally_tokens_export_views(tokens_call *call, tokens_result *result,
                                       struct ArrowArray *out)
{
    tokens_owned *owned = result->owned;
    const uint64_t rows = result->rows;
    if (result->size > INT32_MAX) {
        return tally_tokens_problem(
            call, TALLY_ERROR_CAPACITY, "values",
            "the tokens have more than 2147483647 bytes, which one array of text "
            "views can't hold; pass fewer rows at a time",
            "");
    }
    uint8_t *block = tally_tokens_owned_block(owned, 2, 16 * rows + 8);
    if (block == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const uint32_t width = result->type.width;
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t end = tokens_offset(result->offsets, width, i + 1);
        const uint64_t own = tokens_is_valid(result->validity, i) ? end - at : 0;
        result_view(result->values, at, (uint32_t)own, block + 16 * i);
        at = end;
    }
    const int64_t size = (int64_t)result->size;
    result_text_ends(result);
    memcpy(block + 16 * rows, &size, sizeof size);
    owned->buffers[0] = result->nulls > 0 ? result->validity : NULL;
    owned->buffers[1] = block;
    owned->buffers[2] = result->values;
    owned->buffers[3] = block + 16 * rows;
    tally_tokens_export_owned(owned, rows, result->nulls, 4, 0, out);
    result->owned = NULL;
    return TALLY_OK;
}
