/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: internal headers for the binding of Go as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#ifndef TALLYSTICK_INTERNAL_H
#define TALLYSTICK_INTERNAL_H

#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
/* ---- core/columns/by_direction.h ---- */
/*
 * The functions of tallystick/columns.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pair. */
#ifndef TALLY_COLUMNS_BY_DIRECTION_H
#define TALLY_COLUMNS_BY_DIRECTION_H

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

TALLY_MUST_CHECK tally_status tally_fast_column(tally_fast_cipher *cipher,
                                                tally_fast_workspace *workspace,
                                                tally_direction direction, const tally_shape *shape,
                                                const tally_strings *column, const uint8_t *tweak,
                                                size_t tweak_size, const tally_strings *row_tweaks,
                                                uint8_t *values_out, uint8_t *row_status,
                                                tally_column_report *report);

/* The same, but values_out[0] receives the column's first byte, which is at offset(0). */
TALLY_MUST_CHECK tally_status tally_fast_column_moved(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    const tally_shape *shape, const tally_strings *column, const uint8_t *tweak, size_t tweak_size,
    const tally_strings *row_tweaks, uint8_t *values_out, uint8_t *row_status,
    tally_column_report *report);

#endif

/* ---- core/columns/one_value.h ---- */
/*
 * One value in place: the result of a column with one row, without its set-up. */
#ifndef TALLY_COLUMNS_ONE_VALUE_H
#define TALLY_COLUMNS_ONE_VALUE_H

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

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
} tally_transpose;

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
 * tally_fast_encrypt_column makes it; with no row tweak, row_tweak_size is 0. An invalid value
 * stays as it is, and *row says why. TALLY_ERROR_RADIX, TALLY_ERROR_ARGUMENT: as for
 * tally_fast_encrypt_column, or the value is longer. */
TALLY_MUST_CHECK tally_status tally_one_value(tally_fast_cipher *cipher,
                                              const tally_one_value_format *format,
                                              tally_direction direction, const uint8_t *tweak,
                                              size_t tweak_size, const uint8_t *row_tweak,
                                              size_t row_tweak_size, uint8_t *value, size_t size,
                                              tally_row *row);

#endif

/* ---- core/fast/words/by_direction.h ---- */
/*
 * The functions of tallystick/fast.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pairs. */
#ifndef TALLY_FAST_WORDS_BY_DIRECTION_H
#define TALLY_FAST_WORDS_BY_DIRECTION_H

TALLY_MUST_CHECK tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                                               const tally_fast_params *params,
                                               const uint8_t *tweak, size_t tweak_size,
                                               const uint8_t *words, size_t count, uint8_t *out);

TALLY_MUST_CHECK tally_status tally_fast_words_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    const tally_fast_params *params, const uint8_t *tweak, size_t tweak_size,
    const tally_strings *row_tweaks, const uint8_t *words, uint8_t *out);

TALLY_MUST_CHECK tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction,
                                               uint64_t size, const uint8_t *tweak,
                                               size_t tweak_size, const uint64_t *numbers,
                                               size_t count, uint64_t *out);

/* The same with the parameters of tally_fast_range_params for this size, which take as long to find
 * as a number to encrypt. */
TALLY_MUST_CHECK tally_status tally_fast_range_by(tally_fast_cipher *cipher,
                                                  tally_direction direction,
                                                  const tally_fast_params *params, uint64_t size,
                                                  const uint8_t *tweak, size_t tweak_size,
                                                  const uint64_t *numbers, size_t count,
                                                  uint64_t *out);

TALLY_MUST_CHECK tally_status tally_fast_range_rows(
    tally_fast_cipher *cipher, tally_fast_workspace *workspace, tally_direction direction,
    uint64_t size, const uint8_t *tweak, size_t tweak_size, const tally_strings *row_tweaks,
    const uint8_t *chosen, const uint64_t *numbers, uint64_t *out);

#endif

#endif
