/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on vectors: what is the same for all widths. Eight vectors of LANES blocks each are
 * loaded as they lie, so that the byte of row r and column c of a block is byte 4 c + r of its lane.
 * The including file defines INLINE and TARGET, LANES, FEW (up to which blocks are left to 64-bit
 * words), `plane`, and the turns of rows as bitslice_body.h says; and broadcast, which gives each
 * lane 16 bytes. */
#include "aes/bitslice.h"
#include "base/bytes.h"

#include <string.h>

enum { GROUP = 8 * LANES };

/* Planes of the round keys, whose bytes are 0 or 0xff. */
typedef struct round_keys {
    uint64_t planes[15][8][2];
} round_keys;

#define round_key(keys, round, i) broadcast((keys)->planes[round][i])

INLINE void transpose(plane q[8]);

INLINE void load(const uint8_t *in, plane q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * LANES * i, 16 * LANES);
    }
    transpose(q);
}

INLINE void store(plane q[8], uint8_t *out)
{
    transpose(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * LANES * i, &q[i], 16 * LANES);
    }
}

#include "aes/bitslice_body.h"

/* Vectors of 16 bytes are what every machine of these back ends has. */
static void spread_keys(const tally_aes_key *key, round_keys *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

INLINE void run(group_function *function, const tally_aes_key *key, const uint8_t *in,
                size_t blocks, uint8_t *out)
{
    round_keys keys;
    spread_keys(key, &keys);
    run_groups(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

TARGET static void encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    if (blocks <= FEW) {
        tally_bitslice_encrypt_blocks(key, in, blocks, out);
    } else {
        run(encrypt_group, key, in, blocks, out);
    }
}

TARGET static void decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    if (blocks <= FEW) {
        tally_bitslice_decrypt_blocks(key, in, blocks, out);
    } else {
        run(decrypt_group, key, in, blocks, out);
    }
}

TARGET static void ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                       size_t size, uint8_t *out)
{
    if (size <= 16 * FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    round_keys keys;
    spread_keys(key, &keys);
    ctr_groups(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}
