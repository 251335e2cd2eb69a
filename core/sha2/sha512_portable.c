/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 in portable C, which runs everywhere. */
#include "sha2/backend.h"
#define SHA2(name) sha512_portable_##name
#include "sha2/rounds_512.h"
#include "sha2/scalar.h"

#define SHA2_TARGET
#include "sha2/rounds_body.h"

const struct tally_sha512_backend tally_sha512_portable = {
    {"portable", 0}, 1, 880, sha512_portable_compress};

#include "sha2/undef.h"
