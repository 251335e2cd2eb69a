/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of up to 60 bits by products of 32 bits, for vectors that have no longer ones. A back end
 * that includes lanes_body.h includes this file before, and defines of lanes of 64 bits
 *
 *   FF1_RIGHT(x, n), FF1_LEFT(x, n)  shifts by a constant
 *
 * and the functions FF1(plus), FF1(minus), FF1(times), which is the product of the lower halves of
 * lanes, FF1(least32) of lanes of 32 bits, and FF1(choose)(x, y), which is x, or y if x is negative.
 *
 * Reductions modulo m, of k bits, are Barrett's. x below 2^32 m has the quotient x / 2^k * inverse /
 * 2^31, or up to 3 less: dropped bits of x make less than 2^k / m of that, those of the inverse less
 * than 2m / 2^k, both together at most 3, and the last division less than 1. */

typedef struct FF1(modulus) {
    uint64_t value, mask;   /* as in plan.h */
    uint64_t fold;          /* 2^32 modulo the value */
    uint64_t inverse;       /* 2^(31 + k) / value */
    uint64_t first_inverse; /* 2^64 / value, of a long one */
    FF1(shift) shift;       /* k, or of a long one k - 32 */
} FF1(modulus);

FF1_INLINE FF1(modulus)
    FF1(set_modulus)(const tally_ff1_plan *plan, const tally_ff1_kind kind, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    FF1(modulus) made = {.value = modulus->value, .mask = modulus->mask};
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        made.shift = FF1(shift_by)(0);
        return made;
    }
    const uint32_t bits = tally_ff1_log(modulus->value) + 1;
    if (kind == TALLY_FF1_LONG) {
        made.first_inverse = modulus->inverse;
        made.inverse = modulus->long_inverse >> (65 - bits);
        made.shift = FF1(shift_by)(bits - 32);
    } else {
        made.fold = (UINT64_C(1) << 32) % modulus->value;
        made.inverse = (UINT64_C(1) << (31 + bits)) / modulus->value;
        made.shift = FF1(shift_by)(bits);
    }
    return made;
}

/* x less some moduli, unless it is below; x is below twice that. */
FF1_INLINE FF1(vec) FF1(less)(const tally_ff1_kind kind, FF1(vec) x, FF1(vec) moduli)
{
    const FF1(vec) less = FF1(minus)(x, moduli);
    return kind == TALLY_FF1_SMALL ? FF1(least32)(x, less) : FF1(choose)(less, x);
}

/* x * 2^32 + low modulo a value of up to 32 bits, or that plus up to three times the value. */
FF1_INLINE FF1(vec) FF1(reduce)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) low)
{
    const FF1(vec) folded = FF1(plus)(FF1(times)(x, FF1(each)(modulus->fold)), low),
                   top = FF1(right)(folded, modulus->shift),
                   quotient = FF1_RIGHT(FF1(times)(top, FF1(each)(modulus->inverse)), 31);
    return FF1(minus)(folded, FF1(times)(quotient, FF1(each)(modulus->value)));
}

/* x less a quotient of 32 bits times a long modulus. */
FF1_INLINE FF1(vec) FF1(rest)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) quotient)
{
    const FF1(vec) low = FF1(times)(quotient, FF1(each)(modulus->value)),
                   high = FF1(times)(quotient, FF1(each)(modulus->value >> 32));
    return FF1(minus)(FF1(minus)(x, low), FF1_LEFT(high, 32));
}

FF1_INLINE FF1(vec)
    FF1(add)(const tally_ff1_kind kind, const tally_direction direction,
             const FF1(modulus) * modulus, FF1(vec) number, FF1(vec) high, FF1(vec) low)
{
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        const FF1(vec) y = kind == TALLY_FF1_POWER ? high : FF1(or)(FF1_LEFT(high, 32), low);
        return FF1(and)(direction == TALLY_ENCRYPT ? FF1(plus)(number, y) : FF1(minus)(number, y),
                        FF1(each)(modulus->mask));
    }
    const FF1(vec) once = FF1(each)(modulus->value), twice = FF1(each)(2 * modulus->value),
                   four = FF1(each)(4 * modulus->value), mask32 = FF1(each)(UINT32_MAX);
    FF1(vec) rest;
    if (kind == TALLY_FF1_LONG) { /* the first quotient is less than 3 too small */
        rest = FF1_RIGHT(FF1(times)(FF1_RIGHT(high, 32), FF1(each)(modulus->first_inverse)), 32);
        rest = FF1(rest)(modulus, high, rest);
        rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
        const FF1(vec) quotient = FF1_RIGHT(
            FF1(times)(FF1(right)(rest, modulus->shift), FF1(each)(modulus->inverse)), 31);
        rest = FF1(rest)(modulus, FF1(or)(FF1_LEFT(rest, 32), low), quotient);
    } else {
        rest = FF1(reduce)(modulus, FF1_RIGHT(high, 32), FF1(and)(high, mask32));
        if (kind == TALLY_FF1_LONG_LOW) {
            rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
            rest = FF1(reduce)(modulus, rest, low);
        }
    }
    rest = direction == TALLY_ENCRYPT ? FF1(plus)(number, rest)
                                      : FF1(minus)(FF1(plus)(number, four), rest);
    rest = FF1(less)(kind, rest, four);
    return FF1(less)(kind, FF1(less)(kind, rest, twice), once);
}

/* x * base + chunk */
FF1_INLINE FF1(vec) FF1(append)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) chunk)
{
    const FF1(vec) base = FF1(each)(by->base), low = FF1(times)(x, base),
                   high = FF1_LEFT(FF1(times)(FF1_RIGHT(x, 32), base), 32);
    return FF1(plus)(FF1(plus)(low, high), chunk);
}

/* x / base, from x * 16 * inverse / 2^(67 + bits). Of the upper half of the product without that of
 * the lower halves up to 3 are missing, and the inverse is up to 1 too great, which is less than
 * 1 / base in all. */
FF1_INLINE FF1(vec) FF1(quotient)(const tally_ff1_chunks *by, FF1(vec) x)
{
    const uint64_t inverse = by->inverse + 1;
    const FF1(vec) i0 = FF1(each)(inverse), i1 = FF1(each)(inverse >> 32), x0 = FF1_LEFT(x, 4),
                   x1 = FF1_RIGHT(x0, 32);
    const FF1(vec) middle =
        FF1(plus)(FF1_RIGHT(FF1(times)(x1, i0), 32), FF1_RIGHT(FF1(times)(x0, i1), 32));
    const FF1(vec) high = FF1(plus)(FF1(plus)(FF1(times)(x1, i1), middle), FF1(each)(3));
    return FF1(right)(high, FF1(shift_by)(by->bits + 3));
}

FF1_INLINE FF1(vec) FF1(remainder)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) quotient)
{
    return FF1(minus)(x, FF1(times)(quotient, FF1(each)(by->base)));
}

#undef FF1_LEFT
#undef FF1_RIGHT
