/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on vectors: the code that all widths share. Eight vectors of BITSLICE_LANES blocks
 * each are loaded without a change of order: the byte of row r and column c of a block is byte 4 c
 * + r of its lane. The including file defines BITSLICE_LANES, BITSLICE_FEW (64-bit words process up
 * to this number of blocks), BITSLICE(broadcast), which copies 16 bytes to each lane, and all but
 * the keys and the group that bitslice_body.h lists. */
#include "aes/bitslice.h"
#include "base/bytes.h"

#include <string.h>

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

/* Planes of the round keys, whose bytes are 0 or 0xff. */
typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

#include "aes/bitslice_body.h"

/* Every machine of these back ends has vectors of 16 bytes. */
static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}
