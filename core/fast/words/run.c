/* SPDX-License-Identifier: Apache-2.0
 *
 * Words through all their layers: on lanes where that is faster, else one by one. A sequence that
 * is too long for the cache is derived window by window. */
#include "fast/words/run.h"

#include <string.h>

#include "base/below.h"
#include "fast/schedule/legacy.h"
#include "fast/schedule/sequence.h"
#include "fast/words/ff1_words.h"
#include "fast/words/layers.h"

enum {
    RUN_LINE = 64,         /* bytes of a cache line */
    RUN_PREFETCHED = 1024, /* bytes; to prefetch fewer takes longer than to wait for them */
    RUN_BLOCK = 16,        /* lanes: no transpose leaves fewer idle ones as they were */
    RUN_LONG = 1 << 16,    /* words whose batches begin at cache lines; fewer gain nothing */
    RUN_LIST = 512         /* words that run one by one under a window of the sequence */
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
            const size_t lines = (next->size + RUN_LINE - 1) / RUN_LINE,
                         rounds = layers / job->params->length;
            lane_job.next = next;
            lane_job.each = (lines + rounds - 1) / rounds * RUN_LINE;
        }
        job->lanes->run(job->direction, &lane_job);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->params->length == 1) {
            tally_fast_legacy_byte(pool, job->direction, indices, layers, job->words[i]);
        } else {
            tally_fast_layers(pool, job->params, job->direction, first, indices, layers,
                              job->words[i]);
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
    return words >= pool->lanes->min_words(pool->radix) ? pool->lanes : tally_fast_lanes_for_few();
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
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        tally_ff1_words_lanes(cipher, params, direction, tweak, tweak_size, groups);
        return;
    }
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

/* Words to run: a list of them, in place, or words side by side. */
typedef struct run_rows {
    uint8_t *const *list; /* NULL: they are side by side */
    const uint8_t *from;
    uint8_t *to; /* may equal `from` */
} run_rows;

/* The words to leave out of a batch so that the next one begins at a cache line, if transposes load
 * and store whole lines, of four words. A line that is not in the cache costs more if it is accessed
 * in two parts. */
static size_t run_left_out(const tally_fast_lanes *lanes, const uint8_t *to, size_t length,
                           size_t count)
{
    const int by_lines = lanes->width == RUN_LINE && 4 * length == RUN_LINE;
    return by_lines && count >= RUN_LONG ? (uintptr_t)to % RUN_LINE / length : 0;
}

/* Runs as many of `count` words from number `first` on as fit into lane_state, on lanes; returns
 * their number, or 0 if a symbol is not below the radix. */
static size_t run_on_lanes(tally_fast_cipher *cipher, const run_sequence *sequence, run_job *job,
                           const run_rows *rows, size_t first, size_t count)
{
    const tally_fast_lanes *lanes = tally_fast_lanes_for(job->pool, count);
    const tally_transpose *transpose = lanes->transpose;
    const size_t length = job->params->length;
    size_t most = count;
    if (lanes->width == 1 && count == 5) {
        most = 4; /* without vectors an idle group costs as much as a full one */
    }
    const size_t groups = tally_fast_groups(lanes, length, most), capacity = groups * lanes->width;
    size_t taken = most < capacity ? most : capacity;
    if (rows->list == NULL) {
        taken -= run_left_out(lanes, rows->to + first * length, length, count);
    }
    job->lanes = lanes;
    job->lane_state = cipher->lane_state;
    job->groups = groups;
    if (capacity - taken >= RUN_BLOCK) {
        /* Bytes left there may not be symbols. */
        memset(job->lane_state, 0, capacity * length);
    }
    if (rows->list != NULL) {
        transpose->to_lanes((const uint8_t *const *)rows->list + first, taken, length, capacity,
                            job->lane_state);
        run_all_layers(cipher, sequence, job, NULL);
        transpose->from_lanes(job->lane_state, capacity, taken, length, rows->list + first);
        return taken;
    }
    const uint8_t *from = rows->from + first * length;
    uint8_t *to = rows->to + first * length;
    if (!transpose->words_to_lanes(from, taken, length, capacity, 0, job->params->radix,
                                   job->lane_state)) {
        return 0;
    }
    const size_t size = taken * length, left = (count - taken) * length;
    const tally_fast_prefetch next = {from + size, to + size, left < size ? left : size};
    run_all_layers(cipher, sequence, job, next.size >= RUN_PREFETCHED ? &next : NULL);
    transpose->words_from_lanes(job->lane_state, capacity, taken, length, 0, to);
    return taken;
}

/* The same for words that run one by one. */
static size_t run_one_by_one(tally_fast_cipher *cipher, const run_sequence *sequence, run_job *job,
                             const run_rows *rows, size_t first, size_t count)
{
    uint8_t *list[RUN_LIST];
    const uint32_t radix = job->params->radix;
    const size_t length = job->params->length;
    job->lane_state = NULL;
    if (rows->list != NULL) {
        job->words = rows->list + first;
        job->count = count;
    } else {
        job->count = count < RUN_LIST ? count : RUN_LIST;
        const uint8_t *from = rows->from + first * length;
        uint8_t *to = rows->to + first * length;
        if (!tally_all_below(radix, from, job->count * length)) {
            return 0;
        }
        if (from != to) {
            memcpy(to, from, job->count * length);
            if (!tally_all_below(radix, to, job->count * length)) {
                return 0; /* another thread has changed them since they were checked */
            }
        }
        for (size_t i = 0; i < job->count; i++) {
            list[i] = to + i * length;
        }
        job->words = list;
    }
    run_all_layers(cipher, sequence, job, NULL);
    job->words = NULL; /* the list ends here */
    return job->count;
}

/* Returns the number of words that were done. */
static size_t run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                        tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                        const run_rows *rows, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    const tally_fast_lanes *lanes = pool->lanes;
    const size_t length = params->length;
    const size_t fewest = pool->radix > 128 ? 3 : 2; /* fewer are faster one by one */
    const int fit = length > 1 && length <= TALLY_FAST_CACHE_LAYERS &&
                    length * lanes->width <= TALLY_FAST_LANE_STATE;
    run_sequence sequence;
    run_sequence_init(cipher, params, tweak, tweak_size, &sequence);
    run_job job = {.pool = pool, .params = params, .direction = direction};
    size_t done = 0, taken = 1;
    while (done < count && taken != 0) {
        taken = fit && count - done >= fewest
                    ? run_on_lanes(cipher, &sequence, &job, rows, done, count - done)
                    : run_one_by_one(cipher, &sequence, &job, rows, done, count - done);
        done += taken;
    }
    if (sequence.indices == NULL) {
        tally_wipe(&sequence.stream, sizeof sequence.stream);
    }
    if (fit && count >= fewest) {
        size_t used = length * tally_fast_groups(lanes, length, count) * lanes->width;
        tally_wipe(cipher->lane_state, used);
    }
    return done;
}

void tally_fast_run_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                          tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                          uint8_t *const *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    if (params->length == 0 || count == 0) {
        return;
    }
    if (!tally_fast_pool_is_fast(pool)) {
        tally_ff1_words_run(cipher, params, direction, tweak, tweak_size, words, count);
        return;
    }
    if (pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            tally_fast_legacy_pair(pool, direction, tweak, tweak_size, words[i]);
        }
        return;
    }
    const run_rows rows = {.list = words};
    (void)run_words(cipher, params, direction, tweak, tweak_size, &rows, count);
}

size_t tally_fast_run_side_by_side(tally_fast_cipher *cipher, const tally_fast_params *params,
                                   tally_direction direction, const uint8_t *tweak,
                                   size_t tweak_size, const uint8_t *words, size_t count,
                                   uint8_t *out)
{
    const run_rows rows = {.from = words, .to = out};
    if (!tally_fast_pool_is_fast(cipher->pool)) {
        return tally_ff1_words_side_by_side(cipher, params, direction, tweak, tweak_size, words,
                                            count, out);
    }
    return run_words(cipher, params, direction, tweak, tweak_size, &rows, count);
}
