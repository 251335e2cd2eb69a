/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that claim to be authentic shares: read one by one, and combined. Whatever they are, a
 * secret comes out only if all shares made again from it are those of the set. */
#include "fuzz.h"
#include "sharing/shares.h"
#include "tallystick/shamir.h"

enum {
    FEW = 12,
    MOST = TALLY_SHARES_MAX_GIVEN,
    LARGEST = TALLY_SHARE_HEADER + TALLY_SHARES_MAX_LABEL + TALLY_SHARES_SET +
              8 * TALLY_SHARE_HASH + TALLY_SHARE_SALT + TALLY_SHARES_MAX_SECRET
};

static void check_read(const uint8_t *bytes, size_t size, tally_share_verdict verdict,
                       const tally_share *share)
{
    const tally_shares_params *params = &share->params;
    if (verdict == TALLY_SHARE_MALFORMED) {
        static const tally_share none;
        CHECK_BYTES(share, &none, sizeof none);
        return;
    }
    CHECK(verdict == TALLY_SHARE_GOOD || verdict == TALLY_SHARE_DAMAGED);
    CHECK(share->size <= size && share->size == tally_shares_size(params));
    CHECK(share->index >= 1 && share->index <= params->count);
    CHECK(params->threshold >= 2 && params->threshold <= params->count && params->count <= 255);
    CHECK(params->secret_size >= 1 && params->secret_size <= TALLY_SHARES_MAX_SECRET);
    CHECK(params->label_size == 0 ||
          (params->label >= bytes && params->label + params->label_size <= bytes + share->size));
}

/* The shares found good are those, to the byte, that a split of the secret gives; its salt comes
 * from the same shares by raw Shamir sharing, which knows nothing of sets. */
static void check_made_again(const tally_shares_found *found, const uint8_t *secret,
                             const uint8_t *const shares[], const size_t sizes[], size_t count,
                             const tally_share_verdict *verdicts)
{
    const tally_shares_params *params = &found->first.params;
    const size_t at = tally_share_values_offset(params), size = found->first.size;
    uint8_t *raw[MOST], *again[255];
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        tally_share share;
        if (verdicts[i] == TALLY_SHARE_GOOD) {
            CHECK_EQUAL(tally_shares_read(shares[i], sizes[i], &share), TALLY_SHARE_GOOD);
            raw[good] = fuzz_buffer(size - at + 1);
            memcpy(raw[good], shares[i] + at, size - at);
            raw[good++][size - at] = (uint8_t)share.index;
        }
    }
    CHECK(found->sets == 1 && found->good == good && good >= params->threshold);
    uint8_t *whole = fuzz_buffer(size - at);
    CHECK_EQUAL(tally_shamir_recover(TALLY_GF256_AES, (const uint8_t *const *)raw,
                                     params->threshold, size - at + 1, whole),
                TALLY_OK);
    CHECK_BYTES(whole + TALLY_SHARE_SALT, secret, params->secret_size);
    for (uint32_t i = 0; i < params->count; i++) {
        again[i] = fuzz_buffer(size);
    }
    tally_shares_split_salted(params, secret, whole, again);
    for (size_t i = 0; i < count; i++) {
        tally_share share;
        if (verdicts[i] == TALLY_SHARE_GOOD) {
            CHECK_EQUAL(tally_shares_read(shares[i], sizes[i], &share), TALLY_SHARE_GOOD);
            CHECK_BYTES(shares[i], again[share.index - 1], size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static const uint8_t *shares[MOST];
    static size_t sizes[MOST];
    const size_t count = fuzz_size(&input, FEW + 1, MOST);
    const size_t capacity =
        fuzz_number(&input, 1) % 2 == 0 ? TALLY_SHARES_MAX_SECRET : fuzz_below(&input, 64);
    fuzz_cpu(&input);
    for (size_t i = 0; i < count; i++) {
        sizes[i] = fuzz_size(&input, 1024, LARGEST + 1);
        shares[i] = fuzz_bytes(&input, sizes[i]);
        tally_share share;
        memset(&share, 0xA5, sizeof share);
        tally_share_verdict verdict = tally_shares_read(shares[i], sizes[i], &share);
        check_read(shares[i], sizes[i], verdict, &share);
    }
    tally_share_verdict *verdicts = FUZZ_ARRAY(tally_share_verdict, count);
    tally_shares_found found;
    uint8_t *secret = fuzz_buffer(capacity);
    tally_status status =
        tally_shares_recover(shares, sizes, count, NULL, verdicts, &found, secret, capacity);
    if (status == TALLY_OK) {
        check_made_again(&found, secret, shares, sizes, count, verdicts);
    }
    return fuzz_end();
}
