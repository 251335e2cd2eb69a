/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of masked AES: keys, masks and data are secret. */
#include "secret.h"

#include "tallystick/masked_modes.h"
#include "tallystick/masked_random.h"

enum { BLOCKS = 17, MEMORY = 1 << 16 };

static tally_status secret_fill(void *context, uint8_t *out, size_t size)
{
    memset(out, *(uint8_t *)context, size);
    make_secret(out, size);
    return TALLY_OK;
}

static void check_slicing(const tally_masked_slicing *slicing, const uint8_t *secret_key,
                          size_t key_size)
{
    static uint8_t data[16 * BLOCKS], out[16 * BLOCKS], memory[MEMORY];
    uint8_t mask = 0x5a;
    const tally_mask_source source = {secret_fill, &mask};
    tally_masked_key *key;
    make_secret(data, sizeof data);
    if (tally_masked_key_init(slicing, secret_key, key_size, 1, &source, memory, sizeof memory,
                              &key) != TALLY_OK) {
        fail("tally_masked_key_init failed");
    }
    if (tally_masked_encrypt_blocks(key, &source, data, BLOCKS, out) != TALLY_OK) {
        fail("tally_masked_encrypt_blocks failed");
    }
    expect_secret(out, sizeof out);
    if (tally_masked_decrypt_blocks(key, &source, data, BLOCKS, out) != TALLY_OK) {
        fail("tally_masked_decrypt_blocks failed");
    }
    expect_secret(out, sizeof out);
    uint8_t iv[16] = {0}, tag[16];
    if (tally_masked_refresh(key, &source) != TALLY_OK ||
        tally_masked_ctr(key, &source, iv, data, sizeof data - 3, out) != TALLY_OK ||
        tally_masked_cbc_encrypt(key, &source, iv, data, sizeof data, out) != TALLY_OK ||
        tally_masked_cbc_decrypt(key, &source, iv, data, sizeof data, out) != TALLY_OK ||
        tally_masked_cmac(key, &source, data, sizeof data - 3, tag) != TALLY_OK) {
        fail("a mode failed");
    }
    expect_secret(out, sizeof out);
    expect_secret(tag, sizeof tag);
}

static void check_drbg(void)
{
    static tally_masked_drbg drbg;
    uint8_t mask = 0x5a, out[100];
    const tally_mask_source source = {secret_fill, &mask};
    if (tally_masked_drbg_init(&drbg, &source) != TALLY_OK ||
        tally_masked_drbg_fill(&drbg, out, sizeof out) != TALLY_OK ||
        tally_masked_drbg_reseed(&drbg) != TALLY_OK) {
        fail("the generator failed");
    }
    expect_secret(out, sizeof out);
}

static void check_once(const uint8_t *secret_key)
{
    const uint8_t *const shares[] = {secret_key, secret_key + 16};
    uint8_t mask = 0x5a, data[16] = {2}, out[16];
    const tally_mask_source source = {secret_fill, &mask};
    make_secret(data, sizeof data);
    if (tally_masked_encrypt_once(shares, &source, data, out) != TALLY_OK) {
        fail("tally_masked_encrypt_once failed");
    }
    expect_secret(out, sizeof out);
}

static void check(void)
{
    uint8_t secret_key[32] = {1};
    make_secret(secret_key, sizeof secret_key);
    check_once(secret_key);
    check_drbg();
    for (unsigned bits = 16; bits <= 256; bits *= 2) { /* valgrind knows no AVX-512 */
        for (unsigned order = 1; order <= 2; order++) {
            const tally_masked_slicing *slicing;
            if (tally_masked_choose(order, bits, 0, &slicing) != TALLY_OK) {
                printf("skipped: this CPU has no words of %u bits\n", bits);
                continue;
            }
            for (size_t key_size = 16; key_size <= 32; key_size += 8) {
                check_slicing(slicing, secret_key, key_size);
            }
            printf("checked: %u bits, order %u\n", bits, order);
        }
    }
}
