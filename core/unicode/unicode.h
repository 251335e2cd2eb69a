/* SPDX-License-Identifier: Apache-2.0
 *
 * Text as code points: Unicode normal form C, and the class of a character in messages. The
 * tables are of the Unicode version that tables.c names. Code points that this version does not
 * assign are of the class "other", and stay as they are in NFC. */
#ifndef TALLY_UNICODE_UNICODE_H
#define TALLY_UNICODE_UNICODE_H

#include <stdbool.h>

#include "base/utf8.h"
#include "tallystick/base.h"

enum { TALLY_UNICODE_LAST = 0x10FFFF };

/* Whether text is in Unicode normal form C. If it is not, *place is the byte where the character
 * begins with which it ceases to be: the text before that character is in NFC, with it no longer.
 * If it is, *place is `size`. `place` may be NULL. Each byte that is not part of UTF-8 counts as a
 * character that NFC leaves as it is. Takes memory and time for each character that do not grow
 * with the text. */
bool tally_is_nfc(const uint8_t *text, size_t size, size_t *place);

/* The canonical combining class of a code point: 0 unless it is a combining mark. */
uint8_t tally_combining_class(uint32_t point);

/* The class of a code point, as messages name it. */
tally_character tally_character_class(uint32_t point);

#endif
