/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 32 bits on Armv6-M: assembly (masked_cortex_m0.S) for two shares. In C are
 * three shares, and the schedules of longer keys. */
#include "masked/slicing.h"

#if defined(TALLY_MASKED_CORTEX_M0)
#undef TALLY_SLICE_BITS
#define TALLY_SLICE_BITS 32
#include "masked/words_c99.h"

#include "masked/masked_body.h"

/* Conversions move words. What lies otherwise is copied, each share to a place of its own. */
typedef uint32_t words[8];

static int lies_well(const uint8_t *share, size_t blocks)
{
    return blocks == 2 && (uintptr_t)share % 4 == 0;
}

static void slice_cortex_m0(const uint8_t *const shares[], size_t blocks, void *state)
{
    planes *q = state;
    words some[2];
    for (size_t s = 0; s < 2; s++) {
        if (lies_well(shares[s], blocks)) {
            tally_masked_cortex_m0_slice((const void *)shares[s], q[s].plane);
            continue;
        }
        memset(some[s], 0, sizeof some[s]);
        tally_copy_share((uint8_t *)some[s], shares[s], 16 * blocks);
        tally_masked_cortex_m0_slice(some[s], q[s].plane);
        tally_wipe(some[s], sizeof some[s]);
    }
}

static void unslice_cortex_m0(const void *state, size_t blocks, uint8_t *const shares[])
{
    const planes *q = state;
    words some[2];
    for (size_t s = 0; s < 2; s++) {
        if (lies_well(shares[s], blocks)) {
            tally_masked_cortex_m0_unslice(q[s].plane, (void *)shares[s]);
            continue;
        }
        tally_masked_cortex_m0_unslice(q[s].plane, some[s]);
        tally_copy_share(shares[s], (const uint8_t *)some[s], 16 * blocks);
        tally_wipe(some[s], sizeof some[s]);
    }
}

static tally_status expand_cortex_m0(const void *states, size_t key_size,
                                     const tally_mask_source *source, void *round_keys)
{
    return (key_size == 16 ? tally_masked_cortex_m0_expand : expand_2)(states, key_size, source,
                                                                       round_keys);
}

const tally_masked_slicing tally_masked_cortex_m0[2] = {{.bits = 32,
                                                         .shares = 2,
                                                         .slice = slice_cortex_m0,
                                                         .unslice = unslice_cortex_m0,
                                                         .expand = expand_cortex_m0,
                                                         .encrypt = tally_masked_cortex_m0_encrypt,
                                                         .decrypt = tally_masked_cortex_m0_decrypt,
                                                         .once = tally_masked_cortex_m0_once},
                                                        SLICING(3, 0)};

#endif
