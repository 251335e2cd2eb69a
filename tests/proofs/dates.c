/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text: any bytes, of every size up to MOST, are read in some notations, and in any
 * notation of as many bytes, for any range; any days are written. That days beyond the range are
 * refused, and rows of another size than the notation's, is more than Eva can follow: tests show
 * it. */
#include "arbitrary.h"
#include "numbers/numbers.h"

enum { MOST = 12 };

static uint8_t memory[MOST], validity;

static void check(const uint8_t *notation, uint32_t width, size_t size)
{
    const tally_dates dates = {notation, width, Frama_C_interval(INT32_MIN, INT32_MAX),
                               Frama_C_interval(INT32_MIN, INT32_MAX)};
    const int32_t offsets[2] = {0, (int32_t)size};
    uint64_t number = 0;
    uint8_t status = 0;
    arbitrary(memory, MOST);
    arbitrary(&validity, 1);
    const tally_strings column = {.offsets = offsets,
                                  .offset_size = 4,
                                  .values = memory + MOST - size,
                                  .validity = either() ? &validity : NULL,
                                  .rows = 1};
    if (tally_dates_read(&dates, &column, &number, &status) == TALLY_OK) {
        number = any_32() % (TALLY_DATES_MAX_DAY - TALLY_DATES_MIN_DAY + 1);
        status = size == width && either() ? TALLY_NUMBER_OK : TALLY_NUMBER_RANGE;
        tally_dates_write(&dates, &column, &number, &status, memory + MOST - size);
    }
}

int main(void)
{
    static uint8_t notation[MOST];
    for (size_t size = 0; size <= MOST; size++) {
        check((const uint8_t *)"YYYYMMDD", 8, size);
        check((const uint8_t *)"DD.MM.YYYY", 10, size);
        check((const uint8_t *)"MM/DD-YYYY..", 12, size);
    }
    for (uint32_t width = 0; width <= MOST; width++) {
        arbitrary(notation, MOST);
        check(notation + MOST - width, width, width);
    }
    return 0;
}
