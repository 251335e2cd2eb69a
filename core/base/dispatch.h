/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. It may be NULL, where a module has other code for
 * every CPU. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

#include "tallystick/base.h"

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that needs no CPU features but these, or else the last one. Cast the
 * result to the module's struct. */
static inline const tally_backend *tally_dispatch_within(const tally_backend *const table[],
                                                         size_t count, uint32_t features)
{
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

/* The first back end of a table that lacks nothing. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    return tally_dispatch_within(table, count, tally_cpu_features());
}

#endif
