/* SPDX-License-Identifier: Apache-2.0
 *
 * Macros of words_c99.h and words_vector.h. slicing_body.h undefines them, so this has no guard. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define MASKED_INLINE static inline __attribute__((always_inline))
/* Large, and called from several places. */
#define MASKED_APART                 __attribute__((noinline))
#define MASKED_OPAQUE(constraint, x) __asm__("" : constraint(x))
#if defined(__clang__)
#define MASKED_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MASKED_UNROLL _Pragma("GCC unroll 8")
#endif
#else
#define MASKED_INLINE static inline
#define MASKED_APART
#define MASKED_OPAQUE(constraint, x)
#define MASKED_UNROLL
#endif
