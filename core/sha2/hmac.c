/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA-256 (RFC 2104): the hash of the masked key followed by an inner hash: that of the key
 * under another mask, followed by the message. */
#include <string.h>

#include "sha2/backend.h"

enum { HMAC_ROWS = 256 /* whose inner digests wait for their outer ones */ };

static void hmac_begin(tally_sha256 *hash, const uint8_t key[TALLY_SHA256_BLOCK], uint8_t mask)
{
    uint8_t masked[TALLY_SHA256_BLOCK];
    for (size_t i = 0; i < TALLY_SHA256_BLOCK; i++) {
        masked[i] = key[i] ^ mask;
    }
    tally_sha256_init(hash);
    tally_sha256_update(hash, masked, TALLY_SHA256_BLOCK);
    tally_wipe(masked, TALLY_SHA256_BLOCK);
}

void tally_hmac_sha256_init(tally_hmac_sha256 *context, const uint8_t *key, size_t key_size)
{
    uint8_t block[TALLY_SHA256_BLOCK] = {0};
    if (key_size > TALLY_SHA256_BLOCK) {
        tally_sha256_digest(key, key_size, block);
    } else if (key_size > 0) {
        memcpy(block, key, key_size);
    }
    hmac_begin(&context->inner, block, 0x36);
    hmac_begin(&context->outer, block, 0x5c);
    tally_wipe(block, TALLY_SHA256_BLOCK);
}

void tally_hmac_sha256_update(tally_hmac_sha256 *context, const uint8_t *data, size_t size)
{
    tally_sha256_update(&context->inner, data, size);
}

void tally_hmac_sha256_final(tally_hmac_sha256 *context, uint8_t tag[32])
{
    uint8_t digest[TALLY_SHA256_SIZE];
    tally_sha256_final(&context->inner, digest);
    tally_sha256_update(&context->outer, digest, sizeof digest);
    tally_sha256_final(&context->outer, tag);
    tally_wipe(digest, sizeof digest);
}

void tally_hmac_sha256_wipe(tally_hmac_sha256 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_hmac_sha256_rows(const tally_hmac_sha256 *context, const uint8_t *values,
                            const uint64_t *offsets, size_t count, uint8_t tags[][32])
{
    uint64_t digests[HMAC_ROWS + 1];
    for (size_t i = 0; i <= HMAC_ROWS; i++) {
        digests[i] = i * TALLY_SHA256_SIZE;
    }
    while (count > 0) {
        const size_t rows = count < HMAC_ROWS ? count : HMAC_ROWS;
        tally_sha256_continue(&context->inner, values, offsets, rows, tags);
        tally_sha256_continue(&context->outer, tags[0], digests, rows, tags);
        offsets += rows;
        tags += rows;
        count -= rows;
    }
}

void tally_hmac_sha256_tag(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size,
                           uint8_t tag[32])
{
    tally_hmac_sha256 context;
    tally_hmac_sha256_init(&context, key, key_size);
    tally_hmac_sha256_update(&context, data, size);
    tally_hmac_sha256_final(&context, tag);
}
