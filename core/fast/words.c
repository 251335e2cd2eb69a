/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length, laid out one after the other. */
#include <string.h>

#include "fast/cipher.h"
#include "fast/params.h"

enum { AT_ONCE = 1024 };

/* Whether every symbol is below the radix, without a branch on any of them; eight at a time. */
static int symbols_fit(uint32_t radix, const uint8_t *symbols, size_t size)
{
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    /* A byte's lower seven bits plus `to_top` reach its top bit from radix (less 128) on. */
    const uint64_t to_top = ones * (128 - (radix <= 128 ? radix : radix - 128));
    uint64_t foreign = 0;
    if (radix == 256) {
        return 1;
    }
    for (; size >= 8; symbols += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, symbols, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        foreign |= radix <= 128 ? reaches | x : reaches & x;
    }
    foreign &= tops;
    for (size_t i = 0; i < size; i++) {
        foreign |= (radix - 1 - symbols[i]) >> 31;
    }
    return foreign == 0;
}

static tally_status run(tally_fast_cipher *cipher, const tally_fast_params *params, int decrypt,
                        const uint8_t *tweak, size_t tweak_size, const uint8_t *words, size_t count,
                        uint8_t *out)
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
    if (!symbols_fit(params->radix, words, count * params->length)) {
        return TALLY_ERROR_SYMBOL;
    }
    if (params->length == 0) {
        return TALLY_OK; /* of the legacy profile; its words may lie nowhere */
    }
    while (count > 0) {
        uint8_t *rows[AT_ONCE];
        size_t part = count < AT_ONCE ? count : AT_ONCE, size = part * params->length;
        if (out != words) {
            memcpy(out, words, size);
        }
        for (size_t i = 0; i < part; i++) {
            rows[i] = out + i * params->length;
        }
        tally_fast_run_rows(cipher, params, decrypt, tweak, tweak_size, rows, part);
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
    return run(cipher, params, 0, tweak, tweak_size, words, count, out);
}

tally_status tally_fast_decrypt_words(tally_fast_cipher *cipher, const tally_fast_params *params,
                                      const uint8_t *tweak, size_t tweak_size, const uint8_t *words,
                                      size_t count, uint8_t *out)
{
    return run(cipher, params, 1, tweak, tweak_size, words, count, out);
}
