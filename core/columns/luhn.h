/* SPDX-License-Identifier: Apache-2.0
 *
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#ifndef TALLY_COLUMNS_LUHN_H
#define TALLY_COLUMNS_LUHN_H

#include <stddef.h>
#include <stdint.h>

/* The one value of digits[place] with which all `count` digits satisfy the formula. */
uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place);

/* The digit that makes a number valid. `sum` is that of the other digits, of which the formula
 * doubles some; is_doubled: it doubles this digit too. */
uint8_t tally_luhn_digit_for(uint32_t sum, int is_doubled);

#endif
