/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with linear probing. Tweaks are no secrets. */
#include "fast/words/buckets.h"

#include <string.h>

enum { BUCKETS_PLACES = 2 * TALLY_FAST_ROWS };

void tally_fast_buckets_clear(tally_fast_buckets *buckets)
{
    buckets->count = 0;
    memset(buckets->places, 0, sizeof buckets->places);
}

/* At most eight bytes as a number, which has no equal of the same size. */
static inline uint64_t buckets_few(const uint8_t *bytes, size_t size)
{
    uint32_t first, last;
    if (size >= 4) { /* they may overlap */
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + size - 4, 4);
        return (uint64_t)last << 32 | first;
    }
    return size == 0 ? 0
                     : (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 8 | bytes[size - 1];
}

static inline int buckets_are_equal(const uint8_t *x, const uint8_t *y, size_t size)
{
    return size <= 8 ? buckets_few(x, size) == buckets_few(y, size) : memcmp(x, y, size) == 0;
}

/* Eight bytes at a time, the last eight perhaps overlapping those before. */
static size_t buckets_hash(const uint8_t *tail, size_t size, size_t length)
{
    if (size == 0) {
        return length;
    }
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (length + ((uint64_t)size << 32)) * factor, eight = 0;
    if (size < 8) {
        eight = buckets_few(tail, size);
    } else {
        for (size_t i = 0; i + 8 < size; i += 8) {
            memcpy(&eight, tail + i, 8);
            hash = (hash ^ eight) * factor;
            hash ^= hash >> 32;
        }
        memcpy(&eight, tail + size - 8, 8);
    }
    hash ^= eight;
    hash = (hash ^ hash >> 32) * factor; /* every byte reaches the bits that are returned */
    return (size_t)(hash >> 32);
}

uint16_t tally_fast_buckets_add(tally_fast_buckets *buckets, const uint8_t *tail, size_t tail_size,
                                size_t length)
{
    size_t place = buckets_hash(tail, tail_size, length) % BUCKETS_PLACES;
    for (; buckets->places[place] != 0; place = (place + 1) % BUCKETS_PLACES) {
        tally_fast_bucket *bucket = &buckets->bucket[buckets->places[place] - 1];
        if (bucket->length == length && bucket->tail_size == tail_size &&
            buckets_are_equal(bucket->tail, tail, tail_size)) {
            bucket->rows++;
            return (uint16_t)(buckets->places[place] - 1);
        }
    }
    buckets->bucket[buckets->count] =
        (tally_fast_bucket){tail, (uint32_t)tail_size, (uint32_t)length, 1};
    buckets->places[place] = (uint16_t)++buckets->count;
    return (uint16_t)(buckets->count - 1);
}

void tally_fast_buckets_sort(const tally_fast_buckets *buckets, uint16_t *sorted, uint16_t *next)
{
    enum { BUCKETS_CLASSES = 256 };
    size_t end[BUCKETS_CLASSES + 1] = {0}, row = 0;
    for (size_t i = 0; i < buckets->count; i++) {
        end[buckets->bucket[i].length % BUCKETS_CLASSES + 1]++;
    }
    for (size_t i = 0; i < BUCKETS_CLASSES; i++) {
        end[i + 1] += end[i];
    }
    for (size_t i = 0; i < buckets->count; i++) {
        sorted[end[buckets->bucket[i].length % BUCKETS_CLASSES]++] = (uint16_t)i;
    }
    for (size_t i = 0; i < buckets->count; i++) {
        next[sorted[i]] = (uint16_t)row;
        row += buckets->bucket[sorted[i]].rows;
    }
}
