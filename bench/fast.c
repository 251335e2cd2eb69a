/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of FAST's one-word code. Each line is a JSON object with the nanoseconds for a word of one
 * radix: with a cached sequence, with a new tweak each time, and for the first word after
 * creating a cipher, pool and all. The argument is how many times all radices are gone through.
 *
 * A word is the token of the one before, so that nothing overlaps: this is latency. Memory is used
 * again and warm. Time is the thread's own. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tallystick/fast.h"

enum { LENGTH = 16, SLOTS = 64, WORDS = 2000, FIRSTS = 10, TWEAK = 16 };

static const uint32_t radices[] = {10, 16, 26, 36, 62, 64, 95, 128, 256};
enum { RADICES = sizeof radices / sizeof radices[0] };

/* A pool and a cipher, in memory that every new key uses again. */
typedef struct instance {
    tally_fast_params params;
    size_t pool_size, cipher_size;
    void *pool_memory, *cipher_memory;
    tally_fast_cipher *cipher;
} instance;

static uint64_t next_serial(void)
{
    static uint64_t serial = 0;
    return ++serial;
}

static void fail(const char *reason)
{
    fprintf(stderr, "fast: %s\n", reason);
    exit(EXIT_FAILURE);
}

static void must(tally_status status)
{
    if (status != TALLY_OK) {
        fail(tally_status_text(status));
    }
}

static void allocate(instance *x, uint32_t radix)
{
    must(tally_fast_recommended(TALLY_FAST, radix, LENGTH, &x->params));
    x->pool_size = tally_fast_pool_size(radix);
    x->cipher_size = tally_fast_cipher_size(SLOTS);
    x->pool_memory = malloc(x->pool_size);
    x->cipher_memory = malloc(x->cipher_size);
    if (x->pool_memory == NULL || x->cipher_memory == NULL) {
        fail("no memory");
    }
}

static void set_up(instance *x)
{
    uint8_t key[16] = {0};
    uint64_t serial = next_serial();
    tally_fast_pool *pool;
    memcpy(key, &serial, sizeof serial);
    must(tally_fast_pool_init(TALLY_FAST, x->params.radix, key, sizeof key, x->pool_memory,
                              x->pool_size, &pool));
    must(tally_fast_cipher_init(pool, SLOTS, x->cipher_memory, x->cipher_size, &x->cipher));
}

static void encrypt(instance *x, const uint8_t tweak[TWEAK], uint8_t word[LENGTH])
{
    must(tally_fast_encrypt_words(x->cipher, &x->params, tweak, TWEAK, word, 1, word));
}

static void decrypt(instance *x, const uint8_t tweak[TWEAK], uint8_t word[LENGTH])
{
    must(tally_fast_decrypt_words(x->cipher, &x->params, tweak, TWEAK, word, 1, word));
}

static double time_encrypt(instance *x, uint8_t word[LENGTH])
{
    static const uint8_t tweak[TWEAK] = {0};
    double start = worked();
    for (int i = 0; i < WORDS; i++) {
        encrypt(x, tweak, word);
    }
    return (worked() - start) / WORDS;
}

static double time_decrypt(instance *x, uint8_t word[LENGTH])
{
    static const uint8_t tweak[TWEAK] = {0};
    double start = worked();
    for (int i = 0; i < WORDS; i++) {
        decrypt(x, tweak, word);
    }
    return (worked() - start) / WORDS;
}

static double time_new_tweak(instance *x, uint8_t word[LENGTH])
{
    uint8_t tweak[TWEAK] = {0};
    double start = worked();
    for (int i = 0; i < WORDS; i++) {
        uint64_t serial = next_serial();
        memcpy(tweak, &serial, sizeof serial);
        encrypt(x, tweak, word);
    }
    return (worked() - start) / WORDS;
}

static double time_first(instance *x, uint8_t word[LENGTH])
{
    static const uint8_t tweak[TWEAK] = {0};
    double start = worked();
    for (int i = 0; i < FIRSTS; i++) {
        set_up(x);
        encrypt(x, tweak, word);
    }
    return (worked() - start) / FIRSTS;
}

static void measure(instance *x, int shown)
{
    uint8_t word[LENGTH], before[LENGTH];
    for (uint32_t i = 0; i < LENGTH; i++) {
        word[i] = (uint8_t)(i % x->params.radix);
    }
    double first_word = time_first(x, word);
    memcpy(before, word, LENGTH);
    double encrypted = time_encrypt(x, word), decrypted = time_decrypt(x, word);
    if (memcmp(before, word, LENGTH) != 0) {
        fail("decryption does not undo encryption");
    }
    double new_tweak = time_new_tweak(x, word);
    if (shown) {
        printf("{\"radix\": %u, \"length\": %d, \"encrypt\": %.2f, \"decrypt\": %.2f, "
               "\"new_tweak\": %.2f, \"first_word\": %.1f}\n",
               x->params.radix, LENGTH, encrypted, decrypted, new_tweak, first_word);
    }
}

int main(int argc, char **argv)
{
    static instance instances[RADICES];
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    for (int i = 0; i < RADICES; i++) {
        allocate(&instances[i], radices[i]);
    }
    for (long run = 0; run <= runs; run++) { /* the first is for warming up */
        for (int i = 0; i < RADICES; i++) {
            measure(&instances[i], run > 0);
        }
    }
    for (int i = 0; i < RADICES; i++) {
        free(instances[i].pool_memory);
        free(instances[i].cipher_memory);
    }
    return EXIT_SUCCESS;
}
