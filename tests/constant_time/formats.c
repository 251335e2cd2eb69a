/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of date_shift, ipcrypt and tokens in text. Keys are secret, and values wherever they
 * are bytes: to read and write an address or a date depends on its characters. Public are sizes, the
 * notation of values, whether an address is of IPv4, and whether a key made a token. The ciphers of
 * ipcrypt and of tokens are called without the text around them, so their files are included. */
#include "secret.h"

#define tally_about_ipcrypt  checked_about_ipcrypt
#define tally_format_ipcrypt checked_format_ipcrypt
#define tally_text_is_kind   checked_text_is_kind
#define tally_text_key_init  checked_text_key_init
#define tally_text_key_wipe  checked_text_key_wipe
#define tally_text_open      checked_text_open
#define tally_text_protect   checked_text_protect
#include "formats/ipcrypt.c"
#include "text/seal.c"

#include "tests/format_run.h"

static void expect_ok(tally_status status, const char *what)
{
    if (status != TALLY_OK) {
        fail(what);
    }
}

/* Dates of six entities. The days by which they move are secret, because the key is. */
static void check_date_shift(void)
{
    enum { ROWS = 6, DAY = 10 };
    static const char description[] = "\"date_shift\"", entities[ROWS + 1] = "abcdef";
    uint8_t key[16] = {1}, dates[ROWS * DAY], status[ROWS], *values;
    uint64_t starts[ROWS + 1], entity[ROWS + 1], *offsets;
    tally_format *format;
    tally_problem problem;
    expect_ok(tally_format_new(NULL, description, sizeof description - 1, &format, &problem),
              "no format");
    make_secret(key, sizeof key);
    format_run *own = format_run_new(format, key, sizeof key, "n", 1);
    for (size_t i = 0; i <= ROWS; i++) {
        starts[i] = i * DAY;
        entity[i] = i;
        if (i < ROWS) {
            memcpy(dates + i * DAY, "2001-02-03", DAY);
        }
    }
    const tally_strings in = {.offsets = starts, .offset_size = 8, .values = dates, .rows = ROWS};
    const tally_strings tweaks = {
        .offsets = entity, .offset_size = 8, .values = (const uint8_t *)entities, .rows = ROWS};
    own->run.direction = TALLY_ENCRYPT;
    own->run.row_tweaks = &tweaks;
    expect_ok(format_run_text(format, own, &in, status, &values, &offsets), "no column");
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t bits = 0; /* of the last digit, whose upper half is that of '0' */
        (void)VALGRIND_GET_VBITS(values + i * DAY + DAY - 1, &bits, 1);
        if (status[i] != 0 || bits == 0) {
            fail("a date does not depend on the key");
        }
    }
    free(values);
    free(offsets);
    format_run_free(own);
    tally_format_free(format);
    printf("checked: days of date_shift\n");
}

/* All modes and both directions. IPv6 has a public half in pfx, which tells that it is not IPv4. */
static void check_ipcrypt(ipcrypt_mode mode, tally_direction direction, int is_ipv4)
{
    enum { ROWS = 5 };
    static ipcrypt_block block;
    uint8_t key[32] = {1};
    const ipcrypt_format format = {.mode = mode};
    const tally_run run = {.direction = direction,
                           .key = key,
                           .key_size = mode == IPCRYPT_NDX || mode == IPCRYPT_PFX ? 32 : 16};
    const size_t known = mode != IPCRYPT_PFX ? 0 : is_ipv4 ? sizeof ipcrypt_mapped : 8;
    memset(&block, 0, sizeof block);
    make_secret(key, sizeof key);
    expect_ok(ipcrypt_expand(&format, &run, &block), "no key");
    for (size_t i = 0; i < ROWS; i++) {
        if (is_ipv4) {
            memcpy(block.address[i], ipcrypt_mapped, sizeof ipcrypt_mapped);
        } else {
            block.address[i][0] = 0x20;
        }
        make_secret(block.address[i] + known, IPCRYPT_ADDRESS - known);
    }
    expect_ok(ipcrypt_crypt(&format, &run, &block, ROWS), "no ipcrypt");
    for (size_t i = 0; i < ROWS; i++) {
        expect_secret(block.address[i] + known, IPCRYPT_ADDRESS - known);
    }
    printf("checked: ipcrypt, %s\n", ipcrypt_modes[mode]);
}

/* The four rounds both ways, and the comparison of the check. */
static void check_text(uint32_t bits, size_t size)
{
    static const uint8_t zeros[TALLY_TEXT_CHECK_BITS_MAX / 8];
    static uint8_t body[TALLY_TEXT_BODY_MAX];
    uint8_t key[32] = {1};
    tally_text_key made;
    make_secret(key, sizeof key);
    expect_ok(tally_text_key_init(key, sizeof key, (const uint8_t *)"n", 1, NULL, 0, bits, &made),
              "no key");
    make_secret(body, sizeof body);
    seal_encrypt(&made, body, size);
    expect_secret(body, bits / 8 + size);
    make_secret(body, sizeof body);
    seal_decrypt(&made, body, size);
    expect_secret(body, bits / 8 + size);
    volatile int equal = tally_equal(body, zeros, bits / 8);
    (void)equal;
    printf("checked: tokens in text, %zu bytes\n", size);
}

static void check(void)
{
    check_date_shift();
    for (int mode = IPCRYPT_DETERMINISTIC; mode <= IPCRYPT_PFX; mode++) {
        for (int is_ipv4 = 0; is_ipv4 < 2; is_ipv4++) {
            check_ipcrypt((ipcrypt_mode)mode, TALLY_ENCRYPT, is_ipv4);
            check_ipcrypt((ipcrypt_mode)mode, TALLY_DECRYPT, is_ipv4);
        }
    }
    for (size_t size = 1; size <= 300; size = 4 * size + 3) {
        check_text(TALLY_TEXT_CHECK_BITS_MIN, size);
        check_text(TALLY_TEXT_CHECK_BITS_MAX, size);
    }
}
