/* SPDX-License-Identifier: Apache-2.0
 *
 * Random bytes on a chip without an operating system: sources of masks for masked_aes.h.
 *
 *   hardware register  ->  tally_polled_fill    waits for each word, at most for a stated time
 *                      ->  tally_noise_fill     the health tests of SP 800-90B: take this for masks
 *                      ->  tally_masked_drbg    AES in counter mode on shares: keys, nonces, IVs
 *
 * Each of these is a tally_mask_fill, and any function of this type may take the place of the first.
 * Each fills `out` with any number of bytes. On any status but TALLY_OK `out` is zeroed. With size 0
 * they tell whether all bytes that they gave before were sound. One thread at a time. */
#ifndef TALLYSTICK_MASKED_RANDOM_H
#define TALLYSTICK_MASKED_RANDOM_H

#include "tallystick/masked_aes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A generator of words of 32 bits that has a status register and a data register. The caller sets
 * all members, and switches the generator on. */
typedef struct tally_polled_register {
    const volatile uint32_t *status;
    const volatile uint32_t *data;
    uint32_t ready;  /* bits of the status that are all 1 when `data` has a fresh word */
    uint32_t failed; /* bits of the status of which any 1 is an error, also one that is over */
    uint32_t polls;  /* the time-out: how often the status is read for one word, 1 or more */
} tally_polled_register;

/* A tally_mask_fill, whose context is a tally_polled_register. A word is read after its status says
 * that it is ready; one of 0 is taken for one that was not ready after all. The status is read once
 * more in the end. TALLY_ERROR_ENTROPY: an error, or time-out. */
TALLY_API TALLY_MUST_CHECK tally_status tally_polled_fill(void *polled, uint8_t *out, size_t size);

/* Health tests of a raw source (SP 800-90B, section 4.4), each word of 32 bits being a sample. They
 * fail wherever the source fails altogether, and find no small biases. Masks must be uniform: that
 * is for the maker of the hardware to claim. The tests assume half a bit of min-entropy in a bit.
 *
 * - Repetition count: fails at TALLY_NOISE_REPETITIONS equal words in a row.
 * - Adaptive proportion: fails when the first of TALLY_NOISE_WINDOW words is there
 *   TALLY_NOISE_PROPORTION times.
 * - Stuck bits, which is no test of that document: fails when a bit is the same in all words of a
 *   window.
 * - Start-up: all of these over TALLY_NOISE_STARTUP words, which are not used. */
#define TALLY_NOISE_ALPHA       30  /* a sound source fails a test with probability 2^-30 at most */
#define TALLY_NOISE_ENTROPY     16  /* bits of min-entropy in a word */
#define TALLY_NOISE_REPETITIONS 3   /* 1 + ceil(alpha / entropy) */
#define TALLY_NOISE_WINDOW      512 /* words */
#define TALLY_NOISE_PROPORTION  4   /* 1 + critbinom(window, 2^-entropy, 1 - 2^-alpha) */
#define TALLY_NOISE_STARTUP     1024 /* words */

/* Its members are private. */
typedef struct tally_noise {
    tally_mask_source raw;
    uint32_t last, first;      /* the last word; the first one of the window */
    uint32_t ones, zeros;      /* bits that were 1, and 0, in this window */
    uint32_t seen, firsts;     /* words of this window so far; those that equal its first one */
    uint32_t repeated, failed; /* how often the last word was repeated; 1: a test failed */
} tally_noise;

/* Takes a raw source and does the start-up test: TALLY_NOISE_STARTUP words. Do it after each reset,
 * and to start again after a failure. TALLY_ERROR_ENTROPY: a test failed, or what the source
 * returns; then every tally_noise_fill fails. */
TALLY_API TALLY_MUST_CHECK tally_status tally_noise_init(tally_noise *noise,
                                                         const tally_mask_source *raw);

/* A tally_mask_fill, whose context is a tally_noise. It draws whole words of the source.
 * TALLY_ERROR_ENTROPY: a test failed, now or before; or what the source returns. After any error it
 * fails until tally_noise_init. */
TALLY_API TALLY_MUST_CHECK tally_status tally_noise_fill(void *noise, uint8_t *out, size_t size);

/* Wipes it, with the words that it remembers. Every tally_noise_fill fails until tally_noise_init. */
TALLY_API void tally_noise_wipe(tally_noise *noise);

/* A deterministic random bit generator of AES-128 in counter mode. Key and counter are on two
 * shares, and so is each update of them. It is the CTR_DRBG of SP 800-90A, section 10.2.1, without a
 * derivation function, but for one thing: block i of a request is the encryption of V XOR i where
 * the document has V + i, because an XOR with a public number needs no carry on shares. So it
 * is not that DRBG, and can't be validated as one.
 *
 * The buffer takes TALLY_MASKED_DRBG_BUFFER bytes at a time, and then key and counter are replaced:
 * whoever learns them later can't tell what was given before. Bytes that were given are wiped. A
 * seed is 128 bytes of the source: 64 bytes with at least 256 bits of min-entropy, on two shares. A
 * new seed is added after TALLY_MASKED_DRBG_INTERVAL buffers.
 *
 * Take it for keys, nonces and IVs. As a source of masks it would be a poor bargain: its own AES
 * takes some 80 words of the source for each word that it gives. */
#define TALLY_MASKED_DRBG_BUFFER   64  /* bytes */
#define TALLY_MASKED_DRBG_INTERVAL 256 /* buffers, so 16 KiB */

/* Its members are private. */
typedef struct tally_masked_drbg {
    tally_mask_source noise; /* of seeds and of masks */
    uint8_t state[2][32];    /* shares of key and counter */
    uint8_t buffer[TALLY_MASKED_DRBG_BUFFER];
    uint32_t left;    /* bytes at the buffer's end that were not given yet */
    uint32_t buffers; /* since the last seed */
    uint32_t reserved[4];
} tally_masked_drbg;

/* Takes a source, which is to be a tally_noise_fill, and seeds itself. On any status but TALLY_OK,
 * which is the source's, all is wiped; so it is when a later function fails. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_init(tally_masked_drbg *drbg,
                                                               const tally_mask_source *noise);

/* A tally_mask_fill, whose context is a tally_masked_drbg. TALLY_ERROR_ENTROPY: it was wiped; or
 * what the source returns. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_fill(void *drbg, uint8_t *out,
                                                               size_t size);

/* Adds a new seed at once, and drops the buffer. Errors as above. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_reseed(tally_masked_drbg *drbg);

/* Wipes it; wiping it again does nothing. */
TALLY_API void tally_masked_drbg_wipe(tally_masked_drbg *drbg);

#ifdef __cplusplus
}
#endif
#endif
