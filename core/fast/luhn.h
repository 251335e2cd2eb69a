/* SPDX-License-Identifier: Apache-2.0
 *
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#ifndef TALLY_FAST_LUHN_H
#define TALLY_FAST_LUHN_H

#include <stddef.h>
#include <stdint.h>

/* The one value of digits[place] with which all `count` digits satisfy the formula. */
uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place);

#endif
