/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on AVX-512: 32 blocks at a time. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <immintrin.h>

#include "aes/bitslice_rotations.h"

#define BITSLICE(name)  aes_bitslice_avx512_##name
#define BITSLICE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 4
#define BITSLICE_FEW   4

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(64)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const void *from)
{
    return (BITSLICE_PLANE)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)_mm512_shuffle_epi8((__m512i)x, (__m512i)BITSLICE(broadcast)(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

#include "aes/bitslice_vectors_body.h"

const struct tally_aes_backend tally_aes_bitslice_avx512 = {
    .backend = {"bitslice-avx512", TALLY_CPU_AVX512 | TALLY_CPU_AVX2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_avx512_crypt_blocks,
    .ctr = aes_bitslice_avx512_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#include "aes/bitslice_undef.h"

#else
typedef int tally_aes_bitslice_avx512_is_for_x86_64; /* a file may not be empty */
#endif
