/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA256). */
#include "base/arch.h"
#include "sha2/backend.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#define SHA2(name) sha256_armv8_##name
#include "sha2/unroll.h"

#if defined(__clang__)
#define SHA2_TARGET __attribute__((target("sha2")))
#else
#define SHA2_TARGET __attribute__((target("+crypto")))
#endif

#define SHA2_VEC uint32x4_t
typedef struct SHA2(chain) {
    SHA2_VEC first, second; /* abcd and efgh */
} SHA2(chain);

#define SHA2_ADD(x, y)         vaddq_u32(x, y)
#define SHA2_FOUR_CONSTANTS(i) vld1q_u32(tally_sha256_constants + (i))

SHA2_INLINE SHA2_TARGET SHA2(chain) SHA2(load_chain)(const uint32_t words[8])
{
    return (SHA2(chain)){vld1q_u32(words), vld1q_u32(words + 4)};
}

SHA2_INLINE SHA2_TARGET void SHA2(store_chain)(SHA2(chain) x, uint32_t words[8])
{
    vst1q_u32(words, x.first);
    vst1q_u32(words + 4, x.second);
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from)));
}

SHA2_INLINE SHA2_TARGET void SHA2(four_rounds)(SHA2(chain) * x, SHA2_VEC m)
{
    SHA2_VEC first = x->first;
    x->first = vsha256hq_u32(first, x->second, m);
    x->second = vsha256h2q_u32(x->second, first, m);
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(next_words)(SHA2_VEC w0, SHA2_VEC w4, SHA2_VEC w8,
                                                  SHA2_VEC w12)
{
    return vsha256su1q_u32(vsha256su0q_u32(w0, w4), w8, w12);
}

#include "sha2/fours_body.h"

const struct tally_sha256_backend tally_sha256_armv8 = {
    {"armv8", TALLY_CPU_ARM_SHA256}, 1, 130, sha256_armv8_compress};
const struct tally_sha256_backend tally_sha256_armv8_2 = {
    {"armv8-2", TALLY_CPU_ARM_SHA256}, 2, 160, sha256_armv8_compress_2};

#include "sha2/undef.h"

#else
typedef int tally_sha256_armv8_is_for_aarch64; /* a file may not be empty */
#endif
