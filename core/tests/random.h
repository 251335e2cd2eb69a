/* SPDX-License-Identifier: Apache-2.0
 *
 * Random values for tests, the same in every run: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef TALLY_TESTS_RANDOM_H
#define TALLY_TESTS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t random_state = 1;

static inline uint64_t random_u64(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `bound`, 1..2^32; without a division, which is slow on 32 bits. */
static inline uint32_t random_below(uint64_t bound)
{
    return (uint32_t)((random_u64() >> 32) * bound >> 32);
}

/* Whether an emulator makes the tests slow. */
static inline bool random_is_emulated(void)
{
    return getenv("TALLY_TESTS_EMULATED") != NULL;
}

/* How many of so many random cases to try: a quarter where they are emulated. */
static inline int random_cases(int usual)
{
    return random_is_emulated() ? (usual + 3) / 4 : usual;
}

static inline void random_bytes(void *out, size_t size)
{
    uint8_t *bytes = (uint8_t *)out;
    uint64_t more = 0;
    for (size_t i = 0; i < size; i++) {
        more = i % 8 == 0 ? random_u64() : more >> 8;
        bytes[i] = (uint8_t)more;
    }
}

#endif
