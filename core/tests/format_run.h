/* SPDX-License-Identifier: Apache-2.0
 *
 * A run for tests of formats: one key, ciphers by radix, memory. Tokens are those of a tokenizer. */
#ifndef TALLY_TESTS_FORMAT_RUN_H
#define TALLY_TESTS_FORMAT_RUN_H

#include <stdlib.h>

#include "base/bytes.h"
#include "formats/format.h"
#include "tallystick/sha2.h"

enum { FORMAT_RUN_TWEAK = 2048, FORMAT_RUN_CACHE = 64 };

typedef struct format_run {
    tally_run run;
    uint8_t key[32], tweak[FORMAT_RUN_TWEAK];
    size_t key_size;
    void *pool[257], *cipher_memory[257], *workspace_memory;
    tally_fast_cipher *cipher[257];
    tally_fast_workspace *workspace;
    void *scratch[TALLY_SCRATCHES];
    size_t scratch_size[TALLY_SCRATCHES];
} format_run;

static inline tally_fast_cipher *format_run_cipher(tally_run *run, uint32_t radix)
{
    format_run *own = (format_run *)run;
    if (own->cipher[radix] == NULL) {
        const size_t pool_size = tally_fast_pool_size(radix),
                     cipher_size = tally_fast_cipher_size(FORMAT_RUN_CACHE);
        tally_fast_pool *pool;
        own->pool[radix] = malloc(pool_size);
        own->cipher_memory[radix] = malloc(cipher_size);
        if (tally_fast_pool_init(TALLY_FAST, radix, own->key, own->key_size, own->pool[radix],
                                 pool_size, &pool) != TALLY_OK ||
            tally_fast_cipher_init(pool, FORMAT_RUN_CACHE, own->cipher_memory[radix], cipher_size,
                                   &own->cipher[radix]) != TALLY_OK) {
            return NULL;
        }
    }
    return own->cipher[radix];
}

static inline tally_fast_workspace *format_run_workspace(tally_run *run)
{
    format_run *own = (format_run *)run;
    if (own->workspace == NULL) {
        own->workspace_memory = malloc(tally_fast_workspace_size());
        if (tally_fast_workspace_init(own->workspace_memory, tally_fast_workspace_size(),
                                      &own->workspace) != TALLY_OK) {
            return NULL;
        }
    }
    return own->workspace;
}

static inline void *format_run_scratch(tally_run *run, unsigned place, size_t size)
{
    format_run *own = (format_run *)run;
    if (own->scratch_size[place] < size) {
        free(own->scratch[place]);
        own->scratch_size[place] = (size + 63) / 64 * 64;
        own->scratch[place] = aligned_alloc(64, own->scratch_size[place]);
    }
    return own->scratch[place];
}

static inline tally_status format_run_derive(tally_run *run, const char *info, uint8_t out[32])
{
    const format_run *own = (const format_run *)run;
    return tally_hkdf_sha256(NULL, 0, own->key, own->key_size, (const uint8_t *)info, strlen(info),
                             out, 32);
}

static inline void format_run_append(format_run *own, const char *part, size_t size)
{
    tally_store_be32((uint32_t)size, own->tweak + own->run.tweak_size);
    memcpy(own->tweak + own->run.tweak_size + 4, part, size);
    own->run.tweak_size += 4 + size;
}

/* Begins; `rows` says whether rows have tweaks of their own. */
static inline format_run *format_run_new(const tally_format *format, const uint8_t *key,
                                         size_t key_size, const char *name_space, int rows)
{
    format_run *own = calloc(1, sizeof *own);
    const char *identity = tally_format_identity(format), *kind = rows ? "rows" : "column";
    memcpy(own->key, key, key_size);
    own->key_size = key_size;
    own->run = (tally_run){.tweak = own->tweak,
                           .tweak_capacity = sizeof own->tweak,
                           .cipher = format_run_cipher,
                           .workspace = format_run_workspace,
                           .scratch = format_run_scratch,
                           .derive = format_run_derive};
    tally_store_be32(4, own->tweak);
    own->run.tweak_size = 4;
    format_run_append(own, "tallystick 1", 12);
    format_run_append(own, name_space, strlen(name_space));
    format_run_append(own, identity, strlen(identity));
    format_run_append(own, kind, strlen(kind));
    return own;
}

static inline void format_run_free(format_run *own)
{
    for (size_t i = 0; i < 257; i++) {
        free(own->pool[i]);
        free(own->cipher_memory[i]);
    }
    for (size_t i = 0; i < TALLY_SCRATCHES; i++) {
        free(own->scratch[i]);
    }
    free(own->workspace_memory);
    free(own);
}

static inline int format_run_grow(tally_text_out *out, uint64_t more)
{
    out->capacity = (out->size + more) * 2;
    out->values = realloc(out->values, (size_t)out->capacity);
    return out->values != NULL;
}

/* Runs a column of text. `values` and `offsets`, of the column's rows + 1, receive the result;
 * release both. */
static inline tally_status format_run_text(const tally_format *format, format_run *own,
                                           const tally_strings *in, uint8_t *status,
                                           uint8_t **values, uint64_t **offsets)
{
    const uint64_t rows = in->rows, first = tally_offset_once(in, 0);
    tally_text_out out = {.offset_size = 8, .most = INT64_MAX, .grow = format_run_grow};
    tally_text_column column = {.in = *in, .status = status, .out = &out};
    out.offsets = calloc((size_t)rows + 1, 8);
    if (format->keeps_size) {
        out.values = malloc((size_t)(tally_offset_once(in, rows) - first) + 64);
        column.values = out.values;
        for (uint64_t i = 0; i <= rows; i++) {
            ((uint64_t *)out.offsets)[i] = tally_offset_once(in, i) - first;
        }
    }
    const tally_status result = format->of->text(format, &own->run, &column);
    *values = out.values;
    *offsets = out.offsets;
    return result;
}

#endif
