/* SPDX-License-Identifier: Apache-2.0
 *
 * Counter mode (SP 800-38A, section 6.5) over any back end's encrypt_blocks. */
#include "aes/backend.h"
#include "aes/counter.h"

#include <string.h>

#define BATCH 16 /* blocks */

void tally_aes_ctr_portable(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                            size_t size, uint8_t *out)
{
    struct tally_counter next = tally_counter_load(counter);
    uint8_t stream[16 * BATCH];
    while (size > 0) {
        size_t blocks = size / 16 + (size % 16 != 0);
        if (blocks > BATCH) {
            blocks = BATCH;
        }
        for (size_t i = 0; i < blocks; i++) {
            tally_counter_store(next, stream + 16 * i);
            tally_counter_add(&next, 1);
        }
        key->backend->encrypt_blocks(key, stream, blocks, stream);
        size_t used = size < 16 * blocks ? size : 16 * blocks;
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            for (size_t i = 0; i < used; i++) {
                out[i] = in[i] ^ stream[i];
            }
            in += used;
        }
        out += used;
        size -= used;
    }
    tally_counter_store(next, counter);
    tally_wipe(stream, sizeof stream);
}
