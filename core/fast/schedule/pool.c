/* SPDX-License-Identifier: Apache-2.0
 *
 * Key schedule of FAST, first part: the S-box pool (paper, section 4; docs/reference/fast.md for the bytes).
 * Most shuffles read and write at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/schedule/pool.h"

#include <string.h>

#include "fast/schedule/derive.h"
#include "fast/schedule/legacy.h"
#include "fast/schedule/shuffle.h"
#include "fast/schedule/stream.h"

enum { ALIGNMENT = 64 };

/* Block 0 of the stream is not used. */
static void read_stream(const void *stream, uint64_t first, size_t size, uint8_t *out)
{
    tally_fast_stream_read(stream, first + 1, size, out);
}

static void open_stream(const tally_cmac_key *cmac, uint32_t radix, tally_fast_stream *out)
{
    uint8_t derived[32];
    tally_fast_encoding head;
    tally_fast_encode_pool(radix, &head);
    tally_fast_derive(cmac, &head, NULL, 0, NULL, derived);
    tally_fast_stream_open(derived, out);
    tally_wipe(derived, sizeof derived);
}

static int expanded(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED;
}

/* Room for the forward entries of an S-box; its inverse needs no more. */
static size_t stride_of(uint32_t radix)
{
    size_t entries = expanded(radix) ? 3 * (size_t)radix - 2 : radix;
    return (entries + 15) / 16 * 16;
}

/* With room behind them for copies that run over. */
static size_t tables_size(uint32_t radix)
{
    return stride_of(radix) * TALLY_FAST_POOL_SIZE + ALIGNMENT;
}

size_t tally_fast_pool_size(uint32_t radix)
{
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX) {
        return 0;
    }
    size_t header = (sizeof(tally_fast_pool) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return ALIGNMENT - 1 + header + 2 * tables_size(radix) + tally_fast_lane_room(radix);
}

static inline void copy(const uint8_t *from, const size_t blocks, uint8_t *to)
{
    uint8_t bytes[48];
    memcpy(bytes, from, 16 * blocks);
    memcpy(to, bytes, 16 * blocks);
}

/* Copies S-boxes and their inverses of `blocks` times 16 bytes into their expanded tables, in order:
 * copies that run over, by 16 bytes at most, are overwritten by what comes next. */
static inline void lay_out_blocks(uint32_t radix, const size_t blocks, size_t count,
                                  const tally_fast_batch *batch, size_t stride, uint8_t *forward,
                                  uint8_t *inverse)
{
    const uint8_t *sbox = batch->sboxes, *inverse_sbox = batch->inverses;
    for (size_t k = 0; k < count; k++) {
        copy(sbox + 1, blocks, forward - (radix - 1));
        copy(sbox, blocks, forward);
        copy(sbox, blocks, forward + radix);
        copy(inverse_sbox, blocks, inverse);
        copy(inverse_sbox, blocks, inverse + radix);
        sbox += 16 * blocks;
        inverse_sbox += 16 * blocks;
        forward += stride;
        inverse += stride;
    }
}

static void lay_out(uint32_t radix, size_t count, const tally_fast_batch *batch, size_t stride,
                    uint8_t *forward, uint8_t *inverse)
{
    if (radix <= 16) {
        lay_out_blocks(radix, 1, count, batch, stride, forward, inverse);
    } else if (radix <= 32) {
        lay_out_blocks(radix, 2, count, batch, stride, forward, inverse);
    } else {
        lay_out_blocks(radix, 3, count, batch, stride, forward, inverse);
    }
}

/* Draws and lays out all S-boxes. */
static void fill(const tally_fast_pool *pool, uint8_t *forward, uint8_t *inverse)
{
    int legacy = pool->profile == TALLY_FAST_BYTES_LEGACY;
    uint32_t radix = pool->radix;
    size_t stride = pool->stride, plain = (radix + 15) / 16 * 16;
    const tally_fast_shuffle *shuffle = tally_fast_choose_shuffle();
    size_t together = shuffle->together(radix);
    tally_fast_stream stream;
    tally_fast_words words;
    tally_fast_batch batch;
    tally_fast_batch_open(radix, &batch);
    if (legacy) {
        tally_fast_legacy_open(&pool->cmac, &stream);
    } else {
        open_stream(&pool->cmac, radix, &stream);
        tally_fast_words_open(read_stream, &stream, &words);
    }
    for (uint32_t k = 0; k < TALLY_FAST_POOL_SIZE; k += (uint32_t)together) {
        if (legacy) {
            tally_fast_legacy_draw(shuffle, &stream, k, &batch);
        } else {
            tally_fast_draw(shuffle, radix, together, TALLY_FAST_POOL_SIZE - k - together, &words,
                            &batch);
        }
        if (!expanded(radix)) { /* what is shuffled is laid out */
            shuffle->swap(radix, batch.targets, stride, forward + k * stride, inverse + k * stride);
            continue;
        }
        shuffle->swap(radix, batch.targets, plain, batch.sboxes, batch.inverses);
        lay_out(radix, together, &batch, stride, forward + k * stride, inverse + k * stride);
    }
    tally_wipe(&stream, sizeof stream);
    tally_wipe(words.bytes, sizeof words.bytes);
    tally_wipe(batch.targets, together * radix);
    tally_wipe(batch.sboxes, together * plain);
    tally_wipe(batch.inverses, together * plain);
}

tally_status tally_fast_pool_init(tally_fast_profile profile, uint32_t radix, const uint8_t *key,
                                  size_t key_size, void *memory, size_t memory_size,
                                  tally_fast_pool **out)
{
    int legacy = profile == TALLY_FAST_BYTES_LEGACY;
    if (!legacy && profile != TALLY_FAST) {
        return TALLY_ERROR_ARGUMENT;
    }
    size_t needed = tally_fast_pool_size(radix);
    if (needed == 0 || (legacy && radix != 256)) {
        return TALLY_ERROR_RADIX;
    }
    if (memory == NULL || memory_size < needed) {
        return TALLY_ERROR_ARGUMENT;
    }
    uintptr_t aligned = ((uintptr_t)memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tally_fast_pool *pool = (tally_fast_pool *)aligned;
    tally_status status = tally_cmac_key_init(key, key_size, &pool->cmac);
    if (status != TALLY_OK) {
        return status;
    }
    size_t header = (sizeof *pool + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t before = expanded(radix) ? radix - 1 : 0, stride = stride_of(radix);
    uint8_t *forward = (uint8_t *)aligned + header + before;
    uint8_t *inverse = (uint8_t *)aligned + header + tables_size(radix);
    pool->profile = profile;
    pool->radix = radix;
    pool->stride = (uint32_t)stride;
    pool->forward = forward;
    pool->inverse = inverse;
    const tally_fast_lanes *lanes = tally_fast_choose_lanes();
    size_t lane_stride = lanes->stride(radix);
    uint8_t *lane_forward = inverse + tables_size(radix);
    uint8_t *lane_inverse = lane_forward + TALLY_FAST_POOL_SIZE * lane_stride;
    pool->lanes = lanes;
    pool->lane_stride = lane_stride != 0 ? lane_stride : stride;
    pool->lane_forward = lane_stride != 0 ? lane_forward : forward;
    pool->lane_inverse = lane_stride != 0 ? lane_inverse : inverse;

    fill(pool, forward, inverse);
    if (lane_stride != 0) {
        lanes->lay_out_forward(radix, forward, stride, lane_forward);
        lanes->lay_out_inverse(radix, inverse, stride, lane_inverse);
    }
    *out = pool;
    return TALLY_OK;
}
