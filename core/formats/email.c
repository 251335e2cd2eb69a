/* SPDX-License-Identifier: Apache-2.0
 *
 * email: addresses as text. With `at`, a token is the whole address as the local part of an address
 * at a reserved domain: its @ is written =, and that domain follows. */
#include <string.h>

#include "base/allocator.h"
#include "formats/text.h"

enum {
    EMAIL_PLACEHOLDER = '=',  /* stands for the @ of the value, so no value may have it */
    EMAIL_SYMBOLS = 1024,     /* of an address, at most */
    EMAIL_DOMAIN = 253,       /* bytes of a domain, at most */
    EMAIL_LABEL = 63,         /* of a label */
    EMAIL_SLACK = 32,         /* bytes that a copy may read and write beyond its end */
    EMAIL_SCRATCH_VALUES = 0, /* addresses of a block, */
    EMAIL_SCRATCH_OFFSETS,    /* their offsets, */
    EMAIL_SCRATCH_VALIDITY    /* and which rows have one */
};

typedef struct email_format {
    tally_text text;                             /* first: the functions of text get it */
    size_t end_size;                             /* 0: tokens have no domain of their own */
    uint8_t end[EMAIL_DOMAIN + 1 + EMAIL_SLACK]; /* @ and the domain */
} email_format;

static const char *const email_parts[] = {"local", "all", NULL};
static const char *const email_cases[] = {"lower", "mixed", NULL};

enum { EMAIL_PART, EMAIL_CASE, EMAIL_AT, EMAIL_KEPT, EMAIL_TINY };

static const tally_option email_options[] = {
    {"part", TALLY_OPTION_CHOICE, 0, email_parts, "\"local\""},
    {"case", TALLY_OPTION_CHOICE, 0, email_cases, "\"lower\""},
    {"at", TALLY_OPTION_TEXT, 0, NULL, NULL},
    {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL, "true"},
    {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

static int email_is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static int email_is_domain(const char *domain, size_t size)
{
    size_t start = 0;
    if (size == 0 || size > EMAIL_DOMAIN) {
        return 0;
    }
    for (size_t i = 0; i <= size; i++) {
        if (i < size && domain[i] != '.') {
            if (!email_is_alphanumeric(domain[i]) && domain[i] != '-') {
                return 0;
            }
            continue;
        }
        if (i == start || i - start > EMAIL_LABEL || domain[start] == '-' || domain[i - 1] == '-') {
            return 0;
        }
        start = i + 1;
    }
    return 1;
}

static int email_ends(const char *domain, size_t size, const char *end)
{
    const size_t own = strlen(end);
    return size >= own && memcmp(domain + size - own, end, own) == 0;
}

/* Whether a domain belongs to nobody (RFC 2606, RFC 6761): one in .invalid, .example or .test, or
 * example.com, .net or .org, or one below them. */
static int email_is_reserved(const char *domain, size_t size)
{
    static const char *const tops[] = {".invalid", ".example", ".test"};
    static const char *const names[] = {".example.com", ".example.net", ".example.org"};
    for (size_t i = 0; i < 3; i++) {
        if ((email_ends(domain, size, tops[i]) && size > strlen(tops[i])) ||
            email_ends(domain, size, names[i]) ||
            (size + 1 == strlen(names[i]) && memcmp(domain, names[i] + 1, size) == 0)) {
            return 1;
        }
    }
    return 0;
}

static void email_destroy(tally_format *format)
{
    tally_text_final(format, format->own);
}

/* The identity of tokens at a domain: that of text behind the name and the domain. */
static tally_status email_identify(tally_format *format, const char *at, size_t size,
                                   const char *text)
{
    char identity[TALLY_TEXT_IDENTITY + EMAIL_DOMAIN + 16];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"email\",");
    tally_write_json(&out, at, size);
    tally_write_char(&out, ',');
    tally_write(&out, text + 1);
    return tally_format_identify(format, identity, out.size);
}

static tally_status email_make(tally_format *format, const tally_option_value *values,
                               tally_problem *problem)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char separators[] = ".!#$%&'*+/?^_`{|}~-=";
    const tally_option_value *at = &values[EMAIL_AT];
    const int all = values[EMAIL_PART].integer == 1, mixed = values[EMAIL_CASE].integer == 1;
    if (at->given && !all) {
        return tally_format_refuse(format, problem, "at", "at needs part = 'all'");
    }
    if (at->given &&
        !(email_is_domain(at->text, at->size) && email_is_reserved(at->text, at->size))) {
        return tally_format_refuse(
            format, problem, "at",
            "at must be a reserved domain in lower case, such as 'tokens.invalid': in .invalid, "
            ".example or .test, or example.com, example.net or example.org");
    }
    email_format *email = tally_format_own(format, sizeof *email);
    if (email == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    format->allow_tiny_domain = values[EMAIL_TINY].integer != 0;
    const tally_text_settings settings = {
        .alphabet = {digits, mixed ? 62 : 36},
        .separators = {separators, sizeof separators - 1 - (at->given != 0)},
        .delimiter = {"@", 1},
        .keep_after_delimiter = !all,
        .kept_as_tweak = values[EMAIL_KEPT].integer != 0,
        .max_length = EMAIL_SYMBOLS,
    };
    char identity[TALLY_TEXT_IDENTITY];
    const tally_status status = tally_text_init(format, &settings, identity, &email->text, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (at->given) {
        email->end_size = at->size + 1;
        email->end[0] = '@';
        memcpy(email->end + 1, at->text, at->size);
    }
    format->smallest = tally_text_smallest(&email->text);
    format->keeps_size = !at->given;
    format->forbids_keep = at->given != 0;
    format->example[0] = "jane.doe+news@example.org";
    return at->given ? email_identify(format, at->text, at->size, identity)
                     : tally_format_identify(format, identity, strlen(identity));
}

static void email_replace(uint8_t *bytes, uint64_t size, uint8_t from, uint8_t to)
{
    uint64_t i = 0;
    for (; size - i >= EMAIL_SLACK; i += EMAIL_SLACK) { /* a fixed number, for vectors */
        for (uint64_t k = 0; k < EMAIL_SLACK; k++) {
            bytes[i + k] = bytes[i + k] == from ? to : bytes[i + k];
        }
    }
    for (; i < size; i++) {
        bytes[i] = bytes[i] == from ? to : bytes[i];
    }
}

/* Copies text; both have EMAIL_SLACK bytes more. */
static inline void email_copy(uint8_t *to, const uint8_t *from, size_t size)
{
    memcpy(to, from, EMAIL_SLACK);
    if (size > EMAIL_SLACK) {
        memcpy(to + EMAIL_SLACK, from + EMAIL_SLACK, size - EMAIL_SLACK);
    }
}

static int email_has_end(const email_format *email, const uint8_t *value, size_t size)
{
    return size >= email->end_size &&
           memcmp(value + size - email->end_size, email->end, email->end_size) == 0;
}

/* Rows of a column that are worked on together. */
typedef struct email_block {
    const email_format *email;
    tally_strings rows;    /* of the column */
    const uint64_t *start; /* row i is at start[i] .. start[i + 1] of its values */
    const tally_strings *row_tweaks;
    uint8_t *status;
    tally_text_out *out;
} email_block;

/* Ends a row whose text is at `from`, with `end_size` bytes behind it. */
static inline void email_put(tally_text_out *out, const uint8_t *from, size_t size,
                             const uint8_t *end, size_t end_size)
{
    uint8_t *to = out->values + out->size;
    email_copy(to, from, size);
    if (end_size != 0) {
        email_copy(to + size, end, end_size);
    }
    tally_text_out_end(out, size + end_size);
}

/* Writes the rows of a block: those from `done`, where row i is at place[i] .. place[i + 1], and
 * those that stay as they were. */
static tally_status email_write(const email_block *block, const uint8_t *done,
                                const uint64_t *place, const uint8_t *end, size_t end_size)
{
    const uint64_t rows = block->rows.rows, first = block->start[0], *start = block->start;
    const uint64_t most = start[rows] - first + rows * end_size + 2 * EMAIL_SLACK;
    if (tally_text_out_reserve(block->out, most) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    tally_text_out out = *block->out; /* one that no byte written can be a part of */
    for (uint64_t i = 0; i < rows; i++) {
        if (tally_row_is_null(&block->rows, i)) {
            tally_text_out_end(&out, 0);
        } else if (block->status[i] == 0) {
            email_put(&out, done + (place[i] - place[0]), (size_t)(place[i + 1] - place[i]), end,
                      end_size);
        } else {
            const size_t size = (size_t)(start[i + 1] - start[i]);
            if (size != 0) {
                memcpy(out.values + out.size, block->rows.values + start[i], size);
            }
            tally_text_out_end(&out, size);
        }
    }
    *block->out = out;
    return TALLY_OK;
}

static tally_status email_protect_block(tally_run *run, const email_block *block)
{
    const email_format *email = block->email;
    const uint64_t size = block->start[block->rows.rows] - block->start[0];
    uint8_t *done = run->scratch(run, EMAIL_SCRATCH_VALUES, (size_t)size + EMAIL_SLACK);
    if (done == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status =
        tally_text_run(&email->text, run, &block->rows, block->row_tweaks, done, block->status);
    if (status != TALLY_OK) {
        return status;
    }
    email_replace(done, size, '@', EMAIL_PLACEHOLDER);
    return email_write(block, done, block->start, email->end, email->end_size);
}

static tally_status email_reveal_block(tally_run *run, const email_block *block)
{
    const email_format *email = block->email;
    const uint64_t rows = block->rows.rows, *start = block->start;
    const uint64_t size = start[rows] - start[0];
    uint8_t *local = run->scratch(run, EMAIL_SCRATCH_VALUES, (size_t)size + 2 * EMAIL_SLACK);
    uint64_t *place = run->scratch(run, EMAIL_SCRATCH_OFFSETS, (size_t)(rows + 1) * 8);
    uint8_t *valid = run->scratch(run, EMAIL_SCRATCH_VALIDITY, (size_t)rows / 8 + 1);
    if (local == NULL || place == NULL || valid == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(valid, 0, (size_t)rows / 8 + 1);
    place[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint8_t *value = block->rows.values + start[i];
        const size_t whole = (size_t)(start[i + 1] - start[i]);
        place[i + 1] = place[i];
        if (tally_row_is_null(&block->rows, i) || !email_has_end(email, value, whole)) {
            continue;
        }
        const size_t own = whole - email->end_size;
        if (start[rows] - start[i] >= EMAIL_SLACK) {
            email_copy(local + place[i], value, own);
        } else {
            memcpy(local + place[i], value, own);
        }
        place[i + 1] += own;
        valid[i / 8] |= (uint8_t)(1 << (i % 8));
    }
    email_replace(local, place[rows], EMAIL_PLACEHOLDER, '@');
    const tally_strings column = {
        .offsets = place, .offset_size = 8, .validity = valid, .values = local, .rows = rows};
    const tally_status status =
        tally_text_run(&email->text, run, &column, block->row_tweaks, local, block->status);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < rows; i++) {
        if ((valid[i / 8] >> (i % 8) & 1) == 0 && !tally_row_is_null(&block->rows, i)) {
            block->status[i] = TALLY_REASON_NOTATION;
        }
    }
    return email_write(block, local, place, NULL, 0);
}

static tally_status email_text(const tally_format *format, tally_run *run,
                               tally_text_column *column)
{
    const email_format *email = format->own;
    if (email->end_size == 0) {
        return tally_text_column_of(format, run, column);
    }
    uint64_t start[TALLY_BLOCK_ROWS + 1], common;
    tally_strings_reader reader;
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (uint64_t first = 0; first < column->in.rows; first += TALLY_BLOCK_ROWS) {
        const uint64_t left = column->in.rows - first,
                       rows = left < TALLY_BLOCK_ROWS ? left : TALLY_BLOCK_ROWS;
        tally_strings tweaks;
        if (!tally_strings_read(&reader, (size_t)rows, start, &common)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (run->row_tweaks != NULL) {
            tweaks = tally_strings_slice(run->row_tweaks, first, rows);
        }
        const email_block block = {
            .email = email,
            .rows = tally_strings_slice(&column->in, first, rows),
            .start = start,
            .row_tweaks = run->row_tweaks != NULL ? &tweaks : NULL,
            .status = column->status + first,
            .out = column->out,
        };
        const tally_status status = run->direction == TALLY_ENCRYPT
                                        ? email_protect_block(run, &block)
                                        : email_reveal_block(run, &block);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status email_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const email_format *email = format->own;
    if (email->end_size == 0) {
        return tally_text_one(format, run, one);
    }
    const int protects = run->direction == TALLY_ENCRYPT;
    size_t size = one->size;
    if (!protects) {
        if (!email_has_end(email, one->value, size)) {
            one->reason = TALLY_REASON_NOTATION;
            return TALLY_OK;
        }
        size -= email->end_size;
    }
    one->out_size = protects ? size + email->end_size : size;
    if (one->out_size > one->capacity) {
        return TALLY_ERROR_CAPACITY;
    }
    if (size != 0) {
        memcpy(one->out, one->value, size);
    }
    if (!protects) {
        email_replace(one->out, size, EMAIL_PLACEHOLDER, '@');
    }
    const tally_status status =
        tally_text_run_value(&email->text, run, one, one->out, size, &one->reason);
    if (protects && status == TALLY_OK) {
        email_replace(one->out, size, '@', EMAIL_PLACEHOLDER);
        memcpy(one->out + size, email->end, email->end_size);
    }
    return status;
}

static size_t email_place_of_fault(const tally_format *format, tally_reason reason,
                                   const uint8_t *value, size_t size)
{
    const email_format *email = format->own;
    const int is_token = email->end_size != 0 && email_has_end(email, value, size);
    return tally_text_place(&email->text, reason, value, is_token ? size - email->end_size : size,
                            is_token ? EMAIL_PLACEHOLDER : 0);
}

const tally_format_about tally_about_email = {"E-mail addresses; mail to tokens may arrive.", NULL};

const tally_format_class tally_format_email = {
    .name = "email",
    .options = email_options,
    .words = TALLY_WORDS_ANY,
    .make = email_make,
    .destroy = email_destroy,
    .text = email_text,
    .one = email_one,
    .domain_of = tally_text_domain_of,
    .work = tally_text_work,
    .place_of_fault = email_place_of_fault,
};
