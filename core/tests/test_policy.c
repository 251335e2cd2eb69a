/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies of vectors/policies.json: what Python's rules made of them, and why they refused some. */
#include "check.h"
#include "json.h"
#include "tallystick/policy.h"

#include <stdlib.h>

static void check_text(tally_policy_text text, const char *expected)
{
    if (!check_that(text.text != NULL && text.size == strlen(expected) &&
                        strcmp(text.text, expected) == 0,
                    __FILE__, __LINE__, expected)) {
        fprintf(stderr, "    %s\n", text.text == NULL ? "none" : text.text);
    }
}

/* What a policy's refusal says; "{formats}" at its end stands for the names of all formats. */
static void check_message(const char *says, const char *expected)
{
    char text[1024];
    const char *const list = strstr(expected, "{formats}");
    size_t size = list == NULL ? strlen(expected) : (size_t)(list - expected);
    memcpy(text, expected, size);
    for (size_t i = 0; list != NULL && tally_format_name_at(i) != NULL; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i == 0 ? "" : ", ",
                                 tally_format_name_at(i));
    }
    text[size] = '\0';
    if (!check_that(strcmp(says, text) == 0, __FILE__, __LINE__, text)) {
        fprintf(stderr, "    %s\n", says);
    }
}

/* Where a policy is wrong: the format knows its option at fault where Python did not. */
static void check_place(const char *place, const char *expected)
{
    const size_t size = strlen(expected);
    const char *const last = strrchr(expected, '.');
    const bool of_format = last != NULL && strcmp(last, ".format") == 0;
    if (!check_that(strncmp(place, expected, size) == 0 &&
                        (place[size] == '\0' || (of_format && place[size] == '.')),
                    __FILE__, __LINE__, expected)) {
        fprintf(stderr, "    %s\n", place);
    }
}

/* Reads a copy that ends where memory ends. */
static tally_status make(const tally_allocator *allocator, const char *json, tally_policy **out,
                         tally_problem *problem)
{
    const size_t size = strlen(json);
    char *const copy = malloc(size + 1);
    memcpy(copy, json, size);
    char *const exact = realloc(copy, size == 0 ? 1 : size);
    const tally_status status = tally_policy_new(allocator, exact, size, out, problem);
    free(exact);
    return status;
}

static void check_rule(const json_case *c, const tally_rule *rule, size_t i)
{
    static const char *const on_invalid[] = {"error", "null", "keep"};
    const char *const key = json_item_string(c, "keys", i);
    const char *const tweak = json_item_string(c, "tweaks", i);
    char reference[100] = "";
    check_text(rule->column, json_item_string(c, "columns", i));
    CHECK(strcmp(tally_format_name(rule->format), json_item_string(c, "names", i)) == 0);
    if (rule->key.version != 0) {
        snprintf(reference, sizeof reference, "%s:%" PRIu32, rule->key.name, rule->key.version);
    }
    CHECK(strcmp(reference, key) == 0);
    check_text(rule->name_space, json_item_string(c, "namespaces", i));
    CHECK((rule->tweak.text != NULL) == (tweak[0] == '='));
    if (tweak[0] == '=') {
        check_text(rule->tweak, tweak + 1);
    }
    CHECK(strcmp(on_invalid[rule->on_invalid], json_item_string(c, "on_invalid", i)) == 0);
}

static void check_csv(const json_case *c, const tally_policy *policy)
{
    tally_csv_options csv;
    if (!json_has(c, "csv")) {
        CHECK(!tally_policy_csv(policy, &csv));
        CHECK(csv.delimiter == 0 && csv.quote == '"' && !csv.skip_initial_space && csv.header &&
              csv.encoding.text == NULL);
        return;
    }
    CHECK(tally_policy_csv(policy, &csv));
    CHECK(csv.delimiter == json_item_string(c, "csv", 0)[0]);
    CHECK(csv.quote == json_item_string(c, "csv", 1)[0]);
    CHECK(csv.skip_initial_space == (strcmp(json_item_string(c, "csv", 2), "true") == 0));
    CHECK(csv.header == (strcmp(json_item_string(c, "csv", 3), "true") == 0));
    if (csv.encoding.text == NULL) {
        CHECK(json_item_string(c, "csv", 4)[0] == '\0');
    } else {
        check_text(csv.encoding, json_item_string(c, "csv", 4));
    }
}

static void check_policy(const json_case *c, const tally_policy *policy)
{
    static const char *const unlisted[] = {"", "keep", "error"};
    const size_t count = json_length(c, "columns");
    for (size_t i = 0; i < count; i++) {
        check_rule(c, tally_policy_rule(policy, i), i);
    }
    CHECK(tally_policy_rule(policy, count) == NULL);
    CHECK(strcmp(unlisted[tally_policy_unlisted(policy)], json_string(c, "unlisted")) == 0);
    for (size_t i = 0; i < json_length(c, "keep"); i++) {
        check_text(tally_policy_keep(policy, i), json_item_string(c, "keep", i));
    }
    CHECK(tally_policy_keep(policy, json_length(c, "keep")).text == NULL);
    for (size_t i = 0; i < json_length(c, "mixed_formats"); i++) {
        check_text(tally_policy_mixed_format(policy, i), json_item_string(c, "mixed_formats", i));
    }
    CHECK(tally_policy_mixed_format(policy, json_length(c, "mixed_formats")).text == NULL);
    check_csv(c, policy);
}

static void check_case(const json_case *c)
{
    const bool refused = strcmp(json_string(c, "result"), "refused") == 0;
    tally_policy *policy = NULL;
    tally_problem problem;
    const tally_status status = make(NULL, json_string(c, "json"), &policy, &problem);
    CHECK_EQUAL(status, refused ? TALLY_ERROR_POLICY : TALLY_OK);
    CHECK((policy == NULL) == (status != TALLY_OK));
    if (refused && policy == NULL) {
        check_place(problem.place, json_string(c, "place"));
        check_message(problem.text, json_string(c, "message"));
    } else if (policy != NULL && !refused) {
        check_policy(c, policy);
    } else {
        fprintf(stderr, "    %s: %s\n", problem.place, problem.text);
    }
    tally_policy_free(policy);
}

/* Rules that a program has made. */
static void check_rules(void)
{
    tally_format *formats[2];
    tally_problem problem;
    CHECK_EQUAL(tally_format_new(NULL, "\"ipv4\"", 6, &formats[0], &problem), TALLY_OK);
    CHECK_EQUAL(tally_format_new(NULL, "\"date\"", 6, &formats[1], &problem), TALLY_OK);
    const tally_policy_text a = {"a", 1}, b = {"b", 1}, n = {"n", 1}, none = {NULL, 0};
    const tally_key_id key = {"k", 1};
    tally_rule rules[3] = {
        {a, formats[0], key, n, none, TALLY_INVALID_ERROR},
        {b, formats[0], key, n, none, TALLY_INVALID_ERROR},
        {{"c", 1}, formats[0], key, n, none, TALLY_INVALID_ERROR},
    };
    const tally_policy_text keep[] = {{"x", 1}, b};
#define RULES_SAY(says, keep_count, mixed_count)                                                   \
    do {                                                                                           \
        CHECK_EQUAL(                                                                               \
            tally_rules_check(NULL, rules, 3, keep, keep_count, &n, mixed_count, &problem),        \
            TALLY_ERROR_POLICY);                                                                   \
        check_text((tally_policy_text){problem.text, strlen(problem.text)}, says);                 \
        CHECK(problem.place[0] == '\0');                                                           \
    } while (0)
    CHECK_EQUAL(tally_rules_check(NULL, rules, 3, keep, 1, NULL, 0, &problem), TALLY_OK);
    CHECK_EQUAL(tally_rules_check(NULL, NULL, 0, NULL, 0, NULL, 0, &problem), TALLY_OK);
    RULES_SAY("keep: column 'b' has a rule in [columns] too; remove one of the two", 2, 0);
    rules[1].format = formats[1];
    RULES_SAY(
        "columns 'a' and 'b' have two formats under key k:1 in namespace 'n', so equal values "
        "get different tokens and no longer join; give both columns one format, or one of "
        "them another namespace, or allow it with mixed_formats = [\"n\"]",
        0, 0);
    CHECK_EQUAL(tally_rules_check(NULL, rules, 3, keep, 1, &n, 1, &problem), TALLY_OK);
    rules[2].tweak = b;
    RULES_SAY("tweak of column 'c': column 'b' is protected too, so its values would not be "
              "available to reveal this column; use a column that is not protected",
              0, 1);
    rules[1].column = a;
    RULES_SAY("column 'a' has 2 rules", 0, 1);
#undef RULES_SAY
    tally_format_free(formats[0]);
    tally_format_free(formats[1]);
}

/* A policy of many columns, with two formats in the last ones. */
static void check_many(void)
{
    enum { COLUMNS = 20000 };
    char *const json = malloc(150 * COLUMNS);
    tally_policy *policy = NULL;
    tally_problem problem;
    size_t size = (size_t)sprintf(json, "{\"columns\":{");
    for (int i = 0; i < COLUMNS; i++) {
        size += (size_t)sprintf(json + size,
                                "%s\"c%d\":{\"format\":\"%s\",\"key\":\"k:%d\",\"namespace\":\"n\","
                                "\"tweak\":\"t%d\"}",
                                i > 0 ? "," : "", i, i < COLUMNS - 1 ? "ipv4" : "date",
                                1 + i % (COLUMNS - 1), i);
    }
    sprintf(json + size, "}}");
    CHECK_EQUAL(tally_policy_new(NULL, json, strlen(json), &policy, &problem), TALLY_ERROR_POLICY);
    CHECK(strncmp(problem.text, "columns 'c0' and 'c19999' have two formats", 42) == 0);
    free(json);
}

/* A place that is too long is cut. */
static void check_long(void)
{
    char json[2100], name[1001];
    tally_policy *policy = NULL;
    tally_problem problem;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(json, sizeof json, "{\"columns\": {\"%s\": {\"format\": {\"type\": \"%s\"}}}}", name,
             name);
    CHECK_EQUAL(tally_policy_new(NULL, json, strlen(json), &policy, &problem), TALLY_ERROR_POLICY);
    CHECK_EQUAL(strlen(problem.place), sizeof problem.place - 1);
    CHECK_EQUAL(strlen(problem.text), sizeof problem.text - 1);
    CHECK_EQUAL(tally_policy_new(NULL, "[", 1, &policy, &problem), TALLY_ERROR_POLICY);
    CHECK_EQUAL(tally_policy_new(NULL, "[]", 2, &policy, &problem), TALLY_ERROR_POLICY);
    CHECK(strcmp(problem.text, "must be a table, not an array") == 0 && problem.place[0] == '\0');
    tally_policy_free(NULL);
}

/* An allocator that gives `left` pieces, and counts what is out. */
static size_t left, out_now;

/* Columns of one format share it: some formats take megabytes. */
static void check_shared(void)
{
    static const char *const formats[] = {
        "\"card\"",
        "\"card\"",
        "{\"type\": \"card\"}",
        "{\"type\": \"card\"}",
        "{\"type\": \"card\", \"keep_last\": 4}",
        "{\"type\": \"card\", \"keep_last\": 3}",
        "{\"type\": \"bucket\", \"edges\": [1, 2]}",
        "{\"type\": \"bucket\", \"edges\": [1, 2, 3]}",
        "{\"type\": \"bucket\", \"edges\": [1, 2]}",
        "{\"type\": \"bucket\", \"edges\": [1, \"2\"]}",
    };
    enum { COLUMNS = sizeof formats / sizeof *formats };
    static const size_t same[COLUMNS] = {0, 0, 2, 2, 4, 5, 6, 7, 6, 9};
    char text[2048] = "{\"columns\": {";
    tally_policy *policy;
    tally_problem problem;
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *key =
            strstr(formats[i], "bucket") != NULL ? "" : ", \"key\": \"k:1\", \"namespace\": \"n\"";
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"c%zu\": {\"format\": %s%s}",
                 i == 0 ? "" : ", ", i, formats[i], key);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "}, \"mixed_formats\": [\"n\"]}");
    const tally_status status = tally_policy_new(NULL, text, strlen(text), &policy, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    for (size_t i = 0; i < COLUMNS && status == TALLY_OK; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            CHECK_EQUAL(tally_policy_rule(policy, i)->format ==
                            tally_policy_rule(policy, k)->format,
                        same[i] == same[k]);
        }
    }
    tally_policy_free(policy);
}

static void *give(void *context, size_t size)
{
    (void)context;
    if (left == 0) {
        return NULL;
    }
    left--;
    out_now += size;
    return malloc(size);
}

static void take(void *context, void *memory, size_t size)
{
    (void)context;
    out_now -= size;
    free(memory);
}

static void check_memory(void)
{
    static const char json[] =
        "{\"keep\": [\"x\"], \"mixed_formats\": [\"n\"], \"columns\": {\"a\": {\"format\": "
        "\"ipv4\", \"key\": \"k:1\", \"namespace\": \"n\"}, \"b\": {\"format\": \"date\", "
        "\"key\": \"k:1\", \"namespace\": \"n\"}}}";
    const tally_allocator allocator = {give, take, NULL};
    tally_status status = TALLY_ERROR_MEMORY;
    size_t pieces = 0;
    for (; status == TALLY_ERROR_MEMORY; pieces++) {
        tally_policy *policy = NULL;
        tally_problem problem;
        left = pieces;
        status = make(&allocator, json, &policy, &problem);
        CHECK((status == TALLY_OK) == (policy != NULL));
        CHECK(status == TALLY_OK || out_now == 0);
        tally_policy_free(policy);
        CHECK_EQUAL(out_now, 0);
    }
    CHECK_EQUAL(status, TALLY_OK);
    CHECK(pieces > 8);
}

int main(void)
{
    json_file *const file = json_load(TALLY_VECTORS "/policies.json");
    for (size_t i = 0; i < json_count(file); i++) {
        CHECK_ABOUT("%s", json_string(json_at(file, i), "toml"));
        check_case(json_at(file, i));
    }
    CHECK_ABOUT("%s", "");
    check_rules();
    check_many();
    check_long();
    check_shared();
    check_memory();
    json_free(file);
    return check_end("policy");
}
