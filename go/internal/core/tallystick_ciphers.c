//go:build cgo

#define TALLY_AES_MINIMAL
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-tree-pre", "no-code-hoisting")
#pragma GCC optimize("no-predictive-commoning", "no-thread-jumps")
#endif
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: aes, base, ff1, gf256, sha2. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif

#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#if !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif
#if !defined(__BSD_VISIBLE)
#define __BSD_VISIBLE 1
#endif
#if !defined(_NETBSD_SOURCE)
#define _NETBSD_SOURCE 1
#endif

#include "tallystick.h"

#include <stdatomic.h>
#include <stddef.h>
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
 * The last back end of a table needs no CPU feature. It may be NULL, where a module has other code for
 * every CPU. */
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

/* The first back end of a table that needs no CPU features but these, or else the last one. Cast the
 * result to the module's struct. */
static inline const tally_backend *tally_dispatch_within(const tally_backend *const table[],
                                                         size_t count, uint32_t features)
{
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

/* The first back end of a table that lacks nothing. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    return tally_dispatch_within(table, count, tally_cpu_features());
}

#endif

/* TALLY_AES_MINIMAL leaves out what Go never runs, because Go compiles the core on the machine of its
 * user: the bit-sliced code for AVX2 and AVX-512. CPUs with these have AES instructions; where a
 * hypervisor hides them, bitslice_ssse3.c takes over. */
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
extern const struct tally_aes_backend tally_aes_bitslice_simd128;
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

/* A module of WebAssembly has SIMD128 as a whole or not at all: there is nothing to detect. */
#if defined(__wasm_simd128__)
#define TALLY_ARCH_WASM_SIMD128 1
#endif

#endif

_Static_assert(sizeof(void *) != 8 || sizeof(tally_aes_key) == 1280,
               "the size of a key is part of the ABI");

/* The fastest first; the last one runs everywhere. */
static const tally_backend *const aes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_aes_vaes_avx512.backend,     &tally_aes_vaes_avx2.backend,     &tally_aes_aesni.backend,
#if !defined(TALLY_AES_MINIMAL)
    &tally_aes_bitslice_avx512.backend, &tally_aes_bitslice_avx2.backend,
#endif
    &tally_aes_bitslice_ssse3.backend,  &tally_aes_bitslice_sse2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_aes_armv8.backend,
    &tally_aes_bitslice_neon.backend,
#elif defined(TALLY_ARCH_WASM_SIMD128)
    &tally_aes_bitslice_simd128.backend,
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
#include <stddef.h>
TALLY_VISIBILITY_POP
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

/* Hides an address, so that it is computed as it is written. */
static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
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
#include <stddef.h>
TALLY_VISIBILITY_POP
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

/* Up to eight bytes as a number that differs for different bytes of one size. memcpy of a size that
 * is not constant is a call, which takes longer. */
static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last; /* which overlap */
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
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
#include <stddef.h>
TALLY_VISIBILITY_POP
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

static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
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
#include <stddef.h>
TALLY_VISIBILITY_POP
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

static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
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
#include <stddef.h>
TALLY_VISIBILITY_POP
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

static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
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

static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
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

static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
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

/* ---- core/aes/bitslice_neon.c ---- */
/*
 * Bit-sliced AES on NEON: eight blocks at a time, for AArch64 without its AES instructions. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
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
    for (size_t i = 0; i < chosen && tally_aes_backend_at(i, &choice); i++) {
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
    uint8_t expected[16];
    gcm_tag(key, nonce, associated, associated_size, in, size, expected);
    const int is_right = tally_equal(expected, tag, 16);
    tally_wipe(expected, sizeof expected);
    if (!is_right) {
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

/* ---- core/base/allocator.c ---- */
/*
 * See allocator.h. */
#define _DEFAULT_SOURCE 1 /* strict C11 hides madvise */

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

#if __STDC_HOSTED__
TALLY_VISIBILITY_DEFAULT
#include <stdlib.h>
TALLY_VISIBILITY_POP
#if defined(__linux__)
TALLY_VISIBILITY_DEFAULT
#include <sys/mman.h>
TALLY_VISIBILITY_POP
#endif

/* Large memory comes new from the system at each call, page by page as it is written: with small
 * pages that is a fifth of the time of a column. Only asks for large ones. */
static void *allocator_malloc(size_t size)
{
    void *memory = malloc(size);
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)1 << 21, start = (uintptr_t)memory;
    const uintptr_t first = (start + page - 1) / page * page, end = (start + size) / page * page;
    if (memory != NULL && size >= 2 * page && first < end) {
        (void)madvise((void *)first, (size_t)(end - first), MADV_HUGEPAGE);
    }
#endif
    return memory;
}
#endif

void *tally_allocate(const tally_allocator *allocator, size_t size)
{
    if (size == 0) {
        size = 1;
    }
    if (allocator != NULL && allocator->allocate != NULL) {
        return allocator->allocate(allocator->context, size);
    }
#if __STDC_HOSTED__
    return allocator_malloc(size);
#else
    return NULL;
#endif
}

void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : tally_allocate(allocator, count * size);
}

void tally_release(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory == NULL) {
        return;
    }
    if (allocator != NULL && allocator->release != NULL) {
        allocator->release(allocator->context, memory, size == 0 ? 1 : size);
        return;
    }
#if __STDC_HOSTED__
    free(memory);
#endif
}

void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL) {
        tally_wipe(memory, size);
        tally_release(allocator, memory, size);
    }
}

/* ---- core/base/cpu.c ---- */
/*
 * CPU features: one table with where CPUID reports each (Intel SDM, volume 2A, CPUID), and which
 * register state the operating system must save for it (XCR0, volume 1, section 13.3). Detected on
 * first use, because CPUID traps in virtual machines and then costs microseconds. */

/* ---- core/base/cpu.h ---- */
/*
 * CPU features for tests: one machine reaches every back end that it has. Not part of the public
 * API. */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

/* Disables the CPU features that are not in `allowed` and returns the features that remain.
 * UINT32_MAX restores all features. Existing keys and pools do not change their back end. Do not
 * call it while other threads set up keys. */
uint32_t tally_cpu_lower(uint32_t allowed);

#endif

#define CPU_DETECTED (UINT32_C(1) << 31) /* so that 0 means: not yet detected */

static _Atomic uint32_t cpu_features_found, cpu_features_in_use;

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <cpuid.h>
TALLY_VISIBILITY_POP

enum { CPU_EAX, CPU_EBX, CPU_ECX, CPU_EDX };
enum {
    CPU_STATE_SSE = 1 << 1,
    CPU_STATE_AVX = CPU_STATE_SSE | 1 << 2,
    CPU_STATE_AVX512 = CPU_STATE_AVX | 1 << 5 | 1 << 6 | 1 << 7
};

#define CPU_BIT(n) (UINT32_C(1) << (n))

/* A feature needs every row that names it. Rows of one leaf follow each other, leaf 1 first. */
static const struct {
    uint32_t feature;
    uint32_t leaf, cpuid_register, bits;
    uint32_t state;
} cpu_table[] = {
    {TALLY_CPU_SSE2, 1, CPU_EDX, CPU_BIT(26), CPU_STATE_SSE},
    {TALLY_CPU_SSSE3, 1, CPU_ECX, CPU_BIT(9), CPU_STATE_SSE},
    {TALLY_CPU_AESNI, 1, CPU_ECX, CPU_BIT(25), CPU_STATE_SSE},
    {TALLY_CPU_AVX2, 7, CPU_EBX, CPU_BIT(5), CPU_STATE_AVX},
    /* AVX512F, BW and VL, then VBMI or VBMI2; VBMI2's code uses BMI and IFMA too. */
    {TALLY_CPU_AVX512VBMI, 7, CPU_EBX, CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI, 7, CPU_ECX, CPU_BIT(1), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, CPU_EBX,
     CPU_BIT(3) | CPU_BIT(8) | CPU_BIT(16) | CPU_BIT(21) | CPU_BIT(30) | CPU_BIT(31),
     CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, CPU_ECX, CPU_BIT(1) | CPU_BIT(6), CPU_STATE_AVX512},
    {TALLY_CPU_VAES, 7, CPU_ECX, CPU_BIT(9), CPU_STATE_AVX},
    {TALLY_CPU_GFNI, 7, CPU_ECX, CPU_BIT(8), CPU_STATE_SSE},
    {TALLY_CPU_SHANI, 7, CPU_EBX, CPU_BIT(29), CPU_STATE_SSE},
    {TALLY_CPU_AVX512, 7, CPU_EBX, CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
    {TALLY_CPU_BMI2, 7, CPU_EBX, CPU_BIT(8), 0},
};

static void cpu_id(uint32_t leaf, uint32_t registers[4])
{
    registers[CPU_EAX] = registers[CPU_EBX] = registers[CPU_ECX] = registers[CPU_EDX] = 0;
    (void)__get_cpuid_count(leaf, 0, &registers[CPU_EAX], &registers[CPU_EBX], &registers[CPU_ECX],
                            &registers[CPU_EDX]);
}

/* XCR0. Without XSAVE it can't be read, but every 64-bit system saves SSE's registers. */
static uint32_t cpu_saved_state(const uint32_t leaf1[4])
{
    if ((leaf1[CPU_ECX] >> 27 & 1) == 0) { /* OSXSAVE */
        return CPU_STATE_SSE;
    }
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint32_t cpu_detect(void)
{
    uint32_t found = 0, missing = 0, leaf = 1, registers[4];
    cpu_id(leaf, registers);
    uint32_t state = cpu_saved_state(registers);
    for (size_t i = 0; i < sizeof cpu_table / sizeof cpu_table[0]; i++) {
        if (cpu_table[i].leaf != leaf) {
            leaf = cpu_table[i].leaf;
            cpu_id(leaf, registers);
        }
        if ((registers[cpu_table[i].cpuid_register] & cpu_table[i].bits) == cpu_table[i].bits &&
            (state & cpu_table[i].state) == cpu_table[i].state) {
            found |= cpu_table[i].feature;
        } else {
            missing |= cpu_table[i].feature;
        }
    }
    return found & ~missing;
}

#elif defined(TALLY_ARCH_AARCH64)

#if defined(__linux__)
TALLY_VISIBILITY_DEFAULT
#include <sys/auxv.h>
TALLY_VISIBILITY_POP

/* The features that the kernel lets programs use. */
static uint32_t cpu_detect_crypto(void)
{
    unsigned long found = getauxval(AT_HWCAP);
    return ((found & HWCAP_AES) != 0 ? TALLY_CPU_ARM_AES : 0) |
           ((found & HWCAP_SHA2) != 0 ? TALLY_CPU_ARM_SHA256 : 0) |
           ((found & HWCAP_SHA512) != 0 ? TALLY_CPU_ARM_SHA512 : 0);
}

#elif defined(__APPLE__)
TALLY_VISIBILITY_DEFAULT
#include <sys/sysctl.h>
TALLY_VISIBILITY_POP

static uint32_t cpu_if_present(const char *name, uint32_t feature)
{
    int present = 0;
    size_t size = sizeof present;
    return sysctlbyname(name, &present, &size, NULL, 0) == 0 && present != 0 ? feature : 0;
}

static uint32_t cpu_detect_crypto(void)
{
    return cpu_if_present("hw.optional.arm.FEAT_AES", TALLY_CPU_ARM_AES) |
           cpu_if_present("hw.optional.arm.FEAT_SHA256", TALLY_CPU_ARM_SHA256) |
           cpu_if_present("hw.optional.arm.FEAT_SHA512", TALLY_CPU_ARM_SHA512);
}

#else

/* The features that the compiler may use on every target machine. */
static uint32_t cpu_detect_crypto(void)
{
    uint32_t found = 0;
#if defined(__ARM_FEATURE_AES)
    found |= TALLY_CPU_ARM_AES;
#endif
#if defined(__ARM_FEATURE_SHA2)
    found |= TALLY_CPU_ARM_SHA256;
#endif
#if defined(__ARM_FEATURE_SHA512)
    found |= TALLY_CPU_ARM_SHA512;
#endif
    return found;
}

#endif

static uint32_t cpu_detect(void)
{
    return TALLY_CPU_NEON | cpu_detect_crypto(); /* every AArch64 system has NEON */
}

#else

static uint32_t cpu_detect(void)
{
    return 0;
}

#endif

uint32_t tally_cpu_features(void)
{
    uint32_t features = atomic_load_explicit(&cpu_features_in_use, memory_order_relaxed);
    if (features == 0) {
        return tally_cpu_lower(UINT32_MAX);
    }
    return features & ~CPU_DETECTED;
}

uint32_t tally_cpu_lower(uint32_t allowed)
{
    uint32_t found = atomic_load_explicit(&cpu_features_found, memory_order_relaxed);
    if (found == 0) {
        found = cpu_detect() | CPU_DETECTED;
        atomic_store_explicit(&cpu_features_found, found, memory_order_relaxed);
    }
    const uint32_t features = found & ~CPU_DETECTED & allowed;
    atomic_store_explicit(&cpu_features_in_use, features | CPU_DETECTED, memory_order_relaxed);
    return features;
}

const char *tally_cpu_feature_name(uint32_t feature)
{
    static const char *const names[] = {"ssse3",       "aes",       "avx2",       "avx512vbmi",
                                        "avx512vbmi2", "vaes",      "neon",       "gfni",
                                        "sha_ni",      "avx512",    "sha2 (Arm)", "sha512 (Arm)",
                                        "bmi2",        "aes (Arm)", "sse2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (feature == UINT32_C(1) << i) {
            return names[i];
        }
    }
    return NULL;
}

/* ---- core/base/entropy.c ---- */
/*
 * Entropy from the operating system's generator. entropy_fill writes up to `size` bytes
 * and returns how many, 0 on failure: system calls may write fewer bytes than requested. */
/* Strict C11 hides these calls; these macros declare them on each system. */

#if defined(_WIN32)
TALLY_VISIBILITY_DEFAULT
#include <windows.h>
TALLY_VISIBILITY_POP

TALLY_VISIBILITY_DEFAULT
#include <bcrypt.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ULONG chunk = size < 0x10000000 ? (ULONG)size : 0x10000000;
    NTSTATUS status = BCryptGenRandom(NULL, out, chunk, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status >= 0 ? chunk : 0;
}

#elif defined(__linux__)
TALLY_VISIBILITY_DEFAULT
#include <errno.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <sys/random.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ssize_t got;
    do {
        got = getrandom(out, size, 0);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
TALLY_VISIBILITY_DEFAULT
#include <sys/random.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <unistd.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    size_t chunk = size < 256 ? size : 256; /* the most that getentropy gives at once */
    return getentropy(out, chunk) == 0 ? chunk : 0;
}

#else

static size_t entropy_fill(uint8_t *out, size_t size)
{
    (void)out;
    (void)size;
    return 0;
}

#endif

tally_status tally_entropy(uint8_t *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t got = entropy_fill(out + done, size - done);
        if (got == 0) {
            tally_wipe(out, size);
            return TALLY_ERROR_ENTROPY;
        }
        done += got;
    }
    return TALLY_OK;
}

/* ---- core/base/nearest.c ---- */
/*
 * See nearest.h. The similarity of two names is twice the characters that match, by the total of
 * both. Matches are the longest common run, and those on its left and on its right. */

/* ---- core/base/nearest.h ---- */
/*
 * The name that a misspelt one may have meant: the answers of Python's difflib.get_close_matches
 * with n = 1 and its cutoff of 0.6, for names whose ASCII letters are all in lower case. */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

/* ---- core/base/writer.h ---- */
/*
 * Text into a buffer of fixed size: messages, identities, JSON. It is always zero-terminated. Text
 * that does not fit is cut at the end of a character, and the rest is counted alone. */
#ifndef TALLY_BASE_WRITER_H
#define TALLY_BASE_WRITER_H

/* ---- core/base/utf8.h ---- */
/*
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

enum { TALLY_UTF8_MAX_BYTES = 4 /* of a character */ };

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8. */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Decodes the character at text[*at], and moves *at behind it. A byte that does not begin valid
 * UTF-8 gives 0xdc00 plus the byte, and moves by one. *at < size. */
static inline uint32_t tally_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t point = 0xdc00U + bytes[*at];
    const uint32_t width = tally_utf8_decode(bytes + *at, bytes + size, &point);
    *at += width != 0 ? width : 1;
    return point;
}

#endif

typedef struct tally_writer {
    char *text;
    size_t capacity; /* with the zero, at least 1 */
    size_t size;     /* written, without the zero */
    size_t needed;   /* the size without the limit: the text is cut if needed > size */
} tally_writer;

/* Begins an empty text in a buffer of `capacity` bytes, at least 1. */
void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity);

/* Begins the text of a problem. Its place becomes empty. */
void tally_writer_problem(tally_writer *writer, tally_problem *problem);

void tally_write(tally_writer *writer, const char *text); /* zero-terminated */
void tally_write_bytes(tally_writer *writer, const char *text, size_t size);
void tally_write_char(tally_writer *writer, char c);
void tally_write_int(tally_writer *writer, int64_t value);
void tally_write_uint(tally_writer *writer, uint64_t value);

/* UTF-8 in quotes, as Python's repr writes a str: 'a', "it's", 'line\n'. Characters that many
 * terminals do not show are escaped; which code points are unassigned is not known here. */
void tally_write_repr(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of JSON in ASCII, as json.dumps(ensure_ascii=True) writes it. */
void tally_write_json(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of TOML. */
void tally_write_toml(tally_writer *writer, const char *text, size_t size);

/* A key as TOML writes it: bare, or in double quotes. */
void tally_write_key(tally_writer *writer, const char *key, size_t size);

/* Appends a key to a dotted path: the path's first key has no dot before it. */
void tally_write_path(tally_writer *writer, const char *key, size_t size);

/* Whether a character is shown: no control, no space but that of ASCII, nothing invisible, no
 * private use. As str.isprintable, but for code points that are not assigned. */
int tally_is_shown(uint32_t c);

#endif

enum { TALLY_NEAREST_CHARACTERS = 128 }; /* longer names are never near, nor have near ones */

/* The choices are offered one after the other. */
typedef struct tally_nearest {
    uint32_t name[TALLY_NEAREST_CHARACTERS];
    size_t characters; /* of the name; 0 for one that is too long */
    const char *best;  /* the nearest choice until now, or NULL */
    size_t best_size;
    uint32_t matches, total; /* its ratio is 2 * matches / total */
} tally_nearest;

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size);
void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size);

/* Says what a name may have meant: "; did you mean 'mask'?" */
void tally_write_meant(tally_writer *writer, const char *name, size_t size);

/* Says what a misspelt name may have meant, of some choices. Returns 0, and says nothing, if
 * no choice is near. The choices are zero-terminated. */
int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count);

/* Says what a misspelt name may have meant, or what there is: "; did you mean 'mask'?" or
 * "; there are: card, mask". The choices are zero-terminated. */
void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count);

#endif

typedef struct nearest_range {
    uint8_t a, a_end, b, b_end;
} nearest_range;

/* Decodes a name, with ASCII letters in lower case; returns its number of characters, or 0 if there are too many. */
static size_t nearest_decode(const char *text, size_t size, uint32_t *out)
{
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        if (count == TALLY_NEAREST_CHARACTERS) {
            return 0;
        }
        const uint32_t next = tally_utf8_next(text, size, &at);
        out[count++] = next - 'A' < 26 ? next + ('a' - 'A') : next;
    }
    return count;
}

/* The longest common run in a range; of several the first in a, and then the first in b. */
static size_t nearest_run(const uint32_t *a, const uint32_t *b, nearest_range range, size_t *at_a,
                          size_t *at_b)
{
    uint8_t runs[TALLY_NEAREST_CHARACTERS + 1] = {0}; /* [j + 1]: that which ends at a[i], b[j] */
    size_t longest = 0;
    for (size_t i = range.a; i < range.a_end; i++) {
        uint8_t diagonal = 0;
        for (size_t j = range.b; j < range.b_end; j++) {
            const uint8_t above = runs[j + 1];
            runs[j + 1] = a[i] == b[j] ? (uint8_t)(diagonal + 1) : 0;
            diagonal = above;
            if (runs[j + 1] > longest) {
                longest = runs[j + 1];
                *at_a = i + 1 - longest;
                *at_b = j + 1 - longest;
            }
        }
    }
    return longest;
}

static uint32_t nearest_matches(const uint32_t *a, size_t a_count, const uint32_t *b,
                                size_t b_count)
{
    /* Ranges that wait are disjoint in a, and none is empty. */
    nearest_range waiting[TALLY_NEAREST_CHARACTERS + 1];
    size_t count = 0;
    uint32_t matches = 0;
    waiting[count++] = (nearest_range){0, (uint8_t)a_count, 0, (uint8_t)b_count};
    while (count > 0) {
        const nearest_range range = waiting[--count];
        size_t i = 0, j = 0;
        const size_t run = nearest_run(a, b, range, &i, &j);
        if (run == 0) {
            continue;
        }
        matches += (uint32_t)run;
        if (range.a < i && range.b < j) {
            waiting[count++] = (nearest_range){range.a, (uint8_t)i, range.b, (uint8_t)j};
        }
        if (i + run < range.a_end && j + run < range.b_end) {
            waiting[count++] =
                (nearest_range){(uint8_t)(i + run), range.a_end, (uint8_t)(j + run), range.b_end};
        }
    }
    return matches;
}

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size)
{
    nearest->characters = nearest_decode(name, size, nearest->name);
    nearest->best = NULL;
    nearest->best_size = 0;
    nearest->matches = 0;
    nearest->total = 1;
}

/* Whether `choice` comes after the best one in the order of code points, which is that of bytes. */
static int nearest_is_greater(const tally_nearest *nearest, const char *choice, size_t size)
{
    const size_t common = size < nearest->best_size ? size : nearest->best_size;
    const int order = common == 0 ? 0 : memcmp(choice, nearest->best, common);
    return order > 0 || (order == 0 && size > nearest->best_size);
}

void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size)
{
    uint32_t decoded[TALLY_NEAREST_CHARACTERS];
    const size_t count = nearest_decode(choice, size, decoded);
    const uint32_t total = (uint32_t)(count + nearest->characters);
    uint32_t matches = 0;
    if (count == 0 || nearest->characters == 0) {
        return;
    }
    matches = nearest_matches(decoded, count, nearest->name, nearest->characters);
    const uint32_t ours = matches * nearest->total, best = nearest->matches * total;
    if (10 * matches >= 3 * total &&
        (nearest->best == NULL || ours > best ||
         (ours == best && nearest_is_greater(nearest, choice, size)))) {
        nearest->best = choice;
        nearest->best_size = size;
        nearest->matches = matches;
        nearest->total = total;
    }
}

void tally_write_meant(tally_writer *writer, const char *name, size_t size)
{
    tally_write(writer, "; did you mean ");
    tally_write_repr(writer, name, size);
    tally_write_char(writer, '?');
}

int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count)
{
    tally_nearest nearest;
    tally_nearest_init(&nearest, name, size);
    for (size_t i = 0; i < count; i++) {
        tally_nearest_offer(&nearest, choices[i], strlen(choices[i]));
    }
    if (nearest.best == NULL) {
        return 0;
    }
    tally_write_meant(writer, nearest.best, nearest.best_size);
    return 1;
}

void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count)
{
    if (tally_write_nearest(writer, name, size, choices, count)) {
        return;
    }
    tally_write(writer, "; there are: ");
    for (size_t i = 0; i < count; i++) {
        tally_write(writer, i == 0 ? "" : ", ");
        tally_write(writer, choices[i]);
    }
}

/* ---- core/base/sort.c ---- */
/*
 * See sort.h: a heap. */

/* ---- core/base/sort.h ---- */
/*
 * Sorting of pointers in place, in a time that no order of them makes long. Equal ones may change
 * places. */
#ifndef TALLY_BASE_SORT_H
#define TALLY_BASE_SORT_H

/* As strcmp: below 0 if a comes before b, 0 if they are equal. */
typedef int tally_compare(const void *a, const void *b);

void tally_sort(const void **items, size_t count, tally_compare *compare);

/* The first of sorted items that does not come before `wanted`; `count` if there is none. */
size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare);

#endif

static void sort_swap(const void **a, const void **b)
{
    const void *const swapped = *a;
    *a = *b;
    *b = swapped;
}

static void sort_sift(const void **heap, size_t count, size_t at, tally_compare *compare)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(heap[child], heap[child + 1]) < 0) {
            child++;
        }
        if (compare(heap[at], heap[child]) >= 0) {
            return;
        }
        sort_swap(&heap[at], &heap[child]);
        at = child;
    }
}

void tally_sort(const void **items, size_t count, tally_compare *compare)
{
    for (size_t i = count / 2; i-- > 0;) {
        sort_sift(items, count, i, compare);
    }
    for (size_t left = count; left-- > 1;) {
        sort_swap(&items[0], &items[left]);
        sort_sift(items, left, 0, compare);
    }
}

size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(items[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- core/base/wipe.c ---- */
/*
 * Wiping. A compiler may drop a memset of memory that is not read again, so the empty assembly
 * below claims to read it. Other compilers write through a volatile pointer. */

void tally_wipe(void *memory, size_t size)
{
    if (size == 0) {
        return;
    }
#if defined(__GNUC__)
    memset(memory, 0, size);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
#else
    volatile unsigned char *bytes = memory;
    while (size-- > 0) {
        *bytes++ = 0;
    }
#endif
}

/* ---- core/base/writer.c ---- */
/*
 * See writer.h. */

void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity)
{
    writer->text = buffer;
    writer->capacity = capacity;
    writer->size = 0;
    writer->needed = 0;
    buffer[0] = '\0';
}

void tally_writer_problem(tally_writer *writer, tally_problem *problem)
{
    problem->place[0] = '\0';
    tally_writer_init(writer, problem->text, sizeof problem->text);
}

void tally_write_bytes(tally_writer *writer, const char *text, size_t size)
{
    size_t fits = writer->capacity - 1 - writer->size;
    if (writer->needed > writer->size) { /* cut already: more text would leave a gap */
        fits = 0;
    }
    writer->needed += size;
    if (size > fits) {
        size = fits;
        while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) {
            size--; /* not within a character */
        }
    }
    if (size > 0) {
        memcpy(writer->text + writer->size, text, size);
        writer->size += size;
        writer->text[writer->size] = '\0';
    }
}

void tally_write(tally_writer *writer, const char *text)
{
    tally_write_bytes(writer, text, strlen(text));
}

void tally_write_char(tally_writer *writer, char c)
{
    tally_write_bytes(writer, &c, 1);
}

void tally_write_uint(tally_writer *writer, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    tally_write_bytes(writer, digits + at, sizeof digits - at);
}

void tally_write_int(tally_writer *writer, int64_t value)
{
    if (value < 0) {
        tally_write_char(writer, '-');
    }
    tally_write_uint(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void writer_hex(tally_writer *writer, uint32_t value, int digits)
{
    char text[8];
    for (int i = 0; i < digits; i++) {
        text[i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
    }
    tally_write_bytes(writer, text, (size_t)digits);
}

int tally_is_shown(uint32_t c)
{
    static const uint32_t hidden[][2] = {
        {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},        {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},      {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},    {0x2000, 0x200f},
        {0x2028, 0x202f},   {0x205f, 0x206f},   {0x3000, 0x3000},    {0xd800, 0xf8ff},
        {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},    {0x110bd, 0x110bd},
        {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a},
        {0x1fffe, 0x1ffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && c >= hidden[i][0]; i++) {
        if (c <= hidden[i][1]) {
            return 0;
        }
    }
    return 1;
}

void tally_write_repr(tally_writer *writer, const char *text, size_t size)
{
    const int single = size > 0 && memchr(text, '\'', size) != NULL;
    const char quote = single && memchr(text, '"', size) == NULL ? '"' : '\'';
    tally_write_char(writer, quote);
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        if (c == (uint8_t)quote || c == '\\') {
            tally_write_char(writer, '\\');
            tally_write_char(writer, (char)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            tally_write(writer, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (tally_is_shown(c)) {
            tally_write_bytes(writer, text + start, at - start);
        } else {
            tally_write(writer, c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U");
            writer_hex(writer, c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
        }
    }
    tally_write_char(writer, quote);
}

static void writer_unit(tally_writer *writer, uint32_t unit)
{
    tally_write(writer, "\\u");
    writer_hex(writer, unit, 4);
}

/* A string of JSON. If `ascii` is 0, other characters stay too. */
static void writer_string(tally_writer *writer, const char *text, size_t size, int ascii)
{
    static const char named[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    tally_write_char(writer, '"');
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        const char *name = c > 0 && c < 0x80 ? strchr(named, (int)c) : NULL;
        if (name != NULL) {
            tally_write_char(writer, '\\');
            tally_write_char(writer, names[name - named]);
        } else if ((c >= 0x20 && c < 0x7f) || (c >= 0x80 && !ascii)) {
            tally_write_bytes(writer, text + start, at - start);
        } else if (c < 0x10000) {
            writer_unit(writer, c);
        } else {
            writer_unit(writer, 0xd800 + ((c - 0x10000) >> 10));
            writer_unit(writer, 0xdc00 + (c & 0x3ff));
        }
    }
    tally_write_char(writer, '"');
}

void tally_write_json(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 1);
}

void tally_write_toml(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 0);
}

void tally_write_key(tally_writer *writer, const char *key, size_t size)
{
    int bare = size > 0, shown = 1;
    for (size_t at = 0; at < size;) {
        const uint32_t c = tally_utf8_next(key, size, &at);
        const uint32_t lower = c | 0x20;
        bare &= (lower >= 'a' && lower <= 'z' && c < 0x80) || (c >= '0' && c <= '9') || c == '_' ||
                c == '-';
        shown &= tally_is_shown(c);
    }
    if (bare) {
        tally_write_bytes(writer, key, size);
    } else {
        writer_string(writer, key, size, !shown);
    }
}

void tally_write_path(tally_writer *writer, const char *key, size_t size)
{
    if (writer->needed > 0) {
        tally_write_char(writer, '.');
    }
    tally_write_key(writer, key, size);
}

/* ---- core/ff1/avx2.c ---- */
/*
 * FF1 on lanes with AVX2 and AES-NI: four numbers are in a vector, and the blocks of two are
 * encrypted one by one. */

/* ---- core/ff1/lanes.h ---- */
/*
 * Words of one length side by side, with a lane of 64 bits for each half. A back end is a file named
 * after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FF1_LANES_H
#define TALLY_FF1_LANES_H

/* ---- core/ff1/plan.h ---- */
/*
 * A cipher of FF1, and the numbers that depend on the length of its words. Names in brackets are
 * those of the standard. */
#ifndef TALLY_FF1_PLAN_H
#define TALLY_FF1_PLAN_H

/* ---- core/ff1/ff1.h ---- */
/*
 * FF1 inside the core: the direction as an argument, a tweak for each word, words anywhere in
 * memory. */
#ifndef TALLY_FF1_FF1_H
#define TALLY_FF1_FF1_H

/* The tweak of word i is the `common_size` bytes of `common`, then the row_sizes[i] bytes at rows[i].
 * If `rows` is NULL, all words have the common tweak alone. A pointer may be NULL if its size is 0.
 *
 * What depends on the common part is computed once in a call. A word with a tweak of its own costs
 * one more encryption of a block only if the tweak does not fit into the last block beside a number
 * of half the symbols: 11 bytes do at 16 digits. */
typedef struct tally_ff1_tweaks {
    const uint8_t *common;
    size_t common_size;
    const uint8_t *const *rows;
    const size_t *row_sizes;
} tally_ff1_tweaks;

/* As tally_ff1_encrypt_words and tally_ff1_decrypt_words. If the tweaks have rows, one for each
 * word. */
TALLY_MUST_CHECK tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction,
                                              uint32_t length, const tally_ff1_tweaks *tweaks,
                                              const void *words, size_t count, void *out);

/* The same in place on words[0 .. count), which lie anywhere and have any alignment. Symbols must be
 * below the radix: this function does not check that. For an error no word was changed. Memory for
 * long words comes from the allocator, or from malloc if that is NULL.
 * TALLY_ERROR_FF1_LENGTH, TALLY_ERROR_FF1_TWEAK_SIZE, TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction,
                                            uint32_t length, const tally_ff1_tweaks *tweaks,
                                            uint8_t *const *words, size_t count,
                                            const tally_allocator *allocator);

/* Whether words of so many symbols can run on lanes of bytes, as they are. */
int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length);

/* Runs them, if they can: `count` words, a multiple of 64, of one tweak. Symbol p of word k is
 * lanes[p * stride + k]; if it is not below the radix, the word becomes anything. Returns 0, with
 * nothing changed, if they can't, or the tweak is too long. */
int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count);

#endif

/* ---- core/ff1/multiply.h ---- */
/*
 * Products of 64 bits, and conditional subtraction without a branch. */
#ifndef TALLY_FF1_MULTIPLY_H
#define TALLY_FF1_MULTIPLY_H

/* The upper half of a product. */
static inline uint64_t tally_ff1_high(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 ff1_u128;
    return (uint64_t)((ff1_u128)x * y >> 64);
#else
    const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    const uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1;
    return x1 * y1 + (middle >> 32) + (((uint32_t)middle + other) >> 32);
#endif
}

/* x less a number of at most 2^63, unless x is below it; x is below twice the number. */
static inline uint64_t tally_ff1_less(uint64_t x, uint64_t number)
{
    const uint64_t less = x - number;
    return less + (number & tally_barrier(0 - (less >> 63)));
}

#endif

struct tally_ff1_lanes;

struct tally_ff1 {
    tally_aes_key aes;
    const struct tally_ff1_lanes *lanes;
    uint32_t radix;
    tally_ff1_profile profile;
};

enum {
    TALLY_FF1_ROUNDS = 10,
    TALLY_FF1_LANE_BITS = 62 /* of a modulus that is neither a power of two nor wide */
};

/* A word's first half has u symbols, and its second half has v, which is u or u + 1. Round i adds to
 * half i % 2, modulo the radix to the power of its symbols, a pseudorandom number (y) which depends
 * on the other half.
 *
 * How a number y of 64 or 96 bits is reduced by products, since division takes a time that may depend
 * on the number. For a power of two, the mask has its bits. */
typedef struct tally_ff1_modulus {
    uint64_t value;        /* radix^m; of powers of two it may be 2^64, which is 0 here */
    uint64_t mask;         /* of a power of two: value - 1; else 0 */
    uint64_t inverse;      /* 2^64 / value */
    uint64_t long_inverse; /* 2^96 / value for values above 2^32, else 0 */
} tally_ff1_modulus;

/* y modulo the value, or that plus the value. */
static inline uint64_t tally_ff1_reduce(const tally_ff1_modulus *modulus, uint64_t y)
{
    return y - tally_ff1_high(y, modulus->inverse) * modulus->value;
}

/* The same for a number below the value, with 32 bits behind it. */
static inline uint64_t tally_ff1_reduce_next(const tally_ff1_modulus *modulus, uint64_t number,
                                             uint32_t low)
{
    if (modulus->long_inverse == 0) {
        return tally_ff1_reduce(modulus, number << 32 | low);
    }
    const uint64_t quotient = tally_ff1_high(number, modulus->long_inverse); /* at most 2 less */
    const uint64_t rest = (number << 32 | low) - quotient * modulus->value;
    return tally_ff1_less(rest, 2 * modulus->value);
}

/* The same for 96 bits. */
static inline uint64_t tally_ff1_reduce_long(const tally_ff1_modulus *modulus, uint64_t high,
                                             uint32_t low)
{
    const uint64_t first = tally_ff1_less(tally_ff1_reduce(modulus, high), modulus->value);
    return tally_ff1_reduce_next(modulus, first, low);
}

typedef struct tally_ff1_plan {
    const tally_ff1 *cipher;
    uint32_t length;      /* (n) symbols of a word */
    uint32_t half[2];     /* (u, v) symbols of its halves */
    uint32_t symbol_size; /* bytes: 1 or 2 */
    uint32_t number_size; /* (b) bytes of the number of a half, in its last block */
    uint32_t prf_size;    /* (d) bytes of y: a multiple of 4 */
    uint32_t radix_shift; /* x / radix is the upper half of x * inverse, shifted, for x < 2^63 */
    uint64_t radix_inverse;
    int is_short;                 /* numbers fit in lanes of 64 bits */
    int is_wide;                  /* and a modulus is above 2^62: see wide.h */
    tally_ff1_modulus modulus[2]; /* if they do */
} tally_ff1_plan;

/* TALLY_ERROR_FF1_LENGTH: the cipher has no words of this length. */
tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out);

/* The same for any halves of 1 to 2^15 symbols, u and v; it is not wide, but long. */
void tally_ff1_plan_halves(const tally_ff1 *cipher, uint32_t u, uint32_t v, tally_ff1_plan *out);

/* Whether all of so many symbols are below the radix. */
int tally_ff1_all_below(uint32_t radix, const uint8_t *symbols, size_t count);

/* The block before a tweak (P). */
void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16]);

/* Behind a tweak come zeros, a byte with the number of the round, and the number of a half, up to
 * the end of a block (Q). The blocks that begin with the last ones are at the end: the blocks of a
 * number. The first may begin with the end of the tweak. */
static inline uint32_t tally_ff1_number_blocks(const tally_ff1_plan *plan)
{
    return plan->number_size / 16 + 1;
}

/* The blocks before these: of the tweak, and perhaps zeros. */
static inline uint64_t tally_ff1_tweak_blocks(const tally_ff1_plan *plan, uint64_t tweak_size)
{
    return (tweak_size + plan->number_size + 16) / 16 - tally_ff1_number_blocks(plan);
}

#endif

enum { TALLY_FF1_ROWS = 64 /* words of a batch, at most */ };

/* Words to encrypt or decrypt, in[i] to out[i], which may be equal; or in place on lanes of bytes:
 * symbol p of word i is lanes[p * stride + i]. The last block of word i before it is encrypted is that
 * of bases[i * base_step], xored with the round and the number of a half. */
typedef struct tally_ff1_batch {
    const tally_ff1_plan *plan;
    tally_direction direction;
    const uint8_t (*bases)[16];
    size_t base_step; /* 0: all words have one tweak; 1 */
    const uint8_t *const *in;
    uint8_t *const *out;
    size_t count;   /* 1..TALLY_FF1_ROWS; on lanes, all that are there are run */
    uint8_t *lanes; /* or NULL */
    size_t stride;
} tally_ff1_batch;

typedef struct tally_ff1_lanes {
    tally_backend backend;
    void (*run)(const tally_ff1_batch *batch); /* a short plan's */
    /* Whether _run takes lanes of bytes of such a plan; symbols of any value are allowed there, and
     * what comes of those that are not below the radix is anything. NULL: it takes none. */
    int (*takes_lanes)(const tally_ff1_plan *plan);
} tally_ff1_lanes;

/* The fastest back end for the CPU features in use. */
const tally_ff1_lanes *tally_ff1_lanes_choose(void);

extern const tally_ff1_lanes tally_ff1_lanes_avx512, tally_ff1_lanes_avx2, tally_ff1_lanes_neon,
    tally_ff1_lanes_portable;

#endif

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

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

/* ---- core/fast/lanes/transpose.h ---- */
/*
 * Transposes rows of bytes into lanes and back: position p of row k is lane k of vector p. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

TALLY_VISIBILITY_DEFAULT
#include <stddef.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

TALLY_VISIBILITY_DEFAULT
#include <stddef.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

enum { TALLY_BELOW_RUN = 32 /* words of eight bytes: a fixed number is vectorized at -O2 */ };

/* Words in which a byte is at least `limit`, 1..256, have a top bit set. A byte's lower seven bits
 * plus `to_top` set it if they are at least limit, or limit less 128. */
static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

/* Returns 1 if every byte is below `limit`, 1..256, else 0. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

typedef struct tally_transpose {
    /* Copies rows[k][p] to lanes[p * stride + k], for `count` >= 1 rows of `length` bytes each. The
     * lanes from `count` up to the next multiple of the block (16 or 64 rows) or up to the stride
     * receive copies of a row. The stride is the width of one or more groups of the back end. */
    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);
    /* Copies lanes[p * stride + k] to rows[k][p], for the same `count`. */
    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);
    /* The same for words that lie side by side, whose symbol 0 is the byte `zero`, so that symbols
     * are on the lanes. Which lane of a block has which of its words is the same in both functions;
     * in a block that is not full, word k is on lane k. Returns 0 if a symbol is not below `limit`,
     * 1..256. */
    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

/* Whether all symbols of words in lanes are below a limit; words_to_lanes returns it. */
static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* ---- core/ff1/chunks.h ---- */
/*
 * Sums of numbers, and chunks of symbols, for all back ends with vectors. */
#ifndef TALLY_FF1_CHUNKS_H
#define TALLY_FF1_CHUNKS_H

/* How numbers are added. */
typedef enum tally_ff1_kind {
    TALLY_FF1_POWER,      /* modulo a power of two; y has 64 bits */
    TALLY_FF1_LONG_POWER, /* y has 96 */
    TALLY_FF1_SMALL,      /* modulo a number that the back end calls small; y has 64 */
    TALLY_FF1_SHORT,      /* modulo more; y has 64 */
    TALLY_FF1_LONG_LOW,   /* modulo 2^13 to 2^32; y has 96 */
    TALLY_FF1_LONG        /* modulo more; y has 96 */
} tally_ff1_kind;

/* Neighbouring symbols of a half: one digit to a base that 16 bits hold. */
typedef struct tally_ff1_chunks {
    uint32_t symbols, base, bits; /* base <= 2^bits */
    uint32_t count[2];            /* of the halves; the first chunk may have fewer symbols */
    uint64_t inverse;             /* 2^(63 + bits) / base; of no use for powers of two */
    uint16_t radix_inverse;       /* x / radix is x * inverse / 2^16, shifted, for a chunk x */
    uint32_t radix_shift, radix;
    int is_power;
} tally_ff1_chunks;

static inline uint32_t tally_ff1_log(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

static inline tally_ff1_chunks tally_ff1_set_chunks(const tally_ff1_plan *plan)
{
    const uint32_t radix = plan->cipher->radix;
    tally_ff1_chunks made = {.symbols = 1, .base = radix, .radix = radix};
    made.is_power = (radix & (radix - 1)) == 0;
    const uint32_t most = made.is_power ? 1 << 16 : 1 << 15;
    while (plan->symbol_size == 1 && made.base * radix <= most) {
        made.base *= radix;
        made.symbols++;
    }
    made.bits = made.base == 1 ? 0 : tally_ff1_log(made.base - 1) + 1;
    for (int half = 0; half < 2; half++) {
        made.count[half] = (plan->half[half] + made.symbols - 1) / made.symbols;
    }
    const uint64_t power = UINT64_C(1) << 63, rest = (power % made.base) << made.bits;
    made.inverse = (power / made.base << made.bits) + rest / made.base;
    made.radix_shift = plan->radix_shift;
    made.radix_inverse =
        (uint16_t)((UINT32_C(1) << (16 + made.radix_shift)) / radix + (made.is_power ? 0 : 1));
    return made;
}

#endif

#define FF1(name)       ff1_avx2_##name
#define FF1_TARGET      __attribute__((target("avx2,aes")))
#define FF1_INLINE      TALLY_INLINE FF1_TARGET
#define FF1_PER         4
#define FF1_VECTORS     2
#define FF1_FEW         13
#define FF1_BITS        60
#define FF1_SMALL_BITS  29
#define FF1_FIRST_KEY   1
#define FF1_TRANSPOSE   tally_transpose_portable
#define FF1_ELSE        tally_ff1_lanes_portable
#define FF1_LEFT(x, n)  _mm256_slli_epi64(x, n)
#define FF1_RIGHT(x, n) _mm256_srli_epi64(x, n)

typedef __m256i ff1_avx2_vec, ff1_avx2_vec16, ff1_avx2_shift;

FF1_INLINE __m256i ff1_avx2_load(const void *from)
{
    return _mm256_loadu_si256(from);
}

FF1_INLINE void ff1_avx2_store(void *to, __m256i x)
{
    _mm256_storeu_si256(to, x);
}

FF1_INLINE __m256i ff1_avx2_load16(const uint16_t *from)
{
    return ff1_avx2_load(from);
}

FF1_INLINE void ff1_avx2_store16(uint16_t *to, __m256i x)
{
    ff1_avx2_store(to, x);
}

FF1_INLINE __m256i ff1_avx2_each(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

FF1_INLINE __m256i ff1_avx2_shift_by(uint32_t count)
{
    return ff1_avx2_each(count);
}

FF1_INLINE __m256i ff1_avx2_or(__m256i x, __m256i y)
{
    return _mm256_or_si256(x, y);
}

FF1_INLINE __m256i ff1_avx2_and(__m256i x, __m256i y)
{
    return _mm256_and_si256(x, y);
}

FF1_INLINE __m256i ff1_avx2_plus(__m256i x, __m256i y)
{
    return _mm256_add_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_minus(__m256i x, __m256i y)
{
    return _mm256_sub_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_times(__m256i x, __m256i y)
{
    return _mm256_mul_epu32(x, y);
}

FF1_INLINE __m256i ff1_avx2_least32(__m256i x, __m256i y)
{
    return _mm256_min_epu32(x, y);
}

FF1_INLINE __m256i ff1_avx2_left(__m256i x, __m256i y)
{
    return _mm256_sllv_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_right(__m256i x, __m256i y)
{
    return _mm256_srlv_epi64(x, y);
}

FF1_INLINE __m256i ff1_avx2_add16(__m256i x, __m256i y)
{
    return _mm256_add_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_sub16(__m256i x, __m256i y)
{
    return _mm256_sub_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_product16(__m256i x, __m256i y)
{
    return _mm256_mullo_epi16(x, y);
}

FF1_INLINE __m256i ff1_avx2_high16(__m256i x, __m256i y)
{
    return _mm256_mulhi_epu16(x, y);
}

FF1_INLINE __m256i ff1_avx2_xor(__m256i x, __m256i y, __m256i z)
{
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}

FF1_INLINE __m256i ff1_avx2_choose(__m256i x, __m256i y)
{
    const __m256d bits = _mm256_castsi256_pd(x);
    return _mm256_castpd_si256(_mm256_blendv_pd(bits, _mm256_castsi256_pd(y), bits));
}

FF1_INLINE __m256i ff1_avx2_each16(uint32_t x)
{
    return _mm256_set1_epi16((int16_t)x);
}

FF1_INLINE __m256i ff1_avx2_right16(__m256i x, __m256i count)
{
    return _mm256_srl_epi16(x, _mm256_castsi256_si128(count));
}

FF1_INLINE __m256i ff1_avx2_load_symbols(const uint8_t *from, uint32_t last)
{
    return _mm256_cvtepu8_epi16(
        _mm_min_epu8(_mm_loadu_si128((const void *)from), _mm_set1_epi8((char)last)));
}

FF1_INLINE void ff1_avx2_store_symbols(uint8_t *to, __m256i x)
{
    _mm_storeu_si128((void *)to,
                     _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

FF1_INLINE __m256i ff1_avx2_load_chunks(const uint16_t *from)
{
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)from));
}

FF1_INLINE void ff1_avx2_store_chunks(uint16_t *to, __m256i x)
{
    /* Of the lower half to the first 32 bits, and of the upper half to the next. */
    const __m256i ends =
        _mm256_set_epi64x(-1, 0x09080100ffffffff, -1, (long long)0xffffffff09080100);
    const __m256i parts = _mm256_shuffle_epi8(x, ends);
    _mm_storel_epi64((void *)to, _mm_or_si128(_mm256_castsi256_si128(parts),
                                              _mm256_extracti128_si256(parts, 1)));
}

FF1_INLINE __m256i ff1_avx2_block(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)bytes));
}

FF1_INLINE __m256i ff1_avx2_deal_even(__m256i x, __m256i y)
{
    return _mm256_permute2x128_si256(x, y, 0x20);
}

FF1_INLINE __m256i ff1_avx2_deal_odd(__m256i x, __m256i y)
{
    return _mm256_permute2x128_si256(x, y, 0x31);
}

/* Bytes of each block by their places in it; 0x80: zero. */
FF1_INLINE __m256i ff1_avx2_shuffle(__m256i x, uint64_t high, uint64_t low)
{
    return _mm256_shuffle_epi8(
        x, _mm256_broadcastsi128_si256(_mm_set_epi64x((long long)high, (long long)low)));
}

FF1_INLINE __m256i ff1_avx2_even(__m256i x)
{
    return ff1_avx2_shuffle(x, 0x0001020304050607, 0x8080808080808080);
}

FF1_INLINE __m256i ff1_avx2_odd(__m256i x)
{
    return ff1_avx2_shuffle(x, 0x08090a0b0c0d0e0f, 0x8080808080808080);
}

FF1_INLINE __m256i ff1_avx2_first(__m256i x, __m256i y)
{
    return ff1_avx2_shuffle(_mm256_unpacklo_epi64(x, y), 0x08090a0b0c0d0e0f, 0x0001020304050607);
}

FF1_INLINE __m256i ff1_avx2_next(__m256i x, __m256i y)
{
    return ff1_avx2_shuffle(_mm256_unpackhi_epi64(x, y), 0x8080808008090a0b, 0x8080808000010203);
}

/* Some rounds of AES on all blocks, which stay in registers. */
FF1_INLINE void ff1_avx2_some_rounds(const uint8_t (*keys)[16], const int first, const int after,
                                     __m128i *b)
{
    TALLY_UNROLL(16)
    for (int r = first; r < after; r++) {
        const __m128i key = _mm_loadu_si128((const void *)keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 8; i++) {
            b[i] = _mm_aesenc_si128(b[i], key);
        }
    }
}

FF1_INLINE void ff1_avx2_encrypt(const tally_aes_key *aes, __m256i *vectors)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    __m128i b[8];
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm256_castsi256_si128(vectors[i]);
        b[2 * i + 1] = _mm256_extracti128_si256(vectors[i], 1);
    }
    ff1_avx2_some_rounds(keys, 1, 10, b);
    if (aes->rounds > 10) {
        ff1_avx2_some_rounds(keys, 10, 12, b);
    }
    if (aes->rounds > 12) {
        ff1_avx2_some_rounds(keys, 12, 14, b);
    }
    const __m128i last = _mm_loadu_si128((const void *)keys[aes->rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 4; i++) {
        vectors[i] = _mm256_setr_m128i(_mm_aesenclast_si128(b[2 * i], last),
                                       _mm_aesenclast_si128(b[2 * i + 1], last));
    }
}

/* ---- core/ff1/products_body.h ---- */
/*
 * Numbers of up to 60 bits by products of 32 bits, for vectors that have no longer ones. A back end
 * that includes lanes_body.h includes this file before, and defines of lanes of 64 bits
 *
 *   FF1_RIGHT(x, n), FF1_LEFT(x, n)  shifts by a constant
 *
 * and the functions FF1(plus), FF1(minus), FF1(times), which is the product of the lower halves of
 * lanes, FF1(least32) of lanes of 32 bits, and FF1(choose)(x, y), which is x, or y if x is negative.
 *
 * Reductions modulo m, of k bits, are Barrett's. x below 2^32 m has the quotient x / 2^k * inverse /
 * 2^31, or up to 3 less: dropped bits of x make less than 2^k / m of that, those of the inverse less
 * than 2m / 2^k, both together at most 3, and the last division less than 1. */

typedef struct FF1(modulus) {
    uint64_t value, mask;   /* as in plan.h */
    uint64_t fold;          /* 2^32 modulo the value */
    uint64_t inverse;       /* 2^(31 + k) / value */
    uint64_t first_inverse; /* 2^64 / value, of a long one */
    FF1(shift) shift;       /* k, or of a long one k - 32 */
} FF1(modulus);

FF1_INLINE FF1(modulus)
    FF1(set_modulus)(const tally_ff1_plan *plan, const tally_ff1_kind kind, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    FF1(modulus) made = {.value = modulus->value, .mask = modulus->mask};
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        made.shift = FF1(shift_by)(0);
        return made;
    }
    const uint32_t bits = tally_ff1_log(modulus->value) + 1;
    if (kind == TALLY_FF1_LONG) {
        made.first_inverse = modulus->inverse;
        made.inverse = modulus->long_inverse >> (65 - bits);
        made.shift = FF1(shift_by)(bits - 32);
    } else {
        made.fold = (UINT64_C(1) << 32) % modulus->value;
        made.inverse = (UINT64_C(1) << (31 + bits)) / modulus->value;
        made.shift = FF1(shift_by)(bits);
    }
    return made;
}

/* x less some moduli, unless it is below; x is below twice that. */
FF1_INLINE FF1(vec) FF1(less)(const tally_ff1_kind kind, FF1(vec) x, FF1(vec) moduli)
{
    const FF1(vec) less = FF1(minus)(x, moduli);
    return kind == TALLY_FF1_SMALL ? FF1(least32)(x, less) : FF1(choose)(less, x);
}

/* x * 2^32 + low modulo a value of up to 32 bits, or that plus up to three times the value. */
FF1_INLINE FF1(vec) FF1(reduce)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) low)
{
    const FF1(vec) folded = FF1(plus)(FF1(times)(x, FF1(each)(modulus->fold)), low),
                   top = FF1(right)(folded, modulus->shift),
                   quotient = FF1_RIGHT(FF1(times)(top, FF1(each)(modulus->inverse)), 31);
    return FF1(minus)(folded, FF1(times)(quotient, FF1(each)(modulus->value)));
}

/* x less a quotient of 32 bits times a long modulus. */
FF1_INLINE FF1(vec) FF1(rest)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) quotient)
{
    const FF1(vec) low = FF1(times)(quotient, FF1(each)(modulus->value)),
                   high = FF1(times)(quotient, FF1(each)(modulus->value >> 32));
    return FF1(minus)(FF1(minus)(x, low), FF1_LEFT(high, 32));
}

FF1_INLINE FF1(vec)
    FF1(add)(const tally_ff1_kind kind, const tally_direction direction,
             const FF1(modulus) * modulus, FF1(vec) number, FF1(vec) high, FF1(vec) low)
{
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        const FF1(vec) y = kind == TALLY_FF1_POWER ? high : FF1(or)(FF1_LEFT(high, 32), low);
        return FF1(and)(direction == TALLY_ENCRYPT ? FF1(plus)(number, y) : FF1(minus)(number, y),
                        FF1(each)(modulus->mask));
    }
    const FF1(vec) once = FF1(each)(modulus->value), twice = FF1(each)(2 * modulus->value),
                   four = FF1(each)(4 * modulus->value), mask32 = FF1(each)(UINT32_MAX);
    FF1(vec) rest;
    if (kind == TALLY_FF1_LONG) { /* the first quotient is less than 3 too small */
        rest = FF1_RIGHT(FF1(times)(FF1_RIGHT(high, 32), FF1(each)(modulus->first_inverse)), 32);
        rest = FF1(rest)(modulus, high, rest);
        rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
        const FF1(vec) quotient = FF1_RIGHT(
            FF1(times)(FF1(right)(rest, modulus->shift), FF1(each)(modulus->inverse)), 31);
        rest = FF1(rest)(modulus, FF1(or)(FF1_LEFT(rest, 32), low), quotient);
    } else {
        rest = FF1(reduce)(modulus, FF1_RIGHT(high, 32), FF1(and)(high, mask32));
        if (kind == TALLY_FF1_LONG_LOW) {
            rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
            rest = FF1(reduce)(modulus, rest, low);
        }
    }
    rest = direction == TALLY_ENCRYPT ? FF1(plus)(number, rest)
                                      : FF1(minus)(FF1(plus)(number, four), rest);
    rest = FF1(less)(kind, rest, four);
    return FF1(less)(kind, FF1(less)(kind, rest, twice), once);
}

/* x * base + chunk */
FF1_INLINE FF1(vec) FF1(append)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) chunk)
{
    const FF1(vec) base = FF1(each)(by->base), low = FF1(times)(x, base),
                   high = FF1_LEFT(FF1(times)(FF1_RIGHT(x, 32), base), 32);
    return FF1(plus)(FF1(plus)(low, high), chunk);
}

/* x / base, from x * 16 * inverse / 2^(67 + bits). Of the upper half of the product without that of
 * the lower halves up to 3 are missing, and the inverse is up to 1 too great, which is less than
 * 1 / base in all. */
FF1_INLINE FF1(vec) FF1(quotient)(const tally_ff1_chunks *by, FF1(vec) x)
{
    const uint64_t inverse = by->inverse + 1;
    const FF1(vec) i0 = FF1(each)(inverse), i1 = FF1(each)(inverse >> 32), x0 = FF1_LEFT(x, 4),
                   x1 = FF1_RIGHT(x0, 32);
    const FF1(vec) middle =
        FF1(plus)(FF1_RIGHT(FF1(times)(x1, i0), 32), FF1_RIGHT(FF1(times)(x0, i1), 32));
    const FF1(vec) high = FF1(plus)(FF1(plus)(FF1(times)(x1, i1), middle), FF1(each)(3));
    return FF1(right)(high, FF1(shift_by)(by->bits + 3));
}

FF1_INLINE FF1(vec) FF1(remainder)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) quotient)
{
    return FF1(minus)(x, FF1(times)(quotient, FF1(each)(by->base)));
}

#undef FF1_LEFT
#undef FF1_RIGHT

/* ---- core/ff1/lanes_body.h ---- */
/*
 * FF1 on lanes, for any instruction set with vectors and AES. A back end includes this file once.
 * Before, it defines these macros:
 *
 *   FF1(name)        the name with the back end's prefix
 *   FF1_TARGET       the function attribute of its instruction set; and FF1_INLINE with it
 *   FF1_PER          numbers in a vector: its lanes of 64 bits. Two vectors hold their blocks
 *   FF1_VECTORS      vectors of numbers in a group
 *   FF1_FEW          words that plain C takes no longer for
 *   FF1_BITS         of the greatest modulus that is no power of two
 *   FF1_SMALL_BITS   of the greatest one of the kind "small"
 *   FF1_FIRST_KEY    1: FF1(encrypt) expects blocks with the first round key; 0: it adds that
 *   FF1_TRANSPOSE    a tally_transpose
 *   FF1_ELSE         the back end for few words, and for moduli above FF1_BITS
 *
 * the types FF1(vec) and FF1(vec16), of lanes of 64 and of 16 bits, FF1(shift), the count of a shift,
 * and FF1(modulus); and these functions, named by FF1() and inlined:
 *
 *   load, store, each, or, and, xor (of three), left, right, shift_by
 *                    on lanes of 64 bits
 *   load16, store16, each16, add16, sub16, product16, high16, right16
 *                    on lanes of 16 bits; the lower and the upper half of a product
 *   load_symbols(from, last), store_symbols(to, x)
 *                    bytes in lanes of 16 bits; those above `last` become it
 *   load_chunks(from), store_chunks(to, x)
 *                    the last 16 bits of lanes of 64
 *   block(bytes)     a block in all its places
 *   deal_even(x, y), deal_odd(x, y)
 *                    of blocks in two vectors those of even places, and those of odd ones
 *   even(x), odd(x)  numbers of even and of odd places, big-endian, as second halves of blocks
 *   first(x, y), next(x, y)
 *                    of blocks of even and of odd places the first 64 bits as numbers, and the 32
 *                    behind them
 *   encrypt(aes, b)  2 FF1_VECTORS vectors of blocks
 *   set_modulus(plan, kind, half)
 *   add(kind, direction, modulus, number, high, low)
 *                    adds y, of 64 bits and perhaps 32 more, or subtracts it
 *   append(chunks, x, chunk), quotient(chunks, x), remainder(chunks, x, quotient)
 *                    x * base + chunk; x / base; the last 16 bits of what is left
 *
 * Words go through the rounds in groups: while the numbers of one are added, another is encrypted. */

#define FF1_EACH(i, count) TALLY_UNROLL(16) for (int i = 0; i < (count); i++)
#define FF1_PER16          (4 * FF1_PER)
#define FF1_GROUP          (FF1_PER * FF1_VECTORS) /* words */
#define FF1_CHUNKS         64 /* of a half, at most: of one symbol of one bit each */

typedef struct FF1(state) {
    _Alignas(64) uint64_t half[2][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t bases[TALLY_FF1_ROWS][16]; /* of a vector of numbers: those of its even
                                                     * words, then those of its odd ones */
    _Alignas(64) uint16_t chunks[FF1_CHUNKS][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t symbols[2 * FF1_CHUNKS][TALLY_FF1_ROWS];
} FF1(state);

static tally_ff1_kind FF1(kind_of)(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    if (modulus->mask != 0) {
        return plan->prf_size == 8 ? TALLY_FF1_POWER : TALLY_FF1_LONG_POWER;
    }
    if (plan->prf_size == 8) {
        return modulus->value >> FF1_SMALL_BITS == 0 ? TALLY_FF1_SMALL : TALLY_FF1_SHORT;
    }
    return modulus->value >> 32 == 0 ? TALLY_FF1_LONG_LOW : TALLY_FF1_LONG;
}

/* Whether there is code for these numbers. */
static int FF1(serves)(const tally_ff1_plan *plan)
{
    return plan->modulus[1].mask != 0 || plan->modulus[1].value >> FF1_BITS == 0;
}

static int FF1(takes_lanes)(const tally_ff1_plan *plan)
{
    return plan->symbol_size == 1 &&
           (FF1(serves)(plan) || (FF1_ELSE.takes_lanes != NULL && FF1_ELSE.takes_lanes(plan)));
}

/* Symbols on lanes to chunks: one half, whose first symbol is number `first`. A symbol that is not
 * below the radix becomes the last one: it is a lane without a word, or of a bad one. */
FF1_INLINE void FF1(join)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const uint8_t *lanes, size_t stride, FF1(state) * state)
{
    const FF1(vec16) radix = FF1(each16)(by->radix);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(each16)(0);
            for (uint32_t i = at; i < end; i++) {
                const FF1(vec16) symbols =
                    FF1(load_symbols)(lanes + i * stride + FF1_PER16 * v, by->radix - 1);
                x = FF1(add16)(FF1(product16)(x, radix), symbols);
            }
            FF1(store16)(state->chunks[c] + FF1_PER16 * v, x);
        }
        at = end;
    }
}

/* The inverse. */
FF1_INLINE void FF1(part)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const FF1(state) * state, uint8_t *lanes, size_t stride)
{
    const FF1(vec16) radix = FF1(each16)(by->radix), inverse = FF1(each16)(by->radix_inverse);
    const FF1(shift) shift = FF1(shift_by)(by->radix_shift);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(load16)(state->chunks[c] + FF1_PER16 * v);
            for (uint32_t i = end; i-- > at;) {
                const FF1(vec16) rest = FF1(right16)(FF1(high16)(x, inverse), shift);
                x = FF1(sub16)(x, FF1(product16)(rest, radix));
                FF1(store_symbols)(lanes + i * stride + FF1_PER16 * v, x);
                x = rest;
            }
        }
        at = end;
    }
}

/* Chunks to numbers. */
FF1_INLINE void FF1(sum)(const tally_ff1_chunks *by, uint32_t chunks, const FF1(state) * state,
                         uint64_t *numbers)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(each)(0);
        for (uint32_t c = 0; c < chunks; c++) {
            const FF1(vec) chunk = FF1(load_chunks)(state->chunks[c] + row);
            x = by->is_power ? FF1(or)(FF1(left)(x, shift), chunk) : FF1(append)(by, x, chunk);
        }
        FF1(store)(numbers + row, x);
    }
}

/* The inverse. */
FF1_INLINE void FF1(split)(const tally_ff1_chunks *by, uint32_t chunks, const uint64_t *numbers,
                           FF1(state) * state)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(load)(numbers + row);
        for (uint32_t c = chunks; c-- > 0;) {
            FF1(vec) rest, chunk;
            if (by->is_power) {
                rest = FF1(right)(x, shift);
                chunk = FF1(and)(x, FF1(each)(by->base - 1));
            } else {
                rest = FF1(quotient)(by, x);
                chunk = FF1(remainder)(by, x, rest); /* its last 16 bits */
            }
            FF1(store_chunks)(state->chunks[c] + row, chunk);
            x = rest;
        }
    }
}

/* Chunks of one symbol of two bytes. */
static void FF1(gather)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                        FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(&state->chunks[p][i], batch->in[i] + 2 * (size_t)(first + p), 2);
        }
    }
}

static void FF1(scatter)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                         const FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(batch->out[i] + 2 * (size_t)(first + p), &state->chunks[p][i], 2);
        }
    }
}

FF1_TARGET static void FF1(read)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                 FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.to_lanes(batch->in, batch->count, plan->length, TALLY_FF1_ROWS,
                               state->symbols[0]);
    }
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        if (plan->symbol_size == 1) {
            FF1(join)(by, first, plan->half[half], by->count[half], lanes, stride, state);
        } else {
            FF1(gather)(batch, first, plan->half[half], state);
        }
        FF1(sum)(by, by->count[half], state, state->half[half]);
    }
}

FF1_TARGET static void FF1(write)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                  FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        FF1(split)(by, by->count[half], state->half[half], state);
        if (plan->symbol_size == 1) {
            FF1(part)(by, first, plan->half[half], by->count[half], state, lanes, stride);
        } else {
            FF1(scatter)(batch, first, plan->half[half], state);
        }
    }
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.from_lanes(state->symbols[0], TALLY_FF1_ROWS, batch->count, plan->length,
                                 batch->out);
    }
}

/* The bases in the order of blocks: of a vector of numbers those of even ones, then those of odd
 * ones. */
FF1_TARGET static void FF1(set_bases)(const tally_ff1_batch *batch, FF1(state) * state)
{
    if (batch->base_step == 0) {
        const FF1(vec) base = FF1(block)(batch->bases[0]);
        for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER / 2) {
            FF1(store)(state->bases[i], base);
        }
        return;
    }
    if (batch->count < TALLY_FF1_ROWS) {
        memset(state->bases[0], 0, sizeof state->bases);
    }
    memcpy(state->bases[0], batch->bases[0], 16 * batch->count);
    for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER) {
        const FF1(vec) first = FF1(load)(state->bases[i]),
                       second = FF1(load)(state->bases[i + FF1_PER / 2]);
        FF1(store)(state->bases[i], FF1(deal_even)(first, second));
        FF1(store)(state->bases[i + FF1_PER / 2], FF1(deal_odd)(first, second));
    }
}

/* A round of a group: numbers of one half, `from`, change those of the other. */
FF1_INLINE void FF1(round)(const tally_ff1_kind kind, const tally_direction direction,
                           const tally_aes_key *aes, FF1(vec) start, const FF1(modulus) * modulus,
                           const uint8_t *bases, const uint64_t *from, uint64_t *to)
{
    FF1(vec) b[2 * FF1_VECTORS];
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) numbers = FF1(load)(from + FF1_PER * i);
        b[2 * i] = FF1(xor)(FF1(even)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i));
        b[2 * i + 1] =
            FF1(xor)(FF1(odd)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i + 8 * FF1_PER));
    }
    FF1(encrypt)(aes, b);
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) high = FF1(first)(b[2 * i], b[2 * i + 1]),
                       low = FF1(next)(b[2 * i], b[2 * i + 1]);
        FF1(vec) sum = FF1(load)(to + FF1_PER * i);
        sum = FF1(add)(kind, direction, modulus, sum, high, low);
        FF1(store)(to + FF1_PER * i, sum);
    }
}

#define FF1_ROUND(kind, which)                                                                     \
    FF1(round)                                                                                     \
    (kind, direction, aes, key, &modulus[which], state->bases[row],                                \
     state->half[1 - (which)] + row, state->half[which] + row)

/* All rounds of all groups; the kinds of the two halves may differ. */
FF1_INLINE void FF1(rounds)(const tally_ff1_kind kind0, const tally_ff1_kind kind1,
                            const tally_direction direction, const tally_ff1_batch *batch,
                            const FF1(modulus) modulus[2], FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t groups = (batch->count + FF1_GROUP - 1) / FF1_GROUP;
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        _Alignas(16) uint8_t start[16] = {0};
        start[15 - plan->number_size] = (uint8_t)round;
        FF1(vec) key = FF1(block)(start);
        if (FF1_FIRST_KEY) {
            key = FF1(xor)(key, FF1(block)(aes->round_keys.bytes[TALLY_ENCRYPT][0]), FF1(each)(0));
        }
        for (size_t g = 0; g < groups; g++) {
            const size_t row = FF1_GROUP * g;
            if (round % 2 == 0) {
                FF1_ROUND(kind0, 0);
            } else {
                FF1_ROUND(kind1, 1);
            }
        }
    }
}

#define FF1_ROUNDS(name, kind0, kind1)                                                             \
    FF1_TARGET static void FF1(rounds_##name)(const tally_ff1_batch *batch,                        \
                                              const FF1(modulus) modulus[2], FF1(state) * state)   \
    {                                                                                              \
        if (batch->direction == TALLY_ENCRYPT) {                                                   \
            FF1(rounds)(kind0, kind1, TALLY_ENCRYPT, batch, modulus, state);                       \
        } else {                                                                                   \
            FF1(rounds)(kind0, kind1, TALLY_DECRYPT, batch, modulus, state);                       \
        }                                                                                          \
    }

FF1_ROUNDS(power, TALLY_FF1_POWER, TALLY_FF1_POWER)
FF1_ROUNDS(long_power, TALLY_FF1_LONG_POWER, TALLY_FF1_LONG_POWER)
FF1_ROUNDS(small, TALLY_FF1_SMALL, TALLY_FF1_SMALL)
FF1_ROUNDS(mixed, TALLY_FF1_SMALL, TALLY_FF1_SHORT)
FF1_ROUNDS(short, TALLY_FF1_SHORT, TALLY_FF1_SHORT)
FF1_ROUNDS(long_low, TALLY_FF1_LONG_LOW, TALLY_FF1_LONG)
FF1_ROUNDS(long, TALLY_FF1_LONG, TALLY_FF1_LONG)

FF1_TARGET static void FF1(run)(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    if (!FF1(serves)(plan) || (batch->lanes == NULL && batch->count <= FF1_FEW)) {
        FF1_ELSE.run(batch);
        return;
    }
    FF1(state) state;
    const tally_ff1_chunks by = tally_ff1_set_chunks(plan);
    if (batch->count < TALLY_FF1_ROWS) { /* lanes without a word are run too */
        memset(&state, 0, sizeof state);
    }
    FF1(set_bases)(batch, &state);
    FF1(read)(batch, &by, &state);
    const tally_ff1_kind first = FF1(kind_of)(plan, 0), second = FF1(kind_of)(plan, 1);
    const FF1(modulus)
        modulus[2] = {FF1(set_modulus)(plan, first, 0), FF1(set_modulus)(plan, second, 1)};
    if (second == TALLY_FF1_POWER) {
        FF1(rounds_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_LONG_POWER) {
        FF1(rounds_long_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SMALL) {
        FF1(rounds_small)(batch, modulus, &state);
    } else if (first == TALLY_FF1_SMALL) {
        FF1(rounds_mixed)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SHORT) {
        FF1(rounds_short)(batch, modulus, &state);
    } else if (first == TALLY_FF1_LONG_LOW) {
        FF1(rounds_long_low)(batch, modulus, &state);
    } else {
        FF1(rounds_long)(batch, modulus, &state);
    }
    FF1(write)(batch, &by, &state);
    tally_wipe(state.half, sizeof state.half);
    tally_wipe(state.bases, sizeof state.bases);
    tally_wipe(state.chunks, sizeof state.chunks[0] * by.count[1]);
    if (batch->lanes == NULL) {
        tally_wipe(state.symbols, sizeof state.symbols[0] * plan->length);
    }
}

#undef FF1
#undef FF1_BITS
#undef FF1_CHUNKS
#undef FF1_EACH
#undef FF1_ELSE
#undef FF1_FEW
#undef FF1_FIRST_KEY
#undef FF1_GROUP
#undef FF1_INLINE
#undef FF1_PER
#undef FF1_PER16
#undef FF1_ROUND
#undef FF1_ROUNDS
#undef FF1_SMALL_BITS
#undef FF1_TARGET
#undef FF1_TRANSPOSE
#undef FF1_VECTORS

const tally_ff1_lanes tally_ff1_lanes_avx2 = {
    {"avx2", TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3 | TALLY_CPU_SSE2},
    ff1_avx2_run,
    ff1_avx2_takes_lanes};

#else
typedef int tally_ff1_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/ff1/avx512.c ---- */
/*
 * FF1 on lanes with AVX-512, VAES and IFMA, whose products have 104 bits. Eight numbers are in a
 * vector, and four blocks. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

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

/* ---- core/fast/lanes/transpose.h, again ---- */

#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

TALLY_VISIBILITY_DEFAULT
#include <stddef.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

/* ---- core/base/below.h, again ---- */

#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

TALLY_VISIBILITY_DEFAULT
#include <stddef.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

enum { TALLY_BELOW_RUN = 32  };

static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

typedef struct tally_transpose {

    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);

    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);

    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* ---- core/ff1/chunks.h, again ---- */

#ifndef TALLY_FF1_CHUNKS_H
#define TALLY_FF1_CHUNKS_H

typedef enum tally_ff1_kind {
    TALLY_FF1_POWER,
    TALLY_FF1_LONG_POWER,
    TALLY_FF1_SMALL,
    TALLY_FF1_SHORT,
    TALLY_FF1_LONG_LOW,
    TALLY_FF1_LONG
} tally_ff1_kind;

typedef struct tally_ff1_chunks {
    uint32_t symbols, base, bits;
    uint32_t count[2];
    uint64_t inverse;
    uint16_t radix_inverse;
    uint32_t radix_shift, radix;
    int is_power;
} tally_ff1_chunks;

static inline uint32_t tally_ff1_log(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

static inline tally_ff1_chunks tally_ff1_set_chunks(const tally_ff1_plan *plan)
{
    const uint32_t radix = plan->cipher->radix;
    tally_ff1_chunks made = {.symbols = 1, .base = radix, .radix = radix};
    made.is_power = (radix & (radix - 1)) == 0;
    const uint32_t most = made.is_power ? 1 << 16 : 1 << 15;
    while (plan->symbol_size == 1 && made.base * radix <= most) {
        made.base *= radix;
        made.symbols++;
    }
    made.bits = made.base == 1 ? 0 : tally_ff1_log(made.base - 1) + 1;
    for (int half = 0; half < 2; half++) {
        made.count[half] = (plan->half[half] + made.symbols - 1) / made.symbols;
    }
    const uint64_t power = UINT64_C(1) << 63, rest = (power % made.base) << made.bits;
    made.inverse = (power / made.base << made.bits) + rest / made.base;
    made.radix_shift = plan->radix_shift;
    made.radix_inverse =
        (uint16_t)((UINT32_C(1) << (16 + made.radix_shift)) / radix + (made.is_power ? 0 : 1));
    return made;
}

#endif

#define FF1(name)      ff1_avx512_##name
#define FF1_TARGET     __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma,vaes,aes")))
#define FF1_INLINE     TALLY_INLINE FF1_TARGET
#define FF1_PER        8
#define FF1_VECTORS    4
#define FF1_FEW        12
#define FF1_BITS       50
#define FF1_SMALL_BITS 12
#define FF1_FIRST_KEY  1
#define FF1_TRANSPOSE  tally_transpose_avx512
#define FF1_ELSE       tally_ff1_lanes_avx2

typedef __m512i ff1_avx512_vec, ff1_avx512_vec16;
typedef __m128i ff1_avx512_shift;

/* A modulus as vectors need it. */
typedef struct ff1_avx512_modulus {
    uint64_t value, mask, inverse; /* as in plan.h; of a small one, those of a multiple */
    uint64_t next_value;           /* of a small one: the modulus itself */
    uint64_t next_inverse; /* of a small one: 2^52 / value; of a long one: 2^(34 + k) / value */
    uint32_t shift;        /* of a long one: 50 - k, where value < 2^k */
} ff1_avx512_modulus;

FF1_INLINE __m512i ff1_avx512_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

FF1_INLINE void ff1_avx512_store(void *to, __m512i x)
{
    _mm512_storeu_si512(to, x);
}

FF1_INLINE __m512i ff1_avx512_each(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

FF1_INLINE __m128i ff1_avx512_shift_by(uint32_t count)
{
    return _mm_cvtsi32_si128((int)count);
}

FF1_INLINE __m512i ff1_avx512_or(__m512i x, __m512i y)
{
    return _mm512_or_si512(x, y);
}

FF1_INLINE __m512i ff1_avx512_and(__m512i x, __m512i y)
{
    return _mm512_and_si512(x, y);
}

FF1_INLINE __m512i ff1_avx512_left(__m512i x, __m128i y)
{
    return _mm512_sll_epi64(x, y);
}

FF1_INLINE __m512i ff1_avx512_right(__m512i x, __m128i y)
{
    return _mm512_srl_epi64(x, y);
}

FF1_INLINE __m512i ff1_avx512_xor(__m512i x, __m512i y, __m512i z)
{
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}

FF1_INLINE __m512i ff1_avx512_load16(const uint16_t *from)
{
    return ff1_avx512_load(from);
}

FF1_INLINE void ff1_avx512_store16(uint16_t *to, __m512i x)
{
    ff1_avx512_store(to, x);
}

FF1_INLINE __m512i ff1_avx512_each16(uint32_t x)
{
    return _mm512_set1_epi16((int16_t)x);
}

FF1_INLINE __m512i ff1_avx512_add16(__m512i x, __m512i y)
{
    return _mm512_add_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_sub16(__m512i x, __m512i y)
{
    return _mm512_sub_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_product16(__m512i x, __m512i y)
{
    return _mm512_mullo_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_high16(__m512i x, __m512i y)
{
    return _mm512_mulhi_epu16(x, y);
}

FF1_INLINE __m512i ff1_avx512_right16(__m512i x, __m128i y)
{
    return _mm512_srl_epi16(x, y);
}

FF1_INLINE __m512i ff1_avx512_load_symbols(const uint8_t *from, uint32_t last)
{
    const __m256i lasts = _mm256_set1_epi8((char)last);
    return _mm512_cvtepu8_epi16(_mm256_min_epu8(_mm256_loadu_si256((const void *)from), lasts));
}

FF1_INLINE void ff1_avx512_store_symbols(uint8_t *to, __m512i x)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi16_epi8(x));
}

FF1_INLINE __m512i ff1_avx512_load_chunks(const uint16_t *from)
{
    return _mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)from));
}

FF1_INLINE void ff1_avx512_store_chunks(uint16_t *to, __m512i x)
{
    _mm_storeu_si128((void *)to, _mm512_cvtepi64_epi16(x));
}

FF1_INLINE __m512i ff1_avx512_append(const tally_ff1_chunks *by, __m512i x, __m512i chunk)
{
    return _mm512_madd52lo_epu64(chunk, x, ff1_avx512_each(by->base));
}

/* x * 4 * inverse / 2^(52 + bits), for an inverse of 52 bits and x below 2^50. */
FF1_INLINE __m512i ff1_avx512_quotient(const tally_ff1_chunks *by, __m512i x)
{
    const __m512i inverse = ff1_avx512_each((by->inverse >> 13) + 1);
    const __m512i high =
        _mm512_madd52hi_epu64(_mm512_setzero_si512(), _mm512_slli_epi64(x, 2), inverse);
    return _mm512_srl_epi64(high, ff1_avx512_shift_by(by->bits));
}

FF1_INLINE __m512i ff1_avx512_remainder(const tally_ff1_chunks *by, __m512i x, __m512i quotient)
{
    return _mm512_madd52lo_epu64(x, quotient, ff1_avx512_each((UINT64_C(1) << 52) - by->base));
}

FF1_INLINE __m512i ff1_avx512_block(const uint8_t *bytes)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)bytes));
}

FF1_INLINE __m512i ff1_avx512_deal_even(__m512i x, __m512i y)
{
    return _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), y);
}

FF1_INLINE __m512i ff1_avx512_deal_odd(__m512i x, __m512i y)
{
    return _mm512_permutex2var_epi64(x, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), y);
}

/* Bytes of each block by their places in it; 0x80: zero. */
FF1_INLINE __m512i ff1_avx512_shuffle(__m512i x, uint64_t high, uint64_t low)
{
    return _mm512_shuffle_epi8(
        x, _mm512_broadcast_i32x4(_mm_set_epi64x((long long)high, (long long)low)));
}

FF1_INLINE __m512i ff1_avx512_even(__m512i x)
{
    return ff1_avx512_shuffle(x, 0x0001020304050607, 0x8080808080808080);
}

FF1_INLINE __m512i ff1_avx512_odd(__m512i x)
{
    return ff1_avx512_shuffle(x, 0x08090a0b0c0d0e0f, 0x8080808080808080);
}

FF1_INLINE __m512i ff1_avx512_first(__m512i x, __m512i y)
{
    return ff1_avx512_shuffle(_mm512_unpacklo_epi64(x, y), 0x08090a0b0c0d0e0f, 0x0001020304050607);
}

FF1_INLINE __m512i ff1_avx512_next(__m512i x, __m512i y)
{
    return ff1_avx512_shuffle(_mm512_unpackhi_epi64(x, y), 0x8080808008090a0b, 0x8080808000010203);
}

FF1_INLINE void ff1_avx512_encrypt(const tally_aes_key *aes, __m512i *b)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    const uint32_t rounds = aes->rounds;
    for (uint32_t r = 1; r < rounds; r++) {
        const __m512i key = ff1_avx512_block(keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 2 * FF1_VECTORS; i++) {
            b[i] = _mm512_aesenc_epi128(b[i], key);
        }
    }
    const __m512i last = ff1_avx512_block(keys[rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        b[i] = _mm512_aesenclast_epi128(b[i], last);
    }
}

static ff1_avx512_modulus ff1_avx512_set_modulus(const tally_ff1_plan *plan, tally_ff1_kind kind,
                                                 uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    ff1_avx512_modulus made = {
        .value = modulus->value, .mask = modulus->mask, .inverse = modulus->inverse};
    if (kind == TALLY_FF1_SMALL) {
        made.next_value = modulus->value;
        made.next_inverse = (UINT64_C(1) << 52) / modulus->value;
        made.value = modulus->value << 12;
        made.inverse = modulus->inverse >> 12;
    } else if (kind == TALLY_FF1_LONG) {
        const uint32_t bits = tally_ff1_log(modulus->value) + 1;
        made.shift = FF1_BITS - bits;
        made.next_inverse = modulus->long_inverse >> (62 - bits);
    }
    return made;
}

/* x less some moduli, unless it is below; x is below twice that. */
FF1_INLINE __m512i ff1_avx512_less(__m512i x, __m512i moduli)
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, moduli));
}

/* Adds y, of 64 bits and perhaps 32 more, to numbers, or subtracts it. Quotients are too small by 2 at
 * most, so that rests are below three times the modulus. */
FF1_INLINE __m512i ff1_avx512_add(const tally_ff1_kind kind, const tally_direction direction,
                                  const ff1_avx512_modulus *modulus, __m512i number, __m512i high,
                                  __m512i low)
{
    const __m512i zero = _mm512_setzero_si512(), mask52 = ff1_avx512_each((UINT64_C(1) << 52) - 1);
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        const __m512i y =
            kind == TALLY_FF1_POWER ? high : _mm512_or_si512(_mm512_slli_epi64(high, 32), low);
        return _mm512_and_si512(direction == TALLY_ENCRYPT ? _mm512_add_epi64(number, y)
                                                           : _mm512_sub_epi64(number, y),
                                ff1_avx512_each(modulus->mask));
    }
    const __m512i minus = ff1_avx512_each((UINT64_C(1) << 52) - modulus->value);
    __m512i quotient =
        _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12), ff1_avx512_each(modulus->inverse));
    __m512i rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    uint64_t value = modulus->value;
    if (kind == TALLY_FF1_SMALL) {
        value = modulus->next_value;
        quotient = _mm512_madd52hi_epu64(zero, rest, ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_madd52lo_epu64(rest, quotient, ff1_avx512_each((UINT64_C(1) << 52) - value));
        rest = _mm512_and_si512(rest, mask52);
    }
    const __m512i once = ff1_avx512_each(value), twice = ff1_avx512_each(2 * value);
    if (kind == TALLY_FF1_LONG_LOW) {
        rest = ff1_avx512_less(ff1_avx512_less(rest, twice), once);
        high = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12),
                                         ff1_avx512_each(modulus->inverse));
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    }
    if (kind == TALLY_FF1_LONG) {
        const __m128i shift = _mm_cvtsi32_si128((int)modulus->shift);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_sll_epi64(rest, shift),
                                         ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(rest, quotient, minus), mask52);
    }
    const __m512i sum =
        direction == TALLY_ENCRYPT
            ? _mm512_add_epi64(number, rest)
            : _mm512_sub_epi64(_mm512_add_epi64(number, ff1_avx512_each(3 * value)), rest);
    return ff1_avx512_less(ff1_avx512_less(sum, twice), once);
}

/* ---- core/ff1/lanes_body.h, again ---- */

#define FF1_EACH(i, count) TALLY_UNROLL(16) for (int i = 0; i < (count); i++)
#define FF1_PER16          (4 * FF1_PER)
#define FF1_GROUP          (FF1_PER * FF1_VECTORS)
#define FF1_CHUNKS         64

typedef struct FF1(state) {
    _Alignas(64) uint64_t half[2][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t bases[TALLY_FF1_ROWS][16];
    _Alignas(64) uint16_t chunks[FF1_CHUNKS][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t symbols[2 * FF1_CHUNKS][TALLY_FF1_ROWS];
} FF1(state);

static tally_ff1_kind FF1(kind_of)(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    if (modulus->mask != 0) {
        return plan->prf_size == 8 ? TALLY_FF1_POWER : TALLY_FF1_LONG_POWER;
    }
    if (plan->prf_size == 8) {
        return modulus->value >> FF1_SMALL_BITS == 0 ? TALLY_FF1_SMALL : TALLY_FF1_SHORT;
    }
    return modulus->value >> 32 == 0 ? TALLY_FF1_LONG_LOW : TALLY_FF1_LONG;
}

static int FF1(serves)(const tally_ff1_plan *plan)
{
    return plan->modulus[1].mask != 0 || plan->modulus[1].value >> FF1_BITS == 0;
}

static int FF1(takes_lanes)(const tally_ff1_plan *plan)
{
    return plan->symbol_size == 1 &&
           (FF1(serves)(plan) || (FF1_ELSE.takes_lanes != NULL && FF1_ELSE.takes_lanes(plan)));
}

FF1_INLINE void FF1(join)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const uint8_t *lanes, size_t stride, FF1(state) * state)
{
    const FF1(vec16) radix = FF1(each16)(by->radix);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(each16)(0);
            for (uint32_t i = at; i < end; i++) {
                const FF1(vec16) symbols =
                    FF1(load_symbols)(lanes + i * stride + FF1_PER16 * v, by->radix - 1);
                x = FF1(add16)(FF1(product16)(x, radix), symbols);
            }
            FF1(store16)(state->chunks[c] + FF1_PER16 * v, x);
        }
        at = end;
    }
}

FF1_INLINE void FF1(part)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const FF1(state) * state, uint8_t *lanes, size_t stride)
{
    const FF1(vec16) radix = FF1(each16)(by->radix), inverse = FF1(each16)(by->radix_inverse);
    const FF1(shift) shift = FF1(shift_by)(by->radix_shift);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(load16)(state->chunks[c] + FF1_PER16 * v);
            for (uint32_t i = end; i-- > at;) {
                const FF1(vec16) rest = FF1(right16)(FF1(high16)(x, inverse), shift);
                x = FF1(sub16)(x, FF1(product16)(rest, radix));
                FF1(store_symbols)(lanes + i * stride + FF1_PER16 * v, x);
                x = rest;
            }
        }
        at = end;
    }
}

FF1_INLINE void FF1(sum)(const tally_ff1_chunks *by, uint32_t chunks, const FF1(state) * state,
                         uint64_t *numbers)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(each)(0);
        for (uint32_t c = 0; c < chunks; c++) {
            const FF1(vec) chunk = FF1(load_chunks)(state->chunks[c] + row);
            x = by->is_power ? FF1(or)(FF1(left)(x, shift), chunk) : FF1(append)(by, x, chunk);
        }
        FF1(store)(numbers + row, x);
    }
}

FF1_INLINE void FF1(split)(const tally_ff1_chunks *by, uint32_t chunks, const uint64_t *numbers,
                           FF1(state) * state)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(load)(numbers + row);
        for (uint32_t c = chunks; c-- > 0;) {
            FF1(vec) rest, chunk;
            if (by->is_power) {
                rest = FF1(right)(x, shift);
                chunk = FF1(and)(x, FF1(each)(by->base - 1));
            } else {
                rest = FF1(quotient)(by, x);
                chunk = FF1(remainder)(by, x, rest);
            }
            FF1(store_chunks)(state->chunks[c] + row, chunk);
            x = rest;
        }
    }
}

static void FF1(gather)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                        FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(&state->chunks[p][i], batch->in[i] + 2 * (size_t)(first + p), 2);
        }
    }
}

static void FF1(scatter)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                         const FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(batch->out[i] + 2 * (size_t)(first + p), &state->chunks[p][i], 2);
        }
    }
}

FF1_TARGET static void FF1(read)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                 FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.to_lanes(batch->in, batch->count, plan->length, TALLY_FF1_ROWS,
                               state->symbols[0]);
    }
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        if (plan->symbol_size == 1) {
            FF1(join)(by, first, plan->half[half], by->count[half], lanes, stride, state);
        } else {
            FF1(gather)(batch, first, plan->half[half], state);
        }
        FF1(sum)(by, by->count[half], state, state->half[half]);
    }
}

FF1_TARGET static void FF1(write)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                  FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        FF1(split)(by, by->count[half], state->half[half], state);
        if (plan->symbol_size == 1) {
            FF1(part)(by, first, plan->half[half], by->count[half], state, lanes, stride);
        } else {
            FF1(scatter)(batch, first, plan->half[half], state);
        }
    }
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.from_lanes(state->symbols[0], TALLY_FF1_ROWS, batch->count, plan->length,
                                 batch->out);
    }
}

FF1_TARGET static void FF1(set_bases)(const tally_ff1_batch *batch, FF1(state) * state)
{
    if (batch->base_step == 0) {
        const FF1(vec) base = FF1(block)(batch->bases[0]);
        for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER / 2) {
            FF1(store)(state->bases[i], base);
        }
        return;
    }
    if (batch->count < TALLY_FF1_ROWS) {
        memset(state->bases[0], 0, sizeof state->bases);
    }
    memcpy(state->bases[0], batch->bases[0], 16 * batch->count);
    for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER) {
        const FF1(vec) first = FF1(load)(state->bases[i]),
                       second = FF1(load)(state->bases[i + FF1_PER / 2]);
        FF1(store)(state->bases[i], FF1(deal_even)(first, second));
        FF1(store)(state->bases[i + FF1_PER / 2], FF1(deal_odd)(first, second));
    }
}

FF1_INLINE void FF1(round)(const tally_ff1_kind kind, const tally_direction direction,
                           const tally_aes_key *aes, FF1(vec) start, const FF1(modulus) * modulus,
                           const uint8_t *bases, const uint64_t *from, uint64_t *to)
{
    FF1(vec) b[2 * FF1_VECTORS];
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) numbers = FF1(load)(from + FF1_PER * i);
        b[2 * i] = FF1(xor)(FF1(even)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i));
        b[2 * i + 1] =
            FF1(xor)(FF1(odd)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i + 8 * FF1_PER));
    }
    FF1(encrypt)(aes, b);
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) high = FF1(first)(b[2 * i], b[2 * i + 1]),
                       low = FF1(next)(b[2 * i], b[2 * i + 1]);
        FF1(vec) sum = FF1(load)(to + FF1_PER * i);
        sum = FF1(add)(kind, direction, modulus, sum, high, low);
        FF1(store)(to + FF1_PER * i, sum);
    }
}

#define FF1_ROUND(kind, which)                                                                     \
    FF1(round)                                                                                     \
    (kind, direction, aes, key, &modulus[which], state->bases[row],                                \
     state->half[1 - (which)] + row, state->half[which] + row)

FF1_INLINE void FF1(rounds)(const tally_ff1_kind kind0, const tally_ff1_kind kind1,
                            const tally_direction direction, const tally_ff1_batch *batch,
                            const FF1(modulus) modulus[2], FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t groups = (batch->count + FF1_GROUP - 1) / FF1_GROUP;
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        _Alignas(16) uint8_t start[16] = {0};
        start[15 - plan->number_size] = (uint8_t)round;
        FF1(vec) key = FF1(block)(start);
        if (FF1_FIRST_KEY) {
            key = FF1(xor)(key, FF1(block)(aes->round_keys.bytes[TALLY_ENCRYPT][0]), FF1(each)(0));
        }
        for (size_t g = 0; g < groups; g++) {
            const size_t row = FF1_GROUP * g;
            if (round % 2 == 0) {
                FF1_ROUND(kind0, 0);
            } else {
                FF1_ROUND(kind1, 1);
            }
        }
    }
}

#define FF1_ROUNDS(name, kind0, kind1)                                                             \
    FF1_TARGET static void FF1(rounds_##name)(const tally_ff1_batch *batch,                        \
                                              const FF1(modulus) modulus[2], FF1(state) * state)   \
    {                                                                                              \
        if (batch->direction == TALLY_ENCRYPT) {                                                   \
            FF1(rounds)(kind0, kind1, TALLY_ENCRYPT, batch, modulus, state);                       \
        } else {                                                                                   \
            FF1(rounds)(kind0, kind1, TALLY_DECRYPT, batch, modulus, state);                       \
        }                                                                                          \
    }

FF1_ROUNDS(power, TALLY_FF1_POWER, TALLY_FF1_POWER)
FF1_ROUNDS(long_power, TALLY_FF1_LONG_POWER, TALLY_FF1_LONG_POWER)
FF1_ROUNDS(small, TALLY_FF1_SMALL, TALLY_FF1_SMALL)
FF1_ROUNDS(mixed, TALLY_FF1_SMALL, TALLY_FF1_SHORT)
FF1_ROUNDS(short, TALLY_FF1_SHORT, TALLY_FF1_SHORT)
FF1_ROUNDS(long_low, TALLY_FF1_LONG_LOW, TALLY_FF1_LONG)
FF1_ROUNDS(long, TALLY_FF1_LONG, TALLY_FF1_LONG)

FF1_TARGET static void FF1(run)(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    if (!FF1(serves)(plan) || (batch->lanes == NULL && batch->count <= FF1_FEW)) {
        FF1_ELSE.run(batch);
        return;
    }
    FF1(state) state;
    const tally_ff1_chunks by = tally_ff1_set_chunks(plan);
    if (batch->count < TALLY_FF1_ROWS) {
        memset(&state, 0, sizeof state);
    }
    FF1(set_bases)(batch, &state);
    FF1(read)(batch, &by, &state);
    const tally_ff1_kind first = FF1(kind_of)(plan, 0), second = FF1(kind_of)(plan, 1);
    const FF1(modulus)
        modulus[2] = {FF1(set_modulus)(plan, first, 0), FF1(set_modulus)(plan, second, 1)};
    if (second == TALLY_FF1_POWER) {
        FF1(rounds_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_LONG_POWER) {
        FF1(rounds_long_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SMALL) {
        FF1(rounds_small)(batch, modulus, &state);
    } else if (first == TALLY_FF1_SMALL) {
        FF1(rounds_mixed)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SHORT) {
        FF1(rounds_short)(batch, modulus, &state);
    } else if (first == TALLY_FF1_LONG_LOW) {
        FF1(rounds_long_low)(batch, modulus, &state);
    } else {
        FF1(rounds_long)(batch, modulus, &state);
    }
    FF1(write)(batch, &by, &state);
    tally_wipe(state.half, sizeof state.half);
    tally_wipe(state.bases, sizeof state.bases);
    tally_wipe(state.chunks, sizeof state.chunks[0] * by.count[1]);
    if (batch->lanes == NULL) {
        tally_wipe(state.symbols, sizeof state.symbols[0] * plan->length);
    }
}

#undef FF1
#undef FF1_BITS
#undef FF1_CHUNKS
#undef FF1_EACH
#undef FF1_ELSE
#undef FF1_FEW
#undef FF1_FIRST_KEY
#undef FF1_GROUP
#undef FF1_INLINE
#undef FF1_PER
#undef FF1_PER16
#undef FF1_ROUND
#undef FF1_ROUNDS
#undef FF1_SMALL_BITS
#undef FF1_TARGET
#undef FF1_TRANSPOSE
#undef FF1_VECTORS

const tally_ff1_lanes tally_ff1_lanes_avx512 = {
    {"avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2 | TALLY_CPU_AVX512 |
                   TALLY_CPU_BMI2 | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    ff1_avx512_run,
    ff1_avx512_takes_lanes};

#else
typedef int tally_ff1_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/ff1/ff1.c ---- */
/*
 * FF1: the common part of a call, tweaks, and the batches of words. */

/* ---- core/base/align.h ---- */
/*
 * Objects at multiples of 64 bytes, a cache line, or of less, in memory of any alignment. */
#ifndef TALLY_BASE_ALIGN_H
#define TALLY_BASE_ALIGN_H

enum { TALLY_ALIGNMENT = 64 /* bytes; memory for an object has TALLY_ALIGNMENT - 1 more */ };

/* The first multiple of `alignment` in `memory`. */
static inline void *tally_align_to(uintptr_t alignment, void *memory)
{
    const uintptr_t past = (uintptr_t)memory % alignment;
    return (uint8_t *)memory + (past == 0 ? 0 : alignment - past);
}

static inline void *tally_align(void *memory)
{
    return tally_align_to(TALLY_ALIGNMENT, memory);
}

#endif

/* ---- core/base/below.h, again ---- */

#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

enum { TALLY_BELOW_RUN = 32  };

static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

/* ---- core/ff1/limbs.h ---- */
/*
 * Words whose halves do not fit in lanes: numbers in limbs of 32 bits. */
#ifndef TALLY_FF1_LIMBS_H
#define TALLY_FF1_LIMBS_H

enum { TALLY_FF1_LIMBS_WORDS = 16 /* words at once, at most */ };

/* Bytes of memory for words of a plan that is not short, of which `words` are worked on at
 * once: 1..TALLY_FF1_LIMBS_WORDS. */
size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words);

/* The common part of all words, in memory of tally_ff1_limbs_size bytes, which is aligned to 8. */
typedef struct tally_ff1_limbs {
    const tally_ff1_plan *plan;
    size_t limbs;         /* of a number; y has one more */
    uint32_t *modulus[2]; /* radix^u, radix^v, if the radix is no power of two */
    uint32_t bits[2];     /* of the greatest numbers of the halves */
    uint32_t radix_bits;  /* of a symbol, if the radix is a power of two; else 0 */
    uint32_t inverse[2][3];
    uint32_t *scratch;             /* limbs + 2 */
    uint32_t chunk, chunk_symbols; /* radix^chunk_symbols < 2^32 */
    uint32_t chunk_log;            /* 2^chunk_log <= chunk */
    uint64_t chunk_inverse;        /* 2^64 / chunk */
    uint8_t *words;                /* memory of the words */
} tally_ff1_limbs;

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out);

/* The number of a half's symbols, and the inverse, which changes the number. */
void tally_ff1_limbs_read(const tally_ff1_limbs *limbs, uint32_t half, const uint8_t *symbols,
                          uint32_t *number);
void tally_ff1_limbs_write(const tally_ff1_limbs *limbs, uint32_t half, uint32_t *number,
                           uint8_t *symbols);

/* Adds y to a number of a half, or subtracts it. All limbs of y, one more than a number has, are in
 * the scratch, which is changed. */
void tally_ff1_limbs_add(const tally_ff1_limbs *limbs, tally_direction direction, uint32_t half,
                         uint32_t *number);

/* Encrypts or decrypts words, at most as many as the memory is for; in[i] may equal out[i]. Base
 * i * base_step is that of word i, as in lanes.h. */
void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count);

#endif

enum { FF1_STACK = 8192 /* bytes for long words; longer ones take memory */ };

size_t tally_ff1_size(void)
{
    return sizeof(tally_ff1) + TALLY_ALIGNMENT - 1;
}

tally_status tally_ff1_init(tally_ff1_profile profile, uint32_t radix, const uint8_t *key,
                            size_t key_size, void *memory, size_t memory_size, tally_ff1 **out)
{
    if (profile != TALLY_FF1 && profile != TALLY_FF1_2016) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX) {
        return TALLY_ERROR_FF1_RADIX;
    }
    if (memory_size < tally_ff1_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_ff1 *cipher = tally_align(memory);
    const tally_status status = tally_aes_key_init(key, key_size, &cipher->aes);
    if (status != TALLY_OK) {
        return status;
    }
    cipher->lanes = tally_ff1_lanes_choose();
    cipher->radix = radix;
    cipher->profile = profile;
    *out = cipher;
    return TALLY_OK;
}

void tally_ff1_wipe(tally_ff1 *cipher)
{
    tally_wipe(cipher, sizeof *cipher);
}

/* The encryption of the first block for one size of tweak, and the blocks of the common part behind
 * it. Words that follow each other mostly have tweaks of one size. */
typedef struct ff1_common {
    uint64_t tweak_size; /* UINT64_MAX: none yet */
    uint64_t blocks;     /* of the common part, at most those before the number's */
    uint64_t before;     /* all blocks before the number's */
    uint8_t chain[1][16];
    uint64_t ended[2]; /* the chain, xored with the end of the common part: little-endian */
} ff1_common;

static size_t ff1_row_size(const tally_ff1_tweaks *tweaks, size_t word)
{
    return tweaks->rows == NULL ? 0 : tweaks->row_sizes[word];
}

/* Xors bytes at .. at + 15 of a tweak, and zeros behind it, to a block. */
static void ff1_xor_tweak(const tally_ff1_tweaks *tweaks, size_t word, uint64_t at,
                          uint8_t block[16])
{
    const uint64_t common = tweaks->common_size, all = common + ff1_row_size(tweaks, word);
    const uint64_t end = at + 16 < all ? at + 16 : all;
    size_t i = 0;
    for (; at < end && at < common; at++) {
        block[i++] ^= tweaks->common[at];
    }
    const uint8_t *row = tweaks->rows == NULL ? NULL : tweaks->rows[word];
    for (; row != NULL && at < end; at++) {
        block[i++] ^= row[at - common];
    }
}

static void ff1_set_common(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks,
                           uint64_t tweak_size, ff1_common *out)
{
    if (out->tweak_size == tweak_size) {
        return;
    }
    const tally_aes_key *aes = &plan->cipher->aes;
    const uint64_t before = tally_ff1_tweak_blocks(plan, tweak_size),
                   whole = tweaks->common_size / 16;
    uint8_t first[16];
    const uint8_t *message = first;
    tally_ff1_first_block(plan, tweak_size, first);
    memset(out->chain, 0, 16);
    aes->backend->cbc_mac(aes, 1, &message, 1, out->chain);
    out->tweak_size = tweak_size;
    out->blocks = before < whole ? before : whole;
    out->before = before;
    if (out->blocks > 0) {
        aes->backend->cbc_mac(aes, 1, &tweaks->common, (size_t)out->blocks, out->chain);
    }
    const tally_ff1_tweaks common = {.common = tweaks->common, .common_size = tweaks->common_size};
    uint8_t ended[16];
    memcpy(ended, out->chain, 16);
    ff1_xor_tweak(&common, 0, 16 * out->blocks, ended);
    out->ended[0] = tally_load_le64(ended);
    out->ended[1] = tally_load_le64(ended + 8);
    tally_wipe(ended, sizeof ended);
}

/* Up to eight bytes as a little-endian number, without reading beyond them. */
static uint64_t ff1_load_up_to_8(const uint8_t *bytes, size_t size)
{
    if (size >= 8) {
        return tally_load_le64(bytes);
    }
    if (size >= 4) {
        return tally_load_le32(bytes) | (uint64_t)tally_load_le32(bytes + size - 4)
                                            << 8 * (size - 4);
    }
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << 8 * i;
    }
    return number;
}

/* The base of a word whose tweak ends in the block in which the common part ends. */
static void ff1_end_base(const ff1_common *common, size_t common_size, const uint8_t *row,
                         size_t size, uint8_t base[16])
{
    uint64_t low = ff1_load_up_to_8(row, size),
             high = size > 8 ? ff1_load_up_to_8(row + 8, size - 8) : 0;
    const size_t bits = 8 * (common_size % 8);
    if (bits != 0) {
        high = high << bits | low >> (64 - bits);
        low <<= bits;
    }
    if (common_size % 16 >= 8) {
        high = low;
        low = 0;
    }
    tally_store_le64(common->ended[0] ^ low, base);
    tally_store_le64(common->ended[1] ^ high, base + 8);
}

/* The bases of words first .. first + count - 1: their chains before the blocks of a number, xored
 * with the end of the tweak. */
static void ff1_set_bases(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks, size_t first,
                          size_t count, ff1_common *common, uint8_t (*bases)[16])
{
    const tally_aes_key *aes = &plan->cipher->aes;
    uint8_t blocks[TALLY_FF1_ROWS][16];
    uint64_t begun[TALLY_FF1_ROWS], before[TALLY_FF1_ROWS];
    size_t waiting[TALLY_FF1_ROWS], left = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = (uint64_t)tweaks->common_size + ff1_row_size(tweaks, first + i);
        ff1_set_common(plan, tweaks, size, common);
        if (common->blocks == common->before && tweaks->rows != NULL) {
            ff1_end_base(common, tweaks->common_size, tweaks->rows[first + i],
                         tweaks->row_sizes[first + i], bases[i]);
            continue;
        }
        memcpy(bases[i], common->chain, 16);
        begun[i] = common->blocks;
        before[i] = common->before;
        ff1_xor_tweak(tweaks, first + i, 16 * begun[i], bases[i]);
        if (begun[i] < before[i]) {
            waiting[left++] = i;
        }
    }
    while (left > 0) { /* one block of each tweak that has more */
        size_t next = 0;
        for (size_t k = 0; k < left; k++) {
            memcpy(blocks[k], bases[waiting[k]], 16);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks[0], left, blocks[0]);
        for (size_t k = 0; k < left; k++) {
            const size_t i = waiting[k];
            begun[i]++;
            ff1_xor_tweak(tweaks, first + i, 16 * begun[i], blocks[k]);
            memcpy(bases[i], blocks[k], 16);
            if (begun[i] < before[i]) {
                waiting[next++] = i;
            }
        }
        left = next;
    }
    tally_wipe(blocks, 16 * (count < TALLY_FF1_ROWS ? count : TALLY_FF1_ROWS));
}

static tally_status ff1_check_tweaks(const tally_ff1_tweaks *tweaks, size_t count)
{
    const uint64_t most = UINT32_MAX;
    if (tweaks->common_size > most) {
        return TALLY_ERROR_FF1_TWEAK_SIZE;
    }
    for (size_t i = 0; tweaks->rows != NULL && i < count; i++) {
        if (tweaks->row_sizes[i] > most - tweaks->common_size) {
            return TALLY_ERROR_FF1_TWEAK_SIZE;
        }
    }
    return TALLY_OK;
}

/* Where words come from and go to: pointers, or side by side if those are NULL. */
typedef struct ff1_words {
    uint8_t *const *rows;
    const uint8_t *from;
    uint8_t *to;
    size_t size; /* bytes of a word */
} ff1_words;

/* The words of a plan, by batches. */
static tally_status ff1_run(const tally_ff1_plan *plan, tally_direction direction,
                            const tally_ff1_tweaks *tweaks, const ff1_words *words, size_t count,
                            const tally_allocator *allocator)
{
    const uint8_t *in[TALLY_FF1_ROWS];
    uint8_t *out[TALLY_FF1_ROWS], bases[TALLY_FF1_ROWS][16];
    _Alignas(8) uint8_t stack[FF1_STACK];
    void *memory = stack;
    size_t most = TALLY_FF1_ROWS, size = 0;
    tally_ff1_limbs limbs;
    ff1_common common = {.tweak_size = UINT64_MAX};
    if (!plan->is_short) {
        most = count < TALLY_FF1_LIMBS_WORDS ? count : TALLY_FF1_LIMBS_WORDS;
        while (most > 1 && tally_ff1_limbs_size(plan, most) > sizeof stack) {
            most /= 2;
        }
        size = tally_ff1_limbs_size(plan, most);
        if (size > sizeof stack) {
            memory = tally_allocate(allocator, size);
            if (memory == NULL) {
                return TALLY_ERROR_MEMORY;
            }
        }
        tally_ff1_limbs_init(plan, memory, &limbs);
    }
    const int is_common = tweaks->rows == NULL;
    if (is_common) {
        ff1_set_bases(plan, tweaks, 0, 1, &common, bases);
    }
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < most ? count - first : most;
        for (size_t i = 0; i < some; i++) {
            const size_t at = (first + i) * words->size;
            in[i] = words->rows == NULL ? words->from + at : words->rows[first + i];
            out[i] = words->rows == NULL ? words->to + at : words->rows[first + i];
        }
        if (!is_common) {
            ff1_set_bases(plan, tweaks, first, some, &common, bases);
        }
        if (plan->is_short) {
            const tally_ff1_batch batch = {.plan = plan,
                                           .direction = direction,
                                           .bases = (const uint8_t(*)[16])bases,
                                           .base_step = is_common ? 0 : 1,
                                           .in = in,
                                           .out = out,
                                           .count = some};
            plan->cipher->lanes->run(&batch);
        } else {
            tally_ff1_limbs_run(&limbs, direction, (const uint8_t(*)[16])bases, is_common ? 0 : 1,
                                in, out, some);
        }
    }
    tally_wipe(&common, sizeof common);
    tally_wipe(bases, sizeof bases);
    tally_wipe(memory, size);
    if (memory != stack) {
        tally_release(allocator, memory, size);
    }
    return TALLY_OK;
}

tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                           const tally_ff1_tweaks *tweaks, uint8_t *const *words, size_t count,
                           const tally_allocator *allocator)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    const ff1_words rows = {.rows = words};
    return status != TALLY_OK || count == 0
               ? status
               : ff1_run(&plan, direction, tweaks, &rows, count, allocator);
}

static int ff1_lanes_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out)
{
    return cipher->lanes->takes_lanes != NULL &&
           tally_ff1_make_plan(cipher, length, out) == TALLY_OK && out->is_short &&
           cipher->lanes->takes_lanes(out);
}

int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length)
{
    tally_ff1_plan plan;
    return ff1_lanes_plan(cipher, length, &plan);
}

int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    tally_ff1_plan plan;
    uint8_t base[1][16];
    ff1_common common = {.tweak_size = UINT64_MAX};
    if (!ff1_lanes_plan(cipher, length, &plan) || ff1_check_tweaks(&tweaks, 0) != TALLY_OK) {
        return 0;
    }
    ff1_set_bases(&plan, &tweaks, 0, 1, &common, base);
    for (size_t first = 0; first < count; first += TALLY_FF1_ROWS) {
        const tally_ff1_batch batch = {.plan = &plan,
                                       .direction = direction,
                                       .bases = (const uint8_t(*)[16])base,
                                       .count = TALLY_FF1_ROWS,
                                       .lanes = lanes + first,
                                       .stride = stride};
        cipher->lanes->run(&batch);
    }
    tally_wipe(&common, sizeof common);
    tally_wipe(base, sizeof base);
    return 1;
}

int tally_ff1_all_below(uint32_t radix, const uint8_t *symbols, size_t count)
{
    if (radix <= 256) {
        return tally_all_below(radix, symbols, count);
    }
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t symbol;
        memcpy(&symbol, symbols + 2 * i, 2);
        outside |= radix - 1 - symbol; /* its top bit */
    }
    return outside >> 31 == 0;
}

tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                             const tally_ff1_tweaks *tweaks, const void *words, size_t count,
                             void *out)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    if (status != TALLY_OK) {
        return status;
    }
    const size_t size = (size_t)length * plan.symbol_size;
    if (count > SIZE_MAX / size) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (count == 0) {
        return TALLY_OK;
    }
    if (!tally_ff1_all_below(cipher->radix, words, count * length)) {
        return TALLY_ERROR_FF1_SYMBOL;
    }
    const ff1_words side_by_side = {.from = words, .to = out, .size = size};
    return ff1_run(&plan, direction, tweaks, &side_by_side, count, NULL);
}

tally_status tally_ff1_encrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_ENCRYPT, length, &tweaks, words, count, out);
}

tally_status tally_ff1_decrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_DECRYPT, length, &tweaks, words, count, out);
}

/* ---- core/ff1/ff3_1.c ---- */
/*
 * FF3-1 and FF3: decryption of old data. In these the first symbol is the least significant one. The
 * key and all blocks are reversed, so that numbers are little-endian. */

/* ---- core/ff1/ff3_1.h ---- */
/*
 * Decryption by FF3-1 inside the core, as ff1.h has it for FF1. If the tweaks have rows, each row is
 * a whole tweak of 7 or 8 bytes, and there is no common part. */
#ifndef TALLY_FF1_FF3_1_H
#define TALLY_FF1_FF3_1_H

TALLY_MUST_CHECK tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                                                const tally_ff1_tweaks *tweaks, const void *words,
                                                size_t count, void *out);

/* In place, on words anywhere, whose symbols are below the radix. */
TALLY_MUST_CHECK tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                                              const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                              size_t count);

#endif

/* ---- core/ff1/symbols.h ---- */
/*
 * Symbols of one or two bytes as a number that fits in a lane, and back. */
#ifndef TALLY_FF1_SYMBOLS_H
#define TALLY_FF1_SYMBOLS_H

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

/* The first symbol is the most significant one. Compilers make a loop for each constant size. */
TALLY_INLINE uint64_t tally_ff1_symbols_read(const uint8_t *symbols, uint32_t count,
                                             const uint32_t symbol_size, uint64_t radix)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t symbol = symbols[symbol_size * i];
        if (symbol_size == 2) {
            memcpy(&symbol, symbols + 2 * i, 2);
        }
        number = number * radix + symbol;
    }
    return number;
}

TALLY_INLINE void tally_ff1_symbols_write(uint64_t number, uint32_t count,
                                          const uint32_t symbol_size, const tally_ff1_plan *plan,
                                          uint8_t *symbols)
{
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t rest = tally_ff1_high(number, plan->radix_inverse) >> plan->radix_shift;
        const uint16_t symbol = (uint16_t)(number - rest * plan->cipher->radix);
        if (symbol_size == 2) {
            memcpy(symbols + 2 * i, &symbol, 2);
        } else {
            symbols[i] = (uint8_t)symbol;
        }
        number = rest;
    }
}

#endif

enum {
    FF3_1_ROUNDS = 8,
    FF3_1_ROWS = 64, /* words at once */
    FF3_1_LIMBS = 3, /* of a number below 2^96 */
    FF3_1_HALF = 96  /* symbols of a half, at most */
};

struct tally_ff3_1 {
    tally_ff1 cipher; /* of the reversed key */
};

size_t tally_ff3_1_size(void)
{
    return sizeof(tally_ff3_1) + TALLY_ALIGNMENT - 1;
}

tally_status tally_ff3_1_init(uint32_t radix, const uint8_t *key, size_t key_size, void *memory,
                              size_t memory_size, tally_ff3_1 **out)
{
    uint8_t reversed[32];
    tally_ff1 *cipher = NULL;
    if (key_size > sizeof reversed) {
        return TALLY_ERROR_KEY_SIZE;
    }
    for (size_t i = 0; i < key_size; i++) {
        reversed[i] = key[key_size - 1 - i];
    }
    const tally_status status =
        tally_ff1_init(TALLY_FF1_2016, radix, reversed, key_size, memory, memory_size, &cipher);
    tally_wipe(reversed, sizeof reversed);
    if (status == TALLY_OK) {
        *out = (tally_ff3_1 *)(void *)cipher;
    }
    return status;
}

void tally_ff3_1_wipe(tally_ff3_1 *cipher)
{
    tally_ff1_wipe(&cipher->cipher);
}

uint32_t tally_ff3_1_min_length(size_t tweak_size, uint32_t radix)
{
    return tweak_size != TALLY_FF3_1_TWEAK && tweak_size != TALLY_FF3_TWEAK
               ? 0
               : tally_ff1_min_length(tweak_size == TALLY_FF3_1_TWEAK ? TALLY_FF1 : TALLY_FF1_2016,
                                      radix);
}

uint32_t tally_ff3_1_max_length(uint32_t radix)
{
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX) {
        return 0;
    }
    uint32_t half = 0;
    uint64_t high = UINT64_C(1) << 48,
             low = 0; /* 2^96 over powers of the radix: high * 2^48 + low */
    for (; (high | low) != 0; half++) {
        low |= high % radix << 48;
        high /= radix;
        low /= radix;
    }
    return 2 * (half - 1);
}

/* The halves of a tweak that rounds xor to numbers: of odd rounds, of even ones. */
static void ff3_1_tweaks(const uint8_t *tweak, size_t size, uint32_t out[2])
{
    out[1] = tally_load_be32(tweak);
    if (size == TALLY_FF3_TWEAK) {
        out[0] = tally_load_be32(tweak + 4);
    } else {
        out[0] = (uint32_t)tweak[4] << 24 | (uint32_t)tweak[5] << 16 | (uint32_t)tweak[6] << 8 |
                 (out[1] & 0x0f) << 4;
        out[1] &= UINT32_C(0xfffffff0);
    }
}

/* Symbols of a half in the other order. */
static void ff3_1_reverse(size_t symbol_size, const uint8_t *symbols, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(out + symbol_size * i, symbols + symbol_size * (count - 1 - i), symbol_size);
    }
}

/* A call. */
typedef struct ff3_1_job {
    tally_ff1_plan plan;
    tally_ff1_limbs limbs; /* for numbers that are not short */
    uint64_t limbs_memory[16];
} ff3_1_job;

/* Words at work. */
typedef struct ff3_1_state {
    uint32_t number[2][FF3_1_ROWS][FF3_1_LIMBS + 1];
    uint8_t blocks[FF3_1_ROWS][16];
    uint8_t symbols[2 * FF3_1_HALF];
    uint32_t tweaks[FF3_1_ROWS][2];
} ff3_1_state;

static uint64_t ff3_1_short(const uint32_t *number)
{
    return (uint64_t)number[1] << 32 | number[0];
}

static void ff3_1_set_short(uint32_t *number, uint64_t value)
{
    number[0] = (uint32_t)value;
    number[1] = (uint32_t)(value >> 32);
    number[2] = 0;
}

/* The number of the `size` bytes of symbols, most significant one first. */
static void ff3_1_read(ff3_1_job *job, uint32_t half, const uint8_t *symbols, uint32_t *number)
{
    const tally_ff1_plan *plan = &job->plan;
    if (!plan->is_short) {
        tally_ff1_limbs_read(&job->limbs, half, symbols, number);
        return;
    }
    ff3_1_set_short(number, tally_ff1_symbols_read(symbols, plan->half[half], plan->symbol_size,
                                                   plan->cipher->radix));
}

static void ff3_1_write(ff3_1_job *job, uint32_t half, uint32_t *number, uint8_t *symbols)
{
    const tally_ff1_plan *plan = &job->plan;
    if (!plan->is_short) {
        tally_ff1_limbs_write(&job->limbs, half, number, symbols);
        return;
    }
    tally_ff1_symbols_write(ff3_1_short(number), plan->half[half], plan->symbol_size, plan,
                            symbols);
}

/* Subtracts the number of a block, which is little-endian. */
static void ff3_1_subtract(ff3_1_job *job, uint32_t half, const uint8_t block[16], uint32_t *number)
{
    const tally_ff1_modulus *modulus = &job->plan.modulus[half];
    if (!job->plan.is_short) {
        for (size_t i = 0; i <= FF3_1_LIMBS; i++) {
            job->limbs.scratch[i] = tally_load_le32(block + 4 * i);
        }
        tally_ff1_limbs_add(&job->limbs, TALLY_DECRYPT, half, number);
        return;
    }
    if (modulus->mask != 0) {
        ff3_1_set_short(number, (ff3_1_short(number) - tally_load_le64(block)) & modulus->mask);
        return;
    }
    uint64_t y =
        tally_ff1_reduce_long(modulus, tally_load_le64(block + 8), tally_load_le32(block + 4));
    y = tally_ff1_reduce_next(modulus, tally_ff1_less(y, modulus->value), tally_load_le32(block));
    y = tally_ff1_less(y, modulus->value);
    ff3_1_set_short(number,
                    tally_ff1_less(ff3_1_short(number) + modulus->value - y, modulus->value));
}

static void ff3_1_run_batch(ff3_1_job *job, ff3_1_state *state, const uint8_t *const *in,
                            uint8_t *const *out, size_t count)
{
    const tally_ff1_plan *plan = &job->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t size = plan->symbol_size, second = size * plan->half[0];
    for (size_t i = 0; i < count; i++) {
        for (uint32_t half = 0; half < 2; half++) {
            ff3_1_reverse(size, in[i] + second * half, plan->half[half], state->symbols);
            ff3_1_read(job, half, state->symbols, state->number[half][i]);
        }
    }
    for (uint32_t round = FF3_1_ROUNDS; round-- > 0;) {
        const uint32_t half = round % 2;
        for (size_t i = 0; i < count; i++) {
            const uint32_t *from = state->number[1 - half][i];
            for (size_t limb = 0; limb < FF3_1_LIMBS; limb++) {
                tally_store_le32(from[limb], state->blocks[i] + 4 * limb);
            }
            tally_store_le32(state->tweaks[i][half] ^ round, state->blocks[i] + 12);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, state->blocks[0], count, state->blocks[0]);
        for (size_t i = 0; i < count; i++) {
            ff3_1_subtract(job, half, state->blocks[i], state->number[half][i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t half = 0; half < 2; half++) {
            ff3_1_write(job, half, state->number[half][i], state->symbols);
            ff3_1_reverse(size, state->symbols, plan->half[half], out[i] + second * half);
        }
    }
}

static tally_status ff3_1_check(const tally_ff3_1 *cipher, uint32_t length,
                                const tally_ff1_tweaks *tweaks, size_t count)
{
    for (size_t i = 0; i < (tweaks->rows == NULL ? 1 : count); i++) {
        const size_t size = tweaks->rows == NULL ? tweaks->common_size : tweaks->row_sizes[i];
        const uint32_t least = tally_ff3_1_min_length(size, cipher->cipher.radix);
        if (least == 0 || (tweaks->rows != NULL && tweaks->common_size != 0)) {
            return TALLY_ERROR_FF1_TWEAK_SIZE;
        }
        if (length < least || length > tally_ff3_1_max_length(cipher->cipher.radix)) {
            return TALLY_ERROR_FF1_LENGTH;
        }
    }
    return TALLY_OK;
}

/* Words anywhere, or side by side if `rows` is NULL. */
static void ff3_1_run(const tally_ff3_1 *cipher, uint32_t length, const tally_ff1_tweaks *tweaks,
                      uint8_t *const *rows, const uint8_t *from, uint8_t *to, size_t count)
{
    const uint8_t *in[FF3_1_ROWS];
    uint8_t *out[FF3_1_ROWS];
    ff3_1_job job;
    ff3_1_state state;
    tally_ff1_plan_halves(&cipher->cipher, length - length / 2, length / 2, &job.plan);
    job.plan.prf_size = 16; /* y is a block */
    if (!job.plan.is_short) {
        tally_ff1_limbs_init(&job.plan, job.limbs_memory, &job.limbs);
    }
    const size_t size = (size_t)length * job.plan.symbol_size;
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < FF3_1_ROWS ? count - first : FF3_1_ROWS;
        for (size_t i = 0; i < some; i++) {
            const size_t at = first + i;
            in[i] = rows == NULL ? from + size * at : rows[at];
            out[i] = rows == NULL ? to + size * at : rows[at];
            ff3_1_tweaks(tweaks->rows == NULL ? tweaks->common : tweaks->rows[at],
                         tweaks->rows == NULL ? tweaks->common_size : tweaks->row_sizes[at],
                         state.tweaks[i]);
        }
        ff3_1_run_batch(&job, &state, in, out, some);
    }
    tally_wipe(&state, sizeof state);
    tally_wipe(job.limbs_memory, sizeof job.limbs_memory);
}

tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                             const tally_ff1_tweaks *tweaks, uint8_t *const *words, size_t count)
{
    const tally_status status = ff3_1_check(cipher, length, tweaks, count);
    if (status == TALLY_OK && count > 0) {
        ff3_1_run(cipher, length, tweaks, words, NULL, NULL, count);
    }
    return status;
}

tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                               const tally_ff1_tweaks *tweaks, const void *words, size_t count,
                               void *out)
{
    const uint32_t radix = cipher->cipher.radix;
    const tally_status status = ff3_1_check(cipher, length, tweaks, count);
    if (status != TALLY_OK) {
        return status;
    }
    if (count > SIZE_MAX / length / (radix <= 256 ? 1 : 2)) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_ff1_all_below(radix, words, count * length)) {
        return TALLY_ERROR_FF1_SYMBOL;
    }
    if (count > 0) {
        ff3_1_run(cipher, length, tweaks, NULL, words, out, count);
    }
    return TALLY_OK;
}

tally_status tally_ff3_1_decrypt_words(const tally_ff3_1 *cipher, uint32_t length,
                                       const uint8_t *tweak, size_t tweak_size, const void *words,
                                       size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff3_1_words(cipher, length, &tweaks, words, count, out);
}

/* ---- core/ff1/lanes.c ---- */
/*
 * The table of back ends of lanes. */

/* The fastest first. */
static const tally_backend *const ff1_lanes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_ff1_lanes_avx512.backend,
    &tally_ff1_lanes_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_ff1_lanes_neon.backend,
#endif
    &tally_ff1_lanes_portable.backend,
};

const tally_ff1_lanes *tally_ff1_lanes_choose(void)
{
    return (const tally_ff1_lanes *)tally_dispatch(
        ff1_lanes_backends, sizeof ff1_lanes_backends / sizeof *ff1_lanes_backends);
}

/* ---- core/ff1/limbs.c ---- */
/*
 * See limbs.h. Lengths are public; numbers are not: all of their limbs are always worked on. */

enum { LIMBS_INVERSE = 3 };

static size_t limbs_count(const tally_ff1_plan *plan)
{
    return plan->prf_size / 4 - 1;
}

/* Blocks of y behind the first. */
static size_t limbs_more(const tally_ff1_plan *plan)
{
    return (plan->prf_size + 15) / 16 - 1;
}

static size_t limbs_even(size_t count)
{
    return (count + 1) / 2 * 2; /* so that the next array is aligned to 8 bytes */
}

/* For all words: two moduli, and scratch memory. */
static size_t limbs_shared_size(const tally_ff1_plan *plan)
{
    return 4 * (2 * limbs_even(limbs_count(plan)) + limbs_even(limbs_count(plan) + 2));
}

size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words)
{
    const size_t word = 8 * limbs_even(limbs_count(plan)) + 16 * tally_ff1_number_blocks(plan) +
                        16 * limbs_more(plan) + 16 /* a chain */;
    return limbs_shared_size(plan) + words * word;
}

/* number * factor + carry, for a number of so many limbs; returns the overflow. */
static uint32_t limbs_grow(uint32_t *number, size_t limbs, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)number[i] * factor;
        number[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* x - y; returns the borrow, 0 or 1. */
static uint32_t limbs_subtract(uint32_t *x, const uint32_t *y, size_t limbs)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < limbs; i++) {
        const uint64_t difference = (uint64_t)x[i] - y[i] - borrow;
        x[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (uint32_t)borrow;
}

/* x + y if the mask has all bits, or x if it has none; returns the carry. */
static uint32_t limbs_add(uint32_t *x, const uint32_t *y, size_t limbs, uint32_t mask)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)x[i] + (y[i] & mask);
        x[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

static uint32_t limbs_mask(uint32_t bit)
{
    return (uint32_t)tally_barrier(0 - (uint64_t)bit);
}

/* x less the modulus, unless x is below it. `over` is limb number `limbs` of x. */
static void limbs_less(uint32_t *x, uint32_t over, const uint32_t *modulus, size_t limbs)
{
    const uint32_t borrow = limbs_subtract(x, modulus, limbs);
    /* Either the limb above takes the borrow, or x was below. */
    limbs_add(x, modulus, limbs, limbs_mask(borrow & (1 - over)));
}

/* radix^symbols, which is no power of two, and of so many bits; 2^(32 (limbs + 1) + 2) divided by
 * it, bit by bit. */
static void limbs_set_modulus(tally_ff1_limbs *limbs, uint32_t which)
{
    const uint32_t radix = limbs->plan->cipher->radix;
    const size_t count = limbs->limbs;
    uint32_t *modulus = limbs->modulus[which], *rest = limbs->scratch, left;
    size_t used = 1;
    memset(modulus, 0, 4 * count);
    modulus[0] = 1;
    for (left = limbs->plan->half[which]; left >= limbs->chunk_symbols;
         left -= limbs->chunk_symbols) {
        const uint32_t carry = limbs_grow(modulus, used, limbs->chunk, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    for (; left > 0; left--) {
        const uint32_t carry = limbs_grow(modulus, used, radix, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    uint32_t bits = 32 * (uint32_t)used;
    while (modulus[used - 1] >> (bits - 1) % 32 == 0) {
        bits--;
    }
    limbs->bits[which] = bits;
    memset(rest, 0, 4 * (count + 2));
    rest[(bits - 1) / 32] = UINT32_C(1) << (bits - 1) % 32; /* below the modulus, times 2 is not */
    uint32_t *inverse = limbs->inverse[which];
    for (uint32_t bit = bits - 1; bit < 32 * (count + 1) + 2; bit++) {
        limbs_grow(rest, count + 2, 2, 0);
        const uint32_t borrow = limbs_subtract(rest, modulus, count);
        const uint32_t over = rest[count];
        rest[count] -= borrow & over;
        const uint32_t below = borrow & (1 - over);
        limbs_add(rest, modulus, count, 0 - below);
        limbs_grow(inverse, LIMBS_INVERSE, 2, 1 - below);
    }
}

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out)
{
    const uint32_t radix = plan->cipher->radix;
    const size_t count = limbs_count(plan);
    *out = (tally_ff1_limbs){.plan = plan, .limbs = count, .chunk = radix, .chunk_symbols = 1};
    out->modulus[0] = memory;
    out->modulus[1] = out->modulus[0] + limbs_even(count);
    out->scratch = out->modulus[1] + limbs_even(count);
    out->words = (uint8_t *)memory + limbs_shared_size(plan);
    while ((uint64_t)out->chunk * radix < UINT64_C(1) << 32) {
        out->chunk *= radix;
        out->chunk_symbols++;
    }
    while (out->chunk >> 1 >> out->chunk_log != 0) {
        out->chunk_log++;
    }
    out->chunk_inverse = UINT64_MAX / out->chunk; /* of a power of two, 1 less */
    if ((radix & (radix - 1)) == 0) {
        while (radix >> out->radix_bits != 1) {
            out->radix_bits++;
        }
        out->bits[0] = out->radix_bits * plan->half[0];
        out->bits[1] = out->radix_bits * plan->half[1];
    } else {
        limbs_set_modulus(out, 0);
        limbs_set_modulus(out, 1);
    }
}

static uint32_t limbs_load_symbol(const tally_ff1_plan *plan, const uint8_t *symbols, size_t i)
{
    uint16_t symbol = 0;
    if (plan->symbol_size == 1) {
        return symbols[i];
    }
    memcpy(&symbol, symbols + 2 * i, 2);
    return symbol;
}

static void limbs_store_symbol(const tally_ff1_plan *plan, uint8_t *symbols, size_t i,
                               uint32_t value)
{
    const uint16_t symbol = (uint16_t)value;
    if (plan->symbol_size == 1) {
        symbols[i] = (uint8_t)value;
    } else {
        memcpy(symbols + 2 * i, &symbol, 2);
    }
}

/* The same numbers as below, if the radix is a power of two. */
static void limbs_read_bits(const tally_ff1_limbs *limbs, uint32_t symbols_count,
                            const uint8_t *symbols, uint32_t *number)
{
    memset(number, 0, 4 * limbs->limbs);
    for (size_t i = symbols_count, bit = 0; i-- > 0; bit += limbs->radix_bits) {
        const uint64_t symbol = limbs_load_symbol(limbs->plan, symbols, i);
        const size_t at = bit / 32;
        number[at] |= (uint32_t)(symbol << bit % 32);
        if (bit % 32 + limbs->radix_bits > 32) {
            number[at + 1] = (uint32_t)(symbol << bit % 32 >> 32);
        }
    }
}

static void limbs_write_bits(const tally_ff1_limbs *limbs, uint32_t symbols_count,
                             const uint32_t *number, uint8_t *symbols)
{
    const uint32_t mask = (UINT32_C(1) << limbs->radix_bits) - 1;
    for (size_t i = symbols_count, bit = 0; i-- > 0; bit += limbs->radix_bits) {
        uint64_t part = number[bit / 32];
        if (bit % 32 + limbs->radix_bits > 32) {
            part |= (uint64_t)number[bit / 32 + 1] << 32;
        }
        limbs_store_symbol(limbs->plan, symbols, i, (uint32_t)(part >> bit % 32) & mask);
    }
}

/* Chunk by chunk, the most significant one first. */
void tally_ff1_limbs_read(const tally_ff1_limbs *limbs, uint32_t half, const uint8_t *symbols,
                          uint32_t *number)
{
    const tally_ff1_plan *plan = limbs->plan;
    const uint32_t symbols_count = plan->half[half];
    if (limbs->radix_bits != 0) {
        limbs_read_bits(limbs, symbols_count, symbols, number);
        return;
    }
    size_t used = 0, first = symbols_count % limbs->chunk_symbols;
    first = first == 0 ? limbs->chunk_symbols : first;
    memset(number, 0, 4 * limbs->limbs);
    for (size_t i = 0, end = first; i < symbols_count; end += limbs->chunk_symbols) {
        uint32_t chunk = 0;
        for (; i < end; i++) {
            chunk = chunk * plan->cipher->radix + limbs_load_symbol(plan, symbols, i);
        }
        const uint32_t carry = limbs_grow(number, used, limbs->chunk, chunk);
        if (used < limbs->limbs) {
            number[used++] = carry;
        }
    }
}

void tally_ff1_limbs_write(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *number,
                           uint8_t *symbols)
{
    const tally_ff1_plan *plan = limbs->plan;
    const uint32_t radix = plan->cipher->radix;
    size_t left = plan->half[which], bits = limbs->bits[which];
    if (limbs->radix_bits != 0) {
        limbs_write_bits(limbs, plan->half[which], number, symbols);
        return;
    }
    while (left > 0) {
        uint64_t rest = 0;
        for (size_t i = (bits + 31) / 32; i-- > 0;) {
            const uint64_t part = rest << 32 | number[i];
            uint64_t quotient = tally_ff1_high(part, limbs->chunk_inverse); /* or up to 2 less */
            rest = part - quotient * limbs->chunk;
            for (int again = 0; again < 2; again++) {
                const uint64_t below = (rest - limbs->chunk) >> 63;
                rest -= limbs->chunk & (tally_barrier(below) - 1);
                quotient += 1 - below;
            }
            number[i] = (uint32_t)quotient;
        }
        const size_t end = left > limbs->chunk_symbols ? left - limbs->chunk_symbols : 0;
        while (left > end) {
            const uint64_t quotient =
                tally_ff1_high(rest, plan->radix_inverse) >> plan->radix_shift;
            limbs_store_symbol(plan, symbols, --left, (uint32_t)(rest - quotient * radix));
            rest = quotient;
        }
        bits = bits > limbs->chunk_log ? bits - limbs->chunk_log : 1;
    }
}

/* A limb of y, which is big-endian in the blocks. */
static uint32_t limbs_prf_limb(const tally_ff1_limbs *limbs, const uint8_t chain[16],
                               const uint8_t *more, size_t limb)
{
    const size_t at = limbs->plan->prf_size - 4 * (limb + 1);
    return tally_load_be32(at < 16 ? chain + at : more + at - 16);
}

/* y modulo the modulus; y has one limb more. As many bits of y as the quotient has, and two more,
 * times the inverse give the quotient, or one less. */
static void limbs_reduce(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *y)
{
    const size_t count = limbs->limbs;
    const uint32_t *modulus = limbs->modulus[which], *inverse = limbs->inverse[which];
    const uint32_t bits = limbs->bits[which], from = bits - 2;
    uint32_t top[LIMBS_INVERSE], product[2 * LIMBS_INVERSE + 1] = {0}, quotient[LIMBS_INVERSE];
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = from / 32 + i;
        const uint64_t low = at <= count ? y[at] : 0, high = at + 1 <= count ? y[at + 1] : 0;
        top[i] = (uint32_t)((high << 32 | low) >> from % 32);
    }
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < LIMBS_INVERSE; j++) {
            sum += (uint64_t)top[i] * inverse[j] + product[i + j];
            product[i + j] = (uint32_t)sum;
            sum >>= 32;
        }
        product[i + LIMBS_INVERSE] = (uint32_t)sum;
    }
    const uint32_t shift = 32 * ((uint32_t)count + 1) - bits + 4;
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = shift / 32 + i;
        quotient[i] = (uint32_t)(((uint64_t)product[at + 1] << 32 | product[at]) >> shift % 32);
    }
    for (size_t j = 0; j < LIMBS_INVERSE; j++) { /* y - quotient * modulus */
        uint64_t borrow = 0;
        for (size_t i = 0; i + j <= count; i++) {
            const uint64_t part = (uint64_t)quotient[j] * (i < count ? modulus[i] : 0) + borrow;
            const uint32_t less = (uint32_t)part;
            borrow = (part >> 32) + (((uint64_t)y[i + j] - less) >> 63);
            y[i + j] -= less;
        }
    }
    limbs_less(y, y[count], modulus, count);
    tally_wipe(top, sizeof top);
    tally_wipe(product, sizeof product);
    tally_wipe(quotient, sizeof quotient);
}

/* Drops the bits of a number that its half does not have. */
static void limbs_cut(uint32_t *number, size_t limbs, uint32_t bits)
{
    for (size_t i = bits / 32; i < limbs; i++) {
        number[i] &= i == bits / 32 ? (UINT32_C(1) << bits % 32) - 1 : 0;
    }
}

void tally_ff1_limbs_add(const tally_ff1_limbs *limbs, tally_direction direction, uint32_t which,
                         uint32_t *number)
{
    const size_t count = limbs->limbs;
    uint32_t *y = limbs->scratch;
    if (limbs->radix_bits != 0) {
        if (direction == TALLY_ENCRYPT) {
            limbs_add(number, y, count, UINT32_MAX);
        } else {
            limbs_subtract(number, y, count);
        }
        limbs_cut(number, count, limbs->bits[which]);
        return;
    }
    const uint32_t *modulus = limbs->modulus[which];
    limbs_reduce(limbs, which, y);
    if (direction == TALLY_ENCRYPT) {
        const uint32_t carry = limbs_add(number, y, count, UINT32_MAX);
        limbs_less(number, carry, modulus, count);
    } else {
        const uint32_t borrow = limbs_subtract(number, y, count);
        limbs_add(number, modulus, count, limbs_mask(borrow));
    }
}

/* The blocks with the round and a number, which is big-endian and ends them. */
static void limbs_fill(const tally_ff1_limbs *limbs, uint32_t round, const uint32_t *number,
                       uint8_t *message, size_t number_blocks)
{
    const size_t size = limbs->plan->number_size, start = 16 * number_blocks - size;
    message[start - 1] = (uint8_t)round;
    for (size_t i = 0; i < size / 4; i++) {
        tally_store_be32(number[i], message + start + size - 4 * (i + 1));
    }
    for (size_t i = 0; i < size % 4; i++) {
        message[start + i] = (uint8_t)(number[size / 4] >> 8 * (size % 4 - 1 - i));
    }
}

/* The blocks of y behind the first, which is the chain: the encryptions of the chain xored with 1,
 * 2, .. */
static void limbs_fill_more(const uint8_t chain[16], size_t blocks, uint8_t *more)
{
    for (size_t i = 0; i < blocks; i++) {
        memcpy(more + 16 * i, chain, 12);
        tally_store_be32(tally_load_be32(chain + 12) ^ (uint32_t)(i + 1), more + 16 * i + 12);
    }
}

void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count)
{
    const tally_ff1_plan *plan = limbs->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t more = limbs_more(plan), stride = limbs_even(limbs->limbs);
    const size_t number_blocks = tally_ff1_number_blocks(plan);
    const size_t second = (size_t)plan->symbol_size * plan->half[0];
    const uint8_t *messages[TALLY_FF1_LIMBS_WORDS];
    uint32_t *const numbers = (uint32_t *)(void *)limbs->words;
    uint8_t(*const chains)[16] = (uint8_t(*)[16])(void *)(numbers + 2 * stride * count);
    uint8_t *const blocks = chains[count], *const blocks_more = blocks + 16 * number_blocks * count;
    memset(blocks, 0, 16 * number_blocks * count);
    for (size_t i = 0; i < count; i++) {
        messages[i] = blocks + 16 * number_blocks * i;
        tally_ff1_limbs_read(limbs, 0, in[i], numbers + 2 * stride * i);
        tally_ff1_limbs_read(limbs, 1, in[i] + second, numbers + 2 * stride * i + stride);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t which = round % 2;
        for (size_t k = 0; k < count; k++) {
            limbs_fill(limbs, round, numbers + 2 * stride * k + stride * (1 - which),
                       blocks + 16 * number_blocks * k, number_blocks);
            memcpy(chains[k], bases[k * base_step], 16);
        }
        aes->backend->cbc_mac(aes, count, messages, number_blocks, chains);
        for (size_t k = 0; k < count; k++) {
            limbs_fill_more(chains[k], more, blocks_more + 16 * more * k);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks_more, more * count, blocks_more);
        for (size_t k = 0; k < count; k++) {
            for (size_t limb = 0; limb <= limbs->limbs; limb++) {
                limbs->scratch[limb] =
                    limbs_prf_limb(limbs, chains[k], blocks_more + 16 * more * k, limb);
            }
            tally_ff1_limbs_add(limbs, direction, which, numbers + 2 * stride * k + stride * which);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tally_ff1_limbs_write(limbs, 0, numbers + 2 * stride * i, out[i]);
        tally_ff1_limbs_write(limbs, 1, numbers + 2 * stride * i + stride, out[i] + second);
    }
}

/* ---- core/ff1/neon.c ---- */
/*
 * FF1 on lanes with NEON and AArch64's AES instructions: two numbers are in a vector, and one block. */

#if defined(TALLY_ARCH_AARCH64)

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

/* ---- core/fast/lanes/transpose.h, again ---- */

#ifndef TALLY_FAST_LANES_TRANSPOSE_H
#define TALLY_FAST_LANES_TRANSPOSE_H

TALLY_VISIBILITY_DEFAULT
#include <stddef.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <stdint.h>
TALLY_VISIBILITY_POP

typedef struct tally_transpose {

    void (*to_lanes)(const uint8_t *const *rows, size_t count, size_t length, size_t stride,
                     uint8_t *lanes);

    void (*from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                       uint8_t *const *rows);

    int (*words_to_lanes)(const uint8_t *words, size_t count, size_t length, size_t stride,
                          uint8_t zero, uint32_t limit, uint8_t *lanes);
    void (*words_from_lanes)(const uint8_t *lanes, size_t stride, size_t count, size_t length,
                             uint8_t zero, uint8_t *words);
} tally_transpose;

static inline int tally_lanes_below(uint32_t limit, const uint8_t *lanes, size_t stride,
                                    size_t count, size_t length)
{
    int below = 1;
    if (count == stride) {
        return tally_all_below(limit, lanes, stride * length);
    }
    for (size_t p = 0; p < length; p++) {
        below &= tally_all_below(limit, lanes + p * stride, count);
    }
    return below;
}

extern const tally_transpose tally_transpose_avx512, tally_transpose_portable;

#endif

/* ---- core/ff1/chunks.h, again ---- */

#ifndef TALLY_FF1_CHUNKS_H
#define TALLY_FF1_CHUNKS_H

typedef enum tally_ff1_kind {
    TALLY_FF1_POWER,
    TALLY_FF1_LONG_POWER,
    TALLY_FF1_SMALL,
    TALLY_FF1_SHORT,
    TALLY_FF1_LONG_LOW,
    TALLY_FF1_LONG
} tally_ff1_kind;

typedef struct tally_ff1_chunks {
    uint32_t symbols, base, bits;
    uint32_t count[2];
    uint64_t inverse;
    uint16_t radix_inverse;
    uint32_t radix_shift, radix;
    int is_power;
} tally_ff1_chunks;

static inline uint32_t tally_ff1_log(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

static inline tally_ff1_chunks tally_ff1_set_chunks(const tally_ff1_plan *plan)
{
    const uint32_t radix = plan->cipher->radix;
    tally_ff1_chunks made = {.symbols = 1, .base = radix, .radix = radix};
    made.is_power = (radix & (radix - 1)) == 0;
    const uint32_t most = made.is_power ? 1 << 16 : 1 << 15;
    while (plan->symbol_size == 1 && made.base * radix <= most) {
        made.base *= radix;
        made.symbols++;
    }
    made.bits = made.base == 1 ? 0 : tally_ff1_log(made.base - 1) + 1;
    for (int half = 0; half < 2; half++) {
        made.count[half] = (plan->half[half] + made.symbols - 1) / made.symbols;
    }
    const uint64_t power = UINT64_C(1) << 63, rest = (power % made.base) << made.bits;
    made.inverse = (power / made.base << made.bits) + rest / made.base;
    made.radix_shift = plan->radix_shift;
    made.radix_inverse =
        (uint16_t)((UINT32_C(1) << (16 + made.radix_shift)) / radix + (made.is_power ? 0 : 1));
    return made;
}

#endif

#define FF1(name) ff1_neon_##name
#if defined(__clang__)
#define FF1_TARGET __attribute__((target("aes")))
#else
#define FF1_TARGET __attribute__((target("+crypto")))
#endif
#define FF1_INLINE      TALLY_INLINE FF1_TARGET
#define FF1_PER         2
#define FF1_VECTORS     4
#define FF1_FEW         12
#define FF1_BITS        60
#define FF1_SMALL_BITS  29
#define FF1_FIRST_KEY   0
#define FF1_TRANSPOSE   tally_transpose_portable
#define FF1_ELSE        tally_ff1_lanes_portable
#define FF1_LEFT(x, n)  vshlq_n_u64(x, n)
#define FF1_RIGHT(x, n) vshrq_n_u64(x, n)

typedef uint64x2_t ff1_neon_vec;
typedef uint16x8_t ff1_neon_vec16;
typedef int64x2_t ff1_neon_shift;

FF1_INLINE uint64x2_t ff1_neon_load(const void *from)
{
    return vreinterpretq_u64_u8(vld1q_u8(from));
}

FF1_INLINE void ff1_neon_store(void *to, uint64x2_t x)
{
    vst1q_u8(to, vreinterpretq_u8_u64(x));
}

FF1_INLINE uint64x2_t ff1_neon_each(uint64_t x)
{
    return vdupq_n_u64(x);
}

FF1_INLINE int64x2_t ff1_neon_shift_by(uint32_t count)
{
    return vdupq_n_s64(count);
}

FF1_INLINE uint64x2_t ff1_neon_or(uint64x2_t x, uint64x2_t y)
{
    return vorrq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_and(uint64x2_t x, uint64x2_t y)
{
    return vandq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_plus(uint64x2_t x, uint64x2_t y)
{
    return vaddq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_minus(uint64x2_t x, uint64x2_t y)
{
    return vsubq_u64(x, y);
}

FF1_INLINE uint64x2_t ff1_neon_xor(uint64x2_t x, uint64x2_t y, uint64x2_t z)
{
    return veorq_u64(veorq_u64(x, y), z);
}

FF1_INLINE uint64x2_t ff1_neon_left(uint64x2_t x, int64x2_t count)
{
    return vshlq_u64(x, count);
}

FF1_INLINE uint64x2_t ff1_neon_right(uint64x2_t x, int64x2_t count)
{
    return vshlq_u64(x, vnegq_s64(count));
}

FF1_INLINE uint64x2_t ff1_neon_times(uint64x2_t x, uint64x2_t y)
{
    return vmull_u32(vmovn_u64(x), vmovn_u64(y));
}

FF1_INLINE uint64x2_t ff1_neon_least32(uint64x2_t x, uint64x2_t y)
{
    const uint32x4_t a = vreinterpretq_u32_u64(x), b = vreinterpretq_u32_u64(y);
    return vreinterpretq_u64_u32(vminq_u32(a, b));
}

FF1_INLINE uint64x2_t ff1_neon_choose(uint64x2_t x, uint64x2_t y)
{
    return vbslq_u64(vcltzq_s64(vreinterpretq_s64_u64(x)), y, x);
}

FF1_INLINE uint16x8_t ff1_neon_load16(const uint16_t *from)
{
    return vld1q_u16(from);
}

FF1_INLINE void ff1_neon_store16(uint16_t *to, uint16x8_t x)
{
    vst1q_u16(to, x);
}

FF1_INLINE uint16x8_t ff1_neon_each16(uint32_t x)
{
    return vdupq_n_u16((uint16_t)x);
}

FF1_INLINE uint16x8_t ff1_neon_add16(uint16x8_t x, uint16x8_t y)
{
    return vaddq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_sub16(uint16x8_t x, uint16x8_t y)
{
    return vsubq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_product16(uint16x8_t x, uint16x8_t y)
{
    return vmulq_u16(x, y);
}

FF1_INLINE uint16x8_t ff1_neon_high16(uint16x8_t x, uint16x8_t y)
{
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
    return vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
}

FF1_INLINE uint16x8_t ff1_neon_right16(uint16x8_t x, int64x2_t count)
{
    return vshlq_u16(x, vdupq_n_s16((int16_t)-vgetq_lane_s64(count, 0)));
}

FF1_INLINE uint16x8_t ff1_neon_load_symbols(const uint8_t *from, uint32_t last)
{
    return vmovl_u8(vmin_u8(vld1_u8(from), vdup_n_u8((uint8_t)last)));
}

FF1_INLINE void ff1_neon_store_symbols(uint8_t *to, uint16x8_t x)
{
    vst1_u8(to, vmovn_u16(x));
}

FF1_INLINE uint64x2_t ff1_neon_load_chunks(const uint16_t *from)
{
    return vcombine_u64(vcreate_u64(from[0]), vcreate_u64(from[1]));
}

FF1_INLINE void ff1_neon_store_chunks(uint16_t *to, uint64x2_t x)
{
    to[0] = (uint16_t)vgetq_lane_u64(x, 0);
    to[1] = (uint16_t)vgetq_lane_u64(x, 1);
}

FF1_INLINE uint64x2_t ff1_neon_block(const uint8_t *bytes)
{
    return ff1_neon_load(bytes);
}

FF1_INLINE uint64x2_t ff1_neon_deal_even(uint64x2_t x, uint64x2_t y)
{
    (void)y;
    return x;
}

FF1_INLINE uint64x2_t ff1_neon_deal_odd(uint64x2_t x, uint64x2_t y)
{
    (void)x;
    return y;
}

FF1_INLINE uint64x2_t ff1_neon_reverse(uint64x2_t x)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(x)));
}

FF1_INLINE uint64x2_t ff1_neon_even(uint64x2_t x)
{
    return vzip1q_u64(vdupq_n_u64(0), ff1_neon_reverse(x));
}

FF1_INLINE uint64x2_t ff1_neon_odd(uint64x2_t x)
{
    return vcopyq_laneq_u64(ff1_neon_reverse(x), 0, vdupq_n_u64(0), 0);
}

FF1_INLINE uint64x2_t ff1_neon_first(uint64x2_t x, uint64x2_t y)
{
    return ff1_neon_reverse(vzip1q_u64(x, y));
}

FF1_INLINE uint64x2_t ff1_neon_next(uint64x2_t x, uint64x2_t y)
{
    return vshrq_n_u64(ff1_neon_reverse(vzip2q_u64(x, y)), 32);
}

/* A round begins with its key; MixColumns is an instruction of its own. */
FF1_INLINE void ff1_neon_encrypt(const tally_aes_key *aes, uint64x2_t *vectors)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    const uint32_t rounds = aes->rounds;
    uint8x16_t b[2 * FF1_VECTORS];
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        b[i] = vreinterpretq_u8_u64(vectors[i]);
    }
    for (uint32_t r = 0; r + 1 < rounds; r++) {
        const uint8x16_t key = vld1q_u8(keys[r]);
        TALLY_UNROLL(16)
        for (int i = 0; i < 2 * FF1_VECTORS; i++) {
            b[i] = vaesmcq_u8(vaeseq_u8(b[i], key));
        }
    }
    const uint8x16_t before = vld1q_u8(keys[rounds - 1]), last = vld1q_u8(keys[rounds]);
    TALLY_UNROLL(16)
    for (int i = 0; i < 2 * FF1_VECTORS; i++) {
        vectors[i] = vreinterpretq_u64_u8(veorq_u8(vaeseq_u8(b[i], before), last));
    }
}

/* ---- core/ff1/products_body.h, again ---- */

typedef struct FF1(modulus) {
    uint64_t value, mask;
    uint64_t fold;
    uint64_t inverse;
    uint64_t first_inverse;
    FF1(shift) shift;
} FF1(modulus);

FF1_INLINE FF1(modulus)
    FF1(set_modulus)(const tally_ff1_plan *plan, const tally_ff1_kind kind, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    FF1(modulus) made = {.value = modulus->value, .mask = modulus->mask};
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        made.shift = FF1(shift_by)(0);
        return made;
    }
    const uint32_t bits = tally_ff1_log(modulus->value) + 1;
    if (kind == TALLY_FF1_LONG) {
        made.first_inverse = modulus->inverse;
        made.inverse = modulus->long_inverse >> (65 - bits);
        made.shift = FF1(shift_by)(bits - 32);
    } else {
        made.fold = (UINT64_C(1) << 32) % modulus->value;
        made.inverse = (UINT64_C(1) << (31 + bits)) / modulus->value;
        made.shift = FF1(shift_by)(bits);
    }
    return made;
}

FF1_INLINE FF1(vec) FF1(less)(const tally_ff1_kind kind, FF1(vec) x, FF1(vec) moduli)
{
    const FF1(vec) less = FF1(minus)(x, moduli);
    return kind == TALLY_FF1_SMALL ? FF1(least32)(x, less) : FF1(choose)(less, x);
}

FF1_INLINE FF1(vec) FF1(reduce)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) low)
{
    const FF1(vec) folded = FF1(plus)(FF1(times)(x, FF1(each)(modulus->fold)), low),
                   top = FF1(right)(folded, modulus->shift),
                   quotient = FF1_RIGHT(FF1(times)(top, FF1(each)(modulus->inverse)), 31);
    return FF1(minus)(folded, FF1(times)(quotient, FF1(each)(modulus->value)));
}

FF1_INLINE FF1(vec) FF1(rest)(const FF1(modulus) * modulus, FF1(vec) x, FF1(vec) quotient)
{
    const FF1(vec) low = FF1(times)(quotient, FF1(each)(modulus->value)),
                   high = FF1(times)(quotient, FF1(each)(modulus->value >> 32));
    return FF1(minus)(FF1(minus)(x, low), FF1_LEFT(high, 32));
}

FF1_INLINE FF1(vec)
    FF1(add)(const tally_ff1_kind kind, const tally_direction direction,
             const FF1(modulus) * modulus, FF1(vec) number, FF1(vec) high, FF1(vec) low)
{
    if (kind == TALLY_FF1_POWER || kind == TALLY_FF1_LONG_POWER) {
        const FF1(vec) y = kind == TALLY_FF1_POWER ? high : FF1(or)(FF1_LEFT(high, 32), low);
        return FF1(and)(direction == TALLY_ENCRYPT ? FF1(plus)(number, y) : FF1(minus)(number, y),
                        FF1(each)(modulus->mask));
    }
    const FF1(vec) once = FF1(each)(modulus->value), twice = FF1(each)(2 * modulus->value),
                   four = FF1(each)(4 * modulus->value), mask32 = FF1(each)(UINT32_MAX);
    FF1(vec) rest;
    if (kind == TALLY_FF1_LONG) {
        rest = FF1_RIGHT(FF1(times)(FF1_RIGHT(high, 32), FF1(each)(modulus->first_inverse)), 32);
        rest = FF1(rest)(modulus, high, rest);
        rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
        const FF1(vec) quotient = FF1_RIGHT(
            FF1(times)(FF1(right)(rest, modulus->shift), FF1(each)(modulus->inverse)), 31);
        rest = FF1(rest)(modulus, FF1(or)(FF1_LEFT(rest, 32), low), quotient);
    } else {
        rest = FF1(reduce)(modulus, FF1_RIGHT(high, 32), FF1(and)(high, mask32));
        if (kind == TALLY_FF1_LONG_LOW) {
            rest = FF1(less)(kind, FF1(less)(kind, rest, twice), once);
            rest = FF1(reduce)(modulus, rest, low);
        }
    }
    rest = direction == TALLY_ENCRYPT ? FF1(plus)(number, rest)
                                      : FF1(minus)(FF1(plus)(number, four), rest);
    rest = FF1(less)(kind, rest, four);
    return FF1(less)(kind, FF1(less)(kind, rest, twice), once);
}

FF1_INLINE FF1(vec) FF1(append)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) chunk)
{
    const FF1(vec) base = FF1(each)(by->base), low = FF1(times)(x, base),
                   high = FF1_LEFT(FF1(times)(FF1_RIGHT(x, 32), base), 32);
    return FF1(plus)(FF1(plus)(low, high), chunk);
}

FF1_INLINE FF1(vec) FF1(quotient)(const tally_ff1_chunks *by, FF1(vec) x)
{
    const uint64_t inverse = by->inverse + 1;
    const FF1(vec) i0 = FF1(each)(inverse), i1 = FF1(each)(inverse >> 32), x0 = FF1_LEFT(x, 4),
                   x1 = FF1_RIGHT(x0, 32);
    const FF1(vec) middle =
        FF1(plus)(FF1_RIGHT(FF1(times)(x1, i0), 32), FF1_RIGHT(FF1(times)(x0, i1), 32));
    const FF1(vec) high = FF1(plus)(FF1(plus)(FF1(times)(x1, i1), middle), FF1(each)(3));
    return FF1(right)(high, FF1(shift_by)(by->bits + 3));
}

FF1_INLINE FF1(vec) FF1(remainder)(const tally_ff1_chunks *by, FF1(vec) x, FF1(vec) quotient)
{
    return FF1(minus)(x, FF1(times)(quotient, FF1(each)(by->base)));
}

#undef FF1_LEFT
#undef FF1_RIGHT

/* ---- core/ff1/lanes_body.h, again ---- */

#define FF1_EACH(i, count) TALLY_UNROLL(16) for (int i = 0; i < (count); i++)
#define FF1_PER16          (4 * FF1_PER)
#define FF1_GROUP          (FF1_PER * FF1_VECTORS)
#define FF1_CHUNKS         64

typedef struct FF1(state) {
    _Alignas(64) uint64_t half[2][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t bases[TALLY_FF1_ROWS][16];
    _Alignas(64) uint16_t chunks[FF1_CHUNKS][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t symbols[2 * FF1_CHUNKS][TALLY_FF1_ROWS];
} FF1(state);

static tally_ff1_kind FF1(kind_of)(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    if (modulus->mask != 0) {
        return plan->prf_size == 8 ? TALLY_FF1_POWER : TALLY_FF1_LONG_POWER;
    }
    if (plan->prf_size == 8) {
        return modulus->value >> FF1_SMALL_BITS == 0 ? TALLY_FF1_SMALL : TALLY_FF1_SHORT;
    }
    return modulus->value >> 32 == 0 ? TALLY_FF1_LONG_LOW : TALLY_FF1_LONG;
}

static int FF1(serves)(const tally_ff1_plan *plan)
{
    return plan->modulus[1].mask != 0 || plan->modulus[1].value >> FF1_BITS == 0;
}

static int FF1(takes_lanes)(const tally_ff1_plan *plan)
{
    return plan->symbol_size == 1 &&
           (FF1(serves)(plan) || (FF1_ELSE.takes_lanes != NULL && FF1_ELSE.takes_lanes(plan)));
}

FF1_INLINE void FF1(join)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const uint8_t *lanes, size_t stride, FF1(state) * state)
{
    const FF1(vec16) radix = FF1(each16)(by->radix);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(each16)(0);
            for (uint32_t i = at; i < end; i++) {
                const FF1(vec16) symbols =
                    FF1(load_symbols)(lanes + i * stride + FF1_PER16 * v, by->radix - 1);
                x = FF1(add16)(FF1(product16)(x, radix), symbols);
            }
            FF1(store16)(state->chunks[c] + FF1_PER16 * v, x);
        }
        at = end;
    }
}

FF1_INLINE void FF1(part)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const FF1(state) * state, uint8_t *lanes, size_t stride)
{
    const FF1(vec16) radix = FF1(each16)(by->radix), inverse = FF1(each16)(by->radix_inverse);
    const FF1(shift) shift = FF1(shift_by)(by->radix_shift);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(load16)(state->chunks[c] + FF1_PER16 * v);
            for (uint32_t i = end; i-- > at;) {
                const FF1(vec16) rest = FF1(right16)(FF1(high16)(x, inverse), shift);
                x = FF1(sub16)(x, FF1(product16)(rest, radix));
                FF1(store_symbols)(lanes + i * stride + FF1_PER16 * v, x);
                x = rest;
            }
        }
        at = end;
    }
}

FF1_INLINE void FF1(sum)(const tally_ff1_chunks *by, uint32_t chunks, const FF1(state) * state,
                         uint64_t *numbers)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(each)(0);
        for (uint32_t c = 0; c < chunks; c++) {
            const FF1(vec) chunk = FF1(load_chunks)(state->chunks[c] + row);
            x = by->is_power ? FF1(or)(FF1(left)(x, shift), chunk) : FF1(append)(by, x, chunk);
        }
        FF1(store)(numbers + row, x);
    }
}

FF1_INLINE void FF1(split)(const tally_ff1_chunks *by, uint32_t chunks, const uint64_t *numbers,
                           FF1(state) * state)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(load)(numbers + row);
        for (uint32_t c = chunks; c-- > 0;) {
            FF1(vec) rest, chunk;
            if (by->is_power) {
                rest = FF1(right)(x, shift);
                chunk = FF1(and)(x, FF1(each)(by->base - 1));
            } else {
                rest = FF1(quotient)(by, x);
                chunk = FF1(remainder)(by, x, rest);
            }
            FF1(store_chunks)(state->chunks[c] + row, chunk);
            x = rest;
        }
    }
}

static void FF1(gather)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                        FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(&state->chunks[p][i], batch->in[i] + 2 * (size_t)(first + p), 2);
        }
    }
}

static void FF1(scatter)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                         const FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(batch->out[i] + 2 * (size_t)(first + p), &state->chunks[p][i], 2);
        }
    }
}

FF1_TARGET static void FF1(read)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                 FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.to_lanes(batch->in, batch->count, plan->length, TALLY_FF1_ROWS,
                               state->symbols[0]);
    }
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        if (plan->symbol_size == 1) {
            FF1(join)(by, first, plan->half[half], by->count[half], lanes, stride, state);
        } else {
            FF1(gather)(batch, first, plan->half[half], state);
        }
        FF1(sum)(by, by->count[half], state, state->half[half]);
    }
}

FF1_TARGET static void FF1(write)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                  FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        FF1(split)(by, by->count[half], state->half[half], state);
        if (plan->symbol_size == 1) {
            FF1(part)(by, first, plan->half[half], by->count[half], state, lanes, stride);
        } else {
            FF1(scatter)(batch, first, plan->half[half], state);
        }
    }
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.from_lanes(state->symbols[0], TALLY_FF1_ROWS, batch->count, plan->length,
                                 batch->out);
    }
}

FF1_TARGET static void FF1(set_bases)(const tally_ff1_batch *batch, FF1(state) * state)
{
    if (batch->base_step == 0) {
        const FF1(vec) base = FF1(block)(batch->bases[0]);
        for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER / 2) {
            FF1(store)(state->bases[i], base);
        }
        return;
    }
    if (batch->count < TALLY_FF1_ROWS) {
        memset(state->bases[0], 0, sizeof state->bases);
    }
    memcpy(state->bases[0], batch->bases[0], 16 * batch->count);
    for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER) {
        const FF1(vec) first = FF1(load)(state->bases[i]),
                       second = FF1(load)(state->bases[i + FF1_PER / 2]);
        FF1(store)(state->bases[i], FF1(deal_even)(first, second));
        FF1(store)(state->bases[i + FF1_PER / 2], FF1(deal_odd)(first, second));
    }
}

FF1_INLINE void FF1(round)(const tally_ff1_kind kind, const tally_direction direction,
                           const tally_aes_key *aes, FF1(vec) start, const FF1(modulus) * modulus,
                           const uint8_t *bases, const uint64_t *from, uint64_t *to)
{
    FF1(vec) b[2 * FF1_VECTORS];
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) numbers = FF1(load)(from + FF1_PER * i);
        b[2 * i] = FF1(xor)(FF1(even)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i));
        b[2 * i + 1] =
            FF1(xor)(FF1(odd)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i + 8 * FF1_PER));
    }
    FF1(encrypt)(aes, b);
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) high = FF1(first)(b[2 * i], b[2 * i + 1]),
                       low = FF1(next)(b[2 * i], b[2 * i + 1]);
        FF1(vec) sum = FF1(load)(to + FF1_PER * i);
        sum = FF1(add)(kind, direction, modulus, sum, high, low);
        FF1(store)(to + FF1_PER * i, sum);
    }
}

#define FF1_ROUND(kind, which)                                                                     \
    FF1(round)                                                                                     \
    (kind, direction, aes, key, &modulus[which], state->bases[row],                                \
     state->half[1 - (which)] + row, state->half[which] + row)

FF1_INLINE void FF1(rounds)(const tally_ff1_kind kind0, const tally_ff1_kind kind1,
                            const tally_direction direction, const tally_ff1_batch *batch,
                            const FF1(modulus) modulus[2], FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t groups = (batch->count + FF1_GROUP - 1) / FF1_GROUP;
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        _Alignas(16) uint8_t start[16] = {0};
        start[15 - plan->number_size] = (uint8_t)round;
        FF1(vec) key = FF1(block)(start);
        if (FF1_FIRST_KEY) {
            key = FF1(xor)(key, FF1(block)(aes->round_keys.bytes[TALLY_ENCRYPT][0]), FF1(each)(0));
        }
        for (size_t g = 0; g < groups; g++) {
            const size_t row = FF1_GROUP * g;
            if (round % 2 == 0) {
                FF1_ROUND(kind0, 0);
            } else {
                FF1_ROUND(kind1, 1);
            }
        }
    }
}

#define FF1_ROUNDS(name, kind0, kind1)                                                             \
    FF1_TARGET static void FF1(rounds_##name)(const tally_ff1_batch *batch,                        \
                                              const FF1(modulus) modulus[2], FF1(state) * state)   \
    {                                                                                              \
        if (batch->direction == TALLY_ENCRYPT) {                                                   \
            FF1(rounds)(kind0, kind1, TALLY_ENCRYPT, batch, modulus, state);                       \
        } else {                                                                                   \
            FF1(rounds)(kind0, kind1, TALLY_DECRYPT, batch, modulus, state);                       \
        }                                                                                          \
    }

FF1_ROUNDS(power, TALLY_FF1_POWER, TALLY_FF1_POWER)
FF1_ROUNDS(long_power, TALLY_FF1_LONG_POWER, TALLY_FF1_LONG_POWER)
FF1_ROUNDS(small, TALLY_FF1_SMALL, TALLY_FF1_SMALL)
FF1_ROUNDS(mixed, TALLY_FF1_SMALL, TALLY_FF1_SHORT)
FF1_ROUNDS(short, TALLY_FF1_SHORT, TALLY_FF1_SHORT)
FF1_ROUNDS(long_low, TALLY_FF1_LONG_LOW, TALLY_FF1_LONG)
FF1_ROUNDS(long, TALLY_FF1_LONG, TALLY_FF1_LONG)

FF1_TARGET static void FF1(run)(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    if (!FF1(serves)(plan) || (batch->lanes == NULL && batch->count <= FF1_FEW)) {
        FF1_ELSE.run(batch);
        return;
    }
    FF1(state) state;
    const tally_ff1_chunks by = tally_ff1_set_chunks(plan);
    if (batch->count < TALLY_FF1_ROWS) {
        memset(&state, 0, sizeof state);
    }
    FF1(set_bases)(batch, &state);
    FF1(read)(batch, &by, &state);
    const tally_ff1_kind first = FF1(kind_of)(plan, 0), second = FF1(kind_of)(plan, 1);
    const FF1(modulus)
        modulus[2] = {FF1(set_modulus)(plan, first, 0), FF1(set_modulus)(plan, second, 1)};
    if (second == TALLY_FF1_POWER) {
        FF1(rounds_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_LONG_POWER) {
        FF1(rounds_long_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SMALL) {
        FF1(rounds_small)(batch, modulus, &state);
    } else if (first == TALLY_FF1_SMALL) {
        FF1(rounds_mixed)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SHORT) {
        FF1(rounds_short)(batch, modulus, &state);
    } else if (first == TALLY_FF1_LONG_LOW) {
        FF1(rounds_long_low)(batch, modulus, &state);
    } else {
        FF1(rounds_long)(batch, modulus, &state);
    }
    FF1(write)(batch, &by, &state);
    tally_wipe(state.half, sizeof state.half);
    tally_wipe(state.bases, sizeof state.bases);
    tally_wipe(state.chunks, sizeof state.chunks[0] * by.count[1]);
    if (batch->lanes == NULL) {
        tally_wipe(state.symbols, sizeof state.symbols[0] * plan->length);
    }
}

#undef FF1
#undef FF1_BITS
#undef FF1_CHUNKS
#undef FF1_EACH
#undef FF1_ELSE
#undef FF1_FEW
#undef FF1_FIRST_KEY
#undef FF1_GROUP
#undef FF1_INLINE
#undef FF1_PER
#undef FF1_PER16
#undef FF1_ROUND
#undef FF1_ROUNDS
#undef FF1_SMALL_BITS
#undef FF1_TARGET
#undef FF1_TRANSPOSE
#undef FF1_VECTORS

const tally_ff1_lanes tally_ff1_lanes_neon = {
    {"neon", TALLY_CPU_NEON | TALLY_CPU_ARM_AES}, ff1_neon_run, ff1_neon_takes_lanes};

#else
typedef int tally_ff1_neon_is_for_aarch64; /* a file may not be empty */
#endif

/* ---- core/ff1/plan.c ---- */
/*
 * See plan.h. Everything here is public: radix, lengths, sizes. */

static int plan_is_power_of_two(uint32_t radix)
{
    return (radix & (radix - 1)) == 0;
}

/* 2^k <= x < 2^(k + 1) */
static uint32_t plan_log(uint64_t x)
{
    uint32_t k = 0;
    while (x >> 1 >> k != 0) {
        k++;
    }
    return k;
}

uint32_t tally_ff1_min_length(tally_ff1_profile profile, uint32_t radix)
{
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX ||
        (profile != TALLY_FF1 && profile != TALLY_FF1_2016)) {
        return 0;
    }
    const uint64_t least = profile == TALLY_FF1 ? 1000000 : 100;
    uint64_t words = (uint64_t)radix * radix;
    uint32_t length = 2;
    for (; words < least; words *= radix) {
        length++;
    }
    return length;
}

/* 2^96 / value for a value above 2^32 that is no power of two: 2^64 / value, then the digits behind. */
static uint64_t plan_long_inverse(uint64_t value)
{
    uint64_t quotient = UINT64_MAX / value, rest = UINT64_MAX % value + 1;
    for (int bit = 0; bit < 32; bit++) {
        const int is_more = rest >> 63 != 0 || 2 * rest >= value;
        rest = 2 * rest - (is_more ? value : 0);
        quotient = 2 * quotient + (uint64_t)is_more;
    }
    return quotient;
}

static tally_ff1_modulus plan_modulus(uint32_t radix, uint32_t symbols)
{
    tally_ff1_modulus made = {.value = 1};
    for (uint32_t i = 0; i < symbols; i++) {
        made.value *= radix;
    }
    if (plan_is_power_of_two(radix)) {
        made.mask = made.value - 1;
    } else {
        made.inverse = UINT64_MAX / made.value; /* value is no power of two: as 2^64 / value */
        made.long_inverse = made.value >> 32 != 0 ? plan_long_inverse(made.value) : 0;
    }
    return made;
}

/* The bits of radix^symbols - 1, which is the standard's rounded logarithm. The power is that of a
 * mantissa of 64 bits, whose error is below 2^-44 of it. Of powers up to the 2^15th, that of 37667^592
 * is the nearest to a power of two, and 2^-31 of it away. */
static uint32_t plan_bits(uint32_t radix, uint32_t symbols)
{
    if (plan_is_power_of_two(radix)) {
        return plan_log(radix) * symbols;
    }
    const uint32_t log = plan_log(radix);
    const uint64_t base = (uint64_t)radix << (63 - log);
    uint64_t mantissa = UINT64_C(1) << 63; /* the power is mantissa * 2^(bits - 64) */
    uint32_t bits = 1;
    for (uint32_t bit = UINT32_C(1) << plan_log(symbols); bit != 0; bit /= 2) {
        mantissa = tally_ff1_high(mantissa, mantissa);
        bits += bits - 1;
        const int square = (int)(mantissa >> 63); /* 1: at least 2^127 */
        bits += (uint32_t)square;
        mantissa <<= 1 - square;
        if ((symbols & bit) != 0) {
            mantissa = tally_ff1_high(mantissa, base);
            const int product = (int)(mantissa >> 63);
            bits += log + (uint32_t)product;
            mantissa <<= 1 - product;
        }
    }
    return bits;
}

static void plan_set_short(uint32_t radix, tally_ff1_plan *out)
{
    out->is_short = 1;
    out->modulus[0] = plan_modulus(radix, out->half[0]);
    out->modulus[1] = plan_modulus(radix, out->half[1]);
}

void tally_ff1_plan_halves(const tally_ff1 *cipher, uint32_t u, uint32_t v, tally_ff1_plan *out)
{
    const uint32_t radix = cipher->radix;
    *out = (tally_ff1_plan){
        .cipher = cipher,
        .length = u + v,
        .half = {u, v},
        .symbol_size = radix <= 256 ? 1 : 2,
    };
    const uint32_t bits = plan_bits(radix, u > v ? u : v);
    const uint32_t log = plan_log(radix - 1) + 1; /* radix <= 2^log */
    out->radix_shift = log - 1;
    /* 2^(63 + log) / radix, rounded up, which is below 2^64. */
    const uint64_t power = UINT64_C(1) << 63, rest = (power % radix) << log;
    out->radix_inverse = (power / radix << log) + (rest + radix - 1) / radix;
    if (bits <= (plan_is_power_of_two(radix) ? 64 : TALLY_FF1_LANE_BITS)) {
        plan_set_short(radix, out);
    }
    out->number_size = (bits + 7) / 8;
    out->prf_size = (out->number_size + 3) / 4 * 4 + 4;
}

tally_status tally_ff1_make_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out)
{
    if (length > TALLY_FF1_MAX_LENGTH ||
        length < tally_ff1_min_length(cipher->profile, cipher->radix)) {
        return TALLY_ERROR_FF1_LENGTH;
    }
    tally_ff1_plan_halves(cipher, length / 2, length - length / 2, out);
    if (!out->is_short && out->number_size <= 8) {
        plan_set_short(cipher->radix, out);
        out->is_wide = 1;
    }
    return TALLY_OK;
}

void tally_ff1_first_block(const tally_ff1_plan *plan, uint64_t tweak_size, uint8_t out[16])
{
    out[0] = 1;
    out[1] = 2;
    out[2] = 1;
    out[3] = (uint8_t)(plan->cipher->radix >> 16);
    out[4] = (uint8_t)(plan->cipher->radix >> 8);
    out[5] = (uint8_t)plan->cipher->radix;
    out[6] = TALLY_FF1_ROUNDS;
    out[7] = (uint8_t)plan->half[0];
    tally_store_be32(plan->length, out + 8);
    tally_store_be32((uint32_t)tweak_size, out + 12);
}

/* ---- core/ff1/portable.c ---- */
/*
 * FF1 on lanes in plain C: numbers in scalar registers, and the last blocks of all words in one call
 * of the AES back end, whichever that is. */

/* ---- core/ff1/wide.h ---- */
/*
 * Numbers modulo m from 2^62 to 2^64, as a half of 19 digits has, in plain C. Sums and rests have some
 * bits more than a lane. */
#ifndef TALLY_FF1_WIDE_H
#define TALLY_FF1_WIDE_H

/* A number below 2^66: high * 2^64 + low. */
typedef struct tally_ff1_wide {
    uint64_t high, low;
} tally_ff1_wide;

static inline uint64_t tally_ff1_is_less(uint64_t x, uint64_t y)
{
    return ((~x & y) | ((~x | y) & (x - y))) >> 63;
}

/* x less a number, unless x is below it. */
static inline tally_ff1_wide tally_ff1_wide_less(tally_ff1_wide x, uint64_t number)
{
    const uint64_t high = x.high - tally_ff1_is_less(x.low, number);
    const uint64_t taken = tally_barrier((high >> 63) - 1);
    return (tally_ff1_wide){high & taken, x.low - (number & taken)};
}

/* 96 bits modulo m. The quotient is at most 2 too small. */
static inline uint64_t tally_ff1_wide_reduce(const tally_ff1_modulus *modulus, uint64_t high,
                                             uint32_t low)
{
    const uint64_t value = modulus->value;
    const tally_ff1_wide first = {0, tally_ff1_reduce(modulus, high)};
    const uint64_t number = tally_ff1_wide_less(first, value).low;
    const uint64_t quotient = tally_ff1_high(number, modulus->long_inverse);
    const uint64_t all = number << 32 | low, product = quotient * value;
    const tally_ff1_wide rest = {(number >> 32) - tally_ff1_high(quotient, value) -
                                     tally_ff1_is_less(all, product),
                                 all - product};
    return tally_ff1_wide_less(tally_ff1_wide_less(rest, value), value).low;
}

/* number + y, or number - y, modulo m; both are below m. */
static inline uint64_t tally_ff1_wide_add(const tally_ff1_modulus *modulus,
                                          tally_direction direction, uint64_t number, uint64_t y)
{
    if (direction == TALLY_ENCRYPT) {
        const tally_ff1_wide sum = {tally_ff1_is_less(number + y, y), number + y};
        return tally_ff1_wide_less(sum, modulus->value).low;
    }
    return number - y + (modulus->value & tally_barrier(0 - tally_ff1_is_less(number, y)));
}

/* The number divided by the radix. A half of it is in the range of the inverse. */
static inline uint64_t tally_ff1_wide_quotient(const tally_ff1_plan *plan, uint64_t number)
{
    const uint64_t radix = plan->cipher->radix;
    const uint64_t half = tally_ff1_high(number >> 1, plan->radix_inverse) >> plan->radix_shift;
    const uint64_t rest = number - 2 * half * radix; /* below twice the radix */
    return 2 * half + 1 - ((rest - radix) >> 63);
}

#endif

typedef struct ff1_portable_state {
    uint64_t half[2][TALLY_FF1_ROWS];
    uint8_t blocks[TALLY_FF1_ROWS][16];
} ff1_portable_state;

/* The numbers of all words, or the symbols. */
TALLY_INLINE void ff1_portable_read(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                    ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1], radix = plan->cipher->radix;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *word = batch->in[i];
        state->half[0][i] = tally_ff1_symbols_read(word, first, symbol_size, radix);
        state->half[1][i] =
            tally_ff1_symbols_read(word + symbol_size * first, second, symbol_size, radix);
    }
}

TALLY_INLINE void ff1_portable_write(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                     const ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1];
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *word = batch->out[i];
        tally_ff1_symbols_write(state->half[0][i], first, symbol_size, plan, word);
        tally_ff1_symbols_write(state->half[1][i], second, symbol_size, plan,
                                word + symbol_size * first);
    }
}

/* The same if a number may not be in the range of the radix's inverse before its last symbol is off. */
static void ff1_portable_write_wide(const tally_ff1_batch *batch, const ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const size_t size = plan->symbol_size;
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *symbols = batch->out[i];
        for (int half = 0; half < 2; half++) {
            const uint32_t before = plan->half[half] - 1;
            const uint64_t number = state->half[half][i],
                           rest = tally_ff1_wide_quotient(plan, number);
            const uint16_t last = (uint16_t)(number - rest * plan->cipher->radix);
            if (size == 1) {
                tally_ff1_symbols_write(rest, before, 1, plan, symbols);
                symbols[before] = (uint8_t)last;
            } else {
                tally_ff1_symbols_write(rest, before, 2, plan, symbols);
                memcpy(symbols + 2 * before, &last, 2);
            }
            symbols += size * (before + 1);
        }
    }
}

/* The last blocks with the numbers of one half. */
TALLY_INLINE void ff1_portable_fill(const tally_ff1_batch *batch, uint32_t round,
                                    const uint64_t *numbers, uint8_t (*blocks)[16])
{
    const uint32_t size = batch->plan->number_size;
    const uint64_t high = size == 8 ? round : 0, low = size == 8 ? 0 : (uint64_t)round << 8 * size;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *base = batch->bases[i * batch->base_step];
        tally_store_be64(tally_load_be64(base) ^ high, blocks[i]);
        tally_store_be64(tally_load_be64(base + 8) ^ low ^ numbers[i], blocks[i] + 8);
    }
}

/* Adds y to the numbers of a half, or subtracts it. */
TALLY_INLINE void ff1_portable_add(const tally_ff1_batch *batch, const uint8_t (*blocks)[16],
                                   const tally_ff1_modulus *modulus, uint64_t *numbers)
{
    const int is_long = batch->plan->prf_size == 12;
    const uint64_t value = modulus->value, mask = modulus->mask;
    if (mask != 0) {
        const uint64_t flip = batch->direction == TALLY_ENCRYPT ? 0 : 1;
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t y = tally_load_be64(blocks[i] + (is_long ? 4 : 0));
            numbers[i] = (numbers[i] + ((y ^ (0 - flip)) + flip)) & mask;
        }
        return;
    }
    if (value >> TALLY_FF1_LANE_BITS != 0) {
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t y = tally_ff1_wide_reduce(modulus, tally_load_be64(blocks[i]),
                                                     tally_load_be32(blocks[i] + 8));
            numbers[i] = tally_ff1_wide_add(modulus, batch->direction, numbers[i], y);
        }
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t y = tally_load_be64(blocks[i]);
        y = is_long ? tally_ff1_reduce_long(modulus, y, tally_load_be32(blocks[i] + 8))
                    : tally_ff1_reduce(modulus, y);
        y = tally_ff1_less(y, value);
        y = batch->direction == TALLY_ENCRYPT ? y : value - y;
        numbers[i] = tally_ff1_less(numbers[i] + y, value);
    }
}

static void ff1_portable_run(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    ff1_portable_state state;
    if (plan->symbol_size == 1) {
        ff1_portable_read(batch, 1, &state);
    } else {
        ff1_portable_read(batch, 2, &state);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = batch->direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t half = round % 2;
        ff1_portable_fill(batch, round, state.half[1 - half], state.blocks);
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, state.blocks[0], batch->count,
                                   state.blocks[0]);
        ff1_portable_add(batch, (const uint8_t(*)[16])state.blocks, &plan->modulus[half],
                         state.half[half]);
    }
    if (plan->is_wide) {
        ff1_portable_write_wide(batch, &state);
    } else if (plan->symbol_size == 1) {
        ff1_portable_write(batch, 1, &state);
    } else {
        ff1_portable_write(batch, 2, &state);
    }
    tally_wipe(state.half[0], 8 * batch->count);
    tally_wipe(state.half[1], 8 * batch->count);
    tally_wipe(state.blocks, 16 * batch->count);
}

const tally_ff1_lanes tally_ff1_lanes_portable = {{"portable", 0}, ff1_portable_run, NULL};

/* ---- core/gf256/gf256.c ---- */
/*
 * GF(2^8): the table of back ends, and interpolation. */

/* ---- core/gf256/gf256.h ---- */
/*
 * Vectors over GF(2^8). Addition is exclusive or. No function has a branch or an address that
 * depends on a byte of data. Constants (coordinates, weights, matrices) are public. */
#ifndef TALLY_GF256_GF256_H
#define TALLY_GF256_GF256_H

enum { TALLY_GF256_POINTS = 255 /* points of a polynomial at most: all elements but zero */ };

/* The functions of a back end. To add one, define this struct in a new file, declare it below, and
 * add a row to the table in gf256.c. Outputs begin at out[j] + offset and overlap no input. */
struct tally_gf256_backend {
    tally_backend backend;

    /* out[i] = a[i] * b[i], i < size. `out` may equal `a` or `b`. */
    void (*multiply)(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                     uint8_t *out);

    /* Evaluates `size` polynomials of `terms` (at least 2) coefficients at `count` points:
     * out[j][offset + b] = constants[b] + sum over i from 1 of
     * coefficients[(i - 1) * stride + b] * x[j]^i. */
    void (*evaluate)(tally_gf256_field field, const uint8_t *constants, const uint8_t *coefficients,
                     size_t stride, size_t terms, const uint8_t *x, size_t count, size_t size,
                     uint8_t *const out[], size_t offset);

    /* Linear combinations of the inputs: out[j][offset + b] = sum over i < inputs of
     * matrix[j * inputs + i] * in[i][offset + b], for j < outputs and b < size. */
    void (*combine)(tally_gf256_field field, const uint8_t *matrix, const uint8_t *const in[],
                    size_t inputs, size_t outputs, size_t offset, size_t size,
                    uint8_t *const out[]);
};

extern const struct tally_gf256_backend tally_gf256_gfni_avx512;
extern const struct tally_gf256_backend tally_gf256_gfni_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_avx2;
extern const struct tally_gf256_backend tally_gf256_nibbles_neon;
extern const struct tally_gf256_backend tally_gf256_portable;

/* multiply of the portable back end, for back ends that have no faster one. */
void tally_gf256_multiply(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                          uint8_t *out);

/* The best back end for the features in use. */
const struct tally_gf256_backend *tally_gf256(void);

/* The weights of Lagrange interpolation: the polynomial through (x[i], y[i]), i < count, has the
 * value sum of weights[i] * y[i] at `target`. The x[i] are distinct, and none equals `target`. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights);

/* Copies the lowest bit of each byte to all bits of that byte. It does not multiply: on some CPUs
 * the time of a multiplication depends on its operands. */
static inline uint64_t tally_gf256_spread(uint64_t eight)
{
    eight &= UINT64_C(0x0101010101010101);
    return (eight << 8) - eight;
}

/* Each of eight bytes times 2. */
static inline uint64_t tally_gf256_double(tally_gf256_field field, uint64_t eight)
{
    const uint64_t reduction = ((unsigned)field & 0xFF) * UINT64_C(0x0101010101010101);
    return (eight << 1 & UINT64_C(0xFEFEFEFEFEFEFEFE)) ^
           (tally_gf256_spread(eight >> 7) & reduction);
}

/* The products of a constant with 1, 2, 4, ..., 128. */
static inline void tally_gf256_multiples(tally_gf256_field field, uint8_t constant,
                                         uint8_t multiples[8])
{
    uint64_t power = constant;
    for (size_t bit = 0; bit < 8; bit++, power = tally_gf256_double(field, power)) {
        multiples[bit] = (uint8_t)power;
    }
}

#endif

/* The fastest first; the last one needs nothing. */
static const tally_backend *const gf256_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_gf256_gfni_avx512.backend,
    &tally_gf256_gfni_avx2.backend,
    &tally_gf256_nibbles_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_gf256_nibbles_neon.backend,
#endif
    &tally_gf256_portable.backend,
};

const struct tally_gf256_backend *tally_gf256(void)
{
    return (const struct tally_gf256_backend *)tally_dispatch(
        gf256_backends, sizeof gf256_backends / sizeof *gf256_backends);
}

const char *tally_gf256_backend_name(void)
{
    return tally_gf256()->backend.name;
}

enum {
    GF256_BLOCK = 32 /* weights are computed in blocks, so that inner loops have a fixed length */
};

/* Inverts each value: its inverse is its 254th power. */
static void gf256_invert(const struct tally_gf256_backend *gf, tally_gf256_field field,
                         uint8_t *values, size_t size)
{
    uint8_t square[TALLY_GF256_POINTS + 1], power14[TALLY_GF256_POINTS + 1];
    gf->multiply(field, values, values, size, square);    /* 2 */
    gf->multiply(field, square, values, size, values);    /* 3 */
    gf->multiply(field, values, values, size, power14);   /* 6 */
    gf->multiply(field, power14, power14, size, power14); /* 12 */
    gf->multiply(field, power14, values, size, values);   /* 15 */
    gf->multiply(field, power14, square, size, power14);
    for (int i = 0; i < 4; i++) {
        gf->multiply(field, values, values, size, values);
    } /* 240 */
    gf->multiply(field, values, power14, size, values);
}

/* weights[i] = product over j != i of (target - x[j]) / (x[i] - x[j])
 *            = (product over all j of target - x[j])
 *              / ((target - x[i]) * product over j != i of x[i] - x[j]).
 * `above` is the numerator of the second form, and below[i] its denominator. */
void tally_gf256_weights(tally_gf256_field field, const uint8_t *x, size_t count, uint8_t target,
                         uint8_t *weights)
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t size = (count + GF256_BLOCK - 1) / GF256_BLOCK * GF256_BLOCK;
    uint8_t points[TALLY_GF256_POINTS + 1] = {0}, below[TALLY_GF256_POINTS + 1];
    uint8_t factor[TALLY_GF256_POINTS + 1], above = 1;
    memcpy(points, x, count);
    for (size_t i = 0; i < size; i++) {
        below[i] = points[i] ^ target;
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < size; i += GF256_BLOCK) {
            for (size_t k = 0; k < GF256_BLOCK; k++) {
                uint8_t difference = points[i + k] ^ points[j];
                factor[i + k] = difference | (uint8_t)(difference == 0);
            }
        }
        gf->multiply(field, below, factor, size, below);
        uint8_t distance = points[j] ^ target;
        gf->multiply(field, &above, &distance, 1, &above);
    }
    gf256_invert(gf, field, below, size);
    memset(factor, above, size);
    gf->multiply(field, below, factor, size, below);
    memcpy(weights, below, count);
}

/* ---- core/gf256/gfni_avx2.c ---- */
/*
 * GF(2^8) by GFNI with AVX2: 32 bytes a vector. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/gf256/tail_avx2.h ---- */
/*
 * Loads and stores the first bytes of a vector. AVX2 has no byte masks, so they go through a buffer
 * on the stack. They may be secret, so the buffer is wiped. */
#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define TALLY_GF256_TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TALLY_GF256_TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TALLY_GF256_TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TALLY_GF256_TAIL_INLINE

#endif

#define GF256(name)             gf256_gfni_avx2_##name
#define GF256_VEC               __m256i
#define GF256_TARGET            __attribute__((target("gfni,avx2")))
#define GF256_BYTES             32
#define GF256_LOAD(from)        _mm256_loadu_si256((const __m256i *)(from))
#define GF256_STORE(to, v)      _mm256_storeu_si256((__m256i *)(to), v)
#define GF256_SOME_LOAD         tally_gf256_load_tail
#define GF256_SOME_STORE        tally_gf256_store_tail
#define GF256_XOR               _mm256_xor_si256
#define GF256_XOR3(a, b, c)     _mm256_xor_si256(a, _mm256_xor_si256(b, c))
#define GF256_AFFINE(v, matrix) _mm256_gf2p8affine_epi64_epi8(v, matrix, 0)
#define GF256_BROADCAST(matrix) _mm256_set1_epi64x((long long)(matrix))
#define GF256_ZERO              _mm256_setzero_si256()
#define GF256_PRODUCT           _mm256_gf2p8mul_epi8

/* ---- core/gf256/affine_body.h ---- */
/*
 * GF(2^8) by gf2p8affineqb, which multiplies each byte by a matrix over GF(2). Multiplication by a
 * constant is such a matrix, in either field. The including file defines these macros, and the body
 * undefines them:
 *   GF256(name)                  the name with the prefix of the file
 *   GF256_TARGET                 the function attribute that its instructions need
 *   GF256_VEC, _BYTES            the type of a vector, and its size in bytes
 *   GF256_LOAD, _STORE           of a vector: (from), (to, v)
 *   GF256_SOME_LOAD, _SOME_STORE of its first bytes: (from, count), (to, count, v)
 *   GF256_XOR, _XOR3             of two and of three vectors
 *   GF256_AFFINE(v, matrix), GF256_BROADCAST(matrix), GF256_ZERO
 *   GF256_PRODUCT(a, b)          byte by byte, modulo 0x11B */

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   6 /* outputs that are computed together, two vectors of each in registers */
#define GF256_POINTS 8 /* at which polynomials are evaluated together */

/* The matrices of the constants 1, 2, 4, ..., 128, modulo 0x11B and 0x11D. The matrix of any other
 * constant is a sum of these. Byte 7 - i of a matrix is its row i: it selects the bits of a byte
 * whose parity is bit i of the product. */
static const uint64_t GF256(matrices_of_bits)[2][8] = {
    {UINT64_C(0x0102040810204080), UINT64_C(0x8081028488102040), UINT64_C(0x40c08142c4881020),
     UINT64_C(0x2060c0a162c48810), UINT64_C(0x103060d0b162c488), UINT64_C(0x889830e858b162c4),
     UINT64_C(0xc44c98f42c58b162), UINT64_C(0x62a64cfa962c58b1)},
    {UINT64_C(0x0102040810204080), UINT64_C(0x8001828488102040), UINT64_C(0x408041c2c4881020),
     UINT64_C(0x2040a061e2c48810), UINT64_C(0x102050b071e2c488), UINT64_C(0x8810a8d83871e2c4),
     UINT64_C(0xc488d46c1c3871e2), UINT64_C(0xe2c46a368e1c3871)}};

/* The matrices of the constants 0x00 to 0x0F, and of 0x00, 0x10, ..., 0xF0. */
typedef struct GF256(matrix_sums) {
    uint64_t low[16], high[16];
} GF256(matrix_sums);

GF256_INLINE void GF256(make_sums)(tally_gf256_field field, GF256(matrix_sums) * out)
{
    const uint64_t *of_bit = GF256(matrices_of_bits)[field == TALLY_GF256_RS];
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        const size_t many = (size_t)1 << bit;
        for (size_t i = 0; i < many; i++) {
            out->low[many + i] = out->low[i] ^ of_bit[bit];
            out->high[many + i] = out->high[i] ^ of_bit[4 + bit];
        }
    }
}

/* The matrix of a constant. The constant is public: it is an address here. */
GF256_INLINE uint64_t GF256(matrix_of)(const GF256(matrix_sums) * sums, uint8_t constant)
{
    return sums->low[constant & 15] ^ sums->high[constant >> 4];
}

/* Computes `sums` outputs from byte `at` on: `vectors` whole vectors, or the first `last` bytes of
 * one. */
GF256_INLINE void GF256(combine_block)(const uint64_t *matrices, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, const size_t vectors,
                                       size_t at, size_t last, uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS][2], a[2], b[2];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[j][v] = GF256_ZERO;
        }
    }
    size_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
            b[v] = last == GF256_BYTES ? GF256_LOAD(in[i + 1] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i + 1] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_VEC by_b = GF256_BROADCAST(matrices[j * inputs + i + 1]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] =
                    GF256_XOR3(sum[j][v], GF256_AFFINE(a[v], by_a), GF256_AFFINE(b[v], by_b));
            }
        }
    }
    if (i < inputs) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = GF256_XOR(sum[j][v], GF256_AFFINE(a[v], by_a));
            }
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            if (last == GF256_BYTES) {
                GF256_STORE(out[j] + at + v * GF256_BYTES, sum[j][v]);
            } else {
                GF256_SOME_STORE(out[j] + at, last, sum[j][v]);
            }
        }
    }
}

GF256_INLINE void GF256(combine_some)(const uint64_t *matrices, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= 2 * GF256_BYTES; at += 2 * GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 2, at, GF256_BYTES, out);
    }
    if (end - at >= GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, GF256_BYTES, out);
        at += GF256_BYTES;
    }
    if (end > at) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    uint64_t matrices[GF256_SUMS * TALLY_GF256_POINTS];
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            matrices[i] = GF256(matrix_of)(&sums_of, matrix[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(matrices, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(matrices, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(matrices, in, inputs, 3, offset, size, out);
            break;
        case 4:
            GF256(combine_some)(matrices, in, inputs, 4, offset, size, out);
            break;
        case 5:
            GF256(combine_some)(matrices, in, inputs, 5, offset, size, out);
            break;
        default:
            GF256(combine_some)(matrices, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

GF256_INLINE void GF256(horner)(const GF256_VEC *x, const size_t points, GF256_VEC next,
                                GF256_VEC *value)
{
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = GF256_XOR(GF256_AFFINE(value[j], x[j]), next);
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256_VEC *x,
                                        const size_t points, size_t at, size_t count,
                                        uint8_t *const out[], size_t offset)
{
    GF256_VEC value[GF256_POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    GF256_VEC next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t left = terms - 2; left > 0; left--) {
        from -= stride;
        GF256(horner)
        (x, points, count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count), value);
    }
    GF256(horner)
    (x, points,
     count == GF256_BYTES ? GF256_LOAD(constants + at) : GF256_SOME_LOAD(constants + at, count),
     value);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(const GF256(matrix_sums) * sums_of, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256_VEC by[GF256_POINTS];
    size_t at = 0;
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        by[j] = GF256_BROADCAST(GF256(matrix_of)(sums_of, x[j]));
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, GF256_BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

GF256_TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                         const uint8_t *coefficients, size_t stride, size_t terms,
                                         const uint8_t *x, size_t count, size_t size,
                                         uint8_t *const out[], size_t offset)
{
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (&sums_of, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= GF256_POINTS; count -= GF256_POINTS, x += GF256_POINTS, out += GF256_POINTS) {
        GF256_EVALUATE(GF256_POINTS);
    }
    switch (count) {
    case 1:
        GF256_EVALUATE(1);
        break;
    case 2:
        GF256_EVALUATE(2);
        break;
    case 3:
        GF256_EVALUATE(3);
        break;
    case 4:
        GF256_EVALUATE(4);
        break;
    case 5:
        GF256_EVALUATE(5);
        break;
    case 6:
        GF256_EVALUATE(6);
        break;
    case 7:
        GF256_EVALUATE(7);
        break;
    default:
        break;
    }
#undef GF256_EVALUATE
}

GF256_TARGET static void GF256(multiply)(tally_gf256_field field, const uint8_t *a,
                                         const uint8_t *b, size_t size, uint8_t *out)
{
    size_t at = 0;
    if (field != TALLY_GF256_AES) {
        tally_gf256_multiply(field, a, b, size, out);
        return;
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256_STORE(out + at, GF256_PRODUCT(GF256_LOAD(a + at), GF256_LOAD(b + at)));
    }
    if (size > at) {
        const size_t left = size - at;
        GF256_SOME_STORE(
            out + at, left,
            GF256_PRODUCT(GF256_SOME_LOAD(a + at, left), GF256_SOME_LOAD(b + at, left)));
    }
}

#undef GF256_INLINE
#undef GF256_UNROLL
#undef GF256_SUMS
#undef GF256_POINTS
#undef GF256
#undef GF256_TARGET
#undef GF256_VEC
#undef GF256_BYTES
#undef GF256_LOAD
#undef GF256_STORE
#undef GF256_SOME_LOAD
#undef GF256_SOME_STORE
#undef GF256_XOR
#undef GF256_XOR3
#undef GF256_AFFINE
#undef GF256_BROADCAST
#undef GF256_ZERO
#undef GF256_PRODUCT

const struct tally_gf256_backend tally_gf256_gfni_avx2 = {
    .backend = {"gfni-avx2", TALLY_CPU_GFNI | TALLY_CPU_AVX2},
    .multiply = gf256_gfni_avx2_multiply,
    .evaluate = gf256_gfni_avx2_evaluate,
    .combine = gf256_gfni_avx2_combine};

#endif

/* ---- core/gf256/gfni_avx512.c ---- */
/*
 * GF(2^8) by GFNI with AVX-512: 64 bytes a vector, and masks for fewer. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define GF256(name)                    gf256_gfni_avx512_##name
#define GF256_VEC                      __m512i
#define GF256_TARGET                   __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))
#define GF256_BYTES                    64
#define GF256_LOAD(from)               _mm512_loadu_si512((const void *)(from))
#define GF256_STORE(to, v)             _mm512_storeu_si512((void *)(to), v)
#define GF256_SOME(count)              ((__mmask64)(~UINT64_C(0) >> (64 - (count))))
#define GF256_SOME_LOAD(from, count)   _mm512_maskz_loadu_epi8(GF256_SOME(count), from)
#define GF256_SOME_STORE(to, count, v) _mm512_mask_storeu_epi8(to, GF256_SOME(count), v)
#define GF256_XOR                      _mm512_xor_si512
#define GF256_XOR3(a, b, c)            _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define GF256_AFFINE(v, matrix)        _mm512_gf2p8affine_epi64_epi8(v, matrix, 0)
#define GF256_BROADCAST(matrix)                                                                    \
    gf256_gfni_avx512_in_register(_mm512_set1_epi64((long long)(matrix)))
#define GF256_ZERO    _mm512_setzero_si512()
#define GF256_PRODUCT _mm512_gf2p8mul_epi8

/* Clang before 20 scales the displacement wrongly where the instruction broadcasts its matrix from
 * memory itself (llvm/llvm-project pull request 120340), so the matrix is loaded beforehand. */
__attribute__((always_inline)) GF256_TARGET static inline GF256_VEC
gf256_gfni_avx512_in_register(GF256_VEC v)
{
#if defined(__clang__)
    __asm__("" : "+v"(v));
#endif
    return v;
}

/* ---- core/gf256/affine_body.h, again ---- */

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   6
#define GF256_POINTS 8

static const uint64_t GF256(matrices_of_bits)[2][8] = {
    {UINT64_C(0x0102040810204080), UINT64_C(0x8081028488102040), UINT64_C(0x40c08142c4881020),
     UINT64_C(0x2060c0a162c48810), UINT64_C(0x103060d0b162c488), UINT64_C(0x889830e858b162c4),
     UINT64_C(0xc44c98f42c58b162), UINT64_C(0x62a64cfa962c58b1)},
    {UINT64_C(0x0102040810204080), UINT64_C(0x8001828488102040), UINT64_C(0x408041c2c4881020),
     UINT64_C(0x2040a061e2c48810), UINT64_C(0x102050b071e2c488), UINT64_C(0x8810a8d83871e2c4),
     UINT64_C(0xc488d46c1c3871e2), UINT64_C(0xe2c46a368e1c3871)}};

typedef struct GF256(matrix_sums) {
    uint64_t low[16], high[16];
} GF256(matrix_sums);

GF256_INLINE void GF256(make_sums)(tally_gf256_field field, GF256(matrix_sums) * out)
{
    const uint64_t *of_bit = GF256(matrices_of_bits)[field == TALLY_GF256_RS];
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        const size_t many = (size_t)1 << bit;
        for (size_t i = 0; i < many; i++) {
            out->low[many + i] = out->low[i] ^ of_bit[bit];
            out->high[many + i] = out->high[i] ^ of_bit[4 + bit];
        }
    }
}

GF256_INLINE uint64_t GF256(matrix_of)(const GF256(matrix_sums) * sums, uint8_t constant)
{
    return sums->low[constant & 15] ^ sums->high[constant >> 4];
}

GF256_INLINE void GF256(combine_block)(const uint64_t *matrices, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, const size_t vectors,
                                       size_t at, size_t last, uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS][2], a[2], b[2];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[j][v] = GF256_ZERO;
        }
    }
    size_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
            b[v] = last == GF256_BYTES ? GF256_LOAD(in[i + 1] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i + 1] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_VEC by_b = GF256_BROADCAST(matrices[j * inputs + i + 1]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] =
                    GF256_XOR3(sum[j][v], GF256_AFFINE(a[v], by_a), GF256_AFFINE(b[v], by_b));
            }
        }
    }
    if (i < inputs) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            a[v] = last == GF256_BYTES ? GF256_LOAD(in[i] + at + v * GF256_BYTES)
                                       : GF256_SOME_LOAD(in[i] + at, last);
        }
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            GF256_VEC by_a = GF256_BROADCAST(matrices[j * inputs + i]);
            GF256_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[j][v] = GF256_XOR(sum[j][v], GF256_AFFINE(a[v], by_a));
            }
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        GF256_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            if (last == GF256_BYTES) {
                GF256_STORE(out[j] + at + v * GF256_BYTES, sum[j][v]);
            } else {
                GF256_SOME_STORE(out[j] + at, last, sum[j][v]);
            }
        }
    }
}

GF256_INLINE void GF256(combine_some)(const uint64_t *matrices, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= 2 * GF256_BYTES; at += 2 * GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 2, at, GF256_BYTES, out);
    }
    if (end - at >= GF256_BYTES) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, GF256_BYTES, out);
        at += GF256_BYTES;
    }
    if (end > at) {
        GF256(combine_block)(matrices, in, inputs, sums, 1, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    uint64_t matrices[GF256_SUMS * TALLY_GF256_POINTS];
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            matrices[i] = GF256(matrix_of)(&sums_of, matrix[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(matrices, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(matrices, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(matrices, in, inputs, 3, offset, size, out);
            break;
        case 4:
            GF256(combine_some)(matrices, in, inputs, 4, offset, size, out);
            break;
        case 5:
            GF256(combine_some)(matrices, in, inputs, 5, offset, size, out);
            break;
        default:
            GF256(combine_some)(matrices, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

GF256_INLINE void GF256(horner)(const GF256_VEC *x, const size_t points, GF256_VEC next,
                                GF256_VEC *value)
{
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = GF256_XOR(GF256_AFFINE(value[j], x[j]), next);
    }
}

GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256_VEC *x,
                                        const size_t points, size_t at, size_t count,
                                        uint8_t *const out[], size_t offset)
{
    GF256_VEC value[GF256_POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    GF256_VEC next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t left = terms - 2; left > 0; left--) {
        from -= stride;
        GF256(horner)
        (x, points, count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count), value);
    }
    GF256(horner)
    (x, points,
     count == GF256_BYTES ? GF256_LOAD(constants + at) : GF256_SOME_LOAD(constants + at, count),
     value);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(const GF256(matrix_sums) * sums_of, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256_VEC by[GF256_POINTS];
    size_t at = 0;
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        by[j] = GF256_BROADCAST(GF256(matrix_of)(sums_of, x[j]));
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, GF256_BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

GF256_TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                         const uint8_t *coefficients, size_t stride, size_t terms,
                                         const uint8_t *x, size_t count, size_t size,
                                         uint8_t *const out[], size_t offset)
{
    GF256(matrix_sums) sums_of;
    GF256(make_sums)(field, &sums_of);
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (&sums_of, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= GF256_POINTS; count -= GF256_POINTS, x += GF256_POINTS, out += GF256_POINTS) {
        GF256_EVALUATE(GF256_POINTS);
    }
    switch (count) {
    case 1:
        GF256_EVALUATE(1);
        break;
    case 2:
        GF256_EVALUATE(2);
        break;
    case 3:
        GF256_EVALUATE(3);
        break;
    case 4:
        GF256_EVALUATE(4);
        break;
    case 5:
        GF256_EVALUATE(5);
        break;
    case 6:
        GF256_EVALUATE(6);
        break;
    case 7:
        GF256_EVALUATE(7);
        break;
    default:
        break;
    }
#undef GF256_EVALUATE
}

GF256_TARGET static void GF256(multiply)(tally_gf256_field field, const uint8_t *a,
                                         const uint8_t *b, size_t size, uint8_t *out)
{
    size_t at = 0;
    if (field != TALLY_GF256_AES) {
        tally_gf256_multiply(field, a, b, size, out);
        return;
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256_STORE(out + at, GF256_PRODUCT(GF256_LOAD(a + at), GF256_LOAD(b + at)));
    }
    if (size > at) {
        const size_t left = size - at;
        GF256_SOME_STORE(
            out + at, left,
            GF256_PRODUCT(GF256_SOME_LOAD(a + at, left), GF256_SOME_LOAD(b + at, left)));
    }
}

#undef GF256_INLINE
#undef GF256_UNROLL
#undef GF256_SUMS
#undef GF256_POINTS
#undef GF256
#undef GF256_TARGET
#undef GF256_VEC
#undef GF256_BYTES
#undef GF256_LOAD
#undef GF256_STORE
#undef GF256_SOME_LOAD
#undef GF256_SOME_STORE
#undef GF256_XOR
#undef GF256_XOR3
#undef GF256_AFFINE
#undef GF256_BROADCAST
#undef GF256_ZERO
#undef GF256_PRODUCT

#undef GF256_SOME

const struct tally_gf256_backend tally_gf256_gfni_avx512 = {
    .backend = {"gfni-avx512",
                TALLY_CPU_GFNI | TALLY_CPU_AVX512VBMI}, /* which has AVX512F, BW and VL */
    .multiply = gf256_gfni_avx512_multiply,
    .evaluate = gf256_gfni_avx512_evaluate,
    .combine = gf256_gfni_avx512_combine};

#endif

/* ---- core/gf256/nibbles_avx2.c ---- */
/*
 * GF(2^8) by vpshufb: 32 bytes a vector. Products of two vectors are those of portable C. */

#if defined(TALLY_ARCH_X86_64)

/* ---- core/gf256/tail_avx2.h, again ---- */

#ifndef TALLY_GF256_TAIL_AVX2_H
#define TALLY_GF256_TAIL_AVX2_H

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define TALLY_GF256_TAIL_INLINE static inline __attribute__((always_inline, target("avx2")))

TALLY_GF256_TAIL_INLINE __m256i tally_gf256_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, from, count);
    __m256i v = _mm256_loadu_si256((const __m256i *)bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

TALLY_GF256_TAIL_INLINE void tally_gf256_store_tail(uint8_t *to, size_t count, __m256i v)
{
    uint8_t bytes[32];
    _mm256_storeu_si256((__m256i *)bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

#undef TALLY_GF256_TAIL_INLINE

#endif

#define GF256(name)        gf256_nibbles_avx2_##name
#define GF256_VEC          __m256i
#define GF256_TARGET       __attribute__((target("avx2")))
#define GF256_BYTES        32
#define GF256_LOAD(from)   _mm256_loadu_si256((const __m256i *)(from))
#define GF256_STORE(to, v) _mm256_storeu_si256((__m256i *)(to), v)
#define GF256_SOME_LOAD    tally_gf256_load_tail
#define GF256_SOME_STORE   tally_gf256_store_tail
#define GF256_TABLE(from)  _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(from)))
#define GF256_LOW(v)       _mm256_and_si256(v, _mm256_set1_epi8(0x0F))
#define GF256_HIGH(v)      _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F))
#define GF256_LOOK_UP      _mm256_shuffle_epi8
#define GF256_XOR          _mm256_xor_si256
#define GF256_ZERO         _mm256_setzero_si256()

/* ---- core/gf256/nibbles_body.h ---- */
/*
 * GF(2^8) by looking up both halves of each byte in a vector of 16 products with a constant (Plank,
 * Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST
 * 2013). The look-ups are within registers, so no address depends on data. The including file
 * defines these macros, and the body undefines them:
 *   GF256(name)                  the name with the prefix of the file
 *   GF256_TARGET                 the function attribute that its instructions need
 *   GF256_VEC, _BYTES            the type of a vector, and its size in bytes
 *   GF256_LOAD, _STORE           of a vector: (from), (to, v)
 *   GF256_SOME_LOAD, _SOME_STORE of its first bytes: (from, count), (to, count, v)
 *   GF256_TABLE(from)            16 bytes, as GF256_LOOK_UP takes them
 *   GF256_LOW(v), GF256_HIGH(v)  the halves of each byte, as indices
 *   GF256_LOOK_UP(table, indices), GF256_XOR(a, b), GF256_ZERO */

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   4 /* outputs that are computed together */
#define GF256_POINTS 4 /* at which polynomials are evaluated together */

/* Products of a constant with 0..15, and with 0x00, 0x10, ..., 0xF0. */
typedef struct GF256(products) {
    uint8_t low[16], high[16];
} GF256(products);

GF256_INLINE void GF256(make_products)(tally_gf256_field field, uint8_t constant,
                                       GF256(products) * out)
{
    uint8_t multiples[8];
    tally_gf256_multiples(field, constant, multiples);
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        for (size_t i = 0; i < (size_t)1 << bit; i++) {
            out->low[((size_t)1 << bit) + i] = out->low[i] ^ multiples[bit];
            out->high[((size_t)1 << bit) + i] = out->high[i] ^ multiples[4 + bit];
        }
    }
}

GF256_INLINE GF256_VEC GF256(times)(GF256_VEC low, GF256_VEC high, const GF256(products) * by)
{
    return GF256_XOR(GF256_LOOK_UP(GF256_TABLE(by->low), low),
                     GF256_LOOK_UP(GF256_TABLE(by->high), high));
}

GF256_INLINE void GF256(combine_block)(const GF256(products) * by, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, size_t at, size_t count,
                                       uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        sum[j] = GF256_ZERO;
    }
    for (size_t i = 0; i < inputs; i++) {
        GF256_VEC v =
            count == GF256_BYTES ? GF256_LOAD(in[i] + at) : GF256_SOME_LOAD(in[i] + at, count);
        GF256_VEC low = GF256_LOW(v), high = GF256_HIGH(v);
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            sum[j] = GF256_XOR(sum[j], GF256(times)(low, high, &by[j * inputs + i]));
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + at, sum[j]);
        } else {
            GF256_SOME_STORE(out[j] + at, count, sum[j]);
        }
    }
}

GF256_INLINE void GF256(combine_some)(const GF256(products) * by, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(combine_block)(by, in, inputs, sums, at, GF256_BYTES, out);
    }
    if (end > at) {
        GF256(combine_block)(by, in, inputs, sums, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    GF256(products) by[GF256_SUMS * TALLY_GF256_POINTS];
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            GF256(make_products)(field, matrix[i], &by[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(by, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(by, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(by, in, inputs, 3, offset, size, out);
            break;
        default:
            GF256(combine_some)(by, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

/* Horner's rule for one vector of polynomials at `points` points. */
GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256(products) * x,
                                        const size_t points, size_t at, size_t count,
                                        uint8_t *const out[], size_t offset)
{
    GF256_VEC value[GF256_POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    GF256_VEC next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t term = terms - 1; term-- > 0;) {
        from = term == 0 ? constants + at : from - stride;
        next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
        GF256_UNROLL
        for (size_t j = 0; j < points; j++) {
            value[j] =
                GF256_XOR(GF256(times)(GF256_LOW(value[j]), GF256_HIGH(value[j]), &x[j]), next);
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(tally_gf256_field field, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256(products) by[GF256_POINTS];
    size_t at = 0;
    for (size_t j = 0; j < points; j++) {
        GF256(make_products)(field, x[j], &by[j]);
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, GF256_BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

GF256_TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                         const uint8_t *coefficients, size_t stride, size_t terms,
                                         const uint8_t *x, size_t count, size_t size,
                                         uint8_t *const out[], size_t offset)
{
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (field, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= GF256_POINTS; count -= GF256_POINTS, x += GF256_POINTS, out += GF256_POINTS) {
        GF256_EVALUATE(GF256_POINTS);
    }
    switch (count) {
    case 1:
        GF256_EVALUATE(1);
        break;
    case 2:
        GF256_EVALUATE(2);
        break;
    case 3:
        GF256_EVALUATE(3);
        break;
    default:
        break;
    }
#undef GF256_EVALUATE
}

#undef GF256_INLINE
#undef GF256_UNROLL
#undef GF256_SUMS
#undef GF256_POINTS
#undef GF256
#undef GF256_TARGET
#undef GF256_VEC
#undef GF256_BYTES
#undef GF256_LOAD
#undef GF256_STORE
#undef GF256_SOME_LOAD
#undef GF256_SOME_STORE
#undef GF256_TABLE
#undef GF256_LOW
#undef GF256_HIGH
#undef GF256_LOOK_UP
#undef GF256_XOR
#undef GF256_ZERO

const struct tally_gf256_backend tally_gf256_nibbles_avx2 = {
    .backend = {"nibbles-avx2", TALLY_CPU_AVX2},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_avx2_evaluate,
    .combine = gf256_nibbles_avx2_combine};

#endif

/* ---- core/gf256/nibbles_neon.c ---- */
/*
 * GF(2^8) by tbl of AArch64: 16 bytes a vector. Products of two vectors are those of portable C. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define GF256(name) gf256_nibbles_neon_##name
#define GF256_VEC   uint8x16_t
#define GF256_TARGET
#define GF256_BYTES      16
#define GF256_LOAD       vld1q_u8
#define GF256_STORE      vst1q_u8
#define GF256_SOME_LOAD  gf256_nibbles_neon_load_tail
#define GF256_SOME_STORE gf256_nibbles_neon_store_tail
#define GF256_TABLE      vld1q_u8
#define GF256_LOW(v)     vandq_u8(v, vdupq_n_u8(0x0F))
#define GF256_HIGH(v)    vshrq_n_u8(v, 4)
#define GF256_LOOK_UP    vqtbl1q_u8
#define GF256_XOR        veorq_u8
#define GF256_ZERO       vdupq_n_u8(0)

/* The first bytes of a vector go through a buffer on the stack, which is wiped. */
static inline GF256_VEC gf256_nibbles_neon_load_tail(const uint8_t *from, size_t count)
{
    uint8_t bytes[GF256_BYTES] = {0};
    memcpy(bytes, from, count);
    GF256_VEC v = vld1q_u8(bytes);
    tally_wipe(bytes, sizeof bytes);
    return v;
}

static inline void gf256_nibbles_neon_store_tail(uint8_t *to, size_t count, GF256_VEC v)
{
    uint8_t bytes[GF256_BYTES];
    vst1q_u8(bytes, v);
    memcpy(to, bytes, count);
    tally_wipe(bytes, sizeof bytes);
}

/* ---- core/gf256/nibbles_body.h, again ---- */

#define GF256_INLINE static inline __attribute__((always_inline)) GF256_TARGET
#define GF256_UNROLL TALLY_UNROLL(8)
#define GF256_SUMS   4
#define GF256_POINTS 4

typedef struct GF256(products) {
    uint8_t low[16], high[16];
} GF256(products);

GF256_INLINE void GF256(make_products)(tally_gf256_field field, uint8_t constant,
                                       GF256(products) * out)
{
    uint8_t multiples[8];
    tally_gf256_multiples(field, constant, multiples);
    out->low[0] = out->high[0] = 0;
    for (size_t bit = 0; bit < 4; bit++) {
        for (size_t i = 0; i < (size_t)1 << bit; i++) {
            out->low[((size_t)1 << bit) + i] = out->low[i] ^ multiples[bit];
            out->high[((size_t)1 << bit) + i] = out->high[i] ^ multiples[4 + bit];
        }
    }
}

GF256_INLINE GF256_VEC GF256(times)(GF256_VEC low, GF256_VEC high, const GF256(products) * by)
{
    return GF256_XOR(GF256_LOOK_UP(GF256_TABLE(by->low), low),
                     GF256_LOOK_UP(GF256_TABLE(by->high), high));
}

GF256_INLINE void GF256(combine_block)(const GF256(products) * by, const uint8_t *const in[],
                                       size_t inputs, const size_t sums, size_t at, size_t count,
                                       uint8_t *const out[])
{
    GF256_VEC sum[GF256_SUMS];
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        sum[j] = GF256_ZERO;
    }
    for (size_t i = 0; i < inputs; i++) {
        GF256_VEC v =
            count == GF256_BYTES ? GF256_LOAD(in[i] + at) : GF256_SOME_LOAD(in[i] + at, count);
        GF256_VEC low = GF256_LOW(v), high = GF256_HIGH(v);
        GF256_UNROLL
        for (size_t j = 0; j < sums; j++) {
            sum[j] = GF256_XOR(sum[j], GF256(times)(low, high, &by[j * inputs + i]));
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < sums; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + at, sum[j]);
        } else {
            GF256_SOME_STORE(out[j] + at, count, sum[j]);
        }
    }
}

GF256_INLINE void GF256(combine_some)(const GF256(products) * by, const uint8_t *const in[],
                                      size_t inputs, const size_t sums, size_t at, size_t size,
                                      uint8_t *const out[])
{
    const size_t end = at + size;
    for (; end - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(combine_block)(by, in, inputs, sums, at, GF256_BYTES, out);
    }
    if (end > at) {
        GF256(combine_block)(by, in, inputs, sums, at, end - at, out);
    }
}

GF256_TARGET static void GF256(combine)(tally_gf256_field field, const uint8_t *matrix,
                                        const uint8_t *const in[], size_t inputs, size_t outputs,
                                        size_t offset, size_t size, uint8_t *const out[])
{
    GF256(products) by[GF256_SUMS * TALLY_GF256_POINTS];
    while (outputs > 0) {
        const size_t sums = outputs < GF256_SUMS ? outputs : GF256_SUMS;
        for (size_t i = 0; i < sums * inputs; i++) {
            GF256(make_products)(field, matrix[i], &by[i]);
        }
        switch (sums) {
        case 1:
            GF256(combine_some)(by, in, inputs, 1, offset, size, out);
            break;
        case 2:
            GF256(combine_some)(by, in, inputs, 2, offset, size, out);
            break;
        case 3:
            GF256(combine_some)(by, in, inputs, 3, offset, size, out);
            break;
        default:
            GF256(combine_some)(by, in, inputs, GF256_SUMS, offset, size, out);
            break;
        }
        matrix += sums * inputs;
        out += sums;
        outputs -= sums;
    }
}

GF256_INLINE void GF256(evaluate_block)(const uint8_t *constants, const uint8_t *coefficients,
                                        size_t stride, size_t terms, const GF256(products) * x,
                                        const size_t points, size_t at, size_t count,
                                        uint8_t *const out[], size_t offset)
{
    GF256_VEC value[GF256_POINTS];
    const uint8_t *from = coefficients + (terms - 2) * stride + at;
    GF256_VEC next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        value[j] = next;
    }
    for (size_t term = terms - 1; term-- > 0;) {
        from = term == 0 ? constants + at : from - stride;
        next = count == GF256_BYTES ? GF256_LOAD(from) : GF256_SOME_LOAD(from, count);
        GF256_UNROLL
        for (size_t j = 0; j < points; j++) {
            value[j] =
                GF256_XOR(GF256(times)(GF256_LOW(value[j]), GF256_HIGH(value[j]), &x[j]), next);
        }
    }
    GF256_UNROLL
    for (size_t j = 0; j < points; j++) {
        if (count == GF256_BYTES) {
            GF256_STORE(out[j] + offset + at, value[j]);
        } else {
            GF256_SOME_STORE(out[j] + offset + at, count, value[j]);
        }
    }
}

GF256_INLINE void GF256(evaluate_some)(tally_gf256_field field, const uint8_t *constants,
                                       const uint8_t *coefficients, size_t stride, size_t terms,
                                       const uint8_t *x, const size_t points, size_t size,
                                       uint8_t *const out[], size_t offset)
{
    GF256(products) by[GF256_POINTS];
    size_t at = 0;
    for (size_t j = 0; j < points; j++) {
        GF256(make_products)(field, x[j], &by[j]);
    }
    for (; size - at >= GF256_BYTES; at += GF256_BYTES) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, GF256_BYTES, out, offset);
    }
    if (size > at) {
        GF256(evaluate_block)
        (constants, coefficients, stride, terms, by, points, at, size - at, out, offset);
    }
}

GF256_TARGET static void GF256(evaluate)(tally_gf256_field field, const uint8_t *constants,
                                         const uint8_t *coefficients, size_t stride, size_t terms,
                                         const uint8_t *x, size_t count, size_t size,
                                         uint8_t *const out[], size_t offset)
{
#define GF256_EVALUATE(points)                                                                     \
    GF256(evaluate_some)                                                                           \
    (field, constants, coefficients, stride, terms, x, points, size, out, offset)
    for (; count >= GF256_POINTS; count -= GF256_POINTS, x += GF256_POINTS, out += GF256_POINTS) {
        GF256_EVALUATE(GF256_POINTS);
    }
    switch (count) {
    case 1:
        GF256_EVALUATE(1);
        break;
    case 2:
        GF256_EVALUATE(2);
        break;
    case 3:
        GF256_EVALUATE(3);
        break;
    default:
        break;
    }
#undef GF256_EVALUATE
}

#undef GF256_INLINE
#undef GF256_UNROLL
#undef GF256_SUMS
#undef GF256_POINTS
#undef GF256
#undef GF256_TARGET
#undef GF256_VEC
#undef GF256_BYTES
#undef GF256_LOAD
#undef GF256_STORE
#undef GF256_SOME_LOAD
#undef GF256_SOME_STORE
#undef GF256_TABLE
#undef GF256_LOW
#undef GF256_HIGH
#undef GF256_LOOK_UP
#undef GF256_XOR
#undef GF256_ZERO

const struct tally_gf256_backend tally_gf256_nibbles_neon = {
    .backend = {"nibbles-neon", TALLY_CPU_NEON},
    .multiply = tally_gf256_multiply,
    .evaluate = gf256_nibbles_neon_evaluate,
    .combine = gf256_nibbles_neon_combine};

#endif

/* ---- core/gf256/portable.c ---- */
/*
 * GF(2^8) in portable C, eight bytes in a word. A factor is doubled seven times. The bits of the
 * other factor select which of the doublings are added, by masks and without branches. */

enum { GF256_PORTABLE_SUMS = 4 /* outputs that are computed together */ };

static uint64_t gf256_portable_load(const uint8_t *in, size_t size)
{
    uint64_t word = 0;
    if (size >= 8) {
        memcpy(&word, in, 8);
    } else {
        memcpy(&word, in, size);
    }
    return word;
}

static void gf256_portable_store(uint64_t word, size_t size, uint8_t *out)
{
    if (size >= 8) {
        memcpy(out, &word, 8);
    } else {
        memcpy(out, &word, size);
    }
}

void tally_gf256_multiply(tally_gf256_field field, const uint8_t *a, const uint8_t *b, size_t size,
                          uint8_t *out)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t doubled = gf256_portable_load(a + i, size - i),
                 bits = gf256_portable_load(b + i, size - i), product = 0;
        for (int bit = 0; bit < 8; bit++) {
            product ^= doubled & tally_gf256_spread(bits >> bit);
            doubled = tally_gf256_double(field, doubled);
        }
        gf256_portable_store(product, size - i, out + i);
    }
}

/* Horner's rule. */
static void gf256_portable_evaluate(tally_gf256_field field, const uint8_t *constants,
                                    const uint8_t *coefficients, size_t stride, size_t terms,
                                    const uint8_t *x, size_t count, size_t size,
                                    uint8_t *const out[], size_t offset)
{
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < size; i += 8) {
            uint64_t value = gf256_portable_load(coefficients + (terms - 2) * stride + i, size - i);
            for (size_t term = terms - 1; term-- > 0;) {
                const uint8_t *next = term == 0 ? constants : coefficients + (term - 1) * stride;
                uint64_t sum = gf256_portable_load(next + i, size - i);
                for (int bit = 0; bit < 8; bit++) {
                    sum ^= value & (0 - (uint64_t)(x[j] >> bit & 1));
                    value = tally_gf256_double(field, value);
                }
                value = sum;
            }
            gf256_portable_store(value, size - i, out[j] + offset + i);
        }
    }
}

static void gf256_portable_combine(tally_gf256_field field, const uint8_t *matrix,
                                   const uint8_t *const in[], size_t inputs, size_t outputs,
                                   size_t offset, size_t size, uint8_t *const out[])
{
    for (size_t first = 0; first < outputs; first += GF256_PORTABLE_SUMS) {
        const size_t some =
            outputs - first < GF256_PORTABLE_SUMS ? outputs - first : GF256_PORTABLE_SUMS;
        for (size_t i = 0; i < size; i += 8) {
            uint64_t sums[GF256_PORTABLE_SUMS] = {0};
            for (size_t k = 0; k < inputs; k++) {
                uint64_t doubled = gf256_portable_load(in[k] + offset + i, size - i);
                for (int bit = 0; bit < 8; bit++) {
                    for (size_t j = 0; j < some; j++) {
                        uint8_t constant = matrix[(first + j) * inputs + k];
                        sums[j] ^= doubled & (0 - (uint64_t)(constant >> bit & 1));
                    }
                    doubled = tally_gf256_double(field, doubled);
                }
            }
            for (size_t j = 0; j < some; j++) {
                gf256_portable_store(sums[j], size - i, out[first + j] + offset + i);
            }
        }
    }
}

const struct tally_gf256_backend tally_gf256_portable = {.backend = {"portable", 0},
                                                         .multiply = tally_gf256_multiply,
                                                         .evaluate = gf256_portable_evaluate,
                                                         .combine = gf256_portable_combine};

/* ---- core/sha2/constants.c ---- */
/*
 * The constants of the rounds: the first bits of the fractional parts of the cube roots of the
 * first 64 or 80 primes (FIPS 180-4, sections 4.2.2 and 4.2.3). */

/* ---- core/sha2/backend.h ---- */
/*
 * A back end of SHA-2: the compression function (FIPS 180-4, section 6) on a number of lanes,
 * one message in each. A new one is a file that defines this table, its declaration below, and a
 * row in sha256.c or sha512.c, which choose. */
#ifndef TALLY_SHA2_BACKEND_H
#define TALLY_SHA2_BACKEND_H

enum { TALLY_SHA2_MAX_LANES = 16 };

struct tally_sha256_backend {
    tally_backend backend;
    uint32_t lanes; /* messages that go side by side; fewer take as long */
    /* Cycles for a block in each lane, about: measured on Sapphire Rapids, that of AArch64 guessed.
     * Only the order of cycles divided by messages matters. */
    uint32_t cycles;
    /* `blocks` blocks of each lane, which begin at data[lane]; word i of a lane's chaining value is
     * state[i * lanes + lane]. `state` is aligned to 64 if there is more than one lane. */
    void (*compress)(const uint8_t *const data[], size_t blocks, uint32_t *state);
};

struct tally_sha512_backend {
    tally_backend backend;
    uint32_t lanes, cycles;
    void (*compress)(const uint8_t *const data[], size_t blocks, uint64_t *state);
};

extern const struct tally_sha256_backend tally_sha256_avx512, tally_sha256_avx2,
    tally_sha256_shani_2, tally_sha256_shani, tally_sha256_armv8_2, tally_sha256_armv8,
    tally_sha256_portable;
extern const struct tally_sha512_backend tally_sha512_avx512, tally_sha512_avx2, tally_sha512_bmi2,
    tally_sha512_armv8, tally_sha512_portable;

/* The digests of `count` messages: what `context` has received, then values[offsets[i] .. offsets[i +
 * 1]). Short ones of as many blocks go side by side. `out` may be `values`. */
void tally_sha256_continue(const tally_sha256 *context, const uint8_t *values,
                           const uint64_t *offsets, size_t count, uint8_t out[][TALLY_SHA256_SIZE]);

/* The constants of the rounds (sections 4.2.2 and 4.2.3). */
extern const uint32_t tally_sha256_constants[64];
extern const uint64_t tally_sha512_constants[80];

#endif

_Alignas(64) const uint32_t tally_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

_Alignas(64) const uint64_t tally_sha512_constants[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/* ---- core/sha2/hkdf.c ---- */
/*
 * HKDF-SHA-256 (RFC 5869): a key is extracted from the material, and expanded to `size` bytes. */

tally_status tally_hkdf_sha256(const uint8_t *salt, size_t salt_size, const uint8_t *ikm,
                               size_t ikm_size, const uint8_t *info, size_t info_size, uint8_t *out,
                               size_t size)
{
    if (size > TALLY_HKDF_SHA256_MOST) {
        return TALLY_ERROR_ARGUMENT;
    }
    /* Without a salt, RFC 5869 uses 32 zeros, which as an HMAC key equal the empty one. */
    uint8_t tag[TALLY_SHA256_SIZE];
    tally_hmac_sha256_tag(salt, salt_size, ikm, ikm_size, tag);
    tally_hmac_sha256 keyed, context;
    tally_hmac_sha256_init(&keyed, tag, TALLY_SHA256_SIZE);
    size_t before = 0; /* bytes of the previous tag; the first message has none */
    for (uint8_t number = 1; size > 0; number++) {
        context = keyed;
        tally_hmac_sha256_update(&context, tag, before);
        tally_hmac_sha256_update(&context, info, info_size);
        tally_hmac_sha256_update(&context, &number, 1);
        tally_hmac_sha256_final(&context, tag);
        before = size < TALLY_SHA256_SIZE ? size : TALLY_SHA256_SIZE;
        memcpy(out, tag, before);
        out += before;
        size -= before;
    }
    tally_hmac_sha256_wipe(&keyed);
    tally_wipe(tag, sizeof tag);
    return TALLY_OK;
}

/* ---- core/sha2/hmac.c ---- */
/*
 * HMAC-SHA-256 (RFC 2104): the hash of the masked key followed by an inner hash: that of the key
 * under another mask, followed by the message. */

enum { HMAC_ROWS = 256 /* whose inner digests wait for their outer ones */ };

static void hmac_begin(tally_sha256 *hash, const uint8_t key[TALLY_SHA256_BLOCK], uint8_t mask)
{
    uint8_t masked[TALLY_SHA256_BLOCK];
    for (size_t i = 0; i < TALLY_SHA256_BLOCK; i++) {
        masked[i] = key[i] ^ mask;
    }
    tally_sha256_init(hash);
    tally_sha256_update(hash, masked, TALLY_SHA256_BLOCK);
    tally_wipe(masked, TALLY_SHA256_BLOCK);
}

void tally_hmac_sha256_init(tally_hmac_sha256 *context, const uint8_t *key, size_t key_size)
{
    uint8_t block[TALLY_SHA256_BLOCK] = {0};
    if (key_size > TALLY_SHA256_BLOCK) {
        tally_sha256_digest(key, key_size, block);
    } else if (key_size > 0) {
        memcpy(block, key, key_size);
    }
    hmac_begin(&context->inner, block, 0x36);
    hmac_begin(&context->outer, block, 0x5c);
    tally_wipe(block, TALLY_SHA256_BLOCK);
}

void tally_hmac_sha256_update(tally_hmac_sha256 *context, const uint8_t *data, size_t size)
{
    tally_sha256_update(&context->inner, data, size);
}

void tally_hmac_sha256_final(tally_hmac_sha256 *context, uint8_t tag[32])
{
    uint8_t digest[TALLY_SHA256_SIZE];
    tally_sha256_final(&context->inner, digest);
    tally_sha256_update(&context->outer, digest, sizeof digest);
    tally_sha256_final(&context->outer, tag);
    tally_wipe(digest, sizeof digest);
}

void tally_hmac_sha256_wipe(tally_hmac_sha256 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_hmac_sha256_rows(const tally_hmac_sha256 *context, const uint8_t *values,
                            const uint64_t *offsets, size_t count, uint8_t tags[][32])
{
    uint64_t digests[HMAC_ROWS + 1];
    for (size_t i = 0; i <= HMAC_ROWS; i++) {
        digests[i] = i * TALLY_SHA256_SIZE;
    }
    while (count > 0) {
        const size_t rows = count < HMAC_ROWS ? count : HMAC_ROWS;
        tally_sha256_continue(&context->inner, values, offsets, rows, tags);
        tally_sha256_continue(&context->outer, tags[0], digests, rows, tags);
        offsets += rows;
        tags += rows;
        count -= rows;
    }
}

void tally_hmac_sha256_tag(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size,
                           uint8_t tag[32])
{
    tally_hmac_sha256 context;
    tally_hmac_sha256_init(&context, key, key_size);
    tally_hmac_sha256_update(&context, data, size);
    tally_hmac_sha256_final(&context, tag);
}

/* ---- core/sha2/sha256.c ---- */
/*
 * SHA-256: a back end is chosen for each message or group of messages. */

_Static_assert(sizeof(void *) != 8 || sizeof(tally_sha256) == 128,
               "the size of a context is part of the ABI");

static const tally_backend *const sha256_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha256_avx512.backend,   &tally_sha256_avx2.backend,
    &tally_sha256_shani_2.backend,  &tally_sha256_shani.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha256_armv8_2.backend,
    &tally_sha256_armv8.backend,
#endif
    &tally_sha256_portable.backend,
};

/* The first bits of the fractional parts of the square roots of the first eight primes
 * (section 5.3.3). */
static const uint32_t sha256_initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#define HASH(name)    sha256_##name
#define HASH_BACKEND  struct tally_sha256_backend
#define HASH_BACKENDS (sizeof sha256_backends / sizeof *sha256_backends)
#define HASH_BLOCK    TALLY_SHA256_BLOCK
#define HASH_CONTEXT  tally_sha256
#define HASH_DIGEST   TALLY_SHA256_SIZE
#define HASH_STORE    tally_store_be32
#define HASH_WORD     uint32_t

/* ---- core/sha2/hash_body.h ---- */
/*
 * Hashing by the back ends of one algorithm (FIPS 180-4, sections 5.1 and 6): messages in pieces,
 * and whole messages side by side. The file that includes this defines
 *
 *     HASH(name)                the name of a static function or object
 *     HASH(backends)            the table of back ends, and HASH_BACKENDS, its size
 *     HASH(initial)             the initial chaining value
 *     HASH_CONTEXT              the type of a message in pieces
 *     HASH_BACKEND              the type of a back end
 *     HASH_WORD, HASH_STORE     a word, and the function that writes it as bytes
 *     HASH_BLOCK, HASH_DIGEST   sizes in bytes
 *
 * which are undefined again at the end. */

/* A message is padded with a bit, zeros, and its size in bits as a number of two words. */
#define HASH_SIZE_BYTES (2 * sizeof(HASH_WORD))

/* The back end that takes the least time for each of `count` messages. */
static const HASH_BACKEND *HASH(choose)(size_t count)
{
    const HASH_BACKEND *best = NULL;
    const uint32_t features = tally_cpu_features();
    uint32_t best_filled = 0;
    for (size_t i = 0; i < HASH_BACKENDS; i++) {
        const HASH_BACKEND *b = (const HASH_BACKEND *)HASH(backends)[i];
        const uint32_t filled = count < b->lanes ? (uint32_t)count : b->lanes;
        if ((b->backend.needs & ~features) == 0 &&
            (best == NULL || b->cycles * best_filled < best->cycles * filled)) {
            best = b;
            best_filled = filled;
        }
    }
    return best;
}

/* The last block or two of a message: its last `rest` bytes, the bit, zeros, and its size. Returns
 * the number of blocks. */
static size_t HASH(make_tail)(const uint8_t *last, size_t rest, uint64_t size,
                              uint8_t tail[2 * HASH_BLOCK])
{
    size_t blocks = rest < HASH_BLOCK - HASH_SIZE_BYTES ? 1 : 2, end = blocks * HASH_BLOCK;
    if (rest > 0) {
        memcpy(tail, last, rest);
    }
    tail[rest] = 0x80;
    memset(tail + rest + 1, 0, end - rest - 1);
    tally_store_be64(size << 3, tail + end - 8);
    if (HASH_SIZE_BYTES > 8) {
        tally_store_be64(size >> 61, tail + end - 16);
    }
    return blocks;
}

static void HASH(store_digest)(const HASH_WORD *state, size_t step, uint8_t out[HASH_DIGEST])
{
    for (size_t i = 0; i < 8; i++) {
        HASH_STORE(state[i * step], out + i * sizeof(HASH_WORD));
    }
}

static void HASH(begin)(HASH_CONTEXT *context)
{
    context->backend = HASH(choose)(1);
    context->size = 0;
    memcpy(context->state, HASH(initial), sizeof HASH(initial));
}

static void HASH(absorb)(HASH_CONTEXT *context, const uint8_t *data, size_t blocks)
{
    context->backend->compress(&data, blocks, context->state);
}

static void HASH(update)(HASH_CONTEXT *context, const uint8_t *data, size_t size)
{
    if (size == 0) {
        return;
    }
    size_t buffered = (size_t)(context->size % HASH_BLOCK), free = HASH_BLOCK - buffered;
    context->size += size;
    if (size < free) {
        memcpy(context->buffer + buffered, data, size);
        return;
    }
    if (buffered > 0) {
        memcpy(context->buffer + buffered, data, free);
        HASH(absorb)(context, context->buffer, 1);
        data += free;
        size -= free;
    }
    HASH(absorb)(context, data, size / HASH_BLOCK);
    if (size % HASH_BLOCK > 0) {
        memcpy(context->buffer, data + size / HASH_BLOCK * HASH_BLOCK, size % HASH_BLOCK);
    }
}

static void HASH(final)(HASH_CONTEXT *context, uint8_t out[HASH_DIGEST])
{
    uint8_t tail[2 * HASH_BLOCK];
    size_t rest = (size_t)(context->size % HASH_BLOCK);
    HASH(absorb)(context, tail, HASH(make_tail)(context->buffer, rest, context->size, tail));
    HASH(store_digest)(context->state, 1, out);
    tally_wipe(tail, sizeof tail);
    tally_wipe(context, sizeof *context);
}

/* Whole messages, at most as many as the back end has lanes; other lanes repeat the first one. */
static void HASH(hash_side_by_side)(const HASH_BACKEND *b, const uint8_t *const messages[],
                                    size_t size, size_t count, uint8_t out[][HASH_DIGEST])
{
    _Alignas(64) HASH_WORD state[8 * TALLY_SHA2_MAX_LANES];
    uint8_t tails[TALLY_SHA2_MAX_LANES][2 * HASH_BLOCK];
    const uint8_t *data[TALLY_SHA2_MAX_LANES];
    size_t whole = size / HASH_BLOCK, rest = size % HASH_BLOCK, blocks = 0;
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < b->lanes; k++) {
            state[i * b->lanes + k] = HASH(initial)[i];
        }
    }
    if (whole > 0) {
        for (size_t k = 0; k < b->lanes; k++) {
            data[k] = messages[k < count ? k : 0];
        }
        b->compress(data, whole, state);
    }
    for (size_t k = 0; k < b->lanes; k++) {
        data[k] = tails[k < count ? k : 0];
    }
    for (size_t k = 0; k < count; k++) {
        const uint8_t *last = rest > 0 ? messages[k] + size - rest : NULL;
        blocks = HASH(make_tail)(last, rest, size, tails[k]);
    }
    b->compress(data, blocks, state);
    for (size_t k = 0; k < count; k++) {
        HASH(store_digest)(state + k, b->lanes, out[k]);
    }
    tally_wipe(tails, count * sizeof tails[0]);
    tally_wipe(state, 8 * b->lanes * sizeof(HASH_WORD));
}

static void HASH(many)(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][HASH_DIGEST])
{
    while (count > 0) {
        const HASH_BACKEND *b = HASH(choose)(count);
        size_t filled = count < b->lanes ? count : b->lanes;
        HASH(hash_side_by_side)(b, messages, size, filled, out);
        messages += filled;
        out += filled;
        count -= filled;
    }
}

#undef HASH
#undef HASH_BACKEND
#undef HASH_BACKENDS
#undef HASH_BLOCK
#undef HASH_CONTEXT
#undef HASH_DIGEST
#undef HASH_SIZE_BYTES
#undef HASH_STORE
#undef HASH_WORD

void tally_sha256_init(tally_sha256 *context)
{
    sha256_begin(context);
}

/* The second halves of the first 64 bits of the same for the ninth to the sixteenth prime (section
 * 5.3.2). */
void tally_sha224_init(tally_sha256 *context)
{
    static const uint32_t initial_224[8] = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                            0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};
    sha256_begin(context);
    memcpy(context->state, initial_224, sizeof initial_224);
}

void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size)
{
    sha256_update(context, data, size);
}

void tally_sha256_final(tally_sha256 *context, uint8_t out[TALLY_SHA256_SIZE])
{
    sha256_final(context, out);
}

void tally_sha256_wipe(tally_sha256 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_sha256_digest(const uint8_t *data, size_t size, uint8_t out[TALLY_SHA256_SIZE])
{
    sha256_hash_side_by_side(sha256_choose(1), &data, size, 1, (uint8_t(*)[TALLY_SHA256_SIZE])out);
}

void tally_sha256_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][TALLY_SHA256_SIZE])
{
    sha256_many(messages, size, count, out);
}

enum { SHA256_SHORT = 4 /* blocks, at most, of a message that goes beside others */ };

/* Messages of one number of blocks, which wait until there are as many as lanes. */
typedef struct sha256_group {
    size_t count;
    size_t row[TALLY_SHA2_MAX_LANES];
    uint8_t blocks[TALLY_SHA2_MAX_LANES][SHA256_SHORT * TALLY_SHA256_BLOCK];
} sha256_group;

static void sha256_run_group(const tally_sha256 *context, const struct tally_sha256_backend *b,
                             const sha256_group *group, size_t from, size_t count, size_t blocks,
                             uint8_t out[][TALLY_SHA256_SIZE])
{
    _Alignas(64) uint32_t state[8 * TALLY_SHA2_MAX_LANES];
    const uint8_t *data[TALLY_SHA2_MAX_LANES];
    for (size_t k = 0; k < b->lanes; k++) {
        data[k] = group->blocks[from + (k < count ? k : 0)];
    }
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < b->lanes; k++) {
            state[i * b->lanes + k] = context->state[i];
        }
    }
    b->compress(data, blocks, state);
    for (size_t k = 0; k < count; k++) {
        sha256_store_digest(state + k, b->lanes, out[group->row[from + k]]);
    }
    tally_wipe(state, sizeof state);
}

static void sha256_end_group(const tally_sha256 *context, sha256_group *group, size_t blocks,
                             uint8_t out[][TALLY_SHA256_SIZE])
{
    for (size_t from = 0; from < group->count;) {
        const size_t left = group->count - from;
        const struct tally_sha256_backend *b = sha256_choose(left);
        const size_t count = left < b->lanes ? left : b->lanes;
        sha256_run_group(context, b, group, from, count, blocks, out);
        from += count;
    }
    group->count = 0;
}

/* A message by itself. */
static void sha256_continue_one(const tally_sha256 *context, const uint8_t *value, size_t size,
                                uint8_t out[TALLY_SHA256_SIZE])
{
    tally_sha256 own = *context;
    sha256_update(&own, value, size);
    sha256_final(&own, out);
}

static const uint8_t *sha256_value(const uint8_t *values, const uint64_t *offsets, size_t i)
{
    return offsets[i + 1] > offsets[i] ? values + offsets[i] : NULL;
}

void tally_sha256_continue(const tally_sha256 *context, const uint8_t *values,
                           const uint64_t *offsets, size_t count, uint8_t out[][TALLY_SHA256_SIZE])
{
    const struct tally_sha256_backend *b = sha256_choose(count);
    if (b->lanes == 1) {
        for (size_t i = 0; i < count; i++) {
            sha256_continue_one(context, sha256_value(values, offsets, i),
                                (size_t)(offsets[i + 1] - offsets[i]), out[i]);
        }
        return;
    }
    /* All but the values stands there from the beginning. */
    sha256_group groups[SHA256_SHORT];
    const size_t before = (size_t)(context->size % TALLY_SHA256_BLOCK);
    for (size_t i = 0; i < SHA256_SHORT; i++) {
        groups[i].count = 0;
        for (size_t k = 0; k < b->lanes; k++) {
            memcpy(groups[i].blocks[k], context->buffer, before);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        const size_t blocks = size / TALLY_SHA256_BLOCK +
                              (before + size % TALLY_SHA256_BLOCK + 8) / TALLY_SHA256_BLOCK + 1;
        if (blocks > SHA256_SHORT) {
            sha256_continue_one(context, sha256_value(values, offsets, i), size, out[i]);
            continue;
        }
        sha256_group *group = &groups[blocks - 1];
        uint8_t *to = group->blocks[group->count] + before;
        const size_t end = blocks * TALLY_SHA256_BLOCK - before;
        if (size > 0) {
            memcpy(to, values + offsets[i], size);
        }
        to[size] = 0x80;
        memset(to + size + 1, 0, end - size - 9);
        tally_store_be64((context->size + size) << 3, to + end - 8);
        group->row[group->count++] = i;
        if (group->count == b->lanes) {
            sha256_end_group(context, group, blocks, out);
        }
    }
    for (size_t i = 0; i < SHA256_SHORT; i++) {
        sha256_end_group(context, &groups[i], i + 1, out);
    }
    tally_wipe(groups, sizeof groups);
}

const char *tally_sha256_backend_name(size_t count)
{
    return sha256_choose(count)->backend.name;
}

/* ---- core/sha2/sha256_armv8.c ---- */
/*
 * SHA-256 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA256). */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

#define SHA2(name) sha256_armv8_##name

/* ---- core/sha2/unroll.h ---- */
/*
 * Functions and loops of back ends that keep a whole block in registers. */
#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif

#if defined(__clang__)
#define SHA2_TARGET __attribute__((target("sha2")))
#else
#define SHA2_TARGET __attribute__((target("+crypto")))
#endif

#define SHA2_VEC uint32x4_t
typedef struct SHA2(chain) {
    SHA2_VEC first, second; /* abcd and efgh */
} SHA2(chain);

#define SHA2_ADD(x, y)         vaddq_u32(x, y)
#define SHA2_FOUR_CONSTANTS(i) vld1q_u32(tally_sha256_constants + (i))

SHA2_INLINE SHA2_TARGET SHA2(chain) SHA2(load_chain)(const uint32_t words[8])
{
    return (SHA2(chain)){vld1q_u32(words), vld1q_u32(words + 4)};
}

SHA2_INLINE SHA2_TARGET void SHA2(store_chain)(SHA2(chain) x, uint32_t words[8])
{
    vst1q_u32(words, x.first);
    vst1q_u32(words + 4, x.second);
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from)));
}

SHA2_INLINE SHA2_TARGET void SHA2(four_rounds)(SHA2(chain) * x, SHA2_VEC m)
{
    SHA2_VEC first = x->first;
    x->first = vsha256hq_u32(first, x->second, m);
    x->second = vsha256h2q_u32(x->second, first, m);
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(next_words)(SHA2_VEC w0, SHA2_VEC w4, SHA2_VEC w8,
                                                  SHA2_VEC w12)
{
    return vsha256su1q_u32(vsha256su0q_u32(w0, w4), w8, w12);
}

/* ---- core/sha2/fours_body.h ---- */
/*
 * SHA-256 by instructions that do four rounds or two, of one message or of two side by side: each
 * instruction waits for the one before, and the other message fills that time. The file that
 * includes this defines
 *
 *     SHA2(name)              the name of a static function or type
 *     SHA2_TARGET             the instruction set's attribute
 *     SHA2_VEC                a vector of four words
 *     SHA2_ADD                the sum of two vectors
 *     SHA2_FOUR_CONSTANTS(i)  the constants of rounds i..i+3
 *     SHA2(read_words)        four words of the message
 *     SHA2(chain)             the chaining value in two vectors, `first` and `second`
 *     SHA2(load_chain), SHA2(store_chain)
 *     SHA2(four_rounds)       by four words plus constants
 *     SHA2(next_words)        four words of the message schedule, from the sixteen before
 *
 * and includes sha2/undef.h at its end. */
#define SHA2_MOST_MESSAGES 2

SHA2_INLINE SHA2_TARGET void SHA2(run)(const size_t messages, const uint8_t *const data[],
                                       size_t blocks, uint32_t *state)
{
    SHA2(chain) chains[SHA2_MOST_MESSAGES];
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        for (size_t i = 0; i < 8; i++) {
            own[i] = state[i * messages + k];
        }
        chains[k] = SHA2(load_chain)(own);
    }
    for (size_t block = 0; block < blocks; block++) {
        SHA2(chain) x[SHA2_MOST_MESSAGES];
        SHA2_VEC w[SHA2_MOST_MESSAGES][4];
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            x[k] = chains[k];
            SHA2_UNROLL
            for (size_t i = 0; i < 4; i++) {
                w[k][i] = SHA2(read_words)(data[k] + 64 * block + 16 * i);
            }
        }
        SHA2_UNROLL
        for (size_t i = 0; i < 16; i++) {
            SHA2_UNROLL
            for (size_t k = 0; k < messages; k++) {
                SHA2(four_rounds)(&x[k], SHA2_ADD(w[k][i % 4], SHA2_FOUR_CONSTANTS(4 * i)));
                if (i < 12) {
                    w[k][i % 4] = SHA2(next_words)(w[k][i % 4], w[k][(i + 1) % 4],
                                                   w[k][(i + 2) % 4], w[k][(i + 3) % 4]);
                }
            }
        }
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            chains[k].first = SHA2_ADD(chains[k].first, x[k].first);
            chains[k].second = SHA2_ADD(chains[k].second, x[k].second);
        }
    }
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        SHA2(store_chain)(chains[k], own);
        for (size_t i = 0; i < 8; i++) {
            state[i * messages + k] = own[i];
        }
    }
}

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, uint32_t *state)
{
    SHA2(run)(1, data, blocks, state);
}

SHA2_TARGET static void SHA2(compress_2)(const uint8_t *const data[], size_t blocks,
                                         uint32_t *state)
{
    SHA2(run)(2, data, blocks, state);
}

const struct tally_sha256_backend tally_sha256_armv8 = {
    {"armv8", TALLY_CPU_ARM_SHA256}, 1, 130, sha256_armv8_compress};
const struct tally_sha256_backend tally_sha256_armv8_2 = {
    {"armv8-2", TALLY_CPU_ARM_SHA256}, 2, 160, sha256_armv8_compress_2};

/* ---- core/sha2/undef.h ---- */
/*
 * The end of a file that includes rounds_body.h or fours_body.h: the next one defines these
 * anew. */
#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3

#else
typedef int tally_sha256_armv8_is_for_aarch64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha256_avx2.c ---- */
/*
 * SHA-256 of eight messages side by side with AVX2, for CPUs without instructions for it. */

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha256_avx2_##name

/* ---- core/sha2/rounds_256.h ---- */
/*
 * The parts of rounds_body.h that SHA-256 alone has (FIPS 180-4, section 4.1.2). */
#define SHA2_ROUNDS       64
#define SHA2_BLOCK        64
#define SHA2_CONSTANTS    tally_sha256_constants
#define SHA2_LOAD_WORD    tally_load_be32
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 2), SHA2_ROR(x, 13), SHA2_ROR(x, 22))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 6), SHA2_ROR(x, 11), SHA2_ROR(x, 25))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 7), SHA2_ROR(x, 18), SHA2_SHR(x, 3))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 17), SHA2_ROR(x, 19), SHA2_SHR(x, 10))

#define SHA2_WORD uint32_t

#define SHA2_LANES     8
#define SHA2_WORDS(op) op##epi32
#define SHA2_SPREAD(x) _mm256_set1_epi32((int)(x))

/* ---- core/sha2/vectors_avx2.h ---- */
/*
 * The macros that the lanes of SHA-256 and SHA-512 share with AVX2 share; SHA2_WORDS(op) is the
 * intrinsic for their words. */
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif

#define SHA2_TARGET __attribute__((target("avx2")))

#define SHA2_VEC __m256i

#define SHA2_ADD(x, y) SHA2_WORDS(_mm256_add_)(x, y)
#define SHA2_XOR(x, y) _mm256_xor_si256(x, y)
#define SHA2_AND(x, y) _mm256_and_si256(x, y)
#define SHA2_OR(x, y)  _mm256_or_si256(x, y)
#define SHA2_SHR(x, n) SHA2_WORDS(_mm256_srli_)(x, n)
#define SHA2_ROR(x, n)                                                                             \
    SHA2_XOR(SHA2_WORDS(_mm256_srli_)(x, n),                                                       \
             SHA2_WORDS(_mm256_slli_)(x, (int)(8 * sizeof(SHA2_WORD)) - (n)))
#define SHA2_XOR3(x, y, z) SHA2_XOR(x, SHA2_XOR(y, z))
#define SHA2_CH(x, y, z)   SHA2_XOR(z, SHA2_AND(x, SHA2_XOR(y, z)))
#define SHA2_MAJ(x, y, z)  SHA2_OR(SHA2_AND(x, y), SHA2_AND(z, SHA2_OR(x, y)))
#define SHA2_LOAD(from)    _mm256_load_si256((const __m256i *)(const void *)(from))
#define SHA2_STORE(x, to)  _mm256_store_si256((__m256i *)(void *)(to), x)
#define SHA2_READ(from)    _mm256_loadu_si256((const __m256i *)(const void *)(from))

/* Row k of 8 x 8 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_half)(const uint8_t *const data[], size_t offset,
                                             SHA2_VEC w[8])
{
    const SHA2_VEC big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    SHA2_VEC t[8];
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k++) {
        w[k] = _mm256_shuffle_epi8(SHA2_READ(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 2) {
        t[k] = _mm256_unpacklo_epi32(w[k], w[k + 1]);
        t[k + 1] = _mm256_unpackhi_epi32(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 4) {
        w[k] = _mm256_unpacklo_epi64(t[k], t[k + 2]);
        w[k + 1] = _mm256_unpackhi_epi64(t[k], t[k + 2]);
        w[k + 2] = _mm256_unpacklo_epi64(t[k + 1], t[k + 3]);
        w[k + 3] = _mm256_unpackhi_epi64(t[k + 1], t[k + 3]);
    }
    /* Now half q of w[4r + c] is column 4q + c of rows 4r..4r+3. */
    SHA2_UNROLL
    for (size_t c = 0; c < 4; c++) {
        SHA2_VEC low = _mm256_permute2x128_si256(w[c], w[4 + c], 0x20);
        w[4 + c] = _mm256_permute2x128_si256(w[c], w[4 + c], 0x31);
        w[c] = low;
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2(load_half)(data, offset, w);
    SHA2(load_half)(data, offset + 32, w + 8);
}

/* ---- core/sha2/rounds_body.h ---- */
/*
 * The compression function (FIPS 180-4, sections 6.2.2 and 6.4.2) on lanes: word k of a vector is
 * message k's. The file that includes this has included rounds_256.h or rounds_512.h, defines
 *
 *     SHA2(name)             the name of a static function
 *     SHA2_TARGET            the instruction set's attribute
 *     SHA2_VEC, SHA2_LANES   a vector, and its words
 *     SHA2_ADD, SHA2_ROR, SHA2_SHR, SHA2_XOR3, SHA2_CH, SHA2_MAJ
 *     SHA2_SPREAD            a word to all lanes
 *     SHA2_LOAD, SHA2_STORE  of a vector of the chaining value
 *     SHA2(load_block)       words 0..15 of the block at an offset, in vectors
 *
 * and includes sha2/undef.h at its end. */
#define SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                      \
    h = SHA2_ADD(SHA2_ADD(SHA2_ADD(h, SHA2_ADD(w[i], SHA2_SPREAD(k[i]))), SHA2_CH(e, f, g)),       \
                 SHA2_SUM1(e));                                                                    \
    d = SHA2_ADD(d, h);                                                                            \
    h = SHA2_ADD(h, SHA2_ADD(SHA2_SUM0(a), SHA2_MAJ(a, b, c)));

#define SHA2_EIGHT_ROUNDS(i)                                                                       \
    SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                          \
    SHA2_ROUND(h, a, b, c, d, e, f, g, i + 1)                                                      \
    SHA2_ROUND(g, h, a, b, c, d, e, f, i + 2)                                                      \
    SHA2_ROUND(f, g, h, a, b, c, d, e, i + 3)                                                      \
    SHA2_ROUND(e, f, g, h, a, b, c, d, i + 4)                                                      \
    SHA2_ROUND(d, e, f, g, h, a, b, c, i + 5)                                                      \
    SHA2_ROUND(c, d, e, f, g, h, a, b, i + 6)                                                      \
    SHA2_ROUND(b, c, d, e, f, g, h, a, i + 7)

/* Word i of the next sixteen of the message schedule, in the place of the one 16 before it. */
#define SHA2_NEXT(i)                                                                               \
    w[i] = SHA2_ADD(SHA2_ADD(w[i], w[(i + 9) % 16]),                                               \
                    SHA2_ADD(SHA2_SCHEDULE0(w[(i + 1) % 16]), SHA2_SCHEDULE1(w[(i + 14) % 16])));
#define SHA2_EIGHT_NEXT(i)                                                                         \
    SHA2_NEXT(i)                                                                                   \
    SHA2_NEXT(i + 1)                                                                               \
    SHA2_NEXT(i + 2)                                                                               \
    SHA2_NEXT(i + 3) SHA2_NEXT(i + 4) SHA2_NEXT(i + 5) SHA2_NEXT(i + 6) SHA2_NEXT(i + 7)

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, SHA2_WORD *state)
{
    SHA2_VEC a = SHA2_LOAD(state), b = SHA2_LOAD(state + SHA2_LANES),
             c = SHA2_LOAD(state + 2 * SHA2_LANES), d = SHA2_LOAD(state + 3 * SHA2_LANES),
             e = SHA2_LOAD(state + 4 * SHA2_LANES), f = SHA2_LOAD(state + 5 * SHA2_LANES),
             g = SHA2_LOAD(state + 6 * SHA2_LANES), h = SHA2_LOAD(state + 7 * SHA2_LANES);
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[16];
        SHA2(load_block)(data, block * SHA2_BLOCK, w);
        const SHA2_WORD *k = SHA2_CONSTANTS;
        SHA2_EIGHT_ROUNDS(0)
        SHA2_EIGHT_ROUNDS(8)
        for (k += 16; k < SHA2_CONSTANTS + SHA2_ROUNDS; k += 16) {
            SHA2_EIGHT_NEXT(0)
            SHA2_EIGHT_ROUNDS(0)
            SHA2_EIGHT_NEXT(8)
            SHA2_EIGHT_ROUNDS(8)
        }
#define SHA2_CHAIN(x, i)                                                                           \
    x = SHA2_ADD(x, SHA2_LOAD(state + (i)*SHA2_LANES));                                            \
    SHA2_STORE(x, state + (i)*SHA2_LANES);
        SHA2_CHAIN(a, 0)
        SHA2_CHAIN(b, 1)
        SHA2_CHAIN(c, 2)
        SHA2_CHAIN(d, 3)
        SHA2_CHAIN(e, 4)
        SHA2_CHAIN(f, 5)
        SHA2_CHAIN(g, 6)
        SHA2_CHAIN(h, 7)
    }
}

const struct tally_sha256_backend tally_sha256_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, 8, 1220, sha256_avx2_compress};

/* ---- core/sha2/undef.h, again ---- */

#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3

#else
typedef int tally_sha256_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha256_avx512.c ---- */
/*
 * SHA-256 of sixteen messages side by side with AVX-512, which rotates words and has any function
 * of three operands in one instruction. */

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha256_avx512_##name

/* ---- core/sha2/rounds_256.h, again ---- */

#define SHA2_ROUNDS       64
#define SHA2_BLOCK        64
#define SHA2_CONSTANTS    tally_sha256_constants
#define SHA2_LOAD_WORD    tally_load_be32
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 2), SHA2_ROR(x, 13), SHA2_ROR(x, 22))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 6), SHA2_ROR(x, 11), SHA2_ROR(x, 25))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 7), SHA2_ROR(x, 18), SHA2_SHR(x, 3))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 17), SHA2_ROR(x, 19), SHA2_SHR(x, 10))

#define SHA2_WORD uint32_t

#define SHA2_LANES     16
#define SHA2_WORDS(op) op##epi32
#define SHA2_SPREAD(x) _mm512_set1_epi32((int)(x))

/* ---- core/sha2/vectors_avx512.h ---- */
/*
 * The macros that the lanes of SHA-256 and SHA-512 share with AVX-512 share; SHA2_WORDS(op) is the
 * intrinsic for their words. */
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif

#define SHA2_TARGET __attribute__((target("avx512f,avx512bw")))

#define SHA2_VEC __m512i

#define SHA2_ADD(x, y)     SHA2_WORDS(_mm512_add_)(x, y)
#define SHA2_ROR(x, n)     SHA2_WORDS(_mm512_ror_)(x, n)
#define SHA2_SHR(x, n)     SHA2_WORDS(_mm512_srli_)(x, n)
#define SHA2_XOR3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define SHA2_CH(x, y, z)   _mm512_ternarylogic_epi64(x, y, z, 0xca)
#define SHA2_MAJ(x, y, z)  _mm512_ternarylogic_epi64(x, y, z, 0xe8)
#define SHA2_LOAD(from)    _mm512_load_si512(from)
#define SHA2_STORE(x, to)  _mm512_store_si512(to, x)

/* Row k of the 16 x 16 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    const SHA2_VEC big_endian = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    SHA2_VEC t[16];
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k++) {
        w[k] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k += 2) {
        t[k] = _mm512_unpacklo_epi32(w[k], w[k + 1]);
        t[k + 1] = _mm512_unpackhi_epi32(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 16; k += 4) {
        w[k] = _mm512_unpacklo_epi64(t[k], t[k + 2]);
        w[k + 1] = _mm512_unpackhi_epi64(t[k], t[k + 2]);
        w[k + 2] = _mm512_unpacklo_epi64(t[k + 1], t[k + 3]);
        w[k + 3] = _mm512_unpackhi_epi64(t[k + 1], t[k + 3]);
    }
    /* Now quarter q of w[4r + c] is column 4q + c of rows 4r..4r+3. */
    SHA2_UNROLL
    for (size_t c = 0; c < 4; c++) {
        SHA2_VEC even0 = _mm512_shuffle_i32x4(w[c], w[4 + c], 0x88);
        SHA2_VEC odd0 = _mm512_shuffle_i32x4(w[c], w[4 + c], 0xdd);
        SHA2_VEC even1 = _mm512_shuffle_i32x4(w[8 + c], w[12 + c], 0x88);
        SHA2_VEC odd1 = _mm512_shuffle_i32x4(w[8 + c], w[12 + c], 0xdd);
        w[c] = _mm512_shuffle_i32x4(even0, even1, 0x88);
        w[4 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0x88);
        w[8 + c] = _mm512_shuffle_i32x4(even0, even1, 0xdd);
        w[12 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0xdd);
    }
}

/* ---- core/sha2/rounds_body.h, again ---- */

#define SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                      \
    h = SHA2_ADD(SHA2_ADD(SHA2_ADD(h, SHA2_ADD(w[i], SHA2_SPREAD(k[i]))), SHA2_CH(e, f, g)),       \
                 SHA2_SUM1(e));                                                                    \
    d = SHA2_ADD(d, h);                                                                            \
    h = SHA2_ADD(h, SHA2_ADD(SHA2_SUM0(a), SHA2_MAJ(a, b, c)));

#define SHA2_EIGHT_ROUNDS(i)                                                                       \
    SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                          \
    SHA2_ROUND(h, a, b, c, d, e, f, g, i + 1)                                                      \
    SHA2_ROUND(g, h, a, b, c, d, e, f, i + 2)                                                      \
    SHA2_ROUND(f, g, h, a, b, c, d, e, i + 3)                                                      \
    SHA2_ROUND(e, f, g, h, a, b, c, d, i + 4)                                                      \
    SHA2_ROUND(d, e, f, g, h, a, b, c, i + 5)                                                      \
    SHA2_ROUND(c, d, e, f, g, h, a, b, i + 6)                                                      \
    SHA2_ROUND(b, c, d, e, f, g, h, a, i + 7)

#define SHA2_NEXT(i)                                                                               \
    w[i] = SHA2_ADD(SHA2_ADD(w[i], w[(i + 9) % 16]),                                               \
                    SHA2_ADD(SHA2_SCHEDULE0(w[(i + 1) % 16]), SHA2_SCHEDULE1(w[(i + 14) % 16])));
#define SHA2_EIGHT_NEXT(i)                                                                         \
    SHA2_NEXT(i)                                                                                   \
    SHA2_NEXT(i + 1)                                                                               \
    SHA2_NEXT(i + 2)                                                                               \
    SHA2_NEXT(i + 3) SHA2_NEXT(i + 4) SHA2_NEXT(i + 5) SHA2_NEXT(i + 6) SHA2_NEXT(i + 7)

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, SHA2_WORD *state)
{
    SHA2_VEC a = SHA2_LOAD(state), b = SHA2_LOAD(state + SHA2_LANES),
             c = SHA2_LOAD(state + 2 * SHA2_LANES), d = SHA2_LOAD(state + 3 * SHA2_LANES),
             e = SHA2_LOAD(state + 4 * SHA2_LANES), f = SHA2_LOAD(state + 5 * SHA2_LANES),
             g = SHA2_LOAD(state + 6 * SHA2_LANES), h = SHA2_LOAD(state + 7 * SHA2_LANES);
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[16];
        SHA2(load_block)(data, block * SHA2_BLOCK, w);
        const SHA2_WORD *k = SHA2_CONSTANTS;
        SHA2_EIGHT_ROUNDS(0)
        SHA2_EIGHT_ROUNDS(8)
        for (k += 16; k < SHA2_CONSTANTS + SHA2_ROUNDS; k += 16) {
            SHA2_EIGHT_NEXT(0)
            SHA2_EIGHT_ROUNDS(0)
            SHA2_EIGHT_NEXT(8)
            SHA2_EIGHT_ROUNDS(8)
        }
#define SHA2_CHAIN(x, i)                                                                           \
    x = SHA2_ADD(x, SHA2_LOAD(state + (i)*SHA2_LANES));                                            \
    SHA2_STORE(x, state + (i)*SHA2_LANES);
        SHA2_CHAIN(a, 0)
        SHA2_CHAIN(b, 1)
        SHA2_CHAIN(c, 2)
        SHA2_CHAIN(d, 3)
        SHA2_CHAIN(e, 4)
        SHA2_CHAIN(f, 5)
        SHA2_CHAIN(g, 6)
        SHA2_CHAIN(h, 7)
    }
}

const struct tally_sha256_backend tally_sha256_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, 16, 950, sha256_avx512_compress};

/* ---- core/sha2/undef.h, again ---- */

#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3

#else
typedef int tally_sha256_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha256_portable.c ---- */
/*
 * SHA-256 in portable C, which runs everywhere. */
#define SHA2(name) sha256_portable_##name

/* ---- core/sha2/rounds_256.h, again ---- */

#define SHA2_ROUNDS       64
#define SHA2_BLOCK        64
#define SHA2_CONSTANTS    tally_sha256_constants
#define SHA2_LOAD_WORD    tally_load_be32
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 2), SHA2_ROR(x, 13), SHA2_ROR(x, 22))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 6), SHA2_ROR(x, 11), SHA2_ROR(x, 25))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 7), SHA2_ROR(x, 18), SHA2_SHR(x, 3))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 17), SHA2_ROR(x, 19), SHA2_SHR(x, 10))

#define SHA2_WORD uint32_t

/* ---- core/sha2/scalar.h ---- */
/*
 * A lane of rounds_body.h in C: a vector is a word. */

#define SHA2_VEC SHA2_WORD

#define SHA2_LANES         1
#define SHA2_ADD(x, y)     ((x) + (y))
#define SHA2_ROR(x, n)     ((x) >> (n) | (x) << (8 * sizeof(SHA2_WORD) - (n)))
#define SHA2_SHR(x, n)     ((x) >> (n))
#define SHA2_XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define SHA2_CH(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define SHA2_MAJ(x, y, z)  (((x) & (y)) | ((z) & ((x) | (y))))
#define SHA2_SPREAD(x)     (x)
#define SHA2_LOAD(from)    (*(from))
#define SHA2_STORE(x, to)  (*(to) = (x))

static inline void SHA2(load_block)(const uint8_t *const data[], size_t offset, SHA2_VEC w[16])
{
    for (size_t i = 0; i < 16; i++) {
        w[i] = SHA2_LOAD_WORD(data[0] + offset + i * sizeof(SHA2_WORD));
    }
}

#define SHA2_TARGET

/* ---- core/sha2/rounds_body.h, again ---- */

#define SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                      \
    h = SHA2_ADD(SHA2_ADD(SHA2_ADD(h, SHA2_ADD(w[i], SHA2_SPREAD(k[i]))), SHA2_CH(e, f, g)),       \
                 SHA2_SUM1(e));                                                                    \
    d = SHA2_ADD(d, h);                                                                            \
    h = SHA2_ADD(h, SHA2_ADD(SHA2_SUM0(a), SHA2_MAJ(a, b, c)));

#define SHA2_EIGHT_ROUNDS(i)                                                                       \
    SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                          \
    SHA2_ROUND(h, a, b, c, d, e, f, g, i + 1)                                                      \
    SHA2_ROUND(g, h, a, b, c, d, e, f, i + 2)                                                      \
    SHA2_ROUND(f, g, h, a, b, c, d, e, i + 3)                                                      \
    SHA2_ROUND(e, f, g, h, a, b, c, d, i + 4)                                                      \
    SHA2_ROUND(d, e, f, g, h, a, b, c, i + 5)                                                      \
    SHA2_ROUND(c, d, e, f, g, h, a, b, i + 6)                                                      \
    SHA2_ROUND(b, c, d, e, f, g, h, a, i + 7)

#define SHA2_NEXT(i)                                                                               \
    w[i] = SHA2_ADD(SHA2_ADD(w[i], w[(i + 9) % 16]),                                               \
                    SHA2_ADD(SHA2_SCHEDULE0(w[(i + 1) % 16]), SHA2_SCHEDULE1(w[(i + 14) % 16])));
#define SHA2_EIGHT_NEXT(i)                                                                         \
    SHA2_NEXT(i)                                                                                   \
    SHA2_NEXT(i + 1)                                                                               \
    SHA2_NEXT(i + 2)                                                                               \
    SHA2_NEXT(i + 3) SHA2_NEXT(i + 4) SHA2_NEXT(i + 5) SHA2_NEXT(i + 6) SHA2_NEXT(i + 7)

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, SHA2_WORD *state)
{
    SHA2_VEC a = SHA2_LOAD(state), b = SHA2_LOAD(state + SHA2_LANES),
             c = SHA2_LOAD(state + 2 * SHA2_LANES), d = SHA2_LOAD(state + 3 * SHA2_LANES),
             e = SHA2_LOAD(state + 4 * SHA2_LANES), f = SHA2_LOAD(state + 5 * SHA2_LANES),
             g = SHA2_LOAD(state + 6 * SHA2_LANES), h = SHA2_LOAD(state + 7 * SHA2_LANES);
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[16];
        SHA2(load_block)(data, block * SHA2_BLOCK, w);
        const SHA2_WORD *k = SHA2_CONSTANTS;
        SHA2_EIGHT_ROUNDS(0)
        SHA2_EIGHT_ROUNDS(8)
        for (k += 16; k < SHA2_CONSTANTS + SHA2_ROUNDS; k += 16) {
            SHA2_EIGHT_NEXT(0)
            SHA2_EIGHT_ROUNDS(0)
            SHA2_EIGHT_NEXT(8)
            SHA2_EIGHT_ROUNDS(8)
        }
#define SHA2_CHAIN(x, i)                                                                           \
    x = SHA2_ADD(x, SHA2_LOAD(state + (i)*SHA2_LANES));                                            \
    SHA2_STORE(x, state + (i)*SHA2_LANES);
        SHA2_CHAIN(a, 0)
        SHA2_CHAIN(b, 1)
        SHA2_CHAIN(c, 2)
        SHA2_CHAIN(d, 3)
        SHA2_CHAIN(e, 4)
        SHA2_CHAIN(f, 5)
        SHA2_CHAIN(g, 6)
        SHA2_CHAIN(h, 7)
    }
}

const struct tally_sha256_backend tally_sha256_portable = {
    {"portable", 0}, 1, 660, sha256_portable_compress};

/* ---- core/sha2/undef.h, again ---- */

#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3

/* ---- core/sha2/sha256_shani.c ---- */
/*
 * SHA-256 by the SHA extensions of x86-64 (Intel, "Intel SHA Extensions", 2013). Their chaining
 * value is two registers, the words a, b, e, f and c, d, g, h from the highest down. */

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

#define SHA2(name) sha256_shani_##name

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif

#define SHA2_TARGET __attribute__((target("sha,ssse3")))

#define SHA2_VEC __m128i
typedef struct SHA2(chain) {
    SHA2_VEC first, second; /* abef and cdgh */
} SHA2(chain);

#define SHA2_ADD(x, y) _mm_add_epi32(x, y)
#define SHA2_FOUR_CONSTANTS(i)                                                                     \
    _mm_load_si128((const __m128i *)(const void *)(tally_sha256_constants + (i)))

/* Two words of x below two of y, which `which` picks as _MM_SHUFFLE does. */
#define SHA2_PICK(x, y, which)                                                                     \
    _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(x), _mm_castsi128_ps(y), which))
#define SHA2_UPPER _MM_SHUFFLE(2, 3, 2, 3)
#define SHA2_LOWER _MM_SHUFFLE(0, 1, 0, 1)

SHA2_INLINE SHA2_TARGET SHA2(chain) SHA2(load_chain)(const uint32_t words[8])
{
    SHA2_VEC low = _mm_loadu_si128((const __m128i *)(const void *)words);
    SHA2_VEC high = _mm_loadu_si128((const __m128i *)(const void *)(words + 4));
    return (SHA2(chain)){SHA2_PICK(high, low, SHA2_LOWER), SHA2_PICK(high, low, SHA2_UPPER)};
}

SHA2_INLINE SHA2_TARGET void SHA2(store_chain)(SHA2(chain) x, uint32_t words[8])
{
    _mm_storeu_si128((__m128i *)(void *)words, SHA2_PICK(x.first, x.second, SHA2_UPPER));
    _mm_storeu_si128((__m128i *)(void *)(words + 4), SHA2_PICK(x.first, x.second, SHA2_LOWER));
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    const SHA2_VEC big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)from), big_endian);
}

SHA2_INLINE SHA2_TARGET void SHA2(four_rounds)(SHA2(chain) * x, SHA2_VEC m)
{
    x->second = _mm_sha256rnds2_epu32(x->second, x->first, m);
    x->first = _mm_sha256rnds2_epu32(x->first, x->second, _mm_shuffle_epi32(m, 0x0e));
}

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(next_words)(SHA2_VEC w0, SHA2_VEC w4, SHA2_VEC w8,
                                                  SHA2_VEC w12)
{
    SHA2_VEC sum = SHA2_ADD(_mm_sha256msg1_epu32(w0, w4), _mm_alignr_epi8(w12, w8, 4));
    return _mm_sha256msg2_epu32(sum, w12);
}

/* ---- core/sha2/fours_body.h, again ---- */

#define SHA2_MOST_MESSAGES 2

SHA2_INLINE SHA2_TARGET void SHA2(run)(const size_t messages, const uint8_t *const data[],
                                       size_t blocks, uint32_t *state)
{
    SHA2(chain) chains[SHA2_MOST_MESSAGES];
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        for (size_t i = 0; i < 8; i++) {
            own[i] = state[i * messages + k];
        }
        chains[k] = SHA2(load_chain)(own);
    }
    for (size_t block = 0; block < blocks; block++) {
        SHA2(chain) x[SHA2_MOST_MESSAGES];
        SHA2_VEC w[SHA2_MOST_MESSAGES][4];
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            x[k] = chains[k];
            SHA2_UNROLL
            for (size_t i = 0; i < 4; i++) {
                w[k][i] = SHA2(read_words)(data[k] + 64 * block + 16 * i);
            }
        }
        SHA2_UNROLL
        for (size_t i = 0; i < 16; i++) {
            SHA2_UNROLL
            for (size_t k = 0; k < messages; k++) {
                SHA2(four_rounds)(&x[k], SHA2_ADD(w[k][i % 4], SHA2_FOUR_CONSTANTS(4 * i)));
                if (i < 12) {
                    w[k][i % 4] = SHA2(next_words)(w[k][i % 4], w[k][(i + 1) % 4],
                                                   w[k][(i + 2) % 4], w[k][(i + 3) % 4]);
                }
            }
        }
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            chains[k].first = SHA2_ADD(chains[k].first, x[k].first);
            chains[k].second = SHA2_ADD(chains[k].second, x[k].second);
        }
    }
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        SHA2(store_chain)(chains[k], own);
        for (size_t i = 0; i < 8; i++) {
            state[i * messages + k] = own[i];
        }
    }
}

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, uint32_t *state)
{
    SHA2(run)(1, data, blocks, state);
}

SHA2_TARGET static void SHA2(compress_2)(const uint8_t *const data[], size_t blocks,
                                         uint32_t *state)
{
    SHA2(run)(2, data, blocks, state);
}

const struct tally_sha256_backend tally_sha256_shani = {
    {"sha-ni", TALLY_CPU_SHANI | TALLY_CPU_SSSE3}, 1, 132, sha256_shani_compress};
const struct tally_sha256_backend tally_sha256_shani_2 = {
    {"sha-ni-2", TALLY_CPU_SHANI | TALLY_CPU_SSSE3}, 2, 190, sha256_shani_compress_2};

/* ---- core/sha2/undef.h, again ---- */

#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3

#else
typedef int tally_sha256_shani_is_for_x86_64; /* a file may not be empty */
#endif

TALLY_VISIBILITY_POP
