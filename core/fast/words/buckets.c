/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles of rows by hash, with linear probing. Tweaks are no secrets. */
#include "fast/words/buckets.h"

#include <string.h>

enum { PLACES = 2 * TALLY_FAST_ROWS };

void tally_fast_finder_clear(tally_fast_finder *finder)
{
    finder->count = 0;
    memset(finder->places, 0, sizeof finder->places);
}

/* Eight bytes at a time, the last eight perhaps overlapping those before. */
static size_t hash_of(const uint8_t *tail, size_t size, size_t length)
{
    if (size == 0) {
        return length;
    }
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (length + ((uint64_t)size << 32)) * factor, eight = 0;
    if (size < 8) {
        for (size_t i = 0; i < size; i++) {
            eight = eight << 8 | tail[i];
        }
    } else {
        for (size_t i = 0; i + 8 < size; i += 8) {
            memcpy(&eight, tail + i, 8);
            hash = (hash ^ eight) * factor;
            hash ^= hash >> 32;
        }
        memcpy(&eight, tail + size - 8, 8);
    }
    hash = (hash ^ eight) * factor;
    return (size_t)(hash >> 32);
}

uint16_t tally_fast_finder_add(tally_fast_finder *finder, const uint8_t *tail, size_t tail_size,
                               size_t length)
{
    size_t place = hash_of(tail, tail_size, length) % PLACES;
    for (; finder->places[place] != 0; place = (place + 1) % PLACES) {
        tally_fast_bundle *bundle = &finder->bundles[finder->places[place] - 1];
        if (bundle->length == length && bundle->tail_size == tail_size &&
            (tail_size == 0 || memcmp(bundle->tail, tail, tail_size) == 0)) {
            bundle->rows++;
            return (uint16_t)(finder->places[place] - 1);
        }
    }
    finder->bundles[finder->count] =
        (tally_fast_bundle){tail, (uint32_t)tail_size, (uint32_t)length, 1};
    finder->places[place] = (uint16_t)++finder->count;
    return (uint16_t)(finder->count - 1);
}

void tally_fast_finder_sort(const tally_fast_finder *finder, uint16_t *sorted, uint16_t *next)
{
    enum { CLASSES = 256 };
    size_t end[CLASSES + 1] = {0}, row = 0;
    for (size_t i = 0; i < finder->count; i++) {
        end[finder->bundles[i].length % CLASSES + 1]++;
    }
    for (size_t i = 0; i < CLASSES; i++) {
        end[i + 1] += end[i];
    }
    for (size_t i = 0; i < finder->count; i++) {
        sorted[end[finder->bundles[i].length % CLASSES]++] = (uint16_t)i;
    }
    for (size_t i = 0; i < finder->count; i++) {
        next[sorted[i]] = (uint16_t)row;
        row += finder->bundles[sorted[i]].rows;
    }
}
