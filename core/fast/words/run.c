/* SPDX-License-Identifier: Apache-2.0
 *
 * Words through all their layers: on lanes where that is faster, else one by one; and in windows
 * where a sequence is too long to be kept. */
#include "fast/words/run.h"

#include "fast/words/layers.h"
#include "fast/schedule/legacy.h"
#include "fast/schedule/sequence.h"

enum {
    LINE = 64, /* bytes of a cache line */
    ROUNDS = 6 /* between requests for lines */
};

/* Where the layers' S-boxes come from: a slot, or windows of a stream. */
typedef struct source {
    const uint8_t *indices; /* of all layers; NULL: there is a stream */
    tally_fast_stream stream;
    uint64_t window; /* layers of a window */
} source;

static void open_source(tally_fast_cipher *cipher, const tally_fast_params *params,
                        const uint8_t *tweak, size_t tweak_size, source *out)
{
    out->indices = NULL;
    if (params->layers <= TALLY_FAST_SLOT_LAYERS && tweak_size <= TALLY_FAST_SLOT_TWEAK) {
        out->indices = tally_fast_kept_sequence(cipher, params, tweak, tweak_size);
        out->window = params->layers;
        return;
    }
    tally_fast_sequence_open(cipher->pool, params, tweak, tweak_size, NULL, &out->stream);
    out->window = TALLY_FAST_SLOT_LAYERS;
}

/* Some words through layers first .. first + layers - 1. */
typedef struct batch {
    const tally_fast_pool *pool;
    const tally_fast_params *params;
    int decrypt;
    uint8_t *const *rows; /* one by one, if there is no ring */
    size_t count;
    const tally_fast_lanes *engine;
    uint8_t *ring;
    size_t groups;
    int each; /* whether groups have their own sequences */
} batch;

/* Asks for lines first .. end - 1. */
static void bring_near(const tally_fast_ahead *ahead, size_t first, size_t end)
{
#if defined(__GNUC__)
    for (size_t at = first * LINE; at < end * LINE; at += LINE) {
        __builtin_prefetch(ahead->read + at);
        __builtin_prefetch(ahead->written + at, 1);
    }
#else
    (void)ahead, (void)first, (void)end;
#endif
}

/* Runs layers some rounds at a time, since a core waits if it is asked for many lines at once. */
static void run_and_bring_near(const batch *b, const tally_fast_ahead *ahead,
                               const tally_fast_lane_job *whole)
{
    tally_fast_lane_job job = *whole;
    size_t part = ROUNDS * job.length, parts = (whole->count + part - 1) / part;
    size_t lines = (ahead->size + LINE - 1) / LINE;
    for (size_t i = 0; i < parts; i++) {
        size_t at = (b->decrypt ? parts - 1 - i : i) * part, left = whole->count - at;
        bring_near(ahead, lines * i / parts, lines * (i + 1) / parts);
        job.indices = whole->indices + at;
        job.count = left < part ? left : part;
        (b->decrypt ? b->engine->backward : b->engine->forward)(&job);
    }
}

static void run_layers(const batch *b, uint64_t first, const uint8_t *indices, size_t layers,
                       const tally_fast_ahead *ahead)
{
    const tally_fast_pool *pool = b->pool;
    if (b->ring != NULL) {
        /* An engine that is not the pool's is the portable one. */
        int own = b->engine == pool->lanes;
        const uint8_t *forward = own ? pool->lane_forward : pool->forward;
        const uint8_t *inverse = own ? pool->lane_inverse : pool->inverse;
        tally_fast_lane_job job = {
            .tables = b->decrypt ? inverse : forward,
            .stride = own ? pool->lane_stride : pool->stride,
            .radix = pool->radix,
            .length = b->params->length,
            .w = b->params->w,
            .w_prime = b->params->w_prime,
            .indices = indices,
            .each = b->each,
            .count = layers,
            .groups = b->groups,
            .ring = b->ring,
        };
        if (ahead != NULL) {
            run_and_bring_near(b, ahead, &job);
        } else {
            (b->decrypt ? b->engine->backward : b->engine->forward)(&job);
        }
        return;
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->params->length == 1) {
            tally_fast_legacy_byte(pool, b->decrypt, indices, layers, b->rows[i]);
        } else if (b->decrypt) {
            tally_fast_layers_backward(pool, b->params, first, indices, layers, b->rows[i]);
        } else {
            tally_fast_layers_forward(pool, b->params, first, indices, layers, b->rows[i]);
        }
    }
}

/* All layers. */
static void run_batch(tally_fast_cipher *cipher, const source *from, const batch *b,
                      const tally_fast_ahead *ahead)
{
    /* Lanes take whole rounds. */
    uint64_t window = from->window;
    if (b->ring != NULL) {
        window -= window % b->params->length;
    }
    uint64_t windows = (b->params->layers + window - 1) / window;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t first = (b->decrypt ? windows - 1 - i : i) * window;
        uint64_t left = b->params->layers - first;
        size_t layers = (size_t)(left < window ? left : window);
        const uint8_t *indices = from->indices;
        if (indices == NULL) {
            uint64_t before = first % 16; /* a sequence is read from a multiple of 16 */
            tally_fast_sequence_read(b->pool->profile, &from->stream, first - before,
                                     (size_t)before + layers, cipher->window);
            indices = cipher->window + before;
        }
        run_layers(b, first, indices, layers, i == 0 ? ahead : NULL);
    }
}

const tally_fast_lanes *tally_fast_engine_for(const tally_fast_pool *pool, size_t words)
{
    return words >= pool->lanes->fewest(pool->radix) ? pool->lanes : &tally_fast_lanes_portable;
}

size_t tally_fast_groups(const tally_fast_lanes *lanes, size_t length, size_t count)
{
    size_t groups = TALLY_FAST_GROUPS;
    while (groups > 1 && (count <= groups / 2 * lanes->lanes ||
                          length * groups * lanes->lanes > TALLY_FAST_RING)) {
        groups /= 2;
    }
    return groups;
}

void tally_fast_run_ring(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                         const uint8_t *tweak, size_t tweak_size, size_t groups,
                         const tally_fast_ahead *ahead)
{
    source from;
    open_source(cipher, params, tweak, tweak_size, &from);
    const batch b = {.pool = cipher->pool,
                     .params = params,
                     .decrypt = decrypt,
                     .engine = cipher->pool->lanes,
                     .ring = cipher->ring,
                     .groups = groups};
    run_batch(cipher, &from, &b, ahead);
    if (from.indices == NULL) {
        tally_wipe(&from.stream, sizeof from.stream);
    }
}

void tally_fast_run_groups(tally_fast_cipher *cipher, const tally_fast_lanes *engine,
                           const tally_fast_params *params, int decrypt, size_t groups)
{
    const batch b = {.pool = cipher->pool,
                     .params = params,
                     .decrypt = decrypt,
                     .engine = engine,
                     .ring = cipher->ring,
                     .groups = groups,
                     .each = groups > 1};
    run_layers(&b, 0, cipher->sequences[0], params->layers, NULL);
}

/* Runs words on lanes, and returns how many: as many as the ring takes. */
static size_t run_on_lanes(tally_fast_cipher *cipher, const source *from, batch *b,
                           uint8_t *const *rows, size_t count)
{
    const tally_fast_lanes *engine = tally_fast_engine_for(b->pool, count);
    size_t lanes = engine->lanes, length = b->params->length;
    if (lanes == 1 && count == 5) {
        count = 4; /* without vectors an idle group costs what one at work does */
    }
    size_t groups = tally_fast_groups(engine, length, count), room = groups * lanes;
    size_t taken = count < room ? count : room;
    b->engine = engine;
    b->ring = cipher->ring;
    b->groups = groups;
    engine->transpose->to_lanes((const uint8_t *const *)rows, taken, length, room, b->ring);
    run_batch(cipher, from, b, NULL);
    engine->transpose->from_lanes(b->ring, room, taken, length, rows);
    return taken;
}

void tally_fast_run_rows(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                         const uint8_t *tweak, size_t tweak_size, uint8_t *const *rows,
                         size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    size_t length = params->length;
    if (length == 0 || count == 0) {
        return;
    }
    if (pool->profile == TALLY_FAST_BYTES_LEGACY && length == 2) {
        for (size_t i = 0; i < count; i++) {
            tally_fast_legacy_pair(pool, decrypt, tweak, tweak_size, rows[i]);
        }
        return;
    }
    source from;
    open_source(cipher, params, tweak, tweak_size, &from);
    batch b = {.pool = pool, .params = params, .decrypt = decrypt};
    const tally_fast_lanes *lanes = pool->lanes;
    size_t done = 0, fewest = pool->radix > 128 ? 3 : 2; /* on lanes; one by one they are faster */
    if (length > 1 && length <= TALLY_FAST_SLOT_LAYERS &&
        length * lanes->lanes <= TALLY_FAST_RING) {
        while (count - done >= fewest) {
            done += run_on_lanes(cipher, &from, &b, rows + done, count - done);
        }
    }
    b.ring = NULL;
    b.rows = rows + done;
    b.count = count - done;
    if (b.count != 0) {
        run_batch(cipher, &from, &b, NULL);
    }
    if (from.indices == NULL) {
        tally_wipe(&from.stream, sizeof from.stream);
    }
    if (done != 0) {
        size_t used = length * tally_fast_groups(lanes, length, count) * lanes->lanes;
        tally_wipe(cipher->ring, used);
    }
}
