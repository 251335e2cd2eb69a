/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of numbers of mixed radix: digits and symbols are secret. That they fit is checked
 * before, and tells no more than that. */
#include "secret.h"

#include "numbers/mixed.h"

enum { COUNT = 70 };

static void check_sizes(const uint32_t *sizes, uint32_t positions)
{
    static uint16_t digits[COUNT * TALLY_MIXED_MAX_POSITIONS];
    static uint8_t words[COUNT * TALLY_MIXED_MAX_LENGTH], outside[COUNT];
    const tally_mixed mixed = {sizes, positions};
    tally_mixed_plan plan;
    if (tally_mixed_make_plan(&mixed, &plan) != TALLY_OK) {
        fail("no plan");
    }
    make_secret(digits, sizeof digits);
    tally_mixed_write(&mixed, &plan, digits, COUNT, words);
    expect_secret(words, COUNT * plan.length);
    tally_mixed_read(&mixed, &plan, words, COUNT, digits, outside);
    for (size_t i = 0; i < COUNT * positions; i++) {
        uint16_t bits = 0;
        (void)VALGRIND_GET_VBITS(digits + i, &bits, 2);
        if (bits == 0) {
            fail("a digit does not depend on the secrets");
        }
    }
    printf("checked: %u positions\n", (unsigned)positions);
}

static void check(void)
{
    static const uint32_t iban[] = {26, 26, 26, 26, 10, 10, 10, 10, 10,
                                    10, 10, 10, 10, 10, 10, 10, 10, 10};
    static const uint32_t dated[] = {10, 10, 10, 46020, 26, 256}, pair[] = {2, 300};
    check_sizes(iban, 18);
    check_sizes(dated, 6);
    check_sizes(pair, 2);
}
