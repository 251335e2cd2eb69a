/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of many tweaks with VAES and AVX-512. A vector has a block of each of four sequences,
 * and round keys are vectors too: each sequence has its own. */
#include "base/arch.h"
#include "fast/schedule/many_sequences.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define MANY_TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl")))
#define MANY_INLINE TALLY_INLINE MANY_TARGET

enum {
    MANY_VECTORS = TALLY_MANY_SEQUENCES / 4, /* vector v has sequences v, 16 + v, 32 + v, 48 + v */
    MANY_ROUNDS = 10
};

/* The keys of all rounds, of all vectors; those of round 0 are xored with the IVs. */
typedef struct many_keys {
    __m512i round[MANY_VECTORS][MANY_ROUNDS + 1];
} many_keys;

MANY_INLINE __m512i many_gather(uint8_t (*derived)[32], size_t v, size_t at)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(derived[v] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[16 + v] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[32 + v] + at)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(derived[48 + v] + at)), 3);
}

/* The last round of AES on four equal columns is SubBytes and the addition of a key: the rows of
 * such a state do not change when they are shifted. */
MANY_INLINE __m512i many_next_key(__m512i key, uint8_t constant)
{
    const __m512i rotated = _mm512_set1_epi32(0x0c0f0e0d);
    const __m512i more =
        _mm512_aesenclast_epi128(_mm512_shuffle_epi8(key, rotated), _mm512_set1_epi32(constant));
    key = _mm512_xor_si512(key, _mm512_bslli_epi128(key, 4));
    key = _mm512_xor_si512(key, _mm512_bslli_epi128(key, 8));
    return _mm512_xor_si512(key, more);
}

static MANY_TARGET void many_expand(uint8_t (*derived)[32], many_keys *out)
{
    static const uint8_t constants[MANY_ROUNDS] = {1, 2, 4, 8, 16, 32, 64, 128, 27, 54};
    for (size_t first = 0; first < MANY_VECTORS; first += 8) {
        __m512i key[8];
        TALLY_UNROLL(16)
        for (size_t i = 0; i < 8; i++) {
            key[i] = many_gather(derived, first + i, 0);
            out->round[first + i][0] =
                _mm512_xor_si512(key[i], many_gather(derived, first + i, 16));
        }
        for (size_t round = 1; round <= MANY_ROUNDS; round++) {
            TALLY_UNROLL(16)
            for (size_t i = 0; i < 8; i++) {
                key[i] = many_next_key(key[i], constants[round - 1]);
                out->round[first + i][round] = key[i];
            }
        }
    }
}

/* The first bytes of four words of each of 16 sequences: byte j of a dword is that of vector
 * first + j. */
MANY_INLINE __m512i many_encrypt_four(const many_keys *keys, size_t first, __m512i counter)
{
    __m512i b[4];
    TALLY_UNROLL(16)
    for (size_t j = 0; j < 4; j++) {
        b[j] = _mm512_xor_si512(counter, keys->round[first + j][0]);
    }
    TALLY_UNROLL(16)
    for (size_t round = 1; round < MANY_ROUNDS; round++) {
        TALLY_UNROLL(16)
        for (size_t j = 0; j < 4; j++) {
            b[j] = _mm512_aesenc_epi128(b[j], keys->round[first + j][round]);
        }
    }
    TALLY_UNROLL(16)
    for (size_t j = 0; j < 4; j++) {
        b[j] = _mm512_aesenclast_epi128(b[j], keys->round[first + j][MANY_ROUNDS]);
    }
    /* Where the mask has a bit, the first operand's is taken. */
    const __m512i low = _mm512_set1_epi16(0xff), half = _mm512_set1_epi32(0xffff);
    const __m512i one = _mm512_ternarylogic_epi32(low, b[0], _mm512_bslli_epi128(b[1], 1), 0xca);
    const __m512i two = _mm512_ternarylogic_epi32(low, b[2], _mm512_bslli_epi128(b[3], 1), 0xca);
    return _mm512_ternarylogic_epi32(half, one, _mm512_bslli_epi128(two, 2), 0xca);
}

static MANY_TARGET void many_read(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers,
                                  uint8_t *out)
{
    many_keys keys;
    many_expand(derived, &keys);
    for (uint32_t i = 1; 4 * (i - 1) < layers; i++, out += 4 * TALLY_MANY_SEQUENCES) {
        /* The last two bytes of a counter, from the IV's zeros on. */
        const uint32_t number = (i & 255) << 24 | (i >> 8 & 255) << 16;
        const __m512i counter = _mm512_broadcast_i32x4(_mm_set_epi32((int)number, 0, 0, 0));
        __m512i x[4];
        TALLY_UNROLL(16)
        for (size_t j = 0; j < 4; j++) {
            x[j] = many_encrypt_four(&keys, 4 * j, counter);
        }
        /* Dword d of a block is layer d: four of a sequence's vectors lie side by side. */
        const __m512i a = _mm512_unpacklo_epi32(x[0], x[1]), b = _mm512_unpacklo_epi32(x[2], x[3]),
                      c = _mm512_unpackhi_epi32(x[0], x[1]), d = _mm512_unpackhi_epi32(x[2], x[3]);
        _mm512_store_si512(out, _mm512_unpacklo_epi64(a, b));
        _mm512_store_si512(out + 64, _mm512_unpackhi_epi64(a, b));
        _mm512_store_si512(out + 128, _mm512_unpacklo_epi64(c, d));
        _mm512_store_si512(out + 192, _mm512_unpackhi_epi64(c, d));
    }
    tally_wipe(&keys, sizeof keys);
}

const tally_many_sequences_backend tally_many_sequences_avx512 = {
    .backend = {"avx512", TALLY_CPU_VAES | TALLY_CPU_AESNI | TALLY_CPU_AVX512},
    .read = many_read,
};

#else
typedef int tally_many_sequences_avx512_is_for_x86_64; /* a file may not be empty */
#endif
