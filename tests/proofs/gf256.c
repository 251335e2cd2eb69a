/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) without instructions: products, polynomials and sums of any bytes, of every size up to
 * MOST, in memory that ends where they do. */
#include "gf256/gf256.h"
#include "arbitrary.h"

enum { MOST = 9, TERMS = 3, POINTS = 5 };

static uint8_t a[TERMS * MOST], b[MOST], x[POINTS], matrix[TERMS * POINTS], memory[POINTS][MOST];

static void check(tally_gf256_field field, size_t size)
{
    const uint8_t *in[TERMS];
    uint8_t *out[POINTS];
    for (size_t j = 0; j < POINTS; j++) {
        out[j] = memory[j] + MOST - size;
    }
    for (size_t i = 0; i < TERMS; i++) {
        in[i] = a + i * MOST + MOST - size;
    }
    tally_gf256_portable.multiply(field, a + TERMS * MOST - size, b + MOST - size, size, out[0]);
    tally_gf256_portable.multiply(field, out[0], out[0], size, out[0]);
    for (size_t terms = 2; terms <= TERMS; terms++) {
        tally_gf256_portable.evaluate(field, b + MOST - size, a + TERMS * MOST - (terms - 1) * size,
                                      size, terms, x, POINTS, size, out, 0);
        tally_gf256_portable.combine(field, matrix, in, terms, POINTS, 0, size, out);
    }
}

int main(void)
{
    arbitrary(a, sizeof a);
    arbitrary(b, sizeof b);
    arbitrary(x, sizeof x);
    arbitrary(matrix, sizeof matrix);
    for (size_t size = 0; size <= MOST; size++) {
        check(TALLY_GF256_AES, size);
        check(TALLY_GF256_RS, size);
    }
    return 0;
}
