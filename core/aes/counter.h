/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128-bit big-endian counter of counter mode. FAST derives counters from secrets. So the carry
 * is computed from bits: GCC makes a branch of a comparison. The sum is hidden: otherwise GCC ends
 * a loop over blocks by comparing the counter with its last value. */
#ifndef TALLY_AES_COUNTER_H
#define TALLY_AES_COUNTER_H

#include "base/barrier.h"
#include "base/bytes.h"

struct tally_counter {
    uint64_t high, low;
};

static inline struct tally_counter tally_counter_load(const uint8_t in[16])
{
    return (struct tally_counter){tally_load_be64(in), tally_load_be64(in + 8)};
}

static inline void tally_counter_store(struct tally_counter counter, uint8_t out[16])
{
    tally_store_be64(counter.high, out);
    tally_store_be64(counter.low, out + 8);
}

/* The carry out of bit 63: both operands have the bit, or one has it and the sum has not. */
static inline void tally_counter_add(struct tally_counter *counter, uint64_t blocks)
{
    uint64_t low = counter->low, sum = tally_barrier(low + blocks);
    counter->high += ((low & blocks) | ((low | blocks) & ~sum)) >> 63;
    counter->low = sum;
}

/* The number of blocks that can be added to `low` without a carry; if that is 64 or more, some
 * number from 64 to 127. (GCC makes a branch of a comparison.) */
static inline int tally_counter_until_carry(uint64_t low)
{
    uint64_t free = ~low, more = free >> 6;
    return (int)((free & 63) | (more | (0 - more)) >> 63 << 6);
}

#endif
