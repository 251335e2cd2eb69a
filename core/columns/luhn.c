/* SPDX-License-Identifier: Apache-2.0
 *
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#include "columns/luhn.h"

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

uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (i != place) {
            sum += (count - i) % 2 == 0 ? luhn_doubled(digits[i]) : digits[i];
        }
    }
    return tally_luhn_digit_for(sum, (count - place) % 2 == 0);
}
