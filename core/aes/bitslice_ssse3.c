/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSSE3, whose shuffle of bytes rotates rows in one instruction: eight blocks at
 * a time. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <tmmintrin.h>

#include "aes/bitslice_rotations.h"

#define BITSLICE(name)  aes_bitslice_ssse3_##name
#define BITSLICE_TARGET __attribute__((target("ssse3")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4
#define BITSLICE_MANY  256

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const void *from)
{
    return (BITSLICE_PLANE)_mm_loadu_si128((const __m128i *)from);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)_mm_shuffle_epi8((__m128i)x, (__m128i)BITSLICE(broadcast)(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

#include "aes/bitslice_vectors_body.h"

#include "aes/bitslice_many_body.h"

const struct tally_aes_backend tally_aes_bitslice_ssse3 = {
    .backend = {"bitslice-ssse3", TALLY_CPU_SSSE3},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_ssse3_crypt_many,
    .ctr = aes_bitslice_ssse3_ctr_many,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#include "aes/bitslice_undef.h"

#else
typedef int tally_aes_bitslice_ssse3_is_for_x86_64; /* a file may not be empty */
#endif
