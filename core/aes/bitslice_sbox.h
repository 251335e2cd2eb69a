/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES S-box as a circuit: Boyar and Peralta, "A new combinational logic minimization technique
 * with applications to cryptology" (SEA 2010), in its version with 115 gates. The including file
 * defines the type `plane`, and if need be what kind of functions these are; q[i] holds bit i (0
 * the lowest) of every byte. Names are the paper's, so x0 is the highest bit. */
#ifndef TALLY_AES_BITSLICE_SBOX_H
#define TALLY_AES_BITSLICE_SBOX_H

#ifndef BITSLICE_INLINE
#define BITSLICE_INLINE static inline
#endif

/* The S-box without its constant 0x63, which whoever adds a round key adds with that. */
BITSLICE_INLINE void tally_bitslice_sbox_linear(plane q[8])
{
    plane x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4], x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];

    /* Top linear layer: into a basis of the tower field. */
    plane y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    plane t0 = x1 ^ x2;
    plane y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8;
    plane t1 = x4 ^ y12;
    plane y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9;
    plane y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16;
    plane y18 = x0 ^ y16;

    /* Middle: the inversion in GF((2^4)^2). */
    plane t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7, t6 = t5 ^ t2;
    plane t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7;
    plane t12 = y9 & y11, t13 = y14 & y17, t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12;
    plane t17 = t4 ^ t14, t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16;
    plane t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;
    plane t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
    plane t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
    plane t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38;
    plane t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
    plane t45 = t42 ^ t41;
    plane z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1;
    plane z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12;
    plane z10 = t37 & y3, z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2;
    plane z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    /* Bottom linear layer: back, with the linear part of the affine map. */
    plane t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12;
    plane t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17;
    plane t56 = z12 ^ t48, t57 = t50 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57;
    plane t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;
    plane t66 = z1 ^ t63, t67 = t64 ^ t65;
    plane s3 = t53 ^ t66;
    q[7] = t59 ^ t63;
    q[6] = t64 ^ s3;
    q[5] = t55 ^ t67;
    q[4] = s3;
    q[3] = t51 ^ t66;
    q[2] = t47 ^ t65;
    q[1] = t56 ^ t62;
    q[0] = t48 ^ t60;
}

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
