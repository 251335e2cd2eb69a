/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 in plain registers, with rotations by BMI2, which need not overwrite what they rotate. */
#include "base/arch.h"
#include "sha2/engine.h"

#if defined(TALLY_ARCH_X86_64)
#include "sha2/rounds_512.h"
#include "sha2/scalar.h"

#define TARGET __attribute__((target("bmi2")))
#include "sha2/rounds_body.h"

const struct tally_sha512_engine tally_sha512_bmi2 = {"bmi2", TALLY_CPU_BMI2, LANES, 750, compress};

#else
typedef int tally_sha512_bmi2_is_for_x86_64; /* a file may not be empty */
#endif
