/* SPDX-License-Identifier: Apache-2.0
 *
 * What bytes of text stand for: characters as they are, and escaped as JSON, HTML, Markdown, URLs
 * and quoted-printable do. A unit has at most 40 bytes. */
#include <string.h>

#include "base/utf8.h"
#include "text/text.h"

enum { UNIT_BACKSLASHES = 8, UNIT_AMPERSANDS = 3 };

static tally_text_unit unit_of(tally_text_class class, size_t size)
{
    const tally_text_unit unit = {class, 0, size};
    return unit;
}

static tally_text_unit unit_character(uint32_t character, size_t size)
{
    const tally_text_unit unit = {TALLY_TEXT_CHARACTER, (uint8_t)character, size};
    return unit;
}

static tally_text_unit unit_ascii(uint32_t point, size_t size)
{
    if (point >= 'A' && point <= 'Z') {
        return unit_character(point - 'A' + 'a', size);
    }
    if ((point >= 'a' && point <= 'z') || (point >= '0' && point <= '9') || point == '_' ||
        point == '-' || point == ':' || point == '@' || point == '.') {
        return unit_character(point, size);
    }
    switch (point) {
    case ' ':
    case '\t':
        return unit_of(TALLY_TEXT_GAP, size);
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, size);
    case '>':
    case '|':
    case '#':
    case '/':
    case '*':
    case ';':
        return unit_of(TALLY_TEXT_QUOTE, size);
    default:
        return unit_of(TALLY_TEXT_OTHER, size);
    }
}

static tally_text_unit unit_point(uint32_t point, size_t size)
{
    if (point < 0x80) {
        return unit_ascii(point, size);
    }
    switch (point) {
    case 0x27e6:
        return unit_of(TALLY_TEXT_OPEN, size);
    case 0x27e7:
        return unit_of(TALLY_TEXT_CLOSE, size);
    case 0x2010: /* hyphens, dashes and the minus, as typography puts them for '-' */
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
        return unit_character('-', size);
    case 0xff1a:
        return unit_character(':', size);
    case 0xff20:
        return unit_character('@', size);
    case 0xff0e:
        return unit_character('.', size);
    case 0xa0: /* spaces, the soft hyphen, and what has no width */
    case 0xad:
    case 0x2009:
    case 0x200b:
    case 0x200c:
    case 0x200d:
    case 0x202f:
    case 0x2060:
    case 0xfeff:
        return unit_of(TALLY_TEXT_GAP, size);
    case 0x2028:
    case 0x2029:
        return unit_of(TALLY_TEXT_LINE, size);
    default:
        return unit_of(TALLY_TEXT_HIGH, size);
    }
}

static uint32_t unit_lower(uint32_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static uint32_t unit_digit(uint32_t byte)
{
    const uint32_t lower = unit_lower(byte);
    if (lower >= '0' && lower <= '9') {
        return lower - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* Whether text begins with a word in lower case, in any case: 1, 0, or -1 if the text ends before
 * that is clear. */
static int unit_begins(const uint8_t *at, size_t size, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_lower(at[i]) != (uint8_t)word[i]) {
            return 0;
        }
    }
    return 1;
}

/* A character of UTF-8 beyond ASCII. A byte that begins none stands for itself. */
static tally_text_unit unit_utf8(const uint8_t *at, size_t size, int final)
{
    const size_t wanted = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t point = 0;
    if (at[0] < 0xc2 || at[0] > 0xf4) {
        return unit_of(TALLY_TEXT_HIGH, 1);
    }
    for (size_t i = 1; i < size && i < wanted; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return unit_of(TALLY_TEXT_HIGH, 1);
        }
    }
    if (size < wanted && !final) {
        return unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint32_t width = tally_utf8_decode(at, at + size, &point);
    return width == 0 ? unit_of(TALLY_TEXT_HIGH, 1) : unit_point(point, width);
}

/* Backslashes, and what follows them: JSON's \uXXXX, \n, \r and \t, however often they are escaped
 * again. Before anything else they change nothing. */
static tally_text_unit unit_backslash(const uint8_t *at, size_t size, int final)
{
    size_t run = 1;
    while (run < size && run < UNIT_BACKSLASHES && at[run] == '\\') {
        run++;
    }
    if (run == size) {
        return final ? unit_of(TALLY_TEXT_GAP, run) : unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint8_t *const behind = at + run;
    const size_t rest = size - run;
    uint32_t point = 0;
    switch (unit_lower(*behind)) {
    case 'u':
        for (size_t i = 1; i <= 4; i++) {
            if (i == rest) {
                return final ? unit_of(TALLY_TEXT_GAP, run) : unit_of(TALLY_TEXT_MORE, 0);
            }
            if (unit_digit(behind[i]) == 16) {
                return unit_of(TALLY_TEXT_GAP, run);
            }
            point = point << 4 | unit_digit(behind[i]);
        }
        return unit_point(point, run + 5);
    case 'n':
    case 'r':
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, run + 1);
    case 't': { /* a tabulator, or a path's backslash before a token */
        const int token = unit_begins(behind, rest, "tly");
        if (token < 0 && !final) {
            return unit_of(TALLY_TEXT_MORE, 0);
        }
        return unit_of(TALLY_TEXT_GAP, token > 0 ? run : run + 1);
    }
    default:
        return unit_of(TALLY_TEXT_GAP, run);
    }
}

/* A reference of HTML, or one that was escaped again: &#x27e6; &amp;#10214; &lobrk; */
static tally_text_unit unit_reference(const uint8_t *at, size_t size, int final)
{
    static const struct {
        const char *name;
        uint32_t point;
    } names[] = {
        {"lobrk;", 0x27e6},  {"leftdoublebracket;", 0x27e6},
        {"robrk;", 0x27e7},  {"rightdoublebracket;", 0x27e7},
        {"colon;", ':'},     {"lowbar;", '_'},
        {"hyphen;", 0x2010}, {"dash;", 0x2010},
        {"shy;", 0xad},      {"nbsp;", 0xa0},
        {"gt;", '>'},        {"commat;", '@'},
        {"period;", '.'},
    };
    const tally_text_unit more = unit_of(final ? TALLY_TEXT_OTHER : TALLY_TEXT_MORE, final ? 1 : 0);
    size_t i = 1;
    for (int k = 0; k < UNIT_AMPERSANDS; k++) {
        const int again = unit_begins(at + i, size - i, "amp;");
        if (again < 0) {
            return more;
        }
        i += again > 0 ? 4 : 0;
    }
    if (i == size) {
        return more;
    }
    if (at[i] != '#') {
        int open = 0;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const int found = unit_begins(at + i, size - i, names[k].name);
            if (found > 0) {
                return unit_point(names[k].point, i + strlen(names[k].name));
            }
            open |= found < 0;
        }
        return open ? more : unit_of(TALLY_TEXT_OTHER, 1);
    }
    i++;
    uint32_t base = 10, point = 0;
    if (i < size && unit_lower(at[i]) == 'x') {
        base = 16;
        i++;
    }
    for (size_t digits = 0; i < size && digits < 8; i++, digits++) {
        if (at[i] == ';') {
            return digits == 0 || point > 0x10ffff ? unit_of(TALLY_TEXT_OTHER, 1)
                                                   : unit_point(point, i + 1);
        }
        const uint32_t digit = unit_digit(at[i]);
        if (digit >= base) {
            return unit_of(TALLY_TEXT_OTHER, 1);
        }
        point = point * base + digit;
    }
    return i == size ? more : unit_of(TALLY_TEXT_OTHER, 1);
}

/* Reads a byte that is escaped as `prefix` and two digits: 1, 0, or -1 if the text ends before. */
static int unit_byte(const uint8_t *at, size_t size, const char *prefix, uint8_t *byte)
{
    const size_t prefix_size = strlen(prefix);
    const int begins = unit_begins(at, size, prefix);
    if (begins <= 0) {
        return begins;
    }
    uint32_t value = 0;
    for (size_t i = prefix_size; i < prefix_size + 2; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_digit(at[i]) == 16) {
            return 0;
        }
        value = value << 4 | unit_digit(at[i]);
    }
    *byte = (uint8_t)value;
    return 1;
}

/* A character whose bytes are escaped each: %E2%9F%A6 in URLs (%25E2 if that was done again), and
 * =E2=9F=A6 in quoted-printable, which also ends lines with =. */
static tally_text_unit unit_bytes(const uint8_t *at, size_t size, int final)
{
    static const char *const prefixes[] = {"%25", "%", "="};
    if (at[0] == '=' && size > 1 && (at[1] == '\n' || at[1] == '\r')) {
        return unit_of(TALLY_TEXT_LINE, 2);
    }
    int open = 0;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        const size_t each = strlen(prefixes[k]) + 2;
        uint8_t bytes[4] = {0};
        size_t wanted = 1, have = 0;
        int found = 1;
        while (have < wanted && found > 0) {
            found = unit_byte(at + have * each, size - have * each, prefixes[k], &bytes[have]);
            have += found > 0;
            if (have == 1 && bytes[0] >= 0xc2 && bytes[0] <= 0xf4) {
                wanted = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
            }
        }
        open |= found < 0;
        if (found > 0 && bytes[0] < 0x80) {
            return unit_ascii(bytes[0], each);
        }
        uint32_t point = 0;
        if (found > 0 && tally_utf8_decode(bytes, bytes + wanted, &point) != 0) {
            return unit_point(point, wanted * each);
        }
        if (found < 0 && !final) {
            break;
        }
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

/* A tag of HTML that breaks a line, or allows it. */
static tally_text_unit unit_tag(const uint8_t *at, size_t size, int final)
{
    static const char *const tags[] = {"<br>", "<br/>", "<br />", "<wbr>"};
    int open = 0;
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++) {
        const int found = unit_begins(at, size, tags[k]);
        if (found > 0) {
            return unit_of(TALLY_TEXT_LINE, strlen(tags[k]));
        }
        open |= found < 0;
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final)
{
    switch (at[0]) {
    case '\\':
        return unit_backslash(at, size, final);
    case '&':
        return unit_reference(at, size, final);
    case '%':
    case '=':
        return unit_bytes(at, size, final);
    case '<':
        return unit_tag(at, size, final);
    default:
        return at[0] < 0x80 ? unit_ascii(at[0], 1) : unit_utf8(at, size, final);
    }
}
