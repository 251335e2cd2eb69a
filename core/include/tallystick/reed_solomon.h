/* SPDX-License-Identifier: Apache-2.0
 *
 * A systematic Reed-Solomon code over GF(2^8), modulo 0x11B, for lost shards: byte b of shards 1,
 * 2, ..., k are the values at 1, 2, ..., k of a polynomial of degree below k, and those of every
 * other shard, up to 255, are its values there. Any k shards give all others. It mends what is
 * known to be missing; it does not find what is wrong.
 *
 * Back ends are those of tallystick/shamir.h; none has a branch or an address that depends on the
 * bytes of a shard. */
#ifndef TALLYSTICK_REED_SOLOMON_H
#define TALLYSTICK_REED_SOLOMON_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The matrix that makes `outputs` shards, of the numbers to[], out of `inputs` shards, of the
 * numbers from[]: outputs rows of inputs bytes each. To encode, from is 1, 2, ..., k. It serves any
 * number of calls of tally_reed_solomon_apply.
 *
 * TALLY_ERROR_ARGUMENT: inputs or outputs is not 1..255, or a number is 0 or occurs twice, be it in
 * from, in to or in both. */
tally_status tally_reed_solomon_matrix(const uint8_t *from, size_t inputs, const uint8_t *to,
                                       size_t outputs, uint8_t *matrix);

/* Makes the shards out[0..outputs) of `size` bytes each out of in[0..inputs). Outputs overlap
 * neither each other nor an input. */
void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[], size_t inputs,
                              size_t outputs, size_t size, uint8_t *const out[]);

#ifdef __cplusplus
}
#endif
#endif
