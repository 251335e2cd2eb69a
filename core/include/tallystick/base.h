/* SPDX-License-Identifier: Apache-2.0
 *
 * The base of every part of the library: statuses, version, CPU features, wiping, entropy. */
#ifndef TALLYSTICK_BASE_H
#define TALLYSTICK_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "tallystick/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result of every function that can fail. On any value but TALLY_OK the function has written
 * nothing to its outputs, unless its description says otherwise. Each part of the library has a
 * range of 16 numbers: base 0..15, AES 16..31 (aes.h), FAST 32..47 (fast.h), shares 48..63
 * (shares.h), formats 64..79 (formats.h), tokens 80..95 (tokens.h), key rings 96..111 (keyring.h),
 * policies 112..127 (policy.h), FF1 128..143 (ff1.h), text 144..159 (text.h). */
typedef int32_t tally_status;

enum {
    TALLY_OK = 0,
    TALLY_ERROR_ARGUMENT = 1, /* an argument outside its documented range */
    TALLY_ERROR_ENTROPY = 2,  /* the operating system gave no entropy */
    TALLY_ERROR_MEMORY = 3,   /* the allocator gave no memory */
    TALLY_ERROR_PROBLEM = 4   /* refused: a tally_problem says why */
};

/* Where memory comes from. Functions that take an allocator accept NULL for malloc and free, which
 * a freestanding build does not have: there NULL gives no memory.
 *
 * `allocate` returns memory that is aligned for any object, or NULL; size is at least 1. `release`
 * gets each piece once, with its size. Threads that share an allocator may call both at once. */
typedef struct tally_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context; /* is passed to both */
} tally_allocator;

/* Why something was refused, for a person to read: UTF-8, zero-terminated, cut if it is too long.
 * `place` is where, as a dotted path that TOML could have (columns.name.format), or empty. `text`
 * says what is wrong and how to mend it. Neither holds a key or a value to be protected. */
typedef struct tally_problem {
    char place[256];
    char text[768];
} tally_problem;

/* The class of a character, which a message may show where the character itself is secret. */
typedef enum tally_character {
    TALLY_CHARACTER_LETTER = 0,
    TALLY_CHARACTER_DIGIT,
    TALLY_CHARACTER_SPACE,
    TALLY_CHARACTER_CONTROL,
    TALLY_CHARACTER_OTHER
} tally_character;

/* A short English sentence for a status of any part; never NULL, static storage. */
TALLY_API const char *tally_status_text(tally_status status);

/* The version of the library, such as "1.2.0"; static storage. */
TALLY_API const char *tally_version(void);

/* CPU features that a back end may need, as bits. */
enum {
    TALLY_CPU_SSSE3 = 1 << 0,
    TALLY_CPU_AESNI = 1 << 1,
    TALLY_CPU_AVX2 = 1 << 2,
    TALLY_CPU_AVX512VBMI = 1 << 3,  /* with AVX512F, AVX512BW and AVX512VL */
    TALLY_CPU_AVX512VBMI2 = 1 << 4, /* with those, BMI1, BMI2 and AVX512IFMA */
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

/* The features in use: those of this CPU that the operating system supports. */
TALLY_API uint32_t tally_cpu_features(void);

/* The name of one feature, as people write it ("aes", "avx512"); NULL if it is not one. */
TALLY_API const char *tally_cpu_feature_name(uint32_t feature);

/* Overwrites `size` bytes with zeros; compilers cannot remove the call. `memory` may be NULL if
 * size is 0. */
TALLY_API void tally_wipe(void *memory, size_t size);

/* Fills `out` with `size` bytes from the operating system's generator (getrandom, getentropy or
 * BCryptGenRandom). TALLY_ERROR_ENTROPY: `out` is zeroed. */
TALLY_API TALLY_MUST_CHECK tally_status tally_entropy(uint8_t *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
