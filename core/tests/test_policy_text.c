/* SPDX-License-Identifier: Apache-2.0
 *
 * The TOML of a policy before it is read: its size, and how deep it is nested. */
#include "check.h"
#include "tallystick/policy.h"

#include <stdlib.h>

#define MANY   "!" /* a hundred opening brackets */
#define CLOSED "~" /* a hundred closing ones */

/* `begin`, `count` times `part`, and `end`. */
typedef struct text_case {
    const char *begin, *part;
    size_t count;
    const char *end;
    int deep;
} text_case;

static char *put(char *at, const char *text)
{
    for (; *text != '\0'; text++) {
        const size_t count = *text == *MANY || *text == *CLOSED ? 100 : 1;
        memset(at, *text == *MANY ? '[' : *text == *CLOSED ? ']' : *text, count);
        at += count;
    }
    return at;
}

static tally_status check_text(const text_case *one, tally_problem *problem)
{
    const size_t most = strlen(one->begin) + strlen(one->end) + one->count * strlen(one->part);
    char *const text = malloc(100 * most + 1);
    char *at = put(text, one->begin);
    for (size_t i = 0; i < one->count; i++) {
        at = put(at, one->part);
    }
    /* Memory of its size alone, so that a sanitizer sees a read behind it. */
    const size_t size = (size_t)(put(at, one->end) - text);
    char *const own = malloc(size + (size == 0));
    memcpy(own, text, size);
    const tally_status status = tally_policy_check_text(own, size, problem);
    free(own);
    free(text);
    return status;
}

int main(void)
{
    static const text_case cases[] = {
        {"a = ", MANY CLOSED, 1, "", 1},
        {"a = ", MANY, 1, "", 1},
        {"a = ", "{a=", 100, "}}}}}}}}}", 1},
        {"", "a.", 100, "a = 1", 1},
        {"[", "a . ", 100, "a]", 1},
        {"[", "'a'.", 100, "a]", 1},
        {"a = ", "[", 16, "", 0},
        {"a = ", "[", 17, "", 1},
        {"", "a.", 15, "a = 1", 0},
        {"", "a.", 16, "a = 1", 1},
        /* What a string or a comment closes is not closed. */
        {"a = ", "[']',", 100, "", 1},
        {"a = ", "[\"\\\"]\",", 100, "", 1},
        {"a = ", "[#]\n", 100, "", 1},
        {"a = ", "['''\n]''',", 99, "", 1},
        /* And a string ends where a parser says. */
        {"a = 'x\\'", MANY, 1, "", 1},
        {"a = \"\"", MANY, 1, "", 1},
        {"a = \"\"\"x\"\"\"\"\"", MANY, 1, "", 1},
        {"a = '''x''''", MANY, 1, "", 1},
        {"a = \"\"\"\"\"\"", MANY, 1, "", 1},
        {"a = ''''''", MANY, 1, "", 1},
        {"a = 'x\n", MANY, 1, "", 1},
        {"a = \"x\n", MANY, 1, "", 1},
        {"a = \"\\", "", 0, "", 0},
        {"a = '''", "", 0, "", 0},
        {"# ", "", 0, "no end", 0},
        {"", "", 0, "", 0},
        {"# ", MANY, 1, "", 0},
        {"a = '", MANY, 1, "'", 0},
        {"a = \"", MANY, 1, "\\\"" MANY, 0},
        {"a = '''\n", MANY, 1, "''" CLOSED, 0},
        {"a = \"\"\"", MANY, 1, "\"\"" CLOSED, 0},
        {"", "a = [[1.5, 2.5], {b.c = 1}]\n", 100, "", 0},
        {"", "[[a.b]]\n", 100, "", 0},
        {"'", "a.", 100, "' = 1", 0},
        {"a = [", "1.5,", 100, "]", 0},
    };
    static const text_case most = {"", "#", TALLY_POLICY_SIZE_MAX, "", 0};
    static const text_case more = {"", "#", TALLY_POLICY_SIZE_MAX + 1, "", 0};
    tally_problem problem;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char says[] = "nested too deep; the limit is 16 levels of tables or lists";
        CHECK_ABOUT("%zu", i);
        CHECK_EQUAL(check_text(&cases[i], &problem), cases[i].deep ? TALLY_ERROR_POLICY : TALLY_OK);
        CHECK(problem.place[0] == '\0' && strcmp(problem.text, cases[i].deep ? says : "") == 0);
    }
    CHECK_ABOUT("%s", "");
    CHECK_EQUAL(check_text(&most, &problem), TALLY_OK);
    CHECK_EQUAL(check_text(&more, &problem), TALLY_ERROR_POLICY);
    CHECK(strcmp(problem.text, "too large; the limit for a policy is 1048576 bytes") == 0);
    return check_end("policy text");
}
