/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the profile "bytes-legacy" that differ: the pool of the first go-fast, and values of
 * one and two bytes. These are weak by design, and exist to read old data. */
#include "fast/schedule/legacy.h"

#include <string.h>

void tally_fast_legacy_stream_init(const tally_cmac_key *cmac, tally_fast_stream *out)
{
    static const uint8_t input[14] = "FPE-Pool\1\0\1\0\1";
    uint8_t derived[32];
    tally_cmac(cmac, input, 12, derived);
    tally_cmac(cmac, input, 13, derived + 16);
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_shuffle_batch *out)
{
    uint8_t words[4 * 255];
    for (uint32_t k = 0; k < shuffle->batch_size(256); k++) {
        /* The last four bytes of the IV are u32(k << 16). */
        stream->iv[12] = (uint8_t)((first + k) >> 8);
        stream->iv[13] = (uint8_t)(first + k);
        stream->iv[14] = 0;
        stream->iv[15] = 0;
        tally_fast_stream_read(stream, 0, sizeof words, words);
        /* No word is rejected. */
        shuffle->targets(256, out->bounds, words, 255, out->targets + k * (size_t)255);
    }
    tally_wipe(words, sizeof words);
}

static uint8_t legacy_look_up(const tally_fast_pool *pool, tally_direction direction, uint32_t sbox,
                              uint8_t x)
{
    return pool->tables[direction][(size_t)(sbox % 256) * pool->stride + x];
}

void tally_fast_legacy_byte(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *indices, size_t count, uint8_t *word)
{
    uint8_t x = *word;
    for (size_t i = 0; i < count; i++) {
        size_t layer = direction == TALLY_DECRYPT ? count - 1 - i : i;
        x = legacy_look_up(pool, direction, indices[layer], x);
    }
    *word = x;
}

void tally_fast_legacy_pair(const tally_fast_pool *pool, tally_direction direction,
                            const uint8_t *tweak, size_t tweak_size, uint8_t word[2])
{
    uint8_t tag[16] = {0};
    if (tweak_size != 0) {
        tally_cmac(&pool->cmac, tweak, tweak_size, tag);
    }
    uint8_t a = word[0], b = word[1];
    for (uint32_t round = 0; round < 8; round++) {
        if (direction == TALLY_DECRYPT) {
            uint32_t sbox = tag[0] + 37 * (7 - round);
            uint8_t sum = b;
            b = legacy_look_up(pool, direction, sbox, a);
            a = legacy_look_up(pool, direction, sbox, (uint8_t)(sum - a));
        } else {
            uint32_t sbox = tag[0] + 37 * round;
            uint8_t first = legacy_look_up(pool, direction, sbox, a);
            a = legacy_look_up(pool, direction, sbox, b);
            b = (uint8_t)(first + a);
        }
    }
    word[0] = a;
    word[1] = b;
    tally_wipe(tag, sizeof tag);
}
