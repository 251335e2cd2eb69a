/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each of them. */
#include <string.h>

#include "fast/schedule/params.h"
#include "fast/words/row_tweaks.h"
#include "base/below.h"

static tally_status run(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                        const uint8_t *tweak, size_t tweak_size, const tally_strings *row_tweaks,
                        const uint8_t *words, uint8_t *out)
{
    tally_row_tweaks job = {
        .cipher = cipher, .params = params, .decrypt = decrypt, .tweaks = row_tweaks};
    if (params->radix != cipher->pool->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    tally_status status = tally_fast_check_params(TALLY_FAST, params);
    if (status == TALLY_OK) {
        status = tally_row_tweaks_open(&job, tweak, tweak_size);
    }
    if (status != TALLY_OK) {
        return status;
    }
    uint64_t count = row_tweaks->rows;
    size_t length = params->length;
    if (count > SIZE_MAX / length) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_symbols_fit(params->radix, words, (size_t)count * length)) {
        return TALLY_ERROR_SYMBOL;
    }
    if (out != words && count != 0) {
        memcpy(out, words, (size_t)count * length);
        if (!tally_symbols_fit(params->radix, out, (size_t)count * length)) {
            return TALLY_ERROR_SYMBOL; /* they were checked, and have changed since */
        }
    }
    for (; job.first < count; job.first += TALLY_ROW_TWEAKS_BATCH) {
        uint64_t left = count - job.first;
        size_t batch = left < TALLY_ROW_TWEAKS_BATCH ? (size_t)left : TALLY_ROW_TWEAKS_BATCH;
        tally_row_bundles rows;
        status = tally_row_tweaks_bundle(&job, batch, &rows);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < batch; i++) {
            cipher->bundled[i] = out + ((size_t)job.first + rows.order[i]) * length;
        }
        tally_row_tweaks_run(&job, &rows, cipher->bundled);
    }
    return TALLY_OK;
}

tally_status tally_fast_encrypt_words_rows(tally_fast_cipher *cipher,
                                           const tally_fast_params *params, const uint8_t *tweak,
                                           size_t tweak_size, const tally_strings *row_tweaks,
                                           const uint8_t *words, uint8_t *out)
{
    return run(cipher, params, 0, tweak, tweak_size, row_tweaks, words, out);
}

tally_status tally_fast_decrypt_words_rows(tally_fast_cipher *cipher,
                                           const tally_fast_params *params, const uint8_t *tweak,
                                           size_t tweak_size, const tally_strings *row_tweaks,
                                           const uint8_t *words, uint8_t *out)
{
    return run(cipher, params, 1, tweak, tweak_size, row_tweaks, words, out);
}
