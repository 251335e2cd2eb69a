/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on many words with a tweak for each, under any mix of back ends, beside the same words one by
 * one in portable code; and back. Symbols, lengths and tweaks need not be valid. FF3-1 decrypts the
 * same words, many at once and one by one. */
#include "ff1/ff3_1.h"
#include "fuzz.h"

enum { MOST_WORDS = 140, FEW_SYMBOLS = 80, MOST_SYMBOLS = 3000, MOST_COMMON = 40, MOST_OWN = 70 };

/* A word under its whole tweak, in portable code. */
static tally_status one_word(const tally_ff1 *slow, uint32_t length, const tally_ff1_tweaks *tweaks,
                             size_t i, const uint8_t *word, uint8_t *out)
{
    uint8_t whole[MOST_COMMON + MOST_OWN];
    memcpy(whole, tweaks->common, tweaks->common_size);
    memcpy(whole + tweaks->common_size, tweaks->rows[i], tweaks->row_sizes[i]);
    return tally_ff1_encrypt_words(slow, length, whole, tweaks->common_size + tweaks->row_sizes[i],
                                   word, 1, out);
}

static void check_ff3_1(const uint8_t *key, size_t key_size, uint32_t radix, uint32_t length,
                        const tally_ff1_tweaks *tweaks, const uint8_t *words, size_t size,
                        size_t count)
{
    tally_ff3_1 *cipher = NULL;
    uint8_t *memory = fuzz_buffer(tally_ff3_1_size()), *many = fuzz_buffer(count * size),
            *one = fuzz_buffer(size);
    const tally_status made =
        tally_ff3_1_init(radix, key, key_size, memory, tally_ff3_1_size(), &cipher);
    if (made != TALLY_OK) {
        CHECK(cipher == NULL);
        return;
    }
    const tally_ff1_tweaks common = {.common = tweaks->common, .common_size = tweaks->common_size};
    const tally_status status = tally_ff3_1_words(cipher, length, &common, words, count, many);
    const uint32_t least = tally_ff3_1_min_length(common.common_size, radix);
    if (status == TALLY_OK) {
        CHECK(least != 0 && least <= length && length <= tally_ff3_1_max_length(radix));
    } else {
        fuzz_untouched(many, count * size);
    }
    for (size_t i = 0; i < count && status == TALLY_OK; i++) {
        CHECK_EQUAL(tally_ff3_1_decrypt_words(cipher, length, common.common, common.common_size,
                                              words + size * i, 1, one),
                    TALLY_OK);
        CHECK_BYTES(one, many + size * i, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t kind = fuzz_below(&input, 16);
    const uint32_t radix = (kind & 1) != 0 ? fuzz_below(&input, 260) : fuzz_below(&input, 65540);
    const tally_ff1_profile profile = (kind & 2) != 0 ? TALLY_FF1_2016 : TALLY_FF1;
    const uint32_t length = fuzz_size(&input, FEW_SYMBOLS, MOST_SYMBOLS);
    const size_t key_size = 16 + 8 * (size_t)fuzz_below(&input, 3);
    uint8_t *key = fuzz_bytes(&input, key_size);
    tally_ff1 *fast = NULL, *slow = NULL;
    uint8_t *fast_memory = fuzz_buffer(tally_ff1_size()),
            *slow_memory = fuzz_buffer(tally_ff1_size());
    fuzz_cpu(&input);
    const tally_status made =
        tally_ff1_init(profile, radix, key, key_size, fast_memory, tally_ff1_size(), &fast);
    CHECK_EQUAL(made == TALLY_OK, radix >= 2 && radix <= 65536);
    if (made != TALLY_OK) {
        return fuzz_end();
    }
    fuzz_portable();
    CHECK_EQUAL(tally_ff1_init(profile, radix, key, key_size, slow_memory, tally_ff1_size(), &slow),
                TALLY_OK);
    const size_t symbol_size = radix <= 256 ? 1 : 2, word = symbol_size * length;
    const size_t count = length > 300 ? 1 : 1 + fuzz_below(&input, MOST_WORDS);
    const size_t common_size = fuzz_below(&input, MOST_COMMON + 1);
    const uint8_t **rows = FUZZ_ARRAY(const uint8_t *, count);
    size_t *sizes = FUZZ_ARRAY(size_t, count);
    const tally_ff1_tweaks tweaks = {fuzz_bytes(&input, common_size), common_size, rows, sizes};
    const size_t each = fuzz_below(&input, MOST_OWN + 1);
    for (size_t i = 0; i < count; i++) {
        sizes[i] = (kind & 4) != 0 ? each : fuzz_below(&input, each + 1);
        rows[i] = fuzz_bytes(&input, sizes[i]);
    }
    uint8_t *words = fuzz_bytes(&input, count * word), *many = fuzz_buffer(count * word),
            *one = fuzz_buffer(word);
    bool proper = true;
    for (size_t i = 0; i < count * length; i++) {
        uint16_t symbol = words[symbol_size * i];
        if (symbol_size == 2) {
            memcpy(&symbol, words + 2 * i, 2);
        }
        symbol = (uint16_t)((kind & 8) != 0 ? symbol : symbol % radix);
        proper &= symbol < radix;
        if (symbol_size == 2) {
            memcpy(words + 2 * i, &symbol, 2);
        } else {
            words[i] = (uint8_t)symbol;
        }
    }
    const bool fits = length >= tally_ff1_min_length(profile, radix);
    CHECK_EQUAL(tally_ff1_words(fast, TALLY_ENCRYPT, length, &tweaks, words, count, many),
                !fits     ? TALLY_ERROR_FF1_LENGTH
                : !proper ? TALLY_ERROR_FF1_SYMBOL
                          : TALLY_OK);
    if (!fits || !proper) {
        fuzz_untouched(many, count * word);
        return fuzz_end();
    }
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(one_word(slow, length, &tweaks, i, words + word * i, one), TALLY_OK);
        CHECK_BYTES(many + word * i, one, word);
    }
    check_ff3_1(key, key_size, radix, length, &tweaks, words, word, count);
    uint8_t **places = FUZZ_ARRAY(uint8_t *, count);
    for (size_t i = 0; i < count; i++) {
        places[i] = many + word * i;
    }
    CHECK_EQUAL(tally_ff1_run(fast, TALLY_DECRYPT, length, &tweaks, places, count, NULL), TALLY_OK);
    CHECK_BYTES(many, words, count * word);
    return fuzz_end();
}
