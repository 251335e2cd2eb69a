/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8): the table of back ends, and interpolation. */
#include "gf256/gf256.h"

#include <string.h>

#include "base/arch.h"

/* The fastest first; the last one needs nothing. */
static const tally_backend *const gf256_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_gf256_gfni_avx512.backend,
    &tally_gf256_gfni_avx2.backend,
    &tally_gf256_nibbles_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_gf256_nibbles_neon.backend,
#endif
    &tally_gf256_portable.backend,
};

const struct tally_gf256_backend *tally_gf256(void)
{
    return (const struct tally_gf256_backend *)tally_dispatch(
        gf256_backends, sizeof gf256_backends / sizeof *gf256_backends);
}

const char *tally_gf256_backend_name(void)
{
    return tally_gf256()->backend.name;
}

enum {
    GF256_BLOCK = 32 /* weights are computed in blocks, so that inner loops have a fixed length */
};

/* Inverts each value: its inverse is its 254th power. */
static void gf256_invert(const struct tally_gf256_backend *gf, tally_gf256_field field,
                         uint8_t *values, size_t size)
{
    uint8_t square[TALLY_GF256_POINTS + 1], power14[TALLY_GF256_POINTS + 1];
    gf->multiply(field, values, values, size, square);    /* 2 */
    gf->multiply(field, square, values, size, values);    /* 3 */
    gf->multiply(field, values, values, size, power14);   /* 6 */
    gf->multiply(field, power14, power14, size, power14); /* 12 */
    gf->multiply(field, power14, values, size, values);   /* 15 */
    gf->multiply(field, power14, square, size, power14);
    for (int i = 0; i < 4; i++) {
        gf->multiply(field, values, values, size, values);
    } /* 240 */
    gf->multiply(field, values, power14, size, values);
}

/* weights[i] = product over j != i of (target - x[j]) / (x[i] - x[j])
 *            = (product over all j of target - x[j])
 *              / ((target - x[i]) * product over j != i of x[i] - x[j]).
 * `above` is the numerator of the second form, and below[i] its denominator. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights)
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t size = (count + GF256_BLOCK - 1) / GF256_BLOCK * GF256_BLOCK;
    uint8_t points[TALLY_GF256_POINTS + 1] = {0}, below[TALLY_GF256_POINTS + 1];
    uint8_t factor[TALLY_GF256_POINTS + 1], above = 1;
    memcpy(points, x, count);
    for (size_t i = 0; i < size; i++) {
        below[i] = points[i] ^ target;
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < size; i += GF256_BLOCK) {
            for (size_t k = 0; k < GF256_BLOCK; k++) {
                uint8_t difference = points[i + k] ^ points[j];
                factor[i + k] = difference | (uint8_t)(difference == 0);
            }
        }
        gf->multiply(field, below, factor, size, below);
        uint8_t distance = points[j] ^ target;
        gf->multiply(field, &above, &distance, 1, &above);
    }
    gf256_invert(gf, field, below, size);
    memset(factor, above, size);
    gf->multiply(field, below, factor, size, below);
    memcpy(weights, below, count);
}
