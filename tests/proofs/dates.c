/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as text: any bytes are read in some notations, and in any notation of up to MOST bytes; any
 * days are written. */
#include "numbers/dates.h"
#include "arbitrary.h"

enum { MOST = 12 };

static uint8_t memory[MOST];

static void check(const uint8_t *notation, uint32_t width)
{
    tally_dates_compiled compiled;
    arbitrary(memory, MOST);
    if (tally_dates_compile(notation, width, &compiled)) {
        (void)tally_dates_parse(&compiled, memory + MOST - width);
        tally_dates_format(&compiled, Frama_C_interval(TALLY_DATES_MIN_DAY, TALLY_DATES_MAX_DAY),
                           memory + MOST - width);
    }
}

int main(void)
{
    static uint8_t notation[MOST];
    check((const uint8_t *)"YYYYMMDD", 8);
    check((const uint8_t *)"DD.MM.YYYY", 10);
    check((const uint8_t *)"MM/DD-YYYY..", 12);
    for (uint32_t width = 0; width <= MOST; width++) {
        arbitrary(notation, MOST);
        check(notation + MOST - width, width);
    }
    return 0;
}
