/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks. Those that share a tweak come as a bundle; each group of
 * lanes takes words of one bundle, so that different sequences run side by side. */
#ifndef TALLY_FAST_WORDS_MANY_TWEAKS_H
#define TALLY_FAST_WORDS_MANY_TWEAKS_H

#include "fast/words/cipher.h"

typedef struct tally_fast_bundles {
    tally_fast_cipher *cipher;
    const tally_fast_params *params;
    int decrypt;
    const tally_fast_lanes *engine;
    int keep;           /* whether sequences are kept for later calls: those of few tweaks are */
    size_t taken, most; /* groups at hand, and ever */
    struct {
        uint8_t *const *rows;
        size_t count; /* at most as many as a group has lanes */
    } group[TALLY_FAST_GROUPS];
} tally_fast_bundles;

/* Begins; so many bundles, and words in all, are to come. */
void tally_fast_bundles_begin(tally_fast_cipher *cipher, const tally_fast_params *params,
                              int decrypt, size_t bundles, size_t words, tally_fast_bundles *out);

/* Encrypts or decrypts `count` words in place, at the latest when bundles end; `rows` must last as
 * long. */
void tally_fast_bundles_add(tally_fast_bundles *bundles, const uint8_t *tweak, size_t tweak_size,
                            uint8_t *const *rows, size_t count);

void tally_fast_bundles_end(tally_fast_bundles *bundles);

#endif
