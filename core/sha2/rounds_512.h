/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of rounds_body.h that SHA-512 alone has (FIPS 180-4, section 4.1.3). */
#define SHA2_ROUNDS       80
#define SHA2_BLOCK        128
#define SHA2_CONSTANTS    tally_sha512_constants
#define SHA2_LOAD_WORD    tally_load_be64
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 28), SHA2_ROR(x, 34), SHA2_ROR(x, 39))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 14), SHA2_ROR(x, 18), SHA2_ROR(x, 41))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 1), SHA2_ROR(x, 8), SHA2_SHR(x, 7))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 19), SHA2_ROR(x, 61), SHA2_SHR(x, 6))

#define SHA2_WORD uint64_t
