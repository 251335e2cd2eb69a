/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows by hashes of their tweaks. Tweaks are no secrets. */
#include "fast/words/groups.h"

#include <string.h>

#include "base/align.h"
#include "fast/words/buckets.h"

enum {
    GROUPS_ROW = sizeof(uint32_t) + sizeof(uint16_t),
    GROUPS_ROWS = 256 /* of a group, where there are so many: few beside those of a batch */
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
    const size_t room = (size - (TALLY_ALIGNMENT - 1) - sizeof(tally_groups)) / GROUPS_ROW;
    tally_groups *groups = tally_align(memory);
    groups->capacity = rows < room ? (size_t)rows : room;
    groups->order = (uint32_t *)(groups + 1);
    groups->number = (uint16_t *)(groups->order + groups->capacity);
    return groups;
}

void tally_groups_clear(tally_groups *groups, size_t rows)
{
    unsigned bits = 1;
    while (bits < TALLY_GROUPS_BITS && rows >> bits > GROUPS_ROWS) {
        bits++;
    }
    groups->rows = 0;
    groups->shift = 64 - bits;
    memset(groups->end, 0, sizeof groups->end);
}

void tally_groups_sort(tally_groups *groups)
{
    uint32_t before = 0;
    for (size_t i = 0; i < TALLY_GROUPS_NONE; i++) {
        const uint32_t rows = groups->end[i];
        groups->end[i] = before;
        before += rows;
    }
    for (size_t i = 0; i < groups->rows; i++) {
        if (groups->number[i] != TALLY_GROUPS_NONE) {
            groups->order[groups->end[groups->number[i]]++] = (uint32_t)i;
        }
    }
}

uint64_t tally_groups_hash(uint64_t hash, const uint8_t *bytes, size_t size)
{
    uint64_t eight = 0;
    for (; size > 8; bytes += 8, size -= 8) {
        memcpy(&eight, bytes, 8);
        hash = tally_groups_hash_eight(hash, eight);
    }
    eight = 0;
    if (size != 0) {
        memcpy(&eight, bytes, size);
    }
    return tally_groups_hash_eight(hash, eight ^ (uint64_t)size << 56);
}
