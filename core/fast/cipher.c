/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool at work: words in place, and the sequences kept for them. */
#include "fast/cipher.h"

#include <string.h>

#include "fast/layers.h"
#include "fast/legacy.h"
#include "fast/params.h"
#include "fast/sequence.h"

enum { ALIGNMENT = 64, MAX_SLOTS = 4096 };

size_t tally_fast_cipher_size(size_t slots)
{
    if (slots < 1 || slots > MAX_SLOTS) {
        return 0;
    }
    return ALIGNMENT - 1 + sizeof(tally_fast_cipher) + slots * sizeof(tally_fast_slot);
}

tally_status tally_fast_cipher_init(const tally_fast_pool *pool, size_t slots, void *memory,
                                    size_t memory_size, tally_fast_cipher **out)
{
    size_t needed = tally_fast_cipher_size(slots);
    if (needed == 0 || memory == NULL || memory_size < needed) {
        return TALLY_ERROR_ARGUMENT;
    }
    uintptr_t aligned = ((uintptr_t)memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tally_fast_cipher *cipher = (tally_fast_cipher *)aligned;
    cipher->pool = pool;
    cipher->clock = 0;
    cipher->slot_count = slots;
    cipher->slots = (tally_fast_slot *)(cipher + 1);
    for (size_t i = 0; i < slots; i++) {
        cipher->slots[i].used = 0;
    }
    *out = cipher;
    return TALLY_OK;
}

/* FNV-1a over words of eight bytes: tells slots apart; equality is checked after it. */
static uint64_t hash_of(const tally_fast_params *params, const uint8_t *tweak, size_t size)
{
    const uint64_t prime = 0x100000001b3;
    uint64_t hash = 0xcbf29ce484222325;
    hash = (hash ^ ((uint64_t)params->length << 32 | params->layers)) * prime;
    hash = (hash ^ ((uint64_t)params->w << 32 | params->w_prime)) * prime;
    for (; size >= 8; tweak += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, tweak, 8);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 29;
    }
    uint64_t word = size;
    for (size_t i = 0; i < size; i++) {
        word = word << 8 | tweak[i];
    }
    return (hash ^ word) * prime;
}

/* The slot that holds the sequence, made now if none does. */
static const tally_fast_slot *find_slot(tally_fast_cipher *cipher, const tally_fast_params *params,
                                        const uint8_t *tweak, size_t tweak_size)
{
    uint64_t hash = hash_of(params, tweak, tweak_size);
    tally_fast_slot *oldest = cipher->slots;
    cipher->clock++;
    for (size_t i = 0; i < cipher->slot_count; i++) {
        tally_fast_slot *slot = &cipher->slots[i];
        if (slot->used != 0 && slot->hash == hash && slot->tweak_size == tweak_size &&
            memcmp(&slot->params, params, sizeof *params) == 0 &&
            (tweak_size == 0 || memcmp(slot->tweak, tweak, tweak_size) == 0)) {
            slot->used = cipher->clock;
            return slot;
        }
        if (slot->used < oldest->used) {
            oldest = slot;
        }
    }
    tally_fast_stream stream;
    tally_fast_sequence_open(cipher->pool, params, tweak, tweak_size, &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, oldest->indices);
    tally_wipe(&stream, sizeof stream);
    oldest->used = cipher->clock;
    oldest->hash = hash;
    oldest->params = *params;
    oldest->tweak_size = (uint32_t)tweak_size;
    if (tweak_size != 0) {
        memcpy(oldest->tweak, tweak, tweak_size);
    }
    return oldest;
}

/* Layers first .. first + layers - 1 of every word. */
static void run_layers(const tally_fast_pool *pool, const tally_fast_params *params, int decrypt,
                       uint64_t first, const uint8_t *indices, size_t layers, uint8_t *words,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *word = words + i * params->length;
        if (params->length == 1) {
            tally_fast_legacy_byte(pool, decrypt, indices, layers, word);
        } else if (decrypt) {
            tally_fast_layers_backward(pool, params, first, indices, layers, word);
        } else {
            tally_fast_layers_forward(pool, params, first, indices, layers, word);
        }
    }
}

void tally_fast_run(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                    const uint8_t *tweak, size_t tweak_size, uint8_t *words, size_t count)
{
    const tally_fast_pool *pool = cipher->pool;
    if (params->length == 0 || count == 0) {
        return;
    }
    if (pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            tally_fast_legacy_pair(pool, decrypt, tweak, tweak_size, words + 2 * i);
        }
        return;
    }
    if (params->layers <= TALLY_FAST_SLOT_LAYERS && tweak_size <= TALLY_FAST_SLOT_TWEAK) {
        const tally_fast_slot *slot = find_slot(cipher, params, tweak, tweak_size);
        run_layers(pool, params, decrypt, 0, slot->indices, params->layers, words, count);
        return;
    }
    tally_fast_stream stream;
    tally_fast_sequence_open(pool, params, tweak, tweak_size, &stream);
    uint64_t windows = (params->layers + sizeof cipher->window - 1) / sizeof cipher->window;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t first = (decrypt ? windows - 1 - i : i) * sizeof cipher->window;
        uint64_t left = params->layers - first;
        size_t layers = left < sizeof cipher->window ? (size_t)left : sizeof cipher->window;
        tally_fast_sequence_read(pool->profile, &stream, first, layers, cipher->window);
        run_layers(pool, params, decrypt, first, cipher->window, layers, words, count);
    }
    tally_wipe(&stream, sizeof stream);
}
