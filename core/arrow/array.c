/* SPDX-License-Identifier: Apache-2.0
 *
 * See array.h. */
#include "arrow/array.h"

#include <string.h>

#include "base/barrier.h"

enum { ARRAY_RUN = 32 /* offsets at a time, as in strings.h */ };

/* How many buffers an array of a type has. Views have more. */
static uint64_t array_buffers(tally_arrow_kind kind, const tally_arrow_type *type)
{
    switch (kind) {
    case TALLY_ARROW_NULL:
    case TALLY_ARROW_RUN_ENDS:
        return 0;
    case TALLY_ARROW_STRUCT:
        return 1;
    case TALLY_ARROW_TEXT:
        return 3;
    case TALLY_ARROW_BINARY:
        return type->fixed ? 2 : 3;
    case TALLY_ARROW_LIST:
        return type->fixed ? 1 : 2;
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
    case TALLY_ARROW_LIST_VIEW:
        return 3;
    default:
        return 2;
    }
}

/* How many children an array of a type has; UINT64_MAX: any number. */
static uint64_t array_children(tally_arrow_kind kind)
{
    switch (kind) {
    case TALLY_ARROW_LIST:
    case TALLY_ARROW_LIST_VIEW:
    case TALLY_ARROW_MAP:
        return 1;
    case TALLY_ARROW_RUN_ENDS:
        return 2;
    case TALLY_ARROW_STRUCT:
    case TALLY_ARROW_OTHER:
        return UINT64_MAX;
    default:
        return 0;
    }
}

static const char *array_check(const tally_array *array)
{
    const tally_arrow_kind kind = array->type.kind;
    const int is_view = tally_arrow_is_view(&array->type);
    const uint64_t buffers = array_buffers(kind, &array->type);
    const uint64_t children = array_children(kind);
    const uint64_t most = (SIZE_MAX < INT64_MAX ? SIZE_MAX : INT64_MAX) / 64;
    if (array->rows > most || array->offset > most - array->rows) {
        return "its length or its offset is negative or too large";
    }
    if (array->nulls < -1 || (array->nulls > 0 && (uint64_t)array->nulls > array->rows)) {
        return "its number of nulls is not one of its length";
    }
    if (kind == TALLY_ARROW_RUN_ENDS && array->nulls > 0) {
        return "it has nulls, but run ends have no bitmap of them";
    }
    if (kind != TALLY_ARROW_OTHER &&
        (is_view                    ? array->buffer_count < buffers
         : kind == TALLY_ARROW_NULL ? array->buffer_count > 1 /* older libraries have one */
                                    : array->buffer_count != buffers)) {
        return "it has another number of buffers than its type";
    }
    if (array->buffer_count > most || array->child_count > most) {
        return "its number of buffers or children is negative or too large";
    }
    if (array->buffer_count > 0 && array->buffers == NULL) {
        return "its buffers are missing";
    }
    if (array->child_count > 0 &&
        (array->array->children == NULL || array->schema->children == NULL)) {
        return "its children are missing";
    }
    if ((children != UINT64_MAX && array->child_count != children) ||
        array->schema->n_children != array->array->n_children) {
        return "it has another number of children than its type";
    }
    if ((array->schema->dictionary == NULL) != (array->array->dictionary == NULL) ||
        (array->array->dictionary != NULL && kind != TALLY_ARROW_INTEGER)) {
        return "its dictionary is missing, or its indices are no integers";
    }
    return NULL;
}

int tally_array_open(const struct ArrowSchema *schema, const struct ArrowArray *array,
                     tally_array *out, const char **why)
{
    *why = "it is released or missing";
    if (schema == NULL || array == NULL || schema->release == NULL || array->release == NULL ||
        schema->format == NULL) {
        return 0;
    }
    memset(out, 0, sizeof *out);
    out->schema = schema;
    out->array = array;
    *why = "its type is unknown";
    if (!tally_arrow_type_read(schema->format, &out->type)) {
        return 0;
    }
    /* A negative number becomes one that is too large. */
    out->rows = tally_barrier((uint64_t)array->length);
    out->offset = tally_barrier((uint64_t)array->offset);
    out->nulls = (int64_t)tally_barrier((uint64_t)array->null_count);
    out->buffer_count = tally_barrier((uint64_t)array->n_buffers);
    out->child_count = tally_barrier((uint64_t)array->n_children);
    out->buffers = array->buffers;
    *why = array_check(out);
    if (*why != NULL) {
        return 0;
    }
    out->whole = out->offset + out->rows;
    const tally_arrow_kind kind = out->type.kind;
    if (kind != TALLY_ARROW_OTHER && kind != TALLY_ARROW_NULL && kind != TALLY_ARROW_RUN_ENDS) {
        out->validity = out->buffers[0];
        if (out->nulls > 0 && out->validity == NULL) {
            *why = "it has nulls, but no bitmap of them";
            return 0;
        }
        if (out->nulls == 0 && out->rows == 0) {
            out->validity = NULL;
        }
    }
    return 1;
}

int tally_array_open_dictionary(const tally_array *array, tally_array *out, const char **why)
{
    return tally_array_open(array->schema->dictionary, array->array->dictionary, out, why);
}

int tally_array_open_child(const tally_array *array, uint64_t child, tally_array *out,
                           const char **why)
{
    return tally_array_open(array->schema->children[child], array->array->children[child], out,
                            why);
}

int tally_array_validity(const tally_array *array, uint8_t *out, uint64_t *nulls, const char **why)
{
    const uint64_t rows = array->rows;
    const size_t size = (size_t)(rows / 8 + (rows % 8 != 0));
    if (array->validity == NULL) {
        memset(out, 0xff, size);
    } else {
        const uint8_t *in = array->validity + array->offset / 8;
        const unsigned shift = (unsigned)(array->offset % 8);
        const size_t bytes = (size_t)((shift + rows + 7) / 8); /* that hold a bit of a row */
        if (shift == 0) {
            memcpy(out, in, size);
        } else {
            for (size_t i = 0; i < size; i++) {
                const unsigned next = i + 1 < bytes ? in[i + 1] : 0;
                out[i] = (uint8_t)((in[i] | next << 8) >> shift);
            }
        }
    }
    if (rows % 8 != 0) {
        out[size - 1] &= (uint8_t)((1U << rows % 8) - 1);
    }
    TALLY_MEMORY_BARRIER();
    uint64_t ones = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, out + i, 8);
        word -= word >> 1 & 0x5555555555555555U;
        word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
        ones += ((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU) * 0x0101010101010101U >> 56;
    }
    for (; i < size; i++) {
        for (unsigned byte = out[i]; byte != 0; byte &= byte - 1) {
            ones++;
        }
    }
    *nulls = rows - ones;
    *why = "it has another number of nulls than it says";
    return array->nulls < 0 || (uint64_t)array->nulls == *nulls;
}

/* Returns a number whose top bit is set if an offset is negative or below the one before. */
#define ARRAY_DEFINE_COPY(name, type)                                                              \
    static type name(const uint8_t *in, uint64_t count, type start, type *restrict out)            \
    {                                                                                              \
        const size_t size = sizeof(type);                                                          \
        type wrong = 0;                                                                            \
        uint64_t i = 1;                                                                            \
        for (; i + ARRAY_RUN <= count; i += ARRAY_RUN) {                                           \
            type block[ARRAY_RUN];                                                                 \
            memcpy(block, in + i * size, sizeof block);                                            \
            TALLY_MEMORY_BARRIER();                                                                \
            for (size_t j = 0; j < ARRAY_RUN; j++) {                                               \
                out[i + j] = (type)(block[j] - start);                                             \
                wrong |= block[j];                                                                 \
            }                                                                                      \
            TALLY_MEMORY_BARRIER();                                                                \
            for (size_t j = 0; j < ARRAY_RUN; j++) {                                               \
                wrong |= (type)(out[i + j] - out[i + j - 1]);                                      \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            type one;                                                                              \
            memcpy(&one, in + i * size, size);                                                     \
            one = (type)tally_barrier(one);                                                        \
            out[i] = (type)(one - start);                                                          \
            wrong |= one | (type)(out[i] - out[i - 1]);                                            \
        }                                                                                          \
        return wrong;                                                                              \
    }

ARRAY_DEFINE_COPY(array_copy_32, uint32_t)
ARRAY_DEFINE_COPY(array_copy_64, uint64_t)

int tally_offsets_copy(const void *offsets, uint32_t size, uint64_t first, uint64_t rows, void *out,
                       uint64_t *start, const char **why)
{
    memset(out, 0, size);
    *start = 0;
    if (rows == 0) {
        return 1;
    }
    *why = "its offsets are missing";
    if (offsets == NULL) {
        return 0;
    }
    const uint8_t *in = (const uint8_t *)offsets + first * size;
    *why = "its offsets decrease";
    if (size == 4) {
        uint32_t begin;
        memcpy(&begin, in, 4);
        begin = (uint32_t)tally_barrier(begin);
        *start = begin;
        return ((array_copy_32(in, rows + 1, begin, out) | begin) >> 31) == 0;
    }
    uint64_t begin;
    memcpy(&begin, in, 8);
    begin = tally_barrier(begin);
    *start = begin;
    return ((array_copy_64(in, rows + 1, begin, out) | begin) >> 63) == 0 &&
           (SIZE_MAX > UINT32_MAX || ((uint64_t *)out)[rows] + begin <= SIZE_MAX);
}

int tally_array_has_text(const tally_array *array, uint64_t end, const char **why)
{
    const uint32_t width = array->type.width;
    if (array->rows == 0 || array->offset + array->rows == array->whole) {
        return 1;
    }
    const uint8_t *at = (const uint8_t *)array->buffers[1] + array->whole * width;
    uint64_t last = 0;
    if (width == 4) {
        int32_t last_32;
        memcpy(&last_32, at, sizeof last_32);
        last = last_32 < 0 ? 0 : (uint64_t)last_32;
    } else {
        int64_t last_64;
        memcpy(&last_64, at, sizeof last_64);
        last = last_64 < 0 ? 0 : (uint64_t)last_64;
    }
    *why = "its offsets decrease";
    return end <= last;
}

const uint8_t *tally_array_view(const tally_array *array, const tally_text_view *view)
{
    if (view->size < 0) {
        return NULL;
    }
    if (view->size <= TALLY_VIEW_INLINED) {
        return view->at.inlined;
    }
    /* Between the views and the last buffer, which has the sizes of the others. */
    const uint64_t buffers = array->buffer_count - 3;
    if (view->at.in.buffer < 0 || (uint64_t)view->at.in.buffer >= buffers ||
        view->at.in.offset < 0) {
        return NULL;
    }
    const uint8_t *sizes = array->buffers[array->buffer_count - 1];
    const uint8_t *bytes = array->buffers[2 + view->at.in.buffer];
    int64_t size;
    if (sizes == NULL || bytes == NULL) {
        return NULL;
    }
    memcpy(&size, sizes + 8 * (size_t)view->at.in.buffer, 8);
    if (size < (int64_t)view->at.in.offset + view->size) {
        return NULL;
    }
    return bytes + view->at.in.offset;
}
