/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over registers: an array lives in registers only if every loop over it is unrolled. */
#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 40")
#endif

#endif
