/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES-128 counter streams that pools and sequences are drawn from. */
#include "fast/schedule/stream.h"

#include <string.h>

#include "aes/key.h"

void tally_fast_stream_init(const uint8_t derived[32], tally_fast_stream *out)
{
    tally_aes_key_init_128(derived, &out->aes);
    memcpy(out->iv, derived + 16, 16);
}

void tally_fast_stream_read(const tally_fast_stream *stream, uint64_t first, size_t size,
                            uint8_t *out)
{
    uint8_t counter[16];
    uint64_t carry = first;
    for (int i = 15; i >= 0; i--) {
        carry += stream->iv[i];
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
    tally_aes_ctr(&stream->aes, counter, NULL, size, out);
    tally_wipe(counter, sizeof counter);
}
