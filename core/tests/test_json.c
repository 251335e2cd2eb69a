/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON that a binding hands over: what is read, and what is refused. */
#include "base/allocator.h"
#include "check.h"
#include "json/json.h"

#include <stdlib.h>

/* An allocator that counts, and that gives nothing once `left` pieces are gone. */
typedef struct counted {
    size_t bytes, left, most; /* the largest piece so far */
} counted;

static void *counted_allocate(void *context, size_t size)
{
    counted *const self = context;
    if (self->left == 0) {
        return NULL;
    }
    self->left--;
    self->bytes += size;
    self->most = size > self->most ? size : self->most;
    return malloc(size);
}

static void counted_release(void *context, void *memory, size_t size)
{
    counted *const self = context;
    for (size_t i = 0; i < size; i++) {
        CHECK(((uint8_t *)memory)[i] == 0); /* wiped */
    }
    self->bytes -= size;
    free(memory);
}

/* Reads a copy of the text that ends where memory ends. */
static tally_status parse(const char *text, size_t size, tally_json_document *out,
                          tally_problem *problem)
{
    char *const copy = malloc(size + !size);
    memcpy(copy, text, size);
    const tally_status status = tally_json_parse(NULL, copy, size, out, problem);
    free(copy);
    return status;
}

static void check_tree(void)
{
    static const char text[] =
        " {\"a\" : [1, -2,3.5, 1e9,\n\"\", [], {}, null, true ,false],"
        "\"b\\u0000\":{\"x\":\"\\u20ac\\ud83d\\ude00 \xc3\xa9\\n\\\\\\/\\\"\"}, \"c\": \"\"}\t";
    tally_json_document document;
    CHECK_EQUAL(parse(text, sizeof text - 1, &document, NULL), TALLY_OK);
    const tally_json *root = document.root;
    CHECK(root->kind == TALLY_JSON_OBJECT && root->key == NULL && root->next == NULL);
    CHECK_EQUAL(root->count, 3);
    static const tally_json_kind kinds[] = {
        TALLY_JSON_INTEGER, TALLY_JSON_INTEGER, TALLY_JSON_FRACTION, TALLY_JSON_FRACTION,
        TALLY_JSON_TEXT,    TALLY_JSON_ARRAY,   TALLY_JSON_OBJECT,   TALLY_JSON_NULL,
        TALLY_JSON_TRUE,    TALLY_JSON_FALSE,
    };
    const tally_json *const array = tally_json_member(root, "a");
    size_t count = 0;
    CHECK_EQUAL(array->count, 10);
    for (const tally_json *item = array->first; item != NULL; item = item->next, count++) {
        CHECK(count < 10 && item->kind == kinds[count] && item->key == NULL);
        CHECK(item->kind != TALLY_JSON_FRACTION || strcmp(item->text, "3.5") == 0 ||
              strcmp(item->text, "1e9") == 0);
    }
    CHECK_EQUAL(count, 10);
    CHECK_EQUAL(array->first->integer, 1);
    CHECK_EQUAL(array->first->next->integer, -2);
    const tally_json *const b = array->next, *const x = tally_json_member(b, "x");
    CHECK(b->key_size == 2 && memcmp(b->key, "b\0", 3) == 0 && !tally_json_key_is(b, "b"));
    CHECK(tally_json_is(x, "\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa9\n\\/\""));
    CHECK(tally_json_key_is(x, "x") && !tally_json_key_is(x, "xx") && !tally_json_is(x, ""));
    CHECK(tally_json_is(tally_json_member(root, "c"), ""));
    CHECK(tally_json_member(root, "d") == NULL && tally_json_member(array, "a") == NULL);
    tally_json_free(&document);
    CHECK(document.root == NULL);
    tally_json_free(&document);
}

static void check_numbers(void)
{
    static const struct {
        const char *text;
        tally_json_kind kind;
        int64_t value;
    } cases[] = {
        {"0", TALLY_JSON_INTEGER, 0},
        {"-0", TALLY_JSON_INTEGER, 0},
        {"9223372036854775807", TALLY_JSON_INTEGER, INT64_MAX},
        {"9223372036854775808", TALLY_JSON_BIG, 0},
        {"-9223372036854775808", TALLY_JSON_INTEGER, INT64_MIN},
        {"-9223372036854775809", TALLY_JSON_BIG, 0},
        {"18446744073709551616", TALLY_JSON_BIG, 0},
        {"99999999999999999999999999999999999999", TALLY_JSON_BIG, 0},
        {"1.0", TALLY_JSON_FRACTION, 0},
        {"-1E+2", TALLY_JSON_FRACTION, 0},
        {"1e-2", TALLY_JSON_FRACTION, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally_json_document document;
        CHECK_ABOUT("%s", cases[i].text);
        CHECK_EQUAL(parse(cases[i].text, strlen(cases[i].text), &document, NULL), TALLY_OK);
        CHECK_EQUAL(document.root->kind, cases[i].kind);
        CHECK_EQUAL(document.root->integer, cases[i].value);
        CHECK(strcmp(document.root->text, cases[i].text) == 0);
        tally_json_free(&document);
    }
    CHECK_ABOUT("%s", "");
}

static void check_refused(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "a value must stand here (byte 0)"},
        {" ", "a value must stand here (byte 1)"},
        {"nul", "a value must stand here (byte 0)"},
        {"NaN", "a value must stand here"},
        {"-", "a value must stand here"},
        {"+1", "a value must stand here"},
        {"-Infinity", "a value must stand here"},
        {".5", "a value must stand here"},
        {"01", "must not begin with 0"},
        {"-00", "must not begin with 0"},
        {"1.", "digits must follow the point"},
        {"1.e2", "digits must follow the point"},
        {"1e", "digits must follow the exponent"},
        {"1e+", "digits must follow the exponent"},
        {"1 2", "nothing may follow the value (byte 2)"},
        {"\"a", "this string has no end (byte 0)"},
        {"\"\\", "this escape is not one of JSON's (byte 1)"},
        {"\"\\a\"", "this escape is not one of JSON's (byte 1)"},
        {"\"\\u12g4\"", "four hexadecimal digits"},
        {"\"\\u12", "four hexadecimal digits"},
        {"\"\\ud800\"", "half of a surrogate pair"},
        {"\"\\udc00\"", "half of a surrogate pair"},
        {"\"\\ud800\\ud800\"", "half of a surrogate pair"},
        {"\"\\ud800x\"", "half of a surrogate pair"},
        {"\"\n\"", "a control character must be escaped (byte 1)"},
        {"\"\x80\"", "this is not UTF-8 (byte 1)"},
        {"\"\xc3\"", "this is not UTF-8"},
        {"\"\xc0\x80\"", "this is not UTF-8"},
        {"\"\xed\xa0\x80\"", "this is not UTF-8"},
        {"\"\xf4\x90\x80\x80\"", "this is not UTF-8"},
        {"[", "a value must stand here (byte 1)"},
        {"[1", "a comma, or the end of the array or object"},
        {"[1,]", "a value must stand here (byte 3)"},
        {"[1}", "a comma, or the end of the array or object"},
        {"[,1]", "a value must stand here"},
        {"{", "a string in double quotes"},
        {"{1:2}", "a string in double quotes"},
        {"{\"a\"}", "a colon must stand here (byte 4)"},
        {"{\"a\":}", "a value must stand here"},
        {"{\"a\":1,}", "a string in double quotes"},
        {"{\"a\":1 \"b\":2}", "a comma, or the end"},
        {"{\"a\":1,\"a\":2}", "a key twice (byte 12)"},
        {"{\"a\":1,\"b\":2,\"\\u0061\":[]}", "a key twice"},
        {"]", "a value must stand here"},
        {"1]", "nothing may follow"},
        {"// a\n1", "a value must stand here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally_json_document document = {0};
        tally_problem problem;
        CHECK_ABOUT("%s", cases[i].text);
        CHECK_EQUAL(parse(cases[i].text, strlen(cases[i].text), &document, &problem),
                    TALLY_ERROR_PROBLEM);
        if (!check_that(strstr(problem.text, cases[i].says) != NULL, __FILE__, __LINE__,
                        cases[i].says)) {
            fprintf(stderr, "    %s\n", problem.text);
        }
        CHECK(document.memory == NULL && problem.place[0] == '\0');
    }
    CHECK_ABOUT("%s", "");
}

static void check_depth(void)
{
    char text[2 * (TALLY_JSON_DEPTH + 1)];
    for (size_t depth = 1; depth <= TALLY_JSON_DEPTH + 1; depth++) {
        tally_json_document document = {0};
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        CHECK_EQUAL(parse(text, 2 * depth, &document, NULL),
                    depth <= TALLY_JSON_DEPTH ? TALLY_OK : TALLY_ERROR_PROBLEM);
        tally_json_free(&document);
        CHECK_EQUAL(parse(text, 2 * depth - 1, &document, NULL), TALLY_ERROR_PROBLEM);
    }
}

/* A large object, whose keys are compared with one another in time. */
static void check_many(void)
{
    enum { MEMBERS = 200000 };
    char *const text = malloc(16 * MEMBERS);
    size_t size = 0;
    for (uint32_t twice = 0; twice < 2; twice++) {
        size = 0;
        text[size++] = '{';
        for (uint32_t i = 0; i < MEMBERS; i++) {
            const uint32_t number = twice == 1 && i == MEMBERS - 1 ? 7 : i * 7919 % MEMBERS;
            size += (size_t)sprintf(text + size, "%s\"%u\":%u", i > 0 ? "," : "", number, i % 10);
        }
        text[size++] = '}';
        tally_json_document document = {0};
        CHECK_EQUAL(parse(text, size, &document, NULL), twice ? TALLY_ERROR_PROBLEM : TALLY_OK);
        CHECK(twice || document.root->count == MEMBERS);
        tally_json_free(&document);
    }
    free(text);
    CHECK_EQUAL(tally_json_parse(NULL, "", (size_t)TALLY_JSON_SIZE_MAX + 1,
                                 &(tally_json_document){0}, NULL),
                TALLY_ERROR_PROBLEM);
}

/* More values than there may be take no memory, however small the text. */
static void check_too_many(void)
{
    counted count = {0, 8, 0};
    const tally_allocator allocator = {counted_allocate, counted_release, &count};
    const size_t most = 2 * (size_t)TALLY_JSON_VALUES_MAX - 1; /* bytes of an array of zeros */
    char *const text = malloc(TALLY_JSON_SIZE_MAX);
    for (size_t size = most; size <= TALLY_JSON_SIZE_MAX;
         size = size == most ? most + 2 : 8 * size) {
        tally_json_document document = {0};
        tally_problem problem = {.text = ""};
        for (size_t i = 0; i < size; i++) {
            text[i] = i == 0 ? '[' : i == size - 1 ? ']' : i % 2 == 1 ? '0' : ',';
        }
        const size_t before = count.left;
        CHECK_EQUAL(tally_json_parse(&allocator, text, size, &document, &problem),
                    size == most ? TALLY_OK : TALLY_ERROR_PROBLEM);
        CHECK_EQUAL(before - count.left, size == most);
        CHECK(strcmp(problem.text, size == most ? ""
                                                : "this JSON is too large: at most 524288 values "
                                                  "are allowed") == 0);
        tally_json_free(&document);
    }
    CHECK(count.most < 48U << 20);
    free(text);
}

static void check_kinds(void)
{
    static const char *const cases[][2] = {
        {"null", "nothing"},
        {"true", "true or false"},
        {"false", "true or false"},
        {"1", "a whole number"},
        {"99999999999999999999", "a whole number"},
        {"1.0", "a number with a fraction or exponent"},
        {"{\"$float\":\"nan\"}", "a number with a fraction or exponent"},
        {"\"\"", "text"},
        {"{\"$date\":\"2000-12-31\"}", "a date"},
        {"{\"$datetime\":\"2000-12-31T23:59:59\"}", "a date with a time"},
        {"{\"$time\":\"23:59:59\"}", "a time"},
        {"{\"$time\":1}", "a table"},
        {"{\"$date\":\"\",\"a\":1}", "a table"},
        {"[]", "an array"},
        {"{}", "a table"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally_json_document document;
        CHECK_ABOUT("%s", cases[i][0]);
        CHECK_EQUAL(parse(cases[i][0], strlen(cases[i][0]), &document, NULL), TALLY_OK);
        CHECK(strcmp(tally_json_kind_text(document.root), cases[i][1]) == 0);
        tally_json_free(&document);
    }
    CHECK_ABOUT("%s", "");
}

static void check_memory(void)
{
    counted count = {0, 0, 0};
    const tally_allocator allocator = {counted_allocate, counted_release, &count};
    tally_json_document document;
    CHECK_EQUAL(tally_json_parse(&allocator, "[1]", 3, &document, NULL), TALLY_ERROR_MEMORY);
    count.left = 2;
    CHECK_EQUAL(tally_json_parse(&allocator, "[1", 2, &document, NULL), TALLY_ERROR_PROBLEM);
    CHECK_EQUAL(tally_json_parse(&allocator, "[\"secret\"]", 10, &document, NULL), TALLY_OK);
    CHECK(count.left == 0 && count.bytes > 10);
    tally_json_free(&document);
    CHECK_EQUAL(count.bytes, 0);
    CHECK(tally_allocate_many(NULL, SIZE_MAX / 8 + 1, 8) == NULL);
    void *const none = tally_allocate(NULL, 0);
    CHECK(none != NULL);
    tally_release(NULL, none, 0);
    tally_release(NULL, NULL, 5);
}

/* What is no JSON soon takes no memory for all that follows. */
static void check_memory_of_refused(void)
{
    enum { SIZE = 1 << 20 };
    static char text[SIZE];
    static const char *const begins[] = {"[[",    "[{",   ",,", "[,",
                                         "[1, ,", "[1],", "]]", "{\"a\":1,,"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        counted count = {0, 1, 0};
        const tally_allocator allocator = {counted_allocate, counted_release, &count};
        const size_t size = strlen(begins[i]);
        tally_json_document document;
        memset(text, begins[i][size - 1], SIZE);
        memcpy(text, begins[i], size);
        CHECK_ABOUT("%s", begins[i]);
        CHECK_EQUAL(tally_json_parse(&allocator, text, SIZE, &document, NULL), TALLY_ERROR_PROBLEM);
        CHECK(count.most > 0 && count.most < 2 * SIZE);
    }
    CHECK_ABOUT("%s", "");
}

int main(void)
{
    check_tree();
    check_numbers();
    check_refused();
    check_depth();
    check_many();
    check_too_many();
    check_kinds();
    check_memory();
    check_memory_of_refused();
    return check_end("json");
}
