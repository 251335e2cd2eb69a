/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbols of one or two bytes as a number that fits in a lane, and back. */
#ifndef TALLY_FF1_SYMBOLS_H
#define TALLY_FF1_SYMBOLS_H

#include <string.h>

#include "base/unroll.h"
#include "ff1/plan.h"

/* The first symbol is the most significant one. Compilers make a loop for each constant size. */
TALLY_INLINE uint64_t tally_ff1_symbols_read(const uint8_t *symbols, uint32_t count,
                                             const uint32_t symbol_size, uint64_t radix)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t symbol = symbols[symbol_size * i];
        if (symbol_size == 2) {
            memcpy(&symbol, symbols + 2 * i, 2);
        }
        number = number * radix + symbol;
    }
    return number;
}

TALLY_INLINE void tally_ff1_symbols_write(uint64_t number, uint32_t count,
                                          const uint32_t symbol_size, const tally_ff1_plan *plan,
                                          uint8_t *symbols)
{
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t rest = tally_ff1_high(number, plan->radix_inverse) >> plan->radix_shift;
        const uint16_t symbol = (uint16_t)(number - rest * plan->cipher->radix);
        if (symbol_size == 2) {
            memcpy(symbols + 2 * i, &symbol, 2);
        } else {
            symbols[i] = (uint8_t)symbol;
        }
        number = rest;
    }
}

#endif
