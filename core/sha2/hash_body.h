/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing by the back ends of one algorithm (FIPS 180-4, sections 5.1 and 6): messages in pieces,
 * and whole messages side by side. The file that includes this defines
 *
 *     HASH(name)                the name of a static function or object
 *     HASH(backends)            the table of back ends, and HASH_BACKENDS, its size
 *     HASH(initial)             the initial chaining value
 *     HASH_CONTEXT              the type of a message in pieces
 *     HASH_BACKEND              the type of a back end
 *     HASH_WORD, HASH_STORE     a word, and the function that writes it as bytes
 *     HASH_BLOCK, HASH_DIGEST   sizes in bytes
 *
 * which are undefined again at the end. */
#include <string.h>

#include "base/bytes.h"

/* A message is padded with a bit, zeros, and its size in bits as a number of two words. */
#define HASH_SIZE_BYTES (2 * sizeof(HASH_WORD))

/* The back end that takes the least time for each of `count` messages. */
static const HASH_BACKEND *HASH(choose)(size_t count)
{
    const HASH_BACKEND *best = NULL;
    const uint32_t features = tally_cpu_features();
    uint32_t best_filled = 0;
    for (size_t i = 0; i < HASH_BACKENDS; i++) {
        const HASH_BACKEND *b = (const HASH_BACKEND *)HASH(backends)[i];
        const uint32_t filled = count < b->lanes ? (uint32_t)count : b->lanes;
        if ((b->backend.needs & ~features) == 0 &&
            (best == NULL || b->cycles * best_filled < best->cycles * filled)) {
            best = b;
            best_filled = filled;
        }
    }
    return best;
}

/* The last block or two of a message: its last `rest` bytes, the bit, zeros, and its size. Returns
 * the number of blocks. */
static size_t HASH(make_tail)(const uint8_t *last, size_t rest, uint64_t size,
                              uint8_t tail[2 * HASH_BLOCK])
{
    size_t blocks = rest < HASH_BLOCK - HASH_SIZE_BYTES ? 1 : 2, end = blocks * HASH_BLOCK;
    if (rest > 0) {
        memcpy(tail, last, rest);
    }
    tail[rest] = 0x80;
    memset(tail + rest + 1, 0, end - rest - 1);
    tally_store_be64(size << 3, tail + end - 8);
    if (HASH_SIZE_BYTES > 8) {
        tally_store_be64(size >> 61, tail + end - 16);
    }
    return blocks;
}

static void HASH(store_digest)(const HASH_WORD *state, size_t step, uint8_t out[HASH_DIGEST])
{
    for (size_t i = 0; i < 8; i++) {
        HASH_STORE(state[i * step], out + i * sizeof(HASH_WORD));
    }
}

static void HASH(begin)(HASH_CONTEXT *context)
{
    context->backend = HASH(choose)(1);
    context->size = 0;
    memcpy(context->state, HASH(initial), sizeof HASH(initial));
}

static void HASH(absorb)(HASH_CONTEXT *context, const uint8_t *data, size_t blocks)
{
    context->backend->compress(&data, blocks, context->state);
}

static void HASH(update)(HASH_CONTEXT *context, const uint8_t *data, size_t size)
{
    if (size == 0) {
        return;
    }
    size_t buffered = (size_t)(context->size % HASH_BLOCK), free = HASH_BLOCK - buffered;
    context->size += size;
    if (size < free) {
        memcpy(context->buffer + buffered, data, size);
        return;
    }
    if (buffered > 0) {
        memcpy(context->buffer + buffered, data, free);
        HASH(absorb)(context, context->buffer, 1);
        data += free;
        size -= free;
    }
    HASH(absorb)(context, data, size / HASH_BLOCK);
    if (size % HASH_BLOCK > 0) {
        memcpy(context->buffer, data + size / HASH_BLOCK * HASH_BLOCK, size % HASH_BLOCK);
    }
}

static void HASH(final)(HASH_CONTEXT *context, uint8_t out[HASH_DIGEST])
{
    uint8_t tail[2 * HASH_BLOCK];
    size_t rest = (size_t)(context->size % HASH_BLOCK);
    HASH(absorb)(context, tail, HASH(make_tail)(context->buffer, rest, context->size, tail));
    HASH(store_digest)(context->state, 1, out);
    tally_wipe(tail, sizeof tail);
    tally_wipe(context, sizeof *context);
}

/* Whole messages, at most as many as the back end has lanes; other lanes repeat the first one. */
static void HASH(hash_side_by_side)(const HASH_BACKEND *b, const uint8_t *const messages[],
                                    size_t size, size_t count, uint8_t out[][HASH_DIGEST])
{
    _Alignas(64) HASH_WORD state[8 * TALLY_SHA2_MAX_LANES];
    uint8_t tails[TALLY_SHA2_MAX_LANES][2 * HASH_BLOCK];
    const uint8_t *data[TALLY_SHA2_MAX_LANES];
    size_t whole = size / HASH_BLOCK, rest = size % HASH_BLOCK, blocks = 0;
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < b->lanes; k++) {
            state[i * b->lanes + k] = HASH(initial)[i];
        }
    }
    if (whole > 0) {
        for (size_t k = 0; k < b->lanes; k++) {
            data[k] = messages[k < count ? k : 0];
        }
        b->compress(data, whole, state);
    }
    for (size_t k = 0; k < b->lanes; k++) {
        data[k] = tails[k < count ? k : 0];
    }
    for (size_t k = 0; k < count; k++) {
        const uint8_t *last = rest > 0 ? messages[k] + size - rest : NULL;
        blocks = HASH(make_tail)(last, rest, size, tails[k]);
    }
    b->compress(data, blocks, state);
    for (size_t k = 0; k < count; k++) {
        HASH(store_digest)(state + k, b->lanes, out[k]);
    }
    tally_wipe(tails, count * sizeof tails[0]);
    tally_wipe(state, 8 * b->lanes * sizeof(HASH_WORD));
}

static void HASH(many)(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][HASH_DIGEST])
{
    while (count > 0) {
        const HASH_BACKEND *b = HASH(choose)(count);
        size_t filled = count < b->lanes ? count : b->lanes;
        HASH(hash_side_by_side)(b, messages, size, filled, out);
        messages += filled;
        out += filled;
        count -= filled;
    }
}

#undef HASH
#undef HASH_BACKEND
#undef HASH_BACKENDS
#undef HASH_BLOCK
#undef HASH_CONTEXT
#undef HASH_DIGEST
#undef HASH_SIZE_BYTES
#undef HASH_STORE
#undef HASH_WORD
