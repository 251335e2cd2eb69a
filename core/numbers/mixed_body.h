/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words and back, for one instruction set. Numbers are in limbs of 16
 * bits, each in a lane of 32; a vector has as many rows as lanes.
 *
 * The file that includes this defines MIXED(name), MIXED_TARGET, MIXED_LANES, MIXED_CHAINS and
 * MIXED_HIGH(x, y), the upper half of the product of each lane and a number; the type MIXED(vec);
 * and MIXED(load), MIXED(store), MIXED(load_digit) and MIXED(store_digit), for a vector of symbols
 * or digits. */

enum { MIXED(rows) = MIXED_LANES * MIXED_CHAINS };

/* A vector for each of the chains of dependent instructions that run side by side. */
typedef struct MIXED(pack) {
    MIXED(vec) of[MIXED_CHAINS];
} MIXED(pack);

#define MIXED_EACH(c) TALLY_UNROLL(4) for (size_t c = 0; c < MIXED_CHAINS; c++)

/* Numbers of some limbs; limb 0 is the least. */
typedef struct MIXED(numbers) {
    MIXED(pack) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

TALLY_INLINE MIXED_TARGET void MIXED(store_symbols)(uint8_t *to, const MIXED(pack) * value)
{
    MIXED_EACH(c)
    {
        MIXED(store)(to + c * MIXED_LANES, value->of[c]);
    }
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, const MIXED(pack) * value)
{
    MIXED_EACH(c)
    {
        MIXED(store_digit)(to + c * MIXED_LANES, value->of[c]);
    }
}

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

/* The rest of a division of which the quotient is at most 1 too small, which is mended. */
TALLY_INLINE MIXED_TARGET MIXED(vec)
    MIXED(mend)(MIXED(vec) * quotient, MIXED(vec) rest, uint32_t divisor)
{
    MIXED(vec) less = rest - divisor, over = less >> 31; /* rest is below 2 * divisor */
    *quotient += 1 - over;
    return less + (divisor & (0 - over));
}

/* Divides numbers of so many limbs by 2..2^16; returns the rests. By a product, since division
 * takes a time that may depend on the number. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(split)(MIXED(numbers) * from, uint32_t divisor, size_t limbs)
{
    const uint32_t reciprocal = (uint32_t)((UINT64_C(1) << 32) / divisor);
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        rest.of[c] = from->limb[limbs - 1].of[c] & 0;
    }
    for (size_t k = limbs; k-- > 0;) {
        MIXED_EACH(c)
        {
            MIXED(vec) part = rest.of[c] << 16 | from->limb[k].of[c];
            MIXED(vec) quotient = MIXED_HIGH(part, reciprocal);
            rest.of[c] = MIXED(mend)(&quotient, part - quotient * divisor, divisor);
            from->limb[k].of[c] = quotient;
        }
    }
    return rest;
}

/* The same for one limb. */
TALLY_INLINE MIXED_TARGET MIXED(pack) MIXED(split_limb)(MIXED(pack) * from, uint32_t divisor)
{
    const uint32_t reciprocal = 0x10000 / divisor;
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        MIXED(vec) quotient = from->of[c] * reciprocal >> 16;
        rest.of[c] = MIXED(mend)(&quotient, from->of[c] - quotient * divisor, divisor);
        from->of[c] = quotient;
    }
    return rest;
}

/* The digits of a run become one. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(pack) joined;
    MIXED_EACH(c)
    {
        joined.of[c] = MIXED(load_digit)(digits[run->first] + row + c * MIXED_LANES);
    }
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        MIXED_EACH(c)
        {
            joined.of[c] = joined.of[c] * plan->sizes[p] +
                           MIXED(load_digit)(digits[p] + row + c * MIXED_LANES);
        }
    }
    return joined;
}

/* The inverse. */
TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(pack) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(pack) digit = MIXED(split_limb)(&joined, plan->sizes[p]);
        MIXED(store_digits)(digits[p] + row, &digit);
    }
    MIXED(store_digits)(digits[run->first] + row, &joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    for (size_t row = 0; row < rows; row += MIXED(rows)) {
        held.limb[0] = MIXED(join)(plan, &plan->run[0], digits, row);
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(join)(plan, run, digits, row), run->before, run->after);
        }
        size_t s = plan->length;
        for (size_t i = 0; s > 2; s -= 2, i++) {
            MIXED(pack) pair = MIXED(split)(&held, radix * radix, plan->left[i]);
            MIXED(pack) second = MIXED(split_limb)(&pair, radix);
            MIXED(store_symbols)(symbols + (s - 1) * stride + row, &second);
            MIXED(store_symbols)(symbols + (s - 2) * stride + row, &pair);
        }
        if (s == 2) {
            MIXED(pack) second = MIXED(split_limb)(&held.limb[0], radix);
            MIXED(store_symbols)(symbols + stride + row, &second);
        }
        MIXED(store_symbols)(symbols + row, &held.limb[0]);
    }
    tally_wipe(&held, sizeof held);
}

/* Finds the numbers beyond the last one, and sets them to 0. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan)
{
    MIXED(pack) borrow; /* of last - number */
    MIXED_EACH(c)
    {
        borrow.of[c] = held->limb[0].of[c] & 0;
    }
    for (size_t k = 0; k < plan->limbs; k++) {
        MIXED_EACH(c)
        {
            borrow.of[c] = (plan->last[k] - held->limb[k].of[c] - borrow.of[c]) >> 31;
        }
    }
    for (size_t k = 0; k < plan->limbs; k++) {
        MIXED_EACH(c)
        {
            held->limb[k].of[c] &= borrow.of[c] - 1;
        }
    }
    return borrow;
}

/* Symbols s and s + 1 as one. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(join_pair)(uint32_t radix, const uint8_t *first, size_t stride)
{
    MIXED(pack) pair;
    MIXED_EACH(c)
    {
        pair.of[c] = MIXED(load)(first + c * MIXED_LANES) * radix +
                     MIXED(load)(first + stride + c * MIXED_LANES);
    }
    return pair;
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    for (size_t row = 0; row < rows; row += MIXED(rows)) {
        size_t s = plan->length % 2, limbs = 1;
        if (s == 0) {
            held.limb[0] = MIXED(join_pair)(radix, symbols + row, stride);
            s = 2;
        } else {
            MIXED_EACH(c)
            {
                held.limb[0].of[c] = MIXED(load)(symbols + row + c * MIXED_LANES);
            }
        }
        for (; s < plan->length; s += 2, limbs++) {
            MIXED(append)
            (&held, radix * radix, MIXED(join_pair)(radix, symbols + s * stride + row, stride),
             limbs, limbs + 1);
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan);
        MIXED(store_symbols)(outside + row, &beyond);
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(part)(plan, run, MIXED(split)(&held, run->size, run->after), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], held.limb[0], digits, row);
    }
    tally_wipe(&held, sizeof held);
}

#undef MIXED_EACH
