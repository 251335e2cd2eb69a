/* SPDX-License-Identifier: Apache-2.0
 *
 * What the examples have in common: a stored key, and no interrupts while shares are at hand. */
#ifndef TALLY_STM32L0_EXAMPLE_H
#define TALLY_STM32L0_EXAMPLE_H

#include "rng.h"

/* A debugger and an emulator call these. */
#define JOB __attribute__((noinline))

/* Of a product, the shares come from provisioning, and lie where code can't read them out. These are
 * of the key 2b7e1516 28aed2a6 abf71588 09cf4f3c of RFC 4493, and the same in every chip: they
 * protect nothing. */
static _Alignas(4) uint8_t stored_key[2][16] = {
    {0x8f, 0x1d, 0x5a, 0x77, 0xe2, 0x90, 0x3c, 0x46, 0xb8, 0x0e, 0x61, 0xd3, 0x29, 0xf5, 0xc4,
     0x1a},
    {0xa4, 0x63, 0x4f, 0x61, 0xca, 0x3e, 0xee, 0xe0, 0x13, 0xf9, 0x74, 0x5b, 0x20, 0x3a, 0x8b,
     0x26},
};

/* New shares of the stored key, in its place. */
static inline tally_status refresh_stored_key(void)
{
    uint8_t *const stored[] = {stored_key[0], stored_key[1]};
    return tally_masked_refresh_shares(stored, 2, 16, &rng_masks);
}

/* Functions on shares must not be interrupted: an exception would push registers with shares. */
static inline uint32_t interrupts_off(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}

static inline void interrupts_restore(uint32_t before)
{
    __asm__ volatile("msr primask, %0" : : "r"(before) : "memory");
}

#endif
