/* SPDX-License-Identifier: Apache-2.0
 *
 * See plan.h. Everything here is public: radix, lengths, sizes. */
#include "ff1/plan.h"

#include "base/bytes.h"
#include "ff1/multiply.h"

static int plan_is_power_of_two(uint32_t radix)
{
    return (radix & (radix - 1)) == 0;
}

/* 2^k <= x < 2^(k + 1) */
static uint32_t plan_log(uint64_t x)
{
    uint32_t k = 0;
    while (x >> 1 >> k != 0) {
        k++;
    }
    return k;
}

uint32_t tally_ff1_min_length(tally_ff1_profile profile, uint32_t radix)
{
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX ||
        (profile != TALLY_FF1 && profile != TALLY_FF1_2016)) {
        return 0;
    }
    const uint64_t least = profile == TALLY_FF1 ? 1000000 : 100;
    uint64_t words = (uint64_t)radix * radix;
    uint32_t length = 2;
    for (; words < least; words *= radix) {
        length++;
    }
    return length;
}

/* 2^96 / value for a value above 2^32 that is no power of two: 2^64 / value, then the digits behind. */
static uint64_t plan_long_inverse(uint64_t value)
{
    uint64_t quotient = UINT64_MAX / value, rest = UINT64_MAX % value + 1;
    for (int bit = 0; bit < 32; bit++) {
        const int is_more = rest >> 63 != 0 || 2 * rest >= value;
        rest = 2 * rest - (is_more ? value : 0);
        quotient = 2 * quotient + (uint64_t)is_more;
    }
    return quotient;
}

static tally_ff1_modulus plan_modulus(uint32_t radix, uint32_t symbols)
{
    tally_ff1_modulus made = {.value = 1};
    for (uint32_t i = 0; i < symbols; i++) {
        made.value *= radix;
    }
    if (plan_is_power_of_two(radix)) {
        made.mask = made.value - 1;
    } else {
        made.inverse = UINT64_MAX / made.value; /* value is no power of two: as 2^64 / value */
        made.long_inverse = made.value >> 32 != 0 ? plan_long_inverse(made.value) : 0;
    }
    return made;
}

/* The bits of radix^symbols - 1, which is the standard's rounded logarithm. The power is that of a
 * mantissa of 64 bits, whose error is below 2^-44 of it. Of powers up to the 2^15th, that of 37667^592
 * is the nearest to a power of two, and 2^-31 of it away. */
static uint32_t plan_bits(uint32_t radix, uint32_t symbols)
{
    if (plan_is_power_of_two(radix)) {
        return plan_log(radix) * symbols;
    }
    const uint32_t log = plan_log(radix);
    const uint64_t base = (uint64_t)radix << (63 - log);
    uint64_t mantissa = UINT64_C(1) << 63; /* the power is mantissa * 2^(bits - 64) */
    uint32_t bits = 1;
    for (uint32_t bit = UINT32_C(1) << plan_log(symbols); bit != 0; bit /= 2) {
        mantissa = tally_ff1_high(mantissa, mantissa);
        bits += bits - 1;
        const int square = (int)(mantissa >> 63); /* 1: at least 2^127 */
        bits += (uint32_t)square;
        mantissa <<= 1 - square;
        if ((symbols & bit) != 0) {
            mantissa = tally_ff1_high(mantissa, base);
            const int product = (int)(mantissa >> 63);
            bits += log + (uint32_t)product;
            mantissa <<= 1 - product;
        }
    }
    return bits;
}

static void plan_set_short(uint32_t radix, tally_ff1_plan *out)
{
    out->is_short = 1;
    out->modulus[0] = plan_modulus(radix, out->half[0]);
    out->modulus[1] = plan_modulus(radix, out->half[1]);
}

void tally_ff1_plan_halves(const tally_ff1 *cipher, uint32_t u, uint32_t v, tally_ff1_plan *out)
{
    const uint32_t radix = cipher->radix;
    *out = (tally_ff1_plan){
        .cipher = cipher,
        .length = u + v,
        .half = {u, v},
        .symbol_size = radix <= 256 ? 1 : 2,
    };
    const uint32_t bits = plan_bits(radix, u > v ? u : v);
    const uint32_t log = plan_log(radix - 1) + 1; /* radix <= 2^log */
    out->radix_shift = log - 1;
    /* 2^(63 + log) / radix, rounded up, which is below 2^64. */
    const uint64_t power = UINT64_C(1) << 63, rest = (power % radix) << log;
    out->radix_inverse = (power / radix << log) + (rest + radix - 1) / radix;
    if (bits <= (plan_is_power_of_two(radix) ? 64 : TALLY_FF1_LANE_BITS)) {
        plan_set_short(radix, out);
    }
    out->number_size = (bits + 7) / 8;
    out->prf_size = (out->number_size + 3) / 4 * 4 + 4;
}

tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out)
{
    if (length > TALLY_FF1_MAX_LENGTH ||
        length < tally_ff1_min_length(cipher->profile, cipher->radix)) {
        return TALLY_ERROR_FF1_LENGTH;
    }
    tally_ff1_plan_halves(cipher, length / 2, length - length / 2, out);
    if (!out->is_short && out->number_size <= 8) {
        plan_set_short(cipher->radix, out);
        out->is_wide = 1;
    }
    return TALLY_OK;
}

void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16])
{
    out[0] = 1;
    out[1] = 2;
    out[2] = 1;
    out[3] = (uint8_t)(plan->cipher->radix >> 16);
    out[4] = (uint8_t)(plan->cipher->radix >> 8);
    out[5] = (uint8_t)plan->cipher->radix;
    out[6] = TALLY_FF1_ROUNDS;
    out[7] = (uint8_t)plan->half[0];
    tally_store_be32(plan->length, out + 8);
    tally_store_be32((uint32_t)tweak_size, out + 12);
}
