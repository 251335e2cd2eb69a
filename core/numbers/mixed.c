/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words of one radix, and back. Numbers are in limbs of 16 bits, those of
 * 64 rows side by side: the loops over rows are what compilers make vectors of. */
#include "numbers/mixed.h"

#include <string.h>

#include "base/below.h"

enum {
    MIXED_ROWS = 64,
    MIXED_LIMBS = TALLY_MIXED_LIMBS,
    MIXED_LIMB_BITS = 16,
    MIXED_LIMB_MASK = 0xffff
};

/* Numbers of so many limbs; limb 0 is the least. */
typedef struct mixed_numbers {
    uint32_t limb[MIXED_LIMBS][MIXED_ROWS];
    uint32_t limbs;
} mixed_numbers;

/* number * factor + digit, for a factor of at most 2^16 and digits below it. */
static void mixed_append(mixed_numbers *to, uint32_t factor, const uint32_t digit[MIXED_ROWS])
{
    uint32_t carry[MIXED_ROWS];
    memcpy(carry, digit, sizeof carry);
    for (uint32_t k = 0; k < to->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            uint32_t sum = to->limb[k][i] * factor + carry[i]; /* at most 2^32 - 1 */
            to->limb[k][i] = sum & MIXED_LIMB_MASK;
            carry[i] = sum >> MIXED_LIMB_BITS;
        }
    }
}

/* Divides by 2..2^16; the rests are the digits. By a product, since division takes a time that may
 * depend on the number; it is at most 1 too small. */
static void mixed_split(mixed_numbers *from, uint32_t divisor, uint32_t digit[MIXED_ROWS])
{
    const uint32_t reciprocal = (uint32_t)((UINT64_C(1) << 32) / divisor);
    memset(digit, 0, MIXED_ROWS * sizeof *digit);
    for (uint32_t k = from->limbs; k-- > 0;) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            uint32_t part = digit[i] << MIXED_LIMB_BITS | from->limb[k][i];
            uint32_t quotient = (uint32_t)((uint64_t)part * reciprocal >> 32);
            uint32_t rest = part - quotient * divisor; /* below 2 * divisor */
            uint32_t more = 1 - ((rest - divisor) >> 31);
            from->limb[k][i] = quotient + more;
            digit[i] = rest - (divisor & (0 - more));
        }
    }
}

/* Whether words of that radix and length reach `last`. */
static int mixed_reaches(const uint32_t last[MIXED_LIMBS], uint32_t radix, uint32_t length)
{
    uint32_t rest[MIXED_LIMBS], left = 1;
    memcpy(rest, last, sizeof rest);
    for (uint32_t i = 0; i < length && left != 0; i++) {
        uint32_t carry = 0;
        left = 0;
        for (size_t k = MIXED_LIMBS; k-- > 0;) {
            uint32_t part = carry << MIXED_LIMB_BITS | rest[k];
            rest[k] = part / radix;
            carry = part % radix;
            left |= rest[k];
        }
    }
    return left == 0;
}

tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out)
{
    uint32_t wide = 0; /* whether there are two numbers at all */
    memset(out, 0, sizeof *out);
    if (mixed->positions < 1 || mixed->positions > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t p = 0; p < mixed->positions; p++) {
        if (mixed->sizes[p] < 1 || mixed->sizes[p] > TALLY_MIXED_MAX_SIZE) {
            return TALLY_ERROR_ARGUMENT;
        }
        uint32_t carry = mixed->sizes[p] - 1; /* last * size + size - 1 */
        wide |= carry;
        for (size_t k = 0; k < MIXED_LIMBS; k++) {
            uint32_t sum = out->last[k] * mixed->sizes[p] + carry;
            out->last[k] = sum & MIXED_LIMB_MASK;
            carry = sum >> MIXED_LIMB_BITS;
        }
        if (carry != 0) {
            return TALLY_ERROR_LENGTH;
        }
    }
    if (wide == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    out->length = 2;
    while (!mixed_reaches(out->last, 256, out->length)) {
        out->length++;
    }
    out->radix = 4;
    while (!mixed_reaches(out->last, out->radix, out->length)) {
        out->radix++;
    }
    out->limbs = (out->length + 1) / 2;
    return TALLY_OK;
}

tally_status tally_mixed_params(const tally_mixed *mixed, tally_fast_params *out)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    return status == TALLY_OK ? tally_fast_recommended(TALLY_FAST, plan.radix, plan.length, out)
                              : status;
}

/* Whether every digit is below its size, without a branch on any of them. */
static int mixed_digits_fit(const tally_mixed *mixed, const uint16_t *digits, size_t count)
{
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < mixed->positions; p++) {
            outside |= mixed->sizes[p] - 1 - digits[i * mixed->positions + p];
        }
    }
    return outside >> 31 == 0;
}

static void mixed_clear(mixed_numbers *held, const tally_mixed_plan *plan)
{
    held->limbs = plan->limbs;
    memset(held->limb, 0, plan->limbs * sizeof *held->limb);
}

void tally_mixed_write(const tally_mixed *mixed, const tally_mixed_plan *plan,
                       const uint16_t *digits, size_t count, uint8_t *words)
{
    mixed_numbers held;
    uint32_t digit[MIXED_ROWS] = {0};
    for (size_t first = 0; first < count; first += MIXED_ROWS) {
        size_t rows = count - first < MIXED_ROWS ? count - first : MIXED_ROWS;
        mixed_clear(&held, plan);
        for (size_t p = 0; p < mixed->positions; p++) {
            for (size_t i = 0; i < rows; i++) {
                digit[i] = digits[(first + i) * mixed->positions + p];
            }
            mixed_append(&held, mixed->sizes[p], digit);
        }
        for (size_t s = plan->length; s-- > 0;) {
            mixed_split(&held, plan->radix, digit);
            for (size_t i = 0; i < rows; i++) {
                words[(first + i) * plan->length + s] = (uint8_t)digit[i];
            }
        }
    }
    tally_wipe(&held, sizeof held);
    tally_wipe(digit, sizeof digit);
}

tally_status tally_mixed_to_words(const tally_mixed *mixed, const uint16_t *digits, size_t count,
                                  uint8_t *words)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    if (status != TALLY_OK) {
        return status;
    }
    if (!mixed_digits_fit(mixed, digits, count)) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_mixed_write(mixed, &plan, digits, count, words);
    return TALLY_OK;
}

/* Finds the numbers beyond the last one, and sets them to 0. */
static void mixed_find_outside(mixed_numbers *held, const tally_mixed_plan *plan,
                               uint32_t outside[MIXED_ROWS])
{
    memset(outside, 0, MIXED_ROWS * sizeof *outside);
    for (uint32_t k = 0; k < plan->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) { /* the borrow of last - number */
            outside[i] = (plan->last[k] - held->limb[k][i] - outside[i]) >> 31;
        }
    }
    for (uint32_t k = 0; k < plan->limbs; k++) {
        for (size_t i = 0; i < MIXED_ROWS; i++) {
            held->limb[k][i] &= outside[i] - 1;
        }
    }
}

void tally_mixed_read(const tally_mixed *mixed, const tally_mixed_plan *plan, const uint8_t *words,
                      size_t count, uint16_t *digits, uint8_t *outside)
{
    mixed_numbers held;
    uint32_t digit[MIXED_ROWS] = {0};
    for (size_t first = 0; first < count; first += MIXED_ROWS) {
        size_t rows = count - first < MIXED_ROWS ? count - first : MIXED_ROWS;
        mixed_clear(&held, plan);
        for (size_t s = 0; s < plan->length; s++) {
            for (size_t i = 0; i < rows; i++) {
                digit[i] = words[(first + i) * plan->length + s];
            }
            mixed_append(&held, plan->radix, digit);
        }
        mixed_find_outside(&held, plan, digit);
        for (size_t i = 0; i < rows; i++) {
            outside[first + i] = (uint8_t)digit[i];
        }
        for (size_t p = mixed->positions; p-- > 0;) {
            if (mixed->sizes[p] == 1) {
                memset(digit, 0, sizeof digit);
            } else {
                mixed_split(&held, mixed->sizes[p], digit);
            }
            for (size_t i = 0; i < rows; i++) {
                digits[(first + i) * mixed->positions + p] = (uint16_t)digit[i];
            }
        }
    }
    tally_wipe(&held, sizeof held);
    tally_wipe(digit, sizeof digit);
}

tally_status tally_mixed_from_words(const tally_mixed *mixed, const uint8_t *words, size_t count,
                                    uint16_t *digits, uint8_t *outside)
{
    tally_mixed_plan plan;
    tally_status status = tally_mixed_make_plan(mixed, &plan);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_all_below(plan.radix, words, count * plan.length)) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_mixed_read(mixed, &plan, words, count, digits, outside);
    return TALLY_OK;
}
