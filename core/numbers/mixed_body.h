/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words and back, for one instruction set. Rows are side by side: what 16
 * bits hold in lanes of so many, and long numbers in limbs.
 *
 * The file that includes this defines MIXED(name), MIXED_TARGET and MIXED_ROWS, the rows that are
 * worked on together; MIXED(halves), a lane of 16 bits for each, and MIXED(stored), as many digits
 * in memory; MIXED_CONVERT(type, x), lane by lane; MIXED_HALF(x), a number as a lane; and
 * MIXED_HALF_HIGH(x, y), the upper half of the product of each lane and a number; MIXED(load) and
 * MIXED(store) for symbols.
 *
 * Long numbers are MIXED(numbers), of limbs of MIXED_LIMB_BITS, each a MIXED(pack), with
 * MIXED(narrow) and MIXED(widen) from a pack to halves and back, and MIXED(append), MIXED(split) and
 * MIXED(find_outside) as in mixed_limbs_body.h. */

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load_digits)(const uint16_t *from)
{
    MIXED(stored) digits;
    memcpy(&digits, from, sizeof digits);
    return MIXED_CONVERT(MIXED(halves), digits);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, MIXED(halves) value)
{
    const MIXED(stored) digits = MIXED_CONVERT(MIXED(stored), value);
    memcpy(to, &digits, sizeof digits);
}

/* The limbs up to a bit. */
TALLY_INLINE size_t MIXED(limbs)(uint32_t top)
{
    return top / MIXED_LIMB_BITS + 1;
}

/* Divides; returns the rest. */
TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(split_half)(MIXED(halves) * from, const tally_mixed_divisor *divisor, uint32_t number)
{
    MIXED(halves) whole = *from, quotient = MIXED_HALF_HIGH(whole, divisor->inverse);
    if (number == 1) {
        return whole - whole;
    }
    if (divisor->is_longer) {
        quotient += (whole - quotient) >> 1;
    }
    quotient >>= divisor->shift;
    *from = quotient;
    return whole - quotient * MIXED_HALF(number);
}

/* The digits of a run become one. */
TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(halves) joined = MIXED(load_digits)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * MIXED_HALF(plan->sizes[p]) + MIXED(load_digits)(digits[p] + row);
    }
    return joined;
}

/* The inverse. */
TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(halves) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digits)
        (digits[p] + row, MIXED(split_half)(&joined, &plan->by_size[p], plan->sizes[p]));
    }
    MIXED(store_digits)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    const size_t limbs = MIXED(limbs)(plan->run[plan->runs - 1].top);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        held.limb[0] = MIXED(widen)(MIXED(join)(plan, &plan->run[0], digits, row));
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(widen)(MIXED(join)(plan, run, digits, row)),
             MIXED(limbs)(run[-1].top), MIXED(limbs)(run->top));
        }
        size_t s = plan->length, left = limbs;
        for (size_t i = plan->pairs - 1; s > 2; s -= 2, i--) {
            MIXED(pack) rest = MIXED(split)(&held, &plan->pair, left);
            left = MIXED(limbs)(plan->reach[i - 1]);
            MIXED(halves) pair = MIXED(narrow)(&rest);
            MIXED(store)
            (symbols + (s - 1) * stride + row, MIXED(split_half)(&pair, &plan->by_radix, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        MIXED(halves) first = MIXED(narrow)(&held.limb[0]);
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_half)(&first, &plan->by_radix, radix));
        }
        MIXED(store)(symbols + row, first);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const size_t limbs = MIXED(limbs)(plan->reach[plan->pairs - 1]);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        for (size_t i = 0, s = 0; i < plan->pairs; i++) {
            MIXED(halves) pair = MIXED(load)(symbols + s++ * stride + row);
            if (i != 0 || plan->length % 2 == 0) {
                pair = pair * MIXED_HALF(plan->radix) + MIXED(load)(symbols + s++ * stride + row);
            }
            if (i == 0) {
                held.limb[0] = MIXED(widen)(pair);
                continue;
            }
            MIXED(append)
            (&held, plan->pair.size, MIXED(widen)(pair), MIXED(limbs)(plan->reach[i - 1]),
             MIXED(limbs)(plan->reach[i]));
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan, limbs);
        MIXED(store)(outside + row, MIXED(narrow)(&beyond));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(pack) rest = MIXED(split)(&held, run, MIXED(limbs)(run->top));
            MIXED(part)(plan, run, MIXED(narrow)(&rest), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], MIXED(narrow)(&held.limb[0]), digits, row);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}
