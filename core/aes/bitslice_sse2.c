/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSE2: eight blocks at a time. SSE2 has no shuffle of bytes, so rows are turned
 * by shuffles of columns and rotations within them. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <emmintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("sse2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 1, FEW = 4, MANY = 64 /* blocks, which bitslice_rows_sse2.c does faster */ };

typedef uint64_t plane __attribute__((vector_size(16)));

INLINE plane broadcast(const uint64_t from[2])
{
    return (plane)_mm_loadu_si128((const __m128i *)(const void *)from);
}

INLINE __m128i turn_columns(plane x, const int turn)
{
    switch (turn % 4) {
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

INLINE plane next_row(plane x, const int turn)
{
    __m128i t = turn_columns(x, turn);
    return (plane)_mm_or_si128(_mm_srli_epi32(t, 8), _mm_slli_epi32(t, 24));
}

INLINE plane opposite_row(plane x, const int turn)
{
    const __m128i t = turn_columns(x, 2 * turn);
    const __m128i half = _mm_shufflelo_epi16(t, _MM_SHUFFLE(2, 3, 0, 1));
    return (plane)_mm_shufflehi_epi16(half, _MM_SHUFFLE(2, 3, 0, 1));
}

INLINE plane turn_odd_rows(plane x)
{
    const __m128i odd = _mm_set1_epi32((int)0xff00ff00);
    __m128i t = _mm_xor_si128((__m128i)x, turn_columns(x, 2));
    return (plane)_mm_xor_si128((__m128i)x, _mm_and_si128(t, odd));
}

#include "aes/bitslice_vectors_body.h"

#include "aes/bitslice_many_body.h"

const struct tally_aes_backend tally_aes_bitslice_sse2 = {
    .backend = {"bitslice-sse2", TALLY_CPU_SSE2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .encrypt_blocks = encrypt_many,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr_many,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#else
typedef int tally_aes_bitslice_sse2_is_for_x86_64; /* a file may not be empty */
#endif
