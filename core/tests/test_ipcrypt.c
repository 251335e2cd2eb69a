/* SPDX-License-Identifier: Apache-2.0
 *
 * ipcrypt: a vector of each mode, columns beside single values, tweaks, and keys that are refused.
 * vectors/ipcrypt.json has all vectors; Python and Go read it. */
#include "random.h"
#include "tokens_calls.h"

static const uint8_t keys[32] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba,
                                 0x98, 0x76, 0x54, 0x32, 0x10, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba,
                                 0xdc, 0xfe, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};

static const uint8_t tweaks[2][16] = {{0x08, 0xe0, 0xc2, 0x89, 0xbf, 0xf2, 0x3b, 0x7c},
                                      {0x21, 0xbd, 0x18, 0x34, 0xbc, 0x08, 0x8c, 0xd2, 0xb4, 0xec,
                                       0xbe, 0x30, 0xb7, 0x08, 0x98, 0xd7}};

static const struct {
    const char *description, *value, *token;
    size_t key_size;
    const uint8_t *tweak;
    size_t tweak_size;
} modes[] = {
    {"\"ipcrypt\"", "0.0.0.0", "bde9:6789:d353:824c:d7c6:f58a:6bd2:26eb", 16, NULL, 0},
    {"{\"type\": \"ipcrypt\", \"mode\": \"nd\"}", "0.0.0.0",
     "08e0c289bff23b7cb349aadfe3bcef56221c384c7c217b16", 16, tweaks[0], 8},
    {"{\"type\": \"ipcrypt\", \"mode\": \"ndx\"}", "0.0.0.0",
     "21bd1834bc088cd2b4ecbe30b70898d782db0d4125fdace61db35b8339f20ee5", 32, tweaks[1], 16},
    {"{\"type\": \"ipcrypt\", \"mode\": \"pfx\"}", "192.0.2.1", "100.115.72.131", 32, NULL, 0},
    {"{\"type\": \"ipcrypt\", \"mode\": \"pfx\"}", "2001:db8::1",
     "c180:5dd4:2587:3524:30ab:fa65:6ab6:f88", 32, NULL, 0},
};

enum { MODES = sizeof modes / sizeof *modes };

static tally_format *ipcrypt_format(size_t mode)
{
    tally_format *format;
    const char *description = modes[mode].description;
    CHECK_EQUAL(tally_format_new(&allocator, description, strlen(description), &format, &problem),
                TALLY_OK);
    return format;
}

static tally_tokenizer *ipcrypt_tokenizer(size_t mode, const tally_format *format)
{
    tally_tokenizer *tokenizer;
    CHECK_EQUAL(tally_tokenizer_new(&allocator, format, keys, modes[mode].key_size, "n", 1,
                                    TALLY_INVALID_ERROR, &tokenizer, &problem),
                TALLY_OK);
    return tokenizer;
}

static tally_reason run_one(tally_worker *worker, int reveal, const char *value,
                            const uint8_t *tweak, size_t tweak_size, char out[80])
{
    size_t size = 0;
    tally_fault fault;
    const tally_status status =
        reveal ? tally_reveal_value(worker, (const uint8_t *)value, strlen(value), tweak,
                                    tweak_size, (uint8_t *)out, 79, &size, &fault)
               : tally_protect_value(worker, (const uint8_t *)value, strlen(value), tweak,
                                     tweak_size, (uint8_t *)out, 79, &size, &fault);
    CHECK_EQUAL(status, TALLY_OK);
    out[size] = '\0';
    return fault.reason;
}

static void test_known(size_t mode)
{
    tally_format *format = ipcrypt_format(mode);
    tally_tokenizer *tokenizer = ipcrypt_tokenizer(mode, format);
    tally_worker *worker = new_worker(tokenizer);
    const uint8_t *tweak = modes[mode].tweak;
    const size_t tweak_size = modes[mode].tweak_size;
    char out[80], back[80];
    CHECK_ABOUT("mode %zu", mode);
    CHECK_EQUAL(run_one(worker, 0, modes[mode].value, tweak, tweak_size, out), 0);
    CHECK(strcmp(out, modes[mode].token) == 0);
    CHECK_EQUAL(run_one(worker, 1, out, NULL, 0, back), 0);
    CHECK(strcmp(back, modes[mode].value) == 0);

    /* Without a tweak of the row's own there is a random one; a wrong one is refused. */
    CHECK_EQUAL(run_one(worker, 0, modes[mode].value, NULL, 0, out), 0);
    CHECK((strcmp(out, modes[mode].token) == 0) == (tweak == NULL));
    CHECK_EQUAL(run_one(worker, 1, out, NULL, 0, back), 0);
    CHECK(strcmp(back, modes[mode].value) == 0);
    CHECK_EQUAL(run_one(worker, 0, modes[mode].value, keys, 7, out), TALLY_REASON_TWEAK);
    CHECK_EQUAL(run_one(worker, 1, modes[mode].token, keys, tweak_size == 8 ? 8 : 16, out),
                TALLY_REASON_TWEAK);
    CHECK_EQUAL(run_one(worker, 0, "1.2.3.256", tweak, tweak_size, out), TALLY_REASON_NOTATION);
    CHECK_EQUAL(run_one(worker, 1, "", tweak, tweak_size, out), TALLY_REASON_NOTATION);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
}

/* Any text is an address or none, and what is one comes back. */
static void test_any(size_t mode)
{
    static const char symbols[] = "0123459af:::...";
    tally_format *format = ipcrypt_format(mode);
    tally_tokenizer *tokenizer = ipcrypt_tokenizer(mode, format);
    tally_worker *worker = new_worker(tokenizer);
    unsigned accepted = 0;
    for (unsigned i = 0; i < 20000; i++) {
        char value[80], token[80], back[80];
        if (i % 2 == 0) {
            (void)snprintf(value, sizeof value, "%u.%u.%u.%u", random_below(300), random_below(300),
                           random_below(12), random_below(300));
        } else {
            const size_t size = random_below(9);
            for (size_t k = 0; k < size; k++) {
                value[k] = symbols[random_below(sizeof symbols - 1)];
            }
            value[size] = '\0';
        }
        CHECK_ABOUT("mode %zu, %s", mode, value);
        if (run_one(worker, 0, value, NULL, 0, token) == 0) {
            accepted++;
            CHECK_EQUAL(run_one(worker, 1, token, NULL, 0, back), 0);
            CHECK(strcmp(value, back) == 0);
        }
    }
    CHECK(accepted > 1000);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
}

static void test_keys(size_t mode)
{
    static const uint8_t equal[32] = {0};
    tally_format *format = ipcrypt_format(mode);
    tally_tokenizer *tokenizer;
    const size_t size = modes[mode].key_size;
    CHECK_EQUAL(tally_format_key_size(format), size);
    CHECK_EQUAL(tally_format_algorithm(format), (mode < 4 ? mode + 1 : 4) << 8);
    CHECK_EQUAL(tally_tokenizer_new(&allocator, format, keys, 48 - size, "n", 1,
                                    TALLY_INVALID_ERROR, &tokenizer, &problem),
                TALLY_ERROR_KEY_SIZE);
    CHECK(strstr(problem.text, "needs a key of") != NULL);
    if (mode >= 3) {
        CHECK_EQUAL(tally_tokenizer_new(&allocator, format, equal, 32, "n", 1, TALLY_INVALID_ERROR,
                                        &tokenizer, &problem),
                    TALLY_ERROR_ARGUMENT);
        CHECK(strstr(problem.text, "halves differ") != NULL);
    }
    tally_format_free(format);
}

int main(void)
{
    for (size_t mode = 0; mode < MODES; mode++) {
        test_known(mode);
        test_any(mode);
        test_keys(mode);
    }
    CHECK_EQUAL(heap.out, 0);
    return check_end("ipcrypt");
}
