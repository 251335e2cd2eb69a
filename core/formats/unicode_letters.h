/* SPDX-License-Identifier: Apache-2.0
 *
 * The letters of one script as tables: what each character is, and which one a symbol is written
 * with. */
#ifndef TALLY_FORMATS_UNICODE_LETTERS_H
#define TALLY_FORMATS_UNICODE_LETTERS_H

#include "formats/unicode_scripts.h"
#include "tallystick/base.h"

/* The code of a character. Smaller codes than TALLY_UNICODE_MARK are letters: symbol times forms,
 * plus the form; one more is the letter with a form at the end of a word, in that form. */
enum {
    TALLY_UNICODE_KANJI = 0x1000, /* the code of Japanese's first ideograph */
    TALLY_UNICODE_MARK = 0xFF00,  /* plus the combining class, which is below 0xF0 */
    TALLY_UNICODE_WHOLE = 0xFFF0, /* plus the place of a character in script->composed */
    TALLY_UNICODE_NONE = 0xFFFD,  /* no character has it */
    TALLY_UNICODE_KEPT = 0xFFFE,
    TALLY_UNICODE_FOREIGN = 0xFFFF
};

enum {
    TALLY_UNICODE_PAGE_BITS = 6,
    TALLY_UNICODE_PAGES = 0x10000 >> TALLY_UNICODE_PAGE_BITS,
    TALLY_UNICODE_SHORT_PAGES = 256, /* up to U+3FFF: all that have letters of one symbol */
    TALLY_UNICODE_PAGE = 1 << TALLY_UNICODE_PAGE_BITS /* codes of a page */
};

/* UTF-8 of a letter: its bytes, the first in the lowest 8 bits, and their number in the highest. */
typedef uint32_t tally_unicode_bytes;

enum { TALLY_UNICODE_WIDTH_SHIFT = 24 };

typedef struct tally_unicode_letters {
    const tally_script *script;
    uint32_t size;   /* the number of letters */
    uint32_t digits; /* symbols of a letter: 1, or 2 where 256 are not enough */
    uint32_t radix;  /* of the cipher: as many as letters, or the least whose square is */
    uint32_t shift;  /* a code divided by the number of forms: 0 or 1 */
    tally_unicode_bytes final_bytes; /* of that form */
    uint16_t medial, final; /* codes of the letter with a final form; else TALLY_UNICODE_NONE */
    /* Letters that are side by side and have one form: their codes are in no page. They are all
     * letters, if those are of two symbols; or the ideographs of Japanese. */
    uint16_t direct, direct_code;           /* the first, and its code */
    uint32_t direct_size;                   /* or 0 */
    uint16_t bases[TALLY_UNICODE_COMPOSED]; /* codes of script->composed's letters */

    uint16_t ascii[128];
    uint8_t short_ascii[128]; /* for vectors: those codes, less their upper byte */
    uint8_t short_page_of[TALLY_UNICODE_SHORT_PAGES]; /* and the first pages */
    uint16_t page_of[TALLY_UNICODE_PAGES]; /* of a code point's upper bits; page 0 is foreign */
    uint16_t (*pages)[TALLY_UNICODE_PAGE];
    tally_unicode_bytes *bytes; /* of each code in pages; NULL if all letters are direct */
    size_t page_count;
} tally_unicode_letters;

/* Makes the tables of a script with some separators, in memory of the allocator.
 * TALLY_ERROR_MEMORY: there is too little; then release the tables made so far. */
TALLY_MUST_CHECK tally_status tally_unicode_letters_init(const tally_allocator *allocator,
                                                         const tally_script *script,
                                                         const uint16_t *separators,
                                                         size_t separator_count,
                                                         tally_unicode_letters *out);

/* Releases the tables; none may have been made. */
void tally_unicode_letters_free(const tally_allocator *allocator, tally_unicode_letters *letters);

/* The number of letters in spans. */
uint32_t tally_unicode_count(tally_unicode_spans spans);

/* The code of a character. */
static inline uint16_t tally_unicode_code(const tally_unicode_letters *letters, uint32_t point)
{
    if (point - letters->direct < letters->direct_size) {
        return (uint16_t)(point - letters->direct + letters->direct_code);
    }
    if (point > 0xFFFF) {
        return TALLY_UNICODE_FOREIGN;
    }
    const uint16_t page = letters->page_of[point >> TALLY_UNICODE_PAGE_BITS];
    return letters->pages[page][point & (TALLY_UNICODE_PAGE - 1)];
}

/* Whether a code is that of a letter, or of a character that stands for one with a mark. */
static inline int tally_unicode_is_letter(uint32_t code)
{
    return code < TALLY_UNICODE_MARK ||
           (code >= TALLY_UNICODE_WHOLE && code < TALLY_UNICODE_WHOLE + TALLY_UNICODE_COMPOSED);
}

/* Whether a code is that of a combining mark. */
static inline int tally_unicode_is_mark(uint32_t code)
{
    return code > TALLY_UNICODE_MARK && code < TALLY_UNICODE_WHOLE;
}

#endif
