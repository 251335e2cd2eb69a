/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks: groups of lanes with a sequence each. */
#include "fast/words/many_tweaks.h"

#include <string.h>

#include "fast/words/run.h"

enum {
    MANY_TWEAKS_FEW_WORDS = 8,  /* fewer are put on lanes symbol by symbol */
    MANY_TWEAKS_FEW_GROUPS = 2, /* so many are faster one after the other */
    MANY_TWEAKS_OWN_RUN = 3     /* a bucket of so many groups runs by itself */
};

void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, size_t buckets, size_t words,
                                 tally_fast_many_tweaks *out)
{
    out->cipher = cipher;
    out->lanes = tally_fast_lanes_for(cipher->pool, words / buckets);
    out->params = params;
    out->direction = direction;
    out->use_cache = 2 * buckets <= cipher->capacity;
    out->taken = 0;
    out->most = 0;
}

static void many_tweaks_to_lanes(const tally_fast_many_tweaks *b, size_t g, size_t groups,
                                 uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = b->lanes;
    uint8_t *const *words = b->group[g].words;
    size_t count = b->group[g].count, length = b->params->length, stride = groups * lanes->width;
    if (count >= MANY_TWEAKS_FEW_WORDS) {
        lanes->transpose->to_lanes((const uint8_t *const *)words, count, length, stride,
                                   lane_state);
        return;
    }
    for (size_t k = 0; k < lanes->width; k++) {
        for (size_t p = 0; k < count && p < length; p++) {
            lane_state[p * stride + k] = words[k][p];
        }
    }
}

static void many_tweaks_from_lanes(const tally_fast_many_tweaks *b, size_t g, size_t groups,
                                   const uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = b->lanes;
    size_t stride = groups * lanes->width;
    lanes->transpose->from_lanes(lane_state, stride, b->group[g].count, b->params->length,
                                 b->group[g].words);
}

/* Runs group by group. */
static void many_tweaks_run_apart(const tally_fast_many_tweaks *b)
{
    tally_fast_cipher *cipher = b->cipher;
    for (size_t g = 0; g < b->taken; g++) {
        if (g != 0) {
            memcpy(cipher->sequences[0], cipher->sequences[g], b->params->layers);
        }
        many_tweaks_to_lanes(b, g, 1, cipher->lane_state);
        tally_fast_run_groups(cipher, b->lanes, b->params, b->direction, 1);
        many_tweaks_from_lanes(b, g, 1, cipher->lane_state);
    }
}

/* Runs all groups side by side; idle ones repeat the first. */
static void many_tweaks_run_together(const tally_fast_many_tweaks *b)
{
    tally_fast_cipher *cipher = b->cipher;
    size_t lanes = b->lanes->width;
    for (size_t g = 0; g < TALLY_FAST_GROUPS; g++) {
        many_tweaks_to_lanes(b, g < b->taken ? g : 0, TALLY_FAST_GROUPS,
                             cipher->lane_state + g * lanes);
    }
    tally_fast_run_groups(cipher, b->lanes, b->params, b->direction, TALLY_FAST_GROUPS);
    for (size_t g = 0; g < b->taken; g++) {
        many_tweaks_from_lanes(b, g, TALLY_FAST_GROUPS, cipher->lane_state + g * lanes);
    }
}

static void many_tweaks_run(tally_fast_many_tweaks *b)
{
    if (b->taken <= MANY_TWEAKS_FEW_GROUPS) {
        many_tweaks_run_apart(b);
    } else {
        many_tweaks_run_together(b);
    }
    b->most = b->taken > b->most ? b->taken : b->most;
    b->taken = 0;
}

void tally_fast_many_tweaks_add(tally_fast_many_tweaks *b, const uint8_t *tweak, size_t tweak_size,
                                uint8_t *const *words, size_t count)
{
    tally_fast_cipher *cipher = b->cipher;
    const tally_fast_lanes *lanes = b->lanes;
    if (b->params->layers > TALLY_FAST_CACHE_LAYERS ||
        count >= MANY_TWEAKS_OWN_RUN * lanes->width ||
        b->params->length * lanes->width * TALLY_FAST_GROUPS > TALLY_FAST_LANE_STATE) {
        tally_fast_run_words(cipher, b->params, b->direction, tweak, tweak_size, words, count);
        return;
    }
    const uint8_t *sequence = cipher->sequences[b->taken];
    tally_fast_sequence(cipher, b->params, tweak, tweak_size, b->use_cache,
                        cipher->sequences[b->taken]);
    while (count > 0) {
        size_t part = count < lanes->width ? count : lanes->width;
        if (sequence != cipher->sequences[b->taken]) {
            memcpy(cipher->sequences[b->taken], sequence, b->params->layers);
            sequence = cipher->sequences[b->taken];
        }
        b->group[b->taken].words = words;
        b->group[b->taken].count = part;
        words += part;
        count -= part;
        if (++b->taken == TALLY_FAST_GROUPS) {
            many_tweaks_run(b);
        }
    }
}

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *b)
{
    tally_fast_cipher *cipher = b->cipher;
    many_tweaks_run(b);
    if (cipher->prefix_cache.blocks != 0) {
        tally_wipe(&cipher->prefix_cache, sizeof cipher->prefix_cache); /* to no blocks */
    }
    if (b->most > 0) {
        for (size_t g = 0; g < b->most; g++) {
            tally_wipe(cipher->sequences[g], b->params->layers);
        }
        size_t groups = b->most <= MANY_TWEAKS_FEW_GROUPS ? 1 : TALLY_FAST_GROUPS;
        tally_wipe(cipher->lane_state, b->params->length * b->lanes->width * groups);
    }
}
