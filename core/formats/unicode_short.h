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

/* Rows of text that follow each other in memory. */
enum { TALLY_UNICODE_ROWS = 64 /* at most */ };

typedef struct tally_unicode_rows {
    size_t count;
    /* The end of each, from the beginning of the first: in bytes, characters and letters. */
    uint32_t bytes[TALLY_UNICODE_ROWS], chars[TALLY_UNICODE_ROWS], letters[TALLY_UNICODE_ROWS];
} tally_unicode_rows;

/* Whether rows of a script can be read and written together: no character of it depends on those
 * beside it, and no mark stays. */
static inline int tally_unicode_rows_fit(const tally_unicode_letters *letters)
{
    const tally_script *script = letters->script;
    return letters->digits == 1 && script->final == 0 && script->composed == NULL &&
           script->mark_count == 0;
}

/* Reads rows as tally_unicode_short_read does, of any size. Returns how many at the beginning were
 * read: the next one is perhaps invalid. Both outputs need room as there, for all rows' bytes. */
size_t tally_unicode_rows_read(const tally_unicode_letters *letters, const uint8_t *values,
                               tally_unicode_rows *rows, uint16_t *codes, uint8_t *symbols);

/* Writes rows, at least one, with other symbols as tally_unicode_short_write does, and sets
 * rows->bytes to their new ends; returns the end. */
uint8_t *tally_unicode_rows_write(const tally_unicode_letters *letters, const uint8_t *values,
                                  tally_unicode_rows *rows, const uint16_t *codes,
                                  const uint8_t *symbols, uint8_t *out);

#endif
