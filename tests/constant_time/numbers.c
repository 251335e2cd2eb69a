/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of numbers of mixed radix: digits and symbols are secret. That they fit is checked
 * before, and tells no more than that. */
#include "secret.h"

#include "numbers/mixed.h"

static void check_sizes(const uint32_t *sizes, uint32_t positions)
{
    static tally_mixed_digits digits;
    static uint8_t symbols[TALLY_MIXED_MAX_LENGTH * TALLY_MIXED_ROWS], outside[TALLY_MIXED_ROWS];
    const tally_mixed mixed = {sizes, positions};
    const tally_mixed_lanes *lanes = tally_mixed_lanes_choose();
    tally_mixed_plan plan;
    if (tally_mixed_make_plan(&mixed, &plan) != TALLY_OK) {
        fail("no plan");
    }
    make_secret(digits, sizeof digits);
    lanes->write(&plan, digits, TALLY_MIXED_ROWS, symbols, TALLY_MIXED_ROWS);
    expect_secret(symbols, TALLY_MIXED_ROWS * plan.length);
    lanes->read(&plan, symbols, TALLY_MIXED_ROWS, TALLY_MIXED_ROWS, digits, outside);
    for (size_t i = 0; i < TALLY_MIXED_ROWS * (size_t)positions; i++) {
        uint16_t bits = 0;
        (void)VALGRIND_GET_VBITS(&digits[i / TALLY_MIXED_ROWS][i % TALLY_MIXED_ROWS], &bits, 2);
        if (bits == 0) {
            fail("a digit does not depend on the secrets");
        }
    }
    printf("checked: %u positions by %s\n", (unsigned)positions, lanes->backend.name);
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
