/* SPDX-License-Identifier: Apache-2.0
 *
 * An example of random bytes for keys and nonces: AES in counter mode on shares, which the random
 * number generator seeds. */
#include "example.h"

static tally_masked_drbg generator;

/* What the last job gave, for a debugger or an emulator. */
volatile tally_status status;
_Alignas(4) uint8_t result[TALLY_MASKED_DRBG_BUFFER];

JOB void job_start(void)
{
    const uint32_t before = interrupts_off();
    status = rng_start();
    if (status == TALLY_OK) {
        status = tally_masked_drbg_init(&generator, &rng_masks);
    }
    interrupts_restore(before);
}

/* A seed is also added after every TALLY_MASKED_DRBG_INTERVAL buffers. */
JOB void job_reseed(void)
{
    const uint32_t before = interrupts_off();
    status = tally_masked_drbg_reseed(&generator);
    interrupts_restore(before);
}

/* Random bytes into `result`, zeros if the generator fails. */
JOB void job_random(size_t size)
{
    const uint32_t before = interrupts_off();
    status = tally_masked_drbg_fill(&generator, result, size);
    interrupts_restore(before);
}

int main(void)
{
    job_start();
    job_random(16);
    job_reseed();
    for (;;) {
    }
}
