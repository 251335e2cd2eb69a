/* SPDX-License-Identifier: Apache-2.0
 *
 * Shamir's secret sharing for use inside the core: polynomials whose coefficients are a stream. */
#ifndef TALLY_SHARING_SHAMIR_H
#define TALLY_SHARING_SHAMIR_H

#include "gf256/gf256.h"
#include "tallystick/aes.h"

/* Evaluates `size` polynomials of degree threshold - 1 at x[0..count): out[j][b] is f_b(x[j]).
 * f_b(0) is secret[b]. The coefficient of x^i is byte first + b of the counter mode stream of `key`
 * that begins with counter i * 2^64. `first` is a multiple of 16. */
void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[]);

#endif
