/* SPDX-License-Identifier: Apache-2.0
 *
 * A second opinion on constant time, by the clock (O. Reparaz, J. Balasch, I. Verbauwhede, "Dude,
 * is my code constant time?", DATE 2017): each function is timed on secrets that are all the same
 * and on random ones, in random order, and Welch's t says whether the two kinds take different
 * times. Times are looked at as they are and without the longest ones, which have other causes. A t
 * beyond 10 that stays as measurements are added is a leak. Not to see one is no proof.
 *
 *     timing [MEASUREMENTS]       of each function; 200,000 if not given */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aes/cmac.h"
#include "aes/key.h"
#include "base/cpu.h"
#include "columns/columns.h"
#include "columns/short.h"
#include "fast/schedule/pool.h"
#include "ff1/lanes.h"
#include "gf256/gf256.h"
#include "sharing/shamir.h"
#include "tallystick/masked_aes.h"
#include "tallystick/sha2.h"
#include "tallystick/tallystick.h"

enum { SECRET = 1024, BATCH = 2000, CROPS = 6, SEEN = 10, WORDS = 64, LENGTH = 16, MANY = 16 };

static uint64_t cycles(void)
{
    uint64_t count;
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    count = (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count)::"memory");
#else
#error "no counter of cycles is known here"
#endif
    return count;
}

/* xorshift64*, for classes and secrets of this test alone. */
static uint64_t state = 0x9e3779b97f4a7c15;
static uint64_t next_random(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Mean and variance as they come (Welford). */
typedef struct moments {
    double count, mean, sum;
} moments;

static void add(moments *to, double x)
{
    double from = x - to->mean;
    to->count += 1;
    to->mean += from / to->count;
    to->sum += from * (x - to->mean);
}

static double welch(const moments m[2])
{
    if (m[0].count < 100 || m[1].count < 100) {
        return 0;
    }
    double variance =
        m[0].sum / (m[0].count - 1) / m[0].count + m[1].sum / (m[1].count - 1) / m[1].count;
    return variance > 0 ? (m[0].mean - m[1].mean) / sqrt(variance) : 0;
}

/* What is at work. */
static uint8_t secret[SECRET], out[4 * SECRET];
static uint32_t radix = 256;
static tally_aes_key aes;
static tally_cmac_key cmac;
static void *pool_memory, *cipher_memory, *workspace_memory;
static tally_fast_pool *pool;
static tally_fast_cipher *cipher;
static tally_fast_workspace *workspace;
static tally_fast_params params;
static tally_ff1 *ff1;
static tally_masked_key *masked;
static size_t words;
static tally_shape shape; /* digits */
static tally_translate_tables tables;

static int by_time(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Levels share some back ends: of each name the first is timed. */
static int is_new(const char *name)
{
    static char seen[256][80];
    static size_t count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(seen[i], name) == 0) {
            return 0;
        }
    }
    if (count < sizeof seen / sizeof *seen) {
        snprintf(seen[count++], sizeof *seen, "%s", name);
    }
    return 1;
}

/* The largest |t| of all crops. `expected`: whether it must be seen; -1: either. Returns 0 if not
 * so. */
static int measure(const char *name, void (*work)(void), size_t count, int expected)
{
    static uint8_t inputs[BATCH][SECRET];
    static uint8_t classes[BATCH];
    static uint64_t times[BATCH], sorted[BATCH], limits[CROPS];
    moments all[CROPS][2] = {{{0, 0, 0}}};
    double worst = 0, half = 0;
    if (!is_new(name)) {
        return 1;
    }
    for (size_t done = 0; done < count; done += BATCH) {
        for (size_t i = 0; i < BATCH; i++) {
            classes[i] = (uint8_t)(next_random() >> 63);
            for (size_t k = 0; k < SECRET; k++) {
                uint64_t random = next_random() >> 32; /* drawn for both classes */
                inputs[i][k] = (uint8_t)(classes[i] == 0 ? 0 : random * radix >> 32);
            }
        }
        for (size_t i = 0; i < BATCH; i++) {
            memcpy(secret, inputs[i], SECRET);
            uint64_t start = cycles();
            work();
            times[i] = cycles() - start;
        }
        if (done == 0) { /* also warms up; where to crop is decided once */
            memcpy(sorted, times, sizeof sorted);
            qsort(sorted, BATCH, sizeof *sorted, by_time);
            for (size_t crop = 0; crop < CROPS; crop++) {
                size_t kept = BATCH - 1 - (crop * crop * BATCH) / 40;
                limits[crop] = crop == 0 ? UINT64_MAX : sorted[kept];
            }
            continue;
        }
        for (size_t i = 0; i < BATCH; i++) {
            for (size_t crop = 0; crop < CROPS && times[i] <= limits[crop]; crop++) {
                add(&all[crop][classes[i]], (double)times[i]);
            }
        }
        worst = 0;
        for (size_t crop = 0; crop < CROPS; crop++) {
            double t = fabs(welch(all[crop]));
            worst = t > worst ? t : worst;
        }
        half = 2 * done <= count ? worst : half;
    }
    int seen = worst > SEEN;
    int bad = expected >= 0 && seen != expected;
    printf("%-48s %9.0f cycles   t %8.1f half way %8.1f   %s%s\n", name, all[CROPS - 1][1].mean,
           worst, half, seen ? "differs" : "none seen", bad ? "  FAILED" : "");
    fflush(stdout);
    return !bad;
}

static void early_exit(void)
{
    static const uint8_t wanted[SECRET];
    for (size_t i = 0; i < 64 && secret[i] == wanted[i]; i++) {
        __asm__ volatile("" ::: "memory");
    }
}

static void encrypt_blocks(void)
{
    tally_aes_encrypt_blocks(&aes, secret, 8, out);
}

static void decrypt_blocks(void)
{
    tally_aes_decrypt_blocks(&aes, secret, 8, out);
}

static void set_key(void)
{
    tally_aes_key_init_256(secret, &aes);
}

static void count_up(void)
{
    tally_aes_ctr(&aes, secret, secret + 16, 100, out);
}

static void tag(void)
{
    tally_cmac(&cmac, secret, 100, out);
}

static void multiply(void)
{
    tally_gf256()->multiply(TALLY_GF256_AES, secret, secret + 256, 256, out);
}

static void evaluate(void)
{
    static const uint8_t x[3] = {1, 2, 3};
    uint8_t *shares[3] = {out, out + SECRET, out + 2 * SECRET};
    tally_shamir_evaluate(TALLY_GF256_AES, &aes, secret, 0, 256, 3, x, 3, shares);
}

static void hash_256(void)
{
    tally_sha256_digest(secret, 200, out);
}

static void hash_512(void)
{
    tally_sha512_digest(secret, 200, out);
}

static void hash_many_256(void)
{
    const uint8_t *messages[MANY];
    for (size_t i = 0; i < MANY; i++) {
        messages[i] = secret + SECRET / MANY * i;
    }
    tally_sha256_many(messages, SECRET / MANY, MANY, (uint8_t(*)[TALLY_SHA256_SIZE])out);
}

static void hash_many_512(void)
{
    const uint8_t *messages[MANY];
    for (size_t i = 0; i < MANY; i++) {
        messages[i] = secret + SECRET / MANY * i;
    }
    tally_sha512_many(messages, SECRET / MANY, MANY, (uint8_t(*)[TALLY_SHA512_SIZE])out);
}

static void expect_ok(tally_status status)
{
    if (status != TALLY_OK) {
        fprintf(stderr, "timing: %s\n", tally_status_text(status));
        exit(2);
    }
}

static void encrypt_words(void)
{
    expect_ok(tally_fast_encrypt_words(cipher, &params, NULL, 0, secret, words, out));
}

static void decrypt_words(void)
{
    expect_ok(tally_fast_decrypt_words(cipher, &params, NULL, 0, secret, words, out));
}

static void encrypt_ff1(void)
{
    expect_ok(tally_ff1_encrypt_words(ff1, LENGTH, NULL, 0, secret, WORDS, out));
}

static void decrypt_ff1(void)
{
    expect_ok(tally_ff1_decrypt_words(ff1, LENGTH, NULL, 0, secret, WORDS, out));
}

/* Rows of digits, all alike, so that they are text on lanes. */
static void encrypt_column(void)
{
    static uint8_t text[SECRET], status[SECRET / LENGTH];
    int32_t offsets[SECRET / LENGTH + 1];
    const tally_strings column = {
        .offsets = offsets, .offset_size = 4, .values = text, .rows = SECRET / LENGTH};
    tally_column_report report;
    for (int32_t i = 0; i <= SECRET / LENGTH; i++) {
        offsets[i] = i * LENGTH;
    }
    for (size_t i = 0; i < SECRET; i++) {
        text[i] = (uint8_t)('0' + secret[i]);
    }
    expect_ok(tally_fast_column(cipher, workspace, TALLY_ENCRYPT, &shape, &column, NULL, 0, NULL,
                                out, status, &report));
}

/* What a row that is like no other takes before and after its word. */
static void gather_and_scatter(void)
{
    uint8_t value[LENGTH], word[TALLY_SHORT];
    tally_short_value where;
    for (size_t at = 0; at < SECRET; at += LENGTH) {
        for (size_t i = 0; i < LENGTH; i++) {
            value[i] = (uint8_t)('0' + secret[at + i]);
        }
        (void)tally_short_gather(&shape, &tables, value, LENGTH, word, &where);
        tally_short_scatter(&tables, word, &where, value);
        memcpy(out + at, value, LENGTH);
    }
}

static tally_status random_masks(void *context, uint8_t *to, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)(next_random() >> 32);
    }
    return TALLY_OK;
}

static void encrypt_masked(void)
{
    const tally_mask_source source = {random_masks, NULL};
    (void)tally_masked_encrypt_blocks(masked, &source, secret, words, out);
}

static void open_fast(uint32_t of_radix, size_t length)
{
    static const uint8_t key[16] = {1};
    size_t size = tally_fast_pool_size(of_radix), cipher_size = tally_fast_cipher_size(1);
    pool_memory = malloc(size);
    cipher_memory = malloc(cipher_size);
    workspace_memory = malloc(tally_fast_workspace_size());
    expect_ok(tally_fast_pool_init(TALLY_FAST, of_radix, key, 16, pool_memory, size, &pool));
    expect_ok(tally_fast_cipher_init(pool, 1, cipher_memory, cipher_size, &cipher));
    expect_ok(tally_fast_workspace_init(workspace_memory, tally_fast_workspace_size(), &workspace));
    expect_ok(tally_fast_recommended(TALLY_FAST, of_radix, (uint32_t)length, &params));
}

static int check_fast(size_t count, const char *kind, uint32_t of_radix, size_t how_many,
                      int expected)
{
    char name[80];
    open_fast(of_radix, LENGTH);
    radix = of_radix;
    words = how_many;
    snprintf(name, sizeof name, "FAST %s, radix %u, %s", kind, (unsigned)of_radix,
             pool->lanes->backend.name);
    int good = measure(name, encrypt_words, count, expected);
    snprintf(name, sizeof name, "FAST %s, radix %u, %s, backwards", kind, (unsigned)of_radix,
             pool->lanes->backend.name);
    good &= measure(name, decrypt_words, count, expected);
    radix = 256;
    free(pool_memory);
    free(cipher_memory);
    free(workspace_memory);
    return good;
}

static int check_text(size_t count)
{
    char name[80];
    open_fast(10, LENGTH);
    radix = 10;
    shape = (tally_shape){.radix = 10, .min_symbols = 2, .max_symbols = LENGTH};
    for (uint8_t digit = 0; digit < 10; digit++) {
        shape.kind['0' + digit] = TALLY_BYTE_SYMBOL;
        shape.symbol['0' + digit] = digit;
        shape.letter[0][digit] = shape.letter[1][digit] = (uint8_t)('0' + digit);
    }
    (void)tally_translate_tables_init(&shape, &tables);
    snprintf(name, sizeof name, "column of text on lanes, %s", pool->lanes->backend.name);
    int good = measure(name, encrypt_column, count, 0);
    if (tally_short_available()) {
        good &= measure("symbols of short values, AVX-512 VBMI2", gather_and_scatter, count, 0);
    }
    radix = 256;
    free(pool_memory);
    free(cipher_memory);
    free(workspace_memory);
    return good;
}

/* Halves of 8 digits are below 2^32, those of 8 symbols of radix 36 above; both are on lanes. */
static int check_ff1(size_t count, uint32_t of_radix)
{
    static const uint8_t key[16] = {1};
    char name[80];
    void *memory = malloc(tally_ff1_size());
    expect_ok(tally_ff1_init(TALLY_FF1, of_radix, key, sizeof key, memory, tally_ff1_size(), &ff1));
    radix = of_radix;
    int end = snprintf(name, sizeof name, "FF1 radix %u, %s, %s", (unsigned)of_radix,
                       ff1->lanes->backend.name, tally_aes_backend_name(&ff1->aes));
    int good = measure(name, encrypt_ff1, count, 0);
    snprintf(name + end, sizeof name - (size_t)end, ", backwards");
    good &= measure(name, decrypt_ff1, count, 0);
    radix = 256;
    tally_ff1_wipe(ff1);
    free(memory);
    return good;
}

static int check_level(uint32_t features, size_t count)
{
    static const uint8_t key[32] = {7};
    char name[80];
    int good = 1;
    tally_cpu_lower(features);
    expect_ok(tally_aes_key_init(key, 32, &aes));
    expect_ok(tally_cmac_key_init(key, 32, &cmac));
    const char *backend = tally_aes_backend_name(&aes);
#define MEASURE(what, which, work)                                                                 \
    snprintf(name, sizeof name, "%s, %s", what, which);                                            \
    good &= measure(name, work, count, 0);
    MEASURE("AES blocks", backend, encrypt_blocks)
    MEASURE("AES blocks backwards", backend, decrypt_blocks)
    MEASURE("AES counter mode", backend, count_up)
    MEASURE("CMAC", backend, tag)
    MEASURE("GF(2^8) products", tally_gf256()->backend.name, multiply)
    MEASURE("Shamir split", tally_gf256()->backend.name, evaluate)
    MEASURE("AES set key", backend, set_key)
    MEASURE("SHA-256", tally_sha256_backend_name(1), hash_256)
    MEASURE("SHA-512", tally_sha512_backend_name(1), hash_512)
    MEASURE("SHA-256 of 16 messages", tally_sha256_backend_name(MANY), hash_many_256)
    MEASURE("SHA-512 of 16 messages", tally_sha512_backend_name(MANY), hash_many_512)
#undef MEASURE
    good &= check_ff1(count, 10);
    good &= check_ff1(count, 36);
    if (tally_fast_lanes_choose()->stride(10) != 0) {
        good &= check_fast(count, "lanes", 10, WORDS, 0);
        good &= check_fast(count, "lanes", 200, WORDS, 0);
        good &= check_text(count);
    } else { /* the exception, which may be seen */
        good &= check_fast(count, "eight words", 200, 8, -1);
        good &= check_fast(count, "one word", 10, 1, -1);
        good &= check_fast(count, "one word", 256, 1, -1);
    }
    return good;
}

static int check_masked(size_t count, unsigned order, unsigned bits)
{
    static const uint8_t key[16] = {1};
    static uint8_t memory[1 << 16];
    const tally_mask_source source = {random_masks, NULL};
    const tally_masked_slicing *slicing;
    char name[80];
    snprintf(name, sizeof name, "masked AES, order %u, %u bits", order, bits);
    if (tally_masked_choose(order, bits, 0, &slicing) != TALLY_OK) {
        printf("%-48s not on this CPU\n", name);
        return 1;
    }
    expect_ok(tally_masked_key_init(slicing, key, sizeof key, 1, &source, memory, sizeof memory,
                                    &masked));
    words = tally_masked_blocks(slicing);
    return measure(name, encrypt_masked, count, 0);
}

int main(int argc, char **argv)
{
    enum {
        ALL_AVX512 = TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2,
        AES = TALLY_CPU_VAES | TALLY_CPU_AESNI
    };
    static const uint32_t levels[] = {
        UINT32_MAX,
        ~(uint32_t)(AES | TALLY_CPU_SHANI), /* AES bit-sliced with AVX-512 */
        ~(uint32_t)ALL_AVX512,              /* VAES and GFNI with AVX2, SHA-NI for two messages */
        ~(uint32_t)(ALL_AVX512 | TALLY_CPU_VAES | TALLY_CPU_GFNI | TALLY_CPU_SHANI),
        TALLY_CPU_AVX2,
        TALLY_CPU_SSSE3,
        TALLY_CPU_SSE2,
        0};
    size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200000;
    int good = measure("control: compares until a byte differs", early_exit, count, 1);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        good &= check_level(levels[i], count);
    }
    tally_cpu_lower(UINT32_MAX);
    for (unsigned order = 1; order <= 2; order++) {
        good &= check_masked(count, order, 64);
        good &= check_masked(count, order, 512);
    }
    puts(good ? "timing: as expected" : "timing: not as expected, see FAILED above");
    return !good;
}
