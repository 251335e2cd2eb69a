/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions in cortex_m0.S. Words and planes are aligned to 4 bytes. Errors are those of the
 * source of masks.
 *
 * TALLY_RANDOM_REGISTER is optional: the address of a register that gives another random word at
 * each load. Then S-boxes load their masks from it, and do not call the source for them. Nothing
 * can wait between those loads, so the hardware must: a load that comes too soon has to stall. Only
 * who defines TALLY_RANDOM_WAITS as well says that it does. A generator with a ready flag needs the
 * source. After each operation the source is asked for 0 bytes: it must fail if any word since the
 * last call was unsound, and then the result is wiped. */
#ifndef TALLY_MASKED_CORTEX_M0_H
#define TALLY_MASKED_CORTEX_M0_H

#if defined(TALLY_RANDOM_REGISTER) && !defined(TALLY_RANDOM_WAITS)
#error                                                                                             \
    "TALLY_RANDOM_REGISTER: a load that comes too soon must stall in hardware; if it does, define TALLY_RANDOM_WAITS, else take the source by callback"
#endif

/* On Armv6-M, these functions replace words of 32 bits in C, unless TALLY_MASKED_PORTABLE is
 * defined. */
#if defined(__ARM_ARCH_6M__) && !defined(TALLY_MASKED_PORTABLE) &&                                 \
    (!defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 32)
#define TALLY_MASKED_CORTEX_M0
#endif

/* TALLY_MASKED_SHUFFLE is optional: each call of encryption and decryption has the columns, and both
 * blocks, in one of eight orders, which a mask gives. Key expansion has not. */
#if defined(TALLY_MASKED_SHUFFLE) &&                                                               \
    !(defined(TALLY_MASKED_CORTEX_M0) && defined(TALLY_MASKED_SMALL))
#error                                                                                             \
    "TALLY_MASKED_SHUFFLE: the assembly for Armv6-M on two shares alone has it, so define TALLY_MASKED_SMALL and TALLY_SLICE_BITS=32, and not TALLY_MASKED_PORTABLE"
#endif

#if !defined(__ASSEMBLER__)
#include "tallystick/masked_aes.h"

/* One share of two blocks, to and from planes. */
void tally_masked_cortex_m0_slice(const uint32_t words[8], uint32_t planes[8]);
void tally_masked_cortex_m0_unslice(const uint32_t planes[8], uint32_t words[8]);

/* Copies a share, of any size and alignment, and leaves constants in what it used. */
void tally_masked_cortex_m0_copy(uint8_t *to, const uint8_t *from, size_t size);

/* Adds bytes to a share, of any size and alignment, and leaves constants as well. */
void tally_masked_cortex_m0_add(uint8_t *to, const uint8_t *from, size_t size);

/* Leaves zeros in r0 to r3 and r12, and in 128 bytes below the stack. */
void tally_masked_cortex_m0_forget(void);

/* As in slicing.h; key_size is 16. */
tally_status tally_masked_cortex_m0_expand(const void *states, size_t key_size,
                                           const tally_mask_source *source, void *round_keys);
tally_status tally_masked_cortex_m0_encrypt(const void *round_keys, uint32_t rounds,
                                            const tally_mask_source *source, void *state);
tally_status tally_masked_cortex_m0_decrypt(const void *round_keys, uint32_t rounds,
                                            const tally_mask_source *source, void *state);
#if !defined(TALLY_MASKED_SMALL) /* on three shares */
tally_status tally_masked_cortex_m0_expand_order2(const void *states, size_t key_size,
                                                  const tally_mask_source *source,
                                                  void *round_keys);
tally_status tally_masked_cortex_m0_encrypt_order2(const void *round_keys, uint32_t rounds,
                                                   const tally_mask_source *source, void *state);
tally_status tally_masked_cortex_m0_decrypt_order2(const void *round_keys, uint32_t rounds,
                                                   const tally_mask_source *source, void *state);
#endif
#if !defined(TALLY_MASKED_SHUFFLE)
/* Encrypts the first block of `state` under an AES-128 key, its second block. */
tally_status tally_masked_cortex_m0_once(const tally_mask_source *source, void *state);
#endif

#endif
#endif
