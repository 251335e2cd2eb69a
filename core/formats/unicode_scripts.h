/* SPDX-License-Identifier: Apache-2.0
 *
 * The letters of each script that text is encrypted over: data, which tokens depend on.
 *
 * What is here never changes, whatever Unicode version a machine has: a letter's place in its list
 * is its symbol. Letters beyond these would be another list, under another name. */
#ifndef TALLY_FORMATS_UNICODE_SCRIPTS_H
#define TALLY_FORMATS_UNICODE_SCRIPTS_H

#include <stddef.h>
#include <stdint.h>

/* Code points first..last, which are of the Basic Multilingual Plane. */
typedef struct tally_unicode_span {
    uint16_t first, last;
} tally_unicode_span;

typedef struct tally_unicode_spans {
    const tally_unicode_span *span;
    size_t count;
} tally_unicode_spans;

/* Combining marks, and their canonical combining class, by which NFC orders them. */
typedef struct tally_unicode_mark {
    tally_unicode_span span;
    uint8_t order;
} tally_unicode_mark;

/* A character that stands in NFC for a letter and the mark `nukta`. */
typedef struct tally_unicode_composition {
    uint16_t whole, letter;
} tally_unicode_composition;

enum {
    TALLY_UNICODE_COMPOSED = 3,
    TALLY_UNICODE_NUKTA = 0x093C,
    TALLY_UNICODE_NUKTA_ORDER = 7 /* its class */
};

/* A script. Text is in NFC, and so is what replaces it: no sign makes one character of a letter and
 * itself, but for `composed`. */
typedef struct tally_script {
    const char *name;
    const char *sample; /* a name */
    tally_unicode_spans
        lower; /* the letters in the order of their symbols, those of one form too */
    tally_unicode_spans upper; /* the other form of each; a place keeps its form */
    tally_unicode_span direct; /* more letters, side by side and of one form: Japanese alone */
    tally_unicode_spans signs; /* signs and vowels that stay, of combining class 0 */
    const tally_unicode_mark *marks; /* that stay */
    size_t mark_count;
    uint16_t medial, final; /* a letter of `lower`, and how it is written at the end of a word; 0 */
    const tally_unicode_composition *composed; /* TALLY_UNICODE_COMPOSED of them, or NULL */
} tally_script;

enum { TALLY_SCRIPTS = 9, TALLY_SCRIPT_LATIN = 0, TALLY_SCRIPT_KANA = 6, TALLY_SCRIPT_CJK = 8 };

extern const tally_script tally_scripts[TALLY_SCRIPTS];

/* Japanese: the letters of `kana`, and those of `cjk` as direct ones. */
extern const tally_script tally_script_japanese;

#endif
