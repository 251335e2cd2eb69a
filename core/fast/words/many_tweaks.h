/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks, bucket by bucket. Buckets of many words have groups of
 * lanes of their own, so that different sequences run side by side; buckets of few words have lanes
 * of their own, if there is a back end with an S-box for each lane. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

#include "fast/lanes/own_sboxes.h"
#include "fast/schedule/many_sequences.h"
#include "fast/words/cipher.h"

enum {
    TALLY_MANY_TWEAKS_WAITING = 512, /* buckets that wait to be run, at most */
    TALLY_MANY_TWEAKS_FF1 = 256      /* words of FF1 that wait, at most */
};

/* The words of a bucket: at most 2^16. */
typedef struct tally_fast_waiting {
    tally_tweak_tail tail;
    uint8_t *const *words;
    size_t count;
} tally_fast_waiting;

typedef struct tally_fast_many_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_fast_lanes *lanes;
    int use_cache;               /* whether sequences are cached: those of few tweaks are */
    const tally_own_sboxes *own; /* NULL: there is no such back end, or it would not gain */
    int has_own_tables;
    tally_many_sequences sequences; /* without a back end: one by one */
    size_t state_used;              /* of the cipher's lane_state */
    size_t taken, most;             /* groups that wait for run, and the most that ever did */
    struct {
        uint8_t *const *words;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
    uint8_t *tweak; /* the common part; behind it a bucket's tail is written */
    size_t common;
    struct {
        size_t count;
        uint8_t *words[TALLY_MANY_TWEAKS_FF1];
        const uint8_t *tails[TALLY_MANY_TWEAKS_FF1];
        size_t tail_sizes[TALLY_MANY_TWEAKS_FF1];
    } ff1; /* of FF1 alone */
    size_t waiting;
    tally_fast_waiting bucket[TALLY_MANY_TWEAKS_WAITING];
    _Alignas(64) uint8_t own_tables[TALLY_OWN_SBOXES_TABLES];
} tally_fast_many_tweaks;

/* Begins a run of `buckets` buckets with `words` words in all. Each tweak is tweak[0 .. common) and
 * then the tail of its bucket, for which there is room behind it. */
void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out);

/* Encrypts or decrypts the `count` words of a bucket in place, now or in a later call. `tail` and
 * `words` must last until tally_fast_many_tweaks_final. */
void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count);

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job);

#endif
