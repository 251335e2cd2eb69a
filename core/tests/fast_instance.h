/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool and a cipher with their memory, for the tests of FAST. */
#ifndef TALLY_TESTS_FAST_INSTANCE_H
#define TALLY_TESTS_FAST_INSTANCE_H

#include <stdlib.h>

#include "check.h"
#include "fast/words/workspace.h"

typedef struct instance {
    void *pool_memory, *cipher_memory, *workspace_memory;
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
    tally_fast_workspace *workspace;
} instance;

static inline instance instance_make(tally_fast_profile profile, uint32_t radix, const uint8_t *key,
                                     size_t key_size, size_t slots)
{
    instance made = {0};
    size_t pool_size = tally_fast_pool_size(radix), cipher_size = tally_fast_cipher_size(slots);
    const size_t workspace_size = tally_fast_workspace_size();
    made.pool_memory = malloc(pool_size);
    made.cipher_memory = calloc(1, cipher_size); /* so that tests can search it for remains */
    made.workspace_memory = calloc(1, workspace_size);
    CHECK_EQUAL(tally_fast_pool_init(profile, radix, key, key_size, made.pool_memory, pool_size,
                                     &made.pool),
                TALLY_OK);
    CHECK_EQUAL(
        tally_fast_cipher_init(made.pool, slots, made.cipher_memory, cipher_size, &made.cipher),
        TALLY_OK);
    CHECK_EQUAL(tally_fast_workspace_init(made.workspace_memory, workspace_size, &made.workspace),
                TALLY_OK);
    return made;
}

static inline void instance_dispose(instance *made)
{
    free(made->pool_memory);
    free(made->cipher_memory);
    free(made->workspace_memory);
}

#endif
