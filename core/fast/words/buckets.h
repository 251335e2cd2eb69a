/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows of a batch have length and tweak in common: a hash table of their bundles. */
#ifndef TALLY_FAST_WORDS_BUCKETS_H
#define TALLY_FAST_WORDS_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_FAST_ROWS = 4096 /* rows of a column that are worked on together */ };

/* What the rows of a bundle have in common. */
typedef struct tally_fast_bundle {
    const uint8_t *tail; /* what of the tweak is the rows' own, at the first of them */
    uint32_t tail_size;
    uint32_t length; /* of the words */
    size_t rows;     /* how many there are */
} tally_fast_bundle;

typedef struct tally_fast_finder {
    size_t count;
    tally_fast_bundle bundles[TALLY_FAST_ROWS];
    uint16_t places[2 * TALLY_FAST_ROWS]; /* by hash: the number of a bundle plus one, or 0 */
} tally_fast_finder;

/* Forgets all bundles. */
void tally_fast_finder_clear(tally_fast_finder *finder);

/* Adds a row; returns the number of its bundle. The tail must stay where it is. At most
 * TALLY_FAST_ROWS rows. */
uint16_t tally_fast_finder_add(tally_fast_finder *finder, const uint8_t *tail, size_t tail_size,
                               size_t length);

/* Lists the bundles by length (modulo 256, so that few lengths mix). Row i of bundle b then belongs
 * to place next[b] + i, if the rows are sorted like the bundles. */
void tally_fast_finder_sort(const tally_fast_finder *finder, uint16_t *sorted, uint16_t *next);

#endif
