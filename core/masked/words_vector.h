/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are vectors of GCC and Clang, of MASKED_BITS bits: 128, 256 or 512. A unit has 128 of
 * them. The byte of row r and column c of block b is bit b / MASKED_UNITS of byte 4 r + c of unit b
 * modulo MASKED_UNITS. The including file defines these macros, and slicing_body.h undefines them:
 *
 *   MASKED_TARGET         the function attribute of its instruction set
 *   MASKED_REGISTER       the constraint of a vector register in assembly
 *   MASKED_TERNARY        r ^ (a & b) as one instruction; optional */
#include "masked/words_macros.h"

#define MASKED_UNITS       (MASKED_BITS / 128)
#define MASKED_PAIR_PLANES 1

typedef uint64_t MASKED(word) __attribute__((vector_size(MASKED_BITS / 8), may_alias));
typedef uint32_t MASKED(rows) __attribute__((vector_size(MASKED_BITS / 8), may_alias));
typedef uint8_t MASKED(bytes) __attribute__((vector_size(MASKED_BITS / 8), may_alias));

#define MASKED_WORD MASKED(word)
#define MASKED_PAIR MASKED_WORD /* linear functions take one plane at a time */

#define MASKED_XOR(a, b) ((a) ^ (b))
#define MASKED_NOT(a)    (~(a))

#if !defined(MASKED_TERNARY)
#define MASKED_TERNARY(r, a, b) ((r) ^ ((a) & (b)))
#endif

/* r ^ (a & b), as a value that the compiler cannot trace to its operands, even through
 * intrinsics. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(xor_and)(MASKED_WORD r, MASKED_WORD a, MASKED_WORD b)
{
    MASKED_WORD x = MASKED_TERNARY(r, a, b);
    MASKED_OPAQUE(MASKED_REGISTER, x);
    return x;
}
#define MASKED_XOR_AND MASKED(xor_and)

/* The same order of bytes in each unit. */
#define MASKED_UNIT(u, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                             \
    16 * u + a, 16 * u + b, 16 * u + c, 16 * u + d, 16 * u + e, 16 * u + f, 16 * u + g,            \
        16 * u + h, 16 * u + i, 16 * u + j, 16 * u + k, 16 * u + l, 16 * u + m, 16 * u + n,        \
        16 * u + o, 16 * u + p
#if MASKED_BITS == 128
#define MASKED_EACH_UNIT(...) MASKED_UNIT(0, __VA_ARGS__)
#elif MASKED_BITS == 256
#define MASKED_EACH_UNIT(...) MASKED_UNIT(0, __VA_ARGS__), MASKED_UNIT(1, __VA_ARGS__)
#else
#define MASKED_EACH_UNIT(...)                                                                      \
    MASKED_UNIT(0, __VA_ARGS__), MASKED_UNIT(1, __VA_ARGS__), MASKED_UNIT(2, __VA_ARGS__),         \
        MASKED_UNIT(3, __VA_ARGS__)
#endif
#define MASKED_ORDER(x, ...)                                                                       \
    ((MASKED_WORD)__builtin_shufflevector((MASKED(bytes))(x), (MASKED(bytes))(x),                  \
                                          MASKED_EACH_UNIT(__VA_ARGS__)))

/* ShiftRows: column c of row r becomes column c + r of that row. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(shift_rows)(MASKED_WORD x)
{
    return MASKED_ORDER(x, 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14);
}

MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(inverse_shift_rows)(MASKED_WORD x)
{
    return MASKED_ORDER(x, 0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12);
}

/* Row r becomes row r + 1, or row r + 2. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(next_row)(MASKED_WORD x)
{
    return MASKED_ORDER(x, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
}

MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(opposite_row)(MASKED_WORD x)
{
    return MASKED_ORDER(x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Column c alone, as column 0. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(take_column)(MASKED_WORD x, size_t c)
{
    return (MASKED_WORD)(((MASKED(rows))x >> (uint32_t)(8 * c)) & 0xff);
}

/* The columns c and c + 1 as columns 0 and 1; c is 0 or 2. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(take_columns)(MASKED_WORD x, size_t c)
{
    return (MASKED_WORD)(((MASKED(rows))x >> (uint32_t)(8 * c)) & 0xffff);
}

/* Moves each column up by `by`, 1 or 2; the first columns become zero. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(put_columns)(MASKED_WORD x, size_t by)
{
    return (MASKED_WORD)((MASKED(rows))x << (uint32_t)(8 * by));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(first_byte)(unsigned bit)
{
    const uint64_t ones = UINT64_C(0xff) * bit;
#if MASKED_UNITS == 1
    return (MASKED_WORD){ones};
#elif MASKED_UNITS == 2
    return (MASKED_WORD){ones, 0, ones};
#else
    return (MASKED_WORD){ones, 0, ones, 0, ones, 0, ones};
#endif
}

MASKED_INLINE MASKED_TARGET void MASKED(exchange)(MASKED_WORD *a, MASKED_WORD *b, unsigned shift,
                                                  uint64_t mask)
{
    MASKED_WORD t = ((*a >> shift) ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

MASKED_INLINE MASKED_TARGET void MASKED(transpose)(MASKED_WORD q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        MASKED(exchange)(&q[i], &q[i + 1], 1, 0x55 * ones);
    }
    MASKED_UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, 0x33 * ones);
    }
    MASKED_UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i], &q[i + 4], 4, 0x0f * ones);
    }
}

/* Exchanges rows and columns of each block. Before: bit i of byte m of plane p is bit p of byte m
 * of the blocks from MASKED_UNITS i on. */
MASKED_INLINE MASKED_TARGET MASKED_WORD MASKED(transpose_block)(MASKED_WORD x)
{
    return MASKED_ORDER(x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

MASKED_INLINE MASKED_TARGET void MASKED(load_planes)(const uint8_t *in, MASKED_WORD q[8])
{
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i++) {
        MASKED_WORD x;
        memcpy(&x, in + i * sizeof x, sizeof x);
        q[i] = MASKED(transpose_block)(x);
    }
    MASKED(transpose)(q);
}

MASKED_INLINE MASKED_TARGET void MASKED(store_planes)(MASKED_WORD q[8], uint8_t *out)
{
    MASKED(transpose)(q);
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i++) {
        MASKED_WORD x = MASKED(transpose_block)(q[i]);
        memcpy(out + i * sizeof x, &x, sizeof x);
    }
}
