/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of C99, of MASKED_BITS bits: 16, 32 or 64. The byte of row r and column c of block b is at
 * bit MASKED_ROW_BITS r + MASKED_COLUMN_BITS c + b. slicing_body.h undefines the macros. */
#include "masked/words_macros.h"

#define MASKED_TARGET
#define MASKED_COLUMN_BITS (MASKED_BITS / 16) /* as many as blocks */
#define MASKED_ROW_BITS    (MASKED_BITS / 4)

#if MASKED_BITS == 16
#define MASKED_WORD uint16_t
#elif MASKED_BITS == 32
#define MASKED_WORD uint32_t
#else
#define MASKED_WORD uint64_t
#endif

/* The result of arithmetic as a word: C computes narrow words as int. With 64 bits, it may also be
 * a vector of two words. */
#if MASKED_BITS == 64
#define MASKED_NARROW(x) (x)
#else
#define MASKED_NARROW(x) ((MASKED_WORD)(x))
#endif
#define MASKED_XOR(a, b) MASKED_NARROW((a) ^ (b))
#define MASKED_AND(a, b) MASKED_NARROW((a) & (b))
#define MASKED_NOT(a)    MASKED_NARROW(~(a))

/* r ^ (a & b), as a value that the compiler cannot trace to its operands. */
MASKED_INLINE MASKED_WORD MASKED(xor_and)(MASKED_WORD r, MASKED_WORD a, MASKED_WORD b)
{
    MASKED_WORD x = MASKED_XOR(r, a & b);
    MASKED_OPAQUE("+r", x);
    return x;
}
#define MASKED_XOR_AND MASKED(xor_and)

/* The first `columns` columns of row r. */
#define MASKED_ROW(r, columns)                                                                     \
    MASKED_NARROW(MASKED_NARROW((UINT64_C(1) << ((columns)*MASKED_COLUMN_BITS)) - 1)               \
                  << ((r)*MASKED_ROW_BITS))
#define MASKED_ROWS(a, b, columns) MASKED_NARROW(MASKED_ROW(a, columns) | MASKED_ROW(b, columns))
#define MASKED_EVERY_ROW(columns)                                                                  \
    MASKED_NARROW(MASKED_ROWS(0, 1, columns) | MASKED_ROWS(2, 3, columns))

/* Linear functions take MASKED_PAIR_PLANES planes of a share at a time. With GCC and Clang, two
 * words of 64 bits are a vector, which a register of most CPUs with such words holds. */
#if MASKED_BITS == 64 && defined(__GNUC__)
#define MASKED_PAIR_PLANES 2
typedef MASKED_WORD MASKED(pair) __attribute__((vector_size(16)));
#define MASKED_PAIR MASKED(pair)

MASKED_INLINE MASKED_PAIR MASKED(load_pair)(const MASKED_WORD *from)
{
    return (MASKED_PAIR){from[0], from[1]};
}

MASKED_INLINE void MASKED(store_pair)(MASKED_PAIR x, MASKED_WORD *to)
{
    to[0] = x[0];
    to[1] = x[1];
}

/* The second plane of the first pair, and the first one of the second. */
MASKED_INLINE MASKED_PAIR MASKED(middle_pair)(MASKED_PAIR a, MASKED_PAIR b)
{
    return (MASKED_PAIR){a[1], b[0]};
}

MASKED_INLINE MASKED_PAIR MASKED(only_first)(MASKED_PAIR x)
{
    return x & (MASKED_PAIR){UINT64_MAX, 0};
}

MASKED_INLINE MASKED_PAIR MASKED(only_second)(MASKED_PAIR x)
{
    return x & (MASKED_PAIR){0, UINT64_MAX};
}
#else
#define MASKED_PAIR_PLANES 1
#define MASKED_PAIR        MASKED_WORD
#endif

/* Rotates rows 2 and 3 by two columns, which is the same in both directions. */
MASKED_INLINE MASKED_PAIR MASKED(rotate_two_columns)(MASKED_PAIR x)
{
    MASKED_PAIR t =
        MASKED_NARROW((x ^ MASKED_NARROW(x >> 2 * MASKED_COLUMN_BITS)) & MASKED_ROWS(2, 3, 2));
    return MASKED_NARROW(x ^ t ^ MASKED_NARROW(t << 2 * MASKED_COLUMN_BITS));
}

/* ShiftRows: column c of row r becomes column c + r of that row. */
MASKED_INLINE MASKED_PAIR MASKED(shift_rows)(MASKED_PAIR x)
{
    MASKED_PAIR y = MASKED(rotate_two_columns)(x); /* then rows 1 and 3 by one column more */
    return MASKED_NARROW((y & MASKED_ROWS(0, 2, 4)) |
                         (MASKED_NARROW(y >> MASKED_COLUMN_BITS) & MASKED_ROWS(1, 3, 3)) |
                         MASKED_NARROW((y & MASKED_ROWS(1, 3, 1)) << 3 * MASKED_COLUMN_BITS));
}

MASKED_INLINE MASKED_PAIR MASKED(inverse_shift_rows)(MASKED_PAIR x)
{
    MASKED_PAIR y = MASKED(rotate_two_columns)(x);
    return MASKED_NARROW((y & MASKED_ROWS(0, 2, 4)) |
                         MASKED_NARROW((y & MASKED_ROWS(1, 3, 3)) << MASKED_COLUMN_BITS) |
                         (MASKED_NARROW(y >> 3 * MASKED_COLUMN_BITS) & MASKED_ROWS(1, 3, 1)));
}

/* Row r becomes row r + 1, or row r + 2. */
MASKED_INLINE MASKED_PAIR MASKED(next_row)(MASKED_PAIR x)
{
    return MASKED_NARROW(x >> MASKED_ROW_BITS | MASKED_NARROW(x << 3 * MASKED_ROW_BITS));
}

MASKED_INLINE MASKED_PAIR MASKED(opposite_row)(MASKED_PAIR x)
{
    return MASKED_NARROW(x >> 2 * MASKED_ROW_BITS | MASKED_NARROW(x << 2 * MASKED_ROW_BITS));
}

/* Column c alone, as column 0. */
MASKED_INLINE MASKED_PAIR MASKED(take_column)(MASKED_PAIR x, size_t c)
{
    return MASKED_NARROW(MASKED_NARROW(x >> (int)c * MASKED_COLUMN_BITS) & MASKED_EVERY_ROW(1));
}

/* The columns c and c + 1 as columns 0 and 1; c is 0 or 2. */
MASKED_INLINE MASKED_PAIR MASKED(take_columns)(MASKED_PAIR x, size_t c)
{
    return MASKED_NARROW(MASKED_NARROW(x >> (int)c * MASKED_COLUMN_BITS) & MASKED_EVERY_ROW(2));
}

/* Moves each column up by `by`, 1 or 2; the first columns become zero. */
MASKED_INLINE MASKED_PAIR MASKED(put_columns)(MASKED_PAIR x, size_t by)
{
    return MASKED_NARROW(
        MASKED_NARROW(x << (int)by * MASKED_COLUMN_BITS) &
        MASKED_NARROW(MASKED_EVERY_ROW(4) ^ (by == 1 ? MASKED_EVERY_ROW(1) : MASKED_EVERY_ROW(2))));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
MASKED_INLINE MASKED_WORD MASKED(first_byte)(unsigned bit)
{
    return MASKED_NARROW(MASKED_ROW(0, 1) * bit);
}

/* Bit i of byte m of plane p is bit p of byte byte_at(m, i) of the blocks. So these bytes are
 * joined to words, and then 8 x 8 bits are transposed. */
MASKED_INLINE size_t MASKED(byte_at)(size_t m, size_t i)
{
    const size_t at = 8 * m + i, r = at / MASKED_ROW_BITS,
                 c = at % MASKED_ROW_BITS / MASKED_COLUMN_BITS, b = at % MASKED_COLUMN_BITS;
    return 16 * b + 4 * c + r;
}

MASKED_INLINE void MASKED(exchange)(MASKED_WORD *a, MASKED_WORD *b, unsigned shift,
                                    MASKED_WORD mask)
{
    MASKED_WORD t = MASKED_AND(MASKED_NARROW(*a >> shift) ^ *b, mask);
    *a = MASKED_XOR(*a, t << shift);
    *b = MASKED_XOR(*b, t);
}

MASKED_INLINE void MASKED(transpose)(MASKED_WORD q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        MASKED(exchange)(&q[i], &q[i + 1], 1, MASKED_NARROW(0x55 * ones));
    }
    MASKED_UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, MASKED_NARROW(0x33 * ones));
    }
    MASKED_UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i], &q[i + 4], 4, MASKED_NARROW(0x0f * ones));
    }
}

MASKED_INLINE void MASKED(load_planes)(const uint8_t *in, MASKED_WORD q[8])
{
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i++) {
        MASKED_WORD x = 0;
        MASKED_UNROLL
        for (size_t m = 0; m < sizeof(MASKED_WORD); m++) {
            x = MASKED_NARROW(x | MASKED_NARROW((MASKED_WORD)in[MASKED(byte_at)(m, i)] << 8 * m));
        }
        q[i] = x;
    }
    MASKED(transpose)(q);
}

MASKED_INLINE void MASKED(store_planes)(MASKED_WORD q[8], uint8_t *out)
{
    MASKED(transpose)(q);
    MASKED_UNROLL
    for (size_t i = 0; i < 8; i++) {
        MASKED_UNROLL
        for (size_t m = 0; m < sizeof(MASKED_WORD); m++) {
            out[MASKED(byte_at)(m, i)] = (uint8_t)(q[i] >> 8 * m);
        }
    }
}
