/* SPDX-License-Identifier: Apache-2.0
 *
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#include "columns/luhn.h"

#include <string.h>

#include "tallystick/base.h"

/* A doubled digit, less 9 where it exceeds 9: a permutation of the digits. Computed, not looked up,
 * for the digits are secret. */
static uint32_t luhn_doubled(uint32_t digit)
{
    uint32_t twice = 2 * digit;
    return twice - (9 & (0 - (uint32_t)(twice > 9)));
}

/* Its inverse: half of an even number, half of nine more of an odd one. */
static uint32_t luhn_halved(uint32_t digit)
{
    return (digit + (9 & (0 - (digit & 1)))) / 2;
}

uint8_t tally_luhn_digit_for(uint32_t sum, int is_doubled)
{
    uint32_t missing = (10 - sum % 10) % 10;
    return (uint8_t)(is_doubled ? luhn_halved(missing) : missing);
}

/* The sum of eight digits; the upper bits of `doubled` say which are doubled: 0 or 0x80 in each byte.
 */
static uint32_t luhn_sum_eight(const uint8_t digits[8], uint64_t doubled)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), all = doubled / 128 * 255;
    uint64_t x;
    memcpy(&x, digits, 8);
    /* Digits from 5 on have the top bit in the sum. */
    const uint64_t nine = ((x + 0x7b * ones) & doubled) / 128 * 9;
    x += (x & all) - nine;
    return (uint32_t)(x * ones >> 56);
}

uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place)
{
    /* Every second digit from the last but one on: number i where count - i is even. */
    const uint8_t even[8] = {128, 0, 128, 0, 128, 0, 128, 0},
                  odd[8] = {0, 128, 0, 128, 0, 128, 0, 128};
    const int is_doubled = (count - place) % 2 == 0;
    uint64_t doubled;
    uint32_t sum = 0;
    size_t i = 0;
    memcpy(&doubled, count % 2 == 0 ? even : odd, 8);
    for (; i + 8 <= count; i += 8) {
        sum += luhn_sum_eight(digits + i, doubled);
    }
    if (i < count) {
        uint8_t rest[8] = {0};
        memcpy(rest, digits + i, count - i);
        sum += luhn_sum_eight(rest, doubled);
        tally_wipe(rest, sizeof rest);
    }
    sum -= is_doubled ? luhn_doubled(digits[place]) : digits[place];
    return tally_luhn_digit_for(sum, is_doubled);
}
