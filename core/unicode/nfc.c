/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether text is in NFC, without normalizing it (UAX #15). Text is not in NFC at a character c if
 *
 *  - c never occurs in NFC; or
 *  - c is a mark behind one of a higher combining class; or
 *  - c is no mark, and makes one character with the one directly before it; or
 *  - c is a mark, none of its class stands between it and the last character s that is no mark, and
 *    c makes one character with the part of s that canonical order has before c. If s is composed of
 *    a letter and marks, those of a class above c's come after c: e with acute, then a dot below, is
 *    e with dot below, then the acute.
 *
 * Marks between s and c that stay do not matter: they have lower classes than c, so they block
 * nothing. */
#include "unicode/properties.h"

enum {
    NFC_PLAIN = 0x300, /* all before it are no marks, and compose with nothing before them */
    NFC_HANGUL = 0xAC00,
    NFC_HANGUL_LEADS = 19,
    NFC_HANGUL_VOWELS = 21,
    NFC_HANGUL_TAILS = 28,
    NFC_LEADS = 0x1100,
    NFC_VOWELS = 0x1161,
    NFC_TAILS = 0x11A7, /* the first stands for none */
    NFC_POINT_BITS = 21
};

#define NFC_NONE       0xFFFFFFFFu /* no character */
#define NFC_POINT_MASK (((uint64_t)1 << NFC_POINT_BITS) - 1)

/* Whether two characters make one. */
static bool nfc_compose(uint32_t first, uint32_t second)
{
    if (first - NFC_LEADS < NFC_HANGUL_LEADS && second - NFC_VOWELS < NFC_HANGUL_VOWELS) {
        return true;
    }
    uint32_t syllable = first - NFC_HANGUL;
    if (syllable < NFC_HANGUL_LEADS * NFC_HANGUL_VOWELS * NFC_HANGUL_TAILS &&
        syllable % NFC_HANGUL_TAILS == 0 && second - NFC_TAILS - 1 < NFC_HANGUL_TAILS - 1) {
        return true;
    }
    uint64_t sought = (uint64_t)first << NFC_POINT_BITS | second;
    size_t low = 0, high = tally_unicode_pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tally_unicode_pairs[middle] >> NFC_POINT_BITS < sought) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tally_unicode_pair_count && tally_unicode_pairs[low] >> NFC_POINT_BITS == sought;
}

/* The place of a character's decomposition in the pairs, or their count if it has none. */
static size_t nfc_pair_of(uint32_t whole)
{
    size_t low = 0, high = tally_unicode_pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((tally_unicode_pairs[tally_unicode_compositions[middle]] & NFC_POINT_MASK) < whole) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == tally_unicode_pair_count) {
        return low;
    }
    size_t place = tally_unicode_compositions[low];
    return (tally_unicode_pairs[place] & NFC_POINT_MASK) == whole ? place
                                                                  : tally_unicode_pair_count;
}

/* The part of a character that canonical order has before a mark of class `mark`. */
static uint32_t nfc_part_before(uint32_t starter, uint32_t mark)
{
    for (;;) { /* ends: the first of a pair has fewer parts */
        size_t place = nfc_pair_of(starter);
        if (place == tally_unicode_pair_count) {
            return starter;
        }
        uint64_t pair = tally_unicode_pairs[place];
        if (tally_combining_class((uint32_t)(pair >> NFC_POINT_BITS & NFC_POINT_MASK)) <= mark) {
            return starter;
        }
        starter = (uint32_t)(pair >> 2 * NFC_POINT_BITS);
    }
}

bool tally_is_nfc(const uint8_t *text, size_t size, size_t *place)
{
    uint32_t starter = NFC_NONE; /* the last character that is no mark */
    uint32_t mark = 0;           /* the class of the mark directly before; 0: it is none */
    size_t at = 0;
    while (at < size) {
        uint32_t point = text[at], width = 1;
        if (point >= 0x80) {
            width = tally_utf8_decode(text + at, text + size, &point);
            if (width == 0) {
                width = 1;
                point = NFC_NONE;
            }
        }
        if (point < NFC_PLAIN || point == NFC_NONE) {
            starter = point;
            mark = 0;
            at += width;
            continue;
        }
        uint32_t property = tally_unicode_property(&tally_unicode_normal, point);
        uint32_t order = property & TALLY_UNICODE_CLASS;
        bool composes = false;
        if ((property & TALLY_UNICODE_SECOND) != 0 && starter != NFC_NONE) {
            if (order == 0) {
                composes = mark == 0 && nfc_compose(starter, point);
            } else if (mark != order) {
                composes = nfc_compose(nfc_part_before(starter, order), point);
            }
        }
        if ((property & TALLY_UNICODE_NEVER) != 0 || (order != 0 && order < mark) || composes) {
            break;
        }
        if (order == 0) {
            starter = point;
        }
        mark = order;
        at += width;
    }
    if (place != NULL) {
        *place = at;
    }
    return at == size;
}
