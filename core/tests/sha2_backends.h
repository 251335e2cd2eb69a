/* SPDX-License-Identifier: Apache-2.0
 *
 * The two hashes as one kind of thing, and the back ends of each, to be forced in turn. */
#ifndef TALLY_TESTS_SHA2_BACKENDS_H
#define TALLY_TESTS_SHA2_BACKENDS_H

#include "base/cpu.h"
#include "check.h"
#include "tallystick/sha2.h"

enum { SHA2_MAX_DIGEST = 64, SHA2_MAX_COUNT = 40, SHA2_BACKENDS = 5 };

/* What must run for one message and for many of them, given some features and no others. */
struct sha2_backend_row {
    uint32_t features;
    const char *one, *many;
};

struct sha2_kind {
    const char *name;
    size_t block, size; /* bytes of a block and of a digest */
    struct sha2_backend_row backends[SHA2_BACKENDS];
    const char *(*backend_name)(size_t count);
    void (*digest)(const uint8_t *data, size_t size, uint8_t *out);
    /* The digests follow each other in `out`. */
    void (*many)(const uint8_t *const messages[], size_t size, size_t count, uint8_t *out);
    /* In pieces that end at `ends`, the last of which is the message's. */
    void (*pieces)(const uint8_t *data, const size_t *ends, size_t count, uint8_t *out);
};

#define SHA2_FUNCTIONS(bits)                                                                       \
    static inline void sha##bits##_digest(const uint8_t *data, size_t size, uint8_t *out)          \
    {                                                                                              \
        tally_sha##bits##_digest(data, size, out);                                                 \
    }                                                                                              \
    static inline void sha##bits##_many(const uint8_t *const messages[], size_t size,              \
                                        size_t count, uint8_t *out)                                \
    {                                                                                              \
        tally_sha##bits##_many(messages, size, count, (uint8_t(*)[bits / 8]) out);                 \
    }                                                                                              \
    static inline void sha##bits##_pieces(const uint8_t *data, const size_t *ends, size_t count,   \
                                          uint8_t *out)                                            \
    {                                                                                              \
        tally_sha##bits context;                                                                   \
        tally_sha##bits##_init(&context);                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            size_t start = i == 0 ? 0 : ends[i - 1];                                               \
            tally_sha##bits##_update(&context, start == ends[i] ? NULL : data + start,             \
                                     ends[i] - start);                                             \
        }                                                                                          \
        tally_sha##bits##_final(&context, out);                                                    \
    }
SHA2_FUNCTIONS(256)
SHA2_FUNCTIONS(512)

static const struct sha2_kind sha2_kinds[] = {
    {"SHA-256",
     TALLY_SHA256_BLOCK,
     TALLY_SHA256_SIZE,
     {{TALLY_CPU_AVX512, "portable", "avx512"},
      {TALLY_CPU_AVX2, "portable", "avx2"},
      {TALLY_CPU_SHANI | TALLY_CPU_SSSE3, "sha-ni", "sha-ni-2"},
      {TALLY_CPU_ARM_SHA256, "armv8", "armv8-2"},
      {0, "portable", "portable"}},
     tally_sha256_backend_name,
     sha256_digest,
     sha256_many,
     sha256_pieces},
    {"SHA-512",
     TALLY_SHA512_BLOCK,
     TALLY_SHA512_SIZE,
     {{TALLY_CPU_AVX512, "portable", "avx512"},
      {TALLY_CPU_AVX2, "portable", "avx2"},
      {TALLY_CPU_BMI2, "bmi2", "bmi2"},
      {TALLY_CPU_ARM_SHA512, "armv8", "armv8"},
      {0, "portable", "portable"}},
     tally_sha512_backend_name,
     sha512_digest,
     sha512_many,
     sha512_pieces}};

enum { SHA2_KINDS = sizeof sha2_kinds / sizeof *sha2_kinds };

/* Disables all features but a row's. Returns false if there is no such row, or, with a line of
 * output, if this CPU lacks a feature. */
static inline bool sha2_use_backend(const struct sha2_kind *kind, size_t index)
{
    const struct sha2_backend_row *row = &kind->backends[index];
    if (row->one == NULL) {
        return false;
    }
    if (tally_cpu_lower(row->features) != row->features) {
        printf("skipped: this CPU has no %s for %s\n", row->many, kind->name);
        return false;
    }
    CHECK_ABOUT("%s, %s", kind->name, row->many);
    CHECK(strcmp(kind->backend_name(1), row->one) == 0);
    CHECK(strcmp(kind->backend_name(SHA2_MAX_COUNT), row->many) == 0);
    return true;
}

#endif
