/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an authentic share, and the hashes in it. Each hash begins with 16 bytes that say
 * what it is of. */
#include "sharing/share_format.h"

#include <string.h>

#include "base/bytes.h"

enum { TAG = 16, VERSION = 1 };

static const uint8_t magic[4] = {'T', 'S', 'S', 'H'};
static const uint8_t coins_tag[TAG] = "tallystick coin";
static const uint8_t leaf_tag[TAG] = "tallystick leaf";
static const uint8_t node_tag[TAG] = "tallystick node";
static const uint8_t set_tag[TAG] = "tallystick set";

static size_t depth_of(uint32_t count)
{
    size_t depth = 0;
    while ((UINT32_C(1) << depth) < count) {
        depth++;
    }
    return depth;
}

int tally_shares_params_fit(const tally_shares_params *params)
{
    return params->kind <= TALLY_SHARES_FILE && params->threshold >= 2 &&
           params->threshold <= params->count && params->count <= 255 && params->secret_size >= 1 &&
           params->secret_size <= TALLY_SHARES_MAX_SECRET &&
           params->label_size <= TALLY_SHARES_MAX_LABEL;
}

size_t tally_share_path(const tally_shares_params *params)
{
    return TALLY_SHARE_HEADER + params->label_size + TALLY_SHARES_SET;
}

size_t tally_share_values(const tally_shares_params *params)
{
    return tally_share_path(params) + TALLY_SHARE_HASH * depth_of(params->count);
}

size_t tally_shares_size(const tally_shares_params *params)
{
    if (!tally_shares_params_fit(params)) {
        return 0;
    }
    return tally_share_values(params) + TALLY_SHARE_SALT + params->secret_size;
}

void tally_share_write_header(const tally_shares_params *params, uint32_t index,
                              uint8_t out[TALLY_SHARE_HEADER])
{
    memcpy(out, magic, sizeof magic);
    out[4] = VERSION;
    out[5] = (uint8_t)params->kind;
    out[6] = (uint8_t)params->threshold;
    out[7] = (uint8_t)params->count;
    out[8] = (uint8_t)index;
    out[9] = (uint8_t)params->label_size;
    tally_store_be32(params->secret_size, out + 10);
}

/* Begins a hash of what the shares of a set have in common. */
static void begin(const uint8_t tag[TAG], const tally_shares_params *params, tally_sha256 *hash)
{
    uint8_t header[TALLY_SHARE_HEADER];
    tally_share_write_header(params, 0, header);
    tally_sha256_init(hash);
    tally_sha256_update(hash, tag, TAG);
    tally_sha256_update(hash, header, sizeof header);
    tally_sha256_update(hash, params->label, params->label_size);
}

static void end(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    uint8_t digest[32];
    tally_sha256_final(hash, digest);
    memcpy(out, digest, TALLY_SHARE_HASH);
}

void tally_shares_coins(const tally_shares_params *params, const uint8_t salt[TALLY_SHARE_SALT],
                        const uint8_t *secret, uint8_t key[32])
{
    tally_sha256 hash;
    begin(coins_tag, params, &hash);
    tally_sha256_update(&hash, salt, TALLY_SHARE_SALT);
    tally_sha256_update(&hash, secret, params->secret_size);
    tally_sha256_final(&hash, key);
}

void tally_share_leaf_begin(uint32_t index, tally_sha256 *hash)
{
    const uint8_t number = (uint8_t)index;
    tally_sha256_init(hash);
    tally_sha256_update(hash, leaf_tag, TAG);
    tally_sha256_update(hash, &number, 1);
}

void tally_share_leaf_end(tally_sha256 *hash, uint8_t out[TALLY_SHARE_HASH])
{
    end(hash, out);
}

static void join(const uint8_t left[TALLY_SHARE_HASH], const uint8_t right[TALLY_SHARE_HASH],
                 uint8_t out[TALLY_SHARE_HASH])
{
    tally_sha256 hash;
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, node_tag, TAG);
    tally_sha256_update(&hash, left, TALLY_SHARE_HASH);
    tally_sha256_update(&hash, right, TALLY_SHARE_HASH);
    end(&hash, out);
}

static void name_set(const tally_shares_params *params, const uint8_t top[TALLY_SHARE_HASH],
                     uint8_t set[TALLY_SHARES_SET])
{
    tally_sha256 hash;
    begin(set_tag, params, &hash);
    tally_sha256_update(&hash, top, TALLY_SHARE_HASH);
    end(&hash, set);
}

void tally_share_tree_init(tally_share_tree *tree, uint32_t count)
{
    memset(tree, 0, sizeof *tree);
    tree->depth = depth_of(count);
}

uint8_t *tally_share_tree_leaf(tally_share_tree *tree, uint32_t index)
{
    return tree->nodes[((size_t)1 << tree->depth) + index - 1];
}

void tally_share_tree_finish(tally_share_tree *tree, const tally_shares_params *params,
                             uint8_t set[TALLY_SHARES_SET])
{
    for (size_t node = (size_t)1 << tree->depth; node-- > 1;) {
        join(tree->nodes[2 * node], tree->nodes[2 * node + 1], tree->nodes[node]);
    }
    name_set(params, tree->nodes[1], set);
}

void tally_share_tree_path(const tally_share_tree *tree, uint32_t index, uint8_t *out)
{
    size_t node = ((size_t)1 << tree->depth) + index - 1;
    for (; node > 1; node /= 2, out += TALLY_SHARE_HASH) {
        memcpy(out, tree->nodes[node ^ 1], TALLY_SHARE_HASH);
    }
}

void tally_share_climb(const tally_shares_params *params, uint32_t index,
                       const uint8_t leaf[TALLY_SHARE_HASH], const uint8_t *path,
                       uint8_t set[TALLY_SHARES_SET])
{
    uint8_t node[TALLY_SHARE_HASH];
    memcpy(node, leaf, sizeof node);
    for (size_t level = 0; level < depth_of(params->count); level++, path += TALLY_SHARE_HASH) {
        if (((index - 1) >> level & 1) == 0) {
            join(node, path, node);
        } else {
            join(path, node, node);
        }
    }
    name_set(params, node, set);
}

int tally_share_parse(const uint8_t *share, size_t size, tally_share *out)
{
    if (size < TALLY_SHARE_HEADER || memcmp(share, magic, sizeof magic) != 0 ||
        share[4] != VERSION) {
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
    memcpy(out->set, share + tally_share_path(&out->params) - TALLY_SHARES_SET, TALLY_SHARES_SET);
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
    const size_t values = tally_share_values(&out->params);
    tally_share_leaf_begin(out->index, &hash);
    tally_sha256_update(&hash, share + values, out->size - values);
    tally_share_leaf_end(&hash, leaf);
    tally_share_climb(&out->params, out->index, leaf, share + tally_share_path(&out->params), set);
    return memcmp(set, out->set, sizeof set) == 0 ? TALLY_SHARE_GOOD : TALLY_SHARE_DAMAGED;
}
