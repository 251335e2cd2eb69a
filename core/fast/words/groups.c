/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows by hashes of their tweaks. Tweaks are no secrets. */
#include "fast/words/groups.h"

#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "fast/words/buckets.h"

enum {
    GROUPS_ROW = 2 * sizeof(uint32_t),
    GROUPS_SAMPLE = 8192, /* rows that tell whether many hashes are equal */
    GROUPS_SORTED = 4096, /* rows of a group that is sorted, at most */
    GROUPS_ROWS = 256     /* of a group, where there are so many: few beside those of a batch */
};

size_t tally_groups_size(size_t rows)
{
    return rows <= TALLY_FAST_ROWS ? 0
                                   : TALLY_ALIGNMENT - 1 + sizeof(tally_groups) + rows * GROUPS_ROW;
}

tally_groups *tally_groups_init(void *memory, size_t size, uint64_t rows)
{
    if (memory == NULL || rows <= TALLY_FAST_ROWS ||
        size < tally_groups_size(TALLY_FAST_ROWS + 1)) {
        return NULL;
    }
    const size_t capacity = (size - (TALLY_ALIGNMENT - 1) - sizeof(tally_groups)) / GROUPS_ROW;
    tally_groups *groups = tally_align(memory);
    groups->capacity = rows < capacity ? (size_t)rows : capacity;
    if (groups->capacity > TALLY_GROUPS_MOST) {
        groups->capacity = TALLY_GROUPS_MOST;
    }
    groups->order = (uint32_t *)(groups + 1);
    groups->hash = groups->order + groups->capacity;
    return groups;
}

void tally_groups_clear(tally_groups *groups, size_t rows)
{
    unsigned bits = 1;
    while (bits < TALLY_GROUPS_BITS && rows >> bits > GROUPS_ROWS) {
        bits++;
    }
    groups->rows = 0;
    groups->bits = bits;
    memset(groups->end, 0, sizeof groups->end);
}

/* Sorts the rows of a group by the next bits of their hashes. */
static void groups_sort_one(uint32_t *order, size_t count)
{
    enum { CLASSES = 256, SHIFT = 24 };
    uint32_t sorted[GROUPS_SORTED];
    uint16_t end[CLASSES + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        end[(order[i] >> SHIFT) + 1]++;
    }
    for (size_t i = 0; i < CLASSES; i++) {
        end[i + 1] = (uint16_t)(end[i + 1] + end[i]);
    }
    for (size_t i = 0; i < count; i++) {
        sorted[end[order[i] >> SHIFT]++] = order[i];
    }
    memcpy(order, sorted, count * sizeof *order);
}

void tally_groups_sort(tally_groups *groups)
{
    const unsigned shift = 2 * TALLY_GROUPS_BITS - groups->bits;
    uint32_t before = 0;
    for (size_t i = 0; i < TALLY_GROUPS_NONE; i++) {
        const uint32_t rows = groups->end[i];
        groups->end[i] = before;
        before += rows;
    }
    for (size_t i = 0; i < groups->rows; i++) {
        const uint32_t hash = groups->hash[i];
        if (hash != UINT32_MAX) {
            groups->order[groups->end[hash >> shift]++] = hash << 20 | (uint32_t)i;
        }
    }
    for (size_t i = 0, start = 0; i < TALLY_GROUPS_NONE; start = groups->end[i++]) {
        const size_t rows = groups->end[i] - start;
        if (rows > 1 && rows <= GROUPS_SORTED) {
            groups_sort_one(groups->order + start, rows);
        }
    }
}

int tally_groups_gain(const tally_groups *groups)
{
    const size_t count = groups->end[TALLY_GROUPS_NONE - 1],
                 some = count < GROUPS_SAMPLE ? count : GROUPS_SAMPLE;
    size_t equal = 0;
    for (size_t i = 1; i < some; i++) {
        equal += groups->order[i] >> 20 == groups->order[i - 1] >> 20;
    }
    return 4 * equal >= some;
}

void tally_groups_undo(tally_groups *groups)
{
    uint32_t count = 0;
    for (size_t i = 0; i < groups->rows; i++) {
        groups->order[count] = (uint32_t)i;
        count += groups->hash[i] != UINT32_MAX;
    }
    for (size_t i = 0; i < TALLY_GROUPS_NONE; i++) {
        groups->end[i] = count;
    }
}

uint64_t tally_groups_hash(uint64_t hash, const uint8_t *bytes, size_t size)
{
    for (; size > 8; bytes += 8, size -= 8) {
        hash = tally_groups_hash_eight(hash, tally_load_few(bytes, 8));
    }
    return tally_groups_hash_eight(hash, tally_load_few(bytes, size) ^ (uint64_t)size << 56);
}
