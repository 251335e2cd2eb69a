/* SPDX-License-Identifier: Apache-2.0
 *
 * A value becomes a token: a check of zeros before it, all of it encrypted by four rounds of an
 * unbalanced Feistel network (Luby and Rackoff), whose halves are the check and the value. A short
 * check would repeat the counters of a plain SIV mode: equal checks of two values would then give
 * their sum away. Here that takes two collisions at once. */
#include <string.h>

#include "base/barrier.h"
#include "text/text.h"

static const char seal_purpose[] = "tallystick text 1";

tally_status tally_text_key_init(const uint8_t *key, size_t key_size, const uint8_t *space,
                                 size_t space_size, const uint8_t *scope, size_t scope_size,
                                 uint32_t check_bits, tally_text_key *out)
{
    enum { ROUND_KEY = 32, PURPOSE = sizeof seal_purpose - 1 };
    uint8_t info[PURPOSE + 3 + TALLY_TEXT_SPACE_SIZE_MAX + TALLY_TEXT_SCOPE_SIZE_MAX],
        keys[4 * ROUND_KEY];
    if (key_size != 16 && key_size != 24 && key_size != 32) {
        return TALLY_ERROR_KEY_SIZE;
    }
    if (check_bits < TALLY_TEXT_CHECK_BITS_MIN || check_bits > TALLY_TEXT_CHECK_BITS_MAX ||
        check_bits % 8 != 0) {
        return TALLY_ERROR_TEXT_CHECK_BITS;
    }
    if (space_size == 0 || space_size > TALLY_TEXT_SPACE_SIZE_MAX ||
        scope_size > TALLY_TEXT_SCOPE_SIZE_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(info, seal_purpose, PURPOSE);
    info[PURPOSE] = (uint8_t)(check_bits / 8);
    info[PURPOSE + 1] = (uint8_t)(space_size >> 8);
    info[PURPOSE + 2] = (uint8_t)space_size;
    memcpy(info + PURPOSE + 3, space, space_size);
    if (scope_size != 0) {
        memcpy(info + PURPOSE + 3 + space_size, scope, scope_size);
    }
    tally_status status = tally_hkdf_sha256(
        NULL, 0, key, key_size, info, PURPOSE + 3 + space_size + scope_size, keys, sizeof keys);
    tally_text_key made;
    memset(&made, 0, sizeof made);
    made.check_size = check_bits / 8;
    tally_hmac_sha256_init(&made.first, keys, ROUND_KEY);
    tally_hmac_sha256_init(&made.third, keys + 2 * ROUND_KEY, ROUND_KEY);
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + ROUND_KEY, ROUND_KEY, &made.second);
    }
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + 3 * ROUND_KEY, ROUND_KEY, &made.fourth);
    }
    if (status == TALLY_OK) {
        *out = made;
    }
    tally_wipe(keys, sizeof keys);
    tally_wipe(&made, sizeof made);
    return status;
}

void tally_text_key_wipe(tally_text_key *key)
{
    tally_wipe(key, sizeof *key);
}

/* check ^= the beginning of HMAC(value) */
static void seal_check(const tally_hmac_sha256 *keyed, const uint8_t *value, size_t size,
                       uint8_t *check, size_t check_size)
{
    tally_hmac_sha256 context = *keyed;
    uint8_t tag[TALLY_SHA256_SIZE];
    tally_hmac_sha256_update(&context, value, size);
    tally_hmac_sha256_final(&context, tag);
    for (size_t i = 0; i < check_size; i++) {
        check[i] ^= tag[i];
    }
    tally_wipe(tag, sizeof tag);
}

/* value ^= AES-CTR from the counter block of the check and zeros */
static void seal_value(const tally_aes_key *key, const uint8_t *check, size_t check_size,
                       uint8_t *value, size_t size)
{
    uint8_t counter[16] = {0};
    memcpy(counter, check, check_size);
    tally_aes_ctr(key, counter, value, size, value);
    tally_wipe(counter, sizeof counter);
}

/* A body is a check and then a value of `size` bytes. */
static void seal_encrypt(const tally_text_key *key, uint8_t *body, size_t size)
{
    const size_t check = key->check_size;
    uint8_t *const value = body + check;
    seal_check(&key->first, value, size, body, check);
    seal_value(&key->second, body, check, value, size);
    seal_check(&key->third, value, size, body, check);
    seal_value(&key->fourth, body, check, value, size);
}

static void seal_decrypt(const tally_text_key *key, uint8_t *body, size_t size)
{
    const size_t check = key->check_size;
    uint8_t *const value = body + check;
    seal_value(&key->fourth, body, check, value, size);
    seal_check(&key->third, value, size, body, check);
    seal_value(&key->second, body, check, value, size);
    seal_check(&key->first, value, size, body, check);
}

int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size)
{
    static const uint8_t zeros[TALLY_TEXT_CHECK_BITS_MAX / 8];
    seal_decrypt(key, body, size);
    if (!tally_equal(body, zeros, key->check_size)) {
        tally_wipe(body, key->check_size + size);
        return 0;
    }
    return 1;
}

/* The bytes of a body as symbols of five bits, most significant first, behind the value's size in
 * three. Returns the end of the text. */
static uint8_t *seal_write(const uint8_t *body, size_t body_size, size_t size, uint8_t *out)
{
    static const char symbols[] = TALLY_TEXT_SYMBOLS;
    uint32_t bits = (uint32_t)(size - 1), count = 5 * TALLY_TEXT_HEADER;
    for (size_t i = 0; i <= body_size; i++) {
        while (count >= 5) {
            count -= 5;
            *out++ = (uint8_t)symbols[bits >> count & 31];
        }
        if (i < body_size) {
            bits = bits << 8 | body[i];
            count += 8;
        }
    }
    while (count > 0) { /* the last bits, and zeros */
        const uint32_t taken = count < 5 ? count : 5;
        count -= taken;
        *out++ = (uint8_t)symbols[(bits >> count << (5 - taken)) & 31];
    }
    return out;
}

int tally_text_is_kind(const char *kind, size_t size)
{
    if (size == 0 || size > TALLY_TEXT_KIND_SIZE_MAX || kind[0] < 'a' || kind[0] > 'z' ||
        (size >= 3 && memcmp(kind + size - 3, "tly", 3) == 0)) {
        return 0; /* tly- begins another token */
    }
    for (size_t i = 0; i < size; i++) {
        const char c = kind[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
            return 0;
        }
    }
    return 1;
}

/* Whether a value is written as an e-mail address: text with one @ inside. */
static int seal_is_address(const uint8_t *value, size_t size)
{
    const uint8_t *const at = size < 3 ? NULL : memchr(value + 1, '@', size - 2);
    return at != NULL && value[0] != '@' && value[size - 1] != '@' &&
           memchr(at + 1, '@', (size_t)(value + size - at - 1)) == NULL;
}

/* Makes an address of a token in the frame of ASCII: the hyphen behind the kind becomes a dot, and as
 * much of the body as has no room in the local part becomes labels of the domain. Returns its size, or
 * 0 if it is too long for an address. */
static size_t seal_address(uint8_t *token, size_t size, size_t kind_size)
{
    enum { LOCAL = 64, LABEL = 63, ADDRESS = 254 };
    static const char domain[] = TALLY_TEXT_DOMAIN;
    uint8_t made[ADDRESS];
    size_t end = size < LOCAL ? size : LOCAL;
    if (size + (size - end) / LABEL + 2 + sizeof domain - 1 > ADDRESS) {
        return 0;
    }
    memcpy(made, token, end);
    made[4 + kind_size] = '.';
    made[end++] = '@';
    for (size_t at = end - 1; at < size;) {
        const size_t label = size - at < LABEL ? size - at : LABEL;
        memcpy(made + end, token + at, label);
        at += label;
        end += label;
        made[end++] = '.';
    }
    memcpy(made + end, domain, sizeof domain - 1);
    end += sizeof domain - 1;
    memcpy(token, made, end);
    return end;
}

tally_status tally_text_protect(const tally_text_key *key, tally_text_frame frame, const char *kind,
                                size_t kind_size, const uint8_t *value, size_t size, uint8_t *out,
                                size_t *out_size)
{
    static const char *const frames[][3] = {{"\xe2\x9f\xa6", ":", "\xe2\x9f\xa7"},
                                            {"tly-", "-", ""}};
    uint8_t body[TALLY_TEXT_BODY_MAX];
    const size_t check = key->check_size;
    if (frame != TALLY_TEXT_UNICODE && frame != TALLY_TEXT_ASCII && frame != TALLY_TEXT_EMAIL) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_text_is_kind(kind, kind_size)) {
        return TALLY_ERROR_TEXT_KIND;
    }
    if (size == 0 || size > TALLY_TEXT_VALUE_SIZE_MAX) {
        return TALLY_ERROR_TEXT_VALUE;
    }
    memset(body, 0, check);
    memcpy(body + check, value, size);
    seal_encrypt(key, body, size);
    const char *const *const parts = frames[frame != TALLY_TEXT_UNICODE];
    uint8_t *at = out;
    memcpy(at, parts[0], strlen(parts[0]));
    at += strlen(parts[0]);
    memcpy(at, kind, kind_size);
    at += kind_size;
    *at++ = (uint8_t)parts[1][0];
    at = seal_write(body, check + size, size, at);
    memcpy(at, parts[2], strlen(parts[2]));
    *out_size = (size_t)(at - out) + strlen(parts[2]);
    if (frame == TALLY_TEXT_EMAIL && seal_is_address(value, size)) {
        const size_t address = seal_address(out, *out_size, kind_size);
        *out_size = address != 0 ? address : *out_size;
    }
    return TALLY_OK;
}
