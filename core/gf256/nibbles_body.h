/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by looking up both halves of each byte in a vector of 16 products with a constant (Plank,
 * Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST
 * 2013). The look-ups are within registers, so no address depends on data. The including file
 * defines these macros, and the body undefines them:
 *   GF256(name)         the name with the prefix of the file
 *   TARGET              the function attribute that its instructions need
 *   VEC, BYTES          the type of a vector, and its size in bytes
 *   LOAD, STORE         of a vector: (from), (to, v)
 *   SOME_LOAD, SOME_STORE   of its first bytes: (from, count), (to, count, v)
 *   TABLE(from)         16 bytes, as LOOK_UP takes them
 *   LOW(v), HIGH(v)     the halves of each byte, as indices
 *   LOOK_UP(table, indices), XOR(a, b), ZERO */
#include "base/unroll.h"
#include "gf256/gf256.h"

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL TALLY_UNROLL(8)
#define SUMS   4 /* outputs that are computed together */
#define POINTS 4 /* at which polynomials are evaluated together */

/* Products of a constant with 0..15, and with 0x00, 0x10, ..., 0xF0. */
typedef struct GF256(products) {
    uint8_t low[16], high[16];
} GF256(products);

INLINE void GF256(make_products)(tally_gf256_field field, uint8_t constant, GF256(products) * out)
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

INLINE VEC GF256(times)(VEC low, VEC high, const GF256(products) * by)
{
    return XOR(LOOK_UP(TABLE(by->low), low), LOOK_UP(TABLE(by->high), high));
}

INLINE void GF256(combine_block)(const GF256(products) * by, const uint8_t *const in[],
                                 size_t inputs, const size_t sums, size_t at, size_t count,
                                 uint8_t *const out[])
{
    VEC sum[SUMS];
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        sum[j] = ZERO;
    }
    for (size_t i = 0; i < inputs; i++) {
        VEC v = count == BYTES ? LOAD(in[i] + at) : SOME_LOAD(in[i] + at, count);
        VEC low = LOW(v), high = HIGH(v);
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            sum[j] = XOR(sum[j], GF256(times)(low, high, &by[j * inputs + i]));
        }
    }
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        if (count == BYTES) {
            STORE(out[j] + at, sum[j]);
        } else {
            SOME_STORE(out[j] + at, count, sum[j]);
        }
    }
}

INLINE void GF256(combine_some)(const GF256(products) * by, const uint8_t *const in[],
                                size_t inputs, const size_t sums, size_t at, size_t size,
                                uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= BYTES; at += BYTES) {
        GF256(combine_block)(by, in, inputs, sums, at, BYTES, out);
    }
    if (end > at) {
        GF256(combine_block)(by, in, inputs, sums, at, end - at, out);
    }
}

TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                  const uint8_t *const in[], size_t inputs, size_t outputs,
                                  size_t offset, size_t size, uint8_t *const out[])
{
    GF256(products) by[SUMS * TALLY_GF256_POINTS];
    while (outputs > 0) {
        const size_t sums = outputs < SUMS ? outputs : SUMS;
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
            GF256(combine_some)(by, in, inputs, SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                  size_t stride, size_t terms, const GF256(products) * x,
                                  const size_t points, size_t at, size_t count,
                                  uint8_t *const out[], size_t offset)
{
    VEC value[POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    VEC next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t term = terms - 1; term-- > 0;) {
        from = term == 0 ? constants + at : from - stride;
        next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
        UNROLL
        for (size_t j = 0; j < points; j++) {
            value[j] = XOR(GF256(times)(LOW(value[j]), HIGH(value[j]), &x[j]), next);
        }
    }
    UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == BYTES) {
            STORE(out[j] + offset + at, value[j]);
        } else {
            SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

INLINE void GF256(evaluate_some)(tally_gf256_field field, const uint8_t *constants,
                                 const uint8_t *coefficients, size_t stride, size_t terms,
                                 const uint8_t *x, const size_t points, size_t size,
                                 uint8_t *const out[], size_t offset)
{
    GF256(products) by[POINTS];
    size_t at = 0;
    for (size_t j = 0; j < points; j++) {
        GF256(make_products)(field, x[j], &by[j]);
    }
    for (; size - at >= BYTES; at += BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                   const uint8_t *coefficients, size_t stride, size_t terms,
                                   const uint8_t *x, size_t count, size_t size,
                                   uint8_t *const out[], size_t offset)
{
#define EVALUATE(points)                                                                           \
    GF256(evaluate_some)                                                                           \
    (field, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= POINTS; count -= POINTS, x += POINTS, out += POINTS) {
        EVALUATE(POINTS);
    }
    switch (count) {
    case 1:
        EVALUATE(1);
        break;
    case 2:
        EVALUATE(2);
        break;
    case 3:
        EVALUATE(3);
        break;
    default:
        break;
    }
#undef EVALUATE
}

#undef INLINE
#undef UNROLL
#undef SUMS
#undef POINTS
#undef GF256
#undef TARGET
#undef VEC
#undef BYTES
#undef LOAD
#undef STORE
#undef SOME_LOAD
#undef SOME_STORE
#undef TABLE
#undef LOW
#undef HIGH
#undef LOOK_UP
#undef XOR
#undef ZERO
