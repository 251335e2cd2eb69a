/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks, bucket by bucket. Each group of lanes takes words of one
 * bucket, so that different sequences run side by side. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

#include "fast/words/cipher.h"

typedef struct tally_fast_many_tweaks {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    tally_direction direction;
    const tally_fast_lanes *lanes;
    int use_cache;      /* whether sequences are cached: those of few tweaks are */
    size_t taken, most; /* groups that wait for run, and the most that ever did */
    struct {
        uint8_t *const *words;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
} tally_fast_many_tweaks;

/* Begins a run of `buckets` buckets with `words` words in all. */
void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, size_t buckets, size_t words,
                                 tally_fast_many_tweaks *out);

/* Encrypts or decrypts the `count` words of a bucket in place, now or in a later call. `words` must
 * last until tally_fast_many_tweaks_final. */
void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tweak,
                                size_t tweak_size, uint8_t *const *words, size_t count);

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job);

#endif
