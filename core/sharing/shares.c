/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares: splitting, and recovery from the good ones among any. */
#include "sharing/shares.h"

#include <string.h>

#include "aes/key.h"
#include "sharing/shamir.h"

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
