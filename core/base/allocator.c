/* SPDX-License-Identifier: Apache-2.0
 *
 * See allocator.h. */
#include "base/allocator.h"

#if __STDC_HOSTED__
#include <stdlib.h>
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
    return malloc(size);
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
