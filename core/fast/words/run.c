/* SPDX-License-Identifier: Apache-2.0
 *
 * Words through all their layers: on lanes where that is faster, else one by one. A sequence that
 * is too long for the cache is derived window by window. */
#include "fast/words/run.h"

#include <string.h>

#include "base/below.h"
#include "fast/schedule/legacy.h"
#include "fast/schedule/sequence.h"
#include "fast/words/layers.h"

enum {
    RUN_LINE = 64,  /* bytes of a cache line */
    RUN_ROUNDS = 6, /* between prefetches */
    RUN_BLOCK = 16  /* lanes: no transpose leaves fewer idle ones as they were */
};

/* A sequence: cached, or read from a stream window by window. */
typedef struct run_sequence {
    const uint8_t *indices; /* of all layers; NULL: read the stream */
    tally_fast_stream stream;
    uint64_t window; /* layers of a window */
} run_sequence;

static void run_sequence_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size, run_sequence *out)
{
    out->indices = NULL;
    if (params->layers <= TALLY_FAST_CACHE_LAYERS && tweak_size <= TALLY_FAST_CACHE_TWEAK) {
        out->indices = tally_fast_cached_sequence(cipher, params, tweak, tweak_size);
        out->window = params->layers;
        return;
    }
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, NULL, &out->stream);
    out->window = TALLY_FAST_CACHE_LAYERS;
}

/* Words to run. */
typedef struct run_job {
    const tally_fast_pool *pool;
    const tally_fast_params *params;
    tally_direction direction;
    uint8_t *const *words; /* one by one, if lane_state is NULL */
    size_t count;
    const tally_fast_lanes *lanes;
    uint8_t *lane_state;
    size_t groups;
    int per_group; /* whether groups have their own sequences */
} run_job;

/* Prefetches lines first .. end - 1. */
static void run_prefetch(const tally_fast_prefetch *next, size_t first, size_t end)
{
#if defined(__GNUC__)
    for (size_t at = first * RUN_LINE; at < end * RUN_LINE; at += RUN_LINE) {
        __builtin_prefetch(next->read + at);
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)next, (void)first, (void)end;
#endif
}

/* Runs layers, with prefetches in between: a core that is asked for many lines at once waits. */
static void run_with_prefetch(const run_job *job, const tally_fast_prefetch *next,
                              const tally_fast_lane_job *whole)
{
    tally_fast_lane_job lane_job = *whole;
    size_t part = RUN_ROUNDS * lane_job.length, parts = (whole->count + part - 1) / part;
    size_t lines = (next->size + RUN_LINE - 1) / RUN_LINE;
    for (size_t i = 0; i < parts; i++) {
        size_t at = (job->direction == TALLY_DECRYPT ? parts - 1 - i : i) * part,
               left = whole->count - at;
        run_prefetch(next, lines * i / parts, lines * (i + 1) / parts);
        lane_job.indices = whole->indices + at;
        lane_job.count = left < part ? left : part;
        job->lanes->run(job->direction, &lane_job);
    }
}

static void run_layers(const run_job *job, uint64_t first, const uint8_t *indices, size_t layers,
                       const tally_fast_prefetch *next)
{
    const tally_fast_pool *pool = job->pool;
    if (job->lane_state != NULL) {
        /* A back end that is not the pool's is the portable one. */
        int own = job->lanes == pool->lanes;
        tally_fast_lane_job lane_job = {
            .tables = (own ? pool->lane_tables : pool->tables)[job->direction],
            .stride = own ? pool->lane_stride : pool->stride,
            .radix = pool->radix,
            .length = job->params->length,
            .w = job->params->w,
            .w_prime = job->params->w_prime,
            .indices = indices,
            .per_group = job->per_group,
            .count = layers,
            .groups = job->groups,
            .state = job->lane_state,
        };
        if (next != NULL) {
            run_with_prefetch(job, next, &lane_job);
        } else {
            job->lanes->run(job->direction, &lane_job);
        }
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->params->length == 1) {
            tally_fast_legacy_byte(pool, job->direction, indices, layers, job->words[i]);
        } else if (job->direction == TALLY_DECRYPT) {
            tally_fast_layers_backward(pool, job->params, first, indices, layers, job->words[i]);
        } else {
            tally_fast_layers_forward(pool, job->params, first, indices, layers, job->words[i]);
        }
    }
}

/* All layers. */
static void run_all_layers(tally_fast_cipher *cipher, const run_sequence *sequence,
                           const run_job *job, const tally_fast_prefetch *next)
{
    /* On lanes, only whole rounds. */
    uint64_t window = sequence->window;
    if (job->lane_state != NULL) {
        window -= window % job->params->length;
    }
    uint64_t windows = (job->params->layers + window - 1) / window;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t first = (job->direction == TALLY_DECRYPT ? windows - 1 - i : i) * window;
        uint64_t left = job->params->layers - first;
        size_t layers = (size_t)(left < window ? left : window);
        const uint8_t *indices = sequence->indices;
        if (indices == NULL) {
            uint64_t before = first % 16; /* a sequence is read from a multiple of 16 */
            tally_fast_sequence_read(job->pool->profile, &sequence->stream, first - before,
                                     (size_t)before + layers, cipher->window);
            indices = cipher->window + before;
        }
        run_layers(job, first, indices, layers, i == 0 ? next : NULL);
    }
}

const tally_fast_lanes *tally_fast_lanes_for(const tally_fast_pool *pool, size_t words)
{
    return words >= pool->lanes->min_words(pool->radix) ? pool->lanes : &tally_fast_lanes_portable;
}

size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count)
{
    size_t groups = TALLY_FAST_GROUPS;
    while (groups > 1 && (count <= groups / 2 * lanes->width ||
                          length * groups * lanes->width > TALLY_FAST_LANE_STATE)) {
        groups /= 2;
    }
    return groups;
}

void tally_fast_run_lanes(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          size_t groups, const tally_fast_prefetch *next)
{
    run_sequence sequence;
    run_sequence_init(cipher, params, tweak, tweak_size, &sequence);
    const run_job job = {.pool = cipher->pool,
                         .params = params,
                         .direction = direction,
                         .lanes = cipher->pool->lanes,
                         .lane_state = cipher->lane_state,
                         .groups = groups};
    run_all_layers(cipher, &sequence, &job, next);
    if (sequence.indices == NULL) {
        tally_wipe(&sequence.stream, sizeof sequence.stream);
    }
}

void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *lanes,
                           const tally_fast_params *params, tally_direction direction,
                           size_t groups)
{
    const run_job job = {.pool = cipher->pool,
                         .params = params,
                         .direction = direction,
                         .lanes = lanes,
                         .lane_state = cipher->lane_state,
                         .groups = groups,
                         .per_group = groups > 1};
    run_layers(&job, 0, cipher->sequences[0], params->layers, NULL);
}

/* Where words come from, if not from where they go to. */
typedef struct run_source {
    const uint8_t *const *words; /* NULL: they are run in place */
    const tally_fast_prefetch *next;
    int below; /* set to 0 if one of their symbols is not below the radix */
} run_source;

/* Runs as many words on lanes as fit into lane_state; returns their number. */
static size_t run_on_lanes(tally_fast_cipher *cipher, const run_sequence *sequence, run_job *job,
                           run_source *source, uint8_t *const *words, size_t count)
{
    const tally_fast_lanes *lanes = tally_fast_lanes_for(job->pool, count);
    size_t length = job->params->length;
    if (lanes->width == 1 && count == 5) {
        count = 4; /* without vectors an idle group costs as much as a full one */
    }
    size_t groups = tally_fast_groups(lanes, length, count), capacity = groups * lanes->width;
    size_t taken = count < capacity ? count : capacity;
    job->lanes = lanes;
    job->lane_state = cipher->lane_state;
    job->groups = groups;
    if (capacity - taken >= RUN_BLOCK) {
        /* What was there before may be no symbols. */
        memset(job->lane_state, 0, capacity * length);
    }
    lanes->transpose->to_lanes(source->words != NULL ? source->words
                                                     : (const uint8_t *const *)words,
                               taken, length, capacity, job->lane_state);
    if (source->words != NULL) {
        source->words += taken;
        if (!tally_all_below(job->params->radix, job->lane_state, capacity * length)) {
            source->below = 0;
            return taken;
        }
    }
    run_all_layers(cipher, sequence, job, source->next);
    source->next = NULL;
    lanes->transpose->from_lanes(job->lane_state, capacity, taken, length, words);
    return taken;
}

static void run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                      tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                      run_source *source, uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    size_t length = params->length;
    run_sequence sequence;
    run_sequence_init(cipher, params, tweak, tweak_size, &sequence);
    run_job job = {.pool = pool, .params = params, .direction = direction};
    const tally_fast_lanes *lanes = pool->lanes;
    size_t done = 0, fewest = pool->radix > 128 ? 3 : 2; /* fewer are faster one by one */
    if (length > 1 && length <= TALLY_FAST_CACHE_LAYERS &&
        length * lanes->width <= TALLY_FAST_LANE_STATE) {
        while (count - done >= fewest) {
            done += run_on_lanes(cipher, &sequence, &job, source, words + done, count - done);
        }
    }
    job.lane_state = NULL;
    job.words = words + done;
    job.count = count - done;
    for (size_t i = 0; i < job.count && source->words != NULL; i++) {
        if (job.words[i] != source->words[i]) {
            memcpy(job.words[i], source->words[i], length);
        }
        source->below &= tally_all_below(params->radix, job.words[i], length);
    }
    if (job.count != 0 && source->below) {
        run_all_layers(cipher, &sequence, &job, NULL);
    }
    if (sequence.indices == NULL) {
        tally_wipe(&sequence.stream, sizeof sequence.stream);
    }
    if (done != 0) {
        size_t used = length * tally_fast_groups(lanes, length, count) * lanes->width;
        tally_wipe(cipher->lane_state, used);
    }
}

void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    run_source source = {.below = 1};
    if (params->length == 0 || count == 0) {
        return;
    }
    if (pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            tally_fast_legacy_pair(pool, direction, tweak, tweak_size, words[i]);
        }
        return;
    }
    run_words(cipher, params, direction, tweak, tweak_size, &source, words, count);
}

int tally_fast_run_words_from(tally_fast_cipher *cipher, const tally_fast_params *params,
                              tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                              const uint8_t *const *source, uint8_t *const *words, size_t count,
                              const tally_fast_prefetch *next)
{
    run_source from = {.words = source, .next = next, .below = 1};
    run_words(cipher, params, direction, tweak, tweak_size, &from, words, count);
    return from.below;
}
