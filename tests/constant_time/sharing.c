/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of sharing: secrets, salts, coefficients and shares' values are secret; sizes,
 * thresholds, coordinates and matrices are not. Valgrind knows neither GFNI nor AVX-512, so those
 * back ends are left to the reading of their code, which has no load by a byte of data. Whether a
 * share or a record is good is public, and compared at an end that is not checked here. */
#include "aes/key.h"
#include "base/cpu.h"
#include "secret.h"

#include "sharing/dispersal.h"
#include "sharing/shamir.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/shamir.h"

enum { SIZE = 100, COUNT = 5, THRESHOLD = 3, CAPACITY = 40000 };

static uint8_t memory[COUNT][CAPACITY], secret[2 * THRESHOLD * 16384];
static uint8_t *shares[COUNT];
static const uint8_t *given[COUNT];

static void renew(size_t size)
{
    memset(secret, 7, sizeof secret);
    memset(memory, 0, sizeof memory);
    make_secret(secret, size);
}

static void check_raw(tally_gf256_field field)
{
    static const uint8_t x[COUNT] = {1, 2, 100, 254, 255};
    uint8_t key_bytes[32], weights[COUNT], recovered[SIZE], *out = recovered;
    tally_aes_key key;
    renew(SIZE);
    memset(key_bytes, 1, sizeof key_bytes);
    make_secret(key_bytes, sizeof key_bytes);
    tally_aes_key_init_256(key_bytes, &key);
    tally_shamir_evaluate(field, &key, secret, 0, SIZE, THRESHOLD, x, COUNT, shares);
    expect_secret(shares[COUNT - 1], SIZE);
    tally_gf256_weights(field, x + 2, THRESHOLD, 0, weights);
    tally_gf256()->combine(field, weights, given + 2, THRESHOLD, 1, 0, SIZE, &out);
    expect_secret(recovered, SIZE);
}

static void check_products(tally_gf256_field field)
{
    uint8_t a[SIZE], b[SIZE];
    memset(a, 3, sizeof a);
    memset(b, 5, sizeof b);
    make_secret(a, sizeof a);
    make_secret(b, sizeof b);
    tally_gf256()->multiply(field, a, b, SIZE, a);
    expect_secret(a, sizeof a);
}

static void check_authentic(void)
{
    const tally_shares_params params = {
        .kind = TALLY_SHARES_SECRET, .threshold = THRESHOLD, .count = COUNT, .secret_size = SIZE};
    uint8_t salt[TALLY_SHARE_SALT];
    renew(SIZE);
    memset(salt, 9, sizeof salt);
    make_secret(salt, sizeof salt);
    tally_shares_split_salted(&params, secret, salt, shares);
    expect_secret(shares[0] + tally_share_values_offset(&params), TALLY_SHARE_SALT + SIZE);
}

static void check_dispersal(void)
{
    const tally_shares_params params = {.kind = TALLY_SHARES_FILE,
                                        .threshold = THRESHOLD,
                                        .count = COUNT,
                                        .secret_size = TALLY_DISPERSAL_KEY};
    static uint8_t opened[1 << 14];
    tally_dispersal *dispersal;
    uint8_t random[48];
    const size_t size = THRESHOLD * (size_t)TALLY_DISPERSAL_PART + SIZE;
    renew(size);
    memset(random, 9, sizeof random);
    make_secret(random, sizeof random);
    if (tally_dispersal_init_with_entropy(&params, random, random + 32, secret, SIZE, opened,
                                          sizeof opened, &dispersal, shares) != TALLY_OK ||
        tally_dispersal_encode(dispersal, 0, secret, size, 1, shares) != TALLY_OK) {
        fail("no dispersal");
    }
    expect_secret(shares[COUNT - 1] + TALLY_RECORD_HEADER, TALLY_DISPERSAL_PART + TALLY_RECORD_TAG);
    static const uint8_t from[THRESHOLD] = {1, 3, 5}, to[2] = {2, 4};
    static uint8_t matrix[2 * THRESHOLD], lost[2][SIZE];
    const uint8_t *in[THRESHOLD] = {shares[0] + 4, shares[2] + 4, shares[4] + 4};
    uint8_t *const out[2] = {lost[0], lost[1]};
    if (tally_reed_solomon_matrix(from, THRESHOLD, to, 2, matrix) != TALLY_OK) {
        fail("no matrix");
    }
    tally_reed_solomon_apply(matrix, in, THRESHOLD, 2, SIZE, out);
    expect_secret(lost[1], SIZE);
}

static void check(void)
{
    static const uint32_t levels[] = {UINT32_MAX, TALLY_CPU_AESNI | TALLY_CPU_SSSE3, 0};
    for (size_t i = 0; i < COUNT; i++) {
        given[i] = shares[i] = memory[i];
    }
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        check_raw(TALLY_GF256_AES);
        check_raw(TALLY_GF256_RS);
        check_products(TALLY_GF256_AES);
        check_products(TALLY_GF256_RS);
        check_authentic();
        check_dispersal();
        printf("checked: sharing, level %zu\n", level);
    }
}
