/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens in text: the parts that protecting and restoring share. */
#ifndef TALLY_TEXT_TEXT_H
#define TALLY_TEXT_TEXT_H

#include "tallystick/text.h"

enum {
    TALLY_TEXT_HEADER = 3, /* symbols that tell the size of the value */
    TALLY_TEXT_BODY_MAX = TALLY_TEXT_CHECK_BITS_MAX / 8 + TALLY_TEXT_VALUE_SIZE_MAX
};

/* The symbols of bodies: no i, l, o, u. So `tly-` never begins inside a body. */
#define TALLY_TEXT_SYMBOLS "0123456789abcdefghjkmnpqrstvwxyz"

/* Where addresses that are tokens end. Nobody can have a domain in .example (RFC 2606). */
#define TALLY_TEXT_DOMAIN "tly.example"

/* Reveals check and value in place, and returns whether the key made them: `body` has the check's
 * bytes and then `size` bytes of the value, 1..4096. If it returns 0, `body` is wiped. */
int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size);

/* Whether it is a kind: 1 to 32 of a-z, 0-9 and '_', a letter first, not tly last. */
int tally_text_is_kind(const char *kind, size_t size);

/* What a stretch of text stands for, whatever escapes it is written with. */
typedef enum tally_text_class {
    TALLY_TEXT_MORE = 0, /* more bytes are needed to tell */
    TALLY_TEXT_OTHER,    /* nothing that a token has */
    TALLY_TEXT_HIGH,     /* a character beyond ASCII: may stand in a translated kind */
    TALLY_TEXT_GAP,      /* a space, or something invisible */
    TALLY_TEXT_LINE,     /* the end of a line */
    TALLY_TEXT_QUOTE,    /* what stands at the beginning of a quoted or commented line */
    TALLY_TEXT_OPEN,     /* U+27E6 */
    TALLY_TEXT_CLOSE,    /* U+27E7 */
    TALLY_TEXT_CHARACTER /* a letter in lower case, a digit, '_', '-', ':', '@' or '.' */
} tally_text_class;

typedef struct tally_text_unit {
    tally_text_class class;
    uint8_t character;
    size_t size; /* bytes of the text */
} tally_text_unit;

/* Reads the unit that begins at `at`; size >= 1. `final`: no bytes follow, so it never needs more. */
tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final);

#endif
