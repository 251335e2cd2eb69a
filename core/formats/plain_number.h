/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers in text with any digits after the point, for formats that make them coarser. */
#ifndef TALLY_FORMATS_PLAIN_NUMBER_H
#define TALLY_FORMATS_PLAIN_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_PLAIN_NUMBER_MOST = 64 /* bytes of text */ };

/* The parts of a number; both are digits. */
typedef struct tally_plain_number {
    const uint8_t *whole, *fraction;
    uint64_t whole_size, fraction_size;
    int negative;
} tally_plain_number;

/* How many digits there are at the beginning. */
static inline uint64_t tally_plain_digits(const uint8_t *text, uint64_t size)
{
    uint64_t count = 0;
    while (count < size && (uint8_t)(text[count] - '0') < 10) {
        count++;
    }
    return count;
}

/* Reads an optional minus, an integer without leading zeros, and maybe a point with digits behind.
 * Returns 0 if the text is something else, or longer than TALLY_PLAIN_NUMBER_MOST. */
static inline int tally_plain_number_read(const uint8_t *text, uint64_t size,
                                          tally_plain_number *out)
{
    if (size == 0 || size > TALLY_PLAIN_NUMBER_MOST) {
        return 0;
    }
    out->negative = text[0] == '-';
    text += out->negative;
    size -= (uint64_t)out->negative;
    out->whole = text;
    out->whole_size = tally_plain_digits(text, size);
    out->fraction = text + out->whole_size;
    out->fraction_size = 0;
    if (out->whole_size == 0 || (text[0] == '0' && out->whole_size > 1)) {
        return 0;
    }
    if (out->whole_size == size) {
        return 1;
    }
    out->fraction++;
    out->fraction_size = size - out->whole_size - 1;
    return text[out->whole_size] == '.' && out->fraction_size != 0 &&
           tally_plain_digits(out->fraction, out->fraction_size) == out->fraction_size;
}

/* The first byte that such a number can't have there, or SIZE_MAX. */
static inline size_t tally_plain_number_place(const uint8_t *text, size_t size)
{
    int point = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.' && !point) {
            point = 1;
        } else if ((uint8_t)(text[i] - '0') > 9 && !(text[i] == '-' && i == 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}

#endif
