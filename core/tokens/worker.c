/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: the ciphers and the memory of a tokenizer in one thread, made when they are needed. */
#include "tokens/worker.h"

#include <string.h>

#include "base/align.h"
#include "fast/words/ff1_words.h"
#include "tallystick/sha2.h"

enum {
    WORKER_TWEAK_CAPACITY = 4096, /* for part 2 of a tweak */
    WORKER_KEPT = 1 << 26         /* bytes: a larger piece is released at the end of a call */
};

static tally_worker *worker_of(tally_run *run)
{
    return (tally_worker *)run;
}

static void worker_release_cipher(tally_worker *worker, tokens_cipher *cipher)
{
    if (cipher->memory != NULL) {
        tally_fast_cipher_wipe(cipher->cipher);
        tally_wipe(cipher->memory, cipher->pool_size);
        tally_release(&worker->tokenizer->allocator, cipher->memory, cipher->memory_size);
        worker->cipher_of[cipher->radix] = 0;
        cipher->memory = NULL;
        cipher->radix = 0;
    }
}

/* Makes FF1 or FF3-1, and the pool that stands for it. */
static tally_status worker_make_ff1(const tally_tokenizer *tokenizer, uint32_t radix, void *memory,
                                    size_t size, tally_fast_pool **out)
{
    const tally_cipher cipher = tokenizer->format->cipher.cipher;
    const uint8_t *key = tokenizer->cipher_key;
    const size_t key_size = tokenizer->key_size;
    *out = tally_align(memory);
    uint8_t *const behind = (uint8_t *)(*out + 1);
    const size_t left = size - (size_t)(behind - (uint8_t *)memory);
    tally_ff1 *ff1 = NULL;
    tally_ff3_1 *ff3_1 = NULL;
    const tally_status status =
        cipher == TALLY_CIPHER_FF3_1
            ? tally_ff3_1_init(radix, key, key_size, behind, left, &ff3_1)
            : tally_ff1_init(cipher == TALLY_CIPHER_FF1_2016 ? TALLY_FF1_2016 : TALLY_FF1, radix,
                             key, key_size, behind, left, &ff1);
    if (status == TALLY_OK) {
        tally_ff1_words_pool(ff1, ff3_1, radix, *out);
    }
    return status;
}

/* Bytes for these. */
static size_t worker_ff1_size(tally_cipher cipher)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_pool) +
           (cipher == TALLY_CIPHER_FF3_1 ? tally_ff3_1_size() : tally_ff1_size());
}

/* Makes a pool with a cipher in one piece of memory. */
static int worker_make_cipher(tally_worker *worker, uint32_t radix, tokens_cipher *out)
{
    const tally_tokenizer *tokenizer = worker->tokenizer;
    const tally_cipher kind = tokenizer->format->cipher.cipher;
    const int fast = kind == TALLY_CIPHER_FAST;
    const size_t pool_size = fast ? tally_fast_pool_size(radix) : worker_ff1_size(kind);
    const size_t capacity = fast ? TOKENS_SEQUENCES : 1;
    const size_t cipher_size = tally_fast_cipher_size(capacity);
    if (pool_size == 0 || tokenizer->key_size == 0) {
        return 0;
    }
    uint8_t *memory = tally_allocate(&tokenizer->allocator, pool_size + cipher_size);
    if (memory == NULL) {
        return 0;
    }
    tally_fast_pool *pool;
    const tally_status made =
        fast ? tally_fast_pool_init(TALLY_FAST, radix, tokenizer->cipher_key, tokenizer->key_size,
                                    memory, pool_size, &pool)
             : worker_make_ff1(tokenizer, radix, memory, pool_size, &pool);
    if (made != TALLY_OK || tally_fast_cipher_init(pool, capacity, memory + pool_size, cipher_size,
                                                   &out->cipher) != TALLY_OK) {
        tally_release_wiped(&tokenizer->allocator, memory, pool_size + cipher_size);
        return 0;
    }
    out->memory = memory;
    out->memory_size = pool_size + cipher_size;
    out->pool_size = pool_size;
    out->radix = radix;
    return 1;
}

/* The cipher of a radix; a new one takes the place of the least recently used one. */
static tally_fast_cipher *worker_cipher(tally_run *run, uint32_t radix)
{
    tally_worker *worker = worker_of(run);
    if (radix > TALLY_FAST_MAX_RADIX) {
        return NULL;
    }
    unsigned place = worker->cipher_of[radix];
    if (place == 0) {
        unsigned oldest = 0;
        for (unsigned i = 1; i < TOKENS_CIPHERS; i++) {
            if (worker->ciphers[i].last_use < worker->ciphers[oldest].last_use) {
                oldest = i;
            }
        }
        worker_release_cipher(worker, &worker->ciphers[oldest]);
        worker->ciphers[oldest].last_use = 0;
        if (!worker_make_cipher(worker, radix, &worker->ciphers[oldest])) {
            return NULL;
        }
        place = oldest + 1;
        worker->cipher_of[radix] = (uint8_t)place;
    }
    worker->ciphers[place - 1].last_use = ++worker->clock;
    return worker->ciphers[place - 1].cipher;
}

static tally_fast_workspace *worker_workspace(tally_run *run)
{
    tally_worker *worker = worker_of(run);
    if (worker->workspace == NULL) {
        const size_t size = tally_fast_workspace_size();
        void *memory = tally_allocate(&worker->tokenizer->allocator, size);
        if (memory == NULL ||
            tally_fast_workspace_init(memory, size, &worker->workspace) != TALLY_OK) {
            tally_release(&worker->tokenizer->allocator, memory, size);
            return NULL;
        }
        worker->workspace_memory = memory;
    }
    return worker->workspace;
}

static void worker_release_piece(tally_worker *worker, tokens_piece *piece)
{
    if (piece->used > 0) {
        tally_wipe(piece->memory, piece->used);
    }
    tally_release(&worker->tokenizer->allocator, piece->block, piece->block_size);
    memset(piece, 0, sizeof *piece);
}

void *tally_tokens_scratch(tally_worker *worker, unsigned place, uint64_t size)
{
    tokens_piece *piece = &worker->pieces[place];
    if (size > SIZE_MAX / 2 - 4096) {
        return NULL;
    }
    if (piece->capacity < size || piece->memory == NULL) {
        const size_t capacity = ((size_t)size + (size_t)size / 4 + 4095) / 64 * 64;
        worker_release_piece(worker, piece);
        piece->block =
            tally_allocate(&worker->tokenizer->allocator, capacity + TALLY_ALIGNMENT - 1);
        if (piece->block == NULL) {
            return NULL;
        }
        piece->block_size = capacity + TALLY_ALIGNMENT - 1;
        piece->memory = tally_align(piece->block);
        piece->capacity = capacity;
    }
    if (piece->used < size) {
        piece->used = (size_t)size;
    }
    worker->used |= (uint64_t)1 << place;
    return piece->memory;
}

static void *worker_scratch(tally_run *run, unsigned place, size_t size)
{
    return place < TALLY_SCRATCHES ? tally_tokens_scratch(worker_of(run), place, size) : NULL;
}

/* Formats derive the same bytes for each call, so the last ones are kept. */
static tally_status worker_derive(tally_run *run, const char *info, uint8_t out[32])
{
    tally_worker *worker = worker_of(run);
    const tally_tokenizer *tokenizer = worker->tokenizer;
    const size_t size = strlen(info);
    if (size == 0 || strcmp(worker->purpose, info) != 0) {
        const tally_status status = tally_hkdf_sha256(NULL, 0, tokenizer->key, tokenizer->key_size,
                                                      (const uint8_t *)info, size, out, 32);
        if (status == TALLY_OK && size < sizeof worker->purpose) {
            memcpy(worker->purpose, info, size + 1);
            memcpy(worker->derived, out, 32);
        }
        return status;
    }
    memcpy(out, worker->derived, 32);
    return TALLY_OK;
}

tally_status tally_worker_new(const tally_tokenizer *tokenizer, tally_worker **out)
{
    *out = NULL;
    size_t size = sizeof(tally_worker);
    for (int rows = 0; rows < 2; rows++) {
        size += tokenizer->head_size[rows] + WORKER_TWEAK_CAPACITY;
    }
    tally_worker *worker = tally_allocate(&tokenizer->allocator, size);
    if (worker == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(worker, 0, sizeof *worker);
    worker->tokenizer = tokenizer;
    worker->memory_size = size;
    uint8_t *tweak = (uint8_t *)(worker + 1);
    for (int rows = 0; rows < 2; rows++) {
        worker->tweak[rows] = tweak;
        memcpy(tweak, tokenizer->head[rows], tokenizer->head_size[rows]);
        tweak += tokenizer->head_size[rows] + WORKER_TWEAK_CAPACITY;
    }
    worker->run.cipher = worker_cipher;
    worker->run.workspace = worker_workspace;
    worker->run.scratch = worker_scratch;
    worker->run.derive = worker_derive;
    worker->run.key = tokenizer->key;
    worker->run.key_size = tokenizer->key_size;
    *out = worker;
    return TALLY_OK;
}

void tally_worker_free(tally_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    const tally_allocator allocator = worker->tokenizer->allocator;
    for (unsigned i = 0; i < TOKENS_CIPHERS; i++) {
        worker_release_cipher(worker, &worker->ciphers[i]);
    }
    for (unsigned i = 0; i < TOKENS_PLACES; i++) {
        worker_release_piece(worker, &worker->pieces[i]);
    }
    if (worker->workspace != NULL) {
        tally_fast_workspace_wipe(worker->workspace);
        tally_release(&allocator, worker->workspace_memory, tally_fast_workspace_size());
    }
    tally_release_wiped(&allocator, worker, worker->memory_size);
}

tally_status tally_tokens_begin(tally_worker *worker, tally_direction direction,
                                const tally_strings *row_tweaks)
{
    const int rows = row_tweaks != NULL;
    tally_run *run = &worker->run;
    if (direction == TALLY_DECRYPT && worker->tokenizer->format->one_way) {
        return TALLY_ERROR_ONE_WAY;
    }
    if (rows && !worker->tokenizer->format->keyed) { /* the result depends on the value alone */
        return TALLY_ERROR_TWEAKS;
    }
    if (direction == TALLY_ENCRYPT &&
        worker->tokenizer->format->cipher.cipher == TALLY_CIPHER_FF3_1) {
        return TALLY_ERROR_READ_ONLY;
    }
    const uint32_t rights = worker->tokenizer->rights;
    if (direction == TALLY_DECRYPT && (rights & TALLY_MAY_REVEAL) == 0) {
        return TALLY_ERROR_PROTECT_ONLY;
    }
    if (direction == TALLY_ENCRYPT && (rights & TALLY_MAY_PROTECT) == 0) {
        return TALLY_ERROR_REVEAL_ONLY;
    }
    run->direction = direction;
    run->tweak = worker->tweak[rows];
    run->tweak_size = worker->tokenizer->head_size[rows];
    run->tweak_capacity = run->tweak_size + WORKER_TWEAK_CAPACITY;
    run->row_tweaks = row_tweaks;
    run->small = 0;
    return TALLY_OK;
}

void tally_tokens_end(tally_worker *worker)
{
    const uint64_t used = worker->used;
    for (unsigned place = 0; place < TOKENS_PLACES && used >> place != 0; place++) {
        tokens_piece *piece = &worker->pieces[place];
        if ((used >> place & 1) == 0) {
            continue;
        }
        if (piece->capacity > WORKER_KEPT) {
            worker_release_piece(worker, piece);
        } else {
            tally_wipe(piece->memory, piece->used);
            piece->used = 0;
        }
    }
    worker->used = 0;
    worker->run.row_tweaks = NULL;
}
