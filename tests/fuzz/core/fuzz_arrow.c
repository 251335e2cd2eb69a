/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of the Arrow C data interface whose structures lie, through arrays, tables and streams.
 * Buffers have just the size that lengths and offsets ask for: what no structure says, the size of
 * a buffer, is the truth. */
#include <errno.h>

#include "fuzz.h"
#include "tallystick/tokens.h"
#include "tests/packed.h"
#include "tests/tokens_fake.h"

enum { DEPTH = 4, ROWS = 40, CHILDREN = 3, BUFFERS = 5, FIELDS = 3, BATCHES = 3, HEAP = 1 << 24 };

/* Memory that ends, so that lengths without memory behind them are refused. */
static struct {
    size_t out;
    uint32_t left; /* allocations */
} arrow_heap;

static void *arrow_allocate(void *context, size_t size)
{
    (void)context;
    if (size > HEAP - arrow_heap.out || arrow_heap.left == 0) {
        return NULL;
    }
    void *memory = malloc(size);
    arrow_heap.left--;
    arrow_heap.out += size;
    return memory;
}

static void arrow_release(void *context, void *memory, size_t size)
{
    (void)context;
    arrow_heap.out -= size;
    free(memory);
}

static const tally_allocator arrow_allocator = {arrow_allocate, arrow_release, NULL};

typedef struct node {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[BUFFERS];
    struct ArrowSchema *schemas[CHILDREN];
    struct ArrowArray *arrays[CHILDREN];
} node;

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}
static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static node *new_node(const char *format, int64_t rows, int64_t offset, int64_t buffers)
{
    node *out = FUZZ_ARRAY(node, 1);
    memset(out, 0, sizeof *out);
    out->schema = (struct ArrowSchema){
        .format = format, .name = "n", .children = out->schemas, .release = release_schema};
    out->array = (struct ArrowArray){.length = rows,
                                     .null_count = -1,
                                     .offset = offset,
                                     .n_buffers = buffers,
                                     .buffers = out->buffers,
                                     .children = out->arrays,
                                     .release = release_array};
    return out;
}

static void add_child(node *parent, node *child)
{
    parent->schemas[parent->schema.n_children++] = &child->schema;
    parent->arrays[parent->array.n_children++] = &child->array;
}

static const void *take_bitmap(fuzz_input *input, int64_t rows)
{
    return fuzz_below(input, 3) == 0 ? fuzz_bytes(input, (size_t)(rows + 7) / 8) : NULL;
}

/* Offsets of 4 or 8 bytes that ascend, as a rule; none is beyond *end. */
static const void *take_offsets(fuzz_input *input, int64_t first, int64_t rows, size_t width,
                                uint32_t longest, int64_t *end)
{
    const int64_t count = first + rows + 1;
    uint8_t *out = fuzz_buffer((size_t)count * width);
    int64_t at = fuzz_below(input, 4);
    const int lies = fuzz_below(input, 16) == 0;
    *end = at;
    for (int64_t i = 0; i < count; i++) {
        int64_t own = at;
        if (lies && fuzz_below(input, 8) == 0) {
            own = (int64_t)fuzz_number(input, width);
            own = own < 0 || (width == 4 && own > INT32_MAX) ? own : own % (at + 1);
        }
        packed_put(out + (size_t)i * width, own, width);
        *end = at;
        at += fuzz_below(input, longest);
    }
    return out;
}

static node *take_array(fuzz_input *input, int64_t rows, uint32_t depth);

static node *take_text(fuzz_input *input, const char *format, int64_t rows, int64_t offset)
{
    const size_t width = format[0] == 'u' || format[0] == 'z' ? 4 : 8;
    node *out = new_node(format, rows, offset, 3);
    int64_t end;
    out->buffers[0] = take_bitmap(input, rows + offset);
    out->buffers[1] = take_offsets(input, offset, rows, width, 9, &end);
    uint8_t *values = fuzz_bytes(input, (size_t)end);
    for (int64_t i = 0; i < end; i++) {
        values[i] = values[i] < 250 ? (uint8_t)('a' + values[i] % 26) : values[i];
    }
    out->buffers[2] = values;
    return out;
}

static node *take_views(fuzz_input *input, const char *format, int64_t rows, int64_t offset)
{
    const uint32_t pieces = fuzz_below(input, 3);
    node *out = new_node(format, rows, offset, 3 + pieces);
    int64_t *sizes = FUZZ_ARRAY(int64_t, pieces);
    for (uint32_t i = 0; i < pieces; i++) {
        sizes[i] = fuzz_below(input, 30);
        uint8_t *values = fuzz_bytes(input, (size_t)sizes[i]);
        for (int64_t j = 0; j < sizes[i]; j++) {
            values[j] = (uint8_t)('a' + values[j] % 26);
        }
        out->buffers[2 + i] = values;
    }
    out->buffers[0] = take_bitmap(input, rows + offset);
    out->buffers[2 + pieces] = sizes;
    uint8_t *views = fuzz_buffer((size_t)(rows + offset) * 16);
    for (int64_t i = 0; i < rows + offset; i++) {
        uint8_t *view = views + 16 * i;
        int32_t parts[4] = {(int32_t)fuzz_below(input, 20)};
        const uint32_t lie = fuzz_below(input, 64);
        if (parts[0] > 12) {
            parts[2] = pieces > 0 ? (int32_t)fuzz_below(input, pieces) : 0;
            parts[3] = (int32_t)fuzz_below(input, 12);
        }
        if (lie < 4) {
            parts[lie] = (int32_t)fuzz_number(input, 4);
        }
        memcpy(view, parts, 16);
        for (int j = 0; parts[0] > 0 && parts[0] <= 12 && j < parts[0]; j++) {
            view[4 + j] = (uint8_t)('a' + fuzz_below(input, 26));
        }
    }
    out->buffers[1] = views;
    return out;
}

static node *take_fixed(fuzz_input *input, const char *format, size_t width, int64_t rows,
                        int64_t offset)
{
    node *out = new_node(format, rows, offset, 2);
    out->buffers[0] = take_bitmap(input, rows + offset);
    uint8_t *values = fuzz_buffer((size_t)(rows + offset) * width);
    for (int64_t i = 0; i < rows + offset; i++) {
        uint64_t number = fuzz_below(input, 8);
        if (fuzz_below(input, 16) == 0) {
            number = fuzz_number(input, width);
        }
        packed_put(values + (size_t)i * width, (int64_t)number, width);
    }
    out->buffers[1] = values;
    return out;
}

static node *take_dictionary(fuzz_input *input, int64_t rows, int64_t offset, uint32_t depth)
{
    static const struct {
        const char *format;
        size_t width;
    } types[] = {{"c", 1}, {"C", 1}, {"s", 2}, {"S", 2}, {"i", 4}, {"I", 4}, {"l", 8}, {"L", 8}};
    const uint32_t type = fuzz_below(input, 8);
    node *out = take_fixed(input, types[type].format, types[type].width, rows, offset);
    node *entries = take_array(input, 1 + fuzz_below(input, 10), depth);
    out->schema.dictionary = &entries->schema;
    out->array.dictionary = &entries->array;
    return out;
}

static node *take_runs(fuzz_input *input, int64_t rows, int64_t offset, uint32_t depth)
{
    static const struct {
        const char *format;
        size_t width;
    } types[] = {{"s", 2}, {"i", 4}, {"l", 8}};
    const uint32_t type = fuzz_below(input, 3);
    const int64_t runs = 1 + fuzz_below(input, 10);
    node *out = new_node("+r", rows, offset, 0);
    node *ends = take_fixed(input, types[type].format, types[type].width, runs, 0);
    int64_t at = 0;
    for (int64_t i = 0; i < runs && fuzz_below(input, 32) != 0; i++) {
        at += 1 + fuzz_below(input, 8);
        if (i == runs - 1 && at < rows + offset) {
            at = rows + offset;
        }
        packed_put((uint8_t *)(uintptr_t)ends->buffers[1] + (size_t)i * types[type].width, at,
                   types[type].width);
    }
    ends->buffers[0] = NULL;
    add_child(out, ends);
    add_child(out, take_array(input, runs, depth));
    return out;
}

static node *take_list(fuzz_input *input, const char *format, int64_t rows, int64_t offset,
                       uint32_t depth)
{
    node *out = new_node(format, rows, offset, format[1] == 'w' ? 1 : 2);
    int64_t end = 2 * (rows + offset);
    out->buffers[0] = take_bitmap(input, rows + offset);
    if (format[1] != 'w') {
        out->buffers[1] = take_offsets(input, offset, rows, format[1] == 'L' ? 8 : 4, 4, &end);
    }
    if (format[1] == 'm') {
        node *entries = new_node("+s", end, 0, 1);
        add_child(entries, take_array(input, end, 0));
        add_child(entries, take_array(input, end, depth));
        add_child(out, entries);
    } else {
        add_child(out, take_array(input, end, depth));
    }
    return out;
}

/* Offsets and sizes, within the items as a rule. */
static node *take_list_view(fuzz_input *input, int wide, int64_t rows, int64_t offset,
                            uint32_t depth)
{
    const size_t width = wide ? 8 : 4;
    const int64_t count = rows + offset, items = 2 * count;
    node *out = new_node(wide ? "+vL" : "+vl", rows, offset, 3);
    uint8_t *places = fuzz_buffer((size_t)count * width),
            *sizes = fuzz_buffer((size_t)count * width);
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = fuzz_below(input, (uint64_t)items + 1);
        packed_put(places + (size_t)i * width, place, width);
        packed_put(sizes + (size_t)i * width,
                   fuzz_below(input, 16) == 0 ? (int64_t)fuzz_number(input, width)
                                              : fuzz_below(input, (uint64_t)(items - place) + 1),
                   width);
    }
    out->buffers[0] = take_bitmap(input, count);
    out->buffers[1] = places;
    out->buffers[2] = sizes;
    add_child(out, take_array(input, items, depth));
    return out;
}

static node *take_struct(fuzz_input *input, int64_t rows, int64_t offset, uint32_t depth)
{
    node *out = new_node("+s", rows, offset, 1);
    out->buffers[0] = take_bitmap(input, rows + offset);
    for (uint32_t i = fuzz_below(input, CHILDREN + 1); i > 0; i--) {
        add_child(out, take_array(input, rows + offset, depth));
    }
    return out;
}

/* Changes what a structure says, to nothing that would have to be believed. */
static void lie(fuzz_input *input, node *it)
{
    /* Other types need no larger buffers than those that are there, or other buffers and children. */
    static const char *const formats[] = {
        NULL, "n",  "",      "?",      "b",     "c",   "w:",   "w:-1", "w:99999999999", "w:1",
        "d:", "+",  "+w:-1", "tsx",    "+s",    "+r",  "+w:0", "+w:1", "+w:1000",       "+l",
        "+m", "+v", "vx",    "d:40,2", "d:0,0", "+vl", "+w:",  "e",
    };
    struct ArrowArray *array = &it->array;
    const int64_t any = (int64_t)fuzz_number(input, 8);
    switch (fuzz_below(input, 14)) {
    case 0:
        array->length = any < 0 || any > INT64_MAX / 64 ? any : any % (array->length + 1);
        break;
    case 1:
        array->offset = any < 0 || any > INT64_MAX / 64 ? any : any % (array->offset + 1);
        break;
    case 2:
        array->null_count = any;
        break;
    case 3:
        array->null_count = fuzz_below(input, 4);
        break;
    case 4:
        array->n_buffers = it->schema.format[0] == 'v' ? fuzz_below(input, 3) : any;
        break;
    case 5:
        array->n_children = any;
        break;
    case 6:
        it->schema.n_children = any;
        break;
    case 7:
        array->buffers = NULL;
        break;
    case 8:
        it->buffers[fuzz_below(input, BUFFERS)] = NULL;
        break;
    case 9:
        array->release = NULL;
        break;
    case 10:
        array->children = NULL;
        break;
    case 11:
        array->dictionary = NULL;
        break;
    case 12:
        it->schema.format = formats[fuzz_below(input, sizeof formats / sizeof *formats)];
        break;
    default:
        it->schema.release = NULL;
    }
}

/* An array that has `rows` rows behind its offset. */
static node *take_array(fuzz_input *input, int64_t rows, uint32_t depth)
{
    static const char *const texts[] = {"u", "U", "u", "U", "z", "Z"};
    const int64_t offset = fuzz_below(input, 4) == 0 ? fuzz_below(input, 12) : 0;
    const uint32_t kind = fuzz_below(input, depth == 0 ? 12 : 26);
    node *out;
    switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
        out = take_text(input, texts[kind], rows, offset);
        break;
    case 6:
    case 7:
        out = take_views(input, kind == 6 ? "vu" : "vz", rows, offset);
        break;
    case 8:
    case 9:
        out = take_fixed(input, "l", 8, rows, offset);
        break;
    case 10:
        out = take_fixed(input, "w:3", 3, rows, offset);
        break;
    case 11:
        out = new_node("n", rows, offset, 0);
        break;
    case 12:
    case 13:
    case 14:
        out = take_dictionary(input, rows, offset, fuzz_below(input, 8) == 0 ? depth - 1 : 0);
        break;
    case 15:
    case 16:
        out = take_runs(input, rows, offset, fuzz_below(input, 8) == 0 ? depth - 1 : 0);
        break;
    case 17:
        out = take_list(input, "+l", rows, offset, depth - 1);
        break;
    case 18:
        out = take_list(input, "+L", rows, offset, depth - 1);
        break;
    case 19:
        out = take_list(input, "+w:2", rows, offset, depth - 1);
        break;
    case 20:
        out = take_list(input, "+m", rows, offset, depth - 1);
        break;
    case 21:
    case 22:
        out = take_list_view(input, kind == 22, rows, offset, depth - 1);
        break;
    default:
        out = take_struct(input, rows, offset, depth - 1);
    }
    if (fuzz_below(input, 32) == 0) {
        lie(input, out);
    }
    return out;
}

static uint64_t touched;

static void touch(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        touched += ((const uint8_t *)bytes)[i];
    }
}

/* Reads all that an array of text or integers says that it has. */
static void read_array(const char *format, const struct ArrowArray *array)
{
    const size_t rows = (size_t)array->length, from = (size_t)array->offset;
    if (array->n_buffers > 0 && array->buffers[0] != NULL) {
        touch(array->buffers[0], (rows + from + 7) / 8);
    }
    if (format[0] == 'u' || format[0] == 'U') {
        const size_t width = format[0] == 'u' ? 4 : 8;
        const uint8_t *offsets = (const uint8_t *)array->buffers[1] + from * width;
        const int64_t start = packed_get(offsets, width);
        int64_t end = start;
        for (size_t i = 0; i <= rows; i++) {
            const int64_t next = packed_get(offsets + i * width, width);
            CHECK(next >= end);
            end = next;
        }
        touch((const uint8_t *)array->buffers[2] + start, (size_t)(end - start));
    } else if (format[0] == 'l') {
        touch(array->buffers[1], 8 * rows);
    } else if (format[0] == 'v') {
        touch(array->buffers[1], 16 * rows);
        touch(array->buffers[2], (size_t)((const int64_t *)array->buffers[3])[0]);
    }
}

/* Reads a result, without what was not touched. */
static void read_result(const struct ArrowSchema *type, const struct ArrowArray *array,
                        int64_t length)
{
    CHECK(array->release != NULL && array->length == length && array->offset == 0);
    if (type->dictionary != NULL) {
        const size_t width = strchr("cC", type->format[0]) != NULL   ? 1
                             : strchr("sS", type->format[0]) != NULL ? 2
                             : strchr("iI", type->format[0]) != NULL ? 4
                                                                     : 8;
        touch(array->buffers[1], width * (size_t)length);
        read_array(type->dictionary->format, array->dictionary);
    } else if (type->format[0] == '+') {
        const int64_t runs = array->children[0]->length;
        CHECK(array->children[1]->length == runs);
        read_array(type->children[1]->format, array->children[1]);
    } else {
        read_array(type->format, array);
    }
}

static bool status_is_known(tally_status status)
{
    return status == TALLY_OK || status == TALLY_ERROR_MEMORY || status == TALLY_ERROR_ARRAY ||
           status == TALLY_ERROR_INVALID || status == TALLY_ERROR_TYPE ||
           status == TALLY_ERROR_TWEAKS || status == TALLY_ERROR_CAPACITY ||
           status == TALLY_ERROR_ARGUMENT;
}

/* Whatever it says of an array, it reads no more than is there. */
static void run_check(const node *it)
{
    tally_problem problem;
    tally_status status = tally_array_check(&it->schema, &it->array, &problem);
    CHECK(status == TALLY_OK || status == TALLY_ERROR_ARRAY);
    if (status == TALLY_OK) { /* then the type alone is right too */
        status = tally_array_check(&it->schema, NULL, &problem);
        CHECK_EQUAL(status, TALLY_OK);
    }
}

static void run_array(fuzz_input *input, tally_worker *worker)
{
    const int64_t rows = fuzz_below(input, ROWS);
    const int reveal = fuzz_below(input, 2) != 0, each = fuzz_below(input, 3) == 0;
    node *values = take_array(input, rows, 1);
    node *tweaks = fuzz_below(input, 3) == 0 ? take_array(input, rows, 1) : NULL;
    const struct ArrowSchema *own_type = tweaks == NULL ? NULL : &tweaks->schema;
    const struct ArrowArray *own = tweaks == NULL ? NULL : &tweaks->array;
    const int64_t length = values->array.length;
    struct ArrowArray out;
    tally_counts counts = {0};
    tally_invalid invalid;
    tally_problem problem;
    tally_status status;
    run_check(values);
    if (each) {
        const size_t room = length > 0 && length <= rows ? (size_t)length : 0;
        uint8_t *reasons = fuzz_buffer(room);
        status = (reveal ? tally_reveal_rows
                         : tally_protect_rows)(worker, &values->schema, &values->array, own_type,
                                               own, &out, reasons, &counts, &problem);
        CHECK(status != TALLY_ERROR_INVALID);
        for (size_t i = 0; status == TALLY_OK && i < room; i++) {
            CHECK(reasons[i] <= TALLY_REASON_NORMAL);
        }
    } else {
        status = (reveal ? tally_reveal_array
                         : tally_protect_array)(worker, &values->schema, &values->array, own_type,
                                                own, &out, &counts, &invalid, &problem);
    }
    CHECK(status_is_known(status));
    CHECK((out.release != NULL) == (status == TALLY_OK));
    if (status == TALLY_OK) {
        CHECK(counts.rows == (uint64_t)length);
        read_result(&values->schema, &out, length);
        out.release(&out);
    }
    if (status == TALLY_ERROR_INVALID) {
        CHECK(invalid.row < (uint64_t)length && invalid.fault.reason != TALLY_REASON_NONE);
    }
}

typedef struct some_fields {
    uint32_t paths[FIELDS][2][6], count;
    tally_field fields[FIELDS];
} some_fields;

static void take_fields(fuzz_input *input, tally_worker *worker, some_fields *out)
{
    memset(out, 0, sizeof *out);
    out->count = 1 + fuzz_below(input, FIELDS);
    for (uint32_t i = 0; i < out->count; i++) {
        for (int j = 0; j < 12; j++) {
            out->paths[i][j / 6][j % 6] = fuzz_below(input, 4) == 0 ? fuzz_below(input, 4) : 0;
        }
        out->fields[i].worker = worker;
        out->fields[i].path = out->paths[i][0];
        out->fields[i].tweak = out->paths[i][1];
        out->fields[i].depth = fuzz_below(input, 7);
        out->fields[i].tweak_depth = fuzz_below(input, 3) == 0 ? fuzz_below(input, 7) : 0;
    }
}

static node *take_table(fuzz_input *input)
{
    const int64_t rows = fuzz_below(input, ROWS);
    const int64_t offset = fuzz_below(input, 8) == 0 ? fuzz_below(input, 5) : 0;
    return fuzz_below(input, 8) == 0 ? take_array(input, rows, DEPTH)
                                     : take_struct(input, rows, offset, DEPTH);
}

static void run_table(fuzz_input *input, tally_worker *worker)
{
    some_fields chosen;
    take_fields(input, worker, &chosen);
    node *table = take_table(input);
    struct ArrowArray out;
    tally_table_fault fault;
    tally_problem problem;
    const tally_status status =
        (fuzz_below(input, 2) == 0 ? tally_protect_table : tally_reveal_table)(
            chosen.fields, chosen.count, &table->schema, &table->array, &out, &fault, &problem);
    CHECK(status_is_known(status));
    CHECK((out.release != NULL) == (status == TALLY_OK));
    if (status == TALLY_OK) {
        CHECK(table->array.release == NULL);
        const struct ArrowSchema *type = &table->schema;
        const struct ArrowArray *array = &out;
        for (uint32_t i = 0; i < chosen.fields[0].depth; i++) {
            type = type->children[chosen.paths[0][0][i]];
            array = array->children[chosen.paths[0][0][i]];
        }
        read_result(type, array, array->length);
        out.release(&out);
    }
    CHECK(fault.field < chosen.count);
}

/* The same array once more, in structures of its own. */
static node *copy_node(const node *it)
{
    node *out = FUZZ_ARRAY(node, 1);
    *out = *it;
    out->array.buffers = it->array.buffers == NULL ? NULL : out->buffers;
    out->array.children = it->array.children == NULL ? NULL : out->arrays;
    for (int i = 0; i < CHILDREN && it->schemas[i] != NULL; i++) {
        out->arrays[i] = &copy_node((const node *)(const void *)it->schemas[i])->array;
    }
    if (it->array.dictionary != NULL) {
        const node *entries = (const node *)(const void *)it->schema.dictionary;
        out->array.dictionary = &copy_node(entries)->array;
    }
    return out;
}

typedef struct batches {
    node *table[BATCHES];
    uint32_t count, at, end; /* `end`: the batch that fails */
} batches;

static int source_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const batches *own = stream->private_data;
    *out = own->table[0]->schema;
    return own->end == BATCHES + 1 ? EIO : 0;
}

static int source_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    batches *own = stream->private_data;
    memset(out, 0, sizeof *out);
    if (own->at == own->end) {
        return EIO;
    }
    if (own->at < own->count) {
        *out = own->table[own->at++]->array;
    }
    return 0;
}

static const char *source_error(struct ArrowArrayStream *stream)
{
    const batches *own = stream->private_data;
    return own->end == 0 ? NULL : "the source fails";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* Tables of one type; the arrays of the later ones may lie. */
static void run_stream(fuzz_input *input, tally_worker *worker)
{
    some_fields chosen;
    take_fields(input, worker, &chosen);
    batches own = {.count = 1 + fuzz_below(input, BATCHES), .end = UINT32_MAX};
    own.table[0] = take_table(input);
    for (uint32_t i = 1; i < own.count; i++) {
        own.table[i] = copy_node(own.table[0]);
        if (fuzz_below(input, 4) == 0) {
            lie(input, own.table[i]);
        }
    }
    if (fuzz_below(input, 8) == 1) {
        own.end = fuzz_below(input, BATCHES + 2);
    }
    struct ArrowArrayStream source = {source_schema, source_next, source_error, release_stream,
                                      &own},
                            out;
    tally_problem problem;
    tally_table_fault fault;
    const tally_status status =
        (fuzz_below(input, 2) == 0 ? tally_protect_stream : tally_reveal_stream)(
            chosen.fields, chosen.count, &source, &out, &problem);
    CHECK(status_is_known(status));
    CHECK((out.release != NULL) == (status == TALLY_OK));
    if (status != TALLY_OK) {
        return;
    }
    CHECK(source.release == NULL);
    for (uint32_t i = 0;; i++) {
        struct ArrowArray table;
        const int code = out.get_next(&out, &table);
        const tally_status ended = tally_stream_status(&out, &fault, &problem);
        CHECK(i <= own.count && (code != 0 || ended == TALLY_OK) && status_is_known(ended));
        if (code != 0 || table.release == NULL) {
            CHECK(table.release == NULL);
            (void)out.get_last_error(&out);
            break;
        }
        table.release(&table);
    }
    struct ArrowSchema type;
    if (out.get_schema(&out, &type) == 0 && type.release != NULL) {
        type.release(&type);
    }
    out.release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static const uint8_t key[16] = {1};
    const uint32_t kind = fuzz_below(&input, 64);
    tally_format format = fake_format(kind & 1);
    tally_tokenizer *tokenizer;
    tally_worker *worker = NULL;
    tally_problem problem;
    arrow_heap.left = kind >= 60 ? 2 + fuzz_below(&input, 32) : UINT32_MAX;
    tally_status status =
        tally_tokenizer_new(&arrow_allocator, &format, key, sizeof key, "n", 1,
                            (tally_on_invalid)(kind / 2 % 3), &tokenizer, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    status = tally_worker_new(tokenizer, &worker);
    CHECK_EQUAL(status, TALLY_OK);
    for (uint32_t calls = 1 + fuzz_below(&input, 3); calls > 0; calls--) {
        static void (*const runs[])(fuzz_input *, tally_worker *) = {run_array, run_table,
                                                                     run_stream};
        runs[fuzz_below(&input, 3)](&input, worker);
    }
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    CHECK_EQUAL(arrow_heap.out, 0);
    return fuzz_end();
}
