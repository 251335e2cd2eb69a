/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256: a back end is chosen for each message or group of messages. */
#include "base/arch.h"
#include "sha2/backend.h"

_Static_assert(sizeof(void *) != 8 || sizeof(tally_sha256) == 128,
               "the size of a context is part of the ABI");

static const tally_backend *const sha256_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha256_avx512.backend,   &tally_sha256_avx2.backend,
    &tally_sha256_shani_2.backend,  &tally_sha256_shani.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha256_armv8_2.backend,
    &tally_sha256_armv8.backend,
#endif
    &tally_sha256_portable.backend,
};

/* The first bits of the fractional parts of the square roots of the first eight primes
 * (section 5.3.3). */
static const uint32_t sha256_initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#define HASH(name)    sha256_##name
#define HASH_BACKEND  struct tally_sha256_backend
#define HASH_BACKENDS (sizeof sha256_backends / sizeof *sha256_backends)
#define HASH_BLOCK    TALLY_SHA256_BLOCK
#define HASH_CONTEXT  tally_sha256
#define HASH_DIGEST   TALLY_SHA256_SIZE
#define HASH_STORE    tally_store_be32
#define HASH_WORD     uint32_t
#include "sha2/hash_body.h"

void tally_sha256_init(tally_sha256 *context)
{
    sha256_begin(context);
}

/* The second halves of the first 64 bits of the same for the ninth to the sixteenth prime (section
 * 5.3.2). */
void tally_sha224_init(tally_sha256 *context)
{
    static const uint32_t initial_224[8] = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                            0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};
    sha256_begin(context);
    memcpy(context->state, initial_224, sizeof initial_224);
}

void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size)
{
    sha256_update(context, data, size);
}

void tally_sha256_final(tally_sha256 *context, uint8_t out[TALLY_SHA256_SIZE])
{
    sha256_final(context, out);
}

void tally_sha256_wipe(tally_sha256 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_sha256_digest(const uint8_t *data, size_t size, uint8_t out[TALLY_SHA256_SIZE])
{
    sha256_hash_side_by_side(sha256_choose(1), &data, size, 1, (uint8_t(*)[TALLY_SHA256_SIZE])out);
}

void tally_sha256_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][TALLY_SHA256_SIZE])
{
    sha256_many(messages, size, count, out);
}

enum { SHA256_SHORT = 4 /* blocks, at most, of a message that goes beside others */ };

/* Messages of one number of blocks, which wait until there are as many as lanes. */
typedef struct sha256_group {
    size_t count;
    size_t row[TALLY_SHA2_MAX_LANES];
    uint8_t blocks[TALLY_SHA2_MAX_LANES][SHA256_SHORT * TALLY_SHA256_BLOCK];
} sha256_group;

static void sha256_run_group(const tally_sha256 *context, const struct tally_sha256_backend *b,
                             const sha256_group *group, size_t from, size_t count, size_t blocks,
                             uint8_t out[][TALLY_SHA256_SIZE])
{
    _Alignas(64) uint32_t state[8 * TALLY_SHA2_MAX_LANES];
    const uint8_t *data[TALLY_SHA2_MAX_LANES];
    for (size_t k = 0; k < b->lanes; k++) {
        data[k] = group->blocks[from + (k < count ? k : 0)];
    }
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < b->lanes; k++) {
            state[i * b->lanes + k] = context->state[i];
        }
    }
    b->compress(data, blocks, state);
    for (size_t k = 0; k < count; k++) {
        sha256_store_digest(state + k, b->lanes, out[group->row[from + k]]);
    }
    tally_wipe(state, sizeof state);
}

static void sha256_end_group(const tally_sha256 *context, sha256_group *group, size_t blocks,
                             uint8_t out[][TALLY_SHA256_SIZE])
{
    for (size_t from = 0; from < group->count;) {
        const size_t left = group->count - from;
        const struct tally_sha256_backend *b = sha256_choose(left);
        const size_t count = left < b->lanes ? left : b->lanes;
        sha256_run_group(context, b, group, from, count, blocks, out);
        from += count;
    }
    group->count = 0;
}

/* A message by itself. */
static void sha256_continue_one(const tally_sha256 *context, const uint8_t *value, size_t size,
                                uint8_t out[TALLY_SHA256_SIZE])
{
    tally_sha256 own = *context;
    sha256_update(&own, value, size);
    sha256_final(&own, out);
}

static const uint8_t *sha256_value(const uint8_t *values, const uint64_t *offsets, size_t i)
{
    return offsets[i + 1] > offsets[i] ? values + offsets[i] : NULL;
}

void tally_sha256_continue(const tally_sha256 *context, const uint8_t *values,
                           const uint64_t *offsets, size_t count, uint8_t out[][TALLY_SHA256_SIZE])
{
    const struct tally_sha256_backend *b = sha256_choose(count);
    if (b->lanes == 1) {
        for (size_t i = 0; i < count; i++) {
            sha256_continue_one(context, sha256_value(values, offsets, i),
                                (size_t)(offsets[i + 1] - offsets[i]), out[i]);
        }
        return;
    }
    /* All but the values stands there from the beginning. */
    sha256_group groups[SHA256_SHORT];
    const size_t before = (size_t)(context->size % TALLY_SHA256_BLOCK);
    for (size_t i = 0; i < SHA256_SHORT; i++) {
        groups[i].count = 0;
        for (size_t k = 0; k < b->lanes; k++) {
            memcpy(groups[i].blocks[k], context->buffer, before);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        const size_t blocks = size / TALLY_SHA256_BLOCK +
                              (before + size % TALLY_SHA256_BLOCK + 8) / TALLY_SHA256_BLOCK + 1;
        if (blocks > SHA256_SHORT) {
            sha256_continue_one(context, sha256_value(values, offsets, i), size, out[i]);
            continue;
        }
        sha256_group *group = &groups[blocks - 1];
        uint8_t *to = group->blocks[group->count] + before;
        const size_t end = blocks * TALLY_SHA256_BLOCK - before;
        if (size > 0) {
            memcpy(to, values + offsets[i], size);
        }
        to[size] = 0x80;
        memset(to + size + 1, 0, end - size - 9);
        tally_store_be64((context->size + size) << 3, to + end - 8);
        group->row[group->count++] = i;
        if (group->count == b->lanes) {
            sha256_end_group(context, group, blocks, out);
        }
    }
    for (size_t i = 0; i < SHA256_SHORT; i++) {
        sha256_end_group(context, &groups[i], i + 1, out);
    }
    tally_wipe(groups, sizeof groups);
}

const char *tally_sha256_backend_name(size_t count)
{
    return sha256_choose(count)->backend.name;
}
