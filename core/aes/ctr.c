/* SPDX-License-Identifier: Apache-2.0
 *
 * Counter mode (SP 800-38A, section 6.5) at any place of a stream. */
#include "aes/backend.h"
#include "aes/counter.h"

void tally_aes_ctr_at(const tally_aes_key *key, const uint8_t counter[16], uint64_t offset,
                      const uint8_t *in, size_t size, uint8_t *out)
{
    struct tally_counter first = tally_counter_load(counter);
    uint8_t next[16], block[16];
    tally_counter_add(&first, offset / 16);
    tally_counter_store(first, next);
    const size_t skipped = offset % 16;
    if (skipped != 0 && size != 0) {
        const size_t used = size < 16 - skipped ? size : 16 - skipped;
        tally_aes_ctr(key, next, NULL, 16, block);
        for (size_t i = 0; i < used; i++) {
            out[i] = (uint8_t)((in == NULL ? 0 : in[i]) ^ block[skipped + i]);
        }
        in = in == NULL ? NULL : in + used;
        out += used;
        size -= used;
        tally_wipe(block, sizeof block);
    }
    tally_aes_ctr(key, next, in, size, out);
    tally_wipe(next, sizeof next);
}
