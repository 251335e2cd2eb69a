/* SPDX-License-Identifier: Apache-2.0
 *
 * A back end of SHA-2: the compression function (FIPS 180-4, section 6) on a number of lanes,
 * one message in each. A new one is a file that defines this table, its declaration below, and a
 * row in sha256.c or sha512.c, which choose. */
#ifndef TALLY_SHA2_BACKEND_H
#define TALLY_SHA2_BACKEND_H

#include "base/dispatch.h"
#include "tallystick/sha2.h"

enum { TALLY_SHA2_MAX_LANES = 16 };

struct tally_sha256_backend {
    tally_backend backend;
    uint32_t lanes; /* messages that go side by side; fewer take as long */
    /* Cycles for a block in each lane, about: measured on Sapphire Rapids, that of AArch64 guessed.
     * Only the order of cycles divided by messages matters. */
    uint32_t cycles;
    /* `blocks` blocks of each lane, which begin at data[lane]; word i of a lane's chaining value is
     * state[i * lanes + lane]. `state` is aligned to 64 if there is more than one lane. */
    void (*compress)(const uint8_t *const data[], size_t blocks, uint32_t *state);
};

struct tally_sha512_backend {
    tally_backend backend;
    uint32_t lanes, cycles;
    void (*compress)(const uint8_t *const data[], size_t blocks, uint64_t *state);
};

extern const struct tally_sha256_backend tally_sha256_avx512, tally_sha256_avx2,
    tally_sha256_shani_2, tally_sha256_shani, tally_sha256_armv8_2, tally_sha256_armv8,
    tally_sha256_portable;
extern const struct tally_sha512_backend tally_sha512_avx512, tally_sha512_avx2, tally_sha512_bmi2,
    tally_sha512_armv8, tally_sha512_portable;

/* The digests of `count` messages: what `context` has received, then values[offsets[i] .. offsets[i +
 * 1]). Short ones of as many blocks go side by side. `out` may be `values`. */
void tally_sha256_continue(const tally_sha256 *context, const uint8_t *values,
                           const uint64_t *offsets, size_t count, uint8_t out[][TALLY_SHA256_SIZE]);

/* The constants of the rounds (sections 4.2.2 and 4.2.3). */
extern const uint32_t tally_sha256_constants[64];
extern const uint64_t tally_sha512_constants[80];

#endif
