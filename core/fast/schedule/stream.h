/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES-128 counter streams that pools and sequences are drawn from. */
#ifndef TALLY_FAST_SCHEDULE_STREAM_H
#define TALLY_FAST_SCHEDULE_STREAM_H

#include "tallystick/aes.h"

typedef struct tally_fast_stream {
    tally_aes_key aes;
    uint8_t iv[16];
} tally_fast_stream;

/* `derived` is an AES-128 key and then an IV. */
void tally_fast_stream_init(const uint8_t derived[32], tally_fast_stream *out);

/* Reads `size` bytes of the stream, from block `first` on. Block i is the encryption of iv + i. */
void tally_fast_stream_read(const tally_fast_stream *stream, uint64_t first, size_t size,
                            uint8_t *out);

#endif
