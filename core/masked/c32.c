/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 32 bits, of C99: 2 blocks at a time. */
#include "masked/slicing.h"

#if !defined(TALLY_MASKED_CORTEX_M0) && (!defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 32)
#define MASKED(name) masked_c32_##name
#define MASKED_BITS  32
#include "masked/words_c99.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_c32 = TALLY_MASKED_SLICINGS(masked_c32, "c32", 0, 32);

#endif
