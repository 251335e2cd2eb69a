/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of one value, by its shape. What kind each byte is of is no secret: it is the format
 * that is preserved. */
#ifndef TALLY_COLUMNS_SYMBOLS_H
#define TALLY_COLUMNS_SYMBOLS_H

#include "columns/columns.h"

/* Whether every field of a shape is in its range. */
int tally_shape_fits(const tally_shape *shape);

/* The delimiters that a value of this shape must have: 0 or 1. */
int tally_shape_delimiters(const tally_shape *shape);

/* Gathers all symbols of a value, *count of them, at most 2^16; *after_delimiter is where the bytes
 * after the delimiter begin (`size` if there is none, or they are symbols like others). */
tally_row tally_symbols_gather(const tally_shape *shape, int delimiters, const uint8_t *value,
                               uint64_t size, uint8_t *symbols, size_t *count,
                               uint64_t *after_delimiter);

/* Whether symbol i of `count` is to be encrypted. */
static inline int tally_symbol_is_free(const tally_shape *shape, size_t i, size_t count)
{
    return (i >= 64 || (shape->keep >> i & 1) == 0) && shape->keep_last < count - i;
}

enum { TALLY_COLUMN_MAX_DIGITS = 64 /* symbols of a value with a check digit, at most */ };

/* Takes the check digit, if the shape has one, off the free symbols of a value, which leaves its
 * word. Returns whether the word is too short or too long. */
tally_row tally_symbols_word_length(const tally_shape *shape, size_t *length);

/* Which of `count` symbols is the check digit: the last free one. */
size_t tally_symbols_check_place(const tally_shape *shape, size_t count);

/* The check digit at `place` of a value whose other symbols are those of the word, where they are
 * free, and of `all` elsewhere. With of_token and TALLY_LUHN_INVALID it is one more, modulo 10. At
 * most TALLY_COLUMN_MAX_DIGITS symbols. */
uint8_t tally_symbols_check_digit(const tally_shape *shape, const uint8_t *word, const uint8_t *all,
                                  size_t count, size_t place, int of_token);

/* The same where all other digits of the value, or of its token, are in `digits`. */
uint8_t tally_symbols_check_digit_of(const tally_shape *shape, const uint8_t *digits, size_t count,
                                     size_t place, int of_token);

/* Writes a word's symbols, in order, to where the free ones of `count` symbols of the value are. */
void tally_symbols_scatter(const tally_shape *shape, const uint8_t *word, size_t count,
                           uint64_t after_delimiter, uint8_t *value);

#endif
