//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/sha2 as one file. Made by
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

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
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

/* ---- core/sha2/sha512.c ---- */
/*
 * SHA-512: a back end is chosen for each message or group of messages. */

_Static_assert(sizeof(void *) != 8 || sizeof(tally_sha512) == 256,
               "the size of a context is part of the ABI");

static const tally_backend *const sha512_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_sha512_avx512.backend,
    &tally_sha512_avx2.backend,
    &tally_sha512_bmi2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_sha512_armv8.backend,
#endif
    &tally_sha512_portable.backend,
};

/* The first bits of the fractional parts of the square roots of the first eight primes
 * (section 5.3.5). */
static const uint64_t sha512_initial[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

#define HASH(name)    sha512_##name
#define HASH_BACKEND  struct tally_sha512_backend
#define HASH_BACKENDS (sizeof sha512_backends / sizeof *sha512_backends)
#define HASH_BLOCK    TALLY_SHA512_BLOCK
#define HASH_CONTEXT  tally_sha512
#define HASH_DIGEST   TALLY_SHA512_SIZE
#define HASH_STORE    tally_store_be64
#define HASH_WORD     uint64_t

/* ---- core/sha2/hash_body.h, again ---- */

#define HASH_SIZE_BYTES (2 * sizeof(HASH_WORD))

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

void tally_sha512_init(tally_sha512 *context)
{
    sha512_begin(context);
}

/* The same for the ninth to the sixteenth prime (section 5.3.4). */
void tally_sha384_init(tally_sha512 *context)
{
    static const uint64_t initial_384[8] = {
        0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
        0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
    sha512_begin(context);
    memcpy(context->state, initial_384, sizeof initial_384);
}

void tally_sha512_update(tally_sha512 *context, const uint8_t *data, size_t size)
{
    sha512_update(context, data, size);
}

void tally_sha512_final(tally_sha512 *context, uint8_t out[TALLY_SHA512_SIZE])
{
    sha512_final(context, out);
}

void tally_sha512_wipe(tally_sha512 *context)
{
    tally_wipe(context, sizeof *context);
}

void tally_sha512_digest(const uint8_t *data, size_t size, uint8_t out[TALLY_SHA512_SIZE])
{
    sha512_hash_side_by_side(sha512_choose(1), &data, size, 1, (uint8_t(*)[TALLY_SHA512_SIZE])out);
}

void tally_sha512_many(const uint8_t *const messages[], size_t size, size_t count,
                       uint8_t out[][TALLY_SHA512_SIZE])
{
    sha512_many(messages, size, count, out);
}

const char *tally_sha512_backend_name(size_t count)
{
    return sha512_choose(count)->backend.name;
}

/* ---- core/sha2/sha512_armv8.c ---- */
/*
 * SHA-512 by the cryptographic extension of AArch64 (Arm ARM, FEAT_SHA512), which does two rounds
 * in two instructions. */

#if defined(TALLY_ARCH_AARCH64)
TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

#define SHA2(name) sha512_armv8_##name

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

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

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif

#if defined(__clang__)
#define SHA2_TARGET __attribute__((target("sha3")))
#else
#define SHA2_TARGET __attribute__((target("arch=armv8.2-a+sha3")))
#endif

#define SHA2_VEC uint64x2_t

SHA2_INLINE SHA2_TARGET SHA2_VEC SHA2(read_words)(const uint8_t *from)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(from)));
}

/* Two rounds. They change two pairs of the chaining value, and all pairs move by one place: pair i
 * is x[(i + rotation) % 4], so that no vector is copied. */
#define SHA2_PAIR(i) x[((i) + rotation) % 4]
SHA2_INLINE SHA2_TARGET void SHA2(two_rounds)(SHA2_VEC x[4], const size_t rotation, SHA2_VEC m)
{
    SHA2_VEC sum = vaddq_u64(vextq_u64(m, m, 1), SHA2_PAIR(3));
    sum = vsha512hq_u64(sum, vextq_u64(SHA2_PAIR(2), SHA2_PAIR(3), 1),
                        vextq_u64(SHA2_PAIR(1), SHA2_PAIR(2), 1));
    SHA2_PAIR(3) = vsha512h2q_u64(sum, SHA2_PAIR(1), SHA2_PAIR(0));
    SHA2_PAIR(1) = vaddq_u64(SHA2_PAIR(1), sum);
}
#undef SHA2_PAIR

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, uint64_t *state)
{
    SHA2_VEC chain[4];
    for (size_t i = 0; i < 4; i++) {
        chain[i] = vld1q_u64(state + 2 * i);
    }
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[8], x[4] = {chain[0], chain[1], chain[2], chain[3]};
        for (size_t i = 0; i < 8; i++) {
            w[i] = SHA2(read_words)(data[0] + 128 * block + 16 * i);
        }
        SHA2_UNROLL
        for (size_t i = 0; i < 40; i++) {
            SHA2(two_rounds)
            (x, (40 - i) % 4, vaddq_u64(w[i % 8], vld1q_u64(tally_sha512_constants + 2 * i)));
            if (i < 32) {
                SHA2_VEC middle = vextq_u64(w[(i + 4) % 8], w[(i + 5) % 8], 1);
                w[i % 8] = vsha512su1q_u64(vsha512su0q_u64(w[i % 8], w[(i + 1) % 8]),
                                           w[(i + 7) % 8], middle);
            }
        }
        for (size_t i = 0; i < 4; i++) {
            chain[i] = vaddq_u64(chain[i], x[i]);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        vst1q_u64(state + 2 * i, chain[i]);
    }
}

const struct tally_sha512_backend tally_sha512_armv8 = {
    {"armv8", TALLY_CPU_ARM_SHA512}, 1, 240, sha512_armv8_compress};

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
typedef int tally_sha512_armv8_is_for_aarch64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha512_avx2.c ---- */
/*
 * SHA-512 of four messages side by side with AVX2. */

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_avx2_##name

/* ---- core/sha2/rounds_512.h ---- */
/*
 * The parts of rounds_body.h that SHA-512 alone has (FIPS 180-4, section 4.1.3). */
#define SHA2_ROUNDS       80
#define SHA2_BLOCK        128
#define SHA2_CONSTANTS    tally_sha512_constants
#define SHA2_LOAD_WORD    tally_load_be64
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 28), SHA2_ROR(x, 34), SHA2_ROR(x, 39))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 14), SHA2_ROR(x, 18), SHA2_ROR(x, 41))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 1), SHA2_ROR(x, 8), SHA2_SHR(x, 7))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 19), SHA2_ROR(x, 61), SHA2_SHR(x, 6))

#define SHA2_WORD uint64_t

#define SHA2_LANES     4
#define SHA2_WORDS(op) op##epi64
#define SHA2_SPREAD(x) _mm256_set1_epi64x((long long)(x))

/* ---- core/sha2/vectors_avx2.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

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

/* Row k of 4 x 4 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_quarter)(const uint8_t *const data[], size_t offset,
                                                SHA2_VEC w[4])
{
    const SHA2_VEC big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
    SHA2_VEC t[4];
    SHA2_UNROLL
    for (size_t k = 0; k < 4; k++) {
        w[k] = _mm256_shuffle_epi8(SHA2_READ(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 4; k += 2) {
        t[k] = _mm256_unpacklo_epi64(w[k], w[k + 1]);
        t[k + 1] = _mm256_unpackhi_epi64(w[k], w[k + 1]);
    }
    SHA2_UNROLL
    for (size_t c = 0; c < 2; c++) {
        w[c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x20);
        w[2 + c] = _mm256_permute2x128_si256(t[c], t[2 + c], 0x31);
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2_UNROLL
    for (size_t i = 0; i < 4; i++) {
        SHA2(load_quarter)(data, offset + 32 * i, w + 4 * i);
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

const struct tally_sha512_backend tally_sha512_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, 4, 1530, sha512_avx2_compress};

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
typedef int tally_sha512_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha512_avx512.c ---- */
/*
 * SHA-512 of eight messages side by side with AVX-512, which rotates words and has any function of
 * three operands in one instruction. */

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_avx512_##name

/* ---- core/sha2/rounds_512.h, again ---- */

#define SHA2_ROUNDS       80
#define SHA2_BLOCK        128
#define SHA2_CONSTANTS    tally_sha512_constants
#define SHA2_LOAD_WORD    tally_load_be64
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 28), SHA2_ROR(x, 34), SHA2_ROR(x, 39))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 14), SHA2_ROR(x, 18), SHA2_ROR(x, 41))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 1), SHA2_ROR(x, 8), SHA2_SHR(x, 7))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 19), SHA2_ROR(x, 61), SHA2_SHR(x, 6))

#define SHA2_WORD uint64_t

#define SHA2_LANES     8
#define SHA2_WORDS(op) op##epi64
#define SHA2_SPREAD(x) _mm512_set1_epi64((long long)(x))

/* ---- core/sha2/vectors_avx512.h, again ---- */

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP

/* ---- core/sha2/unroll.h, again ---- */

#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

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

/* Row k of 8 x 8 words is message k's; vector i gets column i. */
SHA2_INLINE SHA2_TARGET void SHA2(load_half)(const uint8_t *const data[], size_t offset,
                                             SHA2_VEC w[8])
{
    const SHA2_VEC big_endian = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    SHA2_VEC t[8];
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k++) {
        w[k] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[k] + offset), big_endian);
    }
    SHA2_UNROLL
    for (size_t k = 0; k < 8; k += 2) {
        t[k] = _mm512_unpacklo_epi64(w[k], w[k + 1]);
        t[k + 1] = _mm512_unpackhi_epi64(w[k], w[k + 1]);
    }
    /* Now quarter q of t[2r + c] is column 2q + c of rows 2r and 2r+1. */
    SHA2_UNROLL
    for (size_t c = 0; c < 2; c++) {
        SHA2_VEC even0 = _mm512_shuffle_i64x2(t[c], t[2 + c], 0x88);
        SHA2_VEC odd0 = _mm512_shuffle_i64x2(t[c], t[2 + c], 0xdd);
        SHA2_VEC even1 = _mm512_shuffle_i64x2(t[4 + c], t[6 + c], 0x88);
        SHA2_VEC odd1 = _mm512_shuffle_i64x2(t[4 + c], t[6 + c], 0xdd);
        w[c] = _mm512_shuffle_i64x2(even0, even1, 0x88);
        w[2 + c] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
        w[4 + c] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
        w[6 + c] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
    }
}

SHA2_INLINE SHA2_TARGET void SHA2(load_block)(const uint8_t *const data[], size_t offset,
                                              SHA2_VEC w[16])
{
    SHA2(load_half)(data, offset, w);
    SHA2(load_half)(data, offset + 64, w + 8);
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

const struct tally_sha512_backend tally_sha512_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, 8, 1150, sha512_avx512_compress};

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
typedef int tally_sha512_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha512_bmi2.c ---- */
/*
 * SHA-512 in plain registers, with rotations by BMI2, whose result may go to another register. */

#if defined(TALLY_ARCH_X86_64)
#define SHA2(name) sha512_bmi2_##name

/* ---- core/sha2/rounds_512.h, again ---- */

#define SHA2_ROUNDS       80
#define SHA2_BLOCK        128
#define SHA2_CONSTANTS    tally_sha512_constants
#define SHA2_LOAD_WORD    tally_load_be64
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 28), SHA2_ROR(x, 34), SHA2_ROR(x, 39))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 14), SHA2_ROR(x, 18), SHA2_ROR(x, 41))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 1), SHA2_ROR(x, 8), SHA2_SHR(x, 7))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 19), SHA2_ROR(x, 61), SHA2_SHR(x, 6))

#define SHA2_WORD uint64_t

/* ---- core/sha2/scalar.h, again ---- */

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

#define SHA2_TARGET __attribute__((target("bmi2")))

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

const struct tally_sha512_backend tally_sha512_bmi2 = {
    {"bmi2", TALLY_CPU_BMI2}, 1, 750, sha512_bmi2_compress};

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
typedef int tally_sha512_bmi2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/sha2/sha512_portable.c ---- */
/*
 * SHA-512 in portable C, which runs everywhere. */
#define SHA2(name) sha512_portable_##name

/* ---- core/sha2/rounds_512.h, again ---- */

#define SHA2_ROUNDS       80
#define SHA2_BLOCK        128
#define SHA2_CONSTANTS    tally_sha512_constants
#define SHA2_LOAD_WORD    tally_load_be64
#define SHA2_SUM0(x)      SHA2_XOR3(SHA2_ROR(x, 28), SHA2_ROR(x, 34), SHA2_ROR(x, 39))
#define SHA2_SUM1(x)      SHA2_XOR3(SHA2_ROR(x, 14), SHA2_ROR(x, 18), SHA2_ROR(x, 41))
#define SHA2_SCHEDULE0(x) SHA2_XOR3(SHA2_ROR(x, 1), SHA2_ROR(x, 8), SHA2_SHR(x, 7))
#define SHA2_SCHEDULE1(x) SHA2_XOR3(SHA2_ROR(x, 19), SHA2_ROR(x, 61), SHA2_SHR(x, 6))

#define SHA2_WORD uint64_t

/* ---- core/sha2/scalar.h, again ---- */

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

const struct tally_sha512_backend tally_sha512_portable = {
    {"portable", 0}, 1, 880, sha512_portable_compress};

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


TALLY_VISIBILITY_POP
