/* SPDX-License-Identifier: Apache-2.0
 *
 * Key derivation of FAST: derive(key, input) of docs/reference/fast.md. */
#include "fast/schedule/derive.h"

#include <string.h>

void tally_fast_derive(const tally_cmac_key *cmac, const tally_fast_encoding *head,
                       const uint8_t *last, size_t last_size, tally_cmac_prefix_cache *prefix_cache,
                       uint8_t out[32])
{
    uint8_t messages[2][TALLY_CMAC_PREFIX_CACHE];
    size_t size = head->size;
    memcpy(messages[0], head->bytes, size);
    if (last_size <= sizeof messages[0] - size) {
        if (last_size != 0) {
            memcpy(messages[0] + size, last, last_size);
            size += last_size;
        }
        memcpy(messages[1], messages[0], size);
        messages[1][3] = 1;
        tally_cmac_pair(cmac, messages[0], messages[1], size, prefix_cache, out, out + 16);
        return;
    }
    for (uint8_t half = 0; half < 2; half++) {
        tally_cmac_state state;
        messages[0][3] = half;
        tally_cmac_init(&state, cmac);
        tally_cmac_update(&state, messages[0], size);
        tally_cmac_update(&state, last, last_size);
        tally_cmac_final(&state, out + 16 * half);
    }
}
