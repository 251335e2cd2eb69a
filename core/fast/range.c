/* SPDX-License-Identifier: Apache-2.0
 *
 * A permutation of the numbers 0..size-1: FAST on their digits, walked until it lands among them
 * (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002, cycle walking). The
 * number of steps depends on the secret; docs/security.md says what that tells. */
#include "fast/cipher.h"
#include "fast/params.h"

/* Whether radix^length numbers are enough for size (0: 2^64). */
static int reaches(uint32_t radix, uint32_t length, uint64_t size)
{
    uint64_t last = size - 1; /* the greatest number to be written */
    for (uint32_t i = 0; i < length; i++) {
        last /= radix;
    }
    return last == 0;
}

tally_status tally_fast_range_params(uint64_t size, tally_fast_params *out)
{
    if (size == 1) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint32_t length = TALLY_FAST_MIN_LENGTH, radix = TALLY_FAST_MIN_RADIX;
    while (!reaches(TALLY_FAST_MAX_RADIX, length, size)) {
        length++;
    }
    while (!reaches(radix, length, size)) {
        radix++;
    }
    return tally_fast_recommended(TALLY_FAST, radix, length, out);
}

enum { AT_ONCE = 512, MAX_LENGTH = 8 };

static void write_word(const tally_fast_params *params, uint64_t number, uint8_t *word)
{
    for (uint32_t i = params->length; i-- > 0;) {
        word[i] = (uint8_t)(number % params->radix);
        number /= params->radix;
    }
}

/* Length is at most 8, so that radix^length is at most 2^64. */
static uint64_t read_word(const tally_fast_params *params, const uint8_t *word)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < params->length; i++) {
        number = number * params->radix + word[i];
    }
    return number;
}

/* Walks some numbers together, until all are at most `last` again. */
static void walk(tally_fast_cipher *cipher, const tally_fast_params *params, uint64_t last,
                 int decrypt, const uint8_t *tweak, size_t tweak_size, const uint64_t *numbers,
                 size_t count, uint64_t *out)
{
    uint8_t words[AT_ONCE * MAX_LENGTH];
    uint8_t *rows[AT_ONCE]; /* of the numbers still on their way, and where each belongs */
    size_t places[AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        rows[i] = words + i * params->length;
        places[i] = i;
        write_word(params, numbers[i], rows[i]);
    }
    while (count > 0) {
        tally_fast_run_rows(cipher, params, decrypt, tweak, tweak_size, rows, count);
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t number = read_word(params, rows[i]);
            if (number <= last) {
                out[places[i]] = number;
            } else {
                rows[left] = rows[i];
                places[left++] = places[i];
            }
        }
        count = left;
    }
    tally_wipe(words, sizeof words);
}

static tally_status run(tally_fast_cipher *cipher, uint64_t size, int decrypt, const uint8_t *tweak,
                        size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out)
{
    tally_fast_params params;
    tally_status status = tally_fast_range_params(size, &params);
    if (status != TALLY_OK) {
        return status;
    }
    if (cipher->pool->radix != params.radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] > size - 1) {
            return TALLY_ERROR_SYMBOL;
        }
    }
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        walk(cipher, &params, size - 1, decrypt, tweak, tweak_size, numbers + done, part,
             out + done);
    }
    return TALLY_OK;
}

tally_status tally_fast_encrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return run(cipher, size, 0, tweak, tweak_size, numbers, count, out);
}

tally_status tally_fast_decrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return run(cipher, size, 1, tweak, tweak_size, numbers, count, out);
}
