/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an authentic share, as docs/reference/share-format.md has them:
 *
 *     header | label | name of the set (16) | path (16 for each level of the tree) | values
 *
 * where values are those of the polynomials of 16 bytes of randomness, then of the secret. */
#ifndef TALLY_SHARING_SHARE_FORMAT_H
#define TALLY_SHARING_SHARE_FORMAT_H

#include "tallystick/sha2.h"
#include "tallystick/shares.h"

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
