/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of text in Arrow's layout, protected in place. FAST replaces the bytes that are symbols
 * of an alphabet. All other bytes (separators, kept symbols) and all offsets stay. */
#ifndef TALLY_COLUMNS_COLUMNS_H
#define TALLY_COLUMNS_COLUMNS_H

#include "arrow/strings.h"
#include "base/direction.h"
#include "fast/words/workspace.h"

/* The class of a byte in a value. */
typedef enum tally_byte_kind {
    TALLY_BYTE_FOREIGN = 0, /* not allowed: the row is invalid */
    TALLY_BYTE_SYMBOL,      /* stands for symbol[byte]; its token is written with letter[0] */
    TALLY_BYTE_UPPER,       /* the same, its token written with letter[1] */
    TALLY_BYTE_KEPT,        /* a separator: stays in its place */
    TALLY_BYTE_LEADING,     /* stays, and is allowed only as the first byte of a value */
    TALLY_BYTE_DELIMITER    /* stays, and must occur exactly once */
} tally_byte_kind;

/* The last free digit of a value follows from the others by the Luhn formula (ISO/IEC 7812-1). */
typedef enum tally_luhn {
    TALLY_LUHN_NONE = 0,
    TALLY_LUHN_VALID,  /* a value and its token both have a valid check digit */
    TALLY_LUHN_INVALID /* a value has a valid one; that digit of its token is one more (mod 10) */
} tally_luhn;

/* How a value becomes a word: its symbols in order, without the kept ones. */
typedef struct tally_shape {
    uint32_t radix;         /* 4..256, the cipher's */
    uint8_t kind[256];      /* a tally_byte_kind for each byte */
    uint8_t symbol[256];    /* the symbol of a byte, below radix */
    uint8_t letter[2][256]; /* the byte of a symbol */
    uint32_t min_symbols;   /* of the encrypted word, at least 2 */
    uint32_t max_symbols; /* of the encrypted word, at most 2^16 (so are all symbols of a value) */
    uint32_t small_symbols; /* rows with fewer symbols than this to encrypt are counted as small */
    uint32_t keep_last;     /* the last symbols stay in clear */
    uint64_t keep;          /* bit i: symbol i (of the first 64) stays in clear */
    uint8_t keep_after_delimiter; /* 1: every byte after the delimiter stays, of whatever kind */
    uint8_t tweak_kept;           /* 1: kept symbols become part of the row's tweak */
    uint8_t luhn;                 /* a tally_luhn; radix 10, and symbols are digits in order */
} tally_shape;

/* Why a row is invalid for its shape; the numbers are those of tally_reason. */
typedef enum tally_row {
    TALLY_ROW_OK = 0,
    TALLY_ROW_SHORT,     /* fewer than min_symbols to encrypt */
    TALLY_ROW_LONG,      /* more than max_symbols, or than 64 symbols in all with a check digit */
    TALLY_ROW_FOREIGN,   /* a byte that is neither symbol nor separator, or is misplaced */
    TALLY_ROW_DELIMITER, /* the delimiter is missing or repeated */
    TALLY_ROW_CHECK,     /* the check digit is wrong for the shape */
    TALLY_ROW_TWEAK      /* its tweak is null, or of more than TALLY_FAST_MAX_ROW_TWEAK bytes */
} tally_row;

enum { TALLY_ROW_STATUSES = 7 };

/* Counts of a column's rows. */
typedef struct tally_column_report {
    uint64_t rows[TALLY_ROW_STATUSES]; /* the rows of each tally_row; null rows count as OK */
    uint64_t small;                    /* rows OK of fewer than small_symbols symbols */
} tally_column_report;

/* Encrypts or decrypts a column. The tweak of row i is the concatenation of:
 *
 *  - `tweak`;
 *  - if shape->tweak_kept: the row's kept symbols (one byte each) and its bytes after the
 *    delimiter, with their number before them (4 bytes, big-endian);
 *  - if `row_tweaks` is not NULL: its row i. It must have as many rows as the column.
 *
 * `values_out` receives every byte of the column, changed or not, from the one at offset(0) on; in
 * place, it equals column->values + offset(0). Invalid rows keep their bytes. The bytes of null rows,
 * which may be anything, become zeros. row_status receives a tally_row for each row.
 *
 * TALLY_ERROR_RADIX: shape and cipher differ, or the cipher is of the legacy profile.
 * TALLY_ERROR_ARGUMENT: a field of the shape or column is outside its range,
 * offsets descend, or `tweak` alone has more than TALLY_FAST_MAX_ROW_TWEAK bytes. */
TALLY_MUST_CHECK tally_status tally_fast_column(tally_fast_cipher *cipher,
                                                tally_fast_workspace *workspace,
                                                tally_direction direction, const tally_shape *shape,
                                                const tally_strings *column, const uint8_t *tweak,
                                                size_t tweak_size, const tally_strings *row_tweaks,
                                                uint8_t *values_out, uint8_t *row_status,
                                                tally_column_report *report);

#endif
