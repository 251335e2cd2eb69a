/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal: the keys, and stripes on their way out. */
#include "sharing/dispersal.h"

#include <string.h>

#include "aes/cmac.h"
#include "aes/key.h"
#include "base/bytes.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/sha2.h"

static const uint8_t key_tag[16] = "tallystick file";
static const uint8_t keys_info[16] = "tallystick keys";

void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs)
{
    if (dispersal->outputs != outputs || memcmp(dispersal->to, to, outputs) != 0 ||
        memcmp(dispersal->from, from, dispersal->threshold) != 0) {
        memcpy(dispersal->from, from, dispersal->threshold);
        memcpy(dispersal->to, to, outputs);
        dispersal->outputs = outputs;
        (void)tally_reed_solomon_matrix(from, dispersal->threshold, to, outputs, dispersal->matrix);
    }
}

/* Sees to it that the matrix leads from the data's parts to all others, also if the last stripes
 * went the other way. */
static void to_seal(tally_dispersal *dispersal)
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

/* The keys of a file, and what is needed to seal. */
static void set_up(const tally_shares_params *params, const uint8_t set[TALLY_SHARES_SET],
                   const uint8_t key[TALLY_DISPERSAL_KEY], tally_dispersal *out)
{
    uint8_t keys[64];
    const tally_status status = tally_hkdf_sha256(set, TALLY_SHARES_SET, key, TALLY_DISPERSAL_KEY,
                                                  keys_info, sizeof keys_info, keys, sizeof keys);
    (void)status; /* it fails for more bytes than these alone */
    memset(out, 0, sizeof *out);
    out->threshold = params->threshold;
    out->count = params->count;
    tally_aes_key_init_256(keys, &out->cipher);
    tally_cmac_key_init_256(keys + 32, &out->mac);
    tally_wipe(keys, sizeof keys);
    to_seal(out);
}

static int fits(const tally_shares_params *params)
{
    return tally_shares_params_fit(params) && params->kind == TALLY_SHARES_FILE &&
           params->secret_size == TALLY_DISPERSAL_KEY;
}

tally_status tally_dispersal_begin_with(const tally_shares_params *params,
                                        const uint8_t entropy[32],
                                        const uint8_t salt[TALLY_SHARE_SALT], const uint8_t *hedge,
                                        size_t hedge_size, tally_dispersal *out,
                                        uint8_t *const heads[])
{
    uint8_t key[TALLY_DISPERSAL_KEY];
    tally_sha256 hash;
    if (!fits(params)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_sha256_init(&hash);
    tally_sha256_update(&hash, key_tag, sizeof key_tag);
    tally_sha256_update(&hash, entropy, 32);
    tally_sha256_update(&hash, hedge, hedge_size);
    tally_sha256_final(&hash, key);
    tally_shares_split_salted(params, key, salt, heads);
    set_up(params, heads[0] + tally_share_path(params) - TALLY_SHARES_SET, key, out);
    tally_wipe(key, sizeof key);
    return TALLY_OK;
}

tally_status tally_dispersal_begin(const tally_shares_params *params, const uint8_t *hedge,
                                   size_t hedge_size, tally_dispersal *out, uint8_t *const heads[])
{
    uint8_t random[32 + TALLY_SHARE_SALT];
    tally_status status = tally_entropy(random, sizeof random);
    if (status == TALLY_OK) {
        status =
            tally_dispersal_begin_with(params, random, random + 32, hedge, hedge_size, out, heads);
        tally_wipe(random, sizeof random);
    }
    return status;
}

tally_status tally_dispersal_open(const tally_share *first, const uint8_t key[TALLY_DISPERSAL_KEY],
                                  tally_dispersal *out)
{
    if (!fits(&first->params)) {
        return TALLY_ERROR_ARGUMENT;
    }
    set_up(&first->params, first->set, key, out);
    return TALLY_OK;
}

size_t tally_dispersal_stripe(const tally_dispersal *dispersal)
{
    return (size_t)dispersal->threshold * TALLY_DISPERSAL_PART;
}

size_t tally_dispersal_records(const tally_dispersal *dispersal, size_t size, int is_last)
{
    const size_t stripe = tally_dispersal_stripe(dispersal);
    size_t whole = size / stripe, left = size % stripe, bytes = whole * TALLY_DISPERSAL_RECORD;
    if (left != 0 || (is_last && size == 0)) {
        bytes += TALLY_RECORD_HEADER + tally_record_part(dispersal, left) + TALLY_RECORD_TAG;
    }
    return bytes;
}

void tally_record_head(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER], uint8_t index,
                       uint8_t out[16])
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

/* The encrypted parts of one stripe, each share's behind the header of its record. */
static void seal_stripe(const tally_dispersal *dispersal, uint64_t stripe, const uint8_t *data,
                        size_t size, size_t part, uint8_t *const parts[])
{
    const size_t threshold = dispersal->threshold;
    const uint8_t *in[128 * 2];
    if (part == 0) { /* an empty file, whose data may be NULL */
        return;
    }
    for (size_t i = 0; i < threshold; i++) {
        const size_t at = i * part, some = at >= size ? 0 : size - at < part ? size - at : part;
        if (some < part) { /* what is missing at the end is zeros */
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

/* Tags that wait for others, to be made side by side. All are of parts of one size. */
typedef struct waiting {
    size_t count, part;
    uint8_t heads[TALLY_RECORD_MOST][16];
    uint8_t *parts[TALLY_RECORD_MOST];
} waiting;

static void make_tags(const tally_dispersal *dispersal, waiting *all)
{
    uint8_t tags[TALLY_RECORD_MOST][16];
    const uint8_t *parts[TALLY_RECORD_MOST];
    for (size_t i = 0; i < all->count; i++) {
        parts[i] = all->parts[i];
    }
    tally_cmac_with_heads(&dispersal->mac, (const uint8_t(*)[16])all->heads, parts, all->part,
                          all->count, tags);
    for (size_t i = 0; i < all->count; i++) {
        memcpy(all->parts[i] + all->part, tags[i], TALLY_RECORD_TAG);
    }
    all->count = 0;
}

tally_status tally_dispersal_seal(tally_dispersal *dispersal, uint64_t stripe, const uint8_t *data,
                                  size_t size, int is_last, uint8_t *const records[])
{
    const size_t most = tally_dispersal_stripe(dispersal);
    waiting all = {.count = 0};
    if (!is_last && (size == 0 || size % most != 0)) {
        return TALLY_ERROR_ARGUMENT;
    }
    to_seal(dispersal);
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
        seal_stripe(dispersal, stripe, some == 0 ? NULL : data + done, some, part, parts);
        if (part != all.part) {
            make_tags(dispersal, &all);
            all.part = part;
        }
        for (size_t i = 0; i < dispersal->count; i++) {
            if (all.count == TALLY_RECORD_MOST) {
                make_tags(dispersal, &all);
            }
            all.parts[all.count] = parts[i];
            tally_record_head(stripe, header, (uint8_t)(i + 1), all.heads[all.count++]);
        }
        done += some;
        at += sizeof header + part + TALLY_RECORD_TAG;
    }
    make_tags(dispersal, &all);
    return TALLY_OK;
}
