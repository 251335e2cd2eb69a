/* SPDX-License-Identifier: Apache-2.0
 *
 * Notations of dates. */
#include "numbers/dates.h"

/* Where `count` letters stand that occur only there; -1: they do not. */
static int dates_find(const uint8_t *notation, size_t width, uint8_t letter, size_t count)
{
    int found = -1;
    for (size_t i = 0; i + count <= width; i++) {
        size_t same = 0;
        while (same < count && notation[i + same] == letter) {
            same++;
        }
        if (same == count) {
            if (found >= 0) {
                return -1;
            }
            found = (int)i;
            i += count - 1; /* matches do not overlap */
        }
    }
    return found;
}

void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out)
{
    out->blocks = (out->width + TALLY_DATES_BLOCK - 1) / TALLY_DATES_BLOCK;
    for (size_t i = 0; i < out->blocks; i++) {
        out->place[i] = (i + 1) * TALLY_DATES_BLOCK <= out->width ? i * TALLY_DATES_BLOCK
                                                                  : out->width - TALLY_DATES_BLOCK;
        memcpy(&out->text[i], pattern + out->place[i], TALLY_DATES_BLOCK);
        memcpy(&out->reach[i], reach + out->place[i], TALLY_DATES_BLOCK);
    }
}

int tally_dates_compile(const uint8_t *notation, size_t width, tally_dates_compiled *out)
{
    if (width < TALLY_DATES_BLOCK || width > TALLY_DATES_MAX_WIDTH) {
        return 0;
    }
    for (size_t i = 0; i < width; i++) {
        if (notation[i] < ' ' || notation[i] > '~') {
            return 0;
        }
    }
    const int year = dates_find(notation, width, 'Y', 4),
              month = dates_find(notation, width, 'M', 2),
              day = dates_find(notation, width, 'D', 2);
    if (year < 0 || month < 0 || day < 0) {
        return 0;
    }
    out->width = width;
    out->year = (size_t)year;
    out->month = (size_t)month;
    out->day = (size_t)day;
    uint8_t pattern[TALLY_DATES_MAX_WIDTH], reach[TALLY_DATES_MAX_WIDTH];
    memcpy(pattern, notation, width);
    memset(reach, TALLY_DATES_LITERAL, sizeof reach);
    const int place[] = {year, month, day}, count[] = {4, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        memset(pattern + place[i], '0', (size_t)count[i]);
        memset(reach + place[i], TALLY_DATES_DIGIT, (size_t)count[i]);
    }
    tally_dates_compile_pattern(pattern, reach, out);
    return 1;
}
