/* SPDX-License-Identifier: Apache-2.0
 *
 * Text as code points: UTF-8, Unicode normal form C, and the class of a character in messages. The
 * tables are of the Unicode version that tables.c names. Code points that this version does not
 * assign are of the class "other", and stay as they are in NFC. */
#ifndef TALLY_UNICODE_UNICODE_H
#define TALLY_UNICODE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TALLY_UNICODE_LAST = 0x10FFFF,
    TALLY_UTF8_MAX_BYTES = 4 /* of a character */
};

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8 (RFC 3629: no longer form than necessary, no surrogates, nothing beyond U+10FFFF). */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Whether text is in Unicode normal form C. If it is not, *place is the byte where the character
 * begins with which it ceases to be: the text before that character is in NFC, with it no longer.
 * If it is, *place is `size`. `place` may be NULL. Each byte that is not part of UTF-8 counts as a
 * character that NFC leaves as it is. Takes memory and time for each character that do not grow
 * with the text. */
bool tally_is_nfc(const uint8_t *text, size_t size, size_t *place);

/* The canonical combining class of a code point: 0 unless it is a combining mark. */
uint8_t tally_combining_class(uint32_t point);

/* The class of a code point, as messages name it: the numbers are those of tally_character. */
enum {
    TALLY_UNICODE_LETTER = 0, /* categories L* */
    TALLY_UNICODE_DIGIT,      /* Nd */
    TALLY_UNICODE_SPACE,      /* Z* */
    TALLY_UNICODE_CONTROL,    /* Cc */
    TALLY_UNICODE_OTHER
};

uint32_t tally_character_class(uint32_t point);

#endif
