/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

#include "tallystick/numbers.h"

enum { TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2 /* of 16 bits */ };

/* What follows from the sizes. */
typedef struct tally_mixed_plan {
    uint32_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, limbs;
} tally_mixed_plan;

/* TALLY_ERROR_ARGUMENT, TALLY_ERROR_LENGTH as tally_mixed_params says. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

void tally_mixed_write(const tally_mixed *mixed, const tally_mixed_plan *plan,
                       const uint16_t *digits, size_t count, uint8_t *words);
void tally_mixed_read(const tally_mixed *mixed, const tally_mixed_plan *plan, const uint8_t *words,
                      size_t count, uint16_t *digits, uint8_t *outside);

#endif
