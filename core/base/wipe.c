/* SPDX-License-Identifier: Apache-2.0
 *
 * Wiping. A compiler may drop a memset of memory that is not read again, so the empty assembly
 * below claims to read it. Other compilers write through a volatile pointer. */
#include "tallystick/base.h"

#include <string.h>

void tally_wipe(void *memory, size_t size)
{
    if (size == 0) {
        return;
    }
#if defined(__GNUC__)
    memset(memory, 0, size);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
#else
    volatile unsigned char *bytes = memory;
    while (size-- > 0) {
        *bytes++ = 0;
    }
#endif
}
