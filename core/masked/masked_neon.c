/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with NEON: 8 blocks at a time. */
#include "base/arch.h"
#include "masked/slicing.h"

#if defined(TALLY_ARCH_AARCH64) && !defined(TALLY_SLICE_BITS)
#define TALLY_SLICE_BITS 128
#define TARGET
#define REGISTER "+w"
#include "masked/words_vector.h"

#include "masked/masked_body.h"

const tally_masked_slicing tally_masked_neon[2] = {SLICING(2, TALLY_CPU_NEON),
                                                   SLICING(3, TALLY_CPU_NEON)};

#endif
