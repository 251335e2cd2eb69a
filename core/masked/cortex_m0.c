/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 32 bits on Armv6-M: assembly (cortex_m0.S) for two and three shares. The
 * key schedules of longer keys are C; TALLY_MASKED_SMALL leaves them and three shares out. */
#include "masked/slicing.h"

#if defined(TALLY_MASKED_CORTEX_M0)
#define MASKED(name) masked_cortex_m0_##name
#define MASKED_BITS  32
#include "masked/words_c99.h"

#include "masked/slicing_body.h"

#undef MASKED

/* The assembly converts two aligned blocks. Other blocks are copied first, each share to its own
 * buffer. */
typedef uint32_t masked_cortex_m0_words[8];

static int masked_cortex_m0_is_direct(const uint8_t *share, size_t blocks)
{
    return blocks == 2 && (uintptr_t)share % 4 == 0;
}

static void masked_cortex_m0_slice_any(const uint8_t *const shares[], size_t blocks, void *state)
{
    masked_cortex_m0_planes *q = state;
    masked_cortex_m0_words some[2];
    for (size_t s = 0; s < 2; s++) {
        if (masked_cortex_m0_is_direct(shares[s], blocks)) {
            tally_masked_cortex_m0_slice((const void *)shares[s], q[s].plane);
            continue;
        }
        memset(some[s], 0, sizeof some[s]);
        tally_masked_copy_share((uint8_t *)some[s], shares[s], 16 * blocks);
        tally_masked_cortex_m0_slice(some[s], q[s].plane);
        tally_wipe(some[s], sizeof some[s]);
    }
}

static void masked_cortex_m0_unslice_any(const void *state, size_t blocks, uint8_t *const shares[])
{
    const masked_cortex_m0_planes *q = state;
    masked_cortex_m0_words some[2];
    for (size_t s = 0; s < 2; s++) {
        if (masked_cortex_m0_is_direct(shares[s], blocks)) {
            tally_masked_cortex_m0_unslice(q[s].plane, (void *)shares[s]);
            continue;
        }
        tally_masked_cortex_m0_unslice(q[s].plane, some[s]);
        tally_masked_copy_share(shares[s], (const uint8_t *)some[s], 16 * blocks);
        tally_wipe(some[s], sizeof some[s]);
    }
}

static tally_status masked_cortex_m0_expand_any(const void *states, size_t key_size,
                                                const tally_mask_source *source, void *round_keys)
{
#if defined(TALLY_MASKED_SMALL)
    return tally_masked_cortex_m0_expand(states, key_size, source, round_keys);
#else /* by a pointer: in line, keys of 16 bytes would need the stack of the C, too */
    return (key_size == 16 ? tally_masked_cortex_m0_expand
                           : masked_cortex_m0_expand_2)(states, key_size, source, round_keys);
#endif
}

#if !defined(TALLY_MASKED_SMALL)
/* Three shares: the first two, then the last two. */
static void masked_cortex_m0_slice_any_3(const uint8_t *const shares[], size_t blocks, void *state)
{
    masked_cortex_m0_slice_any(shares, blocks, state);
    masked_cortex_m0_slice_any(shares + 1, blocks, (masked_cortex_m0_planes *)state + 1);
}

static void masked_cortex_m0_unslice_any_3(const void *state, size_t blocks,
                                           uint8_t *const shares[])
{
    masked_cortex_m0_unslice_any(state, blocks, shares);
    masked_cortex_m0_unslice_any((const masked_cortex_m0_planes *)state + 1, blocks, shares + 1);
}

static tally_status masked_cortex_m0_expand_any_3(const void *states, size_t key_size,
                                                  const tally_mask_source *source, void *round_keys)
{
    return (key_size == 16 ? tally_masked_cortex_m0_expand_order2
                           : masked_cortex_m0_expand_3)(states, key_size, source, round_keys);
}
#endif

const tally_masked_slicings tally_masked_cortex_m0 = {
    {.backend = {"cortex-m0", 0},
     .bits = 32,
     .shares = 2,
     .slice = masked_cortex_m0_slice_any,
     .unslice = masked_cortex_m0_unslice_any,
     .expand = masked_cortex_m0_expand_any,
     .crypt = {tally_masked_cortex_m0_encrypt, tally_masked_cortex_m0_decrypt}},
#if !defined(TALLY_MASKED_SMALL)
    {.backend = {"cortex-m0", 0},
     .bits = 32,
     .shares = 3,
     .slice = masked_cortex_m0_slice_any_3,
     .unslice = masked_cortex_m0_unslice_any_3,
     .expand = masked_cortex_m0_expand_any_3,
     .crypt = {tally_masked_cortex_m0_encrypt_order2, tally_masked_cortex_m0_decrypt_order2}},
#endif
};

#endif
