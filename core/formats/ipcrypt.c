/* SPDX-License-Identifier: Apache-2.0
 *
 * ipcrypt: addresses by draft-denis-ipcrypt, so that its other implementations read the tokens. The
 * key is the draft's own. An address has 16 bytes there; those of IPv4 follow ::ffff:0:0/96. */
#include <string.h>

#include "aes/backend.h"
#include "base/allocator.h"
#include "formats/format.h"
#include "formats/ipv6_text.h"

enum {
    IPCRYPT_ADDRESS = 16,
    IPCRYPT_IPV4_TEXT = 15, /* bytes of an address, at most */
    IPCRYPT_TEXT = 64,      /* bytes of a token, at most */
    IPCRYPT_ROUND_KEYS = 176,
    IPCRYPT_ROWS = 256
};

typedef enum ipcrypt_mode {
    IPCRYPT_DETERMINISTIC, /* a block of AES */
    IPCRYPT_ND,            /* KIASU-BC, with a tweak of 8 bytes */
    IPCRYPT_NDX,           /* one block of AES-XTS, with a tweak of 16 */
    IPCRYPT_PFX            /* bit after bit, by the bits before */
} ipcrypt_mode;

typedef struct ipcrypt_format {
    ipcrypt_mode mode;
    uint32_t tweak; /* bytes: 0, 8 or 16 */
    const tally_ipv6_text *text;
} ipcrypt_format;

/* A block of rows; null and invalid ones are zeros, which are run for nothing. */
typedef struct ipcrypt_block {
    uint8_t address[IPCRYPT_ROWS][IPCRYPT_ADDRESS];
    uint8_t tweak[IPCRYPT_ROWS][16];
    uint8_t prefix[IPCRYPT_ROWS][IPCRYPT_ADDRESS], pad[2][IPCRYPT_ROWS][IPCRYPT_ADDRESS];
    uint8_t first[IPCRYPT_ROWS]; /* bit of an address that is encrypted */
    tally_aes_key keys[2];
    uint8_t round_keys[IPCRYPT_ROUND_KEYS], tweaked[IPCRYPT_ROUND_KEYS];
    tally_aes_key own_key; /* of a row */
} ipcrypt_block;

static const char *const ipcrypt_modes[] = {"deterministic", "nd", "ndx", "pfx", NULL};

static const tally_option ipcrypt_options[] = {
    {"mode", TALLY_OPTION_CHOICE, 0, ipcrypt_modes, "\"deterministic\""},
    TALLY_OPTIONS_END,
};

static const uint8_t ipcrypt_mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static int ipcrypt_is_ipv4(const uint8_t address[IPCRYPT_ADDRESS])
{
    return memcmp(address, ipcrypt_mapped, sizeof ipcrypt_mapped) == 0;
}

/* The value of a digit of either base; 16: it is none. Letters are lower-case. */
static uint32_t ipcrypt_digit(uint8_t c)
{
    return (uint8_t)(c - '0') <= 9   ? (uint32_t)(c - '0')
           : (uint8_t)(c - 'a') <= 5 ? (uint32_t)(c - 'a') + 10
                                     : 16;
}

static int ipcrypt_read_ipv4(const uint8_t *text, uint64_t size, uint8_t address[IPCRYPT_ADDRESS])
{
    uint64_t at = 0;
    memcpy(address, ipcrypt_mapped, sizeof ipcrypt_mapped);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t start = at;
        uint32_t octet = 0;
        while (at < size && at - start < 3 && (uint8_t)(text[at] - '0') <= 9) {
            octet = 10 * octet + (uint32_t)(text[at++] - '0');
        }
        if (at == start || octet > 255 || (at - start > 1 && text[start] == '0')) {
            return 0;
        }
        address[12 + i] = (uint8_t)octet;
        if (i < 3 && (at == size || text[at++] != '.')) {
            return 0;
        }
    }
    return at == size;
}

/* Hexadecimal digits to bytes. */
static int ipcrypt_read_hex(const uint8_t *text, uint8_t *out, size_t bytes)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < bytes; i++) {
        const uint32_t high = ipcrypt_digit(text[2 * i]), low = ipcrypt_digit(text[2 * i + 1]);
        wrong |= high | low;
        out[i] = (uint8_t)(high << 4 | (low & 15));
    }
    return wrong < 16;
}

static uint8_t *ipcrypt_write_hex(const uint8_t *bytes, size_t size, uint8_t *out)
{
    for (size_t i = 0; i < size; i++) {
        *out++ = (uint8_t) "0123456789abcdef"[bytes[i] >> 4];
        *out++ = (uint8_t) "0123456789abcdef"[bytes[i] & 15];
    }
    return out;
}

/* Reads the one notation that an address has: that of ipv4 or ipv6. An IPv6 address in
 * ::ffff:0:0/96 would come back as IPv4, so it is none. */
static int ipcrypt_read_address(const ipcrypt_format *own, const uint8_t *text, uint64_t size,
                                uint8_t address[IPCRYPT_ADDRESS])
{
    uint8_t digits[TALLY_IPV6_DIGITS];
    if (size > TALLY_IPV6_TEXT) {
        return 0;
    }
    if (size <= IPCRYPT_IPV4_TEXT && memchr(text, '.', (size_t)size) != NULL) {
        return ipcrypt_read_ipv4(text, size, address);
    }
    return own->text->read(text, size, digits) &&
           ipcrypt_read_hex(digits, address, IPCRYPT_ADDRESS) && !ipcrypt_is_ipv4(address);
}

static size_t ipcrypt_write_address(const ipcrypt_format *own,
                                    const uint8_t address[IPCRYPT_ADDRESS],
                                    uint8_t out[TALLY_IPV6_CAPACITY])
{
    uint8_t digits[TALLY_IPV6_DIGITS], *to = out;
    if (!ipcrypt_is_ipv4(address)) {
        (void)ipcrypt_write_hex(address, IPCRYPT_ADDRESS, digits);
        return own->text->write(digits, out);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t octet = address[12 + i];
        if (octet > 99) {
            *to++ = (uint8_t)('0' + octet / 100);
        }
        if (octet > 9) {
            *to++ = (uint8_t)('0' + octet / 10 % 10);
        }
        *to++ = (uint8_t)('0' + octet % 10);
        *to++ = '.';
    }
    return (size_t)(to - out) - 1;
}

/* Reads the tweak that a row was given, which that of a token must equal. Returns a reason. */
static uint8_t ipcrypt_read_tweak(const ipcrypt_format *own, const tally_run *run, uint64_t row,
                                  uint8_t *tweak)
{
    const uint64_t start = tally_offset_once(run->row_tweaks, row);
    const uint8_t *const given = run->row_tweaks->values + start;
    if (own->tweak == 0 || tally_row_is_null(run->row_tweaks, row) ||
        tally_offset_once(run->row_tweaks, row + 1) - start != own->tweak ||
        (run->direction == TALLY_DECRYPT && memcmp(given, tweak, own->tweak) != 0)) {
        return TALLY_REASON_TWEAK;
    }
    memcpy(tweak, given, own->tweak);
    return 0;
}

/* Reads a row, and its tweak. Returns a reason: that of the value comes first. */
static uint8_t ipcrypt_read(const ipcrypt_format *own, const tally_run *run, const uint8_t *text,
                            uint64_t size, uint64_t row, uint8_t *tweak, uint8_t *address)
{
    const int is_text = run->direction == TALLY_ENCRYPT || own->tweak == 0;
    const int valid =
        is_text ? ipcrypt_read_address(own, text, size, address)
                : size == 2 * (own->tweak + IPCRYPT_ADDRESS) &&
                      ipcrypt_read_hex(text, tweak, own->tweak) &&
                      ipcrypt_read_hex(text + (size_t)2 * own->tweak, address, IPCRYPT_ADDRESS);
    if (!valid) {
        return TALLY_REASON_NOTATION;
    }
    return run->row_tweaks == NULL ? 0 : ipcrypt_read_tweak(own, run, row, tweak);
}

static void ipcrypt_xor(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] ^= from[i];
    }
}

static void ipcrypt_blocks(const tally_aes_key *key, tally_direction direction, uint8_t *blocks,
                           size_t count)
{
    if (direction == TALLY_ENCRYPT) {
        tally_aes_encrypt_blocks(key, blocks, count, blocks);
    } else {
        tally_aes_decrypt_blocks(key, blocks, count, blocks);
    }
}

/* KIASU-BC: the tweak is xored to the first two bytes of each column of every round key. */
static tally_status ipcrypt_kiasu(tally_direction direction, ipcrypt_block *block, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        memcpy(block->tweaked, block->round_keys, IPCRYPT_ROUND_KEYS);
        for (size_t column = 0; column < IPCRYPT_ROUND_KEYS / 4; column++) {
            block->tweaked[4 * column] ^= block->tweak[i][2 * (column % 4)];
            block->tweaked[4 * column + 1] ^= block->tweak[i][2 * (column % 4) + 1];
        }
        const tally_status status =
            tally_aes_key_init_round_keys(block->tweaked, IPCRYPT_ROUND_KEYS, &block->own_key);
        if (status != TALLY_OK) {
            return status;
        }
        ipcrypt_blocks(&block->own_key, direction, block->address[i], 1);
    }
    return TALLY_OK;
}

static void ipcrypt_xts(tally_direction direction, ipcrypt_block *block, size_t rows)
{
    uint8_t *const pads = block->pad[0][0], *const addresses = block->address[0];
    tally_aes_encrypt_blocks(&block->keys[1], block->tweak[0], rows, pads);
    ipcrypt_xor(addresses, pads, rows * IPCRYPT_ADDRESS);
    ipcrypt_blocks(&block->keys[0], direction, addresses, rows);
    ipcrypt_xor(addresses, pads, rows * IPCRYPT_ADDRESS);
}

/* Each bit is xored with a bit of both ciphers of the bits before it, behind a 1. IPv4 has its last 32
 * bits alone: in a mixed block its rows wait for them. */
static void ipcrypt_prefixes(tally_direction direction, ipcrypt_block *block, size_t rows)
{
    size_t ipv4 = 0;
    for (size_t i = 0; i < rows; i++) {
        uint8_t *const prefix = block->prefix[i];
        block->first[i] = ipcrypt_is_ipv4(block->address[i]) ? 96 : 0;
        ipv4 += block->first[i] != 0;
        memset(prefix, 0, IPCRYPT_ADDRESS);
        prefix[block->first[i] != 0 ? 3 : 15] = 1;
        if (block->first[i] != 0) {
            prefix[14] = prefix[15] = 0xff;
        }
    }
    for (uint32_t bit = ipv4 == rows ? 96 : 0; bit < 128; bit++) {
        tally_aes_encrypt_blocks(&block->keys[0], block->prefix[0], rows, block->pad[0][0]);
        tally_aes_encrypt_blocks(&block->keys[1], block->prefix[0], rows, block->pad[1][0]);
        for (size_t i = 0; i < rows; i++) {
            if (bit < block->first[i]) {
                continue;
            }
            uint8_t *const byte = &block->address[i][bit / 8], *const prefix = block->prefix[i];
            const uint32_t shift = 7 - bit % 8, before = (uint32_t)*byte >> shift & 1;
            const uint32_t mask = (block->pad[0][i][15] ^ block->pad[1][i][15]) & 1U;
            *byte = (uint8_t)(*byte ^ mask << shift);
            for (size_t k = 0; k + 1 < IPCRYPT_ADDRESS; k++) {
                prefix[k] = (uint8_t)(prefix[k] << 1 | prefix[k + 1] >> 7);
            }
            prefix[15] = (uint8_t)((uint32_t)prefix[15] << 1 |
                                   (direction == TALLY_ENCRYPT ? before : before ^ mask));
        }
    }
}

/* Expands the keys into a block; a format refuses other sizes before (takes_key). */
static tally_status ipcrypt_expand(const ipcrypt_format *own, const tally_run *run,
                                   ipcrypt_block *block)
{
    if (own->mode == IPCRYPT_ND) {
        return tally_aes_expand(run->key, run->key_size, block->round_keys);
    }
    tally_status status = tally_aes_key_init(run->key, 16, &block->keys[0]);
    if (status == TALLY_OK && own->mode != IPCRYPT_DETERMINISTIC) {
        status = tally_aes_key_init(run->key + 16, 16, &block->keys[1]);
    }
    return status;
}

static tally_status ipcrypt_crypt(const ipcrypt_format *own, const tally_run *run,
                                  ipcrypt_block *block, size_t rows)
{
    switch (own->mode) {
    case IPCRYPT_ND:
        return ipcrypt_kiasu(run->direction, block, rows);
    case IPCRYPT_NDX:
        ipcrypt_xts(run->direction, block, rows);
        break;
    case IPCRYPT_PFX:
        ipcrypt_prefixes(run->direction, block, rows);
        break;
    default:
        ipcrypt_blocks(&block->keys[0], run->direction, block->address[0], rows);
    }
    return TALLY_OK;
}

/* Writes a row that was run; returns its size. */
static size_t ipcrypt_write(const ipcrypt_format *own, tally_direction direction,
                            const uint8_t *tweak, const uint8_t *address, uint8_t out[IPCRYPT_TEXT])
{
    if (direction == TALLY_DECRYPT || own->tweak == 0) {
        return ipcrypt_write_address(own, address, out);
    }
    uint8_t *const behind = ipcrypt_write_hex(tweak, own->tweak, out);
    return (size_t)(ipcrypt_write_hex(address, IPCRYPT_ADDRESS, behind) - out);
}

/* Runs rows first .. first + rows - 1 of a column, which begin at start[i]. */
static tally_status ipcrypt_rows(const ipcrypt_format *own, const tally_run *run,
                                 tally_text_column *column, uint64_t first, size_t rows,
                                 const uint64_t *start, ipcrypt_block *block)
{
    memset(block->address, 0, sizeof block->address);
    memset(block->tweak, 0, sizeof block->tweak);
    if (run->direction == TALLY_ENCRYPT && own->tweak != 0 && run->row_tweaks == NULL) {
        const tally_status status = tally_entropy(block->tweak[0], sizeof block->tweak);
        if (status != TALLY_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        column->status[first + i] =
            tally_row_is_null(&column->in, first + i)
                ? 0
                : ipcrypt_read(own, run, column->in.values + start[i], start[i + 1] - start[i],
                               first + i, block->tweak[i], block->address[i]);
    }
    tally_status status = ipcrypt_crypt(own, run, block, rows);
    if (status == TALLY_OK) {
        status = tally_text_out_reserve(column->out,
                                        start[rows] - start[0] + (uint64_t)rows * IPCRYPT_TEXT);
    }
    for (size_t i = 0; i < rows && status == TALLY_OK; i++) {
        const uint64_t size = start[i + 1] - start[i];
        uint8_t *const out = column->out->values + column->out->size;
        if (tally_row_is_null(&column->in, first + i)) {
            tally_text_out_end(column->out, 0);
        } else if (column->status[first + i] == 0) {
            tally_text_out_end(column->out, ipcrypt_write(own, run->direction, block->tweak[i],
                                                          block->address[i], out));
        } else {
            if (size != 0) {
                memcpy(out, column->in.values + start[i], (size_t)size);
            }
            tally_text_out_end(column->out, size);
        }
    }
    return status;
}

static tally_status ipcrypt_text(const tally_format *format, tally_run *run,
                                 tally_text_column *column)
{
    const ipcrypt_format *own = format->own;
    const tally_strings *in = &column->in;
    tally_strings_reader reader;
    uint64_t common, start[IPCRYPT_ROWS + 1];
    ipcrypt_block *block = run->scratch(run, 0, sizeof *block);
    if (block == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (in->rows != 0 && !tally_strings_init_ends(in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = ipcrypt_expand(own, run, block);
    for (uint64_t first = 0; first < in->rows && status == TALLY_OK; first += IPCRYPT_ROWS) {
        const size_t rows =
            in->rows - first < IPCRYPT_ROWS ? (size_t)(in->rows - first) : IPCRYPT_ROWS;
        if (!tally_strings_read(&reader, rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        status = ipcrypt_rows(own, run, column, first, rows, start, block);
    }
    return status;
}

static tally_status ipcrypt_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    static const uint32_t tweaks[] = {0, 8, 16, 0}, key_sizes[] = {16, 16, 32, 32};
    ipcrypt_format *own = tally_format_own(format, sizeof *own);
    char identity[48];
    tally_writer writer;
    (void)problem;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    own->mode = (ipcrypt_mode)values[0].integer;
    own->tweak = tweaks[own->mode];
    own->text = tally_ipv6_text_choose();
    format->plain_key = 1 + (uint32_t)own->mode;
    format->key_size = key_sizes[own->mode];
    format->is_random = own->tweak != 0;
    format->forbids_keep = format->is_random;
    format->smallest = own->mode == IPCRYPT_PFX ? tally_domain_of_size(UINT64_C(1) << 32)
                                                : tally_domain_of_size(UINT64_MAX);
    format->example[0] = "198.51.100.7"; /* RFC 5737 */
    format->example[1] = "2001:db8::7";  /* RFC 3849 */
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"ipcrypt\",\"");
    tally_write(&writer, ipcrypt_modes[own->mode]);
    tally_write(&writer, "\"]");
    return tally_format_identify(format, writer.text, writer.size);
}

static void ipcrypt_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                              tally_domain *out)
{
    *out = size != 0 && memchr(value, ':', size) != NULL ? tally_domain_of_size(UINT64_MAX)
                                                         : format->smallest;
}

static int ipcrypt_takes_key(const tally_format *format, const uint8_t *key, tally_writer *why)
{
    const ipcrypt_format *own = format->own;
    uint32_t differs = own->mode != IPCRYPT_PFX;
    for (size_t i = 0; own->mode == IPCRYPT_PFX && i < 16; i++) {
        differs |= (uint32_t)(key[i] ^ key[16 + i]);
    }
    if (differs == 0) {
        tally_write(why, "mode pfx needs a key whose two halves differ");
    }
    return differs != 0;
}

static size_t ipcrypt_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    (void)format;
    (void)reason;
    for (size_t i = 0; i < size; i++) {
        if (ipcrypt_digit(value[i]) > 15 && value[i] != '.' && value[i] != ':') {
            return i;
        }
    }
    return SIZE_MAX;
}

const tally_format_about tally_about_ipcrypt = {
    "IPv4 and IPv6 addresses by draft-denis-ipcrypt; the key is the draft's own.", NULL};

const tally_format_class tally_format_ipcrypt = {
    .name = "ipcrypt",
    .options = ipcrypt_options,
    .make = ipcrypt_make,
    .takes_key = ipcrypt_takes_key,
    .text = ipcrypt_text,
    .domain_of = ipcrypt_domain_of,
    .place_of_fault = ipcrypt_place_of_fault,
};
