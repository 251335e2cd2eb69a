/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of SHA-2, HMAC and HKDF: messages and keys are secret, sizes are not. Valgrind does
 * not know AVX-512, nor, up to now, the instructions for SHA: those back ends are left to the
 * reading of their code, which has no branch and no address by a secret. */
#include "base/cpu.h"
#include "secret.h"

#include "tallystick/sha2.h"

enum { SIZE = 300, COUNT = 9 };

static uint8_t data[COUNT][SIZE];
static const uint8_t *messages[COUNT];

static void check_hash_256(size_t size)
{
    uint8_t out[COUNT][32];
    tally_sha256 context;
    tally_sha256_digest(data[0], size, out[0]);
    expect_secret(out[0], 32);
    tally_sha256_init(&context);
    tally_sha256_update(&context, data[0], size / 3);
    tally_sha256_update(&context, data[1], size);
    tally_sha256_final(&context, out[0]);
    expect_secret(out[0], 32);
    tally_sha256_many(messages, size, COUNT, out);
    expect_secret(out[0], sizeof out);
}

static void check_hash_512(size_t size)
{
    uint8_t out[COUNT][64];
    tally_sha512 context;
    tally_sha512_digest(data[0], size, out[0]);
    expect_secret(out[0], 64);
    tally_sha512_init(&context);
    tally_sha512_update(&context, data[0], size / 3);
    tally_sha512_update(&context, data[1], size);
    tally_sha512_final(&context, out[0]);
    expect_secret(out[0], 64);
    tally_sha512_many(messages, size, COUNT, out);
    expect_secret(out[0], sizeof out);
}

static void check_keyed(size_t size)
{
    uint8_t out[100];
    tally_hmac_sha256_tag(data[0], size, data[1], SIZE, out);
    expect_secret(out, 32);
    if (tally_hkdf_sha256(data[0], size, data[1], size, data[2], 20, out, sizeof out) != TALLY_OK) {
        fail("tally_hkdf_sha256 failed");
    }
    expect_secret(out, sizeof out);
}

static void check_backend(uint32_t features, const char *name256, const char *name512)
{
    if (tally_cpu_lower(features) != features ||
        strcmp(tally_sha256_backend_name(COUNT), name256) != 0 ||
        strcmp(tally_sha512_backend_name(COUNT), name512) != 0) {
        printf("skipped: this CPU has no %s and %s\n", name256, name512);
        return;
    }
    for (size_t size = 1; size <= SIZE; size += 13) {
        check_hash_256(size);
        check_hash_512(size);
        check_keyed(size);
    }
    printf("checked: %s and %s\n", name256, name512);
}

static void check(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = data[i];
    }
    make_secret(data, sizeof data);
    check_backend(TALLY_CPU_SHANI | TALLY_CPU_SSSE3, "sha-ni-2", "portable");
    check_backend(TALLY_CPU_AVX2, "avx2", "avx2");
    check_backend(TALLY_CPU_BMI2, "portable", "bmi2");
    check_backend(0, "portable", "portable");
}
