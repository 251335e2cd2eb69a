/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of FF1. Each line is a JSON object with the nanoseconds for a word, on the back end that a
 * set of CPU features chooses: one word at a time, many side by side, many with a tweak of 8 bytes
 * for each, and many anywhere in memory. The argument is how many times everything is gone through.
 *
 * One word is the token of the one before, so that nothing overlaps: this is latency. Memory is used
 * again and warm. Time is the thread's own. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "clock.h"
#include "ff1/lanes.h"

enum { WORDS = 4096, SINGLES = 1000, TWEAK = 8 };

static const struct {
    uint32_t radix, length;
} shapes[] = {{10, 9}, {10, 16}, {26, 12}, {10, 19}, {10, 26}, {36, 20}, {10, 38}, {62, 22}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Features: all; AVX2 with AES-NI; AES-NI; AVX2 alone; none. */
static const uint32_t levels[] = {
    UINT32_MAX,
    TALLY_CPU_SSE2 | TALLY_CPU_SSSE3 | TALLY_CPU_AESNI | TALLY_CPU_AVX2,
    TALLY_CPU_SSE2 | TALLY_CPU_SSSE3 | TALLY_CPU_AESNI,
    TALLY_CPU_SSE2 | TALLY_CPU_SSSE3 | TALLY_CPU_AVX2,
    0,
};
enum { LEVELS = sizeof levels / sizeof *levels };

static uint8_t words[2 * 64 * WORDS];

static void must(tally_status status)
{
    if (status != TALLY_OK) {
        fprintf(stderr, "ff1: %s\n", tally_status_text(status));
        exit(EXIT_FAILURE);
    }
}

/* Nanoseconds for a word, of words side by side, or at `places` if that is not NULL. */
static double measure(const tally_ff1 *cipher, uint32_t length, size_t count,
                      const tally_ff1_tweaks *tweaks, uint8_t *const *places, int repeat)
{
    for (int i = 0; i < 2; i++) {
        const tally_direction direction = i == 0 ? TALLY_ENCRYPT : TALLY_DECRYPT;
        must(tally_ff1_words(cipher, direction, length, tweaks, words, count, words));
    }
    const double start = worked();
    for (int i = 0; i < repeat; i++) {
        if (places != NULL) {
            must(tally_ff1_run(cipher, TALLY_ENCRYPT, length, tweaks, places, count, NULL));
        } else {
            must(tally_ff1_words(cipher, TALLY_ENCRYPT, length, tweaks, words, count, words));
        }
    }
    return (worked() - start) / repeat / (double)count;
}

static void measure_shape(uint32_t radix, uint32_t length, int shown)
{
    static uint8_t own[WORDS][TWEAK];
    static const uint8_t *rows[WORDS];
    static size_t sizes[WORDS];
    static uint8_t *places[WORDS];
    const uint8_t key[16] = {1};
    const size_t size = (radix <= 256 ? 1 : 2) * (size_t)length;
    void *memory = malloc(tally_ff1_size());
    tally_ff1 *cipher;
    for (size_t i = 0; i < WORDS; i++) {
        memcpy(own[i], &i, sizeof i < TWEAK ? sizeof i : TWEAK);
        rows[i] = own[i];
        sizes[i] = TWEAK;
        places[i] = words + size * ((i * 37) % WORDS);
    }
    for (size_t i = 0; i < size * WORDS; i++) {
        words[i] = (uint8_t)(i * i % 7 % radix);
    }
    must(tally_ff1_init(TALLY_FF1, radix, key, sizeof key, memory, tally_ff1_size(), &cipher));
    const tally_ff1_tweaks none = {0}, each = {.rows = rows, .row_sizes = sizes};
    const double single = measure(cipher, length, 1, &none, NULL, SINGLES),
                 many = measure(cipher, length, WORDS, &none, NULL, 4),
                 tweaked = measure(cipher, length, WORDS, &each, NULL, 4),
                 apart = measure(cipher, length, WORDS, &none, places, 4);
    if (shown) {
        printf("{\"radix\": %u, \"length\": %u, \"lanes\": \"%s\", "
               "\"aes\": \"%s\", \"one\": %.1f, \"many\": %.2f, \"row_tweaks\": %.2f, "
               "\"anywhere\": %.2f}\n",
               radix, length, cipher->lanes->backend.name, tally_aes_backend_name(&cipher->aes),
               single, many, tweaked, apart);
    }
    tally_ff1_wipe(cipher);
    free(memory);
}

int main(int argc, char **argv)
{
    const long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    for (long run = 0; run <= runs; run++) { /* the first is for warming up */
        uint32_t last = 0;
        for (size_t i = 0; i < LEVELS; i++) {
            const uint32_t features = tally_cpu_lower(levels[i]);
            if (i > 0 && features == last) {
                continue; /* nothing to take away */
            }
            last = features;
            for (size_t k = 0; k < SHAPES; k++) {
                measure_shape(shapes[k].radix, shapes[k].length, run > 0);
            }
        }
    }
    return EXIT_SUCCESS;
}
