/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables: columns in structs, lists and maps, the tweaks of rows and items, and who releases what. */
#include "tokens_calls.h"

static tally_format words, longs; /* the second's tokens are longer than values */
static tally_table_fault fault;
static int released; /* how often the table's callback was called */

static void release_table(struct ArrowArray *array)
{
    released++;
    array->release = NULL;
}

/* A table of five rows, of which the fourth has null in each nested column:
 *
 *   0 number  int64
 *   1 name    text
 *   2 contact struct of name and email
 *   3 phones  list of text
 *   4 orders  list of struct of item and tags (a list of text)
 *   5 attributes map of text to text */
typedef struct table {
    made *all[24];
    size_t count;
    made *root;
} table;

static made *keep(table *it, const char *name, made *one)
{
    one->schema.name = name;
    return it->all[it->count++] = one;
}

static const uint8_t rows_valid[] = {0x17};
static const int32_t phones_ends[] = {0, 2, 2, 3, 4, 6}; /* a null list has an item */
static const int32_t orders_ends[] = {0, 1, 3, 3, 3, 4};
static const int32_t tags_ends[] = {0, 1, 3, 3, 4};
static const int32_t map_ends[] = {0, 1, 1, 2, 3, 4};

static made *new_list(const char *format, const int32_t *ends, size_t count,
                      const uint8_t *validity, made *items)
{
    made *out = made_new(format, (int64_t)count, 2);
    out->buffers[0] = validity == NULL ? NULL : made_copy(validity, 1);
    out->buffers[1] = made_copy(ends, (count + 1) * sizeof *ends);
    return made_child(out, items);
}

static made *new_struct(int64_t rows, const uint8_t *validity)
{
    made *out = made_new("+s", rows, 1);
    out->buffers[0] = validity == NULL ? NULL : made_copy(validity, 1);
    return out;
}

static table new_table(void)
{
    static const int64_t numbers[] = {1, 2, 3, 4, 5};
    static const char *const names[] = {"anne", "bob", NULL, "dora", "eve"};
    static const char *const tweaks[] = {"\1", "\2", "\3", "\4", "\5"};
    static const char *const emails[] = {"ab", "cd", "ef", "NOTAWORD", "gh"};
    static const char *const phones[] = {"aa", "bb", "cc", "HIDDEN", "dd", NULL};
    static const char *const items[] = {"m", "n", "o", "p"};
    static const char *const tags[] = {"ta", "tb", "tc", "td"};
    static const char *const keys[] = {"K", "K", "K", "L"};
    static const char *const values[] = {"va", "vb", "HIDDEN", "vc"};
    table it = {.count = 0};
    it.root = keep(&it, "", new_struct(5, NULL));
    made_child(it.root, keep(&it, "number", made_fixed("l", numbers, 8, 5, NULL)));
    made_child(it.root, keep(&it, "name", made_text("u", names, 5)));
    made *contact = keep(&it, "contact", new_struct(5, rows_valid));
    made_child(contact, keep(&it, "tweak", made_text("u", tweaks, 5)));
    made_child(contact, keep(&it, "email", made_text("u", emails, 5)));
    made_child(it.root, contact);
    made *phone = keep(&it, "item", made_text("u", phones, 6));
    made_child(it.root, keep(&it, "phones", new_list("+l", phones_ends, 5, rows_valid, phone)));
    made *tag = keep(&it, "item", made_text("u", tags, 4));
    made *order = keep(&it, "item", new_struct(4, NULL));
    made_child(order, keep(&it, "item", made_text("u", items, 4)));
    made_child(order, keep(&it, "tags", new_list("+l", tags_ends, 4, NULL, tag)));
    made_child(it.root, keep(&it, "orders", new_list("+l", orders_ends, 5, rows_valid, order)));
    made *entry = keep(&it, "entries", new_struct(4, NULL));
    made_child(entry, keep(&it, "key", made_text("u", keys, 4)));
    made_child(entry, keep(&it, "value", made_text("u", values, 4)));
    made_child(it.root, keep(&it, "attributes", new_list("+m", map_ends, 5, rows_valid, entry)));
    it.root->array.release = release_table;
    return it;
}

static void free_table(table *it)
{
    while (it->count > 0) {
        made_free(it->all[--it->count]);
    }
}

/* The array at a path, with its type. */
static const struct ArrowArray *at(const table *it, const struct ArrowArray *array,
                                   const uint32_t *path, size_t depth,
                                   const struct ArrowSchema **type)
{
    *type = &it->root->schema;
    for (size_t i = 0; i < depth; i++) {
        array = array->children[path[i]];
        *type = (*type)->children[path[i]];
    }
    return array;
}

static void check_at(const table *it, const struct ArrowArray *array, const uint32_t *path,
                     size_t depth, const char *const *expected, int64_t count)
{
    const struct ArrowSchema *type;
    const struct ArrowArray *leaf = at(it, array, path, depth, &type);
    check_rows(type, leaf, expected, count);
}

static tally_status run(tally_field *fields, size_t count, table *it, struct ArrowArray *out)
{
    memset(&problem, 0, sizeof problem);
    return tally_protect_table(fields, count, &it->root->schema, &it->root->array, out, &fault,
                               &problem);
}

#define PATH(...)                                                                                  \
    .path = (const uint32_t[]){__VA_ARGS__},                                                       \
    .depth = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define TWEAK(...)                                                                                 \
    .tweak = (const uint32_t[]){__VA_ARGS__},                                                      \
    .tweak_depth = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* Protects one column, and compares it; reveals it, and compares with what was there. */
static void check_column(tally_field field, const char *const *expected, int64_t count)
{
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    table values = new_table();
    struct ArrowArray out, back;
    const struct ArrowSchema *type;
    field.worker = it.worker;
    released = 0;
    const tally_status status = run(&field, 1, &values, &out);
    CHECK_EQUAL(status, TALLY_OK);
    if (status != TALLY_OK) {
        fprintf(stderr, "    %s: %s\n", problem.place, problem.text);
        free_table(&values);
        pair_free(&it);
        return;
    }
    CHECK(values.root->array.release == NULL && released == 0);
    CHECK_EQUAL(field.counts.rows, count);
    const struct ArrowArray *leaf = at(&values, &out, field.path, field.depth, &type);
    check_rows(type, leaf, expected, count);
    CHECK_EQUAL(tally_reveal_table(&field, 1, &values.root->schema, &out, &back, &fault, &problem),
                TALLY_OK);
    CHECK(out.release == NULL && released == 0);
    leaf = at(&values, &back, field.path, field.depth, &type);
    made *original = NULL;
    for (size_t i = 0; i < values.count; i++) {
        original = &values.all[i]->schema == type ? values.all[i] : original;
    }
    for (int64_t i = 0; i < count && original != NULL; i++) {
        const char *row = made_row(type, leaf, i), *before = made_row(type, &original->array, i);
        CHECK(row == NULL ? before == NULL || expected[i] == NULL : strcmp(row, before) == 0);
    }
    back.release(&back);
    CHECK_EQUAL(released, 1);
    free_table(&values);
    pair_free(&it);
}

static void test_paths(void)
{
    CHECK_ABOUT("name");
    check_column((tally_field){PATH(1)}, (const char *const[]){"dqqh", "ere", NULL, "grud", "hyh"},
                 5);
    CHECK_ABOUT("contact.email");
    check_column((tally_field){PATH(2, 1)}, (const char *const[]){"de", "fg", "hi", NULL, "jk"}, 5);
    CHECK_ABOUT("contact.email with a tweak");
    check_column((tally_field){PATH(2, 1), TWEAK(2, 0)},
                 (const char *const[]){"ef", "hi", "kl", NULL, "op"}, 5);
    CHECK_ABOUT("phones[]");
    check_column((tally_field){PATH(3, 0)},
                 (const char *const[]){"dd", "ee", "ff", NULL, "gg", NULL}, 6);
    CHECK_ABOUT("phones[] with the tweak of the row");
    check_column((tally_field){PATH(3, 0), TWEAK(2, 0)},
                 (const char *const[]){"ee", "ff", "ii", NULL, "ll", NULL}, 6);
    CHECK_ABOUT("orders[].tags[]");
    check_column((tally_field){PATH(4, 0, 1, 0)}, (const char *const[]){"wd", "we", "wf", "wg"}, 4);
    CHECK_ABOUT("orders[].tags[] with the tweak of the row");
    check_column((tally_field){PATH(4, 0, 1, 0), TWEAK(2, 0)},
                 (const char *const[]){"xe", "yg", "yh", "bl"}, 4);
    CHECK_ABOUT("orders[].tags[] with the tweak of the order");
    check_column((tally_field){PATH(4, 0, 1, 0), TWEAK(4, 0, 0)},
                 /* m n o p are 109 to 112: 5, 6, 7 and 8 modulo 26 */
                 (const char *const[]){"bi", "ck", "cl", "eo"}, 4);
    CHECK_ABOUT("attributes{}");
    check_column((tally_field){PATH(5, 0, 1)}, (const char *const[]){"yd", "ye", NULL, "yf"}, 4);
}

static void test_together(void)
{
    CHECK_ABOUT("columns together");
    pair one = pair_new(&words, TALLY_INVALID_ERROR), two = pair_new(&longs, TALLY_INVALID_NULL);
    table values = new_table();
    tally_field fields[] = {{PATH(4, 0, 0), .worker = two.worker},
                            {PATH(1), .worker = one.worker},
                            {PATH(4, 0, 1, 0), .worker = one.worker},
                            {PATH(0), .worker = one.worker}};
    struct ArrowArray out;
    const struct ArrowSchema *type;
    released = 0;
    CHECK_EQUAL(run(fields, 4, &values, &out), TALLY_OK);
    const uint32_t item[] = {4, 0, 0}, tag[] = {4, 0, 1, 0}, name[] = {1}, email[] = {2, 1};
    check_at(&values, &out, item, 3, (const char *const[]){"pp", "qq", "rr", "ss"}, 4);
    check_at(&values, &out, tag, 4, (const char *const[]){"wd", "we", "wf", "wg"}, 4);
    check_at(&values, &out, name, 1, (const char *const[]){"dqqh", "ere", NULL, "grud", "hyh"}, 5);
    CHECK_EQUAL(((const int64_t *)out.children[0]->buffers[1])[4], 8);
    CHECK(at(&values, &out, email, 2, &type)->buffers[2] ==
          values.root->arrays[2]->children[1]->buffers[2]); /* it was not copied */
    CHECK(fields[1].counts.nulls == 1 && fields[0].counts.rows == 4);
    /* A child may be moved away, and live longer than the rest. */
    struct ArrowArray moved = *out.children[2];
    out.children[2]->release = NULL;
    struct ArrowArray protected_one = *out.children[1];
    out.children[1]->release = NULL;
    out.release(&out);
    CHECK_EQUAL(released, 0);
    check_rows(values.root->schemas[2]->children[0], moved.children[0],
               (const char *const[]){"\1", "\2", "\3", "\4", "\5"}, 5);
    moved.release(&moved);
    CHECK_EQUAL(released, 1);
    check_rows(values.root->schemas[1], &protected_one,
               (const char *const[]){"dqqh", "ere", NULL, "grud", "hyh"}, 5);
    protected_one.release(&protected_one);
    free_table(&values);
    CHECK_ABOUT("no columns");
    values = new_table();
    CHECK_EQUAL(run(fields, 0, &values, &out), TALLY_OK);
    CHECK(values.root->array.release == NULL && out.length == 5);
    out.release(&out);
    free_table(&values);
    pair_free(&one);
    pair_free(&two);
}

/* Rows of a table from one on. */
static void test_sliced(void)
{
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    static const char *const phones[] = {"dd", "ee", "ff", NULL, "gg", NULL};
    static const char *const tweaked[] = {"ee", "ff", "ii", NULL, "ll", NULL};
    static const char *const names[] = {"dqqh", "ere", NULL, "grud", "hyh"};
    for (int64_t start = 0; start < 5; start++) {
        for (int64_t length = 0; length <= 5 - start; length++) {
            for (int lists = 0; lists < 2; lists++) { /* whether the columns are sliced too */
                CHECK_ABOUT("rows from %d, %d of them", (int)start, (int)length);
                table values = new_table();
                tally_field fields[] = {{PATH(1), .worker = it.worker},
                                        {PATH(3, 0), .worker = it.worker},
                                        {PATH(5, 0, 1), TWEAK(2, 0), .worker = it.worker}};
                const int64_t inner = lists ? start : 0;
                values.root->array.offset = start - inner;
                values.root->array.length = length;
                for (int i = 0; i < 6 && lists; i++) {
                    values.root->arrays[i]->offset = inner;
                    values.root->arrays[i]->length = length;
                }
                if (start % 2 != 0) {
                    static const uint32_t tweak[] = {2, 0};
                    fields[1].tweak = tweak;
                    fields[1].tweak_depth = 2;
                }
                struct ArrowArray out;
                const tally_status status = run(fields, 3, &values, &out);
                CHECK_EQUAL(status, TALLY_OK);
                if (status == TALLY_OK) {
                    CHECK(out.length == length && out.offset == 0);
                    check_rows(values.root->schemas[1], out.children[1], names + start, length);
                    const int32_t first = phones_ends[start], last = phones_ends[start + length];
                    check_rows(values.root->schemas[3]->children[0], out.children[3]->children[0],
                               (start % 2 != 0 ? tweaked : phones) + first, last - first);
                    const int32_t *offsets = out.children[3]->buffers[1];
                    for (int64_t i = 0; i <= length; i++) {
                        CHECK_EQUAL(offsets[i], phones_ends[start + i] - first);
                    }
                    const struct ArrowArray *numbers = out.children[0];
                    CHECK(numbers->length == length && numbers->offset == start);
                    out.release(&out);
                }
                free_table(&values);
            }
        }
    }
    pair_free(&it);
}

static void test_faults(void)
{
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    struct ArrowArray out;
    released = 0;
    table values = new_table();
    CHECK_ABOUT("an invalid value in a list");
    memcpy((char *)(uintptr_t)values.root->arrays[3]->children[0]->buffers[2] + 4, "?", 1);
    tally_field fields[] = {{PATH(1), .worker = it.worker}, {PATH(3, 0), .worker = it.worker}};
    CHECK_EQUAL(run(fields, 2, &values, &out), TALLY_ERROR_INVALID);
    CHECK(fault.field == 1 && fault.invalid.row == 2 && fault.invalid.fault.position == 1);
    CHECK(strcmp(problem.place, "phones[]") == 0);
    CHECK(out.release == NULL && values.root->array.release != NULL && released == 0);
    CHECK_EQUAL(fields[0].counts.rows, 0);
    const struct {
        tally_field field;
        tally_status status;
        const char *place;
    } wrong[] = {
        {{PATH(6)}, TALLY_ERROR_ARGUMENT, ""},
        {{PATH(2, 2)}, TALLY_ERROR_ARGUMENT, "contact"},
        {{PATH(3, 1)}, TALLY_ERROR_ARGUMENT, "phones"},
        {{PATH(1, 0)}, TALLY_ERROR_TYPE, "name"},
        {{PATH(3)}, TALLY_ERROR_TYPE, "phones"},
        {{PATH(2)}, TALLY_ERROR_TYPE, "contact"},
        {{PATH(5, 0, 1), TWEAK(3, 0)}, TALLY_ERROR_TWEAKS, "attributes{}"},
        {{PATH(3, 0), TWEAK(4, 0, 0)}, TALLY_ERROR_TWEAKS, "phones[]"},
        {{PATH(1), TWEAK(3, 0)}, TALLY_ERROR_TWEAKS, "name"},
        {{PATH(1), TWEAK(7)}, TALLY_ERROR_ARGUMENT, "name"},
        {{PATH(1), TWEAK(2)}, TALLY_ERROR_TWEAKS, "name"},
        {{PATH(4, 0, 0), TWEAK(4, 0, 1, 0)}, TALLY_ERROR_TWEAKS, "orders[].item"},
        {{.depth = 0}, TALLY_ERROR_TYPE, ""},
        {{.depth = 0, TWEAK(1)}, TALLY_ERROR_ARGUMENT, ""},
        {{.depth = 33}, TALLY_ERROR_ARGUMENT, ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_ABOUT("wrong %d", (int)i);
        tally_field field = wrong[i].field;
        field.worker = it.worker;
        CHECK_EQUAL(run(&field, 1, &values, &out), wrong[i].status);
        CHECK(out.release == NULL && values.root->array.release != NULL);
        CHECK(strcmp(problem.place, wrong[i].place) == 0);
        if (strcmp(problem.place, wrong[i].place) != 0) {
            fprintf(stderr, "    %s: %s\n", problem.place, problem.text);
        }
    }
    CHECK_ABOUT("text of the first rows ends beyond the last row's");
    int32_t *name_ends = (int32_t *)(uintptr_t)values.root->arrays[1]->buffers[1],
            held = name_ends[2];
    tally_field part[] = {{PATH(1), .worker = it.worker},
                          {PATH(2, 1), TWEAK(1), .worker = it.worker}};
    values.root->array.length = 2;
    name_ends[2] = 1 << 28;
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQUAL(run(&part[i], 1, &values, &out), TALLY_ERROR_ARRAY);
    }
    name_ends[2] = held;
    values.root->array.length = 5;
    CHECK_ABOUT("a column in another");
    tally_field both[] = {{PATH(2, 1), .worker = it.worker}, {PATH(2), .worker = it.worker}};
    CHECK_EQUAL(run(both, 2, &values, &out), TALLY_ERROR_ARGUMENT);
    tally_field turned[] = {both[1], both[0]};
    CHECK_EQUAL(run(turned, 2, &values, &out), TALLY_ERROR_ARGUMENT);
    tally_field twice[] = {{PATH(1), .worker = it.worker}, {PATH(1), .worker = it.worker}};
    CHECK_EQUAL(run(twice, 2, &values, &out), TALLY_ERROR_ARGUMENT);
    CHECK_ABOUT("lies of tables");
    tally_field field = {PATH(3, 0), .worker = it.worker};
    struct ArrowArray *const list = values.root->arrays[3];
    struct ArrowArray before = *list;
#define DAMAGED(change)                                                                            \
    do {                                                                                           \
        change;                                                                                    \
        CHECK_EQUAL(run(&field, 1, &values, &out), TALLY_ERROR_ARRAY);                             \
        CHECK(out.release == NULL && released == 0);                                               \
        *list = before;                                                                            \
    } while (0)
    DAMAGED(list->length = 4);
    DAMAGED(list->length = -1);
    DAMAGED(list->null_count = 0);
    DAMAGED(list->release = NULL);
    DAMAGED(list->n_children = 0);
    DAMAGED(list->children = NULL);
    DAMAGED(list->n_buffers = 1);
    struct ArrowSchema *const list_type = values.root->schemas[3];
    DAMAGED(list_type->n_children = INT64_MAX);
    list_type->n_children = 1;
    struct ArrowArray *const items = list->children[0];
    DAMAGED(items->length = 5);
    items->length = 6;
    int32_t *ends = (int32_t *)(uintptr_t)list->buffers[1];
    DAMAGED(ends[5] = 7);
    DAMAGED(ends[5] = 3);
    DAMAGED((ends[5] = 6, ends[0] = -1));
    ends[0] = 0;
    struct ArrowArray *const other = values.root->arrays[0]; /* which is not touched */
    const struct ArrowArray other_before = *other;
    DAMAGED(other->length = 4);
    *other = other_before;
    DAMAGED(other->release = NULL);
    *other = other_before;
    free_table(&values);
    pair_free(&it);
}

/* What is under a null is null: values in runs, and tweaks. */
static void test_hidden(void)
{
    static const char *const names[] = {"aa", "bb", "cc", "dd", "ee"};
    static const char *const texts[] = {"\1", "\1", "\1", "\1", "\1"};
    static const char *const held[] = {"aa", "HIDDEN", "bb"};
    static const int32_t ends[] = {3, 4, 5};
    pair it = pair_new(&words, TALLY_INVALID_NULL);
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        CHECK_ABOUT("hidden, dictionary %d", dictionary);
        made *name = made_text("u", names, 5), *text = made_text("u", texts, 5), *index = NULL;
        if (dictionary) {
            index = made_dictionary(made_fixed("c", "\0\1\2\3\4", 1, 5, NULL), text);
        }
        made *inner = made_child(new_struct(5, rows_valid), dictionary ? index : text);
        made *run_ends = made_fixed("i", ends, 4, 3, NULL), *run_values = made_text("u", held, 3);
        made *runs = made_child(made_child(made_new("+r", 5, 0), run_ends), run_values);
        made_child(inner, runs);
        made *root = made_child(made_child(new_struct(5, NULL), name), inner);
        tally_field fields[] = {{PATH(0), TWEAK(1, 0), .worker = it.worker},
                                {PATH(1, 1), .worker = it.worker}};
        struct ArrowArray out;
        CHECK_EQUAL(
            tally_protect_table(fields, 2, &root->schema, &root->array, &out, &fault, &problem),
            TALLY_OK);
        check_rows(&name->schema, out.children[0],
                   (const char *const[]){"ee", "ff", "gg", NULL, "ii"}, 5);
        CHECK_EQUAL(fields[0].counts.invalid[TALLY_REASON_TWEAK], 1);
        check_rows(&runs->schema, out.children[1]->children[1],
                   (const char *const[]){"dd", "dd", "dd", NULL, "ee"}, 5);
        CHECK_EQUAL(fields[1].counts.invalid[TALLY_REASON_FOREIGN], 0);
        out.release(&out);
        made *all[] = {name, text, index, inner, run_ends, run_values, runs, root};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            made_free(all[i]);
        }
    }
    pair_free(&it);
}

/* Less and less memory. */
static void test_memory(void)
{
    CHECK_ABOUT("memory ends");
    bool done = false;
    for (long left = 0; !done && left < 200; left++) {
        pair it = pair_new(&words, TALLY_INVALID_ERROR);
        table values = new_table();
        tally_field fields[] = {{PATH(4, 0, 1, 0), TWEAK(2, 0), .worker = it.worker},
                                {PATH(2, 1), .worker = it.worker},
                                {PATH(5, 0, 1), TWEAK(2, 0), .worker = it.worker}};
        struct ArrowArray out;
        released = 0;
        heap.left = left;
        const tally_status status = run(fields, 3, &values, &out);
        heap.left = -1;
        done = status == TALLY_OK;
        CHECK(done || status == TALLY_ERROR_MEMORY);
        CHECK((values.root->array.release == NULL) == done && released == 0);
        pair_free(&it);
        if (done) {
            out.release(&out);
        }
        CHECK_EQUAL(released, done);
        CHECK_EQUAL(heap.out, 0);
        free_table(&values);
    }
    CHECK(done);
}

/* A stream of three tables, or of their second columns; it fails after the last if that is wanted. */
typedef struct source {
    table tables[3];
    int next, fails, alone;
} source;

static int source_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    source *it = stream->private_data;
    *out = it->alone ? *it->tables[0].root->schemas[1] : it->tables[0].root->schema;
    return 0;
}

static int source_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    source *it = stream->private_data;
    if (it->next == 3) {
        out->release = NULL;
        return it->fails ? 5 : 0;
    }
    struct ArrowArray *root = &it->tables[it->next++].root->array;
    if (it->alone) {
        root->children[1]->release = release_table;
        root = root->children[1];
    }
    *out = *root;
    root->release = NULL;
    return 0;
}

static const char *source_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the source has failed";
}

static void source_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    released += 100;
}

static void test_streams(void)
{
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    for (int kind = 0; kind < 4; kind++) { /* good, an invalid value, the source fails, columns */
        CHECK_ABOUT("stream %d", kind);
        source from = {.fails = kind == 2, .alone = kind == 3};
        for (int i = 0; i < 3; i++) {
            from.tables[i] = new_table();
        }
        if (kind == 1) {
            memcpy((char *)(uintptr_t)from.tables[2].root->arrays[1]->buffers[2], "?", 1);
        }
        struct ArrowArrayStream in = {source_schema, source_next, source_error, source_release,
                                      &from};
        struct ArrowArrayStream out;
        static const uint32_t path[] = {1};
        tally_field field = {.path = path, .depth = kind != 3, .worker = it.worker};
        released = 0;
        CHECK_EQUAL(tally_protect_stream(&field, 1, &in, &out, &problem), TALLY_OK);
        CHECK(in.release == NULL);
        struct ArrowSchema type;
        CHECK_EQUAL(out.get_schema(&out, &type), 0);
        for (int i = 0; i < 3; i++) {
            struct ArrowArray batch;
            const int code = out.get_next(&out, &batch);
            if (kind == 1 && i == 2) {
                CHECK_EQUAL(code, 22);
                CHECK(strcmp(out.get_last_error(&out),
                             "name: row 10: it has a character that the "
                             "format does not allow there (another character, character 1)") == 0);
                CHECK_EQUAL(tally_stream_status(&out, &fault, &problem), TALLY_ERROR_INVALID);
                CHECK(fault.invalid.row == 10 && fault.invalid.fault.position == 1);
                continue;
            }
            CHECK_EQUAL(code, 0);
            check_rows(kind == 3 ? &type : type.children[1], kind == 3 ? &batch : batch.children[1],
                       (const char *const[]){"dqqh", "ere", NULL, "grud", "hyh"}, 5);
            batch.release(&batch);
            CHECK_EQUAL(released, i + 1);
        }
        struct ArrowArray batch;
        CHECK_EQUAL(out.get_next(&out, &batch), kind == 2 ? 5 : 0);
        CHECK(batch.release == NULL);
        if (kind == 2) {
            CHECK(strcmp(out.get_last_error(&out), "the source has failed") == 0);
        }
        CHECK_EQUAL(field.counts.rows, kind == 1 ? 10 : 15);
        out.release(&out);
        CHECK(out.release == NULL && released == 103);
        CHECK_EQUAL(tally_stream_status(&out, &fault, &problem), TALLY_ERROR_ARGUMENT);
        for (int i = 0; i < 3; i++) {
            free_table(&from.tables[i]);
        }
    }
    pair_free(&it);
}

int main(void)
{
    words = fake_format(0);
    longs = fake_format(1);
    test_paths();
    test_together();
    test_sliced();
    test_faults();
    test_hidden();
    test_memory();
    test_streams();
    CHECK_ABOUT("memory");
    CHECK_EQUAL(heap.out, 0);
    return check_end("tables");
}
