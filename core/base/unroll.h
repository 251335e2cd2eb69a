/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over registers: an array lives in registers only if every loop over it is unrolled. GCC
 * unrolls up to a given number of iterations. For GCC and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif
