/* SPDX-License-Identifier: Apache-2.0
 *
 * See json.h. A first look at the text counts values, so that the tree and all its strings fit one
 * allocation. Open arrays and objects are on a stack of fixed size. */
#include "json/json.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "base/writer.h"

#include <string.h>

typedef struct json_parser {
    const char *text;
    size_t size, at;
    const char *wrong; /* why parsing ended, or NULL */
    size_t wrong_at;
    tally_json *nodes;   /* the next free one */
    char *strings;       /* the next free byte */
    const void **sorted; /* room for as many as there are nodes */
    tally_json *open[TALLY_JSON_DEPTH];
    tally_json *last[TALLY_JSON_DEPTH]; /* the last item of each open one, or NULL */
    size_t depth;
} json_parser;

/* Each value begins the text, or follows one of these outside of strings. Counting ends where reading
 * will at the latest, so that brackets and commas alone take little memory, and where there are too
 * many. */
static size_t json_count_values(const char *text, size_t size)
{
    size_t count = 1, depth = 0;
    int quoted = 0;
    char before = '\0'; /* the last one that is no space */
    for (size_t i = 0; i < size && count <= TALLY_JSON_VALUES_MAX; i++) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        if (c == '[' || c == '{') {
            count++;
            if (++depth > TALLY_JSON_DEPTH) {
                break;
            }
        } else if (c == ',') {
            count++;
            if (before == ',' || before == '[' || before == '{') {
                break;
            }
        } else if ((c == ']' || c == '}') && depth-- == 0) {
            break;
        }
        quoted = c == '"';
        before = c;
    }
    return count;
}

static int json_refuse(json_parser *parser, size_t at, const char *wrong)
{
    if (parser->wrong == NULL) {
        parser->wrong = wrong;
        parser->wrong_at = at;
    }
    return 0;
}

static int json_peek(const json_parser *parser)
{
    return parser->at < parser->size ? (uint8_t)parser->text[parser->at] : -1;
}

static void json_skip_space(json_parser *parser)
{
    int c = json_peek(parser);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        parser->at++;
        c = json_peek(parser);
    }
}

static int json_take(json_parser *parser, char wanted)
{
    if (json_peek(parser) != (uint8_t)wanted) {
        return 0;
    }
    parser->at++;
    return 1;
}

/* Four hexadecimal digits; -1 if they are not. */
static int32_t json_hex4(json_parser *parser)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const int c = json_peek(parser), lower = c | 0x20;
        if (c >= '0' && c <= '9') {
            value = value * 16 + (c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            value = value * 16 + (lower - 'a' + 10);
        } else {
            return -1;
        }
        parser->at++;
    }
    return value;
}

/* Appends a character to the string that is being made. Its escape took at least as many bytes. */
static void json_append(json_parser *parser, uint32_t c)
{
    parser->strings += tally_utf8_encode(c, (uint8_t *)parser->strings);
}

/* The character of an escape, after its backslash. */
static int json_read_escape(json_parser *parser)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const size_t start = parser->at - 1;
    const int c = json_peek(parser);
    const char *name = c > 0 ? strchr(names, c) : NULL;
    if (name != NULL) {
        parser->at++;
        json_append(parser, (uint8_t)meant[name - names]);
        return 1;
    }
    if (!json_take(parser, 'u')) {
        return json_refuse(parser, start, "this escape is not one of JSON's");
    }
    const int32_t high = json_hex4(parser);
    if (high < 0) {
        return json_refuse(parser, start, "\\u needs four hexadecimal digits");
    }
    if (high < 0xd800 || high > 0xdfff) {
        json_append(parser, (uint32_t)high);
        return 1;
    }
    if (high < 0xdc00 && json_take(parser, '\\') && json_take(parser, 'u')) {
        const int32_t low = json_hex4(parser);
        if (low >= 0xdc00 && low <= 0xdfff) {
            json_append(parser,
                        0x10000 + (((uint32_t)high & 0x3ff) << 10) + ((uint32_t)low & 0x3ff));
            return 1;
        }
    }
    return json_refuse(parser, start, "half of a surrogate pair stands alone");
}

/* A string, at its first quote. */
static int json_read_string(json_parser *parser, const char **text, size_t *size)
{
    const size_t start = parser->at;
    char *const out = parser->strings;
    if (!json_take(parser, '"')) {
        return json_refuse(parser, start, "a string in double quotes must stand here");
    }
    while (!json_take(parser, '"')) {
        const int c = json_peek(parser);
        if (c < 0) {
            return json_refuse(parser, start, "this string has no end");
        }
        if (c < 0x20) {
            return json_refuse(parser, parser->at, "a control character must be escaped");
        }
        if (c == '\\') {
            parser->at++;
            if (!json_read_escape(parser)) {
                return 0;
            }
        } else if (c < 0x80) {
            parser->at++;
            *parser->strings++ = (char)c;
        } else {
            const size_t before = parser->at;
            const uint32_t point = tally_utf8_next(parser->text, parser->size, &parser->at);
            if (point >= 0xd800 && point < 0xe000) {
                return json_refuse(parser, before, "this is not UTF-8");
            }
            json_append(parser, point);
        }
    }
    *text = out;
    *size = (size_t)(parser->strings - out);
    *parser->strings++ = '\0';
    return 1;
}

static size_t json_read_digits(json_parser *parser)
{
    const size_t start = parser->at;
    while (json_peek(parser) >= '0' && json_peek(parser) <= '9') {
        parser->at++;
    }
    return parser->at - start;
}

/* The value of a whole number; 0 if it is not within int64_t. */
static int json_int64(const char *digits, int64_t *out)
{
    const int negative = digits[0] == '-';
    const uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative;
    uint64_t value = 0;
    for (const char *c = digits + negative; *c != '\0'; c++) {
        const uint64_t digit = (uint64_t)(*c - '0');
        if (value > (limit - digit) / 10) {
            return 0;
        }
        value = value * 10 + digit;
    }
    *out = !negative || value == 0 ? (int64_t)value : -(int64_t)(value - 1) - 1;
    return 1;
}

static int json_read_number(json_parser *parser, tally_json *node)
{
    const size_t start = parser->at;
    int whole = 1;
    json_take(parser, '-');
    const size_t first = parser->at, digits = json_read_digits(parser);
    if (digits == 0) {
        return json_refuse(parser, start, "a value must stand here");
    }
    if (digits > 1 && parser->text[first] == '0') {
        return json_refuse(parser, start, "a number must not begin with 0");
    }
    if (json_take(parser, '.')) {
        whole = 0;
        if (json_read_digits(parser) == 0) {
            return json_refuse(parser, start, "digits must follow the point of a number");
        }
    }
    if (json_take(parser, 'e') || json_take(parser, 'E')) {
        whole = 0;
        if (!json_take(parser, '+')) {
            json_take(parser, '-');
        }
        if (json_read_digits(parser) == 0) {
            return json_refuse(parser, start, "digits must follow the exponent of a number");
        }
    }
    node->size = parser->at - start;
    memcpy(parser->strings, parser->text + start, node->size);
    parser->strings[node->size] = '\0';
    node->text = parser->strings;
    parser->strings += node->size + 1;
    node->kind = !whole                                   ? TALLY_JSON_FRACTION
                 : json_int64(node->text, &node->integer) ? TALLY_JSON_INTEGER
                                                          : TALLY_JSON_BIG;
    return 1;
}

static int json_read_word(json_parser *parser, tally_json *node)
{
    static const char *const words[] = {"null", "false", "true"}; /* in the order of the kinds */
    for (int i = 0; i < 3; i++) {
        const size_t size = strlen(words[i]);
        if (parser->size - parser->at >= size &&
            memcmp(parser->text + parser->at, words[i], size) == 0) {
            parser->at += size;
            node->kind = (tally_json_kind)i;
            return 1;
        }
    }
    return json_read_number(parser, node);
}

/* Orders members by their keys. */
static int json_compare(const void *one, const void *other)
{
    const tally_json *const a = one, *const b = other;
    const size_t common = a->key_size < b->key_size ? a->key_size : b->key_size;
    const int order = common == 0 ? 0 : memcmp(a->key, b->key, common);
    return order != 0 ? order : (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

/* Whether a key is there twice. Sorts, so that an object of a million members costs little.
 * `sorted` has room for all members. */
static int json_has_twice(const tally_json *object, const void **sorted)
{
    size_t count = 0;
    for (const tally_json *member = object->first; member != NULL; member = member->next) {
        sorted[count++] = member;
    }
    tally_sort(sorted, count, json_compare);
    for (size_t i = 1; i < count; i++) {
        if (json_compare(sorted[i - 1], sorted[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Puts a new value behind the last one of the innermost open array or object. */
static tally_json *json_add(json_parser *parser)
{
    tally_json *const node = parser->nodes++;
    memset(node, 0, sizeof *node);
    if (parser->depth > 0) {
        tally_json *const parent = parser->open[parser->depth - 1];
        tally_json **const last = &parser->last[parser->depth - 1];
        if (*last == NULL) {
            parent->first = node;
        } else {
            (*last)->next = node;
        }
        *last = node;
        parent->count++;
    }
    return node;
}

/* Reads the start of a value, with its key if it is a member: a whole value, or a bracket. */
static int json_read_value(json_parser *parser)
{
    tally_json *const node = json_add(parser);
    json_skip_space(parser);
    if (parser->depth > 0 && parser->open[parser->depth - 1]->kind == TALLY_JSON_OBJECT) {
        if (!json_read_string(parser, &node->key, &node->key_size)) {
            return 0;
        }
        json_skip_space(parser);
        if (!json_take(parser, ':')) {
            return json_refuse(parser, parser->at, "a colon must stand here");
        }
        json_skip_space(parser);
    }
    const int c = json_peek(parser);
    if (c == '"') {
        node->kind = TALLY_JSON_TEXT;
        return json_read_string(parser, &node->text, &node->size);
    }
    if (c != '[' && c != '{') {
        return json_read_word(parser, node);
    }
    if (parser->depth == TALLY_JSON_DEPTH) {
        return json_refuse(parser, parser->at, "it is nested too deep");
    }
    node->kind = c == '[' ? TALLY_JSON_ARRAY : TALLY_JSON_OBJECT;
    parser->open[parser->depth] = node;
    parser->last[parser->depth++] = NULL;
    parser->at++;
    return 1;
}

/* Reads the brackets that end arrays and objects here. */
static int json_read_ends(json_parser *parser)
{
    for (json_skip_space(parser); parser->depth > 0; json_skip_space(parser)) {
        const tally_json *const inner = parser->open[parser->depth - 1];
        const size_t end = parser->at;
        if (!json_take(parser, inner->kind == TALLY_JSON_ARRAY ? ']' : '}')) {
            return 1;
        }
        if (inner->kind == TALLY_JSON_OBJECT && json_has_twice(inner, parser->sorted)) {
            return json_refuse(parser, end, "the object that ends here has a key twice");
        }
        parser->depth--;
    }
    return 1;
}

/* Whether the array or object that has just begun has a first item or member. */
static int json_goes_inside(json_parser *parser)
{
    const tally_json *const node = parser->nodes - 1;
    if (parser->depth == 0 || parser->open[parser->depth - 1] != node) {
        return 0;
    }
    json_skip_space(parser);
    return json_peek(parser) != (node->kind == TALLY_JSON_ARRAY ? ']' : '}');
}

static int json_read(json_parser *parser)
{
    do {
        do {
            if (!json_read_value(parser)) {
                return 0;
            }
        } while (json_goes_inside(parser));
        if (!json_read_ends(parser)) {
            return 0;
        }
    } while (parser->depth > 0 && json_take(parser, ','));
    if (parser->depth > 0) {
        return json_refuse(parser, parser->at,
                           "a comma, or the end of the array or object, must stand here");
    }
    return parser->at == parser->size ||
           json_refuse(parser, parser->at, "nothing may follow the value");
}

static tally_status json_too_large(tally_problem *problem, size_t most, const char *of_what)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "this JSON is too large: at most ");
        tally_write_uint(&writer, most);
        tally_write(&writer, of_what);
    }
    return TALLY_ERROR_PROBLEM;
}

static tally_status json_problem(tally_problem *problem, const char *wrong, size_t at)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "this is not JSON: ");
        tally_write(&writer, wrong);
        tally_write(&writer, " (byte ");
        tally_write_uint(&writer, at);
        tally_write(&writer, ")");
    }
    return TALLY_ERROR_PROBLEM;
}

tally_status tally_json_parse(const tally_allocator *allocator, const char *text, size_t size,
                              tally_json_document *out, tally_problem *problem)
{
    if (size > TALLY_JSON_SIZE_MAX) {
        return json_too_large(problem, TALLY_JSON_SIZE_MAX, " bytes are allowed");
    }
    const size_t values = json_count_values(text, size);
    if (values > TALLY_JSON_VALUES_MAX) {
        return json_too_large(problem, TALLY_JSON_VALUES_MAX, " values are allowed");
    }
    const size_t for_each = sizeof(tally_json) + sizeof(void *) + 1;
    tally_json_document made = {NULL, allocator, NULL, values * for_each + size};
    made.memory = tally_allocate(allocator, made.size);
    if (made.memory == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_json *const nodes = made.memory;
    const void **const sorted = (const void **)(void *)(nodes + values);
    json_parser parser = {.text = text, .size = size, .nodes = nodes, .sorted = sorted};
    parser.strings = (char *)(void *)(sorted + values);
    if (!json_read(&parser)) {
        tally_json_free(&made);
        return json_problem(problem, parser.wrong, parser.wrong_at);
    }
    made.root = nodes;
    *out = made;
    return TALLY_OK;
}

void tally_json_free(tally_json_document *document)
{
    tally_release_wiped(document->allocator, document->memory, document->size);
    document->root = NULL;
    document->memory = NULL;
    document->size = 0;
}

static int json_equal(const char *text, size_t size, const char *wanted)
{
    return text != NULL && strlen(wanted) == size && memcmp(text, wanted, size) == 0;
}

int tally_json_is(const tally_json *node, const char *text)
{
    return node->kind == TALLY_JSON_TEXT && json_equal(node->text, node->size, text);
}

int tally_json_key_is(const tally_json *node, const char *key)
{
    return json_equal(node->key, node->key_size, key);
}

const tally_json *tally_json_member(const tally_json *node, const char *name)
{
    if (node->kind == TALLY_JSON_OBJECT) {
        for (const tally_json *member = node->first; member != NULL; member = member->next) {
            if (tally_json_key_is(member, name)) {
                return member;
            }
        }
    }
    return NULL;
}

const tally_json *tally_json_tagged(const tally_json *node, const char *tag)
{
    return node->kind == TALLY_JSON_OBJECT && node->count == 1 &&
                   node->first->kind == TALLY_JSON_TEXT && tally_json_key_is(node->first, tag)
               ? node->first
               : NULL;
}

const char *tally_json_kind_text(const tally_json *node)
{
    switch (node->kind) {
    case TALLY_JSON_NULL:
        return "nothing";
    case TALLY_JSON_FALSE:
    case TALLY_JSON_TRUE:
        return "true or false";
    case TALLY_JSON_INTEGER:
    case TALLY_JSON_BIG:
        return "a whole number";
    case TALLY_JSON_FRACTION:
        return "a number with a fraction or exponent";
    case TALLY_JSON_TEXT:
        return "text";
    case TALLY_JSON_ARRAY:
        return "an array";
    default:
        return tally_json_tagged(node, "$date") != NULL       ? "a date"
               : tally_json_tagged(node, "$datetime") != NULL ? "a date with a time"
               : tally_json_tagged(node, "$time") != NULL     ? "a time"
               : tally_json_tagged(node, "$float") != NULL ? "a number with a fraction or exponent"
                                                           : "a table";
    }
}
