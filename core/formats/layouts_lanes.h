/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of values of one layout: characters become digits, digits become characters. A block has
 * the character of place p of row i at text[p * TALLY_LAYOUT_ROWS + i]. */
#ifndef TALLY_FORMATS_LAYOUTS_LANES_H
#define TALLY_FORMATS_LAYOUTS_LANES_H

#include "formats/layouts.h"
#include "formats/phone_plans.h"

/* How check characters follow from the rest, and which values there are. */
typedef enum tally_check_rule {
    TALLY_CHECK_NONE = 0,
    TALLY_CHECK_IBAN,
    TALLY_CHECK_AU_TFN,
    TALLY_CHECK_BR_CNPJ,
    TALLY_CHECK_BR_CPF,
    TALLY_CHECK_LUHN,
    TALLY_CHECK_CH_SSN,
    TALLY_CHECK_DE_IDNR,
    TALLY_CHECK_ES_DNI,
    TALLY_CHECK_ES_NIE,
    TALLY_CHECK_FI_HETU,
    TALLY_CHECK_FR_NIR,
    TALLY_CHECK_GB_NHS,
    TALLY_CHECK_HR_OIB,
    TALLY_CHECK_IN_AADHAAR,
    TALLY_CHECK_IT_CODICEFISCALE,
    TALLY_CHECK_NL_BSN,
    TALLY_CHECK_PL_PESEL,
    TALLY_CHECK_SE_PERSONNUMMER,
    TALLY_CHECK_TR_TCKIMLIK,
    TALLY_CHECK_SSN,  /* no characters: whether the number can be assigned */
    TALLY_CHECK_PHONE /* no characters: whether the number is in the plan, or is not */
} tally_check_rule;

/* The check characters of a block. */
typedef struct tally_layout_checks {
    uint8_t character[TALLY_LAYOUT_CHECKS][TALLY_LAYOUT_ROWS];
    uint8_t invalid[TALLY_LAYOUT_ROWS]; /* not 0: there is no such value */
} tally_layout_checks;

typedef struct tally_layout_lanes {
    tally_backend backend;
    /* Reads `rows` values, 1..TALLY_LAYOUT_ROWS, all of which have the layout's width. status[i]
     * becomes 0, TALLY_REASON_NOTATION, TALLY_REASON_CHECK (a check character differs) or
     * TALLY_REASON_RANGE (none differs, but the rule excludes the value). All digits fit. Places of
     * all rows up to TALLY_LAYOUT_ROWS may be read and written. */
    void (*read)(const tally_layout *layout, uint8_t *text, size_t rows, tally_mixed_digits digits,
                 uint8_t status[TALLY_LAYOUT_ROWS]);
    /* Finds the rows that a rule of which few numbers are values excludes by their digits. Other
     * rules have none. */
    void (*exclude)(const tally_layout *layout, tally_mixed_digits digits, size_t rows,
                    uint8_t excluded[TALLY_LAYOUT_ROWS]);
    /* Writes values with those digits. invalid[i] becomes 1 if there is none. */
    void (*write)(const tally_layout *layout, tally_mixed_digits digits, size_t rows, uint8_t *text,
                  uint8_t invalid[TALLY_LAYOUT_ROWS]);
} tally_layout_lanes;

extern const tally_layout_lanes tally_layout_avx512, tally_layout_avx2, tally_layout_portable;

/* For one value, on every CPU; other rows of a block are not touched. It needs gcc or clang. */
extern const tally_layout_lanes tally_layout_one;

const tally_layout_lanes *tally_layout_lanes_choose(void);

/* Whether few words are values, so that only these are written. */
static inline int tally_layout_is_sparse(const tally_layout *layout)
{
    return layout->check_rule == TALLY_CHECK_DE_IDNR;
}

/* Copies the bytes, and the numbers, of up to TALLY_LAYOUT_ROWS rows whose bit is set side by side.
 * What comes from the same array must not come before it. */
typedef void tally_layout_pack(uint64_t chosen, const uint8_t *from, uint8_t *to);
typedef void tally_layout_pack_rows(uint64_t chosen, const uint16_t *from, uint16_t *to);

typedef struct tally_layout_packing {
    tally_backend backend;
    tally_layout_pack *pack;
    tally_layout_pack_rows *pack_rows;
} tally_layout_packing;

extern const tally_layout_packing tally_layout_packing_avx512;

/* Which of TALLY_LAYOUT_ROWS words of the German number are values, as bits: five symbols of radix
 * 98 each, symbol s of word i at symbols[s * stride + i]. Other words than those of a row may be
 * anything, and so are their bits. */
typedef struct tally_layout_idnr {
    tally_backend backend;
    uint64_t (*values)(const uint8_t *symbols, size_t stride);
} tally_layout_idnr;

extern const tally_layout_idnr tally_layout_idnr_avx512;

/* The digit of the text of some characters that stands at text[0], text[TALLY_LAYOUT_ROWS], ...;
 * 0xffff: it is none of the choices. */
uint32_t tally_choices_read(const tally_choices *choices, const uint8_t *text);
void tally_choices_write(const tally_choices *choices, uint32_t digit, uint8_t *text);

#endif
