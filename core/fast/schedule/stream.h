/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES-128 counter streams that S-box pools and sequences are drawn from. */
#ifndef TALLY_FAST_SCHEDULE_STREAM_H
#define TALLY_FAST_SCHEDULE_STREAM_H

#include "tallystick/aes.h"

typedef struct tally_fast_stream {
    tally_aes_key aes;
    uint8_t iv[16];
} tally_fast_stream;

/* The stream of 32 bytes of derived key: an AES-128 key, then an IV. */
void tally_fast_stream_open(const uint8_t derived[32], tally_fast_stream *out);

/* Block `first` of the stream and those after it; block i encrypts iv + i. */
void tally_fast_stream_read(const tally_fast_stream *stream, uint64_t first, size_t size,
                            uint8_t *out);

#endif
