/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of scripts in values of at most 64 bytes, a whole value in one vector. Letters are of one
 * symbol each. */
#ifndef TALLY_FORMATS_UNICODE_SHORT_H
#define TALLY_FORMATS_UNICODE_SHORT_H

#include "formats/unicode_letters.h"

enum {
    TALLY_UNICODE_SHORT = 64 /* bytes of a value, at most, and more bytes of room behind all */
};

/* Whether this CPU has these functions. */
int tally_unicode_short_available(void);

/* Reads a value: the codes of its characters, the symbols of its letters, and how many there are of
 * both. Returns 0 if the value is invalid, or if its marks have to be looked at one by one. Both
 * outputs need room for TALLY_UNICODE_SHORT items, and more are written than there are. */
int tally_unicode_short_read(const tally_unicode_letters *letters, const uint8_t *value,
                             size_t size, uint16_t *codes, uint8_t *symbols, size_t *chars,
                             size_t *count);

/* Writes the value with other symbols; returns its end. At most TALLY_UNICODE_SHORT bytes more are
 * written, and read of the symbols. */
uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters, const uint8_t *value,
                                   size_t size, const uint16_t *codes, const uint8_t *symbols,
                                   uint8_t *out);

#endif
