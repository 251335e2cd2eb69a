/* SPDX-License-Identifier: Apache-2.0
 *
 * Shamir's secret sharing (Communications of the ACM 22, 1979) over GF(2^8), byte by byte, in the
 * layout of HashiCorp Vault and OpenBao. Hazardous: a raw share has no integrity check, so a wrong
 * or altered share gives a wrong secret without an error. A holder who knows the secret and the
 * other shares can choose a share that gives any other secret. Use tallystick/shares.h, whose
 * shares are authentic; raw shares are for compatibility with other tools.
 *
 * A share of a secret of `size` bytes has size + 1: f_b(x) for each byte b of the secret, then x,
 * 1..255. f_b has degree threshold - 1, f_b(0) is byte b, and every other coefficient is uniform,
 * zero included. Any `threshold` shares recover the secret; fewer reveal only its size.
 *
 * New shares, and those of Vault, are of the field TALLY_GF256_AES. Some older tools use
 * TALLY_GF256_RS.
 *
 * No branch and no address depends on a secret, a share's bytes or a coefficient. Sizes, thresholds
 * and the x coordinates are public. */
#ifndef TALLYSTICK_SHAMIR_H
#define TALLYSTICK_SHAMIR_H

#include "tallystick/gf256.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Splits a secret into shares[0..count), of size + 1 bytes each, under x coordinates that are
 * distinct and otherwise uniform. Coefficients are the stream of AES-256 in counter mode, under a
 * key that each call takes from the operating system. Shares overlap neither each other nor the
 * secret.
 *
 * TALLY_ERROR_ARGUMENT: size is 0, or not 2 <= threshold <= count <= 255, or the field is unknown.
 * TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shamir_split(tally_gf256_field field,
                                                           const uint8_t *secret, size_t size,
                                                           size_t threshold, size_t count,
                                                           uint8_t *const shares[]);

/* Recovers the secret, of share_size - 1 bytes, from `count` shares of share_size bytes. The caller
 * must know the threshold, and give at least as many shares. If shares are too few or wrong, the
 * secret is wrong and no error is returned. `secret` overlaps no share.
 *
 * TALLY_ERROR_ARGUMENT: share_size is below 2, count is not 2..255, an x coordinate is 0 or occurs
 * twice, or the field is unknown. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shamir_recover(tally_gf256_field field,
                                                             const uint8_t *const shares[],
                                                             size_t count, size_t share_size,
                                                             uint8_t *secret);

#ifdef __cplusplus
}
#endif
#endif
