/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a policy before a library of TOML reads it: its size, and how deep it is nested. */
#include "base/writer.h"
#include "tallystick/policy.h"

#include <string.h>

enum { TOML_DEPTH = 16 /* four levels have a meaning */ };

/* Where the line of a text ends, from `at` on. */
static size_t toml_line_end(const char *text, size_t size, size_t at)
{
    const char *const end = memchr(text + at, '\n', size - at);
    return end == NULL ? size : (size_t)(end - text);
}

/* How many times `c` stands at a place, up to `most`. */
static size_t toml_repeated(const char *text, size_t size, size_t at, char c, size_t most)
{
    size_t count = 0;
    while (count < most && at + count < size && text[at + count] == c) {
        count++;
    }
    return count;
}

/* Where the string ends that begins at `at`; without an end, where a parser would stop. */
static size_t toml_string_end(const char *text, size_t size, size_t at)
{
    const char quote = text[at];
    const size_t width = toml_repeated(text, size, at, quote, 3) == 3 ? 3 : 1;
    for (at += width; at < size; at++) {
        if (toml_repeated(text, size, at, quote, width) == width) {
            at += width;
            /* The string's last characters may be quotes. */
            return width == 1 ? at : at + toml_repeated(text, size, at, quote, 2);
        }
        if (text[at] == '\\' && quote == '"') {
            at++;
        } else if (text[at] == '\n' && width == 1) {
            return at;
        }
    }
    return size;
}

/* Whether tables and lists lie in each other too deep, by brackets or by the dots of one key. */
static int toml_is_deep(const char *text, size_t size)
{
    size_t brackets = 0, dots = 0, at = 0;
    while (at < size && brackets <= TOML_DEPTH && dots < TOML_DEPTH) {
        switch (text[at]) {
        case '#':
            at = toml_line_end(text, size, at);
            continue;
        case '"':
        case '\'':
            at = toml_string_end(text, size, at);
            continue;
        case '[':
        case '{':
            brackets++;
            dots = 0;
            break;
        case ']':
        case '}':
            brackets -= brackets > 0;
            dots = 0;
            break;
        case '.':
            dots++;
            break;
        case '\n':
        case '=':
        case ',':
            dots = 0;
            break;
        default:
            break;
        }
        at++;
    }
    return brackets > TOML_DEPTH || dots >= TOML_DEPTH;
}

tally_status tally_policy_check_text(const char *toml, size_t size, tally_problem *problem)
{
    tally_writer text;
    const int is_large = size > TALLY_POLICY_SIZE_MAX;
    tally_writer_problem(&text, problem);
    if (!is_large && !toml_is_deep(toml, size)) {
        return TALLY_OK;
    }
    tally_write(&text, is_large ? "too large; the limit for a policy is "
                                : "nested too deep; the limit is ");
    tally_write_uint(&text, is_large ? TALLY_POLICY_SIZE_MAX : TOML_DEPTH);
    tally_write(&text, is_large ? " bytes" : " levels of tables or lists");
    return TALLY_ERROR_POLICY;
}
