/* SPDX-License-Identifier: Apache-2.0
 *
 * GF(2^8): every back end beside the definition of the field, for all products and at all sizes. */
#include <stdlib.h>

#include "base/arch.h"
#include "base/cpu.h"
#include "check.h"
#include "gf256/gf256.h"
#include "random.h"

enum { LARGEST = 300, MARGIN = 64, MOST = 24 /* of inputs, outputs and points in random cases */ };

static const tally_gf256_field fields[2] = {TALLY_GF256_AES, TALLY_GF256_RS};

static const struct tally_gf256_backend *const backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_gf256_gfni_avx512, &tally_gf256_gfni_avx2, &tally_gf256_nibbles_avx2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_gf256_nibbles_neon,
#endif
    &tally_gf256_portable};

enum { BACKENDS = sizeof backends / sizeof *backends };

static uint8_t products[2][256][256], inverses[2][256];

/* Long multiplication of polynomials, then long division. */
static uint8_t defined_product(unsigned a, unsigned b, unsigned modulus)
{
    unsigned product = 0;
    for (int bit = 0; bit < 8; bit++) {
        product ^= (b >> bit & 1) != 0 ? a << bit : 0;
    }
    for (int bit = 14; bit >= 8; bit--) {
        product ^= (product >> bit & 1) != 0 ? modulus << (bit - 8) : 0;
    }
    return (uint8_t)product;
}

/* The three functions of a back end on all pairs of bytes. */
static void check_products(const struct tally_gf256_backend *gf, int field)
{
    static uint8_t all[256], constant[256], zeros[256];
    uint8_t out[256], *const outs[1] = {out};
    const uint8_t *const ins[1] = {all};
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            all[b] = (uint8_t)b;
            constant[b] = (uint8_t)a;
        }
        gf->multiply(fields[field], constant, all, 256, out);
        CHECK_BYTES(out, products[field][a], 256);
        gf->combine(fields[field], constant, ins, 1, 1, 0, 256, outs);
        CHECK_BYTES(out, products[field][a], 256);
        gf->evaluate(fields[field], zeros, all, 256, 2, constant, 1, 256, outs, 0);
        CHECK_BYTES(out, products[field][a], 256);
    }
}

/* Buffers with a case anywhere in them. The bytes around it must not change. */
static uint8_t in_memory[TALLY_GF256_POINTS][LARGEST + 2 * MARGIN];
static uint8_t out_memory[TALLY_GF256_POINTS][LARGEST + 2 * MARGIN];
static uint8_t expected[TALLY_GF256_POINTS][LARGEST + 2 * MARGIN];

static void check_combine(const struct tally_gf256_backend *gf, int field, size_t inputs,
                          size_t outputs, size_t offset, size_t size)
{
    uint8_t matrix[MOST * TALLY_GF256_POINTS], *outs[MOST];
    const uint8_t *ins[TALLY_GF256_POINTS];
    random_bytes(matrix, inputs * outputs);
    for (size_t i = 0; i < inputs; i++) {
        random_bytes(in_memory[i], sizeof in_memory[i]);
        ins[i] = in_memory[i] + random_below(MARGIN / 2);
    }
    for (size_t j = 0; j < outputs; j++) {
        const size_t start = random_below(MARGIN / 2);
        outs[j] = out_memory[j] + start;
        memset(out_memory[j], 0xA5, sizeof out_memory[j]);
        memset(expected[j], 0xA5, sizeof expected[j]);
        for (size_t b = 0; b < size; b++) {
            uint8_t sum = 0;
            for (size_t i = 0; i < inputs; i++) {
                sum ^= products[field][matrix[j * inputs + i]][ins[i][offset + b]];
            }
            expected[j][start + offset + b] = sum;
        }
    }
    gf->combine(fields[field], matrix, ins, inputs, outputs, offset, size, outs);
    for (size_t j = 0; j < outputs; j++) {
        CHECK_BYTES(out_memory[j], expected[j], sizeof expected[j]);
    }
}

static void check_evaluate(const struct tally_gf256_backend *gf, int field, size_t terms,
                           size_t count, size_t offset, size_t size)
{
    static uint8_t coefficients[TALLY_GF256_POINTS * (LARGEST + 8)];
    uint8_t constants[LARGEST], x[MOST], *outs[MOST];
    const size_t stride = size + random_below(8);
    random_bytes(constants, size);
    random_bytes(coefficients, (terms - 1) * stride);
    random_bytes(x, count);
    for (size_t j = 0; j < count; j++) {
        const size_t start = random_below(MARGIN / 2);
        outs[j] = out_memory[j] + start;
        memset(out_memory[j], 0xA5, sizeof out_memory[j]);
        memset(expected[j], 0xA5, sizeof expected[j]);
        for (size_t b = 0; b < size; b++) {
            uint8_t sum = constants[b], power = 1;
            for (size_t i = 1; i < terms; i++) {
                power = products[field][power][x[j]];
                sum ^= products[field][coefficients[(i - 1) * stride + b]][power];
            }
            expected[j][start + offset + b] = sum;
        }
    }
    gf->evaluate(fields[field], constants, coefficients, stride, terms, x, count, size, outs,
                 offset);
    for (size_t j = 0; j < count; j++) {
        CHECK_BYTES(out_memory[j], expected[j], sizeof expected[j]);
    }
}

static void check_multiply(const struct tally_gf256_backend *gf, int field, size_t size)
{
    uint8_t a[LARGEST], b[LARGEST], out[LARGEST + 1], wanted[LARGEST + 1];
    random_bytes(a, size);
    random_bytes(b, size);
    memset(wanted, 0xA5, sizeof wanted);
    memset(out, 0xA5, sizeof out);
    for (size_t i = 0; i < size; i++) {
        wanted[i] = products[field][a[i]][b[i]];
    }
    gf->multiply(fields[field], a, b, size, out);
    CHECK_BYTES(out, wanted, sizeof out);
    gf->multiply(fields[field], a, b, size, a);
    CHECK_BYTES(a, wanted, size);
}

static void check_backend(const struct tally_gf256_backend *gf)
{
    for (int field = 0; field < 2; field++) {
        CHECK_ABOUT("%s, field %#x", gf->backend.name, (unsigned)fields[field]);
        check_products(gf, field);
        for (size_t size = 0; size <= LARGEST; size++) {
            CHECK_ABOUT("%s, field %#x, size %zu", gf->backend.name, (unsigned)fields[field], size);
            check_multiply(gf, field, size);
            check_combine(gf, field, 1 + random_below(MOST), 1 + random_below(MOST), 0, size);
            check_evaluate(gf, field, 2 + random_below(MOST), 1 + random_below(MOST), 0, size);
        }
        for (size_t outputs = 1; outputs <= MOST; outputs++) { /* and with an offset */
            CHECK_ABOUT("%s, field %#x, %zu outputs", gf->backend.name, (unsigned)fields[field],
                        outputs);
            for (size_t inputs = 1; inputs <= 4; inputs++) {
                check_combine(gf, field, inputs, outputs, random_below(MARGIN), 200);
                check_evaluate(gf, field, 1 + inputs, outputs, random_below(MARGIN), 200);
            }
        }
        CHECK_ABOUT("%s, field %#x, 255 inputs", gf->backend.name, (unsigned)fields[field]);
        check_combine(gf, field, TALLY_GF256_POINTS, 9, 1, 131);
        check_evaluate(gf, field, TALLY_GF256_POINTS, 9, 1, 131);
    }
}

/* Weights match their definition, with every back end. */
static void check_weights(void)
{
    for (int i = 0; i < random_cases(400); i++) {
        const int field = i % 2;
        const size_t count = i < 2 ? TALLY_GF256_POINTS : 1 + random_below(i < 200 ? 12 : 255);
        uint8_t values[256], weights[TALLY_GF256_POINTS + 1];
        for (unsigned v = 0; v < 256; v++) { /* a shuffle: points first, then the target */
            const unsigned at = random_below(v + 1);
            values[v] = values[at];
            values[at] = (uint8_t)v;
        }
        CHECK_ABOUT("%s, weights of %zu points", tally_gf256()->backend.name, count);
        memset(weights, 0xA5, sizeof weights);
        tally_gf256_weights(fields[field], values, count, values[count], weights);
        for (size_t k = 0; k < count; k++) {
            uint8_t weight = 1;
            for (size_t j = 0; j < count; j++) {
                if (j != k) {
                    weight = products[field][weight][values[count] ^ values[j]];
                    weight = products[field][weight][inverses[field][values[k] ^ values[j]]];
                }
            }
            CHECK_EQUAL(weights[k], weight);
        }
        CHECK_EQUAL(weights[count], 0xA5);
    }
}

int main(void)
{
    const uint32_t features = tally_cpu_features();
    bool chosen[BACKENDS] = {false};
    for (int field = 0; field < 2; field++) {
        for (unsigned a = 0; a < 256; a++) {
            for (unsigned b = 0; b < 256; b++) {
                products[field][a][b] = defined_product(a, b, fields[field]);
                if (products[field][a][b] == 1) {
                    inverses[field][a] = (uint8_t)b;
                }
            }
        }
    }
    CHECK_EQUAL(products[0][0x57][0x83], 0xC1); /* FIPS 197, section 4.2 */
    CHECK_EQUAL(products[0][0x57][0x13], 0xFE);
    for (size_t i = 0; i < BACKENDS; i++) {
        if ((backends[i]->backend.needs & ~features) == 0) {
            check_backend(backends[i]);
        }
    }
    /* Taking away features one by one leads to each of them. */
    for (uint32_t without = 0; without < 8; without++) {
        static const uint32_t bits[3] = {TALLY_CPU_AVX512VBMI, TALLY_CPU_GFNI,
                                         TALLY_CPU_AVX2 | TALLY_CPU_NEON};
        uint32_t allowed = UINT32_MAX;
        for (size_t bit = 0; bit < 3; bit++) {
            allowed &= (without >> bit & 1) != 0 ? ~bits[bit] : UINT32_MAX;
        }
        tally_cpu_lower(allowed);
        for (size_t i = 0; i < BACKENDS; i++) {
            chosen[i] |= tally_gf256() == backends[i];
        }
        check_weights();
    }
    for (size_t i = 0; i < BACKENDS; i++) {
        CHECK_ABOUT("%s is chosen where its features are", backends[i]->backend.name);
        CHECK_EQUAL(chosen[i], (backends[i]->backend.needs & ~features) == 0);
    }
    return check_end("gf256");
}
