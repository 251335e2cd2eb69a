/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are vectors, in the language of GCC and Clang: TALLY_SLICE_BITS is 128, 256 or 512, of
 * which 128 make a unit. The byte of row r and column c of block b is bit b / UNITS of byte 4 r + c of
 * unit b modulo UNITS. The file that includes this has defined
 *
 *   TARGET         the function attribute of its instruction set
 *   REGISTER       the constraint of a vector register in assembly
 *   TERNARY        r ^ (a & b) as one instruction, or nothing */
#include "masked/words_macros.h"

#define UNITS (TALLY_SLICE_BITS / 128)
#define PAIR  1

typedef uint64_t word __attribute__((vector_size(TALLY_SLICE_BITS / 8), may_alias));
typedef word pair; /* planes that go through what is linear together: one */
typedef uint32_t rows_of_word __attribute__((vector_size(TALLY_SLICE_BITS / 8), may_alias));
typedef uint8_t bytes_of_word __attribute__((vector_size(TALLY_SLICE_BITS / 8), may_alias));

#define XOR(a, b) ((a) ^ (b))
#define NOT(a)    (~(a))

#if !defined(TERNARY)
#define TERNARY(r, a, b) ((r) ^ ((a) & (b)))
#endif

/* r ^ (a & b) as a value of which the compiler knows nothing: compilers see through intrinsics too. */
INLINE TARGET word xor_and(word r, word a, word b)
{
    word x = TERNARY(r, a, b);
    OPAQUE(REGISTER, x);
    return x;
}
#define XOR_AND xor_and

/* The same order of bytes in each unit. */
#define UNIT(u, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                    \
    16 * u + a, 16 * u + b, 16 * u + c, 16 * u + d, 16 * u + e, 16 * u + f, 16 * u + g,            \
        16 * u + h, 16 * u + i, 16 * u + j, 16 * u + k, 16 * u + l, 16 * u + m, 16 * u + n,        \
        16 * u + o, 16 * u + p
#if TALLY_SLICE_BITS == 128
#define EACH_UNIT(...) UNIT(0, __VA_ARGS__)
#elif TALLY_SLICE_BITS == 256
#define EACH_UNIT(...) UNIT(0, __VA_ARGS__), UNIT(1, __VA_ARGS__)
#else
#define EACH_UNIT(...)                                                                             \
    UNIT(0, __VA_ARGS__), UNIT(1, __VA_ARGS__), UNIT(2, __VA_ARGS__), UNIT(3, __VA_ARGS__)
#endif
#define ORDER(x, ...)                                                                              \
    ((word)__builtin_shufflevector((bytes_of_word)(x), (bytes_of_word)(x), EACH_UNIT(__VA_ARGS__)))

/* A word in whose row r column c is what was column c + r. */
INLINE TARGET word shift_rows(word x)
{
    return ORDER(x, 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14);
}

INLINE TARGET word inverse_shift_rows(word x)
{
    return ORDER(x, 0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12);
}

/* A word in whose row r is what was row r + 1, or r + 2. */
INLINE TARGET word next_row(word x)
{
    return ORDER(x, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
}

INLINE TARGET word opposite_row(word x)
{
    return ORDER(x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Column c alone, as column 0. */
INLINE TARGET word take_column(word x, size_t c)
{
    return (word)(((rows_of_word)x >> (uint32_t)(8 * c)) & 0xff);
}

/* Two columns from c on, 0 or 2, as columns 0 and 1. */
INLINE TARGET word take_columns(word x, size_t c)
{
    return (word)(((rows_of_word)x >> (uint32_t)(8 * c)) & 0xffff);
}

/* Each column as the one `by` further, 1 or 2; the first ones are zero. */
INLINE TARGET word put_columns(word x, size_t by)
{
    return (word)((rows_of_word)x << (uint32_t)(8 * by));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
INLINE TARGET word first_byte(unsigned bit)
{
    const uint64_t ones = UINT64_C(0xff) * bit;
#if UNITS == 1
    return (word){ones};
#elif UNITS == 2
    return (word){ones, 0, ones};
#else
    return (word){ones, 0, ones, 0, ones, 0, ones};
#endif
}

INLINE TARGET void exchange(word *a, word *b, unsigned shift, uint64_t mask)
{
    word t = ((*a >> shift) ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

INLINE TARGET void transpose(word q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        exchange(&q[i], &q[i + 1], 1, 0x55 * ones);
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        exchange(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, 0x33 * ones);
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        exchange(&q[i], &q[i + 4], 4, 0x0f * ones);
    }
}

/* Rows in the place of columns: bit i of byte m of plane p is bit p of byte m of block UNITS i on. */
INLINE TARGET word turn_block(word x)
{
    return ORDER(x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

INLINE TARGET void load_planes(const uint8_t *in, word q[8])
{
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        word x;
        memcpy(&x, in + i * sizeof x, sizeof x);
        q[i] = turn_block(x);
    }
    transpose(q);
}

INLINE TARGET void store_planes(word q[8], uint8_t *out)
{
    transpose(q);
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        word x = turn_block(q[i]);
        memcpy(out + i * sizeof x, &x, sizeof x);
    }
}
