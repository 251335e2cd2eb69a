/* SPDX-License-Identifier: Apache-2.0
 *
 * See gcm.h. */
#include "aes/gcm.h"

#include "base/barrier.h"
#include "base/bytes.h"

#include <string.h>

/* GHASH: a polynomial's bits are those of two big-endian numbers, the first at the top. */
typedef struct gcm_hash {
    uint64_t key[2];
    uint64_t sum[2];
} gcm_hash;

static void gcm_hash_block(gcm_hash *hash, const uint8_t block[16])
{
    const uint64_t sum[2] = {hash->sum[0] ^ tally_load_be64(block),
                             hash->sum[1] ^ tally_load_be64(block + 8)};
    uint64_t high = hash->key[0], low = hash->key[1], product[2] = {0, 0};
    for (int bit = 0; bit < 128; bit++) {
        /* The barrier keeps compilers from making a branch of the mask. */
        const uint64_t take = tally_barrier(0 - (sum[bit / 64] >> (63 - bit % 64) & 1));
        product[0] ^= high & take;
        product[1] ^= low & take;
        const uint64_t carry = tally_barrier(0 - (low & 1));
        low = low >> 1 | high << 63;
        high = high >> 1 ^ (UINT64_C(0xe1) << 56 & carry);
    }
    hash->sum[0] = product[0];
    hash->sum[1] = product[1];
}

/* Whole blocks, the last one with zeros behind. */
static void gcm_hash_bytes(gcm_hash *hash, const uint8_t *bytes, size_t size)
{
    uint8_t last[16] = {0};
    for (; size >= 16; bytes += 16, size -= 16) {
        gcm_hash_block(hash, bytes);
    }
    if (size > 0) {
        memcpy(last, bytes, size);
        gcm_hash_block(hash, last);
        tally_wipe(last, sizeof last);
    }
}

static void gcm_tag(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *sealed, size_t size, uint8_t tag[16])
{
    uint8_t block[16] = {0};
    gcm_hash hash = {{0, 0}, {0, 0}};
    tally_aes_encrypt_blocks(key, block, 1, block);
    hash.key[0] = tally_load_be64(block);
    hash.key[1] = tally_load_be64(block + 8);
    gcm_hash_bytes(&hash, associated, associated_size);
    gcm_hash_bytes(&hash, sealed, size);
    tally_store_be64((uint64_t)associated_size * 8, block);
    tally_store_be64((uint64_t)size * 8, block + 8);
    gcm_hash_block(&hash, block);
    memcpy(block, nonce, 12);
    tally_store_be32(1, block + 12);
    tally_aes_encrypt_blocks(key, block, 1, block);
    tally_store_be64(hash.sum[0] ^ tally_load_be64(block), tag);
    tally_store_be64(hash.sum[1] ^ tally_load_be64(block + 8), tag + 8);
    tally_wipe(block, sizeof block);
    tally_wipe(&hash, sizeof hash);
}

/* The counter's last 4 bytes do not wrap around: a message is shorter than that. */
static void gcm_crypt(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *in,
                      size_t size, uint8_t *out)
{
    uint8_t counter[16];
    if (size > 0) {
        memcpy(counter, nonce, 12);
        tally_store_be32(2, counter + 12);
        tally_aes_ctr(key, counter, in, size, out);
    }
}

void tally_gcm_seal(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                    size_t associated_size, const uint8_t *in, size_t size, uint8_t *out,
                    uint8_t tag[16])
{
    gcm_crypt(key, nonce, in, size, out);
    gcm_tag(key, nonce, associated, associated_size, out, size, tag);
}

int tally_gcm_open(const tally_aes_key *key, const uint8_t nonce[12], const uint8_t *associated,
                   size_t associated_size, const uint8_t *in, size_t size, const uint8_t tag[16],
                   uint8_t *out)
{
    uint8_t expected[16];
    gcm_tag(key, nonce, associated, associated_size, in, size, expected);
    const int is_right = tally_equal(expected, tag, 16);
    tally_wipe(expected, sizeof expected);
    if (!is_right) {
        return 0;
    }
    gcm_crypt(key, nonce, in, size, out);
    return 1;
}
