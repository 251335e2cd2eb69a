/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of digits as words one behind the other, and back, by the back end in use. */
#ifndef TALLY_TESTS_MIXED_WORDS_H
#define TALLY_TESTS_MIXED_WORDS_H

#include <string.h>

#include "numbers/mixed.h"

static inline void mixed_to_words(const tally_mixed_plan *plan, const uint16_t *digits,
                                  size_t count, uint8_t *words)
{
    static _Alignas(64) tally_mixed_digits block;
    static _Alignas(64) uint8_t symbols[TALLY_MIXED_MAX_LENGTH * TALLY_MIXED_ROWS];
    for (size_t first = 0; first < count; first += TALLY_MIXED_ROWS) {
        const size_t rows = count - first < TALLY_MIXED_ROWS ? count - first : TALLY_MIXED_ROWS;
        for (size_t i = 0; i < rows * plan->positions; i++) {
            block[i % plan->positions][i / plan->positions] = digits[first * plan->positions + i];
        }
        tally_mixed_lanes_choose()->write(plan, block, rows, symbols, TALLY_MIXED_ROWS);
        for (size_t i = 0; i < rows * plan->length; i++) {
            words[first * plan->length + i] =
                symbols[i % plan->length * TALLY_MIXED_ROWS + i / plan->length];
        }
    }
}

static inline void mixed_from_words(const tally_mixed_plan *plan, const uint8_t *words,
                                    size_t count, uint16_t *digits, uint8_t *outside)
{
    static _Alignas(64) tally_mixed_digits block;
    static _Alignas(64) uint8_t symbols[TALLY_MIXED_MAX_LENGTH * TALLY_MIXED_ROWS];
    uint8_t beyond[TALLY_MIXED_ROWS];
    for (size_t first = 0; first < count; first += TALLY_MIXED_ROWS) {
        const size_t rows = count - first < TALLY_MIXED_ROWS ? count - first : TALLY_MIXED_ROWS;
        for (size_t i = 0; i < rows * plan->length; i++) {
            symbols[i % plan->length * TALLY_MIXED_ROWS + i / plan->length] =
                words[first * plan->length + i];
        }
        tally_mixed_lanes_choose()->read(plan, symbols, TALLY_MIXED_ROWS, rows, block, beyond);
        memcpy(outside + first, beyond, rows);
        for (size_t i = 0; i < rows * plan->positions; i++) {
            digits[first * plan->positions + i] = block[i % plan->positions][i / plan->positions];
        }
    }
}

#endif
