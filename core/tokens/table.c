/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables: columns of a struct, and columns inside structs, lists and maps. Columns that are not
 * touched are not copied: they share the memory that the table came with. */
#include <stdatomic.h>
#include <string.h>

#include "base/align.h"
#include "base/writer.h"
#include "tokens/array.h"

static const char table_short[] = "a child is shorter than its parent";

/* The table that a call got, until the last array that shares its memory is released. */
typedef struct table_holder {
    tally_allocator allocator;
    atomic_size_t users;
    struct ArrowArray original; /* released: the call has not ended */
} table_holder;

static void table_holder_leave(table_holder *holder)
{
    if (atomic_fetch_sub_explicit(&holder->users, 1, memory_order_acq_rel) == 1) {
        const tally_allocator allocator = holder->allocator;
        if (holder->original.release != NULL) {
            holder->original.release(&holder->original);
        }
        tally_release(&allocator, holder, sizeof *holder);
    }
}

static void table_holder_join(table_holder *holder)
{
    atomic_fetch_add_explicit(&holder->users, 1, memory_order_relaxed);
}

static void table_release_shared(struct ArrowArray *array)
{
    array->release = NULL;
    table_holder_leave(array->private_data);
}

/* An array above one that was protected: its bitmap and offsets are its own. */
typedef struct table_node {
    table_holder *holder;
    size_t size;        /* with the children that follow, and pointers to them */
    void *memory;       /* of bitmap and offsets */
    size_t memory_size; /* 0: there is none */
    const void *buffers[2];
} table_node;

/* As deep as paths go, which is bounded. */
static void table_release_node(struct ArrowArray *array)
{
    table_node *node = array->private_data;
    table_holder *holder = node->holder;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL) {
            child->release(child);
        }
    }
    array->release = NULL;
    if (node->memory_size > 0) {
        tally_release(&holder->allocator, node->memory, node->memory_size);
    }
    tally_release(&holder->allocator, node, node->size);
    table_holder_leave(holder);
}

/* A list that was entered on the way down. */
typedef struct table_level {
    uint64_t parents, rows;
    uint64_t first;      /* the first row in the child */
    const void *offsets; /* of the lists' items, from 0 on; NULL: each list has as many */
    uint32_t width;
    uint64_t each;
} table_level;

/* Memory of a call. */
typedef struct table_piece {
    struct table_piece *next;
    size_t size;
} table_piece;

enum { TABLE_DEPTH = 32 };

typedef struct table_walk {
    tally_field *fields;
    size_t count;
    tally_direction direction;
    const tally_array *root;
    table_holder *holder;
    table_piece *pieces;
    table_level levels[TABLE_DEPTH];
    uint32_t level_count;
    uint32_t path[TABLE_DEPTH]; /* to where the walk is */
    uint32_t depth;
    tally_counts *counts; /* of each field */
    tally_table_fault *fault;
    tally_problem *problem;
} table_walk;

/* Writes the error of a column, whose path is written as names. */
static tally_status table_problem(table_walk *walk, tally_status status, const char *text,
                                  const char *more)
{
    tokens_call call = {.problem = walk->problem};
    return tally_tokens_problem(&call, status, "", text, more);
}

static tally_status table_damaged(table_walk *walk, const char *why)
{
    tokens_call call = {.problem = walk->problem};
    return tally_tokens_damaged(&call, "", why);
}

/* Writes where a column is, as tally_path_find of policy.h reads it, as far as the structures go
 * together: one of them may be at fault. */
static void table_write_place(const struct ArrowSchema *type, const struct ArrowArray *array,
                              const uint32_t *path, uint32_t depth, tally_writer *out)
{
    int in_map = 0;
    for (uint32_t i = 0; i < depth; i++) {
        const char *format = type->format == NULL ? "" : type->format;
        const int is_map = strcmp(format, "+m") == 0;
        if (type->n_children != array->n_children || path[i] >= (uint64_t)type->n_children ||
            type->children == NULL || array->children == NULL || type->children[path[i]] == NULL ||
            array->children[path[i]] == NULL) {
            return;
        }
        type = type->children[path[i]];
        array = array->children[path[i]];
        if (is_map || in_map) {
            tally_write(out, in_map ? "{}" : "");
        } else if (strcmp(format, "+s") != 0) {
            tally_write(out, "[]");
        } else if (type->name != NULL) {
            tally_write(out, i > 0 ? "." : "");
            tally_write(out, type->name);
        }
        in_map = is_map;
    }
}

static void *table_allocate(table_walk *walk, uint64_t count, uint64_t size)
{
    const size_t head = TALLY_ALIGNMENT;
    if (count > (SIZE_MAX / 2 - head) / size) {
        return NULL;
    }
    const size_t whole = head + (size_t)(count * size);
    table_piece *piece = tally_allocate(&walk->holder->allocator, whole);
    if (piece == NULL) {
        return NULL;
    }
    piece->next = walk->pieces;
    piece->size = whole;
    walk->pieces = piece;
    return (uint8_t *)piece + head;
}

static void table_release_pieces(table_walk *walk)
{
    while (walk->pieces != NULL) {
        table_piece *piece = walk->pieces;
        walk->pieces = piece->next;
        tally_release(&walk->holder->allocator, piece, piece->size);
    }
}

/* Whether a field lies at or below the walk's place, or its own child `child`. */
static int table_is_below(const table_walk *walk, const tally_field *field, const uint32_t *child)
{
    if (field->depth < walk->depth + (child != NULL) ||
        memcmp(field->path, walk->path, walk->depth * sizeof *walk->path) != 0) {
        return 0;
    }
    return child == NULL || field->path[walk->depth] == *child;
}

/* The array as it came, from a row on. */
static void table_share(table_walk *walk, const struct ArrowArray *from, uint64_t offset,
                        uint64_t rows, struct ArrowArray *out)
{
    const int whole = offset == 0 && (uint64_t)from->length == rows;
    *out = *from;
    out->offset += (int64_t)offset;
    out->length = (int64_t)rows;
    if (!whole && from->null_count != 0) {
        /* All rows of an array of the type null are, which has no buffers. */
        out->null_count = from->null_count == from->length ? (int64_t)rows : -1;
    }
    out->release = table_release_shared;
    out->private_data = walk->holder;
    table_holder_join(walk->holder);
}

/* Begins an array with children, and `size` bytes for its bitmap and offsets. */
static table_node *table_node_new(table_walk *walk, uint64_t children, uint64_t size,
                                  struct ArrowArray *out)
{
    const size_t each = sizeof(struct ArrowArray) + sizeof(struct ArrowArray *);
    if (children > SIZE_MAX / 2 / each || size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t whole = sizeof(table_node) + (size_t)children * each;
    table_node *node = tally_allocate(&walk->holder->allocator, whole);
    if (node == NULL) {
        return NULL;
    }
    memset(node, 0, whole);
    node->size = whole;
    node->holder = walk->holder;
    if (size > 0) {
        node->memory_size = (size_t)size + TALLY_ALIGNMENT;
        node->memory = tally_allocate(&walk->holder->allocator, node->memory_size);
        if (node->memory == NULL) {
            tally_release(&walk->holder->allocator, node, whole);
            return NULL;
        }
    }
    struct ArrowArray *nodes = (struct ArrowArray *)(void *)(node + 1);
    struct ArrowArray **pointers = (struct ArrowArray **)(void *)(nodes + children);
    for (uint64_t i = 0; i < children; i++) {
        pointers[i] = &nodes[i];
    }
    memset(out, 0, sizeof *out);
    out->buffers = node->buffers;
    out->n_children = (int64_t)children;
    out->children = pointers;
    out->private_data = node;
    out->release = table_release_node;
    table_holder_join(walk->holder);
    return node;
}

static uint64_t table_bitmap_size(uint64_t rows)
{
    return (rows / 8 + TALLY_ALIGNMENT) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

/* The row of a list's item. */
static uint64_t table_parent(const table_level *level, uint64_t row)
{
    if (level->offsets == NULL) {
        return level->each == 0 ? 0 : row / level->each;
    }
    uint64_t low = 0, high = level->parents;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (tokens_offset(level->offsets, level->width, middle) <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Which row of a level's parents each item belongs to. */
static void table_write_parents(const table_level *level, uint32_t *out)
{
    uint64_t row = 0;
    for (uint64_t i = 0; i < level->parents; i++) {
        const uint64_t end = level->offsets == NULL
                                 ? (i + 1) * level->each
                                 : tokens_offset(level->offsets, level->width, i + 1);
        for (; row < end; row++) {
            out[row] = (uint32_t)i;
        }
    }
}

/* Narrows a child to the rows that its parent has. Returns 0 if it is too short. */
static int table_narrow(tally_array *child, uint64_t first, uint64_t rows)
{
    if (first > child->rows || rows > child->rows - first) {
        return 0;
    }
    if ((first > 0 || rows < child->rows) && child->nulls > 0) {
        child->nulls = -1;
    }
    child->offset += first;
    child->rows = rows;
    return 1;
}

/* The bitmap of an array's rows: of those that are valid, and lie in valid ones. *own receives the
 * array's bitmap alone, for the result; NULL if it has no nulls. */
static tally_status table_validity(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   uint8_t *memory, const uint8_t **own, uint64_t *nulls,
                                   const uint8_t **out)
{
    const char *why;
    if (!tally_array_validity(array, memory, nulls, &why)) {
        return table_damaged(walk, why);
    }
    *own = *nulls > 0 ? memory : NULL;
    *out = *nulls > 0 ? memory : mask;
    if (*nulls > 0 && mask != NULL) {
        const uint64_t size = array->rows / 8 + 1;
        uint8_t *both = table_allocate(walk, size, 1);
        if (both == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        for (uint64_t i = 0; i < (array->rows + 7) / 8; i++) {
            both[i] = memory[i] & mask[i];
        }
        *out = both;
    }
    return TALLY_OK;
}

/* The bitmap of a list's items: those of null lists are null. */
static tally_status table_mask_items(table_walk *walk, const table_level *level,
                                     const uint8_t *mask, const uint8_t **out)
{
    *out = NULL;
    if (mask == NULL) {
        return TALLY_OK;
    }
    uint8_t *items = table_allocate(walk, level->rows / 8 + 1, 1);
    if (items == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(items, 0, (size_t)(level->rows / 8 + 1));
    uint64_t row = 0;
    for (uint64_t i = 0; i < level->parents; i++) {
        const unsigned valid = (unsigned)tokens_is_valid(mask, i);
        const uint64_t end = level->offsets == NULL
                                 ? (i + 1) * level->each
                                 : tokens_offset(level->offsets, level->width, i + 1);
        for (; row < end; row++) {
            items[row / 8] |= (uint8_t)(valid << row % 8);
        }
    }
    *out = items;
    return TALLY_OK;
}

/* Rows under a null are null, in the tweak column too: their bytes need not survive a file. */
static tally_status table_mask_tweaks(table_walk *walk, const tally_array *array,
                                      const uint8_t **mask)
{
    const uint8_t *own;
    uint64_t nulls;
    if (array->validity == NULL) {
        return TALLY_OK;
    }
    uint8_t *memory = table_allocate(walk, array->rows / 8 + 1, 1);
    return memory == NULL ? TALLY_ERROR_MEMORY
                          : table_validity(walk, array, *mask, memory, &own, &nulls, mask);
}

/* Opens the array with a field's tweaks, and says how many lists it lies in. */
static tally_status table_open_tweaks(table_walk *walk, const tally_field *field, tally_array *out,
                                      const uint8_t **mask, uint32_t *level)
{
    const char *why;
    *out = *walk->root;
    *level = 0;
    *mask = NULL;
    for (uint32_t i = 0; i < field->tweak_depth; i++) {
        const tally_array parent = *out;
        const tally_arrow_kind kind = parent.type.kind;
        const uint32_t child = field->tweak[i];
        uint64_t first = parent.offset, rows = parent.rows;
        if (child >= parent.child_count || parent.array->dictionary != NULL) {
            return table_problem(walk, TALLY_ERROR_ARGUMENT, "there is no such tweak column", "");
        }
        if (kind == TALLY_ARROW_LIST || kind == TALLY_ARROW_MAP) {
            if (i >= field->depth || *level >= walk->level_count ||
                memcmp(field->tweak, field->path, (i + 1) * sizeof *field->path) != 0) {
                return table_problem(walk, TALLY_ERROR_TWEAKS,
                                     "the tweak column is in a list in which the values are not",
                                     "");
            }
            first = walk->levels[*level].first;
            rows = walk->levels[*level].rows;
        } else if (kind != TALLY_ARROW_STRUCT) {
            return table_problem(walk, TALLY_ERROR_TWEAKS,
                                 "tweak columns in arrays of this type are not supported", "");
        }
        tally_status status = table_mask_tweaks(walk, &parent, mask);
        if (status == TALLY_OK && kind != TALLY_ARROW_STRUCT) {
            status = table_mask_items(walk, &walk->levels[(*level)++], *mask, mask);
        }
        if (status != TALLY_OK) {
            return status;
        }
        if (!tally_array_open_child(&parent, child, out, &why)) {
            return table_damaged(walk, why);
        }
        if (!table_narrow(out, first, rows)) {
            return table_damaged(walk, table_short);
        }
    }
    return TALLY_OK;
}

/* For each value the row of its tweak, where that lies above some of the lists; NULL: the same. */
static tally_status table_repeat(table_walk *walk, uint32_t level, uint64_t rows,
                                 const uint32_t **out)
{
    *out = NULL;
    if (level == walk->level_count) {
        return TALLY_OK;
    }
    uint32_t *repeat = table_allocate(walk, rows + 1, sizeof *repeat);
    if (repeat == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint32_t at = walk->level_count - 1;
    if (walk->levels[at].parents >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    table_write_parents(&walk->levels[at], repeat);
    while (at-- > level) {
        const table_level *above = &walk->levels[at];
        uint32_t *parents = table_allocate(walk, above->rows + 1, sizeof *parents);
        if (parents == NULL || above->parents >= TOKENS_NO_ROW) {
            return TALLY_ERROR_MEMORY;
        }
        table_write_parents(above, parents);
        for (uint64_t i = 0; i < rows; i++) {
            repeat[i] = parents[repeat[i]];
        }
    }
    *out = repeat;
    return TALLY_OK;
}

/* A column that is protected. */
static tally_status table_leaf(table_walk *walk, tally_field *field, const tally_array *values,
                               const uint8_t *mask, struct ArrowArray *out)
{
    tally_array tweaks;
    uint32_t level = 0;
    tokens_job job = {.worker = field->worker,
                      .direction = walk->direction,
                      .values = values,
                      .mask = mask,
                      .place = ""};
    if (field->tweak_depth > 0) {
        tally_status status = table_open_tweaks(walk, field, &tweaks, &job.tweak_mask, &level);
        if (status == TALLY_OK) {
            status = table_repeat(walk, level, values->rows, &job.repeat);
        }
        if (status != TALLY_OK) {
            return status;
        }
        job.tweaks = &tweaks;
    }
    const tally_status status = tally_tokens_array(&job, out, &walk->counts[field - walk->fields],
                                                   &walk->fault->invalid, walk->problem);
    if (status == TALLY_ERROR_INVALID) {
        uint64_t row = walk->fault->invalid.row;
        for (uint32_t i = walk->level_count; i-- > 0;) {
            row = table_parent(&walk->levels[i], row);
        }
        walk->fault->invalid.row = row;
    }
    return status;
}

static tally_status table_node_run(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   struct ArrowArray *out);

/* A child of the walk's array: the field that lies there, or what lies deeper, or nothing. */
static tally_status table_child(table_walk *walk, const tally_array *array, uint32_t child,
                                uint64_t first, uint64_t rows, const uint8_t *mask,
                                struct ArrowArray *out)
{
    tally_field *field = NULL;
    size_t below = 0;
    for (size_t i = 0; i < walk->count; i++) {
        if (table_is_below(walk, &walk->fields[i], &child)) {
            /* That which ends here, if one does. */
            field =
                field == NULL || walk->fields[i].depth < field->depth ? &walk->fields[i] : field;
            below++;
        }
    }
    if (below == 0) {
        const struct ArrowArray *own = array->array->children[child];
        if (own == NULL || own->release == NULL || own->offset < 0 || own->length < 0) {
            return table_damaged(walk, "a child is missing");
        }
        if (first > (uint64_t)own->length || rows > (uint64_t)own->length - first) {
            return table_damaged(walk, table_short);
        }
        table_share(walk, own, first, rows, out);
        return TALLY_OK;
    }
    const size_t number = (size_t)(field - walk->fields);
    const char *why;
    tally_array opened;
    walk->fault->field = number;
    if (!tally_array_open_child(array, child, &opened, &why)) {
        return table_damaged(walk, why);
    }
    if (!table_narrow(&opened, first, rows)) {
        return table_damaged(walk, table_short);
    }
    if (field->depth == walk->depth + 1) {
        return below == 1 ? table_leaf(walk, field, &opened, mask, out)
                          : table_problem(walk, TALLY_ERROR_ARGUMENT,
                                          "a column lies in one that is protected too", "");
    }
    walk->path[walk->depth++] = child;
    const tally_status status = table_node_run(walk, &opened, mask, out);
    walk->depth--;
    return status;
}

/* Reads the offsets of lists, or their size, into a level. */
static tally_status table_enter(table_walk *walk, const tally_array *array, uint8_t *memory,
                                table_level *level)
{
    const char *why;
    memset(level, 0, sizeof *level);
    level->parents = array->rows;
    level->width = array->type.width;
    if (array->type.fixed) {
        level->each = array->type.width;
        if (level->each != 0 && array->rows + array->offset > UINT64_MAX / 2 / level->each) {
            return table_damaged(walk, table_short);
        }
        level->rows = level->each * array->rows;
        level->first = level->each * array->offset;
        return TALLY_OK;
    }
    if (!tally_offsets_copy(array->buffers[1], array->type.width, array->offset, array->rows,
                            memory, &level->first, &why)) {
        return table_damaged(walk, why);
    }
    level->offsets = memory;
    level->rows = tokens_offset(memory, level->width, array->rows);
    return TALLY_OK;
}

static tally_status table_list(table_walk *walk, const tally_array *array, const uint8_t *mask,
                               table_node *node, struct ArrowArray *out)
{
    uint8_t *memory = tally_align(node->memory);
    uint8_t *offsets = memory + table_bitmap_size(array->rows);
    const uint8_t *own = NULL, *valid = NULL, *items = NULL;
    uint64_t nulls = 0;
    if (walk->level_count == TABLE_DEPTH) {
        return TALLY_ERROR_ARGUMENT;
    }
    table_level *level = &walk->levels[walk->level_count];
    tally_status status = table_validity(walk, array, mask, memory, &own, &nulls, &valid);
    if (status == TALLY_OK) {
        status = table_enter(walk, array, offsets, level);
    }
    if (status == TALLY_OK) {
        status = table_mask_items(walk, level, valid, &items);
    }
    if (status != TALLY_OK) {
        return status;
    }
    node->buffers[0] = own;
    node->buffers[1] = offsets;
    out->n_buffers = array->type.fixed ? 1 : 2;
    out->null_count = (int64_t)nulls;
    walk->level_count++;
    status = table_child(walk, array, 0, level->first, level->rows, items, out->children[0]);
    walk->level_count--;
    return status;
}

static tally_status table_struct(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                 table_node *node, struct ArrowArray *out)
{
    const uint8_t *own = NULL, *valid = NULL;
    uint64_t nulls = 0;
    tally_status status =
        table_validity(walk, array, mask, tally_align(node->memory), &own, &nulls, &valid);
    if (status != TALLY_OK) {
        return status;
    }
    node->buffers[0] = own;
    out->n_buffers = 1;
    out->null_count = (int64_t)nulls;
    for (uint32_t i = 0; i < array->child_count; i++) {
        status = table_child(walk, array, i, array->offset, array->rows, valid, out->children[i]);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status table_node_run(table_walk *walk, const tally_array *array, const uint8_t *mask,
                                   struct ArrowArray *out)
{
    const tally_arrow_kind kind = array->type.kind;
    const int is_list = kind == TALLY_ARROW_LIST || kind == TALLY_ARROW_MAP;
    if ((!is_list && kind != TALLY_ARROW_STRUCT) || array->array->dictionary != NULL) {
        char name[96];
        (void)tally_arrow_type_name(array->schema->format, name, sizeof name);
        return table_problem(walk, TALLY_ERROR_TYPE,
                             "a column inside another is protected in structs, lists and maps, not "
                             "in one of type ",
                             name);
    }
    for (size_t i = 0; i < walk->count; i++) {
        if (table_is_below(walk, &walk->fields[i], NULL) &&
            walk->fields[i].path[walk->depth] >= array->child_count) {
            walk->fault->field = i;
            return table_problem(walk, TALLY_ERROR_ARGUMENT, "there is no such column", "");
        }
    }
    uint64_t size = table_bitmap_size(array->rows);
    if (is_list && !array->type.fixed) {
        size += (array->rows + 1) * array->type.width;
    }
    table_node *node = table_node_new(walk, array->child_count, size, out);
    if (node == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    out->length = (int64_t)array->rows;
    const tally_status status = is_list ? table_list(walk, array, mask, node, out)
                                        : table_struct(walk, array, mask, node, out);
    if (status != TALLY_OK) {
        out->release(out);
    }
    return status;
}

static int table_fields_fit(const tally_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].depth > TABLE_DEPTH || fields[i].tweak_depth > TABLE_DEPTH ||
            fields[i].worker == NULL ||
            (fields[i].depth == 0 && (count > 1 || fields[i].tweak_depth > 0))) {
            return 0;
        }
    }
    return 1;
}

/* A column by itself. */
static tally_status table_alone(tally_direction direction, tally_field *field,
                                const tally_array *root, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem)
{
    const tokens_job job = {
        .worker = field->worker, .direction = direction, .values = root, .place = ""};
    const tally_status status =
        tally_tokens_array(&job, out, &field->counts, &fault->invalid, problem);
    if (status == TALLY_OK) {
        table->release(table);
        table->release = NULL;
    }
    return status;
}

tally_status tally_tokens_table(tally_direction direction, tally_field *fields, size_t count,
                                const struct ArrowSchema *type, struct ArrowArray *table,
                                struct ArrowArray *out, tally_table_fault *fault,
                                tally_problem *problem)
{
    tally_array root;
    const char *why;
    struct ArrowArray made;
    tokens_call call = {.problem = problem};
    memset(out, 0, sizeof *out);
    memset(fault, 0, sizeof *fault);
    if (!table_fields_fit(fields, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_array_open(type, table, &root, &why)) {
        return tally_tokens_damaged(&call, "", why);
    }
    if (count == 0) {
        *out = *table;
        table->release = NULL;
        return TALLY_OK;
    }
    if (fields[0].depth == 0) {
        return table_alone(direction, &fields[0], &root, table, out, fault, problem);
    }
    const tally_allocator *allocator = &fields[0].worker->tokenizer->allocator;
    table_walk walk = {.fields = fields,
                       .count = count,
                       .direction = direction,
                       .root = &root,
                       .fault = fault,
                       .problem = problem};
    walk.holder = tally_allocate(allocator, sizeof *walk.holder);
    if (walk.holder == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(walk.holder, 0, sizeof *walk.holder);
    walk.holder->allocator = *allocator;
    atomic_init(&walk.holder->users, 1);
    tally_status status = TALLY_ERROR_MEMORY;
    walk.counts = table_allocate(&walk, count, sizeof *walk.counts);
    if (walk.counts != NULL) {
        memset(walk.counts, 0, count * sizeof *walk.counts);
        status = table_node_run(&walk, &root, NULL, &made);
    }
    for (size_t i = 0; status == TALLY_OK && i < count; i++) {
        tally_tokens_add_counts(&fields[i].counts, &walk.counts[i]);
    }
    table_release_pieces(&walk);
    if (status == TALLY_OK) {
        walk.holder->original = *table;
        table->release = NULL;
        *out = made;
    } else {
        const tally_field *field = &fields[fault->field];
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        table_write_place(type, table, field->path, field->depth, &place);
    }
    table_holder_leave(walk.holder);
    return status;
}

tally_status tally_protect_table(tally_field *fields, size_t count, const struct ArrowSchema *type,
                                 struct ArrowArray *table, struct ArrowArray *out,
                                 tally_table_fault *fault, tally_problem *problem)
{
    return tally_tokens_table(TALLY_ENCRYPT, fields, count, type, table, out, fault, problem);
}

tally_status tally_reveal_table(tally_field *fields, size_t count, const struct ArrowSchema *type,
                                struct ArrowArray *table, struct ArrowArray *out,
                                tally_table_fault *fault, tally_problem *problem)
{
    return tally_tokens_table(TALLY_DECRYPT, fields, count, type, table, out, fault, problem);
}
