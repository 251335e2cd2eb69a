/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of one value, by its shape. */
#include "columns/symbols.h"

static int is_symbol(uint8_t kind)
{
    return kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
}

int tally_shape_fits(const tally_shape *shape)
{
    if (shape->min_symbols < TALLY_FAST_MIN_LENGTH || shape->max_symbols > TALLY_FAST_MAX_LENGTH ||
        shape->keep_after_mark > 1 || shape->tweak_kept > 1 || shape->luhn > TALLY_LUHN_INVALID ||
        (shape->luhn != TALLY_LUHN_NONE && shape->radix != 10)) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (kind > TALLY_BYTE_MARK || (is_symbol(kind) && shape->symbol[byte] >= shape->radix)) {
            return 0;
        }
    }
    return 1;
}

int tally_shape_marks(const tally_shape *shape)
{
    int marks = 0;
    for (int byte = 0; byte < 256; byte++) {
        marks |= shape->kind[byte] == TALLY_BYTE_MARK;
    }
    return marks;
}

tally_row tally_symbols_gather(const tally_shape *shape, int marks, const uint8_t *value,
                               uint64_t size, uint8_t *symbols, size_t *count, uint64_t *after_mark)
{
    size_t found = 0;
    int found_marks = 0;
    *after_mark = size;
    for (uint64_t i = 0; i < size; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_MARK) {
            found_marks++;
            if (shape->keep_after_mark && found_marks == 1) {
                *after_mark = i + 1;
            }
        } else if (i >= *after_mark) {
            continue;
        } else if (is_symbol(kind)) {
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
    return found_marks == marks ? TALLY_ROW_OK : TALLY_ROW_MARK;
}

void tally_symbols_scatter(const tally_shape *shape, const uint8_t *word, size_t count,
                           uint64_t after_mark, uint8_t *value)
{
    size_t symbol = 0;
    for (uint64_t i = 0; i < after_mark; i++) {
        uint8_t kind = shape->kind[value[i]];
        if (is_symbol(kind)) {
            if (tally_symbol_is_free(shape, symbol, count)) {
                value[i] = shape->letter[kind == TALLY_BYTE_UPPER][*word++];
            }
            symbol++;
        }
    }
}
