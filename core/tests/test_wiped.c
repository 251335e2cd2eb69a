/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of real formats: when a result is released, no value is in any memory that a tokenizer or
 * its worker had. */
#include "tallystick/formats.h"
#include "tokens_calls.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define LOOK_AT(memory, size) __msan_unpoison(memory, size)
#endif
#endif
#ifndef LOOK_AT
#define LOOK_AT(memory, size) ((void)0)
#endif

enum { PIECES = 4096, ROWS = 200 };

/* Memory that is given back stays as it was, to be looked at. */
static struct {
    uint8_t *memory;
    size_t size;
} pieces[PIECES];
static size_t pieces_count;

static void *keep_allocate(void *context, size_t size)
{
    (void)context;
    uint8_t *memory = pieces_count < PIECES ? malloc(size) : NULL;
    if (memory != NULL) {
        memset(memory, 0xa5, size);
        pieces[pieces_count].memory = memory;
        pieces[pieces_count++].size = size;
    }
    return memory;
}

static void keep_release(void *context, void *memory, size_t size)
{
    (void)context, (void)memory, (void)size;
}

/* Whether any of it holds a text. */
static bool keep_holds(const char *text)
{
    const size_t own = strlen(text);
    for (size_t i = 0; i < pieces_count; i++) {
        const uint8_t *at = pieces[i].memory, *const end = at + pieces[i].size;
        LOOK_AT(at, pieces[i].size); /* what nobody has written is looked at as well */
        while ((at = memchr(at, text[0], (size_t)(end - at))) != NULL) {
            if ((size_t)(end - at) >= own && memcmp(at, text, own) == 0) {
                return true;
            }
            at++;
        }
    }
    return false;
}

/* A format, a value, and a part of it that no token has but by a chance below 2^-20. */
static const struct {
    const char *description, *value, *part;
} cases[] = {
    {"\"card\"", "4111 1111 1111 1111", "4111 1111"},
    {"\"letters\"", "Elizabeth Taylor", "Elizabeth"},
    {"\"email\"", "elizabeth@example.org", "elizabeth"},
    {"{\"type\": \"email\", \"part\": \"all\"}", "elizabeth@example.org", "elizabeth"},
    {"\"unicode\"", "Elizabeth T\xc3\xa4ylor", "Elizabeth"},
    {"{\"type\": \"unicode\", \"script\": \"latin\"}", "Elizabeth T\xc3\xa4ylor", "Elizabeth"},
    {"{\"type\": \"unicode\", \"script\": \"japanese\"}",
     "\xe5\xb1\xb1\xe7\x94\xb0 \xe3\x81\x95\xe3\x81\x8f\xe3\x82\x89",
     "\xe5\xb1\xb1\xe7\x94\xb0 \xe3\x81\x95\xe3\x81\x8f"},
    {"\"iban\"", "DE89370400440532013000", "370400440532"},
    {"{\"type\": \"phone\", \"country\": \"DE\"}", "030 90182012", "30 90182012"},
    {"\"uuid\"", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "f81d4fae-7dec"},
    {"\"ipv4\"", "198.51.100.217", "198.51.100.2"},
    {"\"ipv6\"", "2001:db8:1234:5678::7", "1234:5678"},
    {"\"timestamp\"", "1987-06-05T03:02:01", "1987-06-05T03:02:01"},
    {"{\"type\": \"decimal\", \"min\": 0, \"max\": 1000000000, \"scale\": 2}", "987654321.12",
     "987654321"},
    {"{\"type\": \"integer\", \"min\": 0, \"max\": 1000000000000}", "987654321012", "987654321012"},
    {"{\"type\": \"pattern\", \"pattern\": \"AAAA-9999-A\"}", "KBKB-4821-X", "KBKB-4821"},
    {"{\"type\": \"national_id\", \"kind\": \"de.idnr\"}", "36 574 261 809", "6 574 261 8"},
    {"{\"type\": \"ssn\", \"assignable\": true}", "078-05-1120", "078-05-1120"},
};

static void check(size_t which, int rows, int tweaked)
{
    const char *texts[ROWS], *tweaks_texts[ROWS];
    static char numbers[ROWS][8];
    tally_format *format = NULL;
    tally_tokenizer *tokenizer = NULL;
    tally_worker *worker = NULL;
    const tally_allocator keep = {keep_allocate, keep_release, NULL};
    const char *description = cases[which].description;
    CHECK_ABOUT("%s, %d rows, tweaks %d", description, rows, tweaked);
    CHECK_EQUAL(tally_format_new(NULL, description, strlen(description), &format, &problem),
                TALLY_OK);
    CHECK_EQUAL(tally_tokenizer_new(&keep, format, key, sizeof key, "n", 1, TALLY_INVALID_NULL,
                                    &tokenizer, &problem),
                TALLY_OK);
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    for (int i = 0; i < rows; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%d", i);
        texts[i] = i % 7 == 3 ? "!SECRETVALUE!" : cases[which].value;
        tweaks_texts[i] = numbers[tweaked == 1 ? 0 : i];
    }
    made *values = made_text("u", texts, (size_t)rows);
    made *tweaks = tweaked ? made_text("u", tweaks_texts, (size_t)rows) : NULL;
    struct ArrowArray out, back;
    CHECK_EQUAL(protect(worker, values, tweaks, &out), TALLY_OK);
    CHECK(!keep_holds(cases[which].part) && !keep_holds("SECRETVALUE"));
    CHECK_EQUAL(
        tally_reveal_array(worker, &values->schema, &out, tweaks == NULL ? NULL : &tweaks->schema,
                           tweaks == NULL ? NULL : &tweaks->array, &back, NULL, &invalid, &problem),
        TALLY_OK);
    CHECK(keep_holds(cases[which].part));
    back.release(&back);
    CHECK(!keep_holds(cases[which].part));
    out.release(&out);
    made_free(values);
    made_free(tweaks);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    while (pieces_count > 0) {
        free(pieces[--pieces_count].memory);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int tweaked = 0; tweaked < 3; tweaked++) {
            check(i, 1, tweaked);
            check(i, ROWS, tweaked);
        }
    }
    return check_end("wiped");
}
