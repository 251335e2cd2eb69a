/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

#include "base/dispatch.h"
#include "tallystick/fast.h"

enum {
    TALLY_MIXED_MAX_POSITIONS = 64,
    TALLY_MIXED_MAX_SIZE = 65536,
    TALLY_MIXED_MAX_LENGTH = 32,                    /* symbols of a word, at most */
    TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2, /* of 16 bits */
    TALLY_MIXED_WIDE = 35,                          /* bits of a wide limb */
    TALLY_MIXED_RUNS = 31, /* at most: two neighbours multiply to more than 2^16 */
    TALLY_MIXED_ROWS = 64  /* rows of a block, side by side */
};

/* Numbers of mixed radix: position i holds a digit below sizes[i], most significant first. They
 * represent 0 .. N - 1, where N, the product of the sizes, is 2..2^256. */
typedef struct tally_mixed {
    const uint32_t *sizes; /* 1..TALLY_MIXED_MAX_SIZE each */
    uint32_t positions;    /* 1..TALLY_MIXED_MAX_POSITIONS */
} tally_mixed;

/* How numbers of 16 bits are divided by one of 2..2^16, by products: the upper half h of x *
 * inverse, or of 16 bits more, (x - h) / 2 + h, shifted. */
typedef struct tally_mixed_divisor {
    uint16_t inverse;
    uint8_t shift, is_longer; /* whether the inverse has 17 bits, of which the first is not there */
} tally_mixed_divisor;

/* Neighbouring positions whose sizes multiply to at most 2^16: one digit of the long arithmetic. The
 * quotient of 35 bits behind a rest: the bits from 52 on of x * inverse, shifted. */
typedef struct tally_mixed_run {
    uint64_t inverse;
    uint32_t size;
    uint8_t shift;
    uint8_t top; /* the highest bit of the greatest number of its positions and those before it */
    uint8_t first, positions;
} tally_mixed_run;

/* Numbers that depend on the sizes. Formats have many of them, so it is small. Words that carry the
 * numbers have the least length from 2 on with 256^length >= N, then the least radix from 4 on with
 * radix^length >= N: the rule of tally_fast_range_params for any N. */
typedef struct tally_mixed_plan {
    uint16_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, pairs;    /* symbols are worked on two by two */
    uint32_t positions, sizes[TALLY_MIXED_MAX_POSITIONS];
    uint32_t runs;
    tally_mixed_divisor by_size[TALLY_MIXED_MAX_POSITIONS], by_radix;
    tally_mixed_run run[TALLY_MIXED_RUNS], pair; /* of symbols, of which the size is used */
    uint8_t reach[TALLY_MIXED_LIMBS]; /* the highest bit of the greatest number of pairs 0..i */
} tally_mixed_plan;

/* The digits of a block: those of a position side by side. */
typedef uint16_t tally_mixed_digits[TALLY_MIXED_MAX_POSITIONS][TALLY_MIXED_ROWS];

typedef struct tally_mixed_lanes {
    tally_backend backend;
    /* The numbers of `rows` rows, 1..TALLY_MIXED_ROWS, become words: symbol s of row i goes to
     * symbols[s * stride + i]. All rows up to TALLY_MIXED_ROWS may be read, so that their digits
     * must have been written once, and written. */
    void (*write)(const tally_mixed_plan *plan, tally_mixed_digits digits, size_t rows,
                  uint8_t *symbols, size_t stride);
    /* The inverse. outside[i] is 1 if word i is no number of the plan, and its digits are 0. */
    void (*read)(const tally_mixed_plan *plan, const uint8_t *symbols, size_t stride, size_t rows,
                 tally_mixed_digits digits, uint8_t outside[TALLY_MIXED_ROWS]);
} tally_mixed_lanes;

/* TALLY_ERROR_ARGUMENT: a field is outside its range, or N is 1. TALLY_ERROR_LENGTH: N is above
 * 2^256. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

/* The fastest back end for the CPU features in use. */
const tally_mixed_lanes *tally_mixed_lanes_choose(void);

extern const tally_mixed_lanes tally_mixed_ifma, tally_mixed_avx512, tally_mixed_avx2,
    tally_mixed_portable;

#endif
