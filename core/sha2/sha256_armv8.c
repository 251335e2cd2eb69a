/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA256). */
#include "base/arch.h"
#include "sha2/engine.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#include "sha2/unroll.h"

#if defined(__clang__)
#define TARGET __attribute__((target("sha2")))
#else
#define TARGET __attribute__((target("+crypto")))
#endif

typedef uint32x4_t vec;
typedef struct chain {
    vec first, second; /* abcd and efgh */
} chain;

#define ADD(x, y)    vaddq_u32(x, y)
#define CONSTANTS(i) vld1q_u32(tally_sha256_constants + (i))

INLINE TARGET chain load_chain(const uint32_t words[8])
{
    return (chain){vld1q_u32(words), vld1q_u32(words + 4)};
}

INLINE TARGET void store_chain(chain x, uint32_t words[8])
{
    vst1q_u32(words, x.first);
    vst1q_u32(words + 4, x.second);
}

INLINE TARGET vec read_words(const uint8_t *from)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from)));
}

INLINE TARGET void four_rounds(chain *x, vec m)
{
    vec first = x->first;
    x->first = vsha256hq_u32(first, x->second, m);
    x->second = vsha256h2q_u32(x->second, first, m);
}

INLINE TARGET vec next_words(vec w0, vec w4, vec w8, vec w12)
{
    return vsha256su1q_u32(vsha256su0q_u32(w0, w4), w8, w12);
}

#include "sha2/fours_body.h"

const struct tally_sha256_engine tally_sha256_armv8 = {"armv8", TALLY_CPU_ARM_SHA256, 1, 130,
                                                       compress};
const struct tally_sha256_engine tally_sha256_armv8_2 = {"armv8-2", TALLY_CPU_ARM_SHA256, 2, 160,
                                                         compress_2};

#else
typedef int tally_sha256_armv8_is_for_aarch64; /* a file may not be empty */
#endif
