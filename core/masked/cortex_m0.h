/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions in cortex_m0.S. Words and planes are aligned to 4 bytes. Errors are those of the
 * source of masks.
 *
 * TALLY_RANDOM_REGISTER is optional: the address of a register that gives another random word at
 * each load. Then S-boxes load their masks from it, and do not call the source. The code does not
 * wait for the register or check it, so each load must give a fresh and sound word. A generator
 * that has a ready flag, or may fail, needs the source. */
#ifndef TALLY_MASKED_CORTEX_M0_H
#define TALLY_MASKED_CORTEX_M0_H

/* On Armv6-M, these functions replace words of 32 bits in C, unless TALLY_MASKED_PORTABLE is
 * defined. */
#if defined(__ARM_ARCH_6M__) && !defined(TALLY_MASKED_PORTABLE) &&                                 \
    (!defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 32)
#define TALLY_MASKED_CORTEX_M0
#endif

#if !defined(__ASSEMBLER__)
#include "tallystick/masked_aes.h"

/* One share of two blocks, to and from planes. */
void tally_masked_cortex_m0_slice(const uint32_t words[8], uint32_t planes[8]);
void tally_masked_cortex_m0_unslice(const uint32_t planes[8], uint32_t words[8]);

/* Copies a share, of any size and alignment, and leaves constants in what it used. */
void tally_masked_cortex_m0_copy(uint8_t *to, const uint8_t *from, size_t size);

/* As in slicing.h; key_size is 16. */
tally_status tally_masked_cortex_m0_expand(const void *states, size_t key_size,
                                           const tally_mask_source *source, void *round_keys);
tally_status tally_masked_cortex_m0_encrypt(const void *round_keys, uint32_t rounds,
                                            const tally_mask_source *source, void *state);
tally_status tally_masked_cortex_m0_decrypt(const void *round_keys, uint32_t rounds,
                                            const tally_mask_source *source, void *state);
tally_status tally_masked_cortex_m0_once(const tally_mask_source *source, void *state);

#endif
#endif
