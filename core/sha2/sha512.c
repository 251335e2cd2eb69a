/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512: its engines, of which one is chosen for each message or group of messages. */
#include "base/arch.h"
#include "sha2/engine.h"

typedef tally_sha512 hash;
typedef struct tally_sha512_engine engine;
typedef uint64_t word;

#define BLOCK  TALLY_SHA512_BLOCK
#define DIGEST TALLY_SHA512_SIZE
#define STORE  tally_store_be64

static const engine *const engines[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha512_avx512,
    &tally_sha512_avx2,
    &tally_sha512_bmi2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha512_armv8,
#endif
    &tally_sha512_portable,
};
enum { ENGINES = sizeof engines / sizeof *engines };

/* The first bits behind the point of the square roots of the first eight primes (section 5.3.5). */
static const word initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

#include "sha2/hash_body.h"

void tally_sha512_init(tally_sha512 *context)
{
    begin(context);
}

/* The same for the ninth to the sixteenth prime (section 5.3.4). */
void tally_sha384_init(tally_sha512 *context)
{
    static const word initial_384[8] = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                                        0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                                        0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
    begin(context);
    memcpy(context->state, initial_384, sizeof initial_384);
}

void tally_sha512_update(tally_sha512 *context, const uint8_t *data, size_t size)
{
    update(context, data, size);
}

void tally_sha512_final(tally_sha512 *context, uint8_t out[DIGEST])
{
    final(context, out);
}

void tally_sha512_digest(const uint8_t *data, size_t size, uint8_t out[DIGEST])
{
    hash_side_by_side(choose(1), &data, size, 1, (uint8_t(*)[DIGEST])out);
}

void tally_sha512_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][DIGEST])
{
    many(messages, size, count, out);
}

const char *tally_sha512_backend_name(size_t count)
{
    return choose(count)->name;
}
