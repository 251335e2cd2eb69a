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
 * attacker knows. If it returns another status than TALLY_OK, the calling function stops and
 * returns that status. */
typedef tally_status tally_mask_fill(void *context, uint8_t *out, size_t size);

typedef struct tally_mask_source {
    tally_mask_fill *fill;
    void *context;
} tally_mask_source;

/* A ready-made source: the AES-128-CTR stream of a key from the operating system's entropy. It
 * uses the AES of aes.h, which is not masked. Each generator draws a new key, and a leak about it
 * reveals masks, not the masked key. Wipe it with tally_wipe. One thread at a time. */
typedef struct tally_mask_generator {
    tally_aes_key key;
    uint8_t counter[16];
} tally_mask_generator;

/* TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
tally_status tally_mask_generator_init(tally_mask_generator *out);
/* A tally_mask_fill, whose context is the generator; always TALLY_OK. */
tally_status tally_mask_generator_fill(void *generator, uint8_t *out, size_t size);

#define TALLY_MASKED_ALIGNMENT 64 /* bytes, of bit-sliced memory */

/* How blocks lie in words: `bits` is 16, 32, 64, 128, 256 or 512, and a word has bits / 16 blocks.
 * Private. */
typedef struct tally_masked_slicing tally_masked_slicing;

/* The slicing with words of `bits`; bits = 0: the narrowest that takes `blocks` blocks at once, or
 * the widest of this CPU, if none does. `order` is 1 (two shares) or 2 (three).
 * TALLY_ERROR_ARGUMENT: this CPU, or this build, has no such words; or the order is another. */
tally_status tally_masked_choose(unsigned order, unsigned bits, size_t blocks,
                                 const tally_masked_slicing **out);

unsigned tally_masked_bits(const tally_masked_slicing *slicing);
size_t tally_masked_blocks(const tally_masked_slicing *slicing); /* at once: bits / 16 */
size_t tally_masked_shares(const tally_masked_slicing *slicing); /* order + 1 */

/* Bytes of a bit-sliced state: for each share eight planes of one word, plane p of bit p of every
 * byte. The byte of row r and column c of block b is bit (4 r + c) blocks + b of a word of at most
 * 64 bits, in the CPU's byte order. Wider ones consist of units of 128 bits, where it is bit b /
 * units of byte 4 r + c of unit b modulo units. */
size_t tally_masked_state_size(const tally_masked_slicing *slicing);

/* Random bytes that a call takes from its source: to share a state; to encrypt or decrypt one; to
 * expand a key of 16, 24 or 32 bytes. What masks keys first, tally_masked_set_key, takes a byte
 * more for each byte of the keys at order 1, and two at order 2. */
size_t tally_masked_share_cost(const tally_masked_slicing *slicing);
size_t tally_masked_crypt_cost(const tally_masked_slicing *slicing, size_t key_size);
size_t tally_masked_expand_cost(const tally_masked_slicing *slicing, size_t key_size);

/* An expanded key on shares. It holds a key for each of the blocks of a word; wipe its memory with
 * tally_wipe. May be used by any number of threads at once. */
typedef struct tally_masked_key tally_masked_key;

/* Bytes of memory that a key of 16, 24 or 32 bytes takes, whatever its alignment. */
size_t tally_masked_key_size(const tally_masked_slicing *slicing, size_t key_size);

/* Expands `count` keys of `key_size` bytes each, one after the other in memory: one, for all
 * blocks; or one for each block of a word. They are masked before anything else is done with them.
 * TALLY_ERROR_KEY_SIZE; TALLY_ERROR_ARGUMENT: another count, or too little memory; or what the
 * source returns. */
tally_status tally_masked_set_key(const tally_masked_slicing *slicing, const uint8_t *keys,
                                  size_t key_size, size_t count, const tally_mask_source *source,
                                  void *memory, size_t memory_size, tally_masked_key **out);

/* The same with keys that are shared already: shares[s] has share s of all of them, whose XOR they
 * are. */
tally_status tally_masked_set_key_shares(const tally_masked_slicing *slicing,
                                         const uint8_t *const shares[], size_t key_size,
                                         size_t count, const tally_mask_source *source,
                                         void *memory, size_t memory_size, tally_masked_key **out);

/* Encrypts or decrypts blocks of 16 bytes, each by itself: their shares are made before the first
 * round, and put together after the last. With a key for each block of a word, block i takes key i
 * modulo tally_masked_blocks. `out` may equal `in`; other overlaps are not allowed. Errors are
 * those of the source alone; with them `out` is zeroed. */
tally_status tally_masked_encrypt_blocks(const tally_masked_key *key,
                                         const tally_mask_source *source, const uint8_t *in,
                                         size_t blocks, uint8_t *out);
tally_status tally_masked_decrypt_blocks(const tally_masked_key *key,
                                         const tally_mask_source *source, const uint8_t *in,
                                         size_t blocks, uint8_t *out);

/* Encrypts one block under a key of AES-128 that is used once, given by two shares: it is expanded
 * on the way, which on a Cortex-M0+ costs no memory and little time. `out` may equal `in`; errors
 * as above. Random bytes: those of two blocks to share, and of 20 S-boxes (10 on a Cortex-M0+). */
tally_status tally_masked_encrypt_once(const uint8_t *const key[2], const tally_mask_source *source,
                                       const uint8_t in[16], uint8_t out[16]);

/* The shared interface: nothing is ever put together. A state is aligned to TALLY_MASKED_ALIGNMENT;
 * what is encrypted or decrypted is changed in place, and zeroed on any status but TALLY_OK. */
tally_status tally_masked_encrypt_state(const tally_masked_key *key,
                                        const tally_mask_source *source, void *state);
tally_status tally_masked_decrypt_state(const tally_masked_key *key,
                                        const tally_mask_source *source, void *state);

/* A state from shares of `blocks` blocks each (those that a word has, or fewer: then the others are
 * zero), and back. Linear: shares do not meet. */
void tally_masked_slice(const tally_masked_slicing *slicing, const uint8_t *const shares[],
                        size_t blocks, void *state);
void tally_masked_unslice(const tally_masked_slicing *slicing, const void *state, size_t blocks,
                          uint8_t *const shares[]);

/* Expands keys that are shared and bit-sliced: `states` has one state, or two for keys of more than
 * 16 bytes, the second with what is left of each key, then zeros. Other errors as above. */
tally_status tally_masked_set_key_state(const tally_masked_slicing *slicing, const void *states,
                                        size_t key_size, const tally_mask_source *source,
                                        void *memory, size_t memory_size, tally_masked_key **out);

#ifdef __cplusplus
}
#endif
#endif
