/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing by the engines of one algorithm (FIPS 180-4, sections 5.1 and 6): messages in pieces, and
 * whole ones side by side. The file that includes this defines `hash` and `engine` as types, `word`,
 * `engines` with the number of them, ENGINES, `initial`, BLOCK, DIGEST and STORE, which writes a
 * word as bytes. */
#include <string.h>

#include "base/bytes.h"

/* Behind a message come a bit, zeros, and its size in bits as a number of two words. */
enum { SIZE_BYTES = 2 * sizeof(word), MOST = TALLY_SHA2_MAX_LANES };

/* The engine that takes the least time a message. */
static const engine *choose(size_t count)
{
    const engine *best = NULL;
    uint32_t features = tally_cpu_features(), best_filled = 0;
    for (size_t i = 0; i < ENGINES; i++) {
        const engine *e = engines[i];
        uint32_t filled = count < e->lanes ? (uint32_t)count : e->lanes;
        if ((e->needs & ~features) == 0 &&
            (best == NULL || e->cycles * best_filled < best->cycles * filled)) {
            best = e;
            best_filled = filled;
        }
    }
    return best;
}

/* The last block or two of a message: its last `rest` bytes, the bit, zeros, and its size. Returns
 * how many blocks. */
static size_t make_tail(const uint8_t *last, size_t rest, uint64_t size, uint8_t tail[2 * BLOCK])
{
    size_t blocks = rest < BLOCK - SIZE_BYTES ? 1 : 2, end = blocks * BLOCK;
    if (rest > 0) {
        memcpy(tail, last, rest);
    }
    tail[rest] = 0x80;
    memset(tail + rest + 1, 0, end - rest - 1);
    tally_store_be64(size << 3, tail + end - 8);
    if (SIZE_BYTES > 8) {
        tally_store_be64(size >> 61, tail + end - 16);
    }
    return blocks;
}

static void store_digest(const word *state, size_t step, uint8_t out[DIGEST])
{
    for (size_t i = 0; i < 8; i++) {
        STORE(state[i * step], out + i * sizeof(word));
    }
}

static void begin(hash *context)
{
    context->engine = choose(1);
    context->size = 0;
    memcpy(context->state, initial, sizeof initial);
}

static void absorb(hash *context, const uint8_t *data, size_t blocks)
{
    context->engine->compress(&data, blocks, context->state);
}

static void update(hash *context, const uint8_t *data, size_t size)
{
    if (size == 0) {
        return;
    }
    size_t buffered = (size_t)(context->size % BLOCK), room = BLOCK - buffered;
    context->size += size;
    if (size < room) {
        memcpy(context->buffer + buffered, data, size);
        return;
    }
    if (buffered > 0) {
        memcpy(context->buffer + buffered, data, room);
        absorb(context, context->buffer, 1);
        data += room;
        size -= room;
    }
    absorb(context, data, size / BLOCK);
    if (size % BLOCK > 0) {
        memcpy(context->buffer, data + size / BLOCK * BLOCK, size % BLOCK);
    }
}

static void final(hash *context, uint8_t out[DIGEST])
{
    uint8_t tail[2 * BLOCK];
    size_t rest = (size_t)(context->size % BLOCK);
    absorb(context, tail, make_tail(context->buffer, rest, context->size, tail));
    store_digest(context->state, 1, out);
    tally_wipe(tail, sizeof tail);
    tally_wipe(context, sizeof *context);
}

/* Whole messages, as many as the engine has lanes or fewer; lanes without one repeat the first. */
static void hash_side_by_side(const engine *e, const uint8_t *const messages[], size_t size,
                              size_t count, uint8_t out[][DIGEST])
{
    _Alignas(64) word state[8 * MOST];
    uint8_t tails[MOST][2 * BLOCK];
    const uint8_t *data[MOST];
    size_t whole = size / BLOCK, rest = size % BLOCK, blocks = 0;
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < e->lanes; k++) {
            state[i * e->lanes + k] = initial[i];
        }
    }
    if (whole > 0) {
        for (size_t k = 0; k < e->lanes; k++) {
            data[k] = messages[k < count ? k : 0];
        }
        e->compress(data, whole, state);
    }
    for (size_t k = 0; k < e->lanes; k++) {
        data[k] = tails[k < count ? k : 0];
    }
    for (size_t k = 0; k < count; k++) {
        const uint8_t *last = rest > 0 ? messages[k] + size - rest : NULL;
        blocks = make_tail(last, rest, size, tails[k]);
    }
    e->compress(data, blocks, state);
    for (size_t k = 0; k < count; k++) {
        store_digest(state + k, e->lanes, out[k]);
    }
    tally_wipe(tails, count * sizeof tails[0]);
    tally_wipe(state, 8 * e->lanes * sizeof(word));
}

static void many(const uint8_t *const messages[], size_t size, size_t count, uint8_t out[][DIGEST])
{
    while (count > 0) {
        const engine *e = choose(count);
        size_t filled = count < e->lanes ? count : e->lanes;
        hash_side_by_side(e, messages, size, filled, out);
        messages += filled;
        out += filled;
        count -= filled;
    }
}
