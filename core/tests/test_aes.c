/* SPDX-License-Identifier: Apache-2.0
 *
 * AES against published vectors, every back end in turn; the files name their sources. */
#include "aes/cmac.h"
#include "aes/gcm.h"
#include "aes/key.h"
#include "aes_backends.h"
#include "check.h"
#include "json.h"

#define MAX 64 /* bytes in a vector */

static bool is_zero(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    size_t i = 0;
    while (i < size && bytes[i] == 0) {
        i++;
    }
    return i == size;
}

static tally_aes_key read_key(const json_case *c)
{
    uint8_t bytes[32];
    tally_aes_key key;
    size_t size = json_hex(c, "key", bytes, sizeof bytes);
    CHECK_EQUAL(tally_aes_key_init(bytes, size, &key), TALLY_OK);
    return key;
}

static void check_blocks(const json_case *c)
{
    uint8_t plain[MAX], cipher[MAX], out[MAX];
    tally_aes_key key = read_key(c);
    size_t size = json_hex(c, "plaintext", plain, MAX);
    CHECK_EQUAL(json_hex(c, "ciphertext", cipher, MAX), size);
    tally_aes_encrypt_blocks(&key, plain, size / 16, out);
    CHECK_BYTES(out, cipher, size);
    tally_aes_decrypt_blocks(&key, cipher, size / 16, out);
    CHECK_BYTES(out, plain, size);
}

/* A key by its round keys is the same key, and one by other round keys another. */
static void check_round_keys(const json_case *c)
{
    uint8_t bytes[32], round_keys[15 * 16], plain[MAX], cipher[MAX], out[MAX];
    tally_aes_key key;
    size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
    size_t size = json_hex(c, "plaintext", plain, MAX), all = 4 * key_size + 112;
    json_hex(c, "ciphertext", cipher, MAX);
    CHECK_EQUAL(tally_aes_expand(bytes, key_size, round_keys), TALLY_OK);
    CHECK_BYTES(round_keys, bytes, key_size);
    CHECK_EQUAL(tally_aes_key_init_round_keys(round_keys, all, &key), TALLY_OK);
    tally_aes_encrypt_blocks(&key, plain, size / 16, out);
    CHECK_BYTES(out, cipher, size);
    tally_aes_decrypt_blocks(&key, cipher, size / 16, out);
    CHECK_BYTES(out, plain, size);
    round_keys[all - 1] ^= 1; /* of the last round key: the last bit of each block */
    CHECK_EQUAL(tally_aes_key_init_round_keys(round_keys, all, &key), TALLY_OK);
    tally_aes_encrypt_blocks(&key, plain, 1, out);
    out[15] ^= 1;
    CHECK_BYTES(out, cipher, 16);
    for (size_t wrong = 0; wrong <= 256; wrong++) {
        if (wrong != 176 && wrong != 208 && wrong != 240) {
            CHECK_EQUAL(tally_aes_key_init_round_keys(round_keys, wrong, &key),
                        TALLY_ERROR_KEY_SIZE);
        }
    }
    CHECK_EQUAL(tally_aes_expand(bytes, 20, round_keys), TALLY_ERROR_KEY_SIZE);
}

static void check_ctr(const json_case *c)
{
    uint8_t plain[MAX], cipher[MAX], out[MAX], counter[16];
    tally_aes_key key = read_key(c);
    size_t size = json_hex(c, "plaintext", plain, MAX);
    CHECK_EQUAL(json_hex(c, "ciphertext", cipher, MAX), size);
    CHECK_EQUAL(json_hex(c, "counter", counter, 16), 16);
    tally_aes_ctr(&key, counter, plain, size, out);
    CHECK_BYTES(out, cipher, size);
    json_hex(c, "counter", counter, 16);
    tally_aes_ctr(&key, counter, cipher, size, out);
    CHECK_BYTES(out, plain, size);
}

static void check_cmac(const json_case *c)
{
    uint8_t bytes[32], message[MAX], tag[16], out[16], second[16];
    tally_cmac_key key, copy;
    size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
    size_t size = json_hex(c, "message", message, MAX);
    CHECK_EQUAL(json_hex(c, "tag", tag, 16), 16);
    CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_OK);
    tally_cmac(&key, message, size, out);
    CHECK_BYTES(out, tag, 16);
    tally_cmac_key_init_aes(&key.aes, &copy);
    tally_cmac(&copy, message, size, out);
    CHECK_BYTES(out, tag, 16);
    tally_cmac_pair(&key, message, message, size, NULL, out, second);
    CHECK_BYTES(out, tag, 16);
    CHECK_BYTES(second, tag, 16);
    tally_cmac_state state;
    tally_cmac_init(&state, &key);
    tally_cmac_update(&state, message, size);
    tally_cmac_final(&state, out);
    CHECK_BYTES(out, tag, 16);
    CHECK(is_zero(&state, sizeof state));
}

/* Nothing of a key or of an unfinished message remains. */
static void check_wipes(void)
{
    const uint8_t bytes[32] = {1, 2, 3};
    tally_cmac_key cmac;
    tally_cmac_state state;
    tally_aes_key key;
    CHECK_EQUAL(tally_aes_key_init(bytes, sizeof bytes, &key), TALLY_OK);
    CHECK_EQUAL(tally_cmac_key_init(bytes, sizeof bytes, &cmac), TALLY_OK);
    tally_cmac_init(&state, &cmac);
    tally_cmac_update(&state, bytes, sizeof bytes);
    tally_cmac_wipe(&state);
    CHECK(is_zero(&state, sizeof state));
    tally_cmac_key_wipe(&cmac);
    CHECK(is_zero(&cmac, sizeof cmac));
    tally_aes_key_wipe(&key);
    CHECK(is_zero(&key, sizeof key));
}

/* Keys of a constant size are those of the general functions. */
static void check_constant_sizes(void)
{
    const uint8_t bytes[32] = {4, 5, 6}, block[16] = {7};
    uint8_t out[16], expected[16];
    tally_cmac_key cmac, general;
    tally_aes_key key, other;
    tally_aes_key_init_128(bytes, &key);
    CHECK_EQUAL(tally_aes_key_init(bytes, 16, &other), TALLY_OK);
    tally_aes_encrypt_blocks(&key, block, 1, out);
    tally_aes_encrypt_blocks(&other, block, 1, expected);
    CHECK_BYTES(out, expected, 16);
    tally_aes_key_init_256(bytes, &key);
    CHECK_EQUAL(tally_aes_key_init(bytes, 32, &other), TALLY_OK);
    tally_aes_encrypt_blocks(&key, block, 1, out);
    tally_aes_encrypt_blocks(&other, block, 1, expected);
    CHECK_BYTES(out, expected, 16);
    tally_cmac_key_init_256(bytes, &cmac);
    CHECK_EQUAL(tally_cmac_key_init(bytes, 32, &general), TALLY_OK);
    tally_cmac(&cmac, block, 16, out);
    tally_cmac(&general, block, 16, expected);
    CHECK_BYTES(out, expected, 16);
}

/* Wrong tags must differ from ours, and keys of wrong sizes be refused. */
static void check_wycheproof(const json_case *c)
{
    uint8_t bytes[64], message[MAX], tag[16], out[16], many[3][16];
    const bool valid = strcmp(json_string(c, "result"), "valid") == 0;
    tally_cmac_key key;
    size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
    size_t size = json_hex(c, "message", message, MAX);
    if (key_size != 16 && key_size != 24 && key_size != 32) {
        CHECK(!valid);
        CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_ERROR_KEY_SIZE);
        return;
    }
    CHECK_EQUAL(json_hex(c, "tag", tag, 16), 16);
    CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_OK);
    tally_cmac(&key, message, size, out);
    CHECK((memcmp(out, tag, 16) == 0) == valid);
    const uint8_t *messages[3] = {message, message, message};
    const size_t sizes[3] = {size / 2, size, size / 3};
    tally_cmac_many(&key, messages, sizes, 3, many);
    CHECK((memcmp(many[1], tag, 16) == 0) == valid);
}

/* GCM, also in place; a wrong tag, message or associated data is refused. */
static void check_gcm(const json_case *c)
{
    enum { MOST = 600 };
    uint8_t nonce[12], message[MOST], sealed[MOST], associated[MOST], tag[16], made[16], out[MOST];
    const bool valid = strcmp(json_string(c, "result"), "valid") == 0;
    tally_aes_key key = read_key(c);
    const size_t size = json_hex(c, "message", message, MOST);
    const size_t associated_size = json_hex(c, "associated", associated, MOST);
    CHECK_EQUAL(json_hex(c, "nonce", nonce, 12), 12);
    CHECK_EQUAL(json_hex(c, "ciphertext", sealed, MOST), size);
    CHECK_EQUAL(json_hex(c, "tag", tag, 16), 16);
    memset(out, 0x55, sizeof out);
    CHECK_EQUAL(tally_gcm_open(&key, nonce, associated, associated_size, sealed, size, tag, out),
                valid);
    if (!valid) {
        for (size_t i = 0; i < sizeof out; i++) {
            CHECK(out[i] == 0x55);
        }
        return;
    }
    CHECK_BYTES(out, message, size);
    tally_gcm_seal(&key, nonce, associated, associated_size, out, size, out, made);
    CHECK_BYTES(out, sealed, size);
    CHECK_BYTES(made, tag, 16);
    uint8_t *const parts[] = {nonce, associated, sealed, tag};
    const size_t sizes[] = {12, associated_size, size, 16};
    for (size_t part = 0; part < 4; part++) {
        for (size_t i = 0; i < sizes[part]; i++) {
            const uint8_t bit = (uint8_t)(1 << (i % 8));
            parts[part][i] ^= bit;
            CHECK(
                !tally_gcm_open(&key, nonce, associated, associated_size, sealed, size, tag, out));
            parts[part][i] ^= bit;
        }
    }
}

/* AESAVS, section 6.4.1: 100 times 1000 blocks in a chain, each thousand under a new key that is
 * the old one xor the last key_size bytes of the chain. */
static void check_monte_carlo(const json_case *c)
{
    bool encrypt = strcmp(json_string(c, "direction"), "encrypt") == 0;
    uint8_t bytes[32], chain[2][16], expected[16]; /* the last two blocks of the chain */
    size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
    json_hex(c, "input", chain[1], 16);
    for (int i = 0; i < 100; i++) {
        tally_aes_key key;
        CHECK_EQUAL(tally_aes_key_init(bytes, key_size, &key), TALLY_OK);
        for (int j = 0; j < 1000; j++) {
            memcpy(chain[0], chain[1], 16);
            if (encrypt) {
                tally_aes_encrypt_blocks(&key, chain[0], 1, chain[1]);
            } else {
                tally_aes_decrypt_blocks(&key, chain[0], 1, chain[1]);
            }
        }
        if (i == 0) {
            json_hex(c, "first", expected, 16);
            CHECK_BYTES(chain[1], expected, 16);
        }
        for (size_t k = 0; k < key_size; k++) {
            size_t at = 32 - key_size + k;
            bytes[k] ^= chain[at / 16][at % 16];
        }
    }
    json_hex(c, "last", expected, 16);
    CHECK_BYTES(chain[1], expected, 16);
}

static void check_file(const char *path, void (*check_case)(const json_case *))
{
    json_file *file = json_load(path);
    for (size_t b = 0; b < AES_BACKENDS; b++) {
        if (!aes_use_backend(&aes_backends[b])) {
            continue;
        }
        for (size_t i = 0; i < json_count(file); i++) {
            const json_case *c = json_at(file, i);
            CHECK_ABOUT("%s, %s", aes_backends[b].name, json_string(c, "source"));
            check_case(c);
        }
    }
    json_free(file);
}

int main(void)
{
    check_file(TALLY_VECTORS "/aes_blocks.json", check_blocks);
    check_file(TALLY_VECTORS "/aes_blocks.json", check_round_keys);
    check_file(TALLY_VECTORS "/aes_ctr.json", check_ctr);
    check_file(TALLY_VECTORS "/aes_cmac.json", check_cmac);
    check_file(TALLY_VECTORS "/aes_cmac_wycheproof.json", check_wycheproof);
    check_file(TALLY_VECTORS "/aes_gcm_wycheproof.json", check_gcm);
    check_file(TALLY_VECTORS "/aes_monte_carlo.json", check_monte_carlo);
    check_wipes();
    check_constant_sizes();
    return check_end("aes");
}
