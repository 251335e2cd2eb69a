/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the Unicode character database, in tables.c. */
#ifndef TALLY_UNICODE_TABLES_H
#define TALLY_UNICODE_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* Runs of code points that have the same property, ascending, the first from 0. An item is the first
 * code point, times 2^11, and the property. */
enum { TALLY_UNICODE_PROPERTY_BITS = 11 };

typedef struct tally_unicode_runs {
    const uint32_t *runs;
    size_t count;
} tally_unicode_runs;

/* A property of normalization is a combining class, and bits. */
enum {
    TALLY_UNICODE_CLASS = 0xFF,
    TALLY_UNICODE_SECOND = 0x100, /* with some character before it, it becomes one character */
    TALLY_UNICODE_NEVER = 0x200   /* never occurs in NFC */
};

extern const tally_unicode_runs tally_unicode_categories; /* each a tally_character */
extern const tally_unicode_runs tally_unicode_normal;

/* Two characters that NFC makes one of, without syllables of Hangul: the first times 2^42, the
 * second times 2^21, the one. Ascending. */
extern const uint64_t tally_unicode_pairs[];
extern const size_t tally_unicode_pair_count;

/* The places in tally_unicode_pairs in the order of the one. */
extern const uint16_t tally_unicode_compositions[];

#endif
