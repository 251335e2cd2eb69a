/* SPDX-License-Identifier: Apache-2.0
 *
 * Bits of a number: the lowest, and how many. Numbers are public. */
#ifndef TALLY_BASE_BITS_H
#define TALLY_BASE_BITS_H

#include <stdint.h>

/* The place of the lowest bit that is set; at least one is. */
static inline uint32_t tally_bits_lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    while ((bits >> place & 1) == 0) {
        place++;
    }
    return place;
#endif
}

/* How many are set. */
static inline uint32_t tally_bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
