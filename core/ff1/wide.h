/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers modulo m from 2^62 to 2^64, as a half of 19 digits has, in plain C. Sums and rests have some
 * bits more than a lane. */
#ifndef TALLY_FF1_WIDE_H
#define TALLY_FF1_WIDE_H

#include "base/direction.h"
#include "ff1/plan.h"

/* A number below 2^66: high * 2^64 + low. */
typedef struct tally_ff1_wide {
    uint64_t high, low;
} tally_ff1_wide;

static inline uint64_t tally_ff1_is_less(uint64_t x, uint64_t y)
{
    return ((~x & y) | ((~x | y) & (x - y))) >> 63;
}

/* x less a number, unless x is below it. */
static inline tally_ff1_wide tally_ff1_wide_less(tally_ff1_wide x, uint64_t number)
{
    const uint64_t high = x.high - tally_ff1_is_less(x.low, number);
    const uint64_t taken = tally_barrier((high >> 63) - 1);
    return (tally_ff1_wide){high & taken, x.low - (number & taken)};
}

/* 96 bits modulo m. The quotient is at most 2 too small. */
static inline uint64_t tally_ff1_wide_reduce(const tally_ff1_modulus *modulus, uint64_t high,
                                             uint32_t low)
{
    const uint64_t value = modulus->value;
    const tally_ff1_wide first = {0, tally_ff1_reduce(modulus, high)};
    const uint64_t number = tally_ff1_wide_less(first, value).low;
    const uint64_t quotient = tally_ff1_high(number, modulus->long_inverse);
    const uint64_t all = number << 32 | low, product = quotient * value;
    const tally_ff1_wide rest = {(number >> 32) - tally_ff1_high(quotient, value) -
                                     tally_ff1_is_less(all, product),
                                 all - product};
    return tally_ff1_wide_less(tally_ff1_wide_less(rest, value), value).low;
}

/* number + y, or number - y, modulo m; both are below m. */
static inline uint64_t tally_ff1_wide_add(const tally_ff1_modulus *modulus,
                                          tally_direction direction, uint64_t number, uint64_t y)
{
    if (direction == TALLY_ENCRYPT) {
        const tally_ff1_wide sum = {tally_ff1_is_less(number + y, y), number + y};
        return tally_ff1_wide_less(sum, modulus->value).low;
    }
    return number - y + (modulus->value & tally_barrier(0 - tally_ff1_is_less(number, y)));
}

/* The number divided by the radix. A half of it is in the range of the inverse. */
static inline uint64_t tally_ff1_wide_quotient(const tally_ff1_plan *plan, uint64_t number)
{
    const uint64_t radix = plan->cipher->radix;
    const uint64_t half = tally_ff1_high(number >> 1, plan->radix_inverse) >> plan->radix_shift;
    const uint64_t rest = number - 2 * half * radix; /* below twice the radix */
    return 2 * half + 1 - ((rest - radix) >> 63);
}

#endif
