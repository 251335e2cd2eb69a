/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with NEON: 8 blocks at a time. */
#include "base/arch.h"
#include "masked/slicing.h"

#if defined(TALLY_ARCH_AARCH64) && !defined(TALLY_SLICE_BITS)
#define MASKED(name) masked_neon_##name
#define MASKED_BITS  128
#define MASKED_TARGET
#define MASKED_REGISTER "+w"
#include "masked/words_vector.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_neon =
    TALLY_MASKED_SLICINGS(masked_neon, "neon", TALLY_CPU_NEON, 128);

#endif
