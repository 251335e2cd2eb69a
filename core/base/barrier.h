/* SPDX-License-Identifier: Apache-2.0
 *
 * A value that the compiler knows nothing about, so that it can't turn arithmetic on secrets back
 * into a branch, or count a loop by a secret. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

#include <stdint.h>

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* which takes assembly for any change of the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* What memory holds is not known any more: what was copied is read from the copy from here on, and not
 * again from where it came from. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif
