/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal: its keys, and the encoder. dispersal_decode.c has the decoder. */
#include "sharing/dispersal.h"

#include <string.h>

#include "aes/cmac.h"
#include "aes/key.h"
#include "base/bytes.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/sha2.h"

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
