/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scanner knows: tables that a program writes (tables.h). */
#ifndef TALLY_SCAN_KNOWLEDGE_H
#define TALLY_SCAN_KNOWLEDGE_H

#include <stddef.h>
#include <stdint.h>

/* Classes of bytes. */
enum {
    SCAN_WORD = 1, /* letters and digits of ASCII, and _ */
    SCAN_DIGIT = 2,
    SCAN_HEX = 4,
    SCAN_BASE64URL = 8,
    SCAN_BASE64 = 16,   /* both alphabets */
    SCAN_LOCAL = 32,    /* of an e-mail address, before the @ */
    SCAN_LABEL = 64,    /* of a name of a host */
    SCAN_CAPITAL = 128, /* A-Z, 0-9 */
    SCAN_JOINT = 256,   /* . , - / +: a number goes on behind them */
    SCAN_GAP = 512      /* space . - / +: inside an identifier */
};

extern const uint16_t tally_scan_classes[256];

static inline int scan_is(uint8_t byte, uint32_t classes)
{
    return (tally_scan_classes[byte] & classes) != 0;
}

enum { SCAN_ENTROPY_MOST = 256 };

/* count * log2(count) in 65536ths; count <= SCAN_ENTROPY_MOST. */
uint32_t tally_scan_weight(uint32_t count);

/* Whether a network issues cards of a number that begins with these six digits and has so many. */
int tally_scan_is_card(uint32_t first_six, uint32_t digits);

typedef struct scan_national {
    const char *name, *format;
    uint8_t certainty[2]; /* without and with punctuation */
} scan_national;

const scan_national *tally_scan_national(size_t index); /* NULL from the last one on */

enum { SCAN_NATIONALS_MOST = 32 };

typedef enum scan_check { SCAN_CHECK_NONE = 0, SCAN_CHECK_CRC32 } scan_check;

typedef struct scan_key {
    const char *name, *pattern;
    uint32_t certainty;
    scan_check check;
} scan_key;

const scan_key *tally_scan_key(size_t index); /* NULL from the last one on */

/* Words before a finding. */
enum {
    SCAN_CONTEXT_CARD = 1,
    SCAN_CONTEXT_NATIONAL_ID = 2,
    SCAN_CONTEXT_PHONE = 4,
    SCAN_CONTEXT_SECRET = 8,
    SCAN_CONTEXT_VERSION = 16
};

enum { SCAN_WORD_MOST = 24 };

/* The contexts of a word of two letters and digits or more, in any case. */
uint32_t tally_scan_word(const uint8_t *word, size_t size);

#endif
