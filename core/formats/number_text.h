/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of a range as text, with so many digits after the point: what the formats integer and
 * decimal share. */
#ifndef TALLY_FORMATS_NUMBER_TEXT_H
#define TALLY_FORMATS_NUMBER_TEXT_H

#include "base/dispatch.h"
#include "formats/counted_range.h"

/* The longest number, with its last character at the last place: what the text of each number is
 * the end of. Digits have numbers up to 31, that of the last one. */
typedef struct tally_number_places {
    uint64_t digits;   /* bit p: place p has a digit, */
    uint8_t other[64]; /* or this character */
    uint64_t least;    /* the place of the digit before the point, as a bit */
    uint8_t place[64]; /* by digit, from TALLY_NUMBER_FIRST on */
    uint8_t digit[64]; /* by place: a digit's byte, where those that are k behind multiples of eight
                        * are in word k, and the later ones first */
} tally_number_places;

enum {
    TALLY_NUMBER_DIGITS = 24, /* of the longest one; no number of text has as many */
    TALLY_NUMBER_FIRST = 32 - TALLY_NUMBER_DIGITS,
    TALLY_NUMBER_MOST = 18 /* digits of text, or one more if it begins with 0 */
};

/* format->own of integer and decimal. */
typedef struct tally_number_format {
    tally_counted counted;
    tally_counted_range range;
    tally_grouping grouping;
    tally_number_places places;
    uint64_t power; /* 10^scale */
    char example[2][TALLY_COUNTED_MOST];
} tally_number_format;

typedef struct tally_number_text {
    tally_backend backend;
    /* As tally_counted.read and write. */
    void (*read)(const tally_counted *counted, const tally_counted_rows *rows);
    void (*write)(const tally_counted *counted, const tally_counted_rows *rows,
                  const uint8_t *chosen, uint8_t *out, uint64_t *end);
} tally_number_text;

extern const tally_number_text tally_number_text_avx512, tally_number_text_portable;

/* Completes `own`, which has its range and grouping, and the format's examples. */
void tally_number_text_init(tally_format *format, tally_number_format *own, uint32_t scale);

/* The reason for a number that is read: -magnitude or magnitude. Sets its rank. */
static inline uint8_t tally_number_rank(const tally_counted *counted, uint64_t minus,
                                        uint64_t magnitude, uint64_t *rank)
{
    *rank = (minus != 0 ? 0 - magnitude : magnitude) - counted->first;
    return *rank > counted->size - 1 ? TALLY_REASON_RANGE : 0;
}

#endif
