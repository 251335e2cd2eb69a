/* SPDX-License-Identifier: Apache-2.0
 *
 * The first part of FAST's key schedule: pools (paper, section 4; bytes: docs/reference/fast.md).
 * Most shuffles read and write at secret indices: see docs/explanation/side-channels.md. */
#include "fast/schedule/pool.h"

#include <string.h>

#include "base/align.h"
#include "fast/schedule/derive.h"
#include "fast/schedule/legacy.h"
#include "fast/schedule/shuffle.h"
#include "fast/schedule/stream.h"

/* Block 0 of the stream is not used. */
static void pool_read_stream(const void *stream, uint64_t first, size_t size, uint8_t *out)
{
    tally_fast_stream_read(stream, first + 1, size, out);
}

static void pool_stream_init(const tally_cmac_key *cmac, uint32_t radix, tally_fast_stream *out)
{
    uint8_t derived[32];
    tally_fast_encoding head;
    tally_fast_encode_pool(radix, &head);
    tally_fast_derive(cmac, &head, NULL, 0, NULL, derived);
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

static int pool_is_expanded(uint32_t radix)
{
    return radix <= TALLY_FAST_MAX_EXPANDED;
}

/* Bytes of the table of an S-box; its inverse needs no more. */
static size_t pool_stride(uint32_t radix)
{
    size_t entries = pool_is_expanded(radix) ? 3 * (size_t)radix - 2 : radix;
    return (entries + 15) / 16 * 16;
}

/* The bytes before the tables, which are aligned too. */
static size_t pool_header_size(void)
{
    return (sizeof(tally_fast_pool) + TALLY_ALIGNMENT - 1) / TALLY_ALIGNMENT * TALLY_ALIGNMENT;
}

/* With bytes at the end for copies that overrun. */
static size_t pool_tables_size(uint32_t radix)
{
    return pool_stride(radix) * TALLY_FAST_POOL_SIZE + TALLY_ALIGNMENT;
}

/* All bytes of a pool. */
static size_t pool_whole_size(uint32_t radix)
{
    return pool_header_size() + 2 * pool_tables_size(radix) + tally_fast_lanes_size(radix);
}

size_t tally_fast_pool_size(uint32_t radix)
{
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX) {
        return 0;
    }
    return TALLY_ALIGNMENT - 1 + pool_whole_size(radix);
}

static inline void pool_copy(const uint8_t *from, const size_t blocks, uint8_t *to)
{
    uint8_t bytes[48];
    memcpy(bytes, from, 16 * blocks);
    memcpy(to, bytes, 16 * blocks);
}

/* Copies S-boxes and their inverses, of `blocks` times 16 bytes each, into their expanded tables. A
 * copy overruns by at most 16 bytes, which the next copy overwrites. */
static inline void pool_expand_blocks(uint32_t radix, const size_t blocks, size_t count,
                                      const tally_fast_shuffle_batch *batch, size_t stride,
                                      uint8_t *forward, uint8_t *inverse)
{
    const uint8_t *sbox = batch->sboxes, *inverse_sbox = batch->inverses;
    for (size_t k = 0; k < count; k++) {
        pool_copy(sbox + 1, blocks, forward - (radix - 1));
        pool_copy(sbox, blocks, forward);
        pool_copy(sbox, blocks, forward + radix);
        pool_copy(inverse_sbox, blocks, inverse);
        pool_copy(inverse_sbox, blocks, inverse + radix);
        sbox += 16 * blocks;
        inverse_sbox += 16 * blocks;
        forward += stride;
        inverse += stride;
    }
}

static void pool_expand(uint32_t radix, size_t count, const tally_fast_shuffle_batch *batch,
                        size_t stride, uint8_t *forward, uint8_t *inverse)
{
    if (radix <= 16) {
        pool_expand_blocks(radix, 1, count, batch, stride, forward, inverse);
    } else if (radix <= 32) {
        pool_expand_blocks(radix, 2, count, batch, stride, forward, inverse);
    } else {
        pool_expand_blocks(radix, 3, count, batch, stride, forward, inverse);
    }
}

/* Draws all S-boxes, and makes their one-word tables. */
static void pool_fill(const tally_fast_pool *pool, uint8_t *forward, uint8_t *inverse)
{
    int legacy = pool->profile == TALLY_FAST_BYTES_LEGACY;
    uint32_t radix = pool->radix;
    size_t stride = pool->stride, plain = (radix + 15) / 16 * 16;
    const tally_fast_shuffle *shuffle = tally_fast_shuffle_choose();
    size_t batch_size = shuffle->batch_size(radix);
    tally_fast_stream stream;
    tally_fast_shuffle_words words;
    tally_fast_shuffle_batch batch;
    tally_fast_shuffle_batch_init(radix, &batch);
    if (legacy) {
        tally_fast_legacy_stream_init(&pool->cmac, &stream);
    } else {
        pool_stream_init(&pool->cmac, radix, &stream);
        tally_fast_shuffle_words_init(pool_read_stream, &stream, &words);
    }
    for (uint32_t k = 0; k < TALLY_FAST_POOL_SIZE; k += (uint32_t)batch_size) {
        if (legacy) {
            tally_fast_legacy_draw(shuffle, &stream, k, &batch);
        } else {
            tally_fast_shuffle_draw(shuffle, radix, batch_size,
                                    TALLY_FAST_POOL_SIZE - k - batch_size, &words, &batch);
        }
        if (!pool_is_expanded(radix)) { /* a shuffled S-box is its table */
            shuffle->swap(radix, batch.targets, stride, forward + k * stride, inverse + k * stride);
            continue;
        }
        shuffle->swap(radix, batch.targets, plain, batch.sboxes, batch.inverses);
        pool_expand(radix, batch_size, &batch, stride, forward + k * stride, inverse + k * stride);
    }
    tally_wipe(&stream, sizeof stream);
    tally_wipe(words.bytes, sizeof words.bytes);
    tally_wipe(batch.targets, batch_size * radix);
    tally_wipe(batch.sboxes, batch_size * plain);
    tally_wipe(batch.inverses, batch_size * plain);
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
    tally_fast_pool *pool = tally_align(memory);
    tally_status status = tally_cmac_key_init(key, key_size, &pool->cmac);
    if (status != TALLY_OK) {
        return status;
    }
    uint8_t *tables = (uint8_t *)pool + pool_header_size();
    size_t before = pool_is_expanded(radix) ? radix - 1 : 0, stride = pool_stride(radix);
    uint8_t *forward = tables + before;
    uint8_t *inverse = tables + pool_tables_size(radix);
    pool->profile = profile;
    pool->ff1 = NULL;
    pool->ff3_1 = NULL;
    pool->radix = radix;
    pool->stride = (uint32_t)stride;
    pool->tables[TALLY_ENCRYPT] = forward;
    pool->tables[TALLY_DECRYPT] = inverse;
    const tally_fast_lanes *lanes = tally_fast_lanes_choose();
    size_t lane_stride = lanes->stride(radix);
    uint8_t *lane_forward = inverse + pool_tables_size(radix);
    uint8_t *lane_inverse = lane_forward + TALLY_FAST_POOL_SIZE * lane_stride;
    pool->lanes = lanes;
    pool->lane_stride = lane_stride != 0 ? lane_stride : stride;
    pool->lane_tables[TALLY_ENCRYPT] = lane_stride != 0 ? lane_forward : forward;
    pool->lane_tables[TALLY_DECRYPT] = lane_stride != 0 ? lane_inverse : inverse;

    pool_fill(pool, forward, inverse);
    if (lane_stride != 0) {
        lanes->lay_out(TALLY_ENCRYPT, radix, forward, stride, lane_forward);
        lanes->lay_out(TALLY_DECRYPT, radix, inverse, stride, lane_inverse);
    }
    *out = pool;
    return TALLY_OK;
}

void tally_fast_pool_wipe(tally_fast_pool *pool)
{
    tally_wipe(pool, pool_whole_size(pool->radix));
}
