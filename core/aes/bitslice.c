/* SPDX-License-Identifier: Apache-2.0
 *
 * AES (FIPS 197) for every CPU in constant time: four blocks at a time as eight planes of 64 bits,
 * plane p holding bit p of all 64 bytes. The byte of row r and column c of block b is at bit
 * 16 r + 4 c + b, so that MixColumns rotates planes and ShiftRows rotates their quarters. */
#include "aes/backend.h"
#include "base/bytes.h"

#include <string.h>

typedef uint64_t plane;

#include "aes/bitslice_sbox.h"

#define LANES 4 /* blocks at a time */

/* The planes belong in registers, so loops over them must be unrolled; GCC at -O2 must be told. */
#define EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

/* Exchanges the bits `mask` << shift of *a with the bits `mask` of *b. */
static inline void swap_bits(plane *a, plane *b, unsigned shift, plane mask)
{
    plane t = ((*a >> shift) ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

/* Transposes the 8 x 8 matrices of bits that the same byte of all words makes; its own inverse. */
static void transpose(plane q[8])
{
    for (size_t i = 0; i < 8; i += 2) {
        swap_bits(&q[i], &q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1) {
        swap_bits(&q[i], &q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    for (size_t i = 0; i < 4; i++) {
        swap_bits(&q[i], &q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

/* Word 4 (c mod 2) + b takes columns c mod 2 and c mod 2 + 2 of block b with their bytes
 * interleaved; after the transposition every byte is at the place that the head comment says. */
static void load(const uint8_t in[16 * LANES], plane q[8])
{
    EACH_PLANE(i)
    {
        const uint8_t *column = in + 16 * (i % 4) + 4 * (i / 4);
        plane x = tally_load_le32(column) | (plane)tally_load_le32(column + 8) << 32;
        plane t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
        x ^= t ^ t << 16;
        t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);
        q[i] = x ^ t ^ t << 8;
    }
    transpose(q);
}

static void store(plane q[8], uint8_t out[16 * LANES])
{
    transpose(q);
    EACH_PLANE(i)
    {
        uint8_t *column = out + 16 * (i % 4) + 4 * (i / 4);
        plane x = q[i];
        plane t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);
        x ^= t ^ t << 8;
        t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
        x ^= t ^ t << 16;
        tally_store_le32((uint32_t)x, column);
        tally_store_le32((uint32_t)(x >> 32), column + 8);
    }
}

static inline void add_round_key(plane q[8], const plane round_key[8])
{
    EACH_PLANE(i)
    {
        q[i] ^= round_key[i];
    }
}

/* Turns rows 2 and 3 by two columns, which is the same in both directions. */
static inline plane turn_two_columns(plane x)
{
    plane t = (x ^ x >> 8) & UINT64_C(0x00ff00ff00000000);
    return x ^ t ^ t << 8;
}

static inline void shift_rows(plane q[8])
{
    EACH_PLANE(i)
    {
        plane x = turn_two_columns(q[i]); /* then rows 1 and 3 by one more */
        q[i] = (x & UINT64_C(0x0000ffff0000ffff)) | (x >> 4 & UINT64_C(0x0fff00000fff0000)) |
               (x << 12 & UINT64_C(0xf0000000f0000000));
    }
}

static inline void inverse_shift_rows(plane q[8])
{
    EACH_PLANE(i)
    {
        plane x = turn_two_columns(q[i]);
        q[i] = (x & UINT64_C(0x0000ffff0000ffff)) | (x << 4 & UINT64_C(0xfff00000fff00000)) |
               (x >> 12 & UINT64_C(0x000f0000000f0000));
    }
}

/* The plane as seen one row, or two rows, further down. */
static inline plane next_row(plane x)
{
    return x >> 16 | x << 48;
}

static inline plane opposite_row(plane x)
{
    return x >> 32 | x << 32;
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the
 * opposite row. Doubling moves each plane up by one and adds the top one to planes 0, 1, 3, 4. */
static inline void mix_columns(plane q[8])
{
    plane below[8], d[8];
    EACH_PLANE(i)
    {
        below[i] = next_row(q[i]);
        d[i] = q[i] ^ below[i];
    }
    EACH_PLANE(i)
    {
        q[i] = below[i] ^ opposite_row(d[i]) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a
 * row and its opposite, then mix. */
static inline void inverse_mix_columns(plane q[8])
{
    plane d[8];
    EACH_PLANE(i)
    {
        d[i] = q[i] ^ opposite_row(q[i]);
    }
    EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    mix_columns(q);
}

static void encrypt_lanes(const tally_aes_key *key, const uint8_t *in, uint8_t *out)
{
    plane q[8];
    load(in, q);
    add_round_key(q, key->round_keys.planes[0]);
    for (size_t round = 1; round < key->rounds; round++) {
        tally_bitslice_sbox(q);
        shift_rows(q);
        mix_columns(q);
        add_round_key(q, key->round_keys.planes[round]);
    }
    tally_bitslice_sbox(q);
    shift_rows(q);
    add_round_key(q, key->round_keys.planes[key->rounds]);
    store(q, out);
}

static void decrypt_lanes(const tally_aes_key *key, const uint8_t *in, uint8_t *out)
{
    plane q[8];
    load(in, q);
    add_round_key(q, key->round_keys.planes[key->rounds]);
    for (size_t round = key->rounds - 1; round > 0; round--) {
        inverse_shift_rows(q);
        tally_bitslice_inverse_sbox(q);
        add_round_key(q, key->round_keys.planes[round]);
        inverse_mix_columns(q);
    }
    inverse_shift_rows(q);
    tally_bitslice_inverse_sbox(q);
    add_round_key(q, key->round_keys.planes[0]);
    store(q, out);
}

typedef void lanes_function(const tally_aes_key *key, const uint8_t *in, uint8_t *out);

/* Runs whole groups of lanes, then a last group that is not full in a buffer. */
static inline void run(lanes_function *function, const tally_aes_key *key, const uint8_t *in,
                       size_t blocks, uint8_t *out)
{
    for (; blocks >= LANES; blocks -= LANES) {
        function(key, in, out);
        in += 16 * LANES;
        out += 16 * LANES;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * LANES] = {0};
        memcpy(buffer, in, 16 * blocks);
        function(key, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

static void encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks, uint8_t *out)
{
    run(encrypt_lanes, key, in, blocks, out);
}

static void decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks, uint8_t *out)
{
    run(decrypt_lanes, key, in, blocks, out);
}

/* SubWord of FIPS 197, section 5.2: a plane is one bit of each of the word's four bytes. */
static uint32_t sub_word(uint32_t word)
{
    plane q[8];
    EACH_PLANE(i)
    {
        q[i] = word >> i & 0x01010101;
    }
    tally_bitslice_sbox(q);
    word = 0;
    EACH_PLANE(i)
    {
        word |= (uint32_t)(q[i] & 0x01010101) << i;
    }
    return word;
}

#define EXPAND static
#include "aes/key_schedule_body.h"

/* Four round keys at a time become planes as if they were blocks; then each one's bits are copied
 * to all four blocks' places. */
static void set_key(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    uint8_t schedule[16][16] = {{0}}; /* one more than 15, for whole groups */
    plane q[8];
    expand(key, key_size / 4, 4 * (out->rounds + 1), schedule[0]);
    for (size_t round = 0; round <= out->rounds; round++) {
        if (round % LANES == 0) {
            load(schedule[round], q);
        }
        EACH_PLANE(i)
        {
            plane bits = q[i] >> round % LANES & UINT64_C(0x1111111111111111);
            out->round_keys.planes[round][i] = bits * 15;
        }
    }
    tally_wipe(schedule, sizeof schedule);
    tally_wipe(q, sizeof q);
}

const struct tally_aes_backend tally_aes_bitslice = {
    .name = "bitslice",
    .features = 0,
    .set_key = set_key,
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = tally_aes_ctr_portable,
    .cbc_mac = tally_aes_cbc_mac_portable,
};
