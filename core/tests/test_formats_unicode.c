/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of scripts: random rows of letters, signs, other characters and damaged bytes. With vectors and
 * without, in columns and one by one, results are the same, and tokens give their values. */
#include "check.h"
#include "format_run.h"
#include "random.h"

#include "base/cpu.h"
#include "formats/unicode_repertoires.h"
#include "formats/unicode_text.h"
#include "unicode/unicode.h"

enum {
    ROWS = 600 /* of a column, a multiple of 8 */,
    MOST = 120 /* bytes of a row */,
    RESULT = 4 * MOST,
    GERMAN = 8
};

typedef struct rows {
    uint8_t values[ROWS * RESULT], status[ROWS];
    uint64_t offsets[ROWS + 1];
} rows;

static rows given, found, other, back;

/* A character of a script: mostly a letter; `odd`: or, seldom, any character. */
static uint32_t random_point(const tally_script *script, int odd)
{
    const tally_unicode_spans lists[] = {script->lower, script->upper, script->signs};
    const uint32_t kind = random_below(odd ? 100 : 98);
    const tally_unicode_spans *list = &lists[kind < 50 ? 0 : kind < 75 ? 1 : 2];
    if (kind >= 98) {
        return random_below(2) != 0 ? random_below(0x2000) : random_below(0xD800);
    }
    if (kind >= 80 && script->mark_count != 0) {
        return script->marks[random_below(script->mark_count)].span.first;
    }
    if (kind >= 78 && script->composed != NULL) {
        return script->composed[random_below(TALLY_UNICODE_COMPOSED)].whole;
    }
    if (kind >= 92 && script->direct.first != 0) {
        return script->direct.first + random_below(TALLY_JAPANESE_KANJI);
    }
    if (kind >= 76 && script->final != 0 && random_below(3) == 0) {
        return random_below(2) != 0 ? script->final : script->medial;
    }
    if (kind >= 84 || list->count == 0) {
        return (uint8_t) " -'."[random_below(4)];
    }
    const tally_unicode_span span = list->span[random_below(list->count)];
    return span.first + random_below(span.last - span.first + UINT64_C(1));
}

/* Random rows, some of them too long or too short; `odd`: or damaged, or divided within a
 * character. */
static void make_rows(const tally_script *script, uint32_t scripts, int odd)
{
    uint64_t at = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const tally_script *own = &script[random_below(scripts)];
        const uint64_t most = random_below(10) == 0 ? MOST : 1 + random_below(40);
        given.offsets[i] = at;
        while (at - given.offsets[i] + TALLY_UTF8_MAX_BYTES <= most) {
            at += tally_utf8_encode(random_point(own, odd), given.values + at);
        }
        if (odd && random_below(30) == 0 && at != given.offsets[i]) {
            given.values[at - 1 - random_below(at - given.offsets[i])] = (uint8_t)random_u64();
        }
        if (odd && random_below(30) == 0 && i != 0 && given.offsets[i] != given.offsets[i - 1]) {
            given.offsets[i]--;
        }
    }
    given.offsets[ROWS] = at;
}

/* Every third row is null, and has bytes. */
static uint8_t some_nulls[ROWS / 8];

static void run_column(const tally_format *format, format_run *run, int reveal, const rows *in,
                       const uint8_t *validity, const tally_strings *tweaks, rows *out)
{
    const tally_strings column = {.offsets = in->offsets,
                                  .offset_size = 8,
                                  .validity = validity,
                                  .values = in->values,
                                  .rows = ROWS};
    uint8_t *values;
    uint64_t *offsets;
    run->run.direction = reveal ? TALLY_DECRYPT : TALLY_ENCRYPT;
    run->run.row_tweaks = tweaks;
    memset(out->status, 0xEE, ROWS);
    CHECK_EQUAL(format_run_text(format, run, &column, out->status, &values, &offsets), TALLY_OK);
    CHECK(offsets[ROWS] <= sizeof out->values);
    memcpy(out->offsets, offsets, sizeof out->offsets);
    memcpy(out->values, values, offsets[ROWS] <= sizeof out->values ? (size_t)offsets[ROWS] : 0);
    free(values);
    free(offsets);
}

static void check_same(const rows *a, const rows *b)
{
    CHECK_BYTES(a->offsets, b->offsets, sizeof a->offsets);
    CHECK_BYTES(a->values, b->values, (size_t)b->offsets[ROWS]);
}

/* Rows beside null ones give what they give beside others. */
static void check_nulls(const tally_format *format, format_run *run, const tally_strings *tweaks)
{
    for (size_t i = 0; i < ROWS; i++) {
        some_nulls[i / 8] |= (uint8_t)((i % 3 != 0) << i % 8);
    }
    run_column(format, run, 0, &given, some_nulls, tweaks, &other);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t size = (size_t)(found.offsets[i + 1] - found.offsets[i]);
        const int is_null = i % 3 == 0;
        CHECK_EQUAL(other.status[i], is_null ? TALLY_REASON_NONE : found.status[i]);
        CHECK_EQUAL(other.offsets[i + 1] - other.offsets[i], is_null ? 0 : size);
        CHECK_BYTES(other.values + other.offsets[i], found.values + found.offsets[i],
                    is_null ? 0 : size);
    }
}

static void check_one_by_one(const tally_format *format, format_run *run,
                             const tally_strings *tweaks)
{
    run->run.direction = TALLY_ENCRYPT;
    run->run.row_tweaks = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t start = given.offsets[i], own = found.offsets[i];
        const size_t size = (size_t)(found.offsets[i + 1] - own);
        uint8_t out[RESULT];
        tally_one one = {.value = given.values + start,
                         .size = (size_t)(given.offsets[i + 1] - start),
                         .out = out,
                         .capacity = sizeof out};
        if (tweaks != NULL) {
            const uint64_t *offsets = tweaks->offsets;
            one.row_tweak = tweaks->values + offsets[i];
            one.row_tweak_size = (size_t)(offsets[i + 1] - offsets[i]);
        }
        CHECK_EQUAL(format->of->one(format, &run->run, &one), TALLY_OK);
        CHECK_EQUAL(one.reason, found.status[i]);
        if (one.reason == TALLY_REASON_NONE) {
            CHECK_EQUAL(one.out_size, size);
            CHECK_BYTES(out, found.values + own, size);
        }
    }
}

static void check_format(const char *description, const tally_script *script, uint32_t scripts)
{
    static const uint8_t key[16] = "0123456789abcdef";
    tally_format *format;
    tally_problem problem;
    CHECK_ABOUT("%s", description);
    if (!check_that(tally_format_new(NULL, description, strlen(description), &format, &problem) ==
                        TALLY_OK,
                    __FILE__, __LINE__, problem.text)) {
        return;
    }
    uint64_t offsets[ROWS + 1];
    offsets[0] = 0;
    for (uint64_t i = 1; i <= ROWS; i++) { /* tweaks of 0 to 3 bytes */
        offsets[i] = offsets[i - 1] + i * i % 4;
    }
    static const uint8_t bytes[4 * ROWS] = {1, 2, 3, 4, 5};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = bytes, .rows = ROWS};
    size_t valid = 0;
    for (int pass = 0; pass < 4; pass++) {
        const int tweaked = pass & 1;
        const tally_strings *own = tweaked ? &tweaks : NULL;
        format_run *run = format_run_new(format, key, sizeof key, "ns", tweaked);
        make_rows(script, scripts, pass < 2);
        run_column(format, run, 0, &given, NULL, own, &found);
        check_one_by_one(format, run, own);
        check_nulls(format, run, own);
        run_column(format, run, 1, &found, NULL, own, &back);
        check_same(&back, &given);
        const uint32_t features = tally_cpu_features();
        if (tally_cpu_lower(0) != features) { /* else there is nothing to take away */
            run_column(format, run, 0, &given, NULL, own, &other);
            check_same(&other, &found);
            CHECK_BYTES(other.status, found.status, ROWS);
            run_column(format, run, 1, &found, NULL, own, &back);
            check_same(&back, &given);
        }
        tally_cpu_lower(UINT32_MAX);
        for (size_t i = 0; i < ROWS; i++) {
            const uint8_t *token = found.values + found.offsets[i];
            valid += found.status[i] == TALLY_REASON_NONE;
            CHECK(found.status[i] != TALLY_REASON_NONE ||
                  tally_is_nfc(token, (size_t)(found.offsets[i + 1] - found.offsets[i]), NULL));
        }
        format_run_free(run);
    }
    CHECK(valid > ROWS / 8);
    tally_format_free(format);
}

int main(void)
{
    char description[128];
    for (uint32_t i = 0; i < TALLY_SCRIPTS; i++) {
        static const char *const options[] = {"", ",\"keep_first\":1", ",\"keep_last\":2",
                                              ",\"kept_as_tweak\":false,\"keep_first\":1"};
        for (size_t j = 0; j < sizeof options / sizeof *options; j++) {
            (void)snprintf(description, sizeof description,
                           "{\"type\":\"unicode\",\"script\":\"%s\"%s}", tally_scripts[i].name,
                           options[j]);
            check_format(description, &tally_scripts[i], 1);
        }
    }
    check_format("\"unicode\"", tally_scripts, TALLY_SCRIPTS);
    check_format("{\"type\":\"unicode\",\"keep_first\":1}", tally_scripts, TALLY_SCRIPTS);
    check_format("{\"type\":\"unicode\",\"script\":\"japanese\"}", &tally_script_japanese, 1);
    check_format("{\"type\":\"unicode\",\"script\":\"japanese\",\"keep_last\":1}",
                 &tally_script_japanese, 1);
    CHECK(strcmp(tally_repertoires[GERMAN].name, "german") == 0);
    check_format("{\"type\":\"unicode\",\"repertoire\":\"german\",\"separators\":\"\xC3\xA9 -'.\"}",
                 &tally_repertoires[GERMAN].script, 1);
    return check_end("formats_unicode");
}
