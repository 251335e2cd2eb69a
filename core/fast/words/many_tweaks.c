/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length under many tweaks. */
#include "fast/words/many_tweaks.h"

#include <string.h>

#include "fast/words/run.h"

enum {
    FEW_WORDS = 8,  /* of a group, that go on lanes one symbol at a time */
    FEW_GROUPS = 2, /* that run one after the other faster than together */
    MANY_GROUPS = 3 /* of one bundle that run by themselves */
};

void tally_fast_bundles_begin(tally_fast_cipher *cipher, const tally_fast_params *params,
                              int decrypt, size_t bundles, size_t words, tally_fast_bundles *out)
{
    out->cipher = cipher;
    out->engine = tally_fast_engine_for(cipher->pool, words / bundles);
    out->params = params;
    out->decrypt = decrypt;
    out->keep = 2 * bundles <= cipher->slot_count;
    out->taken = 0;
    out->most = 0;
}

static void to_lanes(const tally_fast_bundles *b, size_t g, size_t groups, uint8_t *lanes)
{
    const tally_fast_lanes *engine = b->engine;
    uint8_t *const *rows = b->group[g].rows;
    size_t count = b->group[g].count, length = b->params->length, stride = groups * engine->lanes;
    if (count >= FEW_WORDS) {
        engine->transpose->to_lanes((const uint8_t *const *)rows, count, length, stride, lanes);
        return;
    }
    for (size_t k = 0; k < engine->lanes; k++) {
        for (size_t p = 0; k < count && p < length; p++) {
            lanes[p * stride + k] = rows[k][p];
        }
    }
}

static void from_lanes(const tally_fast_bundles *b, size_t g, size_t groups, const uint8_t *lanes)
{
    const tally_fast_lanes *engine = b->engine;
    size_t stride = groups * engine->lanes;
    engine->transpose->from_lanes(lanes, stride, b->group[g].count, b->params->length,
                                  b->group[g].rows);
}

/* Group by group. */
static void run_apart(const tally_fast_bundles *b)
{
    tally_fast_cipher *cipher = b->cipher;
    for (size_t g = 0; g < b->taken; g++) {
        if (g != 0) {
            memcpy(cipher->sequences[0], cipher->sequences[g], b->params->layers);
        }
        to_lanes(b, g, 1, cipher->ring);
        tally_fast_run_groups(cipher, b->engine, b->params, b->decrypt, 1);
        from_lanes(b, g, 1, cipher->ring);
    }
}

/* All groups side by side; those that are not taken repeat the first. */
static void run_together(const tally_fast_bundles *b)
{
    tally_fast_cipher *cipher = b->cipher;
    size_t lanes = b->engine->lanes;
    for (size_t g = 0; g < TALLY_FAST_GROUPS; g++) {
        to_lanes(b, g < b->taken ? g : 0, TALLY_FAST_GROUPS, cipher->ring + g * lanes);
    }
    tally_fast_run_groups(cipher, b->engine, b->params, b->decrypt, TALLY_FAST_GROUPS);
    for (size_t g = 0; g < b->taken; g++) {
        from_lanes(b, g, TALLY_FAST_GROUPS, cipher->ring + g * lanes);
    }
}

static void run(tally_fast_bundles *b)
{
    if (b->taken <= FEW_GROUPS) {
        run_apart(b);
    } else {
        run_together(b);
    }
    b->most = b->taken > b->most ? b->taken : b->most;
    b->taken = 0;
}

void tally_fast_bundles_add(tally_fast_bundles *b, const uint8_t *tweak, size_t tweak_size,
                            uint8_t *const *rows, size_t count)
{
    tally_fast_cipher *cipher = b->cipher;
    const tally_fast_lanes *engine = b->engine;
    if (b->params->layers > TALLY_FAST_SLOT_LAYERS || count >= MANY_GROUPS * engine->lanes ||
        b->params->length * engine->lanes * TALLY_FAST_GROUPS > TALLY_FAST_RING) {
        tally_fast_run_rows(cipher, b->params, b->decrypt, tweak, tweak_size, rows, count);
        return;
    }
    const uint8_t *sequence = cipher->sequences[b->taken];
    tally_fast_sequence(cipher, b->params, tweak, tweak_size, b->keep, cipher->sequences[b->taken]);
    while (count > 0) {
        size_t part = count < engine->lanes ? count : engine->lanes;
        if (sequence != cipher->sequences[b->taken]) {
            memcpy(cipher->sequences[b->taken], sequence, b->params->layers);
            sequence = cipher->sequences[b->taken];
        }
        b->group[b->taken].rows = rows;
        b->group[b->taken].count = part;
        rows += part;
        count -= part;
        if (++b->taken == TALLY_FAST_GROUPS) {
            run(b);
        }
    }
}

void tally_fast_bundles_end(tally_fast_bundles *b)
{
    tally_fast_cipher *cipher = b->cipher;
    run(b);
    if (cipher->trail.blocks != 0) {
        tally_wipe(&cipher->trail, sizeof cipher->trail); /* to no blocks */
    }
    if (b->most > 0) {
        for (size_t g = 0; g < b->most; g++) {
            tally_wipe(cipher->sequences[g], b->params->layers);
        }
        size_t groups = b->most <= FEW_GROUPS ? 1 : TALLY_FAST_GROUPS;
        tally_wipe(cipher->ring, b->params->length * b->engine->lanes * groups);
    }
}
