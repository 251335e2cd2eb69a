/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an authentic share, and its hashes. The first 16 bytes of each hash's input separate
 * the kinds of hashes. */
#include "sharing/share_format.h"

#include <string.h>

#include "base/bytes.h"

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
