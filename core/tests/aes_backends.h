/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES back ends, to be forced in turn. */
#ifndef TALLY_TESTS_AES_BACKENDS_H
#define TALLY_TESTS_AES_BACKENDS_H

#include "base/cpu.h"
#include "check.h"
#include "tallystick/aes.h"

static const struct aes_backend_row {
    const char *name;
    uint32_t features; /* all that it needs, and nothing that would give a better one */
} aes_backends[] = {
    {"vaes-avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512 | TALLY_CPU_BMI2 | TALLY_CPU_AVX2 |
                        TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    {"vaes-avx2", TALLY_CPU_VAES | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    {"aes-ni", TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    {"armv8", TALLY_CPU_ARM_AES},
    {"bitslice-avx512", TALLY_CPU_AVX512 | TALLY_CPU_AVX2},
    {"bitslice-avx2", TALLY_CPU_AVX2},
    {"bitslice-ssse3", TALLY_CPU_SSSE3},
    {"bitslice-sse2", TALLY_CPU_SSE2},
    {"bitslice-neon", TALLY_CPU_NEON},
    {"bitslice", 0},
};

#define AES_BACKENDS (sizeof aes_backends / sizeof aes_backends[0])

/* Makes keys that are set up from now on use a back end; false, with a line of output, if this CPU
 * can't run it. */
static inline bool aes_use_backend(const struct aes_backend_row *row)
{
    if (tally_cpu_lower(row->features) != row->features) {
        printf("skipped: this CPU has no %s\n", row->name);
        return false;
    }
    CHECK_ABOUT("%s", row->name);
    tally_aes_key key;
    CHECK_EQUAL(tally_aes_key_init((const uint8_t[16]){0}, 16, &key), TALLY_OK);
    CHECK(strcmp(tally_aes_backend_name(&key), row->name) == 0);
    return true;
}

#endif
