/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings in text: vectors, whole and split at every byte; limits at their maximum; the number of
 * bytes that recognizers read. */
#include "tallystick/scan.h"

#include <stdlib.h>

#include "check.h"
#include "json.h"
#include "random.h"
#include "scan/masks.h"
#include "scan/scanner.h"

enum { MOST = 4096 };

static const char RULES[] =
    "{\"least\":\"weak\",\"lists\":{\"names\":[\"acme corp\",\"acme\",\"M\\u00fcller\","
    "\"\\u00fcmit\",\"\\u7530\\u4e2d\"]},\"patterns\":{\"ids\":\"ID-[0-9]{6}\"}}";

typedef struct findings {
    tally_scan_finding one[MOST];
    size_t count;
    uint64_t steps;
} findings;

static tally_scan_rules *rules_of(const char *json)
{
    tally_scan_rules *rules = NULL;
    tally_problem problem = {"", ""};
    CHECK_EQUAL(tally_scan_rules_new(NULL, json, strlen(json), &rules, &problem), TALLY_OK);
    if (rules == NULL) {
        fprintf(stderr, "%s: %s\n", problem.place, problem.text);
        exit(1);
    }
    return rules;
}

/* Feeds one piece from memory of exactly its size. */
static void feed(tally_scanner *scanner, const uint8_t *bytes, size_t size, findings *out)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    for (size_t at = 0; at < size;) {
        size_t used = 0, count = 0;
        CHECK_EQUAL(tally_scanner_update(scanner, copy + at, size - at, out->one + out->count,
                                         TALLY_SCAN_CAPACITY, &used, &count),
                    TALLY_OK);
        at += used;
        out->count += count;
        CHECK(out->count + TALLY_SCAN_CAPACITY <= MOST);
    }
    free(copy);
}

static void finish(tally_scanner *scanner, findings *out)
{
    size_t count = 0, used;
    for (int more = 1; more;) {
        CHECK_EQUAL(
            tally_scanner_final(scanner, out->one + out->count, TALLY_SCAN_CAPACITY, &count, &more),
            TALLY_OK);
        out->count += count;
    }
    out->steps = scanner->steps;
    CHECK_EQUAL(
        tally_scanner_update(scanner, NULL, 0, out->one, TALLY_SCAN_CAPACITY, &used, &count),
        TALLY_ERROR_ARGUMENT);
}

/* Scans a text in pieces that end at `cut`, and at each multiple of `step` behind it. */
static void scan(const tally_scan_rules *rules, const void *text, size_t size, size_t cut,
                 size_t step, findings *out)
{
    tally_scanner *scanner = NULL;
    const uint8_t *bytes = text;
    out->count = 0;
    CHECK_EQUAL(tally_scanner_new(rules, &scanner), TALLY_OK);
    feed(scanner, bytes, cut, out);
    for (size_t at = cut; at < size; at += step) {
        feed(scanner, bytes + at, size - at < step ? size - at : step, out);
    }
    finish(scanner, out);
    tally_scanner_free(scanner);
}

static int same(const findings *x, const findings *y)
{
    return x->count == y->count && memcmp(x->one, y->one, x->count * sizeof *x->one) == 0;
}

static void test_vectors(void)
{
    static const char *const certainties[] = {"weak", "fair", "strong"};
    static findings whole, parts;
    json_file *file = json_load(TALLY_VECTORS "/text_scan.json");
    tally_scan_rules *rules = rules_of(RULES);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        const char *text = json_string(c, "text");
        const size_t size = strlen(text), count = json_length(c, "findings");
        scan(rules, text, size, size, 1, &whole);
        CHECK_ABOUT("%.100s", json_string(c, "name"));
        CHECK_EQUAL(whole.count, count);
        for (size_t j = 0; j < count && j < whole.count; j++) {
            char line[160];
            const tally_scan_finding *one = &whole.one[j];
            snprintf(line, sizeof line, "%" PRIu64 " %" PRIu32 " %s %s", one->offset, one->size,
                     tally_scan_rule_name(rules, one->rule), certainties[one->certainty - 1]);
            CHECK(strcmp(line, json_item_string(c, "findings", j)) == 0);
        }
        for (size_t cut = 0; cut <= size; cut++) {
            scan(rules, text, size, cut, size + 1, &parts);
            CHECK(same(&whole, &parts));
        }
        scan(rules, text, size, 0, 1, &parts);
        CHECK(same(&whole, &parts));
    }
    tally_scan_rules_free(rules);
    json_free(file);
}

/* A long text of vectors at random places: as the first pass goes through it in blocks. */
static void test_long(void)
{
    static findings whole, parts;
    static char text[400000];
    json_file *file = json_load(TALLY_VECTORS "/text_scan.json");
    tally_scan_rules *rules = rules_of(RULES);
    size_t size = 0, expected = 0;
    while (size + 20000 < sizeof text && expected < 1500) {
        const json_case *c = json_at(file, random_below(json_count(file)));
        const size_t spaces = 100 + random_below(800), length = strlen(json_string(c, "text"));
        memset(text + size, ' ', spaces);
        memcpy(text + size + spaces, json_string(c, "text"), length);
        size += spaces + length;
        text[size++] = '\n';
        expected += json_length(c, "findings");
    }
    scan(rules, text, size, size, 1, &whole);
    /* Two vectors end in the middle of a block, which the next text would go on. */
    CHECK(whole.count > expected / 2 && whole.count < 2 * expected);
    for (size_t i = 1; i < whole.count; i++) {
        CHECK(whole.one[i].offset >= whole.one[i - 1].offset + whole.one[i - 1].size);
    }
    for (int i = 0; i < 20; i++) {
        scan(rules, text, size, random_below(size), 1 + random_below(40000), &parts);
        CHECK(same(&whole, &parts));
    }
    tally_scan_rules_free(rules);
    json_free(file);
}

/* Returns how many bytes recognizers read in a text. */
static uint64_t steps_of(const tally_scan_rules *rules, const uint8_t *text, size_t size)
{
    static findings found;
    tally_scanner *scanner = NULL;
    CHECK_EQUAL(tally_scanner_new(rules, &scanner), TALLY_OK);
    for (size_t at = 0; at < size;) {
        size_t used = 0;
        CHECK_EQUAL(tally_scanner_update(scanner, text + at, size - at, found.one, MOST, &used,
                                         &found.count),
                    TALLY_OK);
        at += used;
    }
    for (int more = 1; more;) {
        CHECK_EQUAL(tally_scanner_final(scanner, found.one, MOST, &found.count, &more), TALLY_OK);
    }
    const uint64_t steps = scanner->steps;
    tally_scanner_free(scanner);
    return steps;
}

/* However a text is made, recognizers read a bounded number of bytes for each of its bytes. */
static void test_steps(const char *least)
{
    enum { BOUND = 128 };
    static const char *const pieces[] = {"a@",
                                         "a.",
                                         "@",
                                         "1 ",
                                         "11 ",
                                         "12-",
                                         "1.",
                                         "+1",
                                         "+1 1 1 1 ",
                                         "eyJ",
                                         "=eyJhbGciOiJIUzI1NiJ9.",
                                         "-----BEGIN A-----",
                                         "-----",
                                         "--",
                                         "-",
                                         "::",
                                         "1:",
                                         "a:",
                                         "a::",
                                         "a://b:c",
                                         "a://",
                                         "a://b@",
                                         "4111 ",
                                         "4111-1111 ",
                                         "DE89 3704 0044 0532 ",
                                         "DE89",
                                         "X-1",
                                         "AKIA",
                                         "ghp_a",
                                         "xoxb-",
                                         "glpat-",
                                         "sk-ant-",
                                         "acme ",
                                         "acme corp acme ",
                                         "\xc3\xbc",
                                         "\xe7\x94\xb0",
                                         "key ",
                                         "version 1.2.3.4 ",
                                         "aB3/xY9+kQ",
                                         "0123456789abcdef",
                                         "00-00-",
                                         "0000.",
                                         "00000000-0000-",
                                         "\"",
                                         "A1",
                                         " ",
                                         "\0"};
    static uint8_t text[1 << 16];
    char json[200];
    snprintf(json, sizeof json,
             "{\"least\":\"%s\",\"lists\":{\"x\":[\"acme corp acme corp acme corp acme\",\"acne\","
             "\"\\u00fc\\u00fc\"]}}",
             least);
    tally_scan_rules *rules = rules_of(json);
    const size_t count = sizeof pieces / sizeof *pieces;
    for (size_t i = 0; i < count * 12; i++) {
        size_t size = 0;
        while (size + 64 < sizeof text) {
            const char *piece = pieces[i < count              ? i
                                       : random_below(4) == 0 ? random_below(count)
                                                              : i % count];
            const size_t width = strlen(piece) > 0 ? strlen(piece) : 1;
            memcpy(text + size, piece, width);
            size += width;
        }
        CHECK_ABOUT("piece %zu: %s, least: %s", i, pieces[i % count], least);
        CHECK(steps_of(rules, text, size) <= BOUND * (uint64_t)size);
    }
    tally_scan_rules_free(rules);
}

/* A pattern of the user may be read at each word of a text, up to its longest match. */
static void test_pattern_steps(void)
{
    enum { SIZE = 1 << 16 };
    static uint8_t text[SIZE];
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = i % 2 == 0 ? 'a' : ' ';
    }
    for (uint64_t patterns = 1; patterns <= 3; patterns += 2) {
        tally_scan_rules *rules = rules_of(
            patterns == 1 ? "{\"kinds\":[\"pattern\"],\"patterns\":{\"p\":\"a[ a]{1,1023}\"}}"
                          : "{\"kinds\":[\"pattern\"],\"patterns\":{\"p\":\"a[ a]{1,1023}\","
                            "\"q\":\"a[ a]{1,1023}\",\"r\":\"a[ a]{1,1023}\"}}");
        const uint64_t steps = steps_of(rules, text, SIZE);
        CHECK(steps > patterns * 500 * SIZE && steps < patterns * 514 * SIZE);
        tally_scan_rules_free(rules);
    }
}

static size_t found_in(const char *json, const char *text, size_t size, findings *out)
{
    tally_scan_rules *rules = rules_of(json);
    scan(rules, text, size, size, 1, out);
    tally_scan_rules_free(rules);
    return out->count;
}

static void refused(const char *json, const char *place)
{
    tally_scan_rules *rules = (tally_scan_rules *)&rules;
    tally_problem problem = {"", ""};
    CHECK_ABOUT("%.150s", json);
    CHECK_EQUAL(tally_scan_rules_new(NULL, json, strlen(json), &rules, &problem),
                TALLY_ERROR_PROBLEM);
    CHECK(rules == NULL);
    CHECK(strcmp(problem.place, place) == 0);
    CHECK(problem.text[0] != '\0');
}

static void test_limits(void)
{
    static findings found;
    static char text[40000], json[4000];
    /* The longest local part of an e-mail address, and one more. */
    memset(text, 'a', 66);
    strcpy(text + 64, "@example.org");
    CHECK_EQUAL(found_in("{}", text, strlen(text), &found), 1);
    memset(text, 'a', 66);
    strcpy(text + 65, "@example.org");
    CHECK_EQUAL(found_in("{}", text, strlen(text), &found), 0);
    /* The longest PEM block; a longer one is found as the part that fits. */
    const char begin[] = "-----BEGIN PRIVATE KEY-----", end[] = "-----END PRIVATE KEY-----";
    for (size_t body = 16000; body <= 20000; body += 4000) {
        memset(text, 'A', sizeof text);
        memcpy(text, begin, sizeof begin - 1);
        memcpy(text + sizeof begin - 1 + body, end, sizeof end - 1);
        const size_t size = sizeof begin - 1 + body + sizeof end - 1;
        CHECK_EQUAL(found_in("{\"kinds\":[\"pem\"]}", text, size, &found), 1);
        CHECK_EQUAL(found.one[0].certainty, body == 16000 ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
        CHECK(found.one[0].size <= TALLY_SCAN_MAX_FINDING);
        CHECK(found.one[0].size == size || body == 20000);
    }
    /* Terms of 2 to 128 bytes, patterns of 1024. */
    for (int size = 128; size <= 129; size++) {
        snprintf(json, sizeof json, "{\"lists\":{\"l\":[\"%0*d\"]}}", size, 7);
        if (size == 129) {
            refused(json, "lists.l");
            continue;
        }
        snprintf(text, sizeof text, "x %0*d y", size, 7);
        CHECK_EQUAL(found_in(json, text, strlen(text), &found), 1);
        CHECK_EQUAL(found.one[0].size, 128);
    }
    memset(text, 'a', 1100);
    CHECK_EQUAL(
        found_in("{\"patterns\":{\"p\":\"aa{1023}\"},\"kinds\":[\"pattern\"]}", text, 1024, &found),
        1);
    CHECK_EQUAL(found.one[0].size, 1024);
    CHECK_EQUAL(
        found_in("{\"patterns\":{\"p\":\"aa{1023}\"},\"kinds\":[\"pattern\"]}", text, 1025, &found),
        0);
    refused("{\"patterns\":{\"p\":\"aa{1024}\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a?b\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"-ab\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"ab*\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a(b)\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a[b\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a[z-a]\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"a[]\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"ab{3,2}\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":\"ab\\\\\"}}", "patterns.p");
    refused("{\"patterns\":{\"p\":7}}", "patterns.p");
    refused("{\"lists\":{\"l\":[\"a\"]}}", "lists.l");
    refused("{\"lists\":{\"l\":[\"-a\"]}}", "lists.l");
    refused("{\"lists\":{\"\":[\"ab\"]}}", "list.\"\"");
    refused("{\"kinds\":[\"cards\"]}", "kinds");
    refused("{\"least\":\"sure\"}", "least");
    refused("{\"more\":1}", "more");
    refused("[]", "");
    /* Too little room. */
    tally_scan_rules *rules = rules_of("{}");
    tally_scanner *scanner = NULL;
    size_t used, count;
    int more;
    CHECK_EQUAL(tally_scanner_new(rules, &scanner), TALLY_OK);
    CHECK_EQUAL(tally_scanner_update(scanner, (const uint8_t *)"a", 1, found.one,
                                     TALLY_SCAN_CAPACITY - 1, &used, &count),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_scanner_final(scanner, found.one, TALLY_SCAN_CAPACITY - 1, &count, &more),
                TALLY_ERROR_ARGUMENT);
    tally_scanner_free(scanner);
    tally_scan_rules_free(rules);
    CHECK(tally_scan_kind_name(TALLY_SCAN_KINDS) == NULL);
}

/* The vectors' masks are those of the table of classes. */
static void test_masks(void)
{
    uint8_t bytes[64];
    for (int i = 0; i < 1000; i++) {
        random_bytes(bytes, sizeof bytes);
        for (uint32_t j = 0; i < 4 && j < 64; j++) {
            bytes[j] = (uint8_t)(i * 64 + (int)j);
        }
        const scan_masks masks = scan_find(bytes);
        for (uint32_t j = 0; j < 64; j++) {
            CHECK_EQUAL(masks.word >> j & 1, scan_is(bytes[j], SCAN_WORD));
            CHECK_EQUAL(masks.digit >> j & 1, scan_is(bytes[j], SCAN_DIGIT));
            CHECK_EQUAL(masks.base64 >> j & 1, scan_is(bytes[j], SCAN_BASE64));
            CHECK_EQUAL(masks.at >> j & 1, bytes[j] == '@');
            CHECK_EQUAL(masks.colon >> j & 1, bytes[j] == ':');
            CHECK_EQUAL(masks.plus >> j & 1, bytes[j] == '+');
            CHECK_EQUAL(masks.hyphen >> j & 1, bytes[j] == '-');
            CHECK_EQUAL(masks.dot >> j & 1, bytes[j] == '.');
            CHECK_EQUAL(masks.under >> j & 1, bytes[j] == '_');
            CHECK_EQUAL(masks.wide >> j & 1, bytes[j] >= 0xc0);
        }
    }
}

int main(void)
{
    test_masks();
    test_vectors();
    test_long();
    test_steps("weak");
    test_steps("fair");
    test_steps("strong");
    test_pattern_steps();
    test_limits();
    return check_end("scan");
}
