/* SPDX-License-Identifier: Apache-2.0
 *
 * What a way to slice is: the functions that masked_body.h makes for words of one size. */
#ifndef TALLY_MASKED_SLICING_H
#define TALLY_MASKED_SLICING_H

#include "masked/cortex_m0.h"

#include <string.h>

/* A build for a small machine has words of one size, and no memory for wider ones. */
#if defined(TALLY_SLICE_BITS)
enum { TALLY_MASKED_MAX_BITS = TALLY_SLICE_BITS };
#else
enum { TALLY_MASKED_MAX_BITS = 512 };
#endif
enum { TALLY_MASKED_MAX_SHARES = 3 };

struct tally_masked_slicing {
    unsigned bits, shares;
    uint32_t needs; /* CPU features, all of them */

    /* As the functions of these names in tallystick/masked_aes.h. `state` and `states` are aligned;
     * round_keys has rounds + 1 states. */
    void (*slice)(const uint8_t *const shares[], size_t blocks, void *state);
    void (*unslice)(const void *state, size_t blocks, uint8_t *const shares[]);
    tally_status (*expand)(const void *states, size_t key_size, const tally_mask_source *source,
                           void *round_keys);
    tally_status (*encrypt)(const void *round_keys, uint32_t rounds,
                            const tally_mask_source *source, void *state);
    tally_status (*decrypt)(const void *round_keys, uint32_t rounds,
                            const tally_mask_source *source, void *state);
    /* Encrypts the first block under an AES-128 key, which is the second one; or NULL. */
    tally_status (*once)(const tally_mask_source *source, void *state);
};

/* For each order. */
extern const tally_masked_slicing tally_masked_c16[2], tally_masked_c32[2], tally_masked_c64[2],
    tally_masked_cortex_m0[2], tally_masked_ssse3[2], tally_masked_avx2[2], tally_masked_avx512[2],
    tally_masked_neon[2];

/* Random words of an S-box, by shares: one for each pair of shares in 32 ANDs. */
static inline size_t tally_masked_sbox_randoms(size_t shares)
{
    return 32 * (shares * (shares - 1) / 2);
}

/* memcpy for a share, behind which another share of the same value may be copied: in the assembly
 * nothing of it is left in a register or on a bus. */
static inline void tally_copy_share(uint8_t *to, const uint8_t *from, size_t size)
{
#if defined(TALLY_MASKED_CORTEX_M0)
    tally_masked_cortex_m0_copy(to, from, size);
#else
    memcpy(to, from, size);
#endif
}

#endif
