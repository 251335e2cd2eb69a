/* SPDX-License-Identifier: Apache-2.0
 *
 * The finite field GF(2^8), which tallystick/shamir.h and tallystick/reed_solomon.h compute in. An
 * element is a byte: the coefficients of a polynomial over GF(2), modulo an irreducible polynomial
 * of degree 8. */
#ifndef TALLYSTICK_GF256_H
#define TALLYSTICK_GF256_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The field by its polynomial. Data of one field does not match the other. */
typedef uint32_t tally_gf256_field;

enum {
    TALLY_GF256_AES = 0x11B, /* x^8 + x^4 + x^3 + x + 1, as in AES */
    TALLY_GF256_RS = 0x11D   /* x^8 + x^4 + x^3 + x^2 + 1, as in most Reed-Solomon codes */
};

/* The name of the back end in use: "gfni-avx512", "gfni-avx2", "nibbles-avx2", "nibbles-neon" or
 * "portable". No back end has a branch or an address that depends on data. */
TALLY_API const char *tally_gf256_backend_name(void);

#ifdef __cplusplus
}
#endif
#endif
