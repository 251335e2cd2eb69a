/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks from the operating system's entropy, expanded by AES-128-CTR. */
#include "tallystick/masked_aes.h"

#include <string.h>

#include "aes/key.h"

tally_status tally_mask_generator_init(tally_mask_generator *out)
{
    uint8_t key[16];
    tally_status status = tally_entropy(key, sizeof key);
    if (status == TALLY_OK) {
        tally_aes_key_init_128(key, &out->key);
        memset(out->counter, 0, sizeof out->counter);
    }
    tally_wipe(key, sizeof key);
    return status;
}

tally_status tally_mask_generator_fill(void *generator, uint8_t *out, size_t size)
{
    tally_mask_generator *own = generator;
    tally_aes_ctr(&own->key, own->counter, NULL, size, out);
    return TALLY_OK;
}

void tally_mask_generator_wipe(tally_mask_generator *generator)
{
    tally_wipe(generator, sizeof *generator);
}
