//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/columns as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
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
/* ---- core/columns/columns.c ---- */
/*
 * Columns of text, batch by batch: one pass over the values. */

/* ---- core/columns/columns.h ---- */
/*
 * Columns of text in Arrow's layout, protected in place. FAST replaces the bytes that are symbols
 * of an alphabet. All other bytes (separators, kept symbols) and all offsets stay. */
#ifndef TALLY_COLUMNS_COLUMNS_H
#define TALLY_COLUMNS_COLUMNS_H

/* ---- core/arrow/strings.h ---- */
/*
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

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

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Rows first .. first + count - 1. */
static inline tally_strings tally_strings_slice(const tally_strings *strings, uint64_t first,
                                                uint64_t count)
{
    tally_strings slice = *strings;
    slice.offsets = (const uint8_t *)strings->offsets + first * strings->offset_size;
    slice.validity_start += first;
    slice.rows = count;
    return slice;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
    /* The size of every row, if tally_strings_init finds that they have one; else 0. Offsets are
     * then not read again by tally_strings_read. */
    uint64_t each;
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* The same for rows of one size, without their offsets. */
static inline void tally_strings_skip(tally_strings_reader *reader, size_t count)
{
    reader->at += count * reader->each;
    reader->row += count;
}

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

/* ---- core/fast/words/workspace.h ---- */
/*
 * Memory that calls on columns of text, and on words or numbers with row tweaks, work in. It depends
 * on no key or radix, so one workspace serves any number of ciphers, for one call at a time. A call
 * lays its own struct over it: tally_row_tweaks_memory, or tally_column_memory in columns/job.h.
 * Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024    /* bytes of a row's whole tweak */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif

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
    uint8_t tweak_kept;           /* 1: what stays in clear becomes part of the row's tweak */
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

/* ---- core/columns/job.h ---- */
/*
 * A call on a column. Rows of the same layout go on lanes together, byte by byte (same_layout.c).
 * The symbols of every other row are gathered into a word, and words of equal length and tweak run
 * together (each_row.c). */
#ifndef TALLY_COLUMNS_JOB_H
#define TALLY_COLUMNS_JOB_H

/* ---- core/columns/short.h ---- */
/*
 * The symbols of values of at most 64 bytes, a whole value in one vector. */
#ifndef TALLY_COLUMNS_SHORT_H
#define TALLY_COLUMNS_SHORT_H

/* ---- core/columns/translate.h ---- */
/*
 * Values of one layout on lanes: as many bytes each, and at every position a byte of the same kind.
 * Byte p of value k is lane k of vector p. Byte permutes translate bytes to symbols and back, for
 * many values at once. No address depends on a byte.
 *
 * A back end is a file named after its instruction set; translate.c has the table of them. */
#ifndef TALLY_COLUMNS_TRANSLATE_H
#define TALLY_COLUMNS_TRANSLATE_H

/* ---- core/fast/lanes/lanes.h ---- */
/*
 * Lanes: the layers of many words at once. Words that share key, radix, length and tweak meet the
 * same S-box in the same layer. So word k lies in lane k of a vector, with one vector for each
 * position, and a layer is additions and byte permutes in registers. No address depends on a
 * symbol.
 *
 * A back end is a file named after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FAST_LANES_LANES_H
#define TALLY_FAST_LANES_LANES_H

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

/* ---- core/fast/lanes/transpose.h ---- */
/*
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

enum { TALLY_BELOW_RUN = 32 /* words of eight bytes: a fixed number is vectorized at -O2 */ };

/* Words in which a byte is at least `limit`, 1..256, have a top bit set. A byte's lower seven bits
 * plus `to_top` set it if they are at least limit, or limit less 128. */
static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

/* Returns 1 if every byte is below `limit`, 1..256, else 0. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
    /* The same for words that lie side by side, whose symbol 0 is the byte `zero`, so that symbols
     * are on the lanes. Which lane of a block has which of its words is the same in both functions;
     * in a block that is not full, word k is on lane k. Returns 0 if a symbol is not below `limit`,
     * 1..256. */
    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

/* Whether all symbols of words in lanes are below a limit: what words_to_lanes returns. */
static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* Up to this radix the one-word table of an S-box S holds S at every index from -(a-1) to 2a-2. The
 * portable lanes use these tables. */
enum { TALLY_FAST_MAX_EXPANDED = 43 };

enum {
    TALLY_FAST_MAX_LANES = 64,      /* words of a group, at most */
    TALLY_FAST_CACHE_LAYERS = 2048, /* layers of a sequence that is stored as a whole, at most */
    TALLY_FAST_GROUPS = 8           /* groups that run together, at most: each hides the latency
                                     * of the others */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_fast_lane_job {
    const uint8_t *tables; /* the back end's, for S-boxes (encryption) or inverses (decryption) */
    size_t stride;         /* bytes from one S-box's table to the next */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-boxes of `count` layers */
    int per_group;          /* 1: each of TALLY_FAST_GROUPS groups has its own sequence. It lies
                             * TALLY_FAST_CACHE_LAYERS bytes after the one of the group before */
    size_t count;           /* a multiple of length */
    size_t groups;          /* 1, 2, 4 or TALLY_FAST_GROUPS */
    uint8_t *state;         /* the symbol of word k of group g at position p is
                             * state[(p * groups + g) * width + k]; aligned to 64 bytes */
} tally_fast_lane_job;

typedef struct tally_fast_lanes {
    tally_backend backend;
    size_t width; /* words of a group: the lanes of a vector */
    /* Bytes of an S-box's table: a multiple of 64, at most 256. 0: the back end works on the
     * one-word tables, and its lay_out is NULL. */
    size_t (*stride)(uint32_t radix);
    /* The fewest words for which a group is not slower than the one-word code. */
    size_t (*min_words)(uint32_t radix);
    /* Makes the tables of all S-boxes for encryption, or of all inverses for decryption. The
     * one-word entries are `radix` bytes for each, `step` bytes apart. 64 bytes follow the tables
     * for decryption: they reduce a difference (body.h). */
    void (*lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes, size_t step,
                    uint8_t *tables);
    void (*run)(tally_direction direction, const tally_fast_lane_job *job);
    const tally_transpose *transpose;
} tally_fast_lanes;

/* The fastest back end for the CPU features in use. */
const tally_fast_lanes *tally_fast_lanes_choose(void);

/* The most bytes that the tables of a pool take with any back end; a multiple of 64. */
size_t tally_fast_lanes_size(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_portable;

#endif

/* A shape as tables of 128 entries, for ASCII. */
typedef struct tally_translate_tables {
    _Alignas(64) uint8_t code[128]; /* the symbol of a byte; else 128 and its kind */
    uint8_t upper[128];             /* 128 for a byte of kind UPPER */
    uint8_t letter[2][128];
    int delimiters, has_upper;
    int is_run;   /* 1: the symbols are letter[0][0] and the bytes that follow it, in order */
    uint8_t last; /* symbol */
} tally_translate_tables;

/* Makes the tables; 0 if the shape has more than ASCII or radix 128. */
int tally_translate_tables_init(const tally_shape *shape, tally_translate_tables *out);

enum { TALLY_TRANSLATE_WIDTH = 64 /* bytes of a value, at most */ };

/* The role of a position. */
typedef enum tally_translate_role {
    TALLY_TRANSLATE_OTHER, /* no symbol: every value has `code` there */
    TALLY_TRANSLATE_KEPT,  /* a symbol that stays */
    TALLY_TRANSLATE_FREE,  /* a symbol of the word */
    TALLY_TRANSLATE_CHECK  /* the check digit */
} tally_translate_role;

typedef struct tally_translate_layout {
    size_t width; /* bytes of a value */
    uint8_t role[TALLY_TRANSLATE_WIDTH];
    uint8_t upper[TALLY_TRANSLATE_WIDTH];   /* 128: a symbol of kind UPPER; else 0 */
    uint8_t code[TALLY_TRANSLATE_WIDTH];    /* of a position that is no symbol */
    uint8_t doubled[TALLY_TRANSLATE_WIDTH]; /* 1: a digit that the Luhn formula doubles */
    int luhn;                               /* 1: there is a check digit */
    /* The check digit for each sum of the other digits modulo 10: the one that a value must have,
     * and the one that is written. */
    _Alignas(64) uint8_t read_digit[128], write_digit[128];
} tally_translate_layout;

/* A batch of values. */
typedef struct tally_translate_job {
    const tally_translate_tables *tables;
    const tally_translate_layout *layout;
    size_t lanes;     /* values; a multiple of the vector's bytes */
    uint8_t *text;    /* text[p * lanes + k] is byte p of value k; aligned to 64, as the others */
    uint8_t *symbols; /* symbols[i * lanes + k] is symbol i of word k */
    uint8_t *bad;     /* the top bit of bad[k] is set if value k differs from the layout, or has a
                       * foreign byte or a wrong check digit */
    int any_bad;      /* for write; 0: no value is bad, whatever `bad` has for lanes without one */
} tally_translate_job;

typedef struct tally_translate {
    tally_backend backend;
    /* Writes symbols and bad. The symbols of a bad value are anything. */
    void (*read)(const tally_translate_job *job);
    /* Writes the symbols into the text of the values that are not bad. */
    void (*write)(const tally_translate_job *job);
} tally_translate;

extern const tally_translate tally_translate_avx512, tally_translate_avx2, tally_translate_neon;

/* The fastest translation that needs no CPU feature beyond those of the lanes; NULL if there is
 * none. So it depends on the pool alone, not on the CPU features in use. */
const tally_translate *tally_translate_choose(const tally_fast_lanes *lanes);

#endif

enum { TALLY_SHORT = 64 /* bytes of a value, at most; a word's memory must have as many */ };

/* Where in a value the symbols are: a bit a byte. */
typedef struct tally_short_value {
    uint64_t symbols, free, upper;
    uint32_t count;  /* of symbols */
    uint32_t after;  /* where the bytes after the delimiter begin */
    uint32_t length; /* of free symbols (not beside count: loading both at once would stall) */
} tally_short_value;

/* Whether this CPU has these functions. */
int tally_short_available(void);

/* Gathers the free symbols of a value into `word`, and says where all are. The only errors are
 * TALLY_ROW_FOREIGN and TALLY_ROW_DELIMITER. */
tally_row tally_short_gather(const tally_shape *shape, const tally_translate_tables *tables,
                             const uint8_t *value, size_t size, uint8_t *word,
                             tally_short_value *out);

/* Writes the symbols of the bytes that `mask` names, in order, to `out`, of at least 64 bytes. */
void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value, size_t size,
                          uint64_t mask, uint8_t *out);

/* Writes the word to where its symbols came from. */
void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                         const tally_short_value *where, uint8_t *value);

#endif

/* ---- core/fast/words/buckets.h ---- */
/*
 * Buckets: the rows of a batch by length and tweak, found by a hash table. */
#ifndef TALLY_FAST_WORDS_BUCKETS_H
#define TALLY_FAST_WORDS_BUCKETS_H

enum { TALLY_FAST_ROWS = 4096 /* rows of a batch */ };

/* Rows of equal length and tweak. */
typedef struct tally_fast_bucket {
    const uint8_t *tail; /* the row's own part of the tweak, where the first row has it */
    uint32_t tail_size;
    uint32_t length; /* of the words */
    size_t rows;     /* their number */
} tally_fast_bucket;

typedef struct tally_fast_buckets {
    size_t count;
    tally_fast_bucket bucket[TALLY_FAST_ROWS];
    uint16_t places[2 * TALLY_FAST_ROWS]; /* by hash: the number of a bucket plus one, or 0 */
} tally_fast_buckets;

/* Removes all buckets. */
void tally_fast_buckets_clear(tally_fast_buckets *buckets);

/* Adds a row; returns the number of its bucket. The tail must stay where it is. At most
 * TALLY_FAST_ROWS rows. */
uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length);

/* Sorts the buckets by length (modulo 256, so that few lengths mix): sorted[0 .. count). If rows
 * are sorted like their buckets, those of bucket b begin at next[b]. */
void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next);

#endif

/* ---- core/fast/words/cipher.h ---- */
/*
 * A cipher: a pool, a cache of sequences, and the lanes that words lie on. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

/* ---- core/aes/cmac.h ---- */
/*
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The chains of the previous pair of messages after each block. A pair with the same first blocks
 * continues from there. For one key; set `blocks` to 0 at first, and wipe it at the end. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                                       /* cached: all but the last one */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE];            /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. `cache` may be NULL. With a
 * cache, the messages have at most TALLY_CMAC_PREFIX_CACHE bytes and differ in their first block
 * alone, and all pairs of the cache have the same difference. The time depends on the number of
 * cached blocks, which are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as in tally_cmac_many, of 16 + size bytes: heads[i],
 * then messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

/* Continues the chains of `count` messages by `blocks` blocks of each; a chain is zero at first. */
void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16]);

/* Ends them: the last `size` bytes of each message, at least one. The chains become tags. */
void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16]);

#endif

/* ---- core/fast/schedule/pool.h ---- */
/*
 * A pool: 256 S-boxes and their inverses, in tables for the one-word code and in tables for lanes.
 *
 * A layer looks S up at sums and differences of symbols. Up to radix TALLY_FAST_MAX_EXPANDED the
 * table of an S-box holds S at each of them. Then dependent look-ups need no reduction modulo a
 * between them, and the pool still fits the first-level cache. */
#ifndef TALLY_FAST_SCHEDULE_POOL_H
#define TALLY_FAST_SCHEDULE_POOL_H

struct tally_fast_pool {
    tally_cmac_key cmac; /* of the master key */
    tally_fast_profile profile;
    uint32_t radix;
    uint32_t stride;               /* bytes from one S-box's one-word table to the next */
    const uint8_t *tables[2];      /* by direction: entry 0 of S-box 0, and of its inverse. If they
                                    * are expanded, a-1 entries come before that of an S-box, and
                                    * its inverse has 2a-1 entries */
    const tally_fast_lanes *lanes; /* the back end of lanes */
    size_t lane_stride;            /* the same for the back end's tables, */
    const uint8_t *lane_tables[2]; /* which may be the one-word tables */
};

#endif

enum {
    TALLY_FAST_CACHE_TWEAK = 256,   /* bytes; a sequence of a longer tweak is not cached */
    TALLY_FAST_CACHE_LENGTH = 64,   /* recommended parameters of shorter words are cached */
    TALLY_FAST_LANE_STATE = 1 << 17 /* bytes; longer words run one by one */
};

/* A search of the cache reads the tags alone, which lie side by side. */
typedef struct tally_fast_cache_tag {
    uint64_t used; /* the cipher's clock at the last use; 0: the entry is free */
    uint64_t hash; /* of params and tweak */
} tally_fast_cache_tag;

/* A cached sequence. */
typedef struct tally_fast_cache_entry {
    tally_fast_params params;
    uint32_t tweak_size;
    uint8_t tweak[TALLY_FAST_CACHE_TWEAK];
    uint8_t indices[TALLY_FAST_CACHE_LAYERS];
} tally_fast_cache_entry;

struct tally_fast_cipher {
    const tally_fast_pool *pool;
    uint64_t clock;
    size_t capacity; /* entries of the cache */
    tally_fast_cache_tag *tags;
    tally_fast_cache_entry *entries;
    tally_fast_params recommended[TALLY_FAST_CACHE_LENGTH]; /* by length; a length of 0: not yet */
    tally_cmac_prefix_cache prefix_cache;                   /* of sequences that are not cached */
    uint8_t window[15 + TALLY_FAST_CACHE_LAYERS]; /* of a sequence too long for the cache */
    uint8_t sequences[TALLY_FAST_GROUPS][TALLY_FAST_CACHE_LAYERS]; /* one for each group */
    _Alignas(64) uint8_t lane_state[TALLY_FAST_LANE_STATE];
};

/* The recommended parameters of words of a valid length; in *spare if they are not cached. */
const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare);

/* The sequence of params with at most TALLY_FAST_CACHE_LAYERS layers and a tweak of at most
 * TALLY_FAST_CACHE_TWEAK bytes. If it is not cached, it replaces the least recently used entry. The
 * result is valid until the next call. */
const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size);

/* Writes the sequence of params with at most TALLY_FAST_CACHE_LAYERS layers. With use_cache it
 * comes from the cache. Without, or if the tweak is too long for the cache, it is derived by means
 * of cipher->prefix_cache, which the caller wipes at the end. */
void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out);

#endif

enum {
    TALLY_COLUMN_TEXT = TALLY_TRANSLATE_WIDTH * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES,
    TALLY_COLUMN_TAILS = 1 << 17 /* bytes */
};

/* A row of each_row.c. */
typedef struct tally_column_row {
    uint8_t *value;
    uint64_t size;
    uint64_t after;      /* the first byte after a delimiter */
    uint8_t *word;       /* the symbols to encrypt */
    const uint8_t *tail; /* the row's own part of its tweak */
    uint32_t tail_size;
    uint32_t count;    /* all symbols of the value */
    uint32_t length;   /* of the word */
    uint32_t check;    /* which symbol is the check digit, if there is one */
    uint16_t bucket;   /* of the rows with the same length and tail */
    uint16_t is_short; /* 1: of at most 64 bytes, and `where` has the places of its symbols */
    tally_short_value where;
} tally_column_row;

/* A column's part of a workspace. */
typedef struct tally_column_memory {
    _Alignas(64) uint8_t text[TALLY_COLUMN_TEXT]; /* bytes of values on lanes */
    _Alignas(64) uint8_t bad[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint64_t starts[TALLY_FAST_ROWS + 1];        /* of the batch's values */
    uint16_t pending[2 * TALLY_FAST_ROWS];       /* rows of the batch: as they come, then by size */
    tally_fast_buckets buckets;                  /* of each_row.c, as what follows */
    uint8_t *words[TALLY_FAST_ROWS];             /* bucket by bucket */
    uint8_t symbols[TALLY_FAST_MAX_LENGTH + 64]; /* of the words */
    uint8_t tails[TALLY_COLUMN_TAILS];
    tally_column_row rows[TALLY_FAST_ROWS];
} tally_column_memory;

/* The state of a call. */
typedef struct tally_column_job {
    tally_fast_cipher *cipher;
    tally_column_memory *memory;
    const tally_shape *shape;
    tally_direction direction;
    int delimiters; /* of a value: 0 or 1 */
    tally_column_report *report;
    const tally_strings_reader *row_tweaks; /* or NULL */
    size_t common_tweak;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK]; /* the common part, then a row's tail */
    int has_tables;
    tally_translate_tables tables; /* of the shape, if it has such */

    /* same_layout.c */
    const tally_translate *translate; /* NULL: every row is left to each_row.c */
    size_t skipped;   /* batches left to each_row.c, since others had few such rows */
    size_t most_text; /* bytes of memory->text in use, at most */
    tally_translate_layout layout;
    size_t length; /* of words of this layout; 0: there is none */
    size_t unlike; /* batches whose rows are listed at once, since others were not of one layout */

    /* each_row.c */
    int has_short;                   /* whether short.h works on this CPU */
    size_t rows, symbols, tails;     /* in use of the memory's */
    size_t most_symbols, most_tails; /* the same, at most */
} tally_column_job;

/* Rows of a column side by side. */
typedef struct tally_column_batch {
    uint64_t first;        /* row i of the batch is row first + i of the column */
    size_t count;          /* at most TALLY_FAST_ROWS */
    uint64_t moved;        /* what is taken off the column's offsets: */
    uint64_t begin;        /* of value 0 */
    uint64_t *start;       /* value i is at start[i] .. start[i + 1], both in source and values */
    uint64_t end;          /* of the column's last value */
    const uint8_t *source; /* the column's values; read until they are copied */
    uint8_t *values;       /* changed here; may equal `source` */
    int copied;            /* whether all values have been copied */
    uint64_t common;       /* the size of all rows if they have one, and none is null; else 0 */
    uint8_t *status;       /* of the rows; TALLY_ROW_OK until a row is found invalid */
    size_t done;           /* rows at the beginning that need no list: all that follows is for
                            * the other ones */
    size_t pending;        /* the number of rows to do, */
    uint16_t *rows;        /* and the rows */
} tally_column_batch;

static inline uint64_t tally_column_size(const tally_column_batch *batch, size_t row)
{
    return batch->start[row + 1] - batch->start[row];
}

/* Copies the values of `count` rows from `first` on. */
void tally_column_copy(const tally_column_batch *batch, size_t first, size_t count);

/* Runs the rows of a batch that have the same layout; the others stay pending. Of a batch whose rows
 * have one size and are not listed yet, _run_packed runs rows from the first on, as long as they
 * have one layout; returns how many. */
void tally_same_layout_init(tally_column_job *job);
size_t tally_same_layout_run_packed(tally_column_job *job, const tally_column_batch *batch);
void tally_same_layout_run(tally_column_job *job, tally_column_batch *batch);
void tally_same_layout_wipe(tally_column_job *job);

/* Runs all pending rows. */
void tally_each_row_init(tally_column_job *job);
void tally_each_row_run(tally_column_job *job, tally_column_batch *batch);
void tally_each_row_wipe(tally_column_job *job);

#endif

/* ---- core/columns/symbols.h ---- */
/*
 * The symbols of one value, by its shape. What kind each byte is of is no secret: it is the format
 * that is preserved. */
#ifndef TALLY_COLUMNS_SYMBOLS_H
#define TALLY_COLUMNS_SYMBOLS_H

/* Whether every field of a shape is in its range. */
int tally_shape_fits(const tally_shape *shape);

/* The delimiters that a value of this shape must have: 0 or 1. */
int tally_shape_delimiters(const tally_shape *shape);

/* Gathers all symbols of a value, *count of them, at most 2^16; *after_delimiter is where the bytes
 * after the delimiter begin (`size` if there is none, or they are symbols like others). */
tally_row tally_symbols_gather(const tally_shape *shape, int delimiters, const uint8_t *value,
                               uint64_t size, uint8_t *symbols, size_t *count,
                               uint64_t *after_delimiter);

/* Whether symbol i of `count` is to be encrypted. */
static inline int tally_symbol_is_free(const tally_shape *shape, size_t i, size_t count)
{
    return (i >= 64 || (shape->keep >> i & 1) == 0) && shape->keep_last < count - i;
}

enum { TALLY_COLUMN_MAX_DIGITS = 64 /* symbols of a value with a check digit, at most */ };

/* Takes the check digit, if the shape has one, off the free symbols of a value, which leaves its
 * word. Returns whether the word is too short or too long. */
tally_row tally_symbols_word_length(const tally_shape *shape, size_t *length);

/* Which of `count` symbols is the check digit: the last free one. */
size_t tally_symbols_check_place(const tally_shape *shape, size_t count);

/* The check digit at `place` of a value whose other symbols are those of the word, where they are
 * free, and of `all` elsewhere. With of_token and TALLY_LUHN_INVALID it is one more, modulo 10. At
 * most TALLY_COLUMN_MAX_DIGITS symbols. */
uint8_t tally_symbols_check_digit(const tally_shape *shape, const uint8_t *word, const uint8_t *all,
                                  size_t count, size_t place, int of_token);

/* Writes a word's symbols, in order, to where the free ones of `count` symbols of the value are. */
void tally_symbols_scatter(const tally_shape *shape, const uint8_t *word, size_t count,
                           uint64_t after_delimiter, uint8_t *value);

#endif

_Static_assert(sizeof(tally_column_memory) <= TALLY_FAST_WORKSPACE, "a workspace holds it");

void tally_column_copy(const tally_column_batch *batch, size_t first, size_t count)
{
    uint64_t start = batch->start[first], end = batch->start[first + count];
    if (end > start && batch->values != batch->source) {
        memcpy(batch->values + start, batch->source + start, (size_t)(end - start));
    }
}

/* Lists the rows of a batch from number batch->done on. */
static void columns_list_rows(tally_column_batch *batch)
{
    for (size_t i = batch->done; i < batch->count; i++) {
        batch->rows[i - batch->done] = (uint16_t)i;
    }
    batch->pending = batch->count - batch->done;
}

/* Reads where the rows of a batch are. Returns 0 if another thread has changed the offsets since
 * they were checked. */
static int columns_read_rows(tally_strings_reader *reader, tally_column_batch *batch)
{
    if (!tally_strings_read(reader, batch->count, batch->start, &batch->common)) {
        return 0;
    }
    for (size_t i = 0; batch->moved != 0 && i <= batch->count; i++) {
        batch->start[i] -= batch->moved;
    }
    return 1;
}

/* Lists the rows of a batch that are not null, and zeroes null ones. Returns whether there are null
 * rows. */
static int columns_drop_null_rows(const tally_strings *column, tally_column_batch *batch)
{
    batch->pending = 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->rows[batch->pending] = (uint16_t)i;
        batch->pending += !tally_row_is_null(column, batch->first + i);
    }
    if (batch->pending == batch->count) {
        return 0;
    }
    batch->common = 0;
    tally_column_copy(batch, 0, batch->count);
    batch->copied = 1;
    for (size_t i = 0, next = 0; i < batch->count; i++) { /* null rows are not in the list */
        if (next < batch->pending && batch->rows[next] == i) {
            next++;
        } else if (tally_column_size(batch, i) != 0) {
            memset(batch->values + batch->start[i], 0, (size_t)tally_column_size(batch, i));
        }
    }
    return 1;
}

static void columns_count_statuses(const tally_column_batch *batch, tally_column_report *report)
{
    const uint8_t *status = batch->status;
    size_t left = batch->count;
    for (; left >= 8; left -= 8, status += 8) {
        uint64_t eight;
        memcpy(&eight, status, 8);
        if (eight != 0) {
            break;
        }
        report->rows[TALLY_ROW_OK] += 8;
    }
    for (; left > 0; left--) {
        report->rows[*status++]++;
    }
}

/* Runs a batch. Returns 0 if another thread has changed the offsets since they were checked. */
static int columns_run_batch(tally_column_job *job, tally_strings_reader *reader,
                             tally_column_batch *batch)
{
    tally_strings_reader before = *reader;
    const int listed = reader->each == 0 || reader->strings->validity != NULL;
    batch->begin = reader->at - batch->moved;
    batch->common = reader->each;
    batch->copied = 0;
    batch->done = 0;
    memset(batch->status, TALLY_ROW_OK, batch->count);
    if (!listed) {
        tally_strings_skip(reader, batch->count);
    } else if (!columns_read_rows(reader, batch)) {
        return 0;
    }
    if (reader->strings->validity == NULL || !columns_drop_null_rows(reader->strings, batch)) {
        batch->done = tally_same_layout_run_packed(job, batch);
        if (batch->done == batch->count) {
            job->report->rows[TALLY_ROW_OK] += batch->count;
            return 1;
        }
        columns_list_rows(batch);
    }
    if (!listed && !columns_read_rows(&before, batch)) {
        return 0;
    }
    tally_same_layout_run(job, batch);
    tally_each_row_run(job, batch);
    columns_count_statuses(batch, job->report);
    return 1;
}

tally_status tally_fast_column(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                               tally_direction direction, const tally_shape *shape,
                               const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
                               const tally_strings *row_tweaks, uint8_t *values_out,
                               uint8_t *row_status, tally_column_report *report)
{
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    tally_strings_reader reader, tweaks = {0};
    if (!tally_shape_fits(shape) || !tally_strings_init(column, &reader) ||
        tweak_size > TALLY_FAST_MAX_ROW_TWEAK ||
        (row_tweaks != NULL &&
         (row_tweaks->rows != column->rows || !tally_strings_init(row_tweaks, &tweaks)))) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(report, 0, sizeof *report);
    if (column->rows == 0) {
        return TALLY_OK;
    }
    tally_column_memory *memory = (tally_column_memory *)(void *)workspace->memory;
    tally_column_job job = {.cipher = cipher,
                            .memory = memory,
                            .shape = shape,
                            .direction = direction,
                            .delimiters = tally_shape_delimiters(shape),
                            .report = report,
                            .row_tweaks = row_tweaks != NULL ? &tweaks : NULL,
                            .common_tweak = tweak_size};
    if (tweak_size != 0) {
        memcpy(job.tweak, tweak, tweak_size);
    }
    job.has_tables = tally_translate_tables_init(shape, &job.tables);
    tally_same_layout_init(&job);
    tally_each_row_init(&job);
    tally_column_batch batch = {.end = reader.end,
                                .start = memory->starts,
                                .source = column->values,
                                .values = values_out,
                                .rows = memory->pending};
    if (reader.at != 0) {
        batch.moved = reader.at;
        batch.end -= reader.at;
        batch.source += reader.at;
    }
    tally_status status = TALLY_OK;
    for (; batch.first < column->rows; batch.first += batch.count) {
        uint64_t rows = column->rows - batch.first;
        batch.count = rows < TALLY_FAST_ROWS ? (size_t)rows : TALLY_FAST_ROWS;
        batch.status = row_status + batch.first;
        if (!columns_run_batch(&job, &reader, &batch)) {
            status = TALLY_ERROR_ARGUMENT;
            break;
        }
    }
    tally_same_layout_wipe(&job);
    tally_each_row_wipe(&job);
    return status;
}

/* ---- core/columns/each_row.c ---- */
/*
 * Rows one by one: the symbols of each are gathered into a word, words of equal length and tweak
 * are encrypted together, and each is written back to where it came from. */

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

/* ---- core/fast/words/many_tweaks.h ---- */
/*
 * Words of one length under many tweaks, bucket by bucket. Buckets of many words have groups of
 * lanes of their own, so that different sequences run side by side; buckets of few words have lanes
 * of their own, if there is a back end with an S-box for each lane. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

/* ---- core/fast/lanes/own_sboxes.h ---- */
/*
 * Layers on lanes with an S-box for each lane, for words that have their own sequences. A layer
 * looks up the whole S-box of every lane by its number, and then an entry of each, all in
 * registers: no address depends on a symbol or on the number of an S-box. Lanes of lanes.h share an
 * S-box, which takes a sixth of the time for as many lanes. */
#ifndef TALLY_FAST_LANES_OWN_SBOXES_H
#define TALLY_FAST_LANES_OWN_SBOXES_H

enum {
    TALLY_OWN_SBOXES_LANES = 64,
    TALLY_OWN_SBOXES_RADIX = 16, /* at most: two entries share a byte */
    TALLY_OWN_SBOXES_TABLES = TALLY_OWN_SBOXES_RADIX / 2 * TALLY_FAST_POOL_SIZE /* bytes */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_own_sboxes_job {
    const uint8_t *tables; /* by tally_own_sboxes_lay_out; as all that follows, aligned to 64 */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-box of word k in layer i is indices[i * 64 + k] */
    size_t count;           /* layers */
    uint8_t *state;         /* the symbol of word k at position p is state[p * 64 + k] */
} tally_own_sboxes_job;

typedef struct tally_own_sboxes {
    tally_backend backend;
    void (*run)(tally_direction direction, const tally_own_sboxes_job *job);
} tally_own_sboxes;

/* The back end for the CPU features in use and a radix; NULL: there is none. */
const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix);

/* Writes the tables of a pool's S-boxes, whose one-word tables have `radix` entries each, `stride`
 * bytes apart: entries 2i and 2i + 1 of S-box k are the halves of out[i * TALLY_FAST_POOL_SIZE +
 * k], the lower one first. */
void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out);

extern const tally_own_sboxes tally_own_sboxes_avx512;

#endif

/* ---- core/fast/schedule/many_sequences.h ---- */
/*
 * Sequences of many tweaks side by side, under one set of parameters. */
#ifndef TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H
#define TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H

/* ---- core/fast/schedule/encoding.h ---- */
/*
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_ENCODING_H
#define TALLY_FAST_SCHEDULE_ENCODING_H

/* An injective encoding: the number of parts, then the length and the bytes of each part. Before it
 * are four zero bytes for the counter of tally_fast_derive, so that one buffer has the whole
 * message. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

/* Encodes the input for the pool of a radix. */
void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out);

/* Encodes the input for a sequence, without the bytes of the tweak, which follow. */
void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out);

#endif

enum { TALLY_MANY_SEQUENCES = 64 };

/* A back end expands AES-128 keys and encrypts counters under all of them together. */
typedef struct tally_many_sequences_backend {
    tally_backend backend;
    /* Reads the streams of keys and IVs as tally_fast_stream_init takes them: the index of layer i
     * of sequence k becomes out[i * 64 + k], for whole fours of layers. `out` is aligned to 64. */
    void (*read)(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers, uint8_t *out);
} tally_many_sequences_backend;

extern const tally_many_sequences_backend tally_many_sequences_avx512;

/* The back end for the CPU features in use; NULL: there is none, and sequences are derived one by
 * one. */
const tally_many_sequences_backend *tally_many_sequences_choose(void);

/* A row's own part of a tweak. */
typedef struct tally_tweak_tail {
    const uint8_t *bytes; /* NULL if there are none */
    size_t size;
} tally_tweak_tail;

/* What the tweaks of a call share. */
typedef struct tally_many_sequences {
    const tally_cmac_key *cmac;
    const tally_many_sequences_backend *backend;
    const tally_fast_params *params;
    const uint8_t *common; /* the first part of every tweak */
    size_t common_size;
    /* The chains after the first blocks of messages with a tail of this size: those of both halves
     * of a derived key. */
    size_t tail_size, blocks; /* no blocks: there are none yet */
    uint8_t chains[2][16];
} tally_many_sequences;

/* Prepares. The parameters and the common part must last; pools of the legacy profile and tweaks of
 * more than 2^31 bytes are not allowed. The caller wipes `out`. */
void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size,
                               tally_many_sequences *out);

/* Derives the sequences of 1..TALLY_MANY_SEQUENCES tweaks, to out[i * 64 + k] for layer i, for whole
 * fours of layers. The columns beyond `count` receive copies of the first. */
void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out);

#endif

enum { TALLY_MANY_TWEAKS_WAITING = 512 /* buckets that wait to be run, at most */ };

/* The words of a bucket: at most 2^16. */
typedef struct tally_fast_waiting {
    tally_tweak_tail tail;
    uint8_t *const *words;
    size_t count;
} tally_fast_waiting;

typedef struct tally_fast_many_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_fast_lanes *lanes;
    int use_cache;               /* whether sequences are cached: those of few tweaks are */
    const tally_own_sboxes *own; /* NULL: there is no such back end, or it would not gain */
    int has_own_tables;
    tally_many_sequences sequences; /* without a back end: one by one */
    size_t state_used;              /* of the cipher's lane_state */
    size_t taken, most;             /* groups that wait for run, and the most that ever did */
    struct {
        uint8_t *const *words;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
    uint8_t *tweak; /* the common part; behind it a bucket's tail is written */
    size_t common;
    size_t waiting;
    tally_fast_waiting bucket[TALLY_MANY_TWEAKS_WAITING];
    _Alignas(64) uint8_t own_tables[TALLY_OWN_SBOXES_TABLES];
} tally_fast_many_tweaks;

/* Begins a run of `buckets` buckets with `words` words in all. Each tweak is tweak[0 .. common) and
 * then the tail of its bucket, for which there is room behind it. */
void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out);

/* Encrypts or decrypts the `count` words of a bucket in place, now or in a later call. `tail` and
 * `words` must last until tally_fast_many_tweaks_final. */
void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count);

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job);

#endif

/* ---- core/fast/words/run.h ---- */
/*
 * Words through all their layers, in place: in rows anywhere, or on lanes in the cipher's
 * lane_state. */
#ifndef TALLY_FAST_WORDS_RUN_H
#define TALLY_FAST_WORDS_RUN_H

/* The back end for so many words: the pool's, or the portable one if they are too few. */
const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words);

/* The groups of lanes for `count` words of a length: as few as hold them, and no more than fit into
 * lane_state. */
size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count);

/* Memory to prefetch while layers run, which leave the memory bus idle. */
typedef struct tally_fast_prefetch {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_prefetch;

/* Encrypts or decrypts words[0 .. count) in place; params are of the pool, symbols below its
 * radix. */
void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count);

/* The same for words side by side, from `words` to `out`, which may be equal; not for words of two
 * bytes of the legacy profile. Returns how many words were done: all, or those before a batch in
 * which a symbol is not below the radix. Of that batch and those behind it nothing is written. */
size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out);

/* The same for words in the cipher's lane_state, at most as many as the groups have lanes. `next`
 * may be NULL. */
void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next);

/* The same on a back end of tally_fast_lanes_for, under cipher->sequences[g] for group g of
 * TALLY_FAST_GROUPS, or under the first one for a single group. */
void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups);

#endif

/* Appends to a row's tail; 0: the tweak would be too long. */
static int each_row_append_tail(tally_column_job *job, tally_column_row *row, const uint8_t *bytes,
                                uint64_t size)
{
    if (size > sizeof job->tweak - job->common_tweak - row->tail_size) {
        return 0;
    }
    if (size != 0) {
        memcpy(job->memory->tails + job->tails + row->tail_size, bytes, (size_t)size);
        row->tail_size += (uint32_t)size;
        /* To be wiped at the end, even if the row is invalid. */
        size_t end = job->tails + row->tail_size;
        job->most_tails = end > job->most_tails ? end : job->most_tails;
    }
    return 1;
}

/* Appends the row of row_tweaks. Returns 0 if it is null, or the tweak too long. */
static int each_row_append_row_tweak(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const tally_strings_reader *tweaks = job->row_tweaks;
    uint64_t start, size;
    if (tweaks == NULL) {
        return 1;
    }
    if (tally_row_is_null(tweaks->strings, number) ||
        !tally_strings_row(tweaks, number, &start, &size)) {
        return 0;
    }
    return each_row_append_tail(job, row, size != 0 ? tweaks->strings->values + start : NULL, size);
}

/* Makes a row's own part of its tweak: the size of what stays in clear, the kept symbols, the bytes
 * after the delimiter, then the bytes of row_tweaks. Returns 0 if the tweak is null or too long. */
static int each_row_make_tail(tally_column_job *job, tally_column_row *row, const uint8_t *kept,
                              size_t kept_size, uint64_t number)
{
    row->tail = job->memory->tails + job->tails;
    row->tail_size = 0;
    if (job->shape->tweak_kept) {
        uint64_t after = row->size - row->after;
        uint8_t size[4];
        tally_store_be32((uint32_t)(kept_size + after), size);
        if (!each_row_append_tail(job, row, size, sizeof size) ||
            !each_row_append_tail(job, row, kept, kept_size) ||
            !each_row_append_tail(job, row, after != 0 ? row->value + row->after : NULL, after)) {
            return 0;
        }
    }
    return each_row_append_row_tweak(job, row, number);
}

/* The same for a short value without bytes after a delimiter: the kept symbols are written where
 * they belong. */
static int each_row_make_short_tail(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const uint32_t kept = row->count - row->length;
    row->tail = job->memory->tails + job->tails;
    row->tail_size = 0;
    if (job->shape->tweak_kept) {
        if (job->common_tweak + 4 + kept > sizeof job->tweak) {
            return 0;
        }
        uint8_t *tail = job->memory->tails + job->tails; /* has room for a whole vector */
        tally_store_be32(kept, tail);
        if (kept != 0) {
            tally_short_compress(&job->tables, row->value, (size_t)row->size,
                                 row->where.symbols & ~row->where.free, tail + 4);
        }
        row->tail_size = 4 + kept;
        const size_t end = job->tails + row->tail_size;
        job->most_tails = end > job->most_tails ? end : job->most_tails;
    }
    return each_row_append_row_tweak(job, row, number);
}

/* All symbols of a row with a check digit. */
static void each_row_gather_digits(const tally_column_job *job, const tally_column_row *row,
                                   uint8_t *out)
{
    size_t count;
    uint64_t after;
    if (row->is_short) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size, row->where.symbols, out);
    } else {
        tally_symbols_gather(job->shape, job->delimiters, row->value, row->size, out, &count,
                             &after);
    }
}

/* Checks the check digit of a row. */
static tally_row each_row_check_value(const tally_column_job *job, tally_column_row *row)
{
    uint8_t all[TALLY_COLUMN_MAX_DIGITS];
    row->check = (uint32_t)tally_symbols_check_place(job->shape, row->count);
    each_row_gather_digits(job, row, all);
    int holds =
        all[row->check] == tally_symbols_check_digit(job->shape, row->word, all, row->count,
                                                     row->check, job->direction == TALLY_DECRYPT);
    tally_wipe(all, row->count);
    return holds ? TALLY_ROW_OK : TALLY_ROW_CHECK;
}

/* Gathers the word of a short value. */
static tally_row each_row_gather_short(tally_column_job *job, tally_column_row *row,
                                       uint64_t number)
{
    tally_row status = tally_short_gather(job->shape, &job->tables, row->value, (size_t)row->size,
                                          row->word, &row->where);
    if (status != TALLY_ROW_OK) {
        return status;
    }
    row->after = row->where.after;
    row->count = row->where.count;
    row->length = row->where.length;
    if (row->after == row->size) {
        return each_row_make_short_tail(job, row, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
    }
    const size_t kept_size = row->count - row->length;
    uint8_t kept[TALLY_SHORT];
    if (job->shape->tweak_kept && kept_size != 0) {
        tally_short_compress(&job->tables, row->value, (size_t)row->size,
                             row->where.symbols & ~row->where.free, kept);
    }
    return each_row_make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

/* Gathers the word of a value of any size. */
static tally_row each_row_gather_long(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    const tally_shape *shape = job->shape;
    size_t count;
    tally_row status = tally_symbols_gather(shape, job->delimiters, row->value, row->size,
                                            row->word, &count, &row->after);
    row->count = (uint32_t)count;
    if (status != TALLY_ROW_OK) {
        return status;
    }
    uint8_t kept[TALLY_FAST_MAX_ROW_TWEAK];
    size_t kept_size = 0;
    row->length = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (tally_symbol_is_free(shape, i, row->count)) {
            row->word[row->length++] = row->word[i];
        } else if (kept_size < sizeof kept) { /* more make the tweak too long in any case */
            kept[kept_size++] = row->word[i];
        }
    }
    return each_row_make_tail(job, row, kept, kept_size, number) ? TALLY_ROW_OK : TALLY_ROW_TWEAK;
}

/* Gathers the word of a row and checks it. */
static tally_row each_row_prepare(tally_column_job *job, tally_column_row *row, uint64_t number)
{
    row->count = 0;
    row->is_short = job->has_short && row->size <= TALLY_SHORT;
    tally_row status = row->is_short ? each_row_gather_short(job, row, number)
                                     : each_row_gather_long(job, row, number);
    size_t end = (size_t)(row->word - job->memory->symbols) + row->count;
    job->most_symbols = end > job->most_symbols ? end : job->most_symbols;
    if (status != TALLY_ROW_OK) {
        return status;
    }
    int luhn = job->shape->luhn != TALLY_LUHN_NONE;
    if (luhn && row->count > TALLY_COLUMN_MAX_DIGITS) {
        return TALLY_ROW_LONG;
    }
    size_t length = row->length;
    status = tally_symbols_word_length(job->shape, &length);
    row->length = (uint32_t)length;
    return status == TALLY_ROW_OK && luhn ? each_row_check_value(job, row) : status;
}

/* Writes a row's encrypted word, and the Luhn check digit behind it, back into the value. */
static void each_row_store(const tally_column_job *job, const tally_column_row *row)
{
    if (job->shape->luhn != TALLY_LUHN_NONE) {
        uint8_t all[TALLY_COLUMN_MAX_DIGITS];
        each_row_gather_digits(job, row, all);
        row->word[row->length] = tally_symbols_check_digit(
            job->shape, row->word, all, row->count, row->check, job->direction == TALLY_ENCRYPT);
        tally_wipe(all, row->count);
    }
    if (row->is_short) {
        tally_short_scatter(&job->tables, row->word, &row->where, row->value);
    } else {
        tally_symbols_scatter(job->shape, row->word, row->count, row->after, row->value);
    }
}

static void each_row_clear(tally_column_job *job)
{
    tally_fast_buckets_clear(&job->memory->buckets);
    job->rows = 0;
    job->symbols = 0;
    job->tails = 0;
}

/* Completes job->tweak for the rows of a bucket; returns its size. */
static size_t each_row_tweak(tally_column_job *job, const tally_fast_bucket *bucket)
{
    if (bucket->tail_size != 0) {
        memcpy(job->tweak + job->common_tweak, bucket->tail, bucket->tail_size);
    }
    return job->common_tweak + bucket->tail_size;
}

/* Encrypts the words of buckets of one length, which are side by side in `words`. */
static void each_row_run_length(tally_column_job *job, const uint16_t *sorted, size_t count,
                                uint8_t *const *words, size_t rows)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_bucket *first = &job->memory->buckets.bucket[sorted[0]];
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, first->length, &spare);
    if (count == 1) {
        tally_fast_run_words(cipher, params, job->direction, job->tweak, each_row_tweak(job, first),
                             words, first->rows);
        return;
    }
    tally_fast_many_tweaks run;
    tally_fast_many_tweaks_init(cipher, params, job->direction, job->tweak, job->common_tweak,
                                count, rows, &run);
    for (size_t i = 0; i < count; i++) {
        const tally_fast_bucket *bucket = &job->memory->buckets.bucket[sorted[i]];
        tally_fast_many_tweaks_add(&run, bucket->tail, bucket->tail_size, words, bucket->rows);
        words += bucket->rows;
    }
    tally_fast_many_tweaks_final(&run);
}

/* Encrypts all rows that were added, those of equal length and tweak together. */
static void each_row_run_added(tally_column_job *job)
{
    tally_column_memory *memory = job->memory;
    const tally_fast_buckets *buckets = &memory->buckets;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS];
    for (size_t i = 0; i < job->rows; i++) { /* not row by row: what was just written comes late */
        tally_column_row *row = &memory->rows[i];
        row->bucket =
            tally_fast_buckets_add(&memory->buckets, row->tail, row->tail_size, row->length);
    }
    tally_fast_buckets_sort(buckets, sorted, next);
    for (size_t i = 0; i < job->rows; i++) {
        memory->words[next[memory->rows[i].bucket]++] = memory->rows[i].word;
    }
    uint8_t *const *words = memory->words;
    for (size_t start = 0, stop = 0; start < buckets->count; start = stop) {
        size_t length = buckets->bucket[sorted[start]].length, rows = 0;
        for (; stop < buckets->count && buckets->bucket[sorted[stop]].length == length; stop++) {
            rows += buckets->bucket[sorted[stop]].rows;
        }
        each_row_run_length(job, sorted + start, stop - start, words, rows);
        words += rows;
    }
    for (size_t i = 0; i < job->rows; i++) {
        each_row_store(job, &memory->rows[i]);
    }
    each_row_clear(job);
}

/* Adds a row, and runs those before it if memory is full. Returns why a row is invalid. */
static tally_row each_row_add(tally_column_job *job, uint8_t *value, uint64_t size, uint64_t number)
{
    uint64_t most = size < TALLY_FAST_MAX_LENGTH ? size : TALLY_FAST_MAX_LENGTH;
    if (job->rows == TALLY_FAST_ROWS || job->symbols + most > TALLY_FAST_MAX_LENGTH ||
        job->tails + TALLY_FAST_MAX_ROW_TWEAK > TALLY_COLUMN_TAILS) {
        each_row_run_added(job);
    }
    tally_column_row *row = &job->memory->rows[job->rows];
    row->value = value;
    row->size = size;
    row->word = job->memory->symbols + job->symbols;
    tally_row status = each_row_prepare(job, row, number);
    if (status == TALLY_ROW_OK) {
        job->rows++;
        job->symbols += row->count;
        job->tails += row->tail_size;
        job->report->small += row->length < job->shape->small_symbols;
    }
    return status;
}

void tally_each_row_init(tally_column_job *job)
{
    each_row_clear(job);
    job->has_short = job->has_tables && tally_short_available();
}

void tally_each_row_run(tally_column_job *job, tally_column_batch *batch)
{
    if (batch->pending == 0) {
        return;
    }
    if (!batch->copied) {
        tally_column_copy(batch, batch->done, batch->count - batch->done);
    }
    for (size_t i = 0; i < batch->pending; i++) {
        size_t row = batch->rows[i];
        uint64_t size = tally_column_size(batch, row);
        /* A column without bytes may have no memory for them; an empty value may have any
         * address. */
        uint8_t *value = size != 0 ? batch->values + batch->start[row] : job->memory->symbols;
        batch->status[row] = (uint8_t)each_row_add(job, value, size, batch->first + row);
    }
    each_row_run_added(job);
}

void tally_each_row_wipe(tally_column_job *job)
{
    tally_wipe(job->memory->symbols, job->most_symbols);
    tally_wipe(job->memory->tails, job->most_tails);
}

/* ---- core/columns/luhn.c ---- */
/*
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */

/* ---- core/columns/luhn.h ---- */
/*
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#ifndef TALLY_COLUMNS_LUHN_H
#define TALLY_COLUMNS_LUHN_H

/* The one value of digits[place] with which all `count` digits satisfy the formula. */
uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place);

/* The digit that makes a number valid. `sum` is that of the other digits, of which the formula
 * doubles some; is_doubled: it doubles this digit too. */
uint8_t tally_luhn_digit_for(uint32_t sum, int is_doubled);

#endif

/* A doubled digit, less 9 where it exceeds 9: a permutation of the digits. Computed, not looked up,
 * for the digits are secret. */
static uint32_t luhn_doubled(uint32_t digit)
{
    uint32_t twice = 2 * digit;
    return twice - (9 & (0 - (uint32_t)(twice > 9)));
}

/* Its inverse: half of an even number, half of nine more of an odd one. */
static uint32_t luhn_halved(uint32_t digit)
{
    return (digit + (9 & (0 - (digit & 1)))) / 2;
}

uint8_t tally_luhn_digit_for(uint32_t sum, int is_doubled)
{
    uint32_t missing = (10 - sum % 10) % 10;
    return (uint8_t)(is_doubled ? luhn_halved(missing) : missing);
}

uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (i != place) {
            sum += (count - i) % 2 == 0 ? luhn_doubled(digits[i]) : digits[i];
        }
    }
    return tally_luhn_digit_for(sum, (count - place) % 2 == 0);
}

/* ---- core/columns/one_value.c ---- */
/*
 * One value: its symbols become a word, the word is run, and its symbols go back to their
 * places. */

/* ---- core/columns/one_value.h ---- */
/*
 * One value in place: the result of a column with one row, without its set-up. */
#ifndef TALLY_COLUMNS_ONE_VALUE_H
#define TALLY_COLUMNS_ONE_VALUE_H

enum { TALLY_ONE_VALUE = TALLY_SHORT /* bytes of a value, at most */ };

/* A shape that was checked, with its tables. It has no secret, and any number of threads may use
 * it. */
typedef struct tally_one_value_format {
    tally_translate_tables tables;
    tally_shape shape;
    int delimiters; /* of a value: 0 or 1 */
    int has_short;  /* whether short.h works with this shape on this CPU */
} tally_one_value_format;

/* Bytes of memory for a format. */
size_t tally_one_value_format_size(void);

/* Sets a format up in `memory`, of any alignment. TALLY_ERROR_ARGUMENT: a field of the shape is
 * outside its range, or memory too small. */
TALLY_MUST_CHECK tally_status tally_one_value_format_init(const tally_shape *shape, void *memory,
                                                          size_t memory_size,
                                                          tally_one_value_format **out);

/* Encrypts or decrypts a value of at most TALLY_ONE_VALUE bytes in place. The tweak is made as
 * tally_fast_column makes it; with no row tweak, row_tweak_size is 0. An invalid value
 * stays as it is, and *row says why. TALLY_ERROR_RADIX, TALLY_ERROR_ARGUMENT: as for
 * tally_fast_column, or the value is longer. */
TALLY_MUST_CHECK tally_status tally_one_value(tally_fast_cipher *cipher,
                                              const tally_one_value_format *format,
                                              tally_direction direction, const uint8_t *tweak,
                                              size_t tweak_size, const uint8_t *row_tweak,
                                              size_t row_tweak_size, uint8_t *value, size_t size,
                                              tally_row *row);

#endif

/* ---- core/base/align.h ---- */
/*
 * Objects at multiples of 64 bytes, a cache line, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of TALLY_ALIGNMENT in `memory`. */
static inline void *tally_align(void *memory)
{
    const uintptr_t past = (uintptr_t)memory % TALLY_ALIGNMENT;
    return (uint8_t *)memory + (past == 0 ? 0 : TALLY_ALIGNMENT - past);
}

#endif

size_t tally_one_value_format_size(void)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_one_value_format);
}

tally_status tally_one_value_format_init(const tally_shape *shape, void *memory, size_t memory_size,
                                         tally_one_value_format **out)
{
    if (!tally_shape_fits(shape) || memory_size < tally_one_value_format_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_one_value_format *format = tally_align(memory);
    format->shape = *shape;
    format->delimiters = tally_shape_delimiters(shape);
    format->has_short =
        tally_translate_tables_init(shape, &format->tables) && tally_short_available();
    *out = format;
    return TALLY_OK;
}

/* The symbols of a value. */
typedef struct one_value {
    uint8_t all[TALLY_ONE_VALUE];  /* in order; with short.h, only if there is a check digit */
    uint8_t word[TALLY_ONE_VALUE]; /* the free ones */
    uint8_t kept[TALLY_ONE_VALUE]; /* the others, if they are part of the tweak */
    size_t count, length, check;   /* of all; of the word; which of all is the check digit */
    size_t kept_size;
    uint64_t after; /* the first byte after a delimiter */
    tally_short_value where;
} one_value;

static tally_row one_value_gather_short(const tally_one_value_format *format, const uint8_t *value,
                                        size_t size, one_value *out)
{
    const tally_row row =
        tally_short_gather(&format->shape, &format->tables, value, size, out->word, &out->where);
    if (row != TALLY_ROW_OK) {
        return row;
    }
    const uint64_t symbols = out->where.symbols;
    out->count = out->where.count;
    out->length = out->where.length;
    out->kept_size = out->count - out->length;
    out->after = out->where.after;
    if (format->shape.luhn != TALLY_LUHN_NONE) {
        tally_short_compress(&format->tables, value, size, symbols, out->all);
    }
    if (format->shape.tweak_kept && out->kept_size != 0) {
        tally_short_compress(&format->tables, value, size, symbols & ~out->where.free, out->kept);
    }
    return TALLY_ROW_OK;
}

static tally_row one_value_gather(const tally_one_value_format *format, const uint8_t *value,
                                  size_t size, one_value *out)
{
    out->count = 0;
    const tally_row row = tally_symbols_gather(&format->shape, format->delimiters, value, size,
                                               out->all, &out->count, &out->after);
    if (row != TALLY_ROW_OK) {
        return row;
    }
    out->length = 0;
    out->kept_size = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (tally_symbol_is_free(&format->shape, i, out->count)) {
            out->word[out->length++] = out->all[i];
        } else {
            out->kept[out->kept_size++] = out->all[i];
        }
    }
    return TALLY_ROW_OK;
}

typedef struct one_value_tweak {
    size_t size;
    uint8_t bytes[TALLY_FAST_MAX_ROW_TWEAK];
} one_value_tweak;

/* Returns 0 if the tweak would be too long. */
static int one_value_append(one_value_tweak *tweak, const uint8_t *bytes, size_t size)
{
    if (size > sizeof tweak->bytes - tweak->size) {
        return 0;
    }
    if (size != 0) {
        memcpy(tweak->bytes + tweak->size, bytes, size);
        tweak->size += size;
    }
    return 1;
}

/* Appends what stays in clear, after its size. */
static int one_value_append_kept(const one_value *symbols, const uint8_t *value, size_t size,
                                 one_value_tweak *tweak)
{
    const size_t after = size - (size_t)symbols->after;
    uint8_t kept_size[4];
    tally_store_be32((uint32_t)(symbols->kept_size + after), kept_size);
    return one_value_append(tweak, kept_size, sizeof kept_size) &&
           one_value_append(tweak, symbols->kept, symbols->kept_size) &&
           one_value_append(tweak, after != 0 ? value + symbols->after : NULL, after);
}

/* Takes the check digit off the word, and checks both. */
static tally_row one_value_check(const tally_shape *shape, int of_token, one_value *symbols)
{
    const tally_row row = tally_symbols_word_length(shape, &symbols->length);
    if (row != TALLY_ROW_OK || shape->luhn == TALLY_LUHN_NONE) {
        return row;
    }
    symbols->check = tally_symbols_check_place(shape, symbols->count);
    const uint8_t digit = tally_symbols_check_digit(shape, symbols->word, symbols->all,
                                                    symbols->count, symbols->check, of_token);
    return symbols->all[symbols->check] == digit ? TALLY_ROW_OK : TALLY_ROW_CHECK;
}

tally_status tally_one_value(tally_fast_cipher *cipher, const tally_one_value_format *format,
                             tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                             const uint8_t *row_tweak, size_t row_tweak_size, uint8_t *value,
                             size_t size, tally_row *row)
{
    const tally_shape *shape = &format->shape;
    one_value symbols;
    one_value_tweak whole;
    whole.size = 0;
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    if (size > TALLY_ONE_VALUE || !one_value_append(&whole, tweak, tweak_size)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_row found = (format->has_short ? one_value_gather_short
                                         : one_value_gather)(format, value, size, &symbols);
    if (found == TALLY_ROW_OK &&
        ((shape->tweak_kept && !one_value_append_kept(&symbols, value, size, &whole)) ||
         !one_value_append(&whole, row_tweak, row_tweak_size))) {
        found = TALLY_ROW_TWEAK;
    }
    if (found == TALLY_ROW_OK) {
        found = one_value_check(shape, direction == TALLY_DECRYPT, &symbols);
    }
    *row = found;
    if (found == TALLY_ROW_OK) {
        uint8_t *const words[1] = {symbols.word};
        tally_fast_params spare;
        tally_fast_run_words(cipher, tally_fast_cipher_params(cipher, symbols.length, &spare),
                             direction, whole.bytes, whole.size, words, 1);
        if (shape->luhn != TALLY_LUHN_NONE) {
            symbols.word[symbols.length] =
                tally_symbols_check_digit(shape, symbols.word, symbols.all, symbols.count,
                                          symbols.check, direction == TALLY_ENCRYPT);
        }
        if (format->has_short) {
            tally_short_scatter(&format->tables, symbols.word, &symbols.where, value);
        } else {
            tally_symbols_scatter(shape, symbols.word, symbols.count, symbols.after, value);
        }
    }
    tally_wipe(&symbols, sizeof symbols);
    tally_wipe(whole.bytes, whole.size);
    return TALLY_OK;
}

/* ---- core/columns/same_layout.c ---- */
/*
 * Rows of the same layout: equal in size, and with bytes of the same kind at each position. The
 * first row gives the layout, and the translation finds the rows that differ from it. */

enum {
    SAME_LAYOUT_FEWEST = 16, /* fewer rows of a size are left to each_row.c */
    SAME_LAYOUT_LEADERS = 4, /* rows that may give the layout, if the first ones are invalid */
    SAME_LAYOUT_SKIPS = 15   /* batches skipped after one of which more than half was left */
};

void tally_same_layout_init(tally_column_job *job)
{
    const tally_shape *shape = job->shape;
    /* Rows on lanes have one tweak. */
    int differ = job->row_tweaks != NULL || job->delimiters != 0 ||
                 (shape->tweak_kept && (shape->keep | shape->keep_last) != 0);
    size_t tail = shape->tweak_kept ? 4 : 0; /* the size of kept symbols: 0 */
    if (differ || !job->has_tables || job->common_tweak + tail > sizeof job->tweak) {
        job->translate = NULL;
        return;
    }
    job->translate = tally_translate_choose(job->cipher->pool->lanes);
    memset(job->tweak + job->common_tweak, 0, tail);
}

void tally_same_layout_wipe(tally_column_job *job)
{
    tally_wipe(job->memory->text, job->most_text);
    tally_wipe(job->cipher->lane_state, job->most_text);
    if (job->most_text != 0) { /* below the top bits, a mixture of bytes of values */
        tally_wipe(job->memory->bad, sizeof job->memory->bad);
    }
}

/* Sets job->layout to that of a value, and job->length to the length of its word; 0: it is
 * invalid. */
static void same_layout_of(tally_column_job *job, const uint8_t *value, size_t width)
{
    const tally_shape *shape = job->shape;
    tally_translate_layout *layout = &job->layout;
    size_t count = 0;
    job->length = 0;
    for (size_t p = 0; p < width; p++) {
        uint8_t kind = shape->kind[value[p]];
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && p != 0)) {
            return;
        }
        layout->role[p] = is_symbol ? TALLY_TRANSLATE_KEPT : TALLY_TRANSLATE_OTHER;
        layout->upper[p] = kind == TALLY_BYTE_UPPER ? 128 : 0;
        layout->code[p] = (uint8_t)(128 | kind);
        count += (size_t)is_symbol;
    }
    layout->width = width;
    layout->luhn = shape->luhn != TALLY_LUHN_NONE;
    size_t length = 0, symbol = 0, check = 0;
    for (size_t p = 0; p < width; p++) {
        if (layout->role[p] == TALLY_TRANSLATE_OTHER) {
            continue;
        }
        layout->doubled[p] = (count - symbol) % 2 == 0;
        if (tally_symbol_is_free(shape, symbol++, count)) {
            layout->role[p] = TALLY_TRANSLATE_FREE;
            check = p;
            length++;
        }
    }
    if (length < shape->min_symbols + (size_t)layout->luhn) {
        return;
    }
    if (layout->luhn) {
        layout->role[check] = TALLY_TRANSLATE_CHECK;
        length--;
        for (uint32_t sum = 0; sum < 10; sum++) {
            int invalid = shape->luhn == TALLY_LUHN_INVALID;
            uint8_t digit = tally_luhn_digit_for(sum, layout->doubled[check]);
            uint8_t other = (uint8_t)((digit + 1) % 10);
            layout->read_digit[sum] = invalid && job->direction == TALLY_DECRYPT ? other : digit;
            layout->write_digit[sum] = invalid && job->direction == TALLY_ENCRYPT ? other : digit;
        }
    }
    job->length = length > shape->max_symbols ? 0 : length;
}

/* Counts the values that are bad. */
static size_t same_layout_count_bad(const uint8_t *bad, size_t count)
{
    size_t found = 0, i = 0;
    uint64_t any = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t eight;
        memcpy(&eight, bad + i, 8);
        any |= eight;
    }
    if ((any & UINT64_C(0x8080808080808080)) != 0) {
        i = 0;
    }
    for (; i < count; i++) {
        found += bad[i] >> 7;
    }
    return found;
}

/* Lists where rows of one size are. */
static void same_layout_list(const tally_column_batch *batch, const uint16_t *rows, size_t count,
                             size_t width, const uint8_t **source, uint8_t **values)
{
    if ((size_t)(rows[count - 1] - rows[0]) == count - 1) { /* side by side */
        const uint8_t *from = batch->source + batch->start[rows[0]];
        uint8_t *to = batch->values + batch->start[rows[0]];
        for (size_t i = 0; i < count; i++, from += width, to += width) {
            source[i] = from;
            values[i] = to;
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        source[i] = batch->source + batch->start[rows[i]];
        values[i] = batch->values + batch->start[rows[i]];
    }
}

/* Rows on lanes: what translates them. */
static tally_translate_job same_layout_text(tally_column_job *job, size_t width, size_t lanes)
{
    const size_t used = width * lanes;
    job->most_text = used > job->most_text ? used : job->most_text;
    return (tally_translate_job){.tables = &job->tables,
                                 .layout = &job->layout,
                                 .lanes = lanes,
                                 .text = job->memory->text,
                                 .symbols = job->cipher->lane_state,
                                 .bad = job->memory->bad};
}

/* Runs the words of `count` rows on lanes. The next rows, to be prefetched, are at `next`. */
static void same_layout_run_words(tally_column_job *job, const tally_column_batch *batch,
                                  size_t groups, size_t width, size_t count, uint64_t next)
{
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, job->length, &spare);
    const uint64_t rest = batch->end - next, size = count * width;
    const tally_fast_prefetch prefetch = {.read = batch->source + next,
                                          .written = batch->values + next,
                                          .size = (size_t)(rest < size ? rest : size)};
    tally_fast_run_lanes(job->cipher, params, job->direction, job->tweak,
                         job->common_tweak + (job->shape->tweak_kept ? 4 : 0), groups, &prefetch);
}

/* Runs rows of one size, at most as many as fit on lanes, if at least half of them have the same
 * layout. Returns the number of rows that are left, and lists them. */
static size_t same_layout_run_chunk(tally_column_job *job, tally_column_batch *batch,
                                    const uint16_t *rows, size_t count, size_t width,
                                    uint16_t *left)
{
    tally_column_memory *memory = job->memory;
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const uint8_t *source[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint8_t *values[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    job->length = 0;
    for (size_t i = 0; i < SAME_LAYOUT_LEADERS && i < count && job->length == 0; i++) {
        same_layout_of(job, batch->source + batch->start[rows[i]], width);
    }
    const size_t groups = tally_fast_groups(lanes, width, count), stride = groups * lanes->width;
    tally_translate_job text = same_layout_text(job, width, stride);
    size_t bad = count;
    if (job->length != 0) {
        same_layout_list(batch, rows, count, width, source, values);
        lanes->transpose->to_lanes(source, count, width, stride, memory->text);
        job->translate->read(&text);
        bad = same_layout_count_bad(memory->bad, count);
        text.any_bad = bad != 0;
    }
    if (2 * bad > count) {
        if (!batch->copied) { /* then the rows are side by side */
            tally_column_copy(batch, rows[0], count);
        }
        memmove(left, rows, count * sizeof *rows);
        return count;
    }
    same_layout_run_words(job, batch, groups, width, count, batch->start[rows[count - 1] + 1]);
    job->translate->write(&text);
    lanes->transpose->from_lanes(memory->text, stride, count, width, values);
    job->report->small += job->length < job->shape->small_symbols ? count - bad : 0;
    size_t listed = 0;
    for (size_t i = 0; i < count && listed < bad; i++) {
        left[listed] = rows[i];
        listed += memory->bad[i] >> 7;
    }
    return listed;
}

/* Runs rows of one size. Returns the number of rows that are left, and lists them. */
static size_t same_layout_run_size(tally_column_job *job, tally_column_batch *batch,
                                   const uint16_t *rows, size_t count, size_t width, uint16_t *left)
{
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    size_t listed = 0;
    while (count > 0) {
        size_t capacity = tally_fast_groups(lanes, width, count) * lanes->width;
        size_t part = count < capacity ? count : capacity;
        listed += same_layout_run_chunk(job, batch, rows, part, width, left + listed);
        rows += part;
        count -= part;
    }
    return listed;
}

/* Runs the rows of each size; too large, empty or few ones are left. */
static void same_layout_run_sizes(tally_column_job *job, tally_column_batch *batch)
{
    size_t end[TALLY_TRANSLATE_WIDTH + 2] = {0};
    uint16_t *sorted = batch->rows + TALLY_FAST_ROWS;
    for (size_t i = 0; i < batch->pending; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        end[1 + (size <= TALLY_TRANSLATE_WIDTH ? size : 0)]++;
    }
    for (size_t size = 0; size <= TALLY_TRANSLATE_WIDTH; size++) {
        end[size + 1] += end[size];
    }
    for (size_t i = 0; i < batch->pending; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        sorted[end[size <= TALLY_TRANSLATE_WIDTH ? size : 0]++] = batch->rows[i];
    }
    batch->pending = end[0];
    memcpy(batch->rows, sorted, batch->pending * sizeof *sorted);
    for (size_t size = 1; size <= TALLY_TRANSLATE_WIDTH; size++) {
        const uint16_t *rows = sorted + end[size - 1];
        size_t count = end[size] - end[size - 1];
        uint16_t *left = batch->rows + batch->pending;
        if (count < SAME_LAYOUT_FEWEST) {
            memcpy(left, rows, count * sizeof *rows);
            batch->pending += count;
        } else {
            batch->pending += same_layout_run_size(job, batch, rows, count, size, left);
        }
    }
}

/* Runs `count` rows side by side if they have the layout of rows before them, or of the first.
 * Which row is on which lane does not matter then. */
static int same_layout_run_packed_chunk(tally_column_job *job, const tally_column_batch *batch,
                                        uint64_t at, size_t count, size_t groups)
{
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const tally_transpose *transpose = lanes->transpose;
    const size_t width = (size_t)batch->common, stride = groups * lanes->width;
    const uint64_t next = at + count * width;
    const uint8_t *from = batch->source + at;
    uint8_t *to = batch->values + at;
    if (job->length == 0 || job->layout.width != width) {
        same_layout_of(job, from, width);
    }
    if (job->length == 0) {
        return 0;
    }
    tally_translate_job text = same_layout_text(job, width, stride);
    if (job->tables.is_run && job->length == width) { /* nothing but symbols of the word */
        const uint8_t zero = job->tables.letter[0][0];
        if (!transpose->words_to_lanes(from, count, width, stride, zero, job->shape->radix,
                                       text.symbols)) {
            job->length = 0;
            return 0;
        }
        same_layout_run_words(job, batch, groups, width, count, next);
        transpose->words_from_lanes(text.symbols, stride, count, width, zero, to);
    } else {
        (void)transpose->words_to_lanes(from, count, width, stride, 0, 256, text.text);
        job->translate->read(&text);
        if (same_layout_count_bad(text.bad, count) != 0) {
            job->length = 0;
            return 0;
        }
        same_layout_run_words(job, batch, groups, width, count, next);
        job->translate->write(&text);
        transpose->words_from_lanes(text.text, stride, count, width, 0, to);
    }
    job->report->small += job->length < job->shape->small_symbols ? count : 0;
    return 1;
}

size_t tally_same_layout_run_packed(tally_column_job *job, const tally_column_batch *batch)
{
    const uint64_t width = batch->common;
    size_t done = 0;
    if (job->translate == NULL || width == 0 || width > TALLY_TRANSLATE_WIDTH) {
        return 0;
    }
    if (job->unlike > 0) {
        job->unlike--;
        return 0;
    }
    while (batch->count - done >= SAME_LAYOUT_FEWEST) {
        const tally_fast_lanes *lanes = job->cipher->pool->lanes;
        const size_t left = batch->count - done;
        const size_t groups = tally_fast_groups(lanes, (size_t)width, left);
        const size_t most = groups * lanes->width, part = left < most ? left : most;
        if (!same_layout_run_packed_chunk(job, batch, batch->begin + done * width, part, groups)) {
            job->unlike = SAME_LAYOUT_SKIPS;
            break;
        }
        done += part;
    }
    return done;
}

void tally_same_layout_run(tally_column_job *job, tally_column_batch *batch)
{
    if (job->translate == NULL || batch->pending < SAME_LAYOUT_FEWEST) {
        return;
    }
    if (job->skipped > 0) {
        job->skipped--;
        return;
    }
    size_t before = batch->pending;
    if (batch->common != 0 && batch->common <= TALLY_TRANSLATE_WIDTH) {
        size_t width = (size_t)batch->common;
        batch->pending = same_layout_run_size(job, batch, batch->rows, before, width, batch->rows);
        batch->copied = 1; /* chunk by chunk */
    } else if (batch->common == 0) {
        if (!batch->copied) {
            tally_column_copy(batch, batch->done, batch->count - batch->done);
            batch->copied = 1;
        }
        same_layout_run_sizes(job, batch);
    }
    job->skipped = 2 * batch->pending > before ? SAME_LAYOUT_SKIPS : 0;
}

/* ---- core/columns/short_avx512.c ---- */
/*
 * The symbols of short values with AVX-512 VBMI2: bytes are looked up in tables of 128 entries in
 * registers, and symbols are compressed out of the value, and expanded back into it. */

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

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define SHORT_TARGET                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

int tally_short_available(void)
{
    return (tally_cpu_features() & TALLY_CPU_AVX512VBMI2) != 0;
}

static SHORT_TARGET __m512i short_look_up(const uint8_t table[128], __m512i index)
{
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), index, _mm512_load_si512(table + 64));
}

static SHORT_TARGET __m512i short_load(const uint8_t *value, size_t size)
{
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (uint32_t)size), value);
}

/* Which of the symbols stay in clear. */
static SHORT_TARGET uint64_t short_kept_of(const tally_shape *shape, uint64_t symbols)
{
    uint64_t kept = _pdep_u64(shape->keep, symbols);
    uint64_t count = (uint64_t)_mm_popcnt_u64(symbols);
    if (shape->keep_last >= count) {
        return symbols;
    }
    /* The symbols from number count - keep_last on. */
    uint64_t others = _bzhi_u64(UINT64_MAX, (uint32_t)(count - shape->keep_last));
    return kept | _pdep_u64(~others, symbols);
}

SHORT_TARGET tally_row tally_short_gather(const tally_shape *shape,
                                          const tally_translate_tables *tables,
                                          const uint8_t *value, size_t size, uint8_t *word,
                                          tally_short_value *out)
{
    __m512i bytes = short_load(value, size);
    __m512i codes = short_look_up(tables->code, bytes);
    uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    uint64_t high = _mm512_movepi8_mask(bytes); /* beyond ASCII: foreign, whatever was looked up */
    uint64_t others = (_mm512_movepi8_mask(codes) | high) & in;
    out->after = (uint32_t)size;
    if (others != 0) {
        uint64_t delimiters =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_DELIMITER)));
        delimiters &= others & ~high;
        if (delimiters != 0 && shape->keep_after_delimiter) {
            out->after = (uint32_t)_tzcnt_u64(delimiters) + 1;
            in &= _blsmsk_u64(delimiters);
            others &= in;
        }
        uint64_t kept =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_KEPT)));
        uint64_t leading =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_LEADING)));
        if ((others & ~((kept | (leading & 1) | delimiters) & ~high)) != 0) {
            return TALLY_ROW_FOREIGN;
        }
        if (_mm_popcnt_u64(delimiters) != tables->delimiters) {
            return TALLY_ROW_DELIMITER;
        }
    } else if (tables->delimiters != 0) {
        return TALLY_ROW_DELIMITER;
    }
    out->symbols = in & ~others;
    out->free = out->symbols;
    if ((shape->keep | shape->keep_last) != 0) {
        out->free &= ~short_kept_of(shape, out->symbols);
    }
    out->upper = tables->has_upper ? _mm512_movepi8_mask(short_look_up(tables->upper, bytes)) : 0;
    out->count = (uint32_t)_mm_popcnt_u64(out->symbols);
    out->length = (uint32_t)_mm_popcnt_u64(out->free);
    _mm512_storeu_si512(word, _mm512_maskz_compress_epi8(out->free, codes));
    return TALLY_ROW_OK;
}

SHORT_TARGET void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value,
                                       size_t size, uint64_t mask, uint8_t *out)
{
    __m512i codes = short_look_up(tables->code, short_load(value, size));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask, codes));
}

SHORT_TARGET void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                                      const tally_short_value *where, uint8_t *value)
{
    __m512i symbols = _mm512_maskz_expand_epi8(where->free, _mm512_loadu_si512(word));
    __m512i letters = short_look_up(tables->letter[0], symbols);
    if (where->upper != 0) {
        letters = _mm512_mask_blend_epi8(where->upper, letters,
                                         short_look_up(tables->letter[1], symbols));
    }
    _mm512_mask_storeu_epi8(value, where->free, letters);
}

#else /* there are no tables, so nothing else is ever called */

int tally_short_available(void)
{
    return 0;
}

tally_row tally_short_gather(const tally_shape *shape, const tally_translate_tables *tables,
                             const uint8_t *value, size_t size, uint8_t *word,
                             tally_short_value *out)
{
    (void)shape;
    (void)tables;
    (void)value;
    (void)size;
    (void)word;
    (void)out;
    return TALLY_ROW_FOREIGN;
}

void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value, size_t size,
                          uint64_t mask, uint8_t *out)
{
    (void)tables;
    (void)value;
    (void)size;
    (void)mask;
    (void)out;
}

void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                         const tally_short_value *where, uint8_t *value)
{
    (void)tables;
    (void)word;
    (void)where;
    (void)value;
}

#endif

/* ---- core/columns/symbols.c ---- */
/*
 * The symbols of one value, by its shape. */

static int symbols_is_symbol(uint8_t kind)
{
    return kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
}

int tally_shape_fits(const tally_shape *shape)
{
    if (shape->min_symbols < TALLY_FAST_MIN_LENGTH || shape->max_symbols > TALLY_FAST_MAX_LENGTH ||
        shape->keep_after_delimiter > 1 || shape->tweak_kept > 1 ||
        shape->luhn > TALLY_LUHN_INVALID ||
        (shape->luhn != TALLY_LUHN_NONE && shape->radix != 10)) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (kind > TALLY_BYTE_DELIMITER ||
            (symbols_is_symbol(kind) && shape->symbol[byte] >= shape->radix)) {
            return 0;
        }
    }
    return 1;
}

int tally_shape_delimiters(const tally_shape *shape)
{
    int delimiters = 0;
    for (int byte = 0; byte < 256; byte++) {
        delimiters |= shape->kind[byte] == TALLY_BYTE_DELIMITER;
    }
    return delimiters;
}

tally_row tally_symbols_gather(const tally_shape *shape, int delimiters, const uint8_t *value,
                               uint64_t size, uint8_t *symbols, size_t *count,
                               uint64_t *after_delimiter)
{
    size_t found = 0;
    int found_delimiters = 0;
    *after_delimiter = size;
    for (uint64_t i = 0; i < size; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_DELIMITER) {
            found_delimiters++;
            if (shape->keep_after_delimiter && found_delimiters == 1) {
                *after_delimiter = i + 1;
            }
        } else if (i >= *after_delimiter) {
            continue;
        } else if (symbols_is_symbol(kind)) {
            if (found == TALLY_FAST_MAX_LENGTH) {
                *count = found;
                return TALLY_ROW_LONG;
            }
            symbols[found++] = shape->symbol[value[i]];
        } else if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i != 0)) {
            *count = found;
            return TALLY_ROW_FOREIGN;
        }
    }
    *count = found;
    return found_delimiters == delimiters ? TALLY_ROW_OK : TALLY_ROW_DELIMITER;
}

void tally_symbols_scatter(const tally_shape *shape, const uint8_t *word, size_t count,
                           uint64_t after_delimiter, uint8_t *value)
{
    size_t symbol = 0;
    for (uint64_t i = 0; i < after_delimiter; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (symbols_is_symbol(kind)) {
            if (tally_symbol_is_free(shape, symbol, count)) {
                value[i] = shape->letter[kind == TALLY_BYTE_UPPER][*word++];
            }
            symbol++;
        }
    }
}

tally_row tally_symbols_word_length(const tally_shape *shape, size_t *length)
{
    const size_t luhn = shape->luhn != TALLY_LUHN_NONE;
    if (*length < luhn + shape->min_symbols) {
        return TALLY_ROW_SHORT;
    }
    *length -= luhn;
    return *length > shape->max_symbols ? TALLY_ROW_LONG : TALLY_ROW_OK;
}

size_t tally_symbols_check_place(const tally_shape *shape, size_t count)
{
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        place = tally_symbol_is_free(shape, i, count) ? i : place;
    }
    return place;
}

uint8_t tally_symbols_check_digit(const tally_shape *shape, const uint8_t *word, const uint8_t *all,
                                  size_t count, size_t place, int of_token)
{
    uint8_t digits[TALLY_COLUMN_MAX_DIGITS];
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const int free = tally_symbol_is_free(shape, i, count) && i != place;
        digits[i] = free ? word[next++] : all[i];
    }
    const int more = of_token && shape->luhn == TALLY_LUHN_INVALID;
    const uint8_t digit = (uint8_t)((tally_luhn_digit(digits, count, place) + more) % 10);
    tally_wipe(digits, count);
    return digit;
}

/* ---- core/columns/translate.c ---- */
/*
 * The choice among translations, and the tables of a shape. */

/* The fastest first. */
static const tally_translate *const translate_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_translate_avx512,
    &tally_translate_avx2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_translate_neon,
#endif
    NULL,
};

const tally_translate *tally_translate_choose(const tally_fast_lanes *lanes)
{
    const tally_translate *const *backend = translate_backends;
    while (*backend != NULL && ((*backend)->backend.needs & ~lanes->backend.needs) != 0) {
        backend++;
    }
    return *backend;
}

/* Whether the symbols are bytes that follow each other, in order: digits, or letters of one case. */
static int translate_is_run(const tally_shape *shape)
{
    const uint32_t first = shape->letter[0][0];
    for (uint32_t byte = 0; byte < 256; byte++) {
        const int inside = byte - first < shape->radix;
        const uint8_t kind = shape->kind[byte];
        if (kind == TALLY_BYTE_UPPER || (kind == TALLY_BYTE_SYMBOL) != inside ||
            (inside &&
             (shape->symbol[byte] != byte - first || shape->letter[0][byte - first] != byte))) {
            return 0;
        }
    }
    return 1;
}

int tally_translate_tables_init(const tally_shape *shape, tally_translate_tables *out)
{
    memset(out, 0, sizeof *out);
    if (shape->radix > 128) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (byte >= 128) {
            if (kind != TALLY_BYTE_FOREIGN) {
                return 0;
            }
            continue;
        }
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        out->code[byte] = is_symbol ? shape->symbol[byte] : (uint8_t)(128 | kind);
        out->upper[byte] = kind == TALLY_BYTE_UPPER ? 128 : 0;
        out->delimiters |= kind == TALLY_BYTE_DELIMITER;
        out->has_upper |= kind == TALLY_BYTE_UPPER;
    }
    out->last = (uint8_t)(shape->radix - 1);
    out->is_run = translate_is_run(shape);
    memcpy(out->letter[0], shape->letter[0], 128);
    memcpy(out->letter[1], shape->letter[1], 128);
    return 1;
}

/* ---- core/columns/translate_avx2.c ---- */
/*
 * Text on lanes with AVX2, whose byte shuffle looks 16 entries up by the low four bits of an index
 * and gives zero where its high bit is set. Eight of them do 128 entries: see fast/lanes/avx2.c. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

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

#define TRANSLATE(name)  translate_avx2_##name
#define TRANSLATE_TARGET __attribute__((target("avx2")))

typedef __m256i translate_avx2_vec;
typedef const uint8_t *translate_avx2_table;

#define TRANSLATE_ZERO             _mm256_setzero_si256()
#define TRANSLATE_SPREAD(byte)     _mm256_set1_epi8((char)(byte))
#define TRANSLATE_LOAD(p)          _mm256_load_si256((const __m256i *)(p))
#define TRANSLATE_STORE(p, v)      _mm256_store_si256((__m256i *)(p), v)
#define TRANSLATE_ADD(x, y)        _mm256_add_epi8(x, y)
#define TRANSLATE_SUB(x, y)        _mm256_sub_epi8(x, y)
#define TRANSLATE_MIN(x, y)        _mm256_min_epu8(x, y)
#define TRANSLATE_MAX(x, y)        _mm256_max_epu8(x, y)
#define TRANSLATE_AND(x, y)        _mm256_and_si256(x, y)
#define TRANSLATE_OR(x, y)         _mm256_or_si256(x, y)
#define TRANSLATE_XOR(x, y)        _mm256_xor_si256(x, y)
#define TRANSLATE_CHOOSE(by, x, y) _mm256_blendv_epi8(x, y, by)

TALLY_INLINE TRANSLATE_TARGET translate_avx2_table
translate_avx2_load_table(const uint8_t bytes[128])
{
    return bytes;
}

/* Entries of a chunk are picked where its number is the index's upper half. */
TALLY_INLINE TRANSLATE_TARGET translate_avx2_vec translate_avx2_look_up(translate_avx2_table t,
                                                                        translate_avx2_vec index)
{
    translate_avx2_vec found = TRANSLATE_ZERO;
    TALLY_UNROLL(16)
    for (int chunk = 0; chunk < 8; chunk++) {
        translate_avx2_vec entries =
            _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(t + 16 * chunk)));
        /* 0..15 for an index of this chunk; any other gets the high bit. */
        translate_avx2_vec own = _mm256_sub_epi8(index, TRANSLATE_SPREAD(16 * chunk));
        translate_avx2_vec place =
            _mm256_or_si256(own, _mm256_cmpgt_epi8(own, TRANSLATE_SPREAD(15)));
        found = TRANSLATE_OR(found, _mm256_shuffle_epi8(entries, place));
    }
    return found;
}

/* ---- core/columns/translate_body.h ---- */
/*
 * Bytes to symbols and back on lanes, for any instruction set. A back end includes this file once.
 * Before, it defines these macros, which this file undefines:
 *
 *   TRANSLATE(name)                    the name with the back end's prefix
 *   TRANSLATE_TARGET                   the function attribute of its instruction set
 *   TRANSLATE_ZERO, TRANSLATE_SPREAD(byte)
 *                                      vectors: zero, and a byte in every lane
 *   TRANSLATE_LOAD(p), TRANSLATE_STORE(p, v)
 *                                      from and to aligned memory
 *   TRANSLATE_ADD, _SUB, _MIN, _MAX, _AND, _OR, _XOR
 *                                      on vectors, byte by byte, MIN and MAX unsigned
 *   TRANSLATE_CHOOSE(by, x, y)         y in the lanes where the top bit of `by` is set, else x
 *
 * and these types and functions, named by TRANSLATE():
 *
 *   vec, table                         a vector of bytes; 128 entries
 *   load_table(bytes)
 *   look_up(table, index)              any result for an index of 128 or more */

/* Top bits where two vectors differ. */
TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec) TRANSLATE(differ)(TRANSLATE(vec) x, TRANSLATE(vec) y)
{
    TRANSLATE(vec) difference = TRANSLATE_XOR(x, y), low = TRANSLATE_SPREAD(127);
    return TRANSLATE_OR(TRANSLATE_ADD(TRANSLATE_AND(difference, low), low), difference);
}

/* A sum modulo 10 with one more digit by the Luhn formula. */
TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec)
    TRANSLATE(add_digit)(TRANSLATE(vec) sum, TRANSLATE(vec) digit, int doubled)
{
    if (doubled) {
        digit = TRANSLATE_ADD(digit, digit);
        digit = TRANSLATE_MIN(digit, TRANSLATE_SUB(digit, TRANSLATE_SPREAD(9)));
    }
    sum = TRANSLATE_ADD(sum, digit);
    return TRANSLATE_MIN(sum, TRANSLATE_SUB(sum, TRANSLATE_SPREAD(10)));
}

/* Vectors side by side, so that what is asked of a position is asked once for all of them. */
enum { TRANSLATE(VECTORS) = 4 };

#define TRANSLATE_EACH                                                                             \
    TALLY_UNROLL(16)                                                                               \
    for (size_t i = 0; i < vectors; i++)

/* The symbols of bytes; at least the radix where a byte is no symbol. */
TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(symbols)(const tally_translate_tables *tables,
                                                      const size_t vectors,
                                                      const TRANSLATE(vec) * bytes,
                                                      TRANSLATE(vec) * out)
{
    if (tables->is_run) {
        const TRANSLATE(vec) first = TRANSLATE_SPREAD(tables->letter[0][0]);
        TRANSLATE_EACH
        {
            out[i] = TRANSLATE_SUB(bytes[i], first);
        }
        return;
    }
    const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
    TRANSLATE_EACH
    {
        out[i] = TRANSLATE_OR(TRANSLATE(look_up)(code, bytes[i]),
                              TRANSLATE_AND(bytes[i], TRANSLATE_SPREAD(128)));
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(read_vectors)(const tally_translate_job *job,
                                                           const size_t vectors, size_t first)
{
    const tally_translate_tables *const tables = job->tables;
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *text = job->text + first;
    uint8_t *to = job->symbols + first;
    TRANSLATE(vec)
    bad[TRANSLATE(VECTORS)], most[TRANSLATE(VECTORS)], sum[TRANSLATE(VECTORS)],
        check[TRANSLATE(VECTORS)], bytes[TRANSLATE(VECTORS)], found[TRANSLATE(VECTORS)];
    TRANSLATE_EACH
    {
        bad[i] = most[i] = sum[i] = check[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++, text += lanes) {
        const uint8_t role = layout->role[p];
        TRANSLATE_EACH
        {
            bytes[i] = TRANSLATE_LOAD(text + i * size);
        }
        if (role == TALLY_TRANSLATE_OTHER) {
            const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
            const TRANSLATE(vec) kind = TRANSLATE_SPREAD(layout->code[p]);
            TRANSLATE_EACH
            {
                found[i] = TRANSLATE(look_up)(code, bytes[i]);
                bad[i] =
                    TRANSLATE_OR(TRANSLATE_OR(bad[i], bytes[i]), TRANSLATE(differ)(found[i], kind));
            }
            continue;
        }
        TRANSLATE(symbols)(tables, vectors, bytes, found);
        TRANSLATE_EACH
        {
            most[i] = TRANSLATE_MAX(most[i], found[i]);
        }
        if (tables->has_upper) {
            const TRANSLATE(table) upper = TRANSLATE(load_table)(tables->upper);
            const TRANSLATE(vec) expected = TRANSLATE_SPREAD(layout->upper[p]);
            TRANSLATE_EACH
            {
                bad[i] = TRANSLATE_OR(bad[i],
                                      TRANSLATE_XOR(TRANSLATE(look_up)(upper, bytes[i]), expected));
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                TRANSLATE_STORE(to + i * size, found[i]);
            }
            to += lanes;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                if (role == TALLY_TRANSLATE_CHECK) {
                    check[i] = found[i];
                } else {
                    sum[i] = TRANSLATE(add_digit)(sum[i], found[i], layout->doubled[p]);
                }
            }
        }
    }
    const TRANSLATE(vec) last = TRANSLATE_SPREAD(tables->last);
    TRANSLATE_EACH
    {
        bad[i] = TRANSLATE_OR(bad[i], TRANSLATE(differ)(TRANSLATE_MIN(most[i], last), most[i]));
        if (layout->luhn) {
            const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->read_digit);
            bad[i] = TRANSLATE_OR(bad[i],
                                  TRANSLATE(differ)(check[i], TRANSLATE(look_up)(digits, sum[i])));
        }
        TRANSLATE_STORE(job->bad + first + i * size, bad[i]);
    }
}

/* Writes the letters of symbols at a position. */
TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_letters)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first,
                                                            size_t p, TRANSLATE(vec) * symbols)
{
    const size_t size = sizeof(TRANSLATE(vec));
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    uint8_t *text = job->text + p * job->lanes + first;
    if (job->tables->is_run) {
        const TRANSLATE(vec) zero = TRANSLATE_SPREAD(letters[0]);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE_ADD(symbols[i], zero);
        }
    } else {
        const TRANSLATE(table) table = TRANSLATE(load_table)(letters);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(table, symbols[i]);
        }
    }
    if (job->any_bad) {
        TRANSLATE_EACH
        {
            const TRANSLATE(vec) bad = TRANSLATE_LOAD(job->bad + first + i * size);
            symbols[i] = TRANSLATE_CHOOSE(bad, symbols[i], TRANSLATE_LOAD(text + i * size));
        }
    }
    TRANSLATE_EACH
    {
        TRANSLATE_STORE(text + i * size, symbols[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_vectors)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first)
{
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *from = job->symbols + first;
    TRANSLATE(vec) sum[TRANSLATE(VECTORS)], symbols[TRANSLATE(VECTORS)];
    size_t check = 0;
    TRANSLATE_EACH
    {
        sum[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++) {
        const uint8_t role = layout->role[p];
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(from + i * size);
            }
            from += lanes;
        } else if (role == TALLY_TRANSLATE_KEPT && layout->luhn) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(job->text + p * lanes + first + i * size);
            }
            TRANSLATE(symbols)(job->tables, vectors, symbols, symbols);
        } else {
            check = role == TALLY_TRANSLATE_CHECK ? p : check;
            continue;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                sum[i] = TRANSLATE(add_digit)(sum[i], symbols[i], layout->doubled[p]);
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE(write_letters)(job, vectors, first, p, symbols);
        }
    }
    if (layout->luhn) {
        const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->write_digit);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(digits, sum[i]);
        }
        TRANSLATE(write_letters)(job, vectors, first, check, symbols);
    }
}

#define TRANSLATE_ALL(run, job)                                                                    \
    const size_t size = sizeof(TRANSLATE(vec)), block = TRANSLATE(VECTORS) * size;                 \
    size_t first = 0;                                                                              \
    for (; (job)->lanes - first >= block; first += block) {                                        \
        run(job, TRANSLATE(VECTORS), first);                                                       \
    }                                                                                              \
    for (; first < (job)->lanes; first += size) {                                                  \
        run(job, 1, first);                                                                        \
    }

static TRANSLATE_TARGET void TRANSLATE(read)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(read_vectors), job)
}

static TRANSLATE_TARGET void TRANSLATE(write)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(write_vectors), job)
}

#undef TRANSLATE_ALL
#undef TRANSLATE_EACH
#undef TRANSLATE
#undef TRANSLATE_TARGET
#undef TRANSLATE_ZERO
#undef TRANSLATE_SPREAD
#undef TRANSLATE_LOAD
#undef TRANSLATE_STORE
#undef TRANSLATE_ADD
#undef TRANSLATE_SUB
#undef TRANSLATE_MIN
#undef TRANSLATE_MAX
#undef TRANSLATE_AND
#undef TRANSLATE_OR
#undef TRANSLATE_XOR
#undef TRANSLATE_CHOOSE

const tally_translate tally_translate_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, translate_avx2_read, translate_avx2_write};

#else
typedef int tally_translate_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/columns/translate_avx512.c ---- */
/*
 * Text on lanes with AVX-512 VBMI, whose byte permute with two sources has 128 entries. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

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

#define TRANSLATE(name)  translate_avx512_##name
#define TRANSLATE_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

typedef __m512i translate_avx512_vec;
typedef struct translate_avx512_table {
    translate_avx512_vec low, high;
} translate_avx512_table;

#define TRANSLATE_ZERO             _mm512_setzero_si512()
#define TRANSLATE_SPREAD(byte)     _mm512_set1_epi8((char)(byte))
#define TRANSLATE_LOAD(p)          _mm512_load_si512(p)
#define TRANSLATE_STORE(p, v)      _mm512_store_si512(p, v)
#define TRANSLATE_ADD(x, y)        _mm512_add_epi8(x, y)
#define TRANSLATE_SUB(x, y)        _mm512_sub_epi8(x, y)
#define TRANSLATE_MIN(x, y)        _mm512_min_epu8(x, y)
#define TRANSLATE_MAX(x, y)        _mm512_max_epu8(x, y)
#define TRANSLATE_AND(x, y)        _mm512_and_si512(x, y)
#define TRANSLATE_OR(x, y)         _mm512_or_si512(x, y)
#define TRANSLATE_XOR(x, y)        _mm512_xor_si512(x, y)
#define TRANSLATE_CHOOSE(by, x, y) _mm512_mask_blend_epi8(_mm512_movepi8_mask(by), x, y)

TALLY_INLINE TRANSLATE_TARGET translate_avx512_table
translate_avx512_load_table(const uint8_t bytes[128])
{
    return (translate_avx512_table){_mm512_load_si512(bytes), _mm512_load_si512(bytes + 64)};
}

TALLY_INLINE TRANSLATE_TARGET translate_avx512_vec
translate_avx512_look_up(translate_avx512_table t, translate_avx512_vec index)
{
    return _mm512_permutex2var_epi8(t.low, index, t.high);
}

/* ---- core/columns/translate_body.h, again ---- */

TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec) TRANSLATE(differ)(TRANSLATE(vec) x, TRANSLATE(vec) y)
{
    TRANSLATE(vec) difference = TRANSLATE_XOR(x, y), low = TRANSLATE_SPREAD(127);
    return TRANSLATE_OR(TRANSLATE_ADD(TRANSLATE_AND(difference, low), low), difference);
}

TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec)
    TRANSLATE(add_digit)(TRANSLATE(vec) sum, TRANSLATE(vec) digit, int doubled)
{
    if (doubled) {
        digit = TRANSLATE_ADD(digit, digit);
        digit = TRANSLATE_MIN(digit, TRANSLATE_SUB(digit, TRANSLATE_SPREAD(9)));
    }
    sum = TRANSLATE_ADD(sum, digit);
    return TRANSLATE_MIN(sum, TRANSLATE_SUB(sum, TRANSLATE_SPREAD(10)));
}

enum { TRANSLATE(VECTORS) = 4 };

#define TRANSLATE_EACH                                                                             \
    TALLY_UNROLL(16)                                                                               \
    for (size_t i = 0; i < vectors; i++)

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(symbols)(const tally_translate_tables *tables,
                                                      const size_t vectors,
                                                      const TRANSLATE(vec) * bytes,
                                                      TRANSLATE(vec) * out)
{
    if (tables->is_run) {
        const TRANSLATE(vec) first = TRANSLATE_SPREAD(tables->letter[0][0]);
        TRANSLATE_EACH
        {
            out[i] = TRANSLATE_SUB(bytes[i], first);
        }
        return;
    }
    const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
    TRANSLATE_EACH
    {
        out[i] = TRANSLATE_OR(TRANSLATE(look_up)(code, bytes[i]),
                              TRANSLATE_AND(bytes[i], TRANSLATE_SPREAD(128)));
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(read_vectors)(const tally_translate_job *job,
                                                           const size_t vectors, size_t first)
{
    const tally_translate_tables *const tables = job->tables;
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *text = job->text + first;
    uint8_t *to = job->symbols + first;
    TRANSLATE(vec)
    bad[TRANSLATE(VECTORS)], most[TRANSLATE(VECTORS)], sum[TRANSLATE(VECTORS)],
        check[TRANSLATE(VECTORS)], bytes[TRANSLATE(VECTORS)], found[TRANSLATE(VECTORS)];
    TRANSLATE_EACH
    {
        bad[i] = most[i] = sum[i] = check[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++, text += lanes) {
        const uint8_t role = layout->role[p];
        TRANSLATE_EACH
        {
            bytes[i] = TRANSLATE_LOAD(text + i * size);
        }
        if (role == TALLY_TRANSLATE_OTHER) {
            const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
            const TRANSLATE(vec) kind = TRANSLATE_SPREAD(layout->code[p]);
            TRANSLATE_EACH
            {
                found[i] = TRANSLATE(look_up)(code, bytes[i]);
                bad[i] =
                    TRANSLATE_OR(TRANSLATE_OR(bad[i], bytes[i]), TRANSLATE(differ)(found[i], kind));
            }
            continue;
        }
        TRANSLATE(symbols)(tables, vectors, bytes, found);
        TRANSLATE_EACH
        {
            most[i] = TRANSLATE_MAX(most[i], found[i]);
        }
        if (tables->has_upper) {
            const TRANSLATE(table) upper = TRANSLATE(load_table)(tables->upper);
            const TRANSLATE(vec) expected = TRANSLATE_SPREAD(layout->upper[p]);
            TRANSLATE_EACH
            {
                bad[i] = TRANSLATE_OR(bad[i],
                                      TRANSLATE_XOR(TRANSLATE(look_up)(upper, bytes[i]), expected));
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                TRANSLATE_STORE(to + i * size, found[i]);
            }
            to += lanes;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                if (role == TALLY_TRANSLATE_CHECK) {
                    check[i] = found[i];
                } else {
                    sum[i] = TRANSLATE(add_digit)(sum[i], found[i], layout->doubled[p]);
                }
            }
        }
    }
    const TRANSLATE(vec) last = TRANSLATE_SPREAD(tables->last);
    TRANSLATE_EACH
    {
        bad[i] = TRANSLATE_OR(bad[i], TRANSLATE(differ)(TRANSLATE_MIN(most[i], last), most[i]));
        if (layout->luhn) {
            const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->read_digit);
            bad[i] = TRANSLATE_OR(bad[i],
                                  TRANSLATE(differ)(check[i], TRANSLATE(look_up)(digits, sum[i])));
        }
        TRANSLATE_STORE(job->bad + first + i * size, bad[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_letters)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first,
                                                            size_t p, TRANSLATE(vec) * symbols)
{
    const size_t size = sizeof(TRANSLATE(vec));
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    uint8_t *text = job->text + p * job->lanes + first;
    if (job->tables->is_run) {
        const TRANSLATE(vec) zero = TRANSLATE_SPREAD(letters[0]);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE_ADD(symbols[i], zero);
        }
    } else {
        const TRANSLATE(table) table = TRANSLATE(load_table)(letters);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(table, symbols[i]);
        }
    }
    if (job->any_bad) {
        TRANSLATE_EACH
        {
            const TRANSLATE(vec) bad = TRANSLATE_LOAD(job->bad + first + i * size);
            symbols[i] = TRANSLATE_CHOOSE(bad, symbols[i], TRANSLATE_LOAD(text + i * size));
        }
    }
    TRANSLATE_EACH
    {
        TRANSLATE_STORE(text + i * size, symbols[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_vectors)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first)
{
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *from = job->symbols + first;
    TRANSLATE(vec) sum[TRANSLATE(VECTORS)], symbols[TRANSLATE(VECTORS)];
    size_t check = 0;
    TRANSLATE_EACH
    {
        sum[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++) {
        const uint8_t role = layout->role[p];
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(from + i * size);
            }
            from += lanes;
        } else if (role == TALLY_TRANSLATE_KEPT && layout->luhn) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(job->text + p * lanes + first + i * size);
            }
            TRANSLATE(symbols)(job->tables, vectors, symbols, symbols);
        } else {
            check = role == TALLY_TRANSLATE_CHECK ? p : check;
            continue;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                sum[i] = TRANSLATE(add_digit)(sum[i], symbols[i], layout->doubled[p]);
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE(write_letters)(job, vectors, first, p, symbols);
        }
    }
    if (layout->luhn) {
        const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->write_digit);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(digits, sum[i]);
        }
        TRANSLATE(write_letters)(job, vectors, first, check, symbols);
    }
}

#define TRANSLATE_ALL(run, job)                                                                    \
    const size_t size = sizeof(TRANSLATE(vec)), block = TRANSLATE(VECTORS) * size;                 \
    size_t first = 0;                                                                              \
    for (; (job)->lanes - first >= block; first += block) {                                        \
        run(job, TRANSLATE(VECTORS), first);                                                       \
    }                                                                                              \
    for (; first < (job)->lanes; first += size) {                                                  \
        run(job, 1, first);                                                                        \
    }

static TRANSLATE_TARGET void TRANSLATE(read)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(read_vectors), job)
}

static TRANSLATE_TARGET void TRANSLATE(write)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(write_vectors), job)
}

#undef TRANSLATE_ALL
#undef TRANSLATE_EACH
#undef TRANSLATE
#undef TRANSLATE_TARGET
#undef TRANSLATE_ZERO
#undef TRANSLATE_SPREAD
#undef TRANSLATE_LOAD
#undef TRANSLATE_STORE
#undef TRANSLATE_ADD
#undef TRANSLATE_SUB
#undef TRANSLATE_MIN
#undef TRANSLATE_MAX
#undef TRANSLATE_AND
#undef TRANSLATE_OR
#undef TRANSLATE_XOR
#undef TRANSLATE_CHOOSE

const tally_translate tally_translate_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI}, translate_avx512_read, translate_avx512_write};

#else
typedef int tally_translate_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/columns/translate_neon.c ---- */
/*
 * Text on lanes with Advanced SIMD (NEON) on AArch64: two look-ups in 64 entries each, of which the
 * second leaves a lane as it was where the index is not its own. */

#if defined(TALLY_ARCH_AARCH64)

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

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

#define TRANSLATE(name) translate_neon_##name
#define TRANSLATE_TARGET

typedef uint8x16_t translate_neon_vec;
typedef struct translate_neon_table {
    uint8x16x4_t low, high;
} translate_neon_table;

#define TRANSLATE_ZERO         vdupq_n_u8(0)
#define TRANSLATE_SPREAD(byte) vdupq_n_u8((uint8_t)(byte))
#define TRANSLATE_LOAD(p)      vld1q_u8(p)
#define TRANSLATE_STORE(p, v)  vst1q_u8(p, v)
#define TRANSLATE_ADD(x, y)    vaddq_u8(x, y)
#define TRANSLATE_SUB(x, y)    vsubq_u8(x, y)
#define TRANSLATE_MIN(x, y)    vminq_u8(x, y)
#define TRANSLATE_MAX(x, y)    vmaxq_u8(x, y)
#define TRANSLATE_AND(x, y)    vandq_u8(x, y)
#define TRANSLATE_OR(x, y)     vorrq_u8(x, y)
#define TRANSLATE_XOR(x, y)    veorq_u8(x, y)
/* As signed numbers, bytes with the top bit are below zero. */
#define TRANSLATE_CHOOSE(by, x, y) vbslq_u8(vcltzq_s8(vreinterpretq_s8_u8(by)), y, x)

TALLY_INLINE translate_neon_table translate_neon_load_table(const uint8_t bytes[128])
{
    translate_neon_table t = {vld1q_u8_x4(bytes), vld1q_u8_x4(bytes + 64)};
    return t;
}

TALLY_INLINE translate_neon_vec translate_neon_look_up(translate_neon_table t,
                                                       translate_neon_vec index)
{
    return vqtbx4q_u8(vqtbl4q_u8(t.low, index), t.high, TRANSLATE_SUB(index, TRANSLATE_SPREAD(64)));
}

/* ---- core/columns/translate_body.h, again ---- */

TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec) TRANSLATE(differ)(TRANSLATE(vec) x, TRANSLATE(vec) y)
{
    TRANSLATE(vec) difference = TRANSLATE_XOR(x, y), low = TRANSLATE_SPREAD(127);
    return TRANSLATE_OR(TRANSLATE_ADD(TRANSLATE_AND(difference, low), low), difference);
}

TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec)
    TRANSLATE(add_digit)(TRANSLATE(vec) sum, TRANSLATE(vec) digit, int doubled)
{
    if (doubled) {
        digit = TRANSLATE_ADD(digit, digit);
        digit = TRANSLATE_MIN(digit, TRANSLATE_SUB(digit, TRANSLATE_SPREAD(9)));
    }
    sum = TRANSLATE_ADD(sum, digit);
    return TRANSLATE_MIN(sum, TRANSLATE_SUB(sum, TRANSLATE_SPREAD(10)));
}

enum { TRANSLATE(VECTORS) = 4 };

#define TRANSLATE_EACH                                                                             \
    TALLY_UNROLL(16)                                                                               \
    for (size_t i = 0; i < vectors; i++)

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(symbols)(const tally_translate_tables *tables,
                                                      const size_t vectors,
                                                      const TRANSLATE(vec) * bytes,
                                                      TRANSLATE(vec) * out)
{
    if (tables->is_run) {
        const TRANSLATE(vec) first = TRANSLATE_SPREAD(tables->letter[0][0]);
        TRANSLATE_EACH
        {
            out[i] = TRANSLATE_SUB(bytes[i], first);
        }
        return;
    }
    const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
    TRANSLATE_EACH
    {
        out[i] = TRANSLATE_OR(TRANSLATE(look_up)(code, bytes[i]),
                              TRANSLATE_AND(bytes[i], TRANSLATE_SPREAD(128)));
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(read_vectors)(const tally_translate_job *job,
                                                           const size_t vectors, size_t first)
{
    const tally_translate_tables *const tables = job->tables;
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *text = job->text + first;
    uint8_t *to = job->symbols + first;
    TRANSLATE(vec)
    bad[TRANSLATE(VECTORS)], most[TRANSLATE(VECTORS)], sum[TRANSLATE(VECTORS)],
        check[TRANSLATE(VECTORS)], bytes[TRANSLATE(VECTORS)], found[TRANSLATE(VECTORS)];
    TRANSLATE_EACH
    {
        bad[i] = most[i] = sum[i] = check[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++, text += lanes) {
        const uint8_t role = layout->role[p];
        TRANSLATE_EACH
        {
            bytes[i] = TRANSLATE_LOAD(text + i * size);
        }
        if (role == TALLY_TRANSLATE_OTHER) {
            const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
            const TRANSLATE(vec) kind = TRANSLATE_SPREAD(layout->code[p]);
            TRANSLATE_EACH
            {
                found[i] = TRANSLATE(look_up)(code, bytes[i]);
                bad[i] =
                    TRANSLATE_OR(TRANSLATE_OR(bad[i], bytes[i]), TRANSLATE(differ)(found[i], kind));
            }
            continue;
        }
        TRANSLATE(symbols)(tables, vectors, bytes, found);
        TRANSLATE_EACH
        {
            most[i] = TRANSLATE_MAX(most[i], found[i]);
        }
        if (tables->has_upper) {
            const TRANSLATE(table) upper = TRANSLATE(load_table)(tables->upper);
            const TRANSLATE(vec) expected = TRANSLATE_SPREAD(layout->upper[p]);
            TRANSLATE_EACH
            {
                bad[i] = TRANSLATE_OR(bad[i],
                                      TRANSLATE_XOR(TRANSLATE(look_up)(upper, bytes[i]), expected));
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                TRANSLATE_STORE(to + i * size, found[i]);
            }
            to += lanes;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                if (role == TALLY_TRANSLATE_CHECK) {
                    check[i] = found[i];
                } else {
                    sum[i] = TRANSLATE(add_digit)(sum[i], found[i], layout->doubled[p]);
                }
            }
        }
    }
    const TRANSLATE(vec) last = TRANSLATE_SPREAD(tables->last);
    TRANSLATE_EACH
    {
        bad[i] = TRANSLATE_OR(bad[i], TRANSLATE(differ)(TRANSLATE_MIN(most[i], last), most[i]));
        if (layout->luhn) {
            const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->read_digit);
            bad[i] = TRANSLATE_OR(bad[i],
                                  TRANSLATE(differ)(check[i], TRANSLATE(look_up)(digits, sum[i])));
        }
        TRANSLATE_STORE(job->bad + first + i * size, bad[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_letters)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first,
                                                            size_t p, TRANSLATE(vec) * symbols)
{
    const size_t size = sizeof(TRANSLATE(vec));
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    uint8_t *text = job->text + p * job->lanes + first;
    if (job->tables->is_run) {
        const TRANSLATE(vec) zero = TRANSLATE_SPREAD(letters[0]);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE_ADD(symbols[i], zero);
        }
    } else {
        const TRANSLATE(table) table = TRANSLATE(load_table)(letters);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(table, symbols[i]);
        }
    }
    if (job->any_bad) {
        TRANSLATE_EACH
        {
            const TRANSLATE(vec) bad = TRANSLATE_LOAD(job->bad + first + i * size);
            symbols[i] = TRANSLATE_CHOOSE(bad, symbols[i], TRANSLATE_LOAD(text + i * size));
        }
    }
    TRANSLATE_EACH
    {
        TRANSLATE_STORE(text + i * size, symbols[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_vectors)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first)
{
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *from = job->symbols + first;
    TRANSLATE(vec) sum[TRANSLATE(VECTORS)], symbols[TRANSLATE(VECTORS)];
    size_t check = 0;
    TRANSLATE_EACH
    {
        sum[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++) {
        const uint8_t role = layout->role[p];
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(from + i * size);
            }
            from += lanes;
        } else if (role == TALLY_TRANSLATE_KEPT && layout->luhn) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(job->text + p * lanes + first + i * size);
            }
            TRANSLATE(symbols)(job->tables, vectors, symbols, symbols);
        } else {
            check = role == TALLY_TRANSLATE_CHECK ? p : check;
            continue;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                sum[i] = TRANSLATE(add_digit)(sum[i], symbols[i], layout->doubled[p]);
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE(write_letters)(job, vectors, first, p, symbols);
        }
    }
    if (layout->luhn) {
        const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->write_digit);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(digits, sum[i]);
        }
        TRANSLATE(write_letters)(job, vectors, first, check, symbols);
    }
}

#define TRANSLATE_ALL(run, job)                                                                    \
    const size_t size = sizeof(TRANSLATE(vec)), block = TRANSLATE(VECTORS) * size;                 \
    size_t first = 0;                                                                              \
    for (; (job)->lanes - first >= block; first += block) {                                        \
        run(job, TRANSLATE(VECTORS), first);                                                       \
    }                                                                                              \
    for (; first < (job)->lanes; first += size) {                                                  \
        run(job, 1, first);                                                                        \
    }

static TRANSLATE_TARGET void TRANSLATE(read)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(read_vectors), job)
}

static TRANSLATE_TARGET void TRANSLATE(write)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(write_vectors), job)
}

#undef TRANSLATE_ALL
#undef TRANSLATE_EACH
#undef TRANSLATE
#undef TRANSLATE_TARGET
#undef TRANSLATE_ZERO
#undef TRANSLATE_SPREAD
#undef TRANSLATE_LOAD
#undef TRANSLATE_STORE
#undef TRANSLATE_ADD
#undef TRANSLATE_SUB
#undef TRANSLATE_MIN
#undef TRANSLATE_MAX
#undef TRANSLATE_AND
#undef TRANSLATE_OR
#undef TRANSLATE_XOR
#undef TRANSLATE_CHOOSE

const tally_translate tally_translate_neon = {
    {"neon", TALLY_CPU_NEON}, translate_neon_read, translate_neon_write};

#else
typedef int tally_translate_neon_is_for_aarch64; /* a file may not be empty */
#endif

TALLY_VISIBILITY_POP
