/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words and back, for one instruction set. Numbers are in limbs of 16
 * bits, each in a lane of 32; a vector has as many rows as lanes.
 *
 * The file that includes this defines MIXED(name), MIXED_TARGET, MIXED_LANES and MIXED_HIGH(x, y),
 * the upper half of the product of each lane and a number. */

#if defined(__GNUC__)
typedef uint32_t MIXED(vec) __attribute__((vector_size(4 * MIXED_LANES)));
typedef uint16_t MIXED(halves) __attribute__((vector_size(2 * MIXED_LANES)));
typedef uint8_t MIXED(bytes) __attribute__((vector_size(MIXED_LANES)));
#define MIXED_CONVERT(type, from) __builtin_convertvector(from, type)
#else
typedef uint32_t MIXED(vec);
typedef uint16_t MIXED(halves);
typedef uint8_t MIXED(bytes);
#define MIXED_CONVERT(type, from) ((type)(from))
#endif

/* Numbers of some limbs; limb 0 is the least. */
typedef struct MIXED(numbers) {
    MIXED(vec) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

TALLY_INLINE MIXED_TARGET MIXED(vec) MIXED(load)(const uint8_t *from)
{
    MIXED(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return MIXED_CONVERT(MIXED(vec), bytes);
}

TALLY_INLINE MIXED_TARGET void MIXED(store)(uint8_t *to, MIXED(vec) value)
{
    MIXED(bytes) bytes = MIXED_CONVERT(MIXED(bytes), value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE MIXED_TARGET MIXED(vec) MIXED(load_digit)(const uint16_t *from)
{
    MIXED(halves) halves;
    memcpy(&halves, from, sizeof halves);
    return MIXED_CONVERT(MIXED(vec), halves);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digit)(uint16_t *to, MIXED(vec) value)
{
    MIXED(halves) halves = MIXED_CONVERT(MIXED(halves), value);
    memcpy(to, &halves, sizeof halves);
}

/* number * factor + digit, for a factor of at most 2^16 and digits below it. The number has
 * `before` limbs and gets `after`, at most one more. */
TALLY_INLINE MIXED_TARGET void MIXED(append)(MIXED(numbers) * to, uint32_t factor, MIXED(vec) digit,
                                             size_t before, size_t after)
{
    for (size_t k = 0; k < before; k++) {
        MIXED(vec) sum = to->limb[k] * factor + digit; /* at most 2^32 - 1 */
        to->limb[k] = sum & 0xffff;
        digit = sum >> 16;
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

/* The rest of a division of which the quotient is at most 1 too small, which is mended. */
TALLY_INLINE MIXED_TARGET MIXED(vec)
    MIXED(mend)(MIXED(vec) * quotient, MIXED(vec) rest, uint32_t divisor)
{
    MIXED(vec) more = 1 - ((rest - divisor) >> 31); /* rest is below 2 * divisor */
    *quotient += more;
    return rest - more * divisor;
}

/* Divides numbers of so many limbs by 2..2^16; returns the rests. By a product, since division
 * takes a time that may depend on the number. */
TALLY_INLINE MIXED_TARGET MIXED(vec)
    MIXED(split)(MIXED(numbers) * from, uint32_t divisor, size_t limbs)
{
    const uint32_t reciprocal = (uint32_t)((UINT64_C(1) << 32) / divisor);
    MIXED(vec) rest = from->limb[limbs - 1] & 0;
    for (size_t k = limbs; k-- > 0;) {
        MIXED(vec) part = rest << 16 | from->limb[k];
        MIXED(vec) quotient = MIXED_HIGH(part, reciprocal);
        rest = MIXED(mend)(&quotient, part - quotient * divisor, divisor);
        from->limb[k] = quotient;
    }
    return rest;
}

/* The same for one limb. */
TALLY_INLINE MIXED_TARGET MIXED(vec) MIXED(split_limb)(MIXED(vec) * from, uint32_t divisor)
{
    MIXED(vec) quotient = *from * (0x10000 / divisor) >> 16;
    MIXED(vec) rest = MIXED(mend)(&quotient, *from - quotient * divisor, divisor);
    *from = quotient;
    return rest;
}

/* The digits of a run become one. */
TALLY_INLINE MIXED_TARGET MIXED(vec)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(vec) joined = MIXED(load_digit)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * plan->sizes[p] + MIXED(load_digit)(digits[p] + row);
    }
    return joined;
}

/* The inverse. */
TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(vec) joined, tally_mixed_digits digits, size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digit)(digits[p] + row, MIXED(split_limb)(&joined, plan->sizes[p]));
    }
    MIXED(store_digit)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    for (size_t row = 0; row < rows; row += MIXED_LANES) {
        held.limb[0] = MIXED(join)(plan, &plan->run[0], digits, row);
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(join)(plan, run, digits, row), run->before, run->after);
        }
        size_t s = plan->length;
        for (size_t i = 0; s > 2; s -= 2, i++) {
            MIXED(vec) pair = MIXED(split)(&held, radix * radix, plan->left[i]);
            MIXED(store)(symbols + (s - 1) * stride + row, MIXED(split_limb)(&pair, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_limb)(&held.limb[0], radix));
        }
        MIXED(store)(symbols + row, held.limb[0]);
    }
    tally_wipe(&held, sizeof held);
}

/* Finds the numbers beyond the last one, and sets them to 0. */
TALLY_INLINE MIXED_TARGET MIXED(vec)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan)
{
    MIXED(vec) borrow = held->limb[0] & 0; /* of last - number */
    for (size_t k = 0; k < plan->limbs; k++) {
        borrow = (plan->last[k] - held->limb[k] - borrow) >> 31;
    }
    for (size_t k = 0; k < plan->limbs; k++) {
        held->limb[k] &= borrow - 1;
    }
    return borrow;
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    for (size_t row = 0; row < rows; row += MIXED_LANES) {
        size_t s = plan->length % 2, limbs = 1;
        held.limb[0] = MIXED(load)(symbols + row);
        if (s == 0) {
            held.limb[0] = held.limb[0] * radix + MIXED(load)(symbols + stride + row);
            s = 2;
        }
        for (; s < plan->length; s += 2, limbs++) {
            MIXED(vec)
            pair = MIXED(load)(symbols + s * stride + row) * radix +
                   MIXED(load)(symbols + (s + 1) * stride + row);
            MIXED(append)(&held, radix * radix, pair, limbs, limbs + 1);
        }
        MIXED(store)(outside + row, MIXED(find_outside)(&held, plan));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(part)(plan, run, MIXED(split)(&held, run->size, run->after), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], held.limb[0], digits, row);
    }
    tally_wipe(&held, sizeof held);
}

#undef MIXED_CONVERT
