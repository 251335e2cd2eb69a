/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix: any digits and symbols, those that do not fit too, are written and read
 * by some plans. (Planning is more than Eva can follow: it ends where a product is large
 * enough.) */
#include "numbers/mixed.h"
#include "arbitrary.h"

enum { MOST = 3, COUNT = 66 /* more than are worked on together */ };

static void check(const uint32_t *sizes, uint32_t positions, const tally_mixed_plan *plan)
{
    static uint16_t digits[COUNT * MOST];
    static uint8_t words[COUNT * MOST], outside[COUNT];
    const tally_mixed mixed = {sizes, positions};
    uint16_t *end = digits + COUNT * (MOST - positions);
    uint8_t *words_end = words + COUNT * (MOST - plan->length);
    for (size_t i = 0; i < COUNT * MOST; i++) {
        digits[i] = Frama_C_unsigned_short_interval(0, UINT16_MAX);
    }
    tally_mixed_write(&mixed, plan, end, COUNT, words_end);
    arbitrary(words, sizeof words);
    tally_mixed_read(&mixed, plan, words_end, COUNT, end, outside);
}

int main(void)
{
    static const uint32_t code[] = {26, 10, 10}, pair[] = {65536, 100};
    static const tally_mixed_plan code_plan = {.last = {2599},
                                               .radix = 51,
                                               .length = 2,
                                               .limbs = 1},
                                  pair_plan = {
                                      .last = {0xffff, 99}, .radix = 188, .length = 3, .limbs = 2};
    check(code, 3, &code_plan);
    check(pair, 2, &pair_plan);
    return 0;
}
