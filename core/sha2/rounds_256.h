/* SPDX-License-Identifier: Apache-2.0
 *
 * What is SHA-256's own in rounds_body.h (FIPS 180-4, section 4.1.2). */
#define ROUNDS       64
#define BLOCK        64
#define constants    tally_sha256_constants
#define LOAD_WORD    tally_load_be32
#define SUM0(x)      XOR3(ROR(x, 2), ROR(x, 13), ROR(x, 22))
#define SUM1(x)      XOR3(ROR(x, 6), ROR(x, 11), ROR(x, 25))
#define SCHEDULE0(x) XOR3(ROR(x, 7), ROR(x, 18), SHR(x, 3))
#define SCHEDULE1(x) XOR3(ROR(x, 17), ROR(x, 19), SHR(x, 10))

typedef uint32_t word;
