/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudonyms: known ones, and columns beside one value at a time. */
#include "random.h"
#include "tokens_calls.h"

static const uint8_t vector_key[] = {0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40,
                                     0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48};

static tally_format *new_format(const char *description)
{
    tally_format *format;
    CHECK_EQUAL(tally_format_new(&allocator, description, strlen(description), &format, &problem),
                TALLY_OK);
    return format;
}

static void one(tally_worker *worker, const char *value, const char *tweak, char out[80])
{
    size_t size = 0;
    tally_fault fault;
    CHECK_EQUAL(tally_protect_value(worker, (const uint8_t *)value, strlen(value),
                                    (const uint8_t *)tweak, tweak == NULL ? 0 : strlen(tweak),
                                    (uint8_t *)out, 79, &size, &fault),
                TALLY_OK);
    out[size] = '\0';
}

static void test_known(void)
{
    static const char *const known[][3] = {
        {"Anne O'Neill", "tli4b7i3cq5ndrxmi3sr3vqqpj", "jnf7xspsdy6paag5gv7vmphxqk"},
        {"", "mfu5k62stq3tzkq34u6ihltslu", "cxbiv6otc4dpf6x5ltglwa6uxp"},
        {"abc", "us4o7nakq7idkbldcxksdaqfje", "i6gzxk6dd6r3cargphz3umzooa"},
    };
    tally_format *format = new_format("\"pseudonym\"");
    tally_tokenizer *tokenizer;
    CHECK_EQUAL(tally_tokenizer_new(&allocator, format, vector_key, 16, "n", 1, TALLY_INVALID_ERROR,
                                    &tokenizer, &problem),
                TALLY_OK);
    tally_worker *worker = new_worker(tokenizer);
    for (size_t i = 0; i < 3; i++) {
        char out[80];
        CHECK_ABOUT("known %s", known[i][0]);
        one(worker, known[i][0], NULL, out);
        CHECK(strcmp(out, known[i][1]) == 0);
        one(worker, known[i][0], "", out);
        CHECK(strcmp(out, known[i][2]) == 0);
    }
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
}

static void test_columns(const char *description)
{
    enum { ROWS = 2500 };
    static char texts[ROWS][200];
    static const char *values[ROWS], *tweaks[ROWS];
    tally_format *format = new_format(description);
    pair it = pair_new(format, TALLY_INVALID_NULL);
    for (int i = 0; i < ROWS; i++) {
        const size_t size = random_below(i % 9 == 0 ? 199 : 30);
        for (size_t j = 0; j < size; j++) {
            texts[i][j] = (char)('!' + random_below(90));
        }
        texts[i][size] = '\0';
        values[i] = random_below(20) == 0 ? NULL : texts[i];
        tweaks[i] = random_below(20) == 0 ? NULL : texts[random_below((uint64_t)i + 1)];
    }
    made *column = made_text("u", values, ROWS), *own = made_text("U", tweaks, ROWS);
    for (int by_row = 0; by_row < 2; by_row++) {
        CHECK_ABOUT("%s, tweaks %d", description, by_row);
        struct ArrowArray out;
        CHECK_EQUAL(protect(it.worker, column, by_row ? own : NULL, &out), TALLY_OK);
        for (int i = 0; i < ROWS; i++) {
            char expected[80];
            const char *row = made_row(&column->schema, &out, i);
            if (values[i] == NULL || (by_row && tweaks[i] == NULL)) {
                CHECK(row == NULL);
                continue;
            }
            one(it.worker, values[i], by_row ? tweaks[i] : NULL, expected);
            CHECK(row != NULL && strcmp(row, expected) == 0);
        }
        out.release(&out);
        CHECK_EQUAL(tally_reveal_array(it.worker, &column->schema, &column->array, NULL, NULL, &out,
                                       NULL, &invalid, &problem),
                    TALLY_ERROR_ONE_WAY);
        CHECK(out.release == NULL);
    }
    made_free(column);
    made_free(own);
    pair_free(&it);
    tally_format_free(format);
}

/* A tweak that is too long makes a value invalid, which stays. */
static void test_long_tweak(void)
{
    CHECK_ABOUT("a long tweak");
    static char tweak[1200];
    memset(tweak, 'x', sizeof tweak - 1);
    tally_format *format = new_format("\"pseudonym\"");
    pair it = pair_new(format, TALLY_INVALID_KEEP);
    made *column = made_text("u", (const char *const[]){"anne"}, 1);
    made *own = made_text("u", (const char *const[]){tweak}, 1);
    struct ArrowArray out;
    CHECK_EQUAL(protect(it.worker, column, own, &out), TALLY_OK);
    CHECK_EQUAL(counts.invalid[TALLY_REASON_TWEAK], 1);
    CHECK(strcmp(made_row(&column->schema, &out, 0), "anne") == 0);
    out.release(&out);
    uint8_t result[64];
    size_t size;
    tally_fault fault;
    CHECK_EQUAL(tally_protect_value(it.worker, (const uint8_t *)"anne", 4, (const uint8_t *)tweak,
                                    1199, result, 64, &size, &fault),
                TALLY_OK);
    CHECK(fault.reason == TALLY_REASON_TWEAK && size == 4);
    made_free(column);
    made_free(own);
    pair_free(&it);
    tally_format_free(format);
}

static void test_refused(void)
{
    static const char *const refused[][3] = {
        {"{\"type\":\"pseudonym\",\"length\":12}", "length",
         "pseudonym: length must be 13..51 in base32"},
        {"{\"type\":\"pseudonym\",\"length\":15,\"notation\":\"hex\"}", "",
         "pseudonym: length must be 16..64 in hex"},
        {"{\"type\":\"pseudonym\",\"length\":65,\"notation\":\"hex\"}", "length",
         "pseudonym: length must be 16..64 in hex"},
        {"{\"type\":\"pseudonym\",\"length\":10,\"notation\":\"base64url\"}", "length",
         "pseudonym: length must be 11..42 in base64url"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_ABOUT("%s", refused[i][0]);
        tally_format *format;
        CHECK_EQUAL(
            tally_format_new(&allocator, refused[i][0], strlen(refused[i][0]), &format, &problem),
            TALLY_ERROR_FORMAT);
        CHECK(format == NULL && strcmp(problem.place, refused[i][1]) == 0);
        CHECK(strcmp(problem.text, refused[i][2]) == 0);
    }
    tally_format *format = new_format("{\"type\":\"pseudonym\",\"notation\":\"base64url\"}");
    CHECK(tally_format_may_be_formula(format) && tally_format_is_one_way(format));
    CHECK(strcmp(tally_format_identity(format), "[\"pseudonym\",\"base64url\",26]") == 0);
    tally_format_free(format);
}

int main(void)
{
    test_known();
    test_columns("\"pseudonym\"");
    test_columns("{\"type\":\"pseudonym\",\"notation\":\"base32\",\"length\":51}");
    test_columns("{\"type\":\"pseudonym\",\"notation\":\"hex\",\"length\":64}");
    test_columns("{\"type\":\"pseudonym\",\"notation\":\"base64url\",\"length\":42}");
    test_long_tweak();
    test_refused();
    CHECK_EQUAL(heap.out, 0);
    return check_end("pseudonyms");
}
