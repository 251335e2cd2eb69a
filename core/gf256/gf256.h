/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors over GF(2^8). Addition is exclusive or. No function has a branch or an address that
 * depends on a byte of data. Constants (coordinates, weights, matrices) are public. */
#ifndef TALLY_GF256_GF256_H
#define TALLY_GF256_GF256_H

#include "base/dispatch.h"
#include "tallystick/gf256.h"

enum { TALLY_GF256_POINTS = 255 /* points of a polynomial at most: all elements but zero */ };

/* The functions of a back end. To add one, define this struct in a new file, declare it below, and
 * add a row to the table in gf256.c. Outputs begin at out[j] + offset and overlap no input. */
struct tally_gf256_backend {
    tally_backend backend;

    /* out[i] = a[i] * b[i], i < size. `out` may equal `a` or `b`. */
    void (*multiply)(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                     uint8_t *out);

    /* Evaluates `size` polynomials of `terms` (at least 2) coefficients at `count` points:
     * out[j][offset + b] = constants[b] + sum over i from 1 of
     * coefficients[(i - 1) * stride + b] * x[j]^i. */
    void (*evaluate)(tally_gf256_field field, const uint8_t *constants, const uint8_t *coefficients,
                     size_t stride, size_t terms, const uint8_t *x, size_t count, size_t size,
                     uint8_t *const out[], size_t offset);

    /* Linear combinations of the inputs: out[j][offset + b] = sum over i < inputs of
     * matrix[j * inputs + i] * in[i][offset + b], for j < outputs and b < size. */
    void (*combine)(tally_gf256_field field, const uint8_t *matrix, const uint8_t *const in[],
                    size_t inputs, size_t outputs, size_t offset, size_t size,
                    uint8_t *const out[]);
};

extern const struct tally_gf256_backend tally_gf256_gfni_avx512;
extern const struct tally_gf256_backend tally_gf256_gfni_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_neon;
extern const struct tally_gf256_backend tally_gf256_portable;

/* multiply of the portable back end, for back ends that have no faster one. */
void tally_gf256_multiply(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                          uint8_t *out);

/* The best back end for the features in use. */
const struct tally_gf256_backend *tally_gf256(void);

/* The weights of Lagrange interpolation: the polynomial through (x[i], y[i]), i < count, has the
 * value sum of weights[i] * y[i] at `target`. The x[i] are distinct, and none equals `target`. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights);

/* Copies the lowest bit of each byte to all bits of that byte. It does not multiply: on some CPUs
 * the time of a multiplication depends on its operands. */
static inline uint64_t tally_gf256_spread(uint64_t eight)
{
    eight &= UINT64_C(0x0101010101010101);
    return (eight << 8) - eight;
}

/* Each of eight bytes times 2. */
static inline uint64_t tally_gf256_double(tally_gf256_field field, uint64_t eight)
{
    const uint64_t reduction = ((unsigned)field & 0xFF) * UINT64_C(0x0101010101010101);
    return (eight << 1 & UINT64_C(0xFEFEFEFEFEFEFEFE)) ^
           (tally_gf256_spread(eight >> 7) & reduction);
}

/* The products of a constant with 1, 2, 4, ..., 128. */
static inline void tally_gf256_multiples(tally_gf256_field field, uint8_t constant,
                                         uint8_t multiples[8])
{
    uint64_t power = constant;
    for (size_t bit = 0; bit < 8; bit++, power = tally_gf256_double(field, power)) {
        multiples[bit] = (uint8_t)power;
    }
}

#endif
