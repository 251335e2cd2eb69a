/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text in Arrow's layout, protected in place. FAST replaces the bytes that are symbols
 * of an alphabet. All other bytes (separators, kept symbols) and all offsets stay. */
#ifndef TALLYSTICK_COLUMN_H
#define TALLYSTICK_COLUMN_H

#include "tallystick/fast.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The class of a byte in a value. */
typedef enum tally_byte_kind {
    TALLY_BYTE_FOREIGN = 0, /* not allowed: the row is invalid */
    TALLY_BYTE_SYMBOL,      /* stands for symbol[byte]; its token is written with letter[0] */
    TALLY_BYTE_UPPER,       /* the same, its token written with letter[1] */
    TALLY_BYTE_KEPT,        /* a separator: stays in its place */
    TALLY_BYTE_LEADING,     /* stays, and is allowed only as the first byte of a value */
    TALLY_BYTE_MARK         /* stays, and must occur exactly once */
} tally_byte_kind;

/* The last free digit of a value follows from the others by the Luhn formula (ISO/IEC 7812-1). */
typedef enum tally_luhn {
    TALLY_LUHN_NONE = 0,
    TALLY_LUHN_VALID,  /* a value and its token both have a valid check digit */
    TALLY_LUHN_INVALID /* a value has a valid one; that digit of its token is one more (mod 10) */
} tally_luhn;

/* How a value becomes a word: its symbols in order, without the kept ones. */
typedef struct tally_shape {
    uint8_t kind[256];      /* a tally_byte_kind for each byte */
    uint8_t symbol[256];    /* the symbol of a byte, below radix */
    uint8_t letter[2][256]; /* the byte of a symbol */
    uint32_t radix;         /* 4..256, the cipher's */
    uint32_t min_symbols;   /* of the encrypted word, at least 2 */
    uint32_t max_symbols; /* of the encrypted word, at most 2^16 (so are all symbols of a value) */
    uint32_t small_symbols;  /* rows with fewer symbols than this to encrypt are counted as small */
    uint64_t keep;           /* bit i: symbol i (of the first 64) stays in clear */
    uint32_t keep_last;      /* the last symbols stay in clear */
    uint8_t keep_after_mark; /* 1: every byte after the mark stays, of whatever kind */
    uint8_t tweak_kept;      /* 1: what stays in clear becomes part of the row's tweak */
    uint8_t luhn;            /* a tally_luhn; radix 10, and symbols are digits in order */
    uint8_t reserved;
} tally_shape;

/* Why a row is invalid for its shape. */
typedef enum tally_row {
    TALLY_ROW_OK = 0,
    TALLY_ROW_SHORT,   /* fewer than min_symbols to encrypt */
    TALLY_ROW_LONG,    /* more than max_symbols, or than 64 symbols in all with a check digit */
    TALLY_ROW_FOREIGN, /* a byte that is neither symbol nor separator, or is misplaced */
    TALLY_ROW_MARK,    /* the mark is missing or repeated */
    TALLY_ROW_CHECK,   /* the check digit is wrong for the shape */
    TALLY_ROW_TWEAK    /* its tweak is null, or of more than TALLY_COLUMN_MAX_TWEAK bytes */
} tally_row;

enum {
    TALLY_ROW_STATUSES = 7,
    TALLY_COLUMN_MAX_TWEAK = 1024 /* bytes of a row's whole tweak */
};

/* Counts of a column's rows. */
typedef struct tally_column_report {
    uint64_t rows[TALLY_ROW_STATUSES]; /* the rows of each tally_row; null rows count as OK */
    uint64_t small;                    /* rows OK of fewer than small_symbols symbols */
} tally_column_report;

/* An Arrow string or binary array. Row i is values[offset(i) .. offset(i+1)), in `values`.
 *
 * If another thread changes the memory behind the pointers during a call, the call stays within
 * values[offset(0) .. offset(rows)), with the two offsets read once at the beginning. It returns
 * TALLY_ERROR_ARGUMENT after writing some rows, or its results are useless. To compare offset(rows)
 * with the memory of `values`, copy the offsets, compare in the copy, and pass the copy. */
typedef struct tally_strings {
    const void *offsets;  /* rows + 1 of int32_t or int64_t, ascending from 0 or more */
    uint32_t offset_size; /* 4 or 8 bytes */
    uint32_t reserved;
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
    const uint8_t *values;
    uint64_t rows;
} tally_strings;

/* Encrypts or decrypts a column. The tweak of row i is `tweak`; then, if shape->tweak_kept, a
 * length in 4 bytes, big-endian, and as many bytes: the kept symbols of the row (one byte each) and
 * its bytes after the mark; then the bytes of row i of `row_tweaks`, if that is not NULL (it must
 * have as many rows).
 *
 * values_out[offset(0) .. offset(rows)) receives every byte of the column, changed or not; it may
 * equal column->values (in place). Invalid rows keep their bytes. The bytes of null rows,
 * which may be anything, become zeros. row_status receives a tally_row for each row.
 *
 * TALLY_ERROR_RADIX: shape and cipher differ, or the cipher is of the legacy profile.
 * TALLY_ERROR_ARGUMENT: a field of the shape or column is outside its range, offsets descend, or
 * `tweak` alone has more than TALLY_COLUMN_MAX_TWEAK bytes. */
tally_status tally_fast_encrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status,
                                       tally_column_report *report);
tally_status tally_fast_decrypt_column(tally_fast_cipher *cipher, const tally_shape *shape,
                                       const tally_strings *column, const uint8_t *tweak,
                                       size_t tweak_size, const tally_strings *row_tweaks,
                                       uint8_t *values_out, uint8_t *row_status,
                                       tally_column_report *report);

/* Encrypts or decrypts words of params->length symbols, side by side in memory, each under its own
 * tweak. The tweak of word i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row
 * a word. `out` may equal `words`; other overlaps are not allowed.
 *
 * TALLY_ERROR_RADIX: params are not of the pool's radix, or the pool is of the legacy profile.
 * TALLY_ERROR_LENGTH, TALLY_ERROR_PARAMS, TALLY_ERROR_SYMBOL: as for tally_fast_encrypt_words.
 * TALLY_ERROR_ARGUMENT: offsets of the tweaks descend, or a tweak is null or, in whole, of more
 * than TALLY_COLUMN_MAX_TWEAK bytes, or the words do not fit in the address space. */
tally_status tally_fast_encrypt_words_rows(tally_fast_cipher *cipher,
                                           const tally_fast_params *params, const uint8_t *tweak,
                                           size_t tweak_size, const tally_strings *row_tweaks,
                                           const uint8_t *words, uint8_t *out);
tally_status tally_fast_decrypt_words_rows(tally_fast_cipher *cipher,
                                           const tally_fast_params *params, const uint8_t *tweak,
                                           size_t tweak_size, const tally_strings *row_tweaks,
                                           const uint8_t *words, uint8_t *out);

/* Permutes a column of numbers as tally_fast_encrypt_range does, each under its own tweak. The
 * tweak of row i is `tweak`, then the bytes of row i of `row_tweaks`, which has one row a number.
 * Rows with a chosen[i] of 0 keep their number; `chosen` may be NULL if there are none. `out` may
 * equal `numbers`.
 *
 * TALLY_ERROR_RADIX: as for tally_fast_encrypt_range. TALLY_ERROR_SYMBOL: the number of a chosen
 * row is not below size. TALLY_ERROR_ARGUMENT: size is 1, offsets of the tweaks descend, or the
 * tweak of a chosen row is null or, in whole, of more than TALLY_COLUMN_MAX_TWEAK bytes. */
tally_status tally_fast_encrypt_range_rows(tally_fast_cipher *cipher, uint64_t size,
                                           const uint8_t *tweak, size_t tweak_size,
                                           const tally_strings *row_tweaks, const uint8_t *chosen,
                                           const uint64_t *numbers, uint64_t *out);
tally_status tally_fast_decrypt_range_rows(tally_fast_cipher *cipher, uint64_t size,
                                           const uint8_t *tweak, size_t tweak_size,
                                           const tally_strings *row_tweaks, const uint8_t *chosen,
                                           const uint64_t *numbers, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
