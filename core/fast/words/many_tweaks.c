/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks: groups of lanes with a sequence each, or lanes with a
 * sequence each. */
#include "fast/words/many_tweaks.h"

#include <string.h>

#include "fast/words/ff1_words.h"
#include "fast/words/run.h"

enum {
    MANY_TWEAKS_FEW_WORDS = 8,    /* fewer are put on lanes symbol by symbol */
    MANY_TWEAKS_FEW_GROUPS = 2,   /* so many are faster one after the other */
    MANY_TWEAKS_OWN_RUN = 3,      /* a bucket of so many groups runs by itself */
    MANY_TWEAKS_FEW_BUCKETS = 32, /* the sequences of fewer are faster one by one */
    /* Lanes with an S-box each take the time of so many groups with a sequence each. */
    MANY_TWEAKS_OWN_COST = 7
};

/* Sequences that are derived together lie in lane_state behind the symbols of all groups: layer by
 * layer, and then one by one. These are bytes of the symbols, and of the sequences each time. */
static size_t many_tweaks_symbols(const tally_fast_params *params)
{
    return (size_t)params->length * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES;
}

static size_t many_tweaks_matrix(const tally_fast_params *params)
{
    return ((size_t)params->layers + 3) / 4 * 4 * TALLY_MANY_SEQUENCES;
}

void tally_fast_many_tweaks_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                                 tally_direction direction, uint8_t *tweak, size_t common,
                                 size_t buckets, size_t words, tally_fast_many_tweaks *out)
{
    out->cipher = cipher;
    out->params = params;
    out->direction = direction;
    out->tweak = tweak;
    out->common = common;
    out->use_cache = 2 * buckets <= cipher->capacity;
    out->own = NULL;
    out->has_own_tables = 0;
    out->state_used = 0;
    out->taken = 0;
    out->most = 0;
    out->waiting = 0;
    out->ff1.count = 0;
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        return;
    }
    out->lanes = tally_fast_lanes_for(cipher->pool, words / buckets);
    const tally_many_sequences_backend *backend = NULL;
    /* Like its lanes, a pool keeps to the CPU features that it was made with. */
    const int wide = (cipher->pool->lanes->backend.needs & TALLY_CPU_AVX512VBMI) != 0;
    if (wide && !out->use_cache && buckets >= MANY_TWEAKS_FEW_BUCKETS &&
        params->layers <= TALLY_FAST_CACHE_LAYERS &&
        many_tweaks_symbols(params) + 2 * many_tweaks_matrix(params) <= TALLY_FAST_LANE_STATE) {
        backend = tally_many_sequences_choose();
    }
    tally_many_sequences_init(backend, cipher->pool, params, tweak, common, &out->sequences);
    if (backend != NULL) {
        out->own = tally_own_sboxes_choose(params->radix);
    }
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
    /* Lanes without a word are run too: their bytes may not be symbols. */
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

static void many_tweaks_use_state(tally_fast_many_tweaks *job, size_t size)
{
    job->state_used = size > job->state_used ? size : job->state_used;
}

static void many_tweaks_run_groups(tally_fast_many_tweaks *job)
{
    const int few = job->taken <= MANY_TWEAKS_FEW_GROUPS;
    if (few) {
        many_tweaks_run_apart(job);
    } else {
        many_tweaks_run_together(job);
    }
    if (job->taken > 0) {
        many_tweaks_use_state(job, job->params->length * job->lanes->width *
                                       (few ? 1 : TALLY_FAST_GROUPS));
    }
    job->most = job->taken > job->most ? job->taken : job->most;
    job->taken = 0;
}

/* Adds the words of a bucket to the groups: `sequence` is theirs. */
static void many_tweaks_group(tally_fast_many_tweaks *job, const uint8_t *sequence,
                              uint8_t *const *words, size_t count)
{
    tally_fast_cipher *cipher = job->cipher;
    const size_t width = job->lanes->width;
    while (count > 0) {
        size_t part = count < width ? count : width;
        if (sequence != cipher->sequences[job->taken]) {
            memcpy(cipher->sequences[job->taken], sequence, job->params->layers);
            sequence = cipher->sequences[job->taken];
        }
        job->group[job->taken].words = words;
        job->group[job->taken].count = part;
        words += part;
        count -= part;
        if (++job->taken == TALLY_FAST_GROUPS) {
            many_tweaks_run_groups(job);
        }
    }
}

/* Completes the tweak of a bucket; returns its size. */
static size_t many_tweaks_whole(const tally_fast_many_tweaks *job, const tally_tweak_tail *tail)
{
    if (tail->size != 0) {
        memcpy(job->tweak + job->common, tail->bytes, tail->size);
    }
    return job->common + tail->size;
}

/* A bucket by itself, or with a sequence that is derived by itself. */
static void many_tweaks_one(tally_fast_many_tweaks *job, const tally_fast_waiting *bucket)
{
    tally_fast_cipher *cipher = job->cipher;
    const size_t width = job->lanes->width, size = many_tweaks_whole(job, &bucket->tail);
    if (job->params->layers > TALLY_FAST_CACHE_LAYERS ||
        bucket->count >= MANY_TWEAKS_OWN_RUN * width ||
        job->params->length * width * TALLY_FAST_GROUPS > TALLY_FAST_LANE_STATE) {
        tally_fast_run_words(cipher, job->params, job->direction, job->tweak, size, bucket->words,
                             bucket->count);
        return;
    }
    uint8_t *sequence = cipher->sequences[job->taken];
    tally_fast_sequence(cipher, job->params, job->tweak, size, job->use_cache, sequence);
    many_tweaks_group(job, sequence, bucket->words, bucket->count);
}

/* Sorts the buckets that wait by their words, most first. */
static void many_tweaks_sort(tally_fast_many_tweaks *job, uint16_t *sorted)
{
    enum { MOST = MANY_TWEAKS_OWN_RUN * TALLY_FAST_MAX_LANES };
    uint16_t end[MOST + 2] = {0};
    for (size_t i = 0; i < job->waiting; i++) {
        end[MOST + 1 - job->bucket[i].count]++;
    }
    for (size_t i = 0; i <= MOST; i++) {
        end[i + 1] = (uint16_t)(end[i + 1] + end[i]);
    }
    for (size_t i = 0; i < job->waiting; i++) {
        sorted[end[MOST - job->bucket[i].count]++] = (uint16_t)i;
    }
}

/* Buckets on lanes: word i of each bucket in pass i. The first bucket has most words. */
static void many_tweaks_run_own(tally_fast_many_tweaks *job, const uint16_t *sorted, size_t count,
                                const uint8_t *indices)
{
    const tally_fast_params *params = job->params;
    const tally_transpose *transpose = job->cipher->pool->lanes->transpose;
    const tally_fast_pool *pool = job->cipher->pool;
    if (!job->has_own_tables) {
        tally_own_sboxes_lay_out(pool->radix, pool->tables[job->direction], pool->stride,
                                 job->own_tables);
        job->has_own_tables = 1;
    }
    const tally_own_sboxes_job run = {.tables = job->own_tables,
                                      .radix = pool->radix,
                                      .length = params->length,
                                      .w = params->w,
                                      .w_prime = params->w_prime,
                                      .indices = indices,
                                      .count = params->layers,
                                      .state = job->cipher->lane_state};
    const size_t most = job->bucket[sorted[0]].count;
    for (size_t pass = 0; pass < most; pass++) {
        uint8_t *words[TALLY_OWN_SBOXES_LANES];
        size_t taken = 0;
        while (taken < count && job->bucket[sorted[taken]].count > pass) {
            words[taken] = job->bucket[sorted[taken]].words[pass];
            taken++;
        }
        if (taken < TALLY_OWN_SBOXES_LANES) { /* bytes left there may not be symbols */
            memset(run.state, 0, params->length * TALLY_OWN_SBOXES_LANES);
        }
        transpose->to_lanes((const uint8_t *const *)words, taken, params->length,
                            TALLY_OWN_SBOXES_LANES, run.state);
        job->own->run(job->direction, &run);
        transpose->from_lanes(run.state, TALLY_OWN_SBOXES_LANES, taken, params->length, words);
    }
}

/* Runs up to TALLY_MANY_SEQUENCES buckets whose sequences are derived together. */
static void many_tweaks_run_some(tally_fast_many_tweaks *job, const uint16_t *sorted, size_t count)
{
    const size_t layers = job->params->layers, width = job->lanes->width;
    const size_t symbols = many_tweaks_symbols(job->params),
                 matrix = many_tweaks_matrix(job->params);
    uint8_t *indices = job->cipher->lane_state + symbols;
    tally_tweak_tail tails[TALLY_MANY_SEQUENCES];
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        tails[i] = job->bucket[sorted[i]].tail;
        groups += (job->bucket[sorted[i]].count + width - 1) / width;
    }
    tally_many_sequences_derive(&job->sequences, tails, count, indices);
    many_tweaks_use_state(job, symbols + matrix);
    if (job->own != NULL && MANY_TWEAKS_OWN_COST * job->bucket[sorted[0]].count <= groups) {
        many_tweaks_run_own(job, sorted, count, indices);
        return;
    }
    uint8_t *rows[TALLY_MANY_SEQUENCES];
    for (size_t i = 0; i < count; i++) {
        rows[i] = indices + matrix + i * layers;
    }
    job->cipher->pool->lanes->transpose->from_lanes(indices, TALLY_MANY_SEQUENCES, count, layers,
                                                    rows);
    many_tweaks_use_state(job, symbols + 2 * matrix);
    for (size_t i = 0; i < count; i++) {
        const tally_fast_waiting *bucket = &job->bucket[sorted[i]];
        many_tweaks_group(job, rows[i], bucket->words, bucket->count);
    }
}

static void many_tweaks_run_waiting(tally_fast_many_tweaks *job)
{
    uint16_t sorted[TALLY_MANY_TWEAKS_WAITING];
    if (job->waiting < MANY_TWEAKS_FEW_BUCKETS) {
        for (size_t i = 0; i < job->waiting; i++) {
            many_tweaks_one(job, &job->bucket[i]);
        }
        job->waiting = 0;
        return;
    }
    many_tweaks_sort(job, sorted);
    for (size_t first = 0; first < job->waiting; first += TALLY_MANY_SEQUENCES) {
        const size_t left = job->waiting - first;
        many_tweaks_run_some(job, sorted + first,
                             left < TALLY_MANY_SEQUENCES ? left : TALLY_MANY_SEQUENCES);
    }
    job->waiting = 0;
}

static void many_tweaks_run_ff1(tally_fast_many_tweaks *job)
{
    const tally_ff1_tweaks tweaks = {job->tweak, job->common, job->ff1.tails, job->ff1.tail_sizes};
    tally_ff1_words_tweaks(job->cipher, job->params, job->direction, &tweaks, job->ff1.words,
                           job->ff1.count);
    job->ff1.count = 0;
}

/* FF1 gains nothing from words of equal tweaks: they wait one by one. */
static void many_tweaks_add_ff1(tally_fast_many_tweaks *job, const tally_fast_waiting *bucket)
{
    for (size_t i = 0; i < bucket->count; i++) {
        const size_t place = job->ff1.count++;
        job->ff1.words[place] = bucket->words[i];
        job->ff1.tails[place] = bucket->tail.bytes;
        job->ff1.tail_sizes[place] = bucket->tail.size;
        if (job->ff1.count == TALLY_MANY_TWEAKS_FF1) {
            many_tweaks_run_ff1(job);
        }
    }
}

void tally_fast_many_tweaks_add(tally_fast_many_tweaks *job, const uint8_t *tail, size_t tail_size,
                                uint8_t *const *words, size_t count)
{
    const tally_fast_waiting bucket = {{tail, tail_size}, words, count};
    if (!tally_fast_pool_is_fast(job->cipher->pool)) {
        many_tweaks_add_ff1(job, &bucket);
        return;
    }
    if (job->sequences.backend == NULL || count >= MANY_TWEAKS_OWN_RUN * job->lanes->width) {
        many_tweaks_one(job, &bucket);
        return;
    }
    job->bucket[job->waiting++] = bucket;
    if (job->waiting == TALLY_MANY_TWEAKS_WAITING) {
        many_tweaks_run_waiting(job);
    }
}

void tally_fast_many_tweaks_final(tally_fast_many_tweaks *job)
{
    tally_fast_cipher *cipher = job->cipher;
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        many_tweaks_run_ff1(job);
        return;
    }
    many_tweaks_run_waiting(job);
    many_tweaks_run_groups(job);
    if (cipher->prefix_cache.blocks != 0) {
        tally_wipe(&cipher->prefix_cache, sizeof cipher->prefix_cache); /* to no blocks */
    }
    for (size_t g = 0; g < job->most; g++) {
        tally_wipe(cipher->sequences[g], job->params->layers);
    }
    tally_wipe(cipher->lane_state, job->state_used);
    tally_wipe(&job->sequences, sizeof job->sequences);
    if (job->has_own_tables) {
        tally_wipe(job->own_tables, sizeof job->own_tables);
    }
}
