/* SPDX-License-Identifier: Apache-2.0
 *
 * An example for 1 KiB of RAM, the stack included: blocks under a stored key, which is expanded anew
 * in the rounds of each one. A debugger reads `result`. */
#include "example.h"

/* What the last job gave, for a debugger or an emulator. */
volatile tally_status status;
_Alignas(4) uint8_t result[16];

JOB void job_start(void)
{
    const uint32_t before = interrupts_off();
    status = rng_start();
    interrupts_restore(before);
}

/* Each block has new shares of the key. */
JOB void job_block(const uint8_t in[16])
{
    const uint8_t *const key[] = {stored_key[0], stored_key[1]};
    const uint32_t before = interrupts_off();
    status = refresh_stored_key();
    if (status == TALLY_OK) {
        status = tally_masked_encrypt_once(key, &rng_masks, in, result);
    }
    interrupts_restore(before);
    if (status != TALLY_OK) { /* no result is better than a wrong one */
        tally_wipe(result, sizeof result);
    }
}

int main(void)
{
    static const uint8_t plaintext[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                          0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
    job_start();
    job_block(plaintext);
    for (;;) {
    }
}
