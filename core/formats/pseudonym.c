/* SPDX-License-Identifier: Apache-2.0
 *
 * pseudonym: text replaced by the beginning of HMAC-SHA-256, for good. Equal values have equal
 * pseudonyms. Whoever has the key can still try values and compare. */
#include <string.h>

#include "base/allocator.h"
#include "base/bytes.h"
#include "formats/format.h"
#include "tallystick/sha2.h"

enum {
    PSEUDONYM_ROWS = 1024, /* that are hashed together */
    PSEUDONYM_LEAST_BITS = 64
};

static const char pseudonym_purpose[] = "tallystick pseudonym 1";

typedef struct pseudonym_notation {
    const char *symbols;
    uint32_t bits; /* of a character */
} pseudonym_notation;

static const char *const pseudonym_names[] = {"hex", "base32", "base64url", NULL};

static const pseudonym_notation pseudonym_notations[] = {
    {"0123456789abcdef", 4},
    {"abcdefghijklmnopqrstuvwxyz234567", 5},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6},
};

enum { PSEUDONYM_BASE32 = 1 };

typedef struct pseudonym_format {
    const char *symbols;
    uint32_t bits, length;
} pseudonym_format;

static const tally_option pseudonym_options[] = {
    {"notation", TALLY_OPTION_CHOICE, 0, pseudonym_names, "\"base32\""},
    {"length", TALLY_OPTION_INTEGER, 0, NULL, "26"},
    TALLY_OPTIONS_END,
};

enum { PSEUDONYM_NOTATION, PSEUDONYM_LENGTH_OPTION };

static int pseudonym_allows(uint32_t bits, int64_t length)
{
    const int64_t least = (PSEUDONYM_LEAST_BITS + bits - 1) / bits;
    return length >= least && length <= 8 * TALLY_SHA256_SIZE / bits;
}

static tally_status pseudonym_make(tally_format *format, const tally_option_value *values,
                                   tally_problem *problem)
{
    const tally_option_value *notation = &values[PSEUDONYM_NOTATION];
    const size_t chosen = (size_t)notation->integer;
    const uint32_t bits = pseudonym_notations[chosen].bits;
    const int64_t characters = values[PSEUDONYM_LENGTH_OPTION].integer;
    tally_writer writer;
    if (!pseudonym_allows(bits, characters)) {
        /* Where the length would do in the notation that is the default, either is at fault. */
        const int either = notation->given &&
                           pseudonym_allows(pseudonym_notations[PSEUDONYM_BASE32].bits, characters);
        tally_format_refusal(format, problem, either ? NULL : "length", &writer);
        tally_write(&writer, "length must be ");
        tally_write_uint(&writer, (PSEUDONYM_LEAST_BITS + bits - 1) / bits);
        tally_write(&writer, "..");
        tally_write_uint(&writer, 8 * TALLY_SHA256_SIZE / bits);
        tally_write(&writer, " in ");
        tally_write(&writer, pseudonym_names[chosen]);
        return TALLY_ERROR_FORMAT;
    }
    pseudonym_format *own = tally_format_own(format, sizeof *own);
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    own->symbols = pseudonym_notations[chosen].symbols;
    own->bits = bits;
    own->length = (uint32_t)characters;
    format->one_way = 1;
    format->may_be_formula = own->bits == 6;
    format->example[0] = "Anne O'Neill";
    char identity[64];
    tally_writer_init(&writer, identity, sizeof identity);
    tally_write(&writer, "[\"pseudonym\",\"");
    tally_write(&writer, pseudonym_names[chosen]);
    tally_write(&writer, "\",");
    tally_write_uint(&writer, own->length);
    tally_write(&writer, "]");
    return tally_format_identify(format, writer.text, writer.size);
}

/* Eight digits of five bits or four, most significant first, as characters: those up to `letters` are
 * `first` and more, and those from there on `second` and more. A byte has one digit. */
static uint64_t pseudonym_characters(uint64_t digits, uint8_t letters, uint8_t first,
                                     uint8_t second)
{
    const uint64_t each = 0x0101010101010101;
    const uint64_t above = (digits + (uint64_t)(32 - letters) * each) >> 5 & each;
    return digits + first * each + above * (uint64_t)(second - letters - first);
}

/* Eight characters of base32, from 40 bits, or of hex, from 32. */
static uint64_t pseudonym_eight(const uint8_t *tag, uint32_t bits)
{
    uint64_t x = tally_load_be64(tag);
    if (bits == 5) {
        x >>= 24;
        x = (x & 0xfffff00000) << 12 | (x & 0xfffff);
        x = (x & 0x000ffc00000ffc00) << 6 | (x & 0x000003ff000003ff);
        x = (x & 0x03e003e003e003e0) << 3 | (x & 0x001f001f001f001f);
        return pseudonym_characters(x, 26, 'a', '2');
    }
    x >>= 32;
    x = (x & 0xffff0000) << 16 | (x & 0xffff);
    x = (x & 0x0000ff000000ff00) << 8 | (x & 0x000000ff000000ff);
    x = (x & 0x00f000f000f000f0) << 4 | (x & 0x000f000f000f000f);
    return pseudonym_characters(x, 10, '0', 'a');
}

/* Writes the first bits of a tag as characters. The tag has eight bytes more, of any value. */
static void pseudonym_write(const pseudonym_format *own, const uint8_t *tag, uint8_t *out)
{
    const uint32_t length = own->length, bits = own->bits;
    if (bits != 6) {
        uint32_t i = 0;
        for (; i + 8 <= length; i += 8, tag += bits) {
            tally_store_be64(pseudonym_eight(tag, bits), out + i);
        }
        if (i < length) {
            uint8_t last[8];
            tally_store_be64(pseudonym_eight(tag, bits), last);
            for (uint32_t j = 0; i < length; i++, j++) {
                out[i] = last[j];
            }
        }
        return;
    }
    uint32_t bit = 0;
    for (uint32_t i = 0; i < length; i++, bit += bits) {
        const uint32_t two = (uint32_t)tag[bit / 8] << 8 | tag[bit / 8 + 1];
        out[i] = (uint8_t)own->symbols[two >> (16 - bits - bit % 8) & ((1U << bits) - 1)];
    }
}

/* A context that has received part 1 of the tweak. */
static tally_status pseudonym_begin(tally_run *run, tally_hmac_sha256 *out)
{
    uint8_t derived[TALLY_SHA256_SIZE];
    const tally_status status = run->derive(run, pseudonym_purpose, derived);
    if (status == TALLY_OK) {
        tally_hmac_sha256_init(out, derived, sizeof derived);
        tally_hmac_sha256_update(out, run->tweak, run->tweak_size);
    }
    tally_wipe(derived, sizeof derived);
    return status;
}

/* Bytes that a row's own tweak may have. */
static uint64_t pseudonym_capacity(const tally_run *run)
{
    return run->tweak_size < TALLY_FAST_MAX_ROW_TWEAK ? TALLY_FAST_MAX_ROW_TWEAK - run->tweak_size
                                                      : 0;
}

/* Rows that are worked on together, in memory for as many as there are. */
typedef struct pseudonym_block {
    uint64_t *starts; /* of values, and the end of the last */
    uint64_t *tweaks;
    uint64_t *messages;
    uint8_t (*tags)[TALLY_SHA256_SIZE]; /* with eight bytes behind: pseudonym_write reads on */
} pseudonym_block;

static int pseudonym_block_init(tally_run *run, uint64_t rows, pseudonym_block *out)
{
    const size_t most = rows < PSEUDONYM_ROWS ? (size_t)rows : PSEUDONYM_ROWS;
    uint64_t *memory =
        run->scratch(run, 0, 3 * (most + 1) * sizeof *memory + most * TALLY_SHA256_SIZE + 8);
    if (memory == NULL) {
        return 0;
    }
    out->starts = memory;
    out->tweaks = memory + most + 1;
    out->messages = memory + 2 * (most + 1);
    out->tags = (uint8_t(*)[TALLY_SHA256_SIZE])(memory + 3 * (most + 1));
    return 1;
}

/* Puts the messages of rows together: the tweak behind its size, and the value. A row without a
 * tweak gets none, and its status. */
static const uint8_t *pseudonym_gather(tally_run *run, const tally_text_column *column,
                                       const pseudonym_block *block, uint64_t row, size_t rows)
{
    const uint64_t capacity = pseudonym_capacity(run);
    const uint64_t size = block->starts[rows] - block->starts[0] +
                          (block->tweaks[rows] - block->tweaks[0]) + 4 * (uint64_t)rows;
    uint8_t *messages = size <= SIZE_MAX ? run->scratch(run, 1, (size_t)size) : NULL;
    if (messages == NULL) {
        return NULL;
    }
    uint64_t at = 0;
    block->messages[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t tweak_size = block->tweaks[i + 1] - block->tweaks[i];
        const uint64_t own = block->starts[i + 1] - block->starts[i];
        if (tally_row_is_null(run->row_tweaks, row + i) || tweak_size > capacity) {
            column->status[row + i] = TALLY_REASON_TWEAK;
        } else if (!tally_row_is_null(&column->in, row + i)) {
            tally_store_be32((uint32_t)tweak_size, messages + at);
            memcpy(messages + at + 4, run->row_tweaks->values + block->tweaks[i],
                   (size_t)tweak_size);
            memcpy(messages + at + 4 + tweak_size, column->in.values + block->starts[i],
                   (size_t)own);
            at += 4 + tweak_size + own;
        }
        block->messages[i + 1] = at;
    }
    return messages;
}

static tally_status pseudonym_write_rows(const pseudonym_format *own,
                                         const tally_text_column *column,
                                         const pseudonym_block *block, uint64_t row, size_t rows)
{
    tally_text_out *out = column->out;
    for (size_t i = 0; i < rows; i++) {
        if (tally_row_is_null(&column->in, row + i)) {
            column->status[row + i] = 0;
            tally_text_out_end(out, 0);
            continue;
        }
        const uint64_t start = block->starts[i], size = block->starts[i + 1] - start;
        const int kept = column->status[row + i] != 0;
        if (tally_text_out_reserve(out, kept ? size : own->length) != TALLY_OK) {
            return TALLY_ERROR_MEMORY;
        }
        uint8_t *to = out->values + out->size;
        if (kept) {
            memcpy(to, column->in.values + start, (size_t)size);
        } else {
            pseudonym_write(own, block->tags[i], to);
        }
        tally_text_out_end(out, kept ? size : own->length);
    }
    return TALLY_OK;
}

static tally_status pseudonym_run(const pseudonym_format *own, tally_run *run,
                                  const tally_hmac_sha256 *context, tally_text_column *column,
                                  const pseudonym_block *block)
{
    tally_strings_reader reader, tweaks;
    uint64_t common;
    if (!tally_strings_init_ends(&column->in, &reader) ||
        (run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t row = 0; row < column->in.rows;) {
        const uint64_t left = column->in.rows - row;
        const size_t rows = left < PSEUDONYM_ROWS ? (size_t)left : PSEUDONYM_ROWS;
        if (!tally_strings_read(&reader, rows, block->starts, &common) ||
            (run->row_tweaks != NULL &&
             !tally_strings_read(&tweaks, rows, block->tweaks, &common))) {
            return TALLY_ERROR_ARGUMENT;
        }
        memset(column->status + row, 0, rows);
        const uint8_t *messages = column->in.values;
        const uint64_t *offsets = block->starts;
        if (run->row_tweaks != NULL) {
            messages = pseudonym_gather(run, column, block, row, rows);
            offsets = block->messages;
            if (messages == NULL) {
                return TALLY_ERROR_MEMORY;
            }
        }
        tally_hmac_sha256_rows(context, messages, offsets, rows, block->tags);
        const tally_status status = pseudonym_write_rows(own, column, block, row, rows);
        if (status != TALLY_OK) {
            return status;
        }
        row += rows;
    }
    return TALLY_OK;
}

static tally_status pseudonym_text(const tally_format *format, tally_run *run,
                                   tally_text_column *column)
{
    tally_hmac_sha256 context;
    pseudonym_block block;
    if (!pseudonym_block_init(run, column->in.rows, &block)) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = pseudonym_begin(run, &context);
    if (status == TALLY_OK) {
        status = pseudonym_run(format->own, run, &context, column, &block);
    }
    tally_hmac_sha256_wipe(&context);
    return status;
}

static tally_status pseudonym_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const pseudonym_format *own = format->own;
    uint8_t tag[TALLY_SHA256_SIZE + 8] = {0};
    if (run->row_tweaks != NULL && one->row_tweak_size > pseudonym_capacity(run)) {
        one->reason = TALLY_REASON_TWEAK;
        return TALLY_OK;
    }
    one->out_size = own->length;
    if (one->capacity < own->length) {
        return TALLY_ERROR_CAPACITY;
    }
    tally_hmac_sha256 context;
    const tally_status status = pseudonym_begin(run, &context);
    if (status != TALLY_OK) {
        return status;
    }
    if (run->row_tweaks != NULL) {
        uint8_t size[4];
        tally_store_be32((uint32_t)one->row_tweak_size, size);
        tally_hmac_sha256_update(&context, size, sizeof size);
        tally_hmac_sha256_update(&context, one->row_tweak, one->row_tweak_size);
    }
    tally_hmac_sha256_update(&context, one->value, one->size);
    tally_hmac_sha256_final(&context, tag);
    pseudonym_write(own, tag, one->out);
    tally_wipe(tag, sizeof tag);
    return TALLY_OK;
}

const tally_format_about tally_about_pseudonym = {
    "Text replaced by tags under the key (HMAC); one-way.", NULL};

const tally_format_class tally_format_pseudonym = {
    .name = "pseudonym",
    .options = pseudonym_options,
    .make = pseudonym_make,
    .text = pseudonym_text,
    .one = pseudonym_one,
};
