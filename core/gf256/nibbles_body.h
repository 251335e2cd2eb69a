/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) by looking up both halves of each byte in a vector of 16 products with a constant, as
 * Plank, Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions"
 * (FAST 2013), have it. The look-ups are within registers, so no address depends on data. The file
 * that includes this defines
 *   TARGET              the function attribute that its instructions need
 *   vec, BYTES          a vector, and how many bytes it holds
 *   LOAD, STORE         of a vector: (from), (to, v)
 *   SOME_LOAD, SOME_STORE   of its first bytes: (from, count), (to, count, v)
 *   TABLE(from)         16 bytes, as LOOK_UP wants them
 *   LOW(v), HIGH(v)     the halves of each byte, as indices
 *   LOOK_UP(table, indices), XOR(a, b), ZERO
 * and a table of the functions below. */
#include "base/unroll.h"
#include "gf256/gf256.h"

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL TALLY_UNROLL(8)

enum {
    SUMS = 4,  /* outputs that are summed together */
    POINTS = 4 /* at which polynomials are evaluated together */
};

/* Products of a constant with 0..15, and with 0x00, 0x10, ..., 0xF0. */
typedef struct products {
    uint8_t low[16], high[16];
} products;

INLINE void make_products(tally_gf256_field field, uint8_t constant, products *out)
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

INLINE vec times(vec low, vec high, const products *by)
{
    return XOR(LOOK_UP(TABLE(by->low), low), LOOK_UP(TABLE(by->high), high));
}

INLINE void combine_block(const products *by, const uint8_t *const in[], size_t inputs,
                          const size_t sums, size_t at, size_t count, uint8_t *const out[])
{
    vec sum[SUMS];
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        sum[j] = ZERO;
    }
    for (size_t i = 0; i < inputs; i++) {
        vec v = count == BYTES ? LOAD(in[i] + at) : SOME_LOAD(in[i] + at, count);
        vec low = LOW(v), high = HIGH(v);
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            sum[j] = XOR(sum[j], times(low, high, &by[j * inputs + i]));
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

INLINE void combine_some(const products *by, const uint8_t *const in[], size_t inputs,
                         const size_t sums, size_t at, size_t size, uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= BYTES; at += BYTES) {
        combine_block(by, in, inputs, sums, at, BYTES, out);
    }
    if (end > at) {
        combine_block(by, in, inputs, sums, at, end - at, out);
    }
}

TARGET static void combine(tally_gf256_field field, const uint8_t *matrix,
                           const uint8_t *const in[], size_t inputs, size_t outputs, size_t offset,
                           size_t size, uint8_t *const out[])
{
    products by[SUMS * TALLY_GF256_POINTS];
    while (outputs > 0) {
        const size_t sums = outputs < SUMS ? outputs : SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            make_products(field, matrix[i], &by[i]);
        }
        switch (sums) {
        case 1:
            combine_some(by, in, inputs, 1, offset, size, out);
            break;
        case 2:
            combine_some(by, in, inputs, 2, offset, size, out);
            break;
        case 3:
            combine_some(by, in, inputs, 3, offset, size, out);
            break;
        default:
            combine_some(by, in, inputs, SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
INLINE void evaluate_block(const uint8_t *constants, const uint8_t *coefficients, size_t stride,
                           size_t terms, const products *x, const size_t points, size_t at,
                           size_t count, uint8_t *const out[], size_t offset)
{
    vec value[POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    vec next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t term = terms - 1; term-- > 0;) {
        from = term == 0 ? constants + at : from - stride;
        next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
        UNROLL
        for (size_t j = 0; j < points; j++) {
            value[j] = XOR(times(LOW(value[j]), HIGH(value[j]), &x[j]), next);
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

INLINE void evaluate_some(tally_gf256_field field, const uint8_t *constants,
                          const uint8_t *coefficients, size_t stride, size_t terms,
                          const uint8_t *x, const size_t points, size_t size, uint8_t *const out[],
                          size_t offset)
{
    products by[POINTS];
    size_t at = 0;
    for (size_t j = 0; j < points; j++) {
        make_products(field, x[j], &by[j]);
    }
    for (; size - at >= BYTES; at += BYTES) {
        evaluate_block(constants, coefficients, stride, terms, by, points, at, BYTES, out, offset);
    }
    if (size > at) {
        evaluate_block(constants, coefficients, stride, terms, by, points, at, size - at, out,
                       offset);
    }
}

TARGET static void evaluate(tally_gf256_field field, const uint8_t *constants,
                            const uint8_t *coefficients, size_t stride, size_t terms,
                            const uint8_t *x, size_t count, size_t size, uint8_t *const out[],
                            size_t offset)
{
#define EVALUATE(points)                                                                           \
    evaluate_some(field, constants, coefficients, stride, terms, x, points, size, out, offset)
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
