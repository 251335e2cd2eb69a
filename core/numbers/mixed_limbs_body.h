/* SPDX-License-Identifier: Apache-2.0
 *
 * Long arithmetic for one instruction set: numbers in limbs of 16 bits, each in a lane of 32, of
 * rows side by side in the vectors of a pack.
 *
 * The file that includes this defines, beside what mixed_body.h needs, the type MIXED(vec) of lanes
 * of 32 bits; MIXED(pack), MIXED_CHAINS of them, chains of dependent instructions that run side by
 * side; MIXED_HIGH(x, y), the upper half of the product of each lane and a number; and
 * MIXED_BELOW(x, y), all bits where x is below y. */

#define MIXED_LIMB_BITS 16
#define MIXED_EACH(c)   TALLY_UNROLL(4) for (size_t c = 0; c < MIXED_CHAINS; c++)

/* Numbers of some limbs; limb 0 is the least. */
typedef struct MIXED(numbers) {
    MIXED(pack) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

/* number * factor + digit, for a factor of at most 2^16 and digits below it. The number has
 * `before` limbs and gets `after`, at most one more. */
TALLY_INLINE MIXED_TARGET void MIXED(append)(MIXED(numbers) * to, uint32_t factor,
                                             MIXED(pack) digit, size_t before, size_t after)
{
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            MIXED(vec) sum = to->limb[k].of[c] * factor + digit.of[c]; /* at most 2^32 - 1 */
            to->limb[k].of[c] = sum & 0xffff;
            digit.of[c] = sum >> 16;
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

/* Divides numbers of so many limbs by 2..2^16; returns the rests. By a product, since division
 * takes a time that may depend on the number. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(split)(MIXED(numbers) * from, const tally_mixed_run *run, size_t limbs)
{
    const uint32_t number = run->size,
                   reciprocal = (uint32_t)(run->inverse >> (20 + run->shift)); /* 2^32 / number */
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        rest.of[c] = from->limb[limbs - 1].of[c] & 0;
    }
    for (size_t k = limbs; k-- > 0;) {
        MIXED_EACH(c)
        {
            MIXED(vec) part = rest.of[c] << 16 | from->limb[k].of[c];
            MIXED(vec) quotient = MIXED_HIGH(part, reciprocal); /* or 1 less */
            MIXED(vec) much = part - quotient * number, less = much - number;
            MIXED(vec) mended = MIXED_BELOW(less, much);
            rest.of[c] = much - (mended & number);
            from->limb[k].of[c] = quotient - mended;
        }
    }
    return rest;
}

/* Finds the numbers of so many limbs beyond the last one, and sets them to 0. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan, size_t limbs)
{
    MIXED(pack) borrow; /* of last - number */
    MIXED_EACH(c)
    {
        borrow.of[c] = held->limb[0].of[c] & 0;
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            borrow.of[c] = ((uint32_t)plan->last[k] - held->limb[k].of[c] - borrow.of[c]) >> 31;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            held->limb[k].of[c] &= borrow.of[c] - 1;
        }
    }
    return borrow;
}

#undef MIXED_EACH
