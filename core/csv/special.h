/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the special bytes of a CSV dialect: 64 at a time with the vectors that every machine of an
 * architecture has, or else eight at a time in a 64-bit word. A byte b is zero exactly if bit 7 of
 * ((b & 0x7f) + 0x7f) | b is clear. The sum has no carry, so this holds for each byte of a word. */
#ifndef TALLY_CSV_SPECIAL_H
#define TALLY_CSV_SPECIAL_H

#include <string.h>

#include "base/arch.h"
#include "base/bytes.h"
#include "tallystick/csv.h"

#define TALLY_CSV_ONES UINT64_C(0x0101010101010101)
#define TALLY_CSV_LOW7 UINT64_C(0x7f7f7f7f7f7f7f7f)

/* The four special bytes of a dialect, each in all eight places. */
typedef struct tally_csv_special {
    uint64_t delimiter;
    uint64_t quote; /* the delimiter again in a dialect without quotes */
    uint64_t carriage_return;
    uint64_t line_feed;
} tally_csv_special;

static inline int tally_csv_dialect_valid(const tally_csv_dialect *d)
{
    return d->struct_size == sizeof *d && d->reserved == 0 && d->delimiter != 0 &&
           d->delimiter < 0x80 && d->quote < 0x80 && d->delimiter != '\r' && d->delimiter != '\n' &&
           d->quote != '\r' && d->quote != '\n' && d->delimiter != d->quote &&
           d->skip_initial_space <= 1 &&
           !(d->skip_initial_space && (d->delimiter == ' ' || d->quote == ' '));
}

static inline tally_csv_special tally_csv_special_of(const tally_csv_dialect *d)
{
    tally_csv_special s;
    s.delimiter = TALLY_CSV_ONES * d->delimiter;
    s.quote = TALLY_CSV_ONES * (d->quote != 0 ? d->quote : d->delimiter);
    s.carriage_return = TALLY_CSV_ONES * '\r';
    s.line_feed = TALLY_CSV_ONES * '\n';
    return s;
}

/* Eight bytes in the machine's order. */
static inline uint64_t tally_csv_load(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t tally_csv_nonzero(uint64_t x)
{
    return ((x & TALLY_CSV_LOW7) + TALLY_CSV_LOW7) | x;
}

/* Bit 7 of each byte that is special. */
static inline uint64_t tally_csv_special_bytes(const tally_csv_special *s, uint64_t x)
{
    uint64_t plain = tally_csv_nonzero(x ^ s->delimiter) & tally_csv_nonzero(x ^ s->quote) &
                     tally_csv_nonzero(x ^ s->carriage_return) &
                     tally_csv_nonzero(x ^ s->line_feed);
    return ~(plain | TALLY_CSV_LOW7);
}

/* The special bytes among 64: bit i stands for byte i. */
typedef struct tally_csv_masks {
    uint64_t quotes;
    uint64_t ends; /* delimiters, CR and LF */
} tally_csv_masks;

/* tally_csv_find gives the masks of the 64 bytes at p. */
#if defined(__SSE2__)
#include "csv/special_sse2.h"
#elif defined(TALLY_ARCH_AARCH64)
#include "csv/special_neon.h"
#else
static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    tally_csv_special ends = *s;
    ends.quote = s->delimiter;
    tally_csv_masks masks = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        uint64_t word = tally_load_le64(p + 8 * i);
        uint64_t quotes = ~(tally_csv_nonzero(word ^ s->quote) | TALLY_CSV_LOW7) >> 7;
        uint64_t others = tally_csv_special_bytes(&ends, word) >> 7;
        /* The product moves bit 8 j to bit 56 + j. */
        masks.quotes |= (quotes * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
        masks.ends |= (others * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return masks;
}
#endif

static inline int tally_csv_is_valid(const tally_csv_column *column, uint64_t row)
{
    uint64_t bit = column->validity_start + row;
    return column->validity == NULL || (column->validity[bit >> 3] >> (bit & 7) & 1);
}

/* The new content of a row; NULL if it is empty or null. A column without bytes may have no
 * values. */
static inline const uint8_t *tally_csv_content(const tally_csv_column *column, uint64_t row,
                                               uint64_t *size)
{
    const int32_t start = column->offsets[row], end = column->offsets[row + 1];
    *size = tally_csv_is_valid(column, row) ? (uint64_t)(end - start) : 0;
    return *size != 0 ? column->values + start : NULL;
}

#endif
