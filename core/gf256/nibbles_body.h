/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by looking up both halves of each byte in a vector of 16 products with a constant (Plank,
 * Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST
 * 2013). The look-ups are within registers, so no address depends on data. The including file
 * defines these macros, and the body undefines them:
 *   GF256(name)                  the name with the prefix of the file
 *   GF256_TARGET                 the function attribute that its instructions need
 *   GF256_VEC, _BYTES            the type of a vector, and its size in bytes
 *   GF256_LOAD, _STORE           of a vector: (from), (to, v)
 *   GF256_SOME_LOAD, _SOME_STORE of its first bytes: (from, count), (to, count, v)
 *   GF256_TABLE(from)            16 bytes, as GF256_LOOK_UP takes them
 *   GF256_LOW(v), GF256_HIGH(v)  the halves of each byte, as indices
 *   GF256_LOOK_UP(table, indices), GF256_XOR(a, b), GF256_ZERO */
#include "base/unroll.h"
#include "gf256/gf256.h"

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   4 /* outputs that are computed together */
#define GF256_POINTS 4 /* at which polynomials are evaluated together */

/* Products of a constant with 0..15, and with 0x00, 0x10, ..., 0xF0. */
typedef struct GF256(products) {
    uint8_t low[16], high[16];
} GF256(products);

GF256_INLINE void GF256(make_products)(tally_gf256_field field, uint8_t constant,
                                       GF256(products) * out)
{
    uint8_t multiples[8];
    tally_gf256_multiples(field, constant, multiples);
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        for (size_t i = 0; i < (size_t)1 << bit; i++) {
            out->low[((size_t)1 << bit) + i] = out->low[i] ^ multiples[bit];
            out->high[((size_t)1 << bit) + i] = out->high[i] ^ multiples[4 + bit];
        }
    }
}

GF256_INLINE GF256_VEC GF256(times)(GF256_VEC low, GF256_VEC high, const GF256(products) * by)
{
    return GF256_XOR(GF256_LOOK_UP(GF256_TABLE(by->low), low),
                     GF256_LOOK_UP(GF256_TABLE(by->high), high));
}

GF256_INLINE void GF256(combine_block)(const GF256(products) * by, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, size_t at, size_t count,
                                       uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        sum[j] = GF256_ZERO;
    }
    for (size_t i = 0; i < inputs; i++) {
        GF256_VEC v =
            count == GF256_BYTES ? GF256_LOAD(in[i] + at) : GF256_SOME_LOAD(in[i] + at, count);
        GF256_VEC low = GF256_LOW(v), high = GF256_HIGH(v);
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            sum[j] = GF256_XOR(sum[j], GF256(times)(low, high, &by[j * inputs + i]));
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + at, sum[j]);
        } else {
            GF256_SOME_STORE(out[j] + at, count, sum[j]);
        }
    }
}

GF256_INLINE void GF256(combine_some)(const GF256(products) * by, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(combine_block)(by, in, inputs, sums, at, GF256_BYTES, out);
    }
    if (end > at) {
        GF256(combine_block)(by, in, inputs, sums, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    GF256(products) by[GF256_SUMS * TALLY_GF256_POINTS];
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            GF256(make_products)(field, matrix[i], &by[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(by, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(by, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(by, in, inputs, 3, offset, size, out);
            break;
        default:
            GF256(combine_some)(by, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256(products) * x,
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
    for (size_t term = terms - 1; term-- > 0;) {
        from = term == 0 ? constants + at : from - stride;
        next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
        GF256_UNROLL
        for (size_t j = 0; j < points; j++) {
            value[j] =
                GF256_XOR(GF256(times)(GF256_LOW(value[j]), GF256_HIGH(value[j]), &x[j]), next);
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(tally_gf256_field field, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256(products) by[GF256_POINTS];
    size_t at = 0;
    for (size_t j = 0; j < points; j++) {
        GF256(make_products)(field, x[j], &by[j]);
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
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (field, constants, coefficients, stride, terms, x, points, size, out, offset)
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
    default:
        break;
    }
#undef GF256_EVALUATE
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
#undef GF256_TABLE
#undef GF256_LOW
#undef GF256_HIGH
#undef GF256_LOOK_UP
#undef GF256_XOR
#undef GF256_ZERO
