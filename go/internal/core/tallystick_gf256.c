//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/gf256 as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/gf256/gf256.c ---- */
/*
 * GF(2^8): the table of back ends, and interpolation. */

/* ---- core/gf256/gf256.h ---- */
/*
 * Vectors over GF(2^8). Addition is exclusive or. No function has a branch or an address that
 * depends on a byte of data. Constants (coordinates, weights, matrices) are public. */
#ifndef TALLY_GF256_GF256_H
#define TALLY_GF256_GF256_H

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that lacks nothing. Cast the result to the module's struct. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    const uint32_t features = tally_cpu_features();
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

#endif

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

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

#endif

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

/* ---- core/gf256/gfni_avx2.c ---- */
/*
 * GF(2^8) by GFNI with AVX2: 32 bytes a vector. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/gf256/tail_avx2.h ---- */
/*
 * Loads and stores the first bytes of a vector. AVX2 has no byte masks, so they go through a buffer
 * on the stack. They may be secret, so the buffer is wiped. */
#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define TALLY_GF256_TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TALLY_GF256_TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TALLY_GF256_TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TALLY_GF256_TAIL_INLINE

#endif

#define GF256(name)       gf256_gfni_avx2_##name
#define VEC               __m256i
#define TARGET            __attribute__((target("gfni,avx2")))
#define BYTES             32
#define LOAD(from)        _mm256_loadu_si256((const __m256i *)(from))
#define STORE(to, v)      _mm256_storeu_si256((__m256i *)(to), v)
#define SOME_LOAD         tally_gf256_load_tail
#define SOME_STORE        tally_gf256_store_tail
#define XOR               _mm256_xor_si256
#define XOR3(a, b, c)     _mm256_xor_si256(a, _mm256_xor_si256(b, c))
#define AFFINE(v, matrix) _mm256_gf2p8affine_epi64_epi8(v, matrix, 0)
#define BROADCAST(matrix) _mm256_set1_epi64x((long long)(matrix))
#define ZERO              _mm256_setzero_si256()
#define PRODUCT           _mm256_gf2p8mul_epi8

/* ---- core/gf256/affine_body.h ---- */
/*
 * GF(2^8) by gf2p8affineqb, which multiplies each byte by a matrix over GF(2). Multiplication by a
 * constant is such a matrix, in either field. The including file defines these macros, and the body
 * undefines them:
 *   GF256(name)         the name with the prefix of the file
 *   TARGET              the function attribute that its instructions need
 *   VEC, BYTES          the type of a vector, and its size in bytes
 *   LOAD, STORE         of a vector: (from), (to, v)
 *   SOME_LOAD, SOME_STORE   of its first bytes: (from, count), (to, count, v)
 *   XOR, XOR3           of two and of three vectors
 *   AFFINE(v, matrix), BROADCAST(matrix), ZERO
 *   PRODUCT(a, b)       byte by byte, modulo 0x11B */

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL TALLY_UNROLL(8)
#define SUMS   6 /* outputs that are computed together, two vectors of each in registers */
#define POINTS 8 /* at which polynomials are evaluated together */

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

INLINE void GF256(make_sums)(tally_gf256_field field, GF256(matrix_sums) * out)
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
INLINE uint64_t GF256(matrix_of)(const GF256(matrix_sums) * sums, uint8_t constant)
{
    return sums->low[constant & 15] ^ sums->high[constant >> 4];
}

/* Computes `sums` outputs from byte `at` on: `vectors` whole vectors, or the first `last` bytes of
 * one. */
INLINE void GF256(combine_block)(const uint64_t *matrices, const uint8_t *const in[], size_t inputs,
                                 const size_t sums, const size_t vectors, size_t at, size_t last,
                                 uint8_t *const out[])
{
    VEC sum[SUMS][2], a[2], b[2];
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[j][v] = ZERO;
        }
    }
    size_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == BYTES ? LOAD(in[i] + at + v * BYTES) : SOME_LOAD(in[i] + at, last);
            b[v] =
                last == BYTES ? LOAD(in[i + 1] + at + v * BYTES) : SOME_LOAD(in[i + 1] + at, last);
        }
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            VEC by_a = BROADCAST(matrices[j * inputs + i]);
            VEC by_b = BROADCAST(matrices[j * inputs + i + 1]);
            UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = XOR3(sum[j][v], AFFINE(a[v], by_a), AFFINE(b[v], by_b));
            }
        }
    }
    if (i < inputs) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == BYTES ? LOAD(in[i] + at + v * BYTES) : SOME_LOAD(in[i] + at, last);
        }
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            VEC by_a = BROADCAST(matrices[j * inputs + i]);
            UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = XOR(sum[j][v], AFFINE(a[v], by_a));
            }
        }
    }
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            if (last == BYTES) {
                STORE(out[j] + at + v * BYTES, sum[j][v]);
            } else {
                SOME_STORE(out[j] + at, last, sum[j][v]);
            }
        }
    }
}

INLINE void GF256(combine_some)(const uint64_t *matrices, const uint8_t *const in[], size_t inputs,
                                const size_t sums, size_t at, size_t size, uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= 2 * BYTES; at += 2 * BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 2, at, BYTES, out);
    }
    if (end - at >= BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, BYTES, out);
        at += BYTES;
    }
    if (end > at) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, end - at, out);
    }
}

TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                  const uint8_t *const in[], size_t inputs, size_t outputs,
                                  size_t offset, size_t size, uint8_t *const out[])
{
    uint64_t matrices[SUMS * TALLY_GF256_POINTS];
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
    while (outputs > 0) {
        const size_t sums = outputs < SUMS ? outputs : SUMS;
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
            GF256(combine_some)(matrices, in, inputs, SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

INLINE void GF256(horner)(const VEC *x, const size_t points, VEC next, VEC *value)
{
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = XOR(AFFINE(value[j], x[j]), next);
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                  size_t stride, size_t terms, const VEC *x, const size_t points,
                                  size_t at, size_t count, uint8_t *const out[], size_t offset)
{
    VEC value[POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    VEC next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t left = terms - 2; left > 0; left--) {
        from -= stride;
        GF256(horner)(x, points, count == BYTES ? LOAD(from) : SOME_LOAD(from, count), value);
    }
    GF256(horner)
    (x, points, count == BYTES ? LOAD(constants + at) : SOME_LOAD(constants + at, count), value);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == BYTES) {
            STORE(out[j] + offset + at, value[j]);
        } else {
            SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

INLINE void GF256(evaluate_some)(const GF256(matrix_sums) * sums_of, const uint8_t *constants,
                                 const uint8_t *coefficients, size_t stride, size_t terms,
                                 const uint8_t *x, const size_t points, size_t size,
                                 uint8_t *const out[], size_t offset)
{
    VEC by[POINTS];
    size_t at = 0;
    UNROLL
    for (size_t j = 0; j < points; j++) {
        by[j] = BROADCAST(GF256(matrix_of)(sums_of, x[j]));
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
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
#define EVALUATE(points)                                                                           \
    GF256(evaluate_some)                                                                           \
    (&sums_of, constants, coefficients, stride, terms, x, points, size, out, offset)
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
    case 4:
        EVALUATE(4);
        break;
    case 5:
        EVALUATE(5);
        break;
    case 6:
        EVALUATE(6);
        break;
    case 7:
        EVALUATE(7);
        break;
    default:
        break;
    }
#undef EVALUATE
}

TARGET static void GF256(multiply)(tally_gf256_field field, const uint8_t *a, const uint8_t *b,
                                   size_t size, uint8_t *out)
{
    size_t at = 0;
    if (field != TALLY_GF256_AES) {
        tally_gf256_multiply(field, a, b, size, out);
        return;
    }
    for (; size - at >= BYTES; at += BYTES) {
        STORE(out + at, PRODUCT(LOAD(a + at), LOAD(b + at)));
    }
    if (size > at) {
        const size_t left = size - at;
        SOME_STORE(out + at, left, PRODUCT(SOME_LOAD(a + at, left), SOME_LOAD(b + at, left)));
    }
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
#undef XOR
#undef XOR3
#undef AFFINE
#undef BROADCAST
#undef ZERO
#undef PRODUCT

const struct tally_gf256_backend tally_gf256_gfni_avx2 = {
    .backend = {"gfni-avx2", TALLY_CPU_GFNI | TALLY_CPU_AVX2},
    .multiply = gf256_gfni_avx2_multiply,
    .evaluate = gf256_gfni_avx2_evaluate,
    .combine = gf256_gfni_avx2_combine};

#endif

/* ---- core/gf256/gfni_avx512.c ---- */
/*
 * GF(2^8) by GFNI with AVX-512: 64 bytes a vector, and masks for fewer. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define GF256(name)              gf256_gfni_avx512_##name
#define VEC                      __m512i
#define TARGET                   __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))
#define BYTES                    64
#define LOAD(from)               _mm512_loadu_si512((const void *)(from))
#define STORE(to, v)             _mm512_storeu_si512((void *)(to), v)
#define SOME(count)              ((__mmask64)(~UINT64_C(0) >> (64 - (count))))
#define SOME_LOAD(from, count)   _mm512_maskz_loadu_epi8(SOME(count), from)
#define SOME_STORE(to, count, v) _mm512_mask_storeu_epi8(to, SOME(count), v)
#define XOR                      _mm512_xor_si512
#define XOR3(a, b, c)            _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define AFFINE(v, matrix)        _mm512_gf2p8affine_epi64_epi8(v, matrix, 0)
#define BROADCAST(matrix)        gf256_gfni_avx512_in_register(_mm512_set1_epi64((long long)(matrix)))
#define ZERO                     _mm512_setzero_si512()
#define PRODUCT                  _mm512_gf2p8mul_epi8

/* Clang before 20 scales the displacement wrongly where the instruction broadcasts its matrix from
 * memory itself (llvm/llvm-project pull request 120340), so the matrix is loaded beforehand. */
__attribute__((always_inline)) TARGET static inline VEC gf256_gfni_avx512_in_register(VEC v)
{
#if defined(__clang__)
    __asm__("" : "+v"(v));
#endif
    return v;
}

/* ---- core/gf256/affine_body.h, again ---- */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL TALLY_UNROLL(8)
#define SUMS   6
#define POINTS 8

static const uint64_t GF256(matrices_of_bits)[2][8] = {
    {UINT64_C(0x0102040810204080), UINT64_C(0x8081028488102040), UINT64_C(0x40c08142c4881020),
     UINT64_C(0x2060c0a162c48810), UINT64_C(0x103060d0b162c488), UINT64_C(0x889830e858b162c4),
     UINT64_C(0xc44c98f42c58b162), UINT64_C(0x62a64cfa962c58b1)},
    {UINT64_C(0x0102040810204080), UINT64_C(0x8001828488102040), UINT64_C(0x408041c2c4881020),
     UINT64_C(0x2040a061e2c48810), UINT64_C(0x102050b071e2c488), UINT64_C(0x8810a8d83871e2c4),
     UINT64_C(0xc488d46c1c3871e2), UINT64_C(0xe2c46a368e1c3871)}};

typedef struct GF256(matrix_sums) {
    uint64_t low[16], high[16];
} GF256(matrix_sums);

INLINE void GF256(make_sums)(tally_gf256_field field, GF256(matrix_sums) * out)
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

INLINE uint64_t GF256(matrix_of)(const GF256(matrix_sums) * sums, uint8_t constant)
{
    return sums->low[constant & 15] ^ sums->high[constant >> 4];
}

INLINE void GF256(combine_block)(const uint64_t *matrices, const uint8_t *const in[], size_t inputs,
                                 const size_t sums, const size_t vectors, size_t at, size_t last,
                                 uint8_t *const out[])
{
    VEC sum[SUMS][2], a[2], b[2];
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[j][v] = ZERO;
        }
    }
    size_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == BYTES ? LOAD(in[i] + at + v * BYTES) : SOME_LOAD(in[i] + at, last);
            b[v] =
                last == BYTES ? LOAD(in[i + 1] + at + v * BYTES) : SOME_LOAD(in[i + 1] + at, last);
        }
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            VEC by_a = BROADCAST(matrices[j * inputs + i]);
            VEC by_b = BROADCAST(matrices[j * inputs + i + 1]);
            UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = XOR3(sum[j][v], AFFINE(a[v], by_a), AFFINE(b[v], by_b));
            }
        }
    }
    if (i < inputs) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == BYTES ? LOAD(in[i] + at + v * BYTES) : SOME_LOAD(in[i] + at, last);
        }
        UNROLL
        for (size_t j = 0; j < sums; j++) {
            VEC by_a = BROADCAST(matrices[j * inputs + i]);
            UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = XOR(sum[j][v], AFFINE(a[v], by_a));
            }
        }
    }
    UNROLL
    for (size_t j = 0; j < sums; j++) {
        UNROLL
        for (size_t v = 0; v < vectors; v++) {
            if (last == BYTES) {
                STORE(out[j] + at + v * BYTES, sum[j][v]);
            } else {
                SOME_STORE(out[j] + at, last, sum[j][v]);
            }
        }
    }
}

INLINE void GF256(combine_some)(const uint64_t *matrices, const uint8_t *const in[], size_t inputs,
                                const size_t sums, size_t at, size_t size, uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= 2 * BYTES; at += 2 * BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 2, at, BYTES, out);
    }
    if (end - at >= BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, BYTES, out);
        at += BYTES;
    }
    if (end > at) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, end - at, out);
    }
}

TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                  const uint8_t *const in[], size_t inputs, size_t outputs,
                                  size_t offset, size_t size, uint8_t *const out[])
{
    uint64_t matrices[SUMS * TALLY_GF256_POINTS];
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
    while (outputs > 0) {
        const size_t sums = outputs < SUMS ? outputs : SUMS;
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
            GF256(combine_some)(matrices, in, inputs, SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

INLINE void GF256(horner)(const VEC *x, const size_t points, VEC next, VEC *value)
{
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = XOR(AFFINE(value[j], x[j]), next);
    }
}

INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                  size_t stride, size_t terms, const VEC *x, const size_t points,
                                  size_t at, size_t count, uint8_t *const out[], size_t offset)
{
    VEC value[POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    VEC next = count == BYTES ? LOAD(from) : SOME_LOAD(from, count);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t left = terms - 2; left > 0; left--) {
        from -= stride;
        GF256(horner)(x, points, count == BYTES ? LOAD(from) : SOME_LOAD(from, count), value);
    }
    GF256(horner)
    (x, points, count == BYTES ? LOAD(constants + at) : SOME_LOAD(constants + at, count), value);
    UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == BYTES) {
            STORE(out[j] + offset + at, value[j]);
        } else {
            SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

INLINE void GF256(evaluate_some)(const GF256(matrix_sums) * sums_of, const uint8_t *constants,
                                 const uint8_t *coefficients, size_t stride, size_t terms,
                                 const uint8_t *x, const size_t points, size_t size,
                                 uint8_t *const out[], size_t offset)
{
    VEC by[POINTS];
    size_t at = 0;
    UNROLL
    for (size_t j = 0; j < points; j++) {
        by[j] = BROADCAST(GF256(matrix_of)(sums_of, x[j]));
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
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
#define EVALUATE(points)                                                                           \
    GF256(evaluate_some)                                                                           \
    (&sums_of, constants, coefficients, stride, terms, x, points, size, out, offset)
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
    case 4:
        EVALUATE(4);
        break;
    case 5:
        EVALUATE(5);
        break;
    case 6:
        EVALUATE(6);
        break;
    case 7:
        EVALUATE(7);
        break;
    default:
        break;
    }
#undef EVALUATE
}

TARGET static void GF256(multiply)(tally_gf256_field field, const uint8_t *a, const uint8_t *b,
                                   size_t size, uint8_t *out)
{
    size_t at = 0;
    if (field != TALLY_GF256_AES) {
        tally_gf256_multiply(field, a, b, size, out);
        return;
    }
    for (; size - at >= BYTES; at += BYTES) {
        STORE(out + at, PRODUCT(LOAD(a + at), LOAD(b + at)));
    }
    if (size > at) {
        const size_t left = size - at;
        SOME_STORE(out + at, left, PRODUCT(SOME_LOAD(a + at, left), SOME_LOAD(b + at, left)));
    }
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
#undef XOR
#undef XOR3
#undef AFFINE
#undef BROADCAST
#undef ZERO
#undef PRODUCT

#undef SOME

const struct tally_gf256_backend tally_gf256_gfni_avx512 = {
    .backend = {"gfni-avx512",
                TALLY_CPU_GFNI | TALLY_CPU_AVX512VBMI}, /* which has AVX512F, BW and VL */
    .multiply = gf256_gfni_avx512_multiply,
    .evaluate = gf256_gfni_avx512_evaluate,
    .combine = gf256_gfni_avx512_combine};

#endif

/* ---- core/gf256/nibbles_avx2.c ---- */
/*
 * GF(2^8) by vpshufb: 32 bytes a vector. Products of two vectors are those of portable C. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/gf256/tail_avx2.h, again ---- */

#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define TALLY_GF256_TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TALLY_GF256_TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TALLY_GF256_TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TALLY_GF256_TAIL_INLINE

#endif

#define GF256(name)  gf256_nibbles_avx2_##name
#define VEC          __m256i
#define TARGET       __attribute__((target("avx2")))
#define BYTES        32
#define LOAD(from)   _mm256_loadu_si256((const __m256i *)(from))
#define STORE(to, v) _mm256_storeu_si256((__m256i *)(to), v)
#define SOME_LOAD    tally_gf256_load_tail
#define SOME_STORE   tally_gf256_store_tail
#define TABLE(from)  _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(from)))
#define LOW(v)       _mm256_and_si256(v, _mm256_set1_epi8(0x0F))
#define HIGH(v)      _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F))
#define LOOK_UP      _mm256_shuffle_epi8
#define XOR          _mm256_xor_si256
#define ZERO         _mm256_setzero_si256()

/* ---- core/gf256/nibbles_body.h ---- */
/*
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

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

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

const struct tally_gf256_backend tally_gf256_nibbles_avx2 = {
    .backend = {"nibbles-avx2", TALLY_CPU_AVX2},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_avx2_evaluate,
    .combine = gf256_nibbles_avx2_combine};

#endif

/* ---- core/gf256/nibbles_neon.c ---- */
/*
 * GF(2^8) by tbl of AArch64: 16 bytes a vector. Products of two vectors are those of portable C. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define GF256(name) gf256_nibbles_neon_##name
#define VEC         uint8x16_t
#define TARGET
#define BYTES      16
#define LOAD       vld1q_u8
#define STORE      vst1q_u8
#define SOME_LOAD  gf256_nibbles_neon_load_tail
#define SOME_STORE gf256_nibbles_neon_store_tail
#define TABLE      vld1q_u8
#define LOW(v)     vandq_u8(v, vdupq_n_u8(0x0F))
#define HIGH(v)    vshrq_n_u8(v, 4)
#define LOOK_UP    vqtbl1q_u8
#define XOR        veorq_u8
#define ZERO       vdupq_n_u8(0)

/* The first bytes of a vector go through a buffer on the stack, which is wiped. */
static inline VEC gf256_nibbles_neon_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[BYTES] = {0};
    memcpy(bytes, from, count);
    VEC v = vld1q_u8(bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

static inline void gf256_nibbles_neon_store_tail(uint8_t *to, size_t count, VEC v)
{
    uint8_t bytes[BYTES];
    vst1q_u8(bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

/* ---- core/gf256/nibbles_body.h, again ---- */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL TALLY_UNROLL(8)
#define SUMS   4
#define POINTS 4

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

const struct tally_gf256_backend tally_gf256_nibbles_neon = {
    .backend = {"nibbles-neon", TALLY_CPU_NEON},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_neon_evaluate,
    .combine = gf256_nibbles_neon_combine};

#endif

/* ---- core/gf256/portable.c ---- */
/*
 * GF(2^8) in portable C, eight bytes in a word. A factor is doubled seven times. The bits of the
 * other factor select which of the doublings are added, by masks and without branches. */

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

TALLY_VISIBILITY_POP
