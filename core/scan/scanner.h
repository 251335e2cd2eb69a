/* SPDX-License-Identifier: Apache-2.0
 *
 * A text on its way. The first pass (scanner.c) finds places where a finding may begin, from the
 * classes of bytes. A recognizer looks at one place, at a bounded number of bytes around it, and adds
 * the findings that pass its check. */
#ifndef TALLY_SCAN_SCANNER_H
#define TALLY_SCAN_SCANNER_H

#include <string.h>

#include "scan/rules.h"

enum {
    SCAN_BLOCK = 64,
    SCAN_BEHIND = 128,                        /* bytes before a place that may be read */
    SCAN_AHEAD = TALLY_SCAN_MAX_FINDING + 64, /* bytes from a place on, at most */
    SCAN_CAPACITY = 128 * 1024,               /* of the text in memory */
    SCAN_WINDOW = 4 * SCAN_BLOCK              /* places of candidates in flight */
};

/* The best finding that begins at a place. */
typedef struct scan_candidate {
    uint32_t size, kind, certainty, rule; /* size 0: none is held */
} scan_candidate;

struct tally_scanner {
    const tally_scan_rules *rules;
    uint64_t base;     /* of the text: buffer[SCAN_BEHIND] at first, which is offset 0 */
    size_t size, done; /* of the buffer: bytes, and those that the first pass has seen */
    int ended;
    uint64_t word_before, base64_before; /* masks of the block before */
    uint64_t colons_until; /* offset: colons before it belong to a run that was read */
    scan_candidate candidates[SCAN_WINDOW];  /* circular, by offset */
    uint64_t is_candidate[SCAN_WINDOW / 64]; /* a bit for each place that has one */
    uint64_t held_at;
    scan_candidate held; /* what overlaps it is compared with it */
    tally_scan_finding *out;
    size_t count, capacity;
    uint64_t steps; /* bytes that recognizers have read: a test bounds them */
    uint8_t buffer[SCAN_CAPACITY + SCAN_BEHIND + 2 * SCAN_BLOCK];
};

static inline uint64_t scan_offset(const tally_scanner *s, const uint8_t *at)
{
    return s->base + (uint64_t)(at - s->buffer) - SCAN_BEHIND;
}

/* Whether a byte is one of a text's; 0 is none. */
static inline int scan_one_of(const char *text, uint8_t byte)
{
    return byte != 0 && strchr(text, byte) != NULL;
}

static inline int scan_wants(const tally_scanner *s, tally_scan_kind kind)
{
    return (int)(s->rules->kinds >> kind & 1);
}

/* Adds a finding, if the rules want it. */
void tally_scan_add(tally_scanner *s, const uint8_t *at, size_t size, tally_scan_kind kind,
                    uint32_t rule, uint32_t certainty);

/* The contexts of the words in the 48 bytes before a place. */
uint32_t tally_scan_context(tally_scanner *s, const uint8_t *at);

/* The recognizers. `at` is the place of: a word's first character, and of `run` digits; 64 of them
 * may be more. */
void tally_scan_number(tally_scanner *s, const uint8_t *at, size_t run);
void tally_scan_letters(tally_scanner *s, const uint8_t *at); /* another first character */
void tally_scan_plus(tally_scanner *s, const uint8_t *at);    /* + before a digit */
void tally_scan_colon(tally_scanner *s, const uint8_t *at);   /* : */
void tally_scan_at(tally_scanner *s, const uint8_t *at);      /* @ */
void tally_scan_hyphens(tally_scanner *s, const uint8_t *at); /* the first of five - */
void tally_scan_run(tally_scanner *s, const uint8_t *at);     /* 20 characters of base64 or more */
void tally_scan_prefixed(tally_scanner *s,
                         const uint8_t *at); /* a word that may be a key or term */
void tally_scan_hexadecimal(tally_scanner *s, const uint8_t *at); /* a word: UUIDs and MACs */
void tally_scan_ipv4(tally_scanner *s, const uint8_t *at);        /* digits before a dot */
void tally_scan_jwt(tally_scanner *s, const uint8_t *at);         /* eyJ */

#endif
