/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 32 bits, of C99: 2 blocks at a time. */
#include "masked/slicing.h"

#if !defined(TALLY_MASKED_CORTEX_M0) && (!defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 32)
#undef TALLY_SLICE_BITS
#define TALLY_SLICE_BITS 32
#include "masked/words_c99.h"

#include "masked/masked_body.h"

const tally_masked_slicing tally_masked_c32[2] = {SLICING(2, 0), SLICING(3, 0)};

#endif
