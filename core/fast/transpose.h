/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of symbols into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_TRANSPOSE_H
#define TALLY_FAST_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

/* rows[k][p] to lanes[p * stride + k], for `count` rows of `length` bytes each. Lanes from `count`
 * on to the next multiple of 16 receive any symbols. */
void tally_to_lanes(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                    uint8_t *lanes);

/* The inverse. */
void tally_from_lanes(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                      uint8_t *const *rows);

#endif
