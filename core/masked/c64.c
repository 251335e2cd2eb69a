/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with words of 64 bits, of C99: 4 blocks at a time. */
#include "masked/slicing.h"

#if !defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 64
#define MASKED(name) masked_c64_##name
#define MASKED_BITS  64
#include "masked/words_c99.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_c64 = TALLY_MASKED_SLICINGS(masked_c64, "c64", 0, 64);

#endif
