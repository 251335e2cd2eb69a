/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of any range under any mix of back ends, beside the same numbers one by one in portable
 * code; with one tweak for all, or one each; and back. */
#include "fast/words/row_tweaks.h"
#include "fuzz_fast.h"
#include "fuzz_strings.h"

enum { MOST_NUMBERS = 100 };

static uint64_t one_number(const instance *slow, uint64_t size, const uint8_t *tweak,
                           size_t tweak_size, const fuzz_strings *tails, uint64_t i,
                           uint64_t number)
{
    const size_t tail = tails == NULL ? 0 : (size_t)(tails->start[i + 1] - tails->start[i]);
    uint8_t *whole = malloc(tweak_size + tail + 1);
    memcpy(whole, tweak, tweak_size);
    if (tail > 0) {
        memcpy(whole + tweak_size, tails->values + tails->start[i], tail);
    }
    CHECK_EQUAL(
        tally_fast_encrypt_range(slow->cipher, size, whole, tweak_size + tail, &number, 1, &number),
        TALLY_OK);
    free(whole);
    return number;
}

static void check_range(fuzz_input *input, uint64_t size, const instance *fast,
                        const instance *slow)
{
    const size_t count = fuzz_below(input, MOST_NUMBERS + 1), tweak_size = fuzz_below(input, 64);
    const uint8_t *tweak = fuzz_bytes(input, tweak_size);
    const uint32_t kind = fuzz_below(input, 16);
    const bool by_rows = (kind & 1) != 0;
    fuzz_strings tails = {0};
    const uint8_t *chosen = NULL;
    if (by_rows) {
        if (!fuzz_take_strings(input, count, (kind & 4) != 0 ? 1024 : 12, &tails)) {
            return;
        }
        chosen = (kind & 8) != 0 ? fuzz_bytes(input, count) : NULL;
    }
    uint64_t *numbers = FUZZ_ARRAY(uint64_t, count), *out = FUZZ_ARRAY(uint64_t, count);
    bool fine = !by_rows || tails.fits;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = fuzz_number(input, 8);
        numbers[i] = (kind & 2) != 0 && size != 0 ? numbers[i] % size : numbers[i];
        if (chosen == NULL || chosen[i] != 0) {
            fine &= size == 0 || numbers[i] < size;
            fine &= !by_rows ||
                    (!tails.null[i] &&
                     tweak_size + tails.start[i + 1] - tails.start[i] <= TALLY_FAST_MAX_ROW_TWEAK);
        }
    }
    const tally_status status =
        by_rows
            ? tally_fast_range_rows(fast->cipher, fast->workspace, TALLY_ENCRYPT, size, tweak,
                                    tweak_size, &tails.strings, chosen, numbers, out)
            : tally_fast_encrypt_range(fast->cipher, size, tweak, tweak_size, numbers, count, out);
    CHECK_EQUAL(status == TALLY_OK, fine);
    if (!fine) {
        fuzz_untouched(out, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(size == 0 || (chosen != NULL && chosen[i] == 0) || out[i] < size);
        CHECK(out[i] == (chosen != NULL && chosen[i] == 0
                             ? numbers[i]
                             : one_number(slow, size, tweak, tweak_size, by_rows ? &tails : NULL, i,
                                          numbers[i])));
    }
    CHECK_EQUAL(
        by_rows ? tally_fast_range_rows(fast->cipher, fast->workspace, TALLY_DECRYPT, size, tweak,
                                        tweak_size, &tails.strings, chosen, out, out)
                : tally_fast_decrypt_range(fast->cipher, size, tweak, tweak_size, out, count, out),
        TALLY_OK);
    CHECK_BYTES(out, numbers, count * sizeof *out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint64_t range = fuzz_number(&input, 1 + fuzz_below(&input, 8));
    tally_fast_params params;
    const tally_status status = tally_fast_range_params(range, &params);
    CHECK_EQUAL(status, range == 1 ? TALLY_ERROR_ARGUMENT : TALLY_OK);
    if (status == TALLY_OK) {
        const uint32_t features = fuzz_level(&input);
        instance fast = fuzz_instance(TALLY_FAST, params.radix, features);
        instance slow = fuzz_instance(TALLY_FAST, params.radix, 0);
        check_range(&input, range, &fast, &slow);
    }
    return fuzz_end();
}
