/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256: its engines, of which one is chosen for each message or group of messages. */
#include "base/arch.h"
#include "sha2/engine.h"

typedef tally_sha256 hash;
typedef struct tally_sha256_engine engine;
typedef uint32_t word;

#define BLOCK  TALLY_SHA256_BLOCK
#define DIGEST TALLY_SHA256_SIZE
#define STORE  tally_store_be32

static const engine *const engines[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha256_avx512,   &tally_sha256_avx2, &tally_sha256_shani_2, &tally_sha256_shani,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha256_armv8_2,
    &tally_sha256_armv8,
#endif
    &tally_sha256_portable,
};
enum { ENGINES = sizeof engines / sizeof *engines };

/* The first bits behind the point of the square roots of the first eight primes (section 5.3.3). */
static const word initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#include "sha2/hash_body.h"

void tally_sha256_init(tally_sha256 *context)
{
    begin(context);
}

/* The second halves of the first 64 bits behind the points of the square roots of the ninth to the
 * sixteenth prime (section 5.3.2). */
void tally_sha224_init(tally_sha256 *context)
{
    static const word initial_224[8] = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                        0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};
    begin(context);
    memcpy(context->state, initial_224, sizeof initial_224);
}

void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size)
{
    update(context, data, size);
}

void tally_sha256_final(tally_sha256 *context, uint8_t out[DIGEST])
{
    final(context, out);
}

void tally_sha256_digest(const uint8_t *data, size_t size, uint8_t out[DIGEST])
{
    hash_side_by_side(choose(1), &data, size, 1, (uint8_t(*)[DIGEST])out);
}

void tally_sha256_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][DIGEST])
{
    many(messages, size, count, out);
}

const char *tally_sha256_backend_name(size_t count)
{
    return choose(count)->name;
}
