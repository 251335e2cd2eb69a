/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of 64 bits, and conditional subtraction without a branch. */
#ifndef TALLY_FF1_MULTIPLY_H
#define TALLY_FF1_MULTIPLY_H

#include "base/barrier.h"

/* The upper half of a product. */
static inline uint64_t tally_ff1_high(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 ff1_u128;
    return (uint64_t)((ff1_u128)x * y >> 64);
#else
    const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    const uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1;
    return x1 * y1 + (middle >> 32) + (((uint32_t)middle + other) >> 32);
#endif
}

/* x less a number of at most 2^63, unless x is below it; x is below twice the number. */
static inline uint64_t tally_ff1_less(uint64_t x, uint64_t number)
{
    const uint64_t less = x - number;
    return less + (number & tally_barrier(0 - (less >> 63)));
}

#endif
