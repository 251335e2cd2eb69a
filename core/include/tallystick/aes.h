/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 (FIPS 197) with counter mode (SP 800-38A) and CMAC (SP 800-38B, RFC
 * 4493). The back end is chosen when a key is initialized: the CPU's AES instructions where it has
 * them, else a bit-sliced one on the widest vectors or in portable C (docs/reference/aes.md). No
 * back end has a branch or an address that depends on key or data. */
#ifndef TALLYSTICK_AES_H
#define TALLYSTICK_AES_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TALLY_AES_BLOCK 16 /* bytes */

/* Statuses 16..31. */
enum { TALLY_ERROR_KEY_SIZE = 16 /* a key is not of 16, 24 or 32 bytes */ };

/* An expanded key for both directions. Its members are private; `space` is more than they need, so
 * that later versions keep the size. It may be copied, and used by any number of threads at
 * once. */
typedef struct tally_aes_key {
    const struct tally_aes_backend *backend;
    uint32_t rounds; /* 10, 12 or 14 */
    uint32_t reserved;
    union {
        uint8_t bytes[2][15][16]; /* round keys: of encryption, of the equivalent inverse cipher */
        struct {
            uint64_t planes[15][8]; /* bit-sliced round keys, the same for both directions */
            uint8_t bytes[15][16];  /* the same in bytes, for wider slices */
        } sliced;
        uint64_t space[158];
    } round_keys;
} tally_aes_key;

/* Expands a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_key_init(const uint8_t *key, size_t key_size,
                                                           tally_aes_key *out);

/* Expands `count` keys of `key_size` bytes each, side by side in memory, to out[0..count-1]. The
 * bit-sliced back ends expand several keys at a time, much faster than one by one.
 * TALLY_ERROR_KEY_SIZE: as tally_aes_key_init. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_keys_init(const uint8_t *keys, size_t key_size,
                                                            size_t count, tally_aes_key *out);

/* Sets up a key from round keys of 176, 208 or 240 bytes. They need not be the expansion of a key.
 * TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_key_init_round_keys(const uint8_t *round_keys,
                                                                      size_t size,
                                                                      tally_aes_key *out);

/* Wipes a key. */
TALLY_API void tally_aes_key_wipe(tally_aes_key *key);

/* Writes the round keys of a key in the order of FIPS 197: 11, 13 or 15 round keys of 16 bytes, for
 * a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_expand(const uint8_t *key, size_t key_size,
                                                         uint8_t *round_keys);

/* The name of the back end that a key uses, as in docs/reference/aes.md: "vaes-avx512", ..
 * "bitslice". */
TALLY_API const char *tally_aes_backend_name(const tally_aes_key *key);

/* A back end, and whether new keys can use it. */
typedef struct tally_aes_choice {
    const char *name;
    uint32_t needs; /* CPU features, as tally_cpu_features has them */
    uint32_t lacks; /* needed features that are missing or disabled; 0: usable */
} tally_aes_choice;

/* Describes compiled back end `index`, the fastest first. New keys use the first that lacks
 * nothing; the last one never lacks anything. Returns 1, or 0 if there is no such index. */
TALLY_API TALLY_MUST_CHECK int tally_aes_backend_at(size_t index, tally_aes_choice *out);

/* The same as text: the back end in use, the features that it needs, and for each faster back end
 * the features that are missing. Like snprintf, it writes at most `size` bytes with a final zero to
 * `text` (NULL if 0), and returns the length of the whole text without the zero. */
TALLY_API size_t tally_aes_explain(char *text, size_t size);

/* Encrypts or decrypts `blocks` blocks of 16 bytes, each by itself (ECB). `out` may equal `in`;
 * other overlaps are not allowed. */
TALLY_API void tally_aes_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                        uint8_t *out);
TALLY_API void tally_aes_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                        uint8_t *out);

/* Counter mode: out = in xor stream, where block i of the stream is the encryption of counter + i,
 * a 128-bit big-endian number. `in` may equal `out`, but not overlap it in part, and may be NULL:
 * then `out` is the stream itself. `counter` is advanced by the number of blocks begun, so a call
 * with a multiple of 16 bytes can be continued. */
TALLY_API void tally_aes_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                             size_t size, uint8_t *out);

/* The same from any byte of a stream: bytes `offset`, offset + 1, .. of the stream that begins with
 * the block `counter`, which is not changed. Everything else is as in tally_aes_ctr. */
TALLY_API void tally_aes_ctr_at(const tally_aes_key *key, const uint8_t counter[16],
                                uint64_t offset, const uint8_t *in, size_t size, uint8_t *out);

/* A CMAC key: an AES key and the two subkeys of RFC 4493, section 2.3. As tally_aes_key, it may be
 * copied and shared by threads. */
typedef struct tally_cmac_key {
    tally_aes_key aes;
    uint8_t k1[16], k2[16];
    uint64_t reserved[4];
} tally_cmac_key;

/* Sets up CMAC for a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_cmac_key_init(const uint8_t *key, size_t key_size,
                                                            tally_cmac_key *out);

/* The same for an expanded AES key, which is copied. */
TALLY_API void tally_cmac_key_init_aes(const tally_aes_key *key, tally_cmac_key *out);

/* Wipes a key. */
TALLY_API void tally_cmac_key_wipe(tally_cmac_key *key);

/* The tag of one message of `size` bytes (NULL if 0). */
TALLY_API void tally_cmac(const tally_cmac_key *key, const uint8_t *message, size_t size,
                          uint8_t tag[16]);

/* The tags of `count` messages under one key: messages[i] has sizes[i] bytes (NULL if 0). They
 * are processed side by side. Messages of similar size gain most: short ones take a fraction of the
 * time of single calls. `tags` must not overlap a message. */
TALLY_API void tally_cmac_many(const tally_cmac_key *key, const uint8_t *const messages[],
                               const size_t sizes[], size_t count, uint8_t (*tags)[16]);

/* A message in pieces: init, any number of updates, final. The members are private. The key must
 * outlive the state. */
typedef struct tally_cmac_state {
    const tally_cmac_key *key;
    uint8_t chain[16], buffer[16];
    size_t buffered; /* 0..16 bytes of `buffer` are in use */
    uint64_t reserved[2];
} tally_cmac_state;

TALLY_API void tally_cmac_init(tally_cmac_state *state, const tally_cmac_key *key);
TALLY_API void tally_cmac_update(tally_cmac_state *state, const uint8_t *message, size_t size);

/* Writes the tag, and wipes the state. */
TALLY_API void tally_cmac_final(tally_cmac_state *state, uint8_t tag[16]);

/* Wipes the state of a message that is not finished. */
TALLY_API void tally_cmac_wipe(tally_cmac_state *state);

#ifdef __cplusplus
}
#endif
#endif
