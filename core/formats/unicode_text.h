/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of scripts: a format's options, and its columns. */
#ifndef TALLY_FORMATS_UNICODE_TEXT_H
#define TALLY_FORMATS_UNICODE_TEXT_H

#include "formats/format.h"
#include "formats/unicode_letters.h"

/* A script of a format. */
typedef struct tally_unicode_part {
    tally_unicode_letters letters;
    uint32_t least, most;   /* symbols of a word */
    uint32_t small_symbols; /* of fewer, a word has a small domain */
} tally_unicode_part;

typedef struct tally_unicode_format {
    uint32_t keep_first, keep_last; /* letters */
    int tweak_kept;
    int any;                           /* each value is of the part that has its first letter */
    int japanese;                      /* kanji and kana are mixed */
    uint32_t min_letters, max_letters; /* of Japanese */
    uint32_t count;                    /* parts, at most TALLY_SCRIPTS */
    tally_unicode_part *parts;
    uint8_t part_of[TALLY_UNICODE_PAGES]; /* the first part with letters in a page */
} tally_unicode_format;

tally_status tally_unicode_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_unicode_one(const tally_format *format, tally_run *run, tally_one *one);

/* Fills part_of, after the parts are made. */
void tally_unicode_find_parts(tally_unicode_format *own);

/* The part of a value: the first if no part has a letter of it. */
uint32_t tally_unicode_part_of(const tally_unicode_format *own, const uint8_t *value, size_t size);

/* The same for Japanese. */
enum { TALLY_JAPANESE_KANJI = 20992, TALLY_JAPANESE_KANA = 86, TALLY_JAPANESE_LETTERS = 39 };

tally_status tally_unicode_japanese_text(const tally_format *format, tally_run *run,
                                         tally_text_column *column);
tally_status tally_unicode_japanese_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_unicode_japanese_domain(const tally_unicode_format *own, const uint8_t *value,
                                   size_t size, tally_domain *out);

#endif
