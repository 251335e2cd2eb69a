/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of the Arrow C data interface for tests. Each buffer is a piece of memory of just its size,
 * so that ASan sees a byte beyond it. */
#ifndef TALLY_TESTS_ARROW_MADE_H
#define TALLY_TESTS_ARROW_MADE_H

#include <stdlib.h>

#include "check.h"
#include "packed.h"
#include "tallystick/arrow_c.h"

enum { MADE_BUFFERS = 5, MADE_CHILDREN = 6 };

typedef struct made {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[MADE_BUFFERS];
    struct ArrowSchema *schemas[MADE_CHILDREN];
    struct ArrowArray *arrays[MADE_CHILDREN];
} made;

static void made_release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}
static void made_release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static inline void *made_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        abort();
    }
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

/* Begins an array without buffers. */
static inline made *made_new(const char *format, int64_t length, int64_t buffers)
{
    made *out = calloc(1, sizeof *out);
    if (out == NULL) {
        abort();
    }
    out->schema.format = format;
    out->schema.name = "";
    out->schema.flags = ARROW_FLAG_NULLABLE;
    out->schema.children = out->schemas;
    out->schema.release = made_release_schema;
    out->array.length = length;
    out->array.null_count = -1;
    out->array.n_buffers = buffers;
    out->array.buffers = out->buffers;
    out->array.children = out->arrays;
    out->array.release = made_release_array;
    return out;
}

static inline void made_free(made *it)
{
    if (it == NULL) {
        return;
    }
    for (int i = 0; i < MADE_BUFFERS; i++) {
        free((void *)(uintptr_t)it->buffers[i]);
    }
    free(it);
}

/* A bitmap; texts[i] == NULL is a null. NULL if there is no null. */
static inline uint8_t *made_bitmap(const char *const *texts, size_t count)
{
    uint8_t *bits = calloc(count / 8 + 1, 1);
    size_t nulls = 0;
    if (bits == NULL) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        bits[i / 8] |= (uint8_t)((texts[i] != NULL) << (i % 8));
        nulls += texts[i] == NULL;
    }
    if (nulls == 0) {
        free(bits);
        return NULL;
    }
    uint8_t *out = made_copy(bits, (count + 7) / 8);
    free(bits);
    return out;
}

/* Text or binary with offsets of 4 or 8 bytes ("u", "U", "z", "Z"); NULL is a null. */
static inline made *made_text(const char *format, const char *const *texts, size_t count)
{
    made *out = made_new(format, (int64_t)count, 3);
    const int large = format[0] == 'U' || format[0] == 'Z';
    int32_t *narrow = calloc(count + 1, sizeof *narrow);
    int64_t *wide = calloc(count + 1, sizeof *wide);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += texts[i] == NULL ? 0 : strlen(texts[i]);
        narrow[i + 1] = (int32_t)size;
        wide[i + 1] = (int64_t)size;
    }
    char *values = malloc(size + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(values + wide[i], texts[i] == NULL ? "" : texts[i], (size_t)(wide[i + 1] - wide[i]));
    }
    out->buffers[0] = made_bitmap(texts, count);
    out->buffers[1] = large ? made_copy(wide, (count + 1) * 8) : made_copy(narrow, (count + 1) * 4);
    out->buffers[2] = made_copy(values, size);
    free(values);
    free(narrow);
    free(wide);
    return out;
}

/* Text views, with one buffer of the longer texts. */
static inline made *made_views(const char *format, const char *const *texts, size_t count)
{
    made *out = made_new(format, (int64_t)count, 4);
    uint8_t *views = calloc(count + 1, 16);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += texts[i] == NULL ? 0 : strlen(texts[i]);
    }
    char *values = malloc(size + 1);
    int32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t own = texts[i] == NULL ? 0 : (int32_t)strlen(texts[i]);
        memcpy(views + 16 * i, &own, 4);
        if (own > 12) {
            memcpy(views + 16 * i + 4, texts[i], 4);
            memcpy(views + 16 * i + 12, &at, 4);
            memcpy(values + at, texts[i], (size_t)own);
            at += own;
        } else if (own > 0) {
            memcpy(views + 16 * i + 4, texts[i], (size_t)own);
        }
    }
    const int64_t sizes = at;
    out->buffers[0] = made_bitmap(texts, count);
    out->buffers[1] = made_copy(views, 16 * count);
    out->buffers[2] = made_copy(values, (size_t)at);
    out->buffers[3] = made_copy(&sizes, 8);
    free(values);
    free(views);
    return out;
}

/* Values of a fixed size; validity may be NULL. */
static inline made *made_fixed(const char *format, const void *values, size_t width, size_t count,
                               const uint8_t *validity)
{
    made *out = made_new(format, (int64_t)count, 2);
    out->buffers[0] = validity == NULL ? NULL : made_copy(validity, (count + 7) / 8);
    out->buffers[1] = made_copy(values, width * count);
    return out;
}

/* Appends a child. */
static inline made *made_child(made *parent, made *child)
{
    parent->schemas[parent->schema.n_children++] = &child->schema;
    parent->arrays[parent->array.n_children++] = &child->array;
    return parent;
}

static inline made *made_dictionary(made *indices, made *dictionary)
{
    indices->schema.dictionary = &dictionary->schema;
    indices->array.dictionary = &dictionary->array;
    return indices;
}

/* The text of a row of any array of text; NULL if it is null. Decodes dictionaries and run ends. In
 * static memory, until the next call but three. */
static inline const char *made_row(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                   int64_t row)
{
    static char texts[4][256];
    static int turn;
    char *out = texts[turn++ % 4];
    const char *format = schema->format;
    if (strcmp(format, "+r") == 0) {
        const struct ArrowArray *ends = array->children[0];
        int64_t run = 0;
        for (;; run++) {
            const int64_t end =
                schema->children[0]->format[0] == 's'   ? ((const int16_t *)ends->buffers[1])[run]
                : schema->children[0]->format[0] == 'i' ? ((const int32_t *)ends->buffers[1])[run]
                                                        : ((const int64_t *)ends->buffers[1])[run];
            if (end > row) {
                break;
            }
        }
        return made_row(schema->children[1], array->children[1], run);
    }
    const uint8_t *bits = array->buffers[0];
    if (bits != NULL && (bits[row / 8] >> (row % 8) & 1) == 0) {
        return NULL;
    }
    if (schema->dictionary != NULL) {
        static const char letters[] = "cCsSiIlL";
        const size_t width = (size_t)1 << (strchr(letters, format[0]) - letters) / 2;
        const uint8_t *at = (const uint8_t *)array->buffers[1] + (size_t)row * width;
        return made_row(schema->dictionary, array->dictionary, packed_get(at, width));
    }
    size_t size = 0;
    const uint8_t *bytes = NULL;
    if (format[0] == 'v') {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * row;
        int32_t own, place[2];
        memcpy(&own, view, 4);
        memcpy(place, view + 8, 8);
        size = (size_t)own;
        bytes = own <= 12 ? view + 4 : (const uint8_t *)array->buffers[2 + place[0]] + place[1];
    } else if (format[0] == 'U' || format[0] == 'Z') {
        const int64_t *offsets = array->buffers[1];
        size = (size_t)(offsets[row + 1] - offsets[row]);
        bytes = (const uint8_t *)array->buffers[2] + offsets[row];
    } else {
        const int32_t *offsets = array->buffers[1];
        size = (size_t)(offsets[row + 1] - offsets[row]);
        bytes = (const uint8_t *)array->buffers[2] + offsets[row];
    }
    memcpy(out, bytes, size);
    out[size] = '\0';
    return out;
}

#endif
