/* SPDX-License-Identifier: Apache-2.0
 *
 * ipv6: the text of an address's 32 hexadecimal digits, of which those of the network stay in clear
 * and are part of the tweak, written shorter. */
#include <string.h>

#include "base/allocator.h"
#include "base/bytes.h"
#include "formats/ipv6_text.h"
#include "formats/text.h"

enum {
    IPV6_MOST_PREFIX = 120,
    IPV6_AHEAD = 1024,       /* bytes from a row to the prefetched one */
    IPV6_SCRATCH_DIGITS = 0, /* of the addresses of a block, */
    IPV6_SCRATCH_OFFSETS,    /* theirs, */
    IPV6_SCRATCH_VALIDITY,   /* and which rows have one */
    IPV6_SCRATCH_HOSTS       /* the digits behind those of the network */
};

typedef struct ipv6_format {
    tally_text digits;
    tally_shape host; /* of the digits that do not stay */
    uint32_t network; /* digits that stay */
    const tally_ipv6_text *text;
} ipv6_format;

static const tally_option ipv6_options[] = {
    {"prefix", TALLY_OPTION_WHOLE, 0, NULL, "0"},
    TALLY_OPTIONS_END,
};

static void ipv6_destroy(tally_format *format)
{
    tally_text_final(format, &((ipv6_format *)format->own)->digits);
}

static tally_status ipv6_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    const int64_t prefix = values[0].integer;
    if (values[0].text != NULL || prefix < 0 || prefix > IPV6_MOST_PREFIX || prefix % 4 != 0) {
        return tally_format_refuse(
            format, problem, "prefix",
            "prefix (the bits that stay) must be 0..120 and a multiple of 4");
    }
    ipv6_format *ipv6 = tally_format_own(format, sizeof *ipv6);
    if (ipv6 == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_text_settings settings = {
        .alphabet = {"0123456789abcdef", 16},
        .kept_as_tweak = 1,
        .keep_first = prefix / 4,
        .min_length = TALLY_IPV6_DIGITS,
        .max_length = TALLY_IPV6_DIGITS,
    };
    char identity[TALLY_TEXT_IDENTITY];
    const tally_status status =
        tally_text_init(format, &settings, identity, &ipv6->digits, problem);
    if (status != TALLY_OK) {
        return status;
    }
    ipv6->text = tally_ipv6_text_choose();
    ipv6->network = (uint32_t)prefix / 4;
    ipv6->host = ipv6->digits.one->shape;
    ipv6->host.keep = 0;
    ipv6->host.tweak_kept = 0;
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"ipv6\",");
    tally_write_int(&out, prefix);
    tally_write_char(&out, ']');
    format->smallest = tally_text_smallest(&ipv6->digits);
    format->work = tally_format_layers(16, (uint64_t)(TALLY_IPV6_DIGITS - prefix / 4), 0);
    format->example[0] = "2001:db8::7";
    return tally_format_identify(format, identity, out.size);
}

/* Rows of a column that are worked on together. */
typedef struct ipv6_block {
    const ipv6_format *ipv6;
    tally_strings rows;
    const uint64_t *start; /* row i is at start[i] .. start[i + 1] of its values */
    uint64_t *offset;      /* of digits */
    uint8_t *digits, *hosts, *valid;
} ipv6_block;

/* Takes memory for as many rows. */
static tally_status ipv6_begin(const ipv6_format *ipv6, tally_run *run, size_t rows,
                               ipv6_block *block)
{
    block->ipv6 = ipv6;
    block->digits = run->scratch(run, IPV6_SCRATCH_DIGITS, (rows + 1) * TALLY_IPV6_DIGITS);
    if (ipv6->network != 0 && run->row_tweaks == NULL) {
        block->hosts = run->scratch(run, IPV6_SCRATCH_HOSTS, (rows + 1) * TALLY_IPV6_DIGITS);
    }
    block->valid = run->scratch(run, IPV6_SCRATCH_VALIDITY, rows / 8 + 1);
    block->offset = run->scratch(run, IPV6_SCRATCH_OFFSETS, (rows + 1) * sizeof *block->offset);
    return block->digits != NULL && block->valid != NULL && block->offset != NULL
               ? TALLY_OK
               : TALLY_ERROR_MEMORY;
}

/* Reads the addresses of a block; returns whether every row has one. */
static int ipv6_read_block(const ipv6_block *block)
{
    const uint64_t end = block->start[block->rows.rows];
    int all = 1;
    memset(block->valid, 0, (size_t)block->rows.rows / 8 + 1);
    for (uint64_t i = 0; i < block->rows.rows; i++) {
        const uint64_t at = block->start[i], size = block->start[i + 1] - at;
#if defined(__GNUC__)
        if (end - at > IPV6_AHEAD) {
            __builtin_prefetch(block->rows.values + at + IPV6_AHEAD);
        }
#endif
        const int found = !tally_row_is_null(&block->rows, i) && size != 0 &&
                          block->ipv6->text->read(block->rows.values + at, size,
                                                  block->digits + TALLY_IPV6_DIGITS * i);
        all &= found;
        block->valid[i / 8] |= (uint8_t)(found << (i % 8));
    }
    return all;
}

static tally_status ipv6_write_block(const ipv6_block *block, uint8_t *status,
                                     tally_text_out *written)
{
    const uint64_t rows = block->rows.rows, *start = block->start;
    if (tally_text_out_reserve(written, start[rows] - start[0] + TALLY_IPV6_TEXT * rows +
                                            TALLY_IPV6_CAPACITY) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    tally_text_out out = *written; /* one that no byte written can be a part of */
    for (uint64_t i = 0; i < rows; i++) {
        uint8_t *to = out.values + out.size;
        const uint64_t size = start[i + 1] - start[i];
        if (tally_row_is_null(&block->rows, i)) {
            tally_text_out_end(&out, 0);
            continue;
        }
        if ((block->valid[i / 8] >> (i % 8) & 1) == 0) {
            status[i] = TALLY_REASON_NOTATION;
        }
        if (status[i] == 0) {
            tally_text_out_end(&out,
                               block->ipv6->text->write(block->digits + TALLY_IPV6_DIGITS * i, to));
        } else {
            if (size != 0) {
                memcpy(to, block->rows.values + start[i], (size_t)size);
            }
            tally_text_out_end(&out, size);
        }
    }
    *written = out;
    return TALLY_OK;
}

/* The digits of the network of all addresses of a block; NULL: there are several, or no address. */
static const uint8_t *ipv6_network(const ipv6_block *block, int all)
{
    const size_t network = block->ipv6->network;
    uint8_t bytes[TALLY_IPV6_DIGITS] = {0};
    uint64_t mask[4], wanted[4];
    size_t first = 0;
    while (first < block->rows.rows && (block->valid[first / 8] >> (first % 8) & 1) == 0) {
        first++;
    }
    if (first == block->rows.rows) {
        return NULL;
    }
    memset(bytes, 0xff, network);
    for (size_t k = 0; k < 4; k++) {
        mask[k] = tally_load_le64(bytes + 8 * k);
        wanted[k] = tally_load_le64(block->digits + TALLY_IPV6_DIGITS * first + 8 * k) & mask[k];
    }
    for (size_t i = first; i < block->rows.rows; i++) {
        const uint8_t *digits = block->digits + TALLY_IPV6_DIGITS * i;
        uint64_t differs = 0;
        for (size_t k = 0; k < 4; k++) {
            differs |= (tally_load_le64(digits + 8 * k) & mask[k]) ^ wanted[k];
        }
        if ((all || (block->valid[i / 8] >> (i % 8) & 1) != 0) && differs != 0) {
            return NULL;
        }
    }
    return block->digits + TALLY_IPV6_DIGITS * first;
}

/* Encrypts the hosts of one network: its digits complete the tweak of all rows, so these need not
 * be looked at one by one. */
static tally_status ipv6_run_hosts(const ipv6_block *block, tally_run *run, tally_strings *digits,
                                   const uint8_t *network, uint8_t *status)
{
    const ipv6_format *ipv6 = block->ipv6;
    const size_t kept = ipv6->network, width = TALLY_IPV6_DIGITS - kept, size = run->tweak_size;
    uint8_t prefix[TALLY_IPV6_DIGITS] = {0};
    memcpy(prefix, network, kept);
    tally_store_be32((uint32_t)kept, run->tweak + size);
    for (size_t d = 0; d < kept; d++) {
        run->tweak[size + 4 + d] = ipv6->host.symbol[prefix[d]];
    }
    for (size_t i = 0; i < block->rows.rows; i++) { /* the next row overwrites surplus bytes */
        memcpy(block->hosts + width * i, block->digits + TALLY_IPV6_DIGITS * i + kept,
               TALLY_IPV6_DIGITS);
    }
    for (size_t i = 0; i <= block->rows.rows; i++) {
        block->offset[i] = width * i;
    }
    digits->values = block->hosts;
    run->tweak_size += 4 + kept;
    const tally_status result =
        tally_text_run_shape(&ipv6->host, run, digits, NULL, block->hosts, status);
    run->tweak_size = size;
    for (size_t i = 0; i < block->rows.rows; i++) {
        uint8_t *to = block->digits + TALLY_IPV6_DIGITS * i;
        memcpy(to, prefix, sizeof prefix);
        memcpy(to + kept, block->hosts + width * i, TALLY_IPV6_DIGITS);
    }
    return result;
}

/* Encrypts the addresses of a block. */
static tally_status ipv6_run_block(const ipv6_block *block, tally_run *run, int all,
                                   const tally_strings *row_tweaks, uint8_t *status)
{
    const size_t more = 4 + block->ipv6->network, size = run->tweak_size;
    const uint8_t *network = NULL;
    tally_strings digits = {.offsets = block->offset,
                            .offset_size = 8,
                            .validity = all ? NULL : block->valid,
                            .values = block->digits,
                            .rows = block->rows.rows};
    if (block->hosts != NULL && run->tweak_capacity >= size + more &&
        size + more <= TALLY_FAST_MAX_ROW_TWEAK) {
        network = ipv6_network(block, all);
    }
    if (network != NULL) {
        return ipv6_run_hosts(block, run, &digits, network, status);
    }
    for (size_t i = 0; i <= block->rows.rows; i++) {
        block->offset[i] = TALLY_IPV6_DIGITS * i;
    }
    return tally_text_run(&block->ipv6->digits, run, &digits, row_tweaks, block->digits, status);
}

static tally_status ipv6_text(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const size_t most =
        column->in.rows < TALLY_BLOCK_ROWS ? (size_t)column->in.rows : TALLY_BLOCK_ROWS;
    uint64_t start[TALLY_BLOCK_ROWS + 1], common;
    tally_strings_reader reader;
    ipv6_block block = {.start = start};
    tally_status status = ipv6_begin(format->own, run, most, &block);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < column->in.rows; first += TALLY_BLOCK_ROWS) {
        const uint64_t left = column->in.rows - first,
                       rows = left < TALLY_BLOCK_ROWS ? left : TALLY_BLOCK_ROWS;
        uint8_t *row_status = column->status + first;
        tally_strings tweaks;
        if (!tally_strings_read(&reader, (size_t)rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, first, rows);
        }
        block.rows = tally_strings_slice(&column->in, first, rows);
        const int all = ipv6_read_block(&block);
        status =
            ipv6_run_block(&block, run, all, run->row_tweaks != NULL ? &tweaks : NULL, row_status);
        if (status == TALLY_OK) {
            status = ipv6_write_block(&block, row_status, column->out);
        }
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status ipv6_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const ipv6_format *ipv6 = format->own;
    uint8_t digits[TALLY_IPV6_DIGITS], text[TALLY_IPV6_CAPACITY];
    if (one->size == 0 || !ipv6->text->read(one->value, one->size, digits)) {
        one->reason = TALLY_REASON_NOTATION;
        return TALLY_OK;
    }
    tally_status status =
        tally_text_run_value(&ipv6->digits, run, one, digits, sizeof digits, &one->reason);
    if (status == TALLY_OK && one->reason == TALLY_REASON_NONE) {
        one->out_size = ipv6->text->write(digits, text);
        if (one->out_size <= one->capacity) {
            memcpy(one->out, text, one->out_size);
        } else {
            status = TALLY_ERROR_CAPACITY;
        }
    }
    tally_wipe(digits, sizeof digits);
    tally_wipe(text, sizeof text);
    return status;
}

static size_t ipv6_place_of_fault(const tally_format *format, tally_reason reason,
                                  const uint8_t *value, size_t size)
{
    const ipv6_format *ipv6 = format->own;
    const uint8_t *kind = ipv6->digits.one->shape.kind;
    (void)reason;
    for (size_t i = 0; i < size; i++) {
        if (kind[value[i]] != TALLY_BYTE_SYMBOL && value[i] != ':') {
            return i;
        }
    }
    return SIZE_MAX;
}

const tally_format_about tally_about_ipv6 = {"IPv6 addresses; the network stays.", NULL};

const tally_format_class tally_format_ipv6 = {
    .name = "ipv6",
    .options = ipv6_options,
    .words = TALLY_WORDS_ANY,
    .make = ipv6_make,
    .destroy = ipv6_destroy,
    .text = ipv6_text,
    .one = ipv6_one,
    .place_of_fault = ipv6_place_of_fault,
};
