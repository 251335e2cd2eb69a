/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-2 (FIPS 180-4): SHA-256 and SHA-512 of one message and of several side by side, SHA-224 and
 * SHA-384 of one, with HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869). The back end is chosen
 * when a hash is begun: the CPU's instructions for SHA-2 where it has them, vectors for several
 * messages, else portable C. None has a branch or an address that depends on data; sizes are not
 * secret. */
#ifndef TALLYSTICK_SHA2_H
#define TALLYSTICK_SHA2_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SHA256_SIZE = 32, /* bytes of a digest */
    TALLY_SHA256_BLOCK = 64,
    TALLY_SHA512_SIZE = 64,
    TALLY_SHA512_BLOCK = 128,
    TALLY_HKDF_SHA256_MOST = 255 * TALLY_SHA256_SIZE /* bytes that one HKDF gives at most */
};

/* A message in pieces: init, any number of updates, final. The members are private, and
 * `reserved` is for later versions. A copy continues from the same prefix. */
typedef struct tally_sha256 {
    const struct tally_sha256_backend *backend;
    uint64_t size; /* bytes so far; size modulo the block's are in `buffer` */
    uint32_t state[8];
    uint8_t buffer[64];
    uint64_t reserved[2];
} tally_sha256;

typedef struct tally_sha512 {
    const struct tally_sha512_backend *backend;
    uint64_t size;
    uint64_t state[8];
    uint8_t buffer[128];
    uint64_t reserved[6];
} tally_sha512;

/* Begins a message. */
TALLY_API void tally_sha256_init(tally_sha256 *context);
TALLY_API void tally_sha512_init(tally_sha512 *context);

/* Begins a message of SHA-224 or SHA-384. Continue as for SHA-256 or SHA-512; the digest is the
 * first 28 or 48 bytes of the output of `final`. */
TALLY_API void tally_sha224_init(tally_sha256 *context);
TALLY_API void tally_sha384_init(tally_sha512 *context);

/* Adds `size` bytes (NULL if 0). A message has less than 2^61 bytes. */
TALLY_API void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size);
TALLY_API void tally_sha512_update(tally_sha512 *context, const uint8_t *data, size_t size);

/* Writes the digest, and wipes the context. */
TALLY_API void tally_sha256_final(tally_sha256 *context, uint8_t out[32]);
TALLY_API void tally_sha512_final(tally_sha512 *context, uint8_t out[64]);

/* Wipes the context of a message that is not finished. */
TALLY_API void tally_sha256_wipe(tally_sha256 *context);
TALLY_API void tally_sha512_wipe(tally_sha512 *context);

/* The digest of one message of `size` bytes (NULL if 0). `out` may overlap it. */
TALLY_API void tally_sha256_digest(const uint8_t *data, size_t size, uint8_t out[32]);
TALLY_API void tally_sha512_digest(const uint8_t *data, size_t size, uint8_t out[64]);

/* The digests of `count` messages (0 or more) of `size` bytes each (NULL if 0), computed
 * side by side: out[i] is the digest of messages[i]. Messages may overlap each other, not `out`. */
TALLY_API void tally_sha256_many(const uint8_t *const messages[], size_t size, size_t count,
                                 uint8_t out[][32]);
TALLY_API void tally_sha512_many(const uint8_t *const messages[], size_t size, size_t count,
                                 uint8_t out[][64]);

/* The name of the back end that `count` messages (1 or more) begin on, static storage: for SHA-256
 * "avx512", "sha-ni-2", "sha-ni", "avx2", "armv8-2", "armv8" or "portable", for SHA-512 "avx512",
 * "avx2", "bmi2", "armv8" or "portable". One message, whole or in pieces, is a count of 1. */
TALLY_API const char *tally_sha256_backend_name(size_t count);
TALLY_API const char *tally_sha512_backend_name(size_t count);

/* HMAC-SHA-256 in pieces, like a hash. A copy of a fresh context saves setting the key up again. */
typedef struct tally_hmac_sha256 {
    tally_sha256 inner, outer;
} tally_hmac_sha256;

/* Begins a message under a key of `key_size` bytes (NULL if 0); any size is allowed. */
TALLY_API void tally_hmac_sha256_init(tally_hmac_sha256 *context, const uint8_t *key,
                                      size_t key_size);
TALLY_API void tally_hmac_sha256_update(tally_hmac_sha256 *context, const uint8_t *data,
                                        size_t size);

/* Writes the whole tag of 32 bytes, and wipes the context. */
TALLY_API void tally_hmac_sha256_final(tally_hmac_sha256 *context, uint8_t tag[32]);

/* Wipes the context of a message that is not finished. */
TALLY_API void tally_hmac_sha256_wipe(tally_hmac_sha256 *context);

/* The tags of `count` messages (0 or more) with a common prefix. Message i is the data that
 * `context` has received, then values[offsets[i] .. offsets[i + 1]). There are count + 1 ascending
 * offsets. `context` is not changed; the caller wipes it. */
TALLY_API void tally_hmac_sha256_rows(const tally_hmac_sha256 *context, const uint8_t *values,
                                      const uint64_t *offsets, size_t count, uint8_t tags[][32]);

/* The tag of one message of `size` bytes (NULL if 0). */
TALLY_API void tally_hmac_sha256_tag(const uint8_t *key, size_t key_size, const uint8_t *data,
                                     size_t size, uint8_t tag[32]);

/* HKDF-SHA-256: derives `size` bytes from the keying material `ikm`, for the purpose `info`. Each
 * input may be NULL if its size is 0; RFC 5869, section 3, says how to choose them. `out` may not
 * overlap an input. TALLY_ERROR_ARGUMENT: `size` is above TALLY_HKDF_SHA256_MOST. */
TALLY_API TALLY_MUST_CHECK tally_status tally_hkdf_sha256(const uint8_t *salt, size_t salt_size,
                                                          const uint8_t *ikm, size_t ikm_size,
                                                          const uint8_t *info, size_t info_size,
                                                          uint8_t *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
