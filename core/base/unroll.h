/* SPDX-License-Identifier: Apache-2.0
 *
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif
