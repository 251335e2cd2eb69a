/* SPDX-License-Identifier: Apache-2.0
 *
 * The back ends of masked AES: a slicing is a size of words, and the functions of slicing_body.h
 * for them. */
#ifndef TALLY_MASKED_SLICING_H
#define TALLY_MASKED_SLICING_H

#include "base/direction.h"
#include "base/dispatch.h"
#include "masked/cortex_m0.h"

#include <string.h>

/* All words and both orders take 90 KB of flash, so a microcontroller must not get them unasked. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(TALLY_SLICE_BITS)
#error                                                                                             \
    "masked AES for an Arm microcontroller: compile all of core/masked with -DTALLY_SLICE_BITS=32"
#endif
#if defined(TALLY_MASKED_SMALL) && !defined(TALLY_SLICE_BITS)
#error "TALLY_MASKED_SMALL needs TALLY_SLICE_BITS: 16, 32 or 64"
#endif

/* A build for a small machine has words of one size, and no memory for wider ones. */
#if defined(TALLY_SLICE_BITS)
enum { TALLY_MASKED_MAX_BITS = TALLY_SLICE_BITS };
#else
enum { TALLY_MASKED_MAX_BITS = 512 };
#endif
/* The smallest build has AES-128 on two shares alone. */
#if defined(TALLY_MASKED_SMALL)
enum { TALLY_MASKED_MAX_SHARES = 2, TALLY_MASKED_MAX_KEY = 16 };
#else
enum { TALLY_MASKED_MAX_SHARES = 3, TALLY_MASKED_MAX_KEY = 32 };
#endif
enum { TALLY_MASKED_ORDERS = TALLY_MASKED_MAX_SHARES - 1 };

struct tally_masked_slicing {
    tally_backend backend;
    unsigned bits, shares;

    /* As the functions of these names in tallystick/masked_aes.h. `state` and `states` are aligned;
     * round_keys has rounds + 1 states. */
    void (*slice)(const uint8_t *const shares[], size_t blocks, void *state);
    void (*unslice)(const void *state, size_t blocks, uint8_t *const shares[]);
    tally_status (*expand)(const void *states, size_t key_size, const tally_mask_source *source,
                           void *round_keys);
    /* By tally_direction. */
    tally_status (*crypt[2])(const void *round_keys, uint32_t rounds,
                             const tally_mask_source *source, void *state);
};

/* A slicing from the functions of slicing_body.h. */
#define TALLY_MASKED_SLICING(prefix, name, features, word_bits, n)                                 \
    {                                                                                              \
        .backend = {name, features}, .bits = word_bits, .shares = n, .slice = prefix##_slice_##n,  \
        .unslice = prefix##_unslice_##n, .expand = prefix##_expand_##n, .crypt = {                 \
            [TALLY_ENCRYPT] = prefix##_encrypt_##n,                                                \
            [TALLY_DECRYPT] = prefix##_decrypt_##n                                                 \
        }                                                                                          \
    }

/* Slicings of order 1 and of order 2, as an initializer. */
#if defined(TALLY_MASKED_SMALL)
#define TALLY_MASKED_SLICINGS(prefix, name, features, word_bits)                                   \
    {                                                                                              \
        TALLY_MASKED_SLICING(prefix, name, features, word_bits, 2)                                 \
    }
#else
#define TALLY_MASKED_SLICINGS(prefix, name, features, word_bits)                                   \
    {                                                                                              \
        TALLY_MASKED_SLICING(prefix, name, features, word_bits, 2),                                \
            TALLY_MASKED_SLICING(prefix, name, features, word_bits, 3)                             \
    }
#endif

typedef tally_masked_slicing tally_masked_slicings[TALLY_MASKED_ORDERS];
extern const tally_masked_slicings tally_masked_c16, tally_masked_c32, tally_masked_c64,
    tally_masked_cortex_m0, tally_masked_ssse3, tally_masked_avx2, tally_masked_avx512,
    tally_masked_neon;

/* The random words of an S-box: one for each pair of shares in each of its 32 ANDs. */
static inline size_t tally_masked_sbox_randoms(size_t shares)
{
    return 32 * (shares * (shares - 1) / 2);
}

/* memcpy for a share. Another share of the same value may be copied next, so the assembly leaves
 * nothing of this one in registers or on buses. */
static inline void tally_masked_copy_share(uint8_t *to, const uint8_t *from, size_t size)
{
#if defined(TALLY_MASKED_CORTEX_M0)
    tally_masked_cortex_m0_copy(to, from, size);
#else
    memcpy(to, from, size);
#endif
}

#endif
