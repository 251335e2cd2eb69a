/* SPDX-License-Identifier: Apache-2.0
 *
 * The key schedule (FIPS 197, section 5.2) by AES-NI. SubWord is an AESENCLAST: that is SubBytes
 * and ShiftRows, the latter does nothing to four equal columns, and it is several times faster than
 * AESKEYGENASSIST. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"

/* x0, x0 ^ x1, x0 ^ x1 ^ x2, x0 ^ x1 ^ x2 ^ x3: the chain of XORs in the key expansion. */
TALLY_AESNI_INLINE __m128i aesni_key_running_xor(__m128i x)
{
    x = _mm_xor_si128(x, _mm_slli_si128(x, 4));
    return _mm_xor_si128(x, _mm_slli_si128(x, 8));
}

/* SubWord in all four words, of the word that `pick` copies to them; then `constant` is added. */
TALLY_AESNI_INLINE __m128i aesni_key_sub_word(__m128i x, __m128i pick, __m128i constant)
{
    return _mm_aesenclast_si128(_mm_shuffle_epi8(x, pick), constant);
}

/* The last word, and the last one rotated by RotWord, for `pick`. */
#define AESNI_KEY_PICK_LAST    _mm_set1_epi32(0x0f0e0d0c)
#define AESNI_KEY_PICK_ROTATED _mm_set1_epi32(0x0c0f0e0d)

/* The next value of the round constant, in all words: doubled in GF(2^8). */
TALLY_AESNI_INLINE __m128i aesni_key_next_constant(__m128i c)
{
    __m128i carry = _mm_srli_epi32(c, 7);
    __m128i doubled = _mm_and_si128(_mm_slli_epi32(c, 1), _mm_set1_epi32(0xff));
    __m128i fold = _mm_and_si128(_mm_sub_epi32(_mm_setzero_si128(), carry), _mm_set1_epi32(0x1b));
    return _mm_xor_si128(doubled, fold);
}

TALLY_AESNI_TARGET static void aesni_key_expand_128(const uint8_t *key, uint8_t out[][16])
{
    __m128i x = tally_aesni_load(key), constant = _mm_set1_epi32(1), pick = AESNI_KEY_PICK_ROTATED;
    tally_aesni_store(x, out[0]);
    for (size_t i = 1; i <= 10; i++) {
        x = _mm_xor_si128(aesni_key_running_xor(x), aesni_key_sub_word(x, pick, constant));
        tally_aesni_store(x, out[i]);
        constant = aesni_key_next_constant(constant);
    }
}

/* Six words an iteration: the first four in `low`, the last two in the lower half of `high`. */
TALLY_AESNI_TARGET static void aesni_key_expand_192(const uint8_t *key, uint8_t out[][16])
{
    __m128i low = tally_aesni_load(key),
            high = _mm_loadl_epi64((const __m128i *)(const void *)(key + 16));
    __m128i constant = _mm_set1_epi32(1), pick = _mm_set1_epi32(0x04070605); /* word 1 rotated */
    uint8_t *bytes = out[0];
    tally_aesni_store(low, bytes);
    for (size_t i = 1; i <= 8; i++) {
        _mm_storel_epi64((__m128i *)(void *)(bytes + 24 * i - 8), high);
        low = _mm_xor_si128(aesni_key_running_xor(low), aesni_key_sub_word(high, pick, constant));
        tally_aesni_store(low, bytes + 24 * i);
        __m128i last = _mm_shuffle_epi32(low, 0xff);
        high = _mm_xor_si128(_mm_xor_si128(high, _mm_slli_si128(high, 4)), last);
        constant = aesni_key_next_constant(constant);
    }
}

TALLY_AESNI_TARGET static void aesni_key_expand_256(const uint8_t *key, uint8_t out[][16])
{
    __m128i even = tally_aesni_load(key), odd = tally_aesni_load(key + 16),
            constant = _mm_set1_epi32(1);
    tally_aesni_store(even, out[0]);
    tally_aesni_store(odd, out[1]);
    for (size_t i = 2; i <= 14; i += 2) {
        even = _mm_xor_si128(aesni_key_running_xor(even),
                             aesni_key_sub_word(odd, AESNI_KEY_PICK_ROTATED, constant));
        tally_aesni_store(even, out[i]);
        if (i < 14) {
            odd = _mm_xor_si128(aesni_key_running_xor(odd),
                                aesni_key_sub_word(even, AESNI_KEY_PICK_LAST, _mm_setzero_si128()));
            tally_aesni_store(odd, out[i + 1]);
        }
        constant = aesni_key_next_constant(constant);
    }
}

TALLY_AESNI_TARGET void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    uint8_t(*out)[16] = (uint8_t(*)[16])round_keys;
    if (key_size == 16) {
        aesni_key_expand_128(key, out);
    } else if (key_size == 24) {
        aesni_key_expand_192(key, out);
    } else {
        aesni_key_expand_256(key, out);
    }
}

TALLY_AESNI_TARGET static void aesni_key_set_decryption(tally_aes_key *out)
{
    uint8_t(*encryption)[16] = out->round_keys.bytes[TALLY_ENCRYPT];
    uint8_t(*decryption)[16] = out->round_keys.bytes[TALLY_DECRYPT];
    size_t rounds = out->rounds;
    tally_aesni_store(tally_aesni_load(encryption[rounds]), decryption[0]);
    for (size_t i = 1; i < rounds; i++) {
        tally_aesni_store(_mm_aesimc_si128(tally_aesni_load(encryption[rounds - i])),
                          decryption[i]);
    }
    tally_aesni_store(tally_aesni_load(encryption[0]), decryption[rounds]);
}

TALLY_AESNI_TARGET void tally_aesni_key_init_round_keys(const uint8_t *round_keys,
                                                        tally_aes_key *out)
{
    memcpy(out->round_keys.bytes[TALLY_ENCRYPT], round_keys, 16 * ((size_t)out->rounds + 1));
    aesni_key_set_decryption(out);
}

TALLY_AESNI_TARGET void tally_aesni_key_init(const uint8_t *key, size_t key_size,
                                             tally_aes_key *out)
{
    tally_aesni_expand(key, key_size, out->round_keys.bytes[TALLY_ENCRYPT][0]);
    aesni_key_set_decryption(out);
}

#else
typedef int tally_aesni_key_is_for_x86_64; /* a file may not be empty */
#endif
