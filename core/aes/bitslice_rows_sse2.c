/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSE2 for long runs: 32 blocks at a time, with a vector for each bit of each row,
 * whose four words are the columns. ShiftRows is a shuffle of words, and MixColumns turns nothing at
 * all, so that a round has a fifth less to do than in bitslice_sse2.c; but the state lies in memory,
 * and there are four times as many round keys to spread. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <emmintrin.h>
#include <string.h>

#include "aes/bitslice.h"
#include "aes/counter.h"

#define TARGET __attribute__((target("sse2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { GROUP = TALLY_BITSLICE_ROWS };

typedef uint64_t plane __attribute__((vector_size(16)));
typedef plane state[32]; /* bit i of row r is vector 8 r + i */

typedef struct row_keys {
    state of[15];
} row_keys;

#define BITSLICE_INLINE INLINE
#include "aes/bitslice_sbox.h"

#define EACH(i, count) _Pragma("GCC unroll 8") for (size_t i = 0; i < (count); i++)

/* The stored keys have row r turned by r columns for each round. */
TARGET static void spread_keys(const tally_aes_key *key, row_keys *out)
{
    for (size_t round = 0; round <= key->rounds; round++) {
        const uint8_t *bytes = key->round_keys.sliced.bytes[round];
        uint32_t columns[8]; /* twice, so that four from any are the columns turned */
        memcpy(columns, bytes, 16);
        memcpy(columns + 4, bytes, 16);
        EACH(row, 4)
        {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(columns + round * row % 4));
            EACH(i, 8)
            {
                __m128i at_top = _mm_slli_epi32(v, 31 - 8 * (int)row - (int)i);
                out->of[round][8 * row + i] = (plane)_mm_srai_epi32(at_top, 31);
            }
        }
        tally_wipe(columns, sizeof columns);
    }
}

/* One stage of the transposition of 32 x 32 bits in each of the four words. */
INLINE void exchange(plane q[32], const size_t distance, const uint64_t mask)
{
    for (size_t i = 0; i < 32; i = (i + distance + 1) & ~distance) {
        plane t = ((q[i] >> distance) ^ q[i + distance]) & mask;
        q[i] ^= t << distance;
        q[i + distance] ^= t;
    }
}

/* Bit k of word i and bit i of word k, in each column; its own inverse. */
INLINE void transpose(plane q[32])
{
    exchange(q, 16, UINT64_C(0x0000ffff0000ffff));
    exchange(q, 8, UINT64_C(0x00ff00ff00ff00ff));
    exchange(q, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    exchange(q, 2, UINT64_C(0x3333333333333333));
    exchange(q, 1, UINT64_C(0x5555555555555555));
}

/* A macro, because the order of words is a constant of the instruction. */
#define SUB_AND_SHIFT(row, order)                                                                  \
    do {                                                                                           \
        plane q[8];                                                                                \
        memcpy(q, s + 8 * (row), sizeof q);                                                        \
        tally_bitslice_sbox_linear(q);                                                             \
        EACH(i, 8)                                                                                 \
        {                                                                                          \
            s[8 * (row) + i] = (plane)_mm_shuffle_epi32((__m128i)q[i], order);                     \
        }                                                                                          \
    } while (0)

INLINE void sub_and_shift_rows(state s)
{
    SUB_AND_SHIFT(0, _MM_SHUFFLE(3, 2, 1, 0));
    SUB_AND_SHIFT(1, _MM_SHUFFLE(0, 3, 2, 1));
    SUB_AND_SHIFT(2, _MM_SHUFFLE(1, 0, 3, 2));
    SUB_AND_SHIFT(3, _MM_SHUFFLE(2, 1, 0, 3));
}

/* As mix_columns of bitslice_body.h, and the round key. */
INLINE void mix_columns(state s, const state key)
{
    plane top[4], lower[4];
    EACH(r, 4)
    {
        lower[r] = top[r] = s[8 * r + 7] ^ s[8 * ((r + 1) % 4) + 7];
    }
    EACH(i, 8)
    {
        plane a[4], d[4];
        EACH(r, 4)
        {
            a[r] = s[8 * r + i];
        }
        EACH(r, 4)
        {
            d[r] = a[r] ^ a[(r + 1) % 4];
        }
        EACH(r, 4)
        {
            plane mixed = a[(r + 1) % 4] ^ d[(r + 2) % 4] ^ lower[r] ^ key[8 * r + i];
            s[8 * r + i] = i == 1 || i == 3 || i == 4 ? mixed ^ top[r] : mixed;
        }
        EACH(r, 4)
        {
            lower[r] = d[r];
        }
    }
}

INLINE void add_round_key(state s, const state key)
{
    for (size_t r = 0; r < 4; r++) {
        EACH(i, 8)
        {
            s[8 * r + i] ^= key[8 * r + i];
        }
    }
}

TARGET static void encrypt_group(const row_keys *keys, size_t rounds, const uint8_t *in,
                                 uint8_t *out)
{
    state s;
    memcpy(s, in, sizeof s);
    transpose(s);
    add_round_key(s, keys->of[0]);
    for (size_t round = 1; round < rounds; round++) {
        sub_and_shift_rows(s);
        mix_columns(s, keys->of[round]);
    }
    sub_and_shift_rows(s);
    add_round_key(s, keys->of[rounds]);
    transpose(s);
    memcpy(out, s, sizeof s);
    tally_wipe(s, sizeof s);
}

TARGET void tally_bitslice_rows_encrypt(const tally_aes_key *key, const uint8_t *in, size_t groups,
                                        uint8_t *out)
{
    row_keys keys;
    spread_keys(key, &keys);
    for (size_t i = 0; i < groups; i++) {
        encrypt_group(&keys, key->rounds, in + 16 * GROUP * i, out + 16 * GROUP * i);
    }
    tally_wipe(&keys, sizeof keys.of[0] * (key->rounds + 1));
}

INLINE void count_group(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

TARGET void tally_bitslice_rows_ctr(const tally_aes_key *key, uint8_t counter[16],
                                    const uint8_t *in, size_t groups, uint8_t *out)
{
    struct tally_counter next = tally_counter_load(counter);
    uint8_t stream[16 * GROUP];
    row_keys keys;
    spread_keys(key, &keys);
    for (size_t i = 0; i < groups; i++) {
        count_group(&next, stream);
        encrypt_group(&keys, key->rounds, stream, stream);
        for (size_t k = 0; k < 16 * GROUP; k += 16) {
            plane block, other = {0, 0};
            memcpy(&block, stream + k, 16);
            if (in != NULL) {
                memcpy(&other, in + 16 * GROUP * i + k, 16);
            }
            block ^= other;
            memcpy(out + 16 * GROUP * i + k, &block, 16);
        }
    }
    tally_counter_store(next, counter);
    tally_wipe(stream, sizeof stream);
    tally_wipe(&keys, sizeof keys.of[0] * (key->rounds + 1));
}

#else
typedef int tally_aes_bitslice_rows_sse2_is_for_x86_64; /* a file may not be empty */
#endif
