/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of C99: TALLY_SLICE_BITS is 16, 32 or 64. The byte of row r and column c of block b is at bit
 * R r + C c + b. */
#include "masked/words_macros.h"

#define TARGET
#define C (TALLY_SLICE_BITS / 16) /* bits of a column: blocks */
#define R (TALLY_SLICE_BITS / 4)  /* bits of a row */

#if TALLY_SLICE_BITS == 16
typedef uint16_t word;
#elif TALLY_SLICE_BITS == 32
typedef uint32_t word;
#else
typedef uint64_t word;
#endif

#if TALLY_SLICE_BITS == 64
#define WORD(x) (x) /* a word, or a vector of two */
#else
#define WORD(x) ((word)(x)) /* what was computed in an int */
#endif
#define XOR(a, b) WORD((a) ^ (b))
#define AND(a, b) WORD((a) & (b))
#define NOT(a)    WORD(~(a))

/* r ^ (a & b) as a value of which the compiler knows nothing. */
INLINE word xor_and(word r, word a, word b)
{
    word x = XOR(r, a & b);
    OPAQUE("+r", x);
    return x;
}
#define XOR_AND xor_and

/* The first `columns` columns of row r. */
#define ROW(r, columns)     WORD(WORD((UINT64_C(1) << ((columns)*C)) - 1) << ((r)*R))
#define ROWS(a, b, columns) WORD(ROW(a, columns) | ROW(b, columns))
#define EVERY_ROW(columns)  WORD(ROWS(0, 1, columns) | ROWS(2, 3, columns))

/* What is linear takes PAIR planes of a share at a time: two words of 64 bits fit into a vector, which
 * is in the language of GCC and Clang, and a register of most CPUs with such words. */
#if TALLY_SLICE_BITS == 64 && defined(__GNUC__)
#define PAIR 2
typedef word pair __attribute__((vector_size(16)));

INLINE pair take_pair(const word *from)
{
    return (pair){from[0], from[1]};
}

INLINE void put_pair(pair x, word *to)
{
    to[0] = x[0];
    to[1] = x[1];
}

/* The second plane of the first pair, and the first one of the second. */
INLINE pair between(pair a, pair b)
{
    return (pair){a[1], b[0]};
}

INLINE pair only_first(pair x)
{
    return x & (pair){UINT64_MAX, 0};
}

INLINE pair only_second(pair x)
{
    return x & (pair){0, UINT64_MAX};
}
#else
#define PAIR 1
typedef word pair;
#endif

/* Turns rows 2 and 3 by two columns, which is the same in both directions. */
INLINE pair turn_two_columns(pair x)
{
    pair t = WORD((x ^ WORD(x >> 2 * C)) & ROWS(2, 3, 2));
    return WORD(x ^ t ^ WORD(t << 2 * C));
}

/* A word in whose row r column c is what was column c + r. */
INLINE pair shift_rows(pair x)
{
    pair y = turn_two_columns(x); /* then rows 1 and 3 by one more */
    return WORD((y & ROWS(0, 2, 4)) | (WORD(y >> C) & ROWS(1, 3, 3)) |
                WORD((y & ROWS(1, 3, 1)) << 3 * C));
}

INLINE pair inverse_shift_rows(pair x)
{
    pair y = turn_two_columns(x);
    return WORD((y & ROWS(0, 2, 4)) | WORD((y & ROWS(1, 3, 3)) << C) |
                (WORD(y >> 3 * C) & ROWS(1, 3, 1)));
}

/* A word in whose row r is what was row r + 1, or r + 2. */
INLINE pair next_row(pair x)
{
    return WORD(x >> R | WORD(x << 3 * R));
}

INLINE pair opposite_row(pair x)
{
    return WORD(x >> 2 * R | WORD(x << 2 * R));
}

/* Column c alone, as column 0. */
INLINE pair take_column(pair x, size_t c)
{
    return WORD(WORD(x >> (int)c * C) & EVERY_ROW(1));
}

/* Two columns from c on, 0 or 2, as columns 0 and 1. */
INLINE pair take_columns(pair x, size_t c)
{
    return WORD(WORD(x >> (int)c * C) & EVERY_ROW(2));
}

/* Each column as the one `by` further, 1 or 2; the first ones are zero. */
INLINE pair put_columns(pair x, size_t by)
{
    return WORD(WORD(x << (int)by * C) &
                WORD(EVERY_ROW(4) ^ (by == 1 ? EVERY_ROW(1) : EVERY_ROW(2))));
}

/* All bits of row 0 and column 0 where `bit` is 1. */
INLINE word first_byte(unsigned bit)
{
    return WORD(ROW(0, 1) * bit);
}

/* Bytes of 8 planes from or to blocks. Bit i of byte m of plane p is bit p of byte `from` of the
 * blocks, so a plane's bytes are put side by side, and 8 x 8 bits transposed. */
INLINE size_t byte_at(size_t m, size_t i)
{
    const size_t at = 8 * m + i, r = at / R, c = at % R / C, b = at % C;
    return 16 * b + 4 * c + r;
}

INLINE void exchange(word *a, word *b, unsigned shift, word mask)
{
    word t = AND(WORD(*a >> shift) ^ *b, mask);
    *a = XOR(*a, t << shift);
    *b = XOR(*b, t);
}

INLINE void transpose(word q[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    UNROLL
    for (size_t i = 0; i < 8; i += 2) {
        exchange(&q[i], &q[i + 1], 1, WORD(0x55 * ones));
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        exchange(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, WORD(0x33 * ones));
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        exchange(&q[i], &q[i + 4], 4, WORD(0x0f * ones));
    }
}

INLINE void load_planes(const uint8_t *in, word q[8])
{
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        word x = 0;
        UNROLL
        for (size_t m = 0; m < sizeof(word); m++) {
            x = WORD(x | WORD((word)in[byte_at(m, i)] << 8 * m));
        }
        q[i] = x;
    }
    transpose(q);
}

INLINE void store_planes(word q[8], uint8_t *out)
{
    transpose(q);
    UNROLL
    for (size_t i = 0; i < 8; i++) {
        UNROLL
        for (size_t m = 0; m < sizeof(word); m++) {
            out[byte_at(m, i)] = (uint8_t)(q[i] >> 8 * m);
        }
    }
}
