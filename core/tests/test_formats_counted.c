/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of numbers, dates and addresses: vectors; columns of numbers against text; refusals. Of
 * these and of text: columns against single values. */
#include <stdio.h>
#include <time.h>

#include "base/arch.h"
#include "check.h"
#include "format_run.h"
#include "formats/number_text.h"
#include "formats/times.h"
#include "random.h"
#include "json/json.h"

enum { ROWS = 5000, WIDTH = 64 };

static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Two texts that must be equal; both are printed if they are not. */
#define CHECK_TEXT(actual, expected)                                                               \
    (check_that(strcmp(actual, expected) == 0, __FILE__, __LINE__, #actual) ||                     \
     (fprintf(stderr, "    %s\n    is not %s\n", actual, expected), 0))

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: can't be read\n", path);
        exit(2);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size + 1);
    if (text == NULL || fread(text, 1, *size, file) != *size) {
        exit(2);
    }
    text[*size] = '\0';
    fclose(file);
    return text;
}

static tally_format *make(const char *description)
{
    tally_format *format = NULL;
    tally_problem problem;
    if (tally_format_new(NULL, description, strlen(description), &format, &problem) != TALLY_OK) {
        fprintf(stderr, "%s: %s: %s\n", description, problem.place, problem.text);
        exit(2);
    }
    return format;
}

/* One value; returns the reason. The result is zero-terminated. */
static int run_one(const tally_format *format, format_run *run, tally_direction direction,
                   const char *value, size_t size, const char *tweak, char out[WIDTH * 2])
{
    tally_one one = {.value = (const uint8_t *)value,
                     .size = size,
                     .row_tweak = (const uint8_t *)tweak,
                     .row_tweak_size = tweak != NULL ? strlen(tweak) : 0,
                     .out = (uint8_t *)out,
                     .capacity = WIDTH * 2 - 1};
    run->run.direction = direction;
    CHECK_EQUAL(format->of->one(format, &run->run, &one), TALLY_OK);
    out[one.reason == 0 ? one.out_size : 0] = '\0';
    return (int)one.reason;
}

static void check_vectors(void)
{
    static const char *const ours[] = {"decimal", "timestamp", "ipv4", "integer", "date", NULL};
    size_t size, cases = 0;
    char *text = read_file(TALLY_VECTORS "/tokens_ranges.json", &size);
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, text, size, &document, &problem), TALLY_OK);
    for (const tally_json *c = document.root->first; c != NULL; c = c->next) {
        const tally_json *description = tally_json_member(c, "format");
        const tally_json *type = tally_json_member(description, "type");
        size_t known = 0;
        while (ours[known] != NULL && !tally_json_is(type, ours[known])) {
            known++;
        }
        if (ours[known] == NULL) {
            continue;
        }
        tally_format *format;
        CHECK_EQUAL(tally_format_from_json(NULL, description, &format, &problem), TALLY_OK);
        format_run *run =
            format_run_new(format, key, sizeof key, tally_json_member(c, "namespace")->text, 0);
        for (const tally_json *t = tally_json_member(c, "tokens")->first; t != NULL; t = t->next) {
            const tally_json *value = tally_json_member(t, "value"),
                             *token = tally_json_member(t, "token");
            char out[WIDTH * 2];
            CHECK_ABOUT("%s: %s", tally_format_identity(format), value->text);
            CHECK_EQUAL(run_one(format, run, TALLY_ENCRYPT, value->text, value->size, NULL, out),
                        0);
            CHECK(strcmp(out, token->text) == 0);
            CHECK_EQUAL(run_one(format, run, TALLY_DECRYPT, token->text, token->size, NULL, out),
                        0);
            CHECK(strcmp(out, value->text) == 0);
            cases++;
        }
        format_run_free(run);
        tally_format_free(format);
    }
    CHECK(cases > 10);
    tally_json_free(&document);
    free(text);
}

/* The bytes of a value of vectors/formats_*.json. */
static size_t value_of(const tally_json *node, char out[WIDTH * 2])
{
    const tally_json *hex = tally_json_member(node, "hex"),
                     *value = tally_json_member(node, "value");
    if (hex == NULL) {
        CHECK(value->size < WIDTH * 2);
        memcpy(out, value->text, value->size + 1);
        return value->size;
    }
    for (size_t i = 0; i < hex->size / 2; i++) {
        unsigned byte = 0;
        (void)sscanf(hex->text + 2 * i, "%2x", &byte);
        out[i] = (char)byte;
    }
    return hex->size / 2;
}

/* A number of a column, of up to 32 bytes, from text; its lowest byte is first. */
static void bytes_of(const char *text, uint8_t out[32])
{
    const uint32_t negative = text[0] == '-';
    uint32_t carry = negative;
    memset(out, 0, 32);
    for (const char *digit = text + negative; *digit != '\0'; digit++) {
        uint32_t sum = (uint32_t)(*digit - '0');
        for (size_t i = 0; i < 32; i++, sum >>= 8) {
            sum += out[i] * 10u;
            out[i] = (uint8_t)sum;
        }
    }
    for (size_t i = 0; i < 32 && negative; i++, carry >>= 8) { /* two's complement */
        carry += (uint8_t)~out[i];
        out[i] = (uint8_t)carry;
    }
}

/* Where this machine has byte i of a number of that many bytes, counted from the lowest. */
static uint32_t byte_at(uint32_t i, uint32_t width)
{
    static const uint16_t one = 1;
    return *(const uint8_t *)&one == 1 ? i : width - 1 - i;
}

/* The same in a type's width and this machine's order of bytes. */
static void number_of(const char *text, uint32_t width, uint8_t out[32])
{
    uint8_t bytes[32];
    bytes_of(text, bytes);
    memset(out, 0, 32);
    for (uint32_t i = 0; i < width; i++) {
        out[byte_at(i, width)] = bytes[i];
    }
}

/* The lowest 64 bits of a number in this machine's order of bytes. */
static uint64_t low_bits(const uint8_t *number, uint32_t width)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < width && i < 8; i++) {
        bits |= (uint64_t)number[byte_at(i, width)] << 8 * i;
    }
    return bits;
}

static int position_of(const tally_json *node, const char *name)
{
    const tally_json *member = tally_json_member(node, name);
    return member != NULL ? (int)member->integer : 0;
}

/* One number of a column; returns its reason. */
static int run_number(const tally_format *format, format_run *run, tally_direction direction,
                      const tally_arrow_type *type, const char *value, const char *tweak,
                      uint8_t out[32])
{
    _Alignas(64) uint8_t held[32], result[32];
    uint8_t status = 77;
    const uint64_t offsets[2] = {0, tweak != NULL ? strlen(tweak) : 0};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = (const uint8_t *)tweak, .rows = 1};
    tally_fixed_column column = {
        .type = type, .values = held, .rows = 1, .status = &status, .out = result};
    number_of(value, type->width, held);
    memset(result, 0, sizeof result);
    run->run.direction = direction;
    run->run.row_tweaks = tweak != NULL ? &tweaks : NULL;
    CHECK_EQUAL(format->of->fixed(format, &run->run, &column), TALLY_OK);
    run->run.row_tweaks = NULL;
    memcpy(out, result, 32);
    return status;
}

static void check_column_vectors(const tally_format *format, format_run *const run[2],
                                 const tally_json *column, const char *tweak)
{
    tally_arrow_type type;
    const tally_json *t, *name = tally_json_member(column, "type");
    uint8_t expected[32], out[32];
    CHECK(tally_arrow_type_read(name->text, &type));
    for (t = tally_json_member(column, "values")->first; t != NULL; t = t->next) {
        const char *value = tally_json_member(t, "value")->text;
        CHECK_ABOUT("%s, %s: %s", tally_format_identity(format), name->text, value);
        for (int k = 0; k < 2; k++) {
            const tally_json *token = tally_json_member(t, k ? "tweaked" : "token");
            if (token == NULL) {
                continue;
            }
            const char *own = k ? tweak : NULL;
            CHECK_EQUAL(run_number(format, run[k], TALLY_ENCRYPT, &type, value, own, out), 0);
            number_of(token->text, type.width, expected);
            CHECK_BYTES(out, expected, type.width);
            CHECK_EQUAL(run_number(format, run[k], TALLY_DECRYPT, &type, token->text, own, out), 0);
            number_of(value, type.width, expected);
            CHECK_BYTES(out, expected, type.width);
        }
    }
    const tally_json *invalid = tally_json_member(column, "invalid");
    for (t = invalid != NULL ? invalid->first : NULL; t != NULL; t = t->next) {
        const char *value = tally_json_member(t, "value")->text;
        CHECK_ABOUT("%s, %s: %s", tally_format_identity(format), name->text, value);
        CHECK_EQUAL(run_number(format, run[0], TALLY_ENCRYPT, &type, value, NULL, out),
                    tally_json_member(t, "reason")->integer);
        number_of(value, type.width, expected);
        CHECK_BYTES(out, expected, type.width);
    }
}

static void check_text_vectors(const tally_format *format, format_run *const run[2],
                               const tally_json *c, const char *tweak)
{
    static const char *const classes[] = {"letter", "digit", "space", "control", "other"};
    const tally_json *t;
    char value[WIDTH * 2], out[WIDTH * 2];
    for (t = tally_json_member(c, "values")->first; t != NULL; t = t->next) {
        const size_t size = value_of(t, value);
        CHECK_ABOUT("%s: %s", tally_format_identity(format), value);
        for (int k = 0; k < 2; k++) {
            const tally_json *token = tally_json_member(t, k ? "tweaked" : "token");
            if (token == NULL) {
                continue;
            }
            const char *own = k ? tweak : NULL;
            CHECK_EQUAL(run_one(format, run[k], TALLY_ENCRYPT, value, size, own, out), 0);
            CHECK(strcmp(out, token->text) == 0);
            CHECK_EQUAL(run_one(format, run[k], TALLY_DECRYPT, token->text, token->size, own, out),
                        0);
            CHECK(strcmp(out, value) == 0);
        }
    }
    const tally_json *invalid = tally_json_member(c, "invalid");
    for (t = invalid != NULL ? invalid->first : NULL; t != NULL; t = t->next) {
        const size_t size = value_of(t, value);
        const tally_json *class = tally_json_member(t, "class");
        const int64_t reason = tally_json_member(t, "reason")->integer;
        tally_fault fault;
        CHECK_ABOUT("%s: %s", tally_format_identity(format), value);
        CHECK_EQUAL(run_one(format, run[0], TALLY_ENCRYPT, value, size, NULL, out), reason);
        tally_format_explain(format, (const uint8_t *)value, size, (tally_reason)reason, &fault);
        CHECK_EQUAL(fault.position, position_of(t, "position"));
        CHECK(class == NULL || tally_json_is(class, classes[fault.character]));
    }
}

static void check_type_vectors(const tally_format *format, const tally_json *types)
{
    tally_problem problem;
    const tally_json *t;
    for (t = tally_json_member(types, "accepted")->first; t != NULL; t = t->next) {
        /* Nulls and views are made text of before. */
        if (!tally_json_is(t, "n") && !tally_json_is(t, "vu")) {
            CHECK_ABOUT("%s: %s", tally_format_identity(format), t->text);
            CHECK_EQUAL(tally_format_takes(format, t->text, &problem), TALLY_OK);
        }
    }
    for (t = tally_json_member(types, "refused")->first; t != NULL; t = t->next) {
        tally_arrow_type read;
        tally_arrow_type_read(t->key, &read);
        if (t->key[0] == '+' || t->key[0] == 'v' || t->key[1] == 'i') {
            continue; /* arrays of these are refused before */
        }
        if ((read.kind == TALLY_ARROW_FLOAT && read.width == 8) ||
            (read.kind == TALLY_ARROW_DECIMAL && read.width != 16)) {
            continue; /* which these formats take now */
        }
        CHECK_ABOUT("%s: %s: %.60s", tally_format_identity(format), t->key, t->text);
        CHECK_EQUAL(tally_format_takes(format, t->key, &problem), TALLY_ERROR_TYPE);
        CHECK(strcmp(problem.text, t->text) == 0);
    }
}

/* vectors/formats_numbers.json: what Python's formats said before the core had them. */
static void check_number_vectors(void)
{
    size_t size, cases = 0;
    char *text = read_file(TALLY_VECTORS "/formats_numbers.json", &size);
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, text, size, &document, &problem), TALLY_OK);
    for (const tally_json *c = document.root->first; c != NULL; c = c->next) {
        const tally_json *description = tally_json_member(c, "format");
        const tally_json *type = tally_json_member(description, "type");
        if (tally_json_is(description, "ipv6") || (type != NULL && tally_json_is(type, "ipv6"))) {
            continue;
        }
        tally_format *format;
        CHECK_EQUAL(tally_format_from_json(NULL, description, &format, &problem), TALLY_OK);
        CHECK_ABOUT("%s", tally_format_identity(format));
        CHECK(strcmp(tally_format_identity(format), tally_json_member(c, "identity")->text) == 0);
        const tally_json *example = tally_json_member(c, "examples")->first;
        for (size_t i = 0; i < 2; i++) {
            const char *own = tally_format_example(format, i);
            CHECK(own != NULL ? example != NULL && strcmp(own, example->text) == 0
                              : example == NULL);
            example = example != NULL ? example->next : NULL;
        }
        tally_domain domain;
        tally_format_smallest_domain(format, &domain);
        const char *smallest = tally_json_member(c, "smallest_domain")->text;
        CHECK(domain.size == strtoull(smallest, NULL, 10)); /* 2^64 is cut to one less */
        uint8_t own_key[32];
        const char *hex = tally_json_member(c, "key")->text,
                   *name_space = tally_json_member(c, "namespace")->text,
                   *tweak = tally_json_member(c, "tweak")->text;
        const size_t key_size = strlen(hex) / 2;
        for (size_t i = 0; i < key_size; i++) {
            unsigned byte = 0;
            (void)sscanf(hex + 2 * i, "%2x", &byte);
            own_key[i] = (uint8_t)byte;
        }
        format_run *const run[2] = {format_run_new(format, own_key, key_size, name_space, 0),
                                    format_run_new(format, own_key, key_size, name_space, 1)};
        check_text_vectors(format, run, c, tweak);
        const tally_json *columns = tally_json_member(c, "columns"),
                         *types = tally_json_member(c, "types");
        for (const tally_json *t = columns != NULL ? columns->first : NULL; t != NULL;
             t = t->next) {
            tally_arrow_type read;
            tally_arrow_type_read(tally_json_member(t, "type")->text, &read);
            if (read.kind != TALLY_ARROW_TEXT) {
                check_column_vectors(format, run, t, tweak);
            }
        }
        if (types != NULL) {
            check_type_vectors(format, types);
        }
        format_run_free(run[0]);
        format_run_free(run[1]);
        tally_format_free(format);
        cases++;
    }
    CHECK(cases > 50);
    tally_json_free(&document);
    free(text);
}

/* One value as a column of one row; the result is zero-terminated. */
static int run_row(const tally_format *format, format_run *run, tally_direction direction,
                   const tally_json *value, const tally_json *tweak, char out[WIDTH * 2])
{
    const uint64_t offsets[2] = {0, value->size},
                   tweak_offsets[2] = {0, tweak != NULL ? tweak->size : 0};
    uint8_t status = 77, *bytes;
    uint64_t *ends;
    const tally_strings in = {
        .offsets = offsets, .offset_size = 8, .values = (const uint8_t *)value->text, .rows = 1};
    const tally_strings tweaks = {.offsets = tweak_offsets,
                                  .offset_size = 8,
                                  .values = tweak != NULL ? (const uint8_t *)tweak->text : NULL,
                                  .rows = 1};
    run->run.direction = direction;
    run->run.row_tweaks = tweak != NULL ? &tweaks : NULL;
    CHECK_EQUAL(format_run_text(format, run, &in, &status, &bytes, &ends), TALLY_OK);
    run->run.row_tweaks = NULL;
    CHECK(ends[1] < WIDTH * 2);
    if (ends[1] != 0) {
        memcpy(out, bytes, (size_t)ends[1]);
    }
    out[ends[1]] = '\0';
    free(bytes);
    free(ends);
    return status;
}

/* vectors/tokens_coarser.json: dates that move, buckets, text and numbers cut short. */
static void check_coarser_vectors(void)
{
    size_t size, cases = 0;
    char *text = read_file(TALLY_VECTORS "/tokens_coarser.json", &size);
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, text, size, &document, &problem), TALLY_OK);
    for (const tally_json *c = document.root->first; c != NULL; c = c->next) {
        const tally_json *hex = tally_json_member(c, "key");
        tally_format *format;
        uint8_t own_key[32] = {0};
        CHECK_EQUAL(tally_format_from_json(NULL, tally_json_member(c, "format"), &format, &problem),
                    TALLY_OK);
        for (size_t i = 0; hex != NULL && i < hex->size / 2; i++) {
            unsigned byte = 0;
            (void)sscanf(hex->text + 2 * i, "%2x", &byte);
            own_key[i] = (uint8_t)byte;
        }
        format_run *run =
            format_run_new(format, own_key, hex != NULL ? hex->size / 2 : 16,
                           hex != NULL ? tally_json_member(c, "namespace")->text : "n", 1);
        for (const tally_json *t = tally_json_member(c, "tokens")->first; t != NULL; t = t->next) {
            const tally_json *value = tally_json_member(t, "value"),
                             *token = tally_json_member(t, "token"),
                             *tweak = tally_json_member(t, "tweak");
            char out[WIDTH * 2];
            CHECK_ABOUT("%s: %s", tally_format_identity(format), value->text);
            CHECK_EQUAL(run_row(format, run, TALLY_ENCRYPT, value, tweak, out), 0);
            (void)CHECK_TEXT(out, token->text);
            if (!format->one_way) {
                CHECK_EQUAL(run_row(format, run, TALLY_DECRYPT, token, tweak, out), 0);
                (void)CHECK_TEXT(out, value->text);
            }
            cases++;
        }
        format_run_free(run);
        tally_format_free(format);
    }
    CHECK(cases > 200);
    tally_json_free(&document);
    free(text);
}

/* A number of a column, as text with its digits after the point. */
static void number_text(const tally_arrow_type *type, const uint8_t *value, uint32_t scale,
                        char out[WIDTH * 2])
{
    if (type->kind == TALLY_ARROW_FLOAT) {
        double number;
        memcpy(&number, value, sizeof number);
        snprintf(out, WIDTH * 2, "%.*f", (int)scale, number);
        return;
    }
    int64_t number = (int64_t)low_bits(value, type->width);
    char digits[40];
    if (type->width < 8 && (type->is_signed || type->kind != TALLY_ARROW_INTEGER)) {
        const uint32_t bits = 64 - 8 * type->width;
        number = (int64_t)((uint64_t)number << bits) >> bits;
    }
    snprintf(digits, sizeof digits, "%0*" PRId64, (int)scale + 1 + (number < 0), number);
    const size_t whole = strlen(digits) - scale;
    snprintf(out, WIDTH * 2, scale != 0 ? "%.*s.%s" : "%.*s", (int)whole, digits, digits + whole);
}

/* Numbers of a column become what their text becomes. */
static void check_typed(const char *description, const char *type_name, uint32_t scale,
                        const char *tweak)
{
    tally_format *format = make(description);
    format_run *run = format_run_new(format, key, sizeof key, "n", tweak != NULL);
    tally_arrow_type type;
    tally_problem problem;
    size_t valid = 0;
    CHECK_ABOUT("%s, %s", description, type_name);
    CHECK(tally_arrow_type_read(type_name, &type));
    CHECK_EQUAL(tally_format_takes(format, type_name, &problem), TALLY_OK);
    for (int i = 0; i < 4000; i++) {
        uint8_t out[32], held[32] = {0};
        char value[WIDTH * 2], text[WIDTH * 2], expected[WIDTH * 2], number[WIDTH * 2];
        int64_t wanted = (int64_t)(random_u64() >> (1 + random_below(63)));
        wanted = wanted % (type.width == 1   ? 100
                           : type.width == 2 ? 30000
                           : type.width == 4 ? 999999999
                                             : INT64_C(999999999999999));
        wanted = random_below(2) && (type.is_signed || type.kind != TALLY_ARROW_INTEGER) ? -wanted
                                                                                         : wanted;
        snprintf(value, sizeof value, "%" PRId64, wanted);
        if (type.kind == TALLY_ARROW_FLOAT) {
            const double given = (double)wanted / (scale == 2 ? 100 : scale == 1 ? 10 : 1);
            uint64_t bits;
            memcpy(&bits, &given, sizeof bits);
            memcpy(held, &bits, sizeof bits);
            snprintf(value, sizeof value, "%" PRIu64, bits);
        } else {
            number_of(value, type.width, held);
        }
        number_text(&type, held, scale, text);
        if (strncmp(text, "-0.0", 4) == 0 && strspn(text, "-0.") == strlen(text)) {
            continue;
        }
        const tally_json json = {.kind = TALLY_JSON_TEXT, .text = text, .size = strlen(text)};
        const tally_json json_tweak = {
            .kind = TALLY_JSON_TEXT, .text = tweak, .size = tweak != NULL ? strlen(tweak) : 0};
        const int reason = run_row(format, run, TALLY_ENCRYPT, &json,
                                   tweak != NULL ? &json_tweak : NULL, expected);
        CHECK_ABOUT("%s, %s: %s", description, type_name, text);
        const int own = run_number(format, run, TALLY_ENCRYPT, &type, value, tweak, out);
        if (own == TALLY_REASON_RANGE && reason == 0) {
            continue; /* the column's type does not hold it */
        }
        CHECK_EQUAL(own, reason);
        number_text(&type, out, scale, number);
        if (own == 0) {
            valid++;
            /* Text of ranges has the scale of the options. */
            CHECK(strncmp(number, expected, strlen(expected)) == 0 &&
                  strspn(number + strlen(expected), ".0") == strlen(number + strlen(expected)));
        }
        if (own == 0 && !format->one_way) {
            uint8_t back[32];
            snprintf(value, sizeof value, "%" PRIu64, low_bits(out, 8));
            memcpy(held, out, sizeof held);
            if (type.width <= 8 && (type.kind == TALLY_ARROW_FLOAT || type.width == 8)) {
                CHECK_EQUAL(run_number(format, run, TALLY_DECRYPT, &type, value, tweak, back), 0);
                number_text(&type, back, scale, number);
                (void)CHECK_TEXT(number, text);
            }
        }
    }
    CHECK(valid > 50);
    format_run_free(run);
    tally_format_free(format);
}

/* Floating point that is no decimal number of the scale. */
static void check_floats(void)
{
    static const double invalid[] = {0.1 + 0.2, 0.001, 1.005, -0.0, 1e300, -1e300, 1e15, 4.9e-324};
    tally_format *format = make("{\"type\": \"decimal\", \"min\": -5000, \"max\": 5000, "
                                "\"scale\": 2}");
    tally_format *wide = make("{\"type\": \"decimal\", \"min\": 0, \"max\": \"10000000000000\", "
                              "\"scale\": 2}");
    format_run *run = format_run_new(format, key, sizeof key, "n", 0);
    tally_arrow_type type;
    tally_problem problem;
    CHECK(tally_arrow_type_read("g", &type));
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid + 3; i++) {
        uint8_t bytes[8], out[32];
        char value[32];
        const uint64_t special[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
                                    UINT64_C(0x7ff8000000000001)};
        if (i < 3) {
            memcpy(bytes, &special[i], sizeof bytes);
        } else {
            memcpy(bytes, &invalid[i - 3], 8);
        }
        snprintf(value, sizeof value, "%" PRIu64, low_bits(bytes, 8));
        CHECK_ABOUT("float %s", value);
        CHECK_EQUAL(run_number(format, run, TALLY_ENCRYPT, &type, value, NULL, out),
                    TALLY_REASON_NOTATION);
        CHECK_BYTES(out, bytes, 8);
    }
    CHECK_EQUAL(tally_format_takes(format, "f", &problem), TALLY_ERROR_TYPE);
    CHECK_EQUAL(tally_format_takes(wide, "g", &problem), TALLY_ERROR_TYPE);
    format_run_free(run);
    tally_format_free(format);
    tally_format_free(wide);
}

static void check_types(void)
{
    check_typed("{\"type\": \"integer\", \"min\": -1000, \"max\": 1000000}", "g", 0, NULL);
    check_typed("{\"type\": \"decimal\", \"min\": -5000, \"max\": 99999, \"scale\": 2}", "g", 2,
                NULL);
    check_typed("{\"type\": \"decimal\", \"min\": -5000, \"max\": 99999, \"scale\": 2}", "d:9,2,32",
                2, NULL);
    check_typed("{\"type\": \"decimal\", \"min\": -5000, \"max\": 99999, \"scale\": 2}",
                "d:18,2,64", 2, NULL);
    check_typed("{\"type\": \"decimal\", \"min\": -5000, \"max\": 99999, \"scale\": 2}",
                "d:60,2,256", 2, NULL);
    static const char bucket[] = "{\"type\": \"bucket\", \"width\": 7, \"origin\": -3, "
                                 "\"label\": \"low\"}";
    static const char edges[] = "{\"type\": \"bucket\", \"edges\": [-50, 0, 5, 10, 1000, 2000000], "
                                "\"label\": \"low\"}";
    static const char *const types[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        check_typed(bucket, types[i], 0, NULL);
        check_typed(edges, types[i], 0, NULL);
    }
    static const char *const decimals[] = {"d:9,2,32", "d:18,2,64", "d:38,2", "d:76,2,256", "g"};
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        check_typed(bucket, decimals[i], 2, NULL);
        check_typed("{\"type\": \"bucket\", \"width\": \"0.1\", \"label\": \"low\"}", decimals[i],
                    2, NULL);
        check_typed("{\"type\": \"truncate\", \"decimals\": 1}", decimals[i], 2, NULL);
        check_typed("{\"type\": \"truncate\", \"decimals\": 0}", decimals[i], 2, NULL);
    }
    check_floats();
}

/* A type may have more digits after the point than its numbers have: that takes no longer. */
static void check_large_scale(void)
{
    tally_format *format = make("{\"type\": \"truncate\", \"decimals\": 1}");
    format_run *run = format_run_new(format, key, sizeof key, "n", 0);
    static const char *const types[] = {"d:38,37", "d:38,999999999", "d:76,999999999,256"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tally_arrow_type type;
        tally_problem problem;
        uint64_t numbers[4 * 8] = {0}, out[4 * 8];
        uint8_t status[8];
        CHECK_ABOUT("%s", types[i]);
        CHECK(tally_arrow_type_read(types[i], &type));
        CHECK_EQUAL(tally_format_takes(format, types[i], &problem), TALLY_OK);
        memset(numbers, 0x7b, sizeof numbers);
        memset(out, 0xa5, sizeof out);
        tally_fixed_column column = {
            .type = &type, .values = numbers, .rows = 8, .status = status, .out = out};
        const clock_t start = clock();
        CHECK_EQUAL(format->of->fixed(format, &run->run, &column), TALLY_OK);
        CHECK((clock() - start) / CLOCKS_PER_SEC < 2);
        CHECK_EQUAL(out[0] == 0, i > 0);
    }
    format_run_free(run);
    tally_format_free(format);
}

/* Dates of a column and their text, in days. */
static void check_date_types(void)
{
    static const char *const formats[] = {
        "{\"type\": \"date_shift\", \"days\": 200}",
        "{\"type\": \"bucket\", \"unit\": \"month\", \"label\": \"low\"}",
        "{\"type\": \"bucket\", \"unit\": \"quarter\", \"label\": \"low\"}",
        "{\"type\": \"bucket\", \"unit\": \"year\", \"label\": \"low\"}"};
    static const char *const types[] = {"tdD", "tdm", "tss:", "tsm:UTC", "tsu:", "tsn:"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        tally_format *format = make(formats[f]);
        const char *tweak = format->one_way ? NULL : "patient 1";
        const tally_json json_tweak = {.text = tweak, .size = tweak != NULL ? strlen(tweak) : 0};
        format_run *run = format_run_new(format, key, sizeof key, "n", tweak != NULL);
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            tally_arrow_type type;
            CHECK(tally_arrow_type_read(types[t], &type));
            const int64_t day = type.kind == TALLY_ARROW_DATE ? (type.width == 4 ? 1 : 86400000)
                                                              : 86400 * (int64_t)type.per_second;
            for (int32_t days = -25600; days < 47500; days += 97) {
                char text[11] = {0}, expected[WIDTH * 2], value[32];
                uint8_t out[32];
                int32_t moved = 0;
                tally_times_write_date(days, text);
                const tally_json json = {.text = text, .size = 10};
                const int reason = run_row(format, run, TALLY_ENCRYPT, &json,
                                           tweak != NULL ? &json_tweak : NULL, expected);
                CHECK_ABOUT("%s, %s: %s", formats[f], types[t], text);
                const int64_t clock = type.kind == TALLY_ARROW_DATE ? 0 : day / 3;
                snprintf(value, sizeof value, "%" PRId64, days * day + clock);
                CHECK_EQUAL(run_number(format, run, TALLY_ENCRYPT, &type, value, tweak, out),
                            reason);
                if (reason == 0) {
                    int64_t number = 0;
                    int32_t four;
                    memcpy(&number, out, 8);
                    memcpy(&four, out, 4);
                    number = type.width == 4 ? four : number;
                    CHECK(tally_times_read_date(expected, 10, &moved));
                    CHECK_EQUAL(number, moved * day + (format->one_way ? 0 : clock));
                }
            }
        }
        format_run_free(run);
        tally_format_free(format);
    }
}

/* Descriptions that make no format. */
static void check_refused_vectors(void)
{
    static const char *const ours[] = {"decimal", "timestamp", "ipv4", "integer", "date", NULL};
    size_t size, cases = 0;
    char *text = read_file(TALLY_VECTORS "/formats_refused.json", &size);
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, text, size, &document, &problem), TALLY_OK);
    for (const tally_json *c = document.root->first; c != NULL; c = c->next) {
        const tally_json *description = tally_json_member(c, "format"),
                         *type = tally_json_member(description, "type");
        const char *message = tally_json_member(c, "message")->text,
                   *place = tally_json_member(c, "place")->text;
        size_t known = 0;
        while (type != NULL && ours[known] != NULL && !tally_json_is(type, ours[known])) {
            known++;
        }
        if (type == NULL || ours[known] == NULL) {
            continue;
        }
        tally_format *format;
        CHECK_ABOUT("%.100s", message);
        const tally_status status = tally_format_from_json(NULL, description, &format, &problem);
        CHECK_EQUAL(status, TALLY_ERROR_FORMAT);
        if (status == TALLY_OK) {
            tally_format_free(format);
            continue;
        }
        if (strncmp(message, "there is no such key; there are", 31) == 0) {
            continue; /* some formats have more options than they had */
        }
        (void)CHECK_TEXT(problem.text, message);
        place += strncmp(place, "format.", 7) == 0 ? 7 : strcmp(place, "format") == 0 ? 6 : 0;
        (void)CHECK_TEXT(problem.place, place);
        cases++;
    }
    CHECK(cases > 10);
    tally_json_free(&document);
    free(text);
}

/* Text in which digits are changed, added and taken away. */
static size_t random_value(const tally_format *format, char *out)
{
    size_t size = 0;
    const size_t examples = tally_format_example(format, 1) != NULL ? 2 : 1;
    const char *example = tally_format_example(format, random_below(examples));
    const int wild = random_below(4) == 0;
    size = strlen(example);
    memcpy(out, example, size);
    for (size_t i = 0; i < size; i++) {
        if (out[i] >= '0' && out[i] <= '9' && random_below(3) == 0) {
            out[i] = (char)('0' + random_below(10));
        }
    }
    for (uint32_t k = wild ? random_below(3) : 0; k > 0; k--) {
        const size_t at = random_below(size + 1);
        static const char others[] = "0123456789.,-: TZ+ab\x80\xff/";
        if (random_below(2) == 0 && size < WIDTH) {
            memmove(out + at + 1, out + at, size - at);
            out[at] = others[random_below(sizeof others - 1)];
            size++;
        } else if (at < size) {
            memmove(out + at, out + at + 1, size - at - 1);
            size--;
        }
    }
    return size;
}

/* A column gives what single values give, in both directions, with nulls and row tweaks. */
static void check_column(const char *description, int with_tweaks, int with_nulls)
{
    tally_format *format = make(description);
    format_run *run = format_run_new(format, key, sizeof key, "n", with_tweaks);
    static char values[ROWS * WIDTH * 2], tweaks[ROWS * 8];
    static int32_t offsets[ROWS + 1];
    static int64_t tweak_offsets[ROWS + 1];
    static uint8_t validity[ROWS / 8 + 2], tweak_validity[ROWS / 8 + 2], status[ROWS];
    size_t at = 5, tweak_at = 0, valid = 0, invalid = 0;
    for (size_t i = 0; i < sizeof validity; i++) {
        validity[i] = (uint8_t)(random_u64() | random_u64());
        tweak_validity[i] = (uint8_t)(random_u64() | random_u64() | random_u64());
    }
    for (size_t i = 0; i < ROWS; i++) {
        offsets[i] = (int32_t)at;
        tweak_offsets[i] = (int64_t)tweak_at;
        at += random_value(format, values + at);
        tweak_at += (size_t)snprintf(tweaks + tweak_at, 8, "t%u", random_below(30));
    }
    offsets[ROWS] = (int32_t)at;
    tweak_offsets[ROWS] = (int64_t)tweak_at;
    /* Exactly as large as it must be, for sanitizers. */
    uint8_t *held = malloc(at);
    memcpy(held, values, at);
    const tally_strings in = {.offsets = offsets,
                              .offset_size = 4,
                              .validity = with_nulls ? validity : NULL,
                              .validity_start = 3,
                              .values = held,
                              .rows = ROWS};
    const tally_strings own = {.offsets = tweak_offsets,
                               .offset_size = 8,
                               .validity = with_nulls ? tweak_validity : NULL,
                               .validity_start = 1,
                               .values = (const uint8_t *)tweaks,
                               .rows = ROWS};
    for (int direction = 0; direction < 2; direction++) {
        uint8_t *out;
        uint64_t *ends;
        CHECK_ABOUT("%s, tweaks %d, nulls %d", description, with_tweaks, with_nulls);
        run->run.direction = (tally_direction)direction;
        run->run.row_tweaks = with_tweaks ? &own : NULL;
        memset(status, 77, sizeof status);
        CHECK_EQUAL(format_run_text(format, run, &in, status, &out, &ends), TALLY_OK);
        run->run.row_tweaks = NULL;
        for (size_t i = 0; i < ROWS; i++) {
            const char *value = values + offsets[i];
            const size_t size = (size_t)(offsets[i + 1] - offsets[i]),
                         out_size = (size_t)(ends[i + 1] - ends[i]);
            char tweak[8] = {0}, expected[WIDTH * 2];
            memcpy(tweak, tweaks + tweak_offsets[i],
                   (size_t)(tweak_offsets[i + 1] - tweak_offsets[i]));
            CHECK_ABOUT("%s: %.*s", description, (int)size, value);
            if (tally_row_is_null(&in, i)) {
                CHECK_EQUAL(status[i], 0);
                CHECK_EQUAL(out_size, format->keeps_size ? size : 0);
                for (size_t k = 0; k < out_size; k++) {
                    CHECK_EQUAL(out[ends[i] + k], 0);
                }
                continue;
            }
            int reason = run_one(format, run, (tally_direction)direction, value, size,
                                 with_tweaks ? tweak : NULL, expected);
            if (with_tweaks && tally_row_is_null(&own, i)) { /* which is said first may differ */
                reason =
                    reason == 0 || status[i] == TALLY_REASON_TWEAK ? TALLY_REASON_TWEAK : reason;
            }
            CHECK_EQUAL(status[i], reason);
            valid += reason == 0;
            invalid += reason != 0;
            if (reason == 0) {
                CHECK_EQUAL(out_size, strlen(expected));
                CHECK_BYTES(out + ends[i], expected, out_size);
            } else {
                CHECK_EQUAL(out_size, size);
                CHECK_BYTES(out + ends[i], value, size);
            }
        }
        free(out);
        free(ends);
    }
    CHECK((valid > ROWS / 50 || (format->needs_tweak && !with_tweaks)) && invalid > 0);
    free(held);
    format_run_free(run);
    tally_format_free(format);
}

/* The back ends for numbers in text, on numbers and on text that is nearly one, in memory of exactly
 * its size. */
static void check_number_texts(const char *description)
{
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_number_text_avx512.backend) != 0) {
        return;
    }
    static const char strange[] = "0123456789-.,_ x";
    tally_format *format = make(description);
    const tally_counted *counted = format->own;
    const tally_number_text *portable = &tally_number_text_portable,
                            *vectors = &tally_number_text_avx512;
    for (int i = 0; i < random_cases(20000); i++) {
        uint8_t written[2][TALLY_COUNTED_MOST + TALLY_COUNTED_SLACK] = {{0}}, status[2], chosen = 1;
        uint64_t rank = random_u64() >> random_below(64), found[2] = {0, 0}, end[2];
        rank = counted->size == 0 ? rank : rank % counted->size;
        const uint64_t nothing[2] = {0, 0};
        const tally_counted_rows given = {
            .start = nothing, .rows = 1, .ranks = &rank, .status = status};
        portable->write(counted, &given, &chosen, written[0], &end[0]);
        vectors->write(counted, &given, &chosen, written[1], &end[1]);
        CHECK_EQUAL(end[0], end[1]);
        CHECK_BYTES(written[0], written[1], end[0]);
        size_t size = (size_t)end[0];
        for (uint32_t changes = random_below(4); changes > 0; changes--) {
            const size_t at = random_below(size + 1);
            if (random_below(3) == 0 && size > 0) {
                size -= 1 + random_below(size < 4 ? size : 4);
            } else if (random_below(2) == 0 && size < TALLY_COUNTED_MOST - 1) {
                memmove(written[0] + at, written[0] + at - (at > 0), size - at + (at > 0));
                size++;
            } else if (at < size) {
                written[0][at] = (uint8_t)strange[random_below(sizeof strange - 1)];
            }
        }
        uint8_t *held = malloc(size + (size == 0));
        memcpy(held, written[0], size);
        const uint64_t start[2] = {0, size};
        tally_counted_rows rows = {.values = held, .start = start, .limit = size, .rows = 1};
        for (size_t k = 0; k < 2; k++) {
            rows.ranks = &found[k];
            rows.status = &status[k];
            (k == 0 ? portable : vectors)->read(counted, &rows);
        }
        CHECK_ABOUT("%s: %.*s", description, (int)size, (const char *)held);
        CHECK_EQUAL(status[0], status[1]);
        CHECK(status[0] != 0 || found[0] == found[1]);
        free(held);
    }
    tally_format_free(format);
#else
    (void)description;
#endif
}

int main(int argc, char **argv)
{
    static const char *const formats[] = {
        "{\"type\": \"integer\", \"min\": -5000, \"max\": 999999999}",
        "{\"type\": \"integer\", \"min\": -999999999999999999, \"max\": 999999999999999999}",
        "{\"type\": \"integer\", \"min\": 0, \"max\": 12345678, \"grouping_separator\": \",\"}",
        "\"date\"",
        "{\"type\": \"date\", \"notation\": \"the DD.MM. of YYYY\", \"first\": \"0001-01-01\"}",
        "{\"type\": \"decimal\", \"min\": \"-99.99\", \"max\": \"99999.99\", \"scale\": 2}",
        "{\"type\": \"decimal\", \"min\": \"-0.9\", \"max\": \"0.9\", \"scale\": 18}",
        "{\"type\": \"decimal\", \"min\": \"-7000\", \"max\": \"7000\", \"scale\": 0}",
        "{\"type\": \"decimal\", \"min\": \"-99999.99\", \"max\": \"9999999.99\", \"scale\": 2, "
        "\"decimal_separator\": \",\", \"grouping_separator\": \".\"}",
        "\"timestamp\"",
        "{\"type\": \"timestamp\", \"resolution\": \"ms\"}",
        "{\"type\": \"timestamp\", \"resolution\": \"us\", \"first\": \"0001-01-01T00:00:00\", "
        "\"last\": \"9999-12-31T23:59:59.999999\"}",
        "\"date_shift\"",
        "{\"type\": \"date_shift\", \"days\": 9000, \"notation\": \"DD.MM.YYYY\", "
        "\"first\": \"1950-01-01\"}",
        "\"ipv4\"",
        "{\"type\": \"ipv4\", \"prefix\": 12}",
        "\"ipv6\"",
        "{\"type\": \"ipv6\", \"prefix\": 116}",
        "\"phone\"",
        "\"uuid\"",
        "\"card\"",
        "{\"type\": \"digits\", \"keep_first\": 1, \"keep_last\": 1}",
        "\"email\"",
        "{\"type\": \"email\", \"part\": \"all\", \"at\": \"tokens.invalid\"}",
    };
    static const char *const numbers[] = {
        "{\"type\": \"integer\", \"min\": -999999999, \"max\": 99999999999}",
        "{\"type\": \"integer\", \"min\": 0, \"max\": 999999999999999999, "
        "\"grouping_separator\": \"\\u202f\"}",
        "{\"type\": \"decimal\", \"min\": \"-99.99\", \"max\": \"99999.99\", \"scale\": 2}",
        "{\"type\": \"decimal\", \"min\": \"-0.9\", \"max\": \"0.9\", \"scale\": 18}",
        "{\"type\": \"decimal\", \"min\": \"-999999999.999\", \"max\": \"999999999999.999\", "
        "\"scale\": 3, \"decimal_separator\": \",\", \"grouping_separator\": \"\\u00a0\"}",
        "{\"type\": \"decimal\", \"min\": \"-99999.99\", \"max\": \"9999999.99\", \"scale\": 2, "
        "\"decimal_separator\": \",\", \"grouping_separator\": \".\"}",
    };
    check_vectors();
    check_number_vectors();
    check_refused_vectors();
    check_coarser_vectors();
    if (!check_vectors_only(argc, argv)) {
        check_types();
        check_large_scale();
        check_date_types();
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            check_number_texts(numbers[i]);
        }
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            for (int k = 0; k < 4; k++) {
                check_column(formats[i], k & 1, k >> 1);
            }
        }
    }
    return check_end("formats of numbers");
}
