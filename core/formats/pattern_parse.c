/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns become layouts. A pattern is read into items; a group of optional items stands before
 * what is in it. Then each choice of optional groups is laid out. */
#include <string.h>

#include "base/bytes.h"
#include "formats/pattern.h"
#include "tallystick/sha2.h"

/* A part, or a group that may be missing. */
typedef struct pattern_item {
    tally_layout_part part;
    uint16_t end;     /* of a group: the item behind it; else 0 */
    uint32_t choices; /* 1; of a group: its own, and that it is missing */
} pattern_item;

typedef struct pattern_parser {
    const tally_format *format;
    tally_layouts *layouts;
    const tally_pattern_names *names;
    tally_problem *problem;
    const char *at, *end;
    pattern_item item[TALLY_PATTERN];
    uint32_t items;
    uint32_t choices;                      /* of the whole pattern */
    tally_layout_part part[TALLY_PATTERN]; /* of one layout */
    uint32_t parts;
} pattern_parser;

static tally_status pattern_wrong(const pattern_parser *parser, const char *text)
{
    return tally_format_refuse(parser->format, parser->problem, "pattern", text);
}

/* The characters that a letter stands for; none for others. */
static tally_characters pattern_class(char letter)
{
    const uint64_t digits = UINT64_C(0x3ff) << '0', upper = UINT64_C(0x3ffffff) << ('A' - 64),
                   lower = UINT64_C(0x3ffffff) << ('a' - 64);
    switch (letter) {
    case 'A':
        return (tally_characters){{0, upper}};
    case 'a':
        return (tally_characters){{0, lower}};
    case '9':
        return (tally_characters){{digits, 0}};
    case 'X':
        return (tally_characters){{digits, upper}};
    default:
        return (tally_characters){{0, 0}};
    }
}

static tally_status pattern_add_choices(pattern_parser *parser, const tally_choices *choices)
{
    if (choices == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    parser->item[parser->items++] = (pattern_item){.part = {.choices = choices}, .choices = 1};
    return TALLY_OK;
}

static void pattern_add_literal(pattern_parser *parser, uint8_t literal)
{
    parser->item[parser->items++] = (pattern_item){.part = {.literal = literal}, .choices = 1};
}

/* The next character; 0: there is none. */
static char pattern_next(pattern_parser *parser)
{
    char next = '\0';
    if (parser->at < parser->end) {
        next = *parser->at++;
    }
    return next;
}

/* Adds the characters of a set that were read; a '-' at either end is an ordinary character. */
static tally_status pattern_add_set(pattern_parser *parser, const char *characters,
                                    const uint8_t *ordinary, size_t count)
{
    tally_characters found = {{0, 0}};
    uint32_t members = 0;
    for (size_t i = 0; i < count; i++) {
        const char first = characters[i];
        char last = first;
        if (i + 2 < count && characters[i + 1] == '-' && !ordinary[i + 1]) {
            last = characters[i + 2];
            i += 2;
        }
        if ((uint8_t)last < (uint8_t)first) {
            tally_writer out;
            tally_format_refusal(parser->format, parser->problem, "pattern", &out);
            tally_write(&out, "in a set, the range '");
            tally_write_char(&out, first);
            tally_write_char(&out, '-');
            tally_write_char(&out, last);
            tally_write(&out, "' must begin with the lower character");
            return TALLY_ERROR_FORMAT;
        }
        for (uint32_t c = (uint8_t)first; c <= (uint8_t)last; c++) {
            if (tally_characters_have(&found, c)) {
                return pattern_wrong(parser, "a set has a character twice");
            }
            tally_characters_add(&found, c);
            members++;
        }
    }
    if (members == 0) {
        return pattern_wrong(parser, "a set is empty; write '\\[' for the character '['");
    }
    if (members == 1) {
        pattern_add_literal(parser, (uint8_t)characters[0]);
        return TALLY_OK;
    }
    return pattern_add_choices(parser, tally_layouts_choose(parser->layouts, found));
}

static tally_status pattern_read_set(pattern_parser *parser)
{
    char characters[TALLY_PATTERN];
    uint8_t ordinary[TALLY_PATTERN];
    size_t count = 0;
    for (char one; (one = pattern_next(parser)) != ']'; count++) {
        if (one == '\0') {
            return pattern_wrong(parser, "a '[' is never closed");
        }
        ordinary[count] = one == '\\';
        if (one == '\\') {
            one = pattern_next(parser);
            if (one == '\0') {
                return pattern_wrong(parser, "no character follows the last '\\'");
            }
        }
        characters[count] = one;
    }
    return pattern_add_set(parser, characters, ordinary, count);
}

static tally_status pattern_read_name(pattern_parser *parser)
{
    const char *name = parser->at;
    while (pattern_next(parser) != '}') {
        if (parser->at == parser->end) {
            return pattern_wrong(parser, "a '{' is never closed");
        }
    }
    return pattern_add_choices(parser, parser->names->choices(parser->layouts, name,
                                                              (size_t)(parser->at - name) - 1,
                                                              parser->names->context));
}

static tally_status pattern_read_part(pattern_parser *parser, char one)
{
    if (one == '\\') {
        one = pattern_next(parser);
        if (one == '\0') {
            return pattern_wrong(parser, "no character follows the last '\\'");
        }
        pattern_add_literal(parser, (uint8_t)one);
        return TALLY_OK;
    }
    if (one == '[') {
        return pattern_read_set(parser);
    }
    if (one == ']') {
        return pattern_wrong(parser, "a ']' has no '[' before it; write '\\]' for the character");
    }
    if (parser->names != NULL && one == '#') {
        pattern_add_literal(parser, 0);
        return TALLY_OK;
    }
    if (parser->names != NULL && one == '{') {
        return pattern_read_name(parser);
    }
    const tally_characters class = pattern_class(one);
    if ((class.bits[0] | class.bits[1]) != 0) {
        return pattern_add_choices(parser, tally_layouts_choose(parser->layouts, class));
    }
    pattern_add_literal(parser, (uint8_t)one);
    return TALLY_OK;
}

/* Reads all items; counts the choices of optional groups as they come. */
static tally_status pattern_read(pattern_parser *parser)
{
    uint16_t open[TALLY_PATTERN];        /* groups that are not closed */
    uint32_t choices[TALLY_PATTERN + 1]; /* of the pattern and in each of those, so far */
    uint32_t depth = 0;
    choices[0] = 1;
    for (char one; (one = pattern_next(parser)) != '\0';) {
        if (one == '(') {
            open[depth++] = (uint16_t)parser->items;
            choices[depth] = 1;
            parser->item[parser->items++] = (pattern_item){.choices = 1};
        } else if (one == ')') {
            if (depth == 0) {
                return pattern_wrong(parser,
                                     "a ')' has no '(' before it; write '\\)' for the character");
            }
            pattern_item *group = &parser->item[open[--depth]];
            group->end = (uint16_t)parser->items;
            group->choices = choices[depth + 1] + 1;
            choices[depth] *= group->choices;
            if (choices[depth] > TALLY_LAYOUTS) {
                tally_writer out;
                tally_format_refusal(parser->format, parser->problem, "pattern", &out);
                tally_write(&out, "optional parts make more than ");
                tally_write_uint(&out, TALLY_LAYOUTS);
                tally_write(&out, " layouts; use fewer of them");
                return TALLY_ERROR_FORMAT;
            }
        } else {
            tally_status status = pattern_read_part(parser, one);
            if (status != TALLY_OK) {
                return status;
            }
        }
    }
    parser->choices = choices[0];
    return depth == 0
               ? TALLY_OK
               : pattern_wrong(parser, "a '(' is never closed; write '\\(' for the character");
}

/* Lays out the items first .. end - 1, by a number of their `choices`; the last group's choice
 * weighs least. Groups lie in each other at most TALLY_PATTERN / 2 deep. */
static void pattern_lay_out(pattern_parser *parser, uint32_t first, uint32_t end, uint32_t choices,
                            uint32_t number)
{
    for (uint32_t i = first; i < end;) {
        const pattern_item *item = &parser->item[i];
        if (item->end == 0) {
            parser->part[parser->parts++] = item->part;
            i++;
            continue;
        }
        choices /= item->choices;
        if (number / choices < item->choices - 1) {
            pattern_lay_out(parser, i + 1, item->end, item->choices - 1, number / choices);
        }
        number %= choices;
        i = item->end;
    }
}

static void pattern_write_characters(const tally_choices *choices, tally_writer *out)
{
    for (uint32_t c = 0; c < 128; c++) {
        if (tally_characters_have(&choices->characters[0], c)) {
            tally_write_char(out, (char)c);
        }
    }
}

/* Writes a layout's name in messages, in quotes. */
static void pattern_write_notation(const tally_layout_part *parts, size_t count, tally_writer *out)
{
    static const char classes[] = "Aa9X";
    char text[TALLY_PATTERN * 44];
    tally_writer notation;
    tally_writer_init(&notation, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        const tally_choices *choices = parts[i].choices;
        char named = '\0';
        if (choices == NULL) {
            const uint8_t literal = parts[i].literal;
            tally_write_char(&notation, (char)(literal == 0 ? '#' : literal));
            continue;
        }
        for (size_t k = 0; classes[k] != '\0'; k++) {
            const tally_characters class = pattern_class(classes[k]);
            if (memcmp(&class, &choices->characters[0], sizeof class) == 0) {
                named = classes[k];
            }
        }
        if (named != '\0') {
            tally_write_char(&notation, named);
        } else if (choices->size > 40 || choices->width > 1) {
            tally_write(&notation, "[...]");
        } else {
            tally_write_char(&notation, '[');
            pattern_write_characters(choices, &notation);
            tally_write_char(&notation, ']');
        }
    }
    tally_write_repr(out, text, notation.size);
}

/* A digest of the fields, so that values of other fields have unrelated tokens. */
static void pattern_digest(const pattern_parser *parser, uint8_t out[32])
{
    tally_sha256 hash;
    tally_sha256_init(&hash);
    for (size_t i = 0; i < parser->parts; i++) {
        const tally_choices *choices = parser->part[i].choices;
        if (choices != NULL) {
            char text[128];
            uint8_t size[4];
            tally_writer characters;
            tally_writer_init(&characters, text, sizeof text);
            pattern_write_characters(choices, &characters);
            tally_store_be32((uint32_t)characters.size, size);
            tally_sha256_update(&hash, size, sizeof size);
            tally_sha256_update(&hash, (const uint8_t *)text, characters.size);
        }
    }
    tally_sha256_final(&hash, out);
}

static void pattern_choose(pattern_parser *parser, uint32_t number)
{
    parser->parts = 0;
    pattern_lay_out(parser, 0, parser->items, parser->choices, number);
}

static tally_status pattern_refuse_layout(pattern_parser *parser)
{
    uint32_t fields = 0;
    tally_writer out;
    for (size_t i = 0; i < parser->parts; i++) {
        fields += parser->part[i].choices != NULL;
    }
    tally_format_refusal(parser->format, parser->problem, "pattern", &out);
    pattern_write_notation(parser->part, parser->parts, &out);
    if (fields == 0) {
        tally_write(&out, " has nothing to encrypt");
    } else {
        tally_write(&out, " is too long; at most ");
        tally_write_uint(&out, TALLY_MIXED_MAX_POSITIONS);
        tally_write(&out, " characters may change, with at most 2**256 values");
    }
    return TALLY_ERROR_FORMAT;
}

static tally_status pattern_refuse_overlap(pattern_parser *parser, uint32_t first, uint32_t second)
{
    tally_writer out;
    tally_format_refusal(parser->format, parser->problem, "pattern", &out);
    tally_write(&out, "a value may match both ");
    pattern_choose(parser, first);
    pattern_write_notation(parser->part, parser->parts, &out);
    tally_write(&out, " and ");
    pattern_choose(parser, second);
    pattern_write_notation(parser->part, parser->parts, &out);
    tally_write(&out, ", so its token could not be revealed; make a set smaller, or nest optional "
                      "parts, as in 'A(A(A))'");
    return TALLY_ERROR_FORMAT;
}

tally_status tally_pattern_add(const tally_format *format, tally_layouts *layouts,
                               const char *pattern, size_t size, const tally_pattern_names *names,
                               tally_problem *problem)
{
    pattern_parser parser = {.format = format,
                             .layouts = layouts,
                             .names = names,
                             .problem = problem,
                             .at = pattern,
                             .end = pattern + size};
    int printable = size > 0 && size <= TALLY_PATTERN;
    for (size_t i = 0; i < size && printable; i++) {
        printable = pattern[i] >= ' ' && pattern[i] <= '~';
    }
    if (!printable) {
        return pattern_wrong(&parser, "a pattern must be 1 to 256 printable ASCII characters");
    }
    tally_status status = pattern_read(&parser);
    const uint32_t before = layouts->count;
    for (uint32_t i = 0; status == TALLY_OK && i < parser.choices; i++) {
        uint8_t kept[32];
        pattern_choose(&parser, i);
        if (names == NULL) {
            pattern_digest(&parser, kept);
        }
        status = tally_layouts_add(layouts, parser.part, parser.parts,
                                   names == NULL ? 0 : names->check_rule, kept,
                                   names == NULL ? sizeof kept : 0);
        if (status == TALLY_ERROR_LENGTH) {
            return pattern_refuse_layout(&parser);
        }
    }
    uint32_t first, second;
    if (status == TALLY_OK && before == 0 && tally_layouts_overlap(layouts, &first, &second)) {
        return pattern_refuse_overlap(&parser, first, second);
    }
    return status;
}
