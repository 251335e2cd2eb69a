/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by the AES-NI instructions of x86-64 (Intel, "Advanced Encryption Standard New Instructions",
 * white paper 323641). */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#define TARGET TALLY_AESNI_TARGET
#define INLINE TALLY_AESNI_INLINE

enum { PER = 1, WIDE = 8 };
#define FEW 0

typedef __m128i vec;

#define load       tally_aesni_load
#define store      tally_aesni_store
#define load_part  tally_aesni_load_part
#define store_part tally_aesni_store_part
#define round_key  tally_aesni_load
#define xor_vec    _mm_xor_si128

#define KEY_OF_MIDDLE          0
#define BEGIN(b, direction, k) _mm_xor_si128(b, k)
#define MIDDLE(b, direction, k)                                                                    \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenc_si128(b, k) : _mm_aesdec_si128(b, k))
#define END(b, direction, before, k)                                                               \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenclast_si128(b, k) : _mm_aesdeclast_si128(b, k))

INLINE vec gather(const uint8_t *const messages[], size_t at)
{
    return load(messages[0] + at);
}

/* Two 64-bit lanes, the number's lower half first; block i carries into the other one if i is more
 * than the room. */
typedef struct counting {
    struct tally_counter number;
    vec base, room;
} counting;

INLINE void set_vectors(counting *c)
{
    c->base = _mm_set_epi64x((long long)c->number.high, (long long)c->number.low);
    c->room = _mm_set1_epi32(tally_counter_room(c->number.low));
}

INLINE counting begin_counting(const uint8_t counter[16])
{
    counting c = {.number = tally_counter_load(counter)};
    set_vectors(&c);
    return c;
}

INLINE vec count(const counting *c, int i)
{
    vec carry = _mm_cmpgt_epi32(_mm_set_epi32(i, i, 0, 0), c->room);
    return tally_aesni_reverse(_mm_sub_epi64(_mm_add_epi64(c->base, _mm_set_epi64x(0, i)), carry));
}

INLINE void skip(counting *c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    set_vectors(c);
}

INLINE void end_counting(const counting *c, uint8_t counter[16])
{
    store(tally_aesni_reverse(c->base), counter);
}

#include "aes/instructions_body.h"

TARGET void tally_aesni_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                       uint8_t *out)
{
    encrypt_blocks(key, in, blocks, out);
}

TARGET void tally_aesni_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                       uint8_t *out)
{
    decrypt_blocks(key, in, blocks, out);
}

TARGET void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                            size_t size, uint8_t *out)
{
    ctr(key, counter, in, size, out);
}

TARGET void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16])
{
    cbc_mac(key, lanes, messages, blocks, chains);
}

const struct tally_aes_backend tally_aes_aesni = {
    .backend = {"aes-ni", TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .encrypt_blocks = tally_aesni_encrypt_blocks,
    .decrypt_blocks = tally_aesni_decrypt_blocks,
    .ctr = tally_aesni_ctr,
    .cbc_mac = tally_aesni_cbc_mac,
};

#else
typedef int tally_aesni_is_for_x86_64; /* a file may not be empty */
#endif
