/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512: a back end is chosen for each message or group of messages. */
#include "base/arch.h"
#include "sha2/backend.h"

_Static_assert(sizeof(void *) != 8 || sizeof(tally_sha512) == 256,
               "the size of a context is part of the ABI");

static const tally_backend *const sha512_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha512_avx512.backend,
    &tally_sha512_avx2.backend,
    &tally_sha512_bmi2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha512_armv8.backend,
#endif
    &tally_sha512_portable.backend,
};

/* The first bits of the fractional parts of the square roots of the first eight primes
 * (section 5.3.5). */
static const uint64_t sha512_initial[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

#define HASH(name)    sha512_##name
#define HASH_BACKEND  struct tally_sha512_backend
#define HASH_BACKENDS (sizeof sha512_backends / sizeof *sha512_backends)
#define HASH_BLOCK    TALLY_SHA512_BLOCK
#define HASH_CONTEXT  tally_sha512
#define HASH_DIGEST   TALLY_SHA512_SIZE
#define HASH_STORE    tally_store_be64
#define HASH_WORD     uint64_t
#include "sha2/hash_body.h"

void tally_sha512_init(tally_sha512 *context)
{
    sha512_begin(context);
}

/* The same for the ninth to the sixteenth prime (section 5.3.4). */
void tally_sha384_init(tally_sha512 *context)
{
    static const uint64_t initial_384[8] = {
        0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
        0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
    sha512_begin(context);
    memcpy(context->state, initial_384, sizeof initial_384);
}

void tally_sha512_update(tally_sha512 *context, const uint8_t *data, size_t size)
{
    sha512_update(context, data, size);
}

void tally_sha512_final(tally_sha512 *context, uint8_t out[TALLY_SHA512_SIZE])
{
    sha512_final(context, out);
}

void tally_sha512_wipe(tally_sha512 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_sha512_digest(const uint8_t *data, size_t size, uint8_t out[TALLY_SHA512_SIZE])
{
    sha512_hash_side_by_side(sha512_choose(1), &data, size, 1, (uint8_t(*)[TALLY_SHA512_SIZE])out);
}

void tally_sha512_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][TALLY_SHA512_SIZE])
{
    sha512_many(messages, size, count, out);
}

const char *tally_sha512_backend_name(size_t count)
{
    return sha512_choose(count)->backend.name;
}
