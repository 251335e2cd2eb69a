/* SPDX-License-Identifier: Apache-2.0
 *
 * tally_array_check: arrays of all kinds that are sound, and each lie in one of them or inside. */
#include "arrow_made.h"
#include "tallystick/tokens.h"

static tally_problem problem;

static void check_sound(const made *it)
{
    CHECK_EQUAL(tally_array_check(&it->schema, NULL, &problem), TALLY_OK);
    CHECK_EQUAL(tally_array_check(&it->schema, &it->array, &problem), TALLY_OK);
}

static void check_damaged(const made *it, const char *text)
{
    memset(&problem, 0, sizeof problem);
    CHECK_EQUAL(tally_array_check(&it->schema, &it->array, &problem), TALLY_ERROR_ARRAY);
    CHECK(strncmp(problem.text, "a damaged Arrow array: ", 23) == 0);
    if (strcmp(problem.text + 23, text) != 0) {
        fprintf(stderr, "%s\n", problem.text);
        CHECK(false);
    }
}

/* An array of four rows with buffers of some sizes; 0: the buffer is missing. */
static made *array_of(const char *format, const size_t *sizes, int64_t buffers)
{
    static const uint8_t zeros[64];
    made *out = made_new(format, 4, buffers);
    out->array.null_count = 0;
    for (int64_t i = 0; i < buffers; i++) {
        out->buffers[i] = sizes[i] == 0 ? NULL : made_copy(zeros, sizes[i]);
    }
    return out;
}

/* Every kind without its buffers, one by one. */
static void test_buffers(void)
{
    static const struct {
        const char *format;
        int64_t buffers;
        size_t sizes[3];
        int needed; /* a bit for each buffer that must be there */
    } kinds[] = {
        {"n", 0, {0}, 0},          {"b", 2, {0, 1}, 2},     {"l", 2, {0, 32}, 2},
        {"d:10,2", 2, {0, 64}, 2}, {"tdD", 2, {0, 16}, 2},  {"tsu:", 2, {0, 32}, 2},
        {"ttu", 2, {0, 32}, 2},    {"tin", 2, {0, 64}, 2},  {"w:3", 2, {0, 12}, 2},
        {"w:0", 2, {0}, 0},        {"u", 3, {0, 20, 0}, 2}, {"Z", 3, {0, 40, 0}, 2},
        {"vu", 3, {0, 64, 8}, 2},  {"+s", 1, {0}, 0},       {"+us:", 1, {4}, 1},
        {"+ud:", 2, {4, 16}, 3},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        made *it = array_of(kinds[i].format, kinds[i].sizes, kinds[i].buffers);
        CHECK_ABOUT("format %s", kinds[i].format);
        check_sound(it);
        for (int64_t j = 0; j < kinds[i].buffers; j++) {
            const void *held = it->buffers[j];
            it->buffers[j] = NULL;
            if ((kinds[i].needed >> j & 1) != 0) {
                check_damaged(it, "its buffers are missing");
            } else {
                check_sound(it);
            }
            it->array.length = 0;
            check_sound(it);
            it->array.length = 4;
            it->buffers[j] = held;
        }
        if (kinds[i].buffers > 0) {
            it->array.buffers = NULL;
            check_damaged(it, "its buffers are missing");
            it->array.buffers = it->buffers;
        }
        it->array.n_children = 3;
        it->array.children = NULL;
        check_damaged(it, "its children are missing");
        it->array.children = it->arrays;
        it->array.n_children = 0;
        it->array.offset = -1;
        check_damaged(it, "its length or its offset is negative or too large");
        made_free(it);
    }
}

static void test_texts(void)
{
    static const char *const texts[] = {"anne", NULL, "bob", "averylongnameindeed"};
    made *it = made_text("u", texts, 4);
    const void *held = it->buffers[2];
    check_sound(it);
    it->buffers[2] = NULL; /* its offsets say that there is text */
    check_damaged(it, "its buffers are missing");
    it->buffers[2] = held;
    ((int32_t *)(uintptr_t)it->buffers[1])[4] = -1;
    it->buffers[2] = NULL;
    check_damaged(it, "its buffers are missing");
    it->buffers[2] = held;
    made_free(it);

    it = made_views("vu", texts, 4);
    check_sound(it);
    for (int i = 1; i < 4; i++) {
        held = it->buffers[i];
        it->buffers[i] = NULL;
        check_damaged(it, "its buffers are missing");
        it->buffers[i] = held;
    }
    *(int64_t *)(uintptr_t)it->buffers[3] = -1;
    check_damaged(it, "its buffers are missing");
    made_free(it);
}

/* What an array has inside, and how often. */
static void test_children(void)
{
    static const char *const texts[] = {"anne", NULL, "bob"};
    static const size_t none[] = {0}, ids[] = {4}, offsets[] = {0, 20};
    static const struct {
        const char *format;
        int64_t buffers;
        const size_t *sizes;
        int32_t end; /* its last offset */
        int64_t length;
    } parents[] = {{"+s", 1, none, 0, 3},
                   {"+l", 2, offsets, 3, 4},
                   {"+w:3", 1, none, 0, 1},
                   {"+us:0", 1, ids, 0, 3}};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        made *it = array_of(parents[i].format, parents[i].sizes, parents[i].buffers);
        made *child = made_text("u", texts, 3);
        CHECK_ABOUT("format %s", parents[i].format);
        it->array.length = parents[i].length;
        if (parents[i].end > 0) {
            ((int32_t *)(uintptr_t)it->buffers[1])[4] = parents[i].end;
        }
        made_child(it, child);
        check_sound(it);
        child->array.length = 2;
        check_damaged(it, "a child is shorter than its parent");
        child->array.length = 3;
        if (parents[i].end > 0) {
            ((int32_t *)(uintptr_t)it->buffers[1])[4] = -1;
            check_damaged(it, "a child is shorter than its parent");
            ((int32_t *)(uintptr_t)it->buffers[1])[4] = parents[i].end;
        }
        child->array.null_count = 4;
        check_damaged(it, "its number of nulls is not one of its length");
        child->array.null_count = -1;
        child->array.release = NULL;
        check_damaged(it, "it is released or missing");
        child->array.release = made_release_array;
        it->arrays[0] = NULL;
        check_damaged(it, "it is released or missing");
        it->arrays[0] = &child->array;
        it->schemas[0] = NULL;
        check_damaged(it, "its type is released or missing");
        it->schemas[0] = &child->schema;
        child->schema.format = "?";
        check_damaged(it, "its type is unknown");
        CHECK_EQUAL(tally_array_check(&it->schema, NULL, &problem), TALLY_ERROR_ARRAY);
        child->schema.format = "u";
        it->schema.children = NULL;
        check_damaged(it, "its children are missing");
        it->schema.children = it->schemas;
        it->schema.n_children = -1;
        check_damaged(it, "its children are missing");
        it->schema.n_children = 1;
        check_sound(it);
        made_free(child);
        made_free(it);
    }
    made *words = made_text("u", texts, 3);
    made *it = made_fixed("c", (const int8_t[]){0, 1, 2}, 1, 3, NULL);
    it->schema.dictionary = &words->schema;
    it->array.dictionary = &words->array;
    check_sound(it);
    words->array.length = -1;
    check_damaged(it, "its length or its offset is negative or too large");
    it->array.dictionary = NULL;
    check_damaged(it, "its dictionary is missing, or its indices are no integers");
    made_free(words);
    made_free(it);
}

/* Structures that lead back to themselves. */
static void test_circles(void)
{
    static const char too_deep[] = "it is too deep or has too many children";
    for (int children = 1; children < 4; children++) {
        made *it = made_new("+s", 1, 1);
        for (int i = 0; i < children; i++) {
            made_child(it, it);
        }
        check_damaged(it, too_deep);
        made_free(it);
    }
    made *it = made_fixed("c", (const int8_t[]){0}, 1, 1, NULL);
    it->schema.dictionary = &it->schema;
    it->array.dictionary = &it->array;
    check_damaged(it, too_deep);
    made_free(it);
}

int main(void)
{
    test_buffers();
    test_texts();
    test_children();
    test_circles();
    return check_end("whole arrays");
}
