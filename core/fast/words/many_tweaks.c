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

static void many_tweaks_to_lanes(const tally_fast_many_tweaks *job, size_t g, size_t groups,
                                 uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = job->lanes;
    uint8_t *const *words = job->group[g].words;
    size_t count = job->group[g].count, length = job->params->length,
           stride = groups * lanes->width;
    if (count >= MANY_TWEAKS_FEW_WORDS) {
        lanes->transpose->to_lanes((const uint8_t *const *)words, count, length, stride,
                                   lane_state);
        return;
    }
    /* Lanes without a word are run too: what was in them before need not be symbols. */
    for (size_t p = 0; p < length; p++) {
        uint8_t *lane = lane_state + p * stride;
        memset(lane, 0, lanes->width);
        for (size_t k = 0; k < count; k++) {
            lane[k] = words[k][p];
        }
    }
}

static void many_tweaks_from_lanes(const tally_fast_many_tweaks *job, size_t g, size_t groups,
                                   const uint8_t *lane_state)
{
    const tally_fast_lanes *lanes = job->lanes;
    size_t stride = groups * lanes->width;
    lanes->transpose->from_lanes(lane_state, stride, job->group[g].count, job->params->length,
                                 job->group[g].words);
}

/* Runs group by group. */
static void many_tweaks_run_apart(const tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    for (size_t g = 0; g < job->taken; g++) {
        if (g != 0) {
            memcpy(cipher->sequences[0], cipher->sequences[g], job->params->layers);
        }
        many_tweaks_to_lanes(job, g, 1, cipher->lane_state);
        tally_fast_run_groups(cipher, job->lanes, job->params, job->direction, 1);
        many_tweaks_from_lanes(job, g, 1, cipher->lane_state);
    }
}

/* Runs all groups side by side; idle ones repeat the first. */
static void many_tweaks_run_together(const tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    size_t lanes = job->lanes->width;
    for (size_t g = 0; g < TALLY_FAST_GROUPS; g++) {
        many_tweaks_to_lanes(job, g < job->taken ? g : 0, TALLY_FAST_GROUPS,
                             cipher->lane_state + g * lanes);
    }
    tally_fast_run_groups(cipher, job->lanes, job->params, job->direction, TALLY_FAST_GROUPS);
    for (size_t g = 0; g < job->taken; g++) {
        many_tweaks_from_lanes(job, g, TALLY_FAST_GROUPS, cipher->lane_state + g * lanes);
    }
}

static void many_tweaks_run(tally_fast_many_tweaks *job)
{
    if (job->taken <= MANY_TWEAKS_FEW_GROUPS) {
        many_tweaks_run_apart(job);
    } else {
        many_tweaks_run_together(job);
    }
    job->most = job->taken > job->most ? job->taken : job->most;
    job->taken = 0;
}

void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tweak,
                                size_t tweak_size, uint8_t *const *words, size_t count)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_lanes *lanes = job->lanes;
    if (job->params->layers > TALLY_FAST_CACHE_LAYERS ||
        count >= MANY_TWEAKS_OWN_RUN * lanes->width ||
        job->params->length * lanes->width * TALLY_FAST_GROUPS > TALLY_FAST_LANE_STATE) {
        tally_fast_run_words(cipher, job->params, job->direction, tweak, tweak_size, words, count);
        return;
    }
    const uint8_t *sequence = cipher->sequences[job->taken];
    tally_fast_sequence(cipher, job->params, tweak, tweak_size, job->use_cache,
                        cipher->sequences[job->taken]);
    while (count > 0) {
        size_t part = count < lanes->width ? count : lanes->width;
        if (sequence != cipher->sequences[job->taken]) {
            memcpy(cipher->sequences[job->taken], sequence, job->params->layers);
            sequence = cipher->sequences[job->taken];
        }
        job->group[job->taken].words = words;
        job->group[job->taken].count = part;
        words += part;
        count -= part;
        if (++job->taken == TALLY_FAST_GROUPS) {
            many_tweaks_run(job);
        }
    }
}

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    many_tweaks_run(job);
    if (cipher->prefix_cache.blocks != 0) {
        tally_wipe(&cipher->prefix_cache, sizeof cipher->prefix_cache); /* to no blocks */
    }
    if (job->most > 0) {
        for (size_t g = 0; g < job->most; g++) {
            tally_wipe(cipher->sequences[g], job->params->layers);
        }
        size_t groups = job->most <= MANY_TWEAKS_FEW_GROUPS ? 1 : TALLY_FAST_GROUPS;
        tally_wipe(cipher->lane_state, job->params->length * job->lanes->width * groups);
    }
}
