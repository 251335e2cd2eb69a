/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers as text: against the C library's own, then text that is none, then columns of all
 * layouts, and errors. */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "numbers/numbers.h"
#include "random.h"

enum { GUARD = 0xa5, ROWS = 500, WIDTH = 32 };

static const int64_t most = INT64_C(999999999999999999);

/* Whether text is an integer by the rules, and which. */
static bool is_integer(const char *text, size_t size, int64_t *value)
{
    char spelt[WIDTH], copy[WIDTH];
    if (size == 0 || size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    *value = strtoll(copy, NULL, 10);
    snprintf(spelt, sizeof spelt, "%" PRId64, *value);
    return strlen(copy) == size && strcmp(spelt, copy) == 0 && *value >= -most && *value <= most;
}

static int read_one(tally_integers integers, const char *text, size_t size, uint64_t *number)
{
    int32_t offsets[2] = {0, (int32_t)size};
    const tally_strings column = {
        .offsets = offsets, .offset_size = 4, .values = (const uint8_t *)text, .rows = 1};
    uint8_t status = GUARD;
    CHECK_EQUAL(tally_integers_read(&integers, &column, number, &status), TALLY_OK);
    return status;
}

/* Reads one text; what it says must be what the rules say. */
static void check_text(tally_integers integers, const char *text, size_t size)
{
    int64_t value = 0;
    uint64_t number = 77;
    CHECK_ABOUT("%.*s in %" PRId64 "..%" PRId64, (int)size, text, integers.first, integers.last);
    int status = read_one(integers, text, size, &number);
    if (!is_integer(text, size, &value)) {
        CHECK_EQUAL(status, TALLY_NUMBER_NOTATION);
        CHECK_EQUAL(number, 0);
    } else if (value < integers.first || value > integers.last) {
        CHECK_EQUAL(status, TALLY_NUMBER_RANGE);
        CHECK_EQUAL(number, 0);
    } else {
        CHECK_EQUAL(status, TALLY_NUMBER_OK);
        CHECK_EQUAL(number, value - integers.first);
    }
}

static void test_texts(tally_integers integers)
{
    static const char *const texts[] = {
        "",
        "0",
        "-0",
        "00",
        "-",
        "--1",
        "+1",
        "1-",
        "01",
        "-01",
        " 1",
        "1 ",
        "1\n",
        "1a",
        "1:",
        "1/",
        "\xb1",
        "1.0",
        "1e3",
        "9",
        "-9",
        "10",
        "99",
        "100",
        "12345",
        "-10",
        "-12",
        "0x1",
        "1,0",
        "-a",
        ":",
        "a",
        "1\xff",
        "-/",
        "99999999999999999",
        "100000000000000000",
        "999999999999999999",
        "-999999999999999999",
        "1000000000000000000",
        "-1000000000000000000",
        "0999999999999999999",
        "99999999999999999999",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551616",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_text(integers, texts[i], strlen(texts[i]));
    }
    check_text(integers, "1\0002", 3);
    for (size_t i = 0; i < 3000; i++) {
        char text[WIDTH];
        static const char alphabet[] = "0123456789012345678901234567890-:/";
        size_t size = random_below(21);
        for (size_t k = 0; k < size; k++) {
            text[k] = alphabet[random_below(i % 2 ? 10 : sizeof alphabet - 1)];
        }
        check_text(integers, text, size);
    }
}

static int64_t random_of(tally_integers integers)
{
    /* Of every number of digits. */
    uint64_t size = (uint64_t)(integers.last - integers.first) + 1;
    for (;;) {
        int64_t value = (int64_t)(random_u64() >> 4);
        for (uint32_t digits = random_below(19); digits > 0; digits--) {
            value /= 10;
        }
        value = random_below(2) ? -value : value;
        if (value >= integers.first && value <= integers.last) {
            return value;
        }
        if (random_below(50) == 0) {
            return integers.first + (int64_t)(random_u64() % size);
        }
    }
}

static void test_columns(tally_integers integers, uint32_t offset_size)
{
    CHECK_ABOUT("columns of %" PRId64 "..%" PRId64 ", offsets of %u bytes", integers.first,
                integers.last, offset_size);
    static uint8_t values[ROWS * WIDTH], expected[ROWS * WIDTH], out[ROWS * WIDTH];
    int64_t wide[ROWS + 1], wide_out[ROWS + 1];
    int32_t narrow[ROWS + 1], narrow_out[ROWS + 1];
    uint8_t validity[ROWS / 8 + 3], status[ROWS], all_status[ROWS];
    uint64_t numbers[ROWS], read[ROWS];
    int64_t value[ROWS];
    random_bytes(values, sizeof values);
    random_bytes(validity, sizeof validity);
    uint64_t validity_start = random_below(8);
    size_t at = 3, end = 0, nulls = 0, kept = 0, written = 0;
    memset(expected, GUARD, sizeof expected);
    for (size_t i = 0; i < ROWS; i++) {
        wide[i] = (int64_t)at;
        if (random_below(4) == 0) {
            value[i] = INT64_MIN;
            values[at] = 'x';
            at += random_below(9);
        } else {
            value[i] = random_of(integers);
            char text[WIDTH];
            int size = snprintf(text, sizeof text, "%" PRId64, value[i]);
            memcpy(values + at, text, (size_t)size);
            at += (size_t)size;
        }
    }
    wide[ROWS] = (int64_t)at;
    for (size_t i = 0; i <= ROWS; i++) {
        narrow[i] = (int32_t)wide[i];
    }
    const tally_strings column = {.offsets = offset_size == 4 ? (void *)narrow : (void *)wide,
                                  .offset_size = offset_size,
                                  .validity = validity,
                                  .validity_start = validity_start,
                                  .values = values,
                                  .rows = ROWS};
    CHECK_EQUAL(tally_integers_read(&integers, &column, read, status), TALLY_OK);
    int64_t offsets[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t bit = validity_start + i;
        offsets[i] = (int64_t)end;
        all_status[i] = status[i];
        numbers[i] = UINT64_MAX; /* not looked at, but where one is written */
        if ((validity[bit / 8] >> bit % 8 & 1) == 0) {
            CHECK(status[i] == TALLY_NUMBER_OK && read[i] == 0);
            all_status[i] = (uint8_t)random_below(2);
            nulls++;
        } else if (value[i] == INT64_MIN) {
            CHECK(status[i] != TALLY_NUMBER_OK && read[i] == 0);
            size_t size = (size_t)(wide[i + 1] - wide[i]);
            memcpy(expected + end, values + wide[i], size);
            end += size;
            kept++;
        } else {
            CHECK_EQUAL(status[i], TALLY_NUMBER_OK);
            CHECK_EQUAL(read[i], value[i] - integers.first);
            char text[WIDTH];
            int64_t other = random_of(integers);
            numbers[i] = (uint64_t)(other - integers.first);
            int size = snprintf(text, sizeof text, "%" PRId64, other);
            memcpy(expected + end, text, (size_t)size);
            end += (size_t)size;
            written++;
        }
    }
    offsets[ROWS] = (int64_t)end;
    CHECK(nulls > 0 && kept > 0 && written > 0);
    void *target = offset_size == 4 ? (void *)narrow_out : (void *)wide_out;
    CHECK_EQUAL(tally_integers_lay_out(&integers, &column, numbers, all_status, target), TALLY_OK);
    for (size_t i = 0; i <= ROWS; i++) {
        CHECK_EQUAL(offset_size == 4 ? narrow_out[i] : wide_out[i], offsets[i]);
    }
    memset(out, GUARD, sizeof out);
    CHECK_EQUAL(tally_integers_write(&integers, &column, numbers, all_status, target, out),
                TALLY_OK);
    CHECK_BYTES(out, expected, sizeof out);
}

static void test_refusals(void)
{
    CHECK_ABOUT("refusals");
    int32_t offsets[3] = {0, 1, 2}, out[3] = {8, 8, 8};
    uint64_t numbers[2] = {0, 1};
    uint8_t status[2] = {0, 0};
    tally_strings column = {
        .offsets = offsets, .offset_size = 4, .values = (const uint8_t *)"12", .rows = 2};
    static const tally_integers bad[] = {{1, 0},
                                         {INT64_MIN, 0},
                                         {0, INT64_MAX},
                                         {-1000000000000000000, 0},
                                         {0, 1000000000000000000}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(tally_integers_read(&bad[i], &column, numbers, status), TALLY_ERROR_ARGUMENT);
        CHECK_EQUAL(tally_integers_lay_out(&bad[i], &column, numbers, status, out),
                    TALLY_ERROR_ARGUMENT);
    }
    const tally_integers good = {0, 1};
    offsets[1] = 3;
    CHECK_EQUAL(tally_integers_read(&good, &column, numbers, status), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_integers_lay_out(&good, &column, numbers, status, out), TALLY_ERROR_ARGUMENT);
    offsets[1] = 1;
    numbers[1] = 2;
    CHECK_EQUAL(tally_integers_lay_out(&good, &column, numbers, status, out), TALLY_ERROR_ARGUMENT);
    CHECK(out[0] == 8 && out[1] == 8 && out[2] == 8);
    CHECK(numbers[0] == 0 && numbers[1] == 2 && status[0] == 0 && status[1] == 0);
    /* Values that are kept, as much as offsets hold, and one digit more. */
    int32_t large[3] = {0, INT32_MAX - 1, INT32_MAX};
    column.offsets = large;
    status[0] = 1;
    numbers[1] = 1;
    CHECK_EQUAL(tally_integers_lay_out(&good, &column, numbers, status, out), TALLY_OK);
    CHECK_EQUAL(out[2], INT32_MAX);
    const tally_integers wider = {0, 10};
    numbers[1] = 10;
    CHECK_EQUAL(tally_integers_lay_out(&wider, &column, numbers, status, out), TALLY_ERROR_LENGTH);
    const int64_t largest[3] = {0, INT64_MAX - 1, INT64_MAX};
    int64_t wide[3];
    column.offsets = largest;
    column.offset_size = 8;
    CHECK_EQUAL(tally_integers_lay_out(&wider, &column, numbers, status, wide), TALLY_ERROR_LENGTH);
    numbers[1] = 1;
    CHECK_EQUAL(tally_integers_lay_out(&wider, &column, numbers, status, wide), TALLY_OK);
    CHECK_EQUAL(wide[2], INT64_MAX);
    column.offset_size = 4;
    column.rows = 0;
    column.offsets = NULL;
    CHECK_EQUAL(tally_integers_read(&good, &column, NULL, NULL), TALLY_OK);
    CHECK_EQUAL(tally_integers_lay_out(&good, &column, NULL, NULL, out), TALLY_OK);
    CHECK_EQUAL(out[0], 0);
    CHECK_EQUAL(tally_integers_write(&good, &column, NULL, NULL, out, NULL), TALLY_OK);
}

int main(void)
{
    const tally_integers ranges[] = {{-most, most}, {0, most}, {-most, -1}, {0, 999},
                                     {-12, 100000}, {5, 5},    {-1, 0}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        test_texts(ranges[i]);
        test_columns(ranges[i], 4);
        test_columns(ranges[i], 8);
    }
    test_refusals();
    return check_end("integers");
}
