/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8): the choice of a back end, made here and nowhere else, and interpolation above it. */
#include "gf256/gf256.h"

#include <string.h>

#include "base/arch.h"

/* The fastest first; the last one runs everywhere. */
static const struct tally_gf256_backend *const backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_gf256_gfni_avx512,
    &tally_gf256_gfni_avx2,
    &tally_gf256_nibbles_avx2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_gf256_nibbles_neon,
#endif
    &tally_gf256_portable,
};

const struct tally_gf256_backend *tally_gf256(void)
{
    uint32_t features = tally_cpu_features();
    size_t i = 0;
    while ((backends[i]->needs & ~features) != 0) {
        i++;
    }
    return backends[i];
}

enum { ROUND = 32 /* what vectors hold, so that loops have a fixed length */ };

/* The inverse of each, which is its 254th power. */
static void invert(const struct tally_gf256_backend *gf, tally_gf256_field field, size_t size,
                   uint8_t *values)
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

/* weights[i] = product over j != i of (target - x[j]) / (x[i] - x[j]): the product of all
 * target - x[j], over what is left. All i at once, j after j. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights)
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t size = (count + ROUND - 1) / ROUND * ROUND;
    uint8_t points[TALLY_GF256_POINTS + 1] = {0}, below[TALLY_GF256_POINTS + 1];
    uint8_t factor[TALLY_GF256_POINTS + 1], above = 1;
    memcpy(points, x, count);
    for (size_t i = 0; i < size; i++) {
        below[i] = points[i] ^ target;
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < size; i += ROUND) {
            for (size_t k = 0; k < ROUND; k++) {
                uint8_t difference = points[i + k] ^ points[j];
                factor[i + k] = difference | (uint8_t)(difference == 0);
            }
        }
        gf->multiply(field, below, factor, size, below);
        uint8_t distance = points[j] ^ target;
        gf->multiply(field, &above, &distance, 1, &above);
    }
    invert(gf, field, size, below);
    memset(factor, above, size);
    gf->multiply(field, below, factor, size, below);
    memcpy(weights, below, count);
}
