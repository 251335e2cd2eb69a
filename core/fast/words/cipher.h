/* SPDX-License-Identifier: Apache-2.0
 *
 * A cipher: a pool, a cache of sequences, and the lanes that words lie on. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

#include "aes/cmac.h"
#include "base/direction.h"
#include "fast/schedule/pool.h"

enum {
    TALLY_FAST_CACHE_TWEAK = 256,   /* bytes; a sequence of a longer tweak is not cached */
    TALLY_FAST_CACHE_LENGTH = 64,   /* recommended parameters of shorter words are cached */
    TALLY_FAST_LANE_STATE = 1 << 17 /* bytes; longer words run one by one */
};

/* A search of the cache reads the tags alone, which lie side by side. */
typedef struct tally_fast_cache_tag {
    uint64_t used; /* the cipher's clock at the last use; 0: the entry is free */
    uint64_t hash; /* of params and tweak */
} tally_fast_cache_tag;

/* A cached sequence. */
typedef struct tally_fast_cache_entry {
    tally_fast_params params;
    uint32_t tweak_size;
    uint8_t tweak[TALLY_FAST_CACHE_TWEAK];
    uint8_t indices[TALLY_FAST_CACHE_LAYERS];
} tally_fast_cache_entry;

struct tally_fast_cipher {
    const tally_fast_pool *pool;
    tally_status status; /* TALLY_ERROR_MEMORY: words of FF1 were not run, for want of memory */
    uint64_t clock;
    size_t capacity; /* entries of the cache */
    tally_fast_cache_tag *tags;
    tally_fast_cache_entry *entries;
    tally_fast_params recommended[TALLY_FAST_CACHE_LENGTH]; /* by length; a length of 0: not yet */
    tally_cmac_prefix_cache prefix_cache;                   /* of sequences that are not cached */
    uint8_t window[15 + TALLY_FAST_CACHE_LAYERS]; /* of a sequence too long for the cache */
    uint8_t sequences[TALLY_FAST_GROUPS][TALLY_FAST_CACHE_LAYERS]; /* one for each group */
    _Alignas(64) uint8_t lane_state[TALLY_FAST_LANE_STATE];
};

/* Returns the status, which becomes TALLY_OK. Whoever runs long words looks at the end of a call. */
static inline tally_status tally_fast_cipher_take_status(tally_fast_cipher *cipher)
{
    const tally_status status = cipher->status;
    cipher->status = TALLY_OK;
    return status;
}

/* The recommended parameters of words of a valid length; in *spare if they are not cached. */
const tally_fast_params *tally_fast_cipher_params(tally_fast_cipher *cipher, size_t length,
                                                  tally_fast_params *spare);

/* The sequence of params with at most TALLY_FAST_CACHE_LAYERS layers and a tweak of at most
 * TALLY_FAST_CACHE_TWEAK bytes. If it is not cached, it replaces the least recently used entry. The
 * result is valid until the next call. */
const uint8_t *tally_fast_cached_sequence(tally_fast_cipher *cipher,
                                          const tally_fast_params *params, const uint8_t *tweak,
                                          size_t tweak_size);

/* Writes the sequence of params with at most TALLY_FAST_CACHE_LAYERS layers. With use_cache it
 * comes from the cache. Without, or if the tweak is too long for the cache, it is derived by means
 * of cipher->prefix_cache, which the caller wipes at the end. */
void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int use_cache, uint8_t *out);

#endif
