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

const char *tally_sha256_backend_name(size_t count)
{
    return sha256_choose(count)->backend.name;
}
