/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups: a counting sort of many rows by a hash of their tweaks, so that rows of equal tweaks come
 * together. Rows of a group may have several tweaks: callers tell them apart. So hashes that
 * collide, by chance or on purpose, cost no more than rows in their first order. */
#ifndef TALLY_FAST_WORDS_GROUPS_H
#define TALLY_FAST_WORDS_GROUPS_H

#include <stddef.h>
#include <stdint.h>

enum {
    TALLY_GROUPS_BITS = 12,      /* of a group's number, at most */
    TALLY_GROUPS_MOST = 1 << 20, /* rows: a row's number and 12 bits of its hash are 32 */
    TALLY_GROUPS_NONE = 1 << TALLY_GROUPS_BITS /* the number of a row that is in no group */
};

typedef struct tally_groups {
    size_t capacity;                 /* rows */
    size_t rows;                     /* so far */
    unsigned bits;                   /* of the number of a group */
    uint32_t *order;                 /* the rows, group by group: see tally_groups_row */
    uint32_t *hash;                  /* of each row: 24 bits, the upper ones its group's number */
    uint32_t end[TALLY_GROUPS_NONE]; /* where each group ends in `order`; until then, its rows */
} tally_groups;

/* Bytes of memory for so many rows; 0: too few to gain. */
size_t tally_groups_size(size_t rows);

/* Sets groups up in memory of any alignment, which may be less or more than the rows need. Returns
 * NULL if it is not enough for more rows than a batch. */
tally_groups *tally_groups_init(void *memory, size_t size, uint64_t rows);

/* Begins again, with `rows` rows to come. */
void tally_groups_clear(tally_groups *groups, size_t rows);

/* Adds a row with its hash; or one that is in no group. At most groups->capacity. */
static inline void tally_groups_add(tally_groups *groups, uint64_t hash)
{
    groups->hash[groups->rows++] = (uint32_t)(hash >> 2 * (32 - TALLY_GROUPS_BITS));
    groups->end[hash >> (64 - groups->bits)]++;
}

static inline void tally_groups_skip(tally_groups *groups)
{
    groups->hash[groups->rows++] = UINT32_MAX;
}

/* Row number i in the order of groups. */
static inline uint32_t tally_groups_row(const tally_groups *groups, size_t i)
{
    return groups->order[i] & (TALLY_GROUPS_MOST - 1);
}

/* Sorts: groups->order lists the rows that are in a group. Those of group g end before end[g]; in a
 * group that is not large, rows of equal hashes lie together. */
void tally_groups_sort(tally_groups *groups);

/* Whether many rows seem to have the hash of another; if few do, _undo lists rows as they came, in
 * one group: that is faster to go through. */
int tally_groups_gain(const tally_groups *groups);
void tally_groups_undo(tally_groups *groups);

/* A hash of bytes: every byte reaches the upper bits. `hash` is that of bytes before, or 0. */
uint64_t tally_groups_hash(uint64_t hash, const uint8_t *bytes, size_t size);

/* The same for eight bytes. */
static inline uint64_t tally_groups_hash_eight(uint64_t hash, uint64_t eight)
{
    hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Its upper bits are the number of a group. */
static inline uint64_t tally_groups_hash_end(uint64_t hash)
{
    return hash * UINT64_C(0xd6e8feb86659fd93);
}

#endif
