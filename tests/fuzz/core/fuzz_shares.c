/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares that were made by a split, then mixed, altered and cut: either enough are as
 * they were made, and the secret comes out whatever else was given, or there is an error; never
 * another secret. */
#include "fuzz.h"
#include "sharing/shares.h"

enum { FEW_SHARES = 20, MOST_SHARES = 255, FEW_GIVEN = 24, FEW_BYTES = 600 };

/* Shares of which copies are given. */
typedef struct set {
    tally_shares_params params;
    const uint8_t *secret;
    uint8_t *shares[MOST_SHARES];
    size_t size;
} set;

/* `may_be_large`: with any number of shares, and a secret of any size. */
static set take_set(fuzz_input *input, bool may_be_large)
{
    set made = {0};
    tally_shares_params *params = &made.params;
    params->kind = fuzz_below(input, 2);
    params->count =
        2 + fuzz_size(input, FEW_SHARES - 1, may_be_large ? MOST_SHARES - 2 : FEW_SHARES - 2);
    params->threshold = 2 + fuzz_below(input, params->count - 1);
    params->secret_size =
        1 + fuzz_size(input, FEW_BYTES, may_be_large ? TALLY_SHARES_MAX_SECRET - 1 : FEW_BYTES - 1);
    if (params->count > FEW_SHARES && params->secret_size > FEW_BYTES) {
        params->threshold = params->threshold < FEW_SHARES ? params->threshold : FEW_SHARES;
    }
    params->label_size = fuzz_below(input, 256);
    params->label = params->label_size == 0 ? NULL : fuzz_bytes(input, params->label_size);
    made.secret = fuzz_bytes(input, params->secret_size);
    made.size = tally_shares_size(params);
    for (uint32_t i = 0; i < params->count; i++) {
        made.shares[i] = fuzz_buffer(made.size);
    }
    const uint8_t *salt = fuzz_bytes(input, TALLY_SHARE_SALT);
    const uint32_t features = fuzz_cpu(input);
    tally_shares_split_salted(params, made.secret, salt, made.shares);
    if (features != 0) {
        uint8_t *again[MOST_SHARES];
        fuzz_portable();
        for (uint32_t i = 0; i < params->count; i++) {
            again[i] = fuzz_buffer(made.size);
        }
        tally_shares_split_salted(params, made.secret, salt, again);
        for (uint32_t i = 0; i < params->count; i++) {
            CHECK_BYTES(made.shares[i], again[i], made.size);
        }
    }
    return made;
}

/* A refused split: parameters of any values. */
static void check_params(fuzz_input *input)
{
    tally_shares_params params = {.kind = fuzz_below(input, 4),
                                  .threshold = fuzz_below(input, 300),
                                  .count = fuzz_below(input, 300),
                                  .secret_size = (uint32_t)fuzz_number(input, 3),
                                  .label_size = fuzz_below(input, 300)};
    const uint8_t label[300] = {'l'};
    params.label = label;
    const bool fits = params.kind <= 1 && params.threshold >= 2 &&
                      params.threshold <= params.count && params.count <= 255 &&
                      params.secret_size >= 1 && params.secret_size <= TALLY_SHARES_MAX_SECRET &&
                      params.label_size <= TALLY_SHARES_MAX_LABEL;
    CHECK_EQUAL(tally_shares_size(&params) != 0, fits);
    if (!fits) {
        CHECK_EQUAL(tally_shares_split(&params, label, NULL), TALLY_ERROR_ARGUMENT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    check_params(&input);
    set sets[2] = {take_set(&input, true), take_set(&input, false)};
    static const uint8_t *given[TALLY_SHARES_MAX_GIVEN];
    static size_t sizes[TALLY_SHARES_MAX_GIVEN];
    const size_t count = fuzz_size(&input, FEW_GIVEN + 1, TALLY_SHARES_MAX_GIVEN);
    bool whole[2][MOST_SHARES] = {{false}};
    for (size_t i = 0; i < count; i++) {
        const uint32_t what = fuzz_below(&input, 256), which = what & 1;
        const uint32_t index = fuzz_below(&input, sets[which].params.count);
        size_t length = sets[which].size;
        if ((what & 14) == 2) {
            length = fuzz_below(&input, length + 8);
        }
        uint8_t *share = fuzz_buffer(length);
        const size_t copied = length < sets[which].size ? length : sets[which].size;
        memcpy(share, sets[which].shares[index], copied);
        if ((what & 14) == 4) {
            for (uint32_t edits = 1 + fuzz_below(&input, 4); edits > 0 && length > 0; edits--) {
                share[fuzz_below(&input, length)] ^= (uint8_t)fuzz_number(&input, 1);
            }
        }
        /* Bytes may follow the share of a dispersed file's key. */
        whole[which][index] |= copied == sets[which].size &&
                               (length == copied || sets[which].params.kind == TALLY_SHARES_FILE) &&
                               memcmp(share, sets[which].shares[index], copied) == 0;
        given[i] = share;
        sizes[i] = length;
    }
    uint32_t good[2] = {0};
    bool enough[2];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < MOST_SHARES; i++) {
            good[k] += whole[k][i];
        }
        enough[k] = good[k] >= sets[k].params.threshold;
    }
    tally_share read[2];
    for (size_t k = 0; k < 2; k++) {
        CHECK_EQUAL(tally_shares_read(sets[k].shares[0], sets[k].size, &read[k]), TALLY_SHARE_GOOD);
    }
    const bool one_set = memcmp(read[0].set, read[1].set, sizeof read[0].set) == 0;
    fuzz_cpu(&input);
    const bool asked = fuzz_below(&input, 2) == 1;
    uint8_t *secret = fuzz_buffer(TALLY_SHARES_MAX_SECRET);
    tally_share_verdict *verdicts = FUZZ_ARRAY(tally_share_verdict, count);
    tally_shares_found found;
    const tally_status status =
        tally_shares_recover(given, sizes, count, asked ? read[0].set : NULL, verdicts, &found,
                             secret, TALLY_SHARES_MAX_SECRET);
    if (one_set) {
        return fuzz_end(); /* two times the same: counted in good[] twice */
    }
    if (asked) {
        enough[1] = false;
    }
    CHECK_EQUAL(status, enough[0] && enough[1]   ? TALLY_ERROR_SHARES_SETS
                        : enough[0] || enough[1] ? TALLY_OK
                                                 : TALLY_ERROR_SHARES_FEW);
    if (status == TALLY_OK) {
        const set *of = &sets[enough[0] ? 0 : 1];
        CHECK_EQUAL(found.good, good[enough[0] ? 0 : 1]);
        CHECK_EQUAL(found.first.params.secret_size, of->params.secret_size);
        CHECK_BYTES(secret, of->secret, of->params.secret_size);
    }
    return fuzz_end();
}
