/* SPDX-License-Identifier: Apache-2.0
 *
 * Of masked.c, for modes and generators: an expanded key's memory, and blocks as shares. */
#ifndef TALLY_MASKED_BLOCKS_H
#define TALLY_MASKED_BLOCKS_H

#include "masked/slicing.h"

enum { MASKED_MAX_BLOCKS = TALLY_MASKED_MAX_BITS / 16 };

struct tally_masked_key {
    const tally_masked_slicing *slicing; /* NULL: wiped */
    uint32_t rounds;
    uint32_t keys;                                         /* 1, or one for each block of a word */
    _Alignas(TALLY_MASKED_ALIGNMENT) uint8_t round_keys[]; /* rounds + 1 states */
};

/* Memory for a state of any slicing. */
typedef struct masked_state {
    _Alignas(TALLY_MASKED_ALIGNMENT)
        uint8_t bytes[TALLY_MASKED_MAX_SHARES * 8 * TALLY_MASKED_MAX_BITS / 8];
} masked_state;

/* Memory for the shares of a word's blocks, and its shares as an initializer of three pointers. */
typedef struct masked_blocks {
    _Alignas(8) uint8_t share[TALLY_MASKED_MAX_SHARES][16 * MASKED_MAX_BLOCKS];
} masked_blocks;

#define MASKED_SHARES(blocks)                                                                      \
    {                                                                                              \
        (blocks).share[0], (blocks).share[1], (blocks).share[TALLY_MASKED_MAX_SHARES - 1]          \
    }

/* Memory for a key of AES-128 on two shares, in the narrowest slicing of two blocks, or in the only
 * one. */
enum { MASKED_PAIR_BITS = TALLY_MASKED_MAX_BITS < 64 ? TALLY_MASKED_MAX_BITS : 64 };
enum {
    MASKED_KEY_HEAD = sizeof(tally_masked_key) + TALLY_MASKED_ALIGNMENT - 1,
    MASKED_PAIR_KEY = MASKED_KEY_HEAD + 11 * 2 * MASKED_PAIR_BITS
};

/* a ^= b. */
void tally_masked_add(uint8_t *a, const uint8_t *b, size_t size);

/* The same where `a` is a share, and another share of the same value may be next: the assembly
 * leaves nothing of either in registers or on buses. */
static inline void tally_masked_add_share(uint8_t *a, const uint8_t *b, size_t size)
{
#if defined(TALLY_MASKED_CORTEX_M0)
    tally_masked_cortex_m0_add(a, b, size);
#else
    tally_masked_add(a, b, size);
#endif
}

/* After C that had one share, before it has the next one: constants in the registers that a call
 * may change, and in the stack below. */
static inline void tally_masked_forget(void)
{
#if defined(TALLY_MASKED_CORTEX_M0)
    tally_masked_cortex_m0_forget();
#endif
}

/* Shares `size` bytes of `in`, and zeros up to `capacity`. The last share is the sum of the others
 * first, and `in` is added then: so it is masked from the beginning. */
tally_status tally_masked_share_bytes(const tally_mask_source *source, size_t shares,
                                      const uint8_t *in, size_t size, uint8_t *const share[],
                                      size_t capacity);

/* As tally_masked_encrypt_blocks and tally_masked_decrypt_blocks, but adds public blocks, where
 * they are not NULL, to each block's shares before the first round and after the last. */
tally_status tally_masked_crypt_blocks(const tally_masked_key *key, tally_direction direction,
                                       const tally_mask_source *source, const uint8_t *in,
                                       const uint8_t *before, const uint8_t *after, size_t blocks,
                                       uint8_t *out);

#endif
