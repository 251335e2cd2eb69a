/* SPDX-License-Identifier: Apache-2.0
 *
 * A cipher's memory, and the sequences that it keeps. */
#include "fast/words/cipher.h"

#include <string.h>

#include "fast/schedule/sequence.h"

enum { ALIGNMENT = 64, MAX_SLOTS = 4096 };

size_t tally_fast_cipher_size(size_t slots)
{
    if (slots < 1 || slots > MAX_SLOTS) {
        return 0;
    }
    return ALIGNMENT - 1 + sizeof(tally_fast_cipher) +
           slots * (sizeof(tally_fast_mark) + sizeof(tally_fast_slot));
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
    cipher->trail.blocks = 0;
    cipher->slot_count = slots;
    cipher->marks = (tally_fast_mark *)(cipher + 1);
    cipher->slots = (tally_fast_slot *)(cipher->marks + slots);
    memset(cipher->marks, 0, slots * sizeof *cipher->marks);
    *out = cipher;
    return TALLY_OK;
}

void tally_fast_cipher_wipe(tally_fast_cipher *cipher)
{
    for (size_t i = 0; i < cipher->slot_count; i++) {
        if (cipher->marks[i].used != 0) {
            tally_wipe(&cipher->slots[i], sizeof cipher->slots[i]);
        }
    }
    tally_wipe(cipher->window, sizeof cipher->window);
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

const uint8_t *tally_fast_kept_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                                        const uint8_t *tweak, size_t tweak_size)
{
    uint64_t hash = hash_of(params, tweak, tweak_size);
    size_t oldest = 0;
    cipher->clock++;
    for (size_t i = 0; i < cipher->slot_count; i++) {
        const tally_fast_mark *mark = &cipher->marks[i];
        const tally_fast_slot *slot = &cipher->slots[i];
        if (mark->used != 0 && mark->hash == hash && slot->tweak_size == tweak_size &&
            memcmp(&slot->params, params, sizeof *params) == 0 &&
            (tweak_size == 0 || memcmp(slot->tweak, tweak, tweak_size) == 0)) {
            cipher->marks[i].used = cipher->clock;
            return slot->indices;
        }
        if (mark->used < cipher->marks[oldest].used) {
            oldest = i;
        }
    }
    tally_fast_slot *slot = &cipher->slots[oldest];
    cipher->marks[oldest].used = cipher->clock;
    cipher->marks[oldest].hash = hash;
    tally_fast_stream stream;
    tally_fast_sequence_open(cipher->pool, params, tweak, tweak_size, NULL, &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, slot->indices);
    tally_wipe(&stream, sizeof stream);
    slot->params = *params;
    slot->tweak_size = (uint32_t)tweak_size;
    if (tweak_size != 0) {
        memcpy(slot->tweak, tweak, tweak_size);
    }
    return slot->indices;
}

void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int keep, uint8_t *out)
{
    if (keep && tweak_size <= TALLY_FAST_SLOT_TWEAK) {
        memcpy(out, tally_fast_kept_sequence(cipher, params, tweak, tweak_size), params->layers);
        return;
    }
    tally_fast_stream stream;
    tally_fast_sequence_open(cipher->pool, params, tweak, tweak_size, &cipher->trail, &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, out);
    tally_wipe(&stream, sizeof stream);
}
