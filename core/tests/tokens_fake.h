/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats for tests of tokens: letters that move on by a number that depends on the tweak. */
#ifndef TALLY_TESTS_TOKENS_FAKE_H
#define TALLY_TESTS_TOKENS_FAKE_H

#include "formats/format.h"

/* How far letters move: 3, and the sum of the row's tweak. -1: it is null. */
static inline int fake_shift(const tally_run *run, uint64_t row)
{
    if (run->row_tweaks == NULL) {
        return 3;
    }
    if (tally_row_is_null(run->row_tweaks, row)) {
        return -1;
    }
    int sum = 3;
    const uint64_t end = tally_offset_once(run->row_tweaks, row + 1);
    for (uint64_t i = tally_offset_once(run->row_tweaks, row); i < end; i++) {
        sum += run->row_tweaks->values[i];
    }
    return sum;
}

/* Words of lower-case letters, 1..100; "long" words make two of each letter. */
static inline uint8_t fake_word(const tally_run *run, uint64_t row, const uint8_t *in, size_t size,
                                uint8_t *out)
{
    const int shift = fake_shift(run, row);
    if (shift < 0) {
        return TALLY_REASON_TWEAK;
    }
    if (size == 0) {
        return TALLY_REASON_SHORT;
    }
    for (size_t i = 0; i < size; i++) {
        if (in[i] < 'a' || in[i] > 'z') {
            return TALLY_REASON_FOREIGN;
        }
        const int move = run->direction == TALLY_ENCRYPT ? shift % 26 : 26 - shift % 26;
        out[i] = (uint8_t)('a' + (in[i] - 'a' + move) % 26);
    }
    return 0;
}

static tally_status fake_text(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const tally_strings *in = &column->in;
    uint8_t *word = run->scratch(run, 0, 4096);
    if (word == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < in->rows; i++) {
        const uint64_t start = tally_offset_once(in, i);
        const size_t size = (size_t)(tally_offset_once(in, i + 1) - start);
        const uint8_t *value = in->values + start;
        column->status[i] = 0;
        if (tally_row_is_null(in, i)) {
            if (format->keeps_size) {
                memset(column->values + start, 0, size);
            } else {
                tally_text_out_end(column->out, 0);
            }
            continue;
        }
        if (format->keeps_size) {
            column->status[i] = fake_word(run, i, value, size, word);
            memcpy(column->values + start, column->status[i] == 0 ? word : value, size);
            run->small += column->status[i] == 0 && size < 5;
            continue;
        }
        /* Written twice; read as its first half. */
        const int reveal = run->direction == TALLY_DECRYPT;
        const size_t half = reveal ? size / 2 : size;
        uint8_t reason =
            reveal && size % 2 != 0 ? TALLY_REASON_NOTATION : fake_word(run, i, value, half, word);
        column->status[i] = reason;
        if (tally_text_out_reserve(column->out, 2 * size + 1) != TALLY_OK) {
            return TALLY_ERROR_MEMORY;
        }
        uint8_t *to = column->out->values + column->out->size;
        if (reason != 0) {
            memcpy(to, value, size);
            tally_text_out_end(column->out, size);
        } else {
            memcpy(to, word, half);
            memcpy(to + half, word, reveal ? 0 : half);
            tally_text_out_end(column->out, reveal ? half : 2 * half);
        }
    }
    return TALLY_OK;
}

/* Integers 0..999 move on by what letters do. */
static tally_status fake_fixed(const tally_format *format, tally_run *run,
                               tally_fixed_column *column)
{
    (void)format;
    const int64_t *in = column->values;
    int64_t *out = column->out;
    for (uint64_t i = 0; i < column->rows; i++) {
        column->status[i] = 0;
        if (column->validity != NULL && (column->validity[i / 8] >> (i % 8) & 1) == 0) {
            out[i] = 0;
            continue;
        }
        const int shift = fake_shift(run, i);
        column->status[i] = in[i] < 0 || in[i] > 999 ? TALLY_REASON_RANGE
                            : shift < 0              ? TALLY_REASON_TWEAK
                                                     : 0;
        if (column->status[i] == 0) {
            const int move = run->direction == TALLY_ENCRYPT ? shift % 1000 : 1000 - shift % 1000;
            out[i] = (in[i] + move) % 1000;
            run->small++;
        }
    }
    return TALLY_OK;
}

static int fake_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                      tally_writer *why)
{
    (void)format, (void)why;
    return (read->kind == TALLY_ARROW_TEXT && type[0] != 'v') ||
           (read->kind == TALLY_ARROW_INTEGER && read->width == 8);
}

static void fake_domain(const tally_format *format, const uint8_t *value, size_t size,
                        tally_domain *out)
{
    (void)format, (void)value;
    *out = (tally_domain){.size = size < 5 ? 1000 : UINT64_MAX, .known = 1};
}

static size_t fake_place(const tally_format *format, tally_reason reason, const uint8_t *value,
                         size_t size)
{
    (void)format;
    for (size_t i = 0; reason == TALLY_REASON_FOREIGN && i < size; i++) {
        if (value[i] < 'a' || value[i] > 'z') {
            return i;
        }
    }
    return SIZE_MAX;
}

static const tally_format_class fake_class = {.name = "fake",
                                              .takes = fake_takes,
                                              .text = fake_text,
                                              .fixed = fake_fixed,
                                              .domain_of = fake_domain,
                                              .place_of_fault = fake_place};

/* Words; `long_tokens`: twice as long as values. */
static inline tally_format fake_format(int long_tokens)
{
    static char identity[] = "[\"fake\"]";
    return (tally_format){
        .of = &fake_class, .keyed = 1, .keeps_size = !long_tokens, .identity = identity};
}

#endif
