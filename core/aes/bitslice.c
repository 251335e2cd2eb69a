/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on 64-bit words, for every CPU: four blocks at a time. The byte of row r and
 * column c of block b is at bit 16 r + 4 c + b, so that rows are quarters of a word. */
#include "aes/bitslice.h"
#include "base/bytes.h"

#define BITSLICE(name) aes_bitslice_##name
#define BITSLICE_TARGET
#if defined(__GNUC__)
#define BITSLICE_INLINE static inline __attribute__((always_inline))
#else
#define BITSLICE_INLINE static inline
#endif

#define BITSLICE_GROUP 4

#define BITSLICE_PLANE uint64_t
#define BITSLICE_KEYS  tally_aes_key

#define BITSLICE_ROUND_KEY(keys, round, i) ((keys)->round_keys.sliced.planes[round][i])

static void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

/* Word 4 (c mod 2) + b takes columns c mod 2 and c mod 2 + 2 of block b with their bytes
 * interleaved. The transposition then moves every byte to its place in the layout above. */
BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)
    {
        const uint8_t *column = in + 16 * (i % 4) + 4 * (i / 4);
        BITSLICE_PLANE x = tally_load_le32(column) | (BITSLICE_PLANE)tally_load_le32(column + 8)
                                                         << 32;
        BITSLICE_PLANE t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
        x ^= t ^ t << 16;
        t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);
        q[i] = x ^ t ^ t << 8;
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)
    {
        uint8_t *column = out + 16 * (i % 4) + 4 * (i / 4);
        BITSLICE_PLANE x = q[i];
        BITSLICE_PLANE t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);
        x ^= t ^ t << 8;
        t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
        x ^= t ^ t << 16;
        tally_store_le32((uint32_t)x, column);
        tally_store_le32((uint32_t)(x >> 32), column + 8);
    }
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(rotated)(BITSLICE_PLANE x, int bits)
{
    return bits == 0 ? x : x >> bits | x << (64 - bits);
}

/* The bits of `a` in a quarter's columns below `columns`, and the bits of `b` elsewhere. */
BITSLICE_INLINE BITSLICE_PLANE BITSLICE(either)(BITSLICE_PLANE a, BITSLICE_PLANE b, int columns)
{
    const BITSLICE_PLANE lower = ((UINT64_C(1) << 4 * columns) - 1) * UINT64_C(0x0001000100010001);
    return (a & lower) | (b & ~lower);
}

/* Columns that wrap around come from the same quarter as the columns before them, 16 bits lower. */
BITSLICE_INLINE BITSLICE_PLANE BITSLICE(next_row)(BITSLICE_PLANE x, const int rotation)
{
    return rotation == 0 ? BITSLICE(rotated)(x, 16)
                         : BITSLICE(either)(BITSLICE(rotated)(x, 16 + 4 * rotation),
                                            BITSLICE(rotated)(x, 4 * rotation), 4 - rotation);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(opposite_row)(BITSLICE_PLANE x, const int rotation)
{
    return rotation % 2 == 0
               ? BITSLICE(rotated)(x, 32)
               : BITSLICE(either)(BITSLICE(rotated)(x, 40), BITSLICE(rotated)(x, 24), 2);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(rotate_odd_rows)(BITSLICE_PLANE x)
{
    BITSLICE_PLANE t = (x ^ x >> 8) & UINT64_C(0x00ff000000ff0000);
    return x ^ t ^ t << 8;
}

#define BITSLICE_NEXT_ROW        BITSLICE(next_row)
#define BITSLICE_OPPOSITE_ROW    BITSLICE(opposite_row)
#define BITSLICE_ROTATE_ODD_ROWS BITSLICE(rotate_odd_rows)
#include "aes/bitslice_body.h"

/* A plane is one bit of each of the word's four bytes. */
static uint32_t BITSLICE(sub_word)(uint32_t word)
{
    BITSLICE_PLANE q[8];
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = word >> i & 0x01010101;
    }
    BITSLICE(sbox)(q);
    word = 0;
    BITSLICE_EACH_PLANE(i)
    {
        word |= (uint32_t)(q[i] & 0x01010101) << i;
    }
    return word;
}

#define AES_EXPAND   static void BITSLICE(expand)
#define AES_SUB_WORD BITSLICE(sub_word)
#include "aes/key_schedule_body.h"

/* Up to SIDE_BY_SIDE keys: word i of all schedules is schedules[i]. */
enum { BITSLICE_SIDE_BY_SIDE = 16, BITSLICE_MOST_WORDS = 60 };
typedef uint32_t BITSLICE(schedules)[BITSLICE_MOST_WORDS][BITSLICE_SIDE_BY_SIDE];

static void BITSLICE(sub_words)(uint32_t words[BITSLICE_SIDE_BY_SIDE])
{
    BITSLICE_PLANE q[8];
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = words[i] | (BITSLICE_PLANE)words[i + 8] << 32;
    }
    BITSLICE(transpose)(q);
    BITSLICE(sbox)(q);
    BITSLICE(transpose)(q);
    BITSLICE_EACH_PLANE(i)
    {
        words[i] = (uint32_t)q[i];
        words[i + 8] = (uint32_t)(q[i] >> 32);
    }
}

/* As the function of key_schedule_body.h. */
static void BITSLICE(expand_many)(const uint8_t *keys, size_t key_size, size_t count, size_t words,
                                  BITSLICE(schedules) out)
{
    const size_t key_words = key_size / 4;
    uint32_t constant = 1, word[BITSLICE_SIDE_BY_SIDE];
    memset(out, 0, sizeof(BITSLICE(schedules)));
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < key_words; i++) {
            out[i][k] = tally_load_le32(keys + key_size * k + 4 * i);
        }
    }
    for (size_t i = key_words; i < words; i++) {
        memcpy(word, out[i - 1], sizeof word);
        if (i % key_words == 0) {
            for (size_t k = 0; k < BITSLICE_SIDE_BY_SIDE; k++) {
                word[k] = word[k] >> 8 | word[k] << 24;
            }
            BITSLICE(sub_words)(word);
            for (size_t k = 0; k < BITSLICE_SIDE_BY_SIDE; k++) {
                word[k] ^= constant;
            }
            constant = (constant << 1 ^ (constant >> 7) * 0x1b) & 0xff;
        } else if (key_words == 8 && i % 8 == 4) {
            BITSLICE(sub_words)(word);
        }
        for (size_t k = 0; k < BITSLICE_SIDE_BY_SIDE; k++) {
            out[i][k] = word[k] ^ out[i - key_words][k];
        }
    }
    tally_wipe(word, sizeof word);
}

/* Round key `round` with row r rotated by r columns for each round, and with the S-box's constant,
 * which MixColumns does not change. */
static void BITSLICE(rotate_rows)(const uint8_t in[16], size_t round, uint8_t out[16])
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

/* Four round keys at a time become planes as if they were blocks. Then the bits of each are copied
 * to the places of all four blocks. */
void tally_bitslice_key_init_round_keys(const uint8_t *schedule, tally_aes_key *out)
{
    uint8_t four[BITSLICE_GROUP][16] = {{0}};
    uint8_t(*rotated)[16] = out->round_keys.sliced.bytes;
    const size_t keys = out->rounds + 1;
    BITSLICE_PLANE q[8];
    for (size_t round = 0; round < keys; round++) {
        BITSLICE(rotate_rows)(schedule + 16 * round, round, rotated[round]);
    }
    for (size_t round = 0; round < keys; round++) {
        if (round % BITSLICE_GROUP == 0) {
            memcpy(four, rotated[round],
                   16 * (keys - round < BITSLICE_GROUP ? keys - round : BITSLICE_GROUP));
            BITSLICE(load)(four[0], q);
        }
        BITSLICE_EACH_PLANE(i)
        {
            BITSLICE_PLANE bits = q[i] >> round % BITSLICE_GROUP & UINT64_C(0x1111111111111111);
            out->round_keys.sliced.planes[round][i] = bits * 15;
        }
    }
    tally_wipe(four, sizeof four);
    tally_wipe(q, sizeof q);
}

void tally_bitslice_expand(const uint8_t *key, size_t key_size, uint8_t *schedule)
{
    BITSLICE(expand)(key, key_size / 4, key_size + 28, schedule);
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
    BITSLICE(schedules) all;
    uint8_t schedule[15][16];
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < BITSLICE_SIDE_BY_SIDE ? count - first : BITSLICE_SIDE_BY_SIDE;
        const size_t words = 4 * (out->rounds + 1);
        BITSLICE(expand_many)(keys + key_size * first, key_size, some, words, all);
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

void tally_bitslice_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                                 const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (direction == TALLY_ENCRYPT) {
        BITSLICE(run_groups)(BITSLICE(encrypt_group), key, key->rounds, in, blocks, out);
    } else {
        BITSLICE(run_groups)(BITSLICE(decrypt_group), key, key->rounds, in, blocks, out);
    }
}

void tally_bitslice_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                        size_t size, uint8_t *out)
{
    BITSLICE(ctr_groups)(key, key->rounds, counter, in, size, out);
}

const struct tally_aes_backend tally_aes_bitslice = {
    .backend = {"bitslice", 0},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = tally_bitslice_crypt_blocks,
    .ctr = tally_bitslice_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

#include "aes/bitslice_undef.h"
