/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenizers, workers, one value, and arrays of every layout, with formats that move letters on. */
#include <stdlib.h>

#include "tallystick/sha2.h"
#include "tokens_calls.h"

static tally_format words, longs; /* the second's tokens are longer than values */

static void test_tokenizer(void)
{
    CHECK_ABOUT("tokenizer");
    tally_tokenizer *tokenizer;
    const tally_format *format = &words;
#define REFUSED(status, ...)                                                                       \
    CHECK_EQUAL(tally_tokenizer_new(&allocator, __VA_ARGS__, &tokenizer, &problem), status);       \
    CHECK(tokenizer == NULL)
    REFUSED(TALLY_ERROR_KEY_SIZE, format, NULL, 0, "n", 1, TALLY_INVALID_ERROR);
    CHECK(strcmp(problem.text, "format 'fake' needs a key") == 0);
    REFUSED(TALLY_ERROR_KEY_SIZE, format, key, 15, "n", 1, TALLY_INVALID_ERROR);
    CHECK(strcmp(problem.text, "a key has 16, 24 or 32 bytes, not 15") == 0);
    REFUSED(TALLY_ERROR_NAMESPACE, format, key, 16, "n", 0, TALLY_INVALID_ERROR);
    CHECK(strcmp(problem.text, "a namespace must have 1 to 256 bytes in UTF-8") == 0);
    static const char longest[257] = {'n'};
    REFUSED(TALLY_ERROR_NAMESPACE, format, key, 16, longest, 257, TALLY_INVALID_ERROR);
    REFUSED(TALLY_ERROR_NAMESPACE, format, key, 16, "a\xff", 2, TALLY_INVALID_ERROR);
    REFUSED(TALLY_ERROR_NAMESPACE, format, key, 16, "\xed\xa0\x80", 3, TALLY_INVALID_ERROR);
    REFUSED(TALLY_ERROR_ARGUMENT, format, key, 16, "n", 1, (tally_on_invalid)3);
    CHECK(strcmp(problem.text, "on_invalid must be 'error', 'null' or 'keep'") == 0);
    CHECK(strcmp(problem.place, "on_invalid") == 0);
    tally_format other = words;
    other.forbids_keep = 1;
    REFUSED(TALLY_ERROR_ARGUMENT, &other, key, 16, "n", 1, TALLY_INVALID_KEEP);
    CHECK(strncmp(problem.text, "on_invalid 'keep' can't go with this format", 43) == 0);
#undef REFUSED
    tokenizer = new_tokenizer(format, TALLY_INVALID_ERROR);
    static const uint8_t head[] = "\0\0\0\4\0\0\0\14tallystick 1\0\0\0\5names\0\0\0\10[\"fake\"]"
                                  "\0\0\0\6column";
    uint8_t out[100];
    CHECK_EQUAL(tally_tokenizer_head(tokenizer, 0, out, sizeof out), sizeof head - 1);
    CHECK_BYTES(out, head, sizeof head - 1);
    CHECK_EQUAL(tally_tokenizer_head(tokenizer, 1, out, 3), sizeof head - 3);
    CHECK_EQUAL(tally_tokenizer_head(tokenizer, 1, NULL, 0), sizeof head - 3);

    uint8_t print[TALLY_FINGERPRINT], derived[32], expected[32];
    tally_tokenizer_fingerprint(tokenizer, print);
    CHECK_EQUAL(tally_hkdf_sha256(NULL, 0, key, sizeof key,
                                  (const uint8_t *)"tallystick key fingerprint 1", 28, derived, 32),
                TALLY_OK);
    tally_hmac_sha256_tag(derived, 32, NULL, 0, expected);
    CHECK_BYTES(print, expected, 32);
    tally_tokenizer_free(tokenizer);
    tally_tokenizer_free(NULL);
    tally_worker_free(NULL);

    other = words;
    other.keyed = 0;
    CHECK_EQUAL(
        tally_tokenizer_new(NULL, &other, NULL, 0, "", 0, TALLY_INVALID_NULL, &tokenizer, &problem),
        TALLY_OK);
    tally_tokenizer_fingerprint(tokenizer, print);
    memset(expected, 0, 32);
    CHECK_BYTES(print, expected, 32);
    tally_tokenizer_free(tokenizer);
}

static void test_ciphers(void)
{
    CHECK_ABOUT("ciphers by radix");
    pair it = pair_new(&words, TALLY_INVALID_ERROR);
    tally_run *run = (tally_run *)it.worker;
    tally_fast_cipher *first = run->cipher(run, 10);
    CHECK(first != NULL && run->cipher(run, 10) == first);
    CHECK(run->cipher(run, 3) == NULL && run->cipher(run, 257) == NULL);
    const tally_fast_workspace *workspace = run->workspace(run);
    CHECK(workspace != NULL && run->workspace(run) == workspace);
    /* More radices than a worker keeps: each is right, and memory stays bounded. */
    long most = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t radix = 4; radix < 60; radix++) {
            tally_fast_params params;
            uint8_t word[8] = {3, 2, 1, 0, 3, 2, 1, 0}, back[8];
            CHECK(tally_fast_recommended(TALLY_FAST, radix, 8, &params) == TALLY_OK);
            CHECK(tally_fast_encrypt_words(run->cipher(run, radix), &params, NULL, 0, word, 1,
                                           back) == TALLY_OK);
            CHECK(tally_fast_decrypt_words(run->cipher(run, radix), &params, NULL, 0, back, 1,
                                           back) == TALLY_OK);
            CHECK_BYTES(back, word, 8);
        }
        if (turn == 0) {
            most = heap.out;
        }
    }
    CHECK(heap.out < most + 100000);
    CHECK(run->scratch(run, TALLY_SCRATCHES, 1) == NULL);
    CHECK(run->scratch(run, 0, SIZE_MAX) == NULL);
    pair_free(&it);
}

static void check_value(tally_worker *worker, const char *value, const char *tweak,
                        const char *expected)
{
    uint8_t out[64], back[64];
    size_t size = 99, back_size = 99;
    tally_fault fault;
    const size_t tweak_size = tweak == NULL ? 0 : strlen(tweak);
    CHECK_EQUAL(tally_protect_value(worker, (const uint8_t *)value, strlen(value),
                                    (const uint8_t *)tweak, tweak_size, out, sizeof out, &size,
                                    &fault),
                TALLY_OK);
    CHECK_EQUAL(fault.reason, 0);
    CHECK_EQUAL(size, strlen(expected));
    CHECK_BYTES(out, expected, strlen(expected));
    CHECK_EQUAL(tally_reveal_value(worker, out, size, (const uint8_t *)tweak, tweak_size, back,
                                   sizeof back, &back_size, &fault),
                TALLY_OK);
    CHECK_EQUAL(back_size, strlen(value));
    CHECK_BYTES(back, value, strlen(value));
}

static void test_values(void)
{
    CHECK_ABOUT("values");
    pair narrow = pair_new(&words, TALLY_INVALID_ERROR),
         wide = pair_new(&longs, TALLY_INVALID_NULL);
    check_value(narrow.worker, "anne", NULL, "dqqh");
    check_value(narrow.worker, "anne", "", "dqqh");
    check_value(narrow.worker, "anne", "\1", "erri");
    check_value(wide.worker, "anne", NULL, "dqqhdqqh");
    uint8_t out[8];
    memset(out, 7, sizeof out);
    size_t size = 0;
    tally_fault fault;
    const uint8_t *value = (const uint8_t *)"anne";
    CHECK_EQUAL(tally_protect_value(wide.worker, value, 4, NULL, 0, out, 7, &size, &fault),
                TALLY_ERROR_CAPACITY);
    CHECK_EQUAL(size, 8);
    CHECK_EQUAL(tally_protect_value(narrow.worker, value, 4, NULL, 0, out, 3, &size, &fault),
                TALLY_ERROR_CAPACITY);
    CHECK_EQUAL(size, 4);
    CHECK_EQUAL(tally_protect_value(narrow.worker, value, 4, NULL, 0, NULL, 0, &size, &fault),
                TALLY_ERROR_CAPACITY);
    CHECK_EQUAL(tally_protect_value(wide.worker, value, 4, NULL, 0, NULL, 0, &size, &fault),
                TALLY_ERROR_CAPACITY);
    CHECK_EQUAL(size, 8);
    value = (const uint8_t *)"an1e";
    CHECK_EQUAL(tally_protect_value(narrow.worker, value, 4, NULL, 0, out, 8, &size, &fault),
                TALLY_OK);
    CHECK(fault.reason == TALLY_REASON_FOREIGN && fault.position == 3 &&
          fault.character == TALLY_CHARACTER_DIGIT);
    CHECK(size == 4 && memcmp(out, value, 4) == 0);
    CHECK_EQUAL(tally_protect_value(wide.worker, value, 0, NULL, 0, NULL, 0, &size, &fault),
                TALLY_OK);
    CHECK(size == 0 && fault.reason == TALLY_REASON_SHORT);
    CHECK_EQUAL(tally_protect_value(wide.worker, value, TALLY_MAX_VALUE + 1, NULL, 0, out, 8, &size,
                                    &fault),
                TALLY_ERROR_ARGUMENT);

    int64_t number = 41;
    CHECK_EQUAL(
        tally_protect_fixed(narrow.worker, "l", &number, NULL, 0, &number, &fault, &problem),
        TALLY_OK);
    CHECK(number == 44 && fault.reason == 0);
    CHECK_EQUAL(tally_reveal_fixed(narrow.worker, "l", &number, NULL, 0, &number, &fault, &problem),
                TALLY_OK);
    CHECK_EQUAL(number, 41);
    number = 1000;
    CHECK_EQUAL(
        tally_protect_fixed(narrow.worker, "l", &number, NULL, 0, &number, &fault, &problem),
        TALLY_OK);
    CHECK(number == 1000 && fault.reason == TALLY_REASON_RANGE);
    CHECK_EQUAL(
        tally_protect_fixed(narrow.worker, "tdD", &number, NULL, 0, &number, &fault, &problem),
        TALLY_ERROR_TYPE);
    CHECK_EQUAL(
        tally_protect_fixed(narrow.worker, "u", &number, NULL, 0, &number, &fault, &problem),
        TALLY_ERROR_ARGUMENT);
    tally_format hidden = words;
    hidden.one_way = 1;
    pair one_way = pair_new(&hidden, TALLY_INVALID_ERROR);
    CHECK_EQUAL(tally_reveal_value(one_way.worker, value, 4, NULL, 0, out, 8, &size, &fault),
                TALLY_ERROR_ONE_WAY);
    CHECK_EQUAL(
        tally_reveal_fixed(one_way.worker, "l", &number, NULL, 0, &number, &fault, &problem),
        TALLY_ERROR_ONE_WAY);
    pair_free(&one_way);
    pair_free(&narrow);
    pair_free(&wide);
}

static const char *const names[] = {"anne", NULL, "bob", "elizabethtaylor", "anne", "z"};
static const char *const tokens[] = {"dqqh", NULL, "ere", "holcdehwkwdboru", "dqqh", "c"};
static const char *const twice[] = {"dqqhdqqh", NULL, "ereere", "holcdehwkwdboruholcdehwkwdboru",
                                    "dqqhdqqh", "cc"};

static void test_flat(void)
{
    pair narrow = pair_new(&words, TALLY_INVALID_ERROR),
         wide = pair_new(&longs, TALLY_INVALID_ERROR);
    static const char *const formats[] = {"u", "U", "z", "Z", "vu", "vz"};
    for (size_t i = 0; i < 6; i++) {
        CHECK_ABOUT("flat %s", formats[i]);
        made *values = i > 3 ? made_views(formats[i], names, 6) : made_text(formats[i], names, 6);
        check_array(narrow.worker, values, NULL, names, tokens, 6);
        CHECK_EQUAL(counts.nulls, 1);
        CHECK_EQUAL(counts.small, 4);
        check_array(wide.worker, values, NULL, names, twice, 6);
        for (int64_t offset = 0; offset < 6; offset++) { /* sliced */
            values->array.offset = offset;
            values->array.length = 6 - offset;
            check_array(narrow.worker, values, NULL, names + offset, tokens + offset, 6 - offset);
            check_array(wide.worker, values, NULL, names + offset, twice + offset, 6 - offset);
        }
        values->array.offset = 0;
        values->array.length = 0;
        check_array(narrow.worker, values, NULL, names, tokens, 0);
        check_array(wide.worker, values, NULL, names, tokens, 0);
        made_free(values);
        made *empty = made_new(formats[i], 0, 3);
        check_array(wide.worker, empty, NULL, names, tokens, 0);
        made_free(empty);
    }
    CHECK_ABOUT("flat integers");
    const int64_t numbers[] = {5, 77, 999, 0}, expected[] = {8, 0, 2, 3};
    static const uint8_t validity[] = {0x0d};
    struct ArrowArray out;
    made *values = made_fixed("l", numbers, 8, 4, validity);
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    CHECK(out.length == 4 && out.null_count == 1 && out.n_buffers == 2);
    CHECK_BYTES(out.buffers[1], expected, sizeof expected);
    CHECK_EQUAL(((uintptr_t)out.buffers[1]) % 64, 0);
    CHECK(counts.nulls == 1 && counts.small == 3);
    out.release(&out);
    values->array.offset = 1;
    values->array.length = 3;
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    CHECK_BYTES(out.buffers[1], expected + 1, 24);
    out.release(&out);
    made_free(values);
    CHECK_ABOUT("the type null");
    values = made_new("n", 7, 0);
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_OK);
    CHECK(out.length == 7 && out.null_count == 7 && out.n_buffers == 0);
    CHECK(counts.rows == 7 && counts.nulls == 7);
    out.release(&out);
    made_free(values);
    CHECK_ABOUT("other types");
    values = made_fixed("i", numbers, 4, 4, NULL);
    CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_ERROR_TYPE);
    CHECK(out.release == NULL && problem.text[0] != '\0');
    made_free(values);
    static const char *const formats_refused[] = {"f", "+s", "+l", "b", "w:4", "tdD"};
    for (size_t i = 0; i < 6; i++) {
        CHECK_ABOUT("type %s", formats_refused[i]);
        const int64_t buffers = i == 1 ? 1 : 2;
        values = made_new(formats_refused[i], 0, buffers);
        made *child = made_new("u", 0, 3);
        if (i == 1 || i == 2) {
            made_child(values, child);
        }
        CHECK_EQUAL(protect(narrow.worker, values, NULL, &out), TALLY_ERROR_TYPE);
        made_free(values);
        made_free(child);
    }
    pair_free(&narrow);
    pair_free(&wide);
}

/* Whether bytes are anywhere in the buffers of an array. */
static bool holds(const struct ArrowArray *array, const char *bytes)
{
    const char *at = array->buffers[2];
    const int32_t *offsets = array->buffers[1];
    const size_t size = (size_t)offsets[array->length] + 20; /* and what was there */
    const size_t own = strlen(bytes);
    for (size_t i = 0; i + own <= size; i++) {
        if (memcmp(at + i, bytes, own) == 0) {
            return true;
        }
    }
    return false;
}

static void test_invalid(void)
{
    static const char *const some[] = {"anne", "SECRETVALUE", NULL, "bob", "SECRETOTHER"};
    static const char *const nulled[] = {"dqqh", NULL, NULL, "ere", NULL};
    static const char *const kept[] = {"dqqh", "SECRETVALUE", NULL, "ere", "SECRETOTHER"};
    for (int wide = 0; wide < 2; wide++) {
        static const char *const formats[] = {"u", "U", "z", "Z", "vu", "vz"};
        const tally_format *format = wide ? &longs : &words;
        static const char *const nulled_twice[] = {"dqqhdqqh", NULL, NULL, "ereere", NULL};
        static const char *const kept_twice[] = {"dqqhdqqh", "SECRETVALUE", NULL, "ereere",
                                                 "SECRETOTHER"};
        pair error = pair_new(format, TALLY_INVALID_ERROR);
        pair null = pair_new(format, TALLY_INVALID_NULL);
        pair keep = pair_new(format, TALLY_INVALID_KEEP);
        struct ArrowArray out;
        for (size_t i = 0; i < 6; i++) {
            CHECK_ABOUT("invalid, wide %d, %s", wide, formats[i]);
            made *values = i > 3 ? made_views(formats[i], some, 5) : made_text(formats[i], some, 5);
            CHECK_EQUAL(protect(error.worker, values, NULL, &out), TALLY_ERROR_INVALID);
            CHECK(out.release == NULL && invalid.row == 1 && counts.rows == 0);
            CHECK(invalid.fault.reason == TALLY_REASON_FOREIGN && invalid.fault.position == 1 &&
                  invalid.fault.character == TALLY_CHARACTER_LETTER);
            check_array(null.worker, values, NULL, NULL, wide ? nulled_twice : nulled, 5);
            CHECK(counts.invalid[TALLY_REASON_FOREIGN] == 2 && counts.nulls == 1);
            check_array(keep.worker, values, NULL, NULL, wide ? kept_twice : kept, 5);
            CHECK(counts.invalid[TALLY_REASON_FOREIGN] == 2);
            uint8_t reasons[5];
            CHECK_EQUAL(tally_protect_rows(error.worker, &values->schema, &values->array, NULL,
                                           NULL, &out, reasons, NULL, &problem),
                        TALLY_OK);
            check_rows(&values->schema, &out, wide ? kept_twice : kept, 5);
            CHECK_BYTES(reasons,
                        ((const uint8_t[]){0, TALLY_REASON_FOREIGN, 0, 0, TALLY_REASON_FOREIGN}),
                        5);
            out.release(&out);
            if (i == 0) {
                CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_OK);
                CHECK_EQUAL(out.null_count, 3);
                CHECK(!holds(&out, "SECRET") && !holds(&out, "OTHER"));
                out.release(&out);
            }
            made_free(values);
        }
        pair_free(&error);
        pair_free(&null);
        pair_free(&keep);
    }
    CHECK_ABOUT("invalid integers");
    const int64_t numbers[] = {5, 7777, 999}, expected[] = {8, 0, 2};
    pair null = pair_new(&words, TALLY_INVALID_NULL), error = pair_new(&words, TALLY_INVALID_ERROR);
    made *values = made_fixed("l", numbers, 8, 3, NULL);
    struct ArrowArray out;
    CHECK_EQUAL(protect(null.worker, values, NULL, &out), TALLY_OK);
    CHECK(out.null_count == 1 && *(const uint8_t *)out.buffers[0] == 5);
    CHECK_BYTES(out.buffers[1], expected, sizeof expected);
    out.release(&out);
    CHECK_EQUAL(protect(error.worker, values, NULL, &out), TALLY_ERROR_INVALID);
    CHECK(invalid.row == 1 && invalid.fault.reason == TALLY_REASON_RANGE &&
          invalid.fault.position == 0);
    made_free(values);
    pair_free(&null);
    pair_free(&error);
}

static void test_tweaks(void)
{
    static const char *const value[] = {"aaaa", "aaaa", "aaaa", NULL, "aaaa"};
    static const char *const text[] = {"\1", "", NULL, "x", "\2\3"};
    static const char *const expected[] = {"eeee", "dddd", NULL, NULL, "iiii"};
    pair null = pair_new(&words, TALLY_INVALID_NULL), error = pair_new(&words, TALLY_INVALID_ERROR);
    made *values = made_text("u", value, 5);
    struct ArrowArray out;
    static const char *const formats[] = {"u", "U", "z", "Z", "vu", "vz"};
    for (size_t i = 0; i < 6; i++) {
        CHECK_ABOUT("tweaks %s", formats[i]);
        made *tweaks = i > 3 ? made_views(formats[i], text, 5) : made_text(formats[i], text, 5);
        check_array(null.worker, values, tweaks, NULL, expected, 5);
        CHECK(counts.invalid[TALLY_REASON_TWEAK] == 1 && counts.nulls == 1);
        CHECK_EQUAL(protect(error.worker, values, tweaks, &out), TALLY_ERROR_INVALID);
        CHECK(invalid.row == 2 && invalid.fault.reason == TALLY_REASON_TWEAK);
        tweaks->array.offset = 1;
        tweaks->array.length = 4;
        CHECK_EQUAL(protect(error.worker, values, tweaks, &out), TALLY_ERROR_TWEAKS);
        CHECK(strcmp(problem.text, "tweaks must be an Arrow array with one tweak for each value") ==
              0);
        values->array.length = 4;
        static const char *const sliced[] = {"dddd", NULL, "tttt", NULL}; /* 'x' is 120 */
        check_array(null.worker, values, tweaks, NULL, sliced, 4);
        values->array.length = 5;
        made_free(tweaks);
    }
    static const struct {
        const char *format;
        size_t width;
        int64_t numbers[5];
        const char *expected; /* of the first */
    } integers[] = {
        {"c", 1, {-128, 0, 1, 2, 3}, "-128"},
        {"C", 1, {255, 0, 1, 2, 3}, "255"},
        {"s", 2, {-32768, 0, 1, 2, 3}, "-32768"},
        {"S", 2, {65535, 0, 1, 2, 3}, "65535"},
        {"i", 4, {INT32_MIN, 0, 1, 2, 3}, "-2147483648"},
        {"I", 4, {UINT32_MAX, 0, 1, 2, 3}, "4294967295"},
        {"l", 8, {INT64_MIN, 0, 1, 2, 3}, "-9223372036854775808"},
        {"L", 8, {-1, 0, 1, 2, 3}, "18446744073709551615"},
    };
    for (size_t i = 0; i < 8; i++) {
        CHECK_ABOUT("tweaks %s", integers[i].format);
        uint8_t packed[40];
        for (size_t j = 0; j < 5; j++) {
            packed_put(packed + j * integers[i].width, integers[i].numbers[j], integers[i].width);
        }
        made *tweaks = made_fixed(integers[i].format, packed, integers[i].width, 5, NULL);
        const char *const as_text[] = {integers[i].expected, "0", "1", "2", "3"};
        made *same = made_text("u", as_text, 5);
        CHECK_EQUAL(protect(error.worker, values, tweaks, &out), TALLY_OK);
        struct ArrowArray other;
        CHECK_EQUAL(protect(error.worker, values, same, &other), TALLY_OK);
        CHECK_BYTES(out.buffers[2], other.buffers[2], 16);
        out.release(&out);
        other.release(&other);
        made_free(tweaks);
        made_free(same);
    }
    CHECK_ABOUT("tweaks from dictionaries");
    static const char *const entries[] = {"\2\3", "\1", NULL, ""};
    static const uint8_t index[] = {1, 3, 2, 200, 0}, valid[] = {0x17};
    made *tweaks = made_dictionary(made_fixed("C", index, 1, 5, valid), made_text("u", entries, 4));
    check_array(null.worker, values, tweaks, NULL, expected, 5);
    made_free((made *)(void *)tweaks->schema.dictionary);
    made_free(tweaks);
    CHECK_ABOUT("tweaks of another type");
    const double numbers[5] = {0};
    tweaks = made_fixed("g", numbers, 8, 5, NULL);
    CHECK_EQUAL(protect(error.worker, values, tweaks, &out), TALLY_ERROR_TWEAKS);
    CHECK(strcmp(problem.text, "tweaks must be text, binary or integers, not double") == 0);
    CHECK(strcmp(problem.place, "tweaks") == 0);
    made_free(tweaks);
    made_free(values);
    pair_free(&null);
    pair_free(&error);
}

/* An allocator of which one allocation fails: the one that is so many later. */
static long allocations_until = -1;

static void *allocate_but_one(void *context, size_t size)
{
    return allocations_until-- == 0 ? NULL : heap_allocate(context, size);
}

/* Rows that are grouped by tweak: whichever allocation fails, the call ends without a result, or has
 * the usual one, and so has the next call. */
static void test_grouped_rows(void)
{
    enum { ROWS = 5000, WIDTH = 12 };
    static char text[ROWS][WIDTH + 1];
    static const char *rows[ROWS];
    static const char description[] = "{\"type\": \"digits\", \"keep_last\": 2}";
    const tally_allocator but_one = {allocate_but_one, heap_release, NULL};
    tally_format *format;
    struct ArrowArray expected, out;
    size_t ends = 0, usual = 0;
    CHECK_EQUAL(tally_format_new(NULL, description, sizeof description - 1, &format, &problem),
                TALLY_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < WIDTH; k++) {
            text[i][k] = (char)('0' + (i * 7919 + k * k * i) / (k + 1) % 10);
        }
        rows[i] = text[i];
    }
    made *values = made_text("u", rows, ROWS);
    const long out_before = heap.out;
    for (long n = -1; n < 0 || usual + ends == (size_t)n; n++) {
        CHECK_ABOUT("rows in groups, allocation %ld fails", n);
        pair both;
        allocations_until = -1;
        CHECK_EQUAL(tally_tokenizer_new(&but_one, format, key, sizeof key, "names", 5,
                                        TALLY_INVALID_ERROR, &both.tokenizer, &problem),
                    TALLY_OK);
        both.worker = new_worker(both.tokenizer);
        allocations_until = n;
        const tally_status status = protect(both.worker, values, NULL, n < 0 ? &expected : &out);
        if (n >= 0 && allocations_until >= 0) { /* there were fewer */
            CHECK_EQUAL(status, TALLY_OK);
            out.release(&out);
            pair_free(&both);
            break;
        }
        if (n >= 0) {
            usual += status == TALLY_OK;
            ends += status == TALLY_ERROR_MEMORY;
            if (status != TALLY_OK) {
                CHECK_EQUAL(status, TALLY_ERROR_MEMORY);
                CHECK_EQUAL(protect(both.worker, values, NULL, &out), TALLY_OK);
            }
            CHECK_BYTES(out.buffers[2], expected.buffers[2], (size_t)ROWS * WIDTH);
            out.release(&out);
        } else {
            CHECK_EQUAL(status, TALLY_OK);
        }
        pair_free(&both);
    }
    CHECK_EQUAL(usual, 1); /* without memory for groups */
    CHECK(ends > 2);
    expected.release(&expected);
    CHECK_EQUAL(heap.out, out_before);
    made_free(values);
    tally_format_free(format);
}

/* Memory that is never given back, so that all that a call left behind can be looked at. */
static struct {
    _Alignas(64) uint8_t bytes[1 << 23];
    size_t used;
} arena;

static void *arena_allocate(void *context, size_t size)
{
    (void)context;
    const size_t at = (arena.used + 63) / 64 * 64;
    if (size > sizeof arena.bytes - at) {
        return NULL;
    }
    arena.used = at + size;
    return arena.bytes + at;
}

static void arena_release(void *context, void *memory, size_t size)
{
    (void)context, (void)memory, (void)size;
}

static bool arena_holds(const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= arena.used; i++) {
        if (memcmp(arena.bytes + i, text, size) == 0) {
            return true;
        }
    }
    return false;
}

/* After a call no value is left in memory, valid or not, but in its result until that is released;
 * nor after tally_tokenizer_free the key. */
static void test_wiping(void)
{
    static const tally_allocator keeps_all = {arena_allocate, arena_release, NULL};
    static const char *const secrets[] = {"elizabethtaylor", "SECRETVALUE", "marilynmonroe", "x"};
    static const char *const tweaks_text[] = {"secrettweak", "secrettweak", "secrettweak",
                                              "secrettweak"};
    static const uint8_t long_key[32] = "the key of thirty-two bytes ...";
    static const char *const names_of[] = {"text", "views", "dictionary"};
    for (int i = 0; i < 12; i++) {
        CHECK_ABOUT("wiping: %s, %d", names_of[i % 3], i);
        memset(&arena, 0, sizeof arena);
        tally_tokenizer *tokenizer;
        tally_worker *worker;
        CHECK_EQUAL(tally_tokenizer_new(&keeps_all, i % 2 ? &words : &longs, long_key, 32, "n", 1,
                                        TALLY_INVALID_NULL, &tokenizer, &problem),
                    TALLY_OK);
        CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
        made *held = i % 3 == 1 ? made_views("vu", secrets, 4) : made_text("u", secrets, 4);
        made *values = held;
        if (i % 3 == 2) {
            values = made_dictionary(made_fixed("c", "\0\1\2\3", 1, 4, NULL), held);
        }
        made *tweaks = i < 6 ? NULL : made_views("vu", tweaks_text, 4);
        struct ArrowArray out;
        CHECK_EQUAL(protect(worker, values, tweaks, &out), TALLY_OK);
        CHECK_EQUAL(counts.invalid[TALLY_REASON_FOREIGN], 1);
        CHECK(!arena_holds("elizabeth") && !arena_holds("SECRET") && !arena_holds("monroe"));
        CHECK(!arena_holds("secrettweak"));
        struct ArrowArray back;
        CHECK_EQUAL(tally_reveal_array(
                        worker, &values->schema, &out, tweaks == NULL ? NULL : &tweaks->schema,
                        tweaks == NULL ? NULL : &tweaks->array, &back, NULL, &invalid, &problem),
                    TALLY_OK);
        CHECK(arena_holds("elizabeth") && arena_holds("monroe"));
        back.release(&back);
        CHECK(!arena_holds("elizabeth") && !arena_holds("monroe"));
        uint8_t token[64];
        size_t size;
        tally_fault fault;
        CHECK_EQUAL(tally_protect_value(worker, (const uint8_t *)secrets[0], 15, NULL, 0, token, 3,
                                        &size, &fault),
                    TALLY_ERROR_CAPACITY);
        CHECK(!arena_holds("elizabeth"));
        tally_run *run = (tally_run *)worker;
        CHECK(run->cipher(run, 10) != NULL);
        out.release(&out);
        tally_worker_free(worker);
        CHECK(arena_holds("the key of"));
        tally_tokenizer_free(tokenizer);
        CHECK(!arena_holds("the key of"));
        if (values != held) {
            made_free(values);
        }
        made_free(held);
        made_free(tweaks);
    }
}

int main(void)
{
    words = fake_format(0);
    longs = fake_format(1);
    test_tokenizer();
    test_ciphers();
    test_values();
    test_flat();
    test_invalid();
    test_tweaks();
    test_grouped_rows();
    test_wiping();
    CHECK_ABOUT("memory");
    CHECK_EQUAL(heap.out, 0);
    return check_end("tokens");
}
