/* SPDX-License-Identifier: Apache-2.0
 *
 * Repeatable test data: SplitMix64 from a fixed seed (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef TALLY_TESTS_RANDOM_H
#define TALLY_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static uint64_t random_state = 0x74616c6c79;

static inline uint64_t random_u64(void)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* 0..bound-1, for 1 <= bound <= 2^32; the bias is below 2^-32. */
static inline uint32_t random_below(uint64_t bound)
{
    return (uint32_t)((random_u64() >> 32) * bound >> 32);
}

static inline void random_bytes(uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (uint8_t)random_u64();
    }
}

#endif
