/* SPDX-License-Identifier: Apache-2.0
 *
 * What the structures of an array say, of all that lies in it: a program may look at them before it
 * hands them to a library that takes them at their word. */
#include <string.h>

#include "tokens/array.h"

enum {
    WHOLE_DEPTH = 64,     /* as deep as Arrow's own libraries go */
    WHOLE_MOST = 1 << 20, /* structures: children may be shared, or lead back to their parents */
};

static const char *const whole_deep = "it is too deep or has too many children";

/* Whether a type is sound, and all types in it. */
static int whole_type(const struct ArrowSchema *type, int depth, uint32_t *left, const char **why)
{
    tally_arrow_type read;
    *why = whole_deep;
    if (depth == WHOLE_DEPTH || (*left)-- == 0) {
        *left = 0;
        return 0;
    }
    *why = "its type is released or missing";
    if (type == NULL || type->release == NULL || type->format == NULL) {
        return 0;
    }
    *why = "its type is unknown";
    if (!tally_arrow_type_read(type->format, &read)) {
        return 0;
    }
    *why = "its children are missing";
    if (type->n_children < 0 || (type->n_children > 0 && type->children == NULL)) {
        return 0;
    }
    for (int64_t i = 0; i < type->n_children; i++) {
        if (!whole_type(type->children[i], depth + 1, left, why)) {
            return 0;
        }
    }
    return type->dictionary == NULL || whole_type(type->dictionary, depth + 1, left, why);
}

/* The last offset of an array; UINT64_MAX if it is negative. */
static uint64_t whole_end(const tally_array *array)
{
    const uint8_t *at = (const uint8_t *)array->buffers[1] + array->whole * array->type.width;
    int32_t narrow;
    int64_t wide;
    if (array->type.width == 4) {
        memcpy(&narrow, at, sizeof narrow);
        wide = narrow;
    } else {
        memcpy(&wide, at, sizeof wide);
    }
    return wide < 0 ? UINT64_MAX : (uint64_t)wide;
}

/* The number of buffers of a type, the first of which may be missing if there is a bitmap. */
static uint64_t whole_buffers(const tally_array *array)
{
    if (array->type.kind != TALLY_ARROW_OTHER) {
        return array->buffer_count;
    }
    const int is_dense = strncmp(array->schema->format, "+ud", 3) == 0;
    return array->type.width > 0 || is_dense ? 2 : 1;
}

/* Whether the buffers of views are there: the last one has the sizes of the others. */
static int whole_views(const tally_array *array)
{
    const uint8_t *sizes = array->buffers[array->buffer_count - 1];
    for (uint64_t i = 0; i + 3 < array->buffer_count; i++) {
        int64_t size;
        if (sizes == NULL) {
            return 0;
        }
        memcpy(&size, sizes + 8 * i, sizeof size);
        if (size < 0 || (size > 0 && array->buffers[2 + i] == NULL)) {
            return 0;
        }
    }
    return array->buffers[1] != NULL;
}

/* Whether all buffers that an array of rows needs are there. */
static int whole_has_buffers(const tally_array *array)
{
    const tally_arrow_type *const type = &array->type;
    const uint64_t count = whole_buffers(array);
    if (array->buffer_count != count) {
        return 0;
    }
    switch (type->kind) {
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
        return whole_views(array);
    case TALLY_ARROW_TEXT:
    case TALLY_ARROW_BINARY:
        if (type->fixed) {
            return type->width == 0 || array->buffers[1] != NULL;
        }
        return array->buffers[1] != NULL && (array->buffers[2] != NULL || whole_end(array) == 0);
    case TALLY_ARROW_LIST_VIEW:
        return array->buffers[1] != NULL && array->buffers[2] != NULL;
    case TALLY_ARROW_OTHER: /* unions have no bitmap */
        return (type->width > 0 || array->buffers[0] != NULL) &&
               (count == 1 || array->buffers[1] != NULL);
    default:
        return count < 2 || array->buffers[1] != NULL;
    }
}

/* The rows that each child must have at least; UINT64_MAX: an offset is negative. */
static uint64_t whole_rows_of_children(const tally_array *array)
{
    const tally_arrow_type *const type = &array->type;
    if (type->kind == TALLY_ARROW_STRUCT || strncmp(array->schema->format, "+us", 3) == 0) {
        return array->whole;
    }
    if (type->kind == TALLY_ARROW_LIST && type->fixed) {
        return array->whole > UINT32_MAX ? UINT64_MAX : array->whole * type->width;
    }
    const int has_offsets = type->kind == TALLY_ARROW_LIST || type->kind == TALLY_ARROW_MAP;
    return has_offsets && array->whole > 0 ? whole_end(array) : 0;
}

/* Whether an array is sound, and all arrays in it. */
static int whole_array(const struct ArrowSchema *type, const struct ArrowArray *values, int depth,
                       uint32_t *left, const char **why)
{
    tally_array array, child;
    *why = whole_deep;
    if (depth == WHOLE_DEPTH || (*left)-- == 0) {
        *left = 0;
        return 0;
    }
    if (!tally_array_open(type, values, &array, why)) {
        return 0;
    }
    *why = "its buffers are missing";
    if (array.whole > 0 && !whole_has_buffers(&array)) {
        return 0;
    }
    const uint64_t rows = whole_rows_of_children(&array);
    for (uint64_t i = 0; i < array.child_count; i++) {
        if (!whole_array(type->children[i], values->children[i], depth + 1, left, why)) {
            return 0;
        }
        if (!tally_array_open_child(&array, i, &child, why)) {
            return 0;
        }
        *why = "a child is shorter than its parent";
        if (child.rows < rows) {
            return 0;
        }
    }
    return type->dictionary == NULL ||
           whole_array(type->dictionary, values->dictionary, depth + 1, left, why);
}

tally_status tally_array_check(const struct ArrowSchema *type, const struct ArrowArray *values,
                               tally_problem *problem)
{
    tokens_call call = {.problem = problem};
    const char *why;
    uint32_t left = WHOLE_MOST;
    int sound = whole_type(type, 0, &left, &why);
    if (sound && values != NULL) {
        left = WHOLE_MOST;
        sound = whole_array(type, values, 0, &left, &why);
    }
    return sound ? TALLY_OK : tally_tokens_damaged(&call, "", why);
}
