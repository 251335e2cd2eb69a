/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded: memory runs out for one object of a process alone. FAIL_OBJECT is a part of the object's
 * path, and FAIL_AT tells which of its calls of malloc, calloc and realloc fails, from 1. FAIL_LOG is a
 * file that is made when that has happened. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_long calls;

static int fails(void *caller)
{
    const char *const object = getenv("FAIL_OBJECT"), *const at = getenv("FAIL_AT");
    struct dl_find_object found; /* dladdr would look for a symbol too, which takes long */
    if (object == NULL || at == NULL || _dl_find_object(caller, &found) != 0 ||
        strstr(found.dlfo_link_map->l_name, object) == NULL || ++calls != atol(at)) {
        return 0;
    }
    const char *const log = getenv("FAIL_LOG");
    if (log != NULL) close(open(log, O_CREAT | O_WRONLY, 0600));
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
