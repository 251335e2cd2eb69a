/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of columns: their one spelling, and the columns that they find. */
#include "check.h"
#include "policy/check.h"

static void check_spelling(void)
{
    static const char *const cases[][2] = {
        {"a", "a"},
        {"contact.email", "contact.email"},
        {"emails[]", "emails[]"},
        {"attributes{}", "attributes{}"},
        {"orders[].items[].sku", "orders[].items[].sku"},
        {"a{}{}[][].b{}", "a{}{}[][].b{}"},
        {"\"contact\".\"email\"", "contact.email"},
        {"\"n.x\".a", "\"n.x\".a"},
        {"\"n.x\"", NULL},
        {"\"a\"", NULL},
        {"a.\"b[]\"[]", "a.\"b[]\"[]"},
        {"\"say \\\"it\\\"\".\"\\\\\"", "\"say \\\"it\\\"\".\"\\\\\""},
        {"\"\"[]", "\"\"[]"},
        {"\"\"", NULL},
        {"first name.\xc3\xa9", "first name.\xc3\xa9"},
        {"a\\b", "a\\b"},
        {"", NULL},
        {".", NULL},
        {"a.", NULL},
        {".a", NULL},
        {"a..b", NULL},
        {"[]", NULL},
        {"{}", NULL},
        {"a.[]", NULL},
        {"a[", NULL},
        {"a]", NULL},
        {"a[}", NULL},
        {"a[0]", NULL},
        {"a{b}", NULL},
        {"a[]b", NULL},
        {"a{}b", NULL},
        {"\"a", NULL},
        {"\"a\\\"", NULL},
        {"\"a\\n\"", NULL},
        {"\"a\"b", NULL},
        {"a\"b\"", NULL},
        {"\"\\", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        tally_writer writer;
        const tally_policy_text path = {cases[i][0], strlen(cases[i][0])};
        const int as_given = cases[i][1] == NULL || strcmp(cases[i][0], cases[i][1]) == 0;
        tally_writer_init(&writer, out, sizeof out);
        CHECK_ABOUT("%s", cases[i][0]);
        CHECK_EQUAL(tally_path_write(path, &writer), as_given);
        CHECK(cases[i][1] == NULL || strcmp(out, cases[i][1]) == 0);
    }
    CHECK_ABOUT("%s", "");
}

/* The steps of a path as text, with angle brackets around names. */
static void check_steps(void)
{
    static const char *const cases[][2] = {
        {"a", "<a>"},
        {"orders[].items{}.sku", "<orders>[]<items>{}<sku>"},
        {"\"say \\\"it\\\"\".\"\\\\\"", "<say \"it\"><\\>"},
        {"\"[]\"[]", "<[]>[]"},
        {"\"\".b", "<><b>"},
        {"a..b", "<a>!"},
        {"a]", "<a>!"},
        {"[]", "!"},
        {"\"a.b\"", "!"},
    };
    static const char *const kinds[] = {"!", "", "[]", "{}"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = strlen(cases[i][0]);
        char found[64] = "", name[64];
        size_t at = 0, name_size = 0;
        tally_step step = TALLY_STEP_FIELD;
        CHECK_ABOUT("%s", cases[i][0]);
        while (at < size && step != TALLY_STEP_NONE) {
            const size_t end = strlen(found);
            step = tally_path_step(cases[i][0], size, &at, name, sizeof name, &name_size);
            CHECK_EQUAL(name_size, step == TALLY_STEP_FIELD ? strlen(name) : 0);
            if (step == TALLY_STEP_FIELD) {
                (void)snprintf(found + end, sizeof found - end, "<%s>", name);
            } else {
                (void)snprintf(found + end, sizeof found - end, "%s", kinds[step]);
            }
        }
        CHECK(strcmp(found, cases[i][1]) == 0);
    }
    char cut[2];
    size_t at = 0, name_size = 0;
    CHECK_ABOUT("%s", "");
    CHECK_EQUAL(tally_path_step("abc.d", 5, &at, cut, sizeof cut, &name_size), TALLY_STEP_FIELD);
    CHECK(strcmp(cut, "a") == 0 && name_size == 3 && at == 3);
    at = 5;
    CHECK_EQUAL(tally_path_step("abc.d", 5, &at, cut, sizeof cut, &name_size), TALLY_STEP_NONE);
}

#define LEAF(called)                                                                               \
    {                                                                                              \
        .format = "u", .name = (called)                                                            \
    }
#define TREE(of, called, below)                                                                    \
    {                                                                                              \
        .format = (of), .name = (called), .n_children = sizeof(below) / sizeof *(below),           \
        .children = (below)                                                                        \
    }

static void check_find(void)
{
    struct ArrowSchema email = LEAF("email"), phone = LEAF("a.b"), item = LEAF("item");
    struct ArrowSchema *contact_children[] = {&email, &phone};
    struct ArrowSchema contact = TREE("+s", "contact", contact_children);
    struct ArrowSchema *items[] = {&item};
    struct ArrowSchema emails = TREE("+l", "emails", items);
    struct ArrowSchema fixed = TREE("+w:3", "fixed", items), views = TREE("+vL", "views", items);
    struct ArrowSchema key = LEAF("key"), value = LEAF("value");
    struct ArrowSchema *pair[] = {&key, &value};
    struct ArrowSchema entries = TREE("+s", "entries", pair);
    struct ArrowSchema *map_children[] = {&entries};
    struct ArrowSchema map = TREE("+m", "attributes", map_children);
    struct ArrowSchema dotted = LEAF("contact.email2"), twice1 = LEAF("twice"),
                       twice2 = LEAF("twice");
    struct ArrowSchema nameless = LEAF(NULL), order_id = LEAF("id");
    struct ArrowSchema *order_children[] = {&order_id, &contact};
    struct ArrowSchema order = TREE("+s", "item", order_children);
    struct ArrowSchema *orders_items[] = {&order};
    struct ArrowSchema orders = TREE("+L", "orders", orders_items);
    struct ArrowSchema *below[] = {&contact, &emails, &map,   &dotted, &twice1,
                                   &twice2,  &orders, &fixed, &views,  &nameless};
    struct ArrowSchema table = TREE("+s", "", below);
    static const struct {
        const char *path;
        int found;
        uint32_t depth, child[5];
    } cases[] = {
        {"contact", 1, 1, {0}},
        {"contact.email", 1, 2, {0, 0}},
        {"\"contact\".\"email\"", 1, 2, {0, 0}},
        {"contact.\"a.b\"", 1, 2, {0, 1}},
        {"contact.email2", 1, 1, {3}},
        {"\"contact.email2\"", 0, 0, {0}},
        {"\"contact\"", 0, 0, {0}},
        {"\"\"", 0, 0, {0}},
        {"emails", 1, 1, {1}},
        {"emails[]", 1, 2, {1, 0}},
        {"fixed[]", 1, 2, {7, 0}},
        {"views[]", 1, 2, {8, 0}},
        {"attributes{}", 1, 3, {2, 0, 1}},
        {"orders[].id", 1, 3, {6, 0, 0}},
        {"orders[].contact.email", 1, 4, {6, 0, 1, 0}},
        {"", 1, 1, {9}},
        {"twice", -1, 0, {0}},
        {"contact.a.b", 0, 0, {0}},
        {"contact.mail", 0, 0, {0}},
        {"contact[]", 0, 0, {0}},
        {"contact{}", 0, 0, {0}},
        {"emails{}", 0, 0, {0}},
        {"emails.item", 0, 0, {0}},
        {"emails[][]", 0, 0, {0}},
        {"attributes[]", 0, 0, {0}},
        {"attributes.entries", 0, 0, {0}},
        {"nothing", 0, 0, {0}},
        {"contact.", 0, 0, {0}},
        {"contact.email.x", 0, 0, {0}},
    };
    tally_path path;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_ABOUT("%s", cases[i].path);
        CHECK_EQUAL(tally_path_find(&table, cases[i].path, strlen(cases[i].path), &path),
                    cases[i].found);
        if (cases[i].found == 1) {
            CHECK_EQUAL(path.depth, cases[i].depth);
            CHECK(memcmp(path.child, cases[i].child, 4 * path.depth) == 0);
        }
    }
    CHECK_ABOUT("%s", "");
    CHECK_EQUAL(tally_path_find(&email, "email", 5, &path), 0); /* no table */
    entries.n_children = 1;                                     /* a map that is none */
    CHECK_EQUAL(tally_path_find(&table, "attributes{}", 12, &path), 0);
    entries.n_children = 2;
    pair[1] = NULL;
    CHECK_EQUAL(tally_path_find(&table, "attributes{}", 12, &path), 0);
    map.children = NULL;
    CHECK_EQUAL(tally_path_find(&table, "attributes{}", 12, &path), 0);
    below[0] = NULL;
    CHECK_EQUAL(tally_path_find(&table, "contact", 7, &path), 0);
}

/* A path that is deeper than the result has room for. */
static void check_deep(void)
{
    struct ArrowSchema list = {.format = "+l", .name = "l", .n_children = 1};
    struct ArrowSchema *self[] = {&list};
    struct ArrowSchema table = TREE("+s", "", self);
    char text[64] = "l";
    tally_path path;
    list.children = self;
    for (uint32_t depth = 1; depth < 30; depth++) {
        CHECK_EQUAL(tally_path_find(&table, text, strlen(text), &path), depth < TALLY_PATH_DEPTH);
        memcpy(text + strlen(text), "[]", 3);
    }
}

int main(void)
{
    check_spelling();
    check_steps();
    check_find();
    check_deep();
    return check_end("path");
}
