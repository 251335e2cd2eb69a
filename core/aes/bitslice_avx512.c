/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on AVX-512: 32 blocks at a time. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <immintrin.h>

#include "aes/bitslice_turns.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 4, FEW = 4 };

typedef uint64_t plane __attribute__((vector_size(64)));

INLINE plane broadcast(const void *from)
{
    return (plane)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from));
}

INLINE plane shuffled(plane x, const uint8_t places[16])
{
    return (plane)_mm512_shuffle_epi8((__m512i)x, (__m512i)broadcast(places));
}

#define next_row(x, turn)     shuffled(x, tally_turns_next[turn])
#define opposite_row(x, turn) shuffled(x, tally_turns_opposite[(turn) % 2])
#define turn_odd_rows(x)      shuffled(x, tally_turns_odd)

#include "aes/bitslice_vectors_body.h"

const struct tally_aes_backend tally_aes_bitslice_avx512 = {
    .backend = {"bitslice-avx512", TALLY_CPU_AVX512 | TALLY_CPU_AVX2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#else
typedef int tally_aes_bitslice_avx512_is_for_x86_64; /* a file may not be empty */
#endif
