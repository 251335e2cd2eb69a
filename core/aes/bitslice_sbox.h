/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES S-box and its inverse on planes: q[i] has bit i (0 the lowest) of every byte. The
 * including file defines BITSLICE(name), BITSLICE_INLINE and BITSLICE_PLANE, as bitslice_body.h
 * describes. */
#include "aes/bitslice_circuit.h"

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

/* The inverse of the affine map's linear part (FIPS 197, section 5.3.2): bit i becomes the sum of
 * bits i + 2, i + 5 and i + 7. */
BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

/* The inverse S-box of bytes without the S-box's constant. With S(x) = A(I(x)) + 0x63, A linear
 * and I the inversion, which is its own inverse, that is I(A^-1(x)) = A^-1(S(A^-1(x)) + 0x63). */
BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}
