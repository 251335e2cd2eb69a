/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length, laid out one after the other. */
#include <string.h>

#include "base/below.h"
#include "fast/schedule/params.h"
#include "fast/words/by_direction.h"
#include "fast/words/run.h"

enum { WORDS_BATCH = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES };

tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                              const tally_fast_params *params, const uint8_t *tweak,
                              size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out)
{
    if (params->radix != cipher->pool->radix) {
        return TALLY_ERROR_RADIX;
    }
    tally_status status = tally_fast_check_params(cipher->pool->profile, params);
    if (status != TALLY_OK) {
        return status;
    }
    if (params->length != 0 && count > SIZE_MAX / params->length) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_all_below(params->radix, words, count * params->length)) {
        return TALLY_ERROR_SYMBOL;
    }
    if (params->length == 0) {
        return TALLY_OK; /* legacy profile: empty words, and perhaps no memory for them */
    }
    const int legacy = cipher->pool->profile == TALLY_FAST_BYTES_LEGACY;
    if (legacy && out != words) {
        memcpy(out, words, count * params->length);
    }
    while (count > 0) {
        const uint8_t *source[WORDS_BATCH];
        uint8_t *rows[WORDS_BATCH];
        const size_t part = count < WORDS_BATCH ? count : WORDS_BATCH, size = part * params->length;
        const size_t left = (count - part) * params->length;
        for (size_t i = 0; i < part; i++) {
            source[i] = words + i * params->length;
            rows[i] = out + i * params->length;
        }
        const tally_fast_prefetch next = {words + size, out + size, left < size ? left : size};
        if (legacy) {
            tally_fast_run_words(cipher, params, direction, tweak, tweak_size, rows, part);
        } else if (!tally_fast_run_words_from(cipher, params, direction, tweak, tweak_size, source,
                                              rows, part, &next)) {
            return TALLY_ERROR_SYMBOL; /* another thread has changed them since they were checked */
        }
        count -= part;
        words += size;
        out += size;
    }
    return TALLY_OK;
}

tally_status tally_fast_encrypt_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                                      const uint8_t *tweak, size_t tweak_size, const uint8_t *words,
                                      size_t count, uint8_t *out)
{
    return tally_fast_words(cipher, TALLY_ENCRYPT, params, tweak, tweak_size, words, count, out);
}

tally_status tally_fast_decrypt_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                                      const uint8_t *tweak, size_t tweak_size, const uint8_t *words,
                                      size_t count, uint8_t *out)
{
    return tally_fast_words(cipher, TALLY_DECRYPT, params, tweak, tweak_size, words, count, out);
}
