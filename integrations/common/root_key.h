/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_ROOT_KEY_H
#define TALLY_ROOT_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "tallystick/keyring.h"

enum { TALLY_ROOT_DIGITS = 2 * TALLY_ROOT_KEY_SIZE };

/* Reads a hexadecimal digit without a branch or a look-up that depends on it. */
static inline uint8_t tally_root_nibble(uint8_t character, uint8_t *wrong)
{
    const uint8_t number = character ^ 48U;
    const uint8_t is_number = (uint8_t)((number - 10U) >> 8);
    const uint8_t letter = (uint8_t)((character & ~32U) - 55U);
    const uint8_t is_letter = (uint8_t)(((letter - 10U) ^ (letter - 16U)) >> 8);
    *wrong |= (uint8_t) ~(is_number | is_letter);
    return (uint8_t)((is_number & number) | (is_letter & letter));
}

/* Reads a root key's text: 64 hexadecimal digits and at most one newline. Returns 0 for another
 * text, and then leaves nothing of it in `out`. The time does not depend on the digits. */
static inline int tally_root_key_parse(const uint8_t *text, size_t size,
                                       uint8_t out[TALLY_ROOT_KEY_SIZE])
{
    uint8_t wrong = 0;
    if (size != TALLY_ROOT_DIGITS &&
        (size != TALLY_ROOT_DIGITS + 1 || text[TALLY_ROOT_DIGITS] != '\n')) {
        return 0;
    }
    for (size_t i = 0; i < TALLY_ROOT_KEY_SIZE; i++) {
        const uint8_t high = tally_root_nibble(text[2 * i], &wrong);
        out[i] = (uint8_t)(high << 4 | tally_root_nibble(text[2 * i + 1], &wrong));
    }
    if (wrong != 0) {
        tally_wipe(out, TALLY_ROOT_KEY_SIZE);
    }
    return wrong == 0;
}

#endif
