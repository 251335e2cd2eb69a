/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: text in a buffer, quoted names, and the name that a misspelt one may have meant. What is
 * expected here is what Python's repr, json.dumps and difflib gave. */
#include "base/nearest.h"
#include "base/writer.h"
#include "check.h"

#define CHECK_WRITES(expected, call)                                                               \
    do {                                                                                           \
        char buffer[256];                                                                          \
        tally_writer w;                                                                            \
        tally_writer_init(&w, buffer, sizeof buffer);                                              \
        call;                                                                                      \
        if (!check_that(strcmp(buffer, expected) == 0, __FILE__, __LINE__, #call)) {               \
            fprintf(stderr, "    %s\n", buffer);                                                   \
        }                                                                                          \
        CHECK(w.size == strlen(buffer) && w.needed == w.size);                                     \
    } while (0)

static void check_numbers(void)
{
    CHECK_WRITES("-9223372036854775808", tally_write_int(&w, INT64_MIN));
    CHECK_WRITES("9223372036854775807", tally_write_int(&w, INT64_MAX));
    CHECK_WRITES("18446744073709551615", tally_write_uint(&w, UINT64_MAX));
    CHECK_WRITES("0", tally_write_int(&w, 0));
}

static void check_cut(void)
{
    static const char text[] = "ab\xe2\x82\xac\xf0\x9f\x98\x80z"; /* characters end at 2, 5, 9 */
    static const size_t kept[] = {0, 1, 2, 2, 2, 5, 5, 5, 5, 9, 10};
    for (size_t capacity = 1; capacity <= sizeof text; capacity++) {
        char buffer[16];
        tally_writer writer;
        memset(buffer, 0x55, sizeof buffer);
        tally_writer_init(&writer, buffer, capacity);
        tally_write(&writer, text);
        CHECK_EQUAL(writer.size, kept[capacity - 1]);
        CHECK(buffer[writer.size] == '\0' && memcmp(buffer, text, writer.size) == 0);
        CHECK(buffer[capacity] == 0x55);
        CHECK_EQUAL(writer.needed, sizeof text - 1);
        tally_write_char(&writer, 'x'); /* would not adjoin what was cut */
        CHECK_EQUAL(writer.size, kept[capacity - 1]);
        CHECK_EQUAL(writer.needed, sizeof text);
    }
    tally_problem problem;
    memset(&problem, 0x55, sizeof problem);
    tally_writer writer;
    tally_writer_problem(&writer, &problem);
    CHECK(problem.place[0] == '\0' && problem.text[0] == '\0');
}

static void check_quoted(void)
{
    CHECK_WRITES("''", tally_write_repr(&w, "", 0));
    CHECK_WRITES("'a\"b'", tally_write_repr(&w, "a\"b", 3));
    CHECK_WRITES("\"it's\"", tally_write_repr(&w, "it's", 4));
    CHECK_WRITES("'\\'\"\\\\'", tally_write_repr(&w, "'\"\\", 3));
    CHECK_WRITES("'\\n\\r\\t\\x00\\x7f'", tally_write_repr(&w, "\n\r\t\0\x7f", 5));
    CHECK_WRITES("'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'",
                 tally_write_repr(&w, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9));
    CHECK_WRITES("'\\xa0\\u200b\\U000e0001'",
                 tally_write_repr(&w, "\xc2\xa0\xe2\x80\x8b\xf3\xa0\x80\x81", 9));
    CHECK_WRITES("'\\udcff\\udcc3'", tally_write_repr(&w, "\xff\xc3", 2)); /* surrogateescape */
    CHECK_WRITES("\"\\u00e9\\ud83d\\ude00\\u007f\\b\\f\\n\\r\\t\\\"\\\\/\\u0000\"",
                 tally_write_json(&w, "\xc3\xa9\xf0\x9f\x98\x80\x7f\b\f\n\r\t\"\\/\0", 16));
    CHECK_WRITES("a_B-9", tally_write_key(&w, "a_B-9", 5));
    CHECK_WRITES("\"\"", tally_write_key(&w, "", 0));
    CHECK_WRITES("\"a.b\"", tally_write_key(&w, "a.b", 3));
    CHECK_WRITES("\"\xc3\xa9\"", tally_write_key(&w, "\xc3\xa9", 2));
    CHECK_WRITES("\"\\u00e9\\u007f\"", tally_write_key(&w, "\xc3\xa9\x7f", 3));
    CHECK_WRITES("columns.\"a b\".format", {
        tally_write_path(&w, "columns", 7);
        tally_write_path(&w, "a b", 3);
        tally_write_path(&w, "format", 6);
    });
}

static void check_utf8(void)
{
    static const struct {
        const char *text;
        uint32_t point;
        size_t size;
    } cases[] = {
        {"a", 'a', 1},
        {"\xc2\x80", 0x80, 2},
        {"\xdf\xbf", 0x7ff, 2},
        {"\xe0\xa0\x80", 0x800, 3},
        {"\xed\x9f\xbf", 0xd7ff, 3},
        {"\xee\x80\x80", 0xe000, 3},
        {"\xf0\x90\x80\x80", 0x10000, 4},
        {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
        {"\x80", 0xdc80, 1},
        {"\xc1\xbf", 0xdcc1, 1},
        {"\xe0\x9f\xbf", 0xdce0, 1},
        {"\xed\xa0\x80", 0xdced, 1},
        {"\xf0\x8f\xbf\xbf", 0xdcf0, 1},
        {"\xf4\x90\x80\x80", 0xdcf4, 1},
        {"\xf8\x88\x80\x80\x80", 0xdcf8, 1},
        {"\xe2\x82", 0xdce2, 1},
        {"\xe2\x82z", 0xdce2, 1},
        {"\xff", 0xdcff, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 0;
        CHECK_EQUAL(tally_utf8_next(cases[i].text, strlen(cases[i].text), &at), cases[i].point);
        CHECK_EQUAL(at, cases[i].size);
    }
}

static void check_instead(void)
{
    static const char *const choices[] = {"format", "key",        "namespace",
                                          "tweak",  "on_invalid", "b\xc3\xa9"};
    static const struct {
        const char *name, *says;
    } cases[] = {
        {"formt", "; did you mean 'format'?"},
        {"tamrof", "; there are: format, key, namespace, tweak, on_invalid, b\xc3\xa9"},
        {"keys", "; did you mean 'key'?"},
        {"name_space", "; did you mean 'namespace'?"},
        {"on_unfit", "; there are: format, key, namespace, tweak, on_invalid, b\xc3\xa9"},
        {"onInvalid", "; did you mean 'on_invalid'?"},
        {"wake", "; did you mean 'tweak'?"},
        {"KEYS", "; did you mean 'key'?"},
        {"b\xc3\xa8", "; there are: format, key, namespace, tweak, on_invalid, b\xc3\xa9"},
        {"ab\xc3\xa9", "; did you mean 'b\xc3\xa9'?"},
        {"", "; there are: format, key, namespace, tweak, on_invalid, b\xc3\xa9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_WRITES(cases[i].says,
                     tally_write_instead(&w, cases[i].name, strlen(cases[i].name), choices, 6));
    }
    static const char *const equal[] = {"aby", "abz", "abx"}; /* the last in order of code points */
    CHECK_WRITES("; did you mean 'abz'?", tally_write_instead(&w, "abc", 3, equal, 3));
    static const char *const longer[] = {"abcabcabcabcab"}; /* ratios of 3/5 and 15/26 */
    CHECK_WRITES("; did you mean 'abcabcabcabcab'?",
                 tally_write_instead(&w, "abcabc", 6, longer, 1));
    CHECK_WRITES("; there are: abcabcabcabcab", tally_write_instead(&w, "abcaxbc", 7, longer, 1));
    char longest[TALLY_NEAREST_CHARACTERS + 2];
    memset(longest, 'a', sizeof longest);
    tally_nearest nearest;
    tally_nearest_init(&nearest, longest, TALLY_NEAREST_CHARACTERS);
    tally_nearest_offer(&nearest, longest, TALLY_NEAREST_CHARACTERS + 1);
    CHECK(nearest.best == NULL);
    tally_nearest_offer(&nearest, longest + 1, TALLY_NEAREST_CHARACTERS);
    CHECK(nearest.best == longest + 1);
    tally_nearest_init(&nearest, longest, TALLY_NEAREST_CHARACTERS + 1);
    tally_nearest_offer(&nearest, longest, TALLY_NEAREST_CHARACTERS);
    CHECK(nearest.best == NULL);
}

int main(void)
{
    check_numbers();
    check_cut();
    check_quoted();
    check_utf8();
    check_instead();
    return check_end("writer");
}
