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
 * zero included. Any `threshold` shares give the secret; fewer reveal only its size.
 *
 * Back ends: GFNI with AVX-512 or AVX2, vpshufb with AVX2, tbl with NEON, portable C. No back end
 * has a branch or an address that depends on a secret, a share's bytes or a coefficient; sizes,
 * thresholds and the x coordinates are public. */
#ifndef TALLYSTICK_SHAMIR_H
#define TALLYSTICK_SHAMIR_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The polynomial of GF(2^8). Shares of one field do not combine in the other. */
typedef enum tally_gf256_field {
    TALLY_GF256_AES = 0x11B, /* x^8 + x^4 + x^3 + x + 1; all new shares, Vault's too */
    TALLY_GF256_RS = 0x11D   /* x^8 + x^4 + x^3 + x^2 + 1; those of some older tools */
} tally_gf256_field;

/* Splits a secret into shares[0..count), of size + 1 bytes each, under x coordinates that are
 * distinct and otherwise uniform. Coefficients are the stream of AES-256 in counter mode, under a
 * key that each call takes from the operating system. Shares overlap neither each other nor the
 * secret.
 *
 * TALLY_ERROR_ARGUMENT: size is 0, or not 2 <= threshold <= count <= 255, or the field is unknown.
 * TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
tally_status tally_shamir_split(tally_gf256_field field, const uint8_t *secret, size_t size,
                                size_t threshold, size_t count, uint8_t *const shares[]);

/* The secret, of share_size - 1 bytes, from `count` shares of share_size bytes: at least
 * `threshold` of them; the caller must know the threshold. If shares are too few or wrong, the
 * secret is wrong and no error is returned. `secret` overlaps no share.
 *
 * TALLY_ERROR_ARGUMENT: share_size is below 2, count is not 2..255, an x coordinate is 0 or occurs
 * twice, or the field is unknown. */
tally_status tally_shamir_combine(tally_gf256_field field, const uint8_t *const shares[],
                                  size_t count, size_t share_size, uint8_t *secret);

/* The name of the back end in use: "gfni-avx512", "gfni-avx2", "nibbles-avx2", "nibbles-neon" or
 * "portable". */
const char *tally_gf256_backend_name(void);

#ifdef __cplusplus
}
#endif
#endif
