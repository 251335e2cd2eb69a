/* SPDX-License-Identifier: Apache-2.0
 *
 * Dictionaries and run ends, arrays that lie, and memory that ends. */
#include <time.h>

#include "tokens_calls.h"

static tally_format words, longs; /* the second's tokens are longer than values */

static const char letters[] = "cCsSiIlL"; /* format strings of integers, from one byte on */

/* Indices of any of those types; those below 0 are nulls. */
static made *indices(char letter, const int *numbers, size_t count)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const size_t type = (size_t)(strchr(letters, letter) - letters);
    const size_t width = (size_t)1 << type / 2;
    uint8_t packed[512], validity[64] = {0};
    int any = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t wide =
            numbers[i] < 0 ? 99 : numbers[i]; /* what a null has is not looked at */
        packed_put(packed + i * width, wide, width);
        validity[i / 8] |= (uint8_t)((numbers[i] >= 0) << i % 8);
        any |= numbers[i] < 0;
    }
    return made_fixed(formats[type], packed, width, count, any ? validity : NULL);
}

static made *dictionary(char letter, const int *numbers, size_t count, made *entries)
{
    return made_dictionary(indices(letter, numbers, count), entries);
}

static void free_dictionary(made *it)
{
    made_free((made *)(void *)it->schema.dictionary);
    made_free(it);
}

static const char *const entries[] = {"anne", "elizabethtaylor", NULL, "bob", "unused"};
static const int rows[] = {1, 0, -1, 3, 0, 2, 1};
static const char *const plain[] = {"elizabethtaylor", "anne", NULL, "bob", "anne", NULL,
                                    "elizabethtaylor"};
static const char *const moved[] = {"holcdehwkwdboru", "dqqh", NULL, "ere", "dqqh", NULL,
                                    "holcdehwkwdboru"};
static const char *const twice[] = {
    "holcdehwkwdboruholcdehwkwdboru", "dqqhdqqh", NULL, "ereere", "dqqhdqqh", NULL,
    "holcdehwkwdboruholcdehwkwdboru"};

static void test_dictionaries(void)
{
    pair narrow = pair_new(&words, TALLY_INVALID_ERROR),
         wide = pair_new(&longs, TALLY_INVALID_ERROR);
    static const char *const formats[] = {"u", "U", "vu"};
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 3; j++) {
            CHECK_ABOUT("dictionary of %s with indices %c", formats[j], letters[i]);
            made *held = j == 2 ? made_views("vu", entries, 5) : made_text(formats[j], entries, 5);
            made *values = dictionary(letters[i], rows, 7, held);
            check_array(narrow.worker, values, NULL, plain, moved, 7);
            CHECK(counts.nulls == 2 && counts.small == 3);
            check_array(wide.worker, values, NULL, plain, twice, 7);
            for (int64_t offset = 1; offset < 7; offset++) {
                values->array.offset = offset;
                values->array.length = 7 - offset;
                check_array(narrow.worker, values, NULL, plain + offset, moved + offset,
                            7 - offset);
            }
            free_dictionary(values);
        }
    }
    CHECK_ABOUT("a sliced dictionary");
    made *values = dictionary('i', (const int[]){0, 1, 2}, 3, made_text("u", entries, 5));
    values->array.dictionary->offset = 1;
    values->array.dictionary->length = 3;
    struct ArrowArray out;
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    check_rows(&values->schema, &out, (const char *const[]){"holcdehwkwdboru", NULL, "ere"}, 3);
    CHECK(counts.nulls == 1 && out.null_count == 1 && out.dictionary->null_count == 0);
    out.release(&out);
    free_dictionary(values);
    CHECK_ABOUT("a dictionary of integers");
    const int64_t numbers[] = {5, 999};
    values = dictionary('c', (const int[]){1, 0, 1}, 3, made_fixed("l", numbers, 8, 2, NULL));
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    CHECK(((const int64_t *)out.dictionary->buffers[1])[0] == 2);
    CHECK(((const int64_t *)out.dictionary->buffers[1])[1] == 8);
    CHECK_BYTES(out.buffers[1], "\0\1\0", 3);
    CHECK_EQUAL(counts.small, 3);
    out.release(&out);
    free_dictionary(values);
    CHECK_ABOUT("tokens in the order of the rows, without those of no row");
    values = dictionary('c', (const int[]){3, 0, 3, 1}, 4, made_text("u", entries, 5));
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    CHECK_EQUAL(out.dictionary->length, 3);
    CHECK_BYTES(out.dictionary->buffers[2], "eredqqhholcdehwkwdboru", 22);
    CHECK_BYTES(out.buffers[1], "\0\1\0\2", 4);
    out.release(&out);
    free_dictionary(values);
    pair_free(&narrow);
    pair_free(&wide);
}

static void test_invalid_entries(void)
{
    static const char *const some[] = {"anne", "SECRET", "bob", "OTHERSECRET"};
    static const int used[] = {2, 3, -1, 0, 3};
    for (int by_row = 0; by_row < 2; by_row++) {
        CHECK_ABOUT("invalid entries, with tweaks %d", by_row);
        pair error = pair_new(&words, TALLY_INVALID_ERROR);
        pair null = pair_new(&words, TALLY_INVALID_NULL);
        pair keep = pair_new(&words, TALLY_INVALID_KEEP);
        made *values = dictionary('c', used, 5, made_text("u", some, 4));
        made *unused = dictionary('c', (const int[]){2, 0, 2}, 3, made_text("u", some, 4));
        made *tweaks = by_row ? made_text("u", (const char *const[]){"", "", "", "", ""}, 5) : NULL;
        made *three = by_row ? made_text("u", (const char *const[]){"", "", ""}, 3) : NULL;
        struct ArrowArray out;
        CHECK_EQUAL(protect(error.worker, values, tweaks, &out), TALLY_ERROR_INVALID);
        CHECK(invalid.row == 1 && invalid.fault.reason == TALLY_REASON_FOREIGN &&
              invalid.fault.position == 1);
        CHECK_EQUAL(protect(error.worker, unused, three, &out), TALLY_OK);
        check_rows(&unused->schema, &out, (const char *const[]){"ere", "dqqh", "ere"}, 3);
        CHECK_EQUAL(out.dictionary->length, 2); /* what no row uses is left out */
        CHECK_EQUAL(counts.invalid[TALLY_REASON_FOREIGN], 0);
        out.release(&out);
        CHECK_EQUAL(protect(null.worker, values, tweaks, &out), TALLY_OK);
        check_rows(&values->schema, &out, (const char *const[]){"ere", NULL, NULL, "dqqh", NULL},
                   5);
        CHECK(out.dictionary->length == 2 && out.dictionary->null_count == 0);
        CHECK(counts.invalid[TALLY_REASON_FOREIGN] == 2 && counts.nulls == 1);
        CHECK_EQUAL(out.null_count, 3);
        out.release(&out);
        CHECK_EQUAL(protect(keep.worker, values, tweaks, &out), TALLY_OK);
        check_rows(&values->schema, &out,
                   (const char *const[]){"ere", "OTHERSECRET", NULL, "dqqh", "OTHERSECRET"}, 5);
        CHECK_EQUAL(out.dictionary->length, 3);
        CHECK_EQUAL(counts.invalid[TALLY_REASON_FOREIGN], 2);
        out.release(&out);
        free_dictionary(values);
        free_dictionary(unused);
        made_free(tweaks);
        made_free(three);
        pair_free(&error);
        pair_free(&null);
        pair_free(&keep);
    }
    CHECK_ABOUT("equal tokens of a one-way format");
    tally_format hidden = words;
    hidden.one_way = 1;
    pair one_way = pair_new(&hidden, TALLY_INVALID_ERROR);
    made *values = dictionary('c', (const int[]){0, 1, 2}, 3,
                              made_text("u", (const char *const[]){"ab", "cd", "ab"}, 3));
    struct ArrowArray out;
    CHECK_EQUAL(protect(one_way.worker, values, NULL, &out), TALLY_OK);
    check_rows(&values->schema, &out, (const char *const[]){"de", "fg", "de"}, 3);
    CHECK_EQUAL(out.dictionary->length, 2);
    out.release(&out);
    free_dictionary(values);
    pair_free(&one_way);
}

static void test_dictionary_tweaks(void)
{
    CHECK_ABOUT("a dictionary with tweaks");
    static const char *const by_row[] = {"\1", "\2", "\3", "", "\1", "", ""};
    static const char *const expected[] = {"ipmdefixlxecpsv", "fssj", NULL, "ere", "erri", NULL,
                                           "holcdehwkwdboru"};
    static const char *const formats[] = {"u", "U", "vu"};
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    made *tweaks = made_text("z", by_row, 7);
    for (size_t j = 0; j < 3; j++) {
        made *held = j == 2 ? made_views("vu", entries, 5) : made_text(formats[j], entries, 5);
        made *values = dictionary('C', rows, 7, held);
        check_array(it.worker, values, tweaks, plain, expected, 7);
        CHECK_EQUAL(counts.nulls, 2);
        free_dictionary(values);
    }
    CHECK_ABOUT("integers in a dictionary with tweaks");
    const int64_t numbers[] = {5, 999};
    made *values = dictionary('c', (const int[]){1, 0, 1, -1, 0, 0, 0}, 7,
                              made_fixed("l", numbers, 8, 2, NULL));
    struct ArrowArray out;
    CHECK_EQUAL(protect(it.worker, values, tweaks, &out), TALLY_OK);
    CHECK_BYTES(out.buffers[1], "\0\1\2\0\3\4\4", 7); /* 3, 10, 5, null, 9, 8, 8 */
    CHECK_EQUAL(((const int64_t *)out.dictionary->buffers[1])[0], 3);
    CHECK_EQUAL(((const int64_t *)out.dictionary->buffers[1])[1], 10);
    out.release(&out);
    free_dictionary(values);
    made_free(tweaks);

    CHECK_ABOUT("more tokens than indices");
    const char *many[200];
    char texts[200][4];
    int same[200];
    for (int i = 0; i < 200; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%c%c", 1 + i / 26, 1 + i % 26);
        many[i] = texts[i];
        same[i] = 0;
    }
    /* 33 tokens at most, as letters move by the sum: with longer words there would be more. */
    tweaks = made_text("u", many, 200);
    values = dictionary('c', same, 200, made_text("u", (const char *const[]){"abc"}, 1));
    CHECK_EQUAL(protect(it.worker, values, tweaks, &out), TALLY_OK);
    CHECK_EQUAL(out.dictionary->length, 26);
    out.release(&out);
    free_dictionary(values);
    values = dictionary('c', same, 200, made_fixed("l", (const int64_t[]){7}, 8, 1, NULL));
    for (int i = 0; i < 200; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%c%c", 1 + i, 1);
    }
    made_free(tweaks);
    tweaks = made_text("z", many, 200);
    CHECK_EQUAL(protect(it.worker, values, tweaks, &out), TALLY_ERROR_CAPACITY);
    CHECK(out.release == NULL && strstr(problem.text, "can't number all tokens") != NULL);
    free_dictionary(values);
    made_free(tweaks);
    pair_free(&it);
}

static made *runs(const char *format, const int64_t *ends, size_t count, int64_t length,
                  made *values)
{
    uint8_t packed[128];
    const size_t width = format[0] == 's' ? 2 : format[0] == 'i' ? 4 : 8;
    for (size_t i = 0; i < count; i++) {
        packed_put(packed + i * width, ends[i], width);
    }
    made *out = made_new("+r", length, 0);
    made_child(out, made_fixed(format, packed, width, count, NULL));
    return made_child(out, values);
}

static void free_runs(made *it)
{
    made_free((made *)(void *)it->schema.children[0]);
    made_free((made *)(void *)it->schema.children[1]);
    made_free(it);
}

static tally_status copy_text(const tally_format *format, tally_run *run, tally_text_column *column)
{
    (void)format, (void)run;
    for (uint64_t i = 0; i < column->in.rows; i++) {
        const uint64_t start = tally_offset_once(&column->in, i);
        memcpy(column->values + start, column->in.values + start,
               (size_t)(tally_offset_once(&column->in, i + 1) - start));
        column->status[i] = 0;
    }
    return TALLY_OK;
}

/* CPU time to find the distinct tokens of a dictionary under a keyless format. Pairs of words of
 * `size` bytes are all equal under a hash that multiplies and folds words, whatever it starts with:
 * its top bit reaches two bits alone, which the second word takes back. */
static double time_of_distinct(int collide)
{
    enum { BITS = 14, ROWS = 1 << BITS, SIZE = 16 * BITS };
    static const tally_format_class copy_class = {.name = "copy", .text = copy_text};
    static char identity[] = "[\"copy\"]";
    const tally_format copy = {
        .of = &copy_class, .keeps_size = 1, .one_way = 1, .identity = identity};
    int32_t *offsets = malloc((ROWS + 1) * sizeof *offsets), *index = malloc(ROWS * sizeof *index);
    uint8_t *values = malloc(ROWS * SIZE);
    for (int32_t i = 0; i <= ROWS; i++) {
        offsets[i] = i * SIZE;
        for (int k = 0; i < ROWS && k < BITS; k++) {
            uint8_t *two = values + (size_t)i * SIZE + (size_t)k * 16;
            const uint8_t byte = (i >> k & 1) != 0 ? 'a' + 0x80 : 'a';
            memset(two, 'a', 16);
            two[7] = two[15] = byte;
            two[11] = collide ? byte : 'a';
        }
        if (i < ROWS) {
            index[i] = i;
        }
    }
    tally_tokenizer *tokenizer;
    CHECK_EQUAL(tally_tokenizer_new(&allocator, &copy, NULL, 0, "n", 1, TALLY_INVALID_ERROR,
                                    &tokenizer, &problem),
                TALLY_OK);
    tally_worker *worker = new_worker(tokenizer);
    made *held = made_new("u", ROWS, 3);
    held->buffers[1] = made_copy(offsets, (ROWS + 1) * sizeof *offsets);
    held->buffers[2] = made_copy(values, ROWS * SIZE);
    made *dictionary = made_dictionary(made_fixed("i", index, 4, ROWS, NULL), held);
    struct ArrowArray out;
    const clock_t start = clock();
    CHECK_EQUAL(protect(worker, dictionary, NULL, &out), TALLY_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(out.dictionary != NULL && out.dictionary->length == ROWS);
    out.release(&out);
    made_free(held);
    made_free(dictionary);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    free(offsets);
    free(index);
    free(values);
    return seconds;
}

/* Values that somebody chose take no longer than others. */
static void test_collisions(void)
{
    CHECK_ABOUT("collisions");
    const double usual = time_of_distinct(0), chosen = time_of_distinct(1);
    CHECK(chosen < 10 * usual + 0.1);
}

static void test_runs(void)
{
    static const int64_t ends[] = {2, 3, 7, 9};
    static const char *const held[] = {"anne", NULL, "bob", "elizabethtaylor"};
    static const char *const all[] = {
        "anne", "anne", NULL, "bob", "bob", "bob", "bob", "elizabethtaylor", "elizabethtaylor"};
    static const char *const expected[] = {
        "dqqh", "dqqh", NULL, "ere", "ere", "ere", "ere", "holcdehwkwdboru", "holcdehwkwdboru"};
    static const char *const formats[] = {"s", "i", "l"};
    static const char *const texts[] = {"u", "U", "vu"};
    pair error = pair_new(&words, TALLY_INVALID_ERROR), null = pair_new(&words, TALLY_INVALID_NULL);
    struct ArrowArray out;
    for (size_t i = 0; i < 9; i++) {
        CHECK_ABOUT("runs %s of %s", formats[i % 3], texts[i / 3]);
        made *text = i / 3 == 2 ? made_views("vu", held, 4) : made_text(texts[i / 3], held, 4);
        made *values = runs(formats[i % 3], ends, 4, 9, text);
        check_array(error.worker, values, NULL, all, expected, 9);
        CHECK(counts.nulls == 1 && counts.small == 6);
        for (int64_t offset = 0; offset < 9; offset++) {
            for (int64_t length = 0; length <= 9 - offset; length++) {
                values->array.offset = offset;
                values->array.length = length;
                check_array(error.worker, values, NULL, all + offset, expected + offset, length);
            }
        }
        values->array.offset = 1;
        values->array.length = 3;
        CHECK_EQUAL(protect(error.worker, values, NULL, &out), TALLY_OK);
        CHECK_EQUAL(out.children[0]->length, 3); /* 1, 2 and 3 */
        CHECK_EQUAL(counts.rows, 3);
        out.release(&out);
        static const char *const tweaks_text[] = {"\1", "", "\3"};
        static const char *const tweaked[] = {"erri", NULL, "huh"};
        made *tweaks = made_text("u", tweaks_text, 3);
        check_array(error.worker, values, tweaks, all + 1, tweaked, 3);
        CHECK_EQUAL(counts.nulls, 1);
        made_free(tweaks);
        free_runs(values);
    }
    CHECK_ABOUT("invalid runs");
    static const char *const some[] = {"anne", "X", "bob", "Y"};
    made *values = runs("i", ends, 4, 9, made_text("u", some, 4));
    CHECK_EQUAL(protect(error.worker, values, NULL, &out), TALLY_ERROR_INVALID);
    CHECK_EQUAL(invalid.row, 2);
    CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_OK);
    CHECK_EQUAL(counts.invalid[TALLY_REASON_FOREIGN], 3);
    CHECK_EQUAL(out.children[1]->null_count, 2);
    out.release(&out);
    values->array.length = 2; /* the runs behind are not looked at */
    CHECK_EQUAL(protect(error.worker, values, NULL, &out), TALLY_OK);
    out.release(&out);
    CHECK_ABOUT("runs that lie");
    static const int64_t lies[][4] = {{0, 3, 7, 9},  {2, 2, 7, 9}, {2, 1, 7, 9},
                                      {-1, 3, 7, 9}, {2, 3, 7, 8}, {2, 3, 7, INT32_MIN}};
    values->array.length = 9;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 4; j++) {
            ((int32_t *)(uintptr_t)values->arrays[0]->buffers[1])[j] = (int32_t)lies[i][j];
        }
        CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_ERROR_ARRAY);
        CHECK(out.release == NULL && strncmp(problem.text, "a damaged Arrow array: ", 23) == 0);
    }
    /* Beyond the last row, too: a part of an array has all run ends of it. */
    static const int32_t parts[][4] = {{2, 3, 9, 8}, {2, 9, 12, 12}, {9, 3, 2, 1}};
    for (size_t i = 0; i < 3; i++) {
        memcpy((int32_t *)(uintptr_t)values->arrays[0]->buffers[1], parts[i], sizeof parts[i]);
        CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_ERROR_ARRAY);
        CHECK(strcmp(problem.text + 23, "its run ends do not ascend") == 0);
    }
    memcpy((int32_t *)(uintptr_t)values->arrays[0]->buffers[1], (const int32_t[]){2, 9, 10, 12},
           16);
    CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_OK);
    out.release(&out);
    values->array.null_count = 1;
    CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_ERROR_ARRAY);
    CHECK(strcmp(problem.text + 23, "it has nulls, but run ends have no bitmap of them") == 0);
    free_runs(values);
    pair_free(&error);
    pair_free(&null);
}

/* Checks that an array is refused, as the test's other ones. */
static void check_damaged(tally_worker *worker, const made *values, const char *text)
{
    struct ArrowArray out;
    memset(&out, 1, sizeof out);
    CHECK_EQUAL(protect(worker, values, NULL, &out), TALLY_ERROR_ARRAY);
    CHECK(out.release == NULL && counts.rows == 0);
    CHECK(strncmp(problem.text, "a damaged Arrow array: ", 23) == 0);
    if (strcmp(problem.text + 23, text) != 0) {
        fprintf(stderr, "%s\n", problem.text);
        CHECK(false);
    }
}

#define DAMAGED(member, value, text)                                                               \
    do {                                                                                           \
        const made before = *values;                                                               \
        values->member = (value);                                                                  \
        CHECK_ABOUT(#member " = " #value);                                                         \
        check_damaged(it.worker, values, text);                                                    \
        *values = before;                                                                          \
    } while (0)

static void test_damaged(void)
{
    static const char *const texts[] = {"anne", NULL, "bob", "averylongnameindeed"};
    static const char size_text[] = "its length or its offset is negative or too large";
    static const char nulls_text[] = "its number of nulls is not one of its length";
    static const char buffers_text[] = "it has another number of buffers than its type";
    static const char children_text[] = "it has another number of children than its type";
    static const char dictionary_text[] =
        "its dictionary is missing, or its indices are no integers";
    pair it = pair_new(&words, TALLY_INVALID_NULL);
    made *other = made_text("u", texts, 4);
    made *values = made_text("u", texts, 4);
    DAMAGED(array.length, -1, size_text);
    DAMAGED(array.length, INT64_MAX, size_text);
    DAMAGED(array.offset, -1, size_text);
    DAMAGED(array.offset, INT64_MIN, size_text);
    DAMAGED(array.offset, INT64_MAX - 3, size_text);
    DAMAGED(array.null_count, -2, nulls_text);
    DAMAGED(array.null_count, 5, nulls_text);
    DAMAGED(array.null_count, 0, "it has another number of nulls than it says");
    DAMAGED(array.null_count, 2, "it has another number of nulls than it says");
    DAMAGED(array.n_buffers, 2, buffers_text);
    DAMAGED(array.n_buffers, 4, buffers_text);
    DAMAGED(array.n_buffers, -3, buffers_text);
    DAMAGED(array.buffers, NULL, "its buffers are missing");
    DAMAGED(array.n_children, 1, children_text);
    DAMAGED(array.n_children, -1, "its number of buffers or children is negative or too large");
    DAMAGED(schema.n_children, 1, children_text);
    DAMAGED(array.dictionary, &other->array, dictionary_text);
    DAMAGED(schema.dictionary, &other->schema, dictionary_text);
    DAMAGED(array.release, NULL, "it is released or missing");
    DAMAGED(schema.release, NULL, "it is released or missing");
    DAMAGED(schema.format, NULL, "it is released or missing");
    DAMAGED(schema.format, "", "its type is unknown");
    CHECK_ABOUT("lies of text");
    int32_t *offsets = (int32_t *)(uintptr_t)values->buffers[1];
    static const int32_t lies[][5] = {{-1, 4, 4, 7, 26},
                                      {0, 4, 3, 7, 26},
                                      {0, 4, 4, 7, 6},
                                      {0, INT32_MIN, 4, 7, 26},
                                      {4, 4, 4, 7, 3}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        memcpy(offsets, lies[i], sizeof lies[i]);
        check_damaged(it.worker, values, "its offsets decrease");
    }
    memcpy(offsets, (const int32_t[]){0, 4, 4, 7, 26}, 20);
    for (int i = 1; i < 3; i++) {
        const void *held = values->buffers[i];
        values->buffers[i] = NULL;
        check_damaged(it.worker, values,
                      i == 1 ? "its offsets are missing" : "its values are missing");
        values->buffers[i] = held;
    }
    const void *bitmap = values->buffers[0];
    values->buffers[0] = NULL;
    values->array.null_count = 1;
    check_damaged(it.worker, values, "it has nulls, but no bitmap of them");
    values->buffers[0] = bitmap;
    made_free(values);

    CHECK_ABOUT("lies of views");
    values = made_views("vu", texts, 4);
    uint8_t *views = (uint8_t *)(uintptr_t)values->buffers[1];
    int64_t *sizes = (int64_t *)(uintptr_t)values->buffers[3];
    uint8_t view[16];
    memcpy(view, views + 48, 16);
    static const struct {
        int place;
        int32_t number;
    } edits[] = {{0, -1}, {0, 20}, {0, INT32_MAX}, {8, 1},
                 {8, -1}, {12, 1}, {12, -1},       {12, INT32_MAX}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        memcpy(views + 48 + edits[i].place, &edits[i].number, 4);
        check_damaged(it.worker, values, "a view is outside its buffer");
        memcpy(views + 48, view, 16);
    }
    static const int32_t other_prefix = 0x41414141;
    memcpy(views + 48 + 4, &other_prefix, 4);
    check_damaged(it.worker, values, "a view begins otherwise than its text");
    memcpy(views + 48, view, 16);
    *sizes = 18;
    check_damaged(it.worker, values, "a view is outside its buffer");
    *sizes = -1;
    check_damaged(it.worker, values, "a view is outside its buffer");
    *sizes = 19;
    memset(views + 16, 0xff, 16); /* of a null */
    struct ArrowArray out;
    CHECK_EQUAL(protect(it.worker, values, NULL, &out), TALLY_OK);
    out.release(&out);
    values->array.n_buffers = 2;
    check_damaged(it.worker, values, buffers_text);
    values->array.n_buffers = 4;
    for (int i = 1; i < 4; i++) {
        const void *held = values->buffers[i];
        values->buffers[i] = NULL;
        check_damaged(it.worker, values,
                      i == 1 ? "its views are missing" : "a view is outside its buffer");
        values->buffers[i] = held;
    }
    made_free(values);

    CHECK_ABOUT("lies of dictionaries");
    for (size_t i = 0; i < 8; i++) {
        values = dictionary(letters[i], (const int[]){0, -1, 3}, 3, made_text("u", texts, 4));
        const size_t width = (size_t)1 << i / 2;
        uint8_t *index = (uint8_t *)(uintptr_t)values->buffers[1];
        CHECK_EQUAL(protect(it.worker, values, NULL, &out), TALLY_OK);
        out.release(&out);
        static const int64_t outside[] = {4, -1, 127, INT64_MIN, -128};
        for (size_t j = 0; j < 5; j++) {
            if (j != 3 || width == 8) {
                packed_put(index + 2 * width, outside[j], width);
                check_damaged(it.worker, values, "an index is not one of its dictionary");
            }
        }
        values->buffers[1] = NULL;
        check_damaged(it.worker, values, "its indices are missing");
        values->buffers[1] = index;
        values->array.dictionary->length = -1;
        check_damaged(it.worker, values, size_text);
        free_dictionary(values);
    }
    made_free(other);
    pair_free(&it);
}

/* Calls with less and less memory: each fails in order, or is right. */
static void check_memory(const made *values, const made *tweaks, const tally_format *format)
{
    bool done = false;
    for (long left = 0; !done && left < 100; left++) {
        tally_tokenizer *tokenizer;
        tally_worker *worker = NULL;
        struct ArrowArray out;
        heap.left = left;
        out.release = NULL;
        tally_status status = tally_tokenizer_new(&allocator, format, key, sizeof key, "names", 5,
                                                  TALLY_INVALID_NULL, &tokenizer, &problem);
        if (status == TALLY_OK) {
            status = tally_worker_new(tokenizer, &worker);
        }
        if (status == TALLY_OK) {
            status = protect(worker, values, tweaks, &out);
        }
        heap.left = -1;
        CHECK(status == TALLY_OK || status == TALLY_ERROR_MEMORY);
        CHECK((out.release != NULL) == (status == TALLY_OK));
        done = status == TALLY_OK;
        tally_worker_free(worker);
        tally_tokenizer_free(tokenizer);
        if (done) { /* an array outlives what made it */
            out.release(&out);
        }
        CHECK_EQUAL(heap.out, 0);
    }
    CHECK(done);
}

static void test_memory(void)
{
    static const int64_t ends[] = {2, 3, 5, 7};
    made *tweaks = dictionary('c', rows, 7, made_views("vu", entries, 5));
    made *arrays[] = {made_text("u", plain, 7), made_views("vu", plain, 7),
                      dictionary('c', rows, 7, made_text("u", entries, 5)),
                      dictionary('l', rows, 7, made_views("vu", entries, 5)),
                      runs("i", ends, 4, 7, made_text("u", entries, 4))};
    for (size_t i = 0; i < 5; i++) {
        for (int j = 0; j < 4; j++) {
            CHECK_ABOUT("memory ends, array %d, case %d", (int)i, j);
            check_memory(arrays[i], j / 2 ? tweaks : NULL, j % 2 ? &words : &longs);
        }
    }
    CHECK_ABOUT("calls without allocations");
    pair it = pair_new(&words, TALLY_INVALID_NULL);
    unsigned long made_before = 0;
    for (int turn = 0; turn < 3; turn++) {
        uint8_t out[8];
        size_t size;
        tally_fault fault;
        CHECK_EQUAL(tally_protect_value(it.worker, (const uint8_t *)"anne", 4, NULL, 0, out, 8,
                                        &size, &fault),
                    TALLY_OK);
        CHECK(turn == 0 || heap.made == made_before);
        made_before = heap.made;
    }
    for (int turn = 0; turn < 3; turn++) {
        struct ArrowArray out;
        made_before = heap.made;
        CHECK_EQUAL(protect(it.worker, arrays[0], NULL, &out), TALLY_OK);
        out.release(&out);
        CHECK(turn == 0 || heap.made == made_before + 3); /* the result's */
    }
    pair_free(&it);
    made_free(arrays[0]);
    made_free(arrays[1]);
    free_dictionary(arrays[2]);
    free_dictionary(arrays[3]);
    free_runs(arrays[4]);
    free_dictionary(tweaks);
}

int main(void)
{
    words = fake_format(0);
    longs = fake_format(1);
    test_dictionaries();
    test_invalid_entries();
    test_dictionary_tweaks();
    test_collisions();
    test_runs();
    test_damaged();
    test_memory();
    CHECK_ABOUT("memory");
    CHECK_EQUAL(heap.out, 0);
    return check_end("tokens of encoded arrays");
}
