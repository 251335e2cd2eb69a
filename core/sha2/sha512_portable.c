/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 in portable C, which runs everywhere. */
#include "sha2/engine.h"
#include "sha2/rounds_512.h"
#include "sha2/scalar.h"

#define TARGET
#include "sha2/rounds_body.h"

const struct tally_sha512_engine tally_sha512_portable = {"portable", 0, 1, 880, compress};
