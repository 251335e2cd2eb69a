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
                .pair = {.inverse = 0xc9925b23ecb58, .size = 2601, .shift = 11},
                .run = {{.inverse = 0xc9a633fcd9674,
                         .size = 2600,
                         .shift = 11,
                         .top = 11,
                         .positions = 3}},
                .reach = {11}},
        pair = {.last = {0xffff, 99},
                .radix = 188,
                .length = 3,
                .pairs = 2,
                .positions = 2,
                .sizes = {65536, 100},
                .runs = 2,
                .by_size = {{32768, 15, 0}, {18351, 6, 1}},
                .by_radix = {23705, 7, 1},
                .pair = {.inverse = 0xed577f217df8e, .size = 35344, .shift = 15},
                .run = {{.inverse = 0x8000000000000,
                         .size = 65536,
                         .shift = 15,
                         .top = 15,
                         .positions = 1},
                        {.inverse = 0xa3d70a3d70a3e,
                         .size = 100,
                         .shift = 6,
                         .top = 22,
                         .first = 1,
                         .positions = 1}},
                .reach = {7, 22}};
    check(&code);
    check(&pair);
    return 0;
}
