/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of one layout on lanes: as many bytes each, and at every position a byte of the same kind.
 * Byte p of value k is lane k of vector p. Byte permutes translate bytes to symbols and back, for
 * many values at once. No address depends on a byte.
 *
 * A back end is a file named after its instruction set; translate.c has the table of them. */
#ifndef TALLY_COLUMNS_TRANSLATE_H
#define TALLY_COLUMNS_TRANSLATE_H

#include "columns/columns.h"
#include "fast/lanes/lanes.h"

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
    uint8_t *kept;    /* the same of the symbols that stay; NULL: they are not asked for */
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

extern const tally_translate tally_translate_avx512, tally_translate_avx2, tally_translate_neon,
    tally_translate_simd128;

/* The fastest translation that needs no CPU feature beyond those of the lanes; NULL if there is
 * none. So it depends on the pool alone, not on the CPU features in use. */
const tally_translate *tally_translate_choose(const tally_fast_lanes *lanes);

#endif
