/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 16 bits, of C99: one block at a time. */
#include "masked/slicing.h"

#if !defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 16
#define MASKED(name) masked_c16_##name
#define MASKED_BITS  16
#include "masked/words_c99.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_c16 = TALLY_MASKED_SLICINGS(masked_c16, "c16", 0, 16);

#endif
