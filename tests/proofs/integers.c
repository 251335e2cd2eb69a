/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers as text: any bytes, of every size up to MOST, are read for any range; integers of every
 * sign and number of digits are written, in memory that ends where they do. */
#include "arbitrary.h"
#include "numbers/numbers.h"

#define BOUND INT64_C(1000000000000000000)
enum { MOST = 22 };

static uint8_t memory[MOST], validity;

/* With a first byte and a beginning of the range between those given; Eva takes no more apart
 * itself. */
static void read_between(size_t size, unsigned char byte, unsigned char last_byte, int64_t first,
                         int64_t last_first)
{
    tally_integers integers = {Frama_C_long_interval(first, last_first), (int64_t)any_64()};
    const int32_t offsets[2] = {0, (int32_t)size};
    uint64_t number = 0;
    uint8_t status = 0;
    arbitrary(memory, MOST);
    arbitrary(&validity, 1);
    if (size != 0) {
        memory[MOST - size] = Frama_C_unsigned_char_interval(byte, last_byte);
    }
    const tally_strings column = {.offsets = offsets,
                                  .offset_size = 4,
                                  .values = memory + MOST - size,
                                  .validity = either() ? &validity : NULL,
                                  .rows = 1};
    tally_integers_read(&integers, &column, &number, &status);
}

static void read_text(size_t size)
{
    static const unsigned char bytes[] = {0, '-' - 1, '-', '-', '-' + 1, 255};
    static const int64_t firsts[] = {INT64_MIN, -BOUND, 1 - BOUND, BOUND - 1, BOUND, INT64_MAX};
    for (size_t i = 0; i < 6; i += 2) {
        for (size_t j = 0; j < 6; j += 2) {
            read_between(size, bytes[i], bytes[i + 1], firsts[j], firsts[j + 1]);
        }
    }
}

/* An integer from `least` to `most`, all of which have so many digits. */
static void write_text(int64_t least, int64_t most)
{
    const tally_integers integers = {1 - BOUND, BOUND - 1};
    const int32_t offsets[2] = {0, 0};
    const tally_strings column = {.offsets = offsets, .offset_size = 4, .rows = 1};
    const uint8_t status = TALLY_NUMBER_OK;
    int32_t out[2] = {0, 0};
    int64_t value = Frama_C_long_interval(least, most);
    const uint64_t number = (uint64_t)(value - integers.first);
    if (tally_integers_lay_out(&integers, &column, &number, &status, out) == TALLY_OK) {
        tally_integers_write(&integers, &column, &number, &status, out, memory + MOST - out[1]);
    }
}

int main(void)
{
    for (size_t size = 0; size <= MOST; size++) {
        read_text(size);
    }
    int64_t power = 1;
    write_text(0, 0);
    for (int digits = 1; digits <= TALLY_INTEGERS_DIGITS; digits++) {
        write_text(power, 10 * power - 1);
        write_text(1 - 10 * power, -power);
        power *= 10;
    }
    return 0;
}
