/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of columns: contact.email, emails[], attributes{}. They are read where they stand, so they
 * need no memory. */
#include "arrow/type.h"
#include "base/writer.h"
#include "policy/check.h"

#include <string.h>

typedef struct path_step {
    tally_step kind;
    const char *name; /* of a field; with its escapes, if it was quoted */
    size_t size;
    int quoted;
} path_step;

static int path_is_special(char c)
{
    return c == '.' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"';
}

/* Reads a name at *at, and moves behind it. Returns 0 if there is none. */
static int path_read_name(const char *text, size_t size, size_t *at, path_step *out)
{
    const size_t start = *at;
    out->kind = TALLY_STEP_FIELD;
    out->quoted = start < size && text[start] == '"';
    if (!out->quoted) {
        while (*at < size && !path_is_special(text[*at])) {
            ++*at;
        }
        out->name = text + start;
        out->size = *at - start;
        return out->size > 0;
    }
    for (++*at; *at < size && text[*at] != '"'; ++*at) {
        if (text[*at] == '\\' && (++*at == size || (text[*at] != '"' && text[*at] != '\\'))) {
            return 0;
        }
    }
    if (*at == size) {
        return 0;
    }
    out->name = text + start + 1;
    out->size = (*at)++ - start - 1;
    return 1;
}

/* Reads the step at *at, and moves behind it. Returns 0 if there is none. */
static int path_read(const char *text, size_t size, size_t *at, path_step *out)
{
    const int first = *at == 0;
    if (!first && size - *at >= 2 && memcmp(text + *at, "[]", 2) == 0) {
        out->kind = TALLY_STEP_ITEMS;
    } else if (!first && size - *at >= 2 && memcmp(text + *at, "{}", 2) == 0) {
        out->kind = TALLY_STEP_VALUES;
    } else {
        if (!first && text[(*at)++] != '.') {
            return 0;
        }
        /* A name alone is as it is: its quotes are a part of it. */
        return path_read_name(text, size, at, out) && !(first && out->quoted && *at == size);
    }
    *at += 2;
    return 1;
}

/* Whether a field is called so. */
static int path_is_called(const path_step *step, const char *name)
{
    const size_t size = strlen(name);
    size_t at = 0;
    for (size_t i = 0; i < step->size; i++) {
        i += step->quoted && step->name[i] == '\\';
        if (at == size || name[at++] != step->name[i]) {
            return 0;
        }
    }
    return at == size;
}

static void path_write_name(tally_writer *writer, const path_step *step)
{
    int bare = step->size > 0;
    for (size_t i = 0; i < step->size; i++) {
        bare &= !path_is_special(step->name[i]) && step->name[i] != '\\';
    }
    if (!step->quoted || bare) {
        tally_write_bytes(writer, step->name, step->size);
    } else {
        tally_write_char(writer, '"');
        tally_write_bytes(writer, step->name, step->size);
        tally_write_char(writer, '"');
    }
}

int tally_path_write(tally_policy_text column, tally_writer *writer)
{
    const size_t start = writer->needed;
    size_t at = 0;
    do {
        path_step step;
        if (at > 0 && at < column.size && column.text[at] == '.') {
            tally_write_char(writer, '.');
        }
        if (!path_read(column.text, column.size, &at, &step)) {
            return 1; /* then it can only be a name */
        }
        if (step.kind == TALLY_STEP_FIELD) {
            path_write_name(writer, &step);
        } else {
            tally_write(writer, step.kind == TALLY_STEP_ITEMS ? "[]" : "{}");
        }
    } while (at < column.size);
    return writer->needed - start == column.size; /* quotes were left out, or nothing */
}

tally_step tally_path_step(const char *column, size_t size, size_t *at, char *out, size_t capacity,
                           size_t *name_size)
{
    path_step step;
    tally_writer writer;
    tally_writer_init(&writer, out, capacity);
    *name_size = 0;
    if (*at >= size || !path_read(column, size, at, &step)) {
        return TALLY_STEP_NONE;
    }
    for (size_t i = 0; step.kind == TALLY_STEP_FIELD && i < step.size; i++) {
        i += step.quoted && step.name[i] == '\\';
        tally_write_char(&writer, step.name[i]);
    }
    *name_size = writer.needed;
    return step.kind;
}

/* The child of a type that is called so: its index, -1 if there is none, -2 if there are several. */
static int64_t path_child(const struct ArrowSchema *type, const path_step *step)
{
    int64_t found = -1;
    for (int64_t i = 0; i < type->n_children; i++) {
        const struct ArrowSchema *const child = type->children[i];
        if (child != NULL && path_is_called(step, child->name == NULL ? "" : child->name)) {
            if (found >= 0) {
                return -2;
            }
            found = i;
        }
    }
    return found;
}

/* Goes one step down. Returns 1, or 0 if there is no such child, or -1 if there are several. */
static int path_descend(const struct ArrowSchema **type, const path_step *step, tally_path *out)
{
    tally_arrow_type read;
    tally_arrow_type_read((*type)->format == NULL ? "" : (*type)->format, &read);
    const int is_list = read.kind == TALLY_ARROW_LIST || read.kind == TALLY_ARROW_LIST_VIEW;
    const int is_map = read.kind == TALLY_ARROW_MAP;
    int64_t child = 0;
    if (out->depth + 2 > TALLY_PATH_DEPTH || (*type)->children == NULL) {
        return 0;
    }
    if (step->kind == TALLY_STEP_FIELD) {
        child = read.kind == TALLY_ARROW_STRUCT ? path_child(*type, step) : -1;
        if (child < 0) {
            return child == -2 ? -1 : 0;
        }
    } else if ((step->kind == TALLY_STEP_ITEMS ? !is_list : !is_map) || (*type)->n_children != 1) {
        return 0;
    }
    out->child[out->depth++] = (uint32_t)child;
    *type = (*type)->children[child];
    if (*type == NULL) {
        return 0;
    }
    if (step->kind == TALLY_STEP_VALUES) { /* the entries of a map are structs of key and value */
        if ((*type)->n_children != 2 || (*type)->children == NULL || (*type)->children[1] == NULL) {
            return 0;
        }
        out->child[out->depth++] = 1;
        *type = (*type)->children[1];
    }
    return 1;
}

int tally_path_find(const struct ArrowSchema *table, const char *column, size_t size,
                    tally_path *out)
{
    const path_step whole = {TALLY_STEP_FIELD, column, size, 0};
    const struct ArrowSchema *type = table;
    size_t at = 0;
    int found;
    out->depth = 0;
    found = path_descend(&type, &whole, out);
    if (found != 0) {
        return found;
    }
    do {
        path_step step;
        if (!path_read(column, size, &at, &step)) {
            return 0;
        }
        found = path_descend(&type, &step, out);
    } while (found == 1 && at < size);
    return found;
}
