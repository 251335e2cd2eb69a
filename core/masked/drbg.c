/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128 in counter mode on two shares, whose key and counter are shares as well. */
#include "tallystick/masked_random.h"

#include "masked/blocks.h"

enum { DRBG_SEEDS = 2 /* of 32 bytes on two shares */ };

typedef struct drbg_work {
    masked_state state;
    masked_blocks blocks;
    uint8_t memory[MASKED_PAIR_KEY];
    tally_masked_key *key;
} drbg_work;

static tally_status drbg_expand(tally_masked_drbg *drbg, drbg_work *work)
{
    const uint8_t *const shares[] = {drbg->state[0], drbg->state[1]};
    const tally_masked_slicing *slicing = NULL;
    tally_status status = tally_masked_choose(1, 0, 2, &slicing);
    if (status == TALLY_OK) {
        status = tally_masked_key_init_shares(slicing, shares, 16, 1, &drbg->noise, work->memory,
                                              sizeof work->memory, &work->key);
    }
    return status;
}

/* Shares of the encryptions of V XOR i, for `some` numbers from i on. Each block has fresh shares
 * of V. */
static tally_status drbg_blocks(tally_masked_drbg *drbg, uint8_t i, size_t some, drbg_work *work)
{
    const tally_masked_slicing *slicing = work->key->slicing;
    const size_t most = tally_masked_blocks(slicing);
    uint8_t *const share[] = MASKED_SHARES(work->blocks);
    const uint8_t *const shared[] = MASKED_SHARES(work->blocks);
    tally_status status = tally_masked_share_bytes(&drbg->noise, 2, NULL, 0, share, 16 * most);
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t b = 0; b < some; b++) {
        share[0][16 * b + 15] ^= (uint8_t)(i + b);
    }
    for (size_t s = 0; s < 2; s++) {
        for (size_t b = 0; b < some; b++) {
            tally_masked_add_share(share[s] + 16 * b, drbg->state[s] + 16, 16);
        }
    }
    slicing->slice(shared, most, work->state.bytes);
    status = tally_masked_encrypt_state(work->key, &drbg->noise, work->state.bytes);
    if (status == TALLY_OK) {
        slicing->unslice(work->state.bytes, most, share);
    }
    return status;
}

/* Replaces key and counter by blocks i and i + 1 of the old ones. */
static tally_status drbg_update(tally_masked_drbg *drbg, uint8_t i, drbg_work *work)
{
    const size_t most = tally_masked_blocks(work->key->slicing) < 2 ? 1 : 2;
    uint8_t next[2][32];
    tally_status status = TALLY_OK;
    for (size_t b = 0; b < 2 && status == TALLY_OK; b += most) {
        status = drbg_blocks(drbg, (uint8_t)(i + b), most, work);
        for (size_t s = 0; s < 2 && status == TALLY_OK; s++) {
            tally_masked_copy_share(next[s] + 16 * b, work->blocks.share[s], 16 * most);
        }
    }
    for (size_t s = 0; s < 2 && status == TALLY_OK; s++) {
        tally_masked_copy_share(drbg->state[s], next[s], 32);
    }
    tally_wipe(next, sizeof next);
    return status;
}

static tally_status drbg_seed(tally_masked_drbg *drbg, drbg_work *work)
{
    uint8_t seed[2][32];
    tally_status status = TALLY_OK;
    for (int i = 0; i < DRBG_SEEDS && status == TALLY_OK; i++) {
        status = drbg_expand(drbg, work);
        if (status == TALLY_OK) {
            status = drbg_update(drbg, 1, work);
        }
        if (status == TALLY_OK) {
            status = drbg->noise.fill(drbg->noise.context, seed[0], sizeof seed);
        }
        for (size_t s = 0; s < 2 && status == TALLY_OK; s++) {
            tally_masked_add_share(drbg->state[s], seed[s], 32);
        }
    }
    tally_wipe(seed, sizeof seed);
    tally_wipe(drbg->buffer, sizeof drbg->buffer);
    drbg->left = 0;
    drbg->buffers = 0;
    return status;
}

static tally_status drbg_refill(tally_masked_drbg *drbg, drbg_work *work)
{
    tally_status status = TALLY_OK;
    if (drbg->buffers >= TALLY_MASKED_DRBG_INTERVAL) {
        status = drbg_seed(drbg, work);
    }
    if (status == TALLY_OK) {
        status = drbg_expand(drbg, work);
    }
    uint8_t i = 1;
    for (size_t done = 0; done < sizeof drbg->buffer && status == TALLY_OK;) {
        const size_t most = 16 * tally_masked_blocks(work->key->slicing);
        const size_t some = sizeof drbg->buffer - done < most ? sizeof drbg->buffer - done : most;
        status = drbg_blocks(drbg, i, some / 16, work);
        if (status == TALLY_OK) {
            tally_masked_add(work->blocks.share[0], work->blocks.share[1], some);
            memcpy(drbg->buffer + done, work->blocks.share[0], some);
        }
        done += some;
        i = (uint8_t)(i + some / 16);
    }
    if (status == TALLY_OK) {
        status = drbg_update(drbg, i, work);
    }
    drbg->left = sizeof drbg->buffer;
    drbg->buffers++;
    return status;
}

/* Does one of the two, with memory that is wiped in the end. */
static tally_status drbg_do(tally_masked_drbg *drbg,
                            tally_status (*step)(tally_masked_drbg *, drbg_work *))
{
    drbg_work work;
    if (drbg->noise.fill == NULL) { /* it was wiped */
        return TALLY_ERROR_ENTROPY;
    }
    tally_wipe(&work, sizeof work); /* the stack might hold the other share */
    const tally_status status = step(drbg, &work);
    tally_wipe(&work, sizeof work);
    if (status != TALLY_OK) {
        tally_masked_drbg_wipe(drbg);
    }
    return status;
}

tally_status tally_masked_drbg_init(tally_masked_drbg *drbg, const tally_mask_source *noise)
{
    tally_wipe(drbg, sizeof *drbg);
    tally_status status = noise->fill(noise->context, drbg->state[0], sizeof drbg->state[0]);
    if (status == TALLY_OK) { /* both are 0, on shares */
        memcpy(drbg->state[1], drbg->state[0], sizeof drbg->state[1]);
        drbg->noise = *noise;
        status = drbg_do(drbg, drbg_seed);
    } else {
        tally_masked_drbg_wipe(drbg);
    }
    return status;
}

tally_status tally_masked_drbg_reseed(tally_masked_drbg *drbg)
{
    return drbg_do(drbg, drbg_seed);
}

tally_status tally_masked_drbg_fill(void *drbg, uint8_t *out, size_t size)
{
    tally_masked_drbg *own = drbg;
    tally_status status = own->noise.fill == NULL ? TALLY_ERROR_ENTROPY : TALLY_OK;
    for (size_t done = 0; done < size && status == TALLY_OK;) {
        if (own->left == 0) {
            status = drbg_do(own, drbg_refill);
        }
        if (status == TALLY_OK) {
            const size_t some = size - done < own->left ? size - done : own->left;
            uint8_t *const from = own->buffer + sizeof own->buffer - own->left;
            memcpy(out + done, from, some);
            tally_wipe(from, some);
            own->left -= (uint32_t)some;
            done += some;
        }
    }
    if (status != TALLY_OK) {
        tally_wipe(out, size);
    }
    return status;
}

void tally_masked_drbg_wipe(tally_masked_drbg *drbg)
{
    tally_wipe(drbg, sizeof *drbg);
}
