/* SPDX-License-Identifier: Apache-2.0
 *
 * The characters of one value of a script as symbols, and back. */
#ifndef TALLY_FORMATS_UNICODE_VALUE_H
#define TALLY_FORMATS_UNICODE_VALUE_H

#include "formats/unicode_letters.h"
#include "tallystick/formats.h"

/* A value that was read. Its symbols may be replaced by others before it is written. */
typedef struct tally_unicode_value {
    uint8_t *symbols; /* of all its letters */
    uint16_t *codes;  /* of its characters */
    size_t chars, letters;
    int is_short; /* whether unicode_short.h read it */
} tally_unicode_value;

/* Reads a value into out->symbols and out->codes, which have room for `size` items, and for
 * TALLY_UNICODE_SHORT more if `has_short`: whether unicode_short.h works on this CPU. Returns why
 * the value is invalid. */
tally_reason tally_unicode_read(const tally_unicode_letters *letters, const uint8_t *value,
                                size_t size, int has_short, tally_unicode_value *out);

/* Writes a value that was read from there, with the symbols that it has now; returns its end. At
 * most TALLY_UNICODE_SHORT bytes more are written. */
uint8_t *tally_unicode_write(const tally_unicode_letters *letters, const tally_unicode_value *text,
                             const uint8_t *value, size_t size, uint8_t *out);

#endif
