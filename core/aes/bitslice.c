/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on 64-bit words, for every CPU: four blocks at a time. The byte of row r and column
 * c of block b is at bit 16 r + 4 c + b, so that rows are quarters of a word. */
#include "aes/bitslice.h"
#include "base/bytes.h"

#define TARGET
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

enum { GROUP = 4 };

typedef uint64_t plane;
typedef tally_aes_key round_keys;

#define round_key(keys, round, i) ((keys)->round_keys.sliced.planes[round][i])

static void transpose(plane q[8]);

/* Word 4 (c mod 2) + b takes columns c mod 2 and c mod 2 + 2 of block b with their bytes
 * interleaved; after the transposition every byte is at the place that the head comment says. */
INLINE void load(const uint8_t *in, plane q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)
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

INLINE void store(plane q[8], uint8_t *out)
{
    transpose(q);
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)
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

INLINE plane rotated(plane x, int bits)
{
    return bits == 0 ? x : x >> bits | x << (64 - bits);
}

/* The bits of `a` where a quarter's columns are below `columns`, and elsewhere those of b. */
INLINE plane either(plane a, plane b, int columns)
{
    const plane lower = ((UINT64_C(1) << 4 * columns) - 1) * UINT64_C(0x0001000100010001);
    return (a & lower) | (b & ~lower);
}

/* Columns that wrap around come from the same quarter as those before them, 16 bits lower. */
INLINE plane next_row(plane x, const int turn)
{
    return turn == 0 ? rotated(x, 16)
                     : either(rotated(x, 16 + 4 * turn), rotated(x, 4 * turn), 4 - turn);
}

INLINE plane opposite_row(plane x, const int turn)
{
    return turn % 2 == 0 ? rotated(x, 32) : either(rotated(x, 40), rotated(x, 24), 2);
}

INLINE plane turn_odd_rows(plane x)
{
    plane t = (x ^ x >> 8) & UINT64_C(0x00ff000000ff0000);
    return x ^ t ^ t << 8;
}

#include "aes/bitslice_body.h"

/* A plane is one bit of each of the word's four bytes. */
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

/* Up to SIDE_BY_SIDE keys: word i of all schedules is schedules[i]. */
enum { SIDE_BY_SIDE = 16, MOST_WORDS = 60 };
typedef uint32_t schedules[MOST_WORDS][SIDE_BY_SIDE];

static void sub_words(uint32_t words[SIDE_BY_SIDE])
{
    plane q[8];
    EACH_PLANE(i)
    {
        q[i] = words[i] | (plane)words[i + 8] << 32;
    }
    transpose(q);
    tally_bitslice_sbox(q);
    transpose(q);
    EACH_PLANE(i)
    {
        words[i] = (uint32_t)q[i];
        words[i + 8] = (uint32_t)(q[i] >> 32);
    }
}

/* As expand of key_schedule_body.h. */
static void expand_many(const uint8_t *keys, size_t key_size, size_t count, size_t words,
                        schedules out)
{
    const size_t key_words = key_size / 4;
    uint32_t constant = 1, word[SIDE_BY_SIDE];
    memset(out, 0, sizeof(schedules));
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < key_words; i++) {
            out[i][k] = tally_load_le32(keys + key_size * k + 4 * i);
        }
    }
    for (size_t i = key_words; i < words; i++) {
        memcpy(word, out[i - 1], sizeof word);
        if (i % key_words == 0) {
            for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
                word[k] = word[k] >> 8 | word[k] << 24;
            }
            sub_words(word);
            for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
                word[k] ^= constant;
            }
            constant = (constant << 1 ^ (constant >> 7) * 0x1b) & 0xff;
        } else if (key_words == 8 && i % 8 == 4) {
            sub_words(word);
        }
        for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
            out[i][k] = word[k] ^ out[i - key_words][k];
        }
    }
    tally_wipe(word, sizeof word);
}

/* Round key `round` as the rows lie then, row r turned by r columns for each round, and with the
 * S-box's constant, which MixColumns leaves as it is. */
static void turn_rows(const uint8_t in[16], size_t round, uint8_t out[16])
{
    const uint32_t constant = round == 0 ? 0 : 0x63636363;
    uint32_t columns[4];
    for (size_t c = 0; c < 4; c++) {
        columns[c] = tally_load_le32(in + 4 * c) ^ constant;
    }
    for (size_t c = 0; c < 4; c++) {
        tally_store_le32((columns[c] & 0x000000ff) | (columns[(c - round) % 4] & 0x0000ff00) |
                             (columns[(c - 2 * round) % 4] & 0x00ff0000) |
                             (columns[(c - 3 * round) % 4] & 0xff000000),
                         out + 4 * c);
    }
    tally_wipe(columns, sizeof columns);
}

/* Four round keys at a time become planes as if they were blocks; then each one's bits are copied
 * to all four blocks' places. */
void tally_bitslice_key_init_round_keys(const uint8_t *schedule, tally_aes_key *out)
{
    uint8_t four[GROUP][16] = {{0}};
    uint8_t(*turned)[16] = out->round_keys.sliced.bytes;
    const size_t keys = out->rounds + 1;
    plane q[8];
    for (size_t round = 0; round < keys; round++) {
        turn_rows(schedule + 16 * round, round, turned[round]);
    }
    for (size_t round = 0; round < keys; round++) {
        if (round % GROUP == 0) {
            memcpy(four, turned[round], 16 * (keys - round < GROUP ? keys - round : GROUP));
            load(four[0], q);
        }
        EACH_PLANE(i)
        {
            plane bits = q[i] >> round % GROUP & UINT64_C(0x1111111111111111);
            out->round_keys.sliced.planes[round][i] = bits * 15;
        }
    }
    tally_wipe(four, sizeof four);
    tally_wipe(q, sizeof q);
}

void tally_bitslice_expand(const uint8_t *key, size_t key_size, uint8_t *schedule)
{
    expand(key, key_size / 4, key_size + 28, schedule);
}

void tally_bitslice_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    uint8_t schedule[15 * 16];
    tally_bitslice_expand(key, key_size, schedule);
    tally_bitslice_key_init_round_keys(schedule, out);
    tally_wipe(schedule, sizeof schedule);
}

void tally_bitslice_keys_init(const uint8_t *keys, size_t key_size, size_t count,
                              tally_aes_key *out)
{
    schedules all;
    uint8_t schedule[15][16];
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < SIDE_BY_SIDE ? count - first : SIDE_BY_SIDE;
        const size_t words = 4 * (out->rounds + 1);
        expand_many(keys + key_size * first, key_size, some, words, all);
        for (size_t k = 0; k < some; k++) {
            for (size_t i = 0; i < words; i++) {
                tally_store_le32(all[i][k], schedule[i / 4] + 4 * (i % 4));
            }
            tally_bitslice_key_init_round_keys(schedule[0], &out[first + k]);
        }
    }
    tally_wipe(all, sizeof all);
    tally_wipe(schedule, sizeof schedule);
}

void tally_bitslice_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                   uint8_t *out)
{
    run_groups(encrypt_group, key, key->rounds, in, blocks, out);
}

void tally_bitslice_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                   uint8_t *out)
{
    run_groups(decrypt_group, key, key->rounds, in, blocks, out);
}

void tally_bitslice_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                        size_t size, uint8_t *out)
{
    ctr_groups(key, key->rounds, counter, in, size, out);
}

const struct tally_aes_backend tally_aes_bitslice = {
    .backend = {"bitslice", 0},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .encrypt_blocks = tally_bitslice_encrypt_blocks,
    .decrypt_blocks = tally_bitslice_decrypt_blocks,
    .ctr = tally_bitslice_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};
