/* SPDX-License-Identifier: Apache-2.0
 *
 * Buckets: the rows of a batch by length and tweak, found by a hash table. */
#ifndef TALLY_FAST_WORDS_BUCKETS_H
#define TALLY_FAST_WORDS_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_FAST_ROWS = 4096 /* rows of a batch */ };

/* Rows of equal length and tweak. */
typedef struct tally_fast_bucket {
    const uint8_t *tail; /* the row's own part of the tweak, where the first row has it */
    uint32_t tail_size;
    uint32_t length; /* of the words */
    size_t rows;     /* their number */
} tally_fast_bucket;

typedef struct tally_fast_buckets {
    size_t count;
    tally_fast_bucket bucket[TALLY_FAST_ROWS];
    uint16_t places[2 * TALLY_FAST_ROWS]; /* by hash: the number of a bucket plus one, or 0 */
} tally_fast_buckets;

/* Removes all buckets. */
void tally_fast_buckets_clear(tally_fast_buckets *buckets);

/* Adds a row; returns the number of its bucket. The tail must stay where it is. At most
 * TALLY_FAST_ROWS rows. */
uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length);

/* Sorts the buckets by length (modulo 256, so that few lengths mix): sorted[0 .. count). If rows
 * are sorted like their buckets, those of bucket b begin at next[b]. */
void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next);

#endif
