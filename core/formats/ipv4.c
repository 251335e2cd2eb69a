/* SPDX-License-Identifier: Apache-2.0
 *
 * ipv4: addresses as four decimal numbers without leading zeros; the network stays in clear, and is
 * part of the tweak. */
#include "base/allocator.h"
#include "formats/counted.h"
#include "numbers/digits.h"

enum { IPV4_BITS = 32, IPV4_MOST = 15, IPV4_TWEAK = 4 /* bytes of a network */ };

typedef struct ipv4_format {
    tally_counted counted;
    uint32_t prefix;
    uint32_t hosts;     /* a mask of the bits after the prefix */
    uint8_t width[256]; /* of an octet and the point behind it */
    uint8_t text[256][4];
} ipv4_format;

static const tally_option ipv4_options[] = {
    {"prefix", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

enum { IPV4_PREFIX, IPV4_TINY };

/* The points of eight bytes, as bits 0..7. */
static inline uint32_t ipv4_points(uint64_t text)
{
    const uint64_t low = TALLY_DIGITS_BYTES(0x7f), other = text ^ TALLY_DIGITS_BYTES('.');
    const uint64_t points = ~(((other & low) + low) | other) & ~low;
    return (uint32_t)((points >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* The number of the first bit that is set; there is one. */
static inline uint32_t ipv4_first_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t i = 0;
    for (; (bits & 1) == 0; bits >>= 1) {
        i++;
    }
    return i;
#endif
}

/* Reads an octet of 1..3 digits, of which the first is not 0 unless it is the only one. */
static inline uint32_t ipv4_octet(const uint8_t *text, uint32_t size, uint32_t *wrong)
{
    const uint32_t digits = (tally_load_le32(text) ^ UINT32_C(0x30303030)) << (4 - size) * 8;
    /* Bytes: 0, hundreds, tens, units. */
    const uint32_t number =
        (digits >> 8 & 0xff) * 100 + (digits >> 16 & 0xff) * 10 + (digits >> 24);
    *wrong |=
        (((digits & UINT32_C(0x7f7f7f7f)) + UINT32_C(0x76767676)) | digits) & UINT32_C(0x80808080);
    *wrong |= (uint32_t)(number > 255) | (uint32_t)(size > 1 && text[0] == '0');
    return number;
}

static inline uint8_t ipv4_read_row(const tally_counted *counted, const uint8_t *text,
                                    uint64_t size, uint64_t *rank)
{
    (void)counted;
    if (size > IPV4_MOST) {
        return TALLY_REASON_NOTATION;
    }
    uint32_t points = ipv4_points(tally_load_le64(text)) | ipv4_points(tally_load_le64(text + 8))
                                                               << 8;
    points = (points & ((UINT32_C(1) << size) - 1)) | UINT32_C(1) << size;
    uint32_t start = 0, address = 0, wrong = 0;
    for (size_t i = 0; i < 4; i++) {
        if (points == 0) {
            return TALLY_REASON_NOTATION;
        }
        const uint32_t end = ipv4_first_bit(points), width = end - start;
        points &= points - 1;
        if (width - 1 > 2) {
            return TALLY_REASON_NOTATION;
        }
        address = address << 8 | ipv4_octet(text + start, width, &wrong);
        start = end + 1;
    }
    *rank = address;
    return wrong != 0 || points != 0 ? TALLY_REASON_NOTATION : 0;
}

static inline uint64_t ipv4_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const ipv4_format *own = (const ipv4_format *)counted;
    uint64_t at = 0;
    for (uint32_t shift = IPV4_BITS; shift > 0;) {
        shift -= 8;
        const size_t octet = rank >> shift & 0xff;
        memcpy(out + at, own->text[octet], 4);
        at += own->width[octet];
    }
    return at - 1;
}

static void ipv4_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    tally_counted_read_rows(counted, rows, ipv4_read_row);
}

static void ipv4_write(const tally_counted *counted, const tally_counted_rows *rows,
                       const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    tally_counted_write_rows(counted, rows, chosen, out, end, ipv4_write_row);
}

/* Lays out the tweaks of rows: the network, then the row's own tweak, if there is one. Returns
 * TALLY_ERROR_ARGUMENT if another thread has changed those. */
static tally_status ipv4_lay_out(const ipv4_format *own, const tally_counted_block *block,
                                 uint64_t own_bytes, uint64_t *offsets, uint8_t *values)
{
    const tally_strings *tweaks = block->row_tweaks;
    const uint64_t capacity = own_bytes + (uint64_t)block->rows * IPV4_TWEAK;
    uint64_t at = 0;
    for (size_t i = 0; i < block->rows; i++) {
        offsets[i] = at;
        tally_store_be32((uint32_t)block->ranks[i] & ~own->hosts, values + at);
        at += IPV4_TWEAK;
        if (tweaks != NULL && !tally_row_is_null(tweaks, i)) {
            const uint64_t start = tally_offset_once(tweaks, i);
            const uint64_t size = tally_offset_once(tweaks, i + 1) - start;
            if (size > capacity - at - (block->rows - 1 - i) * IPV4_TWEAK) {
                return TALLY_ERROR_ARGUMENT;
            }
            if (size != 0) {
                memcpy(values + at, tweaks->values + start, (size_t)size);
            }
            at += size;
        }
    }
    offsets[block->rows] = at;
    return TALLY_OK;
}

/* Permutes the hosts of networks. */
static tally_status ipv4_permute(const tally_counted *counted, tally_run *run,
                                 const tally_counted_block *block)
{
    const ipv4_format *own = (const ipv4_format *)counted;
    const tally_strings *tweaks = block->row_tweaks;
    const size_t rows = block->rows;
    uint64_t own_bytes = 0;
    if (tweaks != NULL) {
        own_bytes = tally_offset_once(tweaks, rows) - tally_offset_once(tweaks, 0);
        if (own_bytes > (uint64_t)SIZE_MAX / 2) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    uint32_t *networks = run->scratch(run, 1, rows * sizeof *networks);
    uint64_t *offsets = run->scratch(run, 2, (rows + 1) * sizeof *offsets);
    uint8_t *values = run->scratch(run, 3, (size_t)own_bytes + rows * IPV4_TWEAK);
    if (networks == NULL || offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = ipv4_lay_out(own, block, own_bytes, offsets, values);
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < rows; i++) {
        networks[i] = (uint32_t)block->ranks[i] & ~own->hosts;
        block->ranks[i] &= own->hosts;
    }
    const tally_strings all = {.offsets = offsets,
                               .offset_size = 8,
                               .validity = tweaks != NULL ? tweaks->validity : NULL,
                               .validity_start = tweaks != NULL ? tweaks->validity_start : 0,
                               .values = values,
                               .rows = rows};
    tally_counted_block behind = *block;
    behind.row_tweaks = &all;
    status = tally_counted_permute(counted, run, &behind);
    for (size_t i = 0; i < rows; i++) {
        block->ranks[i] |= networks[i];
    }
    return status;
}

static tally_status ipv4_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    const int64_t prefix = values[IPV4_PREFIX].integer;
    ipv4_format *own = tally_format_own(format, sizeof *own);
    char identity[32];
    tally_writer writer;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (prefix < 0 || prefix >= IPV4_BITS) {
        return tally_format_refuse(format, problem, "prefix",
                                   "prefix (the bits that stay) must be 0..31");
    }
    format->allow_tiny_domain = (int)values[IPV4_TINY].integer;
    own->prefix = (uint32_t)prefix;
    own->hosts = UINT32_MAX >> prefix;
    own->counted.most = IPV4_MOST;
    own->counted.read = ipv4_read;
    own->counted.write = ipv4_write;
    own->counted.permute = prefix != 0 ? ipv4_permute : NULL;
    tally_status status = tally_counted_init(format, &own->counted, (uint64_t)own->hosts + 1);
    if (status == TALLY_OK && tally_format_check_domain(format, problem) != TALLY_OK) {
        memcpy(problem->place, "prefix", sizeof "prefix");
        status = TALLY_ERROR_FORMAT;
    }
    if (status != TALLY_OK) {
        return status;
    }
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t width = i < 10 ? 1 : i < 100 ? 2 : 3;
        memset(own->text[i], '.', 4);
        tally_digits_write_all(i, width, own->text[i]);
        own->width[i] = (uint8_t)(width + 1);
    }
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"ipv4\",");
    tally_write_uint(&writer, own->prefix);
    tally_write_char(&writer, ']');
    format->example[0] = "198.51.100.7"; /* RFC 5737 */
    return tally_format_identify(format, writer.text, writer.size);
}

static size_t ipv4_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    (void)format;
    (void)reason;
    for (size_t i = 0; i < size; i++) {
        if ((value[i] < '0' || value[i] > '9') && value[i] != '.') {
            return i;
        }
    }
    return SIZE_MAX;
}

const tally_format_about tally_about_ipv4 = {"IPv4 addresses; the network stays.", NULL};

const tally_format_class tally_format_ipv4 = {
    .name = "ipv4",
    .options = ipv4_options,
    .words = TALLY_WORDS_ANY,
    .make = ipv4_make,
    .text = tally_counted_text,
    .one = tally_counted_one,
    .place_of_fault = ipv4_place_of_fault,
};
