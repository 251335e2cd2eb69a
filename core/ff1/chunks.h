/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of numbers, and chunks of symbols, for all back ends with vectors. */
#ifndef TALLY_FF1_CHUNKS_H
#define TALLY_FF1_CHUNKS_H

#include "ff1/plan.h"

/* How numbers are added. */
typedef enum tally_ff1_kind {
    TALLY_FF1_POWER,      /* modulo a power of two; y has 64 bits */
    TALLY_FF1_LONG_POWER, /* y has 96 */
    TALLY_FF1_SMALL,      /* modulo a number that the back end calls small; y has 64 */
    TALLY_FF1_SHORT,      /* modulo more; y has 64 */
    TALLY_FF1_LONG_LOW,   /* modulo 2^13 to 2^32; y has 96 */
    TALLY_FF1_LONG        /* modulo more; y has 96 */
} tally_ff1_kind;

/* Neighbouring symbols of a half: one digit to a base that 16 bits hold. */
typedef struct tally_ff1_chunks {
    uint32_t symbols, base, bits; /* base <= 2^bits */
    uint32_t count[2];            /* of the halves; the first chunk may have fewer symbols */
    uint64_t inverse;             /* 2^(63 + bits) / base; of no use for powers of two */
    uint16_t radix_inverse;       /* x / radix is x * inverse / 2^16, shifted, for a chunk x */
    uint32_t radix_shift, radix;
    int is_power;
} tally_ff1_chunks;

static inline uint32_t tally_ff1_log(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

static inline tally_ff1_chunks tally_ff1_set_chunks(const tally_ff1_plan *plan)
{
    const uint32_t radix = plan->cipher->radix;
    tally_ff1_chunks made = {.symbols = 1, .base = radix, .radix = radix};
    made.is_power = (radix & (radix - 1)) == 0;
    const uint32_t most = made.is_power ? 1 << 16 : 1 << 15;
    while (plan->symbol_size == 1 && made.base * radix <= most) {
        made.base *= radix;
        made.symbols++;
    }
    made.bits = made.base == 1 ? 0 : tally_ff1_log(made.base - 1) + 1;
    for (int half = 0; half < 2; half++) {
        made.count[half] = (plan->half[half] + made.symbols - 1) / made.symbols;
    }
    const uint64_t power = UINT64_C(1) << 63, rest = (power % made.base) << made.bits;
    made.inverse = (power / made.base << made.bits) + rest / made.base;
    made.radix_shift = plan->radix_shift;
    made.radix_inverse =
        (uint16_t)((UINT32_C(1) << (16 + made.radix_shift)) / radix + (made.is_power ? 0 : 1));
    return made;
}

#endif
