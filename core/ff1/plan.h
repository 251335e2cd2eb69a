/* SPDX-License-Identifier: Apache-2.0
 *
 * A cipher of FF1, and the numbers that depend on the length of its words. Names in brackets are
 * those of the standard. */
#ifndef TALLY_FF1_PLAN_H
#define TALLY_FF1_PLAN_H

#include "ff1/ff1.h"
#include "ff1/multiply.h"

struct tally_ff1_lanes;

struct tally_ff1 {
    tally_aes_key aes;
    const struct tally_ff1_lanes *lanes;
    uint32_t radix;
    tally_ff1_profile profile;
};

enum {
    TALLY_FF1_ROUNDS = 10,
    TALLY_FF1_LANE_BITS = 62 /* of a modulus that is neither a power of two nor wide */
};

/* A word's first half has u symbols, and its second half has v, which is u or u + 1. Round i adds to
 * half i % 2, modulo the radix to the power of its symbols, a pseudorandom number (y) which depends
 * on the other half.
 *
 * How a number y of 64 or 96 bits is reduced by products, since division takes a time that may depend
 * on the number. For a power of two, the mask has its bits. */
typedef struct tally_ff1_modulus {
    uint64_t value;        /* radix^m; of powers of two it may be 2^64, which is 0 here */
    uint64_t mask;         /* of a power of two: value - 1; else 0 */
    uint64_t inverse;      /* 2^64 / value */
    uint64_t long_inverse; /* 2^96 / value for values above 2^32, else 0 */
} tally_ff1_modulus;

/* y modulo the value, or that plus the value. */
static inline uint64_t tally_ff1_reduce(const tally_ff1_modulus *modulus, uint64_t y)
{
    return y - tally_ff1_high(y, modulus->inverse) * modulus->value;
}

/* The same for a number below the value, with 32 bits behind it. */
static inline uint64_t tally_ff1_reduce_next(const tally_ff1_modulus *modulus, uint64_t number,
                                             uint32_t low)
{
    if (modulus->long_inverse == 0) {
        return tally_ff1_reduce(modulus, number << 32 | low);
    }
    const uint64_t quotient = tally_ff1_high(number, modulus->long_inverse); /* at most 2 less */
    const uint64_t rest = (number << 32 | low) - quotient * modulus->value;
    return tally_ff1_less(rest, 2 * modulus->value);
}

/* The same for 96 bits. */
static inline uint64_t tally_ff1_reduce_long(const tally_ff1_modulus *modulus, uint64_t high,
                                             uint32_t low)
{
    const uint64_t first = tally_ff1_less(tally_ff1_reduce(modulus, high), modulus->value);
    return tally_ff1_reduce_next(modulus, first, low);
}

typedef struct tally_ff1_plan {
    const tally_ff1 *cipher;
    uint32_t length;      /* (n) symbols of a word */
    uint32_t half[2];     /* (u, v) symbols of its halves */
    uint32_t symbol_size; /* bytes: 1 or 2 */
    uint32_t number_size; /* (b) bytes of the number of a half, in its last block */
    uint32_t prf_size;    /* (d) bytes of y: a multiple of 4 */
    uint32_t radix_shift; /* x / radix is the upper half of x * inverse, shifted, for x < 2^63 */
    uint64_t radix_inverse;
    int is_short;                 /* numbers fit in lanes of 64 bits */
    int is_wide;                  /* and a modulus is above 2^62: see wide.h */
    tally_ff1_modulus modulus[2]; /* if they do */
} tally_ff1_plan;

/* TALLY_ERROR_FF1_LENGTH: the cipher has no words of this length. */
tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out);

/* The same for any halves of 1 to 2^15 symbols, u and v; it is not wide, but long. */
void tally_ff1_plan_halves(const tally_ff1 *cipher, uint32_t u, uint32_t v, tally_ff1_plan *out);

/* Whether all of so many symbols are below the radix. */
int tally_ff1_all_below(uint32_t radix, const uint8_t *symbols, size_t count);

/* The block before a tweak (P). */
void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16]);

/* Behind a tweak come zeros, a byte with the number of the round, and the number of a half, up to
 * the end of a block (Q). The blocks that begin with the last ones are at the end: the blocks of a
 * number. The first may begin with the end of the tweak. */
static inline uint32_t tally_ff1_number_blocks(const tally_ff1_plan *plan)
{
    return plan->number_size / 16 + 1;
}

/* The blocks before these: of the tweak, and perhaps zeros. */
static inline uint64_t tally_ff1_tweak_blocks(const tally_ff1_plan *plan, uint64_t tweak_size)
{
    return (tweak_size + plan->number_size + 16) / 16 - tally_ff1_number_blocks(plan);
}

#endif
