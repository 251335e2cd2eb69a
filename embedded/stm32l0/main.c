/* SPDX-License-Identifier: Apache-2.0
 *
 * An example: a key that stays, on shares, and a CMAC with it. A debugger reads `result`. */
#include "rng.h"

#include "tallystick/masked_modes.h"

#include <string.h>

/* Of a product, the shares come from provisioning, and lie where code can't read them out. These are
 * of the key 2b7e1516 28aed2a6 abf71588 09cf4f3c of RFC 4493, and the same in every chip: they
 * protect nothing. */
static _Alignas(4) uint8_t stored_key[2][16] = {
    {0x8f, 0x1d, 0x5a, 0x77, 0xe2, 0x90, 0x3c, 0x46, 0xb8, 0x0e, 0x61, 0xd3, 0x29, 0xf5, 0xc4,
     0x1a},
    {0xa4, 0x63, 0x4f, 0x61, 0xca, 0x3e, 0xee, 0xe0, 0x13, 0xf9, 0x74, 0x5b, 0x20, 0x3a, 0x8b,
     0x26},
};

enum { BITS = TALLY_SLICE_BITS, KEY_MEMORY = 11 * 2 * BITS + 2 * TALLY_MASKED_ALIGNMENT };

static uint8_t key_memory[KEY_MEMORY];
static tally_masked_key *key;

/* What the last job gave, for a debugger or an emulator. */
volatile tally_status status;
uint8_t result[16];

static tally_status set_key(void)
{
    uint8_t *const stored[] = {stored_key[0], stored_key[1]};
    const uint8_t *const shares[] = {stored_key[0], stored_key[1]};
    const tally_masked_slicing *slicing = NULL;
    tally_status done = tally_masked_choose(1, BITS, 0, &slicing);
    if (done == TALLY_OK) {
        done = tally_masked_refresh_shares(stored, 2, 16, &rng_masks);
    }
    if (done == TALLY_OK) {
        done = tally_masked_key_init_shares(slicing, shares, 16, 1, &rng_masks, key_memory,
                                            sizeof key_memory, &key);
    }
    return done;
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

void job_start(void)
{
    const uint32_t before = interrupts_off();
    status = rng_start();
    if (status == TALLY_OK) {
        status = set_key();
    }
    interrupts_restore(before);
}

/* Each message has new shares of the key: cheaper than a block, so why not. */
void job_cmac(const uint8_t *message, size_t size)
{
    const uint32_t before = interrupts_off();
    status = key == NULL ? TALLY_ERROR_ARGUMENT : tally_masked_refresh(key, &rng_masks);
    if (status == TALLY_OK) {
        status = tally_masked_cmac(key, &rng_masks, message, size, result);
    }
    interrupts_restore(before);
    if (status != TALLY_OK) { /* no result is better than a wrong one */
        tally_wipe(result, sizeof result);
    }
}

int main(void)
{
    static const uint8_t message[] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                      0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
    job_start();
    job_cmac(message, sizeof message);
    for (;;) {
    }
}
