/* SPDX-License-Identifier: Apache-2.0
 *
 * Raw Shamir sharing: shares of any bytes combined by any back end and by portable code; what a
 * split gives, combined from any of the shares. */
#include "base/cpu.h"
#include "fuzz.h"
#include "sharing/shamir.h"
#include "tallystick/shamir.h"

enum { FEW_SHARES = 16, MOST_SIZE = 300, TOO_MANY = TALLY_GF256_POINTS + 1 };

static void check_combine(fuzz_input *input, tally_gf256_field field, uint32_t features)
{
    const size_t size = fuzz_below(input, MOST_SIZE);
    const size_t count = fuzz_size(input, FEW_SHARES + 1, TOO_MANY);
    uint8_t *shares[TOO_MANY];
    bool used[256] = {true}, fine = size >= 2 && count >= 2;
    for (size_t i = 0; i < count; i++) {
        shares[i] = fuzz_bytes(input, size);
        if (size > 0 && count > FEW_SHARES) { /* so many differ by chance alone never */
            shares[i][size - 1] = (uint8_t)(i + 1);
        }
        if (size > 0) {
            fine &= !used[shares[i][size - 1]];
            used[shares[i][size - 1]] = true;
        }
    }
    const size_t capacity = size == 0 ? 0 : size - 1;
    uint8_t *fast = fuzz_buffer(capacity), *slow = fuzz_buffer(capacity);
    const uint8_t *const *const given = (const uint8_t *const *)shares;
    tally_cpu_lower(features);
    CHECK_EQUAL(tally_shamir_recover(field, given, count, size, fast),
                fine ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fine) {
        fuzz_untouched(fast, capacity);
        return;
    }
    fuzz_portable();
    CHECK_EQUAL(tally_shamir_recover(field, given, count, size, slow), TALLY_OK);
    CHECK_BYTES(fast, slow, capacity);
}

static void check_split(fuzz_input *input, tally_gf256_field field, uint32_t features)
{
    const size_t count = fuzz_size(input, 40, TOO_MANY), threshold = fuzz_size(input, 20, TOO_MANY);
    const size_t size = fuzz_below(input, MOST_SIZE);
    const uint8_t *secret = fuzz_bytes(input, size);
    uint8_t *shares[TOO_MANY], *back = fuzz_buffer(size), *more[TOO_MANY];
    const uint8_t *some[TOO_MANY];
    for (size_t i = 0; i < count; i++) {
        shares[i] = fuzz_buffer(size + 1);
        more[i] = fuzz_buffer(size);
    }
    tally_cpu_lower(features);
    const bool fine = size > 0 && threshold >= 2 && threshold <= count && count < TOO_MANY;
    CHECK_EQUAL(tally_shamir_split(field, secret, size, threshold, count, shares),
                fine ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fine) {
        return;
    }
    const size_t first = fuzz_below(input, count);
    for (size_t i = 0; i < threshold; i++) { /* any that follow each other, in a ring */
        some[i] = shares[(first + i) % count];
    }
    CHECK_EQUAL(tally_shamir_recover(field, some, threshold, size + 1, back), TALLY_OK);
    CHECK_BYTES(back, secret, size);

    /* The same polynomials twice: their coefficients are a stream, not drawn. */
    tally_aes_key key;
    uint8_t x[TOO_MANY];
    const size_t from = 16 * (size_t)fuzz_below(input, 256);
    for (size_t i = 0; i < count; i++) {
        x[i] = shares[i][size];
    }
    tally_cpu_lower(features);
    CHECK_EQUAL(tally_aes_key_init((const uint8_t[16]){7}, 16, &key), TALLY_OK);
    tally_shamir_evaluate(field, &key, secret, from, size, threshold, x, count, shares);
    fuzz_portable();
    tally_shamir_evaluate(field, &key, secret, from, size, threshold, x, count, more);
    for (size_t i = 0; i < count; i++) {
        CHECK_BYTES(shares[i], more[i], size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t features = (uint32_t)fuzz_number(&input, 2), kind = fuzz_below(&input, 16);
    const tally_gf256_field field = (kind & 1) != 0 ? TALLY_GF256_RS : TALLY_GF256_AES;
    if ((kind & 2) != 0) {
        check_combine(&input, field, features);
    } else {
        check_split(&input, field, features);
    }
    return fuzz_end();
}
