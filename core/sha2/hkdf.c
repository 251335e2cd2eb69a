/* SPDX-License-Identifier: Apache-2.0
 *
 * HKDF-SHA-256 (RFC 5869): a key is extracted from the material, and expanded to `size` bytes. */
#include "tallystick/sha2.h"

#include <string.h>

tally_status tally_hkdf_sha256(const uint8_t *salt, size_t salt_size, const uint8_t *ikm,
                               size_t ikm_size, const uint8_t *info, size_t info_size, uint8_t *out,
                               size_t size)
{
    if (size > TALLY_HKDF_SHA256_MOST) {
        return TALLY_ERROR_ARGUMENT;
    }
    /* Without a salt, RFC 5869 uses 32 zeros, which as an HMAC key equal the empty one. */
    uint8_t tag[TALLY_SHA256_SIZE];
    tally_hmac_sha256_tag(salt, salt_size, ikm, ikm_size, tag);
    tally_hmac_sha256 keyed, context;
    tally_hmac_sha256_init(&keyed, tag, TALLY_SHA256_SIZE);
    size_t before = 0; /* bytes of the previous tag; the first message has none */
    for (uint8_t number = 1; size > 0; number++) {
        context = keyed;
        tally_hmac_sha256_update(&context, tag, before);
        tally_hmac_sha256_update(&context, info, info_size);
        tally_hmac_sha256_update(&context, &number, 1);
        tally_hmac_sha256_final(&context, tag);
        before = size < TALLY_SHA256_SIZE ? size : TALLY_SHA256_SIZE;
        memcpy(out, tag, before);
        out += before;
        size -= before;
    }
    tally_hmac_sha256_wipe(&keyed);
    tally_wipe(tag, sizeof tag);
    return TALLY_OK;
}
