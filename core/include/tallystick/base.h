/* SPDX-License-Identifier: Apache-2.0
 *
 * The base of every part of the core: status codes, CPU features, wiping, entropy. */
#ifndef TALLYSTICK_BASE_H
#define TALLYSTICK_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "tallystick/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result of every function that can fail. On any value but TALLY_OK the function has written
 * nothing to its outputs, unless its description says otherwise. */
typedef enum tally_status {
    TALLY_OK = 0,
    TALLY_ERROR_KEY_SIZE,    /* a key is not of 16, 24 or 32 bytes */
    TALLY_ERROR_RADIX,       /* a radix is outside 4..256, or not the profile's or cipher's */
    TALLY_ERROR_LENGTH,      /* a word length is outside the profile's range */
    TALLY_ERROR_PARAMS,      /* layers, w or w' do not make a FAST cipher */
    TALLY_ERROR_SYMBOL,      /* a symbol is >= the radix, or a value >= the range's size */
    TALLY_ERROR_ARGUMENT,    /* any other argument outside its documented range */
    TALLY_ERROR_ENTROPY,     /* the operating system gave no entropy */
    TALLY_ERROR_SHARES_FEW,  /* fewer good shares of one set than its threshold */
    TALLY_ERROR_SHARES_SETS, /* enough shares of more than one set */
    TALLY_ERROR_SHARES_FALSE /* the shares are not the sharing of one secret */
} tally_status;

/* A short English sentence for a status; never NULL, static storage. */
const char *tally_status_text(tally_status status);

/* CPU features that a back end may need, as bits. */
enum {
    TALLY_CPU_SSSE3 = 1 << 0,
    TALLY_CPU_AESNI = 1 << 1,
    TALLY_CPU_AVX2 = 1 << 2,
    TALLY_CPU_AVX512VBMI = 1 << 3,  /* with AVX512F, AVX512BW and AVX512VL */
    TALLY_CPU_AVX512VBMI2 = 1 << 4, /* with those */
    TALLY_CPU_VAES = 1 << 5,
    TALLY_CPU_NEON = 1 << 6, /* of AArch64 */
    TALLY_CPU_GFNI = 1 << 7,
    TALLY_CPU_SHANI = 1 << 8,
    TALLY_CPU_AVX512 = 1 << 9,      /* AVX512F, AVX512BW and AVX512VL */
    TALLY_CPU_ARM_SHA256 = 1 << 10, /* of AArch64, as the next one */
    TALLY_CPU_ARM_SHA512 = 1 << 11,
    TALLY_CPU_BMI2 = 1 << 12,
    TALLY_CPU_ARM_AES = 1 << 13, /* of AArch64 */
    TALLY_CPU_SSE2 = 1 << 14
};

/* The features in use: those of this CPU and operating system, less those that tally_cpu_lower
 * disabled. */
uint32_t tally_cpu_features(void);

/* The name of one feature, as people write it ("aes", "avx512"); NULL if it is not one. */
const char *tally_cpu_feature_name(uint32_t feature);

/* Disables the CPU features that are not in `allowed` and returns the features that remain. Tests
 * reach every back end on one machine with it. UINT32_MAX restores all features. Keys and pools
 * keep the back end of their set-up. Do not call it while other threads set up keys. */
uint32_t tally_cpu_lower(uint32_t allowed);

/* Overwrites `size` bytes with zeros; compilers cannot remove the call. `memory` may be NULL if
 * size is 0. */
void tally_wipe(void *memory, size_t size);

/* Fills `out` with `size` bytes from the operating system's generator (getrandom, getentropy or
 * BCryptGenRandom). TALLY_ERROR_ENTROPY: `out` is zeroed. */
tally_status tally_entropy(size_t size, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
