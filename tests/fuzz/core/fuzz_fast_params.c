/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST with parameters of any kind, most of which make no cipher: each function must refuse just
 * what its header says, with a status that names something that is wrong. */
#include "columns/columns.h"
#include "fuzz.h"

enum { MOST_LAYERS = 1 << 16, SLOTS = 2 };

static uint64_t bit(tally_status status)
{
    return UINT64_C(1) << status;
}

/* The statuses that a caller may get, as bits; only TALLY_OK if nothing is wrong. */
static uint64_t allowed(tally_fast_profile profile, uint32_t radix, const tally_fast_params *p)
{
    uint64_t wrong = 0;
    if (p->radix != radix) {
        wrong |= bit(TALLY_ERROR_RADIX);
    }
    if (profile == TALLY_FAST_BYTES_LEGACY) {
        tally_fast_params only;
        if (p->length > TALLY_FAST_LEGACY_MAX_LENGTH) {
            wrong |= bit(TALLY_ERROR_LENGTH);
        } else if (p->radix == 256) {
            CHECK_EQUAL(tally_fast_recommended(profile, 256, p->length, &only), TALLY_OK);
            wrong |= memcmp(&only, p, sizeof only) != 0 ? bit(TALLY_ERROR_PARAMS) : 0;
        }
    } else if (p->length < 2 || p->length > TALLY_FAST_MAX_LENGTH) {
        wrong |= bit(TALLY_ERROR_LENGTH);
    } else if (p->layers < p->length || p->layers % p->length != 0 || p->w > p->length - 2 ||
               p->w_prime < 1 || p->w_prime > p->length - 1) {
        wrong |= bit(TALLY_ERROR_PARAMS);
    }
    return wrong == 0 ? bit(TALLY_OK) : wrong;
}

static tally_fast_params take_params(fuzz_input *input, tally_fast_profile profile, uint32_t radix)
{
    tally_fast_params params = {0};
    const uint32_t choice = fuzz_below(input, 8);
    if (choice < 2) { /* nothing holds */
        params.radix = choice == 0 ? radix : (uint32_t)fuzz_number(input, 4);
        params.length = (uint32_t)fuzz_number(input, 4);
        params.layers = (uint32_t)fuzz_number(input, 4);
        params.w = (uint32_t)fuzz_number(input, 4);
        params.w_prime = (uint32_t)fuzz_number(input, 4);
        return params;
    }
    const uint32_t length = (uint32_t)fuzz_number(input, 3);
    params.length = length;
    const tally_status status = tally_fast_recommended(profile, radix, length, &params);
    (void)status; /* else params stay as they are */
    if (choice == 2) {
        params.w = (uint32_t)fuzz_number(input, 3);
        params.w_prime = (uint32_t)fuzz_number(input, 3);
        params.layers = length * fuzz_below(input, 4);
    } else if (choice < 6) {
        uint32_t *fields[] = {&params.layers, &params.w, &params.w_prime};
        *fields[choice - 3] += (uint32_t)fuzz_number(input, 2) - 0x8000;
    }
    return params;
}

/* One word, or none if the key schedule would take long. */
static void check_words(tally_fast_cipher *cipher, tally_fast_profile profile, uint32_t radix,
                        const tally_fast_params *params)
{
    const uint64_t statuses = allowed(profile, radix, params);
    const bool fine = statuses == bit(TALLY_OK);
    if (fine && (params->layers > MOST_LAYERS || params->length > MOST_LAYERS)) {
        return;
    }
    const size_t size = fine ? params->length : 0;
    uint8_t *word = fuzz_buffer(size), *token = fuzz_buffer(size);
    memset(word, 1, size);
    tally_status status =
        tally_fast_encrypt_words(cipher, params, NULL, 0, word, fine ? 1 : 0, token);
    CHECK((statuses >> status & 1) != 0);
    CHECK_EQUAL(tally_fast_decrypt_words(cipher, params, NULL, 0, token, fine ? 1 : 0, token),
                status);
    if (status == TALLY_OK) {
        CHECK_BYTES(token, word, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t kind = fuzz_below(&input, 8);
    const tally_fast_profile profile = kind == 7 ? TALLY_FAST_BYTES_LEGACY : TALLY_FAST;
    const uint32_t radix =
        (kind & 1) != 0 ? (uint32_t)fuzz_number(&input, 4) : fuzz_below(&input, 257);
    const size_t key_size =
        (kind & 2) != 0 ? fuzz_below(&input, 256) : 16 + 8 * (size_t)fuzz_below(&input, 3);
    const uint8_t *key = fuzz_bytes(&input, key_size);
    fuzz_cpu(&input);
    tally_fast_params recommended;
    const bool in_range = radix >= 4 && radix <= 256;
    CHECK_EQUAL(tally_fast_recommended(profile, radix, 8, &recommended) == TALLY_OK,
                profile == TALLY_FAST ? in_range : radix == 256);
    const size_t pool_size = tally_fast_pool_size(radix);
    CHECK_EQUAL(pool_size != 0, in_range);
    const size_t given = fuzz_below(&input, 16) == 0 ? fuzz_below(&input, 1 << 16) : pool_size;
    uint8_t *memory = fuzz_buffer(given + 64);
    const size_t shift = fuzz_below(&input, 64); /* any alignment */
    tally_fast_pool *pool = NULL;
    const tally_status made =
        tally_fast_pool_init(profile, radix, key, key_size, memory + shift, given, &pool);
    const bool key_fits = key_size == 16 || key_size == 24 || key_size == 32;
    const bool radix_fits = in_range && (profile == TALLY_FAST || radix == 256);
    CHECK_EQUAL(made == TALLY_OK, radix_fits && key_fits && given >= pool_size);
    const size_t slots = fuzz_below(&input, 4) == 0 ? (size_t)fuzz_number(&input, 8) : SLOTS;
    const size_t cipher_size = tally_fast_cipher_size(slots);
    CHECK_EQUAL(cipher_size != 0, slots >= 1 && slots <= 4096);
    if (made != TALLY_OK) {
        return fuzz_end();
    }
    const size_t less = fuzz_below(&input, 8) == 0 ? 1 : 0;
    uint8_t *cipher_memory = fuzz_buffer(cipher_size + 64);
    tally_fast_cipher *cipher = NULL;
    CHECK_EQUAL(tally_fast_cipher_init(pool, slots, cipher_memory + shift,
                                       cipher_size == 0 ? 64 : cipher_size - less, &cipher),
                cipher_size == 0 || less != 0 ? TALLY_ERROR_ARGUMENT : TALLY_OK);
    for (int i = 0; i < 4 && cipher != NULL && input.size > 0; i++) {
        tally_fast_params params = take_params(&input, profile, radix);
        check_words(cipher, profile, radix, &params);
    }
    if (cipher != NULL) {
        tally_fast_cipher_wipe(cipher);
    }
    return fuzz_end();
}
