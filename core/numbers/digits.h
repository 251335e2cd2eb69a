/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal digits, eight at a time in a register: text to numbers and back. The bytes of a register
 * are in the order of text, the first one lowest. */
#ifndef TALLY_NUMBERS_DIGITS_H
#define TALLY_NUMBERS_DIGITS_H

#include "base/bytes.h"

enum {
    TALLY_DIGITS_MOST = 18, /* of a number in text: below 10^18 */
    TALLY_DIGITS_SLACK = 8  /* bytes that functions may read or write behind the text */
};

#define TALLY_DIGITS_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* 10^n, n 0..19. */
static inline uint64_t tally_digits_power(uint32_t n)
{
    uint64_t power = 1;
    for (; n > 0; n--) {
        power *= 10;
    }
    return power;
}

/* The number of eight digits, given as their values. */
static inline uint64_t tally_digits_join(uint64_t digits)
{
    const uint64_t pairs = digits * 10 + (digits >> 8), mask = UINT64_C(0x000000ff000000ff);
    return ((pairs & mask) * UINT64_C(0x000f424000000064) +
            (pairs >> 16 & mask) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* The eight digits of a number below 10^8, as their values. */
static inline uint64_t tally_digits_split(uint32_t number)
{
    const uint32_t upper = number / 10000;
    uint64_t fours = upper | (uint64_t)(number - upper * 10000) << 32;
    uint64_t tops = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f); /* / 100, below 10^4 */
    uint64_t twos = tops | (fours - tops * 100) << 16;
    tops = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* / 10, below 100 */
    return tops | (twos - tops * 10) << 8;
}

/* Eight bytes of text as the values of digits. Where they are none, *wrong gets bits. */
static inline uint64_t tally_digits_load(const uint8_t *text, uint64_t *wrong)
{
    const uint64_t digits = tally_load_le64(text) ^ TALLY_DIGITS_BYTES('0');
    *wrong |= (((digits & TALLY_DIGITS_BYTES(0x7f)) + TALLY_DIGITS_BYTES(0x76)) | digits) &
              TALLY_DIGITS_BYTES(0x80);
    return digits;
}

/* Reads 1..8 digits. Eight bytes can be read, whatever those behind the digits are. */
static inline uint64_t tally_digits_read_eight(const uint8_t *text, uint64_t size, uint64_t *wrong)
{
    const uint32_t past = (uint32_t)(8 - size) * 8;
    uint64_t bad = 0;
    const uint64_t digits = tally_digits_load(text, &bad);
    *wrong |= bad << past;
    return tally_digits_join(digits << past);
}

/* Reads 1..24 digits, modulo 2^64. TALLY_DIGITS_SLACK bytes behind them can be read. */
static inline uint64_t tally_digits_read(const uint8_t *text, uint64_t size, uint64_t *wrong)
{
    if (size <= 8) {
        return tally_digits_read_eight(text, size, wrong);
    }
    const uint64_t low = tally_digits_join(tally_digits_load(text + size - 8, wrong));
    if (size <= 16) {
        return tally_digits_read_eight(text, size - 8, wrong) * 100000000 + low;
    }
    const uint64_t middle = tally_digits_join(tally_digits_load(text + size - 16, wrong));
    const uint64_t high = tally_digits_read_eight(text, size - 16, wrong);
    return (high * 100000000 + middle) * 100000000 + low;
}

/* How many of the first digits are 0, 0..7 (the last one counts as another). */
static inline uint32_t tally_digits_zeros(uint64_t digits)
{
    digits |= UINT64_C(1) << 56;
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(digits) / 8;
#else
    uint32_t zeros = 0;
    for (; (digits & 0xff) == 0; digits >>= 8) {
        zeros++;
    }
    return zeros;
#endif
}

static inline void tally_digits_store(uint64_t digits, uint8_t *out)
{
    tally_store_le64(digits | TALLY_DIGITS_BYTES('0'), out);
}

/* Writes a number below 10^8 without leading zeros, over eight bytes; returns its size. */
static inline uint64_t tally_digits_write_eight(uint32_t number, uint8_t *out)
{
    const uint64_t digits = tally_digits_split(number);
    const uint32_t zeros = tally_digits_zeros(digits);
    tally_digits_store(digits >> zeros * 8, out);
    return 8 - zeros;
}

/* Writes a number below 10^24 without leading zeros, and maybe TALLY_DIGITS_SLACK bytes behind;
 * returns its size. */
static inline uint64_t tally_digits_write(uint64_t number, uint8_t *out)
{
    uint64_t size;
    if (number < 100000000) {
        return tally_digits_write_eight((uint32_t)number, out);
    }
    uint64_t upper = number / 100000000;
    const uint32_t low = (uint32_t)(number - upper * 100000000);
    if (upper < 100000000) {
        size = tally_digits_write_eight((uint32_t)upper, out);
    } else {
        const uint64_t top = upper / 100000000;
        size = tally_digits_write_eight((uint32_t)top, out);
        tally_digits_store(tally_digits_split((uint32_t)(upper - top * 100000000)), out + size);
        size += 8;
    }
    tally_digits_store(tally_digits_split(low), out + size);
    return size + 8;
}

/* Writes a number as exactly `size` digits, 1..24. */
static inline void tally_digits_write_all(uint64_t number, uint32_t size, uint8_t *out)
{
    for (; size > 8; size -= 8) {
        const uint64_t upper = number / 100000000;
        tally_digits_store(tally_digits_split((uint32_t)(number - upper * 100000000)),
                           out + size - 8);
        number = upper;
    }
    uint64_t digits =
        (tally_digits_split((uint32_t)number) | TALLY_DIGITS_BYTES('0')) >> (8 - size) * 8;
    for (uint32_t i = 0; i < size; i++, digits >>= 8) { /* bytes behind are written already */
        out[i] = (uint8_t)digits;
    }
}

#endif
