/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of values of at most 64 bytes, a whole value in one vector. */
#ifndef TALLY_COLUMNS_SHORT_H
#define TALLY_COLUMNS_SHORT_H

#include "columns/translate.h"

enum { TALLY_SHORT = 64 /* bytes of a value, at most; a word's memory must have as many */ };

/* Where in a value the symbols are: a bit a byte. */
typedef struct tally_short_value {
    uint64_t symbols, free, upper;
    uint32_t count;  /* of symbols */
    uint32_t after;  /* where the bytes after the delimiter begin */
    uint32_t length; /* of free symbols (not beside count: loading both at once would stall) */
} tally_short_value;

/* Whether this CPU has these functions. */
int tally_short_available(void);

/* Gathers the free symbols of a value into `word`, and says where all are. The only errors are
 * TALLY_ROW_FOREIGN and TALLY_ROW_DELIMITER. */
tally_row tally_short_gather(const tally_shape *shape, const tally_translate_tables *tables,
                             const uint8_t *value, size_t size, uint8_t *word,
                             tally_short_value *out);

/* Writes the symbols of the bytes that `mask` names, in order, to `out`, of at least 64 bytes. */
void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value, size_t size,
                          uint64_t mask, uint8_t *out);

/* Writes the word to where its symbols came from. */
void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                         const tally_short_value *where, uint8_t *value);

#endif
