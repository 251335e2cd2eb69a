/* SPDX-License-Identifier: Apache-2.0
 *
 * An example: a key that stays, on shares, and a CMAC with it. A debugger reads `result`. */
#include "example.h"

#include "tallystick/masked_modes.h"

static _Alignas(8) uint8_t key_memory[TALLY_MASKED_KEY_SIZE(16)];
static tally_masked_key *key;

/* What the last job gave, for a debugger or an emulator. */
volatile tally_status status;
uint8_t result[16];

static tally_status set_key(void)
{
    const uint8_t *const shares[] = {stored_key[0], stored_key[1]};
    const tally_masked_slicing *slicing = NULL;
    tally_status done = tally_masked_choose(1, TALLY_SLICE_BITS, 0, &slicing);
    if (done == TALLY_OK) {
        done = refresh_stored_key();
    }
    if (done == TALLY_OK) {
        done = tally_masked_key_init_shares(slicing, shares, 16, 1, &rng_masks, key_memory,
                                            sizeof key_memory, &key);
    }
    return done;
}

JOB void job_start(void)
{
    const uint32_t before = interrupts_off();
    status = rng_start();
    if (status == TALLY_OK) {
        status = set_key();
    }
    interrupts_restore(before);
}

/* Each message has new shares of the key: cheaper than a block, so why not. */
JOB void job_cmac(const uint8_t *message, size_t size)
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
