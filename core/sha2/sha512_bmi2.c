/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 in plain registers, with rotations by BMI2, whose result may go to another register. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_bmi2_##name
#include "sha2/rounds_512.h"
#include "sha2/scalar.h"

#define SHA2_TARGET __attribute__((target("bmi2")))
#include "sha2/rounds_body.h"

const struct tally_sha512_backend tally_sha512_bmi2 = {
    {"bmi2", TALLY_CPU_BMI2}, 1, 750, sha512_bmi2_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha512_bmi2_is_for_x86_64; /* a file may not be empty */
#endif
