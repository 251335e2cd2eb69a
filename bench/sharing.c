/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of sharing on each back end that this machine has, in memory that was written before. Each
 * line is a JSON object: the work, the back end, the bytes of secret or data that it is about, and
 * nanoseconds. Results are checked. Time is the thread's own. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "clock.h"
#include "tallystick/dispersal.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/shamir.h"

enum { MEGABYTE = 1 << 20, MOST = 255, LONG = 96 << 20, TOGETHER = 16 };

static const double ENOUGH = 4e6; /* nanoseconds of work that are timed together */

static uint8_t *secret, *recovered, *shares[MOST];

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "sharing: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

static uint8_t *allocate(size_t size)
{
    void *memory = NULL;
    must(posix_memalign(&memory, 64, size) == 0, "no memory");
    memset(memory, 1, size);
    return memory;
}

typedef void work(void *what);

/* Runs some work until it took long enough, short work many times for a look at the clock, and
 * prints its time. */
static void measure(const char *name, double bytes, work *run, void *what)
{
    const long together = bytes != 0 ? 1 : 64;
    run(what);
    const double start = worked();
    double taken = 0;
    long calls = 0;
    for (; taken < ENOUGH; taken = worked() - start) {
        for (long i = 0; i < together; i++, calls++) {
            run(what);
        }
    }
    printf("{\"work\": \"%s\", \"by\": \"%s\", \"bytes\": %.0f, \"ns\": %.6g}\n", name,
           tally_gf256_backend_name(), bytes, taken / (double)calls);
}

/* Raw and authentic shares. */
typedef struct sharing {
    size_t size, threshold, count;
    size_t share_size;
    tally_shares_params params;
    const uint8_t *given[MOST];
    size_t sizes[MOST];
} sharing;

static void split_raw(void *what)
{
    sharing *x = what;
    must(tally_shamir_split(TALLY_GF256_AES, secret, x->size, x->threshold, x->count, shares) ==
             TALLY_OK,
         "split failed");
}

static void combine_raw(void *what)
{
    sharing *x = what;
    must(tally_shamir_recover(TALLY_GF256_AES, x->given, x->threshold, x->size + 1, recovered) ==
             TALLY_OK,
         "combine failed");
}

static void split_authentic(void *what)
{
    sharing *x = what;
    must(tally_shares_split(&x->params, secret, shares) == TALLY_OK, "split failed");
}

static void combine_authentic(void *what)
{
    sharing *x = what;
    tally_share_verdict verdicts[MOST];
    tally_shares_found found;
    must(tally_shares_recover(x->given, x->sizes, x->threshold, NULL, verdicts, &found, recovered,
                              x->size) == TALLY_OK,
         "combine failed");
}

static void measure_sharing(size_t size, const char *amount, size_t threshold, size_t count)
{
    char name[100];
    sharing x = {.size = size, .threshold = threshold, .count = count};
    for (size_t i = 0; i < threshold; i++) {
        x.given[i] = shares[count - 1 - i];
    }
    snprintf(name, sizeof name, "split, %s, %zu of %zu", amount, threshold, count);
    measure(name, size > 1000 ? (double)size : 0, split_raw, &x);
    memset(recovered, 0, size);
    snprintf(name, sizeof name, "combine, %s, %zu of %zu", amount, threshold, count);
    measure(name, size > 1000 ? (double)size : 0, combine_raw, &x);
    must(memcmp(recovered, secret, size) == 0, "a secret did not come back");
}

static void measure_authentic(void)
{
    sharing x = {.size = 32, .threshold = 3, .count = 5};
    x.params = (tally_shares_params){.threshold = 3, .count = 5, .secret_size = 32};
    for (size_t i = 0; i < x.threshold; i++) {
        x.given[i] = shares[i + 1];
        x.sizes[i] = tally_shares_size(&x.params);
    }
    measure("authentic split, 32 bytes, 3 of 5", 0, split_authentic, &x);
    memset(recovered, 0, 32);
    measure("authentic combine, 32 bytes, 3 of 5", 0, combine_authentic, &x);
    must(memcmp(recovered, secret, 32) == 0, "a secret did not come back");
}

/* Parity alone. */
typedef struct code {
    size_t inputs, outputs, size;
    uint8_t matrix[64];
} code;

static void encode(void *what)
{
    code *x = what;
    tally_reed_solomon_apply(x->matrix, (const uint8_t *const *)shares, x->inputs, x->outputs,
                             x->size, shares + x->inputs);
}

static void measure_codes(void)
{
    static const size_t codes[][2] = {{2, 3}, {5, 5}, {10, 4}};
    for (size_t k = 0; k < 3; k++) {
        for (size_t size = 1 << 14; size <= MEGABYTE; size <<= 3) {
            code x = {.inputs = codes[k][0], .outputs = codes[k][1], .size = size};
            uint8_t numbers[14];
            char name[100];
            for (size_t i = 0; i < x.inputs + x.outputs; i++) {
                numbers[i] = (uint8_t)(i + 1);
                memset(shares[i], (int)i, size);
            }
            must(tally_reed_solomon_matrix(numbers, x.inputs, numbers + x.inputs, x.outputs,
                                           x.matrix) == TALLY_OK,
                 "no matrix");
            snprintf(name, sizeof name, "Reed-Solomon %zu+%zu, %zu KiB", x.inputs, x.outputs,
                     size >> 10);
            measure(name, (double)(x.inputs * size), encode, &x);
        }
    }
}

/* A long secret in memory, some stripes at a time. */
typedef struct file {
    tally_dispersal *dispersal;
    size_t size;
    uint8_t indices[3];
} file;

static void encode_file(void *what)
{
    file *x = what;
    const size_t stripe = tally_dispersal_stripe_size(x->dispersal);
    for (size_t done = 0; done < x->size; done += TOGETHER * stripe) {
        uint8_t *to[5];
        for (size_t i = 0; i < 5; i++) {
            to[i] = shares[i] + done / stripe * TALLY_DISPERSAL_RECORD;
        }
        must(tally_dispersal_encode(x->dispersal, done / stripe, secret + done, TOGETHER * stripe,
                                    0, to) == TALLY_OK,
             "dispersal failed");
    }
}

static void decode_file(void *what)
{
    file *x = what;
    const size_t stripe = tally_dispersal_stripe_size(x->dispersal);
    for (size_t done = 0; done < x->size; done += TOGETHER * stripe) {
        const uint8_t *from[3];
        const size_t size = TOGETHER * (size_t)TALLY_DISPERSAL_RECORD;
        const size_t sizes[3] = {size, size, size};
        uint64_t damaged[3] = {0};
        tally_dispersal_found found;
        for (size_t i = 0; i < 3; i++) {
            from[i] = shares[x->indices[i] - 1] + done / stripe * TALLY_DISPERSAL_RECORD;
        }
        must(tally_dispersal_decode(x->dispersal, done / stripe, TOGETHER, x->indices, from, sizes,
                                    3, recovered + done, damaged, &found) == TALLY_OK,
             "recovery failed");
    }
}

static void measure_dispersal(void)
{
    static file x;
    static uint8_t memory[1 << 13], heads[5][512], *at[5];
    const tally_shares_params params = {
        .kind = TALLY_SHARES_FILE, .threshold = 3, .count = 5, .secret_size = TALLY_DISPERSAL_KEY};
    for (size_t i = 0; i < 5; i++) {
        at[i] = heads[i];
    }
    must(tally_dispersal_init(&params, NULL, 0, memory, sizeof memory, &x.dispersal, at) ==
             TALLY_OK,
         "no dispersal");
    const size_t batch = TOGETHER * tally_dispersal_stripe_size(x.dispersal);
    x.size = LONG / batch * batch;
    measure("disperse, 3 of 5", (double)x.size, encode_file, &x);
    for (uint8_t first = 1; first <= 3; first += 2) {
        for (uint8_t i = 0; i < 3; i++) {
            x.indices[i] = first + i;
        }
        memset(recovered, 0, x.size);
        measure(first == 1 ? "recover, 3 of 5" : "recover, 3 of 5, two parity shares",
                (double)x.size, decode_file, &x);
        must(memcmp(recovered, secret, x.size) == 0, "a file did not come back");
    }
}

int main(void)
{
    static const uint32_t levels[] = {
        UINT32_MAX, ~(uint32_t)(TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2),
        ~(uint32_t)(TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2 |
                    TALLY_CPU_GFNI),
        TALLY_CPU_AESNI | TALLY_CPU_SSSE3};
    const char *before = "";
    secret = allocate(LONG);
    recovered = allocate(LONG);
    for (size_t i = 0; i < MOST; i++) {
        shares[i] = allocate(i < 5 ? LONG / 2 : i < 14 ? MEGABYTE + 64 : 4096);
    }
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        if (strcmp(tally_gf256_backend_name(), before) == 0) {
            continue; /* this machine has no more */
        }
        before = tally_gf256_backend_name();
        measure_sharing(MEGABYTE, "1 MB", 2, 5);
        measure_sharing(MEGABYTE, "1 MB", 3, 5);
        measure_sharing(32, "32 bytes", 2, 5);
        measure_sharing(32, "32 bytes", 6, 10);
        measure_sharing(32, "32 bytes", 128, 255);
        measure_authentic();
        measure_codes();
        measure_dispersal();
    }
    return EXIT_SUCCESS;
}
