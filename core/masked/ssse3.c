/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with SSSE3: 8 blocks at a time. */
#include "base/arch.h"
#include "masked/slicing.h"

#if defined(TALLY_ARCH_X86_64) && !defined(TALLY_SLICE_BITS)
#define MASKED(name)    masked_ssse3_##name
#define MASKED_BITS     128
#define MASKED_TARGET   __attribute__((target("ssse3")))
#define MASKED_REGISTER "+x"
#include "masked/words_vector.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_ssse3 =
    TALLY_MASKED_SLICINGS(masked_ssse3, "ssse3", TALLY_CPU_SSSE3, 128);

#endif
