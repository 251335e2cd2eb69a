//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/aes as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/aes/aes.c ---- */
/*
 * AES: a back end is chosen when a key is initialized. */

/* ---- core/aes/backend.h ---- */
/*
 * An AES back end. A new one is a file that defines a tally_aes_backend, its declaration below, and
 * a row in aes.c. The functions at the end serve back ends that have no faster ones. */
#ifndef TALLY_AES_BACKEND_H
#define TALLY_AES_BACKEND_H

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that lacks nothing. Cast the result to the module's struct. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    const uint32_t features = tally_cpu_features();
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

#endif

struct tally_aes_backend {
    tally_backend backend;

    /* Fills round_keys; the key's size has been checked, and out->rounds is set. */
    void (*key_init)(const uint8_t *key, size_t key_size, tally_aes_key *out);

    /* As tally_aes_expand; and the same as key_init from its result, with out->rounds set. */
    void (*expand)(const uint8_t *key, size_t key_size, uint8_t *round_keys);
    void (*key_init_round_keys)(const uint8_t *round_keys, tally_aes_key *out);

    /* As key_init for several keys that follow each other. */
    void (*keys_init)(const uint8_t *keys, size_t key_size, size_t count, tally_aes_key *out);

    /* As tally_aes_encrypt_blocks or tally_aes_decrypt_blocks, and tally_aes_ctr. */
    void (*crypt_blocks)(const tally_aes_key *key, tally_direction direction, const uint8_t *in,
                         size_t blocks, uint8_t *out);
    void (*ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                uint8_t *out);

    /* CBC-MAC of `lanes` messages of `blocks` blocks each, side by side: for every block m of
     * messages[i], chains[i] = E(chains[i] xor m). One message can't fill the CPU, because each
     * block waits for the one before. */
    void (*cbc_mac)(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                    size_t blocks, uint8_t chains[][16]);
};

extern const struct tally_aes_backend tally_aes_vaes_avx512;
extern const struct tally_aes_backend tally_aes_vaes_avx2;
extern const struct tally_aes_backend tally_aes_aesni;
extern const struct tally_aes_backend tally_aes_armv8;
extern const struct tally_aes_backend tally_aes_bitslice_avx512;
extern const struct tally_aes_backend tally_aes_bitslice_avx2;
extern const struct tally_aes_backend tally_aes_bitslice_ssse3;
extern const struct tally_aes_backend tally_aes_bitslice_sse2;
extern const struct tally_aes_backend tally_aes_bitslice_neon;
extern const struct tally_aes_backend tally_aes_bitslice;

/* For back ends that have no faster functions: they need only key_init and crypt_blocks. */
void tally_aes_keys_init_singly(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out);
void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16]);

#endif

/* ---- core/aes/key.h ---- */
/*
 * Keys of a constant size, for use inside the core: these functions cannot fail. */
#ifndef TALLY_AES_KEY_H
#define TALLY_AES_KEY_H

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out);
void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out);
void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out);

#endif

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

#endif

_Static_assert(sizeof(void *) != 8 || sizeof(tally_aes_key) == 1280,
               "the size of a key is part of the ABI");

/* The fastest first; the last one runs everywhere. */
static const tally_backend *const aes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_aes_vaes_avx512.backend,   &tally_aes_vaes_avx2.backend,
    &tally_aes_aesni.backend,         &tally_aes_bitslice_avx512.backend,
    &tally_aes_bitslice_avx2.backend, &tally_aes_bitslice_ssse3.backend,
    &tally_aes_bitslice_sse2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_aes_armv8.backend,
    &tally_aes_bitslice_neon.backend,
#endif
    &tally_aes_bitslice.backend,
};

enum { AES_BACKENDS = sizeof aes_backends / sizeof *aes_backends };

static const struct tally_aes_backend *aes_choose(void)
{
    return (const struct tally_aes_backend *)tally_dispatch(aes_backends, AES_BACKENDS);
}

static int aes_is_key_size(size_t size)
{
    return size == 16 || size == 24 || size == 32;
}

static void aes_set_size(const struct tally_aes_backend *backend, size_t key_size,
                         tally_aes_key *out)
{
    out->backend = backend;
    out->rounds = (uint32_t)key_size / 4 + 6;
    out->reserved = 0;
}

static void aes_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    aes_set_size(aes_choose(), key_size, out);
    out->backend->key_init(key, key_size, out);
}

tally_status tally_aes_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_key_init(key, key_size, out);
    return TALLY_OK;
}

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out)
{
    aes_key_init(key, 16, out);
}

void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out)
{
    aes_key_init(key, 32, out);
}

tally_status tally_aes_keys_init(const uint8_t *keys, size_t key_size, size_t count,
                                 tally_aes_key *out)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    const struct tally_aes_backend *backend = aes_choose();
    for (size_t i = 0; i < count; i++) {
        aes_set_size(backend, key_size, &out[i]);
    }
    backend->keys_init(keys, key_size, count, out);
    return TALLY_OK;
}

tally_status tally_aes_key_init_round_keys(const uint8_t *round_keys, size_t size,
                                           tally_aes_key *out)
{
    if (size % 16 != 0 || size < 112 || !aes_is_key_size(size / 4 - 28)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_set_size(aes_choose(), size / 4 - 28, out);
    out->backend->key_init_round_keys(round_keys, out);
    return TALLY_OK;
}

void tally_aes_key_wipe(tally_aes_key *key)
{
    tally_wipe(key, sizeof *key);
}

tally_status tally_aes_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_choose()->expand(key, key_size, round_keys);
    return TALLY_OK;
}

int tally_aes_backend_at(size_t index, tally_aes_choice *out)
{
    if (index >= AES_BACKENDS) {
        return 0;
    }
    const tally_backend *backend = aes_backends[index];
    *out = (tally_aes_choice){backend->name, backend->needs, tally_backend_lacks(backend)};
    return 1;
}

const char *tally_aes_backend_name(const tally_aes_key *key)
{
    return key->backend->backend.name;
}

void tally_aes_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->crypt_blocks(key, TALLY_ENCRYPT, in, blocks, out);
}

void tally_aes_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->crypt_blocks(key, TALLY_DECRYPT, in, blocks, out);
}

void tally_aes_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                   uint8_t *out)
{
    key->backend->ctr(key, counter, in, size, out);
}

/* ---- core/aes/aesni.c ---- */
/*
 * AES by the AES-NI instructions of x86-64 (Intel, "Advanced Encryption Standard New Instructions",
 * white paper 323641). */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/aes/aesni.h ---- */
/*
 * Functions that the files on AES-NI and VAES share. For x86-64 alone. */
#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <tmmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <wmmintrin.h>
TALLY_VISIBILITY_POP

#define TALLY_AESNI_TARGET __attribute__((target("aes,ssse3")))
#define TALLY_AESNI_INLINE static inline __attribute__((always_inline)) TALLY_AESNI_TARGET

TALLY_AESNI_INLINE __m128i tally_aesni_load(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

TALLY_AESNI_INLINE void tally_aesni_store(__m128i block, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)(void *)out, block);
}

/* A part of a block, of 1 to 15 bytes. */
TALLY_AESNI_INLINE __m128i tally_aesni_load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    __m128i block = tally_aesni_load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

TALLY_AESNI_INLINE void tally_aesni_store_part(__m128i block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    tally_aesni_store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

/* Between a big-endian number of 128 bits in memory and one whose lower half comes first. */
TALLY_AESNI_INLINE __m128i tally_aesni_reverse(__m128i block)
{
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/* As in tally_aes_backend. */
void tally_aesni_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_aesni_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_aesni_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                              const uint8_t *in, size_t blocks, uint8_t *out);
void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                     uint8_t *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif

/* ---- core/aes/counter.h ---- */
/*
 * The 128-bit big-endian counter of counter mode. FAST derives counters from secrets. So the carry
 * is computed from bits: GCC makes a branch of a comparison. The sum is hidden: otherwise GCC ends
 * a loop over blocks by comparing the counter with its last value. */
#ifndef TALLY_AES_COUNTER_H
#define TALLY_AES_COUNTER_H

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

struct tally_counter {
    uint64_t high, low;
};

static inline struct tally_counter tally_counter_load(const uint8_t in[16])
{
    return (struct tally_counter){tally_load_be64(in), tally_load_be64(in + 8)};
}

static inline void tally_counter_store(struct tally_counter counter, uint8_t out[16])
{
    tally_store_be64(counter.high, out);
    tally_store_be64(counter.low, out + 8);
}

/* The carry out of bit 63: both operands have the bit, or one has it and the sum has not. */
static inline void tally_counter_add(struct tally_counter *counter, uint64_t blocks)
{
    uint64_t low = counter->low, sum = tally_barrier(low + blocks);
    counter->high += ((low & blocks) | ((low | blocks) & ~sum)) >> 63;
    counter->low = sum;
}

/* The number of blocks that can be added to `low` without a carry; if that is 64 or more, some
 * number from 64 to 127. (GCC makes a branch of a comparison.) */
static inline int tally_counter_until_carry(uint64_t low)
{
    uint64_t free = ~low, more = free >> 6;
    return (int)((free & 63) | (more | (0 - more)) >> 63 << 6);
}

#endif

#define AES(name)  aes_aesni_##name
#define AES_TARGET TALLY_AESNI_TARGET
#define AES_INLINE TALLY_AESNI_INLINE

#define AES_PER  1
#define AES_WIDE 8
#define AES_FEW  0

#define AES_VEC __m128i

#define AES_LOAD       tally_aesni_load
#define AES_STORE      tally_aesni_store
#define AES_LOAD_PART  tally_aesni_load_part
#define AES_STORE_PART tally_aesni_store_part
#define AES_ROUND_KEY  tally_aesni_load
#define AES_XOR        _mm_xor_si128

#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm_xor_si128(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenc_si128(b, k) : _mm_aesdec_si128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm_aesenclast_si128(b, k) : _mm_aesdeclast_si128(b, k))

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    return AES_LOAD(messages[0] + at);
}

/* Two 64-bit lanes, the number's lower half first; block i carries into the upper half if i is
 * above until_carry. */
typedef struct AES(counter) {
    struct tally_counter number;
    AES_VEC base, until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = _mm_set_epi64x((long long)c->number.high, (long long)c->number.low);
    c->until_carry = _mm_set1_epi32(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    AES_VEC carry = _mm_cmpgt_epi32(_mm_set_epi32(i, i, 0, 0), c->until_carry);
    return tally_aesni_reverse(_mm_sub_epi64(_mm_add_epi64(c->base, _mm_set_epi64x(0, i)), carry));
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    AES_STORE(tally_aesni_reverse(c->base), counter);
}

/* ---- core/aes/instructions_body.h ---- */
/*
 * AES by a CPU's AES instructions: runs of blocks, counter mode and CBC-MAC, for vectors of one,
 * two or four blocks. The including file, one for each instruction set, defines
 *
 *     AES(name)                      the name of a static function or type
 *     AES_INLINE, AES_TARGET         for functions, with the instruction set's attribute
 *     AES_VEC, AES_PER               a vector, and its blocks
 *     AES_WIDE                       how many vectors go through the rounds together
 *     AES_LOAD, AES_STORE            of a whole vector
 *     AES_LOAD_PART, AES_STORE_PART  of the first 1 .. 16 AES_PER - 1 bytes; others are loaded as 0
 *     AES_FEW                        AES_FEW_BLOCKS, AES_FEW_CTR and AES_FEW_CBC_MAC process up to
 *                                    this number of blocks or messages; may be 0
 *     AES(gather)                    one block each of AES_PER messages
 *     AES_ROUND_KEY                  a round key, AES_PER times
 *     AES_XOR                        of two vectors
 *     AES_BEGIN, AES_MIDDLE, AES_END with the first round key before the rounds; with a round key
 *                                    in all rounds but the last; with the last two in the last
 *     AES_KEY_OF_MIDDLE              0: round i ends by adding key i; -1: it begins with key i - 1
 *     AES(counter)                   a counter, with AES(counter_load), AES(counter_block) (vector
 *                                    i from it), AES(counter_skip) and AES(counter_store)
 *
 * which are undefined again at the end.
 *
 * Several vectors are in flight, because an instruction takes several cycles and one or two can
 * start in each. The last vectors go through in halves, which the CPU overlaps. Decryption is the
 * equivalent inverse cipher (FIPS 197, section 5.3.5). */

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define AES_BYTES          (16 * AES_PER) /* of a vector */
#define AES_UNROLL         TALLY_UNROLL(16)
#define AES_EACH(i, count) AES_UNROLL for (int i = 0; i < (count); i++)

/* Some middle rounds of some vectors, which stay in registers. All arguments but b and keys are
 * constants, and the loops are unrolled: at the end of a loop GCC would move the vectors. */
AES_INLINE void AES(middle_rounds)(const uint8_t (*keys)[16], const tally_direction direction,
                                   const int first, const int after, const int count, AES_VEC *b)
{
    AES_EACH(round, after - first)
    {
        AES_VEC k = AES_ROUND_KEY(keys[first + round + AES_KEY_OF_MIDDLE]);
        AES_EACH(i, count)
        {
            b[i] = AES_MIDDLE(b[i], direction, k);
        }
    }
}

AES_INLINE void AES(rounds)(const tally_aes_key *key, const tally_direction direction,
                            const int count, AES_VEC *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const AES_VEC first = AES_ROUND_KEY(keys[0]);
    (void)first;
    AES_EACH(i, count)
    {
        b[i] = AES_BEGIN(b[i], direction, first);
    }
    AES(middle_rounds)(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        AES(middle_rounds)(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        AES(middle_rounds)(keys, direction, 12, 14, count, b);
    }
    const AES_VEC before = AES_ROUND_KEY(keys[key->rounds - 1]),
                  last = AES_ROUND_KEY(keys[key->rounds]);
    (void)before;
    AES_EACH(i, count)
    {
        b[i] = AES_END(b[i], direction, before, last);
    }
}

AES_INLINE void AES(run_some)(const tally_aes_key *key, const tally_direction direction,
                              const int count, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(in + AES_BYTES * i);
    }
    AES(rounds)(key, direction, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(b[i], out + AES_BYTES * i);
    }
}

/* `count` of the remaining vectors, if their number has this power of two. */
#define AES_RUN_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(run_some)(key, direction, (count), in, out);                                           \
        in += (count)*AES_BYTES;                                                                   \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(run)(const tally_aes_key *key, const tally_direction direction,
                         const uint8_t *in, size_t size, uint8_t *out)
{
    for (; size >= AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
        AES(run_some)(key, direction, AES_WIDE, in, out);
        in += AES_WIDE * AES_BYTES;
        out += AES_WIDE * AES_BYTES;
    }
    AES_RUN_IF(8)
    AES_RUN_IF(4)
    AES_RUN_IF(2)
    AES_RUN_IF(1)
    if (AES_PER > 1 && size % AES_BYTES != 0) {
        AES_VEC b = AES_LOAD_PART(in, size % AES_BYTES);
        AES(rounds)(key, direction, 1, &b);
        AES_STORE_PART(b, size % AES_BYTES, out);
    }
}

#if AES_FEW == 0
#define AES_FEW_BLOCKS(key, direction, in, blocks, out)       ((void)0)
#define AES_FEW_CTR(key, counter, in, size, out)              ((void)0)
#define AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains) ((void)0)
#endif

AES_TARGET static void AES(crypt_blocks)(const tally_aes_key *key, const tally_direction direction,
                                         const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (blocks <= AES_FEW) {
        AES_FEW_BLOCKS(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        AES(run)(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    } else {
        AES(run)(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

AES_INLINE void AES(count_some)(AES(counter) * counter, const int vectors, AES_VEC *b)
{
    AES_EACH(i, vectors)
    {
        b[i] = AES(counter_block)(counter, i);
    }
    AES(counter_skip)(counter, (uint64_t)vectors * AES_PER);
}

/* Encrypts the counters in b and writes them to `out`, xored with `in` or not. */
AES_INLINE void AES(stream_some)(const tally_aes_key *key, const int count, const int xors,
                                 AES_VEC *b, const uint8_t *in, uint8_t *out)
{
    AES(rounds)(key, TALLY_ENCRYPT, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(xors ? AES_XOR(b[i], AES_LOAD(in + AES_BYTES * i)) : b[i], out + AES_BYTES * i);
    }
}

AES_INLINE void AES(ctr_some)(const tally_aes_key *key, const int count, AES(counter) * counter,
                              const int xors, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES(count_some)(counter, count, b);
    AES(stream_some)(key, count, xors, b, in, out);
}

#define AES_CTR_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(ctr_some)(key, (count), counter, xors, in, out);                                       \
        in = xors ? in + (count)*AES_BYTES : NULL;                                                 \
        out += (count)*AES_BYTES;                                                                  \
    }

/* Does not read `in` unless `xors` is 1. */
AES_INLINE void AES(ctr_run)(const tally_aes_key *key, AES(counter) * counter, const int xors,
                             const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >=
        2 * AES_WIDE * AES_BYTES) { /* the next counters are computed during an encryption */
        AES_VEC b[AES_WIDE], next[AES_WIDE];
        AES(count_some)(counter, AES_WIDE, next);
        for (; size >= 2 * AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
            memcpy(b, next, sizeof b);
            AES(count_some)(counter, AES_WIDE, next);
            AES(stream_some)(key, AES_WIDE, xors, b, in, out);
            in = xors ? in + AES_WIDE * AES_BYTES : NULL;
            out += AES_WIDE * AES_BYTES;
        }
        AES(stream_some)(key, AES_WIDE, xors, next, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    if (size >= AES_WIDE * AES_BYTES) {
        AES(ctr_some)(key, AES_WIDE, counter, xors, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    AES_CTR_IF(8)
    AES_CTR_IF(4)
    AES_CTR_IF(2)
    AES_CTR_IF(1)
    const size_t rest = size % AES_BYTES;
    if (rest != 0) {
        AES_VEC b = AES(counter_block)(counter, 0);
        AES(counter_skip)(counter, (rest + 15) / 16);
        AES(rounds)(key, TALLY_ENCRYPT, 1, &b);
        AES_STORE_PART(xors ? AES_XOR(b, AES_LOAD_PART(in, rest)) : b, rest, out);
    }
}

AES_TARGET static void AES(ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                                size_t size, uint8_t *out)
{
    if (size <= 16 * AES_FEW) {
        AES_FEW_CTR(key, counter, in, size, out);
        return;
    }
    AES(counter) now = AES(counter_load)(counter);
    if (in != NULL) {
        AES(ctr_run)(key, &now, 1, in, size, out);
    } else {
        AES(ctr_run)(key, &now, 0, NULL, size, out);
    }
    AES(counter_store)(&now, counter);
}

/* Hides that the key is the same in each iteration. Otherwise compilers load all round keys before
 * a loop, which leaves no registers for blocks, and copies of the keys on the stack. */
AES_INLINE const tally_aes_key *AES(hidden)(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

/* CBC-MAC of AES_PER * count messages, AES_PER in a vector. */
AES_INLINE void AES(cbc_mac_all)(const tally_aes_key *key, const int count,
                                 const uint8_t *const messages[], size_t blocks,
                                 uint8_t chains[][16])
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(chains[AES_PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        AES_EACH(i, count)
        {
            b[i] = AES_XOR(b[i], AES(gather)(messages + AES_PER * i, 16 * block));
        }
        AES(rounds)(AES(hidden)(key), TALLY_ENCRYPT, count, b);
    }
    AES_EACH(i, count)
    {
        AES_STORE(b[i], chains[AES_PER * i]);
    }
}

/* The same for at most that number; the free places of the last vectors repeat message 0. */
AES_INLINE void AES(cbc_mac_some)(const tally_aes_key *key, const int count, size_t lanes,
                                  const uint8_t *const messages[], size_t blocks,
                                  uint8_t chains[][16])
{
    const size_t all = AES_PER * (size_t)count;
    if (lanes == all) {
        AES(cbc_mac_all)(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[AES_PER * AES_WIDE];
    uint8_t ends[AES_PER * AES_WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    AES(cbc_mac_all)(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

AES_TARGET static void AES(cbc_mac)(const tally_aes_key *key, size_t lanes,
                                    const uint8_t *const messages[], size_t blocks,
                                    uint8_t chains[][16])
{
    if (lanes <= AES_FEW) {
        AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < AES_PER * AES_WIDE ? lanes : AES_PER * AES_WIDE;
        if (AES_WIDE > 8 && some > 8 * AES_PER) {
            AES(cbc_mac_some)(key, AES_WIDE, some, messages, blocks, chains);
        } else if (some > 4 * AES_PER) {
            AES(cbc_mac_some)(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * AES_PER) {
            AES(cbc_mac_some)(key, 4, some, messages, blocks, chains);
        } else if (some > AES_PER) {
            AES(cbc_mac_some)(key, 2, some, messages, blocks, chains);
        } else {
            AES(cbc_mac_some)(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

#undef AES
#undef AES_BEGIN
#undef AES_BYTES
#undef AES_CTR_IF
#undef AES_EACH
#undef AES_END
#undef AES_FEW
#undef AES_FEW_BLOCKS
#undef AES_FEW_CBC_MAC
#undef AES_FEW_CTR
#undef AES_INLINE
#undef AES_KEY_OF_MIDDLE
#undef AES_LOAD
#undef AES_LOAD_PART
#undef AES_MIDDLE
#undef AES_PER
#undef AES_ROUND_KEY
#undef AES_RUN_IF
#undef AES_STORE
#undef AES_STORE_PART
#undef AES_TARGET
#undef AES_UNROLL
#undef AES_VEC
#undef AES_WIDE
#undef AES_XOR

TALLY_AESNI_TARGET void tally_aesni_crypt_blocks(const tally_aes_key *key,
                                                 tally_direction direction, const uint8_t *in,
                                                 size_t blocks, uint8_t *out)
{
    aes_aesni_crypt_blocks(key, direction, in, blocks, out);
}

TALLY_AESNI_TARGET void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16],
                                        const uint8_t *in, size_t size, uint8_t *out)
{
    aes_aesni_ctr(key, counter, in, size, out);
}

TALLY_AESNI_TARGET void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes,
                                            const uint8_t *const messages[], size_t blocks,
                                            uint8_t chains[][16])
{
    aes_aesni_cbc_mac(key, lanes, messages, blocks, chains);
}

const struct tally_aes_backend tally_aes_aesni = {
    .backend = {"aes-ni", TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = tally_aesni_crypt_blocks,
    .ctr = tally_aesni_ctr,
    .cbc_mac = tally_aesni_cbc_mac,
};

#else
typedef int tally_aesni_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/aesni_key.c ---- */
/*
 * The key schedule (FIPS 197, section 5.2) by AES-NI. SubWord is an AESENCLAST: that is SubBytes
 * and ShiftRows, the latter does nothing to four equal columns, and it is several times faster than
 * AESKEYGENASSIST. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/aes/aesni.h, again ---- */

#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <tmmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <wmmintrin.h>
TALLY_VISIBILITY_POP

#define TALLY_AESNI_TARGET __attribute__((target("aes,ssse3")))
#define TALLY_AESNI_INLINE static inline __attribute__((always_inline)) TALLY_AESNI_TARGET

TALLY_AESNI_INLINE __m128i tally_aesni_load(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

TALLY_AESNI_INLINE void tally_aesni_store(__m128i block, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)(void *)out, block);
}

TALLY_AESNI_INLINE __m128i tally_aesni_load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    __m128i block = tally_aesni_load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

TALLY_AESNI_INLINE void tally_aesni_store_part(__m128i block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    tally_aesni_store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

TALLY_AESNI_INLINE __m128i tally_aesni_reverse(__m128i block)
{
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

void tally_aesni_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_aesni_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_aesni_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                              const uint8_t *in, size_t blocks, uint8_t *out);
void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                     uint8_t *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif

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

/* ---- core/aes/armv8.c ---- */
/*
 * AES by the cryptographic extension of AArch64 (Arm ARM, FEAT_AES). A round begins with the key.
 * MixColumns is a separate instruction, which CPUs fuse with the previous one. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

/* ---- core/aes/counter.h, again ---- */

#ifndef TALLY_AES_COUNTER_H
#define TALLY_AES_COUNTER_H

/* ---- core/base/barrier.h, again ---- */

#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(value));
#endif
    return value;
}

#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* ---- core/base/bytes.h, again ---- */

#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value);
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

struct tally_counter {
    uint64_t high, low;
};

static inline struct tally_counter tally_counter_load(const uint8_t in[16])
{
    return (struct tally_counter){tally_load_be64(in), tally_load_be64(in + 8)};
}

static inline void tally_counter_store(struct tally_counter counter, uint8_t out[16])
{
    tally_store_be64(counter.high, out);
    tally_store_be64(counter.low, out + 8);
}

static inline void tally_counter_add(struct tally_counter *counter, uint64_t blocks)
{
    uint64_t low = counter->low, sum = tally_barrier(low + blocks);
    counter->high += ((low & blocks) | ((low | blocks) & ~sum)) >> 63;
    counter->low = sum;
}

static inline int tally_counter_until_carry(uint64_t low)
{
    uint64_t free = ~low, more = free >> 6;
    return (int)((free & 63) | (more | (0 - more)) >> 63 << 6);
}

#endif

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define AES(name) aes_armv8_##name
#if defined(__clang__)
#define AES_TARGET __attribute__((target("aes")))
#else
#define AES_TARGET __attribute__((target("+crypto")))
#endif
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  1
#define AES_WIDE 8
#define AES_FEW  0

#define AES_VEC uint8x16_t

#define AES_LOAD          vld1q_u8
#define AES_STORE(b, out) vst1q_u8(out, b)
#define AES_ROUND_KEY     vld1q_u8
#define AES_LOAD_PART     AES(load_part)
#define AES_STORE_PART    AES(store_part)
#define AES_XOR           veorq_u8

AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    AES_VEC block = AES_LOAD(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

AES_INLINE void AES(store_part)(AES_VEC block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    AES_STORE(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    return AES_LOAD(messages[0] + at);
}

#define AES_KEY_OF_MIDDLE          -1
#define AES_BEGIN(b, direction, k) (b)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? vaesmcq_u8(vaeseq_u8(b, k)) : vaesimcq_u8(vaesdq_u8(b, k)))
#define AES_END(b, direction, before, last)                                                        \
    veorq_u8((direction) == TALLY_ENCRYPT ? vaeseq_u8(b, before) : vaesdq_u8(b, before), last)

/* Two 64-bit lanes, the number's lower half first; block i carries into the upper half if i is
 * above until_carry. */
typedef struct AES(counter) {
    struct tally_counter number;
    uint64x2_t base;
    int64x2_t until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = vcombine_u64(vcreate_u64(c->number.low), vcreate_u64(c->number.high));
    c->until_carry = vdupq_n_s64(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const uint64_t blocks = (uint64_t)i;
    uint64x2_t in_lower = vcombine_u64(vcreate_u64(blocks), vcreate_u64(0));
    int64x2_t in_upper = vcombine_s64(vcreate_s64(0), vcreate_s64(blocks));
    uint64x2_t sum = vsubq_u64(vaddq_u64(c->base, in_lower), vcgtq_s64(in_upper, c->until_carry));
    AES_VEC bytes = vrev64q_u8(vreinterpretq_u8_u64(sum));
    return vextq_u8(bytes, bytes, 8);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    tally_counter_store(c->number, counter);
}

/* ShiftRows does nothing to four equal columns. */
AES_INLINE uint32_t AES(sub_word)(uint32_t word)
{
    AES_VEC x = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0));
    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

#define AES_EXPAND   AES_INLINE void AES(expand)
#define AES_SUB_WORD AES(sub_word)

/* ---- core/aes/key_schedule_body.h ---- */
/*
 * The key schedule. The including file defines AES_EXPAND, the name of the function with its
 * storage class, and AES_SUB_WORD (FIPS 197, section 5.2: the S-box of each byte of a word). */

/* ---- core/base/bytes.h, again ---- */

#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value);
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

/* KeyExpansion of FIPS 197, section 5.2, with little-endian words. */
AES_EXPAND(const uint8_t *key, size_t key_words, size_t words, uint8_t *out)
{
    uint32_t constant = 1, word = 0;
    memcpy(out, key, 4 * key_words);
    word = tally_load_le32(key + 4 * (key_words - 1));
    for (size_t i = key_words; i < words; i++) {
        if (i % key_words == 0) {
            word = AES_SUB_WORD(word >> 8 | word << 24) ^ constant;
            constant = (constant << 1 ^ (constant >> 7) * 0x1b) & 0xff;
        } else if (key_words == 8 && i % 8 == 4) {
            word = AES_SUB_WORD(word);
        }
        word ^= tally_load_le32(out + 4 * (i - key_words));
        tally_store_le32(word, out + 4 * i);
    }
}

#undef AES_EXPAND
#undef AES_SUB_WORD

AES_TARGET static void AES(expand_key)(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    AES(expand)(key, key_size / 4, key_size + 28, round_keys);
}

AES_TARGET static void AES(set_decryption)(tally_aes_key *out)
{
    uint8_t(*encryption)[16] = out->round_keys.bytes[TALLY_ENCRYPT];
    uint8_t(*decryption)[16] = out->round_keys.bytes[TALLY_DECRYPT];
    const size_t rounds = out->rounds;
    AES_STORE(AES_LOAD(encryption[rounds]), decryption[0]);
    for (size_t i = 1; i < rounds; i++) {
        AES_STORE(vaesimcq_u8(AES_LOAD(encryption[rounds - i])), decryption[i]);
    }
    AES_STORE(AES_LOAD(encryption[0]), decryption[rounds]);
}

AES_TARGET static void AES(key_init_round_keys)(const uint8_t *round_keys, tally_aes_key *out)
{
    memcpy(out->round_keys.bytes[TALLY_ENCRYPT], round_keys, 16 * ((size_t)out->rounds + 1));
    AES(set_decryption)(out);
}

AES_TARGET static void AES(key_init)(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    AES(expand_key)(key, key_size, out->round_keys.bytes[TALLY_ENCRYPT][0]);
    AES(set_decryption)(out);
}

/* ---- core/aes/instructions_body.h, again ---- */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define AES_BYTES          (16 * AES_PER)
#define AES_UNROLL         TALLY_UNROLL(16)
#define AES_EACH(i, count) AES_UNROLL for (int i = 0; i < (count); i++)

AES_INLINE void AES(middle_rounds)(const uint8_t (*keys)[16], const tally_direction direction,
                                   const int first, const int after, const int count, AES_VEC *b)
{
    AES_EACH(round, after - first)
    {
        AES_VEC k = AES_ROUND_KEY(keys[first + round + AES_KEY_OF_MIDDLE]);
        AES_EACH(i, count)
        {
            b[i] = AES_MIDDLE(b[i], direction, k);
        }
    }
}

AES_INLINE void AES(rounds)(const tally_aes_key *key, const tally_direction direction,
                            const int count, AES_VEC *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const AES_VEC first = AES_ROUND_KEY(keys[0]);
    (void)first;
    AES_EACH(i, count)
    {
        b[i] = AES_BEGIN(b[i], direction, first);
    }
    AES(middle_rounds)(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        AES(middle_rounds)(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        AES(middle_rounds)(keys, direction, 12, 14, count, b);
    }
    const AES_VEC before = AES_ROUND_KEY(keys[key->rounds - 1]),
                  last = AES_ROUND_KEY(keys[key->rounds]);
    (void)before;
    AES_EACH(i, count)
    {
        b[i] = AES_END(b[i], direction, before, last);
    }
}

AES_INLINE void AES(run_some)(const tally_aes_key *key, const tally_direction direction,
                              const int count, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(in + AES_BYTES * i);
    }
    AES(rounds)(key, direction, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(b[i], out + AES_BYTES * i);
    }
}

#define AES_RUN_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(run_some)(key, direction, (count), in, out);                                           \
        in += (count)*AES_BYTES;                                                                   \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(run)(const tally_aes_key *key, const tally_direction direction,
                         const uint8_t *in, size_t size, uint8_t *out)
{
    for (; size >= AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
        AES(run_some)(key, direction, AES_WIDE, in, out);
        in += AES_WIDE * AES_BYTES;
        out += AES_WIDE * AES_BYTES;
    }
    AES_RUN_IF(8)
    AES_RUN_IF(4)
    AES_RUN_IF(2)
    AES_RUN_IF(1)
    if (AES_PER > 1 && size % AES_BYTES != 0) {
        AES_VEC b = AES_LOAD_PART(in, size % AES_BYTES);
        AES(rounds)(key, direction, 1, &b);
        AES_STORE_PART(b, size % AES_BYTES, out);
    }
}

#if AES_FEW == 0
#define AES_FEW_BLOCKS(key, direction, in, blocks, out)       ((void)0)
#define AES_FEW_CTR(key, counter, in, size, out)              ((void)0)
#define AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains) ((void)0)
#endif

AES_TARGET static void AES(crypt_blocks)(const tally_aes_key *key, const tally_direction direction,
                                         const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (blocks <= AES_FEW) {
        AES_FEW_BLOCKS(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        AES(run)(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    } else {
        AES(run)(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

AES_INLINE void AES(count_some)(AES(counter) * counter, const int vectors, AES_VEC *b)
{
    AES_EACH(i, vectors)
    {
        b[i] = AES(counter_block)(counter, i);
    }
    AES(counter_skip)(counter, (uint64_t)vectors * AES_PER);
}

AES_INLINE void AES(stream_some)(const tally_aes_key *key, const int count, const int xors,
                                 AES_VEC *b, const uint8_t *in, uint8_t *out)
{
    AES(rounds)(key, TALLY_ENCRYPT, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(xors ? AES_XOR(b[i], AES_LOAD(in + AES_BYTES * i)) : b[i], out + AES_BYTES * i);
    }
}

AES_INLINE void AES(ctr_some)(const tally_aes_key *key, const int count, AES(counter) * counter,
                              const int xors, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES(count_some)(counter, count, b);
    AES(stream_some)(key, count, xors, b, in, out);
}

#define AES_CTR_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(ctr_some)(key, (count), counter, xors, in, out);                                       \
        in = xors ? in + (count)*AES_BYTES : NULL;                                                 \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(ctr_run)(const tally_aes_key *key, AES(counter) * counter, const int xors,
                             const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >=
        2 * AES_WIDE * AES_BYTES) {
        AES_VEC b[AES_WIDE], next[AES_WIDE];
        AES(count_some)(counter, AES_WIDE, next);
        for (; size >= 2 * AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
            memcpy(b, next, sizeof b);
            AES(count_some)(counter, AES_WIDE, next);
            AES(stream_some)(key, AES_WIDE, xors, b, in, out);
            in = xors ? in + AES_WIDE * AES_BYTES : NULL;
            out += AES_WIDE * AES_BYTES;
        }
        AES(stream_some)(key, AES_WIDE, xors, next, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    if (size >= AES_WIDE * AES_BYTES) {
        AES(ctr_some)(key, AES_WIDE, counter, xors, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    AES_CTR_IF(8)
    AES_CTR_IF(4)
    AES_CTR_IF(2)
    AES_CTR_IF(1)
    const size_t rest = size % AES_BYTES;
    if (rest != 0) {
        AES_VEC b = AES(counter_block)(counter, 0);
        AES(counter_skip)(counter, (rest + 15) / 16);
        AES(rounds)(key, TALLY_ENCRYPT, 1, &b);
        AES_STORE_PART(xors ? AES_XOR(b, AES_LOAD_PART(in, rest)) : b, rest, out);
    }
}

AES_TARGET static void AES(ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                                size_t size, uint8_t *out)
{
    if (size <= 16 * AES_FEW) {
        AES_FEW_CTR(key, counter, in, size, out);
        return;
    }
    AES(counter) now = AES(counter_load)(counter);
    if (in != NULL) {
        AES(ctr_run)(key, &now, 1, in, size, out);
    } else {
        AES(ctr_run)(key, &now, 0, NULL, size, out);
    }
    AES(counter_store)(&now, counter);
}

AES_INLINE const tally_aes_key *AES(hidden)(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

AES_INLINE void AES(cbc_mac_all)(const tally_aes_key *key, const int count,
                                 const uint8_t *const messages[], size_t blocks,
                                 uint8_t chains[][16])
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(chains[AES_PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        AES_EACH(i, count)
        {
            b[i] = AES_XOR(b[i], AES(gather)(messages + AES_PER * i, 16 * block));
        }
        AES(rounds)(AES(hidden)(key), TALLY_ENCRYPT, count, b);
    }
    AES_EACH(i, count)
    {
        AES_STORE(b[i], chains[AES_PER * i]);
    }
}

AES_INLINE void AES(cbc_mac_some)(const tally_aes_key *key, const int count, size_t lanes,
                                  const uint8_t *const messages[], size_t blocks,
                                  uint8_t chains[][16])
{
    const size_t all = AES_PER * (size_t)count;
    if (lanes == all) {
        AES(cbc_mac_all)(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[AES_PER * AES_WIDE];
    uint8_t ends[AES_PER * AES_WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    AES(cbc_mac_all)(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

AES_TARGET static void AES(cbc_mac)(const tally_aes_key *key, size_t lanes,
                                    const uint8_t *const messages[], size_t blocks,
                                    uint8_t chains[][16])
{
    if (lanes <= AES_FEW) {
        AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < AES_PER * AES_WIDE ? lanes : AES_PER * AES_WIDE;
        if (AES_WIDE > 8 && some > 8 * AES_PER) {
            AES(cbc_mac_some)(key, AES_WIDE, some, messages, blocks, chains);
        } else if (some > 4 * AES_PER) {
            AES(cbc_mac_some)(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * AES_PER) {
            AES(cbc_mac_some)(key, 4, some, messages, blocks, chains);
        } else if (some > AES_PER) {
            AES(cbc_mac_some)(key, 2, some, messages, blocks, chains);
        } else {
            AES(cbc_mac_some)(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

#undef AES
#undef AES_BEGIN
#undef AES_BYTES
#undef AES_CTR_IF
#undef AES_EACH
#undef AES_END
#undef AES_FEW
#undef AES_FEW_BLOCKS
#undef AES_FEW_CBC_MAC
#undef AES_FEW_CTR
#undef AES_INLINE
#undef AES_KEY_OF_MIDDLE
#undef AES_LOAD
#undef AES_LOAD_PART
#undef AES_MIDDLE
#undef AES_PER
#undef AES_ROUND_KEY
#undef AES_RUN_IF
#undef AES_STORE
#undef AES_STORE_PART
#undef AES_TARGET
#undef AES_UNROLL
#undef AES_VEC
#undef AES_WIDE
#undef AES_XOR

const struct tally_aes_backend tally_aes_armv8 = {
    .backend = {"armv8", TALLY_CPU_ARM_AES},
    .key_init = aes_armv8_key_init,
    .expand = aes_armv8_expand_key,
    .key_init_round_keys = aes_armv8_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = aes_armv8_crypt_blocks,
    .ctr = aes_armv8_ctr,
    .cbc_mac = aes_armv8_cbc_mac,
};

#else
typedef int tally_aes_armv8_is_for_aarch64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice.c ---- */
/*
 * Bit-sliced AES on 64-bit words, for every CPU: four blocks at a time. The byte of row r and
 * column c of block b is at bit 16 r + 4 c + b, so that rows are quarters of a word. */

/* ---- core/aes/bitslice.h ---- */
/*
 * The functions that the bit-sliced back ends share: the key schedule, and the functions on 64-bit
 * words, which process few blocks for all of them. */
#ifndef TALLY_AES_BITSLICE_H
#define TALLY_AES_BITSLICE_H

void tally_bitslice_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_bitslice_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_bitslice_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_bitslice_keys_init(const uint8_t *keys, size_t key_size, size_t count,
                              tally_aes_key *out);
void tally_bitslice_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                                 const uint8_t *in, size_t blocks, uint8_t *out);
void tally_bitslice_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                        size_t size, uint8_t *out);

#if defined(TALLY_ARCH_X86_64)
enum { TALLY_BITSLICE_ROWS = 32 /* blocks of a group of bitslice_rows_sse2.c */ };

void tally_bitslice_rows_encrypt(const tally_aes_key *key, const uint8_t *in, size_t groups,
                                 uint8_t *out);
void tally_bitslice_rows_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                             size_t groups, uint8_t *out);
#endif

#endif

/* ---- core/base/bytes.h, again ---- */

#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value);
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

#endif

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

/* ---- core/aes/bitslice_body.h ---- */
/*
 * Bit-sliced AES (FIPS 197) in constant time, a group of blocks at a time, as eight planes: plane p
 * has bit p of all their bytes. There is no ShiftRows: after each round, row r of the state is
 * rotated by r more columns (A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers", TCHES
 * 2021). Round keys are stored with the same rotations, and all but the first contain the S-box's
 * constant. At the end two columns of odd rows remain to be rotated, or nothing. The including
 * file, one for each width, defines
 *
 *     BITSLICE(name)             the name of a static function or type
 *     BITSLICE_INLINE, BITSLICE_TARGET  for functions, with the instruction set's attribute
 *     BITSLICE_PLANE             a word or a GCC vector of 64-bit numbers
 *     BITSLICE_GROUP             the blocks of a group
 *     BITSLICE_KEYS              the type of round keys, and
 *     BITSLICE_ROUND_KEY         (keys, round, i): plane i of a round's key, for all blocks
 *     BITSLICE(load), BITSLICE(store)  of a group, to planes and back
 *     BITSLICE_NEXT_ROW          place (row, column) gets (row + 1, column + rotation), modulo 4
 *     BITSLICE_OPPOSITE_ROW      the same from (row + 2, column + 2 rotation)
 *     BITSLICE_ROTATE_ODD_ROWS   rotates rows 1 and 3 by two columns
 *
 * and includes aes/bitslice_undef.h at its end. */

/* ---- core/aes/counter.h, again ---- */

#ifndef TALLY_AES_COUNTER_H
#define TALLY_AES_COUNTER_H

/* ---- core/base/barrier.h, again ---- */

#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(value));
#endif
    return value;
}

#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

struct tally_counter {
    uint64_t high, low;
};

static inline struct tally_counter tally_counter_load(const uint8_t in[16])
{
    return (struct tally_counter){tally_load_be64(in), tally_load_be64(in + 8)};
}

static inline void tally_counter_store(struct tally_counter counter, uint8_t out[16])
{
    tally_store_be64(counter.high, out);
    tally_store_be64(counter.low, out + 8);
}

static inline void tally_counter_add(struct tally_counter *counter, uint64_t blocks)
{
    uint64_t low = counter->low, sum = tally_barrier(low + blocks);
    counter->high += ((low & blocks) | ((low | blocks) & ~sum)) >> 63;
    counter->low = sum;
}

static inline int tally_counter_until_carry(uint64_t low)
{
    uint64_t free = ~low, more = free >> 6;
    return (int)((free & 63) | (more | (0 - more)) >> 63 << 6);
}

#endif

/* ---- core/aes/bitslice_sbox.h ---- */
/*
 * The AES S-box and its inverse on planes: q[i] has bit i (0 the lowest) of every byte. The
 * including file defines BITSLICE(name), BITSLICE_INLINE and BITSLICE_PLANE, as bitslice_body.h
 * describes. */

/* ---- core/aes/bitslice_circuit.h ---- */
/*
 * Written by `python -m embedded.circuit` from core/aes/sbox.circuit; changes made by hand are lost.
 * The AES S-box without its constant 0x63, which comes with a round key.
 * bitslice_sbox.h documents the macros. */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

/* The inverse of the affine map's linear part (FIPS 197, section 5.3.2): bit i becomes the sum of
 * bits i + 2, i + 5 and i + 7. */
BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

/* The inverse S-box of bytes without the S-box's constant. With S(x) = A(I(x)) + 0x63, A linear
 * and I the inversion, which is its own inverse, that is I(A^-1(x)) = A^-1(S(A^-1(x)) + 0x63). */
BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

/* Planes live in registers only if loops over them are unrolled. GCC at -O2 does so on request. */
#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

/* Transposes the 8 x 8 matrices of bits that the same byte of all planes makes; its own inverse. */
BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the
 * opposite row. Doubling moves each plane up by one and adds the top one to planes 0, 1, 3, 4. */
BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a
 * row and its opposite, then mix. */
BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) { /* not 12 */
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) { /* to 9, 11 or 13 */
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) { /* to 1; GCC 12 miscounts a loop while (round > 1) on POWER and s390x */
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

/* Whole groups, then an incomplete last one in a buffer. */
BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

/* Counter mode, a group at a time. Counters are written one group early: a load of a whole vector
 * waits for recent stores of its halves. */
BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

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

/* ---- core/aes/key_schedule_body.h, again ---- */

AES_EXPAND(const uint8_t *key, size_t key_words, size_t words, uint8_t *out)
{
    uint32_t constant = 1, word = 0;
    memcpy(out, key, 4 * key_words);
    word = tally_load_le32(key + 4 * (key_words - 1));
    for (size_t i = key_words; i < words; i++) {
        if (i % key_words == 0) {
            word = AES_SUB_WORD(word >> 8 | word << 24) ^ constant;
            constant = (constant << 1 ^ (constant >> 7) * 0x1b) & 0xff;
        } else if (key_words == 8 && i % 8 == 4) {
            word = AES_SUB_WORD(word);
        }
        word ^= tally_load_le32(out + 4 * (i - key_words));
        tally_store_le32(word, out + 4 * i);
    }
}

#undef AES_EXPAND
#undef AES_SUB_WORD

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

/* ---- core/aes/bitslice_undef.h ---- */
/*
 * The end of a file that includes bitslice_body.h or bitslice_sbox.h: the next one defines these
 * anew. */
#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

/* ---- core/aes/bitslice_avx2.c ---- */
/*
 * Bit-sliced AES on AVX2: 16 blocks at a time. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/aes/bitslice_rotations.h ---- */
/*
 * Rotations of rows as shuffles of a lane's 16 bytes: the source of each byte. */
#ifndef TALLY_AES_BITSLICE_ROTATIONS_H
#define TALLY_AES_BITSLICE_ROTATIONS_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

/* Place 4 c + r gets the byte some rows and columns further. */
#define BITSLICE_ROTATE_PLACE(i, rows, columns)                                                    \
    ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define BITSLICE_ROTATE_COLUMN(c, rows, columns)                                                   \
    BITSLICE_ROTATE_PLACE(4 * (c), rows, columns),                                                 \
        BITSLICE_ROTATE_PLACE(4 * (c) + 1, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 2, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 3, rows, columns)
#define BITSLICE_ROTATE(rows, columns)                                                             \
    {                                                                                              \
        BITSLICE_ROTATE_COLUMN(0, rows, columns), BITSLICE_ROTATE_COLUMN(1, rows, columns),        \
            BITSLICE_ROTATE_COLUMN(2, rows, columns), BITSLICE_ROTATE_COLUMN(3, rows, columns)     \
    }

static const _Alignas(16) uint8_t tally_bitslice_next_row[4][16] = {
    BITSLICE_ROTATE(1, 0), BITSLICE_ROTATE(1, 1), BITSLICE_ROTATE(1, 2), BITSLICE_ROTATE(1, 3)};
static const _Alignas(16) uint8_t tally_bitslice_opposite_row[2][16] = {BITSLICE_ROTATE(2, 0),
                                                                        BITSLICE_ROTATE(2, 2)};
static const _Alignas(16) uint8_t tally_bitslice_odd_rows[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                                 8, 1, 10, 3,  12, 5,  14, 7};

#endif

#define BITSLICE(name)  aes_bitslice_avx2_##name
#define BITSLICE_TARGET __attribute__((target("avx2")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 2
#define BITSLICE_FEW   4

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(32)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const void *from)
{
    return (BITSLICE_PLANE)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)_mm256_shuffle_epi8((__m256i)x, (__m256i)BITSLICE(broadcast)(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

/* ---- core/aes/bitslice_vectors_body.h ---- */
/*
 * Bit-sliced AES on vectors: the code that all widths share. Eight vectors of BITSLICE_LANES blocks
 * each are loaded without a change of order: the byte of row r and column c of a block is byte 4 c
 * + r of its lane. The including file defines BITSLICE_LANES, BITSLICE_FEW (64-bit words process up
 * to this number of blocks), BITSLICE(broadcast), which copies 16 bytes to each lane, and all but
 * the keys and the group that bitslice_body.h lists. */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

/* Planes of the round keys, whose bytes are 0 or 0xff. */
typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

/* ---- core/aes/bitslice_body.h, again ---- */

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) {
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) {
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) {
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

/* Every machine of these back ends has vectors of 16 bytes. */
static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

const struct tally_aes_backend tally_aes_bitslice_avx2 = {
    .backend = {"bitslice-avx2", TALLY_CPU_AVX2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_avx2_crypt_blocks,
    .ctr = aes_bitslice_avx2_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice_avx512.c ---- */
/*
 * Bit-sliced AES on AVX-512: 32 blocks at a time. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/aes/bitslice_rotations.h, again ---- */

#ifndef TALLY_AES_BITSLICE_ROTATIONS_H
#define TALLY_AES_BITSLICE_ROTATIONS_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

#define BITSLICE_ROTATE_PLACE(i, rows, columns)                                                    \
    ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define BITSLICE_ROTATE_COLUMN(c, rows, columns)                                                   \
    BITSLICE_ROTATE_PLACE(4 * (c), rows, columns),                                                 \
        BITSLICE_ROTATE_PLACE(4 * (c) + 1, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 2, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 3, rows, columns)
#define BITSLICE_ROTATE(rows, columns)                                                             \
    {                                                                                              \
        BITSLICE_ROTATE_COLUMN(0, rows, columns), BITSLICE_ROTATE_COLUMN(1, rows, columns),        \
            BITSLICE_ROTATE_COLUMN(2, rows, columns), BITSLICE_ROTATE_COLUMN(3, rows, columns)     \
    }

static const _Alignas(16) uint8_t tally_bitslice_next_row[4][16] = {
    BITSLICE_ROTATE(1, 0), BITSLICE_ROTATE(1, 1), BITSLICE_ROTATE(1, 2), BITSLICE_ROTATE(1, 3)};
static const _Alignas(16) uint8_t tally_bitslice_opposite_row[2][16] = {BITSLICE_ROTATE(2, 0),
                                                                        BITSLICE_ROTATE(2, 2)};
static const _Alignas(16) uint8_t tally_bitslice_odd_rows[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                                 8, 1, 10, 3,  12, 5,  14, 7};

#endif

#define BITSLICE(name)  aes_bitslice_avx512_##name
#define BITSLICE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 4
#define BITSLICE_FEW   4

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(64)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const void *from)
{
    return (BITSLICE_PLANE)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)_mm512_shuffle_epi8((__m512i)x, (__m512i)BITSLICE(broadcast)(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

/* ---- core/aes/bitslice_vectors_body.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

/* ---- core/aes/bitslice_body.h, again ---- */

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) {
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) {
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) {
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

const struct tally_aes_backend tally_aes_bitslice_avx512 = {
    .backend = {"bitslice-avx512", TALLY_CPU_AVX512 | TALLY_CPU_AVX2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_avx512_crypt_blocks,
    .ctr = aes_bitslice_avx512_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice_neon.c ---- */
/*
 * Bit-sliced AES on NEON: eight blocks at a time, for AArch64 without its AES instructions. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

/* ---- core/aes/bitslice_rotations.h, again ---- */

#ifndef TALLY_AES_BITSLICE_ROTATIONS_H
#define TALLY_AES_BITSLICE_ROTATIONS_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

#define BITSLICE_ROTATE_PLACE(i, rows, columns)                                                    \
    ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define BITSLICE_ROTATE_COLUMN(c, rows, columns)                                                   \
    BITSLICE_ROTATE_PLACE(4 * (c), rows, columns),                                                 \
        BITSLICE_ROTATE_PLACE(4 * (c) + 1, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 2, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 3, rows, columns)
#define BITSLICE_ROTATE(rows, columns)                                                             \
    {                                                                                              \
        BITSLICE_ROTATE_COLUMN(0, rows, columns), BITSLICE_ROTATE_COLUMN(1, rows, columns),        \
            BITSLICE_ROTATE_COLUMN(2, rows, columns), BITSLICE_ROTATE_COLUMN(3, rows, columns)     \
    }

static const _Alignas(16) uint8_t tally_bitslice_next_row[4][16] = {
    BITSLICE_ROTATE(1, 0), BITSLICE_ROTATE(1, 1), BITSLICE_ROTATE(1, 2), BITSLICE_ROTATE(1, 3)};
static const _Alignas(16) uint8_t tally_bitslice_opposite_row[2][16] = {BITSLICE_ROTATE(2, 0),
                                                                        BITSLICE_ROTATE(2, 2)};
static const _Alignas(16) uint8_t tally_bitslice_odd_rows[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                                 8, 1, 10, 3,  12, 5,  14, 7};

#endif

#define BITSLICE(name) aes_bitslice_neon_##name
#define BITSLICE_TARGET
#define BITSLICE_INLINE static inline __attribute__((always_inline))

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const uint64_t from[2])
{
    return (BITSLICE_PLANE)vld1q_u64(from);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)vqtbl1q_u8((uint8x16_t)x, vld1q_u8(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

/* ---- core/aes/bitslice_vectors_body.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

/* ---- core/aes/bitslice_body.h, again ---- */

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) {
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) {
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) {
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

const struct tally_aes_backend tally_aes_bitslice_neon = {
    .backend = {"bitslice-neon", TALLY_CPU_NEON},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_neon_crypt_blocks,
    .ctr = aes_bitslice_neon_ctr,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_neon_is_for_aarch64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice_rows_sse2.c ---- */
/*
 * Bit-sliced AES on SSE2 for long runs: 32 blocks at a time, with a vector for each bit of each
 * row, whose four words are the columns. ShiftRows is a shuffle of words, and MixColumns rotates
 * nothing. So a round has a fifth fewer instructions than in bitslice_sse2.c, but the state lies in
 * memory, and the planes of the round keys are four times as many. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

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

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

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

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_rows_sse2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice_sse2.c ---- */
/*
 * Bit-sliced AES on SSE2: eight blocks at a time. SSE2 has no shuffle of bytes, so rows are
 * rotated by shuffles of columns and rotations within them. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

#define BITSLICE(name)  aes_bitslice_sse2_##name
#define BITSLICE_TARGET __attribute__((target("sse2")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4
#define BITSLICE_MANY  64

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const uint64_t from[2])
{
    return (BITSLICE_PLANE)_mm_loadu_si128((const __m128i *)(const void *)from);
}

BITSLICE_INLINE __m128i BITSLICE(rotate_columns)(BITSLICE_PLANE x, const int rotation)
{
    switch (rotation % 4) {
    case 1:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(0, 3, 2, 1));
    case 2:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(1, 0, 3, 2));
    case 3:
        return _mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(2, 1, 0, 3));
    default:
        return (__m128i)x;
    }
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(next_row)(BITSLICE_PLANE x, const int rotation)
{
    __m128i t = BITSLICE(rotate_columns)(x, rotation);
    return (BITSLICE_PLANE)_mm_or_si128(_mm_srli_epi32(t, 8), _mm_slli_epi32(t, 24));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(opposite_row)(BITSLICE_PLANE x, const int rotation)
{
    const __m128i t = BITSLICE(rotate_columns)(x, 2 * rotation);
    const __m128i half = _mm_shufflelo_epi16(t, _MM_SHUFFLE(2, 3, 0, 1));
    return (BITSLICE_PLANE)_mm_shufflehi_epi16(half, _MM_SHUFFLE(2, 3, 0, 1));
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(rotate_odd_rows)(BITSLICE_PLANE x)
{
    const __m128i odd = _mm_set1_epi32((int)0xff00ff00);
    __m128i t = _mm_xor_si128((__m128i)x, BITSLICE(rotate_columns)(x, 2));
    return (BITSLICE_PLANE)_mm_xor_si128((__m128i)x, _mm_and_si128(t, odd));
}

#define BITSLICE_NEXT_ROW        BITSLICE(next_row)
#define BITSLICE_OPPOSITE_ROW    BITSLICE(opposite_row)
#define BITSLICE_ROTATE_ODD_ROWS BITSLICE(rotate_odd_rows)

/* ---- core/aes/bitslice_vectors_body.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

/* ---- core/aes/bitslice_body.h, again ---- */

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) {
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) {
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) {
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

/* ---- core/aes/bitslice_many_body.h ---- */
/*
 * Encryption of BITSLICE_MANY blocks or more by bitslice_rows_sse2.c. Its remainder, and all else,
 * is for bitslice_vectors_body.h, which the including file includes before. */

BITSLICE_TARGET static void BITSLICE(crypt_many)(const tally_aes_key *key,
                                                 tally_direction direction, const uint8_t *in,
                                                 size_t blocks, uint8_t *out)
{
    if (direction == TALLY_ENCRYPT && blocks >= BITSLICE_MANY) {
        const size_t groups = blocks / TALLY_BITSLICE_ROWS, done = groups * TALLY_BITSLICE_ROWS;
        tally_bitslice_rows_encrypt(key, in, groups, out);
        in += 16 * done;
        out += 16 * done;
        blocks -= done;
    }
    BITSLICE(crypt_blocks)(key, direction, in, blocks, out);
}

BITSLICE_TARGET static void BITSLICE(ctr_many)(const tally_aes_key *key, uint8_t counter[16],
                                               const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >= 16 * BITSLICE_MANY) {
        const size_t groups = size / (16 * TALLY_BITSLICE_ROWS);
        const size_t done = groups * (16 * TALLY_BITSLICE_ROWS);
        tally_bitslice_rows_ctr(key, counter, in, groups, out);
        in = in == NULL ? NULL : in + done;
        out += done;
        size -= done;
    }
    BITSLICE(ctr)(key, counter, in, size, out);
}

const struct tally_aes_backend tally_aes_bitslice_sse2 = {
    .backend = {"bitslice-sse2", TALLY_CPU_SSE2},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_sse2_crypt_many,
    .ctr = aes_bitslice_sse2_ctr_many,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_sse2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/bitslice_ssse3.c ---- */
/*
 * Bit-sliced AES on SSSE3, whose shuffle of bytes rotates rows in one instruction: eight blocks at
 * a time. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <tmmintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/aes/bitslice_rotations.h, again ---- */

#ifndef TALLY_AES_BITSLICE_ROTATIONS_H
#define TALLY_AES_BITSLICE_ROTATIONS_H

TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

#define BITSLICE_ROTATE_PLACE(i, rows, columns)                                                    \
    ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define BITSLICE_ROTATE_COLUMN(c, rows, columns)                                                   \
    BITSLICE_ROTATE_PLACE(4 * (c), rows, columns),                                                 \
        BITSLICE_ROTATE_PLACE(4 * (c) + 1, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 2, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 3, rows, columns)
#define BITSLICE_ROTATE(rows, columns)                                                             \
    {                                                                                              \
        BITSLICE_ROTATE_COLUMN(0, rows, columns), BITSLICE_ROTATE_COLUMN(1, rows, columns),        \
            BITSLICE_ROTATE_COLUMN(2, rows, columns), BITSLICE_ROTATE_COLUMN(3, rows, columns)     \
    }

static const _Alignas(16) uint8_t tally_bitslice_next_row[4][16] = {
    BITSLICE_ROTATE(1, 0), BITSLICE_ROTATE(1, 1), BITSLICE_ROTATE(1, 2), BITSLICE_ROTATE(1, 3)};
static const _Alignas(16) uint8_t tally_bitslice_opposite_row[2][16] = {BITSLICE_ROTATE(2, 0),
                                                                        BITSLICE_ROTATE(2, 2)};
static const _Alignas(16) uint8_t tally_bitslice_odd_rows[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                                 8, 1, 10, 3,  12, 5,  14, 7};

#endif

#define BITSLICE(name)  aes_bitslice_ssse3_##name
#define BITSLICE_TARGET __attribute__((target("ssse3")))
#define BITSLICE_INLINE static inline __attribute__((always_inline)) BITSLICE_TARGET

#define BITSLICE_LANES 1
#define BITSLICE_FEW   4
#define BITSLICE_MANY  256

typedef uint64_t BITSLICE(plane) __attribute__((vector_size(16)));
#define BITSLICE_PLANE BITSLICE(plane)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(broadcast)(const void *from)
{
    return (BITSLICE_PLANE)_mm_loadu_si128((const __m128i *)from);
}

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(shuffled)(BITSLICE_PLANE x, const uint8_t places[16])
{
    return (BITSLICE_PLANE)_mm_shuffle_epi8((__m128i)x, (__m128i)BITSLICE(broadcast)(places));
}

#define BITSLICE_NEXT_ROW(x, rotation) BITSLICE(shuffled)(x, tally_bitslice_next_row[rotation])
#define BITSLICE_OPPOSITE_ROW(x, rotation)                                                         \
    BITSLICE(shuffled)(x, tally_bitslice_opposite_row[(rotation) % 2])
#define BITSLICE_ROTATE_ODD_ROWS(x) BITSLICE(shuffled)(x, tally_bitslice_odd_rows)

/* ---- core/aes/bitslice_vectors_body.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_GROUP (8 * BITSLICE_LANES)

typedef struct BITSLICE(round_keys) {
    uint64_t planes[15][8][2];
} BITSLICE(round_keys);
#define BITSLICE_KEYS BITSLICE(round_keys)

#define BITSLICE_ROUND_KEY(keys, round, i) BITSLICE(broadcast)((keys)->planes[round][i])

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8]);

BITSLICE_INLINE void BITSLICE(load)(const uint8_t *in, BITSLICE_PLANE q[8])
{
    for (size_t i = 0; i < 8; i++) {
        memcpy(&q[i], in + 16 * BITSLICE_LANES * i, 16 * BITSLICE_LANES);
    }
    BITSLICE(transpose)(q);
}

BITSLICE_INLINE void BITSLICE(store)(BITSLICE_PLANE q[8], uint8_t *out)
{
    BITSLICE(transpose)(q);
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + 16 * BITSLICE_LANES * i, &q[i], 16 * BITSLICE_LANES);
    }
}

/* ---- core/aes/bitslice_body.h, again ---- */

/* ---- core/aes/bitslice_sbox.h, again ---- */

/* ---- core/aes/bitslice_circuit.h, again ---- */

BITSLICE_INLINE void BITSLICE(sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE x7 = q[0];
    BITSLICE_PLANE x6 = q[1];
    BITSLICE_PLANE x5 = q[2];
    BITSLICE_PLANE x4 = q[3];
    BITSLICE_PLANE x3 = q[4];
    BITSLICE_PLANE x2 = q[5];
    BITSLICE_PLANE x1 = q[6];
    BITSLICE_PLANE x0 = q[7];
    BITSLICE_PLANE y14 = x3 ^ x5;
    BITSLICE_PLANE y13 = x0 ^ x6;
    BITSLICE_PLANE y9 = x0 ^ x3;
    BITSLICE_PLANE y8 = x0 ^ x5;
    BITSLICE_PLANE t0 = x1 ^ x2;
    BITSLICE_PLANE y1 = t0 ^ x7;
    BITSLICE_PLANE y4 = y1 ^ x3;
    BITSLICE_PLANE y12 = y13 ^ y14;
    BITSLICE_PLANE y2 = y1 ^ x0;
    BITSLICE_PLANE y5 = y1 ^ x6;
    BITSLICE_PLANE y3 = y5 ^ y8;
    BITSLICE_PLANE t1 = x4 ^ y12;
    BITSLICE_PLANE y15 = t1 ^ x5;
    BITSLICE_PLANE y20 = t1 ^ x1;
    BITSLICE_PLANE y6 = y15 ^ x7;
    BITSLICE_PLANE y10 = y15 ^ t0;
    BITSLICE_PLANE y11 = y20 ^ y9;
    BITSLICE_PLANE y7 = x7 ^ y11;
    BITSLICE_PLANE y17 = y10 ^ y11;
    BITSLICE_PLANE y19 = y10 ^ y8;
    BITSLICE_PLANE y16 = t0 ^ y11;
    BITSLICE_PLANE y21 = y13 ^ y16;
    BITSLICE_PLANE y18 = x0 ^ y16;
    BITSLICE_PLANE t2 = y12 & y15;
    BITSLICE_PLANE t3 = y3 & y6;
    BITSLICE_PLANE t4 = t3 ^ t2;
    BITSLICE_PLANE t5 = y4 & x7;
    BITSLICE_PLANE t6 = t5 ^ t2;
    BITSLICE_PLANE t7 = y13 & y16;
    BITSLICE_PLANE t8 = y5 & y1;
    BITSLICE_PLANE t9 = t8 ^ t7;
    BITSLICE_PLANE t10 = y2 & y7;
    BITSLICE_PLANE t11 = t10 ^ t7;
    BITSLICE_PLANE t12 = y9 & y11;
    BITSLICE_PLANE t13 = y14 & y17;
    BITSLICE_PLANE t14 = t13 ^ t12;
    BITSLICE_PLANE t15 = y8 & y10;
    BITSLICE_PLANE t16 = t15 ^ t12;
    BITSLICE_PLANE t17 = t4 ^ t14;
    BITSLICE_PLANE t18 = t6 ^ t16;
    BITSLICE_PLANE t19 = t9 ^ t14;
    BITSLICE_PLANE t20 = t11 ^ t16;
    BITSLICE_PLANE t21 = t17 ^ y20;
    BITSLICE_PLANE t22 = t18 ^ y19;
    BITSLICE_PLANE t23 = t19 ^ y21;
    BITSLICE_PLANE t24 = t20 ^ y18;
    BITSLICE_PLANE t25 = t21 ^ t22;
    BITSLICE_PLANE t26 = t21 & t23;
    BITSLICE_PLANE t27 = t24 ^ t26;
    BITSLICE_PLANE t28 = t25 & t27;
    BITSLICE_PLANE t29 = t28 ^ t22;
    BITSLICE_PLANE t30 = t23 ^ t24;
    BITSLICE_PLANE t31 = t22 ^ t26;
    BITSLICE_PLANE t32 = t31 & t30;
    BITSLICE_PLANE t33 = t32 ^ t24;
    BITSLICE_PLANE t34 = t23 ^ t33;
    BITSLICE_PLANE t35 = t27 ^ t33;
    BITSLICE_PLANE t36 = t24 & t35;
    BITSLICE_PLANE t37 = t36 ^ t34;
    BITSLICE_PLANE t38 = t27 ^ t36;
    BITSLICE_PLANE t39 = t29 & t38;
    BITSLICE_PLANE t40 = t25 ^ t39;
    BITSLICE_PLANE t41 = t40 ^ t37;
    BITSLICE_PLANE t42 = t29 ^ t33;
    BITSLICE_PLANE t43 = t29 ^ t40;
    BITSLICE_PLANE t44 = t33 ^ t37;
    BITSLICE_PLANE t45 = t42 ^ t41;
    BITSLICE_PLANE z0 = t44 & y15;
    BITSLICE_PLANE z1 = t37 & y6;
    BITSLICE_PLANE z2 = t33 & x7;
    BITSLICE_PLANE z3 = t43 & y16;
    BITSLICE_PLANE z4 = t40 & y1;
    BITSLICE_PLANE z5 = t29 & y7;
    BITSLICE_PLANE z6 = t42 & y11;
    BITSLICE_PLANE z7 = t45 & y17;
    BITSLICE_PLANE z8 = t41 & y10;
    BITSLICE_PLANE z9 = t44 & y12;
    BITSLICE_PLANE z10 = t37 & y3;
    BITSLICE_PLANE z11 = t33 & y4;
    BITSLICE_PLANE z12 = t43 & y13;
    BITSLICE_PLANE z13 = t40 & y5;
    BITSLICE_PLANE z14 = t29 & y2;
    BITSLICE_PLANE z15 = t42 & y9;
    BITSLICE_PLANE z16 = t45 & y14;
    BITSLICE_PLANE z17 = t41 & y8;
    BITSLICE_PLANE t46 = z15 ^ z16;
    BITSLICE_PLANE t47 = z10 ^ z11;
    BITSLICE_PLANE t48 = z5 ^ z13;
    BITSLICE_PLANE t49 = z9 ^ z10;
    BITSLICE_PLANE t50 = z2 ^ z12;
    BITSLICE_PLANE t51 = z2 ^ z5;
    BITSLICE_PLANE t52 = z7 ^ z8;
    BITSLICE_PLANE t53 = z0 ^ z3;
    BITSLICE_PLANE t54 = z6 ^ z7;
    BITSLICE_PLANE t55 = z16 ^ z17;
    BITSLICE_PLANE t56 = z12 ^ t48;
    BITSLICE_PLANE t57 = t50 ^ t53;
    BITSLICE_PLANE t58 = z4 ^ t46;
    BITSLICE_PLANE t59 = z3 ^ t54;
    BITSLICE_PLANE t60 = t46 ^ t57;
    BITSLICE_PLANE t61 = z14 ^ t57;
    BITSLICE_PLANE t62 = t52 ^ t58;
    BITSLICE_PLANE t63 = t49 ^ t58;
    BITSLICE_PLANE t64 = z4 ^ t59;
    BITSLICE_PLANE t65 = t61 ^ t62;
    BITSLICE_PLANE t66 = z1 ^ t63;
    BITSLICE_PLANE t67 = t64 ^ t65;
    BITSLICE_PLANE s3 = t53 ^ t66;
    BITSLICE_PLANE s0 = t59 ^ t63;
    BITSLICE_PLANE s1 = t64 ^ s3;
    BITSLICE_PLANE s2 = t55 ^ t67;
    BITSLICE_PLANE s4 = t51 ^ t66;
    BITSLICE_PLANE s5 = t47 ^ t65;
    BITSLICE_PLANE s6 = t56 ^ t62;
    BITSLICE_PLANE s7 = t48 ^ t60;
    q[0] = s7;
    q[1] = s6;
    q[2] = s5;
    q[3] = s4;
    q[4] = s3;
    q[5] = s2;
    q[6] = s1;
    q[7] = s0;
}

BITSLICE_INLINE void BITSLICE(sbox)(BITSLICE_PLANE q[8])
{
    BITSLICE(sbox_linear)(q);
    q[6] = ~q[6];
    q[5] = ~q[5];
    q[1] = ~q[1];
    q[0] = ~q[0];
}

BITSLICE_INLINE void BITSLICE(inverse_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE_PLANE q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], q4 = q[4], q5 = q[5], q6 = q[6],
                   q7 = q[7];
    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

BITSLICE_INLINE void BITSLICE(inverse_sbox_linear)(BITSLICE_PLANE q[8])
{
    BITSLICE(inverse_linear)(q);
    BITSLICE(sbox_linear)(q);
    BITSLICE(inverse_linear)(q);
}

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) {
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) {
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) {
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}

static void BITSLICE(spread_keys)(const tally_aes_key *key, BITSLICE_KEYS *out)
{
    typedef uint64_t half __attribute__((vector_size(16)));
    for (size_t round = 0; round <= key->rounds; round++) {
        half bytes;
        memcpy(&bytes, key->round_keys.sliced.bytes[round], 16);
        BITSLICE_EACH_PLANE(i)
        {
            half bits = bytes >> i & UINT64_C(0x0101010101010101);
            bits = (bits << 8) - bits;
            memcpy(out->planes[round][i], &bits, 16);
        }
    }
}

BITSLICE_INLINE void BITSLICE(run)(BITSLICE(group_function) * function, const tally_aes_key *key,
                                   const uint8_t *in, size_t blocks, uint8_t *out)
{
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(run_groups)(function, &keys, key->rounds, in, blocks, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

BITSLICE_TARGET static void BITSLICE(crypt_blocks)(const tally_aes_key *key,
                                                   tally_direction direction, const uint8_t *in,
                                                   size_t blocks, uint8_t *out)
{
    if (blocks <= BITSLICE_FEW) {
        tally_bitslice_crypt_blocks(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        BITSLICE(run)(BITSLICE(encrypt_group), key, in, blocks, out);
    } else {
        BITSLICE(run)(BITSLICE(decrypt_group), key, in, blocks, out);
    }
}

BITSLICE_TARGET static void BITSLICE(ctr)(const tally_aes_key *key, uint8_t counter[16],
                                          const uint8_t *in, size_t size, uint8_t *out)
{
    if (size <= 16 * BITSLICE_FEW) {
        tally_bitslice_ctr(key, counter, in, size, out);
        return;
    }
    BITSLICE_KEYS keys;
    BITSLICE(spread_keys)(key, &keys);
    BITSLICE(ctr_groups)(&keys, key->rounds, counter, in, size, out);
    tally_wipe(&keys, sizeof keys.planes[0] * (key->rounds + 1));
}

/* ---- core/aes/bitslice_many_body.h, again ---- */

BITSLICE_TARGET static void BITSLICE(crypt_many)(const tally_aes_key *key,
                                                 tally_direction direction, const uint8_t *in,
                                                 size_t blocks, uint8_t *out)
{
    if (direction == TALLY_ENCRYPT && blocks >= BITSLICE_MANY) {
        const size_t groups = blocks / TALLY_BITSLICE_ROWS, done = groups * TALLY_BITSLICE_ROWS;
        tally_bitslice_rows_encrypt(key, in, groups, out);
        in += 16 * done;
        out += 16 * done;
        blocks -= done;
    }
    BITSLICE(crypt_blocks)(key, direction, in, blocks, out);
}

BITSLICE_TARGET static void BITSLICE(ctr_many)(const tally_aes_key *key, uint8_t counter[16],
                                               const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >= 16 * BITSLICE_MANY) {
        const size_t groups = size / (16 * TALLY_BITSLICE_ROWS);
        const size_t done = groups * (16 * TALLY_BITSLICE_ROWS);
        tally_bitslice_rows_ctr(key, counter, in, groups, out);
        in = in == NULL ? NULL : in + done;
        out += done;
        size -= done;
    }
    BITSLICE(ctr)(key, counter, in, size, out);
}

const struct tally_aes_backend tally_aes_bitslice_ssse3 = {
    .backend = {"bitslice-ssse3", TALLY_CPU_SSSE3},
    .key_init = tally_bitslice_key_init,
    .expand = tally_bitslice_expand,
    .key_init_round_keys = tally_bitslice_key_init_round_keys,
    .keys_init = tally_bitslice_keys_init,
    .crypt_blocks = aes_bitslice_ssse3_crypt_many,
    .ctr = aes_bitslice_ssse3_ctr_many,
    .cbc_mac = tally_aes_cbc_mac_portable,
};

/* ---- core/aes/bitslice_undef.h, again ---- */

#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET

#else
typedef int tally_aes_bitslice_ssse3_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/cbc_mac.c ---- */
/*
 * Key schedules one by one, and CBC-MAC over any back end's crypt_blocks: the lanes' chains are
 * the blocks of one call. */

void tally_aes_keys_init_singly(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i].backend->key_init(keys + key_size * i, key_size, &out[i]);
    }
}

void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16])
{
    for (size_t block = 0; block < blocks; block++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            uint64_t chain[2], message[2];
            memcpy(chain, chains[lane], 16);
            memcpy(message, messages[lane] + 16 * block, 16);
            chain[0] ^= message[0];
            chain[1] ^= message[1];
            memcpy(chains[lane], chain, 16);
        }
        key->backend->crypt_blocks(key, TALLY_ENCRYPT, chains[0], lanes, chains[0]);
    }
}

/* ---- core/aes/cmac.c ---- */
/*
 * CMAC (SP 800-38B, RFC 4493) in one shot and in pieces. The last block is held back until the
 * message's end, because it alone is masked with a subkey. */

/* ---- core/aes/cmac.h ---- */
/*
 * CMAC for use inside the core. */
#ifndef TALLY_AES_CMAC_H
#define TALLY_AES_CMAC_H

enum { TALLY_CMAC_PREFIX_CACHE = 512 /* bytes */ };

/* The chains of the previous pair of messages after each block. A pair with the same first blocks
 * continues from there. For one key; set `blocks` to 0 at first, and wipe it at the end. */
typedef struct tally_cmac_prefix_cache {
    size_t blocks;                                       /* cached: all but the last one */
    uint8_t message[TALLY_CMAC_PREFIX_CACHE];            /* message 0 */
    uint8_t chains[TALLY_CMAC_PREFIX_CACHE / 16][2][16]; /* of both messages after each block */
} tally_cmac_prefix_cache;

/* The tags of two messages of the same `size` under one key, in about the time of one: the chains
 * are independent, so the CPU works on one while the other waits. `cache` may be NULL. With a
 * cache, the messages have at most TALLY_CMAC_PREFIX_CACHE bytes and differ in their first block
 * alone, and all pairs of the cache have the same difference. The time depends on the number of
 * cached blocks, which are public. */
void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16]);

/* The tags of `count` messages, side by side as in tally_cmac_many, of 16 + size bytes: heads[i],
 * then messages[i]. */
void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16]);

/* Continues the chains of `count` messages by `blocks` blocks of each; a chain is zero at first. */
void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16]);

/* Ends them: the last `size` bytes of each message, at least one. The chains become tags. */
void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16]);

#endif

/* Multiplies by x in GF(2^128) as RFC 4493, section 2.3, does; no branch on the top bit. */
static void cmac_double_block(const uint8_t in[16], uint8_t out[16])
{
    uint64_t high = tally_load_be64(in), low = tally_load_be64(in + 8);
    uint64_t reduction = (0 - (high >> 63)) & 0x87;
    tally_store_be64(high << 1 | low >> 63, out);
    tally_store_be64(low << 1 ^ reduction, out + 8);
}

static void cmac_set_subkeys(tally_cmac_key *key)
{
    uint8_t zero[16] = {0};
    tally_aes_encrypt_blocks(&key->aes, zero, 1, zero);
    cmac_double_block(zero, key->k1);
    cmac_double_block(key->k1, key->k2);
    tally_wipe(zero, sizeof zero);
}

tally_status tally_cmac_key_init(const uint8_t *key, size_t key_size, tally_cmac_key *out)
{
    tally_status status = tally_aes_key_init(key, key_size, &out->aes);
    if (status != TALLY_OK) {
        return status;
    }
    cmac_set_subkeys(out);
    return TALLY_OK;
}

void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out)
{
    tally_aes_key_init_256(key, &out->aes);
    cmac_set_subkeys(out);
}

void tally_cmac_key_init_aes(const tally_aes_key *key, tally_cmac_key *out)
{
    out->aes = *key;
    cmac_set_subkeys(out);
}

void tally_cmac_key_wipe(tally_cmac_key *key)
{
    tally_wipe(key, sizeof *key);
}

enum { CMAC_MANY = 64 /* messages side by side */ };

/* The number of blocks before the last one, which is never empty unless the message is. */
static size_t cmac_blocks_before_last(size_t size)
{
    return size == 0 ? 0 : (size - 1) / 16;
}

/* Up to 8 bytes as a little-endian number, without a branch for each. */
static uint64_t cmac_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        return tally_load_le32(in) | (uint64_t)tally_load_le32(in + size - 4) << 8 * (size - 4);
    }
    return size == 0 ? 0
                     : (uint64_t)in[0] | (uint64_t)in[size / 2] << 8 * (size / 2) |
                           (uint64_t)in[size - 1] << 8 * (size - 1);
}

/* The last block of 0..15 bytes, padded. */
static void cmac_pad_last(const uint8_t *in, size_t size, uint8_t out[16])
{
    uint64_t low, high = 0;
    if (size < 8) {
        low = cmac_load_few(in, size) | UINT64_C(0x80) << 8 * size;
    } else {
        low = tally_load_le64(in);
        high = cmac_load_few(in + 8, size - 8) | UINT64_C(0x80) << 8 * (size - 8);
    }
    tally_store_le64(low, out);
    tally_store_le64(high, out + 8);
}

static void cmac_xor_block(const uint8_t in[16], uint8_t block[16])
{
    uint64_t a[2], b[2];
    memcpy(a, in, 16);
    memcpy(b, block, 16);
    b[0] ^= a[0];
    b[1] ^= a[1];
    memcpy(block, b, 16);
}

/* The last block of 0..16 bytes, padded and masked with its subkey. */
static void cmac_mask_last(const tally_cmac_key *key, const uint8_t *in, size_t size,
                           uint8_t out[16])
{
    if (size == 16) {
        memcpy(out, in, 16);
        cmac_xor_block(key->k1, out);
    } else {
        cmac_pad_last(in, size, out);
        cmac_xor_block(key->k2, out);
    }
}

/* The last blocks of one or two messages of the same size; the chains become tags. */
static void cmac_last_blocks(const tally_cmac_key *key, size_t lanes,
                             const uint8_t *const messages[], size_t size, uint8_t tags[][16])
{
    size_t before = cmac_blocks_before_last(size);
    uint8_t last[2][16];
    const uint8_t *blocks[2] = {last[0], last[1]};
    for (size_t i = 0; i < lanes; i++) {
        const uint8_t *rest = size == 0 ? NULL : messages[i] + 16 * before;
        cmac_mask_last(key, rest, size - 16 * before, last[i]);
    }
    key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
    tally_wipe(last, sizeof last);
}

/* CMAC of one or two messages of the same size. */
static void cmac_lanes(const tally_cmac_key *key, size_t lanes, const uint8_t *const messages[],
                       size_t size, uint8_t tags[][16])
{
    const size_t before = cmac_blocks_before_last(size);
    memset(tags, 0, 16 * lanes);
    if (before != 0) {
        key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, tags);
    }
    cmac_last_blocks(key, lanes, messages, size, tags);
}

void tally_cmac(const tally_cmac_key *key, const uint8_t *message, size_t size, uint8_t tag[16])
{
    uint8_t tags[1][16]; /* `tag` may overlap the message */
    cmac_lanes(key, 1, &message, size, tags);
    memcpy(tag, tags[0], 16);
    tally_wipe(tags, sizeof tags);
}

/* The number of the message's first blocks, without the last one, that the cache has. */
static size_t cmac_blocks_cached(const tally_cmac_prefix_cache *cache, const uint8_t *message,
                                 size_t before)
{
    size_t cached = cache->blocks < before ? cache->blocks : before, i = 0;
    while (i < cached && memcmp(message + 16 * i, cache->message + 16 * i, 16) == 0) {
        i++;
    }
    return i;
}

/* The chains after the blocks before the last one. */
static void cmac_pair_chains(const tally_cmac_key *key, const uint8_t *const messages[2],
                             size_t before, tally_cmac_prefix_cache *cache, uint8_t chains[2][16])
{
    size_t cached = cmac_blocks_cached(cache, messages[0], before);
    memset(chains, 0, 32);
    if (cached > 0) {
        memcpy(chains, cache->chains[cached - 1], 32);
    }
    memcpy(cache->message + 16 * cached, messages[0] + 16 * cached, 16 * (before - cached));
    cache->blocks = before;
    for (size_t i = cached; i < before; i++) {
        const uint8_t *blocks[2] = {messages[0] + 16 * i, messages[1] + 16 * i};
        key->aes.backend->cbc_mac(&key->aes, 2, blocks, 1, chains);
        memcpy(cache->chains[i], chains, 32);
    }
}

void tally_cmac_pair(const tally_cmac_key *key, const uint8_t *message0, const uint8_t *message1,
                     size_t size, tally_cmac_prefix_cache *cache, uint8_t tag0[16],
                     uint8_t tag1[16])
{
    const uint8_t *messages[2] = {message0, message1};
    uint8_t tags[2][16];
    if (cache == NULL || size == 0) {
        cmac_lanes(key, 2, messages, size, tags);
    } else {
        size_t before = cmac_blocks_before_last(size);
        cmac_pair_chains(key, messages, before, cache, tags);
        cmac_last_blocks(key, 2, messages, size, tags);
    }
    memcpy(tag0, tags[0], 16);
    memcpy(tag1, tags[1], 16);
    tally_wipe(tags, sizeof tags);
}

/* The remainders of up to CMAC_MANY messages, those with the most blocks first. */
typedef struct cmac_lane_set {
    size_t count;
    const uint8_t *at[CMAC_MANY];
    size_t before[CMAC_MANY], last[CMAC_MANY]; /* blocks before the last one, and its 0..16 bytes */
    size_t of[CMAC_MANY];                      /* which message */
} cmac_lane_set;

/* Inserts a message by its number of blocks: sizes are public. Most messages have the size of the
 * previous one, and are appended. */
static void cmac_add_lane(const uint8_t *message, size_t size, cmac_lane_set *x)
{
    const size_t before = cmac_blocks_before_last(size), of = x->count;
    size_t to = x->count++;
    for (; to > 0 && x->before[to - 1] < before; to--) {
        x->at[to] = x->at[to - 1];
        x->before[to] = x->before[to - 1];
        x->last[to] = x->last[to - 1];
        x->of[to] = x->of[to - 1];
    }
    x->at[to] = message;
    x->before[to] = before;
    x->last[to] = size - 16 * before;
    x->of[to] = of;
}

/* All but the last blocks. */
static void cmac_chain_lanes(const tally_cmac_key *key, cmac_lane_set *x, uint8_t chains[][16])
{
    size_t active = x->count, done = 0;
    while (active > 0) {
        const size_t blocks = x->before[active - 1] - done;
        if (blocks == 0) {
            active--;
            continue;
        }
        key->aes.backend->cbc_mac(&key->aes, active, x->at, blocks, chains);
        for (size_t i = 0; i < active; i++) {
            x->at[i] += 16 * blocks;
        }
        done += blocks;
    }
}

/* The last blocks. Subkeys are added to the chains, so only incomplete blocks are copied. */
static void cmac_end_lanes(const tally_cmac_key *key, cmac_lane_set *x, uint8_t chains[][16])
{
    uint8_t padded[CMAC_MANY][16];
    for (size_t i = 0; i < x->count; i++) {
        if (x->last[i] == 16) {
            cmac_xor_block(key->k1, chains[i]);
        } else {
            cmac_xor_block(key->k2, chains[i]);
            cmac_pad_last(x->at[i], x->last[i], padded[i]);
            x->at[i] = padded[i];
        }
    }
    key->aes.backend->cbc_mac(&key->aes, x->count, x->at, 1, chains);
    tally_wipe(padded, 16 * x->count);
}

void tally_cmac_many(const tally_cmac_key *key, const uint8_t *const messages[],
                     const size_t sizes[], size_t count, uint8_t (*tags)[16])
{
    uint8_t chains[CMAC_MANY][16];
    cmac_lane_set x;
    for (size_t first = 0; first < count; first += x.count) {
        x.count = 0;
        for (size_t i = first; i < count && x.count < CMAC_MANY; i++) {
            cmac_add_lane(messages[i], sizes[i], &x);
        }
        memset(chains, 0, 16 * x.count);
        cmac_chain_lanes(key, &x, chains);
        cmac_end_lanes(key, &x, chains);
        for (size_t i = 0; i < x.count; i++) {
            memcpy(tags[first + x.of[i]], chains[i], 16);
        }
    }
    tally_wipe(chains, 16 * (count < CMAC_MANY ? count : CMAC_MANY));
}

void tally_cmac_with_heads(const tally_cmac_key *key, const uint8_t (*heads)[16],
                           const uint8_t *const messages[], size_t size, size_t count,
                           uint8_t (*tags)[16])
{
    uint8_t last[CMAC_MANY][16];
    const uint8_t *blocks[CMAC_MANY];
    const size_t before = cmac_blocks_before_last(size);
    while (count > 0) {
        const size_t lanes = count < CMAC_MANY ? count : CMAC_MANY;
        memset(tags, 0, 16 * lanes);
        for (size_t i = 0; i < lanes; i++) {
            if (size == 0) {
                cmac_mask_last(key, heads[i], 16, last[i]);
            } else {
                cmac_mask_last(key, messages[i] + 16 * before, size - 16 * before, last[i]);
            }
            blocks[i] = heads[i];
        }
        if (size != 0) {
            key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
            key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, tags);
        }
        for (size_t i = 0; i < lanes; i++) {
            blocks[i] = last[i];
        }
        key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, tags);
        heads += lanes;
        messages += lanes;
        tags += lanes;
        count -= lanes;
    }
    tally_wipe(last, sizeof last);
}

void tally_cmac_chain(const tally_cmac_key *key, size_t count, const uint8_t *const messages[],
                      size_t blocks, uint8_t (*chains)[16])
{
    key->aes.backend->cbc_mac(&key->aes, count, messages, blocks, chains);
}

void tally_cmac_continue(const tally_cmac_key *key, const uint8_t *const messages[], size_t size,
                         size_t count, uint8_t (*chains)[16])
{
    const size_t before = cmac_blocks_before_last(size);
    uint8_t last[CMAC_MANY][16];
    const uint8_t *blocks[CMAC_MANY];
    while (count > 0) {
        const size_t lanes = count < CMAC_MANY ? count : CMAC_MANY;
        key->aes.backend->cbc_mac(&key->aes, lanes, messages, before, chains);
        for (size_t i = 0; i < lanes; i++) {
            cmac_mask_last(key, messages[i] + 16 * before, size - 16 * before, last[i]);
            blocks[i] = last[i];
        }
        key->aes.backend->cbc_mac(&key->aes, lanes, blocks, 1, chains);
        messages += lanes;
        chains += lanes;
        count -= lanes;
    }
    tally_wipe(last, sizeof last);
}

void tally_cmac_init(tally_cmac_state *state, const tally_cmac_key *key)
{
    memset(state, 0, sizeof *state);
    state->key = key;
}

static void cmac_absorb(tally_cmac_state *state, const uint8_t *message, size_t blocks)
{
    const tally_aes_key *key = &state->key->aes;
    key->backend->cbc_mac(key, 1, &message, blocks, &state->chain);
}

void tally_cmac_update(tally_cmac_state *state, const uint8_t *message, size_t size)
{
    if (size == 0) {
        return;
    }
    if (state->buffered > 0) {
        const size_t free = 16 - state->buffered, taken = size < free ? size : free;
        memcpy(state->buffer + state->buffered, message, taken);
        state->buffered += taken;
        message += taken;
        size -= taken;
        if (size == 0) {
            return; /* a full buffer may be the last block */
        }
        cmac_absorb(state, state->buffer, 1);
    }
    size_t before = cmac_blocks_before_last(size);
    cmac_absorb(state, message, before);
    state->buffered = size - 16 * before;
    memcpy(state->buffer, message + 16 * before, state->buffered);
}

void tally_cmac_final(tally_cmac_state *state, uint8_t tag[16])
{
    uint8_t last[16];
    cmac_mask_last(state->key, state->buffer, state->buffered, last);
    cmac_absorb(state, last, 1);
    memcpy(tag, state->chain, 16);
    tally_wipe(last, sizeof last);
    tally_cmac_wipe(state);
}

void tally_cmac_wipe(tally_cmac_state *state)
{
    tally_wipe(state, sizeof *state);
}

/* ---- core/aes/ctr.c ---- */
/*
 * Counter mode (SP 800-38A, section 6.5) at any place of a stream. */

void tally_aes_ctr_at(const tally_aes_key *key, const uint8_t counter[16], uint64_t offset,
                      const uint8_t *in, size_t size, uint8_t *out)
{
    struct tally_counter first = tally_counter_load(counter);
    uint8_t next[16], block[16];
    tally_counter_add(&first, offset / 16);
    tally_counter_store(first, next);
    const size_t skipped = offset % 16;
    if (skipped != 0 && size != 0) {
        const size_t used = size < 16 - skipped ? size : 16 - skipped;
        tally_aes_ctr(key, next, NULL, 16, block);
        for (size_t i = 0; i < used; i++) {
            out[i] = (uint8_t)((in == NULL ? 0 : in[i]) ^ block[skipped + i]);
        }
        in = in == NULL ? NULL : in + used;
        out += used;
        size -= used;
        tally_wipe(block, sizeof block);
    }
    tally_aes_ctr(key, next, in, size, out);
    tally_wipe(next, sizeof next);
}

/* ---- core/aes/explain.c ---- */
/*
 * Which AES back end is in use, and why, in words. */

/* A buffer of `size` bytes, and the length of the whole text, which may be more. */
typedef struct explain_writer {
    size_t size, length;
    char *text;
} explain_writer;

static void explain_add(explain_writer *w, const char *more)
{
    for (; *more != 0; more++, w->length++) {
        if (w->length + 1 < w->size) {
            w->text[w->length] = *more;
        }
    }
}

static void explain_add_features(explain_writer *w, uint32_t features)
{
    const char *before = "";
    for (uint32_t left = features; left != 0; left &= left - 1) {
        explain_add(w, before);
        explain_add(w, tally_cpu_feature_name(left & (~left + 1)));
        before = ", ";
    }
}

size_t tally_aes_explain(char *text, size_t size)
{
    explain_writer w = {size, 0, text};
    tally_aes_choice choice;
    size_t chosen = 0;
    while (tally_aes_backend_at(chosen, &choice) && choice.lacks != 0) {
        chosen++;
    }
    explain_add(&w, choice.name);
    explain_add(&w, choice.needs == 0 ? ", which needs nothing" : ", which needs ");
    explain_add_features(&w, choice.needs);
    for (size_t i = 0; i < chosen; i++) {
        (void)tally_aes_backend_at(i, &choice);
        explain_add(&w, i == 0 ? "; passed over: " : "; ");
        explain_add(&w, choice.name);
        explain_add(&w, " for lack of ");
        explain_add_features(&w, choice.lacks);
    }
    if (size > 0) {
        text[w.length < size ? w.length : size - 1] = 0;
    }
    return w.length;
}

/* ---- core/aes/gcm.c ---- */
/*
 * See gcm.h. */

/* ---- core/aes/gcm.h ---- */
/*
 * AES in Galois/counter mode (SP 800-38D) with nonces of 12 bytes, for short messages such as
 * wrapped keys: multiplication takes a bit at a time, without a table, so that no branch and no
 * address depends on key or data. */
#ifndef TALLY_AES_GCM_H
#define TALLY_AES_GCM_H

enum { TALLY_GCM_NONCE = 12, TALLY_GCM_TAG = 16 };

/* Encrypts `size` bytes (NULL if 0) and authenticates them with `associated` (NULL if its size is
 * 0). A nonce must not be used twice with a key. `out` may equal `in`; other overlaps are not
 * allowed. `size` is below 2^36 - 32 bytes. */
void tally_gcm_seal(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *in, size_t size, uint8_t *out,
                    uint8_t tag[16]);

/* Verifies and decrypts. Returns 1, or 0 if the tag is wrong: then `out` is not written. */
TALLY_MUST_CHECK int tally_gcm_open(const tally_aes_key *key, const uint8_t nonce[12],
                                    const uint8_t *associated, size_t associated_size,
                                    const uint8_t *in, size_t size, const uint8_t tag[16],
                                    uint8_t *out);

#endif

/* GHASH: a polynomial's bits are those of two big-endian numbers, the first at the top. */
typedef struct gcm_hash {
    uint64_t key[2];
    uint64_t sum[2];
} gcm_hash;

static void gcm_hash_block(gcm_hash *hash, const uint8_t block[16])
{
    const uint64_t sum[2] = {hash->sum[0] ^ tally_load_be64(block),
                             hash->sum[1] ^ tally_load_be64(block + 8)};
    uint64_t high = hash->key[0], low = hash->key[1], product[2] = {0, 0};
    for (int bit = 0; bit < 128; bit++) {
        /* The barrier keeps compilers from making a branch of the mask. */
        const uint64_t take = tally_barrier(0 - (sum[bit / 64] >> (63 - bit % 64) & 1));
        product[0] ^= high & take;
        product[1] ^= low & take;
        const uint64_t carry = tally_barrier(0 - (low & 1));
        low = low >> 1 | high << 63;
        high = high >> 1 ^ (UINT64_C(0xe1) << 56 & carry);
    }
    hash->sum[0] = product[0];
    hash->sum[1] = product[1];
}

/* Whole blocks, the last one with zeros behind. */
static void gcm_hash_bytes(gcm_hash *hash, const uint8_t *bytes, size_t size)
{
    uint8_t last[16] = {0};
    for (; size >= 16; bytes += 16, size -= 16) {
        gcm_hash_block(hash, bytes);
    }
    if (size > 0) {
        memcpy(last, bytes, size);
        gcm_hash_block(hash, last);
        tally_wipe(last, sizeof last);
    }
}

static void gcm_tag(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *sealed, size_t size, uint8_t tag[16])
{
    uint8_t block[16] = {0};
    gcm_hash hash = {{0, 0}, {0, 0}};
    tally_aes_encrypt_blocks(key, block, 1, block);
    hash.key[0] = tally_load_be64(block);
    hash.key[1] = tally_load_be64(block + 8);
    gcm_hash_bytes(&hash, associated, associated_size);
    gcm_hash_bytes(&hash, sealed, size);
    tally_store_be64((uint64_t)associated_size * 8, block);
    tally_store_be64((uint64_t)size * 8, block + 8);
    gcm_hash_block(&hash, block);
    memcpy(block, nonce, 12);
    tally_store_be32(1, block + 12);
    tally_aes_encrypt_blocks(key, block, 1, block);
    tally_store_be64(hash.sum[0] ^ tally_load_be64(block), tag);
    tally_store_be64(hash.sum[1] ^ tally_load_be64(block + 8), tag + 8);
    tally_wipe(block, sizeof block);
    tally_wipe(&hash, sizeof hash);
}

/* The counter's last 4 bytes do not wrap around: a message is shorter than that. */
static void gcm_crypt(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *in,
                      size_t size, uint8_t *out)
{
    uint8_t counter[16];
    if (size > 0) {
        memcpy(counter, nonce, 12);
        tally_store_be32(2, counter + 12);
        tally_aes_ctr(key, counter, in, size, out);
    }
}

void tally_gcm_seal(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *in, size_t size, uint8_t *out,
                    uint8_t tag[16])
{
    gcm_crypt(key, nonce, in, size, out);
    gcm_tag(key, nonce, associated, associated_size, out, size, tag);
}

int tally_gcm_open(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                   size_t associated_size, const uint8_t *in, size_t size, const uint8_t tag[16],
                   uint8_t *out)
{
    uint8_t expected[16], differ = 0;
    gcm_tag(key, nonce, associated, associated_size, in, size, expected);
    for (int i = 0; i < 16; i++) {
        differ |= (uint8_t)(expected[i] ^ tag[i]);
    }
    tally_wipe(expected, sizeof expected);
    if (differ != 0) {
        return 0;
    }
    gcm_crypt(key, nonce, in, size, out);
    return 1;
}

/* ---- core/aes/vaes_avx2.c ---- */
/*
 * AES by VAES on vectors of 256 bits, for CPUs without AVX-512: the AES-NI instructions on two
 * blocks at once. Key schedules, and CBC-MAC of one or two messages, are those of AES-NI. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/aes/aesni.h, again ---- */

#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <tmmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <wmmintrin.h>
TALLY_VISIBILITY_POP

#define TALLY_AESNI_TARGET __attribute__((target("aes,ssse3")))
#define TALLY_AESNI_INLINE static inline __attribute__((always_inline)) TALLY_AESNI_TARGET

TALLY_AESNI_INLINE __m128i tally_aesni_load(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

TALLY_AESNI_INLINE void tally_aesni_store(__m128i block, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)(void *)out, block);
}

TALLY_AESNI_INLINE __m128i tally_aesni_load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    __m128i block = tally_aesni_load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

TALLY_AESNI_INLINE void tally_aesni_store_part(__m128i block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    tally_aesni_store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

TALLY_AESNI_INLINE __m128i tally_aesni_reverse(__m128i block)
{
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

void tally_aesni_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_aesni_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_aesni_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                              const uint8_t *in, size_t blocks, uint8_t *out);
void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                     uint8_t *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define AES(name)  aes_vaes_avx2_##name
#define AES_TARGET __attribute__((target("aes,vaes,avx2")))
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  2
#define AES_WIDE 8

/* Vectors of one block are the fastest for one or two. */
#define AES_FEW         2
#define AES_FEW_BLOCKS  tally_aesni_crypt_blocks
#define AES_FEW_CTR     tally_aesni_ctr
#define AES_FEW_CBC_MAC tally_aesni_cbc_mac

#define AES_VEC __m256i

AES_INLINE AES_VEC AES(load)(const uint8_t *in)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)in);
}

AES_INLINE void AES(store)(AES_VEC blocks, uint8_t *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out, blocks);
}

AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    if (size < 16) {
        return _mm256_zextsi128_si256(tally_aesni_load_part(in, size));
    }
    /* The part is loaded first: values that live across a call are copied to the stack, unwiped. */
    __m128i rest = _mm_setzero_si128();
    if (size > 16) {
        rest = tally_aesni_load_part(in + 16, size - 16);
    }
    return _mm256_inserti128_si256(_mm256_zextsi128_si256(tally_aesni_load(in)), rest, 1);
}

AES_INLINE void AES(store_part)(AES_VEC blocks, size_t size, uint8_t *out)
{
    if (size < 16) {
        tally_aesni_store_part(_mm256_castsi256_si128(blocks), size, out);
        return;
    }
    tally_aesni_store(_mm256_castsi256_si128(blocks), out);
    if (size > 16) {
        tally_aesni_store_part(_mm256_extracti128_si256(blocks, 1), size - 16, out + 16);
    }
}

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    AES_VEC first = _mm256_castsi128_si256(tally_aesni_load(messages[0] + at));
    return _mm256_inserti128_si256(first, tally_aesni_load(messages[1] + at), 1);
}

AES_INLINE AES_VEC AES(round_key)(const uint8_t key[16])
{
    return _mm256_broadcastsi128_si256(tally_aesni_load(key));
}

#define AES_LOAD                   AES(load)
#define AES_STORE                  AES(store)
#define AES_LOAD_PART              AES(load_part)
#define AES_STORE_PART             AES(store_part)
#define AES_ROUND_KEY              AES(round_key)
#define AES_XOR                    _mm256_xor_si256
#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm256_xor_si256(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenc_epi128(b, k) : _mm256_aesdec_epi128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm256_aesenclast_epi128(b, k) : _mm256_aesdeclast_epi128(b, k))

/* As in aesni.c, with block 1 from the counter in the upper half. */
typedef struct AES(counter) {
    struct tally_counter number;
    AES_VEC base, until_carry;
} AES(counter);

AES_INLINE void AES(counter_set)(AES(counter) * c)
{
    c->base = _mm256_broadcastsi128_si256(
        _mm_set_epi64x((long long)c->number.high, (long long)c->number.low));
    c->until_carry = _mm256_set1_epi32(tally_counter_until_carry(c->number.low));
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    AES(counter) c = {.number = tally_counter_load(counter)};
    AES(counter_set)(&c);
    return c;
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const AES_VEC reverse = _mm256_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f,
                                              0x0001020304050607, 0x08090a0b0c0d0e0f);
    const int j = 2 * i + 1;
    AES_VEC carry =
        _mm256_cmpgt_epi32(_mm256_set_epi32(j, j, 0, 0, 2 * i, 2 * i, 0, 0), c->until_carry);
    AES_VEC sum = _mm256_add_epi64(c->base, _mm256_set_epi64x(0, j, 0, 2 * i));
    return _mm256_shuffle_epi8(_mm256_sub_epi64(sum, carry), reverse);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    tally_counter_add(&c->number, blocks);
    AES(counter_set)(c);
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    tally_aesni_store(tally_aesni_reverse(_mm256_castsi256_si128(c->base)), counter);
}

/* ---- core/aes/instructions_body.h, again ---- */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define AES_BYTES          (16 * AES_PER)
#define AES_UNROLL         TALLY_UNROLL(16)
#define AES_EACH(i, count) AES_UNROLL for (int i = 0; i < (count); i++)

AES_INLINE void AES(middle_rounds)(const uint8_t (*keys)[16], const tally_direction direction,
                                   const int first, const int after, const int count, AES_VEC *b)
{
    AES_EACH(round, after - first)
    {
        AES_VEC k = AES_ROUND_KEY(keys[first + round + AES_KEY_OF_MIDDLE]);
        AES_EACH(i, count)
        {
            b[i] = AES_MIDDLE(b[i], direction, k);
        }
    }
}

AES_INLINE void AES(rounds)(const tally_aes_key *key, const tally_direction direction,
                            const int count, AES_VEC *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const AES_VEC first = AES_ROUND_KEY(keys[0]);
    (void)first;
    AES_EACH(i, count)
    {
        b[i] = AES_BEGIN(b[i], direction, first);
    }
    AES(middle_rounds)(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        AES(middle_rounds)(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        AES(middle_rounds)(keys, direction, 12, 14, count, b);
    }
    const AES_VEC before = AES_ROUND_KEY(keys[key->rounds - 1]),
                  last = AES_ROUND_KEY(keys[key->rounds]);
    (void)before;
    AES_EACH(i, count)
    {
        b[i] = AES_END(b[i], direction, before, last);
    }
}

AES_INLINE void AES(run_some)(const tally_aes_key *key, const tally_direction direction,
                              const int count, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(in + AES_BYTES * i);
    }
    AES(rounds)(key, direction, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(b[i], out + AES_BYTES * i);
    }
}

#define AES_RUN_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(run_some)(key, direction, (count), in, out);                                           \
        in += (count)*AES_BYTES;                                                                   \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(run)(const tally_aes_key *key, const tally_direction direction,
                         const uint8_t *in, size_t size, uint8_t *out)
{
    for (; size >= AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
        AES(run_some)(key, direction, AES_WIDE, in, out);
        in += AES_WIDE * AES_BYTES;
        out += AES_WIDE * AES_BYTES;
    }
    AES_RUN_IF(8)
    AES_RUN_IF(4)
    AES_RUN_IF(2)
    AES_RUN_IF(1)
    if (AES_PER > 1 && size % AES_BYTES != 0) {
        AES_VEC b = AES_LOAD_PART(in, size % AES_BYTES);
        AES(rounds)(key, direction, 1, &b);
        AES_STORE_PART(b, size % AES_BYTES, out);
    }
}

#if AES_FEW == 0
#define AES_FEW_BLOCKS(key, direction, in, blocks, out)       ((void)0)
#define AES_FEW_CTR(key, counter, in, size, out)              ((void)0)
#define AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains) ((void)0)
#endif

AES_TARGET static void AES(crypt_blocks)(const tally_aes_key *key, const tally_direction direction,
                                         const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (blocks <= AES_FEW) {
        AES_FEW_BLOCKS(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        AES(run)(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    } else {
        AES(run)(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

AES_INLINE void AES(count_some)(AES(counter) * counter, const int vectors, AES_VEC *b)
{
    AES_EACH(i, vectors)
    {
        b[i] = AES(counter_block)(counter, i);
    }
    AES(counter_skip)(counter, (uint64_t)vectors * AES_PER);
}

AES_INLINE void AES(stream_some)(const tally_aes_key *key, const int count, const int xors,
                                 AES_VEC *b, const uint8_t *in, uint8_t *out)
{
    AES(rounds)(key, TALLY_ENCRYPT, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(xors ? AES_XOR(b[i], AES_LOAD(in + AES_BYTES * i)) : b[i], out + AES_BYTES * i);
    }
}

AES_INLINE void AES(ctr_some)(const tally_aes_key *key, const int count, AES(counter) * counter,
                              const int xors, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES(count_some)(counter, count, b);
    AES(stream_some)(key, count, xors, b, in, out);
}

#define AES_CTR_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(ctr_some)(key, (count), counter, xors, in, out);                                       \
        in = xors ? in + (count)*AES_BYTES : NULL;                                                 \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(ctr_run)(const tally_aes_key *key, AES(counter) * counter, const int xors,
                             const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >=
        2 * AES_WIDE * AES_BYTES) {
        AES_VEC b[AES_WIDE], next[AES_WIDE];
        AES(count_some)(counter, AES_WIDE, next);
        for (; size >= 2 * AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
            memcpy(b, next, sizeof b);
            AES(count_some)(counter, AES_WIDE, next);
            AES(stream_some)(key, AES_WIDE, xors, b, in, out);
            in = xors ? in + AES_WIDE * AES_BYTES : NULL;
            out += AES_WIDE * AES_BYTES;
        }
        AES(stream_some)(key, AES_WIDE, xors, next, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    if (size >= AES_WIDE * AES_BYTES) {
        AES(ctr_some)(key, AES_WIDE, counter, xors, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    AES_CTR_IF(8)
    AES_CTR_IF(4)
    AES_CTR_IF(2)
    AES_CTR_IF(1)
    const size_t rest = size % AES_BYTES;
    if (rest != 0) {
        AES_VEC b = AES(counter_block)(counter, 0);
        AES(counter_skip)(counter, (rest + 15) / 16);
        AES(rounds)(key, TALLY_ENCRYPT, 1, &b);
        AES_STORE_PART(xors ? AES_XOR(b, AES_LOAD_PART(in, rest)) : b, rest, out);
    }
}

AES_TARGET static void AES(ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                                size_t size, uint8_t *out)
{
    if (size <= 16 * AES_FEW) {
        AES_FEW_CTR(key, counter, in, size, out);
        return;
    }
    AES(counter) now = AES(counter_load)(counter);
    if (in != NULL) {
        AES(ctr_run)(key, &now, 1, in, size, out);
    } else {
        AES(ctr_run)(key, &now, 0, NULL, size, out);
    }
    AES(counter_store)(&now, counter);
}

AES_INLINE const tally_aes_key *AES(hidden)(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

AES_INLINE void AES(cbc_mac_all)(const tally_aes_key *key, const int count,
                                 const uint8_t *const messages[], size_t blocks,
                                 uint8_t chains[][16])
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(chains[AES_PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        AES_EACH(i, count)
        {
            b[i] = AES_XOR(b[i], AES(gather)(messages + AES_PER * i, 16 * block));
        }
        AES(rounds)(AES(hidden)(key), TALLY_ENCRYPT, count, b);
    }
    AES_EACH(i, count)
    {
        AES_STORE(b[i], chains[AES_PER * i]);
    }
}

AES_INLINE void AES(cbc_mac_some)(const tally_aes_key *key, const int count, size_t lanes,
                                  const uint8_t *const messages[], size_t blocks,
                                  uint8_t chains[][16])
{
    const size_t all = AES_PER * (size_t)count;
    if (lanes == all) {
        AES(cbc_mac_all)(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[AES_PER * AES_WIDE];
    uint8_t ends[AES_PER * AES_WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    AES(cbc_mac_all)(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

AES_TARGET static void AES(cbc_mac)(const tally_aes_key *key, size_t lanes,
                                    const uint8_t *const messages[], size_t blocks,
                                    uint8_t chains[][16])
{
    if (lanes <= AES_FEW) {
        AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < AES_PER * AES_WIDE ? lanes : AES_PER * AES_WIDE;
        if (AES_WIDE > 8 && some > 8 * AES_PER) {
            AES(cbc_mac_some)(key, AES_WIDE, some, messages, blocks, chains);
        } else if (some > 4 * AES_PER) {
            AES(cbc_mac_some)(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * AES_PER) {
            AES(cbc_mac_some)(key, 4, some, messages, blocks, chains);
        } else if (some > AES_PER) {
            AES(cbc_mac_some)(key, 2, some, messages, blocks, chains);
        } else {
            AES(cbc_mac_some)(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

#undef AES
#undef AES_BEGIN
#undef AES_BYTES
#undef AES_CTR_IF
#undef AES_EACH
#undef AES_END
#undef AES_FEW
#undef AES_FEW_BLOCKS
#undef AES_FEW_CBC_MAC
#undef AES_FEW_CTR
#undef AES_INLINE
#undef AES_KEY_OF_MIDDLE
#undef AES_LOAD
#undef AES_LOAD_PART
#undef AES_MIDDLE
#undef AES_PER
#undef AES_ROUND_KEY
#undef AES_RUN_IF
#undef AES_STORE
#undef AES_STORE_PART
#undef AES_TARGET
#undef AES_UNROLL
#undef AES_VEC
#undef AES_WIDE
#undef AES_XOR

const struct tally_aes_backend tally_aes_vaes_avx2 = {
    .backend = {"vaes-avx2", TALLY_CPU_VAES | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = aes_vaes_avx2_crypt_blocks,
    .ctr = aes_vaes_avx2_ctr,
    .cbc_mac = aes_vaes_avx2_cbc_mac,
};

#else
typedef int tally_aes_vaes_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/aes/vaes_avx512.c ---- */
/*
 * AES by VAES with AVX-512: the AES-NI instructions on four blocks at once. Key schedules, and
 * CBC-MAC of one or two messages, are those of AES-NI. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/aes/aesni.h, again ---- */

#ifndef TALLY_AES_AESNI_H
#define TALLY_AES_AESNI_H

TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <tmmintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <wmmintrin.h>
TALLY_VISIBILITY_POP

#define TALLY_AESNI_TARGET __attribute__((target("aes,ssse3")))
#define TALLY_AESNI_INLINE static inline __attribute__((always_inline)) TALLY_AESNI_TARGET

TALLY_AESNI_INLINE __m128i tally_aesni_load(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

TALLY_AESNI_INLINE void tally_aesni_store(__m128i block, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)(void *)out, block);
}

TALLY_AESNI_INLINE __m128i tally_aesni_load_part(const uint8_t *in, size_t size)
{
    uint8_t bytes[16] = {0};
    memcpy(bytes, in, size);
    __m128i block = tally_aesni_load(bytes);
    tally_wipe(bytes, sizeof bytes);
    return block;
}

TALLY_AESNI_INLINE void tally_aesni_store_part(__m128i block, size_t size, uint8_t *out)
{
    uint8_t bytes[16];
    tally_aesni_store(block, bytes);
    memcpy(out, bytes, size);
    tally_wipe(bytes, sizeof bytes);
}

TALLY_AESNI_INLINE __m128i tally_aesni_reverse(__m128i block)
{
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

void tally_aesni_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out);
void tally_aesni_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys);
void tally_aesni_key_init_round_keys(const uint8_t *round_keys, tally_aes_key *out);
void tally_aesni_crypt_blocks(const tally_aes_key *key, tally_direction direction,
                              const uint8_t *in, size_t blocks, uint8_t *out);
void tally_aesni_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                     uint8_t *out);
void tally_aesni_cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                         size_t blocks, uint8_t chains[][16]);

#endif

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define AES(name)  aes_vaes_avx512_##name
#define AES_TARGET __attribute__((target("aes,vaes,avx512f,avx512bw,avx512vl,bmi2")))
#define AES_INLINE static inline __attribute__((always_inline)) AES_TARGET

#define AES_PER  4
#define AES_WIDE 16

/* Vectors of one block are the fastest for one or two. */
#define AES_FEW         2
#define AES_FEW_BLOCKS  tally_aesni_crypt_blocks
#define AES_FEW_CTR     tally_aesni_ctr
#define AES_FEW_CBC_MAC tally_aesni_cbc_mac

#define AES_VEC __m512i

#define AES_LOAD(in)       _mm512_loadu_si512((const void *)(in))
#define AES_STORE(b, to)   _mm512_storeu_si512((void *)(to), b)
#define AES_ROUND_KEY(key) _mm512_broadcast_i32x4(tally_aesni_load(key))
#define AES_LOAD_PART      AES(load_part)
#define AES_STORE_PART     AES(store_part)
#define AES_XOR            _mm512_xor_si512

/* Whole blocks do without masks: a masked load takes longer, and a load after a masked store waits
 * until the store is in the cache. */
AES_INLINE AES_VEC AES(load_part)(const uint8_t *in, size_t size)
{
    if (size % 16 != 0) {
        return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (uint32_t)size), in);
    }
    if (size == 16) {
        return _mm512_zextsi128_si512(tally_aesni_load(in));
    }
    AES_VEC two = _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)in));
    return size == 32 ? two : _mm512_inserti32x4(two, tally_aesni_load(in + 32), 2);
}

AES_INLINE void AES(store_part)(AES_VEC blocks, size_t size, uint8_t *out)
{
    if (size % 16 != 0) {
        _mm512_mask_storeu_epi8(out, _bzhi_u64(UINT64_MAX, (uint32_t)size), blocks);
        return;
    }
    if (size == 16) {
        tally_aesni_store(_mm512_castsi512_si128(blocks), out);
        return;
    }
    _mm256_storeu_si256((void *)out, _mm512_castsi512_si256(blocks));
    if (size == 48) {
        tally_aesni_store(_mm512_extracti32x4_epi32(blocks, 2), out + 32);
    }
}

AES_INLINE AES_VEC AES(gather)(const uint8_t *const messages[], size_t at)
{
    AES_VEC v = _mm512_castsi128_si512(tally_aesni_load(messages[0] + at));
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[1] + at), 1);
    v = _mm512_inserti32x4(v, tally_aesni_load(messages[2] + at), 2);
    return _mm512_inserti32x4(v, tally_aesni_load(messages[3] + at), 3);
}

#define AES_KEY_OF_MIDDLE          0
#define AES_BEGIN(b, direction, k) _mm512_xor_si512(b, k)
#define AES_MIDDLE(b, direction, k)                                                                \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenc_epi128(b, k) : _mm512_aesdec_epi128(b, k))
#define AES_END(b, direction, before, k)                                                           \
    ((direction) == TALLY_ENCRYPT ? _mm512_aesenclast_epi128(b, k) : _mm512_aesdeclast_epi128(b, k))

/* The number four times, its lower half first, and in all lanes the greatest number that can be
 * added to that half without a carry. */
typedef struct AES(counter) {
    AES_VEC base, until_carry;
} AES(counter);

enum { AES_VAES_AVX512_LOWER = 0x55, AES_VAES_AVX512_UPPER = 0xaa };

AES_INLINE AES(counter) AES(counter_from)(AES_VEC base)
{
    return (AES(counter)){
        base, _mm512_xor_si512(_mm512_shuffle_epi32(base, _MM_PERM_BABA), _mm512_set1_epi64(-1))};
}

AES_INLINE AES(counter) AES(counter_load)(const uint8_t counter[16])
{
    return AES(counter_from)(
        _mm512_broadcast_i32x4(tally_aesni_reverse(tally_aesni_load(counter))));
}

AES_INLINE AES_VEC AES(counter_add)(const AES(counter) * c, AES_VEC blocks)
{
    AES_VEC sum = _mm512_mask_add_epi64(c->base, AES_VAES_AVX512_LOWER, c->base, blocks);
    __mmask8 carries = _mm512_mask_cmpgt_epu64_mask(AES_VAES_AVX512_UPPER, blocks, c->until_carry);
    return _mm512_mask_sub_epi64(sum, carries, sum, _mm512_set1_epi64(-1));
}

AES_INLINE AES_VEC AES(counter_block)(const AES(counter) * c, int i)
{
    const AES_VEC reverse =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
    AES_VEC blocks = _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                      _mm512_set1_epi64(4 * (long long)i));
    return _mm512_shuffle_epi8(AES(counter_add)(c, blocks), reverse);
}

AES_INLINE void AES(counter_skip)(AES(counter) * c, uint64_t blocks)
{
    *c = AES(counter_from)(AES(counter_add)(c, _mm512_set1_epi64((long long)blocks)));
}

AES_INLINE void AES(counter_store)(const AES(counter) * c, uint8_t counter[16])
{
    tally_aesni_store(tally_aesni_reverse(_mm512_castsi512_si128(c->base)), counter);
}

/* ---- core/aes/instructions_body.h, again ---- */

/* ---- core/base/unroll.h, again ---- */

#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

#define AES_BYTES          (16 * AES_PER)
#define AES_UNROLL         TALLY_UNROLL(16)
#define AES_EACH(i, count) AES_UNROLL for (int i = 0; i < (count); i++)

AES_INLINE void AES(middle_rounds)(const uint8_t (*keys)[16], const tally_direction direction,
                                   const int first, const int after, const int count, AES_VEC *b)
{
    AES_EACH(round, after - first)
    {
        AES_VEC k = AES_ROUND_KEY(keys[first + round + AES_KEY_OF_MIDDLE]);
        AES_EACH(i, count)
        {
            b[i] = AES_MIDDLE(b[i], direction, k);
        }
    }
}

AES_INLINE void AES(rounds)(const tally_aes_key *key, const tally_direction direction,
                            const int count, AES_VEC *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const AES_VEC first = AES_ROUND_KEY(keys[0]);
    (void)first;
    AES_EACH(i, count)
    {
        b[i] = AES_BEGIN(b[i], direction, first);
    }
    AES(middle_rounds)(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        AES(middle_rounds)(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        AES(middle_rounds)(keys, direction, 12, 14, count, b);
    }
    const AES_VEC before = AES_ROUND_KEY(keys[key->rounds - 1]),
                  last = AES_ROUND_KEY(keys[key->rounds]);
    (void)before;
    AES_EACH(i, count)
    {
        b[i] = AES_END(b[i], direction, before, last);
    }
}

AES_INLINE void AES(run_some)(const tally_aes_key *key, const tally_direction direction,
                              const int count, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(in + AES_BYTES * i);
    }
    AES(rounds)(key, direction, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(b[i], out + AES_BYTES * i);
    }
}

#define AES_RUN_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(run_some)(key, direction, (count), in, out);                                           \
        in += (count)*AES_BYTES;                                                                   \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(run)(const tally_aes_key *key, const tally_direction direction,
                         const uint8_t *in, size_t size, uint8_t *out)
{
    for (; size >= AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
        AES(run_some)(key, direction, AES_WIDE, in, out);
        in += AES_WIDE * AES_BYTES;
        out += AES_WIDE * AES_BYTES;
    }
    AES_RUN_IF(8)
    AES_RUN_IF(4)
    AES_RUN_IF(2)
    AES_RUN_IF(1)
    if (AES_PER > 1 && size % AES_BYTES != 0) {
        AES_VEC b = AES_LOAD_PART(in, size % AES_BYTES);
        AES(rounds)(key, direction, 1, &b);
        AES_STORE_PART(b, size % AES_BYTES, out);
    }
}

#if AES_FEW == 0
#define AES_FEW_BLOCKS(key, direction, in, blocks, out)       ((void)0)
#define AES_FEW_CTR(key, counter, in, size, out)              ((void)0)
#define AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains) ((void)0)
#endif

AES_TARGET static void AES(crypt_blocks)(const tally_aes_key *key, const tally_direction direction,
                                         const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (blocks <= AES_FEW) {
        AES_FEW_BLOCKS(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        AES(run)(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    } else {
        AES(run)(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

AES_INLINE void AES(count_some)(AES(counter) * counter, const int vectors, AES_VEC *b)
{
    AES_EACH(i, vectors)
    {
        b[i] = AES(counter_block)(counter, i);
    }
    AES(counter_skip)(counter, (uint64_t)vectors * AES_PER);
}

AES_INLINE void AES(stream_some)(const tally_aes_key *key, const int count, const int xors,
                                 AES_VEC *b, const uint8_t *in, uint8_t *out)
{
    AES(rounds)(key, TALLY_ENCRYPT, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(xors ? AES_XOR(b[i], AES_LOAD(in + AES_BYTES * i)) : b[i], out + AES_BYTES * i);
    }
}

AES_INLINE void AES(ctr_some)(const tally_aes_key *key, const int count, AES(counter) * counter,
                              const int xors, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES(count_some)(counter, count, b);
    AES(stream_some)(key, count, xors, b, in, out);
}

#define AES_CTR_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(ctr_some)(key, (count), counter, xors, in, out);                                       \
        in = xors ? in + (count)*AES_BYTES : NULL;                                                 \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(ctr_run)(const tally_aes_key *key, AES(counter) * counter, const int xors,
                             const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >=
        2 * AES_WIDE * AES_BYTES) {
        AES_VEC b[AES_WIDE], next[AES_WIDE];
        AES(count_some)(counter, AES_WIDE, next);
        for (; size >= 2 * AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
            memcpy(b, next, sizeof b);
            AES(count_some)(counter, AES_WIDE, next);
            AES(stream_some)(key, AES_WIDE, xors, b, in, out);
            in = xors ? in + AES_WIDE * AES_BYTES : NULL;
            out += AES_WIDE * AES_BYTES;
        }
        AES(stream_some)(key, AES_WIDE, xors, next, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    if (size >= AES_WIDE * AES_BYTES) {
        AES(ctr_some)(key, AES_WIDE, counter, xors, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    AES_CTR_IF(8)
    AES_CTR_IF(4)
    AES_CTR_IF(2)
    AES_CTR_IF(1)
    const size_t rest = size % AES_BYTES;
    if (rest != 0) {
        AES_VEC b = AES(counter_block)(counter, 0);
        AES(counter_skip)(counter, (rest + 15) / 16);
        AES(rounds)(key, TALLY_ENCRYPT, 1, &b);
        AES_STORE_PART(xors ? AES_XOR(b, AES_LOAD_PART(in, rest)) : b, rest, out);
    }
}

AES_TARGET static void AES(ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                                size_t size, uint8_t *out)
{
    if (size <= 16 * AES_FEW) {
        AES_FEW_CTR(key, counter, in, size, out);
        return;
    }
    AES(counter) now = AES(counter_load)(counter);
    if (in != NULL) {
        AES(ctr_run)(key, &now, 1, in, size, out);
    } else {
        AES(ctr_run)(key, &now, 0, NULL, size, out);
    }
    AES(counter_store)(&now, counter);
}

AES_INLINE const tally_aes_key *AES(hidden)(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

AES_INLINE void AES(cbc_mac_all)(const tally_aes_key *key, const int count,
                                 const uint8_t *const messages[], size_t blocks,
                                 uint8_t chains[][16])
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(chains[AES_PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        AES_EACH(i, count)
        {
            b[i] = AES_XOR(b[i], AES(gather)(messages + AES_PER * i, 16 * block));
        }
        AES(rounds)(AES(hidden)(key), TALLY_ENCRYPT, count, b);
    }
    AES_EACH(i, count)
    {
        AES_STORE(b[i], chains[AES_PER * i]);
    }
}

AES_INLINE void AES(cbc_mac_some)(const tally_aes_key *key, const int count, size_t lanes,
                                  const uint8_t *const messages[], size_t blocks,
                                  uint8_t chains[][16])
{
    const size_t all = AES_PER * (size_t)count;
    if (lanes == all) {
        AES(cbc_mac_all)(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[AES_PER * AES_WIDE];
    uint8_t ends[AES_PER * AES_WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    AES(cbc_mac_all)(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

AES_TARGET static void AES(cbc_mac)(const tally_aes_key *key, size_t lanes,
                                    const uint8_t *const messages[], size_t blocks,
                                    uint8_t chains[][16])
{
    if (lanes <= AES_FEW) {
        AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < AES_PER * AES_WIDE ? lanes : AES_PER * AES_WIDE;
        if (AES_WIDE > 8 && some > 8 * AES_PER) {
            AES(cbc_mac_some)(key, AES_WIDE, some, messages, blocks, chains);
        } else if (some > 4 * AES_PER) {
            AES(cbc_mac_some)(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * AES_PER) {
            AES(cbc_mac_some)(key, 4, some, messages, blocks, chains);
        } else if (some > AES_PER) {
            AES(cbc_mac_some)(key, 2, some, messages, blocks, chains);
        } else {
            AES(cbc_mac_some)(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

#undef AES
#undef AES_BEGIN
#undef AES_BYTES
#undef AES_CTR_IF
#undef AES_EACH
#undef AES_END
#undef AES_FEW
#undef AES_FEW_BLOCKS
#undef AES_FEW_CBC_MAC
#undef AES_FEW_CTR
#undef AES_INLINE
#undef AES_KEY_OF_MIDDLE
#undef AES_LOAD
#undef AES_LOAD_PART
#undef AES_MIDDLE
#undef AES_PER
#undef AES_ROUND_KEY
#undef AES_RUN_IF
#undef AES_STORE
#undef AES_STORE_PART
#undef AES_TARGET
#undef AES_UNROLL
#undef AES_VEC
#undef AES_WIDE
#undef AES_XOR

const struct tally_aes_backend tally_aes_vaes_avx512 = {
    .backend = {"vaes-avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512 | TALLY_CPU_BMI2 | TALLY_CPU_AVX2 |
                                   TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    .key_init = tally_aesni_key_init,
    .expand = tally_aesni_expand,
    .key_init_round_keys = tally_aesni_key_init_round_keys,
    .keys_init = tally_aes_keys_init_singly,
    .crypt_blocks = aes_vaes_avx512_crypt_blocks,
    .ctr = aes_vaes_avx512_ctr,
    .cbc_mac = aes_vaes_avx512_cbc_mac,
};

#else
typedef int tally_aes_vaes_avx512_is_for_x86_64; /* a file may not be empty */
#endif

TALLY_VISIBILITY_POP
