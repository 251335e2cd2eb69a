/* SPDX-License-Identifier: Apache-2.0
 *
 * Entropy from the operating system's generator. entropy_fill writes up to `size` bytes
 * and returns how many, 0 on failure: system calls may write fewer bytes than requested. */
/* Strict C11 hides these calls; these macros declare them on each system. */
#define _DEFAULT_SOURCE  1
#define _DARWIN_C_SOURCE 1
#define __BSD_VISIBLE    1
#define _NETBSD_SOURCE   1

#include "tallystick/base.h"

#if defined(_WIN32)
#include <windows.h>

#include <bcrypt.h>

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ULONG chunk = size < 0x10000000 ? (ULONG)size : 0x10000000;
    NTSTATUS status = BCryptGenRandom(NULL, out, chunk, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status >= 0 ? chunk : 0;
}

#elif defined(__linux__)
#include <errno.h>
#include <sys/random.h>

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ssize_t got;
    do {
        got = getrandom(out, size, 0);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
#include <sys/random.h>
#include <unistd.h>

static size_t entropy_fill(uint8_t *out, size_t size)
{
    size_t chunk = size < 256 ? size : 256; /* the most that getentropy gives at once */
    return getentropy(out, chunk) == 0 ? chunk : 0;
}

#else

static size_t entropy_fill(uint8_t *out, size_t size)
{
    (void)out;
    (void)size;
    return 0;
}

#endif

tally_status tally_entropy(uint8_t *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t got = entropy_fill(out + done, size - done);
        if (got == 0) {
            tally_wipe(out, size);
            return TALLY_ERROR_ENTROPY;
        }
        done += got;
    }
    return TALLY_OK;
}
