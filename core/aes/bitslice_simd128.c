/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES with SIMD128 of WebAssembly: eight blocks at a time. */
#include "base/arch.h"

#if defined(TALLY_ARCH_WASM_SIMD128)
#include <wasm_simd128.h>

#include "aes/bitslice_rotations.h"

#define BITSLICE(name) aes_bitslice_simd128_##name
#define BITSLICE_TARGET
#define BITSLICE_INLINE static inline __attribute__((always_inline))

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const uint64_t from[2])
{
    return (BITSLICE_PLANE)wasm_v128_load(from);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)wasm_i8x16_swizzle((v128_t)x, wasm_v128_load(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

#include "aes/bitslice_vectors_body.h"

const struct tally_aes_backend tally_aes_bitslice_simd128 = {
    .backend = {"bitslice-simd128", 0},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_simd128_crypt_blocks,
    .ctr = aes_bitslice_simd128_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#include "aes/bitslice_undef.h"

#else
typedef int tally_aes_bitslice_simd128_is_for_wasm; /* a file may not be empty */
#endif
