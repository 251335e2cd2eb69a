/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-2 properties and differences on random input: every back end, for one message, one in pieces
 * and many, against the portable one on a whole message; HMAC and HKDF against their
 * definitions. */
#include "base/bytes.h"
#include "base/cpu.h"
#include "check.h"
#include "random.h"
#include "sha2_backends.h"

#include <stdlib.h>

enum { LARGE = 5000, MARGIN = 16 };

/* Memory of exactly so many bytes, so that a sanitizer sees a read beyond them. */
static uint8_t *random_message(size_t size)
{
    uint8_t *data = malloc(size == 0 ? 1 : size);
    if (data == NULL) {
        exit(2);
    }
    random_bytes(data, size);
    return data;
}

/* The digests of messages, one by one and by the portable back end. (A change of features asks the
 * CPU, which takes long in a virtual machine.) */
static void reference(const struct sha2_kind *kind, const uint8_t *const messages[], size_t size,
                      size_t count, uint8_t *out)
{
    uint32_t features = tally_cpu_features();
    tally_cpu_lower(0);
    for (size_t k = 0; k < count; k++) {
        kind->digest(messages[k], size, out + k * kind->size);
    }
    tally_cpu_lower(features);
}

/* One message at any alignment: up to two blocks and more, and some large ones. */
static void check_sizes(const struct sha2_kind *kind)
{
    uint8_t expected[SHA2_MAX_DIGEST], out[SHA2_MAX_DIGEST + 2 * MARGIN];
    for (size_t i = 0; i <= 340; i++) {
        size_t size = i <= 300 ? i : random_below(LARGE), shift = random_below(64);
        uint8_t *data = random_message(shift + size);
        const uint8_t *message = data + shift;
        reference(kind, &message, size, 1, expected);
        memset(out, 0xee, sizeof out);
        kind->digest(size == 0 ? NULL : data + shift, size, out + MARGIN);
        CHECK_BYTES(out + MARGIN, expected, kind->size);
        for (size_t k = 0; k < MARGIN; k++) {
            CHECK(out[k] == 0xee && out[MARGIN + kind->size + k] == 0xee);
        }
        if (size >= kind->size) { /* the digest in place of the message's first bytes */
            kind->digest(data + shift, size, data + shift);
            CHECK_BYTES(data + shift, expected, kind->size);
        }
        free(data);
    }
}

static void check_pieces(const struct sha2_kind *kind)
{
    uint8_t expected[SHA2_MAX_DIGEST], out[SHA2_MAX_DIGEST];
    /* Every cut in two, of every size about one, two and three blocks. */
    for (size_t blocks = 1; blocks <= 3; blocks++) {
        for (size_t size = blocks * kind->block - 2; size <= blocks * kind->block + 2; size++) {
            uint8_t *data = random_message(size);
            reference(kind, (const uint8_t *const *)&data, size, 1, expected);
            for (size_t cut = 0; cut <= size; cut++) {
                const size_t ends[] = {cut, size};
                kind->pieces(data, ends, 2, out);
                CHECK_BYTES(out, expected, kind->size);
            }
            free(data);
        }
    }
    for (int i = random_cases(200); i > 0; i--) {
        size_t ends[64], count = 0, size = random_below(LARGE), at = 0;
        uint8_t *data = random_message(size);
        reference(kind, (const uint8_t *const *)&data, size, 1, expected);
        while (count < 63 && at < size) {
            size_t step = random_below(random_below(2) == 0 ? 8 : 3 * kind->block);
            at = step < size - at ? at + step : size;
            ends[count++] = at;
        }
        ends[count++] = size;
        kind->pieces(data, ends, count, out);
        CHECK_BYTES(out, expected, kind->size);
        free(data);
    }
}

/* Any number of messages, none of them aligned alike. */
static void check_many_of(const struct sha2_kind *kind, size_t count, size_t size)
{
    uint8_t expected[SHA2_MAX_COUNT * SHA2_MAX_DIGEST], out[sizeof expected + MARGIN];
    uint8_t *memory[SHA2_MAX_COUNT];
    const uint8_t *messages[SHA2_MAX_COUNT] = {NULL};
    for (size_t k = 0; k < count; k++) {
        size_t shift = random_below(64);
        memory[k] = random_message(shift + size);
        messages[k] = size == 0 ? NULL : memory[k] + shift;
    }
    memset(out, 0xee, sizeof out);
    kind->many(messages, size, count, out);
    reference(kind, messages, size, count, expected);
    CHECK_BYTES(out, expected, count * kind->size);
    for (size_t k = 0; k < count; k++) {
        free(memory[k]);
    }
    for (size_t i = 0; i < MARGIN; i++) {
        CHECK(out[count * kind->size + i] == 0xee);
    }
}

static void check_many(const struct sha2_kind *kind)
{
    for (size_t count = 0; count <= SHA2_MAX_COUNT; count++) {
        const size_t padding = kind->block / 8; /* the bytes that the message's size takes */
        const size_t sizes[] = {0,
                                1,
                                kind->block - padding - 1,
                                kind->block - padding,
                                kind->block - 1,
                                kind->block,
                                kind->block + 1,
                                2 * kind->block - padding - 1,
                                2 * kind->block - padding,
                                random_below(LARGE)};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check_many_of(kind, count, sizes[i]);
        }
    }
}

static bool all_zero(const void *memory, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* `final` and `wipe` clear a context, and a copy of it continues alone. The size in the padding has
 * the length of the standard: a context that claims to have hashed 2^shift bytes is compared with a
 * last block that is written out here. */
#define CHECK_CONTEXT(bits, load, size_bytes)                                                      \
    static void check_context_##bits(void)                                                         \
    {                                                                                              \
        enum { BLOCK = 2 * (bits) / 8, DIGEST = (bits) / 8 };                                      \
        uint8_t data[BLOCK + 7], expected[DIGEST], out[DIGEST];                                    \
        tally_sha##bits context, copy;                                                             \
        random_bytes(data, sizeof data);                                                           \
        tally_sha##bits##_digest(data, sizeof data, expected);                                     \
        tally_sha##bits##_init(&context);                                                          \
        tally_sha##bits##_update(&context, data, BLOCK + 3);                                       \
        copy = context;                                                                            \
        tally_sha##bits##_update(&context, data, 2);                                               \
        tally_sha##bits##_final(&context, out);                                                    \
        CHECK(all_zero(&context, sizeof context));                                                 \
        CHECK(memcmp(out, expected, DIGEST) != 0);                                                 \
        tally_sha##bits##_update(&copy, data + BLOCK + 3, 4);                                      \
        tally_sha##bits##_final(&copy, out);                                                       \
        CHECK_BYTES(out, expected, DIGEST);                                                        \
        tally_sha##bits##_init(&context);                                                          \
        tally_sha##bits##_wipe(&context);                                                          \
        CHECK(all_zero(&context, sizeof context));                                                 \
        for (unsigned shift = 7; shift <= (size_bytes == 8 ? 60 : 63); shift++) {                  \
            uint8_t last[BLOCK] = {0x80};                                                          \
            unsigned bit = shift + 3; /* of the size in bits */                                    \
            last[BLOCK - 1 - bit / 8] = (uint8_t)(1 << bit % 8);                                   \
            tally_sha##bits##_init(&context);                                                      \
            tally_sha##bits##_update(&context, last, BLOCK);                                       \
            tally_sha##bits##_init(&copy);                                                         \
            copy.size = UINT64_C(1) << shift;                                                      \
            tally_sha##bits##_final(&copy, out);                                                   \
            for (size_t i = 0; i < 8; i++) {                                                       \
                CHECK(load(out + i * DIGEST / 8) == context.state[i]);                             \
            }                                                                                      \
        }                                                                                          \
    }
CHECK_CONTEXT(256, tally_load_be32, 8)
CHECK_CONTEXT(512, tally_load_be64, 16)

/* RFC 2104, section 2, as it is written: H(K xor opad, H(K xor ipad, text)). */
static void hmac_reference(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size,
                           uint8_t tag[32])
{
    uint8_t block[64] = {0}, text[64 + LARGE], outer[64 + 32];
    if (key_size > 64) {
        tally_sha256_digest(key, key_size, block);
    } else if (key_size > 0) {
        memcpy(block, key, key_size);
    }
    for (size_t i = 0; i < 64; i++) {
        text[i] = block[i] ^ 0x36;
        outer[i] = block[i] ^ 0x5c;
    }
    if (size > 0) {
        memcpy(text + 64, data, size);
    }
    tally_sha256_digest(text, 64 + size, outer + 64);
    tally_sha256_digest(outer, sizeof outer, tag);
}

static void check_hmac(void)
{
    uint8_t expected[32], tag[32];
    for (size_t key_size = 0; key_size <= 140; key_size++) {
        size_t size = random_below(300), cut = random_below(size + 1);
        uint8_t *key = random_message(key_size), *data = random_message(size);
        hmac_reference(key, key_size, data, size, expected);
        tally_hmac_sha256_tag(key_size == 0 ? NULL : key, key_size, size == 0 ? NULL : data, size,
                              tag);
        CHECK_BYTES(tag, expected, 32);
        tally_hmac_sha256 context, copy;
        tally_hmac_sha256_init(&context, key, key_size);
        copy = context;
        tally_hmac_sha256_update(&context, data, cut);
        tally_hmac_sha256_update(&context, data + cut, size - cut);
        tally_hmac_sha256_final(&context, tag);
        CHECK_BYTES(tag, expected, 32);
        CHECK(all_zero(&context, sizeof context));
        tally_hmac_sha256_init(&context, key, key_size);
        tally_hmac_sha256_wipe(&context);
        CHECK(all_zero(&context, sizeof context));
        tally_hmac_sha256_update(&copy, data, cut);
        uint64_t offsets[4] = {cut, cut, size, size}; /* of the rest, between empty messages */
        uint8_t tags[3][32];
        tally_hmac_sha256_rows(&copy, data, offsets, 3, tags);
        CHECK_BYTES(tags[1], expected, 32);
        CHECK_BYTES(tags[0], tags[2], 32);
        tally_hmac_sha256_rows(&copy, NULL, offsets, 0, NULL);
        tally_hmac_sha256_update(&copy, data + cut, size - cut);
        tally_hmac_sha256_final(&copy, tag);
        CHECK_BYTES(tag, expected, 32);
        free(key);
        free(data);
    }
}

/* Many messages with a common beginning, of sizes that need one block and more. */
static void check_hmac_rows(void)
{
    enum { ROWS = 700, LONGEST = 400 };
    static uint8_t tags[ROWS][32];
    static uint64_t offsets[ROWS + 1];
    uint8_t key[32], *values = random_message((size_t)(ROWS + 1) * LONGEST);
    random_bytes(key, sizeof key);
    for (size_t before = 0; before < 140; before += 1 + random_below(20)) {
        for (size_t rows = 1; rows <= ROWS; rows = 2 * rows + random_below(9)) {
            const size_t longest = 1 + random_below(LONGEST);
            offsets[0] = random_below(LONGEST);
            for (size_t i = 0; i < rows; i++) {
                offsets[i + 1] = offsets[i] + (i % 50 == 7 ? 0 : random_below(longest));
            }
            tally_hmac_sha256 context, own;
            tally_hmac_sha256_init(&context, key, sizeof key);
            tally_hmac_sha256_update(&context, values, before);
            tally_hmac_sha256_rows(&context, values, offsets, rows, tags);
            for (size_t i = 0; i < rows; i++) {
                uint8_t expected[32];
                own = context;
                tally_hmac_sha256_update(&own, values + offsets[i],
                                         (size_t)(offsets[i + 1] - offsets[i]));
                tally_hmac_sha256_final(&own, expected);
                CHECK_BYTES(tags[i], expected, 32);
            }
        }
    }
    free(values);
}

/* RFC 5869, section 2: each block is the HMAC of the one before, `info` and its number. */
static void check_hkdf(void)
{
    enum { MOST = TALLY_HKDF_SHA256_MOST, INFO = 13 };
    static uint8_t expected[MOST], out[MOST + MARGIN];
    uint8_t zeros[32] = {0}, ikm[40], prk[32], text[32 + INFO + 1], *info = text + 32;
    random_bytes(ikm, sizeof ikm);
    random_bytes(info, INFO);
    hmac_reference(zeros, sizeof zeros, ikm, sizeof ikm, prk);
    for (size_t i = 0; i < 255; i++) {
        text[32 + INFO] = (uint8_t)(i + 1);
        size_t skip = i == 0 ? 32 : 0;
        hmac_reference(prk, 32, text + skip, sizeof text - skip, expected + 32 * i);
        memcpy(text, expected + 32 * i, 32);
    }
    const size_t sizes[] = {0, 1, 31, 32, 33, 64, 1000, MOST - 1, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(out, 0xee, sizeof out);
        CHECK_EQUAL(tally_hkdf_sha256(NULL, 0, ikm, sizeof ikm, info, INFO, out, sizes[i]),
                    TALLY_OK);
        CHECK_BYTES(out, expected, sizes[i]);
        for (size_t k = 0; k < MARGIN; k++) {
            CHECK(out[sizes[i] + k] == 0xee);
        }
        CHECK_EQUAL(tally_hkdf_sha256(zeros, 32, ikm, sizeof ikm, info, INFO, out, sizes[i]),
                    TALLY_OK);
        CHECK_BYTES(out, expected, sizes[i]);
    }
    memset(out, 0xee, sizeof out);
    CHECK_EQUAL(tally_hkdf_sha256(NULL, 0, ikm, sizeof ikm, info, INFO, out, MOST + 1),
                TALLY_ERROR_ARGUMENT);
    for (size_t k = 0; k < sizeof out; k++) {
        CHECK(out[k] == 0xee);
    }
}

int main(void)
{
    for (size_t i = 0; i < SHA2_KINDS; i++) {
        for (size_t b = 0; b < SHA2_BACKENDS; b++) {
            if (sha2_use_backend(&sha2_kinds[i], b)) {
                check_sizes(&sha2_kinds[i]);
                check_pieces(&sha2_kinds[i]);
                check_many(&sha2_kinds[i]);
            }
        }
        /* All features together: back ends share the messages of a call. */
        tally_cpu_lower(UINT32_MAX);
        CHECK_ABOUT("%s, all features", sha2_kinds[i].name);
        check_many(&sha2_kinds[i]);
    }
    check_context_256();
    check_context_512();
    check_hmac();
    static const uint32_t without[] = {0, TALLY_CPU_AVX512, TALLY_CPU_AVX512 | TALLY_CPU_AVX2,
                                       TALLY_CPU_SHANI, UINT32_MAX};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        CHECK_ABOUT("rows without features %x", without[i]);
        tally_cpu_lower(~without[i]);
        check_hmac_rows();
        tally_cpu_lower(UINT32_MAX);
    }
    check_hkdf();
    return check_end("sha2 back ends");
}
