/* SPDX-License-Identifier: Apache-2.0
 *
 * Raw Shamir shares: published ones of two fields, all subsets of small sets, the statistics of
 * coefficients and coordinates, refusals, and what others got wrong. */
#include <math.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "json.h"
#include "random.h"
#include "sharing/shamir.h"
#include "tallystick/shamir.h"

enum { MOST = 255, LARGEST = 20000 };

static const tally_gf256_field fields[2] = {TALLY_GF256_AES, TALLY_GF256_RS};

static uint8_t memory[MOST][LARGEST + 2];
static uint8_t *shares[MOST];

/* Combines those of shares[0..count) whose bit is set in `subset`. */
static void check_subset(tally_gf256_field field, uint32_t subset, size_t count, size_t size,
                         const uint8_t *secret, bool enough)
{
    const uint8_t *some[32];
    uint8_t out[64] = {0};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if ((subset >> i & 1) != 0) {
            some[found++] = shares[i];
        }
    }
    const tally_status status = tally_shamir_recover(field, some, found, size + 1, out);
    CHECK_EQUAL(status, found < 2 ? TALLY_ERROR_ARGUMENT : TALLY_OK);
    if (found >= 2) { /* 16 bytes are equal by chance once in 2^128 */
        CHECK_EQUAL(memcmp(out, secret, size) == 0, enough);
    }
}

static void test_vectors(const char *path, tally_gf256_field field)
{
    json_file *file = json_load(path);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        const size_t threshold = (size_t)json_int(c, "Threshold");
        const size_t count = json_length(c, "Shares");
        uint8_t secret[256], out[256];
        const size_t size = json_hex(c, "Secret", secret, sizeof secret);
        const uint8_t *some[MOST];
        CHECK_ABOUT("%s, case %zu", path, i);
        for (size_t j = 0; j < count; j++) {
            CHECK_EQUAL(json_item_hex(c, "Shares", j, shares[j], sizeof memory[j]), size + 1);
        }
        for (size_t first = 0; first + threshold <= count; first++) {
            for (size_t j = 0; j < threshold; j++) { /* some that follow each other, some spread */
                some[j] =
                    shares[first % 2 == 0 ? first + j : (first + j * count / threshold) % count];
            }
            CHECK_EQUAL(tally_shamir_recover(field, some, threshold, size + 1, out), TALLY_OK);
            CHECK_BYTES(out, secret, size);
        }
    }
    json_free(file);
}

/* All parameters up to 12 with every subset of the shares (up to 8 of them, then samples), and
 * samples of larger ones. */
static void test_all_small(void)
{
    uint8_t secret[16];
    for (size_t count = 2; count <= 12; count++) {
        for (size_t threshold = 2; threshold <= count; threshold++) {
            const tally_gf256_field field = fields[(count + threshold) % 2];
            CHECK_ABOUT("%zu of %zu", threshold, count);
            random_bytes(secret, sizeof secret);
            CHECK_EQUAL(tally_shamir_split(field, secret, sizeof secret, threshold, count, shares),
                        TALLY_OK);
            for (uint32_t i = 1; i < (count <= 8 ? UINT32_C(1) << count : 200); i++) {
                const uint32_t subset =
                    count <= 8 ? i : 1 + random_below((UINT32_C(1) << count) - 1);
                size_t chosen = 0;
                for (size_t k = 0; k < count; k++) {
                    chosen += subset >> k & 1;
                }
                check_subset(field, subset, count, sizeof secret, secret, chosen >= threshold);
            }
        }
    }
}

static void test_large(void)
{
    static uint8_t secret[LARGEST], out[LARGEST + 1];
    static const size_t sizes[] = {1,  2,   31,   32,   33,   63,    64,
                                   65, 127, 4095, 4096, 4097, 16385, LARGEST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t count = 2 + random_below(MOST - 1), threshold = 2 + random_below(count - 1);
        const size_t size = sizes[i];
        const uint8_t *some[MOST];
        CHECK_ABOUT("%zu of %zu, %zu bytes", threshold, count, size);
        random_bytes(secret, size);
        for (size_t j = 0; j < count; j++) {
            memset(memory[j], 0xA5, sizeof memory[j]);
        }
        CHECK_EQUAL(tally_shamir_split(TALLY_GF256_AES, secret, size, threshold, count, shares),
                    TALLY_OK);
        for (size_t j = 0; j < count; j++) {
            CHECK_EQUAL(shares[j][size + 1], 0xA5);
            some[j] = shares[count - 1 - j];
        }
        out[size] = 0xA5;
        CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, threshold, size + 1, out),
                    TALLY_OK);
        CHECK_BYTES(out, secret, size);
        CHECK_EQUAL(out[size], 0xA5);
    }
    for (size_t threshold = 2; threshold <= MOST; threshold += threshold < 250 ? 31 : 1) {
        const uint8_t *some[MOST];
        CHECK_ABOUT("%zu of 255", threshold);
        CHECK_EQUAL(tally_shamir_split(TALLY_GF256_RS, secret, 40, threshold, MOST, shares),
                    TALLY_OK);
        bool seen[256] = {true};
        for (size_t j = 0; j < MOST; j++) { /* every coordinate once, and none of them zero */
            some[j] = shares[j];
            CHECK(!seen[shares[j][40]]);
            seen[shares[j][40]] = true;
        }
        CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_RS, some, threshold, 41, out), TALLY_OK);
        CHECK_BYTES(out, secret, 40);
        CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_RS, some, threshold - 1, 41, out),
                    threshold == 2 ? TALLY_ERROR_ARGUMENT : TALLY_OK);
        CHECK(threshold == 2 || memcmp(out, secret, 40) != 0);
    }
}

/* Every back end makes the same shares of the same stream. */
static void test_stream(void)
{
    static uint8_t secret[LARGEST], first[5][LARGEST];
    static const uint8_t x[5] = {1, 2, 3, 200, 255};
    static const uint32_t levels[] = {UINT32_MAX, ~(uint32_t)TALLY_CPU_AVX512VBMI,
                                      ~(uint32_t)(TALLY_CPU_AVX512VBMI | TALLY_CPU_GFNI), 0};
    uint32_t last = UINT32_MAX;
    tally_aes_key key;
    random_bytes(secret, sizeof secret);
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        if (tally_cpu_lower(levels[level]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        CHECK_EQUAL(tally_aes_key_init(secret, 32, &key), TALLY_OK);
        for (size_t threshold = 2; threshold < 8; threshold += 5) {
            uint8_t stream[16], counter[16] = {0, 0, 0, 0, 0, 0, 0, 1};
            CHECK_ABOUT("%s, threshold %zu", tally_gf256()->backend.name, threshold);
            for (size_t size = 1; size <= LARGEST; size = size * 3 + 1) {
                tally_shamir_evaluate(TALLY_GF256_AES, &key, secret, 0, size, threshold, x, 5,
                                      shares);
                for (size_t j = 0; j < 5; j++) {
                    if (level == 0) {
                        memcpy(first[j], shares[j], size);
                    }
                }
                tally_cpu_lower(0);
                tally_shamir_evaluate(TALLY_GF256_AES, &key, secret, 0, size, threshold, x, 5,
                                      shares + 5);
                tally_cpu_lower(levels[level]);
                for (size_t j = 0; j < 5; j++) {
                    CHECK_BYTES(shares[j], shares[5 + j], size);
                }
            }
            if (threshold == 2) { /* the coefficient of x is the stream from 2^64 on */
                tally_aes_ctr(&key, counter, NULL, 16, stream);
                for (size_t b = 0; b < 16; b++) {
                    CHECK_EQUAL(shares[0][b], secret[b] ^ stream[b]);
                }
            }
        }
    }
    tally_cpu_lower(UINT32_MAX);
}

/* Pearson's statistic for counts that should be equal, as a normal deviate (Wilson and Hilferty).
 * One above 8 is a false alarm in less than 1 of 10^14 tests. */
static void check_uniform(const uint64_t *counts, size_t values)
{
    double total = 0, chi = 0;
    for (size_t i = 0; i < values; i++) {
        total += (double)counts[i];
    }
    for (size_t i = 0; i < values; i++) {
        const double apart = (double)counts[i] - total / (double)values;
        chi += apart * apart * (double)values / total;
    }
    const double free = (double)values - 1, spread = 2 / (9 * free);
    const double deviate = (cbrt(chi / free) - (1 - spread)) / sqrt(spread);
    CHECK(deviate < 8);
    CHECK(deviate > -8); /* too even is not random either */
}

/* Both coefficients of each of three bytes, computed back from two shares, and the coordinates:
 * each value as often as any other, zero and 255 too. 30 tests, so less than 1 false alarm in
 * 10^12 runs. */
static void test_statistics(void)
{
    static uint64_t coefficients[3][2][256], coordinates[5][256], zeros;
    static const uint8_t secret[3] = {0, 0xFF, 0x53};
    const int rounds = random_cases(100000);
    for (int round = 0; round < rounds; round++) {
        CHECK_EQUAL(tally_shamir_split(TALLY_GF256_AES, secret, 3, 3, 5, shares), TALLY_OK);
        const uint8_t x[2] = {shares[0][3], shares[1][3]};
        /* (y - secret) / x = a1 + a2 x is a line through two points: a1 is its value at 0, and
         * a2 = (value at 1) - a1; 1 may be a point itself. */
        uint8_t inverses[2], lines[2];
        for (size_t i = 0; i < 2; i++) { /* the weight of a point x beside 0, at 1: 1 / x */
            const uint8_t points[2] = {x[i], 0};
            uint8_t weights[2];
            if (x[i] == 1) {
                inverses[i] = 1;
            } else {
                tally_gf256_weights(TALLY_GF256_AES, points, 2, 1, weights);
                inverses[i] = weights[0];
            }
        }
        uint8_t weights[2], apart;
        tally_gf256_weights(TALLY_GF256_AES, x, 2, 0, weights);
        apart = x[0] ^ x[1];
        for (size_t b = 0; b < 3; b++) {
            uint8_t y[2], a1, slope, over;
            for (size_t i = 0; i < 2; i++) {
                y[i] = shares[i][b] ^ secret[b];
            }
            tally_gf256_portable.multiply(TALLY_GF256_AES, y, inverses, 2, lines);
            uint8_t sums[2];
            tally_gf256_portable.multiply(TALLY_GF256_AES, lines, weights, 2, sums);
            a1 = sums[0] ^ sums[1];
            const uint8_t points[2] = {apart, 0};
            uint8_t of_apart[2];
            if (apart == 1) {
                of_apart[0] = 1;
            } else {
                tally_gf256_weights(TALLY_GF256_AES, points, 2, 1, of_apart);
            }
            over = lines[0] ^ lines[1];
            tally_gf256_portable.multiply(TALLY_GF256_AES, &over, of_apart, 1, &slope);
            coefficients[b][0][a1]++;
            coefficients[b][1][slope]++;
            zeros += slope == 0;
        }
        for (size_t i = 0; i < 5; i++) {
            coordinates[i][shares[i][3]]++;
        }
    }
    for (size_t b = 0; b < 3; b++) {
        for (size_t i = 0; i < 2; i++) {
            CHECK_ABOUT("coefficient %zu of byte %zu", i + 1, b);
            check_uniform(coefficients[b][i], 256);
        }
    }
    CHECK(zeros > 0);
    for (size_t i = 0; i < 5; i++) {
        CHECK_ABOUT("coordinate %zu", i);
        CHECK_EQUAL(coordinates[i][0], 0);
        check_uniform(coordinates[i] + 1, 255);
    }
}

/* Two sharings have nothing in common, so no stream was begun twice. */
static void test_no_repeats(void)
{
    static uint8_t secret[32], seen[1000][32];
    for (size_t i = 0; i < 1000; i++) {
        CHECK_EQUAL(tally_shamir_split(TALLY_GF256_AES, secret, sizeof secret, 2, 2, shares),
                    TALLY_OK);
        memcpy(seen[i], shares[0], 32);
        for (size_t j = 0; j < i; j++) {
            CHECK(memcmp(seen[i], seen[j], 8) != 0);
        }
    }
}

static void test_refusals(void)
{
    static const uint8_t secret[4] = {1, 2, 3, 4};
    static const struct {
        int field;
        size_t size, threshold, count;
    } wrong[] = {{0x11B, 0, 2, 3},     {0x11B, 4, 0, 3},   {0x11B, 4, 1, 3},
                 {0x11B, 4, 4, 3},     {0x11B, 4, 2, 256}, {0x11B, 4, 256, 256},
                 {0x11B, 4, 257, 300}, {0x11D, 4, 1, 1},   {0x11C, 4, 2, 3},
                 {0, 4, 2, 3},         {0x11B, 4, 2, 1},   {0x11B, 4, SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_ABOUT("split, case %zu", i);
        for (size_t j = 0; j < MOST; j++) {
            memset(memory[j], 0xA5, 8);
        }
        CHECK_EQUAL(tally_shamir_split((tally_gf256_field)wrong[i].field, secret, wrong[i].size,
                                       wrong[i].threshold, wrong[i].count, shares),
                    TALLY_ERROR_ARGUMENT);
        for (size_t j = 0; j < MOST; j++) {
            CHECK_EQUAL(memory[j][0], 0xA5);
        }
    }
    CHECK_EQUAL(tally_shamir_split(TALLY_GF256_AES, secret, 4, 2, 3, shares), TALLY_OK);
    uint8_t out[4] = {0xA5, 0xA5, 0xA5, 0xA5};
    static const uint8_t untouched[4] = {0xA5, 0xA5, 0xA5, 0xA5};
    const uint8_t *some[256];
    for (size_t i = 0; i < 256; i++) {
        some[i] = shares[i % 3];
    }
    CHECK_ABOUT("combine");
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 0, 5, out), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 1, 5, out), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 256, 5, out), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 2, 0, out), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 2, 1, out), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover((tally_gf256_field)283283, some, 2, 5, out),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 4, 5, out), /* one of them twice */
                TALLY_ERROR_ARGUMENT);
    shares[1][4] = 0;
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, some, 3, 5, out), TALLY_ERROR_ARGUMENT);
    CHECK_BYTES(out, untouched, 4);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < MOST; i++) {
        shares[i] = memory[i];
    }
    test_vectors(TALLY_VECTORS "/shamir_vault.json", TALLY_GF256_AES);
    test_vectors(TALLY_VECTORS "/shamir_0x11d.json", TALLY_GF256_RS);
    test_vectors(TALLY_VECTORS "/spec_shamir.json", TALLY_GF256_AES); /* of cryptol/Shamir.cry */
    test_vectors(TALLY_VECTORS "/spec_shamir_0x11d.json", TALLY_GF256_RS);
    if (check_vectors_only(argc, argv)) {
        return check_end("shamir");
    }
    test_all_small();
    test_large();
    test_stream();
    test_statistics();
    test_no_repeats();
    test_refusals();
    return check_end("shamir");
}
