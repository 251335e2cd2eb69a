/* SPDX-License-Identifier: Apache-2.0
 *
 * What the keys of FAST's generators are derived from: encode(parts) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_ENCODING_H
#define TALLY_FAST_SCHEDULE_ENCODING_H

#include "tallystick/fast.h"

/* An injective encoding: the number of parts, then each part behind its length. It begins with the
 * four bytes of derive's own counter, which are zero, so that one buffer holds the whole message. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

/* Of the pool of a radix. */
void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out);

/* Of a sequence, but for the bytes of the tweak, which follow. */
void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out);

#endif
