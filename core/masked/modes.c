/* SPDX-License-Identifier: Apache-2.0
 *
 * Modes on shares. What comes between is added to one share before shares are put together. */
#include "tallystick/masked_modes.h"

#include "base/barrier.h"
#include "masked/blocks.h"

static int masked_is_one_key(const tally_masked_key *key)
{
    return key->slicing != NULL && key->keys == 1;
}

/* Adds one, without a branch that depends on the counter. */
static void masked_next_counter(uint8_t counter[16])
{
    unsigned carry = 1;
    for (size_t i = 16; i-- > 0;) {
        carry += counter[i];
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

tally_status tally_masked_ctr(const tally_masked_key *key, const tally_mask_source *source,
                              uint8_t counter[16], const uint8_t *in, size_t size, uint8_t *out)
{
    if (!masked_is_one_key(key)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const size_t most = 16 * tally_masked_blocks(key->slicing);
    _Alignas(8) uint8_t counters[16 * MASKED_MAX_BLOCKS], data[16 * MASKED_MAX_BLOCKS];
    uint8_t next[16];
    tally_status status = TALLY_OK;
    memcpy(next, counter, 16);
    for (size_t done = 0; done < size && status == TALLY_OK; done += most) {
        const size_t some = size - done < most ? size - done : most, blocks = (some + 15) / 16;
        for (size_t b = 0; b < blocks; b++) {
            memcpy(counters + 16 * b, next, 16);
            masked_next_counter(next);
        }
        memset(data + 16 * (blocks - 1), 0, 16);
        memcpy(data, in + done, some);
        status = tally_masked_crypt_blocks(key, TALLY_ENCRYPT, source, counters, NULL, data, blocks,
                                           data);
        memcpy(out + done, data, some);
    }
    tally_wipe(data, sizeof data);
    if (status == TALLY_OK) {
        memcpy(counter, next, 16);
    } else {
        tally_wipe(out, size);
    }
    return status;
}

tally_status tally_masked_cbc_encrypt(const tally_masked_key *key, const tally_mask_source *source,
                                      uint8_t iv[16], const uint8_t *in, size_t size, uint8_t *out)
{
    if (!masked_is_one_key(key) || size % 16 != 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint8_t *chain = iv;
    tally_status status = TALLY_OK;
    for (size_t done = 0; done < size && status == TALLY_OK; done += 16) {
        status = tally_masked_crypt_blocks(key, TALLY_ENCRYPT, source, in + done, chain, NULL, 1,
                                           out + done);
        chain = out + done;
    }
    if (status != TALLY_OK) {
        tally_wipe(out, size);
    } else if (size > 0) {
        memcpy(iv, chain, 16);
    }
    return status;
}

tally_status tally_masked_cbc_decrypt(const tally_masked_key *key, const tally_mask_source *source,
                                      uint8_t iv[16], const uint8_t *in, size_t size, uint8_t *out)
{
    if (!masked_is_one_key(key) || size % 16 != 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    const size_t most = 16 * tally_masked_blocks(key->slicing);
    /* The block before each block, and then the last one: `out` may be where they were. */
    _Alignas(8) uint8_t chain[16 * (MASKED_MAX_BLOCKS + 1)];
    tally_status status = TALLY_OK;
    memcpy(chain, iv, 16);
    for (size_t done = 0; done < size && status == TALLY_OK; done += most) {
        const size_t some = size - done < most ? size - done : most;
        memcpy(chain + 16, in + done, some);
        status = tally_masked_crypt_blocks(key, TALLY_DECRYPT, source, in + done, NULL, chain,
                                           some / 16, out + done);
        memmove(chain, chain + some, 16);
    }
    if (status == TALLY_OK) {
        memcpy(iv, chain, 16);
    } else {
        tally_wipe(out, size);
    }
    return status;
}

/* Multiplies a share's first block by x in GF(2^128), as SP 800-38B, section 6.1, does. This is
 * linear: so it goes share by share. It is never inlined, so that masked_forget comes between. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void
masked_double_share(uint8_t *share)
{
    unsigned carry = 0;
    for (size_t i = 16; i-- > 0;) {
        const unsigned doubled = (unsigned)share[i] << 1 | carry;
        share[i] = (uint8_t)doubled;
        carry = doubled >> 8;
    }
    share[15] ^= (uint8_t)(0x87 & (0 - carry));
}

/* All blocks of a word go through the cipher, so that none of them has shares that are not masked;
 * the first one is the message's. */
typedef struct masked_cmac_work {
    masked_state state;
    masked_blocks chain, subkey;
    _Alignas(8) uint8_t block[16];
} masked_cmac_work;

static tally_status masked_cmac_step(const tally_masked_key *key, const tally_mask_source *source,
                                     masked_blocks *blocks, masked_state *state)
{
    const size_t most = tally_masked_blocks(key->slicing);
    const uint8_t *const in[] = MASKED_SHARES(*blocks);
    uint8_t *const out[] = MASKED_SHARES(*blocks);
    key->slicing->slice(in, most, state->bytes);
    tally_status status = tally_masked_encrypt_state(key, source, state->bytes);
    if (status == TALLY_OK) {
        key->slicing->unslice(state->bytes, most, out);
    }
    return status;
}

static tally_status masked_cmac_zeros(const tally_masked_key *key, const tally_mask_source *source,
                                      masked_blocks *blocks)
{
    uint8_t *const share[] = MASKED_SHARES(*blocks);
    return tally_masked_share_bytes(source, key->slicing->shares, NULL, 0, share,
                                    16 * tally_masked_blocks(key->slicing));
}

static tally_status masked_cmac_subkey(const tally_masked_key *key, const tally_mask_source *source,
                                       int full, masked_cmac_work *work)
{
    tally_status status = masked_cmac_zeros(key, source, &work->subkey);
    if (status == TALLY_OK) {
        status = masked_cmac_step(key, source, &work->subkey, &work->state);
    }
    for (size_t s = 0; s < key->slicing->shares && status == TALLY_OK; s++) {
        tally_masked_forget();
        masked_double_share(work->subkey.share[s]);
        if (!full) {
            masked_double_share(work->subkey.share[s]);
        }
    }
    tally_masked_forget();
    return status;
}

static tally_status masked_cmac_chain(const tally_masked_key *key, const tally_mask_source *source,
                                      const uint8_t *in, size_t size, masked_cmac_work *work)
{
    const size_t blocks = size == 0 ? 1 : size / 16 + (size % 16 != 0);
    const int full = size != 0 && size % 16 == 0;
    tally_status status = masked_cmac_subkey(key, source, full, work);
    if (status == TALLY_OK) {
        status = masked_cmac_zeros(key, source, &work->chain);
    }
    for (size_t b = 0; b < blocks && status == TALLY_OK; b++) {
        const size_t at = 16 * b, some = size - at < 16 ? size - at : 16;
        memset(work->block, 0, 16);
        if (some > 0) {
            memcpy(work->block, in + at, some);
        }
        if (some < 16) {
            work->block[some] = 0x80;
        }
        tally_masked_add_share(work->chain.share[0], work->block, 16);
        for (size_t s = 0; s < key->slicing->shares && b + 1 == blocks; s++) {
            tally_masked_add_share(work->chain.share[s], work->subkey.share[s], 16);
        }
        status = masked_cmac_step(key, source, &work->chain, &work->state);
    }
    return status;
}

tally_status tally_masked_cmac(const tally_masked_key *key, const tally_mask_source *source,
                               const uint8_t *in, size_t size, uint8_t tag[16])
{
    masked_cmac_work work;
    if (!masked_is_one_key(key)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_wipe(&work, sizeof work); /* the stack might hold the other share */
    tally_status status = masked_cmac_chain(key, source, in, size, &work);
    if (status == TALLY_OK) {
        for (size_t s = 1; s < key->slicing->shares; s++) {
            tally_masked_add(work.chain.share[0], work.chain.share[s], 16);
        }
        memcpy(tag, work.chain.share[0], 16);
    } else {
        tally_wipe(tag, 16);
    }
    tally_wipe(&work, sizeof work);
    return status;
}

tally_status tally_masked_cmac_verify(const tally_masked_key *key, const tally_mask_source *source,
                                      const uint8_t *in, size_t size, const uint8_t *tag,
                                      size_t tag_size)
{
    uint8_t right[16];
    if (tag_size < 4 || tag_size > 16) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = tally_masked_cmac(key, source, in, size, right);
    if (status == TALLY_OK) {
        status = tally_equal(right, tag, tag_size) ? TALLY_OK : TALLY_ERROR_TAG;
        tally_wipe(right, sizeof right);
    }
    return status;
}
