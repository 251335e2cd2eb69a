/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of AES on each back end that this machine has. Each line is a JSON object: the work, the
 * back end, its bytes, and nanoseconds. Results are checked. Time is the thread's own. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aes_sizes.h"
#include "base/cpu.h"
#include "clock.h"
#include "tallystick/aes.h"

enum { KEYS = 64, MESSAGES = 64 };

static _Alignas(64) uint8_t data[AES_MOST];
static uint8_t tags[MESSAGES][16];
static tally_aes_key keys[KEYS];

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "aes: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

typedef struct work {
    tally_aes_key key;
    tally_cmac_key cmac;
    uint8_t counter[16];
    size_t size;
} work;

typedef void function(work *what);

static void encrypt(work *x)
{
    tally_aes_encrypt_blocks(&x->key, data, x->size / 16, data);
}

static void decrypt(work *x)
{
    tally_aes_decrypt_blocks(&x->key, data, x->size / 16, data);
}

static void ctr(work *x)
{
    tally_aes_ctr(&x->key, x->counter, data, x->size, data);
}

/* MESSAGES of x->size bytes each, one by one or together. */
static void cmac_apart(work *x)
{
    for (size_t i = 0; i < MESSAGES; i++) {
        tally_cmac(&x->cmac, data + x->size * i, x->size, tags[i]);
    }
}

static void cmac_together(work *x)
{
    const uint8_t *messages[MESSAGES];
    size_t sizes[MESSAGES];
    for (size_t i = 0; i < MESSAGES; i++) {
        messages[i] = data + x->size * i;
        sizes[i] = x->size;
    }
    tally_cmac_many(&x->cmac, messages, sizes, MESSAGES, tags);
}

static void keys_apart(work *x)
{
    for (size_t i = 0; i < KEYS; i++) {
        must(tally_aes_key_init(data + x->size * i, x->size, &keys[i]) == TALLY_OK, "no key");
    }
}

static void keys_together(work *x)
{
    must(tally_aes_keys_init(data, x->size, KEYS, keys) == TALLY_OK, "no keys");
}

/* Runs some work until it took long enough; `bytes` is what it is about, or 0. */
static void measure(const char *name, const char *how, function *run, work *x, size_t bytes,
                    double amount)
{
    double taken = 0;
    long calls = 0;
    run(x);
    for (double start = worked(); taken < AES_ENOUGH; taken = worked() - start) {
        for (long k = 0; k < aes_calls(bytes != 0 ? bytes : 4096); k++, calls++) {
            run(x);
        }
    }
    printf("{\"work\": \"%s\", \"by\": \"%s%s\", \"bytes\": %zu, \"ns\": %.6g}\n", name,
           tally_aes_backend_name(&x->key), how, bytes, taken / (double)calls / amount);
}

static void measure_sizes(const char *name, function *run, work *x)
{
    for (size_t i = 0; i < sizeof aes_sizes / sizeof *aes_sizes; i++) {
        char full[60];
        x->size = aes_sizes[i].size;
        snprintf(full, sizeof full, "%s, %s", name, aes_sizes[i].name);
        measure(full, "", run, x, x->size, 1);
    }
}

/* Nanoseconds a message, or a key. */
static void measure_many(work *x)
{
    static const size_t sizes[] = {16, 24, 64, 256};
    char name[60];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        x->size = sizes[i];
        snprintf(name, sizeof name, "AES-128 CMAC, one of %d messages of %zu bytes", MESSAGES,
                 x->size);
        measure(name, "", cmac_together, x, 0, MESSAGES);
        measure(name, ", one by one", cmac_apart, x, 0, MESSAGES);
    }
    for (x->size = 16; x->size <= 32; x->size += 16) {
        snprintf(name, sizeof name, "AES-%zu key schedule, one of %d", 8 * x->size, KEYS);
        measure(name, "", keys_together, x, 0, KEYS);
        measure(name, ", one by one", keys_apart, x, 0, KEYS);
    }
}

static void check(const work *x)
{
    static const uint8_t plain[16] = AES_PLAIN, cipher[16] = AES_CIPHER;
    uint8_t block[16];
    tally_aes_encrypt_blocks(&x->key, plain, 1, block);
    must(memcmp(block, cipher, 16) == 0, "a block is wrong");
    tally_aes_decrypt_blocks(&x->key, block, 1, block);
    must(memcmp(block, plain, 16) == 0, "a block does not come back");
}

static void measure_key_size(const char *bits, size_t key_size, work *x)
{
    static const uint8_t key[32] = AES_KEY;
    char name[40];
    must(tally_aes_key_init(key, key_size, &x->key) == TALLY_OK, "no key");
    snprintf(name, sizeof name, "AES-%s encrypt", bits);
    measure_sizes(name, encrypt, x);
    snprintf(name, sizeof name, "AES-%s CTR", bits);
    measure_sizes(name, ctr, x);
}

int main(void)
{
    static const uint8_t key[32] = AES_KEY;
    static const uint32_t levels[] = {
        UINT32_MAX,
        ~(uint32_t)(TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2),
        TALLY_CPU_AESNI | TALLY_CPU_SSSE3,
        TALLY_CPU_AVX512 | TALLY_CPU_AVX2,
        TALLY_CPU_AVX2,
        TALLY_CPU_SSSE3,
        TALLY_CPU_SSE2 | TALLY_CPU_NEON,
        0,
    };
    static work x;
    const char *before = "";
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        must(tally_aes_key_init(key, 16, &x.key) == TALLY_OK, "no key");
        if (strcmp(tally_aes_backend_name(&x.key), before) == 0) {
            continue; /* this machine has no more */
        }
        before = tally_aes_backend_name(&x.key);
        check(&x);
        measure_key_size("128", 16, &x);
        measure_sizes("AES-128 decrypt", decrypt, &x);
        must(tally_cmac_key_init(key, 16, &x.cmac) == TALLY_OK, "no key");
        measure_many(&x);
        measure_key_size("256", 32, &x);
    }
    return EXIT_SUCCESS;
}
