/* SPDX-License-Identifier: Apache-2.0
 *
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */
#ifndef TALLY_FAST_SCHEDULE_ENCODING_H
#define TALLY_FAST_SCHEDULE_ENCODING_H

#include "tallystick/fast.h"

/* An injective encoding: the number of parts, then the length and the bytes of each part. Before it
 * are four zero bytes for the counter of tally_fast_derive, so that one buffer has the whole
 * message. */
typedef struct tally_fast_encoding {
    uint32_t size;
    uint8_t bytes[128];
} tally_fast_encoding;

/* Encodes the input for the pool of a radix. */
void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out);

/* Encodes the input for a sequence, without the bytes of the tweak, which follow. */
void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out);

#endif
