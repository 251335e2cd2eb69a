/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool and a cipher with their memory, for the tests of FAST. */
#ifndef TALLY_TESTS_FAST_INSTANCE_H
#define TALLY_TESTS_FAST_INSTANCE_H

#include <stdlib.h>

#include "check.h"
#include "fast/words/ff1_words.h"
#include "fast/words/workspace.h"

typedef struct instance {
    void *pool_memory, *cipher_memory, *workspace_memory, *ff1_memory;
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
    tally_fast_workspace *workspace;
} instance;

/* What a pool needs beside it. */
static inline void instance_finish(instance *made, size_t slots)
{
    const size_t cipher_size = tally_fast_cipher_size(slots),
                 workspace_size = tally_fast_workspace_size();
    made->cipher_memory = calloc(1, cipher_size); /* so that tests can search it for remains */
    made->workspace_memory = calloc(1, workspace_size);
    CHECK_EQUAL(
        tally_fast_cipher_init(made->pool, slots, made->cipher_memory, cipher_size, &made->cipher),
        TALLY_OK);
    CHECK_EQUAL(tally_fast_workspace_init(made->workspace_memory, workspace_size, &made->workspace),
                TALLY_OK);
}

static inline instance instance_make(tally_fast_profile profile, uint32_t radix, const uint8_t *key,
                                     size_t key_size, size_t slots)
{
    instance made = {0};
    const size_t pool_size = tally_fast_pool_size(radix);
    made.pool_memory = malloc(pool_size);
    CHECK_EQUAL(tally_fast_pool_init(profile, radix, key, key_size, made.pool_memory, pool_size,
                                     &made.pool),
                TALLY_OK);
    instance_finish(&made, slots);
    return made;
}

/* The same with FF1 in the place of FAST, words being allowed that are as short as of old. */
static inline instance instance_make_ff1(uint32_t radix, const uint8_t *key, size_t key_size,
                                         size_t slots)
{
    instance made = {.pool_memory = calloc(1, sizeof(tally_fast_pool)),
                     .ff1_memory = malloc(tally_ff1_size())};
    tally_ff1 *ff1;
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1_2016, radix, key, key_size, made.ff1_memory,
                               tally_ff1_size(), &ff1),
                TALLY_OK);
    made.pool = made.pool_memory;
    tally_ff1_words_pool(ff1, NULL, radix, made.pool);
    instance_finish(&made, slots);
    return made;
}

static inline void instance_dispose(instance *made)
{
    free(made->pool_memory);
    free(made->cipher_memory);
    free(made->workspace_memory);
    free(made->ff1_memory);
}

#endif
