//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/sharing as one file. Made by
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
/* ---- core/sharing/dispersal.c ---- */
/*
 * Dispersal: its keys, and the encoder. dispersal_decode.c has the decoder. */

/* ---- core/sharing/dispersal.h ---- */
/*
 * The records of a dispersed file, for both directions. A record is
 *
 *     size of the stripe's data, its top bit set in the last (4) | part | tag (16)
 */
#ifndef TALLY_SHARING_DISPERSAL_H
#define TALLY_SHARING_DISPERSAL_H

/* ---- core/sharing/shares.h ---- */
/*
 * Authentic shares for use inside the core. */
#ifndef TALLY_SHARING_SHARES_H
#define TALLY_SHARING_SHARES_H

/* ---- core/sharing/share_format.h ---- */
/*
 * The bytes of an authentic share, as docs/reference/share-format.md has them:
 *
 *     header | label | name of the set (16) | path (16 for each level of the tree) | values
 *
 * where values are those of the polynomials of 16 bytes of randomness, then of the secret. */
#ifndef TALLY_SHARING_SHARE_FORMAT_H
#define TALLY_SHARING_SHARE_FORMAT_H

enum {
    TALLY_SHARE_HEADER = 14,
    TALLY_SHARE_HASH = 16,   /* bytes of a truncated SHA-256 */
    TALLY_SHARE_SALT = 16,   /* bytes of randomness that are shared before the secret */
    TALLY_SHARE_LEAVES = 256 /* leaves of the tree, 2^8 */
};

/* A hash tree over the shares of a set. Node 1 is the root, and nodes 2 i and 2 i + 1 are the
 * children of node i. The last 2^depth nodes are the leaves; leaves without a share are zeros. */
typedef struct tally_share_tree {
    size_t depth;
    uint8_t nodes[2 * TALLY_SHARE_LEAVES][TALLY_SHARE_HASH];
} tally_share_tree;

/* Reads a share, without comparing it with its set's name. 0: it is malformed. */
int tally_share_parse(const uint8_t *share, size_t size, tally_share *out);

/* Whether two shares have the same set, parameters and label. */
int tally_share_same_set(const tally_share *a, const tally_share *b);

int tally_shares_params_valid(const tally_shares_params *params);

/* The offsets of the path and of the values in a share. */
size_t tally_share_path_offset(const tally_shares_params *params);
size_t tally_share_values_offset(const tally_shares_params *params);

/* Writes a header. Index 0 gives the header that is hashed. */
void tally_share_write_header(const tally_shares_params *params, uint32_t index,
                              uint8_t out[TALLY_SHARE_HEADER]);

/* The key of the coefficients: a hash of parameters, label, salt and secret. */
void tally_shares_coins(const tally_shares_params *params, const uint8_t salt[TALLY_SHARE_SALT],
                        const uint8_t *secret, uint8_t key[32]);

/* Compute the leaf of share `index`: init, tally_sha256_update with all its values, final. */
void tally_share_leaf_init(uint32_t index, tally_sha256 *hash);
void tally_share_leaf_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH]);

/* Begins a tree. The caller then writes each leaf to its place, tally_share_tree_leaf. */
void tally_share_tree_init(tally_share_tree *tree, uint32_t count);
uint8_t *tally_share_tree_leaf(tally_share_tree *tree, uint32_t index);

/* Computes the nodes above the leaves, and the set's name. */
void tally_share_tree_final(tally_share_tree *tree, const tally_shares_params *params,
                            uint8_t set[TALLY_SHARES_SET]);

/* The path of a leaf: the siblings of the nodes from the leaf to the root, in this order. */
void tally_share_tree_path(const tally_share_tree *tree, uint32_t index, uint8_t *out);

/* The set's name that follows from a leaf and its path. */
void tally_share_set_from_path(const tally_shares_params *params, uint32_t index,
                               const uint8_t leaf[TALLY_SHARE_HASH], const uint8_t *path,
                               uint8_t set[TALLY_SHARES_SET]);

#endif

/* tally_shares_split with the caller's salt: a random one (dispersal), or a fixed one (test
 * vectors). The parameters must be valid. */
void tally_shares_split_salted(const tally_shares_params *params, const uint8_t *secret,
                               const uint8_t salt[TALLY_SHARE_SALT], uint8_t *const shares[]);

#endif

enum {
    TALLY_RECORD_HEADER = 4,
    TALLY_RECORD_TAG = 16,
    TALLY_RECORD_BATCH = 64 /* tags that are computed side by side, at most */
};

#define TALLY_RECORD_LAST (UINT32_C(1) << 31)

struct tally_dispersal {
    uint32_t threshold, count;
    tally_aes_key cipher;
    tally_cmac_key mac;
    uint8_t from[256],
        to[256];      /* the shares that the matrix computes from, and those it computes */
    size_t outputs;   /* rows of the matrix in use, of `threshold` bytes each */
    uint8_t matrix[]; /* count - threshold rows */
};

/* tally_dispersal_init with the caller's entropy, for test vectors. */
TALLY_MUST_CHECK tally_status tally_dispersal_init_with_entropy(
    const tally_shares_params *params, const uint8_t entropy[32],
    const uint8_t salt[TALLY_SHARE_SALT], const uint8_t *hedge, size_t hedge_size, void *memory,
    size_t memory_size, tally_dispersal **out, uint8_t *const key_shares[]);

/* The size of a part of a stripe with `size` bytes of data: a multiple of 16. */
static inline size_t tally_record_part(const tally_dispersal *dispersal, size_t size)
{
    const size_t blocks = (size_t)dispersal->threshold * 16;
    return (size + blocks - 1) / blocks * 16;
}

/* Computes the matrix that leads from the parts of `threshold` shares to those of `outputs` others,
 * unless it is the current one. */
void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs);

/* The first block that a tag authenticates: the stripe, the record's header, the share. */
void tally_record_first_block(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER],
                              uint8_t index, uint8_t out[16]);

/* Encrypts or decrypts a part, which begins at byte `at` of its stripe, a multiple of 16. */
void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out);

#endif

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

/* ---- core/aes/key.h ---- */
/*
 * Keys of a constant size, for use inside the core: these functions cannot fail. */
#ifndef TALLY_AES_KEY_H
#define TALLY_AES_KEY_H

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out);
void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out);
void tally_cmac_key_init_256(const uint8_t key[32], tally_cmac_key *out);

#endif

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

static const uint8_t dispersal_key_tag[16] = "tallystick file";
static const uint8_t dispersal_keys_info[16] = "tallystick keys";

void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs)
{
    if (dispersal->outputs == outputs && memcmp(dispersal->to, to, outputs) == 0 &&
        memcmp(dispersal->from, from, dispersal->threshold) == 0) {
        return;
    }
    memcpy(dispersal->from, from, dispersal->threshold);
    memcpy(dispersal->to, to, outputs);
    dispersal->outputs = outputs;
    (void)!tally_reed_solomon_matrix(from, dispersal->threshold, to, outputs, dispersal->matrix);
}

/* The matrix of an encoder: from the first `threshold` parts, which are the data, to all others. A
 * decoder may have left another one. */
static void dispersal_encoder_matrix(tally_dispersal *dispersal)
{
    const size_t threshold = dispersal->threshold;
    uint8_t shares[256];
    for (size_t i = 0; i < dispersal->count; i++) {
        shares[i] = (uint8_t)(i + 1);
    }
    if (dispersal->count > threshold) {
        tally_record_matrix(dispersal, shares, shares + threshold, dispersal->count - threshold);
    }
}

static int dispersal_params_valid(const tally_shares_params *params)
{
    return tally_shares_params_valid(params) && params->kind == TALLY_SHARES_FILE &&
           params->secret_size == TALLY_DISPERSAL_KEY;
}

size_t tally_dispersal_size(const tally_shares_params *params)
{
    if (!dispersal_params_valid(params)) {
        return 0;
    }
    return sizeof(tally_dispersal) + _Alignof(tally_dispersal) - 1 +
           (size_t)params->threshold * (params->count - params->threshold);
}

/* Checks the arguments of an initialization. Returns the dispersal's place in `memory`, or NULL. */
static tally_dispersal *dispersal_place(const tally_shares_params *params, void *memory,
                                        size_t memory_size)
{
    if (!dispersal_params_valid(params) || memory == NULL ||
        memory_size < tally_dispersal_size(params)) {
        return NULL;
    }
    const size_t past = (uintptr_t)memory % _Alignof(tally_dispersal);
    return (void *)((uint8_t *)memory + (past == 0 ? 0 : _Alignof(tally_dispersal) - past));
}

/* Derives the keys of a file, and prepares for encoding. */
static void dispersal_set_up(const tally_shares_params *params, const uint8_t set[TALLY_SHARES_SET],
                             const uint8_t key[TALLY_DISPERSAL_KEY], tally_dispersal *out)
{
    uint8_t keys[64];
    const tally_status status =
        tally_hkdf_sha256(set, TALLY_SHARES_SET, key, TALLY_DISPERSAL_KEY, dispersal_keys_info,
                          sizeof dispersal_keys_info, keys, sizeof keys);
    (void)status; /* it fails for more bytes only */
    memset(out, 0, sizeof *out);
    out->threshold = params->threshold;
    out->count = params->count;
    tally_aes_key_init_256(keys, &out->cipher);
    tally_cmac_key_init_256(keys + 32, &out->mac);
    tally_wipe(keys, sizeof keys);
    dispersal_encoder_matrix(out);
}

tally_status tally_dispersal_init_with_entropy(const tally_shares_params *params,
                                               const uint8_t entropy[32],
                                               const uint8_t salt[TALLY_SHARE_SALT],
                                               const uint8_t *hedge, size_t hedge_size,
                                               void *memory, size_t memory_size,
                                               tally_dispersal **out, uint8_t *const key_shares[])
{
    uint8_t key[TALLY_DISPERSAL_KEY];
    tally_sha256 hash;
    tally_dispersal *dispersal = dispersal_place(params, memory, memory_size);
    if (dispersal == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, dispersal_key_tag, sizeof dispersal_key_tag);
    tally_sha256_update(&hash, entropy, 32);
    tally_sha256_update(&hash, hedge, hedge_size);
    tally_sha256_final(&hash, key);
    tally_shares_split_salted(params, key, salt, key_shares);
    dispersal_set_up(params, key_shares[0] + tally_share_path_offset(params) - TALLY_SHARES_SET,
                     key, dispersal);
    tally_wipe(key, sizeof key);
    *out = dispersal;
    return TALLY_OK;
}

tally_status tally_dispersal_init(const tally_shares_params *params, const uint8_t *hedge,
                                  size_t hedge_size, void *memory, size_t memory_size,
                                  tally_dispersal **out, uint8_t *const key_shares[])
{
    uint8_t random[32 + TALLY_SHARE_SALT];
    tally_status status = tally_entropy(random, sizeof random);
    if (status == TALLY_OK) {
        status = tally_dispersal_init_with_entropy(params, random, random + 32, hedge, hedge_size,
                                                   memory, memory_size, out, key_shares);
        tally_wipe(random, sizeof random);
    }
    return status;
}

tally_status tally_dispersal_init_with_key(const tally_share *share,
                                           const uint8_t key[TALLY_DISPERSAL_KEY], void *memory,
                                           size_t memory_size, tally_dispersal **out)
{
    tally_dispersal *dispersal = dispersal_place(&share->params, memory, memory_size);
    if (dispersal == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    dispersal_set_up(&share->params, share->set, key, dispersal);
    *out = dispersal;
    return TALLY_OK;
}

void tally_dispersal_wipe(tally_dispersal *dispersal)
{
    tally_wipe(dispersal, sizeof *dispersal); /* the matrix is public */
}

size_t tally_dispersal_share_count(const tally_dispersal *dispersal)
{
    return dispersal->count;
}

size_t tally_dispersal_stripe_size(const tally_dispersal *dispersal)
{
    return (size_t)dispersal->threshold * TALLY_DISPERSAL_PART;
}

size_t tally_dispersal_records_size(const tally_dispersal *dispersal, size_t size, int is_last)
{
    const size_t stripe = tally_dispersal_stripe_size(dispersal);
    size_t whole = size / stripe, left = size % stripe, bytes = whole * TALLY_DISPERSAL_RECORD;
    if (left != 0 || (is_last && size == 0)) {
        bytes += TALLY_RECORD_HEADER + tally_record_part(dispersal, left) + TALLY_RECORD_TAG;
    }
    return bytes;
}

void tally_record_first_block(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER],
                              uint8_t index, uint8_t out[16])
{
    memset(out, 0, 16);
    tally_store_be64(stripe, out);
    memcpy(out + 8, header, TALLY_RECORD_HEADER);
    out[12] = index;
}

void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out)
{
    uint8_t counter[16];
    tally_store_be64(stripe, counter);
    tally_store_be64(at / 16, counter + 8);
    tally_aes_ctr(&dispersal->cipher, counter, in, size, out);
}

/* Encrypts the parts of one stripe, and computes the parts of the other shares. */
static void dispersal_encode_stripe(const tally_dispersal *dispersal, uint64_t stripe,
                                    const uint8_t *data, size_t size, size_t part,
                                    uint8_t *const parts[])
{
    const size_t threshold = dispersal->threshold;
    const uint8_t *in[128 * 2];
    if (part == 0) { /* an empty file, whose data may be NULL */
        return;
    }
    for (size_t i = 0; i < threshold; i++) {
        const size_t at = i * part, some = at >= size ? 0 : size - at < part ? size - at : part;
        if (some < part) { /* the end of the last part is filled with zeros */
            memset(parts[i] + some, 0, part - some);
            if (some != 0) {
                memcpy(parts[i], data + at, some);
            }
            tally_record_crypt(dispersal, stripe, at, parts[i], part, parts[i]);
        } else {
            tally_record_crypt(dispersal, stripe, at, data + at, part, parts[i]);
        }
        in[i] = parts[i];
    }
    if (dispersal->count > threshold) {
        tally_reed_solomon_apply(dispersal->matrix, in, threshold, dispersal->count - threshold,
                                 part, parts + threshold);
    }
}

/* Records without a tag so far. Their tags are computed side by side, so their parts have one
 * size. */
typedef struct dispersal_tag_batch {
    size_t count, part;
    uint8_t first_blocks[TALLY_RECORD_BATCH][16];
    uint8_t *parts[TALLY_RECORD_BATCH];
} dispersal_tag_batch;

static void dispersal_write_tags(const tally_dispersal *dispersal, dispersal_tag_batch *batch)
{
    uint8_t tags[TALLY_RECORD_BATCH][16];
    const uint8_t *parts[TALLY_RECORD_BATCH];
    for (size_t i = 0; i < batch->count; i++) {
        parts[i] = batch->parts[i];
    }
    tally_cmac_with_heads(&dispersal->mac, (const uint8_t(*)[16])batch->first_blocks, parts,
                          batch->part, batch->count, tags);
    for (size_t i = 0; i < batch->count; i++) {
        memcpy(batch->parts[i] + batch->part, tags[i], TALLY_RECORD_TAG);
    }
    batch->count = 0;
}

tally_status tally_dispersal_encode(tally_dispersal *dispersal, uint64_t stripe,
                                    const uint8_t *data, size_t size, int is_last,
                                    uint8_t *const records[])
{
    const size_t most = tally_dispersal_stripe_size(dispersal);
    dispersal_tag_batch batch = {.count = 0};
    if (!is_last && (size == 0 || size % most != 0)) {
        return TALLY_ERROR_ARGUMENT;
    }
    dispersal_encoder_matrix(dispersal);
    for (size_t done = 0, at = 0; done < size || (is_last && at == 0); stripe++) {
        const size_t some = size - done < most ? size - done : most;
        const size_t part = tally_record_part(dispersal, some);
        const int ends = is_last && done + some == size;
        uint8_t *parts[256], header[TALLY_RECORD_HEADER];
        tally_store_be32((uint32_t)some | (ends ? TALLY_RECORD_LAST : 0), header);
        for (size_t i = 0; i < dispersal->count; i++) {
            memcpy(records[i] + at, header, sizeof header);
            parts[i] = records[i] + at + sizeof header;
        }
        dispersal_encode_stripe(dispersal, stripe, some == 0 ? NULL : data + done, some, part,
                                parts);
        if (part != batch.part) {
            dispersal_write_tags(dispersal, &batch);
            batch.part = part;
        }
        for (size_t i = 0; i < dispersal->count; i++) {
            if (batch.count == TALLY_RECORD_BATCH) {
                dispersal_write_tags(dispersal, &batch);
            }
            batch.parts[batch.count] = parts[i];
            tally_record_first_block(stripe, header, (uint8_t)(i + 1),
                                     batch.first_blocks[batch.count++]);
        }
        done += some;
        at += sizeof header + part + TALLY_RECORD_TAG;
    }
    dispersal_write_tags(dispersal, &batch);
    return TALLY_OK;
}

/* ---- core/sharing/dispersal_decode.c ---- */
/*
 * Dispersal: the decoder. */

enum { DISPERSAL_DECODE_RECORDS = 255 /* that are verified together; one stripe has no more */ };

/* The records of some stripes. Entry k * count + i is the record of stripe k in share
 * indices[i]. */
typedef struct dispersal_decode_window {
    tally_dispersal *dispersal;
    uint64_t stripe;
    const uint8_t *indices;
    size_t count;
    const uint8_t *records[DISPERSAL_DECODE_RECORDS]; /* NULL: the share has no whole one */
    uint32_t headers[DISPERSAL_DECODE_RECORDS];
    uint8_t good[DISPERSAL_DECODE_RECORDS];
} dispersal_decode_window;

/* Finds the record of a stripe in a share: a full one, or a shorter last one that ends the share.
 * Returns NULL if there is none. */
static const uint8_t *dispersal_decode_find(const tally_dispersal *dispersal, size_t place,
                                            const uint8_t *records, size_t size, uint32_t *header)
{
    const size_t most = tally_dispersal_stripe_size(dispersal);
    const size_t at = place * TALLY_DISPERSAL_RECORD;
    if (at > size || size - at < TALLY_RECORD_HEADER + TALLY_RECORD_TAG) {
        return NULL;
    }
    *header = tally_load_be32(records + at);
    const size_t data = *header & ~TALLY_RECORD_LAST;
    const size_t part = tally_record_part(dispersal, data);
    const size_t whole = TALLY_RECORD_HEADER + part + TALLY_RECORD_TAG;
    if (data > most || whole > size - at) {
        return NULL;
    }
    if ((*header & TALLY_RECORD_LAST) != 0 ? whole != size - at : data != most) {
        return NULL;
    }
    return records + at;
}

/* Compares in constant time. */
static int dispersal_decode_equal(const uint8_t a[TALLY_RECORD_TAG],
                                  const uint8_t b[TALLY_RECORD_TAG])
{
    uint8_t differ = 0;
    for (size_t i = 0; i < TALLY_RECORD_TAG; i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Records to be verified. Their tags are computed side by side, so their parts have one size. */
typedef struct dispersal_decode_batch {
    size_t count, part, entries[TALLY_RECORD_BATCH];
    uint8_t first_blocks[TALLY_RECORD_BATCH][16];
    const uint8_t *parts[TALLY_RECORD_BATCH];
} dispersal_decode_batch;

static void dispersal_decode_verify_batch(dispersal_decode_window *window,
                                          dispersal_decode_batch *batch)
{
    uint8_t tags[TALLY_RECORD_BATCH][16];
    tally_cmac_with_heads(&window->dispersal->mac, (const uint8_t(*)[16])batch->first_blocks,
                          batch->parts, batch->part, batch->count, tags);
    for (size_t k = 0; k < batch->count; k++) {
        window->good[batch->entries[k]] =
            (uint8_t)dispersal_decode_equal(tags[k], batch->parts[k] + batch->part);
    }
    tally_wipe(tags, sizeof tags);
    batch->count = 0;
}

static void dispersal_decode_verify(dispersal_decode_window *window, size_t entries)
{
    dispersal_decode_batch batch = {.count = 0};
    memset(window->good, 0, sizeof window->good);
    for (size_t k = 0; k < entries; k++) {
        if (window->records[k] == NULL) {
            continue;
        }
        const size_t part =
            tally_record_part(window->dispersal, window->headers[k] & ~TALLY_RECORD_LAST);
        if (batch.count == TALLY_RECORD_BATCH || part != batch.part) {
            dispersal_decode_verify_batch(window, &batch);
            batch.part = part;
        }
        tally_record_first_block(window->stripe + k / window->count, window->records[k],
                                 window->indices[k % window->count],
                                 batch.first_blocks[batch.count]);
        batch.parts[batch.count] = window->records[k] + TALLY_RECORD_HEADER;
        batch.entries[batch.count++] = k;
    }
    dispersal_decode_verify_batch(window, &batch);
}

/* Decrypts stripe k of a window from `threshold` authentic parts. Missing parts of the data are
 * computed first. Returns the size of the stripe's data. */
static size_t dispersal_decode_stripe(const dispersal_decode_window *window, size_t k, uint8_t *out)
{
    tally_dispersal *dispersal = window->dispersal;
    const size_t threshold = dispersal->threshold;
    const uint8_t *of_share[256] = {NULL}, *in[DISPERSAL_DECODE_RECORDS];
    uint8_t from[DISPERSAL_DECODE_RECORDS], to[DISPERSAL_DECODE_RECORDS],
        *made[DISPERSAL_DECODE_RECORDS], last[TALLY_DISPERSAL_PART];
    uint32_t header = 0;
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (window->good[k * window->count + i]) {
            header = window->headers[k * window->count + i];
            of_share[window->indices[i]] =
                window->records[k * window->count + i] + TALLY_RECORD_HEADER;
        }
    }
    const size_t size = header & ~TALLY_RECORD_LAST, part = tally_record_part(dispersal, size);
    for (size_t share = 1; share <= dispersal->count; share++) {
        const size_t at = (share - 1) * part;
        if (of_share[share] != NULL && inputs < threshold) {
            from[inputs] = (uint8_t)share;
            in[inputs++] = of_share[share];
        } else if (share <= threshold && at < size) {
            to[outputs] = (uint8_t)share;
            made[outputs++] = size - at < part ? last : out + at;
        }
    }
    if (outputs != 0) {
        tally_record_matrix(dispersal, from, to, outputs);
        tally_reed_solomon_apply(dispersal->matrix, in, threshold, outputs, part, made);
    }
    for (size_t i = 0; i < outputs; i++) {
        of_share[to[i]] = made[i];
    }
    for (size_t at = 0, share = 1; at < size; at += part, share++) {
        const size_t some = size - at < part ? size - at : part;
        tally_record_crypt(dispersal, window->stripe + k, at, of_share[share], some, out + at);
    }
    return size;
}

/* Counts the authentic records of stripe k. Records whose header differs from the first one do not
 * count, and are no longer good. */
static size_t dispersal_decode_count(dispersal_decode_window *window, size_t k, uint32_t *header)
{
    size_t good = 0;
    for (size_t i = 0; i < window->count; i++) {
        const size_t entry = k * window->count + i;
        *header = window->good[entry] && good == 0 ? window->headers[entry] : *header;
        window->good[entry] &= window->headers[entry] == *header;
        good += window->good[entry];
    }
    return good;
}

static int dispersal_decode_indices_valid(const tally_dispersal *dispersal, const uint8_t *indices,
                                          size_t count)
{
    uint8_t used[256] = {1};
    for (size_t i = 0; i < count; i++) {
        if (i == DISPERSAL_DECODE_RECORDS || indices[i] > dispersal->count ||
            used[indices[i]]++ != 0) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                    const uint8_t *indices, const uint8_t *const records[],
                                    const size_t sizes[], size_t count, uint8_t *out,
                                    uint64_t *damaged, tally_dispersal_found *found)
{
    dispersal_decode_window window = {.dispersal = dispersal, .indices = indices, .count = count};
    if (!dispersal_decode_indices_valid(dispersal, indices, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    const size_t together =
        count == 0 || count > TALLY_RECORD_BATCH ? 1 : TALLY_RECORD_BATCH / count;
    while (found->stripes < stripes && !found->is_last) {
        const size_t first = found->stripes, left = stripes - first;
        const size_t places = left < together ? left : together;
        window.stripe = stripe + first;
        for (size_t k = 0; k < places * count; k++) {
            window.headers[k] = 0;
            window.records[k] =
                dispersal_decode_find(dispersal, first + k / count, records[k % count],
                                      sizes[k % count], &window.headers[k]);
        }
        dispersal_decode_verify(&window, places * count);
        for (size_t k = 0; k < places && !found->is_last; k++) {
            uint32_t header = 0;
            if (dispersal_decode_count(&window, k, &header) < dispersal->threshold) {
                for (size_t i = 0; i < count; i++) {
                    found->missing[indices[i] / 8] |=
                        (uint8_t)(!window.good[k * count + i] << indices[i] % 8);
                }
                return TALLY_ERROR_SHARES_FEW;
            }
            for (size_t i = 0; i < count; i++) {
                damaged[i] += !window.good[k * count + i];
            }
            found->size += dispersal_decode_stripe(&window, k, out + found->size);
            found->is_last = (header & TALLY_RECORD_LAST) != 0;
            found->stripes++;
        }
    }
    return TALLY_OK;
}

/* ---- core/sharing/reed_solomon.c ---- */
/*
 * Reed-Solomon by interpolation: a row of a matrix is Lagrange's weights for one point. */

/* ---- core/gf256/gf256.h ---- */
/*
 * Vectors over GF(2^8). Addition is exclusive or. No function has a branch or an address that
 * depends on a byte of data. Constants (coordinates, weights, matrices) are public. */
#ifndef TALLY_GF256_GF256_H
#define TALLY_GF256_GF256_H

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

enum {
    REED_SOLOMON_CHUNK = 1 << 18 /* bytes of inputs that the L2 cache holds for all outputs */
};

tally_status tally_reed_solomon_matrix(const uint8_t *from, size_t inputs, const uint8_t *to,
                                       size_t outputs, uint8_t *matrix)
{
    uint8_t used[256] = {1};
    if (inputs < 1 || inputs > TALLY_GF256_POINTS || outputs < 1 || outputs > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < inputs + outputs; i++) {
        if (used[i < inputs ? from[i] : to[i - inputs]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    for (size_t j = 0; j < outputs; j++) {
        tally_gf256_weights(TALLY_GF256_AES, from, inputs, to[j], matrix + j * inputs);
    }
    return TALLY_OK;
}

void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[], size_t inputs,
                              size_t outputs, size_t size, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t most = (REED_SOLOMON_CHUNK / inputs + 63) / 64 * 64;
    for (size_t done = 0; done < size; done += most) {
        gf->combine(TALLY_GF256_AES, matrix, in, inputs, outputs, done,
                    size - done < most ? size - done : most, out);
    }
}

/* ---- core/sharing/shamir.c ---- */
/*
 * Shamir's secret sharing, raw: Vault's layout. */

/* ---- core/sharing/shamir.h ---- */
/*
 * Shamir's secret sharing for use inside the core: polynomials whose coefficients are a stream. */
#ifndef TALLY_SHARING_SHAMIR_H
#define TALLY_SHARING_SHAMIR_H

/* Evaluates `size` polynomials of degree threshold - 1 at x[0..count): out[j][b] is f_b(x[j]).
 * f_b(0) is secret[b]. The coefficient of x^i is byte first + b of the counter mode stream of `key`
 * that begins with counter i * 2^64. `first` is a multiple of 16. */
void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[]);

#endif

enum {
    SHAMIR_KEY = 32,
    SHAMIR_STREAM = 16384, /* bytes of coefficients that are computed at a time */
    SHAMIR_CHUNK = 4096,   /* bytes of the secret at a time, at most: the L1 cache holds them */
    SHAMIR_PREFETCH_STEP = 512,  /* bytes of a stream between two prefetches */
    SHAMIR_PREFETCH_OUTPUTS = 8, /* more outputs are not prefetched */
    SHAMIR_DRAW = 64             /* random bytes for coordinates, at a time */
};

/* Computes `size` bytes of the stream of one coefficient, from byte `first` on. Meanwhile it
 * prefetches the lines of the outputs that the evaluation will write: AES keeps the CPU busy and
 * the evaluation waits for memory. */
static void shamir_stream(const tally_aes_key *key, uint64_t coefficient, size_t first, size_t size,
                          uint8_t *stream, uint8_t *const out[], size_t outputs, size_t at)
{
    uint8_t counter[16];
    tally_store_be64(coefficient, counter);
    tally_store_be64(first / 16, counter + 8);
    for (size_t done = 0, some; done < size; done += some) {
        some = size - done < SHAMIR_PREFETCH_STEP ? size - done : SHAMIR_PREFETCH_STEP;
        tally_aes_ctr(key, counter, NULL, some, stream + done);
#if defined(__GNUC__)
        for (size_t j = 0; j < outputs; j++) {
            for (size_t line = 0; line < some; line += 64) {
                __builtin_prefetch(out[j] + at + done + line, 1);
            }
        }
#else
        (void)out;
        (void)outputs;
        (void)at;
#endif
    }
}

void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t prefetched = size > SHAMIR_CHUNK && count <= SHAMIR_PREFETCH_OUTPUTS ? count : 0;
    uint8_t stream[SHAMIR_STREAM];
    size_t stride = SHAMIR_STREAM / (threshold - 1) / 64 * 64, used = 0;
    stride = stride < SHAMIR_CHUNK ? stride : SHAMIR_CHUNK;
    for (size_t done = 0; done < size; done += used) {
        used = size - done < stride ? size - done : stride;
        for (size_t i = 1; i < threshold; i++) {
            shamir_stream(key, i, first + done, used, stream + (i - 1) * stride, out,
                          i == 1 ? prefetched : 0, done);
        }
        gf->evaluate(field, secret + done, stream, stride, threshold, x, count, used, out, done);
    }
    tally_wipe(stream, size < stride ? (threshold - 2) * stride + size : sizeof stream);
}

/* Distinct coordinates: the first `count` numbers of a random permutation of 1..255 (Durstenfeld's
 * shuffle). To choose among n numbers, bytes from the largest multiple of n on are rejected, so
 * that no number is likelier. Coordinates are public. */
static void shamir_draw_coordinates(const tally_aes_key *key, size_t count, uint8_t *x)
{
    uint8_t left[TALLY_GF256_POINTS], drawn[SHAMIR_DRAW], counter[16] = {0};
    size_t next = SHAMIR_DRAW;
    for (size_t i = 0; i < TALLY_GF256_POINTS; i++) {
        left[i] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < count;) {
        const unsigned choices = (unsigned)(TALLY_GF256_POINTS - i);
        if (next == SHAMIR_DRAW) {
            tally_aes_ctr(key, counter, NULL, SHAMIR_DRAW, drawn);
            next = 0;
        }
        const unsigned byte = drawn[next++];
        if (byte < 256 - 256 % choices) {
            const size_t at = i + byte % choices;
            x[i] = left[at];
            left[at] = left[i];
            i++;
        }
    }
}

static int shamir_field_valid(tally_gf256_field field)
{
    return field == TALLY_GF256_AES || field == TALLY_GF256_RS;
}

tally_status tally_shamir_split(tally_gf256_field field, const uint8_t *secret, size_t size,
                                size_t threshold, size_t count, uint8_t *const shares[])
{
    uint8_t bytes[SHAMIR_KEY], x[TALLY_GF256_POINTS];
    tally_aes_key key;
    if (!shamir_field_valid(field) || size == 0 || threshold < 2 || threshold > count ||
        count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = tally_entropy(bytes, sizeof bytes);
    if (status != TALLY_OK) {
        return status;
    }
    tally_aes_key_init_256(bytes, &key);
    shamir_draw_coordinates(&key, count, x);
    tally_shamir_evaluate(field, &key, secret, 0, size, threshold, x, count, shares);
    for (size_t j = 0; j < count; j++) {
        shares[j][size] = x[j];
    }
    tally_wipe(bytes, sizeof bytes);
    tally_wipe(&key, sizeof key);
    return TALLY_OK;
}

tally_status tally_shamir_recover(tally_gf256_field field, const uint8_t *const shares[],
                                  size_t count, size_t share_size, uint8_t *secret)
{
    uint8_t x[TALLY_GF256_POINTS], weights[TALLY_GF256_POINTS], used[256] = {0};
    if (!shamir_field_valid(field) || share_size < 2 || count < 2 || count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    used[0] = 1;
    for (size_t i = 0; i < count; i++) {
        x[i] = shares[i][share_size - 1];
        if (used[x[i]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    tally_gf256_weights(field, x, count, 0, weights);
    tally_gf256()->combine(field, weights, shares, count, 1, 0, share_size - 1, &secret);
    return TALLY_OK;
}

/* ---- core/sharing/share_format.c ---- */
/*
 * The bytes of an authentic share, and its hashes. The first 16 bytes of each hash's input separate
 * the kinds of hashes. */

enum { SHARE_FORMAT_TAG = 16, SHARE_FORMAT_VERSION = 1 };

static const uint8_t share_format_magic[4] = {'T', 'S', 'S', 'H'};
static const uint8_t share_format_coins_tag[SHARE_FORMAT_TAG] = "tallystick coin";
static const uint8_t share_format_leaf_tag[SHARE_FORMAT_TAG] = "tallystick leaf";
static const uint8_t share_format_node_tag[SHARE_FORMAT_TAG] = "tallystick node";
static const uint8_t share_format_set_tag[SHARE_FORMAT_TAG] = "tallystick set";

static size_t share_format_depth(uint32_t count)
{
    size_t depth = 0;
    while ((UINT32_C(1) << depth) < count) {
        depth++;
    }
    return depth;
}

int tally_shares_params_valid(const tally_shares_params *params)
{
    return params->kind <= TALLY_SHARES_FILE && params->threshold >= 2 &&
           params->threshold <= params->count && params->count <= 255 && params->secret_size >= 1 &&
           params->secret_size <= TALLY_SHARES_MAX_SECRET &&
           params->label_size <= TALLY_SHARES_MAX_LABEL;
}

size_t tally_share_path_offset(const tally_shares_params *params)
{
    return TALLY_SHARE_HEADER + params->label_size + TALLY_SHARES_SET;
}

size_t tally_share_values_offset(const tally_shares_params *params)
{
    return tally_share_path_offset(params) + TALLY_SHARE_HASH * share_format_depth(params->count);
}

size_t tally_shares_size(const tally_shares_params *params)
{
    if (!tally_shares_params_valid(params)) {
        return 0;
    }
    return tally_share_values_offset(params) + TALLY_SHARE_SALT + params->secret_size;
}

void tally_share_write_header(const tally_shares_params *params, uint32_t index,
                              uint8_t out[TALLY_SHARE_HEADER])
{
    memcpy(out, share_format_magic, sizeof share_format_magic);
    out[4] = SHARE_FORMAT_VERSION;
    out[5] = (uint8_t)params->kind;
    out[6] = (uint8_t)params->threshold;
    out[7] = (uint8_t)params->count;
    out[8] = (uint8_t)index;
    out[9] = (uint8_t)params->label_size;
    tally_store_be32(params->secret_size, out + 10);
}

/* Begins a hash over the parameters of a set. */
static void share_format_hash_init(const uint8_t tag[SHARE_FORMAT_TAG],
                                   const tally_shares_params *params, tally_sha256 *hash)
{
    uint8_t header[TALLY_SHARE_HEADER];
    tally_share_write_header(params, 0, header);
    tally_sha256_init(hash);
    tally_sha256_update(hash, tag, SHARE_FORMAT_TAG);
    tally_sha256_update(hash, header, sizeof header);
    tally_sha256_update(hash, params->label, params->label_size);
}

static void share_format_hash_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    uint8_t digest[32];
    tally_sha256_final(hash, digest);
    memcpy(out, digest, TALLY_SHARE_HASH);
}

void tally_shares_coins(const tally_shares_params *params, const uint8_t salt[TALLY_SHARE_SALT],
                        const uint8_t *secret, uint8_t key[32])
{
    tally_sha256 hash;
    share_format_hash_init(share_format_coins_tag, params, &hash);
    tally_sha256_update(&hash, salt, TALLY_SHARE_SALT);
    tally_sha256_update(&hash, secret, params->secret_size);
    tally_sha256_final(&hash, key);
}

void tally_share_leaf_init(uint32_t index, tally_sha256 *hash)
{
    const uint8_t number = (uint8_t)index;
    tally_sha256_init(hash);
    tally_sha256_update(hash, share_format_leaf_tag, SHARE_FORMAT_TAG);
    tally_sha256_update(hash, &number, 1);
}

void tally_share_leaf_final(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    share_format_hash_final(hash, out);
}

static void share_format_node(const uint8_t left[TALLY_SHARE_HASH],
                              const uint8_t right[TALLY_SHARE_HASH], uint8_t out[TALLY_SHARE_HASH])
{
    tally_sha256 hash;
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, share_format_node_tag, SHARE_FORMAT_TAG);
    tally_sha256_update(&hash, left, TALLY_SHARE_HASH);
    tally_sha256_update(&hash, right, TALLY_SHARE_HASH);
    share_format_hash_final(&hash, out);
}

static void share_format_set(const tally_shares_params *params, const uint8_t top[TALLY_SHARE_HASH],
                             uint8_t set[TALLY_SHARES_SET])
{
    tally_sha256 hash;
    share_format_hash_init(share_format_set_tag, params, &hash);
    tally_sha256_update(&hash, top, TALLY_SHARE_HASH);
    share_format_hash_final(&hash, set);
}

void tally_share_tree_init(tally_share_tree *tree, uint32_t count)
{
    memset(tree, 0, sizeof *tree);
    tree->depth = share_format_depth(count);
}

uint8_t *tally_share_tree_leaf(tally_share_tree *tree, uint32_t index)
{
    return tree->nodes[((size_t)1 << tree->depth) + index - 1];
}

void tally_share_tree_final(tally_share_tree *tree, const tally_shares_params *params,
                            uint8_t set[TALLY_SHARES_SET])
{
    for (size_t node = (size_t)1 << tree->depth; node-- > 1;) {
        share_format_node(tree->nodes[2 * node], tree->nodes[2 * node + 1], tree->nodes[node]);
    }
    share_format_set(params, tree->nodes[1], set);
}

void tally_share_tree_path(const tally_share_tree *tree, uint32_t index, uint8_t *out)
{
    size_t node = ((size_t)1 << tree->depth) + index - 1;
    for (; node > 1; node /= 2, out += TALLY_SHARE_HASH) {
        memcpy(out, tree->nodes[node ^ 1], TALLY_SHARE_HASH);
    }
}

void tally_share_set_from_path(const tally_shares_params *params, uint32_t index,
                               const uint8_t leaf[TALLY_SHARE_HASH], const uint8_t *path,
                               uint8_t set[TALLY_SHARES_SET])
{
    uint8_t node[TALLY_SHARE_HASH];
    memcpy(node, leaf, sizeof node);
    for (size_t level = 0; level < share_format_depth(params->count);
         level++, path += TALLY_SHARE_HASH) {
        if (((index - 1) >> level & 1) == 0) {
            share_format_node(node, path, node);
        } else {
            share_format_node(path, node, node);
        }
    }
    share_format_set(params, node, set);
}

int tally_share_parse(const uint8_t *share, size_t size, tally_share *out)
{
    if (size < TALLY_SHARE_HEADER ||
        memcmp(share, share_format_magic, sizeof share_format_magic) != 0 ||
        share[4] != SHARE_FORMAT_VERSION) {
        return 0;
    }
    out->params = (tally_shares_params){.kind = share[5],
                                        .threshold = share[6],
                                        .count = share[7],
                                        .label_size = share[9],
                                        .secret_size = tally_load_be32(share + 10),
                                        .label = share + TALLY_SHARE_HEADER};
    out->index = share[8];
    out->size = (uint32_t)tally_shares_size(&out->params);
    if (out->size == 0 || out->index < 1 || out->index > out->params.count || size < out->size ||
        (size > out->size && out->params.kind != TALLY_SHARES_FILE)) {
        return 0;
    }
    memcpy(out->set, share + tally_share_path_offset(&out->params) - TALLY_SHARES_SET,
           TALLY_SHARES_SET);
    return 1;
}

int tally_share_same_set(const tally_share *a, const tally_share *b)
{
    uint8_t headers[2][TALLY_SHARE_HEADER];
    tally_share_write_header(&a->params, 0, headers[0]);
    tally_share_write_header(&b->params, 0, headers[1]);
    return memcmp(a->set, b->set, TALLY_SHARES_SET) == 0 &&
           memcmp(headers[0], headers[1], TALLY_SHARE_HEADER) == 0 &&
           memcmp(a->params.label, b->params.label, a->params.label_size) == 0;
}

tally_share_verdict tally_shares_read(const uint8_t *share, size_t size, tally_share *out)
{
    uint8_t leaf[TALLY_SHARE_HASH], set[TALLY_SHARES_SET];
    tally_sha256 hash;
    if (!tally_share_parse(share, size, out)) {
        memset(out, 0, sizeof *out);
        return TALLY_SHARE_MALFORMED;
    }
    const size_t values = tally_share_values_offset(&out->params);
    tally_share_leaf_init(out->index, &hash);
    tally_sha256_update(&hash, share + values, out->size - values);
    tally_share_leaf_final(&hash, leaf);
    tally_share_set_from_path(&out->params, out->index, leaf,
                              share + tally_share_path_offset(&out->params), set);
    return memcmp(set, out->set, sizeof set) == 0 ? TALLY_SHARE_GOOD : TALLY_SHARE_DAMAGED;
}

/* ---- core/sharing/shares.c ---- */
/*
 * Authentic shares: splitting, and recovery from the good ones among any. */

/* Recovery computes all shares of a set again, a block at a time. */
enum {
    SHARES_BLOCK_COUNT = 16, /* shares of a block */
    SHARES_BLOCK_SIZE = 256  /* bytes of each share */
};

/* Inputs that determine all values of a set. */
typedef struct shares_inputs {
    const tally_shares_params *params;
    tally_aes_key key;
    const uint8_t *salt, *secret;
} shares_inputs;

static void shares_inputs_init(const tally_shares_params *params, const uint8_t *salt,
                               const uint8_t *secret, shares_inputs *inputs)
{
    uint8_t key[32];
    tally_shares_coins(params, salt, secret, key);
    tally_aes_key_init_256(key, &inputs->key);
    inputs->params = params;
    inputs->salt = salt;
    inputs->secret = secret;
    tally_wipe(key, sizeof key);
}

/* Values first..first + size of the shares x[0..count). They are values of the salt or of the
 * secret, not of both: if `first` is 0, `size` is TALLY_SHARE_SALT. */
static void shares_evaluate(const shares_inputs *inputs, size_t first, size_t size,
                            const uint8_t *x, size_t count, uint8_t *const out[])
{
    const uint8_t *secret =
        first < TALLY_SHARE_SALT ? inputs->salt : inputs->secret + first - TALLY_SHARE_SALT;
    tally_shamir_evaluate(TALLY_GF256_AES, &inputs->key, secret, first, size,
                          inputs->params->threshold, x, count, out);
}

void tally_shares_split_salted(const tally_shares_params *params, const uint8_t *secret,
                               const uint8_t salt[TALLY_SHARE_SALT], uint8_t *const shares[])
{
    const size_t path = tally_share_path_offset(params), at = tally_share_values_offset(params);
    uint8_t x[TALLY_GF256_POINTS], *values[TALLY_GF256_POINTS], set[TALLY_SHARES_SET];
    tally_share_tree tree;
    tally_sha256 hash;
    shares_inputs inputs;
    for (uint32_t i = 0; i < params->count; i++) {
        x[i] = (uint8_t)(i + 1);
        values[i] = shares[i] + at;
    }
    shares_inputs_init(params, salt, secret, &inputs);
    shares_evaluate(&inputs, 0, TALLY_SHARE_SALT, x, params->count, values);
    for (uint32_t i = 0; i < params->count; i++) {
        values[i] += TALLY_SHARE_SALT;
    }
    shares_evaluate(&inputs, TALLY_SHARE_SALT, params->secret_size, x, params->count, values);
    tally_wipe(&inputs, sizeof inputs);
    tally_share_tree_init(&tree, params->count);
    for (uint32_t i = 0; i < params->count; i++) {
        tally_share_leaf_init(x[i], &hash);
        tally_sha256_update(&hash, shares[i] + at, TALLY_SHARE_SALT + params->secret_size);
        tally_share_leaf_final(&hash, tally_share_tree_leaf(&tree, x[i]));
    }
    tally_share_tree_final(&tree, params, set);
    for (uint32_t i = 0; i < params->count; i++) {
        tally_share_write_header(params, x[i], shares[i]);
        if (params->label_size != 0) {
            memcpy(shares[i] + TALLY_SHARE_HEADER, params->label, params->label_size);
        }
        memcpy(shares[i] + path - sizeof set, set, sizeof set);
        tally_share_tree_path(&tree, x[i], shares[i] + path);
    }
}

tally_status tally_shares_split(const tally_shares_params *params, const uint8_t *secret,
                                uint8_t *const shares[])
{
    uint8_t salt[TALLY_SHARE_SALT];
    if (!tally_shares_params_valid(params)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status = tally_entropy(salt, sizeof salt);
    if (status == TALLY_OK) {
        tally_shares_split_salted(params, secret, salt, shares);
        tally_wipe(salt, sizeof salt);
    }
    return status;
}

/* The name of the set that a split of these inputs gives. */
static void shares_compute_set(const shares_inputs *inputs, uint8_t set[TALLY_SHARES_SET])
{
    const tally_shares_params *params = inputs->params;
    const size_t size = TALLY_SHARE_SALT + params->secret_size;
    uint8_t made[SHARES_BLOCK_COUNT][SHARES_BLOCK_SIZE], x[SHARES_BLOCK_COUNT],
        *out[SHARES_BLOCK_COUNT];
    tally_sha256 hashes[SHARES_BLOCK_COUNT];
    tally_share_tree tree;
    tally_share_tree_init(&tree, params->count);
    for (uint32_t first = 1; first <= params->count; first += SHARES_BLOCK_COUNT) {
        const uint32_t left = params->count - first + 1;
        const size_t count = left < SHARES_BLOCK_COUNT ? left : SHARES_BLOCK_COUNT;
        for (size_t j = 0; j < count; j++) {
            x[j] = (uint8_t)(first + j);
            tally_share_leaf_init(x[j], &hashes[j]);
        }
        for (size_t at = 0, some; at < size; at += some) {
            some = at == 0                         ? TALLY_SHARE_SALT
                   : size - at < SHARES_BLOCK_SIZE ? size - at
                                                   : SHARES_BLOCK_SIZE;
            for (size_t j = 0; j < count; j++) {
                out[j] = made[j];
            }
            shares_evaluate(inputs, at, some, x, count, out);
            for (size_t j = 0; j < count; j++) {
                tally_sha256_update(&hashes[j], made[j], some);
            }
        }
        for (size_t j = 0; j < count; j++) {
            tally_share_leaf_final(&hashes[j], tally_share_tree_leaf(&tree, x[j]));
        }
    }
    tally_wipe(made, sizeof made);
    tally_share_tree_final(&tree, params, set);
}

/* The indices of a set that occurred so far. A counter would overflow: a share may be given more
 * than 255 times. */
typedef struct shares_indices {
    uint8_t seen[256];
} shares_indices;

/* Whether an index occurs for the first time. */
static int shares_is_first(shares_indices *all, uint32_t index)
{
    const int first = all->seen[index] == 0;
    all->seen[index] = 1;
    return first;
}

/* Chooses the set with enough good shares, or else with most of them. Writes `found`. */
static void shares_choose_set(const uint8_t *const shares[], const size_t sizes[], size_t count,
                              const tally_share_verdict *verdicts, tally_shares_found *found)
{
    for (size_t i = 0; i < count; i++) {
        tally_share one, other;
        shares_indices used = {{0}};
        uint32_t good = 0;
        int is_new = 1;
        if (verdicts[i] != TALLY_SHARE_GOOD) {
            continue;
        }
        (void)tally_share_parse(shares[i], sizes[i], &one);
        for (size_t k = 0; k < count && is_new; k++) {
            if (verdicts[k] == TALLY_SHARE_GOOD && tally_share_parse(shares[k], sizes[k], &other) &&
                tally_share_same_set(&one, &other)) {
                is_new = k >= i;
                good += (uint32_t)shares_is_first(&used, other.index);
            }
        }
        if (!is_new) {
            continue;
        }
        const uint32_t enough = good >= one.params.threshold;
        if (found->first.size == 0 || (enough && found->sets == 0) ||
            (enough == (found->sets > 0) && good > found->good)) {
            found->first = one;
            found->good = good;
        }
        found->sets += enough;
    }
}

/* Recovers secret and salt from `threshold` shares. Then the set that they give must be that of
 * `any`: otherwise the dealer did not follow the scheme. */
static tally_status shares_recover(const tally_share *any, const uint8_t *x,
                                   const uint8_t *values[], uint8_t *secret)
{
    const tally_shares_params *params = &any->params;
    const struct tally_gf256_backend *gf = tally_gf256();
    uint8_t weights[TALLY_GF256_POINTS], salt[TALLY_SHARE_SALT], *out = salt;
    uint8_t set[TALLY_SHARES_SET];
    shares_inputs inputs;
    tally_gf256_weights(TALLY_GF256_AES, x, params->threshold, 0, weights);
    gf->combine(TALLY_GF256_AES, weights, values, params->threshold, 1, 0, TALLY_SHARE_SALT, &out);
    for (uint32_t i = 0; i < params->threshold; i++) {
        values[i] += TALLY_SHARE_SALT;
    }
    gf->combine(TALLY_GF256_AES, weights, values, params->threshold, 1, 0, params->secret_size,
                &secret);
    shares_inputs_init(params, salt, secret, &inputs);
    shares_compute_set(&inputs, set);
    tally_wipe(&inputs, sizeof inputs);
    tally_wipe(salt, sizeof salt);
    if (memcmp(set, any->set, sizeof set) != 0) {
        tally_wipe(secret, params->secret_size);
        return TALLY_ERROR_SHARES_FALSE;
    }
    return TALLY_OK;
}

tally_status tally_shares_recover(const uint8_t *const shares[], const size_t sizes[], size_t count,
                                  const uint8_t *set, tally_share_verdict *verdicts,
                                  tally_shares_found *found, uint8_t *secret,
                                  size_t secret_capacity)
{
    uint8_t checked[TALLY_SHARES_MAX_SECRET], x[TALLY_GF256_POINTS];
    shares_indices used = {{0}};
    const uint8_t *values[TALLY_GF256_POINTS];
    size_t chosen = 0;
    tally_share one;
    if (count > TALLY_SHARES_MAX_GIVEN) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        verdicts[i] = tally_shares_read(shares[i], sizes[i], &one);
        if (verdicts[i] == TALLY_SHARE_GOOD && set != NULL &&
            memcmp(set, one.set, TALLY_SHARES_SET) != 0) {
            verdicts[i] = TALLY_SHARE_FOREIGN;
        }
    }
    shares_choose_set(shares, sizes, count, verdicts, found);
    const tally_shares_params *params = &found->first.params;
    for (size_t i = 0; i < count; i++) {
        if (verdicts[i] != TALLY_SHARE_GOOD || !tally_share_parse(shares[i], sizes[i], &one)) {
            continue;
        }
        if (!tally_share_same_set(&one, &found->first)) {
            verdicts[i] = TALLY_SHARE_FOREIGN;
        } else if (!shares_is_first(&used, one.index)) {
            verdicts[i] = TALLY_SHARE_REPEATED;
        } else if (chosen < params->threshold) {
            x[chosen] = (uint8_t)one.index;
            values[chosen++] = shares[i] + tally_share_values_offset(params);
        }
    }
    if (found->sets != 1) {
        return found->sets == 0 ? TALLY_ERROR_SHARES_FEW : TALLY_ERROR_SHARES_SETS;
    }
    if (secret != NULL && secret_capacity < params->secret_size) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_status status =
        shares_recover(&found->first, x, values, secret != NULL ? secret : checked);
    if (secret == NULL) {
        tally_wipe(checked, params->secret_size);
    }
    return status;
}

TALLY_VISIBILITY_POP
