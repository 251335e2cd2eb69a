/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with AVX2: 16 blocks at a time. */
#include "base/arch.h"
#include "masked/slicing.h"

#if defined(TALLY_ARCH_X86_64) && !defined(TALLY_SLICE_BITS)
#define MASKED(name)    masked_avx2_##name
#define MASKED_BITS     256
#define MASKED_TARGET   __attribute__((target("avx2")))
#define MASKED_REGISTER "+x"
#include "masked/words_vector.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_avx2 =
    TALLY_MASKED_SLICINGS(masked_avx2, "avx2", TALLY_CPU_AVX2, 256);

#endif
