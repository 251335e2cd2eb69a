/* SPDX-License-Identifier: Apache-2.0
 *
 * Key rings of vectors/keyrings.json, which Python has made and judged, and rings with a byte that
 * is another. */
#include "check.h"
#include "json.h"
#include "tallystick/keyring.h"

#include <stdlib.h>

enum { MOST = 1 << 16 };

/* The bytes of a ring's file, exactly as large as they are. */
static uint8_t *read_file(const json_case *c, size_t *size)
{
    uint8_t *const buffer = malloc(MOST);
    if (json_has(c, "text")) {
        *size = strlen(json_string(c, "text"));
        memcpy(buffer, json_string(c, "text"), *size);
    } else {
        *size = json_hex(c, "file", buffer, MOST);
    }
    uint8_t *const file = malloc(*size + 1);
    memcpy(file, buffer, *size);
    free(buffer);
    return realloc(file, *size + (*size == 0));
}

static void check_said(const tally_problem *problem, const char *expected)
{
    if (!check_that(strcmp(problem->text, expected) == 0, __FILE__, __LINE__, expected)) {
        fprintf(stderr, "    %s\n", problem->text);
    }
    CHECK(problem->place[0] == '\0');
}

static void check_keys(const json_case *c, const tally_keyring *ring)
{
    for (size_t i = 0; i < json_length(c, "references"); i++) {
        const char *const reference = json_item_string(c, "references", i);
        const char *const expected = json_item_string(c, "keys", i);
        uint8_t key[TALLY_DATA_KEY_SIZE_MAX], wanted[TALLY_DATA_KEY_SIZE_MAX];
        size_t size = 0;
        tally_key_id id;
        tally_problem problem;
        tally_status status = tally_key_id_parse(reference, strlen(reference), &id, &problem);
        if (status == TALLY_OK) {
            status = tally_keyring_key(ring, &id, key, &size, &problem);
            CHECK(status == TALLY_OK || status == TALLY_ERROR_NO_KEY ||
                  status == TALLY_ERROR_KEYRING);
        } else {
            CHECK_EQUAL(status, TALLY_ERROR_REFERENCE);
        }
        if (expected[0] == '!') {
            CHECK(status != TALLY_OK);
            check_said(&problem, expected + 2);
            continue;
        }
        CHECK_EQUAL(status, TALLY_OK);
        CHECK_EQUAL(json_item_hex(c, "keys", i, wanted, sizeof wanted), size);
        CHECK_BYTES(key, wanted, size);
    }
}

static const char *rights_text(uint32_t rights)
{
    return rights == (TALLY_MAY_PROTECT | TALLY_MAY_REVEAL) ? "protect reveal"
           : rights == TALLY_MAY_PROTECT                    ? "protect"
           : rights == TALLY_MAY_REVEAL                     ? "reveal"
                                                            : "";
}

/* What format 2 has beside format 1. */
static void check_newer(const json_case *c, const tally_keyring *ring)
{
    tally_key_info info;
    tally_root root;
    CHECK_EQUAL(tally_keyring_revision(ring), (uint32_t)json_int(c, "revision"));
    for (size_t i = 0; i < json_length(c, "rights"); i++) {
        CHECK(tally_keyring_at(ring, i, &info));
        CHECK(strcmp(rights_text(info.rights), json_item_string(c, "rights", i)) == 0);
    }
    for (size_t i = 0; i < json_length(c, "by"); i++) {
        CHECK(tally_keyring_root_at(ring, i, &root));
        CHECK(strcmp(root.by == NULL ? "" : root.by, json_item_string(c, "by", i)) == 0);
        CHECK((root.wrapped != NULL) == (root.kind == TALLY_ROOT_WRAPPED));
        CHECK(strcmp(rights_text(root.rights), json_item_string(c, "root_rights", i)) == 0);
    }
    CHECK(!tally_keyring_root_at(ring, json_length(c, "by"), &root));
    for (size_t i = 0; i < json_length(c, "signers"); i++) {
        CHECK(strcmp(tally_keyring_signer(ring, i), json_item_string(c, "signers", i)) == 0);
    }
    CHECK(tally_keyring_signer(ring, json_length(c, "signers")) == NULL);
}

static void check_facts(const json_case *c, const tally_keyring *ring)
{
    static const char *const kinds[] = {"PlainRoot", "ScryptRoot", "SharedRoot", "WrappedRoot"};
    tally_key_info info;
    tally_root root;
    uint8_t bytes[16];
    const size_t count = json_length(c, "held");
    CHECK(strcmp(tally_keyring_id(ring), json_string(c, "ring")) == 0);
    CHECK_EQUAL(tally_keyring_count(ring), count);
    for (size_t i = 0; i < count; i++) {
        char reference[100];
        CHECK(tally_keyring_at(ring, i, &info));
        snprintf(reference, sizeof reference, "%s:%" PRIu32, info.id.name, info.id.version);
        CHECK(strcmp(reference, json_item_string(c, "held", i)) == 0);
        CHECK(strcmp(info.created, json_item_string(c, "created", i)) == 0);
        CHECK(info.size == 16 || info.size == 24 || info.size == 32);
    }
    CHECK(!tally_keyring_at(ring, count, &info));
    tally_keyring_root(ring, &root);
    CHECK(strcmp(kinds[root.kind], json_string(c, "kind")) == 0);
    if (root.kind == TALLY_ROOT_SCRYPT) {
        CHECK_EQUAL(json_hex(c, "salt", bytes, 16), 16);
        CHECK_BYTES(root.salt, bytes, 16);
        CHECK_EQUAL(root.n, atoi(json_item_string(c, "costs", 0)));
        CHECK_EQUAL(root.r, atoi(json_item_string(c, "costs", 1)));
        CHECK_EQUAL(root.p, atoi(json_item_string(c, "costs", 2)));
    }
    const size_t holders = root.kind == TALLY_ROOT_SHARES ? json_length(c, "holders") : 0;
    if (root.kind == TALLY_ROOT_SHARES) {
        CHECK_EQUAL(json_hex(c, "set", bytes, 16), 16);
        CHECK_BYTES(root.set, bytes, 16);
        CHECK_EQUAL(root.threshold, json_int(c, "threshold"));
        CHECK_EQUAL(root.count, holders);
    }
    for (size_t i = 0; i < holders; i++) {
        CHECK(strcmp(tally_keyring_holder(ring, i), json_item_string(c, "holders", i)) == 0);
    }
    CHECK(tally_keyring_holder(ring, root.kind == TALLY_ROOT_SHARES ? holders : 255) == NULL);
    if (json_has(c, "revision")) {
        check_newer(c, ring);
    } else {
        CHECK_EQUAL(tally_keyring_revision(ring), 0);
        CHECK(tally_keyring_signer(ring, 0) == NULL);
    }
}

static void check_case(const json_case *c)
{
    const char *const result = json_string(c, "result");
    uint8_t root_key[TALLY_ROOT_KEY_SIZE], key[TALLY_DATA_KEY_SIZE_MAX];
    size_t size, key_size;
    uint8_t *const file = read_file(c, &size);
    tally_keyring *ring = NULL;
    tally_problem problem;
    CHECK_EQUAL(json_hex(c, "root_key", root_key, sizeof root_key), sizeof root_key);
    tally_status status = tally_keyring_read(NULL, file, size, &ring, &problem);
    CHECK((status == TALLY_OK) == (ring != NULL));
    if (status == TALLY_OK) {
        CHECK_EQUAL(tally_keyring_key(ring, &(tally_key_id){"people", 1}, key, &key_size, NULL),
                    TALLY_ERROR_ARGUMENT);
        status = tally_keyring_unlock(ring, root_key, &problem);
    }
    if (strcmp(result, "opens") == 0) {
        CHECK_EQUAL(status, TALLY_OK);
        check_facts(c, ring);
        check_keys(c, ring);
        CHECK_EQUAL(tally_keyring_unlock(ring, root_key, NULL), TALLY_ERROR_ARGUMENT);
    } else {
        CHECK_EQUAL(status,
                    strcmp(result, "root key") == 0 ? TALLY_ERROR_ROOT_KEY : TALLY_ERROR_KEYRING);
        check_said(&problem, json_string(c, "message"));
    }
    tally_keyring_free(ring);
    free(file);
}

/* A wrong root key leaves a ring locked, and the right one opens it then. */
static void check_again(const json_case *c)
{
    uint8_t root_key[TALLY_ROOT_KEY_SIZE], wrong[TALLY_ROOT_KEY_SIZE] = {0};
    size_t size;
    uint8_t *const file = read_file(c, &size);
    tally_keyring *ring = NULL;
    json_hex(c, "root_key", root_key, sizeof root_key);
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &ring, NULL), TALLY_OK);
    memset(file, 0, size); /* copied */
    CHECK_EQUAL(tally_keyring_unlock(ring, wrong, NULL), TALLY_ERROR_ROOT_KEY);
    CHECK_EQUAL(tally_keyring_unlock(ring, root_key, NULL), TALLY_OK);
    check_keys(c, ring);
    tally_keyring_free(ring);
    free(file);
}

/* Every byte of a ring counts, for a root key and for a ring that is open. */
static void check_altered(const json_case *c)
{
    uint8_t root_key[TALLY_ROOT_KEY_SIZE];
    size_t size;
    uint8_t *const file = read_file(c, &size);
    tally_keyring *open = NULL;
    json_hex(c, "root_key", root_key, sizeof root_key);
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &open, NULL), TALLY_OK);
    CHECK_EQUAL(tally_keyring_unlock(open, root_key, NULL), TALLY_OK);
    for (size_t i = 0; i < size; i++) {
        for (uint8_t bit = 1; bit != 0; bit = (uint8_t)(bit << 1)) {
            tally_keyring *ring = NULL;
            file[i] ^= bit;
            tally_status status = tally_keyring_read(NULL, file, size, &ring, NULL);
            if (status == TALLY_OK) {
                CHECK_EQUAL(tally_keyring_unlock_like(ring, open, NULL), TALLY_ERROR_KEYRING);
                status = tally_keyring_unlock(ring, root_key, NULL);
            }
            CHECK(status == TALLY_ERROR_KEYRING || status == TALLY_ERROR_ROOT_KEY);
            tally_keyring_free(ring);
            file[i] ^= bit;
        }
    }
    tally_keyring_free(open);
    free(file);
}

static void check_like_says(const tally_keyring *open, uint8_t *file, size_t size,
                            const char *field, const char *expected)
{
    tally_keyring *ring = NULL;
    tally_problem problem;
    uint8_t *const at = (uint8_t *)strstr((char *)file, field) + strlen(field);
    const uint8_t was = *at;
    *at = was == '1' ? '2' : '1';
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &ring, &problem), TALLY_OK);
    CHECK_EQUAL(tally_keyring_unlock_like(ring, open, &problem), TALLY_ERROR_KEYRING);
    check_said(&problem, expected);
    *at = was;
    tally_keyring_free(ring);
}

/* An open ring opens another copy of its file, and says why it does not. */
static void check_like(const json_case *c)
{
    uint8_t root_key[TALLY_ROOT_KEY_SIZE];
    size_t size;
    uint8_t *const file = read_file(c, &size);
    tally_keyring *open = NULL, *ring = NULL;
    json_hex(c, "root_key", root_key, sizeof root_key);
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &open, NULL), TALLY_OK);
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &ring, NULL), TALLY_OK);
    CHECK_EQUAL(tally_keyring_unlock_like(ring, open, NULL), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_keyring_unlock(open, root_key, NULL), TALLY_OK);
    check_like_says(open, file, size, "\"ring\": \"",
                    "another key ring has replaced it; open it again");
    check_like_says(open, file, size, "\"check\": \"",
                    "its root key was replaced; open it again with the new root key");
    check_like_says(open, file, size, "\"mac\": \"",
                    "damaged or edited: the root key is right, but the file was changed after "
                    "Tallystick wrote it; restore it from a backup");
    CHECK_EQUAL(tally_keyring_unlock_like(ring, open, NULL), TALLY_OK);
    CHECK_EQUAL(tally_keyring_unlock_like(ring, open, NULL), TALLY_ERROR_ARGUMENT);
    tally_keyring_free(open);
    check_keys(c, ring);
    tally_keyring_free(ring);
    free(file);
}

/* A name and a version that are apart follow the rules of a reference. */
static void check_ids(void)
{
    tally_key_id id, parsed;
    CHECK_EQUAL(tally_key_id_init("people", 6, UINT32_MAX, &id, NULL), TALLY_OK);
    CHECK_EQUAL(tally_key_id_parse("people:4294967295", 17, &parsed, NULL), TALLY_OK);
    CHECK_BYTES(&id, &parsed, sizeof id);
    CHECK_EQUAL(tally_key_id_init("people", 6, 0, &id, NULL), TALLY_ERROR_REFERENCE);
    CHECK_EQUAL(tally_key_id_init("people", 6, (uint64_t)UINT32_MAX + 1, &id, NULL),
                TALLY_ERROR_REFERENCE);
    CHECK_EQUAL(tally_key_id_init("a:b", 3, 1, &id, NULL), TALLY_ERROR_REFERENCE);
    CHECK_EQUAL(tally_key_id_init("", 0, 1, &id, NULL), TALLY_ERROR_REFERENCE);
}

/* An allocator that gives `left` pieces, and counts what is out. */
static size_t left, out_now;

static void *give(void *context, size_t size)
{
    (void)context;
    if (left == 0) {
        return NULL;
    }
    left--;
    out_now += size;
    return malloc(size);
}

static void take(void *context, void *memory, size_t size)
{
    (void)context;
    out_now -= size;
    free(memory);
}

static void check_memory(const json_case *c)
{
    const tally_allocator allocator = {give, take, NULL};
    size_t size, pieces = 0;
    uint8_t *const file = read_file(c, &size);
    tally_status status = TALLY_ERROR_MEMORY;
    for (; status == TALLY_ERROR_MEMORY; pieces++) {
        tally_keyring *ring = NULL;
        left = pieces;
        status = tally_keyring_read(&allocator, file, size, &ring, NULL);
        CHECK((status == TALLY_OK) == (ring != NULL));
        CHECK(status == TALLY_OK || out_now == 0);
        tally_keyring_free(ring);
        CHECK_EQUAL(out_now, 0);
    }
    CHECK_EQUAL(status, TALLY_OK);
    CHECK(pieces > 3);
    free(file);
}

static void check_large(void)
{
    const size_t size = TALLY_KEYRING_SIZE_MAX + 1;
    uint8_t *const file = malloc(size);
    tally_keyring *ring = NULL;
    memset(file, ' ', size);
    file[0] = '{';
    CHECK_EQUAL(tally_keyring_read(NULL, file, size, &ring, NULL), TALLY_ERROR_KEYRING);
    CHECK(ring == NULL);
    tally_keyring_free(NULL);
    free(file);
}

int main(void)
{
    json_file *const file = json_load(TALLY_VECTORS "/keyrings.json");
    for (size_t i = 0; i < json_count(file); i++) {
        CHECK_ABOUT("%s", json_string(json_at(file, i), "source"));
        check_case(json_at(file, i));
    }
    check_again(json_at(file, 0));
    check_altered(json_at(file, 0));
    check_like(json_at(file, 0));
    check_ids();
    check_memory(json_at(file, 0));
    check_large();
    json_free(file);
    return check_end("keyring");
}
