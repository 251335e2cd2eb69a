/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (SP 800-38B, RFC 4493) in one shot and in pieces. The last block is held back until the
 * message's end, because it alone is masked with a subkey. */
#include "aes/cmac.h"

#include "aes/backend.h"
#include "aes/key.h"
#include "base/bytes.h"

#include <string.h>

/* Multiplies by x in GF(2^128) as RFC 4493, section 2.3, does; no branch on the top bit. */
static void cmac_double_block(const uint8_t in[16], uint8_t out[16])
{
    uint64_t high = tally_load_be64(in), low = tally_load_be64(in + 8);
    uint64_t reduction = (0 - (high >> 63)) & 0x87;
    tally_store_be64(high << 1 | low >> 63, out);
    tally_store_be64(low << 1 ^ reduction, out + 8);
}

static void cmac_set_subkeys(tally_cmac_key *key)
{
    uint8_t zero[16] = {0};
    tally_aes_encrypt_blocks(&key->aes, zero, 1, zero);
    cmac_double_block(zero, key->k1);
    cmac_double_block(key->k1, key->k2);
    tally_wipe(zero, sizeof zero);
}

tally_status tally_cmac_key_init(const uint8_t *key, size_t key_size, tally_cmac_key *out)
{
    tally_status status = tally_aes_key_init(key, key_size, &out->aes);
    if (status != TALLY_OK) {
        return status;
    }
    cmac_set_subkeys(out);
    return TALLY_OK;
}

void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out)
{
    tally_aes_key_init_256(key, &out->aes);
    cmac_set_subkeys(out);
}

void tally_cmac_key_init_aes(const tally_aes_key *key, tally_cmac_key *out)
{
    out->aes = *key;
    cmac_set_subkeys(out);
}

void tally_cmac_key_wipe(tally_cmac_key *key)
{
    tally_wipe(key, sizeof *key);
}

enum { CMAC_MANY = 64 /* messages side by side */ };

/* The number of blocks before the last one, which is never empty unless the message is. */
static size_t cmac_blocks_before_last(size_t size)
{
    return size == 0 ? 0 : (size - 1) / 16;
}

/* Up to 8 bytes as a little-endian number, without a branch for each. */
static uint64_t cmac_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        return tally_load_le32(in) | (uint64_t)tally_load_le32(in + size - 4) << 8 * (size - 4);
    }
    return size == 0 ? 0
                     : (uint64_t)in[0] | (uint64_t)in[size / 2] << 8 * (size / 2) |
                           (uint64_t)in[size - 1] << 8 * (size - 1);
}

/* The last block of 0..15 bytes, padded. */
static void cmac_pad_last(const uint8_t *in, size_t size, uint8_t out[16])
{
    uint64_t low, high = 0;
    if (size < 8) {
        low = cmac_load_few(in, size) | UINT64_C(0x80) << 8 * size;
    } else {
        low = tally_load_le64(in);
        high = cmac_load_few(in + 8, size - 8) | UINT64_C(0x80) << 8 * (size - 8);
    }
    tally_store_le64(low, out);
    tally_store_le64(high, out + 8);
}

static void cmac_xor_block(const uint8_t in[16], uint8_t block[16])
{
    uint64_t a[2], b[2];
    memcpy(a, in, 16);
    memcpy(b, block, 16);
    b[0] ^= a[0];
    b[1] ^= a[1];
    memcpy(block, b, 16);
}

/* The last block of 0..16 bytes, padded and masked with its subkey. */
static void cmac_mask_last(const tally_cmac_key *key, const uint8_t *in, size_t size,
                           uint8_t out[16])
{
    if (size == 16) {
        memcpy(out, in, 16);
        cmac_xor_block(key->k1, out);
    } else {
        cmac_pad_last(in, size, out);
        cmac_xor_block(key->k2, out);
    }
}

/* The last blocks of one or two messages of the same size; the chains become tags. */
static void cmac_last_blocks(const tally_cmac_key *key, size_t lanes,
                             const uint8_t *const messages[], size_t size, uint8_t tags[][16])
{
    size_t before = cmac_blocks_before_last(size);
    uint8_t last[2][16];
    const uint8_t *blocks[2] = {last[0], last[1]};
    for (size_t i = 0; i < lanes; i++) {
        const uint8_t *rest = size == 0 ? NULL : messages[i] + 16 * before;
        cmac_mask_last(key, rest, size - 16 * before, last[i]);
    }
    key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
    tally_wipe(last, sizeof last);
}

/* CMAC of one or two messages of the same size. */
static void cmac_lanes(const tally_cmac_key *key, size_t lanes, const uint8_t *const messages[],
                       size_t size, uint8_t tags[][16])
{
    const size_t before = cmac_blocks_before_last(size);
    memset(tags, 0, 16 * lanes);
    if (before != 0) {
        key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, tags);
    }
    cmac_last_blocks(key, lanes, messages, size, tags);
}

void tally_cmac(const tally_cmac_key *key, const uint8_t *message, size_t size, uint8_t tag[16])
{
    uint8_t tags[1][16]; /* `tag` may overlap the message */
    cmac_lanes(key, 1, &message, size, tags);
    memcpy(tag, tags[0], 16);
    tally_wipe(tags, sizeof tags);
}

/* The number of the message's first blocks, without the last one, that the cache has. */
static size_t cmac_blocks_cached(const tally_cmac_prefix_cache *cache, const uint8_t *message,
                                 size_t before)
{
    size_t cached = cache->blocks < before ? cache->blocks : before, i = 0;
    while (i < cached && memcmp(message + 16 * i, cache->message + 16 * i, 16) == 0) {
        i++;
    }
    return i;
}

/* The chains after the blocks before the last one. */
static void cmac_pair_chains(const tally_cmac_key *key, const uint8_t *const messages[2],
                             size_t before, tally_cmac_prefix_cache *cache, uint8_t chains[2][16])
{
    size_t cached = cmac_blocks_cached(cache, messages[0], before);
    memset(chains, 0, 32);
    if (cached > 0) {
        memcpy(chains, cache->chains[cached - 1], 32);
    }
    memcpy(cache->message + 16 * cached, messages[0] + 16 * cached, 16 * (before - cached));
    cache->blocks = before;
    for (size_t i = cached; i < before; i++) {
        const uint8_t *blocks[2] = {messages[0] + 16 * i, messages[1] + 16 * i};
        key->aes.backend->cbc_mac(&key->aes, 2, blocks, 1, chains);
        memcpy(cache->chains[i], chains, 32);
    }
}

void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16])
{
    const uint8_t *messages[2] = {message0, message1};
    uint8_t tags[2][16];
    if (cache == NULL || size == 0) {
        cmac_lanes(key, 2, messages, size, tags);
    } else {
        size_t before = cmac_blocks_before_last(size);
        cmac_pair_chains(key, messages, before, cache, tags);
        cmac_last_blocks(key, 2, messages, size, tags);
    }
    memcpy(tag0, tags[0], 16);
    memcpy(tag1, tags[1], 16);
    tally_wipe(tags, sizeof tags);
}

/* The remainders of up to CMAC_MANY messages, those with the most blocks first. */
typedef struct cmac_lane_set {
    size_t count;
    const uint8_t *at[CMAC_MANY];
    size_t before[CMAC_MANY], last[CMAC_MANY]; /* blocks before the last one, and its 0..16 bytes */
    size_t of[CMAC_MANY];                      /* which message */
} cmac_lane_set;

/* Inserts a message by its number of blocks: sizes are public. Most messages have the size of the
 * previous one, and are appended. */
static void cmac_add_lane(const uint8_t *message, size_t size, cmac_lane_set *x)
{
    const size_t before = cmac_blocks_before_last(size), of = x->count;
    size_t to = x->count++;
    for (; to > 0 && x->before[to - 1] < before; to--) {
        x->at[to] = x->at[to - 1];
        x->before[to] = x->before[to - 1];
        x->last[to] = x->last[to - 1];
        x->of[to] = x->of[to - 1];
    }
    x->at[to] = message;
    x->before[to] = before;
    x->last[to] = size - 16 * before;
    x->of[to] = of;
}

/* All but the last blocks. */
static void cmac_chain_lanes(const tally_cmac_key *key, cmac_lane_set *x, uint8_t chains[][16])
{
    size_t active = x->count, done = 0;
    while (active > 0) {
        const size_t blocks = x->before[active - 1] - done;
        if (blocks == 0) {
            active--;
            continue;
        }
        key->aes.backend->cbc_mac(&key->aes, active, x->at, blocks, chains);
        for (size_t i = 0; i < active; i++) {
            x->at[i] += 16 * blocks;
        }
        done += blocks;
    }
}

/* The last blocks. Subkeys are added to the chains, so only incomplete blocks are copied. */
static void cmac_end_lanes(const tally_cmac_key *key, cmac_lane_set *x, uint8_t chains[][16])
{
    uint8_t padded[CMAC_MANY][16];
    for (size_t i = 0; i < x->count; i++) {
        if (x->last[i] == 16) {
            cmac_xor_block(key->k1, chains[i]);
        } else {
            cmac_xor_block(key->k2, chains[i]);
            cmac_pad_last(x->at[i], x->last[i], padded[i]);
            x->at[i] = padded[i];
        }
    }
    key->aes.backend->cbc_mac(&key->aes, x->count, x->at, 1, chains);
    tally_wipe(padded, 16 * x->count);
}

void tally_cmac_many(const tally_cmac_key *key, const uint8_t *const messages[],
                     const size_t sizes[], size_t count, uint8_t (*tags)[16])
{
    uint8_t chains[CMAC_MANY][16];
    cmac_lane_set x;
    for (size_t first = 0; first < count; first += x.count) {
        x.count = 0;
        for (size_t i = first; i < count && x.count < CMAC_MANY; i++) {
            cmac_add_lane(messages[i], sizes[i], &x);
        }
        memset(chains, 0, 16 * x.count);
        cmac_chain_lanes(key, &x, chains);
        cmac_end_lanes(key, &x, chains);
        for (size_t i = 0; i < x.count; i++) {
            memcpy(tags[first + x.of[i]], chains[i], 16);
        }
    }
    tally_wipe(chains, 16 * (count < CMAC_MANY ? count : CMAC_MANY));
}

void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16])
{
    uint8_t last[CMAC_MANY][16];
    const uint8_t *blocks[CMAC_MANY];
    const size_t before = cmac_blocks_before_last(size);
    while (count > 0) {
        const size_t lanes = count < CMAC_MANY ? count : CMAC_MANY;
        memset(tags, 0, 16 * lanes);
        for (size_t i = 0; i < lanes; i++) {
            if (size == 0) {
                cmac_mask_last(key, heads[i], 16, last[i]);
            } else {
                cmac_mask_last(key, messages[i] + 16 * before, size - 16 * before, last[i]);
            }
            blocks[i] = heads[i];
        }
        if (size != 0) {
            key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
            key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, tags);
        }
        for (size_t i = 0; i < lanes; i++) {
            blocks[i] = last[i];
        }
        key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
        heads += lanes;
        messages += lanes;
        tags += lanes;
        count -= lanes;
    }
    tally_wipe(last, sizeof last);
}

void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16])
{
    key->aes.backend->cbc_mac(&key->aes, count, messages, blocks, chains);
}

void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16])
{
    const size_t before = cmac_blocks_before_last(size);
    uint8_t last[CMAC_MANY][16];
    const uint8_t *blocks[CMAC_MANY];
    while (count > 0) {
        const size_t lanes = count < CMAC_MANY ? count : CMAC_MANY;
        key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, chains);
        for (size_t i = 0; i < lanes; i++) {
            cmac_mask_last(key, messages[i] + 16 * before, size - 16 * before, last[i]);
            blocks[i] = last[i];
        }
        key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, chains);
        messages += lanes;
        chains += lanes;
        count -= lanes;
    }
    tally_wipe(last, sizeof last);
}

void tally_cmac_init(tally_cmac_state *state, const tally_cmac_key *key)
{
    memset(state, 0, sizeof *state);
    state->key = key;
}

static void cmac_absorb(tally_cmac_state *state, const uint8_t *message, size_t blocks)
{
    const tally_aes_key *key = &state->key->aes;
    key->backend->cbc_mac(key, 1, &message, blocks, &state->chain);
}

void tally_cmac_update(tally_cmac_state *state, const uint8_t *message, size_t size)
{
    if (size == 0) {
        return;
    }
    if (state->buffered > 0) {
        const size_t free = 16 - state->buffered, taken = size < free ? size : free;
        memcpy(state->buffer + state->buffered, message, taken);
        state->buffered += taken;
        message += taken;
        size -= taken;
        if (size == 0) {
            return; /* a full buffer may be the last block */
        }
        cmac_absorb(state, state->buffer, 1);
    }
    size_t before = cmac_blocks_before_last(size);
    cmac_absorb(state, message, before);
    state->buffered = size - 16 * before;
    memcpy(state->buffer, message + 16 * before, state->buffered);
}

void tally_cmac_final(tally_cmac_state *state, uint8_t tag[16])
{
    uint8_t last[16];
    cmac_mask_last(state->key, state->buffer, state->buffered, last);
    cmac_absorb(state, last, 1);
    memcpy(tag, state->chain, 16);
    tally_wipe(last, sizeof last);
    tally_cmac_wipe(state);
}

void tally_cmac_wipe(tally_cmac_state *state)
{
    tally_wipe(state, sizeof *state);
}
