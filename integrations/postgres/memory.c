/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory for keys: whole pages that are locked and left out of core dumps. They are wiped before they
 * go. */
#include "tally_postgres.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_SEALED_MOST = 64 };

static uint64 memory_held, memory_unlocked;

/* Of the postmaster's ring. */
static struct {
    void *memory;
    size_t size;
} memory_shared[MEMORY_SEALED_MOST];
static size_t memory_shared_count;

static size_t memory_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

static bool memory_hide(void *memory, size_t size)
{
#if defined(MADV_DONTDUMP)
    return madvise(memory, size, MADV_DONTDUMP) == 0;
#elif defined(MADV_NOCORE)
    return madvise(memory, size, MADV_NOCORE) == 0;
#else
    return false;
#endif
}

static void *memory_map(size_t size, int sharing)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t capacity = memory_pages(size);
    void *const memory =
        mmap(NULL, capacity, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    const bool locked = mlock(memory, capacity) == 0;
    if (!memory_hide(memory, capacity) || (!locked && tally_pg_require_locked)) {
        munmap(memory, capacity);
        return NULL;
    }
    memory_held += capacity;
    memory_unlocked += locked ? 0 : capacity;
    return memory;
}

static void memory_unmap(void *context, void *memory, size_t size)
{
    (void)context;
    tally_wipe(memory, size);
    munmap(memory, memory_pages(size));
    memory_held -= memory_pages(size);
    for (size_t i = 0; i < memory_shared_count; i++) {
        if (memory_shared[i].memory == memory) {
            memory_shared[i] = memory_shared[--memory_shared_count];
            break;
        }
    }
}

static void *memory_private(void *context, size_t size)
{
    (void)context;
    return memory_map(size, MAP_PRIVATE);
}

/* Shared pages stay locked in the postmaster, for all processes. Private ones would be locked in the
 * postmaster alone. */
static void *memory_share(void *context, size_t size)
{
    (void)context;
    if (memory_shared_count == MEMORY_SEALED_MOST) {
        return NULL;
    }
    void *const memory = memory_map(size, MAP_SHARED);
    if (memory != NULL) {
        memory_shared[memory_shared_count].memory = memory;
        memory_shared[memory_shared_count++].size = memory_pages(size);
    }
    return memory;
}

const tally_allocator tally_pg_private = {memory_private, memory_unmap, NULL};
const tally_allocator tally_pg_shared = {memory_share, memory_unmap, NULL};

void tally_pg_seal(void)
{
    for (size_t i = 0; i < memory_shared_count; i++) {
        (void)mprotect(memory_shared[i].memory, memory_shared[i].size, PROT_READ);
    }
}

void tally_pg_memory_held(uint64 *held, uint64 *unlocked)
{
    *held = memory_held;
    *unlocked = memory_unlocked;
}
