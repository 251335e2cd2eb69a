/* SPDX-License-Identifier: Apache-2.0
 *
 * What is SHA-512's own in rounds_body.h (FIPS 180-4, section 4.1.3). */
#define ROUNDS       80
#define BLOCK        128
#define constants    tally_sha512_constants
#define LOAD_WORD    tally_load_be64
#define SUM0(x)      XOR3(ROR(x, 28), ROR(x, 34), ROR(x, 39))
#define SUM1(x)      XOR3(ROR(x, 14), ROR(x, 18), ROR(x, 41))
#define SCHEDULE0(x) XOR3(ROR(x, 1), ROR(x, 8), SHR(x, 7))
#define SCHEDULE1(x) XOR3(ROR(x, 19), ROR(x, 61), SHR(x, 6))

typedef uint64_t word;
