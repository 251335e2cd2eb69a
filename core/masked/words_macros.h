/* SPDX-License-Identifier: Apache-2.0
 *
 * Macros of words_c99.h and words_vector.h. slicing_body.h undefines them, so this has no guard. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define INLINE                static inline __attribute__((always_inline))
#define APART                 __attribute__((noinline)) /* large, and called from several places */
#define OPAQUE(constraint, x) __asm__("" : constraint(x))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#else
#define INLINE static inline
#define APART
#define OPAQUE(constraint, x)
#define UNROLL
#endif
