/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of SHA-256 and SHA-512 on each back end that this machine has, of one message and of
 * several side by side, 64 KiB each, in memory that was read before. Each line is a JSON object
 * with the nanoseconds for a byte of all messages together. The argument is how many times all is
 * gone through. Time is the thread's own. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "clock.h"
#include "tallystick/sha2.h"

enum { SIZE = 1 << 16, MOST = 16, REPEATS = 4 };

#define ALL UINT32_MAX

/* Features that are left, and how many messages there are. */
static const struct work {
    int bits;
    uint32_t features;
    size_t count;
} works[] = {
    {256, ALL, 1},
    {256, ALL, 2},
    {256, ALL, 5},
    {256, ALL, MOST},
    {256, TALLY_CPU_AVX2, 8},
    {256, 0, 1},
    {512, ALL, 1},
    {512, ALL, 2},
    {512, ALL, 5},
    {512, ALL, MOST},
    {512, TALLY_CPU_AVX2, 4},
    {512, 0, 1},
};
enum { WORKS = sizeof works / sizeof *works };

static uint8_t memory[MOST * SIZE];
static const uint8_t *messages[MOST];
static uint8_t out256[MOST][32], out512[MOST][64];

static void run(const struct work *x)
{
    if (x->bits == 256) {
        tally_sha256_many(messages, SIZE, x->count, out256);
    } else {
        tally_sha512_many(messages, SIZE, x->count, out512);
    }
}

/* Fails unless the last message's digest is that of the portable back end. */
static void check(const struct work *x)
{
    uint8_t expected[64];
    const uint8_t *last = messages[x->count - 1];
    const void *found = x->bits == 256 ? out256[x->count - 1] : out512[x->count - 1];
    run(x);
    tally_cpu_lower(0);
    if (x->bits == 256) {
        tally_sha256_digest(last, SIZE, expected);
    } else {
        tally_sha512_digest(last, SIZE, expected);
    }
    if (memcmp(found, expected, (size_t)x->bits / 8) != 0) {
        fprintf(stderr, "sha2: a digest differs from the portable one\n");
        exit(EXIT_FAILURE);
    }
}

static const char *backend_of(const struct work *x)
{
    return x->bits == 256 ? tally_sha256_backend_name(x->count)
                          : tally_sha512_backend_name(x->count);
}

static void measure(const struct work *x, int shown)
{
    tally_cpu_lower(ALL);
    const char *best = backend_of(x);
    uint32_t left = tally_cpu_lower(x->features);
    if (x->features != ALL && (left != x->features || strcmp(backend_of(x), best) == 0)) {
        return; /* this machine can't, or there is a line for it already */
    }
    if (!shown) {
        check(x);
        return;
    }
    run(x);
    double start = worked();
    for (int i = 0; i < REPEATS; i++) {
        run(x);
    }
    double ns = (worked() - start) / (REPEATS * (double)x->count * SIZE);
    printf("{\"hash\": \"SHA-%d\", \"by\": \"%s\", \"messages\": %zu, \"ns\": %.5g}\n", x->bits,
           backend_of(x), x->count, ns);
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    for (size_t i = 0; i < sizeof memory; i++) {
        memory[i] = (uint8_t)(i * 7 + i / 251);
    }
    for (size_t k = 0; k < MOST; k++) {
        messages[k] = memory + k * SIZE;
    }
    for (long pass = 0; pass <= runs; pass++) { /* the first is for checks and for warming up */
        for (size_t i = 0; i < WORKS; i++) {
            measure(&works[i], pass > 0);
        }
    }
    return EXIT_SUCCESS;
}
