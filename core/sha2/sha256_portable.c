/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 in portable C, which runs everywhere. */
#include "sha2/backend.h"
#define SHA2(name) sha256_portable_##name
#include "sha2/rounds_256.h"
#include "sha2/scalar.h"

#define SHA2_TARGET
#include "sha2/rounds_body.h"

const struct tally_sha256_backend tally_sha256_portable = {
    {"portable", 0}, 1, 660, sha256_portable_compress};

#include "sha2/undef.h"
