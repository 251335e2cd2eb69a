/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 in portable C, which runs everywhere. */
#include "sha2/engine.h"
#include "sha2/rounds_256.h"
#include "sha2/scalar.h"

#define TARGET
#include "sha2/rounds_body.h"

const struct tally_sha256_engine tally_sha256_portable = {"portable", 0, 1, 660, compress};
