/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES S-box and its inverse on planes. The including file defines the type `plane`, and if need be
 * what kind of functions these are; q[i] holds bit i (0 the lowest) of every byte. */
#ifndef TALLY_AES_BITSLICE_SBOX_H
#define TALLY_AES_BITSLICE_SBOX_H

#ifndef BITSLICE_INLINE
#define BITSLICE_INLINE static inline
#endif

#include "aes/bitslice_circuit.h"

BITSLICE_INLINE void tally_bitslice_sbox(plane q[8])
{
    tally_bitslice_sbox_linear(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

/* The inverse of the affine map's linear part (FIPS 197, section 5.3.2): bit i becomes the sum of
 * bits i + 2, i + 5 and i + 7. */
BITSLICE_INLINE void tally_bitslice_inverse_linear(plane q[8])
{
    plane q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6], q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

/* The inverse S-box of what the constant has been taken from. With S(x) = A(I(x)) + 0x63, A linear
 * and I the inversion, which is its own inverse, that is I(A^-1(x)) = A^-1(S(A^-1(x)) + 0x63). */
BITSLICE_INLINE void tally_bitslice_inverse_sbox_linear(plane q[8])
{
    tally_bitslice_inverse_linear(q);
    tally_bitslice_sbox_linear(q);
    tally_bitslice_inverse_linear(q);
}

#endif
