/* SPDX-License-Identifier: Apache-2.0
 *
 * Entropy, with the operating system's call in the test's hands where that is possible: on Linux
 * the getrandom below takes the place of the C library's. */
#if defined(__linux__)
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#endif

#include "check.h"
#include "tallystick/base.h"

#define SIZE 1000

/* Every byte changes from draw to draw, and no byte beside them does. */
static void check_real(void)
{
    static const size_t sizes[] = {0, 1, 16, 255, 256, 257, SIZE};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint8_t first[SIZE + 2], out[SIZE + 2];
        bool changed[SIZE + 2] = {false};
        memset(first, 0x77, sizeof first);
        CHECK_EQUAL(tally_entropy(first + 1, sizes[s]), TALLY_OK);
        for (int draw = 0; draw < 32; draw++) {
            memset(out, 0x77, sizeof out);
            CHECK_EQUAL(tally_entropy(out + 1, sizes[s]), TALLY_OK);
            for (size_t i = 0; i < sizeof out; i++) {
                changed[i] |= out[i] != first[i];
            }
        }
        size_t wrong = 0;
        for (size_t i = 0; i < sizeof out; i++) {
            wrong += changed[i] != (i >= 1 && i < 1 + sizes[s]);
        }
        CHECK_EQUAL(wrong, 0);
    }
}

#if defined(__linux__)

static enum { REAL, INTERRUPTED, SHORT, BROKEN, BROKEN_LATER, EMPTY } behaviour;
static unsigned calls;

ssize_t getrandom(void *out, size_t size, unsigned flags);
ssize_t getrandom(void *out, size_t size, unsigned flags)
{
    calls++;
    if (behaviour == INTERRUPTED && calls % 3 != 0) {
        errno = EINTR;
        return -1;
    }
    if (behaviour == BROKEN || (behaviour == BROKEN_LATER && calls > 2)) {
        errno = ENOSYS;
        return -1;
    }
    if (behaviour == EMPTY) {
        return 0;
    }
    if ((behaviour == SHORT || behaviour == BROKEN_LATER) && size > 7) {
        size = 7;
    }
    return (ssize_t)syscall(SYS_getrandom, out, size, flags);
}

static void check_faults(void)
{
    uint8_t out[SIZE], zeros[SIZE] = {0};
    for (behaviour = INTERRUPTED; behaviour <= SHORT; behaviour++) {
        CHECK_ABOUT("behaviour %d", (int)behaviour);
        calls = 0;
        check_real();
        CHECK(calls > 33 * 6); /* more calls than draws: the fault did happen */
    }
    for (behaviour = BROKEN; behaviour <= EMPTY; behaviour++) {
        CHECK_ABOUT("behaviour %d", (int)behaviour);
        calls = 0;
        memset(out, 0x77, sizeof out);
        CHECK_EQUAL(tally_entropy(out, sizeof out), TALLY_ERROR_ENTROPY);
        CHECK_BYTES(out, zeros, sizeof out);
        CHECK(calls > 0);
    }
    behaviour = REAL;
}

#endif

int main(void)
{
    check_real();
#if defined(__linux__)
    check_faults();
#endif
    return check_end("entropy");
}
