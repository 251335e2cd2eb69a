/* SPDX-License-Identifier: Apache-2.0
 *
 * What engines of lanes share before their instruction sets part. */
#ifndef TALLY_FAST_LANES_MACROS_H
#define TALLY_FAST_LANES_MACROS_H

#include "base/unroll.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL TALLY_UNROLL(16)

/* What an index must go through before it is looked up: nothing, because the table has an entry for
 * every sum and difference or wraps around where the radix does; the lesser of x and x -+ a, which
 * holds up to radix 128; or a comparison. */
typedef enum reduction { NONE, LESSER, COMPARED } reduction;

#endif
