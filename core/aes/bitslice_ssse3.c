/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSSE3, whose shuffle of bytes turns rows at once: eight blocks at a time. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <tmmintrin.h>

#include "aes/bitslice_turns.h"

#define TARGET __attribute__((target("ssse3")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { LANES = 1, FEW = 4, MANY = 256 /* blocks, which bitslice_rows_sse2.c does faster */ };

typedef uint64_t plane __attribute__((vector_size(16)));

INLINE plane broadcast(const void *from)
{
    return (plane)_mm_loadu_si128((const __m128i *)from);
}

INLINE plane shuffled(plane x, const uint8_t places[16])
{
    return (plane)_mm_shuffle_epi8((__m128i)x, (__m128i)broadcast(places));
}

#define next_row(x, turn)     shuffled(x, tally_turns_next[turn])
#define opposite_row(x, turn) shuffled(x, tally_turns_opposite[(turn) % 2])
#define turn_odd_rows(x)      shuffled(x, tally_turns_odd)

#include "aes/bitslice_vectors_body.h"

#include "aes/bitslice_many_body.h"

const struct tally_aes_backend tally_aes_bitslice_ssse3 = {
    .backend = {"bitslice-ssse3", TALLY_CPU_SSSE3},
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
typedef int tally_aes_bitslice_ssse3_is_for_x86_64; /* a file may not be empty */
#endif
