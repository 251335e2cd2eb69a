/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of rounds_body.h that SHA-256 alone has (FIPS 180-4, section 4.1.2). */
#define SHA2_ROUNDS       64
#define SHA2_BLOCK        64
#define SHA2_CONSTANTS    tally_sha256_constants
#define SHA2_LOAD_WORD    tally_load_be32
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 2), SHA2_ROR(x, 13), SHA2_ROR(x, 22))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 6), SHA2_ROR(x, 11), SHA2_ROR(x, 25))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 7), SHA2_ROR(x, 18), SHA2_SHR(x, 3))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 17), SHA2_ROR(x, 19), SHA2_SHR(x, 10))

#define SHA2_WORD uint32_t
