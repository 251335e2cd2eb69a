/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of FAST's one-word code, one JSON object a line: nanoseconds for a word with the sequence at
 * hand, with a new tweak each time, and for the first word after creating a cipher. Each is the best
 * of several runs, for other work on a machine only ever adds time. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tallystick/fast.h"

enum { LENGTH = 16, SLOTS = 64, RUNS = 15 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct instance {
    tally_fast_params params;
    size_t pool_size, cipher_size;
    void *pool_memory, *cipher_memory;
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
} instance;

static void set_up(instance *x, const uint8_t key[16])
{
    tally_fast_pool_init(TALLY_FAST, x->params.radix, key, 16, x->pool_memory, x->pool_size,
                         &x->pool);
    tally_fast_cipher_init(x->pool, SLOTS, x->cipher_memory, x->cipher_size, &x->cipher);
}

static void words(instance *x, int decrypt, int new_tweak, size_t count, uint8_t *word)
{
    uint8_t tweak[64] = {0};
    for (size_t i = 0; i < count; i++) {
        if (new_tweak) {
            static uint64_t serial = 0;
            serial++;
            memcpy(tweak, &serial, sizeof serial);
        }
        (decrypt ? tally_fast_decrypt_words : tally_fast_encrypt_words)(
            x->cipher, &x->params, tweak, new_tweak ? 16 : 8, word, 1, word);
    }
}

static double best_words(instance *x, int decrypt, int new_tweak, size_t count)
{
    uint8_t word[LENGTH];
    for (size_t i = 0; i < LENGTH; i++) {
        word[i] = (uint8_t)(i % x->params.radix);
    }
    double best = 1e18;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        words(x, decrypt, new_tweak, count, word);
        double each = (now() - start) / (double)count;
        best = each < best ? each : best;
    }
    return best;
}

static double best_first(instance *x)
{
    double best = 1e18;
    for (int run = 0; run < 20 * RUNS; run++) {
        uint8_t key[16] = {(uint8_t)run, (uint8_t)(run >> 8)}, word[LENGTH] = {0};
        double start = now();
        set_up(x, key);
        words(x, 0, 0, 1, word);
        double each = now() - start;
        best = each < best ? each : best;
    }
    return best;
}

int main(void)
{
    static const uint32_t radices[] = {10, 16, 26, 36, 62, 64, 95, 128, 256};
    for (size_t i = 0; i < sizeof radices / sizeof radices[0]; i++) {
        instance x;
        tally_fast_recommended(TALLY_FAST, radices[i], LENGTH, &x.params);
        x.pool_size = tally_fast_pool_size(radices[i]);
        x.cipher_size = tally_fast_cipher_size(SLOTS);
        x.pool_memory = malloc(x.pool_size);
        x.cipher_memory = malloc(x.cipher_size);
        if (x.pool_memory == NULL || x.cipher_memory == NULL) {
            return 1;
        }
        double first = best_first(&x);
        printf("{\"radix\": %u, \"length\": %d, \"encrypt_ns\": %.1f, \"decrypt_ns\": %.1f, "
               "\"new_tweak_ns\": %.1f, \"first_word_ns\": %.0f}\n",
               radices[i], LENGTH, best_words(&x, 0, 0, 2000), best_words(&x, 1, 0, 2000),
               best_words(&x, 0, 1, 2000), first);
        free(x.pool_memory);
        free(x.cipher_memory);
    }
    return 0;
}
