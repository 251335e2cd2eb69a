/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES: the table of back ends, keys, and blocks that are not shared. */
#include "base/align.h"
#include "base/arch.h"
#include "masked/blocks.h"

/* The narrowest first. */
static const tally_masked_slicing *const masked_slicings[] = {
#if !defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 16
    tally_masked_c16,
#endif
#if defined(TALLY_MASKED_CORTEX_M0)
    tally_masked_cortex_m0,
#elif !defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 32
    tally_masked_c32,
#endif
#if !defined(TALLY_SLICE_BITS) || TALLY_SLICE_BITS == 64
    tally_masked_c64,
#endif
#if !defined(TALLY_SLICE_BITS) && defined(TALLY_ARCH_X86_64)
    tally_masked_ssse3,     tally_masked_avx2, tally_masked_avx512,
#elif !defined(TALLY_SLICE_BITS) && defined(TALLY_ARCH_AARCH64)
    tally_masked_neon,
#endif
};

tally_status tally_masked_choose(unsigned order, unsigned bits, size_t blocks,
                                 const tally_masked_slicing **out)
{
    if (order < 1 || order > TALLY_MASKED_ORDERS) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_masked_slicing *found = NULL;
    for (size_t i = 0; i < sizeof masked_slicings / sizeof *masked_slicings; i++) {
        const tally_masked_slicing *one = &masked_slicings[i][order - 1];
        const int enough = found != NULL && tally_masked_blocks(found) >= blocks;
        if (tally_backend_lacks(&one->backend) == 0 && (bits == 0 ? !enough : one->bits == bits)) {
            found = one;
        }
    }
    if (found == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    *out = found;
    return TALLY_OK;
}

unsigned tally_masked_bits(const tally_masked_slicing *slicing)
{
    return slicing->bits;
}

size_t tally_masked_blocks(const tally_masked_slicing *slicing)
{
    return slicing->bits / 16;
}

size_t tally_masked_shares(const tally_masked_slicing *slicing)
{
    return slicing->shares;
}

size_t tally_masked_state_size(const tally_masked_slicing *slicing)
{
    return slicing->shares * slicing->bits;
}

static size_t masked_sbox_cost(const tally_masked_slicing *slicing)
{
    return tally_masked_sbox_randoms(slicing->shares) * slicing->bits / 8;
}

size_t tally_masked_share_cost(const tally_masked_slicing *slicing)
{
    return (slicing->shares - 1) * slicing->bits;
}

size_t tally_masked_crypt_cost(const tally_masked_slicing *slicing, size_t key_size)
{
    size_t cost = (key_size / 4 + 6) * masked_sbox_cost(slicing);
#if defined(TALLY_MASKED_SHUFFLE)
    cost += 4; /* of the order */
#endif
    return cost;
}

size_t tally_masked_expand_cost(const tally_masked_slicing *slicing, size_t key_size)
{
    return (key_size == 16 ? 10 : key_size == 24 ? 8 : 13) * masked_sbox_cost(slicing);
}

size_t tally_masked_key_size(const tally_masked_slicing *slicing, size_t key_size)
{
#if defined(TALLY_SLICE_BITS)
    _Static_assert(TALLY_MASKED_KEY_SIZE(0) >= MASKED_KEY_HEAD + 7 * 2 * TALLY_SLICE_BITS, "");
#endif
    return MASKED_KEY_HEAD + (key_size / 4 + 7) * tally_masked_state_size(slicing);
}

size_t tally_masked_refresh_cost(const tally_masked_slicing *slicing, size_t key_size)
{
    const size_t pairs = slicing->shares * (slicing->shares - 1) / 2;
    return (key_size / 4 + 7) * pairs * slicing->bits;
}

#if defined(__GNUC__)
#define MASKED_WORD_AT(p) __builtin_assume_aligned(p, 4)
#else
#define MASKED_WORD_AT(p) (p)
#endif

/* By words if both are aligned: small CPUs cannot load other words. */
void tally_masked_add(uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    if (((uintptr_t)a | (uintptr_t)b) % 4 == 0) {
        for (; i + 4 <= size; i += 4) {
            uint32_t x, y;
            memcpy(&x, MASKED_WORD_AT(a + i), 4);
            memcpy(&y, MASKED_WORD_AT(b + i), 4);
            x ^= y;
            memcpy(MASKED_WORD_AT(a + i), &x, 4);
        }
    }
    for (; i < size; i++) {
        a[i] ^= b[i];
    }
}

tally_status tally_masked_share_bytes(const tally_mask_source *source, size_t shares,
                                      const uint8_t *in, size_t size, uint8_t *const share[],
                                      size_t capacity)
{
    const size_t last = shares - 1;
    for (size_t s = 0; s < last; s++) {
        tally_status status = source->fill(source->context, share[s], capacity);
        if (status != TALLY_OK) {
            return status;
        }
    }
    memcpy(share[last], share[0], capacity);
    if (last == 2) {
        tally_masked_add(share[last], share[1], capacity);
    }
    tally_masked_add(share[last], in, size);
    return TALLY_OK;
}

static int masked_is_key_size(size_t size)
{
    return size % 8 == 0 && size >= 16 && size <= TALLY_MASKED_MAX_KEY;
}

/* Checks the arguments of an initialization, and places the key in memory, without round keys. */
static tally_status masked_key_place(const tally_masked_slicing *slicing, size_t key_size,
                                     void *memory, size_t memory_size, tally_masked_key **out)
{
    if (!masked_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    if (memory == NULL || memory_size < tally_masked_key_size(slicing, key_size)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_masked_key *key = tally_align_to(TALLY_MASKED_ALIGNMENT, memory);
    key->slicing = slicing;
    key->rounds = (uint32_t)key_size / 4 + 6;
    key->keys = 1;
    *out = key;
    return TALLY_OK;
}

/* Until a key is expanded, its memory is the workspace of the expansion, which needs no other:
 * - the first round key: parts of the key's shares;
 * - the second and the third: all shares, if they are computed here;
 * - the last two: all shares, sliced. */
static uint8_t *masked_round_key(tally_masked_key *key, uint32_t round)
{
    return key->round_keys + round * tally_masked_state_size(key->slicing);
}

/* S-boxes that load their random words from a register do not learn that the generator failed. So
 * the source is asked once, for no bytes, before a result of theirs is used. */
static tally_status masked_register_status(const tally_mask_source *source)
{
#if defined(TALLY_MASKED_CORTEX_M0) && defined(TALLY_RANDOM_REGISTER)
    return source->fill(source->context, NULL, 0);
#else
    (void)source;
    return TALLY_OK;
#endif
}

static tally_status masked_key_expand(tally_masked_key *key, const void *states,
                                      const tally_mask_source *source)
{
    const size_t key_size = 4 * (size_t)(key->rounds - 6);
    tally_status status = key->slicing->expand(states, key_size, source, key->round_keys);
    return status == TALLY_OK ? masked_register_status(source) : status;
}

static void masked_slice_key(tally_masked_key *key, const uint8_t *const shares[], size_t count)
{
    const tally_masked_slicing *slicing = key->slicing;
    const size_t blocks = tally_masked_blocks(slicing), capacity = 16 * blocks;
    const size_t key_size = 4 * (size_t)(key->rounds - 6);
    uint8_t *const part = masked_round_key(key, 0);
    const uint8_t *const parts[] = {part, part + capacity, part + 2 * capacity};
    for (size_t at = 0; at < key_size; at += 16) {
        const size_t some = key_size - at < 16 ? key_size - at : 16;
        for (size_t s = 0; s < slicing->shares; s++) {
            uint8_t *const share = part + s * capacity;
            for (size_t b = 0; b < count; b++) {
                memset(share + 16 * b + some, 0, 16 - some);
                tally_masked_copy_share(share + 16 * b, shares[s] + b * key_size + at, some);
            }
            for (size_t b = count; b < blocks; b *= 2) { /* one key, for all */
                tally_masked_copy_share(share + 16 * b, share, 16 * b);
            }
        }
        slicing->slice(parts, blocks, masked_round_key(key, key->rounds - (at == 0)));
    }
}

tally_status tally_masked_key_init_state(const tally_masked_slicing *slicing, const void *states,
                                         size_t key_size, const tally_mask_source *source,
                                         void *memory, size_t memory_size, tally_masked_key **out)
{
    tally_masked_key *key = NULL;
    tally_status status = masked_key_place(slicing, key_size, memory, memory_size, &key);
    if (status != TALLY_OK) {
        return status;
    }
    status = masked_key_expand(key, states, source);
    if (status != TALLY_OK) {
        tally_wipe(memory, memory_size);
        return status;
    }
    *out = key;
    return TALLY_OK;
}

tally_status tally_masked_key_init_shares(const tally_masked_slicing *slicing,
                                          const uint8_t *const shares[], size_t key_size,
                                          size_t count, const tally_mask_source *source,
                                          void *memory, size_t memory_size, tally_masked_key **out)
{
    tally_masked_key *key = NULL;
    tally_status status = masked_key_place(slicing, key_size, memory, memory_size, &key);
    if (status != TALLY_OK) {
        return status;
    }
    if (count != 1 && count != tally_masked_blocks(slicing)) {
        return TALLY_ERROR_ARGUMENT;
    }
    key->keys = (uint32_t)count;
    masked_slice_key(key, shares, count);
    status = masked_key_expand(key, masked_round_key(key, key->rounds - 1), source);
    if (status != TALLY_OK) {
        tally_wipe(memory, memory_size);
        return status;
    }
    *out = key;
    return TALLY_OK;
}

tally_status tally_masked_key_init(const tally_masked_slicing *slicing, const uint8_t *keys,
                                   size_t key_size, size_t count, const tally_mask_source *source,
                                   void *memory, size_t memory_size, tally_masked_key **out)
{
    tally_masked_key *key = NULL;
    tally_status status = masked_key_place(slicing, key_size, memory, memory_size, &key);
    if (status != TALLY_OK) {
        return status;
    }
    if (count != 1 && count != tally_masked_blocks(slicing)) {
        return TALLY_ERROR_ARGUMENT;
    }
    key->keys = (uint32_t)count;
    const size_t size = count * key_size, capacity = 2 * slicing->bits;
    uint8_t *const made = masked_round_key(key, 1);
    uint8_t *const share[] = {made, made + capacity, made + 2 * capacity};
    const uint8_t *const shares[] = {share[0], share[1], share[2]};
    status = tally_masked_share_bytes(source, slicing->shares, keys, size, share, size);
    if (status == TALLY_OK) {
        masked_slice_key(key, shares, count);
        tally_wipe(made, slicing->shares * capacity);
        status = masked_key_expand(key, masked_round_key(key, key->rounds - 1), source);
    }
    if (status != TALLY_OK) {
        tally_wipe(memory, memory_size);
        return status;
    }
    *out = key;
    return TALLY_OK;
}

static tally_status masked_crypt_state(const tally_masked_key *key, tally_direction direction,
                                       const tally_mask_source *source, void *state)
{
    const tally_masked_slicing *slicing = key->slicing;
    tally_status status = slicing->crypt[direction](key->round_keys, key->rounds, source, state);
    if (status == TALLY_OK) {
        status = masked_register_status(source);
    }
    if (status != TALLY_OK) {
        tally_wipe(state, tally_masked_state_size(slicing));
    }
    return status;
}

tally_status tally_masked_encrypt_state(const tally_masked_key *key,
                                        const tally_mask_source *source, void *state)
{
    return masked_crypt_state(key, TALLY_ENCRYPT, source, state);
}

tally_status tally_masked_decrypt_state(const tally_masked_key *key,
                                        const tally_mask_source *source, void *state)
{
    return masked_crypt_state(key, TALLY_DECRYPT, source, state);
}

void tally_masked_slice(const tally_masked_slicing *slicing, const uint8_t *const shares[],
                        size_t blocks, void *state)
{
    slicing->slice(shares, blocks, state);
}

void tally_masked_unslice(const tally_masked_slicing *slicing, const void *state, size_t blocks,
                          uint8_t *const shares[])
{
    slicing->unslice(state, blocks, shares);
}

tally_status tally_masked_crypt_blocks(const tally_masked_key *key, tally_direction direction,
                                       const tally_mask_source *source, const uint8_t *in,
                                       const uint8_t *before, const uint8_t *after, size_t blocks,
                                       uint8_t *out)
{
    const tally_masked_slicing *slicing = key->slicing;
    const size_t most = tally_masked_blocks(slicing), shares = slicing->shares;
    masked_state state;
    masked_blocks bytes;
    uint8_t *const share[] = MASKED_SHARES(bytes);
    const uint8_t *const shared[] = MASKED_SHARES(bytes);
    tally_status status = TALLY_OK;
    for (size_t done = 0; done < blocks && status == TALLY_OK; done += most) {
        const size_t some = blocks - done < most ? blocks - done : most;
        status =
            tally_masked_share_bytes(source, shares, in + 16 * done, 16 * some, share, 16 * most);
        if (status == TALLY_OK) {
            if (before != NULL) {
                tally_masked_add(share[shares - 1], before + 16 * done, 16 * some);
            }
            slicing->slice(shared, most, state.bytes);
            status = masked_crypt_state(key, direction, source, state.bytes);
        }
        if (status == TALLY_OK) {
            slicing->unslice(state.bytes, most, share);
            if (after != NULL) {
                tally_masked_add(share[0], after + 16 * done, 16 * some);
            }
            for (size_t s = 1; s < shares; s++) {
                tally_masked_add(share[0], share[s], 16 * some);
            }
            memcpy(out + 16 * done, share[0], 16 * some);
        }
    }
    tally_wipe(&state, tally_masked_state_size(slicing));
    for (size_t s = 0; s < shares; s++) {
        tally_wipe(bytes.share[s], 16 * most);
    }
    if (status != TALLY_OK) {
        tally_wipe(out, 16 * blocks);
    }
    return status;
}

tally_status tally_masked_encrypt_blocks(const tally_masked_key *key,
                                         const tally_mask_source *source, const uint8_t *in,
                                         size_t blocks, uint8_t *out)
{
    return tally_masked_crypt_blocks(key, TALLY_ENCRYPT, source, in, NULL, NULL, blocks, out);
}

tally_status tally_masked_decrypt_blocks(const tally_masked_key *key,
                                         const tally_mask_source *source, const uint8_t *in,
                                         size_t blocks, uint8_t *out)
{
    return tally_masked_crypt_blocks(key, TALLY_DECRYPT, source, in, NULL, NULL, blocks, out);
}

#if defined(TALLY_MASKED_CORTEX_M0) && !defined(TALLY_MASKED_SHUFFLE)
/* The second block of each share is the key's, which is expanded in the S-boxes of the rounds. */
static inline tally_status masked_encrypt_with_key(const tally_masked_slicing *slicing,
                                                   const uint8_t *const key[2],
                                                   const tally_mask_source *source,
                                                   const uint8_t in[16], uint8_t out[16])
{
    masked_state state;
    _Alignas(8) uint8_t bytes[2][32];
    uint8_t *const share[] = {bytes[0], bytes[1]};
    const uint8_t *const shared[] = {bytes[0], bytes[1]};
    tally_status status = tally_masked_share_bytes(source, 2, in, 16, share, 16);
    if (status == TALLY_OK) {
        tally_masked_copy_share(bytes[0] + 16, key[0], 16);
        tally_masked_copy_share(bytes[1] + 16, key[1], 16);
        slicing->slice(shared, 2, state.bytes);
        status = tally_masked_cortex_m0_once(source, state.bytes);
    }
    if (status == TALLY_OK) {
        status = masked_register_status(source);
    }
    if (status == TALLY_OK) {
        slicing->unslice(state.bytes, 2, share);
        tally_masked_add(share[0], share[1], 16);
        memcpy(out, share[0], 16);
    }
    tally_wipe(&state, tally_masked_state_size(slicing));
    tally_wipe(bytes, sizeof bytes);
    return status;
}
#else
static inline tally_status masked_encrypt_with_key(const tally_masked_slicing *slicing,
                                                   const uint8_t *const key[2],
                                                   const tally_mask_source *source,
                                                   const uint8_t in[16], uint8_t out[16])
{
    uint8_t memory[MASKED_PAIR_KEY];
    tally_masked_key *expanded = NULL;
    tally_status status =
        tally_masked_key_init_shares(slicing, key, 16, 1, source, memory, sizeof memory, &expanded);
    if (status == TALLY_OK) {
        status = tally_masked_encrypt_blocks(expanded, source, in, 1, out);
    }
    tally_wipe(memory, sizeof memory);
    return status;
}
#endif

tally_status tally_masked_encrypt_once(const uint8_t *const key[2], const tally_mask_source *source,
                                       const uint8_t in[16], uint8_t out[16])
{
    const tally_masked_slicing *slicing = NULL;
    tally_status status = tally_masked_choose(1, 0, 2, &slicing);
    if (status == TALLY_OK) {
        status = masked_encrypt_with_key(slicing, key, source, in, out);
    }
    if (status != TALLY_OK) {
        tally_wipe(out, 16);
    }
    return status;
}

void tally_masked_key_wipe(tally_masked_key *key)
{
    if (key->slicing != NULL) { /* else it was wiped before */
        tally_wipe(key, sizeof *key + (key->rounds + 1) * tally_masked_state_size(key->slicing));
    }
}

/* Each pair of shares gets the same random bytes, after the source has given all of them: so the
 * value stays whenever the source fails. */
static tally_status masked_refresh(const tally_mask_source *source, uint8_t *const shares[],
                                   size_t count, size_t size, uint8_t *random)
{
    tally_status status = TALLY_OK;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && status == TALLY_OK; j++) {
            status = source->fill(source->context, random, size);
            if (status == TALLY_OK) {
                tally_masked_add_share(shares[i], random, size);
                tally_masked_add_share(shares[j], random, size);
            }
        }
    }
    return status;
}

tally_status tally_masked_refresh(tally_masked_key *key, const tally_mask_source *source)
{
    const tally_masked_slicing *slicing = key->slicing;
    if (slicing == NULL) { /* it was wiped */
        return TALLY_ERROR_ARGUMENT;
    }
    _Alignas(8) uint8_t random[TALLY_MASKED_MAX_BITS];
    tally_status status = TALLY_OK;
    for (uint32_t round = 0; round <= key->rounds && status == TALLY_OK; round++) {
        uint8_t *const first = masked_round_key(key, round);
        uint8_t *const shares[] = {first, first + slicing->bits,
                                   first + (slicing->shares - 1) * slicing->bits};
        status = masked_refresh(source, shares, slicing->shares, slicing->bits, random);
    }
    tally_wipe(random, slicing->bits);
    return status;
}

tally_status tally_masked_refresh_shares(uint8_t *const shares[], size_t count, size_t size,
                                         const tally_mask_source *source)
{
    if (count < 2 || count > 3) {
        return TALLY_ERROR_ARGUMENT;
    }
    _Alignas(8) uint8_t random[32];
    tally_status status = TALLY_OK;
    for (size_t at = 0; at < size && status == TALLY_OK; at += sizeof random) {
        const size_t some = size - at < sizeof random ? size - at : sizeof random;
        uint8_t *const parts[] = {shares[0] + at, shares[1] + at, shares[count - 1] + at};
        status = masked_refresh(source, parts, count, some, random);
    }
    tally_wipe(random, sizeof random);
    return status;
}
