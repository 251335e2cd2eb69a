/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of numbers, dates and addresses: vectors; columns against single values; columns of
 * numbers against text; refusals. */
#include <stdio.h>

#include "check.h"
#include "format_run.h"
#include "random.h"
#include "json/json.h"

enum { ROWS = 5000, WIDTH = 64 };

static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

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
                     .room = WIDTH * 2 - 1};
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
            reason = reason == 0 && with_tweaks && tally_row_is_null(&own, i) ? TALLY_REASON_TWEAK
                                                                              : reason;
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
    CHECK(valid > ROWS / 50 && invalid > 0);
    free(held);
    format_run_free(run);
    tally_format_free(format);
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
        "\"ipv4\"",
        "{\"type\": \"ipv4\", \"prefix\": 12}",
    };
    check_vectors();
    if (!check_vectors_only(argc, argv)) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            for (int k = 0; k < 4; k++) {
                check_column(formats[i], k & 1, k >> 1);
            }
        }
    }
    return check_end("formats of numbers");
}
