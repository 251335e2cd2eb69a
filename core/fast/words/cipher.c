/* SPDX-License-Identifier: Apache-2.0
 *
 * A cipher's memory, and its cache of sequences. */
#include "fast/words/cipher.h"

#include <string.h>

#include "base/align.h"
#include "fast/schedule/sequence.h"

enum { CIPHER_MAX_CAPACITY = 4096 };

size_t tally_fast_cipher_size(size_t capacity)
{
    if (capacity < 1 || capacity > CIPHER_MAX_CAPACITY) {
        return 0;
    }
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_cipher) +
           capacity * (sizeof(tally_fast_cache_tag) + sizeof(tally_fast_cache_entry));
}

tally_status tally_fast_cipher_init(const tally_fast_pool *pool, size_t capacity, void *memory,
                                    size_t memory_size, tally_fast_cipher **out)
{
    size_t needed = tally_fast_cipher_size(capacity);
    if (needed == 0 || memory == NULL || memory_size < needed) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_fast_cipher *cipher = tally_align(memory);
    cipher->pool = pool;
    cipher->status = TALLY_OK;
    cipher->clock = 0;
    cipher->prefix_cache.blocks = 0;
    cipher->capacity = capacity;
    cipher->tags = (tally_fast_cache_tag *)(cipher + 1);
    cipher->entries = (tally_fast_cache_entry *)(cipher->tags + capacity);
    memset(cipher->tags, 0, capacity * sizeof *cipher->tags);
    memset(cipher->recommended, 0, sizeof cipher->recommended);
    memset(cipher->sequences, 0, sizeof cipher->sequences); /* idle groups are run too */
    *out = cipher;
    return TALLY_OK;
}

void tally_fast_cipher_wipe(tally_fast_cipher *cipher)
{
    for (size_t i = 0; i < cipher->capacity; i++) {
        if (cipher->tags[i].used != 0) {
            tally_wipe(&cipher->entries[i], sizeof cipher->entries[i]);
        }
    }
    tally_wipe(cipher->window, sizeof cipher->window);
}

const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare)
{
    const int cached = length < TALLY_FAST_CACHE_LENGTH;
    tally_fast_params *params = cached ? &cipher->recommended[length] : spare;
    if (!cached || params->length == 0) {
        const tally_status status = tally_fast_recommended(
            cipher->pool->profile, cipher->pool->radix, (uint32_t)length, params);
        (void)status; /* the length is valid */
    }
    return params;
}

/* FNV-1a over words of eight bytes. Entries of equal hashes are compared in full. */
static uint64_t cipher_hash(const tally_fast_params *params, const uint8_t *tweak, size_t size)
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

const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size)
{
    uint64_t hash = cipher_hash(params, tweak, tweak_size);
    size_t oldest = 0;
    cipher->clock++;
    for (size_t i = 0; i < cipher->capacity; i++) {
        const tally_fast_cache_tag *tag = &cipher->tags[i];
        const tally_fast_cache_entry *entry = &cipher->entries[i];
        if (tag->used != 0 && tag->hash == hash && entry->tweak_size == tweak_size &&
            memcmp(&entry->params, params, sizeof *params) == 0 &&
            (tweak_size == 0 || memcmp(entry->tweak, tweak, tweak_size) == 0)) {
            cipher->tags[i].used = cipher->clock;
            return entry->indices;
        }
        if (tag->used < cipher->tags[oldest].used) {
            oldest = i;
        }
    }
    tally_fast_cache_entry *entry = &cipher->entries[oldest];
    cipher->tags[oldest].used = cipher->clock;
    cipher->tags[oldest].hash = hash;
    tally_fast_stream stream;
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, NULL, &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, entry->indices);
    tally_wipe(&stream, sizeof stream);
    entry->params = *params;
    entry->tweak_size = (uint32_t)tweak_size;
    if (tweak_size != 0) {
        memcpy(entry->tweak, tweak, tweak_size);
    }
    return entry->indices;
}

void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out)
{
    if (use_cache && tweak_size <= TALLY_FAST_CACHE_TWEAK) {
        memcpy(out, tally_fast_cached_sequence(cipher, params, tweak, tweak_size), params->layers);
        return;
    }
    tally_fast_stream stream;
    tally_fast_sequence_init(cipher->pool, params, tweak, tweak_size, &cipher->prefix_cache,
                             &stream);
    tally_fast_sequence_read(cipher->pool->profile, &stream, 0, params->layers, out);
    tally_wipe(&stream, sizeof stream);
}
