/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST, format-preserving encryption (Durak, Horst, Horst, Vaudenay, ASIACRYPT 2021, ePrint
 * 2021/1171). Words of `length` symbols 0..radix-1, one byte a symbol, become words of the same
 * radix and length. docs/reference/fast.md has the byte encodings that the paper leaves open.
 *
 * There are two objects. A *pool* depends on the key and the radix alone. It is immutable after its
 * set-up, so any number of threads may share it. A *cipher* uses a pool. It caches the sequences of
 * the most recent tweaks and lengths, has scratch memory, and belongs to one thread at a time.
 *
 * Many words of one length and tweak are processed in vector lanes, one word a lane; no address
 * depends on a symbol. The code for one word looks S-boxes up by secret index:
 * docs/explanation/side-channels.md. */
#ifndef TALLYSTICK_FAST_H
#define TALLYSTICK_FAST_H

#include "tallystick/aes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_FAST_MIN_RADIX = 4,
    TALLY_FAST_MAX_RADIX = 256,
    TALLY_FAST_MIN_LENGTH = 2,              /* profile "fast" */
    TALLY_FAST_MAX_LENGTH = 1 << 16,        /* profile "fast" */
    TALLY_FAST_LEGACY_MAX_LENGTH = 1 << 20, /* profile "bytes-legacy", from 0 */
    TALLY_FAST_POOL_SIZE = 256              /* m, the S-boxes of a pool */
};

/* Statuses 32..47; a key of a wrong size is TALLY_ERROR_KEY_SIZE of aes.h. */
enum {
    TALLY_ERROR_RADIX = 32,  /* a radix is outside 4..256, or not the profile's or cipher's */
    TALLY_ERROR_LENGTH = 33, /* a length is outside its range */
    TALLY_ERROR_PARAMS = 34, /* layers, w or w' do not make a FAST cipher */
    TALLY_ERROR_SYMBOL = 35  /* a symbol is >= the radix, or a number >= the range's size */
};

/* TALLY_FAST is the cipher of the paper, for all new data. TALLY_FAST_BYTES_LEGACY is the key
 * schedule and round counts of the first go-fast: radix 256 only, rounds far below the paper's,
 * and weak at one and two bytes. Use it to read and replace old tokens, never for new
 * data. */
typedef enum tally_fast_profile { TALLY_FAST = 0, TALLY_FAST_BYTES_LEGACY = 1 } tally_fast_profile;

/* The parameters of one instance. */
typedef struct tally_fast_params {
    uint32_t radix;   /* a, 4..256 */
    uint32_t length;  /* l, symbols of a word */
    uint32_t layers;  /* n, a multiple of l, at least l */
    uint32_t w;       /* branch distance, 0..l-2 */
    uint32_t w_prime; /* branch distance, 1..l-1 (recommended: at most l-w-1) */
} tally_fast_params;

/* The parameters that the profile recommends: for TALLY_FAST, 128-bit security by table 1 of the
 * paper, interpolated. TALLY_ERROR_RADIX, TALLY_ERROR_LENGTH: outside the profile's range.
 * TALLY_ERROR_ARGUMENT: the profile is unknown. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_recommended(tally_fast_profile profile,
                                                               uint32_t radix, uint32_t length,
                                                               tally_fast_params *out);

/* The S-box pool of one key and radix, with the key's CMAC, in memory of the caller. */
typedef struct tally_fast_pool tally_fast_pool;

/* Bytes of memory for a pool; 0 for a radix outside 4..256. */
TALLY_API size_t tally_fast_pool_size(uint32_t radix);

/* Builds a pool in `memory`, of tally_fast_pool_size(radix) bytes and any alignment; *out points
 * into it. The memory must not move while the pool is in use. Dispose of it with
 * tally_fast_pool_wipe. TALLY_ERROR_RADIX: outside 4..256, or not 256 in the legacy profile.
 * TALLY_ERROR_KEY_SIZE: not 16, 24 or 32. TALLY_ERROR_ARGUMENT: memory too small, or an unknown
 * profile. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_pool_init(tally_fast_profile profile,
                                                             uint32_t radix, const uint8_t *key,
                                                             size_t key_size, void *memory,
                                                             size_t memory_size,
                                                             tally_fast_pool **out);

/* Wipes all of a pool. Its ciphers cannot be used afterwards, so wipe them first. */
TALLY_API void tally_fast_pool_wipe(tally_fast_pool *pool);

/* A cipher caches the sequences of `capacity` tweaks and lengths. A new one replaces
 * the least recently used one. */
typedef struct tally_fast_cipher tally_fast_cipher;

/* Bytes of memory for a cipher that caches `capacity` sequences: 0 unless that is in 1..4096. A
 * cipher of 64 takes at most 320,000 bytes. */
TALLY_API size_t tally_fast_cipher_size(size_t capacity);

/* Sets a cipher up in `memory`, of tally_fast_cipher_size(capacity) bytes and any alignment. The
 * pool must outlive it. Dispose of it with tally_fast_cipher_wipe. TALLY_ERROR_ARGUMENT: the
 * capacity is not in 1..4096, or memory too small. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_cipher_init(const tally_fast_pool *pool,
                                                               size_t capacity, void *memory,
                                                               size_t memory_size,
                                                               tally_fast_cipher **out);

/* Wipes the cached sequences, which depend on the key; words are wiped in each call already. Memory
 * that was never used is not touched. The cipher cannot be used afterwards. */
TALLY_API void tally_fast_cipher_wipe(tally_fast_cipher *cipher);

/* Encrypts or decrypts `count` words of params->length symbols, side by side in memory, under one
 * tweak of any size (NULL if 0). `out` may equal `words`; other overlaps are not allowed.
 * One word is a count of 1. `words` must not change during the call.
 * TALLY_ERROR_RADIX: params are not of the pool's radix. TALLY_ERROR_LENGTH, TALLY_ERROR_PARAMS:
 * they are no instance of FAST (legacy profile: not the recommended parameters).
 * TALLY_ERROR_SYMBOL: a symbol is not below the radix. TALLY_ERROR_ARGUMENT: the words do
 * not fit in the address space. After an error `out` is what it was before. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_encrypt_words(
    tally_fast_cipher *cipher, const tally_fast_params *params, const uint8_t *tweak,
    size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_decrypt_words(
    tally_fast_cipher *cipher, const tally_fast_params *params, const uint8_t *tweak,
    size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out);

/* The radix and length of words for the numbers 0..size-1 (size 0 stands for 2^64). The length is
 * the least one >= 2 with 256^length >= size, and the radix the least >= 4 with
 * radix^length >= size. A cipher for
 * tally_fast_encrypt_range must have this radix. TALLY_ERROR_ARGUMENT: size is 1. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_range_params(uint64_t size,
                                                                tally_fast_params *out);

/* A permutation of the numbers 0..size-1 (size 0 stands for 2^64). A number is a word of
 * tally_fast_range_params, most significant symbol first. It is encrypted until it is below size
 * again (cycle walking; docs/reference/fast.md proves that it ends). `out` may equal `numbers`.
 * TALLY_ERROR_RADIX: the cipher has another radix, or is of the legacy profile.
 * TALLY_ERROR_SYMBOL: a number is not below size. TALLY_ERROR_ARGUMENT: size is 1. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_fast_encrypt_range(tally_fast_cipher *cipher, uint64_t size, const uint8_t *tweak,
                         size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out);
TALLY_API TALLY_MUST_CHECK tally_status
tally_fast_decrypt_range(tally_fast_cipher *cipher, uint64_t size, const uint8_t *tweak,
                         size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
