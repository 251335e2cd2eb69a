/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are vectors of GCC and Clang, of BITS bits: 128, 256 or 512. A unit has 128 of them.
 * The byte of row r and column c of block b is bit b / UNITS of byte 4 r + c of unit b modulo
 * UNITS. The including file defines these macros, and slicing_body.h undefines them:
 *
 *   TARGET         the function attribute of its instruction set
 *   REGISTER       the constraint of a vector register in assembly
 *   TERNARY        r ^ (a & b) as one instruction; optional */
#include "masked/words_macros.h"

#define UNITS       (BITS / 128)
#define PAIR_PLANES 1

typedef uint64_t MASKED(word) __attribute__((vector_size(BITS / 8), may_alias));
typedef uint32_t MASKED(rows) __attribute__((vector_size(BITS / 8), may_alias));
typedef uint8_t MASKED(bytes) __attribute__((vector_size(BITS / 8), may_alias));

#define WORD MASKED(word)
#define PAIR WORD /* linear functions take one plane at a time */

#define XOR(a, b) ((a) ^ (b))
#define NOT(a)    (~(a))

#if !defined(TERNARY)
#define TERNARY(r, a, b) ((r) ^ ((a) & (b)))
#endif

/* r ^ (a & b), as a value that the compiler cannot trace to its operands, even through
 * intrinsics. */
INLINE TARGET WORD MASKED(xor_and)(WORD r, WORD a, WORD b)
{
    WORD x = TERNARY(r, a, b);
    OPAQUE(REGISTER, x);
    return x;
}
#define XOR_AND MASKED(xor_and)

/* The same order of bytes in each unit. */
#define UNIT(u, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                    \
    16 * u + a, 16 * u + b, 16 * u + c, 16 * u + d, 16 * u + e, 16 * u + f, 16 * u + g,            \
        16 * u + h, 16 * u + i, 16 * u + j, 16 * u + k, 16 * u + l, 16 * u + m, 16 * u + n,        \
        16 * u + o, 16 * u + p
#if BITS == 128
#define EACH_UNIT(...) UNIT(0, __VA_ARGS__)
#elif BITS == 256
#define EACH_UNIT(...) UNIT(0, __VA_ARGS__), UNIT(1, __VA_ARGS__)
#else
#define EACH_UNIT(...)                                                                             \
    UNIT(0, __VA_ARGS__), UNIT(1, __VA_ARGS__), UNIT(2, __VA_ARGS__), UNIT(3, __VA_ARGS__)
#endif
#define ORDER(x, ...)                                                                              \
    ((WORD)__builtin_shufflevector((MASKED(bytes))(x), (MASKED(bytes))(x), EACH_UNIT(__VA_ARGS__)))

/* ShiftRows: column c of row r becomes column c + r of that row. */
INLINE TARGET WORD MASKED(shift_rows)(WORD x)
{
    return ORDER(x, 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14);
}

INLINE TARGET WORD MASKED(inverse_shift_rows)(WORD x)
{
    return ORDER(x, 0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12);
}

/* Row r becomes row r + 1, or row r + 2. */
INLINE TARGET WORD MASKED(next_row)(WORD x)
{
    return ORDER(x, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
}

INLINE TARGET WORD MASKED(opposite_row)(WORD x)
{
    return ORDER(x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Column c alone, as column 0. */
INLINE TARGET WORD MASKED(take_column)(WORD x, size_t c)
{
    return (WORD)(((MASKED(rows))x >> (uint32_t)(8 * c)) & 0xff);
}

/* The columns c and c + 1 as columns 0 and 1; c is 0 or 2. */
INLINE TARGET WORD MASKED(take_columns)(WORD x, size_t c)
{
    return (WORD)(((MASKED(rows))x >> (uint32_t)(8 * c)) & 0xffff);
}

/* Moves each column up by `by`, 1 or 2; the first columns become zero. */
INLINE TARGET WORD MASKED(put_columns)(WORD x, size_t by)
{
    return (WORD)((MASKED(rows))x << (uint32_t)(8 * by));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
INLINE TARGET WORD MASKED(first_byte)(unsigned bit)
{
    const uint64_t ones = UINT64_C(0xff) * bit;
#if UNITS == 1
    return (WORD){ones};
#elif UNITS == 2
    return (WORD){ones, 0, ones};
#else
    return (WORD){ones, 0, ones, 0, ones, 0, ones};
#endif
}

INLINE TARGET void MASKED(exchange)(WORD *a, WORD *b, unsigned shift, uint64_t mask)
{
    WORD t = ((*a >> shift) ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

INLINE TARGET void MASKED(transpose)(WORD q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        MASKED(exchange)(&q[i], &q[i + 1], 1, 0x55 * ones);
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, 0x33 * ones);
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i], &q[i + 4], 4, 0x0f * ones);
    }
}

/* Exchanges rows and columns of each block. Before: bit i of byte m of plane p is bit p of byte m
 * of the blocks from UNITS i on. */
INLINE TARGET WORD MASKED(transpose_block)(WORD x)
{
    return ORDER(x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

INLINE TARGET void MASKED(load_planes)(const uint8_t *in, WORD q[8])
{
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        WORD x;
        memcpy(&x, in + i * sizeof x, sizeof x);
        q[i] = MASKED(transpose_block)(x);
    }
    MASKED(transpose)(q);
}

INLINE TARGET void MASKED(store_planes)(WORD q[8], uint8_t *out)
{
    MASKED(transpose)(q);
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        WORD x = MASKED(transpose_block)(q[i]);
        memcpy(out + i * sizeof x, &x, sizeof x);
    }
}
