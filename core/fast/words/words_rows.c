/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length with a tweak for each of them. */
#include <string.h>

#include "base/below.h"
#include "fast/schedule/params.h"
#include "fast/words/row_tweaks.h"

tally_status tally_fast_words_rows(tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                                   tally_direction direction, const tally_fast_params *params,
                                   const uint8_t *tweak, size_t tweak_size,
                                   const tally_strings *row_tweaks, const uint8_t *words,
                                   uint8_t *out)
{
    tally_row_tweaks job = {
        .cipher = cipher, .params = params, .direction = direction, .tweaks = row_tweaks};
    if (params->radix != cipher->pool->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    tally_status status = tally_fast_check_params(TALLY_FAST, params);
    if (status == TALLY_OK) {
        status = tally_row_tweaks_init(&job, workspace, tweak, tweak_size);
    }
    if (status != TALLY_OK) {
        return status;
    }
    uint64_t count = row_tweaks->rows;
    size_t length = params->length;
    if (count > SIZE_MAX / length) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_all_below(params->radix, words, (size_t)count * length)) {
        return TALLY_ERROR_SYMBOL;
    }
    if (out != words && count != 0) {
        memcpy(out, words, (size_t)count * length);
        if (!tally_all_below(params->radix, out, (size_t)count * length)) {
            return TALLY_ERROR_SYMBOL; /* another thread has changed them since they were checked */
        }
    }
    for (; job.first < count; job.first += TALLY_ROW_TWEAKS_BATCH) {
        uint64_t left = count - job.first;
        size_t batch = left < TALLY_ROW_TWEAKS_BATCH ? (size_t)left : TALLY_ROW_TWEAKS_BATCH;
        tally_row_buckets rows;
        status = tally_row_tweaks_sort(&job, batch, &rows);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t i = 0; i < batch; i++) {
            job.memory->words[i] = out + ((size_t)job.first + rows.order[i]) * length;
        }
        tally_row_tweaks_run(&job, &rows, job.memory->words);
    }
    return TALLY_OK;
}
