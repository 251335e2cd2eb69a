/* SPDX-License-Identifier: Apache-2.0
 *
 * One row of a column by the letter of columns/columns.h, slowly: the oracle of test_column.c.
 * It shares with the core only the encryption of a word. Where a row fails in several ways, the
 * header leaves open which is reported, so the model gives them all. */
#ifndef TALLY_TESTS_COLUMN_MODEL_H
#define TALLY_TESTS_COLUMN_MODEL_H

#include <stdbool.h>
#include <stdlib.h>

#include "check.h"
#include "columns/columns.h"

/* A value taken apart. */
typedef struct model_parts {
    size_t *place;  /* of each symbol in the value */
    bool *kept;     /* whether that symbol stays */
    size_t symbols; /* all of them */
    size_t *open;   /* the places of those that do not stay, the check digit among them */
    size_t opened;
    size_t after; /* the bytes from here on stay because of the delimiter */
    bool foreign, wrong_delimiters;
} model_parts;

static inline void model_release(model_parts *parts)
{
    free(parts->place);
    free(parts->kept);
    free(parts->open);
}

static inline bool model_is_symbol(const tally_shape *shape, uint8_t byte)
{
    return shape->kind[byte] == TALLY_BYTE_SYMBOL || shape->kind[byte] == TALLY_BYTE_UPPER;
}

static inline model_parts model_split(const tally_shape *shape, const uint8_t *value, size_t size)
{
    model_parts parts = {.place = malloc((size + 1) * sizeof(size_t)),
                         .kept = malloc((size + 1) * sizeof(bool)),
                         .open = malloc((size + 1) * sizeof(size_t)),
                         .after = size};
    size_t delimiters = 0, wanted = 0;
    for (int byte = 0; byte < 256; byte++) {
        wanted = shape->kind[byte] == TALLY_BYTE_DELIMITER ? 1 : wanted;
    }
    for (size_t i = size; i-- > 0;) {
        if (shape->kind[value[i]] == TALLY_BYTE_DELIMITER) {
            delimiters++;
            parts.after = shape->keep_after_delimiter != 0 ? i + 1 : size;
        }
    }
    parts.wrong_delimiters = delimiters != wanted;
    for (size_t i = 0; i < parts.after; i++) {
        uint8_t kind = shape->kind[value[i]];
        parts.foreign |= kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i > 0);
        if (model_is_symbol(shape, value[i])) {
            parts.place[parts.symbols++] = i;
        }
    }
    for (size_t i = 0; i < parts.symbols; i++) {
        bool by_bit = i < 64 && (shape->keep & UINT64_C(1) << i) != 0;
        parts.kept[i] = by_bit || parts.symbols - i <= shape->keep_last;
        if (!parts.kept[i]) {
            parts.open[parts.opened++] = parts.place[i];
        }
    }
    return parts;
}

/* The Luhn formula by its definition: from the right every second digit doubled, their digits
 * added. */
static inline bool model_luhn_holds(const uint8_t *digits, size_t count)
{
    unsigned sum = 0;
    bool twice = false;
    for (size_t i = count; i-- > 0; twice = !twice) {
        unsigned digit = twice ? 2u * digits[i] : digits[i];
        sum += digit / 10 + digit % 10;
    }
    return sum % 10 == 0;
}

/* The digit that the last open place must have, found by trial; at least one is open. */
static inline uint8_t model_check_digit(const tally_shape *shape, const model_parts *parts,
                                        const uint8_t *value)
{
    uint8_t *digits = malloc(parts->symbols), found = 0;
    for (uint8_t digit = 0; digit < 10; digit++) {
        for (size_t i = 0; i < parts->symbols; i++) {
            bool check = parts->place[i] == parts->open[parts->opened - 1];
            digits[i] = check ? digit : shape->symbol[value[parts->place[i]]];
        }
        found = model_luhn_holds(digits, parts->symbols) ? digit : found;
    }
    free(digits);
    return found;
}

/* Writes a row's tweak to `out`, which holds a tweak of any size; returns the size. */
static inline size_t model_tweak(const tally_shape *shape, const model_parts *parts,
                                 const uint8_t *value, size_t size, const uint8_t *tweak,
                                 size_t tweak_size, const uint8_t *row_tweak, size_t row_tweak_size,
                                 uint8_t *out)
{
    size_t at = 0;
    for (size_t i = 0; i < tweak_size; i++) {
        out[at++] = tweak[i];
    }
    if (shape->tweak_kept != 0) {
        size_t length = at;
        at += 4;
        for (size_t i = 0; i < parts->symbols; i++) {
            if (parts->kept[i]) {
                out[at++] = shape->symbol[value[parts->place[i]]];
            }
        }
        for (size_t i = parts->after; i < size; i++) {
            out[at++] = value[i];
        }
        size_t clear = at - length - 4;
        out[length] = (uint8_t)(clear >> 24);
        out[length + 1] = (uint8_t)(clear >> 16);
        out[length + 2] = (uint8_t)(clear >> 8);
        out[length + 3] = (uint8_t)clear;
    }
    for (size_t i = 0; i < row_tweak_size; i++) {
        out[at++] = row_tweak[i];
    }
    return at;
}

static inline void model_write(const tally_shape *shape, uint8_t symbol, uint8_t *byte)
{
    *byte = shape->letter[shape->kind[*byte] == TALLY_BYTE_UPPER ? 1 : 0][symbol];
}

/* Changes a value in place if it is valid. Returns its errors, bit s for tally_row s; *length is
 * that of the word. `row_tweak` is NULL if the row's tweak is null. */
static inline uint32_t model_row(tally_fast_cipher *cipher, const tally_shape *shape, bool decrypt,
                                 uint8_t *value, size_t size, const uint8_t *tweak,
                                 size_t tweak_size, const uint8_t *row_tweak, size_t row_tweak_size,
                                 size_t *length)
{
    bool luhn = shape->luhn != TALLY_LUHN_NONE;
    uint8_t more_in = shape->luhn == TALLY_LUHN_INVALID && decrypt ? 1 : 0;
    uint8_t more_out = shape->luhn == TALLY_LUHN_INVALID && !decrypt ? 1 : 0;
    model_parts parts = model_split(shape, value, size);
    uint8_t *full_tweak = malloc(tweak_size + 4 + size + row_tweak_size);
    size_t full_size = row_tweak == NULL
                           ? SIZE_MAX
                           : model_tweak(shape, &parts, value, size, tweak, tweak_size, row_tweak,
                                         row_tweak_size, full_tweak);
    bool checked = luhn && parts.opened > 0;
    *length = parts.opened - (checked ? 1 : 0);

    uint32_t errors = 0;
    errors |= parts.foreign ? 1u << TALLY_ROW_FOREIGN : 0;
    errors |= parts.wrong_delimiters ? 1u << TALLY_ROW_DELIMITER : 0;
    errors |= *length < shape->min_symbols ? 1u << TALLY_ROW_SHORT : 0;
    if (*length > shape->max_symbols || parts.symbols > 65536 || (luhn && parts.symbols > 64)) {
        errors |= 1u << TALLY_ROW_LONG;
    }
    errors |= full_size > TALLY_FAST_MAX_ROW_TWEAK ? 1u << TALLY_ROW_TWEAK : 0;
    if (checked && shape->symbol[value[parts.open[*length]]] !=
                       (model_check_digit(shape, &parts, value) + more_in) % 10) {
        errors |= 1u << TALLY_ROW_CHECK;
    }

    if (errors == 0) {
        tally_fast_params params = {0};
        uint8_t *word = malloc(*length);
        for (size_t i = 0; i < *length; i++) {
            word[i] = shape->symbol[value[parts.open[i]]];
        }
        CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, shape->radix, (uint32_t)*length, &params),
                    TALLY_OK);
        CHECK_EQUAL((decrypt ? tally_fast_decrypt_words : tally_fast_encrypt_words)(
                        cipher, &params, full_tweak, full_size, word, 1, word),
                    TALLY_OK);
        for (size_t i = 0; i < *length; i++) {
            model_write(shape, word[i], &value[parts.open[i]]);
        }
        if (luhn) {
            uint8_t digit = model_check_digit(shape, &parts, value);
            model_write(shape, (uint8_t)((digit + more_out) % 10), &value[parts.open[*length]]);
        }
        free(word);
    }
    free(full_tweak);
    model_release(&parts);
    return errors;
}

#endif
