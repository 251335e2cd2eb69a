/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA512), which does two rounds
 * in two instructions. */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#define SHA2(name) sha512_armv8_##name
#include "sha2/unroll.h"

#if defined(__clang__)
#define SHA2_TARGET __attribute__((target("sha3")))
#else
#define SHA2_TARGET __attribute__((target("arch=armv8.2-a+sha3")))
#endif

#define SHA2_VEC uint64x2_t

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(from)));
}

/* Two rounds. They change two pairs of the chaining value, and all pairs move by one place: pair i
 * is x[(i + rotation) % 4], so that no vector is copied. */
#define SHA2_PAIR(i) x[((i) + rotation) % 4]
SHA2_INLINE SHA2_TARGET void SHA2(two_rounds)(SHA2_VEC x[4], const size_t rotation, SHA2_VEC m)
{
    SHA2_VEC sum = vaddq_u64(vextq_u64(m, m, 1), SHA2_PAIR(3));
    sum = vsha512hq_u64(sum, vextq_u64(SHA2_PAIR(2), SHA2_PAIR(3), 1),
                        vextq_u64(SHA2_PAIR(1), SHA2_PAIR(2), 1));
    SHA2_PAIR(3) = vsha512h2q_u64(sum, SHA2_PAIR(1), SHA2_PAIR(0));
    SHA2_PAIR(1) = vaddq_u64(SHA2_PAIR(1), sum);
}
#undef SHA2_PAIR

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, uint64_t *state)
{
    SHA2_VEC chain[4];
    for (size_t i = 0; i < 4; i++) {
        chain[i] = vld1q_u64(state + 2 * i);
    }
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[8], x[4] = {chain[0], chain[1], chain[2], chain[3]};
        for (size_t i = 0; i < 8; i++) {
            w[i] = SHA2(read_words)(data[0] + 128 * block + 16 * i);
        }
        SHA2_UNROLL
        for (size_t i = 0; i < 40; i++) {
            SHA2(two_rounds)
            (x, (40 - i) % 4, vaddq_u64(w[i % 8], vld1q_u64(tally_sha512_constants + 2 * i)));
            if (i < 32) {
                SHA2_VEC middle = vextq_u64(w[(i + 4) % 8], w[(i + 5) % 8], 1);
                w[i % 8] = vsha512su1q_u64(vsha512su0q_u64(w[i % 8], w[(i + 1) % 8]),
                                           w[(i + 7) % 8], middle);
            }
        }
        for (size_t i = 0; i < 4; i++) {
            chain[i] = vaddq_u64(chain[i], x[i]);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        vst1q_u64(state + 2 * i, chain[i]);
    }
}

const struct tally_sha512_backend tally_sha512_armv8 = {
    {"armv8", TALLY_CPU_ARM_SHA512}, 1, 240, sha512_armv8_compress};

#include "sha2/undef.h"

#else
typedef int tally_sha512_armv8_is_for_aarch64; /* a file may not be empty */
#endif
