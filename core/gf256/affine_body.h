/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by gf2p8affineqb, which multiplies each byte by a matrix over GF(2). Multiplication by a
 * constant is such a matrix, in either field. The including file defines these macros, and the body
 * undefines them:
 *   GF256(name)                  the name with the prefix of the file
 *   GF256_TARGET                 the function attribute that its instructions need
 *   GF256_VEC, _BYTES            the type of a vector, and its size in bytes
 *   GF256_LOAD, _STORE           of a vector: (from), (to, v)
 *   GF256_SOME_LOAD, _SOME_STORE of its first bytes: (from, count), (to, count, v)
 *   GF256_XOR, _XOR3             of two and of three vectors
 *   GF256_AFFINE(v, matrix), GF256_BROADCAST(matrix), GF256_ZERO
 *   GF256_PRODUCT(a, b)          byte by byte, modulo 0x11B */
#include "base/unroll.h"
#include "gf256/gf256.h"

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   6 /* outputs that are computed together, two vectors of each in registers */
#define GF256_POINTS 8 /* at which polynomials are evaluated together */

/* The matrices of the constants 1, 2, 4, ..., 128, modulo 0x11B and 0x11D. The matrix of any other
 * constant is a sum of these. Byte 7 - i of a matrix is its row i: it selects the bits of a byte
 * whose parity is bit i of the product. */
static const uint64_t GF256(matrices_of_bits)[2][8] = {
    {UINT64_C(0x0102040810204080), UINT64_C(0x8081028488102040), UINT64_C(0x40c08142c4881020),
     UINT64_C(0x2060c0a162c48810), UINT64_C(0x103060d0b162c488), UINT64_C(0x889830e858b162c4),
     UINT64_C(0xc44c98f42c58b162), UINT64_C(0x62a64cfa962c58b1)},
    {UINT64_C(0x0102040810204080), UINT64_C(0x8001828488102040), UINT64_C(0x408041c2c4881020),
     UINT64_C(0x2040a061e2c48810), UINT64_C(0x102050b071e2c488), UINT64_C(0x8810a8d83871e2c4),
     UINT64_C(0xc488d46c1c3871e2), UINT64_C(0xe2c46a368e1c3871)}};

/* The matrices of the constants 0x00 to 0x0F, and of 0x00, 0x10, ..., 0xF0. */
typedef struct GF256(matrix_sums) {
    uint64_t low[16], high[16];
} GF256(matrix_sums);

GF256_INLINE void GF256(make_sums)(tally_gf256_field field, GF256(matrix_sums) * out)
{
    const uint64_t *of_bit = GF256(matrices_of_bits)[field == TALLY_GF256_RS];
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        const size_t many = (size_t)1 << bit;
        for (size_t i = 0; i < many; i++) {
            out->low[many + i] = out->low[i] ^ of_bit[bit];
            out->high[many + i] = out->high[i] ^ of_bit[4 + bit];
        }
    }
}

/* The matrix of a constant. The constant is public: it is an address here. */
GF256_INLINE uint64_t GF256(matrix_of)(const GF256(matrix_sums) * sums, uint8_t constant)
{
    return sums->low[constant & 15] ^ sums->high[constant >> 4];
}

/* Computes `sums` outputs from byte `at` on: `vectors` whole vectors, or the first `last` bytes of
 * one. */
GF256_INLINE void GF256(combine_block)(const uint64_t *matrices, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, const size_t vectors,
                                       size_t at, size_t last, uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS][2], a[2], b[2];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[j][v] = GF256_ZERO;
        }
    }
    size_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
            b[v] = last == GF256_BYTES ? GF256_LOAD(in[i + 1] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i + 1] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_VEC by_b = GF256_BROADCAST(matrices[j * inputs + i + 1]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] =
                    GF256_XOR3(sum[j][v], GF256_AFFINE(a[v], by_a), GF256_AFFINE(b[v], by_b));
            }
        }
    }
    if (i < inputs) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = GF256_XOR(sum[j][v], GF256_AFFINE(a[v], by_a));
            }
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            if (last == GF256_BYTES) {
                GF256_STORE(out[j] + at + v * GF256_BYTES, sum[j][v]);
            } else {
                GF256_SOME_STORE(out[j] + at, last, sum[j][v]);
            }
        }
    }
}

GF256_INLINE void GF256(combine_some)(const uint64_t *matrices, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= 2 * GF256_BYTES; at += 2 * GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 2, at, GF256_BYTES, out);
    }
    if (end - at >= GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, GF256_BYTES, out);
        at += GF256_BYTES;
    }
    if (end > at) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    uint64_t matrices[GF256_SUMS * TALLY_GF256_POINTS];
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            matrices[i] = GF256(matrix_of)(&sums_of, matrix[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(matrices, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(matrices, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(matrices, in, inputs, 3, offset, size, out);
            break;
        case 4:
            GF256(combine_some)(matrices, in, inputs, 4, offset, size, out);
            break;
        case 5:
            GF256(combine_some)(matrices, in, inputs, 5, offset, size, out);
            break;
        default:
            GF256(combine_some)(matrices, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

GF256_INLINE void GF256(horner)(const GF256_VEC *x, const size_t points, GF256_VEC next,
                                GF256_VEC *value)
{
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = GF256_XOR(GF256_AFFINE(value[j], x[j]), next);
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256_VEC *x,
                                        const size_t points, size_t at, size_t count,
                                        uint8_t *const out[], size_t offset)
{
    GF256_VEC value[GF256_POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    GF256_VEC next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t left = terms - 2; left > 0; left--) {
        from -= stride;
        GF256(horner)
        (x, points, count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count), value);
    }
    GF256(horner)
    (x, points,
     count == GF256_BYTES ? GF256_LOAD(constants + at) : GF256_SOME_LOAD(constants + at, count),
     value);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(const GF256(matrix_sums) * sums_of, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256_VEC by[GF256_POINTS];
    size_t at = 0;
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        by[j] = GF256_BROADCAST(GF256(matrix_of)(sums_of, x[j]));
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, GF256_BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

GF256_TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                         const uint8_t *coefficients, size_t stride, size_t terms,
                                         const uint8_t *x, size_t count, size_t size,
                                         uint8_t *const out[], size_t offset)
{
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (&sums_of, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= GF256_POINTS; count -= GF256_POINTS, x += GF256_POINTS, out += GF256_POINTS) {
        GF256_EVALUATE(GF256_POINTS);
    }
    switch (count) {
    case 1:
        GF256_EVALUATE(1);
        break;
    case 2:
        GF256_EVALUATE(2);
        break;
    case 3:
        GF256_EVALUATE(3);
        break;
    case 4:
        GF256_EVALUATE(4);
        break;
    case 5:
        GF256_EVALUATE(5);
        break;
    case 6:
        GF256_EVALUATE(6);
        break;
    case 7:
        GF256_EVALUATE(7);
        break;
    default:
        break;
    }
#undef GF256_EVALUATE
}

GF256_TARGET static void GF256(multiply)(tally_gf256_field field, const uint8_t *a,
                                         const uint8_t *b, size_t size, uint8_t *out)
{
    size_t at = 0;
    if (field != TALLY_GF256_AES) {
        tally_gf256_multiply(field, a, b, size, out);
        return;
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256_STORE(out + at, GF256_PRODUCT(GF256_LOAD(a + at), GF256_LOAD(b + at)));
    }
    if (size > at) {
        const size_t left = size - at;
        GF256_SOME_STORE(
            out + at, left,
            GF256_PRODUCT(GF256_SOME_LOAD(a + at, left), GF256_SOME_LOAD(b + at, left)));
    }
}

#undef GF256_INLINE
#undef GF256_UNROLL
#undef GF256_SUMS
#undef GF256_POINTS
#undef GF256
#undef GF256_TARGET
#undef GF256_VEC
#undef GF256_BYTES
#undef GF256_LOAD
#undef GF256_STORE
#undef GF256_SOME_LOAD
#undef GF256_SOME_STORE
#undef GF256_XOR
#undef GF256_XOR3
#undef GF256_AFFINE
#undef GF256_BROADCAST
#undef GF256_ZERO
#undef GF256_PRODUCT
