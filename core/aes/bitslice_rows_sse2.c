/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES on SSE2 for long runs: 32 blocks at a time, with a vector for each bit of each
 * row, whose four words are the columns. ShiftRows is a shuffle of words, and MixColumns rotates
 * nothing. So a round has a fifth fewer instructions than in bitslice_sse2.c, but the state lies in
 * memory, and the planes of the round keys are four times as many. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include <emmintrin.h>
#include <string.h>

#include "aes/bitslice.h"
#include "aes/counter.h"

#define BITSLICE(name)  aes_bitslice_rows_sse2_##name
#define BITSLICE_TARGET __attribute__((target("sse2")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_GROUP TALLY_BITSLICE_ROWS

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)
typedef BITSLICE_PLANE BITSLICE(state)[32]; /* bit i of row r is vector 8 r + i */

typedef struct BITSLICE(row_keys) {
    BITSLICE(state) of[15];
} BITSLICE(row_keys);

#include "aes/bitslice_sbox.h"

#define BITSLICE_EACH(i, count) _Pragma("GCC unroll 8") for (size_t i = 0; i < (count); i++)

/* The stored keys have row r rotated by r columns for each round. */
BITSLICE_TARGET static void BITSLICE(spread_keys)(const tally_aes_key *key,
                                                  BITSLICE(row_keys) * out)
{
    for (size_t round = 0; round <= key->rounds; round++) {
        const uint8_t *bytes = key->round_keys.sliced.bytes[round];
        uint32_t columns[8]; /* twice, so that any four in a row are the columns rotated */
        memcpy(columns, bytes, 16);
        memcpy(columns + 4, bytes, 16);
        BITSLICE_EACH(row, 4)
        {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(columns + round * row % 4));
            BITSLICE_EACH(i, 8)
            {
                __m128i at_top = _mm_slli_epi32(v, 31 - 8 * (int)row - (int)i);
                out->of[round][8 * row + i] = (BITSLICE_PLANE)_mm_srai_epi32(at_top, 31);
            }
        }
        tally_wipe(columns, sizeof columns);
    }
}

/* One stage of the transposition of 32 x 32 bits in each of the four words. */
BITSLICE_INLINE void BITSLICE(exchange)(BITSLICE_PLANE q[32], const size_t distance,
                                        const uint64_t mask)
{
    for (size_t i = 0; i < 32; i = (i + distance + 1) & ~distance) {
        BITSLICE_PLANE t = ((q[i] >> distance) ^ q[i + distance]) & mask;
        q[i] ^= t << distance;
        q[i + distance] ^= t;
    }
}

/* Bit k of word i and bit i of word k, in each column; its own inverse. */
BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[32])
{
    BITSLICE(exchange)(q, 16, UINT64_C(0x0000ffff0000ffff));
    BITSLICE(exchange)(q, 8, UINT64_C(0x00ff00ff00ff00ff));
    BITSLICE(exchange)(q, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    BITSLICE(exchange)(q, 2, UINT64_C(0x3333333333333333));
    BITSLICE(exchange)(q, 1, UINT64_C(0x5555555555555555));
}

/* A macro, because the order of words is a constant of the instruction. */
#define BITSLICE_SUB_AND_SHIFT(row, order)                                                         \
    do {                                                                                           \
        BITSLICE_PLANE q[8];                                                                       \
        memcpy(q, s + 8 * (row), sizeof q);                                                        \
        BITSLICE(sbox_linear)(q);                                                                  \
        BITSLICE_EACH(i, 8)                                                                        \
        {                                                                                          \
            s[8 * (row) + i] = (BITSLICE_PLANE)_mm_shuffle_epi32((__m128i)q[i], order);            \
        }                                                                                          \
    } while (0)

BITSLICE_INLINE void BITSLICE(sub_and_shift_rows)(BITSLICE(state) s)
{
    BITSLICE_SUB_AND_SHIFT(0, _MM_SHUFFLE(3, 2, 1, 0));
    BITSLICE_SUB_AND_SHIFT(1, _MM_SHUFFLE(0, 3, 2, 1));
    BITSLICE_SUB_AND_SHIFT(2, _MM_SHUFFLE(1, 0, 3, 2));
    BITSLICE_SUB_AND_SHIFT(3, _MM_SHUFFLE(2, 1, 0, 3));
}

/* As mix_columns of bitslice_body.h, and the round key. */
BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE(state) s, const BITSLICE(state) key)
{
    BITSLICE_PLANE top[4], lower[4];
    BITSLICE_EACH(r, 4)
    {
        lower[r] = top[r] = s[8 * r + 7] ^ s[8 * ((r + 1) % 4) + 7];
    }
    BITSLICE_EACH(i, 8)
    {
        BITSLICE_PLANE a[4], d[4];
        BITSLICE_EACH(r, 4)
        {
            a[r] = s[8 * r + i];
        }
        BITSLICE_EACH(r, 4)
        {
            d[r] = a[r] ^ a[(r + 1) % 4];
        }
        BITSLICE_EACH(r, 4)
        {
            BITSLICE_PLANE mixed = a[(r + 1) % 4] ^ d[(r + 2) % 4] ^ lower[r] ^ key[8 * r + i];
            s[8 * r + i] = i == 1 || i == 3 || i == 4 ? mixed ^ top[r] : mixed;
        }
        BITSLICE_EACH(r, 4)
        {
            lower[r] = d[r];
        }
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE(state) s, const BITSLICE(state) key)
{
    for (size_t r = 0; r < 4; r++) {
        BITSLICE_EACH(i, 8)
        {
            s[8 * r + i] ^= key[8 * r + i];
        }
    }
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE(row_keys) * keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE(state) s;
    memcpy(s, in, sizeof s);
    BITSLICE(transpose)(s);
    BITSLICE(add_round_key)(s, keys->of[0]);
    for (size_t round = 1; round < rounds; round++) {
        BITSLICE(sub_and_shift_rows)(s);
        BITSLICE(mix_columns)(s, keys->of[round]);
    }
    BITSLICE(sub_and_shift_rows)(s);
    BITSLICE(add_round_key)(s, keys->of[rounds]);
    BITSLICE(transpose)(s);
    memcpy(out, s, sizeof s);
    tally_wipe(s, sizeof s);
}

BITSLICE_TARGET void tally_bitslice_rows_encrypt(const tally_aes_key *key, const uint8_t *in,
                                                 size_t groups, uint8_t *out)
{
    BITSLICE(row_keys) keys;
    BITSLICE(spread_keys)(key, &keys);
    for (size_t i = 0; i < groups; i++) {
        BITSLICE(encrypt_group)
        (&keys, key->rounds, in + 16 * BITSLICE_GROUP * i, out + 16 * BITSLICE_GROUP * i);
    }
    tally_wipe(&keys, sizeof keys.of[0] * (key->rounds + 1));
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_TARGET void tally_bitslice_rows_ctr(const tally_aes_key *key, uint8_t counter[16],
                                             const uint8_t *in, size_t groups, uint8_t *out)
{
    struct tally_counter next = tally_counter_load(counter);
    uint8_t stream[16 * BITSLICE_GROUP];
    BITSLICE(row_keys) keys;
    BITSLICE(spread_keys)(key, &keys);
    for (size_t i = 0; i < groups; i++) {
        BITSLICE(count_group)(&next, stream);
        BITSLICE(encrypt_group)(&keys, key->rounds, stream, stream);
        for (size_t k = 0; k < 16 * BITSLICE_GROUP; k += 16) {
            BITSLICE_PLANE block, other = {0, 0};
            memcpy(&block, stream + k, 16);
            if (in != NULL) {
                memcpy(&other, in + 16 * BITSLICE_GROUP * i + k, 16);
            }
            block ^= other;
            memcpy(out + 16 * BITSLICE_GROUP * i + k, &block, 16);
        }
    }
    tally_counter_store(next, counter);
    tally_wipe(stream, sizeof stream);
    tally_wipe(&keys, sizeof keys.of[0] * (key->rounds + 1));
}

#include "aes/bitslice_undef.h"

#else
typedef int tally_aes_bitslice_rows_sse2_is_for_x86_64; /* a file may not be empty */
#endif
