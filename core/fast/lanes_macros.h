/* SPDX-License-Identifier: Apache-2.0
 *
 * What engines of lanes share before their instruction sets part. */
#ifndef TALLY_FAST_LANES_MACROS_H
#define TALLY_FAST_LANES_MACROS_H

#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* What an index must go through before it is looked up: nothing, because the table has an entry for
 * every sum and difference or wraps around where the radix does; the lesser of x and x -+ a, which
 * holds up to radix 128; or a comparison. */
typedef enum reduction { NONE, LESSER, COMPARED } reduction;

#endif
