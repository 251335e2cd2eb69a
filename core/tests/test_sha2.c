/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256, SHA-512, HMAC-SHA-256 and HKDF-SHA-256 against published vectors, every back end in
 * turn; the files name their sources. */
#include "check.h"
#include "json.h"
#include "sha2_backends.h"

enum { MAX = 1 << 20, COUNT = 16 };

static uint8_t message[MAX];

static size_t read_message(const json_case *c)
{
    size_t size = json_hex(c, "message", message, MAX), once = size;
    size_t repeat = json_has(c, "repeat") ? (size_t)json_int(c, "repeat") : 1;
    CHECK(repeat * once <= MAX);
    for (; size < repeat * once; size += once) {
        memcpy(message + size, message, once);
    }
    return size;
}

static void check_digest(const struct sha2_kind *kind, const json_case *c)
{
    uint8_t expected[SHA2_MAX_DIGEST], out[COUNT * SHA2_MAX_DIGEST];
    const uint8_t *messages[COUNT];
    size_t size = read_message(c), ends[2] = {size / 3, size};
    CHECK_EQUAL(json_hex(c, "digest", expected, sizeof expected), kind->size);
    kind->digest(message, size, out);
    CHECK_BYTES(out, expected, kind->size);
    kind->pieces(message, ends, 2, out);
    CHECK_BYTES(out, expected, kind->size);
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = message;
    }
    kind->many(messages, size, COUNT, out);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_BYTES(out + i * kind->size, expected, kind->size);
    }
}

/* SHA-224 and SHA-384, in pieces. */
static void check_short(const struct sha2_kind *kind, const json_case *c)
{
    uint8_t expected[SHA2_MAX_DIGEST], out[SHA2_MAX_DIGEST];
    size_t size = read_message(c), third = size / 3;
    const size_t digest = json_hex(c, "digest", expected, sizeof expected);
    if (kind->size == TALLY_SHA256_SIZE) {
        tally_sha256 context;
        tally_sha224_init(&context);
        tally_sha256_update(&context, message, third);
        tally_sha256_update(&context, message + third, size - third);
        tally_sha256_final(&context, out);
    } else {
        tally_sha512 context;
        tally_sha384_init(&context);
        tally_sha512_update(&context, message, third);
        tally_sha512_update(&context, message + third, size - third);
        tally_sha512_final(&context, out);
    }
    CHECK_EQUAL(digest, kind->size == TALLY_SHA256_SIZE ? 28 : 48);
    CHECK_BYTES(out, expected, digest);
}

/* SHAVS, section 6.4: 100 times 1000 digests, each of the three before it. `count` chains go side
 * by side. */
static void check_monte_carlo(const struct sha2_kind *kind, const json_case *c, size_t count)
{
    uint8_t expected[SHA2_MAX_DIGEST], triples[COUNT][3 * SHA2_MAX_DIGEST];
    uint8_t out[COUNT * SHA2_MAX_DIGEST];
    const uint8_t *messages[COUNT];
    CHECK_EQUAL(json_hex(c, "seed", out, sizeof out), kind->size);
    for (size_t k = 0; k < count; k++) {
        memcpy(out + k * kind->size, out, kind->size);
        messages[k] = triples[k];
    }
    CHECK_EQUAL(json_length(c, "digests"), 100);
    for (size_t i = 0; i < json_length(c, "digests"); i++) {
        for (size_t k = 0; k < count; k++) {
            for (size_t part = 0; part < 3; part++) {
                memcpy(triples[k] + part * kind->size, out + k * kind->size, kind->size);
            }
        }
        for (int j = 0; j < 1000; j++) {
            kind->many(messages, 3 * kind->size, count, out);
            for (size_t k = 0; k < count; k++) {
                memmove(triples[k], triples[k] + kind->size, 2 * kind->size);
                memcpy(triples[k] + 2 * kind->size, out + k * kind->size, kind->size);
            }
        }
        json_item_hex(c, "digests", i, expected, sizeof expected);
        for (size_t k = 0; k < count; k++) {
            CHECK_BYTES(out + k * kind->size, expected, kind->size);
        }
    }
}

static void check_hmac(const json_case *c)
{
    uint8_t key[256], data[256], expected[32], tag[32];
    size_t key_size = json_hex(c, "key", key, sizeof key);
    size_t size = json_hex(c, "message", data, sizeof data);
    size_t tag_size = json_hex(c, "tag", expected, sizeof expected); /* one is cut to 16 bytes */
    tally_hmac_sha256 context;
    tally_hmac_sha256_tag(key, key_size, data, size, tag);
    CHECK_BYTES(tag, expected, tag_size);
    tally_hmac_sha256_init(&context, key, key_size);
    tally_hmac_sha256_update(&context, data, size / 2);
    tally_hmac_sha256_update(&context, data + size / 2, size - size / 2);
    tally_hmac_sha256_final(&context, tag);
    CHECK_BYTES(tag, expected, tag_size);
}

static void check_hkdf(const json_case *c)
{
    uint8_t ikm[128], salt[128], info[128], okm[128], out[128];
    size_t ikm_size = json_hex(c, "ikm", ikm, sizeof ikm);
    size_t salt_size = json_hex(c, "salt", salt, sizeof salt);
    size_t info_size = json_hex(c, "info", info, sizeof info);
    size_t size = json_hex(c, "okm", okm, sizeof okm);
    CHECK_EQUAL(tally_hkdf_sha256(salt_size > 0 ? salt : NULL, salt_size, ikm, ikm_size,
                                  info_size > 0 ? info : NULL, info_size, out, size),
                TALLY_OK);
    CHECK_BYTES(out, okm, size);
}

static void check_hashes(const struct sha2_kind *kind, const char *path, const char *short_path,
                         const char *monte_carlo)
{
    json_file *file = json_load(path), *chains = json_load(monte_carlo);
    json_file *cut = json_load(short_path);
    for (size_t b = 0; b < SHA2_BACKENDS; b++) {
        if (!sha2_use_backend(kind, b)) {
            continue;
        }
        for (size_t i = 0; i < json_count(file); i++) {
            const json_case *c = json_at(file, i);
            CHECK_ABOUT("%s, %s", kind->backends[b].many, json_string(c, "source"));
            check_digest(kind, c);
        }
        for (size_t i = 0; i < json_count(cut); i++) {
            const json_case *c = json_at(cut, i);
            CHECK_ABOUT("%s, %s", kind->backends[b].one, json_string(c, "source"));
            check_short(kind, c);
        }
        for (size_t i = 0; i < json_count(chains); i++) {
            const json_case *c = json_at(chains, i);
            if ((size_t)json_int(c, "bits") == 8 * kind->size) {
                CHECK_ABOUT("%s, %s", kind->backends[b].many, json_string(c, "source"));
                check_monte_carlo(kind, c, 1);
                check_monte_carlo(kind, c, 2);
            }
        }
    }
    json_free(file);
    json_free(cut);
    json_free(chains);
}

static void check_keyed(const char *path, void (*check_case)(const json_case *))
{
    json_file *file = json_load(path);
    for (size_t b = 0; b < SHA2_BACKENDS; b++) {
        if (!sha2_use_backend(&sha2_kinds[0], b)) {
            continue;
        }
        for (size_t i = 0; i < json_count(file); i++) {
            const json_case *c = json_at(file, i);
            CHECK_ABOUT("%s, %s", sha2_kinds[0].backends[b].one, json_string(c, "source"));
            check_case(c);
        }
    }
    json_free(file);
}

int main(void)
{
    check_hashes(&sha2_kinds[0], TALLY_VECTORS "/sha256.json", TALLY_VECTORS "/sha224.json",
                 TALLY_VECTORS "/sha2_monte_carlo.json");
    check_hashes(&sha2_kinds[1], TALLY_VECTORS "/sha512.json", TALLY_VECTORS "/sha384.json",
                 TALLY_VECTORS "/sha2_monte_carlo.json");
    check_keyed(TALLY_VECTORS "/hmac_sha256.json", check_hmac);
    check_keyed(TALLY_VECTORS "/hkdf_sha256.json", check_hkdf);
    return check_end("sha2");
}
