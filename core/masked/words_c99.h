/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of C99, of BITS bits: 16, 32 or 64. The byte of row r and column c of block b is at bit
 * ROW_BITS r + COLUMN_BITS c + b. slicing_body.h undefines the macros. */
#include "masked/words_macros.h"

#define TARGET
#define COLUMN_BITS (BITS / 16) /* as many as blocks */
#define ROW_BITS    (BITS / 4)

#if BITS == 16
#define WORD uint16_t
#elif BITS == 32
#define WORD uint32_t
#else
#define WORD uint64_t
#endif

/* The result of arithmetic as a word: C computes narrow words as int. With 64 bits, it may also be
 * a vector of two words. */
#if BITS == 64
#define NARROW(x) (x)
#else
#define NARROW(x) ((WORD)(x))
#endif
#define XOR(a, b) NARROW((a) ^ (b))
#define AND(a, b) NARROW((a) & (b))
#define NOT(a)    NARROW(~(a))

/* r ^ (a & b), as a value that the compiler cannot trace to its operands. */
INLINE WORD MASKED(xor_and)(WORD r, WORD a, WORD b)
{
    WORD x = XOR(r, a & b);
    OPAQUE("+r", x);
    return x;
}
#define XOR_AND MASKED(xor_and)

/* The first `columns` columns of row r. */
#define ROW(r, columns)                                                                            \
    NARROW(NARROW((UINT64_C(1) << ((columns)*COLUMN_BITS)) - 1) << ((r)*ROW_BITS))
#define ROWS(a, b, columns) NARROW(ROW(a, columns) | ROW(b, columns))
#define EVERY_ROW(columns)  NARROW(ROWS(0, 1, columns) | ROWS(2, 3, columns))

/* Linear functions take PAIR_PLANES planes of a share at a time. With GCC and Clang, two words of
 * 64 bits are a vector, which a register of most CPUs with such words holds. */
#if BITS == 64 && defined(__GNUC__)
#define PAIR_PLANES 2
typedef WORD MASKED(pair) __attribute__((vector_size(16)));
#define PAIR MASKED(pair)

INLINE PAIR MASKED(load_pair)(const WORD *from)
{
    return (PAIR){from[0], from[1]};
}

INLINE void MASKED(store_pair)(PAIR x, WORD *to)
{
    to[0] = x[0];
    to[1] = x[1];
}

/* The second plane of the first pair, and the first one of the second. */
INLINE PAIR MASKED(middle_pair)(PAIR a, PAIR b)
{
    return (PAIR){a[1], b[0]};
}

INLINE PAIR MASKED(only_first)(PAIR x)
{
    return x & (PAIR){UINT64_MAX, 0};
}

INLINE PAIR MASKED(only_second)(PAIR x)
{
    return x & (PAIR){0, UINT64_MAX};
}
#else
#define PAIR_PLANES 1
#define PAIR        WORD
#endif

/* Rotates rows 2 and 3 by two columns, which is the same in both directions. */
INLINE PAIR MASKED(rotate_two_columns)(PAIR x)
{
    PAIR t = NARROW((x ^ NARROW(x >> 2 * COLUMN_BITS)) & ROWS(2, 3, 2));
    return NARROW(x ^ t ^ NARROW(t << 2 * COLUMN_BITS));
}

/* ShiftRows: column c of row r becomes column c + r of that row. */
INLINE PAIR MASKED(shift_rows)(PAIR x)
{
    PAIR y = MASKED(rotate_two_columns)(x); /* then rows 1 and 3 by one column more */
    return NARROW((y & ROWS(0, 2, 4)) | (NARROW(y >> COLUMN_BITS) & ROWS(1, 3, 3)) |
                  NARROW((y & ROWS(1, 3, 1)) << 3 * COLUMN_BITS));
}

INLINE PAIR MASKED(inverse_shift_rows)(PAIR x)
{
    PAIR y = MASKED(rotate_two_columns)(x);
    return NARROW((y & ROWS(0, 2, 4)) | NARROW((y & ROWS(1, 3, 3)) << COLUMN_BITS) |
                  (NARROW(y >> 3 * COLUMN_BITS) & ROWS(1, 3, 1)));
}

/* Row r becomes row r + 1, or row r + 2. */
INLINE PAIR MASKED(next_row)(PAIR x)
{
    return NARROW(x >> ROW_BITS | NARROW(x << 3 * ROW_BITS));
}

INLINE PAIR MASKED(opposite_row)(PAIR x)
{
    return NARROW(x >> 2 * ROW_BITS | NARROW(x << 2 * ROW_BITS));
}

/* Column c alone, as column 0. */
INLINE PAIR MASKED(take_column)(PAIR x, size_t c)
{
    return NARROW(NARROW(x >> (int)c * COLUMN_BITS) & EVERY_ROW(1));
}

/* The columns c and c + 1 as columns 0 and 1; c is 0 or 2. */
INLINE PAIR MASKED(take_columns)(PAIR x, size_t c)
{
    return NARROW(NARROW(x >> (int)c * COLUMN_BITS) & EVERY_ROW(2));
}

/* Moves each column up by `by`, 1 or 2; the first columns become zero. */
INLINE PAIR MASKED(put_columns)(PAIR x, size_t by)
{
    return NARROW(NARROW(x << (int)by * COLUMN_BITS) &
                  NARROW(EVERY_ROW(4) ^ (by == 1 ? EVERY_ROW(1) : EVERY_ROW(2))));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
INLINE WORD MASKED(first_byte)(unsigned bit)
{
    return NARROW(ROW(0, 1) * bit);
}

/* Bit i of byte m of plane p is bit p of byte byte_at(m, i) of the blocks. So these bytes are
 * joined to words, and then 8 x 8 bits are transposed. */
INLINE size_t MASKED(byte_at)(size_t m, size_t i)
{
    const size_t at = 8 * m + i, r = at / ROW_BITS, c = at % ROW_BITS / COLUMN_BITS,
                 b = at % COLUMN_BITS;
    return 16 * b + 4 * c + r;
}

INLINE void MASKED(exchange)(WORD *a, WORD *b, unsigned shift, WORD mask)
{
    WORD t = AND(NARROW(*a >> shift) ^ *b, mask);
    *a = XOR(*a, t << shift);
    *b = XOR(*b, t);
}

INLINE void MASKED(transpose)(WORD q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        MASKED(exchange)(&q[i], &q[i + 1], 1, NARROW(0x55 * ones));
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, NARROW(0x33 * ones));
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        MASKED(exchange)(&q[i], &q[i + 4], 4, NARROW(0x0f * ones));
    }
}

INLINE void MASKED(load_planes)(const uint8_t *in, WORD q[8])
{
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        WORD x = 0;
        UNROLL
        for (size_t m = 0; m < sizeof(WORD); m++) {
            x = NARROW(x | NARROW((WORD)in[MASKED(byte_at)(m, i)] << 8 * m));
        }
        q[i] = x;
    }
    MASKED(transpose)(q);
}

INLINE void MASKED(store_planes)(WORD q[8], uint8_t *out)
{
    MASKED(transpose)(q);
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        UNROLL
        for (size_t m = 0; m < sizeof(WORD); m++) {
            out[MASKED(byte_at)(m, i)] = (uint8_t)(q[i] >> 8 * m);
        }
    }
}
