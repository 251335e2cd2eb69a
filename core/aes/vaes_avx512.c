/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by VAES with AVX-512: the AES-NI instructions on four blocks at once. One can start in each
 * cycle and takes a few, so up to eight vectors are in flight. Key schedules, and CBC-MAC of one or
 * two messages, which have nothing to do side by side, are those of AES-NI. */
#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)
#include "aes/aesni.h"
#include "aes/counter.h"

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl,bmi2")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { WIDE = 8, NARROW = 2, BYTES = 64 /* of a vector */ };
enum direction { ENCRYPT, DECRYPT };

typedef __m512i vec;

INLINE vec round_key(const uint8_t key[16])
{
    return _mm512_broadcast_i32x4(tally_aesni_load(key));
}

/* Some vectors, which stay in registers, through all rounds; count and direction are constants. */
INLINE void rounds(const tally_aes_key *key, const enum direction direction, const int count,
                   vec *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    vec k = round_key(keys[0]);
    UNROLL
    for (int i = 0; i < count; i++) {
        b[i] = _mm512_xor_si512(b[i], k);
    }
    for (size_t round = 1; round < key->rounds; round++) {
        k = round_key(keys[round]);
        UNROLL
        for (int i = 0; i < count; i++) {
            b[i] = direction == ENCRYPT ? _mm512_aesenc_epi128(b[i], k)
                                        : _mm512_aesdec_epi128(b[i], k);
        }
    }
    k = round_key(keys[key->rounds]);
    UNROLL
    for (int i = 0; i < count; i++) {
        b[i] = direction == ENCRYPT ? _mm512_aesenclast_epi128(b[i], k)
                                    : _mm512_aesdeclast_epi128(b[i], k);
    }
}

/* The bytes of vector i of a message that ends after `size` bytes. */
INLINE __mmask64 bytes_of(size_t size, int i)
{
    size_t before = (size_t)i * BYTES, left = size > before ? size - before : 0;
    return _bzhi_u64(UINT64_MAX, (uint32_t)(left < BYTES ? left : BYTES));
}

/* Up to `count` vectors of blocks; `size` is less than that only at the end of a message. */
INLINE void run_some(const tally_aes_key *key, const enum direction direction, const int count,
                     const uint8_t *in, size_t size, uint8_t *out)
{
    vec b[WIDE];
    UNROLL
    for (int i = 0; i < count; i++) {
        b[i] = _mm512_maskz_loadu_epi8(bytes_of(size, i), in + BYTES * i);
    }
    rounds(key, direction, count, b);
    UNROLL
    for (int i = 0; i < count; i++) {
        _mm512_mask_storeu_epi8(out + BYTES * i, bytes_of(size, i), b[i]);
    }
}

INLINE void run(const tally_aes_key *key, const enum direction direction, const uint8_t *in,
                size_t size, uint8_t *out)
{
    for (; size >= WIDE * BYTES; size -= WIDE * BYTES) {
        run_some(key, direction, WIDE, in, WIDE * BYTES, out);
        in += WIDE * BYTES;
        out += WIDE * BYTES;
    }
    if (size > NARROW * BYTES) {
        run_some(key, direction, WIDE, in, size, out);
    } else if (size > 0) {
        run_some(key, direction, NARROW, in, size, out);
    }
}

TARGET static void encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    run(key, ENCRYPT, in, 16 * blocks, out);
}

TARGET static void decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    run(key, DECRYPT, in, 16 * blocks, out);
}

/* Vectors of counters, the lower half of each number first; a carry moves over without a branch. */
INLINE vec add_to_counters(vec counters, vec blocks)
{
    vec sum = _mm512_add_epi64(counters, blocks);
    __mmask8 carries = _mm512_cmplt_epu64_mask(sum, blocks) & 0x55;
    return _mm512_mask_sub_epi64(sum, (__mmask8)(carries << 1), sum, _mm512_set1_epi64(-1));
}

INLINE vec ctr_some(const tally_aes_key *key, const int count, vec counters, const uint8_t *in,
                    size_t size, uint8_t *out)
{
    const vec to_big_endian =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
    const vec four = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
    vec b[WIDE];
    UNROLL
    for (int i = 0; i < count; i++) {
        b[i] = _mm512_shuffle_epi8(counters, to_big_endian);
        counters = add_to_counters(counters, four);
    }
    rounds(key, ENCRYPT, count, b);
    UNROLL
    for (int i = 0; i < count; i++) {
        __mmask64 bytes = bytes_of(size, i);
        if (in != NULL) {
            b[i] = _mm512_xor_si512(b[i], _mm512_maskz_loadu_epi8(bytes, in + BYTES * i));
        }
        _mm512_mask_storeu_epi8(out + BYTES * i, bytes, b[i]);
    }
    return counters;
}

INLINE void ctr_run(const tally_aes_key *key, vec counters, const uint8_t *in, size_t size,
                    uint8_t *out)
{
    const int xors = in != NULL;
    for (; size >= WIDE * BYTES; size -= WIDE * BYTES) {
        counters = ctr_some(key, WIDE, counters, in, WIDE * BYTES, out);
        in = xors ? in + WIDE * BYTES : NULL;
        out += WIDE * BYTES;
    }
    if (size > NARROW * BYTES) {
        ctr_some(key, WIDE, counters, in, size, out);
    } else if (size > 0) {
        ctr_some(key, NARROW, counters, in, size, out);
    }
}

TARGET static void ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                       size_t size, uint8_t *out)
{
    struct tally_counter next = tally_counter_load(counter);
    vec first = _mm512_broadcast_i32x4(_mm_set_epi64x((long long)next.high, (long long)next.low));
    first = add_to_counters(first, _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
    if (in != NULL) {
        ctr_run(key, first, in, size, out);
    } else {
        ctr_run(key, first, NULL, size, out);
    }
    tally_counter_add(&next, (size + 15) / 16);
    tally_counter_store(next, counter);
}

/* One block of four messages. */
INLINE vec four_blocks(const uint8_t *const messages[4], size_t at)
{
    vec v = _mm512_castsi128_si512(tally_aesni_load(messages[0] + at));
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[1] + at), 1);
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[2] + at), 2);
    return _mm512_inserti32x4(v, tally_aesni_load(messages[3] + at), 3);
}

/* CBC-MAC of the first `lanes`, at most 4 * count, of some messages, four in a vector. What is left
 * of the last vector goes along with message 0. */
INLINE void cbc_mac_some(const tally_aes_key *key, const int count, size_t lanes,
                         const uint8_t *const messages[], size_t blocks, uint8_t chains[][16])
{
    const uint8_t *of_lane[4 * WIDE];
    uint8_t ends[4 * WIDE][16] = {{0}};
    vec b[WIDE];
    for (size_t i = 0; i < 4 * (size_t)count; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    UNROLL
    for (int i = 0; i < count; i++) {
        b[i] = _mm512_loadu_si512(ends[4 * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        UNROLL
        for (int i = 0; i < count; i++) {
            b[i] = _mm512_xor_si512(b[i], four_blocks(of_lane + 4 * i, 16 * block));
        }
        rounds(key, ENCRYPT, count, b);
    }
    UNROLL
    for (int i = 0; i < count; i++) {
        _mm512_storeu_si512(ends[4 * i], b[i]);
    }
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, sizeof ends);
}

TARGET static void cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                           size_t blocks, uint8_t chains[][16])
{
    if (lanes <= 2) {
        tally_aesni_cbc_mac(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < 4 * WIDE ? lanes : 4 * WIDE;
        if (some > 8 * NARROW) {
            cbc_mac_some(key, WIDE, some, messages, blocks, chains);
        } else if (some > 4 * NARROW) {
            cbc_mac_some(key, 2 * NARROW, some, messages, blocks, chains);
        } else {
            cbc_mac_some(key, NARROW, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

const struct tally_aes_backend tally_aes_vaes_avx512 = {
    .name = "vaes-avx512",
    .features =
        TALLY_CPU_VAES | TALLY_CPU_AVX512VBMI | TALLY_CPU_BMI2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3,
    .set_key = tally_aesni_set_key,
    .encrypt_blocks = encrypt_blocks,
    .decrypt_blocks = decrypt_blocks,
    .ctr = ctr,
    .cbc_mac = cbc_mac,
};

#else
typedef int tally_aes_vaes_avx512_is_for_x86_64; /* a file may not be empty */
#endif
