/* SPDX-License-Identifier: Apache-2.0
 *
 * What the profile "bytes-legacy" has of its own: the pool of the first go-fast, and its ways with
 * values of one and two bytes. Weak there by design; kept to read what it wrote. */
#include "fast/schedule/legacy.h"

#include <string.h>

void tally_fast_legacy_open(const tally_cmac_key *cmac, tally_fast_stream *out)
{
    static const uint8_t input[13] = {"FPE-Pool\1\0\1\0\1"};
    uint8_t derived[32];
    tally_cmac(cmac, input, 12, derived);
    tally_cmac(cmac, input, 13, derived + 16);
    tally_fast_stream_open(derived, out);
    tally_wipe(derived, sizeof derived);
}

void tally_fast_legacy_draw(const tally_fast_shuffle *shuffle, tally_fast_stream *stream,
                            uint32_t first, tally_fast_batch *out)
{
    uint8_t words[4 * 255];
    for (uint32_t k = 0; k < shuffle->together(256); k++) {
        /* The last four bytes of the IV are u32(k << 16). */
        stream->iv[12] = (uint8_t)((first + k) >> 8);
        stream->iv[13] = (uint8_t)(first + k);
        stream->iv[14] = 0;
        stream->iv[15] = 0;
        tally_fast_stream_read(stream, 0, sizeof words, words);
        /* Nothing is drawn again. */
        shuffle->targets(256, out->bounds, words, 255, out->targets + k * (size_t)255);
    }
    tally_wipe(words, sizeof words);
}

static uint8_t look_up(const tally_fast_pool *pool, const uint8_t *table, uint32_t sbox, uint8_t x)
{
    return table[(size_t)(sbox % 256) * pool->stride + x];
}

void tally_fast_legacy_byte(const tally_fast_pool *pool, int decrypt, const uint8_t *indices,
                            size_t count, uint8_t *word)
{
    uint8_t x = *word;
    for (size_t i = 0; i < count; i++) {
        x = decrypt ? look_up(pool, pool->inverse, indices[count - 1 - i], x)
                    : look_up(pool, pool->forward, indices[i], x);
    }
    *word = x;
}

void tally_fast_legacy_pair(const tally_fast_pool *pool, int decrypt, const uint8_t *tweak,
                            size_t tweak_size, uint8_t word[2])
{
    uint8_t tag[16] = {0};
    if (tweak_size != 0) {
        tally_cmac(&pool->cmac, tweak, tweak_size, tag);
    }
    uint8_t a = word[0], b = word[1];
    for (uint32_t round = 0; round < 8; round++) {
        if (decrypt) {
            uint32_t sbox = tag[0] + 37 * (7 - round);
            uint8_t sum = b;
            b = look_up(pool, pool->inverse, sbox, a);
            a = look_up(pool, pool->inverse, sbox, (uint8_t)(sum - a));
        } else {
            uint32_t sbox = tag[0] + 37 * round;
            uint8_t first = look_up(pool, pool->forward, sbox, a);
            a = look_up(pool, pool->forward, sbox, b);
            b = (uint8_t)(first + a);
        }
    }
    word[0] = a;
    word[1] = b;
    tally_wipe(tag, sizeof tag);
}
