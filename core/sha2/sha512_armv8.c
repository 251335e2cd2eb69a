/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA512), which does two rounds in
 * two instructions. */
#include "base/arch.h"
#include "sha2/engine.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#include "sha2/unroll.h"

#if defined(__clang__)
#define TARGET __attribute__((target("sha3")))
#else
#define TARGET __attribute__((target("arch=armv8.2-a+sha3")))
#endif

typedef uint64x2_t vec;

INLINE TARGET vec read_words(const uint8_t *from)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(from)));
}

/* Two rounds. The pair x[i] of the chaining value, counted from where it is after that many pairs of
 * rounds, is x[(i + turn) % 4]: only two pairs change, and all move on by one. */
#define PAIR(i) x[((i) + turn) % 4]
INLINE TARGET void two_rounds(vec x[4], const size_t turn, vec m)
{
    vec sum = vaddq_u64(vextq_u64(m, m, 1), PAIR(3));
    sum = vsha512hq_u64(sum, vextq_u64(PAIR(2), PAIR(3), 1), vextq_u64(PAIR(1), PAIR(2), 1));
    PAIR(3) = vsha512h2q_u64(sum, PAIR(1), PAIR(0));
    PAIR(1) = vaddq_u64(PAIR(1), sum);
}
#undef PAIR

TARGET static void compress(const uint8_t *const data[], size_t blocks, uint64_t *state)
{
    vec chain[4];
    for (size_t i = 0; i < 4; i++) {
        chain[i] = vld1q_u64(state + 2 * i);
    }
    for (size_t block = 0; block < blocks; block++) {
        vec w[8], x[4] = {chain[0], chain[1], chain[2], chain[3]};
        for (size_t i = 0; i < 8; i++) {
            w[i] = read_words(data[0] + 128 * block + 16 * i);
        }
        UNROLL
        for (size_t i = 0; i < 40; i++) {
            two_rounds(x, (40 - i) % 4,
                       vaddq_u64(w[i % 8], vld1q_u64(tally_sha512_constants + 2 * i)));
            if (i < 32) {
                vec middle = vextq_u64(w[(i + 4) % 8], w[(i + 5) % 8], 1);
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

const struct tally_sha512_engine tally_sha512_armv8 = {"armv8", TALLY_CPU_ARM_SHA512, 1, 240,
                                                       compress};

#else
typedef int tally_sha512_armv8_is_for_aarch64; /* a file may not be empty */
#endif
