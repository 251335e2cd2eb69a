/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of one value, by its shape. */
#include "columns/symbols.h"

#include "columns/luhn.h"

static int symbols_is_symbol(uint8_t kind)
{
    return kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
}

int tally_shape_fits(const tally_shape *shape)
{
    if (shape->min_symbols < TALLY_FAST_MIN_LENGTH || shape->max_symbols > TALLY_FAST_MAX_LENGTH ||
        shape->keep_after_delimiter > 1 || shape->tweak_kept > 1 ||
        shape->luhn > TALLY_LUHN_INVALID ||
        (shape->luhn != TALLY_LUHN_NONE && shape->radix != 10)) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (kind > TALLY_BYTE_DELIMITER ||
            (symbols_is_symbol(kind) && shape->symbol[byte] >= shape->radix)) {
            return 0;
        }
    }
    return 1;
}

int tally_shape_delimiters(const tally_shape *shape)
{
    int delimiters = 0;
    for (int byte = 0; byte < 256; byte++) {
        delimiters |= shape->kind[byte] == TALLY_BYTE_DELIMITER;
    }
    return delimiters;
}

tally_row tally_symbols_gather(const tally_shape *shape, int delimiters, const uint8_t *value,
                               uint64_t size, uint8_t *symbols, size_t *count,
                               uint64_t *after_delimiter)
{
    size_t found = 0;
    int found_delimiters = 0;
    *after_delimiter = size;
    for (uint64_t i = 0; i < size; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_DELIMITER) {
            found_delimiters++;
            if (shape->keep_after_delimiter && found_delimiters == 1) {
                *after_delimiter = i + 1;
            }
        } else if (i >= *after_delimiter) {
            continue;
        } else if (symbols_is_symbol(kind)) {
            if (found == TALLY_FAST_MAX_LENGTH) {
                *count = found;
                return TALLY_ROW_LONG;
            }
            symbols[found++] = shape->symbol[value[i]];
        } else if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i != 0)) {
            *count = found;
            return TALLY_ROW_FOREIGN;
        }
    }
    *count = found;
    return found_delimiters == delimiters ? TALLY_ROW_OK : TALLY_ROW_DELIMITER;
}

void tally_symbols_scatter(const tally_shape *shape, const uint8_t *word, size_t count,
                           uint64_t after_delimiter, uint8_t *value)
{
    size_t symbol = 0;
    for (uint64_t i = 0; i < after_delimiter; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (symbols_is_symbol(kind)) {
            if (tally_symbol_is_free(shape, symbol, count)) {
                value[i] = shape->letter[kind == TALLY_BYTE_UPPER][*word++];
            }
            symbol++;
        }
    }
}

tally_row tally_symbols_word_length(const tally_shape *shape, size_t *length)
{
    const size_t luhn = shape->luhn != TALLY_LUHN_NONE;
    if (*length < luhn + shape->min_symbols) {
        return TALLY_ROW_SHORT;
    }
    *length -= luhn;
    return *length > shape->max_symbols ? TALLY_ROW_LONG : TALLY_ROW_OK;
}

size_t tally_symbols_check_place(const tally_shape *shape, size_t count)
{
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        place = tally_symbol_is_free(shape, i, count) ? i : place;
    }
    return place;
}

uint8_t tally_symbols_check_digit_of(const tally_shape *shape, const uint8_t *digits, size_t count,
                                     size_t place, int of_token)
{
    const int more = of_token && shape->luhn == TALLY_LUHN_INVALID;
    return (uint8_t)((tally_luhn_digit(digits, count, place) + more) % 10);
}

uint8_t tally_symbols_check_digit(const tally_shape *shape, const uint8_t *word, const uint8_t *all,
                                  size_t count, size_t place, int of_token)
{
    uint8_t digits[TALLY_COLUMN_MAX_DIGITS];
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const int free = tally_symbol_is_free(shape, i, count) && i != place;
        digits[i] = free ? word[next++] : all[i];
    }
    const uint8_t digit = tally_symbols_check_digit_of(shape, digits, count, place, of_token);
    tally_wipe(digits, count);
    return digit;
}
