/* SPDX-License-Identifier: Apache-2.0
 *
 * See allocator.h. */
#define _DEFAULT_SOURCE 1 /* strict C11 hides madvise */

#include "base/allocator.h"

#if __STDC_HOSTED__
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Large memory comes new from the system at each call, page by page as it is written: with small
 * pages that is a fifth of the time of a column. Only asks for large ones. */
static void *allocator_malloc(size_t size)
{
    void *memory = malloc(size);
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)1 << 21, start = (uintptr_t)memory;
    const uintptr_t first = (start + page - 1) / page * page, end = (start + size) / page * page;
    if (memory != NULL && size >= 2 * page && first < end) {
        (void)madvise((void *)first, (size_t)(end - first), MADV_HUGEPAGE);
    }
#endif
    return memory;
}
#endif

void *tally_allocate(const tally_allocator *allocator, size_t size)
{
    if (size == 0) {
        size = 1;
    }
    if (allocator != NULL && allocator->allocate != NULL) {
        return allocator->allocate(allocator->context, size);
    }
#if __STDC_HOSTED__
    return allocator_malloc(size);
#else
    return NULL;
#endif
}

void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : tally_allocate(allocator, count * size);
}

void tally_release(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory == NULL) {
        return;
    }
    if (allocator != NULL && allocator->release != NULL) {
        allocator->release(allocator->context, memory, size == 0 ? 1 : size);
        return;
    }
#if __STDC_HOSTED__
    free(memory);
#endif
}

void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL) {
        tally_wipe(memory, size);
        tally_release(allocator, memory, size);
    }
}
