/* SPDX-License-Identifier: Apache-2.0
 *
 * Many words at once under any mix of back ends, beside the same words one by one in portable code;
 * with one tweak for all, or one each; and back. */
#include "fast/words/row_tweaks.h"
#include "fuzz_fast.h"
#include "fuzz_strings.h"

enum { MOST_WORDS = 320, FEW_SYMBOLS = 200, MOST_BYTES = 8192, MOST_ROUNDS = 20 };

static tally_fast_params take_params(fuzz_input *input, tally_fast_profile profile, uint32_t radix)
{
    tally_fast_params params = {0};
    const uint32_t choice = fuzz_below(input, 4);
    const uint32_t most =
        profile == TALLY_FAST ? TALLY_FAST_MAX_LENGTH : TALLY_FAST_LEGACY_MAX_LENGTH;
    const uint32_t length =
        2 + (choice == 0 ? fuzz_size(input, FEW_SYMBOLS, most - 2) : fuzz_below(input, 16));
    CHECK_EQUAL(tally_fast_recommended(profile, radix, length, &params), TALLY_OK);
    if (profile == TALLY_FAST && (choice >= 2 || length > FEW_SYMBOLS + 2)) {
        /* The recommended layers of the longest words would take half a minute here. */
        params.layers = length * (1 + fuzz_below(input, MOST_ROUNDS));
        params.w = fuzz_below(input, length - 1);
        params.w_prime = 1 + fuzz_below(input, length - 1);
    }
    return params;
}

/* Word i under its whole tweak. */
static tally_status one_word(const instance *slow, const tally_fast_params *params,
                             const uint8_t *tweak, size_t tweak_size, const fuzz_strings *tails,
                             uint64_t i, const uint8_t *word, uint8_t *out)
{
    const size_t tail = tails == NULL ? 0 : (size_t)(tails->start[i + 1] - tails->start[i]);
    uint8_t *whole = malloc(tweak_size + tail + 1);
    memcpy(whole, tweak, tweak_size);
    if (tail > 0) {
        memcpy(whole + tweak_size, tails->values + tails->start[i], tail);
    }
    const tally_status status =
        tally_fast_encrypt_words(slow->cipher, params, whole, tweak_size + tail, word, 1, out);
    free(whole);
    return status;
}

/* Whether every row has a tweak that is short enough. */
static bool tweaks_fit(const fuzz_strings *tails, size_t tweak_size)
{
    bool fit = tails->fits;
    for (uint64_t i = 0; i < tails->strings.rows && fit; i++) {
        fit = !tails->null[i] &&
              tweak_size + tails->start[i + 1] - tails->start[i] <= TALLY_FAST_MAX_ROW_TWEAK;
    }
    return fit;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t kind = fuzz_below(&input, 16);
    const tally_fast_profile profile = kind == 0 ? TALLY_FAST_BYTES_LEGACY : TALLY_FAST;
    const uint32_t radix = 4 + fuzz_below(&input, 253), symbols = kind == 0 ? 256 : radix;
    const uint32_t features = fuzz_level(&input);
    instance fast = fuzz_instance(profile, symbols, features);
    instance slow = fuzz_instance(profile, symbols, 0);
    const tally_fast_params params = take_params(&input, profile, symbols);
    const size_t most = params.length < MOST_BYTES ? MOST_BYTES / params.length : 1;
    const size_t count = fuzz_below(&input, (most < MOST_WORDS ? most : MOST_WORDS) + 1);
    const size_t bytes = count * params.length, tweak_size = fuzz_below(&input, 300);
    const uint8_t *tweak = fuzz_bytes(&input, tweak_size);
    const bool by_rows = kind >= 8;
    fuzz_strings tails = {0};
    if (by_rows && !fuzz_take_strings(&input, count, (kind & 1) != 0 ? 1024 : 12, &tails)) {
        return fuzz_end();
    }
    uint8_t *words = fuzz_bytes(&input, bytes), *many = fuzz_buffer(bytes),
            *one = fuzz_buffer(bytes);
    bool proper = true;
    for (size_t i = 0; i < bytes; i++) {
        words[i] = (uint8_t)((kind & 2) != 0 ? words[i] % symbols : words[i]);
        proper &= words[i] < symbols;
    }
    const bool fine = proper && !(by_rows && (kind == 0 || !tweaks_fit(&tails, tweak_size)));
    if (by_rows) {
        const tally_status status =
            tally_fast_words_rows(fast.cipher, fast.workspace, TALLY_ENCRYPT, &params, tweak,
                                  tweak_size, &tails.strings, words, many);
        CHECK_EQUAL(status == TALLY_OK, fine);
    } else {
        CHECK_EQUAL(
            tally_fast_encrypt_words(fast.cipher, &params, tweak, tweak_size, words, count, many),
            fine ? TALLY_OK : TALLY_ERROR_SYMBOL);
    }
    for (size_t i = 0; i < count && fine; i++) {
        CHECK_EQUAL(one_word(&slow, &params, tweak, tweak_size, by_rows ? &tails : NULL, i,
                             words + i * params.length, one + i * params.length),
                    TALLY_OK);
    }
    if (fine) {
        CHECK_BYTES(many, one, bytes);
        CHECK_EQUAL(by_rows
                        ? tally_fast_words_rows(fast.cipher, fast.workspace, TALLY_DECRYPT, &params,
                                                tweak, tweak_size, &tails.strings, many, many)
                        : tally_fast_decrypt_words(fast.cipher, &params, tweak, tweak_size, many,
                                                   count, many),
                    TALLY_OK);
        CHECK_BYTES(many, words, bytes);
    } else {
        fuzz_untouched(many, bytes);
    }
    return fuzz_end();
}
