/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens in text: vectors, what a restorer finds and leaves alone, text cut at every byte, limits at
 * their maximum, and how often an invented token is revealed. */
#include <stdlib.h>

#include "check.h"
#include "json.h"
#include "tallystick/policy.h"
#include "text/text.h"

enum { CAPACITY = 1 << 20 };

static uint8_t given[CAPACITY], restored[4 * CAPACITY];
static const uint8_t plain_key[32] = {1, 2, 3};

static tally_text_key new_key(const char *space, uint32_t bits)
{
    tally_text_key key;
    CHECK_EQUAL(tally_text_key_init(plain_key, 32, (const uint8_t *)space, strlen(space), NULL, 0,
                                    bits, &key),
                TALLY_OK);
    return key;
}

static tally_text_restorer *new_restorer(const tally_text_key *key, tally_text_context context)
{
    tally_text_restorer *made = NULL;
    CHECK_EQUAL(tally_text_restorer_new(NULL, &key, 1, context, &made), TALLY_OK);
    return made;
}

/* Restores a text in chunks of `step` bytes; returns the size of the result. */
static size_t restore_by(tally_text_restorer *restorer, const uint8_t *text, size_t size,
                         size_t step, uint8_t *out)
{
    size_t written = 0, part = 0;
    for (size_t at = 0; at < size; at += step) {
        const size_t chunk = size - at < step ? size - at : step;
        CHECK_EQUAL(tally_text_restore(restorer, text + at, chunk, 0, out + written,
                                       tally_text_restore_capacity(restorer, chunk), &part),
                    TALLY_OK);
        written += part;
    }
    CHECK_EQUAL(tally_text_restore(restorer, NULL, 0, 1, out + written,
                                   tally_text_restore_capacity(restorer, 0), &part),
                TALLY_OK);
    return written + part;
}

static void test_vectors(void)
{
    static uint8_t key[32], value[TALLY_TEXT_VALUE_SIZE_MAX], token[TALLY_TEXT_TOKEN_SIZE_MAX],
        made[TALLY_TEXT_TOKEN_SIZE_MAX];
    json_file *file = json_load(TALLY_VECTORS "/text_tokens.json");
    CHECK(json_count(file) >= 8);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        const char *const space = json_string(c, "namespace"),
                          *const scope = json_string(c, "scope"),
                          *const kind = json_string(c, "kind");
        const size_t key_size = json_hex(c, "key", key, sizeof key),
                     size = json_hex(c, "value", value, sizeof value),
                     token_size = json_hex(c, "token", token, sizeof token);
        const char *const written = json_string(c, "frame");
        const tally_text_frame frame = strcmp(written, "ascii") == 0   ? TALLY_TEXT_ASCII
                                       : strcmp(written, "email") == 0 ? TALLY_TEXT_EMAIL
                                                                       : TALLY_TEXT_UNICODE;
        tally_text_key own;
        size_t made_size = 0;
        CHECK_ABOUT("vector %zu", i);
        CHECK_EQUAL(tally_text_key_init(key, key_size, (const uint8_t *)space, strlen(space),
                                        (const uint8_t *)scope, strlen(scope),
                                        (uint32_t)json_int(c, "check_bits"), &own),
                    TALLY_OK);
        CHECK_EQUAL(
            tally_text_protect(&own, frame, kind, strlen(kind), value, size, made, &made_size),
            TALLY_OK);
        CHECK_EQUAL(made_size, token_size);
        CHECK_BYTES(made, token, token_size);
        tally_text_restorer *restorer = new_restorer(&own, TALLY_TEXT_PLAIN);
        CHECK_EQUAL(restore_by(restorer, token, token_size, 1, restored), size);
        CHECK_BYTES(restored, value, size);
        CHECK_EQUAL(tally_text_restored(restorer), 1);
        tally_text_restorer_free(restorer);
        tally_text_key_wipe(&own);
    }
    json_free(file);
    CHECK_ABOUT("%s", "");
}

/* The token of jane@example.org in a frame, zero-terminated. */
static char *jane(const tally_text_key *key, tally_text_frame frame)
{
    static char token[3][200];
    size_t size = 0;
    CHECK_EQUAL(tally_text_protect(key, frame, "email", 5, (const uint8_t *)"jane@example.org", 16,
                                   (uint8_t *)token[frame], &size),
                TALLY_OK);
    token[frame][size] = '\0';
    return token[frame];
}

/* A text restores to another, in one chunk and cut anywhere, and leaves the restorer fresh. */
static void check_text(const tally_text_key *key, tally_text_context context, const char *text,
                       const char *expected)
{
    const size_t size = strlen(text), wanted = strlen(expected);
    tally_text_restorer *restorer = new_restorer(key, context);
    CHECK_ABOUT("%.150s", text);
    for (size_t step = size + 1; step >= 1; step--) {
        const size_t got = restore_by(restorer, (const uint8_t *)text, size, step, restored);
        CHECK_EQUAL(got, wanted);
        CHECK_BYTES(restored, expected, wanted);
    }
    tally_text_restorer_free(restorer);
    CHECK_ABOUT("%s", "");
}

/* Every "$" of a pattern stands for a token, as it is or with changes; in the result for a value. */
static void check_pattern(const tally_text_key *key, const char *token, const char *before,
                          const char *behind)
{
    char text[1000], expected[1000];
    snprintf(text, sizeof text, "%s%s%s", before, token, behind);
    snprintf(expected, sizeof expected, "%sjane@example.org%s", before, behind);
    check_text(key, TALLY_TEXT_PLAIN, text, expected);
}

static void test_surroundings(const tally_text_key *key)
{
    static const char *const around[][2] = {
        {"", ""},
        {"mail ", " now"},
        {"**", "**"},
        {"`", "`."},
        {"\"", "\""},
        {"(", ")"},
        {"a", "b"},
        {"\\n", "\\n"},
        {"\\\"", "\\\""},
        {"C:\\", "\\x"},
        {"\xe2\x9f\xa6", "\xe2\x9f\xa6"},
        {"\xe2\x9f\xa6"
         "email:",
         "x"},
        {"tly-", "tly-"},
        {"tly-email-", ""},
        {"tl", "tl"},
        {"&", "&amp;"},
        {"&#10214", "%"},
        {"\xe2\x9f", "\xe2"},
        {"tly-email-0000000", "="},
        {"\xff", "\xff\xfe"},
        {"<p>", "</p>"},
        {"> ", "\r\n> "},
    };
    for (int frame = TALLY_TEXT_UNICODE; frame <= TALLY_TEXT_EMAIL; frame++) {
        const char *const token = jane(key, (tally_text_frame)frame);
        for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
            check_pattern(key, token, around[i][0], around[i][1]);
        }
    }
}

/* A copy of a text with `with` in the place of `what`. */
static const char *replaced(const char *text, const char *what, const char *with)
{
    static char out[4000];
    char *at = out;
    while (*text != '\0') {
        if (strncmp(text, what, strlen(what)) == 0) {
            at += sprintf(at, "%s", with);
            text += strlen(what);
        } else {
            *at++ = *text++;
        }
    }
    *at = '\0';
    return out;
}

static void test_changes(const tally_text_key *key)
{
    static const char *const changes[][2] = {
        {"\xe2\x9f\xa6", "&#10214;"},
        {"\xe2\x9f\xa6", "&#x27E6;"},
        {"\xe2\x9f\xa6", "&amp;#x27e6;"},
        {"\xe2\x9f\xa6", "&lobrk;"},
        {"\xe2\x9f\xa6", "\\u27e6"},
        {"\xe2\x9f\xa6", "\\\\u27E6"},
        {"\xe2\x9f\xa6", "\\\\\\\\\\\\\\\\u27e6"}, /* the most */
        {"\xe2\x9f\xa6", "%E2%9F%A6"},
        {"\xe2\x9f\xa6", "%25e2%259f%25a6"},
        {"\xe2\x9f\xa6", "=E2=9F=A6"},
        {"\xe2\x9f\xa6", "\xe2\x9f\xa6 "},
        {"\xe2\x9f\xa7", "&#10215;"},
        {"\xe2\x9f\xa7", "\\u27e7"},
        {"\xe2\x9f\xa7", "\r\n > \xe2\x9f\xa7"},
        {"\xe2\x9f\xa7", ""}, /* the size tells the end */
        {":", "&colon;"},
        {":", "\\:"},
        {":", "%3a"},
        {":", ": "},
        {":", "\xef\xbc\x9a"},
        {"-", "\\-"},
        {"-", "\xe2\x80\x91"},
        {"-", "-\n> > "},
        {"-", "-=\r\n"},
        {"-", "&#45;"},
        {"email", "E-mail"}, /* not in ASCII, see below */
        {"email", "correo\xc3\xa9"},
        {"email", "e\xc2\xadmail"},
        {"email", "em\xe2\x80\x8b"
                  "ail"},
        {"ema", "e&shy;m<wbr>a"},
        {"@", "&commat;"},
        {"@", "%40"},
        {"@", "\\u0040"},
        {"@", "\xef\xbc\xa0"},
        {"l.", "l&period;"},
        {"l.", "l\\."},
        {"tly.ex", "TLY. Ex"},
    };
    for (int frame = TALLY_TEXT_UNICODE; frame <= TALLY_TEXT_EMAIL; frame++) {
        const char *const token = jane(key, (tally_text_frame)frame);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            const char *const text = replaced(token, changes[i][0], changes[i][1]);
            const int lost =
                strcmp(changes[i][1], "E-mail") == 0 ||
                (frame != TALLY_TEXT_UNICODE && strstr(changes[i][1], "correo") != NULL);
            check_text(key, TALLY_TEXT_PLAIN, text, lost ? text : "jane@example.org");
        }
        char upper[200], wrapped[1000];
        size_t end = 0;
        for (size_t i = 0; i <= strlen(token); i++) {
            const char c = token[i];
            upper[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        check_text(key, TALLY_TEXT_PLAIN, upper, "jane@example.org");
        for (size_t i = 0; i < strlen(token); i++) {
            wrapped[end++] = token[i];
            if (i > 20 && i % 7 == 0 && token[i] > 0 && i + 1 < strlen(token)) {
                end += (size_t)sprintf(wrapped + end, "\r\n > ");
            }
        }
        wrapped[end] = '\0';
        check_text(key, TALLY_TEXT_PLAIN, wrapped, "jane@example.org");
    }
}

/* Whatever is not a token of the key stays as it is. */
static void test_left_alone(const tally_text_key *key)
{
    char text[1000];
    const tally_text_key other = new_key("other", 64);
    for (int frame = TALLY_TEXT_UNICODE; frame <= TALLY_TEXT_EMAIL; frame++) {
        const char *const token = jane(key, (tally_text_frame)frame);
        const size_t size = strlen(token), head = frame == TALLY_TEXT_UNICODE ? 9 : 10;
        check_text(&other, TALLY_TEXT_PLAIN, token, token);
        for (size_t i = head; i < head + 40; i++) { /* a symbol changed, left out, twice */
            snprintf(text, sizeof text, "%s", token);
            text[i] = text[i] == '7' ? '8' : '7';
            check_text(key, TALLY_TEXT_PLAIN, text, text);
            snprintf(text, sizeof text, "%.*s%s", (int)i, token, token + i + 1);
            check_text(key, TALLY_TEXT_PLAIN, text, text);
            text[i] = 'u';
            check_text(key, TALLY_TEXT_PLAIN, text, text);
            snprintf(text, sizeof text, "%.*s", (int)i, token);
            check_text(key, TALLY_TEXT_PLAIN, text, text);
        }
        CHECK(size > head + 40);
    }
    check_text(key, TALLY_TEXT_PLAIN, "tly-tly-tly-email-\xe2\x9f\xa6tly:000\xe2\x9f\xa7",
               "tly-tly-tly-email-\xe2\x9f\xa6tly:000\xe2\x9f\xa7");
}

/* Addresses: of any size that there is room for, with a domain that was lost or goes on as another
 * token, and values that are none. */
static void test_addresses(const tally_text_key *key)
{
    static const char *const others[] = {"jane", "@jane", "jane@", "a@b@c", "@"};
    char text[1000], token[TALLY_TEXT_TOKEN_SIZE_MAX + 1];
    size_t size = 0;
    const char *const made = jane(key, TALLY_TEXT_EMAIL), *const at = strchr(made, '@');
    CHECK(at != NULL && strcmp(at, "@tly.example") == 0);
    static const char *const behind[] = {"",     "@", "@tly", "@tly.exampl", "@tly.exampla",
                                         ".org", "@@"};
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        char expected[200];
        snprintf(text, sizeof text, "%.*s%s", (int)(at - made), made, behind[i]);
        snprintf(expected, sizeof expected, "jane@example.org%s", behind[i]);
        check_text(key, TALLY_TEXT_PLAIN, text, expected);
    }
    snprintf(text, sizeof text, "%.*s@%s %s", (int)(at - made), made, jane(key, TALLY_TEXT_ASCII),
             made);
    check_text(key, TALLY_TEXT_PLAIN, text, "jane@example.org@jane@example.org jane@example.org");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK_EQUAL(tally_text_protect(key, TALLY_TEXT_EMAIL, "email", 5,
                                       (const uint8_t *)others[i], strlen(others[i]),
                                       (uint8_t *)token, &size),
                    TALLY_OK);
        token[size] = '\0';
        CHECK(memcmp(token, "tly-email-", 10) == 0 && strchr(token, '@') == NULL);
        check_text(key, TALLY_TEXT_PLAIN, token, others[i]);
    }
    int shapes[2] = {0, 0};
    for (size_t length = 3; length < 300; length++) {
        char value[301];
        memset(value, 'a', length);
        value[length / 2] = '@';
        value[length] = '\0';
        CHECK_EQUAL(tally_text_protect(key, TALLY_TEXT_EMAIL, "email", 5, (const uint8_t *)value,
                                       length, (uint8_t *)token, &size),
                    TALLY_OK);
        token[size] = '\0';
        const char *const sign = strchr(token, '@');
        shapes[sign != NULL]++;
        CHECK(sign == NULL || (sign - token <= 64 && size <= 254));
        for (const char *label = sign; label != NULL; label = strchr(label + 1, '.')) {
            const size_t own = strcspn(label + 1, ".");
            CHECK(own >= 1 && own <= 63);
        }
        tally_text_restorer *restorer = new_restorer(key, TALLY_TEXT_PLAIN);
        CHECK_EQUAL(restore_by(restorer, (const uint8_t *)token, size, 7, restored), length);
        CHECK_BYTES(restored, value, length);
        tally_text_restorer_free(restorer);
    }
    CHECK(shapes[0] > 100 && shapes[1] > 100);
}

static void test_contexts(const tally_text_key *key)
{
    static const char value[] = "\"\\</script>\n&'`\x7f";
    char token[300];
    size_t size = 0;
    CHECK_EQUAL(tally_text_protect(key, TALLY_TEXT_UNICODE, "x", 1, (const uint8_t *)value,
                                   strlen(value), (uint8_t *)token, &size),
                TALLY_OK);
    token[size] = '\0';
    check_text(key, TALLY_TEXT_PLAIN, token, value);
    check_text(key, TALLY_TEXT_JSON, token, "\\\"\\\\\\u003c/script\\u003e\\u000a\\u0026'`\\u007f");
    check_text(key, TALLY_TEXT_HTML, token, "&quot;\\&lt;/script&gt;\n&amp;&#39;&#96;\x7f");
}

static void test_limits(const tally_text_key *key)
{
    static uint8_t value[TALLY_TEXT_VALUE_SIZE_MAX + 1], token[TALLY_TEXT_TOKEN_SIZE_MAX];
    const tally_text_key wide = new_key("n", 128), *keys[TALLY_TEXT_KEYS_MAX + 1];
    char kind[34];
    size_t size = 0, token_size = 0;
    tally_text_restorer *restorer = NULL;
    tally_text_key unused;
    memset(kind, 'k', sizeof kind);
    memset(value, '\1', sizeof value); /* six bytes each in JSON */
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, kind, 33, value, 1, token, &size),
                TALLY_ERROR_TEXT_KIND);
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, kind, 0, value, 1, token, &size),
                TALLY_ERROR_TEXT_KIND);
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, "9a", 2, value, 1, token, &size),
                TALLY_ERROR_TEXT_KIND);
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, "tly", 3, value, 1, token, &size),
                TALLY_ERROR_TEXT_KIND);
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, kind, 1, value, 0, token, &size),
                TALLY_ERROR_TEXT_VALUE);
    CHECK_EQUAL(
        tally_text_protect(&wide, TALLY_TEXT_ASCII, kind, 1, value, sizeof value, token, &size),
        TALLY_ERROR_TEXT_VALUE);
    CHECK_EQUAL(tally_text_protect(&wide, (tally_text_frame)3, kind, 1, value, 1, token, &size),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(size, 0);
    CHECK_EQUAL(tally_text_key_init(plain_key, 20, value, 1, NULL, 0, 64, &unused),
                TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_text_key_init(plain_key, 32, value, 0, NULL, 0, 64, &unused),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_text_key_init(plain_key, 32, value, 257, NULL, 0, 64, &unused),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_text_key_init(plain_key, 32, value, 1, value, 257, 64, &unused),
                TALLY_ERROR_ARGUMENT);
    for (uint32_t bits = 0; bits < 140; bits++) {
        CHECK_EQUAL(tally_text_key_init(plain_key, 32, value, 256, value, 256, bits, &unused),
                    bits % 8 == 0 && bits >= 40 && bits <= 128 ? TALLY_OK
                                                               : TALLY_ERROR_TEXT_CHECK_BITS);
    }
    for (size_t i = 0; i <= TALLY_TEXT_KEYS_MAX; i++) {
        keys[i] = key;
    }
    CHECK_EQUAL(tally_text_restorer_new(NULL, keys, 0, TALLY_TEXT_PLAIN, &restorer),
                TALLY_ERROR_TEXT_KEYS);
    CHECK_EQUAL(
        tally_text_restorer_new(NULL, keys, TALLY_TEXT_KEYS_MAX + 1, TALLY_TEXT_PLAIN, &restorer),
        TALLY_ERROR_TEXT_KEYS);
    keys[1] = &wide;
    CHECK_EQUAL(tally_text_restorer_new(NULL, keys, 2, TALLY_TEXT_PLAIN, &restorer),
                TALLY_ERROR_TEXT_KEYS);
    CHECK_EQUAL(tally_text_restorer_new(NULL, keys, 1, (tally_text_context)3, &restorer),
                TALLY_ERROR_ARGUMENT);
    CHECK(restorer == NULL);

    /* The longest token, every character a reference of HTML. */
    CHECK_EQUAL(tally_text_protect(&wide, TALLY_TEXT_ASCII, kind, 32, value, sizeof value - 1,
                                   token, &token_size),
                TALLY_OK);
    CHECK(token_size <= TALLY_TEXT_TOKEN_SIZE_MAX);
    size = 0;
    for (size_t i = 0; i < token_size; i++) {
        size += (size_t)sprintf((char *)given + size, "&#x%02x;", token[i]);
    }
    CHECK(size <= TALLY_TEXT_HELD_MAX);
    restorer = new_restorer(&wide, TALLY_TEXT_JSON);
    for (size_t step = 1; step <= size; step += 9973) {
        CHECK_EQUAL(restore_by(restorer, given, size, step, restored),
                    6 * TALLY_TEXT_VALUE_SIZE_MAX);
        CHECK_BYTES(restored, "\\u0001\\u0001", 12);
    }
    CHECK_EQUAL(tally_text_restore(restorer, token, token_size, 0, restored,
                                   tally_text_restore_capacity(restorer, token_size) - 1, &size),
                TALLY_ERROR_ARGUMENT);
    tally_text_restorer_free(restorer);
    tally_text_restorer_free(NULL);
    tally_text_key_wipe(&unused);
}

static void *no_memory(void *context, size_t size)
{
    (void)context;
    (void)size;
    return NULL;
}

static void test_no_memory(const tally_text_key *key)
{
    const tally_allocator none = {no_memory, NULL, NULL};
    tally_text_restorer *restorer = NULL;
    CHECK_EQUAL(tally_text_restorer_new(&none, &key, 1, TALLY_TEXT_PLAIN, &restorer),
                TALLY_ERROR_MEMORY);
    CHECK(restorer == NULL);
    CHECK_EQUAL(tally_text_policy_check(&none, "{}", 2, NULL), TALLY_ERROR_MEMORY);
}

/* What is held back stays within its bound, and everything comes out. */
static void test_bounded(const tally_text_key *key)
{
    size_t size = 0, part = 0, written = 0;
    size += (size_t)sprintf((char *)given, "tly-a-3zz");
    while (size + 80 < CAPACITY / 4) { /* a body that never ends: gaps as wide as allowed */
        given[size++] = '7';
        memset(given + size, ' ', 64);
        size += 64;
    }
    tally_text_restorer *restorer = new_restorer(key, TALLY_TEXT_PLAIN);
    for (size_t i = 0; i < size; i++) {
        CHECK_EQUAL(tally_text_restore(restorer, given + i, 1, 0, restored + written,
                                       tally_text_restore_capacity(restorer, 1), &part),
                    TALLY_OK);
        written += part;
        CHECK(i + 1 - written <= TALLY_TEXT_HELD_MAX + 64);
    }
    CHECK_EQUAL(tally_text_restore(restorer, NULL, 0, 1, restored + written,
                                   tally_text_restore_capacity(restorer, 0), &part),
                TALLY_OK);
    CHECK_EQUAL(written + part, size);
    CHECK_BYTES(restored, given, size);
    tally_text_restorer_free(restorer);
}

/* A check of 8 bits, which no key may have, is passed by one of 256 invented tokens: the rest of the
 * 2^-bits follows from the same comparison. */
static void test_chance(void)
{
    enum { TRIALS = 1 << 18 };
    tally_text_key key = new_key("n", 64);
    key.check_size = 1;
    uint64_t state = 88172645463325252, opened = 0;
    for (int i = 0; i < TRIALS; i++) {
        uint8_t body[9];
        for (size_t k = 0; k < sizeof body; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            body[k] = (uint8_t)(state >> 24);
        }
        opened += tally_text_open(&key, body, 8) != 0;
    }
    CHECK(opened > 1024 - 160 && opened < 1024 + 160); /* five standard deviations */
    key.check_size = 5;
    uint64_t forty = 0;
    for (int i = 0; i < TRIALS; i++) {
        uint8_t body[13] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16)};
        forty += tally_text_open(&key, body, 8) != 0;
    }
    CHECK_EQUAL(forty, 0);
}

/* Text policies of vectors/text_policies.json, and why some are refused. */
static void test_policies(void)
{
    json_file *file = json_load(TALLY_VECTORS "/text_policies.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        const char *const json = json_string(c, "json"), *const message = json_string(c, "message");
        char says[sizeof(tally_problem) + 2] = "";
        tally_problem problem;
        const tally_status status = tally_text_policy_check(NULL, json, strlen(json), &problem);
        if (status != TALLY_OK) {
            CHECK_EQUAL(status, TALLY_ERROR_POLICY);
            snprintf(says, sizeof says, "%s%s%s", problem.place, problem.place[0] ? ": " : "",
                     problem.text);
        }
        CHECK_ABOUT("%.100s", json);
        CHECK(strcmp(says, message) == 0);
    }
    json_free(file);
}

int main(int argc, char **argv)
{
    test_vectors();
    test_policies();
    if (!check_vectors_only(argc, argv)) {
        const tally_text_key key = new_key("e-mail", 64);
        test_surroundings(&key);
        test_changes(&key);
        test_left_alone(&key);
        test_addresses(&key);
        test_contexts(&key);
        test_limits(&key);
        test_no_memory(&key);
        test_bounded(&key);
        test_chance();
    }
    return check_end("text");
}
