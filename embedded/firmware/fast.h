/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST (docs/reference/fast.md) with radix 10 for a small chip. The master key, and the keys of the
 * two generators that are derived from it, exist only as shares. Pool, sequence and words are as
 * they are: who can measure the chip while words are encrypted may learn them.
 *
 * Parameters and encodings are the core's own code. A pool of the core takes more than 16 KiB, and
 * has the expanded master key in the clear. Here an S-box and its inverse are the halves of ten
 * bytes. */
#ifndef TALLY_FIRMWARE_FAST_H
#define TALLY_FIRMWARE_FAST_H

#include "tallystick/fast.h"
#include "tallystick/masked_aes.h"

enum {
    FAST_RADIX = 10,
    FAST_MOST_SYMBOLS = 20,                    /* of a word */
    FAST_MOST_LAYERS = 37 * FAST_MOST_SYMBOLS, /* those recommended for as many */
    FAST_KEY_MEMORY = 11 * 64 + 64 + 63        /* an expanded key of AES-128 */
};

_Static_assert(FAST_MOST_SYMBOLS >= 16 && FAST_MOST_SYMBOLS <= 32,
               "other lengths have more layers for each symbol");

/* A pool, the sequence of one length and tweak, and memory for a generator at work. */
typedef struct fast_cipher {
    uint8_t sboxes[TALLY_FAST_POOL_SIZE][FAST_RADIX]; /* S[x], and 16 times the x' with S[x'] = x */
    uint8_t sequence[FAST_MOST_LAYERS];
    tally_fast_params params; /* of the sequence; length 0: there is none */
    uint32_t has_pool;
    uint8_t key_memory[FAST_KEY_MEMORY];
} fast_cipher;

/* Draws the pool of a master key, which has words of 32 bits and one key for all blocks, and
 * forgets the sequence. Errors are those of the source: then there is no pool. */
tally_status fast_draw_pool(fast_cipher *cipher, const tally_masked_key *master,
                            const tally_mask_source *source);

/* Draws the sequence of words of `length` symbols, under a tweak of any size (NULL if 0), with the
 * recommended parameters. TALLY_ERROR_LENGTH: not 2..FAST_MOST_SYMBOLS; or those of the source.
 * Then there is no sequence. */
tally_status fast_draw_sequence(fast_cipher *cipher, const tally_masked_key *master,
                                const tally_mask_source *source, uint32_t length,
                                const uint8_t *tweak, size_t tweak_size);

/* Encrypts or decrypts a word in place, a symbol 0..9 in each byte. TALLY_ERROR_ARGUMENT: there is
 * no pool or no sequence; TALLY_ERROR_LENGTH: the sequence is for another length;
 * TALLY_ERROR_SYMBOL. Then the word is as it was. */
tally_status fast_encrypt_word(const fast_cipher *cipher, uint8_t *word, size_t length);
tally_status fast_decrypt_word(const fast_cipher *cipher, uint8_t *word, size_t length);

/* Wipes pool and sequence. */
void fast_wipe(fast_cipher *cipher);

#endif
