/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of AES: keys, data and counters are secret. */
#include "base/cpu.h"
#include "secret.h"

#include "aes/cmac.h"
#include "aes/gcm.h"
#include "tallystick/aes.h"

#define BLOCKS 37
#define SIZE   (16 * BLOCKS + 5)

enum { KEYS = 5, MANY = 21, LONG = 260 };

static void check_blocks(const uint8_t *secret_key, size_t key_size)
{
    static uint8_t data[16 * BLOCKS], out[SIZE], run[16 * LONG];
    uint8_t counter[16] = {0};
    tally_aes_key key;
    make_secret(data, sizeof data);
    make_secret(run, sizeof run);
    make_secret(counter, sizeof counter);
    if (tally_aes_key_init(secret_key, key_size, &key) != TALLY_OK) {
        fail("tally_aes_key_init failed");
    }
    for (size_t blocks = 1; blocks <= BLOCKS; blocks += 6) {
        tally_aes_encrypt_blocks(&key, data, blocks, out);
        expect_secret(out, 16 * blocks);
        tally_aes_decrypt_blocks(&key, data, blocks, out);
        expect_secret(out, 16 * blocks);
        tally_aes_ctr(&key, counter, data, 16 * blocks - 5, out);
        expect_secret(out, 16 * blocks - 5);
    }
    tally_aes_encrypt_blocks(&key, run, sizeof run / 16, run);
    expect_secret(run, sizeof run);
    tally_aes_ctr(&key, counter, run, sizeof run, run);
    expect_secret(run, sizeof run);
    tally_aes_ctr(&key, counter, NULL, SIZE, out);
    expect_secret(out, SIZE);
    tally_aes_ctr_at(&key, counter, 1000003, data, SIZE - 5, out);
    expect_secret(out, SIZE - 5);
    expect_secret(counter, 16);
    tally_wipe(&key, sizeof key);
}

static void check_keys(const uint8_t *secret_keys, size_t key_size)
{
    static tally_aes_key keys[KEYS];
    uint8_t block[16] = {0};
    if (tally_aes_keys_init(secret_keys, key_size, KEYS, keys) != TALLY_OK) {
        fail("tally_aes_keys_init failed");
    }
    for (size_t i = 0; i < KEYS; i++) {
        tally_aes_encrypt_blocks(&keys[i], block, 1, block);
        expect_secret(block, 16);
    }
    tally_wipe(keys, sizeof keys);
}

static void check_cmac(const uint8_t *secret_key, size_t key_size)
{
    static uint8_t messages[2][SIZE];
    uint8_t tags[MANY][16];
    const uint8_t *many[MANY];
    size_t sizes[MANY];
    tally_cmac_key key;
    tally_cmac_state state;
    make_secret(messages, sizeof messages);
    if (tally_cmac_key_init(secret_key, key_size, &key) != TALLY_OK) {
        fail("tally_cmac_key_init failed");
    }
    for (size_t size = 0; size <= SIZE; size += 11) {
        tally_cmac(&key, messages[0], size, tags[0]);
        expect_secret(tags[0], 16);
        tally_cmac_pair(&key, messages[0], messages[1], size, NULL, tags[0], tags[1]);
        expect_secret(tags[0], 32);
        tally_cmac_init(&state, &key);
        tally_cmac_update(&state, messages[0], size / 3);
        tally_cmac_update(&state, messages[1], size);
        tally_cmac_final(&state, tags[0]);
        expect_secret(tags[0], 16);
    }
    for (size_t i = 0; i < MANY; i++) {
        many[i] = messages[0] + i;
        sizes[i] = 7 * i;
    }
    tally_cmac_many(&key, many, sizes, MANY, tags);
    expect_secret(tags[0], sizeof tags);
    tally_wipe(&key, sizeof key);
}

/* Whether a tag is right is public; the rest of what is opened is not. */
static void check_gcm(const uint8_t *secret_key, size_t key_size)
{
    static uint8_t message[SIZE], associated[SIZE], nonce[12];
    uint8_t tag[16];
    tally_aes_key key;
    make_secret(message, sizeof message);
    make_secret(associated, sizeof associated);
    make_secret(nonce, sizeof nonce);
    if (tally_aes_key_init(secret_key, key_size, &key) != TALLY_OK) {
        fail("tally_aes_key_init failed");
    }
    for (size_t size = 0; size <= SIZE; size += 51) {
        tally_gcm_seal(&key, nonce, associated, size, message, size, message, tag);
        expect_secret(message, size);
        expect_secret(tag, 16);
    }
    tally_wipe(&key, sizeof key);
}

/* Keys by their round keys, as cryptol/suiteb_ffi.c has them, those of no key among them. */
static void check_round_keys(const uint8_t *secret_key, size_t key_size)
{
    static uint8_t messages[SIZE], out[16 * BLOCKS];
    uint8_t round_keys[16 * 15], tag[16];
    const size_t all = 4 * key_size + 112;
    tally_aes_key key;
    tally_cmac_key cmac;
    make_secret(messages, sizeof messages);
    if (tally_aes_expand(secret_key, key_size, round_keys) != TALLY_OK) {
        fail("tally_aes_expand failed");
    }
    expect_secret(round_keys, all);
    for (int any = 0; any < 2; any++) {
        if (any) {
            make_secret(round_keys, all);
        }
        if (tally_aes_key_init_round_keys(round_keys, all, &key) != TALLY_OK) {
            fail("tally_aes_key_init_round_keys failed");
        }
        for (size_t blocks = 1; blocks <= BLOCKS; blocks += 12) {
            tally_aes_encrypt_blocks(&key, messages, blocks, out);
            expect_secret(out, 16 * blocks);
            tally_aes_decrypt_blocks(&key, messages, blocks, out);
            expect_secret(out, 16 * blocks);
        }
        tally_cmac_key_init_aes(&key, &cmac);
        expect_secret(cmac.k1, 16);
        expect_secret(cmac.k2, 16);
        for (size_t size = 0; size <= SIZE; size += 99) {
            tally_cmac(&cmac, messages, size, tag);
            expect_secret(tag, 16);
        }
    }
    tally_wipe(&key, sizeof key);
    tally_wipe(&cmac, sizeof cmac);
}

static void check_backend(uint32_t allowed, const char *name)
{
    static uint8_t secret_key[32 * KEYS] = {1};
    tally_aes_key key;
    tally_cpu_lower(allowed);
    if (tally_aes_key_init(secret_key, 16, &key) != TALLY_OK ||
        strcmp(tally_aes_backend_name(&key), name) != 0) {
        printf("skipped: this CPU has no %s\n", name);
        return;
    }
    make_secret(secret_key, sizeof secret_key);
    for (size_t key_size = 16; key_size <= 32; key_size += 8) {
        check_blocks(secret_key, key_size);
        check_keys(secret_key, key_size);
        check_cmac(secret_key, key_size);
        check_gcm(secret_key, key_size);
        check_round_keys(secret_key, key_size);
    }
    printf("checked: %s\n", name);
}

static void check(void)
{
    check_backend(TALLY_CPU_AESNI | TALLY_CPU_SSSE3, "aes-ni");
    check_backend(TALLY_CPU_AVX2, "bitslice-avx2");
    check_backend(TALLY_CPU_SSSE3, "bitslice-ssse3");
    check_backend(TALLY_CPU_SSE2, "bitslice-sse2");
    check_backend(0, "bitslice");
}
