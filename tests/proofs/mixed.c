/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix: any digits and symbols, those that do not fit too, are written and read
 * by some plans. (Planning is more than Eva can follow: it ends where a product is large
 * enough.) */
#include "numbers/mixed.h"
#include "arbitrary.h"

enum { SOME = 3 /* rows: each is read and written like the others */ };

static void check(const tally_mixed_plan *plan)
{
    static tally_mixed_digits digits;
    static uint8_t symbols[3 * TALLY_MIXED_ROWS], outside[TALLY_MIXED_ROWS];
    for (size_t p = 0; p < plan->positions; p++) {
        for (size_t row = 0; row < TALLY_MIXED_ROWS; row++) {
            digits[p][row] = Frama_C_unsigned_short_interval(0, UINT16_MAX);
        }
    }
    uint8_t *first = symbols + (3 - plan->length) * TALLY_MIXED_ROWS;
    tally_mixed_portable.write(plan, digits, SOME, first, TALLY_MIXED_ROWS);
    arbitrary(symbols, sizeof symbols);
    tally_mixed_portable.read(plan, first, TALLY_MIXED_ROWS, SOME, digits, outside);
}

int main(void)
{
    /* As tally_mixed_make_plan gives them for 26 * 10 * 10 and 65536 * 100 numbers. */
    static const tally_mixed_plan
        code = {.last = {2599},
                .radix = 51,
                .length = 2,
                .pairs = 1,
                .positions = 3,
                .sizes = {26, 10, 10},
                .runs = 1,
                .by_size = {{40330, 4, 0}, {52429, 3, 0}, {52429, 3, 0}},
                .by_radix = {41121, 5, 0},
                .square = {.number = 2601, .reciprocal = 1651275},
                .run = {{{.number = 2600, .reciprocal = 1651910}, 1, 12, 0, 3}},
                .left = {12},
                .reach = {12}},
        pair = {.last = {0xffff, 99},
                .radix = 188,
                .length = 3,
                .pairs = 2,
                .positions = 2,
                .sizes = {65536, 100},
                .runs = 2,
                .by_size = {{32768, 15, 0}, {18351, 6, 1}},
                .by_radix = {23705, 7, 1},
                .square = {.number = 35344, .reciprocal = 121518},
                .run = {{{.number = 65536, .reciprocal = 65536}, 1, 16, 0, 1},
                        {{.number = 100, .reciprocal = 42949672}, 16, 23, 1, 1}},
                .left = {23, 8},
                .reach = {8, 23}};
    check(&code);
    check(&pair);
    return 0;
}
