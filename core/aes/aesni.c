/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by the AES-NI instructions of x86-64 (Intel, "Advanced Encryption Standard New Instructions",
 * white paper 323641). Up to eight blocks are in flight, because an AESENC takes several cycles and
 * two can start in each. Decryption is the equivalent inverse cipher (FIPS 197, section 5.3.5). */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#include <string.h>

#define TARGET TALLY_AESNI_TARGET
#define INLINE TALLY_AESNI_INLINE
#define load   tally_aesni_load
#define store  tally_aesni_store

#define EACH(OP) OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7)
#define LANES    8

/* Which round keys, and which of the two ciphers; always a constant where it is used. */
enum direction { ENCRYPT, DECRYPT };

INLINE __m128i one(const tally_aes_key *key, enum direction direction, __m128i block)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    block = _mm_xor_si128(block, load(keys[0]));
    for (size_t round = 1; round < key->rounds; round++) {
        block = direction == ENCRYPT ? _mm_aesenc_si128(block, load(keys[round]))
                                     : _mm_aesdec_si128(block, load(keys[round]));
    }
    return direction == ENCRYPT ? _mm_aesenclast_si128(block, load(keys[key->rounds]))
                                : _mm_aesdeclast_si128(block, load(keys[key->rounds]));
}

/* Eight blocks b0..b7, which stay in registers, through all rounds. */
#define ADD_KEY(i)  b##i = _mm_xor_si128(b##i, k);
#define ENC(i)      b##i = _mm_aesenc_si128(b##i, k);
#define ENC_LAST(i) b##i = _mm_aesenclast_si128(b##i, k);
#define DEC(i)      b##i = _mm_aesdec_si128(b##i, k);
#define DEC_LAST(i) b##i = _mm_aesdeclast_si128(b##i, k);
#define ROUNDS(keys, rounds, MIDDLE, LAST)                                                         \
    do {                                                                                           \
        __m128i k = load((keys)[0]);                                                               \
        EACH(ADD_KEY)                                                                              \
        for (size_t round = 1; round < (rounds); round++) {                                        \
            k = load((keys)[round]);                                                               \
            EACH(MIDDLE)                                                                           \
        }                                                                                          \
        k = load((keys)[rounds]);                                                                  \
        EACH(LAST)                                                                                 \
    } while (0)

#define LOAD(i)  __m128i b##i = load(in + 16 * i);
#define STORE(i) store(b##i, out + 16 * i);

INLINE void eight(const tally_aes_key *key, enum direction direction, const uint8_t *in,
                  uint8_t *out)
{
    EACH(LOAD)
    if (direction == ENCRYPT) {
        ROUNDS(key->round_keys.bytes[ENCRYPT], key->rounds, ENC, ENC_LAST);
    } else {
        ROUNDS(key->round_keys.bytes[DECRYPT], key->rounds, DEC, DEC_LAST);
    }
    EACH(STORE)
}

INLINE void run(const tally_aes_key *key, enum direction direction, const uint8_t *in,
                size_t blocks, uint8_t *out)
{
    for (; blocks >= LANES; blocks -= LANES) {
        eight(key, direction, in, out);
        in += 16 * LANES;
        out += 16 * LANES;
    }
    if (blocks == 1) {
        store(one(key, direction, load(in)), out);
    } else if (blocks > 0) {
        uint8_t buffer[16 * LANES] = {0};
        memcpy(buffer, in, 16 * blocks);
        eight(key, direction, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

TARGET static void encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    run(key, ENCRYPT, in, blocks, out);
}

TARGET static void decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    run(key, DECRYPT, in, blocks, out);
}

/* How much can be added to `low` without a carry; if that is 8 or more, some number from 8 to 15.
 * (GCC makes a branch of a comparison.) */
INLINE int until_carry(uint64_t low)
{
    uint64_t room = ~low, eights = room >> 3;
    return (int)((room & 7) | (eights | (0 - eights)) >> 63 << 3);
}

/* Eight blocks of the stream from the counter on, xored with `in` unless it is NULL. The counter is
 * two 64-bit lanes, the number's lower half in lane 0; block i carries into lane 1 if i is more
 * than `no_carry`. */
#define COUNT(i)                                                                                   \
    __m128i b##i = _mm_sub_epi64(_mm_add_epi64(base, _mm_set_epi64x(0, i)),                        \
                                 _mm_cmpgt_epi32(_mm_set_epi32(i, i, 0, 0), no_carry));            \
    b##i = _mm_shuffle_epi8(b##i, to_big_endian);
#define XOR(i) b##i = _mm_xor_si128(b##i, load(in + 16 * i));

INLINE void ctr_eight(const tally_aes_key *key, struct tally_counter counter, const uint8_t *in,
                      uint8_t *out)
{
    const __m128i to_big_endian = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i base = _mm_set_epi64x((long long)counter.high, (long long)counter.low);
    __m128i no_carry = _mm_set1_epi32(until_carry(counter.low));
    EACH(COUNT)
    ROUNDS(key->round_keys.bytes[ENCRYPT], key->rounds, ENC, ENC_LAST);
    if (in != NULL) {
        EACH(XOR)
    }
    EACH(STORE)
}

TARGET static void ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                       size_t size, uint8_t *out)
{
    struct tally_counter next = tally_counter_load(counter);
    for (; size >= 16 * LANES; size -= 16 * LANES) {
        ctr_eight(key, next, in, out);
        tally_counter_add(&next, LANES);
        in = in == NULL ? NULL : in + 16 * LANES;
        out += 16 * LANES;
    }
    if (size > 0) {
        uint8_t buffer[16 * LANES] = {0};
        if (in != NULL) {
            memcpy(buffer, in, size);
        }
        ctr_eight(key, next, buffer, buffer);
        tally_counter_add(&next, (size + 15) / 16);
        memcpy(out, buffer, size);
        tally_wipe(buffer, sizeof buffer);
    }
    tally_counter_store(next, counter);
}

TARGET void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16])
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[ENCRYPT];
    if (lanes > 2) { /* then encrypt_blocks, of whichever back end, has more in flight */
        tally_aes_cbc_mac_portable(key, lanes, messages, blocks, chains);
        return;
    }
    if (lanes == 2) {
        __m128i a = load(chains[0]), b = load(chains[1]);
        for (size_t i = 0; i < blocks; i++) {
            a = _mm_xor_si128(a, _mm_xor_si128(load(messages[0] + 16 * i), load(keys[0])));
            b = _mm_xor_si128(b, _mm_xor_si128(load(messages[1] + 16 * i), load(keys[0])));
            for (size_t round = 1; round < key->rounds; round++) {
                a = _mm_aesenc_si128(a, load(keys[round]));
                b = _mm_aesenc_si128(b, load(keys[round]));
            }
            a = _mm_aesenclast_si128(a, load(keys[key->rounds]));
            b = _mm_aesenclast_si128(b, load(keys[key->rounds]));
        }
        store(a, chains[0]);
        store(b, chains[1]);
    }
    if (lanes == 1) {
        __m128i a = load(chains[0]);
        for (size_t i = 0; i < blocks; i++) {
            a = one(key, ENCRYPT, _mm_xor_si128(a, load(messages[0] + 16 * i)));
        }
        store(a, chains[0]);
    }
}

const struct tally_aes_backend tally_aes_aesni = {
    .name = "aes-ni",
    .features = TALLY_CPU_AESNI | TALLY_CPU_SSSE3,
    .set_key = tally_aesni_set_key,
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr,
    .cbc_mac = tally_aesni_cbc_mac,
};

#else
typedef int tally_aesni_is_for_x86_64; /* a file may not be empty */
#endif
