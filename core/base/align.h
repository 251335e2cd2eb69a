/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects at multiples of 64 bytes, a cache line, or of less, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

#include <stdint.h>

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of `alignment` in `memory`. */
static inline void *tally_align_to(uintptr_t alignment, void *memory)
{
    const uintptr_t past = (uintptr_t)memory % alignment;
    return (uint8_t *)memory + (past == 0 ? 0 : alignment - past);
}

static inline void *tally_align(void *memory)
{
    return tally_align_to(TALLY_ALIGNMENT, memory);
}

#endif
