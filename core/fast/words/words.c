/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length, laid out one after the other. */
#include <string.h>

#include "base/below.h"
#include "fast/schedule/params.h"
#include "fast/words/by_direction.h"
#include "fast/words/run.h"

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
    if (count == 0 || params->length == 0) {
        return TALLY_OK; /* legacy profile: empty words, and perhaps no memory for them */
    }
    if (cipher->pool->profile == TALLY_FAST_BYTES_LEGACY && params->length == 2) {
        for (size_t i = 0; i < count; i++) {
            uint8_t *word = out + 2 * i;
            memmove(word, words + 2 * i, 2);
            tally_fast_run_words(cipher, params, direction, tweak, tweak_size, &word, 1);
        }
        return TALLY_OK;
    }
    if (out != words && !tally_all_below(params->radix, words, count * params->length)) {
        return TALLY_ERROR_SYMBOL;
    }
    const size_t done = tally_fast_run_side_by_side(cipher, params, direction, tweak, tweak_size,
                                                    words, count, out);
    if (done == count) {
        return TALLY_OK;
    }
    if (out == words) { /* checked batch by batch: restore the batches before */
        const tally_direction back = direction == TALLY_ENCRYPT ? TALLY_DECRYPT : TALLY_ENCRYPT;
        tally_fast_run_side_by_side(cipher, params, back, tweak, tweak_size, out, done, out);
    }
    return TALLY_ERROR_SYMBOL;
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
