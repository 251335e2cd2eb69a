/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of values of one layout, for one instruction set: the rows side by side in vectors.
 * Single characters are compared with ranges, so no address depends on them. Fields of several
 * characters are looked up in tables.
 *
 * The file that includes this defines LAYOUTS(name), LAYOUTS_TARGET, LAYOUTS_LANES, the lanes of
 * 16 bits in a vector; the types LAYOUTS(vec) of those and LAYOUTS(bytes) of as many bytes; the
 * functions LAYOUTS(widen) and LAYOUTS(narrow) from one to the other, LAYOUTS_BELOW(x, y), which
 * compares bytes, and LAYOUTS_HIGH(x, y), the upper half of the product of each lane and a number. */

#include "formats/layouts_checks_body.h"

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes) LAYOUTS(load_bytes)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store_bytes)(uint8_t *to, LAYOUTS(bytes) bytes)
{
    memcpy(to, &bytes, sizeof bytes);
}

/* Reads a field of one character; returns zeros where it is one of its choices. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(read_field)(const tally_choices *choices, LAYOUTS(bytes) c, uint16_t *to)
{
    LAYOUTS(bytes) digit = c ^ c, within = digit;
    for (uint32_t r = 0; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r];
        LAYOUTS(bytes) from = c - range->first, inside = LAYOUTS_BELOW(from, range->count);
        digit |= inside & (LAYOUTS(bytes))(from + range->base);
        within |= inside;
    }
    LAYOUTS(vec) wide = LAYOUTS(widen)(digit);
    memcpy(to, &wide, sizeof wide);
    return (LAYOUTS(bytes)) ~within;
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(bytes)
    LAYOUTS(write_field)(const tally_choices *choices, const uint16_t *from)
{
    LAYOUTS(vec) wide;
    memcpy(&wide, from, sizeof wide);
    LAYOUTS(bytes)
    digit = LAYOUTS(narrow)(wide), c = digit + choices->range[0].first;
    for (uint32_t r = 1; r < choices->ranges; r++) {
        const tally_layout_range *range = &choices->range[r], *before = range - 1;
        /* The number of characters between both ranges. */
        uint8_t gap = (uint8_t)(range->first - before->first - before->count);
        c += (LAYOUTS(bytes)) ~LAYOUTS_BELOW(digit, range->base) & gap;
    }
    return c;
}

LAYOUTS_TARGET static void LAYOUTS(read)(const tally_layout *layout, uint8_t *text, size_t rows,
                                         tally_mixed_digits digits,
                                         uint8_t status[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
        LAYOUTS(bytes) differs = LAYOUTS(load_bytes)(text + row);
        differs ^= differs;
        for (uint32_t i = 0; i < layout->literals; i++) {
            const tally_layout_literal *literal = &layout->literal[i];
            differs |=
                LAYOUTS(load_bytes)(text + (size_t)literal->place * TALLY_LAYOUT_ROWS + row) ^
                literal->character;
        }
        for (uint32_t i = 0; i < layout->fields; i++) {
            const tally_layout_field *field = &layout->field[i];
            if (field->choices->width == 1) {
                differs |= LAYOUTS(read_field)(
                    field->choices,
                    LAYOUTS(load_bytes)(text + (size_t)field->place * TALLY_LAYOUT_ROWS + row),
                    digits[i] + row);
            }
        }
        LAYOUTS(store_bytes)(status + row, differs);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        if (field->choices->width > 1) {
            const uint8_t *from = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
            for (size_t row = 0; row < rows; row++) {
                uint32_t digit = tally_choices_read(field->choices, from + row);
                digits[i][row] = digit == 0xffff ? 0 : (uint16_t)digit;
                status[row] |= digit == 0xffff;
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] != 0 ? TALLY_REASON_NOTATION : 0;
    }
    if (layout->check_rule == TALLY_CHECK_NONE || layout->check_rule == TALLY_CHECK_PHONE) {
        return; /* a number's layout follows from its plan */
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (size_t row = 0; row < rows; row++) {
        checks.invalid[row] = checks.invalid[row] != 0 ? TALLY_REASON_RANGE : 0;
    }
    for (uint32_t k = 0; k < layout->checks; k++) {
        const uint8_t *found = text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS;
        for (size_t row = 0; row < rows; row++) {
            const int differs = found[row] != checks.character[k][row];
            checks.invalid[row] = differs ? TALLY_REASON_CHECK : checks.invalid[row];
        }
    }
    for (size_t row = 0; row < rows; row++) {
        status[row] = status[row] == 0 ? checks.invalid[row] : status[row];
    }
    tally_wipe(&checks, sizeof checks);
}

LAYOUTS_TARGET static void LAYOUTS(write)(const tally_layout *layout, tally_mixed_digits digits,
                                          size_t rows, uint8_t *text,
                                          uint8_t invalid[TALLY_LAYOUT_ROWS])
{
    for (uint32_t i = 0; i < layout->literals; i++) {
        const tally_layout_literal *literal = &layout->literal[i];
        memset(text + (size_t)literal->place * TALLY_LAYOUT_ROWS, literal->character,
               TALLY_LAYOUT_ROWS);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_layout_field *field = &layout->field[i];
        uint8_t *to = text + (size_t)field->place * TALLY_LAYOUT_ROWS;
        if (field->choices->width == 1) {
            for (size_t row = 0; row < rows; row += sizeof(LAYOUTS(bytes))) {
                LAYOUTS(store_bytes)
                (to + row, LAYOUTS(write_field)(field->choices, digits[i] + row));
            }
            continue;
        }
        for (size_t row = 0; row < rows; row++) {
            tally_choices_write(field->choices, digits[i][row], to + row);
        }
    }
    if (layout->check_rule == TALLY_CHECK_NONE) {
        memset(invalid, 0, TALLY_LAYOUT_ROWS);
        return;
    }
    tally_layout_checks checks;
    LAYOUTS(make_checks)(layout, text, rows, &checks);
    for (uint32_t k = 0; k < layout->checks; k++) {
        memcpy(text + (size_t)layout->check[k] * TALLY_LAYOUT_ROWS, checks.character[k], rows);
    }
    memcpy(invalid, checks.invalid, TALLY_LAYOUT_ROWS);
    tally_wipe(&checks, sizeof checks);
}
