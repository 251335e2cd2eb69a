/* SPDX-License-Identifier: Apache-2.0
 *
 * HKDF-SHA-256 (RFC 5869): a key is extracted from the material, and expanded to what is wanted. */
#include "tallystick/sha2.h"

#include <string.h>

enum { TAG = TALLY_SHA256_SIZE };

tally_status tally_hkdf_sha256(const uint8_t *salt, size_t salt_size, const uint8_t *ikm,
                               size_t ikm_size, const uint8_t *info, size_t info_size, size_t size,
                               uint8_t *out)
{
    if (size > TALLY_HKDF_SHA256_MOST) {
        return TALLY_ERROR_ARGUMENT;
    }
    /* Without a salt RFC 5869 has one of 32 zeros: as an HMAC key that is the same as none. */
    uint8_t tag[TAG];
    tally_hmac_sha256_tag(salt, salt_size, ikm, ikm_size, tag);
    tally_hmac_sha256 keyed, context;
    tally_hmac_sha256_init(&keyed, tag, TAG);
    size_t before = 0; /* bytes of the tag before, which is not there at first */
    for (uint8_t number = 1; size > 0; number++) {
        context = keyed;
        tally_hmac_sha256_update(&context, tag, before);
        tally_hmac_sha256_update(&context, info, info_size);
        tally_hmac_sha256_update(&context, &number, 1);
        tally_hmac_sha256_final(&context, tag);
        before = size < TAG ? size : TAG;
        memcpy(out, tag, before);
        out += before;
        size -= before;
    }
    tally_wipe(&keyed, sizeof keyed);
    tally_wipe(tag, sizeof tag);
    return TALLY_OK;
}
