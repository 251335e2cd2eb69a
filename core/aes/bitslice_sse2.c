/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSE2: eight blocks at a time. SSE2 has no shuffle of bytes, so rows are
 * rotated by shuffles of columns and rotations within them. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <emmintrin.h>
#include <stdint.h>

#define BITSLICE(name)  aes_bitslice_sse2_##name
#define BITSLICE_TARGET __attribute__((target("sse2")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4
#define BITSLICE_MANY  64

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const uint64_t from[2])
{
    return (BITSLICE_PLANE)_mm_loadu_si128((const __m128i *)(const void *)from);
}

BITSLICE_INLINE __m128i BITSLICE(rotate_columns)(BITSLICE_PLANE x, const int rotation)
{
    switch (rotation % 4) {
    case 1:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(0, 3, 2, 1));
    case 2:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(1, 0, 3, 2));
    case 3:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(2, 1, 0, 3));
    default:
        return (__m128i)x;
    }
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(next_row)(BITSLICE_PLANE x, const int rotation)
{
    __m128i t = BITSLICE(rotate_columns)(x, rotation);
    return (BITSLICE_PLANE)_mm_or_si128(_mm_srli_epi32(t, 8), _mm_slli_epi32(t, 24));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(opposite_row)(BITSLICE_PLANE x, const int rotation)
{
    const __m128i t = BITSLICE(rotate_columns)(x, 2 * rotation);
    const __m128i half = _mm_shufflelo_epi16(t, _MM_SHUFFLE(2, 3, 0, 1));
    return (BITSLICE_PLANE)_mm_shufflehi_epi16(half, _MM_SHUFFLE(2, 3, 0, 1));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(rotate_odd_rows)(BITSLICE_PLANE x)
{
    const __m128i odd = _mm_set1_epi32((int)0xff00ff00);
    __m128i t = _mm_xor_si128((__m128i)x, BITSLICE(rotate_columns)(x, 2));
    return (BITSLICE_PLANE)_mm_xor_si128((__m128i)x, _mm_and_si128(t, odd));
}

#define BITSLICE_NEXT_ROW        BITSLICE(next_row)
#define BITSLICE_OPPOSITE_ROW    BITSLICE(opposite_row)
#define BITSLICE_ROTATE_ODD_ROWS BITSLICE(rotate_odd_rows)
#include "aes/bitslice_vectors_body.h"

#include "aes/bitslice_many_body.h"

const struct tally_aes_backend tally_aes_bitslice_sse2 = {
    .backend = {"bitslice-sse2", TALLY_CPU_SSE2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_sse2_crypt_many,
    .ctr = aes_bitslice_sse2_ctr_many,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#include "aes/bitslice_undef.h"

#else
typedef int tally_aes_bitslice_sse2_is_for_x86_64; /* a file may not be empty */
#endif
