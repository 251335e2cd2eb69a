/* SPDX-License-Identifier: Apache-2.0
 *
 * One value in place: the result of a column with one row, without its set-up. */
#ifndef TALLY_COLUMNS_ONE_VALUE_H
#define TALLY_COLUMNS_ONE_VALUE_H

#include "base/direction.h"
#include "columns/columns.h"
#include "columns/short.h"

enum { TALLY_ONE_VALUE = TALLY_SHORT /* bytes of a value, at most */ };

/* A shape that was checked, with its tables. It has no secret, and any number of threads may use
 * it. */
typedef struct tally_one_value_format {
    tally_translate_tables tables;
    tally_shape shape;
    int delimiters; /* of a value: 0 or 1 */
    int has_short;  /* whether short.h works with this shape on this CPU */
} tally_one_value_format;

/* Bytes of memory for a format. */
size_t tally_one_value_format_size(void);

/* Sets a format up in `memory`, of any alignment. TALLY_ERROR_ARGUMENT: a field of the shape is
 * outside its range, or memory too small. */
TALLY_MUST_CHECK tally_status tally_one_value_format_init(const tally_shape *shape, void *memory,
                                                          size_t memory_size,
                                                          tally_one_value_format **out);

/* Encrypts or decrypts a value of at most TALLY_ONE_VALUE bytes in place. The tweak is made as
 * tally_fast_column makes it; with no row tweak, row_tweak_size is 0. An invalid value
 * stays as it is, and *row says why. TALLY_ERROR_RADIX, TALLY_ERROR_ARGUMENT: as for
 * tally_fast_column, or the value is longer. */
TALLY_MUST_CHECK tally_status tally_one_value(tally_fast_cipher *cipher,
                                              const tally_one_value_format *format,
                                              tally_direction direction, const uint8_t *tweak,
                                              size_t tweak_size, const uint8_t *row_tweak,
                                              size_t row_tweak_size, uint8_t *value, size_t size,
                                              tally_row *row);

#endif
