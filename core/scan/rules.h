/* SPDX-License-Identifier: Apache-2.0
 *
 * What a scanner looks for: formats that check numbers, patterns, and the terms of lists. */
#ifndef TALLY_SCAN_RULES_H
#define TALLY_SCAN_RULES_H

#include "formats/format.h"
#include "scan/knowledge.h"
#include "tallystick/scan.h"
#include "json/json.h"

/* A character or class of a pattern, and how often it may stand: as often as possible is taken. */
typedef struct scan_item {
    uint64_t bytes[4];
    uint16_t least, most;
} scan_item;

typedef struct scan_pattern {
    const scan_item *item;
    uint32_t items, rule, kind, certainty;
    scan_check check;
} scan_pattern;

typedef struct scan_term {
    const uint8_t *text; /* ASCII in lower case */
    uint32_t size, rule;
} scan_term;

enum {
    SCAN_WIDTHS = 24,
    SCAN_GAPS = 12,
    SCAN_PATTERN_WORDS = 5 /* of 64 bits, one for each pattern */
};

struct tally_scan_rules {
    tally_allocator allocator;
    int has_allocator;
    uint32_t kinds; /* as bits */
    uint32_t least;
    tally_format *national[SCAN_NATIONALS_MOST], *iban, *phone;
    /* By width and separators: the national identifiers that may have them, as bits. */
    uint32_t of_shape[SCAN_WIDTHS][SCAN_GAPS];
    /* By place and separator, whose low three bits differ: those that may have it there, as bits. */
    uint32_t of_gap[SCAN_WIDTHS][8];
    /* Without and with punctuation: those that are certain enough, alone or with a word before. */
    uint32_t certain[2], with_word[2];
    /* Where words of two bytes may begin a pattern or a term, as bits. */
    uint8_t begins[65536 / 8];
    uint64_t of_first[256][SCAN_PATTERN_WORDS]; /* the patterns that begin with a byte */
    scan_pattern *pattern;
    size_t patterns, pattern_capacity;
    scan_item *item;
    size_t items, item_capacity;
    scan_term *term;
    const void **sorted; /* the terms in the order of their bytes */
    size_t terms, term_capacity;
    uint8_t *text; /* of terms */
    size_t text_size, text_capacity;
    size_t names, name_capacity; /* of rules of the user */
    char (*name)[72];
    int wide;                    /* whether a term begins with a character that is not ASCII */
    size_t first_key, first_own; /* numbers of rules: kinds, national identifiers, keys, own ones */
};

static inline int scan_begins(const tally_scan_rules *rules, const uint8_t *at)
{
    const uint32_t both = at[0] | (uint32_t)at[1] << 8;
    return rules->begins[both >> 3] >> (both & 7) & 1;
}

static inline int scan_item_has(const scan_item *item, uint8_t byte)
{
    return (int)(item->bytes[byte / 64] >> (byte % 64) & 1);
}

static inline uint8_t scan_fold(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Reads a pattern into `items`, at most TALLY_SCAN_MAX_ITEMS; returns how many, or 0 and why it is
 * refused. */
size_t tally_scan_parse(const char *text, size_t size, scan_item *items, const char **why);

/* The bytes from `at` on that match a pattern, or 0. *steps grows by the bytes that were read. */
size_t tally_scan_match(const scan_pattern *pattern, const uint8_t *at, uint64_t *steps);

/* Whether the last six characters of a token are the CRC-32 of those behind its prefix. */
int tally_scan_crc32(const uint8_t *at, size_t size);

#endif
