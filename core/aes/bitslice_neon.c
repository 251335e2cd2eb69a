/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on NEON: eight blocks at a time, for AArch64 without its AES instructions. */
#include "base/arch.h"

#if defined(TALLY_ARCH_AARCH64)
#include <arm_neon.h>

#include "aes/bitslice_turns.h"

#define TARGET
#define INLINE static inline __attribute__((always_inline))

enum { LANES = 1, FEW = 4 };

typedef uint64_t plane __attribute__((vector_size(16)));

INLINE plane broadcast(const uint64_t from[2])
{
    return (plane)vld1q_u64(from);
}

INLINE plane shuffled(plane x, const uint8_t places[16])
{
    return (plane)vqtbl1q_u8((uint8x16_t)x, vld1q_u8(places));
}

#define next_row(x, turn)     shuffled(x, tally_turns_next[turn])
#define opposite_row(x, turn) shuffled(x, tally_turns_opposite[(turn) % 2])
#define turn_odd_rows(x)      shuffled(x, tally_turns_odd)

#include "aes/bitslice_vectors_body.h"

const struct tally_aes_backend tally_aes_bitslice_neon = {
    .backend = {"bitslice-neon", TALLY_CPU_NEON},
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
typedef int tally_aes_bitslice_neon_is_for_aarch64; /* a file may not be empty */
#endif
