/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 (FIPS 197) on Boolean shares, bit-sliced, for CPUs whose power or
 * radiation an attacker can measure. Every bit of state and key is the XOR of order + 1 shares;
 * each AND takes fresh randomness.
 *
 * The proof is about the circuit: no wire of an S-box (order 1) and no two wires of an S-box
 * (order 2) depend on the shared value, if the sharing of the inputs is uniform. C code cannot
 * guarantee this: a compiler may combine shares of one value, and registers, memory and buses leak
 * the transition from one value to the next. For a Cortex-M0+, AES-128 with two shares is assembly
 * that avoids both.
 * docs/explanation/masked-aes.md has the details. */
#ifndef TALLYSTICK_MASKED_AES_H
#define TALLYSTICK_MASKED_AES_H

#include "tallystick/aes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Randomness: a function that fills `out` with `size` uniform and independent bytes that no
 * attacker knows. If it returns another status than TALLY_OK, the calling function stops, wipes its
 * results and returns that status. It must wait for slow hardware, but not for ever.
 * masked_random.h has such a function for a register with flags, and tests of health. With
 * TALLY_RANDOM_REGISTER it also gets size 0 and NULL, and says whether all words were sound. */
typedef tally_status tally_mask_fill(void *context, uint8_t *out, size_t size);

typedef struct tally_mask_source {
    tally_mask_fill *fill;
    void *context;
} tally_mask_source;

/* A ready-made source: the AES-128-CTR stream of a key from the operating system's entropy. It
 * uses the AES of aes.h, which is not masked. Each generator draws a new key, and a leak about it
 * reveals masks, not the masked key. One thread at a time. */
typedef struct tally_mask_generator {
    tally_aes_key key;
    uint8_t counter[16];
    uint64_t reserved[2];
} tally_mask_generator;

/* TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_mask_generator_init(tally_mask_generator *out);
/* A tally_mask_fill, whose context is the generator; always TALLY_OK. */
TALLY_API TALLY_MUST_CHECK tally_status tally_mask_generator_fill(void *generator, uint8_t *out,
                                                                  size_t size);
TALLY_API void tally_mask_generator_wipe(tally_mask_generator *generator);

/* Bytes, of bit-sliced memory: a cache line, or on a small machine what its words need. */
#if defined(TALLY_SLICE_BITS)
#define TALLY_MASKED_ALIGNMENT 8
#else
#define TALLY_MASKED_ALIGNMENT 64
#endif

/* A slicing: the layout of blocks in words. A word has 16, 32, 64, 128, 256 or 512 bits, and bits /
 * 16 blocks. Opaque; the library has them as constants. */
typedef struct tally_masked_slicing tally_masked_slicing;

/* The slicing with words of `bits`; bits = 0: the narrowest that takes `blocks` blocks at once, or
 * the widest of this CPU, if none does. `order` is 1 (two shares) or 2 (three).
 * TALLY_ERROR_ARGUMENT: this CPU, or this build, has no such words; or the order is another. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_choose(unsigned order, unsigned bits,
                                                            size_t blocks,
                                                            const tally_masked_slicing **out);

TALLY_API unsigned tally_masked_bits(const tally_masked_slicing *slicing);
TALLY_API size_t tally_masked_blocks(const tally_masked_slicing *slicing); /* at once: bits / 16 */
TALLY_API size_t tally_masked_shares(const tally_masked_slicing *slicing); /* order + 1 */

/* Bytes of a bit-sliced state: for each share eight planes of one word, plane p of bit p of every
 * byte. The byte of row r and column c of block b is bit (4 r + c) blocks + b of a word of at most
 * 64 bits, in the CPU's byte order. Wider ones consist of units of 128 bits, where it is bit b /
 * units of byte 4 r + c of unit b modulo units. */
TALLY_API size_t tally_masked_state_size(const tally_masked_slicing *slicing);

/* The random bytes that a call takes from its source to share a state, to encrypt or decrypt one,
 * or to expand a key of 16, 24 or 32 bytes. tally_masked_key_init first masks the keys. For each
 * byte of the keys it takes one more random byte at order 1, and two at order 2. */
TALLY_API size_t tally_masked_share_cost(const tally_masked_slicing *slicing);
TALLY_API size_t tally_masked_crypt_cost(const tally_masked_slicing *slicing, size_t key_size);
TALLY_API size_t tally_masked_expand_cost(const tally_masked_slicing *slicing, size_t key_size);

/* An expanded key on shares, in memory of the caller. It holds a key for each of the blocks of a
 * word. Wipe it with tally_masked_key_wipe. Any number of threads may use it at once. */
typedef struct tally_masked_key tally_masked_key;

/* The size of the memory that a key of 16, 24 or 32 bytes takes, whatever its alignment. A build
 * with TALLY_MASKED_SMALL has keys of 16 bytes alone: the others are of a wrong size there. */
TALLY_API size_t tally_masked_key_size(const tally_masked_slicing *slicing, size_t key_size);

#if defined(TALLY_SLICE_BITS)
/* The same for two shares, for memory that is not allocated. */
#define TALLY_MASKED_KEY_SIZE(key_size) (24 + ((key_size) / 4 + 7) * 2 * TALLY_SLICE_BITS)
#endif

/* Expands `count` keys of `key_size` bytes each, one after the other in memory: one, for all
 * blocks; or one for each block of a word. They are masked before anything else is done with them.
 * TALLY_ERROR_KEY_SIZE; TALLY_ERROR_ARGUMENT: another count, or too little memory; or what the
 * source returns. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_key_init(
    const tally_masked_slicing *slicing, const uint8_t *keys, size_t key_size, size_t count,
    const tally_mask_source *source, void *memory, size_t memory_size, tally_masked_key **out);

/* The same with shared keys: shares[s] has share s of all keys. The keys are the XOR of their
 * shares. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_masked_key_init_shares(const tally_masked_slicing *slicing, const uint8_t *const shares[],
                             size_t key_size, size_t count, const tally_mask_source *source,
                             void *memory, size_t memory_size, tally_masked_key **out);

/* Makes new shares of an expanded key in its place; the key stays the same. Whoever can average
 * over many uses of the same shares learns each of them more and more precisely: so refresh a key
 * that stays at least once in TALLY_MASKED_REFRESH_BLOCKS blocks. It takes
 * tally_masked_refresh_cost random bytes. No other thread may use the key meanwhile. If the source
 * fails, some round keys have their old shares, and the key still works.
 * TALLY_ERROR_ARGUMENT: the key was wiped; or what the source returns. */
#define TALLY_MASKED_REFRESH_BLOCKS 256
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_refresh(tally_masked_key *key,
                                                             const tally_mask_source *source);
TALLY_API size_t tally_masked_refresh_cost(const tally_masked_slicing *slicing, size_t key_size);

/* The same of bytes that are the XOR of `count` shares, 2 or 3, of `size` bytes each: a key as it is
 * stored, for tally_masked_key_init_shares and tally_masked_encrypt_once. Takes size random bytes
 * with two shares, and three times that with three. TALLY_ERROR_ARGUMENT: another count. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_refresh_shares(
    uint8_t *const shares[], size_t count, size_t size, const tally_mask_source *source);

/* Encrypts or decrypts blocks of 16 bytes, each by itself: they are shared before the first
 * round, and their shares are combined after the last one. With a key for each block of a word,
 * block i takes key i modulo tally_masked_blocks. `out` may equal `in`; other overlaps are not
 * allowed. Errors are those of the source alone; with them `out` is zeroed. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_blocks(const tally_masked_key *key,
                                                                    const tally_mask_source *source,
                                                                    const uint8_t *in,
                                                                    size_t blocks, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_decrypt_blocks(const tally_masked_key *key,
                                                                    const tally_mask_source *source,
                                                                    const uint8_t *in,
                                                                    size_t blocks, uint8_t *out);

/* Encrypts one block under a key of AES-128 that is used once, given by two shares. The key is
 * expanded during the rounds, which on a Cortex-M0+ costs no memory and little time. `out` may
 * equal `in`; errors as above. Random bytes: those of two blocks to share, and of 20 S-boxes (10 on
 * a Cortex-M0+). */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_once(const uint8_t *const key[2],
                                                                  const tally_mask_source *source,
                                                                  const uint8_t in[16],
                                                                  uint8_t out[16]);

/* Encrypts or decrypts a shared state in place; shares are never combined. The state is aligned to
 * TALLY_MASKED_ALIGNMENT, and zeroed on any status but TALLY_OK. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_state(const tally_masked_key *key,
                                                                   const tally_mask_source *source,
                                                                   void *state);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_decrypt_state(const tally_masked_key *key,
                                                                   const tally_mask_source *source,
                                                                   void *state);

/* Converts shares of `blocks` blocks each to a state, and back. If there are fewer blocks than a
 * word has, the others are zero. Both functions are linear, and never combine shares. */
TALLY_API void tally_masked_slice(const tally_masked_slicing *slicing,
                                  const uint8_t *const shares[], size_t blocks, void *state);
TALLY_API void tally_masked_unslice(const tally_masked_slicing *slicing, const void *state,
                                    size_t blocks, uint8_t *const shares[]);

/* The same with shared and bit-sliced keys. `states` has one state, or two for keys of more than 16
 * bytes: the second one has the remaining bytes of each key, then zeros. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_key_init_state(
    const tally_masked_slicing *slicing, const void *states, size_t key_size,
    const tally_mask_source *source, void *memory, size_t memory_size, tally_masked_key **out);

/* Wipes the round keys. The key cannot be used afterwards; wiping it again does nothing. */
TALLY_API void tally_masked_key_wipe(tally_masked_key *key);

#ifdef __cplusplus
}
#endif
#endif
