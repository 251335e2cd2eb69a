/* SPDX-License-Identifier: Apache-2.0
 *
 * Key schedule of FAST, first part: the S-box pool (paper, section 4; docs/fast.md for the bytes).
 * Shuffling reads and writes at secret indices: see "Not constant time" in docs/security.md. */
#include "fast/pool.h"

#include <string.h>

#include "base/bytes.h"
#include "fast/derive.h"
#include "fast/legacy.h"
#include "fast/stream.h"

enum { ALIGNMENT = 64, DRAWS = 1024 };

/* The pool's generator: words of 32 bits, DRAWS at a time. */
typedef struct generator {
    tally_fast_stream stream;
    uint64_t block;
    size_t next;
    uint8_t words[4 * DRAWS];
} generator;

static uint32_t draw(generator *g)
{
    if (g->next == sizeof g->words) {
        tally_fast_stream_read(&g->stream, g->block, sizeof g->words, g->words);
        g->block += sizeof g->words / 16;
        g->next = 0;
    }
    const uint8_t *p = g->words + g->next;
    g->next += 4;
    return tally_load_be32(p);
}

/* Lemire's method: 0..bound-1 without bias. A word drawn again was never used for anything. */
static uint32_t uniform(generator *g, uint32_t bound)
{
    for (;;) {
        uint64_t product = (uint64_t)draw(g) * bound;
        uint32_t low = (uint32_t)product;
        if (low >= bound || low >= (0 - bound) % bound) {
            return (uint32_t)(product >> 32);
        }
    }
}

static void fill_sboxes(const tally_cmac_key *cmac, uint32_t radix, uint8_t *sboxes)
{
    uint8_t derived[32];
    tally_fast_encoding head;
    tally_fast_encode_begin(4, &head);
    tally_fast_encode_text("instance1", &head);
    tally_fast_encode_number(radix, &head);
    tally_fast_encode_number(TALLY_FAST_POOL_SIZE, &head);
    tally_fast_encode_text("FPE Pool", &head);
    tally_fast_derive(cmac, &head, NULL, 0, NULL, derived);

    generator g;
    tally_fast_stream_open(derived, &g.stream);
    tally_wipe(derived, sizeof derived);
    g.block = 1;
    g.next = sizeof g.words;
    for (uint32_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        uint8_t *sbox = sboxes + (size_t)k * radix;
        for (uint32_t i = 0; i < radix; i++) {
            sbox[i] = (uint8_t)i;
        }
        for (uint32_t i = radix - 1; i > 0; i--) {
            uint32_t j = uniform(&g, i + 1);
            uint8_t swapped = sbox[i];
            sbox[i] = sbox[j];
            sbox[j] = swapped;
        }
    }
    tally_wipe(&g, sizeof g);
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

static size_t tables_size(uint32_t radix)
{
    return stride_of(radix) * TALLY_FAST_POOL_SIZE;
}

size_t tally_fast_pool_size(uint32_t radix)
{
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX) {
        return 0;
    }
    size_t header = (sizeof(tally_fast_pool) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return ALIGNMENT - 1 + header + 2 * tables_size(radix) + tally_fast_lane_room(radix);
}

/* Spreads a plain S-box over its two tables. */
static void lay_out(uint32_t radix, const uint8_t *sbox, uint8_t *forward, uint8_t *inverse)
{
    for (uint32_t i = 0; i < radix; i++) {
        forward[i] = sbox[i];
        inverse[sbox[i]] = (uint8_t)i;
    }
    if (expanded(radix)) {
        memcpy(forward - (radix - 1), sbox + 1, radix - 1);
        memcpy(forward + radix, sbox, radix - 1);
        memcpy(inverse + radix, inverse, radix - 1);
    }
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
    tally_status status = tally_cmac_set_key(key, key_size, &pool->cmac);
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
    size_t lane_stride = lanes != NULL ? lanes->stride(radix) : 0;
    uint8_t *lane_forward = inverse + tables_size(radix);
    uint8_t *lane_inverse = lane_forward + TALLY_FAST_POOL_SIZE * lane_stride;
    pool->lanes = lanes;
    pool->lane_forward = lane_forward;
    pool->lane_inverse = lane_inverse;

    /* The plain S-boxes are made where the inverses come to lie, at the end of that room: the
     * inverse of S-box k then never overwrites one that is still to be read. */
    uint8_t *plain = inverse + tables_size(radix) - (size_t)radix * TALLY_FAST_POOL_SIZE;
    if (legacy) {
        tally_fast_legacy_sboxes(&pool->cmac, plain);
    } else {
        fill_sboxes(&pool->cmac, radix, plain);
    }
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        uint8_t sbox[256];
        memcpy(sbox, plain + k * radix, radix);
        lay_out(radix, sbox, forward + k * stride, inverse + k * stride);
        tally_wipe(sbox, radix);
    }
    if (lanes != NULL) {
        lanes->lay_out_forward(radix, forward, stride, lane_forward);
        lanes->lay_out_inverse(radix, inverse, stride, lane_inverse);
    }
    *out = pool;
    return TALLY_OK;
}
