/* SPDX-License-Identifier: Apache-2.0
 *
 * What words must be before they are encrypted. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether every symbol is below the radix, without a branch on any of them; eight at a time. */
static inline int tally_symbols_fit(uint32_t radix, const uint8_t *symbols, size_t size)
{
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    /* A byte's lower seven bits plus `to_top` reach its top bit from radix (less 128) on. */
    const uint64_t to_top = ones * (128 - (radix <= 128 ? radix : radix - 128));
    uint64_t foreign = 0;
    if (radix == 256) {
        return 1;
    }
    for (; size >= 8; symbols += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, symbols, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        foreign |= radix <= 128 ? reaches | x : reaches & x;
    }
    foreign &= tops;
    for (size_t i = 0; i < size; i++) {
        foreign |= (radix - 1 - symbols[i]) >> 31;
    }
    return foreign == 0;
}

#endif
