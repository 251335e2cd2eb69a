/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides an address, so that it is computed as it is written. */
static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif
