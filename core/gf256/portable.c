/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8) in portable C, eight bytes in a word. A factor is doubled seven times. The bits of the
 * other factor select which of the doublings are added, by masks and without branches. */
#include "gf256/gf256.h"

#include <string.h>

enum { GF256_PORTABLE_SUMS = 4 /* outputs that are computed together */ };

static uint64_t gf256_portable_load(const uint8_t *in, size_t size)
{
    uint64_t word = 0;
    if (size >= 8) {
        memcpy(&word, in, 8);
    } else {
        memcpy(&word, in, size);
    }
    return word;
}

static void gf256_portable_store(uint64_t word, size_t size, uint8_t *out)
{
    if (size >= 8) {
        memcpy(out, &word, 8);
    } else {
        memcpy(out, &word, size);
    }
}

void tally_gf256_multiply(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                          uint8_t *out)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t doubled = gf256_portable_load(a + i, size - i),
                 bits = gf256_portable_load(b + i, size - i), product = 0;
        for (int bit = 0; bit < 8; bit++) {
            product ^= doubled & tally_gf256_spread(bits >> bit);
            doubled = tally_gf256_double(field, doubled);
        }
        gf256_portable_store(product, size - i, out + i);
    }
}

/* Horner's rule. */
static void gf256_portable_evaluate(tally_gf256_field field, const uint8_t *constants,
                                    const uint8_t *coefficients, size_t stride, size_t terms,
                                    const uint8_t *x, size_t count, size_t size,
                                    uint8_t *const out[], size_t offset)
{
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < size; i += 8) {
            uint64_t value = gf256_portable_load(coefficients + (terms - 2) * stride + i, size - i);
            for (size_t term = terms - 1; term-- > 0;) {
                const uint8_t *next = term == 0 ? constants : coefficients + (term - 1) * stride;
                uint64_t sum = gf256_portable_load(next + i, size - i);
                for (int bit = 0; bit < 8; bit++) {
                    sum ^= value & (0 - (uint64_t)(x[j] >> bit & 1));
                    value = tally_gf256_double(field, value);
                }
                value = sum;
            }
            gf256_portable_store(value, size - i, out[j] + offset + i);
        }
    }
}

static void gf256_portable_combine(tally_gf256_field field, const uint8_t *matrix,
                                   const uint8_t *const in[], size_t inputs, size_t outputs,
                                   size_t offset, size_t size, uint8_t *const out[])
{
    for (size_t first = 0; first < outputs; first += GF256_PORTABLE_SUMS) {
        const size_t some =
            outputs - first < GF256_PORTABLE_SUMS ? outputs - first : GF256_PORTABLE_SUMS;
        for (size_t i = 0; i < size; i += 8) {
            uint64_t sums[GF256_PORTABLE_SUMS] = {0};
            for (size_t k = 0; k < inputs; k++) {
                uint64_t doubled = gf256_portable_load(in[k] + offset + i, size - i);
                for (int bit = 0; bit < 8; bit++) {
                    for (size_t j = 0; j < some; j++) {
                        uint8_t constant = matrix[(first + j) * inputs + k];
                        sums[j] ^= doubled & (0 - (uint64_t)(constant >> bit & 1));
                    }
                    doubled = tally_gf256_double(field, doubled);
                }
            }
            for (size_t j = 0; j < some; j++) {
                gf256_portable_store(sums[j], size - i, out[first + j] + offset + i);
            }
        }
    }
}

const struct tally_gf256_backend tally_gf256_portable = {.backend = {"portable", 0},
                                                         .multiply = tally_gf256_multiply,
                                                         .evaluate = gf256_portable_evaluate,
                                                         .combine = gf256_portable_combine};
