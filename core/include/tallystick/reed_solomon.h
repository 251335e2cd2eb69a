/* SPDX-License-Identifier: Apache-2.0
 *
 * A systematic Reed-Solomon code over GF(2^8), modulo 0x11B, for lost shards. Bytes b of the shards
 * 1, 2, ..., k are the values at 1, 2, ..., k of a polynomial of degree below k. Byte b of any
 * other shard, up to 255, is the value of that polynomial at the shard's number. Any k shards give
 * all others. The code corrects erasures, not errors: the caller must know which shards are lost.
 *
 * No branch and no address depends on the bytes of a shard. */
#ifndef TALLYSTICK_REED_SOLOMON_H
#define TALLYSTICK_REED_SOLOMON_H

#include "tallystick/gf256.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the matrix that makes the shards of the numbers to[0..outputs) from those of the numbers
 * from[0..inputs): outputs rows of inputs bytes each. To encode, from is 1, 2, ..., k. A matrix can
 * be applied any number of times.
 *
 * TALLY_ERROR_ARGUMENT: inputs or outputs is not 1..255, a number is 0, or a number occurs twice
 * (in `from` and `to` together). */
TALLY_API TALLY_MUST_CHECK tally_status tally_reed_solomon_matrix(const uint8_t *from,
                                                                  size_t inputs, const uint8_t *to,
                                                                  size_t outputs, uint8_t *matrix);

/* Computes the shards out[0..outputs) from in[0..inputs), of `size` bytes each. Outputs overlap
 * neither each other nor an input. */
TALLY_API void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[],
                                        size_t inputs, size_t outputs, size_t size,
                                        uint8_t *const out[]);

#ifdef __cplusplus
}
#endif
#endif
